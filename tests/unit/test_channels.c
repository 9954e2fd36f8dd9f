/* SPDX-License-Identifier: BSD-2-Clause */
/* Choosing channels, leaving alpha out, YCbCr to RGB against the same sums in floating point, and words of DPX. */
#include "imageio_bench.h"

#include <math.h>

static char error[256];

static void read_pam(wvl_io_picture *p, unsigned channels, const char *type)
{
    bytes b = {.count = 0};
    char head[128];
    int n = snprintf(head, sizeof head, "P7\nWIDTH 3\nHEIGHT 2\nDEPTH %u\nMAXVAL 255\nTUPLTYPE %s\nENDHDR\n", channels,
                     type);
    put(&b, head, (size_t)n);
    for (unsigned i = 0; i < 6 * channels; i++) {
        put(&b, &(uint8_t){(uint8_t)(16 * (i % channels) + i / channels)}, 1);
    }
    read_bytes(p, b.at, b.count, "a.pam", NULL);
}

static void expect_channels(const wvl_io_picture *p, const uint32_t *channels, uint32_t count)
{
    ck_assert_uint_eq(p->component_count, count);
    for (uint32_t i = 0; i < 6 * count; i++) {
        ck_assert_int_eq(sample_at(p, i / 6, i % 3, i / 3 % 2), (int64_t)(16 * channels[i / 6] + i % 6));
    }
}

TEST_EACH(channels_are_chosen_and_ordered, 7)
{
    static const struct {
        uint32_t channels[4], count;
        wvl_io_color color;
        int alpha;
    } rows[] = {{{2, 1, 0}, 3, WVL_IO_RGB, -1},  {{0, 1, 2, 3}, 4, WVL_IO_RGB, 3}, {{1}, 1, WVL_IO_GREY, -1},
                {{3}, 1, WVL_IO_GREY, -1},       {{1, 2}, 2, WVL_IO_UNKNOWN, -1},  {{3, 0, 1, 2}, 4, WVL_IO_UNKNOWN, 0},
                {{2, 0, 1, 3}, 4, WVL_IO_RGB, 3}};
    wvl_io_picture p;
    read_pam(&p, 4, "RGB_ALPHA");
    ck_assert_int_eq(wvl_io_select_channels(&p, rows[_i].channels, rows[_i].count, error, sizeof error), 0);
    expect_channels(&p, rows[_i].channels, rows[_i].count);
    ck_assert_int_eq(p.color, rows[_i].color);
    ck_assert_int_eq(p.alpha_component, rows[_i].alpha);
    wvl_io_release_picture(&p);
}

TEST(wrong_channels_are_refused)
{
    wvl_io_picture p;
    read_pam(&p, 4, "RGB_ALPHA");
    ck_assert_int_lt(wvl_io_select_channels(&p, (const uint32_t[]){0, 4}, 2, error, sizeof error), 0);
    ck_assert_str_eq(error, "channel 4 does not exist; the picture has channels 0 to 3");
    ck_assert_int_lt(wvl_io_select_channels(&p, (const uint32_t[]){0, 1, 0}, 3, error, sizeof error), 0);
    ck_assert_str_eq(error, "channel 0 stands twice among 3; give each channel once");
    expect_channels(&p, (const uint32_t[]){0, 1, 2, 3}, 4);
    wvl_io_release_picture(&p);
}

TEST(alpha_is_left_out)
{
    wvl_io_picture p;
    read_pam(&p, 4, "RGB_ALPHA");
    ck_assert_int_eq(wvl_io_drop_alpha(&p, error, sizeof error), 0);
    expect_channels(&p, (const uint32_t[]){0, 1, 2}, 3);
    ck_assert_int_eq(p.color, WVL_IO_RGB);
    ck_assert_int_eq(p.alpha_component, -1);
    wvl_io_release_picture(&p);
    read_pam(&p, 2, "GRAYSCALE_ALPHA");
    ck_assert_int_eq(wvl_io_drop_alpha(&p, error, sizeof error), 0);
    expect_channels(&p, (const uint32_t[]){0}, 1);
    ck_assert_int_eq(p.color, WVL_IO_GREY);
    wvl_io_release_picture(&p);
}

/* ---- YCbCr ----------------------------------------------------------------------------------- */

#define WIDTH 13u
#define HEIGHT 9u

typedef struct layout {
    unsigned dx, dy, depth, siting;
    int tagged;
} layout;

