# SPDX-License-Identifier: BSD-2-Clause
"""wvl_jp2_info from keyword arguments: what a JP2 or JPH file says beyond its codestream."""
import uuid

import numpy as np

from ._errors import refuse
from ._wavelane import ffi, lib

KEYWORDS = ("color", "icc", "alpha", "xml", "boxes", "resolution", "display_resolution", "palette", "palette_depth", "color_unknown")
COLORS = {"auto": lib.WVL_COLOR_AUTO, "srgb": lib.WVL_COLOR_SRGB, "grey": lib.WVL_COLOR_GREY, "gray": lib.WVL_COLOR_GREY, "sycc": lib.WVL_COLOR_SYCC}
MOST_ENTRIES, MOST_COLUMNS = 1024, 255
TYPE_XML, TYPE_UUID = 0x786D6C20, 0x75756964


def _pair(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value, value)


def _to_bytes(name, content):
    """Of a text or of memory; bytes() would make zeros of a number."""
    if isinstance(content, str):
        return content.encode()
    try:
        return memoryview(content).tobytes()
    except TypeError:
        refuse(f"{name}={content!r}: give bytes" + (" or a text" if name != "icc" else ""))


def _read_uuid(kind):
    if isinstance(kind, str):
        refuse(f"boxes: {kind!r} is no kind of box; give 'xml', a uuid.UUID or 16 bytes")
    return kind.bytes if isinstance(kind, uuid.UUID) else uuid.UUID(bytes=_to_bytes("boxes", kind)).bytes


class Jp2Info:
    """`pointer` is a wvl_jp2_info, or NULL if no keyword was given."""

    def __init__(self, given, component_count):
        self._keep = []
        self.pointer = ffi.NULL
        if any(value is not None and value is not False for value in given.values()):
            self.pointer = ffi.new("wvl_jp2_info *", {"struct_size": ffi.sizeof("wvl_jp2_info")})
            palette = given.get("palette")
            self._count = component_count if palette is None else np.shape(palette)[-1]
            for key, value in given.items():
                if value is not None and key not in ("xml", "boxes"):
                    getattr(self, "_set_" + key)(value)
            self._set_all_boxes(given)

    def _hold(self, kind, value):
        self._keep.append(ffi.new(kind, value))
        return self._keep[-1]

    def _set_color(self, value):
        if value not in COLORS:
            refuse(f"color={value!r}: give one of {', '.join(COLORS)}")
        self.pointer.color = COLORS[value]

    def _set_icc(self, value):
        profile = _to_bytes("icc", value)
        self.pointer.icc, self.pointer.icc_bytes = self._hold("uint8_t[]", profile), len(profile)

    def _set_alpha(self, value):
        kinds = {True: lib.WVL_CHANNEL_OPACITY, "premultiplied": lib.WVL_CHANNEL_PREMULTIPLIED}
        if value is False:
            return
        if value not in kinds:
            refuse(f"alpha={value!r}: give True or 'premultiplied' if the last component is opacity")
        channels = [lib.WVL_CHANNEL_COLOR] * (self._count - 1) + [kinds[value]]
        self.pointer.channel_types, self.pointer.channel_count = self._hold("uint16_t[]", channels), len(channels)

    def _set_resolution(self, value):
        self.pointer.capture_x_per_metre, self.pointer.capture_y_per_metre = _pair(value)

    def _set_display_resolution(self, value):
        self.pointer.display_x_per_metre, self.pointer.display_y_per_metre = _pair(value)

    def _set_palette(self, value):
        table = np.ascontiguousarray(value)
        if table.ndim != 2 or table.dtype not in (np.uint8, np.uint16):
            refuse("palette: give an array of (entries, columns) of 8 or 16 bits without sign")
        if table.shape[0] > MOST_ENTRIES or table.shape[1] > MOST_COLUMNS:
            refuse(f"palette: {table.shape[0]} entries of {table.shape[1]} columns; 1 to {MOST_ENTRIES} of 1 to {MOST_COLUMNS} are allowed (I.5.3.4)")
        info = self.pointer
        info.palette_entries, info.palette_columns = table.shape
        info.palette_depth = info.palette_depth or table.dtype.itemsize * 8
        info.palette = self._hold("uint16_t[]", table.astype(np.uint16).ravel().tolist())

    def _set_palette_depth(self, value):
        self.pointer.palette_depth = value

    def _set_color_unknown(self, value):
        self.pointer.color_unknown = int(value)

    def _set_all_boxes(self, given):
        boxes = [] if given.get("xml") is None else [("xml", given["xml"])]
        boxes += given.get("boxes") or []
        made = self._hold("wvl_box[]", len(boxes))
        for box, (kind, content) in zip(made, boxes):
            content = _to_bytes("xml" if kind == "xml" else "boxes", content)
            box.type = TYPE_XML if kind == "xml" else TYPE_UUID
            if kind != "xml":
                box.uuid = _read_uuid(kind)
            box.data, box.bytes = self._hold("uint8_t[]", content), len(content)
        self.pointer.boxes, self.pointer.box_count = made, len(boxes)
