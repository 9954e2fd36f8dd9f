/* SPDX-License-Identifier: BSD-2-Clause */
#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_TILES 100u

static const char *const orders[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};

static void say(fuzz_draw *d, const char *key, uint32_t value) { fuzz_case_set(d->c, key, "%u", value); }

static void say_bool(fuzz_draw *d, const char *key, uint32_t percent)
{
    if (fuzz_draw_wants(d) && fuzz_draw_chance(d, percent)) {
        fuzz_case_set(d->c, key, "yes");
    }
}

/* ---- Transform ------------------------------------------------------------------------------- */

static void draw_reversible(fuzz_draw *d)
{
    d->reversible = fuzz_draw_chance(d, 50);
    fuzz_case_set(d->c, "reversible", d->reversible ? "yes" : "no");
}

static void draw_levels(fuzz_draw *d)
{
    d->levels = 5;
    if (fuzz_draw_wants(d)) {
        d->levels = fuzz_draw_chance(d, 92) ? fuzz_draw_between(d, 0, 6) : fuzz_draw_between(d, 7, 32);
        say(d, "levels", d->levels);
    }
}

static void draw_mct(fuzz_draw *d)
{
    int can = d->can_mct && !(d->reversible && d->shape.planes[0].depth >= 28);
    if (fuzz_draw_wants(d)) {
        fuzz_case_set(d->c, "mct", can && fuzz_draw_chance(d, 50) ? "on" : fuzz_draw_chance(d, 50) ? "off" : "auto");
    }
}

/* ---- Structure ------------------------------------------------------------------------------- */

/* Profiles 0 and 1 leave less to choose, so they are drawn first. Sides below 128 meet the rule about the lowest
 * resolution. */
static void draw_profile(fuzz_draw *d)
{
    const fuzz_picture *p = &d->shape;
    d->profile = -1;
    if (!fuzz_draw_is_all_ht(d->blocks) && fuzz_draw_chance(d, 6) && p->x1 <= 128 + p->x0 && p->y1 <= 128 + p->y0 &&
        p->x1 <= INT32_MAX && p->y1 <= INT32_MAX) {
        d->profile = (int)fuzz_draw_between(d, 0, 1);
        for (uint32_t c = 0; c < p->count; c++) {
            unsigned dx = p->planes[c].dx, dy = p->planes[c].dy;
            d->profile = (dx & (dx - 1)) || (dy & (dy - 1)) || dx > 4 || dy > 4 ? 1 : d->profile;
        }
        say(d, "profile", (uint32_t)d->profile);
    }
}

static uint32_t draw_tile_side(fuzz_draw *d, uint32_t before, uint32_t side)
{
    uint32_t least = side / 9 + 1, most = side > 8 ? side + side / 4 : 12;
    return before + fuzz_draw_between(d, fuzz_draw_chance(d, 97) ? least : 1, most);
}

static void draw_tile(fuzz_draw *d)
{
    const fuzz_picture *p = &d->shape;
    uint32_t width = p->x1 - p->x0, height = p->y1 - p->y0;
    d->tiles = 1;
    if (!fuzz_draw_wants(d) || d->profile >= 0 || p->count > 200) {
        return;
    }
    uint32_t before_x = fuzz_draw_between(d, 0, p->x0 < 70 ? p->x0 : 70),
             before_y = fuzz_draw_between(d, 0, p->y0 < 70 ? p->y0 : 70);
    uint32_t w = draw_tile_side(d, before_x, width), h = draw_tile_side(d, before_y, height);
    d->tiles = ((before_x + width + w - 1) / w) * ((before_y + height + h - 1) / h);
    if (d->tiles > MOST_TILES && !fuzz_draw_chance(d, 4)) {
        w = before_x + width;
        d->tiles = (before_y + height + h - 1) / h;
    }
    if (d->tiles > 2000) {
        h = before_y + height;
        d->tiles = (before_x + width + w - 1) / w;
    }
    fuzz_case_set(d->c, "tile", "%u,%u", w, h);
    if (p->x0 != before_x || p->y0 != before_y || fuzz_draw_chance(d, 50)) {
        fuzz_case_set(d->c, "tile-offset", "%u,%u", p->x0 - before_x, p->y0 - before_y);
    }
}

