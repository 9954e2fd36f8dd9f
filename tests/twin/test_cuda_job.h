/* SPDX-License-Identifier: BSD-2-Clause */
/* A drawn picture in any container, its plan, and its coefficients from two backends: the apparatus of the device
 * suites. */
#pragma once

#include <inttypes.h>
#include <stdbool.h>

#include "backend/backend_cpu.h"
#include "base/alloc.h"
#include "cuda/host/backend_cuda.h"
#include "cuda/host/transform/launch.h"
#include "tests/support/containers.h"
#include "tests/support/planned.h"

#define COMPONENTS 4u
#define MACHINE 132u /* multiprocessors of an H200 */

static uint64_t seed_state = 1;
static wvl_pool *pool;

static uint64_t draw(void) { return test_draw(&seed_state); }
static uint32_t between(uint32_t low, uint32_t high) { return low + (uint32_t)(draw() % (high - low + 1)); }

typedef struct job {
    wvl_settings settings;
    double layer;
    wvl_component_format components[COMPONENTS];
    wvl_image_format format;
    wvl_plan *plan;
    wvl_tile_plan *tiles;
    uint8_t *memory[COMPONENTS];
    wvl_plane planes[COMPONENTS];
    wvl_image image;
    char name[160];
} job;

static void default_job(job *j)
{
    memset(j, 0, sizeof *j);
    test_default_settings(&j->settings);
    j->format.struct_size = sizeof j->format;
    j->format.component_count = 1;
    for (unsigned c = 0; c < COMPONENTS; c++) {
        j->components[c] = (wvl_component_format){8, 0, 1, 1};
    }
}

static inline void place_picture(job *j, uint32_t w, uint32_t h, uint32_t x0, uint32_t y0)
{
    j->format.x0 = x0;
    j->format.y0 = y0;
    j->format.x1 = x0 + w;
    j->format.y1 = y0 + h;
}

static inline void set_depths(job *j, uint32_t depth, uint32_t is_signed)
{
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        j->components[c] = (wvl_component_format){(uint8_t)depth, (uint8_t)is_signed, 1, 1};
    }
}

/* A depth and a sign for each component; those of a colour transform are alike. */
static inline void draw_depths(job *j, uint32_t low, uint32_t high)
{
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        j->components[c] = (wvl_component_format){(uint8_t)between(low, high), (uint8_t)(draw() % 4 == 0), 1, 1};
        if (c < 3 && j->settings.mct) {
            j->components[c] = j->components[0];
        }
    }
}

static inline void draw_blocks(job *j, uint32_t width, uint32_t doublings, uint32_t height,
                               uint32_t doublings_of_height)
{
    j->settings.block_width = (uint16_t)(width << between(0, doublings));
    j->settings.block_height = (uint16_t)(height << between(0, doublings_of_height));
}

/* Tiles from the corner of the picture on. */
static inline void set_tiles(job *j, uint32_t width, uint32_t height)
{
    j->settings.tile_width = width;
    j->settings.tile_height = height;
    j->settings.tile_x0 = j->format.x0;
    j->settings.tile_y0 = j->format.y0;
}

static void plan_job(job *j)
{
    static unsigned plans;
    j->format.components = j->components;
    j->settings.layer_values = &j->layer;
    j->plan = test_build_plan(&j->settings, &j->format);
    /* Every second time as with rdoq: a device then hands over coefficients, and codes no blocks. */
    j->plan->rate.rdoq = plans++ & 1;
    j->tiles = test_build_tiles(j->plan);
    snprintf(j->name, sizeof j->name, "%ux%u+%u+%u, %u components of %u bits, %u levels, %s, block %ux%u, tile %ux%u",
             j->format.x1 - j->format.x0, j->format.y1 - j->format.y0, j->format.x0, j->format.y0,
             j->format.component_count, j->components[0].depth, j->settings.levels,
             j->settings.reversible ? "5/3" : "9/7", j->settings.block_width, j->settings.block_height,
             j->settings.tile_width, j->settings.tile_height);
}

