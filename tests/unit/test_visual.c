/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of quality factors against the formula in libm's arithmetic, and visual weights against the printed table. */
#include <math.h>

#include "geom/plan.h"
#include "tests/support/support.h"

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

TEST(steps_follow_the_formula)
{
    for (unsigned q = 1; q <= 100; q++) {
        for (unsigned part = 0; part < 4; part++) {
            for (unsigned level = 1; level <= 7; level++) {
                for (unsigned orient = 0; orient < 4; orient++) {
                    wvl_coding coding = {
                        .depth = (uint8_t)(q % 2 ? 8 : 12), .mct_part = (uint8_t)part, .qfactor = (uint8_t)q};
                    double step = wvl_quant_visual_step(&coding, level, orient),
                           wanted = expected(q, coding.depth, part, level, orient);
                    ck_assert_msg(fabs(step - wanted) < 1e-9 * wanted,
                                  "Q %u, part %u, level %u, band %u: %.12g, not %.12g", q, part, level, orient, step,
                                  wanted);
                }
            }
        }
    }
}

/* Better from factor to factor, in every band. */
TEST(steps_fall)
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

/* Weights of Cb and Cr as HL, LH, HH, levels 1 to 6, as they are published for 4:2:2 and 4:2:0: times the root of the
 * pixels that a sample stands for. */
static const struct {
    uint8_t dx, dy;
    double weight[2][6][3];
} subsampled[] = {{2,
                   1,
                   {{{0.3626, 0.122, 0.122},
                     {0.6634, 0.3626, 0.3626},
                     {0.9225, 0.6634, 0.6634},
                     {1.1027, 0.9225, 0.9225},
                     {1.4142, 1.1027, 1.1027},
                     {1.4142, 1.4142, 1.4142}},
                    {{0.5841, 0.2595, 0.2595},
                     {0.9141, 0.5841, 0.5841},
                     {1.1673, 0.9141, 0.9141},
                     {1.3328, 1.1673, 1.1673},
                     {1.4142, 1.3328, 1.3328},
                     {1.4142, 1.4142, 1.4142}}}},
                  {2,
                   2,
                   {{{0.5128, 0.5128, 0.2724},
                     {0.9382, 0.9382, 0.6692},
                     {1.3046, 1.3046, 1.0888},
                     {1.5594, 1.5594, 1.4156},
                     {2, 2, 2},
                     {2, 2, 2}},
                    {{0.826, 0.826, 0.5196},
                     {1.2928, 1.2928, 1.008},
                     {1.6508, 1.6508, 1.444},
                     {1.8848, 1.8848, 1.7538},
                     {2, 2, 2},
                     {2, 2, 2}}}}};

static void expect_weight(uint8_t part, uint8_t dx, uint8_t dy, unsigned level, unsigned orient, double amplitude)
{
    wvl_coding coding = {.visual = part, .visual_dx = dx, .visual_dy = dy};
    double weight = sqrt(wvl_quant_visual_weight(&coding, level, orient));
    ck_assert_msg(fabs(weight - amplitude) < 1.1e-4, "part %u of %ux%u, level %u, band %u: %.5f, not %.5f", part, dx,
                  dy, level, orient, weight, amplitude);
}

TEST(weights_are_those_of_the_table)
{
    for (unsigned level = 1; level <= 32; level++) {
        for (unsigned orient = 1; orient < 4; orient++) {
            for (uint8_t part = WVL_VISUAL_LUMA; part <= WVL_VISUAL_CR; part++) {
                expect_weight(part, 1, 1, level, orient,
                              level <= 5 ? table[part - 1][level - 1][orient == WVL_BAND_HH] : 1.0);
            }
            for (uint8_t part = WVL_VISUAL_CB; part <= WVL_VISUAL_CR; part++) {
                expect_weight(part, 2, 1, level, orient,
                              subsampled[0].weight[part - WVL_VISUAL_CB][level < 6 ? level - 1 : 5][orient - 1]);
                expect_weight(part, 2, 2, level, orient,
                              subsampled[1].weight[part - WVL_VISUAL_CB][level < 6 ? level - 1 : 5][orient - 1]);
            }
        }
        expect_weight(WVL_VISUAL_CR, 2, 2, level, WVL_BAND_LL, 2.0);
    }
}

/* 4:4:0 is 4:2:2 turned; coarser bands never count less than finer ones, nor diagonal detail more than others. */
TEST(weights_have_an_order)
{
    for (uint8_t part = WVL_VISUAL_LUMA; part <= WVL_VISUAL_CR; part++) {
        for (unsigned level = 1; level <= 7; level++) {
            for (unsigned shape = 0; shape < 25; shape++) {
                wvl_coding coding = {.visual = part,
                                     .visual_dx = (uint8_t)(1 + shape % 5),
                                     .visual_dy = (uint8_t)(1 + shape / 5)},
                           turned = coding;
                turned.visual_dx = coding.visual_dy;
                turned.visual_dy = coding.visual_dx;
                double hl = wvl_quant_visual_weight(&coding, level, WVL_BAND_HL),
                       lh = wvl_quant_visual_weight(&coding, level, WVL_BAND_LH);
                double hh = wvl_quant_visual_weight(&coding, level, WVL_BAND_HH);
                ck_assert(hl == wvl_quant_visual_weight(&turned, level, WVL_BAND_LH) &&
                          hh == wvl_quant_visual_weight(&turned, level, WVL_BAND_HH));
                ck_assert(hh > 0.0 && hh <= hl && hh <= lh);
                for (unsigned orient = 0; orient < 4; orient++) {
                    ck_assert(wvl_quant_visual_weight(&coding, level, orient) <=
                              wvl_quant_visual_weight(&coding, level + 1, orient));
                }
            }
        }
    }
}

TEST_MAIN("visual")
