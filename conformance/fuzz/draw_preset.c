/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours to convert from, presets and the pictures that they are for, and what profiles count with. */
#include <stdio.h>
#include <string.h>

#include "color.h"
#include "draw.h"

/* ---- Colour ---------------------------------------------------------------------------------- */

static void draw_transfer(fuzz_draw *d)
{
    static const char *const transfers[] = {"linear", "2.2", "2.4", "2.6", "bt1886", "srgb"};
    if (fuzz_draw_chance(d, 40)) {
        fuzz_case_set(d->c, "input-transfer", "%s", transfers[fuzz_draw_between(d, 0, 5)]);
    }
}

/* JP2 has no words for what comes out. */
static void set_color(fuzz_draw *d, uint32_t kind)
{
    static const char *const words[] = {"rec709", "srgb",   "rec601-525", "rec601-625", "rec2020",
                                        "p3-dci", "p3-d60", "p3-d65",     "display-p3"};
    if (kind == 0) {
        fuzz_case_set(d->c, "input-color", "xyz");
    } else if (kind == 1) {
        fuzz_case_set(d->c, "tables", "%u", fuzz_draw_between(d, 0, 9999));
    } else {
        fuzz_case_set(d->c, "input-color", "%s", words[(kind - 2) % 9]);
        draw_transfer(d);
    }
    if (kind && fuzz_draw_chance(d, 30)) {
        fuzz_case_set(d->c, "input-range", "video");
    }
    d->is_converted = 1;
    for (unsigned i = 0; i < 3; i++) {
        d->shape.planes[i].depth = 12;
    }
}

void fuzz_draw_color(fuzz_draw *d)
{
    uint32_t kind = fuzz_draw_between(d, 0, 10);
    if (fuzz_color_can(&d->shape, kind == 0) && fuzz_draw_chance(d, 25)) {
        set_color(d, kind);
        fuzz_draw_measure(d);
    }
}

/* ---- Presets --------------------------------------------------------------------------------- */

/* Pictures that are taken; 0: the words behind the name are not for it. kb-master needs an ICC profile of two that are
 * not drawn here. */
static const struct {
    const char *name, *components[4];
    int is_moving;
} fits[] = {
    {"dci-", {"3*12u", "3*12u", "3*8u", "3*16u"}, 1},
    {"imf-ht-", {"3*8u", "3*10u", "8u,8u@2x1,8u@2x1", "3*16u"}, 0},
    {"imf-", {"3*8u", "3*10u", "8u,8u@2x1,8u@2x1", "3*16u"}, 1},
    {"broadcast-", {"3*8u", "10u", "10u,10u@2x1,10u@2x1", "4*12u"}, 1},
    {"kb-", {"3*8u", "3*8u", "3*8u", "3*8u"}, 0},
    {"ndnp", {"8u", "8u", "8u", "8u"}, 0},
    {"bl-", {"8u", "3*8u", "8u", "2*8u"}, 0},
    {"", {"8u", "3*8u", "3*16u", "16u"}, 0},
};

static size_t fit_of(const char *name)
{
    size_t i = 0;
    while (strncmp(name, fits[i].name, strlen(fits[i].name)) != 0) {
        i++;
    }
    return i;
}

static size_t print_words(fuzz_draw *d, const char *name, char *words, size_t room)
{
    static const char *const rates[] = {"24", "25", "30", "48", "60"};
    size_t n = (size_t)snprintf(words, room, "%s", name);
    if (fuzz_draw_chance(d, 70)) {
        n += (size_t)snprintf(words + n, room - n, "-%s", rates[fuzz_draw_between(d, 0, 4)]);
    }
    if (fuzz_draw_chance(d, 20)) {
        n += (size_t)snprintf(words + n, room - n, "-3d");
    }
    if (name[0] == 'd' && fuzz_draw_chance(d, 20)) {
        n += (size_t)snprintf(words + n, room - n, "-hfr");
    }
    if (name[0] != 'd' && fuzz_draw_chance(d, 60)) {
        n += (size_t)snprintf(words + n, room - n, "-m%u", fuzz_draw_between(d, 1, 11));
    }
    if (name[0] == 'i' && fuzz_draw_chance(d, 50)) {
        n += (size_t)snprintf(words + n, room - n, "-s1");
    }
    return n;
}

