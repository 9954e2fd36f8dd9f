/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the codestream. It decides nothing: all lengths were measured before. */
#include "codec/write/writer.h"

#include "base/bytes.h"
#include "base/try.h"
#include "codec/write/lengths.h"

#define PIECES_OF_A_LOOK 1024u

/* ---- Bytes ----------------------------------------------------------------------------------- */

static void put_bytes(wvl_coder_output *out, const void *data, uint64_t bytes)
{
    if (!out->refused && bytes) {
        out->refused = out->put(out->user, data, (size_t)bytes);
    }
}

/* PPM or PPT in the making: content comes in any portions, heads go between. */
typedef struct packer {
    wvl_coder_output *out;
    wvl_cs_pointer kind;
    unsigned index; /* of the next marker segment */
    uint64_t left;  /* content to come */
    uint32_t room;  /* in the marker segment at hand */
} packer;

static void pack(packer *k, const void *data, uint64_t bytes)
{
    const uint8_t *from = data;
    while (bytes) {
        if (!k->room) {
            uint8_t head[WVL_CS_SEGMENT_HEAD_BYTES];
            k->room = (uint32_t)wvl_min_u64(k->left, WVL_CS_SEGMENT_DATA_BYTES);
            (void)wvl_cs_put_segment_head(k->kind, k->index++, k->room, head);
            put_bytes(k->out, head, sizeof head);
        }
        uint32_t n = (uint32_t)wvl_min_u64(bytes, k->room);
        put_bytes(k->out, from, n);
        from += n;
        bytes -= n;
        k->room -= n;
        k->left -= n;
    }
}

static const uint8_t eph_marker[2] = {0xFF, 0x92};

static wvl_packet_span fetch(const wvl_coder *coder, uint32_t tile, uint64_t packet, uint64_t piece)
{
    const wvl_packet_source *source = &coder->layer_job.packets;
    return source->fetch(source->self, tile, packet, piece);
}

static void pack_header(const wvl_coder *coder, uint32_t tile, uint64_t packet, packer *k)
{
    wvl_packet_span header = fetch(coder, tile, packet, 0);
    pack(k, header.data, header.bytes);
    pack(k, eph_marker, coder->tiles[tile].eph ? sizeof eph_marker : 0);
}

void wvl_coder_put_packet(const wvl_coder *coder, uint32_t tile, uint64_t packet, uint32_t number,
                          wvl_coder_output *out)
{
    if (coder->tiles[tile].sop) {
        uint8_t sop[6] = {0xFF, 0x91, 0, 4, (uint8_t)(number >> 8), (uint8_t)number};
        put_bytes(out, sop, sizeof sop);
    }
    if (!coder->plan->syntax.packed_headers) {
        wvl_packet_span header = fetch(coder, tile, packet, 0);
        put_bytes(out, header.data, header.bytes);
        put_bytes(out, eph_marker, coder->tiles[tile].eph ? sizeof eph_marker : 0);
    }
    uint64_t piece = 1;
    for (wvl_packet_span body; (body = fetch(coder, tile, packet, piece)).data; piece++) {
        put_bytes(out, body.data, body.bytes);
        wvl_look_rest(coder->look);
        if (piece % PIECES_OF_A_LOOK == 0 && wvl_look_after(coder->look, WVL_LOOK_LIST, PIECES_OF_A_LOOK)) {
            return;
        }
    }
}

typedef struct tile_output {
    wvl_coder *coder;
    const wvl_tile_plan *tile;
    uint32_t *packets;  /* in order: their lengths for PLT, or, with PPT, their numbers (the two exclude each other) */
    unsigned ppt_index; /* of the tile's next marker segment */
    wvl_coder_output *out;
} tile_output;