/* Subsampling, places, tiles and precincts by chance. */
static inline void draw_grid(job *j, uint32_t turn)
{
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        if (!j->settings.mct) {
            j->components[c].dx = (uint8_t)between(1, 4);
            j->components[c].dy = (uint8_t)between(1, 4);
        }
    }
    place_picture(j, between(4, 300), between(4, 300), between(0, 40), between(0, 40));
    j->settings.tile_x0 = between(0, j->format.x0);
    j->settings.tile_y0 = between(0, j->format.y0);
    j->settings.tile_width = between(40, 130);
    j->settings.tile_height = between(40, 130);
    j->settings.precinct_count = turn & 4 ? 1 : 0;
    j->settings.precinct_width[0] = 32u << between(0, 3);
    j->settings.precinct_height[0] = 32u << between(0, 3);
    j->settings.distortion_bits = (uint8_t)between(0, 8);
}

static uint32_t container_bits(unsigned container) { return test_container_bits(container); }

static void put_sample(uint8_t *row, uint64_t at, unsigned container, uint32_t v)
{
    uint32_t bits = container_bits(container);
    if (container <= WVL_SAMPLE_32) {
        memcpy(row + at * bits / 8, &v, bits / 8);
        return;
    }
    test_container_put(row, at, container, v);
}

/* Containers of a depth, whose first one is no word of DPX: that alone for suites of the inverse, which stores none. */
#ifdef WITHOUT_WORDS
#define DRAW_PACKED(count) 0u
#else
#define DRAW_PACKED(count) (draw() % (count))
#endif

/* Smallest container that holds the component, or a larger one. */
static unsigned draw_container(const wvl_component_format *f)
{
    static const uint8_t of10[6] = {WVL_SAMPLE_PACKED10,   WVL_SAMPLE_FILLED10_BE, WVL_SAMPLE_FILLED10_LE,
                                    WVL_SAMPLE_WORDS10_BE, WVL_SAMPLE_WORDS10_LE,  WVL_SAMPLE_16_BE},
                         of12[6] = {WVL_SAMPLE_PACKED12,   WVL_SAMPLE_FILLED12_BE, WVL_SAMPLE_FILLED12_LE,
                                    WVL_SAMPLE_WORDS12_BE, WVL_SAMPLE_WORDS12_LE,  WVL_SAMPLE_16_BE};
    unsigned k = (unsigned)(draw() % 5);
    if (k == 0 && f->depth > 12 && !f->is_signed) {
        return DRAW_PACKED(2) ? WVL_SAMPLE_16_BE : WVL_SAMPLE_16;
    }
    if (k == 0 && !f->is_signed) {
        return f->depth <= 10 ? of10[DRAW_PACKED(6)] : of12[DRAW_PACKED(6)];
    }
    return k == 1 ? WVL_SAMPLE_32 : f->depth <= 8 && k != 2 ? WVL_SAMPLE_8 : WVL_SAMPLE_16;
}

/* Noise over a gradient, full-range noise, or only the two extremes. */
static uint32_t draw_value(unsigned style, uint64_t i, uint32_t top)
{
    return style == 2 ? (draw() & 1 ? top : 0) : style == 1 ? (uint32_t)draw() & top : (uint32_t)(i + draw() % 5) & top;
}

/* A component at a place: its samples are drawn. */
static void fill_plane(job *j, uint32_t c, unsigned style)
{
    const wvl_plan_component *pc = &j->plan->syntax.components[c];
    const wvl_plane *p = &j->planes[c];
    uint32_t w = wvl_rect_width(pc->rect), h = wvl_rect_height(pc->rect),
             top = (1u << wvl_plan_input_depth(j->plan, c)) - 1, offset = pc->is_signed ? 1u << (pc->depth - 1) : 0;
    for (uint64_t i = 0; i < (uint64_t)w * h; i++) {
        uint8_t *row = (uint8_t *)(uintptr_t)p->data + (ptrdiff_t)(i / w) * p->pitch_bytes;
        put_sample(row, p->first_sample + i % w * p->sample_stride, p->container, draw_value(style, i, top) - offset);
    }
    j->image =
        (wvl_image){.struct_size = sizeof j->image, .planes = j->planes, .plane_count = j->format.component_count};
}

