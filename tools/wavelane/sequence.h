/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane sequence: frames of a film or of an archive, with a journal. What its files share. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "tools/sequence/journal.h"
#include "tools/sequence/names.h"
#include "tools/sequence/rate.h"
#include "work.h"

#define WVL_CLI_SEQUENCE_USAGE "wavelane sequence IN OUT [options]"
#define WVL_CLI_NOT_GIVEN UINT32_MAX

/* ---- Options --------------------------------------------------------------------------------- */

typedef enum wvl_cli_on_error { WVL_CLI_STOP, WVL_CLI_SKIP, WVL_CLI_BLACK } wvl_cli_on_error;
typedef enum wvl_cli_show { WVL_CLI_SHOW_AUTO, WVL_CLI_SHOW_PLAIN, WVL_CLI_SHOW_OFF } wvl_cli_show;

/* Texts point into argv. */
typedef struct wvl_cli_sequence_options {
    wvl_cli_args args; /* options of encode */
    const char *words[2];
    unsigned word_count;
    int has_range, sizes_only, durable, log, fps_given;
    int on_error, progress; /* wvl_cli_on_error, wvl_cli_show */
    wvl_sequence_range range;
    uint32_t shard, shard_count; /* 0: all frames */
    uint32_t timeout_given;      /* seconds, or WVL_CLI_NOT_GIVEN */
    uint32_t timeout_s;          /* 0: none */
    const char *report, *journal, *statistics;
    wvl_sequence_rate_options rate;
    char *given; /* owned: options that are no settings of the library and change bytes, a line each */
} wvl_cli_sequence_options;

static inline int wvl_cli_has_rate(const wvl_cli_sequence_options *o)
{
    return o->rate.bits_per_second || o->rate.bucket_bits || o->rate.bucket_bits_per_second;
}

/* Each returns 0 or an exit code after a message, unless it says otherwise. */
int wvl_cli_parse_sequence(int argc, char **argv, wvl_cli_sequence_options *options);
void wvl_cli_release_sequence_options(wvl_cli_sequence_options *options);

/* ---- Bytes in memory, used again for later frames -------------------------------------------- */

typedef struct wvl_cli_bytes {
    struct wvl_cli_bytes *next;
    uint8_t *data;
    size_t used, room;
    int lacks_memory; /* what was written into it as a sink found no room */
} wvl_cli_bytes;

typedef struct wvl_cli_buffers {
    pthread_mutex_t lock;
    wvl_cli_bytes *spare;
} wvl_cli_buffers;

/* NULL: no memory. */
wvl_cli_bytes *wvl_cli_take_buffer(wvl_cli_buffers *buffers);
void wvl_cli_return_buffer(wvl_cli_buffers *buffers, wvl_cli_bytes *bytes);
/* Room for `room` bytes: 1, else 0. What is there stays. */
int wvl_cli_enlarge_buffer(wvl_cli_bytes *bytes, size_t room);
void wvl_cli_release_buffers(wvl_cli_buffers *buffers);
/* A sink that writes into bytes; close does nothing. */
wvl_sink wvl_cli_open_buffer_sink(wvl_cli_bytes *bytes);

/* ---- A stream of frames ---------------------------------------------------------------------- */

typedef struct wvl_cli_stream wvl_cli_stream;

typedef enum wvl_cli_arrival {
    WVL_CLI_ARRIVED,
    WVL_CLI_ENDED,
    WVL_CLI_LATE,
    WVL_CLI_BROKEN,
    WVL_CLI_NO_ROOM /* in memory */
} wvl_cli_arrival;

/* Opens a descriptor, which it then owns, for YUV4MPEG2 or, if args have a geometry, raw frames. */
int wvl_cli_open_stream(int fd, const char *name, const wvl_cli_sequence_options *options, wvl_cli_stream **stream);
void wvl_cli_close_stream(wvl_cli_stream *stream);
/* Options that read one frame of it. */
void wvl_cli_describe_stream(const wvl_cli_stream *stream, wvl_io_options *io);
/* Frame rate that its header says: 1, else 0. */
int wvl_cli_stream_rate(const wvl_cli_stream *stream, uint32_t *frames, uint32_t *seconds);
uint64_t wvl_cli_stream_frame_bytes(const wvl_cli_stream *stream);
/* It is a pipe or device, whose frames may come late. */
int wvl_cli_stream_waits(const wvl_cli_stream *stream);
/* Frame `number` of the stream, which comes at `place` among those that are asked for: waits until the frames before it
 * were read. ENDED: there is none. A frame that is late or broken ends the stream, after a message. bytes NULL: no
 * memory, which ends it too. */
