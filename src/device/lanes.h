/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures in flight on several devices: a lane is a device that finishes pictures (pictures.h). A picture takes the
 * lane with the least at work, and the lane of the device that its pixels lie on. A device that is lost, or cannot
 * finish pictures, drops out.
 */
#ifndef WVL_LANES_H
#define WVL_LANES_H

#include <pthread.h>

#include "device/pictures.h"

typedef struct wvl_lane {
    wvl_pictures pictures;
    uint32_t at_work; /* under the lock of the lanes, as `next` */
} wvl_lane;

typedef struct wvl_lanes {
    uint32_t count; /* 0: not open */
    uint32_t slots; /* of all */
    uint32_t next;  /* where the search begins: lanes with equal work take turns */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    wvl_lane lanes[WVL_DEVICE_ORDINAL_MAX + 1];
} wvl_lanes;

/* Opens the devices of the plan that finish its pictures, `frames` at a time of all together. At least one, else it
 * fails as wvl_pictures_open, with the reason of the last. */
wvl_status wvl_lanes_open(wvl_lanes *lanes, const wvl_plan *plan, uint32_t frames, char *reason, size_t reason_bytes);
void wvl_lanes_close(wvl_lanes *lanes);
/* For one picture, whose plan may be that of a frame. Waits until such a lane is free. NULL: none takes it. */
wvl_pictures *wvl_lanes_take(wvl_lanes *lanes, const wvl_plan *plan, const wvl_image *image);
void wvl_lanes_give(wvl_lanes *lanes, const wvl_pictures *pictures);

#endif
