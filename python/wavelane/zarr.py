# SPDX-License-Identifier: BSD-2-Clause
"""A serializer for Zarr of format 3. The entry point zarr.codecs registers it as wavelane_jpeg2k."""
import asyncio

from zarr.abc.codec import ArrayBytesCodec

from ._chunk import NAME, decode_chunk, encode_chunk


class Jpeg2k(ArrayBytesCodec):
    """JPEG 2000 by Wavelane, as wavelane.numcodecs.Jpeg2k: zarr.create_array(..., serializer=Jpeg2k(), compressors=None)."""

    is_fixed_size = False

    def __init__(self, *, planar=False, **options):
        self.planar, self.options = bool(planar), options

    @classmethod
    def from_dict(cls, data):
        return cls(**data.get("configuration", {}))

    def to_dict(self):
        return {"name": NAME, "configuration": {"planar": self.planar, **self.options}}

    def __eq__(self, other):
        return isinstance(other, Jpeg2k) and self.to_dict() == other.to_dict()

    __hash__ = None

    async def _encode_single(self, chunk_array, chunk_spec):
        data = await asyncio.to_thread(encode_chunk, chunk_array.as_numpy_array(), self.planar, self.options)
        return chunk_spec.prototype.buffer.from_bytes(data)

    async def _decode_single(self, chunk_bytes, chunk_spec):
        array = await asyncio.to_thread(decode_chunk, chunk_bytes.to_bytes(), self.planar)
        return chunk_spec.prototype.nd_buffer.from_numpy_array(array.reshape(chunk_spec.shape))

    def compute_encoded_size(self, input_byte_length, chunk_spec):
        raise NotImplementedError("the size of a picture is not known before it is coded")
