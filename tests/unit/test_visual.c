/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of quality factors against the formula in libm's arithmetic. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "geom/plan.h"

/* Weights of HL and of HH, levels 1 to 5. */
static const double table[3][5][2] = {
    {{0.2758, 0.0901}, {0.8378, 0.7018}, {1, 1}, {1, 1}, {1, 1}},
    {{0.0863, 0.0263}, {0.2564, 0.1362}, {0.4691, 0.3346}, {0.6523, 0.5444}, {0.7797, 0.7078}},
    {{0.1835, 0.0773}, {0.413, 0.2598}, {0.6464, 0.504}, {0.8254, 0.722}, {0.9424, 0.8769}},
};

static double expected(unsigned q, unsigned depth, unsigned part, unsigned level, unsigned orient)
{
    double M = q < 50 ? 50.0 / q : 2.0 * (1.0 - q / 100.0), M0 = 0.7, M1 = 0.06, pw = 0.0;
    if (q <= 65) {
        pw = 1.0;
    } else if (q < 97) {
        pw = (log(M1) - log(M)) / (log(M1) - log(M0));
    }
    double a = 0.1 * pow(0.4, pw), reference = a * M + sqrt(0.5) * pow(2.0, -(double)depth);
    double gain = part == 2 ? 1.8051 / 1.7321 : part == 3 ? 1.5734 / 1.7321 : 1.0;
    double weight = orient && level <= 5 ? table[part ? part - 1 : 0][level - 1][orient == WVL_BAND_HH] : 1.0;
    return reference / (gain * pow(weight, pw));
}

START_TEST(steps_follow_the_formula)
{
    for (unsigned q = 1; q <= 100; q++) {
        for (unsigned part = 0; part < 4; part++) {
            for (unsigned level = 1; level <= 7; level++) {
                for (unsigned orient = 0; orient < 4; orient++) {
                    wvl_coding coding = {.depth = (uint8_t)(q % 2 ? 8 : 12), .mct_part = (uint8_t)part, .qfactor = (uint8_t)q};
                    double step = wvl_quant_visual_step(&coding, level, orient), wanted = expected(q, coding.depth, part, level, orient);
                    ck_assert_msg(fabs(step - wanted) < 1e-9 * wanted, "Q %u, part %u, level %u, band %u: %.12g, not %.12g", q, part, level, orient, step, wanted);
                }
            }
        }
    }
}
END_TEST

/* Better from factor to factor, in every band. */
START_TEST(steps_fall)
{
    for (unsigned part = 0; part < 4; part++) {
        for (unsigned orient = 0; orient < 4; orient++) {
            double before = INFINITY;
            for (unsigned q = 1; q <= 100; q++) {
                wvl_coding coding = {.depth = 8, .mct_part = (uint8_t)part, .qfactor = (uint8_t)q};
                double step = wvl_quant_visual_step(&coding, 1, orient);
                ck_assert_msg(step < before, "Q %u, part %u, band %u: %g after %g", q, part, orient, step, before);
                before = step;
            }
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("visual");
    TCase *tests = tcase_create("visual");
    tcase_add_test(tests, steps_follow_the_formula);
    tcase_add_test(tests, steps_fall);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
