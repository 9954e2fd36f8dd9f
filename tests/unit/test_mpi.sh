#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wavelane-mpi: the frames, journal and exit codes of wavelane sequence with any number of ranks; ranks that are killed or hang.
#   test_mpi.sh WAVELANE WAVELANE_MPI          WVL_TEST_KILLS: how often a job is killed, 2 unless given
set -u
. "$(dirname "$0")/../support/shell.sh"
. "$(dirname "$0")/../support/sequence.sh"
program=$(absolute "$2")
open_command "$1"
kills=${WVL_TEST_KILLS:-2}

# Open MPI keeps its files in short paths; one machine plays several.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
OMPI_MCA_mpi_yield_when_idle=1 TMPDIR=/tmp
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_hwloc_base_binding_policy
export OMPI_MCA_mpi_yield_when_idle TMPDIR

# job CODE RANKS ARGUMENTS...
job() {
    wanted=$1 ranks=$2
    shift 2
    checks=$((checks + 1))
    code=0
    timeout -k 10 120 mpirun -np "$ranks" "$program" "$@" >out 2>err </dev/null || code=$?
    [ "$code" -eq "$wanted" ] || fail "exit $code instead of $wanted: $ranks ranks, wavelane-mpi $*"
}

# process_of RANK: of the job in this folder.
process_of() {
    for entry in /proc/[0-9]*; do
        name=
        read -r name <"$entry/comm" || :
        if [ "$name" = wavelane-mpi ] && [ "$(readlink "$entry/cwd")" = "$PWD" ] &&
            tr '\0' '\n' <"$entry/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1"; then
            echo "${entry#/proc/}"
        fi
    done 2>nothing
}

# ranks: processes of a job of three ranks in this folder.
ranks() { echo $(process_of 0) $(process_of 1) $(process_of 2); }

# end_of JOB: waits for such a job and for its ranks, and ends as the job does. The launcher of Open MPI 4.1.4 now and then waits for a lock of its own
# (PMIx_server_finalize) when the ranks have ended after an abort: then it is ended, and $stuck is yes.
end_of() {
    stuck=no alone=0
    while kill -0 "$1" 2>nothing; do
        alone=$((alone + 1))
        [ -z "$(ranks)" ] || alone=0
        [ $alone -lt 40 ] || {
            stuck=yes
            kill -s KILL -- "-$1"
        }
        sleep 0.25
    done 2>nothing
    ended=0
    wait "$1" || ended=$?
    while [ -n "$(ranks)" ]; do # which the launcher may have left to end by themselves
        sleep 0.25
    done
    return $ended
}

frames in 40 64 48
expect 0 sequence in serial/ --quiet

# ---- Any number of ranks ---------------------------------------------------------------------------------------------------

for ranks in 1 2 4; do
    job 0 $ranks in/f.%04d.ppm by$ranks/ --frames 0-39 --report report
    says '40 frames: 40 encoded, 0 kept'
    counted encoded 40 report
    [ "$(sed -n 's/^{"frame":\([0-9]*\),.*/\1/p' report | sort -nc 2>&1)" = '' ] || fail "$ranks ranks: the report is not in order"
    python3 -c 'import json; assert all("psnr" in json.loads(line) for line in list(open("report"))[:-1])' || fail 'facts are missing'
    same "by$ranks" serial
    same_journal "by$ranks" serial
done
timeout -k 10 120 mpirun --mca btl tcp,self -np 3 "$program" in tcp/ >out 2>err || fail 'without shared memory'
same tcp serial

# ---- Resume, by either program ---------------------------------------------------------------------------------------------

job 0 3 in tcp/
says '0 encoded, 40 kept'
expect_out 0 '0 encoded, 40 kept' sequence in tcp/
rm serial/f.0007.j2c
printf x >>serial/f.0011.j2c
job 0 3 in serial/
says '2 encoded, 38 kept'
same serial by1
job 2 3 in serial/ -I
warns 'was begun with other parameters'
job 0 3 in tcp/ -I --force
says '40 encoded'
rm tcp/.wavelane.journal
for times in 1 2; do # the second time there is a journal, of the first one
    job 4 2 in tcp/ -I
    warns 'no journal lists it as a frame of this sequence'
done
job 0 2 in tcp/ -I --skip-existing --shard 2/2
says '20 frames: 0 encoded, 20 kept'

# ---- Rate control ----------------------------------------------------------------------------------------------------------

rated='-I --bits-per-second 400000 --bucket-bits 60000 --lag 5'
# shellcheck disable=SC2086 # words
{
    expect 0 sequence in rated/ $rated
    job 0 4 in rated4/ $rated
    same rated4 rated
    same_journal rated4 rated
    rm rated4/f.0009.j2c rated4/f.0038.j2c
    job 0 3 in rated4/ $rated
    says '2 encoded, 38 kept'
    same rated4 rated
}
expect 0 sequence in first/ -I --slopes 40000 --quiet
expect 0 sequence in second/ -I --statistics first/.wavelane.journal --bits-per-second 400000 --quiet
job 0 3 in second3/ -I --statistics first/.wavelane.journal --bits-per-second 400000
same second3 second

