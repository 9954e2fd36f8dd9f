/* SPDX-License-Identifier: BSD-2-Clause */
/* The 1-D transform of wavelane_dwt.h beside sums over a periodic signal that share no code with it. */
#include "wavelane_dwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/lattice/lattice.h"
#include "tests/fault/ledger.h"

static const char *const names[] = {"haar",  "db2",   "db3",   "db4",   "db5",   "db6",   "db7",   "db8",
                                    "db9",   "db10",  "db11",  "db12",  "db13",  "db14",  "db15",  "db16",
                                    "sym2",  "sym3",  "sym4",  "sym5",  "sym6",  "sym7",  "sym8",  "sym9",
                                    "sym10", "sym11", "sym12", "sym13", "sym14", "sym15", "sym16", "coif1",
                                    "coif2", "coif3", "coif4", "coif5", "cdf53", "cdf97", "dd137"};
enum { NAMES = sizeof names / sizeof *names, MOST = 8192 };

static wvl_dwt1 *open_dwt(const char *name, uint32_t type, uint32_t form, uint32_t threads)
{
    wvl_dwt1_options o = {.struct_size = sizeof o, .wavelet = name, .type = type, .form = form, .threads = threads};
    wvl_dwt1 *dwt = NULL;
    char error[300] = "";
    const wvl_status status = wvl_dwt1_create(&o, &dwt, error, sizeof error);
    REQUIRE_THAT(status == WVL_OK, "%s: %s", name, error);
    return dwt;
}

static wvl_dwt1_info describe(const wvl_dwt1 *dwt)
{
    wvl_dwt1_info info = {.struct_size = sizeof info};
    REQUIRE(wvl_dwt1_describe(dwt, &info) == WVL_OK);
    return info;
}

static double draw_sample(uint64_t *state) { return (double)(int64_t)test_draw(state) / 9223372036854775808.0; }

static void fill(double *x, uint64_t n, uint64_t seed)
{
    for (uint64_t i = 0; i < n; i++) {
        x[i] = draw_sample(&seed);
    }
}

/* ---- The textbook ---- */

static void convolve_level(const wvl_dwt1_info *f, const double *x, int64_t n, double *low, double *high)
{
    const int64_t half = (n + 1) / 2, period = 2 * half;
    for (int64_t i = 0; i < half; i++) {
        low[i] = high[i] = 0;
        for (uint32_t k = 0; k < f->tap_count; k++) {
            int64_t at = (2 * i + f->first + (int64_t)k) % period;
            at = at < 0 ? at + period : at;
            at = at == n ? n - 1 : at;
            low[i] += f->low_taps[k] * x[at];
            high[i] += f->high_taps[k] * x[at];
        }
    }
}

static void convolve_all(const wvl_dwt1_info *f, const double *x, uint64_t n, uint32_t levels, double *out)
{
    static double low[2][MOST];
    uint64_t end = wvl_dwt1_count(n, levels);
    const double *in = x;
    for (uint32_t k = 0; k < levels; k++) {
        const uint64_t half = n / 2 + n % 2;
        end -= half;
        convolve_level(f, in, (int64_t)n, low[k % 2], out + end);
        in = low[k % 2];
        n = half;
    }
    ck_assert_uint_eq(end, n);
    memcpy(out, in, n * sizeof *out);
}

static double most_difference(const double *a, const double *b, uint64_t n)
{
    double worst = 0;
    for (uint64_t i = 0; i < n; i++) {
        const double d = fabs(a[i] - b[i]);
        worst = d <= worst ? worst : d;
    }
    return worst;
}

