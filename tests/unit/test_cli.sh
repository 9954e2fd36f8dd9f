#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The command as people meet it: options, messages, exit codes, files.
#   test_cli.sh WAVELANE [GEN_DOCS MAN_TEMPLATE]
# Pictures are made here; those of WVL_TEST_PICTURES are used where the variable names a folder.
set -u
. "$(dirname "$0")/../support/shell.sh"
gen_docs=${2:-}
template=${3:-}
case $gen_docs in '' | /*) ;; *) gen_docs=$PWD/$gen_docs ;; esac
case $template in '' | /*) ;; *) template=$PWD/$template ;; esac
open_command "$1"

silent() { [ ! -s err ] || fail "err is not empty: $*"; }
one_line() { [ "$(wc -l <err)" -eq 1 ] || fail "err has not one line: $*"; }

# refuse CODE TEXT ARGUMENTS...: one line of error that holds TEXT, and no output file.
refuse() {
    wanted=$1
    text=$2
    shift 2
    rm -f no.j2k no.jp2
    expect_err "$wanted" "$text" "$@"
    one_line "$@"
    absent no.j2k
    absent no.jp2
}

# field FILE PATTERN: what info says of FILE holds PATTERN.
field() {
    checks=$((checks + 1))
    "$wavelane" info "$1" >out 2>err || fail "info refuses $1"
    grep -q -- "$2" out || fail "info $1 lacks $2"
}

# ---- Pictures ---------------------------------------------------------------------------------------------------------

texture=23
ramp rgb.ppm P3 3 96 64
ramp grey.pgm P2 1 96 64
ramp half.pgm P2 1 48 32
ramp odd.pgm P2 1 97 64
ramp odd2.pgm P2 1 49 32
printf 'P6\n64 64\n255\nshort' >broken.ppm
echo '<a/>' >note.xml

# ---- Help, version, tables --------------------------------------------------------------------------------------------

expect_out 0 '-TargetBitDepth BITS' -h
says '--max-component-bytes'
says 'iiif-lossy'
silent help
expect_out 0 'wavelane ' --version
says 'CUDA'
expect_out 0 'progression' options
expect_out 0 '"key":"guard-bits"' options --json
refuse 2 'wavelane-bench' bench
refuse 2 'the only option is --json' options now

# ---- Usage ------------------------------------------------------------------------------------------------------------

refuse 2 'no picture' -o no.j2k
refuse 2 'no output' -i rgb.ppm
refuse 2 'the value is missing' -i
refuse 2 '-TLM follows' -i rgb.ppm -o -TLM
refuse 2 'nearest is --levels' -i rgb.ppm -o no.j2k --lvels 5
refuse 2 'nearest is --progression' -i rgb.ppm -o no.j2k --progresion RPCL
refuse 2 'unknown option -SOPP' -i rgb.ppm -o no.j2k -SOPP
refuse 2 'unknown option --level' -i rgb.ppm -o no.j2k --level 5
refuse 2 'unexpected' -i rgb.ppm -o no.j2k stray
refuse 2 'unexpected' rgb.ppm no.j2k
refuse 2 'takes no value' -i rgb.ppm -o no.j2k --force=yes
refuse 2 'the value is missing' -i rgb.ppm -o no.j2k --levels
refuse 2 'yes or no' -i rgb.ppm -o no.j2k --sop rgb.ppm
refuse 2 'given twice' -i rgb.ppm -o no.j2k -o other.j2k
refuse 2 'the extension must be' -i rgb.ppm -o no.jpg
refuse 2 'the extension must be' -i rgb.ppm -o no
refuse 2 'cannot be used together' -i rgb.ppm -o no.j2k -r 20,10 -q 30
refuse 2 'cannot be used together' -i rgb.ppm -o no.j2k --bpp 1 --slopes 40000
refuse 2 'cannot be used together' -i rgb.ppm --demo -o no.j2k
refuse 2 'needs -OutFor' -ImgDir .
refuse 2 'expected J2K, J2C, JPC, JHC, JP2 or JPH' -ImgDir . -OutFor tif
refuse 2 '-OutFor needs -ImgDir' -i rgb.ppm -o no.j2k -OutFor J2K
refuse 2 'names j2k' -i rgb.ppm -o no.jp2 --container j2k

for pair in '-n 34' '-n 0' '-n 6x' '-b 128,64' '-b 63,64' '-b 64' '-t 64,64,64' '-t 64x64' '-T 5' '-d -1,0' '-d 1' '-s 0,1' '-s 256,1' \
    '-r 20,,10' '-r 20,' '-r 1.5x' '-q abc' '-p LRCPX' '-p XXXX' '-c 64,64' '-c [64,64' '-c [64,48]' '-M 128' '-M x' '-TP Q' '-GuardBits 8' \
    '-threads two' '-threads -1' '-threads 1025' '-TargetBitDepth 0' '-TargetBitDepth 33' '-mct 3' '--levels 33' '--layers 0' '--layers 65536' \
    '--step 1' '--step 0,5' '--max-bytes -1' '--max-bytes 1k' '--palette maybe' '--color cmyk' '--preset none' '--page x' '--uuid 12:note.xml' \
    '--component-steps 1x1' '--reversible maybe'; do
    # shellcheck disable=SC2086 # an option and its value
    refuse 2 "${pair%% *}" -i rgb.ppm -o no.j2k $pair
done

expect 0 -i rgb.ppm -o poc.j2k -POC T1=0,0,1,3,3,CPRL/T1=3,0,1,6,3,RLCP
field poc.j2k 'POC=(.*RSpoc=3 CSpoc=0 LYEpoc=1 REpoc=6 CEpoc=3 progression=RLCP'
refuse 2 'component 1' -i rgb.ppm -o no.j2k -P T1=0,0,1,6,1,CPRL
refuse 2 'none|ppm|ppt' -i rgb.ppm -o no.j2k --packed-headers yes

expect 0 -i rgb.ppm -o roi.j2k -ROI c=0,U=25
field roi.j2k 'RGN'
refuse 2 'A.6.3' -i rgb.ppm -o no.j2k -ROI c=0,U=35
refuse 2 'A.6.2' -i rgb.ppm -o no.j2k -R c=3,U=5
for option in '-m matrix.txt' '-mct 2' -jpip '-x index' '-f 3'; do
    # shellcheck disable=SC2086
    refuse 2 "${option%% *}" -i rgb.ppm -o no.j2k $option
done

# ---- Input and output -------------------------------------------------------------------------------------------------

refuse 3 'missing.ppm' -i missing.ppm -o no.j2k
refuse 3 'broken.ppm' -i broken.ppm -o no.j2k
refuse 3 'note.xml' -i note.xml -o no.j2k
refuse 4 'nowhere/no.j2k' -i grey.pgm -o nowhere/no.j2k
mkdir folder.j2k
refuse 4 'is a directory' -i grey.pgm -o folder.j2k --force

expect_out 0 'grey.j2k: ' -i grey.pgm -o grey.j2k
says 'lossless'
says 'Msamples/s'
silent grey
cp grey.j2k before.j2k
refuse 4 '--force replaces it' -i grey.pgm -o grey.j2k
cmp -s grey.j2k before.j2k || fail 'a refused output was changed'
expect 0 -i grey.pgm -o grey.j2k -I --force
cmp -s grey.j2k before.j2k && fail '--force did not replace the output'
ln grey.pgm linked.j2k
refuse 4 'is the input' -i grey.pgm -o linked.j2k --force
cmp -s grey.pgm linked.j2k || fail 'the input was changed'
rm linked.j2k

checks=$((checks + 1))
"$wavelane" -i - -o - <grey.pgm >piped.j2k 2>err || fail 'pipes'
cmp -s piped.j2k before.j2k || fail 'pipes give other bytes than files'
grep -q 'standard output: ' err || fail 'with -o - the summary goes to standard error'
expect 0 info piped.j2k
if [ -c /dev/full ]; then
    "$wavelane" -i grey.pgm -o - >/dev/full 2>err
    [ $? -eq 4 ] || fail 'a full disk is no error'
    checks=$((checks + 1))
fi
find . -name '.*.??????' -o -name '*.tmp*' | grep . && fail 'temporary files are left'

expect 0 -i grey.pgm -o quiet.j2k --quiet
[ ! -s out ] || fail '--quiet prints'
silent quiet
expect_err 0 'untagged RGB is taken as sRGB' -i rgb.ppm -o rgb.jp2 --verbose
expect_out 0 '96 x 64, 3 components' -i rgb.ppm --dry-run
expect 0 -i rgb.ppm -o no.j2k --dry-run
absent no.j2k
expect_out 0 'visual weight 0.00069169' -i rgb.ppm --explain -I --bpp 1 --visual
expect_out 0 'visual weight 0.00069169' -i rgb.ppm --explain --visual -I --bpp 1
expect 0 -i rgb.ppm --explain --visual no -I --bpp 1
grep -q 'visual weight' out && fail '--visual no weighs'
expect_out 0 'visual weight 0.00069169' -i rgb.ppm --explain -I --bpp 1 --visual yes
expect_out 0 'dB (measured)' -i rgb.ppm -o measured.j2k -I -q 30,38 --psnr-report
grep -qF '(estimated)' out && fail 'a measured PSNR is called estimated'
expect_out 0 '"psnr_is_measured":true' -i rgb.ppm -o measured.j2k --force -I -r 10 --psnr-report --json
expect_out 0 'dB (estimated)' -i rgb.ppm -o measured.j2k --force -I -r 10 --psnr-report --measure-psnr no
expect 0 -i rgb.ppm -o measured.j2k --force -I -r 10 --psnr-report --json --measure-psnr no
says '"psnr_is_measured":false'
refuse 2 'all errors alike' -i rgb.ppm -o no.j2k -I -q 40 --visual yes
refuse 2 'yes or no' -i rgb.ppm -o no.j2k --visual eye
expect_out 0 '2 levels' -i rgb.ppm --explain -n 3
expect_out 0 '"exit_code":0' -i rgb.ppm -o json.j2k --json
says '"status":"ok"'
expect_out 3 '"status":"failed"' -i missing.ppm -o no.j2k --json
says '"exit_code":3'
for threads in 1 2 3 7 ALL_CPUS; do
    expect 0 -i rgb.ppm -o threads.j2k --force --threads "$threads" -r 8,4 -t 33,31
    [ "$threads" = 1 ] && mv threads.j2k one.j2k && continue
    cmp -s one.j2k threads.j2k || fail "other bytes with $threads threads"
done
expect 0 --demo -o demo.j2k --threads 2
field demo.j2k 'Xsiz=1536 Ysiz=1024'

# ---- Options reach the codestream -------------------------------------------------------------------------------------

# option PATTERN ARGUMENTS...
option() {
    pattern=$1
    shift
    expect 0 -i rgb.ppm -o option.j2k --force "$@"
    field option.j2k "$pattern"
}
option 'levels=5 block_width=64 block_height=64 style=0 style_names=\[\] transform=5/3$'
option 'progression=LRCP layers=1 mct=1'
option 'levels=2 ' -n 3
option 'levels=32 ' -n 33
option 'levels=3 ' --levels=3
option 'levels=4 ' -levels 4
option 'block_width=16 block_height=32' -b 16,32
option 'XTsiz=40 YTsiz=30' -t 40,30
option 'XTOsiz=3 YTOsiz=4' -t 40,30 -T 3,4 -d 5,6
option 'Xsiz=101 Ysiz=70 XOsiz=5 YOsiz=6' -d 5,6
option 'Xsiz=191 Ysiz=190 .*dx=2 dy=3' -s 2,3
option 'progression=CPRL' -p CPRL
option 'sop=yes eph=no' -SOP
option 'sop=no eph=yes' -EPH
option 'sop=yes eph=yes' -S -E
option 'PLT=(' -PLT
option '  TLM ' -TLM
option 'TLM.*entries=3 ' -n 3 -TP R -TLM
option 'style=38 style_names=\[RESET TERMALL SEGSYM\]' -M 38
option 'style=5 ' -M BYPASS+TERMALL
option 'style=64 style_names=\[HT\]' -M 64
option 'style=64 style_names=\[HT\]' -HT
option 'style=72 style_names=\[VSC HT\]' --style HT+VSC
option 'CAP .*Pcap=131072 Ccap=' --ht
expect 0 -i rgb.ppm -o ht.jph --force
field ht.jph 'ftyp .*brand=jph version=0 compatible=\[jph\]'
field ht.jph 'style=64 style_names=\[HT\]'
expect 0 -i rgb.ppm -o ht.jhc --style VSC --force
field ht.jhc 'style=72 '
refuse 2 'use jph' -i rgb.ppm -o no.jp2 -HT --color srgb
refuse 2 'extension stands for jph' -i rgb.ppm -o no.jph --container jp2
option 'transform=9/7' -I
option 'quantization=derived' -I --quantization derived
option 'guard_bits=4' -GuardBits 4
option 'mct=0' -mct 0
option 'mct=0' --mct off
option 'mct=1' -mct 1
option 'layers=3 ' -r 20,10,1
option 'layers=3 ' -r20,10,1
option 'layers=2 ' -q 30,0
option 'layers=7 ' --layers 7
option 'content="one"' -C one -C two
option 'content="two"' -C one -C two
option 'content="caf\\xe9 \\xa4"' -C "$(printf 'caf\303\251 \342\202\254')"
refuse 2 'ISO 8859-15' -i rgb.ppm -o no.j2k -C "$(printf '\342\230\203')"
option 'depth=12 ' -TargetBitDepth 12
option 'depth=5 ' -TargetBitDepth 5
# -c halves its last size, --precincts repeats it; neither depends on where -n stands
option 'precincts=\[(width=4 height=8) (width=8 height=16) (width=16 height=32) (width=32 height=64)\]' -c '[32,64]' -n 4
option 'precincts=\[(width=4 height=8) (width=8 height=16) (width=16 height=32) (width=32 height=64)\]' -n 4 -c '[32,64]'
option 'precincts=\[(width=32 height=64) (width=32 height=64) (width=32 height=64)\]' --precincts '[32,64]' -n 3
option 'precincts=\[(width=16 height=16) (width=16 height=16) (width=64 height=64)\]' -c '[64,64],[16,16],[16,16]' -n 3
refuse 2 'side of 1' -i rgb.ppm -o no.j2k -c '[16,16]' -n 8
refuse 2 'improve' -i rgb.ppm -o no.j2k -r 10,20
refuse 2 'tile offset' -i rgb.ppm -o no.j2k -T 5,5
refuse 2 'byte cap' -i rgb.ppm -o no.j2k --max-bytes 10
refuse 2 'both sides or none' -i rgb.ppm -o no.j2k -t 0,5
option 'progression=RPCL layers=6 ' --preset iiif-lossless
option 'transform=9/7' --preset iiif-lossy
option 'levels=3 .*transform=9/7' -n 4 --preset iiif-lossy
option 'style_names=\[SEGSYM\]' --preset archive-lossless

# Profiles: what does not fit is listed in full, what fits is declared and says so in Rsiz
expect 2 -i rgb.ppm -o no.j2k -cinema2K 24 --levels 4 -r 1.01
for line in 'component 2: depth 8; 12 bits' 'levels 4; 5 is required'; do
    grep -q "profile cinema2k: $line" err || fail "-cinema2K: err lacks \"$line\""
done
[ ! -e no.j2k ] || fail '-cinema2K: a refused picture left a file'
for profile in '-cinema2K 24|Rsiz=3' '-cinema2K 60|Rsiz=3' '-cinema4K|Rsiz=4' '--preset dci-2k-48-3d|Rsiz=3' '--preset dci-4k-30-hfr|Rsiz=4' \
    '-IMF 2K|Rsiz=1024' '-IMF 2K_R,mainlevel=6,sublevel=4,framerate=24000/1001|Rsiz=1862' '--preset imf-8k-24-m8-s5|Rsiz=1624' \
    '--preset broadcast-single-25-m3|Rsiz=259'; do
    # shellcheck disable=SC2086
    option "${profile#*|} " -TargetBitDepth 12 ${profile%|*}
done
for pair in '-cinema2K 0' '-cinema2K 24x' '-IMF 3K' '-IMF 2K,level=3' '-IMF 2K,mainlevel=12' '--preset dci-3k' '--preset dci-2k-4d' \
    '--preset iiif-lossy-24' '--frame-rate 1.2.3'; do
    # shellcheck disable=SC2086
    refuse 2 "${pair%% *}" -i rgb.ppm -o no.j2k $pair
done
refuse 2 'frame-rate 23/1' -i rgb.ppm -o no.j2k -TargetBitDepth 12 -cinema2K 23
refuse 2 'given twice' -i rgb.ppm -o no.j2k -cinema4K --preset dci-2k
refuse 2 'profile cinema2k: 1 component; three are required' -i grey.pgm -o no.j2k -TargetBitDepth 12 -cinema2K 24
refuse 2 'the colour transform needs three components, and the picture has 1' -i grey.pgm -o no.j2k --mct on
# Sizes of digital cinema, and others
printf 'P6 2048 858 4095\n' >scope.ppm
head -c $((2048 * 858 * 6)) /dev/zero >>scope.ppm
expect 0 -i scope.ppm -o scope.j2c --dry-run -cinema2K 24
[ ! -s err ] || fail "a picture of 2048x858 in 2K: $(cat err)"
expect_err 0 '2048 x 858 is not a size of digital cinema' -i scope.ppm -o scope.j2c --dry-run -cinema4K
expect_err 0 '2048 x 1080, 1998 x 1080 and 2048 x 858' -i rgb.ppm -o small.j2c --dry-run -TargetBitDepth 12 -cinema2K 24
rm scope.ppm
# What shows only in the bytes: exit 6, every violation on a line, no file, and one that was there stays
refuse 6 "allows 2500" -i rgb.ppm -o no.j2k --preset imf-2k-r-10000-s1
cp rgb.ppm stays.j2k
expect 6 -i rgb.ppm -o stays.j2k --force --preset imf-2k-r-10000-s1
cmp -s rgb.ppm stays.j2k || fail 'a profile that is broken replaced the file that was there'
expect 0 -i rgb.ppm -o full.j2c -TargetBitDepth 12 -cinema2K 24
grep -q 'codestream: [0-9]* bytes, [0-9.]* % of the target 1197916, [0-9.]* % of the cap 1302083' out || fail 'the fill of the codestream is not told'
grep -q 'component 2: [0-9]* bytes, [0-9.]* % of the cap 1041666' out || fail 'the fill of a component is not told'
expect 0 -i rgb.ppm -o full.j2c --force -TargetBitDepth 12 -cinema4K --json
grep -q '"component":2,"part":1,"bytes":[0-9]*,"target":0,"cap":1041666' out || fail 'JSON: the fill of a tile-part is not told'

expect 0 -i rgb.ppm -o cap.j2k -I --max-bytes 3000
[ "$(wc -c <cap.j2k)" -le 3000 ] || fail '--max-bytes is exceeded'

# ---- JP2 --------------------------------------------------------------------------------------------------------------

expect 0 -i grey.pgm -o boxes.jp2 --xml note.xml --uuid 00112233-44556677-8899AABB-CCDDEEFF:note.xml
field boxes.jp2 'xml .*text="<a/>'
field boxes.jp2 'uuid=00112233445566778899aabbccddeeff .*content_bytes=5'
field boxes.jp2 'enumerated=17 space=grey'
field rgb.jp2 'enumerated=16 space=sRGB'
refuse 2 'need a JP2 file' -i grey.pgm -o no.j2k --xml note.xml
refuse 3 'missing.xml' -i grey.pgm -o no.jp2 --xml missing.xml
refuse 2 'needs 3' -i grey.pgm -o no.jp2 --color srgb
expect 0 -i rgb.ppm -o ycc.jp2 --color sycc
field ycc.jp2 'enumerated=18 space=sYCC'
# luma and two chroma planes of half the size, from three files
expect 0 -i grey.pgm -i half.pgm -i half.pgm -o parts.j2k --mct auto
field parts.j2k 'components=\[(depth=8 signed=no dx=1 dy=1) (depth=8 signed=no dx=2 dy=2) (depth=8 signed=no dx=2 dy=2)\]'
expect 0 -i grey.pgm -i half.pgm -o offset.j2k -d 1,0
refuse 2 'component 1 has 49 columns at a step of 2, but with an image offset of 1 it must have 48' -i odd.pgm -i odd2.pgm -o no.j2k -d 1,0
awk 'BEGIN { for (i = 0; i < 8 * 6 * 3 / 2; i++) printf "%c", 65 + i % 23 }' >small.yuv
expect 0 -i small.yuv -F 8,6,3,8,u@1x1:2x2:2x2 -o yuv.jp2
field yuv.jp2 'space=sYCC'
field yuv.jp2 'mct=0'
refuse 3 'small.yuv' -i small.yuv -o no.jp2
refuse 3 'small.yuv' -i small.yuv -F 8,7,3,8,u@1x1:2x2:2x2 -o no.jp2

# ---- X'Y'Z' -----------------------------------------------------------------------------------------------------------

# dpx NAME TRANSFER: 16 x 8 pixels of 8-bit RGB, both numbers below 8 and 256 in octal.
dpx() {
    {
        printf 'SDPX\000\000\010\000'
        head -c 760 /dev/zero
        printf '\000\000\000\001\000\000\000\020\000\000\000\010\000\000\000\000'
        head -c 16 /dev/zero
        printf "\\062\\00$2\\000\\010\\000\\000\\000\\000\\000\\000\\010\\000"
        head -c 1236 /dev/zero
        awk 'BEGIN { for (i = 0; i < 384; i++) printf "%c", 32 + i % 90 }'
    } >"$1"
}
dpx rec709.dpx 6
dpx film.dpx 3
dpx linear.dpx 2
expect 0 -i rgb.ppm -o xyz.j2c --input-color rec709
field xyz.j2c 'depth=12'
expect 0 -i rgb.ppm -o xyz2.j2c --input-color rec709 --input-transfer bt1886
cmp -s xyz.j2c xyz2.j2c || fail 'rec709 is not bt1886'
expect 0 -i rgb.ppm -o xyz2.j2c --force --input-color rec709 --input-transfer 2.2
cmp -s xyz.j2c xyz2.j2c && fail 'the transfer changes nothing'
expect_err 0 'taken as rec709, according to its header' -i rec709.dpx -o dpx.j2c --input-color auto --verbose
expect 0 -i rec709.dpx -o dpx2.j2c --input-color rec709
cmp -s dpx.j2c dpx2.j2c || fail 'auto is not what the header says'
for file in film.dpx linear.dpx; do # with a warning of what its transfer is
    expect_err 3 'the picture does not name its colour space' -i $file -o no.j2k --input-color auto
    absent no.j2k
done
refuse 3 'the picture does not name its colour space' -i rgb.ppm -o no.j2k --input-color auto
refuse 3 'is grey' -i grey.pgm -o no.j2k --input-color auto
refuse 2 'no colour space' -i rgb.ppm -o no.jp2 --input-color rec709 --color srgb
refuse 2 'needs three' -i grey.pgm -o no.j2k --input-color rec709
refuse 2 'depth 8; three equal depths' -i grey.pgm -i grey.pgm -i grey.pgm -o no.j2k --input-color xyz
refuse 2 'input-color' -i rgb.ppm -o no.j2k --input-color rgb
expect 0 -i rgb.ppm -o dci.j2c --preset dci-2k-24 --input-color p3-dci
field dci.j2c 'depth=12'
expect_err 2 'depth 8; 12 bits' -i rgb.ppm -o no.j2k --preset dci-2k-24
if "$wavelane" --version | grep -q 'verify through'; then
    expect_out 0 'checked with OpenJPEG' -i rgb.ppm -o xyz.j2c --force --input-color p3-d65 --verify
fi

# ---- A directory ------------------------------------------------------------------------------------------------------

mkdir shots
cp rgb.ppm shots/a.ppm
cp grey.pgm shots/b.pgm
cp note.xml shots/ignored.xml
expect 0 -ImgDir shots -OutFor JP2
for name in a.JP2 b.JP2; do
    [ -s shots/$name ] || fail "shots/$name is missing"
done
absent shots/ignored.JP2
cp broken.ppm shots/c.ppm
expect_err 1 'shots/c.ppm' -ImgDir shots -OutFor JP2 --force
warns '1 of 3 pictures failed'
absent shots/c.JP2
cp grey.pgm shots/a.pgm
expect_err 1 'is the output of shots/a.pgm too' -ImgDir shots -OutFor j2k
[ -s shots/a.j2k ] || fail 'the first of two pictures with one output is missing'
refuse 3 'missing' -ImgDir missing -OutFor j2k
mkdir empty
refuse 3 'no picture' -ImgDir empty -OutFor j2k

# Pictures side by side: the same files, messages and order as one after another, but for the threads of each, and memory.
refuse 2 '--pictures needs -ImgDir' -i rgb.ppm -o no.j2k --pictures 2
for number in 0 65 two; do
    refuse 2 'whole number from 1 to 64' -ImgDir shots -OutFor j2k --pictures $number
done
mkdir many
for i in 1 2 3 4 5 6 7; do
    cp rgb.ppm many/$i.ppm
    cp grey.pgm many/g$i.pgm
done
cp broken.ppm many/3b.ppm
cp broken.ppm many/a.ppm
cp grey.pgm many/5.pgm # its output is that of 5.ppm
untimed() { sed '/^[0-9]* pictures, [0-9]* at a time: /d; /^memory of an encode: /d; s/, [0-9.]* s, [0-9.]* Msamples\/s//; s/"stage_seconds":{[^}]*}//; s/"[a-z_]*seconds*":[^,}]*//' "$1"; }
for style in --force '--force --json' '--force --explain' '--force --verbose --tile 33,20 --bpp 1.5'; do
    for number in 1 2 5 16; do
        rm -f many/*.jp2
        # shellcheck disable=SC2086
        expect_err 1 '3 of 17 pictures failed' -ImgDir many -OutFor jp2 $style --pictures $number --threads 3
        untimed out >out.$number
        sed '/ has one of its own$/d; s/, threads [0-9]*,/,/' err >err.$number # with --verbose: how many encode a picture
        cat many/*.jp2 2>/dev/null | cksum >sum.$number
        for what in out err sum; do
            cmp -s $what.1 $what.$number || fail "-ImgDir $style --pictures $number: another $what than one after another"
        done
    done
done

# A picture has a thread of its own in whole rounds of pictures, and in a last round that is more than three quarters full.
for case in '2 2 16' '9 9 17' '5 2 none'; do
    # shellcheck disable=SC2086
    set -- $case
    expect 1 -ImgDir many -OutFor jp2 --force --verbose --device cpu --threads "$1" --pictures "$2"
    count=$(sed -n 's/.* each of the first \([0-9]*\) pictures has one of its own$/\1/p' err)
    [ "${count:-none}" = "$3" ] || fail "--threads $1 --pictures $2: ${count:-no} pictures have a thread of their own instead of $3"
done

# ---- Verification -----------------------------------------------------------------------------------------------------

if "$wavelane" --version | grep -q OpenJPEG; then
    for args in '' '-I' '-M 63 -t 33,31' '-TargetBitDepth 16' '-TargetBitDepth 3 -d 7,9'; do
        # shellcheck disable=SC2086
        expect_out 0 'checked with OpenJPEG' -i rgb.ppm -o checked.jp2 --force --verify $args
    done
    expect_out 0 'lossless, checked' -i rgb.ppm -o checked.j2k --verify
    expect_out 0 '"exact":false' -i rgb.ppm -o checked.j2k --verify --force -I --bpp 1 --json
    expect 0 -i grey.pgm -i half.pgm -i half.pgm -o checked.jp2 --force --verify
else
    refuse 2 'no OpenJPEG' -i rgb.ppm -o no.jp2 --verify
    echo 'note: built without OpenJPEG, --verify was not tried'
fi

# ---- info on damaged files --------------------------------------------------------------------------------------------

expect_out 0 '"problems":[]' info --json boxes.jp2
refuse 2 'no file' info
refuse 2 'unexpected' info --frobnicate
refuse 2 '--packets and --csv' info --packets --csv boxes.jp2
expect 3 info one two
refuse 3 'missing.jp2' info missing.jp2
refuse 3 'neither' info note.xml
expect 0 -i rgb.ppm -o rich.jp2 -SOP -EPH -PLT -TLM -TP R -t 32,32 -r 10,5,1 -n 3
# Packets fill the tile-parts, and blocks the packets. Headers of packets that make no sense are found with --packets alone.
expect 0 info --packets rich.jp2
held=$(sed -n 's/.*data_bytes=\([0-9]*\)$/\1/p' out | awk '{ sum += $1 } END { print sum }')
listed=$(awk '/^packets$/ { seen = 1 } seen && NF == 12 && $1 ~ /^[0-9]+$/ { sum += $8 } END { print sum }' out)
[ "$held" = "$listed" ] || fail "info --packets: $listed bytes of packets, the tile-parts hold $held"
expect 0 info --packets --json rich.jp2
sed -n 's/.*"body_bytes":\([0-9]*\),"blocks":\[\(.*\)\]},*$/\1 \2/p' out | tr -d '[' | sed 's/\],*/ /g; s/,/ /g' |
    awk '{ sum = 0; for (i = 10; i <= NF; i += 9) sum += $i; if (sum != $1) exit 1; blocks += (NF - 1) / 9 } END { exit !blocks }' ||
    fail 'info --packets --json: the bytes of the blocks are not those of the packets'
