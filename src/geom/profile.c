/* SPDX-License-Identifier: BSD-2-Clause */
#include "geom/profile.h"

static const wvl_profile_row rows[WVL_PROFILE_COUNT] = {
    [WVL_PROFILE_NONE] = {"none", WVL_FAMILY_NONE, 0, 0, 0, 0},
    [WVL_PROFILE_0] = {"profile0", WVL_FAMILY_NONE, 1, 0, 0, 0},
    [WVL_PROFILE_1] = {"profile1", WVL_FAMILY_NONE, 2, 0, 0, 0},
    [WVL_PROFILE_CINEMA_2K] = {"cinema2k", WVL_FAMILY_CINEMA, 3, 0, 0, 0},
    [WVL_PROFILE_CINEMA_4K] = {"cinema4k", WVL_FAMILY_CINEMA, 4, 0, 1, 0},
    [WVL_PROFILE_IMF_2K] = {"imf-2k", WVL_FAMILY_IMF, 4, 0, 0, 0},
    [WVL_PROFILE_IMF_4K] = {"imf-4k", WVL_FAMILY_IMF, 5, 0, 1, 0},
    [WVL_PROFILE_IMF_8K] = {"imf-8k", WVL_FAMILY_IMF, 6, 0, 2, 0},
    [WVL_PROFILE_IMF_2K_R] = {"imf-2k-r", WVL_FAMILY_IMF, 7, 1, 0, 0},
    [WVL_PROFILE_IMF_4K_R] = {"imf-4k-r", WVL_FAMILY_IMF, 8, 1, 1, 0},
    [WVL_PROFILE_IMF_8K_R] = {"imf-8k-r", WVL_FAMILY_IMF, 9, 1, 2, 0},
    [WVL_PROFILE_BROADCAST_SINGLE] = {"broadcast-single", WVL_FAMILY_BROADCAST, 1, 0, 0, 0},
    [WVL_PROFILE_BROADCAST_MULTI] = {"broadcast-multi", WVL_FAMILY_BROADCAST, 2, 0, 0, 0},
    [WVL_PROFILE_BROADCAST_MULTI_R] = {"broadcast-multi-r", WVL_FAMILY_BROADCAST, 3, 1, 0, 0},
    [WVL_PROFILE_KB_MASTER] = {"kb-master", WVL_FAMILY_KEEP, 0, 1, 0, 0},
    [WVL_PROFILE_KB_ACCESS] = {"kb-access", WVL_FAMILY_KEEP, 0, 0, 0, 0},
    [WVL_PROFILE_NDNP] = {"ndnp", WVL_FAMILY_KEEP, 0, 0, 0, 0},
    [WVL_PROFILE_BODLEIAN] = {"bodleian", WVL_FAMILY_KEEP, 0, 1, 0, 0},
    [WVL_PROFILE_BODLEIAN_LOSSY] = {"bodleian-lossy", WVL_FAMILY_KEEP, 0, 0, 0, 0},
    [WVL_PROFILE_BL_NEWSPAPER] = {"bl-newspaper", WVL_FAMILY_KEEP, 0, 0, 0, 0},
    [WVL_PROFILE_HT_ARCHIVE] = {"ht-archive", WVL_FAMILY_KEEP, 0, 1, 0, 1},
    [WVL_PROFILE_DICOM_HTJ2K_RPCL] = {"dicom-htj2k-rpcl", WVL_FAMILY_DICOM, 0, 1, 0, 1},
    [WVL_PROFILE_IMF_HT_REV] = {"imf-ht-rev", WVL_FAMILY_IMF_HT, 0, 1, 0, 1},
    [WVL_PROFILE_IMF_HT_IRV] = {"imf-ht-irv", WVL_FAMILY_IMF_HT, 0, 0, 0, 1},
};

/* The same structure, lossless and lossy. */
#define BODLEIAN_STRUCTURE                                                                                             \
    .components = -1, .depth = -1, .tile = 512, .levels = 6, .layers = 6, .order = WVL_ORDER_RPCL,                     \
    .small_precincts = 1, .sop_eph = 1, .plt = 1, .parts_by_resolution = 1, .container = WVL_CONTAINER_JP2

