/* SPDX-License-Identifier: BSD-2-Clause */
/* The JP2 file format (Annex I): all boxes before the codestream, and the header of the box that holds it. */
#pragma once

#include "geom/plan.h"

#define WVL_JP2_MAX_HEADER_BYTES 16u

/* Builds signature, ftyp, jp2h, and xml and uuid boxes in one allocation of exactly before->bytes, which the caller
 * frees. Violations give WVL_ERROR_PARAMETER and one line each in error, as many as fit. error may be NULL.
 *
 * Colours are numbered in the order of the colour channels. Where channel_types is NULL the first channels are the
 * colours, and others are declared as unspecified: a reader must not guess that they are opacity. */
wvl_status wvl_jp2_build_boxes(const wvl_allocator *allocator, const wvl_plan *plan, const wvl_jp2_info *info,
                               wvl_blob *before, char *error, size_t error_bytes);

/* Writes the header of the jp2c box, 8 bytes or, when the box reaches 2^32 bytes, 16 (I.4). Returns which. */
size_t wvl_jp2_put_codestream_header(uint8_t out[WVL_JP2_MAX_HEADER_BYTES], uint64_t codestream_bytes);
/* The same with 16 bytes, whatever the length. */
size_t wvl_jp2_put_long_codestream_header(uint8_t out[WVL_JP2_MAX_HEADER_BYTES], uint64_t codestream_bytes);
