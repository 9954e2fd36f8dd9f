/* SPDX-License-Identifier: BSD-2-Clause */
#include "drive.h"

#include <stdio.h>
#include <string.h>

#include "backend/registry.h"
#include "base/alloc.h"
#include "devices.h"
#include "pictures.h"

/* Pictures in flight: below so many samples, queueing costs more than the transform (1 Mi samples take the CPU about 3
 * ms). */
#define SAMPLES_MIN (UINT64_C(1) << 20)

/* ---- Choice ---------------------------------------------------------------------------------- */

const wvl_backend_vtable *wvl_drive_device_table(const wvl_plan *plan, const wvl_image *image, const char **reason)
{
    return (unsigned)wvl_pictures_reach(plan, image, reason) >= plan->device.reach ? wvl_backend_fetch_device() : NULL;
}

/* 0: only a device can reach the pixels, or wait for their event. */
static int host_can(const wvl_plan *plan, const wvl_image *image)
{
    const char *why;
    return wvl_backend_fetch_host()->reach(plan, image, WVL_REACH_COEFS, &why) != WVL_REACH_NONE;
}

int wvl_drive_wants_device(const wvl_plan *plan, const wvl_image *image, int many)
{
    const char *why;
    switch (plan->device.choice) {
    case WVL_DEVICE_CPU: return 0;
    case WVL_DEVICE_AUTO:
        return !host_can(plan, image) ||
               (many && plan->syntax.total_samples >= SAMPLES_MIN && wvl_drive_device_table(plan, image, &why));
    default: return 1;
    }
}

int wvl_drive_needs_device(const wvl_plan *plan, const wvl_image *image)
{
    return plan->device.choice == WVL_DEVICE_CUDA_ONLY || !host_can(plan, image);
}

static int needs_device(const wvl_drive *d) { return wvl_drive_needs_device(d->plan, d->image); }

/* ---- Memory ---------------------------------------------------------------------------------- */

uint32_t wvl_drive_measure(const wvl_plan *plan, const wvl_backend_vtable *table, wvl_wave *wave,
                           wvl_backend_memory *slot)
{
    uint32_t waves = 0;
    *slot = (wvl_backend_memory){.host_bytes = 0};
    for (uint32_t first = 0, count; first < plan->syntax.tile_count; first += count, waves++) {
        wvl_backend_memory need;
        count = wvl_wave_build(plan, first, wave->tiles);
        table->measure(plan, wave->tiles, count, wvl_pool_concurrency(plan->context->pool), &need);
        slot->host_bytes = wvl_max_u64(slot->host_bytes, need.host_bytes);
        slot->pinned_bytes = wvl_max_u64(slot->pinned_bytes, need.pinned_bytes);
        slot->device_bytes = wvl_max_u64(slot->device_bytes, need.device_bytes);
        slot->least_device_bytes = wvl_max_u64(slot->least_device_bytes, need.least_device_bytes);
        slot->spill_bytes = wvl_max_u64(slot->spill_bytes, need.spill_bytes);
    }
    return waves;
}

uint32_t wvl_drive_jobs(const wvl_backend_vtable *table, uint32_t waves)
{
    return wvl_min_u32(wvl_min_u32(table->jobs, WVL_DRIVE_JOBS), waves);
}

/* Tile plans of all flights beyond the first. */
static wvl_status open_tiles(wvl_drive *d, uint32_t jobs)
{
    wvl_tile_plan *unused;
    wvl_carver carver = {NULL, 0};
    for (uint32_t i = 1; i < jobs; i++) {
        wvl_wave_carve_tiles(d->plan, &carver, &unused);
    }
    d->tile_bytes = carver.used;
    carver = (wvl_carver){jobs > 1 ? wvl_alloc_zeroed(&d->plan->context->host, d->tile_bytes) : NULL, 0};
    d->tile_memory = carver.base;
    for (uint32_t i = 1; i < jobs && carver.base; i++) {
        wvl_wave_carve_tiles(d->plan, &carver, &d->tiles[i]);
    }
    return jobs > 1 && !carver.base ? WVL_ERROR_MEMORY : WVL_OK;
}

