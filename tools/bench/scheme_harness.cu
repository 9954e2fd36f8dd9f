/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that checks generated kernels (scheme_rows.cuh) against the textbook and times them beside copies of the
 * same bytes.
 *
 *   program WIDTH HEIGHT RUNS [SECONDS [KERNEL...]]      float kernels; one JSON object to standard output
 *
 * KERNEL: these alone, by their whole names. Pixels lie in rows, bands in four planes. After SECONDS no further kernel
 * is begun; the report counts those left out. Exit status: 0; 1 a call failed or a size is wrong; 6 a kernel differs
 * from the textbook by more than 1e-5 of the range; 77 no device.
 */
#include "scheme_rows.cuh"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
#include "textbook.h"
}

std::vector<lab_entry> &lab_list()
{
    static std::vector<lab_entry> list;
    return list;
}

static void check(cudaError_t status, const char *what)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
        exit(1);
    }
}

/* ---- Pictures: rows of pixels, or four planes ------------------------------------------------- */

struct layout {
    int width, height, pitch, plane_pitch;
    layout(int w, int h) : width(w), height(h), pitch((w + 31) / 32 * 32), plane_pitch((w + 63) / 64 * 32) {}
    size_t plane() const { return (size_t)plane_pitch * (size_t)((height + 1) / 2); }
    size_t values() const { return std::max((size_t)pitch * (size_t)height, 4 * plane()); }
    size_t count() const { return (size_t)width * (size_t)height; }
    size_t at(bool planes, int x, int y) const
    {
        return planes ? (size_t)(2 * (y & 1) + (x & 1)) * plane() + (size_t)(y >> 1) * (size_t)plane_pitch +
                            (size_t)(x >> 1)
                      : (size_t)y * (size_t)pitch + (size_t)x;
    }
    void set_views(lab_view *views, float *base, bool planes) const
    {
        for (int c = 0; c < 4; c++) {
            views[c] = {base + at(planes, c & 1, c >> 1), planes ? plane_pitch : 2LL * pitch, planes ? 1 : 2};
        }
    }
};

struct workspace {
    layout shape;
    std::vector<double> pixels;
    float *pixels_at, *bands_at, *out; /* on the device */
    unsigned *worst;
    double range[2]; /* of the pixels and of the bands */
    explicit workspace(int w, int h) : shape(w, h) {}
};

static void upload(const workspace &w, const std::vector<double> &values, float *to, bool planes)
{
    std::vector<float> placed(w.shape.values());
    memset(placed.data(), 0x7F, placed.size() * sizeof(float)); /* what `out` holds where nothing is written */
    for (int y = 0; y < w.shape.height; y++) {
        for (int x = 0; x < w.shape.width; x++) {
            placed[w.shape.at(planes, x, y)] = (float)values[(size_t)y * (size_t)w.shape.width + (size_t)x];
        }
    }
    check(cudaMemcpy(to, placed.data(), placed.size() * sizeof(float), cudaMemcpyHostToDevice), "upload");
}

static double range_of(const std::vector<double> &values)
{
    const auto ends = std::minmax_element(values.begin(), values.end());
    return fmax(*ends.second - *ends.first, 1.0);
}

/* The textbook's bands of a wavelet; false where it has none. */
static bool expect(workspace &w, const char *wavelet)
{
    const wvl_textbook *book = wvl_textbook_find(wavelet);
    std::vector<double> bands = w.pixels;
    if (book && wvl_textbook_run(book, bands.data(), (size_t)w.shape.width, (size_t)w.shape.height) != 0) {
        fprintf(stderr, "no memory for the textbook\n");
        exit(1);
    }
    upload(w, bands, w.bands_at, true);
    w.range[1] = range_of(bands);
    return book != nullptr;
}

static void make_picture(workspace &w)
{
    unsigned long long state = 1;
    w.pixels.resize(w.shape.count());
    for (double &v : w.pixels) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        v = (double)(state >> 56) - 128.0;
    }
    w.range[0] = range_of(w.pixels);
    for (float **at : {&w.pixels_at, &w.bands_at, &w.out}) {
        check(cudaMalloc((void **)at, w.shape.values() * sizeof(float)), "memory");
    }
    check(cudaMalloc((void **)&w.worst, sizeof *w.worst), "memory");
    upload(w, w.pixels, w.pixels_at, false);
}

