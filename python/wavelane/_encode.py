# SPDX-License-Identifier: BSD-2-Clause
"""One picture at a time."""
import asyncio
import os

from ._context import STAGES, CancelToken, Watch
from ._errors import check, check_instance, make_error, refusing, text_of, to_c_text
from ._output import open_output, view_buffer
from ._pixels import Pixels
from ._plan import ERROR_BYTES, fetch_plan, split_keywords
from ._wavelane import ffi, lib

CALL_KEYWORDS = ("planar", "stream", "cancel", "progress")


class Layer:
    """What is known of a quality layer: `bytes` of the codestream up to it, its `psnr` in dB, and whether that was `measured`."""

    __slots__ = ("bytes", "psnr", "measured")

    def __init__(self, result, index):
        self.bytes = lib.wvl_result_layer_bytes(result, index)
        self.psnr = lib.wvl_result_layer_psnr(result, index)
        self.measured = bool(lib.wvl_result_layer_is_measured(result, index))

    def __repr__(self):
        return f"Layer(bytes={self.bytes}, psnr={self.psnr}, measured={self.measured})"


class Info:
    """What became of a picture: `bytes` of the output, `backend` ("cpu", "cuda:0 packets", ...), `seconds` of each stage, `layers`."""

    __slots__ = ("bytes", "backend", "seconds", "layers")

    def __init__(self, result):
        self.bytes = lib.wvl_result_bytes(result)
        self.backend = text_of(lib.wvl_result_backend(result))
        self.seconds = {name: lib.wvl_result_seconds(result, stage) for stage, name in enumerate(STAGES)}
        self.layers = [Layer(result, i) for i in range(lib.wvl_result_layer_count(result))]

    def __repr__(self):
        return f"Info(bytes={self.bytes}, backend={self.backend!r}, layers={self.layers})"


class Picture:
    """A finished picture: `data` (bytes; None if receive_into() put them elsewhere), `info`, and the `tag` that it was submitted with.

    With output_memory="device" the bytes stay on the device: data is None, and __cuda_array_interface__ shows them while the object lives."""

    def __init__(self, data, info, tag=None, memory=None):
        self.data, self.info, self.tag = data, info, tag
        self._memory = memory  # (address, owner) on a device

    def __bytes__(self):
        if self.data is None:
            raise TypeError("the bytes lie on a device, or in the buffer of receive_into(): data is None")
        return self.data

    def __len__(self):
        return self.info.bytes

    @property
    def __cuda_array_interface__(self):
        if self._memory is None:
            raise AttributeError("the bytes lie on the host: read data")
        return {"shape": (self.info.bytes,), "typestr": "|u1", "data": (self._memory[0], False), "strides": None, "version": 3, "stream": None}


def _prepare(array, keywords, path=None):
    """(keywords of the call, Pixels, Plan)"""
    call, rest = split_keywords(keywords, CALL_KEYWORDS)
    pixels = Pixels(array, call.get("planar", False), call.get("stream"))
    return call, pixels, fetch_plan(pixels.layout, rest, path)


def _run(plan, pixels, sink, call, output=None):
    """wvl_encode() into a sink; the Info."""
    text, place = ffi.new("char[]", ERROR_BYTES), ffi.new("wvl_result **")
    with Watch(call.get("progress"), call.get("cancel"), output) as watch:
        status = lib.wvl_encode(plan.pointer, pixels.image, sink, watch.control, place, text, ERROR_BYTES)
    result = ffi.gc(place[0], lib.wvl_result_release)
    if watch.error is not None:
        raise watch.error
    check(status, text)
    return Info(result)


def encode_picture(array, /, **keywords):
    """As encode(), with what is known of the result: a Picture."""
    call, pixels, plan = _prepare(array, keywords)
    output = open_output(plan.context)
    try:
        info = _run(plan, pixels, output.sink, call, output)
        return Picture(output.take(), info)
    finally:
        output.close()


