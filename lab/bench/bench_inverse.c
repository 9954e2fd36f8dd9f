/* SPDX-License-Identifier: BSD-2-Clause */
/* One case of the inverse on the device: coefficients back to pixels, timed as the forward transform is. */
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "base/try.h"
#include "lab/cuda/inverse/host.h"
#include "lab/cuda/inverse/launch.h"
#include "lab/cuda/inverse/tables.h"
#include "lab_bench.h"
#include "tools/bench/bench_dwt.h"

#define ROTATE_BYTES 640e6 /* ten times the largest L2 there is */
#define SETS_MAX 512
#define LAUNCHES_MAX 64

/* One launch's worth of pictures with memory of its own. */
typedef struct set {
    wvl_cuda_address base, pixels, coefs, planes, splits, items;
} set;

typedef struct chain {
    wvl_bench_dwt_device *device;
    const wvl_bench_dwt_case *c;
    const wvl_bench_dwt_picture *picture;
    wvl_cuda_inverse_kernels kernels;
    wvl_cuda_inverse_tables tables;                 /* counts of one picture */
    wvl_cuda_inverse_launch launches[LAUNCHES_MAX]; /* of a set: all its pictures together */
    uint64_t coef_bytes, pixel_bytes, plane_bytes;  /* of one picture, aligned */
    uint8_t *coefs;                                 /* the CPU's, tile after tile */
    set sets[SETS_MAX];
    uint32_t set_count;
} chain;

/* Which launches: all, those that end in pixels, the others, or the copy that bounds them. */
enum { PART_ALL = 0, PART_LAST, PART_SMALL, PART_CEILING };

static wvl_cuda_status queue_part(chain *n, const set *s, int part, wvl_cuda_route route)
{
    const wvl_cuda_runtime *rt = &n->device->runtime;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    if (part == PART_CEILING) {
        return wvl_cuda_launch_convert(rt, &n->device->kernels, s->pixels, s->coefs,
                                       n->picture->pixel_bytes * n->c->bundle, route);
    }
    for (uint64_t r = 0; r < n->tables.launch_count && !status; r++) {
        int last = r + 1 == n->tables.launch_count;
        if (part == PART_ALL || part == (last ? PART_LAST : PART_SMALL)) {
            wvl_cuda_address items = s->items + n->launches[r].first_item * sizeof(wvl_cuda_item);
            int follows = r > 0 && part == PART_ALL && !n->c->apart;
            status = wvl_cuda_inverse_launch_level(rt, &n->kernels, n->launches[r].kernel, s->splits, items,
                                                   n->launches[r].item_count, follows, route);
        }
    }
    return status;
}

/* For wvl_bench_dwt_time_part. */
static wvl_cuda_status queue_set(void *user, uint32_t which, int part, wvl_cuda_route route)
{
    chain *n = user;
    return queue_part(n, &n->sets[which], part, route);
}

static wvl_cuda_status time_part(chain *n, int part, double *us)
{
    wvl_bench_dwt_timing timing = {n->device, n->c, n->picture, n->set_count, queue_set, n};
    return wvl_bench_dwt_time_part(&timing, part, us);
}

/* The picture's planes at an address. */
static void place_pixels(const chain *n, uint64_t base, wvl_cuda_pixels *pixels)
{
    const wvl_bench_dwt_picture *p = n->picture;
    for (uint32_t i = 0; i < n->c->components; i++) {
        uint64_t offset = (uint64_t)((const uint8_t *)p->planes[i].data - p->pixels);
        pixels[i] = (wvl_cuda_pixels){.data = base + offset,
                                      .pitch_bytes = p->planes[i].pitch_bytes,
                                      .first = p->planes[i].first_sample,
                                      .stride = p->planes[i].sample_stride,
                                      .half = 1u << (n->c->depth - 1),
                                      .container = p->planes[i].container,
                                      .depth = (uint8_t)n->c->depth};
    }
}

static void build_tables(const chain *n, const wvl_cuda_inverse_memory *memory, wvl_cuda_inverse_tables *t)
{
    wvl_cuda_inverse_options options = {n->c->plain, n->c->bundle, n->device->multiprocessors};
    wvl_cuda_inverse_build_tables(n->picture->plan, n->picture->tiles, n->picture->plan->syntax.tile_count, &options,
                                  memory, t);
}

