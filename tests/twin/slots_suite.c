/* SPDX-License-Identifier: BSD-2-Clause */
#include "slots_suite.h"

#include "tests/support/support.h"
#include "tools/slots/slots.h"

enum { BLOCKS = 500 }; /* drawn shapes of a block slot, each style */

static wvl_slot_scene scene;
static uint8_t *plain, *fast;

static void setup(void)
{
    memset(&scene, 0, sizeof scene);
    scene.bytes = aligned_alloc(64, WVL_SLOTS_SCENE_BYTES);
    plain = aligned_alloc(64, WVL_SLOTS_SCENE_BYTES);
    fast = aligned_alloc(64, WVL_SLOTS_SCENE_BYTES);
    REQUIRE(scene.bytes && plain && fast);
}

static void teardown(void)
{
    free(scene.bytes);
    free(plain);
    free(fast);
}

static void compare_shape(const wvl_slot *slot, wvl_cpu_level level, wvl_slot_shape shape, uint64_t seed)
{
    wvl_slots_make_scene(slot, shape, seed, &scene);
    size_t wrong = wvl_slots_compare_level(slot, &scene, level, plain, fast);
    REQUIRE_THAT(!wrong, "%s: %s: %ux%u, style %u, seed %llu: byte %zu of the scene", slot->name,
                 wvl_cpu_level_text(level), shape.width, shape.height, shape.style, (unsigned long long)seed,
                 wrong - 1);
}

/* All small widths, and both sides of multiples of vectors and blocks. */
static void compare_lines(const wvl_slot *slot, wvl_cpu_level level, unsigned style)
{
    static const uint16_t large[] = {95,  96,  97,  127, 128, 129, 139, 191, 192, 193,  247,  255, 256,
                                     257, 263, 271, 300, 329, 511, 512, 513, 599, 1023, 1025, 4096};
    uint64_t seed = 0;
    for (uint32_t width = 1; width < 68; width++) {
        compare_shape(slot, level, (wvl_slot_shape){width, 1, style}, ++seed);
        compare_shape(slot, level, (wvl_slot_shape){width, 1, style}, ++seed);
    }
    for (unsigned i = 0; i < 2 * sizeof large / sizeof *large; i++) {
        compare_shape(slot, level, (wvl_slot_shape){large[i / 2], 1, style}, ++seed);
    }
}

/* Shapes that the standard allows: at most 4096 samples, cut by the edge of a band to any size. */
static wvl_slot_shape draw_block_shape(uint64_t *state, unsigned style)
{
    uint32_t width = 1 + (uint32_t)(test_draw(state) % 64), height = 1 + (uint32_t)(test_draw(state) % 64);
    if (test_draw(state) % 8 == 0) {
        uint32_t log2 = (uint32_t)(test_draw(state) % 9);
        width = 4u << log2;
        height = 4096 / width;
        height = height > 1024 ? 1024 : height;
        height = test_draw(state) & 1 ? height : 1 + (uint32_t)(test_draw(state) % height);
    }
    return (wvl_slot_shape){width, height, style};
}

static void compare_blocks(const wvl_slot *slot, wvl_cpu_level level, unsigned style)
{
    uint64_t state = style + 1;
    for (unsigned i = 0; i < BLOCKS; i++) {
        wvl_slot_shape shape = draw_block_shape(&state, style);
        compare_shape(slot, level, shape, test_draw(&state));
    }
}

static void compare_slot(const wvl_slot *slot, wvl_cpu_level level)
{
    for (unsigned style = 0; style < slot->styles; style++) {
        if (slot->is_block) {
            compare_blocks(slot, level, style);
        } else {
            compare_lines(slot, level, style);
        }
    }
}

/* Level C against itself: it must keep to its outputs, and leave nothing that was not written. */
static int count_rooms(void)
{
    int rooms = 0;
    while (wvl_slots_rooms[rooms]) {
        rooms++;
    }
    return rooms;
}

TEST_FIXTURE(setup, teardown);

TEST_EACH(levels_agree, count_rooms())
{
    const wvl_slot_list *list = wvl_slots_rooms[_i];
    for (size_t i = 0; i < list->count; i++) {
        for (unsigned level = WVL_CPU_C; level < WVL_SLOTS_LEVELS; level++) {
            int is_there = wvl_cpu_has_level((wvl_cpu_level)level);
            if (level == WVL_CPU_C || (is_there && wvl_slots_fetch_own(&list->slots[i], (wvl_cpu_level)level))) {
                compare_slot(&list->slots[i], (wvl_cpu_level)level);
            }
        }
    }
}

/* ---- No function of a kernel table is missing ---- */

static int is_in_table(wvl_slot_entry entry, wvl_cpu_level level)
{
    for (const wvl_slot_list *const *room = wvl_slots_rooms; *room; room++) {
        const wvl_slot_list *list = *room;
        for (size_t i = 0; i < list->count; i++) {
            if (list->slots[i].fetch(&list->slots[i], level) == entry) {
                return 1;
            }
        }
    }
    return 0;
}

void slots_suite_check_table(const char *name, const void *table, size_t first, size_t end, wvl_cpu_level level)
{
    for (size_t at = first; at < end; at += sizeof(wvl_slot_entry)) {
        wvl_slot_entry entry;
        memcpy(&entry, (const uint8_t *)table + at, sizeof entry);
        REQUIRE_THAT(!entry || is_in_table(entry, level), "%s: %s: no slot for function %zu", name,
                     wvl_cpu_level_text(level), (at - first) / sizeof entry);
    }
}

static void (*check_level)(wvl_cpu_level level);

TEST(no_function_is_missing)
{
    for (unsigned level = WVL_CPU_C; level < WVL_SLOTS_LEVELS; level++) {
        if (wvl_cpu_has_level((wvl_cpu_level)level)) {
            check_level((wvl_cpu_level)level);
        }
    }
}

int slots_suite_run(const char *name, void (*check)(wvl_cpu_level level))
{
    check_level = check;
    for (unsigned level = WVL_CPU_C; level < WVL_SLOTS_LEVELS; level++) {
        int is_there = wvl_cpu_has_level((wvl_cpu_level)level);
        printf("%s: %s %s\n", name, wvl_cpu_level_text((wvl_cpu_level)level),
               is_there ? "is compared with C" : "is not there, in this build or processor");
    }
    return test_run_suite(name);
}
