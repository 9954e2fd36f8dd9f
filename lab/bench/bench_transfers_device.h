/* SPDX-License-Identifier: BSD-2-Clause */
/* `transfers`, the device side: pieces go up, are transformed, and come down, on one device or dealt out to several. */
#pragma once

#include "tools/bench/bench.h"
#include "wavelane_dwt.h"

enum { WVL_TRANSFERS_DEVICES = 16 };

/* Rows of a picture that travel together: `rows` rows of `width` floats, without gaps, in tiles that know nothing of
 * each other. A tile as large as the rows is the only one. Bands lie in the rectangle of their tile
 * (WVL_DWT2_SEPARATE). */
typedef struct wvl_transfers_piece {
    const float *from;
    float *to;
    uint32_t width, rows, tile_width, tile_height;
} wvl_transfers_piece;

typedef struct wvl_transfers_order {
    int copies, transforms; /* what is done; transforms alone work on what lies on the device */
    int overlaps;           /* copies up, transforms and copies down have streams of their own */
    uint32_t devices;       /* piece i goes to device i % devices */
} wvl_transfers_order;

typedef struct wvl_transfers_bench wvl_transfers_bench;

/* Transforms a piece: forward, `levels` levels. */
wvl_status wvl_transfers_transform(wvl_dwt2 *dwt, const wvl_transfers_piece *piece, uint32_t levels, char *error);

/* NULL (reported in error): there are fewer devices, or no memory. samples: of the largest piece. *is_absent: there is
 * no device. */
wvl_transfers_bench *wvl_transfers_open(uint32_t devices, const char *wavelet, uint32_t levels, uint64_t samples,
                                        int *is_absent, char *error);
void wvl_transfers_close(wvl_transfers_bench *bench);
/* Page-locked memory for all devices; it lives until the bench is closed. */
float *wvl_transfers_take(wvl_transfers_bench *bench, uint64_t samples);
/* Wall seconds from the first call to the end of all work; negative (reported in error): a call failed. */
double wvl_transfers_run(wvl_transfers_bench *bench, const wvl_transfers_order *order,
                         const wvl_transfers_piece *pieces, size_t count, char *error);
const char *wvl_transfers_device_name(const wvl_transfers_bench *bench);
