#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wavelane-bench lattice: rows, JSON, and what it refuses.
#   test_bench_lattice.sh BENCH
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

bench=$1
made=$(mktemp)
trap 'rm -f "$made"' EXIT

# expect STATUS TEXT OPTION...: the exit status, and a text in what is printed.
expect() {
    wanted=$1 text=$2 status=0
    shift 2
    "$bench" lattice "$@" >"$made" 2>&1 || status=$?
    if [ "$status" != "$wanted" ] || ! grep -q -e "$text" "$made"; then
        echo "lattice $*: exit status $status, expected $wanted and \"$text\":"
        cat "$made"
        exit 1
    fi
}

few="--runs 1 --length 5000"
# shellcheck disable=SC2086 # words
{
    expect 0 '5000 db4 *lattice *inverse *2' $few --wavelet db4,cdf97 --threads 1,2
    [ "$(grep -c ' 5000 ' "$made")" = 16 ] || { echo "16 rows were expected" && cat "$made" && exit 1; }
    expect 0 '"rows"' $few --wavelet sym8 --levels 3 --type f64 --json -
    python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))["rows"]) == 4' "$made"
    expect 0 'left out: no lattice for dd137' $few --wavelet dd137
    expect 2 'unknown wavelet "db99"' $few --wavelet db99
    expect 2 'give lattice, convolution or both' $few --form lifting
    expect 2 'give f32 or f64' $few --type f16
}
