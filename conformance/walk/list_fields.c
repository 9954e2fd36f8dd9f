/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of marker segments (Annex A; 15444-15 Annex A) and of boxes (Annex I; 15444-15 Annex D). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "boxes.h"
#include "list.h"

#define SHOWN_TEXT 256u
#define INDEX 255u /* bytes of a component number: 1 below 257 components, else 2 */
#define TO_THE_END UINT32_MAX

typedef enum field_kind {
    LAST, /* ends a table */
    NUMBER,
    POWER, /* of two */
    FLAG,
    WORD,
    KEEP, /* not listed: another field depends on it */
    ROWS, /* up to the end; COUNTED_ROWS: as many as the number before says */
    COUNTED_ROWS,
    REST, /* number of bytes that are left */
    CALL
} field_kind;

typedef struct field {
    const char *name;
    field_kind kind;
    uint8_t bytes; /* 0: a part of the bytes read before */
    uint8_t shift, plus;
    uint16_t mask;            /* 0: all bits */
    const char *const *words; /* the last one, before NULL, stands for all greater numbers */
    const struct field *rows; /* a single field without name: members of a list */
    void (*call)(wvl_walk_listing *l);
} field;

/* ---- Reading --------------------------------------------------------------------------------- */

static uint32_t take(wvl_walk_listing *l, unsigned bytes)
{
    uint32_t value = 0;
    if (l->left < bytes) {
        l->is_overrun = 1;
        l->left = 0;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++) {
        value = value << 8 | l->p[i];
    }
    l->p += bytes;
    l->left -= bytes;
    return value;
}

static void put_number(wvl_walk_listing *l, const char *name, uint64_t number)
{
    wvl_check_put_number(l, WVL_CHECK_ITEM_NUMBER, name, number);
}

static void put_rest(wvl_walk_listing *l, const char *name)
{
    put_number(l, name, l->left + l->beyond);
    l->left = 0;
}

static void put_bytes(wvl_walk_listing *l, const char *name, size_t most)
{
    wvl_check_item item = {.kind = WVL_CHECK_ITEM_BYTES, .name = name, .data = l->p};
    item.bytes = l->left < most ? l->left : most;
    l->item(l->user, &item);
    l->left = 0;
}

static void put_word(wvl_walk_listing *l, const char *name, const char *const *words, uint32_t number)
{
    while (number-- && words[1]) {
        words++;
    }
    wvl_check_put_text(l, name, *words);
}

static void list_fields(wvl_walk_listing *l, const field *f);

static void open_list(wvl_walk_listing *l, const char *name)
{
    wvl_check_open_item(l, WVL_CHECK_ITEM_LIST, name, 0, 0);
}

static void close_list(wvl_walk_listing *l) { wvl_check_close_item(l, WVL_CHECK_ITEM_LIST); }

static void list_row(wvl_walk_listing *l, const field *fields)
{
    if (!fields->name) {
        list_fields(l, fields);
        return;
    }
    wvl_check_open_item(l, WVL_CHECK_ITEM_ROW, NULL, 0, 0);
    list_fields(l, fields);
    wvl_check_close_item(l, WVL_CHECK_ITEM_ROW);
}

static void list_rows(wvl_walk_listing *l, const char *name, const field *fields, uint32_t count)
{
    open_list(l, name);
    for (uint32_t i = 0; !l->is_overrun && (count == TO_THE_END ? l->left > 0 : i < count); i++) {
        list_row(l, fields);
    }
    close_list(l);
}

