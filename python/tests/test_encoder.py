# SPDX-License-Identifier: BSD-2-Clause
"""Encoder: the bytes of encode(), in order, whatever the way they are asked for."""
import asyncio
import gc
import sys
import threading
import weakref

import numpy as np
import pytest
from conftest import draw, refuses

import wavelane

SHAPE = (60, 70, 3)
FRAMES = [draw(SHAPE, seed=n) for n in range(12)]
BYTES = [wavelane.encode(frame) for frame in FRAMES]
LARGE = draw((1200, 1200, 3))


class Frame(np.ndarray):
    """An array that can be watched."""


def test_map():
    with wavelane.Encoder(SHAPE) as encoder:
        assert list(encoder.map(FRAMES)) == BYTES
        assert list(encoder.map(iter(FRAMES[3:5]))) == BYTES[3:5]
        assert list(encoder.map([])) == [] and encoder.in_flight == 0


def test_map_that_is_left():
    with wavelane.Encoder(SHAPE, frames=3) as encoder:
        for data in encoder.map(FRAMES):
            assert data == BYTES[0]
            break
        gc.collect()
        assert encoder.in_flight == 0
        assert list(encoder.map(FRAMES[4:7])) == BYTES[4:7]


def test_map_with_a_bad_frame():
    bad = np.full(SHAPE, 1 << 10, np.uint16)
    good = FRAMES[0].astype(np.uint16)
    with wavelane.Encoder(SHAPE, np.uint16, depth=8) as encoder:
        refuses(wavelane.InputError, None, list, encoder.map([good, good, bad, good, good]))
        assert encoder.in_flight == 0 and list(encoder.map([good])) == BYTES[:1]


@pytest.mark.parametrize("threads", [1, 2, 0])
def test_submit_and_receive(threads):
    with wavelane.Encoder(SHAPE, frames=3, threads=threads) as encoder:
        assert encoder.frames == 3
        refuses(TimeoutError, None, encoder.receive, timeout=0.01)
        for number in range(3):
            encoder.submit(FRAMES[number], tag=("tag", number))
        refuses(wavelane.Busy, None, encoder.submit, FRAMES[3])
        assert encoder.in_flight == 3
        encoder.end()
        pictures = list(encoder)
        assert [p.data for p in pictures] == BYTES[:3] and [p.tag for p in pictures] == [("tag", n) for n in range(3)]
        assert pictures[0].info.backend == "cpu" and encoder.receive() is None


def test_two_threads():
    with wavelane.Encoder(SHAPE, frames=2) as encoder:
        def work():
            for frame in FRAMES * 3:
                encoder.submit(frame, wait=True)
            encoder.end()

        worker = threading.Thread(target=work)
        worker.start()
        assert [p.data for p in encoder] == BYTES * 3
        worker.join()


def test_refused():
    with wavelane.Encoder(SHAPE) as encoder:
        for wrong in (FRAMES[0][1:], FRAMES[0].astype(np.uint16), FRAMES[0].view(np.int8), FRAMES[0][..., 0]):
            refuses(wavelane.ArgumentError, "the encoder was made for 70x60", encoder.submit, wrong)
        encoder.submit(FRAMES[0])
        refuses(wavelane.ArgumentError, "in flight", next, encoder.map(FRAMES))
        assert encoder.receive().data == BYTES[0]
    refuses(wavelane.ArgumentError, "closed", encoder.submit, FRAMES[0])
    encoder.close()
    refuses(wavelane.ParameterError, "nearest", wavelane.Encoder, SHAPE, leevls=2)
    refuses(wavelane.ArgumentError, "integers", wavelane.Encoder, SHAPE, "float64")


def test_formats():
    planes = np.ascontiguousarray(FRAMES[0].transpose(2, 0, 1))
    with wavelane.Encoder(planes.shape, planar=True) as encoder:
        assert list(encoder.map([planes])) == BYTES[:1]
    with wavelane.Encoder([(60, 70), (30, 35), (30, 35)], "uint8") as encoder:
        picture = [planes[0], planes[1, ::2, ::2], planes[2, ::2, ::2]]
        assert list(encoder.map([picture, picture])) == [wavelane.encode(picture)] * 2
    with wavelane.Encoder(shape=(60, 70), dtype=">u2", depth=12) as encoder:
        grey = draw((60, 70), np.uint16, 12)
        assert list(encoder.map([grey, grey.astype(">u2"), grey[::-1]])) == [wavelane.encode(g, depth=12) for g in (grey, grey, grey[::-1])]


