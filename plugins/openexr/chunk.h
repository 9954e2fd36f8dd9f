/* SPDX-License-Identifier: BSD-2-Clause */
/* One chunk of HTJ2K: the map of its channels, then a codestream. */
#ifndef WVL_EXR_CHUNK_H
#define WVL_EXR_CHUNK_H

#include <stdlib.h>
#include <string.h>

#include "wavelane_exr.h"

#define WVL_EXR_MOST_CHANNELS 16384u /* Csiz, ISO/IEC 15444-1 A.5.1 */

/* A plan of all chunks of one size. Component i of the codestream is channel channel_of[i] of the file. */
typedef struct wvl_exr_chunk {
    wvl_plan *plan;
    uint16_t *channel_of; /* owned */
    uint32_t channel_count;
    uint32_t width, height; /* points */
} wvl_exr_chunk;

static inline unsigned wvl_exr_sample_bytes(const wvl_exr_channel *channel)
{
    return channel->type == WVL_EXR_HALF ? 2 : 4;
}

static inline uint32_t wvl_exr_step(int32_t sampling) { return sampling > 1 ? (uint32_t)sampling : 1; }

/* Samples in [0, points) at every step. */
static inline uint32_t wvl_exr_count_samples(uint32_t points, uint32_t step)
{
    return points / step + (points % step != 0);
}

/* wvl_status; error gets a text. *chunk is released by the caller, also after a failure. */
wvl_status wvl_exr_plan_chunk(wvl_context *context, const char *device, const wvl_exr_channel *channels,
                              uint32_t channel_count, uint32_t width, uint32_t height, wvl_exr_chunk *chunk,
                              char *error, size_t error_bytes);
void wvl_exr_release_chunk(wvl_exr_chunk *chunk);
/* Same names, types and samplings, whatever the pixels. */
int wvl_exr_are_alike(const wvl_exr_channel *a, const wvl_exr_channel *b, uint32_t count);

/* Bytes before the codestream. */
static inline size_t wvl_exr_map_bytes(const wvl_exr_chunk *chunk) { return 8 + 2 * (size_t)chunk->channel_count; }
void wvl_exr_put_map(const wvl_exr_chunk *chunk, uint8_t *to);
/* Planes of components, from pixels of channels whose first rows are given. */
void wvl_exr_point_planes(const wvl_exr_chunk *chunk, const wvl_exr_channel *channels, const void *const *rows,
                          wvl_plane *planes);

#endif
