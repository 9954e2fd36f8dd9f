# SPDX-License-Identifier: BSD-2-Clause
"""What programs of others call and read: imagecodecs' call style, numcodecs, Zarr."""
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import draw, need, refuses

import wavelane
from wavelane import _apart, _decode
from wavelane.imagecodecs import jpeg2k_encode


PICTURE = draw((64, 80, 3))


def test_call_style():
    lossless = jpeg2k_encode(PICTURE)
    assert lossless == wavelane.encode(PICTURE, container="jp2")
    assert jpeg2k_encode(PICTURE, 0) == jpeg2k_encode(PICTURE, level=1001) == lossless
    assert jpeg2k_encode(PICTURE, 40) == wavelane.encode(PICTURE, container="jp2", reversible=False, psnr=40)
    assert jpeg2k_encode(PICTURE, 40, reversible=True) == wavelane.encode(PICTURE, container="jp2", psnr=40)
    assert jpeg2k_encode(PICTURE, codecformat="J2K") == jpeg2k_encode(PICTURE, codecformat=0) == wavelane.encode(PICTURE)
    assert jpeg2k_encode(PICTURE, codecformat="jph") == wavelane.encode(PICTURE, container="jph", style="HT")
    assert jpeg2k_encode(PICTURE, colorspace="sycc") == wavelane.encode(PICTURE, container="jp2", color="sycc")
    assert jpeg2k_encode(PICTURE, mct=False, resolutions=3, tile=(32, 48), numthreads=2) == wavelane.encode(
        PICTURE, container="jp2", mct=False, levels=2, tile=(48, 32))
    deep = draw((20, 30), np.uint16, 10)
    assert jpeg2k_encode(deep, bitspersample=10, verbose=1) == wavelane.encode(deep, container="jp2", depth=10)
    planes = np.ascontiguousarray(PICTURE.transpose(2, 0, 1))
    assert jpeg2k_encode(planes) == jpeg2k_encode(planes, planar=True) == lossless
    for wrong in ({"codecformat": "jpx"}, {"colorspace": "cmyk"}):
        refuses(wavelane.ArgumentError, None, jpeg2k_encode, PICTURE, **wrong)


def test_out():
    data = jpeg2k_encode(PICTURE)
    room = bytearray(len(data) + 10)
    made = jpeg2k_encode(PICTURE, out=room)
    assert made == data and room[:len(data)] == data and isinstance(made, memoryview)
    assert isinstance(jpeg2k_encode(PICTURE, out=bytearray), bytearray) and jpeg2k_encode(PICTURE, out=bytes) == data
    refuses(ValueError, "out has 10 bytes", jpeg2k_encode, PICTURE, out=bytearray(10))


def test_imagecodecs_reads_it():
    need("imagecodecs")
    import imagecodecs

    for picture, depth in ((PICTURE, 8), (draw((30, 40), np.uint16, 12), 12), (draw((30, 40, 2), np.int16), 16), (draw((30, 40, 4)), 8)):
        for options in ({}, {"style": "HT"}, {"container": "jp2"}, {"tile": (32, 32)}):
            assert (imagecodecs.jpeg2k_decode(wavelane.encode(picture, depth=depth, **options)) == picture).all()
    error = imagecodecs.jpeg2k_decode(jpeg2k_encode(PICTURE, 45)).astype(float) - PICTURE
    assert 10 * np.log10(255**2 / np.mean(error**2)) >= 45


@pytest.mark.parametrize("name", list(_decode.DECODERS))
def test_decoders(name, monkeypatch):
    if name == "opj_decompress":
        if not shutil.which(name):
            assert os.environ.get("WVL_PYTHON_ALL") != "1"
            pytest.skip("no opj_decompress")
    else:
        need(name)
    monkeypatch.setattr(_decode, "DECODERS", {name: _decode.DECODERS[name]})
    for picture in (PICTURE, draw((30, 40), np.uint16, 16), draw((31, 40), np.uint8)):
        for container in ("j2k", "jp2"):
            made = _decode.decode(wavelane.encode(picture, container=container))
            assert made.dtype == picture.dtype and (made == picture).all()


def test_no_decoder(monkeypatch):
    monkeypatch.setattr(_decode, "DECODERS", {})
    refuses(wavelane.UnsupportedError, "pip install imagecodecs", _decode.decode, wavelane.encode(PICTURE))


def test_decode_of_damage():
    assert _decode.read_format(wavelane.encode(draw((5, 6, 2), np.int16, 12), depth=12, offset=(3, 4))) == (5, 6, 2, 12, True)
    refuses(ValueError, "codestream", _decode.read_format, b"\0" * 100)


