/* SPDX-License-Identifier: BSD-2-Clause */
/* COD, COC, QCD, QCC and RGN of the main header and of tiles (A.6.1 to A.6.5). What is written is the least that says
 * the plan: what a tile's COC leaves open its COD says, then the main header's COC, then its COD, and likewise for
 * quantisation. */
#include "codec/cs/cs.h"
#include "codec/cs/marker.h"

#define WIDE_INDEX_COMPONENTS 257u /* component indices take 16 bits from here on (A.6.2) */
#define SCOD_PRECINCTS 1u
#define SCOD_SOP 2u
#define SCOD_EPH 4u

/* What COC and QCC describe. */
typedef struct component_ref {
    const wvl_plan *plan;
    const wvl_coding *coding;
    uint32_t index;
} component_ref;

/* What COD and QCD describe. */
typedef struct default_ref {
    const wvl_plan *plan;
    const wvl_coding *coding;
    uint8_t order, mct, sop, eph;
} default_ref;

/* In 8 or 16 bits (A.6.2). */
static void put_component_index(wvl_cursor *c, const wvl_plan *plan, uint32_t index)
{
    if (plan->syntax.component_count < WIDE_INDEX_COMPONENTS) {
        wvl_cursor_put_u8(c, index);
    } else {
        wvl_cursor_put_u16(c, index);
    }
}

/* ---- COD, COC (A.6.1, A.6.2) ----------------------------------------------------------------- */

/* SPcod, SPcoc: Table A.15 and A.23. */
static void put_structure(wvl_cursor *c, const wvl_coding *coding)
{
    wvl_cursor_put_u8(c, coding->levels);
    wvl_cursor_put_u8(c, coding->xcb - 2u);
    wvl_cursor_put_u8(c, coding->ycb - 2u);
    wvl_cursor_put_u8(c, coding->style);
    wvl_cursor_put_u8(c, coding->reversible ? 1 : 0);
    if (coding->user_precincts) {
        wvl_cursor_put_bytes(c, coding->precinct, coding->levels + 1u);
    }
}

static void put_coding_default(wvl_cursor *c, const void *arg)
{
    const default_ref *ref = arg;
    wvl_cursor_put_u8(c, (ref->coding->user_precincts ? SCOD_PRECINCTS : 0) | (ref->sop ? SCOD_SOP : 0) |
                             (ref->eph ? SCOD_EPH : 0));
    wvl_cursor_put_u8(c, ref->order);
    wvl_cursor_put_u16(c, ref->plan->syntax.layer_count);
    wvl_cursor_put_u8(c, ref->mct != WVL_MCT_NONE);
    put_structure(c, ref->coding);
}

static void put_coding_component(wvl_cursor *c, const void *arg)
{
    const component_ref *ref = arg;
    put_component_index(c, ref->plan, ref->index);
    wvl_cursor_put_u8(c, ref->coding->user_precincts ? SCOD_PRECINCTS : 0);
    put_structure(c, ref->coding);
}

static int same_structure(const wvl_coding *a, const wvl_coding *b)
{
    return a->levels == b->levels && a->xcb == b->xcb && a->ycb == b->ycb && a->style == b->style &&
           a->reversible == b->reversible && a->user_precincts == b->user_precincts &&
           (!a->user_precincts || !memcmp(a->precinct, b->precinct, a->levels + 1u));
}

/* ---- QCD, QCC (A.6.4, A.6.5) ----------------------------------------------------------------- */

static unsigned step_count(const wvl_coding *coding)
{
    return coding->quant_style == WVL_QUANT_DERIVED ? 1 : 3u * coding->levels + 1u;
}

static void put_quantization(wvl_cursor *c, const wvl_coding *coding)
{
    wvl_cursor_put_u8(c, (unsigned)coding->guard_bits << 5 | coding->quant_style);
    for (unsigned i = 0; i < step_count(coding); i++) {
        const wvl_band_coding *band = &coding->band[i];
        if (coding->quant_style == WVL_QUANT_NONE) {
            wvl_cursor_put_u8(c, (unsigned)band->exponent << 3);
        } else {
            wvl_cursor_put_u16(c, (unsigned)band->exponent << 11 | band->mantissa);
        }
    }
}

static void put_quantization_default(wvl_cursor *c, const void *arg)
{
    put_quantization(c, ((const default_ref *)arg)->coding);
}

