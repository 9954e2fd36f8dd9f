/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/pictures.h"

#include <stdio.h>

#include "backend/registry.h"
#include "base/try.h"
#include "codec/write/assembly.h"
#include "way/way.h"

#define WAIT_NANOSECONDS 200000 /* between two looks for a workspace */

/* ---- Open and close -------------------------------------------------------------------------- */

static wvl_status prepare_workspaces(wvl_pictures *p, uint32_t workspaces)
{
    wvl_backend_memory workspace;
    wvl_status status = WVL_OK;
    p->table->measure_picture(p->plan, &p->assembly, &workspace);
    if (p->plan->device.memory && workspace.device_bytes > p->plan->device.memory) {
        return WVL_ERROR_MEMORY;
    }
    for (p->workspaces = 0; p->workspaces < workspaces && status == WVL_OK; p->workspaces += status == WVL_OK) {
        status = p->table->prepare_picture(p->backend, p->plan, &p->assembly, &workspace);
    }
    return p->workspaces && status == WVL_ERROR_MEMORY ? WVL_OK : status;
}

static wvl_status open_backend(wvl_pictures *p, uint32_t workspaces, char *reason, size_t reason_bytes)
{
    const wvl_context *context = p->plan->context;
    wvl_backend_options options = {&context->host, context->pool, p->device, &context->trace, NULL};
    wvl_status status = p->table->open(&options, &p->backend);
    TRY(status, prepare_workspaces(p, workspaces));
    if (status != WVL_OK) {
        snprintf(reason, reason_bytes, "%s",
                 status == WVL_ERROR_MEMORY ? "it has too little memory" : wvl_status_text(status));
    }
    return status;
}

wvl_status wvl_pictures_open(wvl_pictures *p, const wvl_plan *plan, wvl_tile_range range, uint32_t ordinal,
                             uint32_t workspaces, char *reason, size_t reason_bytes)
{
    const char *why;
    memset(p, 0, sizeof *p);
    p->plan = plan;
    p->table = wvl_backend_fetch_device();
    p->ordinal = ordinal;
    if (wvl_way_reach(wvl_backend_fetch_device(), plan, NULL, &why) < WVL_REACH_PACKETS) {
        snprintf(reason, reason_bytes, "%s", why);
        return WVL_ERROR_UNSUPPORTED;
    }
    wvl_status status = wvl_context_fetch_device(plan->context, p->table, ordinal, &p->device, reason, reason_bytes);
    if (status == WVL_OK) {
        status = wvl_assembly_build(&plan->context->host, plan, range, &p->assembly, &why);
        snprintf(reason, reason_bytes, "%s", status == WVL_ERROR_UNSUPPORTED ? why : wvl_status_text(status));
    }
    TRY(status, open_backend(p, workspaces, reason, reason_bytes));
    if (status != WVL_OK) {
        wvl_pictures_close(p);
    }
    return status;
}

void wvl_pictures_close_backend(wvl_pictures *p)
{
    if (p->backend) {
        p->table->close(p->backend);
    }
    p->backend = NULL;
}

void wvl_pictures_close(wvl_pictures *p)
{
    wvl_pictures_close_backend(p);
    if (p->plan) {
        wvl_assembly_free(&p->plan->context->host, &p->assembly);
    }
    p->plan = NULL;
}

wvl_status wvl_pictures_measure(const wvl_plan *plan, wvl_tile_range range, wvl_backend_memory *memory)
{
    const char *why;
    wvl_assembly assembly;
    *memory = (wvl_backend_memory){.host_bytes = 0};
    if (wvl_way_reach(wvl_backend_fetch_device(), plan, NULL, &why) < WVL_REACH_PACKETS) {
        return WVL_OK;
    }
    wvl_status status = wvl_assembly_build(&plan->context->host, plan, range, &assembly, &why);
    if (status == WVL_OK) {
        wvl_backend_fetch_device()->measure_picture(plan, &assembly, memory);
        memory->host_bytes = wvl_add_saturate(memory->host_bytes, wvl_alloc_size(assembly.memory_bytes));
        wvl_assembly_free(&plan->context->host, &assembly);
    }
    return status == WVL_ERROR_UNSUPPORTED ? WVL_OK : status;
}

int wvl_pictures_take(const wvl_pictures *p, const wvl_plan *plan, const wvl_image *image)
{
    return p && p->backend && !atomic_load(&p->is_down) &&
           plan->memory.output_bytes_bound <= p->plan->memory.output_bytes_bound &&
           (image->memory_kind != WVL_MEMORY_DEVICE || (uint32_t)image->device == p->ordinal);
}

/* ---- A picture ------------------------------------------------------------------------------- */

static uint64_t packet_bytes_size(const wvl_plan *plan)
{
    return plan->syntax.component_count * (plan->syntax.max_levels + UINT64_C(1)) * plan->syntax.layer_count *
           sizeof(uint64_t);
}

