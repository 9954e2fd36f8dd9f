/* SPDX-License-Identifier: BSD-2-Clause */
/* What makes a plan, written down: options, format, boxes. */
#include <stdlib.h>
#include <string.h>

#include "encoders.h"

typedef struct key_writer {
    uint8_t *data;
    size_t bytes, room;
    int failed;
} key_writer;

static void put(key_writer *k, const void *data, size_t bytes)
{
    if (!k->failed && bytes > k->room - k->bytes) {
        size_t room = k->bytes + bytes > 2048 ? 2 * (k->bytes + bytes) : 4096;
        uint8_t *larger = realloc(k->data, room);
        k->failed = !larger;
        k->data = larger ? larger : k->data;
        k->room = larger ? room : k->room;
    }
    if (!k->failed && bytes) {
        memcpy(k->data + k->bytes, data, bytes);
        k->bytes += bytes;
    }
}

static void put_number(key_writer *k, uint64_t value) { put(k, &value, sizeof value); }

/* With its length: what follows cannot be taken for a part of it. */
static void put_block(key_writer *k, const void *data, size_t bytes)
{
    put_number(k, data ? bytes : UINT64_MAX);
    put(k, data, data ? bytes : 0);
}

static void put_options(key_writer *k, const wvl_params *params, int has_own_limit)
{
    size_t count;
    const wvl_option *options = wvl_options(&count);
    for (size_t i = 0; i < count; i++) {
        int is_own = has_own_limit && !strcmp(options[i].key, "max-bytes");
        const char *value = is_own ? "own" : wvl_params_get(params, options[i].key);
        k->failed |= !value;
        put_block(k, value, value ? strlen(value) : 0);
    }
}

static void put_format(key_writer *k, const wvl_image_format *f)
{
    put_number(k, (uint64_t)f->x0 << 32 | f->y0);
    put_number(k, (uint64_t)f->x1 << 32 | f->y1);
    put_number(k, f->component_count);
    for (uint32_t i = 0; i < f->component_count; i++) {
        const wvl_component_format *c = &f->components[i];
        const uint8_t bytes[4] = {c->depth, c->is_signed, c->dx, c->dy};
        put(k, bytes, sizeof bytes);
    }
}

static void put_boxes(key_writer *k, const wvl_jp2_info *jp2)
{
    put_number(k, jp2->box_count);
    for (uint32_t i = 0; i < jp2->box_count; i++) {
        put_number(k, jp2->boxes[i].type);
        put(k, jp2->boxes[i].uuid, sizeof jp2->boxes[i].uuid);
        put_block(k, jp2->boxes[i].data, jp2->boxes[i].bytes);
    }
}

static void put_jp2(key_writer *k, const wvl_jp2_info *jp2)
{
    const double dots[4] = {jp2->capture_x_per_metre, jp2->capture_y_per_metre, jp2->display_x_per_metre,
                            jp2->display_y_per_metre};
    put_number(k, (uint64_t)jp2->color << 8 | jp2->color_unknown);
    put_block(k, jp2->icc, jp2->icc_bytes);
    put_block(k, jp2->cicp, 4);
    put_number(k, (uint64_t)jp2->palette_entries << 32 | jp2->palette_columns << 8 | jp2->palette_depth);
    put_block(k, jp2->palette, (size_t)jp2->palette_entries * jp2->palette_columns * sizeof *jp2->palette);
    put_block(k, jp2->channel_types, jp2->channel_count * sizeof *jp2->channel_types);
    put(k, dots, sizeof dots);
    put_boxes(k, jp2);
}

uint8_t *wvl_cli_build_key(const wvl_cli_plan_input *p, size_t *bytes)
{
    key_writer k = {NULL, 0, 0, 0};
    const wvl_io_picture *io = &p->picture->io;
    put_options(&k, p->params, p->has_own_limit);
    put_block(&k, io->icc, io->icc_bytes); /* the tables of "input-color" custom come from it */
    put_format(&k, &p->picture->format);
    put_number(&k, p->jp2 != NULL);
    if (p->jp2) {
        put_jp2(&k, p->jp2);
    }
    if (k.failed) {
        free(k.data);
        return NULL;
    }
    *bytes = k.bytes;
    return k.data;
}
