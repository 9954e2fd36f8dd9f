#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the fuzz targets of walker and encoder over drawn configurations and changed copies of them.
#   test_targets.sh FUZZ-PROGRAM WALKER-TARGET ENCODE-TARGET
set -eu
. "$(dirname "$0")/../support/shell.sh"

fuzz=$1
walker=$2
encode=$3
here=$(dirname "$0")

"$here/make_corpus.sh" "$fuzz" "$work" 60
[ "$(find "$work/walker" -type f | wc -l)" -ge 30 ] || { echo "too few streams to change"; exit 1; }
"$walker" 300 "$work"/walker/*
"$encode" 40 "$work"/encode/*
