/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all kernels of the transform laboratory share: where values come from and go to, borders, and arithmetic.
 *
 * Pixels and bands are the same to a kernel: four views, one for each component of a quad (LL, HL, LH, HH). Of pixels
 * the views interleave: HL are those of odd columns and even rows. A thread block does one tile of quads; with half
 * floats two neighbouring tiles, one in each half of a register.
 */
#ifndef WVL_LAB_PRELUDE_CUH
#define WVL_LAB_PRELUDE_CUH

#ifndef WVL_LAB_EMULATED
#include <cuda_fp16.h>
#define LAB_SHARED(TYPE, NAME, COUNT) __shared__ TYPE NAME[COUNT]
/* As much as the launch says. */
#define LAB_DYNAMIC(TYPE, NAME)                                                                                        \
    extern __shared__ int4 lab_dynamic[];                                                                              \
    TYPE *const NAME = (TYPE *)lab_dynamic
#endif
enum { LAB_MOST_LEVELS = 5 }; /* of one launch */

/* Steps of rows and columns are counted in values. */
struct lab_view {
    void *at;
    long long row, column;
};

struct lab_args {
    lab_view in[4], out[4];
    /* Several levels in one launch: the bands of level 2 and of those above; low-low ones of the last level alone. */
    lab_view deeper[LAB_MOST_LEVELS - 1][4];
    int width, height;               /* of the picture, in pixels */
    int rows;                        /* tiles from top to bottom; thread blocks are numbered row by row */
    int columns;                     /* thread blocks from left to right */
    int is_in_paired, is_out_paired; /* access by pairs and vectors: what lab_are_pairs() or lab_are_planes() says */
    float seeds[4];                  /* memory-less mode: what stands for loaded values, */
    float unlikely;                  /* and a result that makes the kernel store */
};

/* The first quad of the tile. Of two tiles, the second lies `second` quads to the right. */
struct lab_tile {
    int x, y, second;
};

enum lab_kind { lab_pixels, lab_bands };

static __device__ __forceinline__ lab_tile lab_place(const lab_args &a, int width, int height, int halves)
{
    const int bx = (int)(blockIdx.x % (unsigned)a.columns), by = (int)(blockIdx.x / (unsigned)a.columns);
    return {bx * width * halves, by * height, halves == 2 ? width : 0};
}

static __device__ __forceinline__ bool lab_inside(int x, int y, int width, int height)
{
    return (unsigned)x < (unsigned)width && (unsigned)y < (unsigned)height;
}

/* Whole-sample symmetric extension (ISO/IEC 15444-1 F.4.7). Keeps the parity of i where length > 1. */
static __device__ __forceinline__ int lab_mirror(int i, int length)
{
    if ((unsigned)i < (unsigned)length) {
        return i;
    }
    if (length == 1) {
        return 0;
    }
    const int period = 2 * length - 2;
    const int at = (i % period + period) % period;
    return at < length ? at : period - at;
}

/* A value of component C of quad (x, y), which may lie outside. A picture one pixel wide or high has no high band in
 * that direction: as bands it is 0, as pixels the only ones. */
template <class S, int KIND, int C>
static __device__ __forceinline__ S lab_fetch(const lab_view *views, int width, int height, int x, int y)
{
    const int column = lab_mirror(2 * x + (C & 1), width), row = lab_mirror(2 * y + (C >> 1), height);
    const int c = (row & 1) << 1 | (column & 1);
    if (KIND == lab_bands && c != C) {
        return S(0);
    }
    const lab_view &from = views[c];
    return ((const S *)from.at)[(row >> 1) * from.row + (column >> 1) * from.column];
}

template <class S, int C> static __device__ __forceinline__ void lab_put(const lab_args &a, int x, int y, S v)
{
    if (2 * x + (C & 1) < a.width && 2 * y + (C >> 1) < a.height) {
        const lab_view &to = a.out[C];
        ((S *)to.at)[y * to.row + x * to.column] = v;
    }
}

/* ---- Away from borders: two pixels at a time, bands as planes --------------------------------- */

/* For the caller: 1 for pixels in rows, so that the two of a quad are one aligned access; 2: those of two quads are.
 * Values have 4 bytes. A step from quad to quad is two rows. */
static inline int lab_are_pairs(const lab_view *v)
{
    const char *at = (const char *)v[0].at;
    const bool are = (size_t)at % 8 == 0 && (const char *)v[1].at == at + 4 && v[0].column == 2 && v[0].row % 4 == 0 &&
                     v[0].row < 1 << 30 && (const char *)v[2].at == at + 2 * v[0].row && v[2].row == v[0].row;
    return are + (are && (size_t)at % 16 == 0 && v[0].row % 8 == 0);
}

