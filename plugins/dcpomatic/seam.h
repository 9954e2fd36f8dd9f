/* SPDX-License-Identifier: BSD-2-Clause */
/* The seam: texts between DCP-o-matic and this program, through shared memory and semaphores. */
#pragma once

#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * What was decided here and not tried with the real program:
 *
 *   names        each one, of memory and of semaphores, begins with SEAM_PREFIX
 *   makers       the first side that opens an object makes it; the one that made it removes its name
 *   semaphores   SENT begins with 0, READY with 1: the box is empty. A reader posts READY after it has copied the text
 *   texts        the verb behind SEAM_VERB, then decimal numbers, each behind a comma; a zero byte ends the text
 *   slots        one number for both buffers; PROCESSSED_COMPRESSED brings the slot
 *   FLUSH(n)     frames that were submitted are sent even if SHUTDOWN follows; without it SHUTDOWN drops them
 *   stride       pixels, samples or bytes of a row; rows are packed
 *   fps,bits     a whole number of frames a second; bits a second
 *   -G           a number of a CUDA device; -1: none
 *   no result    a frame that could not be encoded has 0 bytes
 */
#define SEAM_PREFIX "Global\\"
#define SEAM_VERB "GRK_MSGR_BATCH_"

enum {
    SEAM_TEXT_BYTES = 256,   /* least size of a box for texts, and the size that is made here */
    SEAM_POLL_MS = 200,      /* how often a wait looks whether the client lives */
    SEAM_OPENING_MS = 500,   /* most time between making an object and giving it its size */
    SEAM_GOODBYE_MS = 10000, /* how long a client that said SHUTDOWN may leave a text unread */
    SEAM_ERROR_BYTES = 256
};

typedef struct seam_memory {
    const char *name;
    void *data; /* NULL: not open */
    size_t bytes;
    int is_made_here;
} seam_memory;

typedef struct seam_box {
    seam_memory text;
    const char *sent_name, *ready_name;
    sem_t *sent, *ready;
    int is_sent_made_here, is_ready_made_here;
} seam_box;

typedef struct seam {
    seam_box in, out;
    pid_t parent;
    pid_t client;       /* the parent's parent where a shell is the parent; else 0 */
    atomic_int stop;    /* no thread waits any more */
    atomic_int goodbye; /* the client said SHUTDOWN */
} seam;

/* 0, or -1 with the reason in error (SEAM_ERROR_BYTES). */
int seam_open(seam *s, char *error);
void seam_close(seam *s);
/* Opens memory of at least `bytes` bytes; makes: or makes it. */
int seam_open_memory(seam_memory *m, const char *name, size_t bytes, int makes, char *error);
void seam_close_memory(seam_memory *m);

int seam_client_lives(const seam *s);
/* Both wait; -1: the client is gone, or stop was raised. text has SEAM_TEXT_BYTES. */
int seam_send(seam *s, const char *text);
int seam_receive(seam *s, char *text);
