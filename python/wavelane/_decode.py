# SPDX-License-Identifier: BSD-2-Clause
"""Decoding by what is installed: the project has no decoder. A decoder may end its process over damaged data, so it has one of its own."""
import functools
import os
import shutil
import subprocess
import tempfile

import numpy as np

from ._apart import decode_apart
from ._errors import make_error
from ._wavelane import lib

SIZ = b"\xff\x4f\xff\x51"


def read_format(data):
    """(height, width, components, depth, signed) of a picture without subsampling, from its SIZ marker segment."""
    at = bytes(data).find(SIZ)
    if at < 0:
        raise ValueError("no JPEG 2000 codestream")
    x1, y1, x0, y0 = (int.from_bytes(data[at + 8 + 4 * i:at + 12 + 4 * i], "big") for i in range(4))
    count, ssiz = int.from_bytes(data[at + 40:at + 42], "big"), data[at + 42]
    return y1 - y0, x1 - x0, count, (ssiz & 127) + 1, ssiz > 127


def _by_imagecodecs(data):
    import imagecodecs

    return imagecodecs.jpeg2k_decode(data)


def _by_glymur(data):
    import glymur

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.j2k" if data[:4] == SIZ else "picture.jp2")
        with open(path, "wb") as file:
            file.write(data)
        return glymur.Jp2k(path)[:]


def _by_opj_decompress(data):
    program = shutil.which("opj_decompress")
    height, width, count, depth, signed = read_format(data)
    if program is None or depth > 16:
        raise ImportError
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "picture.j2k" if data[:4] == SIZ else "picture.jp2"), os.path.join(folder, "picture.rawl")
        with open(source, "wb") as file:
            file.write(data)
        done = subprocess.run([program, "-i", source, "-o", target, "-quiet"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode or not os.path.exists(target):
            raise RuntimeError("opj_decompress failed: " + done.stdout.decode("utf-8", "replace").strip())
        samples = np.fromfile(target, ("<i" if signed else "<u") + ("1" if depth <= 8 else "2"))
    planes = samples.astype(samples.dtype.newbyteorder("=")).reshape(count, height, width)
    return planes[0] if count == 1 else np.ascontiguousarray(planes.transpose(1, 2, 0))


DECODERS = {"imagecodecs": functools.partial(decode_apart, "imagecodecs", _by_imagecodecs), "glymur": functools.partial(decode_apart, "glymur", _by_glymur),
            "opj_decompress": _by_opj_decompress}


def decode(data):
    """(height, width) or (height, width, components), by the first decoder that is there."""
    data = bytes(data)
    for function in DECODERS.values():
        try:
            return function(data)
        except ImportError:
            continue
    raise make_error(lib.WVL_ERROR_UNSUPPORTED, "no decoder for JPEG 2000 is installed: pip install imagecodecs (or glymur, or the program opj_decompress)")
