/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows that are pushed: wvl_encode_rows() in a thread of its own, whose source waits for them. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/structs.h"
#include "rows/window.h"

struct wvl_row_pusher {
    const wvl_plan *plan; /* the caller's, which outlives the pusher */
    wvl_row_source source;
    wvl_rows_options options;
    wvl_control control;
    wvl_sink *sink; /* the caller's */
    wvl_result *result;
    wvl_status status; /* of the encode, when has_ended */
    char error[512];
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock: */
    const wvl_row_buffer *wanted; /* NULL: the encode does not wait */
    uint32_t buffer_count;
    uint64_t at;   /* rows of the reference grid before this one were pushed */
    int has_ended; /* the encode */
    int is_closed; /* no more rows will be pushed */
    int has_thread;
    uint64_t own_bytes;
    uint32_t pushed_count;         /* buffers of a push */
    uint32_t *dy;                  /* [component_count]: of each buffer */
    wvl_row_component *components; /* [component_count] */
};

/* ---- The thread's side ----------------------------------------------------------------------- */

/* Rows of a buffer that lie before row `at` of the reference grid, counted from its first. */
static uint64_t count_rows(const wvl_row_pusher *p, uint32_t buffer, uint64_t at)
{
    uint32_t dy = p->dy[buffer];
    return wvl_ceil_div(at, dy) - wvl_ceil_div(p->plan->syntax.image.y0, dy);
}

/* Under the lock: everything that is wanted was pushed. */
static int is_filled(const wvl_row_pusher *p)
{
    int filled = 1;
    for (uint32_t b = 0; b < p->buffer_count; b++) {
        filled &= (uint64_t)p->wanted[b].first_row + p->wanted[b].row_count <= count_rows(p, b, p->at);
    }
    return filled;
}

