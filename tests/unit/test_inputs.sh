#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the command makes of pages, channels, YCbCr and floating point: its files decode to what the options promise.
#   test_inputs.sh WAVELANE
set -u
folder=$(cd "$(dirname "$0")" && pwd)
. "$folder/../support/shell.sh"
open_command "$1"
python3 "$folder/make_inputs.py" . || exit 1

# is EXPECTED OPTIONS...: a lossless file of these options is the expected picture.
"$wavelane" --version >out
can_decode=0
! grep -q OpenJPEG out || can_decode=1
exact() { # file, how its original is read
    expect 0 verify "$@"
    grep -q '^ *exact yes' out || fail "the samples differ: verify $*"
}
is() { # expected options...
    wanted_picture=$1
    shift
    rm -f made.j2k
    expect 0 -o made.j2k --quiet "$@"
    [ $can_decode = 0 ] || exact made.j2k --original "$wanted_picture"
}

# ---- Pages -------------------------------------------------------------------------------------

expect 0 -i rgb.ppm -o rgb.jp2 --quiet
expect 0 -i pages.tif -o page.j2k --pages all
for page in 0 1 2; do
    [ $can_decode = 0 ] || exact page-$page.j2k --original pages.tif --page $page
done
expect 0 -i pages.tif -o 'p%03d.jp2' --pages 0,2
[ -e p000.jp2 ] && [ -e p002.jp2 ] || fail 'p000.jp2 or p002.jp2 is missing'
absent p001.jp2
expect_out 0 '"output":"q1.jp2"' -i pages.tif -o 'q%d.jp2' --pages 1-2 --json
says '"output":"q2.jp2"'
! grep -q 'left out' out err || fail 'a note about other pages'
expect_err 1 'q1.jp2: exists; --force replaces it' -i pages.tif -o 'q%d.jp2' --pages 0-1
warns '1 of 2 pages failed'
[ -e q0.jp2 ] || fail 'q0.jp2 is missing'
expect_err 3 'page 3 does not exist; the file has pages 0 to 2' -i pages.tif -o x.jp2 --pages 1-3
expect 0 -i grey.pgm -o one.j2k --pages all
[ -e one-0.j2k ] || fail 'one-0.j2k is missing'
for list in 2-1 1,1 1, ,1 a 1-2-3 1-- ''; do
    expect 2 -i pages.tif -o x.jp2 --pages "$list"
done
expect 2 -i pages.tif -o x.jp2 --pages all --page 1
expect 2 -i - -o x.jp2 --pages all
expect 2 -ImgDir . -OutFor jp2 --pages all
expect 2 -i pages.tif -o - --pages all
expect_err 1 'bad_page.tif: page 1: TIFF: ' -i bad_page.tif -o 'b%d.j2k' --pages all
[ -e b0.j2k ] || fail 'b0.j2k is missing'

# A trace never takes the place of a picture, of this run or of another one.
echo mine >t2.j2k
ln -s t2.j2k trace.link
for place in t0.j2k t2.j2k other.JPH trace.link; do
    expect 4 -i pages.tif -o 't%d.j2k' --pages all --trace $place --force
    warns "--trace $place: has the name of a picture"
    [ "$(find . -name 't?.j2k' | wc -l)" -eq 1 ] && [ "$(cat t2.j2k)" = mine ] || fail 'a picture was written or replaced'
done
rm t2.j2k

# ---- Options that some pictures have no use for ------------------------------------------------

# A folder, a sequence or pages may be mixed; that nobody used the option is said once, at the end.
mkdir mixed plain damaged
cp rgb.ppm rgba.pam ramp.pfm mixed
cp rgb.ppm grey.pgm plain
echo P6 >damaged/a.ppm
cp damaged/a.ppm damaged/b.ppm
for options in '--drop-alpha --float-transfer linear' '--ycc-to-rgb --float-transfer linear --drop-alpha'; do
    # shellcheck disable=SC2086
    expect 0 sequence mixed mixed-out/ --force $options
    [ "$(find mixed-out -name '*.j2c' | wc -l)" -eq 3 ] || fail 'a frame of a mixed folder is missing'
    ! grep -q -e '--drop-alpha had no effect' -e '--float-transfer had no effect' err || fail 'a warning about an option that a frame used'
