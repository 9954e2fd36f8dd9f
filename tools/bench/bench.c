/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

/* A text a part: C promises no longer ones. */
static const char *const usage[] = {
    "usage: wavelane-bench encode [options]          speed of whole encodes, memory to memory\n"
    "       wavelane-bench frames [options]          pictures one by one and in flight\n"
    "       wavelane-bench rd [options] [PICTURE...] PSNR at the bytes that OpenJPEG writes\n"
    "       wavelane-bench dwt [options]             the transform stage on a CUDA device, by itself\n"
    "       wavelane-bench slots [options]           each SIMD kernel beside plain C\n"
    "       wavelane-bench cancel [options]          how long an encode goes on after it was cancelled\n"
    "(transforms that the encoder does not use: wavelane-dwt-bench)\n"
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
    "  --set KEY=VALUE     parameter; may be repeated\n",
    NULL};

static const wvl_bench_command commands[] = {
    {"encode", wvl_bench_run_encode},
    {"frames", wvl_bench_run_frames},
    {"rd", wvl_bench_run_rd},
    {"dwt", wvl_bench_run_dwt},
    {"slots", wvl_bench_run_slots},
    {"cancel", wvl_bench_run_cancel},
    {NULL, NULL},
};

const char wvl_bench_program[] = "wavelane-bench";

int main(int argc, char **argv) { return wvl_bench_run_program(argc, argv, commands, usage); }
