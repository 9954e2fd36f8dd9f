/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Order of packets (B.12). A volume is walked group by group: LRCP and PCRL have one group, RLCP and RPCL one a
 * resolution, CPRL one a component. In LRCP and RLCP the layers go round the group; in the others the precincts of the
 * group are merged by their place on the reference grid, which rises along each resolution's raster, and all layers of
 * a precinct come together. A precinct's packets come layer by layer whatever the order, so its next layer is all that
 * is to be known of what was sent (B.12.2).
 */
#include <stdlib.h>

#include "tile.h"

enum { LRCP, RLCP, RPCL, PCRL, CPRL };

static int by_resolution(const void *a, const void *b)
{
    const wvl_walk_resolution *p = ((const wvl_walk_cursor *)a)->resolution,
                              *q = ((const wvl_walk_cursor *)b)->resolution;
    if (p->r != q->r) {
        return p->r < q->r ? -1 : 1;
    }
    return p->component < q->component ? -1 : p->component > q->component;
}

static int is_positional(const wvl_walk_sequence *s) { return s->volume.progression >= RPCL; }

/* ---- Merging by place ------------------------------------------------------------------------ */

static void locate(const wvl_walk_tile_walk *t, wvl_walk_cursor *c)
{
    const wvl_walk_resolution *res = c->resolution;
    uint64_t col = c->k % res->wide, row = c->k / res->wide;
    uint64_t left = res->rect.x0 >> res->ppx, top = res->rect.y0 >> res->ppy;
    c->x = col || (left << res->ppx) == res->rect.x0 ? (left + col) * res->step_x : t->rect.x0;
    c->y = row || (top << res->ppy) == res->rect.y0 ? (top + row) * res->step_y : t->rect.y0;
}

static int comes_before(const wvl_walk_cursor *a, const wvl_walk_cursor *b)
{
    if (a->y != b->y) {
        return a->y < b->y;
    }
    if (a->x != b->x) {
        return a->x < b->x;
    }
    if (a->resolution->component != b->resolution->component) {
        return a->resolution->component < b->resolution->component;
    }
    return a->resolution->r < b->resolution->r;
}

static void sift_down(wvl_walk_cursor *heap, size_t count, size_t i)
{
    for (;;) {
        size_t child = 2 * i + 1, first = i;
        if (child < count && comes_before(&heap[child], &heap[first])) {
            first = child;
        }
        if (child + 1 < count && comes_before(&heap[child + 1], &heap[first])) {
            first = child + 1;
        }
        if (first == i) {
            return;
        }
        wvl_walk_cursor held = heap[i];
        heap[i] = heap[first];
        heap[first] = held;
        i = first;
    }
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static int same_group(const wvl_walk_sequence *s, const wvl_walk_resolution *a, const wvl_walk_resolution *b)
{
    switch (s->volume.progression) {
    case RLCP:
    case RPCL: return a->r == b->r;
    case CPRL: return a->component == b->component;
    default: return 1;
    }
}

static void open_group(wvl_walk_tile_walk *t)
{
    wvl_walk_sequence *s = &t->sequence;
    s->group = s->group_end;
    while (s->group_end < s->count &&
           same_group(s, s->cursors[s->group].resolution, s->cursors[s->group_end].resolution)) {
        s->group_end++;
    }
    s->layer = 0;
    s->entry = s->group;
    s->k = 0;
    s->live = s->group_end - s->group;
    if (is_positional(s)) {
        for (size_t i = s->group; i < s->group_end; i++) {
            s->cursors[i].k = 0;
            locate(t, &s->cursors[i]);
        }
        for (size_t i = s->live / 2; i-- > 0;) {
            sift_down(&s->cursors[s->group], s->live, i);
        }
    }
}

static int open_volume(wvl_walk_tile_walk *t)
{
    wvl_walk_sequence *s = &t->sequence;
    const wvl_walk_volume *v = &((const wvl_walk_volume *)t->volumes.items)[t->volume++];
    uint32_t layers = wvl_check_style_of(t->w)->layers;
    s->volume = *v;
    s->volume.layers = v->layers < layers ? v->layers : layers;
    s->count = 0;
    if (!wvl_check_charge(t->w, t->resolution_count)) {
        return 0;
    }
    for (size_t i = 0; i < t->resolution_count; i++) {
        wvl_walk_resolution *res = &t->resolutions[i];
        if (res->component >= v->c0 && res->component < v->c1 && res->r >= v->r0 && res->r < v->r1) {
            s->cursors[s->count++] = (wvl_walk_cursor){res, 0, 0, 0, 0};
        }
    }
    if (v->progression < PCRL && s->count) {
        qsort(s->cursors, s->count, sizeof *s->cursors, by_resolution);
    }
    s->group = s->group_end = 0;
    s->started = 1;
    open_group(t);
    return 1;
}

/* ---- Next ------------------------------------------------------------------------------------ */

/* Layers around the group: 0 when the group is done. */
static wvl_walk_resolution *next_by_layer(wvl_walk_tile_walk *t, uint64_t *k)
{
    wvl_walk_sequence *s = &t->sequence;
    while (s->layer < s->volume.layers && s->entry < s->group_end) {
        wvl_walk_resolution *res = s->cursors[s->entry].resolution;
        while (s->k < res->wide * res->high) {
            *k = s->k++;
            if (!wvl_check_charge(t->w, 1)) {
                return NULL;
            }
            if (res->precincts[*k].next_layer == s->layer) {
                return res;
            }
        }
        s->k = 0;
        if (++s->entry == s->group_end) {
            s->entry = s->group;
            s->layer++;
        }
    }
    return NULL;
}

static wvl_walk_resolution *next_by_place(wvl_walk_tile_walk *t, uint64_t *k)
{
    wvl_walk_sequence *s = &t->sequence;
    wvl_walk_cursor *heap = &s->cursors[s->group];
    while (s->live) {
        wvl_walk_resolution *res = heap->resolution;
        if (!wvl_check_charge(t->w, 1)) {
            return NULL;
        }
        if (res->precincts[heap->k].next_layer < s->volume.layers) {
            *k = heap->k;
            return res;
        }
        if (++heap->k < res->wide * res->high) {
            locate(t, heap);
        } else {
            *heap = heap[--s->live];
        }
        sift_down(heap, s->live, 0);
    }
    return NULL;
}

wvl_walk_resolution *wvl_check_next_packet(wvl_walk_tile_walk *t, uint64_t *k)
{
    wvl_walk_sequence *s = &t->sequence;
    while (!t->w->limit_hit) {
        if (s->started) {
            wvl_walk_resolution *res = is_positional(s) ? next_by_place(t, k) : next_by_layer(t, k);
            if (res) {
                return res;
            }
            if (s->group_end < s->count) {
                open_group(t);
                continue;
            }
            s->started = 0;
        }
        if (t->volume == t->volumes.count || !open_volume(t)) {
            break;
        }
    }
    return NULL;
}
