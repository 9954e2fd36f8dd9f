/* SPDX-License-Identifier: BSD-2-Clause */
/* Same bytes: for any number of threads, on repetition, on any SIMD level, under any floating-point environment of the
 * caller, with any allocator, runner, container or layout. WVL_TEST_DEVICE in the environment: on that device instead,
 * beside the CPU. */
#include <fenv.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "tests/decode/cases.h"
#include "tests/fault/ledger.h"

static const char *const settings[] = {
    "",
    "reversible=no",
    "reversible=no bpp=0.3,1,2 tile=100,90",
    "layers=6 style=BYPASS+TERMALL+SEGSYM",
    "reversible=no psnr=30,40 progression=RPCL precincts=[64,64] plt=yes tlm=yes",
    "reversible=no max-bytes=9000 max-component-bytes=4000 mct=off",
    "rates=30,10,1 tile=64,64 tile-parts=RL",
    "reversible=no slopes=36000,34000 style=63 block=16,16",
    "reversible=no quantization=derived levels=9 distortion-bits=0",
    "tile=64,64 reversible=no bpp=1,3 overrides=C1:block=16,16;levels=2/T2:reversible=yes/T3:mct=off;progression=RPCL",
    "reversible=no step=0.008 bpp=1,3 mct=off tile=100,90 roi=rect=40,30,50,80/c=1,U=9",
    "psnr=35,0 mct=off roi=rect=40,30,50,80",
    "reversible=no bpp=0.4,1.1 tile=100,90 visual=yes",
    "reversible=no bpp=0.5,1,2 block=4,4", /* blocks enough for all workers to visit them */
    "reversible=no bpp=4,6 max-component-bytes=12000 mct=off block=4,4 precincts=[8,8] plt=yes", /* and more precincts
                                                                                                    than are sorted */
    "style=HT tile=90,80",
    "style=HT+VSC reversible=no step=0.01 block=32,128",
    "style=HT reversible=no bpp=1.5 tile=100,90"};
#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

typedef struct bytes {
    uint8_t *data;
    size_t count;
} bytes;

/* NULL: on the CPU. */
static const char *device;

static void check_backend(const wvl_result *result, const char *text)
{
    const char *made_by = wvl_result_backend(result);
    ck_assert_msg(strstr(made_by, device ? "cuda:" : "cpu") != NULL, "\"%s\": made by %s", text, made_by);
}

static bytes encode(const wvl_context_options *options, const picture_input *from, const char *text)
{
    wvl_context *context;
    wvl_params *params;
    wvl_plan *plan;
    wvl_sink sink;
    void *data;
    char error[512] = "";
    bytes b;
    wvl_result *result;
    ck_assert_int_eq(wvl_context_create(options, &context), WVL_OK);
    ck_assert_int_eq(wvl_params_create(context, &params), WVL_OK);
    ck_assert_int_eq(wvl_params_set(params, "device", device ? device : "cpu"), WVL_OK);
    ck_assert_msg(case_set(params, text, error, sizeof error) == WVL_OK, "%s", error);
    ck_assert_msg(wvl_plan_create(context, params, &from->format, NULL, &plan) == WVL_OK, "%s",
                  wvl_context_error(context));
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_msg(wvl_encode(plan, &from->image, &sink, NULL, &result, error, sizeof error) == WVL_OK, "\"%s\": %s",
                  text, error);
    check_backend(result, text);
    wvl_result_release(result);
    ck_assert_int_eq(wvl_sink_take_memory(&sink, &data, &b.count), WVL_OK);
    b.data = malloc(b.count);
    ck_assert_ptr_nonnull(b.data);
    memcpy(b.data, data, b.count);
    wvl_memory_release(context, data, b.count);
    wvl_plan_release(plan);
    wvl_params_release(params);
    wvl_context_release(context);
    return b;
}

/* The picture of a test, and what the CPU makes of it with one thread. */
static picture drawn;
static picture_input input;
static bytes reference;

/* What follows is encoded where the suite was told to. */
static void begin_with(picture p, int i)
{
    wvl_context_options one = {.struct_size = sizeof one, .threads = 1};
    drawn = p;
    input = picture_open_input(&drawn, 0);
    device = NULL;
    reference = encode(&one, &input, settings[i]);
    device = getenv("WVL_TEST_DEVICE");
}

/* Rate control of the device in software is emulated: its pictures are smaller, those with many blocks most of all. */
static uint32_t shrink(int i, uint32_t size)
{
    uint32_t thirds = strstr(settings[i], "block=4,4") ? 1 : 2;
    return case_emulated() ? size * thirds / 3 : size;
}

static void begin(int i)
{
    begin_with(i & 1 ? picture_draw(PICTURE_NATURAL, shrink(i, 203), shrink(i, 151), 3, 8, (unsigned)i)
                     : picture_draw(PICTURE_NATURAL, shrink(i, 170), shrink(i, 190), 3, 12, (unsigned)i),
               i);
}

