/* SPDX-License-Identifier: BSD-2-Clause */
/* Marker segments (Annex A; ISO/IEC 15444-15 Annex A), every field of them. */
#include <inttypes.h>

#include "info.h"

#define SHOWN_TEXT 256u
#define SHOWN_LENGTHS 16u /* in text; JSON has all */

static const char *const orders[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};

static const char *order_name(unsigned order) { return order < 5 ? orders[order] : "reserved"; }

/* Component indices take one byte below 257 components, else two. */
static uint32_t take_component(const wvl_info *info, wvl_info_cursor *c)
{
    return wvl_info_take(c, info->component_count < 257 ? 1 : 2);
}

/* ---- SIZ, CAP, PRF, CPF ---------------------------------------------------------------------- */

/* sizes: Xsiz to YTOsiz. A picture that ends before it begins has no size. */
static void keep_sizes(wvl_info_facts *f, const uint32_t sizes[8])
{
    f->width = sizes[0] > sizes[2] ? sizes[0] - sizes[2] : 0;
    f->height = sizes[1] > sizes[3] ? sizes[1] - sizes[3] : 0;
    f->tile_width = sizes[4];
    f->tile_height = sizes[5];
}

static void keep_depth(wvl_info_facts *f, uint32_t depth)
{
    f->most_depth = depth > f->most_depth ? depth : f->most_depth;
    f->least_depth = !f->least_depth || depth < f->least_depth ? depth : f->least_depth;
}

static void print_siz(wvl_info *info, uint64_t offset, wvl_info_cursor *c)
{
    static const char *const names[] = {"Xsiz", "Ysiz", "XOsiz", "YOsiz", "XTsiz", "YTsiz", "XTOsiz", "YTOsiz"};
    wvl_cli_report *r = &info->report;
    wvl_cli_report_number(r, "Rsiz", wvl_info_take(c, 2));
    uint32_t sizes[8];
    for (int i = 0; i < 8; i++) {
        sizes[i] = wvl_info_take(c, 4);
        wvl_cli_report_number(r, names[i], sizes[i]);
    }
    keep_sizes(&info->facts, sizes);
    uint32_t count = wvl_info_take(c, 2);
    wvl_cli_report_number(r, "Csiz", count);
    if (count < 1 || count > 16384) {
        (void)wvl_info_problem(info, offset, "SIZ: %" PRIu32 " components; 1 to 16384 are allowed (A.5.1)", count);
    }
    info->component_count = count;
    wvl_cli_report_open_list(r, "components");
    for (uint32_t i = 0; i < count && !c->overrun; i++) {
        unsigned ssiz = wvl_info_take(c, 1);
        wvl_cli_report_open_line(r, NULL);
        wvl_cli_report_number(r, "depth", (ssiz & 0x7F) + 1);
        keep_depth(&info->facts, (ssiz & 0x7F) + 1);
        wvl_cli_report_flag(r, "signed", ssiz >> 7 != 0);
        wvl_cli_report_number(r, "dx", wvl_info_take(c, 1));
        wvl_cli_report_number(r, "dy", wvl_info_take(c, 1));
        wvl_cli_report_close(r);
    }
    wvl_cli_report_close(r);
}

static void print_words(wvl_info *info, const char *name, wvl_info_cursor *c)
{
    wvl_cli_report_open_list(&info->report, name);
    while (c->left && !c->overrun) {
        wvl_cli_report_number(&info->report, NULL, wvl_info_take(c, 2));
    }
    wvl_cli_report_close(&info->report);
}

static void print_cap(wvl_info *info, wvl_info_cursor *c)
{
    wvl_cli_report_number(&info->report, "Pcap", wvl_info_take(c, 4));
    print_words(info, "Ccap", c);
}

/* ---- COD, COC -------------------------------------------------------------------------------- */

static void print_style(wvl_cli_report *r, unsigned style)
{
    static const char *const names[] = {"BYPASS", "RESET", "TERMALL", "VSC", "PTERM", "SEGSYM", "HT", "MIXED"};
    wvl_cli_report_number(r, "style", style);
    wvl_cli_report_open_list(r, "style_names");
    for (unsigned i = 0; i < 8; i++) {
        if (style >> i & 1) {
            wvl_cli_report_text(r, NULL, names[i]);
        }
    }
    wvl_cli_report_close(r);
}

