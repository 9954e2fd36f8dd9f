/* SPDX-License-Identifier: BSD-2-Clause */
/* Tiles, tile-components, resolutions, bands, precincts and blocks against hand-worked cases and against the formulas
 * of Annex B. */

#include "tests/decode/picture.h"
#include "tests/prop/packet_geom.h"
#include "tests/support/planned.h"

typedef struct fixture {
    wvl_plan *plan;
    wvl_tile_plan tile;
    void *memory;
} fixture;

static wvl_settings default_settings(void)
{
    wvl_settings s;
    test_default_settings(&s);
    s.mct = 0;
    s.distortion_bits = 0;
    s.layer_value_count = 0;
    return s;
}

static fixture open_fixture(const wvl_settings *s, const wvl_image_format *f)
{
    fixture x;
    memset(&x, 0, sizeof x);
    x.plan = test_build_plan(s, f);
    wvl_carver carver = {NULL, 0};
    wvl_tile_plan_carve(x.plan, &carver, &x.tile);
    x.memory = aligned_alloc(64, (size_t)(carver.used + 63) / 64 * 64);
    ck_assert_ptr_nonnull(x.memory);
    carver = (wvl_carver){x.memory, 0};
    wvl_tile_plan_carve(x.plan, &carver, &x.tile);
    return x;
}

static void close_fixture(fixture *x)
{
    free(x->memory);
    wvl_plan_destroy(NULL, x->plan);
}

#define owned_fixture OWNED_BY(close_fixture) fixture

static void check_rect(const char *what, wvl_rect r, naive_rect n)
{
    REQUIRE_THAT(r.x0 == n.x0 && r.y0 == n.y0 && r.x1 == n.x1 && r.y1 == n.y1,
                 "%s: %u,%u..%u,%u, not %llu,%llu..%llu,%llu", what, r.x0, r.y0, r.x1, r.y1, (unsigned long long)n.x0,
                 (unsigned long long)n.y0, (unsigned long long)n.x1, (unsigned long long)n.y1);
}

/* ---- Against the formulas -------------------------------------------------------------------- */

/* Every sample of the band lies in exactly one block of exactly one precinct: areas add up, and no block of two
 * precincts is shared. */
static void check_blocks(const wvl_tile_resolution *res, const wvl_tile_band *band, unsigned cut)
{
    naive_rect nb = {band->rect.x0, band->rect.y0, band->rect.x1, band->rect.y1};
    uint64_t area = 0, blocks = 0;
    unsigned px = res->ppx - cut, py = res->ppy - cut;
    for (uint32_t row = 0; row < res->precinct_rows; row++) {
        for (uint32_t col = 0; col < res->precinct_cols; col++) {
            wvl_rect range = wvl_geom_precinct_blocks(res, band, col, row);
            uint64_t kx = (uint64_t)res->precinct_x0 + col, ky = (uint64_t)res->precinct_y0 + row;
            naive_rect cell = {naive_max(nb.x0, kx << px), naive_max(nb.y0, ky << py), naive_min(nb.x1, (kx + 1) << px),
                               naive_min(nb.y1, (ky + 1) << py)};
            if (naive_empty(cell) || naive_empty(nb)) {
                REQUIRE(range.x0 == range.x1 || range.y0 == range.y1);
                continue;
            }
            for (uint32_t j = range.y0; j < range.y1; j++) {
                for (uint32_t i = range.x0; i < range.x1; i++) {
                    wvl_rect b = wvl_geom_block_rect(band, i, j);
                    REQUIRE(b.x0 < b.x1 && b.y0 < b.y1 && b.x0 >= cell.x0 && b.x1 <= cell.x1 && b.y0 >= cell.y0 &&
                            b.y1 <= cell.y1);
                    REQUIRE(b.x0 >> band->xcb == (b.x1 - 1) >> band->xcb &&
                            b.y0 >> band->ycb == (b.y1 - 1) >> band->ycb);
                    REQUIRE(b.x1 - b.x0 <= band->cell_width && b.y1 - b.y0 <= band->cell_height);
                    area += (uint64_t)(b.x1 - b.x0) * (b.y1 - b.y0);
                    blocks++;
                }
            }
        }
    }
    uint64_t expected = naive_empty(nb) ? 0 : (nb.x1 - nb.x0) * (nb.y1 - nb.y0);
    ck_assert_uint_eq(area, expected);
    ck_assert_uint_eq(blocks, naive_empty(nb) ? 0 : (uint64_t)band->block_cols * band->block_rows);
}

