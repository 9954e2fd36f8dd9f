# SPDX-License-Identifier: BSD-2-Clause
"""Pictures in flight."""
import asyncio
import collections
import collections.abc
import concurrent.futures
import itertools
import os
import threading
import time

import numpy as np

from ._context import own
from ._encode import Info, Picture
from ._errors import Busy, Error, check, make_error, refuse, refusing, text_of
from ._output import view_buffer
from ._pixels import Pixels, check_count
from ._plan import Plan
from ._wavelane import ffi, lib

SLICE_MS = 100  # how long a wait goes without a look at signals and at close()


def output_bound(shape, dtype="uint8", *, planar=False, **keywords):
    """Most bytes that encode() gives for any array of that shape and type; keywords as for Encoder. It is a proof, not an estimate: for lossless
    pictures mostly several times what they take."""
    return Plan(_make_layout(shape, dtype, planar), keywords).measure().output_bytes_bound


@refusing("shape or dtype")
def _make_layout(shape, dtype, planar):
    """As Pixels.layout, of arrays that are still to come."""
    shapes = shape if isinstance(shape[0], (list, tuple)) else [shape]
    check_count(sum(_count_planes(s, planar) for s in shapes))
    shapes = [tuple(s) if len(s) == 2 else (s[1:] if planar else s[:2]) for s in shapes for _ in range(_count_planes(s, planar))]
    dtypes = list(dtype) if isinstance(dtype, (list, tuple)) else [dtype] * len(shapes)
    if len(dtypes) != len(shapes):
        refuse(f"{len(dtypes)} types for {len(shapes)} components")
    kinds = [np.dtype(d) for d in dtypes]
    return tuple(tuple(int(n) for n in s) for s in shapes), tuple((d.kind, d.itemsize) for d in kinds)


def _count_planes(shape, planar):
    if len(shape) not in (2, 3):
        refuse(f"a shape of {len(shape)} dimensions: give (height, width) or (height, width, components)")
    return 1 if len(shape) == 2 else shape[0 if planar else 2]


class _Flight:
    """The wvl_encoder with what its pictures in flight need. Its release waits for them, so it goes before they do."""

    def __init__(self, plan, frames):
        place = ffi.new("wvl_encoder **")
        with refusing("frames"):
            status = lib.wvl_encoder_create(plan.pointer, frames, place)
        check(status, lib.wvl_context_error(plan.context.pointer) if status != lib.WVL_ERROR_ARGUMENT else ffi.NULL)
        self.frames = {}  # number -> (Pixels, tag)
        self.refused = refused = []  # the oldest picture, if it was received and the caller's buffer was too small

        def release(encoder):
            for made in refused:
                lib.wvl_encoded_picture_release(made)
            lib.wvl_encoder_release(encoder)

        self.pointer = own(place[0], release, plan, self.frames)
        self._releasing = threading.RLock()  # re-entered where a collection happens inside

    def release_picture(self, made):
        """One at a time, as the library asks for."""
        with self._releasing:
            lib.wvl_encoded_picture_release(made)


