#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The twins of both directions with the portable device code, assembled for the device that is here, and under compute-sanitizer: memcheck and synccheck
# on a subset of the cases, racecheck and initcheck, which are slow, on a smaller one. Without a device and with
# WVL_LONG: the builds of device code that nothing else makes.
# The twins of block coders and packets, and whole encodes of pictures up to 512x512, with all four checkers on their subsets.
#   test_checkers.sh NVCC SOURCE FOLDER
# FOLDER: where the test programs are; all but the first may be absent.
# WVL_CHECKERS: an extended regular expression; only runs with such a name take place (as "encode.racecheck.whole_ht").
set -eu
. "$(dirname "$0")/../support/shell.sh"

nvcc=$1 source=$2 folder=$3
forward=$folder/test_cuda_dwt inverse=$folder/lab/test_cuda_inverse
directions=forward
[ ! -x "$inverse" ] || directions='forward inverse'
unit_of() { if [ "$1" = forward ]; then echo cuda/kernels.cu; else echo lab/cuda/inverse/kernels.cu; fi; }
export CK_DEFAULT_TIMEOUT=0

# compile NAME.DIRECTION VIRTUAL REAL OPTION...
compile() {
    name=$1 from=$2 to=$3
    shift 3
    "$nvcc" -std=c++17 -O3 --fmad=false -Werror all-warnings -I"$source/include" -I"$source/src" -I"$source" "$@" \
        -gencode "arch=compute_$from,code=$to" -o "$work/$name.image" "$source/$(unit_of "${name##*.}")" || : >"$work/$name.broken"
}

real=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sed -n '1s/^\([0-9]*\)\.\([0-9]\)$/\1\2/p') || :
if [ "${real:-0}" -lt 75 ] && [ -z "${WVL_LONG:-}" ]; then
    echo "no device: twins with the portable code and compute-sanitizer are skipped; .ci/long compiles that code"
    exit 77
fi
# Barriers as racecheck knows them (cuda/core/meet.cuh).
for direction in $directions; do
    compile "counted.$direction" 80 compute_80 -ptx -DWVL_CUDA_COUNTED_BARRIERS=1 &
done
wait
[ -z "$(find "$work" -name '*.broken')" ] || exit 1
if [ "${real:-0}" -lt 75 ] || CK_RUN_CASE=versions "$forward" | grep -q 'no device'; then
    echo "no device: twins with the portable code and compute-sanitizer are skipped"
    exit 77
fi
for direction in $directions; do
    compile "75.$direction" 75 "sm_$real" -cubin &
    [ "$real" -ge 80 ] || continue
    compile "80.$direction" 80 "sm_$real" -cubin &
    compile "counted.$direction" "$real" "sm_$real" -cubin -DWVL_CUDA_COUNTED_BARRIERS=1 &
    compile "control.$direction" "$real" "sm_$real" -cubin -DWVL_CUDA_COUNTED_BARRIERS=0 &
done
wait
[ -z "$(find "$work" -name '*.broken')" ] || exit 1

# job NAME PROGRAM WORD...: the words before the program, in the environment or a checker. Its log is NAME.log, and ends with its status if that is not 0.
job() {
    name=$1 program=$2
    shift 2
    echo "timeout 300 env $* '$program' || echo 'status' \$?" >"$work/$name.job"
}
checker='compute-sanitizer --error-exitcode 7 --tool'
checks='memcheck synccheck initcheck racecheck'
command -v compute-sanitizer >/dev/null || { checks='' && echo "no compute-sanitizer: its checks are skipped"; }
for direction in $directions; do
    program=$forward meeting=wide # a case whose warps meet at barriers
    cases='small_shapes limits marching wide two_sizes two_sizes_large packed beside cascades last_levels structures converted outside_is_refused refusals'
    [ $direction = forward ] || program=$inverse meeting=kernels cases='small_shapes limits marching shared_warps structures kernels'
    counted="WVL_CUDA_TWIN_IMAGE=$work/counted.$direction.image"
    for image in 75 80; do
        [ ! -e "$work/$image.$direction.image" ] || job "$direction.portable_$image" "$program" WVL_CUDA_TWIN_IMAGE="$work/$image.$direction.image"
    done
    for check in $checks; do
        for only in $cases; do
            name=$direction.$check.$only
            case $check in
            initcheck) job "$name" "$program" CK_RUN_CASE="$only" WVL_CUDA_SUBSET=2 WVL_CUDA_UNPOISONED=1 "$checker" "$check" ;;
            racecheck) [ "$real" -lt 80 ] ||
                job "$name" "$program" CK_RUN_CASE="$only" WVL_CUDA_SUBSET=2 "$counted" "$checker" "$check" --num-cuda-barriers 16 ;;
            *) job "$name" "$program" CK_RUN_CASE="$only" WVL_CUDA_SUBSET=1 "$checker" "$check" ;;
            esac
        done
    done
    # With barriers at which nobody waits.
    [ ! -e "$work/$direction.racecheck.$meeting.job" ] || job "control.$direction" "$program" CK_RUN_CASE=$meeting WVL_CUDA_SUBSET=2 \
        WVL_CUDA_TWIN_IMAGE="$work/control.$direction.image" "$checker" racecheck --num-cuda-barriers 16
