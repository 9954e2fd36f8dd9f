/* SPDX-License-Identifier: BSD-2-Clause */
/* COD, COC, QCD, QCC, RGN, POC (A.6). */
#include <string.h>

#include "walk.h"

/* ---- Coding style ---------------------------------------------------------------------------- */

static int check_coding(wvl_walk *w, const wvl_walk_segment *s, const wvl_walk_coding *k)
{
    int good = 1;
    if (k->xcb > 10 || k->ycb > 10 || k->xcb + k->ycb > 12) {
        good = wvl_check_fail(w, WVL_RULE_CODING_BLOCK, s->offset, "code blocks of 2^%u x 2^%u", k->xcb, k->ycb);
    }
    if (k->transform > 1) {
        good = wvl_check_fail(w, WVL_RULE_CODING_TRANSFORM, s->offset, "the wavelet is %u", k->transform);
    }
    if (k->style >> 6 == 2) {
        good = wvl_check_fail(w, WVL_RULE_CODING_STYLE, s->offset, "the code-block style is 0x%02X", k->style);
    }
    for (unsigned r = 1; k->has_precincts && r <= k->levels; r++) {
        if (!(k->precincts[r] & 15) || !(k->precincts[r] >> 4)) {
            return wvl_check_fail(w, WVL_RULE_CODING_PRECINCT, s->offset, "precincts of 2^%u x 2^%u at resolution %u",
                                  k->precincts[r] & 15, k->precincts[r] >> 4, r);
        }
    }
    return good;
}

/* SPcod or SPcoc. 0 when the rest of the codestream cannot be read with it. */
static int read_coding(wvl_walk *w, wvl_walk_segment *s, int has_precincts, wvl_check_rule_id length_rule,
                       wvl_walk_coding *k)
{
    memset(k, 0, sizeof *k); /* with its padding: it is compared as bytes */
    memset(k->precincts, 0xFF, sizeof k->precincts);
    k->offset = s->offset;
    uint64_t fixed = s->length - s->left + 5; /* up to the wavelet */
    if (s->left < 5) {
        return wvl_check_fail(w, length_rule, s->offset, "the segment has a length of %llu",
                              (unsigned long long)s->length);
    }
    unsigned levels = wvl_check_take(s, 1);
    k->levels = (uint8_t)levels;
    k->xcb = (uint8_t)(wvl_check_take(s, 1) + 2);
    k->ycb = (uint8_t)(wvl_check_take(s, 1) + 2);
    k->style = (uint8_t)wvl_check_take(s, 1);
    k->transform = (uint8_t)wvl_check_take(s, 1);
    k->has_precincts = (uint8_t)has_precincts;
    if (levels > 32) {
        return wvl_check_fail(w, WVL_RULE_CODING_LEVELS, s->offset, "%u decomposition levels", levels);
    }
    if (s->length != fixed + (has_precincts ? levels + 1 : 0)) {
        return wvl_check_fail(w, length_rule, s->offset,
                              "the segment has a length of %llu with %u levels and %s precinct sizes",
                              (unsigned long long)s->length, levels, has_precincts ? "with" : "without");
    }
    for (unsigned r = 0; has_precincts && r <= levels; r++) {
        k->precincts[r] = (uint8_t)wvl_check_take(s, 1);
    }
    if (!check_coding(w, s, k)) {
        return 0;
    }
    k->offset = 0;
    wvl_check_note(w, &w->all_codings, k, sizeof *k);
    k->offset = s->offset;
    return 1;
}

void wvl_check_read_cod(wvl_walk *w, wvl_walk_segment *s)
{
    wvl_walk_style style;
    wvl_walk_coding coding;
    int good = 1;
    memset(&style, 0, sizeof style);
    if (s->length < 12) {
        wvl_check_fail(w, WVL_RULE_COD_LENGTH, s->offset, "Lcod is %llu", (unsigned long long)s->length);
        return;
    }
    style.scod = (uint8_t)wvl_check_take(s, 1);
    style.progression = (uint8_t)wvl_check_take(s, 1);
    style.layers = (uint16_t)wvl_check_take(s, 2);
    style.mct = (uint8_t)wvl_check_take(s, 1);
    if (style.scod & 0xF8) {
        wvl_check_fail(w, WVL_RULE_COD_SCOD, s->offset, "Scod is 0x%02X", style.scod);
    }
    if (style.progression > 4) {
        good = wvl_check_fail(w, WVL_RULE_COD_PROGRESSION, s->offset, "the progression order is %u", style.progression);
    }
    if (!style.layers) {
        good = wvl_check_fail(w, WVL_RULE_COD_LAYERS, s->offset, "there are no layers");
    }
    if (style.mct > 1) {
        wvl_check_fail(w, WVL_RULE_COD_MCT, s->offset, "the multiple component transform is %u", style.mct);
    }
    if (read_coding(w, s, style.scod & 1, WVL_RULE_COD_LENGTH, &coding) && good) {
        s->scope->style = style;
        wvl_check_note(w, &w->all_styles, &style, sizeof style);
        s->scope->cod = coding;
        s->scope->has_cod = 1;
    }
}

