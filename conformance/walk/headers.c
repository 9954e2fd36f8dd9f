/* SPDX-License-Identifier: BSD-2-Clause */
/* The sequence of marker segments in main and tile-part headers (A.2, Table A.2). */
#include <string.h>

#include "tile.h"

typedef struct marker {
    uint16_t code;
    char name[4];
    uint8_t in_main, in_first, in_part; /* main header, first tile-part header of a tile, any tile-part header */
    uint8_t is_single;
    void (*read)(wvl_walk *w, wvl_walk_segment *s);
} marker;

static const marker markers[WVL_WALK_MARK_COUNT] = {
    [WVL_WALK_MARK_CAP] = {0xFF50, "CAP", 1, 0, 0, 1, wvl_check_read_cap},
    [WVL_WALK_MARK_SIZ] = {WVL_WALK_SIZ, "SIZ", 1, 0, 0, 1, NULL},
    [WVL_WALK_MARK_COD] = {WVL_WALK_COD, "COD", 1, 1, 0, 1, wvl_check_read_cod},
    [WVL_WALK_MARK_COC] = {0xFF53, "COC", 1, 1, 0, 0, wvl_check_read_coc},
    [WVL_WALK_MARK_TLM] = {0xFF55, "TLM", 1, 0, 0, 0, wvl_check_read_tlm},
    [WVL_WALK_MARK_PRF] = {0xFF56, "PRF", 1, 0, 0, 1, wvl_check_read_prf},
    [WVL_WALK_MARK_PLM] = {0xFF57, "PLM", 1, 0, 0, 0, wvl_check_read_plm},
    [WVL_WALK_MARK_PLT] = {0xFF58, "PLT", 0, 1, 1, 0, NULL},
    [WVL_WALK_MARK_CPF] = {0xFF59, "CPF", 1, 0, 0, 1, wvl_check_read_cpf},
    [WVL_WALK_MARK_QCD] = {WVL_WALK_QCD, "QCD", 1, 1, 0, 1, wvl_check_read_qcd},
    [WVL_WALK_MARK_QCC] = {0xFF5D, "QCC", 1, 1, 0, 0, wvl_check_read_qcc},
    [WVL_WALK_MARK_RGN] = {0xFF5E, "RGN", 1, 1, 0, 0, wvl_check_read_rgn},
    [WVL_WALK_MARK_POC] = {0xFF5F, "POC", 1, 1, 1, 1, wvl_check_read_poc},
    [WVL_WALK_MARK_PPM] = {0xFF60, "PPM", 1, 0, 0, 0, wvl_check_read_ppm},
    [WVL_WALK_MARK_PPT] = {0xFF61, "PPT", 0, 1, 1, 0, NULL},
    [WVL_WALK_MARK_CRG] = {0xFF63, "CRG", 1, 0, 0, 1, wvl_check_read_crg},
    [WVL_WALK_MARK_COM] = {0xFF64, "COM", 1, 1, 1, 0, wvl_check_read_com},
    [WVL_WALK_MARK_NLT] = {0xFF76, "NLT", 1, 1, 0, 0, wvl_check_read_nlt},
};

uint32_t wvl_check_take(wvl_walk_segment *s, unsigned bytes)
{
    uint32_t value = 0;
    if (s->left < bytes) {
        s->left = 0;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++) {
        value = value << 8 | s->p[i];
    }
    s->p += bytes;
    s->left -= bytes;
    return value;
}

unsigned wvl_check_index_bytes(const wvl_walk *w) { return w->component_count < 257 ? 1 : 2; }

uint16_t wvl_check_code_at(const wvl_walk *w, uint64_t offset)
{
    return (uint16_t)(w->data[offset] << 8 | w->data[offset + 1]);
}

uint32_t wvl_check_long_at(const wvl_walk *w, uint64_t offset)
{
    return (uint32_t)wvl_check_code_at(w, offset) << 16 | wvl_check_code_at(w, offset + 2);
}

static int find_marker(uint16_t code)
{
    for (int i = 0; i < WVL_WALK_MARK_COUNT; i++) {
        if (markers[i].code == code) {
            return i;
        }
    }
    return -1;
}

/* Markers that stand alone (A.1). */
static int is_bare(uint16_t code)
{
    return (code >= 0xFF30 && code <= 0xFF3F) || code == WVL_WALK_SOC || code == WVL_WALK_SOD || code == WVL_WALK_EOC ||
           code == WVL_WALK_EPH;
}

