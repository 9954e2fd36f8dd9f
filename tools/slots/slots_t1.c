/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of the EBCOT block coder (codec/t1/kernels.h), and of the MQ coder over several codewords. */
#include <string.h>

#include "codec/t1/fast.h"
#include "tools/slots/slots.h"

enum { STYLES = 4 };
enum { COEFS, RESULT, STATE, BLOCK };

static const wvl_t1_kernels *kernels_of(wvl_cpu_level level)
{
#ifdef WVL_HAVE_AVX2
    if (level == WVL_CPU_AVX512) {
        return &wvl_t1_kernels_avx512;
    }
    if (level == WVL_CPU_AVX2) {
        return &wvl_t1_kernels_avx2;
    }
#endif
    (void)level;
    return &wvl_t1_kernels_c;
}

static void place_result(wvl_slot_scene *scene, size_t bytes)
{
    scene->at[RESULT] = wvl_slots_place_bytes(scene, bytes);
    wvl_slots_put_output(scene, scene->at[RESULT], bytes, 0, 0);
}

static uint32_t count_planes(uint32_t bound)
{
    uint32_t planes = 0;
    while (bound >> planes) {
        planes++;
    }
    return planes;
}

/* ---- Masks ---- */

static void make_masks(const wvl_slot *slot, wvl_slot_scene *scene)
{
    uint32_t units = (scene->shape.width + 7) / 8, unit_count = units * ((scene->shape.height + 3) / 4);
    (void)slot;
    wvl_slots_make_block(scene);
    scene->block.bound |= 1;
    scene->block.frac_bits =
        scene->shape.style ? (uint8_t)(wvl_slots_draw(scene) % count_planes(scene->block.bound)) : 0;
    scene->number[0] = count_planes(scene->block.bound >> scene->block.frac_bits);
    scene->number[1] = units;
    scene->number[2] = unit_count;
    place_result(scene, sizeof(uint64_t) * unit_count * (1 + (size_t)scene->number[0]));
}

static void call_masks(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    wvl_block_input in = wvl_slots_fetch_block(scene, bytes);
    uint64_t *negative = (uint64_t *)(void *)(bytes + scene->at[RESULT]);
    wvl_t1_masks masks = {negative, negative + scene->number[2], scene->number[1], scene->number[2]};
    (void)slot;
    ((void (*)(const wvl_t1_input *, uint32_t, const wvl_t1_masks *))entry)(&in, scene->number[0], &masks);
}

static wvl_slot_entry fetch_masks(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)kernels_of(level)->build_masks;
}

/* ---- Sums ---- */

static void make_refinement_sum(const wvl_slot *slot, wvl_slot_scene *scene)
{
    (void)slot;
    wvl_slots_make_block(scene);
    uint32_t planes = scene->block.coef_bytes == 2 ? 14 : 30;
    scene->number[0] = scene->shape.style ? (uint32_t)(wvl_slots_draw(scene) % planes) : 4;
    place_result(scene, sizeof(uint64_t));
}

static void call_refinement_sum(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    wvl_block_input in = wvl_slots_fetch_block(scene, bytes);
    (void)slot;
    uint64_t sum = ((uint64_t(*)(const wvl_t1_input *, unsigned))entry)(&in, scene->number[0]);
    memcpy(bytes + scene->at[RESULT], &sum, sizeof sum);
}

static wvl_slot_entry fetch_refinement_sum(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)kernels_of(level)->refinement_sum;
}

static void make_square_sum(const wvl_slot *slot, wvl_slot_scene *scene)
{
    (void)slot;
    wvl_slots_make_block(scene);
    place_result(scene, sizeof(uint64_t));
}

/* The sum modulo 2^64: levels may part it into high and low in their own way. */
static void call_square_sum(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    wvl_block_input in = wvl_slots_fetch_block(scene, bytes);
    uint64_t low, high;
    (void)slot;
    ((void (*)(const wvl_t1_input *, uint64_t *, uint64_t *))entry)(&in, &low, &high);
    low += high << 32;
    memcpy(bytes + scene->at[RESULT], &low, sizeof low);
}

static wvl_slot_entry fetch_square_sum(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)kernels_of(level)->square_sum;
}

/* ---- Listing of passes: slot->kind is the kind of pass ---- */

static wvl_t1_fast *open_block(const wvl_slot_scene *scene, const wvl_block_input *in, uint8_t *bytes)
{
    wvl_t1_fast *block = (wvl_t1_fast *)(void *)(bytes + scene->at[BLOCK]);
    block->s = (wvl_t1_fast_state *)(void *)(bytes + scene->at[STATE]);
    block->in = in;
    return block;
}

