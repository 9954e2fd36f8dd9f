# SPDX-License-Identifier: BSD-2-Clause
"""Rows that drive the library through wavelane-api-rows, and rows made at random."""
import os
import random

import faultrows
import rows
from matrix import Row


def plain_picture(a, components=None):
    columns = {**a.row.columns, "image_kind": a.row.image_kind.split(" :: ")[0]}
    return a.runner.gallery.of(Row(a.row.id, columns))


def drive(a, name, *words, timeout=300, environment=None):
    o = a.machine.run(["wavelane-api-rows", *words], timeout=timeout, environment=environment)
    a.commands.append(o.command)
    a.add(name, o.code == 0 and not o.late, o.words() if o.code else (o.out.strip() or "done"), o.command)
    return o


def cancel(a):
    picture = plain_picture(a)
    drive(a, "cancel", "cancel", picture.inputs[0])
    tsan(a, picture)


def tsan(a, picture):
    """The same driver and the library built with ThreadSanitizer."""
    if a.runner.options.quick:
        return
    build = a.machine.folder("tsan-build")
    flags = "-fsanitize=thread -O1 -g"
    for argv in (["cmake", "-S", a.machine.source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_C_FLAGS={flags}", "-DWVL_BUILD_TESTS=OFF", "-DWVL_CUDA=OFF",
                  "-DCMAKE_SHARED_LINKER_FLAGS=-fsanitize=thread", "-DCMAKE_EXE_LINKER_FLAGS=-fsanitize=thread"], ["cmake", "--build", build, "--target", "wavelane_api_rows"]):
        o = a.machine.run(argv, timeout=600)
        if o.code:
            a.fail("ThreadSanitizer build", o.words(), o.command)
            return
    program = os.path.join(build, "conformance", "wavelane-api-rows")
    small = faultrows.small_picture(a, 300, 200)
    for what in ("cancel", "pair"):
        o = a.machine.run(["setarch", "-R", program, what, small.inputs[0]], timeout=300, environment={"TSAN_OPTIONS": "halt_on_error=1"})
        a.add(f"ThreadSanitizer, {what}", o.code == 0 and "WARNING" not in o.err, o.out.strip() if o.code == 0 else o.words(), o.command)


def two_encoders(a):
    drive(a, "two encoders", "pair", plain_picture(a).inputs[0])


def endless(a):
    drive(a, "memory stays flat", "loop", faultrows.small_picture(a, 160, 120).inputs[0], "10000", timeout=1500)


def strides(a):
    drive(a, "layouts", "strides", plain_picture(a).inputs[0])


def outside_range(a):
    drive(a, "library", "outside", plain_picture(a).inputs[0])
    path = os.path.join(a.scratch, "over.pgx")
    with open(path, "wb") as file:
        file.write(b"PG ML + 12 4 2\n" + b"".join(v.to_bytes(2, "big") for v in (0, 1, 4095, 4096, 5, 6, 7, 8)))
    out = os.path.join(a.scratch, "out.j2k")
    o = a.machine.run(["wavelane", "-i", path, "-o", out])
    a.add("PGX of 12 bits with 4096", o.code == 3 and not os.path.exists(out), o.words(), o.command)
    raw = os.path.join(a.scratch, "over.rawl")
    with open(raw, "wb") as file:
        file.write(b"".join(v.to_bytes(2, "little") for v in (0, 1, 4095, 4096, 5, 6, 7, 8)))
    o = a.machine.run(["wavelane", "-i", raw, "-F", "4,2,1,12,u", "-o", out])
    a.add("raw of 12 bits with 4096", o.code == 3 and not os.path.exists(out), o.words(), o.command)


def decimal_comma(a):
    """A German locale, made here where the machine has none."""
    name, environment = "de_DE.UTF-8", {}
    if a.machine.has("localedef"):
        folder = a.machine.folder("locale")
        if not os.path.exists(os.path.join(folder, name)):
            a.machine.run(["localedef", "-c", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, name)], timeout=120)
        environment = {"LOCPATH": folder}
    picture = plain_picture(a)
    o = a.machine.run(["wavelane-api-rows", "locale", picture.inputs[0], name], environment={**environment, "LC_ALL": name})
    if o.code == 2 and "is not there" in o.err:
        a.add("locale", True, o.words(), verdict="absent")
        a.add("C locale", True, "only the C locale is there; the parser's own test covers the rest (unit.params)")
        return
    a.commands.append(o.command)
    a.add("library", o.code == 0, o.out.strip() or o.words(), o.command)
    wanted, _ = faultrows.reference(a, picture, "-I", "--bpp", "0.75")
    out = os.path.join(a.scratch, "comma.j2k")
    o = a.machine.run(["wavelane", *picture.for_encoder(), "-o", out, "-I", "--bpp", "0.75", "--force"], environment={**environment, "LC_ALL": name})
    a.add("command", o.code == 0 and faultrows.digest_of(out) == wanted, "the same bytes" if o.code == 0 else o.words(), o.command)


HUGE = 4_400_000_000


def huge_output(a):
    """Noise until more than 2^32 bytes have gone into a counting sink that follows the boxes and tile-parts."""
    o = drive(a, "beyond 4 GiB", "huge", str(HUGE), "plain", timeout=1100)
    a.add("XLBox", "XLBox" in o.out, o.out.strip() or o.words())
    o = drive(a, "below 4 GiB", "huge", "20000000", "plain")
    a.add("LBox", "with LBox" in o.out, o.out.strip() or o.words())


# ---- Random configurations -----------------------------------------------------------------------------------------------------------------