/* ---- Time and error --------------------------------------------------------------------------- */

struct times {
    double least, median; /* seconds of one launch */
};

/* Of `runs` launches, after one that is not counted. Small pictures stay in the L2 cache. */
template <class F> static times time_launch(int runs, F launch)
{
    static cudaEvent_t begin, end;
    std::vector<float> ms((size_t)runs);
    if (!begin) {
        check(cudaEventCreate(&begin), "event");
        check(cudaEventCreate(&end), "event");
    }
    launch();
    for (float &one : ms) {
        check(cudaEventRecord(begin), "record");
        launch();
        check(cudaEventRecord(end), "record");
        check(cudaEventSynchronize(end), "wait");
        check(cudaEventElapsedTime(&one, begin, end), "time");
    }
    std::sort(ms.begin(), ms.end());
    return {1e-3 * ms[0], 0.5e-3 * (ms[(ms.size() - 1) / 2] + ms[ms.size() / 2])};
}

static __global__ void copy_values(const float4 *from, float4 *to, size_t count)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < count) {
        to[i] = from[i];
    }
}

/* The faster of the driver's copy and a kernel of 16 bytes a thread. */
static double time_copy(const workspace &w, int runs)
{
    const size_t count = w.shape.count() / 4, bytes = count * sizeof(float4);
    const times by_driver =
        time_launch(runs, [&] { check(cudaMemcpyAsync(w.out, w.pixels_at, bytes, cudaMemcpyDeviceToDevice), "copy"); });
    const times by_kernel = time_launch(runs, [&] {
        copy_values<<<(unsigned)((count + 255) / 256), 256>>>((const float4 *)w.pixels_at, (float4 *)w.out, count);
        check(cudaGetLastError(), "copy");
    });
    return fmin(by_driver.median, by_kernel.median);
}

/* Bits of floats that are not negative have the order of the floats; NaN is above all. */
static __global__ void find_worst(const float *out, const float *expected, size_t count, unsigned *worst)
{
    unsigned most = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        const unsigned error = __float_as_uint(fabsf(out[i] - expected[i]));
        most = error > most ? error : most;
    }
    atomicMax(worst, most);
}

/* As a part of the range. */
static double find_error(const workspace &w, bool inverse)
{
    unsigned bits = 0;
    float worst;
    check(cudaMemcpy(w.worst, &bits, sizeof bits, cudaMemcpyHostToDevice), "clear");
    find_worst<<<1056, 256>>>(w.out, inverse ? w.pixels_at : w.bands_at, w.shape.values(), w.worst);
    check(cudaMemcpy(&bits, w.worst, sizeof bits, cudaMemcpyDeviceToHost), "error");
    memcpy(&worst, &bits, sizeof worst);
    return std::isnan(worst) ? INFINITY : worst / w.range[inverse ? 0 : 1];
}

/* ---- One kernel ------------------------------------------------------------------------------- */

static lab_args make_args(const lab_entry &e, const workspace &w)
{
    lab_args a = {};
    const bool inverse = e.direction == INVERSE;
    const int wide = (w.shape.width + 1) / 2, high = (w.shape.height + 1) / 2, span = e.tile_width * e.tiles;
    w.shape.set_views(a.in, inverse ? w.bands_at : w.pixels_at, inverse);
    w.shape.set_views(a.out, w.out, !inverse);
    a.is_in_paired = inverse ? lab_are_planes(a.in) : lab_are_pairs(a.in);
    a.is_out_paired = inverse ? lab_are_pairs(a.out) : lab_are_planes(a.out);
    a.width = w.shape.width;
    a.height = w.shape.height;
    a.columns = (wide + span - 1) / span;
    a.rows = (high + e.tile_height - 1) / e.tile_height;
    a.unlikely = 1e30f;
    return a;
}

static void print_number(const char *key, double v)
{
    std::isfinite(v) ? printf(", \"%s\": %.6g", key, v) : printf(", \"%s\": null", key);
}

