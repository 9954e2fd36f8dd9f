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

#define KERNELS(X)                                                                                                     \
    X(wvl_ht_rows_64_plain)                                                                                            \
    X(wvl_ht_rows_64)                                                                                                  \
    X(wvl_ht_rows_32_plain)                                                                                            \
    X(wvl_ht_rows_32)                                                                                                  \
    X(wvl_ht_any_16)                                                                                                   \
    X(wvl_ht_any_32) X(wvl_ht_refine) X(wvl_ht_finish) X(wvl_ht_place) X(wvl_ht_gather) X(wvl_ht_sum) X(wvl_ht_weigh)
#define CALL(name)                                                                                                     \
    static void call_##name(const void *job) { name(*(const wvl_cuda_ht_job *)job); }
KERNELS(CALL)

#define T1_KERNELS(X)                                                                                                  \
    X(wvl_t1_open)                                                                                                     \
    X(wvl_t1_gains_64)                                                                                                 \
    X(wvl_t1_gains_64_wide)                                                                                            \
    X(wvl_t1_gains_32_wide)                                                                                            \
    X(wvl_t1_planes_64_wide)                                                                                           \
    X(wvl_t1_planes_32_wide)                                                                                           \
    X(wvl_t1_gains_32)                                                                                                 \
    X(wvl_t1_gains_any)                                                                                                \
    X(wvl_t1_hull)                                                                                                     \
    X(wvl_t1_planes_64)                                                                                                \
    X(wvl_t1_planes_32)                                                                                                \
    X(wvl_t1_planes_any)                                                                                               \
    X(wvl_t1_spread_64)                                                                                                \
    X(wvl_t1_spread_32)                                                                                                \
    X(wvl_t1_spread_any)                                                                                               \
    X(wvl_t1_list_64)                                                                                                  \
    X(wvl_t1_list_32)                                                                                                  \
    X(wvl_t1_list_any)                                                                                                 \
    X(wvl_t1_sort)                                                                                                     \
    X(wvl_t1_mq) X(wvl_t1_mq_styled) X(wvl_t1_ends) X(wvl_t1_weigh) X(wvl_t1_lift) X(wvl_t1_settle) X(wvl_t1_gather)
#define CALL_T1(name)                                                                                                  \
    static void call_##name(const void *job) { name(*(const wvl_cuda_t1_job *)job); }
T1_KERNELS(CALL_T1)

#define PACKET_KERNELS(X)                                                                                              \
    X(wvl_packets_t1_blocks)                                                                                           \
    X(wvl_packets_heads) X(wvl_packets_place) X(wvl_packets_list) X(wvl_packets_write)
#define CALL_PACKETS(name)                                                                                             \
    static void call_##name(const void *job) { name(*(const wvl_cuda_packets_job *)job); }
PACKET_KERNELS(CALL_PACKETS)

#define RATE_KERNELS(X)                                                                                                \
    X(wvl_rate_bodies)                                                                                                 \
    X(wvl_rate_choose)                                                                                                 \
    X(wvl_rate_foresee)                                                                                                \
    X(wvl_rate_predict)                                                                                                \
    X(wvl_rate_depth)                                                                                                  \
    X(wvl_rate_open_sets)                                                                                              \
    X(wvl_rate_repeat_sets)                                                                                            \
    X(wvl_rate_list_sets) X(wvl_rate_end_sets) X(wvl_rate_ends) X(wvl_rate_step) X(wvl_rate_scale)
#define CALL_RATE(name)                                                                                                \
    static void call_##name(const void *job) { name(*(const wvl_cuda_rate_job *)job); }
RATE_KERNELS(CALL_RATE)

#define RDOQ_KERNELS(X)                                                                                                \
    X(wvl_rdoq_weigh_blocks)                                                                                           \
    X(wvl_rdoq_change_32)                                                                                              \
    X(wvl_rdoq_change_64)                                                                                              \
    X(wvl_rdoq_change_128) X(wvl_rdoq_change_any) X(wvl_rdoq_settle) X(wvl_rdoq_put) X(wvl_rdoq_judge) X(wvl_rdoq_take)
#define CALL_RDOQ(name)                                                                                                \
    static void call_##name(const void *job) { name(*(const wvl_cuda_rdoq_job *)job); }
RDOQ_KERNELS(CALL_RDOQ)

/* Its argument lies on the device. */
static void call_wvl_unpack(const void *unpack) { wvl_unpack((const wvl_cuda_unpack *)unpack); }

static const struct {
    const char *name;
    void (*call)(const void *);
} kernels[] = {
#define ENTRY(name) {#name, call_##name},
    KERNELS(ENTRY) T1_KERNELS(ENTRY) PACKET_KERNELS(ENTRY) RATE_KERNELS(ENTRY) RDOQ_KERNELS(ENTRY) ENTRY(wvl_unpack)};

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
    emulation::launch(kernel->call, arguments[0], grid_x, grid_y, block_x, shared_bytes);
    return 0;
}

void wvl_emulate_reversed(int reversed) { emulation::reversed = reversed != 0; }