wvl_cli_arrival wvl_cli_read_frame(wvl_cli_stream *stream, uint64_t place, uint64_t number, wvl_cli_bytes *bytes);
/* Reads a pipe or device to its end, with a time limit for the whole of it. What does not begin like a picture is left.
 */
int wvl_cli_read_in_time(const char *path, const wvl_cli_sequence_options *options, const wvl_io_options *io,
                         wvl_cli_bytes *bytes);

/* ---- Where frames come from ------------------------------------------------------------------ */

typedef enum wvl_cli_source_kind {
    WVL_CLI_FROM_PATTERN,
    WVL_CLI_FROM_LIST, /* of a file, or the names of a folder */
    WVL_CLI_FROM_PAGES,
    WVL_CLI_FROM_STREAM
} wvl_cli_source_kind;

typedef struct wvl_cli_inputs wvl_cli_inputs;

typedef struct wvl_cli_source {
    wvl_cli_source_kind kind;
    const char *name;            /* as given */
    wvl_cli_directory directory; /* of a list: inputs alone */
    wvl_cli_stream *stream;
    wvl_io_page *pages;       /* of a TIFF file, the frame's number is the index */
    wvl_sequence_range range; /* numbers of all frames; last UINT64_MAX: as the stream goes */
    uint64_t total;           /* of these; UNKNOWN_COUNT */
    uint64_t begin, count;    /* of this shard; count UNKNOWN_COUNT */
    wvl_cli_inputs *inputs;   /* files that are read; NULL: not listed yet */
} wvl_cli_source;

int wvl_cli_open_source(const wvl_cli_sequence_options *options, wvl_cli_source *source);
void wvl_cli_close_source(wvl_cli_source *source);
static inline uint64_t wvl_cli_frame_number(const wvl_cli_source *source, uint64_t place)
{
    return source->range.first + (source->begin + place) * source->range.step;
}
/* File of a frame; of a stream NULL. NULL otherwise: no memory. The caller frees it. */
char *wvl_cli_name_input(const wvl_cli_source *source, uint64_t number);
/* Lets args read the page of a frame, where frames are pages. */
void wvl_cli_choose_frame_page(const wvl_cli_source *source, uint64_t number, wvl_cli_args *args);
/* Refuses, with an exit code after a message, an output that is a file which the run reads, under whatever name. Any
 * thread. */
int wvl_cli_spare_inputs(const wvl_cli_sequence_options *options, wvl_cli_source *source, const char *output);
void wvl_cli_release_inputs(wvl_cli_source *source);

/* ---- Where frames go, and the journal -------------------------------------------------------- */

typedef enum wvl_cli_store_kind {
    WVL_CLI_TO_PATTERN,
    WVL_CLI_TO_FOLDER,
    WVL_CLI_TO_FILE,
    WVL_CLI_TO_STREAM
} wvl_cli_store_kind;

typedef struct wvl_cli_store wvl_cli_store;

typedef struct wvl_cli_store_request {
    const wvl_cli_sequence_options *options;
    wvl_cli_source *source;
    const char *parameters;                /* for the journal; NULL: another process has it, and IN and OUT are there */
    int syncs_each;                        /* of such a store: each file goes to the disk at once */
    const wvl_sequence_rate_options *rate; /* one pass; NULL: none */
    const uint64_t *limits;                /* two passes: [source->count]; NULL: none */
} wvl_cli_store_request;

int wvl_cli_open_store(const wvl_cli_store_request *request, wvl_cli_store **store);
/* Flushes; an exit code after a message, or 0. */
int wvl_cli_close_store(wvl_cli_store *store);
/* OUT as it is named, before anything is opened. */
int wvl_cli_classify_output(const wvl_cli_sequence_options *options, wvl_cli_store_kind *kind);
/* File of a frame, or the file of all. NULL: no memory. The caller frees it. */
char *wvl_cli_name_output(const wvl_cli_store *store, const char *input, uint64_t number);
int wvl_cli_has_files(const wvl_cli_store *store);  /* 1: one for each frame */
int wvl_cli_is_resumed(const wvl_cli_store *store); /* 1: the journal of an earlier run goes on */
/* Frames whose files an earlier run has left, and this one neither writes nor keeps. */
uint64_t wvl_cli_left_behind(const wvl_cli_store *store);
/* Finds what the journal of an earlier run says of a frame. limit: what rate control says now; 0: none. NULL: nothing
 * that holds. Any thread. */
