/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads progression order changes and component registration. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/context.h"
#include "params/list.h"
#include "params/number.h"

const char *const wvl_params_order_names[5] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};

typedef struct reader {
    wvl_params *params;
    const wvl_option *option;
    const char *value;
} reader;

static wvl_status refuse(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static wvl_status refuse(const reader *r, const char *format, ...)
{
    char reason[256];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return wvl_params_refuse_value(r->params, r->option, r->value, reason);
}

static wvl_status out_of_memory(const reader *r)
{
    snprintf(r->params->error, sizeof r->params->error, "%s: out of memory", r->option->key);
    return WVL_ERROR_MEMORY;
}

static uint64_t count_chars(const char *value, char c)
{
    uint64_t count = 0;
    for (; *value; value++) {
        count += *value == c;
    }
    return count;
}

/* ---- Progression order changes --------------------------------------------------------------- */

wvl_status wvl_params_store_progressions(wvl_params *params, const wvl_progression *values, uint32_t count)
{
    void *array = params->settings.progressions;
    if (!wvl_grow(&params->context->host, &array, &params->progression_capacity, count, sizeof *values)) {
        return WVL_ERROR_MEMORY;
    }
    params->settings.progressions = array;
    params->settings.progression_count = count;
    if (count) {
        memcpy(array, values, count * sizeof *values);
    }
    return WVL_OK;
}

/* [Tn=]RS,CS,LYE,RE,CE,ORDER. The numbers fit their fields (A.6.6); the plan checks them against each other and the
 * picture. */
static wvl_status scan_progression(const wvl_params_list *list, const char **p, void *element)
{
    wvl_progression *v = element;
    static const struct {
        const char *name;
        unsigned most;
    } parts[5] = {{"RS", 32}, {"CS", 16383}, {"LYE", 65535}, {"RE", 33}, {"CE", 16384}};
    uint64_t n[5], tile = 0;
    if (**p == 'T' || **p == 't') {
        ++*p;
        if (wvl_number_scan_unsigned(p, &tile) || tile < 1 || tile > 65535 || *(*p)++ != '=') {
            return wvl_params_refuse_entry(list, "expected T, a tile from 1 to 65535, and =");
        }
    }
    for (unsigned i = 0; i < 5; i++) {
        if (wvl_number_scan_unsigned(p, &n[i]) || n[i] > parts[i].most || *(*p)++ != ',') {
            return wvl_params_refuse_entry(list, "expected RS,CS,LYE,RE,CE,ORDER with %s from 0 to %u (A.6.6)",
                                           parts[i].name, parts[i].most);
        }
    }
    size_t length = strcspn(*p, "/");
    uint8_t order = 0;
    while (order < 5 && (length != 4 || strncasecmp(*p, wvl_params_order_names[order], 4) != 0)) {
        order++;
    }
    if (order == 5) {
        return wvl_params_refuse_entry(list, "expected LRCP, RLCP, RPCL, PCRL or CPRL at \"%.32s\"", *p);
    }
    *p += length;
    *v = (wvl_progression){tile ? (uint32_t)tile - 1 : WVL_ALL_TILES,
                           (uint32_t)n[1],
                           (uint32_t)n[4],
                           (uint32_t)n[2],
                           (uint8_t)n[0],
                           (uint8_t)n[3],
                           order};
    return WVL_OK;
}

static wvl_status keep_progressions(const wvl_params_list *list, const void *progressions, uint32_t count)
{
    return wvl_params_store_progressions(list->params, progressions, count);
}

wvl_status wvl_params_read_progressions(wvl_params *params, const wvl_option *option, const wvl_field *field,
                                        const char *value)
{
    wvl_params_list list = {params, option, value, "change", "changes", NULL, 1};
    return wvl_params_scan_list(&list, field->maximum, sizeof(wvl_progression), scan_progression, keep_progressions);
}

/* ---- Registration ---------------------------------------------------------------------------- */

wvl_status wvl_params_store_registration(wvl_params *params, const uint16_t *pairs, uint32_t count)
{
    void *array = params->settings.registration;
    if (!wvl_grow(&params->context->host, &array, &params->registration_capacity, 2ull * count, sizeof *pairs)) {
        return WVL_ERROR_MEMORY;
    }
    params->settings.registration = array;
    params->settings.registration_count = count;
    if (count) {
        memcpy(array, pairs, 2ull * count * sizeof *pairs);
    }
    return WVL_OK;
}

static int scan_pair(const char **p, uint64_t v[2])
{
    return *(*p)++ == '[' && !wvl_number_scan_unsigned(p, &v[0]) && *(*p)++ == ',' &&
           !wvl_number_scan_unsigned(p, &v[1]) && *(*p)++ == ']' && v[0] <= 65535 && v[1] <= 65535;
}

static wvl_status scan_registration(const reader *r, uint16_t *pairs, uint32_t *count)
{
    for (const char *p = r->value; *p;) {
        uint64_t v[2];
        if (!scan_pair(&p, v) || (*p && (*p != ',' || !p[1]))) {
            return refuse(r, "expected [x,y],[x,y],... with numbers from 0 to 65535 (A.9.1)");
        }
        pairs[2 * *count] = (uint16_t)v[0];
        pairs[2 * *count + 1] = (uint16_t)v[1];
        ++*count;
        p += *p == ',';
    }
    return WVL_OK;
}

wvl_status wvl_params_read_registration(wvl_params *params, const wvl_option *option, const char *value)
{
    const reader reading = {params, option, value}, *r = &reading;
    const wvl_allocator *host = &params->context->host;
    uint64_t bytes = 2 * count_chars(value, '[') * sizeof(uint16_t);
    uint32_t count = 0;
    if (bytes > 4 * 16384) {
        return refuse(r, "more than 16384 components (A.5.1)");
    }
    uint16_t *pairs = wvl_alloc(host, bytes);
    if (!pairs) {
        return out_of_memory(r);
    }
    wvl_status status = scan_registration(r, pairs, &count);
    if (!status && wvl_params_store_registration(params, pairs, count)) {
        status = out_of_memory(r);
    }
    wvl_free(host, pairs, bytes);
    return status;
}

/* ---- Device ---------------------------------------------------------------------------------- */

const char *const wvl_params_device_names[4] = {"auto", "cpu", "cuda", "cuda-only"};

/* What stands behind "cuda" or "cuda-only": "", ":all" or ":N,N,...". 0: it is something else. */
static int scan_devices(const char *p, uint32_t *set)
{
    uint64_t ordinal;
    *set = strcasecmp(p, ":all") ? 0 : WVL_DEVICE_EVERY;
    if (!*p || *set) {
        return 1;
    }
    do {
        p++;
        if (wvl_number_scan_unsigned(&p, &ordinal) || ordinal > WVL_DEVICE_ORDINAL_MAX) {
            return 0;
        }
        *set |= UINT32_C(1) << ordinal;
    } while (*p == ',');
    return !*p;
}

wvl_status wvl_params_read_device(wvl_params *params, const wvl_option *option, const char *value)
{
    size_t length = strcspn(value, ":");
    uint32_t set = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (strlen(wvl_params_device_names[i]) != length ||
            strncasecmp(wvl_params_device_names[i], value, length) != 0) {
            continue;
        }
        if (value[length] && (i < WVL_DEVICE_CUDA || !scan_devices(value + length, &set))) {
            break;
        }
        params->settings.device = (uint8_t)i;
        params->settings.device_set = set;
        return WVL_OK;
    }
    return wvl_params_refuse_value(params, option, value,
                                   "expected auto, cpu, cuda or cuda-only, the last two also with :N, :N,N,... or "
                                   ":all behind it, N from 0 to 15");
}
