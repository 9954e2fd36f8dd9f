/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/jp2/resolve.h"

#include <string.h>

#include "base/intmath.h"
#include "base/structs.h"
#include "codec/jp2/boxes.h"
#include "codec/jp2/jp2.h"

#define MAX_PALETTE_ENTRIES 1024u
#define MAX_PALETTE_COLUMNS 255u
#define MAX_PALETTE_DEPTH 16u
#define MANY_VIOLATIONS 16u                        /* of one kind */
#define MOST_BOX_BYTES ((uint64_t)PTRDIFF_MAX / 2) /* of all: sums with their headers do not wrap */

static int take_info(const wvl_jp2_info *given, wvl_jp2_info *info, wvl_report *report)
{
    memset(info, 0, sizeof *info);
    if (!given) {
        return 1;
    }
    if (!wvl_struct_read(info, sizeof *info, given, WVL_STRUCT_UNTIL(wvl_jp2_info, color_unknown))) {
        wvl_report_add(
            report, "jp2: struct_size of wvl_jp2_info is not set, or members are set that this version does not know");
        return 0;
    }
    return 1;
}

static uint8_t has_mixed_depth(const wvl_syntax_plan *syntax)
{
    for (uint32_t c = 1; c < syntax->component_count; c++) {
        if (syntax->components[c].depth != syntax->components[0].depth ||
            syntax->components[c].is_signed != syntax->components[0].is_signed) {
            return 1;
        }
    }
    return 0;
}

/* ---- Palette (I.5.3.4) ----------------------------------------------------------------------- */

static void check_palette_values(const wvl_jp2_info *info, wvl_report *report)
{
    uint32_t count = info->palette_entries * info->palette_columns;
    for (uint32_t i = 0; i < count; i++) {
        if (info->palette[i] >> info->palette_depth) {
            wvl_report_add(report, "palette: entry %u, column %u is %u and does not fit %u bits",
                           i / info->palette_columns, i % info->palette_columns, info->palette[i], info->palette_depth);
            return; /* the first names the mistake */
        }
    }
}

static void check_palette(const wvl_jp2_header *header, wvl_report *report)
{
    const wvl_jp2_info *info = &header->info;
    uint32_t before = report->count;
    if (!info->palette_entries) {
        if (info->palette || info->palette_columns || info->palette_depth) {
            wvl_report_add(report, "palette: 0 entries; 1 to 1024 are allowed (I.5.3.4)");
        }
        return;
    }
    if (info->palette_entries > MAX_PALETTE_ENTRIES) {
        wvl_report_add(report, "palette: %u entries; 1 to 1024 are allowed (I.5.3.4)", info->palette_entries);
    }
    if (info->palette_columns < 1 || info->palette_columns > MAX_PALETTE_COLUMNS) {
        wvl_report_add(report, "palette: %u columns; 1 to 255 are allowed (I.5.3.4)", info->palette_columns);
    }
    if (info->palette_depth < 1 || info->palette_depth > MAX_PALETTE_DEPTH) {
        wvl_report_add(report, "palette: depth %u; 1 to 16 are supported", info->palette_depth);
    }
    if (!info->palette) {
        wvl_report_add(report, "palette: %u entries are announced, no data is given", info->palette_entries);
    }
    if (header->plan->syntax.components[0].is_signed) {
        wvl_report_add(report, "palette: component 0 holds the indices and must be unsigned (I.5.3.5)");
    }
    if (report->count == before) {
        check_palette_values(info, report);
    }
}

/* Palette columns replace component 0; the other components are channels of their own. */
static uint32_t count_channels(const wvl_jp2_header *header)
{
    const wvl_jp2_info *info = &header->info;
    uint32_t columns = info->palette_columns < MAX_PALETTE_COLUMNS ? info->palette_columns : MAX_PALETTE_COLUMNS;
    return header->plan->syntax.component_count + (info->palette_entries ? columns - (columns > 0) : 0);
}

/* ---- Channels and colour (I.5.3.3, I.5.3.6) -------------------------------------------------- */

unsigned wvl_jp2_channel_type(const wvl_jp2_header *header, uint32_t channel)
{
    if (header->info.channel_types) {
        return header->info.channel_types[channel];
    }
    return channel < header->color_count ? WVL_CHANNEL_COLOR : WVL_CHANNEL_UNSPECIFIED;
}

static int is_opacity(unsigned type) { return type == WVL_CHANNEL_OPACITY || type == WVL_CHANNEL_PREMULTIPLIED; }

