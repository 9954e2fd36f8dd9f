# SPDX-License-Identifier: BSD-2-Clause
"""An encoder of pydicom. The import registers it for JPEG 2000 and HTJ2K: ds.compress(HTJ2KLosslessRPCL, encoding_plugin="wavelane").

compress() of this module does that, and also sets the attributes of the dataset that the standard asks for."""
import math
import sys
import weakref

import numpy as np
import pydicom
from pydicom.uid import JPEG2000, UID, ExplicitVRBigEndian, HTJ2K, HTJ2KLossless, HTJ2KLosslessRPCL, JPEG2000Lossless

from ._encode import encode_picture
from ._encoder import Encoder as Frames
from ._errors import UnsupportedError

if int(pydicom.__version__.split(".", maxsplit=1)[0]) < 3:
    raise ImportError(f"wavelane.pydicom needs pydicom 3.0 or later, and this is {pydicom.__version__}: pip install --upgrade pydicom")

from pydicom.pixels.encoders import base  # pylint: disable=wrong-import-position # pydicom 2 has none

NAME = "wavelane"
LOSSLESS = (JPEG2000Lossless, HTJ2KLossless, HTJ2KLosslessRPCL)
SYNTAXES = (JPEG2000Lossless, JPEG2000, HTJ2KLossless, HTJ2KLosslessRPCL, HTJ2K)
METHODS = {JPEG2000: "ISO_15444_1", HTJ2K: "ISO_15444_15"}  # PS3.3 C.7.6.1.1.5.1
TRANSFORMED = {"YBR_RCT": True, "YBR_ICT": False}  # reversible or not
TARGETS = ("rates", "bpp", "layer_bytes", "psnr", "slopes", "max_bytes", "qfactor", "step")
MOST_DEPTH = {True: 32, False: 28}  # of HT blocks, and of others
# PS3.5 8.2: photometric interpretation, samples per pixel, pixel representation, bits allocated, bits stored.
_DEPTHS = (8, 16, 24, 32, 40), range(1, 39)
_GREY = [("MONOCHROME1", 1, (0, 1), *_DEPTHS), ("MONOCHROME2", 1, (0, 1), *_DEPTHS), ("PALETTE COLOR", 1, (0,), (8, 16), range(1, 17))]
_COLOR = [(name, 3, (0,), *_DEPTHS) for name in ("YBR_RCT", "RGB", "YBR_FULL")]
PROFILES = {HTJ2KLossless: _GREY + _COLOR, HTJ2KLosslessRPCL: _GREY + _COLOR, HTJ2K: _GREY[:2] + _COLOR + [("YBR_ICT", 3, (0,), *_DEPTHS)]}
RSIZ, IS_HT = slice(6, 8), 0x4000  # in a codestream (A.5.1)

ENCODER_DEPENDENCIES = {uid: ("numpy", "wavelane") for uid in SYNTAXES}
# What pydicom itself puts among the options of an encoder; all others are keywords of wavelane.encode().
_OPTIONS_OF_HOST = frozenset(base.EncodeOptions.__annotations__) | frozenset(base.RunnerOptions.__annotations__)


def is_available(uid):
    """Whether pixel data can be encoded for a transfer syntax."""
    return uid in SYNTAXES


# ---- One frame ----


def _take_targets(syntax, given):
    """Keywords of wavelane.encode() from those of pydicom."""
    options = {key: value for key, value in given.items() if key not in _OPTIONS_OF_HOST}
    for name, key in (("j2k_cr", "rates"), ("j2k_psnr", "psnr")):
        if given.get(name):
            if any(options.get(target) is not None for target in TARGETS):
                raise ValueError(f"{name} is not the only option that asks for a size or quality: give one")
            options[key] = list(given[name])
    lossy = any(options.get(target) is not None for target in TARGETS)
    if syntax in LOSSLESS:
        if options.setdefault("reversible", True) is not True:
            raise ValueError(f"'{syntax.name}' is lossless: leave out reversible, or take the transfer syntax 'JPEG 2000' or 'HTJ2K'")
    elif not lossy and options.get("reversible") is None and "preset" not in options:
        raise ValueError(f"'{syntax.name}' needs a size or quality, as j2k_cr=[10] for JPEG 2000, rates=[10] or psnr=45 for both; or reversible=True. "
                         "pydicom hands on j2k_cr and j2k_psnr for JPEG 2000 alone")
    return options


