#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the command says and takes: raw layouts, regions, metadata that is lost, warnings and JSON, what was decided, plans, help, completion.
#   test_command.sh WAVELANE GEN_DOCS
set -u
. "$(dirname "$0")/../support/shell.sh"
gen_docs=$(CDPATH='' absolute "$2")
open_command "$1"

keeps_quiet() { ! grep -qF -- "$1" err || fail "err has \"$1\""; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }

ramp rgb.ppm P3 3 96 64
ramp grey.pgm P2 1 96 64

# ---- Raw samples: planes, or pixels ------------------------------------------------------------------------------------

# The same 8 x 4 picture as planes and as pixels, of 8 and of 16 bits (big-endian).
samples() { # bytes layout: octal escapes
    awk -v bytes="$1" -v layout="$2" 'function put(c, x, y) { if (bytes == 2) printf "\\000"; printf "\\%03o", 20 + c * 60 + x * 5 + y }
        BEGIN { if (layout == "planar") for (c = 0; c < 3; c++) for (y = 0; y < 4; y++) for (x = 0; x < 8; x++) put(c, x, y)
                else for (y = 0; y < 4; y++) for (x = 0; x < 8; x++) for (c = 0; c < 3; c++) put(c, x, y) }'
}
for bytes in 1 2; do
    # shellcheck disable=SC2059 # the samples are escapes
    { printf "$(samples $bytes planar)" >planes.raw && printf "$(samples $bytes interleaved)" >pixels.raw; }
    expect 0 -i planes.raw -F 8,4,3,$((8 * bytes)),u -o planes.j2k --force
    expect 0 -i pixels.raw -F 8,4,3,$((8 * bytes)),u --raw-layout interleaved -o pixels.j2k --force
    same planes.j2k pixels.j2k
    expect 0 -i planes.raw -F 8,4,3,$((8 * bytes)),u --raw-layout planar -o named.j2k --force
    same planes.j2k named.j2k
done
expect_err 3 '--raw-layout planar' -i pixels.raw -F 8,4,3,8,u@1x1:2x2:2x2 --raw-layout interleaved -o no.j2k
expect_err 2 'planar, interleaved' -i pixels.raw -F 8,4,3,16,u --raw-layout rows -o no.j2k
expect_err 2 '--raw-layout needs raw or YUV samples' -i rgb.ppm --raw-layout interleaved -o no.j2k

# pipe CODE BYTES: so many bytes on a pipe, for a geometry of 96.
pipe() {
    checks=$((checks + 1))
    head -c "$2" /dev/zero | "$wavelane" -i - --input-format raw -F 8,4,3,8,u -o piped.j2k --force >out 2>err
    code=$?
    [ $code -eq "$1" ] || fail "a pipe of $2 bytes: exit $code instead of $1"
}
pipe 0 96
pipe 3 95
warns 'truncated'
pipe 3 97
warns 'standard input: RAW: bytes follow the samples'
keeps_quiet 'standard input: standard input'

# ---- Regions -----------------------------------------------------------------------------------------------------------

expect_err 0 'whole component goes first' -i rgb.ppm -ROI c=1,U=1 -r 8 -o roi.j2k
expect 0 -i rgb.ppm -ROI c=1,U=1 -o roi.j2k --force
keeps_quiet 'roi:'
expect_err 0 'OpenJPEG decodes at most 31' -i rgb.ppm -ROI c=1,U=25 -mct 0 -o roi.j2k --force
expect 0 -i rgb.ppm -roi rect=0,0,20,20 -r 8 -o roi.j2k --force
keeps_quiet 'roi:'

# ---- Metadata that is lost ---------------------------------------------------------------------------------------------