class Encoder:
    """Encodes pictures of one shape and type, several at a time, and gives them out in the order in which they were submitted.

    shape: (height, width), (height, width, components), (components, height, width) with planar=True, or a list of (height, width).
    dtype: of the arrays, or one for each component. frames: pictures in flight, 1 to 1024; 0: the library chooses.
    Further keywords: those of encode() but cancel, progress and stream.

    An array that was submitted must not change until its picture was received; it is kept alive until then, on a device too.
    Several threads may submit, receive, end and cancel at the same time. Use it with `with` or `async with`: the end of the block
    cancels what is in flight and frees the memory."""

    def __init__(self, shape, dtype="uint8", *, frames=0, planar=False, **keywords):
        self.planar = planar
        self._plan = Plan(_make_layout(shape, dtype, planar), keywords)
        self._flight = _Flight(self._plan, frames)
        self._numbers, self._process = itertools.count(1), os.getpid()
        self._submitting, self._receiving, self._room = threading.Lock(), threading.Lock(), threading.Condition()
        self._closing = False
        self._threads, self._kept = None, collections.deque()  # of asynchronous methods: threads, and results whose task was cancelled

    # ---- One thread or several ----

    @property
    def frames(self):
        """Pictures in flight that there is memory for."""
        return lib.wvl_encoder_frames(self._use())

    @property
    def output_bound(self):
        """Most bytes that a picture takes. It is a proof, not an estimate: for lossless pictures mostly several times what they take."""
        return self._plan.measure().output_bytes_bound

    @property
    def in_flight(self):
        """Pictures that were submitted and not yet received."""
        return len(self._flight.frames)

    def _use(self):
        if os.getpid() != self._process:
            refuse("the encoder was made before a fork: make one in each process")
        if self._closing:
            refuse("the encoder is closed")
        return self._flight.pointer

    def submit(self, array, /, *, tag=None, stream=None, wait=False):
        """Begins to encode a picture, and returns at once. If every place is taken it raises Busy, or waits until another thread receives
        (wait=True). tag comes back with the picture. stream: as for encode()."""
        pixels = Pixels(array, self.planar, stream)
        self._plan.check_pixels(pixels)
        while not self._try_submit(pixels, tag):
            if not wait:
                raise make_error(lib.WVL_AGAIN, "every place of the encoder is taken: receive a picture first")
            self._wait_for_room()

    def _try_submit(self, pixels, tag):
        with self._submitting:
            encoder, number = self._use(), next(self._numbers)
            self._flight.frames[number] = pixels, tag  # before the call: it may be received at once
            status = lib.wvl_encoder_submit(encoder, pixels.image, ffi.NULL, ffi.cast("void *", number))
            if status != lib.WVL_OK:
                del self._flight.frames[number]
        if status not in (lib.WVL_OK, lib.WVL_AGAIN):
            raise make_error(status)
        return status == lib.WVL_OK

    def receive(self, timeout=None):
        """The oldest picture: a Picture, or None if end() was called and all were received. A picture that failed raises its Error,
        with the picture's tag. timeout: seconds; TimeoutError when they have passed."""
        return self._receive(timeout, None)

    def receive_into(self, buffer, /, timeout=None):
        """As receive(), with the bytes in memory of the caller that can be used again: a bytearray, a NumPy array or anything else that can be
        written and is in one piece. `data` is None; len(picture) says how many bytes of the buffer the picture takes. A buffer that is too small raises SinkError, whose `needed` is the number of bytes; the picture stays the oldest. One of output_bound
        bytes never is."""
        return self._receive(timeout, view_buffer(buffer))

    def _receive(self, timeout, buffer):
        with refusing("timeout"):
            seconds = None if timeout is None else min(max(float(timeout), 0), threading.TIMEOUT_MAX)
        until = None if seconds is None else time.monotonic() + seconds
        if not self._receiving.acquire(timeout=-1 if seconds is None else seconds):
            raise TimeoutError("no picture in that time")
        try:
            made = self._wait_for_oldest(until)
            if made is None:
                return None
            if buffer is not None:
                self._check_buffer(made, buffer)
            return self._take(made, buffer)
        finally:
            self._receiving.release()
            with self._room:
                self._room.notify_all()

    def _wait_for_oldest(self, until):
        """A wvl_encoded_picture, or None at the end."""
        if self._use() and self._flight.refused:
            return self._flight.refused.pop()
        place = ffi.new("wvl_encoded_picture **")
        status = lib.WVL_AGAIN
        while status == lib.WVL_AGAIN:
            rest = SLICE_MS if until is None else min(SLICE_MS, int(1000 * (until - time.monotonic())))
            status = lib.wvl_encoder_receive(self._use(), max(rest, 0), place)
            if status == lib.WVL_AGAIN and rest <= 0:
                raise TimeoutError("no picture in that time")
        return place[0] if status != lib.WVL_END else None

    def _check_buffer(self, made, buffer):
        """Keeps a picture whose bytes the buffer cannot take."""
        if lib.wvl_encoded_picture_status(made) != lib.WVL_OK:
            return
        count = lib.wvl_result_bytes(lib.wvl_encoded_picture_result(made))
        on_device = lib.wvl_encoded_picture_memory(made) == lib.WVL_MEMORY_DEVICE
        if not on_device and count <= len(buffer):
            return
        self._flight.refused.append(made)
        if on_device:
            refuse("the bytes lie on a device: take them with receive()")
        raise make_error(lib.WVL_ERROR_SINK, f"the buffer has {len(buffer)} bytes, and the picture has {count}: give a larger one", count)

    def _take(self, made, buffer):
        """The Picture of a wvl_encoded_picture, which it releases unless its bytes lie on a device. buffer: for its bytes; None: make some."""
        number = int(ffi.cast("uintptr_t", lib.wvl_encoded_picture_user(made)))
        tag = self._flight.frames.pop(number)[1]
        status, on_device = lib.wvl_encoded_picture_status(made), False
        try:
            if status != lib.WVL_OK:
                error = make_error(status, text_of(lib.wvl_encoded_picture_error(made)))
                error.tag = tag
                raise error
            count = ffi.new("size_t *")
            data = lib.wvl_encoded_picture_data(made, count)
            info = Info(lib.wvl_encoded_picture_result(made))
            on_device = lib.wvl_encoded_picture_memory(made) == lib.WVL_MEMORY_DEVICE
            if buffer is not None:
                ffi.memmove(buffer, data, count[0])
                return Picture(None, info, tag)
            if not on_device:
                return Picture(ffi.buffer(data, count[0])[:], info, tag)
            owner = own(made, self._flight.release_picture, self._flight)
            return Picture(None, info, tag, (int(ffi.cast("uintptr_t", data)), owner))
        finally:
            if not on_device:
                self._flight.release_picture(made)

    def end(self):
        """No more pictures will be submitted."""
        lib.wvl_encoder_end(self._use())

    def cancel(self):
        """Pictures in flight, and any later ones, end with Cancelled."""
        lib.wvl_encoder_cancel(self._use())

    def close(self):
        """Cancels what is in flight, and frees the memory. A second call does nothing."""
        if self._closing or os.getpid() != self._process:
            return
        lib.wvl_encoder_cancel(self._flight.pointer)
        self._closing = True
        with self._submitting, self._receiving:
            ffi.release(self._flight.pointer)
            self._flight.frames.clear()
        if self._threads is not None:
            self._threads.shutdown(wait=False)

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.close()

    def __iter__(self):
        """Pictures as they are received, up to the last one after end()."""
        return iter(self.receive, None)

    def map(self, arrays, /, *, stream=None):
        """Yields the bytes of each array's picture, in order, while later ones are coded. The encoder must have no other pictures."""
        self._check_empty()
        try:
            for array in arrays:
                while not self._submit_or_not(array, stream):
                    yield self._bytes_of(self.receive())
            while self.in_flight:
                yield self._bytes_of(self.receive())
        finally:
            self._drop()

    def _check_empty(self):
        if self.in_flight:
            refuse("the encoder has pictures in flight: receive them before map()")

    def _submit_or_not(self, array, stream):
        try:
            self.submit(array, stream=stream)
        except Busy:
            return False
        return True

    @staticmethod
    def _bytes_of(picture):
        return picture if picture.data is None else picture.data

    def _drop(self):
        """Receives pictures that nobody wants any more."""
        while self._kept:
            concurrent.futures.wait([self._kept.popleft()])
        while self.in_flight and not self._closing:
            try:
                self.receive()
            except Error:  # it is dropped whatever became of it
                pass

    # ---- asyncio ----

    def _start(self, function, *arguments):
        """A future of the encoder's own threads, so that its waits do not hold up those of other code."""
        if self._threads is None:
            self._threads = concurrent.futures.ThreadPoolExecutor(4, "wavelane")
        return self._threads.submit(function, *arguments)

    async def submit_async(self, array, /, *, tag=None, stream=None):
        """As submit(), and waits until there is a place."""
        while True:
            try:
                return self.submit(array, tag=tag, stream=stream)
            except Busy:
                await asyncio.wrap_future(self._start(self._wait_for_room))

    def _wait_for_room(self):
        with self._room:
            self._room.wait(SLICE_MS / 1000)

    async def receive_async(self):
        """As receive(). If the task is cancelled, the picture is kept for the next call."""
        pending = self._kept.popleft() if self._kept else self._start(self.receive)
        try:
            return await asyncio.shield(asyncio.wrap_future(pending))
        except asyncio.CancelledError:
            self._kept.append(pending)
            raise

    def __aiter__(self):
        return self

    async def __anext__(self):
        picture = await self.receive_async()
        if picture is None:
            raise StopAsyncIteration
        return picture

    async def map_async(self, arrays, /, *, stream=None):
        """As map(): `async for data in encoder.map_async(arrays)`. arrays may be an asynchronous iterator."""
        self._check_empty()
        try:
            async for array in _iterate(arrays):
                while not self._submit_or_not(array, stream):
                    yield self._bytes_of(await self.receive_async())
            while self.in_flight:
                yield self._bytes_of(await self.receive_async())
        finally:
            if (self.in_flight or self._kept) and not self._closing:
                await asyncio.wrap_future(self._start(self._drop))

    async def __aenter__(self):
        return self

    async def __aexit__(self, *raised):
        await asyncio.get_running_loop().run_in_executor(None, self.close)


async def _iterate(arrays):
    if isinstance(arrays, collections.abc.AsyncIterable):
        async for array in arrays:
            yield array
    else:
        for array in arrays:
            yield array
