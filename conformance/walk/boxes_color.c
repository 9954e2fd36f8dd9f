/* SPDX-License-Identifier: BSD-2-Clause */
/* Colour specification and channel definition boxes (I.5.3.3, I.5.3.6). */
#include "boxes.h"

#include <string.h>

#define TAG(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))
#define ICC_HEADER 132u /* with the number of tags */

/* ---- ICC profiles (ICC.1, clause 7) ---------------------------------------------------------- */

static int icc_has_tag(const wvl_walk_boxes *b, const wvl_walk_span *icc, uint32_t tag, wvl_walk_span *found)
{
    uint64_t count = wvl_check_at32(b, icc->at + 128), bytes = icc->end - icc->at;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t entry = icc->at + ICC_HEADER + 12 * i;
        if (wvl_check_at32(b, entry) == tag) {
            uint64_t offset = wvl_check_at32(b, entry + 4), size = wvl_check_at32(b, entry + 8);
            if (found && offset <= bytes && size <= bytes - offset) {
                *found = (wvl_walk_span){icc->at + offset, icc->at + offset, icc->at + offset + size};
            }
            return 1;
        }
    }
    return 0;
}

static int has_all(const wvl_walk_boxes *b, const wvl_walk_span *icc, const uint32_t *tags, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!icc_has_tag(b, icc, tags[i], NULL)) {
            return 0;
        }
    }
    return 1;
}

/* Text of the description tag, 'desc' of version 2 or the first record of 'mluc', as far as it is ASCII. */
static void keep_icc_name(wvl_walk_boxes *b, const wvl_walk_span *icc)
{
    wvl_walk_span tag = {0, 0, 0};
    size_t n = 0;
    if (!icc_has_tag(b, icc, TAG('d', 'e', 's', 'c'), &tag) || tag.end - tag.at < 28) {
        return;
    }
    int is_wide = wvl_check_at32(b, tag.at) == TAG('m', 'l', 'u', 'c');
    uint64_t at = tag.at + 12, end = tag.end;
    if (is_wide) {
        uint64_t length = wvl_check_at32(b, tag.at + 20), offset = wvl_check_at32(b, tag.at + 24),
                 bytes = tag.end - tag.at;
        if (offset > bytes || length > bytes - offset) {
            return;
        }
        at = tag.at + offset + 1; /* the low bytes of UTF-16 */
        end = tag.at + offset + length;
    }
    for (; at < end && b->data[at] && n + 1 < sizeof b->icc_name; at += is_wide ? 2 : 1) {
        b->icc_name[n++] = b->data[at] >= ' ' && b->data[at] <= '~' ? (char)b->data[at] : '?';
    }
    b->icc_name[n] = '\0';
}

/* Colour channels of a sound profile; 0 after a complaint. */
static unsigned judge_icc(wvl_walk *w, wvl_walk_boxes *b, const wvl_walk_span *icc, int is_restricted)
{
    static const uint32_t grey[] = {TAG('k', 'T', 'R', 'C')};
    static const uint32_t matrix[] = {TAG('r', 'X', 'Y', 'Z'), TAG('g', 'X', 'Y', 'Z'), TAG('b', 'X', 'Y', 'Z'),
                                      TAG('r', 'T', 'R', 'C'), TAG('g', 'T', 'R', 'C'), TAG('b', 'T', 'R', 'C')};
    uint64_t bytes = icc->end - icc->at;
    if (bytes < ICC_HEADER || wvl_check_at32(b, icc->at) != bytes ||
        wvl_check_at32(b, icc->at + 36) != TAG('a', 'c', 's', 'p') ||
        wvl_check_at32(b, icc->at + 128) > (bytes - ICC_HEADER) / 12) {
        wvl_check_fail(w, WVL_RULE_ICC_HEADER, icc->offset, "an ICC profile of %llu bytes is broken",
                       (unsigned long long)bytes);
        return 0;
    }
    uint32_t class = wvl_check_at32(b, icc->at + 12), space = wvl_check_at32(b, icc->at + 16),
             pcs = wvl_check_at32(b, icc->at + 20);
    int is_grey = space == TAG('G', 'R', 'A', 'Y') && has_all(b, icc, grey, 1);
    int is_matrix = space == TAG('R', 'G', 'B', ' ') && has_all(b, icc, matrix, 6);
    if (!b->icc_name[0]) {
        keep_icc_name(b, icc);
    }
    if (is_restricted &&
        ((class != TAG('s', 'c', 'n', 'r') && class != TAG('m', 'n', 't', 'r')) || pcs != TAG('X', 'Y', 'Z', ' ') ||
         (!is_grey && !is_matrix) || icc_has_tag(b, icc, TAG('A', '2', 'B', '0'), NULL))) {
        wvl_check_fail(w, WVL_RULE_ICC_RESTRICTED, icc->offset,
                       "the ICC profile is of class 0x%08X, space 0x%08X, PCS 0x%08X, or has a lookup table",
                       (unsigned)class, (unsigned)space, (unsigned)pcs);
        return 0;
    }
    b->is_matrix_icc |= is_restricted;
    return is_grey ? 1 : is_matrix ? 3 : 0;
}

