/* SPDX-License-Identifier: BSD-2-Clause */
/* The sequence of boxes, marker segments and tile-parts as it stands in a file, with the lengths that must agree. */
#include "list.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "boxes.h"

/* A source gives no more at once. Content beyond MOST_HELD is described from its beginning and its length. */
#define MOST_READ (1u << 20)
#define MOST_HELD (1u << 26)

/* ---- Items ----------------------------------------------------------------------------------- */

void wvl_check_put_number(wvl_walk_listing *l, wvl_check_item_kind kind, const char *name, uint64_t number)
{
    const wvl_check_item item = {.kind = kind, .name = name, .number = number};
    l->item(l->user, &item);
}

void wvl_check_put_text(wvl_walk_listing *l, const char *name, const char *text)
{
    const wvl_check_item item = {.kind = WVL_CHECK_ITEM_TEXT, .name = name, .text = text};
    l->item(l->user, &item);
}

void wvl_check_open_item(wvl_walk_listing *l, wvl_check_item_kind kind, const char *name, uint64_t offset,
                         uint64_t bytes)
{
    const wvl_check_item item = {.kind = kind, .name = name, .offset = offset, .bytes = bytes};
    l->item(l->user, &item);
}

void wvl_check_close_item(wvl_walk_listing *l, wvl_check_item_kind kind)
{
    const wvl_check_item item = {.kind = WVL_CHECK_ITEM_END, .ended = kind};
    l->item(l->user, &item);
}

int wvl_check_put_problem(wvl_walk_listing *l, uint64_t offset, const char *format, ...)
{
    char text[320];
    wvl_check_item item = {.kind = WVL_CHECK_ITEM_PROBLEM, .offset = offset, .text = text};
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    l->has_problem = 1;
    l->item(l->user, &item);
    return 0;
}

int wvl_check_lack_memory(wvl_walk_listing *l, const char *what)
{
    l->lacks_memory = 1;
    return wvl_check_put_problem(l, l->offset, "no memory for %s", what);
}

/* ---- The source ------------------------------------------------------------------------------ */

static int read_whole(wvl_walk_listing *l, uint64_t offset, uint8_t *place, size_t bytes)
{
    for (size_t done = 0, part; done < bytes; done += part) {
        part = bytes - done < MOST_READ ? bytes - done : MOST_READ;
        if (!l->source->read(l->user, offset + done, place + done, part)) {
            return 0;
        }
    }
    return 1;
}

/* Bytes that the source has; NULL: they cannot be read, which the source notes, or there is no memory. what: to hold
 * them for, beyond the 16 that always find room. Valid up to the next call. */
static const uint8_t *fetch(wvl_walk_listing *l, uint64_t offset, size_t bytes, const char *what)
{
    uint8_t *place = l->start;
    if (l->source->data) {
        return (const uint8_t *)l->source->data + offset;
    }
    if (bytes > sizeof l->start) {
        l->held.count = 0;
        place = wvl_check_extend(&l->memory, &l->held, bytes, 1);
        if (!place) {
            (void)wvl_check_lack_memory(l, what);
            return NULL;
        }
    }
    if (!read_whole(l, offset, place, bytes)) {
        l->has_problem = 1;
        return NULL;
    }
    return place;
}

static uint32_t take16(const uint8_t *p) { return (uint32_t)p[0] << 8 | p[1]; }

static uint32_t take32(const uint8_t *p) { return take16(p) << 16 | take16(p + 2); }

static int set_content(wvl_walk_listing *l, uint64_t offset, uint64_t bytes, size_t most, const char *what)
{
    l->left = bytes < most ? (size_t)bytes : most;
    l->beyond = bytes - l->left;
    l->p = fetch(l, offset, l->left, what);
    l->is_overrun = 0;
    return l->p != NULL;
}

/* ---- Marker segments ------------------------------------------------------------------------- */

