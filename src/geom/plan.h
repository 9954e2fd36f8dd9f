/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan and the tile plan: the one truth for geometry (Annex B), quantisation (Annex E) and distortion weights.
 * Everybody else reads these structures; nobody else divides, rounds or takes a parity.
 *
 * wvl_plan has a size that does not depend on the number of tiles and blocks. wvl_tile_plan is a flat POD for one tile,
 * built by a pure function into memory that the caller carves. Absolute coordinates are those of the standard: the
 * reference grid for tiles, the component's own grid for tile-components, the band's own grid for bands and code
 * blocks.
 */
#pragma once

#include "base/arena.h"
#include "wavelane.h"

#define WVL_MAX_LEVELS 32u
#define WVL_MAX_BANDS (3u * WVL_MAX_LEVELS + 1u)

enum { WVL_BAND_LL = 0, WVL_BAND_HL = 1, WVL_BAND_LH = 2, WVL_BAND_HH = 3 };
enum { WVL_ORDER_LRCP = 0, WVL_ORDER_RLCP = 1, WVL_ORDER_RPCL = 2, WVL_ORDER_PCRL = 3, WVL_ORDER_CPRL = 4 };
enum {
    WVL_STYLE_BYPASS = 1,
    WVL_STYLE_RESET = 2,
    WVL_STYLE_TERMALL = 4,
    WVL_STYLE_VSC = 8,
    WVL_STYLE_PTERM = 16,
    WVL_STYLE_SEGSYM = 32,
    WVL_STYLE_HT = 64 /* 15444-15: all blocks are HT blocks */,
    WVL_STYLE_COUNT = 7
};
enum { WVL_CONTAINER_NONE = 0, WVL_CONTAINER_JP2 = 1, WVL_CONTAINER_JPH = 2 };
enum { WVL_QUANT_NONE = 0, WVL_QUANT_DERIVED = 1, WVL_QUANT_EXPOUNDED = 2 };
enum { WVL_RDOQ_NO = 0, WVL_RDOQ_YES, WVL_RDOQ_AUTO };
enum { WVL_MCT_NONE = 0, WVL_MCT_RCT = 1, WVL_MCT_ICT = 2 };
enum {
    WVL_PARTS_NONE = 0,
    WVL_PARTS_RESOLUTION = 1,
    WVL_PARTS_LAYER = 2,
    WVL_PARTS_COMPONENT = 4
};                                                                    /* bits: where a new tile-part starts */
enum { WVL_PACKED_NONE = 0, WVL_PACKED_PPM = 1, WVL_PACKED_PPT = 2 }; /* where packet headers go */
/* Meaning of wvl_layer_target.value: everything coded; log-spaced below the next given layer; bytes of the whole
 * codestream up to this layer; dB; 256 * log2 of the slope threshold + 32768. */
enum { WVL_RATE_ALL = 0, WVL_RATE_AUTO = 1, WVL_RATE_BYTES = 2, WVL_RATE_PSNR = 3, WVL_RATE_SLOPE = 4, WVL_RATE_COUNT };

typedef struct wvl_rect {
    uint32_t x0, y0, x1, y1;
} wvl_rect; /* half open */
WVL_HD uint32_t wvl_rect_width(wvl_rect r) { return r.x1 > r.x0 ? r.x1 - r.x0 : 0; }
WVL_HD uint32_t wvl_rect_height(wvl_rect r) { return r.y1 > r.y0 ? r.y1 - r.y0 : 0; }
static inline int wvl_rect_touches(wvl_rect a, wvl_rect b)
{
    return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}
static inline int wvl_rect_covers(wvl_rect a, wvl_rect b)
{
    return a.x0 <= b.x0 && a.y0 <= b.y0 && a.x1 >= b.x1 && a.y1 >= b.y1;
}

/* Whom an entry of a list is for: half-open ranges, empty where the entry names none and so means all. */
typedef struct wvl_scope {
    uint32_t tile_first, tile_end, component_first, component_end;
} wvl_scope;

/* A region of interest (A.6.3, Annex H): what of it lies in the tiles and components of its scope is shifted up. */
typedef struct wvl_region {
    wvl_scope scope;
    uint8_t is_whole;    /* whole components: no rectangle */
    uint8_t shift_given; /* 0: the plan finds the shift */
    uint8_t shift;       /* s: bit-planes */
    wvl_rect rect;       /* on the reference grid */
} wvl_region;

