/* SPDX-License-Identifier: BSD-2-Clause */
/* Boxes of the JP2 family (Annex I; ISO/IEC 15444-15 Annex D). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "info.h"

#define CODE(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))
#define SHOWN_TEXT 256u
/* Content beyond it is described by its length only: no known box but xml, uuid and an ICC colr is larger. */
#define MAX_HELD (1u << 20)

typedef struct box {
    uint32_t type;
    uint64_t offset, end, content;
} box;

/* The header of the box at offset, which must end by `limit`. */
static int read_header(wvl_info *info, uint64_t offset, uint64_t limit, box *b)
{
    uint8_t raw[16];
    wvl_info_cursor c = {raw, 8, 0};
    if (limit - offset < 8) {
        return wvl_info_problem(info, offset, "%" PRIu64 " bytes are left, too few for a box (I.4)", limit - offset);
    }
    if (!wvl_info_read(info, offset, 8, raw)) {
        return 0;
    }
    uint64_t length = wvl_info_take(&c, 4), header = 8;
    b->type = wvl_info_take(&c, 4);
    if (length == 1) {
        if (limit - offset < 16 || !wvl_info_read(info, offset, 16, raw)) {
            return wvl_info_problem(info, offset, "the extended length of the box is cut off (I.4)");
        }
        c = (wvl_info_cursor){raw + 8, 8, 0};
        length = (uint64_t)wvl_info_take(&c, 4) << 32;
        length |= wvl_info_take(&c, 4);
        header = 16;
    } else if (length == 0) {
        length = limit - offset;
    }
    if (length < header || length > limit - offset) {
        return wvl_info_problem(info, offset, "a box of %" PRIu64 " bytes where %" PRIu64 " are left (I.4)", length,
                                limit - offset);
    }
    b->offset = offset;
    b->content = offset + header;
    b->end = offset + length;
    return 1;
}

static void type_name(uint32_t type, char name[5])
{
    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)(type >> (24 - 8 * i));
        name[i] = (char)(c >= 32 && c < 127 ? c : '?');
    }
    name[4] = '\0';
    for (int i = 3; i > 0 && name[i] == ' '; i--) {
        name[i] = '\0';
    }
}

/* ---- Contents -------------------------------------------------------------------------------- */

static void print_type(wvl_info *info, const char *key, uint32_t type)
{
    char name[5];
    type_name(type, name);
    wvl_cli_report_text(&info->report, key, name);
}

static void print_ftyp(wvl_info *info, wvl_info_cursor *c)
{
    print_type(info, "brand", wvl_info_take(c, 4));
    wvl_cli_report_number(&info->report, "version", wvl_info_take(c, 4));
    wvl_cli_report_open_list(&info->report, "compatible");
    while (c->left >= 4) {
        print_type(info, NULL, wvl_info_take(c, 4));
    }
    wvl_cli_report_close(&info->report);
}

static void print_depth(wvl_cli_report *r, unsigned bpc)
{
    wvl_cli_report_open_line(r, NULL);
    wvl_cli_report_number(r, "depth", (bpc & 0x7F) + 1);
    wvl_cli_report_flag(r, "signed", bpc >> 7 != 0);
    wvl_cli_report_close(r);
}

static void print_ihdr(wvl_info *info, wvl_info_cursor *c)
{
    wvl_cli_report *r = &info->report;
    wvl_cli_report_number(r, "height", wvl_info_take(c, 4));
    wvl_cli_report_number(r, "width", wvl_info_take(c, 4));
    wvl_cli_report_number(r, "components", wvl_info_take(c, 2));
    unsigned bpc = wvl_info_take(c, 1);
    if (bpc == 255) {
        wvl_cli_report_text(r, "depth", "varies");
    } else {
        wvl_cli_report_number(r, "depth", (bpc & 0x7F) + 1);
        wvl_cli_report_flag(r, "signed", bpc >> 7 != 0);
    }
    wvl_cli_report_number(r, "compression", wvl_info_take(c, 1));
    wvl_cli_report_number(r, "color_unknown", wvl_info_take(c, 1));
    wvl_cli_report_number(r, "property", wvl_info_take(c, 1));
}

