/* SPDX-License-Identifier: BSD-2-Clause */
/* Every precinct of the picture, or of the portion at work, by all workers, in no order (D-rate-07). */
#pragma once

#include "codec/rate/layers.h"

/* worker: below job->workers; scratch of the job is its own. */
typedef void (*wvl_visit_fn)(wvl_layer_job *job, wvl_coded_tile *tile, uint64_t precinct, uint32_t worker, void *user);

/* Returns the bytes of job->sweep_order. */
uint64_t wvl_sweep_bytes(void);
/* Counts precincts and blocks. */
void wvl_sweep_open(wvl_layer_job *job);
/* Some precincts are left out when the look is over. */
void wvl_sweep_precincts(wvl_layer_job *job, wvl_visit_fn visit, void *user);
