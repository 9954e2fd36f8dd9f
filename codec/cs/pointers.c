/* SPDX-License-Identifier: BSD-2-Clause */
/* TLM, SOT, PLT, PLM, PPM, PPT, SOD, EOC: everything that depends on how long the packets became (D-cs-02, D-cs-03). */
#include "codec/cs/cs.h"
#include "codec/cs/marker.h"

#define MAX_SEGMENTS 256u /* Ztlm and Zplt: 0..255 */
#define NARROW_TILES 255u /* an 8-bit Ttlm names tiles 0..254 (Table A.34) */
#define STLM_INDEX_8 0x10u
#define STLM_INDEX_16 0x20u
#define STLM_LENGTH_32 0x40u
#define TLM_FIXED_BYTES 4u /* Ltlm, Ztlm, Stlm */
#define PLT_FIXED_BYTES 3u /* Lplt, Zplt */
#define PLT_DATA_BYTES (WVL_CS_MAX_SEGMENT_BYTES - PLT_FIXED_BYTES)

/* ---- TLM (A.7.1) ----------------------------------------------------------------------------- */

typedef struct tlm_run {
    const wvl_cs_part *parts; /* NULL: lengths not known yet */
    uint32_t count;
    unsigned index; /* Ztlm */
    int wide;       /* 16-bit tile indices */
} tlm_run;

static int has_wide_tiles(const wvl_plan *plan) { return plan->syntax.tile_count > NARROW_TILES; }

static uint32_t tlm_capacity(const wvl_plan *plan)
{
    return (WVL_CS_MAX_SEGMENT_BYTES - TLM_FIXED_BYTES) / (has_wide_tiles(plan) ? 6u : 5u);
}

static void put_tlm(wvl_cursor *c, const void *arg)
{
    const tlm_run *run = arg;
    wvl_cursor_put_u8(c, run->index);
    wvl_cursor_put_u8(c, (run->wide ? STLM_INDEX_16 : STLM_INDEX_8) | STLM_LENGTH_32);
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t tile = run->parts ? run->parts[i].tile : 0, length = run->parts ? (uint32_t)run->parts[i].psot : 0;
        if (run->wide) {
            wvl_cursor_put_u16(c, tile);
        } else {
            wvl_cursor_put_u8(c, tile);
        }
        wvl_cursor_put_u32(c, length);
    }
}

int wvl_cs_tlm_fits(const wvl_plan *plan, uint64_t part_count)
{
    return !plan->syntax.tlm || part_count <= (uint64_t)MAX_SEGMENTS * tlm_capacity(plan);
}

static void put_part_lengths(wvl_cursor *c, const wvl_plan *plan, const wvl_cs_part *parts, uint64_t part_count)
{
    uint32_t capacity = tlm_capacity(plan);
    if (!plan->syntax.tlm || !wvl_cs_tlm_fits(plan, part_count)) {
        return;
    }
    for (uint64_t first = 0; first < part_count; first += capacity) {
        tlm_run run = {parts ? parts + first : NULL, (uint32_t)wvl_min_u64(part_count - first, capacity),
                       (unsigned)(first / capacity), has_wide_tiles(plan)};
        wvl_cs_put_segment(c, WVL_MARKER_TLM, put_tlm, &run);
    }
}

uint64_t wvl_cs_measure_part_lengths(const wvl_plan *plan, uint64_t part_count)
{
    wvl_cursor c = {NULL, 0};
    put_part_lengths(&c, plan, NULL, part_count);
    return c.bytes;
}

uint8_t *wvl_cs_put_part_lengths(const wvl_plan *plan, const wvl_cs_part *parts, uint64_t part_count, uint8_t *p)
{
    wvl_cursor c = {p, 0};
    put_part_lengths(&c, plan, parts, part_count);
    return c.at;
}

uint64_t wvl_cs_part_length_at(const wvl_plan *plan, uint64_t index)
{
    uint64_t capacity = tlm_capacity(plan), entry = has_wide_tiles(plan) ? 6 : 5, head = 2 + TLM_FIXED_BYTES;
    return index / capacity * (head + capacity * entry) + head + (index % capacity + 1) * entry - 4;
}

