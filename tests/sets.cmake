# SPDX-License-Identifier: BSD-2-Clause
# Sets of HT passes that rate control chooses from, by the kernels' own source.
wvl_add_suite(twin cuda_sets twin/t1_blocks.c twin/ht_blocks.c twin/emulated_driver.c)
target_link_libraries(test_cuda_sets PRIVATE ht_emulated m)
