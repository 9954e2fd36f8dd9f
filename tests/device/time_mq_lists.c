/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MQ coder on a device, by itself: microseconds a picture by events, after every block has been compared with
 * codec/mq. time_mq_lists PICTURE.ppm [RUNS [MOST_FRAMES [LANES]]] WVL_CUDA_TWIN_IMAGE names a file of device code to
 * be measured instead of the build's. Cases: the lists of the picture's lossless 5/3 coefficients in blocks of 64x64
 * and 32x32, 1 to 32 pictures in a launch, each kernel, with and without records of passes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_clock.h"
#include "picture_blocks.h"
#include "tests/twin/t1_lists.h"

static ht_device device;
static unsigned runs = 9, most_frames = 32, lanes;

/* ---- Times ----------------------------------------------------------------------------------- */

/* Prints medians of the kernels of a launch: sort, MQ coder, ends of passes. */
static void time_way(const char *name, t1_load *load, uint32_t frames)
{
    unsigned parts = 0;
    load->t1.runtime = &kernel_marked;
    for (unsigned r = 0; r < runs + 2; r++) {
        kernel_clock_start(&device);
        kernel_clock_require(wvl_cuda_t1_launch_mq(&load->t1, &load->job, wvl_cuda_to_stream(device.stream)));
        parts = kernel_clock_stop(&device, r < 2 ? 0 : r - 2);
    }
    printf("; %s", name);
    for (unsigned k = 0; k < parts; k++) {
        printf(" %.1f", kernel_clock_fetch_part(k, runs) / frames);
    }
}

/* Every way in turn. With records of passes the plain kernels also end passes; without, they do not look at them. */
static void time_set(const t1_set *set, const char *name, uint32_t frames)
{
    t1_load load;
    uint64_t seed = 1, symbols = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        symbols += set->blocks[i].symbol_count;
    }
    if (!t1_load_open(&load, &device, set, frames, (t1_way){.wants_passes = 1}, &seed)) {
        printf("%s, %u frames: no memory\n", name, frames);
        exit(1);
    }
    load.job.lanes = lanes;
    kernel_clock_require(wvl_cuda_t1_launch_mq(&load.t1, &load.job, wvl_cuda_to_stream(device.stream)));
    uint32_t wrong = t1_compare(&load, &device, set);
    wvl_cuda_address passes = load.job.passes;
    printf("%s, %u frames, %u blocks, %.1f Msymbols a frame, wrong %u; us a frame", name, frames, set->count,
           1e-6 * (double)symbols, wrong);
    time_way("with passes", &load, frames);
    load.job.is_styled = 1;
    time_way("styled with passes", &load, frames);
    load.job.passes = 0;
    load.job.is_styled = 0;
    time_way("without", &load, frames);
    printf("\n");
    (void)fflush(stdout);
    load.job.passes = passes;
    t1_load_close(&load, &device);
}

static void time_picture(const pixels *p, uint32_t side, const char *name)
{
    picture_blocks blocks;
    t1_set set = {0};
    uint64_t seed = 1;
    if (!picture_blocks_fetch(&blocks, p, side)) {
        printf("%s: no coefficients\n", name);
        exit(1);
    }
    for (uint32_t i = 0; i < blocks.count; i++) {
        t1_set_add_listed(&set, &blocks.blocks[i], &seed);
    }
    for (uint32_t frames = 1; frames <= most_frames; frames *= 2) {
        time_set(&set, name, frames);
    }
    t1_set_clear(&set);
    picture_blocks_clear(&blocks);
}

int main(int argc, char **argv)
{
    pixels picture;
    if (argc < 2 || !pixels_read(argv[1], &picture)) {
        printf("usage: time_mq_lists PICTURE.ppm [RUNS [MOST_FRAMES [LANES]]]: binary, 8 bits\n");
        return 2;
    }
    runs = kernel_clock_runs(argv[2], runs);
    most_frames = argc > 3 ? (unsigned)atoi(argv[3]) : most_frames;
    lanes = argc > 4 ? (unsigned)atoi(argv[4]) : lanes;
    if (!kernel_clock_open(&device)) {
        return 1;
    }
    printf("median of %u; kernels: sort, MQ coder, ends of passes\n", runs);
    time_picture(&picture, 64, "64x64");
    time_picture(&picture, 32, "32x32");
    return 0;
}
