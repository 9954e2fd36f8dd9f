/* SPDX-License-Identifier: BSD-2-Clause */
/* The one independent parser of headers among the suites. It was written from the standard and shares nothing with the
 * library or the walker, so that a wrong reading of a clause in one of these does not prove itself. */
#include "tests/prop/cs_reader.h"

static unsigned peek16(const reader *r)
{
    return r->end - r->at < 2 ? 0 : (unsigned)r->data[r->at] << 8 | r->data[r->at + 1];
}

/* ---- Main header ----------------------------------------------------------------------------- */

static void parse_siz(reader *r, cs_stream *s)
{
    s->rsiz = take(r, 2);
    s->x1 = take(r, 4);
    s->y1 = take(r, 4);
    s->x0 = take(r, 4);
    s->y0 = take(r, 4);
    s->tile_width = take(r, 4);
    s->tile_height = take(r, 4);
    s->tile_x0 = take(r, 4);
    s->tile_y0 = take(r, 4);
    s->component_count = take(r, 2);
    if (s->x0 >= s->x1 || s->y0 >= s->y1 || s->tile_x0 > s->x0 || s->tile_y0 > s->y0 || !s->tile_width ||
        !s->tile_height || (uint64_t)s->tile_x0 + s->tile_width <= s->x0 ||
        (uint64_t)s->tile_y0 + s->tile_height <= s->y0) {
        bad(r, "SIZ: impossible grid");
        return;
    }
    s->tile_count = (((uint64_t)s->x1 - s->tile_x0 + s->tile_width - 1) / s->tile_width) *
                    (((uint64_t)s->y1 - s->tile_y0 + s->tile_height - 1) / s->tile_height);
    if (s->component_count < 1 || s->component_count > 16384 || s->tile_count > 65535) {
        bad(r, "SIZ: %u components, %llu tiles", s->component_count, (unsigned long long)s->tile_count);
        return;
    }
    s->components = calloc(s->component_count, sizeof *s->components);
    for (unsigned i = 0; s->components && i < s->component_count; i++) {
        unsigned ssiz = take(r, 1);
        s->components[i].is_signed = ssiz >> 7;
        s->components[i].depth = (ssiz & 0x7F) + 1;
        s->components[i].dx = take(r, 1);
        s->components[i].dy = take(r, 1);
        if (s->components[i].depth > 38 || !s->components[i].dx || !s->components[i].dy) {
            bad(r, "SIZ: component %u is impossible", i);
        }
    }
}

/* NLT of type 3 (15444-2 A.3.10): the depth and the sign are those of SIZ. */
static void parse_nlt(reader *r, cs_stream *s)
{
    unsigned c = take(r, 2), depth = take(r, 1), type = take(r, 1);
    if ((c >= s->component_count && c != 65535) || type != 3 || r->at != r->end) {
        bad(r, "NLT: component %u, type %u", c, type);
        return;
    }
    for (unsigned i = c == 65535 ? 0 : c; i < (c == 65535 ? s->component_count : c + 1); i++) {
        cs_component *k = &s->components[i];
        if (k->nlt || depth != (k->is_signed << 7 | (k->depth - 1))) {
            bad(r, "NLT: depth %02X, or a second one for component %u", depth, i);
        }
        k->nlt = type;
    }
}

static unsigned take_component(reader *r, const cs_stream *s)
{
    unsigned c = take(r, s->component_count < 257 ? 1 : 2);
    if (c >= s->component_count) {
        bad(r, "component %u of %u", c, s->component_count);
        return 0;
    }
    return c;
}

static cs_component parse_structure(reader *r, unsigned user_precincts)
{
    cs_component k;
    memset(&k, 0, sizeof k);
    k.user_precincts = user_precincts;
    k.levels = take(r, 1);
    k.xcb = take(r, 1) + 2;
    k.ycb = take(r, 1) + 2;
    k.style = take(r, 1);
    k.transform = take(r, 1);
    if (k.levels > 32 || k.xcb > 10 || k.ycb > 10 || k.xcb + k.ycb > 12 || k.style > 127 ||
        (k.style > 63 && (k.style & 0x37)) || k.transform > 1) {
        bad(r, "COD or COC: impossible coding parameters");
        return k;
    }
    for (unsigned i = 0; i < 33; i++) {
        k.precinct[i] = user_precincts && i <= k.levels ? take(r, 1) : 0xFF;
        if (i && user_precincts && i <= k.levels && (!(k.precinct[i] & 15) || !(k.precinct[i] >> 4))) {
            bad(r, "precinct side of 1 at resolution %u", i);
        }
    }
    return k;
}

