#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Every way in which XML comes into a JP2 or JPH file, with documents that are good, end with NULs or are not well-formed: what the command writes is legal for
wavelane verify, for Expat (Python's ElementTree, as jpylyzer uses it) and for jpylyzer where it is installed. Given XML that is bad is refused, carried XML is
left out and named.

  test_legal_metadata.py WAVELANE FOLDER
"""
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from small_pictures import boxes_of, chunk, exr, jpeg, png, tiff

XMP = bytes.fromhex("BE7ACFCB97A942E89C71999491E3AFAC")
RDF = (b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about=''/></rdf:RDF></x:xmpmeta>")
DEEP = b"<a>" * 300 + b"</a>" * 300
GOOD = {"plain": RDF, "with NULs": RDF + bytes(3), "byte order mark": b"\xef\xbb\xbf" + RDF, "packet": b'<?xpacket begin="" id="x"?>' + RDF + b' \n<?xpacket end="w"?>',
        "document type": b"<!DOCTYPE a [<!-- > --><!ENTITY x 'a>]b'><?p ]>?>]><a>&x;</a>", "UTF-16": "\ufeff<a>\u0100</a>".encode("utf-16-le"),
        "UTF-16 with NULs": "\ufeff<a>\u0100</a>\0\0".encode("utf-16-be"), "Latin-1": b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>",
        "Windows": b"<?xml version='1.0' encoding='windows-1252'?><a>\x93\x80</a>"}
BAD = {"tags": b"<a><b></a>", "text": b"no document", "JSON": b'{"a": 1}', "two elements": b"<a/><b/>", "prefix": b"<a:b/>", "attribute twice": b"<a b='1' b='2'/>",
       "entity": b"<a>&nbsp;</a>", "entity of another file": b"<!DOCTYPE a SYSTEM 'http://x/y.dtd'><a>&nbsp;</a>", "character": b"<a>\x01</a>", "NUL within": b"<a>\0</a>",
       "not UTF-8": b"<a>\xe9</a>", "ampersand": b"<a b='&'/>", "deep": DEEP, "nothing but NULs": bytes(4), "UTF-16 without a mark": "<a/>".encode("utf-16-le"),
       "encoding": b"<?xml version='1.0' encoding='no-such'?><a/>"}
if sys.argv[1:] in (["--help"], ["-h"]):
    sys.exit(print(__doc__.strip()))
wavelane, folder = sys.argv[1], Path(sys.argv[2])
failures, written = [], []


def expect(condition, what):
    if not condition:
        failures.append(what)


def box(kind, data):
    return struct.pack(">I4s", 8 + len(data), kind) + data


def documents_of(data):
    """XML and XMP of a file, also in associations."""
    for kind, content in boxes_of(data):
        if kind == b"asoc":
            yield from documents_of(content)
        elif kind == b"xml ":
            yield content
        elif kind == b"uuid" and content[:16] == XMP:
            yield content[16:]


# ---- Ways in ---------------------------------------------------------------------------------------------------------------------


def raw_text(kind, data):
    return chunk(b"tEXt", b"Raw profile type " + kind + b"\0\n" + kind + b"\n%8d\n" % len(data) + data.hex().encode() + b"\n")


def jp2(*more):
    """The boxes come behind the file type box."""
    path = folder / "base.jp2"
    if not path.exists():
        (folder / "base.tif").write_bytes(tiff({}))
        subprocess.run([wavelane, "-i", folder / "base.tif", "-o", path, "--quiet"], check=True)
    return path.read_bytes() + b"".join(more)


def given(*options):
    return lambda d: (tiff({}), "tif", d, options)


ADOBE = b"http://ns.adobe.com/xap/1.0/\0"
CARRIED = {"TIFF tag 700": lambda d: (tiff({700: (1, d)}), "tif"), "PNG iTXt": lambda d: (png(chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + d)), "png"),
           "PNG raw profile xmp": lambda d: (png(raw_text(b"xmp", d)), "png"), "PNG raw profile APP1": lambda d: (png(raw_text(b"APP1", ADOBE + d)), "png"),
           "JPEG APP1": lambda d: (jpeg((0xE1, ADOBE + d)), "jpg"), "XMP of JP2": lambda d: (jp2(box(b"uuid", XMP + d)), "jp2"),
           "second XMP of JP2": lambda d: (jp2(box(b"uuid", XMP + RDF), box(b"uuid", XMP + d)), "jp2"), "XML of JP2": lambda d: (jp2(box(b"xml ", d)), "jp2"),
           "XML in an association of JP2": lambda d: (jp2(box(b"asoc", box(b"lbl ", b"l") + box(b"asoc", box(b"xml ", d) + box(b"lbl ", b"m")))), "jp2")}
GIVEN = {"--xml": given("--xml"), "--uuid of XMP": given("--uuid", XMP.hex() + ":")}


def encode(name, data, suffix, *options):
    path = folder / f"{re.sub('[^a-zA-Z0-9]', '_', name)}.{suffix}"
    out = folder / f"{path.name}.out.jp2"
    path.write_bytes(data)
    out.unlink(missing_ok=True)
    run = subprocess.run([wavelane, "-i", path, "-o", out, *options], capture_output=True, text=True, check=False)
    if "this build cannot read" in run.stderr:
        return None, None, run
    if run.returncode == 0:
        written.append(out)
    return out, out.read_bytes() if out.exists() else b"", run


def check_written(name, data, wanted):
    documents = list(documents_of(data))
    expect(wanted is None or wanted in documents, f"{name}: is not carried: {documents}")
    for document in documents:
        try:
            ElementTree.fromstring(document)
        except (ElementTree.ParseError, LookupError, ValueError) as problem:
            failures.append(f"{name}: {problem}: {document[:80]}")


def without_nuls(name, document):
    return document[:-4] if name == "UTF-16 with NULs" else document.rstrip(b"\0") if not name.startswith("UTF-16") else document


def check_carried(way, make, document_name, document, is_good):
    name = f"{way}, {document_name}"
    _, data, run = encode(name, *make(document))
    if data is None or (way.startswith("PNG iTXt") and b"\0" in document.rstrip(b"\0")):
        return  # such a text ends with its first NUL
    expect(run.returncode == 0, f"{name}: exit {run.returncode}: {run.stderr}")
    check_written(name, data, without_nuls(document_name, document) if is_good else None)
    if not is_good and document.strip(b"\0"):
        expect("not well-formed XML" in run.stderr, f"{name}: left out without a word: {run.stderr}")
        expect(document not in data, f"{name}: is there")


def check_given(way, make, document_name, document, is_good):
    name = f"{way}, {document_name}"
    picture, suffix, content, options = make(document)
    (folder / "given.xml").write_bytes(content)
    options = [*options[:-1], options[-1] + str(folder / "given.xml")] if options[-1].endswith(":") else [*options, folder / "given.xml"]
    out, data, run = encode(name, picture, suffix, *options)
    if is_good:
        expect(run.returncode == 0, f"{name}: exit {run.returncode}: {run.stderr}")
        check_written(name, data, without_nuls(document_name, document))
    else:
        expect(run.returncode == 3 and "not well-formed XML" in run.stderr and not out.exists(), f"{name}: exit {run.returncode}: {run.stderr}")


# ---- Texts, and XMP that the command makes ---------------------------------------------------------------------------------------


def check_texts():
    text = bytes(range(1, 256)).replace(b"\0", b"") + "<&>]]>\"'\ufffe\uffff\U0010ffff\u0085".encode("utf-8", "surrogatepass")
    for name, data, suffix in (("text of TIFF", tiff({270: (2, text + b"\0"), 315: (2, "\u20ac\ufffe".encode() + b"\0"), 700: (1, RDF + b"\0")}), "tif"),
                               ("text of PNG", png(chunk(b"tEXt", b"Comment\0" + text)), "png"), ("comment of JPEG", jpeg((0xFE, text)), "jpg"),
                               ("text and an entity that looks like a tag", tiff({270: (2, b"x\0"), 700: (1, b"<!DOCTYPE a [<!ENTITY x '><a rdf:about=\"&no;\">'>]>" + RDF)}), "tif"),
                               ("text in another encoding", tiff({270: (2, b"caf\xe9\0"), 700: (1, GOOD["Latin-1"])}), "tif"),
                               ("attribute of OpenEXR", exr({b"owner": text}), "exr")):
        _, data, run = encode(name, data, suffix, *(["--float-transfer", "linear"] if suffix == "exr" else []))
        if data is not None:
            expect(run.returncode == 0, f"{name}: exit {run.returncode}: {run.stderr}")
            check_written(name, data, None)


def check_extended():
    """An extension whose joining would make a bad packet."""
    extension, guid = b"http://ns.adobe.com/xmp/extension/\0", b"0123456789ABCDEF" * 2
    says = RDF.replace(b"rdf:about=''", b"rdf:about='' xmlns:xmpNote='http://ns.adobe.com/xmp/note/' xmpNote:HasExtendedXMP='" + guid + b"'")
    more = RDF.replace(b"<rdf:Description rdf:about=''/>", b"<rdf:Description rdf:about=''><p:x xmlns:q='q'/></rdf:Description>")
    _, data, run = encode("extended", jpeg((0xE1, ADOBE + says), (0xE1, extension + guid + struct.pack(">II", len(more), 0) + more)), "jpg")
    if data is not None:
        expect("extended XMP" in run.stderr, "a bad extension without a word: " + run.stderr)
        check_written("extended", data, None)


def check_rest_of_packet():
    """A shorter packet was written over a longer one."""
    packet = GOOD["packet"]
    for way, make in CARRIED.items():
        if "XMP" in way or "TIFF" in way or "PNG" in way or "JPEG" in way:
            name = f"{way}, rest of a longer packet"
            _, data, run = encode(name, *make(packet + b"</rdf:Bag></rdf:RDF><?xpacket end='w'?>"))
            if data is not None and not way.startswith("second"):
                expect(run.returncode == 0, f"{name}: exit {run.returncode}: {run.stderr}")
                check_written(name, data, packet)


def check_damaged_boxes():
    label = encode("label", jp2(box(b"asoc", box(b"lbl ", b"gml.data\0") + box(b"xml ", b"<a/>\0"))), "jp2")[1]
    expect(label is None or dict(boxes_of(label))[b"asoc"] == box(b"lbl ", b"gml.data") + box(b"xml ", b"<a/>"), "a label with a NUL")
    nested = box(b"lbl ", b"l")
    for _ in range(30):
        nested = box(b"asoc", nested)
    told = encode("odd box", jp2(box(b"\0\xffab", b"x"), box(b"\0\xffab", b"y")), "jp2")[2].stderr
    expect(told.count("??ab box") == 1 or "reads no" in told, "a box of an odd type: " + told)
    for name, more in (("association cut", box(b"asoc", b"\0\0\0\x40lbl x")), ("associations", nested), ("empty UUID", box(b"uuid", bytes(16))), ("short UUID", box(b"uuid", bytes(15))),
                       ("empty XMP", box(b"uuid", XMP)), ("empty XML", box(b"xml ", b"")),
                       ("long box", box(b"asoc", struct.pack(">I4sQ", 1, b"xml ", 20) + b"<a/>" + b"\0\0\0\0xml <b/>"))):
        _, data, run = encode(name, jp2(more), "jp2")
        if data is not None:
            expect(run.returncode == 0, f"{name}: exit {run.returncode}: {run.stderr}")
            check_written(name, data, b"<a/>" if name == "long box" else None)


# ---- All -------------------------------------------------------------------------------------------------------------------------


def check_legal():
    for path in written:
        run = subprocess.run([wavelane, "verify", path], capture_output=True, text=True, check=False)
        expect(run.returncode == 0, f"{path.name}: wavelane verify: {run.stdout[-400:]}{run.stderr}")
    if shutil.which("jpylyzer"):
        report = subprocess.run(["jpylyzer", *written], capture_output=True, text=True, check=True).stdout
        found = re.findall(r"<isValid[^>]*>(\w+)</isValid>", report)
        expect(len(found) == len(written), f"jpylyzer saw {len(found)} of {len(written)} files")
        for path, valid in zip(written, found):
            expect(valid == "True", f"{path.name}: jpylyzer finds it invalid")


def main():
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for ways, check in ((CARRIED, check_carried), (GIVEN, check_given)):
        for way, make in ways.items():
            for documents, is_good in ((GOOD, True), (BAD, False)):
                for name, document in documents.items():
                    check(way, make, name, document, is_good)
    check_texts()
    check_extended()
    check_rest_of_packet()
    check_damaged_boxes()
    check_legal()
    for line in failures:
        print(line)
    print(f"{len(written)} files, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
