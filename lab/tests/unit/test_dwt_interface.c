/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of wavelane_dwt.h in every size: those of earlier programs, and of later ones whose new members are 0. */
#include "wavelane_dwt.h"

#include "base/structs.h"
#include "tests/support/support.h"

enum { LATER_BYTES = 64 };

static wvl_status open_signals(void *memory)
{
    wvl_dwt1_options *options = memory;
    wvl_dwt1 *dwt;
    options->wavelet = "haar";
    options->type = WVL_DWT_F32;
    const wvl_status status = wvl_dwt1_create(options, &dwt, NULL, 0);
    wvl_dwt1_release(dwt);
    return status;
}

static wvl_status open_pictures(void *memory)
{
    wvl_dwt2_options *options = memory;
    wvl_dwt2 *dwt;
    options->wavelet = "cdf97";
    options->type = WVL_DWT_F32;
    const wvl_status status = wvl_dwt2_create(options, &dwt, NULL, 0);
    wvl_dwt2_release(dwt);
    return status;
}

static const struct {
    size_t first, today; /* the size of the first release, and that of this one */
    wvl_status (*open)(void *memory);
} kinds[] = {
    {WVL_STRUCT_UNTIL(wvl_dwt1_options, allocator), sizeof(wvl_dwt1_options), open_signals},
    {WVL_STRUCT_UNTIL(wvl_dwt2_options, stream), sizeof(wvl_dwt2_options), open_pictures},
};

/* The memory ends with the structure, so that a checker sees who reads beyond it. */
static wvl_status open_with(int kind, size_t size, uint8_t last)
{
    const size_t bytes = size > kinds[kind].today ? size : kinds[kind].today;
    uint8_t *memory = calloc(1, bytes);
    ck_assert_ptr_nonnull(memory);
    memcpy(memory, &size, sizeof size);
    memory[bytes - 1] = last;
    const wvl_status status = kinds[kind].open(memory);
    free(memory);
    return status;
}

TEST_EACH(options_of_every_size, (int)(sizeof kinds / sizeof *kinds))
{
    const size_t first = kinds[_i].first, today = kinds[_i].today;
    for (size_t size = first; size <= today + LATER_BYTES; size++) {
        ck_assert_int_eq(open_with(_i, size, 0), WVL_OK);
    }
    for (size_t size = today + 1; size <= today + LATER_BYTES; size++) {
        ck_assert_int_eq(open_with(_i, size, 1), WVL_ERROR_ARGUMENT);
    }
    ck_assert_int_eq(open_with(_i, first - 1, 0), WVL_ERROR_ARGUMENT);
    ck_assert_int_eq(open_with(_i, 0, 0), WVL_ERROR_ARGUMENT);
}

TEST_MAIN("dwt_interface")
