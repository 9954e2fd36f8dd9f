#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Folders on a device (-ImgDir --device): every file has the bytes of the picture encoded by itself on the CPU, whatever the pictures, and whatever
# happens to one of them or to the device.
#   test_folder.sh COMMAND
set -u
. "$(dirname "$0")/../support/shell.sh"
open_command "$1"
run_command() { (exec timeout 120 "$wavelane" "$@"); }

"$wavelane" devices >list 2>&1
grep -q '^cuda:0  ' list || { cat list; echo "no device: skipped"; exit 77; }

# put_noise FILE TYPE WIDTH HEIGHT MAXVAL BYTES SEED
put_noise() { { printf '%s\n%d %d\n%d\n' "$2" "$3" "$4" "$5" && awk -v n="$6" -v s="$7" 'BEGIN { srand(s); for (i = 0; i < n; i++) printf "%c", 33 + int(90 * rand()) }'; } >"$1"; }

# references FOLDER WORDS...: FOLDER.ref gets each picture encoded by itself, from a pipe: none of its samples stay as the file has them.
references() {
    folder=$1
    shift
    mkdir -p "$folder.ref"
    for picture in "$folder"/*; do
        name=$(basename "$picture")
        case $name in *.jph | bad*) ;; *) run_command -i - -o "$folder.ref/${name%.*}.jph" --device cpu --quiet "$@" <"$picture" 2>/dev/null || fail "reference of $name" ;; esac
    done
}

# equal FOLDER: all references are there, and nothing else under a finished name.
equal() {
    for reference in "$1.ref"/*; do
        cmp -s "$reference" "$1/$(basename "$reference")" || fail "$1/$(basename "$reference"): other bytes than by itself"
    done
    [ "$(find "$1.ref" -name '*.jph' | wc -l)" -eq "$(find "$1" -name '*.jph' | wc -l)" ] || fail "$1: too few or too many files"
    find "$1" -name '.*.??????' | grep . && fail "$1: temporary files are left"
    rm -f "$1"/*.jph
}
# shared COUNT: the device finished this number of pictures.
shared() { [ "$(grep -c 'device: cuda:0 packets$' out)" -eq "$1" ] || fail "$(grep -c 'device: cuda:0 packets$' out) pictures of the device instead of $1"; }

packets='--reach packets' # the CPU encodes nothing while the device opens

# ---- Pictures that are alike -----------------------------------------------------------------------------------------

mkdir alike
for i in 0 1 2 3 4 5 6 7 8 9 10 11; do put_noise alike/p$((10 + i)).ppm P6 96 64 255 18432 $i; done
references alike
for device in cuda cuda:0 cuda-only; do
    for words in '' '--pictures 2' '--pictures 16' '--pictures 1' '--threads 1'; do
        # shellcheck disable=SC2086 # several words
        expect 0 -ImgDir alike -OutFor jph --device $device $packets --threads 4 $words
        shared 12
        sed '$d; s/:.*//' out >names # the last line counts them
        sort names | cmp -s - names || fail "$device $words: the summaries are out of order"
        tail -n 1 out | grep -q '^12 pictures: 12 encoded' || fail "$device $words: no line of counts"
        equal alike
    done
done
expect 0 -ImgDir alike -OutFor jph --threads 4 # device=auto: so little work is for the CPU
shared 0
equal alike
expect 0 -ImgDir alike -OutFor jph --device cuda $packets --threads 4 --json
[ "$(grep -o '"backend":"cuda:0 packets"' out | wc -l)" -eq 12 ] || fail 'JSON: where pictures were made'
if part python3; then
    python3 -c 'import json; r = json.load(open("out")); names = [p["input"] for p in r["pictures"]]; assert names == sorted(names) and len(names) == 12 and not any(p["warnings"] for p in r["pictures"])' || fail 'JSON: pictures or warnings'
fi
equal alike
rm -rf alike.ref && references alike -I --step 0.02
expect 0 -ImgDir alike -OutFor jph --device cuda $packets --threads 4 -I --step 0.02
shared 12
equal alike

# device=auto takes the device from 96 MiB of files for each thread on. A file that is no picture adds most of them.
mkdir auto
for i in 0 1; do put_noise auto/a$i.pgm P5 1024 1024 255 1048576 $i; done
references auto
dd if=/dev/zero of=auto/bad.pgm bs=1 count=0 seek=201326592 2>/dev/null
expect 1 -ImgDir auto -OutFor jph --threads 2 $packets
shared 2
equal auto
dd if=/dev/zero of=auto/bad.pgm bs=1 count=0 seek=190000000 2>/dev/null
expect 1 -ImgDir auto -OutFor jph --threads 2 $packets
shared 0
equal auto
rm -f auto/bad.pgm

# Pictures whose bytes are more than their samples: the device makes room for them when they are finished.
mkdir large large.ref
for i in 0 1 2 3; do put_noise large/l$i.ppm P6 512 384 255 589824 $i; done
references large -b 4,4 --sop --eph --plt -c '[32,32]'
[ "$(wc -c <large.ref/l0.jph)" -gt 700000 ] || fail 'the large picture is not larger than its room'
expect 0 -ImgDir large -OutFor jph --device cuda-only --reach packets --threads 4 -b 4,4 --sop --eph --plt -c '[32,32]'
shared 4
equal large

# ---- Opening the device ahead ----------------------------------------------------------------------------------------

# The first picture is read while the device opens (a real one takes longer than SOFT_OPEN_MS lets the software device take).
if part python3; then
    for words in '-ImgDir alike -OutFor jph' '-i alike/p10.ppm -o one.jph'; do # as the references: with -I
        # shellcheck disable=SC2086 # several words
        SOFT_OPEN_MS=300 run_command $words --device cuda $packets --force -I --step 0.02 --trace ahead.json >out 2>&1 || fail "$words: $(cat out)"
        python3 - ahead.json <<'END' || fail "$words: the picture was not read while the device opened"
import json, sys
spans = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X"]
opened = [e for e in spans if e["name"] == "open"]
read = min((e for e in spans if e["name"] == "read"), key=lambda e: e["ts"])
first = min(e["ts"] for e in spans if e["name"] in ("stage", "upload", "kernels"))
end = opened[0]["ts"] + opened[0]["dur"]
sys.exit(not (len(opened) == 1 and read["ts"] + read["dur"] < end <= first))
END
        cmp -s alike.ref/p10.jph "$(case $words in *one*) echo one.jph ;; *) echo alike/p10.jph ;; esac)" || fail "$words: other bytes"
    done
    rm -f alike/*.jph one.jph
fi

# ---- One picture by rows ---------------------------------------------------------------------------------------------

# Where the device has too little memory for its strips, the CPU takes them without an error. cuda-only says what helps.
put_noise rows.pgm P5 1024 1024 255 1048576 9
for words in '-I --step 0.02' '-I --rates 4' ''; do
    # shellcheck disable=SC2086 # several words
    expect 0 -i rows.pgm -o rows.cpu.jph --memory 30M --device cpu --force --quiet $words
    for memory in 1000000 0; do
        # shellcheck disable=SC2086 # several words
        SOFT_MEMORY=$memory expect 0 -i rows.pgm -o rows.jph --memory 30M --device cuda --force $words
        [ "$memory" -eq 0 ] || ! grep -q 'device: cuda' out || fail 'the device has no memory, and makes strips'
        cmp -s rows.jph rows.cpu.jph || fail "$words, by rows: other bytes than on the CPU"
    done
done
SOFT_MEMORY=1000000 expect 2 -i rows.pgm -o rows.jph --memory 30M --device cuda-only --force -I --step 0.02
warns 'set device to auto'

# ---- A bad picture in the middle -------------------------------------------------------------------------------------

rm -rf alike.ref && references alike
head -c 9000 alike/p15.ppm >alike/p15_bad.ppm
for device in cuda cuda-only; do
    expect 1 -ImgDir alike -OutFor jph --device $device $packets --threads 4 --pictures 8
    shared 12
    [ "$(grep -c truncated err)" -eq 1 ] || fail "$device: one picture is truncated"
    warns '1 of 13 pictures failed'
    equal alike
done
rm alike/p15_bad.ppm
# An output that is there already fails alone, and stays.
echo taken >alike/p13.jph
expect 1 -ImgDir alike -OutFor jph --device cuda $packets --threads 4
shared 11
warns 'alike/p13.jph: exists; --force replaces it'
[ "$(cat alike/p13.jph)" = taken ] || fail 'p13.jph was replaced'
expect 0 -ImgDir alike -OutFor jph --device cuda $packets --threads 4 --force
equal alike

# ---- Samples as files have them ----------------------------------------------------------------------------------------------------

# The reader hands them through; references have integers. Options that look at samples get integers too.
if part python3; then
    mkdir words
    python3 - <<'PY' || fail 'no DPX files'
import random, struct
def dpx(name, big, width, height, descriptor, depth, packing, seed):
    draw, order, count = random.Random(seed), ">" if big else "<", 4 if descriptor == 51 else 3
    head = bytearray(2048)
    head[0:4] = b"SDPX" if big else b"XPDS"
    head[4:8] = struct.pack(order + "I", 2048)
    head[768:780] = struct.pack(order + "HHII", 0, 1, width, height)
    head[780:784] = struct.pack(order + "I", 0)
    head[800:804] = bytes([descriptor, 6, 6, depth])
    head[804:812] = struct.pack(order + "HHI", packing, 0, 2048)
    words = width * count * depth // 32 if not packing or depth == 16 else (width * count + 2) // 3 if depth == 10 else width * count // 2
    body = bytes(draw.randrange(256) for _ in range(4 * words * height))
    with open("words/%s.dpx" % name, "wb") as file:
        file.write(head + body)
number = 0
for big in (0, 1):
    for descriptor in (50, 51):
        for depth, packing in ((10, 1), (12, 1), (12, 0), (10, 0), (16, 0)):
            for again in range(2):
                dpx("w%02d" % number, big, 64, 40, descriptor, depth, packing, number)
                number += 1
def tiff(name, order, width, height, count, depth, strip, seed):
    draw, line = random.Random(seed), (width * count * depth + 7) // 8
    body, strips = bytes(draw.randrange(256) for _ in range(line * height)), (height + strip - 1) // strip
    tags = {256: (4, [width]), 257: (4, [height]), 258: (3, [depth] * count), 259: (3, [1]), 262: (3, [2 if count > 1 else 1]), 273: (4, [8 + line * strip * i for i in range(strips)]),
            277: (3, [count]), 278: (4, [strip]), 279: (4, [line * min(strip, height - strip * i) for i in range(strips)])}
    at = 8 + len(body) + len(body) % 2
    entries, behind = b"", b""
    for tag, (kind, values) in sorted(tags.items()):
        data = struct.pack(order + {3: "H", 4: "I"}[kind] * len(values), *values)
        place = data.ljust(4, b"\0") if len(data) <= 4 else struct.pack(order + "I", at + 2 + 12 * len(tags) + 4 + len(behind))
        behind += data if len(data) > 4 else b""
        entries += struct.pack(order + "HHI", tag, kind, len(values)) + place
    with open("words/%s.tif" % name, "wb") as file:
        file.write((b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", at) + body + bytes(len(body) % 2) + struct.pack(order + "H", len(tags)) + entries + bytes(4) + behind)
for order in "<>":
    for count in (1, 3):
        for depth in (10, 12, 16):
            for again in range(2):
                tiff("%s%02d" % ("x" if count > 1 else "grey", number), order, 61, 37, count, depth, 40 if again else 7, number)
                number += 1
PY
    pictures=$(find words -type f | wc -l)
    [ "$pictures" -eq 64 ] || fail "$pictures files with words instead of 64"
    references words
    expect 0 -ImgDir words -OutFor jph --device cuda $packets --threads 4
    shared 64
    equal words
    for more in '-I --step 0.01' '-TargetBitDepth 8' '--orient auto' '--channels 2,0,1'; do
        case $more in --channels*) rm words/grey* ;; esac
        # shellcheck disable=SC2086 # several words
        rm -rf words.ref && references words $more
        alike=$(find words.ref -name '*.jph' | wc -l)
        # shellcheck disable=SC2086
        expect 0 -ImgDir words -OutFor jph --device cuda $packets --threads 4 $more
        shared "$alike"
        equal words
    done
fi

# ---- Pictures of several kinds ---------------------------------------------------------------------------------------

mkdir mixed
for i in 0 1 2 3; do
    put_noise mixed/a$i.ppm P6 96 64 255 18432 2$i
    put_noise mixed/b$i.ppm P6 61 77 255 14091 3$i
    put_noise mixed/c$i.pgm P5 96 64 255 6144 4$i
    put_noise mixed/d$i.ppm P6 40 40 31354 9600 5$i
    put_noise mixed/e$i.pgm P5 $((70 + i)) 50 255 $((50 * (70 + i))) 6$i
done
if part python3; then
    # Pictures of one size and depth whose boxes differ: XMP, resolution, colour profile, palette.
    python3 - <<'PY' || fail 'no PNG files'
import random, struct, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def png(name, color, extra, seed):
    draw, channels = random.Random(seed), 3 if color == 2 else 1
    rows = b"".join(b"\0" + bytes(draw.randrange(4 if color == 3 else 256) for _ in range(48 * channels)) for _ in range(32))
    head = struct.pack(">IIBBBBB", 48, 32, 8, color, 0, 0, 0)
    with open("mixed/%s.png" % name, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(extra) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
for i in range(3):
    xmp = chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta>%d</x:xmpmeta>" % (i // 2))
    png("x%d" % i, 2, [xmp], 70 + i)
    png("y%d" % i, 2, [chunk(b"pHYs", struct.pack(">IIB", 1000 + i // 2, 2000, 1))], 80 + i)
    png("z%d" % i, 3, [chunk(b"PLTE", bytes(range(i // 2, 12 + i // 2)))], 90 + i)
    png("w%d" % i, 2, [chunk(b"sRGB", b"\0")] if i else [], 60 + i)
PY
fi
mkdir mixed.ref
for picture in mixed/*; do
    indices=
    case $picture in */z*) indices='--palette indices' ;; esac
    # shellcheck disable=SC2086 # two words, or none
    run_command -i "$picture" -o "mixed.ref/$(basename "${picture%.*}").jph" --device cpu --quiet $indices 2>/dev/null || fail "reference of $picture"
