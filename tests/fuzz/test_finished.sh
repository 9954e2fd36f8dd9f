#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random configurations that ask only for what a device finishes, on the device in software: same bytes as the CPU, 99 of 100 reach packets, and the
# judges read them.
#   test_finished.sh FUZZ-PROGRAM
# WVL_TEST_SHORT: fewer configurations.
set -eu
. "$(dirname "$0")/../support/shell.sh"

fuzz=$1
count=240 judged=80
[ -z "${WVL_TEST_SHORT:-}" ] || { count=60 && judged=20; }
[ -z "${WVL_TEST_PICTURES:-}" ] || set -- --pictures "$WVL_TEST_PICTURES"
[ -n "${WVL_TEST_PICTURES:-}" ] || set --

"$fuzz" --count 1 --digests "$work/has" >"$work/has.log" 2>&1 || { cat "$work/has.log"; exit 77; } # a build without digests
for kind in ht part1; do
    for device in cpu cuda-only; do
        "$fuzz" --packets $kind --count $count --jobs 2 --device $device --digests "$work/$kind.$device" "$@" >"$work/$kind.$device.log" ||
            { cat "$work/$kind.$device.log"; exit 1; }
    done
    cmp "$work/$kind.cpu" "$work/$kind.cuda-only"
    cat "$work/$kind.cuda-only.log"
    [ "$(grep -cE '^[0-9]+ [0-9a-f]{64}$' "$work/$kind.cpu")" -ge $((count * 95 / 100)) ] || { echo "$kind: too few digests"; exit 1; }
    grep -q ' on a device: [1-9][0-9]* packets, ' "$work/$kind.cuda-only.log" || { echo "$kind: nothing was finished by the device"; exit 1; }
    "$fuzz" --packets $kind --seed 10000 --count $judged --jobs 2 --device cuda-only "$@" >"$work/judged.log" ||
        { cat "$work/judged.log"; exit 1; }
    grep -q ' on a device: [1-9][0-9]* packets, ' "$work/judged.log" || { cat "$work/judged.log"; echo "$kind: the report does not say how far"; exit 1; }
done
for device in cpu cuda-only; do # what the CPU finishes, from blocks of the device
    "$fuzz" --packets waves --count $count --jobs 2 --device $device --digests "$work/waves.$device" "$@" >"$work/waves.$device.log" ||
        { cat "$work/waves.$device.log"; exit 1; }
done
cmp "$work/waves.cpu" "$work/waves.cuda-only"
cat "$work/waves.cuda-only.log"
grep -q ' on a device: [0-9]* packets, [1-9][0-9]* blocks, 0 coefs' "$work/waves.cuda-only.log" || { echo "waves: no blocks of the device"; exit 1; }
! cmp -s "$work/ht.cpu" "$work/part1.cpu" || { echo "both kinds of blocks give the same files"; exit 1; }
"$fuzz" --packets --show 7 >"$work/default"
"$fuzz" --packets ht --show 7 | cmp - "$work/default" # without a word: HT

# With rate control the device in software runs the kernels' own source, which is slow. Seeds 40 and 47 of EBCOT have limits of components; seed 15 of
# HT too.
with_targets() { # kind, first seed, count, a seed with limits of components
    for device in cpu cuda-only; do
        "$fuzz" --packets "$1" --seed "$2" --count "$3" --jobs 2 --seconds 600 --device $device --digests "$work/$1.$device" >"$work/$1.log" ||
            { cat "$work/$1.log"; exit 1; }
    done
    "$fuzz" --packets "$1" --show "$4" | grep -q max-component-bytes || { echo "$1: seed $4 has no limit of components"; exit 1; }
    cmp "$work/$1.cpu" "$work/$1.cuda-only"
    grep -q "^$3 on a device: $3 packets" "$work/$1.log" || { cat "$work/$1.log"; echo "$1: not all were finished by the device"; exit 1; }
}
if [ -z "${WVL_TEST_SHORT:-}" ]; then
    with_targets rate 40 9 40
    with_targets ht-rate 1 24 15
    for device in cpu cuda-only; do
        "$fuzz" --packets layers --seed 1 --count 12 --jobs 2 --seconds 600 --device $device --digests "$work/layers.$device" >"$work/layers.log" ||
            { cat "$work/layers.log"; exit 1; }
    done
    "$fuzz" --packets layers --show 2 | grep -q 'layers=6' || { echo "layers: seed 2 has not 6 layers"; exit 1; }
    cmp "$work/layers.cpu" "$work/layers.cuda-only"
    grep -q ' on a device: [1-9][0-9]* packets, 0 blocks, 0 coefs' "$work/layers.log" || { cat "$work/layers.log"; echo "layers: not all were finished by the device"; exit 1; }
fi

echo "random configurations that a device finishes: nothing wrong"
