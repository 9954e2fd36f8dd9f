#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Programs of others that write JPEG 2000 by libopenjp2, each command with the plugin and without it. libopenjp2 itself decodes both files.
Lossless: equal samples. Lossy: at most the bytes of libopenjp2 or those that were asked for, and no lower PSNR at equal bytes: where bytes
differ, the command runs once more with the bytes of libopenjp2 as the limit. The comment segment says who encoded; what was handed over is
counted with its reason. opj_compress.txt has the commands of opj_compress.

  hosts.py FOLDER-OF-LIBRARIES [--hosts NAME,...] [--most N] [--draw N] [--seed N] [--python PYTHON] [--keep DIR] [--verbose]

FOLDER-OF-LIBRARIES has libwavelane-openjp2.so and openjp2/libopenjp2.so.7. Without --draw: the fixed commands of each host that is here, at most N of each. With --draw:
N commands, drawn from the options of the hosts. PYTHON has Pillow, imagecodecs and glymur; their cases are left out without it. Ends with 0, 1, or 77
where no host is here.
"""
import argparse
import array
import collections
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

# Measured: how far PSNR at equal bytes may be below that of libopenjp2 in one file; the median must not be below it.
TOLERANCE_DB = 0.1
MOST_HANDED_OVER = 0.05
ALIKE = 0.001  # bytes that differ by no more are equal
MARK = b"Encoded by Wavelane"

# ---- Pictures ----


def synthetic(width, height, channels, depth):
    rng, most, samples = random.Random(1), (1 << depth) - 1, []
    for y in range(height):
        for x in range(width):
            for c in range(channels):
                value = 0.5 + 0.3 * math.sin(x / (7 + c) + y / 31) + 0.15 * math.cos(y / 5 - x / 53) + rng.gauss(0, 0.01)
                samples.append(min(most, max(0, int(value * most))))
    return width, height, channels, depth, samples


def read_pnm(path, most_width, most_height):
    with open(path, "rb") as file:
        data = file.read()
    match = re.match(rb"P([56])\s+(?:#.*\n)*\s*(\d+)\s+(\d+)\s+(\d+)\s", data)
    width, height, most = (int(match.group(i)) for i in (2, 3, 4))
    channels, depth = 3 if match.group(1) == b"6" else 1, most.bit_length()
    samples = array.array("H" if depth > 8 else "B", data[match.end():])
    if depth > 8:
        samples.byteswap()
    crop_width, crop_height = min(width, most_width), min(height, most_height)
    rows = [samples[y * width * channels:(y * width + crop_width) * channels] for y in range(crop_height)]
    return crop_width, crop_height, channels, depth, [v for row in rows for v in row]


def write_png(path, width, height, channels, depth, samples):
    bytes_each = 2 if depth > 8 else 1
    shift = 16 - depth if depth > 8 else 0
    pack = array.array("H", (s << shift for s in samples)) if bytes_each == 2 else array.array("B", samples)
    if bytes_each == 2:
        pack.byteswap()
    raw, row = pack.tobytes(), width * channels * bytes_each
    lines = b"".join(b"\0" + raw[y * row:(y + 1) * row] for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8 * bytes_each, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines, 1)) + chunk(b"IEND", b""))


def write_pnm(path, width, height, channels, depth, samples):
    values = array.array("H" if depth > 8 else "B", samples)
    if depth > 8:
        values.byteswap()
    with open(path, "wb") as file:
        file.write(b"P%d\n%d %d\n%d\n" % (6 if channels == 3 else 5, width, height, (1 << depth) - 1) + values.tobytes())


def half(samples, width, across, down):
    """A component at the places that subsampling leaves."""
    return [samples[y * width + x] for y in range(0, len(samples) // width, down) for x in range(0, width, across)]


def write_planes(path, planes, depth):
    values = array.array("H" if depth > 8 else "B", (v for plane in planes for v in plane))
    if depth > 8:
        values.byteswap()
    with open(path, "wb") as file:
        file.write(values.tobytes())


def write_tiff(path, width, height, channels, samples):
    """16 bits a sample in one strip."""
    data, after = array.array("H", samples).tobytes(), 8 + 2 + 10 * 12 + 4
    tags = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 3, after), (259, 3, 1, 1), (262, 3, 1, 2), (273, 4, 1, after + 6), (277, 3, 1, channels),
            (278, 4, 1, height), (279, 4, 1, len(data)), (284, 3, 1, 1)]
    with open(path, "wb") as file:
        file.write(struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags) + struct.pack("<I3H", 0, 16, 16, 16) + data)


def make_rare_pictures(folder, pictures):
    """What only opj_compress reads. Returns the texts in braces that its commands may have."""
    w, h, _, _, samples = pictures["rgb8"]
    red, green, blue = samples[::3], samples[1::3], samples[2::3]
    write_planes(os.path.join(folder, "yuv420.raw"), [green, half(red, w, 2, 2), half(blue, w, 2, 2)], 8)
    write_planes(os.path.join(folder, "yuv422.raw"), [[v << 2 for v in p] for p in (green, half(red, w, 2, 1), half(blue, w, 2, 1))], 10)
    with open(os.path.join(folder, "signed.pgx"), "wb") as file:
        file.write(b"PG ML -8 %d %d\n" % (w, h) + bytes(v ^ 128 for v in green))
    write_tiff(os.path.join(folder, "rgb16.tif"), *pictures["rgb16"][:3], pictures["rgb16"][4])
    for depth in (1, 4):
        write_pnm(os.path.join(folder, "bits%d.pgm" % depth), w, h, 1, depth, [v >> 8 - depth for v in green])
    with open(os.path.join(folder, "matrix.txt"), "w", encoding="ascii") as file:
        file.write("1,0,0,0,1,0,0,0,1,0,0,0")
    return {"yuv420": "%d,%d,3,8,u@1x1:2x2:2x2" % (w, h), "yuv422": "%d,%d,3,10,u@1x1:2x1:2x1" % (w, h)}


def make_pictures(folder):
    """Writes the pictures of all cases; real ones where there are any. Returns as make_rare_pictures()."""
    given = os.environ.get("WVL_TEST_PICTURES", "")
    rgb8, rgb16 = os.path.join(given, "Bretagne1.ppm"), os.path.join(given, "flower_small.rgb.depth16.ppm")
    pictures = {"rgb8": read_pnm(rgb8, 512, 384) if given and os.path.exists(rgb8) else synthetic(400, 300, 3, 8),
                "rgb16": read_pnm(rgb16, 512, 384) if given and os.path.exists(rgb16) else synthetic(300, 200, 3, 16)}
    for depth in (8, 16):
        w, h, _, _, samples = pictures["rgb%d" % depth]
        pictures["grey%d" % depth] = (w, h, 1, depth, samples[1::3])
    w, h, _, _, samples = pictures["rgb16"]
    pictures["rgb12"] = (w, h, 3, 12, [s >> 4 for s in samples])
    w, h, _, _, samples = pictures["rgb8"]
    alpha = [min(255, (i % w) * 255 // w) for i in range(w * h)]
    pictures["rgba8"] = (w, h, 4, 8, [v for i in range(w * h) for v in (*samples[3 * i:3 * i + 3], alpha[i])])
    pictures["greya8"] = (w, h, 2, 8, [v for i in range(w * h) for v in (samples[3 * i], alpha[i])])
    pictures["tiny"] = (37, 23, 3, 8, [samples[(y * w + x) * 3 + c] for y in range(23) for x in range(37) for c in range(3)])
    for name, picture in pictures.items():
        write_png(os.path.join(folder, name + ".png"), *picture)
        if picture[2] in (1, 3):
            write_pnm(os.path.join(folder, name + (".ppm" if picture[2] == 3 else ".pgm")), *picture)
    return make_rare_pictures(folder, pictures)


# ---- Hosts: each draws (options, is lossless), and makes a command of them ----


class Case:
    def __init__(self, host, command, lossless, suffix="jp2", picture="rgb8", quality=False):
        self.host, self.command, self.lossless, self.suffix, self.picture = host, command, lossless, suffix, picture
        self.quality = quality  # the target is a quality: bytes are not compared
        self.expected = ""  # who encodes: nothing is expected, or as Result.who


def opj(text, lossless=True, picture="rgb8", suffix="jp2", quality=False):
    name, options = "{in}/" + picture, text.split()
    if picture.startswith("yuv"):
        name, options = name + ".raw", ["-F", "{%s}" % picture, *options]
    elif "." not in picture:
        name += ".pgm" if picture.startswith(("grey", "bits")) else ".ppm"
    command = ["opj_compress", "-i", name, "-o", "{out}", *options]
    if "-ImgDir" in options:
        options.remove("-ImgDir")
        command = ["sh", "-c", "set -e; mkdir {out}.d; cp %s {out}.d/a.ppm; opj_compress -ImgDir {out}.d %s >&2; mv {out}.d/a.J2K {out}" % (name, " ".join(options))]
    return Case("opj_compress", command, lossless, suffix, picture, quality)


def read_opj(path):
    """The cases of opj_compress.txt."""
    cases = []
    with open(path, encoding="ascii") as file:
        for line in file:
            if not line.startswith("#"):
                kind, picture, suffix, options = line.split(maxsplit=3)
                what = kind.split(":")[-1]
                case = opj("" if options.strip() == "-" else options, what in ("lossless", "refused"), picture, suffix, what == "quality")
                case.expected = {"handed": "handed over", "refused": "refused"}.get(kind.split(":")[0], "Wavelane")
                cases.append(case)
    return cases


def draw_opj(rng):
    options, lossless, quality = [], True, False
    if rng.random() < 0.4:
        options += ["-I"]
        lossless = False
    kind = rng.random()
    if kind < 0.3:
        options += ["-r", rng.choice(["10", "40", "100,50,10", "20,10,1", "8", "3"])]
        lossless = lossless and options[-1].endswith(",1")
    elif kind < 0.4:
        options += ["-q", rng.choice(["30", "28,35,42", "40"])]
        lossless, quality = False, True
    for option, values in (("-n", "1 2 3 4 5"), ("-b", "32,32 16,64 64,16 128,8 4,4"), ("-c", "[128,128] [256,256],[128,128]"), ("-t", "128,128 200,100 64,256"),
                           ("-p", "LRCP RLCP RPCL PCRL CPRL"), ("-M", "1 2 4 8 16 32 63"), ("-TP", "R L C"), ("-ROI", "c=0,U=6 c=1,U=12"),
                           ("-d", "13,7 1,2"), ("-mct", "0 1"), ("-C", "hello"), ("-s", "1,1")):
        if rng.random() < 0.2:
            options += [option, rng.choice(values.split())]
    options += [o for o in ("-SOP", "-EPH", "-PLT") if rng.random() < 0.15]
    picture = rng.choice(["rgb8", "rgb8", "grey8", "rgb16", "grey16", "rgb12"])
    if picture.startswith("grey"):
        options = [o for i, o in enumerate(options) if not (o == "-mct" or i and options[i - 1] == "-mct" or "c=1" in o or o == "-ROI")]
    return opj(" ".join(options), lossless, picture, rng.choice(["jp2", "j2k"]), quality)


OPJ = read_opj(os.path.join(os.path.dirname(os.path.abspath(__file__)), "opj_compress.txt"))


def gdal(options, lossless=True, picture="rgb8", suffix="jp2", more=(), quality=False):
    words = [w for o in options.split() for w in ("-co", o)]
    command = ["gdal_translate", "-q", "-of", "JP2OpenJPEG", *more, *words, "{in}/%s.png" % picture, "{out}"]
    return Case("gdal_translate", command, lossless, suffix, picture, quality)


def draw_gdal(rng):
    lossless = rng.random() < 0.5
    options = ["REVERSIBLE=YES", "QUALITY=100"] if lossless else [rng.choice(["QUALITY=25", "QUALITY=10", "QUALITY=50", "QUALITY=5,20"]), "REVERSIBLE=" + rng.choice(["YES", "NO"])]
    for text in ("RESOLUTIONS=4", "PROGRESSION=RPCL", "PROGRESSION=PCRL", "SOP=YES", "EPH=YES", "YCC=NO", "PRECINCTS={128,128},{64,64}", "TILEPARTS=RESOLUTIONS",
                 "TILEPARTS=COMPONENTS", "CODEBLOCK_WIDTH=32 CODEBLOCK_HEIGHT=32", "CODEBLOCK_STYLE=SEGSYM,RESET", "PLT=YES", "COMMENT=host", "GMLJP2=NO", "PROFILE=UNRESTRICTED"):
        if rng.random() < 0.15 and text.split("=")[0] not in " ".join(options):
            options.append(text)
    if rng.random() < 0.5:
        options.append("BLOCKXSIZE=%d BLOCKYSIZE=%d" % (rng.choice([64, 128, 200]), rng.choice([64, 128, 200])))
    picture = rng.choice(["rgb8", "rgb8", "rgba8", "grey8", "rgb16", "grey16"])
    more = ["-a_srs", "EPSG:32632", "-a_ullr", "500000", "5200000", "510000", "5190000"] if rng.random() < 0.4 else []
    return gdal(" ".join(options), lossless, picture, rng.choice(["jp2", "jp2", "j2k"]), more)


GDAL = [gdal("REVERSIBLE=YES QUALITY=100"), gdal("REVERSIBLE=YES QUALITY=100 BLOCKXSIZE=128 BLOCKYSIZE=100"), gdal("QUALITY=10", False), gdal("QUALITY=5,25", False),
        gdal("REVERSIBLE=YES QUALITY=100", picture="rgba8"), gdal("REVERSIBLE=YES QUALITY=100 PLT=YES", picture="rgb16"),
        gdal("REVERSIBLE=YES QUALITY=100 GMLJP2=YES", more=["-a_srs", "EPSG:32632", "-a_ullr", "500000", "5200000", "510000", "5190000"]),
        gdal("REVERSIBLE=YES QUALITY=100 NBITS=12", picture="rgb16", more=["-scale", "0", "65535", "0", "4095"]), gdal("YCBCR420=YES QUALITY=20", False)]


def ffmpeg(pixels, options="", lossless=True, suffix="jp2", picture="rgb8", quality=False):
    return Case("ffmpeg", ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", "{in}/%s.png" % picture, "-pix_fmt", pixels, "-c:v", "libopenjpeg", "-threads", "1",
                           *options.split(), "-f", "image2", "-update", "1", "{out}"], lossless, suffix, picture, quality)


def draw_ffmpeg(rng):
    pixels = rng.choice("rgb24 rgb24 rgba gbrp gray gray16le rgb48le yuv420p yuv422p yuv444p yuv420p10le yuv422p10le yuv444p10le yuv444p12le yuva420p".split())
    options, lossless, quality = [], True, False
    if rng.random() < 0.4:
        options += ["-irreversible", "1"]
        lossless = False
    if rng.random() < 0.4:
        options += ["-compression_level", rng.choice(["10", "30"])]
        lossless = False
    for option, values in (("-prog_order", "lrcp rlcp rpcl pcrl cprl"), ("-numresolution", "1 3 5"), ("-format", "j2k jp2")):
        if rng.random() < 0.3:
            options += [option, rng.choice(values.split())]
    return ffmpeg(pixels, " ".join(options), lossless, "j2k" if "j2k" in options else "jp2", rng.choice(["rgb8", "rgb16"]), quality)


FFMPEG = [ffmpeg("rgb24"), ffmpeg("yuv420p"), ffmpeg("yuv422p10le"), ffmpeg("yuv444p"), ffmpeg("rgb48le", picture="rgb16"), ffmpeg("rgb24", "-compression_level 20 -irreversible 1", False),
          ffmpeg("yuv420p", "-compression_level 20 -irreversible 1", False), ffmpeg("xyz12le", "-format j2k -profile cinema2k -cinema_mode 2k_24", False, "j2k", "rgb16"), ffmpeg("rgba", picture="rgba8")]


def vips(options, lossless=True, picture="rgb8"):
    return Case("vips", ["vips", "jp2ksave", "{in}/%s.png" % picture, "{out}", *options.split()], lossless, "jp2", picture, quality=not lossless)


def draw_vips(rng):
    lossless = rng.random() < 0.5
    options = "--lossless" if lossless else "--Q %d" % rng.choice([30, 48, 70, 90])
    if rng.random() < 0.6:
        options += " --tile-width %d --tile-height %d" % (rng.choice([128, 200, 256]), rng.choice([128, 200, 256]))
    if not lossless and rng.random() < 0.3:
        options += " --subsample-mode " + rng.choice(["on", "off"])
    return vips(options, lossless, rng.choice(["rgb8", "grey8", "rgba8", "rgb16", "grey16"]))


VIPS = [vips("--lossless"), vips("--lossless --tile-width 128 --tile-height 100"), vips("--Q 40", False), vips("--lossless", picture="rgb16"), vips("--lossless", picture="rgba8")]


def magick(options, lossless=True, picture="rgb8", suffix="jp2", quality=False):
    program = shutil.which("convert-im6.q16") or "convert"
    return Case("ImageMagick", [program, "{in}/%s.png" % picture, *options.split(), "{out}"], lossless, suffix, picture, quality)


def draw_magick(rng):
    lossless, options = rng.random() < 0.4, []
    if lossless:
        options += ["-quality", "100"]
    elif rng.random() < 0.5:
        options += ["-define", "jp2:rate=" + rng.choice(["5", "20", "60"])]
    else:
        options += ["-quality", rng.choice(["30", "60", "85"])]
    for text in ("jp2:number-resolutions=4", "jp2:progression-order=RPCL", "jp2:progression-order=CPRL"):
        if rng.random() < 0.2:
            options += ["-define", text]
    return magick(" ".join(options), lossless, rng.choice(["rgb8", "grey8", "rgba8", "rgb16"]), rng.choice(["jp2", "j2k"]), "-quality" in options)


MAGICK = [magick("-quality 100"), magick("-quality 50", False, quality=True), magick("-define jp2:rate=20", False), magick("-quality 100", picture="rgb16"), magick("-quality 100", picture="rgba8", suffix="j2k")]


def gdcm(options, lossless=True, picture="grey16"):
    source = "{in}/%s.%s" % (picture, "ppm" if picture.startswith("rgb") else "pgm")
    script = "set -e; gdcmimg -i %s -o {out}.raw.dcm >&2; %s gdcmconv --j2k %s {out}.raw.dcm {out} >&2" % (source, "{env}", options)
    return Case("gdcmconv", ["sh", "-c", script], lossless, "dcm", picture)


def draw_gdcm(rng):
    lossless = rng.random() < 0.6
    return gdcm("" if lossless else "--lossy -r " + rng.choice(["10", "30"]), lossless, rng.choice(["grey8", "grey16", "rgb8"]))


GDCM = [gdcm(""), gdcm("", picture="rgb8"), gdcm("--lossy -r 20", False, "grey8")]


def oiio(options, lossless=True, picture="rgb8", suffix="jp2"):
    return Case("oiiotool", ["oiiotool", "{in}/%s.png" % picture, *options.split(), "-o", "{out}"], lossless, suffix, picture)


def draw_oiio(rng):
    options = []
    for text in ("--attrib jpeg2000:num_resolutions 4", "--attrib jpeg2000:progression_order RPCL", "--attrib jpeg2000:mode 1", "--attrib jpeg2000:cblockw_init 32 --attrib jpeg2000:cblockh_init 32"):
        if rng.random() < 0.3:
            options.append(text)
    return oiio(" ".join(options), True, rng.choice(["rgb8", "grey8", "rgba8", "rgb16"]), rng.choice(["jp2", "j2k"]))


OIIO = [oiio(""), oiio("", picture="rgb16"), oiio("", picture="rgba8", suffix="j2k")]


def gst(formats, options="", lossless=True):
    return Case("GStreamer", ["sh", "-c", "{env} gst-launch-1.0 -q filesrc location={in}/rgb8.png ! pngdec ! videoconvert ! video/x-raw,format=%s ! openjpegenc %s ! image/x-j2c ! filesink location={out} >&2"
                              % (formats, options)], lossless, "j2c")


def draw_gst(rng):
    options = [text for text in ("num-resolutions=3", "progression-order=2", "tile-width=128 tile-height=128") if rng.random() < 0.4]
    return gst(rng.choice(["ARGB", "I420", "Y42B", "Y444", "GRAY8", "xRGB"]), " ".join(options))


GST = [gst("ARGB"), gst("I420"), gst("Y42B", "num-resolutions=3"), gst("GRAY8")]


def leptonica(picture="rgb8"):
    return Case("leptonica", ["convertformat", "{in}/%s.png" % picture, "{out}", "JP2"], False, "jp2", picture, quality=True)


def draw_leptonica(rng):
    return leptonica(rng.choice(["rgb8", "grey8"]))


def darktable(quality):
    return Case("darktable", ["darktable-cli", "{in}/rgb8.png", "{out}", "--core", "--configdir", "{out}.config", "--cachedir", "{out}.cache", "--library", ":memory:",
                              "--conf", "plugins/imageio/format/j2k/quality=%d" % quality], quality == 100, "j2k", quality=True)


def python_case(host, code, lossless, suffix="jp2", picture="rgb8", quality=False, python="{python}"):
    return Case(host, [python, "-c", code], lossless, suffix, picture, quality)


def pillow(arguments, lossless=True, picture="rgb8", suffix="jp2", quality=False, python="{python}"):
    code = "from PIL import Image; Image.open('{in}/%s.png').save('{out}'%s)" % (picture, ", " + arguments if arguments else "")
    return python_case("Pillow" if python == "{python}" else "Pillow of Debian", code, lossless, suffix, picture, quality, python)


def draw_pillow(rng, python="{python}"):
    lossless, quality, arguments = rng.random() < 0.4, False, []
    if not lossless:
        mode = rng.choice(["rates", "dB"])
        quality = mode == "dB"
        arguments += ["irreversible=%s" % rng.choice(["True", "False"]), "quality_mode='%s'" % mode, "quality_layers=" + rng.choice(["[20]", "[80, 40, 10]"] if mode == "rates" else ["[35]", "[25, 32, 40]"])]
    for text in ("tile_size=(128, 128)", "num_resolutions=3", "codeblock_size=(32, 32)", "precinct_size=(64, 64)", "progression='RPCL'", "progression='PCRL'", "mct=0",
                 "comment='a comment'", "plt=True"):
        if rng.random() < 0.2 and text.split("=")[0] not in " ".join(arguments):
            arguments.append(text)
    return pillow(", ".join(arguments), lossless, rng.choice(["rgb8", "grey8", "rgba8", "greya8", "grey16"]), rng.choice(["jp2", "j2k"]), quality, python)


PILLOW = [pillow(""), pillow("tile_size=(128, 100)"), pillow("quality_mode='rates', quality_layers=[60, 20], irreversible=True", False), pillow("quality_mode='dB', quality_layers=[30, 38], irreversible=True", False, quality=True),
          pillow("", picture="grey16"), pillow("", picture="rgba8"), pillow("cinema_mode='cinema2k-24'", False, suffix="j2k"), pillow("cinema_mode='cinema4k-24'", False, suffix="j2k"), pillow("num_resolutions=4, progression='RPCL', plt=True")]
DEBIAN_PILLOW = [pillow(a, l, python="/usr/bin/python3") for a, l in (("", True), ("quality_mode='rates', quality_layers=[20], irreversible=True", False))]


def imagecodecs(arguments, lossless=True, picture="rgb8", suffix="jp2", quality=False):
    code = ("import imagecodecs, sys; a = imagecodecs.png_decode(open('{in}/%s.png', 'rb').read()); "
            "open('{out}', 'wb').write(imagecodecs.jpeg2k_encode(a%s, codecformat='%s'))") % (picture, ", " + arguments if arguments else "", "j2k" if suffix == "j2k" else "jp2")
    return python_case("imagecodecs", code, lossless, suffix, picture, quality)


def draw_imagecodecs(rng):
    lossless, arguments = rng.random() < 0.5, []
    if not lossless:
        arguments += ["level=%d" % rng.choice([30, 40, 50]), "reversible=" + rng.choice(["True", "False"])]
    for text in ("resolutions=3", "mct=False", "numthreads=2", "verbose=0"):
        if rng.random() < 0.3:
            arguments.append(text)
    return imagecodecs(", ".join(arguments), lossless, rng.choice(["rgb8", "grey8", "rgb16", "grey16", "rgba8"]), rng.choice(["jp2", "j2k"]), not lossless)


IMAGECODECS = [imagecodecs(""), imagecodecs("", picture="rgb16", suffix="j2k"), imagecodecs("level=38, reversible=False", False, quality=True), imagecodecs("resolutions=3, mct=False"), imagecodecs("numthreads=2", picture="grey16")]


def glymur(arguments, lossless=True, picture="rgb8", suffix="jp2", quality=False):
    code = "import glymur; from PIL import Image; import numpy; glymur.Jp2k('{out}', data=numpy.array(Image.open('{in}/%s.png'))%s)" % (picture, ", " + arguments if arguments else "")
    return python_case("glymur", code, lossless, suffix, picture, quality)


def draw_glymur(rng):
    lossless, quality, arguments = rng.random() < 0.5, False, []
    if not lossless:
        quality = rng.random() < 0.4
        arguments += ["psnr=[30, 38]" if quality else "cratios=" + rng.choice(["[20]", "[40, 10]"])] + (["irreversible=True"] if rng.random() < 0.7 else [])
    for text in ("tilesize=(128, 128)", "numres=4", "cbsize=(32, 32)", "psizes=[(128, 128)]", "prog='RPCL'", "sop=True", "eph=True", "modesw=32", "plt=True"):
        if rng.random() < 0.25:
            arguments.append(text)
    return glymur(", ".join(arguments), lossless, rng.choice(["rgb8", "grey8", "rgba8"]), rng.choice(["jp2", "j2k"]), quality)


GLYMUR = [glymur(""), glymur("tilesize=(128, 128)"), glymur("cratios=[20], irreversible=True", False), glymur("psnr=[30, 40]", False, quality=True), glymur("prog='RPCL', numres=4", picture="grey8", suffix="j2k")]


def opencv(rate=None, picture="rgb8"):
    code = "import cv2; cv2.imwrite('{out}', cv2.imread('{in}/%s.png', -1)%s)" % (picture, ", [cv2.IMWRITE_JPEG2000_COMPRESSION_X1000, %d]" % rate if rate else "")
    return python_case("OpenCV of Debian", code, rate == 1000, "jp2", picture, python="/usr/bin/python3")


def draw_opencv(rng):
    return opencv(rng.choice([None, 1000, 500, 100, 50]), rng.choice(["rgb8", "grey8", "rgb16", "grey16"]))


FREEIMAGE_CODE = """
import ctypes
f = ctypes.CDLL('libfreeimage.so.3')
f.FreeImage_Load.restype = ctypes.c_void_p
f.FreeImage_Save.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
f.FreeImage_Initialise(0)
assert f.FreeImage_Save(%d, f.FreeImage_Load(13, b'{in}/%s.png', 0), b'{out}', %d)
"""


def freeimage(rate, picture="rgb8", suffix="jp2"):
    return python_case("FreeImage", FREEIMAGE_CODE % (31 if suffix == "jp2" else 30, picture, rate), rate == 1, suffix, picture, python="/usr/bin/python3")


def draw_freeimage(rng):
    return freeimage(rng.choice([1, 10, 16, 40]), rng.choice(["rgb8", "grey8", "rgba8"]), rng.choice(["jp2", "j2k"]))


def imports(python, module):
    return bool(python and subprocess.run([python, "-c", "import " + module], cwd="/", capture_output=True, check=False).returncode == 0)


def list_hosts(python):
    """name: (whether it is here, fixed cases, how one is drawn)."""
    def here(program):
        return shutil.which(program) is not None
    debian = "/usr/bin/python3"
    return {
        "opj_compress": (here("opj_compress"), OPJ, draw_opj),
        "gdal_translate": (here("gdal_translate"), GDAL, draw_gdal),
        "ffmpeg": (here("ffmpeg"), FFMPEG, draw_ffmpeg),
        "vips": (here("vips"), VIPS, draw_vips),
        "ImageMagick": (here("convert-im6.q16"), MAGICK, draw_magick),
        "gdcmconv": (here("gdcmconv") and here("gdcmimg"), GDCM, draw_gdcm),
        "oiiotool": (here("oiiotool"), OIIO, draw_oiio),
        "GStreamer": (here("gst-launch-1.0"), GST, draw_gst),
        "leptonica": (here("convertformat"), [leptonica(), leptonica("grey8")], draw_leptonica),
        "darktable": (here("darktable-cli"), [darktable(100), darktable(80)], None),
        "Pillow": (imports(python, "PIL"), PILLOW, draw_pillow),
        "imagecodecs": (imports(python, "imagecodecs"), IMAGECODECS, draw_imagecodecs),
        "glymur": (imports(python, "glymur"), GLYMUR, draw_glymur),
        "Pillow of Debian": (imports(debian, "PIL"), DEBIAN_PILLOW, lambda rng: draw_pillow(rng, debian)),
        "OpenCV of Debian": (imports(debian, "cv2"), [opencv(), opencv(100), opencv(1000, "rgb16")], draw_opencv),
        "FreeImage": (imports(debian, "ctypes; ctypes.CDLL('libfreeimage.so.3')"), [freeimage(1), freeimage(16)], draw_freeimage),
    }


# ---- One command ----


Decoded = collections.namedtuple("Decoded", "components depth samples bytes layers")


class Bench:
    def __init__(self, arguments, work):
        self.arguments, self.work, self.inputs = arguments, work, os.path.join(work, "in")
        self.originals, self.number = {}, 0
        folder = arguments.folder
        self.preload = {"LD_PRELOAD": os.path.join(folder, "libwavelane-openjp2.so"), "LD_LIBRARY_PATH": os.path.join(folder, "openjp2"), "WAVELANE_LOG": "1"}
        os.mkdir(self.inputs)
        self.texts = make_pictures(self.inputs)

    def run(self, case, with_plugin, options=None):
        """(status, file, text of the plugin)"""
        self.number += 1
        out = os.path.join(self.work, "%d.%s" % (self.number, case.suffix))
        env = dict(os.environ, LC_ALL="C.UTF-8", HOME=self.work)
        if with_plugin:
            env.update(self.preload)
            if self.number % 4 == 1 and case.host != "glymur":  # by turns: preloaded alone, and with the library in its place
                env = dict(os.environ, LC_ALL="C.UTF-8", HOME=self.work, LD_PRELOAD=self.preload["LD_PRELOAD"], WAVELANE_LOG="1")
            if options:
                env["WAVELANE_OPTIONS"] = options
        texts = dict(self.texts, out=out, python=self.arguments.python or "python3", env="", **{"in": self.inputs})
        command = [re.sub(r"\{(%s)\}" % "|".join(texts), lambda m: texts[m.group(1)], w) for w in case.command]
        try:
            done = subprocess.run(command, env=env, cwd=self.work, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return 124, out, "no end after 300 s"
        return done.returncode, out, done.stderr.decode(errors="replace") + done.stdout.decode(errors="replace")

    def decode(self, path, with_plugin=False):
        """Decoded, by libopenjp2 alone, with the bytes and the layers of the codestream; None: it does not decode."""
        with open(path, "rb") as file:
            data = file.read()
        start = data.find(b"\xff\x4f\xff\x51")
        if start < 0:
            return None
        count, depth = struct.unpack(">H", data[start + 40:start + 42])[0], (data[start + 42] & 127) + 1
        cod = data.find(b"\xff\x52", start)
        layers = struct.unpack(">H", data[cod + 6:cod + 8])[0]
        stream, raw = path + ".decode.j2k", path + ".rawl"
        data = data[start:data.rfind(b"\xff\xd9") + 2]
        with open(stream, "wb") as file:
            file.write(data)
        env = dict(os.environ, **self.preload) if with_plugin else None
        done = subprocess.run(["opj_decompress", "-i", stream, "-o", raw, "-quiet"], env=env, capture_output=True, check=False)
        if done.returncode or not os.path.exists(raw):
            return None
        with open(raw, "rb") as file:
            samples = array.array("H" if depth > 8 else "B", file.read())
        os.remove(raw)
        os.remove(stream)
        return Decoded(count, depth, samples, len(data), layers)


def squared_error(a, b):
    return sum((x - y) * (x - y) for x, y in zip(a, b)) / len(a)


class Result:
    def __init__(self, case):
        self.case, self.who, self.fault, self.reason, self.gain = case, "", "", "", None
        self.is_theirs = False  # libopenjp2 lost samples: its file is not the picture, Wavelane's is


def lossless_twin(case):
    """The lossless command of the same host and picture, whose samples are the original of a lossy one."""
    pixels = case.command[case.command.index("-pix_fmt") + 1] if "-pix_fmt" in case.command else None
    if case.host == "ffmpeg":
        return ffmpeg(pixels, picture=case.picture)
    if case.host in ("gdal_translate",):
        more = case.command[4:case.command.index("-co")]
        extra = " ".join(w for w in case.command if w.startswith(("YCC=", "NBITS", "YCBCR420=")))
        return gdal("REVERSIBLE=YES QUALITY=100 " + extra, picture=case.picture, more=more)
    is_subsampled = "--subsample-mode on" in " ".join(case.command)
    simple = {"opj_compress": lambda: opj("", picture=case.picture), "vips": lambda: vips("--lossless" + " --subsample-mode on" * is_subsampled, picture=case.picture),
              "ImageMagick": lambda: magick("-quality 100", picture=case.picture, suffix=case.suffix),
              "gdcmconv": lambda: gdcm("", picture=case.picture), "Pillow": lambda: pillow("", picture=case.picture),
              "Pillow of Debian": lambda: pillow("", picture=case.picture, python="/usr/bin/python3"),
              "imagecodecs": lambda: imagecodecs("", picture=case.picture), "glymur": lambda: glymur("", picture=case.picture),
              "OpenCV of Debian": lambda: opencv(1000, case.picture), "FreeImage": lambda: freeimage(1, case.picture),
              "leptonica": lambda: opj("", picture=case.picture), "darktable": lambda: darktable(100)}
    return simple[case.host]() if case.host in simple else None


def original_of(bench, case):
    twin = lossless_twin(case)
    key = twin and " ".join(twin.command)
    if twin and key not in bench.originals:
        status, path, _ = bench.run(twin, False)
        bench.originals[key] = bench.decode(path) if status == 0 else None
    return twin and bench.originals[key]


# What commands ask for: a ratio, or a part in a hundred or a thousand of the samples.
RATIOS = [(r"-r (?:[\d.]+,)*([\d.]+)", 1), (r"compression_level (\d+)", 1), (r"jp2:rate=(\d+)", 1), (r"'rates', quality_layers=\[(?:\d+, )*(\d+)\]", 1),
          (r"cratios=\[(?:\d+, )*(\d+)\]", 1), (r"QUALITY=(?:[\d.]+,)*([\d.]+)", 100), (r"COMPRESSION_X1000, (\d+)", 1000), (r"b'[^']*out}', (\d+)", 1)]


def asked_bytes(case, samples, depth):
    text = " ".join(case.command)
    for pattern, whole in RATIOS:
        match = re.search(pattern, text)
        if match:
            value = float(match.group(1))
            return samples * depth / 8 * (value / whole if whole > 1 else 1 / max(1, value))
    return 0


def run_within(bench, case, limit, options):
    status, path, _ = bench.run(case, True, options)
    again = bench.decode(path) if status == 0 and os.path.exists(path) else None
    if os.path.exists(path):
        os.remove(path)
    return again if again and again.bytes <= limit else None


def encode_again(bench, case, own, limit):
    """
    Decoded, of the same command with that many bytes, and with as many layers; None: it fails. More bytes than all that there is take a step
    that is 2 % finer. What aims at a PSNR goes without rdoq, as before.
    """
    if own.bytes > limit:
        return run_within(bench, case, limit, "max-bytes=%d" % limit)
    options = "layer-bytes=%d, layers=%d%s" % (limit, own.layers, ", rdoq=no" if case.quality else "")
    again = run_within(bench, case, limit, options)
    if again and again.bytes < limit * (1 - ALIKE):
        finer = run_within(bench, case, limit, options + ", step=%.9f" % (0.98 / (1 << own.depth)))
        again = finer or again
    return again


def compare_lossy(bench, result, own, other):
    """Bytes as asked for, and PSNR at equal bytes."""
    case, original = result.case, original_of(bench, result.case)
    if not original or len(original.samples) != len(own.samples):
        result.reason = "no original"
        return
    own_error, other_error = squared_error(own.samples, original.samples), squared_error(other.samples, original.samples)
    if own_error == 0 or other_error == 0:
        result.fault = "" if own_error <= other_error else "not lossless, as OpenJPEG is"
        return
    if not case.quality and own.bytes > max(other.bytes * 1.01 + 200, asked_bytes(case, len(own.samples), own.depth) * 1.001):
        result.fault = "%d bytes, OpenJPEG %d" % (own.bytes, other.bytes)
        return
    if abs(own.bytes - other.bytes) > ALIKE * other.bytes:
        own = encode_again(bench, case, own, other.bytes)
        if not own:
            result.fault = "does not encode to the %d bytes of OpenJPEG" % other.bytes
            return
        own_error = squared_error(own.samples, original.samples)
    result.gain = 10 * math.log10(other_error / own_error)
    if result.gain < -TOLERANCE_DB:
        result.fault = "%.2f dB below OpenJPEG at equal bytes" % -result.gain


def run_case(bench, case):
    """A Result, whose fault says what is not as it should be."""
    result = Result(case)
    encode_both(bench, case, result)
    if not result.fault and case.expected and result.who != case.expected:
        result.fault = "not as expected: " + case.expected
    return result


def encode_both(bench, case, result):
    own_status, own_path, text = bench.run(case, True)
    other_status, other_path, other_text = bench.run(case, False)
    handed = re.search(r"leaves this picture to OpenJPEG: (.*)", text)
    result.reason = handed.group(1) if handed else ""
    if other_status or not os.path.exists(other_path):
        result.who = "refused"
        result.fault = "" if own_status else "OpenJPEG refuses: " + other_text.strip()[-200:]
        if not own_status and not handed:
            result.fault = ""
        return
    if own_status or not os.path.exists(own_path):
        result.fault = "fails with the plugin: " + text.strip()[-300:]
        return
    with open(own_path, "rb") as file:
        is_ours = MARK in file.read()
    result.who = "Wavelane" if is_ours else "handed over" if handed else ""
    if not result.who:
        result.fault = "the plugin saw no encode"
        return
    own, other = bench.decode(own_path), bench.decode(other_path)
    if not own or not other:
        result.fault = "" if not own and not other else "does not decode: " + ("ours" if not own else "theirs")
    elif case.lossless and own[:3] != other[:3]:
        original = original_of(bench, case)
        result.is_theirs = bool(original and own[:3] == original[:3])
        result.fault = "" if result.is_theirs else "other samples"
    elif bench.number < 10 and bench.decode(own_path, True) != own:
        result.fault = "decodes to other samples with the plugin"
    elif not case.lossless and is_ours:
        compare_lossy(bench, result, own, other)
    for path in (own_path, other_path):
        os.remove(path)


# ---- All commands ----


def show(case):
    return " ".join(w if w.isprintable() and " " not in w else "'%s'" % w.strip().splitlines()[-1] for w in case.command)


def report(results, drawn):
    by_host, reasons, gains = {}, {}, []
    for r in results:
        row = by_host.setdefault(r.case.host, {"Wavelane": 0, "handed over": 0, "refused": 0, "wrong": 0})
        row[r.who if r.who in row else "wrong"] += 1
        row["wrong"] += bool(r.fault and r.who)
        if r.who == "handed over":
            reasons[r.reason] = reasons.get(r.reason, 0) + 1
        if r.gain is not None:
            gains.append(r.gain)
    print("%-18s %9s %12s %8s %6s" % ("host", "Wavelane", "handed over", "refused", "wrong"))
    for host, row in by_host.items():
        print("%-18s %9d %12d %8d %6d" % (host, row["Wavelane"], row["handed over"], row["refused"], row["wrong"]))
    for reason, count in sorted(reasons.items(), key=lambda item: -item[1]):
        print("%4d handed over: %s" % (count, reason))
    wrong = sum(bool(r.fault) for r in results)
    for r in results:
        if r.is_theirs:
            print("OpenJPEG's own file is not lossless: " + show(r.case))
    blind = [r for r in results if r.reason == "no original"]
    if blind:
        print("lossy without an original, so without a comparison: %d" % len(blind))
    handed = sum(r.who == "handed over" for r in results)
    if gains:
        gains.sort()
        print("lossy: %d, gain at equal bytes: least %.2f, median %.2f, most %.2f dB" % (len(gains), gains[0], gains[len(gains) // 2], gains[-1]))
        wrong += gains[len(gains) // 2] < 0
    print("%d commands, %d hosts, %d wrong, %d handed over (%.1f %%)" % (len(results), len(by_host), wrong, handed, 100 * handed / max(1, len(results))))
    return 1 if wrong or (drawn and handed > MOST_HANDED_OVER * len(results)) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip(), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER-OF-LIBRARIES")
    parser.add_argument("--hosts", default="")
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--python", default=os.environ.get("WVL_HOSTS_PYTHON", ""))
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    arguments.folder = os.path.abspath(arguments.folder)
    hosts = list_hosts(arguments.python)
    wanted = [h for h in arguments.hosts.split(",") if h] or list(hosts)
    absent = [h for h in wanted if not hosts[h][0]]
    wanted = [h for h in wanted if hosts[h][0]]
    if absent:
        print("not here: " + ", ".join(absent))
    if not wanted or not shutil.which("opj_decompress"):
        print("no host, or no opj_decompress: skipped")
        return 77
    rng, cases = random.Random(arguments.seed), []
    if arguments.draw:
        drawn = [h for h in wanted if hosts[h][2]]
        cases = [hosts[drawn[i % len(drawn)]][2](rng) for i in range(arguments.draw)]
    else:
        cases = [case for host in wanted for case in hosts[host][1][:arguments.most]]
    work = arguments.keep or tempfile.mkdtemp()
    os.makedirs(work, exist_ok=True)
    try:
        bench, results = Bench(arguments, work), []
        for case in cases:
            result = run_case(bench, case)
            results.append(result)
            if result.fault or arguments.verbose:
                gain = "" if result.gain is None else " %.2f dB" % result.gain
                print("%s: %s%s %s | %s" % (case.host, result.who or "WRONG", gain, result.fault or "", show(case)), flush=True)
        return report(results, arguments.draw)
    finally:
        if not arguments.keep:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
