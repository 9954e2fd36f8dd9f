# SPDX-License-Identifier: BSD-2-Clause
"""Calls that a type checker must take, and some that it must refuse: tools/check_wheel runs mypy --strict over it, which names an ignore that is not needed."""
from typing import Any

import wavelane


def call(array: Any) -> bytes:
    made: bytes = wavelane.encode(array, reversible=False, bpp=[1, 2.5], tile=(64, 64), progression="RPCL", mct=True, depth=[8, 8, 8])
    info: wavelane.Info = wavelane.encode_file("a.jp2", array, color="srgb", preset="iiif-lossless", overwrite=True)
    print(info.layers[0].psnr, wavelane.encode_picture(array, stream=2).info.backend)
    wavelane.encode(array, progresion="RPCL")  # type: ignore[call-arg]
    wavelane.encode(array, progression="XYZ")  # type: ignore[arg-type]
    return made


def fly(frames: list[Any], context: wavelane.Context) -> int:
    with wavelane.Encoder((1080, 2048, 3), "uint16", frames=4, context=context, depth=12) as encoder:
        for frame in frames:
            encoder.submit(frame, tag=1, wait=True)
        encoder.end()
        return sum(len(picture) for picture in encoder) + sum(len(data) for data in encoder.map(frames))


async def fly_async(frames: list[Any]) -> list[bytes]:
    async with wavelane.Encoder((1080, 2048, 3)) as encoder:
        await encoder.submit_async(frames[0])
        picture = await encoder.receive_async()
        assert picture is not None
        return [data async for data in encoder.map_async(frames)]
