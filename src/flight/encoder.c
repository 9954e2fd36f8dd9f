/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures in flight. Every place in flight has a session of its own and, where the context may start threads, a
 * thread; picture n takes place n modulo their number, so that results come in the order of submission without sorting.
 * While one picture is in a part that one thread does alone (choosing layers, writing), waits for the device or copies
 * pixels, others keep the pool at work.
 */
#include <stdio.h>

#include "backend/registry.h"
#include "base/structs.h"
#include "base/try.h"
#include "codec/sink/sink.h"
#include "flight/frame_plan.h"
#include "flight/poll_handle.h"
#include "picture/session.h"
#include "wavelane_frames.h"

#define FRAMES_LEAST 3u /* chosen: one in the transform, one in block coding, one being written */
#define FRAMES_MOST                                                                                                    \
    6u /* the same: from here on nothing of a device's transform is left beside block coding on 16 processors          \
          (D-drive-03) */
#define FRAMES_ON_DEVICE 16u /* the same where a device finishes pictures (D-drive-05) */
#define FRAMES_MAX 1024u     /* chosen: 64 for each of 16 devices */

struct wvl_encoded_picture {
    wvl_context *context;
    wvl_status status;
    void *data; /* of a memory sink; NULL where the caller gave a sink, or a device finished the picture */
    size_t bytes;
    wvl_finished finished; /* data NULL: no device finished it */
    wvl_result *result;
    void *user;
    char error[512];
};

typedef enum place_state { PLACE_FREE = 0, PLACE_QUEUED, PLACE_AT_WORK, PLACE_DONE } place_state;

typedef struct place {
    wvl_encoder *encoder;
    wvl_plan *plan; /* with the values of its frame */
    wvl_session *session;
    pthread_t thread;
    pthread_cond_t queued; /* wakes the thread, and no other one */
    int has_thread, has_condition;
    char track[24];
    place_state state; /* under the encoder's lock */
    uint64_t number;   /* of the context's pictures, in the order of submission */
    wvl_image image;
    wvl_plane *planes; /* [component_count]: the caller's need not stay */
    wvl_sink sink;
    int in_memory;
    wvl_encoded_picture *finished;
} place;

struct wvl_encoder {
    const wvl_plan *plan;
    wvl_context *context;
    wvl_control control;    /* of every picture: the cancel token */
    pthread_mutex_t lock;   /* guards the states and what follows */
    pthread_cond_t changed; /* for the threads that submit and receive */
    wvl_poll_handle handle; /* raised while receive has something to do */
    uint64_t submitted, received;
    int ended, stopping;
    uint32_t place_count, place_capacity;
    place *places;
    wvl_stations stations; /* open: devices finish them */
    wvl_frame_rule rule;   /* of the thread that submits */
    char problem[384];     /* why creation failed; "": the status says it */
};

/* ---- Finished pictures ----------------------------------------------------------------------- */

static wvl_encoded_picture *create_finished(wvl_context *context, void *user)
{
    wvl_encoded_picture *finished = wvl_alloc_zeroed(&context->host, sizeof *finished);
    if (finished) {
        wvl_context_retain(context);
        finished->context = context;
        finished->user = user;
    }
    return finished;
}

void wvl_encoded_picture_release(wvl_encoded_picture *finished)
{
    if (finished) {
        wvl_context *context = finished->context;
        wvl_memory_release(context, finished->data, finished->bytes);
        if (finished->finished.data) {
            wvl_backend_fetch_device()->drop_picture(finished->finished.device, &finished->finished);
        }
        wvl_result_release(finished->result);
        wvl_free(&context->host, finished, sizeof *finished);
        wvl_context_release(context);
    }
}

void wvl_encoded_picture_release_after(wvl_encoded_picture *finished, void *stream)
{
    if (finished) {
        finished->finished.has_reader = 1;
        finished->finished.reader = stream;
    }
    wvl_encoded_picture_release(finished);
}

