/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of the HT block coder (codec/ht/ht_block.h). */
#include <string.h>

#include "codec/ht/ht.h"
#include "codec/ht/ht_block.h"
#include "tools/slots/slots.h"

enum { STYLES = 4 };
enum { COEFS, SCRATCH, RESULT, BYTES };

static const wvl_ht_kernels *kernels_of(wvl_cpu_level level)
{
#ifdef WVL_HAVE_AVX2
    if (level == WVL_CPU_AVX512) {
        return &wvl_ht_kernels_avx512;
    }
    if (level == WVL_CPU_AVX2) {
        return &wvl_ht_kernels_avx2;
    }
#endif
#ifdef WVL_HAVE_NEON
    if (level == WVL_CPU_NEON) {
        return &wvl_ht_kernels_neon;
    }
#endif
    (void)level;
    return &wvl_ht_kernels_c;
}

static wvl_ht_scratch *scratch_of(const wvl_slot_scene *scene, uint8_t *bytes)
{
    return (wvl_ht_scratch *)(void *)(bytes + scene->at[SCRATCH]);
}

static void place_result(wvl_slot_scene *scene, size_t bytes)
{
    scene->at[RESULT] = wvl_slots_place_bytes(scene, bytes);
    wvl_slots_put_output(scene, scene->at[RESULT], bytes, 0, 0);
}

static unsigned count_planes(uint32_t bound)
{
    unsigned planes = 0;
    while (bound >> planes) {
        planes++;
    }
    return planes;
}

/* Magnitudes reach the plane; number[0] is the plane, number[1] the bytes that a segment may take. */
static void make_coding(wvl_slot_scene *scene, unsigned lowest)
{
    wvl_slots_make_block(scene);
    scene->block.bound |= 1u << lowest; /* larger than what is there: allowed */
    unsigned planes = count_planes(scene->block.bound), range = planes - lowest;
    uint32_t drawn = lowest + (uint32_t)(wvl_slots_draw(scene) % range);
    scene->number[0] = scene->shape.style ? drawn : lowest;
    scene->number[1] = (uint32_t)wvl_ht_block_coder.bytes_bound(scene->shape.width, scene->shape.height, planes, 0);
    scene->at[SCRATCH] = wvl_slots_place_bytes(scene, sizeof(wvl_ht_scratch));
}

static void place_segment(wvl_slot_scene *scene)
{
    scene->at[BYTES] = wvl_slots_place_bytes(scene, scene->number[1]);
    wvl_slots_put_output(scene, scene->at[BYTES], scene->number[1], 0, 0);
}

/* ---- Cleanup ---- */

static void make_cleanup(const wvl_slot *slot, wvl_slot_scene *scene)
{
    (void)slot;
    make_coding(scene, 0);
    place_result(scene, sizeof(uint32_t));
    place_segment(scene);
    wvl_slots_put_scratch(scene, scene->at[SCRATCH], sizeof(wvl_ht_scratch));
}

static void call_cleanup(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    wvl_block_input in = wvl_slots_fetch_block(scene, bytes);
    (void)slot;
    uint32_t length = ((uint32_t(*)(wvl_ht_scratch *, const wvl_block_input *, unsigned, uint8_t *))entry)(
        scratch_of(scene, bytes), &in, scene->number[0], bytes + scene->at[BYTES]);
    memcpy(bytes + scene->at[RESULT], &length, sizeof length);
}

/* Behind a segment its room is free. */
static void clear_behind(const wvl_slot_scene *scene, uint8_t *bytes, uint32_t length)
{
    if (length < scene->number[1]) {
        memset(bytes + scene->at[BYTES] + length, 0, scene->number[1] - length);
    }
}

static void settle_cleanup(const wvl_slot *slot, const wvl_slot_scene *scene, uint8_t *bytes)
{
    uint32_t length;
    (void)slot;
    memcpy(&length, bytes + scene->at[RESULT], sizeof length);
    clear_behind(scene, bytes, length);
}

static wvl_slot_entry fetch_cleanup(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)kernels_of(level)->encode_cleanup;
}

/* ---- Refinement: slot->kind says whether MagRef follows SigProp ---- */

