/* SPDX-License-Identifier: BSD-2-Clause */
/* The rest of the interface, for the library that stands in the place of libopenjp2.so.7: decoding goes on to it. */
#include "real.h"

#include <stdlib.h>

#define FIND(name)                                                                                                     \
    const opj_real *real = OPJ_REAL();                                                                                 \
    if (!real || !real->name) {                                                                                        \
        real_say(1, "no libopenjp2 with " #name "()");                                                                 \
        abort();                                                                                                       \
    }
#define FORWARD(result, name, parameters, arguments)                                                                   \
    result name parameters                                                                                             \
    {                                                                                                                  \
        FIND(name)                                                                                                     \
        return real->name arguments;                                                                                   \
    }
#define FORWARD_VOID(name, parameters, arguments)                                                                      \
    void name parameters                                                                                               \
    {                                                                                                                  \
        FIND(name)                                                                                                     \
        real->name arguments;                                                                                          \
    }
OPJ_FORWARDED(FORWARD, FORWARD_VOID)

/* For the library that is loaded before others: this one is no libopenjp2 to take over. */
const char *opj_wavelane(void);
const char *opj_wavelane(void) { return opj_version(); }
