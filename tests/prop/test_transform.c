/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole CPU backend against independent truths: 5/3 coefficients are inverted by a decoder written here and give
 * the pixels back; 9/7 coefficients equal a textbook filter bank in double precision, normalised and divided by the
 * step as Annexes E and F say; the quantiser agrees with exact rational arithmetic.
 */

#include "backend/backend_cpu.h"
#include "base/alloc.h"
#include "dwt/quant.h"
#include "tests/support/planned.h"

/* A drawn picture, its plan and its coefficients from the CPU backend: the apparatus of test_transform.c, which alone
 * includes it. */
static uint64_t seed_state = 1;

static uint64_t draw(void) { return test_draw(&seed_state); }
static uint32_t between(uint32_t low, uint32_t high) { return low + (uint32_t)(draw() % (high - low + 1)); }

/* ---- A picture, its plan, its coefficients --------------------------------------------------- */

#define COMPONENTS 4u

typedef struct job {
    wvl_settings settings;
    double layer;
    wvl_component_format components[COMPONENTS];
    wvl_image_format format;
    wvl_plan *plan;
    wvl_tile_plan *tiles;
    int32_t *pixels[COMPONENTS]; /* by component, raster */
    wvl_plane planes[COMPONENTS];
    wvl_image image;
    wvl_pool *pool;
    wvl_backend *backend;
    wvl_backend_job *running;
    wvl_coefs *coefs;
} job;

static void default_job(job *j)
{
    memset(j, 0, sizeof *j);
    test_default_settings(&j->settings);
    j->format.struct_size = sizeof j->format;
    j->format.component_count = 1;
    for (unsigned c = 0; c < COMPONENTS; c++) {
        j->components[c] = (wvl_component_format){8, 0, 1, 1};
    }
}

static void plan_job(job *j)
{
    j->format.components = j->components;
    j->settings.layer_values = &j->layer;
    j->plan = test_build_plan(&j->settings, &j->format);
    j->tiles = test_build_tiles(j->plan);
    j->coefs = calloc(j->plan->syntax.tile_count, sizeof *j->coefs);
}

/* The value of a sample as it is stored, and what NLT of type 3 makes of it (15444-2): negative numbers count down from
 * -1 - half as their bits count up. */
static int64_t value_of(const wvl_plan_component *pc, int32_t stored)
{
    int64_t v = pc->is_signed ? stored : (int64_t)(uint32_t)stored;
    return pc->is_float && v < 0 ? -v - ((int64_t)1 << (pc->depth - 1)) - 1 : v;
}

/* Noise over a gradient, full-range noise, or only the two extremes. */
static void draw_pixels(job *j)
{
    unsigned style = (unsigned)(draw() % 3);
    for (uint32_t c = 0; c < j->format.component_count; c++) {
        const wvl_plan_component *pc = &j->plan->syntax.components[c];
        uint64_t n = (uint64_t)wvl_rect_width(pc->rect) * wvl_rect_height(pc->rect);
        uint32_t top = UINT32_MAX >> (32 - pc->depth), offset = pc->is_signed ? 1u << (pc->depth - 1) : 0;
        j->pixels[c] = malloc((size_t)(n + 1) * sizeof *j->pixels[c]);
        for (uint64_t i = 0; i < n; i++) {
            uint32_t v = style == 2   ? (draw() & 1 ? top : 0)
                         : style == 1 ? (uint32_t)draw() & top
                                      : (uint32_t)(i + draw() % 5) & top;
            j->pixels[c][i] = (int32_t)(v - offset);
        }
        j->planes[c] = (wvl_plane){
            .data = j->pixels[c], .pitch_bytes = (ptrdiff_t)wvl_rect_width(pc->rect) * 4, .container = WVL_SAMPLE_32};
    }
    j->image =
        (wvl_image){.struct_size = sizeof j->image, .planes = j->planes, .plane_count = j->format.component_count};
}

