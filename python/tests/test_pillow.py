# SPDX-License-Identifier: BSD-2-Clause
"""Pillow with Wavelane as its encoder, beside Pillow's own. Judge: Pillow itself, which decodes with OpenJPEG."""
import io

import numpy as np
import pytest
from conftest import draw, need, refuses

import wavelane

need("PIL", "PIL.Image")
import PIL  # noqa: E402
from PIL import Image, features  # noqa: E402

import wavelane.pillow as plugin  # noqa: E402

if not features.check("jpg_2000"):
    pytest.skip("this Pillow has no JPEG 2000", allow_module_level=True)

SIDES = (120, 160)
GREY, COLOR = Image.fromarray(draw(SIDES)), Image.fromarray(draw((*SIDES, 3)))


@pytest.fixture(autouse=True)
def registered():
    plugin.register()
    yield
    plugin.unregister()


def save(image, name="a.jp2", **keywords):
    file = io.BytesIO()
    file.name = name
    image.save(file, "JPEG2000", **keywords)
    return file.getvalue()


def save_by_pillow(image, **keywords):
    plugin.unregister()
    try:
        return save(image, **keywords)
    finally:
        plugin.register()


def try_to(call, image):
    """The bytes, or the text of the error."""
    try:
        return call(image)
    except OSError as problem:
        return str(problem)


def is_of_openjpeg(data):
    return b"OpenJPEG" in data


def reopen(data):
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def find_psnr(image, given):
    error = np.mean((np.asarray(image, float) - np.asarray(given, float)) ** 2)
    return 10 * np.log10(255**2 / error) if error else np.inf


def read_marker(data, code, count):
    place = data.index(b"\xff" + bytes([code]), data.index(b"\xff\x4f\xff\x51"))
    return data[place + 4:place + 4 + count]


def test_modes():
    for mode in ("L", "LA", "RGB", "RGBA", "YCbCr"):
        image = COLOR.convert(mode)
        if mode in ("LA", "RGBA"):
            image.putalpha(GREY)
        ours, theirs = save(image), save_by_pillow(image)
        assert not is_of_openjpeg(ours) and is_of_openjpeg(theirs)
        made, expected = reopen(ours), reopen(theirs)
        assert made.mode == expected.mode and (np.asarray(made) == np.asarray(expected)).all()
    deep = draw(SIDES, np.uint16)
    for image in (Image.fromarray(deep), Image.frombytes("I;16B", SIDES[::-1], deep.astype(">u2").tobytes())):
        made = reopen(save(image))
        assert made.mode == "I;16" and (np.asarray(made) == deep).all()
    for mode in ("CMYK", "1", "F", "HSV"):
        assert try_to(save, COLOR.convert(mode)) == try_to(save_by_pillow, COLOR.convert(mode))


def test_palette():
    image = COLOR.quantize(200)
    assert b"pclr" in save(image)
    if int(PIL.__version__.split(".", maxsplit=1)[0]) < 11:
        pytest.skip("this Pillow reads no palette of JP2")
    made = reopen(save(image))
    assert made.mode == "P" and (np.asarray(made) == np.asarray(image)).all()
    assert (np.asarray(made.convert("RGB")) == np.asarray(image.convert("RGB"))).all()
    refuses(OSError, None, save_by_pillow, image)
    for transparency in (7, bytes(range(100))):
        image.info["transparency"] = transparency
        made = reopen(save(image))
        assert (np.asarray(made.convert("RGBA")) == np.asarray(image.convert("RGBA"))).all()
    for lossy in ({"irreversible": True}, {"quality_layers": [10]}, {"wavelane": {"bpp": 1}}):
        refuses(ValueError, "palette cannot be coded with loss", save, image, **lossy)
    refuses(OSError, None, save, image, name="a.j2k")  # a codestream has no palette


LOSSLESS = ({}, {"quality_layers": [20, 1]}, {"progression": "RPCL"}, {"tile_offset": (5, 5)}, {"tile_size": (50, 45), "tile_offset": (5, 7), "offset": (10, 20)},
            {"codeblock_size": (3, 3)}, {"codeblock_size": (32, 16)}, {"precinct_size": (100, 100)}, {"precinct_size": (128, 128), "codeblock_size": (32, 32)},
            {"num_resolutions": 1}, {"num_resolutions": 3}, {"offset": (-1, 0)}, {"tile_size": (0, 0)}, {"tile_size": (100,)}, {"quality_layers": []}, {"mct": 1},
            {"plt": True}, {"no_jp2": True})


