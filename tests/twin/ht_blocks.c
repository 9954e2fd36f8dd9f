/* SPDX-License-Identifier: BSD-2-Clause */
#include "ht_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "tests/support/one_block.h"

#define GUARD 64u

/* ---- Lists ----------------------------------------------------------------------------------- */

void ht_list_clear(ht_list *list)
{
    free(list->blocks);
    free(list->samples);
    free(list->bounds);
    memset(list, 0, sizeof *list);
}

wvl_cuda_ht_block *ht_list_add(ht_list *list, uint32_t width, uint32_t height, uint32_t stride, unsigned coef_bytes,
                               unsigned offset_samples)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->blocks = realloc(list->blocks, list->room * sizeof *list->blocks);
        list->bounds = realloc(list->bounds, list->room * sizeof *list->bounds);
    }
    uint64_t at = ((list->sample_bytes + 15) & ~UINT64_C(15)) + (uint64_t)offset_samples * coef_bytes,
             end = at + (uint64_t)stride * height * coef_bytes;
    if (end > list->sample_room) {
        list->sample_room = 2 * end + 4096;
        list->samples = realloc(list->samples, list->sample_room);
    }
    memset(list->samples + list->sample_bytes, HT_POISON, end - list->sample_bytes);
    list->sample_bytes = end;
    wvl_cuda_ht_block *b = &list->blocks[list->count];
    memset(b, 0, sizeof *b);
    b->coefs = at;
    b->bound = list->count;
    b->stride = stride;
    b->width = (uint16_t)width;
    b->height = (uint16_t)height;
    b->coef_bytes = (uint8_t)coef_bytes;
    b->max_passes = 255;
    b->set_passes = 3;
    list->bounds[list->count++] = 0;
    return b;
}

void ht_list_put(ht_list *list, wvl_cuda_ht_block *b, uint32_t x, uint32_t y, uint32_t magnitude, unsigned negative)
{
    size_t i = (size_t)y * b->stride + x;
    list->bounds[b->bound] |= magnitude;
    if (b->coef_bytes == 2) {
        ((uint16_t *)(list->samples + b->coefs))[i] = (uint16_t)(magnitude | negative << 15);
    } else {
        ((uint32_t *)(list->samples + b->coefs))[i] = magnitude | (uint32_t)negative << 31;
    }
}

void ht_list_seal(ht_list *list, wvl_cuda_ht_block *b, uint32_t more)
{
    list->bounds[b->bound] |= more;
    b->planes = (uint8_t)wvl_bit_length(list->bounds[b->bound] >> (b->frac_bits + b->cleanup_plane));
}

wvl_block_input ht_list_describe(const ht_list *list, const wvl_cuda_ht_block *b)
{
    return describe_ht_block(b, list->samples + b->coefs, list->bounds[b->bound]);
}

/* ---- Device memory --------------------------------------------------------------------------- */

unsigned ht_count_guard(void) { return getenv("WVL_CUDA_UNPOISONED") ? 0 : GUARD; }

wvl_cuda_address ht_take(ht_memory *m, const ht_device *d, uint64_t bytes, const void *from, int is_read)
{
    const wvl_cuda_runtime *rt = d->runtime;
    wvl_cuda_address at = 0;
    if (m->count == sizeof m->taken / sizeof *m->taken) {
        abort();
    }
    TRY(m->status, rt->malloc_device(&at, bytes + GUARD));
    m->taken[m->count++] = at;
    /* With WVL_CUDA_UNPOISONED a checker looks for reads of what nobody wrote: only what the host reads is filled. */
    if (!getenv("WVL_CUDA_UNPOISONED") || (is_read && !from)) {
        TRY(m->status, rt->fill(at, HT_POISON, bytes + GUARD, d->stream));
    }
    if (from && bytes) {
        TRY(m->status, rt->upload(at, from, bytes, d->stream));
    }
    TRY(m->status, rt->stream_wait(d->stream));
    return at;
}

void ht_give(ht_memory *m, const ht_device *d)
{
    for (unsigned i = 0; i < m->count; i++) {
        if (m->taken[i]) {
            (void)d->runtime->free_device(m->taken[i]);
        }
    }
    m->count = 0;
}

int ht_fetch(const ht_device *d, void *to, wvl_cuda_address from, uint64_t bytes)
{
    return !d->runtime->download(to, from, bytes, d->stream) && !d->runtime->stream_wait(d->stream);
}

static void take_groups(ht_load *load, const ht_device *d, uint32_t count, uint32_t groups, unsigned output_share)
{
    wvl_cuda_ht_group *g = calloc(groups, sizeof *g);
    uint64_t each = load->output_bytes / groups;
    for (uint32_t i = 0; i < groups; i++) {
        g[i] = (wvl_cuda_ht_group){load->output + i * each, each * output_share / 1000, count / groups * i,
                                   count / groups};
    }
    load->job.group_count = groups;
    load->job.group_most = count / groups;
    load->job.groups = ht_take(&load->taken, d, groups * sizeof *g, g, 0);
    free(g);
}

