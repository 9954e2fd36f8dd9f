# SPDX-License-Identifier: BSD-2-Clause
"""What the suites share: drawn pictures, and the command as a second way to the same bytes."""
import importlib
import os
import subprocess
import threading

import numpy as np
import pytest

import wavelane


def draw(shape, dtype=np.uint8, depth=None, seed=5):
    """Waves and noise over the full range of the depth."""
    dtype = np.dtype(dtype)
    bits = depth or 8 * dtype.itemsize
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:shape[0], 0:shape[1]]
    wave = (np.sin(x / 9.0) + np.cos(y / 7.0) + 2) / 4
    wave = wave if len(shape) == 2 else np.stack([np.roll(wave, 3 * c, axis=1) for c in range(shape[2])], axis=-1)
    whole = np.floor((wave * 0.9 + rng.random(shape) * 0.1) * ((1 << bits) - 1)).astype(np.int64)
    return (whole - (1 << (bits - 1)) if dtype.kind == "i" else whole).astype(dtype)


def need(*names):
    """Modules of others. WVL_PYTHON_ALL=1: nothing may be skipped."""
    for name in names:
        if os.environ.get("WVL_PYTHON_ALL") == "1":
            importlib.import_module(name)
        else:
            pytest.importorskip(name)


def refuses(kind, words, call, *arguments, **keywords):
    """The call raises an exception of this class with these words (a pattern, or None) in its text. Returns the exception."""
    with pytest.raises(kind, match=words) as caught:
        call(*arguments, **keywords)
    return caught.value


def run_threads(work, *rows):
    """work(*row) of each row in a thread of its own, until all have ended."""
    workers = [threading.Thread(target=work, args=row) for row in rows]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def trace():
    """Names of the spans, and a context that adds to them."""
    spans = []
    return spans, wavelane.Context(trace=lambda track, name, *rest: spans.append(name))


@pytest.fixture
def command(tmp_path):
    """encode(planes, *words): bytes that the command writes for planar raw samples in the byte order of the machine."""
    program = os.environ.get("WVL_TEST_COMMAND")
    if not program:
        pytest.skip("no command (WVL_TEST_COMMAND)")

    def encode(array, depth, *words):
        planes = array[..., None] if array.ndim == 2 else array
        height, width, count = planes.shape
        picture, output = tmp_path / "in.rawl", tmp_path / "out.j2k"
        picture.write_bytes(np.ascontiguousarray(planes.transpose(2, 0, 1)).astype(array.dtype.newbyteorder("<")).tobytes())
        sign = "s" if array.dtype.kind == "i" else "u"
        subprocess.run([program, "-i", picture, "-F", f"{width},{height},{count},{depth},{sign}", "-o", output, "--force", *words],
                       check=True, stdout=subprocess.DEVNULL)
        return output.read_bytes()

    return encode