done
warns 'mixed: --ycc-to-rgb had no effect; it needs a picture in YCbCr, and none of the inputs is one'
expect_err 0 'plain: --drop-alpha had no effect' sequence plain plain-out/ --drop-alpha
[ "$(grep -c 'had no effect' err)" -eq 1 ] || fail 'more than one warning'
expect 0 sequence plain plain-out/ --drop-alpha
! grep -q 'had no effect' err || fail 'a warning about frames that were kept'
expect 0 -ImgDir mixed -OutFor jp2 -o mixed-out --drop-alpha --float-transfer linear
expect_err 0 'pages.tif: --drop-alpha had no effect' -i pages.tif -o 'z%d.j2k' --pages all --drop-alpha
[ "$(grep -c 'had no effect' err)" -eq 1 ] || fail 'more than one warning for pages'
rm z?.j2k
expect 2 -i rgb.ppm -o x.j2k --drop-alpha
# Of pictures that nobody could read, nothing is known; why they failed is said once.
expect 1 -ImgDir damaged -OutFor j2k
! grep -q 'had no effect' err || fail 'a warning about an option that nobody gave'
says '2 pictures: 0 encoded, 2 failed (2: the input is refused)'
expect_out 1 '"summary":{' -ImgDir damaged -OutFor j2k --json
says '"input":2'
expect 1 sequence damaged damaged-out/ --on-error skip --drop-alpha
! grep -q 'had no effect' err || fail 'a warning about an option of frames that were not read'

# ---- Thumbnails, pyramids, masks ---------------------------------------------------------------

# A thumbnail that comes first is not the picture where it is clear which other one is, through pipes too.
tells() { # the expected picture, what is told, options...
    wanted_picture=$1
    told=$2
    shift 2
    expect 0 -o made.j2k --force "$@"
    if [ "$told" ]; then warns "$told"; else ! grep -q warning err || fail "a warning: $*"; fi
    [ $can_decode = 0 ] || exact made.j2k --original "$wanted_picture"
}
for input in thumbnail.tif thumbnail_be.tif thumbnail_page.tif old_thumbnail.tif silent_thumbnail.tif; do
    tells big.pgm ' of 9 x 8 is read (--page chooses); left out: ' -i $input
    tells small.pgm "$([ $input = thumbnail.tif ] || [ $input = thumbnail_be.tif ] && echo 'orientation 6')" -i $input --page 0
    filter 0 -i - -o made.j2k --force <$input
    warns 'standard input: page '
    [ $can_decode = 0 ] || exact made.j2k --original big.pgm
done
tells big.pgm 'orientation 6' -i thumbnail.tif --page 0.0
tells big.pgm '' -i silent_thumbnail.tif --page 0.0
expect_err 3 'page 0.1 does not exist' -i thumbnail.tif -o x.j2k --page 0.1
for word in 0. .1 0.1.2 0-1 1,2 ''; do
    expect 2 -i thumbnail.tif -o x.j2k --page "$word"
done
expect 0 -i thumbnail.tif -o made.jp2
grep -q 'Ada' made.jp2 || fail 'the artist of the page is not in the picture of its SubIFD'
# Pages that do not say what they are: the first counts, and a larger one is named.
tells small.pgm 'page 0 of 4 x 3 is read (--page chooses); left out: 3 pages (the largest is page 2 of 9 x 8)' -i small_first.tif
expect 3 -i unclear.tif -o x.j2k
warns 'choose one of the pages with --page: 0 (reduced, 4 x 3), 0.0 (reduced, 2 x 2), 0.1 (full, 9 x 8), 1 (full, 9 x 8)'
tells big.pgm '' -i unclear.tif --page 0.1
expect_err 3 '0 (reduced, 4 x 3), and what cannot be read' -i lost_sub.tif -o x.j2k
expect_err 3 '0 (reduced, 4 x 4), 1 (reduced, 2 x 2)' -i overviews.tif -o x.j2k
tells big.pgm 'the only page is marked as reduced picture' -i overview.tif
tells big.pgm 'left out: 2 reduced pictures, 1 mask' -i pyramid.tif
tells big.pgm 'left out: 1 page, 1 reduced picture' -i sub_pyramid.tif
tells big.pgm 'left out: 1 page' -i loop.tif
expect 0 -i loop.tif -o 'loop%d.j2k' --pages all --quiet
absent loop2.j2k

