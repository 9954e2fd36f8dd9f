/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/mq/mq.h"

void wvl_mq_encode_symbols(wvl_mq *mq, const uint8_t *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++)
        wvl_mq_encode_bit(mq, symbols[i] >> 1, symbols[i] & 1u);
}
