#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random configurations of a fixed seed, and the cases that once failed.
#   test_configurations.sh FUZZ-PROGRAM REGRESS-FOLDER
# WVL_TEST_SHORT: fewer configurations.
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

fuzz=$1
"$fuzz" --replay-files "$2"/*.case
any=300 estimates=120 presets=400
[ -z "${WVL_TEST_SHORT:-}" ] || any=100 estimates=0 presets=60
[ -z "${WVL_TEST_PICTURES:-}" ] || set -- --pictures "$WVL_TEST_PICTURES"
[ -n "${WVL_TEST_PICTURES:-}" ] || set --
"$fuzz" --seed 1 --count $any --jobs 2 "$@"
[ $estimates -eq 0 ] || "$fuzz" --estimates --seed 1 --count $estimates --jobs 2
"$fuzz" --presets --seed 1 --count $presets --jobs 2