static void assign_structure(cs_component *to, const cs_component *from)
{
    to->user_precincts = from->user_precincts;
    to->levels = from->levels;
    to->xcb = from->xcb;
    to->ycb = from->ycb;
    to->style = from->style;
    to->transform = from->transform;
    memcpy(to->precinct, from->precinct, sizeof to->precinct);
}

static void parse_cod(reader *r, cs_stream *s)
{
    s->scod = take(r, 1);
    s->order = take(r, 1);
    s->layers = take(r, 2);
    s->mct = take(r, 1);
    if (s->scod > 7 || s->order > 4 || !s->layers || s->mct > 1) {
        bad(r, "COD: Scod %u, progression %u, %u layers, colour transform %u", s->scod, s->order, s->layers, s->mct);
    }
    cs_component k = parse_structure(r, s->scod & 1);
    for (unsigned i = 0; i < s->component_count; i++) {
        assign_structure(&s->components[i], &k);
    }
}

static void parse_coc(reader *r, cs_stream *s)
{
    cs_component *c = &s->components[take_component(r, s)];
    unsigned scoc = take(r, 1);
    if (scoc > 1 || c->has_coc) {
        bad(r, "COC: Scoc %u, or a second one for the component", scoc);
    }
    cs_component k = parse_structure(r, scoc);
    assign_structure(c, &k);
    c->has_coc = 1;
}

static cs_component parse_quantization(reader *r)
{
    cs_component k;
    memset(&k, 0, sizeof k);
    unsigned sq = take(r, 1);
    k.quant_style = sq & 31;
    k.guard_bits = sq >> 5;
    unsigned size = k.quant_style == 0 ? 1 : 2;
    while (!r->failed && r->at < r->end && k.step_count < 97) {
        k.step[k.step_count++] = take(r, size);
    }
    if (k.quant_style > 2 || !k.step_count || (k.quant_style == 1 && k.step_count != 1) || (k.step_count - 1) % 3) {
        bad(r, "QCD or QCC: style %u with %u steps", k.quant_style, k.step_count);
    }
    return k;
}

static void assign_quantization(cs_component *to, const cs_component *from)
{
    to->quant_style = from->quant_style;
    to->guard_bits = from->guard_bits;
    to->step_count = from->step_count;
    memcpy(to->step, from->step, sizeof to->step);
}

static void parse_qcd(reader *r, cs_stream *s)
{
    cs_component k = parse_quantization(r);
    for (unsigned i = 0; i < s->component_count; i++) {
        if (!s->components[i].has_qcc) {
            assign_quantization(&s->components[i], &k);
        }
    }
}

static void parse_qcc(reader *r, cs_stream *s)
{
    cs_component *c = &s->components[take_component(r, s)];
    if (c->has_qcc) {
        bad(r, "QCC: a second one for a component");
    }
    cs_component k = parse_quantization(r);
    assign_quantization(c, &k);
    c->has_qcc = 1;
}

static void parse_rgn(reader *r, cs_stream *s)
{
    cs_component *c = &s->components[take_component(r, s)];
    unsigned style = take(r, 1);
    c->shift = take(r, 1);
    if (style || c->shift > 37 || c->has_rgn) {
        bad(r, "RGN: Srgn %u, SPrgn %u, or a second one for the component", style, c->shift);
    }
    c->has_rgn = 1;
}

static void parse_com(reader *r, cs_stream *s)
{
    cs_comment comment = {take(r, 2), r->at, r->end - r->at};
    if (comment.rcom > 1 || !comment.bytes) {
        bad(r, "COM: Rcom %u, %zu bytes", comment.rcom, comment.bytes);
    }
    s->comments = room(s->comments, s->comment_count, sizeof *s->comments);
    s->comments[s->comment_count++] = comment;
    r->at = r->end;
}

