/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backend that every machine has: pixels to quantised coefficients on the caller's pool.
 *
 * Work comes in units: one component of one tile, or the three of a colour transform or conversion. With enough units
 * for all workers, each unit is one task that goes through all its levels with planes of the worker's own (deep);
 * otherwise the levels follow one another and each is cut into strips of block rows (wide). Coefficients are the same.
 *
 * There is no thread besides the pool's: the first wait with a timeout other than 0 lends its own and returns when the
 * job is done.
 */
#include "backend/backend_cpu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "backend/cpu_shape.h"
#include "base/alloc.h"
#include "dwt/strip.h"
#include "front/front.h"

#define TASKS_PER_WORKER 4u /* strips wanted per worker, so that an unlucky last one costs little */

typedef struct cpu_unit {
    uint32_t tile, component; /* tile: index in the job */
    uint8_t count, mct, kind;
} cpu_unit;

/* Low-low planes of one component: level l writes plane (l - 1) & 1. */
typedef struct cpu_planes {
    uint8_t *rows[2];
} cpu_planes;

typedef struct cpu_worker {
    wvl_dwt_lines lines;
    int32_t *work[WVL_LANES_MAX];
    cpu_planes planes[WVL_LANES_MAX]; /* deep */
} cpu_worker;

struct wvl_backend_job {
    wvl_backend *backend;
    wvl_backend_job *next;
    uint64_t capacity; /* bytes of the arena, which this structure begins */
    uint8_t *work;     /* lines and planes, which nobody needs when the job is done; NULL: given back */
    uint64_t work_capacity;
    pthread_mutex_t lock; /* held while the job runs */
    int busy, done;       /* busy under the backend's lock, done under this one */
    const wvl_image *image;
    const wvl_tile_plan *tiles;
    uint32_t tile_count, unit_count;
    uint32_t level; /* wide: the level at work */
    wvl_cpu_shape shape;
    cpu_unit *units;
    cpu_planes *planes;   /* wide: [tile_count][component_count] */
    uint64_t *first_task; /* wide: of each unit or lane at the level, and the total */
    cpu_worker *workers;
    wvl_coefs *coefs;    /* [tile_count] */
    atomic_uint outside; /* nonzero: samples outside their depth */
};

struct wvl_backend {
    wvl_allocator allocator;
    wvl_pool *pool;
    const wvl_look *look;
    const wvl_dwt_kernels *dwt;
    const wvl_front_kernels *front;
    const wvl_plan *plan; /* of all slots */
    pthread_mutex_t lock; /* guards the list and busy */
    wvl_backend_job *slots;
};

/* ---- Memory ---------------------------------------------------------------------------------- */

static void carve_worker(wvl_carver *carver, const wvl_cpu_shape *shape, cpu_worker *worker)
{
    wvl_dwt_carve_lines(carver, shape->lanes_max, shape->width_max, shape->widest_kind, &worker->lines);
    for (uint32_t i = 0; i < shape->lanes_max; i++) {
        worker->work[i] = wvl_line_carve(carver, shape->width_max, WVL_LINE_I32);
        if (shape->deep) {
            worker->planes[i].rows[0] = wvl_carve(carver, shape->plane_bytes[0], 1);
            /* Components leave level 1 together and then go on one by one. */
            worker->planes[i].rows[1] = i ? worker->planes[0].rows[1] : wvl_carve(carver, shape->plane_bytes[1], 1);
        }
    }
}

static void carve_planes(wvl_carver *carver, const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                         cpu_planes *planes)
{
    for (uint64_t i = 0; i < (uint64_t)tile_count * plan->component_count; i++) {
        const wvl_tile_plan *tile = &tiles[i / plan->component_count];
        for (unsigned which = 0; which < 2; which++) {
            uint8_t *rows =
                wvl_carve(carver, wvl_cpu_plane_bytes(tile, &tile->components[i % plan->component_count], which), 1);
            if (planes) {
                planes[i].rows[which] = rows;
            }
        }
    }
}

typedef struct job_parts {
    wvl_backend_job *job;
    cpu_unit *units;
    cpu_planes *planes;
    uint64_t *first_task;
    cpu_worker *workers;
    wvl_coefs *coefs;
    uint32_t *bounds;
    uint8_t *samples;
} job_parts;

