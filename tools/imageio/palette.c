/* SPDX-License-Identifier: BSD-2-Clause */
#include "internal.h"

int wvl_io_make_palette(wvl_io_context *context, wvl_io_palette *palette, uint32_t entries, uint32_t columns,
                        unsigned depth)
{
    uint16_t *values = wvl_io_allocate(context, (uint64_t)entries * columns * sizeof *values, "palette");
    *palette = (wvl_io_palette){entries, columns, (uint8_t)depth, values};
    return values ? 0 : -1;
}

int wvl_io_describe_indexed(wvl_io_context *context, uint64_t width, uint64_t height, unsigned index_depth,
                            const wvl_io_palette *palette)
{
    wvl_io_picture *picture = context->picture;
    int alpha = palette->columns == 4 ? 3 : -1;

    if (context->options.keep_palette) {
        if (wvl_io_describe(context, width, height, 1, index_depth, 0) != 0) {
            return -1;
        }
        alpha = -1; /* it is a column of the palette */
    } else if (wvl_io_describe(context, width, height, palette->columns, palette->depth, 0) != 0) {
        return -1;
    }
    wvl_io_set_color(picture, palette->columns == 1 ? WVL_IO_GREY : WVL_IO_RGB, 0, alpha);
    wvl_io_lay_out(context, 1);
    return 0;
}

/* Right to left: pixel x is written at x * columns * sample bytes, never left of where index x lies. */
static void expand_row(uint8_t *row, uint32_t width, unsigned index_bytes, const wvl_io_palette *palette)
{
    uint32_t columns = palette->columns;

    for (uint32_t x = width; x-- > 0;) {
        size_t index = index_bytes == 1 ? row[x] : (size_t)wvl_io_load(row + 2 * (size_t)x, 2, 0);
        const uint16_t *entry = palette->values + index * columns;

        if (palette->depth <= 8) {
            for (uint32_t k = 0; k < columns; k++) {
                row[(size_t)x * columns + k] = (uint8_t)entry[k];
            }
        } else {
            memcpy(row + (size_t)x * columns * 2, entry, (size_t)columns * 2);
        }
    }
}

int wvl_io_finish_indexed_row(wvl_io_context *context, uint32_t row, unsigned index_bytes,
                              const wvl_io_palette *palette)
{
    const wvl_io_component *first = &context->picture->components[0];
    uint8_t *bytes = wvl_io_row(context, 0, row);
    uint32_t highest = wvl_io_highest(bytes, first->width, index_bytes);

    if (highest >= palette->entries) {
        return wvl_io_fail(context, "row %u: palette index %u, the palette has %u entries", row, highest,
                           palette->entries);
    }
    if (!context->options.keep_palette) {
        expand_row(bytes, first->width, index_bytes, palette);
    }
    return 0;
}

void wvl_io_settle_palette(wvl_io_context *context, wvl_io_palette *palette)
{
    wvl_io_picture *picture = context->picture;

    if (!context->options.keep_palette) {
        return;
    }
    picture->palette = palette->values;
    picture->palette_entries = palette->entries;
    picture->palette_columns = palette->columns;
    picture->palette_depth = palette->depth;
    palette->values = NULL;
}
