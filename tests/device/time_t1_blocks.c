/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EBCOT blocks on a device, from samples to slopes of passes: microseconds a picture by events, each kernel by itself.
 * time_t1_blocks PICTURE.ppm [RUNS [MOST_FRAMES]] WVL_CUDA_TWIN_IMAGE names a file of device code to be measured
 * instead of the build's. Cases: the picture's lossless 5/3 coefficients in blocks of 64x64 and 32x32, and the same
 * with four fraction bits below; 1, 8 and 32 pictures in a launch; without and with gains. Some blocks of each case
 * are compared with codec/t1 before.
 */

#include "cuda/blocks/t1_launch.h"
#include "cuda/blocks/t1_rate.h"
#include "kernel_clock.h"
#include "picture_blocks.h"
#include "tests/support/support.h"
#include "tests/twin/t1_blocks.h"

static ht_device device;
static unsigned runs = 9, most_frames = 32;

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* A block of the picture; fraction: bits that are drawn below its samples. */
static void add_block(t1_list *list, const wvl_block_input *in, unsigned fraction, uint64_t *seed)
{
    wvl_cuda_ht_block *samples;
    wvl_cuda_t1_block *b = t1_list_add(list, in->width, in->height, in->stride, 2, 0, &samples);
    uint16_t *to = (uint16_t *)(void *)(list->samples.samples + b->coefs);
    const uint16_t *from = in->coefs;
    b->orient = in->orient;
    b->reversible = !fraction;
    b->frac_bits = (uint8_t)fraction;
    for (uint32_t i = 0; i < in->stride * in->height; i++) {
        uint32_t v = from[i], low = fraction ? test_draw32(seed) >> (32 - fraction) : 0;
        to[i] = (uint16_t)((v & 0x8000) | ((v << fraction | low) & 0x7FFF));
    }
    t1_list_seal(list, b, in->bound ? in->bound << fraction | ((1u << fraction) - 1) : 0);
}