/* The job itself comes first, so that its place does not depend on the tiles. tiles: NULL while measuring. */
static job_parts carve_parts(wvl_carver *carver, wvl_carver *work, const wvl_plan *plan, const wvl_cpu_shape *shape,
                             const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t concurrency)
{
    uint64_t lanes = wvl_mul_saturate(tile_count, plan->component_count);
    job_parts p;
    p.job = wvl_carve(carver, 1, sizeof *p.job);
    p.units = wvl_carve(carver, shape->units, sizeof *p.units);
    p.planes = shape->deep ? NULL : wvl_carve(carver, lanes, sizeof *p.planes);
    p.first_task = shape->deep ? NULL : wvl_carve(carver, lanes + 1, sizeof *p.first_task);
    p.workers = wvl_carve(carver, concurrency, sizeof *p.workers);
    p.coefs = wvl_carve(carver, tile_count, sizeof *p.coefs);
    p.bounds = wvl_carve(carver, shape->block_count, sizeof *p.bounds);
    p.samples = wvl_carve(carver, shape->coef_bytes, 1);
    for (uint32_t i = 0; i < concurrency; i++) {
        cpu_worker unused;
        carve_worker(work, shape, carver->base ? &p.workers[i] : &unused);
    }
    if (!shape->deep && tiles && carver->base) {
        carve_planes(work, plan, tiles, tile_count, p.planes);
    } else if (!shape->deep) {
        (void)wvl_carve(work, 1, shape->planes_bytes);
    }
    return p;
}

static wvl_backend_job *build_job(wvl_carver *carver, wvl_carver *work, const wvl_plan *plan,
                                  const wvl_cpu_shape *shape, const wvl_tile_plan *tiles, uint32_t tile_count,
                                  uint32_t concurrency)
{
    job_parts p = carve_parts(carver, work, plan, shape, tiles, tile_count, concurrency);
    p.job->shape = *shape;
    p.job->unit_count = shape->units;
    p.job->units = p.units;
    p.job->planes = p.planes;
    p.job->first_task = p.first_task;
    p.job->workers = p.workers;
    p.job->coefs = p.coefs;
    for (uint32_t t = 0; t < tile_count; t++) {
        p.coefs[t] = (wvl_coefs){&tiles[t], p.samples, p.bounds};
        p.samples += tiles[t].coef_bytes;
        p.bounds += tiles[t].block_count;
    }
    return p.job;
}

static wvl_cpu_shape measure_tiles(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                                   uint32_t concurrency)
{
    wvl_cpu_shape shape = {.lanes_max = 1};
    for (uint32_t t = 0; t < tile_count; t++) {
        for (uint32_t c = 0; c < plan->component_count; c++) {
            wvl_cpu_add_component(&shape, &tiles[t], c, 1);
        }
        wvl_cpu_add_tile(&shape, plan->component_count, wvl_front_count_lanes(plan, &tiles[t], 0), tiles[t].coef_bytes,
                         tiles[t].block_count);
    }
    wvl_cpu_settle_shape(&shape, concurrency);
    return shape;
}

void wvl_cpu_measure_shape(const wvl_plan *plan, const wvl_cpu_shape *given, uint32_t tile_count, uint32_t concurrency,
                           wvl_backend_memory *memory)
{
    wvl_carver job = {NULL, 0}, work = {NULL, 0};
    wvl_cpu_shape shape = *given;
    wvl_cpu_settle_shape(&shape, concurrency);
    (void)carve_parts(&job, &work, plan, &shape, NULL, tile_count, concurrency);
    uint64_t kept = wvl_add_saturate(wvl_alloc_size(job.used), wvl_alloc_size(sizeof(wvl_backend)));
    *memory = (wvl_backend_memory){.host_bytes = wvl_add_saturate(kept, wvl_alloc_size(work.used)),
                                   .work_bytes = wvl_alloc_size(work.used)};
}

static void cpu_measure(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t concurrency,
                        wvl_backend_memory *memory)
{
    wvl_cpu_shape shape = measure_tiles(plan, tiles, tile_count, concurrency);
    wvl_cpu_measure_shape(plan, &shape, tile_count, concurrency, memory);
}

/* ---- Work ------------------------------------------------------------------------------------ */

