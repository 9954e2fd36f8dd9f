/* SPDX-License-Identifier: BSD-2-Clause */
/* Picture files through the readers of the command; FFmpeg's rawvideo by hand. */
#include <stdio.h>
#include <stdlib.h>

#include "judge.h"
#include "tools/imageio/imageio.h"

static void copy_component(const wvl_io_component *from, wvl_judge_plane *to)
{
    *to = (wvl_judge_plane){from->width, from->height, from->depth, from->is_signed, from->dx, from->dy, NULL};
    to->samples = wvl_judge_need_memory((size_t)to->width * to->height, sizeof *to->samples);
    for (uint32_t y = 0; y < to->height; y++) {
        for (uint32_t x = 0; x < to->width; x++) {
            to->samples[(size_t)y * to->width + x] = (int32_t)wvl_io_sample(from, x, y);
        }
    }
}

static int parse_steps(const char *text, uint8_t *steps, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned dx, dy;
        int used = 0;
        if (sscanf(text, "%3ux%3u%n", &dx, &dy, &used) != 2 || !dx || dx > 255 || !dy || dy > 255) {
            return 0;
        }
        steps[2 * i] = (uint8_t)dx;
        steps[2 * i + 1] = (uint8_t)dy;
        text += used + (text[used] == ':');
    }
    return !*text;
}

static uint32_t extent(uint32_t samples, unsigned step, uint32_t most)
{
    return samples * step > most ? samples * step : most;
}

/* Each file's components in turn. Files of different sizes are taken as they are: what the reference grid makes of them
 * is the caller's. */
static int join(const wvl_judge_args *args, wvl_io_picture *parts, unsigned count, wvl_judge_picture *p)
{
    uint8_t steps[2 * WVL_JUDGE_INPUTS];
    memset(steps, 1, sizeof steps);
    if (count > 1 && args->steps && !parse_steps(args->steps, steps, count)) {
        return wvl_judge_fail(WVL_JUDGE_USAGE, "--steps \"%s\": expected DXxDY for each of %u files", args->steps,
                              count);
    }
    for (unsigned i = 0; i < count; i++) {
        p->count += parts[i].component_count;
    }
    p->planes = wvl_judge_need_memory(p->count, sizeof *p->planes);
    for (uint32_t i = 0, at = 0; i < count; i++) {
        for (uint32_t c = 0; c < parts[i].component_count; c++, at++) {
            wvl_judge_plane *plane = &p->planes[at];
            copy_component(&parts[i].components[c], plane);
            if (count > 1) {
                plane->dx = steps[2 * i];
                plane->dy = steps[2 * i + 1];
            }
            p->x1 = extent(plane->width, plane->dx, p->x1);
            p->y1 = extent(plane->height, plane->dy, p->y1);
        }
    }
    return WVL_JUDGE_DONE;
}

int wvl_judge_read_files(const wvl_judge_args *args, const char *const *paths, unsigned count, wvl_judge_picture *p)
{
    char error[512] = "";
    wvl_io_picture parts[WVL_JUDGE_INPUTS];
    wvl_io_options options = {.raw_format = args->raw_format, .keep_palette = args->keep_indices};
    memset(parts, 0, sizeof parts);
    int code = count ? 0 : wvl_judge_fail(WVL_JUDGE_USAGE, "no picture");
    for (unsigned i = 0; !code && i < count; i++) {
        code = wvl_io_read_picture(paths[i], &options, &parts[i], error, sizeof error);
    }
    if (!code) {
        code = join(args, parts, count, p);
    }
    if (!code && count == 1) { /* the file knows its own size, also with subsampled components */
        p->x1 = parts[0].width;
        p->y1 = parts[0].height;
    }
    for (unsigned i = 0; i < count; i++) {
        wvl_io_release_picture(&parts[i]);
    }
    return code < 0 ? wvl_judge_fail(WVL_JUDGE_INPUT, "%s", error) : code;
}

int wvl_judge_read_picture(const wvl_judge_args *args, wvl_judge_picture *p)
{
    int code = args->draw ? wvl_judge_draw_picture(args->draw, p)
                          : wvl_judge_read_files(args, args->inputs, args->input_count, p);
    return code ? code : wvl_judge_change_picture(args, p);
}

void wvl_judge_release_picture(wvl_judge_picture *p)
{
    for (uint32_t c = 0; c < p->count; c++) {
        free(p->planes[c].samples);
    }
    free(p->planes);
    memset(p, 0, sizeof *p);
}

