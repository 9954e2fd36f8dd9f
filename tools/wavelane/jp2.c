/* SPDX-License-Identifier: BSD-2-Clause */
/* What a JP2 file says of a picture: colour, profile, palette, channels, resolution, metadata boxes (Annex I). */
#include <stdlib.h>

#include "stream.h"

#define BOX_XML 0x786D6C20u
#define BOX_UUID 0x75756964u
#define MAX_PALETTE 1024u /* I.5.3.4 */

/* ---- Colour ---------------------------------------------------------------------------------- */

static const char *color_word(wvl_io_color color)
{
    switch (color) {
    case WVL_IO_GREY: return "grey";
    case WVL_IO_RGB: return "RGB";
    case WVL_IO_YCC: return "YCbCr";
    case WVL_IO_CMYK: return "CMYK";
    case WVL_IO_UNKNOWN: break;
    }
    return "undeclared";
}

/* AUTO: CMYK, by its profile. */
static uint32_t color_channels(wvl_color color)
{
    switch (color) {
    case WVL_COLOR_GREY: return 1;
    case WVL_COLOR_AUTO: return 4;
    default: return 3;
    }
}

/* Channels of the file: the components, or the columns of the palette. */
static uint32_t channel_count(const wvl_io_picture *io)
{
    return io->palette ? io->palette_columns : io->component_count;
}

static int alpha_channel(const wvl_io_picture *io)
{
    return io->palette ? (io->palette_columns == 4 ? 3 : -1) : io->alpha_component;
}

/* Presets for files that many programs are to read. */
static int is_for_readers(const char *preset)
{
    static const char *const beginnings[] = {"archive", "ht-archive", "iiif", "kb-",
                                             "ndnp",    "bodleian",   "bl-",  "wellcome"};
    for (size_t i = 0; preset && i < sizeof beginnings / sizeof beginnings[0]; i++) {
        if (!strncmp(preset, beginnings[i], strlen(beginnings[i]))) {
            return 1;
        }
    }
    return 0;
}

static int is_subsampled(const wvl_io_picture *io)
{
    int found = 0;
    for (uint32_t i = 0; i < io->component_count; i++) {
        found |= io->components[i].dx != 1 || io->components[i].dy != 1;
    }
    return found;
}

/* Colours of a profile that holds together; 0: other spaces. */
static uint32_t profile_channels(const wvl_io_picture *io)
{
    static const struct {
        char signature[5];
        uint32_t channels;
    } spaces[] = {{"GRAY", 1}, {"RGB ", 3}, {"CMYK", 4}, {"Lab ", 3}, {"XYZ ", 3}, {"YCbr", 3}, {"CMY ", 3}};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (!memcmp(io->icc + 16, spaces[i].signature, 4)) {
            return spaces[i].channels;
        }
    }
    return 0;
}

static int declare_color(const wvl_cli_args *args, const char *name, int is_jph, wvl_cli_picture *p)
{
    const wvl_io_picture *io = &p->io;
    uint32_t channels = channel_count(io) - (alpha_channel(io) >= 0);
    wvl_color color = WVL_COLOR_GREY;
    if (io->color == WVL_IO_CMYK) {
        /* A JPH file has CMYK colours by their profile (15444-15 Annex D). */
        int has_profile = io->icc && wvl_io_icc_kind(io->icc, io->icc_bytes) == WVL_IO_ICC_OTHER &&
                          profile_channels(io) == 4 && !wvl_cli_drops_profile(args) && args->color == WVL_COLOR_AUTO;
        if (is_jph && has_profile) {
            p->jp2.color = WVL_COLOR_AUTO;
            return WVL_EXIT_OK;
        }
        return wvl_cli_fail(
            WVL_EXIT_INPUT, "%s: %s; write a codestream (.j2k), or convert it to RGB", name,
            is_jph ? "a JPH file needs an ICC profile for CMYK colour, and the picture has none that it could carry"
                   : "a JP2 file cannot express CMYK colour (I.5.3.3); a JPH file (.jph) can, by an ICC profile");
    }
    if (args->color != WVL_COLOR_AUTO) {
        color = args->color;
    } else if (io->color == WVL_IO_RGB || (io->color == WVL_IO_UNKNOWN && channels >= 3)) {
        color = WVL_COLOR_SRGB;
    } else if (io->color == WVL_IO_YCC) {
        color = WVL_COLOR_SYCC;
    }
    if (channels < color_channels(color)) {
        return wvl_cli_fail(args->color != WVL_COLOR_AUTO ? WVL_EXIT_USAGE : WVL_EXIT_INPUT,
                            "%s: %s needs %u colour channels; the picture has %u (--color declares another space)",
                            name, args->color != WVL_COLOR_AUTO ? "--color" : "the colour space", color_channels(color),
                            channels);
    }
    if (color == WVL_COLOR_SYCC && args->io.raw_video_range) {
        wvl_cli_warn_once(name, "the samples have the limited range of video, but sYCC in JP2 and JPH files has the "
                                "full range; --ycc-to-rgb converts them to RGB");
    }
    if (io->color == WVL_IO_YCC && is_subsampled(io) && is_for_readers(args->preset)) {
        wvl_cli_warn_once(name, "the YCbCr samples remain subsampled, which GDAL, libvips and glymur do not read in "
                                "JP2 and JPH files; --ycc-to-rgb converts them to RGB");
    }
    p->jp2.color = color;
    return WVL_EXIT_OK;
}

