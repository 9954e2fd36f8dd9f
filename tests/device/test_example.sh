#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The examples with a device: that of device pixels says that the device worked, and all bytes are those of a CPU.
#   test_example.sh DEVICE_PIXELS WAVELANE [THROUGHPUT]
set -eu
. "$(dirname "$0")/../support/shell.sh"

"$1" "$work/device.j2c" >"$work/said"
grep -q '^[0-9]* bytes by cuda:0' "$work/said" || {
    echo "the device did not work: $(cat "$work/said")"
    exit 1
}
awk 'BEGIN {
    printf "P3\n512 384\n255\n"
    for (y = 0; y < 384; y++) for (x = 0; x < 512; x++) {
        sum = 0
        for (bit = 1; bit < 256; bit *= 2) if (int(x / bit) % 2 != int(y / bit) % 2) sum += bit
        print (x + y) % 256, (2 * x + y) % 256, sum
    }
}' >"$work/same.ppm"
env -u LD_LIBRARY_PATH "$2" --quiet -i "$work/same.ppm" -o "$work/host.j2k" --style HT
cmp "$work/device.j2c" "$work/host.j2k"

[ $# -gt 2 ] || exit 0
for n in 0 1 2 3 4 5 6 7 8 9; do
    { printf 'P6\n64 48\n255\n'; head -c $((9216 + 500 * n)) "$2" | tail -c 9216; } >"$work/f$n.ppm"
done
"$3" "$work"/f?.ppm
for n in 0 1 2 3 4 5 6 7 8 9; do
    env -u LD_LIBRARY_PATH "$2" --quiet -i "$work/f$n.ppm" -o "$work/f$n.j2k" --style HT
    cmp "$work/f$n.ppm.j2c" "$work/f$n.j2k"
done
