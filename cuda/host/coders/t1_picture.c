/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT blocks of jobs of whole pictures. */

#include "base/try.h"
#include "codec/core/layer_targets.h"
#include "cuda/host/coders/region_tables.h"

/* ---- Layers ---------------------------------------------------------------------------------- */

static uint32_t slope_of(const wvl_layer_target *target)
{
    return target->kind == WVL_RATE_SLOPE ? (uint32_t)target->value : 0;
}

/* An automatic layer takes a part of what the next given one takes. */
static wvl_cuda_rate_layer describe_layer(const wvl_plan *plan, const wvl_cuda_rate_job *job, uint32_t layer,
                                          uint64_t budget)
{
    uint32_t given = wvl_layer_find_given(plan, layer), kind = plan->rate.layers[layer].kind;
    return (wvl_cuda_rate_layer){.budget = budget,
                                 .share = given > layer ? wvl_layer_find_share(given, layer) : 0.0,
                                 .room = wvl_layer_find_room(plan, given, job->overhead_bytes, INFINITY),
                                 .least = slope_of(&plan->rate.layers[given]),
                                 .fills_always =
                                     plan->rate.max_component_bytes && kind != WVL_RATE_SLOPE && kind != WVL_RATE_AUTO};
}

/* Budgets, thresholds and parts of all layers. empty_layer_bytes, overhead_bytes and the cap of components are set. */
static void set_layers(const wvl_plan *plan, wvl_cuda_rate_job *job)
{
    uint64_t budget = plan->rate.max_bytes ? plan->rate.max_bytes : WVL_NO_BUDGET, empty = 0;
    for (uint32_t layer = plan->syntax.layer_count; layer-- > 0; empty = job->empty_layer_bytes) {
        budget = wvl_layer_find_budget(&plan->rate.layers[layer], budget, empty);
        job->layers[layer] = describe_layer(plan, job, layer, budget);
    }
    const wvl_cuda_rate_layer *last = &job->layers[plan->syntax.layer_count - 1];
    job->budget = last->budget;
    job->least = last->least;
    job->fills_always = last->fills_always;
}

#define PASSES_ALL 255u
#define EOC_BYTES 2u
#define SOD_BYTES 2u
#define PLT_HEAD_BYTES 5u

/* ---- Sizes ----------------------------------------------------------------------------------- */

wvl_cuda_t1_block wvl_cuda_describe_t1_cell(const wvl_tile_band *band, const wvl_coding *coding)
{
    unsigned shift = coding->region == WVL_REGION_PART ? coding->region_shift : 0;
    return (wvl_cuda_t1_block){.stride = band->cell_width,
                               .width = (uint16_t)band->cell_width,
                               .height = (uint16_t)band->cell_height,
                               .coef_bytes = band->coef_bytes,
                               .frac_bits = band->frac_bits,
                               .orient = band->orient,
                               .style = (uint8_t)coding->style,
                               .planes = (uint8_t)(band->planes + shift),
                               .max_passes = PASSES_ALL,
                               .reversible = coding->reversible,
                               .in_region = coding->region == WVL_REGION_WHOLE ? WVL_CUDA_T1_IN_REGION : 0};
}

typedef struct sizes {
    uint64_t scratch_bytes, value_bytes, items;
    uint32_t most_planes;
    unsigned styles; /* of all blocks */
} sizes;

static void measure_band(void *user, const wvl_cuda_walk_band *at)
{
    sizes *s = user;
    wvl_cuda_t1_block cell = wvl_cuda_describe_t1_cell(at->band, at->coding);
    s->scratch_bytes =
        wvl_add_saturate(s->scratch_bytes, wvl_mul_saturate(at->count, wvl_cuda_t1_measure_scratch(&cell)));
    s->value_bytes = wvl_add_saturate(s->value_bytes, wvl_mul_saturate(at->count, wvl_cuda_t1_measure_values(&cell)));
    s->items += at->count * cell.planes;
    s->most_planes = wvl_max_u32(s->most_planes, cell.planes);
    s->styles |= cell.style;
}

static sizes measure(const wvl_cuda_coder_view *v)
{
    sizes s = {0, 0, 0, 0, 0};
    wvl_cuda_walk_bands(v, 0, 0, measure_band, &s);
    return s;
}