static void draw_block(fuzz_draw *d)
{
    if (!fuzz_draw_wants(d)) {
        return;
    }
    if (d->profile >= 0) {
        uint32_t side = 32u << fuzz_draw_between(d, 0, 1);
        fuzz_case_set(d->c, "block", "%u,%u", side, side);
        return;
    }
    uint32_t xcb = fuzz_draw_between(d, 2, 10), most = 12 - xcb < 10 ? 12 - xcb : 10;
    fuzz_case_set(d->c, "block", "%u,%u", 1u << xcb, 1u << fuzz_draw_between(d, 2, most));
}

static void draw_precincts(fuzz_draw *d)
{
    char list[FUZZ_MAX_VALUE] = "";
    size_t n = 0;
    uint32_t count = fuzz_draw_between(d, 1, d->levels + 1),
             small = d->raw_bytes < 4000 || fuzz_draw_chance(d, 5) ? 1 : 3;
    if (!fuzz_draw_wants(d)) {
        return;
    }
    /* From the top; only the value of resolution 0 may be 1, and the last repeats. */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t least = i == d->levels ? 0 : small, most = fuzz_draw_chance(d, 95) ? 8 : 15;
        n += (size_t)snprintf(list + n, sizeof list - n, "%s[%u,%u]", i ? "," : "",
                              1u << fuzz_draw_between(d, least, most), 1u << fuzz_draw_between(d, least, most));
    }
    fuzz_case_set(d->c, "precincts", "%s", list);
}

static void draw_style(fuzz_draw *d)
{
    uint32_t style = fuzz_draw_between(d, 0, 63);
    if (fuzz_draw_is_all_ht(d->blocks) ||
        (d->blocks == FUZZ_BLOCKS_ANY && d->profile < 0 &&
         fuzz_draw_chance(d, 8))) { /* HT blocks take VSC beside them, and have one layer */
        d->is_ht = 1;
        say(d, "style", 64 + (style & 8));
    } else if (fuzz_draw_wants(d)) {
        say(d, "style", d->profile == 0 ? style & 48 : style);
    }
}

static void draw_progression(fuzz_draw *d)
{
    if (fuzz_draw_wants(d)) {
        fuzz_case_set(d->c, "progression", "%s", orders[fuzz_draw_between(d, 0, 4)]);
    }
}

static void draw_tile_parts(fuzz_draw *d)
{
    static const char *const parts[] = {"R", "L", "C", "RL", "LC", "RC", "RLC", "none"};
    if (fuzz_draw_wants(d) && fuzz_draw_chance(d, 70)) {
        fuzz_case_set(d->c, "tile-parts", "%s", parts[fuzz_draw_between(d, 0, 7)]);
    }
}

/* A few volumes by chance, then one that sends whatever is left. */
static size_t print_volumes(fuzz_draw *d, char *list, size_t room, const char *tile)
{
    size_t n = 0;
    uint32_t count = fuzz_draw_between(d, 0, 3), components = d->shape.count;
    for (uint32_t i = 0; i <= count; i++) {
        uint32_t rs = fuzz_draw_between(d, 0, d->levels), cs = fuzz_draw_between(d, 0, components - 1),
                 le = fuzz_draw_between(d, 1, d->layers);
        uint32_t re = fuzz_draw_between(d, rs + 1, fuzz_draw_chance(d, 80) ? d->levels + 1 : 33),
                 ce = fuzz_draw_between(d, cs + 1, components);
        const char *order = orders[fuzz_draw_between(d, 0, 4)];
        if (i == count) {
            rs = cs = 0;
            le = d->layers;
            re = fuzz_draw_chance(d, 50) ? 33 : d->levels + 1;
            ce = components == 256 || fuzz_draw_chance(d, 50) ? components : components < 257 ? 256 : 16384;
        }
        n += (size_t)snprintf(list + n, room - n, "%s%s%u,%u,%u,%u,%u,%s", i ? "/" : "", tile, rs, cs, le, re, ce,
                              order);
    }
    return n;
}

static void draw_changes(fuzz_draw *d)
{
    char list[FUZZ_MAX_VALUE] = "", tile[16] = "";
    size_t n = 0;
    if (!fuzz_draw_wants(d) || !fuzz_draw_chance(d, 30)) {
        return;
    }
    uint32_t own = fuzz_draw_chance(d, 40) ? fuzz_draw_between(d, 1, 3) : 0, at = 0;
    for (uint32_t i = 0; i < own; i++) { /* tiles of their own, each once */
        at += fuzz_draw_between(d, 1, 1 + d->tiles / 3);
        if (at <= d->tiles) {
            snprintf(tile, sizeof tile, "T%u=", at);
            n += (size_t)snprintf(list + n, sizeof list - n, "%s", n ? "/" : "");
            n += print_volumes(d, list + n, sizeof list - n, tile);
        }
    }
    if (!n || fuzz_draw_chance(d, 50)) {
        n += (size_t)snprintf(list + n, sizeof list - n, "%s", n ? "/" : "");
        (void)print_volumes(d, list + n, sizeof list - n, "");
    }
    fuzz_case_set(d->c, "progression-changes", "%s", list);
}

