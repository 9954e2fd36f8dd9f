/* SPDX-License-Identifier: BSD-2-Clause */
/* The 2-D transform of wavelane_dwt.h beside convolutions in double precision that share no code with it. */
#include "wavelane_dwt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/bench/textbook.h"
#include "lab/dwt2/dwt2.h"
#include "tests/fault/ledger.h"

enum { MOST = 80, TALL = 700, LEVELS = 5, BANDS = 3 * LEVELS + 1 };

typedef struct kind {
    const char *wavelet, *textbook;
    uint32_t type;
} kind;
static const kind kinds[] = {{"cdf53", "reversible", WVL_DWT_I32},
                             {"cdf53", "cdf53", WVL_DWT_F32},
                             {"cdf97", "cdf97", WVL_DWT_F32},
                             {"dd137", "dd137", WVL_DWT_F32}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static wvl_dwt2 *open_dwt(const kind *k, uint32_t threads)
{
    wvl_dwt2_options o = {.struct_size = sizeof o, .wavelet = k->wavelet, .type = k->type, .threads = threads};
    wvl_dwt2 *dwt = NULL;
    char error[300] = "";
    const wvl_status status = wvl_dwt2_create(&o, &dwt, error, sizeof error);
    REQUIRE_THAT(status == WVL_OK, "%s: %s", k->wavelet, error);
    return dwt;
}

/* ---- Samples of either type ---- */

typedef union sample {
    float f;
    int32_t i;
    uint32_t bits;
} sample;

static double value_of(const kind *k, sample s) { return k->type == WVL_DWT_I32 ? (double)s.i : (double)s.f; }

static sample sample_of(const kind *k, double v)
{
    sample s;
    if (k->type == WVL_DWT_I32) {
        s.i = (int32_t)v;
    } else {
        s.f = (float)v;
    }
    return s;
}

static double draw_pixel(uint64_t *state) { return (double)(test_draw(state) % 256) - 128.0; }

/* ---- The textbook, level by level, where WVL_DWT2_SEPARATE has the bands ---- */

static double expected[TALL * MOST], level_in[TALL * MOST];

static void put_level(uint32_t width, uint32_t height, uint32_t stride)
{
    const uint32_t lows = (width + 1) / 2, low_rows = (height + 1) / 2;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t to_x = x / 2 + (x & 1 ? lows : 0), to_y = y / 2 + (y & 1 ? low_rows : 0);
            expected[to_y * stride + to_x] = level_in[y * width + x];
        }
    }
}

static void run_textbook(const kind *k, uint32_t width, uint32_t height, uint32_t levels)
{
    const wvl_textbook *book = wvl_textbook_find(k->textbook);
    REQUIRE(book);
    uint32_t w = width, h = height;
    for (uint32_t level = 0; level < levels; level++) {
        for (uint32_t y = 0; y < h; y++) {
            memcpy(level_in + y * w, expected + y * width, w * sizeof *expected);
        }
        REQUIRE(wvl_textbook_run(book, level_in, w, h) == 0);
        put_level(w, h, width);
        w = (w + 1) / 2;
        h = (h + 1) / 2;
    }
}

/* ---- One case: pictures in views of any strides, with cells around them that nobody may change ---- */

enum { GUARD = 7 };
typedef struct plane {
    sample *cells;
    uint64_t count;
    wvl_dwt2_view view;
} plane;

/* turn: chooses strides. Every second sample of a row may be free, rows may have gaps, and run upwards. */
static plane make_plane(uint32_t width, uint32_t height, uint32_t turn)
{
    const int64_t column = turn & 1 ? 2 : 1, row = (int64_t)width * column + (turn & 2 ? 3 : 0);
    plane p = {.count = (uint64_t)(row * height) + 2 * GUARD};
    p.cells = malloc(p.count * sizeof *p.cells);
    REQUIRE(p.cells);
    memset(p.cells, 0x5A, p.count * sizeof *p.cells);
    p.view = (wvl_dwt2_view){p.cells + GUARD, column, row};
    if (turn & 4) {
        p.view = (wvl_dwt2_view){p.cells + GUARD + row * (height - 1), column, -row};
    }
    return p;
}

