#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sequences on a device: the CPU's bytes from files and streams, into files, one file and a pipe, whatever happens to a frame, the device or the process.
#   test_sequence.sh COMMAND          WVL_TEST_KILLS: how often a run is killed, 6 unless given
set -u
. "$(dirname "$0")/../support/shell.sh"
. "$(dirname "$0")/../support/sequence.sh"
open_command "$1"
kills=${WVL_TEST_KILLS:-6}
run_command() { (exec timeout 120 "$wavelane" "$@"); }

"$wavelane" devices >list 2>&1
grep -q '^cuda:0  ' list || { cat list; echo "no device: skipped"; exit 77; }
part python3 || end_checks

frames in 40 160 96
packets='--reach packets' # the CPU encodes nothing while the device opens
reach() { [ "$1" = cpu ] || echo "$packets"; }
expect 0 sequence in cpu/ -HT --device cpu --quiet

# finished REPORT NUMBER: frames of which the device made all bytes.
finished() {
    checks=$((checks + 1))
    number=$(grep -c '"device":"cuda:0 packets"' "$1")
    [ "$number" -eq "$2" ] || fail "the device finished $number frames instead of $2"
}

# ---- Files -----------------------------------------------------------------------------------------------------------------

for words in '' '--pictures 2' '--pictures 16' '--threads 1' '--pictures 1'; do
    # shellcheck disable=SC2086 # several words
    expect 0 sequence in made/ -HT --device cuda $packets --report report --verbose $words
    same made cpu
    finished report 40
    case $words in *1) ;; *) warns ' of them page-locked' ;; esac
    rm -r made
done
python3 - <<'END' || fail 'the times of the stages'
import json
rows = [json.loads(line) for line in open("report")]
names = [stage + "_milliseconds" for stage in ("wait", "read", "encode", "write")]
for row in rows[:-1] + [rows[-1]["summary"]]:
    assert all(row[name] >= 0 for name in names), row
assert rows[0]["read_milliseconds"] > 0 and sum(rows[0][name] for name in names) <= 1.01 * rows[0]["milliseconds"], rows[0]
END

# ---- One file, and a pipe --------------------------------------------------------------------------------------------------

mkdir one
expect 0 sequence in one/cpu.j2c -HT --device cpu --quiet
expect 0 sequence in one/cuda.j2c -HT --device cuda $packets --quiet
cmp -s one/cpu.j2c one/cuda.j2c && cmp -s one/cpu.j2c.index one/cuda.j2c.index || fail 'one file has other bytes'
expect 0 sequence in - -HT --device cuda $packets --quiet
cmp -s one/cpu.j2c out || fail 'standard output has other bytes'

# ---- Streams ---------------------------------------------------------------------------------------------------------------

python3 - <<'END'
import random
random.seed(44)
for name, word, planes, width in (("a", "C444", (96 * 64, 96 * 64, 96 * 64), 1), ("b", "C420p10", (96 * 64, 48 * 32, 48 * 32), 2), ("c", "C422p12", (96 * 64, 48 * 64, 48 * 64), 2)):
    with open(name + ".y4m", "wb") as file:
        file.write(f"YUV4MPEG2 W96 H64 F24:1 Ip A1:1 {word}\n".encode())
        for n in range(12):
            bits = 8 if width == 1 else int(word[-2:])
            samples = b"".join(random.randrange(n << bits - 5, 1 << bits).to_bytes(width, "little") for _ in range(sum(planes)))
            file.write(b"FRAME\n" + samples)
with open("c.y4m", "rb") as file, open("cut.y4m", "wb") as cut:
    cut.write(file.read()[:-100])
END
for name in a b c; do
    expect 0 sequence $name.y4m y4m.cpu/ -HT --device cpu --quiet
    expect 0 sequence $name.y4m y4m.cuda/ -HT --device cuda $packets --quiet --report report
    same y4m.cuda y4m.cpu
    finished report 12
    filter 0 sequence - y4m.pipe/ -HT --device cuda $packets --quiet <$name.y4m
    same y4m.pipe y4m.cpu
    rm -r y4m.*/
done
for device in cpu cuda; do
    # shellcheck disable=SC2046 # several words
    expect 1 sequence cut.y4m cut.$device/ -HT --device $device $(reach $device) --on-error black --report report
    counted black 1 report
done
same cut.cuda cut.cpu

# ---- Frames that fail ------------------------------------------------------------------------------------------------------

cp -r in bad
head -c 5000 in/f.0017.ppm >bad/f.0017.ppm
for error in skip black; do
    for device in cpu cuda; do
        # shellcheck disable=SC2046 # several words
        expect 1 sequence bad/ $error.$device/ -HT --device $device $(reach $device) --on-error $error
    done
    same $error.cuda $error.cpu
done
expect 3 sequence bad/ stop/ -HT --device cuda $packets
warns 'bad/f.0017.ppm: PNM: pixel data: truncated'

# ---- A device that fails ---------------------------------------------------------------------------------------------------

for call in 1 5 20 40 60 90 150 250 400; do
    for status in 2 700; do
        SOFT_FAIL=$call:$status expect 0 sequence in made/ -HT --device cuda $packets --quiet --threads 2 --pictures 3
        same made cpu
        rm -r made
    done
done

# ---- While the device opens ------------------------------------------------------------------------------------------------

# The first frames are encoded on the CPU, later ones on the device.
mkdir many
for n in $(seq 100 499); do ln -s "../in/f.00$((10 + n % 30)).ppm" "many/f.$n.ppm"; done
for words in 'sequence many made/ --report report' '-ImgDir many -OutFor j2c'; do
    # shellcheck disable=SC2086 # several words
    SOFT_OPEN_MS=100 expect 0 $words -HT --device cuda --threads 4 --verbose
    warns 'the device opens in about 200 ms'
    number=$(sed -n 's/.*: \([0-9]*\) pictures were encoded on the CPU while the device opened.*/\1/p' err)
    [ "${number:-0}" -ge 8 ] && [ "$number" -lt 400 ] || fail "$words: ${number:-no} pictures were encoded while the device opened"
    for n in $(seq 100 499); do
        file=made/f.$n.j2c
        [ -e "$file" ] || file=many/f.$n.j2c
        cmp -s "$file" "cpu/f.00$((10 + n % 30)).j2c" || fail "$words: $file has other bytes"
    done
    [ ! -e made ] || finished report $((400 - number))
    rm -rf made
done

# ---- Stop and resume -------------------------------------------------------------------------------------------------------

for option in '' --durable; do
    turn=0
    while [ $turn -lt "$kills" ]; do
        turn=$((turn + 1))
        "$wavelane" sequence in killed/ -HT --device cuda $packets --quiet $option >out 2>err &
        child=$!
        await killed $((turn * 6))
        kill -9 $child 2>err
        wait $child 2>err
        checks=$((checks + 1))
        for file in killed/*.j2c; do
            [ ! -e "$file" ] || cmp -s "$file" "cpu/${file#*/}" || fail "$file: half a frame"
        done
    done
    # shellcheck disable=SC2086
    expect 0 sequence in killed/ -HT --device cuda $packets $option
    same killed cpu
    expect 0 sequence in killed/ -HT --device cpu
    says '0 encoded, 40 kept'
    rm -r killed
done
end_checks
