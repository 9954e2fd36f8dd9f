/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What kernels of several levels add to prelude.cuh: parts of a level, and windows of low-low values in shared memory.
 * A thread block does a level part after part, each as a kernel of one level does its tile.
 */
#ifndef WVL_LAB_LEVELS_CUH
#define WVL_LAB_LEVELS_CUH

/* Values [x, x + width) x [y, y + height) of the picture that a level leaves for the next one. */
template <class T> struct lab_window {
    T *at;
    int x, y, width, height;
};

/* One part of a level. */
template <class T> struct lab_part {
    lab_tile tile;
    int width, height;     /* of the picture of this level */
    const lab_view *bands; /* of this level */
    lab_window<T> from, to;
    int own_x, own_y, own_width, own_height; /* quads whose results go to memory */
};

/* Picture k is what level k splits; picture 1 has the pixels. */
static __device__ __forceinline__ int lab_side(int side, int level)
{
    return (side + (1 << (level - 1)) - 1) >> (level - 1);
}

static __device__ __forceinline__ int lab_clamp(int i, int length)
{
    const int least = i < 0 ? 0 : i;
    return least < length ? least : length - 1;
}

/* A place that the thread block does not need may lie outside the window: then any value will do. */
template <class T> static __device__ __forceinline__ T lab_look(const lab_window<T> &w, int x, int y)
{
    return w.at[lab_clamp(y - w.y, w.height) * w.width + lab_clamp(x - w.x, w.width)];
}

template <class T> static __device__ __forceinline__ void lab_keep(const lab_window<T> &w, int x, int y, T v)
{
    if (lab_inside(x - w.x, y - w.y, w.width, w.height)) {
        w.at[(y - w.y) * w.width + (x - w.x)] = v;
    }
}

template <class T> static __device__ __forceinline__ bool lab_is_own(const lab_part<T> &p, int x, int y)
{
    return lab_inside(p.tile.x + x - p.own_x, p.tile.y + y - p.own_y, p.own_width, p.own_height);
}

/* ---- Forward: pixels of the first level from memory, of the others from the window ------------- */

template <class T, int C> static __device__ __forceinline__ T lab_look_pixel(const lab_part<T> &p, int x, int y)
{
    return lab_look(p.from, lab_mirror(2 * (p.tile.x + x) + (C & 1), p.width),
                    lab_mirror(2 * (p.tile.y + y) + (C >> 1), p.height));
}

template <class T, int C, bool IS_LAST>
static __device__ __forceinline__ void lab_give_band(const lab_part<T> &p, int x, int y, T v)
{
    const int column = p.tile.x + x, row = p.tile.y + y;
    if (!lab_inside(2 * column + (C & 1), 2 * row + (C >> 1), p.width, p.height)) {
        return;
    }
    if (C == 0 && !IS_LAST) {
        lab_keep(p.to, column, row, v);
    } else if (lab_is_own(p, x, y)) {
        ((T *)p.bands[C].at)[row * p.bands[C].row + column * p.bands[C].column] = v;
    }
}

/* ---- The inverse: low-low values of the first level that is done from memory, of the others from the window ---- */

template <class T, int C, bool IS_FIRST>
static __device__ __forceinline__ T lab_look_band(const lab_part<T> &p, int x, int y)
{
    if (C == 0 && !IS_FIRST) {
        return lab_look(p.from, lab_mirror(2 * (p.tile.x + x), p.width) >> 1,
                        lab_mirror(2 * (p.tile.y + y), p.height) >> 1);
    }
    return lab_fetch<T, lab_bands, C>(p.bands, p.width, p.height, p.tile.x + x, p.tile.y + y);
}

template <class T, int C, bool IS_LAST>
static __device__ __forceinline__ void lab_give_pixel(const lab_args &a, const lab_part<T> &p, int x, int y, T v)
{
    const int column = 2 * (p.tile.x + x) + (C & 1), row = 2 * (p.tile.y + y) + (C >> 1);
    if (!lab_inside(column, row, p.width, p.height)) {
        return;
    }
    if (!IS_LAST) {
        lab_keep(p.to, column, row, v);
    } else if (lab_is_own(p, x, y)) {
        lab_put<T, C>(a, p.tile.x + x, p.tile.y + y, v);
    }
}

#endif
