/* SPDX-License-Identifier: BSD-2-Clause */
#include "picture/picture_quality.h"

#include <math.h>

#include "codec/blocks/roi.h"
#include "codec/rate/rdoq.h"
#include "dwt/inverse.h"

#define BLOCK_SAMPLES 4096u /* at most (A.6.1) */
#define MAX_PLANES 6u       /* original and decoded of three components */

/* ---- What is decoded of a block -------------------------------------------------------------- */

/* A block as its samples lie in the cell. */
typedef struct block_view {
    const uint8_t *samples;
    uint32_t stride, width, height;
    uint8_t coef_bytes, frac_bits;
    int causal;
} block_view;

#define WIDEST_BLOCK 1024u

/* Row y as signs above 31 bits of magnitude. */
static void load_row(const block_view *v, uint32_t y, uint32_t *row)
{
    const uint8_t *from = v->samples + (uint64_t)y * v->stride * v->coef_bytes;
    if (v->coef_bytes == 4) {
        memcpy(row, from, v->width * sizeof *row);
        return;
    }
    for (uint32_t x = 0; x < v->width; x++) {
        uint16_t s;
        memcpy(&s, from + 2 * (uint64_t)x, sizeof s);
        row[x] = (s & 0x7FFFu) | (s & 0x8000u) << 16;
    }
}

static uint32_t magnitude_of(uint32_t sample) { return sample & 0x7FFFFFFFu; }

/* States carry a border of insignificant samples; 4 x 1024 is the shape with the longest. */
#define CELLS(w, h) (((uint64_t)(w) + 2) * ((h) + 2))
#define MOST_CELLS CELLS(4, 1024)
_Static_assert(MOST_CELLS <= WVL_RDOQ_AREA, "states lie where cells of rdoq do");

/* Marks a stripe from row `top` on. seen: significant samples of each column and of the rows above and below, with a
 * column before the first and after the last. */
static void mark_stripe(const block_view *v, unsigned P, uint32_t top, const uint32_t *rows, uint8_t *seen,
                        uint8_t *state)
{
    uint64_t pitch = v->width + 2ull;
    uint32_t height = wvl_min_u32(4, v->height - top);
    memset(seen, 0, pitch);
    for (uint32_t y = 0; y < height + 2; y++) {
        for (uint32_t x = 0; x < pitch; x++) {
            seen[x] |= state[(top + y) * pitch + x];
        }
    }
    for (uint32_t x = 0; x < v->width; x++) {
        for (uint32_t y = 0; y < height && ((seen[x] | seen[x + 1] | seen[x + 2]) & 1); y++) {
            uint8_t *s = &state[(top + y + 1) * pitch + x + 1];
            int below = v->causal && y == 3 ? 0 : s[pitch - 1] | s[pitch] | s[pitch + 1];
            int near = (below | s[-1] | s[1] | s[-(int64_t)pitch - 1] | s[-(int64_t)pitch] | s[1 - (int64_t)pitch]) & 1;
            if (!(*s & 1) && near) {
                *s = (uint8_t)(2 | (magnitude_of(rows[y * WIDEST_BLOCK + x]) >> P & 1));
                seen[x + 1] |= *s;
            }
        }
    }
}

/* Membership in the significance pass of bit position P, by the rule of D.3.1 on magnitudes alone. state: 1 significant
 * before or now, 2 visited. */
static void mark_significance_pass(const block_view *v, unsigned P, uint8_t *state)
{
    uint64_t pitch = v->width + 2ull;
    uint32_t rows[4 * WIDEST_BLOCK];
    uint8_t seen[WIDEST_BLOCK + 2];
    memset(state, 0, CELLS(v->width, v->height));
    for (uint32_t y = 0; P < 31 && y < v->height; y++) {
        load_row(v, y, rows);
        for (uint32_t x = 0; x < v->width; x++) {
            state[(y + 1) * pitch + x + 1] = magnitude_of(rows[x]) >> (P + 1) != 0;
        }
    }
    for (uint32_t top = 0; top < v->height; top += 4) {
        for (uint32_t y = 0; y < 4 && top + y < v->height; y++) {
            load_row(v, top + y, &rows[y * WIDEST_BLOCK]);
        }
        mark_stripe(v, P, top, rows, seen, state);
    }
}