static wvl_status run_job(job *j, uint32_t threads)
{
    uint32_t count = j->plan->syntax.tile_count;
    j->pool = wvl_pool_create(NULL, threads, NULL);
    REQUIRE_THAT(wvl_backend_cpu.open(&(wvl_backend_options){.pool = j->pool}, &j->backend) == WVL_OK, "open");
    REQUIRE_THAT(wvl_backend_prepare_tiles(&wvl_backend_cpu, j->backend, j->pool, j->plan, j->tiles, count) == WVL_OK,
                 "prepare");
    wvl_backend_job *none = NULL;
    REQUIRE_THAT(wvl_backend_cpu.submit(j->backend, &j->image, j->tiles, count, &j->running) == WVL_OK, "submit");
    REQUIRE_THAT(wvl_backend_cpu.submit(j->backend, &j->image, j->tiles, count, &none) == WVL_AGAIN,
                 "a second job in one workspace");
    REQUIRE_THAT(wvl_backend_cpu.wait(j->running, WVL_EVENT_DONE, 0) == WVL_AGAIN, "done before it ran");
    wvl_status status = wvl_backend_cpu.wait(j->running, WVL_EVENT_DONE, UINT32_MAX);
    REQUIRE_THAT(wvl_backend_cpu.collect(j->running, j->coefs) == WVL_OK, "collect");
    return status;
}

static void end_run(job *j)
{
    wvl_backend_cpu.release(j->running);
    wvl_backend_cpu.close(j->backend);
    wvl_pool_destroy(j->pool);
}

static void free_job(job *j)
{
    for (uint32_t c = 0; c < j->format.component_count; c++) {
        free(j->pixels[c]);
    }
    free(j->tiles);
    free(j->coefs);
    wvl_plan_destroy(NULL, j->plan);
}

static int64_t coef_value(const wvl_coefs *coefs, const wvl_tile_band *band, uint32_t x, uint32_t y)
{
    const uint8_t *at = coefs->samples + wvl_coef_at(band, x, y);
    uint32_t word, sign = band->coef_bytes == 2 ? 0x8000u : 0x80000000u;
    uint16_t half;
    if (band->coef_bytes == 8) {
        uint64_t deep;
        memcpy(&deep, at, 8);
        return deep >> 63 ? -(int64_t)(deep & INT64_MAX) : (int64_t)deep;
    }
    if (band->coef_bytes == 2) {
        memcpy(&half, at, 2);
        word = half;
    } else {
        memcpy(&word, at, 4);
    }
    REQUIRE_THAT(word != sign, "negative zero");
    return word & sign ? -(int64_t)(word & ~sign) : (int64_t)word;
}

/* Bounds are the OR of the magnitudes, and the plan's planes hold them. */
static void check_bounds(const wvl_coefs *coefs, const wvl_tile_band *band)
{
    for (uint32_t row = 0; row < band->block_rows; row++) {
        for (uint32_t col = 0; col < band->block_cols; col++) {
            wvl_rect r = wvl_geom_block_rect(band, col, row);
            uint64_t seen = 0;
            for (uint32_t y = r.y0; y < r.y1; y++) {
                for (uint32_t x = r.x0; x < r.x1; x++) {
                    int64_t v = coef_value(coefs, band, x, y);
                    seen |= (uint64_t)(v < 0 ? -v : v);
                }
            }
            uint32_t bound = coefs->bounds[band->first_block + (uint64_t)row * band->block_cols + col];
            uint64_t joined =
                seen >> 31 ? (seen & INT32_MAX) | UINT64_C(1) << 31 : seen; /* as 64-bit samples have it */
            REQUIRE_THAT(bound == joined, "bound %x, magnitudes %llx", bound, (unsigned long long)seen);
            REQUIRE_THAT(seen >> (band->planes + band->frac_bits) == 0, "magnitude %llx in %u + %u bits",
                         (unsigned long long)seen, band->planes, band->frac_bits);
        }
    }
}

/* ---- 5/3, inverted --------------------------------------------------------------------------- */

