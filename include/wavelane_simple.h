/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conveniences over wavelane.h: options as one line of text, and pictures that become bytes in memory in one call. All
 * that wavelane.h says about ownership, threads, errors, structures and the same bytes holds here too.
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
 * table; "preset=NAME" is wvl_params_preset(). They are set from left to right: a later one overrules an earlier one.
 * Blanks, tabs and line ends around keys and values do not count. A value with a comma stands in quotes: block="32,32"
 * or block='32,32'. A quote inside a value in quotes of the same kind is doubled. A value without quotes ends at the
 * next comma. A text that is empty sets nothing.
 *
 * WVL_ERROR_PARAMETER: wvl_params_error() names the position, in bytes from 1, what is wrong there, and for an unknown
 * key the nearest one. Errors: also _ARGUMENT (an argument is NULL) and _MEMORY. On an error no option has changed. */
WVL_API wvl_status wvl_params_parse(wvl_params *params, const char *text);

/* ---- Bytes in memory ------------------------------------------------------------------------- */

/* wvl_encode() with a sink of growing memory. *data gets *bytes bytes from the host allocator of the plan's context;
 * the caller owns them and gives them to wvl_memory_release() with that context and *bytes. On anything but WVL_OK
 * *data is NULL and *bytes 0. control, result and error are those of wvl_encode() and may be NULL. Several threads may
 * encode with one plan at once. Errors: those of wvl_encode(), and _ARGUMENT if data or bytes is NULL. */
WVL_API wvl_status wvl_encode_to_memory(const wvl_plan *plan, const wvl_image *image, const wvl_control *control,
                                        void **data, size_t *bytes, wvl_result **result, char *error,
                                        size_t error_bytes);

/* The same into memory of the caller: `capacity` bytes at `buffer`. WVL_OK: *bytes of them are the output.
 * A buffer that is too small: WVL_ERROR_SINK, and *bytes, which is more than capacity then, is what the output needs;
 * what the buffer holds means nothing. On any other failure *bytes is 0. Nothing is ever written behind the end of the
 * buffer. buffer may be NULL if capacity is 0: that asks for the bytes, at the price of a whole encode. A buffer of
 * output_bytes_bound bytes (wvl_plan_measure) is never too small. Errors: also _ARGUMENT, if bytes is NULL. */
WVL_API wvl_status wvl_encode_to_buffer(const wvl_plan *plan, const wvl_image *image, const wvl_control *control,
                                        void *buffer, size_t capacity, size_t *bytes, wvl_result **result, char *error,
                                        size_t error_bytes);

/* ---- Pixels and options in one call ---------------------------------------------------------- */

/* Samples of one picture in host memory, all channels of one depth and one size. Channel c of the pixel in column x and
 * row y is sample x * channels + c of the row that begins at data + y * row_bytes; if planar is 1, it is sample x of
 * the row that begins at data + c * plane_bytes + y * row_bytes. A sample takes 1 byte up to depth 8, 2 up to 16 and 4
 * up to 28; it is right-justified and in native byte order. No alignment is required. */
typedef struct wvl_pixels {
    size_t struct_size;
    const void *data;
    uint32_t width, height; /* pixels, 1 or more */
    uint32_t channels;      /* 1..16384; 0 means 1 */
    uint8_t depth;          /* significant bits of a sample, 1..28; 0 means 8 */
    uint8_t is_signed;      /* 0 or 1 */
    uint8_t planar;         /* 0: the channels of a pixel lie side by side; 1: one plane after the other */
    ptrdiff_t row_bytes;    /* from one row to the next, may be negative; 0: rows without padding */
    /* From one plane to the next; 0: height times the distance of two rows, upwards also if row_bytes is negative. Not
     * used if planar is 0. */
    ptrdiff_t plane_bytes;
} wvl_pixels;

/* Encodes pixels with the options of a text (wvl_params_parse; NULL for none). It makes params and a plan, encodes, and
 * releases them: for many alike pictures one plan and wvl_encode_to_memory(), or wvl_encoder_create(), is faster.
 * pixels are read during the call only. *data and *bytes are those of wvl_encode_to_memory(), released with
 * wvl_memory_release(). error gets the reason of a failure, always terminated, "" on success; it may be NULL. Any
 * number of threads may call it with one context. Errors: _ARGUMENT, those of wvl_params_parse(), wvl_plan_build() and
 * wvl_encode(). */
WVL_API wvl_status wvl_encode_pixels(wvl_context *context, const wvl_pixels *pixels, const char *options, void **data,
                                     size_t *bytes, char *error, size_t error_bytes);

#ifdef __cplusplus
}
#endif
#endif
