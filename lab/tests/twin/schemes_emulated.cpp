/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated kernels on the CPU: lab/tests/twin/make_schemes.py writes them when the suite is built. */

/* The kernels' text is long and is compiled as it is; what they call all the time is optimised. */
#ifndef __clang__
#pragma GCC push_options
#pragma GCC optimize("O2")
#endif

#include "schemes_emulated.h"
#include "tests/twin/emulate.h"
#include "tests/twin/emulate_words.h"

#include <math.h>
#include <utility>
#include <vector>

/* ---- Half floats ------------------------------------------------------------------------------ */

struct alignas(4) __half2 {
    uint16_t bits[2];
};

static inline uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static inline float float_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* To 11 significant bits, ties to even; below 2^-14 to multiples of 2^-24. */
static inline uint16_t pack_half(float f)
{
    const uint32_t sign = bits_of(f) >> 16 & 0x8000, u = bits_of(f) & 0x7FFFFFFF;
    if (u >= 0x7F800000) { /* infinite, or not a number */
        return (uint16_t)(sign | 0x7C00 | (u > 0x7F800000 ? 0x200 : 0));
    }
    if (u >= 0x477FF000) { /* 65520 and more */
        return (uint16_t)(sign | 0x7C00);
    }
    if (u < 0x38800000) { /* the unit in the last place of 0.5 is 2^-24 */
        return (uint16_t)(sign | (bits_of(float_of(u) + 0.5f) - bits_of(0.5f)));
    }
    return (uint16_t)(sign | ((u - 0x38000000 + 0xFFF + (u >> 13 & 1)) >> 13));
}
static inline float unpack_half(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, u = (uint32_t)(bits & 0x7FFF) << 13;
    if (u >= 0x0F800000) {
        return float_of(sign | 0x7F800000 | (u & 0x7FFFFF));
    }
    return float_of(sign | bits_of(float_of(u) * 0x1p112f));
}

struct __half {
    float v; /* one that a half float holds */
    __half() = default;
    explicit __half(float f) : v(unpack_half(pack_half(f))) {}
};

static inline __half2 pack_halves(float low, float high) { return {{pack_half(low), pack_half(high)}}; }
static inline __half2 __float2half2_rn(float v) { return pack_halves(v, v); }
static inline __half2 __halves2half2(__half low, __half high) { return pack_halves(low.v, high.v); }
static inline __half __low2half(__half2 v) { return __half(unpack_half(v.bits[0])); }
static inline __half __high2half(__half2 v) { return __half(unpack_half(v.bits[1])); }
static inline float __low2float(__half2 v) { return unpack_half(v.bits[0]); }
static inline __half2 __hmul2(__half2 a, __half2 b)
{
    return pack_halves(unpack_half(a.bits[0]) * unpack_half(b.bits[0]),
                       unpack_half(a.bits[1]) * unpack_half(b.bits[1]));
}
static inline __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return pack_halves(fmaf(unpack_half(a.bits[0]), unpack_half(b.bits[0]), unpack_half(c.bits[0])),
                       fmaf(unpack_half(a.bits[1]), unpack_half(b.bits[1]), unpack_half(c.bits[1])));
}

/* ---- What the kernels call -------------------------------------------------------------------- */

static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }

#define LAB_SHARED(TYPE, NAME, COUNT) TYPE *const NAME = (TYPE *)emulation::shared
#define LAB_DYNAMIC(TYPE, NAME) TYPE *const NAME = (TYPE *)emulation::shared
#define WVL_LAB_EMULATED
#include "lab/dwtgen/prelude.cuh"

#include "lab/dwtgen/levels.cuh"

#ifndef __clang__
#pragma GCC pop_options
#endif
#include <schemes_generated.cuh> /* made with the suite */

/* ---- The list --------------------------------------------------------------------------------- */

