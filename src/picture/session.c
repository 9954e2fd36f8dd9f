/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions: their life, and pictures that a device finishes. */
#include <stdio.h>
#include <string.h>

#include "backend/registry.h"
#include "base/alloc.h"
#include "base/fpenv.h"
#include "codec/sink/sink.h"
#include "device/devices.h"
#include "picture/session_state.h"
#include "report/plan_log.h"
#include "report/result.h"

/* ---- Finished on a device -------------------------------------------------------------------- */

/* The waves of one picture on several devices, whose blocks they code: one device that finishes it all would leave the
 * others idle. */
static int spreads_waves(const wvl_session *s)
{
    const char *why;
    const wvl_plan *plan = s->plan;
    uint32_t ordinals[WVL_DEVICE_ORDINAL_MAX + 1];
    const wvl_backend_vtable *table = wvl_backend_fetch_device();
    return table && plan->memory.wave_count > 1 && !plan->device.output && plan->device.reach < WVL_REACH_PACKETS &&
           s->image->memory_kind != WVL_MEMORY_DEVICE && wvl_devices_list(plan, ordinals) > 1 &&
           table->reach(plan, s->image, WVL_REACH_BLOCKS, &why) == WVL_REACH_BLOCKS;
}

static void close_own_pictures(wvl_session *s)
{
    wvl_pictures_close(&s->own);
    s->pictures = s->pictures == &s->own ? NULL : s->pictures;
}

/* A session of one picture opens a device with it: only then it is known where the pixels lie. */
static void open_own_pictures(wvl_session *s, char *reason, size_t reason_bytes)
{
    const wvl_plan *plan = s->plan;
    uint32_t ordinals[WVL_DEVICE_ORDINAL_MAX + 1] = {(uint32_t)s->image->device};
    if (s->many || s->rows || plan->test.strip_rows || !wvl_drive_wants_device(plan, s->image, 0) || spreads_waves(s)) {
        return;
    }
    uint32_t count = s->image->memory_kind == WVL_MEMORY_DEVICE ? 1 : wvl_devices_list(plan, ordinals);
    wvl_status status = WVL_ERROR_DEVICE;
    for (uint32_t i = 0; i < count && status != WVL_OK; i++) {
        if (s->gave_up >> (ordinals[i] & 31) & 1) {
            continue;
        }
        status = wvl_pictures_open(&s->own, plan, ordinals[i], 1, &plan->context->trace, reason, reason_bytes);
    }
    if (status != WVL_OK) {
        wvl_context_log(plan->context, WVL_LOG_DEBUG, "the device does not finish pictures: %s", reason);
    }
}

/* The bytes leave as they lie there. */
static wvl_status send_finished(wvl_session *s, const wvl_finished *finished)
{
    wvl_status status = wvl_session_judge(s, finished->data, finished->bytes);
    if (status != WVL_OK) {
        return status;
    }
    if (s->finished) {
        *s->finished = *finished;
        s->written = finished->bytes;
        return WVL_OK;
    }
    if (s->plan->device.output) {
        return wvl_session_fail(
            s, WVL_ERROR_UNSUPPORTED,
            "the option output-memory is device: only an encoder object without a sink gives such pictures");
    }
    status = wvl_sink_reserve(s->sink, finished->bytes);
    return status == WVL_OK ? wvl_session_send_finished(s, finished->data, finished->bytes) : status;
}

static wvl_status deliver_finished(wvl_session *s, wvl_picture_facts *facts, wvl_result **result)
{
    double start = wvl_session_begin_stage(s, WVL_STAGE_WRITE);
    wvl_session_tell(s, 2 * s->plan->syntax.total_samples);
    wvl_status status = send_finished(s, &facts->finished);
    wvl_session_end_stage(s, WVL_STAGE_WRITE, start);
    if (status == WVL_OK && result) {
        *result = wvl_pictures_create_result(s->pictures, s->plan, facts, s->seconds);
        status = *result ? WVL_OK : WVL_ERROR_MEMORY;
    }
    int keeps = status == WVL_OK && s->finished;
    if (s->finished && !keeps) {
        s->finished->data = NULL;
    }
    wvl_pictures_drop(s->pictures, facts, keeps);
    return status;
}

