/* SPDX-License-Identifier: BSD-2-Clause */
/* The store of coded data: pieces keep what was written, and little is left between them. And where all memory comes
 * from. */

#include "../fault/ledger.h"
#include "base/alloc.h"
#include "codec/store/store.h"

enum { PIECES = 1500, WRITERS = 5 };

static uint64_t state;

static uint32_t draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

/* Bytes of a piece tell its number. */
static void fill(uint8_t *piece, uint32_t bytes, uint32_t number)
{
    for (uint32_t i = 0; i < bytes; i++) {
        piece[i] = (uint8_t)(number * 31 + i);
    }
}

static int is_filled(const uint8_t *piece, uint32_t bytes, uint32_t number)
{
    unsigned wrong = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        wrong |= piece[i] ^ (uint8_t)(number * 31 + i);
    }
    return !wrong;
}

/* Pieces of up to `most` bytes by writers in turns; returns what the store takes beside them. */
static uint64_t write_pieces(unsigned writers, uint32_t most)
{
    static uint64_t at[PIECES];
    static uint32_t sizes[PIECES];
    ledger l;
    wvl_store store;
    wvl_store_writer of[WRITERS] = {{0, 0}};
    uint64_t sum = 0;
    ledger_open(&l);
    wvl_allocator allocator = ledger_allocator(&l);
    ck_assert(wvl_store_init(&store, &allocator, NULL));
    for (unsigned i = 0; i < PIECES; i++) {
        sizes[i] = 1 + draw() % most;
        at[i] = wvl_store_reserve(&store, &of[draw() % writers], sizes[i]);
        ck_assert(at[i] != UINT64_MAX && at[i] % 8 == 0 && at[i] % WVL_STORE_CHUNK + sizes[i] <= WVL_STORE_CHUNK);
        fill(wvl_store_at(&store, at[i]), sizes[i], i);
        sum += (sizes[i] + 7) / 8 * 8;
    }
    for (unsigned i = 0; i < PIECES; i++) {
        ck_assert(is_filled(wvl_store_at(&store, at[i]), sizes[i], i));
    }
    uint64_t rest = l.live_bytes - sum;
    wvl_store_fini(&store);
    ck_assert_uint_eq(l.live_count, 0);
    return rest;
}

#define TABLE_BYTES ((uint64_t)sizeof(uint8_t *) << WVL_STORE_TABLE_LOG2)

/* Less than a piece, and what nobody has written yet. */
TEST_EACH(little_is_left, 3)
{
    static const uint32_t most[] = {1, 300, 4000, 20000};
    state = (uint64_t)_i + 1;
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned writers = 1; writers <= WRITERS; writers++) {
            uint64_t bytes = (uint64_t)PIECES * (most[i] + 8), span = writers > 1 ? WVL_STORE_SPAN : WVL_STORE_CHUNK;
            uint64_t open = TABLE_BYTES + WVL_STORE_CHUNK + (writers > 1 ? writers * WVL_STORE_SPAN : 0);
            uint64_t rest = write_pieces(writers, most[i]);
            ck_assert_msg(rest <= open + (bytes / (span - most[i]) + 1) * most[i], "%u writers, up to %u bytes: %llu",
                          writers, most[i], (unsigned long long)rest);
        }
    }
}

/* Pieces larger than a span, up to a chunk, and none beyond. */
TEST(large_pieces)
{
    ledger l;
    wvl_store store;
    wvl_store_writer writer = {0, 0}, other = {0, 0};
    ledger_open(&l);
    wvl_allocator allocator = ledger_allocator(&l);
    ck_assert(wvl_store_init(&store, &allocator, NULL));
    static const uint64_t sizes[] = {24, 3 * WVL_STORE_SPAN, WVL_STORE_SPAN + 8, WVL_STORE_CHUNK,
                                     8,  WVL_STORE_CHUNK - 8};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t a = wvl_store_reserve(&store, &writer, sizes[i]), b = wvl_store_reserve(&store, &other, 16);
        ck_assert(a != UINT64_MAX && b != UINT64_MAX && a % WVL_STORE_CHUNK + sizes[i] <= WVL_STORE_CHUNK);
        ck_assert(b + 16 <= a || a + sizes[i] <= b);
        memset(wvl_store_at(&store, a), (int)i, (size_t)sizes[i]);
    }
    ck_assert_uint_eq(wvl_store_reserve(&store, &writer, WVL_STORE_CHUNK + 8), UINT64_MAX);
    l.fail_at = l.calls + 1;
    ck_assert_uint_eq(wvl_store_reserve(&store, &writer, WVL_STORE_CHUNK), UINT64_MAX);
    ck_assert_uint_ne(wvl_store_reserve(&store, &writer, WVL_STORE_CHUNK), UINT64_MAX);
    wvl_store_fini(&store);
    ck_assert_uint_eq(l.live_count, 0);
}

/* Memory comes from malloc, in large pages or straight from the system, as large as it is: every byte is there, and it
 * goes back. */
TEST(blocks_of_all_sizes)
{
    static const uint64_t near[] = {64, 4096, 1 << 20, 4 << 20, 15 << 20, 16 << 20, 17 << 20, 33 << 20};
    for (unsigned i = 0; i < 3 * sizeof near / sizeof *near; i++) {
        uint64_t bytes = near[i / 3] + i % 3 - 1;
        uint8_t *block = wvl_alloc(NULL, bytes), *other = wvl_alloc(NULL, bytes);
        ck_assert(block && other && (uintptr_t)block % 64 == 0 && (uintptr_t)other % 64 == 0);
        memset(block, 1, (size_t)bytes);
        memset(other, 2, (size_t)bytes);
        ck_assert(block[0] == 1 && block[bytes - 1] == 1 && block[bytes / 2] == 1);
        wvl_free(NULL, block, bytes);
        ck_assert(other[0] == 2 && other[bytes - 1] == 2 && other[bytes / 2] == 2);
        wvl_free(NULL, other, bytes);
    }
    ck_assert_ptr_null(wvl_alloc(NULL, UINT64_MAX / 4));
}

TEST_MAIN("store")
