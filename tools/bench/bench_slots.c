/* SPDX-License-Identifier: BSD-2-Clause */
/* Each SIMD slot by itself, every level that this machine has, beside plain C. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

#include "tools/slots/slots.h"

enum { COPIES_MAX = 16, COPIES_BYTES = 192 * 1024, NAME_COLUMNS = 32 };

typedef struct options {
    const char *only;
    double width, block[2], runs;
} options;

/* Memory of a run: copies of one scene, so that a slot that changes its input sees the same input in every call. */
typedef struct bench {
    const options *options;
    wvl_slot_scene scene;
    uint8_t *copies, *plain, *fast;
    unsigned copy_count;
    double clock_seconds; /* what reading the clock takes */
} bench;

typedef struct row {
    const wvl_slot *slot;
    uint64_t units;
    double ns[WVL_SLOTS_LEVELS]; /* a sample or symbol; NAN: no function of its own */
} row;

static int take_block(const char *value, void *to)
{
    options *o = to;
    double sides[2];
    if (wvl_bench_args_list("--block", value, 4, 1024, sides, 2) != 2 || sides[0] * sides[1] > 4096) {
        return wvl_bench_fail(-1, "--block %s: give W,H with at most 4096 samples", value);
    }
    o->block[0] = sides[0];
    o->block[1] = sides[1];
    return 0;
}

static const wvl_bench_option table[] = {
    WVL_BENCH_OPTION("--only", TEXT, options, only),
    WVL_BENCH_RANGE("--width", NUMBER, options, width, 2, 8192),
    WVL_BENCH_CALL("--block", take_block),
    WVL_BENCH_RANGE("--runs", NUMBER, options, runs, 1, 1e6),
};

/* ---- Measuring ---- */

static double measure_clock(void)
{
    double least = INFINITY;
    for (unsigned i = 0; i < 1000; i++) {
        double start = wvl_bench_wall_seconds();
        least = fmin(least, wvl_bench_wall_seconds() - start);
    }
    return least;
}

static double time_copies(bench *b, const wvl_slot *slot, wvl_slot_entry entry)
{
    size_t pitch = b->scene.used;
    for (unsigned k = 0; k < b->copy_count; k++) {
        memcpy(b->copies + k * pitch, b->scene.bytes, pitch);
    }
    double start = wvl_bench_wall_seconds();
    for (unsigned k = 0; k < b->copy_count; k++) {
        slot->call(slot, entry, &b->scene, b->copies + k * pitch);
    }
    return wvl_bench_wall_seconds() - start - b->clock_seconds;
}

/* The shortest run: what disturbs a run only makes it longer. */
static double measure_level(bench *b, const wvl_slot *slot, wvl_cpu_level level)
{
    wvl_slot_entry entry = slot->fetch(slot, level);
    double least = INFINITY;
    for (unsigned run = 0; run < (unsigned)b->options->runs; run++) {
        least = fmin(least, time_copies(b, slot, entry));
    }
    return 1e9 * fmax(least, 0.0) / ((double)b->scene.units * b->copy_count);
}

static int has_own(const wvl_slot *slot, wvl_cpu_level level)
{
    return level == WVL_CPU_C || (wvl_cpu_has_level(level) && wvl_slots_fetch_own(slot, level));
}

