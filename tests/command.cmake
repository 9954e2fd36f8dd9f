# SPDX-License-Identifier: BSD-2-Clause
# Suites of the command: sequences, also as ranks of MPI encode them, and memory that fails.
wvl_register_test(sequence_files unit ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_sequence_files.sh $<TARGET_FILE:wavelane_command>)
wvl_register_test(sequence_command unit ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_sequence.sh $<TARGET_FILE:wavelane_command>)
if(TARGET wavelane_mpi)
    wvl_register_test(mpi unit ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_mpi.sh $<TARGET_FILE:wavelane_command> $<TARGET_FILE:wavelane_mpi>)
endif()
add_library(failing_memory MODULE support/failing_memory.c)
target_compile_options(failing_memory PRIVATE -fno-sanitize=all)
if(Python3_FOUND)
    wvl_register_test(command_memory unit ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_command_memory.sh $<TARGET_FILE:wavelane_command> $<TARGET_FILE:failing_memory>)
endif()
