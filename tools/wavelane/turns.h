/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of work side by side that report what became of them in order, as if they had been done one after another. */
#ifndef WVL_TOOLS_TURNS_H
#define WVL_TOOLS_TURNS_H

#include "cli.h"

typedef struct wvl_cli_turns wvl_cli_turns;
typedef void (*wvl_cli_work_fn)(void *user, wvl_cli_turns *turns, size_t index);

/* Calls work for indices below count, `workers` at a time at most, in threads beside the caller's. Messages are held
 * until the piece takes its turn, or ends. ahead: pieces that may be done and wait for their turn, beside those at
 * work. With 0, a worker waits with its piece. */
void wvl_cli_run_turns(size_t count, size_t workers, size_t ahead, wvl_cli_work_fn work, void *user);
/* For the rest of the process, before its first thread: pictures take and give back the same memory again and again.
 * Without this, most of it would go to the system and come back, page by page. */
void wvl_cli_keep_memory(void);
size_t wvl_cli_count_workers(const wvl_cli_turns *turns);
/* Waits until all pieces before this one have ended. */
void wvl_cli_wait_turn(wvl_cli_turns *turns, size_t index);
/* The same, and prints its messages. */
void wvl_cli_take_turn(wvl_cli_turns *turns, size_t index);
/* No piece is begun any more. */
void wvl_cli_stop_turns(wvl_cli_turns *turns);
/* Half of the machine's memory: what pictures side by side may hold. One by itself may take what it needs. */
uint64_t wvl_cli_share_of_memory(void);
/* Memory of a piece: first for samples, before they are read; then for its encode as well. Each waits until all pieces
 * at work hold no more than `most` bytes with these. One goes on all the same if no piece holds any; so does the first
 * piece that has not ended, once none encodes: so pieces never wait for each other for ever. */
void wvl_cli_hold_samples(wvl_cli_turns *turns, size_t index, uint64_t bytes, uint64_t most);
void wvl_cli_begin_coding(wvl_cli_turns *turns, size_t index, uint64_t bytes, uint64_t most);
/* Between begin and end: waits until no other piece encodes. None begins before this one ends. */
void wvl_cli_code_alone(wvl_cli_turns *turns);
void wvl_cli_end_coding(wvl_cli_turns *turns, uint64_t bytes);
void wvl_cli_drop_samples(wvl_cli_turns *turns, uint64_t bytes);
/* For what only one thread may do at a time. */
void wvl_cli_enter(wvl_cli_turns *turns);
void wvl_cli_leave(wvl_cli_turns *turns);

#endif
