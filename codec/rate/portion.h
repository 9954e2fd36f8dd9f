/* SPDX-License-Identifier: BSD-2-Clause */
/* Layers of pictures whose cuts are known beforehand: they are committed portion by portion, while other parts of the
 * picture are still coded. The packets, and what is reported of them, are those of wvl_layers_allocate. */
#pragma once

#include "codec/rate/layers.h"

/* The sums of one layer, for all portions so far. */
typedef struct wvl_layer_sums {
    wvl_layer_cost cost;
    wvl_sent_sums sent;
} wvl_layer_sums;

/* Says whether the plan fixes the cuts of every layer: everything, or slopes. No block is then coded a second time. */
int wvl_layers_are_given(const wvl_plan *plan);
/* Bytes that a commit works in, beyond headers and contributions. */
uint64_t wvl_layers_portion_bytes(const wvl_plan *plan, const wvl_t2_sizes *sizes, uint32_t workers);
/* Commits all layers of job->portion, of which every block is coded. Headers and contributions of the job are those of
 * this portion alone. WVL_CANCELLED, WVL_ERROR_MEMORY. */
wvl_status wvl_layers_commit_portion(wvl_layer_job *job, wvl_layer_sums *sums, double *energy);
/* After the last portion: job->layers, whose bytes are an upper bound. */
void wvl_layers_report_sums(wvl_layer_job *job, const wvl_layer_sums *sums, double energy);
