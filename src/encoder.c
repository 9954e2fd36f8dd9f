/* SPDX-License-Identifier: BSD-2-Clause */
/* The conductor: waves of tiles go through the backend into the coder, layers are chosen, bytes leave through the sink. The only file
 * that sees both halves. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "backend/backend.h"
#include "base/alloc.h"
#include "base/fpenv.h"
#include "codec/jp2/jp2.h"
#include "codec/sink.h"
#include "codec/tile_coder.h"
#include "context.h"
#include "quality.h"
#include "result.h"
#include "wave.h"

typedef struct session {
    const wvl_plan *plan;
    const wvl_image *image;
    wvl_sink *sink;
    const wvl_control *control;
    wvl_wave wave;
    void *wave_memory;
    uint64_t wave_bytes;
    wvl_backend *backend;
    uint64_t backend_bytes;       /* what the slot was prepared for */
    wvl_backend_job *kept_job;    /* all tiles, when the plan keeps coefficients */
    void *quality_memory;
    wvl_coder coder;
    _Atomic int cancelled;
    uint64_t samples_done, samples_in_work;
    wvl_stage stage;
    double seconds[4];
    size_t buffered;
    uint64_t written;
    char *error;
    size_t error_bytes;
} session;

static double now_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static wvl_status fail(session *s, wvl_status status, const char *text)
{
    if (s->error_bytes && !s->error[0]) {
        (void)snprintf(s->error, s->error_bytes, "%s", text);
    }
    return status;
}

static int is_cancelled(session *s)
{
    if (s->control && wvl_cancel_is_raised(s->control->cancel)) {
        atomic_store(&s->cancelled, 1);
    }
    return atomic_load(&s->cancelled);
}

static void tell(session *s, uint64_t done)
{
    const wvl_control *c = s->control;
    if (c && c->progress && c->progress(c->progress_user, done, 2 * s->plan->total_samples, s->stage)) {
        atomic_store(&s->cancelled, 1);
    }
    (void)is_cancelled(s);
}

static void tick(void *user, uint64_t done, uint64_t total)
{
    session *s = user;
    tell(s, 2 * s->samples_done + s->samples_in_work + (uint64_t)((double)s->samples_in_work * (double)done / (double)total));
}

/* ---- Arguments ------------------------------------------------------------------------------------------------------------------- */

static wvl_status check_image(session *s)
{
    const wvl_image *image = s->image;
    if (image->plane_count != s->plan->component_count || !image->planes) {
        return fail(s, WVL_ERROR_ARGUMENT, "the image must have one plane per component of the plan");
    }
    if (image->memory_kind != WVL_MEMORY_HOST && image->memory_kind != WVL_MEMORY_PINNED) {
        return fail(s, WVL_ERROR_UNSUPPORTED, "pixels in device or managed memory need a CUDA build");
    }
    if (image->ready_event) {
        return fail(s, WVL_ERROR_UNSUPPORTED, "a ready event needs a CUDA build");
    }
    for (uint32_t c = 0; c < image->plane_count; c++) {
        static const uint8_t bits[] = {0, 8, 16, 32, 0, 10, 12};
        const wvl_plane *plane = &image->planes[c];
        const wvl_plan_component *pc = &s->plan->components[c];
        char text[160];
        if (plane->container < WVL_SAMPLE_8 || plane->container > WVL_SAMPLE_PACKED12 || !bits[plane->container]) {
            (void)snprintf(text, sizeof text, "component %u: container type %u is not supported", c, plane->container);
            return fail(s, WVL_ERROR_UNSUPPORTED, text);
        }
        if (!plane->data || pc->depth > bits[plane->container] || (plane->container >= WVL_SAMPLE_PACKED10 && pc->is_signed)) {
            (void)snprintf(text, sizeof text, "component %u: depth %u%s does not fit its container, or it has no data", c, pc->depth,
                           pc->is_signed ? " signed" : "");
            return fail(s, WVL_ERROR_ARGUMENT, text);
        }
    }
    return WVL_OK;
}

/* ---- Waves ----------------------------------------------------------------------------------------------------------------------- */

static wvl_status prepare_backend(session *s, uint32_t count)
{
    wvl_backend_memory need;
    wvl_pool *pool = s->plan->context->pool;
    wvl_backend_cpu.measure(s->plan, s->wave.tiles, count, wvl_pool_concurrency(pool), &need);
    if (s->backend && need.host_bytes <= s->backend_bytes) {
        return WVL_OK;
    }
    if (s->backend) {
        wvl_backend_cpu.close(s->backend);
        s->backend = NULL;
    }
    wvl_status status = wvl_backend_cpu.open(&s->plan->context->host, pool, &s->backend);
    s->backend_bytes = need.host_bytes;
    return status == WVL_OK ? wvl_backend_cpu.prepare(s->backend, s->plan, s->wave.tiles, count) : status;
}

