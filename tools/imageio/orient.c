/* SPDX-License-Identifier: BSD-2-Clause */
/* The eight orientations of TIFF tag 274 (TIFF 6.0, section 8). */
#include "internal.h"

#include <stdlib.h>

/* Row 0 of what is stored is the bottom, column 0 the right, or rows are columns. */
typedef struct turn {
    int flip_x, flip_y; /* of what is stored, before the exchange */
    int swap;
} turn;

static turn turn_of(uint8_t orientation)
{
    static const turn turns[9] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {0, 1, 1}, {1, 1, 1}, {1, 0, 1}};
    return turns[orientation <= 8 ? orientation : 0];
}

/* Samples of a subsampled component lie at the first of each group, so a mirror image needs whole groups. */
static int can_turn(wvl_io_context *context, const turn *t)
{
    const wvl_io_picture *p = context->picture;
    for (uint32_t i = 0; i < p->component_count; i++) {
        const wvl_io_component *c = &p->components[i];
        if ((t->flip_x && p->width % c->dx) || (t->flip_y && p->height % c->dy)) {
            return wvl_io_fail(context,
                               "orientation %u: component %u is subsampled by %u, %u, and the size %u x %u is no "
                               "multiple of that; use --orient keep",
                               p->orientation, i, c->dx, c->dy, p->width, p->height);
        }
    }
    return 0;
}

/* A square of the turned picture, small enough that the samples it reads and writes stay in cache. */
typedef struct square {
    uint32_t x, y, width, height;
} square;

#define SQUARE_SIDE 64u

/* bytes is a constant of each call, so that the copy is one move. */
static inline void turn_square(const wvl_io_component *from, const turn *t, wvl_io_component *to, square q,
                               size_t bytes)
{
    ptrdiff_t step_x = (ptrdiff_t)from->sample_stride_bytes, step_y = (ptrdiff_t)from->stride_bytes;
    const uint8_t *origin = from->data;
    origin += t->flip_x ? (ptrdiff_t)(from->width - 1) * step_x : 0;
    origin += t->flip_y ? (ptrdiff_t)(from->height - 1) * step_y : 0;
    step_x = t->flip_x ? -step_x : step_x;
    step_y = t->flip_y ? -step_y : step_y;
    ptrdiff_t across = t->swap ? step_y : step_x, down = t->swap ? step_x : step_y;
    for (uint32_t y = q.y; y < q.y + q.height; y++) {
        uint8_t *out = (uint8_t *)to->data + (size_t)y * to->stride_bytes + (size_t)q.x * bytes;
        const uint8_t *in = origin + (ptrdiff_t)y * down + (ptrdiff_t)q.x * across;
        for (uint32_t x = 0; x < q.width; x++, out += bytes) {
            memcpy(out, in + (ptrdiff_t)x * across, bytes);
        }
    }
}

static uint32_t side_from(uint32_t size, uint64_t at)
{
    return size - at < SQUARE_SIDE ? (uint32_t)(size - at) : SQUARE_SIDE;
}

/* A turned copy in memory of its own. */
static int turn_component(wvl_io_context *context, const wvl_io_component *from, const turn *t, wvl_io_component *to)
{
    *to = *from;
    to->width = t->swap ? from->height : from->width;
    to->height = t->swap ? from->width : from->height;
    to->dx = t->swap ? from->dy : from->dx;
    to->dy = t->swap ? from->dx : from->dy;
    to->sample_stride_bytes = from->sample_bytes;
    to->stride_bytes = (size_t)to->width * from->sample_bytes;
    to->owned = wvl_io_allocate(context, (uint64_t)to->stride_bytes * to->height, "turned samples");
    to->data = to->owned;
    if (!to->owned) {
        return -1;
    }
    for (uint64_t y = 0; y < to->height; y += SQUARE_SIDE) {
        for (uint64_t x = 0; x < to->width; x += SQUARE_SIDE) {
            square q = {(uint32_t)x, (uint32_t)y, side_from(to->width, x), side_from(to->height, y)};
            switch (from->sample_bytes) {
            case 1: turn_square(from, t, to, q, 1); break;
            case 2: turn_square(from, t, to, q, 2); break;
            default: turn_square(from, t, to, q, 4); break;
            }
        }
    }
    return 0;
}

static void free_samples(wvl_io_component *components, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(components[i].owned);
    }
    free(components);
}

static int turn_picture(wvl_io_context *context, const turn *t)
{
    wvl_io_picture *p = context->picture;
    wvl_io_component *turned = calloc(p->component_count, sizeof *turned);
    int result = turned ? can_turn(context, t)
                        : wvl_io_fail_memory(context, "components", (uint64_t)p->component_count * sizeof *turned);
    for (uint32_t i = 0; i < p->component_count && result == 0; i++) {
        result = turn_component(context, &p->components[i], t, &turned[i]);
    }
    if (result != 0) {
        if (turned) {
            free_samples(turned, p->component_count);
        }
        return -1;
    }
    free_samples(p->components, p->component_count);
    p->components = turned;
    if (t->swap) {
        uint32_t width = p->width;
        double x_per_metre = p->x_pixels_per_metre;
        p->width = p->height;
        p->height = width;
        p->x_pixels_per_metre = p->y_pixels_per_metre;
        p->y_pixels_per_metre = x_per_metre;
    }
    p->orientation = 1;
    return 0;
}

int wvl_io_orient_picture(wvl_io_picture *picture, char *error, size_t error_bytes)
{
    wvl_io_context context = {
        .name = "turning the picture", .picture = picture, .error = error, .error_bytes = error_bytes};
    turn t = turn_of(picture->orientation);
    return picture->orientation <= 1 ? WVL_IO_OK : wvl_io_result_of(&context, turn_picture(&context, &t));
}
