/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The journal of a sequence: what it was made with, and a line for each frame that is complete. It is text, and only
 * grows. A line that a crash cut short is not one: all of its fields have a fixed end.
 *
 *   wavelane sequence journal 1
 *   parameter reversible=no
 *   begin 0123456789abcdef                       checksum of the lines above
 *   claim 0 238 2 0123456789abcdef               first, last, step: frames whose files no other program made; checksum
 *   frame 17 41034 41034 0 0123456789abcdef      number, bytes, bytes of the codestream, limit (0: none), checksum
 *
 * A claim is on the disk before the first of its files is written. A later run may replace these files, also those that
 * were written but have no line yet.
 */
#pragma once

#include "checksum.h"

#define WVL_SEQUENCE_RECORD_CHARS 160u
#define WVL_SEQUENCE_TITLE "wavelane sequence journal 1\n" /* the first line */

typedef struct wvl_sequence_record {
    uint64_t frame;       /* its number */
    uint64_t bytes;       /* of its file, or of its part of the file */
    uint64_t coded_bytes; /* of its codestream */
    uint64_t limit_bytes; /* of the codestream, by rate control; 0: none */
    uint64_t checksum;    /* of `bytes` bytes */
    size_t line;          /* in the journal that was read, from 0 */
} wvl_sequence_record;

/* Frames that the sequence may write and replace: first, first + step, ... last. */
typedef struct wvl_sequence_claim {
    uint64_t first, last, step;
} wvl_sequence_claim;

typedef struct wvl_sequence_journal {
    const char *parameters; /* points into the text: the lines "parameter ...", not terminated */
    size_t parameter_bytes;
    wvl_sequence_record *records; /* by number, each once: its last line counts */
    size_t count, capacity;
    wvl_sequence_claim *claims; /* in the order of their lines; those that go on are one */
    size_t claim_count, claim_capacity;
    size_t good_bytes; /* of the text; the rest is a line that was cut short */
} wvl_sequence_journal;

typedef enum wvl_sequence_journal_status {
    WVL_SEQUENCE_JOURNAL_OK = 0,
    WVL_SEQUENCE_JOURNAL_FOREIGN, /* the text is not a journal, or its head is damaged */
    WVL_SEQUENCE_JOURNAL_CUT,     /* its head is not complete: no frame can be in it */
    WVL_SEQUENCE_JOURNAL_MEMORY
} wvl_sequence_journal_status;

/* The head of a journal. parameters: whole lines. The text of `*bytes` bytes is the caller's; NULL: no memory. */
char *wvl_sequence_make_head(const wvl_sequence_checksum *checksum, const char *parameters, size_t *bytes);
/* Its length; text has WVL_SEQUENCE_RECORD_CHARS. */
size_t wvl_sequence_put_record(char *text, const wvl_sequence_record *record);
size_t wvl_sequence_put_claim(const wvl_sequence_checksum *checksum, char *text, const wvl_sequence_claim *claim);
/* Several journals one behind the other are read as one; `parameters` are those of the first. */
wvl_sequence_journal_status wvl_sequence_read_journal(const wvl_sequence_checksum *checksum, const char *text,
                                                      size_t bytes, wvl_sequence_journal *journal);
/* NULL: not in it. */
const wvl_sequence_record *wvl_sequence_find_record(const wvl_sequence_journal *journal, uint64_t frame);
/* 0: no memory. */
int wvl_sequence_add_claim(wvl_sequence_journal *journal, const wvl_sequence_claim *claim);
/* A claim or a record says that the frame is one of this sequence. */
int wvl_sequence_is_own(const wvl_sequence_journal *journal, uint64_t frame);
void wvl_sequence_release_journal(wvl_sequence_journal *journal);
