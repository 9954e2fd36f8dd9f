# SPDX-License-Identifier: BSD-2-Clause
"""A codec for numcodecs, and so for Zarr of format 2. The entry point numcodecs.codecs registers it as jpeg2k."""
import numpy as np
from numcodecs.abc import Codec
from numcodecs.compat import ndarray_copy

from ._chunk import NAME, Configuration, fit_chunk


class Jpeg2k(Codec):
    """JPEG 2000 by Wavelane; lossless, unless the configuration says otherwise (docs/python.md).

    A chunk is (height, width) or (height, width, components), or (components, height, width) with planar=True; leading axes of length 1 are left out.
    reversible: the wavelet; blocks: "ebcot" or "ht"; depth: significant bits. Others: keywords of wavelane.encode() that JSON can hold.
    Decoding takes imagecodecs, glymur or opj_decompress, whichever is installed."""

    codec_id = NAME

    def __init__(self, **configuration):
        self.configuration = Configuration(**configuration)

    def encode(self, buf):
        return self.configuration.encode(buf)

    def decode(self, buf, out=None):
        array = self.configuration.decode(buf)
        return array if out is None else ndarray_copy(fit_chunk(array, np.shape(out), np.asarray(out).dtype), out)

    def get_config(self):
        return {"id": self.codec_id, **self.configuration.to_json()}

    def __repr__(self):
        return f"Jpeg2k({', '.join(f'{key}={value!r}' for key, value in self.configuration.to_json().items())})"