enum { WVL_REGION_NONE = 0, WVL_REGION_PART = 1, WVL_REGION_WHOLE = 2 }; /* of the coefficients of a tile-component */

/* Quantisation and weight of one band of a coding (E.1). */
typedef struct wvl_band_coding {
    uint8_t exponent;   /* eps_b */
    uint16_t mantissa;  /* mu_b */
    uint8_t planes;     /* Mb = G + eps_b - 1: proved to hold every magnitude */
    uint8_t frac_bits;  /* F: bits kept below the step for distortion */
    uint8_t coef_bytes; /* container of this band's coefficients: 2 (planes + F <= 15), 4 (<= 31) or 8 (HT alone) */
    double step;        /* Delta_b in units of the component's LSB; 1 when reversible */
    /* Squared error of the picture per squared step unit (Delta_b / 2^F)^2, = weight_mantissa * 2^weight_exponent;
     * mantissa in [2^31, 2^32). Includes synthesis norms of band and colour transform, the depth normalisation, and
     * `visual`. */
    uint32_t weight_mantissa;
    int32_t weight_exponent;
    double visual; /* how much squared errors of this band count before eyes; 1 where all count alike */
} wvl_band_coding;

/* What a component is to the eye; NONE: errors count alike. */
enum { WVL_VISUAL_NONE = 0, WVL_VISUAL_LUMA, WVL_VISUAL_CB, WVL_VISUAL_CR };

/* How a component is coded: what COD/COC and QCD/QCC say. Components that agree share one. */
typedef struct wvl_coding {
    uint8_t levels;      /* N_L */
    uint8_t reversible;  /* 1: 5/3, 0: 9/7 */
    uint8_t xcb, ycb;    /* log2 of the nominal code block */
    uint8_t style;       /* SPcod code-block style bits */
    uint8_t quant_style; /* Sqcd low bits */
    uint8_t guard_bits;
    uint8_t user_precincts;               /* precinct sizes are written (Scod bit 0) */
    uint8_t precinct[WVL_MAX_LEVELS + 1]; /* PPx | PPy << 4, by resolution, r = 0 first */
    uint8_t wide;                         /* lifting in 64 bits: 32 do not provably hold it */
    uint8_t depth;                        /* of the components that use it */
    uint8_t mct_part;                     /* 0 no colour transform, 1 Y, 2 U or Cb, 3 V or Cr */
    uint8_t rct;                          /* the tile has RCT: one magnitude bit more, in every component */
    /* WVL_REGION_*; the least shift asked for, and whether one is to be found. */
    uint8_t region, region_least, region_auto;
    double base_step; /* "step" as given or chosen; 0: one least significant bit, or reversible */
    uint8_t qfactor;  /* 1..100: steps of a quality factor; 0: of base_step */
    uint8_t visual;   /* WVL_VISUAL_*: squared errors are weighed as what */
    /* Samples of the first component that stand beside and below each other for one of these. */
    uint8_t visual_dx, visual_dy;
    /* s of RGN: coded planes of the region lie that many higher; with PART at least every band's planes. */
    uint8_t region_shift;
    wvl_band_coding band[WVL_MAX_BANDS]; /* LL, then HL, LH, HH of resolution 1, 2, ... */
} wvl_coding;

typedef struct wvl_plan_component {
    uint8_t depth, is_signed, dx, dy;
    uint16_t coding;  /* index into codings: what the main header says; tiles may differ, see wvl_tile_component */
    wvl_rect rect;    /* on the component's own grid (B.2) */
    uint8_t is_float; /* signed bits of floating point: the front makes them ascend, and NLT says so */
} wvl_plan_component;

/* What the front does to components 0..2 before anything else: to 12-bit X'Y'Z' from RGB (MATRIX), or from X'Y'Z' with
 * more bits, of which the uppermost 12 stay (SHIFT). The components of the plan are what comes out. */
