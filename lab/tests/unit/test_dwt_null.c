/* SPDX-License-Identifier: BSD-2-Clause */
/* NULL for each pointer of every function of wavelane_dwt.h in turn. */
#include <check.h>

#include "tests/unit/null_suite.h"
#include "wavelane_dwt.h"

typedef struct bench {
    wvl_dwt1 *dwt1, *other_dwt1;
    wvl_dwt2 *dwt2, *other_dwt2;
    float signal[64], coefs[64];
    char error[256];
} bench;

static const wvl_dwt1_options dwt1_options = {
    .struct_size = sizeof dwt1_options, .wavelet = "haar", .type = WVL_DWT_F32};
static const wvl_dwt2_options dwt2_options = {
    .struct_size = sizeof dwt2_options, .wavelet = "cdf97", .type = WVL_DWT_F32};
static wvl_dwt1_info dwt1_info = {.struct_size = sizeof dwt1_info};

/* A view of the samples, and behind it those of the bands of a level. */
static wvl_dwt2_view *views_of(bench *b)
{
    static wvl_dwt2_view views[5];
    views[0] = (wvl_dwt2_view){b->signal, 1, 8};
    (void)wvl_dwt2_place(WVL_DWT2_SEPARATE, &(wvl_dwt2_view){b->coefs, 1, 8}, 8, 8, 1, views + 1);
    return views;
}

static void open_bench(void *arguments)
{
    bench *b = arguments;
    ck_assert_int_eq(wvl_dwt1_create(&dwt1_options, &b->dwt1, NULL, 0), WVL_OK);
    ck_assert_int_eq(wvl_dwt2_create(&dwt2_options, &b->dwt2, NULL, 0), WVL_OK);
}

static void close_bench(void *arguments)
{
    bench *b = arguments;
    wvl_dwt1_release(b->dwt1);
    wvl_dwt1_release(b->other_dwt1);
    wvl_dwt2_release(b->dwt2);
    wvl_dwt2_release(b->other_dwt2);
}

#define FUNCTIONS(X)                                                                                                   \
    X(wvl_dwt1_create, 3, 3,                                                                                           \
      wvl_dwt1_create(P(0, &dwt1_options), P(1, &b->other_dwt1), P(2, b->error), sizeof b->error))                     \
    X(wvl_dwt1_release, 1, 0, DONE(wvl_dwt1_release(P(0, b->dwt1))))                                                   \
    X(wvl_dwt1_describe, 2, 3, wvl_dwt1_describe(P(0, b->dwt1), P(1, &dwt1_info)))                                     \
    X(wvl_dwt1_count, 0, 0, NUMBER(wvl_dwt1_count(8, 1)))                                                              \
    X(wvl_dwt1_forward, 4, 7,                                                                                          \
      wvl_dwt1_forward(P(0, b->dwt1), P(1, b->signal), 1, 8, 1, P(2, b->coefs), P(3, b->error), sizeof b->error))      \
    X(wvl_dwt1_inverse, 4, 7,                                                                                          \
      wvl_dwt1_inverse(P(0, b->dwt1), P(1, b->coefs), 8, 1, P(2, b->signal), 1, P(3, b->error), sizeof b->error))      \
    X(wvl_dwt2_create, 3, 3,                                                                                           \
      wvl_dwt2_create(P(0, &dwt2_options), P(1, &b->other_dwt2), P(2, b->error), sizeof b->error))                     \
    X(wvl_dwt2_release, 1, 0, DONE(wvl_dwt2_release(P(0, b->dwt2))))                                                   \
    X(wvl_dwt2_place, 2, 3, wvl_dwt2_place(WVL_DWT2_SEPARATE, P(0, views_of(b)), 8, 8, 1, P(1, views_of(b) + 1)))      \
    X(wvl_dwt2_forward, 4, 7,                                                                                          \
      wvl_dwt2_forward(P(0, b->dwt2), P(1, views_of(b)), 8, 8, 1, P(2, views_of(b) + 1), P(3, b->error),               \
                       sizeof b->error))                                                                               \
    X(wvl_dwt2_inverse, 4, 7,                                                                                          \
      wvl_dwt2_inverse(P(0, b->dwt2), P(1, views_of(b) + 1), 8, 8, 1, P(2, views_of(b)), P(3, b->error),               \
                       sizeof b->error))

FUNCTIONS(NULL_CALL)

static const null_row rows[] = {FUNCTIONS(NULL_ROW)};

int main(void)
{
    const null_suite suite = {"dwt_null",    WVL_INCLUDE_FOLDER, rows,       sizeof rows / sizeof *rows,
                              sizeof(bench), open_bench,         close_bench};
    return null_suite_run(&suite);
}
