/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of a job: one arena for what lives as long as the coefficients, one for lines and planes. */
#include "backend/cpu_job.h"

#include "base/alloc.h"

static void carve_worker(wvl_carver *carver, const wvl_cpu_shape *shape, wvl_cpu_worker *worker)
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
                         wvl_cpu_planes *planes)
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
    wvl_cpu_planes *planes;
    uint64_t *first_task;
    wvl_cpu_worker *workers;
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
        wvl_cpu_worker unused;
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

void wvl_cpu_measure_job(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t concurrency,
                         wvl_backend_memory *memory)
{
    wvl_cpu_shape shape = measure_tiles(plan, tiles, tile_count, concurrency);
    wvl_cpu_measure_shape(plan, &shape, tile_count, concurrency, memory);
}

wvl_status wvl_cpu_lay_out_job(wvl_backend_job *job, const wvl_tile_plan *tiles, uint32_t tile_count,
                               uint32_t concurrency)
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