/* F.3.8.2 on the interval [i0, i0 + n): y interleaved, even absolute coordinates low. Symmetric extension by index. */
static int64_t extended(const int64_t *y, int64_t i0, int64_t n, int64_t i)
{
    int64_t k = i - i0, period = 2 * (n - 1);
    k = ((k % period) + period) % period;
    return y[k < n ? k : period - k];
}
static int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

static void inverse_53(int64_t *y, int64_t i0, int64_t n)
{
    if (n == 1) {
        y[0] = i0 & 1 ? y[0] / 2 : y[0];
        return;
    }
    for (int parity = 0; parity < 2; parity++) {
        for (int64_t i = i0 + ((i0 ^ parity) & 1); i < i0 + n; i += 2) {
            int64_t sum = extended(y, i0, n, i - 1) + extended(y, i0, n, i + 1);
            y[i - i0] += parity ? floor_div(sum, 2) : -floor_div(sum + 2, 4);
        }
    }
}

typedef struct field {
    wvl_rect rect;
    int64_t *v;
} field;

static field make_field(wvl_rect rect)
{
    field f = {rect, malloc((size_t)((uint64_t)wvl_rect_width(rect) * wvl_rect_height(rect) + 1) * sizeof *f.v)};
    return f;
}

static void invert_axis(field *f, int vertical)
{
    int64_t w = wvl_rect_width(f->rect), h = wvl_rect_height(f->rect), n = vertical ? h : w, lines = vertical ? w : h;
    int64_t *line = malloc((size_t)(n + 1) * sizeof *line);
    for (int64_t l = 0; l < lines; l++) {
        for (int64_t i = 0; i < n; i++) {
            line[i] = f->v[vertical ? i * w + l : l * w + i];
        }
        inverse_53(line, vertical ? f->rect.y0 : f->rect.x0, n);
        for (int64_t i = 0; i < n; i++) {
            f->v[vertical ? i * w + l : l * w + i] = line[i];
        }
    }
    free(line);
}

/* Interleaves low-low (already rebuilt) with the three bands of resolution r, and inverts horizontally, then
 * vertically. */
static field rebuild_level(const wvl_coefs *coefs, const wvl_tile_resolution *res, field low)
{
    field f = make_field(res->rect);
    int64_t w = wvl_rect_width(f.rect);
    for (uint32_t y = f.rect.y0; y < f.rect.y1; y++) {
        for (uint32_t x = f.rect.x0; x < f.rect.x1; x++) {
            unsigned orient = (x & 1) + 2 * (y & 1);
            int64_t *to = &f.v[(int64_t)(y - f.rect.y0) * w + (x - f.rect.x0)];
            if (orient) {
                *to = coef_value(coefs, &coefs->tile->bands[res->first_band + orient - 1], x >> 1, y >> 1);
            } else {
                *to = low.v[(int64_t)(y / 2 - low.rect.y0) * wvl_rect_width(low.rect) + (x / 2 - low.rect.x0)];
            }
        }
    }
    free(low.v);
    invert_axis(&f, 0);
    invert_axis(&f, 1);
    return f;
}

static field rebuild_component(const wvl_coefs *coefs, uint32_t c)
{
    const wvl_tile_component *tc = &coefs->tile->components[c];
    const wvl_tile_resolution *res = &coefs->tile->resolutions[tc->first_resolution];
    field f = make_field(res->rect);
    for (uint32_t y = f.rect.y0; y < f.rect.y1; y++) {
        for (uint32_t x = f.rect.x0; x < f.rect.x1; x++) {
            f.v[(int64_t)(y - f.rect.y0) * wvl_rect_width(f.rect) + (x - f.rect.x0)] =
                coef_value(coefs, &coefs->tile->bands[res->first_band], x, y);
        }
    }
    for (unsigned r = 1; r <= tc->levels; r++) {
        f = rebuild_level(coefs, &res[r], f);
    }
    return f;
}

