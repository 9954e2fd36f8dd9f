/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures whose bytes devices make: one device, or several that share the tiles. */
#include <stdio.h>

#include "base/try.h"
#include "codec/jp2/jp2.h"
#include "codec/sink/sink.h"
#include "device/kept.h"
#include "device/shares.h"
#include "picture/session_state.h"

/* ---- One device ------------------------------------------------------------------------------ */

void wvl_session_close_device(wvl_session *s, int keeps)
{
    s->devices.pictures = s->devices.pictures == s->devices.own ? NULL : s->devices.pictures;
    wvl_kept_close(s->devices.own, keeps);
    s->devices.own = NULL;
}

/* The bytes leave as they lie there. */
static wvl_status send_finished(wvl_session *s, const wvl_finished *finished)
{
    wvl_status status = wvl_session_judge(s, finished->data, finished->bytes);
    if (status != WVL_OK) {
        return status;
    }
    if (s->now.finished) {
        *s->now.finished = *finished;
        s->out.written = finished->bytes;
        return WVL_OK;
    }
    if (s->plan->device.output) {
        return wvl_session_fail(
            s, WVL_ERROR_UNSUPPORTED,
            "the option output-memory is device: only an encoder object without a sink gives such pictures");
    }
    status = wvl_sink_reserve(s->now.sink, finished->bytes);
    return status == WVL_OK ? wvl_session_send_finished(s, finished->data, finished->bytes) : status;
}

static wvl_status deliver_finished(wvl_session *s, wvl_picture_facts *facts, wvl_result **result)
{
    double start = wvl_session_begin_stage(s, WVL_STAGE_WRITE);
    wvl_session_tell(s, 2 * s->plan->syntax.total_samples);
    wvl_status status = send_finished(s, &facts->finished);
    wvl_session_end_stage(s, WVL_STAGE_WRITE, start);
    if (status == WVL_OK && result) {
        *result = wvl_pictures_create_result(s->devices.pictures, s->plan, facts, s->work.seconds);
        status = *result ? WVL_OK : WVL_ERROR_MEMORY;
    }
    int keeps = status == WVL_OK && s->now.finished;
    if (s->now.finished && !keeps) {
        s->now.finished->data = NULL;
    }
    wvl_pictures_drop(s->devices.pictures, facts, keeps);
    return status;
}

/* The device could not do it. 0: another one may, or the picture is encoded in waves. */
static int must_fail(wvl_session *s, wvl_status status)
{
    const wvl_plan *plan = s->plan;
    int is_lost = s->devices.pictures->table->is_lost(s->devices.pictures->device);
    int is_asked = plan->device.output || plan->device.reach == WVL_REACH_PACKETS;
    if (status == WVL_ERROR_INPUT || status == WVL_CANCELLED || is_lost ||
        (is_asked && (plan->device.output || s->way.needs_device))) {
        return 1;
    }
    wvl_context_log(plan->context, WVL_LOG_INFO, "device %u does not finish picture %llu: %s",
                    s->devices.pictures->ordinal, (unsigned long long)s->now.number, wvl_status_text(status));
    if (is_asked) {
        wvl_drive_give_up(&s->drive);
    }
    return 0;
}

/* The device for the picture at work, or for another try after the last one failed. NULL: there is none. */
static wvl_pictures *take_pictures(wvl_session *s, int is_again, char *reason, size_t reason_bytes)
{
    uint32_t set = s->plan->device.ordinals;
    if (s->devices.stations) {
        return wvl_stations_take(s->devices.stations, s->plan, s->now.image);
    }
    if (is_again) {
        s->devices.gave_up |= UINT32_C(1) << s->devices.own->ordinal;
        wvl_session_close_device(s, 0);
    }
    if (!is_again || (s->now.image->memory_kind != WVL_MEMORY_DEVICE && (set & (set - 1)))) {
        /* A session of one picture opens a device with it: only then it is known where the pixels lie. */
        const wvl_plan *plan = s->plan;
        wvl_device_list devices = wvl_devices_list(plan, s->now.image, 0);
        wvl_status status = WVL_ERROR_DEVICE;
        for (uint32_t i = 0; i < devices.count && status != WVL_OK; i++) {
            uint32_t ordinal = devices.ordinals[i];
            if (!(s->devices.gave_up >> (ordinal & 31) & 1)) {
                status = wvl_kept_open(&s->devices.own, plan, ordinal, reason, reason_bytes);
            }
        }
        if (status != WVL_OK) {
            wvl_context_log(plan->context, WVL_LOG_DEBUG, "the device does not finish pictures: %s", reason);
        }
    }
    return wvl_pictures_take(s->devices.own, s->plan, s->now.image) ? s->devices.own : NULL;
}

