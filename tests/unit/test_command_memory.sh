#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Want of memory is exit code 5, whatever is short of it: each allocation of a command fails once, that of other libraries too.
#   test_command_memory.sh WAVELANE LIBRARY          LIBRARY: failing_memory.c
# Exit 77: a build that brings an allocator of its own.
set -u
folder=$(cd "$(dirname "$0")" && pwd)
. "$folder/../support/shell.sh"
library=$(absolute "$2")
open_command "$1"
python3 "$folder/make_inputs.py" . || exit 1

LD_PRELOAD="$library" WVL_FAIL_COUNT=count "$wavelane" --version >out 2>err
if [ ! -s count ] || [ "$(cat count)" -eq 0 ]; then
    echo 'skipped: this build brings an allocator of its own'
    exit 77
fi

# 4 x 2 samples of 32 bits, uncompressed.
python3 - <<'PY'
import struct
def text(s): return s.encode() + b"\0"
def attribute(name, kind, data): return text(name) + text(kind) + struct.pack("<I", len(data)) + data
channels = b"".join(text(c) + struct.pack("<IIII", 2, 0, 1, 1) for c in "BGR") + b"\0"
window = struct.pack("<iiii", 0, 0, 3, 1)
head = struct.pack("<II", 20000630, 2) + attribute("channels", "chlist", channels) + attribute("compression", "compression", b"\0")
head += attribute("dataWindow", "box2i", window) + attribute("displayWindow", "box2i", window) + attribute("lineOrder", "lineOrder", b"\0")
head += attribute("pixelAspectRatio", "float", struct.pack("<f", 1)) + attribute("screenWindowCenter", "v2f", struct.pack("<ff", 0, 0))
head += attribute("screenWindowWidth", "float", struct.pack("<f", 1)) + b"\0"
rows = [struct.pack("<ii", y, 48) + struct.pack("<12f", *[x / 16 + y / 4 for x in range(12)]) for y in range(2)]
offsets = struct.pack("<QQ", len(head) + 16, len(head) + 16 + len(rows[0]))
open("picture.exr", "wb").write(head + offsets + b"".join(rows))
open("s.y4m", "wb").write(b"YUV4MPEG2 W4 H2 F25:1 Cmono\n" + (b"FRAME\n" + b"abcdefgh") * 2)
PY
mkdir shots
cp rgb.ppm grey.pgm shots
"$wavelane" -i rgb.ppm -o rgb.jp2 --quiet || exit 1
"$wavelane" -i rgb.ppm -o rgb.jph --quiet || exit 1

clean() { rm -rf made.* made; }

# each NAME CODES ARGUMENTS...: with every allocation in turn. CODES: what else it may end with; 139 where a library of others does not look.
each() {
    name=$1 codes=$2
    shift 2
    clean
    LD_PRELOAD="$library" WVL_FAIL_COUNT=count "$wavelane" "$@" >out 2>err </dev/null || {
        fail "$name: exit $? with all memory"
        return
    }
    total=$(cat count)
    n=1 short=0 step=$((total / 80 + 1))
    while [ "$n" -le "$total" ]; do
        clean
        checks=$((checks + 1))
        code=0
        (LD_PRELOAD="$library" WVL_FAIL_AT=$n exec timeout 20 "$wavelane" "$@") >out 2>err </dev/null || code=$?
        case " 0 5 $codes " in
        *" $code "*) ;;
        *) fail "$name: exit $code where allocation $n of $total fails" ;;
        esac
        [ $code -ne 5 ] && ! grep -q memory err || {
            short=$((short + 1))
            [ -s err ] || fail "$name: nothing is said where allocation $n fails"
            [ -z "$(find . -name made.jp2 -o -name made.j2k)" ] || fail "$name: a file is left where allocation $n fails"
        }
        n=$((n + step))
    done 2>crashes
    [ $short -ge 5 ] || fail "$name: $short of $total allocations were missed: the test shows nothing"
}

each PPM '' -i rgb.ppm -o made.jp2 --threads 1 --quiet
each PNG '' -i tagged.png -o made.jp2 --threads 1 --quiet
each BMP '' -i palette.bmp -o made.jp2 --threads 1 --quiet
each PFM '' -i ramp.pfm -o made.j2k --float-transfer linear --threads 1 --quiet
each PAM '' -i rgba.pam -o made.j2k --threads 1 --quiet --channels 2,1,0
each raw '' -i neutral.yuv -F 6,4,3,8,u@1x1:2x2:2x2 -o made.jp2 --ycc-to-rgb --threads 1 --quiet
if "$wavelane" -i grey.jpg -o made.j2k --quiet 2>err; then
    each JPEG '' -i flat.jpg -o made.jp2 --threads 1 --quiet
fi
if "$wavelane" -i picture.exr -o made.j2c --quiet --float-transfer linear 2>err; then
    each OpenEXR '' -i picture.exr -o made.j2k --float-transfer linear --threads 1 --quiet
fi
each TIFF 139 -i pages.tif -o made.jp2 --threads 1 --quiet # libtiff 4.5
each explain '' -i rgb.ppm --explain
each trace '' -i rgb.ppm -o made.jp2 --trace made.trace --threads 1 --quiet
each memory '' -i rgb.ppm -o made.jp2 --memory 64M --threads 1 --quiet
each folder 1 -ImgDir shots -OutFor jp2 -o made --threads 1 --quiet
each frames '' sequence shots made/ --threads 1 --pictures 1 --quiet --report made.report
each stream '' sequence s.y4m made.j2c --threads 1 --pictures 1 --quiet
each info '' info rgb.jp2
each verify '' verify rgb.jph
if "$wavelane" --version | grep -q OpenJPEG; then
    each 'JPEG 2000' 3 -i rgb.jp2 -o made.jp2 --threads 1 --quiet # OpenJPEG 2.5 does not survive some: its child ends
    each check 6 -i rgb.ppm -o made.jp2 --verify --threads 1 --quiet
fi

end_checks
