/* SPDX-License-Identifier: BSD-2-Clause */
#include "case.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fuzz_case_is_picture_key(const char *key)
{
    static const char *const keys[] = {"picture", "at",     "size",   "offset", "components", "layouts",
                                       "threads", "preset", "tables", "jp2",    "illegal",    "rows"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (!strcmp(key, keys[i])) {
            return 1;
        }
    }
    return 0;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

static int read_value(const char *from, size_t length, char *to)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        char c = from[i];
        if (c == '%') {
            int high = i + 2 < length ? hex_digit(from[i + 1]) : -1, low = i + 2 < length ? hex_digit(from[i + 2]) : -1;
            if (high < 0 || low < 0 || !(high | low)) {
                return 0;
            }
            c = (char)(high << 4 | low);
            i += 2;
        }
        if (n + 1 >= FUZZ_MAX_VALUE) {
            return 0;
        }
        to[n++] = c;
    }
    to[n] = 0;
    return 1;
}

static int read_pair(fuzz_case *c, const char *word, size_t length)
{
    const char *equals = memchr(word, '=', length);
    size_t key = equals ? (size_t)(equals - word) : 0;
    if (!key || key >= FUZZ_MAX_KEY || c->count == FUZZ_MAX_PAIRS) {
        return 0;
    }
    fuzz_pair *pair = &c->pairs[c->count];
    memcpy(pair->key, word, key);
    pair->key[key] = 0;
    c->count++;
    return read_value(equals + 1, length - key - 1, pair->value);
}

int fuzz_case_parse(fuzz_case *c, const char *text)
{
    c->count = 0;
    for (const char *p = text; *p;) {
        if (*p == '#' && (p == text || p[-1] == '\n')) {
            p += strcspn(p, "\n");
            continue;
        }
        size_t length = strcspn(p, " \t\r\n");
        if (length && !read_pair(c, p, length)) {
            return 0;
        }
        p += length;
        p += *p != 0;
    }
    return 1;
}

void fuzz_case_print(const fuzz_case *c, char *text, size_t text_bytes)
{
    size_t n = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < c->count && n + 2 * FUZZ_MAX_KEY < text_bytes; i++) {
        n += (size_t)snprintf(text + n, text_bytes - n, "%s%s=", i ? " " : "", c->pairs[i].key);
        for (const char *p = c->pairs[i].value; *p && n + 4 < text_bytes; p++) {
            int plain = *p > ' ' && *p < 0x7F && *p != '%';
            n += (size_t)snprintf(text + n, text_bytes - n, plain ? "%c" : "%%%02X", (unsigned char)*p);
        }
    }
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

const char *fuzz_case_get(const fuzz_case *c, const char *key)
{
    for (uint32_t i = c->count; i--;) {
        if (!strcmp(c->pairs[i].key, key)) {
            return c->pairs[i].value;
        }
    }
    return NULL;
}

const char *fuzz_case_or(const fuzz_case *c, const char *key, const char *otherwise)
{
    const char *value = fuzz_case_get(c, key);
    return value ? value : otherwise;
}

void fuzz_case_add(fuzz_case *c, const char *key, const char *value)
{
    if (c->count == FUZZ_MAX_PAIRS || strlen(key) >= FUZZ_MAX_KEY || strlen(value) >= FUZZ_MAX_VALUE) {
        abort(); /* a generator outgrew its case */
    }
    snprintf(c->pairs[c->count].key, FUZZ_MAX_KEY, "%s", key);
    snprintf(c->pairs[c->count].value, FUZZ_MAX_VALUE, "%s", value);
    c->count++;
}

void fuzz_case_set(fuzz_case *c, const char *key, const char *format, ...)
{
    char value[FUZZ_MAX_VALUE];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(value, sizeof value, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof value) {
        abort();
    }
    for (uint32_t i = c->count; i--;) {
        if (!strcmp(c->pairs[i].key, key)) {
            memcpy(c->pairs[i].value, value, (size_t)n + 1);
            return;
        }
    }
    fuzz_case_add(c, key, value);
}

void fuzz_case_drop(fuzz_case *c, uint32_t index)
{
    c->count--;
    memmove(&c->pairs[index], &c->pairs[index + 1], (c->count - index) * sizeof c->pairs[0]);
}

void fuzz_case_drop_key(fuzz_case *c, const char *key)
{
    for (uint32_t i = c->count; i--;) {
        if (!strcmp(c->pairs[i].key, key)) {
            fuzz_case_drop(c, i);
        }
    }
}

int fuzz_case_is_on(const fuzz_case *c, const char *key)
{
    const char *value = fuzz_case_or(c, key, "no");
    return !strcmp(value, "yes") || !strcmp(value, "on") || !strcmp(value, "true") || !strcmp(value, "1");
}

void fuzz_case_pair(const fuzz_case *c, const char *key, uint32_t *a, uint32_t *b)
{
    const char *value = fuzz_case_get(c, key);
    char *end;
    if (value) {
        *a = (uint32_t)strtoul(value, &end, 10);
        *b = *end == ',' ? (uint32_t)strtoul(end + 1, NULL, 10) : *a;
    }
}
