/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transform as a cascade. Every level of a component has a window over its input rows; with each feed it splits as
 * many rows as the window suffices for, by the same strips as whole tiles (dwt/strip.h), and its low-low rows enter the
 * window of the next level. Bands have windows over their rows of blocks. What is needed again is moved to the front of
 * its window: a few rows of a level, and the last row of blocks of a band, of which samples are missing.
 */
#include "backend/strips.h"

#include "backend/cpu_strands.h"
#include "base/alloc.h"

/* A split of row pair k reads rows up to 2k + 2, and 9/7 two more; above, both start a pair or two earlier. */
#define ROWS_AHEAD 3u
#define ROWS_BEHIND 8u /* also: a level begins when these rows are there */

/* Input of one level of a component, rows of its resolution. Level 0: a component without decomposition. */
typedef struct level_state {
    uint8_t *rows;   /* row `base`; NULL at levels 0 and 1, which read the image */
    uint64_t pitch;  /* bytes */
    uint32_t base;   /* first row held */
    uint32_t have;   /* rows before this one are there */
    uint32_t done;   /* rows before this one are split */
    uint32_t target; /* done, when the feed at work is over */
    uint32_t room;   /* rows */
} level_state;

/* A component of a tile. */
typedef struct part_state {
    wvl_cpu_unit unit;   /* that begins with it; count 0: it is in another one's */
    level_state *levels; /* [levels + 1] */
} part_state;

/* The window of a band. */
typedef struct band_state {
    uint64_t at;      /* bytes, of the window in the samples */
    uint32_t base;    /* first row of blocks held */
    uint32_t room;    /* rows of blocks */
    uint32_t touched; /* rows of blocks before this one have samples */
} band_state;

typedef struct tile_state {
    wvl_tile_plan view;   /* the tile with bands whose cells lie in the windows */
    part_state *parts;    /* [component_count] */
    band_state *bands;    /* [band_count] */
    wvl_block_rows *rows; /* [band_count]: complete and not passed */
    uint32_t *bounds;     /* [block_count] */
    uint8_t *samples;
    uint64_t sample_bytes;
} tile_state;

/* A piece of a level for one worker. */
typedef struct strip_task {
    wvl_cpu_unit unit;
    uint32_t y0, y1;
} strip_task;

struct wvl_strips {
    wvl_strip_options options;
    wvl_cpu_kernels kernels;
    tile_state *tiles;
    wvl_cpu_lines *workers; /* [set_count]: one a worker, or one a task where there are fewer */
    uint32_t set_count;
    strip_task *tasks;
    uint32_t task_count, task_room;
    unsigned level;
    atomic_uint outside;
    uint8_t *memory;
    uint64_t memory_bytes;
};

/* ---- Memory ---------------------------------------------------------------------------------- */

static const wvl_tile_resolution *resolution_of(const wvl_tile_plan *tile, uint32_t component, unsigned r)
{
    return &tile->resolutions[tile->components[component].first_resolution + r];
}

/* Most rows that one feed adds to the input of a level. Up to ROWS_BEHIND waited before. */
static uint32_t input_rows(const wvl_strip_options *o, uint32_t component, unsigned level)
{
    uint64_t rows = wvl_ceil_div(o->rows, o->plan->syntax.components[component].dy) + 1;
    for (unsigned l = 1; l < level; l++) {
        rows = (rows + ROWS_BEHIND) / 2 + 1;
    }
    return (uint32_t)wvl_min_u64(rows, UINT32_MAX / 4);
}

/* The same of a band of the level. */
static uint32_t band_rows(const wvl_strip_options *o, uint32_t component, unsigned level, int is_whole)
{
    uint32_t rows = input_rows(o, component, level) + ROWS_BEHIND;
    return is_whole ? rows : rows / 2 + 1;
}

