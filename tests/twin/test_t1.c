/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast block encoder against the reference: same bytes, same records, never a byte beyond the bound. */

#include "../prop/t1_draw.h"
#include "tests/prop/t1_reference.h"

enum { GUARD = 64 };

static t1_rng rng;
static wvl_t1_scratch *scratch;
static uint32_t samples[WVL_T1_MAX_SAMPLES + 4 * WVL_T1_MAX_SIDE];

typedef struct result {
    wvl_t1_output out;
    wvl_pass passes[WVL_T1_MAX_PASSES];
    uint8_t *bytes;
    size_t capacity;
} result;

static void run(void (*encode)(wvl_t1_scratch *, const wvl_t1_input *, wvl_t1_output *), const wvl_t1_input *in,
                result *r)
{
    unsigned planes = 0;
    while (planes < 31 && in->bound >> in->frac_bits >> planes) {
        planes++;
    }
    r->capacity = wvl_t1_bound_bytes(in->width, in->height, planes, in->style);
    r->bytes = malloc(r->capacity + GUARD);
    memset(r->bytes, 0x6B, r->capacity + GUARD);
    memset(&r->out, 0xEE, sizeof r->out);
    r->out.bytes = r->bytes;
    r->out.passes = r->passes;
    memset(scratch, (int)(t1_random(&rng) & 0xFF), wvl_t1_scratch_bytes());
    encode(scratch, in, &r->out);
    for (size_t i = 0; i < GUARD; i++) {
        REQUIRE(r->bytes[r->capacity + i] == 0x6B);
    }
    REQUIRE(r->out.length <= r->capacity);
}

static void require_same(const wvl_t1_output *a, const wvl_t1_output *b)
{
    REQUIRE(a->planes == b->planes);
    REQUIRE(a->energy == b->energy);
    REQUIRE(a->energy_shift == b->energy_shift);
    REQUIRE(a->pass_count == b->pass_count);
    REQUIRE(memcmp(a->passes, b->passes, b->pass_count * sizeof *b->passes) == 0);
    REQUIRE(a->length == b->length);
    REQUIRE(memcmp(a->bytes, b->bytes, b->length) == 0);
}

static void compare(const wvl_t1_input *in)
{
    static result fast, slow;
    run(wvl_t1_encode_block_ref, in, &slow);
    run(wvl_t1_encode_block, in, &fast);
    require_same(&fast.out, &slow.out);
    free(fast.bytes);
    free(slow.bytes);
}

/* Those of any level that this processor has. */
static const wvl_t1_kernels *draw_kernels(void)
{
    const wvl_t1_kernels *all[] = {wvl_t1_fetch_kernels(), &wvl_t1_kernels_c, NULL, NULL};
#ifdef WVL_HAVE_AVX2
    if (wvl_cpu_fetch_level() >= WVL_CPU_AVX2) {
        all[3] = &wvl_t1_kernels_avx2;
    }
#endif
    return all[t1_random(&rng) % 4];
}

static wvl_t1_input draw(uint32_t w, uint32_t h, unsigned style, unsigned bits, uint32_t *to)
{
    wvl_t1_input in = {.orient = (uint8_t)(t1_random(&rng) % 4), .style = (uint8_t)style};
    in.coef_bytes = bits > 15 || t1_random(&rng) % 2 ? 4 : 2;
    in.frac_bits = (uint8_t)(t1_random(&rng) % 2 ? 0 : t1_random(&rng) % 8);
    in.reversible = (uint8_t)(t1_random(&rng) & 1);
    in.want_gains = t1_random(&rng) % 8 != 0;
    in.kernels = draw_kernels();
    in.max_passes = (uint8_t)(t1_random(&rng) % 4 ? 255 : t1_random(&rng) % 40);
    t1_draw_block(&rng, &in, to, w, h, w + t1_random(&rng) % 3, bits);
    if (t1_random(&rng) % 8 == 0 && bits < 8u * in.coef_bytes - 1) {
        in.bound = in.bound * 2 + 1; /* empty top plane */
    }
    return in;
}

static void compare_drawn(uint32_t w, uint32_t h, unsigned style, unsigned bits)
{
    wvl_t1_input in = draw(w, h, style, bits, samples);
    compare(&in);
}

static void setup(void)
{
    rng.s = t1_seed();
    scratch = aligned_alloc(64, (wvl_t1_scratch_bytes() + 63) / 64 * 64);
}

static void teardown(void) { free(scratch); }

TEST_FIXTURE(setup, teardown);

TEST_RANGE(every_width_and_height, 1, 68)
{
    rng.s += (uint64_t)_i << 20;
    for (uint32_t h = 1; h <= 67; h++) {
        if (h * (uint32_t)_i <= WVL_T1_MAX_SAMPLES) {
            compare_drawn((uint32_t)_i, h, t1_random(&rng) % 3 ? 0 : t1_random(&rng) % 64, t1_random(&rng) % 16);
        }
    }
}

TEST_EACH(every_style, 64)
{
    rng.s += (uint64_t)_i << 20;
    for (int trial = 0; trial < 25; trial++) {
        compare_drawn(1 + t1_random(&rng) % 64, 1 + t1_random(&rng) % 64, (unsigned)_i, t1_random(&rng) % 16);
    }
}

