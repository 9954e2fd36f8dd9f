#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sequences, folders and the bench of frames on two and eight devices of software: the CPU's bytes, each device has a part, one that is slower by 3 a third of another's,
# and what a lost one leaves is encoded elsewhere.
#   test_several.sh COMMAND BENCH
set -u
. "$(dirname "$0")/../support/shell.sh"
. "$(dirname "$0")/../support/sequence.sh"
bench=$(absolute "$2")
open_command "$1"
run_command() { (exec timeout 300 "$wavelane" "$@"); }
export SOFT_DEVICES=2

"$wavelane" devices >list 2>&1
grep -q '^cuda:1  ' list || { cat list; echo "no two devices: skipped"; exit 77; }
part python3 || end_checks

frames in 80 96 64
expect 0 sequence in cpu/ -HT --device cpu --quiet
mkdir files
cp in/*.ppm files

# share DEVICE LEAST MOST REPORT: how many frames the device finished.
share() {
    checks=$((checks + 1))
    number=$(grep -c "\"device\":\"cuda:$1 packets\"" "$4")
    [ "$number" -ge "$2" ] && [ "$number" -le "$3" ] || fail "device $1 finished $number frames instead of $2 to $3"
}

for devices in cuda:all cuda:0,1 cuda-only:0,1; do
    expect 0 sequence in made/ -HT --device $devices --reach packets --report report --threads 4
    same made cpu
    share 0 20 60 report
    share 1 20 60 report
    rm -r made
done
expect 0 -ImgDir files -OutFor j2c -HT --device cuda:all --reach packets --threads 4
same_files() { for file in cpu/*.j2c; do cmp -s "$file" "files/${file#*/}" || fail "${file#*/}: other bytes than on the CPU"; done; }
same_files
[ "$(grep -c 'device: cuda:1 packets$' out)" -ge 20 ] || fail 'the folder went to one device'

# A device that is slower by 3 has about a quarter.
for words in 'sequence in made/ --report report' '-ImgDir files -OutFor j2c --force'; do
    # shellcheck disable=SC2086 # several words
    SOFT_WAIT_MS=10,30 expect 0 $words -HT --device cuda:all --reach packets --threads 4 --pictures 8
done
same made cpu
share 1 8 36 report # and not half; other programs take time of both
rm -r made
same_files

# A device that is lost in the middle: its pictures are made by the other one.
for launch in 1 9 60 200; do
    for lost in 0 1; do
        SOFT_KILL=$lost:$launch expect 0 sequence in made/ -HT --device cuda:all --reach packets --threads 4 --report report
        same made cpu
        share $((1 - lost)) 40 80 report
        rm -r made
    done
done
SOFT_KILL=1:60 expect 0 -ImgDir files -OutFor j2c -HT --device cuda:all --reach packets --threads 4 --force
same_files

# ---- Eight devices ---------------------------------------------------------------------------------------------------------

shares() { for device in $1; do share "$device" "$2" "$3" "$4"; done; }
all='0 1 2 3 4 5 6 7'
export SOFT_DEVICES=8
SOFT_WAIT_MS=5,5,5,5,5,5,5,5 expect 0 sequence in made/ -HT --device cuda:all --reach packets --report report --threads 4 --pictures 32
same made cpu
shares "$all" 5 15 report
rm -r made
# One is slower by 3.
SOFT_WAIT_MS=5,5,5,15,5,5,5,5 expect 0 sequence in made/ -HT --device cuda:all --reach packets --report report --threads 4 --pictures 32
same made cpu
share 3 1 8 report
shares '0 1 2 4 5 6 7' 6 18 report
rm -r made
# One is lost, at its first launches and in mid-run.
for launch in 1 20 60; do
    SOFT_WAIT_MS=5,5,5,5,5,5,5,5 SOFT_KILL=5:$launch expect 0 sequence in made/ -HT --device cuda:all --reach packets --report report --threads 4 --pictures 32
    same made cpu
    shares '0 1 2 3 4 6 7' 5 20 report
    rm -r made
done
expect 0 -ImgDir files -OutFor j2c -HT --device cuda:all --reach packets --threads 4 --force
same_files
export SOFT_DEVICES=2

# ---- The bench -------------------------------------------------------------------------------------------------------------

# It names the devices itself.
checks=$((checks + 1))
"$bench" frames --devices 2 --set device=cuda-only --set reach=packets --set style=ht --size 96,64 --memory pinned --seconds 0.2 --turns 1 --ring 4 --frames 4 --json bench >out 2>err ||
    fail 'the bench'
python3 - <<'END' || fail 'the bench does not use both devices, or the device did not make all bytes'
import json
row = json.load(open("bench"))["rows"][0]
names = sorted(b["name"] for b in row["backends"] if b["pictures"])
assert row["below"] == 0 and names == ["cuda:0 packets", "cuda:1 packets"] and len(row["alone"]) == 2, row
END
end_checks
