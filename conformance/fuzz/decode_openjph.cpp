/* SPDX-License-Identifier: BSD-2-Clause */
// OpenJPH's library: decodes HT blocks only.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>

#include <openjph/ojph_arch.h>
#include <openjph/ojph_codestream.h>
#include <openjph/ojph_file.h>
#include <openjph/ojph_mem.h>
#include <openjph/ojph_message.h>
#include <openjph/ojph_params.h>

extern "C" {
#include "decoder.h"
}

namespace
{

// The library's handlers are global; trials have processes of their own.
class thrower : public ojph::message_error
{
  public:
    void operator()(int, const char *, int, const char *format, ...) override
    {
        char text[400];
        va_list args;
        va_start(args, format);
        (void)std::vsnprintf(text, sizeof text, format, args);
        va_end(args);
        throw std::runtime_error(text);
    }
};

class silence : public ojph::message_warning
{
  public:
    void operator()(int, const char *, int, const char *, ...) override {}
};

class no_news : public ojph::message_info
{
  public:
    void operator()(int, const char *, int, const char *, ...) override {}
};

uint64_t open_planes(ojph::codestream &codestream, fuzz_picture *p)
{
    ojph::param_siz siz = codestream.access_siz();
    ojph::point end = siz.get_image_extent(), begin = siz.get_image_offset();
    uint64_t rows = 0;
    p->x0 = begin.x;
    p->y0 = begin.y;
    p->x1 = end.x;
    p->y1 = end.y;
    p->planes = static_cast<fuzz_plane *>(std::calloc(siz.get_num_components(), sizeof *p->planes));
    for (uint32_t c = 0; p->planes && c < siz.get_num_components(); c++) {
        ojph::point step = siz.get_downsampling(c);
        fuzz_plane *plane = &p->planes[p->count++];
        *plane = fuzz_plane{siz.get_recon_width(c),
                            siz.get_recon_height(c),
                            static_cast<uint8_t>(siz.get_bit_depth(c)),
                            siz.is_signed(c),
                            static_cast<uint8_t>(step.x),
                            static_cast<uint8_t>(step.y),
                            nullptr};
        plane->samples = static_cast<int32_t *>(
            std::calloc(static_cast<size_t>(plane->width) * plane->height + 1, sizeof *plane->samples));
        rows += plane->height;
    }
    return rows;
}

// Values beyond the depth's range are held to it, as every decoder does.
int32_t hold(int64_t v, const fuzz_plane &plane)
{
    int64_t low = plane.is_signed ? -(INT64_C(1) << (plane.depth - 1)) : 0,
            high = plane.is_signed ? -low - 1 : (INT64_C(1) << plane.depth) - 1;
    return static_cast<int32_t>(std::min(std::max<int64_t>(v, low), high));
}

void decode(const uint8_t *data, size_t bytes, fuzz_picture *p)
{
    ojph::mem_infile in;
    ojph::codestream codestream;
    in.open(data, bytes);
    codestream.read_headers(&in);
    codestream.set_planar(!codestream.access_cod().is_using_color_transform());
    uint64_t rows = open_planes(codestream, p);
    for (uint32_t c = 1; c < p->count && !codestream.is_planar(); c++) {
        if (p->planes[c].height != p->planes[0].height) {
            throw std::runtime_error("rows of unequal number are not pulled together");
        }
    }
    codestream.create();
    uint32_t *row = static_cast<uint32_t *>(std::calloc(p->count, sizeof *row));
    for (uint64_t i = 0; row && i < rows; i++) {
        ojph::ui32 c = 0;
        ojph::line_buf *line = codestream.pull(c);
        if (!line || c >= p->count || row[c] >= p->planes[c].height) {
            std::free(row);
            throw std::runtime_error("a row of no component");
        }
        fuzz_plane &plane = p->planes[c];
        int32_t *to = plane.samples + static_cast<size_t>(row[c]++) * plane.width;
        for (uint32_t x = 0; x < plane.width; x++) {
            to[x] = hold(line->i32[x], plane);
        }
    }
    std::free(row);
    codestream.close();
}

} // namespace

extern "C" int fuzz_openjph_decode(const uint8_t *data, size_t bytes, fuzz_picture *p, char *text, size_t text_bytes)
{
    static thrower errors;
    static silence warnings;
    static no_news news;
    ojph::configure_error(&errors);
    ojph::configure_warning(&warnings);
    ojph::configure_info(&news);
    std::memset(p, 0, sizeof *p);
    try {
        decode(data, bytes, p);
        return 1;
    } catch (const std::exception &e) {
        (void)std::snprintf(text, text_bytes, "OpenJPH: %s", e.what());
    }
    fuzz_picture_free(p);
    return 0;
}