/* Compares coefficients with the textbook's, and the inverse with the signal. */
static void check_f64(wvl_dwt1 *dwt, const char *name, uint64_t n, uint32_t levels)
{
    static double x[MOST], coefs[MOST], wanted[MOST], back[MOST + 2];
    const wvl_dwt1_info info = describe(dwt);
    const uint64_t count = wvl_dwt1_count(n, levels);
    fill(x, n, n + levels);
    coefs[count] = back[0] = back[n + 1] = 77;
    REQUIRE(wvl_dwt1_forward(dwt, x, 1, n, levels, coefs, NULL, 0) == WVL_OK);
    convolve_all(&info, x, n, levels, wanted);
    const double error = most_difference(coefs, wanted, count);
    REQUIRE_THAT(error < 2e-12, "%s, %u samples, %u levels: coefficients differ by %g", name, (unsigned)n, levels,
                 error);
    REQUIRE(wvl_dwt1_inverse(dwt, coefs, n, levels, back + 1, 1, NULL, 0) == WVL_OK);
    const double lost = most_difference(back + 1, x, n);
    REQUIRE_THAT(lost < 2e-12, "%s, %u samples, %u levels: reconstruction differs by %g", name, (unsigned)n, levels,
                 lost);
    REQUIRE(coefs[count] == 77 && back[0] == 77 && back[n + 1] == 77);
}

static void check_f32(wvl_dwt1 *dwt, const char *name, uint64_t n, uint32_t levels)
{
    static float x[MOST], coefs[MOST], back[MOST];
    static double exact[MOST], wanted[MOST];
    const wvl_dwt1_info info = describe(dwt);
    fill(exact, n, n);
    for (uint64_t i = 0; i < n; i++) {
        exact[i] = x[i] = (float)exact[i];
    }
    REQUIRE(wvl_dwt1_forward(dwt, x, 1, n, levels, coefs, NULL, 0) == WVL_OK);
    convolve_all(&info, exact, n, levels, wanted);
    REQUIRE(wvl_dwt1_inverse(dwt, coefs, n, levels, back, 1, NULL, 0) == WVL_OK);
    for (uint64_t i = 0; i < wvl_dwt1_count(n, levels); i++) {
        REQUIRE_THAT(fabs(coefs[i] - wanted[i]) < 1e-5, "%s: %g", name, fabs(coefs[i] - wanted[i]));
    }
    for (uint64_t i = 0; i < n; i++) {
        REQUIRE_THAT(fabs(back[i] - x[i]) < 1e-5, "%s: %g", name, (double)fabsf(back[i] - x[i]));
    }
}

static void check_wavelet(const char *name, uint32_t form)
{
    static const uint64_t lengths[] = {1, 2, 3, 31, 64, 2047, 2048, 2049, 2050, 4095, 4096, 4098, 6143};
    wvl_dwt1 *exact = open_dwt(name, WVL_DWT_F64, form, 1), *single = open_dwt(name, WVL_DWT_F32, form, 1);
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        check_f64(exact, name, lengths[i], 1 + i % 5);
        check_f32(single, name, lengths[i], 1 + i % 3);
    }
    wvl_dwt1_release(exact);
    wvl_dwt1_release(single);
}

TEST_EACH(all_wavelets, NAMES)
{
    check_wavelet(names[_i], WVL_DWT1_CONVOLUTION);
    if (strcmp(names[_i], "dd137") != 0) {
        check_wavelet(names[_i], WVL_DWT1_LATTICE);
    }
}

TEST(all_lengths)
{
    static const char *const some[] = {"haar", "db2", "db3", "db16", "sym9", "coif5", "cdf53", "cdf97"};
    for (uint32_t i = 0; i < sizeof some / sizeof *some; i++) {
        for (uint32_t form = WVL_DWT1_LATTICE; form <= WVL_DWT1_CONVOLUTION; form++) {
            wvl_dwt1 *dwt = open_dwt(some[i], WVL_DWT_F64, form, 1);
            for (uint64_t n = 1; n <= 200; n++) {
                check_f64(dwt, some[i], n, 1);
                check_f64(dwt, some[i], n, 4);
            }
            wvl_dwt1_release(dwt);
        }
    }
}

/* ---- Parameters ---- */

