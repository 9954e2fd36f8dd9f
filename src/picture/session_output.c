/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of a session on their way to the sink. */

#include "codec/jp2/jp2.h"
#include "codec/sink/sink.h"
#include "codec/write/early.h"
#include "codec/write/lengths.h"
#include "picture/session_state.h"
#include "report/profile_walk.h"

#define SEND_BYTES (UINT64_C(4) << 20) /* between two looks */

static int send_bytes(wvl_session *s, const void *data, size_t bytes)
{
    int refused = 0;
    if (s->out.held) {
        if (s->out.written > s->out.held_bytes ||
            bytes >
                s->out.held_bytes - s->out.written) { /* its length was foretold: the caller says that it was wrong */
            s->out.written = UINT64_MAX;
            return -1;
        }
        memcpy(s->out.held + s->out.written, data, bytes);
        s->out.written += bytes;
        return 0;
    }
    refused = s->now.sink->write(s->now.sink->user, data, bytes);
    s->out.written += bytes;
    if (!refused && s->now.sink->finalized && s->out.open_at > s->out.written - bytes) {
        s->now.sink->finalized(s->now.sink->user, wvl_min_u64(s->out.written, s->out.open_at));
    }
    return refused;
}

wvl_status wvl_session_send_finished(wvl_session *s, const uint8_t *data, uint64_t bytes)
{
    wvl_status status = WVL_OK;
    for (uint64_t at = 0; at < bytes && status == WVL_OK; at += SEND_BYTES) {
        status = wvl_session_is_cancelled(s) ? WVL_CANCELLED : WVL_OK;
        if (status == WVL_OK && send_bytes(s, data + at, (size_t)wvl_min_u64(bytes - at, SEND_BYTES))) {
            status = WVL_ERROR_SINK;
        }
    }
    return status;
}

int wvl_session_flush(wvl_session *s)
{
    size_t n = s->out.buffered;
    s->out.buffered = 0;
    return n ? send_bytes(s, s->wave.buffer, n) : 0;
}

int wvl_session_put(void *user, const void *data, size_t bytes)
{
    wvl_session *s = user;
    if (bytes > WVL_WRITE_BUFFER_BYTES - s->out.buffered) {
        int refused = wvl_session_flush(s);
        if (refused || bytes >= WVL_WRITE_BUFFER_BYTES) {
            return refused ? refused : send_bytes(s, data, bytes);
        }
    }
    memcpy(s->wave.buffer + s->out.buffered, data, bytes);
    s->out.buffered += bytes;
    return 0;
}

/* The number of bytes is known before the first one leaves. */
static wvl_status open_output(wvl_session *s, uint64_t bytes)
{
    if (!wvl_profile_walks(s->plan)) {
        return wvl_sink_reserve(s->now.sink, bytes);
    }
    s->out.held_bytes = bytes;
    s->out.held = wvl_alloc(&s->plan->context->host, bytes);
    return s->out.held ? WVL_OK : WVL_ERROR_MEMORY;
}

/* Its time is a stage of its own. */
wvl_status wvl_session_judge(wvl_session *s, const void *data, uint64_t bytes)
{
    if (!wvl_profile_walks(s->plan)) {
        return WVL_OK;
    }
    double start = wvl_session_begin_stage(s, WVL_STAGE_CHECK);
    wvl_status status = wvl_profile_walk(s->plan, data, bytes, s->now.error, s->now.error_bytes);
    wvl_session_end_stage(s, WVL_STAGE_CHECK, start);
    s->work.seconds[WVL_STAGE_WRITE] -= s->work.seconds[WVL_STAGE_CHECK]; /* once a picture */
    s->work.stage = WVL_STAGE_WRITE;
    return status;
}

/* The sink gets what the profile check lets through, in writes that follow each other. */
static wvl_status judge_output(wvl_session *s)
{
    uint8_t *held = s->out.held;
    wvl_status status = wvl_session_judge(s, held, s->out.written);
    if (status == WVL_OK) {
        status = wvl_session_is_cancelled(s) ? WVL_CANCELLED : wvl_sink_reserve(s->now.sink, s->out.held_bytes);
    }
    s->out.held = NULL;
    s->out.written = 0;
    for (uint64_t at = 0; at < s->out.held_bytes && status == WVL_OK; at += WVL_WRITE_BUFFER_BYTES) {
        status = send_bytes(s, held + at, (size_t)wvl_min_u64(s->out.held_bytes - at, WVL_WRITE_BUFFER_BYTES))
                     ? WVL_ERROR_SINK
                     : WVL_OK;
    }
    s->out.held = held;
    return status;
}

size_t wvl_session_box_header(const wvl_plan *plan, uint64_t codestream, uint8_t header[WVL_JP2_MAX_HEADER_BYTES])
{
    if (!plan->syntax.jp2) {
        return 0;
    }
    return wvl_early_needs_long_box(plan) ? wvl_jp2_put_long_codestream_header(header, codestream)
                                          : wvl_jp2_put_codestream_header(header, codestream);
}

wvl_status wvl_session_write_output(wvl_session *s)
{
    const wvl_plan *plan = s->plan;
    uint64_t codestream = wvl_coder_codestream_bytes(&s->coder);
    uint8_t header[WVL_JP2_MAX_HEADER_BYTES];
    size_t n = wvl_session_box_header(plan, codestream, header);
    s->out.codestream_offset = (plan->syntax.jp2 ? plan->syntax.boxes_before.bytes : 0) + n;
    wvl_status status = open_output(s, s->out.codestream_offset + codestream);
    if (status != WVL_OK) {
        return status;
    }
    const wvl_tile_walk tiles = wvl_wave_walk(plan, &s->wave);
    int refused =
        plan->syntax.jp2 && (wvl_session_put(s, plan->syntax.boxes_before.data, plan->syntax.boxes_before.bytes) ||
                             wvl_session_put(s, header, n));
    status = refused ? WVL_ERROR_SINK : wvl_coder_write(&s->coder, &tiles, &s->wave.order, wvl_session_put, s);
    if (status == WVL_OK && wvl_session_flush(s)) {
        status = WVL_ERROR_SINK;
    }
    if ((status == WVL_OK || s->out.written == UINT64_MAX) && s->out.written != s->out.codestream_offset + codestream) {
        return wvl_session_fail(s, WVL_ERROR_INTERNAL,
                                "the codestream is not as long as foretold: a defect of the library, please report it");
    }
    return status == WVL_OK && s->out.held ? judge_output(s) : status;
}
