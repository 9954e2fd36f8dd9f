# SPDX-License-Identifier: BSD-2-Clause
"""Where the bytes of a picture go: a bytes object, or memory of the caller."""
import ctypes
import threading

from ._context import catch, find_watch
from ._errors import check, make_error, refuse
from ._wavelane import ffi, lib

_new_bytes = ctypes.pythonapi.PyBytes_FromStringAndSize
_new_bytes.restype, _new_bytes.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_ssize_t]
_find_address = ctypes.pythonapi.PyBytes_AsString
_find_address.restype, _find_address.argtypes = ctypes.c_void_p, [ctypes.py_object]


class BytesOutput:
    """A sink that writes into a bytes object, without a copy. The object is made when the library knows how many bytes there are: then it
    takes the interpreter's lock, in the middle of the encode."""

    def __init__(self):
        self._data, self._state = b"", ffi.new("wvl_python_output *")
        self.sink = ffi.new("wvl_sink *", {
            "struct_size": ffi.sizeof("wvl_sink"), "write": ffi.addressof(lib, "wvl_python_write"), "reserve": lib.wvl_python_reserve,
            "user": self._state})

    def reserve(self, count):
        try:
            self._data = _new_bytes(None, count)
        except (MemoryError, OverflowError, SystemError):
            raise make_error(lib.WVL_ERROR_MEMORY, "no memory for the output")
        self._state.data, self._state.bytes = ffi.cast("uint8_t *", _find_address(self._data)), count

    def take(self):
        return self._data

    def close(self):
        """The library closed the sink."""


class MemoryOutput:
    """The library's sink in memory, from which the bytes are copied. The interpreter's lock is not taken before the encode ends."""

    def __init__(self, context):
        self._context, self.sink = context, ffi.new("wvl_sink *")
        check(lib.wvl_sink_open_memory(context.pointer, self.sink), lib.wvl_context_error(context.pointer))

    def take(self):
        data, count = ffi.new("void **"), ffi.new("size_t *")
        check(lib.wvl_sink_take_memory(self.sink, data, count))
        try:
            return ffi.buffer(data[0], count[0])[:]
        finally:
            lib.wvl_memory_release(self._context.pointer, data[0], count[0])

    def close(self):
        lib.wvl_sink_discard(self.sink)


def open_output(context):
    """Where other threads run Python, the interpreter's lock may come 5 ms late (sys.getswitchinterval()), which is more than a copy costs."""
    return BytesOutput() if threading.active_count() == 1 else MemoryOutput(context)


@ffi.def_extern(error=1, onerror=catch)
def wvl_python_reserve(output, count):
    find_watch().output.reserve(count)
    return 0


def view_buffer(buffer):
    """The memory of an object that may be written; len() is its number of bytes."""
    try:
        return ffi.from_buffer("uint8_t[]", buffer, require_writable=True)
    except (TypeError, ValueError, BufferError) as error:
        refuse(f"not memory that can be written, in one piece: {error}")
