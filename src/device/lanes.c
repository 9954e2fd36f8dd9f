/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/lanes.h"

#include <string.h>

#include "backend/devices.h"

/* ---- Open and close -------------------------------------------------------------------------- */

static int init_locks(wvl_lanes *lanes)
{
    if (pthread_mutex_init(&lanes->lock, NULL)) {
        return 0;
    }
    if (pthread_cond_init(&lanes->changed, NULL)) {
        pthread_mutex_destroy(&lanes->lock);
        return 0;
    }
    return 1;
}

wvl_status wvl_lanes_open(wvl_lanes *lanes, const wvl_plan *plan, uint32_t frames, char *reason, size_t reason_bytes)
{
    wvl_device_list devices = wvl_devices_list(plan, NULL, 0);
    uint32_t share = (frames + devices.count - 1) / devices.count;
    wvl_status status = WVL_OK;
    memset(lanes, 0, sizeof *lanes);
    if (!init_locks(lanes)) {
        return WVL_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < devices.count; i++) {
        wvl_pictures *p = &lanes->lanes[lanes->count].pictures;
        status = wvl_pictures_open(p, plan, devices.ordinals[i], share, &plan->context->trace, reason, reason_bytes);
        if (status == WVL_OK) {
            lanes->slots += p->slots;
            lanes->count++;
        } else if (status != WVL_ERROR_UNSUPPORTED && devices.count > 1) {
            wvl_context_log(plan->context, WVL_LOG_WARNING, "device %u: %s; the other devices do its work",
                            devices.ordinals[i], reason);
        }
    }
    if (!lanes->count) {
        pthread_cond_destroy(&lanes->changed);
        pthread_mutex_destroy(&lanes->lock);
    }
    return lanes->count ? WVL_OK : status;
}

void wvl_lanes_close(wvl_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->count; i++) {
        wvl_pictures_close(&lanes->lanes[i].pictures);
    }
    if (lanes->count) {
        pthread_cond_destroy(&lanes->changed);
        pthread_mutex_destroy(&lanes->lock);
    }
    lanes->count = 0;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Under the lock. *any: some lane takes such pictures, free or not. */
static wvl_lane *find_lane(wvl_lanes *lanes, const wvl_plan *plan, const wvl_image *image, int *any)
{
    wvl_lane *best = NULL;
    *any = 0;
    for (uint32_t i = 0; i < lanes->count; i++) {
        wvl_lane *lane = &lanes->lanes[(lanes->next + i) % lanes->count];
        int takes = wvl_pictures_take(&lane->pictures, plan, image);
        *any |= takes;
        if (takes && lane->at_work < lane->pictures.slots && (!best || lane->at_work < best->at_work)) {
            best = lane;
        }
    }
    return best;
}

wvl_pictures *wvl_lanes_take(wvl_lanes *lanes, const wvl_plan *plan, const wvl_image *image)
{
    int any;
    pthread_mutex_lock(&lanes->lock);
    wvl_lane *lane = find_lane(lanes, plan, image, &any);
    while (!lane && any) {
        pthread_cond_wait(&lanes->changed, &lanes->lock);
        lane = find_lane(lanes, plan, image, &any);
    }
    if (lane) {
        lane->at_work++;
        lanes->next = (uint32_t)(lane - lanes->lanes) + 1;
    }
    pthread_mutex_unlock(&lanes->lock);
    return lane ? &lane->pictures : NULL;
}

void wvl_lanes_give(wvl_lanes *lanes, const wvl_pictures *pictures)
{
    pthread_mutex_lock(&lanes->lock);
    for (uint32_t i = 0; i < lanes->count; i++) {
        lanes->lanes[i].at_work -= &lanes->lanes[i].pictures == pictures;
    }
    pthread_cond_broadcast(&lanes->changed);
    pthread_mutex_unlock(&lanes->lock);
}
