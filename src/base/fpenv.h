/* SPDX-License-Identifier: BSD-2-Clause */
/* The default floating-point environment (round to nearest even, gradual underflow, no traps) around work that decides
 * bytes. */
#pragma once

#include <fenv.h>
#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

typedef struct wvl_fpenv {
    fenv_t saved;
} wvl_fpenv;

static inline void wvl_fpenv_enter(wvl_fpenv *env)
{
    (void)fegetenv(&env->saved);
    (void)fesetenv(FE_DFL_ENV);
#if defined(__x86_64__) || defined(__i386__)
    _mm_setcsr(
        0x1f80); /* all exceptions masked, nearest, no FTZ, no DAZ: fesetenv leaves FTZ/DAZ to the implementation */
#endif
}

static inline void wvl_fpenv_leave(const wvl_fpenv *env)
{
    (void)fesetenv(&env->saved); /* FTZ and DAZ included: they are in the control word that fegetenv saved */
}
