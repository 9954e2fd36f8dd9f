#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A committed table is what its generator prints.
#   test_generated.sh GENERATOR COMMITTED
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

made=$(mktemp)
trap 'rm -f "$made"' EXIT
"$1" >"$made"
if ! cmp -s "$made" "$2"; then
    echo "$2 is not what $1 prints:"
    diff "$2" "$made" | head -n 20
    exit 1
fi
echo "$2: $(wc -l <"$2") lines, as generated"