enum { WVL_XYZ_NONE = 0, WVL_XYZ_SHIFT, WVL_XYZ_MATRIX, WVL_XYZ_KINDS };
#define WVL_XYZ_DEPTH 12u
typedef struct wvl_plan_xyz {
    uint8_t kind;            /* WVL_XYZ_* */
    uint8_t is_xyz;          /* what is coded is X'Y'Z', converted here or not */
    uint8_t depth;           /* of the samples given; 8..16 */
    const double *linear[3]; /* MATRIX: [1 << depth], light of an R, G, B sample in [0, 1] */
    double matrix[9];        /* rows X, Y, Z: from light to (code before rounding)^2.6 */
    const float *coarse[3];  /* the same rounded, for guesses */
    float coarse_matrix[9];
    uint8_t has_negative; /* some element of the matrix is */
} wvl_plan_xyz;

typedef struct wvl_layer_target {
    uint8_t kind; /* WVL_RATE_* */
    double value;
} wvl_layer_target;

#define WVL_ALL_TILES UINT32_MAX

/* Where pixels are transformed: WVL_DEVICE_AUTO takes a device where it pays, CUDA one that is there, CUDA_ONLY one or
 * none. */
enum { WVL_DEVICE_AUTO = 0, WVL_DEVICE_CPU = 1, WVL_DEVICE_CUDA = 2, WVL_DEVICE_CUDA_ONLY = 3 };
#define WVL_DEVICE_ORDINAL_MAX 15u
#define WVL_DEVICE_EVERY 0xFFFFu /* a bit for each: those that are there */

/* Bytes that one job in flight takes. */
typedef struct wvl_backend_memory {
    uint64_t host_bytes, pinned_bytes, device_bytes;
    uint64_t work_bytes;         /* of host_bytes: what only the transform needs */
    uint64_t least_device_bytes; /* what a workspace can do with, in more steps; 0: device_bytes */
    uint64_t
        spill_bytes; /* of the host, that a workspace may take while its blocks are fetched: what has no room in it */
} wvl_backend_memory;

/* The least of a device that a workspace can do with. */
static inline uint64_t wvl_backend_least(const wvl_backend_memory *workspace)
{
    return workspace->least_device_bytes ? workspace->least_device_bytes : workspace->device_bytes;
}

/* One progression order volume (A.6.6): resolutions [first, end), components [first, end), layers [0, end). */
typedef struct wvl_progression {
    uint32_t tile; /* the tile it is for, or WVL_ALL_TILES */
    uint32_t component_first, component_end;
    uint32_t layer_end;
    uint8_t resolution_first, resolution_end;
    uint8_t order; /* WVL_ORDER_* */
} wvl_progression;

#define WVL_RSIZ_CAP 0x4000u /* bit 14 (15444-15 A.2) */
#define WVL_RSIZ_NLT 0x8200u /* Part 2, of which NLT is used (15444-2 A.2.1) */
#define WVL_SPACER_BYTES 64u
/* What single tiles do otherwise: COD, COC, QCD, QCC of their first tile-part header (A.6). Tiles that agree share one.
 */
typedef struct wvl_tile_variant {
    uint8_t order, mct; /* WVL_ORDER_*, WVL_MCT_* */
    uint8_t sop, eph;
    uint16_t default_coding; /* what a COD and QCD of the tile would say: index into the plan's codings */
    uint16_t *codings;       /* [component_count] */
} wvl_tile_variant;

typedef struct wvl_tile_choice {
    uint32_t tile, variant;
} wvl_tile_choice;

/* Bytes that the plan owns: comments, boxes, profiles. */
typedef struct wvl_blob {
    uint8_t *data;
    uint64_t bytes;
} wvl_blob;

/*
 * The plan in parts. A function that needs one part takes that part.
 * syntax: what the codestream and its boxes say, and the geometry that follows from it.
 */
