/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* pthread_rwlockattr_setkind_np */
#include "turns.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define KEPT_BYTES (64 << 20)

/* A piece that is begun and not told. */
typedef struct seat {
    int is_done;               /* under the lock */
    wvl_cli_messages messages; /* while its work or its telling goes on: those of the thread itself */
    void *piece;
} seat;

struct wvl_cli_turns {
    const wvl_cli_pieces *pieces;
    size_t workers, seat_count;
    seat *seats;          /* the seat of a piece: index % seat_count */
    uint8_t *memory;      /* of all seats */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    size_t next, turn; /* to be begun; to be told */
    int is_telling;    /* a thread tells the piece whose turn it is */
    uint64_t held_bytes;
    size_t coding; /* pieces between begin and end of their encode */
    int stopped;
    pthread_rwlock_t alone; /* read by every piece that encodes, written by one that must be the only one */
    pthread_mutex_t single; /* of wvl_cli_enter */
};

void wvl_cli_keep_memory(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, KEPT_BYTES / 2);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    (void)mallopt(M_TOP_PAD, KEPT_BYTES); /* without it, memory of threads goes back with its last block */
#endif
}

size_t wvl_cli_count_workers(const wvl_cli_turns *t) { return t->workers; }

void wvl_cli_stop_turns(wvl_cli_turns *t)
{
    pthread_mutex_lock(&t->lock);
    t->stopped = 1;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

static seat *seat_of(const wvl_cli_turns *t, size_t index) { return &t->seats[index % t->seat_count]; }

/* The next piece; count: there is none. No thread waits for ever: where it waits, another one works on the piece that
 * is to be told, or tells it. Work and telling wait for no later piece (see may_hold), so its seat comes free. */
static size_t begin_piece(wvl_cli_turns *t)
{
    size_t count = t->pieces->count;
    pthread_mutex_lock(&t->lock);
    while (t->next - t->turn >= t->seat_count && !t->stopped && t->next < count) {
        pthread_cond_wait(&t->changed, &t->lock);
    }
    size_t index = t->stopped || t->next >= count ? count : t->next++;
    pthread_mutex_unlock(&t->lock);
    return index;
}

/* Tells it and all done pieces behind it, if it is its turn. A thread that tells goes on to what is done meanwhile. */
static void end_piece(wvl_cli_turns *t, size_t index)
{
    pthread_mutex_lock(&t->lock);
    seat_of(t, index)->is_done = 1;
    while (!t->is_telling && seat_of(t, t->turn)->is_done) {
        size_t told = t->turn;
        t->is_telling = 1;
        pthread_mutex_unlock(&t->lock);
        seat *s = seat_of(t, told);
        wvl_cli_swap_messages(&s->messages);
        if (t->pieces->tell) {
            t->pieces->tell(t->pieces->user, t, told, s->piece);
        }
        wvl_cli_tell_messages();
        wvl_cli_swap_messages(&s->messages);
        wvl_cli_clear_messages(&s->messages);
        pthread_mutex_lock(&t->lock);
        seat_of(t, told)->is_done = 0;
        t->is_telling = 0;
        t->turn++;
        pthread_cond_broadcast(&t->changed);
    }
    pthread_mutex_unlock(&t->lock);
}

static void *work_on(void *arg)
{
    wvl_cli_turns *t = arg;
    for (size_t index; (index = begin_piece(t)) < t->pieces->count;) {
        seat *s = seat_of(t, index);
        memset(s->piece, 0, t->pieces->bytes);
        wvl_cli_swap_messages(&s->messages);
        if (t->workers > 1) {
            wvl_cli_hold_messages();
        }
        t->pieces->work(t->pieces->user, t, index, s->piece);
        wvl_cli_swap_messages(&s->messages);
        end_piece(t, index);
    }
    return NULL;
}

uint64_t wvl_cli_share_of_memory(void) { return wvl_io_machine_memory() / 2; }

/* No piece waits for ever: the first one that is not told goes on as soon as none encodes, and those that encode end
 * without it. Then it is told, and the next one is the first. */
static void hold(wvl_cli_turns *t, size_t index, uint64_t bytes, uint64_t most, size_t coding)
{
    pthread_mutex_lock(&t->lock);
    while (t->held_bytes && (bytes > most || t->held_bytes > most - bytes) && (index != t->turn || t->coding)) {
        pthread_cond_wait(&t->changed, &t->lock);
    }
    t->held_bytes += bytes;
    t->coding += coding;
    pthread_mutex_unlock(&t->lock);
}

static void drop(wvl_cli_turns *t, uint64_t bytes, size_t coding)
{
    pthread_mutex_lock(&t->lock);
    t->held_bytes -= bytes;
    t->coding -= coding;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

void wvl_cli_hold_samples(wvl_cli_turns *t, size_t index, uint64_t bytes, uint64_t most)
{
    hold(t, index, bytes, most, 0);
}

void wvl_cli_drop_samples(wvl_cli_turns *t, uint64_t bytes) { drop(t, bytes, 0); }

void wvl_cli_code_piece(wvl_cli_turns *t, size_t index, uint64_t bytes, uint64_t most, wvl_cli_coding_fn code,
                        void *user)
{
    hold(t, index, bytes, most, 1);
    pthread_rwlock_rdlock(&t->alone); /* who waits here waits for pieces that wait for no memory */
    if (code(user, 0)) {
        pthread_rwlock_unlock(&t->alone);
        pthread_rwlock_wrlock(&t->alone);
        (void)code(user, 1);
    }
    pthread_rwlock_unlock(&t->alone);
    drop(t, bytes, 1);
}

void wvl_cli_enter(wvl_cli_turns *t)
{
    if (t) {
        pthread_mutex_lock(&t->single);
    }
}

void wvl_cli_leave(wvl_cli_turns *t)
{
    if (t) {
        pthread_mutex_unlock(&t->single);
    }
}

/* All that the pieces take: so nothing fails between the first and the last. */
static int make_seats(wvl_cli_turns *t)
{
    size_t step = (t->pieces->bytes / sizeof(max_align_t) + 1) * sizeof(max_align_t);
    t->seats = calloc(t->seat_count, sizeof *t->seats);
    t->memory = calloc(t->seat_count, step);
    for (size_t i = 0; t->seats && t->memory && i < t->seat_count; i++) {
        t->seats[i].piece = t->memory + i * step;
    }
    return t->seats && t->memory;
}

int wvl_cli_run_turns(const wvl_cli_pieces *pieces, size_t workers, size_t ahead)
{
    size_t count = pieces->count;
    wvl_cli_turns t = {.pieces = pieces,
                       .workers = workers < count ? workers : count,
                       .seat_count = workers + ahead < count ? workers + ahead : count,
                       .lock = PTHREAD_MUTEX_INITIALIZER,
                       .changed = PTHREAD_COND_INITIALIZER,
                       .single = PTHREAD_MUTEX_INITIALIZER};
    pthread_rwlockattr_t writer_first;
    (void)pthread_rwlockattr_init(&writer_first);
#ifdef __GLIBC__
    (void)pthread_rwlockattr_setkind_np(&writer_first, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    (void)pthread_rwlock_init(&t.alone, &writer_first);
    (void)pthread_rwlockattr_destroy(&writer_first);
    int is_ready = !count || make_seats(&t);
    if (count && is_ready) {
        pthread_t *threads = t.workers > 1 ? calloc(t.workers - 1, sizeof *threads) : NULL;
        size_t started = 0;
        while (threads && started + 1 < t.workers && pthread_create(&threads[started], NULL, work_on, &t) == 0) {
            started++; /* the others do the work of one that does not start */
        }
        (void)work_on(&t);
        for (size_t i = 0; i < started; i++) {
            pthread_join(threads[i], NULL);
        }
        free(threads);
    }
    free(t.memory);
    free(t.seats);
    pthread_cond_destroy(&t.changed);
    pthread_mutex_destroy(&t.lock);
    pthread_mutex_destroy(&t.single);
    pthread_rwlock_destroy(&t.alone);
    return is_ready;
}