/* The component that a marker segment begins with; UINT32_MAX after a complaint. */
static uint32_t take_component(wvl_walk *w, wvl_walk_segment *s, const char *name, wvl_check_rule_id range,
                               wvl_check_rule_id duplicate, const uint16_t *map)
{
    uint32_t c = wvl_check_take(s, wvl_check_index_bytes(w));
    if (c >= w->component_count) {
        wvl_check_fail(w, range, s->offset, "%s of component %u, there are %u", name, c, w->component_count);
        return UINT32_MAX;
    }
    if (map && map[c]) {
        wvl_check_fail(w, duplicate, s->offset, "a second %s of component %u in this header", name, c);
        return UINT32_MAX;
    }
    return c;
}

void wvl_check_read_coc(wvl_walk *w, wvl_walk_segment *s)
{
    wvl_walk_scope *scope = s->scope;
    wvl_walk_coding coding;
    if (s->left < wvl_check_index_bytes(w) + 6) {
        wvl_check_fail(w, WVL_RULE_COC_LENGTH, s->offset, "Lcoc is %llu", (unsigned long long)s->length);
        return;
    }
    uint32_t c = take_component(w, s, "COC", WVL_RULE_COC_COMPONENT, WVL_RULE_COC_DUPLICATE, scope->coc_of);
    unsigned scoc = wvl_check_take(s, 1);
    if (scoc & 0xFE) {
        wvl_check_fail(w, WVL_RULE_COC_SCOC, s->offset, "Scoc is 0x%02X", scoc);
    }
    if (!read_coding(w, s, scoc & 1, WVL_RULE_COC_LENGTH, &coding) || c == UINT32_MAX) {
        return;
    }
    if (wvl_check_push(w, &scope->cocs, &coding, sizeof coding)) {
        (void)wvl_check_assign(w, &scope->coc_of, &scope->coc_components, c, scope->cocs.count);
    }
}

/* ---- Quantization ---------------------------------------------------------------------------- */

static int read_quant(wvl_walk *w, wvl_walk_segment *s, wvl_check_rule_id length_rule, wvl_walk_quant *q)
{
    memset(q, 0, sizeof *q);
    q->offset = s->offset;
    unsigned sq = wvl_check_take(s, 1);
    q->style = sq & 31;
    q->guard_bits = (uint8_t)(sq >> 5);
    if (q->style > 2) {
        return wvl_check_fail(w, WVL_RULE_QUANT_STYLE, s->offset, "the quantization style is %u", q->style);
    }
    unsigned width = q->style ? 2 : 1;
    size_t count = s->left / width;
    if (s->left % width || !count || count > WVL_WALK_MAX_BANDS || (q->style == 1 && count != 1)) {
        return wvl_check_fail(w, length_rule, s->offset, "the segment has a length of %llu with quantization style %u",
                              (unsigned long long)s->length, q->style);
    }
    q->count = (uint16_t)count;
    w->guard_bits_seen |= 1u << q->guard_bits;
    w->step_styles_seen |= 1u << q->style;
    for (size_t i = 0; i < count; i++) {
        q->steps[i] = (uint16_t)wvl_check_take(s, width);
    }
    return 1;
}

void wvl_check_read_qcd(wvl_walk *w, wvl_walk_segment *s)
{
    wvl_walk_quant quant;
    if (s->length < 4) {
        wvl_check_fail(w, WVL_RULE_QCD_LENGTH, s->offset, "Lqcd is %llu", (unsigned long long)s->length);
    } else if (read_quant(w, s, WVL_RULE_QCD_LENGTH, &quant)) {
        s->scope->qcd = quant;
        s->scope->has_qcd = 1;
    }
}

