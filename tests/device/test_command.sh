#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The command with a device: devices, --device, --trace.
#   test_command.sh COMMAND
set -eu
. "$(dirname "$0")/../support/shell.sh"

command=$1
fail() { echo "$1"; exit 1; }

"$command" devices >"$work/list"
grep -q '^cuda:0  ' "$work/list" || { cat "$work/list"; echo "no device: skipped"; exit 77; }
"$command" devices --json >"$work/list.json"
grep -q '"device":"cuda:0"' "$work/list.json" || fail "devices --json: no cuda:0"
for settings in '' '-I' '-I -r 20 -t 128,128' '-r 20,10' '-n 1'; do
    # shellcheck disable=SC2086 # several words
    "$command" --demo --force -o "$work/cpu.j2k" $settings --device cpu >/dev/null
    # shellcheck disable=SC2086
    "$command" --demo --force -o "$work/cuda.j2k" $settings --device cuda-only --trace "$work/trace.json" >"$work/said"
    cmp "$work/cpu.j2k" "$work/cuda.j2k" || fail "'$settings': other bytes"
    grep -q 'device: cuda:0' "$work/said" || fail "'$settings': not said where"
    case $(sed -n 's/.*device: cuda:0//p' "$work/said") in
    *packets*) names='stage upload kernels code download write' ;;
    *) names='stage upload kernels download transform code rate write' ;;
    esac
    for name in $names; do
        grep -q "\"name\":\"$name\"" "$work/trace.json" || fail "'$settings': no span \"$name\" in the trace"
    done
done
if part python3; then
    python3 -c 'import json, sys
for name in sys.argv[1:]: json.load(open(name))' "$work/trace.json" "$work/list.json" || fail "not JSON"
fi
if "$command" --demo --force -o "$work/none.j2k" --device cuda-only:9 2>"$work/said"; then fail "cuda-only:9 passed"; fi
[ ! -e "$work/none.j2k" ] || fail "a file in spite of a failure"
grep -q 'device' "$work/said" || fail "cuda-only:9: no reason"
"$command" --demo --force -o "$work/fallback.j2k" -n 1 --device cuda:9 2>"$work/said" >/dev/null
cmp "$work/cpu.j2k" "$work/fallback.j2k" || fail "cuda:9: other bytes"
grep -q 'the CPU takes over' "$work/said" || fail "cuda:9: not said"
echo "devices, --device, --trace: as they should be"
end_suite 0
