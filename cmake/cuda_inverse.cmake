# SPDX-License-Identifier: BSD-2-Clause
# The inverse on the device, with its host reference: for tests and the benchmark. The library carries none of it.
set(WVL_INVERSE_DEVICE_SOURCES
    cuda/inverse/any.cuh
    cuda/inverse/kernel_rows.h
    cuda/inverse/kernels.cu
    cuda/inverse/march.cuh
    cuda/inverse/block/lift.cuh
    cuda/inverse/block/ring.cuh
    cuda/inverse/block/store.cuh
    cuda/inverse/block/unpack.cuh
    cuda/inverse/ops.h
    cuda/inverse/split.h
    cuda/inverse/tuning.h
    cuda/core/kernel_row.h
    cuda/core/meet.cuh
    cuda/core/order.cuh
    cuda/core/pixels.h
    cuda/core/reflect.h
    cuda/core/split.h
    src/dwt/lift_ops.h
    src/dwt/scheme.h
    src/geom/plan.h)
add_library(wavelane_inverse STATIC EXCLUDE_FROM_ALL
    cuda/host/driver/route.c
    cuda/inverse/host.c
    cuda/inverse/kernels.c
    cuda/inverse/launch.c
    cuda/inverse/module.c
    cuda/inverse/tables.c)
target_link_libraries(wavelane_inverse PRIVATE wavelane_flags PUBLIC wavelane_headers m)

if(WVL_HAVE_CUDA)
    set(inverse_image ${PROJECT_BINARY_DIR}/wavelane_cuda_inverse.fatbin)
    list(TRANSFORM WVL_INVERSE_DEVICE_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE inverse_device_sources)
    add_custom_command(OUTPUT ${inverse_image}
        COMMAND ${WVL_NVCC} -fatbin -std=c++17 -O3 --fmad=false -Werror all-warnings -Xptxas --warn-on-spills -Xptxas --warning-as-error
            -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90
            -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}
            -o ${inverse_image} ${PROJECT_SOURCE_DIR}/cuda/inverse/kernels.cu
        DEPENDS ${inverse_device_sources} COMMENT "Device code of the inverse" VERBATIM)
    set_source_files_properties(cuda/inverse/module.c PROPERTIES
        COMPILE_DEFINITIONS WVL_CUDA_INVERSE_IMAGE="${inverse_image}" OBJECT_DEPENDS ${inverse_image})
endif()