typedef struct wvl_syntax_plan {
    /* SIZ */
    wvl_rect image;                                     /* XOsiz, YOsiz, Xsiz, Ysiz */
    uint32_t tile_x0, tile_y0, tile_width, tile_height; /* XTOsiz, YTOsiz, XTsiz, YTsiz */
    uint32_t tile_cols, tile_rows, tile_count;
    uint32_t component_count;
    wvl_plan_component *components;
    uint64_t total_samples;
    uint32_t coding_count;
    wvl_coding *codings; /* codings[0] is what COD and QCD of the main header say */
    uint32_t variant_count, choice_count;
    wvl_tile_variant *variants;
    wvl_tile_choice *choices; /* tiles that follow a variant, ascending; all others follow the main header */
    uint16_t rsiz;            /* WVL_RSIZ_CAP: a CAP marker segment follows */
    wvl_plan_xyz xyz;
    /* COD */
    uint8_t order;      /* WVL_ORDER_* */
    uint8_t mct;        /* WVL_MCT_*; components 0..2 */
    uint8_t max_levels; /* of any component of any tile */
    uint8_t sop, eph, plt, tlm, plm;
    uint8_t packed_headers;     /* WVL_PACKED_* */
    uint8_t parts;              /* WVL_PARTS_* */
    uint64_t part_count;        /* tile-parts of the codestream */
    uint16_t *registration;     /* [component][x, y] in 1/65536 of dx, dy (A.9.1); NULL: not written */
    uint32_t progression_count; /* POC volumes, in the order given; 0: only `order` */
    wvl_progression *progressions;
    uint32_t region_count;
    wvl_region *regions;
    uint32_t layer_count;
    uint8_t profile;          /* WVL_PROFILE_* */
    uint8_t stereo, hfr;      /* of the profile's byte limits */
    uint32_t frames, seconds; /* frame rate as a fraction */
    uint32_t comment_count;
    wvl_blob *comments;    /* and one more, empty, with room for WVL_SPACER_BYTES: the conductor may add it */
    uint8_t jp2;           /* WVL_CONTAINER_*: boxes around the codestream */
    wvl_blob boxes_before; /* complete boxes up to the codestream box, built once */
} wvl_syntax_plan;

/* rate: how bytes are shared out. */
typedef struct wvl_rate_plan {
    wvl_layer_target *layers;     /* [syntax.layer_count] */
    uint64_t max_bytes;           /* cap of the codestream SOC..EOC; 0 none */
    uint64_t max_component_bytes; /* 0 none; of each group of wvl_plan_cap_group() */
    uint64_t target_bytes;        /* target of a profile, used if no option gives one; 0 none */
    uint8_t cap_split;            /* resolutions from this one on are capped apart from those below; 0: all together */
    uint8_t lossless;             /* last layer takes every pass and nothing is capped */
    uint8_t rate_control;         /* pass gains are needed: several layers, or not everything is exact */
    uint8_t ht_passes;            /* most passes of a set, 1 to 3 */
    uint8_t follows_step;         /* HT: steps are made coarser for the byte target, and blocks are coded again
                                     (codec/rate/rescale.h) */
    uint8_t rdoq;                 /* blocks are coded again, quantised for where they end */
    uint8_t visual;               /* slopes are those of weighted errors (wvl_band_coding.visual) */
    uint8_t keep_coefs;     /* a PSNR target, or a small picture: all coefficients stay until cuts have been measured */
    uint8_t measure_layers; /* what every layer leaves is measured, whatever its target */
    uint8_t measures_always; /* somebody asked for it; else a device that finishes the picture gives an estimate */
    uint8_t peak_depth;      /* deepest component: errors of shallower ones are scaled to it */
    /* Gains are integers in units of 2^gain_exponent squared sample units, so that no sum over the picture leaves 63
     * bits. */
    int32_t gain_exponent;
    double reversible_share; /* of the samples */
    double hidden_error;     /* squared error that no coefficient shows, in squared units of the deepest component */
} wvl_rate_plan;

/* What early output holds (D-strip-06). */
typedef struct wvl_early_plan {
    uint64_t fixed_bytes;                  /* of the coder and its workers, whatever the tiles are */
    uint64_t finish_bytes;                 /* most that writing takes beside them */
    uint64_t wave_tile_bytes, wave_index;  /* most of any wave: its tiles in the coder, and their index_bytes */
    uint64_t row_tile_bytes, row_index;    /* the same of any row of tiles */
    uint64_t precinct_blocks, block_index; /* most blocks of a precinct; most of index_bytes for one */
} wvl_early_plan;

/* memory: waves, the largest of everything, and what an encode takes. Tiles are transformed and coded in waves of
 * consecutive tiles: at least one, then as many as fit the wave limit. */
