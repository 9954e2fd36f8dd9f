/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/t2/packet_order.h"

#include <string.h>

static const wvl_tile_resolution *resolution_of(const wvl_packet_order *o, uint32_t component, uint32_t r)
{
    return &o->tile->resolutions[o->tile->components[component].first_resolution + r];
}

static uint64_t precincts_of(const wvl_packet_order *o, uint32_t component, uint32_t r)
{
    const wvl_tile_resolution *res = resolution_of(o, component, r);
    return (uint64_t)res->precinct_cols * res->precinct_rows;
}

/*
 * Reference grid coordinate at which the loops of B.12.1.3 to 5 reach precinct `index` of an axis: where the position
 * condition first holds. The first precinct counts from the tile's edge t0 unless it starts exactly on the precinct
 * grid.
 */
static uint64_t precinct_position(uint32_t index, uint32_t first, uint32_t start, unsigned pp, unsigned s, uint32_t d,
                                  uint32_t t0)
{
    if (index == 0 && (start & (((uint64_t)1 << pp) - 1))) {
        return t0;
    }
    return (((uint64_t)first + index) << (pp + s)) * d;
}

static void place_stream(const wvl_packet_order *o, wvl_order_stream *stream)
{
    const wvl_tile_resolution *res = resolution_of(o, stream->component, stream->resolution);
    const wvl_plan_component *pc = &o->plan->syntax.components[stream->component];
    unsigned s = o->tile->components[stream->component].levels - (unsigned)stream->resolution;
    uint32_t col = (uint32_t)(stream->next % res->precinct_cols), row = (uint32_t)(stream->next / res->precinct_cols);
    stream->x = precinct_position(col, res->precinct_x0, res->rect.x0, res->ppx, s, pc->dx, o->tile->rect.x0);
    stream->y = precinct_position(row, res->precinct_y0, res->rect.y0, res->ppy, s, pc->dy, o->tile->rect.y0);
}

/* y, x, component, resolution: the loop order of PCRL, of which RPCL and CPRL fix one. */
static int comes_before(const wvl_order_stream *a, const wvl_order_stream *b)
{
    if (a->y != b->y) {
        return a->y < b->y;
    }
    if (a->x != b->x) {
        return a->x < b->x;
    }
    return a->component != b->component ? a->component < b->component : a->resolution < b->resolution;
}

static void sift_down(wvl_packet_order *o, uint64_t i)
{
    wvl_order_stream moving = o->memory.streams[i];
    for (;;) {
        uint64_t child = 2 * i + 1;
        if (child >= o->heap_count) {
            break;
        }
        if (child + 1 < o->heap_count && comes_before(&o->memory.streams[child + 1], &o->memory.streams[child])) {
            child++;
        }
        if (!comes_before(&o->memory.streams[child], &moving)) {
            break;
        }
        o->memory.streams[i] = o->memory.streams[child];
        i = child;
    }
    o->memory.streams[i] = moving;
}

static void add_stream(wvl_packet_order *o, uint32_t component, uint32_t r)
{
    if (r > o->tile->components[component].levels || !precincts_of(o, component, r)) {
        return;
    }
    wvl_order_stream *stream = &o->memory.streams[o->heap_count++];
    memset(stream, 0, sizeof *stream);
    stream->component = component;
    stream->resolution = (uint8_t)r;
    place_stream(o, stream);
}

/* Streams of the next value of the outermost loop. 0: no more. */
static int fill_heap(wvl_packet_order *o)
{
    const wvl_progression *v = &o->volume;
    uint32_t end = v->order == WVL_ORDER_RPCL ? v->resolution_end : v->order == WVL_ORDER_CPRL ? v->component_end : 1;
    while (!o->heap_count && o->outer < end) {
        uint32_t outer = o->outer++, c0 = v->component_first, c1 = v->component_end, r0 = v->resolution_first,
                 r1 = v->resolution_end;
        if (v->order == WVL_ORDER_CPRL) {
            c0 = outer;
            c1 = outer + 1;
        } else if (v->order == WVL_ORDER_RPCL) {
            r0 = outer;
            r1 = outer + 1;
        }
        for (uint32_t c = c0; c < c1; c++) {
            for (uint32_t r = r0; r < r1; r++) {
                add_stream(o, c, r);
            }
        }
    }
    for (uint64_t i = o->heap_count / 2; i-- > 0;) {
        sift_down(o, i);
    }
    return o->heap_count > 0;
}

static void advance_top(wvl_packet_order *o)
{
    wvl_order_stream *top = &o->memory.streams[0];
    if (++top->next < precincts_of(o, top->component, top->resolution)) {
        place_stream(o, top);
    } else {
        *top = o->memory.streams[--o->heap_count];
    }
    if (o->heap_count) {
        sift_down(o, 0);
    }
}

static int next_by_position(wvl_packet_order *o, wvl_packet_id *id)
{
    if (o->started && ++o->layer == o->volume.layer_end) {
        o->layer = 0;
        advance_top(o);
    }
    o->started = 1;
    if (!o->heap_count && !fill_heap(o)) {
        return 0;
    }
    const wvl_order_stream *top = &o->memory.streams[0];
    id->component = top->component;
    id->resolution = top->resolution;
    id->precinct = resolution_of(o, top->component, top->resolution)->first_precinct + top->next;
    id->layer = o->layer;
    return 1;
}

