/* SPDX-License-Identifier: BSD-2-Clause */
/* The bits of the 1-D transform (D-lattice-02): fused operations beside those of the C library, and the block kernels
 * of every instruction set beside one fused operation after the other. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/lattice/fused.h"
#include "lab/lattice/lattice.h"
#include "tests/support/support.h"

static const char *const names[] = {"haar", "db2",  "db3",   "db4",   "db8",   "db9",
                                    "db16", "sym5", "coif5", "cdf53", "cdf97", "dd137"};
enum { NAMES = sizeof names / sizeof *names, DRAWS = 400000 };

/* ---- One fused operation ---- */

/* Few bits that are 1 in a run, at the top, at the bottom, or at both: sums then often lie in the middle of two
 * numbers, or very close to it. */
static uint64_t draw_mantissa(uint64_t *state, uint32_t bits)
{
    const uint64_t all = (UINT64_C(1) << bits) - 1, x = test_draw(state) & all;
    switch (test_draw(state) % 6) {
    case 0: return x;
    case 1: return 0;
    case 2: return x & 7;
    case 3: return all ^ (x & 7);
    case 4: return x & ~(all >> (1 + x % 9));
    default: return (x & 3) | (all >> 1 & ~(all >> 2));
    }
}

static int32_t cut(int32_t exponent, int32_t most)
{
    const int32_t e = exponent < 0 ? 0 : exponent;
    return e < most ? e : most;
}