typedef struct wvl_memory_plan {
    uint64_t wave_limit; /* bytes of coefficients and tile plans */
    uint32_t wave_tiles; /* most tiles in a wave */
    uint32_t wave_count;
    uint64_t wave_bands;                  /* most bands in a wave, empty ones included */
    uint64_t wave_ranges;                 /* most ranges of blocks in a wave (codec/blocks/work.h) */
    uint64_t largest_tile_component;      /* samples */
    uint64_t largest_tile_bytes;          /* of coefficients */
    uint64_t most_precincts, most_blocks; /* of any tile */
    uint64_t most_resolutions;            /* of any tile, all components together */
    uint64_t most_tile_bytes;             /* proved, of the tile-parts of any tile */
    uint64_t quality_bytes;               /* working memory for measuring, 0 when nothing is measured */
    uint64_t tile_plan_bytes;             /* of one tile plan, the same for all */
    wvl_backend_memory backend;           /* the CPU backend's, for the largest wave */
    uint64_t coding_bytes;                /* most that is held beside coefficients while blocks are coded */
    uint64_t finish_bytes;                /* most that is held while layers are chosen */
    uint64_t index_bytes;                 /* of coded_bytes_bound: beside blocks and their passes */
    wvl_early_plan early;
    uint64_t base_bytes, coded_bytes_bound, output_bytes_bound, certain_bytes, likely_bytes; /* see wvl_plan_memory */
    uint64_t codestream_bytes_most; /* proved, whatever target or cap the plan has */
    uint64_t spare_parts;           /* most tile-parts beyond syntax.part_count, where one would be too long for Psot */
    /* Headers of an empty picture, and of the largest of its cap groups: least of a target or a cap. */
    uint64_t least_bytes, least_group_bytes;
} wvl_memory_plan;

/* device: where pixels are transformed. */
typedef struct wvl_device_plan {
    uint8_t choice;    /* WVL_DEVICE_* */
    uint8_t reach;     /* the least that it must do: wvl_reach, COEFS or more */
    uint8_t output;    /* 1: finished pictures lie in memory of the device, if it finishes them */
    uint32_t ordinals; /* bit per ordinal: those that it may use; WVL_DEVICE_EVERY: all that are there */
    uint64_t memory;   /* most bytes of each that jobs, or a picture, may take; 0: no limit */
} wvl_device_plan;

/* test: depth to which blocks are coded before rate control decides; output bytes do not depend on it. Only tests set
 * it. */
typedef struct wvl_test_plan {
    uint8_t depth_full;     /* every pass of every block */
    uint8_t all_sets;       /* HT blocks: rate control chooses among sets of all planes */
    int32_t depth_bias;     /* added to predicted thresholds */
    uint32_t strip_rows;    /* rows of the reference grid in a strip of a row source, or of a device; 0: as it pays */
    uint32_t part_bytes;    /* most bytes of a tile-part; UINT32_MAX, or 0: as many as Psot can say */
    uint64_t share_samples; /* least samples of a range of tiles that a device finishes (src/device/shares.h); 0: as it
                               pays */
} wvl_test_plan;

struct wvl_plan {
    wvl_context *context;
    wvl_syntax_plan syntax;
    wvl_rate_plan rate;
    wvl_memory_plan memory;
    wvl_device_plan device;
    wvl_test_plan test;
    struct wvl_params *params; /* what it was built from, a copy; NULL: built by a test */
    uint64_t own_bytes;        /* of the one allocation that holds this structure and its arrays */
};

/* Numbers what max_component_bytes caps: a component, or with cap_split its lower and its upper resolutions. Groups of
 * lower resolutions come first. */
WVL_HD uint32_t wvl_plan_cap_group(const struct wvl_plan *plan, uint32_t component, unsigned resolution)
{
    return component + (plan->rate.cap_split && resolution >= plan->rate.cap_split ? plan->syntax.component_count : 0);
}
WVL_HD uint32_t wvl_plan_cap_groups(const struct wvl_plan *plan)
{
    return plan->syntax.component_count << (plan->rate.cap_split != 0);
}

/* wvl_sample_kind of a component. */
static inline uint8_t wvl_plan_sample_kind(const wvl_plan_component *component)
{
    return (uint8_t)(component->is_float ? WVL_SAMPLE_FLOAT : (wvl_sample_kind)component->is_signed);
}

/* Depth of the samples that the caller gives for a component. */
static inline unsigned wvl_plan_input_depth(const wvl_plan *plan, uint32_t component)
{
    return plan->syntax.xyz.kind && component < 3 ? plan->syntax.xyz.depth : plan->syntax.components[component].depth;
}

