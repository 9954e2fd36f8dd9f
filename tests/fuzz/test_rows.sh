#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random configurations whose second encode comes by rows: strips of all heights, sources that go back or do not, the least memory or any. Same bytes,
# and no more memory than was said. Then configurations whose tile-parts are divided early: the judges read them.
#   test_rows.sh FUZZ-PROGRAM        one with hooks for tests
# WVL_TEST_SHORT: fewer configurations.
set -eu
. "$(dirname "$0")/../support/shell.sh"

fuzz=$1
count=300
[ -z "${WVL_TEST_SHORT:-}" ] || count=60
"$fuzz" --rows --seed 1 --count $count --jobs 2
"$fuzz" --rows --ht --seed 1 --count $((count / 3)) --jobs 2
WVL_PART_BYTES=44000 "$fuzz" --seed 1 --count $((count / 2)) --jobs 2
