/* SPDX-License-Identifier: BSD-2-Clause */
/* Sinks for memory and streams, and what all sinks of the library share. Files are in file.c. */
#include "codec/sink/sink.h"

#include <errno.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/context.h"
#include "base/intmath.h"
#include "codec/sink/state.h"

#define FIRST_CAPACITY 65536u /* of a memory sink */

/* ---- What the library's sinks share ---------------------------------------------------------- */

int wvl_sink_fail(wvl_sink_state *state, wvl_status status, const char *action, const char *path, int code)
{
    char reason[100] = "";
    if (state->status) {
        return -1;
    }
    state->status = status;
    if (code && strerror_r(code, reason, sizeof reason)) {
        snprintf(reason, sizeof reason, "error %d", code);
    }
    snprintf(state->error, sizeof state->error, "%s%s%.320s%s%s", action, *path ? " " : "", path, code ? ": " : "",
             reason);
    return -1;
}

void *wvl_sink_create_state(wvl_context *context, uint64_t bytes, int (*settle)(void *, int), void (*dispose)(void *))
{
    wvl_context_clear_error(context);
    wvl_sink_state *state = wvl_alloc_zeroed(&context->host, bytes);
    if (!state) {
        wvl_context_add_error(context, "no memory for an output");
        return NULL;
    }
    state->context = context;
    state->own_bytes = bytes;
    state->settle = settle;
    state->dispose = dispose;
    wvl_context_retain(context);
    return state;
}

void wvl_sink_destroy_state(wvl_sink_state *state)
{
    wvl_context *context = state->context;
    state->dispose(state);
    wvl_free(&context->host, state, state->own_bytes);
    wvl_context_release(context);
}

/* The close member of every sink of the library, by which it is known. */
static int close_own(void *user, int complete)
{
    wvl_sink_state *state = user;
    int result = state->settle(state, complete);
    if (!state->kept) {
        wvl_sink_destroy_state(state);
    }
    return result;
}

void wvl_sink_fill(wvl_sink *sink, wvl_sink_state *state, int (*write)(void *user, const void *data, size_t bytes),
                   int (*patch)(void *user, uint64_t offset, const void *data, size_t bytes))
{
    const wvl_sink filled = {
        .struct_size = WVL_SINK_BYTES, .write = write, .patch = patch, .close = close_own, .user = state};
    memcpy(sink, &filled, WVL_SINK_BYTES);
}

static int is_own(const wvl_sink *sink) { return sink && sink->close == close_own && sink->user; }

int wvl_sink_is_taken(const wvl_sink *sink) { return is_own(sink) && ((const wvl_sink_state *)sink->user)->taken; }

void wvl_sink_take(const wvl_sink *sink)
{
    if (is_own(sink)) {
        ((wvl_sink_state *)sink->user)->taken = 1;
    }
}

static void tell(char *error, size_t error_bytes, const char *text)
{
    if (error && error_bytes) {
        snprintf(error, error_bytes, "%s", text);
    }
}

static wvl_status finish_own(wvl_sink *sink, int complete, char *error, size_t error_bytes)
{
    wvl_sink_state *state = sink->user;
    (void)state->settle(state, complete);
    wvl_status status = state->status;
    tell(error, error_bytes, state->error);
    if (!state->kept) {
        wvl_sink_destroy_state(state);
        memset(sink, 0, WVL_SINK_BYTES);
    }
    return status;
}

wvl_status wvl_sink_finish(wvl_sink *sink, int complete, char *error, size_t error_bytes)
{
    tell(error, error_bytes, "");
    if (is_own(sink)) {
        return finish_own(sink, complete, error, error_bytes);
    }
    if (!sink->close || !sink->close(sink->user, complete)) {
        return WVL_OK;
    }
    tell(error, error_bytes, "the output's close function failed");
    return WVL_ERROR_SINK;
}

void wvl_sink_discard(wvl_sink *sink)
{
    if (!is_own(sink)) {
        return;
    }
    if (((wvl_sink_state *)sink->user)->kept) {
        wvl_sink_destroy_state(sink->user);
        memset(sink, 0, WVL_SINK_BYTES);
        return;
    }
    (void)finish_own(sink, 0, NULL, 0);
}

