/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/packets/packets_launch.h"

#include <string.h>

#include "base/intmath.h"
#include "base/try.h"

#define RESIDENT_WRITERS 8u /* thread blocks of a multiprocessor */
#define BOX_AND_END_BYTES 18u
#define WORK_ALIGNMENT 256u

wvl_cuda_status wvl_cuda_packets_open(wvl_cuda_packets *packets, const wvl_cuda_runtime *runtime,
                                      wvl_cuda_module module, int device)
{
    int count = 0;
    memset(packets, 0, sizeof *packets);
    packets->runtime = runtime;
    wvl_cuda_status status = runtime->device_attribute(&count, WVL_CUDA_ATTRIBUTE_MULTIPROCESSORS, device);
    packets->multiprocessors = count > 0 ? (uint32_t)count : 1;
    const wvl_cuda_wanted_kernel kernels[] = {{&packets->heads, "wvl_packets_heads"},
                                              {&packets->t1_blocks, "wvl_packets_t1_blocks"},
                                              {&packets->place, "wvl_packets_place"},
                                              {&packets->list, "wvl_packets_list"},
                                              {&packets->write, "wvl_packets_write"}};
    return status ? status : wvl_cuda_find_kernels(runtime, module, kernels, sizeof kernels / sizeof *kernels);
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

static uint64_t add_array(uint64_t *at, uint64_t count, uint64_t size)
{
    uint64_t begin = *at;
    *at = wvl_align_up(begin + count * size, WORK_ALIGNMENT);
    return begin;
}

/* Lengths of arrays end on 256 bytes: kernels read whole 16 bytes. */
static void lay_out(const wvl_assembly *a, uint64_t pieces, wvl_cuda_packets_work *work)
{
    uint64_t at = 0, packets = a->packet_count;
    work->nodes = add_array(&at, a->node_count, sizeof(uint32_t));
    work->heads = add_array(&at, a->head_bytes, 1);
    work->headers = add_array(&at, a->part_header_bytes, 1);
    work->main = add_array(&at, (uint64_t)a->tlm_bytes + BOX_AND_END_BYTES, 1);
    work->lengths = add_array(&at, packets, sizeof(wvl_cuda_packets_length));
    work->sums = add_array(&at, packets + 1, sizeof(uint64_t));
    work->plt_sums = add_array(&at, packets + 1, sizeof(uint32_t));
    work->spans = add_array(&at, a->part_count, sizeof(wvl_cuda_packets_span));
    work->segments = add_array(&at, a->segment_count, sizeof(uint32_t));
    work->body_at = add_array(&at, a->place_count, sizeof(uint32_t));
    work->starts = add_array(&at, pieces + 1, sizeof(uint64_t));
    work->sources = add_array(&at, pieces, sizeof(uint64_t));
    work->totals = add_array(&at, WVL_CUDA_PACKETS_TOTALS, sizeof(uint64_t));
    work->all_bytes = at;
}

static unsigned class_of(const wvl_assembly_packet *packet)
{
    return packet->node_count <= WVL_CUDA_PACKETS_SMALL_NODES ? WVL_CUDA_PACKETS_SMALL : WVL_CUDA_PACKETS_WIDE;
}

int wvl_cuda_packets_measure(const wvl_assembly *a, uint32_t pieces, uint32_t *order, wvl_cuda_packets_job *job)
{
    uint64_t all =
        (uint64_t)WVL_CUDA_PACKETS_OTHER_PIECES + a->part_count + a->packet_count + (uint64_t)pieces * a->place_count;
    memset(job, 0, sizeof *job);
    if (all > UINT32_MAX - 32) {
        return 0;
    }
    lay_out(a, all, &job->work);
    uint32_t next[WVL_CUDA_PACKETS_CLASSES] = {0};
    memset(job->class_count, 0, sizeof job->class_count);
    for (uint32_t i = 0; i < a->packet_count; i++) {
        job->class_count[class_of(&a->packets[i])]++;
    }
    next[WVL_CUDA_PACKETS_SMALL] = job->class_count[WVL_CUDA_PACKETS_WIDE];
    for (uint32_t i = 0; i < a->packet_count; i++) {
        order[next[class_of(&a->packets[i])]++] = i;
    }
    job->packet_count = a->packet_count;
    job->part_count = a->part_count;
    job->place_count = a->place_count;
    job->block_count = a->block_count;
    job->layer_count = a->layer_count;
    job->boxes_bytes = a->boxes_bytes;
    job->main_bytes = a->main_bytes;
    job->tlm_bytes = a->tlm_bytes;
    job->has_boxes = a->has_boxes;
    job->has_plt = a->has_plt;
    job->has_long_box = a->has_long_box;
    job->pieces = pieces;
    job->piece_count = (uint32_t)all;
    return 1;
}

/* ---- Launches -------------------------------------------------------------------------------- */

static wvl_cuda_status launch_class(const wvl_cuda_packets *packets, const wvl_cuda_packets_job *job, uint32_t first,
                                    uint32_t count, uint32_t threads, uint32_t nodes, wvl_cuda_route route)
{
    wvl_cuda_packets_job own = *job;
    own.first_packet = first;
    own.shared_nodes = nodes;
    const wvl_cuda_grid grid = {count, job->picture_count, threads, 4 * (WVL_CUDA_PACKETS_HEAD_NODES(threads) + nodes)};
    return wvl_cuda_run_job(packets->runtime, packets->heads, grid, &own, route);
}

/* Few packets go in one launch of large thread blocks, which the device holds at once. Else the large ones go first:
 * they take longest. */
static wvl_cuda_status launch_heads(const wvl_cuda_packets *packets, const wvl_cuda_packets_job *job,
                                    wvl_cuda_route route)
{
    uint32_t small = job->class_count[WVL_CUDA_PACKETS_SMALL], wide = job->class_count[WVL_CUDA_PACKETS_WIDE];
    int is_few = (uint64_t)job->packet_count * job->picture_count <= 2 * (uint64_t)packets->multiprocessors;
    wide += wide && is_few ? small : 0;
    small = wide && is_few ? 0 : small;
    wvl_cuda_status status =
        launch_class(packets, job, 0, wide, WVL_CUDA_PACKETS_WIDE_THREADS, WVL_CUDA_PACKETS_WIDE_NODES, route);
    return status ? status
                  : launch_class(packets, job, wide, small, WVL_CUDA_PACKETS_SMALL_THREADS,
                                 WVL_CUDA_PACKETS_SMALL_NODES, route);
}

wvl_cuda_status wvl_cuda_packets_launch(const wvl_cuda_packets *packets, const wvl_cuda_packets_job *job,
                                        wvl_cuda_route route)
{
    const wvl_cuda_runtime *rt = packets->runtime;
    uint32_t pictures = job->picture_count, items = job->place_count + job->packet_count + job->part_count + 1,
             most = RESIDENT_WRITERS * packets->multiprocessors / pictures + 1;
    wvl_cuda_grid list = wvl_cuda_grid_of(items, WVL_CUDA_PACKETS_PIECE_THREADS);
    list.rows = pictures;
    const wvl_cuda_grid blocks =
                            wvl_cuda_grid_of((uint64_t)job->block_count * pictures, WVL_CUDA_PACKETS_PIECE_THREADS),
                        place = {pictures, 1, WVL_CUDA_PACKETS_PLACE_THREADS, 4 * (64 + 4)},
                        write = {job->writers ? wvl_min_u32(job->writers, most) : most, pictures,
                                 WVL_CUDA_PACKETS_WRITE_THREADS, 4 * WVL_CUDA_PACKETS_WRITE_WORDS};
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    if (job->t1_records) { /* blocks in the form that all other kernels read */
        status = wvl_cuda_run_job(rt, packets->t1_blocks, blocks, job, route);
    }
    TRY(status, launch_heads(packets, job, route));
    TRY(status, wvl_cuda_run_job(rt, packets->place, place, job, route));
    TRY(status, wvl_cuda_run_job(rt, packets->list, list, job, route));
    return status ? status : wvl_cuda_run_job(rt, packets->write, write, job, route);
}
