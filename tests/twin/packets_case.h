/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture coded on the CPU, and its blocks put together through a driver table: shared by the twin of packets and the
 * program that measures. */
#pragma once

#include "codec/write/assembly.h"
#include "cuda/packets/packets_launch.h"
#include "ht_blocks.h"

typedef struct packets_case {
    wvl_context *context;
    wvl_plan *plan;
    uint8_t *expected; /* what the CPU makes of the picture */
    size_t expected_bytes;
    wvl_assembly assembly;
    wvl_cuda_packets_block *blocks; /* [assembly.block_count]; bytes: offset in the arena, more: index of a segment */
    uint32_t *segments;
    uint8_t *arena;
    uint64_t segment_count, arena_bytes;
    ht_list list; /* HT: the blocks' samples, in the order of `blocks` */
    int has_list;
    char problem[512];
} packets_case;

/* 0: problem says why. settings: "key=value key=value". Packets of the CPU are the judge: the picture is coded twice,
 * once by wvl_encode and once for its blocks. */
int packets_case_open(packets_case *c, const wvl_image_format *format, const wvl_image *image, const char *settings);
/* The same, with a bound of the output as a larger picture has it. */
int packets_case_open_bound(packets_case *c, const wvl_image_format *format, const wvl_image *image,
                            const char *settings, uint64_t output_bytes_bound);
void packets_case_close(packets_case *c);
/* The case with HT blocks of other passes: the cleanup pass of this plane, SigProp and MagRef of the one below, at most
 * max_passes in all. The CPU codes them; what the device makes of the given blocks is expected of its own. 0: a call
 * failed. */
int packets_case_refine(packets_case *c, const ht_device *d, unsigned plane, unsigned max_passes);

/* Device memory of a case: `pictures` times the same blocks, each in its own memory. */
typedef struct packets_load {
    wvl_cuda_packets packets;
    wvl_cuda_packets_job job;
    ht_load ht; /* with codes_blocks: the device codes the blocks */
    int codes_blocks;
    ht_memory taken;
    wvl_cuda_address output, results;
    uint8_t *pinned;            /* the output, where it lies in pinned memory */
    uint64_t output_each, room; /* bytes from one picture's output to the next; those that it may take */
} packets_load;

enum { PACKETS_CODES_BLOCKS = 1, PACKETS_PINNED = 2 };

/* room: bytes of output a picture; flags: PACKETS_*. 0: a call failed. */
int packets_load_open(packets_load *load, const ht_device *d, const packets_case *c, uint32_t pictures, uint64_t room,
                      unsigned flags);
void packets_load_close(packets_load *load, const ht_device *d);
wvl_cuda_status packets_load_run(packets_load *load, const ht_device *d);
/* Compares all pictures with the CPU's bytes: NULL, or what differs. Without room: the flag, and that nothing was
 * written. */
const char *packets_load_check(const packets_load *load, const ht_device *d, packets_case *c);
