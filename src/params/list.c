/* SPDX-License-Identifier: BSD-2-Clause */
#include "params/list.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/context.h"
#include "base/try.h"

wvl_status wvl_params_refuse_entry(const wvl_params_list *list, const char *format, ...)
{
    char reason[640];
    va_list args;
    va_start(args, format);
    int n = snprintf(reason, sizeof reason, "%s %" PRIu32 ": ", list->noun, list->entry);
    vsnprintf(reason + n, sizeof reason - (size_t)n, format, args);
    va_end(args);
    return wvl_params_refuse_value(list->params, list->option, list->value, reason);
}

static wvl_status scan_entries(wvl_params_list *list, size_t element_bytes, wvl_params_scan_fn scan, char *elements,
                               uint32_t *count)
{
    for (const char *p = list->value; *p;) {
        list->entry = *count + 1;
        wvl_status status = scan(list, &p, elements + *count * element_bytes);
        if (status) {
            return status;
        }
        ++*count;
        if (*p && !p[1]) {
            return wvl_params_refuse_entry(list, "an entry is missing after the last /");
        }
        p += *p == '/';
    }
    return WVL_OK;
}

wvl_status wvl_params_scan_list(wvl_params_list *list, uint64_t most, size_t element_bytes, wvl_params_scan_fn scan,
                                wvl_params_keep_fn keep)
{
    const wvl_allocator *host = &list->params->context->host;
    uint64_t bound = list->value[0] ? 1 : 0;
    uint32_t count = 0;
    for (const char *p = list->value; *p; p++) {
        bound += *p == '/';
    }
    if (bound > most) {
        char reason[96];
        snprintf(reason, sizeof reason, "%" PRIu64 " %s; %" PRIu64 " are supported", bound, list->nouns, most);
        return wvl_params_refuse_value(list->params, list->option, list->value, reason);
    }
    void *elements = wvl_alloc(host, bound * element_bytes);
    wvl_status status = elements ? scan_entries(list, element_bytes, scan, elements, &count) : WVL_ERROR_MEMORY;
    TRY(status, keep(list, elements, count));
    if (status == WVL_ERROR_MEMORY) {
        snprintf(list->params->error, sizeof list->params->error, "%s: out of memory", list->option->key);
    }
    wvl_free(host, elements, bound * element_bytes);
    return status;
}
