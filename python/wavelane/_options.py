# SPDX-License-Identifier: BSD-2-Clause
"""The library's table of options as keyword arguments."""
import collections

from ._context import own
from ._errors import check, refuse, text_of, to_c_text
from ._wavelane import ffi, lib

Option = collections.namedtuple("Option", "key type range initial doc section")
Preset = collections.namedtuple("Preset", "name doc settings")
Device = collections.namedtuple("Device", "name ordinal capability memory_bytes usable")

TYPES = {
    lib.WVL_OPTION_BOOL: "bool", lib.WVL_OPTION_INTEGER: "integer", lib.WVL_OPTION_REAL: "real", lib.WVL_OPTION_TEXT: "text",
    lib.WVL_OPTION_CHOICE: "choice", lib.WVL_OPTION_PAIR: "pair", lib.WVL_OPTION_PAIRS: "pairs", lib.WVL_OPTION_REALS: "reals"}


def options():
    """The table of options, as a list of Option. A keyword argument is the key with _ in place of -."""
    count = ffi.new("size_t *")
    table = lib.wvl_options(count)
    return [Option(text_of(o.key), TYPES[o.type], text_of(o.range), text_of(o.initial), text_of(o.doc), text_of(o.section))
            for o in table[0:count[0]]]


def presets():
    """The presets, as a list of Preset."""
    count = ffi.new("size_t *")
    table = lib.wvl_presets(count)
    return [Preset(text_of(p.name), text_of(p.doc), text_of(p.settings)) for p in table[0:count[0]]]


def devices():
    """The devices that the option device can name, as a list of Device; empty without device code or driver."""
    found = []
    info = ffi.new("wvl_device_info *", {"struct_size": ffi.sizeof("wvl_device_info")})
    while lib.wvl_device_describe(len(found), info) == lib.WVL_OK:
        capability = info.capability_major, info.capability_minor
        found.append(Device(text_of(info.name), info.ordinal, capability, info.memory_bytes, bool(info.usable)))
    return found


def build_text():
    """Version, compiler, SIMD level in use, and whether device code was built."""
    return text_of(lib.wvl_build_text())


TABLE = {option.key.replace("-", "_"): option for option in options()}
JOINTS = {"style": "+", "overrides": "/", "roi": "/", "progression_changes": "/"}


def _format_one(value, words=""):
    if hasattr(value, "item"):  # a scalar of numpy
        value = value.item()
    if isinstance(value, bool):
        yes, no = ("on", "off") if "on" in words.split("|") else ("yes", "no")
        return yes if value else no
    return value if isinstance(value, str) else repr(value)


def _format_list(key, type_name, value):
    if type_name == "pairs":
        pairs = [value] if value and not isinstance(value[0], (list, tuple)) else value
        return ",".join("[%s,%s]" % (_format_one(a), _format_one(b)) for a, b in pairs)
    return JOINTS.get(key, ",").join(_format_one(v) for v in value)


def format_value(key, value):
    """The value of an option as wvl_params_set() takes it. key: as a keyword."""
    option = TABLE.get(key)
    if isinstance(value, (list, tuple)):
        return _format_list(key, option.type if option else "text", value)
    return _format_one(value, option.range if option else "")


class Params:
    """wvl_params with a preset and options."""

    def __init__(self, context, preset, settings):
        place = ffi.new("wvl_params **")
        check(lib.wvl_params_create(context.pointer, place))
        self.pointer = own(place[0], lib.wvl_params_release, context)
        if preset is not None:
            check(lib.wvl_params_preset(self.pointer, to_c_text("preset", preset)), lib.wvl_params_error(self.pointer))
        for key, value in settings.items():
            if value is not None:
                self.set(key, value)

    def set(self, key, value):
        """One option. A list of comments is set one by one."""
        for one in value if key == "comment" and isinstance(value, (list, tuple)) else [value]:
            self._set_text(key.replace("_", "-"), one if isinstance(one, bytes) else self._encode(key, one))

    @staticmethod
    def _encode(key, value):
        text = format_value(key, value)
        try:
            return text.encode("iso8859-15" if key == "comment" else "utf-8")
        except UnicodeEncodeError as error:
            refuse(f"{key}: {text[error.start]!r} is no character of ISO 8859-15")

    def _set_text(self, key, text):
        name = to_c_text("the name of an option", key)
        check(lib.wvl_params_set(self.pointer, name, to_c_text(key, text)), lib.wvl_params_error(self.pointer))

    def get(self, key):
        return text_of(lib.wvl_params_get(self.pointer, key.encode()))

    def fit_container(self, name, asked):
        """Container and HT blocks that the extension of a file says; asked: the caller named a container."""
        extension = name.rpartition(".")[2].lower() if "." in name else ""
        container = {"jp2": "jp2", "jph": "jph", "j2k": "j2k", "j2c": "j2k", "jpc": "j2k", "jhc": "j2k"}.get(extension)
        if asked and container not in (None, self.get("container")):
            refuse(f"{name}: the extension stands for {container}, but container names {self.get('container')}; change one of them")
        if container is None and not asked:
            refuse(f"{name}: the extension must be .jp2, .jph, .j2k, .j2c, .jpc or .jhc, or give container")
        if not asked:
            self.set("container", container)
        if extension in ("jph", "jhc") and "HT" not in self.get("style"):
            style = self.get("style")
            self.set("style", "HT" if style == "0" else style + "+HT")
