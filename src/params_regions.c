/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads regions of interest: entries of a scope, a rectangle and a shift. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "context.h"
#include "params_number.h"
#include "params_value.h"

typedef struct reader {
    wvl_params *params;
    const wvl_option *option;
    const char *value;
    uint32_t entry; /* from 1 */
} reader;

static wvl_status refuse(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static wvl_status refuse(const reader *r, const char *format, ...)
{
    char reason[256];
    va_list args;
    va_start(args, format);
    int n = snprintf(reason, sizeof reason, "entry %" PRIu32 ": ", r->entry);
    (void)vsnprintf(reason + n, sizeof reason - (size_t)n, format, args);
    va_end(args);
    return wvl_params_refuse_value(r->params, r->option, r->value, reason);
}

wvl_status wvl_params_store_regions(wvl_params *params, const wvl_region *values, uint32_t count)
{
    void *array = params->settings.regions;
    if (!wvl_grow(&params->context->host, &array, &params->region_capacity, count, sizeof *values)) {
        return WVL_ERROR_MEMORY;
    }
    params->settings.regions = array;
    params->settings.region_count = count;
    if (count) {
        memcpy(array, values, count * sizeof *values);
    }
    return WVL_OK;
}

/* count numbers up to `most`, separated by commas. */
static int scan_numbers(const char **p, uint64_t *numbers, int count, uint64_t most)
{
    for (int i = 0; i < count; i++) {
        if ((i && *(*p)++ != ',') || wvl_number_scan_unsigned(p, &numbers[i]) || numbers[i] > most) {
            return 0;
        }
    }
    return 1;
}

static int starts_with(const char **p, const char *word)
{
    size_t n = strlen(word);
    int same = !strncmp(*p, word, n);
    *p += same ? n : 0;
    return same;
}

static wvl_status scan_rectangle(const reader *r, const char **p, wvl_region *region)
{
    uint64_t n[4];
    if (!scan_numbers(p, n, 4, UINT32_MAX) || !n[2] || !n[3] || n[0] + n[2] > UINT32_MAX || n[1] + n[3] > UINT32_MAX) {
        return refuse(r, "expected rect=x,y,width,height on the reference grid, below 2^32 and not empty");
    }
    region->is_whole = 0;
    region->rect = (wvl_rect){(uint32_t)n[0], (uint32_t)n[1], (uint32_t)(n[0] + n[2]), (uint32_t)(n[1] + n[3])};
    return WVL_OK;
}

/* rect=, U= or c=, the last two as opj_compress has them. */
static wvl_status scan_item(const reader *r, const char **p, wvl_region *region)
{
    uint64_t n = 0;
    if (starts_with(p, "rect=")) {
        return scan_rectangle(r, p, region);
    }
    if (starts_with(p, "U=") || starts_with(p, "u=")) {
        region->shift_given = 1;
        if (!scan_numbers(p, &n, 1, 255)) {
            return refuse(r, "expected U= and a shift from 0 to 255 (A.6.3)");
        }
        region->shift = (uint8_t)n;
        return WVL_OK;
    }
    if (starts_with(p, "c=") && !wvl_scope_names_component(&region->scope) && scan_numbers(p, &n, 1, 16383)) {
        region->scope.component_first = (uint32_t)n;
        region->scope.component_end = (uint32_t)n + 1;
        return WVL_OK;
    }
    return refuse(r, "expected rect=x,y,width,height, U=shift or c=component at \"%.32s\"", *p);
}

static wvl_status scan_entry(const reader *r, const char **p, wvl_region *region)
{
    memset(region, 0, sizeof *region);
    region->is_whole = 1;
    int has_scope = **p == 'T' || **p == 't' || **p == 'C' || (**p == 'c' && (*p)[1] != '=');
    if (has_scope && (!wvl_params_scan_scope(p, &region->scope) || *(*p)++ != ':')) {
        return refuse(r, "expected T and tiles from 1 to 65535, C and components from 0 to 16383, or both, and a colon");
    }
    for (;;) {
        wvl_status status = scan_item(r, p, region);
        if (status) {
            return status;
        }
        if (!**p || **p == '/') {
            return region->is_whole && !region->shift_given ? refuse(r, "whole components need a shift, U=N (A.6.3)") : WVL_OK;
        }
        if (**p != ';' && **p != ',') {
            return refuse(r, "expected ; or , at \"%.32s\"", *p);
        }
        ++*p;
    }
}

static wvl_status scan_entries(reader *r, wvl_region *values, uint32_t *count)
{
    for (const char *p = r->value; *p;) {
        r->entry = *count + 1;
        wvl_status status = scan_entry(r, &p, &values[(*count)++]);
        if (status) {
            return status;
        }
        if (*p && !p[1]) {
            return refuse(r, "an entry is missing behind the last /");
        }
        p += *p == '/';
    }
    return WVL_OK;
}

wvl_status wvl_params_read_regions(wvl_params *params, const wvl_option *option, const wvl_field *field, const char *value)
{
    const wvl_allocator *host = &params->context->host;
    reader r = {params, option, value, 1};
    uint64_t bound = value[0] ? 1 : 0;
    for (const char *p = value; *p; p++) {
        bound += *p == '/';
    }
    if (bound > field->maximum) {
        return refuse(&r, "%" PRIu64 " entries; %" PRIu64 " are supported", bound, field->maximum);
    }
    wvl_region *values = wvl_alloc(host, bound * sizeof *values);
    uint32_t count = 0;
    wvl_status status = values ? scan_entries(&r, values, &count) : WVL_ERROR_MEMORY;
    status = status ? status : wvl_params_store_regions(params, values, count);
    if (status == WVL_ERROR_MEMORY) {
        (void)snprintf(params->error, sizeof params->error, "%s: out of memory", option->key);
    }
    wvl_free(host, values, bound * sizeof *values);
    return status;
}
