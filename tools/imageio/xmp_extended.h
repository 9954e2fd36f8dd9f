/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_TOOLS_IMAGEIO_XMP_EXTENDED_H
#define WVL_TOOLS_IMAGEIO_XMP_EXTENDED_H

#include <stddef.h>
#include <stdint.h>

/* A packet with the properties of the main one and of its extension (XMP Part 3, 1.1.3.1). 1: *merged is allocated;
   0: the two cannot be joined; -1: no memory. */
int wvl_io_merge_xmp(const uint8_t *main_packet, size_t main_bytes, const uint8_t *extension, size_t extension_bytes,
                     uint8_t **merged, size_t *merged_bytes);

#endif
