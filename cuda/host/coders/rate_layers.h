/* SPDX-License-Identifier: BSD-2-Clause */
/* What layers ask for, as rate control on a device takes it. */
#ifndef WVL_CUDA_HOST_RATE_LAYERS_H
#define WVL_CUDA_HOST_RATE_LAYERS_H

#include "cuda/rate/rate_job.h"
#include "geom/plan.h"

/* Budgets, thresholds and parts of all layers. empty_layer_bytes, overhead_bytes and the cap of components are set. */
void wvl_cuda_set_layers(const wvl_plan *plan, wvl_cuda_rate_job *job);

#endif
