/* SPDX-License-Identifier: BSD-2-Clause */
/* Where frames go: what the files of the store share. */
#pragma once

#include "sequence.h"

#define WVL_CLI_FRAMES_A_SYNC 64u

struct wvl_cli_store {
    wvl_cli_store_kind kind;
    const wvl_cli_sequence_options *options;
    const char *output;    /* as given */
    const char *extension; /* of the files of a folder */
    wvl_sequence_checksum sums;
    int folder_fd;     /* of the outputs; -1: none */
    int is_new_folder; /* made by this run: nothing is in it */

    char *journal_path;
    int journal_fd; /* -1: none */
    int is_resumed, syncs_each;
    pthread_mutex_t lock;     /* guards claims, claimed_places, and what is written to the journal */
    wvl_sequence_journal old; /* of an earlier run; the claims of this one too */
    uint64_t claimed_places;  /* the first ones have been looked at */
    uint64_t left_behind;     /* frames of an earlier run that are none of this one, or have other names now */
    uint64_t old_places;      /* TO_FILE: number of frames of the journal that stay */

    int file_fd, index_fd;                  /* TO_FILE, TO_STREAM; TO_FILE; -1: none */
    int is_in_memory;                       /* TO_FILE: threads write beside each other where its pages are mapped */
    uint64_t offset;                        /* end of the frames that were reported */
    pthread_mutex_t place_lock, write_lock; /* of what follows; of writing to a file that is on a disk */
    pthread_cond_t placed;
    uint64_t next_place, next_offset; /* of the frame whose offset is known next */
    uint64_t noted;                   /* offset of the frame that is noted next */

    /* Frames that are written and not in the journal yet. A thread syncs and notes them, in groups. */
    pthread_mutex_t group_lock; /* guards what follows */
    pthread_cond_t group_changed;
    pthread_t scribe;
    int has_scribe, is_due, is_flushed, is_closed;
    wvl_sequence_record waiting[2 * WVL_CLI_FRAMES_A_SYNC];
    unsigned waiting_count;
    double last_sync;
    int note_code, is_told; /* of the first group that failed, and why */
    char note_error[512];
};

/* sequence_journal.c: each returns 0 or an exit code after a message. Opened, it is resumed, or is to be begun, when
 * all else may be written too. Nothing is written before. */
int wvl_cli_open_journal(wvl_cli_store *store, wvl_cli_source *source, const char *parameters);
int wvl_cli_begin_journal(wvl_cli_store *store, const char *parameters);
/* Whatever was written to fd is on the disk. A file system that cannot sync is no failure. */
int wvl_cli_sync_file(int fd, const char *name);
int wvl_cli_write_all(int fd, const void *data, size_t bytes, const char *name);
void wvl_cli_close_journal(wvl_cli_store *store);
/* A line of the index for the next frame. */
int wvl_cli_put_index(wvl_cli_store *store, const wvl_sequence_record *record);
/* OUT.index. NULL: no memory. */
char *wvl_cli_name_index(const wvl_cli_store *store);

/* sequence_claims.c: of all frames whose number is known; before the first of them. */
int wvl_cli_claim_frames(wvl_cli_store *store, const wvl_cli_source *source);
/* Counts store->left_behind. before: the journal of the earlier run; parameters: of this one. */
/* Says whether this run has the frame. */
int wvl_cli_is_of_run(const wvl_cli_source *source, uint64_t number);
void wvl_cli_count_left(wvl_cli_store *store, const wvl_cli_source *source, const wvl_sequence_journal *before,
                        const char *parameters);
