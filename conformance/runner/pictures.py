# SPDX-License-Identifier: BSD-2-Clause
"""The picture of a row: a file of the folder as it is, or one that wavelane-judge cuts or draws once and keeps beside the streams."""
import json
import os
import re
import struct
import threading
from dataclasses import dataclass, field


class Absent(Exception):
    """The folder lacks the picture, or there is no folder."""


class NotUnderstood(Exception):
    """The row says something that the runner has no translation for."""


@dataclass
class Picture:
    inputs: list  # files of one picture, in order
    encoder: list = field(default_factory=list)  # further words for wavelane
    judge: list = field(default_factory=list)  # further words for wavelane-judge
    width: int = 0
    height: int = 0
    components: int = 0
    depth: int = 0
    area: tuple = ()  # x0, y0, x1, y1 where no picture file says how the components lie on the grid: wavelane-api-rows encodes
    steps: str = ""

    def for_driver(self):
        return [",".join(map(str, self.area)), *(f"{path}@{step}" for path, step in zip(self.inputs, self.steps.split(":")))]

    def for_encoder(self):
        return [w for path in self.inputs for w in ("-i", path)] + self.encoder

    def for_judge(self):
        return [w for path in self.inputs for w in ("-i", path)] + self.judge

    @property
    def raw_bits(self):
        return self.width * self.height * self.components * self.depth


DRAWN = re.compile(r"D:(\w+)(?:#(\d+))?(?: ([0-9x:]+))?$")
REAL = re.compile(r"P:(\S+)(.*)$")