# All pages are the full ones; a list may name the others.
expect_err 0 '3 reduced pictures and masks are left out' -i pyramid.tif -o 'pyramid%d.j2k' --pages all
absent pyramid1.j2k
expect 0 -i unclear.tif -o 'all%02d.j2k' --pages all --quiet
[ -e all00.1.j2k ] && [ -e all01.j2k ] || fail 'all00.1.j2k or all01.j2k is missing'
absent all00.j2k
expect 0 -i unclear.tif -o 'some%d.j2k' --pages 0,0.1,1 --quiet
[ -e some0.j2k ] && [ -e some0.1.j2k ] && [ -e some1.j2k ] || fail 'a page of the list is missing'
expect_err 3 'all 2 pages are marked as reduced pictures or masks' -i overviews.tif -o 'x%d.j2k' --pages all
for list in 0.1,0 0.1,0.1 0.-1 0.0-1; do
    expect 2 -i unclear.tif -o x.j2k --pages "$list"
done
expect 0 sequence pyramid.tif 'frame%d.j2c' --quiet
absent frame1.j2c
expect 0 sequence thumbnail.tif 'sub%d.j2c' --quiet
[ $can_decode = 0 ] || exact sub0.j2c --original big.pgm
mkdir thumbnails
cp thumbnail.tif unclear.tif thumbnails
expect_err 1 'unclear.tif: TIFF: the first page is no full picture' -ImgDir thumbnails -OutFor j2k
[ $can_decode = 0 ] || exact thumbnails/thumbnail.j2k --original big.pgm

# ---- Sparse TIFF -------------------------------------------------------------------------------

# Blocks that the file leaves out are GDAL_NODATA where that can be a sample, else 0; whole and by rows.
for picture in sparse_tiles.pgm sparse_rgb.ppm sparse_planes.ppm sparse_white.pgm sparse_unfit.pgm sparse_signed.pgx; do
    tells $picture 'are not in the file (sparse): their samples are ' -i ${picture%.*}.tif
    tells $picture '(sparse)' -i ${picture%.*}.tif --memory 16M
done
tells sparse_float.pgm '(sparse): their samples are 1' -i sparse_float.tif --float-transfer linear --float-range 0,1
expect_err 0 '2 of 3 strips' -i sparse_ycc.tif -o made.j2k --force
[ $can_decode = 0 ] || exact made.j2k --original sparse_ycc.yuv -F 20,20,3,8,u@1x1:2x2:2x2

# A last strip that holds more rows than the picture.
is padded.pgm -i padded.tif
is padded.pgm -i padded.tif --memory 16M

# ---- Pipes -------------------------------------------------------------------------------------

# A named pipe, as <(...) makes one, and /dev/stdin give the bytes that the file gives: each is opened once.
mkfifo pipe pipe.tga
for input in pages.tif rgb.ppm rgba.pam signed.pgx ramp.pfm tagged.png palette.bmp marked.jpg half.exr frame.dpx picture.tga rgb.jp2; do
    float=
    case $input in half.exr | ramp.pfm) float='--float-transfer linear' ;; esac
    name=pipe
    [ $input != picture.tga ] || name=pipe.tga
    "$wavelane" -i $input -o plain.jp2 --force --quiet $float 2>err </dev/null || continue # a build without its library
    for from in $name /dev/stdin -; do
        [ $from$input != -picture.tga ] && [ $from$input != /dev/stdinpicture.tga ] || continue
        rm -f made.jp2
        if [ $from = $name ]; then
            timeout 20 sh -c 'cat "$1" >"$2" & exec "$3" -i "$2" -o made.jp2 --quiet $4' - $input $name "$wavelane" "$float" >out 2>err </dev/null
        else
            timeout 20 cat $input | timeout 20 "$wavelane" -i $from -o made.jp2 --quiet $float >out 2>err
        fi
        cmp -s plain.jp2 made.jp2 || fail "$input through $from gives other bytes, or none"
        checks=$((checks + 1))
    done
done
expect_err 2 '--pages needs a single -i that is a file' -i pipe -o x.jp2 --pages all

# ---- Channels ----------------------------------------------------------------------------------

