/* SPDX-License-Identifier: BSD-2-Clause */
/* Every SIMD slot of the laboratory (lab/slots) at every level of this machine against plain C. */
#include "lab/dwt2/dwt2.h"
#include "lab/lattice/lattice.h"
#include "tests/twin/slots_suite.h"

static void check_level(wvl_cpu_level level)
{
    if (level == WVL_CPU_C) {
        slots_suite_check_table("dwt2", &wvl_dwt2_rows_c, 0, sizeof(wvl_dwt2_rows), level);
        slots_suite_check_table("lattice", &wvl_lattice_kernels_c, 0, sizeof(wvl_lattice_kernels), level);
    }
#ifdef WVL_HAVE_AVX2
    if (level == WVL_CPU_AVX2) {
        slots_suite_check_table("dwt2", &wvl_dwt2_rows_avx2, 0, sizeof(wvl_dwt2_rows), level);
        slots_suite_check_table("lattice", &wvl_lattice_kernels_avx2, 0, sizeof(wvl_lattice_kernels), level);
    }
#endif
}

int main(void) { return slots_suite_run("twin_dwt_slots", check_level); }