/* As many slots as there is memory for, and at least one. */
static wvl_status prepare_slots(wvl_drive *d, wvl_drive_lane *lane, const wvl_backend_memory *slot, uint32_t jobs)
{
    wvl_status status = WVL_OK;
    for (lane->jobs = 0; lane->jobs < jobs && status == WVL_OK; lane->jobs += status == WVL_OK) {
        status = d->table->prepare(lane->backend, d->plan, slot);
    }
    if (lane->jobs && status == WVL_ERROR_MEMORY) {
        wvl_context_log(d->plan->context, WVL_LOG_INFO, "device memory is enough for %u of %u waves at a time",
                        lane->jobs, jobs);
        status = WVL_OK;
    }
    return status;
}

/* ---- Open and close -------------------------------------------------------------------------- */

static void close_lane(wvl_drive *d, uint32_t index)
{
    wvl_drive_lane *lane = &d->lanes[index];
    if (lane->backend) {
        d->table->close(lane->backend);
    }
    d->jobs -= lane->jobs;
    *lane = d->lanes[--d->lane_count];
}

/* A backend more, of d->table. */
static wvl_status open_lane(wvl_drive *d, wvl_device *device, uint32_t ordinal, const wvl_backend_memory *slot,
                            uint32_t jobs)
{
    wvl_backend_options options = {&d->plan->context->host, d->plan->context->pool, device, d->trace, d->look};
    wvl_drive_lane *lane = &d->lanes[d->lane_count++];
    *lane = (wvl_drive_lane){.device = device, .ordinal = ordinal};
    wvl_status status = d->table->open(&options, &lane->backend);
    status = status == WVL_OK ? prepare_slots(d, lane, slot, jobs) : status;
    if (status != WVL_OK) {
        lane->jobs = 0;
        close_lane(d, d->lane_count - 1);
    } else {
        d->jobs += lane->jobs;
    }
    return status;
}

static void set_table(wvl_drive *d, const wvl_backend_vtable *table)
{
    const char *why;
    d->table = table;
    d->reach = table->reach(d->plan, d->image, WVL_REACH_BLOCKS, &why);
}

/* Lanes are open, or were tried: tile plans for all of them, or nothing at all. */
static wvl_status finish_open(wvl_drive *d, wvl_status status)
{
    status = status == WVL_OK ? open_tiles(d, d->jobs) : status;
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
    return finish_open(d, open_lane(d, NULL, 0, &d->plan->memory.backend, 1));
}

/* Devices for the picture, those that failed with it left out. */
static uint32_t list_devices(const wvl_drive *d, uint32_t *ordinals)
{
    uint32_t all[WVL_DRIVE_LANES] = {(uint32_t)d->image->device}, count = 0;
    uint32_t of_plan =
        d->image->memory_kind == WVL_MEMORY_DEVICE ? 1 : wvl_devices_rotate(d->plan, d->many ? d->turn : 0, all);
    for (uint32_t i = 0; i < of_plan; i++) {
        if (all[i] > WVL_DEVICE_ORDINAL_MAX || !(d->tried >> all[i] & 1)) {
            ordinals[count++] = all[i];
        }
    }
    return count;
}

/* The lane of the picture before serves this one: only pictures in flight leave one open. */
static int is_open_for(const wvl_drive *d, const wvl_backend_vtable *table)
{
    const wvl_drive_lane *lane = &d->lanes[0];
    int is_open = d->table == table && d->lane_count && !table->is_lost(lane->device);
    return is_open && (d->image->memory_kind == WVL_MEMORY_DEVICE ? lane->ordinal == (uint32_t)d->image->device
                                                                  : wvl_plan_names_device(d->plan, (int)lane->ordinal));
}

static wvl_status open_device_lane(wvl_drive *d, uint32_t ordinal, const wvl_backend_memory *slot, uint32_t jobs)
{
    wvl_device *device = NULL;
    d->ordinal = ordinal;
    (void)snprintf(d->reason, sizeof d->reason, "it has too little memory"); /* unless something else turns out */
    wvl_status status =
        wvl_context_fetch_device(d->plan->context, d->table, ordinal, &device, d->reason, sizeof d->reason);
    status = status == WVL_OK ? open_lane(d, device, ordinal, slot, jobs) : status;
    d->reason[0] = status == WVL_OK ? 0 : d->reason[0];
    return status;
}