static void print_bpcc(wvl_info *info, wvl_info_cursor *c)
{
    wvl_cli_report_open_list(&info->report, "components");
    while (c->left) {
        print_depth(&info->report, wvl_info_take(c, 1));
    }
    wvl_cli_report_close(&info->report);
}

static const char *enumerated_name(uint32_t value)
{
    static const struct {
        uint32_t value;
        const char *name;
    } names[] = {{0, "bilevel"}, {12, "CMYK"},   {14, "CIELab"}, {16, "sRGB"},  {17, "grey"},
                 {18, "sYCC"},   {20, "e-sRGB"}, {21, "ROMM"},   {24, "e-sYCC"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].value == value) {
            return names[i].name;
        }
    }
    return "unknown";
}

static void print_colr(wvl_info *info, wvl_info_cursor *c)
{
    wvl_cli_report *r = &info->report;
    unsigned method = wvl_info_take(c, 1);
    wvl_cli_report_number(r, "method", method);
    wvl_cli_report_number(r, "precedence", wvl_info_take(c, 1));
    wvl_cli_report_number(r, "approximation", wvl_info_take(c, 1));
    if (method == 1) {
        uint32_t value = wvl_info_take(c, 4);
        wvl_cli_report_number(r, "enumerated", value);
        wvl_cli_report_text(r, "space", enumerated_name(value));
    } else if (method == 2 || method == 3) {
        static const char *const kinds[] = {"restricted grey", "restricted RGB", "not restricted", "broken"};
        wvl_cli_report_number(r, "icc_bytes", c->left);
        wvl_cli_report_text(r, "icc", kinds[wvl_io_icc_kind(c->p, c->left)]);
    } else if (method == 5) {
        wvl_cli_report_number(r, "primaries", wvl_info_take(c, 2));
        wvl_cli_report_number(r, "transfer", wvl_info_take(c, 2));
        wvl_cli_report_number(r, "matrix", wvl_info_take(c, 2));
        wvl_cli_report_flag(r, "full_range", wvl_info_take(c, 1) >> 7 != 0);
    }
}

static void print_pclr(wvl_info *info, wvl_info_cursor *c)
{
    wvl_cli_report *r = &info->report;
    uint32_t entries = wvl_info_take(c, 2), columns = wvl_info_take(c, 1);
    size_t entry_bytes = 0;
    wvl_cli_report_number(r, "entries", entries);
    wvl_cli_report_open_list(r, "columns");
    for (uint32_t i = 0; i < columns; i++) {
        unsigned bpc = wvl_info_take(c, 1);
        entry_bytes += ((bpc & 0x7F) + 8) / 8;
        print_depth(r, bpc);
    }
    wvl_cli_report_close(r);
    c->overrun |= c->left != entries * entry_bytes;
    c->left = 0;
}

static void print_cmap(wvl_info *info, wvl_info_cursor *c)
{
    wvl_cli_report *r = &info->report;
    wvl_cli_report_open_list(r, "channels");
    while (c->left && !c->overrun) {
        wvl_cli_report_open_line(r, NULL);
        wvl_cli_report_number(r, "component", wvl_info_take(c, 2));
        wvl_cli_report_number(r, "mapping", wvl_info_take(c, 1));
        wvl_cli_report_number(r, "column", wvl_info_take(c, 1));
        wvl_cli_report_close(r);
    }
    wvl_cli_report_close(r);
}

static void print_cdef(wvl_info *info, wvl_info_cursor *c)
{
    wvl_cli_report *r = &info->report;
    uint32_t count = wvl_info_take(c, 2);
    wvl_cli_report_open_list(r, "channels");
    for (uint32_t i = 0; i < count && !c->overrun; i++) {
        wvl_cli_report_open_line(r, NULL);
        wvl_cli_report_number(r, "channel", wvl_info_take(c, 2));
        uint32_t type = wvl_info_take(c, 2);
        wvl_cli_report_text(r, "type",
                            type == 0       ? "color"
                            : type == 1     ? "opacity"
                            : type == 2     ? "premultiplied opacity"
                            : type == 65535 ? "unspecified"
                                            : "other");
        wvl_cli_report_number(r, "association", wvl_info_take(c, 2));
        wvl_cli_report_close(r);
    }
    wvl_cli_report_close(r);
}

