/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/t1/t1_coder.h"

#include <string.h>

uint32_t wvl_t1_init_coder(wvl_t1_coder *coder, const wvl_t1_input *in, wvl_t1_output *out)
{
    unsigned bits = wvl_bit_length(in->bound);
    out->length = 0;
    out->pass_count = 0;
    out->planes = bits > in->frac_bits ? bits - in->frac_bits : 0;
    out->energy = 0;
    out->energy_shift = 0;
    coder->style = in->style;
    coder->total = out->planes ? 3 * out->planes - 2 : 0;
    coder->next = out->bytes + 1;
    coder->at_start = 1;
    if (coder->total) {
        out->bytes[0] = 0;
    }
    wvl_mq_init_contexts(&coder->mq);
    return in->max_passes < coder->total ? in->max_passes : coder->total;
}

void wvl_t1_init_pass(wvl_t1_coder *coder, uint32_t pass)
{
    if (coder->style & WVL_STYLE_RESET) {
        wvl_mq_init_contexts(&coder->mq);
    }
    if (!coder->at_start) {
        return;
    }
    coder->at_start = 0;
    coder->safe_floor = coder->final_floor = 0;
    if (wvl_t1_pass_is_raw(pass, coder->style)) {
        wvl_raw_init_segment(&coder->raw, coder->next);
    } else {
        wvl_mq_init_segment(&coder->mq, coder->next);
    }
}

static void close_segment(wvl_t1_coder *coder, const wvl_segment_end *end)
{
    uint8_t *stop = coder->next + end->final_bytes;
    memcpy(stop - end->tail_count, end->tail, end->tail_count);
    coder->next = stop;
    coder->at_start = 1;
}

void wvl_t1_put_pass(wvl_t1_coder *coder, wvl_t1_output *out, int64_t gain_quarters)
{
    uint32_t pass = out->pass_count++;
    int raw = wvl_t1_pass_is_raw(pass, coder->style), predictable = (coder->style & WVL_STYLE_PTERM) != 0;
    uint32_t base = (uint32_t)(coder->next - out->bytes - 1);
    wvl_segment_end end = raw ? wvl_raw_fetch_end(&coder->raw, predictable, coder->final_floor)
                              : wvl_mq_fetch_end(&coder->mq, predictable, coder->final_floor);
    coder->final_floor = end.final_bytes;
    coder->safe_floor = wvl_max_u32(coder->safe_floor, end.safe_bytes);
    wvl_pass *record = &out->passes[pass];
    memset(record, 0, sizeof *record);
    record->gain_quarters = gain_quarters;
    record->flags = raw ? WVL_PASS_RAW : 0;
    record->final_bytes = base + end.final_bytes;
    if (wvl_t1_pass_is_end(pass, coder->style) || pass + 1 == coder->total) {
        record->flags |= WVL_PASS_TERM;
        record->safe_bytes = record->final_bytes;
        close_segment(coder, &end);
        return;
    }
    record->safe_bytes = base + coder->safe_floor;
    record->tail_count = end.tail_count;
    memcpy(record->tail, end.tail, end.tail_count);
}

void wvl_t1_fini_coder(wvl_t1_coder *coder, wvl_t1_output *out)
{
    if (!out->pass_count) {
        return;
    }
    const wvl_pass *last = &out->passes[out->pass_count - 1];
    out->length = last->final_bytes;
    memmove(out->bytes, out->bytes + 1, out->length);
    memcpy(out->bytes + out->length - last->tail_count, last->tail, last->tail_count);
    coder->at_start = 1;
}
