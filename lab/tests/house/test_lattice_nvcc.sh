#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The kernels of the 1-D transform are compiled for 9.0 without spills, with the program that measures them. A device checks them, if there is one.
#   test_lattice_nvcc.sh NVCC SOURCE FOLDER
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

nvcc=$1 source=$2 folder=$3
mkdir -p "$folder"
cd "$source"
"$nvcc" -arch=sm_90 -std=c++17 --fmad=false -Ilab/include -Iinclude -Isrc -I. -Xptxas --warn-on-spills -Xptxas --warning-as-error \
    -o "$folder/lattice_harness" lab/bench/lattice_harness.cu lab/lattice/factor.c >"$folder/log" 2>&1 || { cat "$folder/log" && exit 1; }
status=0
"$folder/lattice_harness" 1048576 3 db4 db16 cdf97 dd137 >"$folder/rows" 2>&1 || status=$?
cat "$folder/rows"
[ "$status" = 0 ] || [ "$status" = 77 ]
