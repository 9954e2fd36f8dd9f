# SPDX-License-Identifier: BSD-2-Clause
"""The encoder of pydicom and the program wavelane-dicom. Judges: pydicom with pylibjpeg-openjpeg, and OpenJPEG and OpenJPH by imagecodecs."""
import io
import json
import math
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from conftest import draw, need, refuses

import wavelane

need("pydicom", "pylibjpeg", "openjpeg", "imagecodecs")
import imagecodecs  # noqa: E402
import pydicom  # noqa: E402
from pydicom.uid import HTJ2K, JPEG2000, ExplicitVRLittleEndian, HTJ2KLossless, HTJ2KLosslessRPCL, JPEG2000Lossless, RLELossless  # noqa: E402

import wavelane.pydicom as plugin  # noqa: E402
from wavelane import dicom  # noqa: E402

LOSSLESS = (JPEG2000Lossless, HTJ2KLossless, HTJ2KLosslessRPCL)
CAPTURE, INSTANCE = "1.2.840.10008.5.1.4.1.1.7", "1.2.3.4"


def make(samples, bits, frames=False, planar=0):
    """A dataset of these samples: (frames,) rows, columns (, 3)."""
    ds = pydicom.Dataset()
    ds.file_meta = pydicom.dataset.FileMetaDataset()
    ds.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    ds.SOPClassUID, ds.SOPInstanceUID = CAPTURE, INSTANCE
    color = samples.ndim - int(frames) == 3
    ds.SamplesPerPixel, ds.PhotometricInterpretation = (3, "RGB") if color else (1, "MONOCHROME2")
    if color:
        ds.PlanarConfiguration = planar
    if frames:
        ds.NumberOfFrames = len(samples)
    ds.Rows, ds.Columns = samples.shape[int(frames):][:2]
    ds.BitsAllocated, ds.BitsStored, ds.HighBit = 8 * samples.itemsize, bits, bits - 1
    ds.PixelRepresentation = int(samples.dtype.kind == "i")
    ds.ImageType = ["ORIGINAL", "PRIMARY"]
    ds.PixelData = np.ascontiguousarray(np.moveaxis(samples, -1, -3) if planar else samples).tobytes()
    ds["PixelData"].VR = "OW"
    return ds


def write_and_read(ds):
    file = io.BytesIO()
    pydicom.dcmwrite(file, ds, enforce_file_format=True)
    return pydicom.dcmread(io.BytesIO(file.getvalue()))


def find_psnr(made, samples, bits):
    error = np.mean((np.asarray(made, float) - samples) ** 2)
    return 10 * math.log10(((1 << bits) - 1) ** 2 / error) if error else math.inf


def judge(ds, samples, bits, floor):
    """Every decoder gives these samples, with at least this PSNR."""
    read = write_and_read(ds)
    assert find_psnr(read.pixel_array, samples, bits) >= floor
    count = int(ds.get("NumberOfFrames", 1))
    frames = list(pydicom.encaps.generate_frames(read.PixelData, number_of_frames=count))
    assert len(frames) == count
    for data, frame in zip(frames, samples if "NumberOfFrames" in ds else [samples]):
        assert find_psnr(imagecodecs.jpeg2k_decode(data), frame, bits) >= floor
        if ds.file_meta.TransferSyntaxUID in (HTJ2KLossless, HTJ2KLosslessRPCL, HTJ2K):
            made = imagecodecs.htj2k_decode(data)
            assert find_psnr(made if made.shape == frame.shape else made.transpose(1, 2, 0), frame, bits) >= floor


def make_cases():
    """(samples, bits, frames, planar) of depths, signs, grey and RGB, one frame and five."""
    for bits, kind in ((8, "u1"), (8, "i1"), (10, "u2"), (12, "i2"), (12, "u2"), (16, "i2"), (16, "u2")):
        yield draw((40, 50), kind, bits), bits, False, 0
        yield np.stack([draw((40, 50), kind, bits, seed=n) for n in range(5)]), bits, True, 0
        if kind[0] == "u":
            yield draw((40, 50, 3), kind, bits), bits, False, 0
            yield np.stack([draw((40, 50, 3), kind, bits, seed=n) for n in range(5)]), bits, True, 1


