/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of all launches of pictures, one picture at a time and without graphs, by events behind each. */
#ifndef WVL_TESTS_DEVICE_PICTURE_CLOCK_H
#define WVL_TESTS_DEVICE_PICTURE_CLOCK_H

#include "cuda/host/memory/device.h"

/* From here on launches and fills of the device are marked, until the clock is closed. Calls that fail end the program.
 */
void picture_clock_open(wvl_device *device);
/* Behind a picture that is complete: its times count. */
void picture_clock_take(void);
/* Means of all pictures: a line a launch in the order of launches, with its grid, then a line a kernel. */
void picture_clock_print(void);
void picture_clock_close(wvl_device *device);
/* Experiments; 0: as it is without. lanes: blocks of a warp of the MQ coder. thin: only these warps in front have that
 * number; with the clock, or within limits. rounds: of rate control, no more are launched; in graphs all are; bytes are
 * wrong where more are asked for. carve: the share of shared memory that all kernels prefer; -1: as the driver likes.
 */
void picture_clock_shape(unsigned lanes, unsigned thin);
void picture_clock_limit(wvl_device *device, unsigned rounds);
void picture_clock_unlimit(wvl_device *device);
void picture_clock_carve(const wvl_device *device, int percent);

#endif
