/* SPDX-License-Identifier: BSD-2-Clause */
/* Device code inside a library: WVL_CARRY_IMAGE(symbol, path) puts the file in as `symbol`, which only this library
 * sees. */
#pragma once

#define WVL_CARRY_IMAGE(symbol, path)                                                                                  \
    __asm__(".section .rodata\n"                                                                                       \
            ".balign 64\n"                                                                                             \
            ".local " #symbol "\n" #symbol ":\n"                                                                       \
            ".incbin \"" path "\"\n"                                                                                   \
            ".byte 0\n"                                                                                                \
            ".previous\n");                                                                                            \
    extern const unsigned char symbol[] __attribute__((visibility("hidden")))
