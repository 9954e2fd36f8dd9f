#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wavelane sequence on machines whose clock is set while it runs, and on file systems in memory and on a disk: the bytes of a quiet run, one sync for at most
# 64 frames, and no line of the journal before the frame is on the disk.
#   test_sequence_machine.sh WAVELANE FAULT-LIBRARY [WAVELANE-MPI]
set -u
. "$(dirname "$0")/../support/shell.sh"
. "$(dirname "$0")/../support/sequence.sh"
fault=$(absolute "$2")
mpi=${3:+$(absolute "$3")}
open_command "$1"

frames in 200 40 30
expect 0 sequence in quiet/ --quiet

# ---- Clock -----------------------------------------------------------------------------------------------------------------

# The time of day jumps a day ahead and back with every look, or a day back and ahead.
stepped() { # DAYS-IN-SECONDS CODE ARGUMENTS...
    step=$1
    shift
    run_command() { LD_PRELOAD=$fault WVL_FAULT=clock:$step "$wavelane" "$@"; }
    expect "$@"
    run_command() { "$wavelane" "$@"; }
}

checks=$((checks + 1))
LD_PRELOAD=$fault WVL_FAULT=clock:86400 python3 -c 'import time
a, b, m, n = time.time(), time.time(), time.monotonic(), time.monotonic()
assert abs(b - a) > 80000 and n - m < 60, (b - a, n - m)' || fail 'the library does not set the clock: the test shows nothing'

mkfifo silent late
ls in/f.000*.ppm silent >list
for step in 86400 -86400; do
    stepped $step 0 sequence in clock/ --report report --progress plain
    says '200 frames: 200 encoded, 0 kept'
    same clock quiet
    python3 -c '
import json
rows = [json.loads(line) for line in open("report")][:-1]
assert len(rows) == 200 and all(0 <= row["milliseconds"] < 60000 for row in rows), rows[0]' || fail 'milliseconds of a frame follow the time of day'
    stepped $step 0 sequence in clock/
    says '0 encoded, 200 kept'
    rm -r clock

    # A pipe that nobody writes to ends by its time; one that is slow does not end before it.
    began=$(date +%s)
    stepped $step 1 sequence @list waited/ --on-error skip --timeout 2
    warns 'silent: did not end within 2 s (--timeout)'
    [ $(($(date +%s) - began)) -lt 60 ] || fail '--timeout 2 takes long'
    rm -r waited
    timeout 100 sh -c 'sleep 1 && cat in/f.0003.ppm >late' &
    printf 'late\n' >one
    stepped $step 0 sequence @one waited/ --timeout 100
    cmp -s waited/late.j2c quiet/f.0003.j2c || fail 'a frame that comes late has other bytes'
    wait
    rm -r waited

    # Pictures of a folder, several at a time: their temporary names come from the time.
    stepped $step 0 -ImgDir in -OutFor j2c -o clock --quiet
    same clock quiet
    rm -r clock

    if [ -n "$mpi" ]; then
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none \
            OMPI_MCA_mpi_yield_when_idle=1 TMPDIR=/tmp timeout -k 10 120 \
            mpirun -np 3 env LD_PRELOAD="$fault" WVL_FAULT=clock:$step "$mpi" in clock/ --report report >out 2>err </dev/null ||
            fail "wavelane-mpi ends with $?"
        says '200 frames: 200 encoded, 0 kept'
        same clock quiet
        rm -r clock
    fi
done

# ---- Memory and disk -------------------------------------------------------------------------------------------------------

# judge_log FRAMES SECONDS: each line of the journal follows a sync that came after the frame had its name.
judge_log() {
    checks=$((checks + 1))
    python3 - "$@" <<'PY' || fail "order of syncs and lines of the journal in $place"
import sys
frames, seconds = map(int, sys.argv[1:])
named = safe = noted = syncs = 0
for line in open("log"):
    word, *number = line.split()
    if word == "name":
        named += 1
    elif word == "sync":
        syncs, safe = syncs + 1, named
    else:
        lines = int(number[0])
        assert lines <= 64, f"{lines} lines with one write"
        noted += lines
        assert noted <= safe, f"line {noted} of the journal, and {safe} frames on the disk"
assert noted == named == frames, (noted, named, frames)
# One for at most 64 frames or 5 seconds; before them the journal's head, and the claims of a new run.
assert frames / 64 <= syncs <= frames / 64 + 3 + seconds / 5, syncs
PY
}

shared=$(mktemp -d /dev/shm/wvl_sequence.XXXXXX 2>nothing) || shared=
trap 'rm -rf "$work" ${shared:+"$shared"}' EXIT
for place in "$work/place" "$shared"; do
    [ -n "$place" ] || continue
    rm -f log
    began=$(date +%s)
    LD_PRELOAD=$fault WVL_FAULT_LOG=log "$wavelane" sequence in "$place/" --quiet >out 2>err || fail "$place: exit $?"
    judge_log 200 $(($(date +%s) - began))
    echo "200 frames on $(stat -f -c %T "$place"): $(grep -c sync log) syncs"
    same "$place" quiet
    rm "$place/f.0007.j2c" && printf x >>"$place/f.0150.j2c"
    rm log
    LD_PRELOAD=$fault WVL_FAULT_LOG=log "$wavelane" sequence in "$place/" --quiet >out 2>err || fail "$place: exit $?"
    judge_log 2 0
    same "$place" quiet
done
[ -n "$shared" ] || left_out="$left_out /dev/shm"
end_checks
