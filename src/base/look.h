/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks: every loop that may take long asks between its steps whether the picture is still wanted. A step is at most
 * WVL_LOOK_BLOCKS blocks that are coded, or WVL_LOOK_SAMPLES samples of a transform, so that an encode ends soon after
 * its cancel token is raised; blocks of packets and lists cost less each. Each look says what was done since the one
 * before: tests add it up and see that no loop goes without looks.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WVL_LOOK_BLOCKS 64u                  /* most block codings of a thread between two looks */
#define WVL_LOOK_SAMPLES (UINT64_C(4) << 20) /* most samples of a transform between two looks */
#define WVL_LOOK_LISTED 8192u                /* most blocks of packets or lists, which are not coded */
#define WVL_LOOK_BYTES (UINT64_C(4) << 20)   /* most bytes that are cleared or copied */

typedef enum wvl_look_kind {
    WVL_LOOK_TRANSFORM = 0, /* samples */
    WVL_LOOK_CODE,          /* blocks coded */
    WVL_LOOK_WEIGH,         /* blocks weighed before they are coded */
    WVL_LOOK_VISIT,         /* precincts visited by all workers while layers are chosen */
    WVL_LOOK_SUM,           /* precincts whose costs are added */
    WVL_LOOK_GAINS,         /* precincts whose gains are added */
    WVL_LOOK_COLLECT,       /* precincts searched for passes that fill the last bytes */
    WVL_LOOK_FILL,          /* passes tried for the last bytes */
    WVL_LOOK_REBUILD,       /* PSNR: blocks rebuilt as a decoder does */
    WVL_LOOK_ROWS,          /* PSNR: samples of the inverse transform, along rows */
    WVL_LOOK_COLUMNS,       /* the same along columns */
    WVL_LOOK_COMPARE,       /* PSNR: samples compared */
    WVL_LOOK_DIVIDE,        /* packets that are divided into tile-parts */
    WVL_LOOK_LENGTHS,       /* packets whose lengths are listed */
    WVL_LOOK_WRITE,         /* packets written */
    WVL_LOOK_PLAN,          /* tiles measured by a plan */
    WVL_LOOK_LIST,          /* blocks of a packet or of a list, gone through in rows or in portions */
    WVL_LOOK_CLEAR,         /* bytes cleared or copied */
    WVL_LOOK_KINDS
} wvl_look_kind;

/* What another thread, or a signal handler, raises. */
typedef struct wvl_look_flag {
    _Atomic int raised; /* a lock-free int may be stored from a signal handler (C11 7.14.1.1) */
    void (*note)(void *user, wvl_look_kind kind, uint64_t work); /* sees every look; NULL outside of tests */
    void *note_user;
} wvl_look_flag;

typedef struct wvl_look {
    const wvl_look_flag *flag;                                   /* NULL: nobody can raise it */
    _Atomic int stopped;                                         /* for another reason, such as the progress callback */
    void (*rest)(void *user, wvl_look_kind kind, uint64_t work); /* sees every look of the picture; NULL: nobody does */
    void *rest_user;
} wvl_look;

static inline int wvl_look_is_over(const wvl_look *look)
{
    return look && (atomic_load_explicit(&look->stopped, memory_order_relaxed) ||
                    (look->flag && atomic_load_explicit(&look->flag->raised, memory_order_relaxed)));
}

/* Nonzero: stop. work: what was done since the last look, in the units of the kind. look may be NULL. */
static inline int wvl_look_after(const wvl_look *look, wvl_look_kind kind, uint64_t work)
{
    if (look && look->flag && look->flag->note) {
        look->flag->note(look->flag->note_user, kind, work);
    }
    if (look && look->rest) {
        look->rest(look->rest_user, kind, work);
    }
    return wvl_look_is_over(look);
}

/* A rest sees every block of a list, for lists may be short and many (precincts, tiles). */
static inline void wvl_look_rest(const wvl_look *look)
{
    if (look && look->rest) {
        look->rest(look->rest_user, WVL_LOOK_LIST, 1);
    }
}

/* For loops over lists of blocks, behind number `index`: looks every WVL_LOOK_LISTED of them. Nonzero: stop. */
static inline int wvl_look_listed(const wvl_look *look, uint64_t index)
{
    wvl_look_rest(look);
    return (index + 1) % WVL_LOOK_LISTED == 0 && wvl_look_after(look, WVL_LOOK_LIST, WVL_LOOK_LISTED);
}

/* Nonzero: stopped, and the rest is as it was. */
static inline int wvl_look_clear(const wvl_look *look, void *memory, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += WVL_LOOK_BYTES) {
        uint64_t portion = bytes - at < WVL_LOOK_BYTES ? bytes - at : WVL_LOOK_BYTES;
        memset((char *)memory + at, 0, (size_t)portion);
        if (wvl_look_after(look, WVL_LOOK_CLEAR, portion)) {
            return 1;
        }
    }
    return 0;
}

/* The same for a copy. */
static inline int wvl_look_copy(const wvl_look *look, void *to, const void *from, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += WVL_LOOK_BYTES) {
        uint64_t portion = bytes - at < WVL_LOOK_BYTES ? bytes - at : WVL_LOOK_BYTES;
        memcpy((char *)to + at, (const char *)from + at, (size_t)portion);
        if (wvl_look_after(look, WVL_LOOK_CLEAR, portion)) {
            return 1;
        }
    }
    return 0;
}
