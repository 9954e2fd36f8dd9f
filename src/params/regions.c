/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads regions of interest: entries of a scope, a rectangle and a shift. */
#include <string.h>

#include "base/alloc.h"
#include "base/context.h"
#include "params/list.h"
#include "params/number.h"

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

static wvl_status scan_rectangle(const wvl_params_list *list, const char **p, wvl_region *region)
{
    uint64_t n[4];
    if (!scan_numbers(p, n, 4, UINT32_MAX) || !n[2] || !n[3] || n[0] + n[2] > UINT32_MAX || n[1] + n[3] > UINT32_MAX) {
        return wvl_params_refuse_entry(
            list, "expected rect=x,y,width,height on the reference grid, below 2^32 and not empty");
    }
    region->is_whole = 0;
    region->rect = (wvl_rect){(uint32_t)n[0], (uint32_t)n[1], (uint32_t)(n[0] + n[2]), (uint32_t)(n[1] + n[3])};
    return WVL_OK;
}

/* rect=, U= or c=, the last two as opj_compress has them. */
static wvl_status scan_item(const wvl_params_list *list, const char **p, wvl_region *region)
{
    uint64_t n = 0;
    if (starts_with(p, "rect=")) {
        return scan_rectangle(list, p, region);
    }
    if (starts_with(p, "U=") || starts_with(p, "u=")) {
        region->shift_given = 1;
        if (!scan_numbers(p, &n, 1, 255)) {
            return wvl_params_refuse_entry(list, "expected U= and a shift from 0 to 255 (A.6.3)");
        }
        region->shift = (uint8_t)n;
        return WVL_OK;
    }
    if (starts_with(p, "c=") && !wvl_scope_names_component(&region->scope) && scan_numbers(p, &n, 1, 16383)) {
        region->scope.component_first = (uint32_t)n;
        region->scope.component_end = (uint32_t)n + 1;
        return WVL_OK;
    }
    return wvl_params_refuse_entry(list, "expected rect=x,y,width,height, U=shift or c=component at \"%.32s\"", *p);
}

static wvl_status scan_entry(const wvl_params_list *list, const char **p, void *element)
{
    wvl_region *region = element;
    memset(region, 0, sizeof *region);
    region->is_whole = 1;
    int has_scope = **p == 'T' || **p == 't' || **p == 'C' || (**p == 'c' && (*p)[1] != '=');
    if (has_scope && (!wvl_params_scan_scope(p, &region->scope) || *(*p)++ != ':')) {
        return wvl_params_refuse_entry(
            list, "expected T and tiles from 1 to 65535, C and components from 0 to 16383, or both, and a colon");
    }
    for (;;) {
        wvl_status status = scan_item(list, p, region);
        if (status) {
            return status;
        }
        if (!**p || **p == '/') {
            return region->is_whole && !region->shift_given
                       ? wvl_params_refuse_entry(list, "whole components need a shift, U=N (A.6.3)")
                       : WVL_OK;
        }
        if (**p != ';' && **p != ',') {
            return wvl_params_refuse_entry(list, "expected ; or , at \"%.32s\"", *p);
        }
        ++*p;
    }
}

static wvl_status keep(const wvl_params_list *list, const void *regions, uint32_t count)
{
    return wvl_params_store_regions(list->params, regions, count);
}

wvl_status wvl_params_read_regions(wvl_params *params, const wvl_option *option, const wvl_field *field,
                                   const char *value)
{
    wvl_params_list list = {params, option, value, "entry", "entries", NULL, 1};
    return wvl_params_scan_list(&list, field->maximum, sizeof(wvl_region), scan_entry, keep);
}