static int read_marker(wvl_walk_listing *l, uint64_t offset, uint64_t end, unsigned *marker)
{
    if (end - offset < 2) {
        return wvl_check_put_problem(l, offset, "the codestream ends where a marker is expected");
    }
    const uint8_t *raw = fetch(l, offset, 2, NULL);
    if (!raw) {
        return 0;
    }
    *marker = take16(raw);
    return *marker >= 0xFF01 || wvl_check_put_problem(l, offset, "%02x%02x where a marker is expected", raw[0], raw[1]);
}

/* One marker segment at offset, which moves behind it. */
static int list_segment(wvl_walk_listing *l, unsigned marker, uint64_t *offset, uint64_t end)
{
    const char *known = wvl_check_marker_name(marker);
    const uint8_t *raw = NULL;
    char name[8];
    if (known) {
        snprintf(name, sizeof name, "%s", known);
    } else {
        snprintf(name, sizeof name, "0x%04X", marker & 0xFFFF);
    }
    if (marker >= 0xFF30 && marker <= 0xFF3F) { /* reserved markers without a length (A.1) */
        *offset += 2;
        return 1;
    }
    if (end - *offset >= 4) {
        raw = fetch(l, *offset + 2, 2, NULL);
    }
    if (!raw) {
        return wvl_check_put_problem(l, *offset, "%s is cut off", name);
    }
    uint64_t length = take16(raw);
    if (length < 2 || length + 2 > end - *offset) {
        return wvl_check_put_problem(l, *offset, "%s has a length of %" PRIu64 ", but %" PRIu64 " bytes are left", name,
                                     length, end - *offset - 2);
    }
    l->offset = *offset;
    if (!set_content(l, *offset + 4, length - 2, MOST_HELD, name)) {
        return l->lacks_memory ? 0 : wvl_check_put_problem(l, *offset, "%s cannot be read", name);
    }
    wvl_check_open_item(l, WVL_CHECK_ITEM_SEGMENT, name, *offset, length + 2);
    l->has_cod |= marker == WVL_WALK_COD;
    l->has_qcd |= marker == WVL_WALK_QCD;
    wvl_check_list_segment(l, marker);
    wvl_check_close_item(l, WVL_CHECK_ITEM_SEGMENT);
    *offset += length + 2;
    return 1;
}

static int list_main_header(wvl_walk_listing *l, uint64_t *offset, uint64_t end)
{
    unsigned marker = 0;
    if (!read_marker(l, *offset, end, &marker)) {
        return 0;
    }
    if (marker != WVL_WALK_SOC) {
        return wvl_check_put_problem(l, *offset, "the codestream does not begin with SOC (A.4.1)");
    }
    *offset += 2;
    for (int is_first = 1;; is_first = 0) {
        if (!read_marker(l, *offset, end, &marker)) {
            return 0;
        }
        if (is_first && marker != WVL_WALK_SIZ) {
            return wvl_check_put_problem(l, *offset, "SIZ does not follow SOC (A.5.1)");
        }
        if (marker == WVL_WALK_SOT || marker == WVL_WALK_EOC) {
            break;
        }
        if (!list_segment(l, marker, offset, end)) {
            return 0;
        }
    }
    return (l->has_cod && l->has_qcd) ||
           wvl_check_put_problem(l, *offset, "the main header has no %s (A.6)", l->has_cod ? "QCD" : "COD");
}

/* ---- Tile-parts ------------------------------------------------------------------------------ */

typedef struct tile_part {
    unsigned tile, part, part_count;
    uint64_t offset, end;
} tile_part;

