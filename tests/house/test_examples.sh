#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds the examples against an installed library, with CMake and with pkg-config, and runs each of them.
#   test_examples.sh BUILD SOURCE C-COMPILER
set -eu
. "$(dirname "$0")/../support/shell.sh"

build=$1 source=$2 cc=$3
prefix=$work/prefix

# require WHAT COMMAND...: the command succeeds.
require() {
    what=$1
    shift
    "$@" >"$work/log" 2>&1 || {
        echo "$what: failed: $*"
        cat "$work/log"
        exit 1
    }
}

quietly cmake --install "$build" --prefix "$prefix"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name wavelane.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
PATH=$prefix/bin:$PATH
export PKG_CONFIG_PATH LD_LIBRARY_PATH PATH
cd "$work"

# ---- C and C++ ---------------------------------------------------------------------------------------------------------

flags="-Wall -Wextra -Wpedantic -Werror"
mkdir by_pkg_config
# shellcheck disable=SC2046,SC2086 # compiler flags are words
for name in c_file device_pixels throughput; do
    quietly "$cc" -std=c11 $flags -pthread -o by_pkg_config/$name "$source/examples/$name.c" $(pkg-config --cflags --libs wavelane) -ldl
done
folders=by_pkg_config
if part c++; then
    # shellcheck disable=SC2046,SC2086
    quietly c++ -std=c++17 $flags -pthread -o by_pkg_config/frames_in_flight "$source/examples/frames_in_flight.cpp" $(pkg-config --cflags --libs wavelane)
    quietly cmake -S "$source/examples" -B by_cmake -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix"
    quietly cmake --build by_cmake
    folders="by_pkg_config by_cmake"
fi

{ printf 'P6\n90 60\n255\n'; head -c 300000 "$prefix/bin/wavelane" | tail -c 250000 | head -c 16200; } >photo.ppm
wavelane --quiet -i photo.ppm -o wanted.jp2

# Plugins against the installed library, which is moved then; and from the build, where they are installed too.
quietly cmake -S "$source/plugins" -B plugins_built -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_INSTALL_PREFIX="$work/plugins_prefix"
quietly cmake --build plugins_built
quietly cmake --install plugins_built
if part opj_compress; then
    for folder in "$prefix" "$work/plugins_prefix"; do
        plugins=$(dirname "$(find "$folder" -name libwavelane-openjp2.so)")
        WAVELANE_PLUGINS=$plugins require 'wavelane run' wavelane run -- opj_compress -i photo.ppm -o host.jp2
        require "an encode by the plugin in $plugins" grep -q 'Encoded by Wavelane' host.jp2
    done
    require 'wavelane run, from where it is installed' wavelane run opj_compress -i photo.ppm -o host.jp2
fi

wavelane --quiet -i photo.ppm -o wanted.j2c --style HT
for folder in $folders; do
    cp photo.ppm frame1.ppm
    cp photo.ppm frame2.ppm
    require throughput $folder/throughput frame1.ppm frame2.ppm
    for number in 1 2; do
        require 'throughput: other bytes than those of the command' cmp frame$number.ppm.j2c wanted.j2c
        rm frame$number.ppm.j2c
    done
    require c_file $folder/c_file photo.ppm $folder/photo.jp2
    require 'c_file: other bytes than those of the command' cmp $folder/photo.jp2 wanted.jp2
    require 'c_file with options' $folder/c_file photo.ppm $folder/lossy.jp2 'reversible=no, rates="8,4", container=jp2'
    require 'c_file with options' wavelane verify $folder/lossy.jp2
    if $folder/c_file photo.ppm $folder/none.jp2 'levls=3' 2>said; then
        echo 'c_file takes an unknown option' && exit 1
    fi
    require 'c_file: no reason' grep -q 'position 1: .*the nearest is "levels"' said

    if [ -x $folder/frames_in_flight ]; then
        mkdir $folder/film
        require frames_in_flight $folder/frames_in_flight $folder/film 9
        [ "$(ls $folder/film | tr '\n' ' ')" = '0000.j2c 0001.j2c 0002.j2c 0003.j2c 0004.j2c 0005.j2c 0006.j2c 0007.j2c 0008.j2c ' ] || {
            echo "frames_in_flight: wrong names: $(ls $folder/film)" && exit 1
        }
        require 'frames_in_flight: a frame is not legal' wavelane verify $folder/film
        [ "$(cat $folder/film/* | cksum)" = "$(cat by_pkg_config/film/* | cksum)" ] || { echo 'frames_in_flight: other bytes' && exit 1; }
        [ "$(cksum <$folder/film/0000.j2c)" != "$(cksum <$folder/film/0001.j2c)" ] || { echo 'frames_in_flight: all frames are alike' && exit 1; }
        if $folder/frames_in_flight missing/folder 9 2>said; then
            echo 'frames_in_flight: a failure is not noticed' && exit 1
        fi
        require 'frames_in_flight: no reason' grep -q 'cannot be written' said
    fi

    # device.example_soft runs it with a device made of software. Here it finds a device or says that there is none.
    code=0
    $folder/device_pixels $folder/device.j2c >said 2>&1 || code=$?
    case $code in
    0) require 'device_pixels' wavelane verify $folder/device.j2c ;;
    77) require 'device_pixels: no reason' grep -q 'device' said ;;
    *)
        echo "device_pixels ends with $code: $(cat said)"
        exit 1
        ;;
    esac
