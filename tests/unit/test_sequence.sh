#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wavelane sequence: where frames come from and go, resume after kill -9, frames that cannot be read, rate control.
#   test_sequence.sh WAVELANE          WVL_TEST_KILLS: how often a run is killed, 6 unless given, 2 in a short run
set -u
. "$(dirname "$0")/../support/shell.sh"
. "$(dirname "$0")/../support/sequence.sh"
open_command "$1"
kills=${WVL_TEST_KILLS:-6}
[ -z "${WVL_TEST_SHORT:-}" ] || kills=2

frames in 20 40 30
mkdir one
for file in in/*.ppm; do
    name=$(basename "$file" .ppm)
    "$wavelane" -i "$file" -o "one/$name.j2c" --quiet || fail "$file"
done
cat one/*.j2c >all.j2c

# ---- Where frames come from and go: always the bytes of a picture by itself ---------------------------------------------

expect_out 0 '20 frames: 20 encoded, 0 kept' sequence in a/
same a one
! grep -q 'frames are ordered by name' err || fail 'a warning about names in order'
mkdir unpadded
for n in 08 09 10 100; do
    cp in/f.0000.ppm unpadded/f$n.ppm
done
expect 0 sequence unpadded padded/
! grep -q 'frames are ordered by name' err || fail 'a warning about names in order'
cp in/f.0000.ppm unpadded/f9.ppm
expect_err 0 'which puts f100.ppm before f9.ppm' sequence unpadded unpadded.j2c
expect 4 sequence in/f.%04d.ppm b/f.%04d.j2c --frames 0-19
mkdir -p b
expect 0 sequence in/f.%04d.ppm b/f.%04d.j2c --frames 0-19 --pictures 3 --threads 3
[ -s b/.f.journal ] || fail 'the journal of a pattern is not beside its files'
same b one
ls in/*.ppm >list
expect 0 sequence @list c/ -OutFor j2c --pictures 1 --report report
same c one
counted encoded 20 report
tail -1 report | grep -q '"summary":{"frames":20,' || fail 'the report has no summary'
python3 -c 'import json; [json.loads(line) for line in open("report")]' || fail 'the report is not JSON lines'
expect 0 sequence in d.j2c --log
cmp -s d.j2c all.j2c || fail 'one file is not the codestreams one behind the other'
says 'frame 19: encoded, d.j2c,'
[ "$(awk '{ if ($2 != sum) exit 1; sum += $3 } END { print NR, sum }' d.j2c.index)" = "20 $(wc -c <all.j2c)" ] ||
    fail 'the index does not give the offsets'
expect 0 sequence in -
cmp -s out all.j2c || fail 'standard output is not the codestreams one behind the other'
warns '20 frames: 20 encoded'
expect 0 sequence in/f.%04d.ppm odd.j2c --frames 1-19x2
cat one/f.00?[13579].j2c | cmp -s - odd.j2c || fail '--frames 1-19x2 takes other frames'
expect 0 sequence in e/ --frames 5-7
[ "$(ls e)" = "$(printf 'f.0005.j2c\nf.0006.j2c\nf.0007.j2c')" ] || fail '--frames 5-7 of a folder'
for shard in 3/3 1/3 2/3; do
    expect 0 sequence in shards/ --shard $shard --quiet
done
same shards one
expect_out 0 '0 encoded, 7 kept' sequence in shards/ --shard 2/3

# Frames that are alike share a plan, others do not.
frames wide 2 64 48
mkdir mixed
for n in 0 1; do
    cp "in/f.000$n.ppm" "mixed/a$n.ppm"
    cp "wide/f.000$n.ppm" "mixed/b$n.ppm"
    { printf 'P5\n40 30\n255\n' && tail -c 1200 "in/f.000$n.ppm"; } >"mixed/c$n.pgm"
    { printf 'P5\n20 30\n1023\n' && tail -c 1200 "in/f.000$n.ppm" | tr '\200-\377' '\001'  | tr '\004-\177' '\002'; } >"mixed/d$n.pgm"
done
expect 0 -ImgDir mixed -OutFor j2c -o mixed.one --quiet
expect 0 sequence mixed mixed.all/ --quiet
same mixed.all mixed.one

# Streams: YUV4MPEG2, raw frames, from a pipe and from a file.
{
    printf 'YUV4MPEG2 W40 H30 F25:1 Ip C444\n'
    for n in 0 1 2; do
        printf 'FRAME\n'
        tail -c 3600 "in/f.000$n.ppm"
    done
} >s.y4m
for n in 0 1 2; do
    tail -c 3600 "in/f.000$n.ppm" >"s$n.yuv"
    expect 0 -i "s$n.yuv" -o "s$n.j2c" -F 40,30,3,8,u
done
cat s0.j2c s1.j2c s2.j2c >s.j2c
filter 0 sequence - s4.j2c <s.y4m
cmp -s s4.j2c s.j2c || fail 'YUV4MPEG2 by standard input: other bytes than each frame by itself'
expect 0 sequence s.y4m s5.%02d.j2c --frames 1-2
cmp -s s5.02.j2c s2.j2c || fail 'YUV4MPEG2 in a file: frame 2 is another one'
absent s5.00.j2c
cat s0.yuv s1.yuv s2.yuv >s.raw
filter 0 sequence - s6.j2c -F 40,30,3,8,u --input-format yuv <s.raw
cmp -s s6.j2c s.j2c || fail 'raw frames: other bytes than each frame by itself'
head -c 9000 s.raw >cut.raw
filter 3 sequence - s7.j2c -F 40,30,3,8,u --input-format yuv <cut.raw
warns 'standard input: frame 2 is cut short: 1800 of 3600 bytes'
cat s0.j2c s1.j2c | cmp -s - s7.j2c || fail 'the frames before one that is cut short are not there'
filter 3 sequence - s8.j2c <s.raw
warns 'neither YUV4MPEG2 nor raw frames; give the geometry of raw frames with -F'
sed 's/C444/C999/' s.y4m >unknown.y4m
expect_err 3 'colour space C999' sequence unknown.y4m s9.j2c

# ---- Resume --------------------------------------------------------------------------------------------------------------

expect_out 0 '0 encoded, 20 kept' sequence in a/
rm a/f.0003.j2c
printf x >>a/f.0005.j2c
printf x | dd of=a/f.0007.j2c bs=1 seek=150 conv=notrunc 2>dd_says || fail dd
expect 0 sequence in a/ --report report --sizes-only
! grep -q 'no effect' err || fail '--sizes-only of a run that resumes has an effect'
counted encoded 2 report
expect 0 sequence in a/ --report report
counted encoded 1 report
same a one
expect_err 2 'was begun with other parameters (there "(nothing)", now "reversible=no")' sequence in a/ -I
same a one
expect 2 sequence in a/ --channels 0
expect_out 0 '0 encoded, 20 kept' sequence in a/ --threads 2 --pictures 2 --device cpu
expect_out 0 '20 encoded' sequence in a/ -I --force
rm a/.wavelane.journal
expect_err 4 'no journal lists it as a frame of this sequence' sequence in a/ -I
rm a/.wavelane.journal a/f.0002.j2c
head -c 100 a/f.0004.j2c >cut && cp cut a/f.0004.j2c
expect_out 0 '2 encoded, 18 kept' sequence in a/ -I --skip-existing
# A journal in which a bit changed: what stands behind that place is done again.
expect 0 sequence in g/ --quiet
sed 's/^frame 9 ./frame 9 x/' g/.wavelane.journal >damaged && cp damaged g/.wavelane.journal
expect_out 0 '11 encoded, 9 kept' sequence in g/
same g one
echo 'no journal' >g/.wavelane.journal
expect_err 4 'is damaged, or not the journal of a sequence' sequence in g/
expect 0 sequence in g/ --dry-run --force
same g one
# What an earlier run has left: frames whose inputs have changed, frames that are none any more, other names.
mkdir left
cp in/f.0001.ppm in/f.0002.ppm in/f.0003.ppm left/
expect_err 0 '--sizes-only has no effect: no frame of an earlier run is compared' sequence left left.out/ --sizes-only
expect 0 sequence left left.out/
[ ! -s err ] || fail "nothing has changed: $(cat err)"
sleep 0.02
tail -c 1800 in/f.0001.ppm | { printf 'P6\n20 30\n255\n' && cat; } >left/f.0002.ppm
expect 0 sequence left left.out/ --report report
warns '1 kept frames are older than their inputs (the first: left/f.0002.ppm); remove their files, or give --force, to encode them again'
counted kept 3 report
grep -q 'older than their inputs' report || fail 'the report does not name frames that are older than their inputs'
expect_err 0 '1 kept frames are older than their inputs' sequence left left.out/ --skip-existing
rm left.out/f.0002.j2c
expect 0 sequence left left.out/
[ ! -s err ] || fail "the changed frame was encoded again: $(cat err)"
rm left/f.0003.ppm
expect_err 0 'left.out/: 1 frames of an earlier run do not belong to this one; their files are kept' sequence left left.out/
[ -e left.out/f.0003.j2c ] || fail "left.out/f.0003.j2c is gone"
expect 0 sequence left left.out/ --frames 0-0
[ ! -s err ] || fail "frames were chosen, and others named: $(cat err)"
expect 0 sequence left left.out/ -OutFor jp2 --force
warns 'left.out/: 3 frames of an earlier run do not belong to this one; their files are kept'
[ -e left.out/f.0001.j2c ] || fail "left.out/f.0001.j2c is gone"
expect 0 sequence left left.out/ -OutFor jp2 --force
[ ! -s err ] || fail "all frames of the earlier run are written again: $(cat err)"
expect_err 2 'needs a file for each frame' sequence left left.j2c --sizes-only
# One file: what is behind the frames that stay goes.
expect_out 0 '0 encoded, 20 kept' sequence in d.j2c
cmp -s d.j2c all.j2c || fail 'a second run changed the file'
printf 'more' >>d.j2c
printf x | dd of=d.j2c bs=1 seek=4000 conv=notrunc 2>dd_says || fail dd
expect 0 sequence in d.j2c
cmp -s d.j2c all.j2c || fail 'a damaged file was not made good'
[ "$(awk '{ if ($2 != sum) exit 1; sum += $3 } END { print NR }' d.j2c.index)" = 20 ] || fail 'the index after a resume'

# Killed at any time, started again: the frames of a run without a stop, and no line of the journal is done again.
frames many 160 64 48
expect 0 sequence many whole/ --threads 1 --pictures 1 --quiet
expect 0 sequence many whole.j2c -I --bits-per-second 400000 --bucket-bits 60000 --threads 1 --pictures 1 --quiet
expect 0 sequence many rated/ -I --bits-per-second 400000 --bucket-bits 60000 --quiet
cat rated/*.j2c | cmp -s - whole.j2c || fail 'rate control: files and one file differ'

# killed SECONDS ARGUMENTS...
killed() {
    after=$1
    shift
    "$wavelane" sequence "$@" >out 2>err &
    child=$!
    sleep "$after"
    kill -9 $child 2>err
    wait $child 2>err
}

n=0
while [ $n -lt "$kills" ]; do
    after=$(python3 -c "import random; print(random.choice([0.03, 0.1, 0.3]) * (0.5 + random.random()))")
    killed "$after" many files/ --quiet
    lines=$(grep -c '^frame ' files/.wavelane.journal 2>err)
    expect 0 sequence many files/ --report report
    counted kept "${lines:-0}" report
    same files whole
    [ $((n % 3)) -ne 0 ] || rm -r files
    if [ -e files ]; then
        # Frames that --skip-existing kept are not the journal's: no later run may replace them.
        rm files/*[0-5].j2c files/.wavelane.journal
        expect 0 sequence many files/ --skip-existing --frames 0-99 --quiet
        expect_err 4 'no journal lists it as a frame of this sequence' sequence many files/ --quiet
        expect 0 sequence many files/ --skip-existing --quiet
        same files whole
        rm -r files
    fi
    killed "$after" many killed.j2c -I --bits-per-second 400000 --bucket-bits 60000
    killed "$after" many killed.j2c -I --bits-per-second 400000 --bucket-bits 60000
    expect 0 sequence many killed.j2c -I --bits-per-second 400000 --bucket-bits 60000
    cmp -s killed.j2c whole.j2c || fail 'one file with rate control, killed and resumed, has other bytes'
    rm killed.j2c killed.j2c.journal killed.j2c.index
    n=$((n + 1))
done

# Two runs at a time on one sequence: the second one does not begin.
mkfifo slow
expect_err 3 'no header of YUV4MPEG2 arrived within the time of --timeout' sequence slow locked.j2c --timeout 1
"$wavelane" sequence - locked/ -F 64,48,3,8,u <slow >out 2>err &
child=$!
exec 9>slow
tries=0
while [ ! -s locked/.wavelane.journal ] && [ $tries -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
expect_err 4 'another wavelane process is encoding this sequence' sequence - locked/ -F 64,48,3,8,u
kill -INT $child
wait $child
[ $? -eq 130 ] || fail 'a run that waits for a stream does not end by SIGINT'
exec 9>&-

# ---- One file: its frames are written beside each other --------------------------------------------------------------------

# In memory pages are mapped, elsewhere they are written. A frame that fails ends the file, or leaves no gap.
shm=$(mktemp -d /dev/shm/wavelane.XXXXXX 2>nothing) || shm=.
cp -r in gap
head -c 500 in/f.0006.ppm >gap/f.0006.ppm
for place in . "$shm"; do
    expect 3 sequence gap "$place/beside.j2c" --pictures 7
    cat one/f.000[0-5].j2c | cmp -s - "$place/beside.j2c" || fail "$place: a failed frame does not end the file"
    [ "$(wc -l <"$place/beside.j2c.index")" -eq 6 ] || fail "$place: the index has other frames"
    expect 1 sequence gap "$place/gap.j2c" --pictures 7 --on-error skip
    cat one/f.000[0-5].j2c one/f.000[7-9].j2c one/f.00[1-9]*.j2c | cmp -s - "$place/gap.j2c" || fail "$place: a gap"
    expect 0 sequence in "$place/whole.j2c" --pictures 7 --force
    cat one/*.j2c | cmp -s - "$place/whole.j2c" || fail "$place: other bytes"
done
[ "$shm" = . ] || rm -r "$shm"
rm -r gap

# ---- Frames that cannot be read, places that are full ---------------------------------------------------------------------

cp -r in bad
head -c 500 in/f.0006.ppm >bad/f.0006.ppm
head -c 500 in/f.0011.ppm >bad/f.0011.ppm
expect_err 3 '1 of 7 frames failed; the first: bad/f.0006.ppm' sequence bad stop/ --pictures 1
expect_err 1 '2 of 20 frames failed; the first: bad/f.0006.ppm' sequence bad skip/ --on-error skip --report report
counted failed 2 report
says '18 encoded, 0 kept, 2 failed (2: the input is refused);'
tail -1 report | grep -q '"reasons":{"input":2}' || fail 'the report does not say why frames failed'
absent skip/f.0006.j2c
expect 1 sequence bad black/ --on-error black --report report
counted black 2 report
"$wavelane" info black/f.0006.j2c >out 2>err || fail 'the black frame is no codestream'
says 'Xsiz=40 Ysiz=30'
[ "$(wc -c <black/f.0006.j2c)" -lt 200 ] || fail 'the black frame is not black'
cmp -s black/f.0006.j2c black/f.0011.j2c || fail 'black frames differ'
filter 1 sequence - black.j2c -F 40,30,3,8,u --input-format yuv --on-error black <cut.raw
"$wavelane" info black.j2c >out 2>&1
# What failed is done when it can be read again.
cp in/f.0006.ppm in/f.0011.ppm bad
expect 0 sequence bad skip/ --on-error skip --report report
counted encoded 2 report
same skip one

# A pipe that nobody writes to ends by its time, and is named.
mkfifo bad/f.0030.ppm
ls in/*.ppm bad/f.0030.ppm >list
start=$(date +%s)
expect 1 sequence @list late/ --on-error skip --timeout 1
warns 'bad/f.0030.ppm: did not end within 1 s (--timeout)'
[ $(($(date +%s) - start)) -lt 20 ] || fail '--timeout 1 takes long'
same late one
cat in/f.0000.ppm >bad/f.0030.ppm &
expect 0 sequence @list late/ --on-error skip --timeout 60
cmp -s late/f.0030.j2c one/f.0000.j2c || fail 'a frame that came by a pipe has other bytes'
printf 'YUV4MPEG2 W40 H30 F25:1 C444\nFRAME\n' >short.y4m
mkfifo stream
{ cat short.y4m; sleep 3; } >stream &
filter 3 sequence - stuck.j2c --timeout 1 <stream
warns 'standard input: frame 0 did not arrive within 1 s (--timeout): 0 of 3600 bytes were received'

# A limit of file sizes stands for a full disk: the run ends, what is complete stays, and the next run does the rest.
(ulimit -f 30 && "$wavelane" sequence in full.j2c) >out 2>err
[ $? -eq 4 ] || fail "a full disk: exit code $?"
warns 'full.j2c: cannot write'
expect 0 sequence in full.j2c
cmp -s full.j2c all.j2c || fail 'after a full disk the file is not made good'
(ulimit -f 1 && "$wavelane" sequence in full/ --journal full.journal) >out 2>err
[ $? -eq 4 ] || fail "a full disk with a file for each frame: exit code $?"
[ -z "$(find full -name '.*tmp')" ] || fail 'a full disk leaves temporary files'
expect 0 sequence in full/ --journal full.journal
same full one
cp one/f.0000.j2c coded.j2c
ls coded.j2c one/f.0001.j2c >inputs
expect_err 4 'coded.j2c: is an input; choose another name' sequence @inputs coded.j2c --force
cmp -s coded.j2c one/f.0000.j2c || fail 'an input was written to'
if [ -c /dev/full ]; then
    "$wavelane" sequence in - >/dev/full 2>err
    [ $? -eq 4 ] || fail 'standard output is full, and the exit code does not say so'
fi
expect 4 sequence in full2/ --report nowhere/report

# ---- Rate control --------------------------------------------------------------------------------------------------------

# 24 frames a second, 60000 bits: the independent judge adds up what the report says.
judge() {
    python3 - "$1" "$2" "$3" <<'PY' || fail "rate control: $1 does not keep its limits"
import json, sys
from fractions import Fraction
rows = [json.loads(line) for line in open(sys.argv[1])][:-1]
rate, bucket = int(sys.argv[2]), int(sys.argv[3])
held = spent = 0
for n, row in enumerate(rows, 1):
    bits = 8 * row["bytes"]
    assert row["bytes"] <= row["limit"], row
    held += bits
    spent += bits
    assert not bucket or held <= bucket, (n, held)
    assert spent <= rate * n / Fraction(24) or not bucket, (n, spent)
    held = max(0, held - Fraction(rate, 24))
assert spent > rate * len(rows) / 24 * 0.6, spent
PY
}
expect 0 sequence many judged/ -I --bits-per-second 400000 --bucket-bits 60000 --report report --threads 3 --pictures 5
judge report 400000 60000
same judged rated
# A frame's limit is a parameter of that frame alone.
limit=$(sed -n 's/.*"frame":120,.*"limit":\([0-9]*\).*/\1/p' report)
expect 0 -i many/f.0120.ppm -o limited.j2c -I --max-bytes "$limit"
cmp -s limited.j2c judged/f.0120.j2c || fail 'a frame by itself with its limit has other bytes'
rm judged/f.0100.j2c judged/f.0159.j2c
expect_out 0 '2 encoded, 158 kept' sequence many judged/ -I --bits-per-second 400000 --bucket-bits 60000
same judged rated
expect 2 sequence many judged/ -I --bits-per-second 400000 --bucket-bits 60000 --shard 1/2
warns '--shard with rate control needs --statistics'
expect_err 2 'was begun with other parameters' sequence many judged/ -I --bits-per-second 500000 --bucket-bits 60000
# A frame that failed counts with no bytes. When it comes, the limits of later frames change, and these are done again.
mkdir later
for n in 0 1 2 3 4 5; do
    cp many/f.00${n}[05].ppm later