const wvl_sequence_record *wvl_cli_find_record(const wvl_cli_store *store, uint64_t number, uint64_t limit);
/* Says whether the frame is what the record says. Any thread. */
int wvl_cli_is_complete(const wvl_cli_store *store, uint64_t place, const char *output,
                        const wvl_sequence_record *record);
/* Fills in bytes and checksum. Any thread. */
void wvl_cli_describe_bytes(const wvl_cli_store *store, const wvl_cli_bytes *bytes, wvl_sequence_record *record);
/* A file of its own for a frame; any thread. copy: 0, or a number that no other process has which may write the same
 * file now. */
int wvl_cli_store_file(const wvl_cli_store *store, const char *output, const wvl_cli_bytes *bytes, unsigned copy);
/* Says whether the file that is there has just the bytes of the record. Any thread. */
int wvl_cli_agrees_with_file(const wvl_cli_store *store, const char *output, const wvl_sequence_record *record);
/* 1: frames keep their bytes until they are written in turn. */
int wvl_cli_writes_in_turn(const wvl_cli_store *store);
/* Into the file of all, behind the frames before it: waits until the length of each is known. Every place that is begun
 * comes once; bytes NULL: without a frame. Any thread. */
int wvl_cli_place_frame(wvl_cli_store *store, uint64_t place, const wvl_cli_bytes *bytes);
/* In turn: to standard output, or counted as a part of the file of all; then a record of either. Writes the journal now
 * and then. */
int wvl_cli_append_frame(wvl_cli_store *store, const wvl_cli_bytes *bytes, uint64_t byte_count);
int wvl_cli_note_frame(wvl_cli_store *store, const wvl_sequence_record *record);
/* Says whether a regular file begins with a text of less than 64 bytes. */
int wvl_cli_begins_with(const char *path, const char *text);
/* Its name, or with a dot in front where only that file exists: the name of a journal of an earlier version. NULL: no
 * memory. */
char *wvl_cli_find_journal(const char *name);
/* What waits for the journal goes into it now: one sync of the file system, then the lines. */
int wvl_cli_sync_frames(wvl_cli_store *store);
/* The journal says that the frame is one of this sequence: its file may be replaced. Any thread. */
int wvl_cli_may_replace(wvl_cli_store *store, uint64_t number);
/* Call it before the file of this place of a stream. An exit code after a message, or 0. Any thread. */
int wvl_cli_claim_place(wvl_cli_store *store, const wvl_cli_source *source, uint64_t place);

/* ---- One frame, and what is said of it ------------------------------------------------------- */

typedef enum wvl_cli_frame_state {
    WVL_CLI_FRAME_NONE, /* the stream ended before it, or the run */
    WVL_CLI_FRAME_ENCODED,
    WVL_CLI_FRAME_KEPT, /* complete from an earlier run */
    WVL_CLI_FRAME_BLACK,
    WVL_CLI_FRAME_FAILED
} wvl_cli_frame_state;

#define WVL_CLI_FRAME_FILLS 16u

/* What is reported of a frame that was encoded. */
typedef struct wvl_cli_facts {
    int are_known, psnr_is_measured;
    int was_read;    /* its picture; then: */
    unsigned unused; /* WVL_UNUSED_* */
    uint32_t slope, fill_count;
    double psnr, seconds; /* seconds: from reading to writing */
    wvl_cli_stages stages;
    char device[64];
    struct {
        uint64_t bytes, cap;
    } fills[WVL_CLI_FRAME_FILLS]; /* the first ones that have a cap */
} wvl_cli_facts;

