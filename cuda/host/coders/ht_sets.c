/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HT blocks of jobs of whole pictures, with rate control: planes and gains as EBCOT blocks have them (t1_picture.c), a
 * set of HT passes for each plane that is asked for, and both again where the step follows the target.
 */

#include "base/try.h"
#include "cuda/host/coders/coder.h"

#define CODINGS 2u
#define ABOUT_SETS 2u /* of a block in the first round: shapes of launches follow from it */

static const wvl_cuda_coder *const plain = &wvl_cuda_coder_t1;

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The set of a plane of a block of that shape. */
static wvl_cuda_ht_block describe_set(const wvl_plan *plan, const wvl_cuda_t1_block *b, unsigned plane)
{
    return (wvl_cuda_ht_block){.stride = b->stride,
                               .width = b->width,
                               .height = b->height,
                               .coef_bytes = b->coef_bytes,
                               .frac_bits = b->frac_bits,
                               .cleanup_plane = (uint8_t)plane,
                               .style = b->style,
                               .max_passes = UINT8_MAX,
                               .set_passes = plan->rate.ht_passes,
                               .planes = (uint8_t)(b->planes - plane),
                               .reversible = b->reversible};
}

typedef struct sizes {
    uint64_t scratch_bytes;
    uint32_t pitch; /* most planes of a block */
} sizes;

static void measure_band(void *user, const wvl_cuda_walk_band *at)
{
    sizes *s = user;
    wvl_cuda_t1_block cell = wvl_cuda_describe_t1_cell(at->band, at->coding);
    uint64_t bytes = wvl_cuda_t1_measure_words(&cell);
    for (unsigned plane = 0; plane < cell.planes; plane++) {
        wvl_cuda_ht_block set = describe_set(at->view->plan, &cell, plane);
        bytes = wvl_add_saturate(bytes, wvl_cuda_ht_measure(&set, 1, 0).most_scratch);
    }
    s->scratch_bytes = wvl_add_saturate(s->scratch_bytes, wvl_mul_saturate(at->count, bytes));
    s->pitch = wvl_max_u32(s->pitch, cell.planes);
}

