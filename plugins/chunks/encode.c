/* SPDX-License-Identifier: BSD-2-Clause */
#include <wavelane_simple.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chunk.h"

#define MOST_COMPONENTS 3

const char *chunk_set_dimensions(chunk_shape *shape, const uint64_t *all, int rank)
{
    uint64_t used[MOST_COMPONENTS] = {1, 1, 1};
    int count = 0;
    for (int i = 0; i < rank; i++) {
        if (all[i] > 1 && count == 3) {
            return "a chunk has more than three dimensions above 1: choose chunks of one picture";
        }
        if (all[i] > 1) {
            used[count++] = all[i];
        }
    }
    if (rank < 1) {
        return "a chunk has no dimensions";
    }
    if (count == 3 && used[2] != MOST_COMPONENTS) {
        return "a chunk has three dimensions above 1, and the last one is not 3: choose chunks of one picture";
    }
    if (used[0] > UINT32_MAX || used[1] > UINT32_MAX) {
        return "a chunk has 4294967296 samples or more in a row or column";
    }
    int is_row = count == 1 && all[rank - 1] > 1;
    shape->height = (uint32_t)(is_row ? 1 : used[0]);
    shape->width = (uint32_t)(is_row ? used[0] : used[1]);
    shape->components = (uint32_t)used[2];
    return NULL;
}

uint64_t chunk_bytes(const chunk_shape *shape)
{
    uint64_t pixels = (uint64_t)shape->width * shape->height, sample = shape->sample_bytes;
    if (!pixels || !shape->components || shape->components > MOST_COMPONENTS || (sample != 1 && sample != 2)) {
        return 0;
    }
    return pixels > UINT64_MAX / (MOST_COMPONENTS * 2) ? 0 : pixels * shape->components * sample;
}

/* WAVELANE_THREADS; else one: the host's threads come with chunks of their own. 0: all. */
static uint32_t thread_count(void)
{
    const char *text = getenv("WAVELANE_THREADS");
    if (!text || !*text) {
        return 1;
    }
    return strcmp(text, "all") ? (uint32_t)abs(atoi(text)) : 0;
}

/* One context lives as long as the process, and another in each child that is forked: threads are not inherited. The
   lock is held while a context is looked up. */
static wvl_params *create_params(wvl_context **context)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static wvl_context *kept;
    static pid_t owner;
    static uint32_t threads;
    wvl_params *params = NULL;
    uint32_t wanted = thread_count();
    (void)pthread_mutex_lock(&lock);
    if (!kept || owner != getpid() || threads != wanted) {
        const wvl_context_options options = {.struct_size = sizeof options, .threads = wanted};
        if (kept && owner == getpid()) {
            wvl_context_release(kept); /* plans of other threads keep it */
        }
        kept = NULL;
        if (wvl_context_create(&options, &kept) != WVL_OK) {
            kept = NULL;
        }
        owner = getpid();
        threads = wanted;
    }
    if (kept && wvl_params_create(kept, &params) != WVL_OK) {
        params = NULL;
    }
    *context = kept;
    (void)pthread_mutex_unlock(&lock);
    return params;
}

static wvl_status set_options(wvl_params *params, const char *options)
{
    const char *device = getenv("WAVELANE_DEVICE");
    wvl_status status = wvl_params_parse(params, "style=HT, reversible=yes");
    status = status ? status : wvl_params_set(params, "device", device && *device ? device : "cpu");
    return status || !options ? status : wvl_params_parse(params, options);
}

static wvl_plan *build_plan(const chunk_shape *shape, const char *options, char *reason)
{
    wvl_component_format components[MOST_COMPONENTS];
    wvl_context *context;
    wvl_plan *plan = NULL;
    wvl_params *params = create_params(&context);
    if (!params) {
        snprintf(reason, CHUNK_REASON_BYTES, "not enough memory");
        return NULL;
    }
    for (uint32_t i = 0; i < shape->components; i++) {
        components[i] = (wvl_component_format){.depth = (uint8_t)(8 * shape->sample_bytes),
                                               .is_signed = (uint8_t)(shape->is_signed != 0)};
    }
    const wvl_image_format format = {.struct_size = sizeof format,
                                     .x1 = shape->width,
                                     .y1 = shape->height,
                                     .component_count = shape->components,
                                     .components = components};
    const wvl_plan_request request = {.struct_size = sizeof request,
                                      .context = context,
                                      .params = params,
                                      .format = &format,
                                      .error = reason,
                                      .error_bytes = CHUNK_REASON_BYTES};
    if (set_options(params, options) != WVL_OK) {
        snprintf(reason, CHUNK_REASON_BYTES, "%s", wvl_params_error(params));
    } else if (wvl_plan_build(&request, &plan) != WVL_OK) {
        plan = NULL;
    }
    wvl_params_release(params);
    return plan;
}

/* Memory for the largest codestream of this plan, which is cut to size afterwards. */
static void *take_memory(const wvl_plan *plan, size_t *capacity)
{
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    if (wvl_plan_measure(plan, &memory) != WVL_OK || memory.output_bytes_bound > SIZE_MAX) {
        return NULL;
    }
    *capacity = (size_t)memory.output_bytes_bound;
    return malloc(*capacity);
}

static chunk_status encode(const wvl_plan *plan, const chunk_shape *shape, const void *samples, void *out,
                           size_t capacity, size_t *bytes, char *reason)
{
    wvl_plane planes[MOST_COMPONENTS];
    const wvl_image image = {.struct_size = sizeof image, .planes = planes, .plane_count = shape->components};
    for (uint32_t i = 0; i < shape->components; i++) {
        planes[i] = (wvl_plane){.data = samples,
                                .pitch_bytes = (ptrdiff_t)shape->width * shape->components * shape->sample_bytes,
                                .sample_stride = shape->components,
                                .first_sample = i,
                                .container = shape->sample_bytes == 2 ? WVL_SAMPLE_16 : WVL_SAMPLE_8};
    }
    wvl_status status =
        wvl_encode_to_buffer(plan, &image, NULL, out, capacity, bytes, NULL, reason, CHUNK_REASON_BYTES);
    if (status == WVL_ERROR_SINK) {
        return CHUNK_TOO_LARGE;
    }
    return status == WVL_OK ? CHUNK_OK : CHUNK_FAILED;
}

chunk_status chunk_encode(const chunk_shape *shape, const char *options, const void *samples, void **out,
                          size_t capacity, size_t *bytes, char reason[CHUNK_REASON_BYTES])
{
    reason[0] = '\0';
    *bytes = 0;
    wvl_plan *plan = build_plan(shape, options, reason);
    if (!plan) {
        return CHUNK_FAILED;
    }
    void *own = *out ? NULL : take_memory(plan, &capacity);
    chunk_status status = CHUNK_FAILED;
    if (!own && !*out) {
        snprintf(reason, CHUNK_REASON_BYTES, "not enough memory");
    } else {
        status = encode(plan, shape, samples, own ? own : *out, capacity, bytes, reason);
    }
    wvl_plan_release(plan);
    if (own && status == CHUNK_OK) {
        void *cut = realloc(own, *bytes);
        *out = cut ? cut : own;
    } else {
        free(own);
    }
    return status;
}
