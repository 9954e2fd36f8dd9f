#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Whole commands of hosts with and without the plugin, alternately: medians of CPU time and of the ratio.
Reading the picture is a part of both.

  time_commands.py PLUGIN RUNS PICTURE.ppm      PLUGIN: libwavelane-openjp2.so
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

COMMANDS = [
    ("lossless", "opj_compress -i {in} -o {out}"),
    ("1:10", "opj_compress -i {in} -o {out} -I -r 10"),
    ("lossless", "gdal_translate -q -of JP2OpenJPEG -co REVERSIBLE=YES -co QUALITY=100 {in} {out}"),
    ("1:10", "gdal_translate -q -of JP2OpenJPEG -co QUALITY=10 {in} {out}"),
    ("lossless", "vips jp2ksave {in} {out} --lossless"),
    ("lossless", "ffmpeg -nostdin -loglevel error -y -i {in} -c:v libopenjpeg -threads 1 -f image2 -update 1 {out}"),
    ("lossless", "convert-im6.q16 {in} -quality 100 {out}"),
    ("lossless", "oiiotool {in} -o {out}"),
]


def seconds(command, plugin):
    env = dict(os.environ, OPJ_NUM_THREADS="1", **({"LD_PRELOAD": plugin} if plugin else {}))
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit("%s: status %d" % (command[0], process.returncode))
    return usage.ru_utime + usage.ru_stime


def main():
    if sys.argv[1:] in (["--help"], ["-h"]):
        sys.exit(print(__doc__.strip()))
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    plugin, runs, picture = os.path.abspath(sys.argv[1]), int(sys.argv[2]), os.path.abspath(sys.argv[3])
    print("%-16s %-9s %12s %12s %6s" % ("command", "coding", "OpenJPEG,ms", "Wavelane,ms", "ratio"))
    with tempfile.TemporaryDirectory() as folder:
        for coding, text in COMMANDS:
            command = [w.format(**{"in": picture, "out": os.path.join(folder, "out.jp2")}) for w in text.split()]
            if shutil.which(command[0]):
                pairs = [(seconds(command, None), seconds(command, plugin)) for _ in range(runs)]
                other, own = (statistics.median(p[i] for p in pairs) for i in (0, 1))
                print("%-16s %-9s %12.0f %12.0f %6.2f" % (command[0], coding, other * 1e3, own * 1e3, statistics.median(a / b for a, b in pairs)), flush=True)


if __name__ == "__main__":
    main()
