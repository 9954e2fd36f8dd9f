#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files, pipes, folders and signals: what the command may read, what it may replace, and how it ends.
#   test_cli_files.sh WAVELANE [memory]
# memory: only what happens where memory is short, which needs a limit that the build can live with (sanitizers reserve more).
set -u
. "$(dirname "$0")/../support/shell.sh"
open_command "$1"
wanted_part=${2:-}

# Memory of 3 GB and 30 s, where the build can live with the former: sanitizers reserve more.
memory='ulimit -v 3000000'
sh -c "$memory && exec '$wavelane' --version" >out 2>err || memory=:
run_command() { (eval "$memory" && exec timeout 30 "$wavelane" "$@"); }

same() { cmp -s "$1" "$2" || fail "$2 was changed"; }
no_leftovers() {
    find . -name '.*.??????' | grep . && fail "temporary files are left: $*"
    return 0
}

printf 'P5\n16 8\n255\n%0128d' 7 >grey.pgm
printf 'P6\n8 8\n255\n%0192d' 7 >rgb.ppm
echo '<a/>' >note.xml
mkdir safe
cp grey.pgm rgb.ppm note.xml safe

# Want of memory is no fault of the input.
try_little_memory() {
    { printf 'P5 60000 60000 65535\n' && cat grey.pgm; } >sparse.pgm
    if [ "$memory" = : ] || ! truncate -s 7200000021 sparse.pgm 2>/dev/null; then
        echo 'skipped: no limit of memory that this build can live with, or no sparse files'
        exit 77
    fi
    expect 5 -i sparse.pgm -o no.j2k --channels 0 # which takes the whole picture
    warns 'not enough memory for 7200000000 bytes'
    printf 'P5 50000 50000 65535\nabc' | filter 5 -i - -o no.j2k --channels 0 --max-input-bytes 100000000000
    truncate -s 5G sparse.pgm
    expect 5 verify sparse.pgm
    # 30000 x 30000 by its header: refused with the bytes that it needs, and before these are taken.
    if "$wavelane" --version | grep -q OpenJPEG; then
        expect 0 -i grey.pgm -o claims.j2k --quiet
        for at in 8 24; do # Xsiz and Ysiz, XTsiz and YTsiz
            printf '\000\000\165\060\000\000\165\060' | dd of=claims.j2k bs=1 seek=$at conv=notrunc 2>err || fail dd
        done
        expect_err 5 'samples that OpenJPEG holds: not enough memory for 3600000000 bytes' -i claims.j2k -o no.j2k
    fi
    expect 5 -i grey.pgm -o no.jp2 --xml sparse.pgm
    # From where nothing works to where all does, OpenJPEG's decoding included: success, or want of memory.
    head -c 4000000 /dev/urandom >much.raw
    for kilobytes in 24000 28000 32000 36000 40000 44000 48000 52000 80000 200000; do
        checks=$((checks + 1))
        (ulimit -v $kilobytes && exec "$wavelane" -i much.raw -F 2000,2000,1,8,u -o much.j2k --force --threads 1 --quiet --verify) >out 2>err
        code=$?
        case $code in
        0 | 2 | 5) ;; # 2: a build without OpenJPEG
        *) fail "exit $code instead of 0 or 5 with $kilobytes KB of memory" ;;
        esac
    done
    rm -f much.*
    absent no.j2k
    absent no.jp2
}

if [ "$wanted_part" = memory ]; then
    try_little_memory
    echo "$checks checks, $failures failures"
    end_suite "$failures"
fi

# ---- What may be replaced ---------------------------------------------------------------------------------------------

for option in '' --force; do
    expect_err 4 'is the input grey.pgm itself' -i grey.pgm -o trace.j2k --trace grey.pgm $option
    ln -sf grey.pgm linked
    expect 4 -i grey.pgm -o trace.j2k --trace linked $option
    expect_err 4 'is the input note.xml itself' -i grey.pgm -o trace.jp2 --xml note.xml --trace note.xml $option
    expect_err 4 'is the output too' -i grey.pgm -o both --trace ./both $option
    absent both
    absent trace.j2k
    absent trace.jp2
