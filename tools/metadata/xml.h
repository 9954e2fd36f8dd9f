/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to this room: tags and attributes of XML in UTF-8, as far as XMP and .aux.xml need them. No entity and no
 * document type is looked into; every access is within the bytes given. */
#pragma once

#include <stddef.h>

/* A piece of the document. */
typedef struct wvl_xml_span {
    const char *at;
    size_t bytes;
} wvl_xml_span;

typedef struct wvl_xml_tag {
    wvl_xml_span whole;      /* from '<' to '>' */
    wvl_xml_span name;       /* with its prefix */
    wvl_xml_span attributes; /* between the name and the end */
    int closes, is_empty;
} wvl_xml_tag;

/* The next start or end tag from *at on; comments, instructions and sections are passed over. 1: found, and *at moves
 * behind it. 0: none is left. -1: the document is not well-formed here. */
int wvl_xml_next_tag(wvl_xml_span document, size_t *at, wvl_xml_tag *tag);

/* The next attribute from *at on, the value without its quotes. As above. */
int wvl_xml_next_attribute(const wvl_xml_tag *tag, size_t *at, wvl_xml_span *name, wvl_xml_span *value);

int wvl_xml_is(wvl_xml_span span, const char *text);
/* 1: the bytes from `at` on, which is not beyond the end, begin with the word. */
int wvl_xml_begins(wvl_xml_span span, size_t at, const char *word);

/* The part behind the colon; all of it where there is none. *prefix: the part before, or empty. */
wvl_xml_span wvl_xml_local_name(wvl_xml_span name, wvl_xml_span *prefix);
