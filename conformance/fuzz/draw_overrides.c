/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of single tiles and components, and regions of interest. */
#include <stdio.h>
#include <string.h>

#include "draw.h"

typedef struct entry {
    char *text;
    size_t room, used;
    int for_tiles, for_components, joins; /* joins: it may part components that are transformed or converted together */
} entry;

static void say(entry *e, const char *format, uint32_t a, uint32_t b)
{
    int n = snprintf(e->text + e->used, e->room - e->used, format, a, b);
    e->used += n > 0 && (size_t)n < e->room - e->used ? (size_t)n : 0;
}

static void draw_scope(fuzz_draw *d, entry *e)
{
    e->for_tiles = d->tiles > 1 && fuzz_draw_chance(d, 60);
    e->for_components = !e->for_tiles || fuzz_draw_chance(d, 40);
    e->joins = 0;
    if (e->for_tiles) {
        uint32_t first = fuzz_draw_between(d, 1, d->tiles);
        say(e, "T%u-%u", first, fuzz_draw_between(d, first, d->tiles));
    }
    if (e->for_components) {
        uint32_t first = fuzz_draw_between(d, 0, d->shape.count - 1);
        say(e, "C%u-%u", first, fuzz_draw_between(d, first, d->shape.count - 1));
        e->joins = first < 3 && (d->is_converted || fuzz_case_is_on(d->c, "mct"));
    }
}

/* Guard bits come first in every entry: those of the options may not fit the other wavelet or the levels of this one.
 */
static void draw_quantization(fuzz_draw *d, entry *e)
{
    int deep = d->shape.planes[0].depth >= 28;
    say(e, ":guard-bits=%u", fuzz_draw_between(d, 1, 4), 0);
    if (!e->joins && !deep && fuzz_draw_chance(d, 20)) {
        say(e, fuzz_draw_chance(d, 50) ? ";reversible=yes" : ";reversible=no", 0, 0);
    }
    int tells = strcmp(fuzz_case_or(d->c, "distortion-bits", "6"), "0") !=
                0; /* else nothing is known of what a coarse step leaves out */
    if (tells && fuzz_draw_chance(d, 20)) {
        say(e, ";step=0.%04u", fuzz_draw_between(d, 5, 600), 0);
    }
    if (fuzz_draw_chance(d, 20)) {
        say(e, fuzz_draw_chance(d, 50) ? ";quantization=derived" : ";quantization=expounded", 0, 0);
    }
}

static void draw_structure(fuzz_draw *d, entry *e)
{
    if (!e->joins && fuzz_draw_chance(d, 40)) {
        uint32_t levels = fuzz_draw_between(d, 0, 6);
        say(e, ";levels=%u", levels, 0);
        d->levels = levels > d->levels ? levels : d->levels;
        say(e, ";precincts=[%u,%u]", 1u << fuzz_draw_between(d, 3, 8), 1u << fuzz_draw_between(d, 3, 8));
    }
    if (fuzz_draw_chance(d, 40)) {
        say(e, ";block=%u,%u", 1u << fuzz_draw_between(d, 2, 6), 1u << fuzz_draw_between(d, 2, 6));
    }
    if (fuzz_draw_chance(d, 40)) {
        say(e, ";style=%u", d->is_ht ? 64 + (fuzz_draw_between(d, 0, 1) << 3) : fuzz_draw_between(d, 0, 63), 0);
    }
}

static void draw_tile_coding(fuzz_draw *d, entry *e)
{
    static const char *const orders[] = {";progression=LRCP", ";progression=RLCP", ";progression=RPCL",
                                         ";progression=PCRL", ";progression=CPRL"};
    if (fuzz_draw_chance(d, 50)) {
        say(e, orders[fuzz_draw_between(d, 0, 4)], 0, 0);
    }
    if (fuzz_draw_chance(d, 50)) {
        say(e, ";sop=%u;eph=%u", fuzz_draw_between(d, 0, 1), fuzz_draw_between(d, 0, 1));
    }
    if (fuzz_draw_chance(d, 30)) {
        say(e, fuzz_draw_chance(d, 50) ? ";mct=auto" : ";mct=off", 0, 0);
    }
}

void fuzz_draw_overrides(fuzz_draw *d)
{
    char list[FUZZ_MAX_VALUE] = "";
    uint32_t count = fuzz_draw_between(d, 1, 4);
    entry e = {list, sizeof list, 0, 0, 0, 0};
    if (d->profile >= 0 || !fuzz_draw_wants(d) || !fuzz_draw_chance(d, 50)) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        say(&e, i ? "/" : "", 0, 0);
        draw_scope(d, &e);
        draw_quantization(d, &e);
        draw_structure(d, &e);
        if (e.for_tiles && !e.for_components) {
            draw_tile_coding(d, &e);
        }
    }
    fuzz_case_set(d->c, "overrides", "%s", list);
}

/* ---- Regions --------------------------------------------------------------------------------- */

static void draw_rectangle(fuzz_draw *d, entry *e)
{
    const fuzz_picture *p = &d->shape;
    say(e, "rect=%u,%u,", fuzz_draw_between(d, p->x0, p->x1 - 1), fuzz_draw_between(d, p->y0, p->y1 - 1));
    say(e, "%u,%u", fuzz_draw_between(d, 1, p->x1 - p->x0), fuzz_draw_between(d, 1, p->y1 - p->y0));
}

/* Shifts that decoders carry: of deeper samples whole components alone. */
void fuzz_draw_regions(fuzz_draw *d)
{
    char list[FUZZ_MAX_VALUE] = "";
    uint32_t count = fuzz_draw_between(d, 1, 3), far = d->shape.x1 > INT32_MAX || d->shape.y1 > INT32_MAX;
    entry e = {list, sizeof list, 0, 0, 0, 0};
    if (d->is_ht || !fuzz_draw_wants(d) || !fuzz_draw_chance(d, 40)) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        say(&e, i ? "/" : "", 0, 0);
        if (fuzz_draw_chance(d, 40)) {
            draw_scope(d, &e);
            say(&e, ":", 0, 0);
        }
        if (far || d->shape.planes[0].depth > 10 || fuzz_draw_chance(d, 30)) {
            say(&e, "U=%u", fuzz_draw_between(d, 1, 5), 0);
        } else {
            draw_rectangle(d, &e);
        }
    }
    fuzz_case_set(d->c, "roi", "%s", list);
}
