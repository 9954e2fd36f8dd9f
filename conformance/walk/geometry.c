/* SPDX-License-Identifier: BSD-2-Clause */
/* Annex B: tiles, tile-components, resolutions, precincts, bands, code blocks. 64 bits throughout: coordinates are
 * below 2^32, steps on the reference grid below 255 * 2^47. */
#include <string.h>

#include "tile.h"

static uint64_t ceil_div(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

static uint64_t ceil_shift(uint64_t a, unsigned s) { return (a + ((UINT64_C(1) << s) - 1)) >> s; }

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t greatest(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* B-7, B-8: clipped to the image area. */
static wvl_walk_rect tile_rect(const wvl_walk *w, uint32_t tile)
{
    uint64_t p = tile % w->tiles_wide, q = tile / w->tiles_wide;
    uint64_t x = w->tile_x0 + p * w->tile_width, y = w->tile_y0 + q * w->tile_height;
    wvl_walk_rect r = {greatest(x, w->x0), greatest(y, w->y0), least(x + w->tile_width, w->x1),
                       least(y + w->tile_height, w->y1)};
    return r;
}

static wvl_walk_rect shrink(wvl_walk_rect r, unsigned s)
{
    wvl_walk_rect small = {ceil_shift(r.x0, s), ceil_shift(r.y0, s), ceil_shift(r.x1, s), ceil_shift(r.y1, s)};
    return small;
}

static uint64_t count_precincts(uint64_t from, uint64_t to, unsigned pp)
{
    return to > from ? ceil_shift(to, pp) - (from >> pp) : 0;
}

/* B-15 with n_b = level; high: the band is a high-pass one along this axis. */
static uint64_t band_edge(uint64_t edge, unsigned level, unsigned high)
{
    uint64_t half = high ? UINT64_C(1) << (level - 1) : 0;
    return edge > half ? ceil_shift(edge - half, level) : 0;
}

static wvl_walk_rect band_rect(wvl_walk_rect c, unsigned level, unsigned orient)
{
    unsigned x = orient & 1, y = orient >> 1;
    wvl_walk_rect r = {band_edge(c.x0, level, x), band_edge(c.y0, level, y), band_edge(c.x1, level, x),
                       band_edge(c.y1, level, y)};
    return r;
}

static wvl_walk_rect component_rect(const wvl_walk *w, wvl_walk_rect tile, uint32_t c)
{
    const wvl_walk_component *k = &w->components[c];
    wvl_walk_rect r = {ceil_div(tile.x0, k->dx), ceil_div(tile.y0, k->dy), ceil_div(tile.x1, k->dx),
                       ceil_div(tile.y1, k->dy)};
    return r;
}

int wvl_check_tile_has_samples(const wvl_walk *w, uint32_t tile)
{
    wvl_walk_rect rect = tile_rect(w, tile);
    for (uint32_t c = 0; c < w->component_count; c++) {
        wvl_walk_rect r = component_rect(w, rect, c);
        if (r.x0 < r.x1 && r.y0 < r.y1) {
            return 1;
        }
    }
    return 0;
}

static int add_resolution(wvl_walk_tile_walk *t, uint32_t c, unsigned r, const wvl_walk_coding *k, wvl_walk_rect area)
{
    const wvl_walk_component *size = &t->w->components[c];
    wvl_walk_resolution res = {.component = c, .r = (uint8_t)r, .levels = k->levels, .component_rect = area};
    unsigned down = k->levels - r;
    res.ppx = k->precincts[r] & 15;
    res.ppy = k->precincts[r] >> 4;
    res.rect = shrink(area, down);
    res.wide = count_precincts(res.rect.x0, res.rect.x1, res.ppx);
    res.high = count_precincts(res.rect.y0, res.rect.y1, res.ppy);
    if (!res.wide || !res.high) {
        return 1;
    }
    if (!r) {
        t->w->lowest_width = greatest(t->w->lowest_width, res.rect.x1 - res.rect.x0);
        t->w->lowest_height = greatest(t->w->lowest_height, res.rect.y1 - res.rect.y0);
    }
    res.step_x = (uint64_t)size->dx << (res.ppx + down);
    res.step_y = (uint64_t)size->dy << (res.ppy + down);
    /* every precinct has a packet, every packet a byte */
    if (res.wide > t->bytes || res.high > t->bytes || res.wide * res.high > t->bytes - t->precinct_count) {
        wvl_check_fail(t->w, WVL_RULE_PACKET_MISSING, t->part->offset,
                       "tile %u: more precincts than its tile-parts have bytes (%llu)", t->tile,
                       (unsigned long long)t->bytes);
        return 0;
    }
    t->precinct_count += res.wide * res.high;
    if (t->resolution_count == t->resolution_room) {
        wvl_walk_list list = {t->resolutions, t->resolution_count, t->resolution_room, sizeof res};
        int good = wvl_check_push(t->w, &list, &res, sizeof res) != NULL;
        t->resolutions = list.items;
        t->resolution_room = list.capacity;
        t->resolution_count = list.count;
        return good;
    }
    t->resolutions[t->resolution_count++] = res;
    return 1;
}

int wvl_check_open_tile(wvl_walk_tile_walk *t)
{
    wvl_walk *w = t->w;
    t->rect = tile_rect(w, t->tile);
    for (uint32_t c = 0; c < w->component_count; c++) {
        const wvl_walk_coding *k = wvl_check_coding_of(w, c);
        wvl_walk_rect rect = component_rect(w, t->rect, c);
        if (!wvl_check_charge(w, k->levels + 1u)) {
            return 0;
        }
        for (unsigned r = 0; r <= k->levels; r++) {
            if (!add_resolution(t, c, r, k, rect)) {
                return 0;
            }
        }
    }
    for (size_t i = 0; i < t->resolution_count; i++) {
        wvl_walk_resolution *res = &t->resolutions[i];
        res->precincts = wvl_check_allocate(w, res->wide * res->high, sizeof *res->precincts);
        if (!res->precincts) {
            return 0;
        }
    }
    t->sequence.cursors = wvl_check_allocate(w, t->resolution_count, sizeof *t->sequence.cursors);
    return t->sequence.cursors != NULL;
}

void wvl_check_close_tile(wvl_walk_tile_walk *t)
{
    wvl_walk *w = t->w;
    for (size_t i = 0; i < t->resolution_count; i++) {
        wvl_walk_resolution *res = &t->resolutions[i];
        for (uint64_t k = 0; res->precincts && k < res->wide * res->high; k++) {
            wvl_check_close_bands(t, res, k);
        }
        wvl_check_release(w, res->precincts, res->wide * res->high, sizeof *res->precincts);
    }
    wvl_check_release(w, t->sequence.cursors, t->resolution_count, sizeof *t->sequence.cursors);
    wvl_check_release(w, t->resolutions, t->resolution_room, sizeof *t->resolutions);
    wvl_check_release_list(w, &t->volumes);
    wvl_check_release_gathered(w, &t->ppt);
    wvl_check_release_list(w, &t->plt);
    wvl_check_release_list(w, &t->ppt_items);
    wvl_check_release_list(w, &t->contributions);
    wvl_check_release_list(w, &t->ht_parts);
    wvl_check_release_list(w, &t->inclusions);
}

/* ---- Precincts ------------------------------------------------------------------------------- */

static void measure_band(wvl_walk_tile_walk *t, const wvl_walk_resolution *res, uint64_t k, unsigned b,
                         wvl_walk_band *band)
{
    const wvl_walk_coding *coding = wvl_check_coding_of(t->w, res->component);
    unsigned half = res->r ? 1 : 0, level = res->r ? res->levels - res->r + 1u : res->levels,
             orient = res->r ? b + 1 : 0;
    unsigned px = res->ppx - half, py = res->ppy - half;
    unsigned xcb = coding->xcb < px ? coding->xcb : px, ycb = coding->ycb < py ? coding->ycb : py;
    wvl_walk_rect r = band_rect(res->component_rect, level, orient);
    uint64_t kx = (res->rect.x0 >> res->ppx) + k % res->wide, ky = (res->rect.y0 >> res->ppy) + k / res->wide;
    wvl_walk_rect area = {greatest(r.x0, kx << px), greatest(r.y0, ky << py), least(r.x1, (kx + 1) << px),
                          least(r.y1, (ky + 1) << py)};
    band->mb = wvl_check_magnitude_bits(t->w, res->component, res->r, b);
    band->area = area;
    band->level = (uint8_t)level;
    band->orient = (uint8_t)orient;
    band->xcb = (uint8_t)xcb;
    band->ycb = (uint8_t)ycb;
    if (area.x0 < area.x1 && area.y0 < area.y1) {
        band->cols = (uint32_t)(ceil_shift(area.x1, xcb) - (area.x0 >> xcb));
        band->rows = (uint32_t)(ceil_shift(area.y1, ycb) - (area.y0 >> ycb));
    }
}

int wvl_check_open_bands(wvl_walk_tile_walk *t, wvl_walk_resolution *res, uint64_t k)
{
    unsigned count = res->r ? 3 : 1;
    wvl_walk_band *bands = wvl_check_allocate(t->w, count, sizeof *bands);
    if (!bands) {
        return 0;
    }
    for (unsigned b = 0; b < count; b++) {
        measure_band(t, res, k, b, &bands[b]);
    }
    res->precincts[k].bands = bands;
    return 1;
}

int wvl_check_fill_band(wvl_walk_tile_walk *t, wvl_walk_band *band, int is_ht)
{
    uint64_t count = (uint64_t)band->cols * band->rows, nodes = wvl_check_tag_nodes(band->cols, band->rows);
    band->nodes = wvl_check_allocate(t->w, 2 * nodes, sizeof *band->nodes);
    band->blocks = wvl_check_allocate(t->w, count, sizeof *band->blocks);
    if (!band->nodes || !band->blocks) {
        return 0;
    }
    if (is_ht && wvl_check_style_of(t->w)->layers > 1 && !t->w->options->skip_blocks) {
        band->coded = wvl_check_allocate(t->w, count, sizeof *band->coded);
        if (!band->coded) {
            return 0;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        band->blocks[i].lblock = 3;
    }
    band->nodes[nodes - 1] = band->root;
    return 1;
}

void wvl_check_close_bands(wvl_walk_tile_walk *t, wvl_walk_resolution *res, uint64_t k)
{
    wvl_walk_band *bands = res->precincts[k].bands;
    unsigned count = res->r ? 3 : 1;
    for (unsigned b = 0; bands && b < count; b++) {
        uint64_t blocks = (uint64_t)bands[b].cols * bands[b].rows;
        if (bands[b].nodes) {
            wvl_check_release(t->w, bands[b].nodes, 2 * wvl_check_tag_nodes(bands[b].cols, bands[b].rows),
                              sizeof *bands[b].nodes);
        }
        wvl_check_release(t->w, bands[b].blocks, blocks, sizeof *bands[b].blocks);
        wvl_check_release(t->w, bands[b].coded, blocks, sizeof *bands[b].coded);
    }
    wvl_check_release(t->w, bands, count, sizeof *bands);
    res->precincts[k].bands = NULL;
}
