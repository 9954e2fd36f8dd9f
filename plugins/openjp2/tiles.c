/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures that come tile by tile. A picture of one tile is encoded from the host's memory. Else tiles are put together
 * to rows of tiles, and each complete row goes to a row pusher; tiles may come in any order, and rows that are early
 * wait. The pusher has a thread of its own, but the host's functions may only be called from the host's thread (in
 * Python it holds the interpreter's lock): the bytes wait in a list until the host calls again.
 */
#include "codec.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct piece { /* bytes on their way to the stream, or a patch of those that are there */
    struct piece *next;
    uint64_t offset;
    size_t bytes;
    int is_patch;
    unsigned char data[];
} piece;

/* The samples of a row of tiles, component after component. */
typedef struct tile_row {
    unsigned char *data; /* NULL: no tile of it has come, or all are pushed */
    uint32_t missing;    /* tiles */
} tile_row;

struct tile_rows {
    uint32_t x0, y0, dx, dy; /* the tile grid */
    uint32_t across, down;   /* tiles */
    uint32_t next_row;       /* the next one to push */
    uint32_t taken;
    unsigned char *is_taken; /* [across * down] */
    tile_row *rows;          /* [down] */
    wvl_sink sink;           /* of the pusher, which reads it in its own thread */
    wvl_row_pusher *pusher;

    pthread_mutex_t lock; /* of the list */
    piece *first, **last;
    uint64_t written, at; /* bytes that the pusher gave; bytes that the stream has */
    int is_broken;        /* the stream refused bytes, or memory was short */
};

typedef struct box {
    uint32_t x0, y0, x1, y1;
} box;

static uint32_t ceil_div(uint64_t a, uint32_t b) { return (uint32_t)((a + b - 1) / b); }

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static uint32_t bytes_a_sample(const opj_component *c)
{
    uint32_t most = c->prec <= 16 ? 2 : 4;
    return c->prec <= 8 ? 1 : most;
}

static uint8_t container_of(const opj_component *c)
{
    uint8_t most = c->prec <= 16 ? WVL_SAMPLE_16 : WVL_SAMPLE_32;
    return c->prec <= 8 ? WVL_SAMPLE_8 : most;
}

/* A part of the reference grid, clipped to the picture. */
static box clip(const opj_image *image, uint64_t x0, uint64_t y0, uint64_t x1, uint64_t y1)
{
    return (box){larger((uint32_t)x0, image->x0), larger((uint32_t)y0, image->y0),
                 (uint32_t)(x1 < image->x1 ? x1 : image->x1), (uint32_t)(y1 < image->y1 ? y1 : image->y1)};
}

static box box_of(const tile_rows *t, const opj_image *image, uint32_t column, uint32_t row)
{
    uint64_t x = t->x0 + (uint64_t)column * t->dx, y = t->y0 + (uint64_t)row * t->dy;
    return clip(image, x, y, x + t->dx, y + t->dy);
}

static box row_box(const tile_rows *t, const opj_image *image, uint32_t row)
{
    uint64_t y = t->y0 + (uint64_t)row * t->dy;
    return clip(image, image->x0, y, image->x1, y + t->dy);
}

/* The samples of a component in a part of the reference grid. */
static box samples_of(box grid, const opj_component *c)
{
    return (box){ceil_div(grid.x0, c->dx), ceil_div(grid.y0, c->dy), ceil_div(grid.x1, c->dx),
                 ceil_div(grid.y1, c->dy)};
}

static size_t bytes_of(box grid, const opj_component *c)
{
    box s = samples_of(grid, c);
    return (size_t)(s.x1 - s.x0) * (s.y1 - s.y0) * bytes_a_sample(c);
}

static size_t all_bytes_of(box grid, const opj_image *image)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < image->numcomps; i++) {
        bytes += bytes_of(grid, &image->comps[i]);
    }
    return bytes;
}

/* ---- Bytes from the pusher's thread ----------------------------------------------------------- */

static int append(tile_rows *t, uint64_t offset, const void *data, size_t bytes, int is_patch)
{
    piece *p = malloc(sizeof *p + bytes);
    if (!p) {
        return 1;
    }
    *p = (piece){.offset = offset, .bytes = bytes, .is_patch = is_patch};
    memcpy(p->data, data, bytes);
    pthread_mutex_lock(&t->lock);
    int is_broken = t->is_broken;
    *t->last = p;
    t->last = &p->next;
    pthread_mutex_unlock(&t->lock);
    return is_broken;
}

static int take_bytes(void *user, const void *data, size_t bytes)
{
    tile_rows *t = user;
    t->written += bytes;
    return append(t, 0, data, bytes, 0);
}