is red.pgm -i rgba.pam --channels 0
is rgb.ppm -i rgba.pam --channels 0,1,2
is bgr.ppm -i rgba.pam --channels 2,1,0
is rgb.ppm -i rgba.pam --drop-alpha
expect 0 -i rgba.pam -o made.j2k --force --quiet --channels 1
[ $can_decode = 0 ] || exact made.j2k --original rgba.pam --channels 1
expect_err 3 'channel 4 does not exist; the picture has channels 0 to 3' -i rgba.pam -o x.j2k --channels 4
expect_err 2 '--drop-alpha needs a picture with an alpha channel, and the input is PNM' -i rgb.ppm -o x.j2k --drop-alpha
expect 2 -i rgba.pam -o x.j2k --drop-alpha --channels 0
for list in '' 0, ,0 a 0,,1 -1 16384; do
    expect 2 -i rgba.pam -o x.j2k --channels "$list"
done

# ---- YCbCr -------------------------------------------------------------------------------------

is grey_rgb.ppm -i neutral.yuv -F 6,4,3,8,u@1x1:2x2:2x2 --ycc-to-rgb
expect_err 2 '--ycc-to-rgb needs a picture in YCbCr, and the input is PNM' -i rgb.ppm -o x.j2k --ycc-to-rgb

# Presets for files that many programs are to read warn of subsampled YCbCr, which several of them do not read.
for preset in archive-lossless iiif-lossless; do
    expect_err 0 '--ycc-to-rgb converts them to RGB' -i sparse_ycc.tif -o ycc.jp2 --force --preset $preset
done
expect 0 -i sparse_ycc.tif -o ycc.jp2 --force --preset archive-lossless --ycc-to-rgb
! grep -q 'remain subsampled' err || fail 'a warning though the picture becomes RGB'
expect 0 -i sparse_ycc.tif -o ycc.jp2 --force
! grep -q 'remain subsampled' err || fail 'a warning without a preset'

# ---- Floating point ----------------------------------------------------------------------------

is ramp.pgm -i ramp.pfm --float-transfer linear --float-range 0,1
expect 0 -i ramp.pfm -o made.j2k --force --float-transfer log --float-range auto
says '--float-transfer log --float-range 0.25,1'
expect 0 -i ramp.pfm -o made.j2k --force --float-transfer pq --json
says '"floating_point":{"transfer":"pq","low":"0","high":"1"}'
expect_err 3 '--float-transfer linear, log or pq makes 16-bit integers of the samples' -i ramp.pfm -o x.j2k
expect 2 -i ramp.pfm -o x.j2k --float-range 0,1
expect 2 -i ramp.pfm -o x.j2k --float-transfer log --float-range 0,1
expect 2 -i rgb.ppm -o x.j2k --float-transfer log
for range in 1,0 1 a,b 0,nan 0,inf ''; do
    expect 2 -i ramp.pfm -o x.j2k --float-transfer linear --float-range "$range"
done

# ---- JPEG --------------------------------------------------------------------------------------

if "$wavelane" -i grey.jpg -o probe.j2k --quiet 2>err; then
    is flat.ppm -i flat.jpg
    expect 0 -i flat.jpg -o kept.j2k --jpeg-ycc keep --quiet
    [ $can_decode = 0 ] || exact kept.j2k --original flat.yuv -F 32,16,3,8,u@1x1:2x2:2x2
    expect_err 2 '--jpeg-ycc keep needs a JPEG file in YCbCr, and the input is JPEG' -i grey.jpg -o x.j2k --jpeg-ycc keep
    expect 2 -i flat.jpg -o x.j2k --ycc-to-rgb
else
    warns 'this build cannot read JPEG: it was made without libjpeg'
fi

# ---- JPEG 2000 ---------------------------------------------------------------------------------

# again INPUT EXTENSION OPTIONS...: a file that was read and coded once more has the same bytes, boxes and all.
again() {
    again_input=$1
    again_extension=$2
    shift 2
    rm -f "first.$again_extension" "second.$again_extension"
    expect 0 -i "$again_input" -o "first.$again_extension" --quiet "$@"
    expect 0 -i "first.$again_extension" -o "second.$again_extension"
    cmp "first.$again_extension" "second.$again_extension" || fail "not the same again: $again_input $*"
}