/* Published and computed elsewhere with 50 digits: t of the lattice, and the first element of its matrix. */
TEST(parameters)
{
    static const struct {
        const char *name;
        uint32_t at;
        double t, b0;
    } facts[] = {{"db2", 0, -0.5773502691896257, 0.8365163037378079},
                 {"db4", 0, -0.3222758880002811, 0.15031045673650179},
                 {"db4", 1, -1.2331500154604225, 0.15031045673650179},
                 {"db4", 2, -3.8566278298358676, 0.15031045673650179},
                 {"db8", 6, -51.005881659479186, 9.068554512555333e-05},
                 {"db10", 8, -183.00549282422645, 4.5672809746225205e-07},
                 {"sym4", 0, 2.5565839655202556, 0.11042003574187949},
                 {"sym5", 3, 0.2802811390644063, 0.25464854688251487},
                 {"coif1", 1, -0.37796447300922725, 0.8939931834525429},
                 {"coif4", 10, -53.96688811722561, 1.1240669388250537e-05},
                 {"coif5", 13, -197.3237086702714, 2.459394430730965e-08},
                 {"cdf53", 1, -0.5, 0.875},
                 {"cdf97", 1, -1.5861343420599237, 1.2262624614987523},
                 {"cdf97", 3, 1.0040724901563, 1.2262624614987523}};
    for (uint32_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        wvl_dwt1 *dwt = open_dwt(facts[i].name, WVL_DWT_F64, WVL_DWT1_AUTO, 0);
        const wvl_dwt1_info info = describe(dwt);
        REQUIRE_THAT(fabs(info.t[facts[i].at] / facts[i].t - 1) < 1e-12, "%s: t is %.17g", facts[i].name,
                     info.t[facts[i].at]);
        REQUIRE_THAT(fabs(info.b[0] / facts[i].b0 - 1) < 1e-12, "%s: b is %.17g", facts[i].name, info.b[0]);
        wvl_dwt1_release(dwt);
    }
}

TEST(residuals)
{
    for (uint32_t i = 0; i < NAMES; i++) {
        wvl_dwt1 *dwt = open_dwt(names[i], WVL_DWT_F64, WVL_DWT1_AUTO, 0);
        const wvl_dwt1_info info = describe(dwt);
        const int has_lattice = strcmp(names[i], "dd137") != 0;
        REQUIRE_THAT(info.reconstruct_residual < 1e-13, "%s: %g", names[i], info.reconstruct_residual);
        REQUIRE_THAT(info.tap_residual < 1e-14, "%s: %g", names[i], info.tap_residual);
        REQUIRE(info.has_lattice == (uint32_t)has_lattice);
        REQUIRE(info.form == (has_lattice ? WVL_DWT1_LATTICE : WVL_DWT1_CONVOLUTION));
        wvl_dwt1_release(dwt);
    }
}

/* What makes a wavelet: vanishing moments of the high filter, and double-shift orthonormality. */
TEST(moments)
{
    for (int n = 2; n <= 16; n++) {
        for (int kind = 0; kind < 2; kind++) {
            char name[16];
            snprintf(name, sizeof name, "%s%d", kind ? "sym" : "db", n);
            wvl_dwt1 *dwt = open_dwt(name, WVL_DWT_F64, WVL_DWT1_AUTO, 0);
            const wvl_dwt1_info f = describe(dwt);
            REQUIRE(f.tap_count == 2 * (uint32_t)n);
            for (int p = 0; p < n; p++) {
                double moment = 0;
                for (uint32_t k = 0; k < f.tap_count; k++) {
                    moment += f.high_taps[k] * pow(((double)k - n) / n, p);
                }
                REQUIRE_THAT(fabs(moment) < 1e-14, "%s: moment %d is %g", name, p, moment);
            }
            for (uint32_t shift = 0; shift < f.tap_count; shift += 2) {
                double sum = 0;
                for (uint32_t k = shift; k < f.tap_count; k++) {
                    sum += f.low_taps[k] * f.low_taps[k - shift];
                }
                REQUIRE(fabs(sum - (shift == 0)) < 1e-14);
            }
            wvl_dwt1_release(dwt);
        }
    }
}

/* ---- Properties ---- */

