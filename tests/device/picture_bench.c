/* SPDX-License-Identifier: BSD-2-Clause */
#include "picture_bench.h"

#include <check.h>
#include <stdio.h>

#define IMAGE_BYTES (64u << 20) /* more than device code has */

/* ---- Cases ----------------------------------------------------------------------------------- */

static int refuse(picture_case *c, const char *what)
{
    snprintf(c->problem, sizeof c->problem, "%s: %s", what, c->context ? wvl_context_error(c->context) : "");
    return 0;
}

wvl_plan *picture_make_plan(wvl_context *context, const wvl_image_format *format, const char *settings, char *problem,
                            size_t problem_bytes)
{
    char text[1100], *rest = text;
    wvl_params *params = NULL;
    wvl_plan *plan = NULL;
    wvl_status status = wvl_params_create(context, &params);
    snprintf(text, sizeof text, "%s", settings);
    for (char *word; status == WVL_OK && (word = strtok_r(rest, " ", &rest));) {
        char *value = strchr(word, '=');
        if (!value) {
            snprintf(problem, problem_bytes, "%s: KEY=VALUE is needed", word);
            wvl_params_release(params);
            return NULL;
        }
        *value = 0;
        status = wvl_params_set(params, word, value + 1);
    }
    if (status != WVL_OK) {
        snprintf(problem, problem_bytes, "%s", params ? wvl_params_error(params) : wvl_status_text(status));
    } else if (wvl_plan_create(context, params, format, NULL, &plan) != WVL_OK) {
        snprintf(problem, problem_bytes, "plan: %s", wvl_context_error(context));
    }
    wvl_params_release(params);
    return plan;
}

static int encode(picture_case *c)
{
    wvl_sink sink;
    void *data = NULL;
    if (wvl_sink_open_memory(c->context, &sink) != WVL_OK ||
        wvl_encode(c->plan, &c->input.image, &sink, NULL, &c->result, c->problem, sizeof c->problem) != WVL_OK ||
        wvl_sink_take_memory(&sink, &data, &c->expected_bytes) != WVL_OK) {
        return 0;
    }
    c->expected = data;
    return 1;
}

int picture_case_open(picture_case *c, const picture *p, const char *settings)
{
    const char *why = NULL;
    wvl_context_options options = {.struct_size = sizeof options, .threads = 2};
    char text[1100];
    memset(c, 0, sizeof *c);
    c->input = picture_open_input(p, 0);
    snprintf(text, sizeof text, "device=cpu %s", settings);
    if (wvl_context_create(&options, &c->context) != WVL_OK) {
        return refuse(c, "context");
    }
    c->plan = picture_make_plan(c->context, &c->input.format, text, c->problem, sizeof c->problem);
    if (!c->plan || !encode(c)) {
        return 0;
    }
    why = wvl_assembly_refuses(c->plan);
    if (why || wvl_assembly_build(NULL, c->plan, wvl_assembly_whole(c->plan), &c->assembly, &why) != WVL_OK) {
        return refuse(c, why ? why : "assembly");
    }
    return 1;
}

void picture_case_draw(picture_case *c, const picture_row *r, uint32_t seed)
{
    picture p = picture_draw(r->kind, r->width, r->height, r->count, r->depth, seed);
    if (!picture_case_open(c, &p, r->settings)) {
        ck_abort_msg("%s: %s", r->settings, c->problem);
    }
    fuzz_picture_free(&p);
}

void picture_case_close(picture_case *c)
{
    wvl_assembly_free(NULL, &c->assembly);
    if (c->expected) {
        wvl_memory_release(c->context, c->expected, c->expected_bytes);
    }
    wvl_result_release(c->result);
    wvl_plan_release(c->plan);
    wvl_context_release(c->context);
    picture_close_input(&c->input);
}

/* ---- Device ---------------------------------------------------------------------------------- */