def read_options(syntax, photometric, given):
    """Keywords of wavelane.encode() for a transfer syntax. photometric: that of the encoded samples."""
    options = _take_targets(syntax, given)
    transformed = TRANSFORMED.get(str(photometric))
    if "preset" not in options:
        options.setdefault("reversible", False if transformed is None else transformed)
    if transformed is not None and options.setdefault("reversible", transformed) is not transformed:
        raise ValueError(f"{photometric} goes with reversible={transformed} alone (PS3.3 C.7.6.3.1.2)")
    fixed = {"container": "j2k", "mct": transformed is not None}
    if syntax not in (JPEG2000Lossless, JPEG2000):
        fixed["style"] = "HT"
    if syntax == HTJ2KLosslessRPCL:
        fixed.update(preset="dicom-htj2k-rpcl", style=None)
    for key, value in fixed.items():
        if options.get(key) not in (None, value):
            raise ValueError(f"{key}={options[key]!r}: '{syntax.name}' with {photometric} decides this; leave it out")
        options[key] = value
    return options


class _Format:
    """The frames of a runner: how their samples lie, and the options of the encode."""

    def __init__(self, runner):
        depth, samples = runner.bits_stored, runner.samples_per_pixel
        most = MOST_DEPTH[runner.transfer_syntax not in (JPEG2000Lossless, JPEG2000)]
        if depth > most:
            raise UnsupportedError(f"(0028,0101) 'Bits Stored' is {depth}: samples of at most {most} bits are supported")
        self.depth, self.signed = depth, runner.pixel_representation == 1
        self.dtype = np.dtype(f"<{'i' if self.signed else 'u'}{1 if depth <= 8 else 2 if depth <= 16 else 4}")
        self.planar = samples > 1 and runner.planar_configuration == 1 and not runner.is_array  # pydicom's arrays are by pixel
        plane = runner.rows, runner.columns
        self.shape = plane if samples == 1 else (samples, *plane) if self.planar else (*plane, samples)
        self.syntax = runner.transfer_syntax
        self.options = dict(read_options(runner.transfer_syntax, runner.photometric_interpretation, runner.options), depth=depth, planar=self.planar)

    def read(self, source):
        """The samples of a frame. Bits above those that are stored may be zero where the sample is negative: they say nothing (PS3.5 8.1.1)."""
        frame = np.frombuffer(source, self.dtype, math.prod(self.shape)).reshape(self.shape)
        unused = 8 * self.dtype.itemsize - self.depth
        if self.signed and unused and frame.size and frame.max() >= 1 << (self.depth - 1):
            if (frame.view(f"<u{self.dtype.itemsize}") >> self.depth).any():
                raise ValueError(f"samples have other bits than their {self.depth} in the place of the sign")
            frame = (frame << unused) >> unused
        return frame if sys.byteorder == "little" else frame.astype(frame.dtype.newbyteorder("="))

    def check(self, picture):
        """The bytes of a finished picture. With the options of the caller they may not be what the transfer syntax says."""
        if self.syntax in LOSSLESS and picture.info.layers[-1].psnr != math.inf:
            raise ValueError(f"these options lose something, and '{self.syntax.name}' is lossless: leave them out, or take 'JPEG 2000' or 'HTJ2K'")
        if bool(int.from_bytes(picture.data[RSIZ], "big") & IS_HT) is (self.syntax in (JPEG2000Lossless, JPEG2000)):
            raise ValueError(f"these options do not make blocks of '{self.syntax.name}': leave out style and preset")
        return picture.data


# ---- Frames in flight ----