static void draw_sop(fuzz_draw *d) { say_bool(d, "sop", 60); }
static void draw_eph(fuzz_draw *d) { say_bool(d, "eph", 60); }
static void draw_tlm(fuzz_draw *d) { say_bool(d, "tlm", 60); }

/* Packed headers exclude the lists of packet lengths; which comes first decides. */
static void draw_packed(fuzz_draw *d)
{
    if (d->profile != 0 && fuzz_draw_wants(d) && fuzz_draw_chance(d, 35)) {
        fuzz_case_set(d->c, "packed-headers", fuzz_draw_chance(d, 50) ? "ppm" : "ppt");
    }
}

static void draw_plt(fuzz_draw *d)
{
    if (!fuzz_case_get(d->c, "packed-headers")) {
        say_bool(d, "plt", 60);
    }
}

static void draw_plm(fuzz_draw *d)
{
    if (!fuzz_case_get(d->c, "packed-headers")) {
        say_bool(d, "plm", 20);
    }
}

static void draw_registration(fuzz_draw *d)
{
    char list[FUZZ_MAX_VALUE] = "";
    size_t n = 0;
    uint32_t count = d->shape.count <= 5 && fuzz_draw_chance(d, 50) ? d->shape.count : 1;
    for (uint32_t i = 0; i < count; i++) {
        n += (size_t)snprintf(list + n, sizeof list - n, "%s[%u,%u]", i ? "," : "", fuzz_draw_between(d, 0, 65535),
                              fuzz_draw_between(d, 0, 65535));
    }
    if (fuzz_draw_wants(d) && fuzz_draw_chance(d, 30)) {
        fuzz_case_set(d->c, "registration", "%s", list);
    }
}

/* ---- Quantization ---------------------------------------------------------------------------- */

static void draw_quantization(fuzz_draw *d)
{
    if (fuzz_draw_wants(d)) {
        fuzz_case_set(d->c, "quantization", fuzz_draw_chance(d, 60) ? "derived" : "expounded");
    }
}

static void draw_step(fuzz_draw *d)
{
    double step = ldexp(1.0 + fuzz_draw_between(d, 0, 2047) / 2048.0, -(int)fuzz_draw_between(d, 2, 13));
    if (fuzz_draw_wants(d) && fuzz_draw_chance(d, 60)) {
        fuzz_case_set(d->c, "step", "%.9g", step);
    }
}

/* Used when nothing else says how coarse the quantizer is. */
static void draw_qfactor(fuzz_draw *d)
{
    const char *style = fuzz_case_get(d->c, "quantization");
    uint32_t factor = fuzz_draw_between(d, 1, 100);
    if (fuzz_draw_wants(d) && !fuzz_case_get(d->c, "step") && !fuzz_case_get(d->c, "overrides") &&
        !(style && !strcmp(style, "derived"))) {
        say(d, "qfactor", factor);
    }
}

static void draw_guard_bits(fuzz_draw *d)
{
    if (fuzz_draw_wants(d)) {
        say(d, "guard-bits", fuzz_draw_between(d, d->reversible ? 0 : 1, fuzz_draw_chance(d, 80) ? 4 : 7));
    }
}

static void draw_distortion_bits(fuzz_draw *d)
{
    if (fuzz_draw_wants(d)) {
        say(d, "distortion-bits", fuzz_draw_between(d, 0, 8));
    }
}

/* ---- Rate ------------------------------------------------------------------------------------ */

/* About what the headers of an empty stream take. */
static double least_bytes(const fuzz_draw *d)
{
    double packets = (double)d->tiles * d->shape.count * (d->levels + 1) * 4;
    return 400.0 + 40.0 * d->tiles + packets * 12.0 + (fuzz_case_get(d->c, "precincts") ? d->raw_bytes / 2.0 : 0.0) +
           3.0 * d->shape.count;
}

static double draw_share(fuzz_draw *d) { return exp2(-(double)fuzz_draw_between(d, 0, 600) / 100.0) * 1.3; }

