/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#define JSON "  --json FILE         results as JSON, - for standard output in place of the text\n"
#define SET "  --set KEY=VALUE     further parameter for Wavelane; may be repeated\n"

static const char encode_help[] =
    "  --image FILE        picture to encode; without it one is generated\n"
    "  --indices           take a palette picture as its indices, one component\n"
    "  --size W,H (1920,1080) --components N (3) --depth N (8)\n"
    "                      of the generated picture\n"
    "  --mode MODE         lossless (5/3), lossy (9/7) or both (both); ht-lossless, ht-lossy or ht: HT blocks, beside\n"
    "                      OpenJPH and OpenHTJ2K\n"
    "  --bpp X             rate of lossy mode in bits per pixel (1.0)\n"
    "  --step X            base quantiser step of ht-lossy as a part of the full range (1/128)\n"
    "  --threads LIST      thread counts, measured in turn (1)\n"
    "  --runs N            timed runs after one that is not (7)\n" SET "  --alone             measure Wavelane alone\n"
    "  --scaling           instead: one picture on n threads against n encodes on one thread each, in processes of\n"
    "                      their own\n"
    "  --simd LEVEL        Wavelane's kernels: c, avx2, avx512 or neon, as far as this machine has them (auto)\n"
    "  --memory            one more encode, with allocations counted\n" JSON;

static const char frames_help[] =
    "Pictures a second, latency, CPU time, bytes on the bus. The bytes of each picture are compared with the CPU's\n"
    "before each turn; exit status 6 if one differs, 77 without a device.\n"
    "  --image FILE, or --size W,H (4096,2160) --components N (3) --depth N (8)\n"
    "  --threads N (16)\n"
    "  --frames LIST       pictures in flight, measured in turn; 0: one by one (0,3)\n" SET
    "  --trace FILE        a Chrome trace of all that was done\n"
    "  --memory KIND       where the pixels lie: host, pinned or device (host)\n"
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
    "  --raw FILE          instead: write the ring, interleaved samples, above 8 bits in two bytes, the lower one\n"
    "                      first\n" JSON;

static const char rd_help[] =
    "  PICTURE...          (kodim*.png and *clic*.png in the folder named by WVL_TEST_PICTURES)\n"
    "  --bpp LIST          rates (0.25,0.5,1,2,4)\n"
    "  --color WHICH       colour transform: on, off or both (both)\n"
    "  --threads N         (1)\n" SET "  --floor X           exit status 6 if a difference is below X dB (-0.05)\n"
    "  --markdown          table as Markdown\n" JSON;

static const char dwt_help[] =
    "Without --size: the standard table. Exit status 6 if a coefficient differs from the CPU's.\n"
    "  --size W,H --components N --depth N --levels N (5) --tile N --planar\n"
    "  --batch N           pictures in one launch (1)\n"
    "  --plain             one level at a time with the kernels for any shape\n"
    "  --apart             launches do not overlap\n"
    "  --runs N            graphs timed (9)\n";

static const char slots_help[] =
    "Nanoseconds a sample or symbol, the shortest run; and how many times as fast as plain C. Exit status 6 if a\n"
    "level differs from C.\n"
    "  --only TEXT         slots whose name contains the text\n"
    "  --width N           samples of a line (1024)\n"
    "  --block W,H         size of a block (64,64)\n"
    "  --runs N            timed runs of each slot and level (200)\n";

static const char cancel_help[] =
    "Encodes are cancelled at moments spread evenly over them; milliseconds from the raise to the end.\n"
    "  --image FILE, or --size W,H (4096,2160), three components of 8 bits\n"
    "  --threads N (2)\n"
    "  --seconds X         for all moments (30); at least one is measured\n" SET;

static const wvl_bench_command commands[] = {
    {"encode", wvl_bench_run_encode, "speed of whole encodes, memory to memory", encode_help},
    {"frames", wvl_bench_run_frames, "pictures one by one and in flight", frames_help},
    {"rd", wvl_bench_run_rd, "PSNR at the bytes that OpenJPEG writes", rd_help},
    {"dwt", wvl_bench_run_dwt, "the transform stage on a CUDA device, by itself", dwt_help},
    {"slots", wvl_bench_run_slots, "each SIMD kernel beside plain C", slots_help},
    {"cancel", wvl_bench_run_cancel, "how long an encode goes on after it was cancelled", cancel_help},
    {"plot", wvl_bench_run_plot, "draws reports as SVG, or as one page of HTML", NULL},
    {NULL, NULL, NULL, NULL},
};

const char wvl_bench_program[] = "wavelane-bench";

int main(int argc, char **argv)
{
    return wvl_bench_run_program(argc, argv, commands,
                                 "\nTransforms that the encoder does not use: wavelane-dwt-bench. Kernels of the "
                                 "device: device_timer (docs/bench.md).\n");
}
