/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of the HT block coder: by the C reference, or by their own source, compiled for the CPU
 * (tests/twin/ht_emulated.h), where SOFT_EMULATE is in the environment and the build has a C++ compiler.
 */
#include <stdlib.h>
#include <string.h>

#include "codec/ht/ht.h"
#include "cuda/blocks/ht_job.h"
#include "soft.h"
#ifdef WVL_HAVE_EMULATION
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

/* Of blocks with a cleanup pass alone, which is what backends ask for. */
static uint32_t code_block(const wvl_cuda_ht_block *b, void *scratch, uint8_t *bytes)
{
    wvl_pass passes[3 * 32];
    wvl_block_input in = {.coefs = at(b->coefs),
                          .stride = b->stride,
                          .width = b->width,
                          .height = b->height,
                          .coef_bytes = b->coef_bytes,
                          .frac_bits = b->frac_bits,
                          .style = b->style,
                          .max_passes = b->max_passes,
                          .cleanup_plane = b->cleanup_plane,
                          .set_passes = b->set_passes,
                          .bound = *(const uint32_t *)at(b->bound)};
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
    control->coded_bytes += offset;
    free(scratch);
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
    int is_last = !strcmp(name, "wvl_ht_gather");
#ifdef WVL_HAVE_EMULATION
    if (getenv("SOFT_EMULATE")) {
        control->coded_parts += (uint32_t)is_last;
        return emulate(name, job, shape);
    }
#endif
    (void)shape;
    if (!strcmp(name, "wvl_ht_sum")) {
        return sum_blocks(job);
    }
    return is_last ? code_blocks(job, control) : 0; /* the others have no results that the host sees */
}