def encode(array, /, **keywords):
    """Encodes one picture and returns its bytes.

    array: (height, width), (height, width, components), (components, height, width) with planar=True, or a list of (height, width)
    arrays that may be subsampled. Integers of 8, 16 or 32 bits, or bool. Anything with the buffer protocol, __array_interface__,
    DLPack or __cuda_array_interface__. Rows and samples are read where they lie; only samples that run backwards are copied.

    depth: significant bits, one number or one for each component; default: those of the type.
    subsampling: (dx, dy) for each component; default: found from the sizes of the planes, by 1, 2 or 4.
    offset: (x, y) of the picture on the reference grid. planar: see array.
    preset: a preset's name, as "dci-2k-24"; options that are given go before it.
    color ("srgb", "grey", "sycc", "auto"), icc (bytes), alpha (True or "premultiplied": the last component), resolution and
    display_resolution (samples per metre, a number or (x, y)), xml, boxes ([("xml", content), (uuid, content), ...]), palette
    (an array of (entries, columns)), palette_depth, color_unknown: of JP2 and JPH files (container="jp2" or "jph").
    threads: 0 is one for each processor. context: a Context, in place of threads.
    cancel: a CancelToken. progress: called as progress(done, total, stage), about ten times a second; a true answer cancels.
    stream: for pixels on a device, the stream that they were written on, as in the array API standard: 1 the legacy default stream,
    2 the per-thread default stream, a stream's handle, -1 no wait. The encode waits for what was queued there before the call; the
    host does not. Default: the stream that __cuda_array_interface__ names; for DLPack the legacy default stream.
    All others are options of the library: options() lists them. The array must not change during the call; it is kept alive.

    Raises a subclass of Error with the library's text. Other threads run during the encode. Ctrl-C ends it."""
    return encode_picture(array, **keywords).data


def encode_into(array, buffer, /, **keywords):
    """As encode(), into memory of the caller that can be used again: a bytearray, a NumPy array or anything else that can be written and is
    in one piece. Returns the number of bytes; what lies behind them stays as it is.

    A buffer that is too small raises SinkError, whose `needed` is the number of bytes. One of output_bound() bytes never is."""
    call, pixels, plan = _prepare(array, keywords)
    place, count, text = view_buffer(buffer), ffi.new("size_t *"), ffi.new("char[]", ERROR_BYTES)
    with Watch(call.get("progress"), call.get("cancel")) as watch:
        status = lib.wvl_encode_to_buffer(
            plan.pointer, pixels.image, watch.control, place, len(place), count, ffi.NULL, text, ERROR_BYTES)
    if watch.error is not None:
        raise watch.error
    check(status, text, count[0] or None)
    return count[0]


def _open_file(context, name, overwrite):
    """A wvl_sink."""
    sink = ffi.new("wvl_sink *")
    status = lib.wvl_sink_open_file(context.pointer, name, int(bool(overwrite)), sink)
    if status == lib.WVL_ERROR_SINK and not overwrite and os.path.lexists(name):
        raise make_error(status, f"{text_of(lib.wvl_context_error(context.pointer))}; overwrite=True replaces it")
    check(status, lib.wvl_context_error(context.pointer))
    return sink


def encode_file(path, array, /, *, overwrite=False, **keywords):
    """As encode(), into a file that appears complete or not at all. The extension says the container (.jph and .jhc: HT blocks).
    A file that exists is not replaced (SinkError), unless overwrite is True. Returns the Info."""
    with refusing("path"):
        name = to_c_text("path", os.fsencode(path))
    call, pixels, plan = _prepare(array, keywords, os.fsdecode(name))
    sink = _open_file(plan.context, name, overwrite)
    try:
        return _run(plan, pixels, sink, call)
    finally:
        lib.wvl_sink_discard(sink)


async def encode_async(array, /, **keywords):
    """As encode(), in a thread: await it. If the task is cancelled, so is the encode, and the pixels are free when CancelledError arrives."""
    token = keywords["cancel"] = CancelToken() if keywords.get("cancel") is None else keywords["cancel"]
    check_instance("cancel", token, CancelToken)
    work = asyncio.get_running_loop().run_in_executor(None, lambda: encode(array, **keywords))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        token.cancel()
        await asyncio.wait([work])
        work.exception()
        raise
