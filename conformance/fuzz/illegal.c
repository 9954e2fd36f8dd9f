/* SPDX-License-Identifier: BSD-2-Clause */
#include "illegal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include "draw.h"
#include "run.h"

/* ---- What options cannot say ---------------------------------------------------------------- */

typedef struct scene {
    wvl_image_format format;
    wvl_component_format components[16385];
    fuzz_boxes boxes;
} scene;

static void no_component(scene *s) { s->format.component_count = 0; }
static void many_components(scene *s) { s->format.component_count = 16385; }
static void no_depth(scene *s) { s->components[0].depth = 0; }
static void great_depth(scene *s) { s->components[0].depth = 39; }
static void no_width(scene *s) { s->format.x1 = s->format.x0; }
static void no_height(scene *s) { s->format.y1 = s->format.y0; }
static void turned_round(scene *s) { s->format.x1 = s->format.x0 - 1; }
static void many_entries(scene *s) { s->boxes.info.palette_entries = 1025; }
static void no_columns(scene *s) { s->boxes.info.palette_columns = 0; }
static void deep_palette(scene *s) { s->boxes.info.palette_depth = 17; }
static void great_entry(scene *s) { s->boxes.palette[7] = 256; }
static void no_palette_data(scene *s) { s->boxes.info.palette = NULL; }
static void odd_channel(scene *s) { s->boxes.types[0] = 7; }
static void two_opacities(scene *s) { s->boxes.types[0] = WVL_CHANNEL_OPACITY; }
static void more_channels(scene *s) { s->boxes.info.channel_count++; }
static void odd_colour(scene *s) { s->boxes.info.color = (wvl_color)12; }
static void short_profile(scene *s) { s->boxes.info.icc_bytes = 100; }
static void cut_profile(scene *s) { s->boxes.info.icc_bytes--; }
static void profile_class(scene *s) { memcpy(s->boxes.profile + 12, "prtr", 4); }
static void profile_space(scene *s) { memcpy(s->boxes.profile + 20, "Lab ", 4); }
static void profile_colours(scene *s) { memcpy(s->boxes.profile + 16, "CMYK", 4); }
static void profile_table(scene *s) { memcpy(s->boxes.profile + 132 + 12, "A2B0", 4); }
static void negative_resolution(scene *s) { s->boxes.info.capture_x_per_metre = -1.0; }
static void half_resolution(scene *s) { s->boxes.info.display_y_per_metre = 0.0; }
static void odd_box(scene *s) { s->boxes.boxes[0].type = 0x66726565; }
static void empty_xml(scene *s) { s->boxes.boxes[0].bytes = 0; }
static void box_without_data(scene *s) { s->boxes.boxes[0].data = NULL; }

/* ---- Rules ----------------------------------------------------------------------------------- */

typedef struct rule {
    const char *name, *set, *expect;
    void (*spoil)(scene *s);
} rule;

#define JP2 "container=jp2 components="
#define DCI "preset=dci-2k size=2000,1000 components=3*12u "