static sizes measure(const wvl_cuda_coder_view *v)
{
    sizes s = {0, 0};
    wvl_cuda_walk_bands(v, 0, 0, measure_band, &s);
    return s;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Classes as large as they can become: every set of every block. */
static void sort(const void *blocks, uint32_t count, uint32_t *lists, wvl_cuda_coder_job *job)
{
    wvl_cuda_ht_job *ht = &job->sets.ht;
    memset(ht, 0, sizeof *ht);
    plain->sort(blocks, count, lists, job);
    for (uint32_t i = 0; i < count; i++) {
        const wvl_cuda_t1_block *b = (const wvl_cuda_t1_block *)blocks + i;
        wvl_cuda_ht_block set = {
            .width = b->width, .height = b->height, .coef_bytes = b->coef_bytes, .frac_bits = b->frac_bits};
        for (set.cleanup_plane = 0; set.cleanup_plane < b->planes; set.cleanup_plane++) {
            set.planes = (uint8_t)(b->planes - set.cleanup_plane);
            ht->class_count[wvl_cuda_ht_class_of(&set)]++;
            ht->block_count++;
        }
    }
    for (unsigned i = 1; i < WVL_CUDA_HT_CLASSES; i++) {
        ht->class_first[i] = ht->class_first[i - 1] + ht->class_count[i - 1];
    }
}

/* Tables of t1_picture.c, then steps, and which of them blocks have. Offsets. */
typedef struct own_tables {
    uint64_t steps, block_steps, end;
} own_tables;

static own_tables find_own(const wvl_cuda_coder_view *v)
{
    own_tables own = {.end = plain->measure_tables(v)};
    uint32_t count = v->assembly->step_count;
    own.steps = wvl_cuda_place(&own.end, (uint64_t)WVL_STEP_SIXTEENTHS * count, sizeof(wvl_assembly_step));
    own.block_steps = wvl_cuda_place(&own.end, count ? v->block_count : 0, sizeof(uint32_t));
    return own;
}

static uint64_t measure_tables(const wvl_cuda_coder_view *v) { return find_own(v).end; }

static void put_step(void *steps, uint64_t place, const wvl_cuda_walk_block *from)
{
    const wvl_cuda_coder_view *v = from->in->view;
    uint32_t coding = (uint32_t)(from->in->coding - v->plan->syntax.codings);
    ((uint32_t *)steps)[place] = coding * v->assembly->step_bands + from->in->band->coding_band;
}

static void fill_tables(const wvl_cuda_coder_view *v, void *tables)
{
    const own_tables own = find_own(v);
    const wvl_assembly *a = v->assembly;
    plain->fill_tables(v, tables);
    if (a->step_count) {
        memcpy((uint8_t *)tables + own.steps, a->steps, WVL_STEP_SIXTEENTHS * a->step_count * sizeof *a->steps);
        wvl_cuda_walk_blocks(v, 0, 0, put_step, (uint8_t *)tables + own.block_steps);
    }
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static uint64_t place(const wvl_cuda_coder_view *v, wvl_cuda_coder_places *l, wvl_cuda_coder_job *job,
                      wvl_cuda_packets_job *packets)
{
    const sizes s = measure(v);
    const own_tables own = find_own(v);
    wvl_cuda_rate_sets *sets = &job->sets;
    wvl_cuda_ht_job *ht = &sets->ht;
    uint64_t count = wvl_mul_saturate(v->block_count, s.pitch), again = v->plan->rate.follows_step ? v->block_count : 0;
    (void)plain->place(v, l, job, packets);
    ht->blocks = wvl_cuda_take_place(l, count, sizeof(wvl_cuda_ht_block));
    ht->order = wvl_cuda_take_place(l, count, sizeof(uint32_t));
    ht->records = wvl_cuda_take_place(l, count, sizeof(wvl_cuda_ht_record));
    ht->parts = wvl_cuda_take_place(l, count, sizeof(wvl_cuda_ht_part));
    ht->words = wvl_cuda_take_place(l, count, sizeof(wvl_cuda_ht_words));
    sets->step = wvl_cuda_take_place(l, 1, sizeof(wvl_cuda_rate_step));
    ht->lists = wvl_cuda_take_place(l, CODINGS, sizeof(wvl_cuda_ht_lists));
    sets->planes = wvl_cuda_take_place(l, again, 1);
    sets->weights = wvl_cuda_take_place(l, again, sizeof(wvl_cuda_t1_weight));
    sets->plain_weights = wvl_cuda_take_place(l, again, sizeof(double));
    ht->scratch = packets->ht_scratch = job->t1.scratch;
    ht->scratch_units = job->t1.scratch_units;
    ht->counters = job->t1.counters; /* scratch memory and what is left are counted together */
    ht->refines = v->plan->rate.ht_passes != 1;
    sets->pitch = s.pitch;
    sets->passes = v->plan->rate.ht_passes;
    sets->steps = l->shared + l->tables + own.steps;
    sets->block_steps = l->shared + l->tables + own.block_steps;
    sets->step_count = v->assembly->step_count;
    if (sets->step_count) {
        packets->variant = sets->step + offsetof(wvl_cuda_rate_step, sixteenths);
        packets->mains = packets->bytes + v->assembly->mains_at;
        packets->variant_bytes = v->assembly->variant_bytes;
    }
    return s.scratch_bytes;
}

/* ---- Launches -------------------------------------------------------------------------------- */

/* Sets that are asked for first, their hulls, and cuts. */
static wvl_cuda_status launch_round(const wvl_device *device, const wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    wvl_cuda_status status = wvl_cuda_rate_list_sets(&device->rate, job, route);
    TRY(status, wvl_cuda_ht_launch_listed(&device->ht, &job->sets.ht, ABOUT_SETS * job->t1.block_count, route));
    TRY(status, wvl_cuda_rate_end_sets(&device->rate, job, route));
    return status ? status : wvl_cuda_rate_launch(&device->rate, job, route);
}

/* Rounds as in t1_picture.c. */
static wvl_cuda_status launch_coding(const wvl_device *device, wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    uint32_t rounds = job->t1.foresees ? WVL_CUDA_RATE_ROUNDS : 1;
    wvl_cuda_status status = wvl_cuda_t1_launch_words(&device->t1, &job->t1, route);
    TRY(status, wvl_cuda_rate_open_sets(&device->rate, job, route));
    TRY(status, launch_round(device, job, route));
    for (job->t1.round = 1; job->t1.round < rounds; job->t1.round++) {
        TRY(status, wvl_cuda_rate_repeat_sets(&device->rate, job, route));
    }
    job->t1.round = 0;
    job->sets.ht.lists += sizeof(wvl_cuda_ht_lists);
    return status;
}

/* With other steps, if the first coding asks for it; else nothing happens. */
static wvl_cuda_status launch_second(const wvl_device *device, wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    wvl_cuda_status status = wvl_cuda_rate_choose_step(&device->rate, job, route);
    job->sets.is_second = 1;
    job->asked = job->t1.asked = job->sets.step + offsetof(wvl_cuda_rate_step, asked);
    job->t1.hull_weights = job->sets.weights;
    job->block_weights = job->sets.plain_weights;
    return status ? status : launch_coding(device, job, route);
}

static wvl_cuda_status launch(const wvl_device *device, const wvl_cuda_coder_job *job,
                              const wvl_cuda_packets_job *packets, wvl_cuda_route route)
{
    wvl_cuda_rate_job rate = job->rate;
    uint64_t cleared = job->sets.ht.lists - job->sets.step + CODINGS * sizeof(wvl_cuda_ht_lists);
    rate.t1 = job->t1;
    rate.packets = *packets;
    rate.sets = job->sets;
    wvl_cuda_status status = wvl_cuda_zero(device->ht.runtime, job->sets.step, (size_t)cleared, route);
    TRY(status, launch_coding(device, &rate, route));
    return status || !job->sets.step_count ? status : launch_second(device, &rate, route);
}

const wvl_cuda_coder wvl_cuda_coder_sets = {.block_bytes = sizeof(wvl_cuda_t1_block),
                                            .counter_count = WVL_CUDA_T1_COUNTERS,
                                            .list_blocks = wvl_cuda_list_t1_blocks,
                                            .pieces = WVL_CUDA_PACKETS_HT_PIECES,
                                            .streams = WVL_CUDA_SLOW_STREAMS,
                                            .list_count = 1,
                                            .scratch_parts = WVL_CUDA_T1_SCRATCH_PARTS,
                                            .place = place,
                                            .sort = sort,
                                            .measure_tables = measure_tables,
                                            .fill_tables = fill_tables,
                                            .set_values = wvl_cuda_set_rate_values,
                                            .launch = launch};
