/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wavelane-mpi: a dispatcher (rank 0) and workers. What they send each other. Pixels and coded bytes never travel:
 * workers read and write files of a shared file system.
 *
 *   start   0 -> all, collective: what the sequence is, and the names of its inputs
 *   HELLO   worker -> 0: its seats; or that it cannot work
 *   LEASE   0 -> worker: up to WVL_MPI_LEASES frames
 *   DONE    worker -> 0: one frame
 *   STOP    0 -> worker: nothing more is leased
 *   BYE     worker -> 0: it has sent its last DONE
 *
 * Messages are structures as they lie in memory: all ranks run the same build. Each is short enough (WVL_MPI_MESSAGE)
 * to go at once, without a word from the receiver first.
 */
#pragma once

#include <mpi.h>

#include "tools/wavelane/sequence.h"

#define WVL_MPI_MESSAGE 4000u /* bytes: below the eager limits of shared memory (4096) and TCP (65536) */
#define WVL_MPI_LEASES 48u
#define WVL_MPI_TEXT 2048u

typedef enum wvl_mpi_tag { WVL_MPI_HELLO = 1, WVL_MPI_LEASE, WVL_MPI_DONE, WVL_MPI_STOP, WVL_MPI_BYE } wvl_mpi_tag;

typedef struct wvl_mpi_start {
    int32_t goes_on; /* 0: the run ends here; rank 0 has said why */
    int32_t kind;    /* wvl_cli_source_kind */
    uint64_t total, begin, count;
    wvl_sequence_range range;
    uint64_t name_bytes; /* of the names of inputs, each with its 0 */
} wvl_mpi_start;

typedef struct wvl_mpi_hello {
    int32_t code; /* exit code; its reason is on standard error */
    uint32_t seats;
    uint64_t parameters; /* checksum of what the bytes depend on, the version too */
    char host[64], device[24];
} wvl_mpi_hello;

typedef struct wvl_mpi_lease {
    uint64_t place;
    wvl_sequence_record record; /* limit; if is_told, what the journal says */
    uint32_t copy;              /* wvl_sequence_lease */
    uint8_t is_told, is_last;
    uint8_t may_replace; /* a file that is there is one of this sequence */
} wvl_mpi_lease;

typedef struct wvl_mpi_done {
    uint64_t place;
    int32_t state, code, is_late; /* wvl_cli_frame */
    wvl_sequence_record record;
    wvl_cli_facts facts;
    char text[WVL_MPI_TEXT]; /* of a failure: its last message; else the warnings, a line each */
} wvl_mpi_done;

typedef struct wvl_mpi_stop {
    int32_t cancels; /* frames in work are given up; else they are finished */
} wvl_mpi_stop;

_Static_assert(sizeof(wvl_mpi_done) <= WVL_MPI_MESSAGE, "too long to go at once");
_Static_assert(sizeof(wvl_mpi_lease) * WVL_MPI_LEASES <= WVL_MPI_MESSAGE, "too long to go at once");

/* Where a rank stands. */
typedef struct wvl_mpi_place {
    int rank, count;     /* of all */
    int worker, workers; /* of the workers on this machine; the dispatcher: 0 of 0 */
    int is_beside;       /* on the machine of rank 0 */
    char host[64];
} wvl_mpi_place;

/* place.c. Collective. */
void wvl_mpi_find_place(wvl_mpi_place *place);
/* Rank 0 gives its source, the others get it. 0: the run ends. Without memory the job is aborted. */
int wvl_mpi_share_source(wvl_cli_source *source, wvl_mpi_start *start, int rank);
/* Threads of a worker where none are asked for: its share of the machine, within the processors it is bound to. */
uint32_t wvl_mpi_share_threads(const wvl_mpi_place *place);
/* Where no device is named: those of the machine go round among its workers. text: the device, by name. */
void wvl_mpi_share_device(const wvl_mpi_place *place, wvl_cli_sequence *q, char *text, size_t room);
/* Returns a checksum of all that the bytes of frames follow from, beside their pixels. */
uint64_t wvl_mpi_sum_parameters(const wvl_cli_sequence *q);
/* Copies the message; never waits. By the thread that called MPI_Init. */
void wvl_mpi_send(const void *message, size_t bytes, int rank, wvl_mpi_tag tag);
/* Before MPI_Finalize. */
void wvl_mpi_finish_sending(void);

/* worker.c. From the start to BYE. parse_code: of its options. */
void wvl_mpi_run_worker(const wvl_mpi_place *place, wvl_cli_sequence_options *options, int parse_code);

/* dispatcher.c: a crew for wvl_cli_conduct_sequence. */
typedef struct wvl_mpi_dispatcher {
    const wvl_mpi_place *place;
    double slow_seconds;
    int has_started; /* workers know that the run goes on */
    int missing;     /* workers that have not said BYE */
} wvl_mpi_dispatcher;

void wvl_mpi_dispatch(wvl_cli_sequence *q, void *dispatcher);
