/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads pictures by rows, in portions of several heights, and compares them with the picture read as a whole. */
#pragma once

#include "picture_rows.h"
#include "tests/support/support.h"

#define ROWS_GAP 12u /* bytes between rows, which must stay as they are */
#define ROWS_POISON 0xA5

/* Check notes every assertion that holds, which takes longer than what these functions do: they only fail. */
#define ROWS_EXPECT(condition, ...) ((condition) ? (void)0 : ck_abort_msg(__VA_ARGS__))

static const uint32_t row_portions[] = {1, 2, 3, 7, 64, UINT32_MAX};

static inline uint32_t rows_in(const wvl_io_component *c, uint32_t first, uint32_t count)
{
    return wvl_io_rows_of_component(c, first + count) - wvl_io_rows_of_component(c, first);
}

/* Blocks for `count` rows from `first` on, filled with poison. */
static inline void make_row_buffers(const wvl_io_rows *rows, uint32_t first, uint32_t count, wvl_io_row_buffer *buffers)
{
    const wvl_io_picture *p = wvl_io_rows_picture(rows);

    for (uint32_t i = 0; i < wvl_io_rows_buffer_count(rows); i++) {
        size_t pitch = (wvl_io_rows_bytes(rows, i) + 3) / 4 * 4 + ROWS_GAP;
        size_t bytes = pitch * rows_in(&p->components[i], first, count);
        buffers[i].pitch_bytes = pitch;
        buffers[i].data = malloc(bytes != 0 ? bytes : 1);
        ROWS_EXPECT(buffers[i].data, "not enough memory");
        memset(buffers[i].data, ROWS_POISON, bytes);
    }
}

static inline void free_row_buffers(const wvl_io_rows *rows, wvl_io_row_buffer *buffers)
{
    for (uint32_t i = 0; i < wvl_io_rows_buffer_count(rows); i++) {
        free(buffers[i].data);
    }
}

/* Both lie in the same way, so rows are compared as bytes. */
static inline void expect_rows(const wvl_io_rows *rows, const wvl_io_row_buffer *buffers, const wvl_io_picture *whole,
                               uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < wvl_io_rows_buffer_count(rows); i++) {
        const wvl_io_component *k = &whole->components[i];
        uint32_t top = wvl_io_rows_of_component(k, first), n = rows_in(k, first, count);
        size_t bytes = wvl_io_rows_bytes(rows, i);
        for (uint32_t y = 0; y < n; y++) {
            const uint8_t *row = (const uint8_t *)buffers[i].data + y * buffers[i].pitch_bytes;
            const uint8_t *same = (const uint8_t *)k->data - wvl_io_rows_offset(rows, i) + (top + y) * k->stride_bytes;
            if (memcmp(row, same, bytes) != 0) {
                ck_abort_msg("buffer %u, row %u, in rows %u to %u of the picture", i, top + y, first, first + count);
            }
            for (size_t x = bytes; x < buffers[i].pitch_bytes; x++) {
                if (row[x] != ROWS_POISON) {
                    ck_abort_msg("byte %zu of row %u lies behind the row, and was written", x, top + y);
                }
            }
        }
    }
}

static inline void expect_description(const wvl_io_picture *p, const wvl_io_picture *whole)
{
    ROWS_EXPECT(p->width == whole->width, "width");
    ROWS_EXPECT(p->height == whole->height, "height");
    ROWS_EXPECT(p->component_count == whole->component_count, "component_count");
    ROWS_EXPECT(p->color == whole->color, "color");
    ROWS_EXPECT(p->color_declared == whole->color_declared, "color_declared");
    ROWS_EXPECT(p->alpha_component == whole->alpha_component, "alpha_component");
    ROWS_EXPECT(p->orientation == whole->orientation, "orientation");
    ROWS_EXPECT(p->palette_entries == whole->palette_entries, "palette_entries");
    ROWS_EXPECT(p->icc_bytes == whole->icc_bytes, "icc_bytes");
    ROWS_EXPECT(strcmp(p->format, whole->format) == 0, "format: %s", p->format);
    ROWS_EXPECT(strcmp(p->lost, whole->lost) == 0, "lost: %s", p->lost);
    ROWS_EXPECT(p->metadata.text_count == whole->metadata.text_count, "metadata.text_count");
    for (unsigned i = 0; i < WVL_IO_BLOB_KINDS; i++) {
        ROWS_EXPECT(p->metadata.blobs[i].bytes == whole->metadata.blobs[i].bytes, "metadata.blobs.bytes");
    }
    for (uint32_t c = 0; c < p->component_count; c++) {
        ROWS_EXPECT(p->components[c].depth == whole->components[c].depth, "components.depth");
        ROWS_EXPECT(p->components[c].sample_bytes == whole->components[c].sample_bytes, "components.sample_bytes");
        ROWS_EXPECT(p->components[c].is_signed == whole->components[c].is_signed, "components.is_signed");
        ROWS_EXPECT(p->components[c].height == whole->components[c].height, "components.height");
        ROWS_EXPECT(!p->components[c].data, "data of component %u", c);
    }
}

