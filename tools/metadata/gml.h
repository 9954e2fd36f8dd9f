/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to this room: GML in JPEG 2000 (OGC 05-047r3), for a picture with an EPSG coordinate system. */
#ifndef WVL_TOOLS_METADATA_GML_H
#define WVL_TOOLS_METADATA_GML_H

#include "text.h"
#include "tools/imageio/imageio.h"

/* epsg_axes.c: of a projected system, by its number. */
typedef enum wvl_metadata_axes {
    WVL_METADATA_EASTING_FIRST,
    WVL_METADATA_NORTHING_FIRST,
    WVL_METADATA_OTHER_AXES /* or not known */
} wvl_metadata_axes;
wvl_metadata_axes wvl_metadata_axes_of(uint32_t epsg);

/* The content of the asoc box, from the document that the picture has, or from its GeoTIFF tags. 1, or 0 when neither
 * says enough, and `why` gets the reason. out->failed: memory was refused. */
int wvl_metadata_make_gml(const wvl_io_picture *io, wvl_text *out, char *why, size_t why_bytes);

#endif
