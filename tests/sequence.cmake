# SPDX-License-Identifier: BSD-2-Clause
# Suites of the command: sequences, their machine (clock, disk, memory), wavelane-mpi on one host and on two, and memory that fails.
wvl_register_test(sequence_files unit ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_sequence_files.sh $<TARGET_FILE:wavelane_command>)
wvl_register_test(sequence_command unit ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_sequence.sh $<TARGET_FILE:wavelane_command>)
if(TARGET wavelane_mpi)
    wvl_register_test(mpi unit ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_mpi.sh $<TARGET_FILE:wavelane_command> $<TARGET_FILE:wavelane_mpi>)
    wvl_register_test(mpi_hosts unit ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_mpi_hosts.sh $<TARGET_FILE:wavelane_command> $<TARGET_FILE:wavelane_mpi>
        $<$<TARGET_EXISTS:wavelane_fault>:$<TARGET_FILE:wavelane_fault>>)
endif()
if(TARGET wavelane_fault AND Python3_FOUND)
    wvl_register_test(sequence_machine unit ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_sequence_machine.sh $<TARGET_FILE:wavelane_command>
        $<TARGET_FILE:wavelane_fault> $<$<TARGET_EXISTS:wavelane_mpi>:$<TARGET_FILE:wavelane_mpi>>)
endif()
if(Python3_FOUND)
    wvl_register_test(slow_source unit ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_slow_source.py $<TARGET_FILE:wavelane_command>)
    wvl_register_test(kills unit ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_kills.py $<TARGET_FILE:wavelane_command>)
endif()
add_library(failing_memory MODULE support/failing_memory.c)
target_compile_options(failing_memory PRIVATE -fno-sanitize=all)
if(Python3_FOUND)
    wvl_register_test(command_memory unit ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_command_memory.sh $<TARGET_FILE:wavelane_command> $<TARGET_FILE:failing_memory>)
    wvl_register_test(words unit ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_words.py $<TARGET_FILE:wavelane_command>
        ${CMAKE_CURRENT_BINARY_DIR}/words $<$<BOOL:${OPENJPEG_FOUND}>:verify>)
    if(NOT WVL_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
        wvl_register_test(run_memory unit ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_run_memory.py $<TARGET_FILE:wavelane_command>)
    endif()
    wvl_register_test(kept_memory unit ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_kept_memory.py $<TARGET_FILE:wavelane_command> $<TARGET_FILE:failing_memory>)
endif()
