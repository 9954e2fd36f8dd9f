/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/jp2/resolve.h"

#include "base/structs.h"
#include "codec/jp2/boxes.h"
#include "codec/jp2/jp2.h"

/* ---- ICC profiles ---------------------------------------------------------------------------- */

/* Restricted ICC profiles (I.5.3.3, ICC.1): header of 128 bytes, then a table of tags. */

#define ICC_HEADER_BYTES 128u
#define ICC_TAG_BYTES 12u
#define ICC_LEAST_BYTES (ICC_HEADER_BYTES + 4u)

static uint32_t fetch_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t signature(const char *s)
{
    return (uint32_t)(uint8_t)s[0] << 24 | (uint32_t)(uint8_t)s[1] << 16 | (uint32_t)(uint8_t)s[2] << 8 | (uint8_t)s[3];
}

typedef struct signature_text {
    char text[5];
} signature_text;

static signature_text show(uint32_t value)
{
    signature_text s;
    for (int i = 0; i < 4; i++) {
        char v = (char)(value >> (24 - 8 * i) & 0x7F);
        s.text[i] = v < 0x20 || v == 0x7F ? '?' : v;
    }
    s.text[4] = '\0';
    return s;
}

static int has_tag(const uint8_t *profile, uint32_t tag_count, const char *name)
{
    for (uint32_t i = 0; i < tag_count; i++) {
        if (fetch_u32(profile + ICC_LEAST_BYTES + (size_t)i * ICC_TAG_BYTES) == signature(name)) {
            return 1;
        }
    }
    return 0;
}

/* Number of tags whose entries lie inside the profile; reports a table or data that does not. */
static uint32_t check_tag_table(const uint8_t *profile, size_t bytes, wvl_report *report)
{
    uint32_t count = fetch_u32(profile + ICC_HEADER_BYTES);
    uint64_t room = (bytes - ICC_LEAST_BYTES) / ICC_TAG_BYTES;
    if (count > room) {
        wvl_report_add(report, "ICC profile: %u tags are announced, its %zu bytes hold %u at most", count, bytes,
                       (unsigned)room);
        return (uint32_t)room;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry = profile + ICC_LEAST_BYTES + (size_t)i * ICC_TAG_BYTES;
        if ((uint64_t)fetch_u32(entry + 4) + fetch_u32(entry + 8) > bytes) {
            wvl_report_add(report, "ICC profile: tag '%s' reaches beyond the profile's %zu bytes",
                           show(fetch_u32(entry)).text, bytes);
            break; /* a hostile table may have millions */
        }
    }
    return count;
}

/* Checks that a profile is of the restricted kind (I.5.3.3: monochrome or three-component matrix-based). Returns its
 * number of colours, 0 when that is unknown. */
static unsigned check_profile(const uint8_t *profile, size_t bytes, wvl_report *report)
{
    if (bytes < ICC_LEAST_BYTES) {
        wvl_report_add(report, "ICC profile: %zu bytes are too few, the header alone has 128 and a tag count", bytes);
        return 0;
    }
    uint32_t size = fetch_u32(profile), kind = fetch_u32(profile + 12), space = fetch_u32(profile + 16),
             pcs = fetch_u32(profile + 20);
    if (size != bytes) {
        wvl_report_add(report, "ICC profile: its size field says %u bytes, there are %zu", size, bytes);
    }
    if (fetch_u32(profile + 36) != signature("acsp")) {
        wvl_report_add(report, "ICC profile: the signature 'acsp' is missing at byte 36");
    }
    if (kind != signature("scnr") && kind != signature("mntr")) {
        wvl_report_add(report,
                       "ICC profile: class '%s' is not allowed, a restricted profile is 'scnr' or 'mntr' (I.5.3.3)",
                       show(kind).text);
    }
    if (pcs != signature("XYZ ")) {
        wvl_report_add(report,
                       "ICC profile: connection space '%s' is not allowed, a restricted profile has 'XYZ ' (I.5.3.3)",
                       show(pcs).text);
    }
    unsigned color_count = space == signature("GRAY") ? 1 : space == signature("RGB ") ? 3 : 0;
    uint32_t tag_count = check_tag_table(profile, bytes, report);
    if (color_count) {
        static const char *const grey[] = {"kTRC", NULL};
        static const char *const matrix[] = {"rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", NULL};
        for (const char *const *name = color_count == 1 ? grey : matrix; *name; name++) {
            if (!has_tag(profile, tag_count, *name)) {
                wvl_report_add(report, "ICC profile: a restricted %s profile needs the tag '%s' (I.5.3.3)",
                               color_count == 1 ? "grey" : "RGB", *name);
            }
        }
        if (has_tag(profile, tag_count, "A2B0")) {
            wvl_report_add(report,
                           "ICC profile: the look-up table 'A2B0' is not allowed in a restricted profile (I.5.3.3)");
        }
    } else {
        wvl_report_add(
            report,
            "ICC profile: colour space '%s' is not allowed, a restricted profile has 'GRAY' or 'RGB ' (I.5.3.3)",
            show(space).text);
    }
    return color_count;
}

