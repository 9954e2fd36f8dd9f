/* SPDX-License-Identifier: BSD-2-Clause */
/* The EBCOT block coder on a device, for the host. Nothing here allocates, waits or locks; calls that can fail return
 * the driver's status. */
#ifndef WVL_CUDA_BLOCKS_T1_LAUNCH_H
#define WVL_CUDA_BLOCKS_T1_LAUNCH_H

#include "codec/core/block.h"
#include "cuda/blocks/t1_job.h"
#include "cuda/host/driver/route.h"
#include "geom/plan.h"

/* Styles of which one block is enough for is_styled: segments or contexts begin anew on the way, or the ends of passes
 * depend on each other. */
#define WVL_CUDA_T1_STYLED (WVL_STYLE_BYPASS | WVL_STYLE_RESET | WVL_STYLE_TERMALL | WVL_STYLE_PTERM)

typedef struct wvl_cuda_t1 {
    const wvl_cuda_runtime *runtime;
    wvl_cuda_function sort, mq, mq_styled, ends, weigh, gather;
} wvl_cuda_t1;

/* Kernels of a loaded module. */
wvl_cuda_status wvl_cuda_t1_open(wvl_cuda_t1 *t1, const wvl_cuda_runtime *runtime, wvl_cuda_module module);

/*
 * Queues what follows context modelling: the order of blocks, their bytes and records, and with job->passes the records
 * of passes. It reads blocks, states, ends and lists; it writes order, records, codewords, passes,
 * counters[WVL_CUDA_T1_ORDERED], and the ends of segments; with job->block_errors the errors of
 * blocks. block_count: at most 2^22.
 */
wvl_cuda_status wvl_cuda_t1_launch_mq(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route);

/* Threads of the MQ coder with the lanes that the job asks for. */
uint32_t wvl_cuda_t1_count_mq_threads(const wvl_cuda_t1_job *job);

/* Queues what puts coded blocks together for the host: coded and output of the job (t1_job.h), behind the MQ coder, and
 * behind the hulls where there are gains. It reads blocks, records, ends, passes, gains and codewords. */
wvl_cuda_status wvl_cuda_t1_launch_gather(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route);

/*
 * Length, planes and passes of a block as the CPU's coder gives them without gains. Bytes are not touched. The block
 * was not left. out->passes: room for WVL_CUDA_T1_MOST_PASSES. ends, passes: those of the block, downloaded.
 *
 * passes NULL: where a segment ends, the record is right in all but the tail. A pass inside a segment then has the
 * lengths of the end of its segment: right for a block that is not cut.
 */
void wvl_cuda_t1_describe(const wvl_cuda_t1_block *block, const wvl_cuda_t1_record *record, const uint32_t *ends,
                          const wvl_cuda_t1_pass *passes, wvl_block_output *out);

#endif
