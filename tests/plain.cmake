# SPDX-License-Identifier: BSD-2-Clause
# Transforms alone through pointers to a device: the machine's, and one made of software that runs the kernels' own source.
wvl_add_suite(device plain)
target_link_libraries(test_plain PRIVATE ${CMAKE_DL_LIBS})
if(TARGET ht_emulated)
    add_dependencies(test_plain soft_driver)
    wvl_register_test(plain_soft device test_plain)
    wvl_use_soft_driver(device.plain_soft)
endif()
