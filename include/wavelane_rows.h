/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes pictures that come row by row, also pictures larger than the memory. The caller writes a row source. The
 * library asks it for rows, from the top to the bottom, and holds few of them at a time. All that wavelane.h says about
 * ownership, threads, errors, structures and the same bytes holds here too: the output is that of wvl_encode().
 *
 *   static wvl_status read_rows(void *user, const wvl_row_buffer *buffers, uint32_t count, char *error, size_t bytes)
 *   {
 *       for (uint32_t i = 0; i < buffers[0].row_count; i++)
 *           if (!fread((char *)buffers[0].data + i * buffers[0].pitch_bytes, buffers[0].row_bytes, 1, user))
 *               return WVL_ERROR_INPUT;
 *       return WVL_OK;
 *   }
 *   wvl_row_component rgb[3] = {{.container = WVL_SAMPLE_8, .first_sample = 0, .sample_stride = 3}, ...};
 *   wvl_row_source source = {.struct_size = sizeof source, .components = rgb, .component_count = 3,
 *                            .read = read_rows, .user = file};
 *   wvl_encode_rows(plan, &source, NULL, &sink, NULL, &result, error, sizeof error);
 */
#ifndef WAVELANE_ROWS_H
#define WAVELANE_ROWS_H

#include "wavelane.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Row sources ----------------------------------------------------------------------------- */

/* Where the samples of a component lie. Sample i of a row is container number first_sample + i * sample_stride of a row
 * of the buffer. Components that share a buffer are interleaved; they have the same vertical subsampling. */
typedef struct wvl_row_component {
    uint32_t buffer;        /* 0 or more; the numbers have no gaps */
    uint32_t sample_stride; /* containers; 0 means 1 */
    uint32_t first_sample;  /* containers */
    uint8_t container;      /* wvl_container_type, the same for all components of a buffer */
} wvl_row_component;

/* The rows that the library asks for. Row j of them begins at data + j * pitch_bytes. */
typedef struct wvl_row_buffer {
    void *data;         /* memory of the library, aligned to 64 bytes, or to the pitch if that is less; valid during
                           the call */
    size_t pitch_bytes; /* row_bytes, or more */
    size_t row_bytes;   /* bytes from the first container of a row to the last one that a component has */
    uint32_t first_row; /* counted from the top of the components in this buffer, from 0 */
    uint32_t row_count; /* may be 0 */
} wvl_row_buffer;

typedef struct wvl_row_source {
    size_t struct_size;
    const wvl_row_component *components; /* one per component of the plan's format; read during the call only */
    uint32_t component_count;
    /* Fills all rows of buffers[buffer_count], and returns WVL_OK. Rows come in order: in each buffer, first_row
     * follows the last row of the call before. An error ends the encode with that status: WVL_ERROR_INPUT if rows
     * cannot be read, WVL_CANCELLED to stop; other positive values count as WVL_ERROR_INPUT. error: gets the reason,
     * terminated; "" before the call. The thread that encodes calls these functions, one at a time. */
    wvl_status (*read)(void *user, const wvl_row_buffer *buffers, uint32_t buffer_count, char *error,
                       size_t error_bytes);
    /* Goes back to row 0: the library then reads all rows again. Some settings may need that (wvl_rows_measure()).
     * NULL: rows can be read only once. If they may be needed again, the library keeps them in memory or in the file
     * of wvl_rows_options. */
    wvl_status (*rewind)(void *user, char *error, size_t error_bytes);
    /* May be NULL. Called exactly once, when no more rows are needed; also after a failure. */
    void (*release)(void *user);
    void *user;
} wvl_row_source;

/* How much memory an encode of rows takes. The output does not depend on it. */
typedef struct wvl_rows_options {
    size_t struct_size;
    /* Most memory that is taken from the allocator, without what the sink holds; 0: no limit. Coded blocks that do not
     * fit go to a file without a name; mostly less than 32 MiB of it are in memory at a time. A limit below
     * least_bytes (wvl_rows_measure) is refused with WVL_ERROR_PARAMETER; the text gives the least. */
    uint64_t memory_bytes;
    const char *spill_folder; /* folder of that file, which is made only if it is needed; NULL: /tmp */
} wvl_rows_options;