static void check_resolution(const wvl_settings *s, const fixture *x, const wvl_tile_component *tc, naive_rect ntc,
                             unsigned r, uint64_t *precincts, uint64_t *blocks)
{
    const wvl_tile_resolution *res = &x->tile.resolutions[tc->first_resolution + r];
    naive_rect tr = naive_resolution(ntc, s->levels, r);
    check_rect("resolution", res->rect, tr);
    unsigned pp = wvl_plan_precinct(s, r), cut = r ? 1 : 0;
    ck_assert_uint_eq(res->ppx | res->ppy << 4, pp);
    uint64_t wide = naive_precincts(tr.x0, tr.x1, pp & 15), high = naive_precincts(tr.y0, tr.y1, pp >> 4);
    ck_assert_uint_eq((uint64_t)res->precinct_cols * res->precinct_rows, wide * high);
    ck_assert_uint_eq(res->first_precinct, *precincts);
    *precincts += wide * high;
    ck_assert_uint_eq(res->band_count, r ? 3 : 1);
    for (unsigned b = 0; b < res->band_count; b++) {
        const wvl_tile_band *band = &x->tile.bands[res->first_band + b];
        unsigned orient = r ? b + 1 : 0, level = r ? s->levels - r + 1u : s->levels;
        ck_assert(band->orient == orient && band->level == level);
        check_rect("band", band->rect, naive_band(ntc, level, orient & 1, orient >> 1));
        ck_assert_uint_eq(1u << band->xcb, naive_min(s->block_width, 1ull << ((pp & 15) - cut)));
        ck_assert_uint_eq(1u << band->ycb, naive_min(s->block_height, 1ull << ((pp >> 4) - cut)));
        ck_assert_uint_eq(band->first_block, *blocks);
        *blocks += (uint64_t)band->block_cols * band->block_rows;
        if (wide && high) {
            check_blocks(res, band, cut);
        }
    }
}

static void check_tile(const wvl_settings *s, const wvl_image_format *f, fixture *x, uint32_t t)
{
    naive_rect image = {f->x0, f->y0, f->x1, f->y1};
    uint64_t tw = s->tile_width ? s->tile_width : (uint64_t)f->x1 - s->tile_x0,
             th = s->tile_height ? s->tile_height : (uint64_t)f->y1 - s->tile_y0;
    naive_rect tile = naive_tile(t, image, s->tile_x0, s->tile_y0, tw, th);
    uint64_t precincts = 0, blocks = 0, samples = 0;
    wvl_tile_plan_build(x->plan, t, &x->tile);
    check_rect("tile", x->tile.rect, tile);
    for (uint32_t c = 0; c < f->component_count; c++) {
        const wvl_tile_component *tc = &x->tile.components[c];
        naive_rect ntc = naive_component(tile, f->components[c].dx, f->components[c].dy);
        check_rect("tile-component", tc->rect, ntc);
        samples += naive_empty(ntc) ? 0 : (ntc.x1 - ntc.x0) * (ntc.y1 - ntc.y0);
        for (unsigned r = 0; r <= s->levels; r++) {
            check_resolution(s, x, tc, ntc, r, &precincts, &blocks);
        }
    }
    ck_assert_uint_eq(x->tile.precinct_count, precincts);
    ck_assert_uint_eq(x->tile.block_count, blocks);
    ck_assert_uint_eq(x->tile.sample_count, samples);
}

static void draw_settings(uint32_t *state, wvl_settings *s, wvl_image_format *f)
{
    s->levels = (uint8_t)(picture_between(state, 0, 9) ? picture_between(state, 0, 7) : picture_between(state, 8, 32));
    s->block_width = (uint16_t)(1u << picture_between(state, 2, 6));
    s->block_height = (uint16_t)(1u << picture_between(state, 2, 6));
    s->tile_x0 = picture_between(state, 0, f->x0 < 200 ? f->x0 : 200) + (f->x0 > 200 ? f->x0 - 200 : 0);
    s->tile_y0 = picture_between(state, 0, f->y0 < 200 ? f->y0 : 200) + (f->y0 > 200 ? f->y0 - 200 : 0);
    s->tile_x0 = s->tile_x0 > f->x0 ? f->x0 : s->tile_x0;
    s->tile_y0 = s->tile_y0 > f->y0 ? f->y0 : s->tile_y0;
    if (picture_between(state, 0, 2)) {
        s->tile_width = f->x0 - s->tile_x0 + picture_between(state, 1, 400);
        s->tile_height = f->y0 - s->tile_y0 + picture_between(state, 1, 400);
    }
    s->precinct_count = picture_between(state, 0, s->levels < 2 ? s->levels + 1u : 3);
    for (uint32_t i = 0; i < s->precinct_count; i++) {
        s->precinct_width[i] = 1u << picture_between(state, 1, 9);
        s->precinct_height[i] = 1u << picture_between(state, 1, 9);
    }
}

