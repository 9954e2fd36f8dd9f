/* SPDX-License-Identifier: BSD-2-Clause */
/* What encodes the pictures of one plan, one at a time, and keeps its backend between them (session.c). */
#pragma once

#include "device/stations.h"
#include "rows/window.h"

typedef struct wvl_session wvl_session;

/* What one picture brings along. Pixels are given back and the sink is closed whatever happens. */
typedef struct wvl_session_picture {
    const wvl_image *image;
    wvl_row_window *rows; /* where the rows of the image come from; NULL: all of them are there */
    const wvl_way *way;   /* of the rows; NULL: the session chooses it */
    wvl_spill *spill;     /* of its coded data; NULL: all of it stays in memory */
    wvl_sink *sink;
    const wvl_control *control; /* may be NULL */
    wvl_result **result;        /* may be NULL */
    uint64_t number;            /* of wvl_session_number: earlier ones get the workers' help first */
    wvl_finished
        *finished; /* not NULL: a picture that a device has finished is left there, and the sink gets nothing */
    char *error;   /* may be NULL */
    size_t error_bytes;
} wvl_session_picture;

/* The number of the context's next picture, from 1. */
uint64_t wvl_session_number(wvl_context *context);
/* track: of traces, must outlive the session. many: several sessions work on pictures in flight, and the backend stays
 * open between them; turn: number of this one, which prefers the device whose turn it is. stations: devices that finish
 * pictures, for all of these sessions; NULL: none does, or without `many` the session opens one for each picture. */
wvl_session *wvl_session_create(const wvl_plan *plan, const char *track, int many, uint32_t turn,
                                wvl_stations *stations);
void wvl_session_release(wvl_session *session);
/* Takes the memory of the backend now; without this the first picture does. */
wvl_status wvl_session_prepare(wvl_session *session, const wvl_image *image);
/* Why prepare failed, or "". Valid until the next call. */
const char *wvl_session_reason(const wvl_session *session);
wvl_status wvl_session_encode(wvl_session *session, const wvl_session_picture *picture);
