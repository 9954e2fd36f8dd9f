# SPDX-License-Identifier: BSD-2-Clause
# Components: runtime (shared libraries), development, command, bench, documentation, and those of lab/; cmake/debian.cmake makes a package of each.
include(CMakePackageConfigHelpers)

install(FILES include/wavelane.h include/wavelane_simple.h include/wavelane_frames.h include/wavelane_rows.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(TARGETS wavelane wavelane_static EXPORT wavelane-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
if(TARGET wavelane_command)
    file(RELATIVE_PATH libdir_from_bindir ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(wavelane_command PROPERTIES INSTALL_RPATH "$ORIGIN/${libdir_from_bindir}")
    install(TARGETS wavelane_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
    if(NOT WVL_DEBIAN)
        install(FILES ${PROJECT_BINARY_DIR}/tools/wavelane.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
    endif()
    install(FILES ${PROJECT_BINARY_DIR}/tools/wavelane.bash RENAME wavelane
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
    set(zsh_dir zsh/site-functions)
    if(WVL_DEBIAN)
        set(zsh_dir zsh/vendor-completions)
    endif()
    install(FILES ${PROJECT_BINARY_DIR}/tools/_wavelane DESTINATION ${CMAKE_INSTALL_DATADIR}/${zsh_dir} COMPONENT command)
endif()

if(TARGET wavelane_mpi AND NOT WVL_DEBIAN)
    set_target_properties(wavelane_mpi PROPERTIES INSTALL_RPATH "$ORIGIN/${libdir_from_bindir}")
    install(TARGETS wavelane_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
endif()

# The bench, and the script that draws its reports.
if(TARGET wavelane_bench AND NOT WVL_DEBIAN)
    install(TARGETS wavelane_bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT bench)
    install(PROGRAMS tools/bench/plot DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME wavelane-plot COMPONENT bench)
endif()

# find_package(wavelane) -> wavelane::wavelane (shared), wavelane::static
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/wavelane)
install(EXPORT wavelane-targets NAMESPACE wavelane:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/wavelane-config.cmake.in ${PROJECT_BINARY_DIR}/wavelane-config.cmake
    INSTALL_DESTINATION ${package_dir})
# A program for 0.2 or later takes every later library of the same major number; 0.1 had other names.
set(version_file ${PROJECT_BINARY_DIR}/wavelane-config-version.cmake)
write_basic_package_version_file(${version_file} COMPATIBILITY SameMajorVersion)
file(APPEND ${version_file} "
if(PACKAGE_FIND_VERSION AND PACKAGE_FIND_VERSION VERSION_LESS 0.2)
    set(PACKAGE_VERSION_COMPATIBLE FALSE)
endif()
")
install(FILES ${PROJECT_BINARY_DIR}/wavelane-config.cmake ${version_file} DESTINATION ${package_dir} COMPONENT development)

# The .pc files find the prefix from where they lie, so that an installed tree can be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(IS_ABSOLUTE CMAKE_INSTALL_LIBDIR libdir_is_absolute)
if(libdir_is_absolute)
    set(WVL_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
    set(WVL_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
    set(WVL_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
    file(RELATIVE_PATH prefix_from_pc /prefix/${pkgconfig_dir} /prefix)
    string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
    set(WVL_PC_PREFIX "\${pcfiledir}/${prefix_from_pc}")
    set(WVL_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(WVL_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
foreach(package wavelane wavelane-check)
    configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${pkgconfig_dir} COMPONENT development)
endforeach()

# cmake --build BUILD --target uninstall: removes what the last installation from this build wrote.
if(NOT TARGET uninstall)
    add_custom_target(uninstall
        COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
endif()
# cmake --build BUILD --target dist: the source archive of the commit that is checked out.
if(PROJECT_IS_TOP_LEVEL AND NOT TARGET dist)
    add_custom_target(dist COMMAND ${PROJECT_SOURCE_DIR}/packaging/make_archive ${PROJECT_BINARY_DIR} VERBATIM)
endif()
if(WVL_DEBIAN)
    include(cmake/debian.cmake)
endif()