def test_numcodecs():
    need("numcodecs")
    from wavelane.numcodecs import Jpeg2k

    for codec, chunk in ((Jpeg2k(), PICTURE), (Jpeg2k(planar=True), PICTURE.transpose(2, 0, 1)), (Jpeg2k(blocks="ht"), draw((20, 30), np.uint16)[None, None]),
                         (Jpeg2k(), draw((20, 30), np.int16)), (Jpeg2k(depth=20), draw((20, 30), np.uint32, 20))):
        data = codec.encode(chunk)
        made = codec.decode(data)
        assert made.dtype.kind == chunk.dtype.kind and (made.reshape(chunk.shape) == chunk).all()
        out = np.empty(chunk.shape, chunk.dtype)
        codec.decode(data, out=out)
        assert (out == chunk).all()
        assert Jpeg2k.from_config({k: v for k, v in codec.get_config().items() if k != "id"}).get_config() == codec.get_config()
    assert Jpeg2k(reversible=False, bpp=1).encode(PICTURE) == wavelane.encode(PICTURE, reversible=False, bpp=1)
    assert Jpeg2k(reversible=False, bpp=1, blocks="ht").get_config() == {
        "id": "jpeg2k", "planar": False, "reversible": False, "blocks": "ht", "writer": {"wavelane": {"bpp": 1}}}
    assert Jpeg2k(writer={"other": {"speed": 2}}).encode(PICTURE) == wavelane.encode(PICTURE)  # another writer's words
    refuses(ValueError, "byte order", Jpeg2k().encode, np.zeros((4, 4), ">u2"))
    for wrong in (np.float32, np.uint64, np.uint32):
        refuses(ValueError, "jpeg2k takes integers", Jpeg2k().encode, np.zeros((4, 4), wrong))
    for wrong in ({"blocks": "x"}, {"style": "HT"}, {"writer": {"wavelane": {"container": "jp2"}}}, {"writer": 3}, {"writer": {"wavelane": 3}}):
        refuses(ValueError, None, Jpeg2k, **wrong)
    for wrong in (np.empty((5, 5), np.uint8), np.empty((20, 30), np.int8)):
        refuses(ValueError, "the chunk holds", Jpeg2k().decode, Jpeg2k().encode(draw((20, 30))), out=wrong)


def test_entry_point():
    """Only where the package is installed."""
    need("numcodecs")
    if os.environ.get("WVL_PYTHON_ALL") != "1":
        pytest.skip("only with the installed package (WVL_PYTHON_ALL=1)")
    program = "import numcodecs; print(numcodecs.get_codec({'id': 'jpeg2k', 'reversible': False, 'bpp': 2}))"
    made = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE).stdout
    assert made.strip() == b"Jpeg2k(planar=False, reversible=False, blocks='ebcot', writer={'wavelane': {'bpp': 2}})"


def test_zarr(tmp_path):
    need("zarr", "numcodecs")
    import numcodecs
    import zarr
    from wavelane.numcodecs import Jpeg2k

    if os.environ.get("WVL_PYTHON_ALL") != "1":
        numcodecs.register_codec(Jpeg2k)  # else the entry point has done it
    stack = np.stack([draw((100, 90), np.uint16, seed=n) for n in range(3)])
    array = zarr.open(str(tmp_path / "a.zarr"), mode="w", shape=stack.shape, chunks=(1, 64, 64), dtype=stack.dtype, compressor=Jpeg2k(), zarr_format=2)
    array[:] = stack
    assert (zarr.open(str(tmp_path / "a.zarr"), mode="r")[:] == stack).all()


def test_zarr_3(tmp_path):
    need("zarr")
    import zarr
    from wavelane.zarr import Jpeg2k

    if os.environ.get("WVL_PYTHON_ALL") != "1":
        zarr.registry.register_codec("jpeg2k", Jpeg2k)
    stack = np.stack([draw((100, 90, 3), np.uint8, seed=n) for n in range(2)])
    array = zarr.create_array(str(tmp_path / "a.zarr"), shape=stack.shape, chunks=(1, 64, 64, 3), dtype=stack.dtype, serializer=Jpeg2k(blocks="ht"),
                              compressors=None, filters=None)
    array[:] = stack
    assert (zarr.open_array(str(tmp_path / "a.zarr"), mode="r")[:] == stack).all()
    chunk = tmp_path / "a.zarr" / "c" / "0" / "0" / "0" / "0"
    assert chunk.read_bytes().startswith(b"\xff\x4f\xff\x51")
    codecs = json.loads((tmp_path / "a.zarr" / "zarr.json").read_text())["codecs"]
    assert codecs == [{"name": "jpeg2k", "configuration": {"planar": False, "reversible": True, "blocks": "ht"}}]
    chunk.write_bytes(wavelane.encode(draw((5, 6))))
    with pytest.raises(ValueError, match="the chunk holds"):
        zarr.open_array(str(tmp_path / "a.zarr"), mode="r")[0, :64, :64]
    with pytest.raises(ValueError, match="jpeg2k takes integers"):
        zarr.create_array(str(tmp_path / "b.zarr"), shape=(8, 8), chunks=(8, 8), dtype="f4", serializer=Jpeg2k(), compressors=None, filters=None)


FAKE = '''
import os, sys
import numpy
print("a decoder that prints")
def jpeg2k_decode(data):
    if b"fatal" in data:
        os.abort()
    if b"slow" in data:
        import time
        time.sleep(100)
    if b"bad" in data:
        raise ValueError("no picture")
    return numpy.frombuffer(data + os.getpid().to_bytes(4, "little"), numpy.uint8)
'''


def test_decoder_that_ends_its_process(tmp_path, monkeypatch):
    """The caller's goes on; one process serves many calls."""
    (tmp_path / "imagecodecs.py").write_text(FAKE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(_apart, "_idle", [])

    def decode(data):
        made = _decode.decode(data).tobytes()
        assert made[:-4] == data
        return int.from_bytes(made[-4:], "little")

    process = decode(b"x" * 3000000)
    assert process != os.getpid() and decode(b"y") == process
    refuses(RuntimeError, "imagecodecs ended its process", _decode.decode, b"fatal")
    other = decode(b"z")
    assert other != process
    refuses(RuntimeError, "imagecodecs failed: no picture", _decode.decode, b"bad")
    assert decode(b"") == other
    with monkeypatch.context() as limit, pytest.raises(RuntimeError, match="takes more than"):
        limit.setattr(_apart, "MOST_SECONDS", 0.5)
        _decode.decode(b"slow")
    with ThreadPoolExecutor(3) as pool:
        assert all(pool.map(decode, [bytes([i]) for i in range(12)]))
    _apart._end_idle()
