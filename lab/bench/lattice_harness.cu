/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of lab/cuda/lattice on a device: each is compared with sums in double precision and timed beside a copy.
 *
 *   nvcc -O3 -arch=native -std=c++17 --fmad=false -Ilab/include -Iinclude -Isrc -I. lab/bench/lattice_harness.cu
 * lab/lattice/factor.c a.out LENGTH RUNS WAVELET... [-- KERNEL...]      lines of JSON; a length that 32 divides
 *
 * Exit status: 0; 1 a call failed or an argument is wrong; 6 a kernel differs by more than 1e-5, or one of five levels
 * from another one; 77 no device.
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
#include "lab/lattice/lattice.h"
}

#include "lab/cuda/lattice/carry.cuh"
#include "lab/cuda/lattice/convolution.cuh"
#include "lab/cuda/lattice/levels.cuh"

enum { THREADS = 256, MARCHING = 64 }; /* of a thread block */

template <void (*BODY)(const wvl_lattice_args &)>
static __global__ void __launch_bounds__(THREADS) kernel(const __grid_constant__ wvl_lattice_args a)
{
    BODY(a);
}
/* 8: at most 128 registers; without it the assembler takes 80 and spills. */
template <void (*BODY)(const wvl_lattice_args &)>
static __global__ void __launch_bounds__(MARCHING, 8) marching(const __grid_constant__ wvl_lattice_args a)
{
    BODY(a);
}
template <int BLOCKS, void (*BODY)(const wvl_lattice_args &)>
static __global__ void __launch_bounds__(MARCHING, BLOCKS) carrying(const __grid_constant__ wvl_lattice_args a)
{
    BODY(a);
}
using namespace wvl_lattice;
struct entry {
    const char *name;
    void (*forward)(wvl_lattice_args), (*inverse)(wvl_lattice_args);
    int levels, pairs_of_warp; /* pairs_of_warp: 0 if thread blocks count */
    int floats;                /* of shared memory; 0: the kernel says */
    int stretch, first, deep;  /* of marching warps: samples, and pairs of a lane at level 1 and above; 0: others */
    int stages;                /* the number that it is measured with; 0: any */
    bool is_carrying;
};
#define MARCH_OF(STAGES, NAME, FIRST, DEEP, LEVELS, STRETCH)                                                           \
    {                                                                                                                  \
        NAME, marching<forward_march<FIRST, DEEP, STAGES>>, marching<inverse_march<FIRST, DEEP, STAGES>>, LEVELS, 0,   \
            0, STRETCH, FIRST, DEEP, STAGES, false                                                                     \
    }
