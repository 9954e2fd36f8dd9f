/* SPDX-License-Identifier: BSD-2-Clause */
/* The front: fast loads and conversions against their C references, those against arithmetic written here, and whole
 * rows from every kind of picture memory. Source rows end at an inaccessible page, so that a read beyond them is a
 * crash. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "front/front.h"
#include "tests/support/containers.h"
#include "tests/support/support.h"

#define MOST 300u
#define POISON 0xA5

static uint64_t seed_state;

static uint64_t draw(void) { return test_draw(&seed_state); }

static const wvl_front_kernels *reference, *fast;
static uint8_t *wall; /* one past the last byte that may be read */
#define WALL_BYTES 65536u

static void setup(void)
{
    reference = wvl_front_fetch_kernels(WVL_CPU_C);
    fast = wvl_front_fetch_kernels(wvl_cpu_fetch_level());
    seed_state = 1;
    long page = sysconf(_SC_PAGESIZE);
    uint8_t *map = mmap(NULL, WALL_BYTES + (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE_THAT(map != MAP_FAILED, "no memory");
    wall = map + WALL_BYTES;
    REQUIRE_THAT(mprotect(wall, (size_t)page, PROT_NONE) == 0, "mprotect");
}

static void teardown(void) { (void)munmap(wall - WALL_BYTES, WALL_BYTES + (size_t)sysconf(_SC_PAGESIZE)); }

static const unsigned load_bits[WVL_LOAD_KINDS] = {8, 8, 16, 16, 32, 10, 12, 10, 10, 12, 12, 12, 12, 10, 10, 16};
static const unsigned load_container[WVL_LOAD_KINDS] = {
    WVL_SAMPLE_8,           WVL_SAMPLE_8,           WVL_SAMPLE_16,          WVL_SAMPLE_16,
    WVL_SAMPLE_32,          WVL_SAMPLE_PACKED10,    WVL_SAMPLE_PACKED12,    WVL_SAMPLE_FILLED10_BE,
    WVL_SAMPLE_FILLED10_LE, WVL_SAMPLE_FILLED12_BE, WVL_SAMPLE_FILLED12_LE, WVL_SAMPLE_WORDS12_BE,
    WVL_SAMPLE_WORDS12_LE,  WVL_SAMPLE_WORDS10_BE,  WVL_SAMPLE_WORDS10_LE,  WVL_SAMPLE_16_BE};
static const int load_signed[WVL_LOAD_KINDS] = {0, 1, 0, 1};

/* Container number k of a row, by definition: bit by bit for the packed ones. */
static int64_t container_value(const uint8_t *row, unsigned load, uint64_t k, int is_signed)
{
    unsigned bits = load_bits[load];
    if (load_container[load] > WVL_SAMPLE_32) {
        return (int64_t)test_container_get(row, k, load_container[load]);
    }
    uint32_t native = 0;
    uint16_t half;
    if (bits == 16) {
        memcpy(&half, row + k * 2, 2);
        native = half;
    } else if (bits == 8) {
        native = row[k];
    } else {
        memcpy(&native, row + k * 4, 4);
    }
    return is_signed && native >> (bits - 1) ? (int64_t)native - ((int64_t)1 << bits) : (int64_t)native;
}

static uint64_t row_bytes(unsigned load, uint64_t containers)
{
    return test_container_row_bytes(containers, load_container[load]);
}

static void fill_random(uint8_t *p, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++) {
        p[i] = (uint8_t)draw();
    }
}

/* A poisoned output line of n samples with its room. */
typedef struct line {
    uint8_t bytes[8 * (WVL_LINE_LEAD + MOST + 16 + WVL_LINE_TAIL)];
} line;
static void *open_line(line *l)
{
    memset(l->bytes, POISON, sizeof l->bytes);
    return l->bytes + 8 * WVL_LINE_LEAD;
}
static void check_poison(const line *l, uint64_t bytes)
{
    for (uint64_t i = 0; i < sizeof l->bytes; i++) {
        REQUIRE_THAT((i >= 8 * WVL_LINE_LEAD && i < 8 * WVL_LINE_LEAD + bytes) || l->bytes[i] == POISON,
                     "byte %llu written", (unsigned long long)i);
    }
}

static void load_case(wvl_front_load1 load, unsigned kind, uint64_t first, uint64_t stride, uint32_t n,
                      wvl_front_shift shift)
{
    static line out;
    uint64_t containers = n ? first + (uint64_t)(n - 1) * stride + 1 : 0, bytes = row_bytes(kind, containers);
    uint8_t *row = wall - bytes;
    fill_random(row, bytes);
    int32_t *x = open_line(&out);
    uint32_t seen = load(row, first, stride, n, shift, x), expected_seen = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t biased = (uint32_t)container_value(row, kind, first + i * stride, load_signed[kind]) + shift.bias;
        expected_seen |= biased;
        REQUIRE_THAT(x[i] == (int32_t)(biased - shift.half), "load %u sample %u of %u", kind, i, n);
    }
    REQUIRE_THAT(seen == expected_seen, "load %u n %u: saw %x, there was %x", kind, n, seen, expected_seen);
    check_poison(&out, (uint64_t)n * 4);
}

