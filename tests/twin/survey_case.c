/* SPDX-License-Identifier: BSD-2-Clause */
#include "survey_case.h"

#include "tests/support/support.h"

static void set_all(wvl_params *params, const char *settings)
{
    char text[256], *rest = NULL;
    snprintf(text, sizeof text, "%s", settings);
    for (char *key = strtok_r(text, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(key, '=');
        *value++ = 0;
        REQUIRE_THAT(wvl_params_set(params, key, value) == WVL_OK, "%s=%s", key, value);
    }
}

static void carve_wave(survey_case *c)
{
    wvl_carver carver = {NULL, 0};
    wvl_wave_carve(c->plan, &carver, &c->wave);
    c->memory = aligned_alloc(64, (carver.used + 63) / 64 * 64);
    memset(c->memory, 0, carver.used);
    carver = (wvl_carver){c->memory, 0};
    wvl_wave_carve(c->plan, &carver, &c->wave);
    c->tiles = wvl_wave_build(c->plan, 0, c->wave.tiles);
    REQUIRE(c->tiles == c->plan->syntax.tile_count);
}

void survey_open_plan(survey_case *c, uint32_t width, uint32_t height, uint32_t components, const char *settings)
{
    wvl_component_format formats[3] = {
        {.depth = 8, .dx = 1, .dy = 1}, {.depth = 8, .dx = 1, .dy = 1}, {.depth = 8, .dx = 1, .dy = 1}};
    wvl_image_format format = {
        .struct_size = sizeof format, .x1 = width, .y1 = height, .component_count = components, .components = formats};
    wvl_context_options options = {.struct_size = sizeof options, .threads = 2};
    memset(c, 0, sizeof *c);
    REQUIRE(wvl_context_create(&options, &c->context) == WVL_OK);
    REQUIRE(wvl_params_create(c->context, &c->params) == WVL_OK);
    set_all(c->params, settings);
    REQUIRE_THAT(wvl_plan_create(c->context, c->params, &format, NULL, &c->plan) == WVL_OK, "%s",
                 wvl_context_error(c->context));
    carve_wave(c);
}

/* Smooth, with edges, and noise that grows to the right. */
static uint8_t *draw(uint32_t width, uint32_t height, uint32_t noise)
{
    uint8_t *samples = malloc((size_t)width * height);
    uint32_t rng = 1;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            rng = rng * 1664525u + 1013904223u;
            uint32_t edge = (x / 40 + y / 56) % 3 * 40, bend = (x * y >> 13) % 40;
            samples[(size_t)y * width + x] = (uint8_t)(50 + edge + bend + (rng >> 24) % (1 + noise * x / width));
        }
    }
    return samples;
}

void survey_open_picture(survey_case *c, uint32_t width, uint32_t height, uint32_t components, uint32_t noise)
{
    const wvl_backend_vtable *table = wvl_backend_fetch_host();
    wvl_backend_options options = {&c->plan->context->host, c->plan->context->pool, NULL, NULL, NULL};
    uint8_t *samples = draw(width, height, noise);
    wvl_plane planes[3];
    for (uint32_t i = 0; i < components; i++) {
        planes[i] = (wvl_plane){.data = samples, .pitch_bytes = width, .container = WVL_SAMPLE_8};
    }
    wvl_image image = {.struct_size = sizeof image, .plane_count = components, .planes = planes};
    REQUIRE(table->open(&options, &c->backend) == WVL_OK);
    REQUIRE(wvl_backend_prepare_tiles(table, c->backend, c->plan->context->pool, c->plan, c->wave.tiles, c->tiles) ==
            WVL_OK);
    REQUIRE(table->submit(c->backend, &image, c->wave.tiles, c->tiles, &c->job) == WVL_OK);
    REQUIRE(table->wait(c->job, WVL_EVENT_DONE, UINT32_MAX) == WVL_OK);
    REQUIRE(table->collect(c->job, c->wave.coefs) == WVL_OK);
    free(samples);
    wvl_coder_options coding = {
        .allocator = &c->plan->context->host, .plan = c->plan, .pool = c->plan->context->pool, .rank = 1};
    c->coder = calloc(1, sizeof *c->coder);
    REQUIRE(wvl_coder_init(c->coder, &coding) == WVL_OK);
}

void survey_close(survey_case *c)
{
    if (c->coder) {
        wvl_coder_fini(c->coder);
        wvl_backend_fetch_host()->release(c->job);
        wvl_backend_fetch_host()->close(c->backend);
        free(c->coder);
    }
    free(c->memory);
    wvl_plan_release(c->plan);
    wvl_params_release(c->params);
    wvl_context_release(c->context);
}
