/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of options: one row a key, from which the public list, the parser and the printer are made. */
#pragma once

#include "params/params.h"

typedef enum wvl_field_kind {
    WVL_FIELD_BOOL, /* uint8_t */
    WVL_FIELD_UINT8,
    WVL_FIELD_UINT64,
    WVL_FIELD_REAL,   /* double */
    WVL_FIELD_WORD,   /* uint8_t: index into the words of `range`, plus minimum */
    WVL_FIELD_PAIR32, /* two consecutive uint32_t */
    WVL_FIELD_PAIR16, /* two consecutive uint16_t */
    WVL_FIELD_PRECINCTS,
    WVL_FIELD_STYLE,
    WVL_FIELD_PARTS,
    WVL_FIELD_TARGETS, /* layer_values in the unit `minimum` (wvl_rate_unit) */
    WVL_FIELD_LAYERS,
    WVL_FIELD_LEVELS, /* uint8_t, or the word auto: WVL_LEVELS_AUTO */
    WVL_FIELD_COMMENT,
    WVL_FIELD_PROGRESSIONS,
    WVL_FIELD_REGISTRATION,
    WVL_FIELD_DEVICE,
    WVL_FIELD_FRAMES, /* two consecutive uint32_t: a fraction */
    WVL_FIELD_OVERRIDES,
    WVL_FIELD_REGIONS
} wvl_field_kind;

typedef struct wvl_field {
    wvl_field_kind kind;
    size_t offset;             /* into wvl_settings */
    uint64_t minimum, maximum; /* integers; reals lie in [minimum, maximum) */
} wvl_field;

/* Parallel to wvl_options(). */
const wvl_field *wvl_params_fields(void);