/* One of the five targets; `index` is the place in the lists below. */
static void print_target(fuzz_draw *d, const char *key, uint32_t count)
{
    char list[FUZZ_MAX_VALUE] = "";
    size_t n = 0;
    double pixels = ((double)d->shape.x1 - d->shape.x0) * ((double)d->shape.y1 - d->shape.y0), bytes = least_bytes(d),
           quality = 18.0, slope = 44000.0;
    int everything = fuzz_draw_chance(d, 25);
    for (uint32_t i = 0; i < count; i++) {
        double value = 0.0;
        bytes = floor(bytes + 1.0 + d->raw_bytes * draw_share(d) / count);
        quality += 1.0 + fuzz_draw_between(d, 0, 250) / 10.0;
        slope -= 1.0 + fuzz_draw_between(d, 0, 16000) / (double)count;
        int all = everything && i + 1 == count;
        switch (key[0]) {
        case 'r': value = all ? 1.0 : d->raw_bytes / bytes; break;
        case 'b': value = all ? 0.0 : bytes * 8.0 / pixels; break;
        case 'l': value = all ? 0.0 : bytes; break;
        case 'p': value = all ? 0.0 : quality; break;
        default: value = all ? 0.0 : floor(slope); break;
        }
        if (key[0] == 'r' && value <= 1.0 && i + 1 < count) { /* everything, though not the last */
            count = i + 1;
        }
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%.10g", i ? "," : "", value);
    }
    fuzz_case_set(d->c, key, "%s", list);
    d->targets = count;
}

static void draw_target(fuzz_draw *d, const char *key, uint32_t percent)
{
    percent *= fuzz_draw_has_targets(d->blocks) ? 3 : 1;
    if (!d->targets && d->density && fuzz_draw_chance(d, percent)) {
        int is_one = d->is_ht || fuzz_draw_is_part1(d) || fuzz_draw_chance(d, 50);
        print_target(d, key, is_one ? 1 : fuzz_draw_between(d, 2, 6));
    }
}

static void draw_rates(fuzz_draw *d) { draw_target(d, "rates", 9); }
static void draw_bpp(fuzz_draw *d) { draw_target(d, "bpp", 10); }
static void draw_layer_bytes(fuzz_draw *d) { draw_target(d, "layer-bytes", 11); }
static void draw_psnr(fuzz_draw *d) { draw_target(d, "psnr", fuzz_draw_has_targets(d->blocks) ? 0 : 13); }

/* Goes with neither PSNR targets, regions nor HT. */
static void draw_rdoq(fuzz_draw *d)
{
    if (!d->is_ht && !fuzz_case_get(d->c, "psnr") && !fuzz_case_get(d->c, "roi") && fuzz_draw_chance(d, 30)) {
        fuzz_case_set(d->c, "rdoq", "yes");
    }
}

static void draw_ht_passes(fuzz_draw *d)
{
    if (d->is_ht && fuzz_draw_wants(d)) {
        say(d, "ht-passes", fuzz_draw_between(d, 1, 3));
    }
}

/* Goes with every target but a PSNR, and with no X'Y'Z'. */
static void draw_visual(fuzz_draw *d)
{
    const char *preset = fuzz_case_get(d->c, "preset");
    if (!fuzz_case_get(d->c, "psnr") && !d->is_converted && !(preset && !strncmp(preset, "dci-", 4))) {
        say_bool(d, "visual", 25);
    }
}

/* Half of them as they are checked most sharply; most others are small enough to be measured too. */
static void draw_measure_psnr(fuzz_draw *d)
{
    uint32_t kind = fuzz_draw_between(d, 0, 19);
    if (kind < 13) {
        fuzz_case_set(d->c, "measure-psnr", kind < 10 ? "yes" : "no");
    }
}

static void draw_slopes(fuzz_draw *d) { draw_target(d, "slopes", 15); }

static void draw_layers(fuzz_draw *d)
{
    d->layers = d->targets ? d->targets : 1;
    if (d->blocks == FUZZ_BLOCKS_LAYERS) { /* a device takes 64 at most */
        d->layers += fuzz_draw_between(d, d->targets < 2, fuzz_draw_chance(d, 10) ? 56 : 5);
        say(d, "layers", d->layers);
    } else if (!d->is_ht && !fuzz_draw_is_part1(d) && fuzz_draw_wants(d)) {
        uint32_t kind = fuzz_draw_between(d, 1, 200);
        d->layers += kind == 1 && d->tiles < 4 && d->shape.count < 6 ? fuzz_draw_between(d, 100, 1100)
                                                                     : fuzz_draw_between(d, 0, kind <= 20 ? 40 : 5);
        say(d, "layers", d->layers);
    }
}

