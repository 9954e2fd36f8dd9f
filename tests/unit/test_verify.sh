#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wavelane verify as people meet it: verdicts, profiles by every preset, originals that were scaled or converted.
#   test_verify.sh WAVELANE
set -u
. "$(dirname "$0")/../support/shell.sh"
open_command "$1"

# ---- Pictures: the command's own bytes ---------------------------------------------------------------------------

make() { # NAME MAGIC WIDTH HEIGHT MAXVAL BYTES
    { printf '%s\n%s %s\n%s\n' "$2" "$3" "$4" "$5"; head -c 300000 "$wavelane" | tail -c 250000 | head -c "$6"; } >"$1"
}
make rgb8.ppm P6 240 180 255 129600
make rgb16.ppm P6 160 120 65535 115200
make grey8.pgm P5 240 180 255 43200

has_judge=$("$wavelane" --version | grep -c 'verify through')

# ---- Verdicts -------------------------------------------------------------------------------------------------------------------------

expect 0 -i rgb8.ppm -o good.jp2
expect_out 0 'legal yes' verify good.jp2
says 'jp2'
expect_out 0 '"legal":"yes"' verify --json good.jp2
"$wavelane" verify - <good.jp2 >out 2>err || fail 'standard input is not taken'
says 'file standard input'
{ head -c 3000 good.jp2; } >cut.jp2
expect_out 6 'legal no' verify cut.jp2
warns 'is not legal'
expect_out 6 'neither a codestream nor' verify rgb8.ppm
expect 3 verify missing.jp2
expect_out 0 'cinema.bytes' verify --rules
expect_out 0 'bodleian' verify --profiles
expect_out 0 '--profile NAME|PRESET' verify --help

expect 0 -i rgb8.ppm -o blocks.jph
expect 0 verify blocks.jph
expect_out 0 'legal yes' verify --skip-blocks blocks.jph

# ---- Words that verify does not take --------------------------------------------------------------------------------------------------

for words in '--tile 64,64' '-r 10' '--force' '--threads 2' '-o other.jp2' '--nonsense' '--profile none-such' '--preset none-such' '--fps 0' '--fps x' '--fps 23.5' \
    '--fps 24/0' '--original' '--profile' '--xml x'; do
    # shellcheck disable=SC2086
    expect 2 verify good.jp2 $words
    [ -s err ] || fail "no reason for: $words"
done

# ---- Every preset: what it made meets its profile, by the walker's name and by its own -----------------------------------------------

# preset PICTURE PRESET PROFILE EXACT OPTIONS...
preset() {
    picture=$1
    name=$2
    profile=$3
    exact=$4
    shift 4
    extension=j2c
    case $profile in jp2 | kb-* | ndnp | bodleian* | bl-*) extension=jp2 ;; ht-archive) extension=jph ;; esac
    expect 0 -i "$picture" -o "made.$extension" --force --preset "$name" "$@"
    for spelling in "--profile $profile" "--profile $name" "--preset $name"; do
        # shellcheck disable=SC2086
        expect_out 0 "$profile" verify $spelling "made.$extension"
    done
    [ "$has_judge" -eq 0 ] && return
    # shellcheck disable=SC2086
    expect 0 verify --profile "$name" --original "$picture" "made.$extension" --json
    says "\"exact\":$exact"
    says '"profiles_met":'
}

for rate in 24 25 30 48 50 60; do
    for eyes in '' -3d; do
        preset rgb16.ppm "dci-2k-$rate$eyes" cinema2k false -X 12
        warns 'scaled as -TargetBitDepth does'
    done
    preset rgb16.ppm "dci-4k-$rate" cinema4k false -X 12
done
preset rgb16.ppm dci-2k-48-hfr cinema2k false -X 12
for size in 2k 4k 8k; do
    preset rgb16.ppm "imf-$size" "imf-$size" false
    preset rgb16.ppm "imf-$size-r" "imf-$size-r" true --levels 3
done
preset rgb16.ppm imf-2k-24-m3-s1 imf-2k false -X 10
preset rgb16.ppm broadcast-single-25-m2 broadcast-single false -X 10
preset rgb16.ppm broadcast-multi broadcast-multi false -X 10
preset rgb16.ppm broadcast-multi-r broadcast-multi-r true -X 12
for name in archive-lossless iiif-lossless; do
    preset rgb8.ppm $name jp2 true
