/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_dwt.h"

#include <stdlib.h>

#define CASES_MAX 64u

typedef struct options {
    wvl_bench_dwt_case one;
    int planar;
} options;

#define RANGE(name, member, lowest, highest) WVL_BENCH_RANGE(name, COUNT, options, one.member, lowest, highest)
static const wvl_bench_option table[] = {
    WVL_BENCH_OPTION("--size", SIZE, options, one.width),
    RANGE("--components", components, 1, 4),
    RANGE("--depth", depth, 1, 16),
    RANGE("--tile", tile, 16, 65536),
    RANGE("--batch", bundle, 1, 256),
    RANGE("--runs", runs, 1, 64),
    RANGE("--levels", levels, 1, 12),
    WVL_BENCH_OPTION("--planar", FLAG, options, planar),
    WVL_BENCH_OPTION("--plain", FLAG, options, one.plain),
    WVL_BENCH_OPTION("--apart", FLAG, options, one.apart),
};

static void add_case(wvl_bench_dwt_case *cases, uint32_t *count, wvl_bench_dwt_case c)
{
    for (int reversible = 1; reversible >= 0; reversible--) {
        c.reversible = reversible;
        cases[(*count)++] = c;
    }
}

/* Without --size: the pictures of the device table in docs/results.md. */
static uint32_t build_cases(const options *o, wvl_bench_dwt_case *cases)
{
    uint32_t count = 0;
    wvl_bench_dwt_case c = o->one;
    if (o->one.width) {
        add_case(cases, &count, c);
        return count;
    }
    static const struct {
        uint32_t width, height, components, depth, tile, bundle;
        int interleaved, plain;
    } standard[] = {
        {8192, 8192, 1, 8, 0, 1, 1, 0},  {8192, 8192, 1, 8, 0, 1, 1, 1},   {8192, 8192, 1, 16, 0, 1, 1, 0},
        {8192, 8192, 1, 12, 0, 1, 1, 0}, {8192, 8192, 1, 8, 256, 1, 1, 0}, {4096, 2160, 3, 8, 0, 16, 1, 0},
        {4096, 2160, 3, 8, 0, 16, 0, 0}, {4096, 2160, 3, 8, 0, 1, 1, 0},   {2048, 1080, 3, 8, 0, 16, 1, 0},
        {4096, 2160, 3, 12, 0, 1, 1, 0}, {4096, 2160, 3, 12, 0, 8, 1, 0},
    };
    for (uint32_t i = 0; i < sizeof standard / sizeof *standard; i++) {
        c.width = standard[i].width;
        c.height = standard[i].height;
        c.components = standard[i].components;
        c.depth = standard[i].depth;
        c.tile = standard[i].tile;
        c.bundle = standard[i].bundle;
        c.interleaved = standard[i].interleaved;
        c.plain = standard[i].plain;
        add_case(cases, &count, c);
    }
    return count;
}

static wvl_cuda_status open_device(wvl_bench_dwt_device *d, const void *image)
{
    int device = 0, multiprocessors = 0;
    wvl_cuda_status status = d->runtime.init(0);
    status = status ? status : d->runtime.device_get(&device, 0);
    status = status ? status : d->runtime.device_name(d->name, sizeof d->name, device);
    status =
        status ? status : d->runtime.device_attribute(&multiprocessors, WVL_CUDA_ATTRIBUTE_MULTIPROCESSORS, device);
    d->multiprocessors = (uint32_t)multiprocessors;
    status = status ? status : d->runtime.context_retain(&d->context, device);
    status = status ? status : d->runtime.context_push(d->context);
    status = status ? status : wvl_cuda_init_kernels(&d->runtime, image, &d->kernels);
    return status ? status : d->runtime.stream_create(&d->stream, WVL_CUDA_STREAM_NON_BLOCKING);
}

static void put_result(const wvl_bench_dwt_case *c, const wvl_bench_dwt_result *r)
{
    double gbs = r->floor_bytes / r->picture_us / 1e3;
    printf("%5ux%-5u x%u %2u bit %s%s tile %4u bundle %2u: %8.2f us %6.0f GB/s %5.1f %% of %8.2f us (clear %.2f, first "
           "%.2f, later %.2f; %llu launches)%s\n",
           c->width, c->height, c->components, c->depth,
           c->inverse      ? c->reversible ? "5/3 inverse" : "9/7 inverse"
           : c->reversible ? "5/3"
                           : "9/7",
           c->plain                               ? " plain"
           : c->components > 1 && !c->interleaved ? " planar"
                                                  : "",
           c->tile, c->bundle, r->picture_us, gbs, 100.0 * r->ceiling_us / r->picture_us, r->ceiling_us, r->part_us[0],
           r->part_us[1], r->part_us[2], (unsigned long long)r->launches, r->wrong ? " WRONG" : "");
    fflush(stdout);
}

static int run_cases(wvl_bench_dwt_device *device, const options *o, wvl_bench_dwt_run *run)
{
    wvl_bench_dwt_case cases[CASES_MAX];
    uint32_t count = build_cases(o, cases);
    int exit_code = WVL_BENCH_EXIT_OK;
    printf("%s, %u levels, blocks 64x64; median of %u graphs over rotated buffers, one picture\n", device->name,
           o->one.levels, o->one.runs);
    for (uint32_t i = 0; i < count; i++) {
        wvl_bench_dwt_picture picture;
        wvl_bench_dwt_result result;
        if (!wvl_bench_dwt_open_picture(&cases[i], &picture)) {
            return WVL_BENCH_EXIT_FAILED;
        }
        wvl_cuda_status status = run(device, &cases[i], &picture, &result);
        wvl_bench_dwt_close_picture(&picture);
        if (status) {
            fprintf(stderr, "bench dwt: device status %d\n", status);
            return WVL_BENCH_EXIT_FAILED;
        }
        put_result(&cases[i], &result);
        exit_code = result.wrong ? WVL_BENCH_EXIT_CHECK : exit_code;
    }
    return exit_code;
}

int wvl_bench_run_dwt(wvl_bench_args *args) { return wvl_bench_dwt_measure(args, 0, wvl_bench_dwt_run_case); }

int wvl_bench_dwt_measure(wvl_bench_args *args, int is_inverse, wvl_bench_dwt_run *run)
{
    options o = {.one = {.components = 1, .depth = 8, .bundle = 1, .levels = 5, .runs = 9}};
    o.one.inverse = is_inverse;
    wvl_bench_dwt_device device;
    if (wvl_bench_args_parse(args, table, sizeof table / sizeof *table, &o)) {
        return WVL_BENCH_EXIT_USAGE;
    }
    o.one.interleaved = !o.planar;
    memset(&device, 0, sizeof device);
    const void *image = wvl_cuda_fetch_image();
    if (!image || !wvl_cuda_fetch_runtime(&device.runtime) || open_device(&device, image)) {
        fputs("bench dwt: no device, or no device code in this build\n", stderr);
        return WVL_BENCH_EXIT_FAILED;
    }
    return run_cases(&device, &o, run);
}
