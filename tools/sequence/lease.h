/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who works on which frame of a sequence. Frames have places from 0 on. A worker gets leases, and answers each with a
 * result or a failure. The clock is the caller's: seconds that never go back. One thread.
 *
 * - A worker has as many leases as it has seats, and as many again to go on with. Towards the end the second half
 *   shrinks, so that no worker has frames waiting while another one has none.
 * - A frame that failed is leased again, to another worker if there is one. The third failure is final, also where
 *   another worker still has the frame but has not answered for long.
 * - A frame that takes too long is leased to a second and a third worker when these have nothing else to do. The first
 *   result counts. A worker that owes an answer for so long gets nothing new until it answers.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define WVL_SEQUENCE_LEASE_TRIES 3u
#define WVL_SEQUENCE_LEASE_WINDOW 65536u /* leases stay within these places of the first one that has not ended */
#define WVL_SEQUENCE_LEASE_SEATS 4096u   /* most of one worker */
#define WVL_SEQUENCE_LEASE_MEDIANS 20.0  /* too long: more medians than this, and slow_seconds */

typedef struct wvl_sequence_leases wvl_sequence_leases;

typedef struct wvl_sequence_lease_options {
    uint64_t frames;
    uint32_t workers; /* numbers 0 to workers - 1; none has seats at first */
    double slow_seconds;
} wvl_sequence_lease_options;

typedef struct wvl_sequence_lease {
    uint64_t place;
    uint32_t copy; /* 0: nobody else works on this frame; else a number that no other worker of it has */
    int is_last;   /* a failure of it is final */
} wvl_sequence_lease;

typedef enum wvl_sequence_answer {
    WVL_SEQUENCE_ANSWER_VOID,  /* the frame had ended before, or will be done by another worker */
    WVL_SEQUENCE_ANSWER_AGAIN, /* failed; leased again */
    WVL_SEQUENCE_ANSWER_FAILED,
    WVL_SEQUENCE_ANSWER_DONE /* this result counts; there is one for each place, or FAILED */
} wvl_sequence_answer;

/* NULL: no memory. */
wvl_sequence_leases *wvl_sequence_open_leases(const wvl_sequence_lease_options *options);
void wvl_sequence_close_leases(wvl_sequence_leases *leases);
/* A worker is there. seats: 1..WVL_SEQUENCE_LEASE_SEATS. */
void wvl_sequence_add_worker(wvl_sequence_leases *leases, uint32_t worker, uint32_t seats);
/* Places below `count` may be leased; all of them unless this is called. It never falls. */
void wvl_sequence_allow_places(wvl_sequence_leases *leases, uint64_t count);
/* No lease is given any more. */
void wvl_sequence_stop_leases(wvl_sequence_leases *leases);
/* Takes what to send to a worker now: at most `most` leases; their number. */
size_t wvl_sequence_take_leases(wvl_sequence_leases *leases, uint32_t worker, double now, wvl_sequence_lease *to,
                                size_t most);
/* An answer that came. */
wvl_sequence_answer wvl_sequence_take_answer(wvl_sequence_leases *leases, uint32_t worker, uint64_t place, int is_good,
                                             double now);
/* All places below have ended. */
uint64_t wvl_sequence_first_open(const wvl_sequence_leases *leases);
/* Seconds after which a frame takes too long: before the first result, 20 times slow_seconds. */
double wvl_sequence_slow_seconds(const wvl_sequence_leases *leases);

/* ---- A machine that several workers share ---------------------------------------------------- */

/* Threads of each, at least 1. online: processors of the machine; bound: those that this worker may use. */
uint32_t wvl_sequence_share_threads(uint32_t workers, long online, long bound);
/* The device of worker `worker` (from 0) where the machine has `count`: they go round. 1: text names another one than
 * `given` does; 0: text is a copy of given. A device that is given by number stays. */
int wvl_sequence_choose_device(const char *given, uint32_t worker, uint32_t count, char *text, size_t room);