static void warn_of_cicp(const char *name, const wvl_io_picture *io, const char *what)
{
    wvl_cli_warn_once(name,
                      "cICP primaries %u, transfer %u are left out; %s does not carry them, a JPH file (.jph) does",
                      io->cicp[0], io->cicp[1], what);
}

/* What PNG names by numbers of ITU-T H.273 counts more than a profile (PNG 4.3), and a JPH file can say it
 * (15444-15 Annex D). sRGB has a number of its own that more readers know. */
static void carry_parameters(const wvl_cli_args *args, const char *name, int is_jph, wvl_cli_picture *p)
{
    static const uint8_t srgb[4] = {1, 13, 0, 1};
    wvl_io_picture *io = &p->io;
    if (!io->has_cicp || args->color != WVL_COLOR_AUTO || args->auto_color) { /* auto: they become X'Y'Z' */
        return;
    }
    if (!memcmp(io->cicp, srgb, sizeof srgb) && !io->icc) {
        io->color_declared = 1;
    } else if (is_jph && io->cicp[3] <= 1) {
        p->jp2.cicp = io->cicp;
    } else {
        warn_of_cicp(name, io, "a JP2 file");
    }
}

/* NULL: the file can carry the profile. */
static const char *find_obstacle(const wvl_io_picture *io, int is_jph, wvl_color color)
{
    wvl_io_icc kind = wvl_io_icc_kind(io->icc, io->icc_bytes);
    if (kind == WVL_IO_ICC_BROKEN) {
        return "is damaged: its header contradicts its tags";
    }
    if (kind == WVL_IO_ICC_OTHER && !is_jph) {
        return "is not a restricted one (grey or three-component matrix, PCS XYZ, input or display), and JP2 can carry "
               "no other (I.5.3.3); a JPH file (.jph) takes any";
    }
    if (color == WVL_COLOR_SYCC) {
        return "is for RGB or grey, but the picture is YCbCr";
    }
    if (kind == WVL_IO_ICC_GREY && color != WVL_COLOR_GREY) {
        return "is for grey, but the picture is not";
    }
    if (kind == WVL_IO_ICC_RGB && color == WVL_COLOR_GREY) {
        return "is for RGB, but the picture is grey";
    }
    if (kind == WVL_IO_ICC_OTHER && profile_channels(io) != color_channels(color)) {
        return "does not have the picture's number of colours";
    }
    return NULL;
}

/* JP2 takes restricted profiles only; one that is left out silently would change the colours. */
static int carry_profile(const wvl_cli_args *args, const char *name, int is_jph, wvl_cli_picture *p)
{
    const wvl_io_picture *io = &p->io;
    if (!io->icc || wvl_cli_drops_profile(args) || args->color != WVL_COLOR_AUTO || p->jp2.cicp) {
        return WVL_EXIT_OK;
    }
    const char *reason = find_obstacle(io, is_jph, p->jp2.color);
    if (reason && args->icc == WVL_CLI_ICC_FIT) {
        wvl_cli_warn_once(name, "the ICC profile is left out (--icc fit): it %s", reason);
        return WVL_EXIT_OK;
    }
    if (reason) {
        return wvl_cli_fail(WVL_EXIT_INPUT,
                            "%s: the ICC profile %s; --icc fit leaves it out and keeps those that can be carried, a "
                            "codestream (.j2k) has none",
                            name, reason);
    }
    p->jp2.icc = io->icc;
    p->jp2.icc_bytes = io->icc_bytes;
    return WVL_EXIT_OK;
}

