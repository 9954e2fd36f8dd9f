#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Names in comments and docs exist; the lint finds planted ones that do not, and an entry of its list that is not needed.
#   test_names.sh SOURCE
set -eu
. "$(dirname "$0")/../support/shell.sh"

source=$1

"$source/tools/lint_names" "$source"

for part in include src codec cuda conformance tools tests cmake docs examples packaging lab README.md; do
    cp -R "$source/$part" "$work"
done

expect() { expect_fault "$1" "$source/tools/lint_names" "$work"; }

echo '/* see wvl_planted_name() and wvl_planted_list_* */' >>"$work/src/way/wave.c"
expect 'wvl_planted_name does not exist'
expect 'wvl_planted_list_* does not exist'
# A name in a text is one.
echo 'const char *planted = "/* wvl_planted_name */ wvl_planted_list_1";' >>"$work/src/way/wave.c"
if "$source/tools/lint_names" "$work" | grep 'wvl_planted'; then
    echo "the lint takes texts for comments"
    exit 1
fi

cp "$source/src/way/wave.c" "$work/src/way/wave.c"
echo 'Call `WVL_PLANTED_NAME`.' >>"$work/README.md"
expect 'WVL_PLANTED_NAME does not exist'

cp "$source/README.md" "$work/README.md"
echo '/* as in src/planted.c */' >>"$work/src/way/wave.c"
expect 'src/planted.c does not exist'

cp "$source/src/way/wave.c" "$work/src/way/wave.c"
echo 'WVL_PLANTED_NAME stands for any name' >"$work/tools/lint_names.list"
expect 'WVL_PLANTED_NAME is not needed'

echo "planted names were found"