/* The device could not do it. 0: another one may, or the picture is encoded in waves. */
static int must_fail(wvl_session *s, wvl_status status)
{
    const wvl_plan *plan = s->plan;
    int is_lost = s->pictures->table->is_lost(s->pictures->device);
    int is_asked = plan->device.output || plan->device.reach == WVL_REACH_PACKETS;
    if (status == WVL_ERROR_INPUT || status == WVL_CANCELLED || is_lost ||
        (is_asked && (plan->device.output || wvl_drive_needs_device(plan, s->image)))) {
        return 1;
    }
    wvl_context_log(plan->context, WVL_LOG_INFO, "device %u does not finish picture %llu: %s", s->pictures->ordinal,
                    (unsigned long long)s->picture, wvl_status_text(status));
    if (is_asked) {
        wvl_drive_give_up(&s->drive);
    }
    return 0;
}

/* The device for the picture at work, or for another try after the last one failed. NULL: there is none. */
static wvl_pictures *take_pictures(wvl_session *s, int is_again)
{
    char reason[256] = "";
    if (s->lanes) {
        return wvl_lanes_take(s->lanes, s->plan, s->image);
    }
    if (is_again) {
        int may_move =
            s->image->memory_kind != WVL_MEMORY_DEVICE && (s->plan->device.ordinals & (s->plan->device.ordinals - 1));
        s->gave_up |= UINT32_C(1) << s->own.ordinal;
        close_own_pictures(s);
        if (!may_move) {
            return NULL;
        }
        open_own_pictures(s, reason, sizeof reason);
    }
    return wvl_pictures_take(&s->own, s->plan, s->image) ? &s->own : NULL;
}

/* Encodes on the device s->pictures. Its lane is free afterwards: what it finished lies in memory of its own. */
static wvl_status try_there(wvl_session *s, wvl_picture_facts *facts)
{
    double start = wvl_session_begin_stage(s, WVL_STAGE_CODE);
    wvl_session_tell(s, 0);
    wvl_status status = wvl_pictures_encode(s->pictures, s->plan, s->image, &s->look, facts);
    wvl_session_end_stage(s, WVL_STAGE_CODE, start);
    if (s->lanes) {
        wvl_lanes_give(s->lanes, s->pictures);
    }
    return status;
}

/* A device that is lost leaves the picture to the others; where it was the last one, the picture fails. *is_done 0: it
 * is to be encoded in waves. */
static wvl_status encode_there(wvl_session *s, wvl_result **result, int *is_done)
{
    wvl_picture_facts facts;
    wvl_status status = WVL_OK;
    wvl_pictures *pictures = take_pictures(s, 0);
    *is_done = 0;
    while (pictures) {
        s->pictures = pictures;
        status = try_there(s, &facts);
        if (status == WVL_OK) {
            *is_done = 1;
            wvl_session_give_pixels_back(s);
            return deliver_finished(s, &facts, result);
        }
        *is_done = must_fail(s, status);
        int is_lost = pictures->table->is_lost(pictures->device);
        if (is_lost) {
            (void)snprintf(s->drive.reason, sizeof s->drive.reason, "device %u failed and is lost", pictures->ordinal);
        }
        if ((*is_done && !is_lost) || !atomic_load(&pictures->is_down)) {
            break;
        }
        pictures = take_pictures(s, 1);
    }
    if (*is_done && status == WVL_ERROR_INPUT) {
        return wvl_session_fail(s, status, WVL_TEXT_OUTSIDE);
    }
    return *is_done ? wvl_session_fail_device(s, status) : WVL_OK;
}

/* ---- A picture ------------------------------------------------------------------------------- */

static void close_picture(wvl_session *s)
{
    wvl_strip_drive_close(&s->strips);
    wvl_gather_close(&s->gather, s->spill);
    wvl_drive_stop(&s->drive);
    if (!s->many) {
        wvl_drive_close(&s->drive);
    }
    wvl_session_drop_held(s);
    wvl_coder_fini(&s->coder);
    wvl_session_give_pixels_back(s);
}

