# SPDX-License-Identifier: BSD-2-Clause
# Read by tests/CMakeLists.txt. The real host is no program of a command line: a client of the suite plays its part.
set(dcpomatic_dir ${PROJECT_SOURCE_DIR}/plugins/dcpomatic)
if(TARGET wavelane_dcpomatic AND WVL_BUILD_TOOLS)
    add_executable(test_seam ${dcpomatic_dir}/tests/test_seam.c ${dcpomatic_dir}/tests/client.c)
    target_compile_definitions(test_seam PRIVATE _GNU_SOURCE)
    target_link_libraries(test_seam PRIVATE wavelane_flags Threads::Threads rt)
    add_executable(figures_dcpomatic ${dcpomatic_dir}/tests/figures.c ${dcpomatic_dir}/tests/client.c)
    target_compile_definitions(figures_dcpomatic PRIVATE _GNU_SOURCE)
    target_link_libraries(figures_dcpomatic PRIVATE wavelane_flags Threads::Threads rt)
    wvl_register_test(dcpomatic plugin test_seam $<TARGET_FILE:wavelane_dcpomatic> $<TARGET_FILE:wavelane_command>)
    set_tests_properties(plugin.dcpomatic PROPERTIES TIMEOUT 180)
endif()
wvl_register_absent("built without the tools, or the plugin is left out (WVL_PLUGINS)" plugin.dcpomatic)
