/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A window over the rows of a row source: what of the picture is in memory at a time. Rows enter below and leave above.
 * The front reads them as an ordinary image, whose planes point at where row 0 of a component would lie.
 */
#pragma once

#include "way/way.h"

/* The rows of one buffer of the source. Rows are counted in the coordinates of its components (B.2). */
typedef struct wvl_row_pane {
    uint8_t *data; /* row `top` */
    uint64_t pitch_bytes, row_bytes;
    uint32_t dy;
    uint32_t first, end;  /* of the components */
    uint32_t top, bottom; /* what is held: [top, bottom) */
    uint32_t room;        /* rows */
} wvl_row_pane;

typedef struct wvl_row_window {
    const wvl_plan *plan;
    int on_device;       /* the way is JOBS; the drive sets it back where the device is of no use */
    uint64_t strip_rows; /* of the way: most rows of a strip */
    wvl_row_source source;
    wvl_image image; /* of the rows that are held */
    wvl_plane *planes;
    wvl_row_component *components;
    wvl_row_pane *panes;
    wvl_row_buffer *wanted;
    uint32_t pane_count;
    int keeps_all;   /* no row leaves: they may be needed again, and the source cannot give them again */
    int is_released; /* the source's release was called */
    int is_used;     /* rows were read since the source began */
    uint64_t at;     /* row of the reference grid: those above it were asked for */
    uint64_t reads;  /* how often the source began */
    char error[512]; /* why the source failed, or "" */
    uint8_t *memory;
    uint64_t memory_bytes;
} wvl_row_window;

/* Says what is wrong with a source for this plan, or NULL. */
const char *wvl_rows_refuse(const wvl_plan *plan, const wvl_row_source *source);
/* Bytes of a window for a source that is not refused. rows: of the reference grid, that must fit. */
uint64_t wvl_rows_window_bytes(const wvl_plan *plan, const wvl_row_source *source, uint64_t rows);
/* source: copied. After an error close is due all the same; the source is released by it. */
wvl_status wvl_rows_open(wvl_row_window *window, const wvl_plan *plan, const wvl_row_source *source,
                         const wvl_way *way);
void wvl_rows_close(wvl_row_window *window);
/* Before each round: the first rows come next. Fails where the source cannot go back. */
wvl_status wvl_rows_begin(wvl_row_window *window);
/* Rows of the reference grid from `keep` to `end` are held then; those above `keep` may be gone. Neither ever falls
 * within a round. */
wvl_status wvl_rows_bring(wvl_row_window *window, const wvl_look *look, uint64_t keep, uint64_t end);