/* For the caller: 1 for bands without gaps in a row; 2: two values are one aligned access. */
static inline int lab_are_planes(const lab_view *v)
{
    bool are = true, are_two = true;
    for (int c = 0; c < 4; c++) {
        are = are && v[c].column == 1 && v[c].row < 1 << 30;
        are_two = are_two && (size_t)v[c].at % 8 == 0 && v[c].row % 2 == 0;
    }
    return are + (are && are_two);
}

/* Whether all quads of a window lie in the picture, with all four values. */
static __device__ __forceinline__ bool lab_is_inner(const lab_args &a, lab_tile t, int x, int y, int width, int height)
{
    return t.x + x >= 0 && t.y + y >= 0 && 2 * (t.x + x + width) <= a.width && 2 * (t.y + y + height) <= a.height;
}

template <class T> struct alignas(8) lab_pair {
    T even, odd;
};

template <class T>
static __device__ __forceinline__ void lab_take_pixels(const lab_args &a, lab_tile t, int x, int y, T &ll, T &hl, T &lh,
                                                       T &hh)
{
    const long long at = (long long)(t.y + y) * (int)a.in[0].row + 2 * (t.x + x);
    const lab_pair<T> above = *(const lab_pair<T> *)((const T *)a.in[0].at + at);
    const lab_pair<T> below = *(const lab_pair<T> *)((const T *)a.in[2].at + at);
    ll = above.even;
    hl = above.odd;
    lh = below.even;
    hh = below.odd;
}
template <class T>
static __device__ __forceinline__ void lab_give_pixels(const lab_args &a, lab_tile t, int x, int y, T ll, T hl, T lh,
                                                       T hh)
{
    const long long at = (long long)(t.y + y) * (int)a.out[0].row + 2 * (t.x + x);
    *(lab_pair<T> *)((T *)a.out[0].at + at) = {ll, hl};
    *(lab_pair<T> *)((T *)a.out[2].at + at) = {lh, hh};
}

template <class T> static __device__ __forceinline__ T *lab_cell(const lab_view &v, lab_tile t, int x, int y)
{
    return (T *)v.at + ((long long)(t.y + y) * (int)v.row + (t.x + x));
}
template <class T>
static __device__ __forceinline__ void lab_take_bands(const lab_args &a, lab_tile t, int x, int y, T &ll, T &hl, T &lh,
                                                      T &hh)
{
    ll = *lab_cell<T>(a.in[0], t, x, y);
    hl = *lab_cell<T>(a.in[1], t, x, y);
    lh = *lab_cell<T>(a.in[2], t, x, y);
    hh = *lab_cell<T>(a.in[3], t, x, y);
}
template <class T>
static __device__ __forceinline__ void lab_give_bands(const lab_args &a, lab_tile t, int x, int y, T ll, T hl, T lh,
                                                      T hh)
{
    *lab_cell<T>(a.out[0], t, x, y) = ll;
    *lab_cell<T>(a.out[1], t, x, y) = hl;
    *lab_cell<T>(a.out[2], t, x, y) = lh;
    *lab_cell<T>(a.out[3], t, x, y) = hh;
}

/* ---- The same, two quads at a time ------------------------------------------------------------ */

template <class T> struct alignas(16) lab_four {
    T a, b, c, d;
};

/* What nobody reads soon leaves the caches before other data. */
template <bool STREAM, class V> static __device__ __forceinline__ void lab_write(void *to, V v)
{
#ifndef WVL_LAB_EMULATED
    if constexpr (STREAM && sizeof(V) == 16) {
        __stcs((int4 *)to, *(const int4 *)&v);
        return;
    } else if constexpr (STREAM) {
        __stcs((int2 *)to, *(const int2 *)&v);
        return;
    }
#endif
    *(V *)to = v;
}

template <class T>
static __device__ __forceinline__ void lab_take_pixels(const lab_args &a, lab_tile t, int x, int y, T &ll, T &hl, T &lh,
                                                       T &hh, T &ll1, T &hl1, T &lh1, T &hh1)
{
    const long long at = (long long)(t.y + y) * (int)a.in[0].row + 2 * (t.x + x);
    const lab_four<T> above = *(const lab_four<T> *)((const T *)a.in[0].at + at);
    const lab_four<T> below = *(const lab_four<T> *)((const T *)a.in[2].at + at);
    ll = above.a, hl = above.b, ll1 = above.c, hl1 = above.d;
    lh = below.a, hh = below.b, lh1 = below.c, hh1 = below.d;
}
template <bool STREAM, class T>
static __device__ __forceinline__ void lab_give_pixels(const lab_args &a, lab_tile t, int x, int y, T ll, T hl, T lh,
                                                       T hh, T ll1, T hl1, T lh1, T hh1)
{
    const long long at = (long long)(t.y + y) * (int)a.out[0].row + 2 * (t.x + x);
    lab_write<STREAM>((T *)a.out[0].at + at, lab_four<T>{ll, hl, ll1, hl1});
    lab_write<STREAM>((T *)a.out[2].at + at, lab_four<T>{lh, hh, lh1, hh1});
}