static wvl_result_part part_of(const void *from, uint64_t index)
{
    const wvl_cs_part *part = &((const wvl_coder *)from)->parts[index];
    return (wvl_result_part){part->psot, part->tile, part->index, part->count, part->cap_group};
}

/* Moves what the coder knows into a result. */
static wvl_result *create_result(wvl_session *s, uint64_t codestream_offset)
{
    wvl_coder *coder = &s->coder;
    wvl_result_facts facts = {.plan = coder->plan,
                              .codestream_offset = codestream_offset,
                              .codestream_bytes = wvl_coder_codestream_bytes(coder),
                              .main_header_bytes = wvl_coder_main_header_bytes(coder),
                              .part_count = coder->part_count,
                              .part = part_of,
                              .from = coder,
                              .packet_bytes = coder->packet_bytes,
                              .layers = coder->layers,
                              .seconds = s->seconds,
                              .backend = s->backend_name};
    wvl_result *result = wvl_result_create(&facts);
    if (result) {
        coder->packet_bytes = NULL;
        coder->layers = NULL;
    }
    return result;
}

/* The bytes are to stay in memory of a device, and none finishes the picture. reason: what the device said, or "". */
static wvl_status refuse_waves(wvl_session *s, const char *reason)
{
    const char *why = reason;
    char text[384];
    if (!*why && wvl_pictures_reach(s->plan, s->image, &why) == WVL_REACH_PACKETS) {
        why = s->many ? "no device could be opened, it failed before, or the pixels lie on another one"
                      : "device is auto, and single pictures are for the CPU then; set device to cuda";
    }
    (void)snprintf(text, sizeof text, "the option output-memory is device, and no device finishes this picture: %s",
                   why);
    return wvl_session_fail(s, WVL_ERROR_UNSUPPORTED, text);
}

static wvl_status encode_in_waves(wvl_session *s, wvl_result **result)
{
    uint64_t codestream_offset = 0;
    wvl_status status = wvl_session_encode_waves(s, &codestream_offset);
    if (status == WVL_OK) {
        wvl_plan_log_work(s->plan, s->backend_name, s->rounds, s->coder.blocks.survey.is_begun);
    }
    if (status == WVL_OK && result) {
        *result = create_result(s, codestream_offset);
        status = *result ? WVL_OK : WVL_ERROR_MEMORY;
    }
    return status;
}

static wvl_status run_picture(wvl_session *s, wvl_result **result)
{
    int is_done = 0;
    char reason[256] = "";
    wvl_status status = wvl_session_check_image(s);
    status = status == WVL_OK ? wvl_session_encode_shares(s, result, &is_done) : status;
    if (status == WVL_OK && !is_done) {
        open_own_pictures(s, reason, sizeof reason);
        status = encode_there(s, result, &is_done);
    }
    if (status == WVL_OK && !is_done) {
        close_own_pictures(s); /* its memory must not lie beside that of waves */
        status = s->plan->device.output ? refuse_waves(s, reason) : encode_in_waves(s, result);
    }
    if (status != WVL_OK) {
        (void)wvl_session_fail(s, status, s->coder.problem[0] ? s->coder.problem : wvl_status_text(status));
    }
    return status;
}

static wvl_status close_sink(wvl_sink *sink, wvl_status status, char *error, size_t error_bytes)
{
    char reason[512] = "";
    wvl_status closed = wvl_sink_finish(sink, status == WVL_OK, reason, sizeof reason);
    if (reason[0] && error_bytes && (status == WVL_OK || status == WVL_ERROR_SINK)) {
        (void)snprintf(error, error_bytes, "%s", reason);
    }
    return status == WVL_OK ? closed : status;
}

/* ---- Session --------------------------------------------------------------------------------- */

uint64_t wvl_session_number(wvl_context *context) { return atomic_fetch_add(&context->pictures, 1) + 1; }

uint64_t wvl_session_bytes(void) { return wvl_alloc_size(sizeof(wvl_session)); }

