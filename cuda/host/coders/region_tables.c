/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/coders/region_tables.h"

int wvl_cuda_has_rects(const wvl_plan *plan)
{
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        if (plan->syntax.codings[i].region == WVL_REGION_PART) {
            return 1;
        }
    }
    return 0;
}

/* Returns what of the block lies in a rectangle, from its own first sample on. */
static wvl_cuda_t1_rect cut_rect(wvl_rect block, wvl_rect inner)
{
    uint32_t x0 = wvl_max_u32(inner.x0, block.x0), y0 = wvl_max_u32(inner.y0, block.y0),
             x1 = wvl_min_u32(inner.x1, block.x1), y1 = wvl_min_u32(inner.y1, block.y1);
    return (wvl_cuda_t1_rect){(uint16_t)(x0 - block.x0), (uint16_t)(y0 - block.y0), (uint16_t)(x1 - block.x0),
                              (uint16_t)(y1 - block.y0)};
}

/* Adds the rectangles of a block that has both kinds of samples to the list (NULL: they are counted). Returns
 * WVL_CUDA_T1_*. */
static unsigned list_rects(const wvl_cuda_walk_block *b, wvl_cuda_t1_rect *rects, uint32_t *count)
{
    const wvl_cuda_walk_band *in = b->in;
    const wvl_plan *plan = in->view->plan;
    const wvl_tile_component *tc = &in->tile->components[in->component];
    *count = 0;
    if (in->coding->region != WVL_REGION_PART) {
        return WVL_CUDA_T1_NO_REGION;
    }
    for (uint32_t i = 0; i < plan->syntax.region_count; i++) {
        const wvl_region *region = &plan->syntax.regions[i];
        if (!wvl_geom_region_counts(region, in->tile->rect, in->tile->index, in->component)) {
            continue;
        }
        wvl_rect inner = wvl_geom_region_in_band(&plan->syntax.components[in->component], tc, in->band, region->rect);
        if (wvl_rect_covers(inner, b->rect)) {
            return WVL_CUDA_T1_WHOLE;
        }
        if (wvl_rect_touches(inner, b->rect)) {
            if (rects) {
                rects[*count] = cut_rect(b->rect, inner);
            }
            ++*count;
        }
    }
    return *count ? WVL_CUDA_T1_PART : WVL_CUDA_T1_BACKGROUND;
}

unsigned wvl_cuda_find_region(const wvl_cuda_walk_block *block)
{
    uint32_t count;
    return list_rects(block, NULL, &count);
}

typedef struct region_list {
    wvl_cuda_t1_region *regions; /* NULL: sizes alone */
    wvl_cuda_t1_rect *rects;
    wvl_cuda_region_sizes sizes; /* so far */
} region_list;

static void put_region(void *user, uint64_t place, const wvl_cuda_walk_block *b)
{
    region_list *to = user;
    const wvl_coding *coding = b->in->coding;
    uint32_t count;
    unsigned kind = list_rects(b, NULL, &count); /* a later region may cover the block: first all are seen */
    count = kind == WVL_CUDA_T1_PART ? count : 0;
    if (count && to->rects) {
        (void)list_rects(b, to->rects + to->sizes.rects, &count);
    }
    if (to->regions) {
        to->regions[place] =
            (wvl_cuda_t1_region){to->sizes.copy_bytes, (uint32_t)to->sizes.rects, (uint16_t)count, (uint8_t)kind,
                                 coding->region == WVL_REGION_PART ? coding->region_shift : 0};
    }
    to->sizes.rects += count;
    to->sizes.copy_bytes += count ? (uint64_t)b->width * b->height * sizeof(uint32_t) : 0;
}

wvl_cuda_region_sizes wvl_cuda_measure_regions(const wvl_cuda_coder_view *v)
{
    region_list list = {.regions = NULL};
    if (wvl_cuda_has_rects(v->plan)) {
        wvl_cuda_walk_blocks(v, 0, 0, put_region, &list);
    }
    return list.sizes;
}

void wvl_cuda_fill_regions(const wvl_cuda_coder_view *v, wvl_cuda_t1_region *regions, wvl_cuda_t1_rect *rects)
{
    region_list list = {regions, rects, {0, 0}};
    wvl_cuda_walk_blocks(v, 0, 0, put_region, &list);
}