static const wvl_profile_keep keeps[WVL_PROFILE_COUNT] = {
    [WVL_PROFILE_KB_MASTER] = {.components = 3,
                               .depth = 8,
                               .tile = 1024,
                               .levels = 5,
                               .layers = 11,
                               .order = WVL_ORDER_RPCL,
                               .style = WVL_STYLE_SEGSYM,
                               .small_precincts = 1,
                               .sop_eph = 1,
                               .comment = 1,
                               .metadata = 1,
                               .container = WVL_CONTAINER_JP2},
    [WVL_PROFILE_KB_ACCESS] = {.components = 3,
                               .depth = 8,
                               .tile = 1024,
                               .levels = 5,
                               .layers = 8,
                               .order = WVL_ORDER_RPCL,
                               .style = WVL_STYLE_SEGSYM,
                               .small_precincts = 1,
                               .sop_eph = 1,
                               .comment = 1,
                               .container = WVL_CONTAINER_JP2},
    [WVL_PROFILE_NDNP] = {.components = 1,
                          .depth = 8,
                          .tile = 1024,
                          .levels = 6,
                          .layers = 25,
                          .order = WVL_ORDER_RLCP,
                          .style = WVL_STYLE_BYPASS,
                          .container = WVL_CONTAINER_JP2},
    [WVL_PROFILE_BODLEIAN] = {BODLEIAN_STRUCTURE},
    [WVL_PROFILE_BODLEIAN_LOSSY] = {BODLEIAN_STRUCTURE},
    [WVL_PROFILE_BL_NEWSPAPER] = {.components = -1,
                                  .depth = 8,
                                  .levels = 6,
                                  .layers = 12,
                                  .order = WVL_ORDER_RPCL,
                                  .style = WVL_STYLE_BYPASS,
                                  .small_precincts = 1,
                                  .plt = 1,
                                  .container = WVL_CONTAINER_JP2},
    [WVL_PROFILE_HT_ARCHIVE] = {.components = -1,
                                .depth = -1,
                                .tile = 1024,
                                .levels = 5,
                                .layers = 1,
                                .order = WVL_ORDER_RPCL,
                                .style = WVL_STYLE_HT,
                                .small_precincts = 1,
                                .sop_eph = 1,
                                .plt = 1,
                                .container = WVL_CONTAINER_JPH},
};

const wvl_profile_row *wvl_profile_of(unsigned profile)
{
    return &rows[profile < WVL_PROFILE_COUNT ? profile : WVL_PROFILE_NONE];
}

const wvl_profile_keep *wvl_profile_keep_of(unsigned profile)
{
    return wvl_profile_of(profile)->family == WVL_FAMILY_KEEP ? &keeps[profile] : NULL;
}

uint16_t wvl_profile_rsiz(const wvl_settings *s)
{
    const wvl_profile_row *row = wvl_profile_of(s->profile);
    switch (row->family) {
    case WVL_FAMILY_IMF: return (uint16_t)(row->number << 8 | s->sub_level << 4 | s->main_level);
    case WVL_FAMILY_BROADCAST: return (uint16_t)(row->number << 8 | s->main_level);
    default: return row->number;
    }
}

/* Rates are at most 51.2e9 bits a second and seconds at most 10^6, so that the product stays below 2^56. */
static uint64_t frame_bytes(const wvl_settings *s, uint64_t bits_per_second)
{
    return bits_per_second * s->seconds / (8 * (uint64_t)s->frames * (s->stereo ? 2 : 1));
}

/* DCSS 4.3.3; 230 Mbit/s leave older servers room. HFR doubles all of them. */
static wvl_profile_limits cinema_limits(const wvl_settings *s)
{
    uint64_t mega = s->hfr ? 2000000 : 1000000;
    wvl_profile_limits limits = {frame_bytes(s, 250 * mega), frame_bytes(s, 200 * mega), frame_bytes(s, 230 * mega), 0};
    limits.split_resolution = wvl_profile_of(s->profile)->size ? s->levels : 0;
    return limits;
}

/* Where a picture is to come back exactly, the rate is not lowered behind its back: too many bytes are found by the
 * check. */
wvl_profile_limits wvl_profile_limits_of(const wvl_settings *s)
{
    wvl_profile_limits limits = {0, 0, 0, 0};
    const wvl_profile_row *row = wvl_profile_of(s->profile);
    if (row->family == WVL_FAMILY_CINEMA) {
        return cinema_limits(s);
    }
    if (row->family == WVL_FAMILY_IMF && s->sub_level && !row->reversible) {
        limits.frame_bytes = frame_bytes(s, UINT64_C(200000000) << (s->sub_level - 1));
    } else if (row->family == WVL_FAMILY_BROADCAST && s->main_level && !row->reversible) {
        limits.frame_bytes = frame_bytes(s, UINT64_C(200000000) << (s->main_level > 3 ? s->main_level - 3 : 0));
    }
    return limits;
}

uint64_t wvl_profile_level_samples(unsigned level)
{
    static const uint16_t millions[12] = {0, 65, 130, 195, 260, 520, 1200, 2400, 4800, 9600, 19200, 38400};
    return level < 12 ? millions[level] * UINT64_C(1000000) : 0;
}
