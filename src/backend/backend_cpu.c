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

#include "backend/cpu_strands.h"
#include "backend/workspaces.h"
#include "base/alloc.h"

#define TASKS_PER_WORKER 4u /* strips wanted per worker, so that an unlucky last one costs little */

/* ---- Memory: an arena for what lives as long as the coefficients, another for lines and planes */

/* Low-low planes of one component: level l writes plane (l - 1) & 1. */
typedef struct job_planes {
    uint8_t *rows[2];
} job_planes;

typedef struct job_worker {
    wvl_cpu_lines lines;
    job_planes planes[WVL_STRANDS_MAX]; /* deep */
} job_worker;

struct wvl_backend_job {
    wvl_workspace workspace; /* first */
    wvl_backend *backend;
    uint64_t capacity; /* bytes of the arena, which this structure begins */
    uint8_t *work;     /* lines and planes, which nobody needs when the job is done; NULL: given back */
    uint64_t work_capacity;
    pthread_mutex_t lock; /* held while the job runs */
    int done;             /* under this lock */
    const wvl_image *image;
    const wvl_tile_plan *tiles;
    uint32_t tile_count, unit_count;
    uint32_t level; /* wide: the level at work */
    wvl_cpu_shape shape;
    wvl_cpu_unit *units;
    job_planes *planes;   /* wide: [tile_count][component_count] */
    uint64_t *first_task; /* wide: of each unit or strand at the level, and the total */
    job_worker *workers;
    wvl_coefs *coefs;    /* [tile_count] */
    atomic_uint outside; /* nonzero: samples outside their depth */
};

struct wvl_backend {
    wvl_allocator allocator;
    wvl_pool *pool;
    const wvl_look *look;
    const wvl_dwt_kernels *dwt;
    const wvl_front_kernels *front;
    const wvl_plan *plan; /* of all workspaces */
    wvl_workspaces workspaces;
};

static void carve_worker(wvl_carver *carver, const wvl_cpu_shape *shape, job_worker *worker)
{
    wvl_cpu_carve_lines(carver, shape, &worker->lines);
    for (uint32_t i = 0; i < shape->strands_max; i++) {
        if (shape->deep) {
            worker->planes[i].rows[0] = wvl_carve(carver, shape->plane_bytes[0], 1);
            /* Components leave level 1 together and then go on one by one. */
            worker->planes[i].rows[1] = i ? worker->planes[0].rows[1] : wvl_carve(carver, shape->plane_bytes[1], 1);
        }
    }
}

static void carve_planes(wvl_carver *carver, const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                         job_planes *planes)
{
    for (uint64_t i = 0; i < (uint64_t)tile_count * plan->syntax.component_count; i++) {
        const wvl_tile_plan *tile = &tiles[i / plan->syntax.component_count];
        for (unsigned which = 0; which < 2; which++) {
            uint8_t *rows = wvl_carve(
                carver, wvl_cpu_plane_bytes(tile, &tile->components[i % plan->syntax.component_count], which), 1);
            if (planes) {
                planes[i].rows[which] = rows;
            }
        }
    }
}

typedef struct job_parts {
    wvl_backend_job *job;
    wvl_cpu_unit *units;
    job_planes *planes;
    uint64_t *first_task;
    job_worker *workers;
    wvl_coefs *coefs;
    uint32_t *bounds;
    uint8_t *samples;
} job_parts;

