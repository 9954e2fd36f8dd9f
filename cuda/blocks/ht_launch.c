/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/blocks/ht_launch.h"

#include <string.h>

#include "base/intmath.h"
#include "base/try.h"

#define SHARED_ALWAYS (48u << 10) /* of a thread block, without asking for more */
#define SHARED_OWN 1024u          /* what a thread block takes beside its own */

/* ---- Shapes ---------------------------------------------------------------------------------- */

static wvl_cuda_status fetch_limits(const wvl_cuda_runtime *rt, int device, uint32_t *block_bytes,
                                    uint32_t *processor_bytes, uint32_t *processors)
{
    int block = 0, processor = 0, count = 0;
    wvl_cuda_status status = rt->device_attribute(&count, WVL_CUDA_ATTRIBUTE_MULTIPROCESSORS, device);
    TRY(status, rt->device_attribute(&block, WVL_CUDA_ATTRIBUTE_SHARED_BLOCK, device));
    TRY(status, rt->device_attribute(&processor, WVL_CUDA_ATTRIBUTE_SHARED_PROCESSOR, device));
    *block_bytes = rt->function_set && block > (int)SHARED_ALWAYS ? (uint32_t)block : SHARED_ALWAYS;
    *processor_bytes = processor > (int)SHARED_ALWAYS ? (uint32_t)processor : SHARED_ALWAYS;
    *processors = count > 0 ? (uint32_t)count : 1;
    return status;
}

/* A warp of the kernel of this class takes two blocks. */
static int takes_pairs(unsigned kind) { return kind >= WVL_CUDA_HT_32_PLAIN && kind <= WVL_CUDA_HT_32; }

/* Takes as many warps as the limit holds; then as many thread blocks as a multiprocessor does. */
static wvl_cuda_status shape_kernel(wvl_cuda_ht *ht, wvl_cuda_ht_shape *shape, uint32_t most_warps,
                                    uint32_t table_words, uint32_t warp_words, uint32_t limit, uint32_t processor)
{
    shape->table_bytes = 4 * table_words;
    shape->warp_bytes = 4 * warp_words;
    shape->warps = (limit - shape->table_bytes) / shape->warp_bytes;
    shape->warps = shape->warps < most_warps ? shape->warps : most_warps;
    uint32_t bytes = shape->table_bytes + shape->warps * shape->warp_bytes, each = processor / (bytes + SHARED_OWN);
    shape->resident = ht->multiprocessors * (each ? each : 1);
    return bytes > SHARED_ALWAYS ? ht->runtime->function_set(shape->function, WVL_CUDA_FUNCTION_SHARED, (int)bytes)
                                 : WVL_CUDA_SUCCESS;
}

