#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A Zarr array whose chunks are lossless JPEG 2000. Needs zarr 3 and a decoder (imagecodecs).

  zarr_store.py [FOLDER]
"""
import sys

import numpy as np
import zarr
from wavelane.zarr import Jpeg2k

folder = sys.argv[1] if len(sys.argv) > 1 else "example.zarr"
y, x = np.mgrid[0:512, 0:512]
stack = np.stack([(x * y // 64 + 512 * n) % 65536 for n in range(4)]).astype(np.uint16)
array = zarr.create_array(folder, shape=stack.shape, chunks=(1, 256, 256), dtype=stack.dtype, serializer=Jpeg2k(), compressors=None, filters=None)
array[:] = stack
assert (zarr.open_array(folder, mode="r")[:] == stack).all()
print(f"{folder}: {stack.nbytes} bytes of samples, {array.nbytes_stored()} stored")
