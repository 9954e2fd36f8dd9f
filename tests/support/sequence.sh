# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# What the tests of sequences share. A test reads it after shell.sh.

# frames FOLDER COUNT WIDTH HEIGHT: pictures that differ, some of them easy.
frames() {
    python3 - "$@" <<'PY'
import os, random, sys
folder, count, width, height = sys.argv[1], *map(int, sys.argv[2:])
random.seed(24)
os.makedirs(folder)
noise = bytes(random.randrange(256) for _ in range(65536))
for n in range(count):
    ramp = bytes((x * 2 + n * 7) & 255 for x in range(width * 3))
    rows = b"".join(bytes(a ^ (b & (1 << n % 7) - 1) for a, b in zip(ramp, noise[y * 50 + n:])) for y in range(height))
    with open("%s/f.%04d.ppm" % (folder, n), "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (width, height) + rows)
PY
}

# same A B: two files or folders; journals and reports do not count.
same() {
    checks=$((checks + 1))
    diff -r -x '*.journal' -x '*.index' "$1" "$2" >differences || fail "$1 and $2 differ: $(head -3 differences)"
}

# counted WORD NUMBER FILE: frames of that status in a report.
counted() {
    checks=$((checks + 1))
    number=$(grep -c "\"status\":\"$1\"" "$3")
    [ "$number" -eq "$2" ] || fail "$number frames are $1 instead of $2"
}

# same_journal A B: the same lines, in any order.
same_journal() {
    checks=$((checks + 1))
    grep '^frame ' "$1/.wavelane.journal" | sort >lines.1
    grep '^frame ' "$2/.wavelane.journal" | sort >lines.2
    cmp -s lines.1 lines.2 || fail "the journals of $1 and $2 differ"
}

# count FOLDER: its frames. await FOLDER COUNT: until it has COUNT of them, or 20 s are over.
count() { find "$1" -name '[a-z]*.j2c' 2>nothing | wc -l; }

await() {
    tries=0
    while [ "$(count "$1")" -lt "$2" ] && [ $tries -lt 400 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
}
