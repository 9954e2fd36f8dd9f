#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
The generator of transforms without its output: algebra, wavelets, schemes, counts.

  test_dwtgen.py GENERATOR COUNTS       GENERATOR: lab/dwtgen; COUNTS: dwt_counts.tsv
"""
import csv
import os
import subprocess
import sys
import unittest
from fractions import Fraction
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import counting  # noqa: E402
import laurent  # noqa: E402
import schemes  # noqa: E402
import wavelet as wavelets  # noqa: E402
from choices import ChoiceError, Choices, make_map  # noqa: E402
from emit_levels import Span  # noqa: E402
from kernels import make_kernel  # noqa: E402
from program import BLOCK_SYNC, WARP_SYNC, Program  # noqa: E402

COUNTS = Path(sys.argv[2])
BUILT_IN = {key: wavelets.load(key) for key in wavelets.BUILT_IN}
LOW_97 = [0.02674875741081009, -0.016864118442874953, -0.07822326652899027, 0.26686411844287494, 0.6029490182363604,
          0.26686411844287494, -0.07822326652899027, -0.016864118442874953, 0.02674875741081009]
HIGH_97 = [0.09127176311425009, -0.05754352622850018, -0.5912717631142501, 1.1150870524570005, -0.5912717631142501,
           -0.05754352622850018, 0.09127176311425009]
ROOT3 = 3 ** 0.5
DB2 = [(1 + ROOT3) / 4 / 2 ** 0.5, (3 + ROOT3) / 4 / 2 ** 0.5, (3 - ROOT3) / 4 / 2 ** 0.5, (1 - ROOT3) / 4 / 2 ** 0.5]


def text_of(low, low_first, high, high_first):
    return f"low {low_first} {' '.join(map(repr, low))}\nhigh {high_first} {' '.join(map(repr, high))}\n"


def taps_of(wavelet):
    """Filters that lifting steps amount to: low over x[2n+i], high over x[2n+1+i]."""
    even, odd = {0: Fraction(1)}, {1: Fraction(1)}
    for predict, update in wavelet.pairs:
        for taps, source, target in ((predict, even, odd), (update, odd, even)):
            added = dict(target)
            for n, c in taps.items():
                for i, v in source.items():
                    added[i + 2 * n] = added.get(i + 2 * n, 0) + c * v
            target.clear()
            target.update({i: v for i, v in added.items() if v})
    return ({i: float(v * wavelet.scale[0]) for i, v in even.items()},
            {i - 1: float(v * wavelet.scale[1]) for i, v in odd.items()})


class Algebra(unittest.TestCase):
    def test_polynomials(self):
        a = laurent.Poly({(0, 0): 2, (1, 0): Fraction(1, 3)})
        b = laurent.Poly({(0, 0): 1, (0, -1): 3})
        self.assertEqual((a * b).terms, {(0, 0): 2, (1, 0): Fraction(1, 3), (0, -1): 6, (1, -1): 1})
        self.assertEqual(a - a, laurent.ZERO)
        self.assertEqual(a.inner() + a.outer(), a)
        self.assertEqual(a.turned().terms, {(0, 0): 2, (0, 1): Fraction(1, 3)})
        self.assertEqual(a * laurent.ONE, a)

    def test_matrices_run_from_first_to_last(self):
        p = laurent.Poly({(1, 0): 5})
        first, second = laurent.Matrix(HL=[(laurent.LL, p)]), laurent.Matrix(LH=[(laurent.HL, p)])
        both = laurent.product([first, second])
        self.assertEqual(both.rows[laurent.LH][laurent.LL].terms, {(2, 0): 25})
        self.assertEqual(laurent.product([second, first]).rows[laurent.LH][laurent.LL], laurent.ZERO)
        self.assertEqual(first.reads(), [(laurent.LL, 1, 0)])
        self.assertTrue(first.changes(laurent.HL) and not first.changes(laurent.LL))


class Wavelets(unittest.TestCase):
    def test_built_in_filters(self):
        low, high = taps_of(BUILT_IN["cdf97"])
        for taps, expected, first in ((low, LOW_97, -4), (high, HIGH_97, -3)):
            self.assertEqual(sorted(taps), list(range(first, first + len(expected))))
            self.assertLess(max(abs(taps[first + i] - v) for i, v in enumerate(expected)), 1e-15)
        low, high = taps_of(BUILT_IN["cdf53"])
        self.assertEqual(low, {-2: -0.125, -1: 0.25, 0: 0.75, 1: 0.25, 2: -0.125})
        self.assertEqual(high, {-1: -0.5, 0: 1.0, 1: -0.5})
        low, high = taps_of(BUILT_IN["dd137"])
        self.assertEqual([512 * low.get(i, 0) for i in range(-6, 7)], [-1, 0, 18, -16, -63, 144, 348, 144, -63, -16, 18, 0, -1])
        self.assertEqual([16 * high.get(i, 0) for i in range(-3, 4)], [1, 0, -9, 16, -9, 0, 1])
        self.assertTrue(all(w.is_symmetric() for w in BUILT_IN.values()))

    def test_filters_become_the_known_steps(self):
        found = wavelets.parse(text_of(LOW_97, -4, HIGH_97, -3), "nine")
        self.assertEqual(len(found.pairs), 2)
        for pair, known in zip(found.pairs, BUILT_IN["cdf97"].pairs):
            for taps, expected in zip(pair, known):
                self.assertEqual(sorted(taps), sorted(expected))
                self.assertLess(max(abs(taps[i] - expected[i]) for i in taps), 1e-12)
        self.assertLess(abs(found.scale[1] - BUILT_IN["cdf97"].scale[1]), 1e-12)

    def test_filters_come_back(self):
        high = [DB2[3], -DB2[2], DB2[1], -DB2[0]]
        haar = [0.5 ** 0.5, 0.5 ** 0.5], [-0.5 ** 0.5, 0.5 ** 0.5]
        # The last: low of the odd samples alone.
        for low, first, high, high_first in ((DB2, -2, high, -1), (haar[0], 0, haar[1], -1), ([1.0], 1, [1.0], -1)):
            found = wavelets.parse(text_of(low, first, high, high_first), "own")
            for taps, expected, at in zip(taps_of(found), (low, high), (first, high_first)):
                self.assertEqual({i for i, v in taps.items() if abs(v) > 1e-9}, set(range(at, at + len(expected))))
                self.assertLess(max(abs(taps[at + i] - v) for i, v in enumerate(expected)), 1e-12)
            self.assertTrue(schemes.verify(schemes.Scheme("polyphase_star", found)))
        self.assertFalse(wavelets.parse(text_of(DB2, -2, [DB2[3], -DB2[2], DB2[1], -DB2[0]], -1), "own").is_symmetric())

    def test_what_is_refused(self):
        for text, words in (("predict 0 -1/2 x", "'x' is no number"), ("predict 0 1/0", "is no number"),
                            ("predict one 1", "is no integer"), ("predict 0", "give the offset"), ("", "there is no step"),
                            ("hello", "is no statement"), ("predict 0 1/3\nreversible", "powers of two"),
                            ("scale 0\npredict 0 1", "is no statement"), ("low 0 1\npredict 0 1", "either"),
                            ("low 0 1 2 1\nhigh 0 1 2 1", "perfect reconstruction"), ("low 2 1\nhigh 0 1", "add -2")):
            with self.assertRaises(wavelets.WaveletError) as raised:
                wavelets.parse(text, "own")
            self.assertIn(words, str(raised.exception))
        with self.assertRaises(wavelets.WaveletError):
            wavelets.load("no_such_file")


class Schemes(unittest.TestCase):
    def test_all_give_the_transform(self):
        for wavelet in BUILT_IN.values():
            orders = (False, True) if wavelet.key == "cdf53" else (False,)
            for name in schemes.names():
                for inverse, vertical in ((i, v) for i in (False, True) for v in orders):
                    with self.subTest(wavelet=wavelet.key, scheme=name, inverse=inverse, vertical=vertical):
                        self.assertTrue(schemes.verify(schemes.Scheme(name, wavelet, inverse, vertical)))

    def test_inverse_undoes_forward(self):
        for wavelet in BUILT_IN.values():
            total = schemes.separable_product(wavelet, True) * schemes.separable_product(wavelet)
            self.assertTrue(total.is_identity())

    def test_verification_notices_a_wrong_term(self):
        scheme = schemes.Scheme("implosion", BUILT_IN["cdf53"])
        scheme.steps[1].exchange.rows[laurent.HL][laurent.LL] = laurent.Poly({(0, 0): Fraction(-1, 2), (1, 0): Fraction(1, 2)})
        self.assertFalse(schemes.verify(scheme))

    def test_each_step_reads_neighbours_once(self):
        for name in schemes.names():
            for step in schemes.Scheme(name, BUILT_IN["dd137"]).steps:
                self.assertFalse(step.exchange.is_inner())
                self.assertTrue(all(m.is_inner() for m in step.before + step.after))

    def test_reach(self):
        for key, quads in (("cdf53", 1), ("cdf97", 2), ("dd137", 3)):
            for name in schemes.names():
                for inverse in (False, True):
                    self.assertEqual(schemes.Scheme(name, BUILT_IN[key], inverse).reach(), (quads,) * 4)

    def test_unknown_names(self):
        for name in ("lifting", "sep_lifting_star", "polyphase_star_star"):
            with self.assertRaises(KeyError):
                schemes.Scheme(name, BUILT_IN["cdf53"])

    def test_integers_need_the_order_of_the_standard(self):
        kept = [(name, vertical) for name in schemes.names() for vertical in (False, True)
                if schemes.keeps_integers(schemes.Scheme(name, BUILT_IN["cdf53"], False, vertical))]
        self.assertEqual(kept, [("sep_lifting", True)])
        self.assertFalse(schemes.keeps_integers(schemes.Scheme("sep_lifting", BUILT_IN["cdf97"], False, True)))


class Counts(unittest.TestCase):
    def test_thesis(self):
        """Our count is the thesis', or the one that the table names as right, which then is another one."""
        with open(COUNTS, encoding="utf-8") as file:
            rows = list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"))
        self.assertEqual({(r["scheme"], r["wavelet"]) for r in rows}, {(n, w) for n in schemes.names() for w in BUILT_IN} -
                         {("kula_2016", "dd137")})
        self.compare(rows, counting.Counts.FIELDS, lambda scheme: counting.count(scheme).values())

    def compare(self, rows, fields, count):
        for row in rows:
            differs = dict(entry.split("=") for entry in row["differs"].split() if entry != "-")
            for field, value in zip(fields, count(schemes.Scheme(row["scheme"], BUILT_IN[row["wavelet"]]))):
                with self.subTest(scheme=row["scheme"], wavelet=row["wavelet"], field=field):
                    self.assertNotEqual(differs.get(field), row[field])
                    self.assertEqual(str(value), differs.get(field, row[field]))

    def test_passes_of_a_graphics_pipeline(self):
        with open(COUNTS.parent / "dwt_passes.tsv", encoding="utf-8") as file:
            rows = list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"))
        self.assertEqual(len({(r["scheme"], r["wavelet"]) for r in rows}), 60)
        self.assertTrue(all("operations" not in r["differs"] and "passes" not in r["differs"] for r in rows))
        self.compare(rows, counting.Passes.FIELDS, lambda scheme: counting.Passes(scheme).values())

    def test_page_has_the_table(self):
        found = subprocess.run([sys.executable, "-B", sys.argv[1], "counts", "--wavelet", "cdf97"], check=True, capture_output=True, text=True).stdout
        self.assertIn(found, (Path(sys.argv[1]).parent / "README.md").read_text(encoding="utf-8"))

    def test_direction_changes_nothing(self):
        for name in schemes.names():
            for wavelet in BUILT_IN.values():
                turned = counting.count(schemes.Scheme(name, wavelet, False, True))
                self.assertEqual(counting.count(schemes.Scheme(name, wavelet)).values(), turned.values())

    def test_implosion_keeps_loaded_values(self):
        scheme = schemes.Scheme("implosion", BUILT_IN["cdf53"])
        loads = sum(len(e.loads) for e in counting.plan_exchanges(scheme, keep_loads=False))
        self.assertEqual((loads, counting.count(scheme).loads), (14, 10))


