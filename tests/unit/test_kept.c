/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that pictures of a folder take again and again: blocks of all sizes, by several threads, hold what was written
 * to them and nothing else. */
#include <pthread.h>

#include "tests/support/support.h"
#include "tools/wavelane/kept.h"

#define THREADS 4u
#define BLOCKS 90u /* of a thread at a time: more than a span holds */
#define ROUNDS 1000u
#define ALIGNMENT 64u

static wvl_cli_kept *kept;
static wvl_allocator host;

static void setup(void)
{
    kept = wvl_cli_open_kept();
    host = wvl_cli_describe_kept(kept);
}

static void teardown(void) { wvl_cli_close_kept(kept); }

typedef struct block {
    uint8_t *memory;
    size_t bytes;
    uint8_t mark;
} block;

/* Its ends, and a byte of each page: the middle of a large block costs too much time. */
static void fill(const block *b)
{
    for (size_t i = 0; i < b->bytes; i += 4096) {
        b->memory[i] = b->mark;
    }
    b->memory[b->bytes - 1] = b->mark;
}

static int is_whole(const block *b)
{
    for (size_t i = 0; i < b->bytes; i += 4096) {
        if (b->memory[i] != b->mark) {
            return 0;
        }
    }
    return b->memory[b->bytes - 1] == b->mark;
}

static block take(size_t bytes, uint8_t mark)
{
    block b = {host.allocate(host.user, bytes, ALIGNMENT, NULL), bytes, mark};
    REQUIRE_THAT(b.memory && (uintptr_t)b.memory % ALIGNMENT == 0, "no block of %zu bytes", bytes);
    fill(&b);
    return b;
}

static void give(block *b)
{
    REQUIRE_THAT(is_whole(b), "a block of %zu bytes was overwritten", b->bytes);
    host.release(host.user, b->memory, b->bytes, NULL);
    b->memory = NULL;
}

/* Most are small or middling, a few exceed half a span. */
static size_t draw_bytes(uint64_t *seed)
{
    static const unsigned most_log2[8] = {10, 14, 17, 17, 20, 20, 22, 26};
    uint64_t v = test_draw(seed), most = UINT64_C(1) << most_log2[v % 8];
    size_t bytes = (size_t)((v >> 8) % most);
    return (bytes < most / 2 && v % 8 == 7 && v >> 60 ? bytes / 16 : bytes) / ALIGNMENT * ALIGNMENT + ALIGNMENT;
}

static void *work(void *arg)
{
    uint64_t seed = (uintptr_t)arg + 1;
    block blocks[BLOCKS] = {{NULL, 0, 0}};
    for (unsigned i = 0; i < ROUNDS; i++) {
        block *b = &blocks[test_draw(&seed) % BLOCKS];
        if (b->memory) {
            give(b);
        } else {
            *b = take(draw_bytes(&seed), (uint8_t)test_draw(&seed));
        }
    }
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (blocks[i].memory) {
            give(&blocks[i]);
        }
    }
    return NULL;
}

TEST_FIXTURE(setup, teardown);

TEST(blocks_of_threads)
{
    pthread_t threads[THREADS];
    if (!kept) {
        return; /* this system or build has none */
    }
    for (uintptr_t i = 0; i < THREADS; i++) {
        REQUIRE_THAT(pthread_create(&threads[i], NULL, work, (void *)i) == 0, "thread");
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void *give_one(void *arg)
{
    give(arg);
    return NULL;
}

/* The same memory comes again, also where another thread gave it back; gaps between blocks join. */
TEST(memory_comes_again)
{
    pthread_t thread;
    if (!kept) {
        return;
    }
    block a = take(1 << 20, 1), b = take(3 << 20, 2), c = take(1 << 20, 3);
    uint8_t *first = a.memory;
    REQUIRE_THAT(a.memory + a.bytes == b.memory && b.memory + b.bytes == c.memory, "blocks do not lie close together");
    give(&a);
    REQUIRE_THAT(pthread_create(&thread, NULL, give_one, &b) == 0, "thread");
    pthread_join(thread, NULL);
    a = take(4 << 20, 4);
    ck_assert_ptr_eq(a.memory, first);
    give(&c);
    give(&a);
    a = take(32 << 20, 5);
    ck_assert_ptr_eq(a.memory, first);
    give(&a);
}

/* Without such memory the library uses its own. */
TEST(none)
{
    wvl_allocator nothing = wvl_cli_describe_kept(NULL);
    ck_assert_ptr_null(nothing.user);
    REQUIRE_THAT(!nothing.allocate && !nothing.release, "functions without memory");
    wvl_cli_close_kept(NULL);
}

TEST_MAIN("kept")