/* One for a picture in flight, else all that there are waves for. */
static wvl_status open_lanes(wvl_drive *d, const uint32_t *ordinals, uint32_t count)
{
    wvl_backend_memory slot;
    uint32_t waves = wvl_drive_measure(d->plan, d->table, d->wave, &slot),
             wanted = d->many ? 1 : wvl_min_u32(count, waves),
             jobs = wvl_drive_jobs(d->table, (waves + wanted - 1) / wanted);
    wvl_status status = WVL_ERROR_DEVICE;
    for (uint32_t i = 0; i < count && d->lane_count < wanted; i++) {
        status = open_device_lane(d, ordinals[i], &slot, jobs);
        if (status != WVL_OK && i + 1 < count) {
            wvl_context_log(d->plan->context, WVL_LOG_WARNING, "device %u: %s; the other devices do its work",
                            ordinals[i], d->reason);
        }
    }
    return d->lane_count ? WVL_OK : status;
}

static wvl_status open_device(wvl_drive *d)
{
    const char *reason;
    uint32_t ordinals[WVL_DRIVE_LANES];
    const wvl_backend_vtable *table = wvl_drive_device_table(d->plan, d->image, &reason);
    if (!table) {
        int is_asked = d->plan->device.reach > WVL_REACH_COEFS;
        (void)snprintf(d->reason, sizeof d->reason, "%s%s",
                       is_asked ? "the device does less than the option reach asks for: " : "", reason);
        return WVL_ERROR_UNSUPPORTED;
    }
    if (is_open_for(d, table)) {
        return WVL_OK;
    }
    uint32_t count = list_devices(d, ordinals);
    wvl_drive_close(d);
    if (!count) {
        return WVL_ERROR_DEVICE; /* all have failed: the reason is there */
    }
    set_table(d, table);
    wvl_status status = finish_open(d, open_lanes(d, ordinals, count));
    if (status == WVL_OK) {
        d->reason[0] = 0;
        if (reason) {
            wvl_context_log(d->plan->context, WVL_LOG_DEBUG, "device %u: %s", d->ordinal, reason);
        }
    }
    return status;
}

static void tell_fallback(wvl_drive *d)
{
    wvl_context_log(d->plan->context, d->plan->device.choice == WVL_DEVICE_AUTO ? WVL_LOG_INFO : WVL_LOG_WARNING,
                    "device %u: %s; the CPU takes over", d->ordinal, d->reason);
    d->reason[0] = 0;
    d->given_up = 1;
}

void wvl_drive_give_up(wvl_drive *d) { d->given_up = 1; }

wvl_status wvl_drive_open(wvl_drive *d, const wvl_image *image, wvl_row_window *rows)
{
    d->image = image;
    d->rows = rows;
    d->tried = 0;
    d->reason[0] = 0;
    if (image->memory_kind == WVL_MEMORY_DEVICE && d->plan->device.choice != WVL_DEVICE_AUTO &&
        !wvl_plan_names_device(d->plan, image->device)) {
        (void)snprintf(d->reason, sizeof d->reason, "the pixels lie on device %d", image->device);
        return WVL_ERROR_ARGUMENT;
    }
    if (d->plan->device.choice == WVL_DEVICE_CPU && needs_device(d)) {
        (void)snprintf(d->reason, sizeof d->reason,
                       "the pixels lie on a device, or have a ready event, and the CPU cannot read them; set the "
                       "option device to cuda");
        return WVL_ERROR_UNSUPPORTED;
    }
    if (!rows && wvl_drive_wants_device(d->plan, image, d->many) && (!d->given_up || needs_device(d))) {
        wvl_status status = open_device(d);
        if (status == WVL_OK || needs_device(d)) {
            return status;
        }
        tell_fallback(d);
    }
    return open_host(d);
}

void wvl_drive_close(wvl_drive *d)
{
    wvl_drive_stop(d);
    while (d->lane_count) {
        close_lane(d, d->lane_count - 1);
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
    d->tiles[0] = wave->tiles;
}

void wvl_drive_fini(wvl_drive *d)
{
    if (d->plan) {
        wvl_drive_close(d);
    }
}

/* ---- Waves ----------------------------------------------------------------------------------- */

wvl_status wvl_drive_start(wvl_drive *d)
{
    d->oldest = d->count = d->next_tile = 0;
    d->ahead = WVL_OK;
    d->used = 0;
    d->used_devices = 0;
    return d->rows ? wvl_rows_begin(d->rows) : WVL_OK;
}

/* The rows of tiles that follow one another. */
static wvl_status bring_rows(const wvl_drive *d, const wvl_tile_plan *tiles, uint32_t count)
{
    return d->rows ? wvl_rows_bring(d->rows, d->look, tiles[0].rect.y0, tiles[count - 1].rect.y1) : WVL_OK;
}

/* The lane with the least in flight: one has a free slot, for there are fewer flights than slots. */
static uint32_t choose_lane(const wvl_drive *d)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < d->lane_count; i++) {
        const wvl_drive_lane *lane = &d->lanes[i], *other = &d->lanes[best];
        int is_free = lane->in_flight < lane->jobs, is_less = lane->in_flight < other->in_flight;
        best = is_free && (is_less || other->in_flight == other->jobs) ? i : best;
    }
    return best;
}