def program(name, key="cdf97", inverse=False, **given):
    scheme, chosen = schemes.Scheme(name, BUILT_IN[key], inverse), Choices(**given)
    return Program(scheme, chosen, make_map(chosen, scheme.reach()))


class Programs(unittest.TestCase):
    def test_cells_and_barriers_are_those_counted(self):
        """One quad a thread: one barrier a step with two buffers; the cells that the thesis' rules give with one."""
        for key, wavelet in BUILT_IN.items():
            for name in schemes.names():
                counts = counting.count(schemes.Scheme(name, wavelet))
                double, single = program(name, key), program(name, key, buffers=1)
                self.assertEqual(double.syncs(BLOCK_SYNC), counts.barriers)
                self.assertLessEqual(double.cells, counts.double)
                self.assertEqual(single.cells, counts.single)
                self.assertLessEqual(single.syncs(BLOCK_SYNC), 2 * counts.barriers)
                self.assertEqual(sum(len(phase.stores) for phase in double.phases), counts.stores)
                self.assertEqual(sum(len(phase.loads) for phase in double.phases), counts.loads)

    def test_shuffles_need_no_barrier_along_a_row(self):
        """What one warp a row of quads leaves: a barrier for each step that looks up or down."""
        for name, left in (("sep_lifting", 4), ("sep_lifting_plus", 4), ("sep_polyconvolution_star", 2),
                           ("sep_polyconvolution_x", 4), ("sep_polyconvolution_y_star", 2), ("monolithic_star", 4),
                           ("implosion", 6), ("polyphase_star", 2)):
            self.assertEqual(program(name, exchange="shuffle").syncs(BLOCK_SYNC), left)
            self.assertEqual(program(name, exchange="shuffle").syncs(WARP_SYNC), 0)

    def test_a_warp_with_whole_columns_needs_no_memory(self):
        for name in schemes.names():
            strip = program(name, group=(32, 1), quads=(1, 12), exchange="shuffle")
            self.assertEqual((strip.cells, strip.syncs(BLOCK_SYNC), strip.syncs(WARP_SYNC)), (0, 0, 0))

    def test_what_is_refused(self):
        for given, words in (({"group": (32, 64)}, "1024"), ({"group": (5, 5)}, "multiple of 32"), ({"colour": 1}, "no choice"),
                             ({"exchange": "shuffle", "group": (16, 8)}, "32 threads wide"), ({"buffers": 3}, "buffers 3"),
                             ({"mapping": "tile", "quads": (2, 1)}, "leave quads at 1x1")):
            with self.assertRaises(ChoiceError) as raised:
                Choices(**given)
            self.assertIn(words, str(raised.exception))
        for scheme, key, given, words in (("sep_lifting", "cdf97", {"group": (32, 2)}, "no larger than the halo"),
                                          ("sep_lifting", "cdf53", {"type": "i32"}, "--vertical-first"),
                                          ("monolithic", "cdf53", {"type": "i32"}, "sep_lifting"),
                                          ("sep_convolution", "cdf97", {"group": (32, 16), "quads": (2, 2)}, "bytes of shared"),
                                          ("polyphase", "cdf97", {"type": "f16x2"}, "half floats")):
            with self.assertRaises(ChoiceError) as raised:
                make_kernel(BUILT_IN[key], scheme, False, Choices(**given))
            self.assertIn(words, str(raised.exception))
        asymmetric = wavelets.parse("predict 0 -1\nupdate 0 1/2", "haar")
        with self.assertRaises(ChoiceError):
            make_kernel(asymmetric, "monolithic", False, Choices())


