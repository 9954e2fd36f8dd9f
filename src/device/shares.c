/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/shares.h"

#include <stdio.h>

#include "backend/registry.h"
#include "base/fpenv.h"
#include "base/try.h"
#include "codec/write/assembly.h"
#include "way/way.h"

/* ---- Division -------------------------------------------------------------------------------- */

/* Whole rows of tiles where there are enough: pixels of a range are those of its rows. */
static uint32_t begin_range(const wvl_plan *plan, uint32_t index, uint32_t count)
{
    const wvl_syntax_plan *s = &plan->syntax;
    uint32_t unit = s->tile_count / s->tile_cols >= count ? s->tile_cols : 1;
    return unit * (uint32_t)((uint64_t)(s->tile_count / unit) * index / count);
}

static wvl_tile_range find_range(const wvl_plan *plan, uint32_t index, uint32_t count)
{
    uint32_t first = begin_range(plan, index, count);
    return (wvl_tile_range){first, begin_range(plan, index + 1, count) - first};
}

void wvl_shares_divide(wvl_shares *s, const wvl_plan *plan, const wvl_image *image)
{
    wvl_device_list devices = wvl_devices_list(plan, image, 0);
    uint32_t count = wvl_way_shares(plan, image, &devices);
    memset(s, 0, sizeof *s);
    s->plan = plan;
    s->image = image;
    s->count = count;
    for (uint32_t i = 0; i < s->count; i++) {
        s->share[i].of = s;
        s->share[i].range = find_range(plan, i, count);
        s->share[i].ordinal = devices.ordinals[i];
    }
}

wvl_status wvl_shares_measure(const wvl_plan *plan, wvl_backend_memory *memory)
{
    wvl_device_list devices = wvl_devices_list(plan, NULL, 0);
    uint32_t count = wvl_way_shares(plan, NULL, &devices);
    wvl_status status = WVL_OK;
    *memory = (wvl_backend_memory){.host_bytes = 0};
    for (uint32_t i = 0; i < count && count > 1 && status == WVL_OK; i++) {
        wvl_backend_memory own;
        status = wvl_pictures_measure(plan, find_range(plan, i, count), &own);
        memory->host_bytes = wvl_add_saturate(memory->host_bytes, own.host_bytes);
        memory->pinned_bytes = wvl_max_u64(memory->pinned_bytes, own.pinned_bytes);
        memory->device_bytes = wvl_max_u64(memory->device_bytes, own.device_bytes);
    }
    return status;
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

static void close_share(wvl_share *share)
{
    if (share->pictures.plan) {
        wvl_pictures_drop(&share->pictures, &share->facts, 0);
        wvl_pictures_close(&share->pictures);
    }
}

static void *encode_share(void *arg)
{
    wvl_share *share = arg;
    const wvl_shares *s = share->of;
    wvl_pictures *p = &share->pictures;
    wvl_fpenv env;
    wvl_fpenv_enter(&env);
    share->status = wvl_pictures_open(p, s->plan, share->range, share->ordinal, 1, share->reason, sizeof share->reason);
    if (share->status == WVL_OK) {
        share->status = wvl_pictures_encode(p, s->plan, s->image, s->look, &share->facts);
        snprintf(share->reason, sizeof share->reason, "%s", wvl_status_text(share->status));
    }
    if (share->status != WVL_OK) {
        close_share(share);
    } else { /* the device may get another range */
        wvl_pictures_close_backend(p);
    }
    wvl_fpenv_leave(&env);
    return NULL;
}

static int may_move(wvl_status status) { return status == WVL_ERROR_DEVICE || status == WVL_ERROR_MEMORY; }

/* The device is of no use for this picture any more. */
static void note_failure(wvl_shares *s, const wvl_share *share)
{
    s->failed |= UINT32_C(1) << share->ordinal;
    wvl_context_log(s->plan->context, WVL_LOG_WARNING, "device %u: %s; the other devices do its work", share->ordinal,
                    share->reason);
}

/* On the devices that are left, the first of them first. */
static void encode_elsewhere(wvl_shares *s, wvl_share *share)
{
    note_failure(s, share);
    for (uint32_t i = 0; i < s->count && may_move(share->status); i++) {
        uint32_t ordinal = s->share[i].ordinal;
        if (s->share[i].status != WVL_OK || s->failed >> ordinal & 1) {
            continue;
        }
        share->ordinal = ordinal;
        (void)encode_share(share);
        if (may_move(share->status)) {
            note_failure(s, share);
        }
    }
}

static wvl_status put_main(wvl_shares *s)
{
    const wvl_allocator *host = &s->plan->context->host;
    uint64_t parts = s->plan->syntax.part_count, used = 0;
    uint32_t *bytes = wvl_alloc(host, parts * sizeof *bytes);
    for (uint32_t i = 0; i < s->count && bytes; i++) {
        const wvl_share *share = &s->share[i];
        memcpy(bytes + used, share->facts.part_bytes, share->pictures.assembly.part_count * sizeof *bytes);
        used += share->pictures.assembly.part_count;
    }
    for (uint64_t i = 0; i < used; i++) {
        s->body_bytes += bytes[i];
    }
    wvl_status status =
        bytes ? wvl_assembly_put_main(host, s->plan, bytes, &s->header, &s->header_bytes) : WVL_ERROR_MEMORY;
    wvl_free(host, bytes, parts * sizeof *bytes);
    return status;
}

/* A thread for each device, the caller's among them; what has none is done in turn. */
wvl_status wvl_shares_encode(wvl_shares *s, const wvl_look *look)
{
    pthread_t threads[WVL_DEVICE_ORDINAL_MAX + 1];
    uint32_t has_thread = 0;
    wvl_status status = WVL_OK;
    s->look = look;
    for (uint32_t i = 1; i < s->count && wvl_pool_starts_threads(s->plan->context->pool); i++) {
        has_thread |= (uint32_t)(pthread_create(&threads[i], NULL, encode_share, &s->share[i]) == 0) << i;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        if (!(has_thread >> i & 1)) {
            (void)encode_share(&s->share[i]);
        }
    }
    for (uint32_t i = 1; i < s->count; i++) {
        if (has_thread >> i & 1) {
            (void)pthread_join(threads[i], NULL);
        }
    }
    for (uint32_t i = 0; i < s->count; i++) {
        if (may_move(s->share[i].status)) {
            encode_elsewhere(s, &s->share[i]);
        }
        TRY(status, s->share[i].status);
    }
    return status == WVL_OK ? put_main(s) : status;
}

const uint8_t *wvl_shares_fetch_body(const wvl_shares *s, uint32_t index, uint64_t *bytes)
{
    const wvl_share *share = &s->share[index];
    const wvl_assembly *a = &share->pictures.assembly;
    const wvl_finished *finished = &share->facts.finished;
    uint64_t at = finished->codestream_offset + a->main_bytes + a->tlm_bytes;
    *bytes = finished->bytes - at - WVL_CS_END_BYTES;
    return finished->data + at;
}

void wvl_shares_close(wvl_shares *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        close_share(&s->share[i]);
    }
    if (s->plan) {
        wvl_free(&s->plan->context->host, s->header, s->header_bytes);
    }
    s->header = NULL;
    s->count = 0;
}

