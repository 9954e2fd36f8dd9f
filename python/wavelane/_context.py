# SPDX-License-Identifier: BSD-2-Clause
"""Contexts of the library, its log and trace, cancel tokens, and what a fork does to them."""
import atexit
import itertools
import logging
import os
import threading
import weakref

from ._errors import check, check_instance, refuse, refusing
from ._wavelane import ffi, lib

LEVELS = (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG)
STAGES = ("transform", "code", "rate", "write", "check")

logger = logging.getLogger("wavelane")
_traces = {}  # number -> function; the number is the library's `user`, so a late call finds nothing instead of freed memory
_numbers = itertools.count(1)
_shared = {}  # (threads, level of the log) -> Context
_lock = threading.Lock()
_current = threading.local()  # .watch: of the encode that this thread is in

atexit.register(lib.wvl_python_close)


def own(pointer, release, *keep):
    """A pointer that is released when it is collected, while `keep` lives. After a fork the child must not: its threads are the parent's."""
    process = os.getpid()

    def let_go(what):
        if os.getpid() == process:
            release(what)
        del keep_alive[:]

    keep_alive = list(keep)
    return ffi.gc(pointer, let_go)


def _forget_after_fork():
    global _lock
    _lock = threading.Lock()
    _shared.clear()


os.register_at_fork(after_in_child=_forget_after_fork)


@ffi.def_extern()
def wvl_python_log(user, level, text):
    logger.log(LEVELS[level], "%s", ffi.string(text).decode("utf-8", "replace"))


@ffi.def_extern()
def wvl_python_trace(user, track, name, picture, begin, end):
    function = _traces.get(int(ffi.cast("uintptr_t", user)))
    if function is not None:
        function(ffi.string(track).decode(), ffi.string(name).decode(), picture, begin, end)


def find_watch():
    """Of the encode that this thread is in."""
    return getattr(_current, "watch", None)


def catch(kind, error, traceback):
    """Keeps the exception of a function that the library called, for the thread that called the library."""
    watch = find_watch()
    if watch is not None:
        watch.error = error


# A nonzero answer cancels. An exception, also KeyboardInterrupt, cancels and is raised where the encode was called.
@ffi.def_extern(error=1, onerror=catch)
def wvl_python_progress(user, done, total, stage):
    watch = _current.watch
    return int(bool(watch.progress is not None and watch.progress(done, total, STAGES[stage])))


class Watch:
    """The wvl_control of one encode: progress, signals and a cancel token. `with` makes it that of the calling thread.
    output: what the library asks for memory."""

    def __init__(self, progress, cancel, output=None):
        check_instance("cancel", cancel, CancelToken)
        _check_function("progress", progress)
        self.progress, self.error, self._cancel, self.output = progress, None, cancel, output
        self._watch = ffi.new("wvl_python_watch *")
        self.control = ffi.new("wvl_control *", {"struct_size": ffi.sizeof("wvl_control"), "progress_user": self._watch})
        # Only the main thread sees signals.
        if progress is not None or threading.current_thread() is threading.main_thread():
            self.control.progress = ffi.addressof(lib, "wvl_python_watch_progress")
        if cancel is not None:
            self.control.cancel = cancel.pointer

    def __enter__(self):
        self._outer = find_watch()
        _current.watch = self
        return self

    def __exit__(self, *raised):
        _current.watch = self._outer


def _check_function(name, value):
    if value is not None and not callable(value):
        refuse(f"{name}={value!r}: give a function")


def find_log_level():
    if logger.isEnabledFor(logging.DEBUG):
        return lib.WVL_LOG_DEBUG
    return lib.WVL_LOG_INFO if logger.isEnabledFor(logging.INFO) else lib.WVL_LOG_WARNING


class Context:
    """Threads, log and trace, shared by encodes.

    threads: 0 is one for each processor that this process may use.
    trace: called as trace(track, name, picture, begin, end) from any thread when a stretch of work is over; times are those of time.monotonic().
    max_samples: pictures of more samples, all components together, are refused; 0: no limit.
    Messages of the library go to logging.getLogger("wavelane"). Its level counts when the context is made."""

    def __init__(self, *, threads=0, trace=None, max_samples=0):
        number = next(_numbers)
        _check_function("trace", trace)
        with refusing("threads or max_samples"):
            options = ffi.new("wvl_context_options *", {
                "struct_size": ffi.sizeof("wvl_context_options"), "threads": threads, "max_samples": max_samples,
                "log": ffi.addressof(lib, "wvl_python_pass_log"), "log_level": find_log_level()})
        if trace is not None:
            _traces[number] = trace
            options.trace, options.trace_user = ffi.addressof(lib, "wvl_python_pass_trace"), ffi.cast("void *", number)
            weakref.finalize(self, _traces.pop, number, None)
        place = ffi.new("wvl_context **")
        check(lib.wvl_context_create(options, place))
        self.pointer = own(place[0], lib.wvl_context_release)
        self.process = os.getpid()

    @property
    def threads(self):
        """Greatest number of tasks at the same time."""
        return lib.wvl_context_threads(self.pointer)


def fetch_context(context, threads):
    """The context that the caller gave, or the one of the process for this number of threads."""
    check_instance("context", context, Context)
    if context is not None:
        if context.process != os.getpid():
            refuse("the context was made before a fork: make one in each process")
        return context
    key = int(threads), find_log_level()
    with _lock:
        if key not in _shared:
            _shared[key] = Context(threads=key[0])
        return _shared[key]


class CancelToken:
    """Ends encodes: encode(..., cancel=token). cancel() may be called from any thread and from a signal handler. A token stays cancelled."""

    def __init__(self):
        place = ffi.new("wvl_cancel **")
        context = fetch_context(None, 0)
        check(lib.wvl_cancel_create(context.pointer, place))
        self.pointer = own(place[0], lib.wvl_cancel_release, context)

    def cancel(self):
        lib.wvl_cancel_raise(self.pointer)