static sample *at(const wvl_dwt2_view *view, uint32_t x, uint32_t y)
{
    return (sample *)view->samples + x * view->column_stride + y * view->row_stride;
}

static uint64_t count_changed(const plane *p)
{
    uint64_t changed = 0;
    for (uint64_t i = 0; i < p->count; i++) {
        changed += p->cells[i].bits != 0x5A5A5A5A;
    }
    return changed;
}

/* The coefficient that WVL_DWT2_SEPARATE has at (x, y), in any layout. */
static sample coefficient(const wvl_dwt2_view *bands, uint32_t width, uint32_t height, uint32_t levels, uint32_t x,
                          uint32_t y)
{
    for (uint32_t k = 1; k <= levels; k++) {
        const uint32_t w = (width + 1) / 2, h = (height + 1) / 2, orient = (x >= w) + 2 * (y >= h);
        if (orient) {
            return *at(&bands[3 * (levels - k) + orient], x >= w ? x - w : x, y >= h ? y - h : y);
        }
        width = w;
        height = h;
    }
    return *at(&bands[0], x, y);
}

static void check_case(const kind *k, wvl_dwt2 *dwt, uint32_t width, uint32_t height, uint32_t levels, uint32_t turn)
{
    plane image = make_plane(width, height, turn), coefs = make_plane(width, height, turn / 2),
          back = make_plane(width, height, turn + 1);
    wvl_dwt2_view bands[BANDS];
    uint64_t state = width * 1000 + height;
    double range = 255.0, worst = 0.0;
    for (uint32_t i = 0; i < width * height; i++) {
        expected[i] = draw_pixel(&state);
        *at(&image.view, i % width, i / width) = sample_of(k, expected[i]);
    }
    run_textbook(k, width, height, levels);
    REQUIRE(wvl_dwt2_place(turn % 2, &coefs.view, width, height, levels, bands) == WVL_OK);
    REQUIRE(wvl_dwt2_forward(dwt, &image.view, width, height, levels, bands, NULL, 0) == WVL_OK);
    for (uint32_t i = 0; i < width * height; i++) {
        const double got = value_of(k, coefficient(bands, width, height, levels, i % width, i / width));
        range = fmax(range, fabs(expected[i]));
        worst = fmax(worst, isnan(got) ? INFINITY : fabs(got - expected[i]));
    }
    REQUIRE_THAT(worst <= (k->type == WVL_DWT_I32 ? 0.0 : 1e-5 * range), "%s, %u x %u, %u levels: differs by %g",
                 k->textbook, width, height, levels, worst);
    REQUIRE(count_changed(&coefs) <= width * height);
    REQUIRE(wvl_dwt2_inverse(dwt, bands, width, height, levels, &back.view, NULL, 0) == WVL_OK);
    worst = 0.0;
    for (uint32_t i = 0; i < width * height; i++) {
        const double a = value_of(k, *at(&back.view, i % width, i / width)),
                     b = value_of(k, *at(&image.view, i % width, i / width));
        worst = fmax(worst, isnan(a) ? INFINITY : fabs(a - b));
    }
    REQUIRE_THAT(worst <= (k->type == WVL_DWT_I32 ? 0.0 : 255e-5), "%s, %u x %u, %u levels: comes back with error %g",
                 k->textbook, width, height, levels, worst);
    REQUIRE(count_changed(&back) <= width * height);
    free(image.cells);
    free(coefs.cells);
    free(back.cells);
}

