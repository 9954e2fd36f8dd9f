/* SPDX-License-Identifier: BSD-2-Clause */
/* Early output: bytes leave while later waves, or strips, are still to come (D-strip-06). */
#include "base/try.h"
#include "codec/jp2/jp2.h"
#include "codec/sink/sink.h"
#include "codec/write/early.h"
#include "codec/write/lengths.h"
#include "picture/session_state.h"
#include "way/leaving.h"

/* The sink can do it, and something is won. Of whole pictures the plan has promised how much memory is taken. */
static int goes_early(const wvl_session *s, wvl_early_kind kind)
{
    if (s->many || !wvl_early_is_taken(s->plan, kind, s->now.sink->patch != NULL)) {
        return 0;
    }
    return s->now.rows || (!wvl_sink_reserves(s->now.sink) && wvl_early_fits_waves(s->plan));
}

/* Main header and boxes. */
wvl_status wvl_session_open_early(wvl_session *s)
{
    const wvl_plan *plan = s->plan;
    wvl_early_kind kind = wvl_early_find_kind(plan, s->now.rows != NULL);
    if (!goes_early(s, kind)) {
        return WVL_OK;
    }
    double start = wvl_session_begin_stage(s, WVL_STAGE_WRITE);
    uint8_t header[WVL_JP2_MAX_HEADER_BYTES];
    size_t n = wvl_session_box_header(plan, 0, header);
    uint64_t boxes = plan->syntax.jp2 ? plan->syntax.boxes_before.bytes : 0;
    s->out.codestream_offset = boxes + n;
    s->out.open_at = wvl_early_needs_patch(plan, kind) ? boxes : UINT64_MAX;
    s->out.early = kind;
    if (plan->memory.wave_count == 1) {
        (void)wvl_wave_build(plan, 0, s->wave.tiles); /* wvl_wave_walk goes through them */
    }
    wvl_early_options options = {.tiles = wvl_wave_walk(plan, &s->wave),
                                 .memory = &s->wave.order,
                                 .by_rows = kind == WVL_EARLY_ROWS,
                                 .put = wvl_session_put,
                                 .user = s};
    int refused = plan->syntax.jp2 &&
                  (wvl_session_put(s, plan->syntax.boxes_before.data, boxes) || wvl_session_put(s, header, n));
    wvl_status status = refused ? WVL_ERROR_SINK : wvl_coder_open_early(&s->coder, &options);
    wvl_session_end_stage(s, WVL_STAGE_WRITE, start);
    return status;
}

/* What is complete does not wait in the buffer. */
static wvl_status flush(wvl_session *s, wvl_status status)
{
    return status == WVL_OK && wvl_session_flush(s) ? WVL_ERROR_SINK : status;
}

wvl_status wvl_session_send_tiles(wvl_session *s, uint32_t count)
{
    if (!s->coder.early) {
        return WVL_OK;
    }
    double start = wvl_session_begin_stage(s, WVL_STAGE_WRITE);
    wvl_status status = flush(s, wvl_coder_send_tiles(&s->coder, count));
    wvl_session_end_stage(s, WVL_STAGE_WRITE, start);
    return status;
}

wvl_status wvl_session_send_strip(wvl_session *s, const wvl_coefs *coefs, uint32_t count, int is_end)
{
    if (!s->coder.early) {
        return WVL_OK;
    }
    if (s->out.early != WVL_EARLY_ROWS) {
        return is_end ? wvl_session_send_tiles(s, count) : WVL_OK;
    }
    double start = wvl_session_begin_stage(s, WVL_STAGE_WRITE);
    wvl_status status = flush(s, wvl_coder_send_rows(&s->coder, &coefs[0], is_end));
    wvl_session_end_stage(s, WVL_STAGE_WRITE, start);
    return status;
}

/* What was written as 0 gets its value. */
static int patch(void *user, uint64_t offset, const void *data, size_t bytes)
{
    wvl_session *s = user;
    return s->now.sink->patch(s->now.sink->user, s->out.codestream_offset + offset, data, bytes);
}

static int patch_box(wvl_session *s)
{
    uint8_t header[WVL_JP2_MAX_HEADER_BYTES];
    uint64_t at = s->plan->syntax.jp2 ? s->plan->syntax.boxes_before.bytes : 0;
    size_t n = wvl_session_box_header(s->plan, wvl_coder_codestream_bytes(&s->coder), header);
    return n ? s->now.sink->patch(s->now.sink->user, at, header, n) : 0;
}

wvl_status wvl_session_close_early(wvl_session *s)
{
    double start = wvl_session_begin_stage(s, WVL_STAGE_WRITE);
    wvl_session_tell(s, 2 * s->work.samples_done);
    wvl_status status = flush(s, wvl_coder_close_early(&s->coder));
    if (status == WVL_OK && s->out.written != s->out.codestream_offset + wvl_coder_codestream_bytes(&s->coder)) {
        status = wvl_session_fail(
            s, WVL_ERROR_INTERNAL,
            "the codestream is not as long as its lengths say: a defect of the library, please report it");
    }
    TRY(status, wvl_coder_patch_early(&s->coder, patch, s));
    if (status == WVL_OK && patch_box(s)) {
        status = WVL_ERROR_SINK;
    }
    if (status == WVL_OK && s->now.sink->finalized && s->out.open_at != UINT64_MAX) {
        s->now.sink->finalized(s->now.sink->user, s->out.written);
    }
    wvl_session_end_stage(s, WVL_STAGE_WRITE, start);
    return status;
}