/* Reads the frame of the marker segment at offset; 0 after a complaint that ends the header. */
static int open_segment(wvl_walk *w, uint64_t offset, uint64_t end, wvl_walk_segment *s)
{
    memset(s, 0, sizeof *s);
    s->offset = offset;
    if (end - offset < 2) {
        return wvl_check_fail(w, WVL_RULE_SEGMENT_TRUNCATED, offset, "the header ends where a marker is expected");
    }
    s->marker = wvl_check_code_at(w, offset);
    if (s->marker < 0xFF01 || s->marker == 0xFFFF) {
        return wvl_check_fail(w, WVL_RULE_MARKER_EXPECTED, offset, "0x%04X where a marker is expected", s->marker);
    }
    if (is_bare(s->marker) || s->marker == WVL_WALK_SOT) {
        return 1;
    }
    s->length = end - offset < 4 ? 0 : wvl_check_code_at(w, offset + 2);
    if (s->length < 2 || s->length > end - offset - 2) {
        return wvl_check_fail(w, WVL_RULE_SEGMENT_TRUNCATED, offset,
                              "marker 0x%04X has a length of %llu, %llu bytes are left", s->marker,
                              (unsigned long long)s->length, (unsigned long long)(end - offset - 2));
    }
    s->p = w->data + offset + 4;
    s->left = (size_t)s->length - 2;
    return 1;
}

/* Says whether the marker may be in this header, with a complaint if not. */
static int is_placed(wvl_walk *w, const wvl_walk_segment *s, int id, uint32_t seen, int is_first)
{
    const marker *m = &markers[id];
    if (!s->part ? !m->in_main : !m->in_first) {
        return wvl_check_fail(w, WVL_RULE_MARKER_MISPLACED, s->offset, "%.3s in a %s header", m->name,
                              s->part ? "tile-part" : "main");
    }
    if (s->part && !is_first && !m->in_part) {
        return wvl_check_fail(w, WVL_RULE_MARKER_LATE, s->offset,
                              "%.3s in a tile-part header that is not the tile's first", m->name);
    }
    if (m->is_single && seen) {
        return wvl_check_fail(w, WVL_RULE_MARKER_DUPLICATE, s->offset, "a second %.3s in this header", m->name);
    }
    return 1;
}

static void note_stray(wvl_walk *w, const wvl_walk_segment *s)
{
    if (s->marker >= 0xFF30 && s->marker <= 0xFF3F) {
        wvl_check_fail(w, WVL_RULE_MARKER_RESERVED, s->offset, "marker 0x%04X in a %s header", s->marker,
                       s->part ? "tile-part" : "main");
        return;
    }
    int is_known = s->marker == WVL_WALK_SOC || s->marker == WVL_WALK_SOP || s->marker == WVL_WALK_EPH ||
                   s->marker == WVL_WALK_SOD;
    wvl_check_fail(w, is_known ? WVL_RULE_MARKER_MISPLACED : WVL_RULE_MARKER_UNKNOWN, s->offset,
                   "marker 0x%04X in a %s header", s->marker, s->part ? "tile-part" : "main");
}

/* ---- Main header ----------------------------------------------------------------------------- */

static int read_main_segment(wvl_walk *w, wvl_walk_segment *s)
{
    int id = find_marker(s->marker);
    if (id < 0) {
        note_stray(w, s);
        return 1;
    }
    if (!is_placed(w, s, id, w->main_count[id], 1)) {
        return 1;
    }
    if (!w->main_count[id]++) {
        w->first_of[id] = s->offset;
    }
    if (id == WVL_WALK_MARK_SIZ) {
        return wvl_check_read_siz(w, s);
    }
    s->scope = &w->main;
    markers[id].read(w, s);
    return !w->limit_hit;
}

static int read_main_segments(wvl_walk *w, uint64_t offset)
{
    wvl_walk_segment s;
    for (;;) {
        if (w->bytes - offset < 2) {
            wvl_check_fail(w, WVL_RULE_SOT_EXPECTED, offset, "the codestream ends in its main header");
            return 0;
        }
        uint16_t code = wvl_check_code_at(w, offset);
        if (code == WVL_WALK_SOT || code == WVL_WALK_EOC) {
            break;
        }
        if (!open_segment(w, offset, w->bytes, &s)) {
            return 0;
        }
        if (offset == 2 && s.marker != WVL_WALK_SIZ) {
            return wvl_check_fail(w, WVL_RULE_SIZ_MISSING, offset, "marker 0x%04X follows SOC instead of SIZ",
                                  s.marker);
        }
        if (!read_main_segment(w, &s)) {
            return 0;
        }
        offset += is_bare(s.marker) ? 2 : 2 + s.length;
    }
    w->main_header_end = offset;
    return 1;
}