/* The passes from the top plane to the one before the pass that is listed. */
static void list_before(wvl_t1_fast *block, int last_kind, uint32_t planes, uint32_t plane)
{
    for (uint32_t p = planes; p-- > plane;) {
        for (int kind = p + 1 == planes ? WVL_T1_CLEANUP : WVL_T1_PROPAGATE; kind <= WVL_T1_CLEANUP; kind++) {
            if (p == plane && kind == last_kind) {
                return;
            }
            wvl_t1_kernels_c.list_pass(block, kind, 0, p);
        }
    }
}

static void make_pass(const wvl_slot *slot, wvl_slot_scene *scene)
{
    wvl_slots_make_block(scene);
    scene->block.bound |= 3;
    uint32_t planes = count_planes(scene->block.bound), below_top = planes - 1;
    size_t unit_count = (size_t)((scene->shape.width + 7) / 8) * ((scene->shape.height + 3) / 4);
    size_t bytes = sizeof(wvl_t1_fast_state) + sizeof(uint64_t) * planes * unit_count;
    scene->number[0] = scene->shape.style ? (uint32_t)(wvl_slots_draw(scene) % below_top) : planes / 2;
    scene->number[1] = scene->shape.style && slot->kind != WVL_T1_CLEANUP && wvl_slots_draw(scene) & 1; /* raw */
    scene->block.style = scene->shape.style && wvl_slots_draw(scene) & 1 ? WVL_STYLE_VSC : 0;
    scene->at[STATE] = wvl_slots_place_bytes(scene, bytes);
    scene->at[BLOCK] = wvl_slots_place_bytes(scene, sizeof(wvl_t1_fast));
    memset(scene->bytes + scene->at[STATE], 0, bytes);
    memset(scene->bytes + scene->at[BLOCK], 0, sizeof(wvl_t1_fast));
    place_result(scene, sizeof(uint64_t));
    wvl_slots_put_output(scene, scene->at[STATE], bytes, 0, 0);
    wvl_slots_put_output(scene, scene->at[BLOCK], sizeof(wvl_t1_fast), 0, 0);
    wvl_block_input in = wvl_slots_fetch_block(scene, scene->bytes);
    wvl_t1_fast *block = open_block(scene, &in, scene->bytes);
    wvl_t1_init_block(block, &in, block->s);
    wvl_t1_load_block(block, &wvl_t1_kernels_c, planes);
    list_before(block, (int)slot->kind, planes, scene->number[0]);
}

static void call_pass(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    wvl_block_input in = wvl_slots_fetch_block(scene, bytes);
    wvl_t1_fast *block = open_block(scene, &in, bytes);
    uint64_t count = ((size_t(*)(wvl_t1_fast *, int, int, unsigned))entry)(block, (int)slot->kind,
                                                                           (int)scene->number[1], scene->number[0]);
    memcpy(bytes + scene->at[RESULT], &count, sizeof count);
}

/* Pointers differ between copies; behind the list its room is free. */
static void settle_pass(const wvl_slot *slot, const wvl_slot_scene *scene, uint8_t *bytes)
{
    wvl_t1_fast *block = open_block(scene, NULL, bytes);
    uint64_t count;
    (void)slot;
    memcpy(&count, bytes + scene->at[RESULT], sizeof count);
    memset(block->s->symbols + count, 0, sizeof block->s->symbols - (size_t)count);
    block->s = NULL;
}

static wvl_slot_entry fetch_pass(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)kernels_of(level)->list_pass;
}

/* ---- MQ: width x height symbols of each codeword ---- */

enum { CODERS, LISTS, WORDS };

/* Contexts in bursts, each with its own share of 1s: what a block coder lists. */
static void draw_symbols(wvl_slot_scene *scene, uint8_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t v = wvl_slots_draw(scene);
        unsigned context = (unsigned)(v % WVL_T1_CTX_COUNT), rare = (unsigned)(v >> 32) % (2 + context) == 0;
        to[i] = (uint8_t)(2 * context + (scene->shape.style == 1 ? (v >> 16 & 1) : rare));
    }
}