static const char *transform_name(unsigned transform)
{
    static const char *const names[] = {"9/7", "5/3"};
    return transform < 2 ? names[transform] : "reserved";
}

/* facts: where the values are kept; NULL: nowhere. */
static void print_coding(wvl_info *info, uint64_t offset, int has_precincts, wvl_info_facts *facts, wvl_info_cursor *c)
{
    wvl_info_facts unused, *f = facts ? facts : &unused;
    wvl_cli_report *r = &info->report;
    uint32_t levels = wvl_info_take(c, 1), xcb = wvl_info_take(c, 1), ycb = wvl_info_take(c, 1);
    wvl_cli_report_number(r, "levels", levels);
    if (levels > 32 || xcb > 8 || ycb > 8 || xcb + ycb > 8) {
        (void)wvl_info_problem(
            info, offset, "%" PRIu32 " levels, block exponents %" PRIu32 " and %" PRIu32 " are not allowed (A.6.1)",
            levels, xcb, ycb);
    } else {
        wvl_cli_report_number(r, "block_width", UINT64_C(4) << xcb);
        wvl_cli_report_number(r, "block_height", UINT64_C(4) << ycb);
    }
    f->has_coding = 1;
    f->levels = levels;
    f->block_width = xcb < 9 ? 4u << xcb : 0;
    f->block_height = ycb < 9 ? 4u << ycb : 0;
    f->style = wvl_info_take(c, 1);
    print_style(r, f->style);
    f->transform = transform_name(wvl_info_take(c, 1));
    wvl_cli_report_text(r, "transform", f->transform);
    if (!has_precincts) {
        return;
    }
    wvl_cli_report_open_list(r, "precincts"); /* resolution 0 first, as they are stored */
    for (uint32_t i = 0; i <= levels && !c->overrun; i++) {
        unsigned pp = wvl_info_take(c, 1);
        wvl_cli_report_open_line(r, NULL);
        wvl_cli_report_number(r, "width", UINT64_C(1) << (pp & 15));
        wvl_cli_report_number(r, "height", UINT64_C(1) << (pp >> 4 & 15));
        wvl_cli_report_close(r);
    }
    wvl_cli_report_close(r);
}

static void print_cod(wvl_info *info, uint64_t offset, wvl_info_cursor *c)
{
    wvl_cli_report *r = &info->report;
    unsigned scod = wvl_info_take(c, 1), order = wvl_info_take(c, 1);
    wvl_cli_report_flag(r, "sop", scod >> 1 & 1);
    wvl_cli_report_flag(r, "eph", scod >> 2 & 1);
    wvl_cli_report_text(r, "progression", order_name(order));
    uint32_t layers = wvl_info_take(c, 2);
    wvl_cli_report_number(r, "layers", layers);
    wvl_cli_report_number(r, "mct", wvl_info_take(c, 1));
    if (!layers) {
        (void)wvl_info_problem(info, offset, "COD: 0 layers; 1 to 65535 are allowed (A.6.1)");
    }
    int is_first = !info->has_cod; /* others belong to tiles */
    info->has_cod = 1;
    info->layers = is_first ? layers : info->layers;
    info->facts.order = is_first ? order_name(order) : info->facts.order;
    print_coding(info, offset, scod & 1, is_first ? &info->facts : NULL, c);
}

static void print_coc(wvl_info *info, uint64_t offset, wvl_info_cursor *c)
{
    wvl_cli_report_number(&info->report, "component", take_component(info, c));
    unsigned scoc = wvl_info_take(c, 1);
    print_coding(info, offset, scoc & 1, NULL, c);
}

/* ---- QCD, QCC, RGN, POC ---------------------------------------------------------------------- */

static void print_quantization(wvl_info *info, uint64_t offset, wvl_info_cursor *c)
{
    static const char *const styles[] = {"none", "derived", "expounded"};
    wvl_cli_report *r = &info->report;
    unsigned sqcd = wvl_info_take(c, 1), style = sqcd & 31;
    wvl_cli_report_text(r, "quantization", style < 3 ? styles[style] : "reserved");
    wvl_cli_report_number(r, "guard_bits", sqcd >> 5);
    if (style > 2) {
        (void)wvl_info_problem(info, offset, "quantization style %u is not defined (A.6.4)", style);
        c->left = 0;
        return;
    }
    wvl_cli_report_open_list(r, "exponents");
    wvl_info_cursor again = *c;
    while (c->left && !c->overrun) {
        wvl_cli_report_number(r, NULL, style ? wvl_info_take(c, 2) >> 11 : wvl_info_take(c, 1) >> 3);
    }
    wvl_cli_report_close(r);
    if (style) {
        wvl_cli_report_open_list(r, "mantissas");
        while (again.left && !again.overrun) {
            wvl_cli_report_number(r, NULL, wvl_info_take(&again, 2) & 2047);
        }
        wvl_cli_report_close(r);
    }
}

