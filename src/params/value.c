/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the text of one value into the settings. */
#include "params/value.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/try.h"
#include "params/number.h"

const char *const wvl_params_style_names[WVL_STYLE_COUNT] = {"BYPASS", "RESET",  "TERMALL", "VSC",
                                                             "PTERM",  "SEGSYM", "HT"};
static const char *const style_aliases[WVL_STYLE_COUNT] = {"LAZY",   NULL,      "RESTART", "CAUSAL",
                                                           "ERTERM", "SEGMARK", NULL};
static const char *const style_aliases2[WVL_STYLE_COUNT] = {NULL, NULL, NULL, NULL, "SEGTERM", NULL, NULL};

static void *target(const wvl_params_reader *r) { return (char *)&r->params->settings + r->field->offset; }

wvl_status wvl_params_refuse_value(const wvl_params_reader *r, const char *format, ...)
{
    char reason[640];
    va_list args;
    va_start(args, format);
    int n = r->entry ? snprintf(reason, sizeof reason, "%s %" PRIu32 ": ", r->noun, r->entry) : 0;
    vsnprintf(reason + n, sizeof reason - (size_t)n, format, args);
    va_end(args);
    snprintf(r->params->error, sizeof r->params->error, "%s \"%.128s\": %s", r->option->key, r->value, reason);
    return WVL_ERROR_PARAMETER;
}

wvl_status wvl_params_out_of_memory(const wvl_params_reader *r)
{
    snprintf(r->params->error, sizeof r->params->error, "%s: out of memory", r->option->key);
    return WVL_ERROR_MEMORY;
}

/* ---- Scalars --------------------------------------------------------------------------------- */