/* Colours of any profile that holds together; 0 and a report. */
static unsigned count_profile_colors(const uint8_t *profile, size_t bytes, wvl_report *report)
{
    static const struct {
        const char *space;
        unsigned colors;
    } spaces[] = {{"GRAY", 1}, {"RGB ", 3}, {"CMYK", 4}, {"Lab ", 3}, {"XYZ ", 3}, {"YCbr", 3}, {"CMY ", 3}};
    if (bytes < ICC_LEAST_BYTES || fetch_u32(profile) != bytes || fetch_u32(profile + 36) != signature("acsp")) {
        wvl_report_add(
            report, "ICC profile: its %zu bytes do not hold together: header of 128 bytes, own size, signature 'acsp'",
            bytes);
        return 0;
    }
    uint32_t before = report->count;
    (void)check_tag_table(profile, bytes, report);
    if (report->count != before) {
        return 0;
    }
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (fetch_u32(profile + 16) == signature(spaces[i].space)) {
            return spaces[i].colors;
        }
    }
    wvl_report_add(report, "ICC profile: colour space '%s' is not supported", show(fetch_u32(profile + 16)).text);
    return 0;
}

/* ---- The description ------------------------------------------------------------------------- */

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
        header->color_count = check_profile(info->icc, info->icc_bytes, is_jph ? &unheard : report);
        if (unheard.count) {
            header->any_icc = 1;
            header->color_count = count_profile_colors(info->icc, info->icc_bytes, report);
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

/* ---- Ratios ---------------------------------------------------------------------------------- */

/* Resolutions as ratios. Basic arithmetic only, so every machine finds the same terms. */

#define MOST_TERM 65535u
#define LEAST_SCALED 0.9e-4 /* below 1 / 10000 by more than any rounding */
#define EXACT_ERROR 1e-12   /* rounding of value and scaling stays below this: what is nearer is meant to be equal */
#define MOST_ERROR 1e-4
#define MOST_EXPONENT 127

static double relative_error(double x, uint64_t n, uint64_t d)
{
    double e = ((double)n / (double)d - x) / x;
    return e < 0 ? -e : e;
}

/* Largest a with a * h1 + h0 <= MOST_TERM; unlimited when h1 is 0. */
static uint64_t most_quotient(uint64_t h1, uint64_t h0) { return h1 ? (MOST_TERM - h0) / h1 : UINT64_MAX; }

/* Continued fraction of x in [LEAST_SCALED, MOST_TERM], ended by the last convergent or intermediate fraction whose
 * terms fit. Both first convergents fit: floor(x) / 1 and, below 1, 1 / floor(1 / x) with 1 / x < 11112. */
static double reduce(double x, wvl_jp2_ratio *ratio)
{
    uint64_t n0 = 0, n1 = 1, d0 = 1, d1 = 0;
    for (double rest = x;;) {
        uint64_t most_n = most_quotient(n1, n0), most_d = most_quotient(d1, d0),
                 most = most_n < most_d ? most_n : most_d;
        int cut = rest >= (double)most + 1.0;
        uint64_t quotient = cut ? most : (uint64_t)rest;
        uint64_t n = quotient * n1 + n0, d = quotient * d1 + d0;
        if (cut && (!n || !d || relative_error(x, n1, d1) <= relative_error(x, n, d))) {
            break;
        }
        n0 = n1;
        d0 = d1;
        n1 = n;
        d1 = d;
        rest -= (double)quotient;
        if (cut || rest <= 0.0) {
            break;
        }
        rest = 1.0 / rest;
    }
    ratio->numerator = (uint16_t)n1;
    ratio->denominator = (uint16_t)d1;
    return n1 ? relative_error(x, n1, d1) : 1.0;
}

static double scale(double value, int exponent)
{
    double power = 1.0;
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent); i++) {
        power *= 10.0;
    }
    return exponent < 0 ? value * power : value / power;
}

/* Exponents are tried from 0 outward, so that 300 per metre stays 300/1 * 10^0. */
int wvl_jp2_find_ratio(double value, wvl_jp2_ratio *ratio)
{
    double least = 1.0;
    if (!(value > 0.0)) {
        return 0;
    }
    for (int i = 0; i <= 2 * MOST_EXPONENT && least > EXACT_ERROR; i++) {
        wvl_jp2_ratio candidate;
        int exponent = (i & 1) ? -(i + 1) / 2 : i / 2;
        double x = scale(value, exponent);
        if (!(x >= LEAST_SCALED && x <= (double)MOST_TERM)) {
            continue;
        }
        double error = reduce(x, &candidate);
        if (error < least) {
            candidate.exponent = (int8_t)exponent;
            *ratio = candidate;
            least = error;
        }
    }
    return least <= MOST_ERROR;
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
