# SPDX-License-Identifier: BSD-2-Clause
# Flags of everything in the project, carried by one interface target.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")

add_library(wavelane_flags INTERFACE)
target_compile_definitions(wavelane_flags INTERFACE _POSIX_C_SOURCE=200809L)
# Contraction would make a byte depend on the compiler: every fused multiply-add is written as one.
target_compile_options(wavelane_flags INTERFACE
    -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes)
if(WVL_WERROR)
    target_compile_options(wavelane_flags INTERFACE -Werror)
endif()
if(WVL_SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(wavelane_flags INTERFACE ${sanitizers})
    target_link_options(wavelane_flags INTERFACE ${sanitizers})
endif()
if(WVL_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "WVL_FUZZ needs clang: CC=clang cmake ...")
    endif()
    target_compile_options(wavelane_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
