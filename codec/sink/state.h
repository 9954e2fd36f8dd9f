/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the sinks: what those of the library share. */
#pragma once

#include "base/structs.h"
#include "wavelane.h"

/* The members of version 0.2.0: the library fills and empties no more of a caller's structure, which may be older than
 * this header. */
#define WVL_SINK_BYTES WVL_STRUCT_UNTIL(wvl_sink, user)

/* First member of every sink of the library. */
typedef struct wvl_sink_state {
    wvl_context *context;
    uint64_t own_bytes;
    /* Ends the output: 0, or -1 after wvl_sink_fail. Called once. */
    int (*settle)(void *sink, int complete);
    /* Releases what the sink holds beside itself. */
    void (*dispose)(void *sink);
    int taken;         /* an encode has it, or had it */
    int kept;          /* set by settle: the sink stays for wvl_sink_take_memory */
    wvl_status status; /* of the first failure */
    char error[512];
} wvl_sink_state;

/* Clears the context's error and creates a zeroed sink of `bytes` bytes with its state first; NULL: no memory, the
 * context says so. */
void *wvl_sink_create_state(wvl_context *context, uint64_t bytes, int (*settle)(void *, int), void (*dispose)(void *));
void wvl_sink_destroy_state(wvl_sink_state *state);
/* Notes the first failure: action, path ("" for none), the text of code (an errno value; 0 for none). Returns -1. */
int wvl_sink_fail(wvl_sink_state *state, wvl_status status, const char *action, const char *path, int code);
/* 0 when the patch lies within what was written and nothing failed before. */
int wvl_sink_check_patch(wvl_sink_state *state, uint64_t written, uint64_t offset, size_t bytes);
/* Fills a caller's structure, whose end an older program does not have. */
void wvl_sink_fill(wvl_sink *sink, wvl_sink_state *state, int (*write)(void *user, const void *data, size_t bytes),
                   int (*patch)(void *user, uint64_t offset, const void *data, size_t bytes));
