/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures by rows, for pictures larger than the memory. Samples, refusals and notes are those of
 * wvl_io_read_picture().
 *
 * A reader holds a few rows: of a file in TIFF strips or tiles one row of TIFF strips or tiles, and never the picture.
 */
#pragma once

#include "imageio.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wvl_io_rows wvl_io_rows;

/* The place of rows: row i at data + i * pitch_bytes. data is aligned to 4 bytes, and pitch_bytes is a multiple of 4.
 */
typedef struct wvl_io_row_buffer {
    void *data;
    size_t pitch_bytes; /* at least wvl_io_rows_bytes() */
} wvl_io_row_buffer;

/*
 * Opens a picture and reads what describes it. path and options: as for wvl_io_read_picture(), with two differences.
 * Without max_samples and max_input_bytes there are no such limits, since the reader does not hold what they limit.
 * The strings in options are kept by the caller until wvl_io_rows_close().
 * Returns WVL_IO_OK and *rows, which the caller closes; or a negative value, the reason in error, and *rows is NULL.
 */
int wvl_io_rows_open(const char *path, const wvl_io_options *options, wvl_io_rows **rows, char *error,
                     size_t error_bytes);
/* The same from memory, which stays with the caller until wvl_io_rows_close(). */
int wvl_io_rows_open_memory(const void *bytes, size_t byte_count, const char *name, const wvl_io_options *options,
                            wvl_io_rows **rows, char *error, size_t error_bytes);
void wvl_io_rows_close(wvl_io_rows *rows);

/* Why the picture cannot be read row by row; NULL: it can. wvl_io_rows_take_picture() then reads it as a whole. */
const char *wvl_io_rows_obstacle(const wvl_io_rows *rows);

/*
 * The description of the whole picture; data and owned of the components are NULL. It is valid until the reader is
 * closed, and complete, but for a PNG from a pipe: metadata behind its pixels comes with the last row. Where there is
 * an obstacle, component_count may be 0, and then nothing is described.
 */
const wvl_io_picture *wvl_io_rows_picture(const wvl_io_rows *rows);

/*
 * The same for the caller, who releases it: metadata, profile and palette move there, and wvl_io_rows_picture() lacks
 * them from then on. Returns WVL_IO_OK or WVL_IO_ERROR_MEMORY.
 */
int wvl_io_rows_take_description(wvl_io_rows *rows, wvl_io_picture *out);

/* 1, all components interleaved in one buffer; or one buffer for each component. */
uint32_t wvl_io_rows_buffer_count(const wvl_io_rows *rows);
/* Bytes of one row in buffer `buffer`. */
size_t wvl_io_rows_bytes(const wvl_io_rows *rows, uint32_t buffer);
/* Rows of `component` in the first `row` rows of the picture: ceil(row / dy). */
static inline uint32_t wvl_io_rows_of_component(const wvl_io_component *component, uint32_t row)
{
    return (uint32_t)(((uint64_t)row + component->dy - 1) / component->dy);
}
/* Offset of the first sample of a component in a row of its buffer, in bytes. */
size_t wvl_io_rows_offset(const wvl_io_rows *rows, uint32_t component);
/* The reader holds about this many bytes beside the buffers of the caller, without metadata and the lists of TIFF
 * strips or tiles; 128 KiB more are fixed. */
uint64_t wvl_io_rows_memory(const wvl_io_rows *rows);

/*
 * Reads the next `count` rows of the picture, at most those that are left. buffers[0 .. buffer count - 1] have room for
 * the rows of their components: those from wvl_io_rows_of_component(next row) to that of the row behind the last one.
 * With the last row, the file is checked as wvl_io_read_picture() checks it: a second picture is refused.
 * Returns WVL_IO_OK; or a negative value and the reason, and then rows come again only after wvl_io_rows_restart().
 */
int wvl_io_rows_read(wvl_io_rows *rows, uint32_t count, const wvl_io_row_buffer *buffers, char *error,
                     size_t error_bytes);
/* The next row that wvl_io_rows_read() reads; the height of the picture behind the last one. */
uint32_t wvl_io_rows_next(const wvl_io_rows *rows);

/* 1: rows can be read again from the first one. It is 1 for regular files and memory, 0 for pipes and devices. */
int wvl_io_rows_can_restart(const wvl_io_rows *rows);
/* 1: the name can be opened again and gives the same bytes; 0 for a pipe, also where it was read into memory.
 */
int wvl_io_rows_can_reopen(const wvl_io_rows *rows);
/* Goes back to row 0. Refused where rows cannot be read again, and where the file has changed its shape. */
int wvl_io_rows_restart(wvl_io_rows *rows, char *error, size_t error_bytes);

/* Reads the whole picture, before any row was read; works with an obstacle too. Results: wvl_io_read_picture(). */
int wvl_io_rows_take_picture(wvl_io_rows *rows, wvl_io_picture *out, char *error, size_t error_bytes);

#ifdef __cplusplus
}
#endif