static void end(void)
{
    free(reference.data);
    picture_close_input(&input);
    fuzz_picture_free(&drawn);
}

/* The bytes must be the reference's. */
static void expect_same(const char *what, bytes b)
{
    ck_assert_msg(reference.count == b.count && !memcmp(reference.data, b.data, b.count),
                  "%s: %zu bytes, %zu bytes, or other ones", what, reference.count, b.count);
    free(b.data);
}

static wvl_context_options threads(uint32_t count)
{
    wvl_context_options options = {.struct_size = sizeof options, .threads = count};
    return options;
}

TEST_FIXTURE(NULL, end);

TEST_EACH(threads_and_repetition, SETTINGS)
{
    static const uint32_t counts[] = {1, 33, 7, 3, 2, 1};
    begin(_i);
    for (unsigned i = 0; i < (case_emulated() ? 2 : 6); i++) {
        wvl_context_options options = threads(counts[i]);
        expect_same("threads", encode(&options, &input, settings[_i]));
    }
}

/* The level is read from the environment by builds for testing. */
TEST_EACH(simd_levels, getenv("WVL_TEST_DEVICE") ? 0 : SETTINGS)
{
    wvl_context_options one = threads(1);
    begin(_i);
    static const char *const levels[] = {"c", "avx2", "avx512"};
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(setenv("WVL_SIMD", levels[i], 1), 0);
        expect_same(levels[i], encode(&one, &input, settings[_i]));
    }
}

TEST_EACH(floating_point_environments, getenv("WVL_TEST_DEVICE") ? 0 : SETTINGS)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    wvl_context_options one = threads(1), two = threads(2);
    begin(_i);
    for (unsigned m = 0; m < 4; m++) {
        for (unsigned flush = 0; flush < 2; flush++) {
            ck_assert_int_eq(fesetround(modes[m]), 0);
#if defined(__x86_64__)
            unsigned csr = _mm_getcsr(), changed = flush ? csr | 0x8040u : csr; /* FTZ, DAZ */
            _mm_setcsr(changed);
#endif
            bytes b = encode(m & 1 ? &two : &one, &input, settings[_i]);
            int kept = fegetround() == modes[m];
#if defined(__x86_64__)
            kept = kept && (_mm_getcsr() & 0xFFC0u) == (changed & 0xFFC0u);
            _mm_setcsr(csr);
#endif
            ck_assert_int_eq(fesetround(FE_TONEAREST), 0);
            ck_assert_msg(kept, "mode %u: the caller's environment is not restored", m);
            expect_same("floating-point environment", b);
        }
    }
}

/* ---- Runner, allocator ----------------------------------------------------------------------- */

static void run_backwards(void *user, uint32_t count, wvl_task_fn task, void *arg)
{
    ++*(unsigned *)user;
    for (uint32_t i = count; i-- > 0;) {
        task(arg, i, i % 3);
    }
}

typedef struct crew {
    uint32_t count, worker, workers;
    wvl_task_fn task;
    void *arg;
} crew;

static void *work(void *user)
{
    crew *c = user;
    for (uint32_t i = c->worker; i < c->count; i += c->workers) {
        c->task(c->arg, i, c->worker);
    }
    return NULL;
}

/* Threads of the caller's own, fresh for every run. */
static void run_crew(void *user, uint32_t count, wvl_task_fn task, void *arg)
{
    pthread_t ids[4];
    crew crews[4];
    ++*(unsigned *)user;
    for (uint32_t w = 0; w < 4; w++) {
        crews[w] = (crew){count, w, 4, task, arg};
        ck_assert_int_eq(pthread_create(&ids[w], NULL, work, &crews[w]), 0);
    }
    for (uint32_t w = 0; w < 4; w++) {
        (void)pthread_join(ids[w], NULL);
    }
}

TEST_EACH(runners_and_allocators, SETTINGS)
{
    unsigned runs = 0;
    wvl_context_options options = threads(0);
    begin(_i);
    options.runner = (wvl_runner){run_backwards, &runs, 3};
    expect_same("runner, backwards", encode(&options, &input, settings[_i]));
    ck_assert_uint_gt(runs, 0);
    runs = 0;
    options.runner = (wvl_runner){run_crew, &runs, 4};
    expect_same("runner, threads", encode(&options, &input, settings[_i]));
    ck_assert_uint_gt(runs, 0);
    ledger l; /* hands out memory full of 0xA5 */
    ledger_open(&l);
    options = threads(2);
    options.host = ledger_allocator(&l);
    expect_same("allocator", encode(&options, &input, settings[_i]));
    ck_assert(l.live_count == 0 && l.wrong_sizes == 0 && l.calls > 10);
}

typedef struct race {
    const char *text;
    bytes result;
} race;

static void *race_main(void *user)
{
    race *r = user;
    wvl_context_options two = threads(2);
    r->result = encode(&two, &input, r->text);
    return NULL;
}

