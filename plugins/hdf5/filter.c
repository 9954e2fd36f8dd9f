/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HDF5 filter 32033, HTJ2K: each chunk is a codestream without boxes. Values of the filter, as registered in 2026-08:
 * 0: version; 1: type; 2: width; 3: height; 4: components. They are written where a data set is created.
 */
#include <H5PLextern.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "plugins/chunks/chunk.h"

#define FILTER 32033
#define VERSION 1u

enum { AT_VERSION, AT_TYPE, AT_WIDTH, AT_HEIGHT, AT_COMPONENTS, VALUES };

/* Of the type; the low bits are the bytes of a sample. */
#define TYPE_SIGNED 0x80u
#define TYPE_BIG_ENDIAN 0x100u
#define TYPE_BYTES 0x7Fu

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NATIVE_ORDER TYPE_BIG_ENDIAN
#else
#define NATIVE_ORDER 0u
#endif

/* ---- A data set is created ------------------------------------------------------------------- */

/* NULL, or why data of this type are no chunks. */
static const char *describe_type(const host *h, hid_t type, unsigned *value)
{
    size_t bytes = h->H5Tget_size(type);
    if (h->H5Tget_class(type) != H5T_INTEGER || (bytes != 1 && bytes != 2)) {
        return "HTJ2K stores integers of 8 and 16 bits: convert the data, or choose another filter";
    }
    *value = (unsigned)bytes;
    *value |= h->H5Tget_sign(type) == H5T_SGN_2 ? TYPE_SIGNED : 0;
    *value |= bytes == 2 && h->H5Tget_order(type) == H5T_ORDER_BE ? TYPE_BIG_ENDIAN : 0;
    return NULL;
}

static const char *describe_space(const host *h, hid_t space, unsigned *values)
{
    hsize_t given[H5S_MAX_RANK];
    uint64_t all[H5S_MAX_RANK];
    chunk_shape shape;
    int rank = h->H5Sget_simple_extent_dims(space, given, NULL);
    for (int i = 0; i < rank; i++) {
        all[i] = given[i];
    }
    const char *wrong = chunk_set_dimensions(&shape, all, rank);
    if (!wrong) {
        values[AT_WIDTH] = shape.width;
        values[AT_HEIGHT] = shape.height;
        values[AT_COMPONENTS] = shape.components;
    }
    return wrong;
}

static herr_t set_local(hid_t properties, hid_t type, hid_t space)
{
    host h;
    unsigned flags = 0, values[VALUES] = {VERSION};
    size_t none = 0;
    if (!host_find(&h, __builtin_return_address(0))) {
        return -1;
    }
    if (h.H5Pget_filter_by_id2(properties, FILTER, &flags, &none, NULL, 0, NULL, NULL) < 0) {
        return -1; /* HDF5 has said why */
    }
    const char *wrong = describe_type(&h, type, &values[AT_TYPE]);
    wrong = wrong ? wrong : describe_space(&h, space, values);
    if (wrong) {
        host_complain(&h, __func__, __LINE__, wrong);
        return -1;
    }
    return h.H5Pmodify_filter(properties, FILTER, flags, VALUES, values) < 0 ? -1 : 1;
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

static void swap_bytes(const uint8_t *from, size_t bytes, uint8_t *to)
{
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        uint8_t first = from[i];
        to[i] = from[i + 1];
        to[i + 1] = first;
    }
}

static int is_swapped(unsigned type) { return (type & TYPE_BYTES) == 2 && (type & TYPE_BIG_ENDIAN) != NATIVE_ORDER; }

static chunk_shape shape_of(const unsigned *values)
{
    return (chunk_shape){values[AT_WIDTH], values[AT_HEIGHT], values[AT_COMPONENTS], values[AT_TYPE] & TYPE_BYTES,
                         (values[AT_TYPE] & TYPE_SIGNED) != 0};
}

/* Bytes of *out, which is the caller's; 0: the reason says why. */
static size_t write_chunk(const unsigned *values, size_t count, const void *samples, size_t bytes, void **out,
                          char *reason)
{
    chunk_shape shape = {0};
    if (count >= VALUES) {
        shape = shape_of(values);
    }
    if (chunk_bytes(&shape) != bytes || !bytes) {
        snprintf(reason, CHUNK_REASON_BYTES, "the values of the filter do not fit the chunk of %zu bytes", bytes);
        return 0;
    }
    uint8_t *swapped = NULL;
    if (is_swapped(values[AT_TYPE])) {
        swapped = malloc(bytes);
        if (!swapped) {
            snprintf(reason, CHUNK_REASON_BYTES, "not enough memory");
            return 0;
        }
        swap_bytes(samples, bytes, swapped);
    }
    size_t written = 0;
    (void)chunk_encode(&shape, NULL, swapped ? swapped : samples, out, 0, &written, reason);
    free(swapped);
    return written;
}

/* Readers need the first two values at most; what others say must agree with the codestream. */
static size_t read_chunk(const unsigned *values, size_t count, const void *codestream, size_t bytes, void **out,
                         char *reason)
{
    unsigned type = count > AT_TYPE ? values[AT_TYPE] : 0;
    chunk_request request = {.codestream = codestream, .bytes = bytes, .sample_bytes = type & TYPE_BYTES};
    chunk_shape shape;
    if (type && request.sample_bytes != 1 && request.sample_bytes != 2) {
        snprintf(reason, CHUNK_REASON_BYTES, "the filter has a type of data (0x%x) that is not known", type);
        return 0;
    }
    if (count >= VALUES) {
        shape = shape_of(values);
        shape.sample_bytes = 1;
        request.expected_samples = chunk_bytes(&shape);
        if (!request.expected_samples) {
            snprintf(reason, CHUNK_REASON_BYTES, "the filter has sizes of a chunk that cannot be");
            return 0;
        }
    }
    if (chunk_decode(&request, &shape, out, reason) != CHUNK_OK) {
        return 0;
    }
    size_t written = (size_t)chunk_bytes(&shape);
    if (shape.sample_bytes == 2 && is_swapped((type & ~TYPE_BYTES) | 2)) {
        swap_bytes(*out, written, *out);
    }
    return written;
}

static size_t filter(unsigned flags, size_t count, const unsigned *values, size_t bytes, size_t *buffer_bytes,
                     void **buffer)
{
    char reason[CHUNK_REASON_BYTES] = "";
    void *out = NULL;
    size_t written = 0;
    if (count && values[AT_VERSION] > VERSION) {
        snprintf(reason, sizeof reason, "the data have version %u of the filter: a newer plugin is needed",
                 values[AT_VERSION]);
    } else if (flags & H5Z_FLAG_REVERSE) {
        written = read_chunk(values, count, *buffer, bytes, &out, reason);
    } else {
        written = write_chunk(values, count, *buffer, bytes, &out, reason);
    }
    if (!written) {
        host h;
        if (host_find(&h, __builtin_return_address(0))) {
            host_complain(&h, __func__, __LINE__, reason);
        }
        return 0; /* the host's buffer is as it was */
    }
    free(*buffer);
    *buffer = out;
    *buffer_bytes = written;
    return written;
}

/* ---- The interface --------------------------------------------------------------------------- */

H5PL_type_t H5PLget_plugin_type(void) { return H5PL_TYPE_FILTER; }

const void *H5PLget_plugin_info(void)
{
    static const H5Z_class2_t info = {H5Z_CLASS_T_VERS, FILTER, 1, 1, "HTJ2K (Wavelane)", NULL, set_local, filter};
    return &info;
}
