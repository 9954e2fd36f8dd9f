# SPDX-License-Identifier: BSD-2-Clause
"""The CUDA driver, as far as pixels need it that lie on a device: which device it is, and an event after which they are ready."""
import ctypes
import weakref

from ._errors import make_error, refuse
from ._wavelane import lib

NO_TIMING = 2
DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
_driver = None


def _load():
    global _driver
    if _driver is None:
        try:
            driver = ctypes.CDLL("libcuda.so.1")
        except OSError:
            raise make_error(lib.WVL_ERROR_DEVICE, "the pixels lie on a device, but there is no driver (libcuda.so.1)") from None
        _call(driver.cuInit, 0)
        _driver = driver
    return _driver


def _call(function, *arguments):
    status = function(*arguments)
    if status:
        raise make_error(lib.WVL_ERROR_DEVICE, f"{function.__name__} failed with status {status} of the CUDA driver")


def find_device(address):
    """Ordinal of the device that the memory lies on; 0 if the driver does not say."""
    driver, ordinal = _load(), ctypes.c_int(0)
    if not hasattr(driver, "cuPointerGetAttribute"):
        return 0
    _call(driver.cuPointerGetAttribute, ctypes.byref(ordinal), ctypes.c_int(DEVICE_ORDINAL), ctypes.c_uint64(address))
    return ordinal.value


class CurrentDevice:
    """The primary context of a device, as that of the calling thread."""

    def __init__(self, device):
        self.driver, self.device, self.context = _load(), ctypes.c_int(device), ctypes.c_void_p()

    def __enter__(self):
        _call(self.driver.cuDeviceGet, ctypes.byref(self.device), self.device)
        _call(self.driver.cuDevicePrimaryCtxRetain, ctypes.byref(self.context), self.device)
        _call(self.driver.cuCtxPushCurrent_v2, self.context)
        return self.driver

    def __exit__(self, *raised):
        self.driver.cuCtxPopCurrent_v2(ctypes.byref(self.context))
        self.driver.cuDevicePrimaryCtxRelease_v2(self.device)


def _destroy(device, event):
    with CurrentDevice(device) as driver:
        driver.cuEventDestroy_v2(event)


class ReadyEvent:
    """An event at the present end of a stream: what was queued there before has run when it is reached."""

    def __init__(self, device, stream):
        event = ctypes.c_void_p()
        with CurrentDevice(device) as driver:
            _call(driver.cuEventCreate, ctypes.byref(event), ctypes.c_uint(NO_TIMING))
            self._finalizer = weakref.finalize(self, _destroy, device, event)
            self._finalizer.atexit = False  # the driver may have gone by then
            _call(driver.cuEventRecord, event, ctypes.c_void_p(stream))
        self.device, self.handle = device, event.value

    def wait(self):
        """Returns when the event is reached."""
        with CurrentDevice(self.device) as driver:
            _call(driver.cuEventSynchronize, ctypes.c_void_p(self.handle))


def check_stream(stream):
    """A stream as in the array API standard: 1 legacy default, 2 per-thread default, -1 none, else a handle."""
    if stream is not None and (isinstance(stream, bool) or not isinstance(stream, int) or stream == 0 or stream < -1):
        refuse(f"stream={stream!r}: give 1 (legacy default stream), 2 (per-thread default stream), -1 (no wait) or a stream's handle")
    return stream
