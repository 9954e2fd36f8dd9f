/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders for the jobs of strips: the codec counts blocks of the tile, a job those of its strip. */
#ifndef WVL_SOURCE_STRIP_H
#define WVL_SOURCE_STRIP_H

#include "waves/drive.h"

typedef struct wvl_strip_order {
    wvl_block_order order; /* for the job */
    const wvl_drive *drive;
    const wvl_strip_view *view; /* NULL: jobs are waves, and nothing differs */
    wvl_block_batch batch;
    wvl_block_range *ranges;
    uint32_t *blocks;
    uint64_t range_room, block_room;
} wvl_strip_order;

/* from: an order for tile `tile` of the job that was handed over last. WVL_ERROR_MEMORY: close is due all the same. */
wvl_status wvl_strip_order_open(wvl_strip_order *strip, const wvl_drive *drive, uint32_t tile,
                                const wvl_block_order *from);
/* The answer of the job, as the codec counts; until close. */
const wvl_block_batch *wvl_strip_order_take(wvl_strip_order *strip, const wvl_block_batch *batch);
void wvl_strip_order_close(wvl_strip_order *strip);

#endif
