/* SPDX-License-Identifier: BSD-2-Clause */
/* Random legal configurations of small pictures: whatever the options are together, OpenJPEG decodes exactly what went
 * in. WVL_TEST_ROUNDS and WVL_TEST_SEED widen the search. */
#include <stdarg.h>

#include "tests/decode/cases.h"
#include "tests/prop/packet_geom.h"
#include "tests/support/support.h"

#define BATCH 50
#define MOST_COMPONENTS 5

typedef struct draw {
    uint32_t state;
    char settings[1024];
    wvl_component_format components[MOST_COMPONENTS];
    wvl_image_format format;
    unsigned levels, layers, tiles;
    int is_ht;
} draw;

static uint32_t between(draw *d, uint32_t low, uint32_t high) { return picture_between(&d->state, low, high); }
static int chance(draw *d, uint32_t percent) { return between(d, 1, 100) <= percent; }

static void say(draw *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(draw *d, const char *format, ...)
{
    size_t used = strlen(d->settings);
    va_list args;
    va_start(args, format);
    vsnprintf(d->settings + used, sizeof d->settings - used, format, args);
    va_end(args);
}

static void draw_format(draw *d)
{
    wvl_image_format *f = &d->format;
    unsigned alike = (unsigned)chance(d, 50);
    *f = (wvl_image_format){sizeof *f,
                            chance(d, 60) ? between(d, 0, 70) : 0,
                            chance(d, 60) ? between(d, 0, 70) : 0,
                            0,
                            0,
                            between(d, 1, MOST_COMPONENTS),
                            d->components};
    f->x1 = f->x0 + between(d, 1, chance(d, 20) ? 8 : 110);
    f->y1 = f->y0 + between(d, 1, chance(d, 20) ? 8 : 90);
    for (uint32_t c = 0; c < f->component_count; c++) {
        wvl_component_format *k = &d->components[c];
        *k = d->components[0];
        if (!c || !alike) {
            *k = (wvl_component_format){(uint8_t)between(d, 1, 16), (uint8_t)between(d, 0, 1),
                                        (uint8_t)(chance(d, 70) ? 1 : between(d, 1, 5)),
                                        (uint8_t)(chance(d, 70) ? 1 : between(d, 1, 5))};
        }
        if (naive_ceil(f->x0, k->dx) == naive_ceil(f->x1, k->dx) ||
            naive_ceil(f->y0, k->dy) == naive_ceil(f->y1, k->dy)) {
            k->dx = k->dy = 1; /* else the component has no sample, which B-2 forbids */
        }
    }
}

static void draw_tiles(draw *d)
{
    const wvl_image_format *f = &d->format;
    uint32_t x = between(d, 0, f->x0), y = between(d, 0, f->y0);
    d->tiles = 1;
    if (chance(d, 40)) {
        return;
    }
    uint32_t w = f->x0 - x + between(d, 1, 60), h = f->y0 - y + between(d, 1, 60);
    say(d, " tile=%u,%u tile-offset=%u,%u", w, h, x, y);
    d->tiles = (unsigned)(naive_ceil(f->x1 - x, w) * naive_ceil(f->y1 - y, h));
}

static void draw_precincts(draw *d)
{
    if (chance(d, 40)) {
        return;
    }
    unsigned count = between(d, 1, d->levels + 1);
    say(d, " precincts=");
    /* The list starts at the top; only its value for resolution 0 may be 1, and the last repeats. */
    for (unsigned i = 0; i < count; i++) {
        unsigned least = i == d->levels ? 0 : 1;
        say(d, "%s[%u,%u]", i ? "," : "", 1u << between(d, least, 7), 1u << between(d, least, 7));
    }
}

static uint32_t draw_style(draw *d) { return d->is_ht ? 64 + 8 * between(d, 0, 1) : between(d, 0, 63); }

static void draw_coding(draw *d)
{
    static const char *const orders[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};
    static const char *const parts[] = {"none", "none", "none", "R", "L", "C", "RL", "RLC"};
    unsigned xcb = between(d, 2, 8), ycb = between(d, 2, 10 - (xcb > 8 ? 0 : xcb - 2));
    d->levels = between(d, 0, 6);
    d->layers = chance(d, 50) || d->is_ht ? 1 : between(d, 2, 6);
    say(d, "levels=%u layers=%u block=%u,%u style=%u progression=%s tile-parts=%s guard-bits=%u", d->levels, d->layers,
        1u << xcb, 1u << ycb, draw_style(d), orders[between(d, 0, 4)], parts[between(d, 0, 7)], between(d, 0, 7));
    say(d, " sop=%u eph=%u plt=%u tlm=%u", between(d, 0, 1), between(d, 0, 1), between(d, 0, 1), between(d, 0, 1));
    draw_tiles(d);
    draw_precincts(d);
}

static void draw_scope(draw *d, int tile, int component)
{
    if (tile) {
        uint32_t first = between(d, 1, d->tiles);
        say(d, "T%u-%u", first, between(d, first, d->tiles));
    }
    if (component) {
        uint32_t first = between(d, 0, d->format.component_count - 1);
        say(d, "C%u-%u", first, between(d, first, d->format.component_count - 1));
    }
}

/* Settings of some tiles and components; every one of them is lossless. */
static void draw_overrides(draw *d)
{
    static const char *const orders[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};
    unsigned count = chance(d, 50) ? 0 : between(d, 1, 4);
    for (unsigned i = 0; i < count; i++) {
        int tile = chance(d, 60), component = !tile || chance(d, 40);
        say(d, "%s", i ? "/" : " overrides=");
        draw_scope(d, tile, component);
        say(d, ":guard-bits=%u", between(d, 1, 4));
        if (chance(d, 40)) {
            say(d, ";levels=%u;precincts=[%u,%u]", between(d, 0, 6), 1u << between(d, 1, 6), 1u << between(d, 1, 6));
        }
        if (chance(d, 40)) {
            say(d, ",block=%u,%u,style=%u", 1u << between(d, 2, 6), 1u << between(d, 2, 6), draw_style(d));
        }
        if (!component && chance(d, 60)) {
            say(d, ";progression=%s;sop=%u;eph=%u;mct=%s", orders[between(d, 0, 4)], between(d, 0, 1), between(d, 0, 1),
                chance(d, 50) ? "auto" : "off");
        }
    }
}

/* Whole components and rectangles, which may lie anywhere. Shifts of 30 planes and less are what OpenJPEG 2.5 decodes.
 */
static void draw_regions(draw *d)
{
    const wvl_image_format *f = &d->format;
    unsigned count = d->is_ht || chance(d, 60) ? 0 : between(d, 1, 3);
    for (unsigned i = 0; i < count; i++) {
        int tile = chance(d, 20), component = chance(d, 40);
        say(d, "%s", i ? "/" : " roi=");
        draw_scope(d, tile, component);
        say(d, "%s", tile || component ? ":" : "");
        if (chance(d, 30)) {
            say(d, "U=%u", between(d, 1, 8));
        } else {
            uint32_t x = between(d, f->x0, f->x1 - 1), y = between(d, f->y0, f->y1 - 1);
            say(d, "rect=%u,%u,%u,%u", x, y, between(d, 1, f->x1 - f->x0), between(d, 1, f->y1 - f->y0));
        }
    }
}

static int bound_to_be_refused(const outcome *o)
{
    /* The number of tile-parts follows from the packets; guard bits can push an exponent below 0. */
    return strstr(o->error, "255") || strstr(o->error, "roi: a shift of") || strstr(o->error, "tile-part") ||
           strstr(o->error, "guard bits") || strstr(o->error, "precinct sizes for");
}

/* OpenJPEG 2.5 fails on a tile in which a subsampled component has no sample, which B.3 allows. */
static int has_empty_tile_component(const cs_stream *s)
{
    naive_rect image = {s->x0, s->y0, s->x1, s->y1};
    for (uint64_t t = 0; t < s->tile_count; t++) {
        naive_rect tile = naive_tile(t, image, s->tile_x0, s->tile_y0, s->tile_width, s->tile_height);
        for (unsigned c = 0; c < s->component_count; c++) {
            if (naive_empty(naive_component(tile, s->components[c].dx, s->components[c].dy))) {
                return 1;
            }
        }
    }
    return 0;
}

static unsigned odd_part(unsigned v)
{
    while (!(v & 1)) {
        v /= 2;
    }
    return v;
}

/* With RPCL and PCRL OpenJPEG 2.5 steps by the least distance of precincts of any component, and misses those of a
 * component whose distance is no multiple of it. The loops of B.12.1.3 and B.12.1.4 visit every position. */
static int has_odd_steps(const cs_stream *s)
{
    int by_position = s->order == 2 || s->order == 3;
    for (size_t i = 0; i < s->scope_count; i++) {
        by_position |= s->scopes[i].order == 2 || s->scopes[i].order == 3;
    }
    for (unsigned c = 1; c < s->component_count && by_position; c++) {
        if (odd_part(s->components[c].dx) != odd_part(s->components[0].dx) ||
            odd_part(s->components[c].dy) != odd_part(s->components[0].dy)) {
            return 1;
        }
    }
    return 0;
}

/* OpenJPEG 2.5 checks predictable termination in all components when component 0 has it, and complains of those that do
 * not. */
static int has_mixed_termination(const cs_stream *s)
{
    for (uint64_t t = 0; t < s->tile_count; t++) {
        const cs_component *k = cs_scope_of(s, (unsigned)t).components;
        for (unsigned c = 1; c < s->component_count && (k[0].style & 16); c++) {
            if (!(k[c].style & 16)) {
                return 1;
            }
        }
    }
    return 0;
}

/* OpenJPEG 2.5 begins with raw passes s planes too late where the component has a region of interest: the samples come
 * out wrong. */
static int has_region_with_bypass(const cs_stream *s)
{
    for (uint64_t t = 0; t < s->tile_count; t++) {
        const cs_component *k = cs_scope_of(s, (unsigned)t).components;
        for (unsigned c = 0; c < s->component_count; c++) {
            if (k[c].shift && (k[c].style & 1)) {
                return 1;
            }
        }
    }
    return 0;
}

static void run_one(uint32_t seed, int is_ht)
{
    draw d = {.state = seed, .is_ht = is_ht};
    char text[512];
    static const picture_kind kinds[] = {PICTURE_NATURAL, PICTURE_NATURAL, PICTURE_NOISE,
                                         PICTURE_EXTREME, PICTURE_SPARSE,  PICTURE_FLAT};
    draw_format(&d);
    draw_coding(&d);
    draw_overrides(&d);
    draw_regions(&d);
    const char *what = test_print("seed %u", seed);
    owned_picture p = picture_draw_format(kinds[between(&d, 0, 5)], &d.format, seed);
    owned_outcome o = case_try(&p, d.settings, NULL);
    if (o.status != WVL_OK) {
        ck_assert_msg((o.status == WVL_ERROR_PARAMETER || o.status == WVL_ERROR_UNSUPPORTED) && bound_to_be_refused(&o),
                      "%s: \"%s\": %s: %s", what, d.settings, wvl_status_text(o.status), o.error);
        return;
    }
    case_free(&o);
    o = case_encode(what, &p, d.settings, NULL);
    if (has_empty_tile_component(&o.stream) || has_odd_steps(&o.stream) || has_mixed_termination(&o.stream) ||
        has_region_with_bypass(&o.stream)) {
        return;
    }
    picture back;
    ck_assert_msg(decode_picture(o.data, o.bytes, NULL, &back, NULL, text, sizeof text),
                  "%s: image %u,%u..%u,%u \"%s\": %s", what, p.x0, p.y0, p.x1, p.y1, d.settings, text);
    ck_assert_msg(picture_equal(&p, &back, text, sizeof text), "%s: image %u,%u..%u,%u \"%s\": %s", what, p.x0, p.y0,
                  p.x1, p.y1, d.settings, text);
    picture_free(&back);
}

static uint32_t number_from(const char *name, uint32_t otherwise)
{
    const char *value = getenv(name);
    return value && value[0] ? (uint32_t)strtoul(value, NULL, 10) : otherwise;
}

TEST_EACH(random_configurations, (number_from("WVL_TEST_ROUNDS", 1000) / BATCH))
{
    for (uint32_t i = 0; i < BATCH; i++) {
        run_one(number_from("WVL_TEST_SEED", 1) + (uint32_t)_i * BATCH + i, 0);
    }
}

TEST_EACH(random_ht_configurations, (number_from("WVL_TEST_ROUNDS", 1000) / BATCH))
{
    for (uint32_t i = 0; i < BATCH; i++) {
        run_one(number_from("WVL_TEST_SEED", 1) + (uint32_t)_i * BATCH + i, 1);
    }
}

TEST_MAIN("random")
