/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conveniences over wavelane.h: options as one line of text, and one call that encodes a picture to bytes in memory.
 * All that wavelane.h says about ownership, threads, errors, structures and the same bytes holds here too.
 *
 *   wvl_pixels pixels = {.struct_size = sizeof pixels, .data = rgb, .width = 640, .height = 480, .channels = 3};
 *   wvl_encode_pixels(context, &pixels, "container=jp2, reversible=no, bpp=1.5", &data, &bytes, error, sizeof error);
 *   ...
 *   wvl_memory_release(context, data, bytes);
 */
#ifndef WAVELANE_SIMPLE_H
#define WAVELANE_SIMPLE_H

#include "wavelane.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options as text ------------------------------------------------------------------------- */

/* Sets options from a text: "key=value, key=value, ...". Keys and values are those of wvl_params_set(), from the same
 * table; "preset=NAME" is wvl_params_preset(). Options are set from left to right: a later one overrules an earlier
 * one. Blanks, tabs and line ends around keys and values do not count. A value that contains a comma stands in quotes:
 * block="32,32" or block='32,32'. A quote inside a value in quotes of the same kind is doubled. A value without quotes
 * ends at the next comma. An empty text sets nothing.
 *
 * WVL_ERROR_PARAMETER: wvl_params_error() gives the position, in bytes from 1, and what is wrong there; for an unknown
 * key it also names the nearest one. Errors: also _ARGUMENT (an argument is NULL) and _MEMORY. After an error all
 * options are as before. */
WVL_API wvl_status wvl_params_parse(wvl_params *params, const char *text);

/* ---- Bytes in memory ------------------------------------------------------------------------- */

/* wvl_encode() with a sink of growing memory. *data gets *bytes bytes from the host allocator of the plan's context.
 * The caller owns them and gives them to wvl_memory_release() with that context and *bytes. On anything but WVL_OK
 * *data is NULL and *bytes is 0. control, result and error are those of wvl_encode() and may be NULL. Several threads
 * may encode with one plan at once. Errors: those of wvl_encode(), and _ARGUMENT if data or bytes is NULL. */
WVL_API wvl_status wvl_encode_to_memory(const wvl_plan *plan, const wvl_image *image, const wvl_control *control,
                                        void **data, size_t *bytes, wvl_result **result, char *error,
                                        size_t error_bytes);

/* Encodes as wvl_encode_to_memory(), but into memory of the caller: `capacity` bytes at `buffer`. WVL_OK: the output
 * is the first *bytes of them. WVL_ERROR_SINK: the buffer is too small; *bytes is the size of the output, more than
 * capacity, and the content of the buffer means nothing. On any other failure *bytes is 0. Nothing is ever written
 * behind the end of the buffer. A buffer of output_bytes_bound bytes (wvl_plan_measure) is never too small. buffer may
 * be NULL if capacity is 0: this asks for the size, and costs a whole encode. Errors: also _ARGUMENT, if bytes is
 * NULL. */
WVL_API wvl_status wvl_encode_to_buffer(const wvl_plan *plan, const wvl_image *image, const wvl_control *control,
                                        void *buffer, size_t capacity, size_t *bytes, wvl_result **result, char *error,
                                        size_t error_bytes);

/* ---- Pixels and options in one call ---------------------------------------------------------- */

/* Samples of one picture in host memory. All channels have one depth and one size. Channel c of the pixel in column x
 * and row y is sample x * channels + c of the row that begins at data + y * row_bytes; if planar is 1, it is sample x
 * of the row that begins at data + c * plane_bytes + y * row_bytes. A sample takes 1 byte up to depth 8, 2 up to 16
 * and 4 up to 28. It is right-justified and in native byte order. No alignment is required. */
typedef struct wvl_pixels {
    size_t struct_size;
    const void *data;
    uint32_t width, height; /* pixels, 1 or more */
    uint32_t channels;      /* 1..16384; 0 means 1 */
    uint8_t depth;          /* significant bits of a sample, 1..32 (wvl_component_format); 0 means 8 */
    uint8_t is_signed;      /* wvl_sample_kind */
    uint8_t planar;         /* 0: the channels of a pixel lie side by side; 1: one plane after the other */
    ptrdiff_t row_bytes;    /* from one row to the next, may be negative; 0: rows without padding */
    /* From one plane to the next; 0: height times the distance of two rows, a positive number also if row_bytes is
     * negative. Not used if planar is 0. */
    ptrdiff_t plane_bytes;
} wvl_pixels;

/* Encodes pixels with the options of a text (wvl_params_parse; NULL for none). Each call makes params and a plan,
 * encodes, and releases them. For many pictures of one format, one plan with wvl_encode_to_memory() or
 * wvl_encoder_create() is faster. pixels are read during the call only. *data and *bytes are those of
 * wvl_encode_to_memory(); wvl_memory_release() releases them. error gets the reason of a failure, always terminated,
 * "" on success; it may be NULL. Any number of threads may call it with one context. Errors: _ARGUMENT, those of
 * wvl_params_parse(), wvl_plan_build() and wvl_encode(). */
WVL_API wvl_status wvl_encode_pixels(wvl_context *context, const wvl_pixels *pixels, const char *options, void **data,
                                     size_t *bytes, char *error, size_t error_bytes);

#ifdef __cplusplus
}
#endif
#endif
