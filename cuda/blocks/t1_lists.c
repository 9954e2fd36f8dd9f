/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT blocks for the host: how they are sorted for kernels, what memory they need, and what came of them. */
#include <string.h>

#include "codec/core/t1_bound.h"
#include "codec/core/t1_pass.h"
#include "cuda/blocks/t1_launch.h"

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
        const wvl_cuda_t1_block *b = &blocks[ids ? ids[i] : i];
        unsigned kind = class_of(b), container = container_of(b);
        job->class_count[kind]++;
        job->item_most[kind] += b->planes;
        job->narrow_count[kind] += container != WIDE;
        job->wide_count[kind] += container != NARROW;
        job->is_styled |= b->style & WVL_CUDA_T1_STYLED;
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

/* Counts as measure_block, take_chunks and close_list of the kernels do. */
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

/* Counts as measure_block of the kernels does. */
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

/* ---- Records --------------------------------------------------------------------------------- */

static void copy_pass(const wvl_cuda_t1_pass *from, wvl_pass *to)
{
    to->safe_bytes = from->safe_bytes;
    to->final_bytes = from->final_bytes;
    to->tail_count = from->tail_count;
    to->flags = from->flags;
    memcpy(to->tail, from->tail, sizeof to->tail);
}

/* From the last pass to the first: the end of a segment holds for all its passes. */
static void fill_passes(unsigned style, const wvl_cuda_t1_record *record, const uint32_t *ends, wvl_pass *passes)
{
    uint32_t end = record->bytes;
    for (uint32_t i = record->passes; i-- > 0;) {
        int is_end = wvl_t1_pass_is_end(i, style);
        end = is_end ? ends[i] : end;
        passes[i].safe_bytes = passes[i].final_bytes = end;
        passes[i].flags = (uint8_t)((wvl_t1_pass_is_raw(i, style) ? WVL_PASS_RAW : 0) |
                                    (is_end || i + 1 == 3u * record->planes - 2 ? WVL_PASS_TERM : 0));
    }
}

void wvl_cuda_t1_describe(const wvl_cuda_t1_block *block, const wvl_cuda_t1_record *record, const uint32_t *ends,
                          const wvl_cuda_t1_pass *passes, wvl_block_output *out)
{
    out->length = record->bytes;
    out->planes = record->planes;
    out->pass_count = record->passes;
    out->energy = 0;
    out->energy_shift = 0;
    memset(out->passes, 0, record->passes * sizeof *out->passes);
    if (!passes) {
        fill_passes(block->style, record, ends, out->passes);
        return;
    }
    for (uint32_t i = 0; i < record->passes; i++) {
        copy_pass(&passes[i], &out->passes[i]);
    }
}

void wvl_cuda_t1_describe_gains(const wvl_cuda_t1_gains *gains, const int64_t *quarters, wvl_block_output *out)
{
    out->energy = gains->energy;
    out->energy_shift = gains->energy_shift;
    for (uint32_t i = 0; i < out->pass_count; i++) {
        out->passes[i].gain_quarters = quarters[i];
    }
}
