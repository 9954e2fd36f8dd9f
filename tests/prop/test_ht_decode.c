/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever the HT block encoder writes decodes to exactly the bits that its passes promise. */
#include <math.h>

#include "codec/ht/ht_block.h"
#include "ht_decode.h"
#include "t1_draw.h"
#include "tests/support/one_block.h"

enum { GUARD = 32 };

static t1_rng rng;
static void *scratch;
static uint32_t samples[4 * 4096];

/* What a decoder knows after a pass. */
typedef struct view {
    unsigned plane; /* of the cleanup pass */
    ht_sample samples[4096];
} view;

static uint64_t magnitude_of(const wvl_block_input *in, uint32_t i, unsigned *negative)
{
    size_t k = (size_t)(i / in->width) * in->stride + i % in->width;
    if (in->coef_bytes == 8) {
        uint64_t deep = ((const uint64_t *)in->coefs)[k];
        *negative = (unsigned)(deep >> 63);
        return deep & INT64_MAX;
    }
    uint32_t v = in->coef_bytes == 2 ? ((const uint16_t *)in->coefs)[k] : ((const uint32_t *)in->coefs)[k];
    unsigned top = 8u * in->coef_bytes - 1;
    *negative = v >> top;
    return v & (((uint32_t)1 << top) - 1);
}

/* Every bit that is known is the true one; what the cleanup pass leaves out is below its plane. passes: of the set. */
static void check_against_truth(const wvl_block_input *in, const view *v, uint32_t passes)
{
    unsigned shift = in->frac_bits + v->plane;
    for (uint32_t i = 0; i < (uint32_t)in->width * in->height; i++) {
        const ht_sample *s = &v->samples[i];
        unsigned negative;
        uint64_t m = magnitude_of(in, i, &negative);
        REQUIRE(s->magnitude == m >> (shift - s->refined));
        REQUIRE(s->significant == (m >> shift != 0));
        REQUIRE(!s->magnitude || s->negative == negative);
        REQUIRE(passes > 1 || !s->refined);
        REQUIRE(!s->significant || s->refined == (passes > 2));
    }
}

static long double error_of(const wvl_block_input *in, uint32_t i, const view *v)
{
    const ht_sample *s = &v->samples[i];
    unsigned negative, P = in->frac_bits + v->plane - s->refined;
    uint64_t m = magnitude_of(in, i, &negative), rebuilt = 0;
    if (s->magnitude) {
        rebuilt = 2 * ((uint64_t)s->magnitude << P) + (in->reversible && P == 0 ? 0 : (uint64_t)1 << P);
    }
    long double e = (long double)(2 * m) - (long double)rebuilt;
    return e * e;
}

static void check_gain(const wvl_block_input *in, const wvl_block_output *out, uint32_t pass, const view *old,
                       const view *now)
{
    long double before = 0, after = 0;
    for (uint32_t i = 0; i < (uint32_t)in->width * in->height; i++) {
        before += error_of(in, i, old);
        after += error_of(in, i, now);
    }
    unsigned P = out->planes - 1 - (pass + 2) / 3 + in->frac_bits;
    long double said = ldexpl((long double)out->passes[pass].gain_quarters, (int)P);
    REQUIRE(out->passes[pass].gain_quarters == (int64_t)1 << 62 || fabsl(before - after - said) <= before * 1e-15L);
}

/* The block as it is when it ends with this pass: its set up to there. */
static void check_cut(const wvl_block_input *in, const wvl_block_output *out, uint32_t pass, const view *old, view *now)
{
    static uint8_t cut[65536];
    uint32_t first = pass / 3 * 3, passes = pass - first + 1;
    const wvl_pass *p = &out->passes[pass], *cleanup = &out->passes[first];
    ht_block block = {in->width, in->height, (in->style & WVL_STYLE_VSC) != 0, passes};
    REQUIRE((p->flags & WVL_PASS_SET) && p->safe_bytes + p->final_bytes <= out->length);
    REQUIRE(p->safe_bytes == (first ? cleanup[-1].safe_bytes + cleanup[-1].final_bytes : 0));
    REQUIRE(pass == first || (p->safe_bytes == cleanup->safe_bytes && p->final_bytes >= p[-1].final_bytes));
    memcpy(cut, out->bytes + p->safe_bytes, p->final_bytes - p->tail_count);
    memcpy(cut + p->final_bytes - p->tail_count, p->tail, p->tail_count);
    uint32_t bytes = cleanup->final_bytes;
    now->plane = out->planes - 1 - first / 3;
    const char *wrong = ht_decode_block(&block, cut, bytes, cut + bytes, p->final_bytes - bytes, now->samples);
    ck_assert_msg(!wrong, "%ux%u, pass %u of %u planes: %s", in->width, in->height, pass, out->planes, wrong);
    check_against_truth(in, now, passes);
    check_gain(in, out, pass, old, now);
}

