/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "api.h"

void *wvl_api_need_memory(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory) {
        exit(wvl_api_fail(5, "out of memory"));
    }
    return memory;
}

int wvl_api_open_picture(const char *path, wvl_api_picture *p)
{
    char error[512];
    memset(p, 0, sizeof *p);
    if (wvl_io_read_picture(path, NULL, &p->io, error, sizeof error) < 0) {
        return wvl_api_fail(3, "%s", error);
    }
    uint32_t count = p->io.component_count;
    p->components = wvl_api_need_memory(count * sizeof *p->components);
    p->planes = wvl_api_need_memory(count * sizeof *p->planes);
    for (uint32_t c = 0; c < count; c++) {
        const wvl_io_component *k = &p->io.components[c];
        p->components[c] = (wvl_component_format){k->depth, k->is_signed, k->dx, k->dy};
        p->planes[c] =
            (wvl_plane){k->data, (ptrdiff_t)k->stride_bytes, (uint32_t)(k->sample_stride_bytes / k->sample_bytes), 0,
                        k->sample_bytes == 1   ? WVL_SAMPLE_8
                        : k->sample_bytes == 2 ? WVL_SAMPLE_16
                                               : WVL_SAMPLE_32};
    }
    p->format = (wvl_image_format){sizeof p->format, 0, 0, p->io.width, p->io.height, count, p->components};
    p->image = (wvl_image){.struct_size = sizeof p->image, .planes = p->planes, .plane_count = count};
    return WVL_API_DONE;
}

void wvl_api_close_picture(wvl_api_picture *p)
{
    wvl_io_release_picture(&p->io);
    free(p->components);
    free(p->planes);
}

wvl_status wvl_api_create_plan(wvl_context *context, const wvl_image_format *format, const char *const *settings,
                               int count, wvl_plan **plan, char *error, size_t bytes)
{
    wvl_params *params;
    char key[64];
    wvl_status status = wvl_params_create(context, &params);
    for (int i = 0; status == WVL_OK && i < count; i++) {
        const char *equals = strchr(settings[i], '=');
        size_t length = equals ? (size_t)(equals - settings[i]) : 0;
        if (!length || length >= sizeof key) {
            status = WVL_ERROR_ARGUMENT;
            break;
        }
        memcpy(key, settings[i], length);
        key[length] = '\0';
        status = wvl_params_set(params, key, equals + 1);
        snprintf(error, bytes, "%s", status == WVL_OK ? "" : wvl_params_error(params));
    }
    if (status == WVL_OK) {
        status = wvl_plan_create(context, params, format, NULL, plan);
        snprintf(error, bytes, "%s", status == WVL_OK ? "" : wvl_context_error(context));
    }
    wvl_params_release(params);
    return status;
}

wvl_api_stream wvl_api_encode(wvl_context *context, const wvl_api_picture *p, const char *const *settings, int count,
                              wvl_cancel *cancel)
{
    wvl_api_stream s;
    wvl_plan *plan = NULL;
    wvl_sink sink;
    wvl_control control = {.struct_size = sizeof control, .cancel = cancel};
    memset(&s, 0, sizeof s);
    s.status = wvl_api_create_plan(context, &p->format, settings, count, &plan, s.error, sizeof s.error);
    if (s.status == WVL_OK) {
        s.status = wvl_sink_open_memory(context, &sink);
    }
    if (s.status == WVL_OK) {
        s.status = wvl_encode(plan, &p->image, &sink, &control, NULL, s.error, sizeof s.error);
        if (s.status == WVL_OK) {
            s.status = wvl_sink_take_memory(&sink, &s.data, &s.bytes);
        }
    }
    wvl_plan_release(plan);
    return s;
}

int wvl_api_same(const wvl_api_stream *a, const wvl_api_stream *b)
{
    return a->status == WVL_OK && b->status == WVL_OK && a->bytes == b->bytes && a->bytes &&
           !memcmp(a->data, b->data, a->bytes);
}