static const rule rules[] = {
    /* words and numbers */
    {"unknown-key", "levles=3", "levels", NULL},
    {"bool", "sop=maybe", "yes or no", NULL},
    {"levels", "levels=33", "0 to 32", NULL},
    {"levels-text", "levels=five", "0 to 32", NULL},
    {"block-area", "block=128,64", "A.6.1", NULL},
    {"block-power", "block=48,64", "A.6.1", NULL},
    {"block-small", "block=2,64", "4 to 1024", NULL},
    {"block-large", "block=2048,4", "4 to 1024", NULL},
    {"block-one", "block=64", "two whole numbers", NULL},
    {"precinct-power", "precincts=[48,64]", "A.6.1", NULL},
    {"precinct-large", "precincts=[65536,64]", "32768", NULL},
    {"precinct-text", "precincts=64,64", "[width,height]", NULL},
    {"precinct-many",
     "levels=32 "
     "precincts=[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],["
     "8,8],[8,8],[8,8],[8,8],"
     "[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8],[8,8]",
     "A.6.1", NULL},
    {"style-number", "style=200", "Table A.19", NULL},
    {"style-ht", "style=65", "15444-15 A.4", NULL},
    {"ht-jp2", "style=HT components=8u container=jp2", "15444-15 Annex D", NULL},
    {"ht-missing", "style=0 components=8u container=jph", "15444-15 Annex D", NULL},
    {"ht-layers", "style=HT layers=2", "one layer", NULL},
    {"ht-profile", "style=HT profile=1 levels=8 block=64,64", "A.10", NULL},
    {"ht-region", "style=HT roi=rect=0,0,9,9", "roi", NULL},
    {"rdoq-psnr", "reversible=no rdoq=yes psnr=40", "rdoq", NULL},
    {"rdoq-region", "reversible=no rdoq=yes bpp=1 roi=rect=0,0,9,9", "rdoq", NULL},
    {"ht-passes", "style=HT ht-passes=4", "1 to 3", NULL},
    {"ht-passes-alone", "reversible=no bpp=1 ht-passes=1", "ht-passes 1", NULL},
    {"rdoq-ht", "style=HT reversible=no rdoq=yes", "rdoq", NULL},
    {"visual-psnr", "reversible=no visual=yes psnr=40", "visual", NULL},
    {"visual-xyz", "components=3*12u reversible=no visual=yes input-color=xyz", "visual", NULL},
    {"visual-text", "visual=1700", "yes or no", NULL},
    {"roi-text", "components=8u roi=0,0,9,9", "roi", NULL},
    {"overrides-order", "components=8u overrides=C0:progression=RPCL", "overrides", NULL},
    {"ht-single", "style=HT overrides=C0:style=0", "all blocks", NULL},
    {"style-word", "style=BYPASS+FAST", "Table A.19", NULL},
    {"style-twice", "style=RESET+2", "twice", NULL},
    {"progression", "progression=LRPC", "LRCP|RLCP", NULL},
    {"parts-letter", "tile-parts=P", "R, L, C", NULL},
    {"parts-twice", "tile-parts=RR", "R, L, C", NULL},
    {"packed", "packed-headers=plt", "none|ppm|ppt", NULL},
    {"quantization", "quantization=implicit", "derived|expounded", NULL},
    {"guard-bits", "guard-bits=8", "0 to 7", NULL},
    {"step", "step=1", "less than 1", NULL},
    {"step-sign", "step=-0.1", "step", NULL},
    {"distortion-bits", "distortion-bits=9", "0 to 8", NULL},
    {"target-sign", "bpp=-1", "negative", NULL},
    {"target-text", "rates=10,fast", "expected a number", NULL},
    {"slope", "slopes=65536", "65535", NULL},
    {"half-a-byte", "layer-bytes=1000.5", "whole", NULL},
    {"no-layer", "layers=0", "1 to 65535", NULL},
    {"many-layers", "layers=65536", "1 to 65535", NULL},
    {"cap-sign", "max-bytes=-5", "whole number", NULL},
    {"registration", "registration=[65536,0]", "A.9.1", NULL},
    {"container", "container=tiff", "j2k|jp2", NULL},
    {"profile", "profile=7", "none|0|1", NULL},
    {"tile-text", "tile=64x64", "two whole numbers", NULL},
    {"changes-text", "progression-changes=0,0,1,6,1", "A.6.6", NULL},
    {"changes-order", "progression-changes=0,0,1,6,1,LRPC", "LRCP, RLCP", NULL},
    {"changes-resolution", "progression-changes=0,0,1,34,1,LRCP", "A.6.6", NULL},
    {"changes-no-tile", "progression-changes=T0=0,0,1,6,1,LRCP", "1 to 65535", NULL},
    /* the grid */
    {"no-width", "offset=5,6", "B-2", no_width},
    {"no-height", "offset=5,6", "B-2", no_height},
    {"turned-round", "offset=5,6", "B-2", turned_round},
    {"tile-beyond", "offset=9,9 tile=64000,64000 tile-offset=10,9", "B-3", NULL},
    {"tile-side", "tile=64,0", "A.5.1", NULL},
    {"first-tile", "offset=1000,1000 tile=1000,4000 tile-offset=0,0", "B-4", NULL},
    {"many-tiles", "tile=64,64", "A.4.2", NULL},
    {"no-component", "", "A.5.1", no_component},
    {"many-components", "", "A.5.1", many_components},
    {"no-depth", "", "1 to 38", no_depth},
    {"great-depth", "", "1 to 38", great_depth},
    {"deep", "components=29u", "need HT blocks", NULL},
    {"deeper", "components=33u style=HT", "up to 32", NULL},
    {"no-sample", "size=3,3 offset=1,1 components=8u,8u@255x1", "B-2", NULL},
    /* options against each other and the picture */
    {"mct-one", "components=8u mct=on", "G.2", NULL},
    {"mct-depth", "components=8u,9u,8u mct=on", "G.2", NULL},
    {"mct-sign", "components=8u,8u,8s mct=on", "G.2", NULL},
    {"mct-steps", "components=8u,2*8u@2x2 mct=on", "G.2", NULL},
    {"guard-none", "reversible=no guard-bits=0", "E-2", NULL},
    {"mantissa", "components=3*28u reversible=yes mct=on guard-bits=2", "31 can be carried", NULL},
    {"precincts-levels", "levels=1 precincts=[64,64],[64,64],[64,64]", "3 precinct sizes for 2", NULL},
    {"precinct-one", "levels=2 precincts=[64,64],[1,1]", "B.6", NULL},
    {"targets-layers", "layers=1 bpp=1,2", "2 layer targets for 1", NULL},
    {"targets-fall", "layers=2 psnr=40,30", "must improve", NULL},
    {"targets-slopes", "layers=2 slopes=30000,40000", "must improve", NULL},
    {"targets-all", "layers=2 bpp=0,2", "not the last", NULL},
    {"parts-many", "components=8u levels=5 layers=100 progression=LRCP tile-parts=R", "A.4.2", NULL},
    {"parts-components", "components=300*8u progression=CPRL tile-parts=C", "A.4.2", NULL},
    {"changes-empty-resolutions", "levels=5 layers=1 progression-changes=3,0,1,3,1,LRCP", "A.6.6", NULL},
    {"changes-empty-components", "components=3*8u levels=5 layers=1 progression-changes=0,2,1,6,2,LRCP", "A.6.6", NULL},
    {"changes-layers", "levels=5 layers=2 progression-changes=0,0,3,6,256,LRCP", "A.6.6", NULL},
    {"changes-tile", "levels=5 layers=1 progression-changes=T2=0,0,1,6,256,LRCP", "A.4.2", NULL},
    {"changes-resolutions-missing", "components=3*8u levels=5 layers=1 progression-changes=0,0,1,5,3,LRCP", "A.6.6",
     NULL},
    {"changes-components-missing", "components=3*8u levels=5 layers=1 progression-changes=0,0,1,6,2,LRCP", "A.6.6",
     NULL},
    {"changes-layers-missing", "components=3*8u levels=5 layers=2 progression-changes=0,0,1,6,3,LRCP/0,1,2,6,3,LRCP",
     "A.6.6", NULL},
    {"changes-end", "components=3*8u levels=5 layers=1 progression-changes=0,0,1,6,257,LRCP", "A.6.6", NULL},
    {"ppm-plt", "packed-headers=ppm plt=yes", "A.7.", NULL},
    {"ppt-plm", "packed-headers=ppt plm=yes", "A.7.", NULL},
    {"plm-packets", "components=3*8u levels=5 layers=20 plm=yes", "A.7.2", NULL},
    {"overrides-scope", "overrides=levels=3", "expected T", NULL},
    {"overrides-key", "overrides=C0:layers=3", "expected one of", NULL},
    {"overrides-tile", "overrides=T2:levels=3", "A.4.2", NULL},
    {"overrides-component", "components=3*8u overrides=C3:levels=3", "A.6.2", NULL},
    {"overrides-joined", "components=3*8u reversible=yes mct=on overrides=C1:reversible=no", "G.2", NULL},
    {"overrides-block", "overrides=C0:block=128,64", "A.6.1", NULL},
    {"roi-shift", "roi=c=0,U=256", "A.6.3", NULL},
    {"roi-none", "roi=c=0", "A.6.3", NULL},
    {"roi-low", "components=8u roi=rect=0,0,9,9;U=9", "H.2", NULL},
    {"roi-high", "components=8u guard-bits=2 roi=rect=0,0,9,9;U=25", "H.2", NULL},
    {"roi-deep", "components=16u roi=rect=0,0,9,9", "H.2", NULL},
    {"roi-component", "components=3*8u roi=c=3,U=4", "A.6.2", NULL},
    {"roi-tile", "components=8u roi=T2:U=4", "A.4.2", NULL},
    {"roi-outside", "roi=rect=20000,0,5,5", "B.2", NULL},
    {"registration-count", "components=3*8u registration=[1,1],[2,2]", "A.9.1", NULL},
    /* colour */
    {"color-word", "input-color=cmyk", "none|xyz|rec709", NULL},
    {"color-transfer", "input-transfer=2.3", "auto|linear", NULL},
    {"color-two", "components=2*8u input-color=srgb", "needs three", NULL},
    {"color-signed", "components=8u,8s,8u input-color=srgb", "unsigned", NULL},
    {"color-shallow", "components=3*7u input-color=srgb", "8 to 16", NULL},
    {"color-deep", "components=3*17u input-color=srgb", "8 to 16", NULL},
    {"color-mixed", "components=8u,8u,9u input-color=srgb", "8 to 16", NULL},
    {"color-xyz", "components=3*10u input-color=xyz", "12 to 16", NULL},
    {"color-steps", "components=8u,2*8u@2x2 input-color=rec709", "subsampled", NULL},
    {"color-jp2", "components=3*8u input-color=rec709 container=jp2", "I.5.3.3", NULL},
    {"color-lone-transfer", "components=3*8u input-transfer=2.2", "belong to", NULL},
    {"color-lone-range", "components=3*8u input-range=video", "belong to", NULL},
    {"color-xyz-range", "components=3*12u input-color=xyz input-range=video", "belong to", NULL},
    {"color-no-tables", "components=3*8u input-color=custom", "wvl_params_set_color", NULL},
    {"color-two-curves", "components=3*8u tables=1 input-transfer=2.2", "curves already", NULL},
    /* presets: what else is set comes behind them. Those that begin with one are found to break one rule alone. */
    {"preset-name", "preset=dci-3k", "unknown preset", NULL},
    {"preset-word", "preset=dci-2k-fast", "words are a frame rate", NULL},
    {"preset-rate", DCI "frame-rate=24000/1001", "DCSS 2.1.1", NULL},
    {"preset-offset", DCI "offset=2,0 size=2000,1000", "both must be 0,0", NULL},
    {"preset-order", DCI "progression=LRCP", "CPRL is required", NULL},
    {"preset-layers", DCI "layers=2", "one is required", NULL},
    {"preset-parts", DCI "tile-parts=none", "divided by component", NULL},
    {"preset-tlm", DCI "tlm=no", "must have TLM", NULL},
    {"preset-packed", DCI "packed-headers=ppt", "packed packet headers", NULL},
    {"preset-block", DCI "block=64,64", "32,32 is required", NULL},
    {"preset-style", DCI "style=BYPASS", "style 1", NULL},
    {"preset-precincts", DCI "precincts=[128,128]", "precincts must be", NULL},
    {"preset-wavelet", DCI "reversible=yes", "reversible yes", NULL},
    {"preset-mct", DCI "mct=off", "ST 429-4", NULL},
    {"preset-tile", DCI "tile=1024,1024", "one tile", NULL},
    {"preset-width", DCI "size=2049,1000", "at most 2048,1080", NULL},
    {"preset-height", DCI "size=2000,1081", "at most 2048,1080", NULL},
    {"preset-depth", "components=3*10u size=2000,1000 preset=dci-2k", "12 bits unsigned", NULL},
    {"preset-components", "components=12u size=2000,1000 preset=dci-2k", "three are required", NULL},
    {"preset-frame", DCI "max-bytes=1302084", "at most 1302083", NULL},
    {"preset-component", DCI "max-component-bytes=1041667", "at most 1041666", NULL},
    {"preset-changes", "preset=dci-4k size=4000,2000 components=3*12u progression-changes=", "2K part first", NULL},
    {"preset-imf-level", "preset=imf-2k-24-m1-s2 size=960,540 components=3*10u", "main level 1 has at most 1", NULL},
    {"preset-imf-samples", "preset=imf-2k-48-m1 size=2048,1556 components=3*10u", "main level 1 allows", NULL},
    {"preset-imf-size", "preset=imf-2k size=2048,1557 components=3*10u", "2048,1556", NULL},
    {"preset-broadcast-tiles", "preset=broadcast-single size=1920,1080 components=3*10u tile=960,540",
     "one is required", NULL},
    {"preset-keep-container", "preset=bodleian size=2000,1000 components=3*8u container=j2k", "a JP2 file is required",
     NULL},
    {"preset-keep-depth", "preset=kb-access size=2000,1000 components=3*16u", "8 bits unsigned", NULL},
    {"preset-keep-xmp", "components=3*8u size=2000,1000 preset=kb-master", "XMP packet is missing", NULL},
    {"preset-keep-sop", "preset=bodleian size=2000,1000 components=3*8u sop=no", "both are required", NULL},
    /* profiles */
    {"profile0-steps", "profile=0 components=8u,8u@3x1 levels=8 block=64,64", "Table A.45", NULL},
    {"profile0-tile", "profile=0 tile=256,256 levels=8 block=64,64", "Table A.45", NULL},
    {"profile0-block", "profile=0 levels=8 block=16,16", "Table A.45", NULL},
    {"profile0-style", "profile=0 levels=8 block=64,64 style=VSC", "Table A.45", NULL},
    {"profile0-packed", "profile=0 levels=8 block=64,64 packed-headers=ppm", "Table A.45", NULL},
    {"profile0-lowest", "profile=0 levels=2 block=64,64", "Table A.45", NULL},
    {"profile1-block", "profile=1 levels=8 block=128,32", "Table A.45", NULL},
    {"profile1-tile", "profile=1 levels=8 tile=2000,4000 block=64,64", "Table A.45", NULL},
    {"profile1-extent", "profile=1 levels=8 offset=2147483000,0 block=64,64", "Table A.45", NULL},
    /* boxes */
    {"jp2-five", JP2 "5*8u jp2=auto", "I.5.3.3", NULL},
    {"jp2-colours", JP2 "2*8u jp2=srgb", "I.5.3.6", NULL},
    {"jp2-colour", JP2 "3*8u jp2=srgb", "I.5.3.3", odd_colour},
    {"jp2-signed-indices", JP2 "8s jp2=palette", "I.5.3.5", NULL},
    {"jp2-entries", JP2 "8u jp2=palette", "I.5.3.4", many_entries},
    {"jp2-columns", JP2 "8u jp2=palette", "I.5.3.4", no_columns},
    {"jp2-palette-depth", JP2 "8u jp2=palette", "1 to 16", deep_palette},
    {"jp2-palette-value", JP2 "8u jp2=palette", "does not fit 8 bits", great_entry},
    {"jp2-palette-data", JP2 "8u jp2=palette", "no data", no_palette_data},
    {"jp2-channel", JP2 "4*8u jp2=alpha", "I.5.3.6", odd_channel},
    {"jp2-opacities", JP2 "4*8u jp2=alpha", "I.5.3.6", two_opacities},
    {"jp2-channels", JP2 "4*8u jp2=alpha", "channels", more_channels},
    {"jp2-icc-short", JP2 "3*8u jp2=icc", "ICC profile", short_profile},
    {"jp2-icc-cut", JP2 "3*8u jp2=icc", "size field", cut_profile},
    {"jp2-icc-class", JP2 "3*8u jp2=icc", "I.5.3.3", profile_class},
    {"jp2-icc-space", JP2 "3*8u jp2=icc", "I.5.3.3", profile_space},
    {"jp2-icc-colours", JP2 "3*8u jp2=icc", "I.5.3.3", profile_colours},
    {"jp2-icc-table", JP2 "3*8u jp2=icc", "I.5.3.3", profile_table},
    {"jp2-icc-grey", JP2 "3*8u jp2=icc+grey", "I.5.3.3", NULL},
    {"jp2-resolution", JP2 "3*8u jp2=res", "I.5.3.7", negative_resolution},
    {"jp2-half-resolution", JP2 "3*8u jp2=resd", "I.5.3.7", half_resolution},
    {"jp2-box", JP2 "3*8u jp2=xml", "'xml '", odd_box},
    {"jp2-empty-xml", JP2 "3*8u jp2=xml", "I.7.1", empty_xml},
    {"jp2-box-data", JP2 "3*8u jp2=uuid", "no data", box_without_data},
};
#define RULES (sizeof rules / sizeof rules[0])