static uint32_t expected_passes(const wvl_block_input *in, unsigned planes)
{
    uint32_t sets = planes > in->cleanup_plane ? in->all_sets ? planes - in->cleanup_plane : 1 : 0, passes = 3 * sets;
    passes -= sets && !in->cleanup_plane ? 2 : 0; /* nothing is below plane 0 */
    return in->max_passes < passes ? in->max_passes : passes;
}

/* The same bytes and records from other kernels. */
static void check_twin(const wvl_block_input *in, const wvl_block_output *out, size_t capacity,
                       const wvl_ht_kernels *kernels)
{
    wvl_pass passes[3 * 31];
    wvl_block_input plain = *in;
    wvl_block_output other = {.bytes = malloc(capacity), .passes = passes};
    plain.kernels = kernels;
    wvl_ht_encode_block(scratch, &plain, &other);
    REQUIRE(other.length == out->length && other.pass_count == out->pass_count && other.energy == out->energy);
    REQUIRE(!memcmp(other.bytes, out->bytes, out->length));
    REQUIRE(!memcmp(other.passes, out->passes, out->pass_count * sizeof *out->passes));
    free(other.bytes);
}

static void check_block(wvl_block_input *in)
{
    static view views[2];
    wvl_pass passes[3 * 31];
    wvl_block_output out = {.passes = passes};
    unsigned planes = 0;
    size_t capacity = 0;
    while (in->bound >> in->frac_bits >> planes) {
        capacity += wvl_ht_block_coder.bytes_bound(in->width, in->height, ++planes, in->style);
    }
    if (!in->all_sets) {
        capacity = wvl_ht_block_coder.bytes_bound(in->width, in->height, planes, in->style);
    }
    out.bytes = malloc(capacity + GUARD);
    memset(out.bytes, 0xA5, capacity + GUARD);
    wvl_ht_encode_block(scratch, in, &out);
    for (size_t i = 0; i < GUARD; i++) {
        REQUIRE(out.bytes[capacity + i] == 0xA5);
    }
    REQUIRE(out.pass_count == expected_passes(in, planes));
    REQUIRE(out.planes == (!out.pass_count ? 0 : in->all_sets ? planes : in->cleanup_plane + 1u));
    memset(&views[1], 0, sizeof views[1]);
    for (uint32_t pass = 0; pass < out.pass_count; pass++) {
        REQUIRE(!(passes[pass].flags & WVL_PASS_TERM) == (pass % 3 == 1 && pass + 1 < out.pass_count));
        check_cut(in, &out, pass, &views[~pass & 1], &views[pass & 1]);
    }
    check_twin(in, &out, capacity, &wvl_ht_kernels_c);
#ifdef WVL_HAVE_AVX2
    if (in->kernels == &wvl_ht_kernels_avx512) {
        check_twin(in, &out, capacity, &wvl_ht_kernels_avx2);
    }
    if (in->kernels != &wvl_ht_kernels_c) {
        check_twin(in, &out, capacity, &wvl_ht_kernels_avx2_slow_pext);
    }
#endif
    if (out.pass_count) {
        const wvl_pass *last = &passes[out.pass_count - 1];
        REQUIRE(last->safe_bytes + last->final_bytes == out.length);
    }
    free(out.bytes);
}

static void draw_and_check(uint32_t width, uint32_t height)
{
    wvl_block_input in = {0};
    in.coef_bytes = t1_random(&rng) & 1 ? 2 : 4;
    unsigned most = in.coef_bytes == 2 ? 15 : 31, bits = 1 + t1_random(&rng) % most;
    in.frac_bits = t1_random(&rng) & 1 ? 0 : (uint8_t)(t1_random(&rng) % bits % 7);
    in.reversible = !in.frac_bits && (t1_random(&rng) & 1);
    in.style = (uint8_t)(WVL_STYLE_HT | (t1_random(&rng) & 1 ? WVL_STYLE_VSC : 0));
    in.cleanup_plane = t1_random(&rng) & 1 ? 0 : (uint8_t)(t1_random(&rng) % (bits - in.frac_bits));
    in.all_sets = t1_random(&rng) & 1;
    in.max_passes = t1_random(&rng) & 1 ? 255 : (uint8_t)(1 + t1_random(&rng) % (in.all_sets ? 3 * bits : 3));
    in.want_gains = 1;
    in.kernels = wvl_ht_block_coder.fetch_kernels();
    uint32_t stride = (width + 7) / 8 * 8;
    t1_draw_block(&rng, &in, samples, width, height, stride, bits);
    check_block(&in);
}

/* Of high blocks every third: their rows are coded as those of lower ones are. */
TEST(every_shape)
{
    for (uint32_t height = 1; height <= 64; height += height < 16 ? 1 : 3) {
        for (uint32_t width = 1; width <= 64; width++) {
            draw_and_check(width, height);
        }
    }
}

