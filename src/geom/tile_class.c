/* SPDX-License-Identifier: BSD-2-Clause */
/* Components that are alike: a plan measures one of each kind. */
#include <string.h>

#include "geom/plan.h"

/* A power of two, at least twice the components. */
static uint32_t table_size(const wvl_plan *plan) { return UINT32_C(2) << wvl_bit_length(plan->syntax.component_count); }

void wvl_geom_carve_classes(const wvl_plan *plan, wvl_carver *carver, wvl_component_classes *classes)
{
    classes->first = wvl_carve(carver, plan->syntax.component_count, sizeof *classes->first);
    classes->size = wvl_carve(carver, plan->syntax.component_count, sizeof *classes->size);
    classes->class_of = wvl_carve(carver, plan->syntax.component_count, sizeof *classes->class_of);
    classes->table = wvl_carve(carver, table_size(plan), sizeof *classes->table);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static uint64_t sign_component(const wvl_syntax_plan *syntax, uint32_t c)
{
    const wvl_plan_component *pc = &syntax->components[c];
    uint64_t hash = mix(1, (uint64_t)pc->dx << 32 | (uint64_t)pc->dy << 16 | pc->coding);
    for (uint32_t v = 0; v < syntax->variant_count; v++) {
        hash = mix(hash, syntax->variants[v].codings[c]);
    }
    return hash;
}

static int are_alike(const wvl_syntax_plan *syntax, uint32_t a, uint32_t b)
{
    const wvl_plan_component *p = &syntax->components[a], *q = &syntax->components[b];
    int alike = p->dx == q->dx && p->dy == q->dy && p->coding == q->coding;
    for (uint32_t v = 0; v < syntax->variant_count && alike; v++) {
        alike = syntax->variants[v].codings[a] == syntax->variants[v].codings[b];
    }
    return alike;
}

void wvl_geom_build_classes(const wvl_plan *plan, wvl_component_classes *classes)
{
    classes->count = 0;
    memset(classes->table, 0, table_size(plan) * sizeof *classes->table);
    for (uint32_t c = 0; c < plan->syntax.component_count; c++) {
        /* The place of the component's class in the table: an entry is one more than a class, 0 for none. */
        uint32_t mask = table_size(plan) - 1, at = (uint32_t)sign_component(&plan->syntax, c) & mask;
        while (classes->table[at] && !are_alike(&plan->syntax, classes->first[classes->table[at] - 1], c)) {
            at = (at + 1) & mask;
        }
        uint32_t *place = &classes->table[at];
        if (!*place) {
            classes->first[classes->count] = c;
            classes->size[classes->count] = 0;
            *place = ++classes->count;
        }
        classes->class_of[c] = *place - 1;
        classes->size[*place - 1]++;
    }
}
