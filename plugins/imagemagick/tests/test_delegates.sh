#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# ImageMagick and GraphicsMagick with the delegates, from a configuration of their own: lossless pixels, with wavelane in PATH.
#   test_delegates.sh WAVELANE
set -eu
case ${1:-} in --help | -h) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;; esac
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/im" "$work/gm"
ln -s "$(realpath "$1")" "$work/bin/wavelane"
PATH=$work/bin:$PATH
export PATH
command -v opj_decompress >/dev/null || { echo 'no opj_decompress' && exit 77; }
magick=$(command -v convert-im6.q16 || command -v magick || true)
gm=$(command -v gm || true)
[ -n "$magick$gm" ] || { echo 'no ImageMagick, no GraphicsMagick' && exit 77; }
cd "$work"
{ printf 'P6\n60 40\n255\n' && awk 'BEGIN { for (i = 0; i < 7200; i++) printf "%c", i % 89 + 33 }'; } >picture.ppm
ran=0

# same FILE: it decodes to the picture.
same() {
    wavelane verify "$1" >log || { cat log && exit 1; }
    opj_decompress -i "$1" -o back.ppm >log 2>&1 || { cat log && exit 1; }
    tail -c 7200 back.ppm >back
    tail -c 7200 picture.ppm | cmp - back
    ran=$((ran + 1))
}
if [ -n "$magick" ]; then
    cp "$here/delegates.xml" im/
    for kind in jph jhc; do
        MAGICK_CONFIGURE_PATH=$work/im "$magick" picture.ppm out.$kind
        mv out.$kind out.$kind.$( [ $kind = jph ] && echo jp2 || echo j2k)
        same out.$kind.*
    done
fi
if [ -n "$gm" ]; then
    for file in /usr/lib/GraphicsMagick-*/config/delegates.mgk /usr/share/GraphicsMagick-*/config/delegates.mgk; do
        [ ! -e "$file" ] || sed "/^<delegatemap>/r $here/delegates.mgk" "$file" >gm/delegates.mgk
    done
    for kind in jp2 j2k jph; do
        MAGICK_CONFIGURE_PATH=$work/gm gm convert picture.ppm gm_out.$kind
        [ $kind != jph ] || mv gm_out.jph gm_out.jph.jp2
        same gm_out.$kind*
        rm -f gm_out.*
    done
fi
echo "$ran files by delegates decode to the picture"
