/* SPDX-License-Identifier: BSD-2-Clause */
#include "plugin.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace wavelane
{

constexpr int most_depth = 28;
/* Rows of the source are read in portions of this many bytes: drivers as VRT may need memory for a whole request. */
constexpr int64_t portion_bytes = 16 << 20;

static bool is_signed_type(GDALDataType type) { return GDALDataTypeIsSigned(type); }

Picture::Picture(GDALDataset *dataset, const Options &options) : source(dataset)
{
    width = static_cast<uint32_t>(source->GetRasterXSize());
    height = static_cast<uint32_t>(source->GetRasterYSize());
    bands = source->GetRasterCount();
    if (bands < 1 || bands > 16384) {
        throw Failure(CPLE_NotSupported, CPLSPrintf("%d bands; JPEG 2000 has 1 to 16384", bands));
    }
    find_type();
    find_colors(options);
    find_depths(options);
    lay_out();
}

void Picture::find_type()
{
    type = source->GetRasterBand(1)->GetRasterDataType();
    for (int i = 2; i <= bands; i++) {
        type = GDALDataTypeUnion(type, source->GetRasterBand(i)->GetRasterDataType());
    }
    sample_bytes = GDALGetDataTypeSizeBytes(type);
    if (GDALDataTypeIsFloating(type) || GDALDataTypeIsComplex(type) || sample_bytes < 1 || sample_bytes > 4) {
        throw Failure(CPLE_NotSupported, CPLSPrintf("samples of type %s; Byte, UInt16, Int16, UInt32 and Int32 can be "
                                                    "written (gdal_translate -ot)",
                                                    GDALGetDataTypeName(type)));
    }
}

void Picture::find_colors(const Options &options)
{
    std::vector<GDALColorInterp> kinds;
    for (int i = 1; i <= bands; i++) {
        kinds.push_back(source->GetRasterBand(i)->GetColorInterpretation());
    }
    auto last = std::find(kinds.rbegin(), kinds.rend(), GCI_AlphaBand);
    alpha = last == kinds.rend() ? -1 : static_cast<int>(kinds.rend() - last) - 1;
    if (alpha < 0 && bands > 1 && options.is_set("ALPHA")) {
        alpha = bands - 1;
    }
    if (alpha >= 0) {
        kinds.erase(kinds.begin() + alpha);
    }
    is_rgb = kinds.size() >= 3 && kinds[0] == GCI_RedBand && kinds[1] == GCI_GreenBand && kinds[2] == GCI_BlueBand;
    palette = bands == 1 ? source->GetRasterBand(1)->GetColorTable() : nullptr;
    is_420 = options.is_set("YCBCR420");
    bool is_fit = is_rgb && (bands == 3 || (bands == 4 && alpha == 3)) && type == GDT_Byte;
    if (is_420 && (!is_fit || width % 2 || height % 2)) {
        throw Failure(CPLE_NotSupported,
                      "YCBCR420 needs bands red, green, blue (and alpha) of type Byte, and an even size");
    }
}

static int find_depth(GDALRasterBand *band, int type_bits, const Options &options)
{
    const char *option = options.find("NBITS"), *known = band->GetMetadataItem("NBITS", "IMAGE_STRUCTURE");
    int most = std::min(type_bits, most_depth), depth = option ? static_cast<int>(options.number("NBITS", 0)) : most;
    bool is_whole = depth == 1 || depth == 8 || depth == 16;
    if (option && options.is_inspire() && !is_whole) {
        throw Failure(CPLE_NotSupported, "INSPIRE_TG=YES needs NBITS of 1, 8 or 16 (requirement 24)");
    }
    if (!option && known) {
        depth = atoi(known);
        is_whole = depth == 1 || depth == 8 || depth == 16;
        if ((options.is_inspire() && !is_whole) || depth < 1 || depth > most) {
            depth = most;
        }
    }
    if (depth < 1 || depth > most) {
        throw Failure(CPLE_NotSupported, CPLSPrintf("NBITS is %d; this type can have 1 to %d", depth, most));
    }
    return depth;
}

void Picture::find_depths(const Options &options)
{
    for (int i = 0; i < bands; i++) {
        wvl_component_format c = {};
        c.depth = static_cast<uint8_t>(find_depth(source->GetRasterBand(i + 1), sample_bytes * 8, options));
        c.is_signed = is_signed_type(type);
        c.dx = c.dy = is_420 && (i == 1 || i == 2) ? 2 : 1;
        if (i == alpha && (c.depth == 1 || options.is_set("1BIT_ALPHA", options.is_inspire()))) {
            c.depth = 1;
            c.is_signed = 0;
            has_bit_alpha = true;
        }
        components.push_back(c);
    }
}

void Picture::lay_out()
{
    const uint8_t containers[] = {0, WVL_SAMPLE_8, WVL_SAMPLE_16, 0, WVL_SAMPLE_32};
    for (int i = 0; i < bands; i++) {
        wvl_row_component place = {};
        place.container = containers[sample_bytes];
        place.sample_stride = static_cast<uint32_t>(bands);
        place.first_sample = static_cast<uint32_t>(i);
        if (is_420) { /* Y and alpha, Cb and Cr */
            bool is_chroma = i == 1 || i == 2;
            place.buffer = is_chroma;
            place.sample_stride = is_chroma || bands == 4 ? 2 : 1;
            place.first_sample = i >= 2;
        }
        places.push_back(place);
    }
    if (is_420) {
        pixels.resize(2 * static_cast<size_t>(width) * static_cast<size_t>(bands));
    }
}

wvl_image_format Picture::format() const
{
    wvl_image_format f = {};
    f.struct_size = sizeof f;
    f.x1 = width;
    f.y1 = height;
    f.component_count = static_cast<uint32_t>(bands);
    f.components = components.data();
    return f;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

void Picture::read_pixels(GByte *data, int64_t pitch, int first, int count)
{
    int64_t pixel_bytes = static_cast<int64_t>(bands) * sample_bytes;
    int portion =
        static_cast<int>(std::max<int64_t>(1, std::min<int64_t>(count, portion_bytes / (pixel_bytes * width))));
    for (int done = 0; done < count; done += portion) {
        int rows = std::min(portion, count - done), columns = static_cast<int>(width);
        CPLErrorReset();
        if (source->RasterIO(GF_Read, 0, first + done, columns, rows, data + pitch * done, columns, rows, type, bands,
                             nullptr, pixel_bytes, pitch, sample_bytes, nullptr) != CE_None) {
            const char *reason = CPLGetLastErrorMsg();
            throw Failure(CPLE_FileIO, *reason ? reason : "the source cannot be read");
        }
    }
}

/* Alpha is 0 or anything else; the bytes of a sample that is not 0 become those of 1. */
template <typename T> static void make_bits(GByte *row, int bands, int alpha, uint32_t width)
{
    T *sample = reinterpret_cast<T *>(row) + alpha;
    for (uint32_t x = 0; x < width; x++, sample += bands) {
        *sample = *sample != 0;
    }
}

/* JFIF's matrix in 16 bits of fraction, rounded. */
static GByte weigh(const GByte *rgb, int red, int green, int blue, int offset)
{
    int sum = (red * rgb[0] + green * rgb[1] + blue * rgb[2] + (offset << 16) + 32768) >> 16;
    return static_cast<GByte>(std::min(255, std::max(0, sum)));
}

void Picture::read_luma(const wvl_row_buffer &buffer)
{
    for (uint32_t j = 0; j < buffer.row_count; j++) {
        read_pixels(pixels.data(), static_cast<int64_t>(width) * bands, static_cast<int>(buffer.first_row + j), 1);
        GByte *out = static_cast<GByte *>(buffer.data) + j * buffer.pitch_bytes;
        for (uint32_t x = 0; x < width; x++) {
            const GByte *rgb = &pixels[static_cast<size_t>(x) * bands];
            *out++ = weigh(rgb, 19595, 38470, 7471, 0);
            if (bands == 4) {
                *out++ = has_bit_alpha ? rgb[3] != 0 : rgb[3];
            }
        }
    }
}

/* Each sample is the mean of four pixels. */
void Picture::read_chroma(const wvl_row_buffer &buffer)
{
    size_t step = static_cast<size_t>(bands), pitch = width * step;
    for (uint32_t j = 0; j < buffer.row_count; j++) {
        read_pixels(pixels.data(), static_cast<int64_t>(pitch), static_cast<int>(2 * (buffer.first_row + j)), 2);
        GByte *out = static_cast<GByte *>(buffer.data) + j * buffer.pitch_bytes;
        for (const GByte *p = pixels.data(); p < pixels.data() + pitch; p += 2 * step) {
            GByte mean[3];
            for (size_t c = 0; c < 3; c++) {
                mean[c] = static_cast<GByte>((p[c] + p[c + step] + p[c + pitch] + p[c + step + pitch] + 2) / 4);
            }
            *out++ = weigh(mean, -11059, -21709, 32768, 128);
            *out++ = weigh(mean, 32768, -27439, -5329, 128);
        }
    }
}

void Picture::read(const wvl_row_buffer *buffers, uint32_t count)
{
    if (is_420) {
        for (uint32_t i = 0; i < count; i++) {
            if (i) {
                read_chroma(buffers[i]);
            } else {
                read_luma(buffers[i]);
            }
        }
        return;
    }
    const wvl_row_buffer &all = buffers[0];
    GByte *data = static_cast<GByte *>(all.data);
    read_pixels(data, static_cast<int64_t>(all.pitch_bytes), static_cast<int>(all.first_row),
                static_cast<int>(all.row_count));
    for (uint32_t j = 0; has_bit_alpha && j < all.row_count; j++) {
        GByte *row = data + j * all.pitch_bytes;
        if (sample_bytes == 1) {
            make_bits<uint8_t>(row, bands, alpha, width);
        } else if (sample_bytes == 2) {
            make_bits<uint16_t>(row, bands, alpha, width);
        } else {
            make_bits<uint32_t>(row, bands, alpha, width);
        }
    }
}

/* The library is C: nothing may be thrown through it. */
wvl_status Picture::read_rows(void *user, const wvl_row_buffer *buffers, uint32_t count, char *error, size_t bytes)
{
    Picture *picture = static_cast<Picture *>(user);
    try {
        picture->read(buffers, count);
        return WVL_OK;
    } catch (const std::exception &e) {
        picture->has_failed = true;
        CPLStrlcpy(error, e.what(), bytes);
        return WVL_ERROR_INPUT;
    }
}

static wvl_status go_back(void *, char *, size_t) { return WVL_OK; }

wvl_row_source Picture::rows()
{
    wvl_row_source s = {};
    s.struct_size = sizeof s;
    s.components = places.data();
    s.component_count = static_cast<uint32_t>(places.size());
    s.read = read_rows;
    s.rewind = go_back;
    s.user = this;
    return s;
}

} // namespace wavelane