static void print_qcd(wvl_info *info, uint64_t offset, wvl_info_cursor *c)
{
    info->has_qcd = 1;
    print_quantization(info, offset, c);
}

static void print_qcc(wvl_info *info, uint64_t offset, wvl_info_cursor *c)
{
    wvl_cli_report_number(&info->report, "component", take_component(info, c));
    print_quantization(info, offset, c);
}

static void print_rgn(wvl_info *info, wvl_info_cursor *c)
{
    wvl_cli_report_number(&info->report, "component", take_component(info, c));
    wvl_cli_report_number(&info->report, "style", wvl_info_take(c, 1));
    wvl_cli_report_number(&info->report, "shift", wvl_info_take(c, 1));
}

static void print_poc(wvl_info *info, wvl_info_cursor *c)
{
    wvl_cli_report *r = &info->report;
    wvl_cli_report_open_list(r, "changes");
    while (c->left && !c->overrun) {
        wvl_cli_report_open_line(r, NULL);
        wvl_cli_report_number(r, "RSpoc", wvl_info_take(c, 1));
        wvl_cli_report_number(r, "CSpoc", take_component(info, c));
        wvl_cli_report_number(r, "LYEpoc", wvl_info_take(c, 2));
        wvl_cli_report_number(r, "REpoc", wvl_info_take(c, 1));
        wvl_cli_report_number(r, "CEpoc", take_component(info, c));
        wvl_cli_report_text(r, "progression", order_name(wvl_info_take(c, 1)));
        wvl_cli_report_close(r);
    }
    wvl_cli_report_close(r);
}

/* ---- Pointers -------------------------------------------------------------------------------- */

static void print_length(wvl_info *info, size_t index, uint64_t length)
{
    if (info->report.json || index < SHOWN_LENGTHS) {
        wvl_cli_report_number(&info->report, NULL, length);
    } else if (index == SHOWN_LENGTHS) {
        wvl_cli_report_text(&info->report, NULL, "...");
    }
}

static void print_tlm(wvl_info *info, uint64_t offset, wvl_info_cursor *c)
{
    wvl_cli_report *r = &info->report;
    wvl_cli_report_number(r, "index", wvl_info_take(c, 1));
    unsigned stlm = wvl_info_take(c, 1), tile_bytes = stlm >> 4 & 3, length_bytes = stlm & 0x40 ? 4 : 2;
    wvl_cli_report_number(r, "Stlm", stlm);
    if (tile_bytes == 3) {
        (void)wvl_info_problem(info, offset, "TLM: a tile index of 3 bytes is not defined (A.7.1)");
        c->left = 0;
        return;
    }
    size_t entries = c->left / (tile_bytes + length_bytes);
    wvl_cli_report_number(r, "entries", entries);
    wvl_cli_report_open_list(r, "lengths");
    for (size_t i = 0; i < entries; i++) {
        (void)wvl_info_take(c, tile_bytes);
        uint32_t length = wvl_info_take(c, length_bytes);
        print_length(info, i, length);
        if (!wvl_info_add_length(&info->tlm, length)) {
            (void)wvl_info_lack_memory(info, offset, "the lengths of TLM");
            break;
        }
    }
    wvl_cli_report_close(r);
}

/* Seven bits a byte, the high bit says that more follow (Table A.36). */
static int take_packet_length(wvl_info_cursor *c, uint64_t *length)
{
    *length = 0;
    for (int i = 0; c->left && i < 9; i++) {
        unsigned byte = wvl_info_take(c, 1);
        *length = *length << 7 | (byte & 0x7F);
        if (byte < 0x80) {
            return 1;
        }
    }
    return 0;
}

