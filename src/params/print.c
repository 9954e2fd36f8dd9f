/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the settings as text that wvl_params_set takes back. */
#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/context.h"
#include "params/number.h"
#include "params/value.h"

/* Text under construction in params->text. */
typedef struct printer {
    wvl_params *params;
    const wvl_option *option;
    const wvl_field *field;
    size_t used;
    int failed; /* memory was short */
} printer;

static const void *source(const printer *p) { return (const char *)&p->params->settings + p->field->offset; }

static void put_text(printer *p, const char *text)
{
    size_t bytes = strlen(text);
    void *array = p->params->text;
    if (p->failed ||
        !wvl_grow(&p->params->context->host, &array, &p->params->text_capacity, (uint64_t)p->used + bytes + 1, 1)) {
        p->failed = 1;
        return;
    }
    p->params->text = array;
    memcpy(p->params->text + p->used, text, bytes + 1);
    p->used += bytes;
}

__attribute__((format(printf, 2, 3))) static void put(printer *p, const char *format, ...)
{
    char text[96];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put_text(p, text);
}

static void put_real(printer *p, double value)
{
    char text[WVL_NUMBER_CHARS];
    if (wvl_number_print_real(text, value)) {
        p->failed = 1;
        return;
    }
    put_text(p, text);
}

static void put_word(printer *p)
{
    const char *words = p->option->range;
    for (unsigned skip = *(const uint8_t *)source(p) - (unsigned)p->field->minimum; skip; skip--) {
        words += strcspn(words, "|") + 1;
    }
    put(p, "%.*s", (int)strcspn(words, "|"), words);
}

static void put_precincts(printer *p)
{
    const wvl_settings *s = &p->params->settings;
    for (uint32_t i = 0; i < s->precinct_count; i++) {
        put(p, "%s[%" PRIu32 ",%" PRIu32 "]", i ? "," : "", s->precinct_width[i], s->precinct_height[i]);
    }
}

static void put_style(printer *p)
{
    unsigned style = p->params->settings.style;
    if (!style) {
        put_text(p, "0");
    }
    for (unsigned i = 0, first = 1; i < WVL_STYLE_COUNT; i++) {
        if (style >> i & 1) {
            put(p, "%s%s", first ? "" : "+", wvl_params_style_names[i]);
            first = 0;
        }
    }
}

static void put_parts(printer *p)
{
    unsigned parts = p->params->settings.parts;
    put(p, "%s%s%s%s", parts ? "" : "none", parts & WVL_PARTS_RESOLUTION ? "R" : "", parts & WVL_PARTS_LAYER ? "L" : "",
        parts & WVL_PARTS_COMPONENT ? "C" : "");
}

static void put_targets(printer *p)
{
    const wvl_settings *s = &p->params->settings;
    if (s->rate_unit != p->field->minimum) {
        return;
    }
    for (uint32_t i = 0; i < s->layer_value_count; i++) {
        put_text(p, i ? "," : "");
        put_real(p, s->layer_values[i]);
    }
}

static void put_progressions(printer *p)
{
    const wvl_settings *s = &p->params->settings;
    for (uint32_t i = 0; i < s->progression_count; i++) {
        const wvl_progression *v = &s->progressions[i];
        put_text(p, i ? "/" : "");
        if (v->tile != WVL_ALL_TILES) {
            put(p, "T%" PRIu32 "=", v->tile + 1);
        }
        put(p, "%u,%" PRIu32 ",%" PRIu32 ",%u,%" PRIu32 ",%s", (unsigned)v->resolution_first, v->component_first,
            v->layer_end, (unsigned)v->resolution_end, v->component_end, wvl_params_order_names[v->order]);
    }
}

static void put_registration(printer *p)
{
    const wvl_settings *s = &p->params->settings;
    for (uint32_t i = 0; i < s->registration_count; i++) {
        put(p, "%s[%u,%u]", i ? "," : "", (unsigned)s->registration[2 * i], (unsigned)s->registration[2 * i + 1]);
    }
}

static void put_range(printer *p, const char *letter, uint32_t first, uint32_t end, uint32_t least)
{
    if (end > first) {
        put_text(p, letter);
        put(p, "%" PRIu32, first + least);
        if (end > first + 1) {
            put(p, "-%" PRIu32, end - 1 + least);
        }
    }
}