static void draw_max_bytes(fuzz_draw *d)
{
    if (d->density && fuzz_draw_chance(d, fuzz_draw_has_targets(d->blocks) ? 30 : 10)) {
        fuzz_case_set(d->c, "max-bytes", "%.0f",
                      least_bytes(d) * (1.0 + d->layers / 8.0) + d->raw_bytes * draw_share(d));
    }
}

static void draw_max_component_bytes(fuzz_draw *d)
{
    if (d->density && fuzz_draw_chance(d, 6)) {
        fuzz_case_set(d->c, "max-component-bytes", "%.0f",
                      least_bytes(d) * (1.0 + d->layers / 8.0) / d->shape.count + 200.0 +
                          d->raw_bytes / d->shape.count * draw_share(d));
    }
}

/* ---- Output ---------------------------------------------------------------------------------- */

static void draw_jp2_words(fuzz_draw *d)
{
    static const char *const extras[] = {"res", "resd", "xml", "uuid", "unknown"};
    char words[128] = "auto";
    uint32_t count = d->shape.count, kind = fuzz_draw_between(d, 0, 5);
    const fuzz_plane *first = &d->shape.planes[0];
    size_t n = 0;
    if (count > 4) {
        n = (size_t)snprintf(words, sizeof words, kind < 3 ? "srgb" : "sycc");
    } else if (count == 1 && kind < 2 && !first->is_signed && first->depth <= 10) {
        n = (size_t)snprintf(words, sizeof words, "palette");
    } else if (!(count & 1) && kind < 2) {
        n = (size_t)snprintf(words, sizeof words, kind ? "alpha" : "premultiplied");
    } else {
        n = (size_t)snprintf(words, sizeof words,
                             kind == 2   ? "icc"
                             : kind == 3 ? (count < 3 ? "grey" : "sycc")
                                         : "auto");
    }
    for (uint32_t i = 0; i < 5; i++) {
        if (fuzz_draw_chance(d, 20)) {
            n += (size_t)snprintf(words + n, sizeof words - n, "+%s", extras[i]);
        }
    }
    fuzz_case_set(d->c, "jp2", "%s", words);
}

static void draw_container(fuzz_draw *d)
{
    if (!d->is_converted && fuzz_draw_chance(d, 30)) {
        fuzz_case_set(d->c, "container", d->is_ht ? "jph" : "jp2");
        draw_jp2_words(d);
    }
}

static void draw_comment(fuzz_draw *d)
{
    char text[300];
    if (!fuzz_draw_chance(d, 15)) {
        return;
    }
    uint32_t length = fuzz_draw_between(d, 1, fuzz_draw_chance(d, 80) ? 30 : 299);
    for (uint32_t i = 0; i < length; i++) {
        text[i] = (char)(fuzz_draw_chance(d, 90) ? fuzz_draw_between(d, 0x20, 0x7E) : fuzz_draw_between(d, 0xA0, 0xFF));
    }
    text[length] = 0;
    fuzz_case_add(d->c, "comment", text);
    if (fuzz_draw_chance(d, 30)) {
        fuzz_case_add(d->c, "comment", "and another one");
    }
}

/* ---- Table ----------------------------------------------------------------------------------- */

/* In the order in which they depend on each other. Several keys may share a generator: those without one are drawn with
 * their neighbour. */
