# SPDX-License-Identifier: BSD-2-Clause
"""Rows in which the machine fails around the command, or the command is misused."""
import errno
import os
import shutil
import socket
import struct
import subprocess
import threading

from machine import digest_of


def small_picture(a, width=96, height=64):
    """A piece of the row's picture as a PPM, so that a thousand encodes of it are quick."""
    words = {**a.row.columns, "size": f"{width}x{height}", "image_kind": a.row.image_kind.split(" :: ")[0]}
    if words["image_kind"].startswith("P:"):
        words["image_kind"] += " crop"
    return a.runner.gallery.of(type(a.row)(a.row.id, words))


def folder_of(a, name):
    path = os.path.join(a.scratch, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def encode_under(a, fault, picture, folder, *words, count=None, limits="", timeout=60):
    """The command with libwavelane-fault.so before it; (outcome, names in the folder)."""
    environment = {"LD_PRELOAD": a.machine.tools["wavelane-fault"], "WVL_FAULT": fault}
    if count:
        environment["WVL_FAULT_COUNT"] = count
    o = a.machine.run(["wavelane", *picture.for_encoder(), "-o", os.path.join(folder, "out.j2k"), "--quiet", "--force", *words], timeout=timeout,
                      environment=environment, shell_limits=limits)
    return o, sorted(os.listdir(folder))


def reference(a, picture, *words):
    folder = folder_of(a, "reference")
    o = a.machine.run(["wavelane", *picture.for_encoder(), "-o", os.path.join(folder, "out.j2k"), "--quiet", *words])
    a.commands.append(o.command)
    return digest_of(os.path.join(folder, "out.j2k")), os.path.getsize(os.path.join(folder, "out.j2k"))


def preload_missing(a):
    if a.machine.has("wavelane-fault"):
        return False
    a.fail("faults", "libwavelane-fault.so is not built")
    return True


def try_each(a, name, settings, picture, wanted, *words, codes, want_success=False):
    """One encode per fault setting: the right exit code and no file, or success with the right bytes.
    Some allocations may fail without harm (nodes of memory, buffers of logs); how many depends on the machine."""
    failed = done = 0
    folder = folder_of(a, "faults")
    for setting in settings:
        o, left = encode_under(a, setting, picture, folder, *words)
        whole = left == ["out.j2k"] and digest_of(os.path.join(folder, "out.j2k")) == wanted
        good = (o.code == 0 and whole) or (o.code in codes and not left and o.err.strip() and not want_success)
        if not good:
            a.fail(name, f"{setting}: ended with {o.code}{' at its time limit' if o.late else ''}, left {left}: {o.words()}", o.command)
            return
        failed, done = failed + (o.code != 0), done + (o.code == 0)
        for file in left:
            os.remove(os.path.join(folder, file))
    took_effect = want_success or 2 * failed >= len(settings)
    a.add(name, took_effect, f"{len(settings)} runs: {failed} ended with an error and no file, {done} with the same bytes", o.command)


def memory(a):
    if preload_missing(a):
        return
    picture = small_picture(a)
    for words in (("--threads", "2", "-t", "50,40", "-PLT", "-TLM"), ("--threads", "1", "-I", "--bpp", "0.5,2", "-c", "[64,64]")):
        wanted, _ = reference(a, picture, *words)
        counted = os.path.join(a.scratch, "calls")
        encode_under(a, "malloc:0", picture, folder_of(a, "count"), *words, count=counted)
        with open(counted, encoding="ascii") as file:
            calls = int(file.read())
        a.add("allocations", calls > 20, f"{calls} in one encode")
        try_each(a, "each allocation fails", [f"malloc:{n}" for n in range(1, calls + 1)], picture, wanted, *words, codes=(3, 4, 5))
    if shutil.which("valgrind") and a.machine.long:
        # The thread that waits for signals lives until the end: its memory is "possibly lost", and no error.
        o = a.machine.run(["valgrind", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect", "--error-exitcode=99", a.machine.tools["wavelane"], *picture.for_encoder(), "-o", os.path.join(a.scratch, "v.j2k")],
                          timeout=300)
        a.add("valgrind", o.code == 0, o.words(), o.command)


def threads(a):
    if preload_missing(a):
        return
    picture = a.runner.gallery.of(type(a.row)(a.row.id, {**a.row.columns, "image_kind": a.row.image_kind.split(" :: ")[0]}))
    wanted, _ = reference(a, picture)
    try_each(a, "threads that do not start", [f"threads:{n}" for n in (0, 1, 2, 5)], picture, wanted, "--threads", "8", codes=(), want_success=True)


def full_disk(a):
    if preload_missing(a):
        return
    picture = a.runner.gallery.of(type(a.row)(a.row.id, {**a.row.columns, "image_kind": a.row.image_kind.split(" :: ")[0]}))
    wanted, size = reference(a, picture)
    settings = [f"write:{at}:{errno.ENOSPC}" for at in range(0, size, 4096)]
    try_each(a, "the disk is full after each 4 KiB", settings, picture, wanted, codes=(4,))
    o, left = encode_under(a, "write:0:0", picture, folder_of(a, "limit"), limits="-f 40")
    a.add("a real file size limit", o.code == 4 and not left, f"RLIMIT_FSIZE of 20 KiB: ended with {o.code}, left {left}: {o.words()}",
          o.command)


def interrupted_writes(a):
    if preload_missing(a):
        return
    picture = small_picture(a)
    wanted, size = reference(a, picture)
    try_each(a, "EINTR and short writes", ["shaky:1", "shaky:100", "shaky:4096"], picture, wanted, codes=(), want_success=True)
    try_each(a, "errors", [f"write:{at}:{e}" for at in (0, size // 2) for e in (errno.EIO, errno.EPIPE, errno.EDQUOT)], picture, wanted, codes=(4,))
    slow_reader(a, picture, wanted)
    closed_pipe(a, picture)


def slow_reader(a, picture, wanted):
    """Standard output is a socket that does not block: EAGAIN while the reader sleeps."""
    left, right = socket.socketpair()
    right.setblocking(False)
    collected = []

    def read():
        import time
        time.sleep(0.3)
        while block := left.recv(1000):
            collected.append(block)

    reader = threading.Thread(target=read)
    reader.start()
    o = a.machine.run(["wavelane", *picture.for_encoder(), "-o", "-"], stdout=right.fileno(), timeout=30)
    right.close()
    reader.join()
    left.close()
    import hashlib
    same = hashlib.sha256(b"".join(collected)).hexdigest() == wanted
    a.add("EAGAIN", (o.code == 0 and same) or (o.code == 4 and o.err.strip()), f"ended with {o.code}, {'the same bytes' if same else 'not the same bytes'}: {o.words()[:150]}",
          o.command + " into a socket that does not block")


def closed_pipe(a, picture):
    read_end, write_end = os.pipe()
    os.close(read_end)
    o = a.machine.run(["wavelane", *picture.for_encoder(), "-o", "-"], stdout=write_end, timeout=30)
    os.close(write_end)
    a.add("EPIPE", o.code in (4, -13), f"ended with {o.code}: {o.words()[:150]}", o.command + " | :")


def pipe(a):
    picture = a.runner.gallery.of(type(a.row)(a.row.id, {**a.row.columns, "image_kind": a.row.image_kind.split(" :: ")[0]}))
    for words in ([], ["-TLM", "-PLT", "-TP", "R"]):
        wanted, _ = reference(a, picture, *words)
        path = os.path.join(a.scratch, "piped.j2k")
        read_end, write_end = os.pipe()
        with open(path, "wb") as file:
            copier = subprocess.Popen(["cat"], stdin=read_end, stdout=file)
            os.close(read_end)
            o = a.machine.run(["wavelane", *picture.for_encoder(), "-o", "-", *words], stdout=write_end)
            os.close(write_end)
            copier.wait()
        same = digest_of(path) == wanted
        a.add("through a pipe" + (" with TLM" if words else ""), o.code == 0 and same, "the bytes of a file" if same else f"ended with {o.code}, other bytes", o.command + " | cat > out.j2k")


# ---- Input ------------------------------------------------------------------------------------------------------------------------


def lying_files():
    """Headers that claim 2^31 x 2^31 samples, or more, in files of a few bytes."""
    big = 1 << 31
    png = struct.pack(">IIBBBBB", big - 1, big - 1, 8, 2, 0, 0, 0)
    import zlib
    chunk = b"IHDR" + png
    tiff = [(256, 4, 1, big), (257, 4, 1, big), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, big), (279, 4, 1, 4)]
    yield "huge.pgm", f"P5\n{big} {big}\n255\nabc".encode()
    yield "huge.ppm", f"P6\n{big} {big}\n65535\nabc".encode()
    yield "huge.pam", f"P7\nWIDTH {big}\nHEIGHT {big}\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\nabc".encode()
    yield "huge.pgx", f"PG ML + 8 {big} {big}\nabc".encode()
    yield "huge.png", b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    yield "huge.bmp", b"BM" + struct.pack("<IHHI", 60, 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, big - 1, big - 1, 1, 24, 0, 0, 0, 0, 0, 0) + b"abcdef"
    yield "huge.tif", b"II*\0" + struct.pack("<I", 12) + b"data" + struct.pack("<H", len(tiff)) + b"".join(struct.pack("<HHII", *e) for e in tiff) + bytes(4)
    yield "huge.tga", struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, 65535, 65535, 32, 0) + b"abc"
    dpx = bytearray(2048)
    dpx[0:4], dpx[4:8], dpx[768:772] = b"SDPX", struct.pack(">I", 2048), struct.pack(">HH", 0, 1)
    dpx[772:780], dpx[800:804] = struct.pack(">II", big, big), bytes((50, 2, 2, 10))
    yield "huge.dpx", bytes(dpx)


def lying_headers(a):
    a.picture = None
    for name, data in lying_files():
        path = os.path.join(a.scratch, name)
        with open(path, "wb") as file:
            file.write(data)
        out = os.path.join(folder_of(a, "out"), "out.j2k")
        o = a.machine.run(["wavelane", "-i", path, "-o", out], timeout=20, shell_limits="-v 600000")
        good = o.code in (2, 3) and not os.path.exists(out) and o.seconds < 5 and o.rss_kib < 200 << 10
        a.add(name, good, f"ended with {o.code} after {o.seconds:.2f} s and {o.rss_kib >> 10} MiB: {o.words()[:200]}", o.command)
    o = a.machine.run(["wavelane", "-i", path, "-F", "2147483648,2147483648,3,8,u", "--input-format", "raw", "-o", out], timeout=20, shell_limits="-v 600000")
    a.add("raw", o.code in (2, 3) and o.rss_kib < 200 << 10, o.words()[:200], o.command)


def output_is_input(a):
    picture = small_picture(a)
    path = os.path.join(a.scratch, "picture.j2k")  # an input whose name could be an output
    shutil.copy(picture.inputs[0], path)
    before = digest_of(path)
    for extra in ([], ["--force"]):
        o = a.machine.run(["wavelane", "-i", path, "-o", path, *extra])
        a.add("output is the input" + (" with --force" if extra else ""), o.code == 4 and digest_of(path) == before, o.words(), o.command)
    link = os.path.join(a.scratch, "link.j2k")
    os.symlink(path, link)
    o = a.machine.run(["wavelane", "-i", path, "-o", link, "--force"])
    a.add("by another name", o.code == 4 and digest_of(path) == before, o.words(), o.command)
