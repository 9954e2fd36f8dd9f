/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions: their life, and the ways that a picture goes. */
#include <stdio.h>

#include "base/fpenv.h"
#include "base/try.h"
#include "codec/sink/sink.h"
#include "picture/session_state.h"

/* ---- A picture ------------------------------------------------------------------------------- */

/* The bytes are to stay in memory of a device, and none finishes the picture. reason: what the device said, or "". */
static wvl_status refuse_jobs(wvl_session *s, const char *reason)
{
    char text[384];
    const char *why = s->many ? "no device could be opened, it failed before, or the pixels lie on another one"
                              : "device is auto, and single pictures are for the CPU then; set device to cuda";
    if (*reason || s->way.reach < WVL_REACH_PACKETS) {
        why = *reason ? reason : s->way.why;
    }
    snprintf(text, sizeof text, "the option output-memory is device, and no device finishes this picture: %s", why);
    return wvl_session_fail(s, WVL_ERROR_UNSUPPORTED, text);
}

/* ---- Session --------------------------------------------------------------------------------- */

uint64_t wvl_session_number(wvl_context *context) { return atomic_fetch_add(&context->pictures, 1) + 1; }

uint64_t wvl_session_bytes(void) { return wvl_alloc_size(sizeof(wvl_session)); }

