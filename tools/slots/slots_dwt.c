/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of the transform: vertical and horizontal lifting of lines, and packing of coefficients. */
#include <math.h>
#include <string.h>

#include "dwt/dwt.h"
#include "tools/slots/slots.h"

enum { LINE_STYLES = 5, PACK_STYLES = 4 };

static uint32_t round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

/* Noise, weak noise, extremes, a constant, zeros of both signs. Amplitudes keep every intermediate in range. */
static void draw_line(wvl_slot_scene *scene, unsigned kind, size_t at, uint32_t n)
{
    unsigned style = scene->shape.style;
    for (uint32_t i = 0; i < n; i++) {
        int64_t v = (int64_t)(wvl_slots_draw(scene) >> 36) - (1 << 27), extreme = v < 0 ? -(1 << 27) : 1 << 27;
        const int64_t by_style[LINE_STYLES] = {v, v >> 20, extreme, 12345, 0};
        uint8_t *to = scene->bytes + at + (size_t)i * wvl_line_element_bytes(kind);
        int32_t narrow = (int32_t)by_style[style];
        int64_t wide = by_style[style] * 16;
        float real = ldexpf((float)by_style[style], (int)(wvl_slots_draw(scene) % 9) - 30);
        real = style == 4 && v & 1 ? -0.0f : real;
        const void *const sources[WVL_LINE_KINDS] = {&narrow, &wide, &real};
        memcpy(to, sources[kind], wvl_line_element_bytes(kind));
    }
}

/* A line with its room; the offset of its first sample. */
static size_t place_line(wvl_slot_scene *scene, unsigned kind, uint32_t n)
{
    uint32_t elements = WVL_LINE_LEAD + round_up(n, WVL_LINE_ROUND) + WVL_LINE_TAIL;
    return wvl_slots_place_bytes(scene, (size_t)elements * wvl_line_element_bytes(kind)) +
           (size_t)WVL_LINE_LEAD * wvl_line_element_bytes(kind);
}

/* ---- Vertical ---- */

enum { ROW_X0, ROW_X1, ROW_X2, ROW_D, ROW_S, ROW_DP, ROW_SP, ROW_DPP, ROWS };

static void make_vlift(const wvl_slot *slot, wvl_slot_scene *scene)
{
    uint32_t n = scene->shape.width, bytes = wvl_line_element_bytes(slot->kind);
    int in_place = scene->shape.style && wvl_slots_draw(scene) & 1;
    scene->units = 2 * (uint64_t)n; /* two rows arrive */
    for (unsigned r = 0; r < ROWS; r++) {
        scene->at[r] = place_line(scene, slot->kind, n);
        if (r != ROW_D && r != ROW_S) {
            draw_line(scene, slot->kind, scene->at[r], n);
        }
    }
    scene->number[ROW_D - ROW_D] = in_place ? ROW_X1 : ROW_D;
    scene->number[ROW_S - ROW_D] = in_place ? ROW_X0 : ROW_S;
    const uint32_t written[] = {scene->number[0], scene->number[1], ROW_DP, ROW_SP};
    for (unsigned i = 0; i < 4; i++) {
        wvl_slots_put_output(scene, scene->at[written[i]], (size_t)n * bytes, 0,
                             (size_t)(round_up(n, WVL_LINE_ROUND) - n) * bytes);
    }
}

static void call_vlift(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    const size_t *at = scene->at;
    wvl_vlift_rows rows = {.x0 = bytes + at[ROW_X0],
                           .x1 = bytes + at[ROW_X1],
                           .x2 = bytes + at[ROW_X2],
                           .d = bytes + at[scene->number[0]],
                           .s = bytes + at[scene->number[1]],
                           .dp = bytes + at[ROW_DP],
                           .sp = bytes + at[ROW_SP],
                           .dpp = bytes + at[ROW_DPP]};
    (void)slot;
    ((void (*)(const wvl_vlift_rows *, uint32_t))entry)(&rows, scene->shape.width);
}

