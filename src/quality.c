/* SPDX-License-Identifier: BSD-2-Clause */
#include "quality.h"

#include <math.h>
#include <string.h>

#include "codec/lift.h"
#include "dwt/inverse.h"

#define BLOCK_SAMPLES 4096u /* at most (A.6.1) */
#define MAX_PLANES 6u /* original and decoded of three components */

/* ---- What is decoded of a block ------------------------------------------------------------------------------------------------ */

/* A block as its samples lie in the slot. */
typedef struct block_view {
    const uint8_t *samples;
    uint32_t stride, width, height;
    uint8_t coef_bytes, frac_bits;
    int causal;
} block_view;

static uint32_t sample_at(const block_view *v, uint32_t x, uint32_t y, int *negative)
{
    uint64_t i = (uint64_t)y * v->stride + x;
    if (v->coef_bytes == 2) {
        uint16_t s;
        memcpy(&s, v->samples + 2 * i, sizeof s);
        *negative = s >> 15;
        return s & 0x7FFFu;
    }
    uint32_t s;
    memcpy(&s, v->samples + 4 * i, sizeof s);
    *negative = (int)(s >> 31);
    return s & 0x7FFFFFFFu;
}

/* States carry a border of insignificant samples; 4 x 1024 is the shape with the longest. */
#define CELLS(w, h) (((uint64_t)(w) + 2) * ((h) + 2))
#define MOST_CELLS CELLS(4, 1024)

/* Membership in the significance pass of bit position P, by the rule of D.3.1 on magnitudes alone. state: 1 significant before or now, 2
 * visited. */
static void mark_significance_pass(const block_view *v, unsigned P, uint8_t *state)
{
    uint64_t pitch = v->width + 2ull;
    memset(state, 0, CELLS(v->width, v->height));
    for (uint32_t y = 0; y < v->height; y++) {
        for (uint32_t x = 0; x < v->width; x++) {
            int negative;
            state[(y + 1) * pitch + x + 1] = P < 31 && sample_at(v, x, y, &negative) >> (P + 1) ? 1 : 0;
        }
    }
    for (uint32_t top = 0; top < v->height; top += 4) {
        for (uint32_t x = 0; x < v->width; x++) {
            for (uint32_t y = top; y < top + 4 && y < v->height; y++) {
                uint8_t *s = &state[(y + 1) * pitch + x + 1];
                int below = v->causal && y == top + 3 ? 0 : s[pitch - 1] | s[pitch] | s[pitch + 1];
                int near = (below | s[-1] | s[1] | s[-(int64_t)pitch - 1] | s[-(int64_t)pitch] | s[1 - (int64_t)pitch]) & 1;
                int negative;
                if (!(*s & 1) && near) {
                    *s = (uint8_t)(2 | (sample_at(v, x, y, &negative) >> P & 1));
                }
            }
        }
    }
}

/* How the samples of a block were coded, where it lies in a region of interest in part (codec/lift.h). */
typedef struct lifted_view {
    block_view coded;
    unsigned shift;          /* 0: they were coded as they lie */
} lifted_view;

/* Position in the band's units of what was decoded down to `position` of the copy: bits of the region below its shift are taken off again. */
static unsigned lower_position(const lifted_view *l, uint32_t x, uint32_t y, unsigned position, unsigned frac_bits)
{
    int negative;
    if (!l->shift) {
        return position;
    }
    unsigned own = l->coded.frac_bits, is_region = sample_at(&l->coded, x, y, &negative) >> (l->shift + own) != 0;
    unsigned plane_up = is_region ? (position >= l->shift + own ? position - l->shift : own) : position;
    return plane_up + frac_bits - own;
}

/* Lowest bit position decoded of a sample. pass_type: 0 cleanup, 1 significance, 2 refinement, of position P. */
static unsigned decoded_position(unsigned P, unsigned pass_type, uint8_t state)
{
    if (pass_type == 0 || (state & 2)) {
        return P;
    }
    return pass_type == 2 && (state & 1) ? P : P + 1;
}

/* ---- One plane ------------------------------------------------------------------------------------------------------------------- */

typedef struct measurement {
    const wvl_plan *plan;
    const wvl_coefs *coefs;
    const wvl_coded_tile *coded;
    uint32_t first_component, component_count;
    uint64_t plane_elements;
    uint8_t *memory;
    int reversible;
} measurement;

/* 4-byte elements throughout: int32 or float. Per task a plane, a spare plane, a row, a copy of a block, and block states. */
static uint64_t task_elements(uint64_t samples) { return 3 * samples + BLOCK_SAMPLES + (MOST_CELLS + 3) / 4 + 64; }

static void *plane_of(const measurement *m, uint32_t task) { return m->memory + 4 * task * task_elements(m->plane_elements); }

