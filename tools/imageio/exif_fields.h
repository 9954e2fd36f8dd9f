/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of an EXIF block that say how its picture is to be read. */
#ifndef WVL_TOOLS_IMAGEIO_EXIF_FIELDS_H
#define WVL_TOOLS_IMAGEIO_EXIF_FIELDS_H

#include <stddef.h>
#include <stdint.h>

typedef struct wvl_io_exif_fields {
    uint16_t orientation;                          /* 274; 1 to 8, or 0: not there */
    uint16_t positioning;                          /* 531; 1 centred, 2 co-sited, 0: not there */
    uint16_t color_space;                          /* 40961; 1 sRGB, 65535 another, 0: not there */
    double x_pixels_per_metre, y_pixels_per_metre; /* 282, 283, 296; 0: not there */
} wvl_io_exif_fields;

/* Reads IFD0 and the EXIF IFD of a TIFF stream (Exif 2.32, 4.5 and 4.6). What is damaged counts as not there. */
void wvl_io_read_exif(const uint8_t *bytes, size_t byte_count, wvl_io_exif_fields *fields);

/* How many pictures the index of a Multi-Picture file names (CIPA DC-007, 5.2.3.2), also a TIFF stream; 0: not known.
 */
uint32_t wvl_io_read_mpf_count(const uint8_t *bytes, size_t byte_count);

#endif