/* ---- Colour specification -------------------------------------------------------------------- */

static unsigned judge_enumerated(wvl_walk *w, const wvl_walk_boxes *b, const wvl_walk_span *k)
{
    if (k->end - k->at != 7) {
        wvl_check_fail(w, WVL_RULE_COLR_LENGTH, k->offset, "a colour specification box of %llu bytes with METH 1",
                       (unsigned long long)(k->end - k->at));
        return 0;
    }
    uint32_t space = wvl_check_at32(b, k->at + 3);
    if (space < 16 || space > 18) {
        wvl_check_fail(w, WVL_RULE_COLR_ENUMERATED, k->at + 3, "EnumCS is %u", (unsigned)space);
        return 0;
    }
    return space == 17 ? 1 : 3;
}

/* Colour channels that the box asks for; 0: not known. is_first: the one that a JP2 reader uses; it ignores others that
 * it does not know. */
static unsigned judge_colr(wvl_walk *w, wvl_walk_boxes *b, const wvl_walk_span *k, int is_first)
{
    if (k->end - k->at < 3) {
        wvl_check_fail(w, WVL_RULE_COLR_LENGTH, k->offset, "a colour specification box of %llu bytes",
                       (unsigned long long)(k->end - k->at));
        return 0;
    }
    unsigned method = b->data[k->at];
    wvl_walk_span icc = {k->at + 3, k->at + 3, k->end};
    if (b->data[k->at + 1]) {
        wvl_check_fail(w, WVL_RULE_COLR_PRECEDENCE, k->at + 1, "PREC is %u", b->data[k->at + 1]);
    }
    if (b->data[k->at + 2]) {
        wvl_check_fail(w, WVL_RULE_COLR_APPROXIMATION, k->at + 2, "APPROX is %u", b->data[k->at + 2]);
    }
    b->method = is_first ? method : b->method;
    b->enumerated = is_first && method == 1 && k->end - k->at == 7 ? wvl_check_at32(b, k->at + 3) : b->enumerated;
    if (method == 1) {
        return judge_enumerated(w, b, k);
    }
    if (method == 2 || (method == 3 && b->is_jph)) {
        return judge_icc(w, b, &icc, method == 2);
    }
    if (method == 5 && b->is_jph) {
        if (k->end - k->at != 10) {
            wvl_check_fail(w, WVL_RULE_COLR_LENGTH, k->offset, "a colour specification box of %llu bytes with METH 5",
                           (unsigned long long)(k->end - k->at));
        }
    } else if (is_first) {
        wvl_check_fail(w, WVL_RULE_COLR_METHOD, k->at, "METH is %u", method);
    }
    return 0;
}

/* ---- Channel definition ---------------------------------------------------------------------- */

