# SPDX-License-Identifier: BSD-2-Clause
"""Arrays of CuPy and PyTorch on a GPU (docs/python.md, "Pixels on a device", says how to run it), and the same with a stand-in on the software device: the bytes
of NumPy's arrays on the CPU, no pixel by way of the host, streams, and lifetimes.

Two witnesses say that pixels are not copied: the library's trace has no upload, and the bytes that PyTorch's profiler sees on their way to the device."""
import gc
import json
import os
import time

import numpy as np
import pytest
from conftest import draw, refuses, trace
from producers import LATE_SECONDS, PRODUCERS, OnlyInterface, StandIn

import wavelane

SHAPE = (96, 128, 3) if os.environ.get("WVL_CUDA_IMAGE") == "soft" else (384, 512, 3)
OPTIONS = {"part1": {}, "ht": {"style": "HT"}, "rate": {"reversible": False, "bpp": 2}, "waves": {"style": "HT", "packed_headers": "ppt"}}


@pytest.fixture(params=PRODUCERS, ids=lambda p: p.name)
def producer(request):
    made = request.param()
    if not isinstance(made, StandIn) and not wavelane.devices():
        pytest.skip("no device that this build can use")
    return made


def encode_here(array, **options):
    return wavelane.encode(np.ascontiguousarray(array), device="cpu", **options)


def encode_there(array, **options):
    """The bytes; no pixel came from the host."""
    spans, context = trace()
    made = wavelane.encode_picture(array, context=context, device="cuda-only", **options)
    assert made.info.backend.startswith("cuda:")
    assert "kernels" in spans and "upload" not in spans
    return made.data


# ---- Pixels ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("dtype, depth", [(np.uint8, 8), (np.uint16, 12), (np.uint16, 16)])
def test_types(producer, dtype, depth, options):
    for shape in (SHAPE, SHAPE[:2]):
        pixels = draw(shape, dtype, depth)
        assert encode_there(producer.put(pixels), depth=depth, **options) == encode_here(pixels, depth=depth, **options)


PLACES = {"whole": np.s_[:], "window": np.s_[5:-4, 7:-9], "each second column": np.s_[:, ::2], "each third row": np.s_[::3], "one component": np.s_[..., 1],
          "two components": np.s_[..., 1:]}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_views(producer, dtype, place):
    pixels = draw(SHAPE, dtype)
    there = producer.cut(producer.put(pixels), place)
    wanted = encode_here(pixels[place])
    assert encode_there(there) == wanted
    assert encode_there(OnlyInterface(there)) == wanted


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_planes(producer, options):
    pixels = draw(SHAPE, np.uint16, 10)
    wanted = encode_here(pixels, depth=10, **options)
    planes = np.ascontiguousarray(pixels.transpose(2, 0, 1))
    assert encode_there(producer.put(planes), planar=True, depth=10, **options) == wanted
    assert encode_there([producer.put(p) for p in planes], depth=10, **options) == wanted
    subsampled = [pixels[..., 0], pixels[::2, ::2, 1], pixels[::2, ::2, 2]]
    wanted = wavelane.encode([np.ascontiguousarray(p) for p in subsampled], device="cpu", depth=10, **options)
    assert encode_there([producer.put(np.ascontiguousarray(p)) for p in subsampled], depth=10, **options) == wanted


def test_rows_upside_down(producer):
    if producer.name == "torch":
        pytest.skip("PyTorch has no negative strides")
    pixels = draw(SHAPE)
    there = producer.put(pixels)
    assert encode_there(producer.cut(there, np.s_[::-1])) == encode_here(pixels[::-1])
    refuses(wavelane.ArgumentError, "contiguous", wavelane.encode, producer.cut(there, np.s_[:, ::-1]))


