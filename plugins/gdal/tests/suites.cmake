# SPDX-License-Identifier: BSD-2-Clause
# Read by tests/CMakeLists.txt. The host is GDAL in Debian's Python, which the Python of the build need not be.
if(TARGET wavelane_gdal AND EXISTS /usr/bin/python3 AND NOT WVL_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize=")
    wvl_register_test(gdal_driver plugin /usr/bin/python3 ${PROJECT_SOURCE_DIR}/plugins/gdal/tests/test_driver.py $<TARGET_FILE_DIR:wavelane_gdal>)
endif()
wvl_register_absent("no libgdal 3.6 or later, no C++, a build with sanitizers, or the plugin is left out (WVL_PLUGINS)" plugin.gdal_driver)
