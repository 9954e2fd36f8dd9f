/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of all launches of pictures, one picture at a time and without graphs, by events behind each. */
#pragma once

#include "cuda/host/memory/device.h"

/* From here on launches and fills of the device are marked, until the clock is closed. Calls that fail end the program.
 */
void timer_launches_open(wvl_device *device);
/* Behind a picture that is complete: its times count. */
void timer_launches_take(void);
/* Means of all pictures: a line a launch in the order of launches, with its grid, then a line a kernel. */
void timer_launches_print(void);
void timer_launches_close(wvl_device *device);
/* Experiments; 0: as it is without. lanes: blocks of a warp of the MQ coder. thin: only these warps in front have that
 * number; with the clock, or within limits. rounds: of rate control, no more are launched; in graphs all are; bytes are
 * wrong where more are asked for. carve: the share of shared memory that all kernels prefer; -1: as the driver likes.
 */
void timer_launches_shape(unsigned lanes, unsigned thin);
void timer_launches_limit(wvl_device *device, unsigned rounds);
void timer_launches_unlimit(wvl_device *device);
void timer_launches_carve(const wvl_device *device, int percent);

/* Between the two, new streams have that number of multiprocessors, which the driver may round up; 0: all. Memory and
 * its speed are not less. Graphs have all. */
void timer_partition_open(wvl_device *device, uint32_t multiprocessors);
void timer_partition_close(wvl_device *device);