static void put_regions(printer *p)
{
    const wvl_settings *s = &p->params->settings;
    for (uint32_t i = 0; i < s->region_count; i++) {
        const wvl_region *v = &s->regions[i];
        put_text(p, i ? "/" : "");
        put_range(p, "T", v->scope.tile_first, v->scope.tile_end, 1);
        put_range(p, "C", v->scope.component_first, v->scope.component_end, 0);
        put_text(p, wvl_scope_names_tile(&v->scope) || wvl_scope_names_component(&v->scope) ? ":" : "");
        if (!v->is_whole) {
            put(p, "rect=%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, v->rect.x0, v->rect.y0, wvl_rect_width(v->rect),
                wvl_rect_height(v->rect));
        }
        if (v->shift_given) {
            put(p, "%sU=%u", v->is_whole ? "" : ";", (unsigned)v->shift);
        }
    }
}

static void put_device(printer *p)
{
    const wvl_settings *s = &p->params->settings;
    put_text(p, wvl_params_device_names[s->device]);
    if (s->device_set == WVL_DEVICE_EVERY) {
        put_text(p, ":all");
        return;
    }
    const char *before = ":";
    for (uint32_t i = 0; i <= WVL_DEVICE_ORDINAL_MAX && s->device_set > 1; i++) {
        if (s->device_set >> i & 1) {
            put_text(p, before);
            put(p, "%" PRIu32, i);
            before = ",";
        }
    }
}

static void put_frames(printer *p, const uint32_t *rate)
{
    put(p, "%" PRIu32, rate[0]);
    if (rate[1] != 1) {
        put_text(p, "/");
        put(p, "%" PRIu32, rate[1]);
    }
}

static void put_comments(printer *p)
{
    const wvl_settings *s = &p->params->settings;
    for (uint32_t i = 0; i < s->comment_count; i++) {
        put_text(p, i ? "\n" : "");
        put_text(p, s->comments[i]);
    }
}

static void put_levels(printer *p, unsigned levels)
{
    if (levels == WVL_LEVELS_AUTO) {
        put_text(p, "auto");
    } else {
        put(p, "%u", levels);
    }
}

const char *wvl_params_print_value(wvl_params *params, const wvl_option *option, const wvl_field *field)
{
    printer p = {params, option, field, 0, 0};
    const void *from = source(&p);
    put_text(&p, "");
    switch (field->kind) {
    case WVL_FIELD_BOOL: put_text(&p, *(const uint8_t *)from ? "yes" : "no"); break;
    case WVL_FIELD_UINT8: put(&p, "%u", (unsigned)*(const uint8_t *)from); break;
    case WVL_FIELD_LEVELS: put_levels(&p, *(const uint8_t *)from); break;
    case WVL_FIELD_UINT64: put(&p, "%" PRIu64, *(const uint64_t *)from); break;
    case WVL_FIELD_REAL: put_real(&p, *(const double *)from); break;
    case WVL_FIELD_WORD: put_word(&p); break;
    case WVL_FIELD_PAIR32:
        put(&p, "%" PRIu32 ",%" PRIu32, ((const uint32_t *)from)[0], ((const uint32_t *)from)[1]);
        break;
    case WVL_FIELD_PAIR16:
        put(&p, "%u,%u", (unsigned)((const uint16_t *)from)[0], (unsigned)((const uint16_t *)from)[1]);
        break;
    case WVL_FIELD_PRECINCTS: put_precincts(&p); break;
    case WVL_FIELD_STYLE: put_style(&p); break;
    case WVL_FIELD_PARTS: put_parts(&p); break;
    case WVL_FIELD_TARGETS: put_targets(&p); break;
    case WVL_FIELD_LAYERS: put(&p, "%" PRIu32, *(const uint32_t *)from); break;
    case WVL_FIELD_COMMENT: put_comments(&p); break;
    case WVL_FIELD_PROGRESSIONS: put_progressions(&p); break;
    case WVL_FIELD_REGISTRATION: put_registration(&p); break;
    case WVL_FIELD_DEVICE: put_device(&p); break;
    case WVL_FIELD_FRAMES: put_frames(&p, from); break;
    case WVL_FIELD_REGIONS: put_regions(&p); break;
    case WVL_FIELD_OVERRIDES:
        put_text(&p, params->settings.override_chars ? params->settings.override_text : "");
        break;
    }
    return p.failed ? NULL : params->text;
}