static t1_list list_frames(const picture_blocks *blocks, unsigned fraction, uint32_t frames, uint32_t step)
{
    t1_list list = {0};
    uint64_t seed = 1;
    for (uint32_t i = 0; i < blocks->count * frames; i += step) {
        add_block(&list, &blocks->blocks[i % blocks->count], fraction, &seed);
    }
    return list;
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* A list on the device, with all that the chain from samples to slopes takes. */
typedef struct chain {
    t1_model_load load;
    wvl_cuda_t1 t1;
    wvl_cuda_t1_rate rate;
} chain;

static void open_chain(chain *c, const t1_list *list)
{
    wvl_cuda_t1_weight *weights = malloc(list->count * sizeof *weights);
    uint64_t n = list->count;
    for (uint32_t i = 0; i < n; i++) {
        weights[i] = (wvl_cuda_t1_weight){0x80000000u, -31};
    }
    if (!t1_model_load_open(&c->load, &device, list, (t1_wish){.scratch_share = 1000, .gains = 1}) ||
        wvl_cuda_t1_open(&c->t1, device.runtime, device.module) ||
        wvl_cuda_t1_rate_open(&c->rate, device.runtime, device.module) ||
        ht_take_memory(&device, &c->load.job.passes, n * WVL_CUDA_T1_MOST_PASSES * sizeof(wvl_cuda_t1_pass), NULL, 0,
                       1) ||
        ht_take_memory(&device, &c->load.job.hull_weights, n * sizeof *weights, weights, n * sizeof *weights, 0)) {
        printf("no memory\n");
        exit(1);
    }
    c->load.job.gain_exponent = -20;
    free(weights);
}

static void close_chain(chain *c)
{
    (void)device.runtime->free_device(c->load.job.passes);
    (void)device.runtime->free_device(c->load.job.hull_weights);
    t1_model_load_close(&c->load, &device);
}

static void print_parts(const char *name, unsigned parts, uint32_t frames)
{
    printf("; %s %.1f:", name, kernel_clock_fetch_all(runs) / frames);
    for (unsigned k = 0; k < parts; k++) {
        printf(" %.1f", kernel_clock_fetch_part(k, runs) / frames);
    }
}

static void time_model(chain *c, const char *name, uint32_t frames)
{
    unsigned parts = 0;
    for (unsigned r = 0; r < runs + 2; r++) {
        kernel_clock_start(&device);
        kernel_clock_require(wvl_cuda_t1_launch_model(&c->load.model, &c->load.job, wvl_cuda_to_stream(device.stream)));
        parts = kernel_clock_stop(&device, r < 2 ? 0 : r - 2);
    }
    print_parts(name, parts, frames);
}

/* Context modelling first: it makes the lists. */
static void time_bytes(chain *c, const char *name, uint32_t frames)
{
    unsigned parts = 0;
    kernel_clock_require(wvl_cuda_t1_launch_model(&c->load.model, &c->load.job, wvl_cuda_to_stream(device.stream)));
    for (unsigned r = 0; r < runs + 2; r++) {
        kernel_clock_start(&device);
        kernel_clock_require(wvl_cuda_t1_launch_mq(&c->t1, &c->load.job, wvl_cuda_to_stream(device.stream)));
        kernel_clock_require(wvl_cuda_t1_launch_hulls(&c->rate, &c->load.job, wvl_cuda_to_stream(device.stream)));
        parts = kernel_clock_stop(&device, r < 2 ? 0 : r - 2);
    }
    print_parts(name, parts, frames);
}

static void time_frames(const picture_blocks *blocks, const char *name, unsigned fraction, uint32_t frames)
{
    t1_list list = list_frames(blocks, fraction, frames, 1);
    chain c;
    open_chain(&c, &list);
    c.load.model.runtime = c.t1.runtime = c.rate.runtime = &kernel_marked;
    printf("%s, %u fraction bits, %u frames; us a frame", name, fraction, frames);
    wvl_cuda_address gains = c.load.job.gains;
    c.load.job.gains = 0;
    time_model(&c, "model", frames);
    c.load.job.gains = gains;
    time_model(&c, "with gains", frames);
    time_bytes(&c, "bytes, passes, hulls", frames);
    printf("\n");
    (void)fflush(stdout);
    close_chain(&c);
    t1_list_clear(&list);
}

static void time_picture(const pixels *p, uint32_t side, const char *name)
{
    static const uint32_t frames[] = {1, 8, 32};
    picture_blocks blocks;
    if (!picture_blocks_fetch(&blocks, p, side)) {
        printf("%s: no coefficients\n", name);
        exit(1);
    }
    for (unsigned fraction = 0; fraction <= 4; fraction += 4) {
        t1_list some = list_frames(&blocks, fraction, 1, side == 64 ? 31 : 127);
        uint32_t left, wrong = t1_check_lists(&device, &some, (t1_wish){.scratch_share = 1000, .gains = 1}, &left);
        printf("%s, %u fraction bits: %u of %u blocks are wrong\n", name, fraction, wrong, some.count);
        t1_list_clear(&some);
        for (unsigned i = 0; i < sizeof frames / sizeof *frames && frames[i] <= most_frames; i++) {
            time_frames(&blocks, name, fraction, frames[i]);
        }
    }
    picture_blocks_clear(&blocks);
}

int main(int argc, char **argv)
{
    pixels picture;
    if (argc < 2 || !pixels_read(argv[1], &picture)) {
        printf("usage: time_t1_blocks PICTURE.ppm [RUNS [MOST_FRAMES]]: binary, 8 bits\n");
        return 2;
    }
    runs = kernel_clock_runs(argc > 2 ? argv[2] : NULL, runs);
    most_frames = argc > 3 ? (unsigned)atoi(argv[3]) : most_frames;
    if (!kernel_clock_open(&device)) {
        return 1;
    }
    printf(
        "median of %u. Kernels: open; planes, spread, list of each class; gains of each class. Sort, MQ coder, ends, "
        "hulls\n",
        runs);
    time_picture(&picture, 64, "64x64");
    time_picture(&picture, 32, "32x32");
    return 0;
}
