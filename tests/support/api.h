/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects of the interface in one line each: contexts, params from text, plans. What fails ends the test. */
#pragma once

#include "tests/support/owned.h"
#include "tests/support/support.h"
#include "wavelane_rows.h"

/* host: NULL, or where its memory comes from. */
static inline wvl_context *test_open_context_by(const wvl_allocator *host, uint32_t threads)
{
    wvl_context *context;
    wvl_context_options options = {.struct_size = sizeof options, .threads = threads};
    if (host) {
        options.host = *host;
    }
    REQUIRE(wvl_context_create(&options, &context) == WVL_OK);
    return context;
}

static inline wvl_context *test_open_context(uint32_t threads) { return test_open_context_by(NULL, threads); }

/* Sets "key=value key=value ..."; a value may hold no blank; preset=NAME applies one. Returns the status of the first
 * that is refused. */
static inline wvl_status test_try_settings(wvl_params *params, const char *settings)
{
    wvl_status status = WVL_OK;
    while (*settings && status == WVL_OK) {
        size_t length = strcspn(settings, " ");
        OWNED char *key = strndup(settings, length);
        char *value = strchr(key, '=');
        REQUIRE_THAT(value, "\"%s\" is not key=value", key);
        *value++ = 0;
        status = strcmp(key, "preset") ? wvl_params_set(params, key, value) : wvl_params_preset(params, value);
        settings += length;
        settings += strspn(settings, " ");
    }
    return status;
}

static inline wvl_params *test_open_params(wvl_context *context, const char *settings)
{
    wvl_params *params;
    REQUIRE(wvl_params_create(context, &params) == WVL_OK);
    REQUIRE_THAT(test_try_settings(params, settings) == WVL_OK, "%s: %s", settings, wvl_params_error(params));
    return params;
}

static inline wvl_plan *test_open_plan(wvl_context *context, const wvl_image_format *format, const char *settings)
{
    wvl_plan *plan;
    owned_params *params = test_open_params(context, settings);
    REQUIRE_THAT(wvl_plan_create(context, params, format, NULL, &plan) == WVL_OK, "%s: %s", settings,
                 wvl_context_error(context));
    return plan;
}

/* Write of a sink that keeps nothing, and refuses pieces without bytes. */
static inline int test_swallow(void *user, const void *data, size_t bytes)
{
    (void)user, (void)data;
    return !bytes;
}

/* A source of rows of zeros: one component of bytes. */
static inline wvl_status test_read_zeros(void *user, const wvl_row_buffer *buffers, uint32_t count, char *error,
                                         size_t error_bytes)
{
    (void)user, (void)error, (void)error_bytes;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t row = 0; row < buffers[i].row_count; row++) {
            memset((uint8_t *)buffers[i].data + row * buffers[i].pitch_bytes, 0, buffers[i].row_bytes);
        }
    }
    return WVL_OK;
}

static const wvl_row_component test_zeros_component = {.container = WVL_SAMPLE_8};
static const wvl_row_source test_zeros = {.struct_size = sizeof test_zeros,
                                          .components = &test_zeros_component,
                                          .component_count = 1,
                                          .read = test_read_zeros};
