/* SPDX-License-Identifier: BSD-2-Clause */
/* What the suites with the software device share: a context that notes its log and its memory, and encodes in one call.
 * Pictures and bytes stay until the process ends, which a test has to itself. Plans go with the context that they were
 * made in. */
#pragma once

#include "cuda/host/driver/runtime_table.h"
#include "soft.h"
#include "tests/decode/picture.h"
#include "tests/fault/ledger.h"

#define WAVES " packed-headers=ppt" /* packets are made on the CPU: the device has jobs of waves */

extern soft_control *soft;
extern wvl_context *context;
extern ledger books;
extern char log_text[4096]; /* all lines, one behind the other */

/* An encoded picture, or why there is none. */
typedef struct bytes {
    void *data;
    size_t count;
    wvl_status status;
    double psnr; /* of the last layer, as the result says */
    void *user;  /* of a picture in flight */
    char backend[32], error[512];
} bytes;

/* Fixtures. At the end nothing may be left of the device or the host's memory. */
void open_context(void);
void close_context(void);
/* A context with `threads` threads takes the place of the usual one, which is returned. leave_context() puts that one
 * back; nothing of the device may be left then. */
wvl_context *enter_context(uint32_t threads);
void leave_context(wvl_context *usual);
/* Releases it, with its plans. */
void close_only_context(void);

/* That many devices, none of which has failed or is to fail. */
void reset_driver(int devices);
/* No device is lost, and the call number n of the driver from now on ends with the status; n 0: none does. */
void fail_call(uint32_t n, int status);

picture_input open_input(const picture *p, int wide);
picture_input draw_input(picture_kind kind, uint32_t width, uint32_t height, uint32_t count, unsigned depth,
                         uint32_t seed);
/* settings: words KEY=VALUE. NULL: limits that this picture cannot keep. */
wvl_plan *make_plan(const wvl_image_format *format, const char *settings, const char *device);
/* A plan need not wait for its context. */
void drop_plan(wvl_plan *plan);
wvl_plan_memory measure(const wvl_plan *plan);

bytes encode_plan(const wvl_plan *plan, const wvl_image *image);
bytes encode_rows(const wvl_plan *plan, const wvl_row_source *rows, const wvl_rows_options *options,
                  wvl_cancel *cancel);
bytes encode(const picture_input *input, const char *settings, const char *device);
/* The next picture of an encoder, which must come. */
bytes receive(wvl_encoder *encoder);
wvl_encoder *open_encoder(const wvl_plan *plan, uint32_t frames);

/* Says whether both are there and the same. */
int have_same_bytes(const bytes *a, const bytes *b);
/* backend: that b must come from. */
void expect_same(const char *what, const bytes *a, bytes b, const char *backend);

/* `count` pictures through an encoder, as many ahead as it takes. Picture n is images[n % kinds]; it comes with the
 * bytes of wanted[n % kinds] (NULL: with any) from a backend whose name holds `from`. */
typedef struct flight {
    const wvl_image *images[12];
    const bytes *wanted;
    uint32_t kinds, count;
    const char *from;
} flight;
void fly(wvl_encoder *encoder, const flight *f);

/* An event of a stream without work. */
wvl_cuda_event open_event(void);
void close_event(wvl_cuda_event event);
