/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kernel takes which levels of a component, by its shape, its blocks and how its pixels lie. */
#ifndef WVL_CUDA_CHOOSE_H
#define WVL_CUDA_CHOOSE_H

#include "cuda/tables_unit.h"

/* The kernel that begins with this level of the component; WVL_CUDA_KERNELS: none does, or the one before has taken it. Components without
 * decomposition go with the first level. Sets what the launch in front leaves. */
uint32_t wvl_cuda_choose_kernel(const builder *b, unit *u, unsigned level);

/* Whether the kernel leaves a narrow plane. */
uint32_t wvl_cuda_writes_narrow(uint32_t kernel);
/* One of the components that the colour transform takes. */
int wvl_cuda_is_mixed(const unit *u);

/* Any-shape kernels: tiles; levels that one thread block takes, one after the other. */
void wvl_cuda_measure_grid(wvl_rect r, uint32_t *cols, uint32_t *rows);
uint32_t wvl_cuda_chain_length(const builder *b, const unit *u, unsigned level);

/* Fused kernels: columns of a lane, lanes that strips share at either side, strips. */
uint32_t wvl_cuda_march_columns(uint32_t kernel);
uint32_t wvl_cuda_march_room(const builder *b, const unit *u, unsigned level, uint32_t kernel);
uint32_t wvl_cuda_march_strips(const builder *b, const unit *u, unsigned level, uint32_t kernel);
/* What the component adds to the strips of a launch. */
uint64_t wvl_cuda_strip_shares(const builder *b, const unit *u, unsigned level, uint32_t kernel);
/* Whether the outer strips own all lanes at the edges. */
int wvl_cuda_owns_edges(uint32_t kernel);

/* Whether all planes of the launch are so small that latency is what they wait for. */
int wvl_cuda_plane_is_little(const builder *b, const unit *u, unsigned level);

int wvl_cuda_is_cascade(uint32_t kernel);
/* One that takes the last level of a plane, in pieces of WVL_CUDA_CASCADE_OWN columns and WVL_CUDA_CASCADE_ROWS rows. */
int wvl_cuda_is_last(uint32_t kernel);
/* Levels from this one on that one launch takes tile by tile. */
unsigned wvl_cuda_cascade_levels(const unit *u, unsigned level);

#endif