def test_second_device():
    devices = wavelane.devices() if os.environ.get("WVL_CUDA_IMAGE") != "soft" else []
    if len(devices) < 2:
        pytest.skip("needs two GPUs")
    torch = pytest.importorskip("torch")
    pixels = draw(SHAPE)
    made = wavelane.encode_picture(torch.from_numpy(pixels).cuda(1))
    assert made.data == encode_here(pixels) and made.info.backend.startswith("cuda:1")


# ---- Streams ---------------------------------------------------------------------------------------------------------------


def test_stream_is_named(producer):
    """The pixels are written on another stream, after long work: submit does not wait for it, the encode does."""
    pixels = draw(SHAPE)
    for wrap in (lambda array: array, OnlyInterface):
        with wavelane.Encoder(SHAPE, device="cuda-only", style="HT") as encoder:
            encoder.submit(producer.put(pixels))
            encoder.receive()  # the first picture takes memory and loads kernels
            stream = producer.stream()
            there = producer.late(stream, pixels)
            assert producer.is_busy(stream) is not False, "the work on the stream was too short for this test"
            encoder.submit(wrap(there), stream=producer.handle(stream))
            assert producer.is_busy(stream) is not False, "submit has waited for the stream"
            assert encoder.receive().data == encode_here(pixels, style="HT")
            assert not producer.is_busy(stream)


def test_current_stream(producer):
    """Nobody names a stream: the producer has a current one, and says so."""
    pixels = draw(SHAPE)
    stream = producer.stream()
    with producer.within(stream):
        there = producer.late(stream, pixels)
        assert producer.is_busy(stream) is not False
        assert encode_there(there) == encode_here(pixels)


def test_interface_names_its_stream(producer):
    if producer.name == "torch":
        pytest.skip("PyTorch's interface names no stream")
    pixels = draw(SHAPE)
    stream = producer.stream()
    with producer.within(stream):
        there = producer.late(stream, pixels)
        assert encode_there(OnlyInterface(there)) == encode_here(pixels)


def test_planes_of_two_streams(producer):
    pixels = draw(SHAPE[:2] + (2,))
    planes, streams = [], [producer.stream(), producer.stream()]
    for c, stream in enumerate(streams):
        with producer.within(stream):
            planes.append(producer.late(stream, np.ascontiguousarray(pixels[..., c])))
            if producer.name != "stand-in":
                stream.synchronize()  # the current stream is another one when the encode asks
    assert encode_there(planes) == encode_here(pixels)


def test_no_wait(producer):
    pixels = draw(SHAPE)
    there = producer.put(pixels)  # complete
    assert encode_there(there, stream=-1) == encode_here(pixels)
    assert encode_there(there, stream=1) == encode_here(pixels)
    with pytest.raises(wavelane.ArgumentError, match="stream"):
        wavelane.encode(there, stream=0)  # the handle that CuPy and PyTorch give for the legacy default stream, which the standard calls 1


def test_per_thread_default_stream(producer):
    if producer.name != "cupy":
        pytest.skip("CuPy alone has arrays of that stream")
    pixels = draw(SHAPE)
    stream = producer.cupy.cuda.Stream.ptds
    assert encode_there(producer.late(stream, pixels), stream=2) == encode_here(pixels)


def test_producers_go_on(producer):
    """The library's contexts and streams do not disturb the producer's."""
    pixels = draw(SHAPE)
    there = producer.put(pixels)
    for _ in range(3):
        assert encode_there(there) == encode_here(pixels)
        again = producer.put(pixels)
        assert encode_there(again, style="HT") == encode_here(pixels, style="HT")


# ---- Lifetimes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("late", [False, True], ids=["complete", "to be written"])
def test_freed_after_submit(producer, late):
    """The array goes right after submit, and others of its size come: they get other memory, and nobody writes there. After receive it is free."""
    frames = [draw(SHAPE, seed=n) for n in range(6)]
    noise = draw(SHAPE, seed=99)
    with wavelane.Encoder(SHAPE, device="cuda-only", frames=6) as encoder:
        encoder.submit(producer.put(noise))
        encoder.receive()
        gc.collect()
        before = producer.used_bytes()
        others = []
        for frame in frames:
            stream = producer.stream()
            there = producer.late(stream, frame) if late else producer.put(frame)
            encoder.submit(there, stream=producer.handle(stream))
            del there, stream
            gc.collect()
            others.append(producer.put(noise))
        for frame in frames:
            assert encoder.receive().data == encode_here(frame)
        for other in others:
            assert (producer.read(other) == noise).all()
        del other, others
        producer.kept.clear()
        gc.collect()
        assert producer.used_bytes() <= before