/* Groups that rate control follows one by one, each with a threshold of its own: those that are capped, where they are
 * few; else one for all. */
#define WVL_RATE_GROUPS 8u
WVL_HD uint32_t wvl_plan_rate_groups(const struct wvl_plan *plan)
{
    return plan->rate.max_component_bytes && wvl_plan_cap_groups(plan) <= WVL_RATE_GROUPS ? wvl_plan_cap_groups(plan)
                                                                                          : 1;
}
WVL_HD uint32_t wvl_plan_rate_group(const struct wvl_plan *plan, uint32_t component, unsigned resolution)
{
    return wvl_plan_rate_groups(plan) > 1 ? wvl_plan_cap_group(plan, component, resolution) : 0;
}

/* Says whether two plans that share all else ask for the same bytes. */
static inline int wvl_plan_values_agree(const struct wvl_plan *a, const struct wvl_plan *b)
{
    int agree = a->rate.max_bytes == b->rate.max_bytes && a->rate.max_component_bytes == b->rate.max_component_bytes;
    for (uint32_t i = 0; agree && a != b && i < a->syntax.layer_count; i++) {
        agree = a->rate.layers[i].value == b->rate.layers[i].value;
    }
    return agree;
}

/* The first device that the plan may use. */
static inline uint32_t wvl_plan_first_device(const struct wvl_plan *plan)
{
    uint32_t ordinal = 0;
    while (ordinal < WVL_DEVICE_ORDINAL_MAX && !(plan->device.ordinals >> ordinal & 1)) {
        ordinal++;
    }
    return ordinal;
}
static inline int wvl_plan_names_device(const struct wvl_plan *plan, int ordinal)
{
    return ordinal >= 0 && (uint32_t)ordinal <= WVL_DEVICE_ORDINAL_MAX && (plan->device.ordinals >> ordinal & 1);
}

/* Receives one violation at a time, without a newline. */
typedef struct wvl_report {
    void (*add)(void *user, const char *text);
    void *user;
    uint32_t count;
} wvl_report;

/* Most steps of a plan: tile-components that differ from each other, or have settings of their own. */
#define WVL_PLAN_MOST_STEPS (UINT64_C(1) << 20)

struct wvl_settings;
/* Checks settings and format against the standard, reporting every violation. Returns 1 when there is none. */
int wvl_plan_check(const struct wvl_settings *settings, const wvl_image_format *format, wvl_report *report);
/* Resolves checked settings. The plan is one allocation (release with wvl_plan_destroy); context, boxes and bounds are
 * filled by the conductor. NULL: no memory, or violations that show only after resolving (reported). */
wvl_plan *wvl_geom_build_plan(const wvl_allocator *allocator, const struct wvl_settings *settings,
                              const wvl_image_format *format, wvl_report *report);
void wvl_plan_destroy(const wvl_allocator *allocator, wvl_plan *plan);
/* Fills plan->rate from settings that agree with those of the plan in all but values of targets and caps. Array of
 * layers and number of layers are the plan's. */
void wvl_plan_fill_rates(wvl_plan *plan, const struct wvl_settings *settings);
/* Depth that a component of this format is coded with: 12 where the front makes X'Y'Z' of it. Every rule about depth
 * asks here. */
unsigned wvl_plan_coded_depth(const struct wvl_settings *settings, const wvl_image_format *format, uint32_t component);
/* Rules for one component's settings, those of the format's profile included; f's component c. Returns 1 when nothing
 * is reported. */
int wvl_plan_check_coding(const struct wvl_settings *settings, const wvl_image_format *format, uint32_t component,
                          wvl_report *report);
/* Decides MCT for checked settings: WVL_MCT_*. */
unsigned wvl_plan_choose_mct(const struct wvl_settings *settings, const wvl_image_format *format);
/* Precinct byte of resolution r (PPx | PPy << 4) after expansion of the settings' list; above 0xFF: not a legal size.
 */
unsigned wvl_plan_precinct(const struct wvl_settings *settings, unsigned r);
/* Fills quantisation, containers and weights of a coding whose other members are set. Reports and returns 0 when no
 * legal step exists. */
int wvl_quant_build_bands(wvl_coding *coding, unsigned distortion_bits, unsigned max_depth, unsigned reach,
                          wvl_report *report);
