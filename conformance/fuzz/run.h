/* SPDX-License-Identifier: BSD-2-Clause */
/* One encode of a case, under an allocator that keeps books. */
#pragma once

#include "picture.h"

#define FUZZ_MAX_LAYERS_TOLD 64u

typedef enum fuzz_stage { FUZZ_AT_PARAMS, FUZZ_AT_PLAN, FUZZ_AT_ENCODE } fuzz_stage;

/* What the params say in the end, whatever set it. */
typedef struct fuzz_settings {
    char profile[32];
    uint32_t frames, seconds;
    int is_stereo, is_hfr, is_reversible;
} fuzz_settings;

typedef struct fuzz_run {
    wvl_status status;
    fuzz_stage stage; /* that status and error come from */
    char error[2048];
    char broken[256]; /* a promise of the interface that was not kept; "": all were */
    uint8_t *data;    /* release with fuzz_run_free */
    size_t bytes;
    uint64_t plan_peak_bytes; /* allocated at most while params and plan were made */
    fuzz_settings settings;
    wvl_span codestream;
    uint64_t packet_bytes;
    uint32_t layers;
    char backend[64]; /* wvl_result_backend() */
    struct {
        uint64_t bytes;
        uint32_t slope;
        double psnr;
        int is_measured;
    } layer[FUZZ_MAX_LAYERS_TOLD]; /* of the first ones; the last layer is in `last` */
    double last_psnr;
    int is_last_measured;
    uint32_t last_slope;
} fuzz_run;

/* turn: 0 or 1, which of the two layouts and thread counts; the second has a sink that patches. */
void fuzz_run_encode(const fuzz_case *c, const fuzz_picture *p, unsigned turn, fuzz_run *run);
/* Params and plan only, with a format and a JP2 description of the caller. */
void fuzz_run_plan_of(const fuzz_case *c, const wvl_image_format *format, const wvl_jp2_info *jp2, fuzz_run *run);
/* FUZZ_WAS_ bits (judge.h): how far the backend of that name went. */
uint32_t fuzz_run_reach(const char *backend);
/* Of the bytes that an encode left allocated, those that the context keeps for a device. before, after, again: bytes
 * allocated before the first encode, after it, and after a second one on `backend`. */
uint64_t fuzz_run_kept(uint64_t before, uint64_t after, uint64_t again, const char *backend);
void fuzz_run_free(fuzz_run *run);
