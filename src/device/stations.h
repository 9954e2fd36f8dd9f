/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures in flight on several devices: a station is a device that finishes pictures (pictures.h). A picture takes the
 * station with the least at work, and the station of the device that its pixels lie on. A device that is lost, or
 * cannot finish pictures, drops out.
 */
#pragma once

#include "device/pictures.h"

typedef struct wvl_station {
    wvl_pictures pictures;
    uint32_t at_work; /* under the lock of the stations, as `next` */
} wvl_station;

typedef struct wvl_stations {
    uint32_t count;      /* 0: not open */
    uint32_t workspaces; /* of all */
    uint32_t next;       /* where the search begins: stations with equal work take turns */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    wvl_station stations[WVL_DEVICE_ORDINAL_MAX + 1];
} wvl_stations;

/* Opens the devices of the plan that finish its pictures, `frames` at a time of all together. At least one, else it
 * fails as wvl_pictures_open, with the reason of the last. */
wvl_status wvl_stations_open(wvl_stations *stations, const wvl_plan *plan, uint32_t frames, char *reason,
                             size_t reason_bytes);
void wvl_stations_close(wvl_stations *stations);
/* For one picture, whose plan may be that of a frame. Waits until such a station is free. NULL: none takes it. */
wvl_pictures *wvl_stations_take(wvl_stations *stations, const wvl_plan *plan, const wvl_image *image);
void wvl_stations_give(wvl_stations *stations, const wvl_pictures *pictures);
