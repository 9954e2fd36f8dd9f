/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of a picture: who makes its bytes, and how it is cut for that. wvl_choose_way() is the one place that
 * decides: encodes, measured memory, explanations and docs/reach.md all ask it.
 *
 * It reads the plan, where the pixels are, and which devices there are; it opens nothing. What fails on one way is
 * marked in wvl_way_source.failed, and the next question gets the way that remains.
 */
#pragma once

#include "backend/devices.h"
#include "wavelane_rows.h"

typedef enum wvl_way_kind {
    WVL_WAY_HOST = 0, /* the CPU makes everything, tiles in waves or rows in strips */
    WVL_WAY_JOBS,     /* a device transforms waves or strips, and codes their blocks if it can; the CPU does the rest */
    WVL_WAY_PICTURE,  /* a device makes all bytes */
    WVL_WAY_SHARES,   /* several devices make all bytes, each those of a range of tiles */
    WVL_WAY_COUNT
} wvl_way_kind;

/* What is to be encoded. All zero: one picture, whose pixels may be anywhere. */
typedef struct wvl_way_source {
    const wvl_image *image;         /* NULL: anywhere */
    const wvl_row_source *rows;     /* NULL: all rows are there */
    int many;                       /* pictures are in flight */
    uint32_t failed;                /* a bit for each wvl_way_kind that was tried in vain */
    const wvl_device_list *devices; /* NULL: those that are there, looked up if the answer depends on them */
} wvl_way_source;

typedef struct wvl_way {
    wvl_way_kind kind;
    wvl_reach reach;  /* how far devices go on this way; of HOST: how far they would, if they were wanted and there */
    const char *why;  /* why devices go no farther, or why rows do not go to one; NULL: they make all bytes */
    int needs_device; /* the host cannot read the pixels, or the plan forbids it: there is no other way */
    /* Rows: */
    int in_strips;        /* on the host; else it takes tiles in waves */
    int gathers;          /* coefficients of all strips are coded together on the host */
    uint64_t strip_rows;  /* of the reference grid, of the strips of a device; 0: its jobs are waves */
    uint64_t window_rows; /* that must be held at a time, by the host too if the device fails */
} wvl_way;

wvl_way wvl_choose_way(const wvl_plan *plan, const wvl_way_source *source);
/* "host", "jobs", "picture", "shares". */
const char *wvl_way_name(wvl_way_kind kind);

/* How far devices of the table go with pictures of the plan, with pixels where the image has them (NULL: anywhere).
 * table NULL: this build has no device code. *why: why no farther; NULL with PACKETS. Pure. */
wvl_reach wvl_way_reach(const wvl_backend_vtable *table, const wvl_plan *plan, const wvl_image *image,
                        const char **why);
/* Into how many ranges of tiles a picture is divided for these devices; 1: it is not. */
uint32_t wvl_way_shares(const wvl_plan *plan, const wvl_image *image, const wvl_device_list *devices);
/* Most bytes of a device that jobs or a picture may take; 0: no limit is known. */
uint64_t wvl_way_device_bytes(const wvl_plan *plan, const wvl_backend_vtable *table, uint32_t ordinal);

/* ---- Strips of the host: rows of a row source whose tiles are too large to be held ---- */

/* Rows beyond a multiple of the blocks' rows, so that the transform ends with whole blocks at the first level. */
#define WVL_STRIP_ROWS_BEYOND 3u

/* Says whether the host takes rows of this plan in strips. */
int wvl_strips_are_used(const wvl_plan *plan);
/* Says whether blocks are coded when the coefficients of all strips are there (waves/gather.h). */
int wvl_strips_gather(const wvl_plan *plan, int can_rewind);
/* Rows of the reference grid that come at a time. */
uint64_t wvl_strip_rows(const wvl_plan *plan);
