/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "internal.h"
#include "tools/openjpeg/guarded.h"

#define WVL_IO_JP2_CHANNELS 256u /* most that cmap and cdef may name */

/* The contents of the boxes of a JP2 or JPH file (ISO/IEC 15444-1 Annex I). Pointers lie in the file's bytes. */
typedef struct wvl_io_jp2 {
    wvl_io_context *context;
    const uint8_t *codestream;
    uint64_t codestream_bytes;
    uint64_t sample_count;                         /* of all components, by SIZ */
    const uint8_t *palette, *mapping, *definition; /* contents of pclr, cmap, cdef; NULL: none */
    uint64_t palette_bytes, mapping_bytes, definition_bytes;
    wvl_io_color color;
    int has_color;
} wvl_io_jp2;

#define WVL_IO_JP2_TYPE(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

typedef struct wvl_io_jp2_box {
    uint32_t type;
    const uint8_t *content;
    uint64_t byte_count;
} wvl_io_jp2_box;

/* Finds the codestream, and takes colour, resolution and metadata. 0, or -1 with the reason. */
int wvl_io_jp2_read_boxes(wvl_io_jp2 *j, const uint8_t *bytes, uint64_t byte_count);
/* Finds the codestream alone, in a file or in bytes that are one. The same. */
int wvl_io_jp2_find_codestream(wvl_io_jp2 *j, const uint8_t *bytes, uint64_t byte_count);
/* read_jp2.c: whether SIZ claims what the bytes can hold; sets sample_count. The same. */
int wvl_io_jp2_check(wvl_io_jp2 *j);
/* Behind the check. Release the picture after 0. */
int wvl_io_jp2_decode(wvl_io_jp2 *j, wvl_opj_picture *decoded);
/* jp2_channels.c: applies pclr, cmap and cdef to the decoded components. The same. */
int wvl_io_jp2_map_channels(wvl_io_jp2 *j);