static wvl_status code_wave(session *s, wvl_backend_job *job, uint32_t count)
{
    double start = now_seconds();
    s->stage = WVL_STAGE_TRANSFORM;
    wvl_status status = wvl_backend_cpu.wait(job, WVL_EVENT_DONE, UINT32_MAX);
    if (status == WVL_OK) {
        status = wvl_backend_cpu.collect(job, s->wave.coefs);
    }
    if (status == WVL_ERROR_INPUT) {
        return fail(s, status, "a sample lies outside the depth that its component declares");
    }
    double middle = now_seconds();
    s->seconds[WVL_STAGE_TRANSFORM] += middle - start;
    s->stage = WVL_STAGE_CODE;
    tell(s, 2 * s->samples_done + s->samples_in_work);
    if (status == WVL_OK) {
        status = is_cancelled(s) ? WVL_CANCELLED : wvl_coder_code_tiles(&s->coder, s->wave.coefs, count);
    }
    s->seconds[WVL_STAGE_CODE] += now_seconds() - middle;
    return status;
}

static wvl_status run_wave(session *s, uint32_t first, uint32_t *count)
{
    *count = wvl_wave_count_tiles(s->plan, first, &s->wave.scratch);
    wvl_wave_build(s->plan, first, *count, &s->wave);
    s->samples_in_work = 0;
    for (uint32_t i = 0; i < *count; i++) {
        s->samples_in_work += s->wave.tiles[i].sample_count;
    }
    wvl_backend_job *job = NULL;
    wvl_status status = prepare_backend(s, *count);
    if (status == WVL_OK) {
        status = wvl_backend_cpu.submit(s->backend, s->image, s->wave.tiles, *count, &job);
    }
    if (status != WVL_OK) {
        return status;
    }
    status = code_wave(s, job, *count);
    if (s->plan->keep_coefs && status == WVL_OK) {
        s->kept_job = job;
    } else {
        wvl_backend_cpu.release(job);
    }
    s->samples_done += s->samples_in_work;
    return status;
}

static void close_backend(session *s)
{
    if (s->kept_job) {
        wvl_backend_cpu.release(s->kept_job);
    }
    if (s->backend) {
        wvl_backend_cpu.close(s->backend);
    }
    s->kept_job = NULL;
    s->backend = NULL;
}

static wvl_status run_waves(session *s)
{
    wvl_status status = WVL_OK;
    for (uint32_t first = 0, count = 0; first < s->plan->tile_count && status == WVL_OK; first += count) {
        status = is_cancelled(s) ? WVL_CANCELLED : run_wave(s, first, &count);
    }
    if (!s->kept_job) {
        close_backend(s);
    }
    return status;
}

static double measure_error(void *user)
{
    session *s = user;
    return wvl_quality_measure(s->plan, s->wave.coefs, s->coder.tiles, s->plan->largest_tile_component, s->plan->context->pool, s->quality_memory);
}

/* The kept wave's tile plans stay in use while layers are chosen: finishing builds its own in the scratch beside them. */
static wvl_status open_measurement(session *s)
{
    s->quality_memory = wvl_alloc(&s->plan->context->host, s->plan->quality_bytes);
    s->coder.measure_error = measure_error;
    s->coder.measure_user = s;
    return s->quality_memory ? WVL_OK : WVL_ERROR_MEMORY;
}

/* ---- Output ---------------------------------------------------------------------------------------------------------------------- */

/* Nothing is ever patched: what was written is final. */
static int send(session *s, const void *data, size_t bytes)
{
    int refused = s->sink->write(s->sink->user, data, bytes);
    s->written += bytes;
    if (!refused && s->sink->finalized) {
        s->sink->finalized(s->sink->user, s->written);
    }
    return refused;
}

static int flush(session *s)
{
    size_t n = s->buffered;
    s->buffered = 0;
    return n ? send(s, s->wave.buffer, n) : 0;
}

