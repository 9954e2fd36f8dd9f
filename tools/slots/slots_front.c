/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of the front: loads of all containers, component transforms, conversion to X'Y'Z'. */
#include <string.h>

#include "front/front.h"
#include "geom/color.h"
#include "geom/container.h"
#include "tools/slots/slots.h"

enum { LOAD_STYLES = 2, CONVERT_STYLES = 3, COLOR_STYLES = 5, SAMPLE_BYTES = sizeof(int32_t) };

static const uint8_t load_bits[WVL_LOAD_KINDS] = {8, 8, 16, 16, 32, 10, 12, 10, 10, 12, 12, 12, 12, 10, 10, 16};
static const uint8_t load_container[WVL_LOAD_KINDS] = {
    WVL_SAMPLE_8,           WVL_SAMPLE_8,           WVL_SAMPLE_16,          WVL_SAMPLE_16,
    WVL_SAMPLE_32,          WVL_SAMPLE_PACKED10,    WVL_SAMPLE_PACKED12,    WVL_SAMPLE_FILLED10_BE,
    WVL_SAMPLE_FILLED10_LE, WVL_SAMPLE_FILLED12_BE, WVL_SAMPLE_FILLED12_LE, WVL_SAMPLE_WORDS12_BE,
    WVL_SAMPLE_WORDS12_LE,  WVL_SAMPLE_WORDS10_BE,  WVL_SAMPLE_WORDS10_LE,  WVL_SAMPLE_16_BE};
static const uint8_t load_signed[WVL_LOAD_KINDS] = {0, 1, 0, 1};

static wvl_front_shift shift_of(unsigned kind)
{
    uint32_t half = 1u << ((load_bits[kind] > 28 ? 28 : load_bits[kind]) - 1);
    return (wvl_front_shift){load_signed[kind] ? half : 0, half};
}

static size_t place_line(wvl_slot_scene *scene, uint32_t n, uint32_t bytes)
{
    return wvl_slots_place_bytes(scene, ((size_t)WVL_LINE_LEAD + n + WVL_LINE_ROUND + WVL_LINE_TAIL) * bytes) +
           (size_t)WVL_LINE_LEAD * bytes;
}

static void place_seen(wvl_slot_scene *scene, unsigned place)
{
    scene->at[place] = wvl_slots_place_bytes(scene, sizeof(uint32_t));
    wvl_slots_put_output(scene, scene->at[place], sizeof(uint32_t), 0, 0);
}

static void put_seen(const wvl_slot_scene *scene, unsigned place, uint8_t *bytes, uint32_t seen)
{
    memcpy(bytes + scene->at[place], &seen, sizeof seen);
}

/* ---- Loads: places are the row, three lines, and what was seen ---- */

enum { ROW, LINES, SEEN = LINES + 3 };

static void make_row(wvl_slot_scene *scene, unsigned kind, uint64_t containers)
{
    size_t bytes = (size_t)wvl_container_bytes(load_container[kind], containers);
    scene->at[ROW] = wvl_slots_place_bytes(scene, bytes);
    for (size_t i = 0; i < bytes; i++) {
        scene->bytes[scene->at[ROW] + i] = (uint8_t)wvl_slots_draw(scene);
    }
}

static void make_load(wvl_slot_scene *scene, unsigned kind, uint32_t first, uint32_t stride, unsigned lines)
{
    uint32_t n = scene->shape.width;
    scene->units = (uint64_t)n * lines;
    scene->number[0] = first;
    scene->number[1] = stride;
    make_row(scene, kind, first + (uint64_t)(n - 1) * stride + lines);
    for (unsigned c = 0; c < lines; c++) {
        scene->at[LINES + c] = place_line(scene, n, SAMPLE_BYTES);
        wvl_slots_put_output(scene, scene->at[LINES + c], (size_t)n * SAMPLE_BYTES, 0, 0);
    }
    place_seen(scene, SEEN);
}

static void make_strided(const wvl_slot *slot, wvl_slot_scene *scene)
{
    int is_typical = scene->shape.style == 0;
    uint32_t first = is_typical ? 0 : (uint32_t)(wvl_slots_draw(scene) % 5);
    make_load(scene, slot->kind, first, is_typical ? 4 : 1 + (uint32_t)(wvl_slots_draw(scene) % 4), 1);
}

static void make_contiguous(const wvl_slot *slot, wvl_slot_scene *scene)
{
    make_load(scene, slot->kind, scene->shape.style ? (uint32_t)(wvl_slots_draw(scene) % 5) : 0, 1, 1);
}

static void make_triple(const wvl_slot *slot, wvl_slot_scene *scene) { make_load(scene, slot->kind, 0, 3, 3); }

