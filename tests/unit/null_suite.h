/* SPDX-License-Identifier: BSD-2-Clause */
/* A suite that gives NULL for each pointer of every function of some headers in turn. The headers themselves say which
 * functions there are, so that one without a row fails the suite. */
#pragma once

#include <stddef.h>

/* Pointer i of the call, which is NULL in turn. */
#define P(i, pointer) (null == (i) ? NULL : (pointer))
#define DONE(call) ((call), WVL_OK)
/* 0 and "" stand for WVL_ERROR_ARGUMENT where a function has no status. */
#define NUMBER(call) ((call) ? WVL_OK : WVL_ERROR_ARGUMENT)
#define TEXT(call) (*(call) ? WVL_OK : WVL_ERROR_ARGUMENT)

/* For rows X(name, pointers, those that must not be NULL as bits, call): the call has b, a `bench` of the suite, and
 * null. */
#define NULL_CALL(name, pointers, needed, call)                                                                        \
    static int call_##name(void *arguments, int null)                                                                  \
    {                                                                                                                  \
        bench *b = arguments;                                                                                          \
        (void)b, (void)null;                                                                                           \
        return (int)(call);                                                                                            \
    }
#define NULL_ROW(name, pointers, needed, call) {#name, pointers, needed, call_##name},

typedef struct null_row {
    const char *name;
    int pointers;
    unsigned needed; /* bit i: pointer i must not be NULL */
    int (*call)(void *bench, int null);
} null_row;

typedef struct null_suite {
    const char *name;
    const char *folder; /* of the headers */
    const null_row *rows;
    size_t row_count;
    size_t bench_bytes; /* arguments that are good */
    void (*open)(void *bench);
    void (*close)(void *bench);
} null_suite;

/* Returns what main does. */
int null_suite_run(const null_suite *suite);
