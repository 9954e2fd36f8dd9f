/* SPDX-License-Identifier: BSD-2-Clause */
/* Lengths of packets, tile-parts and pointer marker segments, when the layers are chosen. */
#pragma once

#include "codec/rate/portion.h"
#include "codec/t2/packet_order.h"
#include "codec/write/coder.h"

/* Lengths of all tile-parts and pointer marker segments of these tiles, whose first tile-part is number `part`
 * of the picture; what the standard cannot express is an error, with a text. */
wvl_status wvl_coder_measure_lengths(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory,
                                     wvl_portion portion, uint64_t part);
/* The most packets of any of these tiles, as a list of them takes it; at least 1. */
uint64_t wvl_coder_most_packets(const wvl_coder *coder, wvl_portion portion);
/* Adds a packet to coder->packet_bytes. */
void wvl_coder_add_packet(wvl_coder *coder, uint32_t tile, uint64_t precinct, uint32_t layer);
/* The number of a packet, as the source of packets counts; its bytes, markers included. */
uint64_t wvl_coder_number_packet(const wvl_coder *coder, uint32_t tile, const wvl_packet_id *id);
uint64_t wvl_coder_packet_bytes(const wvl_coder *coder, uint32_t tile, uint64_t packet);
/* Content of PPM: a length and the headers of every tile-part. */
uint64_t wvl_coder_ppm_bytes(const wvl_coder *coder);
uint64_t wvl_coder_main_header_bytes(const wvl_coder *coder);
uint64_t wvl_coder_codestream_bytes(const wvl_coder *coder);

/* coder->parts[at] keeps `packets` packets; a part behind it, without body_bytes, has the others. */
wvl_status wvl_coder_split_part(wvl_coder *coder, uint64_t at, uint32_t packets);
/* A packet is longer than Psot can say. Returns the status, with a text. */
wvl_status wvl_coder_refuse_packet(wvl_coder *coder, uint32_t tile);
