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
    cuda/host/coders/region_tables.c
    cuda/host/coders/rdoq_blocks.c
    cuda/host/coders/rdoq_tables.c
    cuda/host/driver/route.c
    cuda/host/transform/staging.c
    cuda/packets/packets_launch.c
    cuda/rate/rate_launch.c
    cuda/rdoq/rdoq_launch.c
    src/backend/registry.c)
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

# wvl_add_device_image(NAME UNIT MODULE): NAME.fatbin in the build folder has the device code of UNIT, whose name is from the top, and MODULE, a C
# file of a target of the caller's folder, carries it (WVL_CARRY_IMAGE). nvcc says what UNIT includes. WVL_DEVICE_OPTIONS: more for nvcc.
function(wvl_add_device_image name unit module)
    if(NOT WVL_HAVE_CUDA)
        return()
    endif()
    set(image ${PROJECT_BINARY_DIR}/${name}.fatbin)
    set(source ${PROJECT_SOURCE_DIR}/${unit})
    # Contraction off as everywhere: every fused multiply-add is written as one.
    set(device_options -std=c++17 -O3 --fmad=false -Werror all-warnings
        -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR} ${WVL_DEVICE_OPTIONS})
    # Each part is compiled by itself: options of ptxas in one call would stand in the portable code too, and the driver would refuse to
    # load what spills on a device that nobody has tried (D-cuda-09). Spills are errors in the machine code for 9.0 alone.
    set(cubin ${PROJECT_BINARY_DIR}/${name}_90.cubin)
    add_custom_command(OUTPUT ${cubin}
        COMMAND ${WVL_NVCC} -cubin -arch=sm_90 ${device_options} -Xptxas --warn-on-spills -Xptxas --warning-as-error
            -MD -MF ${cubin}.d -o ${cubin} ${source}
        DEPENDS ${source} DEPFILE ${cubin}.d COMMENT "Device code of ${unit} for 9.0" VERBATIM)
    set(parts --image3=kind=elf,sm=90,file=${cubin})
    set(part_files ${cubin})
    foreach(version 75 80)
        set(ptx ${PROJECT_BINARY_DIR}/${name}_${version}.ptx)
        add_custom_command(OUTPUT ${ptx}
            COMMAND ${WVL_NVCC} -ptx -arch=compute_${version} ${device_options} -MD -MF ${ptx}.d -o ${ptx} ${source}
            DEPENDS ${source} DEPFILE ${ptx}.d COMMENT "Portable device code of ${unit} from ${version} on" VERBATIM)
        list(APPEND parts --image3=kind=ptx,sm=${version},file=${ptx})
        list(APPEND part_files ${ptx})
    endforeach()
    add_custom_command(OUTPUT ${image}
        COMMAND ${WVL_FATBINARY} -64 --create=${image} ${parts}
        DEPENDS ${part_files} COMMENT "Device code of ${unit}" VERBATIM)
    set_source_files_properties(${module} PROPERTIES
        COMPILE_DEFINITIONS WVL_CUDA_IMAGE="${image}" OBJECT_DEPENDS ${image})
endfunction()

wvl_add_device_image(wavelane_cuda cuda/kernels.cu cuda/module.c)
if(WVL_HAVE_CUDA)
    set_source_files_properties(src/base/context.c cuda/host/driver/runtime_table.c PROPERTIES COMPILE_DEFINITIONS WVL_HAVE_CUDA)
endif()