static int take_lists(const wvl_pictures *p, wvl_picture_facts *facts)
{
    const wvl_allocator *host = &p->plan->context->host;
    facts->part_bytes = wvl_alloc(host, p->assembly.part_count * sizeof *facts->part_bytes);
    facts->packet_bytes = wvl_alloc_zeroed(host, packet_bytes_size(p->plan));
    facts->layers = wvl_alloc_zeroed(host, p->plan->syntax.layer_count * sizeof *facts->layers);
    return facts->part_bytes && facts->packet_bytes && facts->layers;
}

void wvl_pictures_drop(const wvl_pictures *p, wvl_picture_facts *facts, int keeps)
{
    const wvl_allocator *host = &p->plan->context->host;
    wvl_free(host, facts->part_bytes, p->assembly.part_count * sizeof *facts->part_bytes);
    wvl_free(host, facts->packet_bytes, packet_bytes_size(p->plan));
    wvl_free(host, facts->layers, p->plan->syntax.layer_count * sizeof *facts->layers);
    if (facts->finished.data && !keeps) {
        p->table->drop_picture(p->device, &facts->finished);
    }
    memset(facts, 0, sizeof *facts);
}

static void describe_layers(const wvl_plan *plan, const wvl_finished *finished, wvl_layer_result *layers)
{
    uint32_t last = plan->syntax.layer_count - 1;
    for (uint32_t i = 0; i < last; i++) {
        const wvl_assembly_layer *from = &finished->layers[i];
        int is_exact = from->is_everything && plan->rate.reversible_share >= 1.0;
        double error = is_exact ? 0.0 : wvl_layers_squared_error(plan, finished->energy, from->gain);
        layers[i] = (wvl_layer_result){from->bytes, from->threshold, error, -1.0};
    }
    /* The last layer holds everything. */
    wvl_layer_result *layer = &layers[last];
    layer->bytes = finished->bytes - finished->codestream_offset;
    layer->decoded_error = -1.0;
    int is_exact = plan->rate.lossless || (finished->is_everything && plan->rate.reversible_share >= 1.0);
    layer->slope = finished->threshold;
    layer->squared_error = is_exact ? 0.0 : wvl_layers_squared_error(plan, finished->energy, finished->gain);
}

wvl_status wvl_pictures_encode(wvl_pictures *p, const wvl_plan *plan, const wvl_image *image, const wvl_look *look,
                               wvl_picture_facts *facts)
{
    wvl_backend_job *job;
    memset(facts, 0, sizeof *facts);
    wvl_status status = take_lists(p, facts) ? WVL_AGAIN : WVL_ERROR_MEMORY;
    for (int is_again = 0; status == WVL_AGAIN && is_again < 2; is_again++) {
        /* Workspaces are enough for all that come at a time; one that is being replaced by a larger one, or that all
         * need which found too little memory elsewhere, is waited for. */
        const struct timespec pause = {0, WAIT_NANOSECONDS};
        while (status == WVL_AGAIN && !wvl_look_is_over(look)) {
            status = p->table->submit_picture(p->backend, plan, image, is_again, &job);
            if (status == WVL_AGAIN) {
                (void)nanosleep(&pause, NULL);
            }
        }
        if (status == WVL_OK) {
            status = p->table->wait(job, WVL_EVENT_DONE, UINT32_MAX);
            TRY(status, p->table->take_picture(job, &facts->finished, facts->part_bytes, facts->packet_bytes));
            if (status == WVL_OK) {
                facts->finished.device = p->device;
                describe_layers(p->plan, &facts->finished, facts->layers);
                facts->finished.layers = NULL; /* they were the job's */
            }
            p->table->release(job);
        }
    }
    status = (status == WVL_OK || status == WVL_AGAIN) && wvl_look_is_over(look) ? WVL_CANCELLED : status;
    if (status != WVL_OK) {
        wvl_pictures_drop(p, facts, 0);
    }
    if (status == WVL_ERROR_UNSUPPORTED || status == WVL_ERROR_DEVICE) {
        atomic_store(&p->is_down, 1);
    }
    return status;
}

/* ---- Result ---------------------------------------------------------------------------------- */

typedef struct part_source {
    const wvl_assembly *assembly;
    const wvl_picture_facts *facts;
} part_source;

static wvl_result_part part_of(const void *from, uint64_t index)
{
    const part_source *source = from;
    const wvl_assembly_part_name *name = &source->assembly->part_names[index];
    return (wvl_result_part){source->facts->part_bytes[index], name->tile, name->index, name->count, name->cap_group};
}

wvl_result *wvl_pictures_create_result(const wvl_pictures *p, const wvl_plan *plan, wvl_picture_facts *facts,
                                       const double *seconds)
{
    char backend[64];
    part_source source = {&p->assembly, facts};
    const wvl_finished *finished = &facts->finished;
    snprintf(backend, sizeof backend, "%s:%u packets", p->table->name, p->ordinal);
    wvl_result_facts of = {.plan = plan,
                           .codestream_offset = finished->codestream_offset,
                           .codestream_bytes = finished->bytes - finished->codestream_offset,
                           .main_header_bytes = (uint64_t)p->assembly.main_bytes + p->assembly.tlm_bytes,
                           .part_count = p->assembly.part_count,
                           .part = part_of,
                           .from = &source,
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
