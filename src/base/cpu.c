/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/cpu.h"

#include <stdatomic.h>
#include <stdint.h>

#ifdef WVL_TESTING
#include <stdlib.h>
#include <string.h>
#endif

#ifdef WVL_HAVE_AVX2
#include <cpuid.h>

#define BIT(n) (1u << (n))

/* What CPUID says. The compiler's own functions for this are empty with some compilers (zig). */
typedef struct features {
    unsigned basic_ecx;                  /* leaf 1 */
    unsigned extended_ebx, extended_ecx; /* leaf 7 */
    unsigned saved;                      /* XCR0: registers that the operating system keeps */
} features;

static features read_features(void)
{
    features f = {0};
    unsigned eax, ebx, ecx, edx;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
        f.basic_ecx = ecx;
    }
    if (f.basic_ecx & BIT(27)) { /* OSXSAVE */
        __asm__ volatile("xgetbv" : "=a"(f.saved), "=d"(edx) : "c"(0));
    }
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
        f.extended_ebx = ebx;
        f.extended_ecx = ecx;
    }
    return f;
}

static int has_all(unsigned word, unsigned bits) { return (word & bits) == bits; }

/* FMA, POPCNT, AVX; BMI1, AVX2, BMI2; XMM and YMM. */
static int has_avx2(const features *f)
{
    return has_all(f->basic_ecx, BIT(12) | BIT(23) | BIT(28)) && has_all(f->extended_ebx, BIT(3) | BIT(5) | BIT(8)) &&
           has_all(f->saved, BIT(1) | BIT(2));
}

/* F, DQ, CD, BW, VL; VBMI, VBMI2; the masks, and both halves of ZMM. */
static int has_avx512(const features *f)
{
    return has_all(f->extended_ebx, BIT(16) | BIT(17) | BIT(28) | BIT(30) | BIT(31)) &&
           has_all(f->extended_ecx, BIT(1) | BIT(6)) && has_all(f->saved, BIT(5) | BIT(6) | BIT(7));
}

/* AMD's family 17h, which is Zen 1 and Zen 2, does PEXT in microcode. */
static int is_amd_17h(void)
{
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx) || ebx != signature_AMD_ebx || ecx != signature_AMD_ecx) {
        return 0;
    }
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (eax >> 8 & 0xF) + (eax >> 20 & 0xFF) == 0x17;
}
#endif

static wvl_cpu_level find_level(void)
{
#ifdef WVL_HAVE_AVX2
    features f = read_features();
    if (has_avx2(&f)) {
        return has_avx512(&f) ? WVL_CPU_AVX512 : WVL_CPU_AVX2;
    }
#endif
#ifdef WVL_HAVE_NEON
    return WVL_CPU_NEON;
#else
    return WVL_CPU_C;
#endif
}

/* CPUID leaves a virtual machine, and each picture asks a few times: what it says never changes, and is kept. */
static _Atomic uint32_t known; /* the level and 1; 0: nobody has asked */

static wvl_cpu_level present_level(void)
{
    uint32_t level = atomic_load_explicit(&known, memory_order_relaxed);
    if (!level) {
        level = (uint32_t)find_level() + 1;
        atomic_store_explicit(&known, level, memory_order_relaxed);
    }
    return (wvl_cpu_level)(level - 1);
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

int wvl_cpu_has_level(wvl_cpu_level level)
{
    wvl_cpu_level highest = wvl_cpu_fetch_level();
    return level == WVL_CPU_C || level == highest || (level < highest && highest != WVL_CPU_NEON);
}

int wvl_cpu_limit_level(wvl_cpu_level level)
{
    if (!wvl_cpu_has_level(level)) {
        return -1;
    }
    atomic_store_explicit(&known, (uint32_t)level + 1, memory_order_relaxed);
    return 0;
}

int wvl_cpu_has_fast_pext(void)
{
#ifdef WVL_HAVE_AVX2
    return !is_amd_17h();
#else
    return 0;
#endif
}

const char *wvl_cpu_level_text(wvl_cpu_level level)
{
    static const char *const names[] = {"c", "avx2", "avx512", "neon"};
    return names[level];
}