wvl_session *wvl_session_create(const wvl_plan *plan, const char *track, int many, uint32_t turn, wvl_lanes *lanes)
{
    const wvl_allocator *host = &plan->context->host;
    wvl_session *s = wvl_alloc_zeroed(host, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->plan = plan;
    s->track = track;
    s->many = many;
    s->lanes = lanes;
    wvl_carver carver = {NULL, 0};
    wvl_wave_carve(plan, &carver, &s->wave);
    s->wave_bytes = carver.used;
    s->wave_memory = wvl_alloc_zeroed(host, s->wave_bytes);
    int keeps = many && !lanes; /* with lanes, waves are seldom: their workers take memory then */
    s->worker_bytes = keeps ? wvl_pool_source_bytes(plan, wvl_pool_concurrency(plan->context->pool)) : 0;
    s->worker_memory = keeps ? wvl_alloc(host, s->worker_bytes) : NULL;
    if (!s->wave_memory || (keeps && !s->worker_memory)) {
        wvl_free(host, s->worker_memory, s->worker_bytes);
        wvl_free(host, s->wave_memory, s->wave_bytes);
        wvl_free(host, s, sizeof *s);
        return NULL;
    }
    carver = (wvl_carver){s->wave_memory, 0};
    wvl_wave_carve(plan, &carver, &s->wave);
    wvl_drive_init(&s->drive, plan, &s->wave, &plan->context->trace, &s->look, many, turn);
    return s;
}

void wvl_session_release(wvl_session *s)
{
    if (s) {
        const wvl_allocator *host = &s->plan->context->host;
        wvl_drive_fini(&s->drive);
        wvl_free(host, s->wave_memory, s->wave_bytes);
        wvl_free(host, s->worker_memory, s->worker_bytes);
        wvl_free(host, s, sizeof *s);
    }
}

wvl_status wvl_session_prepare(wvl_session *s, const wvl_image *image)
{
    return s->lanes ? WVL_OK : wvl_drive_open(&s->drive, image, NULL);
}

const char *wvl_session_reason(const wvl_session *s) { return s->drive.reason; }

static void take_picture(wvl_session *s, const wvl_session_picture *p, char *unused)
{
    s->image = p->image;
    s->rows = p->rows;
    s->spill = p->spill;
    s->look.rest = p->spill ? wvl_spill_look : NULL;
    s->look.rest_user = p->spill;
    s->sink = p->sink;
    s->finished = p->finished;
    s->coder.problem[0] = 0;
    s->drive.reason[0] = 0;
    s->control = p->control;
    s->error = p->error && p->error_bytes ? p->error : unused;
    s->error_bytes = p->error ? p->error_bytes : 0;
    s->error[0] = 0;
    s->picture = p->number;
    s->samples_done = s->samples_in_work = s->told = 0;
    s->round = 0;
    s->gave_up = 0;
    s->rounds = 0;
    s->written = s->buffered = 0;
    s->open_at = UINT64_MAX;
    memset(s->seconds, 0, sizeof s->seconds);
    atomic_store(&s->look.stopped, 0);
    s->look.flag = p->control && p->control->cancel ? &p->control->cancel->flag : NULL;
}

static void drop_results(const wvl_session *s, const wvl_session_picture *p)
{
    if (p->result && *p->result) {
        wvl_result_release(*p->result);
        *p->result = NULL;
    }
    if (p->finished && p->finished->data) {
        s->pictures->table->drop_picture(p->finished->device, p->finished);
        p->finished->data = NULL;
    }
}

wvl_status wvl_session_encode(wvl_session *s, const wvl_session_picture *p)
{
    char unused[1];
    wvl_fpenv env;
    wvl_fpenv_enter(&env);
    take_picture(s, p, unused);
    if (p->result) {
        *p->result = NULL;
    }
    if (p->finished) {
        p->finished->data = NULL;
    }
    wvl_status status = run_picture(s, p->result);
    close_picture(s);
    status = close_sink(s->sink, status, s->error, s->error_bytes);
    if (status != WVL_OK) {
        drop_results(s, p);
    }
    close_own_pictures(s);
    wvl_fpenv_leave(&env);
    return status;
}
