#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random configurations of a fixed seed, the cases that once failed, and faults planted to prove that the judge sees them.
#   test_configurations.sh FUZZ-PROGRAM REGRESS-FOLDER
# WVL_TEST_SHORT: cases and configurations only, and fewer of them: the proofs say the same in every build.
set -eu
. "$(dirname "$0")/../support/shell.sh"

fuzz=$1
regress=$2

"$fuzz" --replay-files "$regress"/*.case
count=300
[ -z "${WVL_TEST_SHORT:-}" ] || count=100
if [ -n "${WVL_TEST_PICTURES:-}" ]; then
    "$fuzz" --seed 1 --count $count --jobs 2 --pictures "$WVL_TEST_PICTURES"
else
    "$fuzz" --seed 1 --count $count --jobs 2
fi
if [ -n "${WVL_TEST_SHORT:-}" ]; then
    "$fuzz" --presets --seed 1 --count 60 --jobs 2 --no-reduce
    exit 0
fi

# plant NAME CHECK COUNT SEED: the run must fail, name the check, and keep a reduced case that fails the same way when it is replayed.
plant()
{
    mkdir "$work/$1"
    if "$fuzz" --seed "$4" --count "$3" --jobs 2 --plant "$1" --keep "$work/$1" >"$work/$1.log"; then
        cat "$work/$1.log"
        echo "a planted fault ($1) was not seen"
        exit 1
    fi
    grep -q "FAILED seed [0-9]*, $2:" "$work/$1.log" || { cat "$work/$1.log"; echo "$1: not found by the check \"$2\""; exit 1; }
    for kept in "$work/$1"/*.case; do
        if "$fuzz" --plant "$1" --replay-files "$kept" >/dev/null; then
            cat "$kept"
            echo "$1: the reduced case does not fail any more"
            exit 1
        fi
        "$fuzz" --replay-files "$kept" >/dev/null || { cat "$kept"; echo "$1: the reduced case fails without the fault"; exit 1; }
        if [ "$(tail -n 1 "$kept" | wc -w)" -gt 12 ]; then
            cat "$kept"
            echo "$1: the case is not reduced"
            exit 1
        fi
    done
    echo "planted $1: $(find "$work/$1" -name '*.case' | wc -l) failures seen and reduced"
}

# Half a decibel too much is more than a measured PSNR may be off.
if "$fuzz" --seed 1 --count 150 --jobs 2 --no-reduce --plant measured >"$work/measured.log"; then
    cat "$work/measured.log"
    echo "measured PSNRs that are too high were not seen"
    exit 1
fi
grep -q "^FAILED seed [0-9]*, psnr:" "$work/measured.log" || { cat "$work/measured.log"; exit 1; }
grep -q "^FAILED measured:" "$work/measured.log" || { cat "$work/measured.log"; echo "their mean does not show it"; exit 1; }

# A single estimate may be off by a quarter of a decibel, the mean of all may not.
"$fuzz" --estimates --seed 1 --count 120 --jobs 2 --no-reduce
if "$fuzz" --estimates --seed 1 --count 120 --jobs 2 --no-reduce --plant estimate >"$work/estimate.log"; then
    cat "$work/estimate.log"
    echo "estimates that drift were not seen"
    exit 1
fi
grep -q "^FAILED estimates" "$work/estimate.log" || { cat "$work/estimate.log"; exit 1; }

# A preset that refuses every picture is a failure, though each refusal alone might follow from its bytes.
"$fuzz" --presets --seed 1 --count 400 --jobs 2 --no-reduce
if "$fuzz" --presets --seed 1 --count 400 --jobs 2 --no-reduce --plant refusal >"$work/refusal.log"; then
    cat "$work/refusal.log"
    echo "a preset that refuses everything was not seen"
    exit 1
fi
grep -q "^FAILED preset: " "$work/refusal.log" || { cat "$work/refusal.log"; exit 1; }

# A foreign decoder that takes too long is no hang of the encoder; one of the encoder is.
mkdir "$work/slow"
printf '#!/bin/sh\nexec sleep 100\n' >"$work/slow/grk_decompress"
chmod +x "$work/slow/grk_decompress"
(PATH="$work/slow:$PATH" "$fuzz" --second --patience 1 --replay "size=40,30") >"$work/slow.log" || { cat "$work/slow.log"; exit 1; }
grep -q 'passed a judge is too slow' "$work/slow.log" || { cat "$work/slow.log"; echo "a slow program was waited for"; exit 1; }
"$fuzz" --seed 1 --count 2 --patience 1 --plant slow >"$work/slow.log" || { cat "$work/slow.log"; exit 1; }
grep -q 'a foreign decoder was too slow and was not waited for: 2$' "$work/slow.log" || { cat "$work/slow.log"; exit 1; }
grep -q 'unjudged: .*: 2$' "$work/slow.log" || { cat "$work/slow.log"; echo "what no decoder read counts as judged"; exit 1; }
if "$fuzz" --seed 1 --count 1 --seconds 1 --patience 100 --no-reduce --plant hang >"$work/hang.log"; then
    cat "$work/hang.log"
    echo "an encode that does not end was not seen"
    exit 1
fi
grep -q '^FAILED seed 1, hang:' "$work/hang.log" || { cat "$work/hang.log"; exit 1; }

# Grok loses passes of small blocks and comes nearer to the original by chance: the PSNR is measured, and OpenJPEG's is that.
if part grk_decompress; then
    "$fuzz" --second --replay "picture=sparse at=9 size=64,48 components=7u@3x1 reversible=no tile=14,1 layers=2 measure-psnr=no qfactor=42"
    # CRG sets components 0 to 2 apart, and Grok leaves the inverse colour transform out. In the last case OpenJPEG complains about PTERM, so Grok judges alone.
    crg="registration=[0,0],[1,0],[0,0],[0,0],[0,0]"
    for more in "" "mct=off" "overrides=C3-4:precincts=[16,16]/C0-0:style=16"; do
        "$fuzz" --second --replay "picture=sparse size=130,170 components=5*8u $crg $more"
    done >"$work/offsets.log" || { cat "$work/offsets.log"; exit 1; }
    explained=$(sed 's/^case: passed *//; s/ *$//' "$work/offsets.log" | tr '\n' ';')
    [ "$explained" = "grok-unlike-offsets;;openjpeg-mixed-terminat;" ] || { cat "$work/offsets.log"; exit 1; }
