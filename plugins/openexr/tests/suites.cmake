# SPDX-License-Identifier: BSD-2-Clause
# Read by tests/CMakeLists.txt. The judge is the Python package OpenEXR; without it the suites end with 77.
set(openexr_suites_dir ${PROJECT_SOURCE_DIR}/plugins/openexr/tests)
if(TARGET wavelane_exr)
    add_executable(exr_host ${openexr_suites_dir}/exr_host.c)
    target_include_directories(exr_host SYSTEM PRIVATE ${WVL_OPENEXR_HT_INCLUDE})
    target_link_libraries(exr_host PRIVATE wavelane_flags wavelane_headers wavelane_exr ${WVL_OPENEXR_HT})
endif()
if(WVL_BUILD_TOOLS AND OPENEXR_FOUND AND Python3_FOUND)
    wvl_register_test(openexr plugin ${Python3_EXECUTABLE} ${openexr_suites_dir}/test_exr.py $<TARGET_FILE:wavelane_command>
        ${CMAKE_CURRENT_BINARY_DIR}/openexr_files)
    if(TARGET exr_host)
        wvl_register_test(openexr_host plugin ${Python3_EXECUTABLE} ${openexr_suites_dir}/test_exr.py $<TARGET_FILE:wavelane_command>
            ${CMAKE_CURRENT_BINARY_DIR}/openexr_host_files $<TARGET_FILE:exr_host>)
    endif()
endif()
wvl_register_absent("no OpenEXR, or no Python" plugin.openexr)
wvl_register_absent("no OpenEXRCore of 3.4 or later" plugin.openexr_host)
