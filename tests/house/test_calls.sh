#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The lint of calls passes on the build and finds a call that goes round the include lint.
#   test_calls.sh SOURCE BUILD CC
set -eu
. "$(dirname "$0")/../support/shell.sh"

source=$1
build=$2
cc=$3

"$source/tools/lint_calls" "$build" "$source"

# plant SOURCE BODY: an object as if it came from SOURCE, beside the real one that defines wvl_t2_*.
plant() {
    rm -rf "$work/tree"
    object=$work/tree/CMakeFiles/planted.dir/$1.o
    mkdir -p "$(dirname "$object")" "$work/tree/CMakeFiles/real.dir/codec/t2"
    printf '%s\n' "$2" >"$work/planted.c"
    "$cc" -c "$work/planted.c" -o "$object"
    "$cc" -c -I"$source/include" -I"$source/src" -I"$source" "$source/codec/t2/tag_tree.c" \
        -o "$work/tree/CMakeFiles/real.dir/codec/t2/tag_tree.c.o"
}

name=$(nm -P --defined-only -g "$(find "$build" -name 'tag_tree.c.o' | head -n 1)" | awk '$2 == "T" { print $1; exit }')

plant codec/t1/t1.c "void $name(void); void planted(void); void planted(void) { $name(); }"
expect_fault "codec/t1/t1.c: room t1 may not call $name() in codec/t2/tag_tree.c (room t2)" \
    "$source/tools/lint_calls" "$work/tree" "$source"

# The same call from a room that may make it.
plant codec/rate/fill.c "void $name(void); void planted(void); void planted(void) { $name(); }"
"$source/tools/lint_calls" "$work/tree" "$source" >/dev/null || {
    echo "the lint refuses a call that is allowed"
    exit 1
}

# A folder without objects is no proof.
mkdir "$work/empty"
if "$source/tools/lint_calls" "$work/empty" "$source" >/dev/null 2>&1; then
    echo "the lint passes without objects"
    exit 1
fi
# Called in a wrong way, it says how it is called.
for words in '' "$work/nowhere" "$work/empty $source more"; do
    code=0
    # shellcheck disable=SC2086 # no name has a blank
    "$source/tools/lint_calls" $words >"$work/said" 2>&1 || code=$?
    [ $code -eq 2 ] && grep -q 'lint_calls BUILD' "$work/said" || {
        cat "$work/said"
        echo "lint_calls $words: ended with $code and not with its usage"
        exit 1
    }
done
echo "a planted call was found"
