/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of the 2-D transform alone: row kernels (lab/dwt2/dwt2.h). */
#include <math.h>
#include <string.h>

#include "lab/dwt2/dwt2.h"
#include "lab/slots/slots.h"

/* Style: noise with the nearest neighbours, noise with those behind them too, extremes. */
enum { STYLES = 3 };
enum { TO, FROM, LOW = 1, HIGH = 2, SAMPLE_BYTES = 4 };

static const wvl_dwt2_rows *rows_of(wvl_cpu_level level)
{
#ifdef WVL_HAVE_AVX2
    if (level == WVL_CPU_AVX2 || level == WVL_CPU_AVX512) {
        return &wvl_dwt2_rows_avx2;
    }
#endif
    (void)level;
    return &wvl_dwt2_rows_c;
}

/* A line of drawn samples; its offset. */
static size_t place_line(const wvl_slot *slot, wvl_slot_scene *scene, uint32_t n)
{
    size_t at = wvl_slots_place_bytes(scene, (size_t)n * SAMPLE_BYTES);
    for (uint32_t i = 0; i < n; i++) {
        int32_t v = (int32_t)(uint32_t)wvl_slots_draw(scene), extreme = v < 0 ? INT32_MIN : INT32_MAX;
        v = scene->shape.style == 2 ? extreme : v / 64;
        float real = ldexpf((float)v, -12);
        memcpy(scene->bytes + at + (size_t)i * SAMPLE_BYTES, slot->kind ? (const void *)&v : &real, SAMPLE_BYTES);
    }
    return at;
}

/* ---- Lifting; kind 0: float, 1: integers ---- */

static void make_lift(const wvl_slot *slot, wvl_slot_scene *scene)
{
    uint32_t n = scene->shape.width;
    scene->units = n;
    scene->at[TO] = place_line(slot, scene, n);
    for (unsigned i = 0; i < 4; i++) {
        scene->at[FROM + i] = place_line(slot, scene, n);
    }
    wvl_slots_put_output(scene, scene->at[TO], (size_t)n * SAMPLE_BYTES, 0, 0);
}

static void call_lift(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    int is_far = scene->shape.style == 1;
    const wvl_dwt2_step step = {.near = -0.5634765625f,
                                .far = is_far ? 0.0625f : 0.0f,
                                .sign = is_far ? 1 : -1,
                                .round = is_far ? 2 : 0,
                                .shift = is_far ? 2 : 1,
                                .reach = is_far ? 3 : 1};
    const void *from[4];
    for (unsigned i = 0; i < 4; i++) {
        from[i] = bytes + scene->at[FROM + i];
    }
    if (slot->kind) {
        const int32_t *const lines[4] = {from[0], from[1], from[2], from[3]};
        ((void (*)(int32_t *, const int32_t *const[4], const wvl_dwt2_step *, uint32_t))entry)(
            (int32_t *)(void *)(bytes + scene->at[TO]), lines, &step, scene->shape.width);
    } else {
        const float *const lines[4] = {from[0], from[1], from[2], from[3]};
        ((void (*)(float *, const float *const[4], const wvl_dwt2_step *, uint32_t))entry)(
            (float *)(void *)(bytes + scene->at[TO]), lines, &step, scene->shape.width);
    }
}

static wvl_slot_entry fetch_lift(const wvl_slot *slot, wvl_cpu_level level)
{
    const wvl_dwt2_rows *rows = rows_of(level);
    return slot->kind ? (wvl_slot_entry)rows->lift_i32 : (wvl_slot_entry)rows->lift_f32;
}

/* ---- Pairs; width: of the line of pairs ---- */

static void make_split(const wvl_slot *slot, wvl_slot_scene *scene)
{
    size_t bytes = (size_t)scene->shape.width * SAMPLE_BYTES;
    scene->units = 2 * (uint64_t)scene->shape.width;
    scene->at[TO] = place_line(slot, scene, 2 * scene->shape.width);
    scene->at[LOW] = wvl_slots_place_bytes(scene, bytes);
    scene->at[HIGH] = wvl_slots_place_bytes(scene, bytes);
    wvl_slots_put_output(scene, scene->at[LOW], bytes, 0, 0);
    wvl_slots_put_output(scene, scene->at[HIGH], bytes, 0, 0);
}

static void call_split(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    (void)slot;
    ((void (*)(const void *, void *, void *, uint32_t))entry)(bytes + scene->at[TO], bytes + scene->at[LOW],
                                                              bytes + scene->at[HIGH], scene->shape.width);
}

static wvl_slot_entry fetch_split(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)rows_of(level)->split;
}

static void make_merge(const wvl_slot *slot, wvl_slot_scene *scene)
{
    size_t bytes = 2 * (size_t)scene->shape.width * SAMPLE_BYTES;
    scene->units = 2 * (uint64_t)scene->shape.width;
    scene->at[LOW] = place_line(slot, scene, scene->shape.width);
    scene->at[HIGH] = place_line(slot, scene, scene->shape.width);
    scene->at[TO] = wvl_slots_place_bytes(scene, bytes);
    wvl_slots_put_output(scene, scene->at[TO], bytes, 0, 0);
}

static void call_merge(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    (void)slot;
    ((void (*)(const void *, const void *, void *, uint32_t))entry)(bytes + scene->at[LOW], bytes + scene->at[HIGH],
                                                                    bytes + scene->at[TO], scene->shape.width);
}

static wvl_slot_entry fetch_merge(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)rows_of(level)->merge;
}

/* ---- Scaling ---- */

static void make_scale(const wvl_slot *slot, wvl_slot_scene *scene)
{
    scene->units = scene->shape.width;
    scene->at[TO] = place_line(slot, scene, scene->shape.width);
    scene->factor = 1.230174104914f;
    wvl_slots_put_output(scene, scene->at[TO], (size_t)scene->shape.width * SAMPLE_BYTES, 0, 0);
}

static void call_scale(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    (void)slot;
    ((void (*)(float *, float, uint32_t))entry)((float *)(void *)(bytes + scene->at[TO]), scene->factor,
                                                scene->shape.width);
}

static wvl_slot_entry fetch_scale(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)rows_of(level)->scale;
}

static const wvl_slot slots[] = {
    {"dwt2.lift.f32", "sample", 0, STYLES, 0, fetch_lift, make_lift, call_lift, NULL},
    {"dwt2.lift.i32", "sample", 1, STYLES, 0, fetch_lift, make_lift, call_lift, NULL},
    {"dwt2.split", "sample", 1, STYLES, 0, fetch_split, make_split, call_split, NULL},
    {"dwt2.merge", "sample", 1, STYLES, 0, fetch_merge, make_merge, call_merge, NULL},
    {"dwt2.scale", "sample", 0, STYLES, 0, fetch_scale, make_scale, call_scale, NULL},
};
const wvl_slot_list wvl_slots_dwt2 = {slots, sizeof slots / sizeof *slots};