static void parse_tlm(reader *r, cs_stream *s)
{
    unsigned index = take(r, 1), stlm = take(r, 1), st = stlm >> 4 & 3, size = stlm & 0x40 ? 4 : 2;
    if (index != s->tlm_segments++ || (stlm & 0x8F) || st == 3 || (r->end - r->at) % (st + size)) {
        bad(r, "TLM: Ztlm %u, Stlm %02X, %zu bytes of entries", index, stlm, r->end - r->at);
    }
    while (!r->failed && r->at < r->end) {
        s->tlm = room(s->tlm, s->tlm_count, sizeof *s->tlm);
        s->tlm[s->tlm_count].tile = st ? take(r, st) : (unsigned)s->tlm_count;
        s->tlm[s->tlm_count++].bytes = take(r, size);
    }
}

/* Length of the marker segment at hand; what follows must consume it exactly. */
static reader open_segment(reader *r)
{
    reader content = *r;
    unsigned length = take(r, 2);
    if (!r->failed && (length < 3 || length - 2 > r->end - r->at)) {
        bad(r, "segment length %u with %zu bytes left", length, r->end - r->at);
    }
    content.at = r->at;
    content.end = r->failed ? r->at : r->at + length - 2;
    content.failed = r->failed;
    return content;
}

static void close_segment(reader *r, const reader *content, unsigned marker)
{
    r->at = content->at;
    r->failed = content->failed;
    if (content->at != content->end) {
        bad(r, "segment %04X is %zu bytes longer than its content", marker, content->end - content->at);
    }
}

/* Part 15 alone: one word of capabilities. */
static void parse_cap(reader *r, cs_stream *s)
{
    s->pcap = take(r, 4);
    s->ccap15 = take(r, 2);
}

static void parse_main_poc(reader *r, cs_stream *s) { cs_parse_poc(r, s, CS_ALL_TILES); }

static void parse_main_segment(reader *r, cs_stream *s, unsigned marker, unsigned *seen)
{
    static const struct {
        unsigned marker, bit;
        void (*parse)(reader *, cs_stream *);
    } table[] = {{0xFF51, 1, parse_siz},    {0xFF52, 2, parse_cod},     {0xFF5C, 4, parse_qcd},
                 {0xFF53, 0, parse_coc},    {0xFF5D, 0, parse_qcc},     {0xFF5E, 0, parse_rgn},
                 {0xFF64, 0, parse_com},    {0xFF55, 0, parse_tlm},     {0xFF5F, 8, parse_main_poc},
                 {0xFF50, 32, parse_cap},   {0xFF63, 16, cs_parse_crg}, {0xFF57, 0, cs_parse_plm},
                 {0xFF60, 0, cs_parse_ppm}, {0xFF76, 0, parse_nlt}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].marker != marker) {
            continue;
        }
        if ((*seen & table[i].bit) || (!*seen && marker != 0xFF51) || (marker == 0xFF53 && !(*seen & 2))) {
            bad(r, "marker %04X twice or too early", marker);
            return;
        }
        *seen |= table[i].bit;
        reader content = open_segment(r);
        if (!content.failed) {
            table[i].parse(&content, s);
        }
        close_segment(r, &content, marker);
        return;
    }
    bad(r, "marker %04X is not expected in the main header", marker);
}

static void check_components(reader *r, const cs_stream *s, const cs_component *components)
{
    for (unsigned i = 0; !r->failed && i < s->component_count; i++) {
        const cs_component *c = &components[i];
        if (c->quant_style != 1 && c->step_count != 3 * c->levels + 1) {
            bad(r, "component %u has %u levels and %u steps", i, c->levels, c->step_count);
        }
        if ((c->transform == 1) != (c->quant_style == 0)) {
            bad(r, "component %u: transform %u with quantization %u", i, c->transform, c->quant_style);
        }
    }
}

static void parse_main_header(reader *r, cs_stream *s)
{
    unsigned seen = 0;
    if (take(r, 2) != 0xFF4F) {
        bad(r, "no SOC");
    }
    while (!r->failed && peek16(r) != 0xFF90) {
        parse_main_segment(r, s, take(r, 2), &seen);
    }
    if ((seen & 7) != 7) {
        bad(r, "SIZ, COD or QCD is missing");
    }
    s->main_header_bytes = r->at;
    check_components(r, s, s->components);
}

