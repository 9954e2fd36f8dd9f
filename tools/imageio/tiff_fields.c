/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of a TIFF directory, and the refusal of those that are not supported. */
#include "float_samples.h"
#include "read_tiff.h"

#include <math.h>

#ifndef PHOTOMETRIC_CFA
#define PHOTOMETRIC_CFA 32803
#endif

static const char *name_of_refused_photometric(uint16_t photometric)
{
    switch (photometric) {
    case PHOTOMETRIC_MASK: return "transparency mask";
    case PHOTOMETRIC_CIELAB: return "CIE L*a*b*";
    case PHOTOMETRIC_ICCLAB: return "ICC L*a*b*";
    case PHOTOMETRIC_ITULAB: return "ITU L*a*b*";
    case PHOTOMETRIC_LOGL:
    case PHOTOMETRIC_LOGLUV: return "logarithmic luminance";
    case PHOTOMETRIC_CFA: return "colour filter array";
    default: return "not known";
    }
}

/* IEEE 754 numbers of 16, 32 or 64 bits. */
static int check_floats(wvl_io_tiff *t)
{
    if (wvl_io_permit_floats(t->context, "SampleFormat 3") != 0) {
        return -1;
    }
    if (t->depth != 16 && t->depth != 32 && t->depth != 64) {
        return wvl_io_fail(t->context, "SampleFormat 3 with BitsPerSample %u: must be 16, 32 or 64", t->depth);
    }
    t->keeps_floats = t->context->options.float_transfer == WVL_IO_FLOAT_KEPT;
    t->is_float = !t->keeps_floats;
    if (t->keeps_floats) {
        t->sample_format = SAMPLEFORMAT_INT;
    }
    return !t->keeps_floats || t->depth != 64
               ? 0
               : wvl_io_fail(t->context, "SampleFormat 3 with BitsPerSample 64: --float-transfer keep takes 16 and 32");
}

static int check_photometric(wvl_io_tiff *t)
{
    uint16_t least = 1, most = UINT16_MAX;

    if ((t->is_float || t->keeps_floats) && t->photometric != PHOTOMETRIC_MINISBLACK &&
        t->photometric != PHOTOMETRIC_RGB) {
        return wvl_io_fail(t->context, "SampleFormat 3 with PhotometricInterpretation %u: must be 1 or 2",
                           t->photometric);
    }
    switch (t->photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_SEPARATED: break;
    case PHOTOMETRIC_RGB: least = 3; break;
    case PHOTOMETRIC_YCBCR: least = most = 3; break;
    case PHOTOMETRIC_PALETTE: most = 1; break;
    default:
        return wvl_io_fail(t->context, "PhotometricInterpretation %u (%s) is not supported", t->photometric,
                           name_of_refused_photometric(t->photometric));
    }
    if (t->colors < least || t->colors > most) {
        return wvl_io_fail(t->context, "PhotometricInterpretation %u with %u colour samples: needs %s%u",
                           t->photometric, t->colors, least == most || most < UINT16_MAX ? "" : "at least ",
                           most < UINT16_MAX ? most : least);
    }
    return 0;
}

#ifndef WVL_HAVE_OPENJPEG
int wvl_io_tiff_open_jpeg2000(wvl_io_tiff *t)
{
    return wvl_io_fail(t->context, "Compression %u: this build cannot read JPEG 2000: it was made without OpenJPEG",
                       t->compression);
}

int wvl_io_tiff_decode_jpeg2000(wvl_io_tiff *t, uint32_t number)
{
    (void)number;
    return wvl_io_tiff_open_jpeg2000(t);
}
#endif

static int is_jpeg2000(const wvl_io_tiff *t)
{
    return t->compression == WVL_TIFF_JPEG2000 || t->compression == WVL_TIFF_JPEG2000_YCC ||
           t->compression == WVL_TIFF_JPEG2000_RGB;
}

