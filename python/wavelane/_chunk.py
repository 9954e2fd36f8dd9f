# SPDX-License-Identifier: BSD-2-Clause
"""Chunks of arrays, for the codecs of numcodecs and Zarr; docs/python.md has their configuration."""
import sys

import numpy as np

from ._decode import decode
from ._encode import encode

NAME = "jpeg2k"
BLOCKS = {"ebcot": {}, "ht": {"style": "HT"}}


class Configuration:
    """What the metadata of an array say of its chunks. options: of this encoder alone; no reader needs them."""

    def __init__(self, *, planar=False, reversible=True, blocks="ebcot", depth=None, writer=None, **options):
        if blocks not in BLOCKS:
            raise ValueError(f"blocks={blocks!r}: give 'ebcot' or 'ht'")
        if writer is not None and not (isinstance(writer, dict) and isinstance(writer.get("wavelane", {}), dict)):
            raise ValueError(f"writer={writer!r}: give an object of objects")
        self.planar, self.reversible, self.blocks, self.depth = bool(planar), bool(reversible), blocks, depth
        self.writer = dict(writer or {})
        self.options = dict(self.writer.get("wavelane", {}), **options)
        if "style" in self.options or "container" in self.options:
            raise ValueError("chunks are codestreams, and blocks='ht' asks for HT blocks: leave out style and container")
        if self.options:
            self.writer["wavelane"] = self.options

    def to_json(self):
        """Only what differs from a default may be missing."""
        made = {"planar": self.planar, "reversible": self.reversible, "blocks": self.blocks}
        if self.depth is not None:
            made["depth"] = self.depth
        return {**made, "writer": self.writer} if self.writer else made

    def check_type(self, dtype):
        """What a decoder gives back must be what was given, so other types of samples are refused."""
        if dtype.kind not in "iu" or dtype.itemsize > 4 or (dtype.itemsize == 4 and self.depth is None):
            raise ValueError(f"chunks of {dtype}: jpeg2k takes integers of 8 and 16 bits, and those of 32 bits with depth, 1 to 28")

    def encode(self, chunk):
        """(height, width), (height, width, components), or (components, height, width) with planar; leading axes of length 1 are left out."""
        array = np.asarray(chunk)
        self.check_type(array.dtype)
        if not array.dtype.isnative:
            raise ValueError(f"chunks of {array.dtype}: give the byte order of the machine ({sys.byteorder})")
        while array.ndim > (3 if self.planar else 2) and array.shape[0] == 1:
            array = array[0]
        options = {**self.options, **BLOCKS[self.blocks], "reversible": self.reversible, "depth": self.depth}
        return encode(array, planar=self.planar and array.ndim == 3, **options)

    def decode(self, data):
        """The samples in the order in which they were given."""
        array = decode(data)
        return np.ascontiguousarray(array.transpose(2, 0, 1)) if self.planar and array.ndim == 3 else array


def fit_chunk(array, shape, dtype):
    """A decoded chunk as the metadata describe it; what does not fit was not written for them."""
    if array.dtype.kind != dtype.kind or array.dtype.itemsize > dtype.itemsize or array.size != np.prod(shape, dtype=np.int64):
        raise ValueError(f"the chunk holds {array.shape} samples of {array.dtype}, and the array has chunks of {tuple(shape)} of {dtype}")
    return array.reshape(shape).astype(dtype, copy=False)
