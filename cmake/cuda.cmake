# SPDX-License-Identifier: BSD-2-Clause
# The device backend. Its host code is plain C that finds the driver at run time; nvcc compiles the kernels to one image that the library
# carries: machine code for 9.0 and portable code from 7.5 on, which the driver compiles. Without nvcc there is no image and no device.
set(WVL_CUDA_SOURCES
    cuda/blocks/ht_launch.c
    cuda/blocks/t1_lists.c
    cuda/blocks/t1_launch.c
    cuda/color/color.c
    cuda/dwt/beside.c
    cuda/dwt/choose.c
    cuda/dwt/kernels.c
    cuda/dwt/tables.c
    cuda/host/backend_cuda.c
    cuda/host/kernel_names.c
    cuda/host/coders/block_walk.c
    cuda/host/coders/choose_coder.c
    cuda/host/coders/ht.c
    cuda/host/coders/ht_sets.c
    cuda/host/coders/rdoq_picture.c
    cuda/host/coders/t1_picture.c
    cuda/host/coders/t1_waves.c
    cuda/host/coders/wave_coder.c
    cuda/host/transform/deliver.c
    cuda/host/memory/device.c
    cuda/host/transform/launch.c
    cuda/host/coders/layout.c
    cuda/host/memory/memory.c
    cuda/host/pictures/picture.c
    cuda/host/pictures/plan.c
    cuda/host/pictures/queue.c
    cuda/host/waves/queue.c
    cuda/host/coders/rate_layers.c
    cuda/host/coders/region_tables.c
    cuda/host/coders/rdoq_blocks.c
    cuda/host/coders/rdoq_tables.c
    cuda/host/driver/route.c
    cuda/host/transform/staging.c
    cuda/packets/packets_launch.c
    cuda/rate/rate_launch.c
    cuda/rdoq/rdoq_launch.c
    src/backend/registry.c)
set(WVL_CUDA_DEVICE_SOURCES
    cuda/blocks/block_error.h
    cuda/blocks/error.cuh
    cuda/blocks/ht_any.cu
    cuda/blocks/ht_finish.cu
    cuda/blocks/ht_job.h
    cuda/blocks/ht_put.cuh
    cuda/blocks/ht_quad.cuh
    cuda/blocks/ht_refine.cu
    cuda/blocks/ht_rows.cu
    cuda/blocks/ht_stuff.cuh
    cuda/blocks/ht_sum.cu
    cuda/blocks/ht_tables.cuh
    cuda/blocks/kernels.cu
    cuda/blocks/lane.cuh
    cuda/blocks/mq_code.cu
    cuda/blocks/mq_ends.cu
    cuda/blocks/mq_float.cuh
    cuda/blocks/mq_integer.cuh
    cuda/blocks/mq_kept.cuh
    cuda/blocks/mq_lane.cuh
    cuda/blocks/mq_marks.cuh
    cuda/blocks/mq_pairs.cu
    cuda/blocks/t1_columns.cuh
    cuda/blocks/t1_gains.cu
    cuda/blocks/t1_gather.cu
    cuda/blocks/t1_hull.cu
    cuda/blocks/t1_hull.cuh
    cuda/blocks/t1_job.h
    cuda/blocks/t1_kernels.cu
    cuda/blocks/t1_open.cu
    cuda/blocks/t1_planes.cu
    cuda/blocks/t1_sort.cu
    cuda/blocks/t1_spread.cu
    cuda/blocks/t1_weigh.cu
    cuda/blocks/t1_codes.cuh
    cuda/blocks/t1_lift.cu
    cuda/blocks/t1_list.cuh
    cuda/blocks/t1_words.cuh
    cuda/color/color.cu
    cuda/color/color.h
    cuda/color/unpack.cu
    cuda/color/unpack.h
    cuda/core/kernel_row.h
    cuda/core/load.cuh
    cuda/core/meet.cuh
    cuda/core/order.cuh
    cuda/core/pixels.h
    cuda/core/reflect.h
    cuda/core/split.h
    cuda/dwt/cascade.cuh
    cuda/dwt/cascade.h
    cuda/dwt/clear.cu
    cuda/dwt/convert.cu
    cuda/dwt/kernel_rows.h
    cuda/dwt/kernels.cu
    cuda/dwt/last.cuh
    cuda/dwt/level_any.cuh
    cuda/dwt/march.cuh
    cuda/dwt/march_halves.cuh
    cuda/dwt/march_mixed.cuh
    cuda/dwt/march_wide.cuh
    cuda/dwt/tuning.h
    cuda/dwt/block/bands.cuh
    cuda/dwt/block/beside.cuh
    cuda/dwt/block/halves.cuh
    cuda/dwt/block/lift.cuh
    cuda/dwt/block/load.cuh
    cuda/dwt/block/pack.cuh
    cuda/dwt/block/patch.cuh
    cuda/dwt/block/rows.cuh
    cuda/dwt/block/store.cuh
    cuda/host/transform/deliver.cu
    cuda/host/transform/deliver.h
    cuda/packets/heads.cu
    cuda/packets/heads.cuh
    cuda/packets/kernels.cu
    cuda/packets/packets_job.h
    cuda/packets/place.cu
    cuda/packets/source.cuh
    cuda/packets/stuff.cuh
    cuda/packets/t1_blocks.cu
    cuda/packets/t1_source.cuh
    cuda/packets/tree.cuh
    cuda/packets/write.cu
    codec/core/block.h
    codec/core/gain.h
    cuda/rate/again.cuh
    cuda/rate/bodies.cu
    cuda/rate/bodies.cuh
    cuda/rate/caps.cuh
    cuda/rate/choose.cu
    cuda/rate/crew.cuh
    cuda/rate/cut.cuh
    cuda/rate/estimate.h
    cuda/rate/fill.cuh
    cuda/rate/kernels.cu
    cuda/rate/layer.cuh
    cuda/rate/layers.cuh
    cuda/rate/measure.cuh
    cuda/rate/predict.cu
    cuda/rate/rate_job.h
    cuda/rate/search.cuh
    cuda/rate/sets.cu
    cuda/rate/sets_again.cu
    cuda/rate/step.cu
    cuda/rdoq/again.cu
    cuda/rdoq/blocks.cuh
    cuda/rdoq/change.cu
    cuda/rdoq/kernels.cu
    cuda/rdoq/moves.cuh
    cuda/rdoq/rdoq_job.h
    cuda/rdoq/rows.cuh
    cuda/rdoq/survey.cu
    cuda/rdoq/weigh.cu
    codec/core/rdoq.h
    codec/core/descent.h
    codec/core/bracket.h
    codec/core/hull.h
    codec/core/gen/ht_tables.h
    codec/core/hull.h
    codec/core/mq_length.h
    codec/core/mq_table.h
    codec/core/packet_bits.h
    codec/core/segment_end.h
    codec/core/step.h
    codec/core/t1_pass.h
    src/dwt/lift_ops.h
    src/dwt/quant.h
    src/dwt/scheme.h
    src/front/color_ops.h
    src/front/xyz_ops.h
    src/geom/container.h
    src/geom/handover_assembly.h
    src/geom/handover_pass.h
    src/geom/plan.h)