/* Planes of their own, with odd strides and pitches of both signs, or pixels of `count` places that share memory. */
static inline void draw_pixels(job *j, int interleaved)
{
    uint32_t count = j->format.component_count, style = (uint32_t)(draw() % 3);
    unsigned shared = draw_container(&j->components[0]);
    for (uint32_t c = 0; c < count; c++) {
        const wvl_plan_component *pc = &j->plan->syntax.components[c];
        uint32_t w = wvl_rect_width(pc->rect), h = wvl_rect_height(pc->rect), first = count - 1 - c, stride = count;
        unsigned container = interleaved ? shared : draw_container(&j->components[c]);
        if (!interleaved) {
            stride = draw() % 4 ? 1 : between(2, 3);
            first = (uint32_t)(draw() % 3);
        }
        ptrdiff_t pitch =
            (ptrdiff_t)(test_container_row_bytes((uint64_t)w * stride + 4, container) + (interleaved ? 0 : draw() % 9));
        uint8_t *base = interleaved && c ? j->memory[0] : malloc((size_t)pitch * (h + 1) + 16);
        j->memory[c] = interleaved && c ? NULL : base;
        int down = interleaved || draw() % 4;
        j->planes[c] = (wvl_plane){.data = down ? base : base + (ptrdiff_t)(h ? h - 1 : 0) * pitch,
                                   .pitch_bytes = down ? pitch : -pitch,
                                   .sample_stride = stride,
                                   .first_sample = first,
                                   .container = (uint8_t)container};
        fill_plane(j, c, style);
    }
}

/* The smallest whole-byte container, planes of their own without gaps, or pixels in the order of the components. */
static inline void draw_plain_pixels(job *j, int interleaved)
{
    uint32_t count = j->format.component_count, style = (uint32_t)(draw() % 3),
             bytes = j->components[0].depth > 8 ? 2 : 1, n = interleaved ? count : 1;
    for (uint32_t c = 0; c < count; c++) {
        const wvl_rect r = j->plan->syntax.components[c].rect;
        uint64_t pitch = (uint64_t)wvl_rect_width(r) * n * bytes;
        uint8_t *base = interleaved && c ? j->memory[0] : malloc((size_t)(pitch * wvl_rect_height(r)) + 1);
        j->memory[c] = interleaved && c ? NULL : base;
        j->planes[c] = (wvl_plane){.data = base,
                                   .pitch_bytes = (ptrdiff_t)pitch,
                                   .sample_stride = n,
                                   .first_sample = interleaved ? c : 0,
                                   .container = bytes == 1 ? WVL_SAMPLE_8 : WVL_SAMPLE_16};
        fill_plane(j, c, style);
    }
}

static void free_job(job *j)
{
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        free(j->memory[c]);
    }
    free(j->tiles);
    wvl_plan_destroy(NULL, j->plan);
}

/* Device code from a file: the portable code, assembled for this machine, takes the suite as well. Kept until the end.
 */
static inline const void *read_image(const char *path)
{
    static char image[16u << 20];
    FILE *file = path && !image[0] ? fopen(path, "rb") : NULL;
    if (file) {
        REQUIRE_THAT(fread(image, 1, sizeof image, file) > 0, "%s", path);
        fclose(file);
    }
    REQUIRE_THAT(!path || image[0], "%s: no such file", path);
    return path ? image : NULL;
}

/* Device code that a build carries (a fat binary; NULL: none), in any order: portable code for 7.5 and for 8.0, machine
 * code for 9.0, and nothing else.
 */
static inline void check_versions(const void *image)
{
    static const struct {
        uint16_t kind;
        uint32_t version;
    } wanted[] = {{1, 75}, {1, 80}, {2, 90}};
    enum { WANTED = sizeof wanted / sizeof *wanted };
    const uint8_t *at = image;
    bool found[WANTED] = {false};
    uint32_t magic;
    uint64_t left;
    if (!image) {
        return;
    }
    memcpy(&magic, at, sizeof magic);
    memcpy(&left, at + 8, sizeof left);
    REQUIRE_THAT(magic == 0xBA55ED50u, "no fat binary: %08x", magic);
    at += 16;
    for (unsigned part = 0; left; part++) {
        uint16_t kind;
        uint32_t head, version, i = 0;
        uint64_t bytes;
        REQUIRE_THAT(left >= 32, "part %u: %" PRIu64 " bytes left", part, left);
        memcpy(&kind, at, sizeof kind);
        memcpy(&head, at + 4, sizeof head);
        memcpy(&bytes, at + 8, sizeof bytes);
        memcpy(&version, at + 28, sizeof version);
        while (i < WANTED && (kind != wanted[i].kind || version != wanted[i].version)) {
            i++;
        }
        REQUIRE_THAT(i < WANTED && !found[i], "part %u: kind %u for %" PRIu32, part, kind, version);
        REQUIRE_THAT(bytes <= left && head <= left - bytes, "part %u: longer than the file", part);
        found[i] = true;
        at += head + bytes;
        left -= head + bytes;
    }
    for (unsigned i = 0; i < WANTED; i++) {
        REQUIRE_THAT(found[i], "kind %u for %" PRIu32 " is missing", wanted[i].kind, wanted[i].version);
    }
}

