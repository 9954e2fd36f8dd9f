/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/result.h"

#include <stdio.h>

#include "codec/rate/quality.h"

struct wvl_result {
    wvl_context *context;
    wvl_span codestream, main_header;
    uint64_t part_count, part_bytes;
    wvl_tile_part_info *parts;
    uint32_t component_count, resolution_count, layer_count;
    uint64_t *packet_bytes;
    uint64_t packet_bytes_size;
    wvl_layer_result *layers;
    double *psnr;
    double seconds[WVL_STAGES];
    char backend[64];
    uint32_t fill_count;
    wvl_fill *fills; /* the codestream, then the cap groups */
};

static void fill_parts(wvl_result *result, const wvl_result_facts *facts, uint64_t offset)
{
    for (uint64_t i = 0; i < result->part_count; i++) {
        wvl_result_part part = facts->part(facts->from, i);
        result->parts[i] = (wvl_tile_part_info){offset, part.bytes, part.tile, part.index, part.count};
        offset += part.bytes;
    }
}

static uint64_t target_of(const wvl_plan *plan)
{
    const wvl_layer_target *last = &plan->rate.layers[plan->syntax.layer_count - 1];
    return last->kind == WVL_RATE_BYTES && last->value < 1e18 ? (uint64_t)last->value : 0;
}

uint64_t wvl_result_bytes_of_plan(const wvl_plan *plan)
{
    return wvl_alloc_size(sizeof(wvl_result)) + wvl_alloc_size(wvl_plan_most_parts(plan) * sizeof(wvl_tile_part_info)) +
           wvl_alloc_size(plan->syntax.layer_count * sizeof(double)) +
           wvl_alloc_size((wvl_plan_cap_groups(plan) + UINT64_C(1)) * sizeof(wvl_fill));
}

static wvl_result *create_empty(const wvl_result_facts *facts)
{
    const wvl_plan *plan = facts->plan;
    wvl_context *context = plan->context;
    wvl_result *result = wvl_alloc_zeroed(&context->host, sizeof *result);
    if (!result) {
        return NULL;
    }
    result->context = context;
    wvl_context_retain(context);
    result->part_count = facts->part_count;
    result->part_bytes = facts->part_count * sizeof *result->parts;
    result->parts = wvl_alloc(&context->host, result->part_bytes);
    result->layer_count = plan->syntax.layer_count;
    result->psnr = wvl_alloc(&context->host, plan->syntax.layer_count * sizeof *result->psnr);
    result->fill_count = wvl_plan_cap_groups(plan) + 1;
    result->fills = wvl_alloc_zeroed(&context->host, result->fill_count * sizeof *result->fills);
    if (!result->parts || !result->psnr || !result->fills) {
        wvl_result_release(result);
        return NULL;
    }
    return result;
}

wvl_result *wvl_result_create(const wvl_result_facts *facts)
{
    const wvl_plan *plan = facts->plan;
    wvl_result *result = create_empty(facts);
    if (!result) {
        return NULL;
    }
    result->codestream = (wvl_span){facts->codestream_offset, facts->codestream_bytes};
    result->main_header = (wvl_span){facts->codestream_offset, facts->main_header_bytes};
    fill_parts(result, facts, facts->codestream_offset + facts->main_header_bytes);
    wvl_fill *fills = result->fills;
    /* Says whether tile-parts tell what a component takes: each holds one component. */
    int tell = facts->part_count && facts->part(facts->from, 0).cap_group != WVL_CS_MIXED;
    fills[0] = (wvl_fill){UINT32_MAX, 0, result->codestream.bytes, target_of(plan), plan->rate.max_bytes};
    for (uint32_t g = 0; g + 1 < result->fill_count; g++) {
        fills[1 + g] = (wvl_fill){g % plan->syntax.component_count, g / plan->syntax.component_count, 0, 0,
                                  plan->rate.max_component_bytes};
    }
    for (uint64_t i = 0; tell && i < facts->part_count; i++) {
        wvl_result_part part = facts->part(facts->from, i);
        fills[1 + part.cap_group].bytes += part.bytes;
    }
    const uint64_t *at = facts->packet_bytes;
    for (uint32_t c = 0; c < plan->syntax.component_count && !tell; c++) {
        for (uint32_t r = 0; r <= plan->syntax.max_levels; r++, at += plan->syntax.layer_count) {
            for (uint32_t l = 0; l < plan->syntax.layer_count; l++) {
                fills[1 + wvl_plan_cap_group(plan, c, r)].bytes += at[l];
            }
        }
    }
    result->component_count = plan->syntax.component_count;
    result->resolution_count = plan->syntax.max_levels + 1u;
    result->packet_bytes_size =
        (uint64_t)result->component_count * result->resolution_count * result->layer_count * sizeof(uint64_t);
    result->packet_bytes = facts->packet_bytes;
    result->layers = facts->layers;
    for (uint32_t l = 0; l < result->layer_count; l++) {
        const wvl_layer_result *layer = &result->layers[l];
        result->psnr[l] = layer->decoded_error >= 0.0 ? wvl_rate_psnr_for_decoded_error(plan, layer->decoded_error)
                                                      : wvl_rate_psnr_for_error(plan, layer->squared_error);
    }
    for (int i = 0; i < WVL_STAGES; i++) {
        result->seconds[i] = facts->seconds[i];
    }
    snprintf(result->backend, sizeof result->backend, "%s", facts->backend);
    return result;
}

