/* SPDX-License-Identifier: BSD-2-Clause */
/* Markers (Table A.2) and the form of a marker segment. */
#pragma once

#include "codec/cs/cursor.h"
#include "geom/plan.h"

enum {
    WVL_MARKER_SOC = 0xFF4F,
    WVL_MARKER_CAP = 0xFF50,
    WVL_MARKER_SIZ = 0xFF51,
    WVL_MARKER_COD = 0xFF52,
    WVL_MARKER_COC = 0xFF53,
    WVL_MARKER_TLM = 0xFF55,
    WVL_MARKER_PLM = 0xFF57,
    WVL_MARKER_PLT = 0xFF58,
    WVL_MARKER_QCD = 0xFF5C,
    WVL_MARKER_QCC = 0xFF5D,
    WVL_MARKER_RGN = 0xFF5E,
    WVL_MARKER_POC = 0xFF5F,
    WVL_MARKER_PPM = 0xFF60,
    WVL_MARKER_PPT = 0xFF61,
    WVL_MARKER_CRG = 0xFF63,
    WVL_MARKER_COM = 0xFF64,
    WVL_MARKER_NLT = 0xFF76, /* Part 2 */
    WVL_MARKER_SOT = 0xFF90,
    WVL_MARKER_SOD = 0xFF93,
    WVL_MARKER_EOC = 0xFFD9
};

#define WVL_CS_MAX_SEGMENT_BYTES 65535u /* Lxxx counts itself but not the marker */

typedef void (*wvl_cs_content_fn)(wvl_cursor *c, const void *arg);

/* COD, COC, QCD, QCC of the main header; and of a tile's first header, nothing where the main header says it all. */
void wvl_cs_put_main_codings(wvl_cursor *c, const wvl_plan *plan);
void wvl_cs_put_tile_codings(wvl_cursor *c, const wvl_plan *plan, uint32_t tile);
/* POC of a tile's first header, or of the main header (WVL_ALL_TILES); nothing where none belongs there. */
void wvl_cs_put_progressions(wvl_cursor *c, const wvl_plan *plan, uint32_t tile);

/* put must be a pure function of arg whose bytes, with the two of the length, do not exceed WVL_CS_MAX_SEGMENT_BYTES.
 */
static inline void wvl_cs_put_segment(wvl_cursor *c, unsigned marker, wvl_cs_content_fn put, const void *arg)
{
    wvl_cursor content = {NULL, 0};
    put(&content, arg);
    wvl_cursor_put_u16(c, marker);
    wvl_cursor_put_u16(c, (unsigned)content.bytes + 2);
    put(c, arg);
}