int wvl_sink_check_patch(wvl_sink_state *state, uint64_t written, uint64_t offset, size_t bytes)
{
    if (state->status) {
        return -1;
    }
    if (offset > written || bytes > written - offset) {
        return wvl_sink_fail(state, WVL_ERROR_SINK,
                             "a patch reaches beyond what was written: a defect of the library, please report it", "",
                             0);
    }
    return 0;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

typedef struct memory_sink {
    wvl_sink_state state;
    uint8_t *data;
    uint64_t bytes, capacity;
} memory_sink;

static int memory_grow(memory_sink *s, uint64_t need, uint64_t wish)
{
    void *data = s->data;
    if (!wvl_grow(&s->state.context->host, &data, &s->capacity, wvl_max_u64(need, wish), 1) &&
        !wvl_grow(&s->state.context->host, &data, &s->capacity, need, 1)) {
        return wvl_sink_fail(&s->state, WVL_ERROR_MEMORY, "no memory for the output", "", 0);
    }
    s->data = data;
    return 0;
}

static int memory_write(void *user, const void *data, size_t bytes)
{
    memory_sink *s = user;
    uint64_t need = wvl_add_saturate(s->bytes, bytes);
    uint64_t twice = wvl_max_u64(wvl_mul_saturate(s->capacity, 2), FIRST_CAPACITY);
    if (s->state.status || (need > s->capacity && memory_grow(s, need, twice))) {
        return -1;
    }
    if (bytes) {
        memcpy(s->data + s->bytes, data, bytes);
    }
    s->bytes = need;
    return 0;
}

static int memory_patch(void *user, uint64_t offset, const void *data, size_t bytes)
{
    memory_sink *s = user;
    if (wvl_sink_check_patch(&s->state, s->bytes, offset, bytes)) {
        return -1;
    }
    if (bytes) {
        memcpy(s->data + offset, data, bytes);
    }
    return 0;
}

static int memory_settle(void *sink, int complete)
{
    memory_sink *s = sink;
    s->state.kept = complete && !s->state.status;
    return complete && s->state.status ? -1 : 0;
}

static void memory_dispose(void *sink)
{
    memory_sink *s = sink;
    wvl_free(&s->state.context->host, s->data, s->capacity);
}

wvl_status wvl_sink_open_memory(wvl_context *context, wvl_sink *sink)
{
    if (!context || !sink) {
        return WVL_ERROR_ARGUMENT;
    }
    memset(sink, 0, WVL_SINK_BYTES);
    memory_sink *s = wvl_sink_create_state(context, sizeof *s, memory_settle, memory_dispose);
    if (!s) {
        return WVL_ERROR_MEMORY;
    }
    wvl_sink_fill(sink, &s->state, memory_write, memory_patch);
    return WVL_OK;
}

/* The receiver releases `bytes` bytes, so the allocation must have been of that size. */
static int memory_fit(memory_sink *s)
{
    const wvl_allocator *host = &s->state.context->host;
    if (s->data && s->capacity == s->bytes) {
        return 0;
    }
    uint8_t *fitted = wvl_alloc(host, s->bytes);
    if (!fitted) {
        return -1;
    }
    if (s->bytes) {
        memcpy(fitted, s->data, (size_t)s->bytes);
    }
    wvl_free(host, s->data, s->capacity);
    s->data = fitted;
    s->capacity = s->bytes;
    return 0;
}

wvl_status wvl_sink_take_memory(wvl_sink *sink, void **data, size_t *bytes)
{
    if (!data || !bytes) {
        return WVL_ERROR_ARGUMENT;
    }
    *data = NULL;
    *bytes = 0;
    if (!is_own(sink) || sink->write != memory_write || !((memory_sink *)sink->user)->state.kept) {
        return WVL_ERROR_ARGUMENT;
    }
    memory_sink *s = sink->user;
    if (memory_fit(s)) {
        return WVL_ERROR_MEMORY; /* still held: may be tried again, or discarded */
    }
    *data = s->data;
    *bytes = (size_t)s->bytes;
    s->data = NULL;
    wvl_sink_destroy_state(&s->state);
    memset(sink, 0, WVL_SINK_BYTES);
    return WVL_OK;
}

static int is_memory(const wvl_sink *sink) { return is_own(sink) && sink->write == memory_write; }

/* The library's sinks fill no more than the members of version 0.2.0. */
int wvl_sink_reserves(const wvl_sink *sink) { return is_memory(sink) || (!is_own(sink) && sink->reserve); }

wvl_status wvl_sink_reserve(wvl_sink *sink, uint64_t bytes)
{
    if (!wvl_sink_reserves(sink)) {
        return WVL_OK;
    }
    if (!is_memory(sink)) {
        return sink->reserve(sink->user, bytes) ? WVL_ERROR_SINK : WVL_OK;
    }
    memory_sink *s = sink->user;
    uint64_t need = wvl_add_saturate(s->bytes, bytes);
    if (need <= s->capacity) {
        return WVL_OK;
    }
    return memory_grow(s, need, need) ? WVL_ERROR_MEMORY : WVL_OK;
}

/* ---- Stream ---------------------------------------------------------------------------------- */

/* No patch: the stream may be a pipe, or append wherever it stands. */
typedef struct stream_sink {
    wvl_sink_state state;
    FILE *file;
} stream_sink;

static int stream_fail(stream_sink *s)
{
    return wvl_sink_fail(&s->state, WVL_ERROR_SINK, "cannot write to the output stream", "", errno ? errno : EIO);
}

static int stream_write(void *user, const void *data, size_t bytes)
{
    stream_sink *s = user;
    errno = 0;
    if (s->state.status) {
        return -1;
    }
    return fwrite(data, 1, bytes, s->file) == bytes ? 0 : stream_fail(s);
}

/* What went into the stream cannot be taken back: an incomplete one just ends. */
static int stream_settle(void *sink, int complete)
{
    stream_sink *s = sink;
    errno = 0;
    if (!complete) {
        return 0;
    }
    return s->state.status || fflush(s->file) ? stream_fail(s) : 0;
}

static void stream_dispose(void *sink) { (void)sink; }

wvl_status wvl_sink_open_stream(wvl_context *context, void *file, wvl_sink *sink)
{
    if (!context || !file || !sink) {
        return WVL_ERROR_ARGUMENT;
    }
    memset(sink, 0, WVL_SINK_BYTES);
    stream_sink *s = wvl_sink_create_state(context, sizeof *s, stream_settle, stream_dispose);
    if (!s) {
        return WVL_ERROR_MEMORY;
    }
    s->file = file;
    wvl_sink_fill(sink, &s->state, stream_write, NULL);
    return WVL_OK;
}