static void check_tile_pixels(const job *j, const wvl_coefs *coefs)
{
    field f[COMPONENTS];
    uint32_t count = j->format.component_count;
    for (uint32_t c = 0; c < count; c++) {
        f[c] = rebuild_component(coefs, c);
    }
    if (j->plan->syntax.mct) {
        uint64_t n = (uint64_t)wvl_rect_width(f[0].rect) * wvl_rect_height(f[0].rect);
        for (uint64_t i = 0; i < n; i++) {
            int64_t y = f[0].v[i], u = f[1].v[i], v = f[2].v[i], g = y - floor_div(u + v, 4);
            f[0].v[i] = v + g;
            f[1].v[i] = g;
            f[2].v[i] = u + g;
        }
    }
    for (uint32_t c = 0; c < count; c++) {
        const wvl_plan_component *pc = &j->plan->syntax.components[c];
        int64_t half = (int64_t)1 << (pc->depth - 1), shift = pc->is_signed ? 0 : half, *v = f[c].v;
        for (uint32_t y = f[c].rect.y0; y < f[c].rect.y1; y++) {
            for (uint32_t x = f[c].rect.x0; x < f[c].rect.x1; x++, v++) {
                uint64_t at = (uint64_t)(y - pc->rect.y0) * wvl_rect_width(pc->rect) + (x - pc->rect.x0);
                int64_t pixel = value_of(pc, j->pixels[c][at]);
                REQUIRE_THAT(*v + shift == pixel, "component %u (%u, %u): %lld, was %lld", c, x, y,
                             (long long)(*v + shift), (long long)pixel);
            }
        }
        free(f[c].v);
    }
}

/* ---- 9/7, by convolution --------------------------------------------------------------------- */

/* Analysis filters with DC gain 1 and Nyquist gain 2 (the wavelet of Cohen, Daubechies and Feauveau as F.4.8.2
 * normalises it), centre first. */
static const double low_taps[5] = {0.602949018236357945, 0.266864118442872285, -0.078223266528987895,
                                   -0.016864118442872285, 0.026748757410810147};
static const double high_taps[4] = {1.115087052456994, -0.591271763114247, -0.057543526228499, 0.091271763114249};

typedef struct real_field {
    wvl_rect rect;
    double *v;
} real_field;

static real_field make_real(wvl_rect rect)
{
    real_field f = {rect, malloc((size_t)((uint64_t)wvl_rect_width(rect) * wvl_rect_height(rect) + 1) * sizeof *f.v)};
    return f;
}

static double convolve(const double *x, int64_t stride, int64_t i0, int64_t n, int64_t i)
{
    int high = (int)(i & 1);
    if (n == 1) {
        return high ? 2.0 * x[0] : x[0];
    }
    const double *taps = high ? high_taps : low_taps;
    double sum = 0.0;
    for (int64_t t = high ? -3 : -4; t <= (high ? 3 : 4); t++) {
        int64_t period = 2 * (n - 1), k = (((i + t - i0) % period) + period) % period;
        sum += taps[t < 0 ? -t : t] * x[(k < n ? k : period - k) * stride];
    }
    return sum;
}

/* Filters along one axis; the result stays interleaved. */
static void analyse(real_field *f, int vertical)
{
    int64_t w = wvl_rect_width(f->rect), h = wvl_rect_height(f->rect);
    real_field out = make_real(f->rect);
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < w; x++) {
            out.v[y * w + x] = vertical ? convolve(f->v + x, w, f->rect.y0, h, f->rect.y0 + y)
                                        : convolve(f->v + y * w, 1, f->rect.x0, w, f->rect.x0 + x);
        }
    }
    free(f->v);
    *f = out;
}

/* A quantised magnitude lies within the float error of the real one. peak: of the picture, in the units of the
 * coefficients. */
