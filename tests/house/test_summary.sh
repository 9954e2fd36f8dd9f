#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The summary of .ci/run: passed, failed and skipped tests of a real ctest run and of stages are told apart, and a skip that no list names counts as failed.
#   test_summary.sh SUMMARY CTEST
set -eu
. "$(dirname "$0")/../support/shell.sh"

summary=$1 ctest=$2

cat >"$work/CTestTestfile.cmake" <<'CTEST'
add_test(good "true")
add_test(bad "false")
add_test(away "sh" "-c" "exit 77")
set_tests_properties(away PROPERTIES SKIP_RETURN_CODE 77)
add_test(lost "/nowhere/no-such-program")
add_test(off "true")
set_tests_properties(off PROPERTIES DISABLED TRUE)
add_test(slow "sleep" "9")
set_tests_properties(slow PROPERTIES TIMEOUT 1)
CTEST
junit() { "$ctest" --test-dir "$work" --output-junit "$work/$1.xml" -R "$2" >/dev/null || true; }
junit all .
junit fine 'good|away'
printf 'passed same bytes\nskipped arm64\n' >"$work/stages"
printf '# names\naway  no reason at all\narm64 nor here\n' >"$work/skips"
printf 'away  no reason at all\n' >"$work/few"

# expect STATUS LAST-LINE WORD...: the summary of the words ends so.
expect() {
    status=$1 last=$2
    shift 2
    code=0
    "$summary" "$@" >"$work/said" || code=$?
    [ "$code" -eq "$status" ] && [ "$(tail -n 1 "$work/said")" = "$last" ] || {
        cat "$work/said"
        echo "summary $*: ended with $code, not with $status and '$last'"
        exit 1
    }
}

expect 1 '1 passed, 4 failed, 1 skipped' --skips "$work/skips" "$work/all.xml"
expect 0 '1 passed, 0 failed, 1 skipped' --skips "$work/skips" "$work/fine.xml"
expect 0 '2 passed, 0 failed, 2 skipped' --skips "$work/skips" "$work/fine.xml" "$work/stages"
expect 1 '2 passed, 1 failed, 1 skipped' --skips "$work/few" "$work/fine.xml" "$work/stages"
grep -q '^failed: arm64 was skipped, and few does not name it$' "$work/said"
expect 1 '0 passed, 0 failed, 0 skipped' --skips "$work/skips"
expect 1 '1 passed, 1 failed, 1 skipped' --skips "$work/skips" "$work/fine.xml" "$work/absent.xml"
printf 'away\n' >"$work/bare"
if "$summary" --skips "$work/bare" "$work/fine.xml" >"$work/said" 2>&1; then
    echo "a skip without a reason was taken"
    exit 1
fi
expect 1 '1 passed, 1 failed, 0 skipped' "$work/stages" # the list of the repository can be read

# Stages: a run that was stopped goes on behind the stages that ended, also those that failed, and the sum has them all.
cat >"$work/run" <<'RUN'
set -eu
cd "$1"
ci_results=$2/results ci_skips=$2/skips ci_resume=$3
. .ci/stages.sh
stage "first one" sh -c "echo first one >>$2/ran"
stage "first" sh -c "echo first >>$2/ran; exit 1"
[ "$3" = yes ] || exit 0
stage "second" sh -c "echo second >>$2/ran"
finish
RUN
root=$(cd "$(dirname "$summary")/.." && pwd)
sh "$work/run" "$root" "$work" no >/dev/null
if sh "$work/run" "$root" "$work" yes >"$work/said"; then
    echo "a failure of the run before was forgotten"
    exit 1
fi
[ "$(tail -n 1 "$work/said")" = '2 passed, 1 failed, 0 skipped' ] || { cat "$work/said"; exit 1; }
[ "$(tr '\n' ' ' <"$work/ran")" = 'first one first second ' ] || { cat "$work/ran"; exit 1; }
echo "passed, failed and skipped are told apart; a run that was stopped goes on"
