/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever the encoder writes, at every place where it says the block may be cut, decodes to exactly what it says has
 * been coded. */
#include <math.h>

#include "t1_decode.h"
#include "t1_draw.h"
#include "tests/prop/t1_reference.h"

enum { MAX_PASSES = WVL_T1_MAX_PASSES, MAX_AREA = 1200 };

typedef struct coded {
    wvl_t1_input in;
    wvl_t1_output out;
    wvl_pass passes[MAX_PASSES];
    uint8_t *bytes;
    t1_sample *known[MAX_PASSES + 1]; /* what a decoder knows after k passes */
} coded;

static t1_rng rng;
static wvl_t1_scratch *scratch;
static uint32_t samples[WVL_T1_MAX_SAMPLES * 2];
static void (*encode)(wvl_t1_scratch *, const wvl_t1_input *, wvl_t1_output *);

static uint32_t magnitude_of(const wvl_t1_input *in, uint32_t i, int *negative)
{
    size_t k = (size_t)(i / in->width) * in->stride + i % in->width;
    uint32_t v = in->coef_bytes == 2 ? ((const uint16_t *)in->coefs)[k] : ((const uint32_t *)in->coefs)[k];
    unsigned top = 8u * in->coef_bytes - 1;
    *negative = (int)(v >> top);
    return v & (((uint32_t)1 << top) - 1);
}

/* Decodes `count` passes from a codeword that ends at `length`. Returns 0 if a segmentation symbol is broken. */
static int decode(const coded *c, const uint8_t *bytes, uint32_t length, uint32_t count, t1_sample *to)
{
    t1_segment segments[MAX_PASSES];
    t1_block block = {c->in.width, c->in.height, c->out.planes, c->in.orient, c->in.style, 0};
    size_t n = 0;
    uint32_t start = 0, first = 0;
    for (uint32_t pass = 0; pass < count; pass++) {
        int term = c->passes[pass].flags & WVL_PASS_TERM;
        if (!term && pass + 1 < count) {
            continue;
        }
        uint32_t closing = pass;
        while (!(c->passes[closing].flags & WVL_PASS_TERM)) {
            closing++;
        }
        uint32_t end = c->passes[closing].final_bytes < length ? c->passes[closing].final_bytes : length;
        segments[n++] = (t1_segment){bytes + start, end - start, pass + 1 - first};
        start = end;
        first = pass + 1;
    }
    t1_decode_block(&block, segments, n, to);
    return !block.symbols_broken;
}

static int same(const coded *c, const t1_sample *a, const t1_sample *b)
{
    for (uint32_t i = 0; i < (uint32_t)c->in.width * c->in.height; i++) {
        if (a[i].magnitude != b[i].magnitude || a[i].significant != b[i].significant ||
            a[i].negative != b[i].negative || a[i].plane != b[i].plane) {
            return 0;
        }
    }
    return 1;
}

/* The known bits are the true ones, down to the plane of the pass or the one above. */
static void check_against_truth(const coded *c, uint32_t count)
{
    uint32_t lowest = c->out.planes - 1 - (count + 1) / 3;
    for (uint32_t i = 0; i < (uint32_t)c->in.width * c->in.height; i++) {
        const t1_sample *s = &c->known[count][i];
        int negative;
        uint32_t q = magnitude_of(&c->in, i, &negative) >> c->in.frac_bits;
        REQUIRE(s->plane == lowest || (count % 3 != 1 && s->plane == lowest + 1));
        REQUIRE(s->magnitude == q >> s->plane << s->plane);
        REQUIRE(s->significant == (s->magnitude != 0));
        REQUIRE(!s->significant || s->negative == negative);
    }
}

/* (2 * error)^2 of one sample, in units of (step / 2^F)^2 / 4. */
static long double error_of(const coded *c, uint32_t i, const t1_sample *s)
{
    int negative;
    uint64_t m = magnitude_of(&c->in, i, &negative), rebuilt = 0;
    unsigned P = s->plane + c->in.frac_bits;
    if (s->significant) {
        rebuilt =
            2 * ((uint64_t)s->magnitude << c->in.frac_bits) + ((c->in.reversible && P == 0) ? 0 : (uint64_t)1 << P);
    }
    long double e = (long double)(2 * m) - (long double)rebuilt;
    return e * e;
}

static void check_gain(const coded *c, uint32_t pass)
{
    long double before = 0, after = 0;
    for (uint32_t i = 0; i < (uint32_t)c->in.width * c->in.height; i++) {
        before += error_of(c, i, &c->known[pass][i]);
        after += error_of(c, i, &c->known[pass + 1][i]);
    }
    unsigned P = c->out.planes - 1 - (pass + 2) / 3 + c->in.frac_bits;
    long double said = ldexpl((long double)c->passes[pass].gain_quarters, (int)P), tolerance = before * 1e-17L;
    REQUIRE(fabsl(before - after - said) <= tolerance);
}

