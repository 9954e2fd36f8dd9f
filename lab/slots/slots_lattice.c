/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of the 1-D transform: block kernels (lab/lattice/lattice.h), for float and double. */
#include <math.h>
#include <string.h>

#include "lab/lattice/lattice.h"
#include "lab/slots/slots.h"

/* Style: the filter. Its lattice has 3, 0, 1, 2, 15 and 5 stages. */
enum { STYLES = 6 };
enum { U, V, P, Q, STEPS };
/* The functions of one type, in the order of its table. Kind: one of them, and 8 more for double. */
enum { FORWARD, INVERSE, CONVOLVE, CONVOLVE_BACK, SPLIT, MERGE, DOUBLE = 8 };

static const wvl_lattice_kernels *kernels_of(wvl_cpu_level level)
{
#ifdef WVL_HAVE_AVX2
    if (level == WVL_CPU_AVX2 || level == WVL_CPU_AVX512) {
        return &wvl_lattice_kernels_avx2;
    }
#endif
    (void)level;
    return &wvl_lattice_kernels_c;
}

static wvl_slot_entry fetch(const wvl_slot *slot, wvl_cpu_level level)
{
    const wvl_lattice_kernels *kernels = kernels_of(level);
    const wvl_lattice_kernels_f32 *f = &kernels->f32;
    const wvl_lattice_kernels_f64 *d = &kernels->f64;
    const wvl_slot_entry entries[2][6] = {
        {(wvl_slot_entry)f->forward, (wvl_slot_entry)f->inverse, (wvl_slot_entry)f->convolve,
         (wvl_slot_entry)f->convolve_back, (wvl_slot_entry)f->split, (wvl_slot_entry)f->merge},
        {(wvl_slot_entry)d->forward, (wvl_slot_entry)d->inverse, (wvl_slot_entry)d->convolve,
         (wvl_slot_entry)d->convolve_back, (wvl_slot_entry)d->split, (wvl_slot_entry)d->merge},
    };
    return entries[slot->kind / DOUBLE][slot->kind % DOUBLE];
}

static size_t sample_bytes(const wvl_slot *slot) { return slot->kind >= DOUBLE ? sizeof(double) : sizeof(float); }

static uint32_t count_of(const wvl_slot_scene *scene)
{
    return scene->shape.width < WVL_LATTICE_BLOCK ? scene->shape.width : WVL_LATTICE_BLOCK;
}

static size_t place_samples(const wvl_slot *slot, wvl_slot_scene *scene, uint32_t n)
{
    size_t at = wvl_slots_place_bytes(scene, n * sample_bytes(slot));
    for (uint32_t i = 0; i < n; i++) {
        double wide = ldexp((double)(int64_t)wvl_slots_draw(scene), -63);
        float narrow = (float)wide;
        memcpy(scene->bytes + at + i * sample_bytes(slot), slot->kind >= DOUBLE ? (const void *)&wide : &narrow,
               sample_bytes(slot));
    }
    return at;
}

/* ---- The lattice and the convolution ---- */

/* The numbers of the style's filter, in the type of the slot, as part of the scene. */
static size_t place_steps(const wvl_slot *slot, wvl_slot_scene *scene)
{
    static const char *const names[STYLES] = {"db4", "haar", "db2", "db3", "db16", "coif2"};
    wvl_lattice_plan plan;
    memset(&plan, 0, sizeof plan);
    (void)wvl_lattice_find_filter(names[scene->shape.style], &plan.filter);
    (void)wvl_lattice_fill_inverse(&plan.filter);
    wvl_lattice_factorise(&plan.filter);
    wvl_lattice_prepare(&plan);
    size_t bytes = slot->kind >= DOUBLE ? sizeof plan.f64 : sizeof plan.f32;
    size_t at = wvl_slots_place_bytes(scene, bytes);
    memcpy(scene->bytes + at, slot->kind >= DOUBLE ? (const void *)&plan.f64 : &plan.f32, bytes);
    return at;
}

