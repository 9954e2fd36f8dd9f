/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/rdoq.h"

uint32_t wvl_rdoq_weigh(const wvl_rdoq_kernels *kernels, const wvl_block_input *in, const wvl_band_coding *band,
                        uint32_t slope)
{
    int32_t least = wvl_rdoq_find_least(band, slope);
    uint32_t n[4] = {(uint32_t)in->width * in->height, 0, 0, 0};
    if (least >= 31 * 256 || !(in->bound >> (least / 256))) {
        return 1;
    }
    kernels->rank(in, (uint32_t)(wvl_rdoq_find_root((uint32_t)least & 255) << (least / 256) >> 30), &n[1]);
    return wvl_rdoq_weigh_counts(n);
}

/* A block in work. */
typedef struct wvl_rdoq_block {
    const wvl_block_input *in;
    const wvl_rdoq_end *end;
    void *samples;
    const uint8_t *levels;
    uint32_t pitch;
    uint32_t moved;  /* OR of magnitudes before */
    wvl_uwide error; /* in quarters */
} moving_block;

static uint32_t move_sample(moving_block *b, const uint8_t *level, uint32_t before, int is_up)
{
    int is_near = !is_up && wvl_rdoq_is_near(level, b->pitch);
    uint32_t after = wvl_rdoq_move_sample(b->end, before, is_up, is_near, &b->error);
    b->moved |= before | after;
    return after;
}

static void move_samples(moving_block *b, uint32_t y, uint64_t bits, uint32_t first, int is_up)
{
    for (; bits; bits &= bits - 1) {
        uint32_t x = first + wvl_bit_length(bits & (0 - bits)) - 1, at = y * b->in->stride + x;
        const uint8_t *level = b->levels + (size_t)(y + 1) * b->pitch + 1 + x;
        if (b->in->coef_bytes == 2) {
            uint16_t *s = &((uint16_t *)b->samples)[at];
            uint32_t after = move_sample(b, level, *s & 0x7FFFu, is_up);
            *s = after ? (uint16_t)((*s & 0x8000u) | after) : 0;
        } else {
            uint32_t *s = &((uint32_t *)b->samples)[at];
            uint32_t after = move_sample(b, level, *s & 0x7FFFFFFFu, is_up);
            *s = after ? (*s & 0x80000000u) | after : 0;
        }
    }
}

static uint32_t join_16(const uint16_t *row, uint32_t count)
{
    uint16_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        all |= row[i];
    }
    return all & 0x7FFFu;
}

static uint32_t join_32(const uint32_t *row, uint32_t count)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        all |= row[i];
    }
    return all & 0x7FFFFFFFu;
}

static uint32_t find_bound(const wvl_block_input *in)
{
    uint32_t bound = 0;
    for (size_t y = 0; y < in->height; y++) {
        bound |= in->coef_bytes == 2 ? join_16((const uint16_t *)in->coefs + y * in->stride, in->width)
                                     : join_32((const uint32_t *)in->coefs + y * in->stride, in->width);
    }
    return bound;
}

static void move_block(const wvl_rdoq *r, moving_block *b)
{
    const wvl_block_input *in = b->in;
    const wvl_rdoq_rule rule = wvl_rdoq_make_rule(b->end);
    uint64_t down[WVL_RDOQ_WORDS], up[WVL_RDOQ_WORDS];
    for (uint32_t y = 0; y < in->height; y++) {
        size_t first = (size_t)(y + 1) * b->pitch + 1;
        r->kernels->move_row(&rule, &r->levels[first], &r->fractions[first], in->width, down, up);
        for (uint32_t x = 0; x < in->width; x += 64) {
            move_samples(b, y, down[x / 64], x, 0);
            move_samples(b, y, up[x / 64], x, 1);
        }
    }
}

wvl_rdoq_error wvl_rdoq_change(const wvl_rdoq *r, wvl_block_input *in, const wvl_band_coding *band, uint32_t slope)
{
    wvl_rdoq_end end = {0};
    /* Neighbours in the lowest band are alike, and cost far less than the table and the entropies say. */
    if (!slope || !in->orient || !wvl_rdoq_find_plane(in, band, slope, &end)) {
        return (wvl_rdoq_error){0, 0};
    }
    if (!(in->bound >> end.plane)) {
        end.type = 2;
        in->max_passes = wvl_rdoq_count_passes(in, &end, r->is_large);
        return (wvl_rdoq_error){0, 0};
    }
    r->kernels->split(in, end.plane, r->levels, r->fractions);
    wvl_rdoq_sums sums = r->kernels->count(r->levels, r->fractions, in->width, in->height);
    unsigned plane = end.plane;
    wvl_rdoq_choose_pass(&sums, &end);
    in->max_passes = wvl_rdoq_count_passes(in, &end, r->is_large);
    if (end.plane < in->frac_bits + (in->reversible ? 1u : 0u) || !(in->bound >> end.plane)) {
        return (wvl_rdoq_error){0, 0}; /* all that is left is exact, or in the last plane that there is */
    }
    if (end.plane != plane) {
        r->kernels->split(in, end.plane, r->levels, r->fractions);
    }
    memcpy(r->samples, in->coefs, ((size_t)in->stride * (in->height - 1u) + in->width) * in->coef_bytes);
    moving_block b = {in, &end, r->samples, r->levels, wvl_rdoq_pitch(in->width), 0, 0};
    move_block(r, &b);
    if (!b.moved) {
        return (wvl_rdoq_error){0, 0};
    }
    in->coefs = r->samples;
    in->bound = find_bound(in);
    in->max_passes = wvl_rdoq_count_passes(in, &end, r->is_large);
    b.error >>= 2;
    return (wvl_rdoq_error){(uint64_t)b.error, (uint64_t)(b.error >> 64)};
}

void wvl_rdoq_add_error(wvl_block_output *out, wvl_rdoq_error error)
{
    out->energy += wvl_rdoq_scale_error(error.low, error.high, out->energy_shift);
}