typedef struct cpu_fetch {
    wvl_front_group group;
    int32_t *const *work;
    uint32_t x, n, outside;
} cpu_fetch;

static void fetch_row(void *user, uint32_t y, void *const *rows)
{
    cpu_fetch *f = user;
    f->outside |= wvl_front_fetch_row(&f->group, y, f->x, f->n, f->work, rows);
}

static void build_bands(const wvl_backend_job *job, const cpu_unit *unit, unsigned r, wvl_dwt_lane *lane)
{
    const wvl_coefs *coefs = &job->coefs[unit->tile];
    const wvl_tile_resolution *res =
        &coefs->tile->resolutions[coefs->tile->components[unit->component].first_resolution + r];
    for (unsigned b = 0; b < res->band_count; b++) {
        const wvl_tile_band *band = &coefs->tile->bands[res->first_band + b];
        wvl_dwt_build_band(job->backend->dwt, lane->kind, band, coefs->samples, coefs->bounds,
                           &lane->band[band->orient]);
    }
}

/* One component at `level` (0: no decomposition at all). */
static wvl_dwt_lane build_lane(const wvl_backend_job *job, const cpu_unit *unit, unsigned level,
                               const cpu_planes *planes)
{
    const wvl_tile_plan *tile = &job->tiles[unit->tile];
    const wvl_tile_component *tc = &tile->components[unit->component];
    const wvl_tile_resolution *low = &tile->resolutions[tc->first_resolution + tc->levels - level];
    wvl_dwt_lane lane = {0};
    lane.kind = wvl_cpu_line_kind(tc);
    lane.rect = level ? low[1].rect : low->rect;
    if (level > 1) {
        lane.in = (wvl_dwt_plane){planes->rows[level & 1], wvl_cpu_plane_pitch(wvl_rect_width(lane.rect), lane.kind),
                                  lane.rect.y0};
    }
    if (level) {
        build_bands(job, unit, tc->levels - level + 1u, &lane);
    }
    if (level == tc->levels) {
        build_bands(job, unit, 0, &lane);
    } else {
        lane.low = (wvl_dwt_plane){planes->rows[(level - 1) & 1],
                                   wvl_cpu_plane_pitch(wvl_rect_width(low->rect), lane.kind), low->rect.y0};
    }
    return lane;
}

static unsigned component_levels(const wvl_backend_job *job, const cpu_unit *unit, uint32_t i)
{
    return job->tiles[unit->tile].components[unit->component + i].levels;
}

static unsigned unit_levels(const wvl_backend_job *job, const cpu_unit *unit)
{
    unsigned most = 0;
    for (uint32_t i = 0; i < unit->count; i++) {
        most = wvl_max_u32(most, component_levels(job, unit, i));
    }
    return most;
}

/* Components of a colour transform may have levels of their own: where others split, those without any stay as they
 * are. */
static void build_lanes(const wvl_backend_job *job, const cpu_unit *unit, unsigned level, const cpu_planes *planes,
                        wvl_dwt_lane *lanes)
{
    for (uint32_t i = 0; i < unit->count; i++) {
        cpu_unit one = {unit->tile, unit->component + i, 1, 0, unit->kind};
        unsigned own = wvl_min_u32(level, component_levels(job, unit, i));
        lanes[i] = build_lane(job, &one, own, planes + i);
        lanes[i].plain = own != level;
    }
}

/* Strip `index` of those into which `wanted` cuts the level; wanted 0: the whole level. */
static void run_strip(wvl_backend_job *job, const cpu_unit *unit, unsigned level, const cpu_planes *planes,
                      uint32_t wanted, uint64_t index, uint32_t worker)
{
    wvl_dwt_lane lanes[WVL_LANES_MAX];
    build_lanes(job, unit, level, planes, lanes);
    wvl_rect rect = lanes[0].rect;
    if (!wvl_rect_width(rect) || !wvl_rect_height(rect) || wvl_look_is_over(job->backend->look)) {
        return;
    }
    cpu_worker *w = &job->workers[worker];
    wvl_dwt_strip strip = {job->backend->dwt, lanes, unit->count, rect.y0,           rect.y1,
                           &w->lines,         NULL,  NULL,        job->backend->look};
    if (wanted) {
        uint64_t rows = wvl_dwt_strip_rows(lanes, unit->count, wanted), top = (rect.y0 / rows + index) * rows;
        strip.y0 = (uint32_t)wvl_max_u64(top, rect.y0);
        strip.y1 = (uint32_t)wvl_min_u64(top + rows, rect.y1);
    }
    cpu_fetch fetch = {.work = w->work, .x = rect.x0, .n = wvl_rect_width(rect)};
    if (level < 2) {
        wvl_front_build_group(job->backend->front, job->backend->plan, job->image, unit->component, unit->count,
                              unit->mct, unit->kind, &fetch.group);
        strip.fetch = fetch_row;
        strip.user = &fetch;
    }
    if (level) {
        wvl_dwt_put_strip(&strip);
    } else {
        wvl_dwt_put_plain(&strip);
    }
    if (fetch.outside) {
        atomic_fetch_or_explicit(&job->outside, 1u, memory_order_relaxed);
    }
}