wvl_cuda_status wvl_cuda_ht_open(wvl_cuda_ht *ht, const wvl_cuda_runtime *runtime, wvl_cuda_module module, int device,
                                 uint32_t shared_limit)
{
    static const uint32_t any_words[2] = {WVL_CUDA_HT_ANY_WORDS(2), WVL_CUDA_HT_ANY_WORDS(4)};
    uint32_t limit, processor;
    memset(ht, 0, sizeof *ht);
    ht->runtime = runtime;
    wvl_cuda_status status = fetch_limits(runtime, device, &limit, &processor, &ht->multiprocessors);
    limit = shared_limit && shared_limit < limit ? shared_limit : limit;
    const wvl_cuda_wanted_kernel kernels[] = {
        {&ht->cleanup[WVL_CUDA_HT_64_PLAIN].function, "wvl_ht_rows_64_plain"},
        {&ht->cleanup[WVL_CUDA_HT_64].function, "wvl_ht_rows_64"},
        {&ht->cleanup[WVL_CUDA_HT_32_PLAIN].function, "wvl_ht_rows_32_plain"},
        {&ht->cleanup[WVL_CUDA_HT_32].function, "wvl_ht_rows_32"},
        {&ht->cleanup[WVL_CUDA_HT_ANY16].function, "wvl_ht_any_16"},
        {&ht->cleanup[WVL_CUDA_HT_ANY32].function, "wvl_ht_any_32"},
        {&ht->refine.function, "wvl_ht_refine"},
        {&ht->finish, "wvl_ht_finish"},
        {&ht->place, "wvl_ht_place"},
        {&ht->sum, "wvl_ht_sum"},
        {&ht->weigh, "wvl_ht_weigh"},
        {&ht->gather, "wvl_ht_gather"},
    };
    TRY(status, wvl_cuda_find_kernels(runtime, module, kernels, sizeof kernels / sizeof *kernels));
    for (unsigned i = 0; !status && i < WVL_CUDA_HT_CLASSES; i++) {
        uint32_t most = takes_pairs(i) ? WVL_CUDA_HT_PAIR_WARPS : WVL_CUDA_HT_MOST_WARPS,
                 words = i >= WVL_CUDA_HT_ANY16 ? any_words[i - WVL_CUDA_HT_ANY16]
                                                : WVL_CUDA_HT_ROWS_WORDS(takes_pairs(i) ? 16u : 32u);
        status = shape_kernel(ht, &ht->cleanup[i], most, WVL_CUDA_HT_TABLE_WORDS, words, limit, processor);
    }
    return status
               ? status
               : shape_kernel(ht, &ht->refine, WVL_CUDA_HT_REFINE_WARPS, 0, WVL_CUDA_HT_REFINE_WORDS, limit, processor);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static int may_refine(const wvl_cuda_ht_block *b)
{
    return b->cleanup_plane && b->max_passes > 1 && b->set_passes != 1;
}

void wvl_cuda_ht_sort(const wvl_cuda_ht_block *blocks, uint32_t count, uint32_t *order, wvl_cuda_ht_job *job)
{
    uint32_t next[WVL_CUDA_HT_CLASSES];
    memset(job->class_count, 0, sizeof job->class_count);
    job->refines = 0;
    job->block_count = count;
    for (uint32_t i = 0; i < count; i++) {
        job->class_count[wvl_cuda_ht_class_of(&blocks[i])]++;
        job->refines |= (uint32_t)may_refine(&blocks[i]);
    }
    for (uint32_t i = 0, first = 0; i < WVL_CUDA_HT_CLASSES; first += job->class_count[i++]) {
        next[i] = job->class_first[i] = first;
    }
    for (uint32_t i = 0; i < count; i++) {
        order[next[wvl_cuda_ht_class_of(&blocks[i])]++] = i;
    }
}

/* Counts as most_bytes and lay_out of the kernels do. */
static uint64_t most_bytes(uint64_t bits) { return 2 * (bits / 15) + 6; }
static uint64_t whole_units(uint64_t bytes) { return (bytes + 15) & ~UINT64_C(15); }

static void measure_block(const wvl_cuda_ht_block *b, wvl_cuda_ht_memory *m)
{
    uint64_t samples = (uint64_t)b->width * b->height, columns = (b->width + 1u) / 2,
             quads = columns * ((b->height + 1u) / 2);
    uint64_t events = quads + (columns + 1) / 2, magsgn = most_bytes(samples * (b->planes + 1u)),
             vlc = most_bytes(15 * quads + 19), mel = most_bytes(6 * events);
    uint64_t second = may_refine(b) ? most_bytes(2 * samples) + most_bytes(samples) : 0;
    m->most_scratch += whole_units(magsgn + 4 + events / 8 + 4 + mel + vlc) + whole_units(second);
    m->most_output += magsgn + mel + vlc + second;
}

wvl_cuda_ht_memory wvl_cuda_ht_measure(const wvl_cuda_ht_block *blocks, uint32_t count, uint32_t group_count)
{
    wvl_cuda_ht_memory m = {(uint64_t)count * sizeof *blocks,
                            (uint64_t)count * sizeof(uint32_t),
                            (uint64_t)group_count * sizeof(wvl_cuda_ht_group),
                            (uint64_t)count * sizeof(wvl_cuda_ht_record),
                            (uint64_t)count * sizeof(wvl_cuda_ht_sums),
                            (uint64_t)count * sizeof(wvl_cuda_ht_part),
                            (uint64_t)count * sizeof(uint32_t),
                            (uint64_t)count * sizeof(uint64_t),
                            WVL_CUDA_HT_COUNTERS * sizeof(uint32_t),
                            0,
                            0};
    for (uint32_t i = 0; i < count; i++) {
        measure_block(&blocks[i], &m);
    }
    return m;
}

uint32_t wvl_cuda_ht_collect_left(const wvl_cuda_ht_block *blocks, const wvl_cuda_ht_record *records, uint32_t count,
                                  wvl_cuda_ht_block *left, uint32_t *index)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (records[i].flags & WVL_CUDA_HT_LEFT) {
            left[n] = blocks[i];
            index[n++] = i;
        }
    }
    return n;
}

