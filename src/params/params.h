/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_PARAMS_H
#define WVL_PARAMS_H

#include "geom/settings.h"
#include "wavelane.h"

struct wvl_params {
    wvl_context *context;
    wvl_settings settings;
    uint8_t layers_given;    /* "layers" was set: else their number follows the list of targets */
    uint64_t layer_capacity; /* elements of settings.layer_values */
    uint64_t progression_capacity, registration_capacity, override_capacity,
        region_capacity; /* elements of the settings' arrays */
    char *override_text; /* as given; NULL: none */
    uint64_t override_text_capacity;
    uint64_t comment_capacity; /* elements of settings.comments */
    char *text;                /* scratch for wvl_params_get */
    uint64_t text_capacity;
    char error[1024];
};

#endif
