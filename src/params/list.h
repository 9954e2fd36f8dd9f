/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that are lists of entries with / between them: regions, overrides, progression changes. */
#ifndef WVL_PARAMS_LIST_H
#define WVL_PARAMS_LIST_H

#include "params/value.h"

typedef struct wvl_params_list {
    wvl_params *params;
    const wvl_option *option;
    const char *value;
    const char *noun, *nouns; /* what an entry is called, and several */
    wvl_params *scratch;      /* for the one who scans */
    uint32_t entry;           /* the one that is scanned, from 1 */
} wvl_params_list;

/* Reads the entry at *p, up to the next / or the end. */
typedef wvl_status (*wvl_params_scan_fn)(const wvl_params_list *list, const char **p, void *element);
typedef wvl_status (*wvl_params_keep_fn)(const wvl_params_list *list, const void *elements, uint32_t count);

/* Says which entry it is about. */
wvl_status wvl_params_refuse_entry(const wvl_params_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Scans at most `most` entries, and when all are legal hands them to keep. */
wvl_status wvl_params_scan_list(wvl_params_list *list, uint64_t most, size_t element_bytes, wvl_params_scan_fn scan,
                                wvl_params_keep_fn keep);

#endif