done
cp -r later first_bad
head -c 900 many/f.0010.ppm >first_bad/f.0010.ppm
expect 0 sequence later good/ -I --bits-per-second 400000 --lag 2 --quiet
expect 1 sequence first_bad mended/ -I --bits-per-second 400000 --lag 2 --on-error skip --quiet
cmp -s good/f.0055.j2c mended/f.0055.j2c && fail 'a frame that failed changes no limit: the test shows nothing'
cp later/f.0010.ppm first_bad
expect 0 sequence first_bad mended/ -I --bits-per-second 400000 --lag 2 --on-error skip --quiet
same mended good
# Two passes: any shards, the same frames.
expect 0 sequence many first/ -I --slopes 40000 --quiet
expect 0 sequence many second/ -I --statistics first/.wavelane.journal --bits-per-second 400000 --bucket-bits 90000 --report report
judge report 400000 90000
for shard in 2/3 3/3 1/3; do
    expect 0 sequence many third/ -I --statistics first/wavelane.journal --bits-per-second 400000 --bucket-bits 90000 --shard $shard --quiet
done
same third second
# A stream that is longer than the first pass.
filter 0 sequence - short/ -F 40,30,3,8,u -I <cut.raw --frames 0-1
filter 0 sequence - short.j2c -F 40,30,3,8,u -I --statistics short/.wavelane.journal --bits-per-second 200000 --frames 0-1 <s.raw
filter 3 sequence - long.j2c -F 40,30,3,8,u -I --statistics short/.wavelane.journal --bits-per-second 200000 <s.raw
warns 'the stream has more frames than the first pass had'
cmp -s long.j2c short.j2c || fail 'frames of a stream that is too long have other bytes'
expect 3 sequence many fourth/ -I --statistics a/.wavelane.journal --bits-per-second 400000
warns 'is missing; complete the first pass'
expect 2 sequence many fourth/ --bucket-bits 60000
warns '--bucket-bits needs --bits-per-second or --bucket-bits-per-second'
expect 2 sequence many fourth/ --bits-per-second 400000 --bucket-bits 9000
warns 'the bucket must hold more than what leaves it'