# ---- Frames that fail, words that do not fit -------------------------------------------------------------------------------

cp -r in bad
head -c 500 in/f.0006.ppm >bad/f.0006.ppm
for how in skip black; do
    expect 1 sequence bad $how/ --on-error $how
    job 1 3 bad $how.3/ --on-error $how --report report
    warns '1 of 40 frames failed; the first: bad/f.0006.ppm'
    same $how.3 $how
    same_journal $how.3 $how
done
counted black 1 report
job 3 3 bad stop/
warns 'bad/f.0006.ppm'
absent stop/f.0006.j2c
cp in/f.0006.ppm bad
job 0 2 bad stop/
same stop by1
job 2 2 in all.j2c
warns 'several processes need a file for each frame'
job 2 3 in
warns 'OUT is missing'
job 2 2 in x/ --lease-seconds 0
warns '--lease-seconds: expected a whole number of seconds'
printf 'YUV4MPEG2 W40 H30 F25:1 C444\n' >s.y4m
job 2 2 s.y4m x/
warns 'a stream can be read by one process only'
job 0 2 in dry/ --dry-run
says '40 frames, 0 of them complete'
job 0 2 --help
says '--lease-seconds N'
timeout -k 10 120 mpirun -np 1 "$program" in other/ : -np 1 "$program" in other/ -I >out 2>err
[ $? -eq 2 ] || fail 'ranks with other options are not refused'
warns 'another version of wavelane-mpi or other options'

# ---- Ranks that are killed, ranks that hang --------------------------------------------------------------------------------

# The last frame comes from a pipe that nobody writes to: no job ends before it is killed, however fast the machine is.
# stall: makes the pipe. flow: the frame is a file again.
frames many 240 320 240
mkdir last
cp many/f.0239.ppm last
stall() { rm many/f.0239.ppm && mkfifo many/f.0239.ppm; }
flow() { rm many/f.0239.ppm && cp last/f.0239.ppm many; }
many='many/f.%04d.ppm'

# begin FOLDER ARGUMENTS...: a job of three ranks in the background.
begin() {
    folder=$1
    shift
    timeout -k 10 120 mpirun -np 3 "$program" $many "$folder" --frames 0-239 "$@" >out 2>err &
}

expect 0 sequence $many whole/ --frames 0-239 --quiet
n=0
while [ $n -lt "$kills" ]; do
    stall
    for rank in 1 0 all; do
        wanted=$(($(count killed) + 1 + n * 17 % 40))
        [ $wanted -lt 200 ] || {
            rm -r killed
            wanted=20
        }
        begin killed/ --quiet
        await killed $wanted
        children=$(process_of $rank)
        # shellcheck disable=SC2046,SC2086 # processes
        case $rank:$children in
        all:*) kill -s KILL -- -$! $(ranks) ;; # the launcher with its group, and all ranks
        *:?*) kill -s KILL $children ;;
        *) false ;;
        esac || fail "rank $rank is not there after $(count killed) frames"
        end_of $! && fail "rank $rank is killed, and the job ends with 0"
    done
    flow
    checks=$((checks + 3))
    before=$(grep -c '^frame ' killed/.wavelane.journal)
    job 0 3 $many killed/ --frames 0-239 --report report
    counted kept "$before" report
    same killed whole
    rm -r killed
    n=$((n + 1))
done

# The end of a job by a signal: what is complete is in the journal.
stall
begin ended/ --quiet
await ended 20
kill -TERM $!
end_of $! && fail 'a job that is ended by SIGTERM ends with 0'
flow
before=$(grep -c '^frame ' ended/.wavelane.journal)
[ "$before" -ge 15 ] || fail "after SIGTERM the journal has $before frames"
job 0 3 $many ended/ --frames 0-239 --report report
counted kept "$before" report
same ended whole

# A rank that hangs may have written a frame and not said so: the file stands in the way of no other rank. (On a very fast machine the job has
# ended before its rank can hang.)
begin hung/ --lease-seconds 4 --verbose
await hung 20
child=$(process_of 2)
[ -z "$child" ] || kill -STOP "$child"
before=-1
while [ "$(count hung)" -ne "$before" ]; do
    before=$(count hung)
    sleep 2
done
for frame in whole/f.*; do
    [ -e "hung/${frame#*/}" ] || cp "$frame" hung
done
code=0
end_of $! || code=$?
[ $code -eq 0 ] || [ $stuck = yes ] || fail "a rank that hangs: exit $code"
same hung whole
same_journal hung whole
end_checks
