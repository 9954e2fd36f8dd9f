#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What lab/bench/lattice_peers and plane_device do without a device: the structures that they give to the library, and their tables.

    test_device_scripts.py BENCH LIBRARY
"""
import ctypes
import importlib.machinery
import importlib.util
import os
import sys
import unittest

sys.dont_write_bytecode = True
BENCH, LIBRARY = sys.argv[1:3]
HOST = 0


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(BENCH, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


peers, plane = load("lattice_peers"), load("plane_device")


class Signals(unittest.TestCase):
    def test_the_library_takes_the_structures(self):
        library = peers.load_library(LIBRARY)
        for wavelet, form in (("db4", peers.LATTICE), ("db4", peers.CONVOLUTION), ("db16", peers.LATTICE)):
            signal = (ctypes.c_float * 1024)(*[(7 * i) % 31 for i in range(1024)])
            coefs, back = (ctypes.c_float * 1024)(), (ctypes.c_float * 1024)()
            transform = peers.Transform(library, wavelet, form, memory=HOST)
            transform.forward(ctypes.addressof(signal), 1024, 5, ctypes.addressof(coefs))
            transform.inverse(ctypes.addressof(coefs), 1024, 5, ctypes.addressof(back))
            transform.close()
            self.assertNotEqual(list(signal), list(coefs))
            self.assertLess(max(abs(a - b) for a, b in zip(signal, back)), 1e-3)

    def test_a_failure_has_a_text(self):
        with self.assertRaisesRegex(RuntimeError, "nothing.*db2 to db16"):
            peers.Transform(peers.load_library(LIBRARY), "nothing", peers.LATTICE, memory=HOST)

    def test_table(self):
        rows = [{"peer": "kernel lanes_8", "wavelet": "db4", "levels": 1, "forward_ms": 0.2, "inverse_ms": 0.4, "copy_ms": 0.1},
                {"peer": "kernel convolve", "wavelet": "db4", "levels": 1, "forward_ms": 0.1, "inverse_ms": 0.1, "copy_ms": 0.1},
                {"peer": "libwavelane", "wavelet": "db4", "levels": 5, "forward_ms": 0.25, "inverse_ms": 0.5, "copy_ms": 0.1},
                {"peer": "ptwt", "wavelet": "db4", "levels": 5, "forward_ms": 1.0, "inverse_ms": 2.0, "copy_ms": 0.1},
                {"peer": "cupy convolve", "wavelet": "db4", "levels": 5, "copy_ms": 0.1, "error": "ImportError: none"}]
        lines = peers.make_table(rows).splitlines()[2:]
        self.assertEqual(lines[0], "| db4 | 1 | kernel lanes_8 | 0.200 (0.50) | 0.400 (0.25) | 1.00 | 1.00 |")
        self.assertTrue(lines[2].endswith("| 1.00 | 1.25 |"))
        self.assertTrue(lines[3].endswith("| 4.00 | 5.00 |"))
        self.assertIn("ImportError: none", lines[4])


class Pictures(unittest.TestCase):
    def test_the_library_takes_the_structures(self):
        library = plane.load_library(LIBRARY)
        for name in plane.WAVELETS:
            kind = ctypes.c_int32 if name == "int53" else ctypes.c_float
            image = (kind * (48 * 40))(*[(7 * i) % 31 for i in range(48 * 40)])
            coefs, back = (kind * (48 * 40))(), (kind * (48 * 40))()
            for layout in range(2):
                transform = plane.Transform(library, name, (48, 40), 3, layout, memory=HOST)
                transform.place(ctypes.addressof(coefs))
                transform.forward(ctypes.addressof(image))
                transform.inverse(ctypes.addressof(back))
                transform.close()
                self.assertNotEqual(list(image), list(coefs))
                self.assertLess(max(abs(a - b) for a, b in zip(image, back)), 1e-3)

    def test_table(self):
        row = {"wavelet": "cdf97", "levels": 1, "layout": "separate", "copy_ms": 0.13, "forward_ms": 0.26, "inverse_ms": 0.13, "error": 1e-7}
        self.assertEqual(plane.make_table([row]).splitlines()[2], "| cdf97 | 1 | separate | 0.260 (0.50) | 0.130 (1.00) | 1.0e-07 |")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
