/* SPDX-License-Identifier: BSD-2-Clause */
/* Tile COC over tile COD over main COC over main COD, and the same for quantization and region of interest (A.6). */
#include <string.h>

#include "walk.h"

int wvl_check_assign(wvl_walk *w, uint16_t **map, wvl_walk_list *components, uint32_t component, size_t count)
{
    uint16_t c = (uint16_t)component;
    if (!*map) {
        *map = wvl_check_allocate(w, w->component_count, sizeof **map);
    }
    if (!*map || !wvl_check_push(w, components, &c, sizeof c)) {
        return 0;
    }
    (*map)[component] = (uint16_t)count; /* at most one for each of 16384 components */
    return 1;
}

void wvl_check_note(wvl_walk *w, wvl_walk_list *list, const void *item, size_t item_bytes)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!memcmp((const uint8_t *)list->items + i * item_bytes, item, item_bytes)) {
            return;
        }
    }
    if (list->count < 64) {
        (void)wvl_check_push(w, list, item, item_bytes);
    }
}

static void clear_map(uint16_t *map, wvl_walk_list *components, wvl_walk_list *values)
{
    const uint16_t *c = components->items;
    for (size_t i = 0; i < components->count; i++) {
        map[c[i]] = 0;
    }
    components->count = values->count = 0;
}

void wvl_check_clear_scope(wvl_walk *w, wvl_walk_scope *scope)
{
    (void)w;
    scope->has_cod = scope->has_qcd = scope->has_poc = 0;
    scope->volumes.count = 0;
    clear_map(scope->coc_of, &scope->coc_components, &scope->cocs);
    clear_map(scope->qcc_of, &scope->qcc_components, &scope->qccs);
    clear_map(scope->shift_of, &scope->shift_components, &scope->shifts);
}

void wvl_check_release_scope(wvl_walk *w, wvl_walk_scope *scope)
{
    wvl_walk_list *const lists[] = {&scope->cocs,           &scope->qccs,           &scope->shifts,
                                    &scope->coc_components, &scope->qcc_components, &scope->shift_components,
                                    &scope->volumes};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        wvl_check_release_list(w, lists[i]);
    }
    wvl_check_release(w, scope->coc_of, w->component_count, sizeof *scope->coc_of);
    wvl_check_release(w, scope->qcc_of, w->component_count, sizeof *scope->qcc_of);
    wvl_check_release(w, scope->shift_of, w->component_count, sizeof *scope->shift_of);
    memset(scope, 0, sizeof *scope);
}

static const wvl_walk_coding *find_coding(const wvl_walk_scope *scope, uint32_t c)
{
    if (scope->coc_of && scope->coc_of[c]) {
        return (const wvl_walk_coding *)scope->cocs.items + scope->coc_of[c] - 1;
    }
    return scope->has_cod ? &scope->cod : NULL;
}

static const wvl_walk_quant *find_quant(const wvl_walk_scope *scope, uint32_t c)
{
    if (scope->qcc_of && scope->qcc_of[c]) {
        return (const wvl_walk_quant *)scope->qccs.items + scope->qcc_of[c] - 1;
    }
    return scope->has_qcd ? &scope->qcd : NULL;
}

const wvl_walk_coding *wvl_check_coding_of(const wvl_walk *w, uint32_t component)
{
    const wvl_walk_coding *found = w->in_tile ? find_coding(&w->tile_scope, component) : NULL;
    return found ? found : find_coding(&w->main, component);
}

const wvl_walk_quant *wvl_check_quant_of(const wvl_walk *w, uint32_t component)
{
    const wvl_walk_quant *found = w->in_tile ? find_quant(&w->tile_scope, component) : NULL;
    return found ? found : find_quant(&w->main, component);
}

unsigned wvl_check_shift_of(const wvl_walk *w, uint32_t component)
{
    const wvl_walk_scope *scopes[2] = {w->in_tile ? &w->tile_scope : &w->main, &w->main};
    for (unsigned i = 0; i < 2; i++) {
        if (scopes[i]->shift_of && scopes[i]->shift_of[component]) {
            return ((const uint8_t *)scopes[i]->shifts.items)[scopes[i]->shift_of[component] - 1];
        }
    }
    return 0;
}

const wvl_walk_style *wvl_check_style_of(const wvl_walk *w)
{
    return w->in_tile && w->tile_scope.has_cod ? &w->tile_scope.style : &w->main.style;
}

int wvl_check_magnitude_bits(const wvl_walk *w, uint32_t component, unsigned resolution, unsigned band)
{
    const wvl_walk_quant *q = wvl_check_quant_of(w, component);
    unsigned index = resolution ? 3 * (resolution - 1) + 1 + band : 0;
    int eps = 31;        /* a step that is not there was reported; blocks are not judged by it */
    if (q->style == 1) { /* E-5: eps_0 - N_L + n_b */
        eps = (q->steps[0] >> 11) - (int)(resolution ? resolution - 1 : 0);
    } else if (index < q->count) {
        eps = q->style == 0 ? q->steps[index] >> 3 : q->steps[index] >> 11;
    }
    return q->guard_bits + eps - 1 + (int)wvl_check_shift_of(w, component);
}

/* ---- Do they fit together? ------------------------------------------------------------------- */