at=$("$wavelane" info rich.jp2 | sed -n 's/.*data_offset=\([0-9]*\) .*/\1/p' | sed -n 2p)
{ head -c "$at" rich.jp2 && printf '\377\221\000\004\000\000\377\377\377\377' && tail -c +$((at + 11)) rich.jp2; } >senseless.jp2
expect 0 info senseless.jp2
expect_err 3 'senseless.jp2: at byte ' info --packets senseless.jp2
size=$(wc -c <rich.jp2)
for cut in 0 1 11 12 20 40 77 80 90 120 150 200 300 400 1000 $((size - 1)) $((size - 2)); do
    head -c "$cut" rich.jp2 >cut.jp2
    expect_err 3 'cut.jp2: at byte ' info cut.jp2
    expect 3 info --json cut.jp2
done
{ cat rich.jp2 && echo more; } >longer.jp2
expect 3 info longer.jp2
{ cat before.j2k && echo more; } >longer.j2k
expect_err 3 'bytes after EOC' info longer.j2k

# ---- Interruption -----------------------------------------------------------------------------------------------------

mkdir stop
head -c 48000000 /dev/urandom >noise.raw # a second or more of work
checks=$((checks + 1))
"$wavelane" -i noise.raw -F 6000,8000,1,8,u -o stop/noise.j2k --threads 1 -M 63 >out 2>err &
child=$!
sleep 0.2
kill -TERM $child
wait $child
code=$?
[ $code -eq 130 ] || fail "interrupted: exit $code instead of 130"
[ -z "$(ls -A stop)" ] || fail "interrupted: $(ls -A stop) is left"

