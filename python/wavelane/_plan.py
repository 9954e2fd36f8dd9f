# SPDX-License-Identifier: BSD-2-Clause
"""Plans: the format of pictures and everything else that is known before the pixels."""
import numbers
import os
import threading

from . import _jp2
from ._context import fetch_context, find_log_level, own
from ._errors import check, refuse, refusing
from ._options import Params
from ._pixels import check_count, check_type
from ._wavelane import ffi, lib

ERROR_BYTES = 4096
FORMAT_KEYWORDS = ("depth", "subsampling", "offset")
KEPT_PLANS = 8
KINDS = {"i": lib.WVL_SAMPLE_SIGNED, "f": lib.WVL_SAMPLE_FLOAT}
SIMPLE = frozenset((str, int, float, bool, type(None)))
PLAN_KEYWORDS = ("preset", "threads", "context") + FORMAT_KEYWORDS + _jp2.KEYWORDS


def _spread(value, count, name):
    """One value for each component."""
    values = list(value) if isinstance(value, (list, tuple)) else [value] * count
    if len(values) != count:
        refuse(f"{name}: {len(values)} values for {count} components")
    return values


def _read_steps(value, count):
    """(dx, dy) of each component."""
    steps = _spread(value, count, "subsampling")
    for step in steps:
        if not isinstance(step, (tuple, list)) or len(step) != 2 or not all(isinstance(n, numbers.Integral) and 1 <= n <= 255 for n in step):
            refuse(f"subsampling: {step!r}; give a pair (dx, dy) of 1 to 255 for each component")
    return [tuple(step) for step in steps]


