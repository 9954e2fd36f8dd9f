# SPDX-License-Identifier: BSD-2-Clause
"""Pixels of arrays, without a copy where the library can read them as they lie."""
import contextlib
import ctypes
import sys

import numpy as np

from ._device import CurrentDevice, ReadyEvent, check_stream, find_device
from ._errors import make_error, refuse
from ._wavelane import ffi, lib

CONTAINERS = {1: lib.WVL_SAMPLE_8, 2: lib.WVL_SAMPLE_16, 4: lib.WVL_SAMPLE_32}
MOST_COMPONENTS = 16384
CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13  # DLDeviceType
DLPACK_KINDS = {0: "i", 1: "u", 6: "b"}
PRODUCER_ERRORS = TypeError, BufferError, RuntimeError, ValueError, LookupError  # by which a producer says that it cannot give its samples

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_capsule_rename = ctypes.pythonapi.PyCapsule_SetName
_capsule_rename.restype, _capsule_rename.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
USED = b"used_dltensor"  # the capsule keeps the address of its name


@contextlib.contextmanager
def _asking_producer():
    """What the producer of an array raises becomes an ArgumentError."""
    try:
        yield
    except PRODUCER_ERRORS as error:
        refuse(f"not an array that can be read: {error}")


def check_count(count):
    """Of components: before an object is made for each."""
    if not 1 <= count <= MOST_COMPONENTS:
        raise make_error(lib.WVL_ERROR_PARAMETER, f"{count} components; 1 to {MOST_COMPONENTS} are allowed (A.5.1)")


def check_type(kind, itemsize):
    """kind: of numpy's types."""
    if kind not in "uibf" or itemsize not in CONTAINERS or (kind, itemsize) == ("f", 1):
        refuse(f"samples of the type {kind}{itemsize}: give integers of 8, 16 or 32 bits, or floating point of 16 or 32")


class View:
    """An array: address, shape, strides in bytes, kind ("u", "i", "b", "f") and size of an item, where it lies, and what keeps it alive."""

    def __init__(self, address, shape, strides, kind, itemsize, owner, memory=lib.WVL_MEMORY_HOST, device=0, event=None):
        check_type(kind, itemsize)
        self.address, self.shape, self.strides, self.kind, self.itemsize = address, tuple(shape), tuple(strides), kind, itemsize
        self.owner, self.memory, self.device, self.event = owner, memory, device, event

    @property
    def type(self):
        return self.kind, self.itemsize

    def split(self, planar):
        """One Plane for each component."""
        if len(self.shape) == 2:
            return [Plane(self, self.shape, self.strides, 0)]
        if len(self.shape) != 3:
            refuse(f"an array of {len(self.shape)} dimensions: give (height, width), (height, width, components), or (components, height, width) with planar=True")
        channel, rest = (0, (1, 2)) if planar else (2, (0, 1))
        if self.shape[channel]:
            check_count(self.shape[channel])
        shape, strides = [self.shape[i] for i in rest], [self.strides[i] for i in rest]
        return [Plane(self, shape, strides, c * self.strides[channel]) for c in range(self.shape[channel])]