class Levels(unittest.TestCase):
    GIVEN = {"group": (32, 8), "quads": (1, 4), "exchange": "shuffle"}

    def test_margins_of_a_direction(self):
        """Forward, level k gives what level k + 1 reads, halo included; of an inverse the other way round, from any first quad."""
        for levels in range(2, 6):
            for left, right in ((1, 1), (2, 2), (4, 2)):
                forward, inverse = (Span(levels, kind, 64, left, right, 8) for kind in (False, True))
                for k in range(1, levels):
                    self.assertEqual(forward.window(k), 2 * (left + forward.count[k + 1] + right))
                    for begin in (-5, -4, 6, 7):
                        first, end = begin - left, begin + inverse.count[k] + right
                        self.assertGreaterEqual(2 * (first >> 1) + inverse.window(k + 1), end)
                for span in (forward, inverse):
                    self.assertTrue(all(span.parts(k) <= 1 << (levels - k) for k in span.count))
                    self.assertEqual(span.count[1 if span.inverse else levels] % 8, 0)

    def test_the_largest_tile_is_taken(self):
        span = Span(2, False, 32, 2, 2, 1)
        self.assertEqual((span.count, span.own()), ({2: 28, 1: 64}, 56))
        self.assertFalse(span.fits(span.counts(29)))

    def test_parts_and_barriers(self):
        kernel = make_kernel(BUILT_IN["cdf97"], "sep_lifting", False, Choices(levels=2, **self.GIVEN))
        self.assertEqual(kernel.tile_of_block(), (48, 48))
        text = kernel.text()
        self.assertEqual(text.count("_part<true, false>(a, p, shared);"), 1)
        self.assertEqual(text.count("_part<false, true>(a, p, shared);"), 1)
        self.assertIn("for (int i = 0; i < 4; i++)", text)
        one = make_kernel(BUILT_IN["cdf97"], "sep_lifting", False, Choices(**self.GIVEN))
        self.assertEqual(kernel.shared_bytes(), one.shared_bytes() + 4 * 56 * 56)

    def test_what_is_refused(self):
        for given, words in (({"type": "f16x2", "levels": 2}, "32 bits"), ({"memory": "none", "levels": 2}, "32 bits"), ({"levels": 6}, "levels 6")):
            with self.assertRaises(ChoiceError) as raised:
                Choices(**given)
            self.assertIn(words, str(raised.exception))
        for given, words in (({"group": (8, 8), "levels": 4}, "smaller than the margins"), ({**self.GIVEN, "levels": 5}, "bytes of shared memory")):
            with self.assertRaises(ChoiceError) as raised:
                make_kernel(BUILT_IN["cdf97"], "sep_lifting", False, Choices(**given))
            self.assertIn(words, str(raised.exception))


class Output(unittest.TestCase):
    def test_the_same_text_with_every_seed(self):
        """Sets and dictionaries of Python have another order with each seed."""
        command = [sys.executable, "-B", sys.argv[1], "cuda", "--wavelet", "cdf97", "--scheme",
                   "implosion,sep_convolution_star", "--quads", "2x2"]
        texts = {subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True).stdout
                 for seed in ("1", "2")}
        self.assertEqual(len(texts), 1)
        self.assertIn(b"LAB_ROWS", texts.pop())

    def test_a_wrong_call_names_the_fault(self):
        for words, text in ((["cuda", "--scheme", "x"], "is no scheme"), (["cuda", "--wavelet", "x"], "cannot be read"),
                            (["cuda", "--group", "32"], "give two numbers"), (["counts", "--wavelet", os.devnull], "no step")):
            run = subprocess.run([sys.executable, "-B", sys.argv[1], *words], capture_output=True, text=True, check=False)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn(text, run.stderr)
            self.assertNotIn("Traceback", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
