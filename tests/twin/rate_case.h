/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rate control of blocks that nobody coded: passes, gains and slopes are drawn. The CPU's coder chooses and writes a
 * codestream from them; the kernels do the same through a driver table, from the tables that the backend makes.
 */
#pragma once

#include "codec/rate/layers.h"
#include "cuda/host/pictures/picture.h"
#include "ht_blocks.h"

/* What a drawer fills in. planes, style: of the block's band; they stand. */
typedef struct rate_block {
    uint8_t most_planes, style;
    uint8_t planes;     /* 0: no passes */
    uint8_t pass_count; /* at most 3 * planes - 2 */
    uint8_t known;      /* passes that the device has; 0: all */
    uint16_t unsettled; /* where it has not all: as wvl_cuda_t1_gains has it */
    wvl_pass passes[WVL_CUDA_T1_MOST_PASSES];
    int64_t gains[WVL_CUDA_T1_MOST_PASSES]; /* cumulative */
    uint16_t slopes[WVL_CUDA_T1_MOST_PASSES];
} rate_block;

typedef struct rate_case {
    wvl_context *context;
    wvl_plan *plan; /* tests change its limits of bytes */
    wvl_assembly assembly;
    wvl_cuda_pictures *pictures;
    wvl_cuda_t1_block *cells; /* [assembly.block_count]: what the plan says of blocks */
    rate_block *blocks;       /* [assembly.block_count] */
    int is_wide;              /* a cluster chooses */
    /* What the CPU makes of them. */
    wvl_status status;        /* OK, or UNREACHABLE */
    wvl_layer_result *layers; /* [assembly.layer_count] */
    uint8_t *sent;            /* [assembly.block_count]: passes */
    uint8_t *expected;
    uint64_t expected_bytes, expected_room;
    uint32_t asked; /* how often a device wanted more passes: then nothing is compared */
    char problem[512];
} rate_case;

/* settings: "key=value key=value". 0: problem says why. */
int rate_case_open(rate_case *c, const wvl_image_format *format, const char *settings);
void rate_case_close(rate_case *c);
/* The CPU's choice for the blocks as they stand. 0: problem says why. */
int rate_case_expect(rate_case *c);
/* The same by the kernels of a device. NULL, or what differs. */
const char *rate_case_check(rate_case *c, const ht_device *d);
