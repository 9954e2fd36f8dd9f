/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HT block coder on a device, by itself: microseconds a picture by events, after every block has been compared
 * with codec/ht. time_ht_blocks PICTURE.ppm [RUNS] WVL_CUDA_TWIN_IMAGE names a file of device code to be measured
 * instead of the build's. Cases: the picture's lossless 5/3 coefficients in blocks of 64x64 and 32x32, 1 and 8
 * pictures in a launch, with each limit of shared memory, with refinement; 32-bit blocks of 16-bit noise of the same
 * size; blocks whose MagSgn is nothing but 1s.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "kernel_clock.h"
#include "picture_blocks.h"

static ht_device device;
static unsigned runs = 15;

/* ---- Pictures to blocks ---------------------------------------------------------------------- */

static void draw_noise(const pixels *like, pixels *p)
{
    uint64_t seed = 1;
    size_t count = (size_t)like->width * like->height * 3;
    *p = (pixels){like->width, like->height, 16, malloc(2 * count)};
    for (size_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        ((uint16_t *)p->data)[i] = (uint16_t)(seed >> 40);
    }
}

/* The blocks of a picture `frames` times, as a device finds them. */
static void repeat_blocks(ht_list *list, const picture_blocks *from, uint32_t frames)
{
    uint64_t each = (from->sample_bytes + 255) & ~UINT64_C(255);
    *list = (ht_list){.blocks = calloc((size_t)from->count * frames, sizeof *list->blocks),
                      .samples = malloc(each * frames),
                      .bounds = calloc((size_t)from->count * frames, sizeof *list->bounds),
                      .sample_bytes = each * frames};
    for (uint32_t f = 0; f < frames; f++) {
        memcpy(list->samples + f * each, from->samples, from->sample_bytes);
        for (uint32_t k = 0; k < from->count; k++) {
            const wvl_block_input *in = &from->blocks[k];
            list->bounds[list->count] = in->bound;
            list->blocks[list->count] =
                (wvl_cuda_ht_block){.coefs = f * each + (uint64_t)((const uint8_t *)in->coefs - from->samples),
                                    .bound = list->count,
                                    .stride = in->stride,
                                    .width = in->width,
                                    .height = in->height,
                                    .coef_bytes = in->coef_bytes,
                                    .planes = (uint8_t)wvl_bit_length(in->bound),
                                    .max_passes = 255,
                                    .set_passes = 3};
            list->count++;
        }
    }
}

static int transform(const pixels *p, uint32_t side, uint32_t frames, ht_list *list)
{
    picture_blocks blocks;
    if (!picture_blocks_fetch(&blocks, p, side)) {
        return 0;
    }
    repeat_blocks(list, &blocks, frames);
    picture_blocks_clear(&blocks);
    return 1;
}

/* MagSgn of nothing but 1s, 15 a sample. */
static void fill_ones(ht_list *list)
{
    for (uint64_t i = 0; i < list->sample_bytes / 2; i++) {
        ((uint16_t *)list->samples)[i] = 0xC000;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        list->bounds[list->blocks[i].bound] = 0x4000;
        list->blocks[i].planes = 15;
    }
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* Microseconds of a launch; parts[]: of its kernels, where marks lie between them. Returns how many parts there are. */
static unsigned time_launch(ht_load *load, double *all, double *parts)
{
    unsigned count = 0;
    load->ht.runtime = parts ? &kernel_marked : &kernel_driver;
    for (unsigned r = 0; r < runs + 2; r++) {
        kernel_clock_start(&device);
        kernel_clock_require(wvl_cuda_ht_launch(&load->ht, &load->job, wvl_cuda_to_stream(device.stream)));
        if (!parts) {
            kernel_clock_mark(&device);
        }
        count = kernel_clock_stop(&device, r < 2 ? 0 : r - 2);
    }
    for (unsigned k = 0; parts && k < count; k++) {
        parts[k] = kernel_clock_fetch_part(k, runs);
    }
    *all = kernel_clock_fetch_all(runs);
    load->ht.runtime = &kernel_driver;
    return count;
}

static void time_list(const char *name, const ht_list *list, uint32_t frames, uint32_t limit)
{
    ht_load load;
    uint32_t left, wrong = ht_check(&device, list, frames, limit, 1000, 1000, &left),
                   counters[WVL_CUDA_HT_COUNTERS] = {0};
    if (!ht_load_open(&load, &device, list, frames, limit, 1000, 1000)) {
        printf("%s: no memory\n", name);
        exit(1);
    }
    double parts[KERNEL_CLOCK_PARTS] = {0}, all, marked;
    (void)time_launch(&load, &all, NULL);
    unsigned part_count = time_launch(&load, &marked, parts);
    (void)kernel_driver.download(counters, load.job.counters, sizeof counters, device.stream);
    (void)kernel_driver.stream_wait(device.stream);
    printf("%-28s %u frames, %6u blocks, wrong %u left %u, scratch %.1f MB of %.1f; us a frame: all %.1f; kernels",
           name, frames, list->count, wrong, left, 16e-6 * counters[WVL_CUDA_HT_SCRATCH_UNITS] / frames,
           1e-6 * (double)load.memory.most_scratch / frames, all / frames);
    for (unsigned k = 0; k < part_count; k++) {
        printf(" %.1f", parts[k] / frames);
    }
    printf("\n");
    (void)fflush(stdout);
    ht_load_close(&load, &device);
}

static void time_picture(const pixels *p, uint32_t side, const char *name)
{
    static const uint32_t limits[] = {48, 64, 99, 163, 227};
    for (uint32_t frames = 1; frames <= 8; frames += 7) {
        ht_list list;
        if (!transform(p, side, frames, &list)) {
            printf("%s: no coefficients\n", name);
            exit(1);
        }
        time_list(name, &list, frames, 0);
        for (unsigned k = 0; k < 5 && side == 64 && frames == 8 && p->depth == 8; k++) {
            char text[64];
            (void)snprintf(text, sizeof text, "%s, %u KiB", name, limits[k]);
            time_list(text, &list, frames, limits[k] << 10);
        }
        for (uint32_t i = 0; i < list.count; i++) {
            list.blocks[i].cleanup_plane = 1;
        }
        if (p->depth == 8) {
            time_list("  plane 1, three passes", &list, frames, 0);
        }
        if (p->depth == 8 && side == 64) {
            for (uint32_t i = 0; i < list.count; i++) {
                list.blocks[i].cleanup_plane = 0;
            }
            fill_ones(&list);
            time_list("  all ones", &list, frames, 0);
        }
        ht_list_clear(&list);
    }
}

int main(int argc, char **argv)
{
    pixels picture, noise;
    if (argc < 2 || !pixels_read(argv[1], &picture)) {
        printf("usage: time_ht_blocks PICTURE.ppm [RUNS]: binary, 8 bits\n");
        return 2;
    }
    runs = kernel_clock_runs(argv[2], runs);
    if (!kernel_clock_open(&device)) {
        return 1;
    }
    printf("median of %u; kernels: of the classes that are there, refine, finish, place, gather\n", runs);
    time_picture(&picture, 64, "64x64");
    time_picture(&picture, 32, "32x32");
    draw_noise(&picture, &noise);
    time_picture(&noise, 64, "64x64, noise of 16 bits");
    return 0;
}
