/* SPDX-License-Identifier: BSD-2-Clause */
/* Boxes of the JP2 header box against the codestream's SIZ (I.5.3). */
#include "boxes.h"

static uint64_t size_of(const wvl_walk_span *span) { return span->end - span->at; }

static int bpc_of(const wvl_walk_component *k) { return k->is_signed << 7 | (k->depth - 1); }

/* BPC that SIZ asks for: 255 when components differ. */
static int common_bpc(const wvl_walk *w)
{
    int bpc = bpc_of(&w->components[0]);
    for (uint32_t c = 1; c < w->component_count; c++) {
        if (bpc_of(&w->components[c]) != bpc) {
            return 255;
        }
    }
    return bpc;
}

static void compare_with_siz(wvl_walk *w, const wvl_walk_boxes *b)
{
    uint32_t width = w->x1 - w->x0, height = w->y1 - w->y0;
    if (b->width != width || b->height != height) {
        wvl_check_fail(w, WVL_RULE_IHDR_SIZE, b->ihdr.offset, "the image header box says %u x %u, SIZ %u x %u",
                       b->width, b->height, width, height);
    }
    if (b->components != w->component_count) {
        wvl_check_fail(w, WVL_RULE_IHDR_COMPONENTS, b->ihdr.offset, "the image header box says %u components, SIZ %u",
                       b->components, w->component_count);
    }
    if ((int)b->bpc != common_bpc(w) && b->bpc != 255) {
        wvl_check_fail(w, WVL_RULE_IHDR_DEPTH, b->ihdr.offset, "BPC is %u, SIZ asks for %d", b->bpc, common_bpc(w));
    }
}

static void judge_ihdr(wvl_walk *w, wvl_walk_boxes *b)
{
    uint64_t at = b->ihdr.at;
    if (!at) {
        return;
    }
    if (size_of(&b->ihdr) != 14) {
        wvl_check_fail(w, WVL_RULE_IHDR_LENGTH, b->ihdr.offset, "the image header box has %llu bytes of content",
                       (unsigned long long)size_of(&b->ihdr));
        return;
    }
    b->height = wvl_check_at32(b, at);
    b->width = wvl_check_at32(b, at + 4);
    b->components = wvl_check_at16(b, at + 8);
    b->bpc = b->data[at + 10];
    b->is_unknown_space = b->data[at + 12] == 1;
    if (w->components) {
        compare_with_siz(w, b);
    }
    if (b->data[at + 11] != 7) {
        wvl_check_fail(w, WVL_RULE_IHDR_COMPRESSION, at + 11, "C is %u", b->data[at + 11]);
    }
    if (b->data[at + 12] > 1) {
        wvl_check_fail(w, WVL_RULE_IHDR_UNKNOWN, at + 12, "UnkC is %u", b->data[at + 12]);
    }
    if (b->data[at + 13] > 1 || b->data[at + 13] != (b->jp2i.at != 0)) {
        wvl_check_fail(w, WVL_RULE_IHDR_IPR, at + 13, "IPR is %u, and there is %s intellectual property box",
                       b->data[at + 13], b->jp2i.at ? "an" : "no");
    }
}

static void judge_bpcc(wvl_walk *w, const wvl_walk_boxes *b)
{
    int is_needed = size_of(&b->ihdr) == 14 && b->bpc == 255;
    if (!b->bpcc.at) {
        if (is_needed) {
            wvl_check_fail(w, WVL_RULE_BPCC_MISSING, b->jp2h.offset,
                           "BPC is 255, and there is no bits per component box");
        }
        return;
    }
    if (!is_needed) {
        wvl_check_fail(w, WVL_RULE_BPCC_UNNEEDED, b->bpcc.offset, "a bits per component box, but BPC is %u", b->bpc);
    }
    if (size_of(&b->bpcc) != b->components) {
        wvl_check_fail(w, WVL_RULE_BPCC_LENGTH, b->bpcc.offset,
                       "a bits per component box of %llu bytes for %u components",
                       (unsigned long long)size_of(&b->bpcc), b->components);
        return;
    }
    for (uint32_t c = 0; c < w->component_count && c < b->components; c++) {
        if (b->data[b->bpcc.at + c] != bpc_of(&w->components[c])) {
            wvl_check_fail(w, WVL_RULE_BPCC_DEPTH, b->bpcc.at + c, "component %u: BPC is %u, Ssiz %d", c,
                           b->data[b->bpcc.at + c], bpc_of(&w->components[c]));
            return;
        }
    }
}

/* ---- Palette --------------------------------------------------------------------------------- */