class _Run:
    """The frames that one runner asks for, one after the other."""

    def __init__(self, runner):
        self.format, self.calls, self._flight = _Format(runner), 0, None

    def encode(self, source, runner):
        """The first frame of a runner may be the only one. A second one means that all of them come in order, so later ones are coded at the same time."""
        self.calls += 1
        if self.calls == 1:
            return self.format.check(encode_picture(self.format.read(source), **self.format.options))
        if self._flight is None:
            self._flight = _Flight(self.format)
        return self.format.check(self._flight.encode(source, runner, self.calls - 1))


class _Flight:
    """Pictures of frames that the host has not asked for yet."""

    def __init__(self, format_):
        keywords = dict(format_.options)
        self._format, self._next = format_, None
        self._encoder = Frames(format_.shape, format_.dtype.newbyteorder("="), **keywords)
        self._sources = []

    def encode(self, source, runner, index):
        if self._next is None:
            self._next = index
        while self._next < runner.number_of_frames and len(self._sources) < self._encoder.frames:
            ahead = source if self._next == index else runner.get_frame(self._next)
            self._encoder.submit(self._format.read(ahead))
            self._sources.append(ahead)
            self._next += 1
        expected = self._sources.pop(0) if self._sources else None
        picture = self._encoder.receive() if expected is not None else None
        if expected is not source and expected != source:  # not in their order after all
            picture = encode_picture(self._format.read(source), **self._format.options)
        return picture


_runs = weakref.WeakKeyDictionary()  # runner -> _Run


def _encode_frame(src, runner):
    """What pydicom calls for each frame."""
    run = _runs.get(runner)
    if run is None:
        run = _runs[runner] = _Run(runner)
    return run.encode(src, runner)


# ---- Registration ----


def _register():
    """JPEG 2000 has encoders in pydicom. HTJ2K has none up to 3.0: then they go into its table of encoders, which is not a public name."""
    for uid in SYNTAXES:
        try:
            encoder = base.get_encoder(uid)
        except NotImplementedError:
            table = getattr(base, "_PIXEL_DATA_ENCODERS", None)
            if not isinstance(table, dict) or not all(isinstance(entry, tuple) and len(entry) == 2 for entry in table.values()):
                raise ImportError(f"pydicom {pydicom.__version__} keeps its encoders in another way than 3.0, so wavelane cannot add {uid.keyword}; "
                                  "JPEG 2000 is registered. Take pydicom 3.0, or a later wavelane") from None
            encoder = base.Encoder(uid)
            table[uid] = encoder, "3.0"
            base.ENCODING_PROFILES.setdefault(uid, PROFILES[uid])
        if NAME not in encoder.available_plugins:
            encoder.add_plugin(NAME, (__name__, _encode_frame.__name__))


_register()


# ---- A dataset ----


def _count_bits(ds):
    return ds.Rows * ds.Columns * ds.get("SamplesPerPixel", 1) * ds.BitsStored * int(ds.get("NumberOfFrames", None) or 1)


def _count_bytes(ds):
    """Of the frames that were encapsulated, without items of offsets and padding."""
    return sum(len(frame) for frame in pydicom.encaps.generate_frames(ds.PixelData, number_of_frames=int(ds.get("NumberOfFrames", None) or 1)))


def _append(ds, keyword, value, count):
    """A further value of an element; values that earlier steps left out are empty."""
    old = ds.get(keyword, None)
    values = [] if old in (None, "") else list(old) if isinstance(old, pydicom.multival.MultiValue) else [old]
    setattr(ds, keyword, values + [""] * (count - len(values)) + [value])


def _count_steps(ds, *keywords):
    return max(ds[keyword].VM if keyword in ds else 0 for keyword in keywords)


def _find_types(ds):
    """Datasets and keywords whose first value says whether pixels are original: Image Type, and Frame Type of functional groups."""
    yield ds, "ImageType"
    groups = [*ds.get("SharedFunctionalGroupsSequence", []), *ds.get("PerFrameFunctionalGroupsSequence", [])]
    for group in groups:
        for element in group:
            if element.VR == "SQ" and element.keyword.endswith("FrameTypeSequence"):
                yield from ((item, "FrameType") for item in element.value)