static void take_tables(ht_load *load, const ht_device *d, const ht_list *list)
{
    uint32_t *order = malloc(list->count * sizeof *order + 1);
    load->blocks = malloc(list->count * sizeof *load->blocks + 1);
    memcpy(load->blocks, list->blocks, list->count * sizeof *load->blocks);
    for (uint32_t i = 0; i < list->count; i++) {
        load->blocks[i].coefs += load->samples;
        load->blocks[i].bound = load->bounds + 4 * load->blocks[i].bound;
    }
    wvl_cuda_ht_sort(load->blocks, list->count, order, &load->job);
    load->job.blocks = ht_take(&load->taken, d, load->memory.blocks, load->blocks, 0);
    load->job.order = ht_take(&load->taken, d, load->memory.order, order, 0);
    free(order);
}

int ht_load_open(ht_load *load, const ht_device *d, const ht_list *list, uint32_t groups, uint32_t shared_limit,
                 unsigned scratch_share, unsigned output_share)
{
    ht_memory *m = &load->taken;
    memset(load, 0, sizeof *load);
    load->memory = wvl_cuda_ht_measure(list->blocks, list->count, groups);
    load->job.scratch_units = (uint32_t)(load->memory.most_scratch / 16 * scratch_share / 1000);
    load->output_bytes = load->memory.most_output;
    m->status = wvl_cuda_ht_open(&load->ht, d->runtime, d->module, d->ordinal, shared_limit);
    load->samples = ht_take(m, d, list->sample_bytes, list->samples, 0);
    load->bounds = ht_take(m, d, 4ull * list->count, list->bounds, 0);
    load->output = ht_take(m, d, load->output_bytes, NULL, 1);
    take_tables(load, d, list);
    take_groups(load, d, list->count, groups, output_share);
    load->job.records = ht_take(m, d, load->memory.records, NULL, 0);
    load->job.parts = ht_take(m, d, load->memory.parts, NULL, 0);
    load->job.totals = ht_take(m, d, load->memory.totals, NULL, 0);
    load->job.places = ht_take(m, d, load->memory.places, NULL, 0);
    load->job.scratch = ht_take(m, d, 16ull * load->job.scratch_units, NULL, 0);
    load->job.counters = ht_take(m, d, load->memory.counters, NULL, 0);
    return !m->status;
}

void ht_load_close(ht_load *load, const ht_device *d)
{
    ht_give(&load->taken, d);
    free(load->blocks);
}

/* ---- Comparison ------------------------------------------------------------------------------ */

typedef struct truth {
    void *scratch;
    uint8_t *bytes;
    wvl_pass passes[3 * 32], got[3 * 32];
} truth;

static wvl_block_output code_block(truth *t, const ht_list *list, const wvl_cuda_ht_block *b)
{
    wvl_block_input in = ht_list_describe(list, b);
    in.want_gains = 1;
    wvl_block_output out = {.bytes = t->bytes, .passes = t->passes};
    wvl_ht_encode_block(t->scratch, &in, &out);
    return out;
}

static int is_wrong(truth *t, const ht_list *list, uint32_t i, const wvl_cuda_ht_record *r, const uint8_t *bytes)
{
    const wvl_cuda_ht_block *b = &list->blocks[i];
    wvl_block_output want = code_block(t, list, b), got = {.passes = t->got};
    wvl_cuda_ht_describe(b, r, &got);
    for (uint32_t p = 0; p < want.pass_count; p++) {
        t->passes[p].gain_quarters = 0;
    }
    if (got.length == want.length && got.planes == want.planes && got.pass_count == want.pass_count &&
        !memcmp(t->got, t->passes, want.pass_count * sizeof *t->got) && !memcmp(bytes, want.bytes, want.length)) {
        return 0;
    }
    uint32_t k = 0;
    while (k < want.length && k < got.length && bytes[k] == want.bytes[k]) {
        k++;
    }
    printf("block %u, %ux%u of %u bytes, plane %u + %u, passes %u: %u bytes, want %u; differs at %u; %u passes, want "
           "%u; segment %u, want %u\n",
           i, b->width, b->height, b->coef_bytes, b->frac_bits, b->cleanup_plane, b->max_passes, got.length,
           want.length, k, got.pass_count, want.pass_count, got.pass_count ? got.passes[0].final_bytes : 0,
           want.pass_count ? want.passes[0].final_bytes : 0);
    return 1;
}