static void check_channel_types(wvl_jp2_header *header, wvl_report *report)
{
    const wvl_jp2_info *info = &header->info;
    uint32_t opacity_count = 0, before = report->count;
    if ((info->channel_types || info->channel_count) && info->channel_count != header->channel_count) {
        wvl_report_add(report, "channels: %u are described, components and palette make %u", info->channel_count,
                       header->channel_count);
        header->info.channel_types = NULL; /* not to be read beyond its end */
        return;
    }
    for (uint32_t i = 0; info->channel_types && i < header->channel_count; i++) {
        unsigned type = info->channel_types[i];
        if (type != WVL_CHANNEL_COLOR && !is_opacity(type) && type != WVL_CHANNEL_UNSPECIFIED) {
            wvl_report_add(report, "channel %u: type %u is none of 0, 1, 2, 65535 (I.5.3.6)", i, type);
        }
        opacity_count += is_opacity(type) ? 1 : 0;
        if (report->count - before >= MANY_VIOLATIONS) {
            return; /* the rest would say the same */
        }
    }
    if (opacity_count > 1) {
        wvl_report_add(report, "channels: %u are opacity; at most one may belong to the whole image (I.5.3.6)",
                       opacity_count);
    }
}

static uint32_t count_declared_colors(const wvl_jp2_header *header)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < header->channel_count; i++) {
        count += header->info.channel_types[i] == WVL_CHANNEL_COLOR;
    }
    return count;
}

/* AUTO: what the number of channels suggests. */
static wvl_color guess_color(const wvl_jp2_header *header)
{
    if (header->info.channel_types) {
        uint32_t colors = count_declared_colors(header);
        return colors == 1 ? WVL_COLOR_GREY : colors == 3 ? WVL_COLOR_SRGB : WVL_COLOR_AUTO;
    }
    return header->channel_count <= 2 ? WVL_COLOR_GREY : header->channel_count <= 4 ? WVL_COLOR_SRGB : WVL_COLOR_AUTO;
}

/* Beside a profile one channel may go unexplained; more are a profile of another picture. */
static void check_color_count(const wvl_jp2_header *header, wvl_report *report)
{
    const wvl_jp2_info *info = &header->info;
    uint32_t want = header->color_count,
             colors = info->channel_types ? count_declared_colors(header) : header->channel_count;
    int too_many = info->channel_types ? colors > want : info->icc && colors > want + 1;
    if (want && (colors < want || too_many)) { /* want 0 is reported already */
        const char *name = header->enumerated == WVL_COLOR_GREY   ? "grey"
                           : header->enumerated == WVL_COLOR_SRGB ? "sRGB"
                                                                  : "sYCC";
        wvl_report_add(report, "colour: %s has %u colour channel%s, the picture has %u (I.5.3.6)",
                       info->icc ? "the ICC profile" : name, want, want == 1 ? "" : "s", colors);
    }
}

static void resolve_color(wvl_jp2_header *header, wvl_report *report)
{
    if (header->info.cicp) {
        /* H.273 says what the three colours are, not that there are three: a grey picture has the luma of it. */
        const wvl_jp2_info *info = &header->info;
        wvl_color color = info->color == WVL_COLOR_AUTO ? guess_color(header) : info->color;
        header->color_count = color == WVL_COLOR_GREY ? 1 : 3;
        if (header->plan->syntax.jp2 != WVL_CONTAINER_JPH) {
            wvl_report_add(report, "colour: parameters of H.273 need a JPH file (15444-15 Annex D)");
        }
        if (info->icc) {
            wvl_report_add(report, "colour: parameters of H.273 are given beside an ICC profile; give one of them");
        }
        if (info->cicp[3] > 1) {
            wvl_report_add(report, "colour: the full range flag of H.273 is %u; 0 and 1 are allowed", info->cicp[3]);
        }
    } else if (header->info.icc) {
        wvl_jp2_info *info = &header->info;
        wvl_report unheard = {NULL, NULL, 0};
        int is_jph = header->plan->syntax.jp2 == WVL_CONTAINER_JPH; /* takes any profile (15444-15 Annex D) */
        header->color_count = wvl_jp2_check_profile(info->icc, info->icc_bytes, is_jph ? &unheard : report);
        if (unheard.count) {
            header->any_icc = 1;
            header->color_count = wvl_jp2_count_profile_colors(info->icc, info->icc_bytes, report);
        }
        if (info->color == WVL_COLOR_SYCC || (info->color == WVL_COLOR_GREY && header->color_count == 3) ||
            (info->color == WVL_COLOR_SRGB && header->color_count == 1)) {
            wvl_report_add(report, "colour: %u is named beside an ICC profile of another kind; name none (I.5.3.3)",
                           (unsigned)info->color);
        }
    } else {
        if (header->info.icc_bytes) {
            wvl_report_add(report, "ICC profile: %zu bytes are announced, no data is given", header->info.icc_bytes);
        }
        wvl_color color = header->info.color == WVL_COLOR_AUTO ? guess_color(header) : header->info.color;
        if (color == WVL_COLOR_AUTO) {
            wvl_report_add(report,
                           "colour: JP2 expresses grey (1 colour channel), sRGB and sYCC (3); %u channels, %u of them "
                           "colour, need a colour by name "
                           "or a raw codestream (I.5.3.3)",
                           header->channel_count,
                           header->info.channel_types ? count_declared_colors(header) : header->channel_count);
        } else if (color != WVL_COLOR_GREY && color != WVL_COLOR_SRGB && color != WVL_COLOR_SYCC) {
            wvl_report_add(report, "colour: %u is none of 16 (sRGB), 17 (grey), 18 (sYCC) (I.5.3.3)", (unsigned)color);
        } else {
            header->enumerated = (uint32_t)color;
            header->color_count = color == WVL_COLOR_GREY ? 1 : 3;
        }
    }
    check_color_count(header, report);
}