static void check_capability(wvl_walk *w)
{
    if ((w->rsiz & 0x4000) && !w->has_cap) {
        wvl_check_fail(w, WVL_RULE_CAP_MISSING, 2, "Rsiz is 0x%04X, but there is no CAP", w->rsiz);
    } else if (w->has_cap && !(w->rsiz & 0x4000)) {
        wvl_check_fail(w, WVL_RULE_CAP_UNANNOUNCED, w->first_of[WVL_WALK_MARK_CAP],
                       "there is a CAP, but Rsiz is 0x%04X", w->rsiz);
    }
    if (w->main_count[WVL_WALK_MARK_CPF] && !(w->pcap & 0x20000)) {
        wvl_check_fail(w, WVL_RULE_CPF_UNANNOUNCED, w->first_of[WVL_WALK_MARK_CPF],
                       "CPF without a CAP that names Part 15");
    }
    if (w->main_count[WVL_WALK_MARK_RGN] && w->has_ht && !(w->ccap15 & 0x1000)) {
        wvl_check_fail(w, WVL_RULE_CAP_RGN, w->first_of[WVL_WALK_MARK_RGN], "RGN, but Ccap15 is 0x%04X", w->ccap15);
    }
    int is_extended = w->rsiz >> 15, names_nlt = (w->rsiz & 0x8200) == 0x8200;
    if (!names_nlt != !w->main_count[WVL_WALK_MARK_NLT]) {
        wvl_check_fail(w, WVL_RULE_NLT_UNANNOUNCED, names_nlt ? 2 : w->first_of[WVL_WALK_MARK_NLT],
                       "Rsiz is 0x%04X, and there is %s NLT", w->rsiz, names_nlt ? "no" : "an");
    }
    int is_numbered = !is_extended && (w->rsiz & 0xFFF) == 0xFFF;
    if (is_numbered != w->has_prf) {
        wvl_check_fail(w, WVL_RULE_PRF_UNANNOUNCED, w->has_prf ? w->first_of[WVL_WALK_MARK_PRF] : 2,
                       "Rsiz is 0x%04X, and there is %s PRF", w->rsiz, w->has_prf ? "a" : "no");
    }
}

int wvl_check_read_main_header(wvl_walk *w)
{
    if (w->bytes < 2 || wvl_check_code_at(w, 0) != WVL_WALK_SOC) {
        return wvl_check_fail(w, WVL_RULE_SOC_MISSING, 0, "the codestream does not begin with SOC");
    }
    if (!read_main_segments(w, 2)) {
        return 0;
    }
    if (!w->main_count[WVL_WALK_MARK_SIZ]) {
        return wvl_check_fail(w, WVL_RULE_SIZ_MISSING, 2, "there is no SIZ");
    }
    check_capability(w);
    if (!w->main_count[WVL_WALK_MARK_COD]) {
        wvl_check_fail(w, WVL_RULE_COD_MISSING, w->main_header_end, "the main header has no COD");
    }
    if (!w->main_count[WVL_WALK_MARK_QCD]) {
        wvl_check_fail(w, WVL_RULE_QCD_MISSING, w->main_header_end, "the main header has no QCD");
    }
    if (!w->main.has_cod || !w->main.has_qcd) {
        return 0; /* COD or QCD is not there or not to be understood */
    }
    wvl_check_scope_fits(w, w->main_header_end);
    return 1;
}

/* ---- Tile-part headers ----------------------------------------------------------------------- */

uint64_t wvl_check_find_body(wvl_walk *w, uint64_t offset, uint64_t end)
{
    wvl_walk_segment s;
    for (;;) {
        if (end - offset < 2 || wvl_check_code_at(w, offset) == WVL_WALK_SOT ||
            wvl_check_code_at(w, offset) == WVL_WALK_EOC) {
            return (uint64_t)wvl_check_fail(w, WVL_RULE_SOD_MISSING, offset, "the tile-part header has no SOD");
        }
        if (!open_segment(w, offset, end, &s)) {
            return 0;
        }
        offset += is_bare(s.marker) ? 2 : 2 + s.length;
        if (s.marker == WVL_WALK_SOD) {
            return offset;
        }
    }
}

static void read_part_segment(wvl_walk *w, wvl_walk_segment *s, wvl_walk_tile_walk *t,
                              uint32_t seen[WVL_WALK_MARK_COUNT])
{
    int id = find_marker(s->marker);
    if (id < 0) {
        note_stray(w, s);
        return;
    }
    if (!is_placed(w, s, id, seen[id], t->part->index == 0)) {
        return;
    }
    seen[id]++;
    w->tile_count[id]++;
    if (id == WVL_WALK_MARK_PLT || id == WVL_WALK_MARK_PPT) {
        wvl_check_add_series(w, id == WVL_WALK_MARK_PLT ? &t->plt : &t->ppt_items, s);
        return;
    }
    s->scope = &w->tile_scope;
    markers[id].read(w, s);
}

void wvl_check_read_part_header(wvl_walk *w, wvl_walk_part *part, wvl_walk_tile_walk *t)
{
    uint32_t seen[WVL_WALK_MARK_COUNT] = {0};
    wvl_walk_segment s;
    uint32_t number = (uint32_t)(part - (wvl_walk_part *)w->parts.items) + 1;
    for (uint64_t offset = part->offset + 12; offset + 2 < part->body && !w->limit_hit;) {
        if (!open_segment(w, offset, part->body, &s)) {
            return;
        }
        s.part = number;
        read_part_segment(w, &s, t, seen);
        offset += is_bare(s.marker) ? 2 : 2 + s.length;
    }
}
