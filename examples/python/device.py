#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Pixels of CuPy or PyTorch are encoded where they lie, after the work that was queued on their stream. Needs a GPU and one of the two.

  device.py
"""
import sys

import wavelane


def draw_with_cupy():
    import cupy

    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        picture = cupy.random.randint(0, 256, (1080, 1920, 3), dtype=cupy.uint8)
    return picture, stream.ptr


def draw_with_torch():
    import torch

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        picture = torch.randint(0, 256, (1080, 1920, 3), dtype=torch.uint8, device="cuda")
    return picture, stream.cuda_stream


def main():
    if not wavelane.devices():
        print("no device that this build can use: skipped")
        return 77
    for draw in (draw_with_cupy, draw_with_torch):
        try:
            picture, stream = draw()
        except ImportError as error:
            print(error)
            continue
        made = wavelane.encode_picture(picture, style="HT", stream=stream)  # the host does not wait for the drawing
        print(f"{draw.__name__}: {len(made)} bytes, {made.info.backend}")
        return 0
    return 77


if __name__ == "__main__":
    sys.exit(main())
