/* SPDX-License-Identifier: BSD-2-Clause */
/* What the suites with the software device share: a context that notes its log and its memory, and encodes in one call.
 */
#ifndef WVL_TESTS_DEVICE_SOFT_BENCH_H
#define WVL_TESTS_DEVICE_SOFT_BENCH_H

#include "cuda/host/driver/runtime_table.h"
#include "soft.h"
#include "tests/decode/picture.h"
#include "tests/fault/ledger.h"

#define WAVES " packed-headers=ppt" /* packets are made on the CPU: the device has jobs of waves */

extern soft_control *soft;
extern wvl_context *context;
extern ledger books;
extern char log_text[4096]; /* all lines, one behind the other */

typedef struct bytes {
    void *data;
    size_t count;
    wvl_status status;
    double psnr; /* of the last layer, as the result says */
    char backend[32], error[512];
} bytes;

/* Fixtures. At the end nothing may be left of the device or the host's memory. */
void open_context(void);
void close_context(void);
/* That many devices, none of which has failed or is to fail. */
void reset_driver(int devices);
/* settings: words KEY=VALUE. NULL: limits that this picture cannot keep. */
wvl_plan *make_plan(const wvl_image_format *format, const char *settings, const char *device);
bytes encode_plan(const wvl_plan *plan, const wvl_image *image);
bytes encode(const picture_input *input, const char *settings, const char *device);
void free_bytes(bytes *b);
/* Frees b. */
void expect_same(const char *what, const bytes *a, bytes b, const char *backend);

/* An event of a stream without work. */
wvl_cuda_event open_event(void);
void close_event(wvl_cuda_event event);

#endif
