/* SPDX-License-Identifier: BSD-2-Clause */
/* The sequence of marker segments and tile-parts, with the lengths that must agree. */
#include <inttypes.h>
#include <stdlib.h>

#include "info.h"

#define SOC 0xFF4Fu
#define SIZ 0xFF51u
#define SOT 0xFF90u
#define SOD 0xFF93u
#define EOC 0xFFD9u

static int read_marker(wvl_info *info, uint64_t offset, uint64_t end, unsigned *marker)
{
    uint8_t raw[2];
    if (end - offset < 2) {
        return wvl_info_problem(info, offset, "the codestream ends where a marker is expected");
    }
    if (!wvl_info_read(info, offset, 2, raw)) {
        return 0;
    }
    *marker = (unsigned)raw[0] << 8 | raw[1];
    if (*marker < 0xFF01) {
        return wvl_info_problem(info, offset, "%02x%02x where a marker is expected", raw[0], raw[1]);
    }
    return 1;
}

static void entry_name(unsigned marker, char name[8])
{
    const char *known = wvl_info_marker_name(marker);
    if (known) {
        snprintf(name, 8, "%s", known);
    } else {
        snprintf(name, 8, "0x%04X", marker & 0xFFFF);
    }
}

/* One segment at offset, printed; *offset moves behind it. */
static int print_segment(wvl_info *info, unsigned marker, uint64_t *offset, uint64_t end)
{
    uint8_t raw[2];
    char name[8];
    entry_name(marker, name);
    if (marker >= 0xFF30 && marker <= 0xFF3F) { /* reserved markers without a length (A.1) */
        *offset += 2;
        return 1;
    }
    if (end - *offset < 4 || !wvl_info_read(info, *offset + 2, 2, raw)) {
        return wvl_info_problem(info, *offset, "%s is cut off", name);
    }
    uint64_t length = (uint64_t)raw[0] << 8 | raw[1];
    if (length < 2 || length + 2 > end - *offset) {
        return wvl_info_problem(info, *offset, "%s has a length of %" PRIu64 ", but %" PRIu64 " bytes are left", name,
                                length, end - *offset - 2);
    }
    uint8_t *content = malloc(65536);
    if (!content) {
        return wvl_info_lack_memory(info, *offset, name);
    }
    if (!wvl_info_read(info, *offset + 4, (size_t)length - 2, content)) {
        free(content);
        return wvl_info_problem(info, *offset, "%s cannot be read", name);
    }
    wvl_info_cursor c = {content, (size_t)length - 2, 0};
    wvl_info_open_entry(info, "marker", name, *offset, length + 2);
    wvl_info_print_segment(info, marker, *offset, &c);
    wvl_cli_report_close(&info->report);
    free(content);
    *offset += length + 2;
    return 1;
}

/* ---- Main header ----------------------------------------------------------------------------- */

static int print_main_header(wvl_info *info, uint64_t *offset, uint64_t end)
{
    unsigned marker = 0;
    if (!read_marker(info, *offset, end, &marker)) {
        return 0;
    }
    if (marker != SOC) {
        return wvl_info_problem(info, *offset, "the codestream does not begin with SOC (A.4.1)");
    }
    *offset += 2;
    for (int first = 1;; first = 0) {
        if (!read_marker(info, *offset, end, &marker)) {
            return 0;
        }
        if (first && marker != SIZ) {
            return wvl_info_problem(info, *offset, "SIZ does not follow SOC (A.5.1)");
        }
        if (marker == SOT || marker == EOC) {
            break;
        }
        if (!print_segment(info, marker, offset, end)) {
            return 0;
        }
    }
    if (!info->has_cod || !info->has_qcd) {
        return wvl_info_problem(info, *offset, "the main header has no %s (A.6)", info->has_cod ? "QCD" : "COD");
    }
    return 1;
}

/* ---- Tile-parts ------------------------------------------------------------------------------ */

typedef struct tile_part {
    uint32_t tile, part, part_count;
    uint64_t offset, end;
} tile_part;

static int read_sot(wvl_info *info, uint64_t offset, uint64_t end, tile_part *t)
{
    uint8_t raw[12];
    wvl_info_cursor c = {raw, sizeof raw, 0};
    if (end - offset < sizeof raw) {
        return wvl_info_problem(info, offset, "SOT is cut off");
    }
    if (!wvl_info_read(info, offset, sizeof raw, raw)) {
        return 0;
    }
    (void)wvl_info_take(&c, 2);
    uint32_t length = wvl_info_take(&c, 2);
    t->tile = wvl_info_take(&c, 2);
    uint64_t psot = wvl_info_take(&c, 4);
    t->part = wvl_info_take(&c, 1);
    t->part_count = wvl_info_take(&c, 1);
    t->offset = offset;
    if (length != 10) {
        return wvl_info_problem(info, offset, "SOT has a length of %" PRIu32 " instead of 10 (A.4.2)", length);
    }
    if (!psot) { /* up to EOC, which ends the codestream if it is there */
        uint8_t last[2];
        if (end - offset < 14 || !wvl_info_read(info, end - 2, 2, last)) {
            return wvl_info_problem(info, offset, "the tile-part is cut off");
        }
        psot = end - offset - (last[0] == 0xFF && last[1] == 0xD9 ? 2 : 0);
    }
    if (psot < 14 || psot > end - offset) {
        return wvl_info_problem(info, offset, "tile-part of %" PRIu64 " bytes, but %" PRIu64 " are left (A.4.2)", psot,
                                end - offset);
    }
    t->end = offset + psot;
    return 1;
}

