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

#include <string.h>

#include "backend/cpu_job.h"
#include "backend/cpu_strips.h"
#include "base/alloc.h"

#define TASKS_PER_WORKER 4u /* strips wanted per worker, so that an unlucky last one costs little */

/* ---- Work ------------------------------------------------------------------------------------ */

static unsigned component_levels(const wvl_backend_job *job, const wvl_cpu_unit *unit, uint32_t i)
{
    return job->tiles[unit->tile].components[unit->component + i].levels;
}

/* Components of a colour transform may have levels of their own: where others split, those without any stay as they
 * are. */
static void build_strands(const wvl_backend_job *job, const wvl_cpu_unit *unit, unsigned level,
                          const wvl_cpu_planes *planes, wvl_dwt_strand *strands)
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

/* Strip `index` of those into which `wanted` cuts the level; wanted 0: the whole level. set: of lines. */
static void run_strip(wvl_backend_job *job, const wvl_cpu_unit *unit, unsigned level, const wvl_cpu_planes *planes,
                      uint32_t wanted, uint64_t index, uint32_t set)
{
    wvl_dwt_strand strands[WVL_STRANDS_MAX];
    build_strands(job, unit, level, planes, strands);
    wvl_rect rect = strands[0].rect;
    if (!wvl_rect_width(rect) || !wvl_rect_height(rect) || wvl_look_is_over(job->backend->look)) {
        return;
    }
    uint32_t y0 = rect.y0, y1 = rect.y1;
    if (wanted) {
        uint64_t rows = wvl_dwt_strip_rows(strands, unit->count, wanted), top = (rect.y0 / rows + index) * rows;
        y0 = (uint32_t)wvl_max_u64(top, rect.y0);
        y1 = (uint32_t)wvl_min_u64(top + rows, rect.y1);
    }
    const wvl_cpu_worker *w = &job->workers[set];
    const wvl_cpu_kernels kernels = {job->backend->dwt, job->backend->front, job->backend->plan, job->backend->look};
    if (wvl_cpu_run_rows(&kernels, job->image, unit, level, strands, y0, y1, &w->lines)) {
        atomic_fetch_or_explicit(&job->outside, 1u, memory_order_relaxed);
    }
}

static void run_unit_deep(void *arg, uint32_t index, uint32_t worker)
{
    wvl_backend_job *job = arg;
    const wvl_cpu_unit *unit = &job->units[index];
    unsigned levels = wvl_cpu_unit_levels(&job->tiles[unit->tile], unit);
    const wvl_cpu_planes *planes = job->workers[worker].planes;
    run_strip(job, unit, levels ? 1 : 0, planes, 0, 0, worker);
    for (uint32_t i = 0; i < unit->count; i++) {
        wvl_cpu_unit one = {unit->tile, unit->component + i, 1, WVL_MCT_NONE, unit->kind};
        for (unsigned level = 2; level <= component_levels(job, unit, i); level++) {
            run_strip(job, &one, level, planes + i, 0, 0, worker);
        }
    }
}

static const wvl_cpu_planes *wide_planes(const wvl_backend_job *job, const wvl_cpu_unit *unit)
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
    wvl_cpu_unit unit = wide_unit(job, index);
    uint32_t set = job->shape.sets < wvl_pool_concurrency(job->backend->pool) ? task : worker;
    run_strip(job, &unit, round_level(job, &unit), wide_planes(job, &unit), strips_wanted(job),
              task - job->first_task[index], set);
}

static void run_job(wvl_backend_job *job)
{
    wvl_pool *pool = job->backend->pool;
    if (job->shape.deep) {
        wvl_pool_run(pool, job->unit_count, run_unit_deep, job);
        return;
    }
    for (job->level = 1; job->level <= wvl_max_u32(job->backend->plan->syntax.max_levels, 1); job->level++) {
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
        wvl_pool_run(job->backend->pool, (uint32_t)tasks, run_task_wide, job);
    }
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
    if (wvl_cpu_lay_out_job(job, tiles, tile_count, wvl_pool_concurrency(b->pool)) != WVL_OK) {
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
    .measure = wvl_cpu_measure_job,
    .prepare = cpu_prepare,
    .submit = cpu_submit,
    .wait = cpu_wait,
    .collect = cpu_collect,
    .release = cpu_release,
    .trim = cpu_trim,
    .strips = &wvl_cpu_strip_table,
};
