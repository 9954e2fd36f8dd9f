# SPDX-License-Identifier: BSD-2-Clause
"""The examples run as they are printed."""
import os
import subprocess
import sys

import pytest

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "python")


def run(name, *words):
    return subprocess.run([sys.executable, "-B", os.path.join(FOLDER, name), *map(str, words)], stdout=subprocess.PIPE, check=False)


def test_encode(tmp_path):
    made = run("encode.py", tmp_path / "a.jp2")
    assert made.returncode == 0 and b"lossless: " in made.stdout and b"refused:" in made.stdout
    assert (tmp_path / "a.jp2").read_bytes().startswith(b"\0\0\0\x0cjP  ")


def test_frames(tmp_path):
    assert run("frames.py", tmp_path).returncode == 0
    names = sorted(os.listdir(tmp_path))
    assert len(names) == 8
    for number in range(4):
        assert (tmp_path / f"frame_{number}.j2c").read_bytes() == (tmp_path / f"async_{number}.j2c").read_bytes()


def test_device():
    assert run("device.py").returncode in (0, 77)


def test_zarr(tmp_path):
    if os.environ.get("WVL_PYTHON_ALL") != "1":
        pytest.skip("needs the installed package (WVL_PYTHON_ALL=1)")
    made = run("zarr_store.py", tmp_path / "a.zarr")
    assert made.returncode == 0 and b"bytes of samples" in made.stdout