done
pictures=$(find mixed -type f | wc -l)
for words in '--pictures 1' '--pictures 3' '--pictures 16'; do
    # shellcheck disable=SC2086 # several words
    expect 0 -ImgDir mixed -OutFor jph --device cuda $packets --threads 4 --palette indices $words
    shared "$pictures"
    equal mixed
done

# ---- Pictures that the device does not finish, and devices that fail -------------------------------------------------

expect 0 -ImgDir alike -OutFor jph --device cuda --threads 4 --quiet # references of a PSNR target come from the CPU
rm -f alike/*.jph && rm -rf alike.ref && references alike -I --psnr 35
expect 0 -ImgDir alike -OutFor jph --device cuda --threads 4 -I --psnr 35
shared 0
equal alike
expect 1 -ImgDir alike -OutFor jph --device cuda-only --reach packets --threads 4 -I --psnr 35
warns 'the device does less than the option reach asks for'
rm -rf alike.ref && references alike
expect 0 -ImgDir alike -OutFor jph --device cuda:9 --threads 4
shared 0
warns 'the CPU takes over'
equal alike
[ -n "${WVL_CUDA_IMAGE:-}" ] || end_checks # from here on only a device made of software fails as it is asked to
for memory in 100000 4000000 8000000 20000000; do
    SOFT_MEMORY=$memory expect 0 -ImgDir alike -OutFor jph --device cuda $packets --threads 4 --pictures 6
    equal alike
done
# Each call from the first one on: once short of memory (2), once lost (700).
call=1
while [ $call -lt 400 ]; do
    for status in 2 700; do
        SOFT_FAIL=$call:$status expect 0 -ImgDir alike -OutFor jph --device cuda $packets --threads 4 --pictures 6
        equal alike
    done
    call=$((call + 1 + call / 6))
done
SOFT_FAIL=200:700 expect 1 -ImgDir alike -OutFor jph --device cuda-only --threads 4 --pictures 6
warns 'pictures failed'
for file in alike/*.jph; do
    [ ! -e "$file" ] || cmp -s "$file" "alike.ref/$(basename "$file")" || fail "$file: not the picture, after the device was lost"
done
rm -f alike/*.jph

# ---- Interrupted in the middle ---------------------------------------------------------------------------------------

mkdir many
for i in 10 11 12 13 14 15; do put_noise many/p$i.ppm P6 640 480 255 921600 $i; done
for i in 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37; do cp many/p1$((i % 6)).ppm many/p$i.ppm; done
# interrupt SIGNAL: while the pictures behind the second one are at work.
interrupt() {
    rm -f many/*.jph
    "$wavelane" -ImgDir many -OutFor jph --device cuda $packets --threads 2 --pictures 4 >out 2>err &
    process=$!
    waited=0
    until [ -e many/p11.jph ] || [ $waited -ge 600 ]; do
        sleep 0.05
        waited=$((waited + 1))
    done
    sleep 0.2 # the next pictures are on the device
    kill -"$1" $process
    code=0
    wait $process || code=$?
    [ $code -eq 130 ] || fail "$1: exit $code instead of 130"
    [ ! -e many/p37.jph ] || fail "$1: came too late to test anything"
}
for signal in INT TERM; do
    checks=$((checks + 1))
    tries=1
    interrupt $signal
    until grep -q cancelled err || [ $tries -ge 5 ]; do # the signal may come between two pictures
        tries=$((tries + 1))
        interrupt $signal
    done
    grep -q cancelled err || fail "$signal: pictures in flight were not cancelled, $tries times"
    find many -name '.*.??????' | grep . && fail "$signal: temporary files are left"
    for file in many/*.jph; do
        run_command -i "${file%.jph}.ppm" -o one.jph --force --device cpu --quiet
        cmp -s one.jph "$file" || fail "$signal: $file is not whole"
    done
    rm -f many/*.jph
done
end_checks