done
same safe/grey.pgm grey.pgm
same safe/note.xml note.xml
echo old >trace.json
expect_err 4 'exists; --force replaces it' -i grey.pgm -o trace.j2k --trace trace.json
absent trace.j2k
# Where the command fails, what was there stays, and nothing new appears.
for input in missing.pgm note.xml; do
    expect 3 -i $input -o trace.j2k --trace trace.json --force
    [ "$(cat trace.json)" = old ] || fail "--trace: a failed command replaced the file"
    expect 3 -i $input -o trace.j2k --trace new.json
    absent new.json
done
expect 2 -i grey.pgm -o trace.j2k --trace -
expect 4 -i grey.pgm -o trace.j2k --trace nowhere/trace.json
expect 0 -i grey.pgm -o trace.j2k --trace trace.json --force
grep -q '"traceEvents"' trace.json && [ "$(tail -n 1 trace.json)" = ']}' ] || fail '--trace: the file is not complete'
grep -q '"ph":"X"' trace.json || fail '--trace: no span'
if part python3; then
    python3 -m json.tool trace.json >/dev/null || fail '--trace: no JSON'
fi
rm -f linked

cp note.xml note.jp2
cp note.xml note2.jp2
ln note2.jp2 hard.jp2
expect_err 4 'is the input note.jp2 itself' -i grey.pgm -o note.jp2 --xml note.jp2 --force
expect 4 -i grey.pgm -o hard.jp2 --uuid 00112233445566778899AABBCCDDEEFF:note2.jp2 --force
warns 'is the input note2.jp2 itself'
same safe/note.xml note.jp2
same safe/note.xml hard.jp2
no_leftovers outputs

# ---- How much is read -------------------------------------------------------------------------------------------------

expect_err 3 'the rest is not read' verify /dev/zero
expect_err 3 'the rest is not read' info /dev/zero
expect 3 -i /dev/zero -o no.j2k
expect_err 3 'does not begin with II or MM' -i /dev/zero --input-format tif -o no.j2k
expect_err 3 'more than the limit of 67108864 bytes' -i grey.pgm --xml /dev/zero -o no.jp2
expect 3 -i grey.pgm --uuid 00112233445566778899AABBCCDDEEFF:/dev/zero -o no.jp2 --max-input-bytes 1000
warns 'more than the limit of 1000 bytes'
{ printf 'II*\000\010\000\000\000' && cat /dev/zero; } 2>/dev/null | filter 3 -i - -o no.j2k --max-input-bytes 50000000
warns '--max-input-bytes'
printf 'MM\000*\377\377\377\377' | filter 3 -i - -o no.j2k
warns 'the first directory, at 4294967295'
{ printf '\377\117\377\121' && cat /dev/zero; } 2>/dev/null | filter 3 verify --max-input-bytes 50000000 -
warns 'more than the limit of 50000000 bytes'
{ printf '\377\117\377\121' && cat /dev/zero; } 2>/dev/null | filter 3 info - --max-input-bytes=50000000
warns 'more than the limit of 50000000 bytes'
expect 0 -i grey.pgm -o small.jp2
size=$(wc -c <small.jp2)
for most in "$size" $((size + 1)) $((size * 2)) 100000; do
    filter 0 verify - --max-input-bytes "$most" <small.jp2
    # shellcheck disable=SC2002
    cat small.jp2 | filter 0 verify - --max-input-bytes "$most"
