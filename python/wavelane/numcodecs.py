# SPDX-License-Identifier: BSD-2-Clause
"""A codec for numcodecs, and so for Zarr of format 2. The entry point numcodecs.codecs registers it as wavelane_jpeg2k."""
import numpy as np
from numcodecs.abc import Codec
from numcodecs.compat import ndarray_copy

from ._chunk import NAME, decode_chunk, encode_chunk


class Jpeg2k(Codec):
    """JPEG 2000 by Wavelane; lossless, unless the options say otherwise.

    A chunk is (height, width) or (height, width, components), or (components, height, width) with planar=True; leading axes of length 1 are left out.
    options: keywords of wavelane.encode() that JSON can hold. Decoding takes imagecodecs, glymur or opj_decompress, whichever is installed."""

    codec_id = NAME

    def __init__(self, *, planar=False, **options):
        self.planar, self.options = bool(planar), options

    def encode(self, buf):
        return encode_chunk(buf, self.planar, self.options)

    def decode(self, buf, out=None):
        array = decode_chunk(buf, self.planar)
        return array if out is None else ndarray_copy(array.reshape(np.shape(out)), out)

    def get_config(self):
        return {"id": self.codec_id, "planar": self.planar, **self.options}

    def __repr__(self):
        words = [f"planar={self.planar}", *(f"{key}={value!r}" for key, value in self.options.items())]
        return f"Jpeg2k({', '.join(words)})"
