# SPDX-License-Identifier: BSD-2-Clause
# Read by .ci/run, .ci/long and .ci/device: named stages, their minutes, and the sum of all results. Set `ci_results` before: a folder that is made anew;
# `ci_skips`, if another list than .ci/skips names what may be skipped; `ci_resume=yes` to keep the folder and to leave out the stages that ended in it; and
# `ci_limit`, the most minutes of a stage (unless it is set, a stage may be a shell function).

# What several builds compile with the same flags is compiled once.
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="$PWD"
fi

[ "${ci_resume:-no}" = yes ] || rm -rf "$ci_results"
mkdir -p "$ci_results"
touch "$ci_results/stages" "$ci_results/minutes"

# note OUTCOME NAME SECONDS
note() {
    echo "$1 $2" >>"$ci_results/stages"
    awk -v seconds="$3" -v name="$2" -v outcome="$1" 'BEGIN { printf "%6.1f min  %-8s %s\n", seconds / 60, outcome, name }' >>"$ci_results/minutes"
    tail -n 1 "$ci_results/minutes"
}

# has_ended NAME: in an earlier run that this one goes on with.
has_ended() { awk -v name="$1" '{ sub(/^ *[0-9.]+ min  [a-z]+ +/, "") } $0 == name { found = 1 } END { exit !found }' "$ci_results/minutes"; }

# stage NAME COMMAND...: counts as one test. 77 is "skipped"; a stage that fails does not end the run.
stage() {
    name=$1 from=$(date +%s) status=0 outcome=passed
    shift
    ! has_ended "$name" || return 0
    echo "---- $name"
    ${ci_limit:+.ci/limit "$ci_limit"} "$@" || status=$?
    [ "$status" -eq 0 ] || outcome=failed
    [ "$status" -ne 77 ] || outcome=skipped
    note "$outcome" "$name" $(($(date +%s) - from))
}

# suites NAME BUILD COMMAND...: the command runs ctest in BUILD, which writes BUILD/junit.xml; each test counts. The stage counts only if it failed.
suites() {
    suites_name=$1 build=$2
    shift 2
    ! has_ended "$suites_name" || return 0
    rm -f "$build/junit.xml"
    stage "$suites_name" "$@"
    if [ -e "$build/junit.xml" ]; then
        [ "$outcome" != passed ] || sed -i '$d' "$ci_results/stages"
        cp "$build/junit.xml" "$ci_results/$(echo "$suites_name" | tr -c 'a-z0-9\n' _).xml"
    fi
}

# The table of minutes, and as the last line the sum of all results; its status is that of the run.
finish() {
    echo "---- minutes"
    cat "$ci_results/minutes"
    awk '{ minutes += $1 } END { printf "%6.1f min  in all\n", minutes }' "$ci_results/minutes"
    .ci/summary --skips "${ci_skips:-.ci/skips}" "$ci_results/stages" $(find "$ci_results" -name '*.xml' | LC_ALL=C sort)
}