/* The job itself comes first, so that its place does not depend on the tiles. tiles: NULL while measuring. */
static job_parts carve_parts(wvl_carver *carver, wvl_carver *work, const wvl_plan *plan, const wvl_cpu_shape *shape,
                             const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t concurrency)
{
    uint64_t strands = wvl_mul_saturate(tile_count, plan->syntax.component_count);
    job_parts p;
    p.job = wvl_carve(carver, 1, sizeof *p.job);
    p.units = wvl_carve(carver, shape->units, sizeof *p.units);
    p.planes = shape->deep ? NULL : wvl_carve(carver, strands, sizeof *p.planes);
    p.first_task = shape->deep ? NULL : wvl_carve(carver, strands + 1, sizeof *p.first_task);
    p.workers = wvl_carve(carver, concurrency, sizeof *p.workers);
    p.coefs = wvl_carve(carver, tile_count, sizeof *p.coefs);
    p.bounds = wvl_carve(carver, shape->block_count, sizeof *p.bounds);
    p.samples = wvl_carve(carver, shape->coef_bytes, 1);
    for (uint32_t i = 0; i < shape->sets; i++) {
        job_worker unused;
        carve_worker(work, shape, carver->base ? &p.workers[i] : &unused);
    }
    if (!shape->deep && tiles && carver->base) {
        carve_planes(work, plan, tiles, tile_count, p.planes);
    } else if (!shape->deep) {
        (void)wvl_carve(work, 1, shape->planes_bytes);
    }
    return p;
}

