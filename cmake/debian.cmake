# SPDX-License-Identifier: BSD-2-Clause
# Debian packages by cpack, one of each component; packaging/build_deb sets what they need.
set(WVL_DEBIAN_CONTACT "Wavelane authors <wavelane@wavelane.example>" CACHE STRING "Maintainer field of the packages")
set(debian_dir ${PROJECT_SOURCE_DIR}/packaging/debian)
set(made_dir ${PROJECT_BINARY_DIR}/debian)
set(debian_release 1)
string(TIMESTAMP debian_date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH, where it is set

# What every package has: copyright and changelogs. Compressed without a time, so that a second build gives the same bytes.
configure_file(${debian_dir}/changelog.in ${made_dir}/changelog.Debian @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${made_dir}/changelog COPYONLY)
foreach(file changelog.Debian changelog)
    execute_process(COMMAND gzip -9nf ${made_dir}/${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
set(debian_components runtime development command documentation)
set(debian_names libwavelane0 libwavelane-dev wavelane wavelane-doc)
if(WVL_BUILD_LAB)
    list(APPEND debian_components dwt_runtime dwt_development)
    list(APPEND debian_names libwavelane-dwt0 libwavelane-dwt-dev)
endif()
if(TARGET wavelane_openjp2)
    list(APPEND debian_components openjp2)
    list(APPEND debian_names wavelane-openjp2)
endif()
if(TARGET wavelane_hdf5 AND TARGET wavelane_blosc2_htj2k)
    list(APPEND debian_components arrays)
    list(APPEND debian_names wavelane-arrays)
    # Where HDF5 of Debian looks by itself.
    set(hdf5_dir ${CMAKE_INSTALL_FULL_LIBDIR}/hdf5/serial/plugins)
    install(DIRECTORY DESTINATION ${hdf5_dir} COMPONENT arrays)
    install(CODE "file(CREATE_LINK ../../../wavelane/hdf5/libwavelane-hdf5.so \$ENV{DESTDIR}${hdf5_dir}/libwavelane-hdf5.so SYMBOLIC)"
        COMPONENT arrays)
endif()
if(TARGET wavelane_gdal)
    list(APPEND debian_components gdal)
    list(APPEND debian_names wavelane-gdal)
endif()
foreach(component name IN ZIP_LISTS debian_components debian_names)
    set(doc_dir ${CMAKE_INSTALL_DATADIR}/doc/${name})
    install(FILES ${made_dir}/changelog.Debian.gz ${made_dir}/changelog.gz ${debian_dir}/copyright DESTINATION ${doc_dir} COMPONENT ${component})
    configure_file(${debian_dir}/${name}.lintian-overrides ${made_dir}/overrides/${name} COPYONLY)
    install(FILES ${made_dir}/overrides/${name} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT ${component})
endforeach()

add_custom_command(OUTPUT ${made_dir}/wavelane.1.gz
    COMMAND sh -c "gzip -9nc '${PROJECT_BINARY_DIR}/tools/wavelane.1' >'${made_dir}/wavelane.1.gz'"
    DEPENDS ${PROJECT_BINARY_DIR}/tools/wavelane.1 wavelane_docs VERBATIM)
add_custom_target(wavelane_manual ALL DEPENDS ${made_dir}/wavelane.1.gz)
install(FILES ${made_dir}/wavelane.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
install(FILES README.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/wavelane-doc COMPONENT documentation)
install(FILES lab/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/wavelane-doc/lab COMPONENT documentation)
install(DIRECTORY plugins DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/wavelane-doc COMPONENT documentation FILES_MATCHING PATTERN "README.md"
    PATTERN tests EXCLUDE)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/wavelane-doc COMPONENT documentation PATTERN "*.in" EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/wavelane-doc COMPONENT documentation USE_SOURCE_PERMISSIONS)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME wavelane)
set(CPACK_PACKAGE_CONTACT ${WVL_DEBIAN_CONTACT})
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL ${debian_components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${debian_release})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# cpack puts a summary of its own before the descriptions unless it is this word for word; each description brings its own summary.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${CMAKE_PROJECT_NAME} built using CMake")

set(same_version "(= ${PROJECT_VERSION}-${debian_release})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libwavelane0)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# Not those of cpack, which name no version.
file(WRITE ${made_dir}/shlibs "libwavelane 0 libwavelane0 (>= ${PROJECT_VERSION})\nlibwavelane-check 0 libwavelane0 (>= ${PROJECT_VERSION})\n")
configure_file(${PROJECT_SOURCE_DIR}/packaging/libwavelane0.symbols ${made_dir}/symbols COPYONLY)
file(WRITE ${made_dir}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${made_dir}/shlibs;${made_dir}/symbols;${made_dir}/triggers")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "JPEG 2000 encoder - shared libraries
Wavelane encodes pictures as JPEG 2000 (ISO/IEC 15444-1), with the block
coder of Part 1 or the high-throughput one of ISO/IEC 15444-15. The same
picture and parameters give the same bytes on every machine.
.
This package has libwavelane, the encoder, and libwavelane-check, which
judges codestreams, JP2 and JPH files.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libwavelane-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libwavelane0 ${same_version}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS wavelane-doc)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "JPEG 2000 encoder - development files
Wavelane encodes pictures as JPEG 2000 (ISO/IEC 15444-1), with the block
coder of Part 1 or the high-throughput one of ISO/IEC 15444-15.
.
This package has the headers, which are the manual of the libraries, the
static libraries, and files for pkg-config and CMake.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME wavelane)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/conformance ${PROJECT_BINARY_DIR}/lab)
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "libwavelane0 ${same_version}")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS wavelane-doc)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "JPEG 2000 encoder - command
The command wavelane encodes TIFF, PNG, PNM, DPX, BMP, TGA, raw and other
pictures as JPEG 2000, JP2 and JPH files, alone or by the folder, with
the options of opj_compress and presets for archives, image servers and
digital cinema. It says what such a file contains, and judges whether it
is legal.")
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME wavelane-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTATION_DESCRIPTION "JPEG 2000 encoder - documentation and examples
Wavelane encodes pictures as JPEG 2000 (ISO/IEC 15444-1), with the block
coder of Part 1 or the high-throughput one of ISO/IEC 15444-15.
.
This package has the pages about its design, its conformance and its
figures, and example programs in C, C++ and shell.")

