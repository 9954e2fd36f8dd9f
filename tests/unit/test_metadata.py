#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Every row of the table in docs/metadata.md: a small picture with that field goes through the command, and a reader of boxes that shares no code with it
finds the field where the table says. No other program is needed.

  test_metadata.py WAVELANE TABLE FOLDER
"""
import json
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path

from small_pictures import bmp, boxes_of, chunk, directory, dpx, exr, icc, inks, jpeg, late, png, stream_tags, sub, tiff, value_bytes

EXIF = b"JpgTiffExif->JP2"
IPTC = bytes.fromhex("33C7A4D2B81D4723A0BAF1A3E097AD38")
XMP = bytes.fromhex("BE7ACFCB97A942E89C71999491E3AFAC")
GEO = bytes.fromhex("B14BF8BD083D4B43A5AE8CD7D5A6CE03")
SPACES = {"dc": "http://purl.org/dc/elements/1.1/", "xmp": "http://ns.adobe.com/xap/1.0/", "tiff": "http://ns.adobe.com/tiff/1.0/",
          "exif": "http://ns.adobe.com/exif/1.0/", "aux": "http://ns.adobe.com/exif/1.0/aux/", "xmpDM": "http://ns.adobe.com/xmp/1.0/DynamicMedia/"}
PACKET = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><r:Description r:about=''/></r:RDF></x:xmpmeta>"
RECORD = b"\x1c\x02\x19\x00\x03one"

if sys.argv[1:] in (["--help"], ["-h"]):
    sys.exit(print(__doc__.strip()))
wavelane, table, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
rows, failures = {}, []


def row(name):
    def keep(function):
        rows[name] = function
        return function
    return keep


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


# ---- The command, and boxes ------------------------------------------------------------------------------------------------------


class Result:
    def __init__(self, path, text):
        self.boxes, self.text = boxes_of(path.read_bytes()), text

    def uuid(self, identifier):
        found = [c[16:] for k, c in self.boxes if k == b"uuid" and c[:16] == identifier]
        expect(len(found) <= 1, "two boxes of a kind")
        return found[0] if found else None

    def header(self, kind):
        inner = boxes_of(dict(self.boxes)[b"jp2h"])
        return [c for k, c in inner if k == kind]

    def xmp(self, prefix, name):
        packet = self.uuid(XMP)
        if packet is None:
            return None
        element = ElementTree.fromstring(re.sub(rb"<\?xpacket[^>]*\?>", b"", packet).strip()).find(f".//{{{SPACES[prefix]}}}{name}")
        return None if element is None else "".join(element.itertext())


def encode(name, data, *options, container="jp2", expected=0):
    path = folder / name
    path.write_bytes(data)
    out = path.with_suffix("." + container)
    options = [*options, "-HT"] if container == "jph" and "-HT" not in options else list(options)
    run = subprocess.run([wavelane, "-i", path, "-o", out, "--force", *options], capture_output=True, text=True, check=False)
    expect(run.returncode == expected, f"{name}: exit {run.returncode}: {run.stderr}")
    return Result(out, run.stderr) if expected == 0 else run.stderr


def both(name, data, *options):
    """The same boxes in JP2 and in JPH."""
    a, b = encode(name, data, *options), encode(name, data, *options, container="jph")
    expect([x for x in a.boxes if x[0] in (b"uuid", b"asoc")] == [x for x in b.boxes if x[0] in (b"uuid", b"asoc")], "JPH has other boxes than JP2")
    return a


# ---- EXIF, IPTC, XMP -------------------------------------------------------------------------------------------------------------

EXIF_TAGS = {33434: (5, [(1, 60)]), 36864: (7, b"0232"), 37500: (7, b"maker note"), 42036: (2, b"Lens\0")}


@row("EXIF of TIFF")
def exif_of_tiff():
    for order in "<>":
        r = both("exif.tif", tiff({271: (2, b"Acme\0"), 274: (3, [6])}, exif=EXIF_TAGS, order=order), "--quiet")
        e = r.uuid(EXIF)
        first, tags = stream_tags(e), sub(e, 34665)
        expect(first[271][1] == b"Acme\0" and struct.unpack(order + "H", first[274][1]) == (6,), "IFD0")
        expect(256 not in first and 273 not in first, "tags of the pixels")
        expect(struct.unpack(order + "2I", tags[33434][1]) == (1, 60) and tags[37500][1] == b"maker note" and tags[42036][1] == b"Lens\0", "EXIF directory")
    nested = both("nested.tif", tiff({}, exif={**EXIF_TAGS, 34665: (4, [8]), 34853: (4, [8])}))
    expect(34665 not in sub(nested.uuid(EXIF), 34665) and 34853 not in sub(nested.uuid(EXIF), 34665), "directories within EXIF that do not belong there")
    piped = late(EXIF_TAGS)
    (folder / "late.tif").write_bytes(piped)
    with open(folder / "late.tif", "rb") as file, subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as pipe:
        done = subprocess.run([wavelane, "-i", "-", "-o", folder / "late.jp2", "--force"], stdin=pipe.stdout, capture_output=True, text=True, check=False)
    expect(done.returncode == 0 and "damaged" not in done.stderr, "a pipe: " + done.stderr)
    e = Result(folder / "late.jp2", "").uuid(EXIF)
    expect(sub(e, 34665)[42036][1] == b"Lens\0" and stream_tags(e, struct.unpack("<I", sub(e, 34665)[40965][1])[0])[1][1] == b"R98 is long\0", "behind the pixels of a pipe")
    cut = tiff({}, exif={33434: (5, [(1, 60)])})
    damaged = cut.replace(struct.pack("<HHI", 33434, 5, 1), struct.pack("<HHI", 33434, 5, 9999))
    r = encode("damaged.tif", damaged)
    expect("damaged tags of EXIF" in r.text, "damage without a word: " + r.text)


@row("EXIF of PNG")
def exif_of_png():
    e = tiff({}, exif=EXIF_TAGS)
    r = both("exif.png", png(chunk(b"eXIf", e)))
    expect(r.uuid(EXIF) == e, "eXIf as it is")
    r = encode("bad.png", png(chunk(b"eXIf", b"II*\0\xff\xff\xff\x7f" + bytes(20))))
    expect(r.uuid(EXIF) is None and "EXIF (damaged)" in r.text, "damaged eXIf: " + r.text)


@row("EXIF, IPTC and XMP of ImageMagick in PNG")
def raw_profiles():
    e = tiff({}, exif=EXIF_TAGS)

    def text(kind, data, count=None):
        return chunk(b"zTXt", b"Raw profile type " + kind + b"\0\0" + zlib.compress(b"\n%s\n%8d\n" % (kind, len(data) if count is None else count) +
                     re.sub(rb"(.{72})", rb"\1\n", data.hex().encode()) + b"\n"))

    expect(both("raw.png", png(text(b"exif", b"Exif\0\0" + e))).uuid(EXIF) == e, "exif")
    expect(both("raw.png", png(text(b"APP1", e))).uuid(EXIF) == e, "APP1")
    resource = b"8BIM\x04\x04\0\0" + struct.pack(">I", len(RECORD)) + RECORD
    expect(both("raw.png", png(text(b"iptc", resource))).uuid(IPTC) == RECORD and both("raw.png", png(text(b"8bim", RECORD))).uuid(IPTC) == RECORD, "iptc")
    expect(both("raw.png", png(text(b"xmp", PACKET))).uuid(XMP) == PACKET, "xmp")
    expect(both("raw.png", png(text(b"APP1", b"http://ns.adobe.com/xap/1.0/\0" + PACKET))).uuid(XMP) == PACKET, "XMP in APP1")
    for broken in (text(b"exif", e, 99999), text(b"exif", b""), chunk(b"tEXt", b"Raw profile type exif\0x"), chunk(b"tEXt", b"Raw profile type exif\0\n\n\n")):
        r = encode("broken.png", png(broken))
        expect(r.uuid(EXIF) is None, "a broken one")


@row("GPS")
def gps():
    r = both("gps.tif", tiff({}, gps={0: (1, b"\2\3\0\0"), 1: (2, b"N\0"), 2: (5, [(50, 1), (30, 1), (0, 1)])}))
    g = sub(r.uuid(EXIF), 34853)
    expect(g[0][1] == b"\2\3\0\0" and struct.unpack("<6I", g[2][1]) == (50, 1, 30, 1, 0, 1), "GPS directory")


@row("Interoperability")
def interoperability():
    e = both("interop.tif", tiff({}, exif=EXIF_TAGS, interop={1: (2, b"R98\0")})).uuid(EXIF)
    at = struct.unpack("<I", sub(e, 34665)[40965][1])[0]
    expect(stream_tags(e, at)[1][1] == b"R98\0", "Interoperability directory")


@row("IPTC of TIFF")
def iptc_of_tiff():
    expect(both("iptc.tif", tiff({33723: (7, RECORD)})).uuid(IPTC) == RECORD, "IPTC")
    for order in "<>":
        words = list(struct.unpack(order + "2I", RECORD))
        expect(both("words.tif", tiff({33723: (4, words)}, order=order)).uuid(IPTC) == RECORD, "IPTC as LONG, bytes in order")
        words = list(struct.unpack((">" if order == "<" else "<") + "2I", RECORD))
        expect(both("turned.tif", tiff({33723: (4, words)}, order=order)).uuid(IPTC) == RECORD, "IPTC as LONG, each word turned round")


@row("IPTC of Photoshop")
def iptc_of_photoshop():
    resource = b"8BIM\x03\xed\0\0" + struct.pack(">I", 1) + b"x\0" + b"8BIM\x04\x04\x03abc" + struct.pack(">I", len(RECORD)) + RECORD
    r = both("photoshop.tif", tiff({34377: (7, resource)}))
    expect(r.uuid(IPTC) == RECORD, "IPTC in resource 0x0404")
    expect("Photoshop resources" in r.text, "the others are named")


@row("XMP of TIFF")
def xmp_of_tiff():
    expect(both("xmp.tif", tiff({700: (1, PACKET)})).uuid(XMP) == PACKET, "XMP byte for byte")


@row("XMP of PNG")
def xmp_of_png():
    expect(both("xmp.png", png(chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + PACKET))).uuid(XMP) == PACKET, "XMP byte for byte")


# ---- Texts -----------------------------------------------------------------------------------------------------------------------

TIFF_TEXTS = {"Artist": (315, "Ada & S\u00f6hne", "dc", "creator"), "Copyright": (33432, "(c) <me>", "dc", "rights"),
              "ImageDescription": (270, "a view", "dc", "description"), "DateTime": (306, "2024:01:02 03:04:05", "xmp", "ModifyDate"),
              "Software": (305, "soft", "xmp", "CreatorTool"), "Make": (271, "Acme", "tiff", "Make"), "Model": (272, "X1", "tiff", "Model"),
              "DocumentName": (269, "doc", "dc", "title")}


def make_text_row(tag, text, prefix, name):
    def check():
        wanted = "2024-01-02T03:04:05" if name == "ModifyDate" else text
        for coding in ("utf-8", "latin-1"):
            r = both("text.tif", tiff({tag: (2, text.encode(coding) + b"\0")}))
            expect(r.xmp(prefix, name) == wanted, f"{prefix}:{name} is {r.xmp(prefix, name)}")
        mine = PACKET.replace(b"<r:Description r:about=''/>", f"<r:Description r:about='' xmlns:q='{SPACES[prefix]}' q:{name}='kept'/>".encode())
        r = both("merged.tif", tiff({tag: (2, text.encode() + b"\0"), 700: (1, mine)}))
        expect(r.uuid(XMP) == mine, "a field that XMP has is not touched")
        r = both("joined.tif", tiff({tag: (2, text.encode() + b"\0"), 700: (1, PACKET)}))
        expect(r.xmp(prefix, name) == wanted, "a field that XMP lacks is added")
    return check


for _name, _row in TIFF_TEXTS.items():
    rows[f"TIFF {_name}"] = make_text_row(*_row)

PNG_TEXTS = {"Title": ("dc", "title"), "Author": ("dc", "creator"), "Description": ("dc", "description"), "Copyright": ("dc", "rights"),
             "Creation Time": ("xmp", "CreateDate"), "Software": ("xmp", "CreatorTool"), "Comment": ("exif", "UserComment")}


def make_png_row(keyword, prefix, name):
    def check():
        text, wanted = ("Tue, 27 Jun 2006 11:58:42 GMT", "2006-06-27T11:58:42Z") if name == "CreateDate" else ("a \u00fc b", "a \u00fc b")
        key = keyword.encode() + b"\0"
        for c in (chunk(b"tEXt", key + text.encode("latin-1")), chunk(b"zTXt", key + b"\0" + zlib.compress(text.encode("latin-1"))),
                  chunk(b"iTXt", key + b"\0\0en\0\0" + text.encode())):
            r = both("text.png", png(c))
            expect(r.xmp(prefix, name) == wanted, f"{prefix}:{name} is {r.xmp(prefix, name)}")
    return check


for _name, _row in PNG_TEXTS.items():
    rows[f"PNG {_name}"] = make_png_row(_name, *_row)


@row("other texts")
def other_texts():
    r = encode("other.png", png(chunk(b"tEXt", b"Warning\0hot")))
    expect(r.uuid(XMP) is None and "metadata that the output does not carry: Warning" in r.text, "named as lost: " + r.text)


DPX_TEXTS = {"creator": (160, b"grader", "xmp", "CreatorTool", "grader"), "copyright": (460, b"(c) x", "dc", "rights", "(c) x"),
             "creation time": (136, b"2004:05:06:07:08:09:CET", "xmp", "CreateDate", "2004-05-06T07:08:09"),
             "project": (260, b"film", "xmpDM", "projectName", "film"), "input device": (1556, b"scanner", "tiff", "Model", "scanner"),
             "input device number": (1588, b"4711", "aux", "SerialNumber", "4711")}


def make_dpx_row(at, text, prefix, name, wanted):
    def check():
        r = both("text.dpx", dpx({at: text}), "--quiet")
        expect(r.xmp(prefix, name) == wanted, f"{prefix}:{name} is {r.xmp(prefix, name)}")
        expect(encode("undefined.dpx", dpx({at: b"\xff" * 20}), "--quiet").uuid(XMP) is None, "an undefined field")
    return check


for _name, _row in DPX_TEXTS.items():
    rows[f"DPX {_name}"] = make_dpx_row(*_row)

# ---- JPEG, OpenEXR, JP2 ------------------------------------------------------------------------------------------------------------


def reads(name, data):
    """0 where the library that reads this format was not there when the command was built."""
    (folder / name).write_bytes(data)
    run = subprocess.run([wavelane, "-i", folder / name, "-o", folder / "probe.jp2", "--force", "--quiet"], capture_output=True, text=True, check=False)
    return "this build cannot read" not in run.stderr


def jpeg_row(name):
    def keep(function):
        rows[name] = lambda: function() if reads("probe.jpg", jpeg()) else None
        return function
    return keep


@jpeg_row("EXIF of JPEG")
def exif_of_jpeg():
    e = tiff({274: (3, [3])}, exif=EXIF_TAGS, gps={1: (2, b"N\0")})
    r = both("exif.jpg", jpeg((0xE1, b"Exif\0\0" + e)), "--quiet")
    expect(r.uuid(EXIF) == e, "EXIF byte for byte")
    expect("EXIF" in encode("cut.jpg", jpeg((0xE1, b"Exif\0\0" + e[:40]))).text, "damaged EXIF is named")


@jpeg_row("XMP of JPEG")
def xmp_of_jpeg():
    name, extension_name, guid = b"http://ns.adobe.com/xap/1.0/\0", b"http://ns.adobe.com/xmp/extension/\0", b"0123456789ABCDEF" * 2
    expect(both("xmp.jpg", jpeg((0xE1, name + PACKET))).uuid(XMP) == PACKET, "XMP byte for byte")
    usual = PACKET.replace(b"r:", b"rdf:").replace(b"xmlns:r=", b"xmlns:rdf=")
    more = usual.replace(b"rdf:about=''", b"rdf:about='' xmlns:p='http://ns.adobe.com/photoshop/1.0/' p:Credit='agency'")
    says = usual.replace(b"rdf:about=''", b"rdf:about='' xmlns:xmpNote='http://ns.adobe.com/xmp/note/' xmpNote:HasExtendedXMP='" + guid + b"'")
    parts = [(0xE1, extension_name + guid + struct.pack(">II", len(more), at) + more[at:at + 100]) for at in range(0, len(more), 100)]
    expect(len(parts) > 1, "an extension in parts")
    packet = both("long.jpg", jpeg((0xE1, name + says), *reversed(parts))).uuid(XMP)
    expect(b"agency" in packet and guid not in packet, "extended XMP is joined, and the mark of it is gone")
    other = encode("other.jpg", jpeg((0xE1, name + says.replace(b"rdf:", b"r:").replace(b"xmlns:rdf", b"xmlns:r").replace(b"xmpNote", b"n")), *parts))
    expect("extended XMP" in other.text, "one with other prefixes is named")
    expect("extended XMP" in encode("part.jpg", jpeg((0xE1, name + says), *parts[1:])).text, "an extension that is not whole is named")


@jpeg_row("IPTC of JPEG")
def iptc_of_jpeg():
    resource = b"8BIM" + struct.pack(">HH", 0x0404, 0) + struct.pack(">I", len(RECORD)) + RECORD + bytes(len(RECORD) % 2)
    r = both("iptc.jpg", jpeg((0xED, b"Photoshop 3.0\0" + resource[:9]), (0xED, b"Photoshop 3.0\0" + resource[9:])))
    expect(r.uuid(IPTC) == RECORD, "IPTC of resources in two segments")


@jpeg_row("JPEG comment")
def jpeg_comment():
    r = both("comment.jpg", jpeg((0xFE, b"drawn by hand")))
    expect(r.xmp("exif", "UserComment") == "drawn by hand", "exif:UserComment")


def make_exr_row(attribute, text, prefix, name, wanted):
    def check():
        if reads("probe.exr", exr({})):
            found = both("text.exr", exr({attribute: text}), "--quiet", "--float-transfer", "linear").xmp(prefix, name)
            expect(found == wanted, f"{prefix}:{name} is {found}")
    return check


for _name, _row in {"owner": (b"owner", b"Ada", "dc", "rights", "Ada"), "comments": (b"comments", b"take 2", "dc", "description", "take 2"),
                    "capDate": (b"capDate", b"2004:05:06 07:08:09", "xmp", "CreateDate", "2004-05-06T07:08:09")}.items():
    rows[f"OpenEXR {_name}"] = make_exr_row(*_row)


@row("boxes of a JP2 or JPH input")
def boxes_of_jp2():
    (folder / "own.uuid").write_bytes(b"my own box")
    (folder / "own.xml").write_bytes(b"<note/>")
    first = encode("first.tif", tiff({33723: (7, RECORD), 700: (1, PACKET), **PLACE}, exif=EXIF_TAGS), "--gml", "--xml", folder / "own.xml",
                   "--uuid", f"00112233445566778899AABBCCDDEEFF:{folder / 'own.uuid'}")
    data = (folder / "first.jp2").read_bytes()
    if not reads("again.jp2", data):
        return
    for container in ("jp2", "jph"):
        path = folder / f"second.{container}"
        subprocess.run([wavelane, "-i", folder / "again.jp2", "-o", path, "--force", "--quiet", *(["-HT"] if container == "jph" else [])], check=True)
        second = Result(path, "")
        carried = [[b for b in r.boxes if b[0] in (b"uuid", b"xml ", b"asoc")] for r in (first, second)]
        expect(len(carried[0]) == 7 and carried[0] == carried[1], f"boxes {[k for k, _ in carried[0]]}, then {[k for k, _ in carried[1]]}")


# ---- Geography -------------------------------------------------------------------------------------------------------------------

KEYS = (3, [1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633])
PLACE = {33550: (12, [10.0, 20.0, 0.0]), 33922: (12, [0.0, 0.0, 0.0, 500000.0, 4000000.0, 0.0]), 34735: KEYS}


def check_geo(name, tags):
    r = both(name, tiff(tags))
    g = stream_tags(r.uuid(GEO))
    for tag, value in tags.items():
        expect(g[tag] == (value[0], value_bytes("<", *value)[0]), f"tag {tag} of GeoTIFF")
    width, height = struct.unpack("<H", g[256][1])[0], struct.unpack("<H", g[257][1])[0]
    expect((width, height) == (1, 1) and 273 in g and 279 in g, "degenerate: one sample")
    return r


@row("GeoTIFF scale and tiepoint")
def geotiff_scale():
    check_geo("geo.tif", {**PLACE, 34736: (12, [6378137.0]), 34737: (2, b"a system|\0")})


@row("GeoTIFF transformation")
def geotiff_transformation():
    check_geo("matrix.tif", {34264: (12, [1.0, 2.0, 0.0, 3.0] * 4), 34735: KEYS})


@row("GeoTIFF control points")
def geotiff_points():
    check_geo("points.tif", {33922: (12, [float(i) for i in range(18)]), 34735: KEYS})


@row("GDAL nodata")
def gdal_nodata():
    check_geo("nodata.tif", {**PLACE, 42113: (2, b"-9999\0")})
    for tag, value in ((34735, (12, [1.0])), (33550, (3, [1, 2, 3])), (34264, (2, b"no\0"))):
        r = encode("bad.tif", tiff({**PLACE, tag: value}))
        expect("damaged tags of GeoTIFF" in r.text and tag not in stream_tags(r.uuid(GEO)), f"tag {tag} of another type is left out")
    expect("GDAL_NODATA" in encode("only.tif", tiff({42113: (2, b"-9999\0")})).text, "without a place it is named as lost")


def gml_of(r):
    outer = boxes_of(dict(r.boxes)[b"asoc"])
    expect([k for k, _ in outer] == [b"lbl ", b"asoc"] and outer[0][1] == b"gml.data", "labels of GMLJP2")
    inner = boxes_of(outer[1][1])
    expect(inner[0] == (b"lbl ", b"gml.root-instance") and inner[1][0] == b"xml ", "labels of GMLJP2")
    return ElementTree.fromstring(inner[1][1])


@row("GML")
def gml():
    r = both("gml.tif", tiff(PLACE), "--gml")
    space = "{http://www.opengis.net/gml}"
    document = gml_of(r)
    point = document.find(f".//{space}Point")
    expect(point.get("srsName") == "urn:ogc:def:crs:EPSG::32633" and point.find(space + "pos").text == "500005 3999990", "centre of the first pixel")
    expect([v.text for v in document.iter(space + "offsetVector")] == ["10 0", "0 -20"], "offset vectors")
    expect(b"asoc" not in dict(both("nogml.tif", tiff(PLACE)).boxes), "on request only")
    # Systems with the northing first, and with other axes; one without a number, and a picture without a place.
    for code, pos, vectors in ((3035, "3999990 500005", ["0 10", "-20 0"]), (31467, "3999990 500005", ["0 10", "-20 0"]),
                               (2154, "500005 3999990", ["10 0", "0 -20"])):
        document = gml_of(encode("axes.tif", tiff({**PLACE, 34735: (3, KEYS[1][:-1] + [code])}), "--gml"))
        expect(document.find(f".//{space}Point/{space}pos").text == pos, f"EPSG:{code}: centre of the first pixel")
        expect([v.text for v in document.iter(space + "offsetVector")] == vectors, f"EPSG:{code}: offset vectors")
    for code, why in ((3031, "the axes of EPSG:3031 are not known"), (32767, "needs a coordinate system with an EPSG code")):
        lost = encode("axes.tif", tiff({**PLACE, 34735: (3, KEYS[1][:-1] + [code])}), "--gml")
        expect(why in lost.text and b"asoc" not in dict(lost.boxes), f"EPSG:{code}: {lost.text}")
    expect("--gml needs a location" in encode("axes.tif", tiff({34735: KEYS}), "--gml").text, "GML without a place")
    run = subprocess.run([wavelane, "info", folder / "gml.jp2"], capture_output=True, text=True, check=True).stdout
    expect("gml.data" in run and "GeoJP2" in run, "info names the boxes: " + run)


@row("world file")
def world_file():
    # The names that GDAL tries, in both cases, whatever the case of the picture's name; the picture is known by its content.
    beside = {"w.tif": "tfw TFW tifw TIFW wld WLD tiffw", "w.TIF": "tfw TFW tifw TIFW TIFw wld WLD", "w.tiff": "tfw TFW tiffw TIFFW tifw wld",
              "w.jpg": "jgw JGW jpgw JPGW jpegw wld WLD", "w.JPEG": "jgw JGW jpegw JPEGW jpgw WLD", "w.png": "pgw PGW pngw PNGW wld",
              "w.bmp": "bpw BPW bmpw BMPW wld", "w.j2k": "jkw JKW j2kw J2KW wld", "w": "wld WLD"}
    for picture, name in ((p, "w." + e) for p, endings in beside.items() for e in endings.split()):
        (folder / name).write_text("10\n0\n0\n-20\n500005\n3999990\n", encoding="ascii")
        g = stream_tags((both if name == "w.tfw" else encode)(picture, tiff({})).uuid(GEO))
        expect(struct.unpack("<3d", g[33550][1]) == (10, 20, 0) and struct.unpack("<6d", g[33922][1])[3:5] == (500000, 4000000), "corner of the first pixel")
        (folder / name).unlink()
    expect(encode("w.tif", tiff({})).uuid(GEO) is None, "no file, no box")
    # Folders of other systems: any case, unless that is the name of another picture's file.
    for name in ("w.Tfw", "W.TFW", "W.tfw", "w.TifW", "W.Wld"):
        (folder / name).write_text("10\n0\n0\n-20\n500005\n3999990\n", encoding="ascii")
        expect(encode("w.tif", tiff({})).uuid(GEO) is not None, f"{name}: is not found")
        (folder / "W.Tif").write_bytes(tiff({}))
        expect((encode("w.tif", tiff({})).uuid(GEO) is None) == name.startswith("W"), f"{name}: is that of W.Tif")
        (folder / "W.Tif").unlink()
        (folder / name).unlink()
    for text in ("10,0\r\n0,0\r\n0,0\r\n-20,0\r\n500005,0\r\n3999990,0\r\n", "\ufeff10\n0\n0\n-20\n500005\n3999990\n", "\n10\n\n 0\n0\n-20\n500005\n3999990\nEPSG:32633\n7\n",
                 "10 x\n0 turn\n0 turn\n-20 y\n500005 easting\n3999990 northing", "10 0 0 -20 500005 3999990"):
        (folder / "w.tfw").write_text(text, encoding="utf-8", newline="")
        g = stream_tags(encode("w.tif", tiff({})).uuid(GEO))
        expect(struct.unpack("<3d", g[33550][1]) == (10, 20, 0) and struct.unpack("<6d", g[33922][1])[3:5] == (500000, 4000000), f"numbers of {text!r}")
    for text in ("0\n0\n0\n0\n500005\n3999990\n", "10\n5\n20\n10\n0\n0\n", "10\n0\n0\n-20\n500005\n", "10\n0\n0\n-20\n500.005.1\n1\n", "10\n0\n0\n-20\nnan\n1\n", ""):
        (folder / "w.tfw").write_text(text, encoding="ascii")
        r = encode("w.tif", tiff({}))
        expect(r.uuid(GEO) is None and "world file (its numbers give no location)" in r.text, f"a place by {text!r}")
    (folder / "w.tfw").unlink()
    for name, text, told in (("w.tfwx", "10 0 0", ".tfwx"), ("w.TAB", '!table\n!version 300\nDefinition Table\n  File "w.tif"\n  Type "RASTER"\n', ".tab"), ("w.tab", "a\tb\n", ""),
                             ("w_rpc.txt", "LINE_OFF: 1", "_RPC.TXT"), ("w_RPC.TXT", "LINE_OFF: 1", "_RPC.TXT"), ("w.RPB", "satId = x", ".RPB")):
        (folder / name).write_text(text, encoding="ascii")
        r = encode("w.tif", tiff({}))
        expect(told in r.text if told else "does not carry" not in r.text, f"{name}: {r.text}")
        (folder / name).unlink()
    # Keys of the picture that come without a place get that of the file; a raster of points has places of centres.
    (folder / "w.tfw").write_text("10\n0\n0\n-20\n500005\n3999990\n", encoding="ascii")
    for raster, place in ((1, (500000, 4000000)), (2, (500005, 3999990))):
        keys = (3, [1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, raster, 3072, 0, 1, 32633])
        g = stream_tags(both("w.tif", tiff({34735: keys})).uuid(GEO))
        expect(struct.unpack("<16H", g[34735][1]) == tuple(keys[1]), "the picture's keys")
        expect(struct.unpack("<3d", g[33550][1]) == (10, 20, 0) and struct.unpack("<6d", g[33922][1])[3:5] == place, "the place of the file")
    g = stream_tags(both("w.tif", tiff(PLACE)).uuid(GEO))
    expect(struct.unpack("<6d", g[33922][1]) == tuple(PLACE[33922][1]), "the picture's own place counts more")
    (folder / "w.tfw").unlink()


@row(".aux.xml")
def aux_xml():
    aux = folder / "a.tif.aux.xml"
    aux.write_text("""<PAMDataset><SRS dataAxisToSRSAxisMapping="1,2">PROJCS["WGS 84 / UTM zone 33N",GEOGCS["WGS 84",AUTHORITY["EPSG","4326"]],AUTHORITY["EPSG","32633"]]</SRS>
  <GeoTransform> 500000, 10, 0, 4000000, 0, -20</GeoTransform><PAMRasterBand band="1"><NoDataValue>-1</NoDataValue></PAMRasterBand></PAMDataset>""", encoding="ascii")
    g = stream_tags(both("a.tif", tiff({})).uuid(GEO))
    expect(struct.unpack("<16H", g[34735][1])[-1] == 32633 and struct.unpack("<6d", g[33922][1])[3:5] == (500000, 4000000) and g[42113][1] == b"-1\0", "place and nodata")
    g = stream_tags(both("a.tif", tiff({33550: (12, [1.0, 1.0, 0.0]), 33922: (12, [0.0] * 6)})).uuid(GEO))
    expect(34735 not in g, "the picture's own tags count more")
    aux.write_text("""<PAMDataset><GCPList Projection="GEOGCS[&quot;x&quot;,AUTHORITY[&quot;EPSG&quot;,&quot;4326&quot;]]">
  <GCP Id="" Pixel="1" Line="2" X="8" Y="50"/><GCP Id="" Pixel="3" Line="4" X="9" Y="51" Z="7"/></GCPList></PAMDataset>""", encoding="ascii")
    g = stream_tags(both("a.tif", tiff({})).uuid(GEO))
    expect(struct.unpack("<12d", g[33922][1]) == (1, 2, 0, 8, 50, 0, 3, 4, 0, 9, 51, 7), "control points")
    aux.unlink()


# ---- Colour, resolution, orientation ---------------------------------------------------------------------------------------------


@row("PNG cICP")
def png_cicp():
    data = png(chunk(b"cICP", bytes([9, 16, 0, 1])), kind=2)
    r = encode("cicp.png", data, container="jph")
    expect(r.header(b"colr") == [bytes([5, 0, 0, 0, 9, 0, 16, 0, 0, 0x80])] and r.text.count("warning") == 0, "colr of METH 5: " + r.text)
    r = encode("cicp.png", data)
    expect(r.header(b"colr") == [bytes([1, 0, 0, 0, 0, 0, 16])] and "cICP primaries 9, transfer 16" in r.text, "a warning: " + r.text)
    r = encode("srgb.png", png(chunk(b"cICP", bytes([1, 13, 0, 1])), kind=2), container="jph")
    expect(r.header(b"colr") == [bytes([1, 0, 0, 0, 0, 0, 16])], "sRGB by its number")


@row("ICC profile")
def icc_profile():
    r = encode("icc.tif", tiff({34675: (7, icc())}))
    expect(r.header(b"colr") == [b"\2\0\0" + icc()], "restricted profile")
    expect(encode("icc.tif", tiff({34675: (7, icc())}), "--keep", "exif").header(b"colr")[0][0] == 1, "left out")
    parts = [(0xE2, b"ICC_PROFILE\0" + bytes([n, 2]) + icc()[(n - 1) * 100:100 if n == 1 else None]) for n in (2, 1)]
    if reads("icc.jpg", jpeg(*parts)):
        expect(encode("icc.jpg", jpeg(*parts)).header(b"colr") == [b"\2\0\0" + icc()], "a profile of JPEG in two parts")


def check_profiles():
    """--icc, with profiles that no file, JPH files alone and all files can carry."""
    grey, cmyk, rgb, wrong = tiff({34675: (7, icc())}), inks(b"CMYK", 4), inks(b"RGB ", 3), inks(b"CMYK", 3)
    for option, method in ((["--icc", "keep"], 2), (["--icc", "fit"], 2), (["--icc", "drop"], 1), (["--no-icc"], 1), (["--icc", "fit", "--icc", "drop"], 1)):
        r = encode("grey.tif", grey, *option)
        expect(r.header(b"colr")[0][0] == method and "warning" not in r.text, f"{option}: {r.text}")
    expect("--icc fit leaves it out" in encode("rgb.tif", rgb, expected=3), "a profile by tables in JP2")
    r = encode("rgb.tif", rgb, "--icc", "fit")
    expect(r.header(b"colr") == [bytes([1, 0, 0, 0, 0, 0, 16])] and "the ICC profile is left out (--icc fit): it is not a restricted one" in r.text, "fit: " + r.text)
    expect(encode("rgb.tif", rgb, container="jph").header(b"colr")[0][0] == 3, "a profile by tables in JPH")
    for container in ("jp2", "jph"):
        expect("the ICC profile" in encode("wrong.tif", wrong, container=container, expected=3), "a profile of CMYK with RGB")
        r = encode("wrong.tif", wrong, "--icc", "fit", container=container)
        expect(r.header(b"colr")[0][0] == 1 and "is left out (--icc fit): it " in r.text, "fit: a profile of CMYK with RGB: " + r.text)
    expect("a JP2 file cannot express CMYK" in encode("cmyk.tif", cmyk, expected=3), "CMYK in JP2")
    r = encode("cmyk.tif", cmyk, container="jph")
    expect(r.header(b"colr")[0][0] == 3 and r.header(b"ihdr")[0][8:10] == b"\0\4", "CMYK in JPH")
    run = subprocess.run([wavelane, "verify", folder / "cmyk.jph"], capture_output=True, text=True, check=False)
    expect(run.returncode == 0, "CMYK in JPH is legal: " + run.stdout)
    for option in (["--icc", "drop"], ["--keep", "exif"]):
        expect("a JPH file needs an ICC profile for CMYK colour" in encode("cmyk.tif", cmyk, *option, container="jph", expected=3), "CMYK without a profile")
    expect("expected keep, fit, drop" in encode("grey.tif", grey, "--icc", "no", expected=2), "another word")


@row("resolution")
def resolution():
    wanted = struct.pack(">HHHHbb", 11811, 1, 11811, 1, 0, 0)
    for name, data in (("res.bmp", bmp(11811)), ("res.png", png(chunk(b"pHYs", struct.pack(">IIB", 11811, 11811, 1)))),
                       ("res.jpg", jpeg((0xE0, b"JFIF\0" + struct.pack(">HBHHBB", 0x0101, 2, 118, 118, 0, 0))))):
        if name.endswith(".jpg"):
            if not reads(name, data):
                continue
            wanted = struct.pack(">HHHHbb", 11800, 1, 11800, 1, 0, 0)
        r = both(name, data, "--quiet")
        expect(boxes_of(r.header(b"res ")[0]) == [(b"resc", wanted)], "capture resolution")
        expect(not encode(name, data, "--keep", "all", "--keep", "icc", "--quiet").header(b"res "), "left out")
    # One direction alone, or numbers of no picture.
    for name, data in (("half.tif", tiff({282: (5, [(300, 1)])})), ("half.tif", tiff({282: (5, [(300, 1)]), 283: (5, [(1, 0)])})), ("half.tif", tiff({282: (12, [1e300]), 283: (12, [1e300])})),
                       ("half.bmp", bmp(11811).replace(struct.pack("<II", 11811, 11811), struct.pack("<II", 11811, 0))), ("half.png", png(chunk(b"pHYs", struct.pack(">IIB", 0, 11811, 1)))),
                       ("half.jpg", jpeg((0xE0, b"JFIF\0" + struct.pack(">HBHHBB", 0x0101, 2, 118, 0, 0, 0))))):
        if name != "half.jpg" or reads(name, data):
            r = encode(name, data)
            expect("resolution (damaged)" in r.text and not r.header(b"res "), f"{name}: {r.text}")


@row("orientation")
def orientation():
    packet = PACKET.replace(b"r:about=''", b"r:about='' xmlns:t='http://ns.adobe.com/tiff/1.0/' t:Orientation='6'")
    for kind, form in ((3, "<H"), (4, "<I")):
        exif = b"II*\0\x08\0\0\0" + directory("<", 8, {274: (kind, [6])})
        for name, data in (("turn.tif", tiff({274: (kind, [6]), 700: (1, packet)}, exif=EXIF_TAGS)),
                           ("turn.png", png(chunk(b"eXIf", exif), chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + packet)))):
            kept, turned = encode(name, data), encode(name, data, "--orient", "auto")
            expect(kept.header(b"ihdr")[0][:8] == struct.pack(">II", 4, 6) and "orientation 6 is not applied" in kept.text, "kept")
            expect(turned.header(b"ihdr")[0][:8] == struct.pack(">II", 6, 4) and "orientation" not in turned.text, "turned")
            expect(struct.unpack(form, stream_tags(turned.uuid(EXIF))[274][1]) == (1,) and b"t:Orientation='1'" in turned.uuid(XMP), "the tags are reset")
            run = subprocess.run([wavelane, "verify", "--original", folder / name, "--orient", "auto", folder / "turn.jp2"], capture_output=True, text=True, check=False)
            expect(run.returncode == 0, "verify against the turned original: " + run.stdout + run.stderr)


# ---- Options ---------------------------------------------------------------------------------------------------------------------


def check_options():
    everything = tiff({274: (3, [1]), 315: (2, b"Ada\0"), 33723: (7, RECORD), 700: (1, PACKET), **PLACE, 34675: (7, icc()), 282: (5, [(300, 1)]), 283: (5, [(300, 1)])},
                      exif=EXIF_TAGS)
    all_of_it = encode("all.tif", everything)
    expect([c[:16] for k, c in all_of_it.boxes if k == b"uuid"] == [XMP, EXIF, IPTC, GEO], "the order of the boxes")
    for word, identifier in (("exif", EXIF), ("iptc", IPTC), ("xmp", XMP), ("geo", GEO)):
        only = encode("all.tif", everything, "--keep", word)
        expect([c[:16] for k, c in only.boxes if k == b"uuid"] == [identifier], f"--keep {word}")
        expect(not only.header(b"res ") and only.header(b"colr")[0][0] == 1, f"--keep {word}: nothing else")
    stripped = encode("all.tif", everything, "--strip")
    expect(b"uuid" not in dict(stripped.boxes) and stripped.header(b"res ") and stripped.header(b"colr")[0][0] == 2, "--strip")
    text = encode("all.tif", everything, "--keep", "text")
    expect(text.xmp("dc", "creator") == "Ada" and text.uuid(XMP) != PACKET, "--keep text")
    expect(encode("all.tif", everything, "--no-xmp").uuid(XMP) is None, "--no-xmp")
    expect("expected words" in encode("all.tif", everything, "--keep", "exif,foo", expected=2), "another word")
    expect("expected auto or keep" in encode("all.tif", everything, "--orient", "up", expected=2), "another orientation")
    (folder / "all.j2k").unlink(missing_ok=True)
    run = subprocess.run([wavelane, "-i", folder / "all.tif", "-o", folder / "all.j2k"], capture_output=True, text=True, check=True)
    expect("because a codestream has none" in run.stderr and "EXIF, IPTC, GeoTIFF, Artist" in run.stderr, "a codestream: " + run.stderr)
    for name in ("all.jp2", "gml.jp2"):
        report = json.loads(subprocess.run([wavelane, "info", "--json", folder / name], capture_output=True, text=True, check=True).stdout)
        expect({"XMP", "Exif", "IPTC", "GeoJP2"} & set(re.findall(r'"meaning": "(\w+)"', json.dumps(report))), "info --json")


def check_character_sets():
    r = encode("windows.tif", tiff({270: (2, b"\x93q\x94 \x80 \x85\x81\0"), 315: (2, "\u20ac \u00e9".encode() + b"\0"), 305: (2, b"caf\xe9\0")}))
    found = [r.xmp("dc", "description"), r.xmp("dc", "creator").strip(), r.xmp("xmp", "CreatorTool")]
    expect(found == ["\u201cq\u201d \u20ac \u2026\ufffd", "\u20ac \u00e9", "caf\u00e9"], f"texts in Windows-1252, UTF-8 and Latin-1: {found}")


def check_told():
    """What is left unread, and lists that are full."""
    told = encode("texts.png", png(*(chunk(b"tEXt", b"Frame%03d\0x" % i) for i in range(400)))).text
    expect(told.count("texts beyond the 256th") == 1 and "Frame010" in told and "and others\n" in told, "400 texts: " + told)
    told = encode("times.png", png(*[chunk(b"tIME", b"x")] * 9)).text
    expect(told.count("tIME") == 1, "nine damaged chunks: " + told)
    told = encode("damaged.png", png(*(chunk(kind, b"x") for kind in (b"tIME", b"pHYs", b"cHRM", b"gAMA", b"sBIT", b"oFFs", b"pCAL", b"sCAL", b"bKGD", b"hIST")))).text
    expect(told.endswith("...\n"), "a note that is cut: " + told)
    animation = chunk(b"acTL", struct.pack(">II", 3, 0)), chunk(b"fcTL", struct.pack(">IIIIIHHBB", 0, 6, 4, 0, 0, 1, 1, 0, 0))
    expect("an animation of 3 frames (APNG)" in encode("apng.png", png(*animation)).text, "APNG")
    expect("animation" not in encode("apng.png", png(chunk(b"acTL", struct.pack(">II", 1, 0)))).text, "an animation of one frame")
    for when in (png(chunk(b"CgBI", b"abcd")), png()[:-12] + chunk(b"ABCD", b"") + png()[-12:]):
        expect("critical chunk" in encode("critical.png", when, expected=3), "a critical chunk that is not known")
    encode("ancillary.png", png(chunk(b"abCd", b"x")))
    if reads("probe.jpg", jpeg()):
        index = b"MPF\0II*\0" + struct.pack("<IHHHI4sHHIII", 8, 2, 0xB000, 7, 4, b"0100", 0xB001, 4, 1, 2, 0)
        for name, data, words in (("two.mpo", jpeg((0xE2, index)) + jpeg(), "the first of 2 pictures (MPF)"), ("two.jpg", jpeg() + jpeg(), "a second JPEG picture follows")):
            text = encode(name, data).text
            expect(words in text and text.count("warning") == 1, f"{name}: {text}")
        expect("warning" not in encode("one.jpg", jpeg() + b"\0\0\0\0").text, "bytes behind a JPEG")


def check_damage():
    """Cut at every length, and with spoilt bytes: the command ends in order."""
    whole = tiff({274: (3, [6]), 315: (2, b"Ada Lovelace\0"), 33723: (7, RECORD), 700: (1, PACKET), **PLACE}, exif=EXIF_TAGS, gps={1: (2, b"N\0")})
    for i in range(0, len(whole), 41):
        for data in (whole[:i], whole[:i] + b"\xff\xff" + whole[i + 2:]):
            path = folder / "damage.tif"
            path.write_bytes(data)
            run = subprocess.run([wavelane, "-i", path, "-o", folder / "damage.jp2", "--force", "--orient", "auto", "--gml"], capture_output=True, text=True, check=False)
            expect(run.returncode in (0, 3), f"at byte {i}: exit {run.returncode}: {run.stderr}")


def main():
    folder.mkdir(parents=True, exist_ok=True)
    documented = [m.group(1) for m in re.finditer(r"^\| ([^|]+?) \|", table.read_text(encoding="utf-8"), re.M)]
    documented = [d for d in documented if d != "field" and not d.startswith("---")]
    for name in sorted(set(documented) ^ set(rows)):
        failures.append(f"{name}: in {'the table without a test' if name in documented else 'the tests without a row'}")
    for name, check in [*rows.items(), ("options", check_options), ("profiles", check_profiles), ("character sets", check_character_sets), ("told", check_told),
                        ("damage", check_damage)]:
        try:
            check()
        except (AssertionError, KeyError, IndexError, TypeError, struct.error, ElementTree.ParseError) as problem:
            failures.append(f"{name}: {type(problem).__name__} {problem}")
    for line in failures:
        print(line)
    print(f"{len(rows)} rows, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
