/* SPDX-License-Identifier: BSD-2-Clause */
/* The conductor: waves of tiles go through the backend into the coder, layers are chosen, bytes leave through the sink.
 * The only file that sees both halves. */
#include <stdio.h>
#include <string.h>

#include "backend/backend.h"
#include "base/alloc.h"
#include "base/fpenv.h"
#include "base/ranges.h"
#include "base/structs.h"
#include "codec/jp2/jp2.h"
#include "codec/sink.h"
#include "codec/tile_coder.h"
#include "context.h"
#include "drive.h"
#include "plan_log.h"
#include "profile_walk.h"
#include "quality.h"
#include "result.h"
#include "session.h"
#include "source_wave.h"

struct wvl_session {
    const wvl_plan *plan;
    const char *track;
    int many;
    wvl_wave wave;
    void *wave_memory;
    uint64_t wave_bytes;
    void *worker_memory; /* of the coder, kept between pictures; NULL: each takes its own */
    uint64_t worker_bytes;
    wvl_drive drive;
    wvl_wave_source source; /* of the wave at work */
    /* Of the picture at work: */
    const wvl_image *image; /* NULL: given back */
    wvl_sink *sink;
    const wvl_control *control;
    uint64_t picture; /* number */
    unsigned rounds;  /* the pixels of this picture were transformed so often */
    char backend_name[24];
    void *quality_memory;
    wvl_coder coder;
    wvl_look look;
    uint64_t samples_done, samples_in_work;
    unsigned round; /* how often all pixels have come before */
    uint64_t told;  /* progress */
    wvl_stage stage;
    double seconds[4];
    size_t buffered;
    uint64_t written;
    uint8_t *held; /* the whole output of a profile that is judged before the sink gets it */
    uint64_t held_bytes;
    char *error;
    size_t error_bytes;
};

static double begin_stage(wvl_session *s, wvl_stage stage)
{
    static const char *const names[4] = {"wavelane transform", "wavelane code", "wavelane rate", "wavelane write"};
    s->stage = stage;
    wvl_range_open(names[stage]);
    return wvl_trace_now();
}

static void end_stage(wvl_session *s, wvl_stage stage, double start)
{
    static const char *const names[4] = {"transform", "code", "rate", "write"};
    double end = wvl_trace_now();
    wvl_range_close();
    s->seconds[stage] += end - start;
    wvl_trace_put(&s->plan->context->trace, s->track, names[stage], s->picture, start, end);
}

static wvl_status fail(wvl_session *s, wvl_status status, const char *text)
{
    if (s->error_bytes && !s->error[0]) {
        (void)snprintf(s->error, s->error_bytes, "%s", text);
    }
    return status;
}

static int is_cancelled(const wvl_session *s) { return wvl_look_is_over(&s->look); }

/* Where all blocks may come twice, each round is half of the work; a round that nobody foresaw adds nothing. */
static void tell(wvl_session *s, uint64_t done)
{
    const wvl_control *c = s->control;
    uint64_t total = 2 * s->plan->syntax.total_samples,
             share = wvl_recode_may_take_all(s->plan) ? done / 2 + (s->round ? total / 2 : 0) : done;
    s->told = wvl_max_u64(s->told, share);
    if (c && c->progress && c->progress(c->progress_user, s->told, total, s->stage)) {
        atomic_store(&s->look.stopped, 1);
    }
}

