/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/prop/packet_walker.h"

/* ---- Progressions (B.12) --------------------------------------------------------------------- */

static int has_resolution(const walker *w, unsigned c, unsigned r) { return r <= w->scope.components[c].levels; }

/* B.12.2: each volume starts at the first layer that was not sent yet, so a packet comes once. */
static void offer(walker *w, unsigned c, unsigned r, uint64_t k, unsigned layer)
{
    uint32_t *next = &w->next_layers[c * 33 + r][k];
    if (*next == layer) {
        ++*next;
        packets_take(w, c, r, k, layer);
    }
}

static void take_precincts(walker *w, const cs_volume *v, unsigned layer, unsigned r)
{
    for (unsigned c = v->c0; c < v->c_end; c++) {
        const resolution *res = &w->components[c].resolutions[r];
        for (uint64_t k = 0; has_resolution(w, c, r) && k < res->wide * res->high; k++) {
            offer(w, c, r, k, layer);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return p < q ? -1 : p > q;
}

/* Coordinates of an axis at which any precinct of the range of components and resolutions can begin. */
static size_t list_positions(const walker *w, int vertical, unsigned c0, unsigned c1, unsigned r0, unsigned r1,
                             uint64_t **positions)
{
    uint64_t t0 = vertical ? w->rect.y0 : w->rect.x0, t1 = vertical ? w->rect.y1 : w->rect.x1,
             *list = need(1, sizeof *list);
    size_t count = 1, kept = 0;
    list[0] = t0;
    for (unsigned c = c0; c <= c1; c++) {
        for (unsigned r = r0; r <= r1 && has_resolution(w, c, r); r++) {
            const cs_component *k = &w->scope.components[c];
            const resolution *res = &w->components[c].resolutions[r];
            uint64_t step = (uint64_t)(vertical ? k->dy : k->dx) << ((vertical ? res->ppy : res->ppx) + k->levels - r);
            uint64_t first = naive_ceil(t0, step) * step, more = first < t1 ? (t1 - 1 - first) / step + 1 : 0;
            list = realloc(list, (count + more) * sizeof *list);
            for (uint64_t i = 0; list && i < more; i++) {
                list[count++] = first + i * step;
            }
        }
    }
    qsort(list, count, sizeof *list, by_value);
    for (size_t i = 0; i < count; i++) {
        if (!i || list[i] != list[i - 1]) {
            list[kept++] = list[i];
        }
    }
    *positions = list;
    return kept;
}

/* The condition of B.12.1.3 on one axis. */
static int begins_here(uint64_t at, uint64_t t0, uint64_t tr0, unsigned pp, unsigned s, unsigned d)
{
    return at % ((uint64_t)d << (pp + s)) == 0 || (at == t0 && (tr0 << s) % ((uint64_t)1 << (pp + s)) != 0);
}

static void take_position(walker *w, uint64_t x, uint64_t y, unsigned c, unsigned r, unsigned layers)
{
    const cs_component *k = &w->scope.components[c];
    if (!has_resolution(w, c, r)) {
        return;
    }
    const resolution *res = &w->components[c].resolutions[r];
    unsigned s = k->levels - r;
    if (!res->wide || !res->high || !begins_here(x, w->rect.x0, res->rect.x0, res->ppx, s, k->dx) ||
        !begins_here(y, w->rect.y0, res->rect.y0, res->ppy, s, k->dy)) {
        return;
    }
    uint64_t col = (naive_ceil(x, (uint64_t)k->dx << s) >> res->ppx) - (res->rect.x0 >> res->ppx);
    uint64_t row = (naive_ceil(y, (uint64_t)k->dy << s) >> res->ppy) - (res->rect.y0 >> res->ppy);
    if (col >= res->wide || row >= res->high) {
        return;
    }
    for (unsigned layer = 0; layer < layers; layer++) {
        offer(w, c, r, col + row * res->wide, layer);
    }
}

/* y, x, component, resolution over a range of the last two. */
static void take_positions(walker *w, unsigned c0, unsigned c1, unsigned r0, unsigned r1, unsigned layers)
{
    uint64_t *xs, *ys;
    size_t cols = list_positions(w, 0, c0, c1, r0, r1, &xs), rows = list_positions(w, 1, c0, c1, r0, r1, &ys);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols && !w->failed; j++) {
            for (unsigned c = c0; c <= c1; c++) {
                for (unsigned r = r0; r <= r1; r++) {
                    take_position(w, xs[j], ys[i], c, r, layers);
                }
            }
        }
    }
    free(xs);
    free(ys);
}

/* One volume: ranges cut to what the tile has. */
static void take_volume(walker *w, cs_volume v)
{
    v.c_end = v.c_end < w->s->component_count ? v.c_end : w->s->component_count;
    v.r_end = v.r_end < w->max_levels + 1 ? v.r_end : w->max_levels + 1;
    if (v.c0 >= v.c_end || v.r0 >= v.r_end) {
        return;
    }
    unsigned wide = v.r_end - v.r0, last = v.c_end - 1;
    for (unsigned i = 0; v.order < 2 && i < v.layer_end * wide && !w->failed; i++) {
        take_precincts(w, &v, v.order ? i % v.layer_end : i / wide, v.r0 + (v.order ? i / v.layer_end : i % wide));
    }
    for (unsigned r = v.r0; v.order == 2 && r < v.r_end; r++) {
        take_positions(w, v.c0, last, r, r, v.layer_end);
    }
    if (v.order == 3) {
        take_positions(w, v.c0, last, v.r0, v.r_end - 1, v.layer_end);
    }
    for (unsigned c = v.c0; v.order == 4 && c < v.c_end; c++) {
        take_positions(w, c, c, v.r0, v.r_end - 1, v.layer_end);
    }
}

/* POC of the tile, else of the main header, else the order of COD. */
static void take_volumes(walker *w)
{
    const cs_stream *s = w->s;
    cs_volume whole = {CS_ALL_TILES, 0, 0, s->layers, 33, s->component_count, w->scope.order};
    unsigned whose = CS_ALL_TILES;
    size_t taken = 0;
    for (size_t i = 0; i < s->volume_count; i++) {
        whose = s->volumes[i].tile == w->tile ? w->tile : whose;
    }
    for (size_t i = 0; i < s->volume_count && !w->failed; i++) {
        if (s->volumes[i].tile == whose) {
            take_volume(w, s->volumes[i]);
            taken++;
        }
    }
    if (!taken) {
        take_volume(w, whole);
    }
}

void packets_take_tile(walker *w)
{
    size_t count = (size_t)w->s->component_count * 33;
    w->next_layers = need(count, sizeof *w->next_layers);
    for (size_t i = 0; i < count; i++) {
        const resolution *res = &w->components[i / 33].resolutions[i % 33];
        w->next_layers[i] = has_resolution(w, (unsigned)(i / 33), (unsigned)(i % 33))
                                ? need((size_t)(res->wide * res->high), sizeof **w->next_layers)
                                : NULL;
    }
    take_volumes(w);
    for (size_t i = 0; i < count; i++) {
        free(w->next_layers[i]);
    }
    free(w->next_layers);
}
