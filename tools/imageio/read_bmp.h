/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_TOOLS_IMAGEIO_READ_BMP_H
#define WVL_TOOLS_IMAGEIO_READ_BMP_H

#include "internal.h"

typedef struct bmp_header {
    uint32_t header_bytes, width, height, planes, bits, compression, colors;
    uint32_t x_per_metre, y_per_metre;
    uint32_t palette_entry_bytes;
    uint32_t masks[4];
    int top_down, is_srgb;
    uint64_t data_offset, profile_offset;
    uint32_t profile_bytes;
} bmp_header;

/* Decodes RLE4 or RLE8 data from the present position into one byte an index; row 0 of indices is the top. */
int wvl_io_decode_bmp_runs(wvl_io_context *context, const bmp_header *header, uint8_t *indices, size_t stride_bytes);

#endif