static void encode_and_know(coded *c)
{
    size_t area = (size_t)c->in.width * c->in.height;
    unsigned planes = 0;
    while (c->in.bound >> c->in.frac_bits >> planes) {
        planes++;
    }
    size_t capacity = wvl_t1_bound_bytes(c->in.width, c->in.height, planes, c->in.style);
    c->bytes = malloc(capacity + 16);
    memset(c->bytes, 0xA5, capacity + 16);
    c->out.bytes = c->bytes;
    c->out.passes = c->passes;
    encode(scratch, &c->in, &c->out);
    for (size_t i = 0; i < 16; i++) {
        REQUIRE(c->bytes[capacity + i] == 0xA5);
    }
    REQUIRE(c->out.planes == planes);
    REQUIRE(c->out.pass_count == (planes ? 3 * planes - 2 : 0));
    for (uint32_t k = 0; k <= c->out.pass_count; k++) {
        c->known[k] = malloc(area * sizeof *c->known[k]);
        REQUIRE(decode(c, c->bytes, c->out.length, k, c->known[k]));
        if (k) {
            check_against_truth(c, k);
        }
    }
}

static void release(coded *c)
{
    for (uint32_t k = 0; k <= c->out.pass_count; k++) {
        free(c->known[k]);
    }
    free(c->bytes);
}

/* The codeword as it is when the block ends with pass k. */
static uint32_t cut_after(const coded *c, uint32_t k, uint8_t *to)
{
    const wvl_pass *p = &c->passes[k];
    memcpy(to, c->bytes, p->final_bytes - p->tail_count);
    memcpy(to + p->final_bytes - p->tail_count, p->tail, p->tail_count);
    return p->final_bytes;
}

static uint32_t segment_start(const coded *c, uint32_t pass)
{
    while (pass > 0 && !(c->passes[pass - 1].flags & WVL_PASS_TERM)) {
        pass--;
    }
    return pass ? c->passes[pass - 1].final_bytes : 0;
}

static void check_final(const coded *c, uint32_t k, uint8_t *cut, t1_sample *seen)
{
    uint32_t n = cut_after(c, k, cut);
    REQUIRE(n <= c->out.length || !(c->passes[k].flags & WVL_PASS_TERM));
    REQUIRE(k == 0 || n >= c->passes[k - 1].final_bytes);
    REQUIRE(n == segment_start(c, k) || cut[n - 1] != 0xFF);
    REQUIRE(decode(c, cut, n, k + 1, seen));
    REQUIRE(same(c, seen, c->known[k + 1]));
}

/* The safe prefix of the block cut after pass j, for a j at or after k in the same segment. */
static void check_safe(const coded *c, uint32_t k, uint32_t j, uint8_t *cut, t1_sample *seen)
{
    uint32_t length = cut_after(c, j, cut), n = c->passes[k].safe_bytes < length ? c->passes[k].safe_bytes : length;
    REQUIRE(decode(c, cut, n, k + 1, seen));
    REQUIRE(same(c, seen, c->known[k + 1]));
    if (n > segment_start(c, k) && cut[n - 1] == 0xFF) {
        REQUIRE(decode(c, cut, n - 1, k + 1, seen));
        REQUIRE(same(c, seen, c->known[k + 1]));
    }
}

static void check_limited(const coded *c, uint32_t k, uint8_t *cut)
{
    wvl_pass passes[MAX_PASSES];
    wvl_t1_input in = c->in;
    wvl_t1_output out = {.bytes = malloc(wvl_t1_bound_bytes(in.width, in.height, c->out.planes, in.style)),
                         .passes = passes};
    in.max_passes = (uint8_t)(k + 1);
    encode(scratch, &in, &out);
    REQUIRE(out.pass_count == k + 1);
    REQUIRE(out.length == cut_after(c, k, cut));
    REQUIRE(memcmp(out.bytes, cut, out.length) == 0);
    REQUIRE(memcmp(passes, c->passes, (k + 1) * sizeof *passes) == 0);
    free(out.bytes);
}

static void check_flags(const coded *c)
{
    for (uint32_t k = 0; k < c->out.pass_count; k++) {
        const wvl_pass *p = &c->passes[k];
        int lazy = (c->in.style & WVL_STYLE_BYPASS) != 0, kind = (int)((k + 2) % 3), last = k + 1 == c->out.pass_count;
        int term = last || (c->in.style & WVL_STYLE_TERMALL) || (lazy && k >= 9 && kind != 0);
        REQUIRE(!(p->flags & WVL_PASS_RAW) == !(lazy && k >= 10 && kind != 2));
        REQUIRE(!(p->flags & WVL_PASS_TERM) == !term);
        REQUIRE(!term || (p->safe_bytes == p->final_bytes && p->tail_count == 0));
        REQUIRE(k == 0 || (c->passes[k - 1].flags & WVL_PASS_TERM) || term ||
                p->safe_bytes >= c->passes[k - 1].safe_bytes);
    }
    REQUIRE(c->out.pass_count == 0 || c->out.length == c->passes[c->out.pass_count - 1].final_bytes);
}