/* Several encodes at once in one process. */
TEST_EACH(side_by_side, SETTINGS)
{
    race races[6];
    pthread_t ids[6];
    begin(_i);
    unsigned count = case_emulated() ? 3 : 6;
    for (unsigned i = 0; i < count; i++) {
        races[i] = (race){settings[_i], {NULL, 0}};
        ck_assert_int_eq(pthread_create(&ids[i], NULL, race_main, &races[i]), 0);
    }
    for (unsigned i = 0; i < count; i++) {
        ck_assert_int_eq(pthread_join(ids[i], NULL), 0);
        expect_same("side by side", races[i].result);
    }
}

/* ---- Layouts --------------------------------------------------------------------------------- */

/* Bottom-up rows, padding, no alignment, interleaved, wider containers, packed bits: the samples count, not where they
 * lie. */
static wvl_plane lay_out(const picture_plane *plane, uint32_t c, unsigned layout, uint8_t *memory, size_t room)
{
    uint32_t w = plane->width, h = plane->height;
    unsigned container = layout == 0                  ? 4
                         : layout == 1 || layout == 2 ? 2
                                                      : 4,
             stride = layout == 2 ? 3 : 1, first = layout == 2 ? c : 0;
    ptrdiff_t pitch = (ptrdiff_t)(w * stride * container) + 5;
    size_t own = (size_t)pitch * h + 16;
    uint8_t *base = memory + 1 + (layout == 2 ? 0 : c * own),
            *start = layout == 1 ? base + pitch * (ptrdiff_t)(h - 1) : base;
    ck_assert_uint_lt((size_t)(base - memory) + own, room);
    pitch = layout == 1 ? -pitch : pitch;
    for (uint32_t y = 0; y < h; y++) {
        for (uint32_t x = 0; x < w; x++) {
            uint8_t *at = start + (ptrdiff_t)y * pitch + (ptrdiff_t)((x * stride + first) * container);
            int32_t word = plane->samples[(size_t)y * w + x];
            int16_t half = (int16_t)word;
            memcpy(at, container == 4 ? (void *)&word : (void *)&half, container);
        }
    }
    return (wvl_plane){start, pitch, stride, first, container == 4 ? WVL_SAMPLE_32 : WVL_SAMPLE_16};
}

/* Consecutive samples of 10 or 12 bits, most significant bit first, rows from a byte on. */
static wvl_plane lay_bits(const picture_plane *plane, uint32_t c, unsigned bits, uint8_t *memory, size_t room)
{
    size_t pitch = ((size_t)plane->width * bits + 7) / 8 + 3;
    uint8_t *base = memory + 1 + c * pitch * plane->height;
    ck_assert_uint_lt((size_t)(base - memory) + pitch * plane->height, room);
    memset(base, 0, pitch * plane->height);
    for (uint32_t y = 0; y < plane->height; y++) {
        for (size_t i = 0; i < (size_t)plane->width * bits; i++) {
            uint32_t v = (uint32_t)plane->samples[(size_t)y * plane->width + i / bits];
            base[y * pitch + i / 8] |= (uint8_t)((v >> (bits - 1 - i % bits) & 1) << (7 - i % 8));
        }
    }
    return (wvl_plane){base, (ptrdiff_t)pitch, 1, 0, bits == 10 ? WVL_SAMPLE_PACKED10 : WVL_SAMPLE_PACKED12};
}

TEST_EACH(layouts, SETTINGS)
{
    unsigned depth = _i & 1 ? 12 : 10;
    size_t room = 2000000;
    uint8_t *memory = malloc(room);
    wvl_context_options one = threads(1);
    begin_with(picture_draw(PICTURE_NATURAL, shrink(_i, 131), shrink(_i, 99), 3, depth, 4), _i);
    ck_assert_ptr_nonnull(memory);
    for (unsigned layout = 0; layout < 4; layout++) {
        wvl_plane planes[3];
        picture_input other = input;
        for (uint32_t c = 0; c < 3; c++) {
            planes[c] = layout < 3 ? lay_out(&drawn.planes[c], c, layout, memory, room)
                                   : lay_bits(&drawn.planes[c], c, depth, memory, room);
        }
        other.image.planes = planes;
        char what[32];
        snprintf(what, sizeof what, "layout %u", layout);
        expect_same(what, encode(&one, &other, settings[_i]));
    }
    free(memory);
}

/* The blocks of the device in software by the kernels' own source. Elsewhere the word says nothing. */
TEST_EACH(kernels, getenv("WVL_TEST_DEVICE") ? SETTINGS : 0)
{
    wvl_context_options one = threads(1);
    ck_assert_int_eq(setenv("SOFT_EMULATE", "1", 1), 0);
    begin(_i);
    expect_same("kernels", encode(&one, &input, settings[_i]));
    ck_assert_int_eq(unsetenv("SOFT_EMULATE"), 0);
}

TEST_MAIN("same bytes")