uint32_t fuzz_illegal_count(void) { return RULES; }

/* ---- Drawing --------------------------------------------------------------------------------- */

void fuzz_illegal_draw(uint64_t seed, uint32_t index, fuzz_case *c)
{
    /* What depends on the picture, or may be refused with others of these, leaves the stage. */
    static const char *const leave[] = {"picture",
                                        "at",
                                        "layouts",
                                        "preset",
                                        "input-color",
                                        "input-transfer",
                                        "input-range",
                                        "tables",
                                        "offset",
                                        "size",
                                        "tile",
                                        "tile-offset",
                                        "precincts",
                                        "progression-changes",
                                        "overrides",
                                        "roi",
                                        "rdoq",
                                        "visual",
                                        "ht-passes",
                                        "measure-psnr",
                                        "profile",
                                        "registration",
                                        "mct",
                                        "jp2",
                                        "container",
                                        "tile-parts",
                                        "plm",
                                        "quantization",
                                        "step",
                                        "qfactor",
                                        "guard-bits",
                                        "levels",
                                        "rates",
                                        "bpp",
                                        "layer-bytes",
                                        "psnr",
                                        "slopes",
                                        "layers",
                                        "plt",
                                        "packed-headers",
                                        "style",
                                        "max-bytes",
                                        "max-component-bytes"};
    static fuzz_case change;
    fuzz_draw_case(seed, NULL, c);
    if (strstr(rules[index].set, "preset=")) {
        c->count = 0; /* a preset's profile minds everything */
    }
    for (size_t i = 0; i < sizeof leave / sizeof leave[0]; i++) {
        fuzz_case_drop_key(c, leave[i]);
    }
    fuzz_case_set(c, "size", "20000,15000");
    if (!fuzz_case_parse(&change, rules[index].set)) {
        abort();
    }
    for (uint32_t i = 0; i < change.count; i++) {
        fuzz_case_set(c, change.pairs[i].key, "%s", change.pairs[i].value);
    }
    fuzz_case_set(c, "illegal", "%s", rules[index].name);
}

