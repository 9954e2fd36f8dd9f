#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Frames of a film, several in flight: with a generator, then with asyncio.

  frames.py [FOLDER]
"""
import asyncio
import pathlib
import sys

import numpy as np

import wavelane

SHAPE, COUNT = (858, 2048, 3), 4


def draw_frames():
    """12 bits of X'Y'Z', as digital cinema has them."""
    y, x = np.mgrid[0:SHAPE[0], 0:SHAPE[1]]
    for number in range(COUNT):
        yield np.stack([(x + y + 40 * number * c) % 4096 for c in range(3)], axis=-1).astype(np.uint16)


async def encode_with_asyncio(folder):
    async with wavelane.Encoder(SHAPE, "uint16", preset="dci-2k-24", depth=12) as encoder:
        number = 0
        async for data in encoder.map_async(draw_frames()):
            (folder / f"async_{number}.j2c").write_bytes(data)
            number += 1


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    with wavelane.Encoder(SHAPE, "uint16", preset="dci-2k-24", depth=12) as encoder:
        for number, data in enumerate(encoder.map(draw_frames())):
            (folder / f"frame_{number}.j2c").write_bytes(data)
            print(f"frame {number}: {len(data)} bytes")
    asyncio.run(encode_with_asyncio(folder))


if __name__ == "__main__":
    main()