void wvl_result_release(wvl_result *result)
{
    if (!result) {
        return;
    }
    wvl_context *context = result->context;
    const wvl_allocator *host = &context->host;
    wvl_free(host, result->parts, result->part_bytes);
    wvl_free(host, result->psnr, result->layer_count * sizeof *result->psnr);
    wvl_free(host, result->fills, result->fill_count * sizeof *result->fills);
    wvl_free(host, result->packet_bytes, result->packet_bytes_size);
    wvl_free(host, result->layers, result->layer_count * sizeof *result->layers);
    wvl_free(host, result, sizeof *result);
    wvl_context_release(context);
}

uint64_t wvl_result_bytes(const wvl_result *result)
{
    return result ? result->codestream.offset + result->codestream.bytes : 0;
}
wvl_span wvl_result_codestream(const wvl_result *result) { return result ? result->codestream : (wvl_span){0, 0}; }
wvl_span wvl_result_main_header(const wvl_result *result) { return result ? result->main_header : (wvl_span){0, 0}; }
uint32_t wvl_result_tile_part_count(const wvl_result *result) { return result ? (uint32_t)result->part_count : 0; }
uint32_t wvl_result_layer_count(const wvl_result *result) { return result ? result->layer_count : 0; }

wvl_status wvl_result_tile_part(const wvl_result *result, uint32_t index, wvl_tile_part_info *info)
{
    if (!result || !info || index >= result->part_count) {
        return WVL_ERROR_ARGUMENT;
    }
    *info = result->parts[index];
    return WVL_OK;
}

uint32_t wvl_result_fill_count(const wvl_result *result) { return result ? result->fill_count : 0; }

wvl_status wvl_result_fill(const wvl_result *result, uint32_t index, wvl_fill *fill)
{
    if (!result || !fill || index >= result->fill_count) {
        return WVL_ERROR_ARGUMENT;
    }
    *fill = result->fills[index];
    return WVL_OK;
}

static int selects(uint32_t wanted, uint32_t index) { return wanted == UINT32_MAX || wanted == index; }

uint64_t wvl_result_packet_bytes(const wvl_result *result, uint32_t component, uint32_t resolution, uint32_t layer)
{
    uint64_t sum = 0;
    const uint64_t *at = result ? result->packet_bytes : NULL;
    for (uint32_t c = 0; at && c < result->component_count; c++) {
        for (uint32_t r = 0; r < result->resolution_count; r++, at += result->layer_count) {
            for (uint32_t l = 0; selects(component, c) && selects(resolution, r) && l < result->layer_count; l++) {
                sum += selects(layer, l) ? at[l] : 0;
            }
        }
    }
    return sum;
}

uint64_t wvl_result_layer_bytes(const wvl_result *result, uint32_t layer)
{
    return layer < wvl_result_layer_count(result) ? result->layers[layer].bytes : 0;
}
uint32_t wvl_result_layer_slope(const wvl_result *result, uint32_t layer)
{
    return layer < wvl_result_layer_count(result) ? result->layers[layer].slope : 0;
}
int wvl_result_layer_is_measured(const wvl_result *result, uint32_t layer)
{
    return layer < wvl_result_layer_count(result) &&
           (result->layers[layer].decoded_error >= 0.0 || isinf(result->psnr[layer]));
}

double wvl_result_layer_psnr(const wvl_result *result, uint32_t layer)
{
    return layer < wvl_result_layer_count(result) ? result->psnr[layer] : 0.0;
}
double wvl_result_seconds(const wvl_result *result, wvl_stage stage)
{
    return result && (unsigned)stage < WVL_STAGES ? result->seconds[stage] : 0.0;
}
const char *wvl_result_backend(const wvl_result *result) { return result ? result->backend : ""; }
