/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane-drive: what rows of the conformance matrix ask of the library that no command line can say. */
#ifndef WVL_DRIVE_H
#define WVL_DRIVE_H

#include "tools/imageio/imageio.h"
#include "wavelane.h"

enum { WVL_DRIVE_DONE = 0, WVL_DRIVE_WRONG = 1, WVL_DRIVE_USAGE = 2, WVL_DRIVE_REFUSED = 7 };

/* A picture as the library takes it. */
typedef struct wvl_drive_picture {
    wvl_io_picture io;
    wvl_component_format *components;
    wvl_plane *planes;
    wvl_image_format format;
    wvl_image image;
} wvl_drive_picture;

typedef struct wvl_drive_stream {
    void *data;
    size_t bytes;
    wvl_status status;
    char error[512];
} wvl_drive_stream;

int wvl_drive_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *wvl_drive_need_memory(size_t bytes);
int wvl_drive_open_picture(const char *path, wvl_drive_picture *p);
void wvl_drive_close_picture(wvl_drive_picture *p);
/* Sets key=value words; NULL ends them. */
wvl_status wvl_drive_create_plan(wvl_context *context, const wvl_image_format *format, const char *const *settings, int count, wvl_plan **plan, char *error, size_t bytes);
/* Encodes into memory. The caller frees data with wvl_memory_release. */
wvl_drive_stream wvl_drive_encode(wvl_context *context, const wvl_drive_picture *p, const char *const *settings, int count, wvl_cancel *cancel);
int wvl_drive_same(const wvl_drive_stream *a, const wvl_drive_stream *b);

int wvl_drive_run_encode(int argc, char **argv);
int wvl_drive_run_cancel(const wvl_drive_picture *p);
int wvl_drive_run_pair(const wvl_drive_picture *p);
int wvl_drive_run_loop(const wvl_drive_picture *p, unsigned rounds);
int wvl_drive_run_strides(const wvl_drive_picture *p);
int wvl_drive_run_outside(const wvl_drive_picture *p);
int wvl_drive_run_locale(const wvl_drive_picture *p, const char *name);
int wvl_drive_run_huge(uint64_t bytes, int with_patch);

#endif
