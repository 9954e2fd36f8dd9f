/* SPDX-License-Identifier: BSD-2-Clause */
/* What the conductor needs of a sink beyond wavelane.h. Works with the library's own sinks and with the caller's. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wavelane.h"

/* The number of bytes that will follow is known: the library's sink in memory allocates once and hands over without a
 * copy, a caller's `reserve` is called. Others ignore it. */
wvl_status wvl_sink_reserve(wvl_sink *sink, uint64_t bytes);

/* It has a use for wvl_sink_reserve(). */
int wvl_sink_reserves(const wvl_sink *sink);

/* Closes the sink, the only place that does. WVL_ERROR_SINK or _MEMORY when it failed now or at an earlier write or
 * patch; the first reason, with the name of the file and the system's text, is stored in error (if not NULL, always
 * terminated, "" without a reason). A sink of the library's is emptied, so that a second close, discard or take finds
 * nothing; complete memory stays to be taken. */
wvl_status wvl_sink_finish(wvl_sink *sink, int complete, char *error, size_t error_bytes);

/* A sink serves one encode: one of the library's that was given to an encode is not given to another. A caller's is
 * never taken. */
int wvl_sink_is_taken(const wvl_sink *sink);
void wvl_sink_take(const wvl_sink *sink);
