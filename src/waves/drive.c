/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs of a drive: submitted, handed over, and done again where a device fails. */
#include "waves/drive.h"

#include <stdio.h>
#include <string.h>

#include "backend/devices.h"
#include "backend/registry.h"
#include "base/try.h"
#include "waves/drive_open.h"

/* ---- Waves ----------------------------------------------------------------------------------- */

wvl_status wvl_drive_start(wvl_drive *d)
{
    d->oldest = d->count = 0;
    d->next = (wvl_job_at){0, 0};
    d->ahead = WVL_OK;
    d->is_begun = 0;
    d->used = 0;
    d->used_devices = 0;
    return d->rows ? wvl_rows_begin(d->rows) : WVL_OK;
}

/* The station with the least in flight: one has a free workspace, for there are fewer flights than workspaces. */
static uint32_t choose_station(const wvl_drive *d)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < d->station_count; i++) {
        const wvl_drive_station *station = &d->stations[i], *other = &d->stations[best];
        int is_free = station->in_flight < station->jobs, is_less = station->in_flight < other->in_flight;
        best = is_free && (is_less || other->in_flight == other->jobs) ? i : best;
    }
    return best;
}

/* Submits as many jobs as there are workspaces for. */
static wvl_status submit_waves(wvl_drive *d)
{
    wvl_status status = WVL_OK;
    while (d->count < d->jobs && d->next.tile < d->plan->syntax.tile_count && !wvl_look_is_over(d->look)) {
        uint32_t at = (d->oldest + d->count) % d->jobs;
        wvl_drive_flight *flight = &d->flight[at];
        flight->at = flight->next = d->next;
        flight->count = wvl_cut_build(&d->cut, &flight->next, d->tiles[at], &d->scratch);
        flight->station = choose_station(d);
        wvl_drive_station *station = &d->stations[flight->station];
        /* The rows of jobs in flight stay: another backend may do these again. */
        const wvl_tile_plan *tiles = d->tiles[at];
        const wvl_tile_plan *oldest = d->count ? d->tiles[d->oldest] : tiles;
        status =
            d->rows ? wvl_rows_bring(d->rows, d->look, oldest[0].rect.y0, tiles[flight->count - 1].rect.y1) : WVL_OK;
        if (status == WVL_OK) {
            wvl_numa_visit visit;
            wvl_devices_visit(d->plan->context, d->table, station->device, &visit);
            status = d->table->submit(station->backend, d->image, d->tiles[at], flight->count, &flight->job);
            wvl_numa_leave(&visit);
            d->failed = flight->station;
        }
        if (status != WVL_OK) {
            break;
        }
        station->in_flight++;
        d->count++;
        d->next = flight->next;
    }
    return status;
}

/* Once is enough: a second call finds nothing to do. */
void wvl_drive_submit_ahead(wvl_drive *d) { d->ahead = d->ahead == WVL_OK ? submit_waves(d) : d->ahead; }

/* The oldest job's coefficients. */
static wvl_status collect(wvl_drive *d)
{
    const wvl_drive_flight *flight = &d->flight[d->oldest];
    wvl_status status = d->table->collect(flight->job, d->cut.strip_rows ? d->views.parts : d->coefs);
    if (status == WVL_OK && d->cut.strip_rows) {
        wvl_strip_views_take(&d->views, d->tiles[d->oldest], flight->count);
    }
    return status;
}

static wvl_status take_wave(wvl_drive *d)
{
    const wvl_drive_flight *flight = &d->flight[d->oldest];
    if (d->cut.strip_rows) {
        wvl_strip_views_build(&d->views, d->plan, d->tiles[d->oldest], flight->count);
    }
    if (d->reach < WVL_REACH_BLOCKS || d->plan->rate.keep_coefs) {
        return collect(d);
    }
    for (uint32_t i = 0; i < flight->count && !d->cut.strip_rows; i++) {
        d->coefs[i] = (wvl_coefs){.tile = &d->tiles[d->oldest][i]};
    }
    return WVL_OK;
}

static void tell_reason(wvl_drive *d, wvl_status status, int lost)
{
    snprintf(d->reason, sizeof d->reason, "%s",
             lost                         ? "it failed and is lost"
             : status == WVL_ERROR_MEMORY ? "it has too little memory"
                                          : "it failed");
}

/* The failed station closes, and the others begin again with the oldest wave in flight; without others, another device
 * of the plan. 0: there is none. */
static int change_to_device(wvl_drive *d)
{
    char reason[sizeof d->reason];
    memcpy(reason, d->reason, sizeof reason);
    d->next = d->count ? d->flight[d->oldest].at : d->next;
    wvl_drive_stop(d);
    wvl_drive_close_station(d, d->failed);
    int is_open =
        d->station_count || (d->image->memory_kind != WVL_MEMORY_DEVICE && wvl_drive_open_device(d) == WVL_OK);
    uint32_t ordinal = d->ordinal;
    if (is_open) {
        wvl_context_log(d->plan->context, WVL_LOG_WARNING, "device %u: %s; the other devices do its work", ordinal,
                        reason);
    }
    memcpy(d->reason, reason, sizeof reason);
    return is_open;
}

/* The device is of no use for this picture any more. Nonzero: others go on, or the CPU. */
static int change_station(wvl_drive *d, wvl_status *status)
{
    if (d->table == d->host || (*status != WVL_ERROR_MEMORY && *status != WVL_ERROR_DEVICE)) {
        return 0;
    }
    const wvl_drive_station *station = &d->stations[d->failed];
    int lost = d->table->is_lost(station->device),
        is_one = !(d->plan->device.ordinals & (d->plan->device.ordinals - 1));
    d->ordinal = station->ordinal;
    d->tried |= UINT32_C(1) << station->ordinal;
    tell_reason(d, *status, lost);
    if (!is_one && change_to_device(d)) {
        d->reason[0] = 0;
        *status = WVL_OK;
        return 1;
    }
    if (lost || d->way.needs_device) {
        return 0;
    }
    d->next = d->count ? d->flight[d->oldest].at : d->next;
    wvl_drive_tell_fallback(d);
    *status = wvl_drive_open_host(d);
    return *status == WVL_OK;
}

