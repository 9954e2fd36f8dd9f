# SPDX-License-Identifier: BSD-2-Clause
# The device backend. Its host code is plain C that finds the driver at run time; nvcc compiles the kernels to one image that the library
# carries: machine code for 9.0 and portable code from 7.5 on, which the driver compiles. Without nvcc there is no image and no device.
set(WVL_CUDA_SOURCES
    cuda/backend_cuda.c
    cuda/beside.c
    cuda/blocks/ht_launch.c
    cuda/choose.c
    cuda/color.c
    cuda/deliver.c
    cuda/device.c
    cuda/launch.c
    cuda/layout.c
    cuda/memory.c
    cuda/runtime_table.c
    cuda/staging.c
    cuda/tables.c
    cuda/window.c
    src/backend/registry.c)
set(WVL_CUDA_DEVICE_SOURCES
    cuda/kernels.cu
    cuda/blocks/ht_any.cu
    cuda/blocks/ht_finish.cu
    cuda/blocks/ht_job.h
    cuda/blocks/ht_put.cuh
    cuda/blocks/ht_quad.cuh
    cuda/blocks/ht_refine.cu
    cuda/blocks/ht_rows.cu
    cuda/blocks/ht_stuff.cuh
    cuda/blocks/ht_tables.cuh
    cuda/blocks/kernels.cu
    cuda/blocks/lane.cuh
    cuda/cascade.cu
    cuda/cascade.h
    cuda/clear.cu
    cuda/color.cu
    cuda/convert.cu
    cuda/deliver.cu
    cuda/last.cu
    cuda/level_any.cu
    cuda/march.cu
    cuda/march_color.cu
    cuda/block/bands.cuh
    cuda/block/beside.cuh
    cuda/block/halves.cuh
    cuda/block/lift.cuh
    cuda/block/load.cuh
    cuda/block/meet.cuh
    cuda/block/order.cuh
    cuda/block/pack.cuh
    cuda/block/patch.cuh
    cuda/block/rows.cuh
    cuda/block/store.cuh
    cuda/block/wide.cuh
    cuda/job.h
    cuda/tuning.h
    codec/core/gen/ht_tables.h
    src/dwt/lift_ops.h
    src/dwt/quant.h
    src/dwt/scheme.h
    src/front/color_ops.h
    src/front/xyz_ops.h
    src/geom/plan.h)
list(APPEND WVL_SOURCES ${WVL_CUDA_SOURCES})
list(APPEND WVL_HOOKED_SOURCES cuda/module.c)

set(WVL_HAVE_CUDA OFF)
if(NOT WVL_CUDA STREQUAL "OFF")
    find_program(WVL_NVCC nvcc PATHS /usr/local/cuda/bin ENV CUDA_PATH PATH_SUFFIXES bin)
    if(WVL_NVCC)
        set(WVL_HAVE_CUDA ON)
    elseif(WVL_CUDA STREQUAL "ON")
        message(FATAL_ERROR "WVL_CUDA=ON: nvcc was not found")
    endif()
endif()

# Named ranges for profilers. Not by default: the headers bring names of their own into the archive, and read the environment.
option(WVL_NVTX "NVTX ranges around the stages of an encode and the work for a device" OFF)
if(WVL_HAVE_CUDA AND WVL_NVTX)
    find_path(WVL_NVTX_INCLUDE nvtx3/nvToolsExt.h PATHS /usr/local/cuda/include ENV CUDA_PATH PATH_SUFFIXES include REQUIRED)
    set_source_files_properties(cuda/backend_cuda.c src/encoder.c codec/tile_coder.c PROPERTIES
        COMPILE_DEFINITIONS WVL_HAVE_NVTX COMPILE_OPTIONS "-isystem;${WVL_NVTX_INCLUDE}")
endif()

if(WVL_HAVE_CUDA)
    set(image ${PROJECT_BINARY_DIR}/wavelane_cuda.fatbin)
    list(TRANSFORM WVL_CUDA_DEVICE_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE device_sources)
    # Contraction off as everywhere: every fused multiply-add is written as one.
    add_custom_command(OUTPUT ${image}
        COMMAND ${WVL_NVCC} -fatbin -std=c++17 -O3 --fmad=false -Werror all-warnings -Xptxas --warn-on-spills -Xptxas --warning-as-error
            -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90
            -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}
            -o ${image} ${PROJECT_SOURCE_DIR}/cuda/kernels.cu
        DEPENDS ${device_sources} COMMENT "Device code" VERBATIM)
    set_source_files_properties(cuda/module.c PROPERTIES
        COMPILE_DEFINITIONS WVL_CUDA_IMAGE="${image}" OBJECT_DEPENDS ${image})
    set_source_files_properties(src/context.c PROPERTIES COMPILE_DEFINITIONS WVL_HAVE_CUDA)
    message(STATUS "CUDA: device code by ${WVL_NVCC}")
else()
    message(STATUS "CUDA: no device code in this build")
endif()