static const layout layouts[] = {{1, 1, 8, 0, 0}, {2, 1, 8, 1, 0}, {2, 2, 8, 1, 0},  {2, 2, 8, 2, 0},  {4, 1, 10, 2, 0},
                                 {3, 3, 8, 1, 0}, {4, 4, 8, 1, 1}, {2, 2, 16, 0, 0}, {1, 2, 12, 2, 1}, {2, 1, 2, 1, 0}};

static void read_ycc(wvl_io_picture *p, const layout *l)
{
    bytes b = {.count = 0};
    char format[64];
    uint64_t state = 99 + l->dx;
    wvl_io_options options = {.raw_format = format};
    unsigned wide = (WIDTH + l->dx - 1) / l->dx, high = (HEIGHT + l->dy - 1) / l->dy;
    snprintf(format, sizeof format, "%u,%u,3,%u,u@1x1:%ux%u:%ux%u", WIDTH, HEIGHT, l->depth, l->dx, l->dy, l->dx,
             l->dy);
    for (unsigned i = 0; i < WIDTH * HEIGHT + 2 * wide * high; i++) {
        unsigned v = (unsigned)(next_random(&state) & ((1u << l->depth) - 1));
        v = state >> 60 ? v : (v & 1) * ((1u << l->depth) - 1); /* some extremes */
        put(&b, &(uint8_t){(uint8_t)v}, 1);
        if (l->depth > 8) {
            put(&b, &(uint8_t){(uint8_t)(v >> 8)}, 1);
        }
    }
    read_bytes(p, b.at, b.count, "a.yuv", &options);
    ck_assert_int_eq(p->color, WVL_IO_YCC);
    p->chroma_siting = (uint8_t)l->siting;
    if (l->tagged) {
        static const float luma[3] = {0.2125f, 0.7154f, 0.0721f};
        float top = (float)((1u << l->depth) - 1);
        p->ycc_tagged = 1;
        memcpy(p->ycc_luma, luma, sizeof luma);
        for (unsigned i = 0; i < 6; i++) {
            p->ycc_range[i] = (const float[6]){16, 235, 128, 240, 128, 240}[i] * top / 255;
        }
    }
}

/* Chroma between its samples, from the definition of their places. */
static double chroma_at(const wvl_io_component *k, uint32_t x, uint32_t y, int is_centred)
{
    double at[2] = {x, y}, step[2] = {k->dx, k->dy}, sum = 0;
    for (unsigned i = 0; i < 2; i++) {
        at[i] = (at[i] - (is_centred ? (step[i] - 1) / 2 : 0)) / step[i];
    }
    for (unsigned i = 0; i < 4; i++) {
        double column = floor(at[0]) + (i & 1), row = floor(at[1]) + (i >> 1);
        double weight = (1 - fabs(at[0] - column)) * (1 - fabs(at[1] - row));
        column = fmin(fmax(column, 0), k->width - 1.0);
        row = fmin(fmax(row, 0), k->height - 1.0);
        sum += weight * (double)wvl_io_sample(k, (uint32_t)column, (uint32_t)row);
    }
    return sum;
}

static double rgb_at(const wvl_io_picture *p, uint32_t x, uint32_t y, unsigned c)
{
    double top = (double)((1u << p->components[0].depth) - 1), zero = (double)(1u << (p->components[0].depth - 1));
    double luma[3] = {0.299, 0.587, 0.114}, range[6] = {0, top, zero, top, zero, top}, v[3];
    int is_centred = p->chroma_siting != 2;
    for (unsigned i = 0; p->ycc_tagged && i < 6; i++) {
        luma[i % 3] = (double)p->ycc_luma[i % 3];
        range[i] = (double)p->ycc_range[i];
    }
    v[0] = (double)wvl_io_sample(&p->components[0], x, y);
    v[1] = chroma_at(&p->components[1], x, y, is_centred);
    v[2] = chroma_at(&p->components[2], x, y, is_centred);
    for (unsigned i = 0; i < 3; i++) {
        v[i] = (v[i] - range[2 * i]) * (i ? zero - 1 : top) / (range[2 * i + 1] - range[2 * i]);
    }
    double r = v[0] + v[2] * (2 - 2 * luma[0]), b = v[0] + v[1] * (2 - 2 * luma[2]);
    double rgb[3] = {r, (v[0] - luma[0] * r - luma[2] * b) / luma[1], b};
    return fmin(fmax(rgb[c], 0), top);
}

