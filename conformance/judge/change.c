/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes that rows ask for: mosaics, cuts, other component counts and depths. */
#include <stdlib.h>
#include <string.h>

#include "judge.h"

static uint32_t ceil_div(uint64_t a, uint32_t b) { return (uint32_t)((a + b - 1) / b); }

static int is_plain(const wvl_judge_picture *p)
{
    for (uint32_t c = 0; c < p->count; c++) {
        if (p->planes[c].dx != 1 || p->planes[c].dy != 1) {
            return 0;
        }
    }
    return 1;
}

/* The plane's samples from (x, y) on, repeated where the window is larger than what is there. */
static void cut_plane(wvl_judge_plane *plane, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    int32_t *cut = wvl_judge_need_memory((size_t)width * height, sizeof *cut);
    for (uint32_t j = 0; j < height; j++) {
        const int32_t *row = plane->samples + (size_t)((y + j) % plane->height) * plane->width;
        for (uint32_t i = 0; i < width; i++) {
            cut[(size_t)j * width + i] = row[(x + i) % plane->width];
        }
    }
    free(plane->samples);
    plane->samples = cut;
    plane->width = width;
    plane->height = height;
}

static void cut_picture(wvl_judge_picture *p, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    for (uint32_t c = 0; c < p->count; c++) {
        cut_plane(&p->planes[c], x, y, width, height);
    }
    p->x1 = width;
    p->y1 = height;
}

/* Keeps the first components, or repeats them in turn. */
static void set_component_count(wvl_judge_picture *p, uint32_t count)
{
    wvl_judge_plane *planes = wvl_judge_need_memory(count, sizeof *planes);
    for (uint32_t c = 0; c < count; c++) {
        const wvl_judge_plane *from = &p->planes[c % p->count];
        size_t samples = (size_t)from->width * from->height;
        planes[c] = *from;
        planes[c].samples = wvl_judge_need_memory(samples, sizeof(int32_t));
        memcpy(planes[c].samples, from->samples, samples * sizeof(int32_t));
    }
    for (uint32_t c = 0; c < p->count; c++) {
        free(p->planes[c].samples);
    }
    free(p->planes);
    p->planes = planes;
    p->count = count;
}

/* One pixel, whose components are the first samples of component 0 one after the other, a row's length apart every row.
 */
static void take_pixels(wvl_judge_picture *p, uint32_t count)
{
    wvl_judge_plane from = p->planes[0];
    wvl_judge_plane *planes = wvl_judge_need_memory(count, sizeof *planes);
    for (uint32_t c = 0; c < count; c++) {
        planes[c] =
            (wvl_judge_plane){1, 1, from.depth, from.is_signed, 1, 1, wvl_judge_need_memory(1, sizeof(int32_t))};
        planes[c].samples[0] = from.samples[(size_t)c * 977 % ((size_t)from.width * from.height)];
    }
    for (uint32_t c = 0; c < p->count; c++) {
        free(p->planes[c].samples);
    }
    free(p->planes);
    *p = (wvl_judge_picture){0, 0, 1, 1, count, planes};
}

static void shift_samples(wvl_judge_plane *plane, int right)
{
    for (size_t i = 0; i < (size_t)plane->width * plane->height; i++) {
        plane->samples[i] = right > 0 ? plane->samples[i] >> right : plane->samples[i] * (1 << -right);
    }
    plane->depth = (uint8_t)(plane->depth - right);
}

static int shift_depths(const wvl_judge_args *args, wvl_judge_picture *p)
{
    for (uint32_t c = 0; c < p->count; c++) {
        int right = args->shift;
        if (args->depth_count) {
            right = p->planes[c].depth - (int)args->depths[c < args->depth_count ? c : args->depth_count - 1];
        }
        int depth = p->planes[c].depth - right;
        if (depth < 1 || depth > 31) {
            return wvl_judge_fail(WVL_JUDGE_USAGE, "component %u would have a depth of %d", c, depth);
        }
        shift_samples(&p->planes[c], right);
    }
    return WVL_JUDGE_DONE;
}

/* Each component cut to as many samples as an image area of the reference grid asks for (B-2). The area's place is not
 * kept. */
static int fit_area(const wvl_judge_args *args, wvl_judge_picture *p)
{
    uint64_t x0 = args->area[0], y0 = args->area[1], x1 = x0 + args->area[2], y1 = y0 + args->area[3];
    for (uint32_t c = 0; c < p->count; c++) {
        wvl_judge_plane *plane = &p->planes[c];
        uint32_t w = ceil_div(x1, plane->dx) - ceil_div(x0, plane->dx),
                 h = ceil_div(y1, plane->dy) - ceil_div(y0, plane->dy);
        if (w > plane->width || h > plane->height || !w || !h) {
            return wvl_judge_fail(WVL_JUDGE_USAGE, "component %u: %ux%u samples, the area asks for %ux%u", c,
                                  plane->width, plane->height, w, h);
        }
        cut_plane(plane, 0, 0, w, h);
    }
    p->x1 = args->area[2];
    p->y1 = args->area[3];
    return WVL_JUDGE_DONE;
}

int wvl_judge_change_picture(const wvl_judge_args *args, wvl_judge_picture *p)
{
    int code = WVL_JUDGE_DONE;
    if ((args->mosaic[0] || args->has_crop) && !is_plain(p)) {
        return wvl_judge_fail(WVL_JUDGE_USAGE, "a subsampled picture is cut with --area only");
    }
    if (args->mosaic[0] && args->mosaic[1]) {
        cut_picture(p, 0, 0, args->mosaic[0] * p->x1, args->mosaic[1] * p->y1);
    }
    if (args->has_crop) {
        cut_picture(p, args->crop[0], args->crop[1], args->crop[2], args->crop[3]);
    }
    if (args->components) {
        set_component_count(p, args->components);
    }
    if (args->take_pixels) {
        take_pixels(p, args->take_pixels);
    }
    if (args->shift || args->depth_count) {
        code = shift_depths(args, p);
    }
    return !code && args->has_area ? fit_area(args, p) : code;
}