static uint32_t channel_count(const wvl_walk_boxes *b)
{
    return b->cmap.at ? (uint32_t)((b->cmap.end - b->cmap.at) / 4) : b->components;
}

static int is_type(const wvl_walk_boxes *b, unsigned type)
{
    return type <= 2 || type == 65535 || (b->is_jph && type == 3);
}

static void judge_association(wvl_walk *w, const wvl_walk_boxes *b, uint64_t at, uint64_t end, uint32_t colors)
{
    unsigned type = wvl_check_at16(b, at + 2), color = wvl_check_at16(b, at + 4);
    int is_wrong = color != 65535 && color > (colors ? colors : channel_count(b));
    for (uint64_t other = at + 6; !is_wrong && color && color != 65535 && other < end; other += 6) {
        is_wrong = wvl_check_at16(b, other + 2) == type && wvl_check_at16(b, other + 4) == color;
    }
    if (is_wrong) {
        wvl_check_fail(w, WVL_RULE_CDEF_ASSOCIATION, at,
                       "channel %u has type %u and association %u, as another one or beyond the colours",
                       wvl_check_at16(b, at), type, color);
    }
}

/* Colour channels told; 0 after a complaint. At most 10922 entries are compared with each other. */
static uint32_t judge_cdef(wvl_walk *w, const wvl_walk_boxes *b, uint32_t colors)
{
    uint64_t bytes = b->cdef.end - b->cdef.at, at = b->cdef.at + 2;
    uint32_t count = bytes < 2 ? 0 : wvl_check_at16(b, b->cdef.at), told = 0;
    if (!count || bytes != 2 + 6 * (uint64_t)count) {
        wvl_check_fail(w, WVL_RULE_CDEF_LENGTH, b->cdef.offset,
                       "a channel definition box of %llu bytes for %u channels", (unsigned long long)bytes, count);
        return 0;
    }
    for (; at < b->cdef.end && wvl_check_charge(w, count); at += 6) {
        unsigned channel = wvl_check_at16(b, at), type = wvl_check_at16(b, at + 2);
        int is_wrong = channel >= channel_count(b);
        for (uint64_t other = b->cdef.at + 2; !is_wrong && other < at; other += 6) {
            is_wrong = wvl_check_at16(b, other) == channel;
        }
        if (is_wrong) {
            wvl_check_fail(w, WVL_RULE_CDEF_CHANNEL, at, "channel %u is defined twice, or is none of %u", channel,
                           channel_count(b));
            return 0;
        }
        if (type == 0 && !b->colrs.count) {
            wvl_check_fail(w, WVL_RULE_CDEF_COLORLESS, at + 2,
                           "channel %u has type 0, and there is no colour specification box", channel);
            return 0;
        }
        if (!is_type(b, type)) {
            wvl_check_fail(w, WVL_RULE_CDEF_TYPE, at + 2, "channel %u has type %u", channel, type);
            return 0;
        }
        judge_association(w, b, at, b->cdef.end, colors);
        told += type == 0 && wvl_check_at16(b, at + 4) != 65535;
    }
    return told;
}

void wvl_check_judge_colors(wvl_walk *w, wvl_walk_boxes *b)
{
    const wvl_walk_span *k = b->colrs.items;
    uint32_t wanted = 0, given = channel_count(b);
    if (!b->colrs.count && (!b->is_jph || !b->is_unknown_space)) {
        wvl_check_fail(w, WVL_RULE_COLR_MISSING, b->jp2h.offset, "there is no colour specification box");
    }
    for (size_t i = 0; i < b->colrs.count; i++) {
        unsigned channels = judge_colr(w, b, &k[i], i == 0);
        wanted = i == 0 ? channels : wanted;
    }
    if (b->cdef.at) {
        given = judge_cdef(w, b, wanted);
        if (!given) {
            return;
        }
    }
    if (wanted && b->components && given < wanted) {
        wvl_check_fail(w, WVL_RULE_COLR_CHANNELS, k[0].offset,
                       "the colour space has %u channels, the file %u for colour", wanted, given);
    }
}