class Gallery:
    def __init__(self, machine, folder):
        self.machine, self.folder = machine, folder
        self.lock = threading.Lock()
        self.known, self.making = {}, {}

    def path(self, name):
        path = os.path.join(self.folder, name) if self.folder else None
        if not path or not os.path.isfile(path):
            raise Absent(f"{name} is not in {self.folder or 'any folder: --pictures names none'}")
        return path

    def probe(self, picture):
        """Fills in the size from what the command says of the input."""
        key = tuple(picture.for_encoder())
        if key not in self.known:
            o = self.machine.run(["wavelane", *key, "--dry-run", "--json"])
            try:
                report = json.loads(o.out)["pictures"][0]
                self.known[key] = (report["width"], report["height"], len(report["components"]), report["components"][0]["depth"])
            except (ValueError, KeyError, IndexError):
                self.known[key] = (0, 0, 0, 0)  # the encoder will say why
        picture.width, picture.height, picture.components, picture.depth = self.known[key]
        return picture

    def make(self, name, words, pieces=1, steps="", raw="", probe=True):
        """A file made by wavelane-judge, once; several threads may ask for it."""
        folder = self.machine.folder("pictures")
        path = os.path.join(folder, name)
        with self.lock:
            lock = self.making.setdefault(path, threading.Lock())
        stem, extension = os.path.splitext(path)
        files = [path] if pieces == 1 else [f"{stem}_{i}{extension}" for i in range(pieces)]
        with lock:
            if not all(os.path.exists(f) for f in files):
                o = self.machine.run(["wavelane-judge", "picture", *words, "-o", path], timeout=300)
                if o.code:
                    raise NotUnderstood(f"{o.command}: {o.words()}")
        extra = (["--component-steps", steps] if steps else []) + (["-F", raw] if raw else [])
        picture = Picture(files, extra, (["--steps", steps] if steps else []) + (["-F", raw] if raw else []))
        return self.probe(picture) if probe else picture

    # ---- Rows ----------------------------------------------------------------------------------------------------------------

    def of(self, row):
        kind = row.image_kind.split(" :: ")[0]
        if match := DRAWN.match(kind):
            return self.draw(row, *match.groups())
        if kind.startswith("mixed:"):
            return self.mix(row, kind)
        if kind.startswith("P:c1p0_06_0..3.pgx"):
            return self.four_components(row)
        match = REAL.match(kind)
        if not match:
            raise NotUnderstood(f"image_kind \"{row.image_kind}\"")
        return self.real(row, match.group(1), match.group(2).strip())

    def draw(self, row, kind, seed, steps):
        width, height = numbers(row.size, "x", row)
        count, depth = int(row.comps), int(row.bits.split(",")[0])
        depths = ["--depths", row.bits] if "," in row.bits else []
        sign = "s" if row.signed == "y" else "u"
        seed = seed or "1"
        text = f"{kind},{width},{height},{count},{depth},{sign},{seed}" + (f":{steps}" if steps else "")
        plain = not steps and sign == "u" and depth <= 16 and count in (1, 3) and not depths
        x0, y0 = numbers(row.image_offset, ",", row)
        if steps and (x0 or y0):  # more is drawn than the area at its place needs
            text = f"{kind},{width + 256},{height + 256},{count},{depth},{sign},{seed}:{steps}"
        name = re.sub(r"[^\w]+", "_", text + row.bits)
        if count > 16:
            return self.make(name + ".rawl", ["--draw", text], raw=f"{width},{height},{count},{depth},{sign}")
        area = ["--area", f"{x0},{y0},{width},{height}"] if steps and (x0 or y0) else []
        made = self.make(f"{name}_{x0}_{y0}." + ("pgx" if not plain else "pgm" if count == 1 else "ppm"), ["--draw", text, *depths, *area],
                         1 if plain else count, steps or "", probe=not area)
        return placed(made, x0, y0, width, height, steps) if area else made

    def real(self, row, name, rest):
        path = self.path(name)
        if name.endswith(".yuv"):
            return self.planar(row, path)
        indices = name == "cog_cmap.tif"
        picture = Picture([path], ["--palette", "indices"] if indices else [], ["--indices"] if indices else [])
        if rest.startswith("padded") or (row.comps.isdigit() and int(row.comps) > 16384) or int(row.bits.split(",")[0]) > 31:
            return Picture([], width=73, height=43, components=int(row.comps), depth=int(row.bits))  # no file says this; see rows.refuse_by_library
        self.probe(picture)
        words, stem = [], os.path.splitext(name)[0]
        if rest.startswith(">>"):
            words += ["--shift", rest[2:]]
            stem += f"_shift{rest[2:]}"
        if rest == "crop replicated from real pixels":
            return self.make(f"{stem}_pixels{row.comps}.rawl", ["-i", path, "--take-pixels", row.comps], raw=f"1,1,{row.comps},{row.bits},u")
        if "x" in row.size and (rest.startswith("crop") or numbers(row.size, "x", row) != (picture.width, picture.height)):
            width, height = numbers(row.size, "x", row)
            at = 100 if width <= 600 and height <= 400 and width < 768 else 0
            words += ["--crop", f"{at},{at},{width},{height}"]
            stem += f"_{width}x{height}"
        if rest.startswith("gray") or (row.comps.isdigit() and int(row.comps) < picture.components and not indices):
            words += ["--components", row.comps]
            stem += f"_{row.comps}c"
        spread = ["-s", "255,255"] if rest.endswith("sub-sampling 255x255") else []
        if rest and not rest.startswith(("crop", "gray", ">>")):
            raise NotUnderstood(f"image_kind \"{row.image_kind}\"")
        if not words:
            return picture
        if indices:
            return self.cut_palette(path, stem, words)
        shifted = picture.depth - int(rest[2:]) if rest.startswith(">>") else picture.depth
        made = self.make(stem + (".pgm" if row.comps == "1" else ".ppm" if row.comps == "3" and shifted <= 16 else ".pam"), ["-i", path, *words])
        made.encoder += spread
        return made

    def planar(self, row, path):
        width, height = (352, 288) if "foreman" in path else (0, 0)
        steps = "1x1:2x2:2x2" if "420" in path else "1x1:2x1:2x1"
        raw = f"{width},{height},3,8,u@{steps}"
        if numbers(row.size, "x", row) == (width, height):
            return self.probe(Picture([path], ["-F", raw], ["-F", raw]))
        x0, y0 = numbers(row.image_offset, ",", row)
        w, h = numbers(row.size, "x", row)
        made = self.make(f"foreman_{w}x{h}_{x0}_{y0}.pgx", ["-i", path, "-F", raw, "--area", f"{x0},{y0},{w},{h}"], 3, steps, probe=False)
        return placed(made, x0, y0, w, h, steps)

    def four_components(self, row):
        parts = [self.path(f"c1p0_06_{i}.pgx") for i in range(4)]
        x0, y0 = numbers(row.image_offset, ",", row)
        w, h = numbers(row.size, "x", row)
        steps = "1x1:2x1:1x2:2x2"
        words = [x for p in parts for x in ("-i", p)]
        made = self.make(f"c1p0_06_{x0}_{y0}.pgx", [*words, "--steps", steps, "--area", f"{x0},{y0},{w},{h}"], 4, steps, probe=False)
        return placed(made, x0, y0, w, h, steps)

    def mix(self, row, kind):
        if "R8,G6,B5" in kind:
            return self.make("kodim03_8_6_5.pgx", ["-i", self.path("kodim03.png"), "--depths", "8,6,5"], 3, "1x1:1x1:1x1")
        if "u8 + s12" in kind:
            a = self.make("mixed_a.pgx", ["-i", self.path("kodim03.png"), "--components", "1", "--crop", "100,0,257,512"])
            b = self.make("mixed_b.pgx", ["-i", self.path("c1p0_08_0.pgx"), "--crop", "0,0,257,512"])
            return self.probe(Picture(a.inputs + b.inputs))
        raise NotUnderstood(f"image_kind \"{row.image_kind}\"")

    def cut_palette(self, path, stem, words):
        """A palette TIFF of the cut indices and the original's colour map."""
        indices = self.make(stem + "_indices.pgm", ["-i", path, "--indices", *words])
        made = os.path.join(self.machine.folder("pictures"), stem + ".tif")
        with self.lock:
            if not os.path.exists(made):
                with open(indices.inputs[0], "rb") as file:
                    samples = file.read().split(b"\n", 3)[3]
                write_palette_tiff(made + ".part", indices.width, indices.height, samples, color_map(path))
                os.replace(made + ".part", made)
        return self.probe(Picture([made], ["--palette", "indices"], ["--indices"]))