/* ---- Tile-parts ------------------------------------------------------------------------------ */

static void parse_plt(reader *r, cs_stream *s, cs_tile_part *part)
{
    unsigned index = take(r, 1);
    if (index != part->plt_segments++) {
        bad(r, "PLT: Zplt %u", index);
    }
    while (!r->failed && r->at < r->end) {
        uint64_t length = 0;
        unsigned byte;
        do {
            byte = take(r, 1);
            length = length << 7 | (byte & 0x7F);
        } while (!r->failed && (byte & 0x80) && length <= UINT32_MAX);
        if (length > UINT32_MAX) {
            bad(r, "PLT: a packet of %llu bytes", (unsigned long long)length);
        }
        s->packet_bytes = room(s->packet_bytes, s->packet_count, sizeof *s->packet_bytes);
        s->packet_bytes[s->packet_count++] = (uint32_t)length;
        part->packet_count++;
    }
    part->has_lengths = 1;
}

/* ---- Coding marker segments of tiles --------------------------------------------------------- */

cs_scope cs_scope_of(const cs_stream *s, unsigned tile)
{
    for (size_t i = 0; i < s->scope_count; i++) {
        if (s->scopes[i].tile == tile) {
            return s->scopes[i];
        }
    }
    return (cs_scope){tile, s->scod, s->order, s->mct, s->components};
}

/* The tile's scope, at first a copy of the main header's with nothing said by the tile itself. */
static cs_scope *open_scope(cs_stream *s, unsigned tile)
{
    if (s->scope_count && s->scopes[s->scope_count - 1].tile == tile) {
        return &s->scopes[s->scope_count - 1];
    }
    s->scopes = room(s->scopes, s->scope_count, sizeof *s->scopes);
    cs_scope *scope = &s->scopes[s->scope_count++];
    *scope = (cs_scope){tile, s->scod, s->order, s->mct, calloc(s->component_count, sizeof *s->components)};
    for (unsigned c = 0; scope->components && c < s->component_count; c++) {
        scope->components[c] = s->components[c];
        scope->components[c].has_coc = scope->components[c].has_qcc = scope->components[c].has_rgn = 0;
    }
    return scope;
}

/* 0: another marker. COD comes before COC here, so that it hides those of the main header only. */
static int parse_tile_coding(reader *r, cs_stream *s, unsigned tile, unsigned marker)
{
    static const struct {
        unsigned marker;
        void (*parse)(reader *, cs_stream *);
    } table[] = {
        {0xFF52, parse_cod}, {0xFF53, parse_coc}, {0xFF5C, parse_qcd}, {0xFF5D, parse_qcc}, {0xFF5E, parse_rgn}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].marker == marker) {
            cs_scope *scope = open_scope(s, tile);
            cs_stream view = *s;
            view.components = scope->components;
            table[i].parse(r, &view);
            if (marker == 0xFF52) {
                *scope = (cs_scope){tile, view.scod, view.order, view.mct, scope->components};
                if (view.layers != s->layers) {
                    bad(r, "COD of tile %u: %u layers, the main header says %u", tile, view.layers, s->layers);
                }
            }
            s->tile_segments++;
            return 1;
        }
    }
    return 0;
}

typedef struct tile_state {
    unsigned parts, announced, ppt_segments;
    size_t packets;
} tile_state;

static void parse_part_segments(reader *r, cs_stream *s, cs_tile_part *part, tile_state *tile)
{
    unsigned marker, pocs = 0;
    while (!r->failed && (marker = take(r, 2)) != 0xFF93) {
        reader content = open_segment(r);
        if (marker == 0xFF58) {
            parse_plt(&content, s, part);
        } else if (marker == 0xFF5F && !part->index && !pocs++) {
            cs_parse_poc(&content, s, part->tile);
        } else if (marker == 0xFF61) {
            cs_parse_ppt(&content, s, part, &tile->ppt_segments);
        } else if (marker == 0xFF64) {
            parse_com(&content, s);
        } else if (part->index || !parse_tile_coding(&content, s, part->tile, marker)) {
            bad(&content, "marker %04X is not expected in a tile-part header", marker);
        }
        close_segment(r, &content, marker);
    }
    check_components(r, s, cs_scope_of(s, part->tile).components);
}