TEST_FIXTURE(setup, teardown);

TEST(loads)
{
    for (unsigned kind = 0; kind < WVL_LOAD_KINDS; kind++) {
        unsigned depth = load_bits[kind];
        wvl_front_shift shift = {load_signed[kind] ? 1u << (depth - 1) : 0, 1u << (depth - 1)};
        for (uint32_t n = 0; n < 140; n++) {
            for (uint64_t stride = 1; stride < 5; stride++) {
                load_case(reference->strided[kind], kind, draw() % 5, stride, n, shift);
            }
            load_case(reference->contiguous[kind], kind, draw() % 5, 1, n, shift);
            if (fast->contiguous[kind]) {
                load_case(fast->contiguous[kind], kind, draw() % 5, 1, n, shift);
            }
            if (fast->strided[kind]) {
                load_case(fast->strided[kind], kind, draw() % 5, 1 + draw() % 4, n, shift);
            }
        }
    }
}

TEST(triples)
{
    static line out[3];
    for (unsigned kind = 0; kind < WVL_LOAD_KINDS; kind++) {
        for (uint32_t n = 0; fast->triple[kind] && n < 140; n++) {
            wvl_front_shift shift = {load_signed[kind] ? 100u : 0, 77};
            uint64_t bytes = row_bytes(kind, 3 * (uint64_t)n);
            uint8_t *row = wall - bytes;
            fill_random(row, bytes);
            int32_t *x[3] = {open_line(&out[0]), open_line(&out[1]), open_line(&out[2])};
            uint32_t seen = fast->triple[kind](row, (ptrdiff_t)(draw() % 65536) - 32768, n, shift, x),
                     expected_seen = 0;
            for (uint32_t i = 0; i < 3 * n; i++) {
                uint32_t biased = (uint32_t)container_value(row, kind, i, load_signed[kind]) + shift.bias;
                expected_seen |= biased;
                REQUIRE_THAT(x[i % 3][i / 3] == (int32_t)(biased - shift.half), "triple %u sample %u of %u", kind, i,
                             n);
            }
            REQUIRE_THAT(seen == expected_seen, "triple %u n %u", kind, n);
            for (unsigned p = 0; p < 3; p++) {
                check_poison(&out[p], 4 * (uint64_t)n);
            }
        }
    }
}

static const unsigned convert_lines[WVL_CONVERT_KINDS] = {1, 1, 3, 3, 3};
static const unsigned convert_bytes[WVL_CONVERT_KINDS] = {8, 4, 4, 8, 4};

static void check_color(unsigned kind, uint32_t i, const int32_t *const *in, void *const *out)
{
    int64_t r = in[0][i], g = in[1][i], b = in[2][i];
    if (kind == WVL_CONVERT_I64) {
        REQUIRE_THAT(((int64_t *)out[0])[i] == r, "widening");
    } else if (kind == WVL_CONVERT_F32) {
        REQUIRE_THAT(((float *)out[0])[i] == (float)r, "to float");
    } else if (kind == WVL_CONVERT_ICT) {
        double y = 0.299 * (double)r + 0.587 * (double)g + 0.114 * (double)b,
               slack = 1e-6 * (fabs((double)r) + fabs((double)g) + fabs((double)b));
        const float *o[3] = {out[0], out[1], out[2]};
        REQUIRE_THAT(fabs(o[0][i] - y) <= slack && fabs(o[1][i] - ((double)b - y)) <= slack &&
                         fabs(o[2][i] - ((double)r - y)) <= slack,
                     "ICT");
    } else {
        int64_t sum = r + 2 * g + b, y = sum >= 0 ? sum / 4 : -((3 - sum) / 4), o[3];
        for (unsigned c = 0; c < 3; c++) {
            o[c] = kind == WVL_CONVERT_RCT ? ((int32_t *)out[c])[i] : ((int64_t *)out[c])[i];
        }
        REQUIRE_THAT(o[0] == y && o[1] == b - g && o[2] == r - g, "RCT");
    }
}