TEST_EACH(textbook, KINDS)
{
    const kind *k = &kinds[_i];
    wvl_dwt2 *dwt = open_dwt(k, 1);
    for (uint32_t n = 1; n <= 67; n++) {
        check_case(k, dwt, n, n * 29 % 67 + 1, 1, n);
        check_case(k, dwt, n * 31 % 67 + 1, n, n % (LEVELS + 1), n + 3);
    }
    for (uint32_t turn = 0; turn < 8; turn++) {
        check_case(k, dwt, 1, 1 + turn, 2, turn);
        check_case(k, dwt, 1 + turn, 1, 2, turn);
        check_case(k, dwt, 2, 2, LEVELS, turn);
    }
    wvl_dwt2_release(dwt);
}

/* Strips of threads: the heights are around their limits. */
TEST_EACH(strips, KINDS)
{
    const kind *k = &kinds[_i];
    wvl_dwt2 *dwt = open_dwt(k, 3);
    static const uint32_t heights[] = {63, 64, 65, 66, 127, 128, 129, 193, 511, TALL};
    for (uint32_t i = 0; i < sizeof heights / sizeof *heights; i++) {
        check_case(k, dwt, 19 + i, heights[i], 1 + i % 3, i);
    }
    wvl_dwt2_release(dwt);
}

static sample one[TALL * MOST], other[TALL * MOST], third[TALL * MOST], source[TALL * MOST];

static void transform(const kind *k, uint32_t threads, const sample *from, sample *to, uint32_t width, uint32_t height,
                      uint32_t levels, int is_inverse)
{
    wvl_dwt2 *dwt = open_dwt(k, threads);
    sample *plane_of = is_inverse ? (sample *)from : to;
    wvl_dwt2_view image = {is_inverse ? to : (sample *)from, 1, width}, coefs = {plane_of, 1, width}, bands[BANDS];
    REQUIRE(wvl_dwt2_place(WVL_DWT2_SEPARATE, &coefs, width, height, levels, bands) == WVL_OK);
    REQUIRE((is_inverse ? wvl_dwt2_inverse(dwt, bands, width, height, levels, &image, NULL, 0)
                        : wvl_dwt2_forward(dwt, &image, width, height, levels, bands, NULL, 0)) == WVL_OK);
    wvl_dwt2_release(dwt);
}

TEST_EACH(threads_give_the_same_bits, KINDS)
{
    const kind *k = &kinds[_i];
    uint64_t state = 5;
    for (uint32_t i = 0; i < TALL * 71; i++) {
        source[i] = sample_of(k, draw_pixel(&state));
    }
    transform(k, 1, source, one, 71, TALL, 3, 0);
    transform(k, 4, source, other, 71, TALL, 3, 0);
    REQUIRE(memcmp(one, other, TALL * 71 * sizeof *one) == 0);
    transform(k, 1, one, third, 71, TALL, 3, 1);
    transform(k, 4, one, other, 71, TALL, 3, 1);
    REQUIRE(memcmp(third, other, TALL * 71 * sizeof *third) == 0);
}

/* T(3 a - b) = 3 T(a) - T(b), both directions. */
TEST_EACH(linear, KINDS)
{
    const kind *k = &kinds[_i];
    enum { SIDE = 61 };
    static sample mixed[SIDE * SIDE];
    for (int is_inverse = 0; is_inverse < 2 && k->type == WVL_DWT_F32; is_inverse++) {
        uint64_t state = 9;
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            one[i].f = (float)draw_pixel(&state);
            other[i].f = (float)draw_pixel(&state);
            mixed[i].f = 3 * one[i].f - other[i].f;
        }
        transform(k, 1, mixed, source, SIDE, SIDE, 2, is_inverse);
        transform(k, 1, one, third, SIDE, SIDE, 2, is_inverse);
        memcpy(one, third, sizeof mixed);
        transform(k, 1, other, third, SIDE, SIDE, 2, is_inverse);
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            REQUIRE(fabs((double)source[i].f - (3.0 * one[i].f - third[i].f)) < 1e-5 * 4 * 512);
        }
    }
}