byte2() { printf "\\$(printf %03o $(($1 % 256)))\\$(printf %03o $(($1 / 256)))"; }
byte4() { byte2 $(($1 % 65536)) && byte2 $(($1 / 65536)); }
field() { byte2 "$1" && byte2 "$2" && byte4 "$3" && byte4 "$4"; } # tag type count value
tiff() { # fields of 8 bits grey, 4 x 1: Artist, EXIF and GeoTIFF keys with $1 = all
    count=9
    [ "$1" != all ] || count=13
    printf 'II*\000' && byte4 12 && printf 'abcd' && byte2 $count
    field 256 3 1 4 && field 257 3 1 1 && field 258 3 1 8 && field 259 3 1 1 && field 262 3 1 1
    [ "$1" != all ] || field 270 2 4 6513249
    field 273 4 1 8 && field 277 3 1 1 && field 278 3 1 1 && field 279 4 1 4
    [ "$1" != all ] || { field 315 2 4 6513249 && field 34665 4 1 8 && field 34735 3 1 1; }
    byte4 0
}
tiff plain >plain.tif
tiff all >tagged.tif
expect 0 -i plain.tif -o plain.jp2
keeps_quiet 'metadata'
expect_err 0 'does not carry: damaged tags of EXIF' -i tagged.tif -o tagged.jp2

# Texts and EXIF of a PNG file are lost, and named; the gamma of sRGB is not worth a word, another one is.
png() { # name gamma chunk-and-content...
    python3 - "$@" <<'PY'
import struct, sys, zlib
chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
content = chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 1, 8, 0, 0, 0, 0)) + chunk(b"gAMA", struct.pack(">I", int(sys.argv[2])))
for extra in sys.argv[3:]:
    content += chunk(extra[:4].encode(), extra[4:].replace("=", "\0", 1).encode())
content += chunk(b"IDAT", zlib.compress(b"\0abcd")) + chunk(b"IEND", b"")
open(sys.argv[1], "wb").write(b"\x89PNG\r\n\x1a\n" + content)
PY
}
if part python3; then
    png texts.png 45455 tEXtWarning=a tEXtAuthor=b eXIfMM=*
    expect_err 0 'does not carry: EXIF (damaged), Warning' -i texts.png -o texts.jp2
    keeps_quiet 'gAMA'
    png linear.png 100000
    expect_err 0 'the gamma of the file, 1.00000 (gAMA), is left out' -i linear.png -o linear.jp2
    keeps_quiet 'metadata'
fi

# ---- Warnings: once a run, in the report, never inside it --------------------------------------------------------------

mkdir many
for i in 1 2 3 4 5; do
    cp tagged.tif many/$i.tif
done
cp tagged.tif many/.hidden.tif
for pictures in 1 3; do
    expect 0 -ImgDir many -OutFor jp2 --force --pictures $pictures
    [ "$(grep -c 'does not carry' err)" -eq 2 ] || fail 'a warning of several pictures is not printed once, with a count'
    warns 'many/1.tif: metadata'
    warns '4 more: metadata'
