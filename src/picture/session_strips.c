/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures in strips: blocks are coded as they are complete, or when all are gathered. */
#include "backend/backend.h"
#include "base/try.h"
#include "codec/write/coder.h"
#include "picture/session_state.h"

static wvl_status code_strip(wvl_session *s)
{
    double start = wvl_session_begin_stage(s, WVL_STAGE_CODE);
    wvl_status status = WVL_OK;
    wvl_session_tell(s, 2 * s->work.samples_done + s->work.samples_in_work);
    for (uint32_t t = 0; t < s->strips.count && status == WVL_OK; t++) {
        status = wvl_coder_code_tiles(&s->coder, &s->strips.coefs[t], 1);
    }
    if (s->now.spill) {
        wvl_spill_rest(s->now.spill);
    }
    wvl_session_end_stage(s, WVL_STAGE_CODE, start);
    return status;
}

static wvl_status take_strip(wvl_session *s)
{
    if (!s->gather.plan) {
        wvl_status status = code_strip(s);
        int is_end = s->strips.at == s->strips.tiles[0].rect.y1;
        TRY(status, wvl_session_send_strip(s, s->strips.coefs, s->strips.count, is_end));
        s->work.samples_done += s->work.samples_in_work;
        return status;
    }
    s->work.samples_done += s->work.samples_in_work;
    wvl_session_tell(s, s->work.samples_done);
    wvl_gather_take(&s->gather, &s->wave, s->strips.coefs, s->strips.count);
    return WVL_OK;
}

/* Rows come as they are needed, blocks go on when they are complete, and then their coefficients go. */
static wvl_status run_strips(wvl_session *s)
{
    double height = (double)wvl_max_u64(wvl_rect_height(s->plan->syntax.image), 1);
    wvl_status status = wvl_strip_drive_open(&s->strips, s->plan, s->now.rows, &s->look);
    TRY(status, wvl_session_fail_rows(s, wvl_strip_drive_start(&s->strips)));
    while (status == WVL_OK) {
        double start = wvl_session_begin_stage(s, WVL_STAGE_TRANSFORM);
        status = wvl_strip_drive_next(&s->strips);
        wvl_session_end_stage(s, WVL_STAGE_TRANSFORM, start);
        s->work.samples_in_work = (uint64_t)((double)s->plan->syntax.total_samples * (double)s->strips.share / height);
        status = wvl_session_fail_rows(s, status);
        if (status == WVL_OK) {
            status = take_strip(s);
        }
        if (status == WVL_OK) {
            wvl_strip_drive_pass(&s->strips);
        }
    }
    wvl_strip_drive_close(&s->strips);
    return status == WVL_END ? WVL_OK : status;
}

/* All coefficients are there, from the first round on. */
static wvl_status code_gathered(wvl_session *s)
{
    double start = wvl_session_begin_stage(s, WVL_STAGE_CODE);
    s->work.samples_done = 0;
    s->work.samples_in_work = s->plan->syntax.total_samples;
    wvl_session_tell(s, s->work.samples_in_work);
    wvl_status status = wvl_coder_code_tiles(&s->coder, s->wave.coefs, s->plan->syntax.tile_count);
    s->work.samples_done = s->work.samples_in_work;
    wvl_session_end_stage(s, WVL_STAGE_CODE, start);
    return status;
}

wvl_status wvl_session_transform_strips(wvl_session *s)
{
    wvl_status status = WVL_OK;
    if (s->plan->memory.wave_count == 1 && !s->gather.is_full) {
        (void)wvl_wave_build(s->plan, 0, s->wave.tiles); /* wvl_wave_walk goes through them */
    }
    if (s->way.gathers && !s->gather.is_full) {
        wvl_gather_close(&s->gather, s->now.spill);
        status = wvl_gather_open(&s->gather, s->plan, &s->wave, s->now.spill);
    }
    if (status == WVL_OK && !s->gather.is_full) {
        status = run_strips(s);
    }
    if (status == WVL_OK && s->gather.plan) {
        s->gather.is_full = 1;
        wvl_session_give_pixels_back(s);
        status = code_gathered(s);
    }
    wvl_drive_name(&s->drive, s->backend_name, sizeof s->backend_name);
    return status;
}