/* A picture that moves by two samples has coefficients that move by one, away from borders: the same bits. */
TEST_EACH(shifts, KINDS)
{
    const kind *k = &kinds[_i];
    enum { SIDE = 64, HALF = SIDE / 2 };
    uint64_t state = 11;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        source[i] = sample_of(k, draw_pixel(&state));
    }
    transform(k, 1, source, one, SIDE, SIDE, 1, 0);
    for (uint32_t y = 0; y + 2 < SIDE; y++) {
        memmove(source + y * SIDE, source + (y + 2) * SIDE + 2, (SIDE - 2) * sizeof *source);
    }
    transform(k, 1, source, other, SIDE, SIDE, 1, 0);
    for (uint32_t y = 8; y < HALF - 8; y++) {
        for (uint32_t x = 8; x < HALF - 8; x++) {
            REQUIRE(other[y * SIDE + x].bits == one[(y + 1) * SIDE + x + 1].bits);
            REQUIRE(other[(y + HALF) * SIDE + x + HALF].bits == one[(y + 1 + HALF) * SIDE + x + 1 + HALF].bits);
        }
    }
}

/* The low filter of each wavelet, read from a single sample in the middle: along a row of LL, times its centre tap. */
TEST_EACH(impulse, KINDS)
{
    const kind *k = &kinds[_i];
    enum { SIDE = 64, AT = 32 };
    const wvl_textbook *book = wvl_textbook_find(k->textbook);
    if (k->type != WVL_DWT_F32) {
        return;
    }
    memset(source, 0, sizeof source);
    source[AT * SIDE + AT].f = 1.0f;
    transform(k, 1, source, one, SIDE, SIDE, 1, 0);
    for (int x = 0; x < SIDE / 2; x++) {
        const int distance = AT - 2 * x;
        const double tap = abs(distance) <= book->low_reach ? book->low[distance + book->low_reach] : 0.0;
        REQUIRE(fabs(one[AT / 2 * SIDE + x].f - tap * book->low[book->low_reach]) < 1e-6);
    }
}

TEST_EACH(values_that_are_not_finite_stay_near, KINDS)
{
    const kind *k = &kinds[_i];
    enum { SIDE = 64, AT = 30, NEAR = 6 };
    if (k->type != WVL_DWT_F32) {
        return;
    }
    for (int is_inverse = 0; is_inverse < 2; is_inverse++) {
        memset(source, 0, sizeof source);
        source[(is_inverse ? AT / 2 : AT) * SIDE + (is_inverse ? AT / 2 : AT)].f = is_inverse ? INFINITY : NAN;
        transform(k, 1, source, one, SIDE, SIDE, 1, is_inverse);
        uint32_t found = 0;
        for (int i = 0; i < SIDE * SIDE; i++) {
            const int x = is_inverse ? i % SIDE : i % SIDE % (SIDE / 2) * 2,
                      y = is_inverse ? i / SIDE : i / SIDE % (SIDE / 2) * 2;
            const int is_near = abs(x - AT) <= 2 * NEAR && abs(y - AT) <= 2 * NEAR;
            found += !isfinite(one[i].f);
            REQUIRE(is_near || one[i].f == 0.0f);
        }
        REQUIRE(found >= 9);
    }
}

