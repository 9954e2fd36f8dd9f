/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to this room: texts of picture files in XMP (ISO 16684-1; XMP Specification Part 3, 2.4). */
#pragma once

#include "text.h"
#include "tools/imageio/imageio.h"
#include "xml.h"

/* Adds the texts to the packet (bytes 0: makes one): a field that the packet has stays as it is. *out is left empty
 * where nothing changes. Names of texts that no field takes are appended to lost. 0, or -1 for want of memory. */
int wvl_metadata_add_to_xmp(wvl_io_blob packet, const wvl_io_metadata *metadata, wvl_text *out, char *lost,
                            size_t lost_bytes);

/* The same time as XMP writes it (ISO 8601); the forms that are known are those of TIFF, DPX, ISO 8601 and RFC 1123.
 * 0 when it is none of them. */
int wvl_metadata_convert_date(const char *text, char out[40]);

/* 1: the bytes are XMP in UTF-8 that can be changed. */
int wvl_metadata_is_xmp_text(wvl_io_blob packet);

/* The prefixes that stand for a namespace anywhere in a document; of more than 16 the first. */
typedef struct wvl_xmp_prefixes {
    wvl_xml_span items[16]; /* an empty one: the namespace is the default of its element */
    size_t count;
} wvl_xmp_prefixes;

void wvl_metadata_find_prefixes(wvl_xml_span document, const char *space, wvl_xmp_prefixes *prefixes);
/* 1: the name with its prefix is `local` of that namespace. */
int wvl_metadata_is_named(const wvl_xmp_prefixes *prefixes, wvl_xml_span name, const char *local);