#define SKIPPED 77 /* what CTest takes for a suite that could not run */

/* A device does not survive a fork. has_device: set by the suite's first fixture; without a device a suite in which
 * nothing failed counts as skipped. */
static inline int test_on_device(const char *name, const int *has_device)
{
    int status = test_run_suite_as(name, CK_NOFORK);
    return status == EXIT_SUCCESS && !*has_device ? SKIPPED : status;
}

/* ---- Running and comparing ------------------------------------------------------------------- */

typedef struct run {
    const wvl_backend_vtable *table;
    wvl_backend *backend;
    wvl_backend_job *job;
    wvl_coefs *coefs;
    wvl_status status;
} run;

/* Queues all tiles of the job as one. */
static inline void start_run(run *r, const job *j)
{
    uint32_t count = j->plan->syntax.tile_count;
    r->coefs = calloc(count, sizeof *r->coefs);
    wvl_status prepared = wvl_backend_prepare_tiles(r->table, r->backend, pool, j->plan, j->tiles, count);
    REQUIRE_THAT(prepared == WVL_OK, "prepare: status %d: %s", prepared, j->name);
    REQUIRE_THAT(r->table->submit(r->backend, &j->image, j->tiles, count, &r->job) == WVL_OK, "submit: %s", j->name);
}

static inline void finish_run(run *r, const job *j)
{
    r->status = r->table->wait(r->job, WVL_EVENT_DONE, UINT32_MAX);
    REQUIRE_THAT(r->status == WVL_OK || r->status == WVL_ERROR_INPUT, "%s: status %d: %s", r->table->name, r->status,
                 j->name);
    REQUIRE_THAT(r->table->collect(r->job, r->coefs) == WVL_OK, "collect");
}

static inline void end_run(run *r)
{
    r->table->release(r->job);
    free(r->coefs);
}

static uint32_t coefficient(const uint8_t *at, unsigned bytes)
{
    uint32_t v = 0;
    memcpy(&v, at, bytes);
    return v;
}

static void compare_block(const wvl_coefs *a, const wvl_coefs *b, const wvl_tile_band *band, uint32_t col, uint32_t row,
                          const job *j)
{
    wvl_rect r = wvl_geom_block_rect(band, col, row);
    uint64_t index = band->first_block + (uint64_t)row * band->block_cols + col;
    if (!a->bounds[index] && !b->bounds[index]) {
        return; /* empty blocks do not travel */
    }
    REQUIRE_THAT(a->bounds[index] == b->bounds[index], "bound of block %u,%u orient %u level %u: %x, device %x: %s",
                 col, row, band->orient, band->level, a->bounds[index], b->bounds[index], j->name);
    for (uint32_t y = r.y0; y < r.y1; y++) {
        uint64_t at = wvl_coef_at(band, r.x0, y);
        if (memcmp(a->samples + at, b->samples + at, (size_t)(r.x1 - r.x0) * band->coef_bytes) == 0) {
            continue;
        }
        for (uint32_t x = r.x0; x < r.x1; x++, at += band->coef_bytes) {
            uint32_t va = coefficient(a->samples + at, band->coef_bytes),
                     vb = coefficient(b->samples + at, band->coef_bytes);
            REQUIRE_THAT(wvl_coef_agree(a->samples + at, b->samples + at, 1, band->coef_bytes),
                         "sample %u,%u of [%u,%u)x[%u,%u) orient %u level %u: %x, device %x: %s", x, y, band->rect.x0,
                         band->rect.x1, band->rect.y0, band->rect.y1, band->orient, band->level, va, vb, j->name);
        }
    }
}

static inline void compare_runs(const run *a, const run *b, const job *j)
{
    REQUIRE_THAT(a->status == b->status, "status %d, device %d: %s", a->status, b->status, j->name);
    for (uint32_t t = 0; t < j->plan->syntax.tile_count; t++) {
        const wvl_tile_plan *tile = &j->tiles[t];
        for (uint32_t i = 0; i < tile->band_count; i++) {
            const wvl_tile_band *band = &tile->bands[i];
            for (uint32_t k = 0; k < band->block_cols * band->block_rows; k++) {
                compare_block(&a->coefs[t], &b->coefs[t], band, k % band->block_cols, k / band->block_cols, j);
            }
        }
    }
}
