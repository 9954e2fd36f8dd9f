/* SPDX-License-Identifier: BSD-2-Clause */
/* Which blocks are coded on a device, and by which coder. */
#include "cuda/host/coders/region_tables.h"

/* NULL: HT blocks of which everything is sent, or all of a job of waves, are coded on the device. */
static const char *refuse_ht(const wvl_plan *plan)
{
    if (plan->test.all_sets || plan->rate.rdoq || plan->rate.follows_step) {
        return "HT blocks with a target or a limit (bytes, PSNR, slope) are coded on the CPU in jobs of waves";
    }
    return plan->syntax.region_count || plan->syntax.layer_count > 1
               ? "HT blocks with regions or layers are coded on the CPU"
               : NULL;
}

static const char *refuse_t1_waves(const wvl_plan *plan)
{
    if (plan->rate.rdoq) {
        return "blocks with rdoq follow a survey of slopes, which is made on the CPU in jobs of waves";
    }
    return plan->syntax.region_count > UINT16_MAX ? "blocks with more than 65535 regions are coded on the CPU" : NULL;
}

static const char *refuse_picture(const wvl_plan *plan)
{
    if (plan->syntax.layer_count > WVL_CUDA_RATE_MOST_LAYERS) {
        return "pictures of more than 64 layers are coded on the CPU";
    }
    if (plan->syntax.region_count > UINT16_MAX) {
        return "pictures of more than 65535 regions are coded on the CPU";
    }
    for (uint32_t i = 0; i < plan->syntax.layer_count; i++) {
        if (plan->rate.layers[i].kind == WVL_RATE_PSNR) {
            return "a target of PSNR is measured on the CPU";
        }
    }
    return NULL;
}

int wvl_cuda_chooses_passes(const wvl_plan *plan)
{
    int is_limited =
        plan->rate.layers[0].kind != WVL_RATE_ALL || plan->rate.max_bytes || plan->rate.max_component_bytes;
    /* Errors of copies follow from gains. */
    return plan->syntax.layer_count > 1 || is_limited || (plan->rate.rate_control && wvl_cuda_has_rects(plan));
}

const wvl_cuda_coder *wvl_cuda_choose_coder(const wvl_plan *plan, wvl_reach reach, const char **why)
{
    int is_ht = wvl_cuda_is_ht(plan);
    const char *refused;
    const wvl_cuda_coder *coder = is_ht ? &wvl_cuda_coder_sets : &wvl_cuda_coder_t1;
    if (reach == WVL_REACH_PACKETS && (!is_ht || wvl_cuda_chooses_passes(plan))) {
        coder = !is_ht && plan->rate.rdoq ? &wvl_cuda_coder_rdoq : coder;
        refused = refuse_picture(plan);
    } else {
        coder = is_ht ? &wvl_cuda_coder_ht : coder;
        refused = is_ht ? refuse_ht(plan) : refuse_t1_waves(plan);
    }
    *why = refused ? refused : *why;
    return refused ? NULL : coder;
}

/* The pace by how many pictures are in flight: up to `most` of them (D-device-33). */
typedef struct pace_step {
    uint32_t most;
    unsigned pace;
} pace_step;

static const pace_step paces_of_all[] = {
    {2, WVL_CUDA_PACE_FEW}, {4, WVL_CUDA_PACE_MANY}, {12, WVL_CUDA_PACE_SOME}, {UINT32_MAX, WVL_CUDA_PACE_MANY}};
static const pace_step paces_of_chosen[] = {
    {4, WVL_CUDA_PACE_FEW}, {16, WVL_CUDA_PACE_SOME}, {UINT32_MAX, WVL_CUDA_PACE_MANY}};

/* Thresholds that the first round of a target goes deeper: symbols cost little where later rounds are waited for. */
static const uint32_t deeper_rounds[WVL_CUDA_PACES] = {[WVL_CUDA_PACE_FEW] = 512};

unsigned wvl_cuda_find_pace(const wvl_plan *plan, uint32_t in_flight)
{
    const pace_step *step = wvl_cuda_chooses_passes(plan) ? paces_of_chosen : paces_of_all;
    while (in_flight > step->most) {
        step++;
    }
    return step->pace;
}

unsigned wvl_cuda_set_pace(const wvl_device *device, unsigned pace, wvl_cuda_t1_job *t1, wvl_cuda_rate_job *rate)
{
    int has_pairs = device->has_fast_doubles && !t1->is_styled;
    pace = pace == WVL_CUDA_PACE_SOME && !has_pairs ? WVL_CUDA_PACE_MANY : pace; /* pairs are all that differs */
    t1->mq = pace == WVL_CUDA_PACE_MANY ? WVL_CUDA_T1_MQ_FLOATS : WVL_CUDA_T1_MQ_PAIRS;
    if (!device->has_fast_doubles) {
        t1->mq = WVL_CUDA_T1_MQ_INTEGERS;
    }
    /* Each of their warps then has a scheduler for itself. */
    t1->spread = pace == WVL_CUDA_PACE_FEW ? 2 * device->multiprocessors : 0;
    if (rate) {
        rate->deeper = deeper_rounds[pace];
        rate->is_wide = pace == WVL_CUDA_PACE_FEW;
    }
    return pace;
}
