/* SPDX-License-Identifier: BSD-2-Clause */
/* Parsed option values: filled by the option table (params.c), read by the plan. */
#pragma once

#include "geom/plan.h"

#define WVL_MAX_LAYERS 65535u

typedef enum wvl_rate_unit {
    WVL_UNIT_NONE = 0,
    WVL_UNIT_RATIO, /* raw bits / coded bits; 1 (or less) means everything, only for the last */
    WVL_UNIT_BPP,   /* bits per pixel of the reference grid picture; 0 means everything */
    WVL_UNIT_BYTES, /* bytes of the whole codestream; 0 means everything */
    WVL_UNIT_PSNR,  /* dB; 0 means everything */
    WVL_UNIT_SLOPE  /* 256 * log2 threshold + 32768; 0 means everything */
} wvl_rate_unit;

/* "input-color", in the order of its words */
enum {
    WVL_INPUT_AS_IS = 0,
    WVL_INPUT_XYZ,
    WVL_INPUT_REC709,
    WVL_INPUT_SRGB,
    WVL_INPUT_REC601_525,
    WVL_INPUT_REC601_625,
    WVL_INPUT_REC2020,
    WVL_INPUT_P3_DCI,
    WVL_INPUT_P3_D60,
    WVL_INPUT_P3_D65,
    WVL_INPUT_DISPLAY_P3,
    WVL_INPUT_CUSTOM
};

/* "input-transfer", in the order of its words */
enum {
    WVL_TRANSFER_AUTO = 0,
    WVL_TRANSFER_LINEAR,
    WVL_TRANSFER_22,
    WVL_TRANSFER_24,
    WVL_TRANSFER_26,
    WVL_TRANSFER_BT1886,
    WVL_TRANSFER_SRGB
};

/* wvl_color_tables, copied. */
typedef struct wvl_custom_color {
    uint32_t entries; /* 0: none given */
    double *curves;   /* [3][entries], owned */
    double matrix[9];
} wvl_custom_color;

/* Bits of wvl_override.given. */
enum {
    WVL_GIVEN_REVERSIBLE = 1 << 0,
    WVL_GIVEN_LEVELS = 1 << 1,
    WVL_GIVEN_BLOCK = 1 << 2,
    WVL_GIVEN_PRECINCTS = 1 << 3,
    WVL_GIVEN_STYLE = 1 << 4,
    WVL_GIVEN_QUANTIZATION = 1 << 5,
    WVL_GIVEN_STEP = 1 << 6,
    WVL_GIVEN_GUARD_BITS = 1 << 7,
    WVL_GIVEN_ORDER = 1 << 8,
    WVL_GIVEN_MCT = 1 << 9,
    WVL_GIVEN_SOP = 1 << 10,
    WVL_GIVEN_EPH = 1 << 11 /* these for tiles only */
};

/* Settings of some tiles or components. */
typedef struct wvl_override {
    wvl_scope scope;
    uint32_t given; /* WVL_GIVEN_*: the members that count */
    uint8_t reversible, levels, style, quant_style, guard_bits, order, mct, sop, eph;
    uint16_t block_width, block_height;
    uint32_t precinct_count, precinct_width[WVL_MAX_LEVELS + 1], precinct_height[WVL_MAX_LEVELS + 1];
    double step;
} wvl_override;

enum { WVL_MEASURE_SMALL = 0, WVL_MEASURE_ALWAYS = 1, WVL_MEASURE_NEVER = 2 }; /* when the PSNR told is measured */

