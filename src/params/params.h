/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "geom/settings.h"

/* Arrays that the settings own. */
typedef enum wvl_params_list {
    WVL_LIST_TARGETS = 0,
    WVL_LIST_PROGRESSIONS,
    WVL_LIST_REGISTRATION,
    WVL_LIST_OVERRIDES,
    WVL_LIST_OVERRIDE_TEXT,
    WVL_LIST_REGIONS,
    WVL_LIST_COMMENTS,
    WVL_LISTS
} wvl_params_list;

struct wvl_params {
    wvl_context *context;
    wvl_settings settings;
    uint8_t layers_given;         /* "layers" was set: else their number follows the list of targets */
    uint64_t capacity[WVL_LISTS]; /* elements of the settings' arrays */
    char *text;                   /* scratch for wvl_params_get */
    uint64_t text_capacity;
    char error[1024];
};

/* The next option from *at on, 0 at first, that has no effect as the settings stand: its key, with *at behind it and
 * what it needs; NULL: none. */
const char *wvl_settings_find_idle(const wvl_settings *settings, size_t *at, const char **needs);