static void list_field(wvl_walk_listing *l, const field *f)
{
    unsigned index_bytes = l->component_count < 257 ? 1 : 2;
    if (f->bytes) {
        l->raw = take(l, f->bytes == INDEX ? index_bytes : f->bytes);
    }
    uint32_t value = (l->raw >> f->shift & (f->mask ? f->mask : UINT32_MAX)) + f->plus;
    switch (f->kind) {
    case NUMBER: put_number(l, f->name, value); break;
    case POWER: put_number(l, f->name, UINT64_C(1) << value); break;
    case FLAG: wvl_check_put_number(l, WVL_CHECK_ITEM_FLAG, f->name, value); break;
    case WORD: put_word(l, f->name, f->words, value); break;
    case KEEP: l->kept = value; break;
    case ROWS: list_rows(l, f->name, f->rows, TO_THE_END); break;
    case COUNTED_ROWS: list_rows(l, f->name, f->rows, value); break;
    case REST: put_rest(l, f->name); break;
    default: f->call(l); break;
    }
}

static void list_fields(wvl_walk_listing *l, const field *f)
{
    for (; f->kind != LAST; f++) {
        list_field(l, f);
    }
}

/* ---- SIZ, CAP, PRF, CPF ---------------------------------------------------------------------- */

static void check_count(wvl_walk_listing *l)
{
    l->component_count = l->raw;
    if (l->raw < 1 || l->raw > 16384) {
        wvl_check_put_problem(l, l->offset, "SIZ: %" PRIu32 " components; 1 to 16384 are allowed (A.5.1)", l->raw);
    }
}

static const field siz_component[] = {{"depth", NUMBER, .bytes = 1, .mask = 0x7F, .plus = 1},
                                      {"signed", FLAG, .shift = 7},
                                      {"dx", NUMBER, .bytes = 1},
                                      {"dy", NUMBER, .bytes = 1},
                                      {.kind = LAST}};
static const field siz[] = {{"Rsiz", NUMBER, .bytes = 2},
                            {"Xsiz", NUMBER, .bytes = 4},
                            {"Ysiz", NUMBER, .bytes = 4},
                            {"XOsiz", NUMBER, .bytes = 4},
                            {"YOsiz", NUMBER, .bytes = 4},
                            {"XTsiz", NUMBER, .bytes = 4},
                            {"YTsiz", NUMBER, .bytes = 4},
                            {"XTOsiz", NUMBER, .bytes = 4},
                            {"YTOsiz", NUMBER, .bytes = 4},
                            {"Csiz", NUMBER, .bytes = 2},
                            {NULL, CALL, .call = check_count},
                            {"components", COUNTED_ROWS, .rows = siz_component},
                            {.kind = LAST}};
static const field word[] = {{NULL, NUMBER, .bytes = 2}, {.kind = LAST}};
static const field cap[] = {{"Pcap", NUMBER, .bytes = 4}, {"Ccap", ROWS, .rows = word}, {.kind = LAST}};
static const field profile_words[] = {{"words", ROWS, .rows = word}, {.kind = LAST}};

/* ---- COD, COC -------------------------------------------------------------------------------- */

