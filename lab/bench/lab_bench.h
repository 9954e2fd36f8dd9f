/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of wavelane-dwt-bench. Pictures, arguments, clocks and JSON are those of wavelane-bench. */
#pragma once

#include "tools/bench/bench.h"

int wvl_lab_run_inverse(wvl_bench_args *args);
int wvl_lab_run_lattice(wvl_bench_args *args);
int wvl_lab_run_schemes(wvl_bench_args *args);
int wvl_lab_run_transfers(wvl_bench_args *args);