if(WVL_BUILD_LAB)
    set(CPACK_DEBIAN_DWT_RUNTIME_PACKAGE_NAME libwavelane-dwt0)
    set(CPACK_DEBIAN_DWT_RUNTIME_PACKAGE_SECTION libs)
    set(CPACK_DEBIAN_DWT_RUNTIME_PACKAGE_SHLIBDEPS ON)
    file(WRITE ${made_dir}/dwt/shlibs "libwavelane-dwt 0 libwavelane-dwt0 (>= ${PROJECT_VERSION})\n")
    configure_file(${PROJECT_SOURCE_DIR}/lab/packaging/libwavelane-dwt0.symbols ${made_dir}/dwt/symbols COPYONLY)
    set(CPACK_DEBIAN_DWT_RUNTIME_PACKAGE_CONTROL_EXTRA "${made_dir}/dwt/shlibs;${made_dir}/dwt/symbols;${made_dir}/triggers")
    set(CPACK_DEBIAN_DWT_RUNTIME_DESCRIPTION "wavelet transforms - shared library
The wavelet transforms of pictures (CDF 5/3 and 9/7, DD 13/7) and of long
signals (Daubechies, symlets, coiflets, filters of the caller), forward and
inverse, on the CPU and on CUDA devices with the same bits.
.
This package has libwavelane-dwt. It needs no encoder.")
    set(CPACK_DEBIAN_DWT_DEVELOPMENT_PACKAGE_NAME libwavelane-dwt-dev)
    set(CPACK_DEBIAN_DWT_DEVELOPMENT_PACKAGE_SECTION libdevel)
    set(CPACK_DEBIAN_DWT_DEVELOPMENT_PACKAGE_DEPENDS "libwavelane-dwt0 ${same_version}, libwavelane-dev ${same_version}")
    set(CPACK_DEBIAN_DWT_DEVELOPMENT_DESCRIPTION "wavelet transforms - development files
The wavelet transforms of pictures (CDF 5/3 and 9/7, DD 13/7) and of long
signals (Daubechies, symlets, coiflets, filters of the caller).
.
This package has the header, which is the manual of the library, the static
library, and files for pkg-config and CMake.")
endif()
if(TARGET wavelane_openjp2)
    set(CPACK_DEBIAN_OPENJP2_PACKAGE_NAME wavelane-openjp2)
    set(CPACK_DEBIAN_OPENJP2_PACKAGE_SECTION graphics)
    set(CPACK_DEBIAN_OPENJP2_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_OPENJP2_PACKAGE_RECOMMENDS "libopenjp2-7, wavelane")
    set(CPACK_DEBIAN_OPENJP2_DESCRIPTION "JPEG 2000 encoder - in the place of libopenjp2
Wavelane encodes pictures as JPEG 2000 (ISO/IEC 15444-1), with the block
coder of Part 1 or the high-throughput one of ISO/IEC 15444-15.
.
This package has a library that is loaded before libopenjp2, or stands in
its place: programs such as GDAL, FFmpeg and ImageMagick then encode with
Wavelane, without a change. It contains the encoder.")
endif()
if(TARGET wavelane_hdf5 AND TARGET wavelane_blosc2_htj2k)
    set(CPACK_DEBIAN_ARRAYS_PACKAGE_NAME wavelane-arrays)
    set(CPACK_DEBIAN_ARRAYS_PACKAGE_SECTION science)
    set(CPACK_DEBIAN_ARRAYS_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_ARRAYS_DESCRIPTION "JPEG 2000 encoder - for HDF5 and Blosc2
Wavelane encodes pictures as JPEG 2000 (ISO/IEC 15444-1), with the block
coder of Part 1 or the high-throughput one of ISO/IEC 15444-15.
.
This package has filter 32033 (HTJ2K) of HDF5, which programs as h5py load
by themselves, and the codecs 39 and 40 of Blosc2: arrays of integers of 8
and 16 bits are stored without loss. It contains the encoder, and decodes
with OpenJPEG.")
endif()
if(TARGET wavelane_gdal)
    set(CPACK_DEBIAN_GDAL_PACKAGE_NAME wavelane-gdal)
    set(CPACK_DEBIAN_GDAL_PACKAGE_SECTION science)
    set(CPACK_DEBIAN_GDAL_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_GDAL_DESCRIPTION "JPEG 2000 encoder - driver of GDAL
Wavelane encodes pictures as JPEG 2000 (ISO/IEC 15444-1), with the block
coder of Part 1 or the high-throughput one of ISO/IEC 15444-15.
.
This package has the driver JP2WAVELANE, which GDAL finds by itself. It
writes JPEG 2000 with georeference from sources of any size, row by row,
with the creation options of JP2OpenJPEG. It contains the encoder.")
endif()
include(CPack)