def placed(picture, x0, y0, width, height, steps):
    picture.area, picture.steps = (x0, y0, x0 + width, y0 + height), steps
    picture.width, picture.height, picture.components, picture.depth = width, height, len(picture.inputs), 8
    return picture


def numbers(text, separator, row):
    try:
        a, b = text.split(separator)
        return int(a), int(b)
    except ValueError:
        raise NotUnderstood(f"{row.id}: \"{text}\" is no pair") from None


# ---- TIFF colour maps -----------------------------------------------------------------------------------------------------------


def color_map(path):
    """Tag 320 of the first directory: 3 * 2^bits numbers of 16 bits."""
    with open(path, "rb") as file:
        data = file.read()
    order = "<" if data[:2] == b"II" else ">"
    (at,) = struct.unpack_from(order + "I", data, 4)
    (count,) = struct.unpack_from(order + "H", data, at)
    for i in range(count):
        tag, _, n, offset = struct.unpack_from(order + "HHII", data, at + 2 + 12 * i)
        if tag == 320:
            return struct.unpack_from(f"{order}{n}H", data, offset)
    raise NotUnderstood(f"{path} has no colour map")


def write_palette_tiff(path, width, height, samples, colors):
    size = width * height
    entries = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 3), (273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, height),
               (279, 4, 1, size), (320, 3, len(colors), 8 + size + size % 2)]
    directory = 8 + size + size % 2 + 2 * len(colors)
    with open(path, "wb") as file:
        file.write(b"II*\0" + struct.pack("<I", directory) + samples[:size] + bytes(size % 2) + struct.pack(f"<{len(colors)}H", *colors))
        file.write(struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *e) for e in entries) + bytes(4))
