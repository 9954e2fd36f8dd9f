/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures side by side, of a folder or a sequence: how many at a time, where they are encoded, what they share. */
#pragma once

#include "job.h"

#define WVL_CLI_UNKNOWN_COUNT UINT64_MAX

/* What a run will encode, as far as its inputs say before they are read. */
typedef struct wvl_cli_load {
    uint64_t count;   /* of pictures; UNKNOWN_COUNT */
    uint64_t bytes;   /* of all inputs; UNKNOWN_COUNT */
    uint64_t largest; /* bytes of an input */
} wvl_cli_load;

typedef struct wvl_cli_work {
    size_t workers;      /* threads, each with a picture */
    size_t frames;       /* pictures on each device at a time */
    int on_device;       /* pictures that are alike share an encoder there */
    size_t pictures;     /* as far as it is known, no more come */
    size_t single_count; /* the first pictures, each of which is encoded by its own thread alone */
} wvl_cli_work;

wvl_cli_work wvl_cli_plan_work(const wvl_cli_run *s, const wvl_cli_load *load);
/* What the pictures share. name: for messages. */
void wvl_cli_open_work(wvl_cli_run *s, const wvl_cli_work *work, const char *name);
/* kept: pictures that are done and keep their bytes. */
wvl_cli_peak wvl_cli_sum_need(const wvl_cli_run *s, const wvl_cli_work *work, uint64_t kept);
void wvl_cli_print_peak(FILE *file, const wvl_cli_peak *peak);
/* When all pictures are released. */
void wvl_cli_close_work(wvl_cli_run *s);
/* Says whether the picture is encoded sooner by its own thread than the device opens; then that is settled. Before its
 * plan. */
int wvl_cli_start_on_cpu(wvl_cli_job *job);
/* When it is encoded. */
void wvl_cli_note_start(wvl_cli_job *job);
/* The context of a picture's plan. */
static inline wvl_context *wvl_cli_choose_context(const wvl_cli_run *s, size_t index)
{
    return s->single && index < s->single_count ? s->single : s->context;
}