done

# ---- Scripts -----------------------------------------------------------------------------------------------------------

mkdir scans
cp photo.ppm scans/one.ppm
{ printf 'P5\n40 50\n255\n'; head -c 2000 photo.ppm; } >'scans/second page.pgm'
echo text >scans/readme.txt
require iiif_folder.sh "$source/examples/iiif_folder.sh" scans served
[ "$(find served -type f | LC_ALL=C sort | tr '\n' ' ')" = 'served/one.jp2 served/report.csv served/second page.jp2 ' ] || {
    echo "iiif_folder.sh: $(find served -type f)" && exit 1
}
[ "$(grep -c ',JP2,yes,0,' served/report.csv)" -eq 2 ] || { echo 'iiif_folder.sh: no report' && cat served/report.csv && exit 1; }
before=$(ls -l --time-style=full-iso served/one.jp2)
head -c 1000 served/one.jp2 >'served/second page.jp2'
if "$source/examples/iiif_folder.sh" scans served >/dev/null 2>&1; then
    echo 'iiif_folder.sh: a damaged file is not noticed' && exit 1
fi
[ "$before" = "$(ls -l --time-style=full-iso served/one.jp2)" ] || { echo 'iiif_folder.sh: a finished file is written again' && exit 1; }

# Frames of 16 bits as TIFF, and a program in place of asdcp-wrap that notes its words.
if part python3; then
    mkdir frames bin
    python3 - <<'PY'
import struct
width, height = 64, 36
for n in range(3):
    pixels = b"".join(struct.pack("<3H", (x * 1000 + n * 99) & 65535, y * 1800, (x * y * 28) & 65535) for y in range(height) for x in range(width))
    tags = [(256, 3, 1, width), (257, 3, 1, height), (258, 3, 3, 200), (259, 3, 1, 1), (262, 3, 1, 2), (273, 4, 1, 256), (277, 3, 1, 3), (278, 3, 1, height),
            (279, 4, 1, len(pixels)), (284, 3, 1, 1)]
    ifd = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *t) for t in tags) + struct.pack("<I", 0)
    head = struct.pack("<2sHI", b"II", 42, 8) + ifd
    with open(f"frames/frame{n}.tif", "wb") as file:
        file.write(head.ljust(200, b"\0") + struct.pack("<3H", 16, 16, 16).ljust(56, b"\0") + pixels)
PY
    printf '#!/bin/sh\necho "$@" >"%s/wrapped"\ntouch "$5"\n' "$work" >bin/asdcp-wrap
    chmod +x bin/asdcp-wrap
    require dcp.sh env PATH="$work/bin:$PATH" "$source/examples/dcp.sh" frames dcp dci-2k-24 p3-d65
    [ "$(cat wrapped)" = '-L -p 24 dcp/j2c dcp/picture.mxf' ] || { echo "dcp.sh calls asdcp-wrap $(cat wrapped)" && exit 1; }
    [ "$(grep -c ',codestream,yes,0,.*cinema2k,yes,' dcp/report.csv)" -eq 3 ] || { echo 'dcp.sh: not three frames of the profile' && cat dcp/report.csv && exit 1; }
    ! command -v asdcp-wrap >/dev/null || require 'dcp.sh and asdcplib' sh -c "'$source/examples/dcp.sh' frames wrapped_dcp dci-2k-24 p3-d65 && asdcp-info wrapped_dcp/picture.mxf"
fi
end_suite 0
