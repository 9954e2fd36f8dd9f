# SPDX-License-Identifier: BSD-2-Clause
"""Pixels on a device. The device is made of software, where device memory is memory of the host; the arrays are stand-ins for those of CuPy and PyTorch."""
import ctypes
import gc
import os
import subprocess
import sys
import weakref

import numpy as np
import pytest
from conftest import draw, refuses, trace
from producers import CUDA, MANAGED, Driver, Interface, Tensor
from test_examples import check_throughput

import wavelane

pytestmark = pytest.mark.skipif(os.environ.get("WVL_CUDA_IMAGE") != "soft", reason="needs the software device")
PICTURE = draw((40, 56, 3))


def count_uploads():
    """Bytes that were uploaded so far: a member of soft_control (tests/device/soft.h)."""
    class Control(ctypes.Structure):
        _fields_ = ([(name, ctypes.c_uint32) for name in ("calls", "fail_at", "fail_status", "broken", "live", "waits", "queries", "allocations",
                                                          "launches", "marches", "deliveries")]
                    + [(name, ctypes.c_uint64) for name in ("delivered_bytes", "downloaded_bytes", "uploaded_bytes")])

    control = ctypes.CDLL("libcuda.so.1").soft_driver_control
    control.restype = ctypes.POINTER(Control)
    return control().contents.uploaded_bytes


class Fussy(Tensor):
    """As PyTorch: it gives its samples only where its device is the current one."""

    def __dlpack__(self, *, stream=None):
        current = ctypes.CDLL("libcuda.so.1").soft_current_device()
        if current != self.device:
            raise BufferError(f"Can't export tensors on a different CUDA device index. Expected: {self.device}. Current device: {current}.")
        return super().__dlpack__(stream=stream)


@pytest.mark.parametrize("make, options", [
    (Interface, {}), (Interface, {"style": "HT"}), (Tensor, {"style": "HT", "reversible": False, "qfactor": 80}), (Tensor, {}),
    (lambda a: Tensor(a, MANAGED), {"style": "HT"}), (lambda a: Interface(a, strides=False), {"style": "HT"})])
def test_no_copy_through_the_host(make, options):
    wanted = wavelane.encode(PICTURE, device="cpu", **options)
    spans, context = trace()
    before = count_uploads()
    made = wavelane.encode_picture(make(PICTURE), context=context, device="cuda-only", **options)
    tables = count_uploads() - before
    assert made.data == wanted and made.info.backend.startswith("cuda:0")
    assert "kernels" in spans and "upload" not in spans
    # Pixels of the host are uploaded, and the trace shows it.
    spans, context = trace()
    before = count_uploads()
    assert wavelane.encode(PICTURE, context=context, device="cuda-only", **options) == wanted
    assert "upload" in spans and count_uploads() - before >= tables + PICTURE.nbytes


def test_current_device():
    current = ctypes.CDLL("libcuda.so.1").soft_current_device
    before = current()
    assert wavelane.encode(Fussy(PICTURE), device="cuda-only") == wavelane.encode(PICTURE, device="cpu")
    assert current() == before
    # Of two devices the second one.
    program = ("from test_device import *\n"
               "made = wavelane.encode_picture(Fussy(PICTURE, device=1), device='cuda-only:1')\n"
               "assert made.data == wavelane.encode(PICTURE, device='cpu') and made.info.backend.startswith('cuda:1')")
    subprocess.run([sys.executable, "-B", "-c", program], check=True, cwd=os.path.dirname(os.path.abspath(__file__)),
                   env=dict(os.environ, SOFT_DEVICES="2"))


def test_device_is_found():
    assert [d.ordinal for d in wavelane.devices()] == [0]
    assert wavelane.encode_picture(Interface(PICTURE)).info.backend.startswith("cuda:0")
    assert wavelane.encode_picture(Tensor(PICTURE)).info.backend.startswith("cuda:0")
    refuses(wavelane.Error, None, wavelane.encode, Interface(PICTURE), device="cpu")


