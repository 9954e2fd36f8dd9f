/* SPDX-License-Identifier: BSD-2-Clause */
/* Shuffles of values of 32 bits, whatever their type: by those of words. After emulate.h. */
#pragma once

#include "emulate.h"

template <class T> static inline uint32_t word_of(T v)
{
    uint32_t word;
    static_assert(sizeof v == sizeof word, "one register");
    memcpy(&word, &v, sizeof word);
    return word;
}
template <class T> static inline T value_of(uint32_t word)
{
    T v;
    memcpy(&v, &word, sizeof v);
    return v;
}
template <class T> static inline T __shfl_up_sync(uint32_t mask, T v, int d)
{
    return value_of<T>(__shfl_up_sync(mask, word_of(v), (uint32_t)d));
}
template <class T> static inline T __shfl_down_sync(uint32_t mask, T v, int d)
{
    return value_of<T>(__shfl_down_sync(mask, word_of(v), (uint32_t)d));
}
template <class T> static inline T __shfl_sync(uint32_t mask, T v, int lane)
{
    return value_of<T>(__shfl_sync(mask, word_of(v), (uint32_t)lane));
}