/* Says whether there is no time to submit more before the oldest job is taken. */
static int is_done(const wvl_drive *d)
{
    return d->count && d->table->wait(d->flight[d->oldest].job, WVL_EVENT_DONE, 0) == WVL_OK;
}

wvl_status wvl_drive_next(wvl_drive *d, uint32_t *count)
{
    wvl_status status;
    do {
        status = d->ahead;
        d->ahead = WVL_OK;
        if (status == WVL_OK && !is_done(d)) {
            status = submit_waves(d);
        }
        if (status == WVL_OK && !d->count) {
            return WVL_END;
        }
        if (status == WVL_OK) {
            const wvl_drive_flight *flight = &d->flight[d->oldest];
            d->failed = flight->station;
            status = d->table->wait(flight->job, WVL_EVENT_DONE, UINT32_MAX);
            *count = flight->count;
            TRY(status, take_wave(d));
            int is_last = d->count == 1 && d->next.tile == d->plan->syntax.tile_count;
            if (status == WVL_OK && !d->many && is_last && d->table->trim) {
                d->table->trim(d->stations[flight->station].backend); /* it is coded in what it leaves */
            }
        }
    } while (status < 0 && change_station(d, &status));
    if (status == WVL_OK) {
        /* The wave that is handed over. */
        d->is_begun = 1;
        if (!wvl_backend_has_devices(d->table)) {
            d->used |= WVL_DRIVE_HOST;
        } else {
            d->used |= WVL_DRIVE_DEVICE | (d->reach < WVL_REACH_BLOCKS ? WVL_DRIVE_COEFS : 0);
            d->used_devices |= UINT32_C(1) << d->stations[d->flight[d->oldest].station].ordinal;
        }
    }
    return status;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

wvl_status wvl_drive_code(wvl_drive *d, const wvl_block_order *order, wvl_block_batch *batch)
{
    wvl_status status = d->table->code ? d->table->code(d->flight[d->oldest].job, order, batch) : WVL_ERROR_UNSUPPORTED;
    d->used |= status == WVL_OK ? WVL_DRIVE_BLOCKS : 0;
    return status;
}

wvl_status wvl_drive_lower(wvl_drive *d, wvl_status why)
{
    if (d->plan->device.reach >= WVL_REACH_BLOCKS && d->way.needs_device) {
        snprintf(d->reason, sizeof d->reason,
                 "it could not code the blocks of a picture, and the option reach asks for that");
        return why;
    }
    uint32_t count;
    d->failed = d->flight[d->oldest].station;
    wvl_status status = collect(d);
    if (status == WVL_OK) {
        d->used |= WVL_DRIVE_COEFS;
        wvl_context_log(d->plan->context, WVL_LOG_INFO, "device %u: %s; the CPU codes the blocks",
                        d->stations[d->failed].ordinal, wvl_status_text(why));
        return WVL_OK;
    }
    while (status != WVL_OK && change_station(d, &status)) {
        d->ahead = WVL_OK;
        status = wvl_drive_next(d, &count);
        if (status == WVL_OK) {
            d->used |= d->table == d->host ? 0 : WVL_DRIVE_COEFS;
            status = collect(d);
        }
    }
    return status;
}

uint64_t wvl_drive_count_own(const wvl_drive *d)
{
    const wvl_drive_flight *flight = &d->flight[d->oldest];
    uint64_t samples = 0, height = 1, end = flight->next.row, top = flight->at.row;
    for (uint32_t t = 0; t < flight->count; t++) {
        wvl_rect rect = d->coefs[t].tile->rect;
        samples += d->coefs[t].tile->sample_count;
        height = wvl_max_u64(wvl_rect_height(rect), 1);
        top = wvl_max_u64(top, rect.y0);
        end = end ? end : rect.y1;
    }
    return (uint64_t)((double)samples * (double)(end - top) / (double)height);
}

int wvl_drive_ends_row(const wvl_drive *d) { return d->flight[d->oldest].next.tile != d->flight[d->oldest].at.tile; }

void wvl_drive_pass(wvl_drive *d)
{
    d->table->release(d->flight[d->oldest].job);
    d->stations[d->flight[d->oldest].station].in_flight--;
    d->oldest = (d->oldest + 1) % d->jobs;
    d->count--;
}

void wvl_drive_stop(wvl_drive *d)
{
    while (d->count) {
        wvl_drive_pass(d);
    }
    d->oldest = 0;
}

void wvl_drive_name(const wvl_drive *d, char *text, size_t bytes)
{
    const char *host = d->host->name;
    if (!(d->used & WVL_DRIVE_DEVICE)) {
        snprintf(text, bytes, "%s", host);
        return;
    }
    char devices[48] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < WVL_DRIVE_STATIONS; i++) {
        if (d->used_devices >> i & 1) {
            used += (size_t)snprintf(devices + used, sizeof devices - used, "%s%u", used ? "," : "", i);
        }
    }
    int is_mixed = d->used & WVL_DRIVE_HOST;
    int is_coded = (d->used & (WVL_DRIVE_BLOCKS | WVL_DRIVE_COEFS)) == WVL_DRIVE_BLOCKS;
    snprintf(text, bytes, "%s:%s%s%s%s", wvl_backend_fetch_device()->name, devices, is_coded ? " blocks" : "",
             is_mixed ? " " : "", is_mixed ? host : "");
}