/* Aperio's Compression says the colour, whatever PhotometricInterpretation does. */
static void settle_photometric(wvl_io_tiff *t)
{
    if (t->compression == WVL_TIFF_JPEG2000_YCC && t->colors == 3) {
        t->photometric = PHOTOMETRIC_YCBCR;
    } else if (t->compression == WVL_TIFF_JPEG2000_RGB && t->photometric == PHOTOMETRIC_YCBCR) {
        t->photometric = PHOTOMETRIC_RGB;
    }
}

static int check_coder(wvl_io_tiff *t)
{
    if (is_jpeg2000(t)) {
        return t->is_float || t->keeps_floats
                   ? wvl_io_fail(t->context, "Compression %u (JPEG 2000) with SampleFormat 3: must be integers",
                                 t->compression)
                   : wvl_io_tiff_open_jpeg2000(t);
    }
    if (t->compression == COMPRESSION_OJPEG) {
        return wvl_io_fail(t->context, "Compression 6 (JPEG of TIFF 6.0, withdrawn) is not supported");
    }
    if (!TIFFIsCODECConfigured(t->compression)) {
        return wvl_io_fail(t->context, "Compression %u: not supported by this libtiff", t->compression);
    }
    if (t->compression == COMPRESSION_JPEG) {
        TIFFSetField(t->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RAW);
    }
    return 0;
}

/*
 * libtiff lays the units of subsampled JPEG data out with the pitch of a scan line or tile row, which is the
 * length of a row of units only in some cases (2x1 in TIFF strips, 2x2 in tiles); elsewhere they overwrite each
 * other, so that only its conversion to RGB gives the whole picture.
 */
static int has_whole_units(wvl_io_tiff *t)
{
    uint32_t width = t->is_tiled ? t->tile_width : t->width;
    uint64_t pitch = t->is_tiled ? TIFFTileRowSize64(t->tiff) : TIFFScanlineSize64(t->tiff);

    return !t->is_subsampled ||
           pitch == ((uint64_t)width + t->step_x - 1) / t->step_x * ((uint64_t)t->step_x * t->step_y + 2);
}

static void choose_rgb(wvl_io_tiff *t, const char *name)
{
    t->is_subsampled = 0;
    t->photometric = PHOTOMETRIC_RGB;
    t->context->picture->was_ycc = 1;
    wvl_io_note(t->context, "YCbCr of %s data became RGB", name);
}

/* YCbCr of JPEG data becomes RGB as that of JPEG files does, whatever its steps, in TIFF strips and tiles. */
static int choose_jpeg_colors(wvl_io_tiff *t)
{
    if (t->planar != PLANARCONFIG_CONTIG || t->samples != 3) {
        return 0;
    }
    if (t->context->options.keep_ycc) {
        return has_whole_units(t) ? 0
                                  : wvl_io_fail(t->context,
                                                "JPEG data with YCbCrSubSampling %u, %u in %s: libtiff does not return "
                                                "its planes; leave --jpeg-ycc keep out",
                                                t->step_x, t->step_y, t->is_tiled ? "tiles" : "strips");
    }
    TIFFSetField(t->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    choose_rgb(t, "JPEG");
    return 0;
}

/* sYCC is the BT.601 matrix on full-range samples (IEC 61966-2-1 annex F). */
static int is_sycc(wvl_io_tiff *t)
{
    static const float matrix[3] = {0.299f, 0.587f, 0.114f}, range[6] = {0, 255, 128, 255, 128, 255};
    float *found = NULL;

    if (TIFFGetFieldDefaulted(t->tiff, TIFFTAG_YCBCRCOEFFICIENTS, &found) != 0 && found) {
        for (unsigned k = 0; k < 3; k++) {
            if (!(fabsf(found[k] - matrix[k]) < 0.001f)) {
                return 0;
            }
        }
    }
    found = NULL;
    if (t->depth == 8 && TIFFGetFieldDefaulted(t->tiff, TIFFTAG_REFERENCEBLACKWHITE, &found) != 0 && found) {
        for (unsigned k = 0; k < 6; k++) {
            if (!(fabsf(found[k] - range[k]) < 1.0f)) {
                return 0;
            }
        }
    }
    return 1;
}

/* Matrix and range of YCbCr that is no sYCC. Without ReferenceBlackWhite the range is full at any depth. */
static void take_ycc_tags(wvl_io_tiff *t)
{
    float top = (float)((UINT64_C(1) << t->depth) - 1), zero = (float)(UINT64_C(1) << (t->depth - 1));
    const float full[6] = {0, top, zero, top, zero, top};
    float *luma = NULL, *range = NULL;
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_YCBCRCOEFFICIENTS, &luma);
    if (!luma) {
        return;
    }
    t->ycc_tagged = 1;
    memcpy(t->ycc_luma, luma, sizeof t->ycc_luma);
    memcpy(t->ycc_range, full, sizeof full);
    if (TIFFGetField(t->tiff, TIFFTAG_REFERENCEBLACKWHITE, &range) != 0 && range) {
        memcpy(t->ycc_range, range, sizeof t->ycc_range);
    }
}

