# SPDX-License-Identifier: BSD-2-Clause
# Memory nodes: by themselves, and in whole encodes on devices of software that lie at made-up ones.
wvl_add_suite(unit numa)
if(TARGET soft_driver)
    add_executable(test_device_numa device/test_numa.c device/soft_bench.c)
    target_link_libraries(test_device_numa PRIVATE picture_bench PkgConfig::CHECK ${CMAKE_DL_LIBS})
    add_dependencies(test_device_numa soft_driver)
    wvl_register_test(numa device test_device_numa)
    wvl_use_soft_driver(device.numa)
endif()
