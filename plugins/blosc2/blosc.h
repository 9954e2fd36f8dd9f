/* SPDX-License-Identifier: BSD-2-Clause */
/* What this plugin uses of the interface of c-blosc2 3 (plugins/blosc2/tests/layout.c compares it with the header of a
   host), so that it is built without the host. */
#ifndef WVL_BLOSC2_BLOSC_H
#define WVL_BLOSC2_BLOSC_H

#include <stddef.h>
#include <stdint.h>

enum { BLOSC_FILTERS = 6, BLOSC_LAYERS = 16 };
enum { BLOSC_FAILURE = -1, BLOSC_DATA = -3, BLOSC_CODEC_PARAM = -8 };

typedef struct blosc_layer {
    char *name;
    uint8_t *content;
    int32_t content_len;
} blosc_layer;

/* The beginning of blosc2_schunk. */
typedef struct blosc_schunk {
    uint8_t version, compcode, compcode_meta, clevel, splitmode;
    int32_t typesize, blocksize, chunksize;
    uint8_t flags2, use_dict, filters[BLOSC_FILTERS], filters_meta[BLOSC_FILTERS];
    int64_t nchunks, current_nchunk, nbytes, cbytes;
    uint8_t **data;
    size_t data_len;
    void *storage, *frame, *cctx, *dctx;
    blosc_layer *metalayers[BLOSC_LAYERS];
    uint16_t nmetalayers;
} blosc_schunk;

/* The beginning of blosc2_cparams. */
typedef struct blosc_settings {
    uint8_t compcode, compcode_meta, clevel;
    int use_dict;
    int32_t typesize;
    int16_t nthreads;
    int32_t blocksize, splitmode;
    void *schunk;
} blosc_settings;

/* The names of the functions of a codec that is loaded by its file name. */
typedef struct blosc_codec {
    const char *encoder, *decoder;
} blosc_codec;

#endif