/* How the samples of a block were coded: as they lie, lifted where it lies in a region of interest in part
 * (codec/blocks/roi.h), quantised for where it ends (codec/rate/rdoq.h), or of another step (codec/rate/rescale.h). */
typedef struct coded_view {
    block_view coded;
    unsigned shift; /* of what was lifted, else 0 */
    int is_changed; /* magnitudes are not those that lie there */
    double step;
} coded_view;

/* Position in the band's units of what was decoded down to `position` of the copy: bits of the region below its shift
 * are taken off again. */
static unsigned lower_position(const coded_view *l, uint32_t coded, unsigned position, unsigned frac_bits)
{
    unsigned own = l->coded.frac_bits, is_region = coded >> (l->shift + own) != 0;
    unsigned plane_up = is_region ? (position >= l->shift + own ? position - l->shift : own) : position;
    return plane_up + frac_bits - own;
}

/* The last pass of a block: of bit position P, 0 cleanup, 1 significance, 2 refinement. */
typedef struct block_cut {
    unsigned P, type;
    int nothing;
} block_cut;

#define NO_BIT 31u /* magnitudes have none there */

/* Lowest bit position decoded of each sample of a row. states: of mark_significance_pass, where it was run. */
static void find_positions(const coded_view *l, block_cut cut, unsigned frac_bits, const uint32_t *coded,
                           const uint8_t *states, uint8_t *positions)
{
    uint32_t width = l->coded.width;
    memset(positions, (int)(cut.nothing ? NO_BIT : cut.P), width);
    for (uint32_t x = 0; cut.type && !cut.nothing && x < width; x++) {
        int is_last = (states[x] & 2) | (cut.type == 2 ? states[x] & 1 : 0);
        positions[x] = (uint8_t)(cut.P + !is_last);
    }
    for (uint32_t x = 0; l->shift && !cut.nothing && x < width; x++) {
        positions[x] = (uint8_t)lower_position(l, magnitude_of(coded[x]), positions[x], frac_bits);
    }
}

/* ---- One plane ------------------------------------------------------------------------------- */

typedef struct measurement {
    const wvl_plan *plan;
    const wvl_coefs *coefs;
    const wvl_coded_tile *coded;
    uint32_t first_component, component_count;
    uint64_t plane_elements;
    uint8_t *memory;
    const wvl_rescale *rescale;
    int reversible;
    int originals; /* 9/7: originals are built, not errors */
    float tie;     /* errors from here up to half a sample may round to a whole one */
    const wvl_look *look;
    double unseen[MAX_PLANES]; /* of 9/7, by task: what errors below the last fraction bit add to the sum, in squared
                                  units of the deepest component */
} measurement;

static uint64_t plane_count(const wvl_rate_plan *rate) { return rate->reversible_share < 1.0 ? 4 : 3; }

/* 4-byte elements throughout: int32 or float. Per task a plane, with 9/7 one for originals, a spare plane, a row, a
 * copy of a block, and block states or both kinds of cells of rdoq. */
static uint64_t task_elements(const wvl_rate_plan *rate, uint64_t samples)
{
    uint64_t bytes = rate->rdoq ? 2 * WVL_RDOQ_AREA : MOST_CELLS;
    return plane_count(rate) * samples + BLOCK_SAMPLES + (bytes + 3) / 4 + 64;
}

static void *plane_of(const measurement *m, uint32_t task)
{
    return m->memory + 4 * task * task_elements(&m->plan->rate, m->plane_elements);
}

/* The last of a task's planes: behind its plane, spare plane and row. */
static void *original_of(const measurement *m, uint32_t task)
{
    return (uint8_t *)plane_of(m, task) + 12 * m->plane_elements;
}

/* Twice the value that a decoder rebuilds, in units of the step over 2^F, but for what is exact. */
static uint64_t twice_rebuilt(uint32_t magnitude, unsigned position)
{
    uint64_t kept = magnitude >> wvl_min_u32(position, NO_BIT);
    return (2 * kept + (kept != 0)) << wvl_min_u32(position, NO_BIT);
}

static block_cut cut_of(const wvl_coded_block *block, const wvl_block_state *state,
                        unsigned frac_bits /* of what was coded */)
{
    block_cut cut = {0, 0, !state->next_passes};
    if (!cut.nothing) {
        unsigned last = state->next_passes - 1u;
        cut.P = block->planes - 1u - (last + 2) / 3 + frac_bits;
        cut.type = last == 0 ? 0 : last % 3; /* passes 1, 4, ...: significance; 2, 5, ...: refinement */
    }
    return cut;
}

