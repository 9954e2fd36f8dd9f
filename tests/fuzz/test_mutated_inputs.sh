#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Damaged inputs of fixed seeds, and commands that misbehave in every way that must be seen.
#   test_mutated_inputs.sh SCRIPT COMMAND
set -eu
. "$(dirname "$0")/../support/shell.sh"

script=$1
command=$(absolute "$2")

python3 "$script" "$command" --seed 1 --count 120 --jobs 2

# misbehave NAME WORDS SHELL: a command that also does SHELL in the folder of a run must fail, with the words.
misbehave()
{
    cat >"$work/$1" <<END
#!/bin/sh
"$command" "\$@"
status=\$?
case \$PWD in */wvl_mutated_*) $3 ;; esac
exit \$status
END
    chmod +x "$work/$1"
    if python3 "$script" "$work/$1" --seed 1 --count 40 --seconds 5 --keep "$work/kept" >"$work/$1.log"; then
        cat "$work/$1.log"
        echo "$1 was not seen"
        exit 1
    fi
    grep -q "$2" "$work/$1.log" || { cat "$work/$1.log"; echo "$1: not found as \"$2\""; exit 1; }
    echo "seen: $1"
}

misbehave status 'ended with status 9' 'status=9'
misbehave signal 'ended with status -6' 'kill -ABRT $$'
misbehave temporary 'leaves .*\.wavelane' ': >.wavelane1234'
misbehave partial "leaves .*'out\." '[ $status -eq 0 ] || : >out.jp2'
misbehave torn 'is not whole' 'for f in out.*; do [ ! -e "$f" ] || : >"$f"; done'
misbehave input 'was changed' 'for f in *.*; do echo >>"$f"; done'
misbehave report 'Sanitizer' 'echo "ERROR: AddressSanitizer: heap-buffer-overflow" >&2'

printf '#!/bin/sh\ncase $PWD in */wvl_mutated_*) exec sleep 100 ;; esac\nexec "%s" "$@"\n' "$command" >"$work/hang"
chmod +x "$work/hang"
if python3 "$script" "$work/hang" --seed 1 --count 1 --seconds 1 >"$work/hang.log"; then
    echo "a command that does not end was not seen"
    exit 1
fi
grep -q 'runs for more than 1 s' "$work/hang.log"

# A failure comes with its files, and --show makes them again.
kept=$(find "$work/kept" -mindepth 1 -maxdepth 1 -type d | sort | head -n 1)
python3 "$script" "$command" --show "$(basename "$kept")" "$work/again" >/dev/null
diff -r "$kept" "$work/again"
