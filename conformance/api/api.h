/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane-api-rows: what rows of the conformance matrix ask of the library that no command line can say. */
#pragma once

#include "tools/imageio/imageio.h"
#include "wavelane.h"

enum { WVL_API_DONE = 0, WVL_API_WRONG = 1, WVL_API_USAGE = 2, WVL_API_REFUSED = 7 };

/* A picture as the library takes it. */
typedef struct wvl_api_picture {
    wvl_io_picture io;
    wvl_component_format *components;
    wvl_plane *planes;
    wvl_image_format format;
    wvl_image image;
} wvl_api_picture;

typedef struct wvl_api_stream {
    void *data;
    size_t bytes;
    wvl_status status;
    char error[512];
} wvl_api_stream;

int wvl_api_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *wvl_api_need_memory(size_t bytes);
int wvl_api_open_picture(const char *path, wvl_api_picture *p);
void wvl_api_close_picture(wvl_api_picture *p);
/* Sets key=value words; NULL ends them. */
wvl_status wvl_api_create_plan(wvl_context *context, const wvl_image_format *format, const char *const *settings,
                               int count, wvl_plan **plan, char *error, size_t bytes);
/* Encodes into memory. The caller frees data with wvl_memory_release. */
wvl_api_stream wvl_api_encode(wvl_context *context, const wvl_api_picture *p, const char *const *settings, int count,
                              wvl_cancel *cancel);
int wvl_api_same(const wvl_api_stream *a, const wvl_api_stream *b);

int wvl_api_run_encode(int argc, char **argv);
int wvl_api_run_cancel(const wvl_api_picture *p);
int wvl_api_run_pair(const wvl_api_picture *p);
int wvl_api_run_loop(const wvl_api_picture *p, unsigned rounds);
int wvl_api_run_strides(const wvl_api_picture *p);
int wvl_api_run_outside(const wvl_api_picture *p);
int wvl_api_run_locale(const wvl_api_picture *p, const char *name);
int wvl_api_run_huge(uint64_t bytes, int with_patch);
