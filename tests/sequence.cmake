# SPDX-License-Identifier: BSD-2-Clause
# Sequences, as the command and as ranks of MPI encode them.
wvl_register_test(sequence_files unit ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_sequence_files.sh $<TARGET_FILE:wavelane_command>)
wvl_register_test(sequence_command unit ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_sequence.sh $<TARGET_FILE:wavelane_command>)
if(TARGET wavelane_mpi)
    wvl_register_test(mpi unit ${CMAKE_CURRENT_SOURCE_DIR}/unit/test_mpi.sh $<TARGET_FILE:wavelane_command> $<TARGET_FILE:wavelane_mpi>)
endif()
