#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/count_lines: blanks, comments and generated files do not count, another layout of the same code is no growth, and rooms have their own sums.
#   test_count.sh SOURCE
set -eu
. "$(dirname "$0")/../support/shell.sh"

source=$1
part git || end_suite 0
status=0
"$source/tools/format" --check "$source/src/picture/session_waves.c" >/dev/null 2>&1 || status=$?
[ $status -ne 77 ] || part clang-format-14 || end_suite 0

cd "$work"
git init -q
commit() { git add -A && git -c user.name=t -c user.email=t@example.org commit -q -m "$1" && git tag "$1"; }
mkdir -p src/geom/gen src/x tests include
printf '/* one\n * two */\n\nint a; // three\nstatic const char *b = "/* no comment";\nint c; /* four */\n' >src/geom/a.c
printf 'int f(void)\n{\n    return 1;\n}\n' >src/x.c
printf 'int wide;\n' | tee src/geom/gen/t.h include/w.h tests/t.c src/x/notes.txt >/dev/null
commit first
printf 'int f(void) {\n    return\n    1; }\n' >src/x.c
mkdir cuda
printf 'int d;\n' >cuda/d.cu
commit second

# is ROOM FIRST SECOND: the row of the room.
is() {
    awk -v room="$1" -v first="$2" -v second="$3" '$1 == room { found = $2 == first && $3 == second } END { exit !found }' table || {
        cat table
        echo "$1: not $2 and $3"
        exit 1
    }
}
"$source/tools/count_lines" first second >table
is src/geom/ 3 3
is src/ "$(awk '$1 == "src/" { print $2 }' table)" "$(awk '$1 == "src/" { print $2 }' table)"
is cuda/ 0 1
is include/ 1 1
lines=$(awk '$1 == "src/" { print $2 }' table)
[ "$lines" -ge 1 ] || { echo "the function does not count" && exit 1; }
is all $((4 + lines)) $((5 + lines))
code=0
"$source/tools/count_lines" nothing >table 2>&1 || code=$?
[ $code -eq 2 ] && grep -q '^count_lines: ' table || { cat table && echo "an unknown commit ends with $code" && exit 1; }
end_suite 0