/* ---- FFmpeg's pixel formats ------------------------------------------------------------------ */

typedef struct layout {
    unsigned count, bits, packed, log2_dx, log2_dy;
} layout;

static int parse_planar_yuv(const char *name, layout *l)
{
    unsigned j = 0, bits = 8;
    int used = 0;
    int alpha = !strncmp(name, "yuva", 4);
    if (sscanf(name, alpha ? "yuva4%2up%n" : "yuv4%2up%n", &j, &used) != 1 || !used) {
        return 0;
    }
    if (name[used] && sscanf(name + used, "%2ule", &bits) != 1) {
        return 0;
    }
    *l = (layout){alpha ? 4 : 3, bits, 0,
                  j == 44 || j == 40   ? 0
                  : j == 10 || j == 11 ? 2
                                       : 1,
                  j == 20 || j == 40 ? 1
                  : j == 10          ? 2
                                     : 0};
    return j == 44 || j == 40 || j == 22 || j == 20 || j == 11 || j == 10;
}

static int parse_layout(const char *name, layout *l)
{
    static const struct {
        const char *name;
        layout l;
    } packed[] = {{"gray", {1, 8, 1, 0, 0}},     {"pal8", {1, 8, 1, 0, 0}},      {"ya8", {2, 8, 1, 0, 0}},
                  {"ya16le", {2, 16, 1, 0, 0}},  {"rgb24", {3, 8, 1, 0, 0}},     {"rgba", {4, 8, 1, 0, 0}},
                  {"rgb48le", {3, 16, 1, 0, 0}}, {"rgba64le", {4, 16, 1, 0, 0}}, {"xyz12le", {3, 16, 1, 0, 0}}};
    unsigned bits;
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
        if (!strcmp(name, packed[i].name)) {
            *l = packed[i].l;
            return 1;
        }
    }
    if (sscanf(name, "gray%2ule", &bits) == 1) {
        *l = (layout){1, bits, 1, 0, 0};
        return 1;
    }
    return parse_planar_yuv(name, l);
}

static int fetch_sample(FILE *file, unsigned bytes, int32_t *value)
{
    int low = getc(file), high = bytes > 1 ? getc(file) : 0;
    *value = low | high << 8;
    return low != EOF && high != EOF;
}

static int fetch_samples(FILE *file, const layout *l, wvl_judge_picture *p)
{
    unsigned bytes = l->bits > 8 ? 2 : 1;
    size_t pixels = (size_t)p->planes[0].width * p->planes[0].height;
    for (size_t i = 0; l->packed && i < pixels * l->count; i++) {
        if (!fetch_sample(file, bytes, &p->planes[i % l->count].samples[i / l->count])) {
            return 0;
        }
    }
    for (uint32_t c = 0; !l->packed && c < p->count; c++) {
        for (size_t i = 0; i < (size_t)p->planes[c].width * p->planes[c].height; i++) {
            if (!fetch_sample(file, bytes, &p->planes[c].samples[i])) {
                return 0;
            }
        }
    }
    return 1;
}

int wvl_judge_read_raw(const char *path, const char *name, uint32_t width, uint32_t height, wvl_judge_picture *p)
{
    layout l;
    if (!parse_layout(name, &l)) {
        return wvl_judge_fail(WVL_JUDGE_USAGE, "pixel format \"%s\" is not known here", name);
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        return wvl_judge_fail(WVL_JUDGE_INPUT, "%s cannot be read", path);
    }
    *p = (wvl_judge_picture){0, 0, width, height, l.count, wvl_judge_need_memory(l.count, sizeof *p->planes)};
    for (uint32_t c = 0; c < l.count; c++) {
        unsigned chroma = c == 1 || c == 2, sx = chroma ? l.log2_dx : 0, sy = chroma ? l.log2_dy : 0;
        uint32_t w = (width + (1u << sx) - 1) >> sx, h = (height + (1u << sy) - 1) >> sy;
        p->planes[c] = (wvl_judge_plane){w, h, (uint8_t)l.bits, 0, (uint8_t)(1u << sx), (uint8_t)(1u << sy), NULL};
        p->planes[c].samples = wvl_judge_need_memory((size_t)w * h, sizeof(int32_t));
    }
    int done = fetch_samples(file, &l, p);
    (void)fclose(file);
    return done ? WVL_JUDGE_DONE
                : wvl_judge_fail(WVL_JUDGE_INPUT, "%s holds too few samples for %ux%u %s", path, width, height, name);
}
