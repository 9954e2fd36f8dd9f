/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of the HT block coder: by the C reference, or by their own source, compiled for the CPU
 * (tests/twin/ht_emulated.h), where SOFT_EMULATE is in the environment and the build has a C++ compiler. Sets that rate
 * control chooses from always by their own source.
 */
#include <stdlib.h>
#include <string.h>

#include "codec/ht/ht.h"
#include "soft.h"
#ifdef WVL_HAVE_EMULATION
#include "tests/support/one_block.h"
#include "tests/twin/ht_emulated.h"
#endif

static const void *at(uint64_t address) { return (const void *)(uintptr_t)address; }

/* ---- Sums ------------------------------------------------------------------------------------ */

static void add_product(uint64_t sum[2], uint64_t product)
{
    sum[0] += product & UINT32_MAX;
    sum[1] += product >> 32;
}

static void sum_block(const wvl_cuda_ht_block *b, wvl_cuda_ht_sums *sums)
{
    unsigned P = b->frac_bits + b->cleanup_plane;
    memset(sums, 0, sizeof *sums);
    for (uint32_t i = 0; i < (uint32_t)b->width * b->height; i++) {
        size_t place = (size_t)(i / b->width) * b->stride + i % b->width;
        uint64_t m = b->coef_bytes == 2 ? ((const uint16_t *)at(b->coefs))[place] & 0x7FFFu
                                        : ((const uint32_t *)at(b->coefs))[place] & 0x7FFFFFFFu;
        uint64_t k = m >> P, r = m - (k << P);
        add_product(sums->m2, m * m);
        add_product(sums->k2, k * k);
        add_product(sums->kr, k * r);
        sums->r += k ? r : 0;
        sums->count += k != 0;
    }
}