/* Nonzero if a level does not give what C gives. */
static int measure_slot(bench *b, const wvl_slot *slot, row *r)
{
    const options *o = b->options;
    wvl_slot_shape line = {(uint32_t)o->width, 1, 0}, block = {(uint32_t)o->block[0], (uint32_t)o->block[1], 0};
    wvl_slots_make_scene(slot, slot->is_block ? block : line, 1, &b->scene);
    size_t fitting = COPIES_BYTES / b->scene.used + 1;
    b->copy_count = fitting < COPIES_MAX ? (unsigned)fitting : COPIES_MAX;
    *r = (row){.slot = slot, .units = b->scene.units};
    for (unsigned level = 0; level < WVL_SLOTS_LEVELS; level++) {
        r->ns[level] = NAN;
        if (!has_own(slot, (wvl_cpu_level)level)) {
            continue;
        }
        if (wvl_slots_compare_level(slot, &b->scene, (wvl_cpu_level)level, b->plain, b->fast)) {
            return wvl_bench_fail(-1, "%s: %s differs from plain C", slot->name,
                                  wvl_cpu_level_text((wvl_cpu_level)level));
        }
        r->ns[level] = measure_level(b, slot, (wvl_cpu_level)level);
    }
    return 0;
}

/* ---- Writing ---- */

static void write_head(void)
{
    printf("%-*s %8s", NAME_COLUMNS, "slot", "unit");
    for (unsigned level = 0; level < WVL_SLOTS_LEVELS; level++) {
        if (wvl_cpu_has_level((wvl_cpu_level)level)) {
            printf("  %8s ns%s", wvl_cpu_level_text((wvl_cpu_level)level), level == WVL_CPU_C ? "" : "  ratio");
        }
    }
    printf("\n");
}

/* "=": the level uses the function of a lower one. */
static void write_row(const row *r)
{
    printf("%-*s %8s", NAME_COLUMNS, r->slot->name, r->slot->unit);
    for (unsigned level = 0; level < WVL_SLOTS_LEVELS; level++) {
        if (!wvl_cpu_has_level((wvl_cpu_level)level)) {
            continue;
        }
        if (isnan(r->ns[level])) {
            printf("  %11s %6s", "=", "");
        } else {
            printf("  %11.4f", r->ns[level]);
            if (level != WVL_CPU_C) {
                printf(" %6.2f", r->ns[WVL_CPU_C] / r->ns[level]);
            }
        }
    }
    printf("\n");
}

/* ---- The command ---- */

static int is_wanted(const options *o, const wvl_slot *slot) { return !o->only || strstr(slot->name, o->only); }

/* Returns an exit status. */
static int run_all(bench *b)
{
    unsigned count = 0;
    write_head();
    for (const wvl_slot_list *const *room = wvl_slots_rooms; *room; room++) {
        const wvl_slot_list *list = *room;
        for (size_t i = 0; i < list->count; i++) {
            row r;
            if (!is_wanted(b->options, &list->slots[i])) {
                continue;
            }
            if (measure_slot(b, &list->slots[i], &r) != 0) {
                return WVL_BENCH_EXIT_CHECK;
            }
            count++;
            write_row(&r);
        }
    }
    if (count == 0) {
        return wvl_bench_fail(WVL_BENCH_EXIT_USAGE, "--only %s: no slot has this in its name", b->options->only);
    }
    return WVL_BENCH_EXIT_OK;
}

int wvl_bench_run_slots(wvl_bench_args *args)
{
    options o = {.width = 1024, .block = {64, 64}, .runs = 200};
    bench b = {.options = &o, .clock_seconds = measure_clock()};
    int status = WVL_BENCH_EXIT_FAILED;
    if (wvl_bench_args_parse(args, table, sizeof table / sizeof *table, &o) != 0) {
        return WVL_BENCH_EXIT_USAGE;
    }
    b.scene.bytes = aligned_alloc(64, WVL_SLOTS_SCENE_BYTES);
    b.plain = aligned_alloc(64, WVL_SLOTS_SCENE_BYTES);
    b.fast = aligned_alloc(64, WVL_SLOTS_SCENE_BYTES);
    b.copies = aligned_alloc(64, WVL_SLOTS_SCENE_BYTES);
    if (b.scene.bytes && b.plain && b.fast && b.copies) {
        status = run_all(&b);
    } else {
        (void)wvl_bench_fail(-1, "no memory");
    }
    free(b.scene.bytes);
    free(b.plain);
    free(b.fast);
    free(b.copies);
    return status;
}