static int take_patch(void *user, uint64_t offset, const void *data, size_t bytes)
{
    return append(user, offset, data, bytes, 1);
}

/* In the host's thread. 0: the stream refused bytes. */
static int drain(codec_entry *c)
{
    tile_rows *t = c->tiles;
    for (;;) {
        pthread_mutex_lock(&t->lock);
        piece *p = t->first;
        if (p && !(t->first = p->next)) {
            t->last = &t->first;
        }
        int fails = t->is_broken;
        pthread_mutex_unlock(&t->lock);
        if (!p) {
            return !fails;
        }
        if (!fails) {
            const stream_entry *s = c->stream;
            fails = (p->is_patch && !s->seek((int64_t)p->offset, s->user)) || stream_write(s, p->data, p->bytes);
            t->at += p->is_patch ? 0 : p->bytes;
            fails = fails || (p->is_patch && !s->seek((int64_t)t->at, s->user));
        }
        free(p);
        if (fails) {
            pthread_mutex_lock(&t->lock);
            t->is_broken = 1;
            pthread_mutex_unlock(&t->lock);
        }
    }
}

/* ---- Tiles ------------------------------------------------------------------------------------ */

static int start(codec_entry *c)
{
    const opj_cparameters *p = c->given;
    const opj_image *image = &c->image;
    tile_rows *t = calloc(1, sizeof *t);
    if (!t) {
        return 0;
    }
    c->tiles = t;
    pthread_mutex_init(&t->lock, NULL);
    t->last = &t->first;
    t->x0 = p->tile_size_on ? (uint32_t)p->cp_tx0 : image->x0;
    t->y0 = p->tile_size_on ? (uint32_t)p->cp_ty0 : image->y0;
    t->dx = p->tile_size_on ? (uint32_t)p->cp_tdx : image->x1 - image->x0;
    t->dy = p->tile_size_on ? (uint32_t)p->cp_tdy : image->y1 - image->y0;
    t->across = ceil_div(image->x1 - t->x0, t->dx);
    t->down = ceil_div(image->y1 - t->y0, t->dy);
    t->is_taken = calloc(t->across, t->down);
    t->rows = calloc(t->down, sizeof *t->rows);
    if (!t->is_taken || !t->rows) {
        return 0;
    }
    if (t->across * (uint64_t)t->down == 1) {
        return 1;
    }
    wvl_row_component *components = calloc(image->numcomps, sizeof *components);
    for (uint32_t i = 0; components && i < image->numcomps; i++) {
        components[i] = (wvl_row_component){.buffer = i, .container = container_of(&image->comps[i])};
    }
    /* A pipe may have a function to seek, and fail. */
    int seeks = c->stream->seek && c->stream->seek(0, c->stream->user);
    t->sink =
        (wvl_sink){.struct_size = sizeof t->sink, .write = take_bytes, .patch = seeks ? take_patch : NULL, .user = t};
    int done = components &&
               wvl_row_pusher_create(c->plan, components, image->numcomps, NULL, &t->sink, NULL, &t->pusher) == WVL_OK;
    free(components);
    return done;
}

static void copy_tile(const codec_entry *c, const unsigned char *data, box grid, box row, unsigned char *rows)
{
    for (uint32_t i = 0; i < c->image.numcomps; i++) {
        const opj_component *k = &c->image.comps[i];
        box from = samples_of(grid, k), to = samples_of(row, k);
        size_t size = bytes_a_sample(k), width = (from.x1 - from.x0) * size, pitch = (to.x1 - to.x0) * size;
        for (uint32_t y = from.y0; y < from.y1; y++) {
            memcpy(rows + (y - to.y0) * pitch + (from.x0 - to.x0) * size, data, width);
            data += width;
        }
        rows += bytes_of(row, k);
    }
}

/* Pushes the rows of tiles that are complete. */
static wvl_status push_rows(codec_entry *c)
{
    tile_rows *t = c->tiles;
    uint32_t count = c->image.numcomps;
    const void **data = calloc(count, sizeof *data);
    size_t *pitch = calloc(count, sizeof *pitch);
    wvl_status status = data && pitch ? WVL_OK : WVL_ERROR_MEMORY;
    while (status == WVL_OK && t->next_row < t->down && t->rows[t->next_row].data && !t->rows[t->next_row].missing) {
        tile_row *row = &t->rows[t->next_row];
        box grid = row_box(t, &c->image, t->next_row);
        unsigned char *at = row->data;
        for (uint32_t i = 0; i < count; i++) {
            box s = samples_of(grid, &c->image.comps[i]);
            data[i] = at;
            pitch[i] = (size_t)(s.x1 - s.x0) * bytes_a_sample(&c->image.comps[i]);
            at += bytes_of(grid, &c->image.comps[i]);
        }
        status = wvl_row_pusher_push(t->pusher, data, pitch, grid.y1 - grid.y0);
        free(row->data);
        row->data = NULL;
        t->next_row++;
    }
    free(data);
    free(pitch);
    return status;
}

