/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab_bench.h"

#define JSON "  --json FILE         rows as JSON, - for standard output in place of the text\n"

static const char schemes_help[] =
    "Plain C that lab/dwtgen writes, compiled when needed; float, one level, separate bands; exit status 6 if a\n"
    "scheme differs from a textbook's convolution by more than 1e-5 of the range. Needs python3 and a C compiler.\n"
    "  --image FILE        its first component; without it a picture is generated\n"
    "  --size W,H,...      of the generated pictures, one after the other, at most 8 (2048,2048)\n"
    "  --wavelet LIST      built-in names (cdf53,cdf97,dd137) or files; all: the built-in ones (all)\n"
    "  --scheme LIST       names that `python3 lab/dwtgen list` prints (all)\n"
    "  --direction WHICH   forward, inverse or both (both)\n"
    "  --threads N (1), --tile N: side of a tile in quads of 2x2 pixels (128), --runs N (5)\n" JSON
    "  --markdown FILE     the table as Markdown\n"
    "  --compiler NAME     with the options of gcc (cc)\n"
    "  --cache DIR         for compiled schemes (wavelane in XDG_CACHE_HOME or ~/.cache)\n"
    "  --generator DIR     lab/dwtgen of another source tree\n";

static const char lattice_help[] =
    "Forward and inverse of a random signal; exit status 6 if coefficients differ from sums in double precision by\n"
    "more than 1e-5.\n"
    "  --wavelet LIST      names of wavelane_dwt.h (db2,db4,db8,db16,sym8,coif3,cdf53,cdf97)\n"
    "  --length LIST       samples (1000,100000,10000000)\n"
    "  --form WHICH        lattice, convolution or both (both)\n"
    "  --type TYPE         f32 or f64 (f32)\n"
    "  --levels N (1), --threads LIST (1), --runs N (7)\n" JSON;

static const char transfers_help[] =
    "Forward, float; whole pictures and independent tiles, copies in turn with transforms and overlapped; exit status\n"
    "6 if a coefficient differs from the CPU's, or the CPU's from a textbook's; 77: too few devices.\n"
    "  --size W,H          of the pictures, which are generated (16384,16384)\n"
    "  --pictures N        that follow each other (4)\n"
    "  --devices N         measured with 1, 2, 4, ... of the first N devices, which share the work; 0: the CPU alone\n"
    "                      (1)\n"
    "  --wavelet NAME      cdf53, cdf97 or dd137 (cdf97)\n"
    "  --levels N (1), --tile N: side of a tile in pixels (1024), --threads N: of the CPU (1), --runs N (3)\n" JSON;

static const char inverse_help[] =
    "Without --size: the standard table. Exit status 6 if a byte differs from the CPU's. Options as those of\n"
    "wavelane-bench dwt: --size, --components, --depth, --levels, --tile, --planar, --batch, --plain, --runs\n";

static const char slots_help[] = "Options as those of wavelane-bench slots: --only, --width, --block, --runs\n";

static const wvl_bench_command commands[] = {
    {"schemes", wvl_lab_run_schemes, "every scheme of the 2-D wavelet transform, beside a copy", schemes_help},
    {"lattice", wvl_lab_run_lattice, "the 1-D wavelet transform of long signals, beside a copy", lattice_help},
    {"transfers", wvl_lab_run_transfers, "the 2-D wavelet transform with copies to devices and back", transfers_help},
    {"inverse", wvl_lab_run_inverse, "coefficients of the encoder back to pixels on a CUDA device", inverse_help},
    {"slots", wvl_bench_run_slots, "each SIMD kernel beside plain C", slots_help},
    {NULL, NULL, NULL, NULL},
};

const char wvl_bench_program[] = "wavelane-dwt-bench";

int main(int argc, char **argv) { return wvl_bench_run_program(argc, argv, commands, NULL); }
