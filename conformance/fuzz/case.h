/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A case: everything that a trial depends on, as "key=value key=value ...", so that one line repeats it. Keys of the
 * picture (below), and the keys of the option table. Blanks, % and bytes beyond ASCII are written %XX.
 *
 *   picture=NAME         a file of the folder, or natural, noise, flat, extreme, sparse: drawn
 *   at=X,Y               where the crop of a file begins; the seed of a drawn picture is X
 *   size=W,H             on the reference grid
 *   offset=X,Y           XOsiz, YOsiz
 *   components=LIST      [n*]depth(u|s)[@dxxdy],...
 *   layouts=A,B          of the samples handed over in the first and the second encode
 *   threads=A,B
 *   preset=NAME          set before the options
 *   tables=SEED          curves and a matrix of the caller, for input-color=custom: see color.c
 *   jp2=WORD+WORD+...    what a JP2 file says: see boxes.c
 *   illegal=NAME         a rule broken on purpose: see illegal.c
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FUZZ_MAX_PAIRS 64u
#define FUZZ_MAX_KEY 32u
#define FUZZ_MAX_VALUE 1400u
#define FUZZ_MAX_TEXT (64u << 10)

typedef struct fuzz_pair {
    char key[FUZZ_MAX_KEY], value[FUZZ_MAX_VALUE];
} fuzz_pair;

typedef struct fuzz_case {
    fuzz_pair pairs[FUZZ_MAX_PAIRS];
    uint32_t count;
} fuzz_case;

/* 1: read. 0: a word is no key=value, or too long. Lines that begin with # are passed over. */
int fuzz_case_parse(fuzz_case *c, const char *text);
/* The last value of key; NULL: not there. */
const char *fuzz_case_get(const fuzz_case *c, const char *key);
/* The value, or otherwise. */
const char *fuzz_case_or(const fuzz_case *c, const char *key, const char *otherwise);
void fuzz_case_set(fuzz_case *c, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Another pair of that key, for options that may be given several times. */
void fuzz_case_add(fuzz_case *c, const char *key, const char *value);
void fuzz_case_drop(fuzz_case *c, uint32_t index);
void fuzz_case_drop_key(fuzz_case *c, const char *key);
/* One line without line end; always terminated. */
void fuzz_case_print(const fuzz_case *c, char *text, size_t text_bytes);
/* 1: a key of the picture, not of the option table. */
int fuzz_case_is_picture_key(const char *key);
/* yes, on, true or 1 */
int fuzz_case_is_on(const fuzz_case *c, const char *key);
/* "a,b" of a key, or what a and b were. */
void fuzz_case_pair(const fuzz_case *c, const char *key, uint32_t *a, uint32_t *b);

/* ---- Numbers: the same everywhere for a seed ------------------------------------------------- */

typedef struct fuzz_random {
    uint64_t state;
} fuzz_random;

static inline uint64_t fuzz_random_next(fuzz_random *r)
{
    uint64_t z = (r->state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* In [low, high]. */
static inline uint32_t fuzz_random_between(fuzz_random *r, uint32_t low, uint32_t high)
{
    return low + (uint32_t)((fuzz_random_next(r) >> 32) * ((uint64_t)high - low + 1) >> 32);
}

static inline int fuzz_random_chance(fuzz_random *r, uint32_t percent)
{
    return fuzz_random_between(r, 1, 100) <= percent;
}