static int read_sot(wvl_walk_listing *l, uint64_t offset, uint64_t end, tile_part *t)
{
    if (end - offset < 12) {
        return wvl_check_put_problem(l, offset, "SOT is cut off");
    }
    const uint8_t *raw = fetch(l, offset, 12, NULL);
    if (!raw) {
        return 0;
    }
    uint64_t psot = take32(raw + 6);
    *t = (tile_part){take16(raw + 4), raw[10], raw[11], offset, 0};
    if (take16(raw + 2) != 10) {
        return wvl_check_put_problem(l, offset, "SOT has a length of %" PRIu32 " instead of 10 (A.4.2)",
                                     take16(raw + 2));
    }
    if (!psot) { /* up to EOC, which ends the codestream if it is there */
        const uint8_t *last = end - offset < 14 ? NULL : fetch(l, end - 2, 2, NULL);
        if (!last) {
            return wvl_check_put_problem(l, offset, "the tile-part is cut off");
        }
        psot = end - offset - (take16(last) == WVL_WALK_EOC ? 2 : 0);
    }
    t->end = offset + psot;
    return (psot >= 14 && psot <= end - offset) ||
           wvl_check_put_problem(l, offset, "tile-part of %" PRIu64 " bytes, but %" PRIu64 " are left (A.4.2)", psot,
                                 end - offset);
}

static int list_part_header(wvl_walk_listing *l, const tile_part *t, uint64_t *offset)
{
    unsigned marker = 0;
    *offset = t->offset + 12;
    for (;;) {
        if (!read_marker(l, *offset, t->end, &marker)) {
            return 0;
        }
        if (marker == WVL_WALK_SOD) {
            *offset += 2;
            return 1;
        }
        if (marker == WVL_WALK_SOT || marker == WVL_WALK_EOC) {
            return wvl_check_put_problem(l, *offset, "a tile-part header without SOD (A.4.3)");
        }
        if (!list_segment(l, marker, offset, t->end)) {
            return 0;
        }
    }
}

static int list_part(wvl_walk_listing *l, const tile_part *t)
{
    uint64_t data = 0, bytes = t->end - t->offset;
    l->plt_packets = l->plt_bytes = 0;
    wvl_check_open_item(l, WVL_CHECK_ITEM_SEGMENT, "SOT", t->offset, bytes);
    wvl_check_put_number(l, WVL_CHECK_ITEM_NUMBER, "tile", t->tile);
    wvl_check_put_number(l, WVL_CHECK_ITEM_NUMBER, "part", t->part);
    wvl_check_put_number(l, WVL_CHECK_ITEM_NUMBER, "part_count", t->part_count);
    wvl_check_open_item(l, WVL_CHECK_ITEM_LIST, "header", 0, 0);
    int is_good = list_part_header(l, t, &data);
    wvl_check_close_item(l, WVL_CHECK_ITEM_LIST);
    if (is_good) {
        wvl_check_put_number(l, WVL_CHECK_ITEM_NUMBER, "data_offset", data);
        wvl_check_put_number(l, WVL_CHECK_ITEM_NUMBER, "data_bytes", t->end - data);
        if (l->plt_packets && l->plt_bytes != t->end - data) {
            wvl_check_put_problem(l, t->offset,
                                  "PLT counts %" PRIu64 " bytes of packets, the tile-part holds %" PRIu64 " (A.7.3)",
                                  l->plt_bytes, t->end - data);
        }
    }
    wvl_check_close_item(l, WVL_CHECK_ITEM_SEGMENT);
    if (!wvl_check_push(&l->memory, &l->parts, &bytes, sizeof bytes)) {
        l->offset = t->offset;
        return wvl_check_lack_memory(l, "the list of tile-parts");
    }
    return is_good;
}

static void compare_tlm(wvl_walk_listing *l, uint64_t offset)
{
    const uint64_t *told = l->tlm.items, *found = l->parts.items;
    if (l->tlm.count && l->tlm.count != l->parts.count) {
        wvl_check_put_problem(l, offset, "TLM lists %zu tile-parts, the codestream has %zu (A.7.1)", l->tlm.count,
                              l->parts.count);
    }
    for (size_t i = 0; i < l->tlm.count && i < l->parts.count; i++) {
        if (told[i] != found[i]) {
            wvl_check_put_problem(l, offset, "TLM gives tile-part %zu %" PRIu64 " bytes, it has %" PRIu64 " (A.7.1)", i,
                                  told[i], found[i]);
            return;
        }
    }
}