static wvl_cpu_shape measure_tiles(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                                   uint32_t concurrency)
{
    wvl_cpu_shape shape = {.strands_max = 1};
    for (uint32_t t = 0; t < tile_count; t++) {
        for (uint32_t c = 0; c < plan->syntax.component_count; c++) {
            wvl_cpu_add_component(&shape, &tiles[t], c, 1);
        }
        wvl_cpu_add_tile(&shape, plan->syntax.component_count, wvl_front_count_strands(plan, &tiles[t], 0),
                         tiles[t].coef_bytes, tiles[t].block_count);
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

/* Bytes of a workspace for tiles of these shapes: `wvl_backend.measure`. */
static void cpu_measure(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t concurrency,
                        wvl_backend_memory *memory)
{
    wvl_cpu_shape shape = measure_tiles(plan, tiles, tile_count, concurrency);
    wvl_cpu_measure_shape(plan, &shape, tile_count, concurrency, memory);
}

/* Lays a job for these tiles out in the workspace's memory, every other member as it was. WVL_ERROR_ARGUMENT: the
 * workspace was prepared for less. */
static wvl_status lay_out(wvl_backend_job *job, const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t concurrency)
{
    const wvl_plan *plan = job->backend->plan;
    wvl_carver carver = {NULL, 0}, work = {NULL, 0};
    wvl_cpu_shape shape = measure_tiles(plan, tiles, tile_count, concurrency);
    (void)carve_parts(&carver, &work, plan, &shape, NULL, tile_count, concurrency);
    if (carver.used > job->capacity || work.used > job->work_capacity) {
        return WVL_ERROR_ARGUMENT;
    }
    carver = (wvl_carver){(uint8_t *)job, 0};
    work = (wvl_carver){job->work, 0};
    job_parts p = carve_parts(&carver, &work, plan, &shape, tiles, tile_count, concurrency);
    p.job->shape = shape;
    p.job->unit_count = shape.units;
    p.job->units = p.units;
    p.job->planes = p.planes;
    p.job->first_task = p.first_task;
    p.job->workers = p.workers;
    p.job->coefs = p.coefs;
    for (uint32_t t = 0; t < tile_count; t++) {
        p.coefs[t] = (wvl_coefs){&tiles[t], p.samples, p.bounds, NULL};
        p.samples += tiles[t].coef_bytes;
        p.bounds += tiles[t].block_count;
    }

    return WVL_OK;
}

/* ---- Work ------------------------------------------------------------------------------------ */

static unsigned component_levels(const wvl_backend_job *job, const wvl_cpu_unit *unit, uint32_t i)
{
    return job->tiles[unit->tile].components[unit->component + i].levels;
}

/* Components of a colour transform may have levels of their own: where others split, those without any stay as they
 * are. */
static void build_strands(const wvl_backend_job *job, const wvl_cpu_unit *unit, unsigned level,
                          const job_planes *planes, wvl_dwt_strand *strands)
{
    for (uint32_t i = 0; i < unit->count; i++) {
        unsigned own = wvl_min_u32(level, component_levels(job, unit, i));
        const wvl_tile_component *tc = &job->tiles[unit->tile].components[unit->component + i];
        uint8_t *const *rows = planes[i].rows;
        uint8_t *in = wvl_cpu_is_flat(tc) ? rows[0] : rows[own & 1],
                *low = wvl_cpu_is_flat(tc) ? in : rows[(own - 1) & 1];
        wvl_cpu_build_strand(job->backend->dwt, &job->coefs[unit->tile], unit->component + i, own, in, low,
                             &strands[i]);
        strands[i].plain = own != level;
    }
}

static const job_planes *wide_planes(const wvl_backend_job *job, const wvl_cpu_unit *unit)
{
    return job->planes + (uint64_t)unit->tile * job->backend->plan->syntax.component_count + unit->component;
}

/* Who works at the present level: units at the first, single components at the others. */
static wvl_cpu_unit wide_unit(const wvl_backend_job *job, uint64_t index)
{
    if (job->level < 2) {
        return job->units[index];
    }
    uint32_t components = job->backend->plan->syntax.component_count;
    wvl_cpu_unit one = {(uint32_t)(index / components), (uint32_t)(index % components), 1, WVL_MCT_NONE, 0};
    one.kind = wvl_cpu_line_kind(&job->tiles[one.tile].components[one.component]);
    return one;
}

static uint64_t wide_count(const wvl_backend_job *job)
{
    return job->level < 2 ? job->unit_count : (uint64_t)job->tile_count * job->backend->plan->syntax.component_count;
}

/* The level that a unit is at in round `level`: components without decomposition go with the first. UINT32_MAX: none.
 */
static uint32_t round_level(const wvl_backend_job *job, const wvl_cpu_unit *unit)
{
    unsigned levels = wvl_cpu_unit_levels(&job->tiles[unit->tile], unit);
    return levels >= job->level ? job->level : job->level == 1 ? 0 : UINT32_MAX;
}

static uint32_t strips_wanted(const wvl_backend_job *job)
{
    uint64_t count = wide_count(job), tasks = (uint64_t)wvl_pool_concurrency(job->backend->pool) * TASKS_PER_WORKER;
    return (uint32_t)wvl_max_u64(1, wvl_ceil_div(tasks, wvl_max_u64(count, 1)));
}

/* What a task works at: a strip of a unit at a level. */
typedef struct job_strip {
    const wvl_cpu_unit *whole; /* deep: the unit whose levels follow one another */
    wvl_cpu_unit unit;
    const job_planes *planes, *own_planes; /* of the unit; deep: of the worker */
    unsigned level;
    uint32_t component; /* deep: of the unit, behind level 1 */
    uint32_t wanted;    /* strips of the level, of which this is number `index`; 0: the whole level */
    uint64_t index;
    const wvl_cpu_lines *lines;
    wvl_cpu_rows rows;
} job_strip;

static void begin_task(const wvl_backend_job *job, uint32_t task, uint32_t worker, job_strip *s)
{
    if (job->shape.deep) {
        s->whole = &job->units[task];
        s->unit = *s->whole;
        s->planes = s->own_planes = job->workers[worker].planes;
        s->level = wvl_cpu_unit_levels(&job->tiles[s->unit.tile], &s->unit) ? 1 : 0;
        s->wanted = 0;
        s->lines = &job->workers[worker].lines;
        return;
    }
    /* Last i with first_task[i] <= task. */
    uint64_t at = 0, high = wide_count(job);
    while (high - at > 1) {
        uint64_t middle = at + (high - at) / 2;
        if (job->first_task[middle] <= task) {
            at = middle;
        } else {
            high = middle;
        }
    }
    s->unit = wide_unit(job, at);
    s->planes = wide_planes(job, &s->unit);
    s->level = round_level(job, &s->unit);
    s->wanted = strips_wanted(job);
    s->index = task - job->first_task[at];
    s->lines = &job->workers[job->shape.sets < wvl_pool_concurrency(job->backend->pool) ? task : worker].lines;
}

/* Components leave level 1 together, and then go on one by one. 0: the task is done. */
static int next_level(const wvl_backend_job *job, job_strip *s)
{
    if (!job->shape.deep) {
        return 0;
    }
    s->component = s->level < 2 ? 0 : s->component;
    s->level = wvl_max_u32(s->level + 1, 2);
    while (s->component < s->whole->count && s->level > component_levels(job, s->whole, s->component)) {
        s->component++;
        s->level = 2;
    }
    s->unit = (wvl_cpu_unit){s->whole->tile, s->whole->component + s->component, 1, WVL_MCT_NONE, s->whole->kind};
    s->planes = s->own_planes + s->component;
    return s->component < s->whole->count;
}

/* 0: there is nothing to do. */
static int open_strip(const wvl_backend_job *job, job_strip *s)
{
    const wvl_backend *b = job->backend;
    const wvl_cpu_kernels kernels = {b->dwt, b->front, b->plan, b->look, job->image};
    const wvl_dwt_strand *strands = s->rows.strands;
    build_strands(job, &s->unit, s->level, s->planes, s->rows.strands);
    wvl_rect rect = strands[0].rect;
    if (!wvl_rect_width(rect) || !wvl_rect_height(rect) || wvl_look_is_over(b->look)) {
        return 0;
    }
    uint32_t y0 = rect.y0, y1 = rect.y1;
    if (s->wanted) {
        uint64_t rows = wvl_dwt_strip_rows(strands, s->unit.count, s->wanted), top = (y0 / rows + s->index) * rows;
        y0 = (uint32_t)wvl_max_u64(top, rect.y0);
        y1 = (uint32_t)wvl_min_u64(top + rows, rect.y1);
    }
    wvl_cpu_open_rows(&kernels, &s->unit, s->level, y0, y1, s->lines, &s->rows);
    return 1;
}

static void run_task(void *arg, uint32_t task, uint32_t worker)
{
    wvl_backend_job *job = arg;
    job_strip s;
    uint32_t outside = 0;
    begin_task(job, task, worker, &s);
    do {
        if (open_strip(job, &s)) {
            while (wvl_dwt_next_row(&s.rows.strip)) {
                wvl_front_fetch_row(&s.rows.fetch, s.rows.strip.y, s.rows.strip.rows);
            }
            outside |= s.rows.fetch.outside;
        }
    } while (next_level(job, &s));
    if (outside) {
        atomic_fetch_or_explicit(&job->outside, 1u, memory_order_relaxed);
    }
}

/* The tasks of the level, where each is cut into strips. */
static uint32_t list_tasks(wvl_backend_job *job)
{
    uint64_t tasks = 0, count = wide_count(job);
    for (uint64_t i = 0; i < count; i++) {
        wvl_cpu_unit unit = wide_unit(job, i);
        uint32_t level = round_level(job, &unit);
        job->first_task[i] = tasks;
        if (level != UINT32_MAX) {
            wvl_dwt_strand strands[WVL_STRANDS_MAX];
            build_strands(job, &unit, level, wide_planes(job, &unit), strands);
            tasks += wvl_dwt_count_strips(strands, unit.count, strips_wanted(job));
        }
    }
    job->first_task[count] = tasks;
    return (uint32_t)tasks;
}

/* ---- The table ------------------------------------------------------------------------------- */

/* Blocks are coded above: the workers of the pool are a source of blocks by themselves (codec/blocks/source_pool.h). */
static wvl_reach cpu_reach(const wvl_plan *plan, const wvl_image *image, wvl_reach most, const char **why)
{
    int is_readable = !image || (image->memory_kind != WVL_MEMORY_DEVICE && image->memory_kind != WVL_MEMORY_MANAGED &&
                                 !image->ready_event);
    (void)plan, (void)most;
    *why = is_readable ? "the codec takes coefficients from the host"
                       : "the pixels are on a device, or have a ready event";
    return is_readable ? WVL_REACH_COEFS : WVL_REACH_NONE;
}

static wvl_status cpu_open(const wvl_backend_options *options, wvl_backend **backend)
{
    const wvl_allocator *host = options->host;
    wvl_backend *b = wvl_alloc_zeroed(host, sizeof *b);
    *backend = NULL;
    if (!b || !wvl_workspaces_init(&b->workspaces)) {
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

static void free_workspaces(wvl_backend *b)
{
    wvl_backend_job *job;
    while ((job = (wvl_backend_job *)wvl_workspaces_remove(&b->workspaces))) {
        pthread_mutex_destroy(&job->lock);
        wvl_free(&b->allocator, job->work, job->work_capacity);
        wvl_free(&b->allocator, job, job->capacity);
    }
}

static void cpu_trim(wvl_backend *b)
{
    for (wvl_workspace *workspace = b->workspaces.first; workspace; workspace = workspace->next) {
        wvl_backend_job *job = (wvl_backend_job *)workspace;
        wvl_free(&b->allocator, job->work, job->work_capacity);
        job->work = NULL;
        job->work_capacity = 0;
    }
}

static void cpu_close(wvl_backend *backend)
{
    if (backend) {
        free_workspaces(backend);
        wvl_workspaces_fini(&backend->workspaces);
        wvl_allocator allocator = backend->allocator;
        wvl_free(&allocator, backend, sizeof *backend);
    }
}

/* All workspaces serve one plan: preparing for another one drops them, which needs them free. */
static wvl_status cpu_prepare(wvl_backend *b, const wvl_plan *plan, const wvl_backend_memory *workspace)
{
    if (b->plan != plan) {
        if (wvl_workspaces_are_busy(&b->workspaces)) {
            return WVL_ERROR_ARGUMENT;
        }
        free_workspaces(b);
        b->plan = plan;
    }
    uint64_t bytes = workspace->host_bytes - workspace->work_bytes - wvl_alloc_size(sizeof(wvl_backend));
    wvl_backend_job *job = wvl_alloc(&b->allocator, bytes);
    uint8_t *work = wvl_alloc(&b->allocator, workspace->work_bytes);
    if (!job || !work) {
        wvl_free(&b->allocator, job, bytes);
        wvl_free(&b->allocator, work, workspace->work_bytes);
        return WVL_ERROR_MEMORY;
    }
    *job = (wvl_backend_job){.backend = b, .capacity = bytes, .work = work, .work_capacity = workspace->work_bytes};
    if (pthread_mutex_init(&job->lock, NULL)) {
        wvl_free(&b->allocator, job, bytes);
        wvl_free(&b->allocator, work, workspace->work_bytes);
        return WVL_ERROR_MEMORY;
    }
    wvl_workspaces_add(&b->workspaces, &job->workspace);
    return WVL_OK;
}

static void cpu_release(wvl_backend_job *job) { wvl_workspaces_give(&job->backend->workspaces, &job->workspace); }

static wvl_status cpu_submit(wvl_backend *b, const wvl_image *image, const wvl_tile_plan *tiles, uint32_t tile_count,
                             wvl_backend_job **out)
{
    wvl_backend_job *job = (wvl_backend_job *)wvl_workspaces_take(&b->workspaces);
    *out = NULL;
    if (!job) {
        return WVL_AGAIN;
    }
    if (lay_out(job, tiles, tile_count, wvl_pool_concurrency(b->pool)) != WVL_OK) {
        cpu_release(job);
        return WVL_ERROR_ARGUMENT;
    }
    job->done = 0;
    job->image = image;
    job->tiles = tiles;
    job->tile_count = tile_count;
    atomic_store(&job->outside, 0);
    const wvl_plan *plan = job->backend->plan;
    wvl_cpu_unit *unit = job->units;
    for (uint32_t t = 0; t < job->tile_count; t++) {
        uint32_t component = 0;
        while (wvl_cpu_next_unit(plan, &job->tiles[t], t, &component, unit)) {
            unit++;
        }
    }
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
        uint32_t rounds = job->shape.deep ? 1 : wvl_max_u32(job->backend->plan->syntax.max_levels, 1);
        for (job->level = 1; job->level <= rounds; job->level++) {
            uint32_t tasks = job->shape.deep ? job->unit_count : list_tasks(job);
            wvl_pool_run(job->backend->pool, tasks, run_task, job);
        }
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
