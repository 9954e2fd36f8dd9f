/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command line asks for, and the encoder that does it. */
#pragma once

#include <stdint.h>
#include <wavelane.h>

enum { JOB_COMPONENTS = 3, JOB_ERROR_BYTES = 1024 };

typedef struct job {
    const char *preset; /* dci-2k, dci-4k */
    uint32_t width, stride, height;
    uint32_t rate;   /* frames a second */
    uint64_t bits;   /* a second, at most */
    long device;     /* -1: none; -2: not said */
    int is_detailed; /* -v */
    /* Made by job_start(). */
    uint64_t cap; /* bytes of a frame, at most */
    uint32_t slots;
    wvl_context *context;
    wvl_plan *plan;
    wvl_encoder *encoder;
} job;

/* Both: 0, or -1 with the reason in error (JOB_ERROR_BYTES). */
int job_read(job *j, char **arguments, char *error);
int job_start(job *j, char *error);
/* The encoder was released before. */
void job_end(job *j);
