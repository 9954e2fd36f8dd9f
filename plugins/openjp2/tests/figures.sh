#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Encode calls inside a process with and without the plugin, alternately: medians of the times and of their ratio.
#   figures.sh TIME-HOST PLUGIN RUNS PICTURE.ppm...      TIME-HOST: time_openjp2, PLUGIN: libwavelane-openjp2.so
# RATIOS: compression ratios of 9/7 (default 0 10 25); 0: lossless. One thread: time of the processor; more: by the clock.
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac
[ $# -gt 3 ] || { echo 'figures.sh TIME-HOST PLUGIN RUNS PICTURE.ppm...' >&2 && exit 2; }
host=$1 plugin=$2 runs=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
printf '%-24s %-9s %7s %12s %12s %6s\n' picture coding threads OpenJPEG,ms Wavelane,ms ratio
for picture; do
    for ratio in ${RATIOS:-0 10 25}; do
        for threads in 1 "$(nproc)"; do
            : >"$work/times"
            for _ in $(seq "$runs"); do
                other=$("$host" "$picture" $ratio "$threads" 1)
                own=$(LD_PRELOAD=$plugin "$host" "$picture" $ratio "$threads" 1)
                case $other$own in *OpenJPEG*Wavelane) ;; *) echo "$other | $own" && exit 1 ;; esac
                echo "${other%% *} ${own%% *}" >>"$work/times"
            done
            coding=lossless
            [ $ratio = 0 ] || coding="9/7 1:$ratio"
            printf '%-24s %-9s %7s %12s %12s %6s\n' "$(basename "$picture")" "$coding" "$threads" "$(cut -d' ' -f1 "$work/times" | median)" \
                "$(cut -d' ' -f2 "$work/times" | median)" "$(awk '{ print $1 / $2 }' "$work/times" | median)"
        done
    done
done