/* Packets may hold no marker but SOP and EPH, and those only where Scod announces them. Nsop itself may look like a
 * marker. */
static void check_body(reader *r, const cs_stream *s, const cs_tile_part *part)
{
    unsigned scod = cs_scope_of(s, part->tile).scod;
    for (size_t i = 0; i + 1 < part->body_bytes; i++) {
        const uint8_t *p = r->data + part->body_offset + i;
        if (p[0] == 0xFF && p[1] == 0x91 && (scod & 2)) {
            i += 5;
            continue;
        }
        if (p[0] == 0xFF && p[1] > 0x8F && !(p[1] == 0x92 && (scod & 4) && !s->packed)) {
            bad(r, "marker FF%02X inside packets, %zu bytes into them", p[1], i);
            return;
        }
    }
}

/* With PLT the packets are known: each must begin with its SOP and hold one EPH, where Scod announces them. first:
 * packets of the tile in earlier parts. */
static void check_packets(reader *r, const cs_stream *s, const cs_tile_part *part, size_t first)
{
    const uint8_t *p = r->data + part->body_offset;
    unsigned scod = cs_scope_of(s, part->tile).scod;
    uint64_t sum = 0;
    for (size_t i = 0; i < part->packet_count && !r->failed; i++) {
        size_t length = s->packet_bytes[part->first_packet + i], eph = 0;
        sum += length;
        if (sum > part->body_bytes) {
            break;
        }
        unsigned nsop = (unsigned)(first + i) & 0xFFFF;
        if ((scod & 2) &&
            (length < 6 || p[0] != 0xFF || p[1] != 0x91 || p[2] || p[3] != 4 || (unsigned)(p[4] << 8 | p[5]) != nsop)) {
            bad(r, "packet %zu of tile %u does not begin with SOP %u", first + i, part->tile, nsop);
        }
        for (size_t j = scod & 2 ? 6 : 0; j + 1 < length; j++) {
            eph += p[j] == 0xFF && p[j + 1] == 0x92;
        }
        if (eph != (scod >> 2)) {
            bad(r, "packet %zu of tile %u holds %zu EPH", first + i, part->tile, eph);
        }
        p += length;
    }
    if (part->has_lengths && sum != part->body_bytes) {
        bad(r, "PLT or PLM sums to %llu bytes, the tile-part holds %zu", (unsigned long long)sum, part->body_bytes);
    }
}

static void parse_part(reader *r, cs_stream *s, tile_state *tiles)
{
    cs_tile_part part;
    memset(&part, 0, sizeof part);
    part.offset = r->at;
    part.first_packet = s->packet_count;
    if (take(r, 2) != 0xFF90 || take(r, 2) != 10) {
        bad(r, "no SOT");
    }
    part.tile = take(r, 2);
    part.bytes = take(r, 4);
    part.index = take(r, 1);
    part.count = take(r, 1);
    if (!r->failed && (part.tile >= s->tile_count || part.bytes < 14 || part.bytes > r->end - part.offset)) {
        bad(r, "tile %u of %llu, Psot %zu", part.tile, (unsigned long long)s->tile_count, part.bytes);
    }
    reader inside = *r;
    inside.end = r->failed ? r->at : part.offset + part.bytes;
    tile_state *tile = &tiles[r->failed ? 0 : part.tile];
    parse_part_segments(&inside, s, &part, tile);
    *r = (reader){r->data, inside.end, r->end, inside.failed, r->error, r->error_bytes};
    if (r->failed) {
        return;
    }
    part.body_offset = inside.at;
    part.body_bytes = inside.end - inside.at;
    if (part.index != tile->parts++ || (part.count && tile->announced && part.count != tile->announced)) {
        bad(r, "tile %u: TPsot %u, TNsot %u after %u parts", part.tile, part.index, part.count, tile->parts - 1);
    }
    tile->announced = part.count ? part.count : tile->announced;
    cs_assign_pointers(r, s, &part);
    check_body(r, s, &part);
    check_packets(r, s, &part, tile->packets);
    tile->packets += part.packet_count;
    s->parts = room(s->parts, s->part_count, sizeof *s->parts);
    s->parts[s->part_count++] = part;
}

