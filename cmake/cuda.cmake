# SPDX-License-Identifier: BSD-2-Clause
# Device code. This version has none; the command says so (wavelane --version), and so does the build.
set(WVL_CUDA_SOURCES)

if(WVL_CUDA STREQUAL "ON" AND NOT WVL_CUDA_SOURCES)
    message(FATAL_ERROR "WVL_CUDA=ON: this version has no device code")
elseif(NOT WVL_CUDA_SOURCES)
    message(STATUS "CUDA: not built (no device code in this version)")
endif()
