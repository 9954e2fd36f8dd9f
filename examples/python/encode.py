#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An array becomes a JP2 file, and bytes in memory.

  encode.py [OUTPUT.jp2]
"""
import sys

import numpy as np

import wavelane

y, x = np.mgrid[0:480, 0:640]
picture = np.stack([x * 255 // 639, y * 255 // 479, (x ^ y) & 255], axis=-1).astype(np.uint8)

# Lossless, into a file that appears complete or not at all.
info = wavelane.encode_file(sys.argv[1] if len(sys.argv) > 1 else "example.jp2", picture, color="srgb", resolution=300 / 0.0254, overwrite=True)
print(f"lossless: {info.bytes} bytes")

# 9/7 wavelet at two bits a pixel, in memory, with what is known of the result.
made = wavelane.encode_picture(picture, reversible=False, bpp=2)
print(f"2 bits a pixel: {len(made)} bytes, {made.info.layers[0].psnr:.2f} dB")

# What does not fit is an exception with the library's text.
try:
    wavelane.encode(picture, preset="dci-2k-24")
except wavelane.ParameterError as error:
    print(f"refused:\n{error}")
