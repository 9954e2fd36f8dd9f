/* SPDX-License-Identifier: BSD-2-Clause */
#include "reduce.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    fuzz_case *best, trial;
    fuzz_shows_fn shows;
    void *user;
    uint32_t trials, most;
} search;

/* Keeps the trial if it shows. */
static int keep(search *s)
{
    if (s->trials == s->most) {
        return 0;
    }
    s->trials++;
    if (!s->shows(s->user, &s->trial)) {
        return 0;
    }
    *s->best = s->trial;
    return 1;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static int drop_pairs(search *s)
{
    int changed = 0;
    for (uint32_t i = s->best->count; i--;) {
        if (strcmp(s->best->pairs[i].key, "illegal") !=
            0) { /* without its rule a case is judged by other standards, and its picture may be huge */
            s->trial = *s->best;
            fuzz_case_drop(&s->trial, i);
            changed |= keep(s);
        }
    }
    return changed;
}

static int put_value(search *s, uint32_t index, const char *value)
{
    if (!strcmp(s->best->pairs[index].value, value)) {
        return 0;
    }
    s->trial = *s->best;
    snprintf(s->trial.pairs[index].value, FUZZ_MAX_VALUE, "%s", value);
    return keep(s);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* Length of the item at p: up to the separator outside of brackets. */
static size_t item_length(const char *p, char separator)
{
    int depth = 0;
    size_t n = 0;
    while (p[n] && (depth || p[n] != separator)) {
        depth += p[n] == '[';
        depth -= p[n] == ']';
        n++;
    }
    return n;
}

/* Leaves out `length` bytes at `at`, and the separator behind or before them. */
static int cut(search *s, uint32_t index, size_t at, size_t length)
{
    char value[FUZZ_MAX_VALUE];
    const char *from = s->best->pairs[index].value;
    size_t whole = strlen(from);
    if (length == whole) {
        return 0;
    }
    if (at + length < whole) {
        length++;
    } else {
        at--;
        length++;
    }
    snprintf(value, sizeof value, "%.*s%s", (int)at, from, from + at + length);
    return put_value(s, index, value);
}

static int drop_items(search *s, uint32_t index, char separator)
{
    int changed = 0;
    for (size_t at = 0; s->best->pairs[index].value[at];) {
        size_t length = item_length(s->best->pairs[index].value + at, separator);
        if (cut(s, index, at, length)) {
            changed = 1; /* the next item is here now */
            at = at < strlen(s->best->pairs[index].value) ? at : strlen(s->best->pairs[index].value);
        } else {
            at += length + (s->best->pairs[index].value[at + length] != 0);
        }
    }
    return changed;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Puts `v` where `length` digits at `at` were. */
static int put_number(search *s, uint32_t index, size_t at, size_t length, uint64_t v)
{
    char value[FUZZ_MAX_VALUE];
    const char *from = s->best->pairs[index].value;
    if (snprintf(value, sizeof value, "%.*s%" PRIu64 "%s", (int)at, from, v, from + at + length) >= (int)sizeof value) {
        return 0;
    }
    return put_value(s, index, value);
}

static int lower_number(search *s, uint32_t index, size_t at)
{
    int changed = 0, again = 1;
    while (again) {
        const char *from = s->best->pairs[index].value + at;
        size_t length = strspn(from, "0123456789");
        uint64_t v = strtoull(from, NULL, 10);
        const uint64_t tries[] = {0, 1, v / 2, v - v / 4, v - 1, v & (v - 1)}; /* the last takes a bit away */
        again = 0;
        for (size_t i = 0; i < sizeof tries / sizeof tries[0] && !again && length && length < 19; i++) {
            again = tries[i] < v && put_number(s, index, at, length, tries[i]);
        }
        changed |= again;
    }
    return changed;
}

static int lower_numbers(search *s, uint32_t index)
{
    int changed = 0;
    for (size_t at = 0; s->best->pairs[index].value[at]; at++) {
        const char *value = s->best->pairs[index].value;
        if (isdigit((unsigned char)value[at]) && (!at || !isdigit((unsigned char)value[at - 1]))) {
            changed |= lower_number(s, index, at);
        }
    }
    return changed;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int simplify_values(search *s)
{
    static const char *const pictures[] = {"flat", "natural", "noise", "extreme"};
    int changed = 0;
    for (uint32_t i = 0; i < s->best->count; i++) {
        const char *key = s->best->pairs[i].key;
        for (size_t k = 0; !strcmp(key, "picture") && k < 4 && strchr(s->best->pairs[i].value, '.'); k++) {
            changed |= put_value(s, i, pictures[k]);
        }
        if (strcmp(key, "illegal") != 0 && strcmp(key, "comment") != 0) {
            changed |= drop_items(s, i, '/') | drop_items(s, i, '+') | drop_items(s, i, ',') | lower_numbers(s, i);
        }
    }
    return changed;
}

uint32_t fuzz_reduce_case(fuzz_case *c, fuzz_shows_fn shows, void *user, uint32_t most)
{
    search *s = calloc(1, sizeof *s);
    if (!s) {
        return 0;
    }
    s->best = c;
    s->shows = shows;
    s->user = user;
    s->most = most;
    while (drop_pairs(s) | simplify_values(s)) {
    }
    uint32_t trials = s->trials;
    free(s);
    return trials;
}
