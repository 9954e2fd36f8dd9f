# SPDX-License-Identifier: BSD-2-Clause
"""A codec for numcodecs, and so for Zarr of format 2. The entry point numcodecs.codecs registers it as wavelane_jpeg2k."""
import sys

import numpy as np
from numcodecs.abc import Codec
from numcodecs.compat import ndarray_copy

from ._decode import decode
from ._encode import encode


def check_chunk(array):
    """What comes back from the decoder must be what was given: samples of the machine's byte order, 8 or 16 bits, or 32 with a depth."""
    if array.dtype.kind not in "iu" or not array.dtype.isnative:
        raise ValueError(f"chunks of {array.dtype}: give integers of 8, 16 or 32 bits in the byte order of the machine ({sys.byteorder})")
    return array


class Jpeg2k(Codec):
    """JPEG 2000 by Wavelane; lossless, unless the options say otherwise.

    A chunk is (height, width) or (height, width, components), or (components, height, width) with planar=True; leading axes of length 1 are left out.
    options: keywords of wavelane.encode() that JSON can hold. Decoding takes imagecodecs, glymur or opj_decompress, whichever is installed."""

    codec_id = "wavelane_jpeg2k"

    def __init__(self, *, planar=False, **options):
        self.planar, self.options = bool(planar), options

    def encode(self, buf):
        array = check_chunk(np.asarray(buf))
        while array.ndim > (3 if self.planar else 2) and array.shape[0] == 1:
            array = array[0]
        return encode(array, planar=self.planar and array.ndim == 3, **self.options)

    def decode(self, buf, out=None):
        array = decode(buf)
        if self.planar and array.ndim == 3:
            array = np.ascontiguousarray(array.transpose(2, 0, 1))
        return array if out is None else ndarray_copy(array.reshape(np.shape(out)), out)

    def get_config(self):
        return {"id": self.codec_id, "planar": self.planar, **self.options}

    def __repr__(self):
        return f"Jpeg2k(planar={self.planar}, {', '.join(f'{k}={v!r}' for k, v in self.options.items())})"