@pytest.mark.parametrize("uid", plugin.SYNTAXES, ids=lambda uid: uid.keyword)
def test_pixels(uid):
    lossless = uid in LOSSLESS
    options, floor = ({}, math.inf) if lossless else ({"psnr": 50}, 49)
    for samples, bits, frames, planar in make_cases():
        ds = make(samples, bits, frames, planar)
        color = ds.SamplesPerPixel == 3
        plugin.compress(ds, uid, **options)
        assert ds.file_meta.TransferSyntaxUID == uid and ds.PhotometricInterpretation == ("MONOCHROME2" if not color else "YBR_RCT" if lossless else "YBR_ICT")
        judge(ds, samples, bits, floor)
        if color:
            ds = make(samples, bits, frames, planar)
            plugin.compress(ds, uid, mct=False, **options)
            assert ds.PhotometricInterpretation == "RGB" and ds.PlanarConfiguration == 0
            judge(ds, samples, bits, floor)


def test_same_bytes():
    """A frame is what wavelane.encode() makes, also among frames in flight, and by pydicom's own method."""
    samples = np.stack([draw((40, 50), np.uint16, 12, seed=n) for n in range(9)])
    for uid, options, own in ((JPEG2000Lossless, {}, {}), (JPEG2000, {"j2k_cr": [20, 10]}, {"reversible": False, "rates": [20, 10]}),
                              (HTJ2KLosslessRPCL, {}, {"preset": "dicom-htj2k-rpcl"}), (HTJ2K, {"rates": [10]}, {"reversible": False, "rates": [10], "style": "HT"})):
        ds = make(samples, 12, frames=True)
        ds.compress(uid, encoding_plugin="wavelane", **options)
        made = list(pydicom.encaps.generate_frames(ds.PixelData, number_of_frames=9))
        for data, frame in zip(made, samples):
            expected = wavelane.encode(frame, depth=12, **own)
            assert data[:len(expected)] == expected and len(data) - len(expected) <= 1  # fragments have even lengths


def test_attributes():
    picture = draw((64, 80, 3))
    ds = make(picture, 8)
    plugin.compress(ds, JPEG2000Lossless)
    assert "LossyImageCompression" not in ds and ds.ImageType[0] == "ORIGINAL" and ds.SOPInstanceUID == INSTANCE
    for uid, method in ((JPEG2000, "ISO_15444_1"), (HTJ2K, "ISO_15444_15")):
        ds = make(picture, 8)
        plugin.compress(ds, uid, j2k_cr=[8])
        size = len(next(pydicom.encaps.generate_frames(ds.PixelData, number_of_frames=1)))
        assert ds.LossyImageCompression == "01" and ds.LossyImageCompressionMethod == method and ds.ImageType[0] == "DERIVED"
        assert float(ds.LossyImageCompressionRatio) == pytest.approx(picture.size / size, rel=1e-4) and float(ds.LossyImageCompressionRatio) > 7
        assert ds.SOPInstanceUID == ds.file_meta.MediaStorageSOPInstanceUID != INSTANCE
    ds = make(picture, 8)
    ds.LossyImageCompressionRatio, ds.LossyImageCompressionMethod = "12", "ISO_10918_1"
    plugin.compress(ds, JPEG2000, psnr=40, generate_instance_uid=False)
    assert list(ds.LossyImageCompressionMethod) == ["ISO_10918_1", "ISO_15444_1"] and ds.LossyImageCompressionRatio[0] == 12 and ds.SOPInstanceUID == INSTANCE
    ds = make(picture, 8)
    plugin.compress(ds, HTJ2K, reversible=True)
    assert "LossyImageCompression" not in ds and ds.PhotometricInterpretation == "YBR_RCT"


def test_sign_bits_of_others():
    """Bits above those that are stored may be zero where a sample is negative."""
    samples = draw((40, 50), np.int16, 12)
    ds = make(samples & 0xFFF, 12)
    ds.PixelRepresentation = 1
    plugin.compress(ds, HTJ2KLossless)
    assert (imagecodecs.jpeg2k_decode(next(pydicom.encaps.generate_frames(ds.PixelData, number_of_frames=1))) == samples).all()


