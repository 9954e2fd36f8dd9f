#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
What encode() costs beside the C calls that it makes: a plan, wvl_encode() into memory, and the bytes taken over.

  overhead.py [--runs N] [--size W,H] [--threads N] [--most PERCENT]

All take turns in one process, in an order that changes with each run. Prints the medians and, for each way, the median of what it takes longer
than its neighbour in C and of the ratio; `C, kept` makes no plan, because encode() keeps plans of its last calls; ends with 1 if the ratio of encode() is more than 1 + PERCENT/100. `copied` is encode()
as it is where other threads run Python: with a copy of the bytes; `into` is encode_into() with one buffer for all runs.
Then come the parts of encode() by themselves. The picture is drawn: smooth colour, edges and noise. Options: 8 bits, lossless.
"""
import argparse
import contextlib
import operator
import statistics
import sys
import threading
import time

import numpy as np

import wavelane
from wavelane._context import Watch, fetch_context
from wavelane._output import BytesOutput
from wavelane._pixels import Pixels
from wavelane._plan import Plan, fetch_plan
from wavelane._wavelane import ffi, lib


def draw(width, height):
    y, x = np.mgrid[0:height, 0:width]
    waves = [127 + 90 * np.sin(x / (37.0 + 11 * c) + y / (53.0 - 7 * c)) for c in range(3)]
    noise = np.random.default_rng(7).normal(0, 3, (height, width, 3))
    edges = (((x // 96 + y // 80) % 5 == 0) * 40)[..., None]
    return np.clip(np.stack(waves, axis=-1) + noise + edges, 0, 255).astype(np.uint8)


def call_c(context, array, kept=None):
    """What a C program does for the same bytes, which it leaves in the library's memory. kept: a Plan, in place of a new one."""
    height, width, count = array.shape
    params, plan, result = ffi.new("wvl_params **"), ffi.new("wvl_plan **"), ffi.new("wvl_result **")
    sink, data, size = ffi.new("wvl_sink *"), ffi.new("void **"), ffi.new("size_t *")
    components = ffi.new("wvl_component_format[]", [{"depth": 8}] * count)
    form = ffi.new("wvl_image_format *", {"struct_size": ffi.sizeof("wvl_image_format"), "x1": width, "y1": height,
                                          "component_count": count, "components": components})
    pixels = ffi.cast("void *", array.ctypes.data)
    planes = ffi.new("wvl_plane[]", [{"data": pixels, "pitch_bytes": width * count, "sample_stride": count, "first_sample": c,
                                      "container": lib.WVL_SAMPLE_8} for c in range(count)])
    image = ffi.new("wvl_image *", {"struct_size": ffi.sizeof("wvl_image"), "planes": planes, "plane_count": count})
    statuses = []
    if kept is None:
        statuses += [lib.wvl_params_create(context, params), lib.wvl_plan_create(context, params[0], form, ffi.NULL, plan)]
    statuses += [lib.wvl_sink_open_memory(context, sink),
                lib.wvl_encode(plan[0] if kept is None else kept.pointer, image, sink, ffi.NULL, result, ffi.NULL, 0), lib.wvl_sink_take_memory(sink, data, size)]
    assert not any(statuses), statuses
    taken = size[0]
    lib.wvl_memory_release(context, data[0], taken)
    lib.wvl_result_release(result[0])
    lib.wvl_plan_release(plan[0])
    lib.wvl_params_release(params[0])
    return taken


def measure(function):
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


class Thread:
    """Another thread of Python while it lasts, so that encode() copies."""

    def __enter__(self):
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._end.wait)
        self._thread.start()

    def __exit__(self, *raised):
        self._end.set()
        self._thread.join()


def list_works(context, array, threads):
    buffer = bytearray(len(wavelane.encode(array, threads=threads)))
    kept = fetch_plan(Pixels(array).layout, {"threads": threads})
    return {"C": lambda: call_c(context, array),
            "C, kept": lambda: call_c(context, array, kept),
            "Python": lambda: wavelane.encode(array, threads=threads),
            "copied": lambda: wavelane.encode(array, threads=threads),
            "into": lambda: wavelane.encode_into(array, buffer, threads=threads)}


def measure_all(works, runs):
    """Seconds of each way, run by run."""
    times = {name: [] for name in works}
    for run in range(runs):
        for name in sorted(works, reverse=run % 2):
            with Thread() if name == "copied" else contextlib.nullcontext():
                times[name].append(measure(works[name]))
    return times


def print_parts(context, array, size, runs):
    """What encode() does beside the library's encode: each the median of many runs."""
    memory, layout = ffi.new("char[]", size), Pixels(array).layout
    output = BytesOutput()
    parts = {"array and pixels": lambda: Pixels(array),
             "plan, new": lambda: Plan(layout, {"context": context}),
             "plan, kept": lambda: fetch_plan(layout, {"threads": context.threads}),
             "bytes object": lambda: output.reserve(size),
             "callbacks, errors": lambda: Watch(None, None).__enter__().__exit__(),
             "copy (if copied)": lambda: ffi.buffer(memory, size)[:]}
    for name, function in parts.items():
        print(f"  {name:18} {1e6 * statistics.median(measure(function) for _ in range(10 * runs)):8.1f} us")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--size", default="2048,1080")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--most", type=float, default=3)
    given = parser.parse_args()
    array = draw(*map(int, given.size.split(",")))
    shared = fetch_context(None, given.threads)
    works = list_works(shared.pointer, array, given.threads)
    size = call_c(shared.pointer, array)
    assert size == len(works["Python"]()) == works["into"]()
    times = measure_all(works, given.runs)
    for name, values in times.items():
        more, ratio = (statistics.median(f(a, c) for a, c in zip(values, times["C"])) for f in (operator.sub, operator.truediv))
        compared = "" if name == "C" else f"   {1e6 * more:+8.1f} us, ratio {ratio:.4f}"
        print(f"{name:8} {1000 * statistics.median(values):8.3f} ms, least {1000 * min(values):8.3f}{compared}")
    print_parts(shared, array, size, given.runs)
    ratio = statistics.median(p / c for p, c in zip(times["Python"], times["C"]))
    print(f"Python / C: {ratio:.4f} (median of {given.runs} ratios), {shared.threads} threads, {given.size}x3, 8 bits, lossless, {size} bytes")
    return ratio > 1 + given.most / 100


if __name__ == "__main__":
    sys.exit(main())
