/* SPDX-License-Identifier: BSD-2-Clause */
/* From components to channels: palette (I.5.3.4), component mapping (I.5.3.5), channel definitions (I.5.3.6). */
#include "read_jp2.h"

#include <stdlib.h>

typedef struct palette {
    uint32_t entries, columns;
    uint8_t depth[255];
    uint8_t is_signed[255];
    const uint8_t *values;
    size_t entry_bytes, column_at[255];
} palette;

/* ---- Palette --------------------------------------------------------------------------------- */

static uint32_t entry_value(const palette *p, uint32_t entry, uint32_t column)
{
    const uint8_t *at = p->values + entry * p->entry_bytes + p->column_at[column];
    uint32_t value = (uint32_t)wvl_io_number(at, 1, (p->depth[column] + 7u) / 8);
    uint32_t mask = p->depth[column] < 32 ? (UINT32_C(1) << p->depth[column]) - 1 : UINT32_MAX;
    uint32_t sign = p->is_signed[column] ? UINT32_C(1) << (p->depth[column] - 1) : 0;
    return ((value & mask) ^ sign) - sign;
}

/* Indices stay where one component is mapped to columns 0, 1, 2 (and 3) of one depth. */
static int can_keep(const wvl_io_jp2 *j, const palette *p, uint32_t channels)
{
    if (!j->context->options.keep_palette || j->context->picture->component_count != 1 || channels != p->columns ||
        (channels != 3 && channels != 4) || p->depth[0] > 16 || j->context->picture->components[0].is_signed) {
        return 0;
    }
    for (uint32_t c = 0; c < channels; c++) {
        const uint8_t *m = j->mapping + (size_t)4 * c;
        if (wvl_io_be16(m) != 0 || m[2] != 1 || m[3] != c || p->depth[c] != p->depth[0] || p->is_signed[c]) {
            return 0;
        }
    }
    return 1;
}

static int check_indices(wvl_io_jp2 *j, uint32_t component, uint32_t entries)
{
    const wvl_io_component *k = &j->context->picture->components[component];
    for (uint32_t y = 0; y < k->height; y++) {
        for (uint32_t x = 0; x < k->width; x++) {
            int64_t index = wvl_io_sample(k, x, y);
            if (index < 0 || index >= entries) {
                return wvl_io_fail(j->context, "column %u, row %u: index %lld of a palette of %u entries", x, y,
                                   (long long)index, entries);
            }
        }
    }
    return 0;
}

static int keep_indices(wvl_io_jp2 *j, const palette *p)
{
    wvl_io_picture *picture = j->context->picture;
    if (check_indices(j, 0, p->entries) != 0) {
        return -1;
    }
    picture->palette =
        wvl_io_allocate(j->context, (uint64_t)p->entries * p->columns * sizeof *picture->palette, "pclr");
    if (!picture->palette) {
        return -1;
    }
    for (uint32_t i = 0; i < p->entries * p->columns; i++) {
        picture->palette[i] = (uint16_t)entry_value(p, i / p->columns, i % p->columns);
    }
    picture->palette_entries = p->entries;
    picture->palette_columns = p->columns;
    picture->palette_depth = p->depth[0];
    return 0;
}

/* ---- Component mapping ----------------------------------------------------------------------- */

/* column NULL: the component itself. */
static int map_channel(wvl_io_jp2 *j, const wvl_io_component *from, const palette *p, const uint8_t *column,
                       wvl_io_component *to)
{
    *to = *from;
    to->depth = column ? p->depth[*column] : from->depth;
    to->is_signed = column ? p->is_signed[*column] : from->is_signed;
    to->sample_bytes = wvl_io_container_bytes(to->depth);
    to->sample_stride_bytes = to->sample_bytes;
    to->stride_bytes = (size_t)to->width * to->sample_bytes;
    to->owned = wvl_io_allocate(j->context, (uint64_t)to->stride_bytes * to->height, "samples");
    to->data = to->owned;
    if (!to->owned) {
        return -1;
    }
    for (uint32_t y = 0; y < to->height; y++) {
        uint8_t *at = (uint8_t *)to->data + (size_t)y * to->stride_bytes;
        for (uint32_t x = 0; x < to->width; x++, at += to->sample_bytes) {
            uint32_t v = (uint32_t)wvl_io_sample(from, x, y);
            wvl_io_store(at, to->sample_bytes, column ? entry_value(p, v, *column) : v);
        }
    }
    return 0;
}

static int check_mapping(wvl_io_jp2 *j, const palette *p, uint32_t channels)
{
    const wvl_io_picture *picture = j->context->picture;
    uint64_t samples = 0;
    for (uint32_t i = 0; i < channels; i++) {
        const uint8_t *m = j->mapping + (size_t)4 * i;
        uint32_t component = wvl_io_be16(m);
        if (component >= picture->component_count || m[2] > 1 || (m[2] == 1 && m[3] >= p->columns)) {
            return wvl_io_fail(j->context, "cmap box: channel %u: component %u, type %u, column %u does not exist", i,
                               component, m[2], m[3]);
        }
        samples += (uint64_t)picture->components[component].width * picture->components[component].height;
        if (samples > j->context->max_samples) {
            return wvl_io_fail(j->context, "cmap box: more than the limit of %llu samples (--max-pixels)",
                               (unsigned long long)j->context->max_samples);
        }
        if (m[2] == 1 && check_indices(j, component, p->entries) != 0) {
            return -1;
        }
    }
    return 0;
}

