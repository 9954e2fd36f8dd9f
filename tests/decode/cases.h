/* SPDX-License-Identifier: BSD-2-Clause */
/* One encode with everything that can be checked without knowing what the case is about. */
#pragma once

#include "tests/decode/decode.h"
#include "tests/prop/cs_parse.h"
#include "wavelane_check.h"

/* What the walker reads of a codestream's packets. */
typedef struct packet_list {
    wvl_check_packet *items; /* tile by tile, in the order of the codestream; bytes with packed headers */
    size_t count, capacity;
    uint64_t inclusions, passes; /* of code blocks in packets */
} packet_list;

typedef struct outcome {
    wvl_status status;
    char error[2048]; /* of plan or encode */
    uint8_t *data;
    size_t bytes;
    wvl_result *result;
    wvl_plan_memory memory;
    wvl_plan *plan;
    cs_stream stream; /* of the codestream inside */
    packet_list packets;
    wvl_context *context;
} outcome;

/* Context shared by the encodes of a program; threads from WVL_TEST_THREADS, else 2. */
wvl_context *case_context(void);
/* Sets "key=value key=value ..."; a value may hold no blank; preset=NAME applies one. Returns the status of the first
 * that is refused, its text in error. */
wvl_status case_set(wvl_params *params, const char *settings, char *error, size_t error_bytes);

/* Encodes p. A refusal is a result like another: status and error say why. */
outcome case_try(const picture *p, const char *settings, const wvl_jp2_info *jp2);
/* Encodes p and fails the test (naming `what`) unless it succeeds, every marker and packet parses back, the result
 * object says what the codestream says, and the plan's promises hold. */
outcome case_encode(const char *what, const picture *p, const char *settings, const wvl_jp2_info *jp2);
void case_free(outcome *o);
#define owned_outcome OWNED_BY(case_free) outcome

/* The strict judge that users have. */
void case_judge(const char *what, const outcome *o, const wvl_check_options *options);

/* Decodes o; fails the test on a complaint. options may be NULL. */
picture case_decode(const char *what, const outcome *o, const decode_options *options);
/* What a decoder finds of the first layers of o (0: of all), and what the result told of the last of them: dB. */
typedef struct quality {
    double told, found; /* of all samples: fuzz_picture_psnr */
    double psnr;        /* picture_psnr */
} quality;
quality case_measure(const char *what, const outcome *o, const picture *p, unsigned layers);
/* Encode, decode, compare every sample. */
void case_lossless(const char *what, const picture *p, const char *settings, const wvl_jp2_info *jp2);
/* The same; returns the outcome. */
outcome case_exact(const picture *p, const char *settings);
/* No sample that is decoded is off by more than `limit`. */
void case_near(const char *what, const picture *p, const char *settings, uint32_t limit);
/* With max-bytes=CAP the output keeps the cap, and lacks at most one part in `share` of it. */
void case_cap(const picture *p, const char *settings, unsigned cap, unsigned share);
/* PSNR never falls from layer to layer, and the last is exact. */
void case_layers(const char *what, const picture *p, const char *settings, unsigned layers);
/* The codestream alone parses and its packets tile; for what no decoder at hand can judge. */
void case_structure(const char *what, const picture *p, const char *settings);
/* Plan or params must refuse, with WVL_ERROR_PARAMETER or WVL_ERROR_UNSUPPORTED and a text that holds `reason`. */
void case_refused(const char *what, const wvl_image_format *format, const char *settings, const char *reason);

/* Settings that are refused for a picture whose components are alike. */
typedef struct refusal {
    const char *settings, *reason; /* the text must hold it, the clause included */
    uint32_t x0, y0, x1, y1, count;
    wvl_component_format component;
} refusal;
void case_refuse(const refusal *r);

/* 1 when WVL_LONG is set: large pictures are used whole. */
int case_long(void);
/* The device is one in software, whose rate control is emulated: seconds for an ordinary picture. */
int case_emulated(void);
