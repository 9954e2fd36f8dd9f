/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the text of one value into the settings. */
#include "params/value.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/context.h"
#include "params/number.h"

const char *const wvl_params_style_names[WVL_STYLE_COUNT] = {"BYPASS", "RESET",  "TERMALL", "VSC",
                                                             "PTERM",  "SEGSYM", "HT"};
static const char *const style_aliases[WVL_STYLE_COUNT] = {"LAZY",   NULL,      "RESTART", "CAUSAL",
                                                           "ERTERM", "SEGMARK", NULL};
static const char *const style_aliases2[WVL_STYLE_COUNT] = {NULL, NULL, NULL, NULL, "SEGTERM", NULL, NULL};

typedef struct reader {
    wvl_params *params;
    const wvl_option *option;
    const wvl_field *field;
    const char *value; /* all of it, for messages */
} reader;

static void *target(const reader *r) { return (char *)&r->params->settings + r->field->offset; }

wvl_status wvl_params_refuse_value(wvl_params *params, const wvl_option *option, const char *value, const char *reason)
{
    snprintf(params->error, sizeof params->error, "%s \"%.128s\": %s", option->key, value, reason);
    return WVL_ERROR_PARAMETER;
}

static wvl_status refuse(const reader *r, const char *format, ...)
{
    char reason[384];
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

/* ---- Scalars --------------------------------------------------------------------------------- */

static wvl_status read_bool(const reader *r)
{
    static const char *const words[8] = {"no", "yes", "off", "on", "false", "true", "0", "1"};
    for (unsigned i = 0; i < 8; i++) {
        if (!strcasecmp(r->value, words[i])) {
            *(uint8_t *)target(r) = i & 1;
            return WVL_OK;
        }
    }
    return refuse(r, "expected yes or no");
}

/* Index of value among the words that | separates, -1 if it is none of them. */
static int find_word(const char *words, const char *value)
{
    size_t length = strlen(value);
    for (int index = 0;; index++) {
        size_t word = strcspn(words, "|");
        if (word == length && !strncasecmp(words, value, word)) {
            return index;
        }
        if (!words[word]) {
            return -1;
        }
        words += word + 1;
    }
}

static wvl_status read_word(const reader *r)
{
    int index = find_word(r->option->range, r->value);
    if (index < 0) {
        return refuse(r, "expected one of %s", r->option->range);
    }
    *(uint8_t *)target(r) = (uint8_t)(r->field->minimum + (unsigned)index);
    return WVL_OK;
}

/* A whole number in the field's range at *p. */
static wvl_status scan_integer(const reader *r, const char **p, uint64_t *v)
{
    if (wvl_number_scan_unsigned(p, v) || *v < r->field->minimum || *v > r->field->maximum) {
        return refuse(r, "expected a whole number from %" PRIu64 " to %" PRIu64, r->field->minimum, r->field->maximum);
    }
    return WVL_OK;
}

static wvl_status end_of_value(const reader *r, const char *p)
{
    return *p ? refuse(r, "\"%.32s\" after the value is unexpected", p) : WVL_OK;
}

static wvl_status read_integer(const reader *r, uint64_t *v)
{
    const char *p = r->value;
    wvl_status status = scan_integer(r, &p, v);
    return status ? status : end_of_value(r, p);
}

static wvl_status read_uint8(const reader *r)
{
    uint64_t v;
    wvl_status status = read_integer(r, &v);
    if (!status) {
        *(uint8_t *)target(r) = (uint8_t)v;
    }
    return status;
}

static wvl_status read_levels(const reader *r)
{
    if (strcasecmp(r->value, "auto")) {
        return read_uint8(r);
    }
    *(uint8_t *)target(r) = WVL_LEVELS_AUTO;
    return WVL_OK;
}

static wvl_status read_uint64(const reader *r)
{
    uint64_t v;
    wvl_status status = read_integer(r, &v);
    if (!status) {
        *(uint64_t *)target(r) = v;
    }
    return status;
}

static wvl_status read_layers(const reader *r)
{
    uint64_t v;
    wvl_status status = read_integer(r, &v);
    if (!status) {
        r->params->settings.layer_count = (uint32_t)v;
        r->params->layers_given = 1;
    }
    return status;
}

static wvl_status scan_real(const reader *r, const char **p, double *v)
{
    wvl_status status = wvl_number_scan_real(p, v);
    if (status == WVL_ERROR_MEMORY) {
        return out_of_memory(r);
    }
    return status ? refuse(r, "expected a number at \"%.32s\"", *p) : WVL_OK;
}

static wvl_status read_real(const reader *r)
{
    double v;
    const char *p = r->value;
    wvl_status status = scan_real(r, &p, &v);
    if (!status) {
        status = end_of_value(r, p);
    }
    if (!status && !(v >= (double)r->field->minimum && v < (double)r->field->maximum)) {
        status =
            refuse(r, "expected a number from %" PRIu64 " to less than %" PRIu64, r->field->minimum, r->field->maximum);
    }
    if (!status) {
        *(double *)target(r) = v;
    }
    return status;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static wvl_status scan_pair(const reader *r, const char **p, uint64_t v[2])
{
    wvl_status status = scan_integer(r, p, &v[0]);
    if (status) {
        return status;
    }
    if (**p != ',') {
        return refuse(r, "expected two whole numbers with a comma between them");
    }
    ++*p;
    return scan_integer(r, p, &v[1]);
}

static wvl_status read_pair(const reader *r, uint64_t v[2])
{
    const char *p = r->value;
    wvl_status status = scan_pair(r, &p, v);
    return status ? status : end_of_value(r, p);
}

static wvl_status read_pair32(const reader *r)
{
    uint64_t v[2];
    wvl_status status = read_pair(r, v);
    if (!status) {
        uint32_t *to = target(r);
        to[0] = (uint32_t)v[0];
        to[1] = (uint32_t)v[1];
    }
    return status;
}

static int is_power_of_two(uint64_t v) { return v && !(v & (v - 1)); }

static wvl_status read_pair16(const reader *r)
{
    uint64_t v[2];
    wvl_status status = read_pair(r, v);
    if (status) {
        return status;
    }
    if (!is_power_of_two(v[0]) || !is_power_of_two(v[1])) {
        return refuse(r, "both sides must be powers of two (A.6.1)");
    }
    if (v[0] * v[1] > 4096) {
        return refuse(r, "the area is %" PRIu64 ", at most 4096 is allowed (A.6.1)", v[0] * v[1]);
    }
    uint16_t *to = target(r);
    to[0] = (uint16_t)v[0];
    to[1] = (uint16_t)v[1];
    return WVL_OK;
}

static wvl_status scan_precinct(const reader *r, const char **p, uint64_t v[2])
{
    if (**p != '[') {
        return refuse(r, "expected [width,height] at \"%.32s\"", *p);
    }
    ++*p;
    wvl_status status = scan_pair(r, p, v);
    if (status) {
        return status;
    }
    if (**p != ']') {
        return refuse(r, "expected ] at \"%.32s\"", *p);
    }
    ++*p;
    if (!is_power_of_two(v[0]) || !is_power_of_two(v[1])) {
        return refuse(r, "%" PRIu64 ",%" PRIu64 ": both sides must be powers of two (A.6.1)", v[0], v[1]);
    }
    return WVL_OK;
}

static wvl_status read_precincts(const reader *r)
{
    uint32_t width[WVL_MAX_LEVELS + 1], height[WVL_MAX_LEVELS + 1], count = 0;
    wvl_settings *s = &r->params->settings;
    for (const char *p = r->value; *p;) {
        uint64_t v[2];
        if (count > WVL_MAX_LEVELS) {
            return refuse(r, "more than 33 sizes; there are at most 33 resolutions (A.6.1)");
        }
        wvl_status status = scan_precinct(r, &p, v);
        if (status) {
            return status;
        }
        width[count] = (uint32_t)v[0];
        height[count++] = (uint32_t)v[1];
        if (*p && (*p != ',' || !p[1])) {
            return refuse(r, "expected ,[width,height] at \"%.32s\"", p);
        }
        p += *p == ',';
    }
    memcpy(s->precinct_width, width, count * sizeof *width);
    memcpy(s->precinct_height, height, count * sizeof *height);
    s->precinct_count = count;
    return WVL_OK;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

static int same_word(const char *word, size_t length, const char *name)
{
    return name && strlen(name) == length && !strncasecmp(word, name, length);
}

/* Bits of one term: a name or a number. */
static wvl_status scan_style(const reader *r, const char *word, size_t length, unsigned *bits)
{
    uint64_t number = UINT64_MAX;
    const char *end = word;
    for (unsigned i = 0; i < WVL_STYLE_COUNT; i++) {
        if (same_word(word, length, wvl_params_style_names[i]) || same_word(word, length, style_aliases[i]) ||
            same_word(word, length, style_aliases2[i])) {
            *bits = 1u << i;
            return WVL_OK;
        }
    }
    if (wvl_number_scan_unsigned(&end, &number) || end != word + length || number > r->field->maximum) {
        return refuse(r, "\"%.*s\" is none of BYPASS, RESET, TERMALL, VSC, PTERM, SEGSYM, HT or 0 to 127 (Table A.19)",
                      (int)(length < 32 ? length : 32), word);
    }
    *bits = (unsigned)number;
    return WVL_OK;
}

static wvl_status read_style(const reader *r)
{
    unsigned style = 0;
    for (const char *p = r->value;;) {
        unsigned bits = 0;
        size_t length = strcspn(p, "+|");
        wvl_status status = scan_style(r, p, length, &bits);
        if (status) {
            return status;
        }
        if (style & bits) {
            return refuse(r, "a style is given twice");
        }
        style |= bits;
        if (!p[length]) {
            break;
        }
        p += length + 1;
    }
    r->params->settings.style = (uint8_t)style;
    return WVL_OK;
}

static wvl_status read_parts(const reader *r)
{
    static const char letters[] = "RLC"; /* in the order of the WVL_PARTS_ bits */
    unsigned parts = 0;
    if (strcasecmp(r->value, "none") != 0) {
        for (const char *p = r->value; *p; p++) {
            const char *letter = strchr(letters, *p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
            unsigned bit = letter ? 1u << (letter - letters) : 0;
            if (!bit || (parts & bit)) {
                return refuse(r, "expected none, or R, L, C at most once each");
            }
            parts |= bit;
        }
        if (!parts) {
            return refuse(r, "expected none, or letters of R, L, C");
        }
    }
    r->params->settings.parts = (uint8_t)parts;
    return WVL_OK;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

wvl_status wvl_params_store_targets(wvl_params *params, const double *values, uint32_t count)
{
    void *array = params->settings.layer_values;
    if (!wvl_grow(&params->context->host, &array, &params->layer_capacity, count, sizeof *values)) {
        return WVL_ERROR_MEMORY;
    }
    params->settings.layer_values = array;
    params->settings.layer_value_count = count;
    if (count) {
        memcpy(array, values, count * sizeof *values);
    }
    return WVL_OK;
}

static wvl_status check_target(const reader *r, double v)
{
    if (!(v >= 0.0)) {
        return refuse(r, "a target is negative");
    }
    if (r->field->maximum && v > (double)r->field->maximum) {
        return refuse(r, "a target exceeds %" PRIu64, r->field->maximum);
    }
    if (r->field->minimum == WVL_UNIT_BYTES && v != (double)(uint64_t)v) {
        return refuse(r, "bytes must be whole numbers");
    }
    return WVL_OK;
}

static wvl_status scan_targets(const reader *r, double *values, uint32_t *count)
{
    *count = 0;
    for (const char *p = r->value; *p;) {
        double v;
        wvl_status status = scan_real(r, &p, &v);
        if (!status) {
            status = check_target(r, v);
        }
        if (status) {
            return status;
        }
        values[(*count)++] = v;
        if (*p && (*p != ',' || !p[1])) {
            return refuse(r, "expected , and a number at \"%.32s\"", p);
        }
        p += *p == ',';
    }
    return WVL_OK;
}

static uint64_t count_items(const char *value)
{
    uint64_t count = *value != '\0';
    for (; *value; value++) {
        count += *value == ',';
    }
    return count;
}

/* Emptying the list of a unit that is not in force changes nothing. */
static wvl_status read_targets(const reader *r)
{
    wvl_settings *s = &r->params->settings;
    uint64_t bound = count_items(r->value);
    uint32_t count = 0;
    if (!bound && s->rate_unit != r->field->minimum) {
        return WVL_OK;
    }
    if (bound > WVL_MAX_LAYERS) {
        return refuse(r, "%" PRIu64 " targets; 65535 layers are allowed (A.6.1)", bound);
    }
    const wvl_allocator *host = &r->params->context->host;
    double *values = wvl_alloc(host, bound * sizeof *values);
    if (!values) {
        return out_of_memory(r);
    }
    wvl_status status = scan_targets(r, values, &count);
    if (!status) {
        status = wvl_params_store_targets(r->params, values, count) ? out_of_memory(r) : WVL_OK;
    }
    wvl_free(host, values, bound * sizeof *values);
    if (!status) {
        s->rate_unit = (uint8_t)(count ? r->field->minimum : WVL_UNIT_NONE);
        s->layer_count = r->params->layers_given ? s->layer_count : count ? count : 1;
    }
    return status;
}

wvl_status wvl_params_store_comment(wvl_params *params, const char *text)
{
    const wvl_allocator *host = &params->context->host;
    void *array = params->settings.comments;
    size_t bytes = strlen(text) + 1;
    if (!wvl_grow(host, &array, &params->comment_capacity, (uint64_t)params->settings.comment_count + 1,
                  sizeof(char *))) {
        return WVL_ERROR_MEMORY;
    }
    params->settings.comments = array;
    char *copy = wvl_alloc(host, bytes);
    if (!copy) {
        return WVL_ERROR_MEMORY;
    }
    memcpy(copy, text, bytes);
    params->settings.comments[params->settings.comment_count++] = copy;
    return WVL_OK;
}

void wvl_params_clear_comments(wvl_params *params)
{
    wvl_settings *s = &params->settings;
    for (uint32_t i = 0; i < s->comment_count; i++) {
        wvl_free(&params->context->host, s->comments[i], strlen(s->comments[i]) + 1);
    }
    s->comment_count = 0;
}

static wvl_status read_comment(const reader *r)
{
    size_t bytes = strlen(r->value);
    if (!bytes) {
        wvl_params_clear_comments(r->params);
        return WVL_OK;
    }
    if (bytes > r->field->maximum) {
        return refuse(r, "%zu bytes; %" PRIu64 " are allowed (A.9.2)", bytes, r->field->maximum);
    }
    return wvl_params_store_comment(r->params, r->value) ? out_of_memory(r) : WVL_OK;
}

wvl_status wvl_params_read_value(wvl_params *params, const wvl_option *option, const wvl_field *field,
                                 const char *value)
{
    reader r = {params, option, field, value};
    switch (field->kind) {
    case WVL_FIELD_BOOL: return read_bool(&r);
    case WVL_FIELD_UINT8: return read_uint8(&r);
    case WVL_FIELD_LEVELS: return read_levels(&r);
    case WVL_FIELD_UINT64: return read_uint64(&r);
    case WVL_FIELD_REAL: return read_real(&r);
    case WVL_FIELD_WORD: return read_word(&r);
    case WVL_FIELD_PAIR32: return read_pair32(&r);
    case WVL_FIELD_PAIR16: return read_pair16(&r);
    case WVL_FIELD_PRECINCTS: return read_precincts(&r);
    case WVL_FIELD_STYLE: return read_style(&r);
    case WVL_FIELD_PARTS: return read_parts(&r);
    case WVL_FIELD_TARGETS: return read_targets(&r);
    case WVL_FIELD_LAYERS: return read_layers(&r);
    case WVL_FIELD_COMMENT: return read_comment(&r);
    case WVL_FIELD_PROGRESSIONS: return wvl_params_read_progressions(params, option, field, value);
    case WVL_FIELD_REGISTRATION: return wvl_params_read_registration(params, option, value);
    case WVL_FIELD_DEVICE: return wvl_params_read_device(params, option, value);
    case WVL_FIELD_FRAMES: return wvl_params_read_frames(params, option, field, value);
    case WVL_FIELD_OVERRIDES: return wvl_params_read_overrides(params, option, field, value);
    case WVL_FIELD_REGIONS: return wvl_params_read_regions(params, option, field, value);
    }
    return WVL_ERROR_INTERNAL;
}
