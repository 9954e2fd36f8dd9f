/* SPDX-License-Identifier: BSD-2-Clause */
#include "xml.h"

#include <string.h>

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

int wvl_xml_begins(wvl_xml_span d, size_t at, const char *word)
{
    size_t n = strlen(word);
    return d.bytes - at >= n && !memcmp(d.at + at, word, n);
}

/* Behind the next `word`: 1, or 0 when there is none. */
static int skip_to(wvl_xml_span d, size_t *at, const char *word)
{
    for (; *at < d.bytes; ++*at) {
        if (wvl_xml_begins(d, *at, word)) {
            *at += strlen(word);
            return 1;
        }
    }
    return 0;
}

/* 1: something that is no tag stood at *at, 0: a tag does, -1: it has no end. */
static int skip_other(wvl_xml_span d, size_t *at)
{
    static const char *const others[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (wvl_xml_begins(d, *at, others[i][0])) {
            *at += strlen(others[i][0]);
            return skip_to(d, at, others[i][1]) ? 1 : -1;
        }
    }
    return 0;
}

/* At '<'. */
static int take_tag(wvl_xml_span d, size_t *at, wvl_xml_tag *tag)
{
    size_t start = *at, name = start + 1, end;
    char quote = 0;
    memset(tag, 0, sizeof *tag);
    tag->closes = name < d.bytes && d.at[name] == '/';
    name += (size_t)tag->closes;
    for (end = name; end < d.bytes && !is_space(d.at[end]) && !strchr("/>=<\"'", d.at[end]); end++) {
    }
    tag->name = (wvl_xml_span){d.at + name, end - name};
    size_t attributes = end;
    for (; end < d.bytes && (quote || d.at[end] != '>'); end++) {
        char c = d.at[end];
        if (c == '<') {
            return -1;
        }
        if (quote ? c == quote : c == '"' || c == '\'') {
            quote = quote ? 0 : c;
        }
    }
    if (end >= d.bytes || !tag->name.bytes) {
        return -1;
    }
    tag->is_empty = !tag->closes && d.at[end - 1] == '/' && end - 1 >= attributes;
    tag->attributes = (wvl_xml_span){d.at + attributes, end - attributes - (size_t)tag->is_empty};
    tag->whole = (wvl_xml_span){d.at + start, end + 1 - start};
    *at = end + 1;
    return 1;
}

int wvl_xml_next_tag(wvl_xml_span document, size_t *at, wvl_xml_tag *tag)
{
    for (;;) {
        const char *next = *at < document.bytes ? memchr(document.at + *at, '<', document.bytes - *at) : NULL;
        if (!next) {
            return 0;
        }
        *at = (size_t)(next - document.at);
        int other = skip_other(document, at);
        if (other < 0) {
            return -1;
        }
        if (!other) {
            return take_tag(document, at, tag);
        }
    }
}

static void skip_space(wvl_xml_span s, size_t *at)
{
    while (*at < s.bytes && is_space(s.at[*at])) {
        ++*at;
    }
}

int wvl_xml_next_attribute(const wvl_xml_tag *tag, size_t *at, wvl_xml_span *name, wvl_xml_span *value)
{
    wvl_xml_span s = tag->attributes;
    skip_space(s, at);
    if (*at >= s.bytes) {
        return 0;
    }
    size_t start = *at;
    while (*at < s.bytes && !is_space(s.at[*at]) && s.at[*at] != '=') {
        ++*at;
    }
    *name = (wvl_xml_span){s.at + start, *at - start};
    skip_space(s, at);
    if (*at >= s.bytes || s.at[*at] != '=') {
        return -1;
    }
    ++*at;
    skip_space(s, at);
    if (*at >= s.bytes || (s.at[*at] != '"' && s.at[*at] != '\'')) {
        return -1;
    }
    char quote = s.at[(*at)++];
    const char *end = memchr(s.at + *at, quote, s.bytes - *at);
    if (!end) {
        return -1;
    }
    *value = (wvl_xml_span){s.at + *at, (size_t)(end - (s.at + *at))};
    *at += value->bytes + 1;
    return 1;
}

int wvl_xml_is(wvl_xml_span span, const char *text)
{
    return span.bytes == strlen(text) && !memcmp(span.at, text, span.bytes);
}

wvl_xml_span wvl_xml_local_name(wvl_xml_span name, wvl_xml_span *prefix)
{
    const char *colon = name.bytes ? memchr(name.at, ':', name.bytes) : NULL;
    size_t before = colon ? (size_t)(colon - name.at) : 0, skip = colon ? before + 1 : 0;
    *prefix = (wvl_xml_span){name.at, before};
    return (wvl_xml_span){name.at + skip, name.bytes - skip};
}