static void make_refinement(const wvl_slot *slot, wvl_slot_scene *scene)
{
    (void)slot;
    make_coding(scene, 1);
    place_result(scene, sizeof(wvl_ht_refinement));
    place_segment(scene);
    wvl_slots_put_scratch(scene, scene->at[SCRATCH], sizeof(wvl_ht_scratch));
}

static void call_refinement(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    wvl_block_input in = wvl_slots_fetch_block(scene, bytes);
    wvl_ht_refinement r =
        ((wvl_ht_refinement(*)(wvl_ht_scratch *, const wvl_block_input *, unsigned, int, uint8_t *))entry)(
            scratch_of(scene, bytes), &in, scene->number[0], (int)slot->kind, bytes + scene->at[BYTES]);
    memcpy(bytes + scene->at[RESULT], &r, sizeof r);
}

/* The tail has as many bytes as SigProp ends in. */
static void settle_refinement(const wvl_slot *slot, const wvl_slot_scene *scene, uint8_t *bytes)
{
    wvl_ht_refinement r;
    (void)slot;
    memcpy(&r, bytes + scene->at[RESULT], sizeof r);
    clear_behind(scene, bytes, r.bytes);
    for (uint32_t i = r.sigprop_bytes - r.tail_at; i < sizeof r.tail; i++) {
        r.tail[i] = 0;
    }
    memset(bytes + scene->at[RESULT], 0, sizeof r);
    memcpy(bytes + scene->at[RESULT], &r, offsetof(wvl_ht_refinement, tail) + sizeof r.tail);
}

static wvl_slot_entry fetch_refinement(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)kernels_of(level)->encode_refinement;
}

/* ---- Sums ---- */

static void make_plane_sums(const wvl_slot *slot, wvl_slot_scene *scene)
{
    (void)slot;
    make_coding(scene, 1);
    scene->at[BYTES] = wvl_slots_place_bytes(scene, scene->number[1]);
    place_result(scene, sizeof(wvl_ht_sums));
    wvl_block_input in = wvl_slots_fetch_block(scene, scene->bytes);
    wvl_ht_kernels_c.encode_refinement(scratch_of(scene, scene->bytes), &in, scene->number[0], 1,
                                       scene->bytes + scene->at[BYTES]);
}

static void call_plane_sums(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    wvl_block_input in = wvl_slots_fetch_block(scene, bytes);
    (void)slot;
    ((void (*)(const wvl_ht_scratch *, const wvl_block_input *, unsigned, wvl_ht_sums *))entry)(
        scratch_of(scene, bytes), &in, scene->number[0] - 1, (wvl_ht_sums *)(void *)(bytes + scene->at[RESULT]));
}

static wvl_slot_entry fetch_plane_sums(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)kernels_of(level)->sum_plane;
}

/* Samples have 16 bits. */
static void make_squares(const wvl_slot *slot, wvl_slot_scene *scene)
{
    (void)slot;
    wvl_slots_make_block(scene);
    scene->number[0] = scene->shape.style ? (uint32_t)(wvl_slots_draw(scene) % 15) : 4;
    place_result(scene, sizeof(wvl_ht_squares));
}

static void call_squares(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    wvl_block_input in = wvl_slots_fetch_block(scene, bytes);
    (void)slot;
    ((void (*)(const wvl_block_input *, unsigned, wvl_ht_squares *))entry)(
        &in, scene->number[0], (wvl_ht_squares *)(void *)(bytes + scene->at[RESULT]));
}

static wvl_slot_entry fetch_squares(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)kernels_of(level)->sum_squares;
}

static const wvl_slot slots[] = {
    {"ht.encode_cleanup", "sample", 0, STYLES, 1, fetch_cleanup, make_cleanup, call_cleanup, settle_cleanup},
    {"ht.encode_refinement.sigprop", "sample", 0, STYLES, 1, fetch_refinement, make_refinement, call_refinement,
     settle_refinement},
    {"ht.encode_refinement.magref", "sample", 1, STYLES, 1, fetch_refinement, make_refinement, call_refinement,
     settle_refinement},
    {"ht.sum_plane", "sample", 0, STYLES, 1, fetch_plane_sums, make_plane_sums, call_plane_sums, NULL},
    {"ht.sum_squares", "sample", 0, 2, 1, fetch_squares, make_squares, call_squares, NULL},
};
const wvl_slot_list wvl_slots_ht = {slots, sizeof slots / sizeof *slots};