def random_columns(r, kind, real):
    """A legal row of a small picture."""
    levels = r.randrange(0, 7)
    width, height = r.randrange(8, 72), r.randrange(8, 72)
    x0, y0 = (r.randrange(0, 40), r.randrange(0, 40)) if r.random() < 0.5 else (0, 0)
    xcb = r.randrange(2, 8)
    block = f"{1 << xcb}x{1 << r.randrange(2, min(10, 12 - xcb) + 1)}"
    tile, offset = "none", "0,0"
    if r.random() < 0.5:
        tx, ty = r.randrange(0, x0 + 1), r.randrange(0, y0 + 1)
        tile, offset = f"{x0 - tx + r.randrange(1, 50)}x{y0 - ty + r.randrange(1, 50)}", f"{tx},{ty}"
    precincts = ",".join(f"{1 << r.randrange(1, 8)}x{1 << r.randrange(1, 8)}" for _ in range(r.randrange(1, min(4, levels + 2)))) if r.random() < 0.5 else "max"
    styles = [s for s in ("BYPASS", "RESET", "TERMALL", "CAUSAL", "PTERM", "SEGSYM") if r.random() < 0.3]
    markers = [m for m in ("SOP", "EPH", "PLT", "TLM") if r.random() < 0.3] + ([f"tile-parts {r.choice('RLC')}"] if r.random() < 0.3 and tile == "none" else [])
    layers = r.choice((1, 1, 2, 5))
    return {
        "image_kind": kind, "size": f"{width}x{height}", "comps": "3" if real else str(r.choice((1, 3, 3, 4))), "bits": "8" if real else str(r.choice((1, 4, 8, 8, 12, 16))),
        "signed": "n" if real or r.random() < 0.7 else "y", "wavelet": "5/3", "levels": str(levels), "tile": tile, "tile_offset": offset, "image_offset": f"{x0},{y0}",
        "precincts": precincts, "cblk": block, "style": "+".join(styles) or "-", "progression": r.choice(("LRCP", "RLCP", "RPCL", "PCRL", "CPRL")),
        "layers_rates": "1/lossless" if layers == 1 else str(layers), "mct": r.choice(("auto", "off")), "roi": "-", "markers": ",".join(markers) or "-",
        "container": "j2k", "expected_check": "LL;DET",
    }


ILLEGAL = [
    {"levels": "33"}, {"cblk": "128x64"}, {"cblk": "2048x4"}, {"cblk": "6x8"}, {"cblk": "2x8"}, {"precincts": "1x1", "levels": "5"}, {"precincts": "48x48"}, {"tile_offset": "41,0", "image_offset": "40,0"},
    {"tile": "8x8", "tile_offset": "0,0", "image_offset": "20,20"}, {"layers_rates": "0"}, {"layers_rates": "65536"}, {"markers": "guard=8"}, {"tile": "0x7"},
    {"markers": "POC comp range 2..2 of 3", "comps": "3"}, {"layers_rates": "3/1,2,0.5 bpp", "wavelet": "9/7"}, {"style": "HT2000"}, {"progression": "XRCP"}, {"tile": "70000x70000x1"},
]


def random_rows(a):
    """Legal rows must pass every check of an ordinary row, illegal ones must be refused."""
    count = 12 if a.runner.options.quick else 400 if a.machine.long else 80
    seed = a.runner.options.seed
    base = a.row.image_kind.split(" :: ")[0]
    good, explained = 0, []
    for i in range(count):
        r = random.Random(seed * 100003 + i)
        real = base.startswith("P:") and r.random() < 0.6
        row = Row(a.row.id, {"id": a.row.id, **random_columns(r, base + " crop" if real else f"D:natural#{i + 1}", real)})
        inner = rows.Attempt(a.runner, row)
        rows.run_checks(inner)
        refused = any("255" in c["text"] and "tile-part" in c["text"] for c in inner.checks if c["verdict"] == "fail")
        if rows.status_of(inner.checks) == "FAIL" and not refused:
            wrong = [c for c in inner.checks if c["verdict"] == "fail"]
            a.fail(f"seed {seed}, case {i}", f"{row.summary()}: {wrong[0]['name']}: {wrong[0]['text']}", inner.commands[0] if inner.commands else "")
        else:
            good += 1
            explained += [c["evidence"].split(":")[0] for c in inner.checks if c["verdict"] == "explained" and c["evidence"]]
    counts = ", ".join(f"{n} ({explained.count(n)})" for n in sorted(set(explained)))
    a.add("legal", good == count, f"{good} of {count} pass (seed {seed})" + (f"; dissents explained by {counts}" if counts else ""), verdict="explained" if good == count and counts else None,
          evidence="conformance/faults.json")
    refuse_illegal(a, base)


def refuse_illegal(a, base):
    wrong = []
    plain = {**a.row.columns, "size": "40x40", "comps": "3", "bits": "8", "wavelet": "5/3", "expected_check": "REJ", "image_kind": "D:natural#5"}
    import pictures
    for change in ILLEGAL:
        inner = rows.Attempt(a.runner, Row(a.row.id, {**plain, **change}))
        try:
            rows.encode_row(inner)
            if rows.status_of(inner.checks) != "pass":
                wrong.append(f"{change}: {inner.checks[-1]['text'] if inner.checks else 'accepted'}")
        except pictures.NotUnderstood:
            pass  # the runner itself will not say such a thing to the command
    a.add("illegal", not wrong, "; ".join(wrong) or f"{len(ILLEGAL)} refused")
