# SPDX-License-Identifier: BSD-2-Clause
# For suites with parts that need a program which a machine may lack. Such a part is never passed over without a word: a suite that left one out
# ends as skipped, and .ci/skips must name it.
#   . parts.sh;  if part bash; then ... fi;  end_suite FAILURES
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
