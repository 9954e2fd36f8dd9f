/* SPDX-License-Identifier: BSD-2-Clause */
/* Optimised quantisation: what it says of the error is what a decoder finds, and error and bytes together are worth it.
 */
#include <math.h>

#include "codec/rate/rdoq.h"
#include "t1_decode.h"
#include "t1_draw.h"
#include "tests/support/one_block.h"

enum { AREA = WVL_T1_MAX_SAMPLES, TURNS = 300 };

typedef struct bench {
    t1_rng rng;
    wvl_block_input in;
    wvl_band_coding band; /* weight 1: a magnitude is a sample */
    uint32_t original[2 * AREA], changed[WVL_RDOQ_SAMPLES];
    uint8_t levels[WVL_RDOQ_AREA];
    int8_t fractions[WVL_RDOQ_AREA];
    wvl_pass passes[WVL_T1_MAX_PASSES];
    uint8_t *bytes;
    t1_sample known[AREA];
    wvl_t1_scratch *scratch;
} bench;

static uint32_t sample_of(const void *samples, const wvl_block_input *in, uint32_t x, uint32_t y)
{
    size_t at = (size_t)y * in->stride + x;
    uint32_t v = in->coef_bytes == 2 ? ((const uint16_t *)samples)[at] : ((const uint32_t *)samples)[at];
    return in->coef_bytes == 2 ? (v & 0x8000u) << 16 | (v & 0x7FFFu) : v;
}

static void set_sample(void *samples, const wvl_block_input *in, uint32_t at, uint32_t v)
{
    if (in->coef_bytes == 2) {
        ((uint16_t *)samples)[at] = (uint16_t)(v >> 16 | v);
    } else {
        ((uint32_t *)samples)[at] = v;
    }
}

/* Samples of a Laplacian, some blocks with a ridge, so that neighbours matter. */
static void draw_block(bench *b)
{
    uint32_t w = 1 + t1_random(&b->rng) % 64, h = 1 + t1_random(&b->rng) % 64, ridge = t1_random(&b->rng) % 3;
    b->in = (wvl_block_input){.coefs = b->original,
                              .stride = w + t1_random(&b->rng) % 3,
                              .width = (uint16_t)w,
                              .height = (uint16_t)h,
                              .want_gains = 1,
                              .max_passes = 255};
    b->in.stride = b->in.stride > 64 ? w : b->in.stride;
    b->in.coef_bytes = t1_random(&b->rng) % 2 ? 2 : 4;
    b->in.frac_bits = (uint8_t)(t1_random(&b->rng) % 5);
    b->in.orient = (uint8_t)(1 + t1_random(&b->rng) % 3); /* the lowest band is left as it is */
    b->in.reversible = t1_random(&b->rng) % 4 == 0;
    double scale = ldexp(1.0, (int)(b->in.frac_bits + t1_random(&b->rng) % 7));
    for (uint32_t y = 0; y < h; y++) {
        for (uint32_t x = 0; x < w; x++) {
            double u = (t1_random(&b->rng) + 0.5) / 4294967296.0,
                   m = -log(u) * scale * (ridge && (x + y) % 17 < 2 ? 6.0 : 1.0);
            uint32_t v = m < 30000.0 ? (uint32_t)m : 30000;
            b->in.bound |= v;
            set_sample(b->original, &b->in, y * b->in.stride + x, v ? v | (t1_random(&b->rng) & 0x80000000u) : 0);
        }
    }
}

static wvl_block_output encode(bench *b, const wvl_block_input *in)
{
    wvl_block_output out = {.bytes = b->bytes, .passes = b->passes};
    wvl_t1_encode_block(b->scratch, in, &out);
    return out;
}

/* Four times the squared error of the original against what a decoder makes of `count` passes. */
static long double decode_error(bench *b, const wvl_block_input *in, const wvl_block_output *out, uint32_t count)
{
    uint8_t codeword[4 * AREA + 64];
    size_t length = 0;
    if (count) {
        const wvl_pass *last = &b->passes[count - 1];
        length = last->final_bytes;
        memcpy(codeword, b->bytes, length - last->tail_count);
        memcpy(codeword + length - last->tail_count, last->tail, last->tail_count);
    }
    t1_segment segment = {codeword, length, count};
    t1_block block = {in->width, in->height, out->planes, in->orient, 0, 0};
    t1_decode_block(&block, &segment, count ? 1 : 0, b->known);
    long double sum = 0;
    for (uint32_t i = 0; i < (uint32_t)in->width * in->height; i++) {
        const t1_sample *s = &b->known[i];
        uint32_t v = sample_of(b->original, in, i % in->width, i / in->width);
        long double twice = 0;
        if (s->significant) {
            unsigned P = s->plane + in->frac_bits;
            twice =
                2.0L * ldexpl(s->magnitude, in->frac_bits) + (in->reversible && P == 0 ? 0.0L : ldexpl(1.0L, (int)P));
            twice = s->negative ? -twice : twice;
        }
        long double e = (v >> 31 ? -2.0L : 2.0L) * (v & 0x7FFFFFFFu) - twice;
        sum += e * e;
    }
    return sum;
}