/* ---- PLT (A.7.3) ----------------------------------------------------------------------------- */

typedef struct plt_run {
    const uint32_t *packet_bytes;
    uint32_t count;
    unsigned index; /* Zplt */
} plt_run;

/* Bytes of one Iplt: 7 bits each, so 1 to 5. */
static unsigned iplt_bytes(uint32_t length)
{
    return 1u + (length >= 1u << 7) + (length >= 1u << 14) + (length >= 1u << 21) + (length >= 1u << 28);
}

static void put_length(wvl_cursor *c, uint32_t length)
{
    for (unsigned left = iplt_bytes(length); left--;) {
        wvl_cursor_put_u8(c, (left ? 0x80u : 0u) | (length >> (7 * left) & 0x7Fu));
    }
}

static void put_plt(wvl_cursor *c, const void *arg)
{
    const plt_run *run = arg;
    wvl_cursor_put_u8(c, run->index);
    for (uint32_t i = 0; i < run->count; i++) {
        put_length(c, run->packet_bytes[i]);
    }
}

uint64_t wvl_cs_measure_lengths(const uint32_t *packet_bytes, uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += iplt_bytes(packet_bytes[i]);
    }
    return bytes;
}

uint8_t *wvl_cs_put_length(uint32_t packet_bytes, uint8_t *p)
{
    wvl_cursor c = {p, 0};
    put_length(&c, packet_bytes);
    return c.at;
}

/* Packets of the next marker segment: as many whole lengths as it holds. */
static uint32_t plt_segment_packets(const uint32_t *packet_bytes, uint32_t count)
{
    uint32_t used = 0, n = 0;
    while (n < count && used + iplt_bytes(packet_bytes[n]) <= PLT_DATA_BYTES) {
        used += iplt_bytes(packet_bytes[n++]);
    }
    return n;
}

int wvl_cs_plt_fits(const wvl_plan *plan, const wvl_cs_part *part, const uint32_t *tile_packet_bytes)
{
    if (!plan->syntax.plt || part->packet_count <= MAX_SEGMENTS * (PLT_DATA_BYTES / 5)) {
        return 1;
    }
    uint32_t segments = 0;
    for (uint32_t i = 0; i < part->packet_count; segments++) {
        i += plt_segment_packets(tile_packet_bytes + part->packet_first + i, part->packet_count - i);
    }
    return segments <= MAX_SEGMENTS;
}

/* ---- PLM (A.7.2) ----------------------------------------------------------------------------- */

uint32_t wvl_cs_plm_segment_bytes(const wvl_cs_part *parts, uint64_t part_count, uint64_t *taken)
{
    uint32_t bytes = 0;
    for (*taken = 0; *taken < part_count; ++*taken) {
        uint32_t entry = 1u + parts[*taken].length_bytes;
        if (bytes + entry > WVL_CS_SEGMENT_DATA_BYTES) {
            break;
        }
        bytes += entry;
    }
    return bytes;
}

uint64_t wvl_cs_measure_plm(const wvl_cs_part *parts, uint64_t part_count)
{
    uint64_t bytes = 0, segments = 0, taken;
    for (uint64_t i = 0; i < part_count; i++) {
        if (parts[i].length_bytes > WVL_CS_MAX_NPLM) {
            return UINT64_MAX;
        }
    }
    for (uint64_t first = 0; first < part_count; first += taken, segments++) {
        bytes += WVL_CS_SEGMENT_HEAD_BYTES + wvl_cs_plm_segment_bytes(parts + first, part_count - first, &taken);
    }
    return segments <= MAX_SEGMENTS ? bytes : UINT64_MAX;
}

/* ---- PPM, PPT (A.7.4, A.7.5) ----------------------------------------------------------------- */

uint64_t wvl_cs_measure_packed(uint64_t data_bytes)
{
    return data_bytes + WVL_CS_SEGMENT_HEAD_BYTES * wvl_cs_packed_segments(data_bytes);
}

