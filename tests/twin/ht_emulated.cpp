/* SPDX-License-Identifier: BSD-2-Clause */
/* The device code of block coders, packets, rate control, rdoq and unpacking on the CPU, behind the table that real
 * drivers fill (cuda/host/driver/runtime_table.h). */
#include "emulate.h"

#include "cuda/blocks/kernels.cu"
#include "cuda/blocks/t1_kernels.cu"
#include "cuda/color/unpack.cu"
#include "cuda/packets/kernels.cu"
#include "cuda/rate/kernels.cu"
#include "cuda/rdoq/kernels.cu"
#include "ht_emulated.h"

/* Calls a kernel with its only argument, which lies at `job`. */
template <class JOB> static void pass(void (*kernel)(JOB), const void *job) { kernel(*(const JOB *)job); }
template <auto KERNEL> static void call(const void *job) { pass(KERNEL, job); }

/* clang-format off */
static const struct {
    const char *name;
    void (*call)(const void *);
} kernels[] = {
#define ENTRY(name) {#name, call<name>}
    ENTRY(wvl_ht_rows_64_plain), ENTRY(wvl_ht_rows_64), ENTRY(wvl_ht_rows_32_plain), ENTRY(wvl_ht_rows_32),
    ENTRY(wvl_ht_any_16), ENTRY(wvl_ht_any_32), ENTRY(wvl_ht_refine), ENTRY(wvl_ht_finish), ENTRY(wvl_ht_place),
    ENTRY(wvl_ht_gather), ENTRY(wvl_ht_sum), ENTRY(wvl_ht_weigh),
    ENTRY(wvl_t1_open), ENTRY(wvl_t1_planes_64), ENTRY(wvl_t1_planes_64_wide), ENTRY(wvl_t1_planes_32),
    ENTRY(wvl_t1_planes_32_wide), ENTRY(wvl_t1_planes_any), ENTRY(wvl_t1_spread_64), ENTRY(wvl_t1_spread_32),
    ENTRY(wvl_t1_spread_any), ENTRY(wvl_t1_list_64), ENTRY(wvl_t1_list_32), ENTRY(wvl_t1_list_any),
    ENTRY(wvl_t1_gains_64), ENTRY(wvl_t1_gains_64_wide), ENTRY(wvl_t1_gains_32), ENTRY(wvl_t1_gains_32_wide),
    ENTRY(wvl_t1_gains_any), ENTRY(wvl_t1_hull), ENTRY(wvl_t1_sort), ENTRY(wvl_t1_mq), ENTRY(wvl_t1_mq_floats),
    ENTRY(wvl_t1_mq_pairs), ENTRY(wvl_t1_mq_styled),
    ENTRY(wvl_t1_ends), ENTRY(wvl_t1_weigh), ENTRY(wvl_t1_lift), ENTRY(wvl_t1_settle), ENTRY(wvl_t1_gather),
    ENTRY(wvl_packets_t1_blocks), ENTRY(wvl_packets_heads), ENTRY(wvl_packets_place), ENTRY(wvl_packets_list),
    ENTRY(wvl_packets_write),
    ENTRY(wvl_rate_bodies), ENTRY(wvl_rate_choose), ENTRY(wvl_rate_choose_wide), ENTRY(wvl_rate_foresee),
    ENTRY(wvl_rate_predict), ENTRY(wvl_rate_depth), ENTRY(wvl_rate_open_sets), ENTRY(wvl_rate_repeat_sets),
    ENTRY(wvl_rate_list_sets), ENTRY(wvl_rate_end_sets), ENTRY(wvl_rate_ends), ENTRY(wvl_rate_step),
    ENTRY(wvl_rate_scale),
    ENTRY(wvl_rdoq_weigh_blocks), ENTRY(wvl_rdoq_change_32), ENTRY(wvl_rdoq_change_64), ENTRY(wvl_rdoq_change_128),
    ENTRY(wvl_rdoq_change_any), ENTRY(wvl_rdoq_settle), ENTRY(wvl_rdoq_put), ENTRY(wvl_rdoq_judge),
    ENTRY(wvl_rdoq_take),
    ENTRY(wvl_unpack)
};
/* clang-format on */

int wvl_emulate_find(wvl_cuda_function *function, wvl_cuda_module, const char *name)
{
    for (const auto &k : kernels) {
        if (strcmp(k.name, name) == 0) {
            *function = (wvl_cuda_function)(uintptr_t)&k;
            return 0;
        }
    }
    return 1;
}

int wvl_emulate_launch(wvl_cuda_function function, unsigned grid_x, unsigned grid_y, unsigned, unsigned block_x,
                       unsigned, unsigned, unsigned shared_bytes, wvl_cuda_stream, void **arguments, void **)
{
    const auto *kernel = (decltype(&kernels[0]))(uintptr_t)function;
    uint32_t cluster = strcmp(kernel->name, "wvl_rate_choose_wide") ? 1 : WVL_CUDA_RATE_BLOCKS;
    emulation::launch(kernel->call, arguments[0], grid_x, grid_y, block_x, shared_bytes, cluster);
    return 0;
}

void wvl_emulate_reversed(int reversed) { emulation::reversed = reversed != 0; }