TEST(long_shapes)
{
    for (unsigned x = 7; x <= 10; x++) {
        for (int i = 0; i < 40; i++) {
            uint32_t width = (1u << x) - (i & 1 ? t1_random(&rng) % (1u << (x - 1)) : 0),
                     height = 1 + t1_random(&rng) % (4096u >> x);
            draw_and_check(width, height);
            draw_and_check(height, width);
        }
    }
}

TEST(full_blocks)
{
    for (int i = 0; i < 150; i++) {
        draw_and_check(64, 64);
    }
}

/* One sample at a time, and all magnitudes of one bit pattern: where streams are empty or end at every bit. */
TEST(single_samples)
{
    for (unsigned bits = 1; bits <= 31; bits++) {
        for (uint32_t at = 0; at < 35; at++) {
            wvl_block_input in = {.coefs = samples,
                                  .stride = 8,
                                  .width = 5,
                                  .height = 7,
                                  .coef_bytes = 4,
                                  .max_passes = 255,
                                  .want_gains = 1};
            memset(samples, 0, 8 * 7 * sizeof *samples);
            uint32_t m = (uint32_t)((UINT64_C(1) << bits) - 1) >> (at & 1 ? 0 : bits / 2);
            samples[at / 5 * 8 + at % 5] = m | (at & 2 ? 1u << 31 : 0);
            in.bound = m;
            in.cleanup_plane = (uint8_t)(at % bits);
            in.style = WVL_STYLE_HT;
            in.kernels = wvl_ht_block_coder.fetch_kernels();
            check_block(&in);
        }
    }
}

TEST(all_ones_of_every_length)
{
    for (unsigned bits = 1; bits <= 31; bits++) {
        for (uint32_t width = 1; width <= 40; width++) {
            wvl_block_input in = {.coefs = samples,
                                  .stride = 40,
                                  .width = (uint16_t)width,
                                  .height = 9,
                                  .coef_bytes = 4,
                                  .max_passes = 255};
            in.want_gains = 1;
            in.bound = (uint32_t)((UINT64_C(1) << bits) - 1);
            for (unsigned i = 0; i < 9 * 40; i++) {
                samples[i] = in.bound | 1u << 31;
            }
            in.cleanup_plane = (uint8_t)(width % bits);
            in.style = WVL_STYLE_HT;
            in.kernels = wvl_ht_block_coder.fetch_kernels();
            check_block(&in);
        }
    }
}

/* Of 32 to 37 bits, without gains, as plans of deep samples want it. Every third block has samples of all tempers
 * beside few that are as long as can be: the longest codewords of U-VLC, in the first row and below. */
TEST(deep_samples)
{
    static uint64_t deep[4096 + 64];
    static view v;
    wvl_pass pass[3];
    for (uint32_t round = 0; round < 800; round++) {
        uint32_t width = 1 + t1_random(&rng) % 64, height = 1 + t1_random(&rng) % 64;
        unsigned planes = 32 + round % 6, rare = round % 3 ? 1 : 1 + t1_random(&rng) % 50;
        wvl_block_input in = {.coefs = deep, .stride = width, .width = (uint16_t)width, .height = (uint16_t)height};
        in.coef_bytes = 8;
        in.max_passes = 255;
        in.reversible = 1;
        in.style = WVL_STYLE_HT;
        in.kernels = wvl_ht_block_coder.fetch_kernels();
        in.bound = 1u << 31;
        for (uint32_t i = 0; i < width * height; i++) {
            uint64_t bits = (uint64_t)t1_random(&rng) << 32 | t1_random(&rng),
                     m = bits >> (64 - planes) >> (t1_random(&rng) % rare ? planes - 2 : bits % 3);
            deep[i] = round % 7 == 6 ? (UINT64_C(1) << planes) - 1 : m;
            deep[i] |= deep[i] && bits & 1 ? UINT64_C(1) << 63 : 0;
        }
        size_t capacity = wvl_ht_block_coder.bytes_bound(width, height, planes, in.style);
        wvl_block_output out = {.bytes = malloc(capacity + GUARD), .passes = pass};
        memset(out.bytes, 0xA5, capacity + GUARD);
        wvl_ht_encode_block(scratch, &in, &out);
        for (size_t i = 0; i < GUARD; i++) {
            REQUIRE(out.bytes[capacity + i] == 0xA5);
        }
        REQUIRE(out.pass_count == 1 && out.planes == 1);
        ht_block block = {width, height, 0, 1};
        const char *wrong = ht_decode_block(&block, out.bytes, out.length, NULL, 0, v.samples);
        ck_assert_msg(!wrong, "%ux%u, %u planes: %s", width, height, planes, wrong);
        v.plane = 0;
        check_against_truth(&in, &v, 1);
        free(out.bytes);
    }
}

int main(void)
{
    rng.s = t1_seed();
    scratch = malloc(wvl_ht_block_coder.scratch_bytes(1024, 1024, 37));
    int status = test_run_suite("ht_decode");
    free(scratch);
    return status;
}