static wvl_slot_entry fetch_vlift(const wvl_slot *slot, wvl_cpu_level level)
{
    return (wvl_slot_entry)wvl_dwt_fetch_kernels(level)->vlift[slot->kind];
}

/* ---- Horizontal ---- */

static void make_hlift(const wvl_slot *slot, wvl_slot_scene *scene)
{
    uint32_t n = scene->shape.width < 2 ? 2 : scene->shape.width, bytes = wvl_line_element_bytes(slot->kind);
    uint32_t parity = scene->shape.style ? (uint32_t)wvl_slots_draw(scene) & 1 : 0;
    uint32_t low = (n + 1 - parity) / 2, high = n - low;
    scene->units = n;
    scene->number[0] = n;
    scene->number[1] = parity;
    scene->at[0] = place_line(scene, slot->kind, n);
    draw_line(scene, slot->kind, scene->at[0], n);
    scene->at[1] = place_line(scene, slot->kind, low);
    scene->at[2] = place_line(scene, slot->kind, high);
    wvl_slots_put_scratch(scene, scene->at[0] - (size_t)WVL_LINE_LEAD * bytes, (size_t)WVL_LINE_LEAD * bytes);
    wvl_slots_put_scratch(scene, scene->at[0] + (size_t)n * bytes, (size_t)WVL_LINE_TAIL * bytes);
    wvl_slots_put_output(scene, scene->at[1], (size_t)low * bytes, 0,
                         (size_t)(round_up(low, WVL_LINE_ROUND) - low) * bytes);
    wvl_slots_put_output(scene, scene->at[2], (size_t)high * bytes, (size_t)WVL_LINE_LEAD * bytes,
                         (size_t)(round_up(high, WVL_LINE_ROUND) - high + WVL_LINE_TAIL) * bytes);
}

static void call_hlift(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    (void)slot;
    ((void (*)(void *, uint32_t, unsigned, void *, void *))entry)(
        bytes + scene->at[0], scene->number[0], scene->number[1], bytes + scene->at[1], bytes + scene->at[2]);
}

static wvl_slot_entry fetch_hlift(const wvl_slot *slot, wvl_cpu_level level)
{
    return (wvl_slot_entry)wvl_dwt_fetch_kernels(level)->hlift[slot->kind];
}

/* ---- Packing ---- */

static const uint8_t pack_kind[WVL_PACK_KINDS] = {WVL_LINE_I32, WVL_LINE_I32, WVL_LINE_I64, WVL_LINE_F32,
                                                  WVL_LINE_F32, WVL_LINE_F32, WVL_LINE_I64};
static const uint8_t pack_bits[WVL_PACK_KINDS] = {15, 31, 31, 15, 23, 31, 37}; /* of magnitudes */
static const uint8_t pack_bytes[WVL_PACK_KINDS] = {2, 4, 4, 2, 4, 4, 8};

/* A float whose product with r is an integer, or the nearest float on either side of one, or anything below 2^bits. */
static float draw_near_integer(wvl_slot_scene *scene, float r, unsigned bits)
{
    double target = (double)(wvl_slots_draw(scene) % (((uint64_t)1 << bits) - 1));
    target *= wvl_slots_draw(scene) % 4 ? 1.0 : ldexp(1.0, -(int)(wvl_slots_draw(scene) % bits));
    float x = (float)(target / (double)r);
    unsigned nudge = wvl_slots_draw(scene) % 4;
    if (nudge == 1 || nudge == 2) {
        x = nextafterf(x, nudge == 1 ? INFINITY : 0.0f);
    }
    while ((double)x * (double)r >= ldexp(1.0, (int)bits)) {
        x = nextafterf(x, 0.0f);
    }
    return wvl_slots_draw(scene) & 1 ? -x : x;
}

