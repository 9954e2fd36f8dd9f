/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where chunks of stores go when the memory for them is used up: into a file without a name, mapped, so that positions
 * and pointers stay what they are. What is written to a chunk leaves the process's memory at the next rest and comes
 * back from the file where it is read. One spill serves the stores of one picture.
 */
#pragma once

#include <pthread.h>

#include "base/look.h"
#include "wavelane.h"

typedef struct wvl_spill {
    const wvl_allocator *allocator;
    const char *folder; /* the caller's */
    uint64_t limit;     /* bytes of chunks in memory; UINT64_MAX: no file is ever made */
    pthread_mutex_t lock;
    uint64_t held;    /* bytes of chunks in memory */
    int fd;           /* -1: there is no file */
    uint64_t written; /* bytes of the file */
    struct wvl_spill_piece {
        void *data;
        uint64_t bytes;
    } *pieces; /* [count]: mapped, in the order of the file */
    uint64_t count, capacity;
    struct wvl_spill *beside; /* rests with this one; NULL: none */
    _Atomic uint64_t seen;    /* blocks, since the last rest */
    int code;                 /* errno of what went wrong with the file; 0: nothing */
} wvl_spill;

/* 0: no lock. folder: must stay; NULL: /tmp. */
int wvl_spill_open(wvl_spill *spill, const wvl_allocator *allocator, const char *folder, uint64_t limit);
void wvl_spill_close(wvl_spill *spill);
/* A chunk of WVL_CHUNK_BYTES for a store; *is_mapped says where it lies. Chunks in memory come first. NULL: no memory,
 * or no room in the file (code). */
void *wvl_spill_take(wvl_spill *spill, int *is_mapped);
/* A piece of the file, whatever the limit. NULL: no room in it (code). */
void *wvl_spill_map(wvl_spill *spill, uint64_t bytes);
/* Gives back a chunk that is not mapped. */
void wvl_spill_give(wvl_spill *spill, void *chunk);
/* When the stores are empty: the file is, too. */
void wvl_spill_reset(wvl_spill *spill);
/* The pages of mapped chunks leave memory. From any thread, at any time. */
void wvl_spill_rest(wvl_spill *spill);
/* For wvl_look.rest: rests after every few thousand blocks that a list was searched for, or that were written. */
void wvl_spill_look(void *spill, wvl_look_kind kind, uint64_t work);
