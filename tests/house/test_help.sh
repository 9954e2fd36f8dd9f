#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# --help of every program and script ends with 0 and prints text, on standard output alone. So does --help behind each command of a bench.
#   test_help.sh SOURCE PROGRAM...
set -eu
. "$(dirname "$0")/../support/shell.sh"

source=$(absolute "$1")
shift
failed=0 count=0

# helps COMMAND...
helps() {
    code=0 count=$((count + 1))
    (cd "$work" && timeout 20 "$@" --help >said 2>err </dev/null) || code=$?
    [ $code -eq 0 ] && [ -s "$work/said" ] && [ ! -s "$work/err" ] || {
        echo "$* --help: ends with $code, $(wc -l <"$work/said") lines on standard output, and on standard error:"
        head -n 3 "$work/err"
        failed=1
    }
}

# Those of the package and of the laboratory are run by unittest.
for room in .ci conformance examples lab packaging plugins python tests tools; do
    find "$source/$room" -type f -perm -u+x ! -name 'test_*.py'
done >"$work/scripts"
while read -r script; do helps "$script"; done <"$work/scripts"
if part python3; then
    for suite in "$source"/tests/*/test_*.py; do helps python3 "$suite"; done
fi
for program; do
    helps "$program"
    case $program in
    *-bench)
        cp "$work/said" "$work/commands"
        for command in $(sed -n 's/^  \([a-z]*\) .*/\1/p' "$work/commands"); do
            helps "$program" "$command"
            head -n 1 "$work/said" | grep -q " $command " || { echo "$program $command --help: its first line is not its usage" && failed=1; }
        done
        ;;
    esac
done
[ "$count" -gt 60 ] || { echo "only $count programs and scripts were found" && failed=1; }
echo "$count programs and scripts say what they do"
end_suite $failed