static double power_of_ten(int exponent)
{
    double v = 1.0;
    for (int i = exponent < 0 ? -exponent : exponent; i; i--) {
        v *= 10.0;
    }
    return exponent < 0 ? 1.0 / v : v;
}

static void print_resolution(wvl_info *info, wvl_info_cursor *c)
{
    uint32_t n[4];
    int e[2];
    for (int i = 0; i < 4; i++) {
        n[i] = wvl_info_take(c, 2);
    }
    for (int i = 0; i < 2; i++) {
        e[i] = (int)(int8_t)wvl_info_take(c, 1);
    }
    c->overrun |= !n[1] || !n[3]; /* a denominator of 0 */
    if (!c->overrun) {
        wvl_cli_report_real(&info->report, "vertical_per_metre", (double)n[0] / n[1] * power_of_ten(e[0]));
        wvl_cli_report_real(&info->report, "horizontal_per_metre", (double)n[2] / n[3] * power_of_ten(e[1]));
    }
}

static const char *uuid_name(const uint8_t *id)
{
    static const struct {
        const char *bytes, *name;
    } known[] = {{"\xBE\x7A\xCF\xCB\x97\xA9\x42\xE8\x9C\x71\x99\x94\x91\xE3\xAF\xAC", "XMP"},
                 {"JpgTiffExif->JP2", "Exif"},
                 {"\x33\xC7\xA4\xD2\xB8\x1D\x47\x23\xA0\xBA\xF1\xA3\xE0\x97\xAD\x38", "IPTC"},
                 {"\xB1\x4B\xF8\xBD\x08\x3D\x4B\x43\xA5\xAE\x8C\xD7\xD5\xA6\xCE\x03", "GeoJP2"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!memcmp(id, known[i].bytes, 16)) {
            return known[i].name;
        }
    }
    return "unknown";
}

static void print_uuid(wvl_info *info, wvl_info_cursor *c)
{
    char text[33];
    if (c->left < 16) {
        c->overrun = 1;
        return;
    }
    for (int i = 0; i < 16; i++) {
        snprintf(text + 2 * i, 3, "%02x", c->p[i]);
    }
    wvl_cli_report_text(&info->report, "uuid", text);
    wvl_cli_report_text(&info->report, "meaning", uuid_name(c->p));
    c->p += 16;
    c->left -= 16;
    wvl_cli_report_number(&info->report, "content_bytes", c->left);
    c->left = 0;
}

static void print_text(wvl_info *info, wvl_info_cursor *c)
{
    wvl_cli_report_bytes(&info->report, "text", c->p, c->left < SHOWN_TEXT ? c->left : SHOWN_TEXT);
    c->left = 0;
}

typedef struct box_kind {
    uint32_t type;
    void (*print)(wvl_info *info, wvl_info_cursor *c);
    int exact; /* content must be used up */
} box_kind;

static const box_kind kinds[] = {
    {CODE('f', 't', 'y', 'p'), print_ftyp, 1},       {CODE('i', 'h', 'd', 'r'), print_ihdr, 1},
    {CODE('b', 'p', 'c', 'c'), print_bpcc, 1},       {CODE('c', 'o', 'l', 'r'), print_colr, 0},
    {CODE('p', 'c', 'l', 'r'), print_pclr, 1},       {CODE('c', 'm', 'a', 'p'), print_cmap, 1},
    {CODE('c', 'd', 'e', 'f'), print_cdef, 1},       {CODE('r', 'e', 's', 'c'), print_resolution, 1},
    {CODE('r', 'e', 's', 'd'), print_resolution, 1}, {CODE('u', 'u', 'i', 'd'), print_uuid, 1},
    {CODE('x', 'm', 'l', ' '), print_text, 0},       {CODE('j', 'p', '2', 'i'), print_text, 0},
    {CODE('l', 'b', 'l', ' '), print_text, 0},
};

