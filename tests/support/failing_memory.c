/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loaded before a program (LD_PRELOAD): its N-th allocation fails, with N in WVL_FAIL_AT (0: none). At the end their
 * number is written to the file of WVL_FAIL_COUNT. What C libraries and the loader take for themselves does not count.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __GLIBC__
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t n);
void *__libc_realloc(void *block, size_t n);

#define SHOWN __attribute__((visibility("default")))
static atomic_long calls;
static long fail_at; /* 0: none */

static int fails(void)
{
    long n = atomic_fetch_add(&calls, 1) + 1;
    if (fail_at && n == fail_at) {
        errno = ENOMEM;
        return 1;
    }
    return 0;
}

SHOWN void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
SHOWN void *calloc(size_t count, size_t n) { return fails() ? NULL : __libc_calloc(count, n); }
SHOWN void *realloc(void *block, size_t n) { return fails() ? NULL : __libc_realloc(block, n); }

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("WVL_FAIL_AT");
    fail_at = text ? strtol(text, NULL, 10) : 0;
    atomic_store(&calls, 0);
}

__attribute__((destructor)) static void end(void)
{
    const char *name = getenv("WVL_FAIL_COUNT");
    fail_at = 0;
    FILE *file = name ? fopen(name, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", atomic_load(&calls));
        (void)fclose(file);
    }
}
#endif
