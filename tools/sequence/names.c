/* SPDX-License-Identifier: BSD-2-Clause */
#include "names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHARDS 1000000u

const char *wvl_sequence_find_number(const char *name, unsigned *digits, const char **end)
{
    const char *percent = strchr(name, '%');
    *digits = 1;
    if (!percent || strchr(percent + 1, '%')) {
        return NULL;
    }
    const char *p = percent + 1;
    if (p[0] == '0' && p[1] >= '1' && p[1] <= '9') {
        *digits = (unsigned)(p[1] - '0');
        p += 2;
    }
    *end = p + 1;
    return *p == 'd' ? percent : NULL;
}

char *wvl_sequence_name_frame(const char *pattern, uint64_t number)
{
    unsigned digits;
    const char *rest, *at = wvl_sequence_find_number(pattern, &digits, &rest);
    size_t bytes = strlen(pattern) + 24;
    char *name = at ? malloc(bytes) : NULL;
    if (name) {
        snprintf(name, bytes, "%.*s%0*" PRIu64 "%s", (int)(at - pattern), pattern, (int)digits, number, rest);
    }
    return name;
}

/* Digits from *text on, which then stands behind them: 1, else 0. */
static int take_number(const char **text, uint64_t *value)
{
    char *end;
    int is_number = **text >= '0' && **text <= '9';
    *value = strtoull(*text, &end, 10);
    *text = end;
    return is_number && *value <= WVL_SEQUENCE_MOST_NUMBER;
}

int wvl_sequence_parse_range(const char *text, wvl_sequence_range *range)
{
    range->step = 1;
    int good = take_number(&text, &range->first);
    range->last = range->first;
    if (good && *text == '-') {
        text++;
        good = take_number(&text, &range->last);
    }
    if (good && *text == 'x') {
        text++;
        good = take_number(&text, &range->step);
    }
    return good && !*text && range->step && range->last >= range->first;
}

uint64_t wvl_sequence_range_count(const wvl_sequence_range *range)
{
    return (range->last - range->first) / range->step + 1;
}

int wvl_sequence_parse_shard(const char *text, uint32_t *index, uint32_t *count)
{
    uint64_t i, n;
    int good = take_number(&text, &i) && *text == '/';
    text += good;
    good = good && take_number(&text, &n) && !*text && i && i <= n && n <= MOST_SHARDS;
    *index = good ? (uint32_t)i : 0;
    *count = good ? (uint32_t)n : 0;
    return good;
}

void wvl_sequence_cut_shard(uint64_t frames, uint32_t index, uint32_t count, uint64_t *begin, uint64_t *end)
{
    uint64_t whole = frames / count, rest = frames % count; /* the first `rest` shards have one frame more */
    uint64_t before = index - 1;
    *begin = before * whole + (before < rest ? before : rest);
    *end = *begin + whole + (before < rest);
}