/* ---- Judging --------------------------------------------------------------------------------- */

static const rule *find(const char *name)
{
    for (size_t i = 0; i < RULES; i++) {
        if (!strcmp(rules[i].name, name)) {
            return &rules[i];
        }
    }
    return NULL;
}

static void set_scene(const fuzz_case *c, const fuzz_picture *p, scene *s)
{
    for (uint32_t i = 0; i < 16385; i++) { /* as many as a rule may ask for */
        const fuzz_plane *plane = &p->planes[i < p->count ? i : p->count - 1];
        s->components[i] = (wvl_component_format){plane->depth, plane->is_signed, plane->dx, plane->dy};
    }
    s->format = (wvl_image_format){sizeof s->format, p->x0, p->y0, p->x1, p->y1, p->count, s->components};
    fuzz_boxes_make(fuzz_case_or(c, "jp2", ""), p, &s->boxes);
}

static void fail(fuzz_verdict *v, const rule *r, const char *why, const fuzz_run *run)
{
    v->outcome = FUZZ_FAILED;
    snprintf(v->check, sizeof v->check, "illegal");
    snprintf(v->text, sizeof v->text, "%s: %s (expected \"%s\"): %s: %.300s", r ? r->name : "", why, r ? r->expect : "",
             wvl_status_text(run->status), run->error);
}

