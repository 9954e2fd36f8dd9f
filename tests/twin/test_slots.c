/* SPDX-License-Identifier: BSD-2-Clause */
/* Every SIMD slot of the table (tools/slots) at every level of this machine against plain C: the same results, and
 * nothing written beyond. */
#include "codec/ht/ht.h"
#include "codec/ht/ht_block.h"
#include "codec/rate/rdoq_kernels.h"
#include "codec/t1/kernels.h"
#include "dwt/dwt.h"
#include "front/front.h"
#include "slots_suite.h"

static void check_level(wvl_cpu_level level)
{
    slots_suite_check_table("dwt", wvl_dwt_fetch_kernels(level), offsetof(wvl_dwt_kernels, vlift),
                            sizeof(wvl_dwt_kernels), level);
    slots_suite_check_table("front", wvl_front_fetch_kernels(level), offsetof(wvl_front_kernels, strided),
                            sizeof(wvl_front_kernels), level);
    if (level == wvl_cpu_fetch_level()) { /* these choose by the machine */
        slots_suite_check_table("ht", wvl_ht_block_coder.fetch_kernels(), 0, sizeof(wvl_ht_kernels), level);
        slots_suite_check_table("rdoq", wvl_rdoq_fetch_kernels(), 0, sizeof(wvl_rdoq_kernels), level);
        slots_suite_check_table("t1", wvl_t1_fetch_kernels(), 0, offsetof(wvl_t1_kernels, lanes), level);
    }
    if (level == WVL_CPU_C) {
        slots_suite_check_table("ht", &wvl_ht_kernels_c, 0, sizeof(wvl_ht_kernels), level);
        slots_suite_check_table("rdoq", &wvl_rdoq_kernels_c, 0, sizeof(wvl_rdoq_kernels), level);
        slots_suite_check_table("t1", &wvl_t1_kernels_c, 0, offsetof(wvl_t1_kernels, lanes), level);
    }
}

int main(void) { return slots_suite_run("twin_slots", check_level); }