def test_freed_before_encode_returns(producer):
    pixels = draw(SHAPE)
    before = producer.used_bytes()
    assert encode_there(producer.put(pixels)) == encode_here(pixels)
    gc.collect()
    assert producer.used_bytes() <= before


# ---- Pictures in flight ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_pictures_in_flight(producer, options):
    frames = [draw(SHAPE, np.uint16, 12, seed=n) for n in range(24)]
    wanted = [encode_here(f, depth=12, **options) for f in frames]
    spans, context = trace()
    with wavelane.Encoder(SHAPE, "uint16", depth=12, device="cuda-only", context=context, **options) as encoder:
        made = list(encoder.map(producer.put(f) for f in frames))
    assert made == wanted and "kernels" in spans and "upload" not in spans


def test_bytes_that_stay_there(producer):
    frames = [draw(SHAPE, seed=n) for n in range(8)]
    with wavelane.Encoder(SHAPE, device="cuda-only", output_memory="device", style="HT") as encoder:
        made = list(encoder.map(producer.put(f) for f in frames))
    for picture, frame in zip(made, frames):
        wanted = encode_here(frame, style="HT")
        assert picture.data is None and len(picture) == len(wanted)
        assert producer.get(picture) == wanted


# ---- The bus ---------------------------------------------------------------------------------------------------------------


def count_copies(work, path):
    """Bytes that went to the device and came from it while work() ran, of all streams of the process, as the driver says."""
    torch = pytest.importorskip("torch")
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]) as profile:
        work()
        torch.cuda.synchronize()
    profile.export_chrome_trace(str(path))
    events = [e for e in json.loads(path.read_text())["traceEvents"] if e.get("cat") == "gpu_memcpy"]
    return tuple(sum(e["args"]["bytes"] for e in events if way in e["name"]) for way in ("HtoD", "DtoH"))


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_bus(producer, options, tmp_path):
    if producer.name == "stand-in":
        pytest.skip("test_device.py counts the uploads of the software device")
    pixels = draw((2160, 4096, 3))
    there, data = producer.put(pixels), []
    with wavelane.Encoder(pixels.shape, device="cuda-only", frames=2, **options) as encoder:
        def encode(array):
            encoder.submit(array)
            data.append(encoder.receive().data)
        for array in (there, pixels):
            encode(array)  # memory and tables of the plan
        up, down = count_copies(lambda: encode(pixels), tmp_path / "host.json")
        if not up:
            pytest.skip("the profiler sees no copies of other streams")
        assert up >= pixels.nbytes, "the witness does not see what it should"
        up, down = count_copies(lambda: encode(there), tmp_path / "device.json")
    print(f"{pixels.nbytes} bytes of pixels: {up} to the device, {down} from it, {len(data[0])} in the picture")
    assert up < pixels.nbytes / 4  # tables
    assert len(set(data)) == 1 and data[0] == encode_here(pixels, **options)


def test_submit_is_short(producer):
    """Nothing of the picture's work is done before submit returns: the host neither copies pixels nor waits."""
    pixels = draw(SHAPE)
    with wavelane.Encoder(SHAPE, device="cuda-only", frames=2, style="HT") as encoder:
        for _ in range(2):
            encoder.submit(producer.put(pixels))
            encoder.receive()
        there = producer.put(pixels)
        begin = time.monotonic()
        encoder.submit(there)
        assert time.monotonic() - begin < LATE_SECONDS
        assert encoder.receive().data == encode_here(pixels, style="HT")
