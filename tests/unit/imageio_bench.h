/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the picture reader tests share: building small files, expecting pictures or refusals, doing damage. All that is
 * read or refused as a whole is read or refused by rows too.
 */
#pragma once

#include <unistd.h>

#include "picture_rows_bench.h"

typedef struct bytes {
    uint8_t at[8192];
    size_t count;
} bytes;

static inline void put(bytes *b, const void *from, size_t n)
{
    ck_assert_uint_le(b->count + n, sizeof b->at);
    memcpy(b->at + b->count, from, n);
    b->count += n;
}

static inline void set_16(bytes *b, size_t at, unsigned value, int big)
{
    b->at[at + (big ? 1 : 0)] = (uint8_t)value;
    b->at[at + (big ? 0 : 1)] = (uint8_t)(value >> 8);
}

static inline void set_32(bytes *b, size_t at, uint32_t value, int big)
{
    set_16(b, at + (big ? 2 : 0), value & 0xffff, big);
    set_16(b, at + (big ? 0 : 2), value >> 16, big);
}

static inline void put_le16(bytes *b, unsigned value)
{
    put(b, "\0", 2);
    set_16(b, b->count - 2, value, 0);
}

static inline void put_le32(bytes *b, uint32_t value)
{
    put(b, "\0\0\0", 4);
    set_32(b, b->count - 4, value, 0);
}

/* An information header of 40 bytes, a palette or masks, then the pixels. */
static inline void start_bmp(bytes *b, int32_t width, int32_t height, unsigned bits, unsigned compression,
                             unsigned extra)
{
    b->count = 0;
    put(b, "BM", 2);
    put_le32(b, 0);
    put_le32(b, 0);
    put_le32(b, 54 + extra);
    put_le32(b, 40);
    put_le32(b, (uint32_t)width);
    put_le32(b, (uint32_t)height);
    put_le16(b, 1);
    put_le16(b, bits);
    put_le32(b, compression);
    put_le32(b, 0);
    put_le32(b, 2835);
    put_le32(b, 2835);
    put_le32(b, bits <= 8 ? extra / 4 : 0);
    put_le32(b, 0);
}

static inline void start_tga(bytes *b, unsigned type, unsigned width, unsigned height, unsigned bits,
                             unsigned descriptor)
{
    b->count = 0;
    put(b, "\2", 1); /* two bytes of identification */
    put(b, (type & 7) == 1 ? "\1" : "\0", 1);
    put(b, &(uint8_t){(uint8_t)type}, 1);
    put_le16(b, (type & 7) == 1 ? 10 : 0); /* first entry, entries, bits */
    put_le16(b, (type & 7) == 1 ? 2 : 0);
    put(b, (type & 7) == 1 ? "\x18" : "\0", 1);
    put_le32(b, 0);
    put_le16(b, width);
    put_le16(b, height);
    put(b, &(uint8_t){(uint8_t)bits}, 1);
    put(b, &(uint8_t){(uint8_t)descriptor}, 1);
    put(b, "id", 2);
}

/* Header fields of SMPTE 268M in either order; the pixels follow at 2048. */
static inline void start_dpx(bytes *b, int big, unsigned width, unsigned height, unsigned descriptor, unsigned depth,
                             unsigned packing)
{
    b->count = 2048;
    memset(b->at, 0, 2048);
    memcpy(b->at, big ? "SDPX" : "XPDS", 4);
    set_32(b, 4, 2048, big);
    set_16(b, 770, 1, big);
    set_32(b, 772, width, big);
    set_32(b, 776, height, big);
    b->at[800] = (uint8_t)descriptor;
    b->at[803] = (uint8_t)depth;
    set_16(b, 804, packing, big);
    set_32(b, 808, 2048, big);
    set_32(b, 812, UINT32_MAX, big);
}

static inline void put_word(bytes *b, uint32_t word, int big)
{
    put_le32(b, 0);
    set_32(b, b->count - 4, word, big);
}

static inline int64_t sample_at(const wvl_io_picture *p, uint32_t component, uint32_t x, uint32_t y)
{
    ck_assert_uint_lt(component, p->component_count);
    ck_assert_uint_lt(x, p->components[component].width);
    ck_assert_uint_lt(y, p->components[component].height);
    return wvl_io_sample(&p->components[component], x, y);
}

/* depth and sign of component 0. */
static inline void expect_shape(const wvl_io_picture *p, uint32_t width, uint32_t height, uint32_t components,
                                unsigned depth, int is_signed)
{
    ck_assert_uint_eq(p->width, width);
    ck_assert_uint_eq(p->height, height);
    ck_assert_uint_eq(p->component_count, components);
    ck_assert_uint_eq(p->components[0].depth, depth);
    ck_assert_int_eq(p->components[0].is_signed, is_signed);
    ck_assert_uint_eq(p->components[0].sample_bytes, depth <= 8 ? 1 : depth <= 16 ? 2 : 4);
}

/* A block of exactly n bytes, so that a memory checker sees a read beyond it. */
static inline uint8_t *exact_copy(const void *from, size_t n)
{
    uint8_t *copy = malloc(n != 0 ? n : 1);

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, from, n);
    return copy;
}

static inline void read_bytes(wvl_io_picture *p, const void *from, size_t n, const char *name,
                              const wvl_io_options *options)
{
    uint8_t *copy = exact_copy(from, n);
    char error[256] = "";

    ck_assert_msg(wvl_io_read_memory(copy, n, name, options, p, error, sizeof error) == 0, "%s", error);
    expect_rows_of_memory(copy, n, name, options, p);
    free(copy);
}

/* Reads a picture and releases it. shape: width, height, components, depth and sign of component 0, colour, component
 * of alpha. samples: "component,x,y=value ..." */
