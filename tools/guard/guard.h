/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Foreign code that may end its process, with damaged input or where memory ends, runs in a child process with limits
 * (D-guard-01). A child is this program, started anew with exec; it serves one call after another, and ends with its
 * parent. Functions may be called from any thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define WVL_GUARD_MESSAGE_BYTES 512u   /* longer texts are cut */
#define WVL_GUARD_PARAMETER_BYTES 128u /* most of a call */

/* ---- In the child ---------------------------------------------------------------------------- */

typedef struct wvl_guard_call {
    const void *parameters;
    size_t parameter_bytes;
    const uint8_t *input;
    size_t input_bytes;
    uint64_t output_bytes; /* written so far */
} wvl_guard_call;

/* run returns a number for the parent; errno goes along. */
typedef struct wvl_guard_service {
    const char *name;
    int (*run)(wvl_guard_call *call);
} wvl_guard_service;

/* kind: at least 1, of the service. */
void wvl_guard_tell(int kind, const char *text);
/* Appends to the output. 0, or -1 with errno. */
int wvl_guard_write(wvl_guard_call *call, const void *bytes, size_t byte_count);

/* Limits of this call from here on: memory that it takes beside what it has, and seconds of a processor. What the
   parent was given is not exceeded. */
void wvl_guard_limit(uint64_t memory_bytes, uint64_t seconds);

/* ---- In the parent --------------------------------------------------------------------------- */

/* First in main() of a program whose foreign code is to be guarded: a child serves here and does not return.
   services[count] must stay. Without it nothing is guarded. */
void wvl_guard_enter(char **argv, const wvl_guard_service *services, size_t count);
/* For code that lives in programs of others, as plugins: the program that is started as a child, which must call
   wvl_guard_enter() with the same services. The text must stay. */
void wvl_guard_use_program(const char *path);

typedef struct wvl_guard_job {
    const char *service;
    const void *parameters;
    size_t parameter_bytes;
    const uint8_t *input;
    size_t input_bytes;
    void (*hear)(int kind, const char *text, void *user);
    void *user;
} wvl_guard_job;

typedef enum wvl_guard_outcome {
    WVL_GUARD_DONE,   /* the service returned */
    WVL_GUARD_ABSENT, /* there can be no child; nothing was tried */
    WVL_GUARD_ENDED,  /* the child ended before the service returned */
    WVL_GUARD_SLOW,   /* it was ended at the limit of time */
    WVL_GUARD_KILLED  /* it was ended from outside, as systems do where memory ends */
} wvl_guard_outcome;

typedef struct wvl_guard_answer {
    wvl_guard_outcome outcome;
    int status;            /* of the service */
    int error;             /* its errno */
    int is_bounded;        /* ENOMEM then means the service's own limit, not that memory is short */
    int signal;            /* that ended the child; 0: none */
    uint64_t output_bytes; /* for wvl_guard_read() */
    void *child;
} wvl_guard_answer;

/* Release the answer, whatever the outcome is. */
void wvl_guard_run(const wvl_guard_job *job, wvl_guard_answer *answer);
/* Output at an offset. 0 or -1. */
int wvl_guard_read(const wvl_guard_answer *answer, uint64_t offset, void *bytes, size_t byte_count);
void wvl_guard_release(wvl_guard_answer *answer);
