/* SPDX-License-Identifier: BSD-2-Clause */
/* Layers over the whole picture, when its blocks are coded. */
#pragma once

#include "codec/t2/packet_order.h"
#include "codec/write/coder.h"

/* After the last tile: layers, and lengths of all tile-parts, unless recode.reason asks for another
 * coding: then all tiles must come again. memory: for the order of a tile's packets. */
wvl_status wvl_coder_finish(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory);
/* Tile-parts, and the job of layers over the whole picture. Called by finish, or before the first tile (early.h).
 */
wvl_status wvl_coder_open_layers(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory);
