/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_T1_T1_REF_H
#define WVL_T1_T1_REF_H

#include "codec/t1/t1.h"

/* A frame of one sample around the block: (w + 2)(h + 2) is largest for 1024 x 4 and 4 x 1024. */
#define WVL_T1_REF_FRAME ((WVL_T1_MAX_SIDE + 2) * 6)

typedef struct wvl_t1_ref_state {
    uint32_t pass;
    uint32_t magnitude[WVL_T1_REF_FRAME];
    uint8_t negative[WVL_T1_REF_FRAME];
    uint8_t shown_negative[WVL_T1_REF_FRAME]; /* negative and significant */
    uint8_t significant[WVL_T1_REF_FRAME];
    uint8_t visited[WVL_T1_REF_FRAME];
    uint8_t refined[WVL_T1_REF_FRAME];
} wvl_t1_ref_state;

#endif