static wvl_cuda_status upload_set(chain *n, const set *s, const wvl_cuda_inverse_split *splits,
                                  const wvl_cuda_item *items)
{
    const wvl_cuda_runtime *rt = &n->device->runtime;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    uint32_t bundle = n->c->bundle;
    for (uint32_t f = 0; f < bundle && !status; f++) {
        status = rt->upload(s->coefs + n->coef_bytes * f, n->coefs, n->tables.coef_bytes, n->device->stream);
    }
    TRY(status, rt->upload(s->splits, splits, n->tables.split_count * bundle * sizeof *splits, n->device->stream));
    TRY(status, rt->upload(s->items, items, n->tables.item_count * bundle * sizeof *items, n->device->stream));
    return status ? status : rt->stream_wait(n->device->stream);
}

/* The tables of all pictures of a set, merged launch by launch. */
static wvl_cuda_status build_set(chain *n, const set *s)
{
    uint32_t bundle = n->c->bundle;
    wvl_cuda_inverse_tables t = n->tables;
    wvl_cuda_inverse_split *splits = calloc(t.split_count * bundle, sizeof *splits);
    wvl_cuda_item *items = calloc(t.item_count * bundle, sizeof *items), *one = calloc(t.item_count, sizeof *one);
    wvl_cuda_inverse_launch launches[LAUNCHES_MAX];
    for (uint32_t f = 0; splits && items && one && f < bundle; f++) {
        wvl_cuda_pixels pixels[4];
        place_pixels(n, s->pixels + n->pixel_bytes * f, pixels);
        wvl_cuda_inverse_memory memory = {s->coefs + n->coef_bytes * f, s->planes + n->plane_bytes * f, pixels};
        t.splits = splits + t.split_count * f;
        t.items = one;
        t.launches = launches;
        build_tables(n, &memory, &t);
        for (uint64_t r = 0; r < t.launch_count; r++) {
            n->launches[r] = (wvl_cuda_inverse_launch){launches[r].kernel, launches[r].first_item * bundle,
                                                       launches[r].item_count * bundle};
            for (uint32_t i = 0; i < launches[r].item_count; i++) {
                wvl_cuda_item item = one[launches[r].first_item + i];
                item.split += (uint32_t)(t.split_count * f);
                items[n->launches[r].first_item + f * launches[r].item_count + i] = item;
            }
        }
    }
    for (uint64_t r = 0; splits && items && r < t.launch_count; r++) {
        wvl_cuda_inverse_order_items(splits, items + n->launches[r].first_item, n->launches[r].item_count);
    }
    wvl_cuda_status status = splits && items && one ? upload_set(n, s, splits, items) : WVL_CUDA_OUT_OF_MEMORY;
    free(splits);
    free(items);
    free(one);
    return status;
}

static uint64_t place(uint64_t *end, uint64_t bytes)
{
    uint64_t at = *end;
    *end += wvl_align_up(bytes, 256);
    return at;
}

static wvl_cuda_status open_set(chain *n, set *s)
{
    uint64_t end = 0, bundle = n->c->bundle;
    set at = {0};
    at.pixels = place(&end, n->pixel_bytes * bundle);
    at.coefs = place(&end, wvl_max_u64(n->coef_bytes, 2 * n->pixel_bytes) * bundle);
    at.planes = place(&end, n->plane_bytes * bundle);
    at.splits = place(&end, n->tables.split_count * bundle * sizeof(wvl_cuda_inverse_split));
    at.items = place(&end, n->tables.item_count * bundle * sizeof(wvl_cuda_item));
    wvl_cuda_status status = n->device->runtime.malloc_device(&at.base, end);
    *s = (set){at.base,           at.base + at.pixels, at.base + at.coefs, at.base + at.planes, at.base + at.splits,
               at.base + at.items};
    return status ? status : build_set(n, s);
}

/* The last picture of the first sets against the host reference, written over poison. */
static wvl_cuda_status check_sets(chain *n, uint64_t *wrong)
{
    const wvl_cuda_runtime *rt = &n->device->runtime;
    uint64_t bytes = n->picture->pixel_bytes;
    uint8_t *host = malloc(bytes), *got = malloc(bytes);
    wvl_cuda_pixels pixels[4];
    place_pixels(n, (uint64_t)(uintptr_t)host, pixels);
    wvl_cuda_status status =
        host && got &&
                wvl_cuda_inverse_run_host(n->picture->plan, n->picture->tiles, n->picture->plan->syntax.tile_count,
                                          n->picture->coefs, pixels)
            ? WVL_CUDA_SUCCESS
            : WVL_CUDA_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < wvl_min_u32(n->set_count, 2) && !status; i++) {
        const set *s = &n->sets[i];
        status = rt->fill(s->pixels, 0xA7, n->pixel_bytes * n->c->bundle, n->device->stream);
        TRY(status, queue_part(n, s, PART_ALL, wvl_cuda_to_stream(n->device->stream)));
        TRY(status, rt->download(got, s->pixels + n->pixel_bytes * (n->c->bundle - 1), bytes, n->device->stream));
        TRY(status, rt->stream_wait(n->device->stream));
        for (uint64_t k = 0; k < bytes && !status; k++) {
            *wrong += host[k] != got[k];
        }
    }
    free(host);
    free(got);
    return status;
}

