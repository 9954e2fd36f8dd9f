# SPDX-License-Identifier: BSD-2-Clause
# libwavelane: compiled once, archived and linked from the same objects.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

add_library(wavelane_headers INTERFACE)
target_include_directories(wavelane_headers INTERFACE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
if(WVL_HAVE_AVX2)
    target_compile_definitions(wavelane_headers INTERFACE WVL_HAVE_AVX2)
endif()
if(WVL_HAVE_NEON)
    target_compile_definitions(wavelane_headers INTERFACE WVL_HAVE_NEON)
endif()

function(wvl_add_objects name)
    add_library(${name} OBJECT ${ARGN})
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_definitions(${name} PRIVATE WVL_BUILDING_SHARED)
    target_link_libraries(${name} PRIVATE wavelane_flags wavelane_headers Threads::Threads)
endfunction()

if(WVL_HAVE_AVX2)
    set(WVL_AVX2_FLAGS -mavx2 -mfma -mbmi -mbmi2 -mpopcnt)
    set(WVL_AVX512_FLAGS ${WVL_AVX2_FLAGS} -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl -mavx512vbmi -mavx512vbmi2)
    list(APPEND WVL_SOURCES ${WVL_AVX2_SOURCES} ${WVL_AVX512_SOURCES})
    set_source_files_properties(${WVL_AVX2_SOURCES} PROPERTIES COMPILE_OPTIONS "${WVL_AVX2_FLAGS}")
    set_source_files_properties(${WVL_AVX512_SOURCES} PROPERTIES COMPILE_OPTIONS "${WVL_AVX512_FLAGS}")
endif()
if(WVL_HAVE_NEON)
    list(APPEND WVL_SOURCES ${WVL_NEON_SOURCES})
endif()
wvl_add_objects(wavelane_objects ${WVL_SOURCES})
wvl_add_objects(wavelane_hooks ${WVL_HOOKED_SOURCES})
if(WVL_TESTING)
    target_compile_definitions(wavelane_hooks PRIVATE WVL_TESTING)
endif()

function(wvl_add_library name kind hooks)
    add_library(${name} ${kind} $<TARGET_OBJECTS:wavelane_objects> $<TARGET_OBJECTS:${hooks}>)
    target_include_directories(${name} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:wavelane_flags> Threads::Threads m)
endfunction()

# The library judges the bytes of profiles with the walker. The shared library carries a copy of it whose names stay inside; the archive
# leaves it to libwavelane-check.a, so that no name is defined twice whatever a program links.
wvl_add_library(wavelane SHARED wavelane_hooks)
wvl_add_library(wavelane_static STATIC wavelane_hooks)
add_library(wavelane::wavelane ALIAS wavelane)
add_library(wavelane::static ALIAS wavelane_static)
set_target_properties(wavelane PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} EXPORT_NAME wavelane)
target_link_libraries(wavelane PRIVATE $<BUILD_INTERFACE:wavelane_check_static>)
target_link_options(wavelane PRIVATE -Wl,--exclude-libs,libwavelane-check.a
    -Wl,--version-script,${PROJECT_SOURCE_DIR}/packaging/wavelane.map)
set_property(TARGET wavelane APPEND PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/packaging/wavelane.map)
target_link_libraries(wavelane_static PRIVATE wavelane_check_static)
set_target_properties(wavelane_static PROPERTIES OUTPUT_NAME wavelane EXPORT_NAME static)
if(NOT WVL_SANITIZE AND NOT WVL_FUZZ)
    target_link_options(wavelane PRIVATE -Wl,-z,defs)
endif()

if(WVL_BUILD_TESTS)
    wvl_add_objects(wavelane_hooks_testing ${WVL_HOOKED_SOURCES})
    target_compile_definitions(wavelane_hooks_testing PRIVATE WVL_TESTING)
    wvl_add_library(wavelane_testing STATIC wavelane_hooks_testing)
    target_link_libraries(wavelane_testing PUBLIC wavelane_flags wavelane_headers wavelane_check_static)
endif()
