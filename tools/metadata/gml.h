/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to this room: GML in JPEG 2000 (OGC 05-047r3), for a picture with an EPSG coordinate system. */
#pragma once

#include "text.h"
#include "tools/imageio/imageio.h"

/* The content of the asoc box, from the document that the picture has, or from its GeoTIFF tags. 1, or 0 when neither
 * says enough, and `why` gets the reason. out->failed: memory was refused. */
int wvl_metadata_make_gml(const wvl_io_picture *io, wvl_text *out, char *why, size_t why_bytes);
