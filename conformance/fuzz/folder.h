/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files about pictures. */
#pragma once

#include "picture.h"
#include "tools/imageio/imageio.h"

/* 1 when the picture `name` lies in f->loaded. */
int fuzz_folder_load(fuzz_folder *f, const char *name);
/* Copies the middle of a component. */
void fuzz_picture_take(const wvl_io_component *from, uint32_t most_side, fuzz_plane *to);
