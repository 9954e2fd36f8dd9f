/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of the EBCOT block coder: by codec/t1, or by their own source (SOFT_EMULATE), as soft_blocks.c has those
 * of HT. With regions of interest always by their own source, and with rate control where the device chooses passes.
 */
#include <stdlib.h>
#include <string.h>

#include "codec/core/t1_pass.h"
#include "codec/t1/t1.h"
#include "soft.h"
#ifdef WVL_HAVE_EMULATION
#include "tests/support/one_block.h"
#include "tests/twin/ht_emulated.h"
#endif

#define ENDS_UNITS (3u * WVL_CUDA_T1_MOST_PASSES / 4u + 1u) /* of scratch memory */

static void *at(uint64_t address) { return (void *)(uintptr_t)address; }

/* The ends of segments, where codec/t1 says that they are. */
static void put_ends(const wvl_block_output *out, unsigned style, uint32_t *ends)
{
    for (uint32_t i = 0; i < out->pass_count; i++) {
        ends[i] = wvl_t1_pass_is_end(i, style) ? out->passes[i].final_bytes : 0xFFFFFFFF; /* the number of symbols */
    }
}

static uint32_t code_block(const wvl_cuda_t1_block *b, void *scratch, uint8_t *bytes, wvl_cuda_t1_record *r,
                           uint32_t *ends)
{
    wvl_pass passes[WVL_T1_MAX_PASSES];
    wvl_block_input in = describe_t1_block(b, at(b->coefs), *(const uint32_t *)at(b->bound));
    wvl_block_output out = {.bytes = bytes, .passes = passes};
    wvl_t1_encode_block(scratch, &in, &out);
    memset(r, 0, sizeof *r);
    r->bytes = out.length;
    r->planes = (uint8_t)out.planes;
    r->passes = (uint8_t)out.pass_count;
    put_ends(&out, b->style, ends);
    return out.length;
}

/* Ends, then the byte before the first one, then bytes. What finds no room is left. */
static int code_blocks(const wvl_cuda_t1_job *job, soft_control *control)
{
    const wvl_cuda_t1_block *blocks = at(job->blocks);
    wvl_cuda_t1_record *records = at(job->records);
    uint32_t *counters = at(job->counters), cost = control->scratch_cost ? control->scratch_cost : 1;
    void *scratch = aligned_alloc(64, (wvl_t1_scratch_bytes() + 63) / 64 * 64);
    uint8_t *bytes = malloc(wvl_t1_bound_bytes(64, 64, WVL_T1_MAX_PLANES, 63));
    uint64_t units = 0;
    for (uint32_t i = 0; i < job->block_count; i++) {
        uint32_t ends[WVL_CUDA_T1_MOST_PASSES] = {0};
        uint32_t length = code_block(&blocks[i], scratch, bytes, &records[i], ends);
        uint32_t need = (ENDS_UNITS + length / 16 + 1) * cost;
        counters[WVL_CUDA_T1_UNBOUNDED] += records[i].planes > blocks[i].planes;
        if (units + need > job->scratch_units) {
            records[i] = (wvl_cuda_t1_record){.flags = WVL_CUDA_T1_LEFT};
            counters[WVL_CUDA_T1_LEFT_BLOCKS]++;
            continue;
        }
        if (!records[i].passes) {
            continue;
        }
        records[i].ends = (uint32_t)units;
        records[i].codeword = (uint32_t)units + ENDS_UNITS;
        memcpy((uint8_t *)at(job->scratch) + 16 * units, ends, sizeof ends);
        memcpy((uint8_t *)at(job->scratch) + 16 * (units + ENDS_UNITS) + 1, bytes, length);
        units += need;
    }
    control->coded_parts++;
    free(bytes);
    free(scratch);
    return 0;
}

static int weigh_blocks(const wvl_cuda_t1_job *job)
{
    const wvl_cuda_t1_block *blocks = at(job->blocks);
    for (uint32_t id = 0; id < job->block_count; id++) {
        const wvl_cuda_t1_block *b = &blocks[id];
        soft_samples samples = {at(b->coefs), at(b->bound), b->stride,     b->width,
                                b->height,    b->frac_bits, b->coef_bytes, b->reversible};
        ((wvl_cuda_block_error *)at(job->block_errors))[id] =
            soft_measure_error(&samples, ((const double *)at(job->block_weights))[id]);
    }
    return 0;
}

/* ---- Jobs of waves --------------------------------------------------------------------------- */

