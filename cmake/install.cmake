# SPDX-License-Identifier: BSD-2-Clause
include(CMakePackageConfigHelpers)

install(FILES include/wavelane.h include/wavelane_simple.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS wavelane wavelane_static EXPORT wavelane-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET wavelane_command)
    file(RELATIVE_PATH libdir_from_bindir ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(wavelane_command PROPERTIES INSTALL_RPATH "$ORIGIN/${libdir_from_bindir}")
    install(TARGETS wavelane_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES ${PROJECT_BINARY_DIR}/tools/wavelane.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${PROJECT_BINARY_DIR}/tools/wavelane.bash RENAME wavelane
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${PROJECT_BINARY_DIR}/tools/_wavelane DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()

# find_package(wavelane) -> wavelane::wavelane (shared), wavelane::static
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/wavelane)
install(EXPORT wavelane-targets NAMESPACE wavelane:: DESTINATION ${package_dir})
configure_package_config_file(cmake/wavelane-config.cmake.in ${PROJECT_BINARY_DIR}/wavelane-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/wavelane-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/wavelane-config.cmake ${PROJECT_BINARY_DIR}/wavelane-config-version.cmake
    DESTINATION ${package_dir})

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
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${pkgconfig_dir})
endforeach()

# cmake --build BUILD --target uninstall: removes what the last installation from this build wrote.
if(NOT TARGET uninstall)
    add_custom_target(uninstall
        COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
endif()