static void carve_bands(wvl_carver *samples, const wvl_strip_options *o, uint32_t component, unsigned r,
                        tile_state *tile)
{
    const wvl_tile_component *tc = &tile->view.components[component];
    const wvl_tile_resolution *res = resolution_of(&tile->view, component, r);
    unsigned level = r ? tc->levels - r + 1u : tc->levels;
    for (uint32_t b = res->first_band; b < res->first_band + res->band_count; b++) {
        const wvl_tile_band *band = &tile->view.bands[b];
        uint64_t row_bytes = (uint64_t)band->block_cols * band->cell_width * band->cell_height * band->coef_bytes;
        uint32_t rows = (band_rows(o, component, level, !tc->levels) >> band->ycb) + 3;
        band_state state = {.at = samples->used, .room = wvl_min_u32(rows, band->block_rows)};
        (void)wvl_carve(samples, state.room, row_bytes);
        if (tile->bands) {
            tile->bands[b] = state;
        }
    }
}

static void carve_tile(wvl_carver *carver, const wvl_strip_options *o, const wvl_tile_plan *from, tile_state *tile)
{
    wvl_tile_band *bands = wvl_carve(carver, from->band_count, sizeof *bands);
    wvl_carver samples = {NULL, 0};
    tile->view = *from;
    tile->parts = wvl_carve(carver, from->component_count, sizeof *tile->parts);
    tile->bands = wvl_carve(carver, from->band_count, sizeof *tile->bands);
    tile->rows = wvl_carve(carver, from->band_count, sizeof *tile->rows);
    tile->bounds = wvl_carve(carver, from->block_count, sizeof *tile->bounds);
    for (uint32_t c = 0; c < from->component_count; c++) {
        for (unsigned r = 0; r <= from->components[c].levels; r++) {
            carve_bands(&samples, o, c, r, tile);
        }
        part_state *part = carver->base ? &tile->parts[c] : NULL;
        const wvl_tile_component *tc = &from->components[c];
        level_state *states = wvl_carve(carver, tc->levels + 1u, sizeof *states);
        if (carver->base) {
            memset(states, 0, (tc->levels + 1u) * sizeof *states);
            part->levels = states;
        }
        for (unsigned level = 2; level <= tc->levels; level++) {
            wvl_rect rect = resolution_of(from, c, tc->levels - level + 1u)->rect;
            level_state state = {.pitch = wvl_cpu_plane_pitch(wvl_rect_width(rect), wvl_cpu_line_kind(tc))};
            state.room = wvl_min_u32(input_rows(o, c, level) + 2 * ROWS_BEHIND, wvl_rect_height(rect));
            state.rows = wvl_carve(carver, state.room, state.pitch);
            if (carver->base) {
                states[level] = state;
            }
        }
    }
    tile->sample_bytes = samples.used;
    tile->samples = wvl_carve(carver, samples.used, 1);
    if (carver->base) {
        memcpy(bands, from->bands, from->band_count * sizeof *bands);
        tile->view.bands = bands;
    }
}

static void carve_all(wvl_carver *carver, wvl_strips *s)
{
    const wvl_strip_options *o = &s->options;
    uint64_t rows = wvl_min_u64(o->rows, wvl_rect_height(o->tiles[0].rect));
    uint64_t pieces = rows < 2 ? 1 : rows / WVL_DWT_STRIP_ROWS_MIN + 4;
    s->task_room = (uint32_t)(pieces * o->tile_count * o->plan->syntax.component_count);
    s->set_count = wvl_min_u32(wvl_pool_concurrency(o->pool), s->task_room);
    s->tiles = wvl_carve(carver, o->tile_count, sizeof *s->tiles);
    s->workers = wvl_carve(carver, s->set_count, sizeof *s->workers);
    s->tasks = wvl_carve(carver, s->task_room, sizeof *s->tasks);
    wvl_cpu_shape shape = {.strands_max = 1};
    for (uint32_t t = 0; t < o->tile_count; t++) {
        shape.strands_max = wvl_max_u32(shape.strands_max, wvl_front_count_strands(o->plan, &o->tiles[t], 0));
        for (uint32_t c = 0; c < o->tiles[t].component_count; c++) {
            wvl_cpu_add_component(&shape, &o->tiles[t], c, 1);
        }
    }
    for (uint32_t i = 0; i < s->set_count; i++) {
        wvl_cpu_lines unused;
        wvl_cpu_carve_lines(carver, &shape, carver->base ? &s->workers[i] : &unused);
    }
    for (uint32_t t = 0; t < o->tile_count; t++) {
        tile_state unused;
        memset(&unused, 0, sizeof unused);
        carve_tile(carver, o, &o->tiles[t], carver->base ? &s->tiles[t] : &unused);
    }
}