static void put_hull(const wvl_cuda_t1_job *job, uint32_t id, const wvl_block_output *out, uint8_t *to)
{
    const wvl_cuda_t1_block *b = &((const wvl_cuda_t1_block *)at(job->blocks))[id];
    const wvl_cuda_t1_weight *w = &((const wvl_cuda_t1_weight *)at(job->hull_weights))[id];
    wvl_band_coding band = {.frac_bits = b->frac_bits, .weight_mantissa = w->mantissa, .weight_exponent = w->exponent};
    wvl_hull hull;
    wvl_hull_init(&hull, &band, job->gain_exponent, out->planes,
                  wvl_rate_weigh_energy(&band, job->gain_exponent, out->energy, out->energy_shift),
                  (uint32_t)b->width * b->height);
    if (b->in_region) {
        wvl_hull_set_region(&hull.line, 0, 0);
    }
    for (uint32_t i = 0; i < out->pass_count; i++) {
        wvl_hull_put_pass(&hull, out->passes);
    }
    wvl_hull_fetch(&hull, (uint16_t *)(void *)(to + out->pass_count * sizeof(int64_t)), (int64_t *)(void *)to);
}

/* Returns the units that the block takes; 0: it found no room, or has no passes. */
static uint32_t put_coded(const wvl_cuda_t1_job *job, uint32_t id, const wvl_block_output *out, wvl_cuda_t1_coded *c)
{
    const wvl_cuda_t1_block *b = &((const wvl_cuda_t1_block *)at(job->blocks))[id];
    uint32_t pass_bytes = out->pass_count * (job->gains ? 34 : 24), *taken = at(job->output_taken),
             units = out->pass_count ? (out->length + 15) / 16 + (pass_bytes + 15) / 16 : 0;
    uint8_t *to = (uint8_t *)at(job->output) + 16ull * *taken;
    *c = (wvl_cuda_t1_coded){.energy = job->gains ? out->energy : 0,
                             .place = *taken,
                             .bytes = out->pass_count ? out->length : 0,
                             .planes = (uint8_t)out->planes,
                             .passes = (uint8_t)out->pass_count,
                             .zero_planes = (uint8_t)(b->planes - out->planes),
                             .energy_shift = job->gains ? out->energy_shift : 0};
    if (units + *taken > job->output_units) {
        *c = (wvl_cuda_t1_coded){.flags = WVL_CUDA_T1_LEFT};
        return 0;
    }
    if (units) {
        memcpy(to, out->bytes, out->length);
        to += (out->length + 15) / 16 * 16;
        memcpy(to, out->passes, out->pass_count * sizeof *out->passes);
        if (job->gains) {
            put_hull(job, id, out, to + out->pass_count * sizeof *out->passes);
        }
    }
    return units;
}

/* All that kernels of such a job do, at the last one of them. */
static int code_wave(const wvl_cuda_t1_job *job, soft_control *control)
{
    const wvl_cuda_t1_block *blocks = at(job->blocks);
    uint32_t cost = control->scratch_cost ? control->scratch_cost : 1;
    void *scratch = aligned_alloc(64, (wvl_t1_scratch_bytes() + 63) / 64 * 64);
    uint8_t *bytes = malloc(wvl_t1_bound_bytes(64, 64, WVL_T1_MAX_PLANES, 63));
    uint64_t used = 0;
    for (uint32_t i = 0; i < job->block_count; i++) {
        wvl_pass passes[WVL_T1_MAX_PASSES];
        wvl_block_input in = describe_t1_block(&blocks[i], at(blocks[i].coefs), *(const uint32_t *)at(blocks[i].bound));
        wvl_block_output out = {.bytes = bytes, .passes = passes};
        wvl_cuda_t1_coded *coded = &((wvl_cuda_t1_coded *)at(job->coded))[i];
        in.want_gains = job->gains != 0;
        memset(passes, 0, sizeof passes);
        wvl_t1_encode_block(scratch, &in, &out);
        uint64_t need = (wvl_cuda_t1_all_passes(out.planes, 255) / 3 + 1ull) * in.width * in.height / 16 * cost;
        if (used + need > job->scratch_units) {
            *coded = (wvl_cuda_t1_coded){.flags = WVL_CUDA_T1_LEFT};
            continue;
        }
        used += need;
        *(uint32_t *)at(job->output_taken) += put_coded(job, i, &out, coded);
    }
    control->coded_parts++;
    free(bytes);
    free(scratch);
    return 0;
}