TEST_EACH(every_depth, 32)
{
    rng.s += (uint64_t)_i << 20;
    for (int trial = 0; trial < 6; trial++) {
        compare_drawn(1 + t1_random(&rng) % 40, 1 + t1_random(&rng) % 40, t1_random(&rng) % 64, (unsigned)_i);
    }
}

TEST_EACH(long_shapes, 6)
{
    rng.s += (uint64_t)_i << 20;
    for (int trial = 0; trial < 12; trial++) {
        uint32_t long_side = 64 + t1_random(&rng) % (WVL_T1_MAX_SIDE - 63), most = WVL_T1_MAX_SAMPLES / long_side;
        uint32_t short_side = trial & 1 ? most : 1 + t1_random(&rng) % most;
        compare_drawn(_i & 1 ? long_side : short_side, _i & 1 ? short_side : long_side, t1_random(&rng) % 64,
                      t1_random(&rng) % 20);
    }
    compare_drawn(_i & 1 ? 1024 : 4, _i & 1 ? 4 : 1024, t1_random(&rng) % 64, 9);
    compare_drawn(_i & 1 ? 819 : 5, _i & 1 ? 5 : 819, t1_random(&rng) % 64, 9);
}

TEST_EACH(full_blocks, 30)
{
    rng.s += (uint64_t)_i << 20;
    compare_drawn(64, 64, _i & 1 ? 0 : t1_random(&rng) % 64, 4 + t1_random(&rng) % 12);
}

/* A stream of blocks of all sizes, styles and depths, empty ones among them. */
enum { MOST = 40 };
typedef struct stream {
    wvl_t1_input in[MOST];
    wvl_t1_output out[MOST];
    const wvl_t1_output *seats[WVL_BLOCK_SEATS];
    size_t count, fetched, put, stop_after, of_seat[WVL_BLOCK_SEATS];
} stream;

static int fetch_drawn(void *user, unsigned seat, wvl_t1_input *in, wvl_t1_output *out)
{
    stream *s = user;
    REQUIRE(seat < WVL_BLOCK_SEATS && s->fetched <= s->count);
    if (s->fetched == s->count) {
        s->fetched++;
        return 0;
    }
    *in = s->in[s->fetched];
    *out = s->out[s->fetched];
    s->seats[seat] = out;
    s->of_seat[seat] = s->fetched++;
    return 1;
}

static int put_drawn(void *user, unsigned seat)
{
    stream *s = user;
    s->out[s->of_seat[seat]] = *s->seats[seat];
    REQUIRE(s->put < s->stop_after);
    return ++s->put < s->stop_after;
}

static uint32_t stream_data[MOST][70 * 70];

TEST_EACH(streams, 60)
{
    static result slow[MOST];
    static wvl_pass passes[MOST][WVL_T1_MAX_PASSES];
    static stream s;
    uint32_t planes = 0;
    rng.s += (uint64_t)_i << 20;
    memset(&s, 0, sizeof s);
    s.stop_after = SIZE_MAX;
    s.count = t1_random(&rng) % (MOST + 1);
    for (size_t i = 0; i < s.count; i++) {
        s.in[i] = draw(1 + t1_random(&rng) % 64, 1 + t1_random(&rng) % 64, t1_random(&rng) % 64, t1_random(&rng) % 16,
                       stream_data[i]);
        run(wvl_t1_encode_block_ref, &s.in[i], &slow[i]);
        planes = slow[i].out.planes > planes ? slow[i].out.planes : planes;
        s.out[i].bytes = malloc(slow[i].capacity);
        s.out[i].passes = passes[i];
    }
    size_t needed = wvl_t1_block_coder.scratch_bytes(64, 64, planes), all = wvl_t1_scratch_bytes();
    REQUIRE(needed <= all);
    uint8_t *guard = (uint8_t *)scratch + needed;
    memset(guard, 0xA5, all - needed);
    wvl_t1_block_coder.encode_stream(scratch, draw_kernels(), &(wvl_block_feed){&s, fetch_drawn, put_drawn, needed});
    REQUIRE(s.put == s.count);
    for (size_t i = 0; i < all - needed; i++) {
        REQUIRE(guard[i] == 0xA5);
    }
    for (size_t i = 0; i < s.count; i++) {
        require_same(&s.out[i], &slow[i].out);
        free(s.out[i].bytes);
        free(slow[i].bytes);
    }
}

/* Neither is the feed asked for a block nor given one after it ended the run. */
TEST_EACH(ended_streams, 20)
{
    static wvl_pass passes[MOST][WVL_T1_MAX_PASSES];
    static stream s;
    rng.s += (uint64_t)_i << 20;
    memset(&s, 0, sizeof s);
    s.count = MOST;
    s.stop_after = 1 + t1_random(&rng) % MOST;
    for (size_t i = 0; i < s.count; i++) {
        s.in[i] = draw(1 + t1_random(&rng) % 32, 1 + t1_random(&rng) % 32, 0, t1_random(&rng) % 16, stream_data[i]);
        s.out[i].bytes = malloc(wvl_t1_bound_bytes(32, 32, 31, 0));
        s.out[i].passes = passes[i];
    }
    wvl_t1_block_coder.encode_stream(scratch, draw_kernels(),
                                     &(wvl_block_feed){&s, fetch_drawn, put_drawn, wvl_t1_scratch_bytes()});
    REQUIRE(s.put == s.stop_after);
    for (size_t i = 0; i < s.count; i++) {
        free(s.out[i].bytes);
    }
}

TEST_MAIN("t1 twins")
