/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of optimised quantisation (codec/rate/rdoq_kernels.h). */
#include <string.h>

#include "codec/rate/rdoq_kernels.h"
#include "tools/slots/slots.h"

enum { STYLES = 4 };
enum { COEFS, RESULT, LEVELS, FRACTIONS, RULE };

static const wvl_rdoq_kernels *kernels_of(wvl_cpu_level level)
{
#ifdef WVL_HAVE_AVX2
    if (level >= WVL_CPU_AVX2) {
        return &wvl_rdoq_kernels_avx2;
    }
#endif
    (void)level;
    return &wvl_rdoq_kernels_c;
}

static void place_result(wvl_slot_scene *scene, size_t bytes)
{
    scene->at[RESULT] = wvl_slots_place_bytes(scene, bytes);
    wvl_slots_put_output(scene, scene->at[RESULT], bytes, 0, 0);
}

static size_t cell_count(const wvl_slot_scene *scene)
{
    return (size_t)wvl_rdoq_pitch(scene->shape.width) * (scene->shape.height + 2u);
}

/* ---- rank ---- */

static void make_rank(const wvl_slot *slot, wvl_slot_scene *scene)
{
    (void)slot;
    wvl_slots_make_block(scene);
    uint64_t v = wvl_slots_draw(scene);
    scene->number[0] = scene->shape.style ? 1 + ((uint32_t)v >> v % 61 / 2) : 16;
    place_result(scene, 3 * sizeof(uint32_t));
}

static void call_rank(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    wvl_block_input in = wvl_slots_fetch_block(scene, bytes);
    (void)slot;
    ((void (*)(const wvl_block_input *, uint32_t, uint32_t *))entry)(&in, scene->number[0],
                                                                     (uint32_t *)(void *)(bytes + scene->at[RESULT]));
}

static wvl_slot_entry fetch_rank(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)kernels_of(level)->rank;
}

/* ---- split ---- */

static void place_cells(wvl_slot_scene *scene)
{
    uint64_t v = wvl_slots_draw(scene);
    wvl_slots_make_block(scene);
    uint32_t planes = scene->block.coef_bytes == 2 ? 16 : 31;
    scene->number[0] = scene->shape.style ? (uint32_t)(v % planes) : 4;
    scene->at[LEVELS] = wvl_slots_place_bytes(scene, cell_count(scene) + 64);
    scene->at[FRACTIONS] = wvl_slots_place_bytes(scene, cell_count(scene) + 64);
}

static void make_split(const wvl_slot *slot, wvl_slot_scene *scene)
{
    (void)slot;
    place_cells(scene);
    wvl_slots_put_output(scene, scene->at[LEVELS], cell_count(scene), 0, 64);
    wvl_slots_put_output(scene, scene->at[FRACTIONS], cell_count(scene), 0, 64);
}

static void call_split(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    wvl_block_input in = wvl_slots_fetch_block(scene, bytes);
    (void)slot;
    ((void (*)(const wvl_block_input *, unsigned, uint8_t *, int8_t *))entry)(
        &in, scene->number[0], bytes + scene->at[LEVELS], (int8_t *)(bytes + scene->at[FRACTIONS]));
}

/* Fractions beyond the block count for nobody. */
static void settle_split(const wvl_slot *slot, const wvl_slot_scene *scene, uint8_t *bytes)
{
    uint32_t pitch = wvl_rdoq_pitch(scene->shape.width);
    uint8_t *fractions = bytes + scene->at[FRACTIONS];
    (void)slot;
    memset(fractions, 0, pitch);
    for (uint32_t y = 1; y <= scene->shape.height; y++) {
        fractions[(size_t)y * pitch] = 0;
        memset(fractions + (size_t)y * pitch + 1 + scene->shape.width, 0, pitch - 1 - scene->shape.width);
    }
    memset(fractions + (size_t)pitch * (scene->shape.height + 1u), 0, pitch);
}

static wvl_slot_entry fetch_split(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)kernels_of(level)->split;
}

/* ---- count and move_row read cells as plain C split them ---- */

