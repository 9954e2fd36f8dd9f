#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wavelane-mpi on two hosts: network namespaces of this machine with a cable between them, and names of their own. The bytes of wavelane sequence, files
# of the other host synced one by one, a worker that is killed there, and a cable that is cut. Needs root.
#   test_mpi_hosts.sh WAVELANE WAVELANE_MPI [FAULT-LIBRARY]
set -u
. "$(dirname "$0")/../support/shell.sh"
. "$(dirname "$0")/../support/sequence.sh"
program=$(absolute "$2")
fault=${3:+$(absolute "$3")}
open_command "$1"

near=wvl_near_$$ far=wvl_far_$$
end_namespaces() {
    for process in $(ip netns pids $near; ip netns pids $far); do kill -9 "$process"; done
} 2>/dev/null
away() {
    end_namespaces
    ip netns del $near
    ip netns del $far
    rm -rf "$work"
} 2>/dev/null
trap away EXIT
{ command -v ip && ip netns add $near && ip netns add $far && unshare --uts true &&
    ip link add wvl0 netns $near type veth peer name wvl1 netns $far; } >out 2>err || {
    echo "skipped: no network namespaces with a cable ($(head -1 err)): they need root, iproute2 and veth"
    exit 77
}
ip -n $near addr add 10.77.0.1/24 dev wvl0 && ip -n $far addr add 10.77.0.2/24 dev wvl1 || exit 1
for name in $near $far; do ip -n $name link set lo up; done
cable() { ip -n $near link set wvl0 "$1" && ip -n $far link set wvl1 "$1"; }
cable up || exit 1

# What Open MPI calls in place of ssh, with the host's address and a command line.
cat >agent <<AGENT
#!/bin/sh
shift
exec ip netns exec $far unshare --uts sh -c 'hostname wvl-far && exec sh -c "\$*"' sh "\$@"
AGENT
# What runs on each host: notes of files and syncs, if there is a library for it; then the program.
cat >rank <<RANK
#!/bin/sh
hostname >"host.\$OMPI_COMM_WORLD_RANK"
[ -z "$fault" ] || export LD_PRELOAD="$fault" WVL_FAULT_LOG="log.\$OMPI_COMM_WORLD_RANK"
exec "$program" "\$@"
RANK
chmod +x agent rank
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=10.77.0.0/24 OMPI_MCA_oob_tcp_if_include=10.77.0.0/24
OMPI_MCA_plm_rsh_agent=$work/agent TMPDIR=/tmp
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_hwloc_base_binding_policy
export OMPI_MCA_mpi_yield_when_idle OMPI_MCA_btl OMPI_MCA_btl_tcp_if_include OMPI_MCA_oob_tcp_if_include OMPI_MCA_plm_rsh_agent TMPDIR

# hosts NEAR FAR ARGUMENTS...: so many ranks on each.
hosts() {
    at_near=$1 at_far=$2
    shift 2
    rm -f host.* log.*
    checks=$((checks + 1))
    timeout -k 10 120 ip netns exec $near unshare --uts sh -c 'hostname wvl-near && exec "$@"' sh \
        mpirun --host "10.77.0.1:$at_near,10.77.0.2:$at_far" -np $((at_near + at_far)) ./rank "$@" >out 2>err </dev/null
}

# worker_of HOST: the processes of wavelane-mpi there.
worker_of() {
    for process in $(ip netns pids "$1"); do
        [ "$(cat "/proc/$process/comm" 2>nothing)" != wavelane-mpi ] || echo "$process"
    done
}

frames in 160 320 240
expect 0 sequence in serial/ --quiet

# ---- The same bytes; who syncs --------------------------------------------------------------------------------------------

for ranks in '1 1' '2 1' '1 3'; do
    # shellcheck disable=SC2086 # two numbers
    hosts $ranks in made/ --report report || fail "ranks $ranks: exit $?"
    says '160 frames: 160 encoded, 0 kept'
    same made serial
    same_journal made serial
    [ "$(cat host.0)" = wvl-near ] || fail "rank 0 runs on $(cat host.0)"
    [ "$(cat host.* | grep -c wvl-far)" -eq "${ranks#* }" ] || fail "ranks $ranks: $(cat host.*)"
    [ -z "$fault" ] || for host in host.*; do
        number=${host#host.}
        [ "$number" -ne 0 ] || continue
        checks=$((checks + 1))
        names=$(grep -c name "log.$number") syncs=$(grep -c sync "log.$number")
        [ "$names" -gt 0 ] || fail "ranks $ranks: rank $number on $(cat "$host") has no frame"
        wanted=0
        [ "$(cat "$host")" = wvl-near ] || wanted=$names
        [ "$syncs" -eq "$wanted" ] || fail "ranks $ranks: rank $number on $(cat "$host"): $names frames, $syncs syncs"
    done
    rm -r made
done

# ---- A worker that is killed on the other host ------------------------------------------------------------------------------

hosts 1 2 in made/ --quiet &
await made 30
child=$(worker_of $far | head -1)
[ -z "$child" ] || kill -9 "$child"
wait $! && fail "a worker of the other host, ${child:-not found}: killed, and the job ends with 0"
before=$(grep -c '^frame ' made/.wavelane.journal)
hosts 2 2 in made/ --report report || fail "after a worker was killed: exit $?"
counted kept "$before" report
same made serial
rm -r made

# ---- A cable that is cut ----------------------------------------------------------------------------------------------------

# The other host is out of reach, with frames in its files that nobody heard of: they are done again here, and rank 0 ends. The launcher waits for the
# host, so it is ended by hand; the next run has nothing to do.
hosts 2 1 in made/ --lease-seconds 1 &
job=$!
await made 30
cable down
tries=0
while [ $tries -lt 120 ] && [ -n "$(worker_of $near)" ]; do
    sleep 0.5
    tries=$((tries + 1))
done
[ -z "$(worker_of $near)" ] || fail "the host $far is out of reach, and rank 0 does not end"
warns '1 ranks do not answer; the job ends without them'
end_namespaces
wait $job
cable up
same made serial
hosts 2 1 in made/ || fail "after the cable was cut: exit $?"
says '0 encoded, 160 kept'
same_journal made serial
end_checks
