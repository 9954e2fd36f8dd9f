/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `frames`. */
#include <stdlib.h>

#include "bench_ring.h"

typedef wvl_bench_frames_options frames_options;

#define OPTION(name, kind, member) WVL_BENCH_OPTION(name, kind, frames_options, member)
#define RANGE(name, kind, member, lowest, highest) WVL_BENCH_RANGE(name, kind, frames_options, member, lowest, highest)
static const char *const memory_words[] = {"host", "pinned", "device", NULL};
static const char *const order_words[] = {"planar", "interleaved", NULL};
static const wvl_bench_option table[] = {
    OPTION("--image", TEXT, image),
    RANGE("--size", SIZE, shape.width, 1, 1 << 20),
    RANGE("--components", COUNT, shape.component_count, 1, 4),
    RANGE("--depth", COUNT, shape.depth, 1, 16),
    RANGE("--threads", COUNT, threads, 1, 1024),
    RANGE("--frames", LIST, frames, 0, WVL_BENCH_PLACES_MAX),
    OPTION("--set", SETTING, settings),
    OPTION("--trace", TEXT, trace),
    WVL_BENCH_WORD("--memory", frames_options, kind, memory_words),
    WVL_BENCH_WORD("--layout", frames_options, order, order_words),
    RANGE("--ring", COUNT, ring, 1, WVL_BENCH_RING_MAX),
    RANGE("--seconds", NUMBER, seconds, 0, 600),
    RANGE("--turns", COUNT, turns, 1, WVL_BENCH_TURNS_MAX),
    RANGE("--devices", COUNT, devices, 1, WVL_BENCH_DEVICES_MAX),
    OPTION("--uploads", FLAG, uploads),
    OPTION("--copies", FLAG, copies),
    OPTION("--arrive", FLAG, arrives),
    OPTION("--json", TEXT, json),
    OPTION("--out", TEXT, out),
    OPTION("--raw", TEXT, raw),
};

/* Options that do not go together. 0, or -1 (reported). */
static int check_options(const frames_options *o)
{
    const char *why = NULL;
    if (o->arrives && o->kind != WVL_MEMORY_DEVICE) {
        why = "--arrive needs --memory device";
    } else if ((o->uploads || o->copies) && o->kind != WVL_MEMORY_PINNED) {
        why = o->uploads ? "--uploads needs --memory pinned" : "--copies needs --memory pinned";
    } else if (o->raw && o->trace) {
        why = "--raw encodes nothing: --trace does not go with it";
    } else if (o->ring < o->devices) {
        why = "--ring has fewer pictures than there are --devices";
    }
    return why ? wvl_bench_fail(-1, "%s", why) : 0;
}

int wvl_bench_run_frames(wvl_bench_args *args)
{
    frames_options o = {.shape = {4096, 2160, 3, 8},
                        .threads = 16,
                        .frames = {{0, 3}, 2},
                        .kind = WVL_MEMORY_HOST,
                        .order = WVL_BENCH_AS_READ,
                        .ring = 8,
                        .devices = 1,
                        .turns = 3,
                        .seconds = 2};
    wvl_bench_picture picture;
    if (wvl_bench_args_parse(args, table, sizeof table / sizeof *table, &o) != 0 || check_options(&o) != 0) {
        return WVL_BENCH_EXIT_USAGE;
    }
    if (wvl_bench_open_picture(o.image, 0, &o.shape, &picture) != 0) {
        return WVL_BENCH_EXIT_INPUT;
    }
    int code = wvl_bench_run_ring(&o, &picture);
    wvl_bench_release_picture(&picture);
    return code;
}
