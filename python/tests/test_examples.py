# SPDX-License-Identifier: BSD-2-Clause
"""The examples run as they are printed."""
import os
import subprocess
import sys

import pytest
from conftest import draw

import wavelane

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


def check_throughput(folder):
    """All files have the bytes of encode(); a bad one ends the program."""
    pictures = {str(folder / f"{number}.ppm"): draw((48, 64, 3)) ^ number for number in range(20)}
    for name, picture in pictures.items():
        with open(name, "wb") as file:
            file.write(b"P6\n64 48\n255\n" + picture.tobytes())
    assert run("../throughput.py", *pictures).returncode == 0
    for name, picture in pictures.items():
        with open(f"{name}.j2c", "rb") as file:
            assert file.read() == wavelane.encode(picture, style="HT", device="cpu")
    (folder / "bad.ppm").write_bytes(b"P6\n64 48\n255\n" + bytes(100))
    assert run("../throughput.py", *pictures, folder / "bad.ppm").returncode == 1


def test_throughput(tmp_path):
    check_throughput(tmp_path)


def test_zarr(tmp_path):
    if os.environ.get("WVL_PYTHON_ALL") != "1":
        pytest.skip("needs the installed package (WVL_PYTHON_ALL=1)")
    made = run("zarr_store.py", tmp_path / "a.zarr")
    assert made.returncode == 0 and b"bytes of samples" in made.stdout
