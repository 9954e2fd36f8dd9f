/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wavelane-bench: whole encodes and quality at equal bytes, next to OpenJPEG's library in the same process.
 * Without OpenJPEG (WVL_HAVE_OPENJPEG undefined) the speed of Wavelane alone is measured and `rd` is refused.
 */
#pragma once

#include "../imageio/imageio.h"
#include "bench_peers.h"
#include "wavelane.h"

#include <stdio.h>

enum {
    WVL_BENCH_EXIT_OK = 0,
    WVL_BENCH_EXIT_FAILED = 1,
    WVL_BENCH_EXIT_USAGE = 2,
    WVL_BENCH_EXIT_INPUT = 3,
    WVL_BENCH_EXIT_OUTPUT = 4,
    WVL_BENCH_EXIT_CHECK = 6,     /* below the floor, over the cap, or other bytes than expected */
    WVL_BENCH_EXIT_NO_DEVICE = 77 /* memory of a device, and no device */
};

/* ---- Picture (bench_picture.c) ---- */

typedef struct wvl_bench_picture {
    wvl_io_picture io;
    char name[128]; /* file name without its folder */
    int generated;
    uint64_t sample_count; /* of all components */
    uint64_t raw_bytes;    /* sample_count, each in whole bytes */
    /* The same memory, described for the library: */
    wvl_component_format *components;
    wvl_plane *planes;
    wvl_image_format format;
    wvl_image image;
} wvl_bench_picture;

typedef struct wvl_bench_shape {
    uint32_t width, height, component_count, depth;
} wvl_bench_shape;

/* The picture of a file; path NULL: one that is generated. keep_palette: indices as one component, where the file has
 * them. 0, or -1 (reported). */
int wvl_bench_open_picture(const char *path, int keep_palette, const wvl_bench_shape *shape,
                           wvl_bench_picture *picture);
/* Octaves of value noise, hard-edged regions and grain from a fixed seed: integer arithmetic, the same picture
 * everywhere. Large ones repeat a patch (bench_draw.c). 0, or -1 (reported). */
int wvl_bench_build_picture(const wvl_bench_shape *shape, wvl_bench_picture *picture);
/* Sets the counts, and what is described for the library. 0, or -1: no memory. */
int wvl_bench_describe_picture(wvl_bench_picture *picture);
void wvl_bench_release_picture(wvl_bench_picture *picture);
/* One row of a component, widened. Depth at most 31 bits. */
void wvl_bench_fetch_row(const wvl_io_component *component, uint32_t row, int32_t *out);
/* The first `count` components have one size, depth and sign, and are not subsampled against each other. */
int wvl_bench_has_one_shape(const wvl_bench_picture *picture, uint32_t count);
/* The first three components have one shape: RCT and ICT are possible (G.2, G.3). */
int wvl_bench_picture_has_color(const wvl_bench_picture *picture);
/* The usual five decomposition levels, or as many as OpenJPEG accepts for a small picture. */
uint32_t wvl_bench_picture_levels(const wvl_bench_picture *picture);
void wvl_bench_write_picture(const wvl_bench_picture *picture, FILE *out); /* one line of text */

/* ---- Coders (bench_coders.c, bench_wavelane.c, bench_opj.c) ---- */

typedef enum wvl_bench_coder {
    WVL_BENCH_WAVELANE,
    WVL_BENCH_OPENJPEG,
    WVL_BENCH_OPENJPH,
    WVL_BENCH_OPENHTJ2K,
    WVL_BENCH_CODERS
} wvl_bench_coder;

/* NULL (reported) when it cannot be had. */
wvl_context *wvl_bench_open_context(uint32_t threads);
/* Sets each KEY=VALUE, which wvl_bench_settings_add took. */
wvl_status wvl_bench_set_all(wvl_params *params, const wvl_bench_settings *settings);
/* Plan of settings; device: in place of what they say of it, NULL: as they say. A failure is reported. */
wvl_status wvl_bench_make_plan(wvl_context *context, const wvl_bench_settings *settings, const char *device,
                               const wvl_image_format *format, wvl_plan **plan);

/* 0, or nonzero with a reason in error.
 * Timed: everything from the parameters to the last byte in memory and the release of the coder. Not timed: starting
 * the threads of Wavelane's context, which serves any number of pictures (those of the others belong to one picture),
 * and bringing the picture into the planes that the others are given (Wavelane reads it as it is). */
typedef int wvl_bench_encode_function(const wvl_bench_picture *picture, const wvl_bench_job *job,
                                      wvl_bench_coded *coded, char *error);
wvl_bench_encode_function wvl_bench_encode_wavelane, wvl_bench_encode_opj;
/* By the coder of that number, which is built in. */
int wvl_bench_encode(wvl_bench_coder coder, const wvl_bench_picture *picture, const wvl_bench_job *job,
                     wvl_bench_coded *coded, char *error);
int wvl_bench_has_coder(wvl_bench_coder coder);
const char *wvl_bench_coder_name(wvl_bench_coder coder);    /* as one word */
const char *wvl_bench_coder_version(wvl_bench_coder coder); /* "" where not built in */
void wvl_bench_release_coded(wvl_bench_coded *coded);

typedef struct wvl_bench_memory {
    uint64_t base_bytes; /* what the plan announced */
    uint64_t peak_bytes; /* greatest sum of live allocations seen, output included, picture not */
    uint64_t output_bytes;
} wvl_bench_memory;
/* 0, or -1 (reported). */
int wvl_bench_measure_wavelane(const wvl_bench_picture *picture, const wvl_bench_job *job, wvl_bench_memory *memory);

