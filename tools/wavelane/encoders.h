/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encoders on a device that pictures of a folder share. Pictures that are alike in format, parameters and boxes have
 * one plan, and go through one wvl_encoder. A picture that the device does not finish to the last byte is encoded by
 * itself, with the messages of its own plan.
 */
#ifndef WVL_TOOLS_ENCODERS_H
#define WVL_TOOLS_ENCODERS_H

#include "cli.h"

typedef struct wvl_cli_encoders wvl_cli_encoders;
typedef struct wvl_cli_encoder wvl_cli_encoder;

/* NULL: every picture of the run is encoded by itself (out of memory, device=cpu). device: the value of that option. A
 * device is opened by the first picture that takes an encoder. */
wvl_cli_encoders *wvl_cli_open_encoders(wvl_context *context, const char *device);
/* When no worker is left. */
void wvl_cli_close_encoders(wvl_cli_encoders *encoders);

/* A picture as its plan sees it. params are those of its plan; jp2 NULL: a bare codestream. */
typedef struct wvl_cli_plan_input {
    const wvl_cli_picture *picture;
    const wvl_params *params;
    const wvl_jp2_info *jp2;
    int has_own_limit; /* max-bytes is this picture's alone: pictures that differ in nothing else share an encoder */
} wvl_cli_plan_input;

/* From any thread. NULL: the picture is to be encoded by itself. The encoder stays open until wvl_cli_return_encoder.
 * May wait while another thread opens the device. */
wvl_cli_encoder *wvl_cli_take_encoder(wvl_cli_encoders *encoders, const wvl_cli_plan_input *input);
void wvl_cli_return_encoder(wvl_cli_encoder *encoder);
/* Encodes; waits for the end. Any number of threads. WVL_OK: *finished, whose status says how it ended, is the
 * caller's, and the sink is closed. Else neither sink nor image were used. */
wvl_status wvl_cli_encode_shared(wvl_cli_encoder *encoder, const wvl_cli_plan_input *input, const wvl_image *image,
                                 const wvl_sink *sink, wvl_encoded_picture **finished);
/* Whether a picture that ended so is worth another try by itself. */
int wvl_cli_note_failure(wvl_cli_encoder *encoder, wvl_status status);

/* Everything that a plan is made of, as bytes: equal keys, equal plans. NULL: no memory. The caller frees it. */
uint8_t *wvl_cli_build_key(const wvl_cli_plan_input *input, size_t *bytes);

#endif