static int is_superbox(uint32_t type)
{
    static const uint32_t types[] = {CODE('j', 'p', '2', 'h'), CODE('r', 'e', 's', ' '), CODE('u', 'i', 'n', 'f'),
                                     CODE('a', 's', 'o', 'c')};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i] == type) {
            return 1;
        }
    }
    return 0;
}

static const box_kind *find_kind(uint32_t type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].type == type) {
            return &kinds[i];
        }
    }
    return NULL;
}

/* 0 when the file could not be read. A content that is too long to hold is described from its beginning. */
static int print_content(wvl_info *info, const box *b, const box_kind *kind)
{
    uint64_t bytes = b->end - b->content;
    size_t held = bytes < MAX_HELD ? (size_t)bytes : MAX_HELD;
    uint8_t *content = malloc(held ? held : 1);
    if (!content) {
        return wvl_info_lack_memory(info, b->offset, "the content of the box");
    }
    int readable = wvl_info_read(info, b->content, held, content);
    if (readable) {
        wvl_info_cursor c = {content, held, 0};
        kind->print(info, &c);
        if (c.overrun || (kind->exact && c.left)) {
            (void)wvl_info_problem(info, b->offset,
                                   "the content of the box does not have the length that its fields ask for");
        }
    }
    free(content);
    return readable;
}

/* ---- The sequence ---------------------------------------------------------------------------- */

static int print_sequence(wvl_info *info, uint64_t offset, uint64_t end, unsigned depth);

static int print_superbox(wvl_info *info, const box *b, const char *name, unsigned depth)
{
    wvl_cli_report *r = &info->report;
    if (r->json) {
        wvl_cli_report_open_object(r, NULL);
        wvl_cli_report_text(r, "box", name);
        wvl_cli_report_number(r, "offset", b->offset);
        wvl_cli_report_number(r, "bytes", b->end - b->offset);
        wvl_cli_report_open_list(r, "boxes");
    } else {
        wvl_info_open_entry(info, "box", name, b->offset, b->end - b->offset);
        wvl_cli_report_close(r);
        wvl_cli_report_open_list(r, NULL);
    }
    int good = print_sequence(info, b->content, b->end, depth + 1);
    wvl_cli_report_close(r);
    if (r->json) {
        wvl_cli_report_close(r);
    }
    return good;
}

static int print_box(wvl_info *info, const box *b, unsigned depth)
{
    char name[5];
    type_name(b->type, name);
    if (is_superbox(b->type) && depth < 4) {
        return print_superbox(info, b, name, depth);
    }
    const box_kind *kind = find_kind(b->type);
    int good = 1;
    if (b->type == CODE('j', 'p', '2', 'c') && !info->stream_end) {
        info->stream_offset = b->content;
        info->stream_end = b->end;
    }
    wvl_info_open_entry(info, "box", name, b->offset, b->end - b->offset);
    if (kind) {
        good = print_content(info, b, kind);
    }
    wvl_cli_report_close(&info->report);
    return good;
}

static int print_sequence(wvl_info *info, uint64_t offset, uint64_t end, unsigned depth)
{
    while (offset < end) {
        box b = {0};
        if (!read_header(info, offset, end, &b) || !print_box(info, &b, depth)) {
            return 0;
        }
        offset = b.end;
    }
    return 1;
}

int wvl_info_print_boxes(wvl_info *info)
{
    wvl_cli_report_open_list(&info->report, "boxes");
    int good = print_sequence(info, 0, info->size, 0);
    wvl_cli_report_close(&info->report);
    if (!info->stream_end) {
        return good && wvl_info_problem(info, info->size, "no codestream box (I.5.4)");
    }
    return wvl_info_print_codestream(info, info->stream_offset, info->stream_end) && good;
}