#define MARCH(FIRST, DEEP, LEVELS, STRETCH)                                                                            \
    MARCH_OF(0, "march_" #FIRST "_" #DEEP "_" #STRETCH, FIRST, DEEP, LEVELS, STRETCH)
#define MARCH_STAGES(STAGES, LEVELS, STRETCH) MARCH_OF(STAGES, "march_8_8_" #STRETCH "_stages", 8, 8, LEVELS, STRETCH)
/* As in the library: for at most that many stages, or any number (0). */
#define CARRY_OF(DIRECTION, STAGES, FIRST, DEEP)                                                                       \
    carrying<WVL_LATTICE_CARRY_BLOCKS(STAGES, FIRST, DEEP), DIRECTION##_carry<FIRST, DEEP, STAGES, STAGES != 0>>
#define CARRY(STAGES, FIRST, DEEP, STRETCH)                                                                            \
    {                                                                                                                  \
        "carry_" #FIRST "_" #DEEP "_" #STRETCH "_stages_" #STAGES, CARRY_OF(forward, STAGES, FIRST, DEEP),             \
            CARRY_OF(inverse, STAGES, FIRST, DEEP), 5, 0, 0, STRETCH, FIRST, DEEP, STAGES, true                        \
    }
#define CARRY_LONG(STAGES, FIRST, DEEP)                                                                                \
    CARRY(STAGES, FIRST, DEEP, 16384), CARRY(STAGES, FIRST, DEEP, 20480), CARRY(STAGES, FIRST, DEEP, 24576),           \
        CARRY(STAGES, FIRST, DEEP, 32768)
#define CARRY_ALL(STAGES)                                                                                              \
    CARRY_LONG(STAGES, 8, 4), CARRY_LONG(STAGES, 8, 8), CARRY_LONG(STAGES, 16, 8), CARRY_LONG(STAGES, 16, 4)
static const entry entries[] = {
    {"butterfly", kernel<forward_butterfly>, kernel<inverse_butterfly>, 1, 0, 0},
    {"registers", kernel<forward_registers>, kernel<inverse_registers>, 1, 32 * WVL_LATTICE_PAIRS, 0},
    {"lanes_4", kernel<forward_lanes<4>>, kernel<inverse_lanes<4>>, 1, 32 * 4, 0},
    {"lanes_8", kernel<forward_lanes<8>>, kernel<inverse_lanes<8>>, 1, 32 * 8, 0},
    {"lanes_16", kernel<forward_lanes<16>>, kernel<inverse_lanes<16>>, 1, 32 * 16, 0},
    {"levels", kernel<forward_levels>, kernel<inverse_levels>, 1, 0, 0},
    {"levels", kernel<forward_levels>, kernel<inverse_levels>, 5, 0, 0},
    {"windows_4_3000", kernel<forward_windows<4>>, kernel<inverse_windows<4>>, 5, 0, 3000},
    {"windows_4_6000", kernel<forward_windows<4>>, kernel<inverse_windows<4>>, 5, 0, 6000},
    {"windows_4_12000", kernel<forward_windows<4>>, kernel<inverse_windows<4>>, 5, 0, 12000},
    {"windows_8_3000", kernel<forward_windows<8>>, kernel<inverse_windows<8>>, 5, 0, 3000},
    {"windows_8_6000", kernel<forward_windows<8>>, kernel<inverse_windows<8>>, 5, 0, 6000},
    {"windows_8_12000", kernel<forward_windows<8>>, kernel<inverse_windows<8>>, 5, 0, 12000},
    MARCH(8, 8, 5, 8192),
    MARCH(8, 8, 5, 16384),
    MARCH(8, 8, 5, 32768),
    MARCH(8, 4, 5, 8192),
    MARCH(8, 4, 5, 16384),
    MARCH(8, 4, 5, 32768),
    MARCH(4, 4, 5, 8192),
    MARCH(4, 4, 5, 16384),
    MARCH(8, 8, 1, 4096),
    MARCH(8, 8, 1, 16384),
    MARCH(8, 8, 2, 16384),
    MARCH(8, 8, 3, 16384),
    MARCH_STAGES(3, 5, 16384),
    MARCH_STAGES(7, 5, 16384),
    MARCH_STAGES(15, 5, 16384),
    MARCH_STAGES(15, 1, 16384),
    CARRY(0, 8, 4, 32768),
    CARRY_ALL(3),
    CARRY_ALL(7),
    CARRY_ALL(15),
    CARRY(15, 4, 4, 24576),
    {"convolution", kernel<forward_convolution>, kernel<inverse_convolution>, 1, 0, 0},
    {"convolve", kernel<convolve_shared<false>>, kernel<convolve_shared<true>>, 1, 0, 0},
};

static void check(cudaError_t status, const char *what)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
        exit(1);
    }
}

/* Bytes of shared memory of marching warps. */
static size_t bytes_of_marching(const entry &e, const wvl_lattice_args &a, bool is_inverse)
{
    int floats = is_inverse ? wvl_lattice_march_inverse_floats(&a, e.first, e.deep)
                            : wvl_lattice_march_forward_floats(&a, e.first, e.deep);
    if (e.is_carrying) {
        floats = is_inverse ? wvl_lattice_carry_inverse_floats(&a, e.first, e.deep)
                            : wvl_lattice_carry_forward_floats(&a, e.first, e.deep);
    }
    return MARCHING / 32 * floats * sizeof(float);
}