/* Value a decoder rebuilds, in units of the step over 2^F. */
static double rebuilt(uint32_t magnitude, unsigned position, int exact)
{
    uint32_t kept = position < 32 ? magnitude >> position : 0;
    if (!kept) {
        return 0.0;
    }
    return exact && position == 0 ? (double)magnitude : ldexp((double)kept + 0.5, (int)position);
}

typedef struct block_cut {
    unsigned P, type;
    int nothing;
} block_cut;

static block_cut cut_of(const wvl_coded_block *block, const wvl_block_state *state, unsigned frac_bits /* of what was coded */)
{
    block_cut cut = {0, 0, !state->next_passes};
    if (!cut.nothing) {
        unsigned last = state->next_passes - 1u;
        cut.P = block->planes - 1u - (last + 2) / 3 + frac_bits;
        cut.type = last == 0 ? 0 : last % 3; /* passes 1, 4, ...: significance; 2, 5, ...: refinement */
    }
    return cut;
}

static void fill_block(const measurement *m, const wvl_tile_band *band, double step, const block_view *v, const lifted_view *l, block_cut cut, int decoded,
                       uint8_t *states, void *plane, uint64_t at, uint64_t stride)
{
    if (!cut.nothing && cut.type) {
        mark_significance_pass(&l->coded, cut.P, states);
    }
    for (uint32_t y = 0; y < v->height; y++) {
        for (uint32_t x = 0; x < v->width; x++) {
            int negative;
            uint32_t magnitude = sample_at(v, x, y, &negative);
            uint8_t state = cut.type ? states[(y + 1) * (v->width + 2ull) + x + 1] : 0;
            unsigned position = lower_position(l, x, y, decoded_position(cut.P, cut.type, state), v->frac_bits);
            double value = cut.nothing ? 0.0 : rebuilt(magnitude, position, m->reversible);
            uint64_t i = at + y * stride + x;
            if (m->reversible) {
                int32_t integer = decoded ? (int32_t)value : (int32_t)magnitude;
                ((int32_t *)plane)[i] = negative ? -integer : integer;
            } else {
                double truth = magnitude ? magnitude + 0.5 : 0.0; /* what was below the last fraction bit */
                double error = ldexp((truth - value) * step, -(int)band->frac_bits);
                ((float *)plane)[i] = (float)(negative ? -error : error);
            }
        }
    }
}

static lifted_view view_lifted(const measurement *m, uint32_t component, const wvl_tile_band *band, uint32_t index, const block_view *v, uint32_t *copy)
{
    lifted_view l = {*v, m->coded->blocks[band->first_block + index].lift};
    if (l.shift) {
        wvl_lift lift;
        wvl_block_input in = {.coefs = v->samples, .stride = v->stride, .width = (uint16_t)v->width, .height = (uint16_t)v->height, .coef_bytes = v->coef_bytes,
                           .frac_bits = v->frac_bits, .bound = UINT32_MAX >> 1};
        wvl_lift_block(m->plan, m->coefs->tile, component, band, index, &in, copy, &lift);
        l.coded = (block_view){in.coefs, in.stride, v->width, v->height, in.coef_bytes, in.frac_bits, v->causal};
    }
    return l;
}

static void fill_band(const measurement *m, const wvl_tile_resolution *res, const wvl_tile_band *band, uint32_t component, int decoded, uint32_t *copy,
                      uint8_t *states, void *plane, uint64_t stride)
{
    const wvl_coding *coding = &m->plan->codings[m->coefs->tile->components[component].coding];
    uint32_t col, row;
    wvl_inverse_band_origin(res, band, &col, &row);
    for (uint32_t by = 0; by < band->block_rows; by++) {
        for (uint32_t bx = 0; bx < band->block_cols; bx++) {
            uint32_t b = by * band->block_cols + bx;
            wvl_rect rect = wvl_geom_block_rect(band, bx, by);
            block_view v = {m->coefs->samples + wvl_coef_slot(band, b), band->slot_width, wvl_rect_width(rect), wvl_rect_height(rect), band->coef_bytes,
                            band->frac_bits, (coding->style & WVL_STYLE_VSC) != 0};
            lifted_view l = view_lifted(m, component, band, b, &v, copy);
            block_cut cut = cut_of(&m->coded->blocks[band->first_block + b], &m->coded->states[band->first_block + b], l.coded.frac_bits);
            uint64_t at = (uint64_t)(row + rect.y0 - band->rect.y0) * stride + col + (rect.x0 - band->rect.x0);
            fill_block(m, band, coding->band[band->coding_band].step, &v, &l, cut, decoded, states, plane, at, stride);
        }
    }
}

