#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
The command with --memory: the files are those of the whole picture, from files and pipes; what cannot be read row by row is refused with the
reason; the memory stays below the limit and 32 MB.

  test_by_rows.py WAVELANE MAKE_ROWS FOLDER [large]      large: instead pictures of 512 MiB and what they take, for builds without sanitizers
"""
import json
import os
import resource
import signal
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

from checks import end, expect
from small_pictures import chunk, directory, icc, tiff_of_pieces

if sys.argv[1:] in (["--help"], ["-h"]):
    sys.exit(print(__doc__.strip()))
wavelane, make_rows, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), Path(sys.argv[3])
is_large = "large" in sys.argv[4:]
WIDTH, HEIGHT = 333, 250
MIB = 1 << 20
XMP = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><r:Description r:about=''/></r:RDF></x:xmpmeta>"


def sample(x, y, c=0):
    return (x * 3 + y * (c + 2) + (x * y >> 5) * 7) & 255


def interleaved(channels, width=WIDTH, height=HEIGHT):
    return bytes(sample(x, y, c) for y in range(height) for x in range(width) for c in range(channels))


GREY, RGB = interleaved(1), interleaved(3)


# ---- Pictures ------------------------------------------------------------------------------------------------------------


def pnm(kind, data, most=255):
    return b"P%d\n%d %d\n%d\n" % (kind, WIDTH, HEIGHT, most) + data


def tiff(pieces, shape, samples=1, extra=None):
    return tiff_of_pieces(pieces, {256: (3, [WIDTH]), 257: (3, [HEIGHT]), 258: (3, [8] * samples), 259: (3, [1]), 262: (3, [1 if samples == 1 else 2]),
                                   277: (3, [samples]), **shape, **(extra or {})})


def in_strips(data, samples=1, rows=7, extra=None):
    pitch = WIDTH * samples * rows
    return tiff([data[at:at + pitch] for at in range(0, len(data), pitch)], {278: (3, [rows])}, samples, extra)


def in_tiles(width=64, height=48):
    tiles = [bytes(sample(x + i, y + j) if x + i < WIDTH and y + j < HEIGHT else 0 for j in range(height) for i in range(width))
             for y in range(0, HEIGHT, height) for x in range(0, WIDTH, width)]
    return tiff(tiles, {322: (3, [width]), 323: (3, [height])})


def big_tiff():
    """Strips of 16 rows; offsets and counts of 64 bits."""
    pieces = [RGB[at:at + 16 * 3 * WIDTH] for at in range(0, len(RGB), 16 * 3 * WIDTH)]
    count, at = len(pieces), 16 + len(RGB)
    lists = struct.pack(f"<{count}Q", *(16 + i * 16 * 3 * WIDTH for i in range(count))) + struct.pack(f"<{count}Q", *map(len, pieces))
    tags = [(256, 4, 1, WIDTH), (257, 4, 1, HEIGHT), (258, 3, 3, 0x800080008), (259, 3, 1, 1), (262, 3, 1, 2), (273, 16, count, at), (277, 3, 1, 3),
            (278, 4, 1, 16), (279, 16, count, at + 8 * count)]
    entries = b"".join(struct.pack("<HHQQ", *t) for t in tags)
    return struct.pack("<2sHHHQ", b"II", 43, 8, 0, at + len(lists)) + RGB + lists + struct.pack("<Q", len(tags)) + entries + bytes(8)


def png(kind, data, channels, *chunks, behind=(), interlaced=0):
    pitch = WIDTH * channels
    lines = b"".join(b"\0" + data[y * pitch:(y + 1) * pitch] for y in range(HEIGHT))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, kind, 0, 0, interlaced)) + b"".join(chunks) +
            chunk(b"IDAT", zlib.compress(lines)) + b"".join(behind) + chunk(b"IEND", b""))


def bmp():
    pitch = (WIDTH * 3 + 3) // 4 * 4
    rows = b"".join(RGB[y * WIDTH * 3:(y + 1) * WIDTH * 3].ljust(pitch, b"\0") for y in reversed(range(HEIGHT)))
    return b"BM" + struct.pack("<IHHI", 54 + len(rows), 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, WIDTH, HEIGHT, 1, 24, 0, len(rows), 0, 0, 0, 0) + rows


def dpx():
    head = bytearray(2048)
    head[0:4] = b"SDPX"
    struct.pack_into(">I", head, 4, 2048)
    struct.pack_into(">HHII", head, 768, 0, 1, WIDTH, HEIGHT)
    struct.pack_into(">IIIIIBBBBHHII", head, 780, 0, 0, 0, 0, 0, 50, 2, 2, 16, 0, 0, 2048, 0)
    return bytes(head) + bytes(b for v in RGB for b in (v, 255 - v))


def yuv():
    return GREY[:332 * 250] + bytes((7 * i) & 255 for i in range(2 * 166 * 125))


def keep(name, data):
    path = folder / name
    path.write_bytes(data)
    return str(path)


PROFILE = chunk(b"iCCP", b"grey\0\0" + zlib.compress(icc()))
TEXT = chunk(b"tEXt", b"Title\0behind the pixels")
METADATA = {700: (1, XMP), 34675: (7, icc()), 282: (5, [(300, 1)]), 283: (5, [(300, 1)]), 296: (3, [2])}
RAW = ["-F", f"{WIDTH},{HEIGHT},3,8,u"]


def make_pictures():
    planes = bytes(sample(x, y, c) for c in range(3) for y in range(HEIGHT) for x in range(WIDTH))
    palette = chunk(b"PLTE", bytes(range(256)) * 3)
    return {
        "pgm": [keep("a.pgm", pnm(5, GREY))],
        "ppm": [keep("a.ppm", pnm(6, RGB))],
        "deep": [keep("deep.pgm", pnm(5, bytes(v for b in GREY for v in (b >> 4, b)), 4095))],
        "pam": [keep("a.pam", b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n" % (WIDTH, HEIGHT) + RGB)],
        "pgx": [keep("a.pgx", b"PG ML + 8 %d %d\n" % (WIDTH, HEIGHT) + GREY)],
        "big TIFF": [keep("big.tif", big_tiff())],
        "strips": [keep("strips.tif", in_strips(RGB, 3))],
        "metadata": [keep("metadata.tif", in_strips(GREY, extra=METADATA))],
        "tiles": [keep("tiles.tif", in_tiles())],
        "png": [keep("a.png", png(0, GREY, 1, PROFILE, behind=[TEXT]))],
        "indices": [keep("indices.png", png(3, GREY, 1, palette)), "--palette", "indices"],
        "bmp": [keep("a.bmp", bmp())],
        "dpx": [keep("a.dpx", dpx())],
        "raw": [keep("planes.raw", planes), *RAW],
        "pixels": [keep("pixels.raw", RGB), *RAW, "--raw-layout", "interleaved"],
        "yuv": [keep("a.yuv", yuv()), "-F", "332,250,3,8,u@1x1:2x2:2x2"],
    }


# ---- Runs ----------------------------------------------------------------------------------------------------------------


def run(*arguments, data=None, environment=None, most_file=None):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_file, most_file))
    return subprocess.run([wavelane, *map(str, arguments)], input=data, stdin=subprocess.DEVNULL if data is None else None, capture_output=True,
                          env={**os.environ, **(environment or {})}, preexec_fn=limit if most_file else None)


def encode(output, *arguments, data=None):
    path = folder / output
    result = run(*arguments, "-o", path, "--force", "--quiet", "--threads", 2, data=data)
    if result.returncode:
        print(result.stderr.decode())
    return path.read_bytes() if result.returncode == 0 else None


def is_same(what, arguments, output="x.j2k", data=None, limit="120M"):
    """The same file with and without a limit."""
    whole = encode(output, *arguments)
    rows = encode(output, *arguments, "--memory", limit)
    expect(whole is not None and whole == rows, f"{what}: another file with --memory")
    if data is not None:
        piped = encode(output, "-i", "-", *arguments[2:], "--memory", limit, data=data)
        expect(piped == whole, f"{what}: another file from a pipe with --memory")


def refused(code, words, *arguments, data=None, environment=None, most_file=None):
    output = folder / "refused.jp2"
    output.unlink(missing_ok=True)
    result = run(*arguments, "-o", output, "--force", data=data, environment=environment, most_file=most_file)
    said = result.stderr.decode()
    expect(result.returncode == code, f"exit {result.returncode} instead of {code}: {arguments}: {said}")
    expect(words in said, f"lacks \"{words}\": {arguments}: {said}")
    expect(not output.exists(), f"a file is left: {arguments}")


def plan(*arguments):
    result = run(*arguments, "--dry-run", "--json", "--threads", 2)
    expect(result.returncode == 0, f"--dry-run {arguments}: {result.stderr.decode()}")
    return json.loads(result.stdout)["pictures"][0] if result.returncode == 0 else {}


# ---- The same files ------------------------------------------------------------------------------------------------------


def check_formats(pictures):
    for name, (path, *options) in pictures.items():
        arguments = ["-i", path, *options]
        is_same(name, arguments)
        is_same(name + " in tiles", [*arguments, "--tile", "100,64", "-I", "--bpp", "1"])
        expect("rows" in plan(*arguments, "--memory", "120M"), f"{name}: is not read by rows")
        expect("rows" not in plan(*arguments), f"{name}: is read by rows though it is small")
    for name in ("pgm", "ppm", "deep"):
        path = pictures[name][0]
        is_same(name + " from a pipe", ["-i", path], data=Path(path).read_bytes())
        is_same(name + " with a target from a pipe", ["-i", path, "-I", "--bpp", "0.7"], data=Path(path).read_bytes())
    check_short_reads(pictures["ppm"][0])
    pipe = [*pictures["pixels"][1:], "--input-format", "raw"]
    is_same("raw from a pipe", ["-i", pictures["pixels"][0], *pipe], data=RGB)


def check_short_reads(path):
    """A pipe that gives few bytes at a time, now and then within a header, a sample or a row."""
    data = Path(path).read_bytes()
    for options in ([], ["--tile", "100,64", "-I", "--bpp", "1"]):
        whole = encode("x.j2k", "-i", path, *options)
        arguments = [wavelane, "-i", "-", "-o", folder / "short.j2k", "--force", "--quiet", "--memory", "120M", *options]
        with subprocess.Popen([str(a) for a in arguments], stdin=subprocess.PIPE, bufsize=0) as child:
            sizes, at = [1, 2, 1, 7, 998, 999, 1, 4095, 3, 333], 0
            while at < len(data):
                size = sizes[at % len(sizes)]
                child.stdin.write(data[at:at + size])
                at += size
        expect(child.returncode == 0 and (folder / "short.j2k").read_bytes() == whole, f"short reads: another file {options}")


def check_boxes(pictures):
    for name in ("metadata", "png", "indices", "ppm"):
        path, *options = pictures[name]
        for output in ("x.jp2", "x.jph"):
            is_same(f"{name} as {output}", ["-i", path, *options], output)
    data = (folder / "x.jp2").read_bytes()
    expect(encode("x.jp2", "-i", pictures["metadata"][0], "--memory", "120M").find(icc()) > 0, "the profile is lost by rows")
    expect(encode("x.jp2", "-i", pictures["metadata"][0], "--memory", "120M").find(XMP) > 0, "the XMP packet is lost by rows")
    expect(encode("x.jp2", "-i", pictures["png"][0], "--memory", "120M").find(b"behind the pixels") > 0, "the text behind the pixels is lost")
    expect(data[4:8] == b"jP  ", "no JP2 file")


def check_coding(pictures):
    """Tiles so large that the transform goes by strips, with coded bytes in a file."""
    path = folder / "strips.pgm"
    with open(path, "wb") as file:
        subprocess.run([make_rows, "4096", "3500", "1", "8"], stdout=file, check=True)
    ways = [("9/7", ["-I", "--bpp", "1"]), ("HT", ["-HT"]), ("lossless", []), ("tiles", ["--tile", "512,512", "-HT"]),
            ("RPCL", ["-HT", "-p", "RPCL", "--plt", "yes", "--precincts", "[256,256]"])]
    for name, options in ways:
        rows = plan("-i", path, *options, "--memory", "1G")["rows"]
        whole = encode("x.j2k", "-i", path, *options)
        expect(whole == encode("x.j2k", "-i", path, *options, "--memory", rows["least_bytes"] + 3 * MIB), f"{name}: another file with little memory")
    path.unlink()
    refused(2, "the image offset is no multiple", "-i", pictures["yuv"][0], "-F", "332,250,3,8,u@1x1:2x2:2x2", "--image-offset", "0,1",
            "--memory", "120M")
    is_same("offset", ["-i", pictures["yuv"][0], "-F", "332,250,3,8,u@1x1:2x2:2x2", "--image-offset", "2,4"])
    is_same("colour", ["-i", pictures["ppm"][0], "--input-color", "rec2020"])
    is_same("steps", ["-i", pictures["yuv"][0], "-F", "332,250,3,8,u@1x1:2x2:2x2", "-s", "2,3"])


# ---- Refusals ------------------------------------------------------------------------------------------------------------


def check_usage(pictures):
    path = pictures["pgm"][0]
    for value in ("0", "1x", "M", "1MB", "-1", "99999999999999999999", "70000000T", ""):
        refused(2, "--memory", "-i", path, "--memory", value)
    refused(2, "is too small", "-i", path, "--memory", "1K")
    refused(2, "--memory needs a single -i", "-i", path, "-i", path, "--memory", "120M")
    refused(2, "--memory needs a single -i", "--demo", "--memory", "120M")
    refused(2, "cannot be used together", "-i", path, "--memory", "120M", "--verify")
    result = run("sequence", path, folder / "x%d.j2k", "--memory", "120M")
    expect(result.returncode == 2 and b"sequence: --memory and --spill-dir are for single pictures" in result.stderr, "a sequence takes --memory")
    refused(2, "--spill-dir needs --memory", "-i", path, "--spill-dir", ".")
    refused(4, "--spill-dir none: ", "-i", path, "--memory", "120M", "--spill-dir", "none")
    least = plan("-i", path, "--memory", "1G")["rows"]["least_bytes"]
    expect(run("-i", path, "-o", folder / "x.j2k", "--force", "--threads", 2, "--memory", least).returncode == 0, "the least memory does not suffice")
    refused(2, f"needs {least} bytes, --memory {-(-least // MIB)}M", "-i", path, "--threads", 2, "--memory", least - 1)


def check_plan():
    """What --dry-run and --explain say before anything is read."""
    path = folder / "plan.pgm"
    header = b"P5 8192 8192 255\n"
    path.write_bytes(header)
    os.truncate(path, len(header) + 8192 * 8192)
    rows = plan("-i", path, "--memory", "1G")["rows"]
    expect(rows["most_passes"] == 1 and rows["likely_spill_bytes"] == 0 < rows["likely_bytes"] < rows["most_bytes"] <= 1024 * MIB, f"plan: {rows}")
    little = plan("-i", path, "--memory", rows["least_bytes"] + MIB)["rows"]
    expect(little["likely_bytes"] == little["most_bytes"] == rows["least_bytes"] + MIB, f"memory of a plan: {little}")
    expect(0 < little["likely_spill_bytes"] < little["most_spill_bytes"], f"file of a plan: {little}")
    rdoq = ["-I", "--bpp", "1", "--rdoq", "yes"]
    expect(plan("-i", path, *rdoq, "--memory", "1G")["rows"]["likely_spill_bytes"] >= 8192 * 8192 * 2, "coefficients are not counted")
    for option in ("--dry-run", "--explain"):
        said = run("-i", path, option, "--memory", "1G", "--spill-dir", folder).stdout.decode()
        expect("row by row: " in said and f"file in {folder}: " in said and "over the picture" in said, f"{option}: {said}")
    path.unlink()


def check_obstacles(pictures):
    interlaced = keep("interlaced.png", png(0, GREY, 1, interlaced=1))
    turned = keep("turned.tif", in_strips(GREY, extra={274: (3, [6])}))
    tga = keep("a.tga", struct.pack("<BBBHHBHHHHBB", 0, 0, 3, 0, 0, 0, 0, 0, WIDTH, HEIGHT, 8, 32) + GREY)
    for path, words in ((interlaced, "interlaced"), (tga, "its rows may be compressed")):
        refused(3, "--memory: the picture cannot be read row by row: ", "-i", path, "--memory", "120M")
        refused(3, words, "-i", path, "--memory", "120M")
    refused(2, "--orient auto turns", "-i", turned, "--orient", "auto", "--memory", "120M")
    is_same("an orientation that is kept", ["-i", turned], "x.jp2")
    refused(2, "--channels and --drop-alpha", "-i", pictures["ppm"][0], "--channels", "0", "--memory", "120M")
    refused(2, "-TargetBitDepth", "-i", pictures["ppm"][0], "-X", "10", "--memory", "120M")
    refused(3, "a pipe cannot be rewound", "-i", "-", "--memory", "120M", data=Path(pictures["strips"][0]).read_bytes())
    data = Path(pictures["png"][0]).read_bytes()
    refused(2, "leave the metadata out with --strip", "-i", "-", "--memory", "120M", data=data)
    expect(encode("x.j2k", "-i", "-", "--memory", "120M", data=data) == encode("x.j2k", "-i", pictures["png"][0]), "PNG from a pipe: another codestream")


def check_failures(pictures):
    path = Path(pictures["ppm"][0])
    data = path.read_bytes()
    refused(3, "standard input: ", "-i", "-", "--memory", "120M", data=data[:-1000])
    noise = folder / "noise.raw"
    noise.write_bytes(os.urandom(4096 * 3500))
    raw = ["-i", noise, "-F", "4096,3500,1,8,u", "--threads", 2]
    least = plan(*raw, "--memory", "1G")["rows"]["least_bytes"]
    spill = ["--memory", least + 2 * MIB]
    refused(5, "--spill-dir and --memory", *raw, *spill, most_file=MIB)
    refused(5, "/none: ", *raw, *spill, environment={"TMPDIR": "/none"})
    expect(run(*raw, *spill, "--spill-dir", folder, "-o", folder / "x.j2k", "--force", environment={"TMPDIR": "/none"}).returncode == 0,
           "--spill-dir does not count more than TMPDIR")
    noise.unlink()


def check_interrupt():
    output = folder / "stopped.j2k"
    child = subprocess.Popen([wavelane, "-i", "-", "-o", output, "--memory", "200M"], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdin.write(b"P5 4000 4000 255\n" + bytes(8000000))
    child.stdin.flush()
    time.sleep(0.3)
    child.send_signal(signal.SIGTERM)
    code = child.wait(10)
    expect(code == 130, f"exit {code} after SIGTERM while rows are read")
    expect(not list(folder.glob(".*")) and not output.exists(), "files are left after SIGTERM")


# ---- Large pictures ------------------------------------------------------------------------------------------------------


def peak_of(arguments, shape):
    """Peak resident memory of the command, in bytes; shape: of a picture of make_rows on its standard input, or None."""
    source = subprocess.Popen([make_rows, *map(str, shape)] if shape else ["true"], stdout=subprocess.PIPE)
    child = subprocess.Popen([wavelane, *map(str, arguments)], stdin=source.stdout, stdout=subprocess.DEVNULL)
    source.stdout.close()
    _, status, usage = os.wait4(child.pid, 0)
    source.wait()
    expect(os.waitstatus_to_exitcode(status) == 0 if hasattr(os, "waitstatus_to_exitcode") else status == 0, f"{arguments} failed")
    return usage.ru_maxrss * 1024


def check_large():
    header = b"P5 4096 131200 255\n"
    path = folder / "sparse.pgm"
    path.write_bytes(header)
    os.truncate(path, len(header) + 4096 * 131200)
    expect("rows" in plan("-i", path), "a picture above 512 MiB is not read by rows")
    expect("rows" not in plan("-i", path, "--channels", "0"), "--channels is read by rows")
    path.unlink()
    # 100000 x 600 in tiles that are one tile of the file: the reader holds 25 MB, which count toward the limit.
    count = 391 * 3
    tags = {256: (4, [100000]), 257: (4, [600]), 258: (3, [8]), 259: (3, [1]), 262: (3, [1]), 277: (3, [1]), 322: (3, [256]), 323: (3, [256]),
            324: (4, [8] * count), 325: (4, [65536] * count)}
    wide = keep("wide.tif", b"II*\0" + struct.pack("<I", 8 + 65536) + bytes(i * i >> 4 & 255 for i in range(65536)) + directory("<", 8 + 65536, tags))
    os.truncate(wide, 80000000)  # a reader refuses files that are smaller than their samples
    least = plan("-i", wide, "-HT", "--memory", "1G")["rows"]["least_bytes"]
    header = b"P5 100000 600 255\n"
    lines = keep("lines.pgm", header)
    os.truncate(lines, len(header) + 60000000)
    expect(least > plan("-i", lines, "-HT", "--memory", "1G")["rows"]["least_bytes"] + 25000000, "the memory of the reader is not counted")
    Path(lines).unlink()
    peak = peak_of(["-i", wide, "-o", folder / "wide.jhc", "--force", "--quiet", "--threads", 2, "--memory", least + 4 * MIB], None)
    expect(peak <= least + 4 * MIB + 32000000, f"{peak} bytes resident with --memory {least + 4 * MIB} of a wide TIFF file")
    print(f"wide TIFF file: {peak >> 20} MiB resident with --memory {least + 4 * MIB >> 20}M")
    Path(wide).unlink()
    output = folder / "large.jhc"
    # The third one reads coefficients from their file in the order of the survey.
    cases = ((80, (4096, 131200, 1, 8), []), (96, (4096, 9000, 1, 8), ["-I", "--bpp", "0.5", "--rdoq", "no"]), (80, (16384, 16384, 1, 8), ["-I", "--bpp", "1"]))
    for limit, shape, options in cases:
        peak = peak_of(["-i", "-", "-o", output, "--force", "--quiet", "--threads", 2, "--memory", f"{limit}M", *options], shape)
        expect(peak <= limit * MIB + 32000000, f"{peak} bytes resident with --memory {limit}M {options}")
        print(f"{shape}: {peak >> 20} MiB resident with --memory {limit}M")
        output.unlink()


def check_tiles():
    """In tiles, lists of blocks are short and packets are small: coded blocks in the file leave memory all the same, while they are coded and later."""
    path, output = folder / "tiles.pgm", folder / "tiles.j2k"
    with open(path, "wb") as file:
        subprocess.run([make_rows, "16384", "12288", "1", "8"], stdout=file, check=True)
    for options in (["--tile", "1024,1024", "--rdoq", "no"], ["--tile", "4096,4096"]):
        arguments = ["-i", path, "-I", "--bpp", "1", *options]
        least = plan(*arguments, "--memory", "1G")["rows"]["least_bytes"]
        peak = peak_of([*arguments, "-o", output, "--force", "--quiet", "--threads", 2, "--memory", least], None)
        expect(peak <= least + 32000000, f"{peak} bytes resident with --memory {least} {options}")
        print(f"16384x12288 {options}: {peak >> 20} MiB resident with --memory {least >> 20}M")
    path.unlink()
    output.unlink()


folder.mkdir(parents=True, exist_ok=True)
if is_large:
    check_large()
    check_tiles()
else:
    pictures = make_pictures()
    for check in (check_formats, check_boxes, check_coding, check_usage, check_obstacles, check_failures):
        check(pictures)
    check_plan()
    check_interrupt()
sys.exit(end())
