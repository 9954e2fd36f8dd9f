/* SPDX-License-Identifier: BSD-2-Clause */
/* TLM, PLM, PPM, and the numbering of marker segments that continue each other (A.7). */
#include <stdlib.h>

#include "walk.h"

void wvl_check_add_series(wvl_walk *w, wvl_walk_list *series, wvl_walk_segment *s)
{
    int is_plt = s->marker == 0xFF58;
    if (s->left < 2) {
        wvl_check_fail(w, is_plt ? WVL_RULE_PLT_LENGTH : WVL_RULE_PPT_LENGTH, s->offset, "%s has a length of %llu",
                       is_plt ? "PLT" : "PPT", (unsigned long long)s->length);
        return;
    }
    wvl_walk_series_item item = {s->p[0], s->offset, s->offset + 5, (uint32_t)s->left - 1};
    (void)wvl_check_push(w, series, &item, sizeof item);
}

static int by_index(const void *a, const void *b)
{
    const wvl_walk_series_item *p = a, *q = b;
    if (p->index != q->index) {
        return p->index < q->index ? -1 : 1;
    }
    return p->offset < q->offset ? -1 : p->offset > q->offset;
}

void wvl_check_settle_series(wvl_walk *w, wvl_walk_list *series, wvl_check_rule_id rule, unsigned first,
                             const char *name)
{
    wvl_walk_series_item *items = series->items;
    if (series->count) {
        qsort(items, series->count, sizeof *items, by_index);
    }
    for (size_t i = 0; i < series->count; i++) {
        if (items[i].index != ((first + i) & 0xFF)) {
            wvl_check_fail(w, rule, items[i].offset, "Z%s is %u, %zu is expected", name, items[i].index,
                           (first + i) & 0xFF);
            return;
        }
    }
}

static void add_item(wvl_walk *w, wvl_walk_list *series, const wvl_walk_segment *s)
{
    wvl_walk_series_item item = {s->p[0], s->offset, s->offset + 5, (uint32_t)s->left - 1};
    (void)wvl_check_push(w, series, &item, sizeof item);
}

void wvl_check_read_tlm(wvl_walk *w, wvl_walk_segment *s)
{
    if (s->left < 2) {
        wvl_check_fail(w, WVL_RULE_TLM_LENGTH, s->offset, "Ltlm is %llu", (unsigned long long)s->length);
        return;
    }
    unsigned stlm = s->p[1], entry = (stlm >> 4 & 3) + (stlm & 0x40 ? 4 : 2);
    if ((stlm & 0x8F) || (stlm >> 4 & 3) == 3) {
        wvl_check_fail(w, WVL_RULE_TLM_STLM, s->offset, "Stlm is 0x%02X", stlm);
    } else if (s->left == 2 || (s->left - 2) % entry) {
        wvl_check_fail(w, WVL_RULE_TLM_LENGTH, s->offset, "Ltlm is %llu, entries have %u bytes",
                       (unsigned long long)s->length, entry);
    } else {
        add_item(w, &w->tlm, s);
    }
}

void wvl_check_read_plm(wvl_walk *w, wvl_walk_segment *s)
{
    if (s->left < 2) {
        wvl_check_fail(w, WVL_RULE_PLM_LENGTH, s->offset, "Lplm is %llu", (unsigned long long)s->length);
    } else {
        add_item(w, &w->plm, s);
    }
}

void wvl_check_read_ppm(wvl_walk *w, wvl_walk_segment *s)
{
    if (s->left < 2) {
        wvl_check_fail(w, WVL_RULE_PPM_LENGTH, s->offset, "Lppm is %llu", (unsigned long long)s->length);
    } else {
        add_item(w, &w->ppm, s);
    }
}
