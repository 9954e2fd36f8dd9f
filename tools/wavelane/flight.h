/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flights: encoders on a device that pictures of a folder share. Pictures that are alike in format, parameters and
 * boxes have one plan, and go through one wvl_encoder. What a device does not finish, to the last byte, does not fly:
 * such a picture is encoded by itself, with the messages of its own plan.
 */
#ifndef WVL_TOOLS_FLIGHT_H
#define WVL_TOOLS_FLIGHT_H

#include "cli.h"

typedef struct wvl_cli_flights wvl_cli_flights;
typedef struct wvl_cli_flight wvl_cli_flight;

/* NULL: no picture of the run flies (out of memory, device=cpu). device: the value of that option. A device is opened
 * by the first picture that boards. */
wvl_cli_flights *wvl_cli_open_flights(wvl_context *context, const char *device);
/* When no worker is left. */
void wvl_cli_close_flights(wvl_cli_flights *flights);

/* A picture as its plan sees it. params are those of its plan; jp2 NULL: a bare codestream. */
typedef struct wvl_cli_passenger {
    const wvl_cli_picture *picture;
    const wvl_params *params;
    const wvl_jp2_info *jp2;
} wvl_cli_passenger;

/* From any thread. NULL: the picture does not fly. The flight stays open until wvl_cli_leave_flight. May wait while
 * another thread opens the device. */
wvl_cli_flight *wvl_cli_board_flight(wvl_cli_flights *flights, const wvl_cli_passenger *passenger);
void wvl_cli_leave_flight(wvl_cli_flight *flight);
/* Encodes; waits for the end. Any number of threads. WVL_OK: *finished, whose status says how it ended, is the
 * caller's, and the sink is closed. Else neither sink nor image were used. */
wvl_status wvl_cli_fly(wvl_cli_flight *flight, const wvl_image *image, const wvl_sink *sink,
                       wvl_encoded_picture **finished);
/* Whether a picture that ended so is worth another try by itself. */
int wvl_cli_flight_failed(wvl_cli_flight *flight, wvl_status status);

/* Everything that a plan is made of, as bytes: equal keys, equal plans. NULL: no memory. The caller frees it. */
uint8_t *wvl_cli_build_key(const wvl_cli_passenger *passenger, size_t *bytes);

#endif
