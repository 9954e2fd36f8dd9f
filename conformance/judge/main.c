/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

static const char usage[] =
    "wavelane-judge picture  PICTURE -o FILE                  make a picture file (.pgm .ppm .pam .rawl, .pgx: one a "
    "component)\n"
    "wavelane-judge openjpeg FILE PICTURE                     decode with OpenJPEG and compare: one JSON object\n"
    "wavelane-judge compare  PICTURE --decoded PATHS          compare with picture files (joined by commas)\n"
    "wavelane-judge compare  PICTURE --decoded RAW --pixels NAME --size W,H   with FFmpeg's rawvideo\n"
    "wavelane-judge peer     PICTURE --ratios R,... -o FILE   encode with OpenJPEG, 9/7: [--levels N] [--tile W,H] "
    "[--style N] [--markers N]\n"
    "                                                         [--order RPCL] [--precincts W,H,W,H,...]\n"
    "wavelane-judge peer     PICTURE --cinema 2|4,BYTES,COMPONENT-BYTES -o FILE   the same in its cinema mode\n"
    "PICTURE: -i FILE [-i FILE ...] [-F W,H,N,BITS,u@...] [--steps 1x1:2x2] [--indices], or --draw "
    "KIND,W,H,N,DEPTH,u|s,SEED[,DXxDY:...]\n"
    "  changes: --mosaic C,R  --crop X,Y,W,H  --components N  --take-pixels N  --shift BITS  --depths A,B,C  --area "
    "X,Y,W,H\n"
    "decoding: --layers N --reduce N, -o FILE keeps what OpenJPEG decoded\n";

int wvl_judge_fail(int code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "wavelane-judge: ");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    return code;
}

void *wvl_judge_need_memory(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        exit(wvl_judge_fail(5, "out of memory"));
    }
    return memory;
}

/* "a,b,c": how many numbers were taken, 0 when the text is something else. */
static unsigned scan_list(const char *text, uint32_t *to, unsigned most)
{
    unsigned n = 0;
    while (n < most) {
        char *end;
        unsigned long v = strtoul(text, &end, 10);
        if (end == text || v > UINT32_MAX) {
            return 0;
        }
        to[n++] = (uint32_t)v;
        if (!*end) {
            return n;
        }
        if (*end != ',') {
            return 0;
        }
        text = end + 1;
    }
    return 0;
}

typedef struct text_option {
    const char *name;
    const char **to;
} text_option;

typedef struct list_option {
    const char *name;
    uint32_t *to;
    unsigned count;
    int *seen;
} list_option;

static int take_option(wvl_judge_args *a, const char *name, const char *value)
{
    const text_option texts[] = {{"-o", &a->output},       {"-F", &a->raw_format},          {"--draw", &a->draw},
                                 {"--steps", &a->steps},   {"--pixels", &a->pixels_of_raw}, {"--decoded", &a->decoded},
                                 {"--ratios", &a->ratios}, {"--order", &a->order}};
    const list_option lists[] = {{"--crop", a->crop, 4, &a->has_crop},
                                 {"--area", a->area, 4, &a->has_area},
                                 {"--mosaic", a->mosaic, 2, NULL},
                                 {"--components", &a->components, 1, NULL},
                                 {"--take-pixels", &a->take_pixels, 1, NULL},
                                 {"--size", a->size, 2, NULL},
                                 {"--layers", &a->layers, 1, NULL},
                                 {"--reduce", &a->reduce, 1, NULL},
                                 {"--levels", &a->levels, 1, NULL},
                                 {"--tile", a->tile, 2, NULL},
                                 {"--style", &a->style, 1, NULL},
                                 {"--markers", &a->markers, 1, NULL},
                                 {"--cinema", a->cinema, 3, NULL}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (!strcmp(name, texts[i].name)) {
            *texts[i].to = value;
            return 1;
        }
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (!strcmp(name, lists[i].name)) {
            if (lists[i].seen) {
                *lists[i].seen = 1;
            }
            return scan_list(value, lists[i].to, lists[i].count) == lists[i].count;
        }
    }
    if (!strcmp(name, "-i") && a->input_count < WVL_JUDGE_INPUTS) {
        a->inputs[a->input_count++] = value;
    } else if (!strcmp(name, "--shift")) {
        a->shift = atoi(value);
    } else if (!strcmp(name, "--precincts")) {
        a->precinct_count = scan_list(value, a->precincts, 66) / 2;
        return a->precinct_count > 0;
    } else if (!strcmp(name, "--depths")) {
        a->depth_count = scan_list(value, a->depths, 4);
        return a->depth_count > 0;
    } else {
        return 0;
    }
    return 1;
}

