#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ht_target on a drawn picture: a row for each rate, the target kept, and an end of 1 where the fixed step is said to be better."""
import os
import shutil
import subprocess
import sys

SIDE = 96


def draw_picture(path):
    pixels = bytes((x * x // 9 + 30 * c * ((x // 8 + y // 8) % 2) + (x * 31 + y * 17 + c * 5) % 23) % 256
                   for y in range(SIDE) for x in range(SIDE) for c in range(3))
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (SIDE, SIDE) + pixels)


def run(script, build, *words):
    done = subprocess.run([sys.executable, script, "--build", build, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def main():
    script, build, folder = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    picture = os.path.join(folder, "drawn.ppm")
    draw_picture(picture)
    code, said, complaints = run(script, build, "--bpp", "1,2", "--slack", "1", picture)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in said.splitlines() if line.startswith("| drawn")]
    assert code == 0 and len(rows) == 2, (code, said, complaints)
    for row, bytes_allowed in zip(rows, (SIDE * SIDE // 8, SIDE * SIDE // 4)):
        used, target, fixed, difference = float(row[3].split()[0]), float(row[4]), float(row[5]), float(row[6])
        assert 0.9 * bytes_allowed < int(row[2]) <= bytes_allowed and abs(used - 100 * int(row[2]) / bytes_allowed) < 0.01, row
        assert 10 < target < 60 and abs(target - fixed - difference) < 0.011, row
    code, said, complaints = run(script, build, "--bpp", "1", "--slack", "-30", picture)
    assert code == 1, (code, said, complaints)
    code, said, complaints = run(script, build, "--bpp", "1", "--set", "no-such-key=1", picture)
    assert code == 1 and "no-such-key" in complaints, (code, said, complaints)
    print("ht_target: %d rows, nothing wrong" % len(rows))


if __name__ == "__main__":
    main()
