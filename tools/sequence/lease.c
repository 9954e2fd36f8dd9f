/* SPDX-License-Identifier: BSD-2-Clause */
#include "lease.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPIES 3u
#define DURATIONS 64u   /* latest frames, whose median counts */
#define MEDIAN_EVERY 8u /* results from one median to the next */
#define NOBODY UINT32_MAX

typedef enum place_state { PLACE_ENDED, PLACE_LEASED, PLACE_AGAIN } place_state;

/* A lease of a place that is waited for. */
typedef struct holder {
    uint32_t worker;
    double since;
    int is_last;
} holder;

/* A place from the first open one to the next fresh one. */
typedef struct place_entry {
    place_state state;
    unsigned failures, holder_count;
    unsigned left, copies; /* holders that are not waited for any more; leases since nobody had it */
    holder holders[COPIES];
    uint32_t avoided; /* where it failed last */
    double since;     /* of the last lease, or of the failure */
} place_entry;

typedef struct worker_entry {
    uint32_t seats; /* 0: not there */
    uint32_t held;  /* places that it holds */
    uint64_t owed;  /* leases without an answer; those that ended elsewhere count too */
    double heard;   /* of its last answer, or of its first lease after all answers */
} worker_entry;

struct wvl_sequence_leases {
    wvl_sequence_lease_options options;
    uint64_t allowed;     /* places below it */
    uint64_t first, next; /* the first open place; the next fresh one */
    uint64_t again;       /* places that wait for another try */
    uint64_t seats;       /* of all workers */
    uint32_t present;     /* workers with seats */
    int is_stopped;
    double durations[DURATIONS], slow_after;
    uint64_t results;
    size_t window;
    place_entry *places; /* [window]: place n at n modulo window */
    worker_entry *workers;
};

/* ---- Life ------------------------------------------------------------------------------------ */

wvl_sequence_leases *wvl_sequence_open_leases(const wvl_sequence_lease_options *options)
{
    wvl_sequence_leases *l = calloc(1, sizeof *l);
    if (!l) {
        return NULL;
    }
    l->options = *options;
    l->allowed = options->frames;
    l->slow_after = WVL_SEQUENCE_LEASE_MEDIANS * options->slow_seconds;
    l->window = options->frames < WVL_SEQUENCE_LEASE_WINDOW ? (size_t)options->frames : WVL_SEQUENCE_LEASE_WINDOW;
    l->places = calloc(l->window + 1, sizeof *l->places);
    l->workers = calloc((size_t)options->workers + 1, sizeof *l->workers);
    if (!l->places || !l->workers) {
        wvl_sequence_close_leases(l);
        return NULL;
    }
    return l;
}

void wvl_sequence_close_leases(wvl_sequence_leases *l)
{
    if (l) {
        free(l->workers);
        free(l->places);
    }
    free(l);
}

void wvl_sequence_add_worker(wvl_sequence_leases *l, uint32_t worker, uint32_t seats)
{
    l->workers[worker].seats = seats;
    l->seats += seats;
    l->present++;
}

void wvl_sequence_allow_places(wvl_sequence_leases *l, uint64_t count)
{
    l->allowed = count < l->options.frames ? count : l->options.frames;
}

void wvl_sequence_stop_leases(wvl_sequence_leases *l) { l->is_stopped = 1; }

uint64_t wvl_sequence_first_open(const wvl_sequence_leases *l) { return l->first; }

double wvl_sequence_slow_seconds(const wvl_sequence_leases *l) { return l->slow_after; }

/* ---- What is too long ------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void note_duration(wvl_sequence_leases *l, double seconds)
{
    double sorted[DURATIONS];
    l->durations[l->results++ % DURATIONS] = seconds;
    if (l->results > MEDIAN_EVERY && l->results % MEDIAN_EVERY) {
        return;
    }
    size_t count = l->results < DURATIONS ? (size_t)l->results : DURATIONS;
    memcpy(sorted, l->durations, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_size);
    double limit = sorted[count / 2] * WVL_SEQUENCE_LEASE_MEDIANS;
    l->slow_after = limit > l->options.slow_seconds ? limit : l->options.slow_seconds;
}

static int is_silent(const wvl_sequence_leases *l, const worker_entry *w, double now)
{
    return w->owed && now - w->heard > l->slow_after;
}

/* ---- Which frame next ------------------------------------------------------------------------ */

