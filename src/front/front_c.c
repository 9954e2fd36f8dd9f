/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference kernels of the front. */
#include "front/front.h"

#include "front/color_ops.h"
#include "front/xyz_ops.h"
#include "geom/container.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* Sums are taken modulo 2^32: a 32-bit value outside the depth cannot come back into [0, 2^depth), because value + bias
 * stays within [-2^31, 2^31 + 2^30], whose images of everything outside that range have bits above it. Of 32 bits
 * nothing lies outside. */
static int32_t put_sample(uint32_t value, wvl_front_shift shift, uint32_t *seen)
{
    uint32_t biased = value + shift.bias;
    *seen |= biased;
    return (int32_t)(biased - shift.half);
}

#define LOAD(name, type, widen)                                                                                        \
    static uint32_t name(const uint8_t *row, uint64_t first, uint64_t stride, uint32_t n, wvl_front_shift shift,       \
                         int32_t *out)                                                                                 \
    {                                                                                                                  \
        const uint8_t *p = row + first * sizeof(type);                                                                 \
        uint32_t seen = 0;                                                                                             \
        for (uint32_t i = 0; i < n; i++, p += stride * sizeof(type)) {                                                 \
            type value;                                                                                                \
            memcpy(&value, p, sizeof value);                                                                           \
            out[i] = put_sample((uint32_t)(widen)value, shift, &seen);                                                 \
        }                                                                                                              \
        return seen;                                                                                                   \
    }
LOAD(load_u8, uint8_t, uint32_t)
LOAD(load_s8, int8_t, int32_t)
LOAD(load_u16, uint16_t, uint32_t)
LOAD(load_s16, int16_t, int32_t)
LOAD(load_32, uint32_t, uint32_t)

#define LOAD_PACKED(name, container)                                                                                   \
    static uint32_t name(const uint8_t *row, uint64_t first, uint64_t stride, uint32_t n, wvl_front_shift shift,       \
                         int32_t *out)                                                                                 \
    {                                                                                                                  \
        uint32_t seen = 0;                                                                                             \
        for (uint32_t i = 0; i < n; i++, first += stride) {                                                            \
            out[i] = put_sample(wvl_container_read(container, row, first), shift, &seen);                              \
        }                                                                                                              \
        return seen;                                                                                                   \
    }
LOAD_PACKED(load_packed10, WVL_SAMPLE_PACKED10)
LOAD_PACKED(load_packed12, WVL_SAMPLE_PACKED12)
LOAD_PACKED(load_any10_be, WVL_SAMPLE_FILLED10_BE)
LOAD_PACKED(load_any10_le, WVL_SAMPLE_FILLED10_LE)
LOAD_PACKED(load_words12_be, WVL_SAMPLE_WORDS12_BE)
LOAD_PACKED(load_words12_le, WVL_SAMPLE_WORDS12_LE)
LOAD_PACKED(load_words10_be, WVL_SAMPLE_WORDS10_BE)
LOAD_PACKED(load_words10_le, WVL_SAMPLE_WORDS10_LE)

/* One container in 16 bits. */
#define LOAD_HALVES(name, high, low, down)                                                                             \
    static uint32_t name(const uint8_t *row, uint64_t first, uint64_t stride, uint32_t n, wvl_front_shift shift,       \
                         int32_t *out)                                                                                 \
    {                                                                                                                  \
        uint32_t seen = 0;                                                                                             \
        for (uint32_t i = 0; i < n; i++, first += stride) {                                                            \
            const uint8_t *p = row + 2 * first;                                                                        \
            out[i] = put_sample((uint32_t)(p[high] << 8 | p[low]) >> (down), shift, &seen);                            \
        }                                                                                                              \
        return seen;                                                                                                   \
    }
LOAD_HALVES(load_filled12_be, 0, 1, 4)
LOAD_HALVES(load_filled12_le, 1, 0, 4)
LOAD_HALVES(load_u16_be, 0, 1, 0)

/* Components of interleaved RGB stand at the same place of every word. */
#define LOAD_FILLED10(name, any, read)                                                                                 \
    static uint32_t name(const uint8_t *row, uint64_t first, uint64_t stride, uint32_t n, wvl_front_shift shift,       \
                         int32_t *out)                                                                                 \
    {                                                                                                                  \
        const uint8_t *p = row + first / 3 * 4;                                                                        \
        uint32_t seen = 0, down = 22 - (uint32_t)(first % 3) * 10;                                                     \
        if (stride % 3) {                                                                                              \
            return any(row, first, stride, n, shift, out);                                                             \
        }                                                                                                              \
        for (uint32_t i = 0; i < n; i++, p += stride / 3 * 4) {                                                        \
            out[i] = put_sample(read(p) >> down & 0x3FF, shift, &seen);                                                \
        }                                                                                                              \
        return seen;                                                                                                   \
    }