TEST(linear_and_shifted)
{
    enum { N = 4100 };
    static double x[N], y[N], sum[N], turned[N], cx[N], cy[N], cs[N], ct[N];
    wvl_dwt1 *dwt = open_dwt("sym8", WVL_DWT_F64, WVL_DWT1_LATTICE, 1);
    fill(x, N, 1);
    fill(y, N, 2);
    for (int i = 0; i < N; i++) {
        sum[i] = 3 * x[i] - 0.5 * y[i];
        turned[i] = x[(i + 2) % N];
    }
    REQUIRE(!wvl_dwt1_forward(dwt, x, 1, N, 1, cx, NULL, 0) && !wvl_dwt1_forward(dwt, y, 1, N, 1, cy, NULL, 0));
    REQUIRE(!wvl_dwt1_forward(dwt, sum, 1, N, 1, cs, NULL, 0) && !wvl_dwt1_forward(dwt, turned, 1, N, 1, ct, NULL, 0));
    for (int i = 0; i < N; i++) {
        const int half = N / 2, next = i < half ? (i + 1) % half : half + (i - half + 1) % half;
        REQUIRE(fabs(cs[i] - (3 * cx[i] - 0.5 * cy[i])) < 1e-13);
        REQUIRE(ct[i] == cx[next]);
    }
    wvl_dwt1_release(dwt);
}

TEST(strides)
{
    enum { N = 2504 };
    static double x[3 * N], dense[N], a[N], b[N], back[3 * N];
    wvl_dwt1 *dwt = open_dwt("cdf97", WVL_DWT_F64, WVL_DWT1_LATTICE, 2);
    fill(x, 3 * N, 5);
    for (int turn = 0; turn < 2; turn++) {
        const int64_t stride = turn ? -3 : 3;
        const double *first = turn ? x + 3 * (N - 1) : x;
        for (int64_t i = 0; i < N; i++) {
            dense[i] = first[i * stride];
        }
        memcpy(back, x, sizeof x);
        REQUIRE(!wvl_dwt1_forward(dwt, dense, 1, N, 3, a, NULL, 0) &&
                !wvl_dwt1_forward(dwt, first, stride, N, 3, b, NULL, 0));
        REQUIRE(memcmp(a, b, sizeof a) == 0);
        for (int i = 0; i < N; i++) {
            back[3 * i] = 9;
        }
        REQUIRE(!wvl_dwt1_inverse(dwt, a, N, 3, turn ? back + 3 * (N - 1) : back, stride, NULL, 0));
        REQUIRE(most_difference(back, x, 3 * N) < 1e-13);
    }
    wvl_dwt1_release(dwt);
}

/* Numbers that are not finite reach the coefficients whose window has them, and no others. */
TEST(not_finite_stays_near)
{
    enum { N = 6000, HALF = N / 2 };
    static float x[N], coefs[N];
    static const int64_t places[] = {0, 1, 2047, 2048, 2049, 4101, N - 1};
    static const char *const some[] = {"db4", "cdf97", "db16"};
    for (uint32_t w = 0; w < 3; w++) {
        for (uint32_t form = WVL_DWT1_LATTICE; form <= WVL_DWT1_CONVOLUTION; form++) {
            wvl_dwt1 *dwt = open_dwt(some[w], WVL_DWT_F32, form, 1);
            const wvl_dwt1_info f = describe(dwt);
            for (uint32_t p = 0; p < 2 * sizeof places / sizeof *places; p++) {
                const int64_t place = places[p / 2];
                memset(x, 0, sizeof x);
                x[place] = p % 2 ? NAN : INFINITY;
                REQUIRE(!wvl_dwt1_forward(dwt, x, 1, N, 1, coefs, NULL, 0));
                for (int64_t i = 0; i < HALF; i++) {
                    const int64_t tap = ((place - 2 * i - f.first) % N + N) % N;
                    const int inside = tap < (int64_t)f.tap_count;
                    REQUIRE(inside || (coefs[i] == 0 && coefs[HALF + i] == 0));
                    REQUIRE(!inside || f.low_taps[tap] == 0 || !isfinite(coefs[i]));
                    REQUIRE(!inside || f.high_taps[tap] == 0 || !isfinite(coefs[HALF + i]));
                }
            }
            wvl_dwt1_release(dwt);
        }
    }
}

