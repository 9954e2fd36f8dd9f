/* SPDX-License-Identifier: BSD-2-Clause */
/* The quantiser that kernels share, against the one in double precision. The kernels themselves: test_slots.c. */

#include "dwt/quant.h"
#include "tests/support/support.h"

static uint64_t seed_state = 1;

static uint64_t draw(void) { return test_draw(&seed_state); }

/* A float whose product with r is an integer, or the nearest float on either side of one, or anything below 2^bits. */
static float draw_near_integer(float r, unsigned bits)
{
    double target =
        (double)(draw() % (((uint64_t)1 << bits) - 1)) * (draw() % 4 ? 1.0 : ldexp(1.0, -(int)(draw() % bits)));
    float x = (float)(target / (double)r);
    unsigned nudge = draw() % 4;
    x = nudge == 1 ? nextafterf(x, INFINITY) : nudge == 2 ? nextafterf(x, 0.0f) : x;
    while ((double)x * (double)r >= ldexp(1.0, (int)bits)) {
        x = nextafterf(x, 0.0f);
    }
    return draw() & 1 ? -x : x;
}

/* The inline float quantiser, which device code shares, against the double one. */
TEST(float_quantizer)
{
    for (uint32_t i = 0; i < 300000; i++) {
        float r = ldexpf(1.0f + (float)(draw() >> 40) / 16777216.0f, (int)(draw() % 40) - 20);
        float x = draw_near_integer(r, 23);
        REQUIRE_THAT(wvl_quant_magnitude(x, r) == wvl_quant_magnitude_float(x, r), "%a * %a", (double)x, (double)r);
    }
}

TEST_MAIN("twin_dwt")
