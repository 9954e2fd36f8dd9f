# SPDX-License-Identifier: BSD-2-Clause
# The command by rows. A sanitizer's memory is no measure: its builds leave the large pictures out.
if(TARGET make_rows)
    set(by_rows ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_by_rows.py $<TARGET_FILE:wavelane_command> $<TARGET_FILE:make_rows>)
    wvl_register_test(by_rows unit ${by_rows} ${CMAKE_CURRENT_BINARY_DIR}/by_rows)
    if(NOT WVL_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
        wvl_register_test(by_rows_large unit ${by_rows} ${CMAKE_CURRENT_BINARY_DIR}/by_rows_large large)
    endif()
endif()