static void check_block(wvl_t1_input in)
{
    static coded c;
    c.in = in;
    encode_and_know(&c);
    check_flags(&c);
    uint8_t *cut = malloc(c.out.length + 64);
    t1_sample *seen = malloc((size_t)in.width * in.height * sizeof *seen);
    for (uint32_t k = 0; k < c.out.pass_count; k++) {
        check_final(&c, k, cut, seen);
        if (c.in.want_gains) {
            check_gain(&c, k);
        }
        uint32_t j = k;
        while (!(c.passes[j].flags & WVL_PASS_TERM)) {
            j++;
        }
        check_safe(&c, k, j, cut, seen);
        if (j > k) {
            check_safe(&c, k, k + 1, cut, seen);
        }
        if (j > k + 1) {
            check_safe(&c, k, k + 1 + t1_random(&rng) % (j - k), cut, seen);
        }
        if (t1_random(&rng) % 4 == 0) {
            check_limited(&c, k, cut);
        }
    }
    free(seen);
    free(cut);
    release(&c);
}

static wvl_t1_input draw(uint32_t w, uint32_t h, unsigned style, unsigned max_bits)
{
    wvl_t1_input in = {
        .orient = (uint8_t)(t1_random(&rng) % 4), .style = (uint8_t)style, .want_gains = 1, .max_passes = 255};
    unsigned bits = t1_random(&rng) % (max_bits + 1);
    in.coef_bytes = bits > 15 || t1_random(&rng) % 2 ? 4 : 2;
    in.frac_bits = (uint8_t)(t1_random(&rng) % 2 ? 0 : t1_random(&rng) % 7);
    in.reversible = (uint8_t)(t1_random(&rng) & 1);
    t1_draw_block(&rng, &in, samples, w, h, w + t1_random(&rng) % 3, bits);
    return in;
}

static void use(void (*coder)(wvl_t1_scratch *, const wvl_t1_input *, wvl_t1_output *))
{
    rng.s = t1_seed();
    encode = coder;
    scratch = aligned_alloc(64, (wvl_t1_scratch_bytes() + 63) / 64 * 64);
    memset(scratch, 0x5A, wvl_t1_scratch_bytes());
}

/* Each test for the reference, and for the fast coder. */
static void use_reference(void) { use(wvl_t1_encode_block_ref); }
static void use_fast(void) { use(wvl_t1_encode_block); }

START_TEST(all_styles)
{
    unsigned style = (unsigned)_i;
    rng.s += (uint64_t)_i << 20;
    for (int trial = 0; trial < 14; trial++) {
        check_block(draw(1 + t1_random(&rng) % 19, 1 + t1_random(&rng) % 19, style, 14));
    }
}

START_TEST(all_small_shapes)
{
    for (uint32_t w = 1; w <= 67; w++) {
        uint32_t h = 1 + (w * 29 + (uint32_t)_i * 13) % 67;
        if (w * h <= MAX_AREA) {
            check_block(draw(w, h, t1_random(&rng) % 64, 7));
        }
    }
}

START_TEST(deep_blocks)
{
    rng.s += (uint64_t)_i << 20;
    for (int trial = 0; trial < 8; trial++) {
        wvl_t1_input in = draw(1 + t1_random(&rng) % 9, 1 + t1_random(&rng) % 9, t1_random(&rng) % 64, 0);
        in.coef_bytes = 4;
        in.frac_bits = (uint8_t)(trial % 4 ? t1_random(&rng) % 8 : 0);
        t1_draw_block(&rng, &in, samples, in.width, in.height, in.stride, 31 - (trial & 1));
        check_block(in);
    }
}

START_TEST(extreme_shapes)
{
    static const uint16_t shapes[][2] = {{64, 64}, {1024, 4}, {4, 1024}, {1, 1024}, {1024, 1},
                                         {819, 5}, {5, 819},  {128, 32}, {17, 240}};
    rng.s += (uint64_t)_i << 20;
    wvl_t1_input in = draw(shapes[_i][0], shapes[_i][1], t1_random(&rng) % 64, 4);
    check_block(in);
}

#define ADD(name, end) test_register(name, #name, 0, end)
static void add_tests(void (*setup)(void))
{
    test_registry.open = setup;
    ADD(all_styles, 64);
    ADD(all_small_shapes, 4);
    ADD(deep_blocks, 4);
    ADD(extreme_shapes, 9);
}

int main(void)
{
    add_tests(use_reference);
    add_tests(use_fast);
    return test_run_suite("t1 decodes");
}
