# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# What the shell tests share. A test reads it first: . "$(dirname "$0")/../support/shell.sh"

# What the suite is, from its head.
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac

# A folder of its own in $work, removed at the end.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# absolute FILE: its path, which holds in other folders too.
absolute() { (cd "$(dirname -- "$1")" && printf '%s/%s\n' "$(pwd)" "$(basename -- "$1")"); }

# ---- Parts that a machine may lack -----------------------------------------------------------------------------------

# A part that needs a program is never passed over without a word: a suite that left one out ends as skipped, and
# .ci/skips must name it.   if part bash; then ... fi;  end_suite FAILURES
left_out=

part() {
    command -v "$1" >/dev/null && return 0
    left_out="$left_out $1"
    return 1
}

# Ends the suite: 1 where something failed, 77 where a part was left out, else 0.
end_suite() {
    [ "$1" -eq 0 ] || exit 1
    [ -z "$left_out" ] || {
        echo "skipped: parts of this suite need:$left_out"
        exit 77
    }
    exit 0
}

# ---- Tests of the command --------------------------------------------------------------------------------------------

# open_command COMMAND: further paths are those of $work, and texts are those of the C locale.
open_command() {
    wavelane=$(CDPATH='' absolute "$1")
    cd "$work" || exit 1
    LC_ALL=C
    export LC_ALL
    checks=0
    failures=0
}

fail() {
    failures=$((failures + 1))
    echo "FAIL: $*"
    for stream in out err; do
        [ ! -e $stream ] || sed "s/^/  $stream: /" $stream | head -5
    done
}

# run_command ARGUMENTS...: a test may define its own, with limits.
run_command() { "$wavelane" "$@"; }

# expect CODE ARGUMENTS...: runs the command with its output in out and err.
expect() { filter "$@" </dev/null; }

# filter CODE ARGUMENTS...: the same with standard input.
filter() {
    wanted=$1
    shift
    checks=$((checks + 1))
    code=0
    run_command "$@" >out 2>err || code=$?
    [ "$code" -eq "$wanted" ] || fail "exit $code instead of $wanted: wavelane $*"
}

# ramp NAME TYPE CHANNELS WIDTH HEIGHT: a picture of text, a smooth ramp with some texture.
texture=53
ramp() {
    {
        printf '%s\n%d %d\n255\n' "$2" "$4" "$5"
        awk -v n="$3" -v w="$4" -v h="$5" -v m="$texture" 'BEGIN { for (y = 0; y < h; y++) { for (x = 0; x < w; x++) for (c = 0; c < n; c++)
            printf "%d ", (x * 2 + y * (c + 1) + (x * y * 7) % m) % 256; print "" } }'
    } >"$1"
}

says() { grep -qF -- "$1" out || fail "out lacks \"$1\""; }
warns() { grep -qF -- "$1" err || fail "err lacks \"$1\""; }
absent() { [ ! -e "$1" ] || fail "$1 exists"; }

# expect_err CODE TEXT ARGUMENTS...: expect, and err has the text; expect_out: out has it.
expect_err() { expect_text warns "$@"; }
expect_out() { expect_text says "$@"; }

expect_text() {
    stream_has=$1
    expected_code=$2
    expected_text=$3
    shift 3
    expect "$expected_code" "$@"
    "$stream_has" "$expected_text"
}

# The last line of a test.
end_checks() {
    echo "$checks checks, $failures failures"
    end_suite "$failures"
}

# ---- Tests of what is installed --------------------------------------------------------------------------------------

# quietly COMMAND...: it succeeds, or its output is printed and the test ends.
quietly() {
    "$@" >"$work/log" 2>&1 || {
        echo "failed: $*"
        cat "$work/log"
        exit 1
    }
}
