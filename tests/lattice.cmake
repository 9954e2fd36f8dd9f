# SPDX-License-Identifier: BSD-2-Clause
# Transforms alone: pictures; signals on the CPU, kernels on emulated threads, named filters, bench.
wvl_add_suite(unit lattice)
wvl_add_suite(unit lattice_bits)
wvl_add_suite(unit dwt2)
target_sources(test_dwt2 PRIVATE ${PROJECT_SOURCE_DIR}/tools/bench/textbook.c)
target_include_directories(test_dwt2 PRIVATE ${PROJECT_SOURCE_DIR})
if(CMAKE_CXX_COMPILER AND NOT CMAKE_CROSSCOMPILING)
    add_library(lattice_emulated STATIC twin/lattice_emulated.cpp)
    target_include_directories(lattice_emulated PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
    target_compile_options(lattice_emulated PRIVATE -std=c++17 -O2 -ffp-contract=off -Wall -Wextra -Wno-unknown-pragmas -Wno-unused-function)
    if(WVL_SANITIZE OR CMAKE_C_FLAGS MATCHES "-fsanitize")
        target_compile_definitions(lattice_emulated PRIVATE WVL_EMULATION_SWAPS)
    endif()
    wvl_add_suite(twin cuda_lattice)
    target_link_libraries(test_cuda_lattice PRIVATE lattice_emulated)
endif()
if(Python3_FOUND)
    wvl_register_test(generated_filters house ${CMAKE_CURRENT_SOURCE_DIR}/house/test_generated.sh
        ${PROJECT_SOURCE_DIR}/tools/tablegen/gen_filters.py ${PROJECT_SOURCE_DIR}/src/lattice/gen/filters.h)
endif()
# Programs that compare on a device: what they do without one.
if(Python3_FOUND AND NOT WVL_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize=")
    wvl_register_test(device_scripts unit ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_device_scripts.py
        ${PROJECT_SOURCE_DIR}/tools/bench $<TARGET_FILE:wavelane>)
endif()
# A device runs bench/lattice_harness.cu; here it is compiled.
if(WVL_HAVE_CUDA)
    wvl_register_test(lattice_nvcc house ${CMAKE_CURRENT_SOURCE_DIR}/house/test_lattice_nvcc.sh ${WVL_NVCC} ${PROJECT_SOURCE_DIR}
        ${CMAKE_CURRENT_BINARY_DIR}/lattice)
endif()
if(TARGET wavelane_bench)
    wvl_register_test(bench_lattice unit ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_bench_lattice.sh $<TARGET_FILE:wavelane_bench>)
endif()
