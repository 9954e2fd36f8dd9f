/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The waves of a picture on their way through backends: which ones these are, how many are in flight, and what happens
 * when a device fails.
 *
 * Each backend is a station. The host has one, and so has a picture in flight: that of the device whose turn it is. The
 * waves of a picture alone go to all devices of the plan, each to the station with the least in flight, and are handed
 * over in order. Pixels that lie on a device have one station, there.
 *
 * A device may fail before a picture (there is none, its memory is too small) or within it. Another device of the plan
 * goes on with the first wave that has not been handed over, or where the plan allows it the CPU: waves do not depend
 * on each other, so the bytes are the same. The last device ends the picture if it is lost.
 */
#pragma once

#include "rows/window.h"
#include "way/job_cut.h"
#include "way/wave.h"

#define WVL_DRIVE_STATIONS (WVL_DEVICE_ORDINAL_MAX + 1u)
#define WVL_DRIVE_FLIGHTS (WVL_STRIP_JOBS * WVL_DRIVE_STATIONS)

typedef struct wvl_drive_station {
    wvl_backend *backend;
    wvl_device *device; /* NULL: the host */
    uint32_t ordinal;   /* of the device */
    uint32_t jobs;      /* workspaces prepared */
    uint32_t in_flight;
} wvl_drive_station;

typedef struct wvl_drive_flight {
    wvl_backend_job *job;
    uint32_t station;
    wvl_job_at at, next; /* of this job, and of the one behind it */
    uint32_t count;      /* tiles */
} wvl_drive_flight;

/* What waves came from; of those of a device, how far it went with some of them. */
enum { WVL_DRIVE_HOST = 1, WVL_DRIVE_DEVICE = 2, WVL_DRIVE_COEFS = 4, WVL_DRIVE_BLOCKS = 8 };

typedef struct wvl_drive {
    const wvl_plan *plan;
    wvl_wave *wave;   /* its tile plans are those of flight[0] where jobs are waves */
    wvl_coefs *coefs; /* of the oldest job: wave->coefs, or those of `views` */
    wvl_job_cut cut;
    wvl_strip_views views;
    const wvl_trace *trace;
    const wvl_look *look;            /* of the picture at work */
    int many;                        /* pictures are in flight */
    uint32_t turn;                   /* which of the plan's devices comes first then */
    const wvl_backend_vtable *host;  /* the backend that takes every plan */
    const wvl_backend_vtable *table; /* of the open backends; NULL: none is open */
    wvl_drive_station stations[WVL_DRIVE_STATIONS];
    uint32_t station_count;
    wvl_reach reach; /* of the open backends, with this plan */
    uint32_t jobs;   /* workspaces of all stations */
    int given_up;    /* a device was tried, and the CPU took over: not tried again unless it is needed */
    wvl_tile_plan *tiles[WVL_DRIVE_FLIGHTS];
    wvl_tile_plan scratch; /* of strips */
    void *tile_memory;     /* of the flights beyond the first; where jobs are strips, of all */
    uint64_t tile_bytes;
    /* The picture at work: */
    wvl_way way;
    const wvl_image *image;
    wvl_row_window *rows; /* brings the rows of the image, wave after wave; NULL: they are there */
    uint32_t tried;       /* a bit for each device that failed with it */
    uint32_t failed;      /* station of the last failure */
    uint32_t ordinal;     /* device of the last try */
    wvl_drive_flight flight[WVL_DRIVE_FLIGHTS];
    uint32_t oldest, count; /* flights */
    wvl_job_at next;        /* job to be submitted */
    int is_begun;           /* a job was handed over: those behind it are of its kind */
    wvl_status ahead;       /* of the last wvl_drive_submit_ahead */
    unsigned used;          /* WVL_DRIVE_* */
    uint32_t used_devices;  /* a bit for each that made waves */
    char reason[256];       /* why there is no device, or why it failed */
} wvl_drive;

/* many: pictures are in flight, this drive has those of place `turn`. */
void wvl_drive_init(wvl_drive *drive, const wvl_plan *plan, wvl_wave *wave, const wvl_trace *trace,
                    const wvl_look *look, int many, uint32_t turn);
void wvl_drive_fini(wvl_drive *drive);
/* Opens the backend for pictures that go this way, HOST or JOBS, unless it is open already. Nothing more is allocated
 * for such pictures afterwards, as long as no device fails. Jobs are waves; on a device that has no memory for those,
 * strips. rows: where the rows of the image come from; NULL: they are there. WVL_AGAIN: the device that
 * rows->strip_rows and the size of the window were chosen for is of no use, and the rows are the host's from here on
 * (rows->on_device is 0).
 */
wvl_status wvl_drive_open(wvl_drive *drive, const wvl_way *way, const wvl_image *image, wvl_row_window *rows);
/* Closes the backend, flights included. */
void wvl_drive_close(wvl_drive *drive);
/* After wvl_drive_open, which borrows the image too. Fails where rows are needed again and cannot be had. */
wvl_status wvl_drive_start(wvl_drive *drive);
/* Hands over the next wave, or strip: coefs[0, count), of which samples and bounds are there unless the backend reaches
 * BLOCKS and the plan does not keep coefficients. WVL_END after the last; WVL_ERROR_INPUT: samples outside their
 * depth. Unless pictures are in flight, the last wave leaves nothing but its coefficients: the backend is to be closed
 * before the next picture, or round, is opened. */
wvl_status wvl_drive_next(wvl_drive *drive, uint32_t *count);
/* Submits what wvl_drive_next has left to be submitted while the wave that it handed over is being coded: staging takes
 * time. From the same thread; the next wvl_drive_next tells how it went, or does it. */
void wvl_drive_submit_ahead(wvl_drive *drive);
/* The backend's answer to an order for the wave that was handed over last: wvl_backend_vtable.code. */
wvl_status wvl_drive_code(wvl_drive *drive, const wvl_block_order *order, wvl_block_batch *batch);
/* Its coefficients, after the backend could not code its blocks for the reason `why`: coefs[] is complete then.
 * Where they are gone the CPU transforms the wave again. Fails with `why` where the plan asks for BLOCKS of a device.
 */
wvl_status wvl_drive_lower(wvl_drive *drive, wvl_status why);
/* The host takes pictures from here on, unless they need a device. */
void wvl_drive_give_up(wvl_drive *drive);
/* Gives the oldest wave back, which wvl_drive_next has handed over. */
void wvl_drive_pass(wvl_drive *drive);
/* Gives all waves back. */
void wvl_drive_stop(wvl_drive *drive);
/* "cpu", "cuda:0", "cuda:0,1" where two devices shared the waves, "cuda:0 blocks" where it has coded the blocks of all
 * its waves, and " cpu" behind that where some waves came from there. */
void wvl_drive_name(const wvl_drive *drive, char *text, size_t bytes);

/* Samples of the strip that was handed over last, without its margins. */
uint64_t wvl_drive_count_own(const wvl_drive *drive);
/* Says whether the job that was handed over last ends its row of tiles. */
int wvl_drive_ends_row(const wvl_drive *drive);
/* Host bytes of a drive that is open for the cut on `devices` devices: workspaces, tile plans, views. */
uint64_t wvl_drive_host_bytes(const wvl_job_cut *cut, const wvl_backend_vtable *table, uint32_t devices);
/* Flights of pictures with `jobs` jobs. */
uint32_t wvl_drive_jobs(const wvl_backend_vtable *table, const wvl_job_cut *cut, uint32_t jobs);