TEST_EACH(ycc_becomes_rgb, sizeof layouts / sizeof layouts[0])
{
    const layout *l = &layouts[_i];
    wvl_io_picture p;
    double expected[3][HEIGHT][WIDTH];
    read_ycc(&p, l);
    for (uint32_t i = 0; i < 3 * WIDTH * HEIGHT; i++) {
        expected[i / (WIDTH * HEIGHT)][i / WIDTH % HEIGHT][i % WIDTH] =
            rgb_at(&p, i % WIDTH, i / WIDTH % HEIGHT, i / (WIDTH * HEIGHT));
    }
    ck_assert_msg(wvl_io_convert_ycc(&p, error, sizeof error) == 0, "%s", error);
    expect_shape(&p, WIDTH, HEIGHT, 3, l->depth, 0);
    ck_assert_int_eq(p.color, WVL_IO_RGB);
    for (uint32_t i = 0; i < 3 * WIDTH * HEIGHT; i++) {
        uint32_t c = i / (WIDTH * HEIGHT), y = i / WIDTH % HEIGHT, x = i % WIDTH;
        ck_assert_double_le(fabs((double)sample_at(&p, c, x, y) - expected[c][y][x]),
                            0.5 + (l->depth > 12 ? 0.02 : 1e-3));
    }
    wvl_io_release_picture(&p);
}

/* Grey stays grey, and the numbers of JFIF: pure colours at full range. */
TEST(known_colours)
{
    static const uint8_t codes[3][3] = {{128, 128, 128}, {76, 85, 255}, {29, 255, 107}};
    static const int64_t rgb[3][3] = {{128, 128, 128}, {254, 0, 0}, {0, 0, 254}};
    const wvl_io_options options = {.raw_format = "3,1,3,8,u@1x1:1x1:1x1"};
    bytes b = {.count = 0};
    wvl_io_picture p;
    for (unsigned i = 0; i < 9; i++) {
        put(&b, &codes[i % 3][i / 3], 1);
    }
    read_bytes(&p, b.at, b.count, "a.yuv", &options);
    p.color = WVL_IO_YCC;
    ck_assert_int_eq(wvl_io_convert_ycc(&p, error, sizeof error), 0);
    for (uint32_t i = 0; i < 9; i++) {
        ck_assert_int_eq(sample_at(&p, i / 3, i % 3, 0), rgb[i % 3][i / 3]);
    }
    wvl_io_release_picture(&p);
}

