/* SPDX-License-Identifier: BSD-2-Clause */
/* What parent and child of the guarded decoder share. */
#ifndef WVL_TOOLS_OPENJPEG_INTERNAL_H
#define WVL_TOOLS_OPENJPEG_INTERNAL_H

#include "guarded.h"

#define WVL_OPJ_SERVICE "openjpeg"

enum { WVL_OPJ_HEARD_ERROR = 1, WVL_OPJ_HEARD_WARNING, WVL_OPJ_HEARD_HEADER };

typedef struct wvl_opj_parameters {
    uint32_t layers, discard, keep_indices;
} wvl_opj_parameters;

/* At the beginning of the output, before the components. */
typedef struct wvl_opj_head {
    uint32_t x0, y0, x1, y1, component_count;
} wvl_opj_head;

/* What a decoder says, for the caller of the request. */
typedef struct wvl_opj_listener {
    const wvl_opj_request *request;
    void (*on_header)(void *user);
} wvl_opj_listener;

/* ask.c; user: a wvl_opj_listener. */
void wvl_opj_hear(int kind, const char *text, void *user);

/* samples.c. Samples in 1, 2 or 4 bytes. */
void wvl_opj_narrow(const OPJ_INT32 *from, unsigned sample_bytes, uint64_t count, void *out);
uint64_t wvl_opj_component_bytes(const wvl_opj_component *c);
/* Components of a decoded image, their samples one after the other from offset `at`. */
void wvl_opj_describe(const opj_image_t *image, uint64_t at, wvl_opj_component *components);

#endif