def _tell_loss(ds, uid):
    """PS3.3 C.7.6.1.1.5: that pixels were lost, by how much and by which method; and C.7.6.1.1.2: they are derived."""
    ratio = f"{_count_bits(ds) / 8 / max(_count_bytes(ds), 1):.6g}"
    steps = _count_steps(ds, "LossyImageCompressionRatio", "LossyImageCompressionMethod")
    ds.LossyImageCompression = "01"
    _append(ds, "LossyImageCompressionRatio", ratio, steps)
    _append(ds, "LossyImageCompressionMethod", METHODS[uid], steps)
    for item, keyword in _find_types(ds):
        if item.get(keyword):
            setattr(item, keyword, ["DERIVED", *list(item[keyword].value)[1:]])


def _choose_photometric(ds, uid, options):
    """RGB is coded as YBR_RCT or YBR_ICT, unless mct=False."""
    photometric = ds.get("PhotometricInterpretation", "")
    if photometric != "RGB" or options.pop("mct", True) is False:
        return photometric
    return "YBR_RCT" if uid in LOSSLESS or options.get("reversible") else "YBR_ICT"


def check_pixels(ds):
    """What pydicom's encoders do not look at."""
    if ds.get("HighBit", None) not in (None, ds.get("BitsStored", 0) - 1):
        raise ValueError(f"(0028,0102) 'High Bit' is {ds.HighBit} and (0028,0101) 'Bits Stored' is {ds.BitsStored}: samples do not begin at bit 0")
    for element in ds:
        if element.tag.group & 0xFF00 == 0x6000 and element.tag.element == 0x0102 and element.value:
            raise ValueError(f"{element.tag} 'Overlay Bit Position' is {element.value}: an overlay lies in the bits of the pixels. "
                             "Move it to (60xx,3000) 'Overlay Data' first")
    if getattr(ds, "file_meta", {}).get("TransferSyntaxUID") == ExplicitVRBigEndian:
        raise ValueError("the transfer syntax is Explicit VR Big Endian, which was retired: convert it to little endian first")


def compress(ds, transfer_syntax_uid, arr=None, *, generate_instance_uid=None, **options):
    """ds.compress() by Wavelane, with the attributes that the standard asks for. The dataset changes completely or not at all.

    RGB becomes YBR_RCT or YBR_ICT (mct=False: it stays RGB). Lossy Image Compression, its Ratio and Method are set or get one more value;
    Image Type and Frame Type begin with DERIVED. Planar Configuration is 0. generate_instance_uid: a new SOP Instance UID; None: where
    pixels are lost. arr and the other keywords: those of ds.compress(), and of wavelane.encode()."""
    uid = UID(transfer_syntax_uid)
    if uid not in SYNTAXES:
        raise NotImplementedError(f"'{uid.name}' is no transfer syntax of JPEG 2000 or HTJ2K")
    photometric, old = _choose_photometric(ds, uid, options), ds.get("PhotometricInterpretation", None)
    check_pixels(ds)
    given = {"encapsulate_ext": options.pop("encapsulate_ext", False)}
    if uid != JPEG2000:  # pydicom hands these on for JPEG 2000 alone
        options.update({key: list(options.pop(name)) for name, key in (("j2k_cr", "rates"), ("j2k_psnr", "psnr")) if options.get(name)})
    is_lossy = uid not in LOSSLESS and not (options.get("reversible") is True and not any(options.get(target) is not None for target in TARGETS))
    try:
        if photometric != old:
            ds.PhotometricInterpretation = photometric
        ds.compress(uid, arr, encoding_plugin=NAME, generate_instance_uid=is_lossy if generate_instance_uid is None else generate_instance_uid, **given, **options)
    except BaseException:
        if photometric != old:
            ds.PhotometricInterpretation = old
        raise
    if ds.get("SamplesPerPixel", 1) > 1:
        ds.PlanarConfiguration = 0
    if is_lossy:
        _tell_loss(ds, uid)
    return ds
