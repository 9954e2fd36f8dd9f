/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/context.h"
#include "codec/write/coder.h"

#define WVL_STAGES (WVL_STAGE_CHECK + 1)

/* Bytes of a result of this plan beyond what it takes over. */
uint64_t wvl_result_bytes_of_plan(const wvl_plan *plan);
/* A tile-part: bytes are its Psot, cap_group as in wvl_cs_part. */
typedef struct wvl_result_part {
    uint64_t bytes;
    uint32_t tile, index, count, cap_group;
} wvl_result_part;

/* What a result is made of, wherever the picture was finished. */
typedef struct wvl_result_facts {
    const wvl_plan *plan;
    uint64_t codestream_offset; /* bytes before SOC */
    uint64_t codestream_bytes, main_header_bytes, part_count;
    wvl_result_part (*part)(const void *from, uint64_t index);
    const void *from;
    uint64_t *packet_bytes;   /* [component][resolution][layer], of the host's allocator */
    wvl_layer_result *layers; /* [layer_count], the same */
    const double *seconds;    /* [WVL_STAGES] */
    const char *backend;
} wvl_result_facts;

/* Takes packet_bytes and layers over, unless it returns NULL: no memory. */
wvl_result *wvl_result_create(const wvl_result_facts *facts);
