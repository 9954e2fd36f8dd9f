/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of all launches of pictures, one picture at a time and without graphs, by events behind each. */
#ifndef WVL_TESTS_DEVICE_PICTURE_CLOCK_H
#define WVL_TESTS_DEVICE_PICTURE_CLOCK_H

#include "cuda/host/device.h"

/* From here on launches and fills of the device are marked, until the clock is closed. Calls that fail end the program.
 */
void picture_clock_open(wvl_device *device);
/* Behind a picture that is complete: its times count. */
void picture_clock_take(void);
/* Means of all pictures: a line a launch in the order of launches, with its grid, then a line a kernel. */
void picture_clock_print(void);
void picture_clock_close(wvl_device *device);
/* Experiments. Warps of the MQ coder have so many blocks (0: as they are); with thin, so many warps in front: with the
 * clock, or within limits. No more rounds of rate control are launched (0: all), but in graphs: bytes are wrong where
 * more are asked for. All kernels prefer this share of shared memory; -1: as the driver likes. */
void picture_clock_shape(unsigned lanes, unsigned thin);
void picture_clock_limit(wvl_device *device, unsigned rounds);
void picture_clock_unlimit(wvl_device *device);
void picture_clock_carve(const wvl_device *device, int percent);

#endif
