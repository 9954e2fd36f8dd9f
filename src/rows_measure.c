/* SPDX-License-Identifier: BSD-2-Clause */
/* wvl_rows_measure: what an encode of rows takes. */
#include "base/alloc.h"
#include "base/structs.h"
#include "codec/recode.h"
#include "context.h"
#include "rows.h"

wvl_status wvl_rows_measure(const wvl_plan *plan, const wvl_row_source *given, wvl_rows_memory *memory)
{
    wvl_row_source source;
    if (!plan || !given || !memory || !wvl_struct_size(memory, WVL_STRUCT_UNTIL(wvl_rows_memory, in_strips)) ||
        !wvl_struct_read(&source, sizeof source, given, WVL_STRUCT_UNTIL(wvl_row_source, user)) ||
        wvl_rows_refuse(plan, &source)) {
        return WVL_ERROR_ARGUMENT;
    }
    uint64_t window = wvl_alloc_size(wvl_rows_window_bytes(plan, &source, wvl_rows_of_waves(plan)));
    wvl_rows_memory m = {.struct_size = sizeof m,
                         .row_bytes = window,
                         .base_bytes = wvl_add_saturate(plan->memory.base_bytes, window),
                         .coded_bytes_bound = plan->memory.coded_bytes_bound,
                         .reads_again = source.rewind && wvl_recode_is_possible(plan) && !plan->rate.keep_coefs};
    (void)wvl_struct_write(memory, &m, sizeof m, WVL_STRUCT_UNTIL(wvl_rows_memory, in_strips));
    return WVL_OK;
}
