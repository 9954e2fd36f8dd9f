/* SPDX-License-Identifier: BSD-2-Clause */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(char *error, size_t error_bytes, const char *reason, uint32_t number, uint32_t count)
{
    snprintf(error, error_bytes, reason, number, count);
    return WVL_IO_ERROR_INPUT;
}

/* Components of one block have one owner. When it goes, one of the block that stays takes the block over. */
static void pass_on(wvl_io_component *list, uint32_t count, const wvl_io_component *gone)
{
    const uintptr_t block = (uintptr_t)gone->owned, end = block + gone->stride_bytes * (uintptr_t)gone->height;
    for (uint32_t i = 0; gone->owned && i < count; i++) {
        uintptr_t place = (uintptr_t)list[i].data;
        if (!list[i].owned && place >= block && place < end) {
            list[i].owned = gone->owned;
            return;
        }
    }
    free(gone->owned);
}

static uint32_t colors_of(wvl_io_color color)
{
    switch (color) {
    case WVL_IO_GREY: return 1;
    case WVL_IO_RGB:
    case WVL_IO_YCC: return 3;
    case WVL_IO_CMYK: return 4;
    case WVL_IO_UNKNOWN: break;
    }
    return 0;
}

static int has_colors_first(const wvl_io_picture *picture, const uint32_t *channels, uint32_t count)
{
    uint32_t colors = colors_of(picture->color);
    if (!colors || count < colors) {
        return 0;
    }
    for (uint32_t i = 0; i < colors; i++) {
        if (channels[i] >= colors) {
            return 0;
        }
    }
    return 1;
}

static void judge_color(wvl_io_picture *picture, const uint32_t *channels, uint32_t count)
{
    int alpha = -1;
    for (uint32_t i = 0; i < count; i++) {
        alpha = (int)channels[i] == picture->alpha_component ? (int)i : alpha;
    }
    if (!has_colors_first(picture, channels, count)) {
        picture->color = count == 1 ? WVL_IO_GREY : WVL_IO_UNKNOWN;
        free(picture->icc);
        picture->icc = NULL;
        picture->icc_bytes = 0;
        picture->space = picture->transfer = NULL;
        picture->space_rules = 0;
        picture->color_declared = 0;
        alpha = count == 1 ? -1 : alpha;
    }
    picture->alpha_component = alpha;
}

/* A picture of components that all have the same steps is one without steps. */
static void undo_steps(wvl_io_picture *picture)
{
    wvl_io_component *list = picture->components;
    for (uint32_t i = 1; i < picture->component_count; i++) {
        if (list[i].dx != list[0].dx || list[i].dy != list[0].dy) {
            return;
        }
    }
    picture->width = list[0].width;
    picture->height = list[0].height;
    for (uint32_t i = 0; i < picture->component_count; i++) {
        list[i].dx = list[i].dy = 1;
    }
}

static int check_channels(const wvl_io_picture *picture, const uint32_t *channels, uint32_t count, char *error,
                          size_t error_bytes)
{
    uint8_t seen[WVL_IO_MAX_COMPONENTS / 8] = {0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = channels[i];
        if (c >= picture->component_count) {
            return fail(error, error_bytes, "channel %u does not exist; the picture has channels 0 to %u", c,
                        picture->component_count - 1);
        }
        if (seen[c / 8] >> c % 8 & 1) {
            return fail(error, error_bytes, "channel %u stands twice among %u; give each channel once", c, count);
        }
        seen[c / 8] = (uint8_t)(seen[c / 8] | 1u << c % 8);
    }
    return WVL_IO_OK;
}

int wvl_io_select_channels(wvl_io_picture *picture, const uint32_t *channels, uint32_t count, char *error,
                           size_t error_bytes)
{
    int result = check_channels(picture, channels, count, error, error_bytes);
    wvl_io_component *kept = result ? NULL : calloc(count, sizeof *kept);
    if (picture->palette) {
        result = fail(error, error_bytes, "channels of palette indices cannot be chosen; use --palette expand", 0, 0);
    }
    if (!kept || result) {
        free(kept);
        return result ? result : WVL_IO_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = picture->components[channels[i]];
        picture->components[channels[i]].owned = NULL;
    }
    for (uint32_t c = 0; c < picture->component_count; c++) {
        pass_on(kept, count, &picture->components[c]);
    }
    judge_color(picture, channels, count);
    free(picture->components);
    picture->components = kept;
    picture->component_count = count;
    undo_steps(picture);
    return WVL_IO_OK;
}

int wvl_io_drop_alpha(wvl_io_picture *picture, char *error, size_t error_bytes)
{
    uint32_t count = 0;
    if (picture->palette && picture->palette_columns == 4) {
        for (uint32_t i = 0; i < picture->palette_entries; i++) {
            memmove(picture->palette + (size_t)i * 3, picture->palette + (size_t)i * 4, 3 * sizeof *picture->palette);
        }
        picture->palette_columns = 3;
        return WVL_IO_OK;
    }
    if (picture->palette || picture->alpha_component < 0 || picture->component_count < 2) {
        return WVL_IO_OK;
    }
    uint32_t *channels = calloc(picture->component_count, sizeof *channels);
    if (!channels) {
        return WVL_IO_ERROR_MEMORY;
    }
    for (uint32_t c = 0; c < picture->component_count; c++) {
        if ((int)c != picture->alpha_component) {
            channels[count++] = c;
        }
    }
    int keeps_color = picture->color == WVL_IO_UNKNOWN || has_colors_first(picture, channels, count);
    int result = keeps_color ? wvl_io_select_channels(picture, channels, count, error, error_bytes)
                             : fail(error, error_bytes, "alpha stands before the colours; use --channels", 0, 0);
    free(channels);
    return result;
}
