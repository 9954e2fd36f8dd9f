/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs of a drive: submitted, handed over, and done again where a device fails. */
#include "waves/drive.h"

#include <stdio.h>

#include "backend/registry.h"
#include "base/alloc.h"
#include "base/try.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

uint32_t wvl_drive_jobs(const wvl_backend_vtable *table, const wvl_job_cut *cut, uint32_t jobs)
{
    uint32_t pay = wvl_min_u32(table->jobs, WVL_WAVE_JOBS);
    return wvl_min_u32(cut->strip_rows && wvl_backend_has_devices(table) ? WVL_STRIP_JOBS : pay, jobs);
}

static void carve_tiles(wvl_drive *d, wvl_carver *carver, wvl_tile_plan **tiles)
{
    uint32_t count = wvl_cut_tiles(&d->cut);
    *tiles = wvl_carve(carver, count, sizeof **tiles);
    for (uint32_t i = 0; i < count; i++) {
        wvl_tile_plan unused;
        wvl_tile_plan_carve(d->plan, carver, carver->base ? &(*tiles)[i] : &unused);
    }
}

static void carve_flights(wvl_drive *d, uint32_t jobs, wvl_carver *carver)
{
    for (uint32_t i = d->cut.strip_rows ? 0 : 1; i < jobs; i++) {
        wvl_tile_plan *unused;
        carve_tiles(d, carver, carver->base ? &d->tiles[i] : &unused);
    }
    if (d->cut.strip_rows) {
        wvl_tile_plan_carve(d->plan, carver, &d->scratch);
    }
}

uint64_t wvl_drive_host_bytes(const wvl_job_cut *cut, const wvl_backend_vtable *table, uint32_t devices)
{
    wvl_drive d = {.plan = cut->plan, .cut = *cut};
    wvl_backend_memory workspace;
    wvl_carver carver = {NULL, 0};
    uint32_t found = wvl_cut_measure(cut, table, &workspace), jobs = wvl_drive_jobs(table, cut, found) * devices;
    if (!found) {
        return UINT64_MAX;
    }
    carve_flights(&d, jobs, &carver);
    uint64_t views = cut->strip_rows ? wvl_alloc_size(wvl_strip_views_bytes(cut->plan)) : 0;
    uint64_t tiles = carver.used ? wvl_alloc_size(carver.used) : 0;
    return wvl_add_saturate(wvl_mul_saturate(jobs, workspace.host_bytes), wvl_add_saturate(tiles, views));
}

/* Tile plans of all flights; of waves the first has some. */
static wvl_status open_tiles(wvl_drive *d, uint32_t jobs)
{
    wvl_carver carver = {NULL, 0};
    d->tiles[0] = d->wave->tiles;
    d->coefs = d->cut.strip_rows ? d->views.coefs : d->wave->coefs;
    carve_flights(d, jobs, &carver);
    d->tile_bytes = carver.used;
    carver = (wvl_carver){d->tile_bytes ? wvl_alloc_zeroed(&d->plan->context->host, d->tile_bytes) : NULL, 0};
    d->tile_memory = carver.base;
    if (carver.base) {
        carve_flights(d, jobs, &carver);
    }
    return d->tile_bytes && !carver.base ? WVL_ERROR_MEMORY : WVL_OK;
}

/* Prepares as many workspaces as there is memory for, and at least one. */
static wvl_status prepare_workspaces(wvl_drive *d, wvl_drive_station *station, const wvl_backend_memory *workspace,
                                     uint32_t jobs)
{
    wvl_status status = WVL_OK;
    for (station->jobs = 0; station->jobs < jobs && status == WVL_OK; station->jobs += status == WVL_OK) {
        status = d->table->prepare(station->backend, d->plan, workspace);
    }
    if (station->jobs && status == WVL_ERROR_MEMORY) {
        wvl_context_log(d->plan->context, WVL_LOG_INFO, "device memory is enough for %u of %u waves at a time",
                        station->jobs, jobs);
        status = WVL_OK;
    }
    return status;
}

