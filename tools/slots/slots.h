/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One table of all SIMD slots: every function pointer of a kernel table, with its input and its call (D-bench-01). The
 * twin suite compares the levels of a slot by it, and `wavelane-bench slots` measures them.
 *
 * A scene is one block of memory that holds all that a call reads and writes. A call gets the scene's bytes or a copy
 * of them, so no pointer into the scene is kept: places are offsets.
 */
#pragma once

#include "base/cpu.h"
#include "codec/core/block.h"

#define WVL_SLOTS_SCENE_BYTES (1u << 20)
#define WVL_SLOTS_GUARD_BYTES 128u /* poison on both sides of what is placed */
#define WVL_SLOTS_POISON 0xA5
#define WVL_SLOTS_OUTPUTS 16u
#define WVL_SLOTS_PLACES 12u
#define WVL_SLOTS_LEVELS 4u /* wvl_cpu_level */

/* A function of a kernel table. The slot's call casts it back to its type. */
typedef void (*wvl_slot_entry)(void);

/* Bytes of the scene. Every level writes [from, to) with the same result; levels above C may touch [room_from,
 * room_to). */
typedef struct wvl_slot_output {
    size_t from, to, room_from, room_to;
} wvl_slot_output;

typedef struct wvl_slot_shape {
    uint32_t width, height; /* lines: height 1; blocks: at most 4096 samples */
    unsigned style; /* kind of content, below the slot's `styles`; 0 is the typical one, which the bench takes */
} wvl_slot_shape;

typedef struct wvl_slot_scene {
    uint8_t *bytes; /* WVL_SLOTS_SCENE_BYTES of them, aligned to 64 */
    size_t used;
    wvl_slot_output outputs[WVL_SLOTS_OUTPUTS];
    unsigned output_count;
    uint64_t units; /* samples or symbols of one call */
    uint64_t seed;
    wvl_slot_shape shape;
    /* What the slot keeps for its call. */
    size_t at[WVL_SLOTS_PLACES];
    uint32_t number[4];
    float factor;
    wvl_block_input block; /* coefs is set by the call */
} wvl_slot_scene;

typedef struct wvl_slot wvl_slot;
struct wvl_slot {
    const char *name; /* room, function, kind */
    const char *unit;
    unsigned kind; /* index into an array of the kernel table, or what make and call take it for */
    unsigned styles;
    int is_block; /* shapes are blocks, not lines */
    /* The level's own function; NULL: the level has none. NULL of level C: the call composes it as the library does. */
    wvl_slot_entry (*fetch)(const wvl_slot *slot, wvl_cpu_level level);
    void (*make)(const wvl_slot *slot, wvl_slot_scene *scene);
    void (*call)(const wvl_slot *slot, wvl_slot_entry entry, const wvl_slot_scene *scene, uint8_t *bytes);
    /* After a call, before comparison: clears what levels may leave different. NULL: nothing. */
    void (*settle)(const wvl_slot *slot, const wvl_slot_scene *scene, uint8_t *bytes);
};

typedef struct wvl_slot_list {
    const wvl_slot *slots;
    size_t count;
} wvl_slot_list;

/* One list for each room with kernels, then NULL: those that the program links (rooms.c). The list of T1 has MQ too. */
extern const wvl_slot_list *const wvl_slots_rooms[];
extern const wvl_slot_list wvl_slots_dwt, wvl_slots_front, wvl_slots_t1, wvl_slots_ht, wvl_slots_rdoq;

/* The level's function where no lower level has the same one; else NULL. */
wvl_slot_entry wvl_slots_fetch_own(const wvl_slot *slot, wvl_cpu_level level);

/* Poisons the scene and makes the input of a slot. */
void wvl_slots_make_scene(const wvl_slot *slot, wvl_slot_shape shape, uint64_t seed, wvl_slot_scene *scene);
/* Runs the slot at level C on `plain` and at `level` on `fast`, each of WVL_SLOTS_SCENE_BYTES. Returns 0 if both agree
 * and nothing else was written, else one more than the first wrong byte of the scene. */
size_t wvl_slots_compare_level(const wvl_slot *slot, const wvl_slot_scene *scene, wvl_cpu_level level, uint8_t *plain,
                               uint8_t *fast);

/* ---- For the makers ---- */

uint64_t wvl_slots_draw(wvl_slot_scene *scene);
/* Offset of `bytes` new bytes, aligned to 64, with guards. */
size_t wvl_slots_place_bytes(wvl_slot_scene *scene, size_t bytes);
/* Declares `bytes` bytes at an offset as output; levels above C may touch `before` bytes more before it and `after`
 * behind it. */
void wvl_slots_put_output(wvl_slot_scene *scene, size_t at, size_t bytes, size_t before, size_t after);
/* Every level may write here, and leave what it likes. */
void wvl_slots_put_scratch(wvl_slot_scene *scene, size_t at, size_t bytes);
/* Places a block of drawn samples as scene->at[0], and fills scene->block. Style 0 has the statistics of a coded band.
 */
void wvl_slots_make_block(wvl_slot_scene *scene);
wvl_block_input wvl_slots_fetch_block(const wvl_slot_scene *scene, const uint8_t *bytes);
