/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the blocks of a wave come from: the device that transformed it, if it reaches so far (wvl_reach), else the
 * CPU's workers. What a device cannot code goes to the workers, from the coefficients of the same wave: the coder
 * repeats nothing, and the bytes are the same.
 */
#pragma once

#include "codec/blocks/blocks.h"
#include "waves/drive.h"

typedef struct wvl_wave_source {
    wvl_drive *drive;
    uint32_t tile;         /* of a strip: the one of its tiles that is coded */
    wvl_block_source pool; /* the CPU's workers */
    int is_lowered;        /* the wave's blocks go to them from here on */
} wvl_wave_source;

/* The source for the wave that the drive has handed over last. blocks: opened. The CPU's own where that is all. */
wvl_block_source wvl_wave_source_open(wvl_wave_source *source, wvl_drive *drive, wvl_blocks *blocks);
