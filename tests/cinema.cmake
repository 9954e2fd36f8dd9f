# SPDX-License-Identifier: BSD-2-Clause
# Presets of cinema, IMF and broadcast in flight on a device; without the software driver, on the machine's.
wvl_add_suite(device cinema device/picture_bench.c)
target_link_libraries(test_cinema PRIVATE picture_bench ${CMAKE_DL_LIBS})
add_dependencies(test_cinema soft_driver)
wvl_use_soft_driver(device.cinema)