/* Says whether it is sYCC. */
static int take_ycc(wvl_io_tiff *t)
{
    uint16_t siting = 0;
    int declared = is_sycc(t);

    if (!declared) {
        wvl_io_note(t->context, "YCbCrCoefficients or ReferenceBlackWhite differ from sYCC");
        take_ycc_tags(t);
    }
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_YCBCRPOSITIONING, &siting);
    t->ycc_siting = (uint8_t)(siting <= 2 ? siting : 0);
    return declared;
}

/* As JPEG data does. */
static int becomes_rgb(const wvl_io_tiff *t)
{
    return !t->context->options.keep_ycc && t->planar == PLANARCONFIG_CONTIG && t->samples == 3 && t->depth >= 2 &&
           t->depth <= 16 && t->sample_format != SAMPLEFORMAT_INT;
}

static int check_subsampling(wvl_io_tiff *t)
{
    if (t->photometric != PHOTOMETRIC_YCBCR) {
        return 0;
    }
    if (t->is_jpeg2000) {
        TIFFSetField(t->tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_YCBCR); /* libtiff's defaults depend on it */
        if (becomes_rgb(t)) {
            take_ycc(t);
            t->makes_rgb = 1;
            choose_rgb(t, "JPEG 2000");
            return 0;
        }
        /* So that libtiff's sizes are those of the codestreams. */
        TIFFSetField(t->tiff, TIFFTAG_YCBCRSUBSAMPLING, t->step_x, t->step_y);
    } else {
        TIFFGetFieldDefaulted(t->tiff, TIFFTAG_YCBCRSUBSAMPLING, &t->step_x, &t->step_y);
    }
    if ((t->step_x != 1 && t->step_x != 2 && t->step_x != 4) || (t->step_y != 1 && t->step_y != 2 && t->step_y != 4)) {
        return wvl_io_fail(t->context, "YCbCrSubSampling %u, %u: must be 1, 2 or 4", t->step_x, t->step_y);
    }
    t->is_subsampled = t->step_x != 1 || t->step_y != 1;
    if (t->is_subsampled && (t->depth != 8 || t->sample_format == SAMPLEFORMAT_INT)) {
        return wvl_io_fail(t->context, "YCbCrSubSampling %u, %u with BitsPerSample %u: must be 8, unsigned", t->step_x,
                           t->step_y, t->depth);
    }
    if (t->is_subsampled && (t->planar != PLANARCONFIG_CONTIG || t->samples != 3)) {
        return wvl_io_fail(t->context,
                           "YCbCrSubSampling %u, %u with %u samples, PlanarConfiguration %u: must be 3 and 1",
                           t->step_x, t->step_y, t->samples, t->planar);
    }
    return t->compression == COMPRESSION_JPEG ? choose_jpeg_colors(t) : 0;
}