/* The same from what the coder says. */
static long double said_error(const bench *b, const wvl_block_output *out, unsigned frac_bits, uint32_t count)
{
    long double sum = ldexpl((long double)out->energy, 2 + 2 * out->energy_shift);
    for (uint32_t i = 0; i < count; i++) {
        sum -= ldexpl((long double)b->passes[i].gain_quarters, (int)(out->planes - 1 - (i + 2) / 3 + frac_bits));
    }
    return sum;
}

/* Samples keep their signs and move by no more than one step of a power of two. */
static void check_samples(const bench *b, const wvl_block_input *in, uint64_t *down, uint64_t *up)
{
    uint32_t bound = 0;
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t x = 0; x < in->width; x++) {
            uint32_t before = sample_of(b->original, in, x, y), after = sample_of(in->coefs, in, x, y);
            bound |= after & 0x7FFFFFFFu;
            *down += (after & 0x7FFFFFFFu) < (before & 0x7FFFFFFFu);
            *up += (after & 0x7FFFFFFFu) > (before & 0x7FFFFFFFu);
            REQUIRE((after & 0x7FFFFFFFu) <= (before & 0x7FFFFFFFu) ||
                    ((after & (after - 1) & 0x7FFFFFFFu) == 0 &&
                     4 * (uint64_t)(before & 0x7FFFFFFFu) >= 3 * (uint64_t)(after & 0x7FFFFFFFu) - 4));
            REQUIRE(after ? (after ^ before) >> 31 == 0 : 1);
        }
    }
    REQUIRE(bound == in->bound);
}

/* Nothing beyond the cells of the block is written. */
static wvl_rdoq_error change_in(bench *b, wvl_block_input *in, uint32_t slope, int is_large)
{
    uint32_t cells = wvl_rdoq_area(in->width, in->height);
    memset(b->levels + cells, 0x5A, WVL_RDOQ_AREA - cells);
    memset(b->fractions + cells, 0x5A, WVL_RDOQ_AREA - cells);
    wvl_rdoq r = {wvl_rdoq_fetch_kernels(), b->changed, b->levels, b->fractions, is_large};
    wvl_rdoq_error error = wvl_rdoq_change(&r, in, &b->band, slope);
    for (uint32_t i = cells; i < WVL_RDOQ_AREA; i++) {
        REQUIRE(b->levels[i] == 0x5A && b->fractions[i] == 0x5A);
    }
    return error;
}

static wvl_rdoq_error change(bench *b, wvl_block_input *in, uint32_t slope) { return change_in(b, in, slope, 0); }

typedef struct sums {
    long double before, after;
    uint64_t down, up, blocks;
} sums;

/* The least of error + lambda * bytes over all ends, four times as errors are, and where it is. */
static long double find_best(bench *b, const wvl_block_input *in, const wvl_block_output *out, long double lambda,
                             uint32_t *end)
{
    long double best = decode_error(b, in, out, 0);
    *end = 0;
    for (uint32_t count = 1; count <= out->pass_count; count++) {
        long double cost = decode_error(b, in, out, count) + lambda * b->passes[count - 1].final_bytes;
        *end = cost < best ? count : *end;
        best = cost < best ? cost : best;
    }
    return best;
}

