# SPDX-License-Identifier: BSD-2-Clause
# Toolchain file: Linux on arm64 from another Linux (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross). Programs run under qemu-aarch64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