/* ---- Open and close -------------------------------------------------------------------------- */

static void close_station(wvl_drive *d, uint32_t index)
{
    wvl_drive_station *station = &d->stations[index];
    if (station->backend) {
        d->table->close(station->backend);
    }
    d->jobs -= station->jobs;
    *station = d->stations[--d->station_count];
}

/* A backend more, of d->table. */
static wvl_status open_station(wvl_drive *d, wvl_device *device, uint32_t ordinal, const wvl_backend_memory *workspace,
                               uint32_t jobs)
{
    wvl_backend_options options = {&d->plan->context->host, d->plan->context->pool, device, d->trace, d->look};
    wvl_drive_station *station = &d->stations[d->station_count++];
    *station = (wvl_drive_station){.device = device, .ordinal = ordinal};
    wvl_status status = d->table->open(&options, &station->backend);
    TRY(status, prepare_workspaces(d, station, workspace, jobs));
    if (status != WVL_OK) {
        station->jobs = 0;
        close_station(d, d->station_count - 1);
    } else {
        d->jobs += station->jobs;
    }
    return status;
}

static void set_table(wvl_drive *d, const wvl_backend_vtable *table)
{
    const char *why;
    d->table = table;
    d->reach = wvl_cut_reach(&d->cut, table, d->image, &why);
}

/* Stations are open, or were tried: tile plans for all of them, or nothing at all. */
static wvl_status finish_open(wvl_drive *d, wvl_status status)
{
    TRY(status, open_tiles(d, d->jobs));
    if (status != WVL_OK) {
        wvl_drive_close(d);
    }
    return status;
}

static wvl_status open_host(wvl_drive *d)
{
    if (d->table == d->host) {
        return WVL_OK;
    }
    wvl_drive_close(d);
    set_table(d, d->host);
    wvl_backend_memory workspace = d->plan->memory.backend;
    int is_measured = !d->cut.strip_rows || wvl_cut_measure(&d->cut, d->host, &workspace);
    return finish_open(d, is_measured ? open_station(d, NULL, 0, &workspace, 1) : WVL_ERROR_MEMORY);
}

/* The station of the picture before serves this one: only pictures in flight leave one open. */
static int is_open_for(const wvl_drive *d, const wvl_backend_vtable *table)
{
    const wvl_drive_station *station = &d->stations[0];
    int is_open = d->table == table && d->station_count && !table->is_lost(station->device);
    return is_open &&
           (d->image->memory_kind == WVL_MEMORY_DEVICE ? station->ordinal == (uint32_t)d->image->device
                                                       : wvl_plan_names_device(d->plan, (int)station->ordinal));
}

/* Stations for the jobs of the cut: one for a picture in flight or whose rows come, else all that there are jobs for.
 */
static wvl_status open_stations(wvl_drive *d, const wvl_device_list *devices)
{
    wvl_backend_memory workspace;
    uint32_t waves = wvl_cut_measure(&d->cut, d->table, &workspace),
             wanted = d->many || d->rows ? 1 : wvl_min_u32(devices->count, waves),
             jobs = wvl_drive_jobs(d->table, &d->cut, (waves + wanted - 1) / wvl_max_u32(wanted, 1));
    uint64_t limit = d->plan->device.memory;
    wvl_status status = WVL_ERROR_MEMORY;
    jobs = wvl_cut_share(&workspace, jobs, limit);
    if (!jobs && limit) {
        snprintf(d->reason, sizeof d->reason, "the option device-memory leaves it too little");
    }
    for (uint32_t i = 0; jobs && i < devices->count && d->station_count < wanted; i++) {
        uint32_t ordinal = devices->ordinals[i];
        wvl_device *device = NULL;
        d->ordinal = ordinal;
        snprintf(d->reason, sizeof d->reason, "it has too little memory"); /* unless something else turns out */
        status = wvl_context_fetch_device(d->plan->context, d->table, ordinal, &device, d->reason, sizeof d->reason);
        TRY(status, open_station(d, device, ordinal, &workspace, jobs));
        d->reason[0] = status == WVL_OK ? 0 : d->reason[0];
        if (status != WVL_OK && i + 1 < devices->count) {
            wvl_context_log(d->plan->context, WVL_LOG_WARNING, "device %u: %s; the other devices do its work",
                            devices->ordinals[i], d->reason);
        }
    }
    return d->station_count ? WVL_OK : status;
}

