/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/blocks/prepare.h"

#include "codec/rate/rescale.h"

wvl_block_input wvl_prepare_describe(const wvl_plan *plan, const wvl_block_order *order, const wvl_coefs *coefs,
                                     const wvl_block_range *range, uint32_t block, const void *kernels)
{
    const wvl_tile_plan *tile = coefs->tile;
    const wvl_tile_band *band = &tile->bands[range->band];
    const wvl_coding *coding = &order->codings[tile->components[range->component].coding];
    wvl_rect rect = wvl_geom_block_rect(band, block % band->block_cols, block / band->block_cols);
    wvl_block_input in = {0};
    in.coefs = coefs->samples + wvl_coef_cell(band, block);
    in.stride = band->cell_width;
    in.width = (uint16_t)wvl_rect_width(rect);
    in.height = (uint16_t)wvl_rect_height(rect);
    in.coef_bytes = band->coef_bytes;
    in.frac_bits = band->frac_bits;
    in.orient = band->orient;
    in.style = coding->style;
    in.reversible = coding->reversible;
    in.want_gains = plan->rate.rate_control;
    in.max_passes = 255;
    in.all_sets = plan->test.all_sets;
    in.set_passes = plan->rate.ht_passes;
    in.kernels = kernels;
    in.bound = coefs->bounds[band->first_block + block];
    return in;
}

int wvl_prepare_is_bounded(const wvl_coefs *coefs, const wvl_block_range *range, const wvl_block_input *in)
{
    return wvl_bit_length(in->bound >> in->frac_bits) <= coefs->tile->bands[range->band].planes;
}

void wvl_prepare_block(const wvl_plan *plan, const wvl_block_order *order, const wvl_coefs *coefs,
                       const wvl_block_range *range, uint32_t block, uint32_t slope, const wvl_prepare_room *room,
                       wvl_block_input *in, wvl_prepared *prepared)
{
    const wvl_tile_plan *tile = coefs->tile;
    const wvl_tile_band *band = &tile->bands[range->band];
    uint32_t coding = tile->components[range->component].coding;
    prepared->band = &order->codings[coding].band[band->coding_band];
    prepared->error = (wvl_rdoq_error){0, 0};
    prepared->is_changed = 0;
    wvl_roi_block(plan, tile, range->component, band, block, in, room->copy, &prepared->lift);
    if (order->factors) {
        wvl_rescale_change(order->factors[coding][band->coding_band], order->first_set, room->rdoq->samples, in);
    }
    if (plan->rate.rdoq) {
        prepared->error = wvl_rdoq_change(room->rdoq, in, prepared->band, slope);
        prepared->is_changed = in->coefs == room->rdoq->samples || in->max_passes < 255;
    }
}
