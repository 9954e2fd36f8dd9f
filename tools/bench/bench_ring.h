/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wavelane-bench frames: throughput, latency, CPU time and bus traffic of a ring of pictures, one by one and in flight.
 * bench_memory.c has the memory, bench_ring.c the pictures, bench_flight.c the clock, bench_trace.c the trace,
 * bench_flight_report.c the text and the JSON, bench_frames.c the options.
 */
#pragma once

#include "bench.h"

#define WVL_BENCH_RING_MAX 64u
#define WVL_BENCH_FRAMES_MAX WVL_BENCH_LIST_MAX
#define WVL_BENCH_PLACES_MAX 1024u /* pictures in flight that wvl_encoder takes */
#define WVL_BENCH_TURNS_MAX 64u
#define WVL_BENCH_BACKENDS_MAX 8u
#define WVL_BENCH_DEVICES_MAX 16u
#define WVL_BENCH_ARRIVING_MAX 16u /* components of pictures that arrive */

/* ---- Memory of a kind (bench_memory.c) ---- */

typedef struct wvl_bench_store wvl_bench_store;

/* Takes the first `devices` devices. NULL (reported): there are fewer, or this build has no device code. Kind HOST
 * needs none. */
wvl_bench_store *wvl_bench_open_store(wvl_memory_kind kind, uint32_t devices);
/* Gives all memory back. NULL is allowed. */
void wvl_bench_close_store(wvl_bench_store *store);
/* A copy of the bytes in memory of the kind, aligned to 256 bytes; for DEVICE an address of device *ordinal, the next
 * one in turn. The store owns it. NULL: memory is short. */
void *wvl_bench_store_copy(wvl_bench_store *store, const void *from, size_t bytes, int *ordinal);
/* Copies alone: all copies of the store (kind PINNED), one after the other, each to a place of its own on the devices
 * in turn, which work side by side, for `seconds` at least. down_bytes [copies]: what each device sends to page-locked
 * memory meanwhile, for each copy; NULL: nothing. 0, or a status of the driver. */
int wvl_bench_time_copies(const wvl_bench_store *store, const size_t *down_bytes, double seconds,
                          double *copies_per_second);

/* Pixels that are still on their way when a picture is submitted, as those of a program that makes them: copied from
 * page-locked memory to a place on a device, in a stream of their own, with an event behind the copy. */
typedef struct wvl_bench_arrivals wvl_bench_arrivals;

/* pixels: [count] pictures of `bytes` bytes. places: pictures that may be in flight at a time, on any of the store's
 * devices. NULL: memory is short. */
wvl_bench_arrivals *wvl_bench_open_arrivals(const wvl_bench_store *store, uint8_t *const *pixels, uint32_t count,
                                            size_t bytes, uint32_t places);
/* Sends picture k to the next place of device `on`. *event belongs to the place. NULL: the driver failed. */
void *wvl_bench_send(wvl_bench_arrivals *arrivals, uint32_t k, uint32_t on, void **event);
void wvl_bench_close_arrivals(wvl_bench_arrivals *arrivals);

/* ---- Pictures (bench_ring.c) ---- */

/* Copies of one picture, each turned round by other columns and rows, tightly packed. */
typedef struct wvl_bench_ring {
    uint32_t count;
    int is_interleaved;
    size_t picture_bytes;           /* of the pixels of one */
    uint64_t sent_bytes;            /* what a picture takes on the bus: samples in the smallest containers */
    const wvl_image_format *format; /* of all */
    wvl_plane *planes;              /* [2 * count * components] */
    wvl_image on_host[WVL_BENCH_RING_MAX], images[WVL_BENCH_RING_MAX]; /* images: in memory of the kind */
    uint8_t *pixels[WVL_BENCH_RING_MAX];                               /* on_host's */
} wvl_bench_ring;

typedef enum wvl_bench_order { WVL_BENCH_AS_READ = -1, WVL_BENCH_PLANAR, WVL_BENCH_INTERLEAVED } wvl_bench_order;

