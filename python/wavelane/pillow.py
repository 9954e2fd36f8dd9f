# SPDX-License-Identifier: BSD-2-Clause
"""Wavelane as the encoder of JPEG 2000 in Pillow: wavelane.pillow.register(), and every Image.save() of JP2 or J2K goes through it.

All keywords of Pillow's own saver mean what they mean there; wavelane={...} gives keywords of wavelane.encode() besides. What is not
written here is left to Pillow: other modes, CMYK, cinema_mode, layers that do not rise, and a size below that of the headers."""
import os

import numpy as np
from PIL import Image, Jpeg2KImagePlugin

from ._encode import encode
from ._errors import UnreachableError, refuse

FORMAT = Jpeg2KImagePlugin.Jpeg2KImageFile.format
COLORS = {"L": "grey", "I;16": "grey", "I;16B": "grey", "LA": "grey", "P": "srgb", "RGB": "srgb", "RGBA": "srgb", "YCbCr": "sycc"}
CONTAINERS = {".j2k": "j2k", ".jph": "jph", ".jhc": "j2k"}  # any other is JP2, as in Pillow
HT_EXTENSIONS = (".jph", ".jhc")
MOST_LAYERS = 100  # OpenJPEG cuts what is more

_saver_of_pillow = None


def _read_pair(value):
    """Two numbers of at least 0, or None: Pillow ignores what is no pair."""
    if not isinstance(value, tuple) or len(value) != 2 or not all(isinstance(number, (int, float)) for number in value):
        return None
    return tuple(max(int(number), 0) for number in value)


def _round_down(number):
    return 1 << (int(number).bit_length() - 1)


def _read_block(info):
    width, height = _read_pair(info.get("codeblock_size")) or (0, 0)
    if 4 <= width <= 1024 and 4 <= height <= 1024 and width * height <= 4096:
        return _round_down(width), _round_down(height)
    return None


def _read_precincts(info, levels):
    """OpenJPEG halves the size from each resolution to the next lower one."""
    width, height = _read_pair(info.get("precinct_size")) or (0, 0)
    block_width, block_height = _read_pair(info.get("codeblock_size")) or (0, 0)
    if width < 4 or height < 4 or width < block_width or height <= block_height:
        return None
    width, height = _round_down(width), _round_down(height)
    return [(max(width >> n, 1), max(height >> n, 1)) for n in range(levels + 1)]


def _read_layers(info):
    """(option, values); None where OpenJPEG makes something of layers that this encoder refuses."""
    layers = info.get("quality_layers")
    if layers is not None and not (isinstance(layers, (list, tuple)) and all(isinstance(value, (int, float)) for value in layers)):
        raise ValueError("quality_layers must be a sequence of numbers")
    if not layers:
        return {}
    in_decibels = info.get("quality_mode", "rates") == "dB"
    # The last one may ask for everything.
    limited = list(layers[:-1] if layers[-1] in ((0,) if in_decibels else (0, 1)) else layers)
    steps = zip(limited, limited[1:])
    rising = all(a < b for a, b in steps) if in_decibels else all(a > b for a, b in steps)
    if len(layers) > MOST_LAYERS or not rising or any(value <= (0 if in_decibels else 1) for value in limited):
        return None
    return {"psnr" if in_decibels else "rates": list(layers)}


def _read_grid(info):
    """Tiles and offsets."""
    offset = _read_pair(info.get("offset")) or (0, 0)
    tile, tile_offset = _read_pair(info.get("tile_size")), _read_pair(info.get("tile_offset"))
    if not tile or not all(tile):
        return {"offset": offset}
    return {"offset": offset, "tile": tile, "tile_offset": tile_offset or (0, 0)}


def _read_options(info, component_count):
    """Keywords of wavelane.encode() from those of Pillow; None: leave the picture to it."""
    layers = _read_layers(info)
    if layers is None or info.get("cinema_mode", "no") != "no":
        return None
    levels = int(info.get("num_resolutions", 0) or 6) - 1
    comment = info.get("comment")
    return {**layers, **_read_grid(info), "levels": levels, "block": _read_block(info), "precincts": _read_precincts(info, levels),
            "reversible": not info.get("irreversible", False), "progression": info.get("progression", "LRCP"),
            "mct": bool(info.get("mct", 0)) and component_count >= 3, "plt": bool(info.get("plt", False)),
            "comment": comment.encode() if isinstance(comment, str) else comment}