static void run_unit_deep(void *arg, uint32_t index, uint32_t worker)
{
    wvl_backend_job *job = arg;
    const cpu_unit *unit = &job->units[index];
    unsigned levels = unit_levels(job, unit);
    const cpu_planes *planes = job->workers[worker].planes;
    run_strip(job, unit, levels ? 1 : 0, planes, 0, 0, worker);
    for (uint32_t i = 0; i < unit->count; i++) {
        cpu_unit one = {unit->tile, unit->component + i, 1, WVL_MCT_NONE, unit->kind};
        for (unsigned level = 2; level <= component_levels(job, unit, i); level++) {
            run_strip(job, &one, level, planes + i, 0, 0, worker);
        }
    }
}

static const cpu_planes *wide_planes(const wvl_backend_job *job, const cpu_unit *unit)
{
    return job->planes + (uint64_t)unit->tile * job->backend->plan->component_count + unit->component;
}

/* Who works at the present level: units at the first, single components at the others. */
static cpu_unit wide_unit(const wvl_backend_job *job, uint64_t index)
{
    if (job->level < 2) {
        return job->units[index];
    }
    uint32_t components = job->backend->plan->component_count;
    cpu_unit one = {(uint32_t)(index / components), (uint32_t)(index % components), 1, WVL_MCT_NONE, 0};
    one.kind = wvl_cpu_line_kind(&job->tiles[one.tile].components[one.component]);
    return one;
}

static uint64_t wide_count(const wvl_backend_job *job)
{
    return job->level < 2 ? job->unit_count : (uint64_t)job->tile_count * job->backend->plan->component_count;
}

/* The level that a unit is at in round `level`: components without decomposition go with the first. UINT32_MAX: none.
 */
static uint32_t round_level(const wvl_backend_job *job, const cpu_unit *unit)
{
    unsigned levels = unit_levels(job, unit);
    return levels >= job->level ? job->level : job->level == 1 ? 0 : UINT32_MAX;
}

static uint32_t strips_wanted(const wvl_backend_job *job)
{
    uint64_t count = wide_count(job), tasks = (uint64_t)wvl_pool_concurrency(job->backend->pool) * TASKS_PER_WORKER;
    return (uint32_t)wvl_max_u64(1, wvl_ceil_div(tasks, wvl_max_u64(count, 1)));
}