TEST(conversions)
{
    static line source[3], out[2][3];
    for (unsigned kind = 0; kind < WVL_CONVERT_KINDS; kind++) {
        for (uint32_t n = 1; n < MOST; n += n < 70 ? 1 : 37) {
            unsigned depth = 1 + (unsigned)(draw() % (convert_bytes[kind] == 8 ? 32 : 28));
            const int32_t *in[3];
            for (unsigned c = 0; c < 3; c++) {
                int32_t *x = open_line(&source[c]);
                for (uint32_t i = 0; i < n; i++) {
                    uint32_t v = (uint32_t)(draw() >> (64 - depth));
                    x[i] = (int32_t)((draw() % 8   ? v
                                      : draw() & 1 ? 0
                                                   : UINT32_MAX >> (32 - depth)) -
                                     (1u << (depth - 1)));
                }
                in[c] = x;
            }
            const wvl_front_kernels *k[2] = {reference, fast};
            for (unsigned t = 0; t < 2 && k[t]->convert[kind]; t++) {
                void *rows[3] = {open_line(&out[t][0]), open_line(&out[t][1]), open_line(&out[t][2])};
                k[t]->convert[kind](in, n, rows);
                for (uint32_t i = 0; i < n; i++) {
                    check_color(kind, i, in, rows);
                }
                for (unsigned c = 0; c < convert_lines[kind]; c++) {
                    const uint8_t *mine = rows[c], *first = out[0][c].bytes + 8 * WVL_LINE_LEAD;
                    REQUIRE_THAT(memcmp(mine, first, (size_t)n * convert_bytes[kind]) == 0,
                                 "conversion %u line %u n %u", kind, c, n);
                    check_poison(&out[t][c], (uint64_t)(t ? (n + 15) / 16 * 16 : n) * convert_bytes[kind]);
                }
            }
        }
    }
}

/* ---- Whole rows ------------------------------------------------------------------------------ */

typedef struct scene {
    wvl_plan plan;
    wvl_plan_component components[3];
    wvl_plane planes[3];
    wvl_image image;
    unsigned load;
    uint32_t width, height, count;
    uint8_t *first_row; /* lowest address of the picture */
    uint64_t pitch;
} scene;

static void put_container(uint8_t *row, unsigned load, uint64_t k, uint32_t v)
{
    unsigned bits = load_bits[load];
    uint16_t half = (uint16_t)v;
    if (load_container[load] > WVL_SAMPLE_32) {
        test_container_put(row, k, load_container[load], v);
    } else if (bits == 8) {
        row[k] = (uint8_t)v;
    } else if (bits == 16) {
        memcpy(row + k * 2, &half, 2);
    } else if (bits == 32) {
        memcpy(row + k * 4, &v, 4);
    }
}

/* layout 0: planar (here: the planes side by side in a row), 1: interleaved in any order, 2: interleaved with a fourth
 * container. */
static void build_scene(scene *s, unsigned load, unsigned layout, unsigned depth, int is_signed)
{
    memset(s, 0, sizeof *s);
    s->load = load;
    s->width = 1 + (uint32_t)(draw() % 80);
    s->height = 1 + (uint32_t)(draw() % 4);
    s->count = draw() & 1 ? 3 : 1;
    uint32_t step = layout == 0 ? 1 : layout == 1 ? 3 : 4;
    uint64_t containers = layout == 0 ? 3 * (uint64_t)s->width : (uint64_t)step * s->width;
    s->pitch = row_bytes(load, containers);
    int upside_down = draw() & 1;
    s->first_row = wall - s->pitch * s->height;
    fill_random(s->first_row, s->pitch * s->height);
    unsigned turn = (unsigned)(draw() % 3), mirror = draw() & 1;
    unsigned told_by_address = load_bits[load] % 8 == 0 && draw() & 1; /* the first sample, not its place in the row */
    for (uint32_t c = 0; c < 3; c++) {
        uint32_t place = ((mirror ? 2 - c : c) + turn) % 3;
        s->components[c] =
            (wvl_plan_component){.depth = (uint8_t)depth, .is_signed = (uint8_t)is_signed, .dx = 1, .dy = 1};
        s->components[c].rect = (wvl_rect){1000, 4000000000u, 1000 + s->width, 4000000000u + s->height};
        s->planes[c] = (wvl_plane){.data = upside_down ? s->first_row + s->pitch * (s->height - 1) : s->first_row,
                                   .pitch_bytes = upside_down ? -(ptrdiff_t)s->pitch : (ptrdiff_t)s->pitch,
                                   .sample_stride = step == 1 && draw() & 1 ? 0 : step,
                                   .first_sample = layout == 0 ? place * s->width : place,
                                   .container = (uint8_t)load_container[load]};
        if (told_by_address) {
            s->planes[c].data = (const uint8_t *)s->planes[c].data + s->planes[c].first_sample * (load_bits[load] / 8);
            s->planes[c].first_sample = 0;
        }
    }
    s->plan.syntax.components = s->components;
    s->plan.syntax.component_count = 3;
    s->image = (wvl_image){.struct_size = sizeof s->image, .planes = s->planes, .plane_count = 3};
}

