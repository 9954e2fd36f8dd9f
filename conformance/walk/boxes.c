/* SPDX-License-Identifier: BSD-2-Clause */
/* The sequence of boxes (I.2.2, I.4). */
#include "boxes.h"

#include <string.h>

typedef struct box {
    uint32_t type;
    wvl_walk_span span;
    char name[5];
} box;

const uint8_t wvl_check_signature[12] = {0, 0, 0, 12, 'j', 'P', ' ', ' ', 0x0D, 0x0A, 0x87, 0x0A};

static uint32_t take32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

uint32_t wvl_check_at16(const wvl_walk_boxes *b, uint64_t at) { return (uint32_t)b->data[at] << 8 | b->data[at + 1]; }

uint32_t wvl_check_at32(const wvl_walk_boxes *b, uint64_t at) { return take32(b->data + at); }

unsigned wvl_check_read_box_header(const uint8_t *p, uint64_t left, uint32_t *type, uint64_t *length)
{
    *length = take32(p);
    *type = take32(p + 4);
    if (*length != 1) {
        return 8;
    }
    if (left < 16) {
        return 0;
    }
    *length = (uint64_t)take32(p + 8) << 32 | take32(p + 12);
    return 16;
}

static void name_box(box *k)
{
    for (unsigned i = 0; i < 4; i++) {
        char c = (char)(k->type >> (24 - 8 * i));
        k->name[i] = c >= ' ' && c <= '~' ? c : '?';
    }
    k->name[4] = '\0';
}

/* The box at `at` of what ends at `end`; is_inner: within a superbox. 0 after a complaint that ends the sequence. */
static int read_box(wvl_walk *w, const wvl_walk_boxes *b, uint64_t at, uint64_t end, int is_inner, box *k)
{
    memset(k, 0, sizeof *k);
    if (end - at < 8) {
        return wvl_check_fail(w, WVL_RULE_BOX_TRUNCATED, at, "%llu bytes where a box is expected",
                              (unsigned long long)(end - at));
    }
    uint64_t length, header = wvl_check_read_box_header(b->data + at, end - at, &k->type, &length);
    name_box(k);
    if (length == 0 && !is_inner) {
        length = end - at;
    }
    if (!header || length < header) {
        return wvl_check_fail(w, WVL_RULE_BOX_LENGTH, at, "box \"%s\" has a length of %llu", k->name,
                              (unsigned long long)length);
    }
    k->span = (wvl_walk_span){at, at + header, at + length};
    if (length > end - at) {
        wvl_check_fail(w, WVL_RULE_BOX_TRUNCATED, at, "box \"%s\" has a length of %llu, %llu bytes are left", k->name,
                       (unsigned long long)length, (unsigned long long)(end - at));
        k->span.end = end;
    }
    return 1;
}

/* Keeps the first one of a kind. */
static void keep(wvl_walk *w, wvl_walk_span *place, const box *k)
{
    if (place->at) {
        wvl_check_fail(w, WVL_RULE_BOX_DUPLICATE, k->span.offset, "a second box \"%s\"", k->name);
    } else {
        *place = k->span;
    }
}

/* ---- Superboxes ------------------------------------------------------------------------------ */

static void read_resolution(wvl_walk *w, wvl_walk_boxes *b)
{
    box k;
    for (uint64_t at = b->res.at; at < b->res.end; at = k.span.end) {
        if (!read_box(w, b, at, b->res.end, 1, &k)) {
            return;
        }
        if (k.type == WVL_WALK_BOX('r', 'e', 's', 'c')) {
            keep(w, &b->resc, &k);
        } else if (k.type == WVL_WALK_BOX('r', 'e', 's', 'd')) {
            keep(w, &b->resd, &k);
        }
    }
    if (!b->resc.at && !b->resd.at) {
        wvl_check_fail(w, WVL_RULE_RES_CONTENT, b->res.offset, "a resolution box without a resolution");
    }
}

static void place_inner(wvl_walk *w, wvl_walk_boxes *b, const box *k, uint64_t *last_colr)
{
    switch (k->type) {
    case WVL_WALK_BOX('i', 'h', 'd', 'r'): keep(w, &b->ihdr, k); break;
    case WVL_WALK_BOX('b', 'p', 'c', 'c'): keep(w, &b->bpcc, k); break;
    case WVL_WALK_BOX('p', 'c', 'l', 'r'): keep(w, &b->pclr, k); break;
    case WVL_WALK_BOX('c', 'm', 'a', 'p'): keep(w, &b->cmap, k); break;
    case WVL_WALK_BOX('c', 'd', 'e', 'f'): keep(w, &b->cdef, k); break;
    case WVL_WALK_BOX('r', 'e', 's', ' '): keep(w, &b->res, k); break;
    case WVL_WALK_BOX('c', 'o', 'l', 'r'):
        if (*last_colr && *last_colr != k->span.offset) {
            wvl_check_fail(w, WVL_RULE_COLR_TOGETHER, k->span.offset,
                           "other boxes are between colour specification boxes");
        }
        *last_colr = k->span.end;
        (void)wvl_check_push(w, &b->colrs, &k->span, sizeof k->span);
        break;
    case WVL_WALK_BOX('j', 'p', '2', 'c'):
    case WVL_WALK_BOX('f', 't', 'y', 'p'):
    case WVL_WALK_BOX('j', 'p', '2', 'h'):
        wvl_check_fail(w, WVL_RULE_BOX_PLACE, k->span.offset, "box \"%s\" within \"jp2h\"", k->name);
        break;
    default: break;
    }
}