def _read_palette(im, samples):
    """(entries, 3) or (entries, 4) with the opacity that the picture has for its indices."""
    colors = np.array(im.getpalette("RGBA"), np.uint8).reshape(-1, 4)
    missing = int(samples.max(initial=0)) + 1 - len(colors)
    colors = np.pad(colors, ((0, max(missing, 0)), (0, 0)))
    transparency = im.encoderinfo.get("transparency", im.info.get("transparency"))
    if isinstance(transparency, int) and 0 <= transparency < len(colors):
        colors[transparency, 3] = 0
    elif isinstance(transparency, bytes):
        given = np.frombuffer(transparency, np.uint8)[:len(colors)]
        colors[:len(given), 3] = given
    return colors if (colors[:, 3] < 255).any() else colors[:, :3]


def _describe(im, samples, options):
    """What a JP2 or JPH file says of its channels."""
    said = {"color": COLORS[im.mode]}
    if im.mode in ("LA", "RGBA"):
        said["alpha"] = True
    if im.mode == "P":
        if not options["reversible"] or any(options.get(key) for key in ("rates", "bpp", "layer_bytes", "psnr", "slopes", "max_bytes")):
            refuse("indices of a palette cannot be coded with loss: leave out irreversible and layers, or convert the image to RGB")
        said["palette"] = _read_palette(im, samples)
        said["alpha"] = said["palette"].shape[1] == 4
    return said


def _make(im, extension):
    """The bytes of the file; None: leave the picture to Pillow."""
    info, extra = im.encoderinfo, im.encoderinfo.get("wavelane", {})
    if not isinstance(extra, dict):
        refuse(f"wavelane={extra!r}: give a dictionary of keywords of wavelane.encode()")
    container = extra.get("container") or ("j2k" if info.get("no_jp2", False) else CONTAINERS.get(extension, "jp2"))
    if im.mode not in COLORS or (im.mode == "P" and container == "j2k"):
        return None
    samples = np.asarray(im)
    options = _read_options(info, samples.shape[2] if samples.ndim == 3 else 1)
    if options is None:
        return None
    if info.get("signed", False):
        samples = samples.astype(samples.dtype.newbyteorder("=")).view(f"i{samples.dtype.itemsize}")
    options.update(container=container, **({"style": "HT"} if extension in HT_EXTENSIONS else {}))
    options.update(extra)
    if container != "j2k":
        options = {**_describe(im, samples, options), **options}
    try:
        return encode(samples, **options)
    except UnreachableError:
        if extra:
            raise
        return None


def save(im, fp, filename):
    """What Pillow calls for Image.save(). All bytes are made before the first one is written."""
    data = _make(im, os.path.splitext(os.fsdecode(filename or ""))[1].lower())
    if data is None:
        if im.encoderinfo.get("wavelane"):
            refuse("Pillow writes images of this mode, or with these keywords, by itself: leave out wavelane")
        _saver_of_pillow(im, fp, filename)
    else:
        fp.write(data)


def register():
    """From now on Pillow writes JPEG 2000 by Wavelane. Files of the extensions .jph and .jhc have HT blocks."""
    global _saver_of_pillow  # pylint: disable=global-statement
    if Image.SAVE[FORMAT] is not save:
        _saver_of_pillow = Image.SAVE[FORMAT]
    Image.register_save(FORMAT, save)
    Image.register_extensions(FORMAT, list(HT_EXTENSIONS))


def unregister():
    """Pillow writes JPEG 2000 by itself again."""
    if Image.SAVE[FORMAT] is save:
        Image.register_save(FORMAT, _saver_of_pillow)
        for extension in HT_EXTENSIONS:
            Image.EXTENSION.pop(extension, None)
