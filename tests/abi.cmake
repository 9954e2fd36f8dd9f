# SPDX-License-Identifier: BSD-2-Clause
# The interface of version 0.2: a program that sees nothing but the frozen header runs with today's library, and all of that header is still in its place.
# wavelane_simple.h and wavelane_rows.h are frozen as of 0.3, the other headers not yet (CHANGELOG.md). To freeze one again before the release: cp include/wavelane_simple.h tests/abi/wavelane_simple-0.3.h
add_executable(test_abi abi/test_abi.c)
target_include_directories(test_abi PRIVATE abi)
target_link_libraries(test_abi PRIVATE wavelane)
add_dependencies(test_abi wavelane)
set_target_properties(test_abi PROPERTIES BUILD_RPATH $<TARGET_FILE_DIR:wavelane>)
wvl_register_test(abi house test_abi)
if(Python3_FOUND)
    wvl_register_test(abi_places house ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/abi/compare.py ${CMAKE_CURRENT_SOURCE_DIR}/abi/wavelane-0.2.h
        ${PROJECT_SOURCE_DIR}/include/wavelane.h ${CMAKE_C_COMPILER} ${CMAKE_CURRENT_BINARY_DIR}/abi 20 40 60)
    wvl_register_test(abi_places_simple house ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/abi/compare.py
        ${CMAKE_CURRENT_SOURCE_DIR}/abi/wavelane_simple-0.3.h ${PROJECT_SOURCE_DIR}/include/wavelane_simple.h ${CMAKE_C_COMPILER}
        ${CMAKE_CURRENT_BINARY_DIR}/abi_simple 1 0 4)
    wvl_register_test(abi_places_rows house ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/abi/compare.py
        ${CMAKE_CURRENT_SOURCE_DIR}/abi/wavelane_rows-0.3.h ${PROJECT_SOURCE_DIR}/include/wavelane_rows.h ${CMAKE_C_COMPILER}
        ${CMAKE_CURRENT_BINARY_DIR}/abi_rows 4 0 6)
endif()