static void check_tlm(reader *r, const cs_stream *s)
{
    if (s->tlm_segments && s->tlm_count != s->part_count) {
        bad(r, "TLM names %zu tile-parts, there are %zu", s->tlm_count, s->part_count);
    }
    for (size_t i = 0; !r->failed && i < s->tlm_count; i++) {
        if (s->tlm[i].tile != s->parts[i].tile || s->tlm[i].bytes != s->parts[i].bytes) {
            bad(r, "TLM entry %zu: tile %u, %u bytes; the part is of tile %u and has %zu", i, s->tlm[i].tile,
                s->tlm[i].bytes, s->parts[i].tile, s->parts[i].bytes);
        }
    }
}

int cs_parse(const uint8_t *data, size_t bytes, cs_stream *s, char *error, size_t error_bytes)
{
    reader r = {data, 0, bytes, 0, error, error_bytes};
    memset(s, 0, sizeof *s);
    parse_main_header(&r, s);
    tile_state *tiles = r.failed ? NULL : calloc((size_t)s->tile_count, sizeof *tiles);
    while (!r.failed && peek16(&r) == 0xFF90) {
        parse_part(&r, s, tiles);
    }
    if (!r.failed && (take(&r, 2) != 0xFFD9 || r.at != r.end)) {
        bad(&r, "EOC is missing or not the end");
    }
    for (uint64_t t = 0; !r.failed && t < s->tile_count; t++) {
        if (!tiles[t].parts || (tiles[t].announced && tiles[t].announced != tiles[t].parts)) {
            bad(&r, "tile %llu has %u parts and announces %u", (unsigned long long)t, tiles[t].parts,
                tiles[t].announced);
        }
    }
    check_tlm(&r, s);
    cs_close_pointers(&r, s);
    free(tiles);
    return !r.failed;
}

void cs_free(cs_stream *s)
{
    free(s->components);
    for (size_t i = 0; i < s->part_count; i++) {
        free(s->parts[i].headers);
    }
    for (size_t i = 0; i < s->scope_count; i++) {
        free(s->scopes[i].components);
    }
    free(s->scopes);
    free(s->volumes);
    free(s->registration);
    free(s->plm);
    free(s->ppm);
    free(s->comments);
    free(s->parts);
    free(s->packet_bytes);
    free(s->tlm);
    memset(s, 0, sizeof *s);
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

static void walk_boxes(reader *r, unsigned depth, cs_box *boxes, size_t max_count, size_t *count)
{
    while (!r->failed && r->at < r->end) {
        cs_box box = {0, depth, r->at, 8, 0};
        uint64_t length = take(r, 4);
        box.type = take(r, 4);
        if (length == 1) {
            length = (uint64_t)take(r, 4) << 32;
            length |= take(r, 4);
            box.header_bytes = 16;
        }
        if (!r->failed && (length < box.header_bytes || length > r->end - box.offset || *count == max_count)) {
            bad(r, "box %08X: length %llu, %zu bytes left", (unsigned)box.type, (unsigned long long)length,
                r->end - box.offset);
        }
        if (r->failed) {
            return;
        }
        box.content_bytes = (size_t)length - box.header_bytes;
        boxes[(*count)++] = box;
        size_t end = r->at + box.content_bytes;
        if (box.type == 0x6A703268 || box.type == 0x72657320) {
            reader inside = *r;
            inside.end = end;
            walk_boxes(&inside, depth + 1, boxes, max_count, count);
            r->failed = inside.failed;
        }
        r->at = end;
    }
}

int cs_parse_boxes(const uint8_t *data, size_t bytes, cs_box *boxes, size_t max_count, size_t *count, char *error,
                   size_t error_bytes)
{
    reader r = {data, 0, bytes, 0, error, error_bytes};
    *count = 0;
    walk_boxes(&r, 0, boxes, max_count, count);
    return !r.failed;
}
