/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to this room: reads and changes a TIFF stream in memory that wvl_io_is_exif_sound has passed. */
#ifndef WVL_TOOLS_METADATA_STREAM_H
#define WVL_TOOLS_METADATA_STREAM_H

#include <stddef.h>
#include <stdint.h>

typedef struct wvl_tiff_stream {
    uint8_t *bytes;
    size_t byte_count;
    int big_endian;
} wvl_tiff_stream;

wvl_tiff_stream wvl_tiff_stream_of(uint8_t *bytes, size_t byte_count);
uint32_t wvl_tiff_first_directory(const wvl_tiff_stream *s);
/* Where the entry of the tag begins in the directory at `directory`; 0: there is none. */
size_t wvl_tiff_find_entry(const wvl_tiff_stream *s, uint32_t directory, unsigned tag);
/* Number `index` of the values of an entry of BYTE, SHORT, LONG or DOUBLE: 1, or 0 when there is none. */
int wvl_tiff_read_value(const wvl_tiff_stream *s, size_t entry, uint32_t index, double *value);
/* Where the values of an entry begin, and how many bytes they have. */
size_t wvl_tiff_find_values(const wvl_tiff_stream *s, size_t entry, size_t *byte_count);
/* The only value of an entry of SHORT or LONG becomes `value`. */
void wvl_tiff_set_value(wvl_tiff_stream *s, size_t entry, uint16_t value);

#endif