/* Steps the two outer loops of LRCP or RLCP. 0: done. */
static int step_outer(wvl_packet_order *o)
{
    const wvl_progression *v = &o->volume;
    int layers_outside = v->order == WVL_ORDER_LRCP;
    if (layers_outside) {
        if (++o->resolution == v->resolution_end) {
            o->resolution = v->resolution_first;
            o->layer++;
        }
    } else if (++o->layer == v->layer_end) {
        o->layer = 0;
        o->resolution++;
    }
    return layers_outside ? o->layer < v->layer_end : o->resolution < v->resolution_end;
}

static int next_by_layer(wvl_packet_order *o, wvl_packet_id *id)
{
    if (o->started) {
        o->precinct++;
    }
    o->started = 1;
    for (;;) {
        while (o->component < o->volume.component_end) {
            if (o->resolution <= o->tile->components[o->component].levels &&
                o->precinct < precincts_of(o, o->component, o->resolution)) {
                id->component = o->component;
                id->resolution = (uint8_t)o->resolution;
                id->precinct = resolution_of(o, o->component, o->resolution)->first_precinct + o->precinct;
                id->layer = o->layer;
                return 1;
            }
            o->precinct = 0;
            o->component++;
        }
        o->component = o->volume.component_first;
        if (!step_outer(o)) {
            return 0;
        }
    }
}

/* ---- Volumes --------------------------------------------------------------------------------- */

static void start_volume(wvl_packet_order *o, const wvl_progression *volume)
{
    o->volume = *volume;
    o->volume.component_end = wvl_min_u32(volume->component_end, o->tile->component_count);
    o->volume.resolution_end = (uint8_t)wvl_min_u32(volume->resolution_end, o->plan->syntax.max_levels + 1u);
    o->volume.layer_end = wvl_min_u32(volume->layer_end, o->plan->syntax.layer_count);
    o->heap_count = 0;
    o->outer = volume->order == WVL_ORDER_RPCL   ? volume->resolution_first
               : volume->order == WVL_ORDER_CPRL ? volume->component_first
                                                 : 0;
    o->layer = 0;
    o->component = volume->component_first;
    o->resolution = volume->resolution_first;
    o->precinct = 0;
    o->started = 0;
}

static int next_volume(wvl_packet_order *o)
{
    while (o->volume_next < o->plan->syntax.progression_count) {
        const wvl_progression *volume = &o->plan->syntax.progressions[o->volume_next++];
        if (volume->tile == o->volume_tile) {
            start_volume(o, volume);
            return 1;
        }
    }
    return 0;
}

static int volume_is_empty(const wvl_progression *v)
{
    return v->component_first >= v->component_end || v->resolution_first >= v->resolution_end || !v->layer_end;
}

static int next_in_volume(wvl_packet_order *o, wvl_packet_id *id)
{
    if (volume_is_empty(&o->volume)) {
        return 0;
    }
    return o->volume.order <= WVL_ORDER_RLCP ? next_by_layer(o, id) : next_by_position(o, id);
}

/* A tile's own volumes stand before those for all tiles (A.6.6). */
static uint32_t choose_volumes(const wvl_plan *plan, uint32_t tile)
{
    for (uint32_t i = 0; i < plan->syntax.progression_count; i++) {
        if (plan->syntax.progressions[i].tile == tile) {
            return tile;
        }
    }
    return WVL_ALL_TILES;
}

void wvl_order_carve(const wvl_plan *plan, uint64_t resolutions, uint64_t precincts, wvl_carver *carver,
                     wvl_order_memory *memory)
{
    memory->streams = wvl_carve(carver, resolutions, sizeof *memory->streams);
    memory->next_layers =
        plan->syntax.progression_count ? wvl_carve(carver, precincts, sizeof *memory->next_layers) : NULL;
}

void wvl_order_open(wvl_packet_order *order, const wvl_plan *plan, const wvl_tile_plan *tile,
                    const wvl_order_memory *memory)
{
    wvl_progression whole = {
        WVL_ALL_TILES, 0, tile->component_count, plan->syntax.layer_count, 0, (uint8_t)(plan->syntax.max_levels + 1u),
        tile->order};
    memset(order, 0, sizeof *order);
    order->plan = plan;
    order->tile = tile;
    order->memory = *memory;
    order->volume_tile = choose_volumes(plan, tile->index);
    if (memory->next_layers) {
        memset(memory->next_layers, 0, tile->precinct_count * sizeof *memory->next_layers);
    }
    if (!plan->syntax.progression_count || !next_volume(order)) {
        start_volume(order, &whole);
    }
}

int wvl_order_next(wvl_packet_order *order, wvl_packet_id *id)
{
    for (;;) {
        while (next_in_volume(order, id)) {
            uint16_t *next = order->memory.next_layers ? &order->memory.next_layers[id->precinct] : NULL;
            if (!next) {
                return 1;
            }
            if (*next == id->layer) { /* what an earlier volume has sent is not sent again */
                ++*next;
                return 1;
            }
        }
        if (!next_volume(order)) {
            return 0;
        }
    }
}
