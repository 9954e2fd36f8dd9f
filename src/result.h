/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_RESULT_H
#define WVL_RESULT_H

#include "codec/tile_coder.h"
#include "context.h"

/* Bytes of a result of this plan beyond what it takes over from the coder. */
uint64_t wvl_result_bytes_of_plan(const wvl_plan *plan);
/* Moves what the coder knows into a result. codestream_offset: bytes before SOC. NULL: no memory. */
wvl_result *wvl_result_create(wvl_context *context, wvl_coder *coder, uint64_t codestream_offset,
                              const double seconds[4], const char *backend);

#endif
