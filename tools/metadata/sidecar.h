/* SPDX-License-Identifier: BSD-2-Clause */
/* World file and .aux.xml of GDAL beside a picture, for a picture that does not say itself where it lies. */
#pragma once

#include "tools/imageio/imageio.h"

/* 1: the picture's own tags say where it lies; then files beside it do not count. */
int wvl_metadata_has_place(const wvl_io_blob *geo);

/* side_files.c: reads NAME.aux.xml and the world file (.tfw and the like, .wld) of the picture file `path`, and makes
 * GeoTIFF tags of them where the picture has none. Files that do not hold together or cannot be read are left out and
 * named in io->lost. 0, or -1 for want of memory or of file descriptors. */
int wvl_metadata_read_sidecars(const char *path, wvl_io_picture *io);

/* The same from memory; NULL: there is no such file. */
int wvl_metadata_take_sidecars(const char *aux, size_t aux_bytes, const char *world, size_t world_bytes,
                               wvl_io_picture *io);
