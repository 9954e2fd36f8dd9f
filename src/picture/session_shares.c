/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of which several devices finish the tiles. */
#include "codec/cs/cs.h"
#include "codec/jp2/jp2.h"
#include "codec/sink/sink.h"
#include "device/shares.h"
#include "picture/session_state.h"

static wvl_status send(wvl_session *s, const wvl_shares *shares, uint64_t *codestream_offset)
{
    static const uint8_t end[WVL_CS_END_BYTES] = {0xFF, 0xD9};
    const wvl_plan *plan = s->plan;
    uint8_t box[WVL_JP2_MAX_HEADER_BYTES];
    uint64_t codestream = shares->header_bytes + shares->body_bytes + sizeof end,
             boxes = plan->syntax.jp2 ? plan->syntax.boxes_before.bytes : 0;
    size_t n = wvl_session_box_header(plan, codestream, box);
    *codestream_offset = boxes + n;
    wvl_status status = wvl_sink_reserve(s->sink, *codestream_offset + codestream);
    status = status == WVL_OK ? wvl_session_send_finished(s, plan->syntax.boxes_before.data, boxes) : status;
    status = status == WVL_OK ? wvl_session_send_finished(s, box, n) : status;
    status = status == WVL_OK ? wvl_session_send_finished(s, shares->header, shares->header_bytes) : status;
    for (uint32_t i = 0; i < shares->count && status == WVL_OK; i++) {
        uint64_t bytes;
        const uint8_t *body = wvl_shares_fetch_body(shares, i, &bytes);
        status = wvl_session_send_finished(s, body, bytes);
    }
    return status == WVL_OK ? wvl_session_send_finished(s, end, sizeof end) : status;
}

static wvl_status deliver(wvl_session *s, wvl_shares *shares, wvl_result **result)
{
    uint64_t codestream_offset = 0;
    double start = wvl_session_begin_stage(s, WVL_STAGE_WRITE);
    wvl_session_tell(s, 2 * s->plan->syntax.total_samples);
    wvl_status status = send(s, shares, &codestream_offset);
    wvl_session_end_stage(s, WVL_STAGE_WRITE, start);
    if (status == WVL_OK && result) {
        *result = wvl_shares_create_result(shares, codestream_offset, s->seconds);
        status = *result ? WVL_OK : WVL_ERROR_MEMORY;
    }
    return status;
}

static wvl_status encode(wvl_session *s, wvl_shares *shares)
{
    double start = wvl_session_begin_stage(s, WVL_STAGE_CODE);
    wvl_session_tell(s, 0);
    wvl_status status = wvl_shares_encode(shares, &s->look);
    wvl_session_end_stage(s, WVL_STAGE_CODE, start);
    return status;
}

wvl_status wvl_session_encode_shares(wvl_session *s, wvl_result **result, int *is_done)
{
    wvl_shares shares;
    *is_done = 0;
    if (s->many || s->rows || s->plan->test.strip_rows || !wvl_drive_wants_device(s->plan, s->image, 0) ||
        !wvl_shares_divide(&shares, s->plan, s->image)) {
        return WVL_OK;
    }
    wvl_status status = encode(s, &shares);
    *is_done = status == WVL_OK || status == WVL_ERROR_INPUT || status == WVL_CANCELLED;
    if (status == WVL_OK) {
        wvl_session_give_pixels_back(s);
        status = deliver(s, &shares, result);
    } else if (status == WVL_ERROR_INPUT) {
        status = wvl_session_fail(s, status, WVL_TEXT_OUTSIDE);
    } else if (!*is_done) {
        wvl_context_log(s->plan->context, WVL_LOG_DEBUG, "several devices do not finish the tiles of picture %llu: %s",
                        (unsigned long long)s->picture, wvl_status_text(status));
    }
    wvl_shares_close(&shares);
    return *is_done ? status : WVL_OK;
}