static void make_cells(wvl_slot_scene *scene)
{
    place_cells(scene);
    wvl_block_input in = wvl_slots_fetch_block(scene, scene->bytes);
    wvl_rdoq_kernels_c.split(&in, scene->number[0], scene->bytes + scene->at[LEVELS],
                             (int8_t *)(scene->bytes + scene->at[FRACTIONS]));
}

static void make_count(const wvl_slot *slot, wvl_slot_scene *scene)
{
    (void)slot;
    make_cells(scene);
    place_result(scene, sizeof(wvl_rdoq_sums));
}

static void call_count(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    (void)slot;
    wvl_rdoq_sums sums = ((wvl_rdoq_sums(*)(const uint8_t *, const int8_t *, uint32_t, uint32_t))entry)(
        bytes + scene->at[LEVELS], (const int8_t *)(bytes + scene->at[FRACTIONS]), scene->shape.width,
        scene->shape.height);
    memcpy(bytes + scene->at[RESULT], &sums, sizeof sums);
}

static wvl_slot_entry fetch_count(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)kernels_of(level)->count;
}

static void draw_rule(wvl_slot_scene *scene, wvl_rdoq_rule *rule)
{
    for (unsigned n = 0; n < 16; n++) {
        rule->first[n] = (int8_t)((int)(wvl_slots_draw(scene) % 160) - 32);
        rule->second[n] = (int8_t)(wvl_slots_draw(scene) % 128);
        rule->more[n] = (int8_t)(wvl_slots_draw(scene) % 128);
    }
    rule->alone = (int8_t)((int)(wvl_slots_draw(scene) % 224) - 96);
    rule->needs = wvl_slots_draw(scene) & 1;
}

static uint32_t row_words(const wvl_slot_scene *scene) { return (scene->shape.width + 63) / 64; }

/* All rows of a block, from the top: a row sees what became of the one above. Results: for each row its words down,
 * then up. */
static void make_move(const wvl_slot *slot, wvl_slot_scene *scene)
{
    wvl_rdoq_rule rule;
    (void)slot;
    make_cells(scene);
    memset(&rule, 0, sizeof rule);
    draw_rule(scene, &rule);
    scene->at[RULE] = wvl_slots_place_bytes(scene, sizeof rule);
    memcpy(scene->bytes + scene->at[RULE], &rule, sizeof rule);
    place_result(scene, (size_t)scene->shape.height * row_words(scene) * 2 * sizeof(uint64_t));
    wvl_slots_put_output(scene, scene->at[LEVELS], cell_count(scene), 0, 64);
}

static void call_move(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    const wvl_rdoq_rule *rule = (const wvl_rdoq_rule *)(const void *)(bytes + scene->at[RULE]);
    uint32_t pitch = wvl_rdoq_pitch(scene->shape.width), words = row_words(scene);
    (void)slot;
    for (uint32_t y = 0; y < scene->shape.height; y++) {
        uint64_t down[WVL_RDOQ_WORDS], up[WVL_RDOQ_WORDS];
        size_t at = (size_t)(y + 1) * pitch + 1, to = scene->at[RESULT] + (size_t)y * words * 2 * sizeof(uint64_t);
        ((void (*)(const wvl_rdoq_rule *, uint8_t *, const int8_t *, uint32_t, uint64_t *, uint64_t *))entry)(
            rule, bytes + scene->at[LEVELS] + at, (const int8_t *)(bytes + scene->at[FRACTIONS] + at),
            scene->shape.width, down, up);
        memcpy(bytes + to, down, words * sizeof(uint64_t));
        memcpy(bytes + to + words * sizeof(uint64_t), up, words * sizeof(uint64_t));
    }
}

static wvl_slot_entry fetch_move(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)kernels_of(level)->move_row;
}

static const wvl_slot slots[] = {
    {"rdoq.rank", "sample", 0, STYLES, 1, fetch_rank, make_rank, call_rank, NULL},
    {"rdoq.split", "sample", 0, STYLES, 1, fetch_split, make_split, call_split, settle_split},
    {"rdoq.count", "sample", 0, STYLES, 1, fetch_count, make_count, call_count, NULL},
    {"rdoq.move_row", "sample", 0, STYLES, 1, fetch_move, make_move, call_move, NULL},
};
const wvl_slot_list wvl_slots_rdoq = {slots, sizeof slots / sizeof *slots};