uint64_t wvl_strips_measure(const wvl_strip_options *options)
{
    wvl_strips s = {.options = *options};
    wvl_carver carver = {NULL, 0};
    carve_all(&carver, &s);
    return wvl_add_saturate(wvl_alloc_size(carver.used), wvl_alloc_size(sizeof s));
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* The cells of a band from its window's first row of blocks on; the offset may wrap, and wraps back. */
static void aim_band(tile_state *tile, uint32_t b)
{
    wvl_tile_band *band = &tile->view.bands[b];
    const band_state *state = &tile->bands[b];
    band->coef_offset = 0;
    band->coef_offset = state->at - wvl_coef_cell(band, state->base * band->block_cols);
}

wvl_status wvl_strips_open(const wvl_strip_options *options, wvl_strips **out)
{
    wvl_strips *s = wvl_alloc_zeroed(options->host, sizeof *s);
    wvl_carver carver = {NULL, 0};
    *out = NULL;
    if (!s) {
        return WVL_ERROR_MEMORY;
    }
    s->options = *options;
    s->kernels = (wvl_cpu_kernels){wvl_dwt_fetch_kernels(wvl_cpu_fetch_level()),
                                   wvl_front_fetch_kernels(wvl_cpu_fetch_level()), options->plan, options->look, NULL};
    carve_all(&carver, s);
    s->memory_bytes = carver.used;
    s->memory = wvl_alloc(options->host, carver.used);
    if (!s->memory) {
        wvl_free(options->host, s, sizeof *s);
        return WVL_ERROR_MEMORY;
    }
    carver = (wvl_carver){s->memory, 0};
    carve_all(&carver, s);
    for (uint32_t t = 0; t < options->tile_count; t++) {
        tile_state *tile = &s->tiles[t];
        const wvl_plan *plan = s->options.plan;
        wvl_cpu_unit unit;
        uint32_t next = 0;
        memset(tile->bounds, 0, tile->view.block_count * sizeof *tile->bounds);
        memset(tile->rows, 0, tile->view.band_count * sizeof *tile->rows);
        for (uint32_t b = 0; b < tile->view.band_count; b++) {
            aim_band(tile, b);
        }
        for (uint32_t c = 0; c < tile->view.component_count; c++) {
            const wvl_tile_component *tc = &tile->view.components[c];
            memset(&tile->parts[c].unit, 0, sizeof tile->parts[c].unit);
            for (unsigned level = 0; level <= tc->levels; level++) {
                level_state *l = &tile->parts[c].levels[level];
                wvl_rect rect = resolution_of(&tile->view, c, level ? tc->levels - level + 1u : tc->levels)->rect;
                l->base = l->have = l->done = l->target = rect.y0;
            }
        }
        while (wvl_cpu_next_unit(plan, &tile->view, t, &next, &unit)) {
            tile->parts[unit.component].unit = unit;
        }
    }
    *out = s;
    return WVL_OK;
}

void wvl_strips_close(wvl_strips *s)
{
    if (s) {
        const wvl_allocator *host = s->options.host;
        wvl_free(host, s->memory, s->memory_bytes);
        wvl_free(host, s, sizeof *s);
    }
}

/* ---- Windows --------------------------------------------------------------------------------- */

/* Rows of the level's resolution that are not needed any more leave its window. */
static void slide_level(level_state *l)
{
    uint32_t keep = l->done > ROWS_BEHIND ? l->done - ROWS_BEHIND : 0;
    if (!l->rows || keep <= l->base) {
        return;
    }
    memmove(l->rows, l->rows + (keep - l->base) * l->pitch, (size_t)((l->have - keep) * l->pitch));
    l->base = keep;
}

/* Finds how far a level can go, with the rows that it has. */
static uint32_t find_target(const level_state *l, wvl_rect rect, unsigned level, unsigned kind)
{
    uint32_t ahead = kind == WVL_LINE_F32 ? ROWS_AHEAD : 1;
    if (l->have >= rect.y1 || !level) {
        return l->have;
    }
    if (l->have < rect.y0 + ROWS_BEHIND) {
        return l->done;
    }
    return wvl_max_u32((l->have - ahead) & ~1u, l->done);
}

/* Rows of a band that are there when its level is split up to row `done`. */
static uint32_t count_band_rows(const wvl_tile_band *band, uint32_t done, int is_whole)
{
    uint32_t low = done / 2 + (done & 1), rows = band->orient >= WVL_BAND_LH ? done / 2 : low;
    return wvl_min_u32(is_whole ? done : rows, band->rect.y1);
}

/* Notes which rows of blocks are complete then. 0: the window is too small. */
static int advance_band(tile_state *tile, uint32_t b, uint32_t done, int is_whole)
{
    const wvl_tile_band *band = &tile->view.bands[b];
    band_state *state = &tile->bands[b];
    uint32_t rows = count_band_rows(band, done, is_whole), below = rows >> band->ycb;
    if (!band->block_rows || rows <= band->rect.y0) {
        return 1;
    }
    tile->rows[b].end = rows == band->rect.y1 ? band->block_rows : wvl_max_u32(below, band->block_y0) - band->block_y0;
    state->touched = ((rows - 1) >> band->ycb) - band->block_y0 + 1;
    return state->touched - state->base <= state->room;
}

static int advance_bands(tile_state *tile, uint32_t component, unsigned r, uint32_t done, int is_whole)
{
    const wvl_tile_resolution *res = resolution_of(&tile->view, component, r);
    int fits = 1;
    for (uint32_t b = res->first_band; b < res->first_band + res->band_count; b++) {
        fits &= advance_band(tile, b, done, is_whole);
    }
    return fits;
}

/* The bands of a component that get samples at `level`, and the window of the next one. 0: there is no room. */
static int advance_level(tile_state *tile, uint32_t component, unsigned level, uint32_t done)
{
    const wvl_tile_component *tc = &tile->view.components[component];
    level_state *l = &tile->parts[component].levels[level];
    int fits = 1;
    l->target = done;
    if (level) {
        fits &= advance_bands(tile, component, tc->levels - level + 1u, done, 0);
    }
    if (level == tc->levels) {
        fits &= advance_bands(tile, component, 0, done, !level);
    }
    if (level && level < tc->levels) {
        wvl_rect low = resolution_of(&tile->view, component, tc->levels - level)->rect;
        l[1].have = wvl_min_u32(wvl_max_u32(done / 2 + (done & 1), low.y0), low.y1);
        fits &= l[1].have - l[1].base <= l[1].room;
    }
    return fits;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void build_strands(const wvl_strips *s, const wvl_cpu_unit *unit, unsigned level, wvl_dwt_strand *strands)
{
    const tile_state *tile = &s->tiles[unit->tile];
    const wvl_coefs coefs = {&tile->view, tile->samples, tile->bounds, NULL};
    for (uint32_t i = 0; i < unit->count; i++) {
        uint32_t c = unit->component + i;
        unsigned levels = tile->view.components[c].levels, own = wvl_min_u32(level, levels);
        const level_state *l = &tile->parts[c].levels[own];
        uint8_t *low = own < levels ? l[1].rows : NULL;
        wvl_cpu_build_strand(s->kernels.dwt, &coefs, c, own, l->rows, low, &strands[i]);
        strands[i].plain = own != level;
        strands[i].in.y0 = l->base;
        strands[i].low.y0 = low ? l[1].base : 0;
    }
}

static void run_task(void *arg, uint32_t index, uint32_t worker)
{
    wvl_strips *s = arg;
    const strip_task *task = &s->tasks[index];
    const wvl_cpu_lines *w = &s->workers[s->set_count < wvl_pool_concurrency(s->options.pool) ? index : worker];
    unsigned level = wvl_min_u32(s->level, wvl_cpu_unit_levels(&s->tiles[task->unit.tile].view, &task->unit));
    wvl_cpu_rows rows;
    if (wvl_look_is_over(s->options.look)) {
        return;
    }
    build_strands(s, &task->unit, level, rows.strands);
    wvl_cpu_open_rows(&s->kernels, &task->unit, level, task->y0, task->y1, w, &rows);
    while (wvl_dwt_next_row(&rows.strip)) {
        wvl_front_fetch_row(&rows.fetch, rows.strip.y, rows.strip.rows);
    }
    if (rows.fetch.outside) {
        atomic_fetch_or_explicit(&s->outside, 1u, memory_order_relaxed);
    }
}

/* Pieces of whole rows of blocks, so that no two write to one block. */
static void add_tasks(wvl_strips *s, const wvl_cpu_unit *unit, const wvl_dwt_strand *strands, uint32_t y0, uint32_t y1)
{
    uint64_t rows = wvl_dwt_strip_rows(strands, unit->count, UINT32_MAX);
    while (y0 < y1) {
        uint64_t end = s->task_count + 1 < s->task_room ? (y0 / rows + 1) * rows : y1;
        end = wvl_min_u64(end, y1);
        s->tasks[s->task_count++] = (strip_task){*unit, y0, (uint32_t)end};
        y0 = (uint32_t)end;
    }
}

/* A unit at the level of the round. 0: there is no room. */
static int plan_unit(wvl_strips *s, const wvl_cpu_unit *unit)
{
    tile_state *tile = &s->tiles[unit->tile];
    unsigned most = wvl_cpu_unit_levels(&tile->view, unit), level = wvl_min_u32(s->level, most);
    wvl_dwt_strand strands[WVL_STRANDS_MAX];
    int fits = 1;
    if (most < s->level && s->level > 1) {
        return 1;
    }
    unsigned own = wvl_min_u32(level, tile->view.components[unit->component].levels);
    const level_state *l = &tile->parts[unit->component].levels[own];
    build_strands(s, unit, level, strands);
    uint32_t from = l->done, target = find_target(l, strands[0].rect, level, strands[0].kind);
    for (uint32_t i = 0; i < unit->count; i++) {
        uint32_t c = unit->component + i;
        fits &= advance_level(tile, c, wvl_min_u32(level, tile->view.components[c].levels), target);
    }
    if (fits && target > from && wvl_rect_width(strands[0].rect)) {
        add_tasks(s, unit, strands, from, target);
    }
    return fits;
}

/* Units at the first level, single components below. 0: there is no room. */
static int plan_tile(wvl_strips *s, uint32_t index)
{
    const tile_state *tile = &s->tiles[index];
    int fits = 1;
    for (uint32_t c = 0; c < tile->view.component_count && fits; c++) {
        const wvl_tile_component *tc = &tile->view.components[c];
        wvl_cpu_unit unit = tile->parts[c].unit;
        if (s->level > 1) {
            unit = (wvl_cpu_unit){index, c, 1, WVL_MCT_NONE, wvl_cpu_line_kind(tc)};
        }
        fits = !unit.count || plan_unit(s, &unit);
    }
    return fits;
}

static void end_round(wvl_strips *s)
{
    for (uint32_t t = 0; t < s->options.tile_count; t++) {
        const tile_state *tile = &s->tiles[t];
        for (uint32_t c = 0; c < tile->view.component_count; c++) {
            for (unsigned l = 0; l <= tile->view.components[c].levels; l++) {
                level_state *level = &tile->parts[c].levels[l];
                level->done = level->target;
            }
        }
    }
}

wvl_status wvl_strips_feed(wvl_strips *s, const wvl_image *image, uint64_t end)
{
    s->kernels.image = image;
    atomic_store(&s->outside, 0);
    for (uint32_t t = 0; t < s->options.tile_count; t++) {
        const tile_state *tile = &s->tiles[t];
        for (uint32_t c = 0; c < tile->view.component_count; c++) {
            const wvl_tile_component *tc = &tile->view.components[c];
            level_state *levels = tile->parts[c].levels;
            uint64_t rows = wvl_ceil_div(end, s->options.plan->syntax.components[c].dy);
            rows = wvl_min_u64(wvl_max_u64(rows, tc->rect.y0), tc->rect.y1);
            levels[tc->levels ? 1 : 0].have = (uint32_t)rows;
            for (unsigned l = 2; l <= tc->levels; l++) {
                slide_level(&levels[l]);
            }
        }
    }
    for (s->level = 1; s->level <= wvl_max_u32(s->options.plan->syntax.max_levels, 1); s->level++) {
        int fits = 1;
        s->task_count = 0;
        for (uint32_t t = 0; t < s->options.tile_count && fits; t++) {
            fits = plan_tile(s, t);
        }
        if (!fits) {
            return WVL_ERROR_INTERNAL;
        }
        wvl_pool_run(s->options.pool, s->task_count, run_task, s);
        end_round(s);
    }
    return atomic_load(&s->outside) ? WVL_ERROR_INPUT : WVL_OK;
}

uint64_t wvl_strips_keep(const wvl_strips *s)
{
    uint64_t keep = UINT64_MAX;
    for (uint32_t t = 0; t < s->options.tile_count; t++) {
        const tile_state *tile = &s->tiles[t];
        for (uint32_t c = 0; c < tile->view.component_count; c++) {
            const wvl_tile_component *tc = &tile->view.components[c];
            uint64_t done = tile->parts[c].levels[tc->levels ? 1 : 0].done;
            if (done < tc->rect.y1) {
                uint64_t row = done > tc->rect.y0 + ROWS_BEHIND ? done - ROWS_BEHIND : tc->rect.y0;
                keep = wvl_min_u64(keep, row * s->options.plan->syntax.components[c].dy);
            }
        }
    }
    return keep;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

uint64_t wvl_strips_collect(wvl_strips *s, wvl_coefs *coefs)
{
    uint64_t blocks = 0;
    for (uint32_t t = 0; t < s->options.tile_count; t++) {
        tile_state *tile = &s->tiles[t];
        coefs[t] = (wvl_coefs){&tile->view, tile->samples, tile->bounds, tile->rows};
        for (uint32_t b = 0; b < tile->view.band_count; b++) {
            blocks += (uint64_t)(tile->rows[b].end - tile->rows[b].first) * tile->view.bands[b].block_cols;
        }
    }
    return blocks;
}

void wvl_strips_pass(wvl_strips *s)
{
    for (uint32_t t = 0; t < s->options.tile_count; t++) {
        for (uint32_t b = 0; b < s->tiles[t].view.band_count; b++) {
            /* The row of blocks that is not complete goes to the front of the window. */
            tile_state *tile = &s->tiles[t];
            const wvl_tile_band *band = &tile->view.bands[b];
            band_state *state = &tile->bands[b];
            uint64_t row_bytes = (uint64_t)band->block_cols * band->cell_width * band->cell_height * band->coef_bytes;
            uint8_t *window = tile->samples + state->at;
            uint32_t end = tile->rows[b].end;
            if (end > state->base) {
                memmove(window, window + (end - state->base) * row_bytes, (size_t)((state->touched - end) * row_bytes));
                state->base = end;
                tile->rows[b].first = end;
                aim_band(tile, b);
            }
        }
    }
}