#ifdef WVL_HAVE_AVX2
TEST(row_kernels_are_twins)
{
    enum { N = 77 };
    const wvl_dwt2_rows *tables[2] = {&wvl_dwt2_rows_c, &wvl_dwt2_rows_avx2};
    static sample rows[4][2 * N], out[2][3][2 * N];
    uint64_t state = 3;
    wvl_dwt2_scheme forward, inverse;
    if (wvl_cpu_fetch_level() < WVL_CPU_AVX2) {
        return;
    }
    for (uint32_t i = 0; i < 4 * 2 * N; i++) {
        rows[i / (2 * N)][i % (2 * N)].f = (float)draw_pixel(&state) / 7.0f;
    }
    for (uint32_t kind_index = 0; kind_index < KINDS; kind_index++) {
        REQUIRE(wvl_dwt2_find_scheme(kinds[kind_index].wavelet, kinds[kind_index].type, &forward, &inverse));
        for (uint32_t step = 0; step < forward.step_count; step++) {
            for (int t = 0; t < 2; t++) {
                memcpy(out[t], rows, sizeof out[t]);
                if (forward.type == WVL_DWT_I32) {
                    const int32_t *from[4] = {&rows[0][0].i, &rows[1][0].i, NULL, NULL};
                    tables[t]->lift_i32(&out[t][0][0].i, from, &forward.steps[step], N);
                } else {
                    const float *from[4] = {&rows[0][0].f, &rows[1][0].f, &rows[2][0].f, &rows[3][0].f};
                    tables[t]->lift_f32(&out[t][0][0].f, from, &forward.steps[step], N);
                }
                tables[t]->split(rows[0], out[t][1], out[t][2], N);
                tables[t]->merge(rows[1], rows[2], out[t][1], N);
                tables[t]->scale(&out[t][2][0].f, 1.7f, N);
            }
            REQUIRE(memcmp(out[0], out[1], sizeof out[0]) == 0);
        }
    }
}
#endif

/* ---- Errors ---- */

static wvl_status try_create(wvl_dwt2_options o, char *error)
{
    wvl_dwt2 *dwt = (wvl_dwt2 *)1;
    error[0] = 0;
    o.struct_size = o.struct_size ? o.struct_size : sizeof o;
    const wvl_status status = wvl_dwt2_create(&o, &dwt, error, 300);
    REQUIRE((status == WVL_OK) == (dwt != NULL) && (status == WVL_OK) == (error[0] == 0));
    wvl_dwt2_release(dwt);
    return status;
}

TEST(options_that_are_refused)
{
    char error[300];
    const wvl_runner no_function = {.concurrency = 2};
    const wvl_allocator half = {0};
    const wvl_dwt2_options good = {.wavelet = "cdf97", .type = WVL_DWT_F32};
    const struct {
        wvl_dwt2_options options;
        wvl_status status;
    } rows[] = {{good, WVL_OK},
                {{.wavelet = NULL, .type = WVL_DWT_F32}, WVL_ERROR_ARGUMENT},
                {{.wavelet = "cdf97", .type = WVL_DWT_I32}, WVL_ERROR_PARAMETER},
                {{.wavelet = "cdf97", .type = WVL_DWT_F32, .threads = 1025}, WVL_ERROR_PARAMETER},
                {{.wavelet = "cdf97", .type = WVL_DWT_F32, .device = 1}, WVL_ERROR_PARAMETER},
                {{.wavelet = "cdf97", .type = WVL_DWT_F32, .memory = 2}, WVL_ERROR_PARAMETER},
                {{.wavelet = "cdf97", .type = WVL_DWT_F32, .stream = error}, WVL_ERROR_PARAMETER},
                {{.wavelet = "cdf97", .type = WVL_DWT_F32, .runner = &no_function}, WVL_ERROR_PARAMETER},
                {{.wavelet = "cdf97", .type = WVL_DWT_F32, .allocator = &half}, WVL_ERROR_PARAMETER},
                {{.struct_size = 8, .wavelet = "cdf97", .type = WVL_DWT_F32}, WVL_ERROR_ARGUMENT},
                {{.wavelet = "db4", .type = WVL_DWT_F32}, WVL_ERROR_PARAMETER}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        REQUIRE_THAT(try_create(rows[i].options, error) == rows[i].status, "options %zu: %s", i, error);
    }
    REQUIRE(strstr(error, "db4") && strstr(error, "cdf53"));
    REQUIRE(wvl_dwt2_create(&good, NULL, NULL, 0) == WVL_ERROR_ARGUMENT);
    wvl_dwt2_release(NULL);
}

