/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter as HDF5 calls it: chunks of every type and shape, threads, damage. Runs with sanitizers too, as the
   plugin is linked into this program; hosts.py has HDF5 itself. */
#define _GNU_SOURCE
#include <H5PLextern.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "plugins/chunks/tests/expect.h"

enum { VALUES = 5, SHAPES = 12, THREADS = 4 };

static const unsigned types[] = {0x01, 0x81, 0x02, 0x82, 0x102, 0x182};
enum { TYPES = sizeof types / sizeof types[0] };

/* Width, height, components. */
static const unsigned shapes[SHAPES][3] = {{1, 1, 1},   {1, 9, 1},   {9, 1, 1},     {2, 3, 1},
                                           {64, 64, 1}, {65, 33, 1}, {7, 90, 3},    {1, 40, 3},
                                           {500, 1, 3}, {40, 50, 3}, {300, 200, 1}, {130, 129, 3}};

typedef struct chunk {
    unsigned values[VALUES];
    size_t bytes;
    uint8_t *samples;
} chunk;

/* Noise alone where the height is no multiple of three. */
static chunk make_chunk(const unsigned *shape, unsigned type)
{
    chunk c = {.values = {1, type, shape[0], shape[1], shape[2]}};
    unsigned sample = type & 0x7F;
    c.bytes = (size_t)shape[0] * shape[1] * shape[2] * sample;
    c.samples = malloc(c.bytes);
    fill(c.samples, c.bytes, sample, shape[0] * 77 + shape[1] * 7 + type, shape[1] % 3 != 0);
    return c;
}

/* As HDF5 does: the buffer goes in, and another one or the same comes out. */
static size_t call(unsigned flags, size_t count, const unsigned *values, const void *data, size_t bytes, void **out)
{
    const H5Z_class2_t *plugin = H5PLget_plugin_info();
    void *buffer = malloc(bytes ? bytes : 1), *before = buffer;
    size_t room = bytes;
    memcpy(buffer, data, bytes);
    size_t written = plugin->filter(flags, count, values, bytes, &room, &buffer);
    EXPECT(written ? room == written : buffer == before && room == bytes && !memcmp(buffer, data, bytes),
           "%zu bytes, room %zu", written, room);
    *out = buffer;
    return written;
}

static void test_interface(void)
{
    const H5Z_class2_t *plugin = H5PLget_plugin_info();
    EXPECT(H5PLget_plugin_type() == H5PL_TYPE_FILTER, "type");
    EXPECT(plugin->version == H5Z_CLASS_T_VERS && plugin->id == 32033 && plugin->encoder_present &&
               plugin->decoder_present,
           "id %d", (int)plugin->id);
}

/* Readers may know all values, two, or none. */
static void test_shapes(void)
{
    for (int i = 0; i < SHAPES * TYPES; i++) {
        chunk c = make_chunk(shapes[i / TYPES], types[i % TYPES]);
        void *coded, *back;
        size_t bytes = call(0, VALUES, c.values, c.samples, c.bytes, &coded);
        EXPECT(bytes && !memcmp(coded, "\xFF\x4F\xFF\x51", 4), "chunk %d: %zu bytes", i, bytes);
        for (size_t count = 0; bytes && count <= VALUES; count += count ? 3 : 2) {
            size_t whole = call(H5Z_FLAG_REVERSE, count, c.values, coded, bytes, &back);
            int is_foreign = !count && c.values[1] & 0x100; /* the order of bytes is not in the codestream */
            EXPECT(whole == c.bytes && (is_foreign || !memcmp(back, c.samples, c.bytes)), "chunk %d with %zu values", i,
                   count);
            free(back);
        }
        free(coded);
        free(c.samples);
    }
}

/* ---- Same bytes ------------------------------------------------------------------------------ */

typedef struct work {
    const chunk *chunks;
    void *coded[SHAPES];
    size_t bytes[SHAPES];
} work;

static void *code_all(void *argument)
{
    work *w = argument;
    for (int i = 0; i < SHAPES; i++) {
        const chunk *c = &w->chunks[i];
        w->bytes[i] = call(0, VALUES, c->values, c->samples, c->bytes, &w->coded[i]);
        void *back;
        size_t whole = call(H5Z_FLAG_REVERSE, VALUES, c->values, w->coded[i], w->bytes[i], &back);
        EXPECT(whole == c->bytes && !memcmp(back, c->samples, whole), "chunk %d", i);
        free(back);
    }
    return NULL;
}

/* Threads of the host at the same time, and threads of Wavelane within a chunk. */
static void test_same_bytes(void)
{
    static const char *const inner[] = {"1", "3", "all"};
    chunk chunks[SHAPES];
    work first = {.chunks = chunks};
    for (int i = 0; i < SHAPES; i++) {
        chunks[i] = make_chunk(shapes[i], types[i % TYPES]);
    }
    (void)code_all(&first);
    for (size_t n = 0; n < sizeof inner / sizeof inner[0]; n++) {
        pthread_t threads[THREADS];
        work works[THREADS];
        setenv("WAVELANE_THREADS", inner[n], 1);
        for (int t = 0; t < THREADS; t++) {
            works[t] = (work){.chunks = chunks};
            EXPECT(!pthread_create(&threads[t], NULL, code_all, &works[t]), "thread %d", t);
        }
        for (int t = 0; t < THREADS; t++) {
            (void)pthread_join(threads[t], NULL);
            for (int i = 0; i < SHAPES; i++) {
                EXPECT(works[t].bytes[i] == first.bytes[i] &&
                           !memcmp(works[t].coded[i], first.coded[i], first.bytes[i]),
                       "chunk %d with %s threads", i, inner[n]);
                free(works[t].coded[i]);
            }
        }
    }
    unsetenv("WAVELANE_THREADS");
    for (int i = 0; i < SHAPES; i++) {
        free(first.coded[i]);
        free(chunks[i].samples);
    }
}

