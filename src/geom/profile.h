/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles that a plan declares (Rsiz), keeps and checks: names, numbers and byte limits. */
#pragma once

#include "geom/settings.h"

/* In the order of the words of the option `profile`. */
typedef enum wvl_profile_id {
    WVL_PROFILE_NONE = 0,
    WVL_PROFILE_0, /* Rsiz 1 */
    WVL_PROFILE_1, /* Rsiz 2 */
    WVL_PROFILE_CINEMA_2K,
    WVL_PROFILE_CINEMA_4K,
    WVL_PROFILE_IMF_2K,
    WVL_PROFILE_IMF_4K,
    WVL_PROFILE_IMF_8K,
    WVL_PROFILE_IMF_2K_R,
    WVL_PROFILE_IMF_4K_R,
    WVL_PROFILE_IMF_8K_R,
    WVL_PROFILE_BROADCAST_SINGLE,
    WVL_PROFILE_BROADCAST_MULTI,
    WVL_PROFILE_BROADCAST_MULTI_R,
    WVL_PROFILE_KB_MASTER,
    WVL_PROFILE_KB_ACCESS,
    WVL_PROFILE_NDNP,
    WVL_PROFILE_BODLEIAN,
    WVL_PROFILE_BODLEIAN_LOSSY,
    WVL_PROFILE_BL_NEWSPAPER,
    WVL_PROFILE_HT_ARCHIVE,
    WVL_PROFILE_DICOM_HTJ2K_RPCL,
    WVL_PROFILE_IMF_HT_REV,
    WVL_PROFILE_IMF_HT_IRV,
    WVL_PROFILE_COUNT
} wvl_profile_id;

/* Words of the option `profile`, in the order of wvl_profile_id. */
#define WVL_PROFILE_WORDS                                                                                              \
    "none|0|1|cinema2k|cinema4k|imf-2k|imf-4k|imf-8k|imf-2k-r|imf-4k-r|imf-8k-r|broadcast-single|broadcast-multi|"     \
    "broadcast-multi-r|"                                                                                               \
    "kb-master|kb-access|ndnp|bodleian|bodleian-lossy|bl-newspaper|ht-archive|dicom-htj2k-rpcl|imf-ht-rev|imf-ht-irv"

typedef enum wvl_profile_family {
    WVL_FAMILY_NONE = 0, /* none, 0 and 1: nothing beyond plan_check.c */
    WVL_FAMILY_CINEMA,
    WVL_FAMILY_IMF,
    WVL_FAMILY_BROADCAST,
    WVL_FAMILY_KEEP,
    WVL_FAMILY_DICOM,
    WVL_FAMILY_IMF_HT
} wvl_profile_family;

typedef struct wvl_profile_row {
    const char *name; /* as the walker and the option have it */
    uint8_t family;
    uint8_t number;     /* Rsiz, or its bits 11..8 with levels below them */
    uint8_t reversible; /* the wavelet that it asks for */
    uint8_t size;       /* cinema and IMF: 0, 1, 2 for 2K, 4K, 8K */
    uint8_t ht;         /* blocks are HT blocks */
} wvl_profile_row;

/* What preservation profiles ask of the coding; the walker has its own copy. 0 or -1: not asked for. */
typedef struct wvl_profile_keep {
    int8_t components, depth, levels, layers, order, style;
    uint16_t tile;           /* 0: one tile */
    uint8_t small_precincts; /* 256, 256, then 128; else one a resolution */
    uint8_t sop_eph, plt, parts_by_resolution, comment, metadata, container; /* container: WVL_CONTAINER_* */
} wvl_profile_keep;

/* Bytes of one frame: bits a second over the frame rate, rounded down. 0: no limit. */
typedef struct wvl_profile_limits {
    uint64_t frame_bytes, component_bytes, target_bytes;
    uint8_t split_resolution; /* component_bytes holds below and from here on apart; 0: for all together */
} wvl_profile_limits;

const wvl_profile_row *wvl_profile_of(unsigned profile);
const wvl_profile_keep *wvl_profile_keep_of(unsigned profile); /* NULL: of another family */
uint16_t wvl_profile_rsiz(const wvl_settings *settings);
wvl_profile_limits wvl_profile_limits_of(const wvl_settings *settings);
/* Samples a second of main level 1..11; 0: no limit. */
uint64_t wvl_profile_level_samples(unsigned level);

/* profile_check.c: what settings and format, and what the JP2 description, break of the profile; every violation is
 * reported. */
void wvl_profile_check(const wvl_settings *settings, const wvl_image_format *format, wvl_report *report);
void wvl_profile_check_file(const wvl_settings *settings, const wvl_jp2_info *jp2, wvl_report *report);
