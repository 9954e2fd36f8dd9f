/* SPDX-License-Identifier: BSD-2-Clause */
/* The libopenjp2 that the host has loaded: found by the object that calls, and compared with opj.h. */
#ifndef WVL_OPENJP2_REAL_H
#define WVL_OPENJP2_REAL_H

#include "opj.h"

typedef struct opj_real {
    void *library; /* of dlopen(), or RTLD_NEXT; never closed */
    int fits;      /* 1: its structures are those of opj.h; 0: nothing is taken over */
#define MEMBER(result, name, parameters, arguments) result(*name) parameters;
    OPJ_TAKEN(MEMBER)
#define MEMBER_VOID(name, parameters, arguments) void(*name) parameters;
    OPJ_FORWARDED(MEMBER, MEMBER_VOID)
#undef MEMBER
#undef MEMBER_VOID
} opj_real;

/* The library that `caller`, an address in the host's code, is linked with; where the object says none, one that is
 * loaded, else libopenjp2.so.7 of the system. NULL: there is none. Every thread may call. */
const opj_real *real_find(const void *caller);

/* For functions that hosts call: the real library of the object that the caller is in. */
#define OPJ_REAL() real_find(__builtin_return_address(0))

/* Text on standard error, where WAVELANE_LOG is set or `is_warning`. */
void real_say(int is_warning, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