static wvl_status open_cut(wvl_drive *d, const wvl_device_list *devices)
{
    set_table(d, devices->table);
    return finish_open(d, open_stations(d, devices));
}

/* Strips, lower and lower ones, of `most` rows at first. */
static wvl_status open_strips(wvl_drive *d, const wvl_device_list *devices, uint64_t most)
{
    const char *why;
    const wvl_backend_vtable *table = devices->table;
    d->cut = wvl_cut_strips(d->plan, table, wvl_way_device_bytes(d->plan, table, devices->ordinals[0]), most, &why);
    if (!d->cut.strip_rows) {
        snprintf(d->reason, sizeof d->reason, "it has too little memory, and %s", why);
        d->cut = wvl_cut_waves(d->plan);
        return WVL_ERROR_MEMORY;
    }
    if ((unsigned)wvl_cut_reach(&d->cut, table, d->image, &why) < d->plan->device.reach) {
        snprintf(d->reason, sizeof d->reason,
                 "the device does less than the option reach asks for: the picture goes in strips%s%s",
                 why ? ", and " : "", why ? why : "");
        d->cut = wvl_cut_waves(d->plan);
        return WVL_ERROR_UNSUPPORTED;
    }
    wvl_status status = wvl_strip_views_open(d->plan, &d->views) ? WVL_OK : WVL_ERROR_MEMORY;
    while (status == WVL_OK && (status = open_cut(d, devices)) == WVL_ERROR_MEMORY && wvl_cut_lower(&d->cut)) {
        status = WVL_OK;
    }
    d->cut = status == WVL_OK ? d->cut : wvl_cut_waves(d->plan);
    return status;
}

/* Waves where the device has memory for them. */
static wvl_status open_first(wvl_drive *d, const wvl_device_list *devices)
{
    int is_cut = d->rows ? d->rows->strip_rows != 0 : d->plan->test.strip_rows != 0;
    wvl_status status = WVL_ERROR_MEMORY;
    d->cut = wvl_cut_waves(d->plan);
    if (!is_cut) {
        status = open_cut(d, devices);
    }
    if (status == WVL_ERROR_MEMORY && (is_cut || !d->rows)) {
        status = open_strips(d, devices, d->rows ? d->rows->strip_rows : UINT64_MAX);
    }
    return status;
}

/* A device goes on with a picture: the next job begins where one of this kind ended. Strips may be lower. */
static wvl_status open_next(wvl_drive *d, const wvl_device_list *devices)
{
    const wvl_job_cut before = d->cut;
    wvl_status status = before.strip_rows ? open_strips(d, devices, before.strip_rows) : open_cut(d, devices);
    d->cut = status == WVL_OK ? d->cut : before;
    return status;
}

/* Devices that have not failed with the picture. The reason is in drive->reason. */
static wvl_status open_device(wvl_drive *d)
{
    if ((unsigned)d->way.reach < d->plan->device.reach) {
        int is_asked = d->plan->device.reach > WVL_REACH_COEFS;
        const char *why = d->way.why ? d->way.why : "it cannot take the whole picture";
        snprintf(d->reason, sizeof d->reason, "%s%s",
                 is_asked ? "the device does less than the option reach asks for: " : "", why);
        return WVL_ERROR_UNSUPPORTED;
    }
    if (is_open_for(d, wvl_backend_fetch_device())) {
        return WVL_OK;
    }
    /* Devices for the picture, those that failed with it left out. */
    wvl_device_list all = wvl_devices_list(d->plan, d->image, d->many ? d->turn : 0), devices = {.table = all.table};
    for (uint32_t i = 0; i < all.count; i++) {
        if (all.ordinals[i] > WVL_DEVICE_ORDINAL_MAX || !(d->tried >> all.ordinals[i] & 1)) {
            devices.ordinals[devices.count++] = all.ordinals[i];
        }
    }
    wvl_drive_close(d);
    if (!devices.count) {
        return WVL_ERROR_DEVICE; /* all have failed: the reason is there */
    }
    wvl_status status = d->is_begun ? open_next(d, &devices) : open_first(d, &devices);
    if (status == WVL_OK) {
        d->reason[0] = 0;
        if (d->way.why) {
            wvl_context_log(d->plan->context, WVL_LOG_DEBUG, "device %u: %s", d->ordinal, d->way.why);
        }
    }
    return status;
}

