/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_PARAMS_IDLE_H
#define WVL_PARAMS_IDLE_H

#include "params/params.h"

/* The next option from *at on, 0 at first, that has no effect as the settings stand: its key, with *at behind it and
 * what it needs; NULL: none. */
const char *wvl_settings_find_idle(const wvl_settings *settings, size_t *at, const char **needs);

#endif