wvl_session *wvl_session_create(const wvl_plan *plan, const char *track, int many, uint32_t turn,
                                wvl_stations *stations)
{
    const wvl_allocator *host = &plan->context->host;
    wvl_session *s = wvl_alloc_zeroed(host, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->plan = plan;
    s->track = track;
    s->many = many;
    s->devices.stations = stations;
    wvl_carver carver = {NULL, 0};
    wvl_wave_carve(plan, &carver, &s->wave);
    s->memory.wave_bytes = carver.used;
    s->memory.wave_memory = wvl_alloc_zeroed(host, s->memory.wave_bytes);
    int keeps = many && !stations; /* with stations, waves are seldom: their workers take memory then */
    s->memory.worker_bytes = keeps ? wvl_pool_source_bytes(plan, wvl_pool_concurrency(plan->context->pool)) : 0;
    s->memory.worker_memory = keeps ? wvl_alloc(host, s->memory.worker_bytes) : NULL;
    if (!s->memory.wave_memory || (keeps && !s->memory.worker_memory)) {
        wvl_free(host, s->memory.worker_memory, s->memory.worker_bytes);
        wvl_free(host, s->memory.wave_memory, s->memory.wave_bytes);
        wvl_free(host, s, sizeof *s);
        return NULL;
    }
    carver = (wvl_carver){s->memory.wave_memory, 0};
    wvl_wave_carve(plan, &carver, &s->wave);
    wvl_drive_init(&s->drive, plan, &s->wave, &plan->context->trace, &s->look, many, turn);
    return s;
}

void wvl_session_release(wvl_session *s)
{
    if (s) {
        const wvl_allocator *host = &s->plan->context->host;
        wvl_drive_fini(&s->drive);
        wvl_free(host, s->memory.wave_memory, s->memory.wave_bytes);
        wvl_free(host, s->memory.worker_memory, s->memory.worker_bytes);
        wvl_free(host, s, sizeof *s);
    }
}

wvl_status wvl_session_prepare(wvl_session *s, const wvl_image *image)
{
    if (s->devices.stations) {
        return WVL_OK;
    }
    wvl_way_source source = {.image = image, .many = s->many, .failed = 1u << WVL_WAY_SHARES | 1u << WVL_WAY_PICTURE};
    wvl_way way = wvl_choose_way(s->plan, &source);
    return wvl_drive_open(&s->drive, &way, image, NULL);
}

const char *wvl_session_reason(const wvl_session *s) { return s->drive.reason; }

static void take_picture(wvl_session *s, const wvl_session_picture *p, char *unused)
{
    s->now = *p;
    s->now.error = p->error && p->error_bytes ? p->error : unused;
    s->now.error_bytes = p->error ? p->error_bytes : 0;
    s->now.error[0] = 0;
    if (p->result) {
        *p->result = NULL;
    }
    if (p->finished) {
        p->finished->data = NULL;
    }
    s->work = (wvl_session_work){.told = 0};
    s->out = (wvl_session_output){.open_at = UINT64_MAX};
    s->devices.gave_up = 0;
    s->coder.problem[0] = 0;
    s->drive.reason[0] = 0;
    s->look.rest = p->spill ? wvl_spill_look : NULL;
    s->look.rest_user = p->spill;
    atomic_store(&s->look.stopped, 0);
    s->look.flag = p->control && p->control->cancel ? &p->control->cancel->flag : NULL;
}

/* The picture leaves, whatever became of it. */
static wvl_status end_picture(wvl_session *s, wvl_status status)
{
    const wvl_session_picture *p = &s->now;
    if (status != WVL_OK) {
        (void)wvl_session_fail(s, status, s->coder.problem[0] ? s->coder.problem : wvl_status_text(status));
    }
    wvl_strip_drive_close(&s->strips);
    wvl_gather_close(&s->gather, p->spill);
    wvl_drive_stop(&s->drive);
    if (!s->many) {
        wvl_drive_close(&s->drive);
    }
    wvl_free(&s->plan->context->host, s->out.held, s->out.held_bytes);
    s->out.held = NULL;
    wvl_coder_fini(&s->coder);
    wvl_session_give_pixels_back(s);
    char reason[512] = "";
    wvl_status closed = wvl_sink_finish(p->sink, status == WVL_OK, reason, sizeof reason);
    if (reason[0] && p->error_bytes && (status == WVL_OK || status == WVL_ERROR_SINK)) {
        snprintf(p->error, p->error_bytes, "%s", reason);
    }
    status = status == WVL_OK ? closed : status;
    if (status != WVL_OK) {
        if (p->result && *p->result) {
            wvl_result_release(*p->result);
            *p->result = NULL;
        }
        if (p->finished && p->finished->data) {
            s->devices.pictures->table->drop_picture(p->finished->device, p->finished);
            p->finished->data = NULL;
        }
    }
    wvl_session_close_device(s, 1);
    return status;
}

wvl_status wvl_session_encode(wvl_session *s, const wvl_session_picture *p)
{
    char unused[1], reason[256] = "";
    wvl_fpenv env;
    wvl_fpenv_enter(&env);
    take_picture(s, p, unused);
    wvl_way_source source = {.image = p->image, .many = s->many};
    wvl_status status = wvl_session_check_image(s);
    TRY(status, WVL_AGAIN);
    while (status == WVL_AGAIN) { /* what fails on one way goes the next one */
        uint32_t count = 0;
        source.failed |= s->many && !s->devices.stations ? 1u << WVL_WAY_PICTURE : 0;
        source.failed |= s->drive.given_up ? 1u << WVL_WAY_JOBS : 0;
        s->way = p->way ? *p->way : wvl_choose_way(s->plan, &source);
        source.failed |= 1u << s->way.kind;
        if (s->way.kind == WVL_WAY_SHARES) {
            status = wvl_session_encode_shares(s, p->result);
        } else if (s->way.kind == WVL_WAY_PICTURE) {
            status = wvl_session_encode_picture(s, p->result, reason, sizeof reason);
        } else if (s->plan->device.output) {
            status = refuse_jobs(s, reason);
        } else {
            status = wvl_session_begin_jobs(s);
            while (status == WVL_OK) { /* job after job: transformed, coded, sent */
                double start = wvl_session_begin_stage(s, WVL_STAGE_TRANSFORM);
                status = s->by_strips ? wvl_strip_drive_next(&s->strips, &count) : wvl_drive_next(&s->drive, &count);
                wvl_session_end_stage(s, WVL_STAGE_TRANSFORM, start);
                status = wvl_session_take_job(s, status, count);
            }
            status = status == WVL_END ? wvl_session_report_jobs(s, p->result) : status;
        }
    }
    status = end_picture(s, status);
    wvl_fpenv_leave(&env);
    return status;
}