fi

plant body exact 15 3 # seed 2 takes a minute and a half to reduce
plant length result 10 1
plant crash crash 10 1

# Digests: the same whatever the number of processes, one a configuration, and that of the file which the encoder writes.
digests() { # NAME JOBS SEED
    "$fuzz" --seed "$3" --count 60 --jobs "$2" --digests "$work/$1.digests" >"$work/$1.log" || { cat "$work/$1.log"; exit 1; }
}
if "$fuzz" --count 1 --digests "$work/has.digests" >/dev/null 2>&1; then
    digests one 1 1
    digests two 2 1
    cmp "$work/one.digests" "$work/two.digests"
    [ "$(grep -cE '^[0-9]+ [0-9a-f]{64}$' "$work/one.digests")" -ge 40 ] || { echo "too few digests"; exit 1; }
    [ "$(cut -d ' ' -f 2 "$work/one.digests" | grep -cE '^[0-9a-f]{64}$')" = "$(cut -d ' ' -f 2 "$work/one.digests" | grep -E '^[0-9a-f]{64}$' | sort -u | wc -l)" ] ||
        { echo "different configurations gave equal digests"; exit 1; }
    digest=$(sed -n 's/^1 //p' "$work/one.digests")
    "$fuzz" --write "$work/first.bytes" --replay "$("$fuzz" --show 1)" >/dev/null
    [ "$(sha256sum <"$work/first.bytes" | cut -d ' ' -f 1)" = "$digest" ] || { echo "the digest is not that of the file"; exit 1; }
fi
end_suite 0