static void judge(const fuzz_case *c, const rule *r, const fuzz_picture *p, fuzz_verdict *v)
{
    static scene s;
    fuzz_run run;
    uint64_t picture_bytes = (uint64_t)(p->x1 - p->x0) * (p->y1 - p->y0);
    set_scene(c, p, &s);
    if (r->spoil) {
        r->spoil(&s);
    }
    fuzz_run_plan_of(c, &s.format, fuzz_case_get(c, "jp2") ? &s.boxes.info : NULL, &run);
    if (run.status != WVL_ERROR_PARAMETER && run.status != WVL_ERROR_UNSUPPORTED) {
        fail(v, r, "not refused", &run);
    } else if (!strstr(run.error, r->expect)) {
        fail(v, r, "refused with other words", &run);
    } else if (!strncmp(r->set, "preset=", 7) &&
               strchr(run.error, '\n')) { /* the picture is the preset's but for one thing */
        fail(v, r, "more than one rule is broken", &run);
    } else if (picture_bytes > 1u << 20 && run.plan_peak_bytes > picture_bytes / 16) {
        fail(v, r, "refused too late: memory of the picture's size was taken", &run);
    } else if (run.broken[0]) {
        fail(v, r, run.broken, &run);
    }
    v->found |= FUZZ_WAS_ILLEGAL;
}

void fuzz_illegal_judge(const fuzz_case *c, fuzz_verdict *v)
{
    const rule *r = find(fuzz_case_get(c, "illegal"));
    fuzz_picture p;
    fuzz_run none = {0};
    if (!r) {
        fail(v, r, "there is no such rule", &none);
    } else if (!fuzz_picture_shape(c, &p, v->text, sizeof v->text)) {
        fail(v, r, "the case has no picture", &none);
    } else {
        judge(c, r, &p, v);
        fuzz_picture_free(&p);
    }
}
