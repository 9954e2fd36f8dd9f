# SPDX-License-Identifier: BSD-2-Clause
# What a library, a program or a part of the build that is not here would have run. The last list names every suite of the laboratory.
if(NOT WVL_FUZZ)
    if(WVL_BUILD_LAB)
        wvl_register_absent("no nvcc, or device code left out" house.image_dwt_cuda house.image_cuda_inverse house.schemes_nvcc house.lattice_nvcc)
        wvl_register_absent("no Python 3.9, no C++ compiler, or built without the tools" unit.dwtgen unit.draw_schemes twin.cuda_lattice twin.dwt_schemes
            house.generated_filters unit.bench_lattice unit.bench_dwt_slots unit.bench_schemes device.bench_transfers device.plain device.plain_soft)
        if(NOT WVL_SANITIZE)
            wvl_register_absent("no Python 3.9" unit.device_scripts)
        endif()
    else()
        set(others unit.device_scripts house.dwt_symbols house.dwt_package)
        if(WVL_SANITIZE)
            set(others "")
        endif()
        wvl_register_absent("built without the laboratory (WVL_LAB)" unit.lattice unit.lattice_bits unit.dwt2 unit.dwt_interface unit.dwt_null twin.dwt_slots unit.inverse_rows
            twin.cuda_inverse twin.cuda_lattice twin.dwt_schemes device.plain device.plain_soft house.image_dwt_cuda house.image_cuda_inverse house.lattice_nvcc
            house.schemes_nvcc house.generated_filters unit.dwtgen unit.draw_schemes unit.bench_lattice unit.bench_dwt_slots unit.bench_schemes
            device.bench_transfers ${others})
    endif()
endif()