TEST(what_is_no_ycc_is_refused)
{
    wvl_io_picture p;
    read_ycc(&p, &layouts[6]);
    p.ycc_luma[1] = 0;
    ck_assert_int_lt(wvl_io_convert_ycc(&p, error, sizeof error), 0);
    ck_assert_ptr_nonnull(strstr(error, "are not usable"));
    p.ycc_tagged = 0;
    p.components[1].depth = 7;
    ck_assert_int_lt(wvl_io_convert_ycc(&p, error, sizeof error), 0);
    ck_assert_ptr_nonnull(strstr(error, "need one depth"));
    wvl_io_release_picture(&p);
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* Words that stay hold the samples that integers have; what no word of the interface is does not stay. */
TEST(dpx_words)
{
    static const struct {
        unsigned descriptor, depth, packing, width;
        wvl_io_words words[2];
    } rows[] = {{50, 10, 1, 5, {WVL_IO_FILLED10_LE, WVL_IO_FILLED10_BE}},
                {51, 10, 1, 2, {WVL_IO_FILLED10_LE, WVL_IO_FILLED10_BE}},
                {50, 12, 1, 3, {WVL_IO_FILLED12_LE, WVL_IO_FILLED12_BE}},
                {50, 12, 0, 7, {WVL_IO_WORDS12_LE, WVL_IO_WORDS12_BE}},
                {51, 12, 0, 1, {WVL_IO_WORDS12_LE, WVL_IO_WORDS12_BE}},
                {50, 12, 0, 1, {WVL_IO_INTEGERS, WVL_IO_INTEGERS}}, /* longer than its integers */
                {50, 10, 2, 5, {WVL_IO_INTEGERS, WVL_IO_INTEGERS}},
                {50, 10, 0, 5, {WVL_IO_WORDS10_LE, WVL_IO_WORDS10_BE}},
                {6, 10, 0, 7, {WVL_IO_WORDS10_LE, WVL_IO_WORDS10_BE}},
                {6, 12, 1, 6, {WVL_IO_FILLED12_LE, WVL_IO_FILLED12_BE}},
                {6, 10, 1, 6, {WVL_IO_INTEGERS, WVL_IO_INTEGERS}}, /* a single component fills words the other way */
                {52, 10, 1, 4, {WVL_IO_INTEGERS, WVL_IO_INTEGERS}},
                {102, 16, 0, 4, {WVL_IO_INTEGERS, WVL_IO_INTEGERS}},
                {50, 16, 0, 3, {WVL_IO_INTEGERS, WVL_IO_16_BE}}, /* a gap behind each line */
                {50, 16, 1, 4, {WVL_IO_INTEGERS, WVL_IO_16_BE}}};
    wvl_io_options keeps = {.keep_words = WVL_IO_KEEP_ALL_WORDS}, three = {.keep_words = WVL_IO_KEEP_WORDS_OF_THREE};
    for (unsigned i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        int big = i & 1;
        wvl_io_picture plain, kept, some;
        bytes b;
        start_dpx(&b, big, rows[i / 2].width, 3, rows[i / 2].descriptor, rows[i / 2].depth, rows[i / 2].packing);
        for (uint32_t k = 0, v = 12345 + i; k < 60; k++) {
            put_word(&b, v = v * 1664525u + 1013904223u, big);
        }
        read_bytes(&plain, b.at, b.count, "a.dpx", NULL);
        ck_assert_int_eq(wvl_io_read_memory(b.at, b.count, "a.dpx", &keeps, &kept, error, sizeof error), WVL_IO_OK);
        ck_assert_int_eq(plain.words, WVL_IO_INTEGERS);
        ck_assert_msg(kept.words == rows[i / 2].words[big], "row %u: words %d", i, (int)kept.words);
        ck_assert_int_eq(wvl_io_read_memory(b.at, b.count, "a.dpx", &three, &some, error, sizeof error), WVL_IO_OK);
        ck_assert_int_eq(some.words, some.component_count == 3 ? kept.words : WVL_IO_INTEGERS);
        wvl_io_release_picture(&some);
        ck_assert_int_eq(wvl_io_expand_words(&kept), WVL_IO_OK);
        ck_assert_int_eq(kept.words, WVL_IO_INTEGERS);
        for (uint32_t s = 0; s < 3 * plain.width * plain.component_count; s++) {
            uint32_t c = s % plain.component_count, x = s / plain.component_count % plain.width,
                     y = s / plain.component_count / plain.width;
            ck_assert_msg(sample_at(&plain, c, x, y) == sample_at(&kept, c, x, y), "row %u, sample %u", i, s);
        }
        wvl_io_release_picture(&plain);
        wvl_io_release_picture(&kept);
    }
}

/* Samples of 16 bits stay big-endian; those that a smaller maxval bounds are compared with it, as integers. */
TEST(pnm_words)
{
    static const char *const heads[] = {"P6\n4 2\n65535\n", "P6\n4 2\n65534\n", "P5\n12 2\n65535\n", "P6\n8 2\n255\n"};
    wvl_io_options keeps = {.keep_words = WVL_IO_KEEP_ALL_WORDS};
    for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++) {
        uint8_t data[80];
        wvl_io_picture plain, kept;
        size_t head = strlen(heads[i]);
        memcpy(data, heads[i], head);
        for (unsigned k = 0; k < 48; k++) {
            data[head + k] = (uint8_t)(k * 37 + i);
        }
        read_bytes(&plain, data, head + 48, "a.ppm", NULL);
        ck_assert_int_eq(wvl_io_read_memory(data, head + 48, "a.ppm", &keeps, &kept, error, sizeof error), WVL_IO_OK);
        ck_assert_int_eq(kept.words, i % 2 ? WVL_IO_INTEGERS : WVL_IO_16_BE);
        ck_assert_int_eq(wvl_io_expand_words(&kept), WVL_IO_OK);
        for (uint32_t y = 0; y < 2; y++) {
            for (uint32_t x = 0; x < plain.width * plain.component_count; x++) {
                uint32_t c = x % plain.component_count, column = x / plain.component_count;
                ck_assert_uint_eq(sample_at(&plain, c, column, y), sample_at(&kept, c, column, y));
            }
        }
        wvl_io_release_picture(&plain);
        wvl_io_release_picture(&kept);
    }
}

TEST_MAIN("channels")