/* Encodes as wvl_encode(), with rows in place of an image. options may be NULL. Errors: also WVL_ERROR_INPUT and every
 * other error that the source returns; WVL_ERROR_PARAMETER: memory_bytes is too small; WVL_ERROR_MEMORY: also if the
 * disk of the file is full. With "device" set to cuda, a device transforms the picture and codes its blocks as far as
 * it can, in waves of tiles or in strips. The CPU makes the packets, and goes on if the device fails. With cuda-only:
 * WVL_ERROR_UNSUPPORTED, with the reason, if only the CPU can take rows of such a picture. */
WVL_API wvl_status wvl_encode_rows(const wvl_plan *plan, const wvl_row_source *source, const wvl_rows_options *options,
                                   wvl_sink *sink, const wvl_control *control, wvl_result **result, char *error,
                                   size_t error_bytes);

/* The memory that wvl_encode_rows() takes without a limit. */
typedef struct wvl_rows_memory {
    size_t struct_size;
    uint64_t row_bytes;         /* pixels that are held at a time */
    uint64_t base_bytes;        /* most that is held beside coded data, row_bytes included */
    uint64_t coded_bytes_bound; /* as in wvl_plan_memory */
    uint64_t least_bytes;       /* the least that memory_bytes may be */
    uint64_t coefs_bytes;       /* of base_bytes: coefficients, which go to a file if memory_bytes is set */
    uint8_t reads_again;        /* 1: all rows may be read a second time */
    uint8_t in_strips;          /* 1: the transform goes on with every few rows; 0: by whole tiles */
    /* Says whether bytes leave before all rows are read. 0: no; 1: to every sink; 2: to a sink that has `patch`. Such
     * an encode takes early_base_bytes in place of base_bytes, and early_least_bytes in place of least_bytes. If this
     * is 0, the early values are equal to the others. */
    uint8_t leaves_early;
    uint64_t early_base_bytes, early_least_bytes;
} wvl_rows_memory;

/* Calls no function of source. Any number of threads may ask with one plan. Errors: _ARGUMENT. */
WVL_API wvl_status wvl_rows_measure(const wvl_plan *plan, const wvl_row_source *source, wvl_rows_memory *memory);

/* ---- Pushed rows --------------------------------------------------------------------------------------------------
 *
 *   wvl_row_pusher_create(plan, components, 3, NULL, &sink, NULL, &pusher);
 *   while (there are rows && wvl_row_pusher_push(pusher, data, pitch_bytes, rows) == WVL_OK) {}
 *   status = wvl_row_pusher_finish(pusher, &result, error, sizeof error);
 *   wvl_row_pusher_release(pusher);
 *
 * A row pusher is for a program that makes its rows in a loop of its own. It starts a thread, which runs
 * wvl_encode_rows() and calls sink and control. The library keeps the rows that it needs twice. */

typedef struct wvl_row_pusher wvl_row_pusher;

/* components and options are copied. spill_folder, sink and the objects of control must stay until
 * wvl_row_pusher_finish() returns. Errors: _ARGUMENT, _MEMORY; then the sink stays with the caller. */
WVL_API wvl_status wvl_row_pusher_create(const wvl_plan *plan, const wvl_row_component *components,
                                         uint32_t component_count, const wvl_rows_options *options, wvl_sink *sink,
                                         const wvl_control *control, wvl_row_pusher **pusher);
/* Gives the next rows of the picture: `rows` rows of the reference grid. Each is a row of every component without
 * subsampling; a component with vertical subsampling has fewer rows: those that lie on them. Buffer b begins at
 * data[b]; its rows are pitch_bytes[b] apart. The call returns when the rows are copied, and may wait for the encode.
 * _ARGUMENT: an argument or a buffer is NULL, fewer rows are left, or wvl_row_pusher_finish() was called. Any other
 * error is that of the encode, which has ended. */
WVL_API wvl_status wvl_row_pusher_push(wvl_row_pusher *pusher, const void *const *data, const size_t *pitch_bytes,
                                       uint32_t rows);
/* Waits for the end of the encode, and returns its status. WVL_ERROR_INPUT: also if rows are missing. result and error
 * may be NULL. A second call returns WVL_ERROR_ARGUMENT. */
WVL_API wvl_status wvl_row_pusher_finish(wvl_row_pusher *pusher, wvl_result **result, char *error, size_t error_bytes);
/* Ends the encode, if wvl_row_pusher_finish() was not called. NULL is ignored. */
WVL_API void wvl_row_pusher_release(wvl_row_pusher *pusher);

#ifdef __cplusplus
}
#endif
#endif