done
# shellcheck disable=SC2002
cat small.jp2 | filter 3 verify - --max-input-bytes $((size - 1))
filter 0 verify - --max-input-bytes 1 <small.jp2 # a regular file, although on standard input
# shellcheck disable=SC2002
cat grey.pgm | filter 0 -i - -o piped.j2k --max-input-bytes "$(wc -c <grey.pgm)"
# shellcheck disable=SC2002
cat grey.pgm | filter 3 -i - -o no.j2k --max-input-bytes $(($(wc -c <grey.pgm) - 1))
# Refused before memory is taken: the header asks for more than may be read.
printf 'P5 50000 50000 65535\nabc' | filter 3 -i - -o no.j2k
warns '5000000000 bytes needed, more than the limit of 2147483648'
expect 0 -i grey.pgm -o pixels.j2k --max-pixels 128
expect_err 3 'more than the limit of 127 samples (--max-pixels)' -i grey.pgm -o no.j2k --max-pixels 127
expect 0 -i grey.pgm -i grey.pgm -o pixels.j2k --max-pixels 256 --force
expect_err 3 'exceeds, with the inputs before it, the limit of 255 samples (--max-pixels)' -i grey.pgm -i grey.pgm -o no.j2k --max-pixels 255
for option in '--max-pixels 0' '--max-pixels x' '--max-input-bytes 0' '--max-input-bytes 1k'; do
    # shellcheck disable=SC2086
    expect 2 -i grey.pgm -o no.j2k $option
done
expect 2 info --max-input-bytes x small.jp2

absent no.j2k
absent no.jp2

# ---- One picture an input ---------------------------------------------------------------------------------------------

cat rgb.ppm rgb.ppm >two.ppm
{ cat rgb.ppm && echo && cat grey.pgm; } >mixed.ppm
{ cat rgb.ppm && echo; } >line.ppm
{ cat rgb.ppm && echo trailer; } >trailer.ppm
for file in two mixed; do
    expect_err 3 'only one picture per input is read' -i $file.ppm -o no.j2k
    # shellcheck disable=SC2002
    cat $file.ppm | filter 3 -i - -o no.j2k
    warns 'only one picture per input is read'
done
expect 0 -i line.ppm -o line.j2k
grep -q 'after the picture' err && fail 'a line end behind a picture is no reason for a warning'
expect_err 0 'bytes after the picture are not read' -i trailer.ppm -o trailer.j2k
head -c 360 /dev/zero >five.yuv # five frames of 8 x 6, 4:2:0
for frames in 72 144; do
    expected=$([ $frames = 72 ] && echo 0 || echo 3)
    head -c $frames five.yuv >frames.yuv
    expect "$expected" -i frames.yuv -F 8,6,3,8,u@1x1:2x2:2x2 -o yuv$frames.j2k
    # shellcheck disable=SC2002
    cat frames.yuv | filter "$expected" -i - --input-format yuv -F 8,6,3,8,u@1x1:2x2:2x2 -o pipe$frames.j2k
done
warns 'only one picture per input is read'
head -c 100 five.yuv >frames.raw
expect_err 3 '52 bytes follow the samples' -i frames.raw -F 8,6,1,8,u -o no.j2k
expect 0 -i /dev/zero --input-format raw -F 8,6,1,8,u -o zero.j2k # a device never ends
absent no.j2k

# ---- Folders ----------------------------------------------------------------------------------------------------------

mkdir shots
cp grey.pgm shots/a.pgm
cp rgb.ppm shots/.hidden.ppm
cp rgb.ppm shots/._a.ppm
ln -s ../rgb.ppm shots/linked.ppm
ln -s nowhere shots/broken.ppm
mkfifo shots/pipe.ppm
mkdir shots/folder.ppm
expect 0 -ImgDir shots -OutFor j2k
for name in pipe folder; do
    warns "shots/$name.ppm: skipped: not a regular file"
