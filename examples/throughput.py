#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Binary PPM files of 8 bits and one size become NAME.j2c, many at a time (docs/throughput.md); throughput.c does the same.

  throughput.py FILE.ppm...
"""
import collections
import concurrent.futures
import os
import queue
import re
import sys
import threading

import numpy as np

import wavelane

WAITING = 12  # threads more than processors: some wait for the device


def read_format(name):
    """Bytes in front of the pixels, and the shape."""
    with open(name, "rb") as file:
        found = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", file.read(64))
    if not found:
        sys.exit(f"{name}: not a binary PPM file of 8 bits")
    return found.end(), (int(found[2]), int(found[1]), 3)


def work(encoder, names, head, shape):
    """Reads a file into the thread's slot, and writes its picture when that is there. The slot is used again for each file."""
    slot, finished = np.empty(head + np.prod(shape), np.uint8), queue.Queue()
    while True:
        try:
            name = names.popleft()
        except IndexError:
            return
        with open(name, "rb", buffering=0) as file:
            if file.readinto(slot) != len(slot):
                raise ValueError(f"{name}: cut short, or of another size")
        encoder.submit(slot[head:].reshape(shape), tag=finished, wait=True)
        picture = finished.get()
        if isinstance(picture, wavelane.Error):
            raise picture
        with open(f"{name}.j2c", "wb", buffering=0) as file:
            file.write(picture.data)


def hand_out(encoder):
    """One thread receives, in the order of submission, and gives each picture to its thread."""
    while True:
        try:
            picture = encoder.receive()
        except wavelane.Error as error:
            picture = error
        if picture is None:
            return
        picture.tag.put(picture)


def main():
    names = collections.deque(sys.argv[1:])
    head, shape = read_format(names[0])
    with wavelane.Encoder(shape, "uint8", style="HT", device="cuda") as encoder:
        receiver = threading.Thread(target=hand_out, args=(encoder,))
        receiver.start()
        try:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count() + WAITING) as pool:
                for done in [pool.submit(work, encoder, names, head, shape) for _ in range(os.cpu_count() + WAITING)]:
                    done.result()
        finally:
            encoder.end()
            receiver.join()


if __name__ == "__main__":
    main()
