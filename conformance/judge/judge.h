/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wavelane-judge: what the conformance runs need beside programs that anybody has. It makes pictures (reads, cuts,
 * draws), decodes with OpenJPEG, reads what other decoders wrote, compares sample by sample, and encodes with OpenJPEG
 * where a row asks for its quality.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { WVL_JUDGE_DONE = 0, WVL_JUDGE_USAGE = 2, WVL_JUDGE_INPUT = 3, WVL_JUDGE_OUTPUT = 4, WVL_JUDGE_REFUSED = 7 };

typedef struct wvl_judge_plane {
    uint32_t width, height;
    uint8_t depth, is_signed, dx, dy;
    int32_t *samples; /* rows of width */
} wvl_judge_plane;

typedef struct wvl_judge_picture {
    uint32_t x0, y0, x1, y1, count; /* reference grid */
    wvl_judge_plane *planes;
} wvl_judge_picture;

#define WVL_JUDGE_INPUTS 16u

/* The command line; strings point into argv. */
typedef struct wvl_judge_args {
    const char *inputs[WVL_JUDGE_INPUTS];
    unsigned input_count;
    const char *output, *raw_format, *draw, *steps, *decoded, *pixels_of_raw, *ratios, *order;
    int keep_indices;
    /* changes to the picture, in this order */
    uint32_t crop[4], components, take_pixels, depths[4], area[4];
    unsigned depth_count;
    int shift, has_crop, has_area; /* shift: right when positive */
    uint32_t mosaic[2];
    uint32_t size[2]; /* of a raw picture to compare with */
    unsigned layers, reduce, levels, tile[2];
    /* The peer's settings: markers 2 SOP, 4 EPH; precincts w,h,w,h from the top. */
    unsigned style, markers, precincts[66], precinct_count;
    /* The peer's profile: 2 or 4 (K), limits of the codestream and of a component in bytes; 0: not digital cinema. */
    uint32_t cinema[3];
    const char *words[2]; /* the command and its file */
    unsigned word_count;
} wvl_judge_args;

int wvl_judge_parse_args(int argc, char **argv, wvl_judge_args *args);
int wvl_judge_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *wvl_judge_need_memory(size_t count, size_t size); /* zeroed; ends the program when there is none */

/* Picture files, or a drawn picture, with the changes of args. 0 or an exit code after a message. */
int wvl_judge_read_picture(const wvl_judge_args *args, wvl_judge_picture *p);
int wvl_judge_read_files(const wvl_judge_args *args, const char *const *paths, unsigned count, wvl_judge_picture *p);
void wvl_judge_release_picture(wvl_judge_picture *p);
int wvl_judge_change_picture(const wvl_judge_args *args, wvl_judge_picture *p);
int wvl_judge_draw_picture(const char *text, wvl_judge_picture *p);
/* PNM, PAM, raw, or one PGX file a component, by the extension. */
int wvl_judge_write_picture(const char *path, const wvl_judge_picture *p);
/* Samples as FFmpeg writes them with -f rawvideo in the pixel format called name. The depths of the result are those of
 * the format. */
int wvl_judge_read_raw(const char *path, const char *name, uint32_t width, uint32_t height, wvl_judge_picture *p);

int wvl_judge_decode_openjpeg(const wvl_judge_args *args, const char *path, wvl_judge_picture *p);
int wvl_judge_encode_openjpeg(const wvl_judge_args *args, const wvl_judge_picture *p);

/* Prints one JSON object: shape, exact, greatest error, PSNR. aligned: the second picture's samples may be shifted up
 * to the depth of its container, and signed ones are offset to unsigned, as FFmpeg does. */
void wvl_judge_print_comparison(const wvl_judge_picture *original, const wvl_judge_picture *decoded, int aligned);