typedef struct wvl_cli_frame {
    uint64_t place;
    char *input, *output;
    const char *name; /* for messages */
    char label[96];   /* name of a frame of a stream */
    wvl_cli_frame_state state;
    int code;    /* of a failure */
    int is_late; /* kept, though its input was changed after its file */
    wvl_sequence_record record;
    wvl_cli_bytes *bytes, *given; /* coded; read from a stream */
    wvl_cli_tray *tray;           /* what was read from a stream lies there; NULL: elsewhere */
    wvl_cli_bytes in_tray;        /* is `given` then */
    wvl_cli_bytes finished;       /* coded by a device, in its memory; data NULL: they are in bytes */
    wvl_encoded_picture *encoded; /* that has this memory */
    wvl_cli_job job;
    size_t turn; /* its index among those in work */
    wvl_cli_facts facts;
    /* The frame that another process asks for: */
    const wvl_sequence_record *told; /* what its journal says of the bytes; NULL: nothing */
    int may_replace;                 /* its journal says that the file is one of this sequence */
    unsigned copy;                   /* of wvl_cli_store_file */
    int is_placed;                   /* wvl_cli_place_frame knows of it */
    int must_agree;                  /* the file that is there has to have the same bytes */
    int comes_again;                 /* if it fails: it is not black yet */
} wvl_cli_frame;

typedef struct wvl_cli_sequence {
    const wvl_cli_sequence_options *options;
    wvl_cli_run run;
    wvl_cli_plans plans;
    wvl_cli_source source;
    wvl_cli_store *store;
    wvl_cli_buffers buffers;
    wvl_sequence_rate *rate; /* one pass; NULL: none */
    uint64_t *limits;        /* two passes: of this shard's frames */
    pthread_mutex_t lock;    /* guards rate and stopped */
    pthread_cond_t changed;
    int stopped;
    atomic_int has_waited; /* for a pipe or device */
    /* In turn: */
    uint64_t encoded, kept, black, failed, done;
    uint64_t bytes;        /* of encoded and black frames */
    wvl_cli_stages stages; /* of all frames */
    uint64_t pixel_samples;
    char first_failed[256], first_late[256];
    uint64_t late; /* kept frames whose inputs are newer */
    int code;
    FILE *report, *log;
    wvl_sink report_sink; /* of a report that is a file */
    double started, shown;
    int shows, is_shown; /* progress */
} wvl_cli_sequence;

/* An exit code after a message, or 0. */
int wvl_cli_open_report(wvl_cli_sequence *q);
/* In turn. */
void wvl_cli_report_frame(wvl_cli_sequence *q, const wvl_cli_frame *frame);
void wvl_cli_end_report(wvl_cli_sequence *q);
/* The run did not begin: no file of it is left. */
void wvl_cli_drop_report(wvl_cli_sequence *q);

/* Work and tell of wvl_cli_run_turns; user: the sequence, piece: a wvl_cli_frame. */
void wvl_cli_run_frame(void *user, wvl_cli_turns *turns, size_t place, void *piece);
void wvl_cli_tell_frame(void *user, wvl_cli_turns *turns, size_t place, void *piece);
/* One frame for another process, from its input to its file: place, limit, and what belongs to it, are set. */
void wvl_cli_do_frame(wvl_cli_sequence *q, wvl_cli_frame *frame, wvl_cli_turns *turns);
void wvl_cli_release_frame(wvl_cli_sequence *q, wvl_cli_frame *frame);
/* In turn, when its bytes and its line are cared for: rate control, counts, reports. 0: the run ends here. */
int wvl_cli_account_frame(wvl_cli_sequence *q, const wvl_cli_frame *frame);

/* ---- The run --------------------------------------------------------------------------------- */

/* Who encodes the frames, when all is open; NULL: threads of this process. Others need files as inputs and outputs. */
typedef struct wvl_cli_crew {
    void (*run)(wvl_cli_sequence *q, void *user);
    void *user;
} wvl_cli_crew;

/* The exit code, after messages. */
int wvl_cli_conduct_sequence(wvl_cli_sequence_options *options, const wvl_cli_crew *crew);

/* Parts of it, for a process that encodes frames for another one. */
void wvl_cli_init_sequence(wvl_cli_sequence *q, wvl_cli_sequence_options *options);
void wvl_cli_close_sequence(wvl_cli_sequence *q);
/* Everything that the bytes of a frame depend on, beside its pixels. NULL: no memory. The caller frees it. */
char *wvl_cli_describe_parameters(const wvl_cli_sequence *q, const wvl_sequence_rate_options *rate);
/* Frames in work at a time. */
size_t wvl_cli_count_seats(const wvl_cli_sequence *q);
/* Does what wvl_cli_run_turns does, with what the frames share. */
int wvl_cli_run_seats(wvl_cli_sequence *q, const wvl_cli_pieces *pieces);
