#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Seeds for the fuzz targets, from the configurations that wavelane-fuzz draws.
#   make_corpus.sh FUZZ-PROGRAM FOLDER COUNT
# FOLDER/encode gets cases as text, FOLDER/walker what the encoder makes of them behind two bytes of options, and of half as many with HT blocks.
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

fuzz=$1
folder=$2
count=$3
mkdir -p "$folder/encode" "$folder/walker"

# stream NAME CASE
stream() {
    if "$fuzz" --write "$folder/stream" --replay "$2 size=$((seed % 40 + 1)),$((seed % 23 + 1))" >/dev/null && [ -s "$folder/stream" ]; then
        { printf '\377\000'; cat "$folder/stream"; } >"$folder/walker/$1"
    fi
    rm -f "$folder/stream"
}

seed=1
while [ "$seed" -le "$count" ]; do
    "$fuzz" --show "$seed" >"$folder/encode/$seed"
    stream "$seed" "$(cat "$folder/encode/$seed")"
    [ $((seed % 2)) -eq 0 ] || stream "ht$seed" "$("$fuzz" --ht --show "$seed")"
    seed=$((seed + 1))
done
