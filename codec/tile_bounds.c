/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/roi.h"
#include "codec/blocks/choice.h"
#include "codec/tile_coder.h"

/* Coding segments and POC of the tile, PLM, PPM and PPT beyond what they take from elsewhere: lengths of at most five bytes, an entry and a segment for every
 * tile-part, and segments that hold 65277 bytes or more. */
static uint64_t bound_pointers(const wvl_plan *plan, uint32_t tile, uint64_t packets, uint64_t headers)
{
    uint64_t parts = plan->parts ? WVL_CS_MAX_PARTS_PER_TILE : 1, bytes = wvl_cs_measure_tile_segments(plan, tile);
    if (plan->plm) {
        uint64_t entries = wvl_add_saturate(wvl_mul_saturate(packets, 5), parts);
        bytes = wvl_add_saturate(bytes, wvl_add_saturate(entries, 5 * (1 + entries / 65277)));
    }
    if (plan->packed_headers) {
        bytes = wvl_add_saturate(bytes, 9 * parts + 5 * (1 + headers / 65532));
    }
    return bytes;
}

/* With what pieces up to `piece` bytes leave behind where they do not fit: less than a piece for every span. */
static uint64_t add_gaps(uint64_t kept, uint64_t piece, uint64_t span)
{
    return wvl_add_saturate(kept, 2 * piece < span ? wvl_mul_saturate(kept / (span - piece) + 1, piece) : kept);
}

void wvl_coder_bound_tile(const wvl_plan *plan, const wvl_tile_plan *tile, uint64_t nodes, uint64_t span, wvl_coder_memory *memory)
{
    const wvl_block_coder *coder = wvl_blocks_choose_coder(plan);
    uint64_t codewords = 0, kept = 0, piece = 0, block_headers = 0, index = 0, layers_of_block = wvl_min_u32(plan->layer_count, 109);
    for (uint32_t c = 0; c < tile->component_count; c++) {
        const wvl_tile_component *tc = &tile->components[c];
        const wvl_coding *coding = &plan->codings[tc->coding];
        const wvl_tile_band *band = &tile->bands[tile->resolutions[tc->first_resolution].first_band], *end = band + 3u * tc->levels + 1u;
        for (; band < end; band++) {
            uint64_t n = (uint64_t)band->block_cols * band->block_rows;
            unsigned planes = wvl_roi_count_planes(coding, band->planes);
            codewords = wvl_add_saturate(codewords, wvl_mul_saturate(n, coder->bytes_bound(band->slot_width, band->slot_height, planes, coding->style)));
            uint64_t block = wvl_blocks_bound_bytes(plan, band->slot_width, band->slot_height, planes, coding->style);
            kept = wvl_add_saturate(kept, wvl_mul_saturate(n, block + wvl_block_passes_bytes(coder->passes_bound(planes), plan->rate_control) + 8));
            piece = wvl_max_u64(piece, block + 8);
            block_headers += n * layers_of_block * (wvl_t2_header_bound(1, 0, coding->style, 1) + 1);
            index += n * layers_of_block * sizeof(wvl_contribution);
        }
    }
    uint64_t stored = add_gaps(kept, piece, span), packets = wvl_mul_saturate(tile->precinct_count, plan->layer_count);
    stored = wvl_depth_is_possible(plan) ? wvl_mul_saturate(stored, 3) : stored; /* blocks that were left too early are stored again */
    uint64_t headers = wvl_add_saturate(block_headers + nodes / 2 * (plan->layer_count + 40ull) / 7, wvl_mul_saturate(packets, 4));
    /* Growing arrays may hold three halves of what they need, and old and new at once while they grow. */
    uint64_t growing = wvl_add_saturate(headers, index), part_headers = wvl_cs_bound_part_header(plan, packets) + wvl_cs_measure_tile_segments(plan, tile->index);
    growing = growing > UINT64_MAX / 5 ? UINT64_MAX : 5 * growing / 2;
    memory->coded_bytes_bound = wvl_add_saturate(memory->coded_bytes_bound, wvl_add_saturate(stored, growing));
    memory->coded_bytes_bound = wvl_add_saturate(memory->coded_bytes_bound, part_headers);
    uint64_t markers = wvl_mul_saturate(packets, wvl_packet_marker_bytes(tile->sop, tile->eph));
    uint64_t output = wvl_add_saturate(wvl_add_saturate(codewords, headers), markers);
    output = wvl_add_saturate(output, part_headers);
    output = wvl_add_saturate(output, bound_pointers(plan, tile->index, packets, wvl_add_saturate(headers, markers)));
    memory->output_bytes_bound = wvl_add_saturate(memory->output_bytes_bound, wvl_add_saturate(output, plan->parts ? 255u * 14u : 14u));
}
