/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Behind generated kernels and LAB_ROWS: a program that checks each kernel against the textbook and times it.
 *
 *   program WIDTH HEIGHT RUNS      float kernels; one JSON object to standard output
 *
 * Exit status: 0; 1 a call failed or a size is wrong; 6 a kernel differs from the textbook by more than 1e-5 of the
 * range; 77 no device.
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

extern "C" {
#include "textbook.h"
}

enum { FORWARD, INVERSE, F32, F16X2, I32 };

struct entry {
    const char *name, *wavelet, *scheme;
    int direction, type, threads, tile_width, tile_height, tiles, shared_bytes, is_memoryless;
    void (*body)(lab_args);
};

#define LAB_ROW(NAME, WAVELET, SCHEME, DIRECTION, TYPE, THREADS, WIDTH, HEIGHT, TILES, SHARED, MEMORYLESS)             \
    {#NAME, #WAVELET, #SCHEME, DIRECTION, TYPE, THREADS, WIDTH, HEIGHT, TILES, SHARED, MEMORYLESS, NAME},
static const entry entries[] = {LAB_ROWS};

static void check(cudaError_t status, const char *what)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
        exit(1);
    }
}

struct picture {
    int width, height;
    std::vector<float> pixels, bands; /* interleaved */
    std::vector<double> expected;     /* bands, by the textbook */
    float *from, *to;                 /* on the device */
    size_t count() const { return (size_t)width * (size_t)height; }
};

static void set_views(lab_view *views, float *at, int width)
{
    for (int c = 0; c < 4; c++) {
        views[c] = {at + (size_t)(c >> 1) * width + (c & 1), 2LL * width, 2};
    }
}

static lab_args make_args(const entry &e, const picture &p)
{
    lab_args a = {};
    const int wide = (p.width + 1) / 2, high = (p.height + 1) / 2, span = e.tile_width * e.tiles;
    set_views(a.in, p.from, p.width);
    set_views(a.out, p.to, p.width);
    a.width = p.width;
    a.height = p.height;
    a.columns = (wide + span - 1) / span;
    a.rows = (high + e.tile_height - 1) / e.tile_height;
    a.unlikely = 1e30f;
    return a;
}

/* The textbook's bands of a wavelet; false where it has none. */
static bool expect(picture &p, const char *wavelet)
{
    const wvl_textbook *book = wvl_textbook_find(wavelet);
    p.expected.assign(p.pixels.begin(), p.pixels.end());
    if (book == nullptr) {
        return false;
    }
    if (wvl_textbook_run(book, p.expected.data(), (size_t)p.width, (size_t)p.height) != 0) {
        fprintf(stderr, "no memory for the textbook\n");
        exit(1);
    }
    p.bands.assign(p.expected.begin(), p.expected.end());
    return true;
}

static void upload(const entry &e, const picture &p)
{
    const std::vector<float> &in = e.direction == INVERSE ? p.bands : p.pixels;
    check(cudaMemcpy(p.from, in.data(), p.count() * sizeof(float), cudaMemcpyHostToDevice), "upload");
    check(cudaMemset(p.to, 0x7F, p.count() * sizeof(float)), "fill");
}

static double find_error(const entry &e, const picture &p)
{
    std::vector<float> out(p.count());
    double least = 0.0, most = 0.0, error = 0.0;
    check(cudaMemcpy(out.data(), p.to, p.count() * sizeof(float), cudaMemcpyDeviceToHost), "download");
    for (size_t i = 0; i < p.count(); i++) {
        const double wanted = e.direction == INVERSE ? (double)p.pixels[i] : p.expected[i];
        least = fmin(least, wanted);
        most = fmax(most, wanted);
        error = std::isnan(out[i]) ? INFINITY : fmax(error, fabs((double)out[i] - wanted));
    }
    return error / fmax(most - least, 1.0);
}

/* Seconds of one launch, the median over `runs` after one that is not counted. Small pictures stay in the L2 cache. */
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
    check(cudaEventDestroy(begin), "event");
    check(cudaEventDestroy(end), "event");
    std::sort(times.begin(), times.end());
    return 0.5e-3 * (times[(times.size() - 1) / 2] + times[times.size() / 2]);
}

static void print_number(const char *key, double v)
{
    std::isfinite(v) ? printf(", \"%s\": %.10g", key, v) : printf(", \"%s\": null", key);
}

/* True if the kernel is wrong. */
static bool measure(const entry &e, const picture &p, bool has_textbook, double copy, int runs, bool is_first)
{
    const lab_args a = make_args(e, p);
    upload(e, p);
    const double seconds = time_launch(runs, [&] {
        e.body<<<(unsigned)(a.columns * a.rows), (unsigned)e.threads>>>(a);
        check(cudaGetLastError(), e.name);
    });
    const bool is_checked = has_textbook && !e.is_memoryless;
    const double error = is_checked ? find_error(e, p) : NAN;
    printf("%s{\"kernel\": \"%s\", \"wavelet\": \"%s\", \"scheme\": \"%s\", \"direction\": \"%s\"",
           is_first ? "" : ", ", e.name, e.wavelet, e.scheme, e.direction == INVERSE ? "inverse" : "forward");
    print_number("median_seconds", seconds);
    print_number("copy_share", copy / seconds);
    print_number("error", error);
    printf("}");
    if (is_checked && !(error <= 1e-5)) {
        fprintf(stderr, "%s differs from the textbook by %.2g of the range\n", e.name, error);
        return true;
    }
    return false;
}

static void make_picture(picture &p)
{
    unsigned long long state = 1;
    p.pixels.resize(p.count());
    for (float &v : p.pixels) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        v = (float)(state >> 56) - 128.0f;
    }
    check(cudaMalloc((void **)&p.from, p.count() * sizeof(float)), "memory");
    check(cudaMalloc((void **)&p.to, p.count() * sizeof(float)), "memory");
}

int main(int count, char **words)
{
    int devices = 0;
    picture p = {};
    p.width = count == 4 ? atoi(words[1]) : 0;
    p.height = count == 4 ? atoi(words[2]) : 0;
    const int runs = count == 4 ? atoi(words[3]) : 0;
    if (p.width < 1 || p.height < 1 || runs < 1) {
        fprintf(stderr, "give WIDTH HEIGHT RUNS, each at least 1\n");
        return 1;
    }
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        fprintf(stderr, "no device\n");
        return 77;
    }
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0), "device");
    make_picture(p);
    const size_t bytes = p.count() * sizeof(float);
    const double copy =
        time_launch(runs, [&] { check(cudaMemcpyAsync(p.to, p.from, bytes, cudaMemcpyDeviceToDevice), "copy"); });
    printf("{\"device\": \"%s\", \"width\": %d, \"height\": %d, \"copy_seconds\": %.10g, \"schemes\": [", device.name,
           p.width, p.height, copy);
    int wrong = 0;
    const char *wavelet = "";
    bool has_textbook = false;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (entries[i].type != F32) {
            fprintf(stderr, "%s: this program measures float kernels\n", entries[i].name);
            return 1;
        }
        if (std::string_view(wavelet) != entries[i].wavelet) {
            has_textbook = expect(p, wavelet = entries[i].wavelet);
        }
        wrong += measure(entries[i], p, has_textbook, copy, runs, i == 0);
    }
    printf("]}\n");
    return wrong ? 6 : 0;
}
