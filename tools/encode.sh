#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# From nothing to a JPEG 2000 file: installs what is missing, builds, encodes, decodes with OpenJPEG and compares.
#
#   tools/encode.sh                      encodes a picture that the command makes itself
#   tools/encode.sh PICTURE [OPTION ...] encodes PICTURE; with options of the command in place of "-I -r 10"
#
# The file NAME.jp2 is written to the current directory. Size, ratio, time and PSNR are printed.
set -eu

source=$(cd "$(dirname "$0")/.." && pwd)
"$source/tools/install_packages.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

quietly() {
    "$@" >"$log" 2>&1 || {
        cat "$log" >&2
        exit 1
    }
}

(
    cd "$source"
    echo "encode: building in $source/build/release" >&2
    quietly cmake --preset release
    grep '^-- CUDA' "$log" | sed 's/^-- //' >&2 || true
    quietly cmake --build --preset release
)

wavelane=$source/build/release/tools/wavelane
if [ $# -eq 0 ]; then
    exec_options="--demo --force"
    # shellcheck disable=SC2086 # the options are words
    "$wavelane" $exec_options -o demo.jp2 -I -r 10 --verify
    exit
fi

picture=$1
shift
name=${picture##*/}
if [ $# -eq 0 ]; then
    set -- -I -r 10
fi
"$wavelane" -i "$picture" -o "${name%.*}.jp2" --verify "$@"
