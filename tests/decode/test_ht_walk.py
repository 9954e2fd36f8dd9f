#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
wavelane verify on HT streams: nothing is found in ours, nor in those of OpenJPH and Grok where their encoders are installed, whatever the block shape,
step, tiles and levels; and a good part of single damaged bytes is found, which lengths and forbidden pairs alone do not tell.

  test_ht_walk.py WAVELANE FOLDER
"""
import json
import os
import random
import shutil
import subprocess
import sys

WIDTH, HEIGHT = 203, 149
BLOCKS = ((64, 64), (32, 32), (4, 4), (4, 256), (256, 16), (1024, 4), (16, 128))
DAMAGES = 120


def draw(path, kind):
    """Gradients, an edge and grain; or nothing but grain."""
    dice = random.Random(kind)
    samples = bytearray()
    for y in range(HEIGHT):
        for x in range(WIDTH):
            for c in range(3):
                smooth = x * (c + 1) // 2 + y + (80 if x > y else 0) + dice.randrange(8)
                samples.append((dice.randrange(256) if kind == "grain" else smooth) & 255)
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + samples)


def encodings(wavelane, picture, folder):
    """Name, command and stream of every encoding."""
    made = []

    def add(name, command, stream):
        made.append((name, command, stream))

    for width, height in BLOCKS:
        name = os.path.join(folder, "%dx%d" % (width, height))
        for n, words in enumerate(([], ["--irreversible", "--rates", "12"], ["--irreversible", "--rates", "25", "--ht-passes", "3", "--style", "VSC+HT"],
                                   ["--tile", "100,75", "--rates", "6"])):
            stream = "%s-own%d.j2c" % (name, n)
            add(stream, [wavelane, "-i", picture, "-o", stream, "--force", "--quiet", "--ht", "--block", "%d,%d" % (width, height), *words], stream)
        if shutil.which("ojph_compress"):
            for n, words in enumerate((["-reversible", "true"], ["-qstep", "0.002"], ["-qstep", "0.1", "-num_decomps", "2"])):
                stream = "%s-openjph%d.j2c" % (name, n)
                add(stream, ["ojph_compress", "-i", picture, "-o", stream, "-block_size", "{%d,%d}" % (width, height), *words], stream)
        if shutil.which("grk_compress"):
            for n, words in enumerate(([], ["-I"], ["-t", "64,64"])):
                stream = "%s-grok%d.j2k" % (name, n)
                add(stream, ["grk_compress", "-i", picture, "-o", stream, "-M", "64", "-b", "%d,%d" % (width, height), *words], stream)
    return made


def verify(wavelane, stream, *words):
    done = subprocess.run([wavelane, "verify", "--json", *words, stream], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(done.stdout)


def walk(wavelane, folder):
    """Streams walked and wrong ones. Warnings about what QCD allows are no matter of blocks, and another encoder's own affair."""
    walked, wrong = 0, 0
    for kind in ("smooth", "grain"):
        picture = os.path.join(folder, kind + ".ppm")
        draw(picture, kind)
        for name, command, stream in encodings(wavelane, picture, folder):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if done.returncode or not os.path.exists(stream):
                if command[0] == wavelane:
                    print("%s: %s" % (name, done.stdout.decode(errors="replace").strip()))
                    wrong += 1
                continue
            told = verify(wavelane, stream)
            found = [issue for issue in told["issues"] if issue["rule"] != "cap.magnitude" or command[0] == wavelane]
            if told["legal"] != "yes" or found or not told["ht_blocks"] or told["magb_needed"] > told["magb_told"]:
                print("%s: %s" % (" ".join(command), json.dumps(told)[:600]))
                wrong += 1
            walked += 1
    return walked, wrong


def damage(wavelane, folder):
    """How many of DAMAGES changed bytes of a body are found, with blocks decoded and without."""
    picture, stream, spoilt = (os.path.join(folder, name) for name in ("smooth.ppm", "sound.j2c", "spoilt.j2c"))
    subprocess.run([wavelane, "-i", picture, "-o", stream, "--force", "--quiet", "--ht", "--irreversible", "--rates", "8"], check=True)
    with open(stream, "rb") as file:
        sound = file.read()
    start, dice, found = sound.index(b"\xff\x93") + 200, random.Random(5), [0, 0]
    for _ in range(DAMAGES):
        changed = bytearray(sound)
        changed[dice.randrange(start, len(sound) - 2)] ^= dice.randrange(1, 256)
        with open(spoilt, "wb") as file:
            file.write(changed)
        for i, words in enumerate(((), ("--skip-blocks",))):
            told = verify(wavelane, spoilt, *words)
            found[i] += told["errors"] + told["warnings"] > 0
    return found


def main():
    if sys.argv[1:] in (["--help"], ["-h"]):
        sys.exit(print(__doc__.strip()))
    wavelane, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    walked, wrong = walk(wavelane, folder)
    found, lengths_alone = damage(wavelane, folder)
    print("%d streams, %d wrong; of %d damaged bytes %d are found, %d without blocks" % (walked, wrong, DAMAGES, found, lengths_alone))
    return 1 if wrong or walked < 2 * 4 * len(BLOCKS) or 3 * found < DAMAGES or found < 3 * lengths_alone else 0


if __name__ == "__main__":
    sys.exit(main())
