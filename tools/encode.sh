#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# From nothing to a JPEG 2000 file: installs what is missing, builds, encodes, decodes with OpenJPEG and compares.
#
#   tools/encode.sh                        encodes a picture that the command makes itself, as demo.jp2
#   tools/encode.sh PICTURE                encodes PICTURE with the 9/7 wavelet at a ratio of 10, as NAME.jp2
#   tools/encode.sh PICTURE OPTION ...     encodes PICTURE with these options of the command, lossless if they name no rate
#
# The file is written to the current directory unless an option -o says where. Size, ratio, time and PSNR are printed.
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

source=$(cd "$(dirname "$0")/.." && pwd)
wavelane=$source/build/release/tools/wavelane

build() {
    cd "$source"
    tools/install_packages.sh
    cmake --preset release
    cmake --build --preset release -j "$(nproc)"
}

echo "encode: installing what is missing, building in $source/build/release" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! (build) >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
sed -n 's/^-- \(CUDA: .*\)/\1/p' "$log"

if [ $# -eq 0 ]; then
    "$wavelane" --demo -o demo.jp2 --force -I -r 10 --verify
    exit
fi
picture=$1
shift
[ $# -gt 0 ] || set -- -I -r 10
case " $* " in
*" -o "*) ;;
*)
    name=${picture##*/}
    set -- -o "${name%.*}.jp2" "$@"
    ;;
esac
"$wavelane" -i "$picture" --verify "$@"