void wvl_check_read_qcc(wvl_walk *w, wvl_walk_segment *s)
{
    wvl_walk_scope *scope = s->scope;
    wvl_walk_quant quant;
    if (s->left < wvl_check_index_bytes(w) + 2) {
        wvl_check_fail(w, WVL_RULE_QCC_LENGTH, s->offset, "Lqcc is %llu", (unsigned long long)s->length);
        return;
    }
    uint32_t c = take_component(w, s, "QCC", WVL_RULE_QCC_COMPONENT, WVL_RULE_QCC_DUPLICATE, scope->qcc_of);
    if (!read_quant(w, s, WVL_RULE_QCC_LENGTH, &quant) || c == UINT32_MAX) {
        return;
    }
    if (wvl_check_push(w, &scope->qccs, &quant, sizeof quant)) {
        (void)wvl_check_assign(w, &scope->qcc_of, &scope->qcc_components, c, scope->qccs.count);
    }
}

/* ---- Region of interest ---------------------------------------------------------------------- */

void wvl_check_read_rgn(wvl_walk *w, wvl_walk_segment *s)
{
    wvl_walk_scope *scope = s->scope;
    if (s->left != wvl_check_index_bytes(w) + 2) {
        wvl_check_fail(w, WVL_RULE_RGN_LENGTH, s->offset, "Lrgn is %llu", (unsigned long long)s->length);
        return;
    }
    uint32_t c = take_component(w, s, "RGN", WVL_RULE_RGN_COMPONENT, WVL_RULE_RGN_DUPLICATE, scope->shift_of);
    unsigned style = wvl_check_take(s, 1);
    uint8_t shift = (uint8_t)wvl_check_take(s, 1);
    w->greatest_shift = shift > w->greatest_shift ? shift : w->greatest_shift;
    if (style) {
        wvl_check_fail(w, WVL_RULE_RGN_STYLE, s->offset, "Srgn is %u", style);
    }
    if (s->part && w->has_ht && !(w->ccap15 & 0x1000)) {
        wvl_check_fail(w, WVL_RULE_CAP_RGN, s->offset, "RGN, but Ccap15 is 0x%04X", w->ccap15);
    }
    if (c != UINT32_MAX && wvl_check_push(w, &scope->shifts, &shift, sizeof shift)) {
        (void)wvl_check_assign(w, &scope->shift_of, &scope->shift_components, c, scope->shifts.count);
    }
}

/* ---- Progression order changes --------------------------------------------------------------- */

static void read_volume(wvl_walk *w, wvl_walk_segment *s, wvl_walk_scope *scope)
{
    unsigned width = wvl_check_index_bytes(w);
    wvl_walk_volume v = {.offset = s->offset};
    v.r0 = wvl_check_take(s, 1);
    v.c0 = wvl_check_take(s, width);
    v.layers = wvl_check_take(s, 2);
    v.r1 = wvl_check_take(s, 1);
    v.c1 = wvl_check_take(s, width);
    v.progression = (uint8_t)wvl_check_take(s, 1);
    if (!v.c1) { /* Table A.32: 0 stands for the greatest number */
        v.c1 = width == 1 ? 256 : 16384;
    }
    if (v.r0 >= v.r1 || v.r1 > 33 || v.c0 >= v.c1 || v.c0 >= w->component_count || v.c1 > 16384 || !v.layers) {
        wvl_check_fail(w, WVL_RULE_POC_RANGE, s->offset, "resolutions [%u, %u), components [%u, %u), layers [0, %u)",
                       v.r0, v.r1, v.c0, v.c1, v.layers);
        return;
    }
    if (v.progression > 4) {
        wvl_check_fail(w, WVL_RULE_POC_PROGRESSION, s->offset, "the progression order is %u", v.progression);
        return;
    }
    v.c1 = v.c1 < w->component_count ? v.c1 : w->component_count;
    (void)wvl_check_push(w, &scope->volumes, &v, sizeof v);
}

void wvl_check_read_poc(wvl_walk *w, wvl_walk_segment *s)
{
    size_t size = 5 + 2 * wvl_check_index_bytes(w);
    if (!s->left || s->left % size) {
        wvl_check_fail(w, WVL_RULE_POC_LENGTH, s->offset, "Lpoc is %llu, entries have %zu bytes",
                       (unsigned long long)s->length, size);
        return;
    }
    s->scope->has_poc = 1;
    while (s->left && !w->limit_hit) {
        read_volume(w, s, s->scope);
    }
}