done
for name in iiif-lossy wellcome; do
    preset grey8.pgm $name jp2 false
done
preset rgb8.ppm kb-access kb-access false
preset grey8.pgm ndnp ndnp false
preset rgb16.ppm bodleian bodleian true
preset rgb8.ppm bodleian-lossy bodleian-lossy false
preset grey8.pgm bl-newspaper bl-newspaper false
preset rgb8.ppm ht-archive ht-archive true
preset rgb8.ppm dicom-htj2k-rpcl dicom-htj2k-rpcl true
preset rgb16.ppm imf-ht-rev imf-ht-rev true
preset rgb16.ppm imf-ht-irv imf-ht-irv false --bpp 3

# A profile that is not met ends with 6; the limits of another rate are those limits.
expect 0 -i rgb16.ppm -o cinema.j2c --preset dci-2k-24 -X 12
expect 6 verify --profile dci-4k-24 cinema.j2c
expect 6 verify --profile bodleian cinema.j2c
expect_out 6 'cinema.bytes' verify --profile cinema2k --fps 60000 cinema.j2c
expect 0 verify --profile cinema2k --fps 23.976 cinema.j2c
expect 0 verify --profile cinema2k --fps 24000/1001 cinema.j2c

# ---- Originals ------------------------------------------------------------------------------------------------------------------------

if [ "$has_judge" -eq 1 ]; then
    expect_out 0 'exact yes' verify good.jp2 --original rgb8.ppm
    make other.ppm P6 240 180 255 129600
    printf 'zzzz' | dd of=other.ppm bs=1 seek=5000 conv=notrunc 2>/dev/null
    expect_out 0 'exact no' verify good.jp2 --original other.ppm
    says 'psnr '
    expect_err 6 'components were decoded' verify good.jp2 --original grey8.pgm
    expect_err 6 'was decoded as' verify good.jp2 --original rgb16.ppm
    expect 3 verify good.jp2 --original missing.ppm

    expect_out 0 'checked with OpenJPEG' -i rgb8.ppm -o xyz.j2c --preset dci-2k-24 --input-color srgb --verify
    expect 0 verify --profile dci-2k-24 --input-color srgb --original rgb8.ppm xyz.j2c
    right=$(sed -n 's/^psnr //p' out)
    expect 0 verify --profile dci-2k-24 --input-color p3-d65 --original rgb8.ppm xyz.j2c
    wrong=$(sed -n 's/^psnr //p' out)
    awk "BEGIN { exit !($right > 45 && $wrong < 40) }" || fail "PSNR $right with the right colours, $wrong with others"
    expect 0 -i rgb8.ppm -o xyz.jpc --input-color rec2020 --verify
    expect_out 0 'exact yes' verify --input-color rec2020 --original rgb8.ppm xyz.jpc
    expect_out 0 'exact no' verify --input-color rec2020 --input-transfer linear --original rgb8.ppm xyz.jpc

    # What would have no effect: as for encode.
    for words in '--input-transfer linear' '--input-range video' '--float-range 0,1' '--component-steps 1x1' '--drop-alpha --channels 0' '--memory 1M'; do
        # shellcheck disable=SC2086
        expect 2 verify good.jp2 --original rgb8.ppm $words
        grep -q . err || fail "verify --original $words: refused without a word"
    done

    { head -c 120000 "$wavelane" | tail -c 30000; } >raw.rawl
    expect 0 -i raw.rawl -F 100,100,3,8,u -o raw.j2k
    expect_out 0 'exact yes' verify --raw-format 100,100,3,8,u --original raw.rawl raw.j2k
else
    expect_err 2 'no OpenJPEG' verify good.jp2 --original rgb8.ppm
fi

for words in '--page 0' '--max-pixels 100' '--palette indices'; do
    # shellcheck disable=SC2086
    expect_err 2 'need --original' verify good.jp2 $words
done
for command in info verify; do
    expect_err 0 '--recursive had no effect' $command good.jp2 --recursive
    mkdir folder.$command
    cp good.jp2 folder.$command
    expect 0 $command folder.$command --recursive
    [ ! -s err ] || fail "$command --recursive of a folder warns"
done

end_checks
