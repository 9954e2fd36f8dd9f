#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""peer_frames beside a peer whose speed is known: this file, called with --peer, encodes with the command and says it was that fast.

    test_peer_frames.py SCRIPT BENCH COMMAND FOLDER [SETTING...]
"""
import json
import os
import shlex
import subprocess
import sys

WIDTH, HEIGHT, RING = 128, 96, 3
SPEED = {1: 50.0, 2: 200.0, 4: 150.0}  # pictures a second by states: two are the best
SMALL = {1: 0.9, 2: 0.8, 4: 1.5}  # times that with blocks of 32: then four are the best
WORDS = " {w} {h} {depth} {raw} {mode} {step} %s {states} {frames} {out}"
PLAIN, CHOSEN = WORDS % "64", WORDS % "{block}"


# ---- The peer ----

def encode_as_peer(command, log, w, h, depth, raw, mode, step, block, states, frames, out):
    """Writes what the command makes of the first picture. Its step is four times ours."""
    first = out + ".rawl"
    size = int(w) * int(h) * 3 * (2 if int(depth) > 8 else 1)
    with open(raw, "rb") as file:
        ring = file.read()
    assert len(ring) == RING * size, (len(ring), size)
    with open(first, "wb") as file:
        file.write(ring[:size])
    words = [command, "-i", first, "-F", "%s,%s,3,%s,u" % (w, h, depth), "--raw-layout", "interleaved", "-o", out, "--force", "--quiet",
             "--block", "%s,%s" % (block, block), *(["--ht"] if mode.startswith("ht") else [])]
    if mode.endswith("irr"):
        words += ["--irreversible", "--step", repr(min(float(step) / 4, 1.0))]
    subprocess.run(words, check=True)
    with open(log, "a", encoding="utf-8") as file:
        file.write("%s %s %s %s\n" % (mode, states, frames, block))
    rate = SPEED[int(states)] * (SMALL[int(states)] if block == "32" else 1)
    print("peer %sx%s: %.1f fps, %.2f ms/frame, %d bytes (found)" % (w, h, rate, 1e3 / rate, os.path.getsize(out)))


# ---- The test ----

def draw_picture(path, peak):
    samples = bytearray()
    for y in range(HEIGHT):
        for x in range(WIDTH):
            for c in range(3):
                value = (x * y // 7 + 40 * c * ((x // 8 + y // 8) % 2) + (x * 31 + y * 17 + c * 5) % 23) * peak // 255 % (peak + 1)
                samples += value.to_bytes(2 if peak > 255 else 1, "big")
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n%d\n" % (WIDTH, HEIGHT, peak) + samples)


class Test:
    def __init__(self, script, bench, command, folder, settings):
        self.folder, self.log = folder, os.path.join(folder, "peer.log")
        self.words = [sys.executable, script, "--bench", bench, "--wavelane", command, "--ring", str(RING), "--seconds", "0.05", "--turns", "3",
                      "--threads", "2", "--frames", "1,2", "--states", "2,4", "--json", self.at("told.json")]
        for setting in settings:
            self.words += ["--set", setting]
        self.memory = "device" if settings else "host"
        self.words += ["--memory", self.memory]
        self.peer = "%s %s --peer %s %s" % tuple(shlex.quote(w) for w in (sys.executable, os.path.abspath(__file__), command, self.log))
        draw_picture(self.at("eight.ppm"), 255)
        draw_picture(self.at("twelve.ppm"), 4095)

    def at(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words, peer=CHOSEN):
        if os.path.exists(self.log):
            os.remove(self.log)
        return subprocess.run([*self.words, "--peer", self.peer + peer, "--picture", self.at("eight.ppm"), "--picture12", self.at("twelve.ppm"), *words],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def measure(self, *words, **more):
        done = self.run(*words, **more)
        assert done.returncode == 0, done.stderr.decode()
        with open(self.at("told.json"), encoding="utf-8") as file:
            told = json.load(file)["cases"]
        return {case["case"]: case for case in told}, done.stdout.decode()

    def refuse(self, code, said, *words, **more):
        done = self.run(*words, **more)
        assert done.returncode == code and said in done.stderr.decode(), done


def middle(values):
    return sorted(values)[len(values) // 2]


def check_case(case, peer_rate):
    ours = max(middle(rates) for rates in case["ours"].values())
    assert all(len(rates) == 3 for rates in [*case["ours"].values(), *case["peer"].values()]), case
    assert abs(case["ratio"] - ours / peer_rate) < 1e-9 * case["ratio"], (case["ratio"], ours, peer_rate)
    assert len(case["clocks"]) == 2 and case["below"] == 0


def check_rates(test):
    """The best of each side; the same bytes where both are the same encoder; turns of ours and the peer's by turns."""
    cases, text = test.measure("--cases", "lossless,depth12,alone", peer=PLAIN)
    for name, rate in (("lossless", 200.0), ("depth12", 200.0), ("alone", 50.0)):
        case = cases[name]
        check_case(case, rate)
        assert case["psnr"] == {"ours": "exact", "peer": "exact"}, case["psnr"]
        assert case["bytes"]["ours"] > 0 and abs(case["bytes"]["ours"] - case["bytes"]["peer"]) < 200, case["bytes"]
        assert "ratio     %.3f times" % case["ratio"] in text, text
    assert cases["depth12"]["shape"] == {"w": WIDTH, "h": HEIGHT, "c": 3, "depth": 12}
    assert set(cases["alone"]["ours"]) == {"0", "1"} and set(cases["alone"]["peer"]) == {"1"}
    with open(test.log, encoding="utf-8") as file:
        calls = [line.split() for line in file][:8]
    asked = [(int(states), int(frames)) for _, states, frames, _ in calls]
    assert asked == [(2, 16), (2, 12), (4, 32), (4, 9)] + [(2, 12), (4, 9)] * 2, asked  # the speed is found first: 1.2 * 0.05 s of it