static void read_header_box(wvl_walk *w, wvl_walk_boxes *b)
{
    box k;
    uint64_t last_colr = 0;
    for (uint64_t at = b->jp2h.at; at < b->jp2h.end; at = k.span.end) {
        if (!read_box(w, b, at, b->jp2h.end, 1, &k)) {
            break;
        }
        if (at == b->jp2h.at && k.type != WVL_WALK_BOX('i', 'h', 'd', 'r')) {
            wvl_check_fail(w, WVL_RULE_IHDR_MISSING, at, "the JP2 header box begins with \"%s\"", k.name);
        }
        place_inner(w, b, &k, &last_colr);
    }
    if (b->res.at) {
        read_resolution(w, b);
    }
}

static void read_info(wvl_walk *w, const wvl_walk_boxes *b, const wvl_walk_span *span)
{
    box k;
    unsigned lists = 0, urls = 0;
    for (uint64_t at = span->at; at < span->end; at = k.span.end) {
        if (!read_box(w, b, at, span->end, 1, &k)) {
            return;
        }
        uint64_t bytes = k.span.end - k.span.at;
        if (k.type == WVL_WALK_BOX('u', 'l', 's', 't')) {
            lists += bytes >= 2 && bytes == 2 + 16 * (uint64_t)wvl_check_at16(b, k.span.at);
        } else if (k.type == WVL_WALK_BOX('u', 'r', 'l', ' ')) {
            urls += bytes >= 5 && !b->data[k.span.end - 1];
        }
    }
    if (lists != 1 || urls != 1) {
        wvl_check_fail(w, WVL_RULE_UINF_CONTENT, span->offset,
                       "%u lists and %u URLs of the length that they name in a UUID info box", lists, urls);
    }
}

#define MOST_ASSOCIATIONS 16u /* within each other */

/* Boxes that belong together, as the label and the document of GMLJP2 (15444-2 M.11.1). */
static void read_association(wvl_walk *w, const wvl_walk_boxes *b, const wvl_walk_span *span, unsigned depth)
{
    box k;
    for (uint64_t at = span->at; at < span->end && !w->limit_hit; at = k.span.end) {
        if (!read_box(w, b, at, span->end, 1, &k)) {
            return;
        }
        if (k.type == WVL_WALK_BOX('a', 's', 'o', 'c') && depth < MOST_ASSOCIATIONS) {
            read_association(w, b, &k.span, depth + 1);
        } else if (k.type == WVL_WALK_BOX('x', 'm', 'l', ' ')) {
            wvl_check_judge_xml(w, b, &k.span);
        }
    }
}

/* ---- The file -------------------------------------------------------------------------------- */

static void read_ftyp(wvl_walk *w, wvl_walk_boxes *b)
{
    uint64_t at = b->ftyp.at, bytes = b->ftyp.end - at;
    int is_listed = 0;
    if (bytes < 12 || bytes % 4) {
        wvl_check_fail(w, WVL_RULE_FTYP_LENGTH, b->ftyp.offset, "the file type box has %llu bytes of content",
                       (unsigned long long)bytes);
        return;
    }
    uint32_t brand = wvl_check_at32(b, at);
    b->is_jph = brand == WVL_WALK_BOX('j', 'p', 'h', ' ');
    if (!b->is_jph && brand != WVL_WALK_BOX('j', 'p', '2', ' ')) {
        wvl_check_fail(w, WVL_RULE_FTYP_BRAND, at, "the brand is 0x%08X", (unsigned)brand);
    }
    if (wvl_check_at32(b, at + 4)) {
        wvl_check_fail(w, WVL_RULE_FTYP_VERSION, at + 4, "MinV is %u", (unsigned)wvl_check_at32(b, at + 4));
    }
    for (uint64_t i = at + 8; i < b->ftyp.end; i += 4) {
        is_listed |= wvl_check_at32(b, i) == brand;
    }
    if (!is_listed) {
        wvl_check_fail(w, WVL_RULE_FTYP_LIST, at + 8, "the brand is not in the compatibility list");
    }
}

static void read_uuid(wvl_walk *w, wvl_walk_boxes *b, const box *k)
{
    static const uint8_t xmp[16] = {0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8,
                                    0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC};
    b->uuid_count++;
    if (k->span.end - k->span.at < 16) {
        wvl_check_fail(w, WVL_RULE_UUID_LENGTH, k->span.offset, "a UUID box of %llu bytes",
                       (unsigned long long)(k->span.end - k->span.at));
    } else if (!memcmp(b->data + k->span.at, xmp, 16)) {
        b->xmp_count++;
        b->xmp = (wvl_walk_span){k->span.offset, k->span.at + 16, k->span.end};
    }
}