static int put(void *user, const void *data, size_t bytes)
{
    session *s = user;
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

static wvl_status write_output(session *s, uint64_t *codestream_offset)
{
    const wvl_plan *plan = s->plan;
    uint64_t codestream = wvl_coder_codestream_bytes(&s->coder);
    int refused = 0;
    if (plan->jp2) {
        uint8_t header[WVL_JP2_MAX_HEADER_BYTES];
        size_t n = wvl_jp2_put_codestream_header(header, codestream);
        *codestream_offset = plan->boxes_before.bytes + n;
        wvl_status status = wvl_sink_reserve(s->sink, *codestream_offset + codestream);
        if (status != WVL_OK) {
            return status;
        }
        refused = put(s, plan->boxes_before.data, plan->boxes_before.bytes) || put(s, header, n);
    } else {
        wvl_status status = wvl_sink_reserve(s->sink, codestream);
        if (status != WVL_OK) {
            return status;
        }
    }
    wvl_status status = refused ? WVL_ERROR_SINK : wvl_coder_write(&s->coder, &s->wave.scratch, &s->wave.order, put, s);
    return status == WVL_OK && flush(s) ? WVL_ERROR_SINK : status;
}

static wvl_status finish(session *s, uint64_t *codestream_offset)
{
    double start = now_seconds();
    s->stage = WVL_STAGE_RATE;
    tell(s, 2 * s->samples_done);
    wvl_status status = is_cancelled(s) ? WVL_CANCELLED : s->kept_job ? open_measurement(s) : WVL_OK;
    if (status == WVL_OK) {
        status = wvl_coder_finish(&s->coder, &s->wave.scratch, &s->wave.order);
    }
    close_backend(s);
    double middle = now_seconds();
    s->seconds[WVL_STAGE_RATE] = middle - start;
    if (status == WVL_OK) {
        s->stage = WVL_STAGE_WRITE;
        status = write_output(s, codestream_offset);
        s->seconds[WVL_STAGE_WRITE] = now_seconds() - middle;
    }
    return status;
}

/* ---- Encode ---------------------------------------------------------------------------------------------------------------------- */

static wvl_status open_session(session *s)
{
    const wvl_allocator *host = &s->plan->context->host;
    wvl_carver carver = {NULL, 0};
    wvl_wave_carve(s->plan, &carver, &s->wave);
    s->wave_bytes = carver.used;
    s->wave_memory = wvl_alloc_zeroed(host, s->wave_bytes);
    if (!s->wave_memory) {
        return WVL_ERROR_MEMORY;
    }
    carver = (wvl_carver){s->wave_memory, 0};
    wvl_wave_carve(s->plan, &carver, &s->wave);
    wvl_status status = wvl_coder_init(&s->coder, host, s->plan, s->plan->context->pool, &s->cancelled);
    s->coder.tick = tick;
    s->coder.tick_user = s;
    return status;
}

static void close_session(session *s)
{
    const wvl_allocator *host = &s->plan->context->host;
    close_backend(s);
    wvl_free(host, s->quality_memory, s->plan->quality_bytes);
    wvl_coder_fini(&s->coder);
    wvl_free(host, s->wave_memory, s->wave_bytes);
    if (s->image->release) {
        s->image->release(s->image->release_user);
    }
}

static wvl_status run_session(session *s, wvl_result **result)
{
    uint64_t codestream_offset = 0;
    wvl_status status = check_image(s);
    if (status == WVL_OK) {
        status = open_session(s);
    }
    if (status == WVL_OK) {
        status = run_waves(s);
    }
    if (status == WVL_OK) {
        status = finish(s, &codestream_offset);
    }
    if (status == WVL_OK && result) {
        *result = wvl_result_create(s->plan->context, &s->coder, codestream_offset, s->seconds);
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

uint64_t wvl_session_bytes(void) { return wvl_alloc_size(sizeof(session)); }

/* For calls that fail before there is a session: the sink is closed and the pixels are given back, as far as they can be recognised. */
static wvl_status refuse(const wvl_image *image, wvl_sink *sink, wvl_status status, const char *text, char *error, size_t error_bytes)
{
    if (image && image->struct_size >= sizeof *image && image->release) {
        image->release(image->release_user);
    }
    if (sink && sink->struct_size >= sizeof *sink) {
        (void)wvl_sink_finish(sink, 0, NULL, 0);
    }
    if (error && error_bytes) {
        (void)snprintf(error, error_bytes, "%s", text);
    }
    return status;
}

static wvl_status encode(session *s, wvl_result **result)
{
    char unused[1], *error = s->error;
    s->error = error && s->error_bytes ? error : unused;
    s->error_bytes = error ? s->error_bytes : 0;
    if (s->error_bytes) {
        s->error[0] = 0;
    }
    wvl_status status = run_session(s, result);
    close_session(s);
    status = close_sink(s->sink, status, error, s->error_bytes);
    if (status != WVL_OK && result && *result) {
        wvl_result_release(*result);
        *result = NULL;
    }
    return status;
}

wvl_status wvl_encode(const wvl_plan *plan, const wvl_image *image, wvl_sink *sink, const wvl_control *control, wvl_result **result, char *error,
                      size_t error_bytes)
{
    if (result) {
        *result = NULL;
    }
    if (!plan || !image || !sink || !sink->write || image->struct_size < sizeof *image || sink->struct_size < sizeof *sink ||
        (control && control->struct_size < sizeof *control)) {
        return refuse(image, sink, WVL_ERROR_ARGUMENT, "wvl_encode: a NULL argument or an unset struct_size", error, error_bytes);
    }
    const wvl_allocator *host = &plan->context->host;
    session *s = wvl_alloc_zeroed(host, sizeof *s);
    if (!s) {
        return refuse(image, sink, WVL_ERROR_MEMORY, wvl_status_text(WVL_ERROR_MEMORY), error, error_bytes);
    }
    s->plan = plan;
    s->image = image;
    s->sink = sink;
    s->control = control;
    s->error = error;
    s->error_bytes = error_bytes;
    wvl_fpenv env;
    wvl_fpenv_enter(&env);
    wvl_status status = encode(s, result);
    wvl_fpenv_leave(&env);
    wvl_free(host, s, sizeof *s);
    return status;
}
