/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/stations.h"

#include "backend/devices.h"
#include "codec/write/assembly.h"

/* ---- Open and close -------------------------------------------------------------------------- */

static int init_locks(wvl_stations *stations)
{
    if (pthread_mutex_init(&stations->lock, NULL)) {
        return 0;
    }
    if (pthread_cond_init(&stations->changed, NULL)) {
        pthread_mutex_destroy(&stations->lock);
        return 0;
    }
    return 1;
}

wvl_status wvl_stations_open(wvl_stations *stations, const wvl_plan *plan, uint32_t frames, char *reason,
                             size_t reason_bytes)
{
    wvl_device_list devices = wvl_devices_list(plan, NULL, 0);
    uint32_t share = (frames + devices.count - 1) / devices.count;
    wvl_status status = WVL_OK;
    memset(stations, 0, sizeof *stations);
    if (!init_locks(stations)) {
        return WVL_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < devices.count; i++) {
        wvl_pictures *p = &stations->stations[stations->count].pictures;
        status = wvl_pictures_open(p, plan, wvl_assembly_whole(plan), devices.ordinals[i], share, reason, reason_bytes);
        if (status == WVL_OK) {
            stations->workspaces += p->workspaces;
            stations->count++;
        } else if (status != WVL_ERROR_UNSUPPORTED && devices.count > 1) {
            wvl_context_log(plan->context, WVL_LOG_WARNING, "device %u: %s; the other devices do its work",
                            devices.ordinals[i], reason);
        }
    }
    if (!stations->count) {
        pthread_cond_destroy(&stations->changed);
        pthread_mutex_destroy(&stations->lock);
    }
    return stations->count ? WVL_OK : status;
}

void wvl_stations_close(wvl_stations *stations)
{
    for (uint32_t i = 0; i < stations->count; i++) {
        wvl_pictures_close(&stations->stations[i].pictures);
    }
    if (stations->count) {
        pthread_cond_destroy(&stations->changed);
        pthread_mutex_destroy(&stations->lock);
    }
    stations->count = 0;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Under the lock. *any: some station takes such pictures, free or not. */
static wvl_station *find_station(wvl_stations *stations, const wvl_plan *plan, const wvl_image *image, int *any)
{
    wvl_station *best = NULL;
    *any = 0;
    for (uint32_t i = 0; i < stations->count; i++) {
        wvl_station *station = &stations->stations[(stations->next + i) % stations->count];
        int takes = wvl_pictures_take(&station->pictures, plan, image);
        *any |= takes;
        if (takes && station->at_work < station->pictures.workspaces && (!best || station->at_work < best->at_work)) {
            best = station;
        }
    }
    return best;
}

wvl_pictures *wvl_stations_take(wvl_stations *stations, const wvl_plan *plan, const wvl_image *image)
{
    int any;
    pthread_mutex_lock(&stations->lock);
    wvl_station *station = find_station(stations, plan, image, &any);
    while (!station && any) {
        pthread_cond_wait(&stations->changed, &stations->lock);
        station = find_station(stations, plan, image, &any);
    }
    if (station) {
        station->at_work++;
        stations->next = (uint32_t)(station - stations->stations) + 1;
    }
    pthread_mutex_unlock(&stations->lock);
    return station ? &station->pictures : NULL;
}

void wvl_stations_give(wvl_stations *stations, const wvl_pictures *pictures)
{
    pthread_mutex_lock(&stations->lock);
    for (uint32_t i = 0; i < stations->count; i++) {
        stations->stations[i].at_work -= &stations->stations[i].pictures == pictures;
    }
    pthread_cond_broadcast(&stations->changed);
    pthread_mutex_unlock(&stations->lock);
}
