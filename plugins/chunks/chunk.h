/* SPDX-License-Identifier: BSD-2-Clause */
/* One chunk of an array as one codestream, and back. Any thread may call; calls share no lock while they work. */
#ifndef WVL_CHUNKS_CHUNK_H
#define WVL_CHUNKS_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#define CHUNK_REASON_BYTES 256

/* Samples row by row, in native byte order; the components of a pixel lie side by side. */
typedef struct chunk_shape {
    uint32_t width, height, components;
    uint32_t sample_bytes; /* 1 or 2 */
    int is_signed;
} chunk_shape;

/* The picture in dimensions of an array, the last one varying fastest. Dimensions of 1 do not count; the others are
   height and width, or height, width and three components. One alone is the width, unless it does not come last. NULL,
   or why they are none. */
const char *chunk_set_dimensions(chunk_shape *shape, const uint64_t *all, int rank);

/* 0: one of the members is no size. */
uint64_t chunk_bytes(const chunk_shape *shape);

typedef enum chunk_status {
    CHUNK_OK,
    CHUNK_FAILED,   /* the reason says why */
    CHUNK_TOO_LARGE /* the codestream exceeds the capacity */
} chunk_status;

/* Without loss, with HT blocks; options follow these settings (wvl_params_parse). The number of threads does not
   change the bytes. out NULL: memory from malloc() that the caller frees, of any size. */
chunk_status chunk_encode(const chunk_shape *shape, const char *options, const void *samples, void **out,
                          size_t capacity, size_t *bytes, char reason[CHUNK_REASON_BYTES]);

/* What is known of a chunk before it is decoded. */
typedef struct chunk_request {
    const uint8_t *codestream;
    size_t bytes;
    uint32_t sample_bytes;     /* 1 or 2; 0: the fewest that hold the codestream's depth */
    uint64_t expected_samples; /* 0: not known; the same for bytes */
    uint64_t expected_bytes;
} chunk_request;

/* Decodes in a child process (tools/guard). *samples: from malloc(), the caller frees it. */
chunk_status chunk_decode(const chunk_request *request, chunk_shape *shape, void **samples,
                          char reason[CHUNK_REASON_BYTES]);

#endif
