/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codecs 39 (J2K) and 40 (HTJ2K) of Blosc2: each block of an array is a codestream without boxes. c-blosc2 loads
 * libblosc2_htj2k.so or libblosc2_j2k.so when it meets the number, and calls from its threads.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blosc.h"
#include "plugins/chunks/chunk.h"

#define EXPORTED __attribute__((visibility("default")))
#define MOST_RANK 15 /* of b2nd arrays: one byte of MessagePack has the number of dimensions */

/* As c-blosc2: reasons are for those who ask. */
static int fail(int status, const char *reason)
{
    if (getenv("BLOSC_TRACE")) {
        fprintf(stderr, "[error] - " CODEC_NAME " of Wavelane: %s\n", reason);
    }
    return status;
}

/* The structures are those of c-blosc2 3. Where it is linked into the host (python-blosc2) nobody says the version:
   then settings and array must agree, as they do in this layout. */
static int is_known_host(const void *call, const blosc_settings *settings)
{
    Dl_info caller;
    const char *(*version)(void);
    const blosc_schunk *schunk = settings->schunk;
    void *library = dladdr(call, &caller) ? dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *address = library ? dlsym(library, "blosc2_get_version_string") : NULL;
    memcpy(&version, &address, sizeof version);
    int is_known = !address || !strncmp(version(), "3.", 2);
    if (library) {
        (void)dlclose(library); /* it stays: it is calling */
    }
    return is_known && schunk && schunk->compcode == CODEC_NUMBER && settings->compcode == CODEC_NUMBER &&
           schunk->typesize == settings->typesize && schunk->nmetalayers <= BLOSC_LAYERS;
}

/* ---- Blocks of b2nd arrays ------------------------------------------------------------------- */

static const blosc_layer *find_layer(const blosc_schunk *schunk, const char *name)
{
    for (int i = 0; i < schunk->nmetalayers; i++) {
        if (!strcmp(schunk->metalayers[i]->name, name)) {
            return schunk->metalayers[i];
        }
    }
    return NULL;
}

/* The layer is a list in MessagePack: version, rank, shape (64 bits each), shapes of chunks and of blocks (32 bits). A
   byte with the type comes before each number, and one before each list. */
static const char *read_shape(const blosc_schunk *schunk, chunk_shape *shape)
{
    const blosc_layer *layer = find_layer(schunk, "b2nd");
    uint64_t dimensions[MOST_RANK];
    int rank = layer && layer->content_len > 3 ? layer->content[2] : 0;
    if (rank < 1 || rank > MOST_RANK || layer->content_len < 6 + rank * 19) {
        return "the data are no array with dimensions (b2nd): convert them";
    }
    const uint8_t *at = layer->content + 6 + (ptrdiff_t)rank * 14;
    for (int i = 0; i < rank; i++, at += 5) {
        dimensions[i] = (uint64_t)at[1] << 24 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 8 | at[4];
    }
    return chunk_set_dimensions(shape, dimensions, rank);
}

static uint64_t read_number(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    while (bytes--) {
        value = value << 8 | *at++;
    }
    return value;
}

/* blosc2-j2k stores JP2 files: the codestream is in the box jp2c (I.5.4). A block without boxes stays as it is. */
static void skip_boxes(const uint8_t **block, size_t *bytes)
{
    const uint8_t *at = *block;
    size_t left = *bytes;
    if (left < 12 || memcmp(at + 4, "jP  ", 4) != 0) {
        return;
    }
    while (left >= 16) {
        uint64_t length = read_number(at, 4);
        size_t head = length == 1 ? 16 : 8;
        length = length == 1 ? read_number(at + 8, 8) : length;
        length = length ? length : left; /* to the end */
        if (length < head || length > left) {
            return;
        }
        if (!memcmp(at + 4, "jp2c", 4)) {
            *block = at + head;
            *bytes = (size_t)length - head;
            return;
        }
        at += length;
        left -= (size_t)length;
    }
}

/* ---- The interface --------------------------------------------------------------------------- */

EXPORTED int wavelane_blosc2_encode(const uint8_t *input, int32_t input_bytes, uint8_t *output, int32_t output_bytes,
                                    uint8_t meta, const blosc_settings *settings, const void *chunk);
EXPORTED int wavelane_blosc2_decode(const uint8_t *input, int32_t input_bytes, uint8_t *output, int32_t output_bytes,
                                    uint8_t meta, const void *settings, const void *chunk);

EXPORTED const blosc_codec info = {"wavelane_blosc2_encode", "wavelane_blosc2_decode"};

/* Bytes of the output; 0: the block does not get smaller, and Blosc2 stores it as it is. meta: ten times the ratio; 0:
   without loss. Samples with a sign are stored as their bits are, as other codecs of this number do. */
int wavelane_blosc2_encode(const uint8_t *input, int32_t input_bytes, uint8_t *output, int32_t output_bytes,
                           uint8_t meta, const blosc_settings *settings, const void *chunk)
{
    char reason[CHUNK_REASON_BYTES], options[96];
    chunk_shape shape = {0};
    void *out = output;
    size_t bytes;
    (void)chunk;
    if (!is_known_host(__builtin_return_address(0), settings)) {
        return fail(BLOSC_FAILURE, "the data are no array, or this is not c-blosc2 3: store an NDArray");
    }
    const char *wrong = read_shape(settings->schunk, &shape);
    shape.sample_bytes = (uint32_t)settings->typesize;
    if (wrong) {
        return fail(BLOSC_CODEC_PARAM, wrong);
    }
    if (settings->typesize != 1 && settings->typesize != 2) {
        return fail(BLOSC_CODEC_PARAM, "blocks have integers of 8 and 16 bits: convert the data");
    }
    if (input_bytes < 1 || chunk_bytes(&shape) != (uint64_t)input_bytes) {
        return fail(BLOSC_CODEC_PARAM, "a block is divided: choose SplitMode.NEVER_SPLIT");
    }
    snprintf(options, sizeof options, meta ? CODEC_OPTIONS ", reversible=no, rates=%u.%u" : CODEC_OPTIONS, meta / 10u,
             meta % 10u);
    switch (chunk_encode(&shape, options, input, &out, (size_t)output_bytes, &bytes, reason)) {
    case CHUNK_OK: return (int)bytes;
    case CHUNK_TOO_LARGE: return 0;
    default: return fail(BLOSC_FAILURE, reason);
    }
}

int wavelane_blosc2_decode(const uint8_t *input, int32_t input_bytes, uint8_t *output, int32_t output_bytes,
                           uint8_t meta, const void *settings, const void *chunk)
{
    char reason[CHUNK_REASON_BYTES];
    chunk_shape shape;
    void *samples;
    (void)meta, (void)settings, (void)chunk;
    if (input_bytes < 1 || output_bytes < 1) {
        return fail(BLOSC_DATA, "a block has no bytes");
    }
    chunk_request request = {
        .codestream = input, .bytes = (size_t)input_bytes, .expected_bytes = (uint64_t)output_bytes};
    skip_boxes(&request.codestream, &request.bytes);
    if (chunk_decode(&request, &shape, &samples, reason) != CHUNK_OK) {
        return fail(BLOSC_DATA, reason);
    }
    memcpy(output, samples, (size_t)output_bytes);
    free(samples);
    return output_bytes;
}
