# SPDX-License-Identifier: BSD-2-Clause
"""A serializer for Zarr of format 3. The entry point zarr.codecs registers it as jpeg2k."""
import asyncio

import numpy as np
from zarr.abc.codec import ArrayBytesCodec

from ._chunk import NAME, Configuration, fit_chunk


def _read_type(data_type):
    """NumPy's type; Zarr 3.0 gives that itself."""
    return data_type.to_native_dtype() if hasattr(data_type, "to_native_dtype") else np.dtype(data_type)


class Jpeg2k(ArrayBytesCodec):
    """JPEG 2000 by Wavelane, as wavelane.numcodecs.Jpeg2k: zarr.create_array(..., serializer=Jpeg2k(), compressors=None)."""

    is_fixed_size = False

    def __init__(self, **configuration):
        self.configuration = Configuration(**configuration)

    @classmethod
    def from_dict(cls, data):
        return cls(**data.get("configuration", {}))

    def to_dict(self):
        return {"name": NAME, "configuration": self.configuration.to_json()}

    def __eq__(self, other):
        return isinstance(other, Jpeg2k) and self.to_dict() == other.to_dict()

    __hash__ = None

    def validate(self, *, dtype, **others):  # pylint: disable=arguments-differ,unused-argument # shape and chunk_grid
        self.configuration.check_type(_read_type(dtype))

    async def _encode_single(self, chunk_array, chunk_spec):
        array = chunk_array.as_numpy_array()
        data = await asyncio.to_thread(self.configuration.encode, array.astype(array.dtype.newbyteorder("="), copy=False))
        return chunk_spec.prototype.buffer.from_bytes(data)

    async def _decode_single(self, chunk_bytes, chunk_spec):
        array = await asyncio.to_thread(self.configuration.decode, chunk_bytes.to_bytes())
        return chunk_spec.prototype.nd_buffer.from_numpy_array(fit_chunk(array, chunk_spec.shape, _read_type(chunk_spec.dtype)))

    def compute_encoded_size(self, input_byte_length, chunk_spec):
        raise NotImplementedError("the size of a picture is not known before it is coded")