/* ---- Resolution, boxes ----------------------------------------------------------------------- */

static void resolve_resolution(const char *name, double x, double y, wvl_jp2_resolution *resolution, wvl_report *report)
{
    memset(resolution, 0, sizeof *resolution);
    if (x == 0.0 && y == 0.0) {
        return;
    }
    if (!wvl_jp2_find_ratio(x, &resolution->x) || !wvl_jp2_find_ratio(y, &resolution->y)) {
        wvl_report_add(report,
                       "%s resolution %g by %g per metre: both must be positive and expressible as N / D * 10^E with "
                       "16-bit N and D (I.5.3.7)",
                       name, x, y);
        return;
    }
    resolution->present = 1;
}

/* Says whether the content of a superbox is whole boxes with 32-bit lengths (I.4). */
static int holds_boxes(const uint8_t *content, size_t bytes)
{
    size_t at = 0;
    while (at < bytes) {
        const uint8_t *p = content + at;
        if (bytes - at < 8) {
            return 0;
        }
        uint32_t length = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
        if (length < 8 || length > bytes - at) {
            return 0;
        }
        at += length;
    }
    return bytes != 0;
}

static void check_boxes(const wvl_jp2_info *info, wvl_report *report)
{
    if (info->box_count && !info->boxes) {
        wvl_report_add(report, "boxes: %u are announced, none is given", info->box_count);
        return;
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < info->box_count; i++) {
        const wvl_box *box = &info->boxes[i];
        sum = wvl_add_saturate(sum, box->bytes);
        if (sum > MOST_BOX_BYTES) {
            wvl_report_add(
                report,
                "box %u: %zu bytes, with those before it, are more than memory holds; give the bytes of its data", i,
                box->bytes);
            return;
        }
        if (box->type != WVL_BOX_XML && box->type != WVL_BOX_UUID && box->type != WVL_BOX_ASSOCIATION) {
            wvl_report_add(report, "box %u: type 0x%08X is none of 'xml ', 'uuid', 'asoc'", i, box->type);
        }
        if (box->type == WVL_BOX_ASSOCIATION && !(box->data && holds_boxes(box->data, box->bytes))) {
            wvl_report_add(report, "box %u: the content of an asoc box is not a sequence of whole boxes (I.4)", i);
        }
        if (box->bytes && !box->data) {
            wvl_report_add(report, "box %u: %zu bytes are announced, no data is given", i, box->bytes);
        }
        if (box->type == WVL_BOX_XML && !box->bytes) {
            wvl_report_add(report, "box %u: an empty xml box is not well-formed XML (I.7.1)", i);
        }
    }
}

int wvl_jp2_resolve_header(const wvl_plan *plan, const wvl_jp2_info *info, wvl_jp2_header *header, wvl_report *report)
{
    uint32_t before = report->count;
    memset(header, 0, sizeof *header);
    header->plan = plan;
    if (!take_info(info, &header->info, report)) {
        return 0;
    }
    header->mixed_depth = has_mixed_depth(&plan->syntax);
    check_palette(header, report);
    header->channel_count = count_channels(header);
    check_channel_types(header, report);
    resolve_color(header, report);
    resolve_resolution("capture", header->info.capture_x_per_metre, header->info.capture_y_per_metre, &header->capture,
                       report);
    resolve_resolution("display", header->info.display_x_per_metre, header->info.display_y_per_metre, &header->display,
                       report);
    check_boxes(&header->info, report);
    return report->count == before;
}
