#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The portable device code carries no options for the assembler: the driver would obey them on devices that nobody has tried (D-cuda-09).
#   test_image.sh IMAGE
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

image=$1
[ -s "$image" ] || { echo "$image: no such file" && exit 1; }
grep -a -q 'sm_90' "$image" || { echo "$image: no machine code for 9.0 found, the test reads it wrongly" && exit 1; }
if grep -a -q -e '--warn-on-spills' -e '--warning-as-error' "$image"; then
    echo "$image: its portable code carries options for the assembler"
    exit 1
fi
