#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No option is ignored without a word. Every option of the tables (those of the completion, which is made from them) is given in each of
# several contexts: the command must refuse it, or warn, or do something else than without it. A new option needs a row with a value here.
#   test_effects.sh WAVELANE GEN_DOCS
set -u
. "$(dirname "$0")/../support/shell.sh"
gen_docs=$(CDPATH='' absolute "$2")
open_command "$1"

# ---- Options and a value that asks for something ------------------------------------------------------------------------

# SPELLING...|VALUE; an empty VALUE: the option takes none. "yes" where alone is yes.
cat >rows <<'ROWS'
-i --input|grey.pgm
-o --output|other.j2k
-ImgDir --image-dir|many
-OutFor --out-format|JP2
--pictures|2
--force|
--recursive|
--skip-existing|
-F --raw-format|96,64,1,8,u
--raw-layout|interleaved
--max-pixels|100
--input-format|tif
--page|3
--demo|
-r --rates|30
-q --psnr|30
-n --resolutions|3
--levels|3
-b --block|16,16
-c --precincts|[32,32]
-t --tile|40,30
-T --tile-offset|1,1
-d --image-offset|5,6
-s --subsampling|2,2
-p --progression|RPCL
-SOP -S --sop|yes
-EPH -E --eph|yes
-PLT --plt|yes
-TLM --tlm|yes
--plm|yes
-POC -P --progression-changes|T1=0,0,1,2,16384,CPRL/T1=2,0,65535,33,16384,RLCP
-ROI -R --roi|rect=0,0,9,9
-M --style|SEGSYM
-HT --ht|
-TP -u --tile-parts|R
-I --irreversible|
--reversible|no
-Y --mct|off
-cinema2K|24
-cinema4K|
-IMF|2K
-C --comment|hello
-GuardBits -G --guard-bits|4
-TargetBitDepth -X --target-bit-depth|10
--threads|1
--memory|1K
--spill-dir|.
-h --help|
--preset|iiif-lossy
--component-steps|1x1
--gml|
--palette|indices
--jpeg-ycc|keep
--pages|all
--channels|0
--drop-alpha|
--ycc-to-rgb|
--float-transfer|log
--float-range|0,1
--color|sycc
--input-color|rec709
--input-transfer|2.2
--input-range|video
--xml|note.xml
--uuid|00112233445566778899aabbccddeeff:note.xml
--verify|
--psnr-report|
--dry-run|
--explain|
--json|
--quiet|
--trace|trace.json
--verbose|
--version|
--overrides|C0:levels=2
--packed-headers|ppt
--registration|[1,1]
--profile|1
--frame-rate|30
--stereo|yes
--hfr|yes
--main-level|2
--sub-level|1
--quantization|derived
--step|0.01
--qfactor|50
--distortion-bits|0
--bpp|0.5
--layer-bytes|3000
--slopes|40000
--layers|4
--max-bytes|3000
--max-component-bytes|1500
--rdoq|yes
--visual|yes
--ht-passes|2
--measure-psnr|yes
--container|jph
--device|cpu
--reach|blocks
--output-memory|device
--device-memory|1000000
ROWS

# What is so already, and why: OPTION CONTEXT, or OPTION * for all contexts.
cat >already <<'ALREADY'
--max-input-bytes * a limit for pipes and devices, which unit.cli_files has
--icc * pictures here have no profile
--no-icc * pictures here have no profile
--no-xmp * pictures here have no XMP
--keep * pictures here have no metadata
--strip * pictures here have no metadata
--orient * pictures here are stored upright
-o plan the name is checked, nothing is written
-OutFor folder the same format
--pictures folder files and messages do not depend on it
--force folder given there
--force plan nothing is written
-TLM cinema the profile has it
-TLM imf the profile has it
-HT ht the extension says so
-HT ht-rate the extension says so
-I irreversible given there
-I irreversible-rate given there
-I ht-rate given there
-I cinema the profile has it
-I imf the profile has it
--reversible irreversible given there
--reversible irreversible-rate given there
--reversible ht-rate given there
--reversible cinema the profile has it
--reversible imf the profile has it
-Y grey one component has no colour transform
--dry-run plan explain is one
--explain plan given there
--quiet plan a plan is asked for, and printed
--verbose plan explain says all of it
--device plan nothing is transformed
--reach plan nothing is transformed
--output-memory plan nothing is finished
--device-memory * it bounds a device, which device.strips has
--threads plan nothing is coded
--rdoq irreversible-rate auto does it
--rdoq reversible-rate auto does it
--rdoq cinema auto does it
--container ht the extension says so
ALREADY

# ---- Contexts -----------------------------------------------------------------------------------------------------------

