#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A suite that a build lacks for want of a library, of the tools or of the laboratory, counts as skipped there: every build lists the same suites.
#   test_absent.sh BUILD SOURCE CMAKE
set -eu
. "$(dirname "$0")/../support/shell.sh"
build=$1 source=$2 cmake=$3

# From the files that ctest reads: another ctest in this build would take the log of the one that runs.
names() { find "$1" -name CTestTestfile.cmake -exec sed -n 's/^ *add_test(\(\[=*\[\)\{0,1\}\([a-z0-9_.]*\).*/\2/p' {} + | sort -u; }
names "$build" >"$work/all"
[ "$(wc -l <"$work/all")" -gt 100 ] || {
    echo "few suites are listed in $build"
    exit 1
}

# The files of pkg-config, all but those of two libraries.
mkdir "$work/pc"
pkg-config --variable pc_path pkg-config | tr ':' '\n' | while read -r folder; do
    [ ! -d "$folder" ] || find "$folder" -name '*.pc' -exec ln -sf {} "$work/pc/" \;
done

# lists WITHOUT OPTIONS...: a build without that has the same suites.
lists() {
    without=$1
    shift
    "$cmake" -S "$source" -B "$work/$without" -DCMAKE_BUILD_TYPE=Release -DWVL_BUILD_TESTS=ON -DWVL_CUDA=OFF "$@" >"$work/log" 2>&1 || {
        tail -n 20 "$work/log"
        echo "no configuration without $without"
        exit 1
    }
    names "$work/$without" >"$work/some"
    lost=$(comm -23 "$work/all" "$work/some")
    [ -z "$lost" ] || {
        echo "a build without $without drops suites that no wvl_register_absent names:" $lost
        exit 1
    }
}

lists tools -DWVL_BUILD_TOOLS=OFF
lists laboratory -DWVL_LAB=OFF
rm -f "$work"/pc/libopenjp2*.pc "$work"/pc/libpng*.pc
PKG_CONFIG_LIBDIR="$work/pc"
export PKG_CONFIG_LIBDIR
lists libraries
