/* SPDX-License-Identifier: BSD-2-Clause */
#include "ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "wavelane_frames.h"

struct wvl_cli_ahead {
    wvl_context *context;
    pthread_t thread;
    char device[64];
};

/* One after the other: the library opens one device at a time. */
static void open_listed(wvl_context *context, const char *list)
{
    while (*list) {
        char *end;
        unsigned long ordinal = strtoul(list, &end, 10);
        if (end == list) {
            return;
        }
        (void)wvl_context_open_device(context, (uint32_t)ordinal, NULL, 0);
        list = *end == ',' ? end + 1 : end;
    }
}

static void open_every(wvl_context *context)
{
    wvl_device_info info = {.struct_size = sizeof info};
    for (uint32_t i = 0; wvl_device_describe(i, &info) == WVL_OK; i++) {
        if (info.usable) {
            (void)wvl_context_open_device(context, i, NULL, 0);
        }
    }
}

static void *work(void *user)
{
    const wvl_cli_ahead *ahead = user;
    const char *ordinals = strchr(ahead->device, ':');
    if (ordinals && !strcmp(ordinals, ":all")) {
        open_every(ahead->context);
    } else {
        open_listed(ahead->context, ordinals ? ordinals + 1 : "0");
    }
    return NULL;
}

wvl_cli_ahead *wvl_cli_open_ahead(wvl_context *context, const char *device)
{
    wvl_cli_ahead *ahead = device && !strncmp(device, "cuda", 4) ? calloc(1, sizeof *ahead) : NULL;
    if (!ahead) {
        return NULL;
    }
    ahead->context = context;
    snprintf(ahead->device, sizeof ahead->device, "%s", device);
    if (pthread_create(&ahead->thread, NULL, work, ahead)) {
        free(ahead);
        return NULL;
    }
    return ahead;
}

void wvl_cli_close_ahead(wvl_cli_ahead *ahead)
{
    if (ahead) {
        pthread_join(ahead->thread, NULL);
        free(ahead);
    }
}
