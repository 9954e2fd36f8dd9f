/* SPDX-License-Identifier: BSD-2-Clause */
/* The rest of the interface, for the library that stands in the place of libopenjp2.so.7: decoding goes on to it. Where
 * there is no such library, or it is too old for a function, the call says so and fails as one of libopenjp2 does. */
#include "real.h"

#define FIND(name)                                                                                                     \
    const opj_real *real = OPJ_REAL();                                                                                 \
    int is_there = real && real->name;                                                                                 \
    if (!is_there) {                                                                                                   \
        real_say(1, "no libopenjp2 with " #name "()");                                                                 \
    }
#define FORWARD(result, name, parameters, arguments)                                                                   \
    result name parameters                                                                                             \
    {                                                                                                                  \
        FIND(name)                                                                                                     \
        return is_there ? real->name arguments : (result)0;                                                            \
    }
#define FORWARD_VOID(name, parameters, arguments)                                                                      \
    void name parameters                                                                                               \
    {                                                                                                                  \
        FIND(name)                                                                                                     \
        if (is_there) {                                                                                                \
            real->name arguments;                                                                                      \
        }                                                                                                              \
    }
OPJ_FORWARDED(FORWARD, FORWARD_VOID)

/* For the library that is loaded before others: this one is no libopenjp2 to take over. */
const char *opj_wavelane(void);
const char *opj_wavelane(void) { return opj_version(); }
