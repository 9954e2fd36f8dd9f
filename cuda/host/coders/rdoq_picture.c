/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT blocks of jobs of whole pictures with rdoq: t1_picture.c, with tables that lie phase by phase (rdoq_blocks.h).
 */

#include "base/try.h"
#include "cuda/host/coders/coder.h"

#define UNLIMITED 1e18 /* as codec/rate/depth.c has it */

static const wvl_cuda_coder *const plain = &wvl_cuda_coder_t1;

/* ---- Memory ---------------------------------------------------------------------------------- */

static uint64_t count_coef_bytes(const wvl_cuda_coder_view *v)
{
    uint64_t bytes = 0;
    for (uint32_t t = 0; t < v->tile_count; t++) {
        bytes += v->tiles[t].coef_bytes;
    }
    return bytes;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* job: its phases are known. */
static void sort(const void *blocks, uint32_t count, uint32_t *lists, wvl_cuda_coder_job *job)
{
    const wvl_cuda_t1_block *b = blocks;
    wvl_cuda_rdoq_sort(b, &job->phases, lists, lists + count, &job->shapes);
    job->t1 = job->shapes.all;
    job->rdoq.most_width = 0;
    for (uint32_t i = 0; i < count; i++) {
        job->rdoq.most_width = wvl_max_u32(job->rdoq.most_width, b[i].width);
    }
}

/* Tables of t1_picture.c, then of blocks as they lie here: where packets find them, kinds, and with a limit for each
 * component cap groups. Offsets. */
typedef struct own_tables {
    uint64_t places, kinds, caps, end;
} own_tables;

static own_tables find_own(const wvl_cuda_coder_view *v)
{
    own_tables own = {.end = plain->measure_tables(v)};
    own.places = wvl_cuda_place(&own.end, v->block_count, sizeof(uint32_t));
    own.kinds = wvl_cuda_place(&own.end, v->block_count, 1);
    own.caps = wvl_cuda_place(&own.end, v->plan->rate.max_component_bytes ? v->block_count : 0, sizeof(uint16_t));
    return own;
}

static uint64_t measure_tables(const wvl_cuda_coder_view *v) { return find_own(v).end; }

static void put_caps(const wvl_cuda_coder_view *v, uint16_t *caps)
{
    const wvl_assembly *a = v->assembly;
    for (uint32_t i = 0; i < a->place_count && v->plan->rate.max_component_bytes; i++) {
        const wvl_assembly_owner *owner = &a->owners[a->places[i].packet];
        caps[a->places[i].block] = (uint16_t)wvl_plan_cap_group(v->plan, owner->component, owner->resolution);
    }
}

static void fill_tables(const wvl_cuda_coder_view *v, void *tables)
{
    const own_tables own = find_own(v);
    plain->fill_tables(v, tables);
    memcpy((uint8_t *)tables + own.places, v->places, v->block_count * sizeof *v->places);
    for (uint64_t i = 0; i < v->block_count; i++) {
        ((uint8_t *)tables)[own.kinds + v->places[i]] = v->kinds[i];
    }
    put_caps(v, (uint16_t *)(void *)((uint8_t *)tables + own.caps));
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* The same aims as in codec/rate/depth.c. */
static wvl_survey_aim find_aim(const wvl_plan *plan)
{
    const wvl_layer_target *last = &plan->rate.layers[plan->syntax.layer_count - 1];
    wvl_survey_aim aim = {.budget = last->kind == WVL_RATE_BYTES ? last->value : UNLIMITED,
                          .cap = plan->rate.max_component_bytes ? (double)plan->rate.max_component_bytes : UNLIMITED,
                          .samples = (double)plan->syntax.total_samples,
                          .groups = wvl_plan_rate_groups(plan)};
    if (plan->rate.max_bytes && (double)plan->rate.max_bytes < aim.budget) {
        aim.budget = (double)plan->rate.max_bytes;
    }
    return aim;
}

/* The tables of blocks that are coded again. */
static wvl_cuda_t1_job place_again(const wvl_cuda_coder_view *v, wvl_cuda_coder_places *l, const wvl_cuda_t1_job *first)
{
    wvl_cuda_t1_job again = *first;
    uint64_t count = v->block_count;
    again.blocks = wvl_cuda_take_place(l, count, sizeof(wvl_cuda_t1_block));
    again.states = wvl_cuda_take_place(l, count, sizeof(wvl_cuda_t1_state));
    again.records = wvl_cuda_take_place(l, count, sizeof(wvl_cuda_t1_record));
    again.gains = wvl_cuda_take_place(l, count, sizeof(wvl_cuda_t1_gains));
    again.passes = wvl_cuda_take_place(l, count, WVL_CUDA_T1_MOST_PASSES * sizeof(wvl_cuda_t1_pass));
    again.lists += count * sizeof(uint32_t);
    return again;
}

static void set_values(const wvl_plan *plan, wvl_cuda_coder_job *job)
{
    const wvl_layer_target *target = &plan->rate.layers[plan->syntax.layer_count - 1];
    wvl_cuda_set_rate_values(plan, job);
    job->rdoq.aim = find_aim(plan);
    job->rdoq.known = target->kind == WVL_RATE_SLOPE && wvl_survey_is_possible(plan) ? (uint32_t)target->value : 0;
}

/* Sets where rate control says at which slopes the picture ended: of each cap group, or of all. */
static void set_thresholds(const wvl_plan *plan, wvl_cuda_address caps, const wvl_cuda_packets_job *packets,
                           wvl_cuda_coder_job *job)
{
    int is_capped = plan->rate.max_component_bytes != 0;
    job->rdoq.cap_groups = is_capped ? caps : 0;
    job->rdoq.thresholds = is_capped ? job->rate.groups + offsetof(wvl_cuda_rate_group, threshold)
                                     : packets->outcome + offsetof(wvl_cuda_packets_outcome, threshold);
    job->rdoq.threshold_pitch = sizeof(wvl_cuda_rate_group);
}

/* Where ranges are few, blocks are coded again beside the others, and take as much at most. */
static uint64_t enlarge_scratch(const wvl_cuda_coder_view *v, uint64_t bytes)
{
    return v->phases->are_surveyed && v->phases->range_count < WVL_SURVEY_FEW_RANGES ? wvl_mul_saturate(bytes, 2)
                                                                                     : bytes;
}

static uint64_t place(const wvl_cuda_coder_view *v, wvl_cuda_coder_places *l, wvl_cuda_coder_job *job,
                      wvl_cuda_packets_job *packets)
{
    const own_tables own = find_own(v);
    wvl_cuda_rdoq_job *rdoq = &job->rdoq;
    const wvl_cuda_address tables = l->shared + l->tables;
    const uint64_t scratch = plain->place(v, l, job, packets), part = sizeof(wvl_cuda_rdoq_part),
                   survey = wvl_align_up(sizeof(wvl_cuda_rdoq_survey), 256);
    rdoq->originals = job->t1.blocks;
    job->t1.blocks = packets->t1_blocks = wvl_cuda_take_place(l, v->block_count, sizeof(wvl_cuda_t1_block));
    packets->left = job->t1.counters + WVL_CUDA_T1_LEFT_BLOCKS * sizeof(uint32_t); /* the survey lacks them */
    packets->block_places = tables + own.places;
    rdoq->copies = wvl_cuda_take_place(l, count_coef_bytes(v), 1) - (l->workspace + l->coefs);
    rdoq->changes = wvl_cuda_take_place(l, v->block_count, sizeof(wvl_cuda_rdoq_change));
    rdoq->weights = wvl_cuda_take_place(l, v->block_count, sizeof(uint32_t));
    rdoq->survey = wvl_cuda_take_place(l, survey + 2 * wvl_plan_rate_groups(v->plan) * part, 1);
    rdoq->parts = rdoq->survey + survey;
    rdoq->again = place_again(v, l, &job->t1);
    rdoq->kinds = tables + own.kinds;
    set_thresholds(v->plan, tables + own.caps, packets, job);
    set_values(v->plan, job);
    memcpy(rdoq->samples, job->phases.samples, sizeof rdoq->samples);
    rdoq->is_large = wvl_rate_reach(v->plan) < 65536;
    return enlarge_scratch(v, scratch);
}

/* All blocks in phases, rate control, and both again where the picture ended far off. */
static wvl_cuda_status launch(const wvl_device *device, const wvl_cuda_coder_job *job,
                              const wvl_cuda_packets_job *packets, wvl_cuda_route route)
{
    wvl_cuda_rdoq_job rdoq = job->rdoq;
    const wvl_cuda_rdoq_run run = {&device->rdoq, &device->t1, &rdoq, &job->phases, &job->shapes, route};
    wvl_cuda_rate_job rate = job->rate;
    rdoq.t1 = rate.t1 = job->t1;
    rdoq.again.mq = job->t1.mq;
    rdoq.again.spread = job->t1.spread;
    rate.packets = *packets;
    uint64_t survey_bytes = rdoq.parts - rdoq.survey + 2ull * rdoq.aim.groups * sizeof(wvl_cuda_rdoq_part);
    wvl_cuda_status status = wvl_cuda_zero(device->rdoq.runtime, rdoq.survey, (size_t)survey_bytes, route);
    TRY(status, wvl_cuda_rdoq_code(&run));
    TRY(status, wvl_cuda_rate_launch(&device->rate, &rate, route));
    TRY(status, wvl_cuda_rdoq_code_again(&run));
    rate.asked = rdoq.survey + offsetof(wvl_cuda_rdoq_survey, is_far_off);
    return status ? status : wvl_cuda_rate_launch(&device->rate, &rate, route);
}

const wvl_cuda_coder wvl_cuda_coder_rdoq = {.block_bytes = sizeof(wvl_cuda_t1_block),
                                            .counter_count = WVL_CUDA_T1_COUNTERS,
                                            .list_blocks = wvl_cuda_list_t1_blocks,
                                            .pieces = 1,
                                            .streams = WVL_CUDA_SLOW_STREAMS,
                                            .list_count = 2,
                                            .scratch_parts = WVL_CUDA_T1_SCRATCH_PARTS,
                                            .place = place,
                                            .sort = sort,
                                            .measure_tables = measure_tables,
                                            .fill_tables = fill_tables,
                                            .set_values = set_values,
                                            .launch = launch};
