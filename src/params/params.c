/* SPDX-License-Identifier: BSD-2-Clause */
/* Params: life and lookup. Values are read in params_value.c and printed in params_print.c, presets are in
 * params_preset.c. */
#include "params/params.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/context.h"
#include "base/intmath.h"
#include "params/table.h"
#include "params/value.h"

static void fail_text(wvl_params *params, const char *key, const char *reason)
{
    snprintf(params->error, sizeof params->error, "%s: %s", key, reason);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static wvl_status set_defaults(wvl_params *params)
{
    size_t count;
    const wvl_option *options = wvl_options(&count);
    for (size_t i = 0; i < count; i++) {
        if (!options[i].initial[0]) {
            continue; /* empty lists, and a fresh object has no others */
        }
        wvl_status status = wvl_params_set(params, options[i].key, options[i].initial);
        if (status) {
            return status;
        }
    }
    params->layers_given = 0;
    return WVL_OK;
}

static wvl_params *create_empty(wvl_context *context)
{
    wvl_params *params = wvl_alloc_zeroed(&context->host, sizeof *params);
    if (params) {
        wvl_context_retain(context);
        params->context = context;
    }
    return params;
}

wvl_status wvl_params_create(wvl_context *context, wvl_params **params)
{
    if (!context || !params) {
        return WVL_ERROR_ARGUMENT;
    }
    *params = create_empty(context);
    if (!*params) {
        return WVL_ERROR_MEMORY;
    }
    wvl_status status = set_defaults(*params);
    if (status) {
        wvl_params_release(*params);
        *params = NULL;
    }
    return status;
}

static wvl_status copy_lists(const wvl_params *from, wvl_params *to)
{
    const wvl_settings *s = &from->settings;
    wvl_status status = wvl_params_store_targets(to, s->layer_values, s->layer_value_count);
    if (!status) {
        status = wvl_params_store_progressions(to, s->progressions, s->progression_count);
    }
    if (!status) {
        status = wvl_params_store_registration(to, s->registration, s->registration_count);
    }
    if (!status && s->custom.entries) {
        const double *const curves[3] = {s->custom.curves, s->custom.curves + s->custom.entries,
                                         s->custom.curves + 2ull * s->custom.entries};
        status = wvl_params_store_color(to, curves, s->custom.entries, s->custom.matrix);
    }
    if (!status) {
        status = wvl_params_store_overrides(to, s->overrides, s->override_count, from->override_text);
    }
    if (!status) {
        status = wvl_params_store_regions(to, s->regions, s->region_count);
    }
    for (uint32_t i = 0; !status && i < s->comment_count; i++) {
        status = wvl_params_store_comment(to, s->comments[i]);
    }
    return status;
}

wvl_status wvl_params_clone(const wvl_params *params, wvl_params **copy)
{
    if (!params || !copy) {
        return WVL_ERROR_ARGUMENT;
    }
    wvl_params *c = *copy = create_empty(params->context);
    if (!c) {
        return WVL_ERROR_MEMORY;
    }
    c->settings = params->settings;
    c->settings.layer_values = NULL;
    c->settings.layer_value_count = 0;
    c->settings.progressions = NULL;
    c->settings.progression_count = 0;
    c->settings.registration = NULL;
    c->settings.registration_count = 0;
    c->settings.overrides = NULL;
    c->settings.override_count = 0;
    c->settings.regions = NULL;
    c->settings.region_count = 0;
    c->settings.comments = NULL;
    c->settings.comment_count = 0;
    c->settings.custom = (wvl_custom_color){0};
    c->layers_given = params->layers_given;
    wvl_status status = copy_lists(params, c);
    if (status) {
        wvl_params_release(c);
        *copy = NULL;
    }
    return status;
}

void wvl_params_release(wvl_params *params)
{
    if (!params) {
        return;
    }
    wvl_context *context = params->context;
    wvl_params_clear_comments(params);
    wvl_params_clear_color(params);
    wvl_free(&context->host, params->settings.comments, params->comment_capacity * sizeof *params->settings.comments);
    wvl_free(&context->host, params->settings.layer_values,
             params->layer_capacity * sizeof *params->settings.layer_values);
    wvl_free(&context->host, params->settings.progressions,
             params->progression_capacity * sizeof *params->settings.progressions);
    wvl_free(&context->host, params->settings.registration,
             params->registration_capacity * sizeof *params->settings.registration);
    wvl_free(&context->host, params->settings.overrides,
             params->override_capacity * sizeof *params->settings.overrides);
    wvl_free(&context->host, params->settings.regions, params->region_capacity * sizeof *params->settings.regions);
    wvl_free(&context->host, params->override_text, params->override_text_capacity);
    wvl_free(&context->host, params->text, params->text_capacity);
    wvl_free(&context->host, params, sizeof *params);
    wvl_context_release(context);
}

const char *wvl_params_error(const wvl_params *params) { return params ? params->error : ""; }

/* ---- Keys ------------------------------------------------------------------------------------ */

#define NAME_CHARS 32u

/* Levenshtein distance; names longer than the row are as far as can be. */
unsigned wvl_params_name_distance(const char *a, const char *b)
{
    unsigned row[NAME_CHARS + 1];
    size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > NAME_CHARS || b_length > NAME_CHARS) {
        return 2 * NAME_CHARS;
    }
    for (unsigned j = 0; j <= b_length; j++) {
        row[j] = j;
    }
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            unsigned replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = wvl_min_u32(replaced, wvl_min_u32(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_length];
}

static const char *nearest_key(const char *key)
{
    size_t count, best = 0;
    const wvl_option *options = wvl_options(&count);
    unsigned least = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        unsigned distance = wvl_params_name_distance(key, options[i].key);
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return options[best].key;
}

/* Index of key, or the number of options. */
static size_t find_key(const char *key)
{
    size_t count, i = 0;
    const wvl_option *options = wvl_options(&count);
    while (i < count && strcmp(options[i].key, key) != 0) {
        i++;
    }
    return i;
}

wvl_status wvl_params_set(wvl_params *params, const char *key, const char *value)
{
    if (!params) {
        return WVL_ERROR_ARGUMENT;
    }
    params->error[0] = '\0';
    if (!key) {
        fail_text(params, "(null)", "no key; give the name of an option");
        return WVL_ERROR_ARGUMENT;
    }
    size_t count, index = find_key(key);
    const wvl_option *options = wvl_options(&count);
    if (index == count) {
        snprintf(params->error, sizeof params->error, "unknown option \"%.64s\"; the nearest is \"%s\"", key,
                 nearest_key(key));
        return WVL_ERROR_PARAMETER;
    }
    const wvl_field *field = &wvl_params_fields()[index];
    if (!value && field->kind != WVL_FIELD_COMMENT) {
        fail_text(params, key, "no value; give one");
        return WVL_ERROR_ARGUMENT;
    }
    return wvl_params_read_value(params, &options[index], field, value ? value : "");
}

const char *wvl_params_get(const wvl_params *params, const char *key)
{
    size_t count;
    const wvl_option *options = wvl_options(&count);
    if (!params || !key) {
        return NULL;
    }
    size_t index = find_key(key);
    if (index == count) {
        return NULL;
    }
    /* The scratch text is the only thing that a get changes. */
    return wvl_params_print_value((wvl_params *)(uintptr_t)params, &options[index], &wvl_params_fields()[index]);
}