int wvl_judge_parse_args(int argc, char **argv, wvl_judge_args *args)
{
    memset(args, 0, sizeof *args);
    args->levels = 5;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            if (args->word_count == 2) {
                return wvl_judge_fail(WVL_JUDGE_USAGE, "\"%s\" is unexpected\n%s", argv[i], usage);
            }
            args->words[args->word_count++] = argv[i];
        } else if (!strcmp(argv[i], "--indices")) {
            args->keep_indices = 1;
        } else if (i + 1 >= argc || !take_option(args, argv[i], argv[i + 1])) {
            return wvl_judge_fail(WVL_JUDGE_USAGE, "%s: unknown, or its value is missing or malformed\n%s", argv[i],
                                  usage);
        } else {
            i++;
        }
    }
    return args->word_count ? WVL_JUDGE_DONE : wvl_judge_fail(WVL_JUDGE_USAGE, "no command\n%s", usage);
}

static int read_decoded(const wvl_judge_args *args, wvl_judge_picture *p)
{
    const char *paths[WVL_JUDGE_INPUTS];
    unsigned count = 0;
    if (args->pixels_of_raw) {
        return wvl_judge_read_raw(args->decoded, args->pixels_of_raw, args->size[0], args->size[1], p);
    }
    char *list = wvl_judge_need_memory(strlen(args->decoded) + 1, 1);
    strcpy(list, args->decoded);
    for (char *word = strtok(list, ","); word && count < WVL_JUDGE_INPUTS; word = strtok(NULL, ",")) {
        paths[count++] = word;
    }
    wvl_judge_args plain;
    memset(&plain, 0, sizeof plain);
    plain.steps = args->steps;
    int code = wvl_judge_read_files(&plain, paths, count, p);
    free(list);
    return code;
}

static int run(const wvl_judge_args *args, wvl_judge_picture *original, wvl_judge_picture *decoded)
{
    int code = wvl_judge_read_picture(args, original);
    const char *command = args->words[0];
    if (code) {
        return code;
    }
    if (!strcmp(command, "picture") && args->output) {
        return wvl_judge_write_picture(args->output, original);
    }
    if (!strcmp(command, "peer") && args->output) {
        return wvl_judge_encode_openjpeg(args, original);
    }
    if (!strcmp(command, "openjpeg") && args->words[1]) {
        code = wvl_judge_decode_openjpeg(args, args->words[1], decoded);
        code = !code && args->output ? wvl_judge_write_picture(args->output, decoded) : code;
    } else if (!strcmp(command, "compare") && args->decoded) {
        code = read_decoded(args, decoded);
    } else {
        return wvl_judge_fail(WVL_JUDGE_USAGE, "%s: no such command, or it lacks its file\n%s", command, usage);
    }
    if (!code) {
        wvl_judge_print_comparison(original, decoded, args->pixels_of_raw != NULL);
    }
    return code;
}

int main(int argc, char **argv)
{
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        return fputs(usage, stdout) < 0;
    }
    wvl_judge_args args;
    wvl_judge_picture original, decoded;
    memset(&original, 0, sizeof original);
    memset(&decoded, 0, sizeof decoded);
    int code = wvl_judge_parse_args(argc, argv, &args);
    if (!code) {
        code = run(&args, &original, &decoded);
    }
    wvl_judge_release_picture(&original);
    wvl_judge_release_picture(&decoded);
    return fflush(stdout) ? WVL_JUDGE_OUTPUT : code;
}
