# SPDX-License-Identifier: BSD-2-Clause
"""Where bytes go: into bytes objects with and without a copy, and into memory of the caller. What is kept from call to call."""
import gc
import threading

import numpy as np
import pytest
from conftest import draw, refuses, run_threads

import wavelane
from wavelane import _encode, _output, _plan

PICTURE = draw((90, 120, 3))
BYTES = wavelane.encode(PICTURE)
LONG = draw((2200, 2200, 3))  # progress is called after 0.1 s
SETTINGS = [{}, {"container": "jp2", "reversible": False, "bpp": 2}, {"tile": (32, 32), "plt": True, "tlm": True}, {"preset": "iiif-lossless"},
            {"style": "HT"}]


class Idle:
    """Another thread of Python, which waits."""

    def __enter__(self):
        self.end = threading.Event()
        self.thread = threading.Thread(target=self.end.wait)
        self.thread.start()

    def __exit__(self, *raised):
        self.end.set()
        self.thread.join()


@pytest.fixture
def opened(monkeypatch):
    """Outputs that were opened."""
    made = []

    def open_output(context):
        made.append(_output.open_output(context))
        return made[-1]

    monkeypatch.setattr(_encode, "open_output", open_output)
    return made


@pytest.mark.parametrize("settings", SETTINGS)
def test_both_ways_have_the_same_bytes(opened, settings):
    assert threading.active_count() == 1
    data = wavelane.encode(PICTURE, **settings)
    with Idle():
        assert wavelane.encode(PICTURE, **settings) == data
    assert [type(o) for o in opened] == [_output.BytesOutput, _output.MemoryOutput]
    hash(data)
    buffer = bytearray(len(data))
    assert wavelane.encode_into(PICTURE, buffer, **settings) == len(data) and buffer == data


def test_the_library_writes_into_the_object(opened):
    data = wavelane.encode(PICTURE)
    assert opened[0].take() is data and opened[0]._state.written == len(data) == opened[0]._state.bytes


def test_large_picture(opened):
    """Of several waves, whose bytes would leave early."""
    picture = draw((3000, 4000))
    data = wavelane.encode(picture, tile=(512, 512), tlm=True, style="HT", threads=2)
    assert type(opened[0]) is _output.BytesOutput
    with Idle():
        assert wavelane.encode(picture, tile=(512, 512), tlm=True, style="HT", threads=2) == data


def test_failures_of_both_ways():
    def stop(done, total, stage):
        raise KeyError(stage)

    for other in (False, True):
        with Idle() if other else pytest.MonkeyPatch.context():
            refuses(wavelane.InputError, None, wavelane.encode, np.full((8, 8), 300, np.uint16), depth=8)
            refuses(KeyError, None, wavelane.encode, LONG, progress=stop, threads=1)
            assert wavelane.encode(PICTURE) == BYTES


def test_no_memory(monkeypatch):
    def fail(data, count):
        raise MemoryError

    monkeypatch.setattr(_output, "_new_bytes", fail)
    error = refuses(wavelane.OutOfMemoryError, "no memory for the output", wavelane.encode, PICTURE)
    assert isinstance(error, MemoryError)


def test_an_encode_inside_an_encode():
    """progress may encode by itself: its output is another one."""
    inner = []

    def progress(done, total, stage):
        if not inner:
            inner.append(wavelane.encode(PICTURE))

    assert wavelane.encode(LONG, progress=progress, threads=1) == wavelane.encode(LONG) and inner == [BYTES]