list(APPEND WVL_SOURCES ${WVL_CUDA_SOURCES})
list(APPEND WVL_HOOKED_SOURCES cuda/module.c cuda/host/driver/runtime_table.c)

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
    set_source_files_properties(cuda/host/backend_cuda.c cuda/host/pictures/queue.c cuda/host/waves/queue.c src/picture/session_waves.c codec/blocks/source_pool.c PROPERTIES
        COMPILE_DEFINITIONS WVL_HAVE_NVTX COMPILE_OPTIONS "-isystem;${WVL_NVTX_INCLUDE}")
endif()

if(WVL_HAVE_CUDA)
    get_filename_component(nvcc_folder ${WVL_NVCC} REALPATH)
    get_filename_component(nvcc_folder ${nvcc_folder} DIRECTORY)
    find_program(WVL_FATBINARY fatbinary HINTS ${nvcc_folder} PATHS /usr/local/cuda/bin REQUIRED)
    message(STATUS "CUDA: device code by ${WVL_NVCC}")
else()
    message(STATUS "CUDA: no device code in this build")
endif()

# wvl_add_device_image(NAME UNIT MODULE SOURCE...): NAME.fatbin in the build folder has the device code of UNIT, and MODULE, a C file of a target
# of the caller's folder, carries it (WVL_CARRY_IMAGE). SOURCE...: what UNIT includes. Names of UNIT and SOURCE are from the top. WVL_DEVICE_OPTIONS: more for nvcc.
function(wvl_add_device_image name unit module)
    if(NOT WVL_HAVE_CUDA)
        return()
    endif()
    set(image ${PROJECT_BINARY_DIR}/${name}.fatbin)
    set(sources ${unit} ${ARGN})
    list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/)
    # Contraction off as everywhere: every fused multiply-add is written as one.
    set(device_options -std=c++17 -O3 --fmad=false -Werror all-warnings
        -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR} ${WVL_DEVICE_OPTIONS})
    # Each part is compiled by itself: options of ptxas in one call would stand in the portable code too, and the driver would refuse to
    # load what spills on a device that nobody has tried (D-cuda-09). Spills are errors in the machine code for 9.0 alone.
    set(cubin ${PROJECT_BINARY_DIR}/${name}_90.cubin)
    add_custom_command(OUTPUT ${cubin}
        COMMAND ${WVL_NVCC} -cubin -arch=sm_90 ${device_options} -Xptxas --warn-on-spills -Xptxas --warning-as-error
            -o ${cubin} ${PROJECT_SOURCE_DIR}/${unit}
        DEPENDS ${sources} COMMENT "Device code of ${unit} for 9.0" VERBATIM)
    set(parts --image3=kind=elf,sm=90,file=${cubin})
    set(part_files ${cubin})
    foreach(version 75 80)
        set(ptx ${PROJECT_BINARY_DIR}/${name}_${version}.ptx)
        add_custom_command(OUTPUT ${ptx}
            COMMAND ${WVL_NVCC} -ptx -arch=compute_${version} ${device_options} -o ${ptx} ${PROJECT_SOURCE_DIR}/${unit}
            DEPENDS ${sources} COMMENT "Portable device code of ${unit} from ${version} on" VERBATIM)
        list(APPEND parts --image3=kind=ptx,sm=${version},file=${ptx})
        list(APPEND part_files ${ptx})
    endforeach()
    add_custom_command(OUTPUT ${image}
        COMMAND ${WVL_FATBINARY} -64 --create=${image} ${parts}
        DEPENDS ${part_files} COMMENT "Device code of ${unit}" VERBATIM)
    set_source_files_properties(${module} PROPERTIES
        COMPILE_DEFINITIONS WVL_CUDA_IMAGE="${image}" OBJECT_DEPENDS ${image})
endfunction()

wvl_add_device_image(wavelane_cuda cuda/kernels.cu cuda/module.c ${WVL_CUDA_DEVICE_SOURCES})
if(WVL_HAVE_CUDA)
    set_source_files_properties(src/base/context.c cuda/host/driver/runtime_table.c PROPERTIES COMPILE_DEFINITIONS WVL_HAVE_CUDA)
endif()