/* Pairs of level 1 that a thread block gives, and its bytes of shared memory. */
static long long pairs_of_block(const entry &e, const wvl_lattice_args &a, size_t &shared)
{
    const long long stages = a.steps.stage_count;
    shared = 0;
    if (e.stretch) {
        shared = bytes_of_marching(e, a, false);
        return MARCHING / 32 * ((long long)a.tile << (a.levels - 1));
    }
    if (e.forward == kernel<forward_butterfly>) {
        shared = (THREADS + stages) * sizeof(float);
        return THREADS - stages;
    }
    if (e.pairs_of_warp) {
        return THREADS / 32 * (e.pairs_of_warp - stages);
    }
    if (e.forward == kernel<convolve_shared<false>>) {
        shared = wvl_lattice_convolve_floats(&a, THREADS) * sizeof(float);
        return THREADS * CONVOLVED;
    }
    if (e.floats) {
        shared = wvl_lattice_window_floats(&a) * sizeof(float);
        return (long long)a.tile << (a.levels - 1);
    }
    if (e.forward == kernel<forward_levels>) {
        shared = wvl_lattice_shared_floats(&a, THREADS) * sizeof(float);
        return (long long)a.tile << (a.levels - 1);
    }
    return THREADS;
}

/* Milliseconds, the median over `runs` after one that is not counted. */
template <class F> static double time_launch(int runs, F launch)
{
    cudaEvent_t begin, end;
    std::vector<float> times((size_t)runs);
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    launch();
    for (float &ms : times) {
        check(cudaEventRecord(begin), "record");
        launch();
        check(cudaEventRecord(end), "record");
        check(cudaEventSynchronize(end), "wait");
        check(cudaEventElapsedTime(&ms, begin, end), "time");
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/* The high coefficients of level 1, evenly spread ones, beside sums in doubles; and the signal that came back. */
static double find_error(const wvl_lattice_filter &f, const std::vector<float> &signal, const std::vector<float> &coefs,
                         const std::vector<float> &back)
{
    const long long n = (long long)signal.size(), step = 1 + n / 40000;
    double worst = 0.0;
    for (long long i = 0; i < n / 2; i += step) {
        double sum = 0.0;
        for (unsigned k = 0; k < f.tap_count; k++) {
            sum += f.high[k] * signal[(size_t)(((2 * i + f.first + k) % n + n) % n)];
        }
        const double error = std::fabs(sum - coefs[(size_t)(n / 2 + i)]);
        worst = error <= worst ? worst : error;
    }
    for (long long i = 0; i < n; i++) {
        const double error = std::fabs((double)signal[(size_t)i] - back[(size_t)i]);
        worst = error <= worst ? worst : error;
    }
    return worst;
}

/* Kernels of several levels give the same bits. The largest difference from the first one of the wavelet; 0 for that
 * one, and for others than of five levels. */
static double compare_levels(const entry &e, const char *wavelet, const std::vector<float> &coefs)
{
    static std::vector<float> first;
    static const char *of = "";
    double worst = 0.0;
    if (e.levels != 5) {
        return 0.0;
    }
    if (strcmp(of, wavelet) != 0) {
        first = coefs;
        of = wavelet;
    }
    for (size_t i = 0; i < coefs.size(); i++) {
        const double difference = std::fabs((double)coefs[i] - first[i]);
        worst = difference <= worst ? worst : difference;
    }
    return worst;
}

/* True if the kernel is wrong. */
static bool measure(const entry &e, const char *name, const wvl_lattice_filter &f, wvl_lattice_args a,
                    const std::vector<float> &signal, int runs)
{
    const size_t n = signal.size(), bytes = n * sizeof(float);
    std::vector<float> coefs(n), back(n);
    size_t shared;
    a.levels = e.levels;
    a.tile = e.floats ? wvl_lattice_choose_window(a, e.floats) : wvl_lattice_choose_tile(&a, THREADS);
    a.tile = e.stretch ? e.stretch >> e.levels : a.tile;
    a.tile = e.is_carrying ? wvl_lattice_carry_tile(&a, e.stretch) : a.tile;
    const long long pairs = pairs_of_block(e, a, shared);
    const int threads = e.stretch ? MARCHING : THREADS;
    const unsigned grid = (unsigned)((a.length / 2 + pairs - 1) / pairs);
    check(cudaMemcpy(a.signal, signal.data(), bytes, cudaMemcpyHostToDevice), "upload");
    const double forward = time_launch(runs, [&] { e.forward<<<grid, threads, shared>>>(a); });
    check(cudaMemset(a.signal, 0x7F, bytes), "fill");
    shared = e.stretch ? bytes_of_marching(e, a, true) : shared;
    const double inverse = time_launch(runs, [&] { e.inverse<<<grid, threads, shared>>>(a); });
    check(cudaDeviceSynchronize(), e.name);
    check(cudaMemcpy(coefs.data(), a.coefs, bytes, cudaMemcpyDeviceToHost), "download");
    check(cudaMemcpy(back.data(), a.signal, bytes, cudaMemcpyDeviceToHost), "download");
    const double copy =
        time_launch(runs, [&] { check(cudaMemcpyAsync(a.coefs, a.signal, bytes, cudaMemcpyDeviceToDevice), "copy"); });
    const double error = find_error(f, signal, coefs, back), beside = compare_levels(e, name, coefs);
    printf("{\"wavelet\": \"%s\", \"kernel\": \"%s\", \"levels\": %d, \"length\": %zu, \"forward_ms\": %.5f, "
           "\"inverse_ms\": %.5f, \"copy_ms\": %.5f, \"error\": %.2e, \"beside\": %.2e}\n",
           name, e.name, e.levels, n, forward, inverse, copy, error, beside);
    return !(error <= 1e-5 && beside == 0.0);
}

/* KERNEL: these alone, by their whole names. */
static bool is_named(const entry &e, char **from, char **end)
{
    return from == end || std::any_of(from, end, [&](const char *word) { return strcmp(word, e.name) == 0; });
}

int main(int argc, char **argv)
{
    int devices = 0;
    char **const end = argv + argc,
                 **const cut = std::find_if(argv, end, [](const char *w) { return !strcmp(w, "--"); });
    char **const names = cut == end ? end : cut + 1;
    argc = (int)(cut - argv);
    const long long length = argc > 3 ? atoll(argv[1]) : 0;
    const int runs = argc > 3 ? atoi(argv[2]) : 0;
    if (length < 32 || length % 32 || runs < 1) {
        fprintf(stderr, "usage: lattice_harness LENGTH RUNS WAVELET... [-- KERNEL...]; LENGTH is a multiple of 32\n");
        return 1;
    }
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        fprintf(stderr, "no device\n");
        return 77;
    }
    bool wrong = false;
    std::vector<float> signal((size_t)length);
    for (float &x : signal) {
        x = (float)rand() / (float)RAND_MAX * 2 - 1;
    }
    wvl_lattice_args a = {};
    check(cudaMalloc((void **)&a.signal, signal.size() * sizeof(float)), "memory");
    check(cudaMalloc((void **)&a.coefs, signal.size() * sizeof(float)), "memory");
    for (int i = 3; i < argc; i++) {
        wvl_lattice_filter f = {};
        if (!wvl_lattice_find_filter(argv[i], &f) || !wvl_lattice_fill_inverse(&f)) {
            fprintf(stderr, "unknown wavelet %s\n", argv[i]);
            return 1;
        }
        wvl_lattice_factorise(&f);
        wvl_lattice_round_f32(&f, &a.steps);
        a.low = a.coefs;
        a.length = length;
        a.first = f.first;
        a.delay = (int)f.delay;
        for (const entry &e : entries) {
            const bool is_for = (!e.stages || e.stages == (int)f.stage_count) && is_named(e, names, end);
            if (is_for && (f.has_lattice || e.name[0] == 'c')) {
                wrong |= measure(e, argv[i], f, a, signal, runs);
            }
        }
    }
    return wrong ? 6 : 0;
}