static void tick(void *user, uint64_t done, uint64_t total)
{
    wvl_session *s = user;
    tell(s, 2 * s->samples_done + s->samples_in_work +
                (uint64_t)((double)s->samples_in_work * (double)done / (double)total));
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static wvl_status check_image(wvl_session *s)
{
    const wvl_image *image = s->image;
    if (image->plane_count != s->plan->syntax.component_count || !image->planes) {
        return fail(s, WVL_ERROR_ARGUMENT, "the image must have one plane per component of the plan");
    }
    if ((unsigned)image->memory_kind > WVL_MEMORY_MANAGED) {
        return fail(s, WVL_ERROR_ARGUMENT, "unknown kind of picture memory");
    }
    for (uint32_t c = 0; c < image->plane_count; c++) {
        static const uint8_t bits[] = {0, 8, 16, 32, 0, 10, 12};
        const wvl_plane *plane = &image->planes[c];
        const wvl_plan_component *pc = &s->plan->syntax.components[c];
        unsigned depth = wvl_plan_input_depth(s->plan, c);
        char text[160];
        if (plane->container < WVL_SAMPLE_8 || plane->container > WVL_SAMPLE_PACKED12 || !bits[plane->container]) {
            (void)snprintf(text, sizeof text, "component %u: container type %u is not supported", c, plane->container);
            return fail(s, WVL_ERROR_UNSUPPORTED, text);
        }
        if (!plane->data || depth > bits[plane->container] ||
            (plane->container >= WVL_SAMPLE_PACKED10 && pc->is_signed)) {
            (void)snprintf(text, sizeof text, "component %u: depth %u%s does not fit its container, or it has no data",
                           c, depth, pc->is_signed ? " signed" : "");
            return fail(s, WVL_ERROR_ARGUMENT, text);
        }
    }
    return WVL_OK;
}

/* ---- Waves ----------------------------------------------------------------------------------- */

static wvl_status fail_device(wvl_session *s, wvl_status status)
{
    char text[320];
    (void)snprintf(text, sizeof text, "%s%s%s", wvl_status_text(status), s->drive.reason[0] ? ": " : "",
                   s->drive.reason);
    return fail(s, status, text);
}

/* The next wave, transformed; *count tiles of it, WVL_END after the last. Once the look is over its coefficients need
 * not be complete, or no wave comes at all: coding ends then before it reads any. */
static wvl_status fetch_wave(wvl_session *s, uint32_t *count)
{
    double start = begin_stage(s, WVL_STAGE_TRANSFORM);
    wvl_status status = wvl_drive_next(&s->drive, count);
    end_stage(s, WVL_STAGE_TRANSFORM, start);
    if (status == WVL_ERROR_INPUT) {
        return fail(s, status, "a sample lies outside the depth that its component declares");
    }
    if (status < 0) {
        return fail_device(s, status);
    }
    s->samples_in_work = 0;
    for (uint32_t i = 0; status == WVL_OK && i < *count; i++) {
        s->samples_in_work += s->wave.coefs[i].tile->sample_count;
    }
    return status;
}

static void submit_beside(void *user) { wvl_drive_submit_ahead(user); }

static wvl_status code_wave(wvl_session *s, uint32_t count)
{
    double start = begin_stage(s, WVL_STAGE_CODE);
    tell(s, 2 * s->samples_done + s->samples_in_work);
    s->coder.beside = submit_beside;
    s->coder.beside_user = &s->drive;
    s->coder.blocks.source = wvl_wave_source_open(&s->source, &s->drive, &s->coder.blocks);
    wvl_status status = wvl_coder_code_tiles(&s->coder, s->wave.coefs, count);
    end_stage(s, WVL_STAGE_CODE, start);
    return status < 0 && s->drive.reason[0] ? fail_device(s, status) : status;
}

/* Where coefficients are kept there is one wave, and it stays. */
static wvl_status run_waves(wvl_session *s)
{
    uint32_t count;
    wvl_drive_start(&s->drive);
    wvl_status status = fetch_wave(s, &count);
    while (status == WVL_OK) {
        status = code_wave(s, count);
        s->samples_done += s->samples_in_work;
        if (status != WVL_OK || s->plan->rate.keep_coefs) {
            break;
        }
        wvl_drive_pass(&s->drive);
        status = fetch_wave(s, &count);
    }
    if (status == WVL_END) {
        status = is_cancelled(s) ? WVL_CANCELLED : WVL_OK; /* waves may be missing */
    }
    return status;
}

/* Nobody needs the pixels or the transform's memory any more. */
static void end_waves(wvl_session *s)
{
    wvl_drive_name(&s->drive, s->backend_name, sizeof s->backend_name);
    if (!s->many) {
        wvl_drive_close(&s->drive);
    } else {
        wvl_drive_stop(&s->drive);
    }
}

static void give_pixels_back(wvl_session *s)
{
    if (s->image && s->image->release) {
        s->image->release(s->image->release_user);
    }
    s->image = NULL;
}

static double measure_error(void *user)
{
    wvl_session *s = user;
    return wvl_quality_measure(s->plan, s->wave.coefs, s->coder.tiles, &s->coder.recode.rescale,
                               s->plan->memory.largest_tile_component, s->plan->context->pool, &s->look,
                               s->quality_memory);
}

/* The kept wave's tile plans stay in use while layers are chosen: finishing builds its own in the scratch beside them.
 */
static wvl_status open_measurement(wvl_session *s)
{
    s->quality_memory = wvl_alloc(&s->plan->context->host, s->plan->memory.quality_bytes);
    s->coder.measure_error = measure_error;
    s->coder.measure_user = s;
    return s->quality_memory ? WVL_OK : WVL_ERROR_MEMORY;
}

static void close_measurement(wvl_session *s)
{
    wvl_free(&s->plan->context->host, s->quality_memory, s->plan->memory.quality_bytes);
    s->quality_memory = NULL;
}

/* ---- Output ---------------------------------------------------------------------------------- */

/* Nothing is ever patched: what was written is final. */
static int send(wvl_session *s, const void *data, size_t bytes)
{
    int refused = 0;
    if (s->held) {
        if (s->written > s->held_bytes ||
            bytes > s->held_bytes - s->written) { /* its length was foretold: write_output says that it was wrong */
            s->written = UINT64_MAX;
            return -1;
        }
        memcpy(s->held + s->written, data, bytes);
        s->written += bytes;
        return 0;
    }
    refused = s->sink->write(s->sink->user, data, bytes);
    s->written += bytes;
    if (!refused && s->sink->finalized) {
        s->sink->finalized(s->sink->user, s->written);
    }
    return refused;
}

static int flush(wvl_session *s)
{
    size_t n = s->buffered;
    s->buffered = 0;
    return n ? send(s, s->wave.buffer, n) : 0;
}

static int put(void *user, const void *data, size_t bytes)
{
    wvl_session *s = user;
    if (bytes > WVL_WRITE_BUFFER_BYTES - s->buffered) {
        int refused = flush(s);
        if (refused || bytes >= WVL_WRITE_BUFFER_BYTES) {
            return refused ? refused : send(s, data, bytes);
        }
    }
    memcpy(s->wave.buffer + s->buffered, data, bytes);
    s->buffered += bytes;
    return 0;
}

/* The number of bytes is known before the first one leaves. */
static wvl_status open_output(wvl_session *s, uint64_t bytes)
{
    if (!wvl_profile_walks(s->plan)) {
        return wvl_sink_reserve(s->sink, bytes);
    }
    s->held_bytes = bytes;
    s->held = wvl_alloc(&s->plan->context->host, bytes);
    return s->held ? WVL_OK : WVL_ERROR_MEMORY;
}

static void drop_held(wvl_session *s)
{
    wvl_free(&s->plan->context->host, s->held, s->held_bytes);
    s->held = NULL;
}

/* The sink gets what the profile check lets through, in one run of writes. */
static wvl_status judge_output(wvl_session *s)
{
    uint8_t *held = s->held;
    wvl_status status = wvl_profile_walk(s->plan, held, s->written, s->error, s->error_bytes);
    if (status == WVL_OK) {
        status = is_cancelled(s) ? WVL_CANCELLED : wvl_sink_reserve(s->sink, s->held_bytes);
    }
    s->held = NULL;
    s->written = 0;
    for (uint64_t at = 0; at < s->held_bytes && status == WVL_OK; at += WVL_WRITE_BUFFER_BYTES) {
        status = send(s, held + at, (size_t)wvl_min_u64(s->held_bytes - at, WVL_WRITE_BUFFER_BYTES)) ? WVL_ERROR_SINK
                                                                                                     : WVL_OK;
    }
    s->held = held;
    return status;
}

static wvl_status write_output(wvl_session *s, uint64_t *codestream_offset)
{
    const wvl_plan *plan = s->plan;
    uint64_t codestream = wvl_coder_codestream_bytes(&s->coder);
    uint8_t header[WVL_JP2_MAX_HEADER_BYTES];
    size_t n = plan->syntax.jp2 ? wvl_jp2_put_codestream_header(header, codestream) : 0;
    *codestream_offset = (plan->syntax.jp2 ? plan->syntax.boxes_before.bytes : 0) + n;
    wvl_status status = open_output(s, *codestream_offset + codestream);
    if (status != WVL_OK) {
        return status;
    }
    const wvl_tile_walk tiles = wvl_wave_walk(plan, &s->wave);
    int refused = plan->syntax.jp2 &&
                  (put(s, plan->syntax.boxes_before.data, plan->syntax.boxes_before.bytes) || put(s, header, n));
    status = refused ? WVL_ERROR_SINK : wvl_coder_write(&s->coder, &tiles, &s->wave.order, put, s);
    if (status == WVL_OK && flush(s)) {
        status = WVL_ERROR_SINK;
    }
    if ((status == WVL_OK || s->written == UINT64_MAX) && s->written != *codestream_offset + codestream) {
        return fail(s, WVL_ERROR_INTERNAL,
                    "the codestream is not as long as was foretold: a defect of the library, please report it");
    }
    return status == WVL_OK && s->held ? judge_output(s) : status;
}

static wvl_status finish(wvl_session *s, uint64_t *codestream_offset)
{
    double start = begin_stage(s, WVL_STAGE_RATE);
    tell(s, 2 * s->samples_done);
    wvl_status status = s->plan->rate.keep_coefs ? open_measurement(s) : WVL_OK;
    if (status == WVL_OK) {
        const wvl_tile_walk tiles = wvl_wave_walk(s->plan, &s->wave);
        status = wvl_coder_finish(&s->coder, &tiles, &s->wave.order);
    }
    if (s->plan->rate.keep_coefs) {
        close_measurement(s);
        end_waves(s);
    }
    end_stage(s, WVL_STAGE_RATE, start);
    if (status == WVL_OK && !wvl_coder_wants_again(&s->coder)) {
        start = begin_stage(s, WVL_STAGE_WRITE);
        if (s->told < 2 * s->plan->syntax.total_samples) { /* no second round after all */
            s->round++;
            tell(s, 2 * s->samples_done);
        }
        status = write_output(s, codestream_offset);
        end_stage(s, WVL_STAGE_WRITE, start);
    }
    return status;
}

/* ---- Encode ---------------------------------------------------------------------------------- */

static void close_picture(wvl_session *s)
{
    wvl_drive_stop(&s->drive);
    if (!s->many) {
        wvl_drive_close(&s->drive);
    }
    drop_held(s);
    wvl_coder_fini(&s->coder);
    give_pixels_back(s);
}

static wvl_status open_coder(wvl_session *s)
{
    const wvl_context *context = s->plan->context;
    wvl_coder_options options = {&context->host, s->plan,          context->pool, s->picture,
                                 &s->look,       s->worker_memory, tick,          s};
    return wvl_coder_init(&s->coder, &options);
}

static wvl_status transform_and_code(wvl_session *s)
{
    wvl_status status = wvl_drive_open(&s->drive, s->image);
    if (status != WVL_OK) {
        return fail_device(s, status);
    }
    s->samples_done = 0;
    s->rounds++;
    status = run_waves(s);
    if (!s->plan->rate.keep_coefs || status != WVL_OK) {
        end_waves(s);
    }
    if (!wvl_recode_is_possible(s->plan)) {
        give_pixels_back(s);
    }
    return status;
}

/* Mostly once. Where the coder left blocks too early for what the rate control found, the pixels are transformed again
 * for these. */
static wvl_status encode_picture(wvl_session *s, uint64_t *codestream_offset)
{
    wvl_status status = check_image(s);
    status = status == WVL_OK ? open_coder(s) : status;
    do {
        if (status == WVL_OK) {
            status = transform_and_code(s);
        }
        if (status == WVL_OK) {
            status = finish(s, codestream_offset);
        }
        s->round++;
    } while (status == WVL_OK && wvl_coder_wants_again(&s->coder));
    return status;
}

static wvl_status run_picture(wvl_session *s, wvl_result **result)
{
    uint64_t codestream_offset = 0;
    wvl_status status = encode_picture(s, &codestream_offset);
    if (status == WVL_OK) {
        wvl_plan_log_work(s->plan, s->backend_name, s->rounds, s->coder.blocks.survey.is_begun);
    }
    if (status == WVL_OK && result) {
        *result = wvl_result_create(s->plan->context, &s->coder, codestream_offset, s->seconds, s->backend_name);
        status = *result ? WVL_OK : WVL_ERROR_MEMORY;
    }
    if (status != WVL_OK) {
        (void)fail(s, status, s->coder.problem[0] ? s->coder.problem : wvl_status_text(status));
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

wvl_session *wvl_session_create(const wvl_plan *plan, const char *track, int many)
{
    const wvl_allocator *host = &plan->context->host;
    wvl_session *s = wvl_alloc_zeroed(host, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->plan = plan;
    s->track = track;
    s->many = many;
    wvl_carver carver = {NULL, 0};
    wvl_wave_carve(plan, &carver, &s->wave);
    s->wave_bytes = carver.used;
    s->wave_memory = wvl_alloc_zeroed(host, s->wave_bytes);
    s->worker_bytes = many ? wvl_pool_source_bytes(plan, wvl_pool_concurrency(plan->context->pool)) : 0;
    s->worker_memory = many ? wvl_alloc(host, s->worker_bytes) : NULL;
    if (!s->wave_memory || (many && !s->worker_memory)) {
        wvl_free(host, s->worker_memory, s->worker_bytes);
        wvl_free(host, s->wave_memory, s->wave_bytes);
        wvl_free(host, s, sizeof *s);
        return NULL;
    }
    carver = (wvl_carver){s->wave_memory, 0};
    wvl_wave_carve(plan, &carver, &s->wave);
    wvl_drive_init(&s->drive, plan, &s->wave, &plan->context->trace, &s->look, many);
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

wvl_status wvl_session_prepare(wvl_session *s, const wvl_image *image) { return wvl_drive_open(&s->drive, image); }

static void take_picture(wvl_session *s, const wvl_session_picture *p, char *unused)
{
    s->image = p->image;
    s->sink = p->sink;
    s->control = p->control;
    s->error = p->error && p->error_bytes ? p->error : unused;
    s->error_bytes = p->error ? p->error_bytes : 0;
    s->error[0] = 0;
    s->picture = p->number;
    s->samples_done = s->samples_in_work = s->told = 0;
    s->round = 0;
    s->rounds = 0;
    s->written = s->buffered = 0;
    memset(s->seconds, 0, sizeof s->seconds);
    atomic_store(&s->look.stopped, 0);
    s->look.flag = p->control && p->control->cancel ? &p->control->cancel->flag : NULL;
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
    wvl_status status = run_picture(s, p->result);
    close_picture(s);
    status = close_sink(s->sink, status, s->error, s->error_bytes);
    if (status != WVL_OK && p->result && *p->result) {
        wvl_result_release(*p->result);
        *p->result = NULL;
    }
    wvl_fpenv_leave(&env);
    return status;
}