/* Task: the error plane of a component (9/7), or its original (even) and decoded (odd) plane (5/3). */
static void build_plane(void *arg, uint32_t index, uint32_t worker)
{
    const measurement *m = arg;
    (void)worker;
    const wvl_tile_plan *tile = m->coefs->tile;
    uint32_t component = m->first_component + (m->reversible ? index / 2 : index);
    const wvl_tile_component *tc = &tile->components[component];
    uint64_t stride = wvl_rect_width(tc->rect);
    uint8_t *plane = plane_of(m, index), *spare = plane + 4 * m->plane_elements, *row = spare + 4 * m->plane_elements;
    uint8_t *copy = row + 4 * m->plane_elements, *states = copy + 4 * BLOCK_SAMPLES;
    for (unsigned r = 0; r <= tc->levels; r++) {
        const wvl_tile_resolution *res = &tile->resolutions[tc->first_resolution + r];
        for (unsigned b = 0; b < res->band_count; b++) {
            fill_band(m, res, &tile->bands[res->first_band + b], component, (int)(index & 1), (uint32_t *)(void *)copy, states, plane, stride);
        }
    }
    if (m->reversible) {
        wvl_inverse_53(tile, component, (int32_t *)plane, (int32_t *)spare, stride, (int32_t *)row);
    } else {
        wvl_inverse_97(tile, component, (float *)plane, (float *)spare, stride, (float *)row);
    }
}

/* ---- Sums ------------------------------------------------------------------------------------------------------------------------ */

static double rounded_square(float error)
{
    double e = floor((double)error + 0.5);
    return e * e;
}

static void undo_rct(int32_t *a, int32_t *b, int32_t *c)
{
    int32_t green = *a - ((*b + *c) >> 2), red = *c + green, blue = *b + green;
    *a = red;
    *b = green;
    *c = blue;
}

static double sum_reversible(const measurement *m, uint64_t samples, int mct)
{
    double sum = 0.0;
    for (uint64_t i = 0; i < samples; i++) {
        int32_t v[MAX_PLANES];
        for (uint32_t t = 0; t < 2 * m->component_count; t++) {
            v[t] = ((const int32_t *)plane_of(m, t))[i];
        }
        if (mct) {
            undo_rct(&v[0], &v[2], &v[4]);
            undo_rct(&v[1], &v[3], &v[5]);
        }
        for (uint32_t c = 0; c < m->component_count; c++) {
            double e = (double)v[2 * c] - v[2 * c + 1];
            sum += e * e;
        }
    }
    return sum;
}

static double sum_irreversible(const measurement *m, uint64_t samples, int mct)
{
    double sum = 0.0;
    for (uint64_t i = 0; i < samples; i++) {
        float v[3] = {0.0f, 0.0f, 0.0f};
        for (uint32_t c = 0; c < m->component_count; c++) {
            v[c] = ((const float *)plane_of(m, c))[i];
        }
        if (mct) {
            float y = v[0], cb = v[1], cr = v[2];
            v[0] = y + 1.402f * cr;
            v[1] = y - 0.344136f * cb - 0.714136f * cr;
            v[2] = y + 1.772f * cb;
        }
        for (uint32_t c = 0; c < m->component_count; c++) {
            sum += rounded_square(v[c]);
        }
    }
    return sum;
}

static double measure_group(measurement *m, wvl_pool *pool, int mct)
{
    const wvl_tile_component *tc = &m->coefs->tile->components[m->first_component];
    uint64_t samples = (uint64_t)wvl_rect_width(tc->rect) * wvl_rect_height(tc->rect);
    m->reversible = tc->reversible;
    wvl_pool_run(pool, m->component_count * (m->reversible ? 2 : 1), build_plane, m);
    double sum = m->reversible ? sum_reversible(m, samples, mct) : sum_irreversible(m, samples, mct);
    return ldexp(sum, 2 * (m->plan->peak_depth - m->plan->components[m->first_component].depth));
}

uint64_t wvl_quality_bytes(const wvl_plan *plan, uint64_t largest_tile_component)
{
    uint32_t mct = plan->mct, planes;
    for (uint32_t v = 0; v < plan->variant_count; v++) {
        mct |= plan->variants[v].mct;
    }
    planes = (mct ? 3 : 1) * (plan->reversible_share > 0.0 ? 2 : 1);
    for (uint32_t i = 0; i < plan->coding_count; i++) {
        if (plan->codings[i].wide) {
            return UINT64_MAX;
        }
    }
    return wvl_mul_saturate(planes, wvl_mul_saturate(4, task_elements(largest_tile_component)));
}

double wvl_quality_measure(const wvl_plan *plan, const wvl_coefs *coefs, const wvl_coded_tile *tiles, uint64_t largest_tile_component, wvl_pool *pool,
                           void *memory)
{
    double sum = 0.0;
    for (uint32_t t = 0; t < plan->tile_count; t++) {
        measurement m = {plan, &coefs[t], &tiles[t], 0, 0, largest_tile_component, memory, 0};
        for (uint32_t c = 0; c < plan->component_count; c += m.component_count) {
            int mct = coefs[t].tile->mct && c == 0;
            m.first_component = c;
            m.component_count = mct ? 3 : 1;
            sum += measure_group(&m, pool, mct);
        }
    }
    return sum;
}
