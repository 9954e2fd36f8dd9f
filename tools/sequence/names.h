/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and numbers of the frames of a sequence. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define WVL_SEQUENCE_MOST_NUMBER UINT64_C(999999999999)

/* Finds where a name holds its number: %d, or %06d and the like with 1 to 9 digits. NULL: nowhere, in more than one
 * place, or another % is in it. *end: what stands behind the number. */
const char *wvl_sequence_find_number(const char *name, unsigned *digits, const char **end);
/* The name with the number in its place; NULL: no memory. The caller frees it. */
char *wvl_sequence_name_frame(const char *pattern, uint64_t number);

/* Frames first, first + step, ... up to last. */
typedef struct wvl_sequence_range {
    uint64_t first, last, step;
} wvl_sequence_range;

/* "A", "A-B" or "A-BxSTEP": 1, else 0. */
int wvl_sequence_parse_range(const char *text, wvl_sequence_range *range);
uint64_t wvl_sequence_range_count(const wvl_sequence_range *range);
/* "I/N" with I from 1 to N: 1, else 0. */
int wvl_sequence_parse_shard(const char *text, uint32_t *index, uint32_t *count);
/* Frames of shard `index` of `count`: from *begin to below *end. Shards follow each other without a gap. */
void wvl_sequence_cut_shard(uint64_t frames, uint32_t index, uint32_t count, uint64_t *begin, uint64_t *end);
