#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A suite that leaves out a part for want of a program ends as skipped, and as failed where another part fails. No suite looks for a program in another way.
#   test_parts.sh SOURCE
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac
parts=$1/tests/support/shell.sh

# expect CODE SCRIPT
expect() {
    code=0
    sh -c ". '$parts'; $2" >/dev/null || code=$?
    [ $code -eq "$1" ] || {
        echo "exit $code instead of $1: $2"
        exit 1
    }
}

expect 0 'part sh; end_suite 0'
expect 1 'part sh; end_suite 2'
expect 77 'part a-program-that-nobody-has || end_suite 0'
expect 1 'part a-program-that-nobody-has || end_suite 1'
expect 77 'part a-program-that-nobody-has || part sh; end_suite 0'
# Those that end at once without the program say so themselves.
if grep -rn 'if command -v' "$1/tests" "$1/lab/tests" --include='*.sh' | grep -v '/test_parts.sh:'; then
    echo 'a part that is left out without a word; use part of tests/support/shell.sh'
    exit 1
fi
