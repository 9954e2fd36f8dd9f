# SPDX-License-Identifier: BSD-2-Clause
"""Rows that drive the library through wavelane-api-rows, and random configurations."""
import os

import faultrows
from matrix import Row


def plain_picture(a, components=None):
    columns = {**a.row.columns, "image_kind": a.row.image_kind.split(" :: ")[0]}
    return a.runner.gallery.of(Row(a.row.id, columns))


def drive(a, name, *words, timeout=300, environment=None, program="wavelane-api-rows"):
    o = a.machine.run([program, *words], timeout=timeout, environment=environment)
    a.commands.append(o.command)
    a.add(name, o.code == 0 and not o.late, o.words() if o.code else (o.out.strip() or "done"), o.command)
    return o


def cancel(a):
    drive(a, "cancel", "cancel", plain_picture(a).inputs[0])


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


def random_configurations(a):
    """Legal ones must pass every check of wavelane-fuzz, illegal ones must be refused."""
    if not a.machine.has("wavelane-fuzz"):
        a.add("random configurations", True, "wavelane-fuzz is not built", verdict="absent")
        return
    count = 12 if a.runner.options.quick else 400 if a.machine.long else 80
    folder = ["--pictures", a.runner.gallery.folder] if a.runner.gallery.folder else []
    drive(a, "random configurations", "--seed", str(a.runner.options.seed), "--count", str(count), "--second", *folder, program="wavelane-fuzz")
