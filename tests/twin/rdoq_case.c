/* SPDX-License-Identifier: BSD-2-Clause */
#include "rdoq_case.h"

#include <math.h>
#include <string.h>

#include "base/intmath.h"
#include "ht_emulated.h"

static ht_device devices[2]; /* the emulation, and the machine's */
static unsigned device_count;
int rdoq_subset;

void rdoq_open_suite(void)
{
    rdoq_subset = getenv("WVL_CUDA_SUBSET") != NULL;
    device_count = emulated_open_devices_with(devices, "wvl_rdoq_change_64");
}

void rdoq_close_suite(void) { emulated_close_devices(devices, device_count); }

uint32_t rdoq_below(uint32_t n) { return t1_random(&rdoq_rng) % n; }
double rdoq_draw_unit(void) { return (t1_random(&rdoq_rng) + 0.5) / 4294967296.0; }

/* ---- Devices -------------------------------------------------------------------------------------- */

rdoq_picture rdoq_given, rdoq_got;
wvl_cuda_rdoq_job rdoq_job;
t1_rng rdoq_rng;
static uint32_t most_width, width_limit; /* of the blocks of this picture, and what they may have */

static wvl_cuda_rdoq_job fill_job(wvl_cuda_address at)
{
    wvl_cuda_rdoq_job job = rdoq_job;
    job.t1.blocks = at + offsetof(rdoq_picture, blocks);
    job.t1.hull_weights = at + offsetof(rdoq_picture, hull_weights);
    job.t1.states = at + offsetof(rdoq_picture, states);
    job.t1.gains = at + offsetof(rdoq_picture, gains);
    job.t1.passes = at + offsetof(rdoq_picture, passes);
    job.t1.scratch = at + offsetof(rdoq_picture, values);
    job.originals = at + offsetof(rdoq_picture, originals);
    job.kinds = at + offsetof(rdoq_picture, kinds);
    job.lists = at + offsetof(rdoq_picture, lists);
    job.changes = at + offsetof(rdoq_picture, changes);
    job.weights = at + offsetof(rdoq_picture, weights);
    job.survey = at + offsetof(rdoq_picture, survey);
    job.parts = at + offsetof(rdoq_picture, parts);
    job.copies = offsetof(rdoq_picture, copies) - offsetof(rdoq_picture, samples);
    job.most_width = most_width;
    return job;
}

static void open_load(rdoq_load *l, const ht_device *d)
{
    static rdoq_picture image;
    l->device = d;
    REQUIRE(!wvl_cuda_rdoq_open(&l->rdoq, d->runtime, d->module) &&
            !ht_take_memory(d, &l->at, sizeof image, NULL, 0, 1));
    memcpy(&image, &rdoq_given, sizeof image);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        image.originals[i].coefs += l->at;
        image.originals[i].bound += l->at;
    }
    REQUIRE(!d->runtime->upload(l->at, &image, sizeof image, d->stream) && !d->runtime->stream_wait(d->stream));
    l->job = fill_job(l->at);
}

static void fetch_load(const rdoq_load *l)
{
    const ht_device *d = l->device;
    REQUIRE(!d->runtime->download(&rdoq_got, l->at, sizeof rdoq_got, d->stream) && !d->runtime->stream_wait(d->stream));
}

static void close_load(const rdoq_load *l) { (void)l->device->runtime->free_device(l->at); }

