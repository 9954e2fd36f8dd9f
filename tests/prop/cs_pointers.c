/* SPDX-License-Identifier: BSD-2-Clause */
/* The walker's POC, CRG, PLM, PPM and PPT (A.6.6, A.7, A.9.1). */
#include "tests/prop/cs_reader.h"

void cs_parse_poc(reader *r, cs_stream *s, unsigned tile)
{
    unsigned size = s->component_count < 257 ? 1 : 2;
    if (r->at == r->end || (r->end - r->at) % (5 + 2 * size)) {
        bad(r, "POC: %zu bytes of entries", r->end - r->at);
    }
    while (!r->failed && r->at < r->end) {
        cs_volume v = {tile, take(r, 1), take(r, size), take(r, 2), take(r, 1), take(r, size), take(r, 1)};
        v.c_end = v.c_end ? v.c_end : size == 1 ? 256 : 16384;
        if (v.r0 > 32 || v.r_end <= v.r0 || v.r_end > 33 || v.c_end <= v.c0 || v.c_end > 16384 || !v.layer_end ||
            v.layer_end > s->layers || v.order > 4) {
            bad(r, "POC: resolutions %u to %u, components %u to %u, layers to %u, order %u", v.r0, v.r_end, v.c0,
                v.c_end, v.layer_end, v.order);
        }
        s->volumes = room(s->volumes, s->volume_count, sizeof *s->volumes);
        s->volumes[s->volume_count++] = v;
    }
}

void cs_parse_crg(reader *r, cs_stream *s)
{
    s->registration = calloc(2 * (size_t)s->component_count, sizeof *s->registration);
    for (unsigned i = 0; s->registration && i < 2 * s->component_count; i++) {
        s->registration[i] = take(r, 2);
    }
}

/* Appends what is left of the marker segment. */
static void gather(reader *r, uint8_t **data, size_t *bytes)
{
    size_t more = r->end - r->at;
    *data = realloc(*data, *bytes + more + 1);
    if (!*data) {
        abort();
    }
    memcpy(*data + *bytes, r->data + r->at, more);
    *bytes += more;
    r->at = r->end;
}

/* Entries of PLM are whole: each marker segment is walked by its Nplm. */
void cs_parse_plm(reader *r, cs_stream *s)
{
    if (take(r, 1) != s->plm_segments++) {
        bad(r, "PLM: Zplm");
    }
    for (size_t at = r->at; !r->failed && at < r->end; at += 1u + r->data[at]) {
        if (1u + r->data[at] > r->end - at) {
            bad(r, "PLM: Nplm %u leaves the segment", r->data[at]);
        }
    }
    gather(r, &s->plm, &s->plm_bytes);
}

void cs_parse_ppm(reader *r, cs_stream *s)
{
    if (take(r, 1) != s->ppm_segments++ || r->at == r->end) {
        bad(r, "PPM: Zppm, or nothing in it");
    }
    s->packed = 1;
    gather(r, &s->ppm, &s->ppm_bytes);
}

void cs_parse_ppt(reader *r, cs_stream *s, cs_tile_part *part, unsigned *segments)
{
    if (take(r, 1) != (*segments)++ || s->packed == 1 || r->at == r->end) {
        bad(r, "PPT: Zppt, or PPM is there too, or nothing in it");
    }
    s->packed = 2;
    gather(r, &part->headers, &part->header_bytes);
}

static void assign_ppm(reader *r, cs_stream *s, cs_tile_part *part)
{
    reader in = {s->ppm, s->ppm_at, s->ppm_bytes, 0, r->error, r->error_bytes};
    size_t bytes = take(&in, 4);
    if (in.failed || bytes > in.end - in.at) {
        bad(r, "PPM: Nppm %zu of tile %u, part %u leaves the segments", bytes, part->tile, part->index);
        return;
    }
    in.end = in.at + bytes;
    gather(&in, &part->headers, &part->header_bytes);
    s->ppm_at = in.at;
}

static void assign_plm(reader *r, cs_stream *s, cs_tile_part *part)
{
    reader in = {s->plm, s->plm_at, s->plm_bytes, 0, r->error, r->error_bytes};
    size_t bytes = take(&in, 1), n = 0;
    for (size_t end = in.at + bytes; !in.failed && in.at < end; n++) {
        uint32_t length = 0, byte;
        do {
            byte = take(&in, 1);
            length = length << 7 | (byte & 0x7F);
        } while (byte & 0x80);
        if (part->plt_segments) {
            if (n >= part->packet_count || s->packet_bytes[part->first_packet + n] != length) {
                bad(&in, "PLM and PLT differ");
            }
        } else {
            s->packet_bytes = room(s->packet_bytes, s->packet_count, sizeof *s->packet_bytes);
            s->packet_bytes[s->packet_count++] = length;
        }
    }
    if (in.failed || (part->plt_segments && n != part->packet_count)) {
        bad(r, "PLM: the entry of tile %u, part %u", part->tile, part->index);
    }
    part->packet_count = n;
    part->has_lengths = 1;
    s->plm_at = in.at;
}

void cs_assign_pointers(reader *r, cs_stream *s, cs_tile_part *part)
{
    if (s->ppm_segments) {
        assign_ppm(r, s, part);
    }
    if (s->plm_segments) {
        assign_plm(r, s, part);
    }
}

void cs_close_pointers(reader *r, const cs_stream *s)
{
    if (!r->failed && (s->ppm_at != s->ppm_bytes || s->plm_at != s->plm_bytes)) {
        bad(r, "PPM or PLM has more tile-parts than there are");
    }
}