/* The first extra sample that is alpha; further ones stay components without a role. */
static int read_extra_samples(wvl_io_tiff *t)
{
    uint16_t count = 0, *types = NULL;

    t->colors = t->samples;
    t->alpha_component = -1;
    if (TIFFGetField(t->tiff, TIFFTAG_EXTRASAMPLES, &count, &types) == 0 || count == 0) {
        return 0;
    }
    if (count >= t->samples) {
        return wvl_io_fail(t->context, "ExtraSamples %u of SamplesPerPixel %u: at least one sample must be colour",
                           count, t->samples);
    }
    t->colors = (uint16_t)(t->samples - count);
    for (uint16_t i = 0; i < count && t->alpha_component < 0; i++) {
        if (types[i] == EXTRASAMPLE_ASSOCALPHA || types[i] == EXTRASAMPLE_UNASSALPHA) {
            t->alpha_component = t->colors + i;
            t->alpha_premultiplied = types[i] == EXTRASAMPLE_ASSOCALPHA;
        }
    }
    return 0;
}

/* Colour maps have 16-bit entries. What was an 8-bit colour is stored times 257, by older writers times 256, and
   by the oldest as it is; libtiff's tools read all three so. */
static unsigned choose_palette_depth(const uint16_t *const maps[3], uint32_t entries, unsigned *divisor)
{
    int by_257 = 1, by_256 = 1, small = 1;

    for (unsigned k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < entries; i++) {
            by_257 = by_257 && maps[k][i] % 257 == 0;
            by_256 = by_256 && maps[k][i] % 256 == 0;
            small = small && maps[k][i] < 256;
        }
    }
    *divisor = small ? 1 : by_257 ? 257 : by_256 ? 256 : 1;
    return small || by_257 || by_256 ? 8 : 16;
}

static int read_color_map(wvl_io_tiff *t)
{
    uint16_t *red = NULL, *green = NULL, *blue = NULL;
    unsigned divisor;

    if (t->photometric != PHOTOMETRIC_PALETTE) {
        return 0;
    }
    if (t->depth > 16 || t->sample_format == SAMPLEFORMAT_INT || t->samples != 1) {
        return wvl_io_fail(t->context, "palette picture with %u samples of %u bits: must be one, unsigned, up to 16",
                           t->samples, t->depth);
    }
    if (TIFFGetField(t->tiff, TIFFTAG_COLORMAP, &red, &green, &blue) == 0) {
        return wvl_io_fail(t->context, "ColorMap is missing");
    }
    const uint16_t *const maps[3] = {red, green, blue};
    uint32_t entries = UINT32_C(1) << t->depth;
    unsigned depth = choose_palette_depth(maps, entries, &divisor);
    if (wvl_io_make_palette(t->context, &t->palette, entries, 3, depth) != 0) {
        return -1;
    }
    for (size_t i = 0; i < 3 * (size_t)entries; i++) {
        t->palette.values[i] = (uint16_t)(maps[i % 3][i / 3] / divisor);
    }
    return 0;
}