/* Samples as they are, or as they are decoded. */
static void put_integers(const uint32_t *row, const uint32_t *sent, const uint8_t *positions, int decoded,
                         uint32_t width, int32_t *to)
{
    for (uint32_t x = 0; x < width; x++) {
        uint32_t value = magnitude_of(row[x]);
        if (decoded) {
            value = positions[x] ? (uint32_t)(twice_rebuilt(magnitude_of(sent[x]), positions[x]) >> 1)
                                 : magnitude_of(sent[x]);
        }
        to[x] = row[x] >> 31 ? -(int32_t)value : (int32_t)value;
    }
}

/* unit, sent_unit: of a magnitude, and of one that was sent. No branches: signs and significance are noise. */
static void put_errors(const uint32_t *row, const uint32_t *sent, const uint8_t *positions, double unit,
                       double sent_unit, uint32_t width, float *to)
{
    const double signs[2] = {0.5, -0.5};
    for (uint32_t x = 0; x < width; x++) {
        uint64_t magnitude = magnitude_of(row[x]),
                 truth = 2 * magnitude + (magnitude != 0); /* half a unit for what was below the last fraction bit */
        double error = (double)truth * unit - (double)twice_rebuilt(magnitude_of(sent[x]), positions[x]) * sent_unit;
        to[x] = (float)(error * signs[row[x] >> 31]);
    }
}

static void put_originals(const uint32_t *row, double unit, uint32_t width, float *to)
{
    const double signs[2] = {0.5, -0.5};
    for (uint32_t x = 0; x < width; x++) {
        uint64_t magnitude = magnitude_of(row[x]);
        to[x] = (float)((double)(2 * magnitude + (magnitude != 0)) * unit * signs[row[x] >> 31]);
    }
}

/* A magnitude says its sample to one unit: within half of it, or, of 0, within the whole of it on either side. */
static double unseen_of(const wvl_band_coding *band, const block_view *v, const uint32_t *row)
{
    uint32_t zeros = 0;
    for (uint32_t x = 0; x < v->width; x++) {
        zeros += magnitude_of(row[x]) == 0;
    }
    double squares = zeros / 3.0 + (v->width - zeros) / 12.0;
    return ldexp(squares * band->weight_mantissa, band->weight_exponent) / band->visual;
}

/* A plane that a task builds. */
typedef struct plane_task {
    measurement *m;
    uint32_t component;
    int decoded;
    uint32_t *copy; /* of a block */
    uint8_t *states;
    uint8_t *plane;
    uint64_t stride;
} plane_task;

/* at: where the block begins in the plane. Returns what is unseen of 9/7. */
static double fill_block(const plane_task *t, const wvl_tile_band *band, const block_view *v, const coded_view *l,
                         block_cut cut, uint64_t at)
{
    const measurement *m = t->m;
    const wvl_band_coding *coding =
        &m->plan->syntax.codings[m->coefs->tile->components[t->component].coding].band[band->coding_band];
    double unit = ldexp(coding->step, -(int)band->frac_bits), unseen = 0.0;
    if (!cut.nothing && cut.type) {
        mark_significance_pass(&l->coded, cut.P, t->states);
    }
    for (uint32_t y = 0; y < v->height; y++) {
        uint32_t row[WIDEST_BLOCK], coded[WIDEST_BLOCK];
        uint8_t positions[WIDEST_BLOCK], *to = t->plane + 4 * (at + y * t->stride);
        load_row(v, y, row);
        load_row(&l->coded, y, coded);
        find_positions(l, cut, v->frac_bits, coded, &t->states[(y + 1) * (v->width + 2ull) + 1], positions);
        const uint32_t *sent = l->is_changed ? coded : row;
        if (m->reversible) {
            put_integers(row, sent, positions, t->decoded, v->width, (int32_t *)(void *)to);
        } else if (m->originals) {
            put_originals(row, unit, v->width, (float *)(void *)to);
        } else {
            put_errors(row, sent, positions, unit, ldexp(l->step, -(int)band->frac_bits), v->width,
                       (float *)(void *)to);
            unseen += unseen_of(coding, v, row);
        }
    }
    return unseen;
}