template <class T>
static __device__ __forceinline__ void lab_take_band(const lab_view &from, lab_tile t, int x, int y, T &v, T &v1)
{
    const lab_pair<T> two = *(const lab_pair<T> *)lab_cell<T>(from, t, x, y);
    v = two.even, v1 = two.odd;
}
template <class T>
static __device__ __forceinline__ void lab_take_bands(const lab_args &a, lab_tile t, int x, int y, T &ll, T &hl, T &lh,
                                                      T &hh, T &ll1, T &hl1, T &lh1, T &hh1)
{
    lab_take_band(a.in[0], t, x, y, ll, ll1);
    lab_take_band(a.in[1], t, x, y, hl, hl1);
    lab_take_band(a.in[2], t, x, y, lh, lh1);
    lab_take_band(a.in[3], t, x, y, hh, hh1);
}
template <bool STREAM, class T>
static __device__ __forceinline__ void lab_give_bands(const lab_args &a, lab_tile t, int x, int y, T ll, T hl, T lh,
                                                      T hh, T ll1, T hl1, T lh1, T hh1)
{
    lab_write<STREAM>(lab_cell<T>(a.out[0], t, x, y), lab_pair<T>{ll, ll1});
    lab_write<STREAM>(lab_cell<T>(a.out[1], t, x, y), lab_pair<T>{hl, hl1});
    lab_write<STREAM>(lab_cell<T>(a.out[2], t, x, y), lab_pair<T>{lh, lh1});
    lab_write<STREAM>(lab_cell<T>(a.out[3], t, x, y), lab_pair<T>{hh, hh1});
}

/* ---- By type: float, int, and two half floats ------------------------------------------------- */

static __device__ __forceinline__ float lab_mul(float c, float v) { return c * v; }
static __device__ __forceinline__ float lab_fma(float c, float v, float sum) { return __fmaf_rn(c, v, sum); }
static __device__ __forceinline__ __half2 lab_mul(float c, __half2 v) { return __hmul2(__float2half2_rn(c), v); }
static __device__ __forceinline__ __half2 lab_fma(float c, __half2 v, __half2 sum)
{
    return __hfma2(__float2half2_rn(c), v, sum);
}

template <class T> struct lab_values {
    template <int KIND, int C> static __device__ __forceinline__ T load(const lab_args &a, lab_tile t, int x, int y)
    {
        return lab_fetch<T, KIND, C>(a.in, a.width, a.height, t.x + x, t.y + y);
    }
    template <int C> static __device__ __forceinline__ void store(const lab_args &a, lab_tile t, int x, int y, T v)
    {
        lab_put<T, C>(a, t.x + x, t.y + y, v);
    }
    static __device__ __forceinline__ T make(float v) { return (T)v; }
    static __device__ __forceinline__ float look(T v) { return (float)v; }
};

template <> struct lab_values<__half2> {
    template <int KIND, int C>
    static __device__ __forceinline__ __half2 load(const lab_args &a, lab_tile t, int x, int y)
    {
        return __halves2half2(lab_fetch<__half, KIND, C>(a.in, a.width, a.height, t.x + x, t.y + y),
                              lab_fetch<__half, KIND, C>(a.in, a.width, a.height, t.x + t.second + x, t.y + y));
    }
    template <int C>
    static __device__ __forceinline__ void store(const lab_args &a, lab_tile t, int x, int y, __half2 v)
    {
        lab_put<__half, C>(a, t.x + x, t.y + y, __low2half(v));
        lab_put<__half, C>(a, t.x + t.second + x, t.y + y, __high2half(v));
    }
    static __device__ __forceinline__ __half2 make(float v) { return __float2half2_rn(v); }
    static __device__ __forceinline__ float look(__half2 v) { return __low2float(v); }
};

template <class T, int KIND, int C>
static __device__ __forceinline__ T lab_load(const lab_args &a, lab_tile tile, int x, int y)
{
    return lab_values<T>::template load<KIND, C>(a, tile, x, y);
}
template <class T, int C>
static __device__ __forceinline__ void lab_store(const lab_args &a, lab_tile tile, int x, int y, T v)
{
    lab_values<T>::template store<C>(a, tile, x, y, v);
}

/* Memory-less mode: the values depend on the thread, and the store on the result, so that nothing can be left out. */
template <class T, int KIND, int C>
static __device__ __forceinline__ T lab_make(const lab_args &a, lab_tile, int x, int y)
{
    return lab_values<T>::make(a.seeds[C] + (float)(x + y));
}
template <class T, int C>
static __device__ __forceinline__ void lab_sink(const lab_args &a, lab_tile tile, int x, int y, T v)
{
    if (lab_values<T>::look(v) == a.unlikely) {
        lab_values<T>::template store<C>(a, tile, x, y, v);
    }
}

#endif