@pytest.mark.parametrize("view", [lambda a: a[::-1], lambda a: a[:, ::2], lambda a: a[4:40, 5:60, 1:], lambda a: a.transpose(1, 0, 2), lambda a: a[..., 1]])
def test_strides(view):
    seen = view(PICTURE)
    wanted = wavelane.encode(np.ascontiguousarray(seen), device="cpu")
    for make in (Interface, Tensor):
        spans, context = trace()
        assert wavelane.encode(make(seen), context=context, device="cuda-only") == wanted
        assert "upload" not in spans
    refuses(wavelane.ArgumentError, "contiguous", wavelane.encode, Interface(PICTURE[:, ::-1]), style="HT")


def test_producer_that_refuses():
    class Refusing(Tensor):
        def __dlpack__(self, *, stream=None):
            raise RuntimeError("no export of this one")

    refuses(wavelane.ArgumentError, "no export of this one", wavelane.encode, Refusing(PICTURE))


def test_planes():
    planes = np.ascontiguousarray(PICTURE.transpose(2, 0, 1))
    wanted = wavelane.encode(PICTURE, device="cpu")
    assert wavelane.encode(Interface(planes), planar=True) == wanted
    assert wavelane.encode([Tensor(p) for p in planes]) == wanted
    refuses(wavelane.ArgumentError, "one device", wavelane.encode, [planes[0], Tensor(planes[1])])


@pytest.mark.parametrize("late", ["interface", "argument", "argument of DLPack"])
def test_the_stream_is_waited_for(late):
    """Pixels that are still to be written when the encode is called."""
    driver, pixels = Driver(), np.zeros_like(PICTURE)
    driver.copy(pixels, PICTURE)
    assert not pixels.any()  # queued
    stream = driver.stream.value
    if late == "interface":
        data = wavelane.encode(Interface(pixels, stream=stream))
    elif late == "argument":
        data = wavelane.encode(Interface(pixels), stream=stream)
    else:
        tensor = Tensor(pixels)
        data = wavelane.encode(tensor, stream=stream)
        assert tensor.streams == [stream]
    assert data == wavelane.encode(PICTURE, device="cpu")


def test_no_stream_no_wait():
    driver, pixels = Driver(), np.zeros_like(PICTURE)
    driver.copy(pixels, PICTURE)
    tensor = Tensor(pixels)
    black = wavelane.encode(np.zeros_like(PICTURE), device="cpu")
    assert wavelane.encode(tensor, stream=-1) == black and tensor.streams == [-1]
    assert wavelane.encode(Interface(pixels, stream=driver.stream.value), stream=-1) == black
    tensor = Tensor(pixels)
    wavelane.encode(tensor)
    assert tensor.streams == [1]  # the legacy default stream
    for named in (1, 2):
        assert wavelane.encode(Interface(pixels, stream=named)) == wavelane.encode(pixels, device="cpu")
    refuses(wavelane.ArgumentError, "stream", wavelane.encode, Interface(pixels, stream=0))


def test_planes_of_two_streams():
    drivers = Driver(), Driver(), Driver()
    planes = [np.ascontiguousarray(PICTURE[..., c]) for c in range(3)]
    late = [np.zeros_like(p) for p in planes]
    for driver, to, source in zip(drivers, late, planes):
        driver.copy(to, source)
    data = wavelane.encode([Interface(p, stream=d.stream.value) for p, d in zip(late, drivers)])
    assert data == wavelane.encode(PICTURE, device="cpu")


def test_lifetime():
    with wavelane.Encoder(PICTURE.shape, device="cuda-only", frames=2) as encoder:
        for make in (Interface, Tensor):
            pixels = PICTURE.copy()
            gone = weakref.ref(pixels)
            encoder.submit(make(pixels))
            del pixels
            gc.collect()
            assert gone() is not None
            assert encoder.receive().data == wavelane.encode(PICTURE, device="cpu")
            gc.collect()
            assert gone() is None


def test_frames_in_flight():
    driver, pixels = Driver(), [np.zeros_like(PICTURE) for _ in range(6)]
    frames = [draw(PICTURE.shape, seed=n) for n in range(6)]
    spans, context = trace()
    with wavelane.Encoder(PICTURE.shape, device="cuda-only", context=context, style="HT") as encoder:
        for to, frame in zip(pixels, frames):
            driver.copy(to, frame)
        made = list(encoder.map([Interface(p) for p in pixels], stream=driver.stream.value))
    assert made == [wavelane.encode(f, device="cpu", style="HT") for f in frames] and "upload" not in spans