static const char *const orders[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL", "reserved", NULL};
static const char *const transforms[] = {"9/7", "5/3", "reserved", NULL};

static void list_style_names(wvl_walk_listing *l)
{
    static const char *const names[] = {"BYPASS", "RESET", "TERMALL", "VSC", "PTERM", "SEGSYM", "HT", "MIXED"};
    open_list(l, "style_names");
    for (unsigned i = 0; i < 8; i++) {
        if (l->raw >> i & 1) {
            wvl_check_put_text(l, NULL, names[i]);
        }
    }
    close_list(l);
}

/* SPcod or SPcoc; bit 0 of Scod or Scoc is kept: precinct sizes follow, of resolution 0 first. */
static void list_coding(wvl_walk_listing *l)
{
    static const field styles[] = {{"style", NUMBER, .bytes = 1},
                                   {NULL, CALL, .call = list_style_names},
                                   {"transform", WORD, .bytes = 1, .words = transforms},
                                   {.kind = LAST}};
    static const field precinct[] = {
        {"width", POWER, .bytes = 1, .mask = 15}, {"height", POWER, .shift = 4, .mask = 15}, {.kind = LAST}};
    uint32_t levels = take(l, 1), xcb = take(l, 1), ycb = take(l, 1);
    put_number(l, "levels", levels);
    wvl_check_put_number(l, WVL_CHECK_ITEM_RAW, "xcb", xcb);
    wvl_check_put_number(l, WVL_CHECK_ITEM_RAW, "ycb", ycb);
    if (levels > 32 || xcb > 8 || ycb > 8 || xcb + ycb > 8) {
        wvl_check_put_problem(l, l->offset,
                              "%" PRIu32 " levels, block exponents %" PRIu32 " and %" PRIu32 " are not allowed (A.6.1)",
                              levels, xcb, ycb);
    } else {
        put_number(l, "block_width", UINT64_C(4) << xcb);
        put_number(l, "block_height", UINT64_C(4) << ycb);
    }
    list_fields(l, styles);
    if (l->kept) {
        list_rows(l, "precincts", precinct, levels + 1);
    }
}

static void check_layers(wvl_walk_listing *l)
{
    if (!l->raw) {
        wvl_check_put_problem(l, l->offset, "COD: 0 layers; 1 to 65535 are allowed (A.6.1)");
    }
}

static const field cod[] = {{NULL, KEEP, .bytes = 1, .mask = 1},
                            {"sop", FLAG, .shift = 1, .mask = 1},
                            {"eph", FLAG, .shift = 2, .mask = 1},
                            {"progression", WORD, .bytes = 1, .words = orders},
                            {"layers", NUMBER, .bytes = 2},
                            {NULL, CALL, .call = check_layers},
                            {"mct", NUMBER, .bytes = 1},
                            {NULL, CALL, .call = list_coding},
                            {.kind = LAST}};
static const field coc[] = {{"component", NUMBER, .bytes = INDEX},
                            {NULL, KEEP, .bytes = 1, .mask = 1},
                            {NULL, CALL, .call = list_coding},
                            {.kind = LAST}};

/* ---- QCD, QCC, RGN, POC ---------------------------------------------------------------------- */

static const char *const quantizations[] = {"none", "derived", "expounded", "reserved", NULL};

/* SPqcd or SPqcc; the style is kept. */
static void list_steps(wvl_walk_listing *l)
{
    static const field exponent[] = {{NULL, NUMBER, .bytes = 1, .shift = 3}, {.kind = LAST}};
    static const field long_exponent[] = {{NULL, NUMBER, .bytes = 2, .shift = 11}, {.kind = LAST}};
    static const field mantissa[] = {{NULL, NUMBER, .bytes = 2, .mask = 2047}, {.kind = LAST}};
    const uint8_t *p = l->p;
    size_t left = l->left;
    if (l->kept > 2) {
        wvl_check_put_problem(l, l->offset, "quantization style %u is not defined (A.6.4)", (unsigned)l->kept);
        l->left = 0;
        return;
    }
    list_rows(l, "exponents", l->kept ? long_exponent : exponent, TO_THE_END);
    if (l->kept) {
        l->p = p; /* the same bytes again; an odd one is noted again */
        l->left = left;
        l->is_overrun = 0;
        list_rows(l, "mantissas", mantissa, TO_THE_END);
    }
}

static const field qcd[] = {{NULL, KEEP, .bytes = 1, .mask = 31},
                            {"quantization", WORD, .mask = 31, .words = quantizations},
                            {"guard_bits", NUMBER, .shift = 5},
                            {NULL, CALL, .call = list_steps},
                            {.kind = LAST}};
static void list_qcd(wvl_walk_listing *l) { list_fields(l, qcd); }

static const field qcc[] = {{"component", NUMBER, .bytes = INDEX}, {NULL, CALL, .call = list_qcd}, {.kind = LAST}};
static const field rgn[] = {{"component", NUMBER, .bytes = INDEX},
                            {"style", NUMBER, .bytes = 1},
                            {"shift", NUMBER, .bytes = 1},
                            {.kind = LAST}};
static const field change[] = {{"RSpoc", NUMBER, .bytes = 1},
                               {"CSpoc", NUMBER, .bytes = INDEX},
                               {"LYEpoc", NUMBER, .bytes = 2},
                               {"REpoc", NUMBER, .bytes = 1},
                               {"CEpoc", NUMBER, .bytes = INDEX},
                               {"progression", WORD, .bytes = 1, .words = orders},
                               {.kind = LAST}};
static const field poc[] = {{"changes", ROWS, .rows = change}, {.kind = LAST}};

/* ---- Pointers -------------------------------------------------------------------------------- */

static void list_tlm_lengths(wvl_walk_listing *l)
{
    unsigned tile_bytes = l->raw >> 4 & 3, length_bytes = l->raw & 0x40 ? 4 : 2;
    if (tile_bytes == 3) {
        wvl_check_put_problem(l, l->offset, "TLM: a tile index of 3 bytes is not defined (A.7.1)");
        l->left = 0;
        return;
    }
    size_t entries = l->left / (tile_bytes + length_bytes);
    put_number(l, "entries", entries);
    open_list(l, "lengths");
    for (size_t i = 0; i < entries; i++) {
        (void)take(l, tile_bytes);
        uint64_t length = take(l, length_bytes);
        put_number(l, NULL, length);
        if (!wvl_check_push(&l->memory, &l->tlm, &length, sizeof length)) {
            wvl_check_lack_memory(l, "the lengths of TLM");
            break;
        }
    }
    close_list(l);
}

/* Seven bits a byte, the high bit says that more follow (Table A.36). */
static int take_packet_length(wvl_walk_listing *l, uint64_t *length)
{
    *length = 0;
    for (int i = 0; l->left && i < 9; i++) {
        unsigned byte = take(l, 1);
        *length = *length << 7 | (byte & 0x7F);
        if (byte < 0x80) {
            return 1;
        }
    }
    return wvl_check_put_problem(l, l->offset, "PLT: a packet length is cut off or too long (A.7.3)");
}

static void list_plt_lengths(wvl_walk_listing *l)
{
    uint64_t sum = 0, packets = 0, length;
    open_list(l, "lengths");
    while (l->left && take_packet_length(l, &length)) {
        put_number(l, NULL, length);
        packets++;
        sum += length;
    }
    close_list(l);
    put_number(l, "packets", packets);
    put_number(l, "packet_bytes", sum);
    l->plt_packets += packets;
    l->plt_bytes += sum;
}

static const field tlm[] = {{"index", NUMBER, .bytes = 1},
                            {"Stlm", NUMBER, .bytes = 1},
                            {NULL, CALL, .call = list_tlm_lengths},
                            {.kind = LAST}};
static const field plt[] = {{"index", NUMBER, .bytes = 1}, {NULL, CALL, .call = list_plt_lengths}, {.kind = LAST}};
static const field packed[] = {{"index", NUMBER, .bytes = 1}, {"content_bytes", .kind = REST}, {.kind = LAST}};

/* ---- CRG, COM -------------------------------------------------------------------------------- */

static const char *const comments[] = {"binary", "text", "reserved", NULL};

static void list_comment(wvl_walk_listing *l)
{
    put_number(l, "content_bytes", l->left);
    put_bytes(l, "content", SIZE_MAX);
}

static const field registration[] = {{"x", NUMBER, .bytes = 2}, {"y", NUMBER, .bytes = 2}, {.kind = LAST}};
static const field crg[] = {{"offsets", ROWS, .rows = registration}, {.kind = LAST}};
static const field com[] = {
    {"kind", WORD, .bytes = 2, .words = comments}, {NULL, CALL, .call = list_comment}, {.kind = LAST}};

/* ---- NLT ------------------------------------------------------------------------------------- */

static const char *const nonlinearities[] = {"none", "gamma", "table", "binary complement", "reserved", NULL};
static const field nlt[] = {{"component", NUMBER, .bytes = 2}, {"depth", NUMBER, .bytes = 1, .mask = 0x7F, .plus = 1},
                            {"signed", FLAG, .shift = 7},      {"type", WORD, .bytes = 1, .words = nonlinearities},
                            {"content_bytes", .kind = REST},   {.kind = LAST}};

static const struct {
    uint16_t code;
    const char *name;
    const field *fields;
} markers[] = {
    {0xFF4F, "SOC", NULL}, {0xFF50, "CAP", cap},           {0xFF51, "SIZ", siz},           {0xFF52, "COD", cod},
    {0xFF53, "COC", coc},  {0xFF55, "TLM", tlm},           {0xFF56, "PRF", profile_words}, {0xFF57, "PLM", packed},
    {0xFF58, "PLT", plt},  {0xFF59, "CPF", profile_words}, {0xFF5C, "QCD", qcd},           {0xFF5D, "QCC", qcc},
    {0xFF5E, "RGN", rgn},  {0xFF5F, "POC", poc},           {0xFF60, "PPM", packed},        {0xFF61, "PPT", packed},
    {0xFF63, "CRG", crg},  {0xFF64, "COM", com},           {0xFF76, "NLT", nlt},           {0xFF90, "SOT", NULL},
    {0xFF91, "SOP", NULL}, {0xFF92, "EPH", NULL},          {0xFF93, "SOD", NULL},          {0xFFD9, "EOC", NULL}};

#define MARKER_COUNT (sizeof markers / sizeof markers[0])

static size_t find_marker(unsigned code)
{
    size_t i = 0;
    while (i < MARKER_COUNT && markers[i].code != code) {
        i++;
    }
    return i;
}

const char *wvl_check_marker_name(unsigned marker)
{
    size_t i = find_marker(marker);
    return i < MARKER_COUNT ? markers[i].name : NULL;
}

void wvl_check_list_segment(wvl_walk_listing *l, unsigned marker)
{
    size_t i = find_marker(marker);
    if (i == MARKER_COUNT || !markers[i].fields) { /* unknown: skipped by its length */
        return;
    }
    list_fields(l, markers[i].fields);
    if (l->is_overrun || l->left) {
        wvl_check_put_problem(l, l->offset, "%s: its length does not suit its fields", markers[i].name);
    }
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

void wvl_check_name_box(uint32_t type, char name[5])
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

static void put_type(wvl_walk_listing *l, const char *key)
{
    char name[5];
    wvl_check_name_box(take(l, 4), name);
    wvl_check_put_text(l, key, name);
}

static void list_ftyp(wvl_walk_listing *l)
{
    put_type(l, "brand");
    put_number(l, "version", take(l, 4));
    open_list(l, "compatible");
    while (l->left >= 4) {
        put_type(l, NULL);
    }
    close_list(l);
}

static const field depth[] = {
    {"depth", NUMBER, .bytes = 1, .mask = 0x7F, .plus = 1}, {"signed", FLAG, .shift = 7}, {.kind = LAST}};

static void list_depth(wvl_walk_listing *l)
{
    if (l->left && *l->p == 255) {
        wvl_check_put_text(l, "depth", "varies");
        (void)take(l, 1);
    } else {
        list_fields(l, depth);
    }
}

static void list_space(wvl_walk_listing *l)
{
    static const struct {
        uint32_t value;
        const char *name;
    } names[] = {{0, "bilevel"}, {12, "CMYK"},   {14, "CIELab"}, {16, "sRGB"},  {17, "grey"},
                 {18, "sYCC"},   {20, "e-sRGB"}, {21, "ROMM"},   {24, "e-sYCC"}};
    const char *name = "unknown";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        name = names[i].value == l->raw ? names[i].name : name;
    }
    wvl_check_put_text(l, "space", name);
}

/* METH is kept. */
static void list_method(wvl_walk_listing *l)
{
    static const field enumerated[] = {
        {"enumerated", NUMBER, .bytes = 4}, {NULL, CALL, .call = list_space}, {.kind = LAST}};
    static const field coded[] = {{"primaries", NUMBER, .bytes = 2},
                                  {"transfer", NUMBER, .bytes = 2},
                                  {"matrix", NUMBER, .bytes = 2},
                                  {"full_range", FLAG, .bytes = 1, .shift = 7},
                                  {.kind = LAST}};
    if (l->kept == 1) {
        list_fields(l, enumerated);
    } else if (l->kept == 2 || l->kept == 3) {
        put_number(l, "icc_bytes", l->left + l->beyond);
        if (!l->beyond) { /* a part of a profile is none */
            put_bytes(l, "icc", SIZE_MAX);
        }
    } else if (l->kept == 5) {
        list_fields(l, coded);
    }
}

static void list_palette(wvl_walk_listing *l)
{
    uint32_t entries = take(l, 2), columns = take(l, 1);
    size_t entry_bytes = 0;
    put_number(l, "entries", entries);
    open_list(l, "columns");
    for (uint32_t i = 0; i < columns; i++) {
        list_row(l, depth);
        entry_bytes += ((l->raw & 0x7F) + 8) / 8;
    }
    close_list(l);
    l->is_overrun |= l->left != entries * entry_bytes;
    l->left = 0;
}

static void put_channel_type(wvl_walk_listing *l)
{
    static const char *const types[] = {"color", "opacity", "premultiplied opacity", "other", NULL};
    wvl_check_put_text(l, "type", l->raw == 65535 ? "unspecified" : types[l->raw < 3 ? l->raw : 3]);
}

static double power_of_ten(int exponent)
{
    double v = 1.0;
    for (int i = exponent < 0 ? -exponent : exponent; i; i--) {
        v *= 10.0;
    }
    return exponent < 0 ? 1.0 / v : v;
}

static void list_resolution(wvl_walk_listing *l)
{
    static const char *const names[] = {"vertical_per_metre", "horizontal_per_metre"};
    uint32_t n[4];
    for (int i = 0; i < 4; i++) {
        n[i] = take(l, 2);
    }
    int exponents[2];
    for (int i = 0; i < 2; i++) {
        exponents[i] = (int8_t)take(l, 1);
    }
    l->is_overrun |= !n[1] || !n[3]; /* a denominator of 0 */
    for (int i = 0; i < 2 && !l->is_overrun; i++) {
        wvl_check_item item = {.kind = WVL_CHECK_ITEM_REAL, .name = names[i]};
        item.real = (double)n[2 * i] / n[2 * i + 1] * power_of_ten(exponents[i]);
        l->item(l->user, &item);
    }
}

static void list_uuid(wvl_walk_listing *l)
{
    static const struct {
        const char *bytes, *name;
    } known[] = {{"\xBE\x7A\xCF\xCB\x97\xA9\x42\xE8\x9C\x71\x99\x94\x91\xE3\xAF\xAC", "XMP"},
                 {"JpgTiffExif->JP2", "Exif"},
                 {"\x33\xC7\xA4\xD2\xB8\x1D\x47\x23\xA0\xBA\xF1\xA3\xE0\x97\xAD\x38", "IPTC"},
                 {"\xB1\x4B\xF8\xBD\x08\x3D\x4B\x43\xA5\xAE\x8C\xD7\xD5\xA6\xCE\x03", "GeoJP2"}};
    const char *name = "unknown";
    char text[33];
    if (l->left < 16) {
        l->is_overrun = 1;
        return;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        name = memcmp(l->p, known[i].bytes, 16) == 0 ? known[i].name : name;
    }
    for (int i = 0; i < 16; i++) {
        snprintf(text + 2 * i, 3, "%02x", (unsigned)take(l, 1));
    }
    wvl_check_put_text(l, "uuid", text);
    wvl_check_put_text(l, "meaning", name);
    put_rest(l, "content_bytes");
}

static void list_text(wvl_walk_listing *l) { put_bytes(l, "text", SHOWN_TEXT); }

static const field ftyp[] = {{NULL, CALL, .call = list_ftyp}, {.kind = LAST}};
static const field ihdr[] = {{"height", NUMBER, .bytes = 4},      {"width", NUMBER, .bytes = 4},
                             {"components", NUMBER, .bytes = 2},  {NULL, CALL, .call = list_depth},
                             {"compression", NUMBER, .bytes = 1}, {"color_unknown", NUMBER, .bytes = 1},
                             {"property", NUMBER, .bytes = 1},    {.kind = LAST}};
static const field bpcc[] = {{"components", ROWS, .rows = depth}, {.kind = LAST}};
static const field colr[] = {{"method", NUMBER, .bytes = 1},     {NULL, .kind = KEEP},
                             {"precedence", NUMBER, .bytes = 1}, {"approximation", NUMBER, .bytes = 1},
                             {NULL, CALL, .call = list_method},  {.kind = LAST}};
static const field pclr[] = {{NULL, CALL, .call = list_palette}, {.kind = LAST}};
static const field mapping[] = {
    {"component", NUMBER, .bytes = 2}, {"mapping", NUMBER, .bytes = 1}, {"column", NUMBER, .bytes = 1}, {.kind = LAST}};
static const field cmap[] = {{"channels", ROWS, .rows = mapping}, {.kind = LAST}};
static const field channel[] = {{"channel", NUMBER, .bytes = 2},
                                {"type", CALL, .bytes = 2, .call = put_channel_type},
                                {"association", NUMBER, .bytes = 2},
                                {.kind = LAST}};
static const field cdef[] = {{"channels", COUNTED_ROWS, .bytes = 2, .rows = channel}, {.kind = LAST}};
static const field resolution[] = {{NULL, CALL, .call = list_resolution}, {.kind = LAST}};
static const field uuid[] = {{NULL, CALL, .call = list_uuid}, {.kind = LAST}};
static const field text[] = {{NULL, CALL, .call = list_text}, {.kind = LAST}};

static const struct {
    uint32_t type;
    const field *fields;
    enum { IN_PART, WHOLE, EXACT } need; /* EXACT: the whole content, and the fields use it up */
} boxes[] = {
    {WVL_WALK_BOX('f', 't', 'y', 'p'), ftyp, EXACT},       {WVL_WALK_BOX('i', 'h', 'd', 'r'), ihdr, EXACT},
    {WVL_WALK_BOX('b', 'p', 'c', 'c'), bpcc, EXACT},       {WVL_WALK_BOX('c', 'o', 'l', 'r'), colr, WHOLE},
    {WVL_WALK_BOX('p', 'c', 'l', 'r'), pclr, EXACT},       {WVL_WALK_BOX('c', 'm', 'a', 'p'), cmap, EXACT},
    {WVL_WALK_BOX('c', 'd', 'e', 'f'), cdef, EXACT},       {WVL_WALK_BOX('r', 'e', 's', 'c'), resolution, EXACT},
    {WVL_WALK_BOX('r', 'e', 's', 'd'), resolution, EXACT}, {WVL_WALK_BOX('u', 'u', 'i', 'd'), uuid, IN_PART},
    {WVL_WALK_BOX('x', 'm', 'l', ' '), text, IN_PART},     {WVL_WALK_BOX('j', 'p', '2', 'i'), text, IN_PART},
    {WVL_WALK_BOX('l', 'b', 'l', ' '), text, IN_PART},
};

#define BOX_COUNT (sizeof boxes / sizeof boxes[0])

static size_t find_box(uint32_t type)
{
    size_t i = 0;
    while (i < BOX_COUNT && boxes[i].type != type) {
        i++;
    }
    return i;
}

int wvl_check_is_listed_box(uint32_t type) { return find_box(type) < BOX_COUNT; }

int wvl_check_is_whole_box(uint32_t type)
{
    size_t i = find_box(type);
    return i < BOX_COUNT && boxes[i].need != IN_PART;
}

void wvl_check_list_box(wvl_walk_listing *l, uint32_t type)
{
    size_t i = find_box(type);
    list_fields(l, boxes[i].fields);
    if (l->is_overrun || (boxes[i].need == EXACT && (l->left || l->beyond))) {
        wvl_check_put_problem(l, l->offset, "the content of the box does not have the length that its fields ask for");
    }
}
