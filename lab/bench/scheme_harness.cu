/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that checks generated kernels (scheme_rows.cuh) against the textbook and times them beside copies of the
 * same bytes.
 *
 *   program WIDTH HEIGHT RUNS [SECONDS [KERNEL...]]      float kernels; one JSON object to standard output
 *
 * KERNEL: these alone, by their whole names. Pixels lie in rows, bands in four planes. After SECONDS no further kernel
 * is begun; the report counts those left out. A kernel of several levels stands beside the same kernel of one level,
 * level after level (turn_seconds), if the program has it. Exit status: 0; 1 a call failed or a size is wrong; 6 a
 * kernel differs from the textbook by more than 1e-5 of the range; 77 no device.
 */
#include "scheme_rows.cuh"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

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

/* shapes[k]: of what level k + 1 splits. Its planes begin at begins[k] in every buffer. */
struct workspace {
    std::vector<layout> shapes;
    std::vector<size_t> begins;
    const layout &shape;
    size_t values;
    std::vector<double> pixels;
    float *pixels_at, *bands_at, *out, *low; /* on the device; low: low-low planes between levels */
    unsigned *worst;
    double range[2]; /* of the pixels and of the bands */
    workspace(const workspace &) = delete;
    workspace(int width, int height) : shapes(list_shapes(width, height)), shape(shapes[0]), values(0)
    {
        for (const layout &s : shapes) {
            begins.push_back(values);
            values += s.values();
        }
    }
    static std::vector<layout> list_shapes(int width, int height)
    {
        std::vector<layout> list;
        for (int k = 0; k < LAB_MOST_LEVELS; k++) {
            list.emplace_back(((width - 1) >> k) + 1, ((height - 1) >> k) + 1);
        }
        return list;
    }
};

/* Pixels, or the bands of level k + 1 in planes, without low-low ones if a further level splits them. */
static void place(const workspace &w, const std::vector<double> &values, int k, bool planes, bool with_low,
                  std::vector<float> &placed)
{
    const layout &s = w.shapes[(size_t)k];
    for (int y = 0; y < s.height; y++) {
        for (int x = 0; x < s.width; x++) {
            if (with_low || x % 2 || y % 2) {
                placed[w.begins[(size_t)k] + s.at(planes, x, y)] =
                    (float)values[(size_t)y * (size_t)s.width + (size_t)x];
            }
        }
    }
}

static std::vector<float> make_filled(const workspace &w)
{
    std::vector<float> placed(w.values);
    memset(placed.data(), 0x7F, placed.size() * sizeof(float)); /* what `out` holds where nothing is written */
    return placed;
}

static void upload(const std::vector<float> &placed, float *to)
{
    check(cudaMemcpy(to, placed.data(), placed.size() * sizeof(float), cudaMemcpyHostToDevice), "upload");
}

static double range_of(const std::vector<double> &values)
{
    const auto ends = std::minmax_element(values.begin(), values.end());
    return fmax(*ends.second - *ends.first, 1.0);
}

static std::vector<double> take_low(const layout &s, const std::vector<double> &bands)
{
    std::vector<double> low;
    for (int y = 0; y < s.height; y += 2) {
        for (int x = 0; x < s.width; x += 2) {
            low.push_back(bands[(size_t)y * (size_t)s.width + (size_t)x]);
        }
    }
    return low;
}

/* The textbook's bands of a wavelet; false where it has none. */
static bool expect(workspace &w, const char *wavelet, int levels)
{
    const wvl_textbook *book = wvl_textbook_find(wavelet);
    std::vector<double> bands = w.pixels;
    std::vector<float> placed = make_filled(w);
    w.range[1] = 1.0;
    for (int k = 0; k < levels; k++) {
        const layout &s = w.shapes[(size_t)k];
        if (book && wvl_textbook_run(book, bands.data(), (size_t)s.width, (size_t)s.height) != 0) {
            fprintf(stderr, "no memory for the textbook\n");
            exit(1);
        }
        place(w, bands, k, true, k == levels - 1, placed);
        w.range[1] = fmax(w.range[1], range_of(bands));
        bands = take_low(s, bands);
    }
    upload(placed, w.bands_at);
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
    for (float **at : {&w.pixels_at, &w.bands_at, &w.out, &w.low}) {
        check(cudaMalloc((void **)at, w.values * sizeof(float)), "memory");
    }
    check(cudaMalloc((void **)&w.worst, sizeof *w.worst), "memory");
    std::vector<float> placed = make_filled(w);
    place(w, w.pixels, 0, false, true, placed);
    upload(placed, w.pixels_at);
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
    find_worst<<<1056, 256>>>(w.out, inverse ? w.pixels_at : w.bands_at, w.values, w.worst);
    check(cudaMemcpy(&bits, w.worst, sizeof bits, cudaMemcpyDeviceToHost), "error");
    memcpy(&worst, &bits, sizeof worst);
    return std::isnan(worst) ? INFINITY : worst / w.range[inverse ? 0 : 1];
}

/* ---- One kernel ------------------------------------------------------------------------------- */

static void fit(const lab_entry &e, const layout &shape, lab_args &a)
{
    const bool inverse = e.direction == INVERSE;
    const int wide = (shape.width + 1) / 2, high = (shape.height + 1) / 2, span = e.tile_width * e.tiles;
    a.is_in_paired = inverse ? lab_are_planes(a.in) : lab_are_pairs(a.in);
    a.is_out_paired = inverse ? lab_are_pairs(a.out) : lab_are_planes(a.out);
    a.width = shape.width;
    a.height = shape.height;
    a.columns = (wide + span - 1) / span;
    a.rows = (high + e.tile_height - 1) / e.tile_height;
    a.unlikely = 1e30f;
}

