/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <string.h>

/* A text a part: C promises no longer ones. */
static const char *const usage[] = {
    "usage: wavelane-bench encode [options]          speed of whole encodes, memory to memory\n"
    "       wavelane-bench frames [options]          pictures one by one and in flight\n"
    "       wavelane-bench rd [options] [PICTURE...] PSNR at the bytes that OpenJPEG writes\n"
    "       wavelane-bench dwt [options]             the transform stage on a CUDA device, by itself\n"
    "       wavelane-bench slots [options]           each SIMD kernel beside plain C\n"
    "       wavelane-bench cancel [options]          how long an encode goes on after it was cancelled\n"
    "       wavelane-bench schemes [options]         every scheme of the 2-D wavelet transform, beside a copy\n"
    "       wavelane-bench lattice [options]         the 1-D wavelet transform of long signals, beside a copy\n"
    "       wavelane-bench transfers [options]       the 2-D wavelet transform with copies to devices and back\n"
    "\n",
    "encode (cycles and instructions a sample too, where the machine counts them for a process)\n"
    "  --image FILE        picture to encode; without it one is generated\n"
    "  --indices           take a palette picture as its indices, one component\n"
    "  --size W,H          of the generated picture (1920,1080)\n"
    "  --components N      of the generated picture (3)\n"
    "  --depth N           of the generated picture (8)\n"
    "  --mode MODE         lossless (5/3), lossy (9/7) or both (both); ht-lossless, ht-lossy or ht: HT blocks, beside "
    "OpenJPH and OpenHTJ2K\n"
    "  --bpp X             rate of lossy mode in bits per pixel (1.0)\n"
    "  --step X            base quantiser step of ht-lossy as a part of the full range (1/128)\n"
    "  --threads LIST      thread counts, measured in turn (1)\n"
    "  --runs N            timed runs after one that is not (7)\n"
    "  --set KEY=VALUE     further parameter for Wavelane; may be repeated\n"
    "  --alone             do not run the others beside\n"
    "  --scaling           instead: one picture on n threads against n encodes on one thread each, in processes of "
    "their own\n"
    "  --memory            one more encode, with allocations counted\n"
    "  --json FILE         results as JSON, - for standard output in place of the text\n"
    "\n",
    "frames (watched: how long blocks were coded, what a device did meanwhile)\n"
    "  --image FILE, or --size W,H (4096,2160) --components N (3) --depth N (8)\n"
    "  --threads N (16)\n"
    "  --frames LIST       pictures in flight, measured in turn; 0: one by one (0,3)\n"
    "  --count N           pictures timed (24)\n"
    "  --set KEY=VALUE     parameter, as device=cuda-only; may be repeated\n"
    "  --trace FILE        what was done when, as a Chrome trace\n"
    "frames --memory KIND (unwatched: pictures a second, latency, CPU time, bytes on the bus; the bytes of each "
    "picture "
    "are\n"
    "compared with the CPU's before each turn, exit status 6 if one differs; 77: no device)\n"
    "  --memory KIND       where the pixels lie: host, pinned or device\n"
    "  --devices N         the first N devices have the pictures in turn (1); each is also measured alone, with its\n"
    "                      share of the frames; with pinned, copies alone go to them\n"
    "  --ring N            different pictures, the one given and shifted copies of it (8)\n"
    "  --layout ORDER      of the pixels: planar or interleaved (as they are read)\n"
    "  --seconds X         of each turn, at least (2)\n"
    "  --turns N           of each number of --frames, in turn; medians are printed (3)\n"
    "  --uploads           also the uploads alone of the same pictures; needs --memory pinned\n"
    "  --copies            the same with downloads of as many bytes as the codestreams have beside them\n"
    "  --arrive            each picture is copied to its place on the device, behind an event that its encode awaits\n"
    "                      (`ready_event`); needs --memory device\n"
    "  --out FILE          codestream of the picture that is not shifted\n"
    "  --raw FILE          instead: write the ring, interleaved samples, above 8 bits in two bytes, the lower one "
    "first\n"
    "  --json FILE         results as JSON, - for standard output in place of the text\n"
    "  --image, --size, --components, --depth, --threads, --frames, --set as above\n"
    "\n",
    "rd (pictures default to kodim*.png and *clic*.png in the folder named by WVL_TEST_PICTURES)\n"
    "  --bpp LIST          rates (0.25,0.5,1,2,4)\n"
    "  --color WHICH       colour transform: on, off or both (both)\n"
    "  --threads N         (1)\n"
    "  --set KEY=VALUE     further parameter for Wavelane; may be repeated\n"
    "  --floor X           exit status 6 if a difference is below X dB (-0.05)\n"
    "  --markdown          table as Markdown\n"
    "  --json FILE         rows as JSON, - for standard output in place of the text\n"
    "\n",
    "dwt (without --size: the standard table); exit status 6 if a coefficient differs from the CPU's\n"
    "  --size W,H --components N --depth N --levels N (5) --tile N --planar\n"
    "  --batch N           pictures in one launch (1)\n"
    "  --plain             one level at a time with the kernels for any shape\n"
    "  --runs N            graphs timed (9)\n"
    "  --json FILE\n"
    "\n",
    "slots (nanoseconds a sample or symbol, the shortest run; and how many times as fast as plain C); exit status 6 if "
    "a level differs from C\n"
    "  --only TEXT         slots whose name contains the text\n"
    "  --width N           samples of a line (1024)\n"
    "  --block W,H         size of a block (64,64)\n"
    "  --runs N            timed runs of each slot and level (200)\n"
    "  --json FILE         rows as JSON, - for standard output in place of the text\n"
    "\n",
    "cancel (moments spread evenly over the encode; milliseconds from the raise to the end)\n"
    "  --image FILE, or --size W,H (4096,2160), three components of 8 bits\n"
    "  --threads N (2)\n"
    "  --seconds X         for all moments (30); at least one is measured\n"
    "  --set KEY=VALUE     parameter; may be repeated\n"
    "\n",
    "schemes (plain C that tools/dwtgen writes, compiled when asked for; float, one level, separate bands; exit status "
    "6 "
    "if a\n"
    "scheme differs from a textbook's convolution by more than 1e-5 of the range). Needs python3 and a C compiler.\n"
    "  --image FILE        its first component; without it a picture is generated\n"
    "  --size W,H,...      of the generated pictures, one after the other, at most 8 (2048,2048)\n"
    "  --wavelet LIST      built-in names (cdf53,cdf97,dd137) or files; all: the built-in ones (all)\n"
    "  --scheme LIST       names that `python3 tools/dwtgen list` prints (all)\n"
    "  --direction WHICH   forward, inverse or both (both)\n"
    "  --threads N (1), --tile N: side of a tile in quads of 2x2 pixels (128), --runs N (5)\n"
    "  --json FILE         rows as JSON, - for standard output in place of the text\n"
    "  --markdown FILE     the table as Markdown\n"
    "  --compiler NAME     with the options of gcc (cc)\n"
    "  --cache DIR         for compiled schemes (wavelane in XDG_CACHE_HOME or ~/.cache)\n"
    "  --generator DIR     tools/dwtgen of another source tree\n"
    "\n",
    "lattice (forward and inverse of a signal by chance; exit status 6 if coefficients differ from sums in double\n"
    "precision by more than 1e-5)\n"
    "  --wavelet LIST      names of wavelane_dwt.h (db2,db4,db8,db16,sym8,coif3,cdf53,cdf97)\n"
    "  --length LIST       samples (1000,100000,10000000)\n"
    "  --form WHICH        lattice, convolution or both (both)\n"
    "  --type TYPE         f32 or f64 (f32)\n"
    "  --levels N (1), --threads LIST (1), --runs N (7)\n"
    "  --json FILE         rows as JSON, - for standard output in place of the text\n"
    "\n",
    "transfers (forward, float; whole pictures and independent tiles, copies in turn with transforms and overlapped;\n"
    "exit status 6 if a coefficient differs from the CPU's, or the CPU's from a textbook's; 77: too few devices)\n"
    "  --size W,H          of the pictures, which are generated (16384,16384)\n"
    "  --pictures N        that follow each other (4)\n"
    "  --devices N         measured with 1, 2, 4, ... of the first N devices, which share the work; 0: the CPU alone "
    "(1)\n"
    "  --wavelet NAME      cdf53, cdf97 or dd137 (cdf97)\n"
    "  --levels N (1), --tile N: side of a tile in pixels (1024), --threads N: of the CPU (1), --runs N (3)\n"
    "  --json FILE         rows as JSON, - for standard output in place of the text\n"};

static void print_usage(FILE *out)
{
    for (size_t i = 0; i < sizeof usage / sizeof *usage; i++) {
        fputs(usage[i], out);
    }
}

typedef struct command {
    const char *name;
    int (*run)(wvl_bench_args *args);
} command;

static const command commands[] = {
    {"encode", wvl_bench_run_encode},   {"frames", wvl_bench_run_frames},   {"rd", wvl_bench_run_rd},
    {"dwt", wvl_bench_run_dwt},         {"slots", wvl_bench_run_slots},     {"cancel", wvl_bench_run_cancel},
    {"schemes", wvl_bench_run_schemes}, {"lattice", wvl_bench_run_lattice}, {"transfers", wvl_bench_run_transfers},
};

int main(int argc, char **argv)
{
    wvl_bench_args args = {.count = argc, .next = 2, .values = argv};
    const char *name = argc >= 2 ? argv[1] : "";

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return commands[i].run(&args);
        }
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_usage(stdout);
        return WVL_BENCH_EXIT_OK;
    }
    print_usage(stderr);
    return WVL_BENCH_EXIT_USAGE;
}
