/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/structs.h"

int wvl_struct_read(void *to, size_t bytes, const void *from, size_t least)
{
    size_t size = wvl_struct_size(from, least);
    memset(to, 0, bytes);
    if (!size) {
        return 0;
    }
    for (size_t i = bytes; i < size; i++) {
        if (((const uint8_t *)from)[i]) {
            return 0;
        }
    }
    memcpy(to, from, size < bytes ? size : bytes);
    memcpy(to, &bytes, sizeof bytes);
    return 1;
}

int wvl_struct_write(void *to, const void *from, size_t bytes, size_t least)
{
    size_t size = wvl_struct_size(to, least);
    if (!size) {
        return 0;
    }
    memset((uint8_t *)to + sizeof size, 0, size - sizeof size);
    memcpy((uint8_t *)to + sizeof size, (const uint8_t *)from + sizeof size,
           (size < bytes ? size : bytes) - sizeof size);
    return 1;
}