done
warns 'shots/broken.ppm: skipped'
warns 'shots: 2 files skipped: the name begins with a dot'
[ -s shots/a.j2k ] && [ -s shots/linked.j2k ] || fail '-ImgDir: a picture is missing'
absent shots/.hidden.j2k
rm -f shots/*.j2k
# A link at the place of an output leads to a picture of the folder.
ln -s linked.ppm shots/a.j2k
expect_err 1 'shots/a.j2k: is the input shots/linked.ppm itself' -ImgDir shots -OutFor j2k --force
same safe/rgb.ppm rgb.ppm
rm -f shots/*.j2k
expect_err 4 'is the picture shots/a.pgm or its output' -ImgDir shots -OutFor j2k --trace shots/a.pgm --force
expect_err 4 'has the name of a picture' -ImgDir shots -OutFor j2k --trace shots/a.j2k --force
same safe/grey.pgm shots/a.pgm
absent shots/a.j2k

# ---- Reports that are lost --------------------------------------------------------------------------------------------

if [ -c /dev/full ]; then
    for style in '' --json; do
        rm -f full.j2k
        checks=$((checks + 1))
        # shellcheck disable=SC2086
        "$wavelane" -i grey.pgm -o full.j2k $style >/dev/full 2>err
        [ $? -eq 7 ] || fail "a report that cannot be written ends with another code than 7 ($style)"
        warns 'standard output: the report cannot be written (No space left on device); the pictures are complete'
        "$wavelane" verify full.j2k >out 2>&1 || fail 'the file is not whole'
    done
    for style in --explain --dry-run; do
        checks=$((checks + 1))
        "$wavelane" -i grey.pgm $style >/dev/full 2>err
        [ $? -eq 4 ] || fail "$style, which only prints, ends with another code than 4 where it cannot"
    done
    expect_err 7 '--trace /dev/full: cannot be written' -i grey.pgm -o full.j2k --force --trace /dev/full
fi

# ---- Signals ----------------------------------------------------------------------------------------------------------

# ends_soon CODE SIGNAL WHAT: the child ends within ten seconds, which are many on a quiet machine.
ends_soon() {
    checks=$((checks + 1))
    kill -"$2" $child 2>/dev/null
    left=200
    while [ $left -gt 0 ] && kill -0 $child 2>/dev/null; do
        sleep 0.05
        left=$((left - 1))
    done
    [ $left -gt 0 ] || fail "$3: SIG$2 does not end it"
    kill -KILL $child 2>/dev/null
    wait $child
    code=$?
    [ $code -eq "$1" ] || fail "$3: exit $code instead of $1 after SIG$2"
    no_leftovers "$3"
}

head -c 6000000 /dev/urandom >noise.raw
head -c 2000000 noise.raw >little.raw
mkdir stop
mkfifo silent.pgm full
exec 3<>full
"$wavelane" -i - -o stop/a.j2k <full >out 2>err & # it is open for writing too
child=$!
sleep 0.2
ends_soon 130 TERM 'reading a pipe'
# Nobody ever writes to silent.pgm: opening it waits.
for signal in TERM INT; do
    "$wavelane" -i silent.pgm -o stop/a.j2k --trace stop/trace.json >out 2>err &
    child=$!
    sleep 0.2
    ends_soon 130 $signal 'opening a pipe'
done
# Several pictures at a time, of which each waits to print.
mkdir many
for i in 1 2 3 4 5 6; do
    cp grey.pgm many/$i.pgm
done
dd if=/dev/zero of=full oflag=nonblock bs=4096 count=1000 2>/dev/null # until nothing more fits
# With ThreadSanitizer _exit() flushes standard output, and waits for the thread that writes to it (.ci/thread).
flushes=${WVL_TEST_EXIT_FLUSHES:-}
[ -z "$flushes" ] || echo 'skipped: three signals while standard output is full'
if [ -z "$flushes" ]; then
    "$wavelane" -i - -o - <little.raw --input-format raw -F 1000,2000,1,8,u >full 2>err &
    child=$!
    sleep 0.4
    ends_soon 130 QUIT 'writing to a pipe that nobody empties'
    "$wavelane" -ImgDir many -OutFor jp2 --pictures 3 >full 2>err &
    child=$!
    sleep 0.4
    ends_soon 130 TERM 'a folder whose reports nobody reads'
fi
# A picture that waits for its turn lets another begin: the third one is there before the first, which takes long.
mkdir turns
{ printf 'P5\n2000 3000\n255\n' && cat noise.raw; } >turns/1.pgm
cp grey.pgm turns/2.pgm && cp grey.pgm turns/3.pgm
expect 0 -ImgDir turns -OutFor j2k --pictures 2 --quiet
checks=$((checks + 1))
[ turns/3.j2k -ot turns/1.j2k ] || fail 'the third picture of a folder waited for the first'
# Outputs that nobody opens for reading.
mkfifo unread.j2k
"$wavelane" -i grey.pgm -o unread.j2k --trace stop/trace.json >out 2>err &
child=$!
sleep 0.4
ends_soon 130 TERM 'opening a pipe as output'
[ -z "$(ls -A stop)" ] || fail "opening a pipe as output: $(ls -A stop) is left"
for command in info verify; do
    "$wavelane" $command silent.pgm >out 2>err &
    child=$!
    sleep 0.2
    ends_soon 143 TERM "$command, opening a pipe"
done
if [ -z "$flushes" ]; then
    "$wavelane" -i grey.pgm -o stop/a.j2k --explain >full 2>err &
    child=$!
    sleep 0.4
    ends_soon 130 HUP 'a report that nobody reads'
fi
if "$wavelane" --version | grep -q OpenJPEG; then
    # How long it takes here, without a signal, says when the signals come. On a busy machine the first ones come before OpenJPEG begins;
    # where the machine turns quiet, the last ones come too late.
    begin=$(date +%s%N)
    "$wavelane" -i noise.raw -F 2000,3000,1,8,u -o stop/noise.j2k --verify --trace stop/trace.json >out 2>err || fail 'a check that no signal ends'
    whole=$((($(date +%s%N) - begin) / 1000000))
    in_time=0
    for share in 25 45 60 75; do
        rm -f stop/*
        "$wavelane" -i noise.raw -F 2000,3000,1,8,u -o stop/noise.j2k --verify --trace stop/trace.json >out 2>err &
        child=$!
        sleep "$(printf '%d.%03d' $((whole * share / 100000)) $((whole * share / 100 % 1000)))"
        if kill -0 $child 2>/dev/null; then
            ends_soon 130 TERM "checking with OpenJPEG, after $share of 100 of $whole ms"
            [ -z "$(ls -A stop)" ] || fail "checking with OpenJPEG: $(ls -A stop) is left"
            in_time=$((in_time + 1))
        else
            wait $child || fail "checking with OpenJPEG: exit $? without a signal"
        fi
    done
    [ $in_time -ge 2 ] || fail "only $in_time of 4 signals came in time"
    rm -f stop/*
fi
for signal in HUP QUIT INT TERM; do
    "$wavelane" -i noise.raw -F 2000,3000,1,8,u -o stop/noise.j2k --threads 1 -M 63 --psnr 38 --trace stop/trace.json >out 2>err &
    child=$!
    sleep 0.3
    ends_soon 130 $signal 'encoding'
    [ -z "$(ls -A stop)" ] || fail "encoding, SIG$signal: $(ls -A stop) is left"
done
# nohup(1): SIGHUP is ignored from the beginning.
(trap '' HUP && exec "$wavelane" -i little.raw -F 1000,2000,1,8,u -o stop/noise.j2k --threads 1 -M 63 >out 2>err) &
child=$!
sleep 0.1
kill -HUP $child
wait $child || fail 'nohup: SIGHUP ends the command'
[ -s stop/noise.j2k ] || fail 'nohup: no file'
exec 3>&-

end_checks
