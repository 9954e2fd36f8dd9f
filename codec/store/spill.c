/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* madvise, O_TMPFILE */
#define _FILE_OFFSET_BITS 64

#include "codec/store/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "geom/handover_blocks.h"

#define WORK_OF_COEFS 4u      /* the coefficients of a block bring their neighbours in the file along */
#define BLOCKS_OF_A_REST 256u /* with their passes 3 KiB each, mostly; 64 KiB where neighbours are mapped along */

int wvl_spill_open(wvl_spill *s, const wvl_allocator *allocator, const char *folder, uint64_t limit)
{
    memset(s, 0, sizeof *s);
    s->allocator = allocator;
    s->folder = folder ? folder : "/tmp";
    s->limit = limit;
    s->fd = -1;
    return pthread_mutex_init(&s->lock, NULL) == 0;
}

static void unmap(wvl_spill *s)
{
    for (uint64_t i = 0; i < s->count; i++) {
        (void)munmap(s->pieces[i].data, (size_t)s->pieces[i].bytes);
    }
    s->count = 0;
}

void wvl_spill_close(wvl_spill *s)
{
    unmap(s);
    if (s->fd >= 0) {
        (void)close(s->fd);
    }
    wvl_free(s->allocator, s->pieces, s->capacity * sizeof *s->pieces);
    pthread_mutex_destroy(&s->lock);
    memset(s, 0, sizeof *s);
    s->fd = -1;
}

void wvl_spill_reset(wvl_spill *s)
{
    unmap(s);
    s->written = 0;
    if (s->fd >= 0 && ftruncate(s->fd, 0)) {
        s->code = errno;
    }
}

/* A file that never has a name: nothing is left of it, whatever ends the process. -1: the system has none here. */
static int open_unnamed(const char *folder)
{
#ifdef O_TMPFILE
    return open(folder, O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, 0600);
#else
    (void)folder;
    return -1;
#endif
}

/* Under the lock. Where the file must have a name, it goes at once. */
static int open_file(wvl_spill *s)
{
    char path[4096];
    s->fd = open_unnamed(s->folder);
    if (s->fd >= 0) {
        return 1;
    }
    int n = snprintf(path, sizeof path, "%s/.wavelane-spill.XXXXXX", s->folder);
    if (n < 0 || (size_t)n >= sizeof path) {
        s->code = ENAMETOOLONG;
        return 0;
    }
    s->fd = mkstemp(path);
    if (s->fd < 0) {
        s->code = errno;
        return 0;
    }
    (void)unlink(path);
    (void)fcntl(s->fd, F_SETFD, FD_CLOEXEC);
    return 1;
}

/* Under the lock. Room is taken from the disk before it is mapped: a page that the disk has no room for would end the
 * process. */
static void *map_piece(wvl_spill *s, uint64_t bytes)
{
    bytes = wvl_align_up(wvl_max_u64(bytes, 1), WVL_CHUNK_BYTES);
    if ((s->fd < 0 && !open_file(s)) ||
        !wvl_grow(s->allocator, (void **)&s->pieces, &s->capacity, s->count + 1, sizeof *s->pieces)) {
        return NULL;
    }
    do {
        s->code = posix_fallocate(s->fd, (off_t)s->written, (off_t)bytes);
    } while (s->code == EINTR);
    void *data =
        s->code ? MAP_FAILED : mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, (off_t)s->written);
    if (data == MAP_FAILED) {
        s->code = s->code ? s->code : errno;
        return NULL;
    }
    s->pieces[s->count++] = (struct wvl_spill_piece){data, bytes};
    s->written += bytes;
    return data;
}

void *wvl_spill_map(wvl_spill *s, uint64_t bytes)
{
    pthread_mutex_lock(&s->lock);
    void *data = map_piece(s, bytes);
    pthread_mutex_unlock(&s->lock);
    return data;
}

void *wvl_spill_take(wvl_spill *s, int *is_mapped)
{
    void *chunk = NULL;
    pthread_mutex_lock(&s->lock);
    *is_mapped = s->limit - s->held < WVL_CHUNK_BYTES;
    if (*is_mapped) {
        chunk = map_piece(s, WVL_CHUNK_BYTES);
    } else {
        chunk = wvl_alloc(s->allocator, WVL_CHUNK_BYTES);
        s->held += chunk ? WVL_CHUNK_BYTES : 0;
    }
    pthread_mutex_unlock(&s->lock);
    return chunk;
}

void wvl_spill_give(wvl_spill *s, void *chunk)
{
    pthread_mutex_lock(&s->lock);
    s->held -= WVL_CHUNK_BYTES;
    pthread_mutex_unlock(&s->lock);
    wvl_free(s->allocator, chunk, WVL_CHUNK_BYTES);
}

/* Pieces mostly lie side by side, for systems map from the top down: one call takes them all. */
static int joins(const struct wvl_spill_piece *piece, uint8_t **low, uint8_t **high)
{
    uint8_t *from = piece->data, *to = from + piece->bytes;
    int is_below = to == *low, is_above = from == *high;
    *low = is_below ? from : *low;
    *high = is_above ? to : *high;
    return is_below || is_above;
}

void wvl_spill_rest(wvl_spill *s)
{
    pthread_mutex_lock(&s->lock);
    for (uint64_t i = 0, next; i < s->count; i = next) {
        uint8_t *low = s->pieces[i].data, *high = low + s->pieces[i].bytes;
        for (next = i + 1; next < s->count && joins(&s->pieces[next], &low, &high); next++) {
        }
        (void)madvise(low, (size_t)(high - low), MADV_DONTNEED); /* of shared pages: they stay in the file */
    }
    atomic_store(&s->seen, 0);
    pthread_mutex_unlock(&s->lock);
    if (s->beside) {
        wvl_spill_rest(s->beside);
    }
}

void wvl_spill_look(void *user, wvl_look_kind kind, uint64_t work)
{
    wvl_spill *s = user;
    int is_coded = kind == WVL_LOOK_CODE || kind == WVL_LOOK_WEIGH;
    if (kind != WVL_LOOK_LIST && !is_coded) {
        return;
    }
    work *= is_coded && s->beside ? WORK_OF_COEFS : 1;
    uint64_t before = atomic_fetch_add_explicit(&s->seen, work, memory_order_relaxed);
    if (before < BLOCKS_OF_A_REST && before + work >= BLOCKS_OF_A_REST) {
        wvl_spill_rest(s);
    }
}