void *picture_read_image(const char *name)
{
    FILE *f = name ? fopen(name, "rb") : NULL;
    void *image = f ? calloc(1, IMAGE_BYTES) : NULL;
    if (f) {
        size_t count = image ? fread(image, 1, IMAGE_BYTES - 1, f) : 0;
        (void)fclose(f);
        if (!count) {
            free(image);
            image = NULL;
        }
    }
    return image;
}

int picture_driver_open(picture_driver *d)
{
    char reason[256] = "";
    wvl_device_options options = {.reason = reason, .reason_bytes = sizeof reason};
    memset(d, 0, sizeof *d);
    d->image = picture_read_image(getenv("WVL_CUDA_TWIN_IMAGE"));
    if ((!d->image && !wvl_cuda_fetch_image()) || !wvl_cuda_fetch_runtime(&d->runtime)) {
        printf("no driver, or no device code in this build\n");
        return 0;
    }
    if (wvl_cuda_open_device(&options, NULL, d->image, &d->device) != WVL_OK) {
        printf("no device: %s\n", reason);
        return 0;
    }
    return !wvl_cuda_enter(d->device);
}

void picture_driver_close(picture_driver *d)
{
    if (d->device) {
        wvl_cuda_leave(d->device);
        wvl_cuda_close_device(d->device);
    }
    free(d->image);
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

static uint64_t count_bytes(const picture_case *c)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < c->input.image.plane_count; i++) {
        const wvl_plane *plane = &c->input.planes[i];
        wvl_rect r = c->plan->syntax.components[i].rect;
        uint64_t at = (uint64_t)((const uint8_t *)plane->data - c->input.samples);
        uint64_t last = at + (uint64_t)plane->pitch_bytes * wvl_rect_height(r);
        end = last > end ? last : end;
    }
    return end;
}

int picture_pixels_open(picture_pixels *pixels, const picture_driver *d, const picture_case *c, wvl_memory_kind kind)
{
    uint64_t bytes = count_bytes(c);
    wvl_cuda_address address = 0;
    memset(pixels, 0, sizeof *pixels);
    pixels->image = c->input.image;
    pixels->image.memory_kind = kind;
    pixels->planes = malloc(c->input.image.plane_count * sizeof *pixels->planes);
    memcpy(pixels->planes, c->input.planes, c->input.image.plane_count * sizeof *pixels->planes);
    pixels->image.planes = pixels->planes;
    if (kind == WVL_MEMORY_HOST) {
        return 1;
    }
    if (kind == WVL_MEMORY_PINNED) {
        if (d->runtime.malloc_pinned(&pixels->memory, bytes, 0)) {
            return 0;
        }
        memcpy(pixels->memory, c->input.samples, bytes);
    } else {
        if (d->runtime.malloc_device(&address, bytes) || d->runtime.upload(address, c->input.samples, bytes, NULL) ||
            d->runtime.stream_wait(NULL)) {
            return 0;
        }
        pixels->memory = (void *)(uintptr_t)address;
    }
    for (uint32_t i = 0; i < pixels->image.plane_count; i++) {
        uint64_t at = (uint64_t)((const uint8_t *)c->input.planes[i].data - c->input.samples);
        pixels->planes[i].data = (uint8_t *)pixels->memory + at;
    }
    return 1;
}

void picture_pixels_close(picture_pixels *pixels, const picture_driver *d)
{
    if (pixels->memory && pixels->image.memory_kind == WVL_MEMORY_PINNED) {
        (void)d->runtime.free_pinned(pixels->memory);
    } else if (pixels->memory) {
        (void)d->runtime.free_device((wvl_cuda_address)(uintptr_t)pixels->memory);
    }
    free(pixels->planes);
}

uint8_t *picture_fetch(const picture_driver *d, const wvl_finished *finished)
{
    uint8_t *bytes = malloc(finished->bytes + 1);
    if (bytes && !finished->on_device) {
        memcpy(bytes, finished->data, finished->bytes);
    } else if (bytes &&
               (d->runtime.download(bytes, (wvl_cuda_address)(uintptr_t)finished->data, finished->bytes, NULL) ||
                d->runtime.stream_wait(NULL))) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}