def test_pixels_live_as_long_as_needed():
    with wavelane.Encoder(SHAPE, frames=2) as encoder:
        frame = FRAMES[0].view(Frame)
        gone = weakref.ref(frame)
        encoder.submit(frame)
        del frame
        gc.collect()
        assert gone() is not None
        encoder.receive()
        gc.collect()
        assert gone() is None
        frame = FRAMES[0].view(Frame)
        gone = weakref.ref(frame)
        encoder.submit(frame)
        del frame
    gc.collect()
    assert gone() is None


def test_tag_of_a_failed_picture():
    with wavelane.Encoder((8, 8), "uint16", depth=8) as encoder:
        encoder.submit(np.full((8, 8), 256, np.uint16), tag="bad")
        encoder.submit(np.full((8, 8), 255, np.uint16), tag="good")
        error = refuses(wavelane.InputError, None, encoder.receive)
        assert error.tag == "bad" and encoder.receive().tag == "good"


def test_cancel():
    with wavelane.Encoder(LARGE.shape, frames=3) as encoder:
        for number in range(3):
            encoder.submit(LARGE, tag=number)
        encoder.cancel()
        for number in range(3):
            error = refuses(wavelane.Cancelled, None, encoder.receive)
            assert error.tag == number


def test_left_without_close():
    """What is in flight is cancelled when the object goes."""
    for _ in range(3):
        encoder = wavelane.Encoder(LARGE.shape, frames=2)
        encoder.submit(LARGE)
        encoder.submit(LARGE)
        del encoder
        gc.collect()
    count = sys.getrefcount(LARGE)
    gc.collect()
    assert sys.getrefcount(LARGE) == count


def test_close_while_another_thread_waits():
    encoder, seen = wavelane.Encoder(SHAPE), []

    def wait():
        try:
            encoder.receive()
        except wavelane.Error as error:
            seen.append(str(error))

    waiter = threading.Thread(target=wait)
    waiter.start()
    encoder.close()
    waiter.join(10)
    assert not waiter.is_alive() and seen and "closed" in seen[0]


def test_async_map():
    async def some():
        for frame in FRAMES:
            await asyncio.sleep(0)
            yield frame

    async def main():
        async with wavelane.Encoder(SHAPE, frames=2) as encoder:
            assert [data async for data in encoder.map_async(FRAMES)] == BYTES
            assert [data async for data in encoder.map_async(some())] == BYTES
            async for data in encoder.map_async(FRAMES):
                assert data == BYTES[0]
                break
            for _ in range(200):
                if not encoder.in_flight:
                    break
                await asyncio.sleep(0.01)
            assert [data async for data in encoder.map_async(FRAMES[5:8])] == BYTES[5:8]

    asyncio.run(main())


def test_async_tasks():
    async def main():
        async with wavelane.Encoder(SHAPE, frames=2) as encoder:
            async def produce():
                for number, frame in enumerate(FRAMES):
                    await encoder.submit_async(frame, tag=number)
                encoder.end()

            task = asyncio.ensure_future(produce())
            pictures = [picture async for picture in encoder]
            await task
            assert [p.data for p in pictures] == BYTES and [p.tag for p in pictures] == list(range(12))

    asyncio.run(main())


def test_async_receive_that_is_cancelled():
    """No picture is lost with its task."""
    async def main():
        async with wavelane.Encoder(SHAPE, frames=2) as encoder:
            waiting = asyncio.ensure_future(encoder.receive_async())
            await asyncio.sleep(0.05)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            encoder.submit(FRAMES[0])
            encoder.submit(FRAMES[1])
            assert (await encoder.receive_async()).data == BYTES[0]
            assert (await encoder.receive_async()).data == BYTES[1]

    asyncio.run(main())