/* An exit status (reported). */
int wvl_bench_open_ring(const wvl_bench_picture *picture, uint32_t count, wvl_bench_order order, wvl_memory_kind kind,
                        wvl_bench_store *store, wvl_bench_ring *ring);
void wvl_bench_close_ring(wvl_bench_ring *ring);
/* All pictures, one behind the other: interleaved samples, above 8 bits in two bytes, the lower one first. 0, or -1
 * (reported). */
int wvl_bench_write_raw(const wvl_bench_ring *ring, const wvl_bench_picture *picture, const char *path);

/* ---- Runs (bench_flight.c) ---- */

typedef struct wvl_bench_frames_options {
    const char *image, *trace;
    wvl_bench_shape shape;
    wvl_bench_settings settings;
    uint32_t threads;
    wvl_bench_list frames;         /* pictures in flight, 0: one by one */
    int kind;                      /* wvl_memory_kind */
    int order;                     /* wvl_bench_order */
    uint32_t ring, turns, devices; /* devices: the first ones have the pictures in turn */
    double seconds;
    int uploads, copies; /* also time uploads alone, or with the downloads beside them */
    int arrives;         /* pixels on a device come there behind an event */
    const char *json, *out, *raw;
} wvl_bench_frames_options;

/* One turn of one setting. */
typedef struct wvl_bench_flight {
    uint64_t pictures, bytes;
    double seconds, cpu_seconds;
    double p50, p99; /* seconds from submit to the received picture */
} wvl_bench_flight;

typedef struct wvl_bench_backend_count {
    char name[32];
    uint64_t pictures;
} wvl_bench_backend_count;

/* All turns of one setting. */
typedef struct wvl_bench_flights {
    uint32_t frames, places; /* asked for, and those that there was memory for */
    uint32_t turn_count;
    wvl_bench_flight turns[WVL_BENCH_TURNS_MAX];
    uint64_t first_bytes; /* codestream of the picture that is not shifted */
    uint64_t below;       /* pictures for which a device did less than device= and reach= ask for */
    uint64_t up_bytes;    /* of all pictures: samples that went to a device */
    uint64_t down_bytes;  /* of all pictures: codestreams of which a device coded the blocks at least */
    uint64_t down_known;  /* pictures that down_bytes counts */
    wvl_bench_backend_count backends[WVL_BENCH_BACKENDS_MAX];
} wvl_bench_flights;

typedef struct wvl_bench_flight_results {
    wvl_bench_flights settings[WVL_BENCH_FRAMES_MAX];
    uint32_t alone_count; /* devices that were measured by themselves too; 0: there is one, or the CPU does the work */
    wvl_bench_flights alone[WVL_BENCH_FRAMES_MAX][WVL_BENCH_DEVICES_MAX]; /* with its share of the frames */
    double uploads[WVL_BENCH_TURNS_MAX], copies[WVL_BENCH_TURNS_MAX]; /* pictures a second of these alone, by turn */
} wvl_bench_flight_results;

/* The whole: ring, turns, report. An exit status. */
int wvl_bench_run_ring(const wvl_bench_frames_options *o, const wvl_bench_picture *picture);

/* ---- The trace (bench_trace.c) ---- */

typedef struct wvl_bench_trace wvl_bench_trace;

/* A context whose work is written to a file as a Chrome trace, unless path is NULL. An exit status (reported); unless
 * it is OK both are NULL. */
int wvl_bench_open_trace(uint32_t threads, const char *path, wvl_context **context, wvl_bench_trace **trace);
/* 0, or -1 (reported). */
int wvl_bench_close_trace(wvl_bench_trace *trace);

/* ---- Report (bench_flight_report.c) ---- */

const char *wvl_bench_kind_name(wvl_memory_kind kind);
int wvl_bench_report_flights(const wvl_bench_frames_options *o, const wvl_bench_picture *picture,
                             const wvl_bench_ring *ring, const wvl_bench_flight_results *results);