static void print_plt(wvl_info *info, uint64_t offset, wvl_info_cursor *c)
{
    wvl_cli_report *r = &info->report;
    uint64_t sum = 0, packets = 0, length;
    wvl_cli_report_number(r, "index", wvl_info_take(c, 1));
    wvl_cli_report_open_list(r, "lengths");
    while (c->left) {
        if (!take_packet_length(c, &length)) {
            (void)wvl_info_problem(info, offset, "PLT: a packet length is cut off or too long (A.7.3)");
            break;
        }
        print_length(info, (size_t)packets++, length);
        sum += length;
    }
    wvl_cli_report_close(r);
    wvl_cli_report_number(r, "packets", packets);
    wvl_cli_report_number(r, "packet_bytes", sum);
    info->plt_packets += packets;
    info->plt_bytes += sum;
}

static void print_indexed(wvl_info *info, wvl_info_cursor *c)
{
    wvl_cli_report_number(&info->report, "index", wvl_info_take(c, 1));
    wvl_cli_report_number(&info->report, "content_bytes", c->left);
    c->left = 0;
}

/* ---- CRG, COM -------------------------------------------------------------------------------- */

static void print_crg(wvl_info *info, wvl_info_cursor *c)
{
    wvl_cli_report *r = &info->report;
    wvl_cli_report_open_list(r, "offsets");
    while (c->left && !c->overrun) {
        wvl_cli_report_open_line(r, NULL);
        wvl_cli_report_number(r, "x", wvl_info_take(c, 2));
        wvl_cli_report_number(r, "y", wvl_info_take(c, 2));
        wvl_cli_report_close(r);
    }
    wvl_cli_report_close(r);
}

static void print_com(wvl_info *info, wvl_info_cursor *c)
{
    wvl_cli_report *r = &info->report;
    uint32_t registration = wvl_info_take(c, 2);
    wvl_cli_report_text(r, "kind", registration == 1 ? "text" : registration == 0 ? "binary" : "reserved");
    wvl_cli_report_number(r, "content_bytes", c->left);
    wvl_cli_report_bytes(r, "content", c->p, info->report.json || c->left < SHOWN_TEXT ? c->left : SHOWN_TEXT);
    c->left = 0;
}

/* ---- Table ----------------------------------------------------------------------------------- */

static const struct {
    unsigned marker;
    const char *name;
} marker_names[] = {{0xFF4F, "SOC"}, {0xFF50, "CAP"}, {0xFF51, "SIZ"}, {0xFF52, "COD"}, {0xFF53, "COC"},
                    {0xFF55, "TLM"}, {0xFF56, "PRF"}, {0xFF57, "PLM"}, {0xFF58, "PLT"}, {0xFF59, "CPF"},
                    {0xFF5C, "QCD"}, {0xFF5D, "QCC"}, {0xFF5E, "RGN"}, {0xFF5F, "POC"}, {0xFF60, "PPM"},
                    {0xFF61, "PPT"}, {0xFF63, "CRG"}, {0xFF64, "COM"}, {0xFF90, "SOT"}, {0xFF91, "SOP"},
                    {0xFF92, "EPH"}, {0xFF93, "SOD"}, {0xFFD9, "EOC"}};

const char *wvl_info_marker_name(unsigned marker)
{
    for (size_t i = 0; i < sizeof marker_names / sizeof marker_names[0]; i++) {
        if (marker_names[i].marker == marker) {
            return marker_names[i].name;
        }
    }
    return NULL;
}

void wvl_info_print_segment(wvl_info *info, unsigned marker, uint64_t offset, wvl_info_cursor *c)
{
    switch (marker) {
    case 0xFF50: print_cap(info, c); break;
    case 0xFF51: print_siz(info, offset, c); break;
    case 0xFF52: print_cod(info, offset, c); break;
    case 0xFF53: print_coc(info, offset, c); break;
    case 0xFF55: print_tlm(info, offset, c); break;
    case 0xFF56:
    case 0xFF59: print_words(info, "words", c); break;
    case 0xFF58: print_plt(info, offset, c); break;
    case 0xFF5C: print_qcd(info, offset, c); break;
    case 0xFF5D: print_qcc(info, offset, c); break;
    case 0xFF5E: print_rgn(info, c); break;
    case 0xFF5F: print_poc(info, c); break;
    case 0xFF57:
    case 0xFF60:
    case 0xFF61: print_indexed(info, c); break;
    case 0xFF63: print_crg(info, c); break;
    case 0xFF64: print_com(info, c); break;
    default: c->left = 0; break; /* unknown: skipped by its length */
    }
    if (c->overrun || c->left) {
        (void)wvl_info_problem(info, offset, "%s: its length does not suit its fields", wvl_info_marker_name(marker));
    }
}