if [ $can_decode = 1 ]; then
    again rgb.ppm jp2
    again rgb.ppm j2k
    again grey.pgm jp2
    again rgba.pam jp2
    again signed.pgx j2k
    again deep.pgm jp2
    again neutral.yuv jp2 -F 6,4,3,8,u@1x1:2x2:2x2
    again tagged.png jp2
    again rgb.ppm jp2 --xml note.xml --uuid 00112233445566778899aabbccddeeff:note.xml --xml other.xml
    expect 0 verify first.jp2 --original first.jp2
    if grep -q 'decoder OpenJPEG 2\.[5-9]' out; then
        again rgb.ppm jph
        again rgb.ppm jhc
        # A bit of MEL that cannot be there: builds of OpenJPEG that check themselves would end the process.
        { printf 'P5\n48 40\n255\n' && head -c 1920 "$wavelane"; } >bytes.pgm
        expect 0 -i bytes.pgm -o bytes.jhc --levels 1
        tried=200
        while [ $tried -lt 1200 ]; do
            cp bytes.jhc bent.jhc
            printf '\377\205' | dd of=bent.jhc bs=1 seek=$tried conv=notrunc 2>/dev/null
            "$wavelane" verify bent.jhc 2>/dev/null | grep -q ht.skipped-bit && break
            tried=$((tried + 1))
        done
        [ $tried -lt 1200 ] || fail 'no bit of MEL was found'
        expect_err 3 'damaged HT blocks: MEL has a 1 after 0xFF' -i bent.jhc -o x.jp2
        expect 3 verify bytes.jhc --original bent.jhc
        # What ends OpenJPEG ends neither the command nor a sequence.
        expect_err 3 'fatal.jhc: J2K: OpenJPEG' -i fatal.jhc -o x.jp2
        expect 3 verify bytes.jhc --original fatal.jhc
        "$wavelane" verify fatal.jhc --original bytes.pgm >out 2>err
        [ $? -eq 6 ] || fail 'a codestream that ends OpenJPEG was compared'
        cp bytes.jhc last.jhc
        printf 'bytes.jhc\nfatal.jhc\nlast.jhc\n' >hurt
        expect 1 sequence @hurt hurt-out/ --on-error skip
        [ -s hurt-out/bytes.j2c ] && [ -s hurt-out/last.j2c ] || fail 'the frames around a damaged one are missing'
        absent hurt-out/fatal.j2c
    fi
    expect 0 -i palette.bmp -o first.jp2 --force --palette indices
    expect 0 -i first.jp2 -o second.jp2 --force --palette indices
    cmp first.jp2 second.jp2 || fail 'the palette is not the same again'
    expect 0 -i first.jp2 -o expanded.j2k
    exact expanded.j2k --original palette.bmp
    expect 0 -i rgb.ppm -o placed.jp2 -d 3,5 --tile 8,8
    expect_err 0 'the image offset 3,5 is not kept; -d sets one' -i placed.jp2 -o made.j2k --force
    exact made.j2k --original rgb.ppm
    expect 0 -i rgb.ppm -o small.jp2
    bytes=$(wc -c <small.jp2)
    for cut in 1 2 5 10 50 100; do
        head -c $((bytes - cut)) small.jp2 >cut.jp2
        expect 3 -i cut.jp2 -o x.jp2
    done
    # Behind the box header of jp2c and the 45 bytes of SOC and SIZ: a codestream that ends early, in a box that agrees.
    expect 0 -i deep.pgm -o small.j2k --tile 16,16
    for cut in 1 3 30 200; do
        head -c $(($(wc -c <small.j2k) - cut)) small.j2k >cut.j2k
        expect 3 -i cut.j2k -o x.jp2
    done
    # Several codestreams, as a sequence writes them into one file.
    for input in small.j2k small.jp2; do
        cat $input $input >several
        expect_err 0 'several: the first of several codestreams is read' -i several -o made.j2k --force
        expect 0 -i $input -o made.j2k --force
        ! grep -q several err || fail 'a warning about a single codestream'
    done
    expect_err 3 '--max-pixels' -i small.j2k -o x.jp2 --max-pixels 100
    filter 0 -i - -o piped.jp2 <small.jp2
    cmp small.jp2 piped.jp2 || fail 'a pipe gives another picture'
else
    printf '\377\117\377\121' >x.j2k
    expect_err 3 'this build cannot read JPEG 2000: it was made without OpenJPEG' -i x.j2k -o y.j2k
fi

end_checks