done
[ ! -e many/.hidden.jp2 ] || fail '-ImgDir takes names that begin with a point'
expect_err 0 'many/.hidden.tif: skipped' -ImgDir many -OutFor jp2 --force --verbose
keeps_quiet 'many/.: skipped'
keeps_quiet 'many/..: skipped'
expect 0 -ImgDir many -OutFor jp2 --force --json
[ "$(grep -c '"warnings":\["metadata' out)" -eq 5 ] || fail 'JSON has no warnings for each picture'
sed -n '/^"warnings":\[/,$p' out | grep -q 'many: 1 file skipped' || fail 'JSON has no warnings for the run'
expect_err 0 '-F had no effect' -ImgDir many -OutFor jp2 --force -F 1,1,1,8,u
expect 0 -i rgb.ppm -o srgb.jp2
keeps_quiet 'untagged'
expect_err 0 '2 files become one picture' -i rgb.ppm -i rgb.ppm -o two.j2k
checks=$((checks + 1))
"$wavelane" -i tagged.tif -o - --json --verbose >stream.j2k 2>err || fail '-o - --json'
sed '/^"exit_code"/q' err >report
sed '1,/^"exit_code"/d' err >rest
if part python3; then
    python3 -c 'import json, sys; sys.exit(not json.load(open("report"))["pictures"][0]["warnings"])' || fail 'with -o - the report on standard error is no JSON'
fi
grep -q 'wavelane: ' report && fail 'messages stand inside the report'
grep -q 'wavelane: warning: ' rest || fail 'warnings do not follow the report'

# ---- What was decided --------------------------------------------------------------------------------------------------

expect 0 -i rgb.ppm -o verbose.j2k --verbose -threads 2 -t 48,32
for word in 'backend cpu (device auto, reach coefs)' 'threads 2' 'SIMD ' 'tiles 4' 'waves 1' 'rounds 1' 'foresight: none'; do
    warns "$word"
done
expect_err 0 'foresight: slopes surveyed' --demo -o verbose.j2k --force --verbose -r 20

# ---- Plans -------------------------------------------------------------------------------------------------------------

for plan in --dry-run --explain; do
    for name in /dev/null /dev/stdout picture - rgb.ppm.out; do
        expect_out 0 'codestream' -i rgb.ppm $plan -o $name
        [ ! -e picture ] && [ ! -e rgb.ppm.out ] || fail "$plan writes $name"
    done
    expect_out 0 'JP2 file' -i rgb.ppm $plan -o /dev/null --container jp2
    expect_out 0 'JPH file' -i rgb.ppm $plan -o /dev/null -OutFor JPH
    expect_err 2 '-OutFor needs -ImgDir' -i rgb.ppm $plan -o no.j2k -OutFor JP2
done
expect 2 -i rgb.ppm -o picture
expect_err 2 '12 bits unsigned are required; use -TargetBitDepth 12, or --input-color' -i rgb.ppm -o no.j2c -cinema2K 24

# ---- A PSNR that is asked for is met -----------------------------------------------------------------------------------

for target in 30 40 44 47 50; do
    expect 0 -i rgb.ppm -o psnr.j2k --force -I -q $target --measure-psnr yes --json
    sed -n 's/.*"psnr":\([0-9.]*\).*/\1/p' out | awk -v least=$target '{ if ($1 < least) { exit 1 } n++ } END { if (!n) exit 1 }' || fail "-q $target is not met"
done

# ---- Options that need others, presets, help ---------------------------------------------------------------------------

expect_err 2 '--qfactor needs -I' -i rgb.ppm -o no.j2k --qfactor 50
expect_err 2 '--step needs -I' -i rgb.ppm -o no.j2k --step 0.01
expect_err 2 '--visual needs a limit' -i rgb.ppm -o no.j2k --visual
for rate in 24 25; do # 24 is the rate unless one is given
    expect_err 2 '--frame-rate needs a profile' -i rgb.ppm -o no.j2k --frame-rate $rate
done
expect_err 2 '--page needs a TIFF file, and the input is PNM' -i rgb.ppm -o no.j2k --page 3
expect_err 2 '--page needs a TIFF file, and the input is made by --demo' --demo -o no.j2k --page 3
expect 0 -i rgb.ppm -o idle.j2k --qfactor 50 --qfactor 0
expect 0 -i rgb.ppm -o idle.j2k --force --preset iiif-lossy -r 1
expect_err 2 'the nearest is "iiif-lossy"' -i rgb.ppm -o no.j2k --preset iiif-losy
expect_err 2 'the nearest is "dci-2k"' -i rgb.ppm -o no.j2k --preset dci2k
expect_err 2 'J2K, J2C, JPC, JHC, JP2 or JPH' -ImgDir many -OutFor gif
expect_err 2 'J2K, J2C, JPC, JHC, JP2 or JPH' -ImgDir many
expect_err 2 '--original' verify idle.j2k -F 8,4,3,8,u
for name in info verify run options devices; do
    expect_out 0 "wavelane $name" $name --help
    cp out help.$name
    expect 0 help $name
    same out help.$name
done
expect_out 0 '--max-component-bytes' encode --help
expect 2 help nothing
expect_err 2 'the nearest is --frames (wavelane sequence --help lists all)' sequence many out/ --fram 1-2
expect_err 2 'the nearest is --profile (wavelane verify --help lists all)' verify idle.j2k --profil part1

# ---- Programs of others ---------------------------------------------------------------------------------------------------

mkdir plugins
WAVELANE_PLUGINS=$PWD/plugins expect_err 3 'is not installed' run -- true
: >plugins/libwavelane-openjp2.so
export WAVELANE_PLUGINS="$PWD/plugins"
expect_err 2 'which program' run --
expect_err 2 'which program' run --json
expect_err 3 'no_such_program: No such file' run no_such_program
expect 5 run sh -c 'exit 5'
# shellcheck disable=SC2016 # for the sh below
expect_out 0 "$PWD/plugins/libwavelane-openjp2.so $PWD/plugins/openjp2 --help" run -- sh -c 'echo "${LD_PRELOAD%%:*} ${LD_LIBRARY_PATH%%:*} $1"' sh --help
unset WAVELANE_PLUGINS

# ---- Completion --------------------------------------------------------------------------------------------------------

# complete EXPECTED WORD...: the words that bash is offered for the last one.
complete() {
    checks=$((checks + 1))
    wanted=$1
    shift
    # shellcheck disable=SC2016 # for the bash below
    bash -c 'source ./complete.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wavelane; printf "%s\n" "${COMPREPLY[@]}"' bash "$@" >out 2>err
    [ ! -s err ] || fail "completion of $*: an error"
    for word in $wanted; do
        case $word in
        !*) ! grep -qxF -e "${word#!}" out || fail "completion of $*: offers ${word#!}" ;;
        *) grep -qxF -e "$word" out || fail "completion of $*: lacks $word" ;;
        esac
    done
}
if part bash; then
    "$gen_docs" bash >complete.bash || fail 'the completion is not made'
    complete 'devices' wavelane d
    complete 'encode info verify options devices help --input -cinema2K' wavelane ''
    complete '-cinema2K -cinema4K' wavelane -cin
    complete 'JP2 JPH JPC J2K J2C JHC' wavelane -ImgDir x -OutFor J
    complete 'auto cpu cuda cuda-only' wavelane --device ''
    complete '--device=cpu --device=cuda !--device=auto' wavelane --device=c
    complete 'cpu !auto' wavelane --device = c
    complete 'cpu auto' wavelane -device =
    complete 'none R L C RLC' wavelane -TP ''
    complete 'BYPASS HT' wavelane -M ''
    complete '2K 4K 8K_R' wavelane -IMF ''
    complete 'ALL_CPUS' wavelane -threads ''
    complete 'LRCP CPRL' wavelane -p ''
    complete 'dci-2k dci-2k-48 dci-2k-24-3d' wavelane --preset dci-2k
    complete 'planar interleaved' wavelane --raw-layout ''
    complete '256M 2G' wavelane --memory ''
    complete '--profile --fps --stereo --hfr --original --skip-blocks --json --rules !--output !--bpp' wavelane verify --
    complete 'imf-2k dci-2k cinema2k' wavelane verify --profile ''
    complete 'expand indices' wavelane verify --palette ''
    complete '--json --max-input-bytes !--output !--levels' wavelane info --
    complete '--max-pixels --max-input-bytes !--max-bytes' wavelane verify --max
    complete '--json !--output' wavelane devices --
    complete 'info verify !--output' wavelane help ''
    complete '!-m !--jpip !-W !explain !bench' wavelane ''
    complete 'rgb.ppm' wavelane -i rgb
    complete 'rgb.ppm' wavelane info rgb
    # Every word that is offered for an option is one that the option takes.
    "$gen_docs" bash | sed -n '/^_wavelane_values/,/^}/s/^ *\([^ )]*\)) echo .\(.*\). ;;$/\1 \2/p' | grep -v -e ' FILES$' -e ' FOLDERS$' -e ' VALUE$' >offered
    [ "$(wc -l <offered)" -gt 30 ] || fail 'few options with words found'
    while read -r names words; do
        for word in $words; do
            "$wavelane" -i rgb.ppm --explain "${names##*|}" "$word" >out 2>err </dev/null
            checks=$((checks + 1))
            ! grep -q -e 'expected' -e 'unknown' -e 'is unexpected' -e 'is none of' err || fail "${names##*|} $word is offered, and refused"
        done
    done <offered
fi

end_checks
