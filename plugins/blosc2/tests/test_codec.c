/* SPDX-License-Identifier: BSD-2-Clause */
/* The codec as c-blosc2 calls it: blocks of every shape, small buffers, wrong arrays, damage. Runs with sanitizers too,
   as the plugin is linked into this program; hosts.py has python-blosc2. */
#include <stdlib.h>
#include <string.h>

#include "blosc.h"
#include "plugins/chunks/tests/expect.h"

enum { RANKS = 4, SHAPES = 9, LAYER_BYTES = 6 + 19 * 15 };

int wavelane_blosc2_encode(const uint8_t *input, int32_t input_bytes, uint8_t *output, int32_t output_bytes,
                           uint8_t meta, const blosc_settings *settings, const void *chunk);
int wavelane_blosc2_decode(const uint8_t *input, int32_t input_bytes, uint8_t *output, int32_t output_bytes,
                           uint8_t meta, const void *settings, const void *chunk);

static const int shapes[SHAPES][RANKS] = {{64, 48}, {1, 64, 48}, {33, 65, 3},  {1, 20, 30, 3}, {500},
                                          {500, 1}, {1, 1},      {1, 1, 1, 9}, {130, 129}};

/* An array with one block of this shape. */
typedef struct array {
    blosc_settings settings;
    blosc_schunk schunk;
    blosc_layer layer, other;
    uint8_t content[LAYER_BYTES];
    int32_t bytes;
    uint8_t *samples, *output;
} array;

static uint8_t *put_list(uint8_t *at, const int *shape, int rank, int number_bytes)
{
    *at++ = (uint8_t)(0x90 | rank);
    for (int i = 0; i < rank; i++) {
        *at++ = number_bytes == 8 ? 0xD3 : 0xD2;
        memset(at, 0, (size_t)number_bytes);
        at[number_bytes - 2] = (uint8_t)(shape[i] >> 8);
        at[number_bytes - 1] = (uint8_t)shape[i];
        at += number_bytes;
    }
    return at;
}

static array *open_array(const int *shape, int typesize)
{
    array *a = calloc(1, sizeof *a);
    int rank = 0;
    a->bytes = typesize;
    while (rank < RANKS && shape[rank]) {
        a->bytes *= shape[rank++];
    }
    uint8_t *at = a->content;
    *at++ = 0x97;
    *at++ = 0;
    *at++ = (uint8_t)rank;
    at = put_list(at, shape, rank, 8);
    at = put_list(at, shape, rank, 4);
    at = put_list(at, shape, rank, 4);
    a->layer = (blosc_layer){"b2nd", a->content, (int32_t)(at - a->content)};
    a->other = (blosc_layer){"other", NULL, 0};
    a->schunk = (blosc_schunk){.compcode = 40, .typesize = typesize, .nmetalayers = 2};
    a->schunk.metalayers[0] = &a->other;
    a->schunk.metalayers[1] = &a->layer;
    a->settings = (blosc_settings){.compcode = 40, .typesize = typesize, .schunk = &a->schunk};
    a->samples = malloc((size_t)a->bytes);
    a->output = malloc((size_t)a->bytes * 2 + 1000);
    fill(a->samples, (size_t)a->bytes, (unsigned)typesize, (uint32_t)a->bytes, 0);
    return a;
}

static int encode(array *a, int32_t room, uint8_t meta)
{
    return wavelane_blosc2_encode(a->samples, a->bytes, a->output, room, meta, &a->settings, NULL);
}

static void close_array(array *a)
{
    free(a->samples);
    free(a->output);
    free(a);
}

static void test_shapes(void)
{
    for (int i = 0; i < SHAPES * 2; i++) {
        array *a = open_array(shapes[i / 2], 1 + i % 2);
        int bytes = encode(a, a->bytes * 2 + 1000, 0);
        uint8_t *back = malloc((size_t)a->bytes);
        EXPECT(bytes > 0 && !memcmp(a->output, "\xFF\x4F\xFF\x51", 4), "array %d: %d", i, bytes);
        EXPECT(wavelane_blosc2_decode(a->output, bytes, back, a->bytes, 0, NULL, NULL) == a->bytes &&
                   !memcmp(back, a->samples, (size_t)a->bytes),
               "array %d is another one", i);
        EXPECT(encode(a, bytes, 0) == bytes, "array %d: a buffer that is large enough", i);
        EXPECT(encode(a, bytes - 1, 0) == 0, "array %d: a buffer that is too small", i);
        EXPECT(wavelane_blosc2_decode(a->output, bytes, back, a->bytes - 1, 0, NULL, NULL) < 0, "array %d: size", i);
        free(back);
        close_array(a);
    }
}