static wvl_status submit_wave(wvl_drive *d)
{
    uint32_t at = (d->oldest + d->count) % d->jobs;
    wvl_drive_flight *flight = &d->flight[at];
    flight->first = d->next_tile;
    flight->count = wvl_wave_build(d->plan, flight->first, d->tiles[at]);
    flight->lane = choose_lane(d);
    wvl_drive_lane *lane = &d->lanes[flight->lane];
    wvl_status status = bring_rows(d, d->tiles[at], flight->count);
    if (status == WVL_OK) {
        wvl_numa_visit visit;
        wvl_devices_visit(d->plan->context, d->table, lane->device, &visit);
        status = d->table->submit(lane->backend, d->image, d->tiles[at], flight->count, &flight->job);
        wvl_numa_leave(&visit);
        d->failed = flight->lane;
    }
    if (status == WVL_OK) {
        lane->in_flight++;
        d->count++;
        d->next_tile += flight->count;
    }
    return status;
}

static wvl_status submit_waves(wvl_drive *d)
{
    wvl_status status = WVL_OK;
    while (status == WVL_OK && d->count < d->jobs && d->next_tile < d->plan->syntax.tile_count &&
           !wvl_look_is_over(d->look)) {
        status = submit_wave(d);
    }
    return status;
}

/* Once is enough: a second call finds nothing to do. */
void wvl_drive_submit_ahead(wvl_drive *d) { d->ahead = d->ahead == WVL_OK ? submit_waves(d) : d->ahead; }

static wvl_status take_wave(const wvl_drive *d, const wvl_drive_flight *flight)
{
    if (d->reach < WVL_REACH_BLOCKS || d->plan->rate.keep_coefs) {
        return d->table->collect(flight->job, d->wave->coefs);
    }
    for (uint32_t i = 0; i < flight->count; i++) {
        d->wave->coefs[i] = (wvl_coefs){.tile = &d->tiles[d->oldest][i]};
    }
    return WVL_OK;
}

static wvl_status fetch_wave(wvl_drive *d, uint32_t *count)
{
    wvl_status status = d->ahead;
    d->ahead = WVL_OK;
    if (status == WVL_OK && !(d->count && d->table->wait(d->flight[d->oldest].job, WVL_EVENT_DONE, 0) ==
                                              WVL_OK)) { /* there is time for it */
        status = submit_waves(d);
    }
    if (status != WVL_OK || !d->count) {
        return status == WVL_OK ? WVL_END : status;
    }
    const wvl_drive_flight *flight = &d->flight[d->oldest];
    d->failed = flight->lane;
    status = d->table->wait(flight->job, WVL_EVENT_DONE, UINT32_MAX);
    *count = flight->count;
    status = status == WVL_OK ? take_wave(d, flight) : status;
    if (status == WVL_OK && !d->many && d->count == 1 && d->next_tile == d->plan->syntax.tile_count && d->table->trim) {
        d->table->trim(d->lanes[flight->lane].backend); /* the last wave is coded in what it leaves */
    }
    return status;
}

static void tell_reason(wvl_drive *d, wvl_status status, int lost)
{
    (void)snprintf(d->reason, sizeof d->reason, "%s",
                   lost                         ? "it failed and is lost"
                   : status == WVL_ERROR_MEMORY ? "it has too little memory"
                                                : "it failed");
}

/* The failed lane closes, and the others begin again with the oldest wave in flight; without others, another device
 * of the plan. 0: there is none. */
