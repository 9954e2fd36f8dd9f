# SPDX-License-Identifier: BSD-2-Clause
# The Python package from the build tree, with the module that a wheel has; then with test hooks and the software device.
set(python_reason "${WVL_PYTHON_REASON}")
if(WVL_PYTHON_READY)
    execute_process(COMMAND ${Python3_EXECUTABLE} -c "import numpy, pytest" RESULT_VARIABLE without_pytest OUTPUT_QUIET ERROR_QUIET)
    set(python_reason "no numpy or pytest (python3-numpy, python3-pytest)")
    set(python_suites ${Python3_EXECUTABLE} -B -m pytest -q -p no:cacheprovider)
endif()
if(WVL_PYTHON_READY AND WVL_BUILD_TOOLS AND NOT without_pytest)
    wvl_register_test(python unit ${python_suites} ${PROJECT_SOURCE_DIR}/python/tests)
    set_property(TEST unit.python APPEND PROPERTY ENVIRONMENT PYTHONPATH=${PROJECT_BINARY_DIR}/python/package
        WVL_TEST_COMMAND=$<TARGET_FILE:wavelane_command>)
    wvl_add_python_module(wavelane_python_soft ${PROJECT_BINARY_DIR}/python/package_soft wavelane_testing)
    wvl_link_package(${PROJECT_BINARY_DIR}/python/package_soft)
    add_dependencies(wavelane_python_soft soft_driver)
    wvl_register_test(python_soft device ${python_suites} ${PROJECT_SOURCE_DIR}/python/tests/test_device.py
        ${PROJECT_SOURCE_DIR}/python/tests/test_gpu.py)
    set_property(TEST device.python_soft APPEND PROPERTY ENVIRONMENT PYTHONPATH=${PROJECT_BINARY_DIR}/python/package_soft)
    wvl_use_soft_driver(device.python_soft)
endif()