static void call_load(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    uint32_t seen =
        ((wvl_front_load1)entry)(bytes + scene->at[ROW], scene->number[0], scene->number[1], scene->shape.width,
                                 shift_of(slot->kind), (int32_t *)(void *)(bytes + scene->at[LINES]));
    put_seen(scene, SEEN, bytes, seen);
}

/* Level C loads the three one by one. */
static void call_triple(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    const uint8_t *row = bytes + scene->at[ROW];
    uint32_t n = scene->shape.width, seen = 0;
    int32_t *out[3];
    for (unsigned c = 0; c < 3; c++) {
        out[c] = (int32_t *)(void *)(bytes + scene->at[LINES + c]);
        if (!entry) {
            seen |= wvl_front_fetch_kernels(WVL_CPU_C)->strided[slot->kind](row, c, 3, n, shift_of(slot->kind), out[c]);
        }
    }
    if (entry) {
        seen = ((wvl_front_load3)entry)(row, 0, n, shift_of(slot->kind), out);
    }
    put_seen(scene, SEEN, bytes, seen);
}

static wvl_slot_entry fetch_strided(const wvl_slot *slot, wvl_cpu_level level)
{
    return (wvl_slot_entry)wvl_front_fetch_kernels(level)->strided[slot->kind];
}

static wvl_slot_entry fetch_contiguous(const wvl_slot *slot, wvl_cpu_level level)
{
    return (wvl_slot_entry)wvl_front_fetch_kernels(level)->contiguous[slot->kind];
}

static wvl_slot_entry fetch_triple(const wvl_slot *slot, wvl_cpu_level level)
{
    return (wvl_slot_entry)wvl_front_fetch_kernels(level)->triple[slot->kind];
}

/* ---- Conversions: three lines in, one or three out ---- */

static const uint8_t convert_lines[WVL_CONVERT_KINDS] = {1, 1, 3, 3, 3};
static const uint8_t convert_bytes[WVL_CONVERT_KINDS] = {8, 4, 4, 8, 4};

/* Samples of `depth` bits with a share of extremes; `half` is taken off. */
static void draw_samples(wvl_slot_scene *scene, size_t at, unsigned depth, uint32_t half)
{
    for (uint32_t i = 0; i < scene->shape.width; i++) {
        uint64_t v = wvl_slots_draw(scene);
        uint32_t extreme = v & 8 ? (1u << depth) - 1 : 0;
        int32_t sample = (int32_t)((v & 7 ? (uint32_t)(v >> (64 - depth)) : extreme) - half);
        memcpy(scene->bytes + at + (size_t)i * SAMPLE_BYTES, &sample, SAMPLE_BYTES);
    }
}

static void make_convert(const wvl_slot *slot, wvl_slot_scene *scene)
{
    uint32_t n = scene->shape.width, bytes = convert_bytes[slot->kind];
    unsigned depth = scene->shape.style ? 1 + (unsigned)(wvl_slots_draw(scene) % 28) : 10;
    scene->units = (uint64_t)n * convert_lines[slot->kind];
    for (unsigned c = 0; c < 3; c++) {
        scene->at[c] = place_line(scene, n, SAMPLE_BYTES);
        draw_samples(scene, scene->at[c], depth, 1u << (depth - 1));
        scene->at[3 + c] = place_line(scene, n, bytes);
        if (c < convert_lines[slot->kind]) {
            uint32_t slack = (WVL_LINE_ROUND - n % WVL_LINE_ROUND) % WVL_LINE_ROUND;
            wvl_slots_put_output(scene, scene->at[3 + c], (size_t)n * bytes, 0, (size_t)slack * bytes);
        }
    }
}

static void call_convert(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    const int32_t *in[3];
    void *out[3];
    (void)slot;
    for (unsigned c = 0; c < 3; c++) {
        in[c] = (const int32_t *)(const void *)(bytes + scene->at[c]);
        out[c] = bytes + scene->at[3 + c];
    }
    ((wvl_front_convert)entry)(in, scene->shape.width, out);
}

static wvl_slot_entry fetch_convert(const wvl_slot *slot, wvl_cpu_level level)
{
    return (wvl_slot_entry)wvl_front_fetch_kernels(level)->convert[slot->kind];
}

/* ---- X'Y'Z', in place ---- */

static double xyz_tables[(3u << 16) + (3u << 15)];

/* The plan's constants; tables are kept until another depth is asked for. */
static const wvl_plan_xyz *fetch_xyz(unsigned kind, unsigned depth)
{
    static wvl_plan_xyz xyz;
    if (xyz.kind != kind || xyz.depth != depth) {
        uint8_t bits = (uint8_t)depth;
        wvl_component_format components[3] = {{bits, 0, 1, 1}, {bits, 0, 1, 1}, {bits, 0, 1, 1}};
        wvl_image_format format = {
            .struct_size = sizeof format, .x1 = 16, .y1 = 16, .component_count = 3, .components = components};
        wvl_settings settings = {.input_color = kind == WVL_XYZ_SHIFT ? WVL_INPUT_XYZ : WVL_INPUT_REC709};
        wvl_color_build(&settings, &format, xyz_tables, &xyz);
    }
    return &xyz;
}

