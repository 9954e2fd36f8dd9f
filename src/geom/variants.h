/* SPDX-License-Identifier: BSD-2-Clause */
/* Which codings a picture needs, and which tiles follow which: what the plan is built from. */
#pragma once

#include "geom/settings.h"

typedef struct wvl_variant_table {
    const wvl_allocator *allocator;
    const wvl_settings *settings;
    const wvl_image_format *format;
    wvl_report *report;
    uint8_t peak_depth; /* of the picture */
    uint8_t reach;      /* levels beyond this one see no more of the picture */
    uint32_t tile_cols, tile_rows;
    wvl_coding *codings; /* [0] is the default of the main header */
    uint32_t coding_count;
    wvl_tile_variant *variants; /* [0] is the main header; their `codings` stay unset */
    uint16_t *maps;             /* [variant][component] */
    uint64_t *signatures;       /* of the entries that count for a variant's tiles */
    uint32_t variant_count;
    wvl_tile_choice *choices; /* variants count as in this table */
    uint32_t choice_count;
    uint64_t coding_capacity, variant_capacity, map_capacity, signature_capacity, choice_capacity;
    int short_of_memory;
} wvl_variant_table;

/* Checked settings. 0: no memory, or what the standard forbids (reported). To be closed in any case. */
int wvl_variants_open(wvl_variant_table *table, const wvl_allocator *allocator, const wvl_settings *settings,
                      const wvl_image_format *format, wvl_report *report);
void wvl_variants_close(wvl_variant_table *table);