static int sum_blocks(const wvl_cuda_ht_job *job)
{
    const wvl_cuda_ht_block *blocks = at(job->blocks);
    wvl_cuda_ht_sums *sums = (wvl_cuda_ht_sums *)(uintptr_t)job->sums;
    for (uint32_t i = 0; i < job->block_count; i++) {
        sum_block(&blocks[i], &sums[i]);
    }
    return 0;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Codes blocks with a cleanup pass alone, which is what backends ask for. */
static uint32_t code_block(const wvl_cuda_ht_block *b, void *scratch, uint8_t *bytes)
{
    wvl_pass passes[3 * 32];
    wvl_block_input in = describe_ht_block(b, at(b->coefs), *(const uint32_t *)at(b->bound));
    wvl_block_output out = {.bytes = bytes, .passes = passes};
    wvl_ht_encode_block(scratch, &in, &out);
    return out.length;
}

/* Blocks take scratch memory by their bytes; what finds no room is left. */
static int code_blocks(const wvl_cuda_ht_job *job, soft_control *control)
{
    const wvl_cuda_ht_block *blocks = at(job->blocks);
    const wvl_cuda_ht_group *group = at(job->groups);
    wvl_cuda_ht_record *records = (wvl_cuda_ht_record *)(uintptr_t)job->records;
    uint32_t *counters = (uint32_t *)(uintptr_t)job->counters;
    void *scratch = aligned_alloc(64, (wvl_ht_block_coder.scratch_bytes(64, 64, 31) + 63) / 64 * 64);
    uint8_t bytes[1 << 16];
    uint64_t offset = 0, units = 0;
    uint32_t cost = control->scratch_cost ? control->scratch_cost : 1;
    for (uint32_t i = 0; i < job->block_count; i++) {
        uint32_t length = code_block(&blocks[i], scratch, bytes), need = (length / 16 + 1) * cost;
        int is_left = units + need > job->scratch_units || length > group->output_bytes - offset;
        memset(&records[i], 0, sizeof records[i]);
        records[i].flags = is_left ? WVL_CUDA_HT_LEFT : 0;
        counters[WVL_CUDA_HT_LEFT_BLOCKS] += (uint32_t)is_left;
        if (length && !is_left) {
            records[i].offset = offset;
            records[i].bytes = records[i].cleanup_bytes = length;
            records[i].planes = (uint8_t)(blocks[i].cleanup_plane + 1);
            memcpy((uint8_t *)(uintptr_t)group->output + offset, bytes, length);
            offset += length;
            units += need;
        }
    }
    control->coded_parts++;
    free(scratch);
    return 0;
}

/* Without groups the bytes stay in scratch memory, as one piece for each block; the others are empty. */
static int code_parts(const wvl_cuda_ht_job *job, soft_control *control)
{
    const wvl_cuda_ht_block *blocks = at(job->blocks);
    wvl_cuda_ht_record *records = (wvl_cuda_ht_record *)(uintptr_t)job->records;
    wvl_cuda_ht_part *parts = (wvl_cuda_ht_part *)(uintptr_t)job->parts;
    uint32_t *counters = (uint32_t *)(uintptr_t)job->counters;
    void *scratch = aligned_alloc(64, (wvl_ht_block_coder.scratch_bytes(64, 64, 31) + 63) / 64 * 64);
    uint8_t bytes[1 << 16];
    uint64_t units = 0;
    uint32_t cost = control->scratch_cost ? control->scratch_cost : 1;
    for (uint32_t i = 0; i < job->block_count; i++) {
        uint32_t length = code_block(&blocks[i], scratch, bytes), need = (length / 16 + 1) * cost,
                 bound = *(const uint32_t *)at(blocks[i].bound) >> blocks[i].frac_bits;
        int is_left = units + need > job->scratch_units;
        memset(&records[i], 0, sizeof records[i]);
        memset(&parts[i], 0, sizeof parts[i]);
        records[i].flags = is_left ? WVL_CUDA_HT_LEFT : 0;
        counters[WVL_CUDA_HT_LEFT_BLOCKS] += (uint32_t)is_left;
        counters[WVL_CUDA_HT_UNBOUNDED] += wvl_bit_length(bound) > blocks[i].planes;
        if (length && !is_left) {
            records[i].bytes = records[i].cleanup_bytes = length;
            records[i].planes = (uint8_t)(blocks[i].cleanup_plane + 1);
            parts[i].piece = (uint32_t)units;
            parts[i].magsgn = length;
            memcpy((uint8_t *)(uintptr_t)job->scratch + 16 * units, bytes, length);
            units += need;
        }
    }
    control->coded_parts++;
    free(scratch);
    return 0;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

wvl_cuda_block_error soft_measure_error(const soft_samples *s, double weight)
{
    int is_exact = s->reversible && !s->plane;
    double energy = 0.0, left = 0.0;
    for (uint32_t i = 0; *s->bound && i < s->width * s->height; i++) {
        size_t place = (size_t)(i / s->width) * s->stride + i % s->width;
        uint64_t m = s->coef_bytes == 2 ? ((const uint16_t *)s->coefs)[place] & 0x7FFFu
                                        : ((const uint32_t *)s->coefs)[place] & 0x7FFFFFFFu;
        double middle = m >> s->plane ? (double)(UINT64_C(1) << s->plane) : 0.0,
               rest = 2.0 * (double)(m & ((UINT64_C(1) << s->plane) - 1)) - middle;
        energy += 4.0 * (double)m * (double)m;
        left += is_exact ? 0.0 : rest * rest;
    }
    return (wvl_cuda_block_error){energy * weight, left * weight};
}

static int weigh_blocks(const wvl_cuda_ht_job *job)
{
    const wvl_cuda_ht_block *blocks = at(job->blocks);
    const double *weights = at(job->weights);
    wvl_cuda_block_error *errors = (wvl_cuda_block_error *)(uintptr_t)job->errors;
    for (uint32_t id = 0; id < job->block_count; id++) {
        const wvl_cuda_ht_block *b = &blocks[id];
        soft_samples samples = {at(b->coefs),  at(b->bound), b->stride,
                                b->width,      b->height,    (unsigned)b->frac_bits + b->cleanup_plane,
                                b->coef_bytes, b->reversible};
        errors[id] = soft_measure_error(&samples, weights[id]);
    }
    return 0;
}

/* ---- Launches -------------------------------------------------------------------------------- */

#ifdef WVL_HAVE_EMULATION
static int emulate(const char *name, const wvl_cuda_ht_job *job, const soft_shape *shape)
{
    wvl_cuda_function function;
    wvl_cuda_ht_job copy = *job;
    void *arguments[] = {&copy};
    return wvl_emulate_find(&function, NULL, name) ||
           wvl_emulate_launch(function, shape->grid_x, shape->grid_y, 1, shape->threads, 1, 1, shape->shared, NULL,
                              arguments, NULL);
}
#endif

int soft_run_blocks(const char *name, const wvl_cuda_ht_job *job, const soft_shape *shape, soft_control *control)
{
    int is_last = !strcmp(name, job->group_count ? "wvl_ht_gather" : "wvl_ht_finish");
#ifdef WVL_HAVE_EMULATION
    if (getenv("SOFT_EMULATE") || job->lists) {
        control->coded_parts += (uint32_t)is_last;
        return emulate(name, job, shape);
    }
#endif
    (void)shape;
    if (!strcmp(name, "wvl_ht_sum")) {
        return sum_blocks(job);
    }
    if (!strcmp(name, "wvl_ht_weigh")) {
        return weigh_blocks(job);
    }
    if (!strcmp(name, "wvl_ht_finish") && !job->group_count) {
        return code_parts(job, control);
    }
    return is_last ? code_blocks(job, control) : 0; /* the others have no results that the host sees */
}
