#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every stage of an encode opens its NVTX range, on the CPU and on a device, and all are closed. In builds with WVL_NVTX.
#   test_ranges.sh COMMAND LISTENER DEVICE...
set -eu
. "$(dirname "$0")/../support/shell.sh"

command=$1 listener=$2
shift 2

# check DEVICE WANTED OPTION...
check() {
    device=$1 wanted=$2
    shift 2
    NVTX_INJECTION64_PATH=$listener "$command" --demo -o "$work/out.j2k" --force -I "$@" -t 96,96 --quiet --device "$device" 2>"$work/said"
    found=$(sed -n 's/^range wavelane //p' "$work/said" | LC_ALL=C sort | tr '\n' ' ')
    [ "$found" = "$wanted " ] || { echo "$device: ranges $found, not $wanted"; exit 1; }
    grep -Eq '^ranges opened ([0-9]+) closed \1$' "$work/said" || { echo "$device: $(tail -1 "$work/said")"; exit 1; }
}

for device; do
    case $device in
    cuda*) # which finishes pictures, but for packed headers: then it codes the blocks
        check "$device" 'code collect kernels stage write' -r 40,20
        check "$device" 'blocks code collect download kernels rate stage transform upload write' -r 20 --packed-headers ppt
        ;;
    *) check "$device" 'blocks code rate transform write' -r 20 ;;
    esac
done
echo "ranges on $*: as they should be"