wvl_status wvl_encoded_picture_status(const wvl_encoded_picture *p) { return p ? p->status : WVL_ERROR_ARGUMENT; }
const char *wvl_encoded_picture_error(const wvl_encoded_picture *p) { return p ? p->error : ""; }
const wvl_result *wvl_encoded_picture_result(const wvl_encoded_picture *p) { return p ? p->result : NULL; }
void *wvl_encoded_picture_user(const wvl_encoded_picture *p) { return p ? p->user : NULL; }

wvl_result *wvl_encoded_picture_take_result(wvl_encoded_picture *p)
{
    wvl_result *result = p ? p->result : NULL;
    if (p) {
        p->result = NULL;
    }
    return result;
}

const void *wvl_encoded_picture_data(const wvl_encoded_picture *p, size_t *bytes)
{
    int is_there = p && p->finished.data;
    uint64_t own = p ? p->bytes : 0;
    const void *data = p ? p->data : NULL;
    if (bytes) {
        *bytes = (size_t)(is_there ? p->finished.bytes : own);
    }
    return is_there ? p->finished.data : data;
}

wvl_memory_kind wvl_encoded_picture_memory(const wvl_encoded_picture *p)
{
    wvl_memory_kind there = p && p->finished.on_device ? WVL_MEMORY_DEVICE : WVL_MEMORY_PINNED;
    return p && p->finished.data ? there : WVL_MEMORY_HOST;
}

/* ---- Work ------------------------------------------------------------------------------------ */

/* Under the lock. Whether wvl_encoder_receive would not have to wait for another thread. */
static int has_news(const wvl_encoder *e)
{
    const place *p = &e->places[e->received % e->place_count];
    return p->state == PLACE_DONE || (p->state == PLACE_QUEUED && !p->has_thread) ||
           (e->ended && e->received == e->submitted);
}

/* Under the lock. */
static void tell_change(wvl_encoder *e)
{
    wvl_poll_handle_set(&e->handle, has_news(e));
    pthread_cond_broadcast(&e->changed);
}

/* Under the lock, which is given up for the work: the place is this thread's until end_work(). */
static void begin_work(place *p, wvl_session_picture *picture)
{
    wvl_encoded_picture *finished = p->finished;
    p->state = PLACE_AT_WORK;
    pthread_mutex_unlock(&p->encoder->lock);
    *picture = (wvl_session_picture){.image = &p->image,
                                     .sink = &p->sink,
                                     .control = &p->encoder->control,
                                     .result = &finished->result,
                                     .number = p->number,
                                     .finished = p->in_memory ? &finished->finished : NULL,
                                     .error = finished->error,
                                     .error_bytes = sizeof finished->error};
}

static void end_work(place *p, wvl_status status)
{
    wvl_encoded_picture *finished = p->finished;
    finished->status = status;
    int takes = p->in_memory && status == WVL_OK && !finished->finished.data;
    if (takes) {
        finished->status = wvl_sink_take_memory(&p->sink, &finished->data, &finished->bytes);
    } else if (p->in_memory) {
        wvl_sink_discard(&p->sink);
    }
    pthread_mutex_lock(&p->encoder->lock);
    p->state = PLACE_DONE;
    tell_change(p->encoder);
}