/* The header promises that floats up to 1e22 do not overflow between the stages. */
TEST(large_samples)
{
    static float x[64], coefs[64];
    for (int i = 0; i < 64; i++) {
        x[i] = i * i % 7 < 3 ? 1e22f : -1e22f;
    }
    for (uint32_t w = 0; w < NAMES; w++) {
        wvl_dwt1 *dwt = open_dwt(names[w], WVL_DWT_F32, WVL_DWT1_AUTO, 1);
        REQUIRE(!wvl_dwt1_forward(dwt, x, 1, 64, 1, coefs, NULL, 0));
        for (int i = 0; i < 64; i++) {
            REQUIRE_THAT(isfinite(coefs[i]), "%s overflows", names[w]);
        }
        wvl_dwt1_release(dwt);
    }
}

TEST(threads_give_the_same_bits)
{
    enum { N = 300001, ROOM = N + 8 };
    float *x = malloc(N * sizeof *x), *one = calloc(ROOM, sizeof *one), *many = calloc(ROOM, sizeof *many);
    float *back = malloc(N * sizeof *x), *back_many = malloc(N * sizeof *x);
    uint64_t seed = 3;
    REQUIRE(x && one && many && back && back_many);
    for (int i = 0; i < N; i++) {
        x[i] = (float)draw_sample(&seed);
    }
    for (uint32_t form = WVL_DWT1_LATTICE; form <= WVL_DWT1_CONVOLUTION; form++) {
        wvl_dwt1 *single = open_dwt("db10", WVL_DWT_F32, form, 1);
        REQUIRE(!wvl_dwt1_forward(single, x, 1, N, 6, one, NULL, 0) &&
                !wvl_dwt1_inverse(single, one, N, 6, back, 1, NULL, 0));
        for (uint32_t threads = 2; threads <= 5; threads++) {
            wvl_dwt1 *dwt = open_dwt("db10", WVL_DWT_F32, form, threads);
            REQUIRE(!wvl_dwt1_forward(dwt, x, 1, N, 6, many, NULL, 0));
            REQUIRE(!wvl_dwt1_inverse(dwt, many, N, 6, back_many, 1, NULL, 0));
            REQUIRE(memcmp(one, many, ROOM * sizeof *one) == 0 && memcmp(back, back_many, N * sizeof *x) == 0);
            wvl_dwt1_release(dwt);
        }
        wvl_dwt1_release(single);
    }
    free(x);
    free(one);
    free(many);
    free(back);
    free(back_many);
}

/* ---- Taps of the caller, refusals, memory ---- */

static wvl_status try_options(wvl_dwt1_options o, const char *words)
{
    wvl_dwt1 *dwt = (wvl_dwt1 *)&o;
    char error[300] = "";
    o.struct_size = sizeof o;
    const wvl_status status = wvl_dwt1_create(&o, &dwt, error, sizeof error);
    REQUIRE_THAT(strstr(error, words) != NULL, "\"%s\" lacks \"%s\"", error, words);
    REQUIRE(status == WVL_OK || !dwt);
    wvl_dwt1_release(dwt);
    return status;
}

TEST(taps_of_the_caller)
{
    double low[10], high[10];
    wvl_dwt1 *named = open_dwt("cdf97", WVL_DWT_F64, WVL_DWT1_LATTICE, 1);
    const wvl_dwt1_info f = describe(named);
    memcpy(low, f.low_taps, sizeof low);
    memcpy(high, f.high_taps, sizeof high);
    for (int32_t first = -5000; first <= 5001; first += 1667) {
        for (uint32_t form = WVL_DWT1_LATTICE; form <= WVL_DWT1_CONVOLUTION; form++) {
            wvl_dwt1_options o = {.struct_size = sizeof o,
                                  .low_taps = low,
                                  .high_taps = high,
                                  .tap_count = 10,
                                  .first = first,
                                  .type = WVL_DWT_F64,
                                  .form = form};
            wvl_dwt1 *dwt = NULL;
            REQUIRE(wvl_dwt1_create(&o, &dwt, NULL, 0) == WVL_OK);
            check_f64(dwt, "taps", 77, 3);
            check_f64(dwt, "taps", 4096, 2);
            wvl_dwt1_release(dwt);
        }
    }
    wvl_dwt1_release(named);
}