def test_bad_calls():
    """The host's error with our text, and the dataset is as it was."""
    rows = ((JPEG2000Lossless, {"reversible": False}, "is lossless"), (HTJ2KLossless, {"rates": [10]}, "lossless"), (JPEG2000, {}, "needs a size or quality"),
            (JPEG2000, {"psnr": 40, "j2k_cr": [10]}, "give one"), (HTJ2K, {"psnr": 40, "style": "BYPASS"}, "decides this"),
            (HTJ2KLossless, {"nonsense": 1}, "nonsense"), (HTJ2K, {"psnr": 40, "container": "jp2"}, "container"))
    for uid, options, words in rows:
        ds = make(draw((20, 30, 3)), 8)
        before = ds.to_json()
        refuses(Exception, words, plugin.compress, ds, uid, **options)
        assert ds.to_json() == before and ds.file_meta.TransferSyntaxUID == ExplicitVRLittleEndian
    refuses(NotImplementedError, "no transfer syntax", plugin.compress, make(draw((20, 30)), 8), RLELossless)
    for keyword, value, words in (("HighBit", 15, "High Bit"), ("PixelData", b"\0" * 10, "length"), ("BitsStored", 17, None)):
        ds = make(draw((20, 30), np.uint16, 12), 12)
        ds[keyword].value = value
        before = ds.to_json()
        refuses(Exception, words, plugin.compress, ds, HTJ2KLossless)
        assert ds.to_json() == before
    ds = make(draw((20, 30), np.uint32, 28), 28)
    ds.BitsStored, ds.HighBit = 30, 29
    refuses(RuntimeError, "at most 28 bits", plugin.compress, ds, JPEG2000Lossless)


@pytest.mark.parametrize("uid", (HTJ2KLossless, HTJ2KLosslessRPCL))
def test_dose(uid):
    """Samples of 32 bits, as RT Dose has them."""
    samples = draw((20, 300, 200), np.uint32, 32)
    ds = make(samples, 32, frames=True)
    plugin.compress(ds, uid)
    made = list(pydicom.encaps.generate_frames(write_and_read(ds).PixelData, number_of_frames=20))
    assert all((imagecodecs.htj2k_decode(frame) == plain).all() for frame, plain in zip(made, samples))


OLD = "import pydicom\npydicom.__version__ = '2.4.4'"
NEW = """
import pydicom.pixels.encoders.base as base
table = vars(base).pop("_PIXEL_DATA_ENCODERS")
def get_encoder(uid):
    if uid not in table:
        raise NotImplementedError
    return table[uid][0]
base.get_encoder = get_encoder
"""


@pytest.mark.parametrize("version, words", [(OLD, b"needs pydicom 3.0"), (NEW, b"keeps its encoders in another way")], ids=["old", "new"])
def test_other_pydicom(version, words):
    """A version with other encoders is refused in words."""
    made = subprocess.run([sys.executable, "-c", f"{version}\nimport wavelane.pydicom"], stderr=subprocess.PIPE, check=False)
    assert made.returncode == 1 and b"ImportError" in made.stderr and words in made.stderr


# ---- The program ----


@pytest.fixture
def folder(tmp_path):
    """a.dcm, b.dcm (five frames), sub/c.dcm (RGB), no.dcm (a text), empty.dcm (no pixels), bad.dcm (too few pixels)."""
    source = tmp_path / "in"
    (source / "sub").mkdir(parents=True)
    make(draw((40, 50), np.uint16, 12), 12).save_as(source / "a.dcm", enforce_file_format=True)
    make(np.stack([draw((40, 50), seed=n) for n in range(5)]), 8, frames=True).save_as(source / "b.dcm", enforce_file_format=True)
    make(draw((40, 50, 3)), 8).save_as(source / "sub" / "c.dcm", enforce_file_format=True)
    (source / "no.dcm").write_text("no picture")
    for name in ("empty", "bad"):
        ds = make(draw((40, 50)), 8)
        if name == "empty":
            del ds.PixelData
        else:
            ds.PixelData = ds.PixelData[:100]
        ds.save_as(source / f"{name}.dcm", enforce_file_format=True)
    return source


@pytest.fixture
def program(capsys):
    """program(*words): status, report, standard error."""
    handler = signal.getsignal(signal.SIGTERM)

    def run(*words):
        status = dicom.main([*map(str, words), "--json"])
        out, err = capsys.readouterr()
        return status, json.loads(out), err

    yield run
    signal.signal(signal.SIGTERM, handler)


def list_files(place):
    return sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())


