#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The room lint passes on the tree and finds each kind of fault in a copy of it.
#   test_lint.sh SOURCE
set -eu
. "$(dirname "$0")/../support/shell.sh"

source=$1
licence='/* SPDX-License-Identifier: BSD-2-Clause */'

"$source/tools/lint_rooms" "$source"

fresh() {
    rm -rf "$work/tree"
    mkdir "$work/tree"
    for part in CMakeLists.txt README.md cmake include src codec cuda conformance tools python tests examples packaging docs lab; do
        [ ! -e "$source/$part" ] || cp -R "$source/$part" "$work/tree"
    done
}

expect() { expect_fault "$1" "$source/tools/lint_rooms" "$work/tree"; }

fresh
echo '#include "dwt/dwt.h"' >>"$work/tree/codec/t2/tag_tree.c"
expect 'codec/t2/tag_tree.c'
expect 'room t2 may not include src/dwt/dwt.h'

fresh
echo '#include "codec/t2/tag_tree.h"' >>"$work/tree/codec/t1/t1.c"
expect 'room t1 may not include codec/t2/tag_tree.h'

fresh
echo '#include "t1.h"' >>"$work/tree/codec/t1/t1.c"
expect 'name the room too'

fresh
echo '#include "../base/alloc.h"' >>"$work/tree/src/geom/plan.c"
expect 'name it from src/ or the top'

fresh
echo '#include "geom/plan.h"' >>"$work/tree/tools/imageio/read_pnm.c"
expect 'room imageio may not include src/geom/plan.h'

fresh
echo '#include "tests/prop/cs_parse.h"' >>"$work/tree/tools/bench/bench.c"
expect 'room bench may not include tests/prop/cs_parse.h'

# Nothing sees the laboratory, not even the encoder's suites; it sees what its rows name.
fresh
echo '#include "lab/dwt2/dwt2.h"' >>"$work/tree/tests/twin/test_dwt.c"
expect 'includes lab/dwt2/dwt2.h: nothing outside of lab/ may'

fresh
echo '#include "codec/t2/tag_tree.h"' >>"$work/tree/lab/dwt2/level.c"
expect 'room lab_dwt2 may not include codec/t2/tag_tree.h'

fresh
echo '#include <openjpeg.h>' >>"$work/tree/src/encoder.c"
expect 'a library may not include <openjpeg.h>'

fresh
echo '#include "geom/nowhere.h"' >>"$work/tree/src/encoder.c"
expect 'which is not in the tree'

fresh
echo "$licence" >"$work/tree/src/geom/unlisted.c"
expect 'src/geom/unlisted.c:1: no build list names it'

fresh
echo "$licence" >"$work/tree/tests/unit/test_unlisted.c"
expect 'tests/unit/test_unlisted.c:1: no build list names it'

fresh
echo '/* no licence */' >"$work/tree/src/geom/bare.h"
expect 'the first line is not the licence line'

fresh
{
    echo 'static int long_function(void)'
    echo '{'
    yes '    f();' | head -n 61
    echo '}'
} >>"$work/tree/tools/bench/bench.c"
expect 'a function of 61 lines'

# Python too: the body ends where another def begins, and one inside counts for both.
fresh
{
    printf 'def long_function(a,\n                  b):\n'
    yes '    print(a)' | head -n 60
    printf 'def short_function():\n    return 1\n'
} >>"$work/tree/python/wavelane/_encode.py"
expect 'a function of 61 lines'

fresh
sed -i '1s/.*/no licence/' "$work/tree/tests/twin/dwt_emulated.cpp"
expect 'tests/twin/dwt_emulated.cpp:1: the first line is not the licence line'

# Every room stands on the page of the house.
fresh
mkdir "$work/tree/tools/attic"
echo 'no room' >"$work/tree/tools/attic/list"
expect 'does not name the room tools/attic/'

# What the tree owes is counted exactly, then one more is planted.
owe() {
    fresh
    "$source/tools/lint_rooms" --debts "$work/tree" >"$work/debts"
    mv "$work/debts" "$work/tree/tools/lint_debts"
}

owe
echo 'static int pick(int a) { return a ? 1 : (a > 2 ? 3 : 4); }' >>"$work/tree/codec/t2/tag_tree.c"
expect 'codec/t2/tag_tree.c:1: has 1 nested conditional operators'

# Not nested: one after the other, and one in the argument of a call.
owe
echo 'static int pick(int a) { return f(a ? 1 : 2) + (a ? f(a ? 3 : 4) : 5); }' >>"$work/tree/codec/t2/tag_tree.c"
"$source/tools/lint_rooms" "$work/tree" >/dev/null

owe
printf '/* %0121d */\n' 0 >>"$work/tree/codec/t2/tag_tree.c"
expect 'lines of more than 120 columns'

fresh
printf '/* see /%s/me/notes */\n' home >>"$work/tree/src/encoder.c"
expect 'a path of one machine'

echo "every kind of fault was found"