static int print_tile_part_header(wvl_info *info, const tile_part *t, uint64_t *offset)
{
    unsigned marker = 0;
    *offset = t->offset + 12;
    for (;;) {
        if (!read_marker(info, *offset, t->end, &marker)) {
            return 0;
        }
        if (marker == SOD) {
            *offset += 2;
            return 1;
        }
        if (marker == SOT || marker == EOC) {
            return wvl_info_problem(info, *offset, "a tile-part header without SOD (A.4.3)");
        }
        if (!print_segment(info, marker, offset, t->end)) {
            return 0;
        }
    }
}

static int print_tile_part(wvl_info *info, uint64_t offset, uint64_t end, tile_part *t)
{
    wvl_cli_report *r = &info->report;
    uint64_t data = 0;
    if (!read_sot(info, offset, end, t)) {
        return 0;
    }
    info->plt_packets = info->plt_bytes = 0;
    wvl_info_open_entry(info, "marker", "SOT", offset, t->end - offset);
    wvl_cli_report_number(r, "tile", t->tile);
    wvl_cli_report_number(r, "part", t->part);
    wvl_cli_report_number(r, "part_count", t->part_count);
    wvl_cli_report_open_list(r, "header");
    int good = print_tile_part_header(info, t, &data);
    wvl_cli_report_close(r);
    if (good) {
        wvl_cli_report_number(r, "data_offset", data);
        wvl_cli_report_number(r, "data_bytes", t->end - data);
        if (info->plt_packets && info->plt_bytes != t->end - data) {
            (void)wvl_info_problem(info, offset,
                                   "PLT counts %" PRIu64 " bytes of packets, the tile-part holds %" PRIu64 " (A.7.3)",
                                   info->plt_bytes, t->end - data);
        }
    }
    wvl_cli_report_close(r);
    if (!wvl_info_add_length(&info->parts, t->end - offset)) {
        return wvl_info_lack_memory(info, offset, "the list of tile-parts");
    }
    return good;
}

static void compare_tlm(wvl_info *info, uint64_t offset)
{
    const wvl_info_lengths *tlm = &info->tlm, *parts = &info->parts;
    if (!tlm->count) {
        return;
    }
    if (tlm->count != parts->count) {
        (void)wvl_info_problem(info, offset, "TLM lists %zu tile-parts, the codestream has %zu (A.7.1)", tlm->count,
                               parts->count);
    }
    for (size_t i = 0; i < tlm->count && i < parts->count; i++) {
        if (tlm->values[i] != parts->values[i]) {
            (void)wvl_info_problem(info, offset,
                                   "TLM gives tile-part %zu %" PRIu64 " bytes, it has %" PRIu64 " (A.7.1)", i,
                                   tlm->values[i], parts->values[i]);
            return;
        }
    }
}

static int print_tile_parts(wvl_info *info, uint64_t *offset, uint64_t end)
{
    for (;;) {
        unsigned marker = 0;
        tile_part t = {0};
        if (!read_marker(info, *offset, end, &marker)) {
            return 0;
        }
        if (marker == EOC) {
            return 1;
        }
        if (marker != SOT) {
            return wvl_info_problem(info, *offset, "marker %04X where a tile-part or EOC is expected", marker);
        }
        if (!print_tile_part(info, *offset, end, &t)) {
            return 0;
        }
        *offset = t.end;
    }
}

int wvl_info_print_codestream(wvl_info *info, uint64_t offset, uint64_t end)
{
    wvl_cli_report *r = &info->report;
    wvl_cli_report_open_list(r, "main_header");
    int good = print_main_header(info, &offset, end);
    wvl_cli_report_close(r);
    if (!good) {
        return 0;
    }
    wvl_cli_report_number(r, "tile_parts_offset", offset);
    wvl_cli_report_open_list(r, "tile_parts");
    good = print_tile_parts(info, &offset, end);
    wvl_cli_report_close(r);
    compare_tlm(info, offset);
    if (good) {
        wvl_cli_report_number(r, "eoc_offset", offset);
        if (end - offset > 2) {
            (void)wvl_info_problem(info, offset + 2, "%" PRIu64 " bytes after EOC", end - offset - 2);
        }
    }
    return good;
}
