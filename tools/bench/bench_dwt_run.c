/* SPDX-License-Identifier: BSD-2-Clause */
/* One case on the device: a graph of many pictures in a row, over buffers that together exceed every cache. */
#include <stdlib.h>

#include "bench_dwt.h"

#define ROTATE_BYTES 640e6 /* ten times the largest L2 there is */
#define SETS_MAX 512

/* One launch's worth of pictures with memory of its own. */
typedef struct set {
    wvl_cuda_address base, pixels, coefs, bounds, planes, splits, items;
} set;

typedef struct chain {
    wvl_bench_dwt_device *device;
    const wvl_bench_dwt_case *c;
    const wvl_bench_dwt_picture *picture;
    wvl_cuda_tables tables;       /* counts of one picture */
    wvl_cuda_launch launches[64]; /* of a set: all its pictures together */
    uint64_t launch_count;
    uint64_t bound_bytes, coef_bytes, plane_bytes; /* of one picture, aligned */
    uint64_t set_bytes, table_bytes;               /* of a set; of its tables, as far as they are used */
    set sets[SETS_MAX];
    uint32_t set_count;
} chain;

enum { PART_ALL = 0, PART_CLEAR, PART_FIRST, PART_LATER, PART_CEILING };

static wvl_cuda_status queue_part(chain *n, const set *s, int part, wvl_cuda_route route)
{
    const wvl_cuda_runtime *rt = &n->device->runtime;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    if (part == PART_CEILING) {
        return wvl_cuda_launch_convert(rt, &n->device->kernels, s->pixels, s->coefs,
                                       n->picture->pixel_bytes * n->c->bundle, route);
    }
    if (part == PART_ALL || part == PART_CLEAR) {
        status = wvl_cuda_launch_clear(rt, &n->device->kernels, s->bounds, n->bound_bytes * n->c->bundle, s->splits,
                                       n->table_bytes, route);
    }
    for (uint64_t r = 0; r < n->launch_count && !status; r++) {
        int first = wvl_cuda_kernel_rows[n->launches[r].kernel].end > WVL_CUDA_END_PLANE || r == 0;
        if (part == PART_ALL || part == (first ? PART_FIRST : PART_LATER)) {
            status = wvl_cuda_launch_level(rt, &n->device->kernels, &n->launches[r], s->splits,
                                           s->items + n->launches[r].first_item * sizeof(wvl_cuda_item),
                                           part == PART_ALL && !n->c->apart, route);
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

/* Pixels of picture f as the device sees them. */
static void place_pixels(const chain *n, const set *s, uint32_t f, wvl_cuda_pixels *pixels)
{
    const wvl_bench_dwt_picture *p = n->picture;
    for (uint32_t i = 0; i < n->c->components; i++) {
        uint64_t offset = (uint64_t)((const uint8_t *)p->planes[i].data - p->pixels);
        pixels[i] = (wvl_cuda_pixels){.data = s->pixels + p->pixel_bytes * f + offset,
                                      .pitch_bytes = p->planes[i].pitch_bytes,
                                      .first = p->planes[i].first_sample,
                                      .stride = p->planes[i].sample_stride,
                                      .half = 1u << (n->c->depth - 1),
                                      .container = p->planes[i].container,
                                      .depth = (uint8_t)n->c->depth};
    }
}

/* The tables of all pictures of a set, merged launch by launch. Returns the host copy: splits, then items. */
static wvl_cuda_status build_set(chain *n, set *s)
{
    const wvl_cuda_runtime *rt = &n->device->runtime;
    uint32_t bundle = n->c->bundle;
    const wvl_cuda_table_options options = {n->c->plain, bundle, n->device->multiprocessors};
    wvl_cuda_tables t = n->tables;
    wvl_cuda_split *splits = calloc(t.split_count * bundle, sizeof *splits);
    wvl_cuda_item *items = calloc(t.item_count * bundle, sizeof *items), *one = calloc(t.item_count, sizeof *one);
    uint32_t *fronts =
        calloc((size_t)n->picture->plan->syntax.tile_count * n->picture->plan->syntax.component_count, sizeof *fronts);
    wvl_cuda_launch launches[64];
    uint64_t split_count = 0, components = (uint64_t)n->picture->plan->syntax.tile_count *
                                           n->picture->plan->syntax.component_count * bundle;
    for (uint32_t f = 0; splits && items && one && fronts && f < bundle; f++) {
        wvl_cuda_pixels pixels[4];
        place_pixels(n, s, f, pixels);
        wvl_cuda_memory memory = {s->coefs + n->coef_bytes * f,
                                  s->bounds + n->bound_bytes * f,
                                  s->bounds + n->bound_bytes * (f + 1) - 4,
                                  s->planes + n->plane_bytes * f,
                                  s->bounds + n->bound_bytes * f + n->tables.block_count * 4,
                                  pixels};
        t.splits = splits + split_count;
        t.items = one;
        t.launches = launches;
        t.fronts = fronts;
        wvl_cuda_build_tables(n->picture->plan, n->picture->tiles, n->picture->plan->syntax.tile_count, &options,
                              &memory, &t);
        n->launch_count = t.launch_count;
        for (uint64_t r = 0; r < t.launch_count; r++) {
            n->launches[r] = (wvl_cuda_launch){
                launches[r].kernel, launches[r].first_item * bundle,  launches[r].item_count * bundle, 0,
                launches[r].asked,  bundle > 1 ? 0 : launches[r].only};
            for (uint32_t i = 0; i < launches[r].item_count; i++) {
                wvl_cuda_item item = one[launches[r].first_item + i];
                item.split += (uint32_t)split_count;
                items[n->launches[r].first_item + f * launches[r].item_count + i] = item;
            }
        }
        split_count += t.split_count;
        n->table_bytes = s->items - s->splits + t.item_count * bundle * sizeof *items;
    }
    for (uint64_t r = 0; splits && items && r < n->launch_count; r++) {
        n->launches[r].item_count = (uint32_t)wvl_cuda_finish_items(
            n->launches[r].kernel, components, splits, items + n->launches[r].first_item, n->launches[r].item_count);
    }
    wvl_cuda_status status = splits && items && one && fronts ? WVL_CUDA_SUCCESS : WVL_CUDA_OUT_OF_MEMORY;
    for (uint32_t f = 0; f < bundle && !status; f++) {
        status = rt->upload(s->pixels + n->picture->pixel_bytes * f, n->picture->pixels, n->picture->pixel_bytes,
                            n->device->stream);
    }
    status = status ? status : rt->upload(s->splits, splits, split_count * sizeof *splits, n->device->stream);
    status =
        status ? status : rt->upload(s->items, items, n->tables.item_count * bundle * sizeof *items, n->device->stream);
    status = status ? status : rt->stream_wait(n->device->stream);
    free(splits);
    free(items);
    free(one);
    free(fronts);
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
    at.pixels = place(&end, n->picture->pixel_bytes * bundle);
    at.coefs = place(&end, wvl_max_u64(n->coef_bytes, 2 * n->picture->pixel_bytes) * bundle);
    at.bounds = place(&end, n->bound_bytes * bundle);
    at.planes = place(&end, n->plane_bytes * bundle);
    at.splits = place(&end, n->tables.split_count * bundle * sizeof(wvl_cuda_split));
    at.items = place(&end, n->tables.item_count * bundle * sizeof(wvl_cuda_item));
    wvl_cuda_status status = n->device->runtime.malloc_device(&at.base, end);
    n->set_bytes = end;
    *s = (set){at.base,
               at.base + at.pixels,
               at.base + at.coefs,
               at.base + at.bounds,
               at.base + at.planes,
               at.base + at.splits,
               at.base + at.items};
    return status ? status : build_set(n, s);
}

/* The last picture of every second set, after its coefficients were poisoned. */
static wvl_cuda_status check_sets(chain *n, uint64_t *wrong)
{
    const wvl_cuda_runtime *rt = &n->device->runtime;
    uint32_t last = n->c->bundle - 1;
    uint8_t *samples = malloc(n->coef_bytes), *bounds = malloc(n->bound_bytes);
    wvl_cuda_status status = samples && bounds ? WVL_CUDA_SUCCESS : WVL_CUDA_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < wvl_min_u32(n->set_count, 2) && !status; i++) {
        const set *s = &n->sets[i];
        status = rt->fill(s->coefs, 0xA7, n->coef_bytes * n->c->bundle, n->device->stream);
        status = status ? status : queue_part(n, s, PART_ALL, wvl_cuda_to_stream(n->device->stream));
        status =
            status ? status : rt->download(samples, s->coefs + n->coef_bytes * last, n->coef_bytes, n->device->stream);
        status = status ? status
                        : rt->download(bounds, s->bounds + n->bound_bytes * last, n->bound_bytes, n->device->stream);
        status = status ? status : rt->stream_wait(n->device->stream);
        *wrong += status ? 0 : wvl_bench_dwt_compare(n->picture, samples, (const uint32_t *)(const void *)bounds);
    }
    free(samples);
    free(bounds);
    return status;
}

static wvl_cuda_status measure_chain(chain *n, wvl_bench_dwt_result *result)
{
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    double set_bytes = (double)(n->picture->pixel_bytes + n->coef_bytes) * n->c->bundle;
    uint32_t wanted = (uint32_t)wvl_min_u64((uint64_t)(ROTATE_BYTES / set_bytes) + 2, SETS_MAX);
    for (; n->set_count < wanted && !status; n->set_count += !status) {
        status = open_set(n, &n->sets[n->set_count]);
    }
    status = status ? status : check_sets(n, &result->wrong);
    status = status ? status : time_part(n, PART_ALL, &result->picture_us);
    for (int i = 0; i < 3 && !status; i++) {
        status = time_part(n, PART_CLEAR + i, &result->part_us[i]);
    }
    status = status ? status : time_part(n, PART_CEILING, &result->ceiling_us);
    result->launches = n->launch_count;
    return status;
}

wvl_cuda_status wvl_bench_dwt_run_case(wvl_bench_dwt_device *device, const wvl_bench_dwt_case *c,
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
    wvl_cuda_table_options options = {0};
    wvl_cuda_build_tables(picture->plan, picture->tiles, picture->plan->syntax.tile_count, &options, NULL, &n->tables);
    n->bound_bytes = wvl_align_up((n->tables.block_count + n->tables.flag_count) * 4 + 4, 256);
    n->coef_bytes = wvl_align_up(n->tables.coef_bytes, 256);
    n->plane_bytes = n->tables.plane_bytes;
    for (uint32_t t = 0; t < picture->plan->syntax.tile_count; t++) {
        for (uint32_t b = 0; b < picture->tiles[t].band_count; b++) {
            wvl_rect r = picture->tiles[t].bands[b].rect;
            result->floor_bytes +=
                (double)wvl_rect_width(r) * wvl_rect_height(r) * picture->tiles[t].bands[b].coef_bytes;
        }
    }
    result->floor_bytes += (double)picture->pixel_bytes;
    wvl_cuda_status status = measure_chain(n, result);
    for (uint32_t i = 0; i < n->set_count; i++) {
        (void)device->runtime.free_device(n->sets[i].base);
    }
    free(n);
    return status;
}
