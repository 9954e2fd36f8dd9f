#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# .ci/long, with stages that do nothing: it runs to its end although stages fail, a stop ends the stage too, --resume keeps the options and repeats no
# stage that ended, and wrong options are refused before an earlier run is lost. .ci/limit ends what takes too long. Each program that a stage calls exists.
#   test_long.sh SOURCE
set -eu
. "$(dirname "$0")/../support/shell.sh"

source=$1
part git || end_suite 0
unset WVL_TEST_PICTURES

wrong() {
    [ ! -e "$work/said" ] || tail -n 30 "$work/said"
    echo "test_long: $*"
    exit 1
}

# ---- Limits ----------------------------------------------------------------------------------------------------------------

# ends STATUS COMMAND...
ends() {
    wanted=$1 status=0
    shift
    "$@" >"$work/said" 2>&1 || status=$?
    [ $status -eq "$wanted" ] || wrong "$* ends with $status, not with $wanted"
}
# is_gone FILE: the process with the number in FILE ends soon.
is_gone() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        kill -0 "$(cat "$1")" 2>/dev/null || return 0
        sleep 0.5
    done
    wrong "process $(cat "$1") of $1 still runs"
}

limit=$source/.ci/limit
ends 0 "$limit" 1 true
ends 77 "$limit" 1 sh -c 'exit 77'
ends 137 "$limit" 1 sh -c 'kill -KILL $$'
ends 127 "$limit" 1 "$work/nothing"
ends 2 "$limit" soon true
# Also a process that has a group of its own.
ends 124 "$limit" 0.02 sh -c "timeout 300 sh -c 'echo \$\$ >$work/deep && sleep 300' & sleep 300"
grep -q 'stopped after 0.02 minutes' "$work/said" || wrong "nothing is said of the limit"
is_gone "$work/deep"

# ---- A tree of programs that do nothing ------------------------------------------------------------------------------------

tree=$work/tree
mkdir -p "$tree/.ci" "$work/bin" "$work/pictures"
for name in long stages.sh limit summary skips; do cp "$source/.ci/$name" "$tree/.ci"; done
cat >"$work/stub" <<STUB
#!/bin/sh
echo "\$0 \$* pictures=\${WVL_TEST_PICTURES:-}" >>"$work/ran"
if [ -e "$work/hang" ] && [ "\${0##*/}" = tidy ]; then
    echo \$\$ >"$work/hung"
    sleep 300
fi
[ "\${0##*/}" != cinema ] || exit 1
STUB
chmod +x "$work/stub"
cp "$work/stub" "$work/bin/ctest"
# Programs of the repository: the first word with a slash behind a stage's name, or behind env.
sed -nE 's/^.*(stage|suites) "[^"]*" (build\/[a-z]+ )?(env [A-Z_]+=[^ ]+ )?([^ ]+).*/\4/p' "$source/.ci/long" | sort -u >"$work/programs"
while read -r program; do
    case $program in
    ctest) continue ;;
    esac
    [ -x "$source/$program" ] || wrong "$program, which .ci/long calls, is no program of the repository"
    mkdir -p "$tree/$(dirname "$program")"
    cp "$work/stub" "$tree/$program"
done <"$work/programs"
[ "$(wc -l <"$work/programs")" -ge 15 ] || wrong "the stages of .ci/long are not understood"
# Names of steps.
sed -n 's/.*\.ci\/steps \([a-z_]*\).*/\1/p' "$source/.ci/long" | while read -r step; do
    grep -q "^$step() {" "$source/.ci/steps" && sed -n '/^case/,$p' "$source/.ci/steps" | grep -qw "$step" || wrong "$step is no step"
done
ends 2 "$source/.ci/steps" nothing
ends 2 "$source/.ci/steps"
printf 'id\n' >"$work/matrix.tsv"
printf 'build/\n' >"$tree/.gitignore"
git -C "$tree" init -q
git -C "$tree" add -A
git -C "$tree" -c user.name=t -c user.email=t@example.org commit -q -m tree
PATH=$work/bin:$PATH
export PATH

# ---- Options -----------------------------------------------------------------------------------------------------------------

# refused TEXT OPTION...: before anything runs, and the results of a run before stay.
refused() {
    text=$1
    shift
    ends 2 "$tree/.ci/long" "$@"
    grep -q -- "$text" "$work/said" || wrong "$*: no word of '$text'"
    [ ! -e "$work/ran" ] || wrong "$*: stages ran"
}
refused 'no run to go on with' --resume
mkdir -p "$tree/build/ci-long"
touch "$tree/build/ci-long/kept"
refused 'is no option' --resum
refused 'is no option' 5
refused 'needs a value' --seed
refused 'needs a value' --seed 5 --matrix
refused 'stands alone' --seed 5 --resume
refused 'stands alone' --resume --seed 5
refused 'is no number' --seed five
refused 'no folder' --pictures "$work/nowhere"
refused 'no file' --pictures "$work/pictures" --matrix "$work/nowhere"
refused 'needs --pictures' --matrix "$work/matrix.tsv"
[ -e "$tree/build/ci-long/kept" ] || wrong "refused options lose the results of a run before"

# ---- A run that is stopped -----------------------------------------------------------------------------------------------------

touch "$work/hang"
# With paths as the caller's folder has them.
(cd "$work" && exec tree/.ci/long --seed 5 --pictures pictures --matrix matrix.tsv) >"$work/said" 2>&1 &
run=$!
for _ in $(seq 600); do
    [ ! -s "$work/hung" ] || break
    sleep 0.2
done
[ -s "$work/hung" ] || wrong "the stage tidy was not reached"
kill -TERM $run
! wait $run || wrong "a run that was stopped ends with 0"
is_gone "$work/hung"
rm "$work/hang"
ends 1 "$tree/.ci/long" --resume
[ "$(tail -n 1 "$work/said")" = "$(grep -c . "$tree/build/ci-long/minutes" | awk '{ print $1 - 1 }') passed, 1 failed, 0 skipped" ] || wrong "the sum is another one"
grep -q 'failed   digital cinema$' "$work/said" || wrong "not the stage digital cinema has failed"
[ "$(grep -c '/run --seed 5 ' "$work/ran")" -eq 1 ] || wrong "a stage that ended ran again"
[ "$(grep -c '/tidy ' "$work/ran")" -eq 2 ] || wrong "the stage that was stopped did not run again"
grep -q "/steps configurations 5 pictures=$work/pictures\$" "$work/ran" || wrong "seed or pictures are lost"
grep -q "conformance/run .*--matrix $work/matrix.tsv --pictures $work/pictures" "$work/ran" || wrong "the matrix is lost"
grep -q '/steps counted_barriers ' "$work/ran" || wrong "the last stage did not run"
echo >>"$tree/.ci/skips"
ends 2 "$tree/.ci/long" --resume
grep -q 'not of .*-dirty' "$work/said" || wrong "a changed tree is not told apart"
echo "a run of all stages, stopped and gone on with, ends as it must"
