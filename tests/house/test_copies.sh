#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The lint of copies passes on the tree, finds a planted copy, and an entry of its list that no longer holds.
#   test_copies.sh SOURCE
set -eu
. "$(dirname "$0")/../support/shell.sh"

source=$1

"$source/tools/lint_copies" "$source"

for part in include src codec cuda conformance tools python tests examples lab .ci; do
    cp -R "$source/$part" "$work"
done

expect() { expect_fault "$1" "$source/tools/lint_copies" "$work"; }

# lines COUNT: that many lines that stand nowhere else.
lines() {
    i=0
    while [ $i -lt "$1" ]; do
        i=$((i + 1))
        echo "    planted_line_$i(a, b);"
    done
}

# Nine lines are too few to count.
lines 9 >>"$work/codec/t2/tag_tree.c"
lines 9 | sed 's/^/  /' >>"$work/src/way/wave.c"
"$source/tools/lint_copies" "$work" >/dev/null

lines 12 >>"$work/codec/t2/tag_tree.c"
lines 12 | sed 's/^/  /' >>"$work/src/way/wave.c"
expect 'stand in src/way/wave.c'

lines 12 | sed 's/planted_line/planted_in_python/' >>"$work/python/wavelane/_encode.py"
lines 12 | sed 's/planted_line/planted_in_python/' >>"$work/conformance/mutate"
expect 'stand in python/wavelane/_encode.py'

cp "$source/codec/t2/tag_tree.c" "$work/codec/t2/tag_tree.c"
echo 'src/way/wave.c src/waves/drive.c they are friends' >>"$work/tools/lint_copies.list"
expect 'src/way/wave.c src/waves/drive.c: no longer copies'

echo "a planted copy was found"