static const struct {
    const char *key;
    void (*draw)(fuzz_draw *d);
} generators[] = {
    {"input-color", fuzz_draw_color},
    {"input-transfer", NULL},
    {"input-range", NULL},
    {"reversible", draw_reversible},
    {"levels", draw_levels},
    {"mct", draw_mct},
    {"profile", draw_profile},
    {"tile", draw_tile},
    {"tile-offset", NULL},
    {"block", draw_block},
    {"precincts", draw_precincts},
    {"style", draw_style},
    {"progression", draw_progression},
    {"tile-parts", draw_tile_parts},
    {"sop", draw_sop},
    {"eph", draw_eph},
    {"tlm", draw_tlm},
    {"packed-headers", draw_packed},
    {"plt", draw_plt},
    {"plm", draw_plm},
    {"registration", draw_registration},
    {"quantization", draw_quantization},
    {"step", draw_step},
    {"guard-bits", draw_guard_bits},
    {"distortion-bits", draw_distortion_bits},
    {"overrides", fuzz_draw_overrides},
    {"roi", fuzz_draw_regions},
    {"rates", draw_rates},
    {"bpp", draw_bpp},
    {"layer-bytes", draw_layer_bytes},
    {"psnr", draw_psnr},
    {"rdoq", draw_rdoq},
    {"slopes", draw_slopes},
    {"layers", draw_layers},
    {"progression-changes", draw_changes},
    {"max-bytes", draw_max_bytes},
    {"max-component-bytes", draw_max_component_bytes},
    {"measure-psnr", draw_measure_psnr},
    {"container", draw_container},
    {"comment", draw_comment},
    {"frame-rate", fuzz_draw_frame_rate},
    {"stereo", NULL},
    {"hfr", NULL},
    {"main-level", NULL},
    {"sub-level", NULL},
    {"device", fuzz_draw_device},
    {"qfactor", draw_qfactor}, /* the last ones, so that seeds go on to draw what they did */
    {"visual", draw_visual},
    {"ht-passes", draw_ht_passes},
    {"reach", fuzz_draw_reach},
    {"output-memory", fuzz_draw_output_memory},
    {"device-memory", fuzz_draw_device_memory},
};
#define GENERATORS (sizeof generators / sizeof generators[0])

int fuzz_draw_knows(const char *key)
{
    size_t i = 0;
    while (i < GENERATORS && strcmp(generators[i].key, key) != 0) {
        i++;
    }
    return i < GENERATORS;
}

static void draw_case(uint64_t seed, const fuzz_folder *folder, fuzz_blocks blocks, int only_presets, fuzz_case *c)
{
    static const uint32_t densities[] = {10, 30, 30, 55, 80};
    fuzz_draw d = {.random = {seed * UINT64_C(0xD1342543DE82EF95) + 7},
                   .c = c,
                   .folder = folder,
                   .levels = 5,
                   .layers = 1,
                   .tiles = 1,
                   .profile = -1,
                   .seed = seed,
                   .blocks = blocks,
                   .only_presets = only_presets};
    c->count = 0;
    fuzz_draw_picture(&d);
    d.density = densities[fuzz_draw_between(&d, 0, 4)];
    if (blocks == FUZZ_BLOCKS_ANY && fuzz_draw_preset(&d)) {
        draw_container(&d);
        draw_comment(&d);
        fuzz_draw_frame_rate(&d);
        fuzz_draw_device(&d);
        return;
    }
    for (size_t i = 0; i < GENERATORS; i++) {
        if (generators[i].draw) {
            generators[i].draw(&d);
        }
    }
}

void fuzz_draw_case_of(uint64_t seed, const fuzz_folder *folder, fuzz_blocks blocks, fuzz_case *c)
{
    draw_case(seed, folder, blocks, 0, c);
}

void fuzz_draw_case(uint64_t seed, const fuzz_folder *folder, fuzz_case *c)
{
    draw_case(seed, folder, FUZZ_BLOCKS_ANY, 0, c);
}

void fuzz_draw_preset_case(uint64_t seed, const fuzz_folder *folder, fuzz_case *c)
{
    draw_case(seed, folder, FUZZ_BLOCKS_ANY, 1, c);
}

void fuzz_draw_estimate_case(uint64_t seed, fuzz_case *c)
{
    static const char *const components[] = {"8u", "3*8u", "3*12u", "16u"};
    static const char *const kept[] = {"at", "layouts", "threads", "block", "style", "progression"};
    static fuzz_case drawn;
    fuzz_draw d = {.random = {seed * UINT64_C(0xD1342543DE82EF95) + 11}, .c = c, .seed = seed};
    draw_case(seed, NULL, FUZZ_BLOCKS_ANY, 0, &drawn);
    c->count = 0;
    fuzz_case_set(c, "picture", "natural");
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        if (fuzz_case_get(&drawn, kept[i])) {
            fuzz_case_set(c, kept[i], "%s", fuzz_case_get(&drawn, kept[i]));
        }
    }
    fuzz_case_set(c, "size", "%u,%u", fuzz_draw_between(&d, 100, 240), fuzz_draw_between(&d, 100, 200));
    fuzz_case_set(c, "components", "%s", components[fuzz_draw_between(&d, 0, 3)]);
    fuzz_case_set(c, "reversible", "no");
    fuzz_case_set(c, "rates", "%u", fuzz_draw_between(&d, 4, 30));
    fuzz_case_set(c, "measure-psnr", "no");
}