enum { FORWARD, INVERSE };
#define F32 WVL_LAB_F32
#define F16X2 WVL_LAB_F16X2
#define I32 WVL_LAB_I32
#define LAB_ROW(NAME, WAVELET, SCHEME, DIRECTION, TYPE, THREADS, WIDTH, HEIGHT, TILES, SHARED, MEMORYLESS, LEVELS)     \
    {#NAME, #WAVELET, #SCHEME, DIRECTION, TYPE, THREADS, WIDTH, HEIGHT, TILES, SHARED, MEMORYLESS, LEVELS},
static const wvl_lab_kernel kernels[] = {LAB_ROWS};
#undef LAB_ROW
#define LAB_ROW(NAME, ...) NAME,
static void (*const bodies[])(lab_args) = {LAB_ROWS};

static void run_body(const void *argument)
{
    const auto &[index, args] = *(const std::pair<uint32_t, lab_args> *)argument;
    bodies[index](args);
}

uint32_t wvl_lab_count(void) { return sizeof kernels / sizeof *kernels; }
const wvl_lab_kernel *wvl_lab_find(uint32_t index) { return &kernels[index]; }

/* Where a picture lies: in rows without gaps. For kernels with access by pairs, pixels have rows of an even length and
 * bands are planes; for vectors, lengths of four and two. */
struct place {
    int width, height;
    bool are_planes;
    long long pitch;
    place(const wvl_lab_kernel &k, bool of_bands, int w, int h) : width(w), height(h)
    {
        const bool by_vectors = strstr(k.name, "_vectors") || strstr(k.name, "_streams");
        const bool by_pairs = by_vectors || strstr(k.name, "_pairs");
        are_planes = of_bands && by_pairs;
        const int step = (by_pairs ? 2 : 1) * (by_vectors ? 2 : 1);
        pitch = (w + step - 1) / step * step / (are_planes ? 2 : 1);
    }
    size_t at(int x, int y) const
    {
        const long long plane = pitch * ((height + 1) / 2);
        return (size_t)(are_planes ? (2 * (y & 1) + (x & 1)) * plane + (y >> 1) * pitch + (x >> 1) : y * pitch + x);
    }
    size_t count() const { return (size_t)(pitch + width) * (size_t)(height + 1) * 2; }
    template <class S> void set_views(lab_view *views, S *base) const
    {
        for (int c = 0; c < 4; c++) {
            views[c] = {base + at(c & 1, c >> 1), are_planes ? pitch : 2 * pitch, are_planes ? 1 : 2};
        }
    }
};

/* Bands of level 2 and above lie where the low-low values of level 1 do, and interleave as the pixels of that picture
 * would. */
static void set_deeper(lab_args *a, const lab_view &low, size_t bytes)
{
    for (int k = 0; k < LAB_MOST_LEVELS - 1; k++) {
        for (int c = 0; c < 4; c++) {
            const long long first = (c >> 1 << k) * low.row + ((c & 1) << k) * low.column;
            a->deeper[k][c] = {(char *)low.at + first * (long long)bytes, low.row * (2 << k), low.column * (2 << k)};
        }
    }
}

template <class S> static void run(uint32_t index, const S *from, S *to, int width, int height)
{
    const wvl_lab_kernel &k = kernels[index];
    const int wide = (width + 1) / 2, high = (height + 1) / 2, span = k.tile_width * k.tiles;
    const place in_place(k, k.is_inverse, width, height), out_place(k, !k.is_inverse, width, height);
    std::vector<S> in(in_place.count()), out(out_place.count());
    std::pair<uint32_t, lab_args> argument(index, lab_args());
    lab_args &a = argument.second;
    a.width = width;
    a.height = height;
    a.columns = (wide + span - 1) / span;
    a.rows = (high + k.tile_height - 1) / k.tile_height;
    a.unlikely = 1e30f;
    in_place.set_views(a.in, in.data());
    out_place.set_views(a.out, out.data());
    set_deeper(&a, k.is_inverse ? a.in[0] : a.out[0], sizeof(S));
    a.is_in_paired = k.is_inverse ? lab_are_planes(a.in) : lab_are_pairs(a.in);
    a.is_out_paired = k.is_inverse ? lab_are_pairs(a.out) : lab_are_planes(a.out);
    for (int i = 0; i < width * height; i++) {
        in[in_place.at(i % width, i / width)] = from[i];
        out[out_place.at(i % width, i / width)] = to[i];
    }
    emulation::launch(run_body, &argument, (uint32_t)(a.columns * a.rows), 1, k.threads, k.shared_bytes);
    for (int i = 0; i < width * height; i++) {
        to[i] = out[out_place.at(i % width, i / width)];
    }
}

void wvl_lab_run(uint32_t index, const void *from, void *to, int width, int height, int reversed)
{
    emulation::reversed = reversed != 0;
    if (kernels[index].type != WVL_LAB_F16X2) {
        run(index, (const uint32_t *)from, (uint32_t *)to, width, height);
        return;
    }
    const size_t count = (size_t)width * (size_t)height;
    std::vector<__half> in(count), out(count);
    for (size_t i = 0; i < count; i++) {
        in[i] = __half(((const float *)from)[i]);
        out[i].v = ((float *)to)[i];
    }
    run(index, (const __half *)in.data(), out.data(), width, height);
    for (size_t i = 0; i < count; i++) {
        ((float *)to)[i] = out[i].v;
    }
}