/* ---- Launches -------------------------------------------------------------------------------- */

/* Warps that take `items` from a list: spread over the device before thread blocks get more of them. */
static wvl_cuda_status launch_persistent(const wvl_cuda_ht *ht, const wvl_cuda_ht_shape *shape, uint32_t items,
                                         const wvl_cuda_ht_job *job, wvl_cuda_route route)
{
    if (!items) {
        return WVL_CUDA_SUCCESS;
    }
    uint32_t warps = wvl_min_u32((items + ht->multiprocessors - 1) / ht->multiprocessors, shape->warps);
    const wvl_cuda_grid grid = {wvl_min_u32((items + warps - 1) / warps, shape->resident), 1, 32 * warps,
                                shape->table_bytes + warps * shape->warp_bytes};
    return wvl_cuda_run_job(ht->runtime, shape->function, grid, job, route);
}

/* Bytes of all blocks to their groups. */
static wvl_cuda_status launch_gathering(const wvl_cuda_ht *ht, const wvl_cuda_ht_job *job, wvl_cuda_route route)
{
    const wvl_cuda_grid place = {job->group_count, 1, WVL_CUDA_HT_PLACE_THREADS, 32 * sizeof(uint32_t)};
    wvl_cuda_grid gather = wvl_cuda_grid_of(32ull * job->group_most, WVL_CUDA_HT_GATHER_THREADS);
    gather.rows = job->group_count;
    wvl_cuda_status status = wvl_cuda_run_job(ht->runtime, ht->place, place, job, route);
    return status ? status : wvl_cuda_run_job(ht->runtime, ht->gather, gather, job, route);
}

/* Cleanup passes, refinement, MEL and records. most: blocks that grids are made for; kernels take any number. */
static wvl_cuda_status launch_coding(const wvl_cuda_ht *ht, const wvl_cuda_ht_job *job, uint32_t most,
                                     wvl_cuda_route route)
{
    uint32_t count = wvl_min_u32(job->block_count, most);
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (unsigned i = 0; i < WVL_CUDA_HT_CLASSES; i++) {
        /* Blocks of a class that its grid is made for. Where a device lists sets, those of more than 15 bits mostly lie
         * below all cuts: their kernel would fill multiprocessors for nothing. */
        const uint32_t *counts = job->class_count;
        int are_few =
            job->lists && i == WVL_CUDA_HT_ANY32 && counts[i] < counts[WVL_CUDA_HT_64] + counts[WVL_CUDA_HT_32];
        uint32_t blocks = wvl_min_u32(counts[i], are_few ? ht->multiprocessors : most);
        TRY(status, launch_persistent(ht, &ht->cleanup[i], takes_pairs(i) ? (blocks + 1) / 2 : blocks, job, route));
    }
    if (job->refines) {
        TRY(status, launch_persistent(ht, &ht->refine, count, job, route));
    }
    const wvl_cuda_grid finish = wvl_cuda_grid_of(count, WVL_CUDA_HT_FINISH_THREADS);
    return status ? status : wvl_cuda_run_job(ht->runtime, ht->finish, finish, job, route);
}

