# SPDX-License-Identifier: BSD-2-Clause
# The inverse on the device, with its host reference: for tests and the benchmark. The library carries none of it.
set(WVL_INVERSE_DEVICE_SOURCES
    cuda/inverse.cu
    cuda/inverse_any.cu
    cuda/inverse_march.cu
    cuda/block/inverse_lift.cuh
    cuda/block/inverse_ring.cuh
    cuda/block/inverse_store.cuh
    cuda/block/inverse_unpack.cuh
    cuda/block/meet.cuh
    cuda/block/order.cuh
    cuda/inverse_job.h
    cuda/inverse_ops.h
    cuda/inverse_tuning.h
    cuda/job.h
    src/dwt/lift_ops.h
    src/dwt/scheme.h
    src/geom/plan.h)
add_library(wavelane_inverse STATIC EXCLUDE_FROM_ALL
    cuda/inverse_host.c
    cuda/inverse_launch.c
    cuda/inverse_module.c
    cuda/inverse_tables.c)
target_link_libraries(wavelane_inverse PRIVATE wavelane_flags PUBLIC wavelane_headers m)

if(WVL_HAVE_CUDA)
    set(inverse_image ${PROJECT_BINARY_DIR}/wavelane_cuda_inverse.fatbin)
    list(TRANSFORM WVL_INVERSE_DEVICE_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE inverse_device_sources)
    add_custom_command(OUTPUT ${inverse_image}
        COMMAND ${WVL_NVCC} -fatbin -std=c++17 -O3 --fmad=false -Werror all-warnings -Xptxas --warn-on-spills -Xptxas --warning-as-error
            -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90
            -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}
            -o ${inverse_image} ${PROJECT_SOURCE_DIR}/cuda/inverse.cu
        DEPENDS ${inverse_device_sources} COMMENT "Device code of the inverse" VERBATIM)
    set_source_files_properties(cuda/inverse_module.c PROPERTIES
        COMPILE_DEFINITIONS WVL_CUDA_INVERSE_IMAGE="${inverse_image}" OBJECT_DEPENDS ${inverse_image})
endif()
