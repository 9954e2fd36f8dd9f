# SPDX-License-Identifier: BSD-2-Clause
"""encode() and encode_file(): options, presets, boxes, errors, files, threads, signals, forks."""
import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import uuid

import numpy as np
import pytest
from conftest import draw, refuses, run_threads

import wavelane

PICTURE = draw((64, 80, 3))


@pytest.mark.parametrize("options, words", [
    ({"reversible": False, "bpp": 2}, ["--reversible", "no", "--bpp", "2"]),
    ({"reversible": False, "rates": [20, 10, 5]}, ["-I", "-r", "20,10,5"]),
    ({"tile": (32, 48), "levels": 3, "block": (32, 32)}, ["-t", "32,48", "-n", "4", "-b", "32,32"]),
    ({"precincts": [(128, 128), (64, 64)], "progression": "RPCL"}, ["--precincts", "[128,128],[64,64]", "-p", "RPCL"]),
    ({"precincts": (64, 64), "sop": True, "eph": True, "plt": np.bool_(True)}, ["--precincts", "[64,64]", "--sop", "yes", "--eph", "yes", "--plt", "yes"]),
    ({"style": ["BYPASS", "TERMALL"], "mct": False}, ["--style", "BYPASS+TERMALL", "--mct", "off"]),
    ({"reversible": False, "step": 1 / 256, "rdoq": False}, ["-I", "--step", "0.00390625", "--rdoq", "no"]),
    ({"style": "HT", "levels": np.int64(2)}, ["-HT", "-n", "3"]),
    ({"comment": ["one", "zwei \u20ac"]}, ["--comment", "one", "--comment", "zwei \u20ac"]),
    ({"preset": "iiif-lossless", "container": "j2k"}, ["--preset", "iiif-lossless", "--container", "j2k"]),
    ({"max_bytes": None, "reversible": False, "psnr": 35.5}, ["-I", "--psnr", "35.5"])])
def test_options_as_the_command_takes_them(command, options, words):
    assert wavelane.encode(PICTURE, **options) == command(PICTURE, 8, *words)


def test_presets():
    frame = draw((858, 2048, 3), np.uint16, 12)
    data = wavelane.encode(frame, preset="dci-2k-24", depth=12)
    assert len(data) <= 1302083 and data[6:8] == b"\0\3"  # Rsiz
    assert {p.name for p in wavelane.presets()} >= {"dci-2k", "iiif-lossless", "imf-2k"}
    refuses(wavelane.ParameterError, "dci-2k", wavelane.encode, PICTURE, preset="no-such")
    with pytest.raises(wavelane.ParameterError):  # the preset's profile lists what does not fit
        wavelane.encode(PICTURE, preset="dci-2k-24")


def find_boxes(data):
    """(type, content) of the boxes at the top."""
    found, at = [], 0
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "big") or len(data) - at
        found.append((data[at + 4:at + 8], data[at + 8:at + size]))
        at += size
    return found


def test_jp2():
    number = uuid.uuid4()
    data = wavelane.encode(draw((16, 16, 4)), container="jp2", alpha="premultiplied", color="srgb", resolution=(300 / 0.0254, 100),
                           display_resolution=72 / 0.0254, xml="<a>\u00e9</a>", boxes=[("xml", b"<b/>"), (number, b"12345"), (number.bytes, b"")])
    boxes = find_boxes(data)
    assert [t for t, _ in boxes] == [b"jP  ", b"ftyp", b"jp2h", b"xml ", b"xml ", b"uuid", b"uuid", b"jp2c"]
    assert boxes[3][1] == "<a>\u00e9</a>".encode() and boxes[5][1] == number.bytes + b"12345" and boxes[6][1] == number.bytes
    header = dict(find_boxes(boxes[2][1]))
    assert set(header) == {b"ihdr", b"colr", b"res ", b"cdef"} and header[b"colr"][3:] == (16).to_bytes(4, "big")
    assert header[b"cdef"][-6:] == b"\0\3\0\2\0\0"  # channel 3, premultiplied opacity, of the whole picture
    assert set(dict(find_boxes(header[b"res "]))) == {b"resc", b"resd"}


def test_palette():
    table = np.array([[0, 0, 0], [255, 0, 0], [0, 255, 7]], np.uint8)
    data = wavelane.encode(draw((16, 16)) % 3, container="jp2", palette=table)
    header = dict(find_boxes(find_boxes(data)[2][1]))
    assert header[b"pclr"] == b"\0\3\3\7\7\7" + table.tobytes() and b"cmap" in header