static inline void check_picture(const void *from, size_t n, const char *name, const wvl_io_options *options,
                                 const int shape[7], const char *samples)
{
    wvl_io_picture p;
    uint32_t c, x, y;
    long long value;
    int used;

    read_bytes(&p, from, n, name, options);
    expect_shape(&p, (uint32_t)shape[0], (uint32_t)shape[1], (uint32_t)shape[2], (unsigned)shape[3], shape[4]);
    ck_assert_int_eq(p.color, shape[5]);
    ck_assert_int_eq(p.alpha_component, shape[6]);
    for (; sscanf(samples, "%u,%u,%u=%lld%n", &c, &x, &y, &value, &used) == 4; samples += used) {
        ck_assert_msg(sample_at(&p, c, x, y) == value, "%s: sample %u,%u,%u is %lld", name, c, x, y,
                      (long long)sample_at(&p, c, x, y));
    }
    ck_assert_str_eq(samples, "");
    wvl_io_release_picture(&p);
}

static inline void refuse_bytes(const void *from, size_t n, const char *name, const wvl_io_options *options,
                                const char *reason)
{
    uint8_t *copy = exact_copy(from, n);
    wvl_io_picture p;
    char error[256] = "";

    ck_assert_int_lt(wvl_io_read_memory(copy, n, name, options, &p, error, sizeof error), 0);
    ck_assert_msg(strstr(error, reason) != NULL, "\"%s\" does not say \"%s\"", error, reason);
    ck_assert_msg(strncmp(error, name, strlen(name)) == 0, "\"%s\" does not name %s", error, name);
    ck_assert_ptr_null(p.components);
    expect_rows_refused(copy, n, name, options, 1 + n % 3);
    free(copy);
}

/* Of many cases alike, every n-th is taken: with WVL_TEST_SHORT fewer. */
static inline int imageio_step(void) { return getenv("WVL_TEST_SHORT") ? 5 : 1; }

static inline void expect_truncations_refused(const uint8_t *from, size_t n, const char *name,
                                              const wvl_io_options *options)
{
    for (size_t cut = 0; cut < n; cut += n < 100 ? 1 : (size_t)imageio_step()) {
        refuse_bytes(from, cut, name, options, name);
    }
}

/* A file of the suite, which make_file() makes anew. */
static char file_path[] = "/tmp/imageio-XXXXXX";

static inline void make_file(void)
{
    strcpy(file_path, "/tmp/imageio-XXXXXX");
    int file = mkstemp(file_path);
    ck_assert_int_ge(file, 0);
    close(file);
}

static inline void load_file(bytes *b)
{
    FILE *file = fopen(file_path, "rb");
    ck_assert_ptr_nonnull(file);
    b->count = fread(b->at, 1, sizeof b->at, file);
    ck_assert_uint_lt(b->count, sizeof b->at);
    fclose(file);
}

/* Standard input becomes a pipe that gives these bytes. */
static inline void feed(const void *at, size_t n)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        close(ends[0]);
        _exit(write(ends[1], at, n) == (ssize_t)n ? 0 : 1);
    }
    close(ends[1]);
    ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
}

static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Up to four bytes changed, many times over, from a fixed seed: a picture or a reason must come of each. */
static inline void read_damaged(const uint8_t *from, size_t n, const char *name, const wvl_io_options *options,
                                int rounds)
{
    wvl_io_options limited = options ? *options : (wvl_io_options){0};
    uint64_t state = 88172645463325252u;

    limited.max_samples = 1 << 20;
    for (; rounds > 0; rounds -= imageio_step()) {
        uint8_t *copy = exact_copy(from, n);
        unsigned changes = 1 + (unsigned)(next_random(&state) & 3);
        wvl_io_picture p;
        char error[256] = "";

        for (; changes > 0; changes--) {
            copy[next_random(&state) % n] = (uint8_t)(next_random(&state) >> 24);
        }
        if (wvl_io_read_memory(copy, n, name, &limited, &p, error, sizeof error) == 0) {
            ck_assert_uint_gt(p.component_count, 0);
            expect_portions_of_memory(copy, n, name, &limited, 1 + (uint32_t)rounds % 7, &p);
        } else {
            ck_assert_str_ne(error, "");
            expect_rows_refused(copy, n, name, &limited, 1 + (uint32_t)rounds % 3);
        }
        wvl_io_release_picture(&p);
        free(copy);
    }
}

static inline uint32_t crc_of_bytes(uint32_t crc, const uint8_t *at, size_t n)
{
    static uint32_t table[256];
    uint32_t k;

    if (table[1] == 0) {
        for (uint32_t i = 0; i < 256; i++) {
            for (table[i] = i, k = 0; k < 8; k++) {
                table[i] = table[i] >> 1 ^ ((table[i] & 1) != 0 ? 0xedb88320u : 0);
            }
        }
    }
    for (crc = ~crc; n > 0; n--, at++) {
        crc = crc >> 8 ^ table[(crc ^ *at) & 0xff];
    }
    return ~crc;
}

static inline uint32_t crc_of_picture(const wvl_io_picture *p)
{
    uint32_t crc = 0;

    for (uint32_t c = 0; c < p->component_count; c++) {
        for (uint32_t y = 0; y < p->components[c].height; y++) {
            for (uint32_t x = 0; x < p->components[c].width; x++) {
                uint32_t value = (uint32_t)wvl_io_sample(&p->components[c], x, y);
                uint8_t little[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                                     (uint8_t)(value >> 24)};

                crc = crc_of_bytes(crc, little, p->components[c].sample_bytes);
            }
        }
    }
    return crc;
}
