# SPDX-License-Identifier: BSD-2-Clause
"""
Reads a JPEG 2000 file with one Python package, for conformance/consumers. It runs in the environment that has the packages.

  consumer_read.py PACKAGE FILE OUTPUT [CODESTREAM-OFFSET CODESTREAM-END LOSSLESS HT]     prints "WIDTH HEIGHT CHANNELS BITS"; samples in native byte order
  consumer_read.py --version PACKAGE
"""
import importlib
import importlib.metadata
import sys

NAMES = {"pillow": "PIL", "imagecodecs": "imagecodecs", "imagecodecs-htj2k": "imagecodecs", "glymur": "glymur", "pydicom": "pydicom"}


def pillow(path, _):
    import numpy
    from PIL import Image
    with Image.open(path) as image:
        return numpy.asarray(image)


def imagecodecs(path, _):
    import imagecodecs as codecs
    with open(path, "rb") as file:
        return codecs.jpeg2k_decode(file.read())


def imagecodecs_htj2k(path, stream):
    import imagecodecs as codecs
    with open(path, "rb") as file:
        return codecs.htj2k_decode(file.read()[int(stream[0]):int(stream[1])])


def glymur(path, _):
    import glymur as package
    return package.Jp2k(path)[:]


def pydicom(path, stream):
    """The codestream as the only frame of a data set."""
    from pydicom.dataset import Dataset, FileMetaDataset
    from pydicom.encaps import encapsulate
    from pydicom.uid import UID
    import struct
    with open(path, "rb") as file:
        data = file.read()[int(stream[0]):int(stream[1])]
    x1, y1, x0, y0 = struct.unpack(">4I", data[8:24])
    channels, depth = struct.unpack(">H", data[40:42])[0], (data[42] & 127) + 1
    lossless, ht = int(stream[2]), int(stream[3])
    dataset = Dataset()
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = UID("1.2.840.10008.1.2.4." + {(1, 0): "90", (0, 0): "91", (1, 1): "201", (0, 1): "203"}[lossless, ht])
    dataset.Rows, dataset.Columns, dataset.SamplesPerPixel = y1 - y0, x1 - x0, channels
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit = 16 if depth > 8 else 8, depth, depth - 1
    dataset.PixelRepresentation = 0
    dataset.PhotometricInterpretation = "MONOCHROME2" if channels == 1 else "RGB"
    if channels > 1:
        dataset.PlanarConfiguration = 0
    dataset.PixelData = encapsulate([data])
    dataset["PixelData"].is_undefined_length = True
    dataset["PixelData"].VR = "OB"
    return dataset.pixel_array


def main():
    if sys.argv[1] == "--version":
        module = importlib.import_module(NAMES[sys.argv[2]])
        if sys.argv[2] == "imagecodecs-htj2k" and not module.HTJ2K.available:
            sys.exit("built without OpenJPH")
        print(importlib.metadata.version({"PIL": "pillow"}.get(NAMES[sys.argv[2]], NAMES[sys.argv[2]])))
        return
    package, path, output, *stream = sys.argv[1:]
    pixels = globals()[package.replace("-", "_")](path, stream)
    height, width = pixels.shape[:2]
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    if pixels.dtype.itemsize > 2:
        pixels = pixels.astype("uint16")
    with open(output, "wb") as file:
        file.write(pixels.tobytes())
    print(width, height, channels, 8 * pixels.dtype.itemsize)


main()