/* ---- Channels and palette -------------------------------------------------------------------- */

static int type_channels(const char *name, wvl_cli_picture *p)
{
    const wvl_io_picture *io = &p->io;
    uint32_t count = channel_count(io), colors = 0, needed = color_channels(p->jp2.color);
    int alpha = alpha_channel(io);
    if (count == needed && alpha < 0) {
        return WVL_EXIT_OK;
    }
    p->channel_types = calloc(count, sizeof *p->channel_types);
    if (!p->channel_types) {
        return wvl_cli_lack_memory(name);
    }
    for (uint32_t i = 0; i < count; i++) {
        if ((int)i == alpha) {
            p->channel_types[i] = io->alpha_premultiplied ? WVL_CHANNEL_PREMULTIPLIED : WVL_CHANNEL_OPACITY;
        } else {
            p->channel_types[i] = colors < needed ? WVL_CHANNEL_COLOR : WVL_CHANNEL_UNSPECIFIED;
            colors++;
        }
    }
    p->jp2.channel_types = p->channel_types;
    p->jp2.channel_count = count;
    return WVL_EXIT_OK;
}

static int carry_palette(const char *name, wvl_cli_picture *p)
{
    const wvl_io_picture *io = &p->io;
    if (!io->palette) {
        return WVL_EXIT_OK;
    }
    if (io->palette_entries > MAX_PALETTE) {
        return wvl_cli_fail(WVL_EXIT_INPUT,
                            "%s: a palette of %u entries; JP2 carries at most %u (I.5.3.4); use --palette expand", name,
                            io->palette_entries, MAX_PALETTE);
    }
    p->jp2.palette_entries = io->palette_entries;
    p->jp2.palette_columns = io->palette_columns;
    p->jp2.palette_depth = io->palette_depth;
    p->jp2.palette = io->palette;
    return WVL_EXIT_OK;
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

/* What XML readers of the file would trip over is refused; NULs at its end are left out. */
static int check_xml(const char *path, const uint8_t *data, size_t *bytes)
{
    char reason[128];
    int result = wvl_io_check_xml(data, bytes, reason, sizeof reason);
    if (result < 0) {
        return wvl_cli_lack_memory(path);
    }
    if (result > 0) {
        wvl_cli_error("%s: is not well-formed XML: %s; correct it, or use --uuid with an identifier other than that of "
                      "XMP, which accepts any bytes",
                      path, reason);
    }
    return result ? WVL_EXIT_INPUT : WVL_EXIT_OK;
}

static int read_box(const wvl_cli_args *args, const wvl_cli_box *box, uint8_t **data, size_t *bytes)
{
    const char *path = box->path;
    int code = wvl_cli_read_whole(path, wvl_cli_most_bytes(args, WVL_CLI_BOX_BYTES), WVL_CLI_ANYTHING, data, bytes);
    if (!code && !*bytes) {
        free(*data);
        *data = NULL;
        code = wvl_cli_fail(WVL_EXIT_INPUT, "%s: is empty, so the box would be empty", path);
    }
    int is_xml = !box->is_uuid || wvl_metadata_is_xmp_uuid(box->uuid);
    return code || !is_xml ? code : check_xml(path, *data, bytes);
}

static int make_metadata_boxes(const wvl_cli_args *args, const char *name, wvl_cli_picture *p)
{
    if (wvl_metadata_make_boxes(&p->io, wvl_cli_kept_metadata(args), args->gml, &p->metadata) != 0) {
        return wvl_cli_lack_memory(name);
    }
    wvl_cli_name_lost(args, name, p);
    return WVL_EXIT_OK;
}

static int read_boxes(const wvl_cli_args *args, wvl_cli_picture *p)
{
    for (size_t i = 0; i < args->box_count; i++) {
        size_t index = p->box_count++;
        wvl_box *box = &p->boxes[index];
        int code = read_box(args, &args->boxes[i], &p->box_data[index], &box->bytes);
        if (code) {
            return code;
        }
        box->type = args->boxes[i].is_uuid ? BOX_UUID : BOX_XML;
        box->data = p->box_data[index];
        memcpy(box->uuid, args->boxes[i].uuid, sizeof box->uuid);
    }
    return WVL_EXIT_OK;
}

static int carry_boxes(const wvl_cli_args *args, const char *name, wvl_cli_picture *p)
{
    int code = make_metadata_boxes(args, name, p);
    size_t count = args->box_count + p->metadata.count;
    if (code || !count) {
        return code;
    }
    p->boxes = calloc(count, sizeof *p->boxes);
    p->box_data = calloc(count, sizeof *p->box_data);
    if (!p->boxes || !p->box_data) {
        return wvl_cli_lack_memory(name);
    }
    for (; p->box_count < p->metadata.count; p->box_count++) {
        p->boxes[p->box_count] = p->metadata.boxes[p->box_count];
    }
    code = read_boxes(args, p);
    p->jp2.boxes = p->boxes;
    p->jp2.box_count = (uint32_t)p->box_count;
    return code;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* A bare codestream carries none of it: say what stays behind, and refuse what was asked for. */
static int leave_behind(const wvl_cli_args *args, const char *name, const wvl_io_picture *io)
{
    char kinds[256];
    if (args->box_count || args->gml || args->color != WVL_COLOR_AUTO) {
        return wvl_cli_fail(WVL_EXIT_USAGE,
                            "%s: --xml, --uuid, --gml and --color need a JP2 file (.jp2); a codestream has no boxes",
                            name);
    }
    if (io->palette) {
        wvl_cli_warn_once(
            name, "the palette of %u entries is left out; a codestream holds the indices only, a JP2 file (.jp2) both",
            io->palette_entries);
    }
    if (io->icc) {
        wvl_cli_inform("%s: the ICC profile is left out; a codestream has none", name);
    }
    wvl_metadata_name_kinds(&io->metadata, wvl_cli_kept_metadata(args) & ~(unsigned)WVL_KEEP_XMP, kinds, sizeof kinds);
    if (io->metadata.blobs[WVL_IO_XMP].data) {
        wvl_cli_inform("%s: the XMP packet is left out; a codestream has none", name);
    }
    if (kinds[0]) {
        wvl_cli_warn_once(name, "metadata is left out, because a codestream has none; a JP2 file (.jp2) keeps it: %s",
                          kinds);
    }
    if (io->has_cicp) {
        warn_of_cicp(name, io, "a codestream");
    }
    return WVL_EXIT_OK;
}

int wvl_cli_describe_picture(const wvl_cli_args *args, const char *name, int is_jp2, wvl_cli_picture *p)
{
    p->jp2 = (wvl_jp2_info){.struct_size = sizeof p->jp2};
    if (!is_jp2) {
        wvl_cli_name_lost(args, name, p);
        return leave_behind(args, name, &p->io);
    }
    int code = declare_color(args, name, is_jp2 == 2, p);
    if (!code) {
        carry_parameters(args, name, is_jp2 == 2, p);
        code = carry_profile(args, name, is_jp2 == 2, p);
    }
    if (!code) {
        const wvl_io_picture *io = &p->io;
        if (args->color == WVL_COLOR_AUTO && !p->jp2.icc && !p->jp2.cicp) {
            if (io->color == WVL_IO_UNKNOWN) {
                p->jp2.color_unknown = 1;
                wvl_cli_warn_once(
                    name,
                    "the picture does not specify what its %u channels mean; written as %s with the colour "
                    "marked unknown (--color declares one)",
                    channel_count(io), p->jp2.color == WVL_COLOR_GREY ? "grey" : "sRGB");
            } else if (!io->color_declared || io->icc) {
                static const char *const spaces[] = {"grey with the sRGB curve", "sRGB", "sYCC"};
                const char *space = spaces[p->jp2.color == WVL_COLOR_GREY ? 0 : p->jp2.color == WVL_COLOR_SRGB ? 1 : 2];
                wvl_cli_inform("%s: untagged %s is taken as %s", name, color_word(io->color), space);
            }
        }
        code = type_channels(name, p);
    }
    TRY(code, carry_palette(name, p));
    TRY(code, carry_boxes(args, name, p));
    if (!(args->dropped & WVL_KEEP_RESOLUTION)) {
        p->jp2.capture_x_per_metre = p->io.x_pixels_per_metre;
        p->jp2.capture_y_per_metre = p->io.y_pixels_per_metre;
    }
    return code;
}