/* A JP2 file as a block: boxes of all kinds of length before the codestream; a box that lies about its length. */
static void test_boxes(void)
{
    static const uint8_t head[] = {0,   0, 0, 12, 'j', 'P', ' ', ' ', 13, 10,  0x87, 10, 0, 0, 0,   1,   'f', 'r', 'e',
                                   'e', 0, 0, 0,  0,   0,   0,   0,   17, 'x', 0,    0,  0, 0, 'j', 'p', '2', 'c'};
    array *a = open_array(shapes[0], 2);
    int bytes = encode(a, a->bytes * 2, 0);
    uint8_t *file = malloc(sizeof head + (size_t)bytes), *back = malloc((size_t)a->bytes);
    memcpy(file, head, sizeof head);
    memcpy(file + sizeof head, a->output, (size_t)bytes);
    for (int wrong_at = 0; wrong_at < 3; wrong_at++) {
        file[27] = (uint8_t)(wrong_at == 1 ? 16 : 17);
        file[32] = (uint8_t)(wrong_at == 2 ? 200 : 0);
        int whole = wavelane_blosc2_decode(file, (int)sizeof head + bytes, back, a->bytes, 0, NULL, NULL);
        EXPECT(wrong_at ? whole < 0 : whole == a->bytes && !memcmp(back, a->samples, (size_t)whole), "boxes %d: %d",
               wrong_at, whole);
    }
    free(file);
    free(back);
    close_array(a);
}

static void test_lossy(void)
{
    array *a = open_array(shapes[8], 1);
    int bytes = encode(a, a->bytes, 80);
    EXPECT(bytes > a->bytes / 16 && bytes <= a->bytes / 8, "%d bytes at a ratio of 8", bytes);
    close_array(a);
}

/* Each change makes an array that is refused; the bytes behind it are not touched. */
static void test_wrong_arrays(void)
{
    static const int bad[2][RANKS] = {{4, 64, 48}, {2, 5, 6, 3}};
    for (int i = 0; i < 9; i++) {
        array *a = open_array(i < 2 ? bad[i] : shapes[0], i == 2 ? 4 : 2);
        a->schunk.compcode = i == 3 ? 39 : 40;
        a->schunk.nmetalayers = i == 4 ? 1 : 2;
        a->schunk.nmetalayers += i == 5 ? 900 : 0;
        a->content[2] = (uint8_t)(i == 6 ? 200 : a->content[2]);
        a->layer.content_len -= i == 7;
        a->bytes -= i == 8;
        EXPECT(encode(a, a->bytes, 0) < 0, "wrong array %d", i);
        close_array(a);
    }
}

static void test_damage(void)
{
    array *a = open_array(shapes[2], 1);
    int32_t bytes = encode(a, a->bytes * 2, 0);
    uint8_t *damaged = malloc((size_t)bytes), *back = malloc((size_t)a->bytes);
    uint32_t seed = 1;
    int refused = 0, cases = 200;
    for (int i = 0; i < cases; i++) {
        memcpy(damaged, a->output, (size_t)bytes);
        damaged[draw(&seed) % (i % 2 ? (uint32_t)bytes : 150)] = (uint8_t)draw(&seed);
        int whole = wavelane_blosc2_decode(damaged, i % 3 ? bytes : bytes / 2, back, a->bytes, 0, NULL, NULL);
        EXPECT(whole < 0 || whole == a->bytes, "case %d: %d", i, whole);
        refused += whole < 0;
    }
    EXPECT(refused > cases / 3 && refused < cases, "%d of %d refused", refused, cases);
    free(damaged);
    free(back);
    close_array(a);
}

int main(void)
{
    test_shapes();
    test_boxes();
    test_lossy();
    test_wrong_arrays();
    test_damage();
    printf("5 tests, %d wrong\n", wrong);
    return wrong != 0;
}
