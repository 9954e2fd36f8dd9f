/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of work side by side. What became of them is told in their order, as if they had been done one after another.
 */
#pragma once

#include "cli.h"

typedef struct wvl_cli_turns wvl_cli_turns;
typedef void (*wvl_cli_piece_fn)(void *user, wvl_cli_turns *turns, size_t index, void *piece);

typedef struct wvl_cli_pieces {
    size_t count;
    size_t bytes;          /* memory of a piece: zero before its work, and for another piece once it is told */
    wvl_cli_piece_fn work; /* for indices below count, beside others */
    wvl_cli_piece_fn tell; /* in order, one at a time, in any of the threads; NULL: there are only messages to tell */
    void *user;
} wvl_cli_pieces;

/* Does all pieces in `workers` threads, the caller's among them, and returns when all are told. No thread waits for the
 * turn of its piece: it goes on with another one. ahead: how many pieces may be done and not told, beside those at
 * work. What a thread says of a piece goes with the piece. If there are several threads, it is held; what tell has
 * neither printed nor forgotten is printed behind it. 0: out of memory, and no piece was begun; else 1. */
int wvl_cli_run_turns(const wvl_cli_pieces *pieces, size_t workers, size_t ahead);
/* For the rest of the process, before its first thread: pictures take and give back the same memory again and again.
 * Without this, most of it would go to the system and come back, page by page. */
void wvl_cli_keep_memory(void);
size_t wvl_cli_count_workers(const wvl_cli_turns *turns);
/* No piece is begun any more. Those that are begun are done and told. */
void wvl_cli_stop_turns(wvl_cli_turns *turns);
/* Half of the machine's memory: what pictures side by side may hold. One by itself may take what it needs. */
uint64_t wvl_cli_share_of_memory(void);
/* What trays may have page-locked, and what encoders on a device may. */
static inline uint64_t wvl_cli_limit_locked(void) { return wvl_cli_share_of_memory() / 4; }
/* Memory of a piece for its samples, from before they are read until they are given back. Waits until all pieces at
 * work hold no more than `most` bytes with these. One goes on all the same if no piece holds any; so does the first
 * piece that is not told, once none encodes: so pieces never wait for each other for ever. */
void wvl_cli_hold_samples(wvl_cli_turns *turns, size_t index, uint64_t bytes, uint64_t most);
void wvl_cli_drop_samples(wvl_cli_turns *turns, uint64_t bytes);
/* Memory of its encode in the same way: waits for it, and calls `code` beside other pieces. If that returns nonzero, it
 * is called again with is_alone when no other piece encodes, and none begins before it ends. */
typedef int (*wvl_cli_coding_fn)(void *user, int is_alone);
void wvl_cli_code_piece(wvl_cli_turns *turns, size_t index, uint64_t bytes, uint64_t most, wvl_cli_coding_fn code,
                        void *user);
/* For what only one thread may do at a time; NULL: there is only one. */
void wvl_cli_enter(wvl_cli_turns *turns);
void wvl_cli_leave(wvl_cli_turns *turns);