def check_lossy(test):
    """One size: the peer's step is found for the bits a pixel, then ours for the peer's bytes."""
    cases, text = test.measure("--cases", "lossy", "--bpp", "4")
    case = cases["lossy"]
    check_case(case, 200.0)
    sizes = case["bytes"]
    assert abs(sizes["peer"] - 4 * WIDTH * HEIGHT / 8) < 0.02 * sizes["peer"], sizes
    assert abs(sizes["ours"] - sizes["peer"]) <= 0.005 * sizes["peer"], sizes
    assert abs(case["step"]["peer"] / case["step"]["ours"] / 4 - 1) < 0.05, case["step"]
    assert 20 < case["psnr"]["ours"] < 80 and abs(case["psnr"]["ours"] - case["psnr"]["peer"]) < 0.5, case["psnr"]
    assert "bits a pixel, %.3f dB" % case["psnr"]["ours"] in text, text
    cases, _ = test.measure("--cases", "lossy", "--peer-step", "0.1")
    assert cases["lossy"]["step"]["peer"] == 0.1


def check_part1(test):
    """EBCOT: our blocks of each side beside the peer's best of both."""
    cases, text = test.measure("--cases", "part1-lossless,part1-lossless32,part1-alone,part1-alone32")
    for name, rate in (("part1-lossless", 225.0), ("part1-lossless32", 225.0), ("part1-alone", 50.0), ("part1-alone32", 45.0)):
        case = cases[name]
        check_case(case, rate)
        assert set(case["psnr"].values()) == {"exact"} and len(case["psnr"]) == (2 if "alone" in name else 3), case["psnr"]
    both, alone = cases["part1-lossless"], cases["part1-alone32"]
    assert set(both["peer"]) == {"%d, blocks %d" % (n, block) for n in (2, 4) for block in (64, 32)}, both["peer"]
    assert abs(both["bytes"]["ours"] - both["bytes"]["peer 64"]) < 200 and both["bytes"]["peer 32"] > both["bytes"]["peer 64"] + 200, both["bytes"]
    assert abs(cases["part1-lossless32"]["bytes"]["ours"] - both["bytes"]["peer 32"]) < 200, cases["part1-lossless32"]["bytes"]
    assert set(alone["ours"]) == {"0", "1"} and abs(alone["bytes"]["ours"] - alone["bytes"]["peer"]) < 200, alone
    assert "(4 at a time, blocks of 32)" in text, text
    with open(test.log, encoding="utf-8") as file:
        calls = {tuple(line.split()[i] for i in (0, 3)) for line in file}
    assert calls == {("rev", "64"), ("rev", "32")}, calls


def check_part1_lossy(test):
    """One size for three: both of the peer's, and ours."""
    cases, _ = test.measure("--cases", "part1-lossy", "--part1-bpp", "4")
    case = cases["part1-lossy"]
    check_case(case, 225.0)
    sizes = case["bytes"]
    assert abs(sizes["peer 64"] - 4 * WIDTH * HEIGHT / 8) < 0.02 * sizes["peer 64"], sizes
    assert all(abs(sizes[side] - sizes["peer 64"]) <= 0.005 * sizes["peer 64"] for side in ("ours", "peer 32")), sizes
    assert set(case["step"]) == {"ours", "peer 64", "peer 32"} and case["step"]["peer 32"] > case["step"]["peer 64"], case["step"]
    assert 20 < case["psnr"]["ours"] < 80 and len(case["psnr"]) == 3, case["psnr"]


def check_refused(test):
    test.refuse(2, "--cases: none is none of", "--cases", "none")
    test.refuse(1, "the peer printed no", "--cases", "lossless", peer=CHOSEN + " silent")
    test.refuse(1, "EBCOT cases need the word {block}", "--cases", "part1-alone", peer=PLAIN)
    test.refuse(1, "is no word that this script knows", "--cases", "lossless", peer=" {width}")
    test.refuse(1, "no step gives", "--cases", "lossy", "--peer-step", "0.1", "--slack", "0")
    done = subprocess.run([*test.words, "--peer", "true", "--picture", test.at("none.ppm")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1 and b"none.ppm" in done.stderr, done


def check_pinned(test):
    """Beside uploads alone, and without the peer."""
    cases, text = test.measure("--cases", "pinned")
    case = cases["pinned"]
    assert "ratio" not in case and len(case["uploads"]) == 3 and not os.path.exists(test.log)
    best = max(middle(rates) for rates in case["ours"].values())
    assert abs(case["of_uploads"] - best / middle(case["uploads"])) < 1e-9, case
    assert "ours is %.3f of that" % case["of_uploads"] in text, text


def main():
    if sys.argv[1] == "--peer":
        if sys.argv[-1] != "silent":
            encode_as_peer(*sys.argv[2:])
        return 0
    script, bench, command, folder = sys.argv[1:5]
    os.makedirs(folder, exist_ok=True)
    test = Test(script, bench, command, folder, sys.argv[5:])
    check_rates(test)
    check_part1(test)
    if sys.argv[5:]:
        check_pinned(test)
    else:
        check_lossy(test)
        check_part1_lossy(test)
        check_refused(test)
    print("peer_frames, pixels in %s memory: nothing wrong" % test.memory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
