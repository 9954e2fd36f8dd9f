/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where coded blocks come from. The codec gives orders and never knows what codes them: the CPU's workers
 * (blocks/source_pool.h), or a device whose backend reaches WVL_REACH_BLOCKS, wrapped by the conductor.
 *
 * code() is pure in its arguments: after an error the same order may go to another source, over the same coefficients,
 * and gives the same bytes. So a source of a device keeps a batch only when it is complete (wvl_keep_batch).
 */
#pragma once

#include "codec/blocks/keep.h"

typedef struct wvl_block_source {
    void *self;
    int takes_snapshots; /* code() goes by order->thresholds, not by the keeper's: then it gets an order for every
                            phase, each with what is known by then */
    /* With plan->rate.rdoq: how much the blocks of the ranges weigh at order->slopes. Sets the weight of every block,
     * and weights[range_count]. */
    wvl_status (*weigh)(void *self, const wvl_block_order *order, wvl_keeper *keeper, uint32_t *weights);
    /* Codes the blocks that the order names, and keeps them. WVL_CANCELLED; WVL_ERROR_MEMORY; WVL_ERROR_DEVICE;
     * WVL_ERROR_INTERNAL: a coefficient exceeds the bound that the plan proved. */
    wvl_status (*code)(void *self, const wvl_block_order *order, wvl_keeper *keeper);
} wvl_block_source;