static place_entry *entry_of(const wvl_sequence_leases *l, uint64_t place) { return &l->places[place % l->window]; }

/* holder_count: it has none. */
static unsigned find_holder(const place_entry *e, uint32_t worker)
{
    unsigned i = 0;
    while (i < e->holder_count && e->holders[i].worker != worker) {
        i++;
    }
    return i;
}

static holder drop_holder(wvl_sequence_leases *l, place_entry *e, unsigned index)
{
    const holder dropped = e->holders[index];
    l->workers[dropped.worker].held--;
    e->holder_count--;
    memmove(&e->holders[index], &e->holders[index + 1], (e->holder_count - index) * sizeof e->holders[0]);
    return dropped;
}

/* A place that failed: not where it failed, unless no other worker takes it for long. */
static int find_again(const wvl_sequence_leases *l, uint32_t worker, double now, uint64_t *place)
{
    uint64_t left = l->again;
    for (uint64_t p = l->first; left && p < l->next; p++) {
        const place_entry *e = entry_of(l, p);
        if (e->state != PLACE_AGAIN) {
            continue;
        }
        left--;
        if (e->avoided != worker || l->present == 1 || now - e->since > l->options.slow_seconds) {
            *place = p;
            return 1;
        }
    }
    return 0;
}

static int find_fresh(const wvl_sequence_leases *l, uint64_t *place)
{
    *place = l->next;
    return l->next < l->allowed && l->next - l->first < l->window;
}

/* The oldest frame of another worker that takes too long. */
static int find_slow(const wvl_sequence_leases *l, uint32_t worker, double now, uint64_t *place)
{
    double oldest = now - l->slow_after;
    int is_found = 0;
    for (uint64_t p = l->first; p < l->next; p++) {
        const place_entry *e = entry_of(l, p);
        if (e->state == PLACE_LEASED && e->since < oldest && find_holder(e, worker) == e->holder_count) {
            oldest = e->since;
            *place = p;
            is_found = 1;
        }
    }
    return is_found;
}

static int find_place(const wvl_sequence_leases *l, uint32_t worker, double now, uint64_t *place)
{
    const worker_entry *w = &l->workers[worker];
    if (find_again(l, worker, now, place) || find_fresh(l, place)) {
        return 1;
    }
    return w->held < w->seats && find_slow(l, worker, now, place);
}

/* Leases that a worker may have: its seats, and of what is left a share, at most as many again. */
static uint64_t most_held(const wvl_sequence_leases *l, const worker_entry *w)
{
    uint64_t left = l->again + (l->allowed > l->next ? l->allowed - l->next : 0);
    uint64_t per_seat = left / (2 * l->seats), share = per_seat ? w->seats : left * w->seats / (2 * l->seats);
    return w->seats + share;
}

static wvl_sequence_lease grant(wvl_sequence_leases *l, uint32_t worker, uint64_t place, double now)
{
    worker_entry *w = &l->workers[worker];
    place_entry *e = entry_of(l, place);
    if (place == l->next) {
        *e = (place_entry){.avoided = NOBODY};
        l->next++;
    }
    if (e->holder_count == COPIES) { /* the one that has had it for longest is not waited for any more */
        (void)drop_holder(l, e, 0);
        e->left++;
    }
    l->again -= e->state == PLACE_AGAIN;
    e->state = PLACE_LEASED;
    e->since = now;
    int is_last = e->failures + 1 >= WVL_SEQUENCE_LEASE_TRIES;
    e->copies = e->holder_count || e->left ? e->copies : 0;
    const wvl_sequence_lease lease = {.place = place, .copy = e->copies++, .is_last = is_last};
    e->holders[e->holder_count++] = (holder){.worker = worker, .since = now, .is_last = is_last};
    w->held++;
    w->heard = w->owed++ ? w->heard : now;
    return lease;
}