static void put_quantization_component(wvl_cursor *c, const void *arg)
{
    const component_ref *ref = arg;
    put_component_index(c, ref->plan, ref->index);
    put_quantization(c, ref->coding);
}

/* QCD serves a component only when it says exactly what the component's own marker segment would: a list of another
 * length is never shared, although A.6.4 lets a decoder ignore entries past the component's levels. A derived step has
 * no length and is shared across levels. */
static int same_quantization(const wvl_coding *a, const wvl_coding *b)
{
    if (a->quant_style != b->quant_style || a->guard_bits != b->guard_bits || step_count(a) != step_count(b)) {
        return 0;
    }
    for (unsigned i = 0; i < step_count(a); i++) {
        if (a->band[i].exponent != b->band[i].exponent ||
            (a->quant_style != WVL_QUANT_NONE && a->band[i].mantissa != b->band[i].mantissa)) {
            return 0;
        }
    }
    return 1;
}

/* ---- RGN (A.6.3) ----------------------------------------------------------------------------- */

static void put_region(wvl_cursor *c, const void *arg)
{
    const component_ref *ref = arg;
    put_component_index(c, ref->plan, ref->index);
    wvl_cursor_put_u8(c, 0); /* Srgn: maxshift, the only style */
    wvl_cursor_put_u8(c, ref->coding->region_shift);
}

static int same_region(const wvl_coding *a, const wvl_coding *b) { return a->region_shift == b->region_shift; }

/* ---- Headers --------------------------------------------------------------------------------- */

typedef int (*is_same_fn)(const wvl_coding *a, const wvl_coding *b);

/* Marker segments of the components that `shared`, or where it is NULL the main header, does not speak for. */
static void put_components(wvl_cursor *c, const wvl_plan *plan, const wvl_tile_variant *variant,
                           const wvl_coding *shared, unsigned marker, wvl_cs_content_fn put, is_same_fn is_same)
{
    for (uint32_t i = 0; i < plan->syntax.component_count; i++) {
        const wvl_coding *main_coding = &plan->syntax.codings[plan->syntax.components[i].coding];
        component_ref ref = {plan, variant ? &plan->syntax.codings[variant->codings[i]] : main_coding, i};
        if (!is_same(ref.coding, shared ? shared : main_coding)) {
            wvl_cs_put_segment(c, marker, put, &ref);
        }
    }
}

void wvl_cs_put_main_codings(wvl_cursor *c, const wvl_plan *plan)
{
    static const wvl_coding no_region;
    const default_ref all = {
        plan, &plan->syntax.codings[0], plan->syntax.order, plan->syntax.mct, plan->syntax.sop, plan->syntax.eph};
    wvl_cs_put_segment(c, WVL_MARKER_COD, put_coding_default, &all);
    put_components(c, plan, NULL, all.coding, WVL_MARKER_COC, put_coding_component, same_structure);
    wvl_cs_put_segment(c, WVL_MARKER_QCD, put_quantization_default, &all);
    put_components(c, plan, NULL, all.coding, WVL_MARKER_QCC, put_quantization_component, same_quantization);
    put_components(c, plan, NULL, &no_region, WVL_MARKER_RGN, put_region, same_region);
}

void wvl_cs_put_tile_codings(wvl_cursor *c, const wvl_plan *plan, uint32_t tile)
{
    const wvl_tile_variant *v = wvl_plan_find_variant(plan, tile);
    if (!v) {
        return;
    }
    const default_ref all = {plan, &plan->syntax.codings[v->default_coding], v->order, v->mct, v->sop, v->eph};
    const wvl_coding *main_default = &plan->syntax.codings[0], *structure = NULL, *quantization = NULL;
    if (v->order != plan->syntax.order || !v->mct != !plan->syntax.mct || v->sop != plan->syntax.sop ||
        v->eph != plan->syntax.eph || !same_structure(all.coding, main_default)) {
        structure = all.coding;
        wvl_cs_put_segment(c, WVL_MARKER_COD, put_coding_default, &all);
    }
    put_components(c, plan, v, structure, WVL_MARKER_COC, put_coding_component, same_structure);
    if (!same_quantization(all.coding, main_default)) {
        quantization = all.coding;
        wvl_cs_put_segment(c, WVL_MARKER_QCD, put_quantization_default, &all);
    }
    put_components(c, plan, v, quantization, WVL_MARKER_QCC, put_quantization_component, same_quantization);
    put_components(c, plan, v, NULL, WVL_MARKER_RGN, put_region, same_region);
}
