/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan/plan_device.h"

#include "backend/registry.h"
#include "base/try.h"
#include "codec/write/assembly.h"
#include "device/shares.h"
#include "waves/drive.h"

/* Says whether the limit leaves enough. */
static int fits(const wvl_plan *plan, const wvl_backend_memory *workspace)
{
    return !plan->device.memory || wvl_backend_least(workspace) <= plan->device.memory;
}

/* Waves, or strips where these do not fit. 0: no memory to find out. *why: there are no strips. */
static int find_jobs(const wvl_plan *plan, const wvl_backend_vtable *table, wvl_job_cut *cut,
                     wvl_backend_memory *workspace, const char **why)
{
    *why = NULL;
    *cut = wvl_cut_waves(plan);
    int is_measured = wvl_cut_measure(cut, table, workspace) != 0;
    if (is_measured && (!fits(plan, workspace) || plan->test.strip_rows)) {
        wvl_job_cut strips = wvl_cut_strips(plan, table, plan->device.memory, UINT64_MAX, why);
        *cut = strips.strip_rows ? strips : *cut;
        is_measured = wvl_cut_measure(cut, table, workspace) != 0;
    }
    return is_measured;
}

/* Memory of jobs, as many as fit. */
static wvl_backend_memory measure_jobs(const wvl_plan *plan, const wvl_backend_vtable *table, const wvl_job_cut *cut,
                                       wvl_backend_memory *workspace)
{
    wvl_backend_memory unused;
    uint32_t most = wvl_drive_jobs(table, cut, wvl_cut_measure(cut, table, &unused)),
             jobs = wvl_cut_share(workspace, most, plan->device.memory);
    return (wvl_backend_memory){.host_bytes = wvl_drive_host_bytes(cut, table, wvl_devices_list(plan, NULL, 0).count),
                                .pinned_bytes = wvl_mul_saturate(jobs, workspace->pinned_bytes),
                                .device_bytes = wvl_mul_saturate(jobs, workspace->device_bytes),
                                .spill_bytes = workspace->spill_bytes};
}

static void take_most(wvl_backend_memory *most, const wvl_backend_memory *other)
{
    most->host_bytes = wvl_max_u64(most->host_bytes, other->host_bytes);
    most->pinned_bytes = wvl_max_u64(most->pinned_bytes, other->pinned_bytes);
    most->device_bytes = wvl_max_u64(most->device_bytes, other->device_bytes);
    most->spill_bytes = wvl_max_u64(most->spill_bytes, other->spill_bytes);
}

/* Finished by one device, or divided between several, as far as that fits. 0: neither does. */
static int join_finished(const wvl_plan *plan, const wvl_backend_memory *picture, const wvl_backend_memory *shares,
                         wvl_backend_memory *most)
{
    int has_shares = shares->device_bytes && fits(plan, shares);
    if (fits(plan, picture)) {
        take_most(most, picture);
    }
    if (has_shares) {
        take_most(most, shares);
    }
    return has_shares || fits(plan, picture);
}

wvl_status wvl_plan_find_device(const wvl_plan *plan, wvl_device_way *d)
{
    wvl_backend_memory workspace, picture, shares;
    const char *no_strips = NULL;
    const wvl_backend_vtable *table = wvl_backend_fetch_device();
    wvl_way way = wvl_choose_way(plan, &(wvl_way_source){.many = 1});
    *d = (wvl_device_way){.reach = way.reach, .why = way.why};
    if ((unsigned)d->reach < plan->device.reach) {
        d->reach = WVL_REACH_NONE;
    }
    if (d->reach == WVL_REACH_NONE) {
        return WVL_OK;
    }
    wvl_status status = wvl_pictures_measure(plan, wvl_assembly_whole(plan), &picture);
    TRY(status, wvl_shares_measure(plan, &shares));
    if (status != WVL_OK || !find_jobs(plan, table, &d->cut, &workspace, &no_strips)) {
        return status == WVL_OK ? WVL_ERROR_MEMORY : status;
    }
    if (d->reach == WVL_REACH_PACKETS && !join_finished(plan, &picture, &shares, &d->memory)) {
        /* A picture that the device could finish, and that does not fit. */
        const char *why;
        d->reach = wvl_cut_reach(&d->cut, table, NULL, &why);
        if (d->reach < WVL_REACH_BLOCKS) {
            d->why = why;
        } else {
            d->why = d->cut.strip_rows ? "the picture exceeds the option device-memory and goes in strips"
                                       : "the picture exceeds the option device-memory and goes in waves of tiles";
        }
    }
    if (fits(plan, &workspace)) {
        wvl_backend_memory jobs = measure_jobs(plan, table, &d->cut, &workspace);
        take_most(&d->memory, &jobs);
    } else if (d->reach < WVL_REACH_PACKETS) {
        d->reach = WVL_REACH_NONE;
        d->why = no_strips ? no_strips : "the option device-memory leaves it too little";
    }
    if ((unsigned)d->reach < plan->device.reach) {
        d->reach = WVL_REACH_NONE;
        d->memory = (wvl_backend_memory){.host_bytes = 0};
    }
    return WVL_OK;
}

void wvl_plan_name_kernels(const wvl_plan *plan, const wvl_device_way *d, wvl_kernel_fn tell, void *user)
{
    const wvl_backend_vtable *table = wvl_backend_fetch_device();
    const wvl_allocator *host = &plan->context->host;
    const char *why;
    wvl_assembly assembly;
    if (d->reach == WVL_REACH_NONE || !table->name_kernels) {
        return;
    }
    if (d->reach < WVL_REACH_PACKETS) {
        wvl_cut_name_kernels(&d->cut, table, tell, user);
    } else if (wvl_assembly_build(host, plan, wvl_assembly_whole(plan), &assembly, &why) == WVL_OK) {
        (void)table->name_kernels(plan, &assembly, NULL, 0, tell, user);
        wvl_assembly_free(host, &assembly);
    }
}