/* The CPU takes over, for drive->reason. */
static void tell_fallback(wvl_drive *d)
{
    wvl_context_log(d->plan->context, d->plan->device.choice == WVL_DEVICE_AUTO ? WVL_LOG_INFO : WVL_LOG_WARNING,
                    "device %u: %s; the CPU takes over", d->ordinal, d->reason);
    d->reason[0] = 0;
    d->given_up = 1;
}

void wvl_drive_give_up(wvl_drive *d) { d->given_up = 1; }

wvl_status wvl_drive_open(wvl_drive *d, const wvl_way *way, const wvl_image *image, wvl_row_window *rows)
{
    d->way = *way;
    d->image = image;
    d->rows = rows;
    d->tried = 0;
    d->is_begun = 0;
    d->reason[0] = 0;
    if (image->memory_kind == WVL_MEMORY_DEVICE && d->plan->device.choice != WVL_DEVICE_AUTO &&
        !wvl_plan_names_device(d->plan, image->device)) {
        snprintf(d->reason, sizeof d->reason, "the pixels lie on device %d", image->device);
        return WVL_ERROR_ARGUMENT;
    }
    if (d->plan->device.choice == WVL_DEVICE_CPU && d->way.needs_device) {
        snprintf(d->reason, sizeof d->reason,
                 "the pixels lie on a device, or have a ready event, and the CPU cannot read them; set the "
                 "option device to cuda");
        return WVL_ERROR_UNSUPPORTED;
    }
    if (way->kind == WVL_WAY_JOBS && (!rows || rows->on_device) && (!d->given_up || way->needs_device)) {
        wvl_status status = open_device(d);
        if (status == WVL_OK || d->way.needs_device) {
            return status;
        }
        tell_fallback(d);
    }
    if (rows && rows->on_device) {
        rows->on_device = 0;
        return WVL_AGAIN;
    }
    return open_host(d);
}

void wvl_drive_close(wvl_drive *d)
{
    wvl_drive_stop(d);
    while (d->station_count) {
        close_station(d, d->station_count - 1);
    }
    wvl_free(&d->plan->context->host, d->tile_memory, d->tile_bytes);
    d->table = NULL;
    d->tile_memory = NULL;
    d->jobs = 0;
}

void wvl_drive_init(wvl_drive *d, const wvl_plan *plan, wvl_wave *wave, const wvl_trace *trace, const wvl_look *look,
                    int many, uint32_t turn)
{
    memset(d, 0, sizeof *d);
    d->plan = plan;
    d->host = wvl_backend_fetch_host();
    d->wave = wave;
    d->trace = trace;
    d->look = look;
    d->many = many;
    d->turn = turn;
    d->cut = wvl_cut_waves(plan);
}

void wvl_drive_fini(wvl_drive *d)
{
    if (d->plan) {
        wvl_drive_close(d);
        wvl_free(&d->plan->context->host, d->views.memory, d->views.bytes);
        d->views.memory = NULL;
    }
}

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
            status = d->table->submit(station->backend, d->image, d->tiles[at], flight->count, &flight->job);
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
    close_station(d, d->failed);
    int is_open = d->station_count || (d->image->memory_kind != WVL_MEMORY_DEVICE && open_device(d) == WVL_OK);
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
    tell_fallback(d);
    *status = open_host(d);
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