wvl_status wvl_session_encode_picture(wvl_session *s, wvl_result **result, char *reason, size_t reason_bytes)
{
    wvl_picture_facts facts;
    wvl_status status = WVL_AGAIN;
    wvl_pictures *pictures = take_pictures(s, 0, reason, reason_bytes);
    while (pictures) {
        s->devices.pictures = pictures;
        double start = wvl_session_begin_stage(s, WVL_STAGE_CODE);
        wvl_session_tell(s, 0);
        status = wvl_pictures_encode(pictures, s->plan, s->now.image, &s->look, &facts);
        wvl_session_end_stage(s, WVL_STAGE_CODE, start);
        if (s->devices.stations) { /* what it finished lies in memory of its own */
            wvl_stations_give(s->devices.stations, pictures);
        }
        if (status == WVL_OK) {
            wvl_session_give_pixels_back(s);
            return deliver_finished(s, &facts, result);
        }
        int is_over = must_fail(s, status), is_lost = pictures->table->is_lost(pictures->device);
        if (is_lost) {
            snprintf(s->drive.reason, sizeof s->drive.reason, "device %u failed and is lost", pictures->ordinal);
        }
        int may_move = (!is_over || is_lost) && atomic_load(&pictures->is_down);
        pictures = may_move ? take_pictures(s, 1, reason, reason_bytes) : NULL;
        if (!pictures && is_over) {
            return status == WVL_ERROR_INPUT ? wvl_session_fail(s, status, WVL_TEXT_OUTSIDE)
                                             : wvl_session_fail_device(s, status);
        }
    }
    wvl_session_close_device(s, 0); /* its memory must not lie beside that of jobs */
    return WVL_AGAIN;
}

/* ---- Shares ---------------------------------------------------------------------------------- */

static wvl_status send_shares(wvl_session *s, const wvl_shares *shares, uint64_t *codestream_offset)
{
    static const uint8_t end[WVL_CS_END_BYTES] = {0xFF, 0xD9};
    const wvl_plan *plan = s->plan;
    uint8_t box[WVL_JP2_MAX_HEADER_BYTES];
    uint64_t codestream = shares->header_bytes + shares->body_bytes + sizeof end,
             boxes = plan->syntax.jp2 ? plan->syntax.boxes_before.bytes : 0;
    size_t n = wvl_session_box_header(plan, codestream, box);
    *codestream_offset = boxes + n;
    wvl_status status = wvl_sink_reserve(s->now.sink, *codestream_offset + codestream);
    TRY(status, wvl_session_send_finished(s, plan->syntax.boxes_before.data, boxes));
    TRY(status, wvl_session_send_finished(s, box, n));
    TRY(status, wvl_session_send_finished(s, shares->header, shares->header_bytes));
    for (uint32_t i = 0; i < shares->count && status == WVL_OK; i++) {
        uint64_t bytes;
        const uint8_t *body = wvl_shares_fetch_body(shares, i, &bytes);
        status = wvl_session_send_finished(s, body, bytes);
    }
    return status == WVL_OK ? wvl_session_send_finished(s, end, sizeof end) : status;
}

static wvl_status deliver_shares(wvl_session *s, wvl_shares *shares, wvl_result **result)
{
    uint64_t codestream_offset = 0;
    double start = wvl_session_begin_stage(s, WVL_STAGE_WRITE);
    wvl_session_tell(s, 2 * s->plan->syntax.total_samples);
    wvl_status status = send_shares(s, shares, &codestream_offset);
    wvl_session_end_stage(s, WVL_STAGE_WRITE, start);
    if (status == WVL_OK && result) {
        *result = wvl_shares_create_result(shares, codestream_offset, s->work.seconds);
        status = *result ? WVL_OK : WVL_ERROR_MEMORY;
    }
    return status;
}

wvl_status wvl_session_encode_shares(wvl_session *s, wvl_result **result)
{
    wvl_shares shares;
    wvl_shares_divide(&shares, s->plan, s->now.image);
    double start = wvl_session_begin_stage(s, WVL_STAGE_CODE);
    wvl_session_tell(s, 0);
    wvl_status status = wvl_shares_encode(&shares, &s->look);
    wvl_session_end_stage(s, WVL_STAGE_CODE, start);
    if (status == WVL_OK) {
        wvl_session_give_pixels_back(s);
        status = deliver_shares(s, &shares, result);
    } else if (status == WVL_ERROR_INPUT) {
        status = wvl_session_fail(s, status, WVL_TEXT_OUTSIDE);
    } else if (status != WVL_CANCELLED) {
        wvl_context_log(s->plan->context, WVL_LOG_DEBUG, "several devices do not finish the tiles of picture %llu: %s",
                        (unsigned long long)s->now.number, wvl_status_text(status));
        status = WVL_AGAIN;
    }
    wvl_shares_close(&shares);
    return status;
}
