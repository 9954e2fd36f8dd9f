/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <dlfcn.h>
#include <string.h>

#include "soft.h"

/* The control block of the software driver. NULL: the driver that is found is another one, or there is none. */
static inline soft_control *soft_find(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *symbol = library ? dlsym(library, "soft_driver_control") : NULL;
    soft_control *(*fetch)(void);
    memcpy(&fetch, &symbol, sizeof fetch);
    return symbol ? fetch() : NULL;
}