def test_jp2_without_a_file():
    for given in ({"color": "srgb"}, {"icc": b"x"}, {"alpha": True}, {"xml": "<a/>"}):
        refuses(wavelane.ArgumentError, "container", wavelane.encode, PICTURE, **given)
    refuses(wavelane.ArgumentError, "srgb", wavelane.encode, PICTURE, container="jp2", color="rgb")
    refuses(wavelane.ParameterError, "ICC", wavelane.encode, PICTURE, container="jp2", icc=b"no profile")


def test_errors():
    error = refuses(wavelane.ParameterError, 'the nearest is "levels"', wavelane.encode, PICTURE, leevls=3)
    assert error.status == -2 and isinstance(error, ValueError) and isinstance(error, wavelane.Error)
    refuses(wavelane.UnreachableError, None, wavelane.encode, PICTURE, max_bytes=20)
    refuses(wavelane.ParameterError, "tile", wavelane.encode, PICTURE, tile=(1, 2, 3))
    refuses(wavelane.ArgumentError, "8859-15", wavelane.encode, PICTURE, comment="\u4e2d")
    refuses(wavelane.ArgumentError, "code 0", wavelane.encode, PICTURE, comment="a\0b")
    for wrong in ({"depth": 300}, {"depth": -1}, {"offset": (-1, 0)}, {"subsampling": (256, 1)}, {"threads": -1}):
        refuses(wavelane.ArgumentError, None, wavelane.encode, PICTURE, **wrong)
    refuses(wavelane.ArgumentError, "2 values for 3", wavelane.encode, PICTURE, depth=[8, 8])
    refuses(wavelane.ParameterError, "sample", wavelane.encode, PICTURE, context=wavelane.Context(max_samples=10))
    refuses((wavelane.DeviceError, wavelane.UnsupportedError), "device", wavelane.encode, PICTURE, device="cuda-only:7")
    for stream in (0, -2, "1", True):
        refuses(wavelane.ArgumentError, "stream", wavelane.encode, PICTURE, stream=stream)


def test_options_table():
    table = {option.key: option for option in wavelane.options()}
    assert table["reversible"].type == "bool" and table["block"].initial == "64,64" and len(table) > 40
    assert wavelane.__version__ in wavelane.build_text()
    assert isinstance(wavelane.devices(), list)


def test_simd():
    """As the command says: a wheel is made by another compiler."""
    program = os.environ.get("WVL_TEST_COMMAND")
    if not program:
        pytest.skip("no command (WVL_TEST_COMMAND)")
    text = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE).stdout.decode()
    assert wavelane.build_text().split(", ")[2] == text.split(", ")[2] and "SIMD" in text


def test_info():
    made = wavelane.encode_picture(PICTURE, reversible=False, rates=[20, 5])
    assert bytes(made) == made.data == wavelane.encode(PICTURE, reversible=False, rates=[20, 5])
    assert len(made) == made.info.bytes == len(made.data) and made.info.backend == "cpu"
    assert len(made.info.layers) == 2 and made.info.layers[0].psnr < made.info.layers[1].psnr < 100
    assert set(made.info.seconds) == {"transform", "code", "rate", "write", "check"} and "layers=" in repr(made.info)
    assert not hasattr(made, "__cuda_array_interface__")


def test_file(tmp_path):
    for name, begin in (("a.j2k", b"\xff\x4f"), ("b.jp2", b"\0\0\0\x0cjP  "), ("c.jph", b"\0\0\0\x0cjP  "), ("D.J2C", b"\xff\x4f"), ("e.jhc", b"\xff\x4f")):
        info = wavelane.encode_file(tmp_path / name, PICTURE)
        data = (tmp_path / name).read_bytes()
        assert data.startswith(begin) and info.bytes == len(data)
        assert (b"\xff\x50" in data[:200]) == (name[-3:] in ("jph", "jhc"))  # CAP
    assert (tmp_path / "b.jp2").read_bytes() == wavelane.encode(PICTURE, container="jp2")
    wavelane.encode_file(str(tmp_path / "picture"), PICTURE, container="jp2")
    refuses(wavelane.ArgumentError, "extension", wavelane.encode_file, tmp_path / "x.png", PICTURE)
    refuses(wavelane.ArgumentError, "extension stands for jp2", wavelane.encode_file, tmp_path / "x.jp2", PICTURE, container="j2k")
    assert sorted(os.listdir(tmp_path)) == ["D.J2C", "a.j2k", "b.jp2", "c.jph", "e.jhc", "picture"]