/* ---- Result ---------------------------------------------------------------------------------- */

static wvl_result_part part_of(const void *from, uint64_t index)
{
    const wvl_shares *s = from;
    const wvl_share *share = s->share;
    while (index >= share->pictures.assembly.part_count) {
        index -= share->pictures.assembly.part_count;
        share++;
    }
    const wvl_assembly_part_name *name = &share->pictures.assembly.part_names[index];
    return (wvl_result_part){share->facts.part_bytes[index], name->tile, name->index, name->count, name->cap_group};
}

wvl_result *wvl_shares_create_result(wvl_shares *s, uint64_t codestream_offset, const double *seconds)
{
    char backend[64];
    wvl_picture_facts *facts = &s->share[0].facts;
    uint64_t codestream = s->header_bytes + s->body_bytes + WVL_CS_END_BYTES;
    /* "cuda:0,1 packets". */
    size_t bytes = sizeof backend;
    uint32_t used = 0;
    size_t end = (size_t)snprintf(backend, bytes, "%s", wvl_backend_fetch_device()->name);
    for (uint32_t i = 0; i < s->count; i++) {
        used |= UINT32_C(1) << s->share[i].ordinal;
    }
    for (uint32_t i = 0, first = 1; i <= WVL_DEVICE_ORDINAL_MAX; i++) {
        if (used >> i & 1) {
            end += (size_t)snprintf(backend + end, bytes - end, "%c%u", first ? ':' : ',', i);
            first = 0;
        }
    }
    snprintf(backend + end, bytes - end, " packets");
    /* Sums of all ranges, in the lists of the first. */
    const wvl_plan *plan = s->plan;
    wvl_picture_facts *to = &s->share[0].facts;
    uint64_t rows = plan->syntax.component_count * (plan->syntax.max_levels + UINT64_C(1));
    double energy = 0.0, gain = 0.0;
    int is_exact = plan->rate.lossless;
    for (uint32_t i = 0; i < s->count; i++) {
        const wvl_picture_facts *from = &s->share[i].facts;
        energy += from->finished.energy;
        gain += from->finished.gain;
        for (uint64_t k = 0; k < rows && i; k++) {
            to->packet_bytes[k] += from->packet_bytes[k];
        }
    }
    to->layers[0].bytes = codestream;
    to->layers[0].squared_error = is_exact ? 0.0 : wvl_layers_squared_error(plan, energy, gain);
    wvl_result_facts of = {.plan = s->plan,
                           .codestream_offset = codestream_offset,
                           .codestream_bytes = codestream,
                           .main_header_bytes = s->header_bytes,
                           .part_count = s->plan->syntax.part_count,
                           .part = part_of,
                           .from = s,
                           .packet_bytes = facts->packet_bytes,
                           .layers = facts->layers,
                           .seconds = seconds,
                           .backend = backend};
    wvl_result *result = wvl_result_create(&of);
    if (result) {
        facts->packet_bytes = NULL;
        facts->layers = NULL;
    }
    return result;
}
