/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan of options in one text, and the memory of a wave of its tiles: for suites that go on by hand. */
#pragma once

#include <stdio.h>

#include "base/alloc.h"
#include "wavelane_simple.h"
#include "way/wave.h"

/* A context, and a plan of settings "key=value key=value". The status of the first call that failed; what came before
 * it is there, and the caller releases both. problem: at least 256 bytes for its text. */
static inline wvl_status test_open_plan(const char *settings, uint32_t threads, const wvl_image_format *format,
                                        wvl_context **context, wvl_plan **plan, char *problem)
{
    const wvl_context_options options = {.struct_size = sizeof options, .threads = threads};
    wvl_params *params = NULL;
    char text[1024], *rest = text;
    snprintf(text, sizeof text, "%s", settings);
    snprintf(problem, 256, "no context");
    wvl_status status = wvl_context_create(&options, context);
    status = status ? status : wvl_params_create(*context, &params);
    for (char *word; status == WVL_OK && (word = strtok_r(rest, " ", &rest));) {
        char *value = strchr(word, '=');
        *value = 0;
        status = wvl_params_set(params, word, value + 1);
        snprintf(problem, 256, "%s", wvl_params_error(params));
    }
    if (status == WVL_OK) {
        status = wvl_plan_create(*context, params, format, NULL, plan);
        snprintf(problem, 256, "plan: %s", wvl_context_error(*context));
    }
    wvl_params_release(params);
    return status;
}

/* Memory of a wave, all 0; wvl_free(NULL, it, *bytes). */
static inline void *test_open_wave(const wvl_plan *plan, wvl_wave *wave, uint64_t *bytes)
{
    wvl_carver carver = {NULL, 0};
    wvl_wave_carve(plan, &carver, wave);
    *bytes = carver.used;
    carver = (wvl_carver){wvl_alloc_zeroed(NULL, *bytes), 0};
    wvl_wave_carve(plan, &carver, wave);
    return carver.base;
}
