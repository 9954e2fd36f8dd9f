#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wavelane info and verify on several files and on folders: reports, JSON lines, tables, exit codes.
#   test_many_files.sh WAVELANE
set -u
. "$(dirname "$0")/../support/shell.sh"
open_command "$1"

make() { # NAME WIDTH HEIGHT
    { printf 'P6\n%s %s\n255\n' "$2" "$3"; head -c 300000 "$wavelane" | tail -c 250000 | head -c $(($2 * $3 * 3)); } >"$1"
}
make a.ppm 60 40
make b.ppm 50 70

# A name with a comma and quotes, a damaged file, one that is no picture, and what a folder has beside.
mkdir -p all/below all/below/empty only/below
expect 0 -i a.ppm -o 'all/a, "one".jp2'
expect 0 -i b.ppm -o all/b.j2k -I -r 8,4 --tile 32,32
expect 0 -i a.ppm -o all/below/c.jph
expect 0 -i a.ppm -o all/.hidden.jp2
cp all/b.j2k only/below/d.J2C
head -c 1500 all/b.j2k >all/cut.j2k
cp a.ppm all/not.jp2
echo text >all/notes.txt
mkfifo all/pipe.jp2
ln -s ../all all/below/circle
ln -s ../b.j2k all/below/link.jpc

# rows FILE COLUMN...: those columns of a table, by the reader that Python has; all rows must have as many values as the first.
rows() {
    python3 - "$@" <<'PY' || fail "the table $1 cannot be read"
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="", encoding="utf-8"), strict=True))
assert all(len(row) == len(rows[0]) for row in rows), [len(row) for row in rows]
for row in rows[1:]:
    print("|".join(row[rows[0].index(name)] for name in sys.argv[2:]))
PY
}

# same EXPECTED: what rows printed is this text.
same() {
    checks=$((checks + 1))
    cat >wanted
    cmp -s wanted got || fail "$1: expected <$(cat wanted)>, got <$(cat got)>"
}

# ---- Tables ------------------------------------------------------------------------------------------------------------

expect 6 verify --csv all
rows out file format legal errors width components layers profiles_met >got
same 'verify --csv' <<'ROWS'
all/a, "one".jp2|JP2|yes|0|60|3|1|part1 jp2 profile0 profile1
all/b.j2k|codestream|yes|0|50|3|2|part1 profile1
all/cut.j2k|codestream|no|1|50|3|2|
all/not.jp2|neither|no|1||||
ROWS
warns 'all/cut.j2k: is not legal'
warns 'all/pipe.jp2: skipped: not a regular file'
expect 6 verify --csv all/cut.j2k
rows out severity rule text error >got
grep -q '^error|[a-z].*|.' got || fail "the first error of a damaged file is not in its row: $(cat got)"
expect 6 verify --csv --profile jp2 'all/a, "one".jp2' all/b.j2k
rows out legal profile profile_met exact error >got
same 'verify --csv --profile' <<'ROWS'
yes|jp2|yes||
no|jp2|no||
ROWS

expect 3 info --csv all missing.jp2
rows out file format width height components least_depth tile_width layers transform problems >got
same 'info --csv' <<'ROWS'
all/a, "one".jp2|JP2 file|60|40|3|8|60|1|5/3|0
all/b.j2k|codestream|50|70|3|8|32|2|9/7|0
all/cut.j2k|codestream|50|70|3|8|32|2|9/7|1
all/not.jp2|||||||||1
missing.jp2|||||||||
ROWS
expect 0 -i a.ppm -o one.jph
expect 0 info --csv one.jph
rows out file format >got
same 'info --csv of JPH' <<'ROWS'
one.jph|JPH file
ROWS
expect 3 info --csv missing.jp2
rows out file error >got
grep -q '^missing.jp2|missing.jp2: No such file' got || fail "why a file cannot be read is not in its row: $(cat got)"
expect 3 verify --csv missing.jp2
rows out file error >got
grep -q '^missing.jp2|missing.jp2: No such file' got || fail "why a file cannot be read is not in its row: $(cat got)"

# ---- Folders below -----------------------------------------------------------------------------------------------------

for spelling in --recursive -recursive -R; do
    expect 3 info --csv $spelling all
    rows out file >got
    same "info $spelling" <<'ROWS'
all/a, "one".jp2
all/b.j2k
all/below/c.jph
all/below/link.jpc
all/cut.j2k
all/not.jp2
ROWS
done
expect_err 3 'only: no file with the extension' verify only
warns '--recursive'
expect_out 0 'file only/below/d.J2C' verify -R only
expect_err 3 'or its subfolders' verify -R all/below/empty
expect 6 verify -R only all/below/empty all/cut.j2k # the greatest code
says 'file only/below/d.J2C'
says 'file all/cut.j2k'

# ---- Reports and JSON --------------------------------------------------------------------------------------------------

for command in info verify; do
    expect 0 $command all/b.j2k
    cp out one
    expect 0 $command all/b.j2k only/below/d.J2C
    head -n "$(wc -l <one)" out | cmp -s - one || fail "$command: the report of the first of two files differs from that of one file"
    expect 0 $command --json all/b.j2k
    python3 -c 'import json, sys; d = json.load(sys.stdin); assert d["file"] == "all/b.j2k"' <out || fail "$command --json: no object"
    [ "$(wc -l <out)" -gt 3 ] || fail "$command --json of one file has another form than before"
    cp out one
    [ $command = info ] && wanted=3 || wanted=6
    expect $wanted $command --json all missing.jp2
    checks=$((checks + 1))
    python3 - one out <<'PY' || fail "$command --json of several files: not one object a line"
import json, sys
one = json.load(open(sys.argv[1], encoding="utf-8"))
lines = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
names = [line["file"] for line in lines]
assert names == ['all/a, "one".jp2', "all/b.j2k", "all/cut.j2k", "all/not.jp2", "missing.jp2"], names
assert lines[1] == one, "another object than of one file"
assert "No such file" in lines[4]["error"], lines[4]
PY
done

# ---- Words -------------------------------------------------------------------------------------------------------------

expect_err 2 '--json and --csv' info --csv --json all/b.j2k
expect 2 verify --csv --json all/b.j2k
expect 2 verify --csv --rules
expect 2 verify --original a.ppm all/b.j2k only/below/d.J2C
expect_err 2 'compared with one file' verify --original b.ppm all
filter 0 info - <all/b.j2k
filter 0 verify --csv - <all/b.j2k
says 'standard input,2625,'
if [ "$("$wavelane" --version | grep -c 'verify through')" -ne 0 ]; then
    expect 0 verify --csv --original a.ppm 'all/a, "one".jp2'
    rows out exact psnr >got
    grep -q '^yes|inf$' got || fail "the comparison is not in the row: $(cat got)"
fi
[ ! -e /dev/full ] || {
    for command in 'info --csv' 'verify --csv' verify; do
        code=0
        # shellcheck disable=SC2086
        "$wavelane" $command all/b.j2k >/dev/full 2>err || code=$?
        [ $code -eq 4 ] || fail "$command to a full disk ends with $code"
    done
}
end_checks
