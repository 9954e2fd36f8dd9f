# SPDX-License-Identifier: BSD-2-Clause
"""python3 lab/dwtgen COMMAND: schemes of the 2-D wavelet transform, their costs, and their code. See --help."""
import argparse
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import counting  # noqa: E402
import emit_c  # noqa: E402
import emit_cuda  # noqa: E402
import kernels  # noqa: E402
import schemes  # noqa: E402
import wavelet as wavelets  # noqa: E402
from choices import Choices, ChoiceError  # noqa: E402


def chosen(options):
    """(wavelet, scheme name) of all that the options name."""
    names = schemes.names() if options.scheme == "all" else options.scheme.split(",")
    keys = wavelets.BUILT_IN if options.wavelet == "all" else options.wavelet.split(",")
    return [(wavelets.load(key), name) for key in keys for name in names]


def print_counts(options):
    fields, count = (counting.Passes.FIELDS, counting.Passes) if options.passes else (counting.Counts.FIELDS, counting.count)
    print("| scheme | wavelet | " + " | ".join(fields) + " |")
    print("| --- | --- |" + " ---: |" * len(fields))
    for wavelet, name in chosen(options):
        values = count(schemes.Scheme(name, wavelet)).values()
        print(f"| {name} | {wavelet.name} | " + " | ".join(map(str, values)) + " |")


def print_names(options):
    del options
    for name in schemes.names():
        print(f"{name:30} {schemes.title(name)}")


def check_schemes(options):
    wrong = 0
    for wavelet, name in chosen(options):
        for inverse in (False, True):
            scheme = schemes.Scheme(name, wavelet, inverse, options.vertical_first)
            if not schemes.verify(scheme):
                print(f"{name} of {wavelet.name}{', inverse' if inverse else ''}: not the separable transform")
                wrong += 1
    print(f"{wrong} schemes are wrong" if wrong else "all schemes equal the separable transform, term by term")
    return wrong != 0


def pair_of(text):
    try:
        x, y = text.split("x")
        return (int(x), int(y))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}': give two numbers, as 32x8") from None


def directions(options):
    return {"forward": (False,), "inverse": (True,), "both": (False, True)}[options.direction]


def print_cuda(options):
    choices = Choices(group=options.group, quads=options.quads, mapping=options.mapping, exchange=options.exchange,
                      buffers=options.buffers, type=options.type, memory=options.memory, access=options.access, align=options.align,
                      levels=options.levels)
    made = [kernels.make_kernel(wavelet, name, inverse, choices, options.vertical_first)
            for wavelet, name in chosen(options) for inverse in directions(options)]
    print(emit_cuda.prelude() + "\n" + "\n".join(kernel.text() for kernel in made), end="")
    print("/* LAB_ROW(kernel, wavelet, scheme, direction, type, threads of a block, quads of a tile x, y, tiles of a block, bytes "
          "of shared memory, memory-less, levels) */")
    print("#define LAB_ROWS \\\n    " + " \\\n    ".join(emit_cuda.row(kernel) for kernel in made))


def print_c(options):
    print(emit_c.program_text([emit_c.make_function(wavelet, name, inverse, options.vertical_first, options.type == "i32")
                               for wavelet, name in chosen(options) for inverse in directions(options)]), end="")


def add_common(parser):
    parser.add_argument("--wavelet", default="all", help="built-in names or files, with commas: "
                        + ", ".join(wavelets.BUILT_IN) + " (all built-in)")
    parser.add_argument("--scheme", default="all", help="names of `list`, with commas (all)")
    parser.add_argument("--vertical-first", action="store_true", help="columns before rows, as ISO/IEC 15444-1")


def parse(arguments):
    parser = argparse.ArgumentParser(prog="dwtgen", description="Schemes of one level of the 2-D wavelet transform.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", help="names of schemes").set_defaults(run=print_names)
    counts = commands.add_parser("counts", help="operations, barriers, loads, stores and memory, as Markdown")
    counts.set_defaults(run=print_counts)
    counts.add_argument("--passes", action="store_true", help="as passes of a graphics pipeline, with nothing kept between them")
    check = commands.add_parser("check", help="proves that the steps give the separable transform")
    check.set_defaults(run=check_schemes)
    cuda = commands.add_parser("cuda", help="kernels, to standard output")
    cuda.set_defaults(run=print_cuda)
    plain = commands.add_parser("c", help="functions in plain C, to standard output")
    plain.set_defaults(run=print_c)
    plain.add_argument("--type", choices=("f32", "i32"), default="f32", help="(f32)")
    for sub in (counts, check, cuda, plain):
        add_common(sub)
    for sub in (cuda, plain):
        sub.add_argument("--direction", choices=("forward", "inverse", "both"), default="both")
    for field, default in Choices.DEFAULTS.items():
        words = Choices.WORDS.get(field)
        kind = pair_of if words is None else type(default)
        shown = "x".join(map(str, default)) if words is None else default
        cuda.add_argument("--" + field, type=kind, choices=words, default=default, help=f"({shown})")
    return parser.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    try:
        return options.run(options) or 0
    except (wavelets.WaveletError, ChoiceError, KeyError) as error:
        print(f"dwtgen: {error.args[0]}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())