typedef struct wvl_bench_quality {
    int exact;
    double psnr; /* dB over the mean of the components' mean square errors */
} wvl_bench_quality;
/* Only with OpenJPEG. */
int wvl_bench_decode_opj(const wvl_bench_coded *coded, const wvl_bench_picture *picture, wvl_bench_quality *quality,
                         char *error);
const char *wvl_bench_opj_version(void);

/* ---- JSON (bench_json.c) ---- */

typedef struct wvl_bench_json {
    FILE *out; /* NULL: nothing is put */
    const char *path;
    int separate;
} wvl_bench_json;
/* path NULL: none; "-": standard output. 0, or -1 (reported). */
int wvl_bench_json_open(wvl_bench_json *json, const char *path);
/* complete = 0 removes the file. Returns nonzero (reported) if the text could not be written. */
int wvl_bench_json_close(wvl_bench_json *json, int complete);
/* key NULL inside an array. Numbers that are not finite become null. */
void wvl_bench_put_open(wvl_bench_json *json, const char *key, char bracket);
void wvl_bench_put_close(wvl_bench_json *json, char bracket);
void wvl_bench_put_text(wvl_bench_json *json, const char *key, const char *text);
void wvl_bench_put_number(wvl_bench_json *json, const char *key, double number);
void wvl_bench_put_list(wvl_bench_json *json, const char *key, const double *numbers, size_t count);
void wvl_bench_put_settings(wvl_bench_json *json, const wvl_bench_settings *settings);
/* Name, size, components and depth. */
void wvl_bench_put_picture(wvl_bench_json *json, const wvl_bench_picture *picture);

/* ---- Arguments (bench_args.c) ---- */

/* Says it on stderr behind the program's name. Returns the code. */
int wvl_bench_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define WVL_BENCH_LIST_MAX 32
typedef struct wvl_bench_list {
    double values[WVL_BENCH_LIST_MAX];
    size_t count;
} wvl_bench_list;

/* What the value of an option becomes. CALL: apply takes it; a CALL without a name takes words that are no options. */
typedef enum wvl_bench_kind {
    WVL_BENCH_IS_CALL,
    WVL_BENCH_IS_FLAG,   /* an int becomes 1; there is no value */
    WVL_BENCH_IS_TEXT,   /* const char * */
    WVL_BENCH_IS_WORD,   /* an int becomes its place among the words */
    WVL_BENCH_IS_COUNT,  /* uint32_t */
    WVL_BENCH_IS_NUMBER, /* double */
    WVL_BENCH_IS_LIST,   /* a,b,c: wvl_bench_list */
    WVL_BENCH_IS_SIZE,   /* W,H: two uint32_t, one behind the other */
    WVL_BENCH_IS_SETTING /* KEY=VALUE, more than once: wvl_bench_settings */
} wvl_bench_kind;
/* apply: nonzero (after saying why) ends the parse. */
typedef struct wvl_bench_option {
    const char *name;
    wvl_bench_kind kind;
    size_t at; /* of the member among the options */
    double lowest, highest;
    int (*apply)(const char *value, void *options);
    const char *const *words; /* up to a NULL */
} wvl_bench_option;
#define WVL_BENCH_CALL(name, function)                                                                                 \
    {                                                                                                                  \
        name, WVL_BENCH_IS_CALL, 0, 0, 0, function, NULL                                                               \
    }
#define WVL_BENCH_OPTION(name, kind, type, member)                                                                     \
    {                                                                                                                  \
        name, WVL_BENCH_IS_##kind, offsetof(type, member), 1, 65536, NULL, NULL                                        \
    }
#define WVL_BENCH_RANGE(name, kind, type, member, lowest, highest)                                                     \
    {                                                                                                                  \
        name, WVL_BENCH_IS_##kind, offsetof(type, member), lowest, highest, NULL, NULL                                 \
    }
#define WVL_BENCH_WORD(name, type, member, words)                                                                      \
    {                                                                                                                  \
        name, WVL_BENCH_IS_WORD, offsetof(type, member), 0, 0, NULL, words                                             \
    }
typedef struct wvl_bench_args {
    int count, next;
    char **values;
} wvl_bench_args;
int wvl_bench_args_parse(wvl_bench_args *args, const wvl_bench_option *table, size_t count, void *options);
int wvl_bench_args_number(const char *name, const char *text, double lowest, double highest, double *number);
/* a,b,c: at most `limit` numbers; returns how many, 0 (reported) if there is none or one is out of range. */
size_t wvl_bench_args_list(const char *name, const char *text, double lowest, double highest, double *numbers,
                           size_t limit);

/* A program with commands. */
typedef struct wvl_bench_command {
    const char *name; /* NULL: the end of the list */
    int (*run)(wvl_bench_args *args);
    const char *text; /* what it measures */
    const char *help; /* lines about its options; NULL: it answers --help itself */
} wvl_bench_command;
extern const char wvl_bench_program[]; /* its name, for messages */
/* Runs the command that argv[1] names. `--help` prints all of them, `NAME --help` that one. more: a line below the
 * list; NULL: none. */
int wvl_bench_run_program(int argc, char **argv, const wvl_bench_command *commands, const char *more);

int wvl_bench_settings_add(wvl_bench_settings *settings, const char *text);

int wvl_bench_run_encode(wvl_bench_args *args);
int wvl_bench_run_frames(wvl_bench_args *args);
int wvl_bench_run_rd(wvl_bench_args *args);
int wvl_bench_run_dwt(wvl_bench_args *args);
int wvl_bench_run_slots(wvl_bench_args *args);
int wvl_bench_run_cancel(wvl_bench_args *args);
/* Becomes the script beside the program. */
int wvl_bench_run_plot(wvl_bench_args *args);
