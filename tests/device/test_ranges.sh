#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every stage of an encode opens its NVTX range, on the CPU and on a device, and all are closed. In builds with WVL_NVTX.
#   test_ranges.sh COMMAND LISTENER DEVICE...
set -eu

command=$1 listener=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for device; do
    wanted='blocks code rate transform write'
    case $device in cuda*) wanted="blocks code collect download kernels rate stage transform upload write" ;; esac
    NVTX_INJECTION64_PATH=$listener "$command" --demo -o "$scratch/$device.j2k" -I -r 20 -t 96,96 --quiet --device "$device" 2>"$scratch/said"
    found=$(sed -n 's/^range wavelane //p' "$scratch/said" | LC_ALL=C sort | tr '\n' ' ')
    [ "$found" = "$wanted " ] || { echo "$device: ranges $found, not $wanted"; exit 1; }
    grep -Eq '^ranges opened ([0-9]+) closed \1$' "$scratch/said" || { echo "$device: $(tail -1 "$scratch/said")"; exit 1; }
done
echo "ranges on $*: as they should be"
