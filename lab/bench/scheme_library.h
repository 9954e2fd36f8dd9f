/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated C functions, compiled when they are asked for: the generator's text goes through the C compiler into a
 * shared library, which is kept in a cache folder under a name that holds a hash of text, compiler and options. */
#pragma once

#include "lab/dwtgen/lab.h"

enum { WVL_SCHEME_ERROR_BYTES = 4096 };

typedef struct wvl_scheme_request {
    const char *generator; /* folder lab/dwtgen */
    const char *wavelets;  /* as its option --wavelet */
    const char *schemes;   /* as its option --scheme */
    const char *direction; /* forward, inverse or both */
    const char *compiler;  /* a C compiler that knows the options of gcc */
    const char *cache;     /* folder; NULL: wavelane in XDG_CACHE_HOME, or in .cache of HOME. Made if it is not there */
} wvl_scheme_request;

typedef struct wvl_scheme_library {
    void *handle;
    const lab_scheme *schemes;
    unsigned count;
    size_t (*scratch_bytes)(const lab_scheme *s, ptrdiff_t tile_width, ptrdiff_t tile_height);
    void (*run)(const lab_scheme *s, const lab_picture *p, ptrdiff_t x0, ptrdiff_t y0, ptrdiff_t width,
                ptrdiff_t height, void *scratch);
} wvl_scheme_library;

/* -1: error says why. What programs write to standard error goes there. */
int wvl_scheme_library_open(const wvl_scheme_request *request, wvl_scheme_library *library, char *error);
void wvl_scheme_library_close(wvl_scheme_library *library);