# Of a directory, what is there is whole.
head -c 8000000 noise.raw >stop/1.raw
for i in 2 3 4 5 6 7 8; do
    ln stop/1.raw stop/$i.raw
done
checks=$((checks + 1))
"$wavelane" -ImgDir stop -OutFor j2k -F 2000,4000,1,8,u --threads 1 --pictures 3 -M 63 >out 2>err &
child=$!
sleep 0.4
kill -INT $child
wait $child
code=$?
[ $code -eq 130 ] || fail "interrupted in a directory: exit $code instead of 130"
for name in $(ls -A stop); do
    case $name in
    *.raw) ;;
    *.j2k) "$wavelane" info stop/"$name" >/dev/null 2>&1 || fail "interrupted in a directory: stop/$name is not whole" ;;
    *) fail "interrupted in a directory: stop/$name is left" ;;
    esac
done
[ ! -e stop/8.j2k ] || fail 'interrupted in a directory: all pictures were encoded'

# ---- Documents --------------------------------------------------------------------------------------------------------

if [ -n "$gen_docs" ]; then
    checks=$((checks + 1))
    "$gen_docs" man "$template" >page.1 2>err || fail 'the manual page is not made'
    "$gen_docs" bash >complete.bash 2>err && "$gen_docs" zsh >complete.zsh 2>err || fail 'the completions are not made'
    "$wavelane" options | sed -n 's/^  \([a-z-]*\)$/\1/p' >keys
    [ "$(wc -l <keys)" -gt 20 ] || fail 'the table of options is short'
    while read -r key; do
        sed 's/\\-/-/g' page.1 | grep -q -- "-$key" || fail "the manual page lacks $key"
        grep -q -- "-$key" complete.bash || fail "the bash completion lacks $key"
        grep -q -- "-$key" complete.zsh || fail "the zsh completion lacks $key"
    done <keys
    # What the page says of formats and exit codes, --help says too.
    "$wavelane" --help >help 2>err
    for format in TIFF PNG JPEG OpenEXR 'JPEG 2000' PNM PAM PFM PGX DPX BMP TGA raw YUV; do
        grep '^Reads ' help | grep -qw -- "$format" || fail "--help does not name the format $format"
    done
    for number in $(sed -n '/^\.SH EXIT STATUS/,/^\.SH/s/^\.B \([0-9]*\)$/\1/p' page.1); do
        sed -n '/^Exit codes:/,$p' help | grep -qw "$number" || fail "--help lacks the exit code $number"
    done
    grep '^@' page.1 && fail 'the manual page has a place that was not filled'
    if part bash; then
        bash -n complete.bash || fail 'bash does not take its completion'
    fi
fi

# ---- Colour that needs real files -------------------------------------------------------------------------------------

pictures=${WVL_TEST_PICTURES:-}
if [ -f "$pictures/cmyk-3c-16b.tiff" ]; then
    refuse 3 'CMYK' -i "$pictures/cmyk-3c-16b.tiff" -o no.jp2
    expect 0 -i "$pictures/cmyk-3c-16b.tiff" -o cmyk.j2k
    expect 0 -i "$pictures/cog_cmap.tif" -o palette.jp2 --palette indices --quiet
    field palette.jp2 'pclr .*entries=256'
    field palette.jp2 'Csiz=1 '
else
    echo 'note: WVL_TEST_PICTURES names no folder with pictures, CMYK and palettes were not tried'
fi

end_checks