static coded_view view_coded(const plane_task *t, const wvl_tile_band *band, uint32_t index, const block_view *v)
{
    const measurement *m = t->m;
    const wvl_coded_block *block = &m->coded->blocks[band->first_block + index];
    uint32_t number = m->coefs->tile->components[t->component].coding;
    const wvl_band_coding *coding = &m->plan->syntax.codings[number].band[band->coding_band];
    coded_view view = {*v, block->lift, m->plan->rate.rdoq || m->rescale->is_open, coding->step};
    wvl_block_input in = {.coefs = v->samples,
                          .stride = v->stride,
                          .width = (uint16_t)v->width,
                          .height = (uint16_t)v->height,
                          .coef_bytes = v->coef_bytes,
                          .frac_bits = v->frac_bits,
                          .orient = band->orient,
                          .reversible = m->reversible,
                          .bound = UINT32_MAX >> 1};
    if (view.shift) {
        wvl_roi lift;
        const wvl_block_range range = {.band = (uint32_t)(band - m->coefs->tile->bands),
                                       .component = (uint16_t)t->component};
        wvl_roi_block(m->plan, m->coefs->tile, &range, index, &in, t->copy, &lift);
    } else if (m->plan->rate.rdoq) {
        wvl_rdoq rdoq = {wvl_rdoq_fetch_kernels(), t->copy, t->states, (int8_t *)t->states + WVL_RDOQ_AREA,
                         0}; /* passes are known */
        in.bound = m->coefs->bounds[band->first_block + index];
        (void)wvl_rdoq_change(&rdoq, &in, coding, block->end_slope);
    } else if (m->rescale->is_open) {
        wvl_rescale_block(m->rescale, number, band->coding_band, t->copy, &in);
        view.step = m->rescale->plan.syntax.codings[number].band[band->coding_band].step;
    }
    view.coded = (block_view){in.coefs, in.stride, v->width, v->height, in.coef_bytes, in.frac_bits, v->causal};
    return view;
}

/* 0: the look is over, the rest is left as it is. */
static int fill_band(const plane_task *t, const wvl_tile_resolution *res, const wvl_tile_band *band)
{
    measurement *m = t->m;
    const wvl_coding *coding = &m->plan->syntax.codings[m->coefs->tile->components[t->component].coding];
    uint32_t col, row;
    wvl_inverse_band_origin(res, band, &col, &row);
    for (uint32_t by = 0; by < band->block_rows; by++) {
        for (uint32_t bx = 0; bx < band->block_cols; bx++) {
            uint32_t b = by * band->block_cols + bx;
            wvl_rect rect = wvl_geom_block_rect(band, bx, by);
            block_view v = {m->coefs->samples + wvl_coef_cell(band, b),
                            band->cell_width,
                            wvl_rect_width(rect),
                            wvl_rect_height(rect),
                            band->coef_bytes,
                            band->frac_bits,
                            (coding->style & WVL_STYLE_VSC) != 0};
            coded_view l = view_coded(t, band, b, &v);
            block_cut cut = cut_of(&m->coded->blocks[band->first_block + b], &m->coded->states[band->first_block + b],
                                   l.coded.frac_bits);
            uint64_t at = (uint64_t)(row + rect.y0 - band->rect.y0) * t->stride + col + (rect.x0 - band->rect.x0);
            double unseen = fill_block(t, band, &v, &l, cut, at);
            if (unseen != 0.0) { /* 5/3 has none, and several tasks for a component */
                m->unseen[t->component - m->first_component] += unseen;
            }
            if (wvl_look_after(m->look, WVL_LOOK_REBUILD, 1)) {
                return 0;
            }
        }
    }
    return 1;
}

/* Task: the error plane of a component, or its original plane (9/7); its original (even) and decoded (odd) plane (5/3).
 */