struct wvl_settings {
    /* samples given */
    uint8_t input_color, input_transfer;
    uint8_t input_video; /* "input-range" video */
    wvl_custom_color custom;
    /* transform */
    uint8_t reversible; /* "reversible" yes */
    uint8_t levels;     /* "levels" 5; WVL_LEVELS_AUTO until wvl_settings_settle() */
    uint8_t mct;        /* "mct" auto|on|off: 2 auto, 1 on, 0 off */
    /* structure */
    uint32_t tile_width, tile_height;   /* "tile" 0,0: one tile */
    uint32_t tile_x0, tile_y0;          /* "tile-offset" */
    uint16_t block_width, block_height; /* "block" 64,64, as given; legality is checked by the plan */
    uint32_t precinct_count; /* "precincts" [w,h],...: from the highest resolution down, the last repeats; 0: maximal */
    uint32_t precinct_width[WVL_MAX_LEVELS + 1], precinct_height[WVL_MAX_LEVELS + 1];
    uint8_t style;                 /* "style" WVL_STYLE_* bits; text: sum or names joined by + */
    uint8_t order;                 /* "progression" */
    uint32_t progression_count;    /* "progression-changes" T1=RS,CS,LYE,RE,CE,ORDER/...; 0: none */
    wvl_progression *progressions; /* owned */
    uint8_t parts;                 /* "tile-parts" any of R, L, C (or none) */
    uint8_t sop, eph, plt, tlm, plm;
    uint8_t packed_headers;        /* "packed-headers" WVL_PACKED_* */
    uint8_t profile;               /* "profile": WVL_PROFILE_* (geom/profile.h) */
    uint32_t frames, seconds;      /* "frame-rate" as a fraction */
    uint8_t stereo, hfr;           /* "stereo", "hfr" */
    uint8_t main_level, sub_level; /* "main-level", "sub-level" */
    uint32_t registration_count;   /* "registration" [x,y],...: pairs; one serves all components, 0: none */
    uint16_t *registration;        /* owned */
    uint8_t guard_bits;            /* "guard-bits" 2 */
    uint8_t quant_style;           /* "quantization" expounded|derived (irreversible only) */
    uint8_t qfactor;               /* "qfactor" 1..100; 0: "step" says */
    double step;                   /* "step" relative to the full range; 0: 2^-depth, one LSB */
    uint8_t distortion_bits;       /* "distortion-bits" F wanted below the step */
    uint32_t override_count;       /* "overrides" TnCm:key=value;.../... */
    wvl_override *overrides;       /* owned */
    uint32_t override_chars;       /* of the text, with its end; 0: there is none */
    char *override_text;           /* as given; owned */
    uint32_t region_count;         /* "roi" */
    wvl_region *regions;           /* owned */
    /* rate */
    uint8_t rate_unit;    /* wvl_rate_unit of layer_values */
    uint32_t layer_count; /* "layers"; >= layer_value_count: the layers before the given ones are log-spaced */
    uint32_t layer_value_count;
    double *layer_values; /* owned */
    uint64_t max_bytes, max_component_bytes;
    uint8_t rdoq;           /* "rdoq": WVL_RDOQ_NO, YES, AUTO */
    uint8_t ht_passes;      /* "ht-passes" 3 */
    uint8_t visual;         /* "visual" */
    uint8_t is_ycc;         /* filled by the conductor: components 0 to 2 are said to be Y, Cb and Cr */
    uint8_t measure_psnr;   /* "measure-psnr": WVL_MEASURE_ */
    uint8_t jp2;            /* "container" j2k|jp2|jph: WVL_CONTAINER_* */
    uint8_t device;         /* "device" WVL_DEVICE_* */
    uint8_t reach;          /* "reach" coefs|blocks|packets: one less than wvl_reach */
    uint8_t output_memory;  /* "output-memory" host|device */
    uint64_t device_memory; /* "device-memory" bytes */
    uint32_t device_set;    /* a bit for each N of cuda:N,...; WVL_DEVICE_EVERY: cuda:all; 0: the first device */
    uint32_t comment_count;
    char **comments; /* owned */
};
typedef struct wvl_settings wvl_settings;

#define WVL_ALL_COMPONENTS UINT32_MAX
#define WVL_LEVELS_AUTO 255u
#define WVL_THUMBNAIL_SIDE 64u /* of the lowest resolution that "levels" auto leaves */

/* A rule of settings and formats: added to the report where it is broken. */
void wvl_report_if(wvl_report *report, _Bool is_broken, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Most samples of a component of the picture, across or down, after that many levels. */
uint64_t wvl_settings_lowest_side(const wvl_image_format *format, unsigned levels);
/* Tiles of the picture; the grid is known to be legal. */
uint64_t wvl_settings_count_tiles(const wvl_settings *settings, const wvl_image_format *format);
/* Settles what follows from the picture: the levels, where nobody gave their number. */
void wvl_settings_settle(wvl_settings *settings, const wvl_image_format *format);

int wvl_scope_names_tile(const wvl_scope *scope);
int wvl_scope_names_component(const wvl_scope *scope);
/*
 * The settings of a component of a tile: a value is taken from the entry that names both, else from one for the tile,
 * else from one for the component, else from the options (the precedence of A.6.1, value by value); of equal entries
 * from the last. WVL_ALL_TILES: of the main header. WVL_ALL_COMPONENTS: of those that no entry names.
 */
void wvl_settings_resolve(const wvl_settings *settings, uint32_t tile, uint32_t component, wvl_settings *resolved);
/* Says whether any entry with a component's name counts there. */
int wvl_settings_name_component(const wvl_settings *settings, uint32_t tile, uint32_t component);