wvl_cuda_status wvl_cuda_ht_launch(const wvl_cuda_ht *ht, const wvl_cuda_ht_job *job, wvl_cuda_route route)
{
    const wvl_cuda_grid sums = wvl_cuda_grid_of(32ull * job->block_count, WVL_CUDA_HT_SUM_THREADS); /* a warp a block */
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    if (!job->block_count) {
        return WVL_CUDA_SUCCESS;
    }
    if (!job->is_cleared) {
        status = wvl_cuda_zero(ht->runtime, job->counters, WVL_CUDA_HT_COUNTERS * sizeof(uint32_t), route);
    }
    if (job->sums) {
        TRY(status, wvl_cuda_run_job(ht->runtime, ht->sum, sums, job, route));
    }
    if (job->errors) {
        TRY(status, wvl_cuda_run_job(ht->runtime, ht->weigh, sums, job, route));
    }
    TRY(status, launch_coding(ht, job, UINT32_MAX, route));
    return status ? status : launch_gathering(ht, job, route);
}

wvl_cuda_status wvl_cuda_ht_launch_listed(const wvl_cuda_ht *ht, const wvl_cuda_ht_job *job, uint32_t about,
                                          wvl_cuda_route route)
{
    return job->block_count ? launch_coding(ht, job, about ? about : 1, route) : WVL_CUDA_SUCCESS;
}

/* ---- Records --------------------------------------------------------------------------------- */

static wvl_pass *add_pass(wvl_block_output *out, uint32_t final_bytes, unsigned flags)
{
    wvl_pass *p = &out->passes[out->pass_count++];
    memset(p, 0, sizeof *p);
    p->final_bytes = final_bytes;
    p->flags = (uint8_t)(WVL_PASS_SET | flags);
    return p;
}

void wvl_cuda_ht_describe(const wvl_cuda_ht_block *block, const wvl_cuda_ht_record *r, wvl_block_output *out)
{
    out->length = r->bytes;
    out->planes = r->planes;
    out->pass_count = 0;
    out->energy = 0;
    out->energy_shift = 0;
    if (!r->cleanup_bytes) {
        return;
    }
    (void)add_pass(out, r->cleanup_bytes, WVL_PASS_TERM);
    if (r->has_sigprop) {
        wvl_pass *p = add_pass(out, r->cleanup_bytes + r->sigprop_bytes, r->has_magref ? 0 : WVL_PASS_TERM);
        p->tail_count = r->has_magref ? r->tail_count : 0;
        p->tail[0] = r->has_magref && r->tail_count ? r->tail : 0;
    }
    if (r->has_magref) {
        (void)add_pass(out, r->bytes, WVL_PASS_TERM);
    }
    /* Passes that a set does not have stand there and tell nothing, where a block may have more of them
     * (codec/ht/ht.c).
     */
    if (block->cleanup_plane && block->max_passes > 1 && (block->set_passes == 1 || block->set_passes == 2)) {
        while (out->pass_count < 3) {
            (void)add_pass(out, out->passes[out->pass_count - 1].final_bytes, 0);
        }
    }
}

/* ---- Gains ----------------------------------------------------------------------------------- */

static wvl_wide join(const uint64_t parts[2]) { return ((wvl_wide)parts[1] << 32) + (wvl_wide)parts[0]; }

static int64_t saturate(wvl_wide v)
{
    const wvl_wide most = (wvl_wide)1 << 62;
    if (v > most) {
        return (int64_t)most;
    }
    return v < -most ? -(int64_t)most : (int64_t)v;
}

/* Weighs a cleanup pass as codec/ht/refine.c does: 4 m^2 of exact samples, else (4 k^2 - 1) 2^P + 8 k r + 4 r of those
 * that are told. */
void wvl_cuda_ht_weigh(const wvl_cuda_ht_block *block, const wvl_cuda_ht_sums *sums, wvl_block_output *out)
{
    unsigned P = block->frac_bits + block->cleanup_plane;
    wvl_wide told =
        (4 * join(sums->k2) - (wvl_wide)sums->count) * ((wvl_wide)1 << P) + 8 * join(sums->kr) + 4 * (wvl_wide)sums->r;
    wvl_block_set_energy(out, sums->m2[0], sums->m2[1]);
    if (out->pass_count) {
        out->passes[0].gain_quarters = saturate(block->reversible && !P ? 4 * join(sums->m2) : told);
    }
}
