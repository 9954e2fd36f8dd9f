#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""wavelane-bench frames --memory: fields and sums of the JSON, the ring, lists, refused words; with --soft on the software device.

    test_bench_frames.py [--soft] BENCH FOLDER
"""
import json
import os
import re
import subprocess
import sys

WIDTH, HEIGHT, COMPONENTS = 150, 110, 3
PIXELS = WIDTH * HEIGHT * COMPONENTS
SMALL = ["--size", "%d,%d" % (WIDTH, HEIGHT), "--threads", "2", "--seconds", "0.05", "--turns", "3", "--ring", "3"]


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def at(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words, environment=None):
        return subprocess.run([self.program, "frames", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              env=dict(os.environ, **(environment or {})))

    def measure(self, *words):
        done = self.run(*SMALL, "--json", "-", *words)
        assert done.returncode == 0, (words, done)
        return json.loads(done.stdout)

    def refuse(self, code, said, *words, environment=None):
        done = self.run(*words, environment=environment)
        assert done.returncode == code and said in done.stderr.decode(), (words, done)


def median(values):
    return sorted(values)[len(values) // 2]


def check_row(row, frames):
    turns = row["turns"]
    assert row["frames"] == frames and 1 <= row["places"] <= max(frames, 1), row
    assert len(turns) == 3 and all(t["seconds"] >= 0.05 and t["pictures"] >= 1 for t in turns), turns
    for name in ("pictures_per_second", "p50_ms", "p99_ms", "cpu_ms"):
        assert row[name] == median([t[name] for t in turns]), (name, row)
    for turn in turns:
        assert abs(turn["pictures_per_second"] * turn["seconds"] - turn["pictures"]) < 1e-3 * turn["pictures"], turn
        assert 0 < turn["p50_ms"] <= turn["p99_ms"] <= 1e3 * turn["seconds"], turn
        assert turn["cpu_ms"] > 0, turn
    assert sum(b["pictures"] for b in row["backends"]) == sum(t["pictures"] for t in turns), row


def check_host(bench):
    """Every setting of a list has a row; the CPU sends nothing over a bus; --out is the picture that is not shifted."""
    told = bench.measure("--memory", "host", "--frames", "0,1,3", "--set", "style=HT", "--set", "device=cpu", "--out", bench.at("first.j2k"))
    assert [r["frames"] for r in told["rows"]] == [0, 1, 3]
    for row in told["rows"]:
        check_row(row, row["frames"])
        assert [b["name"] for b in row["backends"]] == ["cpu"]
        assert row["up_bytes"] == 0 and row["down_bytes"] == 0 and row["below"] == 0, row
        assert row["first_bytes"] == os.path.getsize(bench.at("first.j2k")), row
    assert (told["width"], told["height"], told["components"], told["depth"]) == (WIDTH, HEIGHT, COMPONENTS, 8)
    assert (told["memory"], told["ring"], told["picture_bytes"], told["settings"]) == ("host", 3, PIXELS, ["style=HT", "device=cpu"])
    assert "uploads" not in told
    text = bench.run(*SMALL, "--memory", "host", "--frames", "2", "--json", bench.at("told.json")).stdout.decode()
    assert "2 in flight" in text and "ring of 3 pictures in host memory, planar" in text, text
    with open(bench.at("told.json"), encoding="utf-8") as file:
        assert json.load(file)["rows"][0]["frames"] == 2


def check_trace(bench):
    """Every picture of the turns and of the passes before them has its spans."""
    path = bench.at("trace.json")
    row = bench.measure("--memory", "host", "--frames", "2", "--set", "device=cpu", "--trace", path)["rows"][0]
    with open(path, encoding="utf-8") as file:
        spans = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]
    pictures = sum(t["pictures"] for t in row["turns"])
    written = [e for e in spans if e["name"] == "write"]
    assert len(written) >= pictures and all(e["dur"] >= 0 for e in spans), (len(written), pictures)


def check_many(bench):
    """As many in flight as are asked for, and each is written down."""
    row = bench.measure("--size", "20,20", "--memory", "host", "--frames", "130", "--set", "device=cpu")["rows"][0]
    assert row["places"] == 130 and all(t["pictures"] >= 130 for t in row["turns"]), row
    assert row["p50_ms"] > 0, row


def check_large(bench):
    """Pictures of more than 16 Mi pixels: every row is one of the patch, turned round; neighbouring places differ."""
    width, height, patch = 4100, 4200, 2048
    done = bench.run("--size", "%d,%d" % (width, height), "--components", "1", "--memory", "host", "--ring", "1", "--raw", bench.at("large.raw"))
    assert done.returncode == 0, done
    done = bench.run("--size", "2048,2048", "--components", "1", "--memory", "host", "--ring", "1", "--raw", bench.at("patch.raw"))
    assert done.returncode == 0, done
    large, = samples_of(bench.at("large.raw"), 1)
    drawn, = samples_of(bench.at("patch.raw"), 1)
    assert len(large) == width * height and len(drawn) == patch * patch
    rows = [drawn[y * patch:(y + 1) * patch] for y in range(patch)]
    starts = []
    for top in range(0, height, patch):
        for left in range(0, width - patch + 1, patch):
            place = [large[y * width + left:y * width + left + patch] for y in range(top, min(top + patch, height))]
            found = [(y, x) for y in range(patch) for x in [(rows[y] + rows[y]).find(place[0])] if x >= 0]
            assert len(found) == 1, found
            y, x = found[0]
            assert all(p == rows[(y + k) % patch][x:] + rows[(y + k) % patch][:x] for k, p in enumerate(place)), (top, left)
            starts.append(found[0])
    assert len(set(starts)) == len(starts) == 6, starts
    for name in ("large.raw", "patch.raw"):
        os.remove(bench.at(name))


def samples_of(path, count):
    with open(path, "rb") as file:
        data = file.read()
    size = len(data) // count
    return [data[k * size:(k + 1) * size] for k in range(count)]


def shifted(picture, k, width, height, pixel_bytes):
    """What the ring's picture k is of the first one: 97 columns and 53 rows further on, with what leaves coming in again."""
    rows = [picture[y * width * pixel_bytes:(y + 1) * width * pixel_bytes] for y in range(height)]
    at = 97 * k % width * pixel_bytes
    return b"".join(rows[(y + 53 * k) % height][at:] + rows[(y + 53 * k) % height][:at] for y in range(height))