/* At the origin, of components that suit the preset. */
static void suit_picture(fuzz_draw *d, size_t fit)
{
    const char *components = fits[fit].components[fuzz_draw_between(d, 0, 3)];
    fuzz_case_drop_key(d->c, "offset");
    fuzz_case_set(d->c, "components", "%s", components);
    if (fits[fit].name[0] == 'd' && strcmp(components, "3*12u") != 0) {
        set_color(d, fuzz_draw_between(d, components[2] == '8' ? 1 : 0, 10));
    }
}

/* Presets for still pictures have targets below the headers of small crops. */
static void enlarge_picture(fuzz_draw *d)
{
    if (fuzz_draw_chance(d, 70)) {
        fuzz_case_set(d->c, "picture", "natural");
        fuzz_case_set(d->c, "size", "%u,%u", fuzz_draw_between(d, 200, 400), fuzz_draw_between(d, 200, 300));
    }
}

int fuzz_draw_suits_preset(const fuzz_case *c)
{
    uint32_t x = 0, y = 0;
    const char *components = fuzz_case_or(c, "components", "");
    size_t fit = fit_of(fuzz_case_or(c, "preset", ""));
    fuzz_case_pair(c, "offset", &x, &y);
    int is_converted = fuzz_case_get(c, "input-color") || fuzz_case_get(c, "tables");
    if (fits[fit].name[0] == 'd' && strcmp(components, "3*12u") != 0 && !is_converted) {
        return 0;
    }
    for (size_t i = 0; i < 4; i++) {
        if (!strcmp(fits[fit].components[i], components)) {
            return !x && !y;
        }
    }
    return 0;
}

int fuzz_draw_preset(fuzz_draw *d)
{
    char words[64];
    size_t count;
    const wvl_preset *presets = wvl_presets(&count);
    if (!d->only_presets && !fuzz_draw_chance(d, 5)) {
        return 0;
    }
    const char *name = presets[fuzz_draw_between(d, 0, (uint32_t)count - 1)].name;
    size_t fit = fit_of(name);
    snprintf(words, sizeof words, "%s", name);
    if (fuzz_draw_chance(d, 85)) {
        suit_picture(d, fit);
        if (fits[fit].is_moving) {
            (void)print_words(d, name, words, sizeof words);
        } else {
            enlarge_picture(d);
        }
    }
    fuzz_case_set(d->c, "preset", "%s", words);
    if (!strncmp(name, "imf-", 4) &&
        strstr(name, "-r")) { /* levels by the tile, which is no greater than the picture */
        fuzz_case_set(d->c, "levels", "%u", fuzz_draw_between(d, 1, 4));
    }
    if (fuzz_draw_chance(d, 20)) {
        fuzz_case_set(d->c, "max-bytes", "%u", fuzz_draw_between(d, 3000, 40000));
    }
    return 1;
}

/* ---- Rates ----------------------------------------------------------------------------------- */

/* Draws what a rate is counted from; without a profile that has limits these change nothing. */
void fuzz_draw_frame_rate(fuzz_draw *d)
{
    static const char *const rates[] = {"24", "25", "30", "48", "24000/1001", "59.94"};
    if (fuzz_draw_chance(d, 3)) {
        fuzz_case_set(d->c, "frame-rate", "%s", rates[fuzz_draw_between(d, 0, 5)]);
    }
    if (fuzz_draw_chance(d, 3)) {
        fuzz_case_set(d->c, fuzz_draw_chance(d, 50) ? "stereo" : "hfr", "yes");
    }
    if (fuzz_draw_chance(d, 2)) {
        fuzz_case_set(d->c, "main-level", "%u", fuzz_draw_between(d, 0, 11));
        fuzz_case_set(d->c, "sub-level", "%u", fuzz_draw_between(d, 0, 9));
    }
}