static void make_run(const wvl_slot *slot, wvl_slot_scene *scene)
{
    size_t bytes = count_of(scene) * sample_bytes(slot);
    scene->units = 2 * (uint64_t)count_of(scene);
    scene->at[STEPS] = place_steps(slot, scene);
    for (unsigned i = U; i <= V; i++) {
        scene->at[i] = place_samples(slot, scene, WVL_LATTICE_ROOM);
        wvl_slots_put_scratch(scene, scene->at[i], WVL_LATTICE_ROOM * sample_bytes(slot));
    }
    for (unsigned i = P; i <= Q; i++) {
        scene->at[i] = wvl_slots_place_bytes(scene, bytes);
        wvl_slots_put_output(scene, scene->at[i], bytes, 0, 0);
    }
}

static void call_run(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    void *const at[] = {bytes + scene->at[U], bytes + scene->at[V], bytes + scene->at[P], bytes + scene->at[Q],
                        bytes + scene->at[STEPS]};
    if (slot->kind >= DOUBLE) {
        ((wvl_lattice_run_f64)entry)(at[STEPS], at[U], at[V], at[P], at[Q], count_of(scene));
    } else {
        ((wvl_lattice_run_f32)entry)(at[STEPS], at[U], at[V], at[P], at[Q], count_of(scene));
    }
}

/* ---- Pairs ---- */

static void make_split(const wvl_slot *slot, wvl_slot_scene *scene)
{
    size_t bytes = count_of(scene) * sample_bytes(slot);
    scene->units = 2 * (uint64_t)count_of(scene);
    scene->at[P] = place_samples(slot, scene, 2 * count_of(scene));
    for (unsigned i = U; i <= V; i++) {
        scene->at[i] = wvl_slots_place_bytes(scene, bytes);
        wvl_slots_put_output(scene, scene->at[i], bytes, 0, 0);
    }
}

static void make_merge(const wvl_slot *slot, wvl_slot_scene *scene)
{
    size_t bytes = 2 * count_of(scene) * sample_bytes(slot);
    scene->units = 2 * (uint64_t)count_of(scene);
    scene->at[U] = place_samples(slot, scene, count_of(scene));
    scene->at[V] = place_samples(slot, scene, count_of(scene));
    scene->at[P] = wvl_slots_place_bytes(scene, bytes);
    wvl_slots_put_output(scene, scene->at[P], bytes, 0, 0);
}

static void call_pairs(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    void *x = bytes + scene->at[P], *u = bytes + scene->at[U], *v = bytes + scene->at[V];
    uint32_t n = count_of(scene);
    switch (slot->kind) {
    case SPLIT: ((void (*)(const float *, float *, float *, uint32_t))entry)(x, u, v, n); break;
    case MERGE: ((void (*)(const float *, const float *, float *, uint32_t))entry)(u, v, x, n); break;
    case DOUBLE + SPLIT: ((void (*)(const double *, double *, double *, uint32_t))entry)(x, u, v, n); break;
    default: ((void (*)(const double *, const double *, double *, uint32_t))entry)(u, v, x, n);
    }
}

#define RUN(name, kind)                                                                                                \
    {                                                                                                                  \
        "lattice." name, "sample", kind, STYLES, 0, fetch, make_run, call_run, NULL                                    \
    }

static const wvl_slot slots[] = {
    RUN("forward.f32", FORWARD),
    RUN("inverse.f32", INVERSE),
    RUN("convolve.f32", CONVOLVE),
    RUN("convolve-back.f32", CONVOLVE_BACK),
    {"lattice.split.f32", "sample", SPLIT, 1, 0, fetch, make_split, call_pairs, NULL},
    {"lattice.merge.f32", "sample", MERGE, 1, 0, fetch, make_merge, call_pairs, NULL},
    RUN("forward.f64", DOUBLE + FORWARD),
    RUN("inverse.f64", DOUBLE + INVERSE),
    RUN("convolve.f64", DOUBLE + CONVOLVE),
    RUN("convolve-back.f64", DOUBLE + CONVOLVE_BACK),
    {"lattice.split.f64", "sample", DOUBLE + SPLIT, 1, 0, fetch, make_split, call_pairs, NULL},
    {"lattice.merge.f64", "sample", DOUBLE + MERGE, 1, 0, fetch, make_merge, call_pairs, NULL},
};
const wvl_slot_list wvl_slots_lattice = {slots, sizeof slots / sizeof *slots};