def check_ring(bench):
    """The ring as raw samples: the same in each layout, each picture the first one shifted, 12 bits in two bytes."""
    for depth, sample_bytes in (("8", 1), ("12", 2)):
        words = ["--size", "150,110", "--depth", depth, "--memory", "host", "--ring", "4"]
        for layout in ("planar", "interleaved"):
            done = bench.run(*words, "--layout", layout, "--raw", bench.at(layout + ".raw"))
            assert done.returncode == 0 and not done.stdout, done
        planar, interleaved = (samples_of(bench.at(n + ".raw"), 4) for n in ("planar", "interleaved"))
        assert planar == interleaved and len(planar[0]) == PIXELS * sample_bytes
        assert all(p == shifted(planar[0], k, WIDTH, HEIGHT, COMPONENTS * sample_bytes) for k, p in enumerate(planar))
        assert len(set(planar)) == 4
    with open(bench.at("read.ppm"), "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + planar[0][:PIXELS])
    done = bench.run("--image", bench.at("read.ppm"), "--memory", "host", "--ring", "2", "--raw", bench.at("read.raw"))
    assert done.returncode == 0, done
    first, second = samples_of(bench.at("read.raw"), 2)
    assert first == planar[0][:PIXELS] and second == shifted(first, 1, WIDTH, HEIGHT, COMPONENTS)
    told = bench.measure("--image", bench.at("read.ppm"), "--memory", "host", "--frames", "2", "--set", "device=cpu")
    assert told["layout"] == "interleaved" and told["rows"][0]["below"] == 0


def check_refused(bench):
    bench.refuse(2, "--memory disk: give host, pinned or device", "--memory", "disk")
    bench.refuse(2, "--layout rows: give planar or interleaved", "--memory", "host", "--layout", "rows")
    for option, value in (("--ring", "3"), ("--turns", "2"), ("--seconds", "1"), ("--json", "-"), ("--out", "x"), ("--raw", "x"), ("--layout", "planar")):
        bench.refuse(2, option + " needs --memory", option, value)
    bench.refuse(2, "--uploads needs --memory", "--uploads")
    bench.refuse(2, "--uploads needs --memory pinned", "--memory", "host", "--uploads")
    bench.refuse(2, "--copies needs --memory pinned", "--memory", "device", "--copies")
    bench.refuse(2, "--arrive needs --memory", "--arrive")
    bench.refuse(2, "--arrive needs --memory device", "--memory", "pinned", "--arrive")
    bench.refuse(2, "--ring has fewer pictures", "--memory", "device", "--devices", "3", "--ring", "2")
    bench.refuse(2, "--count does not go with --memory", "--memory", "host", "--count", "3")
    for option, values in (("--frames", ("", "1,,2", "1025", "1,2,", "x")), ("--ring", ("0", "65", "x")), ("--turns", ("0", "65")), ("--seconds", ("-1", "x"))):
        for value in values:
            bench.refuse(2, option, "--memory", "host", option, value)
    bench.refuse(1, "no-such-key", *SMALL, "--memory", "host", "--set", "no-such-key=1")
    bench.refuse(4, "/no/such/folder", *SMALL, "--memory", "host", "--frames", "1", "--out", "/no/such/folder/x")
    bench.refuse(4, "/no/such/folder", *SMALL, "--memory", "host", "--raw", "/no/such/folder/x")
    bench.refuse(4, "/no/such/folder", *SMALL, "--memory", "host", "--frames", "1", "--trace", "/no/such/folder/x")
    bench.refuse(4, "/dev/full", *SMALL, "--memory", "host", "--frames", "1", "--trace", "/dev/full")
    bench.refuse(1, "no-such-key", *SMALL, "--memory", "host", "--set", "no-such-key=1", "--trace", "/dev/full")
    bench.refuse(2, "--trace does not go with it", "--memory", "host", "--raw", "x", "--trace", "y")


def check_no_device(bench):
    for kind in ("pinned", "device"):
        bench.refuse(77, "--memory %s needs 1 CUDA device" % kind, *SMALL, "--memory", kind,
                     environment={"CUDA_VISIBLE_DEVICES": "", "SOFT_DEVICES": "0"})


def check_device(bench):
    """On the software device: bytes as from the CPU in every kind of memory, and how far the device went."""
    ht = ["--set", "style=HT", "--set", "device=cuda-only"]
    for kind in ("host", "pinned", "device"):
        told = bench.measure("--memory", kind, "--frames", "0,1,4", "--set", "reach=blocks", *ht)
        assert told["memory"] == kind
        for row in told["rows"]:
            check_row(row, row["frames"])
            assert row["below"] == 0 and all(b["name"] in ("cuda:0 blocks", "cuda:0 packets") for b in row["backends"]), row
            assert row["up_bytes"] == (0 if kind == "device" else PIXELS), row
            assert row["down_bytes"] > 0 and abs(row["down_bytes"] - row["bytes"]) < 0.2 * row["bytes"], row
    told = bench.measure("--memory", "device", "--frames", "2", "--layout", "interleaved", "--depth", "12", *ht)
    assert told["layout"] == "interleaved" and told["picture_bytes"] == 2 * PIXELS and told["rows"][0]["below"] == 0
    told = bench.measure("--memory", "pinned", "--frames", "2", "--uploads", "--set", "device=cuda-only", "--set", "packed-headers=ppt")
    assert told["rows"][0]["down_bytes"] > 0 and told["rows"][0]["backends"][0]["name"] == "cuda:0 blocks", told["rows"]
    assert len(told["uploads"]["turns"]) == 3 and told["uploads"]["pictures_per_second"] == median(told["uploads"]["turns"])


def check_arriving(bench):
    """Pixels that come to their place behind an event: the same bytes, for one picture at a time and for several, on two devices too."""
    ht = ["--set", "style=HT", "--set", "device=cuda-only"]
    for layout in ("planar", "interleaved"):
        told = bench.measure("--memory", "device", "--arrive", "--frames", "0,3", "--layout", layout, *ht)
        for row in told["rows"]:
            check_row(row, row["frames"])
            assert row["below"] == 0 and all(b["name"] == "cuda:0 packets" for b in row["backends"]), row
    done = bench.run(*SMALL, "--json", "-", "--memory", "device", "--arrive", "--devices", "2", "--ring", "4", "--frames", "6", "--set", "style=HT", "--set",
                     "device=cuda-only:all", environment={"SOFT_DEVICES": "2"})
    assert done.returncode == 0, done
    assert {b["name"] for b in json.loads(done.stdout)["rows"][0]["backends"]} == {"cuda:0 packets", "cuda:1 packets"}, done
    bench.refuse(6, "bytes differ from the CPU's", *SMALL, "--memory", "device", "--arrive", "--frames", "2", *ht,
                 environment={"SOFT_SPOIL": str(PIXELS)})


def check_devices(bench):
    """Two devices: both, each by itself with its share of the frames, and copies alone in both directions."""
    two = {"SOFT_DEVICES": "2"}
    for kind in ("pinned", "device"):
        copies = ["--copies", "--uploads"] if kind == "pinned" else []
        done = bench.run(*SMALL, "--json", "-", "--memory", kind, "--devices", "2", "--ring", "4", "--frames", "0,6", *copies, "--set",
                         "style=HT", "--set", "device=cuda-only:all", environment=two)
        assert done.returncode == 0, done
        told = json.loads(done.stdout)
        for row, frames in zip(told["rows"], (0, 6)):
            check_row(row, frames)
            assert [a["frames"] for a in row["alone"]] == [frames // 2] * 2
            for device, alone in enumerate(row["alone"]):
                check_row(alone, frames // 2)
                assert [b["name"] for b in alone["backends"]] == ["cuda:%d packets" % device], alone
            one = sum(a["pictures_per_second"] for a in row["alone"]) / 2
            assert abs(row["times_one"] * one - row["pictures_per_second"]) < 1e-3 * one, row
        assert {b["name"] for b in told["rows"][1]["backends"]} == {"cuda:0 packets", "cuda:1 packets"}, told["rows"][1]
        for name in ("uploads", "copies"):
            assert (name in told) == (kind == "pinned")
            assert name not in told or told[name]["pictures_per_second"] == median(told[name]["turns"])
    text = bench.run(*SMALL, "--memory", "pinned", "--devices", "2", "--frames", "4", "--copies", "--set", "device=cuda-only:all",
                     environment=two).stdout.decode()
    for line in (r"one alone +[0-9.]+ pictures/s with 2 in flight; \d+ by cuda:0 packets", r"\d+ by cuda:1 packets", r"times one +\d\.\d{3}\n",
                 r"copies alone +[0-9.]+ pictures/s, [0-9.]+ GB/s up; of that encodes reach [0-9.]+ with 4\n"):
        assert re.search(line, text), (line, text)


def check_below(bench):
    """Pictures that a device did not do as far as asked are counted: here it is lost on the way, and the CPU takes over."""
    words = [*SMALL, "--json", "-", "--frames", "2", "--memory", "host", "--set", "style=HT", "--set", "device=cuda"]
    done = bench.run(*words, environment={"SOFT_DEVICES": "0"})
    row = json.loads(done.stdout)["rows"][0]
    pictures = sum(t["pictures"] for t in row["turns"])
    assert row["below"] == pictures and row["backends"] == [{"name": "cpu", "pictures": pictures}] and row["up_bytes"] == 0, row
    done = bench.run(*SMALL, "--frames", "2", "--memory", "host", "--set", "device=cuda-only", environment={"SOFT_DEVICES": "0"})
    assert done.returncode == 1 and b"wavelane-bench: " in done.stderr, done


def check_other_bytes(bench):
    """A picture that is not the CPU's ends the run, also if only its bytes and not their number differ."""
    words = [*SMALL, "--json", "-", "--frames", "2", "--memory", "device", "--components", "1", "--depth", "16", "--set", "style=HT"]
    done = bench.run(*words, environment={"SOFT_SPOIL": str(2 * WIDTH * HEIGHT)})
    assert done.returncode == 6 and not done.stdout, done
    found = re.search(r"picture 0 of the ring: (\d+) bytes differ from the CPU's (\d+) bytes", done.stderr.decode())
    assert found and found.group(1) == found.group(2), done.stderr
    # Also while the clock runs: two are compared as a whole, and few uploads of tables are as large.
    done = bench.run(*words, "--arrive", "--ring", "1", "--turns", "1", "--seconds", "9", environment={"SOFT_SPOIL": "%d:30" % (2 * WIDTH * HEIGHT)})
    found = re.search(r"picture 0 of the ring: (\d+) bytes differ from the CPU's (\d+) bytes", done.stderr.decode())
    assert done.returncode == 6 and found and found.group(1) == found.group(2), done


def main():
    soft = sys.argv[1] == "--soft"
    program, folder = sys.argv[2 if soft else 1:]
    os.makedirs(folder, exist_ok=True)
    bench = Bench(program, folder)
    if soft:
        check_device(bench)
        check_arriving(bench)
        check_devices(bench)
        check_below(bench)
        check_other_bytes(bench)
    else:
        check_host(bench)
        check_ring(bench)
        check_many(bench)
        check_trace(bench)
        check_large(bench)
        check_refused(bench)
    check_no_device(bench)
    print("frames --memory%s: nothing wrong" % (" on the software device" if soft else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