def test_file_is_safe(tmp_path):
    path = tmp_path / "a.j2k"
    path.write_bytes(b"before")
    for keywords in ({}, {"overwrite": False}):
        error = refuses(wavelane.SinkError, "overwrite=True", wavelane.encode_file, path, PICTURE, **keywords)
        assert isinstance(error, OSError)
    refuses(wavelane.InputError, None, wavelane.encode_file, path, np.full((8, 8), 300, np.uint16), depth=8, overwrite=True)
    assert path.read_bytes() == b"before" and os.listdir(tmp_path) == ["a.j2k"]
    assert wavelane.encode_file(path, PICTURE, overwrite=True).bytes == path.stat().st_size
    refuses(wavelane.SinkError, None, wavelane.encode_file, tmp_path / "no" / "a.j2k", PICTURE)


def test_texts_end_where_c_ends_them(tmp_path):
    """A character of code 0 would cut a path, a name or a value."""
    path = tmp_path / "victim"
    path.write_bytes(b"before")
    for name in (f"{path}\0.jp2", os.fsencode(path) + b"\0.jp2"):
        refuses(wavelane.ArgumentError, "code 0", wavelane.encode_file, name, PICTURE, overwrite=True)
    for keywords in ({"preset": "iiif-lossless\0x"}, {"levels\0x": 3}, {"profile": "none\0x"}, {"comment": b"a\0b"}, {"device": "cpu\0"}):
        refuses(wavelane.ArgumentError, "code 0", wavelane.encode, PICTURE, **keywords)
    assert path.read_bytes() == b"before" and os.listdir(tmp_path) == ["victim"]
    for wrong in (5, None, 1.5):
        refuses(wavelane.ArgumentError, "path", wavelane.encode_file, wrong, PICTURE)


WRONG_VALUES = [
    {"subsampling": (0, 0)}, {"subsampling": [(0, 0)] * 3}, {"subsampling": [(1, 1), (2,), (1, 1)]}, {"subsampling": 5}, {"subsampling": "2,2"},
    {"subsampling": [(1.5, 1)] * 3}, {"depth": "8"}, {"depth": 8.5}, {"depth": [8, None, "x"]}, {"offset": 5}, {"offset": (1, 2, 3)}, {"offset": ("a", "b")},
    {"cancel": 5}, {"cancel": "x"}, {"progress": 5}, {"context": 5}, {"context": "x"}, {"threads": "x"}, {"threads": [1]}, {"threads": 1 << 70},
    {"preset": 5}, {"precincts": [(1, 2, 3)]},
    *({"container": "jp2", **boxes} for boxes in (
        {"icc": 5}, {"icc": "text"}, {"xml": 5}, {"boxes": 5}, {"boxes": [("xml",)]}, {"boxes": [(16, b"x")]}, {"boxes": [("uuid", b"x")]},
        {"boxes": [("xml", 7)]}, {"boxes": [(b"short", b"x")]}, {"color": ["srgb"]}, {"color": 5}, {"alpha": []}, {"alpha": "no"}, {"resolution": "x"},
        {"resolution": (1, 2, 3)}, {"palette": 5}, {"palette": "x"}, {"palette": np.zeros((1025, 3), np.uint8)}, {"palette_depth": "x"}, {"color_unknown": "x"}))]


@pytest.mark.parametrize("keywords", WRONG_VALUES, ids=repr)
def test_wrong_values_have_errors_of_the_package(keywords):
    refuses((wavelane.ArgumentError, wavelane.ParameterError), None, wavelane.encode, PICTURE, **keywords)
    shape = {key: value for key, value in keywords.items() if key not in ("cancel", "progress")}
    if shape:
        refuses((wavelane.ArgumentError, wavelane.ParameterError), None, wavelane.Encoder, PICTURE.shape, **shape)


def test_wrong_arguments_of_objects():
    for keywords in ({"threads": "x"}, {"threads": -1}, {"threads": 5000}, {"trace": 5}, {"max_samples": "x"}):
        refuses(wavelane.ArgumentError, None, wavelane.Context, **keywords)
    for shape in (5, (), (4,), "ab", (4, "b"), (4, 4, 4, 4), None, [(4, 4), 5]):
        refuses(wavelane.ArgumentError, None, wavelane.Encoder, shape)
    for keywords in ({"frames": "x"}, {"frames": 1025}, {"dtype": "no such type"}, {"dtype": "float64"}):
        refuses(wavelane.ArgumentError, None, wavelane.Encoder, (4, 4), **keywords)
    with wavelane.Encoder((4, 4)) as encoder:
        refuses(wavelane.ArgumentError, "timeout", encoder.receive, timeout="x")