static void check_coefficient(const wvl_coefs *coefs, const wvl_tile_band *band, const wvl_band_coding *bc, uint32_t x,
                              uint32_t y, double real, double peak)
{
    double q = real / bc->step * ldexp(1.0, band->frac_bits),
           slack = 4e-6 * (peak / bc->step * ldexp(1.0, band->frac_bits)) + 1e-6;
    int64_t got = coef_value(coefs, band, x, y);
    double m = (double)(got < 0 ? -got : got);
    REQUIRE_THAT(m <= fabs(q) + slack && m + 1.0 > fabs(q) - slack,
                 "orient %u level %u (%u, %u): %lld for %.9g, slack %g", band->orient, band->level, x, y,
                 (long long)got, q, slack);
    REQUIRE_THAT(got == 0 || fabs(q) <= slack || (got < 0) == (q < 0.0), "sign of %g", q);
}

static real_field check_level(const wvl_coefs *coefs, const wvl_coding *coding, const wvl_tile_resolution *res,
                              real_field f, double peak)
{
    analyse(&f, 1);
    analyse(&f, 0);
    real_field low = make_real(res[-1].rect);
    double *in = f.v;
    for (uint32_t y = f.rect.y0; y < f.rect.y1; y++) {
        for (uint32_t x = f.rect.x0; x < f.rect.x1; x++, in++) {
            unsigned orient = (x & 1) + 2 * (y & 1);
            if (orient) {
                const wvl_tile_band *band = &coefs->tile->bands[res->first_band + orient - 1];
                check_coefficient(coefs, band, &coding->band[band->coding_band], x / 2, y / 2, *in, peak);
            } else {
                low.v[(uint64_t)(y / 2 - low.rect.y0) * wvl_rect_width(low.rect) + (x / 2 - low.rect.x0)] = *in;
            }
        }
    }
    free(f.v);
    return low;
}

/* Level-shifted pixels of component c after the colour transform of G.3, in double. */
static real_field load_component(const job *j, const wvl_coefs *coefs, uint32_t c)
{
    real_field f = make_real(coefs->tile->components[c].rect);
    double *out = f.v;
    for (uint32_t y = f.rect.y0; y < f.rect.y1; y++) {
        for (uint32_t x = f.rect.x0; x < f.rect.x1; x++) {
            double s[COMPONENTS];
            for (uint32_t k = 0; k < j->format.component_count; k++) {
                const wvl_plan_component *pc = &j->plan->syntax.components[k];
                uint64_t at = (uint64_t)(y - pc->rect.y0) * wvl_rect_width(pc->rect) + (x - pc->rect.x0);
                s[k] = k == c || (j->plan->syntax.mct && k < 3)
                           ? (double)value_of(pc, j->pixels[k][at]) - (pc->is_signed ? 0.0 : ldexp(1.0, pc->depth - 1))
                           : 0.0;
            }
            double luma = 0.299 * s[0] + 0.587 * s[1] + 0.114 * s[2];
            double mixed[3] = {luma, 0.5 * (s[2] - luma) / (1.0 - 0.114), 0.5 * (s[0] - luma) / (1.0 - 0.299)};
            *out++ = j->plan->syntax.mct && c < 3 ? mixed[c] : s[c];
        }
    }
    return f;
}

