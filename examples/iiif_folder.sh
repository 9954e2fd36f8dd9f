#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A folder of scans to a folder of JP2 files for an image server (IIIF), each of them judged.
#
#   iiif_folder.sh SCANS OUTPUT [PRESET]
#
# PRESET is iiif-lossless unless given; iiif-lossy makes smaller files. The outputs have the names of the scans, with the extension jp2, and a list
# OUTPUT/report.csv. What an interrupted run left undone is made by the next run; finished files are kept.
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac
[ $# -ge 2 ] || {
    echo 'usage: iiif_folder.sh SCANS OUTPUT [PRESET]' >&2
    exit 2
}
scans=$1 output=$2 preset=${3:-iiif-lossless} failed=0
mkdir -p "$output"

for scan in "$scans"/*; do
    name=$(basename "$scan")
    case $name in
    *.tif | *.tiff | *.TIF | *.TIFF | *.png | *.PNG | *.ppm | *.pgm) ;;
    *) continue ;;
    esac
    file=$output/${name%.*}.jp2
    [ -e "$file" ] || wavelane --quiet -i "$scan" -o "$file" --preset "$preset" || failed=1
done

# One row for each file; the exit code says whether all of them are legal.
wavelane verify --csv "$output" >"$output/report.csv" || failed=1
echo "$(($(wc -l <"$output/report.csv") - 1)) files in $output, see report.csv"
exit $failed
