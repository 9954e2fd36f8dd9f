/* SPDX-License-Identifier: BSD-2-Clause */
// OpenHTJ2K's library behind bench_peers.h. It starts its threads for every picture.
#include "bench_peers.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

#include <encoder.hpp>

static open_htj2k::siz_params size_of(const wvl_bench_ht_planes *planes)
{
    open_htj2k::siz_params siz{};
    siz.Xsiz = siz.XTsiz = planes->width;
    siz.Ysiz = siz.YTsiz = planes->height;
    siz.Csiz = static_cast<uint16_t>(planes->count);
    siz.Ssiz.assign(planes->count, static_cast<uint8_t>((planes->depth - 1) | (planes->is_signed ? 0x80 : 0)));
    siz.XRsiz.assign(planes->count, 1);
    siz.YRsiz.assign(planes->count, 1);
    return siz;
}

static open_htj2k::cod_params coding_of(const wvl_bench_job *job)
{
    open_htj2k::cod_params cod{};
    cod.blkwidth = cod.blkheight = 4; /* exponents less 2: 64 x 64 */
    cod.is_max_precincts = true;
    cod.number_of_layers = 1;
    cod.use_color_trafo = job->color_transform != 0;
    cod.dwt_levels = static_cast<uint8_t>(job->levels);
    cod.codeblock_style = 0x40;
    cod.transformation = job->reversible != 0;
    return cod;
}

static void encode(const wvl_bench_ht_planes *planes, const wvl_bench_job *job, wvl_bench_coded *coded)
{
    const uint8_t no_quality_factor = 0xFF;
    static std::vector<uint8_t> out; /* keeps its memory from one picture to the next */
    const std::vector<int32_t *> no_planes;
    open_htj2k::siz_params siz = size_of(planes);
    open_htj2k::cod_params cod = coding_of(job);
    open_htj2k::qcd_params qcd{};
    qcd.number_of_guardbits = 1;
    qcd.base_step = job->reversible ? 1.0 : job->step;
    wvl_bench_time start = wvl_bench_time_now();
    {
        open_htj2k::openhtj2k_encoder encoder("", no_planes, siz, cod, qcd, no_quality_factor, false, 0, job->threads);
        encoder.set_output_buffer(out);
        coded->bytes = encoder.invoke_line_based_stream([planes](uint32_t y, int32_t **rows, uint16_t count) {
            for (uint16_t c = 0; c < count; c++) {
                wvl_bench_ht_fill_row(planes, c, y, rows[c]);
            }
        });
    }
    coded->time = wvl_bench_time_since(start);
    coded->data = static_cast<uint8_t *>(std::malloc(coded->bytes));
    if (coded->data == nullptr || out.size() < coded->bytes) {
        throw std::bad_alloc();
    }
    std::memcpy(coded->data, out.data(), coded->bytes);
}

int wvl_bench_encode_openhtj2k(const wvl_bench_ht_planes *planes, const wvl_bench_job *job, wvl_bench_coded *coded,
                               char *error)
{
    try {
        encode(planes, job, coded);
        return 0;
    } catch (const std::exception &e) {
        std::snprintf(error, WVL_BENCH_ERROR_BYTES, "OpenHTJ2K: %s", e.what());
        return -1;
    }
}