static int change_to_device(wvl_drive *d)
{
    char reason[sizeof d->reason];
    memcpy(reason, d->reason, sizeof reason);
    d->next_tile = d->count ? d->flight[d->oldest].first : d->next_tile;
    wvl_drive_stop(d);
    close_lane(d, d->failed);
    int is_open = d->lane_count || (d->image->memory_kind != WVL_MEMORY_DEVICE && open_device(d) == WVL_OK);
    uint32_t ordinal = d->ordinal;
    if (is_open) {
        wvl_context_log(d->plan->context, WVL_LOG_WARNING, "device %u: %s; the other devices do its work", ordinal,
                        reason);
    }
    memcpy(d->reason, reason, sizeof reason);
    return is_open;
}

/* The device is of no use for this picture any more. Nonzero: others go on, or the CPU. */
static int change_lane(wvl_drive *d, wvl_status *status)
{
    if (d->table == d->host || (*status != WVL_ERROR_MEMORY && *status != WVL_ERROR_DEVICE)) {
        return 0;
    }
    const wvl_drive_lane *lane = &d->lanes[d->failed];
    int lost = d->table->is_lost(lane->device), is_one = !(d->plan->device.ordinals & (d->plan->device.ordinals - 1));
    d->ordinal = lane->ordinal;
    d->tried |= UINT32_C(1) << lane->ordinal;
    tell_reason(d, *status, lost);
    if (!is_one && change_to_device(d)) {
        d->reason[0] = 0;
        *status = WVL_OK;
        return 1;
    }
    if (lost || needs_device(d)) {
        return 0;
    }
    d->next_tile = d->count ? d->flight[d->oldest].first : d->next_tile;
    tell_fallback(d);
    *status = open_host(d);
    return *status == WVL_OK;
}

/* The wave that is handed over. */
static void note_wave(wvl_drive *d)
{
    if (!wvl_backend_has_devices(d->table)) {
        d->used |= WVL_DRIVE_HOST;
    } else {
        d->used |= WVL_DRIVE_DEVICE | (d->reach < WVL_REACH_BLOCKS ? WVL_DRIVE_COEFS : 0);
        d->used_devices |= UINT32_C(1) << d->lanes[d->flight[d->oldest].lane].ordinal;
    }
}

wvl_status wvl_drive_next(wvl_drive *d, uint32_t *count)
{
    wvl_status status;
    do {
        status = fetch_wave(d, count);
    } while (status < 0 && change_lane(d, &status));
    if (status == WVL_OK) {
        note_wave(d);
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
    if (d->plan->device.reach >= WVL_REACH_BLOCKS && needs_device(d)) {
        (void)snprintf(d->reason, sizeof d->reason,
                       "it could not code the blocks of a picture, and the option reach asks for that");
        return why;
    }
    uint32_t count;
    d->failed = d->flight[d->oldest].lane;
    wvl_status status = d->table->collect(d->flight[d->oldest].job, d->wave->coefs);
    if (status == WVL_OK) {
        d->used |= WVL_DRIVE_COEFS;
        wvl_context_log(d->plan->context, WVL_LOG_INFO, "device %u: %s; the CPU codes the blocks",
                        d->lanes[d->failed].ordinal, wvl_status_text(why));
        return WVL_OK;
    }
    while (status != WVL_OK && change_lane(d, &status)) {
        d->ahead = WVL_OK;
        status = fetch_wave(d, &count);
        if (status == WVL_OK) {
            note_wave(d);
            d->used |= d->table == d->host ? 0 : WVL_DRIVE_COEFS;
            status = d->table->collect(d->flight[d->oldest].job, d->wave->coefs);
        }
    }
    return status;
}

void wvl_drive_pass(wvl_drive *d)
{
    d->table->release(d->flight[d->oldest].job);
    d->lanes[d->flight[d->oldest].lane].in_flight--;
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
        (void)snprintf(text, bytes, "%s", host);
        return;
    }
    char devices[48] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < WVL_DRIVE_LANES; i++) {
        if (d->used_devices >> i & 1) {
            used += (size_t)snprintf(devices + used, sizeof devices - used, "%s%u", used ? "," : "", i);
        }
    }
    int is_mixed = d->used & WVL_DRIVE_HOST;
    int is_coded = (d->used & (WVL_DRIVE_BLOCKS | WVL_DRIVE_COEFS)) == WVL_DRIVE_BLOCKS;
    (void)snprintf(text, bytes, "%s:%s%s%s%s", wvl_backend_fetch_device()->name, devices, is_coded ? " blocks" : "",
                   is_mixed ? " " : "", is_mixed ? host : "");
}
