/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures that a device finishes: it makes all bytes, headers and boxes included, and the host reads them where the
 * device wrote them. One object serves all places of an encoder. Pictures that the device cannot finish are encoded in
 * waves (drive.h).
 */
#pragma once

#include "backend/backend.h"
#include "report/result.h"

typedef struct wvl_pictures {
    const wvl_plan *plan;
    const wvl_backend_vtable *table;
    wvl_device *device;
    wvl_backend *backend; /* NULL: not open */
    wvl_assembly assembly;
    uint32_t ordinal;
    uint32_t workspaces; /* pictures at a time */
    _Atomic int is_down; /* the device failed in a way that lasts, or could not finish a picture: waves are better */
} wvl_pictures;

/* A picture that was finished. The lists are of the host's allocator. */
typedef struct wvl_picture_facts {
    wvl_finished finished;
    uint32_t *part_bytes;     /* [parts] */
    uint64_t *packet_bytes;   /* [components][resolutions] */
    wvl_layer_result *layers; /* [1] */
} wvl_picture_facts;

/* Opens the device and takes memory for `workspaces` pictures, or for as many as there is memory for, but at least one.
 * range: of all tiles (wvl_assembly_whole), or of some: what is finished is then a codestream that has no others.
 * WVL_ERROR_UNSUPPORTED: pictures of this plan are not finished there. reason: why, in words. */
wvl_status wvl_pictures_open(wvl_pictures *pictures, const wvl_plan *plan, wvl_tile_range range, uint32_t ordinal,
                             uint32_t workspaces, char *reason, size_t reason_bytes);
/* The device gets its memory back. What is finished, and the tables of its tile-parts, stay until wvl_pictures_close().
 */
void wvl_pictures_close_backend(wvl_pictures *pictures);
void wvl_pictures_close(wvl_pictures *pictures);
/* Measures what one picture at a time takes, or a range of its tiles; all zero where no device finishes pictures of the
 * plan. */
wvl_status wvl_pictures_measure(const wvl_plan *plan, wvl_tile_range range, wvl_backend_memory *memory);
/* Says whether a picture with pixels there should be given to wvl_pictures_encode. plan: that which was opened, or one
 * of a frame (frame_plan.h); memory was taken for no more bytes than the former asks for. */
int wvl_pictures_take(const wvl_pictures *pictures, const wvl_plan *plan, const wvl_image *image);

/* From any number of threads, at most `workspaces` at a time. Waits for the device. WVL_ERROR_UNSUPPORTED: not this
 * picture; _MEMORY, _DEVICE: the device failed; _INPUT: a sample outside its depth. */
wvl_status wvl_pictures_encode(wvl_pictures *pictures, const wvl_plan *plan, const wvl_image *image,
                               const wvl_look *look, wvl_picture_facts *facts);
/* Gives back what wvl_pictures_encode has given: the lists, and the picture unless `keeps` says that it stays. */
void wvl_pictures_drop(const wvl_pictures *pictures, wvl_picture_facts *facts, int keeps);
/* Moves the lists into a result; NULL: no memory. seconds[WVL_STAGES]. */
wvl_result *wvl_pictures_create_result(const wvl_pictures *pictures, const wvl_plan *plan, wvl_picture_facts *facts,
                                       const double *seconds);
