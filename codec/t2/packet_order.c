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
 * Reference grid coordinate at which the loops of B.12.1.3 to 5 reach precinct `index` of an axis: where the position condition first
 * holds. The first precinct counts from the tile's edge t0 unless it starts exactly on the precinct grid.
 */
static uint64_t precinct_position(uint32_t index, uint32_t first, uint32_t start, unsigned pp, unsigned s, uint32_t d, uint32_t t0)
{
    if (index == 0 && (start & (((uint64_t)1 << pp) - 1))) {
        return t0;
    }
    return (((uint64_t)first + index) << (pp + s)) * d;
}

static void place_stream(const wvl_packet_order *o, wvl_order_stream *stream)
{
    const wvl_tile_resolution *res = resolution_of(o, stream->component, stream->resolution);
    const wvl_plan_component *pc = &o->plan->components[stream->component];
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
    wvl_order_stream moving = o->heap[i];
    for (;;) {
        uint64_t child = 2 * i + 1;
        if (child >= o->heap_count) {
            break;
        }
        if (child + 1 < o->heap_count && comes_before(&o->heap[child + 1], &o->heap[child])) {
            child++;
        }
        if (!comes_before(&o->heap[child], &moving)) {
            break;
        }
        o->heap[i] = o->heap[child];
        i = child;
    }
    o->heap[i] = moving;
}

static void add_stream(wvl_packet_order *o, uint32_t component, uint32_t r)
{
    if (r > o->tile->components[component].levels || !precincts_of(o, component, r)) {
        return;
    }
    wvl_order_stream *stream = &o->heap[o->heap_count++];
    memset(stream, 0, sizeof *stream);
    stream->component = component;
    stream->resolution = (uint8_t)r;
    place_stream(o, stream);
}

/* Streams of the next value of the outermost loop. 0: no more. */
static int fill_heap(wvl_packet_order *o)
{
    uint32_t components = o->tile->component_count, outers = o->plan->order == WVL_ORDER_RPCL ? o->plan->max_levels + 1u : components;
    if (o->plan->order == WVL_ORDER_PCRL) {
        outers = 1;
    }
    while (!o->heap_count && o->outer < outers) {
        uint32_t outer = o->outer++;
        if (o->plan->order == WVL_ORDER_CPRL) {
            for (uint32_t r = 0; r <= o->plan->max_levels; r++) {
                add_stream(o, outer, r);
            }
            continue;
        }
        for (uint32_t c = 0; c < components; c++) {
            uint32_t first = o->plan->order == WVL_ORDER_RPCL ? outer : 0, last = o->plan->order == WVL_ORDER_RPCL ? outer : o->plan->max_levels;
            for (uint32_t r = first; r <= last; r++) {
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
    wvl_order_stream *top = &o->heap[0];
    if (++top->next < precincts_of(o, top->component, top->resolution)) {
        place_stream(o, top);
    } else {
        *top = o->heap[--o->heap_count];
    }
    if (o->heap_count) {
        sift_down(o, 0);
    }
}

static int next_by_position(wvl_packet_order *o, wvl_packet_id *id)
{
    if (o->started && ++o->layer == o->plan->layer_count) {
        o->layer = 0;
        advance_top(o);
    }
    o->started = 1;
    if (!o->heap_count && !fill_heap(o)) {
        return 0;
    }
    const wvl_order_stream *top = &o->heap[0];
    id->component = top->component;
    id->resolution = top->resolution;
    id->precinct = resolution_of(o, top->component, top->resolution)->first_precinct + top->next;
    id->layer = o->layer;
    return 1;
}

/* Steps the two outer loops of LRCP or RLCP. 0: done. */
static int step_outer(wvl_packet_order *o)
{
    uint32_t *inner = o->plan->order == WVL_ORDER_LRCP ? &o->resolution : &o->layer;
    uint32_t *outer = o->plan->order == WVL_ORDER_LRCP ? &o->layer : &o->resolution;
    uint32_t inner_count = o->plan->order == WVL_ORDER_LRCP ? o->plan->max_levels + 1u : o->plan->layer_count;
    uint32_t outer_count = o->plan->order == WVL_ORDER_LRCP ? o->plan->layer_count : o->plan->max_levels + 1u;
    if (++*inner == inner_count) {
        *inner = 0;
        ++*outer;
    }
    return *outer < outer_count;
}

static int next_by_layer(wvl_packet_order *o, wvl_packet_id *id)
{
    if (o->started) {
        o->precinct++;
    }
    o->started = 1;
    for (;;) {
        while (o->component < o->tile->component_count) {
            if (o->resolution <= o->tile->components[o->component].levels && o->precinct < precincts_of(o, o->component, o->resolution)) {
                id->component = o->component;
                id->resolution = (uint8_t)o->resolution;
                id->precinct = resolution_of(o, o->component, o->resolution)->first_precinct + o->precinct;
                id->layer = o->layer;
                return 1;
            }
            o->precinct = 0;
            o->component++;
        }
        o->component = 0;
        if (!step_outer(o)) {
            return 0;
        }
    }
}

void wvl_order_open(wvl_packet_order *order, const wvl_plan *plan, const wvl_tile_plan *tile, wvl_order_stream *streams)
{
    memset(order, 0, sizeof *order);
    order->plan = plan;
    order->tile = tile;
    order->heap = streams;
}

int wvl_order_next(wvl_packet_order *order, wvl_packet_id *id)
{
    return order->plan->order <= WVL_ORDER_RLCP ? next_by_layer(order, id) : next_by_position(order, id);
}
