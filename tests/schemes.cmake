# SPDX-License-Identifier: BSD-2-Clause
# Kernels of the transform laboratory, written by its generator. WVL_LAB_TURN: one choice for all schemes (.ci/schemes).
find_package(Python3 3.9 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
    return()
endif()
# tools/bench/device_schemes compiles bench/scheme_harness.cu when it is run.
if(WVL_HAVE_CUDA)
    wvl_register_test(schemes_nvcc house ${CMAKE_CURRENT_SOURCE_DIR}/house/test_schemes_nvcc.sh ${WVL_NVCC} ${Python3_EXECUTABLE}
        ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/schemes/nvcc)
endif()
set(dwtgen ${PROJECT_SOURCE_DIR}/tools/dwtgen)
file(GLOB dwtgen_parts CONFIGURE_DEPENDS ${dwtgen}/*.py ${dwtgen}/*.cuh ${dwtgen}/*.h ${dwtgen}/wavelets/*.txt)
add_custom_command(OUTPUT schemes/schemes_generated.cuh
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/twin/make_schemes.py ${dwtgen} schemes/schemes_generated.cuh
        ${WVL_LAB_TURN}
    DEPENDS twin/make_schemes.py ${dwtgen_parts} VERBATIM)
add_custom_command(OUTPUT schemes/schemes_generated.c
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/twin/make_schemes.py ${dwtgen} --c schemes/schemes_generated.c
    DEPENDS twin/make_schemes.py ${dwtgen_parts} VERBATIM)
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/schemes)
add_library(schemes_emulated STATIC twin/schemes_emulated.cpp ${CMAKE_CURRENT_BINARY_DIR}/schemes/schemes_generated.cuh)
target_include_directories(schemes_emulated PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/schemes ${PROJECT_SOURCE_DIR})
target_compile_options(schemes_emulated PRIVATE -std=c++17 -O0 -Wall -Wextra -Wno-unused-function -fno-strict-aliasing)
if(WVL_SANITIZE OR CMAKE_C_FLAGS MATCHES "-fsanitize")
    target_compile_definitions(schemes_emulated PRIVATE WVL_EMULATION_SWAPS)
endif()
add_library(schemes_c STATIC twin/schemes_c.c ${CMAKE_CURRENT_BINARY_DIR}/schemes/schemes_generated.c)
set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/schemes/schemes_generated.c PROPERTIES HEADER_FILE_ONLY ON)
target_include_directories(schemes_c PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/schemes)
target_compile_options(schemes_c PRIVATE -O0 -Wall -Wextra -fno-strict-aliasing)
wvl_add_suite(twin dwt_schemes ${PROJECT_SOURCE_DIR}/tools/bench/textbook.c)
target_link_libraries(test_dwt_schemes PRIVATE schemes_emulated schemes_c)