static int list_parts(wvl_walk_listing *l, uint64_t *offset, uint64_t end)
{
    for (;;) {
        unsigned marker = 0;
        tile_part t = {0};
        if (!read_marker(l, *offset, end, &marker)) {
            return 0;
        }
        if (marker == WVL_WALK_EOC) {
            return 1;
        }
        if (marker != WVL_WALK_SOT) {
            return wvl_check_put_problem(l, *offset, "marker %04X where a tile-part or EOC is expected", marker);
        }
        if (!read_sot(l, *offset, end, &t) || !list_part(l, &t)) {
            return 0;
        }
        *offset = t.end;
    }
}

static void list_codestream(wvl_walk_listing *l, uint64_t offset, uint64_t end)
{
    wvl_check_open_item(l, WVL_CHECK_ITEM_LIST, "main_header", 0, 0);
    int is_good = list_main_header(l, &offset, end);
    wvl_check_close_item(l, WVL_CHECK_ITEM_LIST);
    if (!is_good) {
        return;
    }
    wvl_check_put_number(l, WVL_CHECK_ITEM_NUMBER, "tile_parts_offset", offset);
    wvl_check_open_item(l, WVL_CHECK_ITEM_LIST, "tile_parts", 0, 0);
    is_good = list_parts(l, &offset, end);
    wvl_check_close_item(l, WVL_CHECK_ITEM_LIST);
    compare_tlm(l, offset);
    if (is_good) {
        wvl_check_put_number(l, WVL_CHECK_ITEM_NUMBER, "eoc_offset", offset);
        if (end - offset > 2) {
            wvl_check_put_problem(l, offset + 2, "%" PRIu64 " bytes after EOC", end - offset - 2);
        }
    }
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

/* The header of the box at offset, which must end by `end`. */
static int read_box(wvl_walk_listing *l, uint64_t offset, uint64_t end, uint32_t *type, wvl_walk_span *span)
{
    uint64_t left = end - offset, length;
    if (left < 8) {
        return wvl_check_put_problem(l, offset, "%" PRIu64 " bytes are left, too few for a box (I.4)", left);
    }
    const uint8_t *raw = fetch(l, offset, left < 16 ? 8 : 16, NULL);
    if (!raw) {
        return 0;
    }
    unsigned header = wvl_check_read_box_header(raw, left, type, &length);
    if (!header) {
        return wvl_check_put_problem(l, offset, "the extended length of the box is cut off (I.4)");
    }
    length = length ? length : left;
    *span = (wvl_walk_span){offset, offset + header, offset + length};
    return (length >= header && length <= left) ||
           wvl_check_put_problem(l, offset, "a box of %" PRIu64 " bytes where %" PRIu64 " are left (I.4)", length,
                                 left);
}

static int is_superbox(uint32_t type)
{
    return type == WVL_WALK_BOX('j', 'p', '2', 'h') || type == WVL_WALK_BOX('r', 'e', 's', ' ') ||
           type == WVL_WALK_BOX('u', 'i', 'n', 'f') || type == WVL_WALK_BOX('a', 's', 'o', 'c');
}

/* 0 when the content cannot be read. */
static int list_content(wvl_walk_listing *l, uint32_t type, const wvl_walk_span *span)
{
    int is_whole = wvl_check_is_whole_box(type);
    l->offset = span->offset;
    if (!wvl_check_is_listed_box(type)) {
        return 1;
    }
    if (!set_content(l, span->at, span->end - span->at, is_whole ? MOST_HELD : MOST_READ, "the content of the box")) {
        return 0;
    }
    wvl_check_list_box(l, type);
    return 1;
}

/* depth: superboxes around. 0 when the rest cannot be made sense of. */
static int list_boxes(wvl_walk_listing *l, uint64_t offset, uint64_t end, unsigned depth)
{
    wvl_walk_span span;
    uint32_t type;
    int is_good = 1;
    for (; is_good && offset < end; offset = span.end) {
        if (!read_box(l, offset, end, &type, &span)) {
            return 0;
        }
        char name[5];
        wvl_check_name_box(type, name);
        int is_outer = depth < 4 && is_superbox(type);
        wvl_check_item_kind kind = is_outer ? WVL_CHECK_ITEM_SUPERBOX : WVL_CHECK_ITEM_BOX;
        wvl_check_open_item(l, kind, name, offset, span.end - offset);
        is_good = is_outer ? list_boxes(l, span.at, span.end, depth + 1) : list_content(l, type, &span);
        wvl_check_close_item(l, kind);
        if (type == WVL_WALK_BOX('j', 'p', '2', 'c') && !l->stream_end) {
            l->stream = span.at;
            l->stream_end = span.end;
        }
    }
    return is_good;
}

/* Behind the signature box comes the file type box: its brand says which format the file is (I.5.2; 15444-15 Annex D).
 */
static const char *name_of_brand(wvl_walk_listing *l)
{
    static const struct {
        char brand[5];
        const char *name;
    } brands[] = {{"jp2 ", "JP2 file"}, {"jph ", "JPH file"}, {"jpx ", "JPX file"}, {"jpm ", "JPM file"}};
    const uint8_t *box = l->source->bytes < 24 ? NULL : fetch(l, 12, 12, NULL);
    for (size_t i = 0; box && !memcmp(box + 4, "ftyp", 4) && i < sizeof brands / sizeof *brands; i++) {
        if (!memcmp(box + 8, brands[i].brand, 4)) {
            return brands[i].name;
        }
    }
    return "JP2 family file";
}

static void list_file(wvl_walk_listing *l)
{
    uint64_t bytes = l->source->bytes;
    const uint8_t *start = fetch(l, 0, bytes < 12 ? (size_t)bytes : 12, NULL);
    int is_good = 1, is_of_boxes = start && bytes >= 12 && !memcmp(start, wvl_check_signature, 12);
    if (!start) {
        return;
    }
    if (is_of_boxes) {
        wvl_check_put_text(l, "format", name_of_brand(l));
        wvl_check_open_item(l, WVL_CHECK_ITEM_LIST, "boxes", 0, 0);
        is_good = list_boxes(l, 0, bytes, 0);
        wvl_check_close_item(l, WVL_CHECK_ITEM_LIST);
    } else if (bytes >= 2 && take16(start) == WVL_WALK_SOC) {
        l->stream_end = bytes;
        wvl_check_put_text(l, "format", "codestream");
    } else {
        wvl_check_put_problem(l, 0, "neither a JP2 signature box (I.5.1) nor an SOC marker (A.4.1)");
        return;
    }
    if (l->stream_end) {
        wvl_check_put_number(l, WVL_CHECK_ITEM_RAW, "codestream_bytes", l->stream_end - l->stream);
        list_codestream(l, l->stream, l->stream_end);
    } else if (is_good) {
        wvl_check_put_problem(l, bytes, "no codestream box (I.5.4)");
    }
}

int wvl_check_list(const wvl_check_source *source, wvl_check_item_fn item, void *user)
{
    static const wvl_check_options options;
    if (!source || !item || source->struct_size < sizeof *source ||
        !wvl_check_is_known(source, source->struct_size, sizeof *source) || !source->data == !source->read) {
        return WVL_CHECK_BAD_ARGUMENT;
    }
    wvl_walk_listing l = {.source = source, .item = item, .user = user};
    l.memory.options = &options;
    l.memory.memory_limit = UINT64_MAX / 2;
    list_file(&l);
    wvl_check_release_list(&l.memory, &l.held);
    wvl_check_release_list(&l.memory, &l.tlm);
    wvl_check_release_list(&l.memory, &l.parts);
    if (l.lacks_memory) {
        return WVL_CHECK_NO_MEMORY;
    }
    return l.has_problem ? WVL_CHECK_ILLEGAL : WVL_CHECK_LEGAL;
}
