# SPDX-License-Identifier: BSD-2-Clause
"""Arrays of every layout and type: the bytes are those of the same samples in the plainest order."""
import array as standard
import importlib
import os
import sys

import numpy as np
import pytest
from conftest import draw, refuses

import wavelane
from wavelane._pixels import Pixels

TYPES = [(np.uint8, 8), (np.int8, 8), (np.uint16, 16), (np.int16, 16), (np.uint16, 12), (np.uint8, 5)]


@pytest.mark.parametrize("dtype, depth", TYPES)
@pytest.mark.parametrize("shape", [(37, 41), (37, 41, 3), (20, 70, 2)])
def test_same_bytes_as_the_command(command, dtype, depth, shape):
    picture = draw(shape, dtype, depth)
    assert wavelane.encode(picture, depth=depth) == command(picture, depth)


@pytest.mark.parametrize("kind", "ui")
def test_32_bits(kind):
    picture = draw((37, 41, 3), kind + "2", 13)
    assert wavelane.encode(picture.astype(kind + "4"), depth=13) == wavelane.encode(picture, depth=13)
    assert wavelane.encode(draw((37, 41), kind + "4", 26), depth=26)[0x2A] == (25 if kind == "u" else 25 + 128)  # Ssiz


@pytest.mark.parametrize("dtype", ("f2", "f4", ">f4", "u4", "i4"))
@pytest.mark.parametrize("shape", [(37, 41), (37, 41, 3)])
def test_bit_for_bit(dtype, shape):
    """Floating point, NaN and -0 included, and integers of 32 bits: OpenJPH decodes the same bits."""
    imagecodecs = pytest.importorskip("imagecodecs")
    bits = draw(shape, "u" + dtype[-1], 8 * int(dtype[-1]))
    plain = bits.view(dtype[-2:])
    made = imagecodecs.htj2k_decode(wavelane.encode(plain.astype(dtype), style="HT", depth=None if "f" in dtype else 32))
    assert (made.view(bits.dtype) == bits).all()


@pytest.mark.parametrize("view", [
    lambda a: a[::-1], lambda a: a[:, ::-1], lambda a: a[..., ::-1], lambda a: a[:, ::2], lambda a: a[::3], lambda a: a[5:30, 7:33],
    lambda a: a[:, :, 1:], lambda a: a.transpose(1, 0, 2), lambda a: a[:, 3], lambda a: a[::-2, ::-3, ::-1], lambda a: a[:1, :1],
    lambda a: np.broadcast_to(a[:, :1], a.shape), lambda a: np.broadcast_to(a[:1], a.shape), lambda a: a.astype(">u2"),
    lambda a: np.asfortranarray(a), lambda a: np.lib.stride_tricks.as_strided(a.reshape(-1)[1:], (8, 9, 3), (90, 12, 2))])
def test_views(view):
    picture = draw((40, 50, 3), np.uint16)
    seen = view(picture)
    plain = np.ascontiguousarray(seen).astype(np.uint16)
    assert wavelane.encode(seen) == wavelane.encode(plain)


@pytest.mark.parametrize("view, copied", [
    (lambda a: a, False), (lambda a: a[::-1], False), (lambda a: a[:, ::2], False), (lambda a: a[..., ::-1], False),
    (lambda a: a[4:, 5:, 1:], False), (lambda a: a.transpose(1, 0, 2), False), (lambda a: a[:, ::-1], True)])
def test_copies_only_where_needed(view, copied):
    picture = view(draw((40, 50, 3)))
    pixels = Pixels(picture)
    assert (not np.shares_memory(pixels.views[0].owner, picture)) == copied


def test_planar_and_planes():
    picture = draw((33, 47, 3))
    wanted = wavelane.encode(picture)
    planes = np.ascontiguousarray(picture.transpose(2, 0, 1))
    assert wavelane.encode(planes, planar=True) == wanted
    assert wavelane.encode(list(planes)) == wanted
    assert wavelane.encode(tuple(planes[::-1])[::-1]) == wanted


