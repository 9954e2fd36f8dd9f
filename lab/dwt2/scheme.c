/* SPDX-License-Identifier: BSD-2-Clause */
/* The wavelets of the 2-D transform. */
#include "lab/dwt2/dwt2.h"

#include <string.h>

#include "dwt/scheme.h"

static const struct {
    const char *name;
    wvl_dwt2_scheme forward;
} wavelets[] = {
    {"cdf53",
     {.type = WVL_DWT_I32,
      .step_count = 2,
      .steps = {{1, 0, 0, -1, 0, 1, 1}, {0, 0, 0, 1, 2, 2, 1}},
      .gain = {1, 1},
      .line_kind = WVL_LINE_I32}},
    {"cdf53",
     {.type = WVL_DWT_F32,
      .step_count = 2,
      .steps = {{1, -0.5f, 0, 0, 0, 0, 1}, {0, 0.25f, 0, 0, 0, 0, 1}},
      .gain = {1, 1},
      .line_kind = -1}},
    {"cdf97",
     {.type = WVL_DWT_F32,
      .step_count = 4,
      .steps = {{1, WVL_LIFT97_ALPHA, 0, 0, 0, 0, 1},
                {0, WVL_LIFT97_BETA, 0, 0, 0, 0, 1},
                {1, WVL_LIFT97_GAMMA, 0, 0, 0, 0, 1},
                {0, WVL_LIFT97_DELTA, 0, 0, 0, 0, 1}},
      .gain = {1 / WVL_LIFT97_K, WVL_LIFT97_K},
      .line_kind = WVL_LINE_F32}},
    {"dd137",
     {.type = WVL_DWT_F32,
      .step_count = 2,
      .steps = {{1, -9 / 16.0f, 1 / 16.0f, 0, 0, 0, 3}, {0, 9 / 32.0f, -1 / 32.0f, 0, 0, 0, 3}},
      .gain = {1, 1},
      .line_kind = -1}},
};

static void invert(wvl_dwt2_scheme *s)
{
    const wvl_dwt2_scheme forward = *s;
    for (uint32_t i = 0; i < s->step_count; i++) {
        wvl_dwt2_step *step = &s->steps[i];
        *step = forward.steps[s->step_count - 1 - i];
        step->near = -step->near;
        step->far = -step->far;
        step->sign = -step->sign;
    }
    s->gain[0] = forward.gain[1]; /* their product is 1 */
    s->gain[1] = forward.gain[0];
    s->line_kind = -1;
}

int wvl_dwt2_find_scheme(const char *wavelet, uint32_t type, wvl_dwt2_scheme *forward, wvl_dwt2_scheme *inverse)
{
    for (size_t i = 0; i < sizeof wavelets / sizeof *wavelets; i++) {
        if (strcmp(wavelets[i].name, wavelet) == 0 && wavelets[i].forward.type == type) {
            *forward = wavelets[i].forward;
            forward->reach = 0;
            for (uint32_t k = 0; k < forward->step_count; k++) {
                forward->reach += forward->steps[k].reach;
            }
            *inverse = *forward;
            invert(inverse);
            return 1;
        }
    }
    return 0;
}