static void draw_packable(const wvl_slot *slot, wvl_slot_scene *scene, uint32_t i)
{
    unsigned bits = pack_bits[slot->kind], kind = pack_kind[slot->kind], style = scene->shape.style;
    uint64_t v = wvl_slots_draw(scene);
    const int64_t by_style[PACK_STYLES] = {(int64_t)(v >> (64 - bits)), (int64_t)(v >> 8) % 3, ((int64_t)1 << bits) - 1,
                                           0};
    int64_t wide = v & 1 ? -by_style[style] : by_style[style];
    int32_t narrow = (int32_t)wide;
    float real = kind == WVL_LINE_F32 ? draw_near_integer(scene, scene->factor, bits) : 0.0f;
    if (style == 3) {
        real = v & 1 ? -0.0f : 1e-42f;
    }
    const void *const sources[WVL_LINE_KINDS] = {&narrow, &wide, &real};
    memcpy(scene->bytes + scene->at[0] + (size_t)i * wvl_line_element_bytes(kind), sources[kind],
           wvl_line_element_bytes(kind));
}

static void make_pack(const wvl_slot *slot, wvl_slot_scene *scene)
{
    uint32_t n = scene->shape.width, offset = scene->shape.style ? (uint32_t)(wvl_slots_draw(scene) % 9) : 0;
    uint32_t bytes = pack_bytes[slot->kind];
    scene->units = n;
    scene->factor =
        ldexpf(1.0f + (float)(wvl_slots_draw(scene) >> 40) / 16777216.0f, (int)(wvl_slots_draw(scene) % 16) - 8);
    scene->at[0] = place_line(scene, pack_kind[slot->kind], n + offset) +
                   (size_t)offset * wvl_line_element_bytes(pack_kind[slot->kind]);
    for (uint32_t i = 0; i < n; i++) {
        draw_packable(slot, scene, i);
    }
    scene->at[1] = wvl_slots_place_bytes(scene, (size_t)round_up(n, 8) * bytes);
    scene->at[2] = wvl_slots_place_bytes(scene, sizeof(uint32_t));
    wvl_slots_put_output(scene, scene->at[1], (size_t)n * bytes, 0, (size_t)(round_up(n, 8) - n) * bytes);
    wvl_slots_put_output(scene, scene->at[2], sizeof(uint32_t), 0, 0);
}

static void call_pack(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    (void)slot;
    uint32_t bound = ((uint32_t(*)(const void *, uint32_t, float, void *))entry)(
        bytes + scene->at[0], scene->shape.width, scene->factor, bytes + scene->at[1]);
    memcpy(bytes + scene->at[2], &bound, sizeof bound);
}

static wvl_slot_entry fetch_pack(const wvl_slot *slot, wvl_cpu_level level)
{
    return (wvl_slot_entry)wvl_dwt_fetch_kernels(level)->pack[slot->kind];
}

#define VLIFT(name, kind)                                                                                              \
    {                                                                                                                  \
        "dwt.vlift." name, "sample", kind, LINE_STYLES, 0, fetch_vlift, make_vlift, call_vlift, NULL                   \
    }
#define HLIFT(name, kind)                                                                                              \
    {                                                                                                                  \
        "dwt.hlift." name, "sample", kind, LINE_STYLES, 0, fetch_hlift, make_hlift, call_hlift, NULL                   \
    }
#define PACK(name, kind)                                                                                               \
    {                                                                                                                  \
        "dwt.pack." name, "sample", kind, PACK_STYLES, 0, fetch_pack, make_pack, call_pack, NULL                       \
    }

static const wvl_slot slots[] = {
    VLIFT("5/3", WVL_LINE_I32),      VLIFT("5/3-deep", WVL_LINE_I64), VLIFT("9/7", WVL_LINE_F32),
    HLIFT("5/3", WVL_LINE_I32),      HLIFT("5/3-deep", WVL_LINE_I64), HLIFT("9/7", WVL_LINE_F32),
    PACK("i32-16", WVL_PACK_I32_16), PACK("i32-32", WVL_PACK_I32_32), PACK("i64-32", WVL_PACK_I64_32),
    PACK("f32-16", WVL_PACK_F32_16), PACK("f32-32", WVL_PACK_F32_32), PACK("f32-32-deep", WVL_PACK_F32_32_DEEP),
    PACK("i64-64", WVL_PACK_I64_64),
};
const wvl_slot_list wvl_slots_dwt = {slots, sizeof slots / sizeof *slots};
