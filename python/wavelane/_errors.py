# SPDX-License-Identifier: BSD-2-Clause
"""Exceptions: one class for each status of the library, with the library's text."""
import contextlib

from ._wavelane import ffi, lib


class Error(Exception):
    """What the library refused or failed to do. str() is its text. status: the wvl_status, a number. tag: of the frame, if an Encoder made it.
    needed: the bytes of an output for which a buffer was too small."""

    status = 0
    tag = None
    needed = None


class Cancelled(Error):
    """The encode was cancelled."""


class Busy(Error):
    """Encoder.submit(): every place is taken. Receive a picture first."""


class ArgumentError(Error, ValueError):
    """An argument does not fit the others."""


class ParameterError(Error, ValueError):
    """An unknown option, a malformed value, or settings that the standard or a limit forbids."""


class UnsupportedError(Error, ValueError):
    """Legal, but this build or version does not do it."""


class UnreachableError(Error, ValueError):
    """A limit of bytes is below the bytes of headers and empty packets."""


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed."""


class SinkError(Error, OSError):
    """The file cannot be written."""


class DeviceError(Error, RuntimeError):
    """A device failed or is missing."""


class InputError(Error, ValueError):
    """A sample lies outside the declared depth."""


class InternalError(Error, RuntimeError):
    """A defect of the library. Please report it."""


class ProfileError(Error, ValueError):
    """The finished bytes break the profile. Nothing was written."""


CLASSES = {
    lib.WVL_AGAIN: Busy,
    lib.WVL_CANCELLED: Cancelled,
    lib.WVL_ERROR_ARGUMENT: ArgumentError,
    lib.WVL_ERROR_PARAMETER: ParameterError,
    lib.WVL_ERROR_UNSUPPORTED: UnsupportedError,
    lib.WVL_ERROR_UNREACHABLE: UnreachableError,
    lib.WVL_ERROR_MEMORY: OutOfMemoryError,
    lib.WVL_ERROR_SINK: SinkError,
    lib.WVL_ERROR_DEVICE: DeviceError,
    lib.WVL_ERROR_INPUT: InputError,
    lib.WVL_ERROR_INTERNAL: InternalError,
    lib.WVL_ERROR_PROFILE: ProfileError,
}


def text_of(chars):
    """A C text, or ""."""
    return ffi.string(chars).decode("utf-8", "replace") if chars else ""


def make_error(status, text="", needed=None):
    """The exception for a status."""
    error = CLASSES.get(status, Error)(text or text_of(lib.wvl_status_text(status)))
    error.status, error.needed = status, needed
    return error


def check(status, chars=ffi.NULL, needed=None):
    """Raises the exception for a status that is not success. chars: the C text of the failure."""
    if status != lib.WVL_OK:
        raise make_error(status, text_of(chars), needed)


def refuse(text):
    """Raises an ArgumentError of the package itself."""
    raise make_error(lib.WVL_ERROR_ARGUMENT, text)


@contextlib.contextmanager
def refusing(what):
    """Python's own complaints about values of a wrong type or size become ArgumentErrors. what: the values, for the text."""
    try:
        yield
    except Error:
        raise
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        raise make_error(lib.WVL_ERROR_ARGUMENT, f"{what}: {error}") from error


def check_instance(name, value, kind):
    """None, or an object of the class."""
    if value is not None and not isinstance(value, kind):
        refuse(f"{name}={value!r}: give a {kind.__name__}")


def to_c_text(name, text):
    """bytes that C reads up to their end: no byte is 0."""
    data = text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogateescape")
    if b"\0" in data:
        refuse(f"{name}: the value has a character of code 0")
    return data