int wvl_io_tiff_read_fields(wvl_io_tiff *t)
{
    uint32_t image_depth = 1;

    if (TIFFGetField(t->tiff, TIFFTAG_IMAGEWIDTH, &t->width) == 0 ||
        TIFFGetField(t->tiff, TIFFTAG_IMAGELENGTH, &t->height) == 0) {
        return wvl_io_fail(t->context, "ImageWidth or ImageLength is missing");
    }
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_BITSPERSAMPLE, &t->depth);
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_SAMPLESPERPIXEL, &t->samples);
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_SAMPLEFORMAT, &t->sample_format);
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_PLANARCONFIG, &t->planar);
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_COMPRESSION, &t->compression);
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_IMAGEDEPTH, &image_depth);
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_ROWSPERSTRIP, &t->rows_per_strip);
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_FILLORDER, &t->fill_order);
    TIFFGetField(t->tiff, TIFFTAG_TILEWIDTH, &t->tile_width);
    TIFFGetField(t->tiff, TIFFTAG_TILELENGTH, &t->tile_height);
    t->is_tiled = TIFFIsTiled(t->tiff);
    if (image_depth > 1) {
        return wvl_io_fail(t->context, "ImageDepth %u: only flat pictures are supported", image_depth);
    }
    if (t->sample_format == SAMPLEFORMAT_IEEEFP && check_floats(t) != 0) {
        return -1;
    }
    if (!t->is_float && t->sample_format != SAMPLEFORMAT_UINT && t->sample_format != SAMPLEFORMAT_INT &&
        t->sample_format != SAMPLEFORMAT_VOID) {
        return wvl_io_fail(t->context, "SampleFormat %u: only integers (1, 2) and floating point (3) are supported",
                           t->sample_format);
    }
    if (!t->is_float && (t->depth == 0 || t->depth > 32)) {
        return wvl_io_fail(t->context, "BitsPerSample %u: must be 1 to 32", t->depth);
    }
    if (t->samples == 0 || t->samples > WVL_IO_MAX_COMPONENTS) {
        return wvl_io_fail(t->context, "SamplesPerPixel %u: must be 1 to %u", t->samples, WVL_IO_MAX_COMPONENTS);
    }
    if (t->planar != PLANARCONFIG_CONTIG && t->planar != PLANARCONFIG_SEPARATE) {
        return wvl_io_fail(t->context, "PlanarConfiguration %u: must be 1 or 2", t->planar);
    }
    if (TIFFGetField(t->tiff, TIFFTAG_PHOTOMETRIC, &t->photometric) == 0) {
        t->photometric = t->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
        wvl_io_note(t->context, "PhotometricInterpretation is missing; the picture is taken as %s",
                    t->samples >= 3 ? "RGB" : "grey");
    }
    if (read_extra_samples(t) != 0) {
        return -1;
    }
    settle_photometric(t);
    if (check_photometric(t) != 0 || check_coder(t) != 0 || check_subsampling(t) != 0) {
        return -1;
    }
    t->inverts = t->photometric == PHOTOMETRIC_MINISWHITE;
    return read_color_map(t);
}

void wvl_io_tiff_take_color(wvl_io_tiff *t)
{
    wvl_io_picture *picture = t->context->picture;
    wvl_io_color color = WVL_IO_UNKNOWN;
    uint16_t inks = INKSET_CMYK;
    int declared = 0;

    if (t->palette.entries != 0) {
        return; /* settled with the palette */
    }
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_INKSET, &inks);
    if (t->photometric == PHOTOMETRIC_RGB) {
        color = WVL_IO_RGB;
    } else if (t->photometric == PHOTOMETRIC_SEPARATED && t->colors == 4 && inks == INKSET_CMYK) {
        color = WVL_IO_CMYK;
    } else if (t->photometric == PHOTOMETRIC_YCBCR) {
        color = WVL_IO_YCC;
    } else if (t->photometric != PHOTOMETRIC_SEPARATED && t->colors == 1) {
        color = WVL_IO_GREY;
    }
    if (color == WVL_IO_YCC) {
        declared = take_ycc(t);
        picture->ycc_tagged = t->ycc_tagged;
        memcpy(picture->ycc_luma, t->ycc_luma, sizeof t->ycc_luma);
        memcpy(picture->ycc_range, t->ycc_range, sizeof t->ycc_range);
        picture->chroma_siting = t->ycc_siting;
    }
    wvl_io_set_color(picture, color, declared, t->alpha_component);
    picture->alpha_premultiplied = t->alpha_premultiplied;
}
