# SPDX-License-Identifier: BSD-2-Clause
"""jpeg2k_encode() with the signature that imagecodecs has, for programs that call that one."""
import numpy as np

from ._encode import encode
from ._errors import refuse

LEAST_LEVEL, MOST_LEVEL = 1, 1000  # outside it is lossless, as there
MOST_CHANNELS = 4
FORMATS = {None: "jp2", "jp2": "jp2", 2: "jp2", "j2k": "j2k", 0: "j2k", "jph": "jph"}
COLORS = {None: "auto", "unspecified": "auto", 0: "auto", "srgb": "srgb", 1: "srgb", "gray": "grey", "grey": "grey", 2: "grey", "sycc": "sycc", 3: "sycc"}


def _find(table, value, name):
    key = value.lower() if isinstance(value, str) else value
    if key not in table:
        refuse(f"{name}={value!r}: give one of {', '.join(repr(k) for k in table)}")
    return table[key]


def _is_planar(shape):
    """(components, height, width), if the first axis can be components and the last one cannot."""
    return len(shape) == 3 and shape[0] <= MOST_CHANNELS < shape[2]


def _give(data, out):
    """Bytes as imagecodecs gives them out: a new object, or the part of the caller's buffer that was written."""
    if out is None or out is bytes or isinstance(out, int):
        return data
    if out is bytearray:
        return bytearray(data)
    view = memoryview(out).cast("B")
    if len(view) < len(data):
        refuse(f"out has {len(view)} bytes, the picture takes {len(data)}")
    view[:len(data)] = data
    return view[:len(data)]


def jpeg2k_encode(data, /, level=None, *, codecformat=None, colorspace=None, planar=None, tile=None, bitspersample=None, resolutions=None,
                  reversible=None, mct=True, verbose=None, numthreads=None, out=None):
    """Encodes an array as JPEG 2000, as imagecodecs.jpeg2k_encode() does.

    level: PSNR in dB, 1 to 1000; else lossless. codecformat: "jp2" (default), "j2k", or "jph" (HT blocks). colorspace: "srgb", "gray", "sycc".
    planar: (components, height, width); None: if the first axis is 4 or less and the last one is more. tile: (height, width).
    bitspersample: significant bits. resolutions: levels of the wavelet and one. reversible: default, if level asks for lossless.
    numthreads: None and 0 are one for each processor. out: bytes, bytearray, or a buffer to write to. verbose: ignored, see logging.

    Other than there: tiles are written, and the bytes are not those of OpenJPEG. encode() has all options."""
    array = data if hasattr(data, "__cuda_array_interface__") or hasattr(data, "__dlpack__") else np.asarray(data)
    lossy = level is not None and LEAST_LEVEL <= level <= MOST_LEVEL
    container = _find(FORMATS, codecformat, "codecformat")
    options = {"container": container, "reversible": not lossy if reversible is None else bool(reversible), "mct": "auto" if mct else "off"}
    if lossy:
        options["psnr"] = float(level)
    if container != "j2k":
        options["color"] = _find(COLORS, colorspace, "colorspace")
    if container == "jph":
        options["style"] = "HT"
    if tile is not None:
        options["tile"] = int(tile[1]), int(tile[0])
    if resolutions is not None:
        options["levels"] = max(int(resolutions) - 1, 0)
    made = encode(array, planar=_is_planar(np.shape(array)) if planar is None else bool(planar), depth=bitspersample, threads=numthreads or 0, **options)
    return _give(made, out)
