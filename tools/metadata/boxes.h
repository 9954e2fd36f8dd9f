/* SPDX-License-Identifier: BSD-2-Clause */
/* Metadata of a picture file as boxes of JP2 and JPH, in the order in which they are written. */
#pragma once

#include "tools/imageio/imageio.h"
#include "wavelane.h"

/* The parts that are kept. ICC profile and resolution are no boxes of their own: who fills wvl_jp2_info reads these two
 * bits.
 */
enum {
    WVL_KEEP_EXIF = 1,
    WVL_KEEP_IPTC = 2,
    WVL_KEEP_XMP = 4,
    WVL_KEEP_GEO = 8,
    WVL_KEEP_TEXT = 16,
    WVL_KEEP_ICC = 32,
    WVL_KEEP_RESOLUTION = 64,
    WVL_KEEP_BOXES = 128,
    WVL_KEEP_ALL = 255
};

/* "exif,xmp", "all" or "none": 1, or 0 when there is another word in it. */
int wvl_metadata_parse_keep(const char *list, unsigned *keep);

typedef struct wvl_metadata_boxes {
    wvl_box *boxes; /* data points into the picture, or into `owned` */
    size_t count;
    uint8_t *owned[2]; /* XMP that was made or changed here; the content of asoc for GML */
    char lost[256];    /* texts and the like that no box carries: "PageName, Warning"; or "" */
} wvl_metadata_boxes;

/* Makes the boxes: XMP, EXIF, IPTC-IIM, GeoJP2, GML, then the boxes that the file had. io must outlive them. gml: 1
 * adds GMLJP2 beside GeoJP2. 0, or -1 for want of memory. The caller releases *out in both cases. */
int wvl_metadata_make_boxes(const wvl_io_picture *io, unsigned keep, int gml, wvl_metadata_boxes *out);
void wvl_metadata_release_boxes(wvl_metadata_boxes *out);

/* 1: a uuid box with this identifier holds XMP. */
int wvl_metadata_is_xmp_uuid(const uint8_t uuid[16]);

/* The names of what `keep` holds of the picture, for a message: "EXIF, XMP"; "" for none. */
void wvl_metadata_name_kinds(const wvl_io_metadata *metadata, unsigned keep, char *text, size_t bytes);

/* Says in EXIF and XMP that rows run down and samples to the right. swap: width and height have changed places. */
void wvl_metadata_reset_orientation(wvl_io_metadata *metadata, int swap);
