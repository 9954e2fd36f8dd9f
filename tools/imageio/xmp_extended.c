/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extended XMP of JPEG files: the descriptions of the extension go before the end of the main packet's rdf:RDF. RDF
 * takes several rdf:Description of one resource. Only namespaces that the extension declares within these go along, so
 * it is refused where its rdf:RDF or what stands around it declares others.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct span {
    const char *at;
    size_t bytes;
} span;

static const char *find(span in, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; length <= in.bytes && i <= in.bytes - length; i++) {
        if (memcmp(in.at + i, text, length) == 0) {
            return in.at + i;
        }
    }
    return NULL;
}

static span between(const char *from, const char *to) { return (span){from, (size_t)(to - from)}; }

/* xmlns of other prefixes than x and rdf. */
static int declares_others(span head)
{
    const char *at = find(head, "xmlns:");
    while (at) {
        span left = between(at + 6, head.at + head.bytes);
        int known =
            (left.bytes >= 2 && memcmp(left.at, "x=", 2) == 0) || (left.bytes >= 4 && memcmp(left.at, "rdf=", 4) == 0);
        if (!known) {
            return 1;
        }
        at = find(left, "xmlns:");
    }
    return 0;
}

/* The content of rdf:RDF; at NULL: there is none, or it must not be moved. */
static span descriptions_of(span packet)
{
    span none = {NULL, 0};
    const char *open = find(packet, "<rdf:RDF"), *end = packet.at + packet.bytes;
    const char *begin = open ? find(between(open, end), ">") : NULL;
    const char *close = begin ? find(between(begin, end), "</rdf:RDF>") : NULL;
    if (!close || begin[-1] == '/' || declares_others(between(packet.at, begin))) {
        return none;
    }
    return between(begin + 1, close);
}

/* The property that names the extension, as an attribute or an element; bytes 0: none. It goes, as the specification
   asks. */
static span pointer_of(span packet)
{
    const char *at = find(packet, "xmpNote:HasExtendedXMP"), *end = packet.at + packet.bytes;
    if (!at || at == packet.at) {
        return (span){packet.at, 0};
    }
    if (at[-1] == '<') {
        const char *close = find(between(at, end), "</xmpNote:HasExtendedXMP>");
        return close ? between(at - 1, close + strlen("</xmpNote:HasExtendedXMP>")) : (span){packet.at, 0};
    }
    const char *quote = at + strlen("xmpNote:HasExtendedXMP") + 1;
    if (quote >= end || quote[-1] != '=' || (*quote != '"' && *quote != '\'')) {
        return (span){packet.at, 0};
    }
    const char mark[2] = {*quote, '\0'}, *close = find(between(quote + 1, end), mark);
    return close ? between(at, close + 1) : (span){packet.at, 0};
}

int wvl_io_merge_xmp(const uint8_t *main_packet, size_t main_bytes, const uint8_t *extension, size_t extension_bytes,
                     uint8_t **merged, size_t *merged_bytes)
{
    span packet = {(const char *)main_packet, main_bytes}, pointer = pointer_of(packet);
    span more = descriptions_of((span){(const char *)extension, extension_bytes});
    const char *close = find(packet, "</rdf:RDF>"), *behind = pointer.at + pointer.bytes;
    if (!pointer.bytes || !more.at || !close || close < behind) {
        return 0;
    }
    *merged_bytes = main_bytes - pointer.bytes + more.bytes;
    uint8_t *to = *merged = malloc(*merged_bytes);
    if (!to) {
        return -1;
    }
    const span parts[] = {between(packet.at, pointer.at), between(behind, close), more,
                          between(close, packet.at + packet.bytes)};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        memcpy(to, parts[i].at, parts[i].bytes);
        to += parts[i].bytes;
    }
    return 1;
}