static void *place_main(void *arg)
{
    place *p = arg;
    wvl_encoder *e = p->encoder;
    pthread_mutex_lock(&e->lock);
    for (;;) {
        while (p->state != PLACE_QUEUED && !e->stopping) {
            pthread_cond_wait(&p->queued, &e->lock);
        }
        if (p->state != PLACE_QUEUED) {
            break;
        }
        wvl_session_picture picture;
        begin_work(p, &picture);
        end_work(p, wvl_session_encode(p->session, &picture));
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void close_place(place *p)
{
    const wvl_encoder *e = p->encoder;
    wvl_session_release(p->session);
    wvl_frame_plan_release(p->plan);
    wvl_encoded_picture_release(p->finished);
    wvl_free(&e->context->host, p->planes, e->plan->syntax.component_count * sizeof *p->planes);
    if (p->has_condition) {
        pthread_cond_destroy(&p->queued);
    }
}

/* Takes the memory of the backend too, so that none is taken later. */
static wvl_status open_place(wvl_encoder *e, uint32_t index)
{
    place *p = &e->places[index];
    wvl_image usual = {.struct_size = sizeof usual};
    p->encoder = e;
    snprintf(p->track, sizeof p->track, "encode %u", index + 1);
    p->planes = wvl_alloc(&e->context->host, e->plan->syntax.component_count * sizeof *p->planes);
    p->plan = wvl_frame_plan_create(e->plan);
    p->session =
        p->plan ? wvl_session_create(p->plan, p->track, 1, index, e->stations.count ? &e->stations : NULL) : NULL;
    p->has_condition = pthread_cond_init(&p->queued, NULL) == 0;
    wvl_status status =
        p->planes && p->session && p->has_condition ? wvl_session_prepare(p->session, &usual) : WVL_ERROR_MEMORY;
    if (status != WVL_OK) {
        snprintf(e->problem, sizeof e->problem, "%s", p->session ? wvl_session_reason(p->session) : "");
        close_place(p);
        memset(p, 0, sizeof *p);
    }
    return status;
}

static int init_locks(wvl_encoder *e)
{
    pthread_condattr_t attributes;
    if (pthread_mutex_init(&e->lock, NULL)) {
        return 0;
    }
    if (pthread_condattr_init(&attributes) == 0) {
        int failed =
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) || pthread_cond_init(&e->changed, &attributes);
        pthread_condattr_destroy(&attributes);
        if (!failed) {
            return 1;
        }
    }
    pthread_mutex_destroy(&e->lock);
    return 0;
}

static void tell_fewer(const wvl_encoder *e, uint32_t count)
{
    wvl_context_log(e->context, WVL_LOG_WARNING, "memory is enough for %u of %u pictures at a time", count,
                    e->place_capacity);
}

/* Pictures that a device finishes need no waves. These take memory with the first picture that goes that way. */
static wvl_status open_stations(wvl_encoder *e)
{
    char reason[256];
    const wvl_image usual = {.struct_size = sizeof usual};
    wvl_way way = wvl_choose_way(e->plan, &(wvl_way_source){.image = &usual, .many = 1});
    if (way.kind == WVL_WAY_HOST) {
        return WVL_OK;
    }
    wvl_status status = wvl_stations_open(&e->stations, e->plan, e->place_capacity, reason, sizeof reason);
    if (status == WVL_OK && e->stations.workspaces < e->place_capacity) {
        tell_fewer(e, e->stations.workspaces);
    }
    if (status == WVL_OK) {
        return WVL_OK;
    }
    wvl_context_log(e->context, WVL_LOG_DEBUG, "the device does not finish pictures: %s", reason);
    int is_asked = e->plan->device.output || e->plan->device.reach == WVL_REACH_PACKETS;
    snprintf(e->problem, sizeof e->problem, "the option %s, and no device finishes such pictures: %s",
             e->plan->device.output ? "output-memory is device" : "reach is packets", reason);
    return is_asked && e->plan->device.choice == WVL_DEVICE_CUDA_ONLY ? status : WVL_OK;
}

/* Fewer places than wanted are enough, threads are not needed. */
static wvl_status open_places(wvl_encoder *e)
{
    wvl_status status = open_stations(e);
    uint32_t wanted = e->stations.count ? wvl_min_u32(e->stations.workspaces, e->place_capacity) : e->place_capacity;
    while (e->place_count < wanted && status == WVL_OK) {
        status = open_place(e, e->place_count);
        e->place_count += status == WVL_OK;
    }
    if (e->place_count && status != WVL_OK) {
        tell_fewer(e, e->place_count);
        status = WVL_OK;
    }
    for (uint32_t i = 0; i < e->place_count && wvl_pool_starts_threads(e->context->pool); i++) {
        place *p = &e->places[i];
        p->has_thread = pthread_create(&p->thread, NULL, place_main, p) == 0;
    }
    return status;
}

static uint32_t choose_frames(const wvl_plan *plan)
{
    const wvl_image usual = {.struct_size = sizeof usual};
    wvl_way way = wvl_choose_way(plan, &(wvl_way_source){.image = &usual, .many = 1});
    if (way.kind == WVL_WAY_PICTURE) {
        return wvl_min_u32(FRAMES_ON_DEVICE * wvl_devices_list(plan, NULL, 0).count, FRAMES_MAX);
    }
    return wvl_min_u32(wvl_max_u32(wvl_context_threads(plan->context) / 2, FRAMES_LEAST), FRAMES_MOST);
}

wvl_status wvl_encoder_create(const wvl_plan *plan, uint32_t frames, wvl_encoder **encoder)
{
    if (!plan || !encoder || frames > FRAMES_MAX) {
        return WVL_ERROR_ARGUMENT;
    }
    *encoder = NULL;
    wvl_context *context = plan->context;
    wvl_context_clear_error(context);
    wvl_encoder *e = wvl_alloc_zeroed(&context->host, sizeof *e);
    if (!e || !init_locks(e)) {
        wvl_free(&context->host, e, sizeof *e);
        wvl_context_set_error(context, wvl_status_text(WVL_ERROR_MEMORY));
        return WVL_ERROR_MEMORY;
    }
    wvl_context_retain(context);
    e->plan = e->rule.usual = plan;
    e->context = context;
    e->control.struct_size = sizeof e->control;
    e->place_capacity = frames ? frames : choose_frames(plan);
    e->places = wvl_alloc_zeroed(&context->host, e->place_capacity * sizeof *e->places);
    wvl_status status = e->places ? wvl_cancel_create(context, &e->control.cancel) : WVL_ERROR_MEMORY;
    TRY(status, open_places(e));
    if (status != WVL_OK) {
        wvl_context_set_error(context, e->problem[0] ? e->problem : wvl_status_text(status));
        wvl_encoder_release(e);
        return status;
    }
    *encoder = e;
    return WVL_OK;
}

void wvl_encoder_release(wvl_encoder *e)
{
    if (!e) {
        return;
    }
    wvl_context *context = e->context;
    wvl_encoder_cancel(e);
    pthread_mutex_lock(&e->lock);
    e->stopping = 1;
    for (uint32_t i = 0; i < e->place_count; i++) {
        pthread_cond_signal(&e->places[i].queued);
    }
    pthread_mutex_unlock(&e->lock);
    for (uint32_t i = 0; i < e->place_count; i++) {
        place *p = &e->places[i];
        if (p->has_thread) {
            pthread_join(p->thread, NULL);
        }
        if (p->state == PLACE_QUEUED) { /* cancelled: gives the pixels back and closes the sink */
            wvl_session_picture picture;
            pthread_mutex_lock(&e->lock);
            begin_work(p, &picture);
            end_work(p, wvl_session_encode(p->session, &picture));
            pthread_mutex_unlock(&e->lock);
        }
        close_place(p);
    }
    wvl_stations_close(&e->stations);
    wvl_frame_rule_close(&e->rule);
    wvl_poll_handle_close(&e->handle);
    pthread_cond_destroy(&e->changed);
    pthread_mutex_destroy(&e->lock);
    wvl_cancel_release(e->control.cancel);
    wvl_free(&context->host, e->places, e->place_capacity * sizeof *e->places);
    wvl_free(&context->host, e, sizeof *e);
    wvl_context_release(context);
}

uint32_t wvl_encoder_frames(const wvl_encoder *encoder) { return encoder ? encoder->place_count : 0; }

/* ---- Submit and receive ---------------------------------------------------------------------- */

static wvl_status fill_place(place *p, const wvl_image *image, const wvl_sink *sink, void *user)
{
    wvl_encoder *e = p->encoder;
    p->finished = create_finished(e->context, user);
    if (!p->finished) {
        return WVL_ERROR_MEMORY;
    }
    p->in_memory = !sink;
    p->sink = sink ? *sink : (wvl_sink){.struct_size = sizeof p->sink};
    wvl_status status = sink ? WVL_OK : wvl_sink_open_memory(e->context, &p->sink);
    if (status != WVL_OK) {
        wvl_encoded_picture_release(p->finished);
        p->finished = NULL;
        return status;
    }
    p->image = *image;
    if (image->plane_count == e->plan->syntax.component_count && image->planes) { /* else the session refuses it */
        memcpy(p->planes, image->planes, image->plane_count * sizeof *p->planes);
        p->image.planes = p->planes;
    }
    return WVL_OK;
}

typedef struct submission {
    wvl_image image;
    wvl_sink sink;
    int has_sink;
    wvl_frame frame; /* params NULL: as the plan of the encoder */
} submission;

/* 0: an argument is missing, a structure has a size that is not taken, or the sink serves another encode. */
static int take_submission(submission *s, const wvl_image *image, const wvl_sink *sink, const wvl_frame *frame)
{
    memset(s, 0, sizeof *s);
    s->has_sink = sink != NULL;
    if (frame && !wvl_struct_read(&s->frame, sizeof s->frame, frame, WVL_STRUCT_UNTIL(wvl_frame, error_bytes))) {
        return 0;
    }
    if (s->frame.error && s->frame.error_bytes) {
        s->frame.error[0] = '\0';
    }
    return image && wvl_struct_read(&s->image, sizeof s->image, image, WVL_STRUCT_UNTIL(wvl_image, release_user)) &&
           (!sink || (wvl_struct_read(&s->sink, sizeof s->sink, sink, WVL_STRUCT_UNTIL(wvl_sink, user)) &&
                      s->sink.write && !wvl_sink_is_taken(&s->sink)));
}

/* Where the device alone may finish the frame, it must not have more bytes than there is memory for. */
static wvl_status check_room(const place *p, const wvl_frame *frame)
{
    const wvl_encoder *e = p->encoder;
    const wvl_device_plan *device = &e->plan->device;
    int must_finish = device->output || (device->reach == WVL_REACH_PACKETS && device->choice == WVL_DEVICE_CUDA_ONLY);
    if (!must_finish || !e->stations.count ||
        p->plan->memory.output_bytes_bound <= e->plan->memory.output_bytes_bound) {
        return WVL_OK;
    }
    if (frame->error && frame->error_bytes) {
        snprintf(frame->error, frame->error_bytes,
                 "the frame may take %llu bytes, and the device has memory for %llu: those of the targets and "
                 "caps of the encoder, which must be the largest of all frames",
                 (unsigned long long)p->plan->memory.output_bytes_bound,
                 (unsigned long long)e->plan->memory.output_bytes_bound);
    }
    return WVL_ERROR_PARAMETER;
}

/* The place is free, and only the thread that submits takes free places: no lock is needed. */
static wvl_status set_values(place *p, const wvl_frame *frame)
{
    wvl_encoder *e = p->encoder;
    if (!frame->params) {
        wvl_frame_plan_reset(p->plan, e->plan);
        return WVL_OK;
    }
    wvl_status status = wvl_frame_plan_set(&e->rule, frame->params, p->plan, frame->error, frame->error_bytes);
    return status == WVL_OK ? check_room(p, frame) : status;
}

wvl_status wvl_encoder_submit_frame(wvl_encoder *e, const wvl_image *image, const wvl_sink *sink,
                                    const wvl_frame *frame, void *user)
{
    submission s;
    if (!e || !take_submission(&s, image, sink, frame)) {
        return WVL_ERROR_ARGUMENT;
    }
    pthread_mutex_lock(&e->lock);
    place *p = &e->places[e->submitted % e->place_count]; /* that the next picture takes */
    wvl_status status = e->ended ? WVL_ERROR_ARGUMENT : p->state != PLACE_FREE ? WVL_AGAIN : WVL_OK;
    pthread_mutex_unlock(&e->lock);
    TRY(status, set_values(p, &s.frame));
    if (status != WVL_OK) {
        return status;
    }
    pthread_mutex_lock(&e->lock);
    status = e->ended ? WVL_ERROR_ARGUMENT : fill_place(p, &s.image, s.has_sink ? &s.sink : NULL, user);
    if (status == WVL_OK) {
        p->number = wvl_session_number(e->context);
        p->state = PLACE_QUEUED;
        wvl_sink_take(&p->sink);
        e->submitted++;
        /* The place has its picture. If it has no thread of its own, wvl_encoder_receive does the work. */
        if (p->has_thread) {
            pthread_cond_signal(&p->queued);
        } else {
            tell_change(e);
        }
    }
    pthread_mutex_unlock(&e->lock);
    return status;
}

wvl_status wvl_encoder_submit(wvl_encoder *e, const wvl_image *image, const wvl_sink *sink, void *user)
{
    return wvl_encoder_submit_frame(e, image, sink, NULL, user);
}

/* Under the lock. 0: nothing happened in time. */
static int wait_for_change(wvl_encoder *e, uint32_t timeout_ms, const struct timespec *deadline)
{
    if (!timeout_ms) {
        return 0;
    }
    return timeout_ms == UINT32_MAX ? pthread_cond_wait(&e->changed, &e->lock) == 0
                                    : pthread_cond_timedwait(&e->changed, &e->lock, deadline) == 0;
}

wvl_status wvl_encoder_receive(wvl_encoder *e, uint32_t timeout_ms, wvl_encoded_picture **finished)
{
    if (!e || !finished) {
        return WVL_ERROR_ARGUMENT;
    }
    struct timespec deadline;
    (void)clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += timeout_ms / 1000;
    deadline.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    deadline.tv_sec += deadline.tv_nsec >= 1000000000;
    deadline.tv_nsec %= 1000000000;
    wvl_status status = WVL_AGAIN;
    *finished = NULL;
    pthread_mutex_lock(&e->lock);
    for (;;) {
        place *p = &e->places[e->received % e->place_count];
        if (p->state == PLACE_DONE) {
            *finished = p->finished;
            p->finished = NULL;
            p->state = PLACE_FREE;
            e->received++;
            tell_change(e);
            status = WVL_OK;
        } else if (p->state == PLACE_QUEUED && !p->has_thread && timeout_ms) {
            wvl_session_picture picture;
            begin_work(p, &picture);
            end_work(p, wvl_session_encode(p->session, &picture));
            continue;
        } else if (e->received == e->submitted && e->ended) {
            status = WVL_END;
        } else if (wait_for_change(e, timeout_ms, &deadline)) {
            continue;
        }
        break;
    }
    pthread_mutex_unlock(&e->lock);
    return status;
}

void wvl_encoder_end(wvl_encoder *e)
{
    if (e) {
        pthread_mutex_lock(&e->lock);
        e->ended = 1;
        tell_change(e);
        pthread_mutex_unlock(&e->lock);
    }
}

void wvl_encoder_cancel(wvl_encoder *e) { wvl_cancel_raise(e ? e->control.cancel : NULL); }

wvl_status wvl_encoder_poll_handle(wvl_encoder *e, int *handle)
{
    if (!e || !handle) {
        return WVL_ERROR_ARGUMENT;
    }
    pthread_mutex_lock(&e->lock);
    int is_open = wvl_poll_handle_open(&e->handle);
    wvl_poll_handle_set(&e->handle, has_news(e));
    *handle = is_open ? e->handle.ends[0] : -1;
    pthread_mutex_unlock(&e->lock);
    return is_open ? WVL_OK : WVL_ERROR_MEMORY;
}
