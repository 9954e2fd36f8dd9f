#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# One picture gives the same bytes for 1, 2, 3 and 7 threads, on a repeated run, and with the commands of other builds.
#   test_same_bytes.sh COMMAND [COMMAND ...]
# WVL_SAME_BYTES_THREADS: other numbers of threads, for builds that are slow.
# WVL_SAME_BYTES_REFERENCE: the command that encodes with one thread what the others are compared with, in place of the first one (for builds that are slow).
# Other builds: another compiler, another optimisation, or (WVL_SIMD=c for a build with WVL_TESTING) without vector kernels.
set -eu
. "$(dirname "$0")/../support/shell.sh"
. "$(dirname "$0")/../support/sequence.sh"

# Slopes, borders and noise of three bits, on four tiles of 512. Slow builds would draw a larger picture longer than they encode it.
frames "$work/pictures" 4 640 560
picture=$work/pictures/f.0003.ppm
reference=${WVL_SAME_BYTES_REFERENCE:-$1}
compared=0

# encode COMMAND THREADS FILE OPTION ...
encode() {
    command=$1 threads=$2 file=$3
    shift 3
    "$command" -i "$picture" --quiet --force --threads "$threads" -o "$file" "$@" </dev/null
}

compare() {
    cmp "$work/reference.j2k" "$work/other.j2k" || {
        echo "differs: $*"
        exit 1
    }
    compared=$((compared + 1))
}

while read -r options; do
    # shellcheck disable=SC2086 # the options are words
    encode "$reference" 1 "$work/reference.j2k" $options
    for command in "$@"; do
        for threads in ${WVL_SAME_BYTES_THREADS:-1 2 3 7}; do
            # shellcheck disable=SC2086
            encode "$command" "$threads" "$work/other.j2k" $options
            compare "$command --threads $threads $options"
        done
    done
done <<'OPTIONS'
-r 1
-I -r 10
-I --bpp 0.5,1 --visual yes
-I -q 30,40 -t 200,333 -d 7,5 -b 32,32 -n 4
-I -r 10 --input-color rec709 -t 200,333 -d 7,5
-r 40,8,1 -M 63 -p RPCL -t 512,512 -SOP -EPH -PLT -TLM
--ht
--ht -I --bpp 1
--ht -I --max-bytes 60000 --ht-passes 3 -t 300,300
--ht -I --qfactor 70 -b 128,32
--roi rect=100,80,200,150 -r 12
-I -r 20 --roi rect=100,80,200,150 -t 256,256
-I -r 15 --rdoq yes
-I -r 30,10 --rdoq yes -t 333,200 -b 32,32
-I --bpp 0.7 --visual yes -t 300,200
-I -r 25 --visual yes --rdoq yes
OPTIONS
echo "$compared encodes, each the same bytes as with one thread of $reference"