/* Energy, and the gain of the cleanup pass, of a decoder that rebuilds samples exactly and of one that does not. */
static int weighs_wrong(truth *t, const ht_list *list, uint32_t i, const wvl_cuda_ht_record *r,
                        const wvl_cuda_ht_sums *sums)
{
    for (unsigned reversible = 0; reversible < 2; reversible++) {
        wvl_cuda_ht_block b = list->blocks[i];
        b.reversible = (uint8_t)reversible;
        wvl_block_output want = code_block(t, list, &b), got = {.passes = t->got};
        wvl_cuda_ht_describe(&b, r, &got);
        wvl_cuda_ht_weigh(&b, sums, &got);
        if (got.energy != want.energy || got.energy_shift != want.energy_shift ||
            (want.pass_count && t->got[0].gain_quarters != t->passes[0].gain_quarters)) {
            printf("block %u, %ux%u of %u bytes, plane %u + %u: energy %llx, want %llx; gain %lld, want %lld\n", i,
                   b.width, b.height, b.coef_bytes, b.frac_bits, b.cleanup_plane, (unsigned long long)got.energy,
                   (unsigned long long)want.energy, (long long)t->got[0].gain_quarters,
                   (long long)t->passes[0].gain_quarters);
            return 1;
        }
    }
    return 0;
}

/* The blocks that a launch left, with all memory that they may take. */
static uint32_t check_left(const ht_device *d, const ht_list *list, const wvl_cuda_ht_record *records,
                           uint32_t shared_limit, uint32_t *left)
{
    ht_list rest = *list;
    uint32_t *index = malloc(list->count * sizeof *index + 1), wrong = 0, none;
    rest.blocks = malloc(list->count * sizeof *rest.blocks + 1);
    rest.count = *left = wvl_cuda_ht_collect_left(list->blocks, records, list->count, rest.blocks, index);
    if (rest.count) {
        rest.bounds = malloc(rest.count * sizeof *rest.bounds);
        for (uint32_t i = 0; i < rest.count; i++) {
            rest.bounds[i] = list->bounds[index[i]];
            rest.blocks[i].bound = i;
        }
        wrong = ht_check(d, &rest, 1, shared_limit, 1000, 1000, &none) + none;
        free(rest.bounds);
    }
    free(rest.blocks);
    free(index);
    return wrong;
}

static uint32_t compare(const ht_load *load, const ht_list *list, const wvl_cuda_ht_record *records,
                        const wvl_cuda_ht_sums *sums, const uint8_t *bytes)
{
    uint32_t wrong = 0, group = list->count / load->job.group_count;
    truth t = {.scratch = aligned_alloc(64, (wvl_ht_block_coder.scratch_bytes(64, 64, 31) + 63) / 64 * 64),
               .bytes = malloc(1 << 16)};
    for (uint32_t i = 0; i < list->count && wrong < 10; i++) {
        if (!(records[i].flags & WVL_CUDA_HT_LEFT)) {
            wrong += (uint32_t)is_wrong(&t, list, i, &records[i],
                                        bytes + i / group * (load->output_bytes / load->job.group_count) +
                                            records[i].offset);
            wrong += (uint32_t)weighs_wrong(&t, list, i, &records[i], &sums[i]);
        }
    }
    free(t.scratch);
    free(t.bytes);
    return wrong;
}

uint32_t ht_check(const ht_device *d, const ht_list *list, uint32_t groups, uint32_t shared_limit,
                  unsigned scratch_share, unsigned output_share, uint32_t *left)
{
    ht_load load;
    uint32_t wrong = UINT32_MAX;
    *left = 0;
    int is_open = ht_load_open(&load, d, list, groups, shared_limit, scratch_share, output_share);
    load.job.sums = ht_take(&load.taken, d, load.memory.sums, NULL, 0);
    wvl_cuda_ht_record *records = malloc(load.memory.records + 1);
    wvl_cuda_ht_sums *sums = malloc(load.memory.sums + 1);
    uint8_t *bytes = malloc(load.output_bytes + GUARD);
    if (is_open && !load.taken.status && !wvl_cuda_ht_launch(&load.ht, &load.job, wvl_cuda_to_stream(d->stream)) &&
        ht_fetch(d, sums, load.job.sums, load.memory.sums) &&
        ht_fetch(d, records, load.job.records, load.memory.records) &&
        ht_fetch(d, bytes, load.output, load.output_bytes + GUARD)) {
        wrong = compare(&load, list, records, sums, bytes) + check_left(d, list, records, shared_limit, left);
        for (unsigned i = 0; i < ht_count_guard(); i++) {
            wrong += bytes[load.output_bytes + i] != HT_POISON;
        }
    }
    free(records);
    free(sums);
    free(bytes);
    ht_load_close(&load, d);
    return wrong;
}
