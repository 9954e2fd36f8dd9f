/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of the command, and one picture on its way: what encode.c (one picture) and folder.c (all of a folder) share.
 */
#pragma once

#include "by_rows.h"
#include "directory.h"
#include "encoders.h"
#include "kept.h"
#include "trays.h"
#include "turns.h"

/* Memory for the largest of the pictures that were planned (--dry-run). */
typedef struct wvl_cli_need {
    uint64_t count;
    uint64_t sample_bytes, output_bytes;
    uint64_t likely_bytes, worst_bytes; /* of an encode on the CPU */
    uint64_t held_bytes;                /* what pictures side by side wait for (wvl_cli_code_piece) */
    uint64_t frames;                    /* at a time in an encoder on a device; 0: there is none */
    uint64_t frame_bytes, table_bytes;  /* page-locked, of each; of the encoder */
} wvl_cli_need;

/* The most memory at a time of the pictures of a run, 0: not known. */
typedef struct wvl_cli_peak {
    uint64_t pictures;                  /* at a time */
    uint64_t likely_bytes, worst_bytes; /* of all kinds; on a device as long as that works */
    uint64_t locked_bytes;              /* page-locked, at worst */
} wvl_cli_peak;

/* Pictures of a run on a device that the CPU encodes while the device opens. */
typedef struct wvl_cli_start wvl_cli_start;

typedef struct wvl_cli_run {
    const wvl_cli_args *args;
    wvl_cli_kept *kept; /* memory of the contexts of a folder; NULL: their own */
    wvl_context *context;
    wvl_context *single; /* of one thread; NULL: none */
    size_t single_count; /* first pictures of a folder that are encoded with it */
    wvl_params *params;
    wvl_cancel *cancel;
    wvl_cli_report report; /* used with --json */
    FILE *out;             /* where summaries go */
    wvl_cli_directory directory;
    wvl_cli_ahead *ahead;         /* NULL: pictures open their device */
    wvl_cli_start *start;         /* NULL: no picture is encoded on the CPU while it opens */
    wvl_cli_plans *plans;         /* NULL: every picture has its own */
    wvl_cli_encoders *encoders;   /* of pictures side by side on a device; NULL: each is encoded by itself */
    wvl_cli_trays *trays;         /* of pictures side by side; NULL: readers take memory for samples */
    wvl_cli_need need;            /* changes in turn */
    wvl_cli_peak peak;            /* of a folder */
    size_t done, failed, skipped; /* of its pictures; change in turn */
    wvl_cli_reasons reasons;      /* the same */
    int code;                     /* the same */
    int report_errno;             /* of the first summary that could not be written; 0: all were */
    unsigned unused;              /* WVL_UNUSED_* of every picture so far; the same */
} wvl_cli_run;

typedef struct wvl_cli_job wvl_cli_job;

/* Where the pixels of a job come from and where its bytes go, in place of files of its names. Each returns 0 or an exit
 * code after a message. */
typedef struct wvl_cli_ports {
    int (*read)(void *user, wvl_cli_job *job, wvl_cli_picture *picture);
    int (*open)(void *user, wvl_sink *sink); /* again for a second try: what the first one wrote is void */
    /* In place of a sink: all bytes, which lie in memory of the job's encoded picture. */
    int (*take)(void *user, const uint8_t *data, size_t bytes);
    void *user;
} wvl_cli_ports;

/* Seconds of a picture's thread. */
typedef struct wvl_cli_stages {
    double wait; /* for memory, for a limit of rate control, until a device is open */
    double read, encode, write;
} wvl_cli_stages;

static inline void wvl_cli_add_stages(wvl_cli_stages *sum, const wvl_cli_stages *stages)
{
    sum->wait += stages->wait;
    sum->read += stages->read;
    sum->encode += stages->encode;
    sum->write += stages->write;
}

struct wvl_cli_job {
    wvl_cli_run *s;
    wvl_context *context;       /* of the plan */
    const wvl_cli_ports *ports; /* NULL: files */
    uint64_t limit_bytes;       /* most bytes of the codestream, beside max-bytes; 0: none */
    const char *const *inputs;
    size_t input_count;
    const char *output; /* NULL: none (dry run) */
    const char *name;   /* for messages */
    int is_jp2;         /* 2: JPH */
    wvl_cli_picture picture;
    wvl_cli_rows rows; /* of a picture that comes by rows */
    wvl_params *params;
    wvl_plan *plan;
    int borrows_plan;             /* it is that of s->plans */
    int starts;                   /* encoded by its own thread while the device opens */
    wvl_cli_encoder *shared;      /* its encoder at the moment; NULL: none */
    wvl_encoded_picture *encoded; /* of a picture that had a shared encoder; owns the result */
    wvl_result *own_result;       /* of one that did not, or whose bytes were given back */
    const wvl_result *result;
    wvl_cli_check check;
    double seconds; /* of the encode */
    wvl_cli_stages stages;
    wvl_cli_tray *tray;    /* of its samples; NULL: none */
    int borrows_tray;      /* it has been filled, and stays its owner's */
    wvl_cli_turns *turns;  /* other pictures are in work beside it; NULL: none */
    size_t turn;           /* its index in them */
    uint64_t sample_bytes; /* held of them */
};

wvl_cli_job wvl_cli_describe_job(wvl_cli_run *s, const char *const *inputs, size_t input_count, const char *output);
/* Each returns 0 or an exit code after a message. */
int wvl_cli_read_and_plan(wvl_cli_job *job);
/* By itself: wvl_encode. */
int wvl_cli_encode_job(wvl_cli_job *job);
/* The same with an encoder of the folder. 1: *code is what wvl_cli_encode_job would return. 0: the picture is to be
 * encoded by itself. */
int wvl_cli_encode_job_shared(wvl_cli_job *job, int *code);
/* Options of a reader whose samples go into a tray of the job. */
void wvl_cli_lend_tray(wvl_cli_job *job, wvl_io_options *io);
/* Samples alone: what else is known of the picture stays. */
void wvl_cli_give_samples_back(wvl_cli_job *job);
/* What one picture more may take beside others, as its plan says. In turn. */
void wvl_cli_note_need(wvl_cli_run *s, const wvl_cli_job *job);
/* The finished bytes alone: what else is known of the picture stays. */
void wvl_cli_give_bytes_back(wvl_cli_job *job);
/* Prints what became of it: code 0, or the exit code. */
void wvl_cli_report_job(wvl_cli_job *job, int code);
void wvl_cli_release_job(wvl_cli_job *job);

/* encode.c: one picture, with its report; output NULL: none. */
int wvl_cli_encode_one(wvl_cli_run *s, const char *const *inputs, size_t input_count, const char *output);
/* exr.c: a file of OpenEXR with chunks of HTJ2K, of one of OpenEXR. */
int wvl_cli_write_exr(wvl_cli_run *s);
/* pages.c: the pages of --pages; returns the exit code. */
int wvl_cli_encode_pages(wvl_cli_run *s);

/* Context, cancel token and params of a run. Returns 0 or an exit code after a message. */
int wvl_cli_open_run(wvl_cli_run *s);
void wvl_cli_close_run(wvl_cli_run *s);
/* Another context like that of the run, with one thread. NULL: out of memory. */
wvl_context *wvl_cli_open_single(const wvl_cli_run *s);

/* folder.c: one picture beside others, as wvl_cli_encode_job; they share memory and device. */
int wvl_cli_encode_beside(wvl_cli_job *job);
/* folder.c: every picture of the folder; returns the exit code. */
int wvl_cli_encode_folder(wvl_cli_run *s);