@pytest.mark.parametrize("height, width", [(36, 48), (37, 49)])
def test_subsampling(height, width):
    luma = draw((height, width))
    chroma = draw((-(-height // 2), -(-width // 2)))
    found = wavelane.encode([luma, chroma, chroma])
    assert found == wavelane.encode([luma, chroma, chroma], subsampling=[(1, 1), (2, 2), (2, 2)])
    assert found[0x28:0x2A] == b"\0\3" and found[0x2B:0x2D] == b"\1\1" and found[0x2E:0x30] == b"\2\2"  # Csiz, XRsiz, YRsiz
    refuses(wavelane.ArgumentError, "component 1 has", wavelane.encode, [luma, chroma, chroma], subsampling=[(1, 1), (2, 1), (2, 2)])
    refuses(wavelane.ArgumentError, "subsampling", wavelane.encode, [luma, chroma[:-3], chroma])


def test_offset():
    picture = draw((30, 40))
    data = wavelane.encode(picture, offset=(3, 5))
    assert [int.from_bytes(data[at:at + 4], "big") for at in (8, 12, 16, 20)] == [43, 35, 3, 5]  # Xsiz, Ysiz, XOsiz, YOsiz


def test_planes_of_different_types():
    first, second = draw((20, 30), np.uint8), draw((20, 30), np.uint16)
    data = wavelane.encode([first, second >> 6], depth=[8, 10])
    assert (data[0x2A], data[0x2D]) == (7, 9)  # Ssiz
    refuses(wavelane.ArgumentError, "signed", wavelane.encode, [first, first.view(np.int8)])


def test_bool():
    picture = draw((20, 30)) > 100
    assert wavelane.encode(picture) == wavelane.encode(picture.astype(np.uint8), depth=1)


def test_other_protocols():
    picture = draw((20, 30))

    class Interface:
        __array_interface__ = picture.__array_interface__

    class Dlpack:
        def __dlpack__(self, **keywords):
            return picture.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return picture.__dlpack_device__()

    wanted = wavelane.encode(picture)
    assert wavelane.encode(Interface()) == wanted
    assert wavelane.encode(Dlpack()) == wanted
    assert wavelane.encode(memoryview(picture)) == wanted
    assert wavelane.encode([memoryview(picture)]) == wanted
    words = standard.array("H", range(600))
    assert wavelane.encode([memoryview(words).cast("B").cast("H", (20, 30))]) == wavelane.encode(np.arange(600, dtype=np.uint16).reshape(20, 30))


def test_producers_that_refuse():
    """A producer of DLPack that does not give this type, with and without another way to numpy."""
    picture = draw((20, 30)) > 100

    class Dlpack:
        def __dlpack__(self, **keywords):
            raise RuntimeError("no bool here")

        def __dlpack_device__(self):
            return 1, 0

    class Array(Dlpack):
        def __array__(self, *arguments, **keywords):
            return picture

    assert wavelane.encode(Array()) == wavelane.encode(picture)
    refuses(wavelane.ArgumentError, "no bool here", wavelane.encode, Dlpack())


def test_torch():
    """Tensors of PyTorch on the CPU. Only where it is installed (Debian: python3-torch): the package of PyPI is large. WVL_PYTHON_TORCH=1: it must be."""
    torch = importlib.import_module("torch") if os.environ.get("WVL_PYTHON_TORCH") == "1" else pytest.importorskip("torch")
    picture = draw((40, 60, 3))
    tensor = torch.from_numpy(picture.copy())
    wanted = wavelane.encode(picture)
    before = tensor.data_ptr(), tensor.clone()
    assert wavelane.encode(tensor) == wavelane.encode(tensor.permute(2, 0, 1), planar=True) == wanted
    assert wavelane.encode(tensor.permute(2, 0, 1).contiguous(), planar=True) == wanted
    assert wavelane.encode(tensor[3:30:2, 5:50]) == wavelane.encode(picture[3:30:2, 5:50])
    assert wavelane.encode(tensor[..., :1].expand(40, 60, 3)) == wavelane.encode(np.broadcast_to(picture[..., :1], (40, 60, 3)))
    assert wavelane.encode([tensor[..., c] for c in range(3)]) == wanted
    for name, depth in (("int8", 8), ("int16", 10), ("int32", 12)):
        signed = (tensor.to(torch.int16) - 100).to(getattr(torch, name))
        assert wavelane.encode(signed, depth=depth) == wavelane.encode(signed.numpy(), depth=depth)
    assert wavelane.encode(tensor > 100) == wavelane.encode(picture > 100)
    with wavelane.Encoder((40, 60, 3), "uint8") as encoder:
        assert list(encoder.map(tensor.clone() for _ in range(5))) == [wanted] * 5
    assert tensor.data_ptr() == before[0] and torch.equal(tensor, before[1])
    for wrong in (tensor.double(), tensor.to(torch.int64), tensor.to_sparse(), torch.zeros(4, 4, requires_grad=True), tensor.to("meta")):
        refuses(wavelane.ArgumentError, None, wavelane.encode, wrong)


@pytest.mark.parametrize("array, text", [
    (np.zeros((4, 4), np.float64), "integers"), (np.zeros((4, 4), np.float32), "HT blocks"), (np.zeros((4, 4), np.int64), "integers"), (np.zeros(4, np.uint8), "dimensions"),
    (np.zeros((2, 2, 2, 2), np.uint8), "dimensions"), ([], "empty"), ([np.zeros((2, 2, 2), np.uint8)], "height, width"), ("text", "integers"),
    (object(), "integers"), (np.zeros((4, 4), np.uint32), "depth"), (np.zeros((0, 4), np.uint8), "extent|size|empty|picture"), (None, "integers")])
def test_refused(array, text):
    error = refuses(wavelane.Error, text, wavelane.encode, array)
    assert isinstance(error, ValueError)


def test_sample_outside_the_depth():
    refuses(wavelane.InputError, None, wavelane.encode, np.full((8, 8), 1024, np.uint16), depth=10)


def test_the_array_is_kept():
    picture = draw((20, 30))
    count = sys.getrefcount(picture)
    for _ in range(5):
        wavelane.encode(picture)
    assert sys.getrefcount(picture) == count