static void try_block(bench *b, sums *s)
{
    draw_block(b);
    wvl_block_output out = encode(b, &b->in);
    if (!out.pass_count) {
        return;
    }
    uint32_t slope =
        WVL_SLOPE_ZERO + 768 + 512 * (b->in.frac_bits + t1_random(&b->rng) % 5) + t1_random(&b->rng) % 512 - 640;
    long double lambda = 4.0L * powl(2.0L, ((long double)slope - WVL_SLOPE_ZERO) / 256.0L);
    uint32_t end;
    long double before = find_best(b, &b->in, &out, lambda, &end);
    wvl_block_input in = b->in;
    wvl_rdoq_error error = change(b, &in, slope);
    check_samples(b, &in, &s->down, &s->up);
    out = encode(b, &in);
    REQUIRE(out.pass_count <= in.max_passes);
    wvl_rdoq_add_error(&out, error);
    for (uint32_t count = 0; count <= out.pass_count; count++) { /* exact when nothing is sent */
        long double found = decode_error(b, &in, &out, count), said = said_error(b, &out, in.frac_bits, count);
        REQUIRE(in.coefs != b->in.coefs || fabsl(found - said) <= 4.0L + found * 1e-12L);
    }
    s->before += before / lambda;
    s->after += find_best(b, &in, &out, lambda, &end) / lambda;
    s->blocks++;
}

static bench *open_bench(void)
{
    bench *b = calloc(1, sizeof *b);
    ck_assert_ptr_nonnull(b);
    b->rng.s = t1_seed();
    b->band.weight_mantissa = 0x80000000u;
    b->band.weight_exponent = -31;
    b->bytes = malloc(wvl_t1_bound_bytes(64, 64, 31, 0));
    b->scratch = aligned_alloc(64, (wvl_t1_scratch_bytes() + 63) / 64 * 64);
    ck_assert(b->bytes && b->scratch);
    return b;
}

static void close_bench(bench *b)
{
    free(b->bytes);
    free(b->scratch);
    free(b);
}

/* Over many blocks error + slope * bytes falls, though every block may end wherever it is best. */
TEST(errors_and_worth)
{
    bench *b = open_bench();
    sums s = {0};
    for (unsigned i = 0; i < TURNS; i++) {
        try_block(b, &s);
    }
    ck_assert(s.blocks > TURNS / 2);
    ck_assert(s.down > 10 * s.blocks && s.up > 10 * s.blocks);
    ck_assert_msg(s.after < 0.995L * s.before, "error and bytes: %Lf before, %Lf after", s.before, s.after);
    close_bench(b);
}

/* Where a bit is worth nothing, nothing moves and all passes are coded; where everything is worth less than a bit,
 * little is coded. */
TEST(nothing_to_gain)
{
    bench *b = open_bench();
    for (unsigned i = 0; i < 200; i++) {
        draw_block(b);
        wvl_block_input in = b->in;
        wvl_rdoq_error error = change(b, &in, i % 2);
        ck_assert(in.coefs == b->in.coefs && error.low == 0 && error.high == 0 && in.bound == b->in.bound &&
                  in.max_passes == 255);
        error = change(b, &in, WVL_SLOPE_ZERO + 768 + 512 * 24);
        ck_assert(in.coefs == b->in.coefs && error.low == 0 && error.high == 0 && in.bound == b->in.bound &&
                  in.max_passes <= WVL_RDOQ_MORE_PASSES + 1);
    }
    close_bench(b);
}

/* In large pictures some blocks have no candidate behind a cleanup pass. Samples are the same, and the best end is
 * rarely cut off. */
TEST(last_plane_of_large_pictures)
{
    bench *b = open_bench();
    unsigned blocks = 0, fewer = 0, cut = 0;
    for (unsigned i = 0; i < TURNS; i++) {
        draw_block(b);
        uint32_t slope =
            WVL_SLOPE_ZERO + 768 + 512 * (b->in.frac_bits + t1_random(&b->rng) % 5) + t1_random(&b->rng) % 512 - 640;
        wvl_block_input small = b->in, large = b->in;
        wvl_rdoq_error error = change(b, &small, slope);
        uint32_t first = sample_of(small.coefs, &small, 0, 0);
        wvl_rdoq_error again = change_in(b, &large, slope, 1);
        ck_assert(large.bound == small.bound && again.low == error.low && again.high == error.high &&
                  sample_of(large.coefs, &large, 0, 0) == first);
        ck_assert(large.max_passes <= small.max_passes && large.max_passes + WVL_RDOQ_MORE_PASSES >= small.max_passes);
        wvl_block_output out = encode(b, &small);
        if (!out.pass_count) {
            continue;
        }
        blocks++;
        if (large.max_passes < small.max_passes) {
            ck_assert(large.max_passes % 3 == 1 || large.max_passes == 0);
            fewer++;
            uint32_t end;
            (void)find_best(b, &small, &out, 4.0L * powl(2.0L, ((long double)slope - WVL_SLOPE_ZERO) / 256.0L), &end);
            cut += end > large.max_passes;
        }
    }
    ck_assert_msg(fewer > blocks / 20 && fewer < blocks / 2, "%u of %u blocks", fewer, blocks);
    ck_assert_msg(cut * 50 <= fewer, "%u of %u ends", cut, fewer);
    close_bench(b);
}