static wvl_status read_bool(const wvl_params_reader *r)
{
    static const char *const words[8] = {"no", "yes", "off", "on", "false", "true", "0", "1"};
    for (unsigned i = 0; i < 8; i++) {
        if (!strcasecmp(r->value, words[i])) {
            *(uint8_t *)target(r) = i & 1;
            return WVL_OK;
        }
    }
    return wvl_params_refuse_value(r, "expected yes or no");
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

static wvl_status read_word(const wvl_params_reader *r)
{
    int index = find_word(r->option->range, r->value);
    if (index < 0) {
        return wvl_params_refuse_value(r, "expected one of %s", r->option->range);
    }
    *(uint8_t *)target(r) = (uint8_t)(r->field->minimum + (unsigned)index);
    return WVL_OK;
}

/* A whole number in the field's range at *p. */
static wvl_status scan_integer(const wvl_params_reader *r, const char **p, uint64_t *v)
{
    if (wvl_number_scan_unsigned(p, v) || *v < r->field->minimum || *v > r->field->maximum) {
        return wvl_params_refuse_value(r, "expected a whole number from %" PRIu64 " to %" PRIu64, r->field->minimum,
                                       r->field->maximum);
    }
    return WVL_OK;
}

static wvl_status end_of_value(const wvl_params_reader *r, const char *p)
{
    return *p ? wvl_params_refuse_value(r, "\"%.32s\" after the value is unexpected", p) : WVL_OK;
}

/* A whole number into the field, as wide as its kind says. */
static wvl_status read_integer(const wvl_params_reader *r)
{
    uint64_t v;
    const char *p = r->value;
    wvl_status status = scan_integer(r, &p, &v);
    TRY(status, end_of_value(r, p));
    if (status) {
        return status;
    }
    switch (r->field->kind) {
    case WVL_FIELD_UINT64: *(uint64_t *)target(r) = v; break;
    case WVL_FIELD_LAYERS:
        *(uint32_t *)target(r) = (uint32_t)v;
        r->params->layers_given = 1;
        break;
    default: *(uint8_t *)target(r) = (uint8_t)v; break;
    }
    return WVL_OK;
}

static wvl_status read_levels(const wvl_params_reader *r)
{
    if (strcasecmp(r->value, "auto")) {
        return read_integer(r);
    }
    *(uint8_t *)target(r) = WVL_LEVELS_AUTO;
    return WVL_OK;
}

wvl_status wvl_params_scan_real(const wvl_params_reader *r, const char **p, double *v)
{
    wvl_status status = wvl_number_scan_real(p, v);
    if (status == WVL_ERROR_MEMORY) {
        return wvl_params_out_of_memory(r);
    }
    return status ? wvl_params_refuse_value(r, "expected a number at \"%.32s\"", *p) : WVL_OK;
}

static wvl_status read_real(const wvl_params_reader *r)
{
    double v;
    const char *p = r->value;
    wvl_status status = wvl_params_scan_real(r, &p, &v);
    TRY(status, end_of_value(r, p));
    if (status) {
        return status;
    }
    if (!(v >= (double)r->field->minimum && v < (double)r->field->maximum)) {
        return wvl_params_refuse_value(r, "expected a number from %" PRIu64 " to less than %" PRIu64, r->field->minimum,
                                       r->field->maximum);
    }
    *(double *)target(r) = v;
    return WVL_OK;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static wvl_status scan_pair(const wvl_params_reader *r, const char **p, uint64_t v[2])
{
    wvl_status status = scan_integer(r, p, &v[0]);
    if (status) {
        return status;
    }
    if (**p != ',') {
        return wvl_params_refuse_value(r, "expected two whole numbers with a comma between them");
    }
    ++*p;
    return scan_integer(r, p, &v[1]);
}

static int is_power_of_two(uint64_t v) { return v && !(v & (v - 1)); }

/* Two whole numbers; PAIR16 is a block. */
static wvl_status read_pair(const wvl_params_reader *r)
{
    uint64_t v[2];
    const char *p = r->value;
    wvl_status status = scan_pair(r, &p, v);
    TRY(status, end_of_value(r, p));
    if (status) {
        return status;
    }
    if (r->field->kind == WVL_FIELD_PAIR32) {
        memcpy(target(r), (const uint32_t[2]){(uint32_t)v[0], (uint32_t)v[1]}, 2 * sizeof(uint32_t));
        return WVL_OK;
    }
    if (!is_power_of_two(v[0]) || !is_power_of_two(v[1])) {
        return wvl_params_refuse_value(r, "both sides must be powers of two (A.6.1)");
    }
    if (v[0] * v[1] > 4096) {
        return wvl_params_refuse_value(r, "the area is %" PRIu64 ", at most 4096 is allowed (A.6.1)", v[0] * v[1]);
    }
    memcpy(target(r), (const uint16_t[2]){(uint16_t)v[0], (uint16_t)v[1]}, 2 * sizeof(uint16_t));
    return WVL_OK;
}

static wvl_status scan_precinct(const wvl_params_reader *r, const char **p, uint64_t v[2])
{
    if (**p != '[') {
        return wvl_params_refuse_value(r, "expected [width,height] at \"%.32s\"", *p);
    }
    ++*p;
    wvl_status status = scan_pair(r, p, v);
    if (status) {
        return status;
    }
    if (**p != ']') {
        return wvl_params_refuse_value(r, "expected ] at \"%.32s\"", *p);
    }
    ++*p;
    if (!is_power_of_two(v[0]) || !is_power_of_two(v[1])) {
        return wvl_params_refuse_value(r, "%" PRIu64 ",%" PRIu64 ": both sides must be powers of two (A.6.1)", v[0],
                                       v[1]);
    }
    return WVL_OK;
}

static wvl_status read_precincts(const wvl_params_reader *r)
{
    uint32_t width[WVL_MAX_LEVELS + 1], height[WVL_MAX_LEVELS + 1], count = 0;
    wvl_settings *s = &r->params->settings;
    for (const char *p = r->value; *p;) {
        uint64_t v[2];
        if (count > WVL_MAX_LEVELS) {
            return wvl_params_refuse_value(r, "more than 33 sizes; there are at most 33 resolutions (A.6.1)");
        }
        wvl_status status = scan_precinct(r, &p, v);
        if (status) {
            return status;
        }
        width[count] = (uint32_t)v[0];
        height[count++] = (uint32_t)v[1];
        if (*p && (*p != ',' || !p[1])) {
            return wvl_params_refuse_value(r, "expected ,[width,height] at \"%.32s\"", p);
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
static wvl_status scan_style(const wvl_params_reader *r, const char *word, size_t length, unsigned *bits)
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
        return wvl_params_refuse_value(
            r, "\"%.*s\" is none of BYPASS, RESET, TERMALL, VSC, PTERM, SEGSYM, HT or 0 to 127 (Table A.19)",
            (int)(length < 32 ? length : 32), word);
    }
    *bits = (unsigned)number;
    return WVL_OK;
}

static wvl_status read_style(const wvl_params_reader *r)
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
            return wvl_params_refuse_value(r, "a style is given twice");
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

static wvl_status read_parts(const wvl_params_reader *r)
{
    static const char letters[] = "RLC"; /* in the order of the WVL_PARTS_ bits */
    unsigned parts = 0;
    if (strcasecmp(r->value, "none") != 0) {
        for (const char *p = r->value; *p; p++) {
            const char *letter = strchr(letters, *p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
            unsigned bit = letter ? 1u << (letter - letters) : 0;
            if (!bit || (parts & bit)) {
                return wvl_params_refuse_value(r, "expected none, or R, L, C at most once each");
            }
            parts |= bit;
        }
        if (!parts) {
            return wvl_params_refuse_value(r, "expected none, or letters of R, L, C");
        }
    }
    r->params->settings.parts = (uint8_t)parts;
    return WVL_OK;
}

/* ---- Frame rate ------------------------------------------------------------------------------ */

typedef struct frame_rate {
    uint64_t frames, seconds;
} frame_rate;

static int scan_bounded(const char **p, uint64_t most, uint64_t *value)
{
    return !wvl_number_scan_unsigned(p, value) && *value <= most;
}

/* 23.976, 29.97 and their kin, with two places or three, stand for N * 1000/1001. */
static int replace_drop_rate(frame_rate *r)
{
    static const uint8_t whole[] = {24, 30, 48, 60, 96, 120};
    for (size_t i = 0; i < sizeof whole; i++) {
        uint64_t exact = whole[i] * UINT64_C(1000000) / 1001, given = r->frames * 1000 / r->seconds; /* thousandths */
        uint64_t apart = given > exact ? given - exact : exact - given;
        if (apart <= 5 && r->seconds > 1) {
            *r = (frame_rate){whole[i] * UINT64_C(1000), 1001};
            return 1;
        }
    }
    return 0;
}

static int scan_places(const char **p, uint64_t most, frame_rate *r)
{
    for (++*p; **p >= '0' && **p <= '9' && r->seconds < 1000; ++*p) {
        r->frames = r->frames * 10 + (uint64_t)(**p - '0');
        r->seconds *= 10;
    }
    if (r->seconds == 1 || r->frames / r->seconds > most) {
        return 0;
    }
    while (!replace_drop_rate(r) && r->seconds > 1 && r->frames % 10 == 0) {
        r->frames /= 10;
        r->seconds /= 10;
    }
    return 1;
}

/* Reads a frame rate: a whole number, a fraction, or a decimal number of at most three places. */
static wvl_status read_frames(const wvl_params_reader *r)
{
    const char *p = r->value;
    uint64_t most = r->field->maximum;
    frame_rate rate = {0, 1};
    int is_read = scan_bounded(&p, most, &rate.frames);
    if (is_read && *p == '/') {
        p++;
        is_read = scan_bounded(&p, most, &rate.seconds);
    } else if (is_read && *p == '.') {
        is_read = scan_places(&p, most, &rate);
    }
    if (!is_read || *p || !rate.frames || !rate.seconds) {
        return wvl_params_refuse_value(r, "expected frames a second as 24, 24000/1001 or 23.976, parts up to %" PRIu64,
                                       most);
    }
    memcpy(target(r), (const uint32_t[2]){(uint32_t)rate.frames, (uint32_t)rate.seconds}, 2 * sizeof(uint32_t));
    return WVL_OK;
}

/* ---- Device ---------------------------------------------------------------------------------- */

const char *const wvl_params_device_names[4] = {"auto", "cpu", "cuda", "cuda-only"};

/* Reads what stands behind "cuda" or "cuda-only": "", ":all" or ":N,N,...". 0: it is something else. */
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

static wvl_status read_device(const wvl_params_reader *r)
{
    const char *value = r->value;
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
        r->params->settings.device = (uint8_t)i;
        r->params->settings.device_set = set;
        return WVL_OK;
    }
    return wvl_params_refuse_value(r, "expected auto, cpu, cuda or cuda-only, the last two also with :N, :N,N,... or "
                                      ":all behind it, N from 0 to 15");
}

wvl_status wvl_params_read_value(wvl_params *params, const wvl_option *option, const wvl_field *field,
                                 const char *value)
{
    wvl_params_reader r = {.params = params, .option = option, .field = field, .value = value};
    switch (field->kind) {
    case WVL_FIELD_BOOL: return read_bool(&r);
    case WVL_FIELD_UINT8:
    case WVL_FIELD_UINT64:
    case WVL_FIELD_LAYERS: return read_integer(&r);
    case WVL_FIELD_LEVELS: return read_levels(&r);
    case WVL_FIELD_REAL: return read_real(&r);
    case WVL_FIELD_WORD: return read_word(&r);
    case WVL_FIELD_PAIR32:
    case WVL_FIELD_PAIR16: return read_pair(&r);
    case WVL_FIELD_PRECINCTS: return read_precincts(&r);
    case WVL_FIELD_STYLE: return read_style(&r);
    case WVL_FIELD_PARTS: return read_parts(&r);
    case WVL_FIELD_TARGETS: return wvl_params_read_targets(&r);
    case WVL_FIELD_COMMENT: return wvl_params_read_comment(&r);
    case WVL_FIELD_PROGRESSIONS: return wvl_params_read_progressions(&r);
    case WVL_FIELD_REGISTRATION: return wvl_params_read_registration(&r);
    case WVL_FIELD_DEVICE: return read_device(&r);
    case WVL_FIELD_FRAMES: return read_frames(&r);
    case WVL_FIELD_OVERRIDES: return wvl_params_read_overrides(&r);
    case WVL_FIELD_REGIONS: return wvl_params_read_regions(&r);
    }
    return WVL_ERROR_INTERNAL;
}
