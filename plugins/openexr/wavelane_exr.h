/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OpenEXR files with chunks of HTJ2K (OpenEXR 3.4 and later), coded by Wavelane: same pixels, same files, in less time.
 *
 * A program that writes by OpenEXRCore sets one function of its pipeline, behind the default routines:
 *
 *   exr_encoding_choose_default_routines(file, part, &pipeline);
 *   pipeline.compress_fn = wvl_exr_compress;
 *
 * A program without OpenEXR writes a whole file of scan lines by a wvl_exr_writer, which needs nothing but Wavelane.
 */
#ifndef WAVELANE_EXR_H
#define WAVELANE_EXR_H

#include <wavelane.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Whole files ----------------------------------------------------------------------------- */

/* Numbers as in files of OpenEXR. */
typedef enum wvl_exr_type { WVL_EXR_UINT = 0, WVL_EXR_HALF = 1, WVL_EXR_FLOAT = 2 } wvl_exr_type;
typedef enum wvl_exr_compression {
    WVL_EXR_HTJ2K256 = 10, /* chunks of 256 lines */
    WVL_EXR_HTJ2K32 = 11   /* chunks of 32 lines: less memory for readers of a part, more bytes */
} wvl_exr_compression;

/* The sample of point (x, y), where x and y are multiples of the samplings, counts from the first such point of the
 * data window: sample i of row j is number i of those at data + j * pitch_bytes. No alignment is required. */
typedef struct wvl_exr_channel {
    const char *name; /* "R", "diffuse.R", ...: 1 to 255 bytes */
    uint8_t type;     /* wvl_exr_type */
    uint8_t is_linear;
    int32_t x_sampling, y_sampling; /* 1..255; 0 means 1 */
    const void *data;
    ptrdiff_t pitch_bytes;
} wvl_exr_channel;

/* Goes into the header as it is. */
typedef struct wvl_exr_attribute {
    const char *name, *type;
    const void *data;
    uint32_t bytes;
} wvl_exr_attribute;

/* channels, compression, dataWindow, displayWindow and lineOrder are made of the members; attributes has none of them.
 * Of the other attributes that a file must have, those that are not given get the usual values. */
typedef struct wvl_exr_picture {
    size_t struct_size;
    int32_t data_window[4], display_window[4]; /* least x and y, greatest x and y */
    wvl_exr_compression compression;           /* 0: HTJ2K256 */
    const wvl_exr_channel *channels;           /* in the order of their names, as strcmp() has it */
    uint32_t channel_count;
    const wvl_exr_attribute *attributes;
    uint32_t attribute_count;
} wvl_exr_picture;

typedef struct wvl_exr_writer wvl_exr_writer;

/* device: as the option of that name; NULL: auto. The writer keeps the plan and the encoder of its last picture for the
 * next one of the same format. One thread at a time uses it. Errors: _ARGUMENT, _MEMORY. */
WVL_API wvl_status wvl_exr_writer_create(wvl_context *context, const char *device, wvl_exr_writer **writer);
WVL_API void wvl_exr_writer_release(wvl_exr_writer *writer);
/* Codes the chunks in flight and hands the finished file to the sink, which is closed as by wvl_encode(). control may
 * be NULL; its progress counts chunks. error gets the reason of a failure. Errors: those of wvl_encode(). */
WVL_API wvl_status wvl_exr_write(wvl_exr_writer *writer, const wvl_exr_picture *picture, wvl_sink *sink,
                                 const wvl_control *control, char *error, size_t error_bytes);

/* ---- Chunks of a pipeline of OpenEXRCore ----------------------------------------------------- */

struct _exr_encode_pipeline;

/* The compress_fn. What is not HTJ2K256 or HTJ2K32, and deep data, goes to OpenEXR's own function. Any number of
 * threads may call it. A pipeline without alloc_fn gets its buffer from malloc(), as OpenEXR does by default: a program
 * with allocators of its own sets alloc_fn and free_fn of the pipeline too. Returns an exr_result_t. */
WVL_API int32_t wvl_exr_compress(struct _exr_encode_pipeline *pipeline);
/* The reason of the last failure in this thread; never NULL. */
WVL_API const char *wvl_exr_error(void);
/* Releases what wvl_exr_compress() keeps for later chunks. No chunk may be in work. */
WVL_API void wvl_exr_release_kept(void);

#ifdef __cplusplus
}
#endif
#endif