@pytest.mark.parametrize("make", [bytearray, lambda n: np.zeros(n, np.uint8), lambda n: np.zeros((n + 3) // 4, np.int32),
                                  lambda n: memoryview(bytearray(n))])
def test_buffers(make):
    buffer = make(len(BYTES) + 40)
    memoryview(buffer).cast("B")[:] = b"\xa5" * memoryview(buffer).nbytes
    for _ in range(2):
        assert wavelane.encode_into(PICTURE, buffer) == len(BYTES)
        content = memoryview(buffer).cast("B")
        assert content[:len(BYTES)] == BYTES and set(content[len(BYTES):]) == {0xA5}


def test_buffers_that_are_too_small():
    for count in (0, 1, len(BYTES) - 1):
        error = refuses(wavelane.SinkError, f"has {count} bytes, and the output has {len(BYTES)}", wavelane.encode_into, PICTURE, bytearray(count))
        assert error.needed == len(BYTES)
    error = refuses(wavelane.InputError, None, wavelane.encode_into, np.full((8, 8), 300, np.uint16), bytearray(1000), depth=8)
    assert error.needed is None


def test_buffers_that_cannot_be_written():
    for wrong in (b"12345", bytes(1000), np.zeros((20, 20), np.uint8)[:, ::2], 7, None, "text", memoryview(bytes(10))):
        refuses(wavelane.ArgumentError, "can be written", wavelane.encode_into, PICTURE, wrong)


def test_bound():
    for settings in SETTINGS:
        bound = wavelane.output_bound(PICTURE.shape, **settings)
        assert wavelane.encode_into(PICTURE, bytearray(bound), **settings) <= bound
    assert wavelane.output_bound((858, 2048, 3), "uint16", preset="dci-2k-24", depth=12) <= 1302083
    noise = np.random.default_rng(3).integers(0, 65536, (64, 64, 3)).astype(np.uint16)
    assert noise.nbytes < wavelane.encode_into(noise, bytearray(wavelane.output_bound(noise.shape, noise.dtype)))
    planes = [(60, 70), (30, 35), (30, 35)]
    assert wavelane.output_bound(planes) > sum(h * w for h, w in planes)
    refuses(wavelane.ParameterError, None, wavelane.output_bound, PICTURE.shape, leevls=3)


def test_progress_and_cancel_into():
    token = wavelane.CancelToken()
    token.cancel()
    refuses(wavelane.Cancelled, None, wavelane.encode_into, PICTURE, bytearray(len(BYTES)), cancel=token)
    refuses(wavelane.Cancelled, None, wavelane.encode_into, LONG, bytearray(LONG.nbytes), progress=lambda *_: True, threads=1)


def test_receive_into():
    frames = [draw((60, 70, 3), seed=n) for n in range(6)]
    wanted = [wavelane.encode(frame) for frame in frames]
    with wavelane.Encoder((60, 70, 3), frames=3) as encoder:
        assert encoder.output_bound == wavelane.output_bound((60, 70, 3)) >= max(map(len, wanted))
        buffer = bytearray(encoder.output_bound)
        for begin in (0, 3):
            for frame in frames[begin:begin + 3]:
                encoder.submit(frame, tag="one")
            for data in wanted[begin:begin + 3]:
                picture = encoder.receive_into(buffer)
                assert picture.data is None and picture.tag == "one" and buffer[:len(picture)] == data
        refuses(TypeError, "receive_into", bytes, picture)
        refuses(TimeoutError, None, encoder.receive_into, buffer, timeout=0.01)
        encoder.end()
        assert encoder.receive_into(buffer) is None


def test_receive_into_a_small_buffer():
    """The picture stays the oldest, until somebody takes it or the encoder goes."""
    frames = [draw((60, 70, 3), seed=n) for n in range(2)]
    wanted = [wavelane.encode(frame) for frame in frames]
    encoder = wavelane.Encoder((60, 70, 3), frames=2)
    for frame in frames:
        encoder.submit(frame)
    for _ in range(2):
        error = refuses(wavelane.SinkError, "larger", encoder.receive_into, bytearray(100))
        assert error.needed == len(wanted[0]) and encoder.in_flight == 2
    refuses(wavelane.ArgumentError, "can be written", encoder.receive_into, bytes(10))
    assert encoder.receive().data == wanted[0]
    refuses(wavelane.SinkError, None, encoder.receive_into, bytearray(100))
    buffer = bytearray(len(wanted[1]))
    assert len(encoder.receive_into(buffer)) == len(buffer) and buffer == wanted[1]
    encoder.submit(frames[0])
    refuses(wavelane.SinkError, None, encoder.receive_into, bytearray(100))
    encoder.close()
    refuses(wavelane.ArgumentError, "closed", encoder.receive_into, buffer)
    lost = wavelane.Encoder((60, 70, 3))
    lost.submit(frames[0])
    refuses(wavelane.SinkError, None, lost.receive_into, bytearray(1))
    del lost
    gc.collect()


def test_a_bad_frame_into_a_buffer():
    with wavelane.Encoder((16, 16), np.uint16, depth=8) as encoder:
        encoder.submit(np.full((16, 16), 1 << 10, np.uint16), tag=5)
        error = refuses(wavelane.InputError, None, encoder.receive_into, bytearray(0))
        assert error.tag == 5 and encoder.in_flight == 0


@pytest.fixture
def plans(monkeypatch):
    """Plans that encode() made."""
    made = []

    class Watched(_plan.Plan):
        def __init__(self, *words):
            made.append(self)
            super().__init__(*words)

    monkeypatch.setattr(_plan, "Plan", Watched)
    monkeypatch.setattr(_plan, "_kept", {})
    return made


def test_plans_are_kept(plans):
    for _ in range(3):
        assert wavelane.encode(PICTURE, levels=3) == wavelane.encode(PICTURE[:], levels=3)
    assert len(plans) == 1
    wavelane.encode_into(PICTURE, bytearray(PICTURE.nbytes), levels=3)
    assert len(plans) == 1


def test_plans_of_other_calls(plans):
    """Values that Python takes for equal are not the same here, and what lives longer than a call is not kept."""
    calls = [{}, {"levels": 1}, {"levels": 2}, {"mct": True}, {"mct": False}, {"depth": 8}, {"depth": [8, 8, 8]}, {"threads": 1}, {"tile": (32, 32)},
             {"preset": "iiif-lossless"}, {"container": "jp2", "xml": "<a/>"}]
    wanted = [bytes(wavelane.encode_picture(PICTURE, context=wavelane.Context(), **{k: v for k, v in c.items() if k != "threads"}).data) for c in calls]
    plans.clear()
    for _ in range(2):  # more than are kept
        assert [wavelane.encode(PICTURE, **call) for call in calls] == wanted
    assert len(plans) == 2 * len(calls) > _plan.KEPT_PLANS == len(_plan._kept)
    wavelane.encode(PICTURE[:50])
    wavelane.encode(PICTURE.astype(np.uint16))
    assert len(plans) == 2 * len(calls) + 2
    plans.clear()
    for kept in ({"context": wavelane.Context()}, {"container": "jp2", "xml": b"<a/>"}, {"levels": np.int64(2)}):
        wavelane.encode(PICTURE, **kept)
        wavelane.encode(PICTURE, **kept)
    assert len(plans) == 6
    refuses(wavelane.ParameterError, None, wavelane.encode, PICTURE, levels="1.0")
    refuses(wavelane.ParameterError, None, wavelane.encode, PICTURE, levels=1.0)
    assert wavelane.encode(PICTURE, levels=1) == wanted[1]


def test_plans_of_many_threads(plans):
    failed = []

    def work(seed):
        order = np.random.default_rng(seed).integers(1, 14, 40)
        for level in order:
            if wavelane.encode(PICTURE[:20, :20], levels=int(level)) != wanted[level]:
                failed.append(level)

    wanted = {n: wavelane.encode(PICTURE[:20, :20], levels=n) for n in range(1, 14)}
    run_threads(work, *((n,) for n in range(4)))
    assert not failed