static wvl_cuda_status measure_chain(chain *n, wvl_bench_dwt_result *result)
{
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    double set_bytes = (double)(n->pixel_bytes + n->coef_bytes) * n->c->bundle;
    uint32_t wanted = (uint32_t)wvl_min_u64((uint64_t)(ROTATE_BYTES / set_bytes) + 2, SETS_MAX);
    for (; n->set_count < wanted && !status; n->set_count += !status) {
        status = open_set(n, &n->sets[n->set_count]);
    }
    TRY(status, check_sets(n, &result->wrong));
    TRY(status, time_part(n, PART_ALL, &result->picture_us));
    TRY(status, time_part(n, PART_LAST, &result->part_us[1]));
    TRY(status, time_part(n, PART_SMALL, &result->part_us[2]));
    TRY(status, time_part(n, PART_CEILING, &result->ceiling_us));
    result->launches = n->tables.launch_count;
    return status;
}

/* Counts and the coefficients of all tiles in a row. */
static wvl_cuda_status open_chain(chain *n)
{
    wvl_cuda_pixels pixels[4];
    wvl_cuda_inverse_memory memory = {0, 0, pixels};
    uint64_t at = 0;
    place_pixels(n, 0, pixels);
    build_tables(n, &memory, &n->tables);
    n->coef_bytes = wvl_align_up(n->tables.coef_bytes, 256);
    n->pixel_bytes = wvl_align_up(n->picture->pixel_bytes, 256);
    n->plane_bytes = wvl_align_up(n->tables.plane_bytes, 256);
    n->coefs = malloc(n->tables.coef_bytes + 1);
    for (uint32_t t = 0; n->coefs && t < n->picture->plan->syntax.tile_count; t++) {
        memcpy(n->coefs + at, n->picture->coefs[t].samples, n->picture->tiles[t].coef_bytes);
        at += n->picture->tiles[t].coef_bytes;
    }
    if (!n->coefs || n->tables.launch_count > LAUNCHES_MAX) {
        return WVL_CUDA_OUT_OF_MEMORY;
    }
    return wvl_cuda_inverse_init_kernels(&n->device->runtime, wvl_cuda_inverse_fetch_image(),
                                         n->device->multiprocessors, &n->kernels);
}

/* Parts: none, the launch that ends in pixels, the ones before it. wrong: bytes of pixels that differ from the host's.
 */
static wvl_cuda_status run_inverse(wvl_bench_dwt_device *device, const wvl_bench_dwt_case *c,
                                   const wvl_bench_dwt_picture *picture, wvl_bench_dwt_result *result)
{
    chain *n = calloc(1, sizeof *n);
    if (!n) {
        return WVL_CUDA_OUT_OF_MEMORY;
    }
    n->device = device;
    n->c = c;
    n->picture = picture;
    memset(result, 0, sizeof *result);
    for (uint32_t t = 0; t < picture->plan->syntax.tile_count; t++) {
        for (uint32_t b = 0; b < picture->tiles[t].band_count; b++) {
            wvl_rect r = picture->tiles[t].bands[b].rect;
            result->floor_bytes +=
                (double)wvl_rect_width(r) * wvl_rect_height(r) * picture->tiles[t].bands[b].coef_bytes;
        }
    }
    result->floor_bytes += (double)picture->pixel_bytes;
    wvl_cuda_status status = open_chain(n);
    TRY(status, measure_chain(n, result));
    for (uint32_t i = 0; i < n->set_count; i++) {
        (void)device->runtime.free_device(n->sets[i].base);
    }
    wvl_cuda_inverse_fini_kernels(&device->runtime, &n->kernels);
    free(n->coefs);
    free(n);
    return status;
}

int wvl_lab_run_inverse(wvl_bench_args *args) { return wvl_bench_dwt_measure(args, 1, run_inverse); }