/* Segments of a block that are listed; 0: blocks have one. */
static uint32_t most_segments(const sizes *s)
{
    return s->styles & (WVL_STYLE_TERMALL | WVL_STYLE_BYPASS) && s->most_planes ? 3 * s->most_planes - 2 : 0;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Blocks of both kinds of samples may get the planes of a region and those below. */
static void put_block(void *blocks, uint64_t place, const wvl_cuda_walk_block *from)
{
    wvl_cuda_t1_block *b = (wvl_cuda_t1_block *)blocks + place;
    *b = wvl_cuda_describe_t1_cell(from->in->band, from->in->coding);
    b->coefs = from->coefs;
    b->bound = from->bound;
    b->width = from->width;
    b->height = from->height;
    if (from->in->coding->region == WVL_REGION_PART) {
        b->in_region = wvl_cuda_find_region(from) == WVL_CUDA_T1_PART ? from->in->coding->region_shift : 0;
        b->planes = (uint8_t)(from->in->band->planes + b->in_region);
    }
}

void wvl_cuda_list_t1_blocks(const wvl_cuda_coder_view *v, uint64_t coefs, uint64_t bounds, void *blocks)
{
    wvl_cuda_walk_blocks(v, coefs, bounds, put_block, blocks);
}

static void sort(const void *blocks, uint32_t count, uint32_t *lists, wvl_cuda_coder_job *job)
{
    wvl_cuda_t1_sort(blocks, count, lists, &job->t1);
}

/* ---- Rate control ---------------------------------------------------------------------------- */

/* Offsets of tables. */
typedef struct tables {
    uint64_t ranked; /* all blocks in the order of tiles and precincts; weights of blocks stand before them */
    uint64_t precinct_groups, group_overhead; /* with a cap of components */
    uint64_t packets;                         /* layer by layer, in the order of precincts */
    uint64_t regions, rects;                  /* with rectangles of interest */
    uint64_t bytes;                           /* of all */
} tables;

static tables place_tables(const wvl_cuda_coder_view *v)
{
    tables t = {0};
    uint32_t packets = v->assembly->packet_count;
    (void)wvl_cuda_place(&t.bytes, v->block_count, sizeof(wvl_cuda_t1_weight));
    t.ranked = wvl_cuda_place(&t.bytes, v->block_count, sizeof(wvl_assembly_place));
    if (v->plan->rate.max_component_bytes) {
        t.precinct_groups = wvl_cuda_place(&t.bytes, packets / v->assembly->layer_count, sizeof(uint16_t));
        t.group_overhead = wvl_cuda_place(&t.bytes, 2ull * wvl_plan_cap_groups(v->plan), sizeof(uint64_t));
    }
    t.packets = wvl_cuda_place(&t.bytes, packets, sizeof(uint32_t));
    if (wvl_cuda_has_rects(v->plan)) {
        t.regions = wvl_cuda_place(&t.bytes, v->block_count, sizeof(wvl_cuda_t1_region));
        t.rects = wvl_cuda_place(&t.bytes, wvl_cuda_measure_regions(v).rects, sizeof(wvl_cuda_t1_rect));
    }
    return t;
}

static uint64_t measure_tables(const wvl_cuda_coder_view *v)
{
    return wvl_cuda_chooses_passes(v->plan) || wvl_cuda_has_rects(v->plan) ? place_tables(v).bytes : 0;
}

void wvl_cuda_put_t1_weight(void *weights, uint64_t place, const wvl_cuda_walk_block *from)
{
    const wvl_band_coding *coding = &from->in->coding->band[from->in->band->coding_band];
    ((wvl_cuda_t1_weight *)weights)[place] = (wvl_cuda_t1_weight){coding->weight_mantissa, coding->weight_exponent};
}

static uint32_t count_precincts(const wvl_assembly *a) { return a->packet_count / a->layer_count; }

/* Packets, tile by tile, to where their precincts stand in the tile, in their layer. */
static void sort_packets(const wvl_assembly *a, uint32_t *packets)
{
    for (uint32_t first = 0, end; first < a->packet_count; first = end) {
        uint32_t precinct = first / a->layer_count; /* the first of the tile */
        for (end = first; end < a->packet_count && a->owners[end].tile == a->owners[first].tile; end++) {
            packets[a->packets[end].layer * count_precincts(a) + precinct + a->owners[end].precinct] = end;
        }
    }
}

/* A packet that sends nothing, and its length in PLT (A.7.3). */
static uint64_t count_empty(const wvl_assembly *a, uint32_t packet)
{
    return 1u + (a->packets[packet].sop ? 6 : 0) + (a->packets[packet].eph ? 2 : 0) + (a->has_plt ? 1 : 0);
}

/* Measures as wvl_layers_allocate() does. */
static uint64_t count_empty_layer(const wvl_assembly *a)
{
    uint64_t bytes = a->has_plt ? PLT_HEAD_BYTES * (count_precincts(a) / 65527 + 1) : 0;
    for (uint32_t i = 0; i < a->packet_count; i++) {
        bytes += a->packets[i].layer ? 0 : count_empty(a, i);
    }
    return bytes;
}

/* Part headers count for a group where parts hold one component each (codec/write/division.c); a PLT marker segment
 * too. */
static void put_groups(const wvl_cuda_coder_view *v, const uint32_t *packets, uint16_t *precinct_groups,
                       uint64_t *overhead)
{
    const wvl_assembly *a = v->assembly;
    uint32_t groups = wvl_plan_cap_groups(v->plan);
    memset(overhead, 0, 2 * groups * sizeof *overhead);
    for (uint32_t i = 0; i < count_precincts(a); i++) {
        const wvl_assembly_owner *owner = &a->owners[packets[i]];
        precinct_groups[i] = (uint16_t)wvl_plan_cap_group(v->plan, owner->component, owner->resolution);
        overhead[groups + precinct_groups[i]] += count_empty(a, packets[i]);
    }
    for (uint32_t i = 0; i < a->part_count; i++) {
        if (a->part_names[i].cap_group != UINT32_MAX) {
            overhead[a->part_names[i].cap_group] +=
                a->parts[i].template_bytes + SOD_BYTES + (a->has_plt ? PLT_HEAD_BYTES : 0);
        }
    }
}

static void fill_tables(const wvl_cuda_coder_view *v, void *to)
{
    const wvl_assembly *a = v->assembly;
    tables t = place_tables(v);
    uint8_t *base = to;
    wvl_assembly_place *ranked = (wvl_assembly_place *)(void *)(base + t.ranked);
    uint32_t *packets = (uint32_t *)(void *)(base + t.packets);
    wvl_cuda_walk_blocks(v, 0, 0, wvl_cuda_put_t1_weight, to);
    sort_packets(a, packets);
    for (uint32_t i = 0; i < count_precincts(a); i++) {
        const wvl_assembly_packet *p = &a->packets[packets[i]];
        for (uint32_t k = 0; k < p->block_count; k++) {
            *ranked++ = (wvl_assembly_place){a->places[p->first_place + k].block, i};
        }
    }
    if (v->plan->rate.max_component_bytes) {
        put_groups(v, packets, (uint16_t *)(void *)(base + t.precinct_groups),
                   (uint64_t *)(void *)(base + t.group_overhead));
    }
    if (wvl_cuda_has_rects(v->plan)) {
        wvl_cuda_fill_regions(v, (wvl_cuda_t1_region *)(void *)(base + t.regions),
                              (wvl_cuda_t1_rect *)(void *)(base + t.rects));
    }
}

/* Counts the bytes of the codestream beside packets and PLT. */
static uint64_t count_overhead(const wvl_assembly *a)
{
    uint64_t bytes = (uint64_t)a->main_bytes + a->tlm_bytes + EOC_BYTES;
    for (uint32_t i = 0; i < a->part_count; i++) {
        bytes += a->parts[i].template_bytes + SOD_BYTES;
    }
    return bytes;
}

void wvl_cuda_set_rate_values(const wvl_plan *plan, wvl_cuda_coder_job *job)
{
    job->rate.component_cap = plan->rate.max_component_bytes;
    set_layers(plan, &job->rate);
}

/* Says whether a prediction says how deep blocks are coded. With layers, and with caps of EBCOT pictures, it costs more
 * than it saves (D-device-13). Where caps are many, or one, floors are bisected from the least threshold on: all passes
 * are looked at. Regions have slopes of two kinds: what may stop there is not followed. */
static int foresees(const wvl_plan *plan)
{
    int is_followed = !plan->rate.max_component_bytes || (wvl_cuda_is_ht(plan) && wvl_plan_rate_groups(plan) > 1);
    return plan->syntax.layer_count == 1 && is_followed && !plan->rate.rdoq && !plan->syntax.region_count &&
           !plan->test.depth_full;
}

/* Tables of rate control: in the workspace, and those that all workspaces share. */
static void place_rate_tables(const wvl_cuda_coder_view *v, wvl_cuda_coder_places *l, const tables *t,
                              wvl_cuda_rate_job *rate, wvl_cuda_packets_job *packets)
{
    uint64_t blocks = v->block_count, layers = v->assembly->layer_count;
    const wvl_cuda_address at = l->shared + l->tables;
    rate->ranked = at + t->ranked;
    rate->layer_packets = at + t->packets;
    rate->precinct_groups = t->precinct_groups ? at + t->precinct_groups : 0;
    rate->group_overhead = t->group_overhead ? at + t->group_overhead : 0;
    rate->block_weights = l->shared + l->weights;
    rate->bodies = wvl_cuda_take_place(l, (uint64_t)wvl_plan_rate_groups(v->plan) * WVL_SLOPES, sizeof(uint64_t));
    rate->candidates = wvl_cuda_take_place(l, wvl_mul_saturate(blocks, WVL_CUDA_RATE_CANDIDATES), sizeof(uint64_t));
    rate->changed = wvl_cuda_take_place(l, v->assembly->packet_count / layers, sizeof(uint32_t));
    rate->groups = wvl_cuda_take_place(l, wvl_plan_cap_groups(v->plan), sizeof(wvl_cuda_rate_group));
    packets->notes = wvl_cuda_take_place(l, 1, sizeof(uint32_t));
    packets->outcome = wvl_cuda_take_place(l, 1, sizeof(wvl_cuda_packets_outcome));
    if (layers > 1) {
        rate->sent = wvl_cuda_take_place(l, blocks, sizeof(wvl_cuda_rate_sent));
        packets->since = wvl_cuda_take_place(l, v->assembly->packet_count, sizeof(uint16_t));
        packets->layers = wvl_cuda_take_place(l, layers, sizeof(wvl_assembly_layer));
    }
}

static void place_rate(const wvl_cuda_coder_view *v, const sizes *s, wvl_cuda_coder_places *l, wvl_cuda_coder_job *job,
                       wvl_cuda_packets_job *packets)
{
    tables t = place_tables(v);
    wvl_cuda_t1_job *t1 = &job->t1;
    const wvl_plan *plan = v->plan;
    uint32_t listed = most_segments(s);
    job->chooses = 1;
    job->rate = (wvl_cuda_rate_job){.overhead_bytes = count_overhead(v->assembly),
                                    .group_count = wvl_plan_cap_groups(plan),
                                    .followed = wvl_plan_rate_groups(plan),
                                    .reach = wvl_rate_reach(plan),
                                    .segment_most = listed,
                                    .depth_bias = plan->test.depth_bias,
                                    .precinct_count = count_precincts(v->assembly),
                                    .empty_layer_bytes = count_empty_layer(v->assembly)};
    t1->foresees = foresees(plan);
    t1->passes =
        wvl_cuda_take_place(l, wvl_mul_saturate(v->block_count, WVL_CUDA_T1_MOST_PASSES), sizeof(wvl_cuda_t1_pass));
    t1->gains = wvl_cuda_take_place(l, v->block_count, sizeof(wvl_cuda_t1_gains));
    t1->hull_weights = l->shared + l->tables;
    t1->gain_exponent = plan->rate.gain_exponent;
    t1->block_errors = 0;
    packets->t1_records = 0; /* rate control says what blocks send */
    packets->errors = l->workspace + l->errors;
    job->rate.cuts = wvl_cuda_take_place(l, v->block_count, sizeof(wvl_cuda_rate_cut));
    if (listed) {
        job->rate.segments = wvl_cuda_take_place(l, wvl_mul_saturate(v->block_count, listed), sizeof(uint32_t));
    }
    place_rate_tables(v, l, &t, &job->rate, packets);
    wvl_cuda_set_rate_values(plan, job);
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* Blocks as they are coded take the place of those that the host has listed. */
static void place_regions(const wvl_cuda_coder_view *v, wvl_cuda_coder_places *l, wvl_cuda_t1_job *t1)
{
    tables t = place_tables(v);
    t1->originals = t1->blocks;
    t1->blocks = wvl_cuda_take_place(l, v->block_count, sizeof(wvl_cuda_t1_block));
    t1->lifts = wvl_cuda_take_place(l, v->block_count, sizeof(wvl_cuda_t1_lift));
    t1->copies = wvl_cuda_take_place(l, wvl_cuda_measure_regions(v).copy_bytes, 1);
    t1->regions = l->shared + l->tables + t.regions;
    t1->rects = l->shared + l->tables + t.rects;
}

static uint64_t place(const wvl_cuda_coder_view *v, wvl_cuda_coder_places *l, wvl_cuda_coder_job *job,
                      wvl_cuda_packets_job *packets)
{
    sizes s = measure(v);
    wvl_cuda_t1_job *t1 = &job->t1;
    int chooses = wvl_cuda_chooses_passes(v->plan);
    t1->is_cleared = 1;
    t1->lists = l->shared + l->lists;
    t1->blocks = l->workspace + l->blocks;
    t1->records = wvl_cuda_take_place(l, v->block_count, sizeof(wvl_cuda_t1_record));
    t1->states = wvl_cuda_take_place(l, v->block_count, sizeof(wvl_cuda_t1_state));
    t1->order = wvl_cuda_take_place(l, v->block_count, sizeof(uint32_t));
    t1->items = wvl_cuda_take_place(l, s.items, sizeof(uint32_t));
    packets->blocks = wvl_cuda_take_place(l, v->block_count * v->assembly->layer_count, sizeof(wvl_cuda_packets_block));
    t1->scratch = l->workspace + l->scratch;
    t1->counters = l->workspace + l->counters;
    t1->scratch_units = (uint32_t)wvl_min_u64(l->scratch_bytes / 16, UINT32_MAX);
    t1->block_weights = l->shared + l->weights;
    t1->block_errors = v->plan->rate.rate_control ? l->workspace + l->errors : 0;
    if (wvl_cuda_has_rects(v->plan)) {
        place_regions(v, l, t1);
    }
    packets->t1_blocks = t1->blocks;
    packets->t1_records = t1->records;
    packets->t1_scratch = t1->scratch;
    packets->errors = t1->block_errors;
    packets->unbounded = t1->counters + WVL_CUDA_T1_UNBOUNDED * sizeof(uint32_t);
    if (chooses) {
        place_rate(v, &s, l, job, packets);
    }
    return wvl_add_saturate(s.scratch_bytes, chooses ? s.value_bytes : 0);
}

/* Lists, bytes, hulls and cuts of the blocks that are coded in this round. */
static wvl_cuda_status launch_round(const wvl_device *device, const wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    wvl_cuda_status status = wvl_cuda_t1_launch_lists(&device->t1, &job->t1, route);
    TRY(status, wvl_cuda_t1_launch_mq(&device->t1, &job->t1, route));
    TRY(status, wvl_cuda_t1_launch_hulls(&device->t1, &job->t1, route));
    return status ? status : wvl_cuda_rate_launch(&device->rate, job, route);
}

/* Rounds that nothing asks for are launched too: no host looks at what the first one found. */
static wvl_cuda_status launch_chosen(const wvl_device *device, wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    uint32_t rounds = job->t1.foresees ? WVL_CUDA_RATE_ROUNDS : 1;
    wvl_cuda_status status = wvl_cuda_t1_launch_words(&device->t1, &job->t1, route);
    TRY(status, wvl_cuda_t1_launch_settled(&device->t1, &job->t1, route));
    if (job->t1.foresees) {
        TRY(status, wvl_cuda_rate_foresee(&device->rate, job, route));
    }
    for (job->t1.round = 0; job->t1.round < rounds; job->t1.round++) {
        TRY(status, launch_round(device, job, route));
    }
    return status;
}

static wvl_cuda_status launch(const wvl_device *device, const wvl_cuda_coder_job *job,
                              const wvl_cuda_packets_job *packets, wvl_cuda_route route)
{
    wvl_cuda_status status = wvl_cuda_t1_launch_lifts(&device->t1, &job->t1, route);
    if (!status && job->chooses) {
        wvl_cuda_rate_job rate = job->rate;
        rate.t1 = job->t1;
        rate.packets = *packets;
        return launch_chosen(device, &rate, route);
    }
    TRY(status, wvl_cuda_t1_launch_model(&device->t1, &job->t1, route));
    return status ? status : wvl_cuda_t1_launch_mq(&device->t1, &job->t1, route);
}

const wvl_cuda_coder wvl_cuda_coder_t1 = {.block_bytes = sizeof(wvl_cuda_t1_block),
                                          .counter_count = WVL_CUDA_T1_COUNTERS,
                                          .list_blocks = wvl_cuda_list_t1_blocks,
                                          .pieces = 1,
                                          .streams = WVL_CUDA_SLOW_STREAMS,
                                          .list_count = 1,
                                          .scratch_parts = WVL_CUDA_T1_SCRATCH_PARTS,
                                          .place = place,
                                          .sort = sort,
                                          .measure_tables = measure_tables,
                                          .fill_tables = fill_tables,
                                          .set_values = wvl_cuda_set_rate_values,
                                          .launch = launch,
                                          .measure_wave = wvl_cuda_measure_t1_wave,
                                          .place_wave = wvl_cuda_place_t1_wave,
                                          .build_wave = wvl_cuda_build_t1_wave,
                                          .queue_wave = wvl_cuda_queue_t1_wave,
                                          .settle_wave = wvl_cuda_settle_t1_wave};
