# SPDX-License-Identifier: BSD-2-Clause
"""Chunks of arrays, for the codecs of numcodecs and Zarr."""
import sys

import numpy as np

from ._decode import decode
from ._encode import encode

NAME = "wavelane_jpeg2k"


def encode_chunk(chunk, planar, options):
    """(height, width), (height, width, components), or (components, height, width) with planar; leading axes of length 1 are left out.

    What comes back from a decoder must be what was given, so other types of samples are refused."""
    array = np.asarray(chunk)
    if array.dtype.kind not in "iu" or not array.dtype.isnative:
        raise ValueError(f"chunks of {array.dtype}: give integers of 8, 16 or 32 bits in the byte order of the machine ({sys.byteorder})")
    while array.ndim > (3 if planar else 2) and array.shape[0] == 1:
        array = array[0]
    return encode(array, planar=planar and array.ndim == 3, **options)


def decode_chunk(data, planar):
    """The samples in the order in which they were given."""
    array = decode(data)
    return np.ascontiguousarray(array.transpose(2, 0, 1)) if planar and array.ndim == 3 else array