/* The only tile: from the host's memory. */
static int encode_whole(codec_entry *c, const unsigned char *data, box grid)
{
    uint32_t count = c->image.numcomps;
    wvl_plane *planes = calloc(count, sizeof *planes);
    char error[1024] = "memory is short";
    uint64_t written;
    int done = 0;
    if (planes) {
        for (uint32_t i = 0; i < count; i++) {
            const opj_component *k = &c->image.comps[i];
            box s = samples_of(grid, k);
            planes[i] = (wvl_plane){.data = data,
                                    .pitch_bytes = (ptrdiff_t)((size_t)(s.x1 - s.x0) * bytes_a_sample(k)),
                                    .container = container_of(k)};
            data += bytes_of(grid, k);
        }
        done = picture_encode(c, planes, &written, error, sizeof error) == WVL_OK;
        free(planes);
    }
    if (!done) {
        codec_say(c, MESSAGE_ERROR, "Wavelane: %s\n", error);
    }
    return done;
}

int tiles_take(codec_entry *c, uint32_t index, const unsigned char *data, uint32_t bytes)
{
    if (!c->tiles && !start(c)) {
        tiles_release(c);
        c->is_broken = 1;
        codec_say(c, MESSAGE_ERROR, "Wavelane: memory is short\n");
        return 0;
    }
    tile_rows *t = c->tiles;
    if (!data || index >= (uint64_t)t->across * t->down || t->is_taken[index]) {
        codec_say(c, MESSAGE_ERROR, "Wavelane: tile %u does not exist, or came before\n", index);
        return 0;
    }
    uint32_t row_index = index / t->across;
    box grid = box_of(t, &c->image, index % t->across, row_index), row_grid = row_box(t, &c->image, row_index);
    if (bytes != all_bytes_of(grid, &c->image)) {
        codec_say(c, MESSAGE_ERROR, "Wavelane: tile %u has %zu bytes, not %u\n", index, all_bytes_of(grid, &c->image),
                  bytes);
        return 0;
    }
    t->is_taken[index] = 1;
    t->taken++;
    if (!t->pusher) {
        c->is_finished = encode_whole(c, data, grid);
        c->is_broken = !c->is_finished;
        return c->is_finished;
    }
    tile_row *row = &t->rows[row_index];
    if (!row->data) {
        row->data = malloc(all_bytes_of(row_grid, &c->image));
        row->missing = t->across;
    }
    if (!row->data) {
        c->is_broken = 1;
        codec_say(c, MESSAGE_ERROR, "Wavelane: memory is short\n");
        return 0;
    }
    copy_tile(c, data, grid, row_grid, row->data);
    row->missing--;
    if (push_rows(c) != WVL_OK) {
        (void)tiles_finish(c); /* it has the text of the failure */
        c->is_broken = 1;
    } else if (!drain(c)) {
        codec_say(c, MESSAGE_ERROR, "Wavelane: the stream could not take all bytes\n");
        c->is_broken = 1;
    }
    return !c->is_broken;
}

int tiles_finish(codec_entry *c)
{
    tile_rows *t = c->tiles;
    if (!t || !t->pusher) {
        codec_say(c, MESSAGE_ERROR, "Wavelane: no picture was encoded\n");
        return 0;
    }
    char error[1024] = "";
    wvl_result *result = NULL;
    wvl_status status = wvl_row_pusher_finish(t->pusher, &result, error, sizeof error);
    int done = drain(c) && status == WVL_OK && !stream_flush(c->stream);
    if (done) {
        real_say(0, "%u x %u, %u components, %u tiles: %llu bytes by Wavelane (%s)", c->image.x1 - c->image.x0,
                 c->image.y1 - c->image.y0, c->image.numcomps, t->taken, (unsigned long long)t->written,
                 wvl_result_backend(result));
    } else {
        codec_say(c, MESSAGE_ERROR, "Wavelane: %s\n", *error ? error : "the stream could not take all bytes");
    }
    wvl_result_release(result);
    return done;
}

void tiles_release(codec_entry *c)
{
    tile_rows *t = c->tiles;
    if (!t) {
        return;
    }
    wvl_row_pusher_release(t->pusher);
    for (piece *p = t->first; p;) {
        piece *next = p->next;
        free(p);
        p = next;
    }
    for (uint32_t i = 0; t->rows && i < t->down; i++) {
        free(t->rows[i].data);
    }
    pthread_mutex_destroy(&t->lock);
    free(t->rows);
    free(t->is_taken);
    free(t);
    c->tiles = NULL;
}