/* The exact plane of 5/3 stays. */
TEST(exact_plane)
{
    bench *b = open_bench();
    for (unsigned i = 0; i < 200; i++) {
        draw_block(b);
        b->in.reversible = 1;
        b->in.frac_bits = 0;
        wvl_block_input in = b->in;
        (void)change(b, &in, WVL_SLOPE_ZERO + 768 - 1024);
        ck_assert(in.coefs == b->in.coefs);
    }
    close_bench(b);
}

/* A sample alone, at every fraction of an octave: it goes where 3x - 2.25 squared steps are worth less than its five
 * and a half bits. */
TEST(border_of_zero)
{
    bench *b = open_bench();
    const unsigned last = 13;
    for (uint32_t e = 0; e < 512; e++) {
        double worth = pow(2.0, (double)e / 256.0 - 4.3),
               border = (5.5 * worth + 2.25) / 3.0; /* 0.05 to 0.2: such blocks end with the cleanup */
        for (int side = -1; side <= 1; side += 2) {
            double x = border * (1.0 + 0.012 * side);
            if (x < 1.02 || x > 1.98) {
                continue;
            }
            uint32_t slope = (uint32_t)(WVL_SLOPE_ZERO + 768 + 512 * last + 256 * log2(worth));
            b->original[0] = (uint32_t)(x * (1u << last));
            wvl_block_input in = {.coefs = b->original,
                                  .stride = 1,
                                  .width = 1,
                                  .height = 1,
                                  .orient = 1,
                                  .coef_bytes = 4,
                                  .frac_bits = 4,
                                  .bound = b->original[0]};
            (void)change(b, &in, slope);
            uint32_t after = sample_of(in.coefs, &in, 0, 0);
            ck_assert_msg((after == 0) == (side < 0), "worth %f of a bit, %f steps: %u", worth, x, after);
        }
    }
    close_bench(b);
}

/* The block of `values` at a slope where a bit is worth 2^(octaves / 256) squared steps of plane 6: passes that are
 * left as candidates. What they code is what a coder of all passes has there. */
static uint32_t count_candidates(bench *b, const uint32_t *values, uint32_t side, int octaves)
{
    const unsigned plane = 6;
    wvl_pass few[WVL_T1_MAX_PASSES];
    memcpy(b->original, values, sizeof *values * side * side);
    wvl_block_input in = {.coefs = b->original,
                          .stride = side,
                          .width = (uint16_t)side,
                          .height = (uint16_t)side,
                          .orient = 1,
                          .coef_bytes = 4};
    in.max_passes = 255;
    for (uint32_t i = 0; i < side * side; i++) {
        in.bound |= values[i];
    }
    (void)change(b, &in, (uint32_t)((int)(WVL_SLOPE_ZERO + 768 + 512 * plane) + octaves));
    uint32_t left = encode(b, &in).pass_count;
    memcpy(few, b->passes, sizeof few);
    ck_assert_uint_eq(left, in.max_passes);
    in.max_passes = 255;
    ck_assert_uint_gt(encode(b, &in).pass_count, left + 3);
    for (uint32_t i = 0; i < left; i++) {
        ck_assert_uint_eq(few[i].final_bytes, b->passes[i].final_bytes);
    }
    return left;
}

/* Refinement out of reach ends what may be sent beyond the end foreseen: 40000 / 65536 lies between 183 and 182 steps
 * of 1/256 octave below 1. Of a block that ends with the propagation pass no candidate is left there, of one that ends
 * with the cleanup of the plane above one is. */
TEST(refinement_reach)
{
    bench *b = open_bench();
    static const uint32_t peak[9] = {122, 122, 122, 122, 192, 122, 122, 122, 122}, alone[1] = {320};
    for (int octaves = -500; octaves <= -90; octaves++) {
        int is_near = octaves <= -183;
        ck_assert_msg(count_candidates(b, peak, 3, octaves) == (is_near ? 4 : 2), "propagation, %d", octaves);
        ck_assert_msg(count_candidates(b, alone, 1, octaves) == (is_near ? 6 : 5), "cleanup, %d", octaves);
    }
    close_bench(b);
}

TEST_MAIN("rdoq")