/* ---- No lock --------------------------------------------------------------------------------- */

enum { ENCODES = 100 };

static void *encode_many(void *argument)
{
    chunk c = make_chunk(shapes[10], 2);
    struct rusage used;
    void *coded;
    for (int i = 0; i < ENCODES; i++) {
        EXPECT(call(0, VALUES, c.values, c.samples, c.bytes, &coded), "encode %d", i);
        free(coded);
    }
    (void)getrusage(RUSAGE_THREAD, &used);
    *(long *)argument = used.ru_nvcsw;
    free(c.samples);
    return NULL;
}

/* A thread that waits gives its processor away: with one lock around the encoder nearly every call would. */
static void test_no_waiting(void)
{
    pthread_t threads[THREADS];
    long waits[THREADS], all = 0;
    for (int t = 0; t < THREADS; t++) {
        EXPECT(!pthread_create(&threads[t], NULL, encode_many, &waits[t]), "thread %d", t);
    }
    for (int t = 0; t < THREADS; t++) {
        (void)pthread_join(threads[t], NULL);
        all += waits[t];
    }
    printf("%ld waits in %d encodes\n", all, THREADS * ENCODES);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which have locks of their own */
    EXPECT(all < THREADS * ENCODES / 10, "%ld waits", all);
#endif
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void expect_refused(unsigned flags, size_t count, const unsigned *values, const void *data, size_t bytes,
                           const char *what)
{
    void *out;
    size_t written = call(flags, count, values, data, bytes, &out);
    EXPECT(!written, "%s: %zu bytes", what, written);
    free(out);
}

static void test_wrong_values(void)
{
    static const struct {
        unsigned values[VALUES];
        const char *what;
    } reads[] = {{{2, 2, 65, 33, 1}, "version 2"},      {{1, 1, 65, 33, 1}, "8 bits"},
                 {{1, 4, 65, 33, 1}, "32 bits"},        {{1, 2, 65, 34, 1}, "a row too many"},
                 {{1, 2, 0, 33, 1}, "no width"},        {{1, 2, 65, 33, 3}, "three components"},
                 {{1, 2, 65, 33, 0}, "no components"},  {{1, 2, 65536, 65536, 1}, "a large chunk"},
                 {{1, 2, 65, 33, 70000}, "components"}, {{1, 2, 4294967295u, 4294967295u, 3}, "the largest"}};
    chunk c = make_chunk(shapes[5], 2);
    void *coded;
    size_t bytes = call(0, VALUES, c.values, c.samples, c.bytes, &coded);
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) {
        expect_refused(H5Z_FLAG_REVERSE, VALUES, reads[i].values, coded, bytes, reads[i].what);
        expect_refused(0, VALUES, reads[i].values, c.samples, c.bytes, reads[i].what);
    }
    expect_refused(0, VALUES - 1, c.values, c.samples, c.bytes, "four values");
    expect_refused(0, VALUES, c.values, c.samples, c.bytes - 2, "a sample too few");
    expect_refused(0, VALUES, c.values, c.samples, 0, "no samples");
    for (size_t cut = 0; cut < bytes; cut += cut < 200 ? 1 : 97) {
        expect_refused(H5Z_FLAG_REVERSE, VALUES, c.values, coded, cut, "a chunk that ends early");
    }
    free(coded);
    free(c.samples);
}

/* Damaged bytes give an error, or samples of the right number: HDF5 takes as many as a chunk has. */
static void test_damage(void)
{
    int cases = getenv("WVL_TEST_SHORT") ? 60 : 400, refused = 0;
    uint32_t seed = 1;
    chunk c = make_chunk(shapes[11], 1);
    void *coded, *back;
    size_t bytes = call(0, VALUES, c.values, c.samples, c.bytes, &coded);
    uint8_t *damaged = malloc(bytes);
    for (int i = 0; i < cases; i++) {
        size_t range = i % 2 ? bytes : 150; /* every other one hits the headers */
        memcpy(damaged, coded, bytes);
        for (int n = 0; n <= i % 5; n++) {
            damaged[draw(&seed) % range] = (uint8_t)draw(&seed);
        }
        int knows_size = i % 3 != 0;
        size_t whole = call(H5Z_FLAG_REVERSE, knows_size ? VALUES : 0, c.values, damaged, bytes, &back);
        EXPECT(!whole || !knows_size || whole == c.bytes, "case %d: %zu bytes", i, whole);
        refused += !whole;
        free(back);
    }
    EXPECT(refused > cases / 4 && refused < cases, "%d of %d refused", refused, cases);
    free(damaged);
    free(coded);
    free(c.samples);
}

int main(void)
{
    static void (*const tests[])(void) = {test_interface,  test_shapes,       test_same_bytes,
                                          test_no_waiting, test_wrong_values, test_damage};
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        tests[i]();
    }
    printf("%zu tests, %d wrong\n", sizeof tests / sizeof tests[0], wrong);
    return wrong != 0;
}