static lab_args make_args(const lab_entry &e, const workspace &w)
{
    lab_args a = {};
    const bool inverse = e.direction == INVERSE;
    w.shape.set_views(a.in, inverse ? w.bands_at : w.pixels_at, inverse);
    w.shape.set_views(a.out, w.out, !inverse);
    for (size_t k = 1; k < w.shapes.size(); k++) {
        w.shapes[k].set_views(a.deeper[k - 1], (inverse ? w.bands_at : w.out) + w.begins[k], true);
    }
    fit(e, w.shape, a);
    return a;
}

/* The picture that level k + 1 splits, k above 0: the low-low plane of level k. */
static void set_low_views(const workspace &w, int k, lab_view *views)
{
    const long long pitch = w.shapes[(size_t)k - 1].plane_pitch;
    float *base = w.low + w.begins[(size_t)k - 1];
    for (int c = 0; c < 4; c++) {
        views[c] = {base + (c >> 1) * pitch + (c & 1), 2 * pitch, 2};
    }
}

/* Level k + 1 of `levels` by a kernel of one level. */
static lab_args make_turn(const lab_entry &e, const workspace &w, int k, int levels)
{
    lab_args a = {};
    const bool inverse = e.direction == INVERSE;
    const layout &s = w.shapes[(size_t)k];
    lab_view *pixels = inverse ? a.out : a.in, *bands = inverse ? a.in : a.out;
    if (k > 0) {
        set_low_views(w, k, pixels);
    } else {
        s.set_views(pixels, inverse ? w.out : w.pixels_at, false);
    }
    s.set_views(bands, (inverse ? w.bands_at : w.out) + w.begins[(size_t)k], true);
    if (k < levels - 1) {
        bands[0].at = w.low + w.begins[(size_t)k];
    }
    fit(e, s, a);
    return a;
}

static void launch(const lab_entry &e, const lab_args &a)
{
    const size_t dynamic = e.levels > 1 ? (size_t)e.shared_bytes : 0;
    e.body<<<(unsigned)(a.columns * a.rows), (unsigned)e.threads, dynamic>>>(a);
    check(cudaGetLastError(), e.name);
}

/* The same choices with one level; NULL: the program has no such kernel. */
static const lab_entry *find_one_level(const lab_entry &e)
{
    const std::string word = "_l" + std::to_string(e.levels);
    std::string name = e.name;
    const size_t at = name.find(word);
    for (const lab_entry &one : lab_list()) {
        if (e.levels > 1 && at != std::string::npos && one.name == name.substr(0, at) + name.substr(at + word.size())) {
            return &one;
        }
    }
    return nullptr;
}

/* All levels, one launch after the other; NAN without a kernel for it. */
static double time_turns(const lab_entry &e, const workspace &w, int runs)
{
    const lab_entry *one = find_one_level(e);
    std::vector<lab_args> turns;
    for (int k = 0; one && k < e.levels; k++) {
        turns.insert(e.direction == INVERSE ? turns.begin() : turns.end(), make_turn(*one, w, k, e.levels));
    }
    return one ? time_launch(runs,
                             [&] {
                                 for (const lab_args &a : turns) {
                                     launch(*one, a);
                                 }
                             })
                     .median
               : NAN;
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
    if (e.levels > 1) {
        check(cudaFuncSetAttribute((const void *)e.body, cudaFuncAttributeMaxDynamicSharedMemorySize, e.shared_bytes),
              e.name);
    }
    const double turns = time_turns(e, w, runs);
    check(cudaMemset(w.out, 0x7F, w.values * sizeof(float)), "fill");
    const times t = time_launch(runs, [&] { launch(e, a); });
    const bool is_checked = has_textbook && !e.is_memoryless;
    const double error = is_checked ? find_error(w, e.direction == INVERSE) : NAN;
    printf("%s\n{\"kernel\": \"%s\", \"wavelet\": \"%s\", \"scheme\": \"%s\", \"direction\": \"%s\", \"levels\": %d, "
           "\"registers\": %d, \"shared_bytes\": %d, \"local_bytes\": %zu",
           is_first ? "" : ",", e.name, e.wavelet, e.scheme, e.direction == INVERSE ? "inverse" : "forward", e.levels,
           kernel.numRegs, e.shared_bytes, kernel.localSizeBytes);
    print_number("turn_seconds", turns);
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
    std::stable_sort(list.begin(), list.end(), [](const lab_entry &a, const lab_entry &b) {
        const int order = strcmp(a.wavelet, b.wavelet);
        return order ? order < 0 : a.levels < b.levels;
    });
    return list;
}

static int measure_all(workspace &w, const std::vector<lab_entry> &list, int runs, double seconds)
{
    const auto begin = std::chrono::steady_clock::now();
    const char *wavelet = "";
    bool has_textbook = false;
    double copy = 0.0;
    int wrong = 0, levels = 0;
    size_t done = 0;
    printf("\"schemes\": [");
    for (const lab_entry &e : list) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        if (passed.count() > seconds) {
            break;
        }
        if (strcmp(wavelet, e.wavelet) != 0 || levels != e.levels) {
            has_textbook = expect(w, wavelet = e.wavelet, levels = e.levels);
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