@pytest.mark.parametrize("keywords", LOSSLESS, ids=str)
def test_lossless_keywords(keywords):
    """The same marker segments as Pillow writes, where the keyword decides them, and the same samples."""
    for image in (GREY, COLOR):
        ours, theirs = save(image, **keywords), save_by_pillow(image, **keywords)
        assert not is_of_openjpeg(ours) and is_of_openjpeg(theirs)
        assert read_marker(ours, 0x51, 36)[2:] == read_marker(theirs, 0x51, 36)[2:]  # sizes, offsets and tiles; Rsiz apart
        mine, others = read_marker(ours, 0x52, 10), read_marker(theirs, 0x52, 10)
        assert mine[0] & 1 == others[0] & 1 and mine[1:8] == others[1:8] and mine[9] == others[9]
        if mine[0] & 1:
            levels = mine[5]
            assert read_marker(ours, 0x52, 11 + levels)[10:] == read_marker(theirs, 0x52, 11 + levels)[10:]
        assert (b"\xff\x58" in ours[:ours.index(b"\xff\x93")]) == bool(keywords.get("plt"))
        assert ours.startswith(b"\xff\x4f") == bool(keywords.get("no_jp2"))
        assert (np.asarray(reopen(ours)) == np.asarray(image)).all()


@pytest.mark.parametrize("keywords", ({"quality_layers": [20]}, {"quality_layers": [40, 20, 5]}, {"quality_layers": [35, 40], "quality_mode": "dB"},
                                      {"irreversible": True}, {"irreversible": True, "quality_layers": [15]}), ids=str)
def test_lossy_keywords(keywords):
    for image in (GREY, COLOR):
        ours, theirs = save(image, **keywords), save_by_pillow(image, **keywords)
        assert not is_of_openjpeg(ours) and read_marker(ours, 0x52, 10)[1:8] == read_marker(theirs, 0x52, 10)[1:8]
        assert find_psnr(reopen(ours), image) > find_psnr(reopen(theirs), image) - 0.2 and len(ours) < 1.1 * len(theirs) + 200
        if keywords.get("quality_mode") == "dB":
            assert find_psnr(reopen(ours), image) >= 40


def test_left_to_pillow():
    for keywords in ({"quality_layers": [1, 20]}, {"quality_layers": [100000]}, {"cinema_mode": "cinema2k-24"}):
        assert is_of_openjpeg(save(COLOR, **keywords)) and save(COLOR, **keywords) == save_by_pillow(COLOR, **keywords)
        refuses(ValueError, None, save, COLOR, wavelane={"plt": True}, **keywords)


def test_own_keywords(tmp_path):
    assert save(COLOR, wavelane={"bpp": 1, "reversible": False}, mct=1) == wavelane.encode(
        np.asarray(COLOR), container="jp2", color="srgb", bpp=1, reversible=False, mct=True, levels=5, progression="LRCP")
    for name, head in (("a.jph", b"jph "), ("a.jhc", b"\xff\x4f\xff\x51")):
        COLOR.save(tmp_path / name)
        data = (tmp_path / name).read_bytes()
        assert head in data[:32] and b"\xff\x50" in data[:200]  # CAP: HT blocks
    assert b"hello" in save(COLOR, comment="hello")


def test_bad_calls(tmp_path):
    """A ValueError, as Pillow's own are, and no file stays."""
    path = tmp_path / "a.jp2"
    for keywords, words in (({"progression": "X"}, "progression"), ({"num_resolutions": 40}, "levels"), ({"comment": "x" * 80000}, "65531"),
                            ({"quality_layers": ["a"]}, "sequence of numbers"), ({"tile_size": (64, 64), "tile_offset": (100, 0)}, "tile offset"),
                            ({"wavelane": 3}, "dictionary"), ({"wavelane": {"nonsense": 1}}, "nonsense"), ({"wavelane": {"style": "HT"}}, "jph")):
        refuses(ValueError, words, COLOR.save, path, **keywords)
        assert not path.exists()
    path.write_bytes(b"kept")
    refuses(ValueError, "progression", COLOR.save, tmp_path / "b.jp2", progression="X")
    assert path.read_bytes() == b"kept" and sorted(tmp_path.iterdir()) == [path]


def test_register_twice():
    own = plugin._saver_of_pillow
    plugin.register()
    assert plugin._saver_of_pillow is own and not is_of_openjpeg(save(GREY))
    plugin.unregister()
    plugin.unregister()
    assert is_of_openjpeg(save(GREY)) and ".jph" not in Image.EXTENSION
