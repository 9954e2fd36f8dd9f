/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_PARAMS_VALUE_H
#define WVL_PARAMS_VALUE_H

#include "params/table.h"

/* A value that is refused leaves the setting as it was. */
wvl_status wvl_params_read_value(wvl_params *params, const wvl_option *option, const wvl_field *field,
                                 const char *value);
/* Into params->text; NULL when memory is short. */
const char *wvl_params_print_value(wvl_params *params, const wvl_option *option, const wvl_field *field);

wvl_status wvl_params_store_targets(wvl_params *params, const double *values, uint32_t count);
/* Writes the text of a refusal; WVL_ERROR_PARAMETER. */
wvl_status wvl_params_refuse_value(wvl_params *params, const wvl_option *option, const char *value, const char *reason);
wvl_status wvl_params_read_progressions(wvl_params *params, const wvl_option *option, const wvl_field *field,
                                        const char *value);
wvl_status wvl_params_read_registration(wvl_params *params, const wvl_option *option, const char *value);
wvl_status wvl_params_read_device(wvl_params *params, const wvl_option *option, const char *value);
wvl_status wvl_params_store_progressions(wvl_params *params, const wvl_progression *values, uint32_t count);
wvl_status wvl_params_read_frames(wvl_params *params, const wvl_option *option, const wvl_field *field,
                                  const char *value);
/* count pairs */
wvl_status wvl_params_store_registration(wvl_params *params, const uint16_t *pairs, uint32_t count);
wvl_status wvl_params_store_comment(wvl_params *params, const char *text);
wvl_status wvl_params_read_overrides(wvl_params *params, const wvl_option *option, const wvl_field *field,
                                     const char *value);
/* A copy of those of another object; text may be NULL. */
wvl_status wvl_params_store_overrides(wvl_params *params, const wvl_override *values, uint32_t count, const char *text);
wvl_status wvl_params_read_regions(wvl_params *params, const wvl_option *option, const wvl_field *field,
                                   const char *value);
wvl_status wvl_params_store_regions(wvl_params *params, const wvl_region *values, uint32_t count);
/* Tn[-m] (tiles from 1) and Cn[-m] (components from 0), either or both or none, at *p. 0: numbers out of range. */
int wvl_params_scan_scope(const char **p, wvl_scope *scope);
void wvl_params_clear_comments(wvl_params *params);

/* ISO 15444-1 Table A.19, bit 0 first. */
extern const char *const wvl_params_style_names[WVL_STYLE_COUNT];
/* WVL_ORDER_* */
extern const char *const wvl_params_order_names[5];
/* WVL_DEVICE_* */
extern const char *const wvl_params_device_names[4];

/* By how many letters two names differ: added, left out or replaced. */
unsigned wvl_params_name_distance(const char *a, const char *b);

/* curves: three of `entries` values. */
wvl_status wvl_params_store_color(wvl_params *params, const double *const *curves, uint32_t entries,
                                  const double *matrix);
void wvl_params_clear_color(wvl_params *params);

#endif
