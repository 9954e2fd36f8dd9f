/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/cpu.h"

#ifdef WVL_TESTING
#include <stdlib.h>
#include <string.h>
#endif

#ifdef WVL_HAVE_AVX2
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2");
}
#endif

static wvl_cpu_level present_level(void)
{
#ifdef WVL_HAVE_AVX2
    __builtin_cpu_init();
    if (has_avx2()) {
        return has_avx512() ? WVL_CPU_AVX512 : WVL_CPU_AVX2;
    }
#endif
#ifdef WVL_HAVE_NEON
    return WVL_CPU_NEON;
#else
    return WVL_CPU_C;
#endif
}

wvl_cpu_level wvl_cpu_fetch_level(void)
{
    wvl_cpu_level level = present_level();
#ifdef WVL_TESTING
    const char *wanted = getenv("WVL_SIMD");
    if (wanted && strcmp(wanted, "c") == 0) {
        level = WVL_CPU_C;
    }
    if (wanted && strcmp(wanted, "avx2") == 0 && level == WVL_CPU_AVX512) {
        level = WVL_CPU_AVX2;
    }
#endif
    return level;
}

int wvl_cpu_has_fast_pext(void)
{
#ifdef WVL_HAVE_AVX2
    __builtin_cpu_init();
    return !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
#else
    return 0;
#endif
}

const char *wvl_cpu_level_text(wvl_cpu_level level)
{
    static const char *const names[] = {"c", "avx2", "avx512", "neon"};
    return names[level];
}