def test_components_are_counted_first():
    """10 million of them took a minute, and 4 GB."""
    many = np.broadcast_to(np.zeros(1, np.uint8), (1, 1, 10**7))
    start = time.monotonic()
    for call in (lambda: wavelane.encode(many), lambda: wavelane.encode(many.reshape(10**7, 1, 1), planar=True), lambda: wavelane.Encoder((1, 1, 10**7)),
                 lambda: wavelane.encode([PICTURE[..., 0]] * 10**6), lambda: wavelane.output_bound([(4, 4)] * 10**6),
                 lambda: wavelane.encode(PICTURE, depth=[8] * 10**6)):
        refuses((wavelane.ParameterError, wavelane.ArgumentError), "components", call)
    assert time.monotonic() - start < 5


def test_threads():
    wanted = wavelane.encode(PICTURE)
    found = []

    def work():
        for threads in (0, 1, 2, 3):
            found.append(wavelane.encode(PICTURE, threads=threads) == wanted)

    run_threads(work, *[()] * 6)
    assert found == [True] * 24


LONG = draw((3000, 3000, 3))


def test_the_lock_is_released():
    """Python counts while a picture is coded."""
    ticks, stop = [], threading.Event()

    def count():
        while not stop.wait(0.002):
            ticks.append(time.monotonic())

    counter = threading.Thread(target=count)
    counter.start()
    begin = time.monotonic()
    wavelane.encode(LONG, threads=1)
    end = time.monotonic()
    stop.set()
    counter.join()
    assert len([t for t in ticks if begin < t < end]) > 10


def test_cancel_and_progress():
    token, seen = wavelane.CancelToken(), []
    timer = threading.Timer(0.05, token.cancel)
    timer.start()
    refuses(wavelane.Cancelled, None, wavelane.encode, LONG, cancel=token, threads=1)
    refuses(wavelane.Cancelled, None, wavelane.encode, PICTURE, cancel=token)
    wavelane.encode(LONG, threads=1, progress=lambda *words: seen.append(words) and None)
    assert seen and all(0 <= done <= total and stage in ("transform", "code", "rate", "write") for done, total, stage in seen)
    refuses(wavelane.Cancelled, None, wavelane.encode, LONG, threads=1, progress=lambda *words: True)

    class Own(Exception):
        pass

    def fail(*words):
        raise Own

    refuses(Own, None, wavelane.encode, LONG, threads=1, progress=fail)


def test_interrupt():
    """Ctrl-C ends the encode as KeyboardInterrupt."""
    program = ("import numpy as np, wavelane, os, signal, threading\n"
               "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
               "picture = np.random.default_rng(1).integers(0, 256, (6000, 6000, 3), dtype=np.uint8)\n"
               "while True: wavelane.encode(picture, threads=1)")
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, timeout=60)
    assert b"KeyboardInterrupt" in done.stderr and done.returncode in (1, -signal.SIGINT)
    assert time.monotonic() - begin < 20


def test_async():
    async def main():
        made = await asyncio.gather(*(wavelane.encode_async(PICTURE, levels=n) for n in range(5)))
        assert made == [wavelane.encode(PICTURE, levels=n) for n in range(5)]
        task = asyncio.ensure_future(wavelane.encode_async(LONG, threads=1))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_fork():
    """A child has contexts of its own: the threads of its parent are not there."""
    wanted = wavelane.encode(PICTURE)
    context = wavelane.Context(threads=2)
    encoder = wavelane.Encoder(PICTURE.shape)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(30)
            refuses(wavelane.ArgumentError, "fork", wavelane.encode, PICTURE, context=context)
            refuses(wavelane.ArgumentError, "fork", encoder.submit, PICTURE)
            del context, encoder
            code = 0 if wavelane.encode(PICTURE) == wanted else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    encoder.close()
    assert wavelane.encode(PICTURE) == wanted


def test_log(caplog):
    with caplog.at_level(logging.WARNING, logger="wavelane"):
        wavelane.encode(PICTURE, qfactor=50)  # has no effect on a reversible wavelet
    assert any("qfactor" in record.message for record in caplog.records)


def test_trace():
    spans = []
    context = wavelane.Context(threads=2, trace=lambda *span: spans.append(span))
    assert context.threads == 2
    wavelane.encode(PICTURE, context=context)
    assert {name for _, name, _, _, _ in spans} >= {"transform", "code"} and all(begin <= end for *_, begin, end in spans)


def test_stubs_name_everything():
    """The stubs beside the module have every public name and every option. Other builds of the module have none."""
    path = os.path.join(os.path.dirname(wavelane.__file__), "__init__.pyi")
    if not os.path.exists(path):
        pytest.skip("no stubs beside this build of the module")
    with open(path, encoding="utf-8") as file:
        stubs = file.read()
    for name in wavelane.__all__:
        assert f" {name}(" in stubs or f"class {name}:" in stubs, name
    for option in wavelane.options():
        assert f"    {option.key.replace('-', '_')}: " in stubs, option.key
