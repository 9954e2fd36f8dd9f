/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of options as text: what the files that read and print them share. */
#pragma once

#include "params/table.h"

/* A value on its way into the settings. */
typedef struct wvl_params_reader {
    wvl_params *params;
    const wvl_option *option;
    const wvl_field *field;
    const char *value;        /* all of it, for messages */
    const char *noun, *nouns; /* of lists with / between the entries: what an entry is called, and several */
    uint32_t entry;           /* the one that is read, from 1; 0: the value is no such list */
    wvl_params *scratch;      /* of overrides: the values of an entry */
} wvl_params_reader;

/* A value that is refused leaves the setting as it was. */
wvl_status wvl_params_read_value(wvl_params *params, const wvl_option *option, const wvl_field *field,
                                 const char *value);
/* Into params->text; NULL when memory is short. */
const char *wvl_params_print_value(wvl_params *params, const wvl_option *option, const wvl_field *field);
/* Option number `index` of wvl_options() has this key, or index is the number of options. */
size_t wvl_params_find_key(const char *key, size_t length);

/* Writes the text of a refusal, with the entry of a list that it is about; WVL_ERROR_PARAMETER. */
wvl_status wvl_params_refuse_value(const wvl_params_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
wvl_status wvl_params_out_of_memory(const wvl_params_reader *reader);
/* A number at *p. */
wvl_status wvl_params_scan_real(const wvl_params_reader *reader, const char **p, double *value);

/* ---- Lists ---- */

/* Takes memory for that many elements. 0: there is none. */
int wvl_params_reserve(wvl_params *params, wvl_params_list list, uint64_t count);
/* Copies values[count] into the settings. */
wvl_status wvl_params_store(wvl_params *params, wvl_params_list list, const void *values, uint32_t count);
/* Copies all lists into settings that are a copy, and so point at those of `from`. */
wvl_status wvl_params_copy_lists(const wvl_params *from, wvl_params *to);
void wvl_params_free_lists(wvl_params *params);

/* Reads the element at *p, up to the separator or the end. */
typedef wvl_status (*wvl_params_scan_fn)(const wvl_params_reader *reader, const char **p, void *element);
/* Scans the elements of the value, at most `most`, and when all are legal stores them. */
wvl_status wvl_params_scan_list(wvl_params_reader *reader, wvl_params_list list, uint64_t most, char separator,
                                wvl_params_scan_fn scan);
wvl_status wvl_params_read_targets(wvl_params_reader *reader);
wvl_status wvl_params_read_comment(const wvl_params_reader *reader);
wvl_status wvl_params_read_progressions(wvl_params_reader *reader);
wvl_status wvl_params_read_registration(wvl_params_reader *reader);
wvl_status wvl_params_read_regions(wvl_params_reader *reader);
wvl_status wvl_params_read_overrides(wvl_params_reader *reader);
/* Tn[-m] (tiles from 1) and Cn[-m] (components from 0), either or both or none, at *p. 0: numbers out of range. */
int wvl_params_scan_scope(const char **p, wvl_scope *scope);

/* ISO 15444-1 Table A.19, bit 0 first. */
extern const char *const wvl_params_style_names[WVL_STYLE_COUNT];
/* WVL_ORDER_* */
extern const char *const wvl_params_order_names[5];
/* WVL_DEVICE_* */
extern const char *const wvl_params_device_names[4];

/* By how many letters two names differ: added, left out or replaced. */
unsigned wvl_params_name_distance(const char *a, const char *b);