static int quant_fits(wvl_walk *w, uint32_t c)
{
    const wvl_walk_coding *k = wvl_check_coding_of(w, c);
    const wvl_walk_quant *q = wvl_check_quant_of(w, c);
    unsigned bands = 3u * k->levels + 1;
    if (k->transform ? q->style != 0 : q->style == 0) {
        return wvl_check_fail(w, WVL_RULE_QUANT_WAVELET, q->offset,
                              "component %u: the %s wavelet with quantization style %u", c,
                              k->transform ? "5/3" : "9/7", q->style);
    }
    if (q->style != 1 && q->count < bands) {
        return wvl_check_fail(w, WVL_RULE_QUANT_STEPS, q->offset, "component %u: %u steps for %u bands", c, q->count,
                              bands);
    }
    if (q->style == 1 && k->levels > 1 && (q->steps[0] >> 11) < k->levels - 1) {
        return wvl_check_fail(w, WVL_RULE_QUANT_EXPONENT, q->offset, "component %u: an exponent of %u with %u levels",
                              c, q->steps[0] >> 11, k->levels);
    }
    return 1;
}

/* Checks what the code-block style needs of CAP, which may come after COD. */
static int style_fits(wvl_walk *w, uint32_t c)
{
    const wvl_walk_coding *k = wvl_check_coding_of(w, c);
    unsigned ht = k->style >> 6, kind = w->ccap15 >> 14;
    if (ht && !w->has_ht) {
        return wvl_check_fail(w, WVL_RULE_CODING_HT, k->offset,
                              "the code-block style 0x%02X without a CAP that names Part 15", k->style);
    }
    if (ht == 1 && (k->style & 0x37)) {
        return wvl_check_fail(w, WVL_RULE_CODING_HT_STYLE, k->offset, "the code-block style is 0x%02X", k->style);
    }
    if (w->has_ht && ((kind == 0 && ht != 1) || (kind == 2 && ht == 3))) {
        return wvl_check_fail(w, WVL_RULE_CAP_BLOCKS, k->offset, "the code-block style is 0x%02X, but Ccap15 is 0x%04X",
                              k->style, w->ccap15);
    }
    if (ht && !(w->ccap15 & 0x20) && !k->transform) {
        return wvl_check_fail(w, WVL_RULE_CAP_REVERSIBLE, k->offset,
                              "HT blocks with the 9/7 wavelet, but Ccap15 is 0x%04X", w->ccap15);
    }
    return 1;
}

unsigned wvl_check_told_bound(const wvl_walk *w)
{
    unsigned p = w->ccap15 & 0x1F;
    return p < 20 ? p + 8 : p < 31 ? 4 * (p - 19) + 27 : 74;
}

/* Checks what a band's exponent allows, on the scale of B: Mb with 5/3, one more less the band's level with 9/7.
 * Whether samples need it only a decoder finds. */
static int is_told(wvl_walk *w, uint32_t c)
{
    const wvl_walk_coding *k = wvl_check_coding_of(w, c);
    if (!(k->style & 0x40) || !w->has_ht || wvl_check_shift_of(w, c)) {
        return 1;
    }
    for (unsigned i = 0; i < 3u * k->levels + 1u; i++) {
        unsigned r = i ? (i - 1) / 3 + 1 : 0, level = r ? k->levels - r + 1u : k->levels;
        int bits = wvl_check_magnitude_bits(w, c, r, i ? (i - 1) % 3 : 0) + (k->transform ? 0 : 1 - (int)level);
        if (bits > (int)wvl_check_told_bound(w)) {
            return wvl_check_fail(w, WVL_RULE_CAP_MAGNITUDE, wvl_check_quant_of(w, c)->offset,
                                  "component %u: %d bits, but Ccap15 is 0x%04X, %u bits", c, bits, w->ccap15,
                                  wvl_check_told_bound(w));
        }
    }
    return 1;
}

/* Steps beyond those that the deepest component served has. */
static void check_surplus(wvl_walk *w)
{
    const wvl_walk_quant *q = w->in_tile ? &w->tile_scope.qcd : &w->main.qcd;
    unsigned most = 0;
    if (q->style == 1 || !(w->in_tile ? w->tile_scope.has_qcd : w->main.has_qcd)) {
        return;
    }
    for (uint32_t c = 0; c < w->component_count; c++) {
        unsigned bands = 3u * wvl_check_coding_of(w, c)->levels + 1;
        most = bands > most ? bands : most;
    }
    if (q->count > most) {
        wvl_check_fail(w, WVL_RULE_QUANT_SURPLUS, q->offset, "%u steps for %u bands", q->count, most);
    }
}

static void check_transform(wvl_walk *w, uint64_t offset)
{
    const wvl_walk_component *k = w->components;
    if (wvl_check_style_of(w)->mct != 1) {
        return;
    }
    if (w->component_count < 3) {
        wvl_check_fail(w, WVL_RULE_COD_MCT_COMPONENTS, offset, "a multiple component transform of %u components",
                       w->component_count);
        return;
    }
    for (unsigned c = 1; c < 3; c++) {
        if (k[c].depth != k[0].depth || k[c].is_signed != k[0].is_signed || k[c].dx != k[0].dx || k[c].dy != k[0].dy ||
            wvl_check_coding_of(w, c)->transform != wvl_check_coding_of(w, 0)->transform) {
            wvl_check_fail(w, WVL_RULE_COD_MCT_COMPONENTS, offset,
                           "components 0 and %u differ under a multiple component transform", c);
            return;
        }
    }
}

void wvl_check_scope_fits(wvl_walk *w, uint64_t offset)
{
    if (!wvl_check_charge(w, w->component_count)) {
        return;
    }
    for (uint32_t c = 0; c < w->component_count; c++) {
        int good = style_fits(w, c);
        if (!quant_fits(w, c) || !good || !is_told(w, c)) {
            break; /* one report is enough: the rest mostly repeats it */
        }
    }
    check_surplus(w);
    check_transform(w, offset);
}
