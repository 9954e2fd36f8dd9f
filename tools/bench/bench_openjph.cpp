/* SPDX-License-Identifier: BSD-2-Clause */
// OpenJPH's library behind bench_peers.h. It has no threads.
#include "bench_peers.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include <openjph/ojph_arch.h>
#include <openjph/ojph_codestream.h>
#include <openjph/ojph_file.h>
#include <openjph/ojph_mem.h>
#include <openjph/ojph_params.h>
#include <openjph/ojph_version.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *wvl_bench_openjph_version(void)
{
    return TEXT(OPENJPH_VERSION_MAJOR) "." TEXT(OPENJPH_VERSION_MINOR) "." TEXT(OPENJPH_VERSION_PATCH);
}

static void set_parameters(ojph::codestream &codestream, const wvl_bench_ht_planes *planes, const wvl_bench_job *job)
{
    ojph::param_siz siz = codestream.access_siz();
    siz.set_image_extent(ojph::point(planes->width, planes->height));
    siz.set_num_components(planes->count);
    for (uint32_t c = 0; c < planes->count; c++) {
        siz.set_component(c, ojph::point(1, 1), planes->depth, planes->is_signed != 0);
    }
    ojph::param_cod cod = codestream.access_cod();
    cod.set_num_decomposition(job->levels);
    cod.set_block_dims(64, 64);
    cod.set_progression_order("LRCP");
    cod.set_color_transform(job->color_transform != 0);
    cod.set_reversible(job->reversible != 0);
    if (!job->reversible) {
        codestream.access_qcd().set_irrev_quant(static_cast<float>(job->step));
    }
    codestream.set_planar(!job->color_transform);
}

static void push_rows(ojph::codestream &codestream, const wvl_bench_ht_planes *planes, int planar)
{
    ojph::ui32 component;
    ojph::line_buf *line = codestream.exchange(nullptr, component);
    uint32_t outer = planar ? planes->count : planes->height, inner = planar ? planes->height : planes->count;
    for (uint32_t i = 0; i < outer; i++) {
        for (uint32_t j = 0; j < inner; j++) {
            wvl_bench_ht_fill_row(planes, component, planar ? j : i, line->i32);
            line = codestream.exchange(line, component);
        }
    }
}

static void encode(const wvl_bench_ht_planes *planes, const wvl_bench_job *job, wvl_bench_coded *coded)
{
    wvl_bench_time start = wvl_bench_time_now();
    ojph::mem_outfile out;
    out.open(static_cast<size_t>(planes->width) * planes->height * planes->count * 2);
    {
        ojph::codestream codestream;
        set_parameters(codestream, planes, job);
        codestream.write_headers(&out);
        push_rows(codestream, planes, !job->color_transform);
        codestream.flush();
    }
    coded->time = wvl_bench_time_since(start);
    coded->bytes = out.get_used_size();
    coded->data = static_cast<uint8_t *>(std::malloc(coded->bytes));
    if (coded->data == nullptr) {
        throw std::bad_alloc();
    }
    std::memcpy(coded->data, out.get_data(), coded->bytes);
    out.close();
}

int wvl_bench_encode_openjph(const wvl_bench_ht_planes *planes, const wvl_bench_job *job, wvl_bench_coded *coded,
                             char *error)
{
    try {
        encode(planes, job, coded);
        return 0;
    } catch (const std::exception &e) {
        std::snprintf(error, WVL_BENCH_ERROR_BYTES, "OpenJPH: %s", e.what());
        return -1;
    }
}