/* Last i with first_task[i] <= task. */
static uint64_t find_task(const wvl_backend_job *job, uint64_t task)
{
    uint64_t low = 0, high = wide_count(job);
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (job->first_task[middle] <= task) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void run_task_wide(void *arg, uint32_t task, uint32_t worker)
{
    wvl_backend_job *job = arg;
    uint64_t index = find_task(job, task);
    cpu_unit unit = wide_unit(job, index);
    run_strip(job, &unit, round_level(job, &unit), wide_planes(job, &unit), strips_wanted(job),
              task - job->first_task[index], worker);
}

static void run_level_wide(wvl_backend_job *job)
{
    uint64_t tasks = 0, count = wide_count(job);
    for (uint64_t i = 0; i < count; i++) {
        cpu_unit unit = wide_unit(job, i);
        uint32_t level = round_level(job, &unit);
        job->first_task[i] = tasks;
        if (level != UINT32_MAX) {
            wvl_dwt_lane lanes[WVL_LANES_MAX];
            build_lanes(job, &unit, level, wide_planes(job, &unit), lanes);
            tasks += wvl_dwt_count_strips(lanes, unit.count, strips_wanted(job));
        }
    }
    job->first_task[count] = tasks;
    wvl_pool_run(job->backend->pool, (uint32_t)tasks, run_task_wide, job);
}

static void run_job(wvl_backend_job *job)
{
    wvl_pool *pool = job->backend->pool;
    if (job->shape.deep) {
        wvl_pool_run(pool, job->unit_count, run_unit_deep, job);
        return;
    }
    for (job->level = 1; job->level <= wvl_max_u32(job->backend->plan->max_levels, 1); job->level++) {
        run_level_wide(job);
    }
}

/* ---- The table ------------------------------------------------------------------------------- */

/* Blocks are coded above: the workers of the pool are a source of blocks by themselves (codec/blocks/source_pool.h). */
static wvl_reach cpu_reach(const wvl_plan *plan, const wvl_image *image, const char **why)
{
    int is_readable = !image || (image->memory_kind != WVL_MEMORY_DEVICE && image->memory_kind != WVL_MEMORY_MANAGED &&
                                 !image->ready_event);
    (void)plan;
    *why = is_readable ? "the codec takes coefficients from the host"
                       : "the pixels are on a device, or have a ready event";
    return is_readable ? WVL_REACH_COEFS : WVL_REACH_NONE;
}

static wvl_status cpu_open(const wvl_backend_options *options, wvl_backend **backend)
{
    const wvl_allocator *host = options->host;
    wvl_backend *b = wvl_alloc_zeroed(host, sizeof *b);
    *backend = NULL;
    if (!b || pthread_mutex_init(&b->lock, NULL)) {
        wvl_free(host, b, sizeof *b);
        return WVL_ERROR_MEMORY;
    }
    b->allocator = host ? *host : (wvl_allocator){0};
    b->pool = options->pool;
    b->look = options->look;
    b->dwt = wvl_dwt_fetch_kernels(wvl_cpu_fetch_level());
    b->front = wvl_front_fetch_kernels(wvl_cpu_fetch_level());
    *backend = b;
    return WVL_OK;
}

static void free_slots(wvl_backend *b)
{
    while (b->slots) {
        wvl_backend_job *job = b->slots;
        b->slots = job->next;
        pthread_mutex_destroy(&job->lock);
        wvl_free(&b->allocator, job->work, job->work_capacity);
        wvl_free(&b->allocator, job, job->capacity);
    }
}

static void cpu_trim(wvl_backend *b)
{
    for (wvl_backend_job *job = b->slots; job; job = job->next) {
        wvl_free(&b->allocator, job->work, job->work_capacity);
        job->work = NULL;
        job->work_capacity = 0;
    }
}

static void cpu_close(wvl_backend *backend)
{
    if (backend) {
        free_slots(backend);
        pthread_mutex_destroy(&backend->lock);
        wvl_allocator allocator = backend->allocator;
        wvl_free(&allocator, backend, sizeof *backend);
    }
}

/* All slots serve one plan: preparing for another one drops them, which needs them free. */
static wvl_status cpu_prepare(wvl_backend *b, const wvl_plan *plan, const wvl_backend_memory *slot)
{
    if (b->plan != plan) {
        for (const wvl_backend_job *job = b->slots; job; job = job->next) {
            if (job->busy) {
                return WVL_ERROR_ARGUMENT;
            }
        }
        free_slots(b);
        b->plan = plan;
    }
    uint64_t bytes = slot->host_bytes - slot->work_bytes - wvl_alloc_size(sizeof(wvl_backend));
    wvl_backend_job *job = wvl_alloc(&b->allocator, bytes);
    uint8_t *work = wvl_alloc(&b->allocator, slot->work_bytes);
    if (!job || !work) {
        wvl_free(&b->allocator, job, bytes);
        wvl_free(&b->allocator, work, slot->work_bytes);
        return WVL_ERROR_MEMORY;
    }
    *job = (wvl_backend_job){.backend = b, .capacity = bytes, .work = work, .work_capacity = slot->work_bytes};
    if (pthread_mutex_init(&job->lock, NULL)) {
        wvl_free(&b->allocator, job, bytes);
        wvl_free(&b->allocator, work, slot->work_bytes);
        return WVL_ERROR_MEMORY;
    }
    pthread_mutex_lock(&b->lock);
    job->next = b->slots;
    b->slots = job;
    pthread_mutex_unlock(&b->lock);
    return WVL_OK;
}

static wvl_backend_job *take_slot(wvl_backend *b)
{
    pthread_mutex_lock(&b->lock);
    wvl_backend_job *job = b->slots;
    while (job && job->busy) {
        job = job->next;
    }
    if (job) {
        job->busy = 1;
    }
    pthread_mutex_unlock(&b->lock);
    return job;
}

static void cpu_release(wvl_backend_job *job)
{
    wvl_backend *b = job->backend;
    pthread_mutex_lock(&b->lock);
    job->busy = 0;
    pthread_mutex_unlock(&b->lock);
}

static void build_units(wvl_backend_job *job)
{
    const wvl_plan *plan = job->backend->plan;
    cpu_unit *unit = job->units;
    for (uint32_t t = 0; t < job->tile_count; t++) {
        for (uint32_t c = 0; c < plan->component_count; c += wvl_front_count_lanes(plan, &job->tiles[t], c)) {
            uint32_t count = wvl_front_count_lanes(plan, &job->tiles[t], c);
            *unit++ = (cpu_unit){t, c, (uint8_t)count, count == 3 ? job->tiles[t].mct : WVL_MCT_NONE,
                                 wvl_cpu_line_kind(&job->tiles[t].components[c])};
        }
    }
}

static wvl_status cpu_submit(wvl_backend *b, const wvl_image *image, const wvl_tile_plan *tiles, uint32_t tile_count,
                             wvl_backend_job **out)
{
    uint32_t concurrency = wvl_pool_concurrency(b->pool);
    wvl_backend_job *job = take_slot(b);
    *out = NULL;
    if (!job) {
        return WVL_AGAIN;
    }
    wvl_carver carver = {NULL, 0}, work = {NULL, 0};
    wvl_cpu_shape shape = measure_tiles(b->plan, tiles, tile_count, concurrency);
    (void)carve_parts(&carver, &work, b->plan, &shape, NULL, tile_count, concurrency);
    if (carver.used > job->capacity || work.used > job->work_capacity) {
        cpu_release(job);
        return WVL_ERROR_ARGUMENT; /* larger than prepare was told */
    }
    carver = (wvl_carver){(uint8_t *)job, 0};
    work = (wvl_carver){job->work, 0};
    job = build_job(&carver, &work, b->plan, &shape, tiles, tile_count, concurrency);
    job->done = 0;
    job->image = image;
    job->tiles = tiles;
    job->tile_count = tile_count;
    atomic_store(&job->outside, 0);
    build_units(job);
    memset(job->coefs[0].bounds, 0, (size_t)(job->shape.block_count * sizeof(uint32_t)));
    *out = job;
    return WVL_OK;
}

static wvl_status cpu_wait(wvl_backend_job *job, wvl_backend_event event, uint32_t timeout_ms)
{
    (void)event; /* the input is free when all is done */
    if (timeout_ms ? pthread_mutex_lock(&job->lock) : pthread_mutex_trylock(&job->lock)) {
        return WVL_AGAIN;
    }
    if (!job->done && timeout_ms) {
        run_job(job);
        job->done = 1;
    }
    int done = job->done;
    pthread_mutex_unlock(&job->lock);
    return !done ? WVL_AGAIN : atomic_load(&job->outside) ? WVL_ERROR_INPUT : WVL_OK;
}

static wvl_status cpu_collect(wvl_backend_job *job, wvl_coefs *coefs)
{
    pthread_mutex_lock(&job->lock);
    int done = job->done;
    pthread_mutex_unlock(&job->lock);
    if (!done) {
        return WVL_AGAIN;
    }
    memcpy(coefs, job->coefs, job->tile_count * sizeof *coefs);
    return WVL_OK;
}

const wvl_backend_vtable wvl_backend_cpu = {
    .name = "cpu",
    .jobs = 1,
    .reach = cpu_reach,
    .open = cpu_open,
    .close = cpu_close,
    .measure = cpu_measure,
    .prepare = cpu_prepare,
    .submit = cpu_submit,
    .wait = cpu_wait,
    .collect = cpu_collect,
    .release = cpu_release,
    .trim = cpu_trim,
};