static int expand(wvl_io_jp2 *j, const palette *p, uint32_t channels)
{
    wvl_io_picture *picture = j->context->picture;
    wvl_io_component *list = check_mapping(j, p, channels) == 0 ? calloc(channels, sizeof *list) : NULL;
    int result = list ? 0 : -1;
    for (uint32_t i = 0; result == 0 && i < channels; i++) {
        const uint8_t *m = j->mapping + (size_t)4 * i;
        result = map_channel(j, &picture->components[wvl_io_be16(m)], p, m[2] ? &m[3] : NULL, &list[i]);
    }
    for (uint32_t i = 0; list && i < (result == 0 ? picture->component_count : channels); i++) {
        free(result == 0 ? picture->components[i].owned : list[i].owned);
    }
    if (result != 0) {
        free(list);
        return -1;
    }
    free(picture->components);
    picture->components = list;
    picture->component_count = channels;
    return 0;
}

static int apply_palette(wvl_io_jp2 *j)
{
    palette p = {0};
    uint64_t channels = j->mapping_bytes / 4;
    if (!j->palette) {
        return 0;
    }
    if (!j->mapping || !channels || channels > WVL_IO_JP2_CHANNELS) {
        return wvl_io_fail(j->context, "cmap box: missing, or not of 1 to %u channels; a palette needs it",
                           WVL_IO_JP2_CHANNELS);
    }
    const uint8_t *b = j->palette;
    if (j->palette_bytes < 3) {
        return wvl_io_fail(j->context, "pclr box: too short");
    }
    p.entries = wvl_io_be16(b);
    p.columns = b[2];
    if (!p.entries || p.entries > 1024 || !p.columns || j->palette_bytes < 3 + (uint64_t)p.columns) {
        return wvl_io_fail(j->context, "pclr box: %u entries of %u columns: must be 1 to 1024, and 1 to 255", p.entries,
                           p.columns);
    }
    for (uint32_t c = 0; c < p.columns; c++) {
        p.depth[c] = (uint8_t)((b[3 + c] & 127u) + 1);
        p.is_signed[c] = b[3 + c] >> 7;
        p.column_at[c] = p.entry_bytes;
        p.entry_bytes += (p.depth[c] + 7u) / 8;
        if (p.depth[c] > 32) {
            return wvl_io_fail(j->context, "pclr box: column %u has %u bits: at most 32 are read", c, p.depth[c]);
        }
    }
    p.values = b + 3 + p.columns;
    if (j->palette_bytes - 3 - p.columns < (uint64_t)p.entries * p.entry_bytes) {
        return wvl_io_fail(j->context, "pclr box: too short for %u entries of %llu bytes", p.entries,
                           (unsigned long long)p.entry_bytes);
    }
    return can_keep(j, &p, (uint32_t)channels) ? keep_indices(j, &p) : expand(j, &p, (uint32_t)channels);
}

/* ---- Channel definitions --------------------------------------------------------------------- */

/* order[i]: the component that becomes the i-th: colours by their number, then the others. alpha: its number in the
   order, or -1. */
static int order_channels(wvl_io_jp2 *j, uint32_t count, uint32_t *order, int *alpha, int *is_premultiplied)
{
    const uint8_t *d = j->definition;
    uint32_t entries = j->definition_bytes >= 2 ? wvl_io_be16(d) : 0, placed = 0;
    uint8_t taken[WVL_IO_JP2_CHANNELS] = {0};
    int alpha_channel = -1;
    if (j->definition_bytes < 2 + 6 * (uint64_t)entries) {
        return wvl_io_fail(j->context, "cdef box: too short for %u entries", entries);
    }
    for (uint32_t color = 1; color <= count; color++) {
        for (uint32_t i = 0; i < entries; i++) {
            const uint8_t *e = d + 2 + (size_t)6 * i;
            uint32_t channel = wvl_io_be16(e);
            if (wvl_io_be16(e + 2) == 0 && wvl_io_be16(e + 4) == color && channel < count && !taken[channel]) {
                taken[channel] = 1;
                order[placed++] = channel;
            }
        }
    }
    for (uint32_t i = 0; i < entries; i++) {
        const uint8_t *e = d + 2 + (size_t)6 * i;
        uint32_t type = wvl_io_be16(e + 2);
        if ((type == 1 || type == 2) && wvl_io_be16(e + 4) == 0 && alpha_channel < 0 && wvl_io_be16(e) < count) {
            alpha_channel = (int)wvl_io_be16(e);
            *is_premultiplied = type == 2;
        }
    }
    for (uint32_t c = 0; c < count; c++) {
        if (!taken[c]) {
            order[placed++] = c;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        *alpha = (int)order[i] == alpha_channel ? (int)i : *alpha;
    }
    return 0;
}

static void permute(wvl_io_picture *picture, const uint32_t *order)
{
    wvl_io_component old[WVL_IO_JP2_CHANNELS];
    memcpy(old, picture->components, picture->component_count * sizeof *old);
    for (uint32_t i = 0; i < picture->component_count; i++) {
        picture->components[i] = old[order[i]];
    }
}

int wvl_io_jp2_map_channels(wvl_io_jp2 *j)
{
    wvl_io_picture *picture = j->context->picture;
    uint32_t order[WVL_IO_JP2_CHANNELS];
    int alpha = -1, is_premultiplied = 0;
    if (apply_palette(j) != 0) {
        return -1;
    }
    if (j->definition && !picture->palette && picture->component_count <= WVL_IO_JP2_CHANNELS) {
        if (order_channels(j, picture->component_count, order, &alpha, &is_premultiplied) != 0) {
            return -1;
        }
        permute(picture, order);
    }
    picture->alpha_component = alpha;
    picture->alpha_premultiplied = is_premultiplied;
    return 0;
}