TEST_EACH(random_geometry, 25)
{
    uint32_t state = 1000 + (uint32_t)_i;
    for (unsigned round = 0; round < 20; round++) {
        static const uint32_t places[] = {0, 0, 1, 5, 63, 64, 1000, 0x7FFFFFF0u, 0x80000000u, 0xFFFF0000u};
        wvl_component_format components[3];
        wvl_settings s = default_settings();
        wvl_image_format f = {sizeof f,
                              places[picture_between(&state, 0, 9)],
                              places[picture_between(&state, 0, 9)],
                              0,
                              0,
                              picture_between(&state, 1, 3),
                              components};
        f.x1 = f.x0 + picture_between(&state, 1, 900);
        f.y1 = f.y0 + picture_between(&state, 1, 900);
        for (uint32_t c = 0; c < f.component_count; c++) {
            components[c] = (wvl_component_format){8, 0, (uint8_t)picture_between(&state, 1, 4),
                                                   (uint8_t)picture_between(&state, 1, 4)};
            if (naive_ceil(f.x0, components[c].dx) == naive_ceil(f.x1, components[c].dx) ||
                naive_ceil(f.y0, components[c].dy) == naive_ceil(f.y1, components[c].dy)) {
                components[c].dx = components[c].dy = 1;
            }
        }
        draw_settings(&state, &s, &f);
        owned_fixture x = open_fixture(&s, &f);
        for (uint32_t n = 0; n < 6; n++) {
            check_tile(&s, &f, &x,
                       n < 2 ? (n ? x.plan->syntax.tile_count - 1 : 0)
                             : picture_between(&state, 0, x.plan->syntax.tile_count - 1));
        }
    }
}

/* Tiles cover the image once. */
TEST(tiles_partition)
{
    static const uint32_t grids[][8] = {
        /* x0 y0 x1 y1, tile x0 y0 w h */
        {5, 128, 773, 640, 1, 101, 127, 126},
        {17, 12, 785, 524, 8, 2, 37, 37},
        {0, 0, 16, 16, 0, 0, 1, 1},
        {4294967000u, 4294967000u, 4294967295u, 4294967295u, 4294966999u, 4294966990u, 77, 41},
        {0, 0, 768, 512, 0, 0, 4294967295u, 4294967295u},
        {0, 0, 4294967295u, 4294967295u, 0, 0, 16777300u, 17000000u}};
    for (unsigned i = 0; i < sizeof grids / sizeof grids[0]; i++) {
        static const wvl_component_format one = {8, 0, 1, 1};
        const uint32_t *g = grids[i];
        wvl_settings s = default_settings();
        wvl_image_format f = {sizeof f, g[0], g[1], g[2], g[3], 1, &one};
        uint64_t area = 0;
        s.tile_x0 = g[4];
        s.tile_y0 = g[5];
        s.tile_width = g[6];
        s.tile_height = g[7];
        owned_fixture x = open_fixture(&s, &f);
        for (uint32_t t = 0; t < x.plan->syntax.tile_count; t++) {
            wvl_rect r = wvl_geom_tile_rect(x.plan, t);
            REQUIRE(r.x0 < r.x1 && r.y0 < r.y1);
            area += (uint64_t)(r.x1 - r.x0) * (r.y1 - r.y0);
        }
        ck_assert_uint_eq(area, (uint64_t)(g[2] - g[0]) * (g[3] - g[1]));
    }
}

/* ---- Worked by hand -------------------------------------------------------------------------- */

static const wvl_tile_band *band_of(const fixture *x, unsigned r, unsigned b)
{
    return &x->tile.bands[x->tile.resolutions[r].first_band + b];
}

static void expect_rect(wvl_rect r, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1)
{
    naive_rect n = {x0, y0, x1, y1};
    check_rect("by hand", r, n);
}

