/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets and pictures on a device, for the host. Nothing here allocates, waits or locks; calls that can fail return
 * the driver's status. cuda/packets/README.md shows a frame's calls in order.
 */
#pragma once

#include "cuda/blocks/ht_job.h"
#include "cuda/host/driver/route.h"
#include "cuda/packets/packets_job.h"

typedef struct wvl_cuda_packets {
    const wvl_cuda_runtime *runtime;
    uint32_t multiprocessors;
    wvl_cuda_function t1_blocks, heads, place, list, write;
} wvl_cuda_packets;

/* Kernels of a loaded module. */
wvl_cuda_status wvl_cuda_packets_open(wvl_cuda_packets *packets, const wvl_cuda_runtime *runtime,
                                      wvl_cuda_module module, int device);

/* Sizes, classes and the layout of the working memory; fills order[packet_count]. pieces: of a block: 1, or where they
 * lie in the scratch memory of the HT coder WVL_CUDA_PACKETS_HT_PIECES, or with job.refines 0
 * WVL_CUDA_PACKETS_CLEANUP_PIECES. Pure. The caller sets the addresses and picture_count. 0: a list would have 2^32
 * pieces or more. */
int wvl_cuda_packets_measure(const wvl_assembly *assembly, uint32_t pieces, uint32_t *order, wvl_cuda_packets_job *job);

/* Queues all kernels on a stream. Tables and blocks must be there when the stream comes to them. */
wvl_cuda_status wvl_cuda_packets_launch(const wvl_cuda_packets *packets, const wvl_cuda_packets_job *job,
                                        wvl_cuda_route route);