/* Counts what the MQ coder is going to do. */
static void count_round(const wvl_cuda_t1_job *job, soft_control *control)
{
    const wvl_cuda_t1_block *blocks = at(job->blocks);
    const wvl_cuda_t1_state *states = at(job->states);
    const uint32_t *order = at(job->order), *counters = at(job->counters);
    for (uint32_t i = 0; i < counters[WVL_CUDA_T1_ORDERED]; i++) {
        const wvl_cuda_t1_state *s = &states[order[i]];
        control->round_blocks[job->round]++;
        control->limited_blocks[job->round] +=
            s->passes < wvl_cuda_t1_all_passes(s->planes, blocks[order[i]].max_passes);
    }
}

#ifdef WVL_HAVE_EMULATION
static int emulate(const char *name, void *job, const soft_shape *shape)
{
    wvl_cuda_function function;
    void *arguments[] = {job};
    return wvl_emulate_find(&function, NULL, name) ||
           wvl_emulate_launch(function, shape->grid_x, shape->grid_y, 1, shape->threads, 1, 1, shape->shared, NULL,
                              arguments, NULL);
}
#endif

/* Says whether the C reference answers a kernel of this job. Regions of interest are for the kernels' own source. */
static int is_by_reference(const char *name, const wvl_cuda_t1_job *job)
{
    int can = job->coded ? !job->originals : !job->hull_weights && strcmp(name, "wvl_t1_lift") != 0;
    return can && !getenv("SOFT_EMULATE");
}

int soft_run_t1(const char *name, const wvl_cuda_t1_job *job, const soft_shape *shape, soft_control *control)
{
    int is_last = !strncmp(name, "wvl_t1_mq", 9);
#ifdef WVL_HAVE_EMULATION
    if (!is_by_reference(name, job)) {
        control->coded_parts += (uint32_t)is_last;
        if (is_last && job->hull_weights) {
            count_round(job, control);
        }
        wvl_cuda_t1_job copy = *job;
        return emulate(name, &copy, shape);
    }
#endif
    (void)shape;
    if (!strcmp(name, "wvl_t1_weigh")) {
        return weigh_blocks(job);
    }
    if (job->coded) {
        return strcmp(name, "wvl_t1_gather") ? 0 : code_wave(job, control);
    }
    return is_last ? code_blocks(job, control) : 0; /* the others have no results that the host sees */
}

#ifdef WVL_HAVE_EMULATION
/* Rate control then has to ask for more rounds. */
static void unsettle(const wvl_cuda_t1_job *job)
{
    wvl_cuda_t1_gains *gains = at(job->gains);
    for (uint32_t i = job->round & 1; job->round && i < job->block_count; i += 2) {
        gains[i].unsettled = UINT16_MAX;
    }
}
#endif

#ifdef WVL_HAVE_EMULATION
/* The same of HT blocks, whose sets are listed. */
static void count_sets(const wvl_cuda_rate_job *job, soft_control *control)
{
    const wvl_cuda_t1_block *blocks = at(job->t1.blocks);
    const wvl_cuda_t1_state *states = at(job->t1.states);
    uint32_t round = job->t1.round, is_over = round && !((const uint32_t *)at(job->t1.counters))[WVL_CUDA_T1_REPEATED];
    for (uint32_t i = 0; !is_over && (!job->asked || *(const uint32_t *)at(job->asked)) && i < job->t1.block_count;
         i++) {
        int is_in = states[i].planes && (!round || states[i].flags & WVL_CUDA_T1_AGAIN);
        control->round_blocks[round] += (uint32_t)is_in;
        control->hidden_blocks += is_in && !states[i].passes;
        control->limited_blocks[round] +=
            is_in && states[i].passes < wvl_cuda_t1_all_passes(states[i].planes, blocks[i].max_passes);
    }
}
#endif

int soft_run_rate(const char *name, const wvl_cuda_rate_job *job, const soft_shape *shape, soft_control *control)
{
#ifdef WVL_HAVE_EMULATION
    wvl_cuda_rate_job copy = *job;
    if (control->unsettles && !strncmp(name, "wvl_rate_choose", 15)) {
        unsettle(&job->t1);
    }
    if (!strcmp(name, "wvl_rate_end_sets") || !strcmp(name, "wvl_rate_repeat_sets")) {
        count_sets(job, control);
    }
    return emulate(name, &copy, shape);
#else
    (void)name, (void)job, (void)shape, (void)control;
    return 1;
#endif
}

int soft_run_rdoq(const char *name, const wvl_cuda_rdoq_job *job, const soft_shape *shape)
{
#ifdef WVL_HAVE_EMULATION
    wvl_cuda_rdoq_job copy = *job;
    return emulate(name, &copy, shape);
#else
    (void)name, (void)job, (void)shape;
    return 1;
#endif
}
