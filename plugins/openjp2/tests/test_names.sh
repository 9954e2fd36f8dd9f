#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the two libraries show: functions of libopenjp2 alone, so that no name of Wavelane reaches a host. The one that stands in its place has all of them.
#   test_names.sh PRELOADED IN-ITS-PLACE
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shown() { nm -D --defined-only "$1" | awk '{ print $3 }' | LC_ALL=C sort; }
real=$(ldconfig -p | awk '/libopenjp2\.so\.7 / { print $NF; exit }')
[ -n "$real" ] || { echo 'no libopenjp2' && exit 77; }
shown "$real" >"$work/real"
shown "$1" >"$work/preloaded"
shown "$2" | grep -vx opj_wavelane >"$work/place" || true
more=$(LC_ALL=C comm -23 "$work/preloaded" "$work/real")
[ -z "$more" ] || { echo "$1 shows names that libopenjp2 has not: $more" && exit 1; }
less=$(LC_ALL=C comm -13 "$work/place" "$work/real")
[ -z "$less" ] || { echo "$2 lacks" $less && exit 1; }
more=$(LC_ALL=C comm -23 "$work/place" "$work/real" | grep -v '^opj_' || true)
[ -z "$more" ] || { echo "$2 shows" $more && exit 1; }
[ "$(wc -l <"$work/preloaded")" -eq 21 ] || { echo "$1 shows $(wc -l <"$work/preloaded") functions, not 21" && exit 1; }
! readelf -d "$1" "$2" | grep NEEDED | grep -q wavelane || { echo 'they need libwavelane' && exit 1; }
readelf -d "$2" | grep -q 'SONAME.*\[libopenjp2.so.7\]' || { echo "$2 has another soname" && exit 1; }
echo "$(wc -l <"$work/preloaded") and $(wc -l <"$work/place") functions of libopenjp2, and no other names"