TEST(refusals)
{
    const double root = sqrt(0.5), ones[4] = {1, 1, 1, 1}, haar[2] = {root, root}, bad[2] = {1, NAN},
                 huge[2] = {1e160, 1e160};
    const struct {
        wvl_dwt1_options options;
        wvl_status status;
        const char *words;
    } rows[] = {
        {{.wavelet = "dd137", .type = 1, .form = 1}, WVL_ERROR_UNSUPPORTED, "infinite factor"},
        {{.wavelet = "db17", .type = 1}, WVL_ERROR_PARAMETER, "db2 to db16"},
        {{.wavelet = "db2"}, WVL_ERROR_PARAMETER, "type is 0"},
        {{.wavelet = "db2", .type = 1, .form = 3}, WVL_ERROR_PARAMETER, "form is 3"},
        {{.wavelet = "db2", .type = 1, .threads = 1025}, WVL_ERROR_PARAMETER, "threads is"},
        {{.type = 1}, WVL_ERROR_ARGUMENT, "wavelet and low_taps are NULL"},
        {{.low_taps = ones, .tap_count = 4, .type = 1}, WVL_ERROR_PARAMETER, "do not reconstruct"},
        /* the determinant is infinite */
        {{.low_taps = huge, .tap_count = 2, .type = WVL_DWT_F64}, WVL_ERROR_PARAMETER, "do not reconstruct"},
        {{.low_taps = ones, .tap_count = 3, .type = 1}, WVL_ERROR_PARAMETER, "even"},
        {{.low_taps = haar, .tap_count = 34, .type = 1}, WVL_ERROR_PARAMETER, "from 2 to 32"},
        {{.low_taps = bad, .tap_count = 2, .type = 1}, WVL_ERROR_PARAMETER, "not a finite"},
        {{.low_taps = haar, .tap_count = 2, .type = 1}, WVL_OK, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(try_options(rows[i].options, rows[i].words), rows[i].status);
    }
}

TEST(refused_calls)
{
    double x[8] = {0}, c[8] = {0};
    wvl_dwt1 *dwt = open_dwt("db2", WVL_DWT_F64, WVL_DWT1_AUTO, 1);
    ck_assert_int_eq(wvl_dwt1_forward(dwt, x, 0, 8, 1, c, NULL, 0), WVL_ERROR_ARGUMENT);
    ck_assert_int_eq(wvl_dwt1_forward(dwt, x, 1, 0, 1, c, NULL, 0), WVL_ERROR_ARGUMENT);
    ck_assert_int_eq(wvl_dwt1_forward(dwt, x, 1, 8, 0, c, NULL, 0), WVL_ERROR_ARGUMENT);
    ck_assert_int_eq(wvl_dwt1_forward(dwt, x, 1, 8, 49, c, NULL, 0), WVL_ERROR_ARGUMENT);
    ck_assert_uint_eq(wvl_dwt1_count(5, 2), 7);
    ck_assert_uint_eq(wvl_dwt1_count(8, 3), 8);
    ck_assert_uint_eq(wvl_dwt1_count(0, 1), 0);
    ck_assert_uint_eq(wvl_dwt1_count(UINT64_MAX, 1), 0);
    wvl_dwt1_release(dwt);
}

TEST(no_memory)
{
    static double x[100], c[102];
    int done = 0;
    for (int budget = 0; budget < 12 && !done; budget++) {
        owned_ledger l;
        ledger_open(&l);
        ledger_limit_calls(&l, budget);
        const wvl_allocator allocator = ledger_allocator(&l);
        wvl_dwt1_options o = {.struct_size = sizeof o, .wavelet = "db2", .type = WVL_DWT_F64, .allocator = &allocator};
        wvl_dwt1 *dwt = NULL;
        wvl_status status = wvl_dwt1_create(&o, &dwt, NULL, 0);
        if (!status) {
            status = wvl_dwt1_forward(dwt, x, 1, 100, 4, c, NULL, 0);
            done = !status;
        }
        REQUIRE(done || status == WVL_ERROR_MEMORY);
        wvl_dwt1_release(dwt);
    }
    REQUIRE(done);
}

TEST_MAIN("lattice")
