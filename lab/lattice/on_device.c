/* SPDX-License-Identifier: BSD-2-Clause */
/* The 1-D transform on a device: as many levels in a launch as one can do, and memory between launches. */
#include "lab/lattice/lattice.h"

#include <stdio.h>
#include <string.h>

/* Makes memory `i` at least `count` floats. 0: there is none. */
static int fit(wvl_lattice_device *d, uint32_t i, uint64_t count)
{
    if (d->count[i] >= count) {
        return 1;
    }
    wvl_plain_release(d->device, d->memory[i]);
    d->memory[i] = wvl_plain_allocate(d->device, count * sizeof(float));
    d->count[i] = d->memory[i] ? count : 0;
    return d->memory[i] != NULL;
}

void wvl_lattice_close_device(wvl_lattice_device *d)
{
    for (uint32_t i = 0; i < WVL_LATTICE_MEMORIES && d->device; i++) {
        wvl_plain_release(d->device, d->memory[i]);
    }
    wvl_plain_close(d->device);
    memset(d, 0, sizeof *d);
}

/* Lists launches, first levels first, and finds memory for what they leave for each other. 0: there is none. */
static int plan_runs(wvl_lattice_device *d, const wvl_lattice_plan *plan, const wvl_lattice_call *call,
                     wvl_lattice_run *runs, uint32_t *range_count)
{
    float *from = call->signal;
    uint32_t count = 0;
    if (call->stride != 1) {
        if (!fit(d, WVL_LATTICE_PACKED, call->length)) {
            return 0;
        }
        from = d->memory[WVL_LATTICE_PACKED];
    }
    for (uint32_t k = 0; k < call->levels; count++) {
        const uint64_t n = wvl_lattice_length_at(call->length, k);
        const uint32_t levels = wvl_lattice_levels_of_launch(plan, n, call->levels - k);
        k += levels;
        const uint64_t lows = wvl_lattice_length_at(call->length, k);
        if (k < call->levels && !fit(d, count % 2, lows)) {
            return 0;
        }
        runs[count] =
            (wvl_lattice_run){.signal = from,
                              .low = k < call->levels ? d->memory[count % 2] : call->coefs,
                              .coefs = call->coefs + wvl_lattice_high_at(call->length, call->levels, k - 1) - lows,
                              .length = n,
                              .levels = levels};
        from = runs[count].low;
    }
    *range_count = count;
    return 1;
}

wvl_status wvl_lattice_call_device(wvl_lattice_device *d, const wvl_lattice_plan *plan, const wvl_lattice_call *call,
                                   int is_inverse, char *error, size_t error_bytes)
{
    wvl_lattice_run runs[WVL_LATTICE_MOST_RUNS];
    uint32_t count;
    if (!plan_runs(d, plan, call, runs, &count)) {
        if (error && error_bytes) {
            snprintf(error, error_bytes, "no memory on the device for what is between levels");
        }
        return WVL_ERROR_MEMORY;
    }
    const wvl_status status = wvl_plain_enter(d->device, error, error_bytes);
    if (status) {
        return status;
    }
    float *packed = d->memory[WVL_LATTICE_PACKED];
    if (!is_inverse && call->stride != 1) {
        wvl_lattice_copy_on_device(d->device, call->signal, call->stride, packed, 1, call->length);
    }
    for (uint32_t i = 0; i < count; i++) {
        wvl_lattice_run_on_device(d->device, plan, &runs[is_inverse ? count - 1 - i : i], is_inverse);
    }
    if (is_inverse && call->stride != 1) {
        wvl_lattice_copy_on_device(d->device, packed, 1, call->signal, call->stride, call->length);
    }
    return wvl_plain_leave(d->device, error, error_bytes);
}
