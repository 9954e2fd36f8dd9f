#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wavelane sequence: which files a run may replace, what it reads without end, options without effect, warnings.
#   test_sequence_files.sh WAVELANE
set -u
. "$(dirname "$0")/../support/shell.sh"
. "$(dirname "$0")/../support/sequence.sh"
open_command "$1"

run_command() { timeout 60 "$wavelane" "$@"; }
# stays FILE: it is what it was when `keep FILE` was called.
keep() { cp "$1" "kept.$(basename "$1")"; }
stays() { cmp -s "$1" "kept.$(basename "$1")" || fail "$1 was changed"; }

frames in 6 40 30
mkdir one
for file in in/*.ppm; do
    "$wavelane" -i "$file" -o "one/$(basename "$file" .ppm).j2c" --quiet || fail "$file"
done
cat one/*.j2c >all.j2c

# ---- Files that were there: not by a first run, and not by a second one ------------------------------------------------

echo mine >d.j2c
keep d.j2c
for times in 1 2; do
    expect_err 4 'd.j2c: exists; --force replaces it' sequence in d.j2c
    stays d.j2c
done
rm d.j2c
echo mine >d.j2c.index
keep d.j2c.index
for times in 1 2; do
    expect_err 4 'd.j2c.index: exists; --force replaces it' sequence in d.j2c
    stays d.j2c.index
    absent d.j2c
done
expect 0 sequence in d.j2c --force
cmp -s d.j2c all.j2c || fail '--force: other bytes'
expect_out 0 '0 encoded, 6 kept' sequence in d.j2c

# ---- The journal of an earlier version ---------------------------------------------------------------------------------

# Programs that wrap all files of a folder see frames alone. The old name is found once, and is gone then.
expect 0 sequence in wrapped/
[ "$(ls wrapped)" = "$(ls one)" ] || fail "among the frames: $(ls wrapped)"
expect 0 sequence in/f.%04d.ppm wrapped/g.%04d.j2c --frames 0-5
[ -s wrapped/.g.journal ] || fail 'the journal of a pattern'
rm wrapped/.g.journal wrapped/g.*
mv wrapped/.wavelane.journal wrapped/wavelane.journal
expect_out 0 '6 frames, 6 of them complete' sequence in wrapped/ --dry-run
[ -s wrapped/wavelane.journal ] || fail '--dry-run renamed the journal'
rm wrapped/f.0002.j2c
expect_out 0 '1 encoded, 5 kept' sequence in wrapped/
[ "$(ls wrapped)" = "$(ls one)" ] || fail "among the frames of a resumed run: $(ls wrapped)"
# A link of the old name: the run goes on in the journal that it names, and the link gets the new name.
mv wrapped/.wavelane.journal elsewhere.journal
ln -s ../elsewhere.journal wrapped/wavelane.journal
rm wrapped/f.0003.j2c
expect_out 0 '1 encoded, 5 kept' sequence in wrapped/
[ "$(ls wrapped)" = "$(ls one)" ] || fail "among the frames, with a link: $(ls wrapped)"
[ "$(readlink wrapped/.wavelane.journal)" = ../elsewhere.journal ] || fail 'the link is another one'
[ "$(grep -c '^frame 3 ' elsewhere.journal)" -eq 2 ] || fail 'the journal that a link names was not continued'
echo 'a text of somebody' >wrapped/wavelane.journal
expect_out 0 '0 encoded, 6 kept' sequence in wrapped/
[ "$(cat wrapped/wavelane.journal)" = 'a text of somebody' ] || fail 'a file that is no journal was taken for one'

mkdir a
echo mine >a/f.0003.j2c
keep a/f.0003.j2c
for times in 1 2 3; do
    expect 4 sequence in a/ --pictures 1
    warns 'a/f.0003.j2c: exists, and no journal lists it as a frame of this sequence'
    stays a/f.0003.j2c
done
cmp -s a/f.0002.j2c one/f.0002.j2c || fail 'the frames before one that may not be replaced are missing'
# A range that the journal does not know yet, and every second frame of one that it knows.
mkdir b
echo mine >b/f.0001.j2c
keep b/f.0001.j2c
expect 0 sequence in/f.%04d.ppm b/ --frames 0-4x2
expect 4 sequence in/f.%04d.ppm b/ --frames 1-5x2
stays b/f.0001.j2c
rm b/f.0001.j2c
expect 0 sequence in/f.%04d.ppm b/ --frames 0-5
same b one
# Frames of a stream are claimed as they come.
frames_of_stream() {
    printf 'YUV4MPEG2 W40 H30 F25:1 Ip C444\n'
    for n in 0 1 2 3 4 5; do
        printf 'FRAME\n'
        tail -c 3600 "in/f.000$n.ppm"
    done
}
frames_of_stream >s.y4m
mkdir c
echo mine >c/s.4.j2c
keep c/s.4.j2c
for times in 1 2; do
    expect 4 sequence s.y4m c/s.%d.j2c --pictures 1
    stays c/s.4.j2c
done
rm c/s.4.j2c
expect_out 0 '2 encoded, 4 kept' sequence s.y4m c/s.%d.j2c
# What --force may replace, a later run that goes on with it may too.
mkdir f
for n in 0 1 2 3 4 5; do
    echo old >f/f.000$n.j2c
done
(ulimit -f 1 && "$wavelane" sequence in f/ --force --journal f.journal) >out 2>err
[ $? -eq 4 ] || fail 'a full disk is no failure'
expect 0 sequence in f/ --journal f.journal
same f one
# A pipe is no place for a frame.
mkdir p
mkfifo p/f.0002.j2c
for option in '' --force --skip-existing; do
    # shellcheck disable=SC2086
    expect_err 4 'p/f.0002.j2c: is not a regular file' sequence in p/ --pictures 1 $option
done
[ -p p/f.0002.j2c ] || fail 'a pipe was replaced'

# ---- Inputs, under whatever name ---------------------------------------------------------------------------------------

cp -r in safe
ls in/*.ppm >list
cp list safe.list
cp b/.wavelane.journal first.journal
cp first.journal safe.journal
ln -s in/f.0001.ppm linked
ln in/f.0002.ppm hard
ln in/f.0000.ppm x.j2c
for name in in/f.0000.ppm linked hard list; do
    for option in '' --force; do
        # shellcheck disable=SC2086
        expect_err 4 "$name: is an input" sequence @list g/ --report $name $option
    done
    expect_err 4 'in/f.0005.ppm: is an input' sequence in/f.%04d.ppm g/ --frames 0-5 --journal in/f.0005.ppm --force
done
expect 4 sequence @list g/ --journal list --force
expect 4 sequence in g/ -I --statistics first.journal --bits-per-second 400000 --report first.journal --force
warns 'first.journal: is an input'
expect_err 4 'x.j2c: is an input' sequence in x.j2c --force
expect 4 sequence s.y4m g/ --report s.y4m --force
filter 4 sequence - g/ --report s.y4m --force <s.y4m
warns 's.y4m: is an input'
echo '<a/>' >note.xml
expect 4 sequence in h/ -OutFor jp2 --xml note.xml --report note.xml --force
# The output of one frame is the input of another one.
mkdir turn
cp in/f.0000.ppm turn/1.j2c
cp in/f.0001.ppm turn/0.j2c
keep turn/1.j2c
keep turn/0.j2c
printf 'turn/1.j2c\nturn/0.j2c\n' >turns
expect_err 4 'turn/0.j2c: is an input' sequence @turns turn/%d.j2c --force --pictures 1
stays turn/1.j2c
stays turn/0.j2c
diff -r in safe >differences || fail 'an input was changed'
cmp -s list safe.list && cmp -s first.journal safe.journal || fail 'a list or a journal was changed'
frames_of_stream | cmp -s - s.y4m || fail 'the stream was changed'
[ "$(cat note.xml)" = '<a/>' ] || fail 'the content of a box was changed'

# ---- Journals and reports ----------------------------------------------------------------------------------------------

expect_err 4 'k.j2c: is the output too' sequence in k.j2c --journal k.j2c
expect_err 4 'is the output too' sequence in k.j2c --report ./k.j2c
expect_err 4 'is the report too' sequence in k.j2c --report r --journal r
for what in report journal; do
    expect_err 4 'k.j2c.index: is the index of k.j2c' sequence in k.j2c --$what k.j2c.index
done
absent k.j2c
# A report or journal never takes the place of a frame, of this run or of another one.
expect 0 sequence in l/
for name in l/f.0001.j2c l/f.0999.j2c elsewhere.JP2 linked.frame; do
    ln -sf l/f.0001.j2c linked.frame
    for what in report journal; do
        for option in '' --force --skip-existing; do
            # shellcheck disable=SC2086
            expect_err 4 "--$what $name: has the name of a picture" sequence in l/ --$what $name $option
        done
    done
done
same l one
expect 0 sequence in l2/ --shard 1/2 --quiet
for option in '' --force; do
    # shellcheck disable=SC2086
    expect 4 sequence in l2/ --shard 2/2 --report l2/.wavelane.1-of-2.journal $option
    warns 'is the journal of a sequence; name another file'
done
rm -r l l2
mkfifo pipe
for name in pipe /dev/zero /dev/null; do
    expect_err 4 "$name: is not a regular file" sequence in k/ --journal $name
done
echo mine >report
expect_err 4 'report: exists; --force replaces it' sequence in l/ --report report
[ "$(cat report)" = mine ] || fail 'a file in the place of a report was replaced'
expect 4 sequence in l/ --report nowhere/report
expect 0 sequence in l/ --report report --force
tail -1 report | grep -q '"summary"' || fail 'the report is not complete'
expect 0 sequence in l/ --report report
counted kept 6 report
# Where nothing begins, no report is left; where frames fail, it names them.
expect 2 sequence in l/ --report new -I
absent new
cp -r in bad
head -c 100 in/f.0002.ppm >bad/f.0002.ppm
expect 3 sequence bad m/ --report new --pictures 1
grep -q '"status":"failed","exit_code":3' new || fail 'the report does not name the frame that failed'
tail -1 new | grep -q '"exit_code":3' || fail 'the report of a run that failed is not complete'
if [ -c /dev/full ]; then
    expect_err 7 '--report /dev/full: cannot be written; the frames are complete' sequence in n/ --report /dev/full
fi
find . -name '.*.??????' | grep . && fail 'temporary files are left'

# ---- What does not end, and memory -------------------------------------------------------------------------------------

# A device in the place of a frame: it does not begin like a picture, and is left after 64 KiB.
ln -s /dev/zero zero.ppm
echo zero.ppm >zeros
(ulimit -v 1000000 && exec timeout 30 "$wavelane" --version) >out 2>&1 && limit='ulimit -v 1000000' || limit=:
(eval "$limit" && exec timeout 30 "$wavelane" sequence @zeros zero.j2c) >out 2>err
[ $? -eq 3 ] || fail 'an endless device as a frame does not end with 3'
warns 'zero.ppm: format not recognised'
warns 'the rest is not read'

# Files beside a picture are read too.
for sidecar in o.pgw o.png.aux.xml; do
    mkdir beside
    mkfifo beside/$sidecar
    printf 'P5\n4 4\n255\nabcdabcdabcdabcd' >beside/o.png
    expect_err 0 'cannot be read' -i beside/o.png -o beside/o.jp2
    rm beside/o.jp2
    expect 0 -ImgDir beside -OutFor jp2
    expect 0 sequence beside beside.out/ -OutFor jp2
    rm -r beside beside.out
done
printf 'YUV4MPEG2 W60000 H40000 F25:1 C444\nFRAME\nab' >huge.y4m
for option in '' '--on-error skip' '--on-error black'; do
    # shellcheck disable=SC2086
    (ulimit -v 3000000 && exec "$wavelane" sequence huge.y4m huge.j2c $option) >out 2>err
    code=$?
    if [ $code -ne 5 ]; then # a build that cannot live with the limit ends otherwise
        (ulimit -v 3000000 && exec "$wavelane" --version) >out 2>&1 && fail "exit $code instead of 5: a frame for which memory is short $option"
    else
        grep -qF 'frame 0: not enough memory for 7200000000 bytes' err || fail 'the frame that lacks memory is not named'
    fi
done

# ---- Options without effect --------------------------------------------------------------------------------------------

refuse() { # WORDS ARGUMENTS...
    words=$1
    shift
    expect_err 2 "$words" sequence "$@"
}
refuse '--lag needs --bits-per-second or --bucket-bits' in q/ --lag 3
refuse '--fps needs --bits-per-second or --bucket-bits' in q/ --fps 25
refuse 'standard output has no journal' in - --journal j
refuse 'standard output has no journal' in - --sizes-only
refuse '--dry-run encodes none' in q/ --dry-run --report r
refuse '--dry-run encodes none' in q/ --dry-run --log
refuse 'would share standard output' in q/ --report - --log
refuse '--quiet and --progress plain cannot be used together' in q/ --quiet --progress plain
for option in frames shard on-error timeout journal report progress fps bits-per-second bucket-bits bucket-bits-per-second lag statistics threads levels; do
    refuse 'its value is empty' in q/ --$option ''
    refuse 'its value is empty' in q/ --$option=
done
refuse '--max-input-bytes does not apply to streams' s.y4m q/ --max-input-bytes 100000
absent q
expect_err 0 '--timeout had no effect' sequence in q/ --timeout 5
filter 0 sequence - r/ --timeout 5 <s.y4m
warns '--timeout had no effect'
# shellcheck disable=SC2002
cat s.y4m | filter 0 sequence - r2/ --timeout 60
[ ! -s err ] || fail 'a stream from a pipe has a time limit, and no warning is due'

# ---- Warnings: once a run, and in the report ---------------------------------------------------------------------------

mkdir orient
for n in 0 1 2; do
    python3 - orient/$n.tif <<'PY'
import struct, sys
fields = [(256, 3, 1, 4), (257, 3, 1, 2), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8), (274, 3, 1, 6), (277, 3, 1, 1), (278, 3, 1, 2), (279, 4, 1, 8)]
data = b"II*\0" + struct.pack("<I", 16) + b"abcdefgh" + struct.pack("<H", len(fields)) + b"".join(struct.pack("<HHII", *f) for f in fields) + bytes(4)
open(sys.argv[1], "wb").write(data)
PY
done
for pictures in 1 3; do
    expect 0 sequence orient turned$pictures/ --report warned --pictures $pictures
    [ "$(grep -c 'orientation 6 is not applied' err)" -eq 2 ] || fail 'a warning of several frames is not printed once, with a count'
    [ "$(grep -c '"warnings":\["orientation 6' warned)" -eq 3 ] || fail 'the report has not the warnings of each frame'
done
# A file of all frames loses none of them to a run with other ones.
expect 0 sequence in kept.j2c --frames 0-3 --quiet
cp kept.j2c kept.before
cp kept.j2c.index index.before
refuse_kept() {
    expect 4 sequence in kept.j2c --frames "$1" --quiet
    warns "kept.j2c: holds $2 frames that do not belong to this run (the first: $3)"
    cmp -s kept.j2c kept.before && cmp -s kept.j2c.index index.before || fail "--frames $1: a file that was refused is another one"
}
refuse_kept 3-3 3 0
refuse_kept 0-1 2 2
refuse_kept 0-3x2 2 1
expect_out 0 '1 encoded, 4 kept' sequence in kept.j2c --frames 0-4
expect 0 sequence in kept.j2c --frames 1-1 --force --quiet
[ "$(wc -l <kept.j2c.index)" -eq 1 ] || fail '--force does not write one file anew'

# With rate control in one pass the limit of a frame follows from those before it: they belong to the parameters.
expect 0 sequence in limited/ -I --bits-per-second 200000 --frames 0-4 --quiet
expect 2 sequence in limited/ -I --bits-per-second 200000 --frames 2-4 --quiet
warns 'was begun with other parameters (there "rate from frame 0, every 1", now "rate from frame 2, every 1")'
expect_out 0 '1 encoded, 5 kept' sequence in limited/ -I --bits-per-second 200000 --frames 0-5

# OUT is the same folder with a slash behind it.
mkdir slash
expect 0 sequence in slash --frames 0-1 --quiet
expect_out 0 '0 encoded, 2 kept' sequence in/ slash/ --frames 0-1

# A stream that ends behind its header; errors of frames behind the one that ended the run.
head -c 40 s.y4m | head -1 >none.y4m
expect_err 3 'none.y4m: ends before the first frame of this run' sequence none.y4m none/
mkdir nothing
for n in 0 1 2 3 4 5; do
    echo nothing >"nothing/f.$n.ppm"
done
expect 3 sequence nothing worse/ --pictures 4 --threads 4
[ "$(grep -c 'nothing/f\.' err)" -le 2 ] && ! grep -q 'nothing/f\.[1-5]' err || fail 'errors of frames behind the one that ended the run'
expect_err 3 'is YUV4MPEG2, a sequence of frames; wavelane sequence reads it' -i s.y4m -o s.jp2

# The range that a stream says: black is 16, white 235.
{ printf 'YUV4MPEG2 W4 H2 F25:1 Ip C444 XCOLORRANGE=LIMITED\nFRAME\n\020\353\020\353\020\353\020\353'; printf '\200%.0s' 1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8; } >limited.y4m
expect 0 sequence limited.y4m video/ -OutFor jp2 --ycc-to-rgb --quiet
[ ! -s err ] || fail 'limited range: a warning, although it is converted'
if part opj_decompress; then
    opj_decompress -i video/000000.jp2 -o video.ppm >out 2>&1
    [ "$(tail -c 24 video.ppm | od -An -v -tu1 | tr -s ' \n' ' ')" = "$(printf ' 0 0 0 255 255 255%.0s' 1 2 3 4) " ] || fail 'limited range: black and white are others'
fi
expect 0 sequence limited.y4m video2/ -OutFor jp2
warns 'the samples have the limited range of video, but sYCC in JP2 and JPH files has the full range'
expect 0 sequence limited.y4m video3/ --quiet
[ ! -s err ] || fail 'limited range: a codestream says nothing of its range'
sed 's/ XCOLORRANGE=LIMITED//' limited.y4m >full.y4m
expect 0 sequence full.y4m video4/ -OutFor jp2 --quiet
[ ! -s err ] || fail 'full range: a warning'

sed 's/Ip/It/' s.y4m >interlaced.y4m
expect 0 sequence interlaced.y4m interlaced/ --report warned
expect 0 sequence interlaced.y4m interlaced2/ --report -
python3 -c 'import json; [json.loads(line) for line in open("out")]' || fail 'the report on standard output is not JSON lines'
tail -1 warned | grep -q '"warnings":\["interlaced.y4m: the frames are interlaced' || fail 'the report has no warnings of the run'
head -1 warned | grep -q '"warnings":\[\]' || fail 'a frame has the warnings of the run'

end_checks
