/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encoders on a device that pictures of a folder share. Pictures that are alike in format, parameters and boxes have
 * one plan, and go through one wvl_encoder. A picture that the device does not finish to the last byte is encoded by
 * itself, with the messages of its own plan.
 */
#pragma once

#include "cli.h"

typedef struct wvl_cli_encoders wvl_cli_encoders;
typedef struct wvl_cli_encoder wvl_cli_encoder;

/* How many devices the option's value names. */
uint32_t wvl_cli_count_devices(const char *device);
/* Each device has an encoder of its own for each kind of picture, with its own lock and queue.
 * NULL: every picture of the run is encoded by itself (out of memory, device=cpu). device: the value of that option. A
 * device is opened by the first picture that takes an encoder. frames: pictures on a device at a time, at most. */
wvl_cli_encoders *wvl_cli_open_encoders(wvl_context *context, const char *device, uint32_t frames);
/* When no worker is left. */
void wvl_cli_close_encoders(wvl_cli_encoders *encoders);

/* A picture as its plan sees it. params are those of its plan; jp2 NULL: a bare codestream. */
typedef struct wvl_cli_plan_input {
    const wvl_cli_picture *picture;
    const wvl_params *params;
    const wvl_jp2_info *jp2;
    int has_own_limit; /* max-bytes is this picture's alone: pictures that differ in nothing else share an encoder */
} wvl_cli_plan_input;

/* How many pictures at a time an encoder would hold for such a picture, and memory for one; 0: none. No device opens.
 */
uint32_t wvl_cli_measure_encoder(const wvl_cli_encoders *encoders, const wvl_cli_plan_input *input,
                                 wvl_plan_memory *memory);

/* From any thread. NULL: the picture is to be encoded by itself. The encoder stays open until wvl_cli_return_encoder.
 * May wait while another thread opens the device. */
wvl_cli_encoder *wvl_cli_take_encoder(wvl_cli_encoders *encoders, const wvl_cli_plan_input *input);
void wvl_cli_return_encoder(wvl_cli_encoder *encoder);
/* Encodes; waits for the end. Any number of threads. WVL_OK: *finished, which has the bytes, and whose status says how
 * it ended, is the caller's. Else the image was not used. */
wvl_status wvl_cli_encode_shared(wvl_cli_encoder *encoder, const wvl_cli_plan_input *input, const wvl_image *image,
                                 wvl_encoded_picture **finished);
/* Says whether a picture that ended so is worth another try by itself. */
int wvl_cli_note_failure(wvl_cli_encoder *encoder, wvl_status status);

/*
 * The plan that frames of a sequence or pictures of a folder share: mostly they are alike in format. Settings are the
 * same for all of a run, so only what differs is compared: context, format, colour, limit of bytes. Only codestreams
 * without a conversion to X'Y'Z' share a plan: nothing else of a picture goes into theirs.
 */
typedef struct wvl_cli_plans {
    wvl_plan *plan; /* of the first picture; NULL: none yet */
    const wvl_context *context;
    wvl_image_format format;
    wvl_component_format *components; /* owned */
    wvl_io_color color;
    uint64_t limit_bytes;
} wvl_cli_plans;

/* Says whether codestreams of a run with these settings may share one. */
int wvl_cli_may_share_plans(const wvl_cli_args *args, const wvl_params *params);
/* The plan for such a picture, which stays that of `plans`; NULL: none. One thread at a time. */
wvl_plan *wvl_cli_find_plan(const wvl_cli_plans *plans, const wvl_context *context, const wvl_cli_picture *picture,
                            uint64_t limit_bytes);
/* 1: plans keep this one from now on. 0: they have another, or memory is short. One thread at a time. */
int wvl_cli_keep_plan(wvl_cli_plans *plans, const wvl_context *context, const wvl_cli_picture *picture,
                      uint64_t limit_bytes, wvl_plan *plan);
void wvl_cli_release_plans(wvl_cli_plans *plans);

/* Opens the devices that a run will need while its first pictures are being read (D-command-17). */
typedef struct wvl_cli_ahead wvl_cli_ahead;

/* device: the value of that option. NULL: nothing is opened (cpu; auto, which knows only later whether a device pays;
 * no thread starts). Failures are told by the first picture that needs the device. */
wvl_cli_ahead *wvl_cli_open_ahead(wvl_context *context, const char *device);
/* Start of the driver, its context and the device code (results.md). */
#define WVL_CLI_OPEN_SECONDS 0.2
/* Seconds until all are open, as far as that can be known; 0: they are, or none will be. */
double wvl_cli_time_to_open(wvl_cli_ahead *ahead);
/* Before the context is released. */
void wvl_cli_close_ahead(wvl_cli_ahead *ahead);