/* SOD ends the header; PPT goes before it. */
static wvl_status put_part_header(tile_output *t, const wvl_cs_part *part)
{
    const wvl_coder *coder = t->coder;
    uint64_t bytes = wvl_cs_measure_part_header(coder->plan, part, t->packets);
    uint8_t small[64], *header = bytes <= sizeof small ? small : wvl_alloc(coder->allocator, bytes);
    if (!header) {
        return WVL_ERROR_MEMORY;
    }
    (void)wvl_cs_put_part_header(coder->plan, part, t->packets, header);
    put_bytes(t->out, header, bytes - WVL_CS_SOD_BYTES);
    if (coder->plan->syntax.packed_headers == WVL_PACKED_PPT) {
        packer k = {t->out, WVL_CS_PPT, t->ppt_index, part->header_bytes, 0};
        for (uint32_t i = 0; i < part->packet_count && !wvl_look_after(coder->look, WVL_LOOK_LENGTHS, 1); i++) {
            pack_header(coder, t->tile->index, t->packets[part->packet_first + i], &k);
        }
        t->ppt_index = k.index;
    }
    put_bytes(t->out, header + bytes - WVL_CS_SOD_BYTES, WVL_CS_SOD_BYTES);
    if (header != small) {
        wvl_free(coder->allocator, header, bytes);
    }
    return WVL_OK;
}

static wvl_status put_tile(tile_output *t, const wvl_order_memory *memory, const wvl_cs_part *parts)
{
    wvl_coder *coder = t->coder;
    wvl_packet_order order;
    wvl_packet_id id;
    uint32_t n = 0, listed = 0;
    const wvl_plan *plan = coder->plan;
    wvl_order_open(&order, plan, t->tile, memory);
    while ((plan->syntax.plt || plan->syntax.packed_headers == WVL_PACKED_PPT) && wvl_order_next(&order, &id) &&
           !wvl_look_after(coder->look, WVL_LOOK_LENGTHS, 1)) {
        uint64_t packet = wvl_coder_number_packet(coder, t->tile->index, &id);
        t->packets[listed++] =
            (uint32_t)(plan->syntax.plt ? wvl_coder_packet_bytes(coder, t->tile->index, packet) : packet);
    }
    if (wvl_look_is_over(coder->look)) {
        return WVL_CANCELLED; /* the list may not be complete */
    }
    wvl_order_open(&order, coder->plan, t->tile, memory);
    for (uint32_t p = 0; p < parts->count; p++) {
        wvl_status status = put_part_header(t, &parts[p]);
        for (uint32_t i = 0; i < parts[p].packet_count && status == WVL_OK &&
                             !wvl_look_after(coder->look, WVL_LOOK_WRITE, 1) && wvl_order_next(&order, &id);
             i++) {
            wvl_coder_put_packet(coder, t->tile->index, wvl_coder_number_packet(coder, t->tile->index, &id), n++,
                                 t->out);
        }
        if (status != WVL_OK || t->out->refused) {
            return status != WVL_OK ? status : WVL_ERROR_SINK;
        }
        if (wvl_look_is_over(coder->look)) {
            return WVL_CANCELLED;
        }
    }
    return WVL_OK;
}

/* ---- Bytes of the main header ---------------------------------------------------------------- */

/* Entries of PLM or PPM for the parts of one tile. PLM: entries stay whole, and part_at is the part that a marker
 * segment begins with. */
typedef struct main_pointers {
    packer packer;
    uint64_t part_at;    /* of all parts */
    uint64_t in_segment; /* parts that the PLM marker segment at hand still takes */
} main_pointers;

static void start_plm_entry(const wvl_coder *coder, main_pointers *m)
{
    if (!m->in_segment) {
        m->packer.left =
            wvl_cs_plm_segment_bytes(&coder->parts[m->part_at], coder->part_count - m->part_at, &m->in_segment);
    }
    uint8_t bytes = (uint8_t)coder->parts[m->part_at].length_bytes;
    pack(&m->packer, &bytes, 1);
    m->in_segment--;
}

static void start_ppm_entry(const wvl_coder *coder, main_pointers *m)
{
    uint8_t bytes[4];
    (void)wvl_put_u32(bytes, (uint32_t)coder->parts[m->part_at].header_bytes);
    pack(&m->packer, bytes, sizeof bytes);
}

