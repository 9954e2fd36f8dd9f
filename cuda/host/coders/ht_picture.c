/* SPDX-License-Identifier: BSD-2-Clause */
/* HT blocks of jobs of whole pictures. */
#include "cuda/host/coders/picture_coder.h"
#include "cuda/host/coders/wave_coder.h"
#include "cuda/packets/packets_launch.h"

static void place(const wvl_cuda_coder_view *v, wvl_cuda_coder_layout *l, uint64_t *end)
{
    l->records = wvl_cuda_place(end, v->block_count, sizeof(wvl_cuda_ht_record));
    l->parts = wvl_cuda_place(end, v->block_count, sizeof(wvl_cuda_ht_part));
    l->totals = wvl_cuda_place(end, v->block_count, sizeof(uint32_t));
    l->scratch_bytes = wvl_cuda_measure_most_scratch(v->plan, v->tiles, v->tile_count);
}

static void list_blocks(const wvl_cuda_coder_view *v, uint64_t coefs, uint64_t bounds, void *blocks)
{
    wvl_cuda_list_blocks(v->plan, v->tiles, v->tile_count, coefs, bounds, blocks);
}

static void sort(const void *blocks, uint32_t count, uint32_t *lists, wvl_cuda_coder_job *job)
{
    wvl_cuda_ht_sort(blocks, count, lists, &job->ht);
}

static void set_job(const wvl_cuda_coder_view *v, const wvl_cuda_coder_layout *l, wvl_cuda_address slot,
                    wvl_cuda_address shared, wvl_cuda_coder_job *job, wvl_cuda_packets_job *packets)
{
    wvl_cuda_ht_job *ht = &job->ht;
    ht->is_cleared = 1;
    ht->order = shared + l->lists;
    ht->blocks = slot + l->blocks;
    ht->records = slot + l->records;
    ht->parts = slot + l->parts;
    ht->totals = slot + l->totals;
    ht->scratch = slot + l->scratch;
    ht->counters = slot + l->counters;
    ht->scratch_units = (uint32_t)wvl_min_u64(l->scratch_bytes / 16, UINT32_MAX);
    ht->weights = shared + l->weights;
    ht->errors = v->plan->rate.rate_control ? slot + l->errors : 0;
    packets->ht_records = ht->records;
    packets->ht_parts = ht->parts;
    packets->ht_scratch = ht->scratch;
    packets->errors = ht->errors;
    packets->unbounded = ht->counters + WVL_CUDA_HT_UNBOUNDED * sizeof(uint32_t);
}

static wvl_cuda_status launch(const wvl_device *device, const wvl_cuda_coder_job *job,
                              const wvl_cuda_packets_job *packets, wvl_cuda_route route)
{
    (void)packets;
    return wvl_cuda_ht_launch(&device->ht, &job->ht, route);
}

const wvl_cuda_coder wvl_cuda_coder_ht = {.block_bytes = sizeof(wvl_cuda_ht_block),
                                          .counter_count = WVL_CUDA_HT_COUNTERS,
                                          .pieces = WVL_CUDA_PACKETS_CLEANUP_PIECES,
                                          .streams = WVL_CUDA_COMPUTE_STREAMS,
                                          .list_count = 1,
                                          .scratch_parts = 1,
                                          .place = place,
                                          .list_blocks = list_blocks,
                                          .sort = sort,
                                          .set_job = set_job,
                                          .launch = launch};
