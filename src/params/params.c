/* SPDX-License-Identifier: BSD-2-Clause */
/* Params: life, colour tables of the caller, and keys. Values are read in value.c and printed in print.c. */
#include "params/params.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/context.h"
#include "base/structs.h"
#include "base/try.h"
#include "params/value.h"

#define ENTRIES_MOST 65536u
#define MATRIX_MOST 16.0

static wvl_status fail_text(wvl_params *params, wvl_status status, const char *key, const char *reason)
{
    snprintf(params->error, sizeof params->error, "%s: %s", key, reason);
    return status;
}

/* ---- Colour tables --------------------------------------------------------------------------- */

static void clear_color(wvl_params *params)
{
    wvl_custom_color *custom = &params->settings.custom;
    wvl_free(&params->context->host, custom->curves, (uint64_t)3 * custom->entries * sizeof *custom->curves);
    memset(custom, 0, sizeof *custom);
}

static wvl_status store_color(wvl_params *params, const double *const *curves, uint32_t entries, const double *matrix)
{
    wvl_custom_color *custom = &params->settings.custom;
    double *copy = wvl_alloc(&params->context->host, (uint64_t)3 * entries * sizeof *copy);
    if (!copy) {
        return fail_text(params, WVL_ERROR_MEMORY, "color", "not enough memory");
    }
    for (unsigned i = 0; i < 3; i++) {
        memcpy(copy + (uint64_t)i * entries, curves[i], entries * sizeof *copy);
    }
    clear_color(params);
    custom->entries = entries;
    custom->curves = copy;
    memcpy(custom->matrix, matrix, sizeof custom->matrix);
    return WVL_OK;
}

/* Written so that a NaN is outside. */
static int is_within(double value, double least, double most) { return value >= least && value <= most; }

wvl_status wvl_params_set_color(wvl_params *params, const wvl_color_tables *given)
{
    wvl_color_tables tables;
    if (!params ||
        (given && !wvl_struct_read(&tables, sizeof tables, given, WVL_STRUCT_UNTIL(wvl_color_tables, matrix)))) {
        return WVL_ERROR_ARGUMENT;
    }
    params->error[0] = '\0';
    if (!given) {
        clear_color(params);
        params->settings.input_color = WVL_INPUT_AS_IS;
        return WVL_OK;
    }
    if (tables.entries < 2 || tables.entries > ENTRIES_MOST) {
        return fail_text(params, WVL_ERROR_PARAMETER, "color", "curves of 2 to 65536 entries are supported");
    }
    for (unsigned i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < tables.entries; k++) {
            if (!tables.curve[i] || !is_within(tables.curve[i][k], 0.0, 1.0)) {
                return fail_text(params, WVL_ERROR_PARAMETER, "color",
                                 "every curve must be given, with values from 0 to 1");
            }
        }
    }
    for (unsigned i = 0; i < 9; i++) {
        if (!is_within(tables.matrix[i], -MATRIX_MOST, MATRIX_MOST)) {
            return fail_text(params, WVL_ERROR_PARAMETER, "color", "matrix elements must lie between -16 and 16");
        }
    }
    wvl_status status = store_color(params, (const double *const *)tables.curve, tables.entries, tables.matrix);
    if (status == WVL_OK) {
        params->settings.input_color = WVL_INPUT_CUSTOM;
    }
    return status;
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

wvl_status wvl_params_clone(const wvl_params *params, wvl_params **copy)
{
    if (!params || !copy) {
        return WVL_ERROR_ARGUMENT;
    }
    wvl_params *c = *copy = create_empty(params->context);
    if (!c) {
        return WVL_ERROR_MEMORY;
    }
    const wvl_custom_color *custom = &params->settings.custom;
    c->settings = params->settings;
    c->settings.custom = (wvl_custom_color){0};
    c->layers_given = params->layers_given;
    wvl_status status = wvl_params_copy_lists(params, c);
    if (custom->entries) {
        const double *const curves[3] = {custom->curves, custom->curves + custom->entries,
                                         custom->curves + 2ull * custom->entries};
        TRY(status, store_color(c, curves, custom->entries, custom->matrix));
    }
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
    clear_color(params);
    wvl_params_free_lists(params);
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

size_t wvl_params_find_key(const char *key, size_t length)
{
    size_t count, i = 0;
    const wvl_option *options = wvl_options(&count);
    while (i < count && (strlen(options[i].key) != length || memcmp(options[i].key, key, length) != 0)) {
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
        return fail_text(params, WVL_ERROR_ARGUMENT, "(null)", "no key; give the name of an option");
    }
    size_t count, index = wvl_params_find_key(key, strlen(key));
    const wvl_option *options = wvl_options(&count);
    if (index == count) {
        snprintf(params->error, sizeof params->error, "unknown option \"%.64s\"; the nearest is \"%s\"", key,
                 nearest_key(key));
        return WVL_ERROR_PARAMETER;
    }
    const wvl_field *field = &wvl_params_fields()[index];
    if (!value && field->kind != WVL_FIELD_COMMENT) {
        return fail_text(params, WVL_ERROR_ARGUMENT, key, "no value; give one");
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
    size_t index = wvl_params_find_key(key, strlen(key));
    if (index == count) {
        return NULL;
    }
    /* The scratch text is the only thing that a get changes. */
    return wvl_params_print_value((wvl_params *)(uintptr_t)params, &options[index], &wvl_params_fields()[index]);
}