/* Returns what the tile does otherwise than the main header says, or NULL. */
const wvl_tile_variant *wvl_plan_find_variant(const wvl_plan *plan, uint32_t tile);
/* Guard bits of a coding whose other members are set: as asked for, or as many as the magnitudes of deep samples need
 * (E-2).
 */
uint8_t wvl_quant_guard_bits(const wvl_coding *coding);
/* Makes all steps of an irreversible coding coarser, by 2^(sixteenths/16), and magnitude bounds and weights follow. 0:
 * they cannot be expressed so. */
int wvl_quant_scale_steps(const wvl_plan *plan, wvl_coding *coding, unsigned sixteenths);
/* Step of a coding with a quality factor, before the norm of the band, as a part of the full range. */
double wvl_quant_visual_step(const wvl_coding *coding, unsigned level, unsigned orient);
/* Weight of squared errors in a band of a coding with visual weights. */
double wvl_quant_visual_weight(const wvl_coding *coding, unsigned level, unsigned orient);
void wvl_report_add(wvl_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Tile-parts that there may be (D-cs-08). */
static inline uint64_t wvl_plan_most_parts(const wvl_plan *plan)
{
    return plan->syntax.part_count + plan->memory.spare_parts;
}

/* part_bytes and strip_rows as the environment of a test asks for; else UINT32_MAX (A.4.2) and 0. */
void wvl_geom_fetch_test(wvl_test_plan *test);

/* ---- Tile plan ------------------------------------------------------------------------------- */

typedef struct wvl_tile_band {
    wvl_rect rect;  /* tbx0.. (B.5) on the band's own grid */
    uint8_t orient; /* WVL_BAND_* */
    uint8_t level;  /* n_b: decomposition level, 0 only for LL with N_L = 0 */
    uint8_t planes, frac_bits;
    uint8_t coef_bytes;               /* 2, 4 or 8 */
    uint8_t xcb, ycb;                 /* log2 of the code block after clamping by the precinct (B.7) */
    uint8_t coding_band;              /* index into wvl_coding.band */
    float reciprocal;                 /* 9/7: 2^F / Delta_b with K, colour gains and one-sample corrections folded in */
    uint32_t block_x0, block_y0;      /* index of the first block on the absolute block grid: rect.x0 >> xcb */
    uint32_t block_cols, block_rows;  /* 0 when the band is empty */
    uint32_t cell_width, cell_height; /* samples of every block's cell; row stride inside a cell is cell_width */
    uint64_t first_block; /* index of the band's first block in the tile's block table, raster order follows */
    uint64_t coef_offset; /* bytes from the start of the tile's coefficients to the first cell */
    uint32_t rows_above, rows_below; /* of a strip: rows of blocks at its ends that are not its own */
} wvl_tile_band;

typedef struct wvl_tile_resolution {
    wvl_rect rect;                         /* trx0.. (B.5) */
    uint8_t ppx, ppy;                      /* log2 precinct size at this resolution */
    uint8_t band_count;                    /* 1 for r = 0, else 3 (HL, LH, HH) */
    uint32_t first_band;                   /* index into bands */
    uint32_t precinct_x0, precinct_y0;     /* trx0 >> ppx: index of the first precinct on the absolute precinct grid */
    uint32_t precinct_cols, precinct_rows; /* numprecinctswide, -high; 0 when the resolution is empty */
    uint64_t first_precinct;               /* index in the tile's precinct table */
} wvl_tile_resolution;

typedef struct wvl_tile_component {
    wvl_rect rect;             /* tcx0.. on the component's own grid */
    uint32_t first_resolution; /* levels + 1 follow */
    uint8_t levels, reversible, wide;
    uint16_t coding;
} wvl_tile_component;

typedef struct wvl_tile_plan {
    uint32_t index;     /* Isot */
    wvl_rect rect;      /* tx0.. on the reference grid */
    uint8_t order, mct; /* WVL_ORDER_*, WVL_MCT_* */
    uint8_t sop, eph;
    uint32_t component_count, resolution_count, band_count;
    wvl_tile_component *components;
    wvl_tile_resolution *resolutions;
    wvl_tile_band *bands;
    uint64_t block_count, precinct_count;
    uint64_t coef_bytes; /* of all cells, a multiple of 64 */
    uint64_t sample_count;
    uint64_t strip; /* 0: a whole tile. Strips of one tile with the same number are alike but for where they lie */
} wvl_tile_plan;

/* Rectangle of tile t on the reference grid (B.3). */
wvl_rect wvl_geom_tile_rect(const wvl_plan *plan, uint32_t tile);
/* Carves (or, with a measuring carver, measures) and, if memory is given, builds the tile plan. Pure: same arguments,
 * same result. The size is the same for every tile of a plan. */
void wvl_tile_plan_carve(const wvl_plan *plan, wvl_carver *carver, wvl_tile_plan *tile);
void wvl_tile_plan_build(const wvl_plan *plan, uint32_t index, wvl_tile_plan *tile);
/*
 * Strips: the rows of a tile in parts, each of which is transformed as if it were a tile. A strip has its own rows, and
 * a margin above and below them, so that the rows of blocks of its own have the coefficients of the whole tile. Those
 * in the margins are wrong, and nobody reads them (rows_above, rows_below).
 *
 * Strips begin at multiples of `unit` rows of the reference grid: there every band begins a row of blocks.
 */
typedef struct wvl_strip_grid {
    uint64_t unit;         /* UINT64_MAX: there is no such distance */
    uint64_t above, below; /* rows of the margins */
} wvl_strip_grid;
wvl_strip_grid wvl_geom_strip_grid(const wvl_plan *plan);
/* whole: the plan of a tile. Own rows: those of the tile in [first, end) of the reference grid, of which there are
 * some. strip: carved as a tile plan. */
void wvl_tile_plan_build_strip(const wvl_plan *plan, const wvl_tile_plan *whole, uint64_t first, uint64_t end,
                               wvl_strip_grid grid, wvl_tile_plan *strip);
/* Tile plans for a walk over all tiles. A picture of one wave has them all; otherwise each is built into the scratch,
 * and holds until the next one is fetched. */
typedef struct wvl_tile_walk {
    const wvl_plan *plan;
    const wvl_tile_plan *built; /* [tile_count], or NULL */
    wvl_tile_plan *scratch;     /* carved; used without `built` */
} wvl_tile_walk;
const wvl_tile_plan *wvl_tile_walk_fetch(const wvl_tile_walk *walk, uint32_t index);
/* The same of one component alone, which is component 0 of the result. */
void wvl_tile_plan_carve_component(const wvl_plan *plan, wvl_carver *carver, wvl_tile_plan *tile);
void wvl_tile_plan_build_component(const wvl_plan *plan, uint32_t index, uint32_t component, wvl_tile_plan *tile);

/* Components of one class have the same geometry, coding and quantisation in every tile: what one of them takes, each
 * of them takes. */
typedef struct wvl_component_classes {
    uint32_t count;
    uint32_t *first;    /* [count]: the first component of the class */
    uint32_t *size;     /* [count]: its components */
    uint32_t *class_of; /* [component_count] */
    uint32_t *table;    /* working */
} wvl_component_classes;

void wvl_geom_carve_classes(const wvl_plan *plan, wvl_carver *carver, wvl_component_classes *classes);
void wvl_geom_build_classes(const wvl_plan *plan, wvl_component_classes *classes);

/* Says whether a region reaches into the tile and is meant for the component. */
int wvl_geom_region_counts(const wvl_region *region, wvl_rect tile, uint32_t tile_index, uint32_t component);
/* Coefficients of the band that samples of `rect` (reference grid) depend on, by the support of the inverse transform
 * (H.3.1): inside the band, on its own grid, empty when there is none. */
wvl_rect wvl_geom_region_in_band(const wvl_plan_component *component, const wvl_tile_component *tc,
                                 const wvl_tile_band *band, wvl_rect rect);
/* Block (col, row) of a band, relative to the band's first: its samples on the band's own grid. */
wvl_rect wvl_geom_block_rect(const wvl_tile_band *band, uint32_t col, uint32_t row);
/* The blocks of one band inside precinct (col, row) of its resolution, as a half-open range of block columns and rows
 * relative to the band's first block; empty (x0 == x1 or y0 == y1) when the precinct has no samples in the band. */
wvl_rect wvl_geom_precinct_blocks(const wvl_tile_resolution *resolution, const wvl_tile_band *band,
                                  uint32_t precinct_col, uint32_t precinct_row);