class Plane:
    """One component of a view."""

    def __init__(self, view, shape, strides, offset):
        self.height, self.width = shape
        self.view, self.strides, self.offset = view, strides, offset

    def is_readable(self):
        """The library wants a positive distance of whole samples within a row. Rows may lie in any order."""
        step, size = self.strides[1], self.view.itemsize
        return self.width <= 1 or (step > 0 and step % size == 0 and step // size < 1 << 32)

    def fill(self, plane):
        """wvl_plane. Interleaved components name the same data, which the library takes as one."""
        size, step = self.view.itemsize, max(self.strides[1], self.view.itemsize)
        together = 0 <= self.offset < step and self.offset % size == 0
        plane.data = ffi.cast("void *", self.view.address + (0 if together else self.offset))
        plane.first_sample = self.offset // size if together else 0
        plane.pitch_bytes = self.strides[0]
        plane.sample_stride = step // size if self.width > 1 else 1
        plane.container = CONTAINERS[size]


def _contiguous(shape, itemsize):
    strides = []
    for length in reversed(shape):
        strides.insert(0, itemsize)
        itemsize *= max(length, 1)
    return strides


def _view_numpy(array):
    if array.dtype.kind in "uibf" and not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return View(array.ctypes.data, array.shape, array.strides, array.dtype.kind, array.dtype.itemsize, array)


def _give_back(managed, is_ending=sys.is_finalizing):
    """Not when the interpreter ends: the producer, or the driver that it asks, may have gone by then."""
    if managed.deleter and not is_ending():
        managed.deleter(managed)


def _ask_for_capsule(array, device_type, device, stream):
    """PyTorch gives no tensor that lies on another device than the current one, and takes its streams from there."""
    if device_type == CUDA_HOST:
        return array.__dlpack__()
    with CurrentDevice(device):
        return array.__dlpack__(stream=stream)


def _view_dlpack(array, device_type, device, stream):
    """A tensor on a device. __dlpack__(stream) makes the stream wait for the producer; an event there makes the library wait for the stream."""
    stream = 1 if stream is None else stream
    with _asking_producer():
        capsule = _ask_for_capsule(array, device_type, device, stream)
    managed = ffi.cast("DLManagedTensor *", _capsule_pointer(capsule, b"dltensor"))
    _capsule_rename(capsule, USED)
    owner = ffi.gc(managed, _give_back)
    tensor = managed.dl_tensor
    shape = [tensor.shape[i] for i in range(tensor.ndim)]
    itemsize = tensor.dtype.bits // 8
    if tensor.strides:
        strides = [tensor.strides[i] * itemsize for i in range(tensor.ndim)]
    else:
        strides = _contiguous(shape, itemsize)
    if tensor.dtype.lanes != 1 or tensor.dtype.code not in DLPACK_KINDS:
        refuse("samples of the array are no integers: give integers of 8, 16 or 32 bits")
    device = tensor.device.device_id
    memory = {CUDA: lib.WVL_MEMORY_DEVICE, CUDA_HOST: lib.WVL_MEMORY_PINNED, CUDA_MANAGED: lib.WVL_MEMORY_MANAGED}[device_type]
    event = ReadyEvent(device, stream) if stream != -1 and device_type != CUDA_HOST else None
    address = int(ffi.cast("uintptr_t", tensor.data)) + tensor.byte_offset
    return View(address, shape, strides, DLPACK_KINDS[tensor.dtype.code], itemsize, (array, owner), memory, device, event)


def _read_cuda_interface(interface):
    """Address, shape, strides, byte order, kind and size of an item."""
    try:
        order, kind, itemsize = interface["typestr"][0], interface["typestr"][1], int(interface["typestr"][2:])
        address, shape = int(interface["data"][0]), tuple(int(n) for n in interface["shape"])
        strides = interface.get("strides")
        strides = _contiguous(shape, itemsize) if strides is None else tuple(int(n) for n in strides)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        refuse(f"the __cuda_array_interface__ of the array cannot be read: {error!r}")
    if len(strides) != len(shape) or min(shape, default=0) < 0:
        refuse(f"the __cuda_array_interface__ of the array has the shape {shape} and the strides {strides}")
    return address, shape, strides, order, kind, itemsize


def _view_cuda_interface(array, interface, stream):
    """__cuda_array_interface__, version 2 or 3: the stream that it names is waited for, unless the caller names one."""
    address, shape, strides, order, kind, itemsize = _read_cuda_interface(interface)
    if itemsize > 1 and order == ">":
        refuse("samples on a device must be in the byte order of the machine")
    if interface.get("mask") is not None:
        refuse("masked arrays on a device are not supported: fill the mask first")
    stream = check_stream(interface.get("stream")) if stream is None else stream
    device = find_device(address)
    event = ReadyEvent(device, stream) if stream not in (None, -1) else None
    return View(address, shape, strides, kind, itemsize, array, lib.WVL_MEMORY_DEVICE, device, event)


def _read_host(array, has_dlpack):
    """A numpy array of the same samples. Not every producer gives every type by DLPack (PyTorch had no bool): then its own way to numpy counts."""
    if has_dlpack:
        try:
            return np.from_dlpack(array)
        except PRODUCER_ERRORS:
            if not hasattr(array, "__array__"):
                raise
    return np.asarray(array)


def _view(array, stream):
    """DLPack comes first where it is on a device, because it says which one and waits for the producer."""
    if isinstance(array, np.ndarray):
        return _view_numpy(array)
    find = getattr(array, "__dlpack_device__", None)
    with _asking_producer():
        device_type, device = map(int, find()) if find is not None else (None, 0)
    if device_type in (CUDA, CUDA_HOST, CUDA_MANAGED):
        return _view_dlpack(array, device_type, device, stream)
    with _asking_producer():
        interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return _view_cuda_interface(array, interface, stream)
    if device_type not in (None, CPU):
        refuse(f"the array lies on a device of DLPack's type {device_type}: copy it to the host or to a CUDA device")
    with _asking_producer():
        samples = _read_host(array, device_type is not None)
    return _view_numpy(samples)


class Pixels:
    """What wvl_encode() borrows: `image`, and everything that must live as long.

    array: (height, width), (height, width, components), (components, height, width) with planar, or a list of (height, width) arrays."""

    def __init__(self, array, planar=False, stream=None):
        check_stream(stream)
        if isinstance(array, (list, tuple)) and array:
            check_count(len(array))
        views = [_view(a, stream) for a in array] if isinstance(array, (list, tuple)) else [_view(array, stream)]
        if not views:
            refuse("an empty list of planes")
        if isinstance(array, (list, tuple)) and any(len(v.shape) != 2 for v in views):
            refuse("a list of planes: each must be an array of (height, width)")
        first = views[0]
        for view in views:
            if (view.memory, view.device, view.kind) != (first.memory, first.device, first.kind):
                refuse("planes of one picture must lie on one device, and be all signed or all unsigned")
        self.views = [self._make_readable(v, planar) for v in views]
        self.planes = [plane for view in self.views for plane in view.split(planar)]
        if not self.planes:
            refuse(f"an array of the shape {first.shape}: it has no components")
        self._fill(first)

    @staticmethod
    def _make_readable(view, planar):
        if all(plane.is_readable() for plane in view.split(planar)):
            return view
        if view.memory != lib.WVL_MEMORY_HOST or not isinstance(view.owner, np.ndarray):
            refuse("samples of a row lie backwards or at odd distances: make a contiguous copy on the device first")
        return _view_numpy(np.ascontiguousarray(view.owner))

    def _fill(self, first):
        self._planes = ffi.new("wvl_plane[]", len(self.planes))
        for place, plane in zip(self._planes, self.planes):
            plane.fill(place)
        self.image = ffi.new("wvl_image *", {
            "struct_size": ffi.sizeof("wvl_image"), "planes": self._planes, "plane_count": len(self.planes),
            "memory_kind": first.memory, "device": first.device})
        events = [view.event for view in self.views if view.event is not None]
        for event in events[:-1]:  # planes of several streams: the library takes one event
            event.wait()
        if events:
            self.image.ready_event = ffi.cast("void *", events[-1].handle)

    @property
    def layout(self):
        """What a plan must know: ((height, width) of each component, (kind, bytes) of each component's samples)."""
        return tuple((p.height, p.width) for p in self.planes), tuple(p.view.type for p in self.planes)
