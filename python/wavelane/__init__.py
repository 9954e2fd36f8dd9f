# SPDX-License-Identifier: BSD-2-Clause
"""Wavelane: a JPEG 2000 encoder.

    data = wavelane.encode(array, reversible=False, bpp=2)
    wavelane.encode_file("photo.jp2", array)
    with wavelane.Encoder((1080, 2048, 3), "uint16", preset="dci-2k-24", depth=12) as encoder:
        for data in encoder.map(frames):
            ...
"""
from ._context import CancelToken, Context
from ._encode import Info, Layer, Picture, encode, encode_async, encode_file, encode_into, encode_picture
from ._encoder import Encoder, output_bound
from ._errors import (ArgumentError, Busy, Cancelled, DeviceError, Error, InputError, InternalError, OutOfMemoryError, ParameterError,
                      ProfileError, SinkError, UnreachableError, UnsupportedError)
from ._options import Device, Option, Preset, build_text, devices, options, presets
from ._wavelane import ffi as _ffi
from ._wavelane import lib as _lib


def _read_version():
    parts = [_ffi.new("int *") for _ in range(3)]
    _lib.wvl_version(*parts)
    return ".".join(str(part[0]) for part in parts)


__version__ = _read_version()
__all__ = [
    "ArgumentError", "Busy", "CancelToken", "Cancelled", "Context", "Device", "DeviceError", "Encoder", "Error", "Info", "InputError",
    "InternalError", "Layer", "Option", "OutOfMemoryError", "ParameterError", "Picture", "Preset", "ProfileError", "SinkError",
    "UnreachableError", "UnsupportedError", "build_text", "devices", "encode", "encode_async", "encode_file", "encode_into", "encode_picture",
    "options", "output_bound", "presets"]