static void put_main_pointers(const wvl_coder *coder, wvl_cs_pointer kind, const wvl_tile_walk *tiles,
                              const wvl_order_memory *memory, wvl_coder_output *out)
{
    main_pointers m = {{out, kind, 0, kind == WVL_CS_PPM ? wvl_coder_ppm_bytes(coder) : 0, 0}, 0, 0};
    for (uint32_t t = 0; t < coder->plan->syntax.tile_count && !out->refused && !wvl_look_is_over(coder->look); t++) {
        const wvl_tile_plan *tile = wvl_tile_walk_fetch(tiles, t);
        wvl_packet_order order;
        wvl_packet_id id;
        wvl_order_open(&order, coder->plan, tile, memory);
        for (uint32_t p = 0, count = coder->parts[m.part_at].count; p < count; p++, m.part_at++) {
            int plm = m.packer.kind == WVL_CS_PLM;
            (plm ? start_plm_entry : start_ppm_entry)(coder, &m);
            for (uint32_t i = 0; i < coder->parts[m.part_at].packet_count &&
                                 !wvl_look_after(coder->look, WVL_LOOK_LENGTHS, 1) && wvl_order_next(&order, &id);
                 i++) {
                uint64_t packet = wvl_coder_number_packet(coder, tile->index, &id);
                if (plm) {
                    uint8_t code[5];
                    uint32_t length = (uint32_t)wvl_coder_packet_bytes(coder, tile->index, packet);
                    pack(&m.packer, code, (uint64_t)(wvl_cs_put_length(length, code) - code));
                } else {
                    pack_header(coder, tile->index, packet, &m.packer);
                }
            }
        }
    }
}

/* TLM ends the header; what grows with the packets goes before it. */
wvl_status wvl_coder_put_main_header(const wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory,
                                     wvl_coder_output *out)
{
    uint64_t bytes = wvl_cs_measure_main_header(coder->plan, coder->part_count),
             tlm = wvl_cs_measure_part_lengths(coder->plan, coder->part_count);
    uint8_t *header = wvl_alloc(coder->allocator, bytes);
    if (!header) {
        return WVL_ERROR_MEMORY;
    }
    (void)wvl_cs_put_main_header(coder->plan, coder->parts, coder->part_count, header);
    put_bytes(out, header, bytes - tlm);
    if (coder->plan->syntax.plm) {
        put_main_pointers(coder, WVL_CS_PLM, tiles, memory, out);
    }
    if (coder->plan->syntax.packed_headers == WVL_PACKED_PPM) {
        put_main_pointers(coder, WVL_CS_PPM, tiles, memory, out);
    }
    put_bytes(out, header + bytes - tlm, tlm);
    wvl_free(coder->allocator, header, bytes);
    return out->refused ? WVL_ERROR_SINK : WVL_OK;
}

wvl_status wvl_coder_put_tiles(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory,
                               wvl_portion portion, uint64_t part, wvl_coder_output *out)
{
    uint64_t bytes = wvl_coder_most_packets(coder, portion) * sizeof(uint32_t);
    uint32_t *lengths = wvl_alloc(coder->allocator, bytes);
    wvl_status status = lengths ? WVL_OK : WVL_ERROR_MEMORY;
    for (uint32_t t = portion.first; t < portion.end && status == WVL_OK; t++) {
        tile_output one = {coder, wvl_tile_walk_fetch(tiles, t), lengths, 0, out};
        status = put_tile(&one, memory, &coder->parts[part]);
        part += coder->parts[part].count;
    }
    wvl_free(coder->allocator, lengths, bytes);
    return status;
}

wvl_status wvl_coder_put_part_start(const wvl_coder *coder, const wvl_cs_part *part, wvl_coder_output *out)
{
    uint64_t bytes = wvl_cs_measure_part_header(coder->plan, part, NULL);
    uint8_t *header = wvl_alloc(coder->allocator, bytes);
    if (!header) {
        return WVL_ERROR_MEMORY;
    }
    (void)wvl_cs_put_part_header(coder->plan, part, NULL, header);
    put_bytes(out, header, bytes);
    wvl_free(coder->allocator, header, bytes);
    return out->refused ? WVL_ERROR_SINK : WVL_OK;
}

wvl_status wvl_coder_put_end(wvl_coder_output *out)
{
    uint8_t end[WVL_CS_END_BYTES];
    (void)wvl_cs_put_end(end);
    put_bytes(out, end, sizeof end);
    return out->refused ? WVL_ERROR_SINK : WVL_OK;
}

wvl_status wvl_coder_write(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory, wvl_put_fn put,
                           void *user)
{
    wvl_coder_output out = {put, user, 0};
    wvl_portion all = {.end = coder->plan->syntax.tile_count};
    wvl_status status = wvl_coder_put_main_header(coder, tiles, memory, &out);
    TRY(status, wvl_coder_put_tiles(coder, tiles, memory, all, 0, &out));
    return status == WVL_OK ? wvl_coder_put_end(&out) : status;
}
