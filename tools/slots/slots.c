/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/slots/slots.h"

#include <stdlib.h>
#include <string.h>

wvl_slot_entry wvl_slots_fetch_own(const wvl_slot *slot, wvl_cpu_level level)
{
    wvl_slot_entry entry = slot->fetch(slot, level);
    for (unsigned below = WVL_CPU_C; below < (unsigned)level; below++) {
        if (wvl_cpu_has_level((wvl_cpu_level)below) && slot->fetch(slot, (wvl_cpu_level)below) == entry) {
            return NULL;
        }
    }
    return entry;
}

uint64_t wvl_slots_draw(wvl_slot_scene *scene)
{
    /* splitmix64 */
    uint64_t z = (scene->seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

size_t wvl_slots_place_bytes(wvl_slot_scene *scene, size_t bytes)
{
    size_t at = scene->used + WVL_SLOTS_GUARD_BYTES;
    scene->used = (at + bytes + 63) / 64 * 64 + WVL_SLOTS_GUARD_BYTES;
    if (scene->used > WVL_SLOTS_SCENE_BYTES) {
        abort(); /* a slot of the table is larger than a scene: a fault of the table */
    }
    return at;
}

void wvl_slots_put_output(wvl_slot_scene *scene, size_t at, size_t bytes, size_t before, size_t after)
{
    if (scene->output_count == WVL_SLOTS_OUTPUTS) {
        abort();
    }
    scene->outputs[scene->output_count++] = (wvl_slot_output){at, at + bytes, at - before, at + bytes + after};
}

void wvl_slots_put_scratch(wvl_slot_scene *scene, size_t at, size_t bytes)
{
    if (scene->output_count == WVL_SLOTS_OUTPUTS) {
        abort();
    }
    /* from > to: both levels may write, nothing is compared */
    scene->outputs[scene->output_count++] = (wvl_slot_output){at + bytes, at, at, at + bytes};
}

void wvl_slots_make_scene(const wvl_slot *slot, wvl_slot_shape shape, uint64_t seed, wvl_slot_scene *scene)
{
    uint8_t *bytes = scene->bytes;
    size_t dirty = scene->used;
    memset(scene, 0, sizeof *scene);
    scene->bytes = bytes;
    scene->shape = shape;
    scene->seed = seed;
    memset(bytes, WVL_SLOTS_POISON, dirty ? dirty : WVL_SLOTS_SCENE_BYTES);
    slot->make(slot, scene);
}

/* ---- Comparison ---- */

/* Bytes that the level may have written get the other side's value, so that the rest can be compared at once. */
static void hide_outputs(const wvl_slot_scene *scene, int with_room, uint8_t *bytes)
{
    for (unsigned i = 0; i < scene->output_count; i++) {
        const wvl_slot_output *o = &scene->outputs[i];
        int is_wide = with_room || o->from > o->to;
        size_t from = is_wide ? o->room_from : o->from, to = is_wide ? o->room_to : o->to;
        memcpy(bytes + from, scene->bytes + from, to - from);
    }
}

static size_t find_difference(const uint8_t *a, const uint8_t *b, size_t from, size_t to)
{
    if (from >= to || !memcmp(a + from, b + from, to - from)) {
        return 0;
    }
    while (a[from] == b[from]) {
        from++;
    }
    return from + 1;
}

static void run_level(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    memcpy(bytes, scene->bytes, scene->used);
    slot->call(slot, entry, scene, bytes);
    if (slot->settle) {
        slot->settle(slot, scene, bytes);
    }
}

size_t wvl_slots_compare_level(const wvl_slot *slot, const wvl_slot_scene *scene, wvl_cpu_level level, uint8_t *plain,
                               uint8_t *fast)
{
    size_t wrong = 0;
    run_level(slot, slot->fetch(slot, WVL_CPU_C), scene, plain);
    run_level(slot, slot->fetch(slot, level), scene, fast);
    for (unsigned i = 0; i < scene->output_count && !wrong; i++) {
        wrong = find_difference(plain, fast, scene->outputs[i].from, scene->outputs[i].to);
    }
    hide_outputs(scene, level != WVL_CPU_C, fast);
    hide_outputs(scene, 0, plain);
    wrong = wrong ? wrong : find_difference(scene->bytes, plain, 0, scene->used);
    return wrong ? wrong : find_difference(scene->bytes, fast, 0, scene->used);
}

/* ---- Blocks ---- */

/* Magnitudes of a coded band: many small ones, some large, in clusters; other styles are noise of any depth. */
static uint32_t draw_magnitude(wvl_slot_scene *scene, uint32_t x, uint32_t y, unsigned bits)
{
    uint64_t v = wvl_slots_draw(scene);
    if (scene->shape.style == 0) {
        unsigned busy = (x / 8 * 5 + y / 8 * 3) % 4, drop = (unsigned)(v >> 58) % 8 + 2 * busy;
        return drop < bits ? (uint32_t)v & ((1u << (bits - drop)) - 1) : 0;
    }
    return (uint32_t)(v >> 33) >> (31 - bits) >> (v % (scene->shape.style == 1 ? 4 : bits + 2) % 32);
}

void wvl_slots_make_block(wvl_slot_scene *scene)
{
    uint32_t w = scene->shape.width, h = scene->shape.height,
             odd = scene->shape.style ? (uint32_t)wvl_slots_draw(scene) % 4 : 0;
    unsigned is_wide = scene->shape.style > 1, most = is_wide ? 31 : 15;
    unsigned bits = scene->shape.style ? 1 + (unsigned)(wvl_slots_draw(scene) % most) : 11;
    uint32_t stride = w + odd, bound = 0, bytes = is_wide ? 4 : 2;
    scene->at[0] = wvl_slots_place_bytes(scene, (size_t)stride * h * bytes);
    for (uint32_t i = 0; i < stride * h; i++) {
        uint32_t m = draw_magnitude(scene, i % stride, i / stride, bits), sign = (uint32_t)wvl_slots_draw(scene) & 1;
        uint16_t half = (uint16_t)(m | sign << 15);
        uint32_t whole = m | sign << 31;
        bound |= i % stride < w ? m : 0;
        memcpy(scene->bytes + scene->at[0] + (size_t)i * bytes, is_wide ? (void *)&whole : (void *)&half, bytes);
    }
    scene->block = (wvl_block_input){.stride = stride,
                                     .width = (uint16_t)w,
                                     .height = (uint16_t)h,
                                     .coef_bytes = (uint8_t)bytes,
                                     .orient = scene->shape.style % 4,
                                     .want_gains = 1,
                                     .max_passes = 255,
                                     .bound = bound};
    scene->units = (uint64_t)w * h;
}

wvl_block_input wvl_slots_fetch_block(const wvl_slot_scene *scene, const uint8_t *bytes)
{
    wvl_block_input in = scene->block;
    in.coefs = bytes + scene->at[0];
    return in;
}