/* True if the kernel is wrong. */
static bool measure(const lab_entry &e, const workspace &w, bool has_textbook, double copy, int runs, bool is_first)
{
    const lab_args a = make_args(e, w);
    cudaFuncAttributes kernel = {};
    check(cudaFuncGetAttributes(&kernel, (const void *)e.body), e.name);
    check(cudaMemset(w.out, 0x7F, w.shape.values() * sizeof(float)), "fill");
    const times t = time_launch(runs, [&] {
        e.body<<<(unsigned)(a.columns * a.rows), (unsigned)e.threads>>>(a);
        check(cudaGetLastError(), e.name);
    });
    const bool is_checked = has_textbook && !e.is_memoryless;
    const double error = is_checked ? find_error(w, e.direction == INVERSE) : NAN;
    printf(
        "%s\n{\"kernel\": \"%s\", \"wavelet\": \"%s\", \"scheme\": \"%s\", \"direction\": \"%s\", \"registers\": %d, "
        "\"shared_bytes\": %zu, \"local_bytes\": %zu",
        is_first ? "" : ",", e.name, e.wavelet, e.scheme, e.direction == INVERSE ? "inverse" : "forward",
        kernel.numRegs, kernel.sharedSizeBytes, kernel.localSizeBytes);
    print_number("median_seconds", t.median);
    print_number("least_seconds", t.least);
    print_number("copy_share", copy / t.median);
    print_number("error", error);
    printf("}");
    if (is_checked && !(error <= 1e-5)) {
        fprintf(stderr, "%s differs from the textbook by %.2g of the range\n", e.name, error);
        return true;
    }
    return false;
}

/* ---- All of them ------------------------------------------------------------------------------ */

static std::vector<lab_entry> choose(int count, char **names)
{
    std::vector<lab_entry> list;
    for (const lab_entry &e : lab_list()) {
        bool is_named = count == 0;
        for (int i = 0; i < count; i++) {
            is_named = is_named || strcmp(names[i], e.name) == 0;
        }
        if (is_named) {
            list.push_back(e);
        }
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const lab_entry &a, const lab_entry &b) { return strcmp(a.wavelet, b.wavelet) < 0; });
    return list;
}

static int measure_all(workspace &w, const std::vector<lab_entry> &list, int runs, double seconds)
{
    const auto begin = std::chrono::steady_clock::now();
    const char *wavelet = "";
    bool has_textbook = false;
    double copy = 0.0;
    int wrong = 0;
    size_t done = 0;
    printf("\"schemes\": [");
    for (const lab_entry &e : list) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        if (passed.count() > seconds) {
            break;
        }
        if (strcmp(wavelet, e.wavelet) != 0) {
            has_textbook = expect(w, wavelet = e.wavelet);
            copy = time_copy(w, runs);
        }
        wrong += measure(e, w, has_textbook, copy, runs, done == 0);
        done++;
    }
    printf("],\n\"copy_seconds\": %.6g, \"left_out\": %zu}\n", copy, list.size() - done);
    return wrong;
}

int main(int count, char **words)
{
    int devices = 0;
    const int width = count >= 4 ? atoi(words[1]) : 0, height = count >= 4 ? atoi(words[2]) : 0;
    const int runs = count >= 4 ? atoi(words[3]) : 0;
    if (width < 1 || height < 1 || runs < 1) {
        fprintf(stderr, "give WIDTH HEIGHT RUNS, each at least 1\n");
        return 1;
    }
    for (const lab_entry &e : lab_list()) {
        if (e.type != F32) {
            fprintf(stderr, "%s: this program measures float kernels\n", e.name);
            return 1;
        }
    }
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        fprintf(stderr, "no device\n");
        return 77;
    }
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0), "device");
    workspace w(width, height);
    make_picture(w);
    printf("{\"device\": \"%s\", \"width\": %d, \"height\": %d, ", device.name, width, height);
    const std::vector<lab_entry> list = choose(count > 5 ? count - 5 : 0, words + 5);
    return measure_all(w, list, runs, count > 4 ? atof(words[4]) : INFINITY) ? 6 : 0;
}