static void judge_pclr(wvl_walk *w, wvl_walk_boxes *b)
{
    uint64_t at = b->pclr.at, row = 0, bytes = size_of(&b->pclr);
    if (!at) {
        return;
    }
    b->palette_entries = bytes < 3 ? 0 : wvl_check_at16(b, at);
    b->palette_columns = bytes < 3 ? 0 : b->data[at + 2];
    if (bytes < 3 + (uint64_t)b->palette_columns) {
        wvl_check_fail(w, WVL_RULE_PCLR_LENGTH, b->pclr.offset, "the palette box has %llu bytes of content",
                       (unsigned long long)bytes);
        return;
    }
    int is_good = b->palette_entries >= 1 && b->palette_entries <= 1024 && b->palette_columns;
    for (uint32_t i = 0; i < b->palette_columns; i++) {
        unsigned depth = (b->data[at + 3 + i] & 0x7Fu) + 1;
        row += (depth + 7) / 8;
        is_good &= depth <= 38;
    }
    if (!is_good) {
        wvl_check_fail(w, WVL_RULE_PCLR_RANGE, b->pclr.offset,
                       "a palette of %u entries and %u columns, or a column of more than 38 bits", b->palette_entries,
                       b->palette_columns);
    } else if (bytes != 3 + b->palette_columns + row * b->palette_entries) {
        wvl_check_fail(w, WVL_RULE_PCLR_LENGTH, b->pclr.offset,
                       "the palette box has %llu bytes of content, %llu are expected", (unsigned long long)bytes,
                       (unsigned long long)(3 + b->palette_columns + row * b->palette_entries));
    }
}

static void judge_cmap(wvl_walk *w, const wvl_walk_boxes *b)
{
    if ((b->pclr.at != 0) != (b->cmap.at != 0)) {
        wvl_check_fail(w, WVL_RULE_PCLR_CMAP, b->jp2h.offset,
                       b->pclr.at ? "a palette without component mapping" : "component mapping without a palette");
        return;
    }
    if (!b->cmap.at) {
        return;
    }
    if (!size_of(&b->cmap) || size_of(&b->cmap) % 4) {
        wvl_check_fail(w, WVL_RULE_CMAP_LENGTH, b->cmap.offset, "the component mapping box has %llu bytes of content",
                       (unsigned long long)size_of(&b->cmap));
        return;
    }
    for (uint64_t at = b->cmap.at; at < b->cmap.end; at += 4) {
        unsigned component = wvl_check_at16(b, at), type = b->data[at + 2], column = b->data[at + 3];
        if (component >= b->components || type > 1 || (type == 0 && column) ||
            (type == 1 && column >= b->palette_columns)) {
            wvl_check_fail(w, WVL_RULE_CMAP_RANGE, at,
                           "component %u, type %u, column %u with %u components and %u columns", component, type,
                           column, b->components, b->palette_columns);
            return;
        }
    }
}

/* ---- Resolution ------------------------------------------------------------------------------ */

static void judge_resolution(wvl_walk *w, const wvl_walk_boxes *b, const wvl_walk_span *span)
{
    if (!span->at) {
        return;
    }
    if (size_of(span) != 10) {
        wvl_check_fail(w, WVL_RULE_RES_LENGTH, span->offset, "a resolution of %llu bytes",
                       (unsigned long long)size_of(span));
        return;
    }
    for (unsigned i = 0; i < 8; i += 2) {
        if (!wvl_check_at16(b, span->at + i)) {
            wvl_check_fail(w, WVL_RULE_RES_ZERO, span->at + i, "a resolution with a numerator or denominator of 0");
            return;
        }
    }
}

static void judge_capability(wvl_walk *w, const wvl_walk_boxes *b)
{
    if (!w->components) {
        return;
    }
    if (b->is_jph && !w->has_ht) {
        wvl_check_fail(w, WVL_RULE_JPH_CAPABILITY, b->jp2c.offset,
                       "the codestream of a JPH file does not name Part 15");
    } else if (!b->is_jph && w->has_cap) {
        wvl_check_fail(w, WVL_RULE_JP2_CAPABILITY, b->jp2c.offset,
                       "the codestream of a JP2 file has a CAP with Pcap 0x%08X", (unsigned)w->pcap);
    }
}

void wvl_check_judge_header(wvl_walk *w, wvl_walk_boxes *b)
{
    judge_ihdr(w, b);
    judge_bpcc(w, b);
    judge_pclr(w, b);
    judge_cmap(w, b);
    wvl_check_judge_colors(w, b);
    judge_resolution(w, b, &b->resc);
    judge_resolution(w, b, &b->resd);
    judge_capability(w, b);
}
