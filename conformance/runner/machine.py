# SPDX-License-Identifier: BSD-2-Clause
"""Programs: where they are, running one with limits, and the text of a command that a person can repeat."""
import hashlib
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field


@dataclass
class Outcome:
    code: int  # negative: ended by that signal
    out: str
    err: str
    seconds: float
    rss_kib: int
    late: bool  # killed at its time limit
    command: str

    @property
    def crashed(self):
        return self.code < 0 or self.late

    def words(self):
        """The last line a program said, for tables."""
        lines = [line for line in self.err.splitlines() if line.strip()] or [line for line in self.out.splitlines() if line.strip()]
        return lines[-1][:400] if lines else "nothing said"


@dataclass
class Machine:
    """The programs under test and the judges' programs; None where one is not installed."""

    build: str
    out: str
    source: str
    long: bool = False
    tools: dict = field(default_factory=dict)

    def __post_init__(self):
        for name, path in (
            ("wavelane", "tools/wavelane"),
            ("wavelane-judge", "conformance/wavelane-judge"),
            ("wavelane-api-rows", "conformance/wavelane-api-rows"),
            ("wavelane-fault", "conformance/libwavelane-fault.so"),
            ("wavelane-fuzz", "conformance/wavelane-fuzz"),
        ):
            full = os.path.join(self.build, path)
            self.tools[name] = full if os.path.exists(full) else None
        for name in ("ffmpeg", "grk_decompress", "ojph_expand", "ojph_compress", "jpylyzer", "localedef"):
            self.tools[name] = shutil.which(name)
        if os.environ.get("WVL_WITHOUT_JUDGES"):
            for name in os.environ["WVL_WITHOUT_JUDGES"].split(","):
                self.tools[name] = None

    def has(self, name):
        return self.tools.get(name) is not None

    def folder(self, *parts):
        path = os.path.join(self.out, *parts)
        os.makedirs(path, exist_ok=True)
        return path

    def text_of(self, argv, environment):
        """argv as a person would type it with the programs on the path."""
        words = [os.path.basename(w) if w in self.tools.values() else w for w in argv]
        head = " ".join(f"{k}={shlex.quote(v)}" for k, v in (environment or {}).items())
        return (head + " " if head else "") + shlex.join(words)

    def run(self, argv, timeout=120, environment=None, shell_limits="", stdin=None, stdout=None):
        """argv[0] is a name of tools or a path. shell_limits: words for ulimit, as in "-v 500000"."""
        argv = [self.tools.get(argv[0]) or argv[0], *argv[1:]]
        text = self.text_of(argv, environment)
        real = argv
        if shell_limits:
            real = ["sh", "-c", f'ulimit {shell_limits}; exec "$@"', "sh", *argv]
            text = f"( ulimit {shell_limits}; {text} )"
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            started = time.monotonic()
            try:
                child = subprocess.Popen(
                    real, stdin=stdin or subprocess.DEVNULL, stdout=stdout or out, stderr=err, start_new_session=True,
                    env={**os.environ, "LC_ALL": "C", **(environment or {})},
                )
            except OSError as error:
                return Outcome(127, "", str(error), 0.0, 0, False, text)
            late = threading.Event()

            def kill():
                late.set()
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

            timer = threading.Timer(timeout, kill)
            timer.start()
            _, status, usage = os.wait4(child.pid, 0)
            timer.cancel()
            child.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.monotonic() - started
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read(16_000_000).decode("utf-8", "replace"))
        return Outcome(child.returncode, *texts, seconds, usage.ru_maxrss, late.is_set(), text)

    def versions(self):
        """What each program calls itself."""
        found = {}
        for name, argv, pick in (
            ("wavelane", ["wavelane", "--version"], 0),
            ("ffmpeg", ["ffmpeg", "-version"], 0),
            ("grk_decompress", ["grk_decompress", "-h"], None),
            ("jpylyzer", ["jpylyzer", "--version"], 0),
        ):
            if not self.has(name):
                found[name] = "not installed"
                continue
            o = self.run(argv)
            text = (o.out + o.err).strip()
            lines = text.splitlines() or [""]
            found[name] = next((w for w in lines if "v10" in w or "libgrokj2k" in w), lines[0]) if pick is None else lines[pick]
        o = self.run(["wavelane-judge", "openjpeg", os.devnull, "--draw", "flat,1,1,1,8,u,1"])
        found["openjpeg"] = "OpenJPEG " + o.err.split("OpenJPEG ", 1)[1].split(":")[0] if "OpenJPEG " in o.err else "linked"
        found["ojph_expand"] = self.tools["ojph_expand"] or "not installed"
        return found


def digest_of(path):
    h = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            h.update(block)
    return h.hexdigest()
