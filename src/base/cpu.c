/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/cpu.h"

#ifdef WVL_TESTING
#include <stdlib.h>
#include <string.h>
#endif

static wvl_cpu_level present_level(void)
{
#ifdef WVL_HAVE_AVX2
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return WVL_CPU_AVX2;
    }
#endif
    return WVL_CPU_C;
}

wvl_cpu_level wvl_cpu_fetch_level(void)
{
    wvl_cpu_level level = present_level();
#ifdef WVL_TESTING
    const char *wanted = getenv("WVL_SIMD");
    if (wanted && strcmp(wanted, "c") == 0) {
        level = WVL_CPU_C;
    }
#endif
    return level;
}

const char *wvl_cpu_level_text(wvl_cpu_level level) { return level == WVL_CPU_AVX2 ? "avx2" : "c"; }