static void build_plane(void *arg, uint32_t index, uint32_t worker)
{
    measurement *m = arg;
    (void)worker;
    const wvl_tile_plan *tile = m->coefs->tile;
    uint32_t component = m->first_component + (m->reversible ? index / 2 : index);
    const wvl_tile_component *tc = &tile->components[component];
    uint64_t stride = wvl_rect_width(tc->rect);
    uint8_t *plane = plane_of(m, index), *spare = plane + 4 * m->plane_elements, *row = spare + 4 * m->plane_elements;
    uint8_t *copy = plane + 4 * plane_count(&m->plan->rate) * m->plane_elements, *states = copy + 4 * BLOCK_SAMPLES;
    plane = m->originals ? original_of(m, index) : plane;
    plane_task t = {m, component, (int)(index & 1), (uint32_t *)(void *)copy, states, plane, stride};
    for (unsigned r = 0; r <= tc->levels; r++) {
        const wvl_tile_resolution *res = &tile->resolutions[tc->first_resolution + r];
        for (unsigned b = 0; b < res->band_count; b++) {
            if (!fill_band(&t, res, &tile->bands[res->first_band + b])) {
                return;
            }
        }
    }
    if (m->reversible) {
        wvl_inverse_53(tile, component, (int32_t *)plane, (int32_t *)spare, stride, (int32_t *)row, m->look);
    } else {
        wvl_inverse_97(tile, component, (float *)plane, (float *)spare, stride, (float *)row, m->look);
    }
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Samples are whole numbers and so are those that a decoder hands out. Which way it rounds half of one is its own
 * affair: it counts as a whole one. */
static double rounded_square(float error, float tie)
{
    double e = floor(fabs((double)error) + (1.0 - tie));
    return e * e;
}

/*
 * Without levels and colour transform coefficients are the samples themselves, and where the step is a whole number
 * decoders stand exactly halfway between two. What is kept below the step does not separate "exactly" from "within half
 * of its last bit". Everywhere else errors are sums of many and halves are rare.
 */
static float tie_of(const measurement *m, int mct)
{
    const wvl_tile_component *tc = &m->coefs->tile->components[m->first_component];
    if (tc->levels || mct) {
        return 0.5f;
    }
    const wvl_tile_band *band = &m->coefs->tile->bands[m->coefs->tile->resolutions[tc->first_resolution].first_band];
    double unit = ldexp(m->plan->syntax.codings[tc->coding].band[band->coding_band].step, -(int)band->frac_bits);
    return (float)fmax(0.0, 0.5 - 0.5 * unit - 1e-6);
}

static void undo_rct(int32_t *a, int32_t *b, int32_t *c)
{
    int32_t green = *a - ((*b + *c) >> 2), red = *c + green, blue = *b + green;
    *a = red;
    *b = green;
    *c = blue;
}

static void undo_ict(float v[3])
{
    float y = v[0], cb = v[1], cr = v[2];
    v[0] = y + 1.402f * cr;
    v[1] = y - 0.344136f * cb - 0.714136f * cr;
    v[2] = y + 1.772f * cb;
}

#define COMPARED_AT_ONCE (UINT64_C(1) << 16)

/* Looks at the cancel token after each share of samples. Nonzero: stop. */
static int is_left(const measurement *m, uint64_t sample)
{
    return sample % COMPARED_AT_ONCE == 0 &&
           wvl_look_after(m->look, WVL_LOOK_COMPARE, sample ? COMPARED_AT_ONCE * m->component_count : 0);
}

static double sum_reversible(const measurement *m, uint64_t samples, int mct)
{
    double sum = 0.0;
    for (uint64_t i = 0; i < samples && !is_left(m, i); i++) {
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
    for (uint64_t i = 0; i < samples && !is_left(m, i); i++) {
        float v[3] = {0.0f, 0.0f, 0.0f};
        for (uint32_t c = 0; c < m->component_count; c++) {
            v[c] = ((const float *)plane_of(m, c))[i];
        }
        if (mct) {
            undo_ict(v);
        }
        for (uint32_t c = 0; c < m->component_count; c++) {
            sum += rounded_square(v[c], m->tie);
        }
    }
    return sum;
}

/*
 * Errors of a sample's last bit. What is kept below the step says an original to some hundredths of a sample, so an
 * error near half of one may count as none, or as a whole one; in pictures of few different samples all errors may lie
 * there. But originals are whole numbers: rounded, they are exact, and what a decoder rounds is then known to the
 * precision of its floats.
 */
#define LAST_BIT 1.0        /* mean square of errors, in samples, from which on this does not matter... */
#define ENOUGH 65536u       /* ...if samples are as many: of few, larger errors too may all round one way */
#define CERTAIN_ROUND 0.01  /* mean square of what is rounded off originals: beyond, they are not certain... */
#define CERTAIN_UNSEEN 0.04 /* ...nor beyond this of what is unseen: units as coarse hit whole numbers by chance */
#define FLOATS 0x1p-21f     /* of the range: what decoders may be off by */

static double sum_exactly(const measurement *m, uint64_t samples, int mct, double otherwise)
{
    double sum = 0.0, off = 0.0;
    float half = ldexpf(0.5f, m->plan->syntax.components[m->first_component].depth), tie = 2.0f * half * FLOATS;
    for (uint64_t i = 0; i < samples && !is_left(m, i); i++) {
        float e[3] = {0.0f, 0.0f, 0.0f}, v[3] = {0.0f, 0.0f, 0.0f};
        for (uint32_t c = 0; c < m->component_count; c++) {
            e[c] = ((const float *)plane_of(m, c))[i];
            v[c] = ((const float *)original_of(m, c))[i];
        }
        if (mct) {
            undo_ict(e);
            undo_ict(v);
        }
        for (uint32_t c = 0; c < m->component_count; c++) {
            float whole = floorf(v[c] + 0.5f), decoded = fminf(fmaxf(v[c] - e[c], -half), half - 1.0f);
            off += (double)(v[c] - whole) * (v[c] - whole);
            sum += rounded_square(whole - decoded, 0.5f - tie);
        }
    }
    return off <= CERTAIN_ROUND * (double)samples * m->component_count ? sum : otherwise;
}

static double measure_group(measurement *m, wvl_pool *pool, int mct)
{
    const wvl_tile_component *tc = &m->coefs->tile->components[m->first_component];
    uint64_t samples = (uint64_t)wvl_rect_width(tc->rect) * wvl_rect_height(tc->rect);
    int depth = m->plan->syntax.components[m->first_component].depth;
    m->reversible = tc->reversible;
    m->tie = tie_of(m, mct);
    memset(m->unseen, 0, sizeof m->unseen);
    wvl_pool_run(pool, m->component_count * (m->reversible ? 2 : 1), build_plane, m);
    double sum = m->reversible ? sum_reversible(m, samples, mct) : sum_irreversible(m, samples, mct);
    double unseen = ldexp(m->unseen[0] + m->unseen[1] + m->unseen[2], 2 * (depth - m->plan->rate.peak_depth));
    sum += unseen;
    uint64_t all = samples * m->component_count;
    if (!m->reversible && (all < ENOUGH || sum < LAST_BIT * (double)all) && !wvl_look_is_over(m->look)) {
        m->originals = 1;
        wvl_pool_run(pool, m->component_count, build_plane, m);
        double exact = sum_exactly(m, samples, mct, sum);
        sum = unseen <= CERTAIN_UNSEEN * (double)all ? exact : sum;
        m->originals = 0;
    }
    return ldexp(sum, 2 * (m->plan->rate.peak_depth - depth));
}

uint64_t wvl_quality_bytes(const wvl_plan *plan, uint64_t largest_tile_component)
{
    uint32_t mct = plan->syntax.mct, planes;
    for (uint32_t v = 0; v < plan->syntax.variant_count; v++) {
        mct |= plan->syntax.variants[v].mct;
    }
    planes = (mct ? 3 : 1) * (plan->rate.reversible_share > 0.0 ? 2 : 1);
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        if (plan->syntax.codings[i].wide) {
            return UINT64_MAX;
        }
    }
    return wvl_mul_saturate(planes, wvl_mul_saturate(4, task_elements(&plan->rate, largest_tile_component)));
}

double wvl_quality_measure(const wvl_plan *plan, const wvl_coefs *coefs, const wvl_coded_tile *tiles,
                           const wvl_rescale *rescale, wvl_pool *pool, const wvl_look *look, void *memory)
{
    double sum = 0.0;
    for (uint32_t t = 0; t < plan->syntax.tile_count; t++) {
        measurement m = {.plan = plan,
                         .coefs = &coefs[t],
                         .coded = &tiles[t],
                         .plane_elements = plan->memory.largest_tile_component,
                         .memory = memory,
                         .rescale = rescale,
                         .look = look};
        for (uint32_t c = 0; c < plan->syntax.component_count && !wvl_look_is_over(look); c += m.component_count) {
            int mct = coefs[t].tile->mct && c == 0;
            m.first_component = c;
            m.component_count = mct ? 3 : 1;
            sum += measure_group(&m, pool, mct);
        }
    }
    return sum;
}