static void check_tile_97(const job *j, const wvl_coefs *coefs)
{
    for (uint32_t c = 0; c < j->format.component_count; c++) {
        const wvl_tile_component *tc = &coefs->tile->components[c];
        const wvl_tile_resolution *res = &coefs->tile->resolutions[tc->first_resolution];
        const wvl_coding *coding = &j->plan->syntax.codings[tc->coding];
        double peak = ldexp(1.0, coding->depth);
        real_field f = load_component(j, coefs, c);
        for (unsigned r = tc->levels; r > 0; r--) {
            f = check_level(coefs, coding, &res[r], f, peak);
        }
        double *in = f.v;
        const wvl_tile_band *band = &coefs->tile->bands[res->first_band];
        for (uint32_t y = f.rect.y0; y < f.rect.y1; y++) {
            for (uint32_t x = f.rect.x0; x < f.rect.x1; x++) {
                check_coefficient(coefs, band, &coding->band[0], x, y, *in++, peak);
            }
        }
        free(f.v);
    }
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void check_job(const job *j)
{
    for (uint32_t t = 0; t < j->plan->syntax.tile_count; t++) {
        for (uint32_t b = 0; b < j->tiles[t].band_count; b++) {
            check_bounds(&j->coefs[t], &j->tiles[t].bands[b]);
        }
        if (j->settings.reversible) {
            check_tile_pixels(j, &j->coefs[t]);
        } else {
            check_tile_97(j, &j->coefs[t]);
        }
    }
}

static void whole_case(job *j, uint32_t threads)
{
    plan_job(j);
    draw_pixels(j);
    REQUIRE_THAT(run_job(j, threads) == WVL_OK, "status");
    check_job(j);
    end_run(j);
    free_job(j);
}

static void draw_structure(job *j)
{
    static const uint16_t sides[] = {4, 8, 16, 32, 64, 128, 256};
    j->settings.levels = (uint8_t)(draw() % 4 ? between(0, 6) : 32);
    j->settings.block_width = sides[draw() % 7];
    do {
        j->settings.block_height = sides[draw() % 7];
    } while (j->settings.block_width * j->settings.block_height > 4096);
    j->settings.precinct_count = draw() % 3 ? 0 : between(1, wvl_min_u32(3, j->settings.levels + 1u));
    for (uint32_t i = 0; i < j->settings.precinct_count; i++) {
        j->settings.precinct_width[i] = 1u << between(1, 8);
        j->settings.precinct_height[i] = 1u << between(1, 8);
    }
    uint32_t far = draw() % 4 ? 70 : 4000000000u;
    j->format.x0 = (uint32_t)(draw() % far);
    j->format.y0 = (uint32_t)(draw() % far);
    j->format.x1 = j->format.x0 + (draw() % 4 ? between(1, 150) : between(1, 4));
    j->format.y1 = j->format.y0 + (draw() % 4 ? between(1, 150) : between(1, 4));
    if (draw() & 1) {
        j->settings.tile_x0 = j->format.x0 - (uint32_t)wvl_min_u64(j->format.x0, draw() % 20);
        j->settings.tile_y0 = j->format.y0 - (uint32_t)wvl_min_u64(j->format.y0, draw() % 20);
        j->settings.tile_width = j->format.x0 - j->settings.tile_x0 + between(8, 90);
        j->settings.tile_height = j->format.y0 - j->settings.tile_y0 + between(8, 90);
    }
}

/* Makes signed components floating point. */
static void draw_floats(job *j)
{
    j->settings.style = draw() & 1 ? WVL_STYLE_HT : 0;
    for (unsigned c = 0; j->settings.style && c < COMPONENTS; c++) {
        if (j->components[c].is_signed) {
            j->components[c].depth = 16;
            j->components[c].is_signed = WVL_SAMPLE_FLOAT;
        }
    }
}

/* most: deepest samples. Without a colour transform components differ. */
static void draw_components(job *j, unsigned most)
{
    j->format.component_count = between(1, COMPONENTS);
    int alike = draw() & 1;
    for (unsigned c = 0; c < COMPONENTS; c++) {
        wvl_component_format one = {(uint8_t)between(1, most), draw() & 1, 1, 1};
        if (!alike && wvl_ceil_div(j->format.x0, 2) < wvl_ceil_div(j->format.x1, 2) &&
            wvl_ceil_div(j->format.y0, 3) < wvl_ceil_div(j->format.y1, 3)) {
            one.dx = (uint8_t)between(1, 2);
            one.dy = (uint8_t)between(0, 1) ? 3 : 1;
        }
        j->components[c] = alike && c ? j->components[0] : one;
    }
}

TEST_EACH(reversible_comes_back, 6)
{
    static job j;
    seed_state = (uint64_t)_i + 1;
    for (uint32_t round = 0; round < 60; round++) {
        default_job(&j);
        draw_structure(&j);
        draw_components(&j, draw() % 3 ? 16 : 28);
        draw_floats(&j);
        whole_case(&j, between(1, 3));
    }
}

/* Samples of 29 to 32 bits, beside others, with and without a colour transform. */
TEST_EACH(deep_comes_back, 6)
{
    static job j;
    seed_state = (uint64_t)_i + 31;
    for (uint32_t round = 0; round < 60; round++) {
        default_job(&j);
        draw_structure(&j);
        draw_components(&j, 32);
        j.settings.style = WVL_STYLE_HT;
        for (unsigned c = 0; c < COMPONENTS; c++) {
            wvl_component_format *k = &j.components[c];
            k->is_signed = (uint8_t)between(0, 2);
            if (!c || draw() & 1) {
                k->depth = (uint8_t)between(29, 32);
            }
            if (c && j.settings.mct) {
                *k = j.components[0];
            }
            k->depth = k->is_signed == WVL_SAMPLE_FLOAT ? 32 : k->depth;
        }
        whole_case(&j, between(1, 3));
    }
}

/* Every level rounds, and samples of few bits leave little room for that. */
TEST_EACH(few_bits_leave_room_for_rounding, 24)
{
    static job j;
    seed_state = (uint64_t)_i + 1;
    default_job(&j);
    j.format.component_count = COMPONENTS;
    j.settings.mct = (uint8_t)(_i % 2);
    for (unsigned c = 0; c < COMPONENTS; c++) {
        j.components[c].depth = (uint8_t)(1 + _i / 4);
    }
    j.settings.levels = _i & 2 ? 32 : 8;
    j.format.x0 = _i & 1 ? 33 : 0;
    j.format.y0 = _i & 2 ? 7 : 0;
    j.format.x1 = j.format.x0 + between(400, 700);
    j.format.y1 = j.format.y0 + between(300, 500);
    whole_case(&j, 1);
}

TEST_EACH(irreversible_is_the_textbook, 6)
{
    static job j;
    seed_state = (uint64_t)_i + 1;
    for (uint32_t round = 0; round < 40; round++) {
        default_job(&j);
        draw_structure(&j);
        draw_components(&j, draw() % 3 ? 12 : 20);
        draw_floats(&j);
        j.settings.reversible = 0;
        j.settings.quant_style = draw() % 4 ? WVL_QUANT_EXPOUNDED : WVL_QUANT_DERIVED;
        j.settings.levels = j.settings.levels > 8 ? 8 : j.settings.levels;
        j.settings.step = draw() & 1 ? 0.0 : ldexp(1.0, -(int)between(5, 12));
        if (j.settings.quant_style == WVL_QUANT_DERIVED) {
            j.settings.step = ldexp(1.0, -10);
        }
        j.settings.distortion_bits = (uint8_t)between(0, 8);
        whole_case(&j, between(1, 3));
    }
}

/* One- and two-sample sides at both parities, every level deep. */
TEST(slivers)
{
    static job j;
    for (uint32_t shape = 0; shape < 256; shape++) {
        default_job(&j);
        j.settings.reversible = shape & 1;
        j.settings.levels = 1 + (shape >> 1 & 3);
        j.format.x0 = shape >> 3 & 3;
        j.format.y0 = shape >> 5 & 3;
        uint32_t length = shape >> 7 ? 1 : 37;
        j.format.x1 = j.format.x0 + 1 + (shape >> 6 & 1);
        j.format.y1 = j.format.y0 + length;
        j.format.component_count = 3;
        whole_case(&j, 1);
    }
}

/* A workspace serves later, smaller jobs of other shape, and refuses larger ones; coefficients outlast a trim, after
 * which there are no more jobs. */
TEST(workspaces_are_reused)
{
    static job j;
    default_job(&j);
    j.format.component_count = 3;
    j.format.x1 = 300;
    j.format.y1 = 200;
    j.settings.tile_width = j.settings.tile_height = 128;
    plan_job(&j);
    draw_pixels(&j);
    j.pool = wvl_pool_create(NULL, 2, NULL);
    wvl_backend_memory memory;
    wvl_backend_cpu.measure(j.plan, j.tiles, 2, 2, &memory);
    REQUIRE_THAT(memory.host_bytes > j.tiles[0].coef_bytes && memory.pinned_bytes == 0 && memory.device_bytes == 0,
                 "measure");
    REQUIRE_THAT(wvl_backend_cpu.open(&(wvl_backend_options){.pool = j.pool}, &j.backend) == WVL_OK, "open");
    REQUIRE_THAT(wvl_backend_cpu.prepare(j.backend, j.plan, &memory) == WVL_OK, "prepare");
    REQUIRE_THAT(wvl_backend_cpu.submit(j.backend, &j.image, j.tiles, 6, &j.running) == WVL_ERROR_ARGUMENT,
                 "six tiles in a workspace of two");
    for (uint32_t t = 0; t < 6; t += 2) {
        REQUIRE_THAT(wvl_backend_cpu.submit(j.backend, &j.image, j.tiles + t, 2, &j.running) == WVL_OK, "submit");
        REQUIRE_THAT(wvl_backend_cpu.wait(j.running, WVL_EVENT_INPUT_FREE, UINT32_MAX) == WVL_OK, "wait");
        REQUIRE_THAT(wvl_backend_cpu.collect(j.running, j.coefs) == WVL_OK, "collect");
        if (t == 4) {
            wvl_backend_cpu.trim(j.backend);
        }
        check_tile_pixels(&j, &j.coefs[0]);
        check_tile_pixels(&j, &j.coefs[1]);
        wvl_backend_cpu.release(j.running);
    }
    REQUIRE_THAT(memory.work_bytes > 0 && memory.work_bytes < memory.host_bytes, "measure");
    REQUIRE_THAT(wvl_backend_cpu.submit(j.backend, &j.image, j.tiles, 2, &j.running) == WVL_ERROR_ARGUMENT,
                 "a job without room to work");
    wvl_backend_cpu.close(j.backend);
    wvl_pool_destroy(j.pool);
    free_job(&j);
}

/* ---- Quantiser, exactly ---------------------------------------------------------------------- */

/* floor(x * r) from the integers that the floats are: x = a * 2^ea, r = b * 2^eb. */
static uint64_t exact_floor(float x, float r)
{
    int ea, eb;
    uint64_t a = (uint64_t)ldexpf(frexpf(x, &ea), 24), b = (uint64_t)ldexpf(frexpf(r, &eb), 24);
    int shift = ea - 24 + eb - 24;
    uint64_t product = a * b; /* below 2^48 */
    return shift >= 0 ? product << shift : shift > -64 ? product >> -shift : 0;
}

TEST(quantizer_is_exact)
{
    for (uint32_t i = 0; i < 500000; i++) {
        float r = ldexpf(1.0f + (float)(draw() >> 40) / 16777216.0f, (int)between(0, 60) - 30);
        unsigned bits = between(1, 31);
        double target = (double)(draw() % ((uint64_t)1 << bits));
        float x = (float)(target / (double)r);
        unsigned nudge = between(0, 2);
        x = nudge == 1 ? nextafterf(x, INFINITY) : nudge == 2 ? nextafterf(x, 0.0f) : x;
        if (exact_floor(x, r) >> 31) {
            continue;
        }
        float s = draw() & 1 ? -x : x;
        REQUIRE_THAT(wvl_quant_magnitude(s, r) == exact_floor(x, r), "%a * %a", (double)s, (double)r);
        if (exact_floor(x, r) < 1u << 23) {
            REQUIRE_THAT(wvl_quant_magnitude_float(s, r) == exact_floor(x, r), "float path: %a * %a", (double)s,
                         (double)r);
        }
    }
}

TEST_MAIN("prop_transform")