static unsigned color_depth(const wvl_slot *slot, const wvl_slot_scene *scene)
{
    static const uint8_t matrix[COLOR_STYLES] = {10, 8, 12, 13, 16}, shift[COLOR_STYLES] = {16, 13, 14, 15, 16};
    return slot->kind == WVL_XYZ_SHIFT ? shift[scene->shape.style] : matrix[scene->shape.style];
}

/* Bits above the depth are drawn too, for other styles than 0. */
static void make_color(const wvl_slot *slot, wvl_slot_scene *scene)
{
    uint32_t n = scene->shape.width, slack = (WVL_LINE_ROUND - n % WVL_LINE_ROUND) % WVL_LINE_ROUND;
    unsigned depth = scene->shape.style ? 31 : color_depth(slot, scene);
    scene->units = 3 * (uint64_t)n;
    for (unsigned c = 0; c < 3; c++) {
        scene->at[c] = place_line(scene, n, SAMPLE_BYTES);
        draw_samples(scene, scene->at[c], depth, 0);
        wvl_slots_put_output(scene, scene->at[c], (size_t)n * SAMPLE_BYTES, 0, (size_t)slack * SAMPLE_BYTES);
    }
}

static void call_color(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    int32_t *lines[3];
    for (unsigned c = 0; c < 3; c++) {
        lines[c] = (int32_t *)(void *)(bytes + scene->at[c]);
    }
    ((wvl_front_color)entry)(fetch_xyz(slot->kind, color_depth(slot, scene)), scene->shape.width, lines);
}

static wvl_slot_entry fetch_color(const wvl_slot *slot, wvl_cpu_level level)
{
    return (wvl_slot_entry)wvl_front_fetch_kernels(level)->color[slot->kind];
}

/* clang-format off */
#define LOADS(name, kind) \
    {"front.strided." name, "sample", kind, LOAD_STYLES, 0, fetch_strided, make_strided, call_load, NULL}, \
    {"front.contiguous." name, "sample", kind, LOAD_STYLES, 0, fetch_contiguous, make_contiguous, call_load, NULL}, \
    {"front.triple." name, "sample", kind, LOAD_STYLES, 0, fetch_triple, make_triple, call_triple, NULL}
/* clang-format on */
#define CONVERT(name, kind)                                                                                            \
    {                                                                                                                  \
        "front.convert." name, "sample", kind, CONVERT_STYLES, 0, fetch_convert, make_convert, call_convert, NULL      \
    }
#define COLOR(name, kind)                                                                                              \
    {                                                                                                                  \
        "front.color." name, "sample", kind, COLOR_STYLES, 0, fetch_color, make_color, call_color, NULL                \
    }

static const wvl_slot slots[] = {
    LOADS("u8", WVL_LOAD_U8),
    LOADS("s8", WVL_LOAD_S8),
    LOADS("u16", WVL_LOAD_U16),
    LOADS("s16", WVL_LOAD_S16),
    LOADS("32", WVL_LOAD_32),
    LOADS("packed10", WVL_LOAD_PACKED10),
    LOADS("packed12", WVL_LOAD_PACKED12),
    LOADS("filled10be", WVL_LOAD_FILLED10_BE),
    LOADS("filled10le", WVL_LOAD_FILLED10_LE),
    LOADS("filled12be", WVL_LOAD_FILLED12_BE),
    LOADS("filled12le", WVL_LOAD_FILLED12_LE),
    LOADS("words12be", WVL_LOAD_WORDS12_BE),
    LOADS("words12le", WVL_LOAD_WORDS12_LE),
    LOADS("words10be", WVL_LOAD_WORDS10_BE),
    LOADS("words10le", WVL_LOAD_WORDS10_LE),
    LOADS("u16be", WVL_LOAD_16_BE),
    CONVERT("i64", WVL_CONVERT_I64),
    CONVERT("f32", WVL_CONVERT_F32),
    CONVERT("rct", WVL_CONVERT_RCT),
    CONVERT("rct-i64", WVL_CONVERT_RCT_I64),
    CONVERT("ict", WVL_CONVERT_ICT),
    COLOR("shift", WVL_XYZ_SHIFT),
    COLOR("matrix", WVL_XYZ_MATRIX),
};
const wvl_slot_list wvl_slots_front = {slots, sizeof slots / sizeof *slots};