def _find_factor(whole, part):
    """1, 2 or 4, by which the extent of a component may be subsampled; 0: by none of them."""
    return next((factor for factor in (1, 2, 4) if -(-whole // factor) == part), 0)


def _find_subsampling(sizes):
    """Of planes of different sizes; the first one has them all."""
    height, width = sizes[0]
    found = [(_find_factor(width, w), _find_factor(height, h)) for h, w in sizes]
    if not all(dx and dy for dx, dy in found):
        refuse("sizes of the planes do not follow from the first one by 1, 2 or 4: give subsampling=[(dx, dy), ...]")
    return found


class Format:
    """wvl_image_format of components with these sizes and types of samples."""

    def __init__(self, layout, depth=None, subsampling=None, offset=(0, 0)):
        sizes, types = layout
        count = len(sizes)
        check_count(count)
        steps = _find_subsampling(sizes) if subsampling is None else _read_steps(subsampling, count)
        depths = _spread(depth, count, "depth")
        self._components = ffi.new("wvl_component_format[]", count)
        for place, (kind, size), bits, (dx, dy) in zip(self._components, types, depths, steps):
            check_type(kind, size)
            if bits is None and size == 4 and kind != "f":
                refuse("samples of 32 bits: give depth, 1 to 32")
            place.depth = (1 if kind == "b" else 8 * size) if bits is None else bits
            place.is_signed, place.dx, place.dy = KINDS.get(kind, lib.WVL_SAMPLE_UNSIGNED), dx, dy
        x0, y0 = offset
        x1, y1 = (self._find_extent(sizes, steps, axis) for axis in (0, 1))
        self.pointer = ffi.new("wvl_image_format *", {
            "struct_size": ffi.sizeof("wvl_image_format"), "x0": x0, "y0": y0, "x1": x0 + x1, "y1": y0 + y1,
            "component_count": count, "components": self._components})
        self._check_sizes(sizes, steps, (x0, y0))

    @staticmethod
    def _find_extent(sizes, steps, axis):
        """Of the picture in grid points: that of a component without subsampling, else the most that the first one covers."""
        lengths = [size[1 - axis] for size in sizes]
        return next((n for n, step in zip(lengths, steps) if step[axis] == 1), lengths[0] * steps[0][axis])

    def _check_sizes(self, sizes, steps, offset):
        ends = self.pointer.x1, self.pointer.y1
        for c, (size, step) in enumerate(zip(sizes, steps)):
            wanted = [-(-ends[axis] // step[axis]) - -(-offset[axis] // step[axis]) for axis in (0, 1)]
            if (size[1], size[0]) != tuple(wanted):
                refuse(f"component {c} has {size[1]}x{size[0]} samples, but subsampling and offset ask for {wanted[0]}x{wanted[1]}")


def split_keywords(keywords, wanted):
    """(those that are named in `wanted`, the others: options of the library)"""
    named = {key: keywords[key] for key in wanted if key in keywords}
    return named, {key: value for key, value in keywords.items() if key not in named}


class Plan:
    """wvl_plan. keywords: PLAN_KEYWORDS and options. path: of a file whose extension says the container."""

    @refusing("a keyword or option has a value of a wrong type or size")
    def __init__(self, layout, keywords, path=None):
        named, settings = split_keywords(keywords, PLAN_KEYWORDS)
        self.layout = layout
        self.context = fetch_context(named.pop("context", None), named.pop("threads", 0) or 0)
        params = Params(self.context, named.pop("preset", None), settings)
        if path is not None:
            params.fit_container(path, settings.get("container") is not None or params.get("container") != "j2k")
        form = Format(self.layout, **{key: named[key] for key in FORMAT_KEYWORDS if key in named})
        info = _jp2.Jp2Info({key: named[key] for key in _jp2.KEYWORDS if key in named}, len(self.layout[0]))
        if info.pointer and params.get("container") == "j2k":
            refuse("a codestream carries no color, icc, alpha, boxes, resolution or palette: give container='jp2' or 'jph'")
        self._build(params, form, info)

    def _build(self, params, form, info):
        text, place = ffi.new("char[]", ERROR_BYTES), ffi.new("wvl_plan **")
        request = ffi.new("wvl_plan_request *", {
            "struct_size": ffi.sizeof("wvl_plan_request"), "context": self.context.pointer, "params": params.pointer,
            "format": form.pointer, "jp2": info.pointer, "error": text, "error_bytes": ERROR_BYTES})
        check(lib.wvl_plan_build(request, place), text)
        self.pointer = own(place[0], lib.wvl_plan_release, self.context)

    def measure(self):
        """wvl_plan_memory."""
        memory = ffi.new("wvl_plan_memory *", {"struct_size": ffi.sizeof("wvl_plan_memory")})
        check(lib.wvl_plan_measure(self.pointer, memory))
        return memory

    def check_pixels(self, pixels):
        """Pixels of an encoder are all alike."""
        if pixels.layout != self.layout:
            refuse(f"the array has components of {_describe(pixels.layout)}, the encoder was made for {_describe(self.layout)}")


def _describe(layout):
    return ", ".join(f"{w}x{h} {kind}{8 * size}" for (h, w), (kind, size) in zip(*layout))


def _is_simple(value):
    """It is described by its repr()."""
    return type(value) in SIMPLE or (type(value) in (list, tuple) and all(map(_is_simple, value)))


_kept, _lock = {}, threading.Lock()  # plans of the last calls, as pictures mostly come in series: one takes as long as to encode a small picture


def _forget_after_fork():
    global _lock
    _lock = threading.Lock()
    _kept.clear()


os.register_at_fork(after_in_child=_forget_after_fork)


def fetch_plan(layout, keywords, path=None):
    """A Plan, perhaps one that was made before. Not where the caller's context, or a large object, would live on with it."""
    if keywords.get("context") is not None or not all(map(_is_simple, keywords.values())):
        return Plan(layout, keywords, path)
    key = find_log_level(), layout, path, repr(sorted(keywords.items()))  # the level: of the context that the plan belongs to
    with _lock:
        plan = _kept.get(key)
    plan = plan or Plan(layout, keywords, path)
    with _lock:
        _kept.pop(key, None)
        _kept[key] = plan  # the last one now
        dropped = _kept.pop(next(iter(_kept))) if len(_kept) > KEPT_PLANS else None
    del dropped  # not under the lock: it may be released here
    return plan