static wvl_status wait_for_rows(void *user, const wvl_row_buffer *buffers, uint32_t count, char *error,
                                size_t error_bytes)
{
    wvl_row_pusher *p = user;
    pthread_mutex_lock(&p->lock);
    p->wanted = buffers;
    p->buffer_count = count;
    pthread_cond_broadcast(&p->changed);
    while (!is_filled(p) && !p->is_closed) {
        pthread_cond_wait(&p->changed, &p->lock);
    }
    wvl_status status = is_filled(p) ? WVL_OK : WVL_ERROR_INPUT;
    p->wanted = NULL;
    if (status != WVL_OK) {
        snprintf(error, error_bytes, "%llu rows were pushed, and the picture has %u",
                 (unsigned long long)(p->at - p->plan->syntax.image.y0), wvl_rect_height(p->plan->syntax.image));
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

static void *run(void *user)
{
    wvl_row_pusher *p = user;
    wvl_status status =
        wvl_encode_rows(p->plan, &p->source, &p->options, p->sink, &p->control, &p->result, p->error, sizeof p->error);
    pthread_mutex_lock(&p->lock);
    p->status = status;
    p->has_ended = 1;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- The caller's side ----------------------------------------------------------------------- */

static int take_arguments(wvl_row_pusher *p, const wvl_row_component *components, const wvl_rows_options *options,
                          wvl_sink *sink, const wvl_control *control)
{
    p->sink = sink;
    p->options.struct_size = sizeof p->options;
    p->control.struct_size = sizeof p->control;
    memcpy(p->components, components, p->plan->syntax.component_count * sizeof *components);
    return (!options || wvl_struct_read(&p->options, sizeof p->options, options,
                                        WVL_STRUCT_UNTIL(wvl_rows_options, spill_folder))) &&
           (!control ||
            wvl_struct_read(&p->control, sizeof p->control, control, WVL_STRUCT_UNTIL(wvl_control, cancel)));
}

static wvl_row_pusher *create(const wvl_plan *plan)
{
    uint32_t count = plan->syntax.component_count;
    wvl_carver carver = {NULL, 0};
    wvl_row_pusher *p = NULL;
    for (int measured = 0; measured < 2; measured++) {
        wvl_row_pusher *own = wvl_carve(&carver, 1, sizeof *own);
        wvl_row_component *components = wvl_carve(&carver, count, sizeof *components);
        uint32_t *dy = wvl_carve(&carver, count, sizeof *dy);
        if (measured) {
            own->components = components;
            own->dy = dy;
            break;
        }
        uint64_t bytes = carver.used;
        p = wvl_alloc_zeroed(&plan->context->host, bytes);
        if (!p) {
            return NULL;
        }
        p->own_bytes = bytes;
        carver = (wvl_carver){(uint8_t *)p, 0};
    }
    return p;
}

static void destroy(wvl_row_pusher *p)
{
    wvl_context *context = p->plan->context;
    wvl_result_release(p->result);
    wvl_free(&context->host, p, p->own_bytes);
    wvl_context_release(context);
}

static wvl_status start(wvl_row_pusher *p)
{
    for (uint32_t c = 0; c < p->plan->syntax.component_count; c++) {
        p->dy[p->components[c].buffer] = p->plan->syntax.components[c].dy;
        p->pushed_count = wvl_max_u32(p->pushed_count, p->components[c].buffer + 1);
    }
    p->at = p->plan->syntax.image.y0;
    p->source = (wvl_row_source){.struct_size = sizeof p->source,
                                 .components = p->components,
                                 .component_count = p->plan->syntax.component_count,
                                 .read = wait_for_rows,
                                 .user = p};
    if (wvl_rows_refuse(p->plan, &p->source)) {
        return WVL_ERROR_ARGUMENT;
    }
    if (pthread_mutex_init(&p->lock, NULL)) {
        return WVL_ERROR_MEMORY;
    }
    if (pthread_cond_init(&p->changed, NULL)) {
        pthread_mutex_destroy(&p->lock);
        return WVL_ERROR_MEMORY;
    }
    p->has_thread = !pthread_create(&p->thread, NULL, run, p);
    if (!p->has_thread) {
        pthread_cond_destroy(&p->changed);
        pthread_mutex_destroy(&p->lock);
    }
    return p->has_thread ? WVL_OK : WVL_ERROR_MEMORY;
}

wvl_status wvl_row_pusher_create(const wvl_plan *plan, const wvl_row_component *components, uint32_t component_count,
                                 const wvl_rows_options *options, wvl_sink *sink, const wvl_control *control,
                                 wvl_row_pusher **pusher)
{
    if (pusher) {
        *pusher = NULL;
    }
    if (!plan || !components || !sink || !pusher || component_count != plan->syntax.component_count) {
        return WVL_ERROR_ARGUMENT;
    }
    for (uint32_t c = 0; c < component_count; c++) {
        if (components[c].buffer >= component_count) {
            return WVL_ERROR_ARGUMENT;
        }
    }
    wvl_row_pusher *p = create(plan);
    if (!p) {
        return WVL_ERROR_MEMORY;
    }
    p->plan = plan;
    wvl_context_retain(plan->context);
    wvl_status status = take_arguments(p, components, options, sink, control) ? start(p) : WVL_ERROR_ARGUMENT;
    if (status != WVL_OK) {
        destroy(p);
        return status;
    }
    *pusher = p;
    return WVL_OK;
}

/* Under the lock: how far rows can be taken now: to the row behind which more of some buffer than is wanted comes. */
static uint64_t find_end(const wvl_row_pusher *p, uint64_t end)
{
    for (uint32_t b = 0; b < p->buffer_count; b++) {
        const wvl_row_buffer *w = &p->wanted[b];
        uint64_t rows = wvl_ceil_div(p->plan->syntax.image.y0, p->dy[b]) + w->first_row + w->row_count;
        end = wvl_min_u64(end, rows * p->dy[b]);
    }
    return wvl_max_u64(end, p->at);
}

/* Under the lock: the rows are left, and every buffer that has some of them is there. */
static int is_push_legal(const wvl_row_pusher *p, const void *const *data, uint64_t end)
{
    int is_legal = end <= p->plan->syntax.image.y1;
    for (uint32_t b = 0; is_legal && b < p->pushed_count; b++) {
        is_legal = data[b] || count_rows(p, b, end) == count_rows(p, b, p->at);
    }
    return is_legal;
}

wvl_status wvl_row_pusher_push(wvl_row_pusher *p, const void *const *data, const size_t *pitch_bytes, uint32_t rows)
{
    if (!p || !p->has_thread || !data || !pitch_bytes) { /* with the thread wvl_row_pusher_finish() ended the lock */
        return WVL_ERROR_ARGUMENT;
    }
    pthread_mutex_lock(&p->lock);
    uint64_t first = p->at, end = first + rows;
    int is_legal = is_push_legal(p, data, end);
    while (is_legal && p->at < end && !p->has_ended) {
        if (!p->wanted || is_filled(p)) {
            pthread_cond_wait(&p->changed, &p->lock);
            continue;
        }
        uint64_t next = find_end(p, end);
        /* Under the lock: copies what of rows [p->at, end) is wanted. first: the row that data begins with. */
        for (uint32_t b = 0; b < p->buffer_count; b++) {
            const wvl_row_buffer *w = &p->wanted[b];
            uint64_t origin = count_rows(p, b, first),
                     last = wvl_min_u64(count_rows(p, b, next), w->first_row + w->row_count);
            for (uint64_t row = wvl_max_u64(count_rows(p, b, p->at), w->first_row); row < last; row++) {
                memcpy((uint8_t *)w->data + (row - w->first_row) * w->pitch_bytes,
                       (const uint8_t *)data[b] + (row - origin) * pitch_bytes[b], w->row_bytes);
            }
        }
        p->at = next;
        pthread_cond_broadcast(&p->changed);
    }
    wvl_status status = p->has_ended && p->at < end ? p->status : WVL_OK;
    pthread_mutex_unlock(&p->lock);
    return is_legal ? status : WVL_ERROR_ARGUMENT;
}

wvl_status wvl_row_pusher_finish(wvl_row_pusher *p, wvl_result **result, char *error, size_t error_bytes)
{
    if (result) {
        *result = NULL;
    }
    if (!p || !p->has_thread) {
        return WVL_ERROR_ARGUMENT;
    }
    pthread_mutex_lock(&p->lock);
    p->is_closed = 1;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    (void)pthread_join(p->thread, NULL);
    p->has_thread = 0;
    if (error && error_bytes) {
        snprintf(error, error_bytes, "%s", p->error);
    }
    if (result) {
        *result = p->result;
        p->result = NULL;
    }
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    return p->status;
}

void wvl_row_pusher_release(wvl_row_pusher *p)
{
    if (p) {
        if (p->has_thread) {
            (void)wvl_row_pusher_finish(p, NULL, NULL, 0);
        }
        destroy(p);
    }
}