ramp rgb.ppm P3 3 96 64
ramp grey.pgm P2 1 96 64
head -c 18432 rgb.ppm >raw.raw
echo '<a/>' >note.xml
mkdir many
cp rgb.ppm many/a.ppm
cp grey.pgm many/b.pgm

# NAME|ARGUMENTS
cat >contexts <<'CONTEXTS'
grey|-i grey.pgm -o out.j2k
rgb-jp2|-i rgb.ppm -o out.jp2
irreversible|-i rgb.ppm -o out.j2k -I
irreversible-rate|-i rgb.ppm -o out.j2k -I --bpp 2
reversible-rate|-i rgb.ppm -o out.j2k -r 4
layers|-i rgb.ppm -o out.j2k --layers 3
ht|-i rgb.ppm -o out.jph
ht-rate|-i rgb.ppm -o out.jhc -I --bpp 2
cinema|-i rgb.ppm -o out.j2c -TargetBitDepth 12 --preset dci-2k-24
imf|-i rgb.ppm -o out.j2k --preset imf-2k
raw|-i raw.raw -F 96,64,3,8,u -o out.j2k
colour|-i rgb.ppm -o out.j2k --input-color rec2020
folder|-ImgDir many -OutFor JP2 --force
plan|-i rgb.ppm --explain
CONTEXTS

# ---- Runs ---------------------------------------------------------------------------------------------------------------

# run ARGUMENTS...: everything that can be seen of it in `seen`, the exit code in code.
run() {
    rm -f out.* other.j2k trace.json many/*.JP2 many/*.J2K many/*.jph
    [ "$existing" = no ] || : >"out.$existing"
    "$wavelane" "$@" >stdout 2>stderr </dev/null
    code=$?
    {
        sed 's/, [0-9.]* s, [0-9.]* Msamples\/s//; s/"[a-z_]*second[a-z]*": *[^,{}]*[,}]//g; s/"stage_seconds":{[^}]*}//' stdout stderr
        cksum out.* other.j2k many/* 2>/dev/null
        ls | grep -v -e '^before' -e '^after$'
    } >seen
}

is_already() { grep -q -e "^$1 \\* " -e "^$1 $2 " already; }

# The run without the option, made once for each context and what is added to it.
run_before() { # context arguments
    if [ "$existing" != no ] || [ ! -f "before.$1$extra" ]; then
        # shellcheck disable=SC2086 # arguments
        run $2 $extra
        mv seen "before.$1$extra"
    fi
}

check() { # option value context arguments
    existing=no
    extra=''
    case $1 in
    --force) existing=$(echo "$4" | sed -n 's/.*out\.\([a-z0-9]*\).*/\1/p') && existing=${existing:-no} ;;
    --threads | --device | --reach) extra=--verbose ;;
    --measure-psnr) extra='--measure-psnr=no --json' ;; # auto measures pictures as small as these, and JSON says what was measured
    esac
    run_before "$3" "$4"
    checks=$((checks + 1))
    if [ "$2" = '' ] || { [ "$2" = yes ] && echo "$1" | grep -q '^-[A-Z]'; }; then
        # shellcheck disable=SC2086
        run $4 $extra "$1"
    else
        # shellcheck disable=SC2086
        run $4 $extra "$1" "$2"
    fi
    mv seen after
    [ $code -lt 128 ] || [ $code -eq 130 ] || fail "$1 $2 in $3: exit $code"
    if [ $code -ne 0 ] && [ ! -s stderr ]; then
        fail "$1 $2 in $3: refused without a word"
    elif cmp -s after "before.$3$extra" && ! is_already "$1" "$3"; then
        fail "$1 $2 in $3: no effect, no error, no warning ($4)"
    fi
}

"$gen_docs" bash >complete.bash || fail 'no completion to take the options from'
names=$(sed -n '/^_wavelane_options/,/^}/s/^ *encode) echo .\(.*\). ;;$/\1/p' complete.bash)
[ "$(echo "$names" | wc -w)" -gt 100 ] || fail 'few options found'
for name in $names; do
    grep -q "^$name " already && continue
    grep -q -e "^\([^|]* \)*$name[ |]" rows || fail "$name: no row with a value for it in this test"
done
while IFS='|' read -r spellings value; do
    for name in $spellings; do
        echo " $names " | grep -qF -- " $name " || fail "$name: has a row, but is no option"
    done
    for name in $spellings; do # a script may have lost a variable
        [ "$value" = '' ] || expect 2 -i grey.pgm -o out.j2k --force "$name" ''
    done
    first=${spellings%% *}
    while IFS='|' read -r context arguments <&3; do
        check "$first" "$value" "$context" "$arguments"
    done 3<contexts
done <rows

end_checks
