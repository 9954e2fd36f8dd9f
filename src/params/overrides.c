/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads settings of single tiles and components: entries of a scope and the options' own keys and values. */

#include "base/alloc.h"
#include "base/context.h"
#include "base/try.h"
#include "params/number.h"
#include "params/value.h"

#define MOST_TILES 65535u
#define MOST_COMPONENTS 16384u
#define VALUE_CHARS 640u /* 33 precinct sizes take 494 */

/* ---- Scope ----------------------------------------------------------------------------------- */

/* n or n-m, both from `least` to `most`, as a half-open range of numbers from 0. */
static int scan_range(const char **p, uint32_t least, uint32_t most, uint32_t *first, uint32_t *end)
{
    uint64_t from, to;
    if (wvl_number_scan_unsigned(p, &from)) {
        return 0;
    }
    to = from;
    if (**p == '-') {
        ++*p;
        if (wvl_number_scan_unsigned(p, &to)) {
            return 0;
        }
    }
    if (from < least || to < from || to > most) {
        return 0;
    }
    *first = (uint32_t)from - least;
    *end = (uint32_t)to - least + 1;
    return 1;
}

int wvl_params_scan_scope(const char **p, wvl_scope *scope)
{
    memset(scope, 0, sizeof *scope);
    if (**p == 'T' || **p == 't') {
        ++*p;
        if (!scan_range(p, 1, MOST_TILES, &scope->tile_first, &scope->tile_end)) {
            return 0;
        }
    }
    if (**p == 'C' || **p == 'c') {
        ++*p;
        if (!scan_range(p, 0, MOST_COMPONENTS - 1, &scope->component_first, &scope->component_end)) {
            return 0;
        }
    }
    return 1;
}

/* ---- Values ---------------------------------------------------------------------------------- */

#define TILE_KEYS (WVL_GIVEN_ORDER | WVL_GIVEN_MCT | WVL_GIVEN_SOP | WVL_GIVEN_EPH)

static const struct {
    const char *key;
    uint32_t bit;
} keys[] = {
    {"reversible", WVL_GIVEN_REVERSIBLE},
    {"levels", WVL_GIVEN_LEVELS},
    {"block", WVL_GIVEN_BLOCK},
    {"precincts", WVL_GIVEN_PRECINCTS},
    {"style", WVL_GIVEN_STYLE},
    {"quantization", WVL_GIVEN_QUANTIZATION},
    {"step", WVL_GIVEN_STEP},
    {"guard-bits", WVL_GIVEN_GUARD_BITS},
    {"progression", WVL_GIVEN_ORDER},
    {"mct", WVL_GIVEN_MCT},
    {"sop", WVL_GIVEN_SOP},
    {"eph", WVL_GIVEN_EPH},
};

static void take_values(const wvl_settings *s, wvl_override *o)
{
    o->reversible = s->reversible;
    o->levels = s->levels;
    o->style = s->style;
    o->quant_style = s->quant_style;
    o->guard_bits = s->guard_bits;
    o->order = s->order;
    o->mct = s->mct;
    o->sop = s->sop;
    o->eph = s->eph;
    o->block_width = s->block_width;
    o->block_height = s->block_height;
    o->precinct_count = s->precinct_count;
    memcpy(o->precinct_width, s->precinct_width, sizeof o->precinct_width);
    memcpy(o->precinct_height, s->precinct_height, sizeof o->precinct_height);
    o->step = s->step;
}

static uint32_t find_bit(const char *key, size_t length)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strlen(keys[i].key) == length && !memcmp(keys[i].key, key, length)) {
            return keys[i].bit;
        }
    }
    return 0;
}

/* Up to ; or / or a comma before the next key: the commas inside values stand before digits and brackets. */
static size_t value_length(const char *p)
{
    size_t n = 0;
    while (p[n] && p[n] != ';' && p[n] != '/' && !(p[n] == ',' && ((p[n + 1] | 32) >= 'a' && (p[n + 1] | 32) <= 'z'))) {
        n++;
    }
    return n;
}

static wvl_status scan_value(const wvl_params_reader *r, const char **p, wvl_override *o)
{
    char text[VALUE_CHARS];
    size_t length = strcspn(*p, "=;/");
    uint32_t bit = find_bit(*p, length);
    if (!bit || (*p)[length] != '=') {
        return wvl_params_refuse_value(r,
                                       "expected one of reversible, levels, block, precincts, style, quantization, "
                                       "step, guard-bits, progression, mct, sop, eph, and =, at \"%.32s\"",
                                       *p);
    }
    if ((bit & TILE_KEYS) && wvl_scope_names_component(&o->scope)) {
        return wvl_params_refuse_value(r, "%.*s holds for all components of a tile; name no component (A.6.1)",
                                       (int)length, *p);
    }
    if (o->given & bit) {
        return wvl_params_refuse_value(r, "%.*s is given twice", (int)length, *p);
    }
    size_t chars = value_length(*p + length + 1);
    if (chars >= sizeof text) {
        return wvl_params_refuse_value(r, "the value of %.*s is too long", (int)length, *p);
    }
    memcpy(text, *p + length + 1, chars);
    text[chars] = '\0';
    o->given |= bit;
    size_t index = wvl_params_find_key(*p, length);
    wvl_status status = wvl_params_read_value(r->scratch, &wvl_options(NULL)[index], &wvl_params_fields()[index], text)
                            ? wvl_params_refuse_value(r, "%s", r->scratch->error)
                            : WVL_OK;
    *p += length + 1 + chars;
    return status;
}

static wvl_status scan_entry(const wvl_params_reader *r, const char **p, void *element)
{
    wvl_override *o = element;
    memset(o, 0, sizeof *o);
    if (!wvl_params_scan_scope(p, &o->scope) ||
        (!wvl_scope_names_tile(&o->scope) && !wvl_scope_names_component(&o->scope)) || *(*p)++ != ':') {
        return wvl_params_refuse_value(
            r, "expected T and tiles from 1 to %u, C and components from 0 to %u, or both, and a colon", MOST_TILES,
            MOST_COMPONENTS - 1);
    }
    for (;;) {
        wvl_status status = scan_value(r, p, o);
        if (status) {
            return status;
        }
        if (!**p || **p == '/') {
            take_values(&r->scratch->settings, o);
            return WVL_OK;
        }
        ++*p;
    }
}

wvl_status wvl_params_read_overrides(wvl_params_reader *r)
{
    const wvl_allocator *host = &r->params->context->host;
    uint32_t chars = (uint32_t)strlen(r->value) + 1;
    r->noun = "entry";
    r->nouns = "entries";
    r->scratch = wvl_alloc_zeroed(host, sizeof *r->scratch);
    if (!r->scratch || !wvl_params_reserve(r->params, WVL_LIST_OVERRIDE_TEXT, chars)) {
        wvl_free(host, r->scratch, sizeof *r->scratch);
        return wvl_params_out_of_memory(r);
    }
    r->scratch->context = r->params->context;
    wvl_status status = wvl_params_scan_list(r, WVL_LIST_OVERRIDES, r->field->maximum, '/', scan_entry);
    TRY(status, wvl_params_store(r->params, WVL_LIST_OVERRIDE_TEXT, r->value, chars));
    wvl_free(host, r->scratch, sizeof *r->scratch);
    return status;
}