done
# subset NAME PROGRAM CASE...: a twin whose emulation does not run here, or whole encodes.
subset() {
    twin=$1 program=$folder/$2
    shift 2
    [ -x "$program" ] || return 0
    for image in 75 80; do
        [ ! -e "$work/$image.forward.image" ] || job "$twin.portable_$image" "$program" WVL_CUDA_TWIN_IMAGE="$work/$image.forward.image"
    done
    for check in $checks; do
        for only in "$@"; do
            case $check in
            initcheck) job "$twin.$check.$only" "$program" CK_RUN_CASE="$only" WVL_CUDA_SUBSET=1 WVL_CUDA_UNPOISONED=1 "$checker" "$check" ;;
            racecheck) job "$twin.$check.$only" "$program" CK_RUN_CASE="$only" WVL_CUDA_SUBSET=1 ${counted_image:+"$counted_image"} \
                "$checker" "$check" ${counted_image:+--num-cuda-barriers 16} ;;
            *) job "$twin.$check.$only" "$program" CK_RUN_CASE="$only" WVL_CUDA_SUBSET=1 "$checker" "$check" ;;
            esac
        done
    done
}
export WVL_CUDA_NO_EMULATION=1
counted_image=
subset ht test_cuda_ht shapes borders pairs ones refinement shared_memory short_memory groups
subset t1 test_cuda_t1 shapes borders styles natural short_memory unbounded
subset mq test_cuda_mq styles mixed_styles shapes lists longest many
subset hull test_cuda_hull samples passes
subset depth test_cuda_depth rounds passes
subset rate test_cuda_rate sizes caps
subset sets test_cuda_sets sets codewords
subset rdoq test_cuda_rdoq change weigh slopes
subset packets test_cuda_packets orders structures large_packets many_packets pictures refined drawn
# Whole encodes have the transform too, and the barriers of its warps.
[ ! -e "$work/counted.forward.image" ] || [ "$real" -lt 80 ] || counted_image=WVL_CUDA_TWIN_IMAGE=$work/counted.forward.image
subset encode test_pictures whole_ht whole_ht_tiles whole_part1 whole_part1_tiles whole_part1_styles whole_part1_noise whole_part1_rate whole_ht_rate whole_part1_survey
find "$work" -name '*.job' | while read -r file; do
    basename "$file" .job | grep -Eq "${WVL_CHECKERS:-.}" || rm "$file"
done
cat >"$work/judge" <<'END'
name=$(basename "$1" .job)
sh "$1" >"$1.log" 2>&1
count=$(sed -n 's/^100%: Checks: \([1-9][0-9]*\), Failures: 0, Errors: 0$/\1/p' "$1.log")
summary=$(sed -n 's/^=* *\(ERROR\|RACECHECK\) SUMMARY: *//p' "$1.log")
verdict=FAILED
case $name in
control.*) ! echo "$summary" | grep -q '^[1-9][0-9]* hazards' || verdict=found ;;
*) [ -z "$count" ] || grep -q '^status\|skipped' "$1.log" || verdict=passed ;;
esac
echo "$verdict: $name: ${count:-?} checks${summary:+, $summary}"
[ $verdict != FAILED ] || { tail -n 12 "$1.log"; exit 1; }
END
find "$work" -name '*.job' | LC_ALL=C sort | xargs -P "$(nproc)" -n 1 sh "$work/judge" || { echo "not all passed"; exit 1; }