def test_bytes_that_stay_on_the_device():
    with wavelane.Encoder(PICTURE.shape, device="cuda-only", output_memory="device", style="HT") as encoder:
        encoder.submit(Interface(PICTURE))
        picture = encoder.receive()
        assert picture.data is None
        refuses(TypeError, None, bytes, picture)
    seen = picture.__cuda_array_interface__
    data = ctypes.string_at(seen["data"][0], seen["shape"][0])  # device memory is memory of the host here
    assert data == wavelane.encode(PICTURE, style="HT", device="cpu") and len(picture) == len(data) and seen["typestr"] == "|u1"
    del picture
    gc.collect()


def test_refused_on_the_device():
    interface = Interface(PICTURE)
    interface.__cuda_array_interface__["typestr"] = ">u2"
    refuses(wavelane.ArgumentError, "byte order", wavelane.encode, interface)
    refuses(wavelane.ArgumentError, "integers", wavelane.encode, Interface(PICTURE.astype(np.float64)))
    refuses(wavelane.ArgumentError, "masked", wavelane.encode, changed(mask=Interface(PICTURE)))
    with pytest.raises(wavelane.ArgumentError, match="device of DLPack"):
        wavelane.encode(Tensor(PICTURE, 10))  # ROCm


def changed(**members):
    """An interface with other members; those that are ... are missing."""
    array = Interface(PICTURE)
    array.__cuda_array_interface__ = {name: value for name, value in {**array.__cuda_array_interface__, **members}.items() if value is not ...}
    return array


@pytest.mark.parametrize("members", [
    {"shape": ...}, {"typestr": ...}, {"data": ...}, {"typestr": "u"}, {"typestr": 7}, {"typestr": "|ux"}, {"strides": (1, 2)}, {"strides": "x"}, {"data": 5},
    {"data": (None, False)}, {"shape": (-1, 56, 3)}, {"shape": 4}], ids=str)
def test_malformed_interface(members):
    refuses(wavelane.ArgumentError, "__cuda_array_interface__", wavelane.encode, changed(**members))


@pytest.mark.parametrize("members, words", [
    ({"data": (0, False)}, "no data"), ({"shape": (40,), "strides": None}, "1 dimensions"), ({"shape": (40, 56, 0)}, "no components"), ({"shape": (0, 56, 3)}, "without samples"),
    ({"typestr": "<f8"}, "integers"), ({"typestr": "<i8"}, "integers"), ({"typestr": "|V3"}, "integers"), ({"strides": (0, 0, 0)}, "contiguous"),
    ({"typestr": "<u2", "strides": (5, 3, 1)}, "contiguous"), ({"stream": 0}, "stream"), ({"stream": "a"}, "stream"), ({"stream": True}, "stream")], ids=str)
def test_interface_of_no_picture(members, words):
    refuses(wavelane.Error, words, wavelane.encode, changed(**members))


def test_interface_that_raises():
    class Raising:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("not of this one")

    class Number:
        __cuda_array_interface__ = 5

    refuses(wavelane.ArgumentError, "not of this one", wavelane.encode, Raising())
    refuses(wavelane.ArgumentError, "__cuda_array_interface__", wavelane.encode, Number())


def test_refused_arrays_leave_nothing():
    """The capsule of a tensor that is refused, and its memory, go."""
    for make in (Interface, Tensor):
        pixels = PICTURE.astype(np.float64)
        gone = weakref.ref(pixels)
        refuses(wavelane.ArgumentError, None, wavelane.encode, make(pixels))
        del pixels
        gc.collect()
        assert gone() is None


def test_throughput(tmp_path, monkeypatch):
    monkeypatch.setenv("SOFT_PEAKS", str(tmp_path / "peaks"))
    check_throughput(tmp_path)
    assert int((tmp_path / "peaks").read_text().split()[0]) > 0  # the device has page-locked memory
