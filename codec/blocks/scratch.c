/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/blocks/scratch.h"

#include "codec/blocks/choice.h"
#include "codec/blocks/roi.h"
#include "codec/rate/measure.h"
#include "codec/rate/rescale.h"

/* The sizes of the largest block. */
typedef struct worker_sizes {
    unsigned planes;
    size_t coder_bytes, block_bytes;
    uint32_t samples, cells; /* of rdoq */
    size_t sample_bytes;
} worker_sizes;

static worker_sizes measure_worker(const wvl_plan *plan)
{
    worker_sizes s = {.planes = wvl_roi_find_planes(plan)};
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        const wvl_coding *coding = &plan->syntax.codings[i];
        uint32_t width = UINT32_C(1) << coding->xcb, height = UINT32_C(1) << coding->ycb;
        s.coder_bytes =
            wvl_max_u64(s.coder_bytes, wvl_blocks_choose_coder(plan)->scratch_bytes(width, height, s.planes));
        s.block_bytes =
            wvl_max_u64(s.block_bytes, wvl_blocks_bound_bytes(plan, width, height, s.planes, coding->style));
        s.samples = wvl_max_u32(s.samples, width * height);
        s.cells = wvl_max_u32(s.cells, wvl_rdoq_area(width, height));
        for (unsigned b = 0; b < 3u * coding->levels + 1u; b++) {
            s.sample_bytes = wvl_max_u64(s.sample_bytes, coding->band[b].coef_bytes);
        }
    }
    return s;
}

void wvl_blocks_carve_scratch(const wvl_plan *plan, wvl_carver *carver, wvl_block_scratch *scratch)
{
    const wvl_block_coder *coder = wvl_blocks_choose_coder(plan);
    worker_sizes s = measure_worker(plan);
    scratch->coder_bytes = s.coder_bytes;
    scratch->coder = wvl_carve(carver, 1, s.coder_bytes);
    for (unsigned i = 0; i < coder->seats; i++) {
        scratch->bytes[i] = wvl_carve(carver, 1, s.block_bytes);
        scratch->passes[i] = wvl_carve(carver, coder->passes_bound(s.planes), sizeof *scratch->passes[i]);
        scratch->copies[i] = wvl_carve(carver, wvl_roi_count_samples(plan), sizeof *scratch->copies[i]);
    }
    scratch->hulls = wvl_carve(carver, coder->seats, sizeof *scratch->hulls);
    uint8_t *levels = wvl_carve(carver, plan->rate.rdoq ? s.cells : 0, sizeof *levels); /* of one block at a time */
    int8_t *fractions = wvl_carve(carver, plan->rate.rdoq ? s.cells : 0, sizeof *fractions);
    uint64_t copy_bytes = plan->rate.rdoq
                              ? s.samples * s.sample_bytes + 64
                              : wvl_rescale_samples(plan) * sizeof(uint32_t); /* not in the same sets of the cache */
    for (unsigned i = 0; i < coder->seats; i++) {
        scratch->rdoq[i] = (wvl_rdoq){wvl_rdoq_fetch_kernels(), wvl_carve(carver, copy_bytes, 1), levels, fractions,
                                      wvl_rate_reach(plan) < 65536};
    }
}
