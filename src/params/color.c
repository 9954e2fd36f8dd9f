/* SPDX-License-Identifier: BSD-2-Clause */
/* Colour tables from the caller. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/context.h"
#include "base/structs.h"
#include "params/value.h"

#define ENTRIES_MOST 65536u
#define MATRIX_MOST 16.0

void wvl_params_clear_color(wvl_params *params)
{
    wvl_custom_color *custom = &params->settings.custom;
    wvl_free(&params->context->host, custom->curves, (uint64_t)3 * custom->entries * sizeof *custom->curves);
    memset(custom, 0, sizeof *custom);
}

wvl_status wvl_params_store_color(wvl_params *params, const double *const *curves, uint32_t entries,
                                  const double *matrix)
{
    wvl_custom_color *custom = &params->settings.custom;
    double *copy = wvl_alloc(&params->context->host, (uint64_t)3 * entries * sizeof *copy);
    if (!copy) {
        snprintf(params->error, sizeof params->error, "color: not enough memory");
        return WVL_ERROR_MEMORY;
    }
    for (unsigned i = 0; i < 3; i++) {
        memcpy(copy + (uint64_t)i * entries, curves[i], entries * sizeof *copy);
    }
    wvl_params_clear_color(params);
    custom->entries = entries;
    custom->curves = copy;
    memcpy(custom->matrix, matrix, sizeof custom->matrix);
    return WVL_OK;
}

static wvl_status refuse(wvl_params *params, const char *reason)
{
    snprintf(params->error, sizeof params->error, "color: %s", reason);
    return WVL_ERROR_PARAMETER;
}

/* Written so that a NaN is outside. */
static int is_within(double value, double least, double most) { return value >= least && value <= most; }

wvl_status wvl_params_set_color(wvl_params *params, const wvl_color_tables *given)
{
    wvl_color_tables known, *tables = &known;
    if (!params ||
        (given && !wvl_struct_read(&known, sizeof known, given, WVL_STRUCT_UNTIL(wvl_color_tables, matrix)))) {
        return WVL_ERROR_ARGUMENT;
    }
    params->error[0] = '\0';
    if (!given) {
        wvl_params_clear_color(params);
        params->settings.input_color = WVL_INPUT_AS_IS;
        return WVL_OK;
    }
    if (tables->entries < 2 || tables->entries > ENTRIES_MOST) {
        return refuse(params, "curves of 2 to 65536 entries are supported");
    }
    for (unsigned i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < tables->entries; k++) {
            if (!tables->curve[i] || !is_within(tables->curve[i][k], 0.0, 1.0)) {
                return refuse(params, "every curve must be given, with values from 0 to 1");
            }
        }
    }
    for (unsigned i = 0; i < 9; i++) {
        if (!is_within(tables->matrix[i], -MATRIX_MOST, MATRIX_MOST)) {
            return refuse(params, "matrix elements must lie between -16 and 16");
        }
    }
    wvl_status status =
        wvl_params_store_color(params, (const double *const *)tables->curve, tables->entries, tables->matrix);
    if (status == WVL_OK) {
        params->settings.input_color = WVL_INPUT_CUSTOM;
    }
    return status;
}
