#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fourteen generated kernels of the transform laboratory are compiled for 9.0, without spills. Then the program that measures kernels is built;
# where there is a device, it checks some of them.
#   test_schemes_nvcc.sh NVCC PYTHON SOURCE FOLDER
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

nvcc=$1 python=$2 generator=$3/lab/dwtgen folder=$4
mkdir -p "$folder"

# compile NAME COUNT OPTION...
compile() {
    name=$1 count=$2
    shift 2
    "$python" -B "$generator" cuda "$@" >"$folder/$name.cu"
    "$nvcc" -cubin -arch=sm_90 -std=c++17 --fmad=false -diag-suppress 177 -Xptxas --warn-on-spills -Xptxas --warning-as-error \
        -Xptxas -v -o "$folder/$name.cubin" "$folder/$name.cu" 2>"$folder/$name.log" || { cat "$folder/$name.log" && exit 1; }
    found=$(grep -c "Compiling entry function 'lab_" "$folder/$name.log")
    [ "$found" = "$count" ] || { echo "$name: $found kernels, $count were asked for" && exit 1; }
}

compile shuffle 4 --wavelet cdf97 --scheme sep_polyconvolution_y_star,monolithic_star --exchange shuffle
compile halves 2 --wavelet cdf53 --scheme polyphase_star --type f16x2 --group 32x4 --quads 2x2 --exchange warp --buffers 1
compile registers 2 --wavelet cdf53 --scheme sep_lifting --vertical-first --type i32 --group 32x1 --quads 1x10 --exchange shuffle
compile tiles 2 --wavelet dd137 --scheme explosion_star --mapping tile --buffers 1 --group 32x16
compile levels 2 --wavelet cdf97 --scheme monolithic_star --exchange shuffle --group 32x8 --quads 2x4 --access vectors --align 8 --buffers 1 --levels 2
compile memoryless 2 --wavelet cdf97 --scheme sep_convolution --memory none --quads 2x2

# No shared memory and no barrier: one warp holds whole columns.
if grep "Used .* registers" "$folder/registers.log" | grep -q -e smem -e 'used [1-9][0-9]* barriers'; then
    grep Used "$folder/registers.log"
    echo "a kernel of one warp with whole columns uses shared memory or barriers"
    exit 1
fi

# Twice: the second run takes the program from the cache.
rm -rf "$folder/cache"
for run in first second; do
    status=0
    "$python" -B "$3/lab/bench/device_schemes" --nvcc "$nvcc" --cache "$folder/cache" --wavelet cdf53 --scheme sep_lifting,implosion \
        --size 131,67 --runs 1 -- --exchange shuffle >"$folder/report.json" 2>"$folder/report.log" || status=$?
    [ "$status" = 0 ] || { [ "$status" = 77 ] && grep -q 'no device' "$folder/report.log"; } || { cat "$folder/report.log" && exit 1; }
    [ "$(find "$folder/cache" -type f | wc -l)" = 1 ] || { echo "$run run: the cache holds more than the program" && exit 1; }
done
