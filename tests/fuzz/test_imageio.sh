#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the fuzz entry of the picture readers over small pictures: whole, cut short, and with bytes of the head spoilt.
#   test_imageio.sh FUZZ-PROGRAM WAVELANE
# The readers must accept or refuse each of them; a crash, a broken promise about the samples or a sanitizer report fails.
set -eu
. "$(dirname "$0")/../support/shell.sh"

fuzz=$1
mkdir "$work/whole" "$work/spoilt"

# The self-made ones need no folder of pictures.
{ printf 'P5\n5 3\n255\n'; printf '%015d' 0; } >"$work/whole/grey.pgm"
{ printf 'P6\n2 2\n65535\n'; printf '%024d' 0; } >"$work/whole/deep.ppm"
printf 'P2\n3 2\n9\n0 1 2 3 4 9\n' >"$work/whole/text.pgm"
printf 'P1\n4 2\n1 0 0 1\n0110\n' >"$work/whole/bits.pbm"
{ printf 'P7\nWIDTH 2\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'; printf '%016d' 0; } >"$work/whole/alpha.pam"
{ printf 'PG ML -8 4 4\n'; printf '%016d' 0; } >"$work/whole/signed.pgx"
{ printf 'BM\106\000\000\000\000\000\000\000\066\000\000\000\050\000\000\000\002\000\000\000\002\000\000\000\001\000\030\000'
    printf '\000\000\000\000\020\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000'; printf '%016d' 0; } >"$work/whole/rgb.bmp"
{ printf '\000\000\002\000\000\000\000\000\000\000\000\000\002\000\002\000\030\040'; printf '%012d' 0; } >"$work/whole/rgb.tga"
# And pictures that Python makes, with what the command makes of them.
if part python3; then
    python3 "$(dirname "$0")/../unit/make_inputs.py" "$work/whole"
    for name in rgb.ppm rgba.pam palette.bmp tagged.png deep.pgm; do
        "$2" -i "$work/whole/$name" -o "$work/whole/$name.jp2" --palette indices --quiet 2>/dev/null || "$2" -i "$work/whole/$name" -o "$work/whole/$name.jp2" --quiet
    done
    "$2" -i "$work/whole/rgb.ppm" -o "$work/whole/ht.jhc" --quiet
    "$2" -i "$work/whole/rgb.ppm" -o "$work/whole/tile.j2k" --quiet
    python3 - "$(dirname "$0")/../unit" "$work/whole" <<'PY'
import pathlib
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from small_pictures import tiff_of_pieces
whole = pathlib.Path(sys.argv[2])
width, height = map(int, (whole / "rgb.ppm").read_bytes().split(maxsplit=3)[1:3])
tile, shape = (whole / "tile.j2k").read_bytes(), {322: (3, [width]), 323: (3, [height])}
for compression in (33003, 33005, 34712):
    tags = {256: (3, [2 * width]), 257: (3, [height]), 258: (3, [8] * 3), 259: (3, [compression]), 262: (3, [2]), 277: (3, [3]), **shape}
    (whole / f"tiles{compression}.tif").write_bytes(tiff_of_pieces([tile, tile], tags))
PY
    rm "$work/whole/fatal.jhc" # it ends OpenJPEG's process: that is for the guard of the command (unit.inputs)
fi
made=$(find "$work/whole" -type f | wc -l)

if [ -n "${WVL_TEST_PICTURES:-}" ]; then
    find "$WVL_TEST_PICTURES" -type f -size -96k -exec cp {} "$work/whole" \;
else
    echo "no folder of pictures: only those made here"
fi

if part python3; then
    python3 - "$work/whole" "$work/spoilt" <<'PY'
import pathlib
import sys
whole, spoilt = map(pathlib.Path, sys.argv[1:])
for picture in whole.iterdir():
    data = picture.read_bytes()
    for part in (1, 2, 3):
        (spoilt / f"{picture.name}.cut{part}").write_bytes(data[: len(data) * part // 4])
    for offset in (1, 4, 8, 12, 18, 22, 28, 40, 60):
        for value in (255, 128, 0):
            if offset < len(data):
                (spoilt / f"{picture.name}.{offset}.{value}").write_bytes(data[:offset] + bytes([value]) + data[offset + 1 :])
PY
fi

find "$work/whole" "$work/spoilt" -type f -print0 | xargs -0 -n 200 "$fuzz"
echo "$(find "$work/whole" -type f | wc -l) pictures ($made made here), $(find "$work/spoilt" -type f | wc -l) spoilt copies"
end_suite 0