def test_program_folder(folder, tmp_path, program):
    target = tmp_path / "out"
    status, report, err = program(folder, target, "--syntax", "htj2k-rpcl", "--recursive", "--progress")
    assert status == 1 and (report["done"], report["skipped"], report["failed"], report["not_begun"]) == (3, 2, 1, 0)
    assert report["transfer_syntax_uid"] == HTJ2KLosslessRPCL and list_files(target) == ["a.dcm", "b.dcm", "sub/c.dcm"]
    assert f"wavelane-dicom: {folder}/bad.dcm: " in err and "no Pixel Data" in err
    entries = {os.path.relpath(entry["input"], folder): entry for entry in report["files"]}
    assert entries["b.dcm"]["frames"] == 5 and entries["b.dcm"]["pixel_bytes"] == 10000 and entries["sub/c.dcm"]["photometric_interpretation"] == "YBR_RCT"
    for name in list_files(target):
        made, given = pydicom.dcmread(target / name), pydicom.dcmread(folder / name)
        assert made.file_meta.TransferSyntaxUID == HTJ2KLosslessRPCL and made.SOPInstanceUID == INSTANCE and (made.pixel_array == given.pixel_array).all()
    assert entries["a.dcm"]["encoded_bytes"] == len(pydicom.dcmread(target / "a.dcm").PixelData)
    (target / "a.dcm").write_bytes(b"kept")
    status, report, _ = program(folder, target, "--syntax", "htj2k", "-q", 45)
    assert status == 1 and report["done"] == 0 and report["failed"] == 3 and (target / "a.dcm").read_bytes() == b"kept"
    status, report, _ = program(folder / "a.dcm", target, "--syntax", "htj2k", "--skip-existing")
    assert status == 0 and report["skipped"] == 1
    status, report, _ = program(folder / "a.dcm", target, "--syntax", "jpeg2000", "-r", "20,10", "--force")
    assert status == 0 and pydicom.dcmread(target / "a.dcm").LossyImageCompression == "01" and report["files"][0]["sop_instance_uid"] != INSTANCE
    status, report, _ = program(target / "a.dcm", tmp_path / "again.dcm", "--syntax", "jpeg2000-lossless", "--new-uid", "always", "--set", "levels=2")
    again, first = pydicom.dcmread(tmp_path / "again.dcm"), pydicom.dcmread(target / "a.dcm")
    assert status == 0 and (again.pixel_array == first.pixel_array).all() and again.SOPInstanceUID != first.SOPInstanceUID


def test_program_writes_whole_files(folder, tmp_path, program, monkeypatch):
    def write_half(file, ds, **_):
        file.write(b"half")
        raise OSError("no space")

    target = tmp_path / "out.dcm"
    with monkeypatch.context() as broken:
        broken.setattr(pydicom, "dcmwrite", write_half)
        status, report, err = program(folder / "a.dcm", target, "--syntax", "htj2k-lossless")
        assert status == 1 and report["files"][0]["reason"] == "no space" and "no space" in err
    assert not target.exists() and not list(tmp_path.glob(".wavelane-*"))
    whole = dicom.compress

    def interrupt(ds, uid, **options):
        if "NumberOfFrames" in ds:
            raise KeyboardInterrupt
        return whole(ds, uid, **options)

    monkeypatch.setattr(dicom, "compress", interrupt)
    status, report, _ = program(folder, tmp_path / "out", "--syntax", "htj2k-lossless")
    assert status == 130 and report["done"] == 1 and report["not_begun"] == 4 and list_files(tmp_path / "out") == ["a.dcm"]


def test_program_calls(folder, tmp_path):
    for words in (["--syntax", "jpeg"], [], ["--syntax", "htj2k-rpcl", "-r", "10"], ["--syntax", "htj2k", "--force", "--skip-existing"], ["--syntax", "htj2k", "--set", "x"]):
        assert refuses(SystemExit, None, dicom.main, [str(folder), str(tmp_path / "out"), *words]).code == 2
    assert refuses(SystemExit, None, dicom.main, [str(tmp_path / "none"), str(tmp_path / "out"), "--syntax", "htj2k"]).code == 2
    made = subprocess.run([sys.executable, "-m", "wavelane.dicom", folder / "a.dcm", tmp_path / "a.dcm", "--syntax", HTJ2KLossless], stdout=subprocess.PIPE, check=True)
    assert made.stdout == b"" and pydicom.dcmread(tmp_path / "a.dcm").file_meta.TransferSyntaxUID == HTJ2KLossless