/* run: on a device with what is given; check: what it has got. */
void rdoq_check_devices(void (*run)(const rdoq_load *l), void (*check)(wvl_cuda_address at))
{
    for (unsigned i = 0; i < device_count; i++) {
        int is_emulated = devices[i].runtime == &emulated_runtime;
        for (int reversed = 0; reversed <= is_emulated; reversed++) {
            rdoq_load l;
            wvl_emulate_reversed(reversed);
            open_load(&l, &devices[i]);
            run(&l);
            fetch_load(&l);
            check(l.at);
            close_load(&l);
        }
    }
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Natural decay, with a ridge in some blocks, so that neighbours matter. */
static uint32_t draw_natural(uint32_t x, uint32_t y, double scale, uint32_t ridge, uint32_t most)
{
    double m = -log(rdoq_draw_unit()) * scale * (ridge && (x + y) % 17 < 2 ? 6.0 : 1.0);
    return m < most ? (uint32_t)m : most;
}

/* Just above, at, and just below the borders of cells of all planes. */
static uint32_t draw_border(unsigned bits)
{
    unsigned plane = rdoq_below(bits);
    uint32_t step = 1u << plane, cell = rdoq_below(6), near = rdoq_below(plane > 6 ? 1u << (plane - 6) : 2);
    uint32_t border = step * (rdoq_below(4) ? 4 : 3) / 4 * cell;
    return rdoq_below(2) ? border + near : border - wvl_min_u32(near, border);
}

/* A large sample with four others just below twice the step, so that blocks end with a significance pass; and far from
 * them one just above twice the step, alone. */
static uint32_t draw_clusters(unsigned bits, uint32_t x, uint32_t y)
{
    uint32_t step = 1u << (bits / 2), u = x % 8, v = y % 4;
    if (u == 1 && v == 1) {
        return 2 * step + rdoq_below(2 * step);
    }
    if ((u == 1 && v != 3) || (v == 1 && u < 3)) {
        return 2 * step - 1 - rdoq_below(step / 4 + 1);
    }
    return u == 5 && v == 3 ? 2 * step + rdoq_below(step / 4 + 1) : 0;
}

/* Rows of large samples; between two of them a single sample, below the step that they are several times of. */
static uint32_t draw_striped(unsigned bits, uint32_t x, uint32_t y)
{
    uint32_t step = 1u << (bits / 2), near = x % 64 == y * 7 % 64;
    return y % 2 ? near * (step / 2 + rdoq_below(step / 2 + 1)) : 2 * step + rdoq_below(2 * step);
}

enum { NATURAL = T1_TEMPERS, BORDERS, CLUSTERS, STRIPED, TEMPERS };
static unsigned temper_of_all; /* TEMPERS: each block has its own */

static uint32_t draw_sample(unsigned temper, unsigned bits, uint32_t x, uint32_t y, uint32_t ridge)
{
    uint32_t most = (uint32_t)(((uint64_t)1 << bits) - 1);
    if (temper == NATURAL) {
        return draw_natural(x, y, ldexp(1.0, (int)bits - 4), ridge, most);
    }
    if (temper == CLUSTERS) {
        return draw_clusters(bits, x, y) & most;
    }
    if (temper == STRIPED) {
        return draw_striped(bits, x, y) & most;
    }
    return temper == BORDERS ? draw_border(bits) & most : t1_draw_magnitude(&rdoq_rng, temper, bits, x, y);
}

static void put_sample(uint8_t *to, const wvl_cuda_t1_block *b, uint32_t at, uint32_t v)
{
    if (b->coef_bytes == 2) {
        uint16_t half = (uint16_t)(v >> 16 | v);
        memcpy(to + 2ull * at, &half, 2);
    } else {
        memcpy(to + 4ull * at, &v, 4);
    }
}

static void draw_shape(wvl_cuda_t1_block *b)
{
    static const uint16_t shapes[][2] = {{64, 64}, {32, 32}, {1024, 4}, {4, 1024}, {16, 256}, {256, 16}, {1, 1},
                                         {64, 1},  {1, 64},  {33, 31},  {2, 999},  {1000, 3}, {128, 32}, {99, 41}};
    uint32_t which = rdoq_below(2) ? rdoq_below(sizeof shapes / sizeof *shapes) : 99;
    b->width = which == 99 ? (uint16_t)(1 + rdoq_below(64)) : shapes[which][0];
    b->width = (uint16_t)wvl_min_u32(b->width, width_limit);
    b->height = which == 99 ? (uint16_t)(1 + rdoq_below(64)) : shapes[which][1];
    b->stride = b->width + (rdoq_below(2) ? 0 : rdoq_below(3));
    b->stride = b->stride * b->height > SLOT / 4 - 16 ? b->width : b->stride;
}

/* A weight with which blocks of the slope end about at a plane. */
wvl_cuda_t1_weight rdoq_draw_weight(uint32_t slope, int plane)
{
    int32_t log2 = (int32_t)slope - (int32_t)WVL_SLOPE_ZERO - 768 - (512 * plane + (int32_t)rdoq_below(512) - 594);
    return (wvl_cuda_t1_weight){0x80000000u | t1_random(&rdoq_rng), (log2 >> 8) - 31};
}

static void draw_block(uint32_t i)
{
    wvl_cuda_t1_block *b = &rdoq_given.originals[i];
    *b = (wvl_cuda_t1_block){.coef_bytes = rdoq_below(3) ? 2 : 4,
                             .frac_bits = (uint8_t)(rdoq_below(2) ? 0 : rdoq_below(8)),
                             .orient = (uint8_t)(rdoq_below(8) ? 1 + rdoq_below(3) : 0),
                             .style = (uint8_t)rdoq_below(64),
                             .max_passes = 255,
                             .reversible = rdoq_below(4) == 0};
    unsigned all = b->coef_bytes == 2 ? 15 : 31, bits = rdoq_below(4) ? 1 + rdoq_below(all) : all,
             temper = temper_of_all < TEMPERS ? temper_of_all : rdoq_below(TEMPERS);
    uint32_t offset = rdoq_below(2) ? 0 : rdoq_below(5) * b->coef_bytes, ridge = rdoq_below(3), bound = 0;
    draw_shape(b);
    for (uint32_t y = 0; y < b->height; y++) {
        for (uint32_t x = 0; x < b->width; x++) {
            uint32_t m = draw_sample(temper, bits, x, y, ridge);
            bound |= m;
            put_sample(rdoq_given.samples[i] + offset, b, y * b->stride + x, m | (t1_random(&rdoq_rng) & 0x80000000u));
        }
    }
    rdoq_given.bounds[i] = rdoq_below(8) ? bound : bound | rdoq_below(1u << (bits - 1) | 1);
    b->coefs = offsetof(rdoq_picture, samples) + (uint64_t)i * SLOT + offset;
    b->bound = offsetof(rdoq_picture, bounds) + 4ull * i;
    b->planes = (uint8_t)(wvl_bit_length(rdoq_given.bounds[i] >> b->frac_bits) + rdoq_below(3));
    rdoq_given.kinds[i] = (uint8_t)rdoq_below(2 * GROUPS);
    int plane = temper < CLUSTERS ? (int)rdoq_below(bits + 2) - 1 : (int)bits / 2;
    rdoq_given.hull_weights[i] = rdoq_draw_weight(rdoq_given.survey.slopes[rdoq_given.kinds[i] / 2], plane);
    most_width = wvl_max_u32(most_width, b->width);
}

void rdoq_draw_picture(void)
{
    static const uint32_t widths[] = {1024, 32, 33, 64, 65, 128, 129, 1024}; /* the widest of each kernel, and beyond */
    static const unsigned tempers[] = {STRIPED, TEMPERS, CLUSTERS, TEMPERS};
    static unsigned picture_count;
    memset(&rdoq_given, HT_POISON, sizeof rdoq_given);
    memset(&rdoq_given.parts, 0, sizeof rdoq_given.parts);
    memset(&rdoq_given.survey, 0, sizeof rdoq_given.survey);
    rdoq_job = (wvl_cuda_rdoq_job){.aim = {.groups = GROUPS}, .is_large = rdoq_below(2)};
    most_width = 0;
    width_limit = widths[picture_count++ % (sizeof widths / sizeof *widths)];
    temper_of_all = tempers[picture_count / 2 % 4];
    for (uint32_t g = 0; g < GROUPS; g++) {
        rdoq_given.survey.slopes[g] = rdoq_below(6) ? 20000 + rdoq_below(20000) : rdoq_below(65536);
    }
    rdoq_given.survey.slopes[rdoq_below(GROUPS)] = 0;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        draw_block(i);
        rdoq_given.lists[i] = (i * 29 + 5) % BLOCKS; /* 29 and 72 have no common divisor */
    }
}

/* The block as the CPU has it. */
wvl_block_input rdoq_describe(uint32_t i)
{
    const wvl_cuda_t1_block *b = &rdoq_given.originals[i];
    return (wvl_block_input){.coefs = (const uint8_t *)&rdoq_given + b->coefs,
                             .stride = b->stride,
                             .width = b->width,
                             .height = b->height,
                             .coef_bytes = b->coef_bytes,
                             .frac_bits = b->frac_bits,
                             .orient = b->orient,
                             .reversible = b->reversible,
                             .max_passes = 255,
                             .bound = rdoq_given.bounds[i]};
}

wvl_band_coding rdoq_band_of(uint32_t i)
{
    return (wvl_band_coding){.weight_mantissa = rdoq_given.hull_weights[i].mantissa,
                             .weight_exponent = rdoq_given.hull_weights[i].exponent};
}
