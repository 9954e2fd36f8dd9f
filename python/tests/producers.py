# SPDX-License-Identifier: BSD-2-Clause
"""What makes arrays on a device: CuPy, PyTorch, and stand-ins for both on the device made of software, where device memory is memory of the host.

late() gives an array whose pixels a stream writes after long work; what they are copied from stays in `kept`.
Nothing here waits for a whole device: CUDA refuses that while the library records a graph (D-device-09)."""
import contextlib
import ctypes
import os

import pytest

CUDA, MANAGED = 2, 13
LATE_SECONDS = 0.15  # of work on a stream in front of pixels that are written late
CYCLES = int(LATE_SECONDS * 2e9)

# ---- The device made of software --------------------------------------------------------------------------------------------


class Interface:
    """As of CuPy and Numba: __cuda_array_interface__."""

    def __init__(self, array, stream=None, strides=True):
        self.array = array
        self.__cuda_array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, "data": (array.ctypes.data, False), "version": 3,
                                         "strides": array.strides if strides else None, "stream": stream}


class Tensor:
    """As of PyTorch: DLPack. It gives out numpy's capsule with another type of device."""

    def __init__(self, array, kind=CUDA, device=0):
        self.array, self.kind, self.device, self.streams = array, kind, device, []

    def __dlpack_device__(self):
        return self.kind, self.device

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        return set_device(self.array.__dlpack__(), self.kind, self.device)


def set_device(capsule, kind, device):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    words = ctypes.cast(get(capsule, b"dltensor"), ctypes.POINTER(ctypes.c_int32))
    words[2], words[3] = kind, device  # after the pointer to the data
    return capsule


class Driver:
    """The calls by which a program would fill pixels on a stream."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.stream = ctypes.c_void_p()
        assert self.library.cuStreamCreate(ctypes.byref(self.stream), 1) == 0

    def copy(self, to, source):
        """Queued: the software driver does it when the stream is waited for."""
        assert self.library.cuMemcpyHtoDAsync_v2(ctypes.c_uint64(to.ctypes.data), ctypes.c_void_p(source.ctypes.data),
                                                 ctypes.c_size_t(to.nbytes), self.stream) == 0

    def __del__(self):
        self.library.cuStreamDestroy_v2(self.stream)


# ---- Producers --------------------------------------------------------------------------------------------------------------


class OnlyInterface:
    """An array that shows __cuda_array_interface__ and nothing else, with what it says at that moment."""

    def __init__(self, array):
        self._array = array

    @property
    def __cuda_array_interface__(self):
        return self._array.__cuda_array_interface__


class StandIn:
    """As CuPy: it names its current stream."""

    name = "stand-in"

    def __init__(self):
        if os.environ.get("WVL_CUDA_IMAGE") != "soft":
            pytest.skip("needs the software device")
        self.current, self.kept = None, []

    def put(self, array):
        return Interface(array.copy())

    def read(self, array):
        return array.array

    def cut(self, array, place):
        return Interface(array.array[place])

    def stream(self):
        return Driver()

    def handle(self, stream):
        return stream.stream.value

    @contextlib.contextmanager
    def within(self, stream):
        self.current = stream
        yield
        self.current = None

    def late(self, stream, pixels):
        target, source = pixels * 0, pixels.copy()
        stream.copy(target, source)
        self.kept.append(source)
        return Interface(target, self.handle(self.current) if self.current else None)

    def is_busy(self, stream):
        return None  # the driver runs a stream as soon as another one is to wait for it

    def get(self, picture):
        seen = picture.__cuda_array_interface__
        return ctypes.string_at(seen["data"][0], seen["shape"][0])

    def used_bytes(self):
        return 0


class CuPy:
    name = "cupy"
    SPIN = r"""extern "C" __global__ void spin(long long cycles) { long long begin = clock64(); while (clock64() - begin < cycles) { } }"""

    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        try:
            count = self.cupy.cuda.runtime.getDeviceCount()
        except self.cupy.cuda.runtime.CUDARuntimeError as error:
            pytest.skip(f"no GPU: {error}")
        if not count:
            pytest.skip("no GPU")
        self.spin, self.kept = self.cupy.RawKernel(self.SPIN, "spin"), []

    def put(self, array):
        made = self.cupy.asarray(array)
        self.cupy.cuda.get_current_stream().synchronize()
        return made

    def read(self, array):
        return array.get()

    def cut(self, array, place):
        return array[place]

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def handle(self, stream):
        return stream.ptr

    def within(self, stream):
        return stream

    def late(self, stream, pixels):
        target, source = self.put(pixels * 0), self.put(pixels)
        self.kept.append(source)  # CuPy's pool knows the stream of its allocation only
        self.spin((1,), (1,), (0,))  # compiled and loaded before it counts
        self.cupy.cuda.get_current_stream().synchronize()
        with stream:
            self.spin((1,), (1,), (CYCLES,))
            target.data.copy_from_device_async(source.data, source.nbytes, stream)
        return target

    def is_busy(self, stream):
        return not stream.done

    def get(self, picture):
        return self.cupy.asarray(picture).get().tobytes()

    def used_bytes(self):
        return self.cupy.get_default_memory_pool().used_bytes()


class Torch:
    name = "torch"

    def __init__(self):
        self.torch = pytest.importorskip("torch")
        if not self.torch.cuda.is_available():
            pytest.skip("no GPU")
        self.kept = []

    def put(self, array):
        made = self.torch.from_numpy(array).cuda()
        self.torch.cuda.current_stream().synchronize()
        return made

    def read(self, array):
        return array.cpu().numpy()

    def cut(self, array, place):
        return array[place]

    def stream(self):
        return self.torch.cuda.Stream()

    def handle(self, stream):
        return stream.cuda_stream

    def within(self, stream):
        return self.torch.cuda.stream(stream)

    def late(self, stream, pixels):
        target, source = self.put(pixels * 0), self.put(pixels)
        self.kept.append(source)
        with self.torch.cuda.stream(stream):
            self.torch.cuda._sleep(CYCLES)
            target.copy_(source)
        return target

    def is_busy(self, stream):
        return not stream.query()

    def get(self, picture):
        return self.torch.as_tensor(picture, device="cuda").cpu().numpy().tobytes()

    def used_bytes(self):
        return self.torch.cuda.memory_allocated()


PRODUCERS = CuPy, Torch, StandIn
