/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture up to the coder, by hand, for suites that follow the survey of slopes (rdoq). */
#ifndef WVL_TESTS_SURVEY_CASE_H
#define WVL_TESTS_SURVEY_CASE_H

#include "backend/registry.h"
#include "base/context.h"
#include "codec/write/coder.h"
#include "wavelane.h"
#include "way/wave.h"

typedef struct survey_case {
    wvl_context *context;
    wvl_params *params;
    wvl_plan *plan;
    wvl_wave wave;
    void *memory;
    uint32_t tiles;
    wvl_backend *backend;
    wvl_backend_job *job; /* has the coefficients */
    wvl_coder *coder;
} survey_case;

/* A plan of pictures of 8-bit components, and the tile plans of its only wave. settings: "key=value key=value". */
void survey_open_plan(survey_case *c, uint32_t width, uint32_t height, uint32_t components, const char *settings);
/* Coefficients of a picture like a photograph, and a coder that has coded nothing. noise: amplitude. */
void survey_open_picture(survey_case *c, uint32_t width, uint32_t height, uint32_t components, uint32_t noise);
void survey_close(survey_case *c);

#endif