/* All rows in portions; whole may be NULL: nothing is compared. 0, or what failed. */
static inline int read_portions(wvl_io_rows *rows, uint32_t portion, const wvl_io_picture *whole, char *error,
                                size_t error_bytes)
{
    const wvl_io_picture *p = wvl_io_rows_picture(rows);
    wvl_io_row_buffer *buffers = calloc(wvl_io_rows_buffer_count(rows), sizeof *buffers);
    int result = 0;

    ROWS_EXPECT(buffers, "not enough memory");
    while (result == 0 && wvl_io_rows_next(rows) < p->height) {
        uint32_t first = wvl_io_rows_next(rows), left = p->height - first, count = portion < left ? portion : left;
        make_row_buffers(rows, first, count, buffers);
        result = wvl_io_rows_read(rows, count, buffers, error, error_bytes);
        if (result == 0 && whole) {
            expect_rows(rows, buffers, whole, first, count);
        }
        free_row_buffers(rows, buffers);
    }
    free(buffers);
    return result;
}

static inline void expect_same_whole(wvl_io_rows *rows, const wvl_io_picture *whole)
{
    wvl_io_picture p;
    char error[256] = "";

    ROWS_EXPECT(wvl_io_rows_take_picture(rows, &p, error, sizeof error) == 0, "%s", error);
    ROWS_EXPECT(p.component_count == whole->component_count, "p.component_count");
    for (uint32_t c = 0; c < p.component_count; c++) {
        const wvl_io_component *k = &p.components[c], *same = &whole->components[c];
        ROWS_EXPECT(k->stride_bytes == same->stride_bytes && k->height == same->height, "component %u", c);
        if (k->owned && memcmp(k->owned, same->owned, k->stride_bytes * k->height) != 0) {
            ck_abort_msg("component %u", c);
        }
    }
    wvl_io_release_picture(&p);
}

/* An open reader of the picture `whole`: all heights of portions, one after another; closes it. */
static inline void expect_rows_of(wvl_io_rows *rows, const wvl_io_picture *whole)
{
    char error[256] = "";

    if (!wvl_io_rows_obstacle(rows)) {
        expect_description(wvl_io_rows_picture(rows), whole);
        for (unsigned i = 0; i < sizeof row_portions / sizeof row_portions[0]; i++) {
            ROWS_EXPECT(read_portions(rows, row_portions[i], whole, error, sizeof error) == 0, "%s", error);
            ROWS_EXPECT(wvl_io_rows_restart(rows, error, sizeof error) == 0, "%s", error);
        }
    }
    expect_same_whole(rows, whole);
    wvl_io_rows_close(rows);
}

static inline void expect_rows_of_memory(const void *bytes, size_t n, const char *name, const wvl_io_options *options,
                                         const wvl_io_picture *whole)
{
    wvl_io_rows *rows;
    char error[256] = "";

    ROWS_EXPECT(wvl_io_rows_open_memory(bytes, n, name, options, &rows, error, sizeof error) == 0, "%s", error);
    expect_rows_of(rows, whole);
}

/* A file, in portions of one height; 0: of all heights. */
static inline void expect_rows_of_file(const char *path, const wvl_io_options *options, uint32_t portion,
                                       const wvl_io_picture *whole)
{
    wvl_io_rows *rows;
    char error[512] = "";

    ROWS_EXPECT(wvl_io_rows_open(path, options, &rows, error, sizeof error) == 0, "%s", error);
    if (portion == 0) {
        expect_rows_of(rows, whole);
        return;
    }
    if (!wvl_io_rows_obstacle(rows)) {
        expect_description(wvl_io_rows_picture(rows), whole);
        ROWS_EXPECT(read_portions(rows, portion, whole, error, sizeof error) == 0, "%s", error);
    }
    wvl_io_rows_close(rows);
}

/* One portion height in place of all. */
static inline void expect_portions_of_memory(const void *bytes, size_t n, const char *name,
                                             const wvl_io_options *options, uint32_t portion,
                                             const wvl_io_picture *whole)
{
    wvl_io_rows *rows;
    char error[256] = "";

    ROWS_EXPECT(wvl_io_rows_open_memory(bytes, n, name, options, &rows, error, sizeof error) == 0, "%s", error);
    if (!wvl_io_rows_obstacle(rows)) {
        ROWS_EXPECT(read_portions(rows, portion, whole, error, sizeof error) == 0, "%s", error);
    }
    wvl_io_rows_close(rows);
}

/* Bytes that are no picture, or a damaged one: by rows they are refused too, when opened or while they are read. */
static inline void expect_rows_refused(const void *bytes, size_t n, const char *name, const wvl_io_options *options,
                                       uint32_t portion)
{
    wvl_io_rows *rows;
    wvl_io_picture p;
    char error[256] = "";
    int result = wvl_io_rows_open_memory(bytes, n, name, options, &rows, error, sizeof error);

    if (result == 0 && !wvl_io_rows_obstacle(rows)) {
        result = read_portions(rows, portion, NULL, error, sizeof error);
    } else if (result == 0) {
        result = wvl_io_rows_take_picture(rows, &p, error, sizeof error);
    }
    ROWS_EXPECT(result < 0, "accepted by rows");
    ROWS_EXPECT(strncmp(error, name, strlen(name)) == 0, "\"%s\" does not name %s", error, name);
    wvl_io_rows_close(rows);
}
