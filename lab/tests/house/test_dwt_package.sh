#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs into an empty folder, and builds and runs a program with both transforms against it: with pkg-config (shared and static), with the component
# dwt of the CMake package, and as far as the header goes as C99 and C++.
#   test_dwt_package.sh BUILD C-COMPILER
set -eu
. "$(dirname "$0")/../../../tests/support/shell.sh"

build=$1 cc=$2
prefix=$work/prefix

quietly() { "$@" >"$work/log" 2>&1 || { echo "failed: $*" && cat "$work/log" && exit 1; }; }

quietly cmake --install "$build" --prefix "$prefix"
pc=$(find "$prefix" -name wavelane-dwt.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
libdir=$(dirname "$PKG_CONFIG_PATH")

mkdir "$work/program"
cd "$work/program"
cat >both.c <<'C'
#include <stdio.h>
#include <wavelane_dwt.h>
int main(void)
{
    float signal[64] = {1, 2, 3}, coefs[64], picture[64] = {1, 2, 3}, plane[64];
    char error[256] = "";
    wvl_dwt1_options of_signals = {.struct_size = sizeof of_signals, .wavelet = "db4", .type = WVL_DWT_F32};
    wvl_dwt2_options of_pictures = {.struct_size = sizeof of_pictures, .wavelet = "cdf97", .type = WVL_DWT_F32};
    wvl_dwt2_view image = {picture, 1, 8}, all = {plane, 1, 8}, bands[4];
    wvl_dwt1 *signals;
    wvl_dwt2 *pictures;
    int failed = wvl_dwt1_create(&of_signals, &signals, error, sizeof error) || wvl_dwt2_create(&of_pictures, &pictures, error, sizeof error);
    failed = failed || wvl_dwt1_forward(signals, signal, 1, 64, 2, coefs, error, sizeof error);
    wvl_dwt2_place(WVL_DWT2_SEPARATE, &all, 8, 8, 1, bands);
    failed = failed || wvl_dwt2_forward(pictures, &image, 8, 8, 1, bands, error, sizeof error);
    printf("%s%a %a\n", error, coefs[0], plane[0]);
    wvl_dwt1_release(signals);
    wvl_dwt2_release(pictures);
    return failed;
}
C
flags='-std=c11 -Wall -Wextra -Wpedantic -Werror'
# shellcheck disable=SC2046,SC2086 # compiler flags are words
{
    quietly "$cc" $flags -o shared both.c $(pkg-config --cflags --libs wavelane-dwt)
    quietly "$cc" $flags -o static both.c $(pkg-config --cflags wavelane-dwt) "$libdir/libwavelane-dwt.a" "$libdir/libwavelane.a" "$libdir/libwavelane-check.a" -lm -pthread
}
LD_LIBRARY_PATH=$libdir ./shared >shared.out || { echo "shared: $(cat shared.out)" && exit 1; }
./static >static.out || { echo "static: $(cat static.out)" && exit 1; }
cmp shared.out static.out
if ldd shared | grep -q 'libwavelane\.so'; then
    echo 'libwavelane-dwt needs libwavelane'
    exit 1
fi

cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(both LANGUAGES C)
find_package(wavelane REQUIRED COMPONENTS dwt)
add_executable(by_package both.c)
target_link_libraries(by_package PRIVATE wavelane::dwt)
add_executable(by_static_package both.c)
target_link_libraries(by_static_package PRIVATE wavelane::dwt_static)
CMAKE
quietly cmake -S . -B b -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build b
for program in by_package by_static_package; do
    "./b/$program" >"$program.out" || { echo "$program: $(cat $program.out)" && exit 1; }
    cmp shared.out "$program.out"
done

# Without its files the CMake package says that the component is not there, and the encoder is.
find "$prefix" -name 'wavelane-dwt-targets*.cmake' -exec rm {} +
if cmake -S . -B without -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1; then
    echo 'a component that is not installed is taken'
    exit 1
fi
sed -i 's/ COMPONENTS dwt//; s/dwt_static/static/; s/wavelane::dwt/wavelane::wavelane/; /by_static/d' CMakeLists.txt
quietly cmake -S . -B encoder -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix"

echo '#include <wavelane_dwt.h>' >header.c
quietly "$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only header.c
if part c++; then
    quietly c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only -x c++ header.c
fi
end_suite 0