uint64_t wvl_cs_packed_segments(uint64_t data_bytes) { return wvl_ceil_div(data_bytes, WVL_CS_SEGMENT_DATA_BYTES); }

uint8_t *wvl_cs_put_segment_head(wvl_cs_pointer kind, unsigned index, uint32_t data_bytes, uint8_t *p)
{
    static const uint16_t markers[] = {WVL_MARKER_PLM, WVL_MARKER_PPM, WVL_MARKER_PPT};
    p = wvl_put_u16(p, markers[kind]);
    p = wvl_put_u16(p, data_bytes + 3);
    return wvl_put_u8(p, index);
}

/* ---- Tile-part header (A.4.2) and the end ---------------------------------------------------- */

static void put_part(wvl_cursor *c, const void *arg)
{
    const wvl_cs_part *part = arg;
    wvl_cursor_put_u16(c, part->tile);
    wvl_cursor_put_u32(c, (uint32_t)part->psot);
    wvl_cursor_put_u8(c, part->index);
    wvl_cursor_put_u8(c, part->count);
}

static void put_part_header(wvl_cursor *c, const wvl_plan *plan, const wvl_cs_part *part,
                            const uint32_t *tile_packet_bytes)
{
    wvl_cs_put_segment(c, WVL_MARKER_SOT, put_part, part);
    if (!part->index) {
        wvl_cs_put_tile_codings(c, plan, part->tile);
        wvl_cs_put_progressions(c, plan, part->tile);
    }
    if (plan->syntax.plt && wvl_cs_plt_fits(plan, part, tile_packet_bytes)) {
        plt_run run = {tile_packet_bytes + part->packet_first, 0, 0};
        for (uint32_t left = part->packet_count; left; left -= run.count) {
            run.count = plt_segment_packets(run.packet_bytes, left);
            wvl_cs_put_segment(c, WVL_MARKER_PLT, put_plt, &run);
            run.packet_bytes += run.count;
            run.index++;
        }
    }
    wvl_cursor_put_u16(c, WVL_MARKER_SOD);
}

uint64_t wvl_cs_measure_part_header(const wvl_plan *plan, const wvl_cs_part *part, const uint32_t *tile_packet_bytes)
{
    wvl_cursor c = {NULL, 0};
    put_part_header(&c, plan, part, tile_packet_bytes);
    return c.bytes;
}

uint8_t *wvl_cs_put_part_header(const wvl_plan *plan, const wvl_cs_part *part, const uint32_t *tile_packet_bytes,
                                uint8_t *p)
{
    wvl_cursor c = {p, 0};
    put_part_header(&c, plan, part, tile_packet_bytes);
    return c.at;
}

uint64_t wvl_cs_measure_tile_segments(const wvl_plan *plan, uint32_t tile)
{
    wvl_cursor c = {NULL, 0};
    wvl_cs_put_tile_codings(&c, plan, tile);
    wvl_cs_put_progressions(&c, plan, tile);
    return c.bytes;
}

/* Psot < 2^32 leaves room for 15 packets of 2^28 bytes or more, whose Iplt has five bytes; all others have at most
 * four. A length never straddles, so every marker segment but the last carries at least PLT_DATA_BYTES - 4. */
uint64_t wvl_cs_bound_part_header(const wvl_plan *plan, uint64_t packet_count)
{
    if (!plan->syntax.plt || !packet_count) {
        return WVL_CS_SOT_SOD_BYTES;
    }
    uint64_t data = wvl_add_saturate(wvl_mul_saturate(packet_count, 4), wvl_min_u64(packet_count, 15));
    uint64_t segments = wvl_ceil_div(data, PLT_DATA_BYTES - 4);
    return wvl_add_saturate(WVL_CS_SOT_SOD_BYTES, wvl_add_saturate(data, segments * (2 + PLT_FIXED_BYTES)));
}

uint8_t *wvl_cs_put_end(uint8_t *p) { return wvl_put_u16(p, WVL_MARKER_EOC); }
