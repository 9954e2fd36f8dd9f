#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The command with a device: devices, --device, --trace.
#   test_command.sh COMMAND
set -eu
. "$(dirname -- "$0")/../house/parts.sh"

command=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$1"; exit 1; }

"$command" devices >"$scratch/list"
grep -q '^cuda:0  ' "$scratch/list" || { cat "$scratch/list"; echo "no device: skipped"; exit 77; }
"$command" devices --json >"$scratch/list.json"
grep -q '"device":"cuda:0"' "$scratch/list.json" || fail "devices --json: no cuda:0"
for settings in '' '-I' '-I -r 20 -t 128,128' '-n 1'; do
    # shellcheck disable=SC2086 # several words
    "$command" --demo --force -o "$scratch/cpu.j2k" $settings --device cpu >/dev/null
    # shellcheck disable=SC2086
    "$command" --demo --force -o "$scratch/cuda.j2k" $settings --device cuda-only --trace "$scratch/trace.json" >"$scratch/said"
    cmp "$scratch/cpu.j2k" "$scratch/cuda.j2k" || fail "'$settings': other bytes"
    grep -q 'transformed by cuda:0' "$scratch/said" || fail "'$settings': not said where"
    for name in transform code rate write stage upload kernels download; do
        grep -q "\"name\":\"$name\"" "$scratch/trace.json" || fail "'$settings': no span \"$name\" in the trace"
    done
done
if part python3; then
    python3 -c 'import json, sys
for name in sys.argv[1:]: json.load(open(name))' "$scratch/trace.json" "$scratch/list.json" || fail "not JSON"
fi
if "$command" --demo --force -o "$scratch/none.j2k" --device cuda-only:9 2>"$scratch/said"; then fail "cuda-only:9 passed"; fi
[ ! -e "$scratch/none.j2k" ] || fail "a file in spite of a failure"
grep -q 'device' "$scratch/said" || fail "cuda-only:9: no reason"
"$command" --demo --force -o "$scratch/fallback.j2k" -n 1 --device cuda:9 2>"$scratch/said" >/dev/null
cmp "$scratch/cpu.j2k" "$scratch/fallback.j2k" || fail "cuda:9: other bytes"
grep -q 'the CPU takes over' "$scratch/said" || fail "cuda:9: not said"
echo "devices, --device, --trace: as they should be"
end_suite 0