/* number: codewords, symbols of each, bytes from list to list, bytes from word to word. At most 15 bits a symbol. */
static void make_lanes(const wvl_slot *slot, wvl_slot_scene *scene)
{
    uint32_t symbols = scene->shape.width * scene->shape.height, lanes = WVL_MQ_MAX_LANES;
    (void)slot;
    if (scene->shape.style) {
        lanes = 1 + (uint32_t)(wvl_slots_draw(scene) % WVL_MQ_MAX_LANES);
    }
    scene->number[0] = lanes;
    scene->number[1] = symbols;
    scene->number[2] = symbols + WVL_MQ_READ_AHEAD;
    scene->number[3] = 2 * symbols + 16;
    scene->units = (uint64_t)symbols * lanes;
    scene->at[CODERS] = wvl_slots_place_bytes(scene, lanes * sizeof(wvl_mq));
    scene->at[LISTS] = wvl_slots_place_bytes(scene, (size_t)lanes * scene->number[2]);
    scene->at[WORDS] = wvl_slots_place_bytes(scene, (size_t)lanes * scene->number[3]);
    memset(scene->bytes + scene->at[CODERS], 0, lanes * sizeof(wvl_mq));
    memset(scene->bytes + scene->at[WORDS], 0, (size_t)lanes * scene->number[3]);
    for (uint32_t k = 0; k < lanes; k++) {
        draw_symbols(scene, scene->bytes + scene->at[LISTS] + (size_t)k * scene->number[2], symbols);
    }
    wvl_slots_put_output(scene, scene->at[CODERS], lanes * sizeof(wvl_mq), 0, 0);
    wvl_slots_put_output(scene, scene->at[WORDS], (size_t)lanes * scene->number[3], 0, 0);
}

static void call_lanes(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes)
{
    wvl_mq *coders = (wvl_mq *)(void *)(bytes + scene->at[CODERS]), *mq[WVL_MQ_MAX_LANES];
    const uint8_t *symbols[WVL_MQ_MAX_LANES];
    (void)slot;
    for (uint32_t k = 0; k < scene->number[0]; k++) {
        mq[k] = &coders[k];
        symbols[k] = bytes + scene->at[LISTS] + (size_t)k * scene->number[2];
        wvl_mq_init_contexts(mq[k]);
        wvl_mq_init_segment(mq[k], bytes + scene->at[WORDS] + (size_t)k * scene->number[3] + 1);
    }
    ((void (*)(wvl_mq *const *, const uint8_t *const *, unsigned, size_t))entry)(mq, symbols, scene->number[0],
                                                                                 scene->number[1]);
}

/* A carry that waits in C goes to B, unless that is 0xFF (codec/mq/mq.h); pointers become offsets. */
static void settle_lanes(const wvl_slot *slot, const wvl_slot_scene *scene, uint8_t *bytes)
{
    wvl_mq *coders = (wvl_mq *)(void *)(bytes + scene->at[CODERS]);
    (void)slot;
    for (uint32_t k = 0; k < scene->number[0]; k++) {
        wvl_mq *mq = &coders[k];
        uint32_t carry = (uint32_t)1 << (27 - mq->ct);
        if (mq->c >= carry && *mq->bp != 0xFF) {
            ++*mq->bp;
            mq->c -= carry;
        }
        mq->bp = (uint8_t *)(uintptr_t)(mq->bp - bytes);
        mq->start = NULL;
    }
}

static wvl_slot_entry fetch_lanes(const wvl_slot *slot, wvl_cpu_level level)
{
    (void)slot;
    return (wvl_slot_entry)kernels_of(level)->encode_lanes;
}

static const wvl_slot slots[] = {
    {"t1.build_masks", "sample", 0, STYLES, 1, fetch_masks, make_masks, call_masks, NULL},
    {"t1.refinement_sum", "sample", 0, STYLES, 1, fetch_refinement_sum, make_refinement_sum, call_refinement_sum, NULL},
    {"t1.square_sum", "sample", 0, STYLES, 1, fetch_square_sum, make_square_sum, call_square_sum, NULL},
    {"t1.list_pass.propagate", "sample", WVL_T1_PROPAGATE, STYLES, 1, fetch_pass, make_pass, call_pass, settle_pass},
    {"t1.list_pass.refine", "sample", WVL_T1_REFINE, STYLES, 1, fetch_pass, make_pass, call_pass, settle_pass},
    {"t1.list_pass.cleanup", "sample", WVL_T1_CLEANUP, STYLES, 1, fetch_pass, make_pass, call_pass, settle_pass},
    {"mq.encode_lanes", "symbol", 0, STYLES, 1, fetch_lanes, make_lanes, call_lanes, settle_lanes},
};
const wvl_slot_list wvl_slots_t1 = {slots, sizeof slots / sizeof *slots};