/* The ISO stream p1_07 (D01): 12 x 12 tiles at 4,0, image at 4,4..12,16, one level, precincts 1 x 1 and 2 x 2. */
TEST(tiny_precincts)
{
    static const wvl_component_format one = {8, 0, 1, 1};
    wvl_settings s = default_settings();
    wvl_image_format f = {sizeof f, 4, 4, 12, 16, 1, &one};
    s.levels = 1;
    s.tile_x0 = 4;
    s.tile_width = s.tile_height = 12;
    s.precinct_count = 2;
    s.precinct_width[0] = s.precinct_height[0] = 2;
    s.precinct_width[1] = s.precinct_height[1] = 1;
    owned_fixture x = open_fixture(&s, &f);
    ck_assert_uint_eq(x.plan->syntax.tile_count, 2);
    wvl_tile_plan_build(x.plan, 0, &x.tile);
    expect_rect(x.tile.rect, 4, 4, 12, 12);
    expect_rect(x.tile.resolutions[0].rect, 2, 2, 6, 6);
    ck_assert_uint_eq(x.tile.resolutions[0].precinct_cols * x.tile.resolutions[0].precinct_rows, 16);
    ck_assert_uint_eq(x.tile.resolutions[1].precinct_cols * x.tile.resolutions[1].precinct_rows, 16);
    expect_rect(band_of(&x, 1, 0)->rect, 2, 2, 6, 6);
    ck_assert_uint_eq(band_of(&x, 1, 0)->xcb, 0); /* a precinct of 2 leaves blocks of one sample in its bands */
    ck_assert_uint_eq(x.tile.block_count, 4 * 16);
    wvl_tile_plan_build(x.plan, 1, &x.tile);
    expect_rect(x.tile.rect, 4, 12, 12, 16);
}

/* One sample at an odd place: it is a high-pass sample, the LL band is empty, and the resolution below has no precinct.
 */
TEST(lone_odd_sample)
{
    static const wvl_component_format one = {8, 0, 1, 1};
    wvl_settings s = default_settings();
    wvl_image_format f = {sizeof f, 1, 1, 2, 2, 1, &one};
    s.levels = 2;
    owned_fixture x = open_fixture(&s, &f);
    wvl_tile_plan_build(x.plan, 0, &x.tile);
    expect_rect(x.tile.resolutions[2].rect, 1, 1, 2, 2);
    expect_rect(x.tile.resolutions[1].rect, 1, 1, 1, 1);
    expect_rect(x.tile.resolutions[0].rect, 1, 1, 1, 1);
    expect_rect(band_of(&x, 2, 2)->rect, 0, 0, 1, 1); /* HH holds it */
    ck_assert_uint_eq(band_of(&x, 2, 2)->block_cols * band_of(&x, 2, 2)->block_rows, 1);
    ck_assert_uint_eq(x.tile.resolutions[0].precinct_cols, 0);
    ck_assert_uint_eq(x.tile.resolutions[1].precinct_cols, 0);
    ck_assert_uint_eq(x.tile.precinct_count, 1);
    ck_assert_uint_eq(x.tile.block_count, 1);
}

/* Without levels a band's step is the given one, to the nearest that E-3 can express: 2^11 mantissas an octave. */
TEST(steps_are_the_nearest)
{
    static const wvl_component_format one = {8, 0, 1, 1};
    wvl_image_format f = {sizeof f, 0, 0, 16, 16, 1, &one};
    for (unsigned i = 1; i < 300; i++) {
        wvl_settings s = default_settings();
        s.reversible = s.levels = 0;
        s.step = 0.00037 * i;
        owned_fixture x = open_fixture(&s, &f);
        double wanted = 256.0 * s.step, octave = 1.0;
        while (octave > wanted) {
            octave /= 2;
        }
        while (2 * octave <= wanted) {
            octave *= 2;
        }
        double error = x.plan->syntax.codings[0].band[0].step - wanted, most = octave / 4096;
        ck_assert_msg(error <= most && error >= -most, "step %g: off by %g, %g is the most", wanted, error, most);
    }
}

/* Precinct lists run from the top, the last repeats; the codestream stores them from resolution 0 up. */
TEST(precinct_lists)
{
    wvl_settings s = default_settings();
    s.levels = 3;
    ck_assert_uint_eq(wvl_plan_precinct(&s, 0), 0xFF);
    s.precinct_count = 2;
    s.precinct_width[0] = 256;
    s.precinct_height[0] = 128;
    s.precinct_width[1] = 64;
    s.precinct_height[1] = 32;
    ck_assert_uint_eq(wvl_plan_precinct(&s, 3), 8 | 7 << 4);
    ck_assert_uint_eq(wvl_plan_precinct(&s, 2), 6 | 5 << 4);
    ck_assert_uint_eq(wvl_plan_precinct(&s, 0), 6 | 5 << 4);
    s.precinct_width[1] = 48;
    ck_assert_uint_gt(wvl_plan_precinct(&s, 0), 0xFF);
}

TEST_MAIN("geometry")
