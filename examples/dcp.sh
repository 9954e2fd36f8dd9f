#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Frames to the picture track of a digital cinema package: codestreams of the 2K or 4K profile, and an MXF file of them where asdcplib is installed.
#
#   dcp.sh FRAMES OUTPUT [PRESET [COLOUR]]
#
# FRAMES: a folder of DPX or TIFF files, named in their order. PRESET is dci-2k-24 unless given: the name of a cinema preset with its frame rate. COLOUR is
# what the frames are in: a word of --input-color (p3-d65, rec709, xyz, ...), or auto unless given, which takes it from the files. OUTPUT gets a folder j2c, and picture.mxf from "asdcp-wrap" (asdcplib, https://www.cinecert.com/asdcplib).
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac
[ $# -ge 2 ] || {
    echo 'usage: dcp.sh FRAMES OUTPUT [PRESET [COLOUR]]' >&2
    exit 2
}
frames=$1 output=$2 preset=${3:-dci-2k-24} color=${4:-auto}
mkdir -p "$output/j2c"

# Frames keep their order: the outputs are numbered.
number=0
for frame in "$frames"/*; do
    case $frame in
    *.dpx | *.tif | *.tiff) ;;
    *) continue ;;
    esac
    wavelane --quiet --force -i "$frame" -o "$output/j2c/$(printf %06d $number).j2c" --preset "$preset" --input-color "$color"
    number=$((number + 1))
done
[ $number -gt 0 ] || {
    echo "dcp.sh: no DPX or TIFF file in $frames" >&2
    exit 1
}

# Every frame keeps the limits of the profile: bytes of the codestream and of each component, tile-parts, precincts.
wavelane verify --profile "$preset" --csv "$output/j2c" >"$output/report.csv"

if command -v asdcp-wrap >/dev/null; then
    rate=$(echo "$preset" | cut -d- -f3)
    asdcp-wrap -L -p "${rate:-24}" "$output/j2c" "$output/picture.mxf"
    echo "$number frames, $output/picture.mxf"
else
    echo "$number frames in $output/j2c; asdcp-wrap is not installed, so there is no MXF file"
fi