TEST(calls_that_are_refused)
{
    char error[300] = "";
    wvl_dwt2 *dwt = open_dwt(&kinds[2], 1);
    wvl_dwt2_view image = {one, 1, 8}, plane_view = {other, 1, 8}, bands[3 * 32 + 1];
    REQUIRE(wvl_dwt2_place(WVL_DWT2_SEPARATE, &plane_view, 8, 8, 33, bands) == WVL_ERROR_ARGUMENT);
    REQUIRE(wvl_dwt2_place(2, &plane_view, 8, 8, 1, bands) == WVL_ERROR_ARGUMENT);
    REQUIRE(wvl_dwt2_place(WVL_DWT2_SEPARATE, NULL, 8, 8, 1, bands) == WVL_ERROR_ARGUMENT);
    REQUIRE(wvl_dwt2_place(WVL_DWT2_SEPARATE, &plane_view, 0, 8, 1, bands) == WVL_ERROR_ARGUMENT);
    REQUIRE(wvl_dwt2_place(WVL_DWT2_INTERLEAVED, &plane_view, 8, 8, 32, bands) == WVL_OK);
    REQUIRE(wvl_dwt2_forward(dwt, &image, 8, 8, 32, bands, NULL, 0) == WVL_OK);
    REQUIRE(wvl_dwt2_inverse(dwt, bands, 8, 8, 32, &image, NULL, 0) == WVL_OK);
    REQUIRE(wvl_dwt2_place(WVL_DWT2_SEPARATE, &plane_view, 8, 8, 1, bands) == WVL_OK);
    REQUIRE(wvl_dwt2_forward(dwt, &image, 8, 8, 33, bands, error, sizeof error) == WVL_ERROR_ARGUMENT);
    REQUIRE(wvl_dwt2_forward(dwt, &image, 0x80000000u, 8, 1, bands, error, sizeof error) == WVL_ERROR_ARGUMENT);
    REQUIRE(wvl_dwt2_forward(NULL, &image, 8, 8, 1, bands, error, sizeof error) == WVL_ERROR_ARGUMENT);
    REQUIRE(wvl_dwt2_inverse(dwt, NULL, 8, 8, 1, &image, error, sizeof error) == WVL_ERROR_ARGUMENT);
    bands[3].row_stride = 0;
    REQUIRE(wvl_dwt2_forward(dwt, &image, 8, 8, 1, bands, error, sizeof error) == WVL_ERROR_ARGUMENT);
    REQUIRE(strstr(error, "wvl_dwt2_place"));
    bands[3].row_stride = 1;
    image.samples = NULL;
    REQUIRE(wvl_dwt2_forward(dwt, &image, 8, 8, 1, bands, error, sizeof error) == WVL_ERROR_ARGUMENT);
    wvl_dwt2_release(dwt);
}

TEST(memory_runs_out)
{
    owned_ledger l;
    ledger_open(&l);
    const wvl_allocator allocator = ledger_allocator(&l);
    wvl_dwt2_options o = {.struct_size = sizeof o, .wavelet = "cdf97", .type = WVL_DWT_F32, .allocator = &allocator};
    wvl_dwt2_view image = {one, 1, 40}, plane_view = {other, 1, 40}, bands[BANDS];
    int fine = 0;
    REQUIRE(wvl_dwt2_place(WVL_DWT2_SEPARATE, &plane_view, 40, 30, 4, bands) == WVL_OK);
    for (int most = 0; most < 20; most++) {
        wvl_dwt2 *dwt = NULL;
        ledger_limit_calls(&l, most);
        wvl_status status = wvl_dwt2_create(&o, &dwt, NULL, 0);
        if (!status) {
            status = wvl_dwt2_forward(dwt, &image, 40, 30, 4, bands, NULL, 0);
        }
        REQUIRE(status == WVL_OK || status == WVL_ERROR_MEMORY);
        fine += status == WVL_OK;
        ledger_limit_calls(&l, -1);
        if (dwt) {
            REQUIRE(wvl_dwt2_forward(dwt, &image, 40, 30, 4, bands, NULL, 0) == WVL_OK);
        }
        wvl_dwt2_release(dwt);
    }
    REQUIRE(fine > 5 && fine < 18);
}

TEST_MAIN("dwt2")