size_t wvl_sequence_take_leases(wvl_sequence_leases *l, uint32_t worker, double now, wvl_sequence_lease *to,
                                size_t most)
{
    const worker_entry *w = &l->workers[worker];
    size_t count = 0;
    uint64_t place;
    if (!w->seats || l->is_stopped || is_silent(l, w, now)) {
        return 0;
    }
    while (count < most && w->held < most_held(l, w) && find_place(l, worker, now, &place)) {
        to[count++] = grant(l, worker, place, now);
    }
    return count;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* Others that work on it still owe an answer, but it holds up none of their seats. */
static void end_place(wvl_sequence_leases *l, place_entry *e)
{
    while (e->holder_count) {
        (void)drop_holder(l, e, 0);
    }
    l->again -= e->state == PLACE_AGAIN;
    e->state = PLACE_ENDED;
    while (l->first < l->next && entry_of(l, l->first)->state == PLACE_ENDED) {
        l->first++;
    }
}

/* Says whether nobody who still has the frame has answered for long. */
static int is_given_up(const wvl_sequence_leases *l, const place_entry *e, double now)
{
    for (unsigned i = 0; i < e->holder_count; i++) {
        if (!is_silent(l, &l->workers[e->holders[i].worker], now)) {
            return 0;
        }
    }
    return 1;
}

static wvl_sequence_answer take_failure(wvl_sequence_leases *l, place_entry *e, const holder *lease, double now)
{
    e->failures++;
    e->avoided = lease->worker;
    if (e->holder_count && !(lease->is_last && is_given_up(l, e, now))) {
        return WVL_SEQUENCE_ANSWER_VOID;
    }
    if (lease->is_last) {
        end_place(l, e);
        return WVL_SEQUENCE_ANSWER_FAILED;
    }
    e->state = PLACE_AGAIN;
    e->since = now;
    l->again++;
    return WVL_SEQUENCE_ANSWER_AGAIN;
}

wvl_sequence_answer wvl_sequence_take_answer(wvl_sequence_leases *l, uint32_t worker, uint64_t place, int is_good,
                                             double now)
{
    worker_entry *w = &l->workers[worker];
    place_entry *e = place >= l->first && place < l->next ? entry_of(l, place) : NULL;
    int is_open = e && e->state != PLACE_ENDED, was_held = is_open && find_holder(e, worker) < e->holder_count;
    const holder lease = was_held ? drop_holder(l, e, find_holder(e, worker)) : (holder){.worker = worker};
    w->owed -= w->owed > w->held;
    w->heard = now;
    if (!is_open || (!was_held && !is_good)) {
        return WVL_SEQUENCE_ANSWER_VOID;
    }
    if (!is_good) {
        return take_failure(l, e, &lease, now);
    }
    if (was_held) {
        note_duration(l, now - lease.since);
    }
    end_place(l, e);
    return WVL_SEQUENCE_ANSWER_DONE;
}

/* ---- A machine that several workers share ---------------------------------------------------- */

uint32_t wvl_sequence_share_threads(uint32_t workers, long online, long bound)
{
    long share = workers > 1 ? online / (long)workers : online;
    share = share < bound ? share : bound;
    return share > 1 ? (uint32_t)share : 1;
}

int wvl_sequence_choose_device(const char *given, uint32_t worker, uint32_t count, char *text, size_t room)
{
    int is_kind = !strcmp(given, "auto") || !strcmp(given, "cuda") || !strcmp(given, "cuda-only");
    uint32_t ordinal = count ? worker % count : 0;
    if (!is_kind || !ordinal) {
        snprintf(text, room, "%s", given);
        return 0;
    }
    snprintf(text, room, "%s:%" PRIu32, strcmp(given, "cuda-only") ? "cuda" : "cuda-only", ordinal);
    return 1;
}
