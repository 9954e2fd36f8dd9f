/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/blocks/t1_model.h"

#include <string.h>

#include "base/intmath.h"
#include "base/try.h"
#include "codec/core/t1_bound.h"

wvl_cuda_status wvl_cuda_t1_model_open(wvl_cuda_t1_model *model, const wvl_cuda_runtime *runtime,
                                       wvl_cuda_module module)
{
    static const char *const names[4][WVL_CUDA_T1_CLASSES] = {
        {"wvl_t1_planes_64", "wvl_t1_planes_32", "wvl_t1_planes_any"},
        {"wvl_t1_spread_64", "wvl_t1_spread_32", "wvl_t1_spread_any"},
        {"wvl_t1_list_64", "wvl_t1_list_32", "wvl_t1_list_any"},
        {"wvl_t1_gains_64", "wvl_t1_gains_32", "wvl_t1_gains_any"}};
    static const char *const wide_names[2][WVL_CUDA_T1_ANY] = {{"wvl_t1_planes_64_wide", "wvl_t1_planes_32_wide"},
                                                               {"wvl_t1_gains_64_wide", "wvl_t1_gains_32_wide"}};
    memset(model, 0, sizeof *model);
    model->runtime = runtime;
    wvl_cuda_function *const functions[4] = {model->planes, model->spread, model->list, model->gains};
    wvl_cuda_status status = runtime->module_function(&model->open, module, "wvl_t1_open");
    for (unsigned i = 0; !status && i < 4 * WVL_CUDA_T1_CLASSES; i++) {
        status = runtime->module_function(&functions[i / WVL_CUDA_T1_CLASSES][i % WVL_CUDA_T1_CLASSES], module,
                                          names[i / WVL_CUDA_T1_CLASSES][i % WVL_CUDA_T1_CLASSES]);
    }
    for (unsigned i = 0; !status && i < WVL_CUDA_T1_ANY; i++) {
        status = runtime->module_function(&model->planes_wide[i], module, wide_names[0][i]);
        TRY(status, runtime->module_function(&model->gains_wide[i], module, wide_names[1][i]));
    }
    return status;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static unsigned class_of(const wvl_cuda_t1_block *b)
{
    if (b->width > 64 || b->height > 64) {
        return WVL_CUDA_T1_ANY;
    }
    return b->width <= 32 && b->height <= 32 ? WVL_CUDA_T1_32 : WVL_CUDA_T1_64;
}

/* Where a block stands in the list of its class: those of 16 bits, those that may become 32 bits, those of 32. */
enum { NARROW, EITHER, WIDE, CONTAINERS };
static unsigned container_of(const wvl_cuda_t1_block *b)
{
    if (b->coef_bytes != 2) {
        return WIDE;
    }
    return wvl_cuda_t1_may_copy(b) ? EITHER : NARROW;
}

static void count_block(const wvl_cuda_t1_block *b, wvl_cuda_t1_job *job)
{
    unsigned kind = class_of(b), container = container_of(b);
    job->class_count[kind]++;
    job->item_most[kind] += b->planes;
    job->narrow_count[kind] += container != WIDE;
    job->wide_count[kind] += container != NARROW;
    job->is_styled |= b->style & (WVL_STYLE_TERMALL | WVL_STYLE_RESET | WVL_STYLE_PTERM | WVL_STYLE_BYPASS);
}

void wvl_cuda_t1_sort_some(const wvl_cuda_t1_block *blocks, const uint32_t *ids, uint32_t count, uint32_t *lists,
                           wvl_cuda_t1_job *job)
{
    uint32_t next[WVL_CUDA_T1_CLASSES][CONTAINERS];
    memset(job->class_count, 0, sizeof job->class_count);
    memset(job->item_most, 0, sizeof job->item_most);
    memset(job->narrow_count, 0, sizeof job->narrow_count);
    memset(job->wide_count, 0, sizeof job->wide_count);
    job->block_count = count;
    job->is_styled = 0;
    for (uint32_t i = 0; i < count; i++) {
        count_block(&blocks[ids ? ids[i] : i], job);
    }
    for (uint32_t i = 0, first = 0, item = 0; i < WVL_CUDA_T1_CLASSES; i++) {
        next[i][NARROW] = job->class_first[i] = first;
        job->item_first[i] = item;
        first += job->class_count[i];
        item += job->item_most[i];
        next[i][EITHER] = first - job->wide_count[i];
        next[i][WIDE] = job->class_first[i] + job->narrow_count[i];
    }
    for (uint32_t i = 0; lists && i < count; i++) {
        uint32_t id = ids ? ids[i] : i;
        lists[next[class_of(&blocks[id])][container_of(&blocks[id])]++] = id;
    }
}

void wvl_cuda_t1_sort(const wvl_cuda_t1_block *blocks, uint32_t count, uint32_t *lists, wvl_cuda_t1_job *job)
{
    wvl_cuda_t1_sort_some(blocks, NULL, count, lists, job);
}

uint32_t wvl_cuda_t1_count_items(const wvl_cuda_t1_job *job)
{
    return job->item_first[WVL_CUDA_T1_CLASSES - 1] + job->item_most[WVL_CUDA_T1_CLASSES - 1];
}

static uint64_t count_words(const wvl_cuda_t1_block *b)
{
    unsigned kind = class_of(b);
    uint64_t wide = kind == WVL_CUDA_T1_64 ? 8 : 4;
    if (kind == WVL_CUDA_T1_ANY) {
        wide = UINT64_C(1) << wvl_bit_length((b->width + 7u) / 8 - 1);
    }
    return wvl_align_up((b->height + 3u) / 4 * wide, 8);
}

/* As measure_block, take_chunks and close_list of the kernels count. */
uint64_t wvl_cuda_t1_measure_scratch(const wvl_cuda_t1_block *b)
{
    uint64_t samples = (uint64_t)b->width * b->height, columns = (uint64_t)b->width * ((b->height + 3u) / 4);
    uint64_t symbols = samples * (b->planes + 1u) + 2 * columns + 4u * b->planes;
    if (!b->planes) {
        return 0;
    }
    uint64_t words = 3 * count_words(b) * (b->planes + 1u) / 4, ends = (3u * b->planes + 3u) / 4;
    uint64_t chunks = (symbols / WVL_CUDA_T1_CHUNK_SYMBOLS + 2) * WVL_CUDA_T1_CHUNK_UNITS;
    uint64_t codeword = (wvl_t1_bound_symbols(symbols, 3u * b->planes - 2, b->style) + 15) / 16;
    return 16 * (words + ends + chunks + codeword);
}

/* As measure_block of the kernels counts. */
uint64_t wvl_cuda_t1_measure_words(const wvl_cuda_t1_block *b)
{
    uint64_t words = 3 * count_words(b) * (b->planes + 1u) / 4, ends = (3u * b->planes + 3u) / 4;
    return b->planes ? 16 * (words + ends + WVL_CUDA_T1_CHUNK_UNITS) + wvl_cuda_t1_measure_values(b) : 0;
}

uint64_t wvl_cuda_t1_measure_values(const wvl_cuda_t1_block *b)
{
    uint64_t values = b->planes ? (WVL_CUDA_T1_VALUE_BYTES * (3u * b->planes - 2) + 15) / 16 * 16 : 0;
    return values ? values + 16 * WVL_CUDA_T1_KEPT_UNITS : 0;
}

/* ---- Launches -------------------------------------------------------------------------------- */

static wvl_cuda_status launch_kernel(const wvl_cuda_t1_model *model, wvl_cuda_function function, uint32_t grid,
                                     uint32_t rows, uint32_t threads, uint32_t shared, const wvl_cuda_t1_job *job,
                                     wvl_cuda_route route)
{
    wvl_cuda_t1_job copy = *job;
    void *arguments[] = {&copy};
    return wvl_cuda_run(model->runtime, function, (wvl_cuda_grid){grid, rows, threads, shared}, 0, route, arguments);
}

/* Thread blocks, of kernels that take blocks by turns. */
static uint32_t limit_grid(const wvl_cuda_t1_job *job, uint32_t grid, uint32_t threads)
{
    return job->is_rare ? wvl_min_u32(grid, WVL_CUDA_T1_RARE_THREADS / threads) : grid;
}

/* A thread an item. */
static uint32_t count_grid(uint64_t items, uint32_t threads) { return (uint32_t)((items + threads - 1) / threads); }

/* How a kernel takes the blocks of a class. */
typedef struct shape {
    uint32_t block_threads; /* of a block */
    uint32_t threads;       /* of a thread block */
    uint32_t shared[2];     /* 16 and 32 bits */
} shape;

/* `count` blocks of a class, from `first` of its list on. */
static wvl_cuda_status launch_some(const wvl_cuda_t1_model *model, wvl_cuda_function function, unsigned kind,
                                   uint32_t first, uint32_t count, uint32_t shared, const shape *s,
                                   const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    wvl_cuda_t1_job some = *job;
    some.class_first[kind] += first;
    some.class_count[kind] = count;
    uint32_t grid = count_grid((uint64_t)count * s->block_threads, s->threads);
    return count
               ? launch_kernel(model, function, limit_grid(job, grid, s->threads), 1, s->threads, shared, &some, route)
               : WVL_CUDA_SUCCESS;
}

/* A kernel that reads samples of a class: for each container that its blocks have, or the one for any block. */
static wvl_cuda_status launch_samples(const wvl_cuda_t1_model *model, const wvl_cuda_function *narrow,
                                      const wvl_cuda_function *wide, unsigned kind, const shape *s,
                                      const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    uint32_t count = job->class_count[kind], wides = job->wide_count[kind];
    if (kind == WVL_CUDA_T1_ANY) {
        return launch_some(model, narrow[kind], kind, 0, count, s->shared[0], s, job, route);
    }
    wvl_cuda_status status =
        launch_some(model, narrow[kind], kind, 0, job->narrow_count[kind], s->shared[0], s, job, route);
    return status ? status : launch_some(model, wide[kind], kind, count - wides, wides, s->shared[1], s, job, route);
}

static wvl_cuda_status launch_words(const wvl_cuda_t1_model *model, unsigned kind, const wvl_cuda_t1_job *job,
                                    wvl_cuda_route route)
{
    static const uint32_t words[WVL_CUDA_T1_CLASSES] = {128, 32, WVL_CUDA_T1_MOST_WORDS};
    uint32_t count = job->class_count[kind];
    if (!count || !job->item_most[kind]) {
        return WVL_CUDA_SUCCESS;
    }
    const shape s = {words[kind], WVL_CUDA_T1_PLANES_THREADS, {0, 0}};
    wvl_cuda_status status = launch_samples(model, model->planes, model->planes_wide, kind, &s, job, route);
    return status
               ? status
               : launch_kernel(model, model->spread[kind], count_grid(job->item_most[kind], WVL_CUDA_T1_SPREAD_THREADS),
                               1, WVL_CUDA_T1_SPREAD_THREADS, 0, job, route);
}

static wvl_cuda_status launch_list(const wvl_cuda_t1_model *model, unsigned kind, const wvl_cuda_t1_job *job,
                                   wvl_cuda_route route)
{
    static const uint32_t threads[WVL_CUDA_T1_CLASSES] = {128, 32, WVL_CUDA_T1_MOST_WORDS};
    uint32_t count = job->class_count[kind], shared = WVL_CUDA_T1_LIST_BYTES(kind == WVL_CUDA_T1_32 ? 1024u : 4096u);
    if (!count || !job->item_most[kind]) {
        return WVL_CUDA_SUCCESS;
    }
    return launch_kernel(model, model->list[kind], limit_grid(job, count, threads[kind]), 1, threads[kind], shared, job,
                         route);
}

static wvl_cuda_status launch_gains(const wvl_cuda_t1_model *model, unsigned kind, const wvl_cuda_t1_job *job,
                                    wvl_cuda_route route)
{
    int is_any = kind == WVL_CUDA_T1_ANY;
    uint32_t threads = is_any ? WVL_CUDA_T1_MOST_WORDS : WVL_CUDA_T1_GAINS_THREADS;
    const shape s = {
        kind == WVL_CUDA_T1_32 ? 32 : threads,
        threads,
        {4 * (is_any ? WVL_CUDA_T1_GAINS_ANY_WORDS : WVL_CUDA_T1_GAINS_WORDS), 4 * WVL_CUDA_T1_GAINS_WIDE_WORDS}};
    return launch_samples(model, model->gains, model->gains_wide, kind, &s, job, route);
}

wvl_cuda_status wvl_cuda_t1_launch_words(const wvl_cuda_t1_model *model, const wvl_cuda_t1_job *job,
                                         wvl_cuda_route route)
{
    uint32_t most = 0;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    if (!job->block_count) {
        return WVL_CUDA_SUCCESS;
    }
    for (unsigned i = 0; i < WVL_CUDA_T1_CLASSES; i++) {
        most = wvl_max_u32(most, job->class_count[i]);
    }
    if (!job->is_cleared) {
        status = wvl_cuda_zero(model->runtime, job->counters, WVL_CUDA_T1_COUNTERS * sizeof(uint32_t), route);
    }
    TRY(status, launch_kernel(model, model->open, count_grid(most, WVL_CUDA_T1_OPEN_THREADS), WVL_CUDA_T1_CLASSES,
                              WVL_CUDA_T1_OPEN_THREADS, 0, job, route));
    for (unsigned i = 0; !status && i < WVL_CUDA_T1_CLASSES; i++) {
        status = launch_words(model, i, job, route);
    }
    for (unsigned i = 0; !status && job->gains && i < WVL_CUDA_T1_CLASSES; i++) {
        status = launch_gains(model, i, job, route);
    }
    return status;
}

wvl_cuda_status wvl_cuda_t1_launch_lists(const wvl_cuda_t1_model *model, const wvl_cuda_t1_job *job,
                                         wvl_cuda_route route)
{
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (unsigned i = 0; !status && i < WVL_CUDA_T1_CLASSES; i++) {
        status = launch_list(model, i, job, route);
    }
    return status;
}

wvl_cuda_status wvl_cuda_t1_launch_model(const wvl_cuda_t1_model *model, const wvl_cuda_t1_job *job,
                                         wvl_cuda_route route)
{
    wvl_cuda_status status = wvl_cuda_t1_launch_words(model, job, route);
    return status ? status : wvl_cuda_t1_launch_lists(model, job, route);
}
