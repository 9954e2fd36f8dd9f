# SPDX-License-Identifier: BSD-2-Clause
"""Python's decoders in processes of their own, which damaged data may end. A process serves many calls; each call has one to itself.

A request is a length of 8 bytes and the data. An answer is a kind, a length and the content: an array in NumPy's format, or a text."""
import atexit
import importlib.util
import io
import os
import signal
import subprocess
import sys
import threading

import numpy as np

ARRAY, ABSENT, FAILED = b"a", b"i", b"e"
MOST_IDLE = 8
MOST_SECONDS = 600  # of one call
PROGRAM = "import sys; sys.path[:] = sys.argv[3:]; from wavelane._apart import serve; serve(*sys.argv[1:3])"

_idle = []  # (name, process)
_lock = threading.Lock()


def _put(file, kind, content):
    file.write(kind + len(content).to_bytes(8, "big") + content)
    file.flush()


def _take(file, prefix):
    """The kind and the content; None at the end of the file."""
    head = file.read(prefix + 8)
    if len(head) < prefix + 8:
        return None
    length = int.from_bytes(head[prefix:], "big")
    content = file.read(length)
    return (head[:prefix], content) if len(content) == length else None


# ---- In the process ------------------------------------------------------------------------------


def _answer(function, data):
    try:
        made = io.BytesIO()
        np.save(made, np.asarray(function(data)), allow_pickle=False)
        return ARRAY, made.getvalue()
    except ImportError as problem:
        return ABSENT, str(problem).encode("utf-8", "replace")
    except Exception as problem:  # pylint: disable=broad-exception-caught # of any decoder
        return FAILED, (str(problem) or type(problem).__name__).encode("utf-8", "replace")


def serve(module, name):
    """Decodes what comes until there is no more. What a decoder prints goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # that of the caller's terminal
    function = getattr(importlib.import_module(module), name)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while (request := _take(sys.stdin.buffer, 0)) is not None:
        _put(answers, *_answer(function, request[1]))


# ---- In the caller's -----------------------------------------------------------------------------


def _end(process):
    process.kill()
    process.stdin.close()
    process.stdout.close()
    return process.wait()


def _end_idle():
    while _idle:
        _end(_idle.pop()[1])


def _forget():
    """After a fork the processes are those of the parent."""
    global _idle, _lock  # pylint: disable=global-statement
    _idle, _lock = [], threading.Lock()


atexit.register(_end_idle)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _start(function):
    paths = [path or os.getcwd() for path in sys.path]
    return subprocess.Popen([sys.executable, "-c", PROGRAM, function.__module__, function.__name__, *paths], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _call(process, data):
    """The answer; None: the process has ended, or takes too long."""
    timer = threading.Timer(MOST_SECONDS, process.kill)
    timer.daemon = True
    timer.start()
    try:
        _put(process.stdin, b"", data)
        return _take(process.stdout, 1)
    except BrokenPipeError:
        return None
    finally:
        timer.cancel()


def _borrow(name, function):
    with _lock:
        for at, (idle, process) in enumerate(_idle):
            if idle == name and process.poll() is None:
                del _idle[at]
                return process
    return _start(function)


def _give_back(name, process):
    with _lock:
        if len(_idle) < MOST_IDLE:
            _idle.append((name, process))
            return
    _end(process)


def decode_apart(name, function, data):
    """function(data), with the module `name`, in another process. ImportError: it is not there."""
    if not sys.executable or importlib.util.find_spec(name) is None:
        raise ImportError(name)
    process = _borrow(name, function)
    try:
        answer = _call(process, data)
    except BaseException:
        _end(process)
        raise
    if answer is None:
        status = _end(process)
        raise RuntimeError(f"{name} ended its process (status {status}): the data is damaged, or it takes more than {MOST_SECONDS} s")
    _give_back(name, process)
    kind, content = answer
    if kind == ABSENT:
        raise ImportError(content.decode())
    if kind == FAILED:
        raise RuntimeError(f"{name} failed: {content.decode()}")
    return np.load(io.BytesIO(content), allow_pickle=False)