static uint8_t *scene_row(const scene *s, uint32_t c, uint32_t y)
{
    const wvl_plane *p = &s->planes[c];
    return (uint8_t *)(uintptr_t)p->data + (ptrdiff_t)y * p->pitch_bytes;
}

static uint64_t scene_container(const scene *s, uint32_t c, uint32_t x)
{
    const wvl_plane *p = &s->planes[c];
    return p->first_sample + (uint64_t)x * (p->sample_stride ? p->sample_stride : 1);
}

/* Values within the depth everywhere. */
static void draw_scene(scene *s, unsigned depth, int is_signed)
{
    for (uint32_t y = 0; y < s->height; y++) {
        for (uint32_t i = 0; i < 3 * s->width; i++) {
            uint32_t v = (uint32_t)(draw() >> (64 - depth)) - (is_signed ? 1u << (depth - 1) : 0);
            put_container(scene_row(s, i % 3, y), s->load, scene_container(s, i % 3, i / 3), v);
        }
    }
}

static void check_scene_rows(const scene *s, const wvl_front_kernels *k, unsigned depth, int is_signed)
{
    static line work[3], out[3];
    wvl_front_group group = wvl_front_build_group(k, &s->plan, &s->image, 0, s->count, WVL_MCT_NONE, WVL_LINE_I32);
    uint32_t x = (uint32_t)(draw() % s->width), n = 1 + (uint32_t)(draw() % (s->width - x));
    for (uint32_t y = 0; y < s->height; y++) {
        int32_t *lines[3] = {open_line(&work[0]), open_line(&work[1]), open_line(&work[2])};
        void *rows[3] = {open_line(&out[0]), open_line(&out[1]), open_line(&out[2])};
        wvl_front_fetch fetch = {group, lines, 1000 + x, n, 0};
        wvl_front_fetch_row(&fetch, 4000000000u + y, rows);
        REQUIRE_THAT(!fetch.outside, "in range, refused");
        for (uint32_t i = 0; i < n * s->count; i++) {
            uint32_t c = i % s->count, at = i / s->count;
            int64_t v = container_value(scene_row(s, c, y), s->load, scene_container(s, c, x + at), is_signed);
            int64_t half = is_signed ? 0 : (int64_t)1 << (depth - 1);
            REQUIRE_THAT(((int32_t *)rows[c])[at] == v - half, "load %u component %u column %u of %u", s->load, c, at,
                         n);
        }
    }
}

/* One sample just outside the depth, anywhere, is seen. */
static void check_scene_refusal(scene *s, const wvl_front_kernels *k, unsigned depth, int is_signed)
{
    static line work[3], out[3];
    if (depth >= load_bits[s->load]) {
        return;
    }
    uint32_t at = (uint32_t)(draw() % s->width), c = (uint32_t)(draw() % s->count);
    uint32_t over = is_signed ? (draw() & 1 ? 1u << (depth - 1) : 0u - (1u << (depth - 1)) - 1) : 1u << depth;
    put_container(scene_row(s, c, 0), s->load, scene_container(s, c, at), over);
    wvl_front_group group = wvl_front_build_group(k, &s->plan, &s->image, 0, s->count, WVL_MCT_NONE, WVL_LINE_I32);
    int32_t *lines[3] = {open_line(&work[0]), open_line(&work[1]), open_line(&work[2])};
    void *rows[3] = {open_line(&out[0]), open_line(&out[1]), open_line(&out[2])};
    wvl_front_fetch fetch = {group, lines, 1000, s->width, 0};
    wvl_front_fetch_row(&fetch, 4000000000u, rows);
    REQUIRE_THAT(fetch.outside, "load %u depth %u: %x passed", s->load, depth, over);
}

TEST(rows)
{
    static scene s;
    for (uint32_t round = 0; round < 6000; round++) {
        unsigned load = (unsigned)(draw() % WVL_LOAD_KINDS), bits = load_bits[load];
        int is_signed = load == WVL_LOAD_32 ? (int)(draw() & 1) : load_signed[load];
        unsigned depth = draw() & 1 ? bits : 1 + (unsigned)(draw() % bits);
        build_scene(&s, load, (unsigned)(draw() % 3), depth, is_signed);
        draw_scene(&s, depth, is_signed);
        const wvl_front_kernels *k = draw() & 1 ? fast : reference;
        check_scene_rows(&s, k, depth, is_signed);
        check_scene_refusal(&s, k, depth, is_signed);
    }
}

int main(void)
{
    if (wvl_cpu_fetch_level() == WVL_CPU_C) {
        printf("twin_front: no fast kernels on this machine or build; the reference is compared with itself\n");
    }
    return test_run_suite("twin_front");
}
