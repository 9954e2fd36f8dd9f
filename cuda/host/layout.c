/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/layout.h"

#include "base/intmath.h"
#include "cuda/color/color.h"
#include "cuda/dwt/tables.h"
#include "cuda/host/deliver.h"
#include "cuda/host/runtime_table.h"
#include "cuda/host/staging.h"

static uint64_t place(uint64_t *end, uint64_t count, uint64_t size)
{
    uint64_t at = *end;
    *end = wvl_add_saturate(at, wvl_mul_saturate(count, size));
    *end = *end > UINT64_MAX - 256 ? UINT64_MAX : wvl_align_up(*end, 256);
    return at;
}

wvl_cuda_layout wvl_cuda_build_layout(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                                      int any_shape, uint64_t head_bytes)
{
    wvl_cuda_layout l = {0};
    wvl_cuda_tables t = {0};
    wvl_cuda_table_options options = {.any_shape = any_shape};
    wvl_cuda_build_tables(plan, tiles, tile_count, &options, NULL, &t);
    uint64_t end = 0, host = 0;
    l.splits = place(&end, t.split_count, sizeof(wvl_cuda_split));
    l.parcels = place(&end, wvl_cuda_build_parcels(tiles, tile_count, 0, 0, 0, NULL), sizeof(wvl_cuda_parcel));
    l.color = place(&end, plan->syntax.xyz.kind != WVL_XYZ_NONE, sizeof(wvl_cuda_color));
    l.items = place(&end, t.item_count, sizeof(wvl_cuda_item));
    l.staging = place(&end, wvl_cuda_measure_staging(plan, tiles, tile_count), 1);
    l.bounds = place(&end, t.block_count + 1 + t.flag_count, sizeof(uint32_t)); /* cleared together */
    l.outside = l.bounds + t.block_count * sizeof(uint32_t);
    l.flags = l.outside + sizeof(uint32_t);
    l.coefs = place(&end, t.coef_bytes, 1);
    l.down_end = end;
    l.planes = place(&end, t.plane_bytes, 1);
    l.converted = place(&end, wvl_cuda_measure_color(plan, wvl_cuda_fetch_rect(tiles, tile_count, 0)), 1);
    l.device_end = end;
    (void)place(&host, 1, head_bytes);
    l.launches = place(&host, t.launch_count, sizeof(wvl_cuda_launch));
    l.fronts = place(&host, tile_count, plan->syntax.component_count * sizeof(uint32_t));
    l.host_coefs = place(&host, tile_count, sizeof(wvl_coefs));
    l.host_pixels = place(&host, plan->syntax.component_count, sizeof(wvl_cuda_pixels));
    l.host_copies = place(&host, plan->syntax.component_count, sizeof(wvl_cuda_copy));
    l.host_end = host;
    return l;
}
