/* SPDX-License-Identifier: BSD-2-Clause */
/* The codestream: all of it at the end, or its pieces while later tiles, or rows, are coded (early.h). */
#pragma once

#include "codec/rate/portion.h"
#include "codec/t2/packet_order.h"
#include "codec/write/coder.h"

/* Receives consecutive bytes; nonzero stops. */
typedef int (*wvl_put_fn)(void *user, const void *data, size_t bytes);
/* SOC..EOC. WVL_ERROR_SINK when put refuses. */
wvl_status wvl_coder_write(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory, wvl_put_fn put,
                           void *user);

/* Pieces. */
typedef struct wvl_coder_output {
    wvl_put_fn put;
    void *user;
    int refused;
} wvl_coder_output;

/* SOC to the end of TLM. */
wvl_status wvl_coder_put_main_header(const wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory,
                                     wvl_coder_output *out);
/* All tile-parts of these tiles, from part number `part` of the picture on, whose lengths are measured. */
wvl_status wvl_coder_put_tiles(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory,
                               wvl_portion portion, uint64_t part, wvl_coder_output *out);
/* SOT to SOD of a part whose header holds nothing of its packets, and one packet; number: of the tile's packets. */
wvl_status wvl_coder_put_part_start(const wvl_coder *coder, const wvl_cs_part *part, wvl_coder_output *out);
void wvl_coder_put_packet(const wvl_coder *coder, uint32_t tile, uint64_t packet, uint32_t number,
                          wvl_coder_output *out);
wvl_status wvl_coder_put_end(wvl_coder_output *out);
