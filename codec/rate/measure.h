/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts of blocks for a threshold, and what a layer with these cuts costs. */
#pragma once

#include "codec/core/bracket.h"
#include "codec/rate/layers.h"

/* Returns the bytes that one worker needs. */
uint64_t wvl_rate_scratch_bytes(const wvl_t2_sizes *sizes);
/* Forgets what was measured of the layer. */
void wvl_rate_open_layer(wvl_layer_job *job, uint32_t layer);
wvl_t2_tile wvl_rate_open_t2(const wvl_layer_job *job, const wvl_coded_tile *tile);
/* Cumulative bytes after a cut. last: no later layer follows, the codeword ends there. */
uint32_t wvl_rate_cut_bytes(const wvl_layer_job *job, const wvl_coded_block *block, uint32_t cut,
                            const wvl_block_state *state, int last);
/* Cuts every block. */
void wvl_rate_cut_layer(wvl_layer_job *job, const wvl_layer_cuts *cuts);
/* Cuts every block and measures. group_bytes: [cap groups], packets and their PLT lengths. */
wvl_layer_cost wvl_rate_measure_layer(wvl_layer_job *job, const wvl_layer_cuts *cuts, uint64_t *group_bytes);
/* The packet of the layer with the cuts that stand in the states, again if it was measured before. */
wvl_layer_cost wvl_rate_measure_packet(wvl_layer_job *job, wvl_coded_tile *tile, uint64_t precinct, uint32_t layer,
                                       uint32_t worker);
/* The same where the packet was measured last with the cut `before` of this block, and no other has changed since. */
wvl_layer_cost wvl_rate_measure_change(wvl_layer_job *job, wvl_coded_tile *tile, uint64_t precinct, uint32_t layer,
                                       uint64_t block, const wvl_block_state *before);
/* The block has its old cut again, instead of the one measured. The packet is for the caller to restore. */
void wvl_rate_undo_change(wvl_layer_job *job, wvl_coded_tile *tile, uint64_t precinct, uint32_t layer, uint64_t block,
                          const wvl_block_state *measured);
/* As it was measured last. 0: its cuts have changed since. */
int wvl_rate_recall_packet(const wvl_layer_job *job, const wvl_coded_tile *tile, uint64_t precinct, uint32_t layer,
                           wvl_layer_cost *cost);
/* Upper bound of the codestream when the layers so far and one of this cost are in it. */
uint64_t wvl_rate_codestream_bytes(const wvl_layer_job *job, wvl_layer_cost cost);
/* Says whether a cap group with `layer_bytes` in the layer in work keeps its cap. */
int wvl_rate_component_fits(const wvl_layer_job *job, uint32_t group, uint64_t layer_bytes);
/* Codes the headers of the layer for good with the cuts that stand in the states. Sets the cost, adds to group_bytes.
 */
wvl_status wvl_rate_commit_layer(wvl_layer_job *job, const wvl_layer_cuts *cuts, wvl_layer_cost *cost,
                                 uint64_t *group_bytes);
/* Bytes of job->fill_memory. */
uint64_t wvl_rate_fill_bytes(void);
/* Last resort of a byte target: takes single passes in the order of their slopes as long as they fit. Brings cost and
 * group_bytes up to date. */
void wvl_rate_fill(wvl_layer_job *job, const wvl_layer_cuts *cuts, const wvl_layer_room *room, wvl_layer_cost *cost,
                   uint64_t *group_bytes);
