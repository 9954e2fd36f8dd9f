/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT blocks of jobs of whole pictures. */
#include "cuda/blocks/t1_launch.h"
#include "cuda/blocks/t1_model.h"
#include "cuda/host/block_walk.h"
#include "cuda/host/code.h"
#include "cuda/host/coder.h"
#include "cuda/host/layout.h"

#define PASSES_ALL 255u

/* ---- Plans ----------------------------------------------------------------------------------- */

static int can_code(const wvl_plan *plan, const char **why)
{
    if (plan->syntax.region_count || plan->syntax.layer_count > 1) {
        *why = "blocks with regions or layers are coded on the CPU in this version";
        return 0;
    }
    if (plan->rate.layers[0].kind != WVL_RATE_ALL || plan->rate.max_bytes || plan->rate.max_component_bytes ||
        plan->rate.rdoq) {
        *why = "blocks with a target or a limit (bytes, PSNR, slope) are coded on the CPU in this version";
        return 0;
    }
    return 1;
}

/* Blocks of a picture are all HT, or none is. */
const wvl_cuda_coder *wvl_cuda_choose_coder(const wvl_plan *plan, const char **why)
{
    if (plan->syntax.codings[0].style & WVL_STYLE_HT) {
        return wvl_cuda_can_code_blocks(plan, why) ? &wvl_cuda_coder_ht : NULL;
    }
    return can_code(plan, why) ? &wvl_cuda_coder_t1 : NULL;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* A block of the band, of the shape of its slot: none is larger. */
static wvl_cuda_t1_block describe_slot(const wvl_tile_band *band, const wvl_coding *coding)
{
    return (wvl_cuda_t1_block){.stride = band->slot_width,
                               .width = (uint16_t)band->slot_width,
                               .height = (uint16_t)band->slot_height,
                               .coef_bytes = band->coef_bytes,
                               .frac_bits = band->frac_bits,
                               .orient = band->orient,
                               .style = (uint8_t)coding->style,
                               .planes = band->planes,
                               .max_passes = PASSES_ALL,
                               .reversible = coding->reversible};
}

typedef struct sizes {
    uint64_t scratch_bytes, items;
} sizes;

static void measure_band(void *user, const wvl_cuda_walk_band *at)
{
    sizes *s = user;
    wvl_cuda_t1_block slot = describe_slot(at->band, at->coding);
    s->scratch_bytes =
        wvl_add_saturate(s->scratch_bytes, wvl_mul_saturate(at->count, wvl_cuda_t1_measure_scratch(&slot)));
    s->items += at->count * slot.planes;
}

static void place(const wvl_cuda_coder_view *v, wvl_cuda_coder_layout *l, uint64_t *end)
{
    sizes s = {0, 0};
    wvl_cuda_walk_bands(v->plan, v->tiles, v->tile_count, 0, 0, measure_band, &s);
    l->records = wvl_cuda_place(end, v->block_count, sizeof(wvl_cuda_t1_record));
    l->states = wvl_cuda_place(end, v->block_count, sizeof(wvl_cuda_t1_state));
    l->order = wvl_cuda_place(end, v->block_count, sizeof(uint32_t));
    l->items = wvl_cuda_place(end, s.items, sizeof(uint32_t));
    l->sent = wvl_cuda_place(end, v->block_count, sizeof(wvl_cuda_packets_block));
    l->scratch_bytes = s.scratch_bytes;
    l->scratch = wvl_cuda_place(end, l->scratch_bytes, 1);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void put_block(void *user, uint64_t index, const wvl_cuda_walk_block *from)
{
    wvl_cuda_t1_block *b = (wvl_cuda_t1_block *)user + index;
    *b = describe_slot(from->band, from->coding);
    b->coefs = from->coefs;
    b->bound = from->bound;
    b->width = from->width;
    b->height = from->height;
}

static void list_blocks(const wvl_cuda_coder_view *v, uint64_t coefs, uint64_t bounds, void *blocks)
{
    wvl_cuda_walk_blocks(v->plan, v->tiles, v->tile_count, coefs, bounds, put_block, blocks);
}

static void sort(const void *blocks, uint32_t count, uint32_t *lists, wvl_cuda_coder_job *job)
{
    wvl_cuda_t1_sort(blocks, count, lists, &job->t1);
}

static void set_job(const wvl_cuda_coder_layout *l, wvl_cuda_address slot, wvl_cuda_address shared, int wants_errors,
                    wvl_cuda_coder_job *job, wvl_cuda_packets_job *packets)
{
    wvl_cuda_t1_job *t1 = &job->t1;
    t1->is_cleared = 1;
    t1->lists = shared + l->lists;
    t1->blocks = slot + l->blocks;
    t1->states = slot + l->states;
    t1->records = slot + l->records;
    t1->order = slot + l->order;
    t1->items = slot + l->items;
    t1->scratch = slot + l->scratch;
    t1->counters = slot + l->counters;
    t1->scratch_units = (uint32_t)wvl_min_u64(l->scratch_bytes / 16, UINT32_MAX);
    t1->block_weights = shared + l->weights;
    t1->block_errors = wants_errors ? slot + l->errors : 0;
    packets->blocks = slot + l->sent;
    packets->t1_blocks = t1->blocks;
    packets->t1_records = t1->records;
    packets->t1_scratch = t1->scratch;
    packets->errors = t1->block_errors;
    packets->unbounded = t1->counters + WVL_CUDA_T1_UNBOUNDED * sizeof(uint32_t);
}

static wvl_cuda_status launch(const wvl_device *device, const wvl_cuda_coder_job *job, wvl_cuda_stream stream)
{
    wvl_cuda_status status = wvl_cuda_t1_launch_model(&device->t1_model, &job->t1, stream);
    return status ? status : wvl_cuda_t1_launch_mq(&device->t1, &job->t1, stream);
}

const wvl_cuda_coder wvl_cuda_coder_t1 = {.block_bytes = sizeof(wvl_cuda_t1_block),
                                          .counter_count = WVL_CUDA_T1_COUNTERS,
                                          .pieces = 1,
                                          .place = place,
                                          .list_blocks = list_blocks,
                                          .sort = sort,
                                          .set_job = set_job,
                                          .launch = launch};