LOAD_FILLED10(load_filled10_be, load_any10_be, wvl_container_read_be32)
LOAD_FILLED10(load_filled10_le, load_any10_le, wvl_container_read_le32)

static void to_i64(const int32_t *const *in, uint32_t n, void *const *out)
{
    int64_t *x = out[0];
    for (uint32_t i = 0; i < n; i++) {
        x[i] = in[0][i];
    }
}

static void to_f32(const int32_t *const *in, uint32_t n, void *const *out)
{
    float *x = out[0];
    for (uint32_t i = 0; i < n; i++) {
        x[i] = (float)in[0][i];
    }
}

static void rct(const int32_t *const *in, uint32_t n, void *const *out)
{
    int32_t *luma = out[0], *u = out[1], *v = out[2];
    for (uint32_t i = 0; i < n; i++) {
        int32_t r = in[0][i], g = in[1][i], b = in[2][i];
        luma[i] = wvl_rct_luma(r, g, b);
        u[i] = b - g;
        v[i] = r - g;
    }
}

static void rct_i64(const int32_t *const *in, uint32_t n, void *const *out)
{
    int64_t *luma = out[0], *u = out[1], *v = out[2];
    for (uint32_t i = 0; i < n; i++) {
        int64_t r = in[0][i], g = in[1][i], b = in[2][i];
        luma[i] = wvl_rct_luma_wide(r, g, b);
        u[i] = b - g;
        v[i] = r - g;
    }
}

static void ict(const int32_t *const *in, uint32_t n, void *const *out)
{
    float *luma = out[0], *cb = out[1], *cr = out[2];
    for (uint32_t i = 0; i < n; i++) {
        float r = (float)in[0][i], g = (float)in[1][i], b = (float)in[2][i], y = wvl_ict_luma(r, g, b);
        luma[i] = y;
        cb[i] = b - y;
        cr[i] = r - y;
    }
}

static void put_xyz(const wvl_plan_xyz *xyz, uint32_t n, int32_t *const *lines)
{
    uint32_t mask = (1u << xyz->depth) - 1;
    for (uint32_t i = 0; i < n; i++) {
        double r = xyz->linear[0][(uint32_t)lines[0][i] & mask], g = xyz->linear[1][(uint32_t)lines[1][i] & mask];
        double b = xyz->linear[2][(uint32_t)lines[2][i] & mask];
        for (unsigned c = 0; c < 3; c++) {
            lines[c][i] = wvl_xyz_code(wvl_xyz_row(xyz->matrix + 3 * c, r, g, b)) - WVL_XYZ_HALF;
        }
    }
}

static void drop_bits(const wvl_plan_xyz *xyz, uint32_t n, int32_t *const *lines)
{
    uint32_t mask = (1u << xyz->depth) - 1;
    unsigned shift = xyz->depth - WVL_XYZ_DEPTH;
    for (unsigned c = 0; c < 3; c++) {
        int32_t *x = lines[c];
        for (uint32_t i = 0; i < n; i++) {
            x[i] = (int32_t)(((uint32_t)x[i] & mask) >> shift) - WVL_XYZ_HALF;
        }
    }
}

#define LOADS                                                                                                          \
    {                                                                                                                  \
        load_u8, load_s8, load_u16, load_s16, load_32, load_packed10, load_packed12, load_filled10_be,                 \
            load_filled10_le, load_filled12_be, load_filled12_le, load_words12_be, load_words12_le, load_words10_be,   \
            load_words10_le, load_u16_be                                                                               \
    }

static const wvl_front_kernels kernels_c = {
    WVL_CPU_C, LOADS, LOADS, {NULL}, {to_i64, to_f32, rct, rct_i64, ict}, {NULL, drop_bits, put_xyz},
};

const wvl_front_kernels *wvl_front_fetch_kernels(wvl_cpu_level level)
{
#ifdef WVL_HAVE_AVX2
    if (level >= WVL_CPU_AVX512) {
        return &wvl_front_kernels_avx512;
    }
    if (level >= WVL_CPU_AVX2) {
        return &wvl_front_kernels_avx2;
    }
#endif
#ifdef WVL_HAVE_NEON
    if (level >= WVL_CPU_NEON) {
        return &wvl_front_kernels_neon;
    }
#endif
    (void)level;
    return &kernels_c;
}