static float draw_float(uint64_t *state, int32_t exponent)
{
    const int32_t e = cut(exponent, 254);
    const uint32_t word =
        (uint32_t)draw_mantissa(state, 23) | (uint32_t)e << 23 | (uint32_t)(test_draw(state) & 1) << 31;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

static double draw_double(uint64_t *state, int32_t exponent)
{
    const int32_t e = cut(exponent, 2046);
    const uint64_t word = draw_mantissa(state, 52) | (uint64_t)e << 52 | (test_draw(state) & 1) << 63;
    double x;
    memcpy(&x, &word, sizeof x);
    return x;
}

static int32_t draw_between(uint64_t *state, int32_t from, int32_t to)
{
    return from + (int32_t)(test_draw(state) % (uint64_t)(to - from + 1));
}

static void check_float(float a, float b, float c)
{
    const float wanted = fmaf(a, b, c);
    const wvl_floats found = wvl_fused_f32(a - (wvl_floats){0}, b - (wvl_floats){0}, c - (wvl_floats){0});
    for (int i = 0; i < WVL_FUSED_FLOATS; i++) {
        const float x = found[i];
        REQUIRE_THAT(memcmp(&x, &wanted, sizeof x) == 0 || (isnan(x) && isnan(wanted)), "%a * %a + %a is %a, not %a",
                     (double)a, (double)b, (double)c, (double)wanted, (double)x);
    }
}

static void check_double(double a, double b, double c)
{
    const double wanted = fma(a, b, c);
    const wvl_doubles found = wvl_fused_f64(a - (wvl_doubles){0}, b - (wvl_doubles){0}, c - (wvl_doubles){0});
    for (int i = 0; i < WVL_FUSED_DOUBLES; i++) {
        const double x = found[i];
        REQUIRE_THAT(memcmp(&x, &wanted, sizeof x) == 0 || (isnan(x) && isnan(wanted)), "%a * %a + %a is %a, not %a", a,
                     b, c, wanted, x);
    }
}

/* Biased exponents of a product and of what is added: near each other, or far apart; in the whole range, and near its
 * ends. one: of 1; most: of infinity; bits: of a mantissa. */
static void draw_exponents(uint64_t *state, int32_t one, int32_t most, int32_t bits, int32_t *product, int32_t *added)
{
    const int32_t way = draw_between(state, 0, 3);
    *product = draw_between(state, 0, most);
    if (way == 0) {
        *product = draw_between(state, one - 30, one + 30);
    } else if (way == 1) {
        *product = draw_between(state, -bits - 3, 3); /* subnormal sums */
    } else if (way == 2) {
        *product = draw_between(state, most - 15, most + 3);
    }
    *added = *product + draw_between(state, -2 * bits, 2 * bits);
}

/* Rounding twice, to double and to float, gives another result where it matters: those are counted. */
TEST(floats)
{
    uint64_t state = 1;
    uint32_t differ = 0, subnormal = 0;
    for (int i = 0; i < 10 * DRAWS; i++) {
        int32_t product, added;
        draw_exponents(&state, 127, 255, 23, &product, &added);
        const int32_t first = draw_between(&state, 1, 254), second = product + 127 - first;
        const float a = draw_float(&state, first), b = draw_float(&state, second), c = draw_float(&state, added);
        const float twice = (float)((double)a * (double)b + (double)c), once = fmaf(a, b, c);
        check_float(a, b, c);
        differ += twice != once;
        subnormal += twice != once && fabsf(once) < FLT_MIN;
    }
    REQUIRE_THAT(differ > 1000 && subnormal > 0, "%u, %u", differ, subnormal);
}

TEST(doubles)
{
    uint64_t state = 2;
    for (int i = 0; i < 10 * DRAWS; i++) {
        int32_t product, added;
        draw_exponents(&state, 1023, 2047, 52, &product, &added);
        const int32_t first = draw_between(&state, i % 2 ? 1 : 1000, i % 2 ? 2046 : 1040);
        const double a = draw_double(&state, first), b = draw_double(&state, product + 1023 - first);
        check_double(a, b, draw_double(&state, added));
    }
}

/* a b is just below or above the middle between c and its neighbour, by less than a double of a b + c can show. */
TEST(middles)
{
    const float tiny = 0x1p-23f;
    for (int i = 0; i < 8 * 2 * 24 * 249; i++) {
        const int e = i % 249 - 149, k = i / 249 % 8, bits = i / 249 / 8 % 24;
        const float c = ldexpf((float)((1 << bits) + k), e), sign = i / 249 / 8 / 24 ? -1 : 1;
        const float half = ldexpf(1, e / 2), rest = sign * ldexpf(0.5f, e - e / 2);
        check_float(half * (1 + tiny), rest * (1 - tiny), c);
        check_float(half * (1 + tiny), rest * (1 + tiny), c);
        check_float(half * (1 - tiny), rest * (1 - tiny / 2), c);
        check_float(half, rest, c);
    }
    for (int i = 0; i < 8 * 2 * 1974; i++) {
        const int e = i % 1974 - 1074, k = i / 1974 % 8;
        const double c = ldexp((double)((INT64_C(1) << 52) + k), e), least = DBL_EPSILON;
        const double half = ldexp(1, e / 2), rest = (i / 1974 / 8 ? -1 : 1) * ldexp(0.5, e - e / 2);
        check_double(half * (1 + least), rest * (1 - least), c);
        check_double(half * (1 + least), rest * (1 + least), c);
        check_double(half * (1 - least), rest * (1 - least / 2), c);
        check_double(half, rest, c);
    }
}

TEST(ends_of_the_range)
{
    static const double ends[] = {0.0,      -0.0,     1.0,       -1.0,    INFINITY, -INFINITY, NAN, FLT_MAX,
                                  -FLT_MAX, 0x1p-149, -0x1p-149, FLT_MIN, 0x1p103,  0x1p-24,   3.0};
    static const double wide[] = {0.0,     -0.0,    1.0,      -1.0,      INFINITY,   -INFINITY,
                                  NAN,     DBL_MAX, -DBL_MAX, 0x1p-1074, -0x1p-1074, DBL_MIN,
                                  0x1p970, 0x1p-53, 0x1p-900, 0x1p900,   3.0};
    enum { ENDS = sizeof ends / sizeof *ends, WIDE = sizeof wide / sizeof *wide };
    for (int i = 0; i < ENDS * ENDS * ENDS; i++) {
        check_float((float)ends[i % ENDS], (float)ends[i / ENDS % ENDS], (float)ends[i / ENDS / ENDS]);
    }
    for (int i = 0; i < WIDE * WIDE * WIDE; i++) {
        check_double(wide[i % WIDE], wide[i / WIDE % WIDE], wide[i / WIDE / WIDE]);
    }
}

/* ---- Block kernels ---- */

static const wvl_lattice_kernels *tables[2];
static uint32_t table_count;
static const char *const ways[] = {"forward", "inverse", "convolve", "convolve_back"};

/* What lattice.h says of a block, one operation after the other. WAY: an index of `ways`. */
#define BLOCKS(T, X, FMA)                                                                                              \
    static void define_##X(int way, const wvl_lattice_steps_##X *f, T *u, T *v, T *p, T *q, int count)                 \
    {                                                                                                                  \
        const int stages = (int)f->stage_count, pairs = (int)f->tap_count / 2;                                         \
        const T *first = way == 2 ? f->low : f->even, *second = way == 2 ? f->high : f->odd;                           \
        const T *b = way == 0 ? f->b : f->inverse_b;                                                                   \
        for (int k = 0; way == 0 && k < stages; k++) {                                                                 \
            for (int i = 0; i < count + stages - k; i++) {                                                             \
                const T a = FMA(f->t[k], v[i], u[i]);                                                                  \
                u[i] = FMA(f->s[k], u[i], v[i]);                                                                       \
                v[i > 0 ? i - 1 : WVL_LATTICE_ROOM - 1] = a;                                                           \
            }                                                                                                          \
        }                                                                                                              \
        for (int i = 0; i < count + (way == 1 ? stages : 0); i++) {                                                    \
            if (way < 2) {                                                                                             \
                const T low = FMA(b[1], v[i], b[0] * u[i]), high = FMA(b[3], v[i], b[2] * u[i]);                       \
                (way == 0 ? p : u)[i] = low;                                                                           \
                (way == 0 ? q : v)[i] = high;                                                                          \
                continue;                                                                                              \
            }                                                                                                          \
            p[i] = q[i] = 0;                                                                                           \
            for (int k = 0; k < pairs; k++) {                                                                          \
                p[i] = FMA(first[2 * k + 1], v[i + k], FMA(first[2 * k], u[i + k], p[i]));                             \
                q[i] = FMA(second[2 * k + 1], v[i + k], FMA(second[2 * k], u[i + k], q[i]));                           \
            }                                                                                                          \
        }                                                                                                              \
        for (int k = stages; way == 1 && k-- > 0;) {                                                                   \
            for (int i = 0; i < count + k; i++) {                                                                      \
                const T taken = v[i], kept = u[i + 1];                                                                 \
                u[i] = FMA(-f->t[k], kept, taken);                                                                     \
                v[i] = FMA(-f->s[k], taken, kept);                                                                     \
            }                                                                                                          \
        }                                                                                                              \
        for (int i = 0; way == 1 && i < count; i++) {                                                                  \
            p[i] = u[i];                                                                                               \
            q[i] = v[i];                                                                                               \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static void check_block_##X(const char *name, const wvl_lattice_steps_##X *f, int way, int count)                  \
    {                                                                                                                  \
        static T from[2][WVL_LATTICE_ROOM], u[WVL_LATTICE_ROOM], v[WVL_LATTICE_ROOM], wanted[2][WVL_LATTICE_BLOCK],    \
            found[2][WVL_LATTICE_BLOCK + 1];                                                                           \
        uint64_t state = (uint64_t)(count + 7 * way);                                                                  \
        for (int i = 0; i < 2 * WVL_LATTICE_ROOM; i++) {                                                               \
            from[i % 2][i / 2] = (T)((double)(int64_t)test_draw(&state) / 9223372036854775808.0);                      \
        }                                                                                                              \
        for (uint32_t table = 0; table <= table_count; table++) {                                                      \
            memcpy(u, from[0], sizeof u);                                                                              \
            memcpy(v, from[1], sizeof v);                                                                              \
            if (table == 0) {                                                                                          \
                define_##X(way, f, u, v, wanted[0], wanted[1], count);                                                 \
                continue;                                                                                              \
            }                                                                                                          \
            const wvl_lattice_kernels_##X *k = &tables[table - 1]->X;                                                  \
            const wvl_lattice_run_##X run[] = {k->forward, k->inverse, k->convolve, k->convolve_back};                 \
            found[0][count] = found[1][count] = 77;                                                                    \
            run[way](f, u, v, found[0], found[1], (uint32_t)count);                                                    \
            for (int i = 0; i < 2; i++) {                                                                              \
                REQUIRE_THAT(memcmp(wanted[i], found[i], (size_t)count * sizeof(T)) == 0,                              \
                             #X ", %s, %s, %d pairs, table %u: other bits", name, ways[way], count, table - 1);        \
                REQUIRE(found[i][count] == 77);                                                                        \
            }                                                                                                          \
        }                                                                                                              \
    }
BLOCKS(float, f32, fmaf)
BLOCKS(double, f64, fma)

TEST_EACH(blocks, NAMES)
{
    static const int counts[] = {1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 100, WVL_LATTICE_BLOCK - 1, WVL_LATTICE_BLOCK};
    static wvl_lattice_plan plan;
    memset(&plan, 0, sizeof plan);
    REQUIRE(wvl_lattice_find_filter(names[_i], &plan.filter) && wvl_lattice_fill_inverse(&plan.filter));
    wvl_lattice_factorise(&plan.filter);
    wvl_lattice_prepare(&plan);
    for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (int way = plan.filter.has_lattice ? 0 : 2; way < 4; way++) {
            check_block_f32(names[_i], &plan.f32, way, counts[i]);
            check_block_f64(names[_i], &plan.f64, way, counts[i]);
        }
    }
}

static void list_tables(void)
{
    tables[table_count++] = &wvl_lattice_kernels_c;
#ifdef WVL_HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        tables[table_count++] = &wvl_lattice_kernels_avx2;
    }
#endif
}

int main(void)
{
    list_tables();
    return test_run_suite("lattice_bits");
}
