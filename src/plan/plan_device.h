/* SPDX-License-Identifier: BSD-2-Clause */
/* How a device goes about the pictures of a plan, and the memory that this takes. */
#pragma once

#include "way/job_cut.h"

typedef struct wvl_device_way {
    wvl_reach reach;
    const char *why; /* no farther, or not at all; NULL: it makes all bytes */
    /* device: most of each; host: of the workspaces of all. For jobs, or for a picture that it finishes, never for
     * both. */
    wvl_backend_memory memory;
    wvl_job_cut cut; /* of jobs; strip_rows 0: waves */
} wvl_device_way;

/* Takes a plan that asks for a device. Memory that a device has is not asked: only the option device-memory counts.
 * WVL_ERROR_MEMORY: no memory to find out. */
wvl_status wvl_plan_find_device(const wvl_plan *plan, wvl_device_way *device);

/* The kernels of a picture that goes this way, or of its first job: wvl_backend_vtable.name_kernels. */
void wvl_plan_name_kernels(const wvl_plan *plan, const wvl_device_way *device, wvl_kernel_fn tell, void *user);
