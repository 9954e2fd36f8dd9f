/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kernel takes which levels of a component, by its shape, its blocks and how its pixels lie. */
#pragma once

#include "cuda/dwt/kernels.h"
#include "cuda/dwt/tables_unit.h"

/* The kernel that begins with this level of the component; NULL: none does, or the one before has taken the level.
 * Components without decomposition go with the first level. Sets what the launch in front leaves. */
const wvl_cuda_kernel_row *wvl_cuda_choose_kernel(const builder *b, unit *u, unsigned level);

/* One of the components that the color transform takes. */
int wvl_cuda_is_mixed(const unit *u);

/* Any-shape kernels: tiles; levels that one thread block takes, one after the other. */
void wvl_cuda_measure_grid(wvl_rect r, uint32_t *cols, uint32_t *rows);
uint32_t wvl_cuda_chain_length(const builder *b, const unit *u, unsigned level);

/* Marching kernels: lanes that panels share at either side, panels. */
uint32_t wvl_cuda_march_room(const builder *b, const unit *u, unsigned level, const wvl_cuda_kernel_row *row);
uint32_t wvl_cuda_march_panels(const builder *b, const unit *u, unsigned level, const wvl_cuda_kernel_row *row);
/* Returns what the component adds to the panels of a launch, in 32nds: panels that go on from picture to picture need
 * not be whole. */
uint64_t wvl_cuda_panel_shares(const builder *b, const unit *u, unsigned level, const wvl_cuda_kernel_row *row);

/* Says whether all planes of the launch are so small that latency is what they wait for. */
int wvl_cuda_plane_is_little(const builder *b, const unit *u, unsigned level);

/* Levels from this one on that one launch takes tile by tile. */
unsigned wvl_cuda_cascade_levels(const unit *u, unsigned level);
