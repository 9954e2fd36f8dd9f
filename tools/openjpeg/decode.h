/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenJPEG as a decoder of bytes in memory. */
#pragma once

#include <openjpeg.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wvl_opj_request {
    const uint8_t *data; /* a codestream, or a JP2 file */
    size_t bytes;
    unsigned layers;                                      /* decodes this many quality layers; 0: all */
    const uint32_t *area;                                 /* x0, y0, x1, y1 on the reference grid; NULL: all */
    unsigned discard;                                     /* leaves out this many of the highest resolutions */
    int keep_indices;                                     /* JP2: neither palette nor channel definitions are applied */
    int (*inspect)(const opj_image_t *image, void *user); /* NULL, or gets the header; 0 ends the decoding */
    opj_msg_callback complain;                            /* gets errors */
    opj_msg_callback warn;                                /* gets warnings; NULL: they are dropped */
    void *user;                                           /* of both */
} wvl_opj_request;

/* NULL: OpenJPEG refused, or had no memory. Release the image with opj_image_destroy(). */
opj_image_t *wvl_opj_decode(const wvl_opj_request *request);