static void place_outer(wvl_walk *w, wvl_walk_boxes *b, const box *k)
{
    switch (k->type) {
    case WVL_WALK_BOX('j', 'P', ' ', ' '):
        wvl_check_fail(w, WVL_RULE_BOX_DUPLICATE, k->span.offset, "a second signature box");
        break;
    case WVL_WALK_BOX('f', 't', 'y', 'p'): keep(w, &b->ftyp, k); break;
    case WVL_WALK_BOX('j', 'p', '2', 'h'):
        if (b->jp2c.at) {
            wvl_check_fail(w, WVL_RULE_BOX_PLACE, k->span.offset, "the JP2 header box comes after the codestream");
        }
        keep(w, &b->jp2h, k);
        break;
    case WVL_WALK_BOX('j', 'p', '2', 'c'):
        if (!b->jp2c.at) { /* readers ignore the others (I.5.4) */
            b->jp2c = k->span;
        }
        break;
    case WVL_WALK_BOX('j', 'p', '2', 'i'): keep(w, &b->jp2i, k); break;
    case WVL_WALK_BOX('x', 'm', 'l', ' '):
        b->xml_count++;
        wvl_check_judge_xml(w, b, &k->span);
        break;
    case WVL_WALK_BOX('u', 'u', 'i', 'd'): read_uuid(w, b, k); break;
    case WVL_WALK_BOX('u', 'i', 'n', 'f'): read_info(w, b, &k->span); break;
    case WVL_WALK_BOX('a', 's', 'o', 'c'): read_association(w, b, &k->span, 0); break;
    case WVL_WALK_BOX('i', 'h', 'd', 'r'):
    case WVL_WALK_BOX('c', 'o', 'l', 'r'):
    case WVL_WALK_BOX('p', 'c', 'l', 'r'):
    case WVL_WALK_BOX('c', 'm', 'a', 'p'):
    case WVL_WALK_BOX('c', 'd', 'e', 'f'):
    case WVL_WALK_BOX('r', 'e', 's', ' '):
    case WVL_WALK_BOX('b', 'p', 'c', 'c'):
        wvl_check_fail(w, WVL_RULE_BOX_PLACE, k->span.offset, "box \"%s\" outside \"jp2h\"", k->name);
        break;
    default: break;
    }
}

static void read_boxes(wvl_walk *w, wvl_walk_boxes *b)
{
    box k;
    for (uint64_t at = 12; at < b->bytes && !w->limit_hit; at = k.span.end) {
        if (!read_box(w, b, at, b->bytes, 0, &k)) {
            break;
        }
        if (at == 12 && k.type != WVL_WALK_BOX('f', 't', 'y', 'p')) {
            wvl_check_fail(w, WVL_RULE_FTYP_MISSING, at, "box \"%s\" follows the signature box", k.name);
        }
        place_outer(w, b, &k);
    }
    if (b->ftyp.at) {
        read_ftyp(w, b);
    } else if (b->bytes == 12) {
        wvl_check_fail(w, WVL_RULE_FTYP_MISSING, 12, "there is no file type box");
    }
    if (b->jp2h.at) {
        read_header_box(w, b);
    } else {
        wvl_check_fail(w, WVL_RULE_JP2H_MISSING, b->bytes, "there is no JP2 header box");
    }
}

static void walk_boxes(wvl_walk *w, wvl_walk_boxes *b)
{
    read_boxes(w, b);
    w->summary->format = b->is_jph ? WVL_CHECK_JPH : WVL_CHECK_JP2;
    if (!b->jp2c.at) {
        wvl_check_fail(w, WVL_RULE_JP2C_MISSING, b->bytes, "there is no codestream box");
    } else {
        w->data = b->data + b->jp2c.at;
        w->bytes = (size_t)(b->jp2c.end - b->jp2c.at);
        w->base = b->jp2c.at;
        wvl_check_walk_codestream(w);
        w->base = 0;
    }
    if (b->jp2h.at) {
        wvl_check_judge_header(w, b);
    }
}

void wvl_check_walk_file(wvl_walk *w, wvl_walk_boxes *b)
{
    b->data = w->data;
    b->bytes = w->bytes;
    if (w->bytes >= 12 && !memcmp(w->data, wvl_check_signature, 12)) {
        walk_boxes(w, b);
    } else if (w->bytes >= 2 && w->data[0] == 0xFF && w->data[1] == 0x4F) {
        w->summary->format = WVL_CHECK_CODESTREAM;
        wvl_check_walk_codestream(w);
    } else {
        w->summary->format = WVL_CHECK_NOTHING;
        wvl_check_fail(w, WVL_RULE_FILE_UNKNOWN, 0, "neither a signature box nor SOC");
    }
}