# ---- -ImgDir: the same for pictures of a folder ---------------------------------------------------------------------------

mkdir -p tree/below/deep tree/empty
cp in/f.0000.ppm in/f.0001.ppm tree
cp in/f.0002.ppm tree/below
cp in/f.0003.ppm tree/below/deep
ln -s ../below tree/below/circle
expect_out 0 '4 pictures: 4 encoded, 0 failed' -ImgDir tree -OutFor j2c -o made/out --recursive
cmp -s made/out/below/deep/f.0003.j2c one/f.0003.j2c || fail '-ImgDir --recursive -o: a picture of a folder below is missing'
[ "$(find made -type f | wc -l)" -eq 4 ] || fail '-ImgDir -o: other files'
[ "$(find tree -name '*.j2c')" = '' ] || fail '-ImgDir -o writes beside its inputs'
expect_out 1 '4 pictures: 0 encoded, 4 failed' -ImgDir tree -OutFor j2c -o made/out --recursive
rm made/out/f.0000.j2c
head -c 300 made/out/below/f.0002.j2c >cut && cp cut made/out/below/f.0002.j2c
expect 0 -ImgDir tree -OutFor j2c -o made/out --recursive --skip-existing
says '4 pictures: 2 encoded, 2 skipped (the output exists), 0 failed'
cmp -s made/out/below/f.0002.j2c one/f.0002.j2c || fail '--skip-existing keeps a file that is cut short'
expect 0 -ImgDir tree -OutFor j2c -o made/out --recursive --skip-existing --json
[ "$(grep -c '"status":"skipped"' out)" -eq 4 ] || fail '--json does not list what was skipped'
expect_out 0 '2 pictures: 2 encoded, 0 failed' -ImgDir tree -OutFor j2c
expect 2 -ImgDir tree -OutFor j2c --skip-existing --force
expect_err 2 'needs a folder after -o' -ImgDir tree -OutFor j2c -o -
expect 2 -i in/f.0000.ppm -o x.j2c --skip-existing
expect 2 -i in/f.0000.ppm -o x.j2c --recursive
mkdir flat && cp in/f.0000.ppm flat
expect_err 0 '--recursive had no effect' -ImgDir flat -OutFor j2c --recursive
expect_out 0 '4 frames: 4 encoded' sequence tree deep/ --recursive

# ---- Words that do not fit -----------------------------------------------------------------------------------------------

refuse() { # CODE WORDS ARGUMENTS...
    code=$1
    words=$2
    shift 2
    expect_err "$code" "$words" sequence "$@"
}
refuse 2 'IN is missing'
refuse 2 'OUT is missing' in
refuse 2 '"third" is unexpected' in out third
refuse 2 'needs a file for each frame' in h.j2c --shard 1/2
refuse 2 'needs a file for each frame' in h.j2c --skip-existing
refuse 2 'expected I/N' in h/ --shard 0/2
refuse 2 'expected FIRST-LAST' in h/ --frames 4-2
refuse 2 'expected stop, skip, black' in h/ --on-error ignore
refuse 2 'give the numbers of the frames with --frames' in/f.%04d.ppm h/
refuse 2 '--frames begins at 20' in h/ --frames 20-30
refuse 2 'OUT is a folder' in h.jp2
refuse 2 'OUT is a folder' in h
refuse 2 'only the name of the file may contain a %' in h%02d/x.%03d.j2c
refuse 2 'are not options of sequence' in h/ -i in/f.0000.ppm
refuse 2 '--report FILE writes a line' in h/ --json
refuse 2 'unknown option --nothing' in h/ --nothing
refuse 2 '--frames: the value is missing' in h/ --frames
refuse 3 'IN is a folder, a file' nowhere h/
refuse 3 'no picture in this folder' one h/
ls in/f.0000.ppm bad/f.0000.ppm >twice
refuse 4 'two inputs have this output' @twice h/
absent h/f.0000.j2c
expect_out 0 '20 frames, 0 of them complete' sequence in h2/ --dry-run
absent h2
expect_out 0 '--bucket-bits-per-second N' sequence --help
end_checks
