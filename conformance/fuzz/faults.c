/* SPDX-License-Identifier: BSD-2-Clause */
#include "faults.h"

#include <stdlib.h>
#include <string.h>

static uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/* ---- Facts ----------------------------------------------------------------------------------- */

typedef struct grid {
    uint64_t x0, y0, width, height, columns, rows;
} grid;

static grid tiles_of(const fuzz_case *c, const fuzz_picture *p)
{
    uint32_t w = 0, h = 0, x = 0, y = 0;
    fuzz_case_pair(c, "tile", &w, &h);
    fuzz_case_pair(c, "tile-offset", &x, &y);
    if (!w) {
        return (grid){x, y, p->x1, p->y1, 1, 1};
    }
    return (grid){x, y, w, h, ceil_div(p->x1 - (uint64_t)x, w), ceil_div(p->y1 - (uint64_t)y, h)};
}

static uint64_t clip(uint64_t v, uint64_t low, uint64_t high) { return v < low ? low : v > high ? high : v; }

/* Samples of the narrowest tile along one axis. */
static uint64_t least_side(uint64_t origin, uint64_t step, uint64_t count, uint64_t low, uint64_t high, unsigned sub)
{
    uint64_t least = UINT64_MAX;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t from = ceil_div(clip(origin + i * step, low, high), sub),
                 to = ceil_div(clip(origin + (i + 1) * step, low, high), sub);
        least = to - from < least ? to - from : least;
    }
    return least;
}

/* Samples of the narrowest or lowest tile of any component. */
static uint64_t least_tile(const fuzz_facts *f)
{
    const fuzz_picture *p = f->p;
    grid g = tiles_of(f->c, p);
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < p->count; i++) {
        uint64_t across = least_side(g.x0, g.width, g.columns, p->x0, p->x1, p->planes[i].dx),
                 down = least_side(g.y0, g.height, g.rows, p->y0, p->y1, p->planes[i].dy);
        least = across < least ? across : least;
        least = down < least ? down : least;
    }
    return least;
}

static int has_empty_tile_component(const fuzz_facts *f) { return least_tile(f) == 0; }

static unsigned odd_part(unsigned v)
{
    while (!(v & 1)) {
        v /= 2;
    }
    return v;
}

static int has_position_order(const fuzz_case *c)
{
    const char *order = fuzz_case_or(c, "progression", "LRCP"), *changes = fuzz_case_or(c, "progression-changes", "");
    int preset = fuzz_case_get(c, "preset") && !fuzz_case_get(c, "progression");
    const char *overrides = fuzz_case_or(c, "overrides", "");
    return preset || strstr(overrides, "RPCL") || strstr(overrides, "PCRL") || strstr(order, "RPCL") ||
           strstr(order, "PCRL") || strstr(changes, "RPCL") || strstr(changes, "PCRL");
}

static int has_odd_steps(const fuzz_facts *f)
{
    const fuzz_case *c = f->c;
    const fuzz_picture *p = f->p;
    for (uint32_t i = 1; i < p->count && has_position_order(c); i++) {
        if (odd_part(p->planes[i].dx) != odd_part(p->planes[0].dx) ||
            odd_part(p->planes[i].dy) != odd_part(p->planes[0].dy)) {
            return 1;
        }
    }
    return 0;
}

static int is_beyond_signed(const fuzz_facts *f) { return f->p->x1 > INT32_MAX || f->p->y1 > INT32_MAX; }

static int has_far_tiles(const fuzz_facts *f)
{
    grid g = tiles_of(f->c, f->p);
    return g.width + f->p->x1 > UINT32_MAX || g.height + f->p->y1 > UINT32_MAX;
}

static unsigned long number(const fuzz_case *c, const char *key, const char *otherwise)
{
    return strtoul(fuzz_case_or(c, key, otherwise), NULL, 10);
}

/* The most that any tile or component has. */
static unsigned long levels_of(const fuzz_case *c)
{
    unsigned long most = number(c, "levels", "5");
    for (const char *at = fuzz_case_or(c, "overrides", ""); (at = strstr(at, "levels=")) != NULL;) {
        at += strlen("levels=");
        unsigned long levels = strtoul(at, NULL, 10);
        most = levels > most ? levels : most;
    }
    return most;
}

static int has_many_layers(const fuzz_facts *f) { return number(f->c, "layers", "1") >= 1000; }

/* floor(log2) of the greatest distance of samples. */
static unsigned long log2_of_widest(const fuzz_picture *p)
{
    unsigned long log2 = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        while (p->planes[i].dx >> (log2 + 1) || p->planes[i].dy >> (log2 + 1)) {
            log2++;
        }
    }
    return log2;
}

/* A precinct as far across as 2^31 on the grid, in an order by position: PPx, the levels above it and the distance of
 * samples. */
static int has_far_precincts(const fuzz_facts *f)
{
    return (has_position_order(f->c) || strstr(fuzz_case_or(f->c, "progression", ""), "CPRL") ||
            strstr(fuzz_case_or(f->c, "progression-changes", ""), "CPRL") ||
            strstr(fuzz_case_or(f->c, "overrides", ""), "CPRL")) &&
           levels_of(f->c) + log2_of_widest(f->p) >= 16;
}

static int has_256_in_changes(const fuzz_facts *f)
{
    return f->p->count == 256 && fuzz_case_get(f->c, "progression-changes") != NULL;
}

static int has_packed_headers_alone(const fuzz_facts *f)
{
    return f->has_tile_without_body && strcmp(fuzz_case_or(f->c, "packed-headers", "none"), "none") != 0;
}

/* Two rows or columns of a level, the first at an odd place, in tiles [origin + i * step, ...) of one axis. */
static int has_odd_pair_along(uint64_t origin, uint64_t step, uint64_t count, uint64_t low, uint64_t high, unsigned sub,
                              unsigned long levels)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t from = ceil_div(clip(origin + i * step, low, high), sub),
                 to = ceil_div(clip(origin + (i + 1) * step, low, high), sub);
        for (unsigned long level = 0; level < levels && to - from > 1; level++) {
            if ((from & 1) && to - from == 2) {
                return 1;
            }
            from = ceil_div(from, 2);
            to = ceil_div(to, 2);
        }
    }
    return 0;
}

static int has_odd_pair(const fuzz_facts *f)
{
    const fuzz_picture *p = f->p;
    grid g = tiles_of(f->c, p);
    unsigned long levels = fuzz_case_get(f->c, "preset") ? 6 : levels_of(f->c);
    for (uint32_t i = 0; i < p->count; i++) {
        if (has_odd_pair_along(g.y0, g.height, g.rows, p->y0, p->y1, p->planes[i].dy, levels)) {
            return 1;
        }
    }
    return 0;
}

/* A progression change, [Tn=]RS,CS,LYE,RE,CE,ORDER. tile: -1 for all. */
typedef struct volume {
    long tile;
    unsigned long from[2], to[2]; /* resolutions, components */
} volume;

/* Behind the change, or NULL. */
static const char *read_volume(const char *at, volume *v)
{
    unsigned long layers;
    char *next = NULL;
    v->tile = -1;
    if (*at == 'T') {
        v->tile = strtol(at + 1, &next, 10);
        at = *next == '=' ? next + 1 : next;
    }
    unsigned long *const fields[5] = {&v->from[0], &v->from[1], &layers, &v->to[0], &v->to[1]};
    for (unsigned i = 0; i < 5; i++) {
        *fields[i] = strtoul(at, &next, 10);
        if (*next != ',') {
            return NULL;
        }
        at = next + 1;
    }
    return at + strcspn(at, "/");
}

static int meet(const volume *a, const volume *b)
{
    return a->tile == b->tile && a->from[0] < b->to[0] && b->from[0] < a->to[0] && a->from[1] < b->to[1] &&
           b->from[1] < a->to[1];
}

/* Two changes of one tile, or of the main header, name the same resolution of a component. */
static int has_overlapping_changes(const fuzz_facts *f)
{
    volume first, second;
    const char *at = fuzz_case_or(f->c, "progression-changes", "");
    for (at = *at ? read_volume(at, &first) : NULL; at && *at == '/'; at = read_volume(at + 1, &first)) {
        for (const char *other = at; other && *other == '/';) {
            other = read_volume(other + 1, &second);
            if (other && meet(&first, &second)) {
                return 1;
            }
        }
    }
    return 0;
}

static int has_changes(const fuzz_facts *f) { return fuzz_case_get(f->c, "progression-changes") != NULL; }

static int has_skipped_transform(const fuzz_facts *f)
{
    return has_changes(f) && f->complaint && strstr(f->complaint, "Skip the MCT step") != NULL;
}

static int has_mixed_levels(const fuzz_facts *f)
{
    return strstr(fuzz_case_or(f->c, "overrides", ""), "levels=") && f->complaint &&
           strstr(f->complaint, "Skip the MCT step") != NULL;
}

/* BYPASS is 1, or a name. */
static int may_bypass(const char *settings)
{
    for (const char *at = settings; (at = strstr(at, "style=")) != NULL;) {
        at += strlen("style=");
        if (strtoul(at, NULL, 10) & 1 || strstr(at, "BYPASS")) {
            return 1;
        }
    }
    return 0;
}

static int has_region_with_bypass(const fuzz_facts *f)
{
    int in_options = (number(f->c, "style", "0") & 1) || strstr(fuzz_case_or(f->c, "style", ""), "BYPASS");
    return fuzz_case_get(f->c, "roi") && (in_options || may_bypass(fuzz_case_or(f->c, "overrides", "")));
}

static int has_high_planes(const fuzz_facts *f)
{
    return (fuzz_case_get(f->c, "roi") || f->p->planes[0].depth >= 26) && f->complaint &&
           strstr(f->complaint, "unsupported bpno_plus_one") != NULL;
}

static int has_mixed_termination(const fuzz_facts *f)
{
    return strstr(fuzz_case_or(f->c, "overrides", ""), "style=") && f->complaint &&
           strstr(f->complaint, "PTERM") != NULL;
}

static int has_many_planes(const fuzz_facts *f)
{
    return f->complaint && (strstr(f->complaint, "unsupported bpno_plus_one = 3") ||
                            strstr(f->complaint, "number of bitplane, 31, is larger than 30"));
}

/* OpenJPEG said so, which looks at the planes of every block; Grok has the same 32 bits and often says nothing. */
static int has_more_planes(const fuzz_facts *f)
{
    return has_many_planes(f) || (f->complaint && strstr(f->complaint, "unsupported bpno_plus_one") != NULL);
}

/* Entries of `overrides` for tiles, or, with `component`, for components. */
static int has_override_of(const fuzz_case *c, char scope)
{
    const char *text = fuzz_case_or(c, "overrides", "");
    for (const char *at = text; *at; at++) {
        if ((at == text || at[-1] == '/' || (at[-1] >= '0' && at[-1] <= '9')) && *at == scope) {
            return 1;
        }
    }
    return 0;
}

static int has_tile_segments(const fuzz_facts *f) { return has_override_of(f->c, 'T'); }
static int has_packet_markers_with_coc(const fuzz_facts *f)
{
    return (fuzz_case_is_on(f->c, "eph") || fuzz_case_is_on(f->c, "sop")) && has_override_of(f->c, 'C');
}

static int has_31_planes(const fuzz_facts *f) { return f->planes >= 31; }
static int has_unlike_offsets(const fuzz_facts *f) { return f->has_unlike_offsets; }
static int has_unlike_precincts(const fuzz_facts *f) { return f->has_unlike_precincts; }
static int has_exponent_0(const fuzz_facts *f) { return f->has_exponent_0; }
static int has_unequal_rows(const fuzz_facts *f)
{
    return f->complaint && strstr(f->complaint, "rows of unequal number") != NULL;
}
static int has_packed_headers(const fuzz_facts *f)
{
    return strcmp(fuzz_case_or(f->c, "packed-headers", "none"), "none") != 0;
}
static int is_derived(const fuzz_facts *f)
{
    return f->complaint && strstr(f->complaint, "derived quantization is not supported") != NULL;
}
static int is_far(const fuzz_facts *f) { return is_beyond_signed(f) || has_far_tiles(f); }

static int has_parts_with_ppm(const fuzz_facts *f)
{
    return !strcmp(fuzz_case_or(f->c, "packed-headers", "none"), "ppm") &&
           strcmp(fuzz_case_or(f->c, "tile-parts", "none"), "none") != 0;
}

/* The most that any option asks for. */
static unsigned long layers_of(const fuzz_case *c)
{
    static const char *const targets[] = {"rates", "bpp", "layer-bytes", "psnr", "slopes"};
    unsigned long most = number(c, "layers", "1");
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        unsigned long values = 1;
        for (const char *at = fuzz_case_or(c, targets[i], ""); *at; at++) {
            values += *at == ',';
        }
        most = values > most ? values : most;
    }
    return most;
}

static int has_component_parts(const fuzz_facts *f)
{
    const char *parts = fuzz_case_or(f->c, "tile-parts", "none");
    return strcmp(parts, "none") != 0 && strchr(parts, 'C') && layers_of(f->c) > 1;
}

/* ---- Table ----------------------------------------------------------------------------------- */

static const fuzz_fault faults[] = {
    {FUZZ_OPENJPEG, "openjpeg-empty-tile-component", "2.5.0", has_empty_tile_component,
     "A tile in which a subsampled component has no sample, which B.3 allows: the decoder fails. Grok decodes it.", 0},
    {FUZZ_OPENJPEG, "openjpeg-odd-steps", "2.5.0", has_odd_steps,
     "RPCL and PCRL: it steps by the least distance of precincts of any component and misses those whose distance is "
     "no multiple of it; the loops of B.12.1.3 and B.12.1.4 visit every position.",
     0},
    {FUZZ_OPENJPEG, "openjpeg-far-precincts", "2.5.0", has_far_precincts,
     "RPCL, PCRL, CPRL with 16 levels or more (fewer where samples lie far apart): packets of resolutions whose "
     "precincts are 2^31 or more of the grid across are passed over. Decoded as LRCP the same blocks are exact.",
     0},
    {FUZZ_OPENJPEG, "openjpeg-no-body", "2.5.0", has_packed_headers_alone,
     "Packed headers and a tile whose packets are all empty: no byte follows its SOD, and it fails to decode the "
     "tile. With the headers in the bit stream the same packets decode.",
     0},
    {FUZZ_OPENJPEG, "openjpeg-signed-grid", "2.5.0", is_beyond_signed,
     "Coordinates of 2^31 and more: it cannot set the area to decode.", 0},
    {FUZZ_OPENJPEG, "openjpeg-far-tiles", "2.5.0", has_far_tiles,
     "Tiles that end beyond 2^32, which A.5.1 allows: it counts them in 32 bits and finds millions. Grok decodes them.",
     1},
    {FUZZ_OPENJPEG, "openjpeg-late-blocks", "2.5.0", has_many_layers,
     "Blocks that first appear in layer 1000 or later are refused.", 0},
    {FUZZ_OPENJPEG, "openjpeg-poc-256", "2.5.0", has_256_in_changes,
     "A POC end of 256 components, written as 0 (A.6.6), is read as no component.", 0},
    {FUZZ_OPENJPEG, "openjpeg-poc-mct", "2.5.0", has_skipped_transform,
     "POC on a tile whose highest resolution has no sample (1 x 1, one level): it takes the components for different "
     "in size and leaves the inverse colour transform out. FFmpeg decodes it exactly.",
     0},
    {FUZZ_OPENJPEG, "openjpeg-mixed-levels", "2.5.0", has_mixed_levels,
     "A colour transform over components of different levels: it takes them for different in size and leaves the "
     "inverse transform out. FFmpeg and Grok decode it exactly.",
     0},
    {FUZZ_OPENJPEG, "openjpeg-roi-bypass", "2.5.0", has_region_with_bypass,
     "BYPASS in a component with RGN: raw passes begin a shift too late, and the samples come out wrong. Other "
     "decoders count from the first plane of the block, as D.6 says.",
     0},
    {FUZZ_OPENJPEG, "openjpeg-31-planes", "2.5.0", has_high_planes,
     "Samples in the 31st plane or beyond, by their depth or by a shift that was asked for: it decodes 30. Where the "
     "shift is the encoder's choice, it stays below.",
     0},
    {FUZZ_OPENJPEG, "openjpeg-mixed-termination", "2.5.0", has_mixed_termination,
     "Predictable termination in component 0 and not in another: it checks them all and complains, though the samples "
     "are right.",
     0},
    {FUZZ_OPENJPEG, "openjpeg-planes", "2.5.0", has_many_planes,
     "Blocks of 31 planes, which samples of 24 bits and more have with 9/7: it says itself that it carries 30.", 0},
    {FUZZ_GROK, "grok-odd-pair", "10.0.5", has_odd_pair,
     "A level of two rows, the first at an odd place, is inverted wrongly: 34 x 19 samples at 0,1 are exact with 3 "
     "levels, wrong with 4; tiles of 37 x 37 with 6 resolutions, from OpenJPEG's encoder too. OpenJPEG and FFmpeg "
     "decode them exactly.",
     0},
    {FUZZ_GROK, "grok-poc", "10.0.5", has_overlapping_changes,
     "Progression order changes whose volumes overlap: other samples than the original, which OpenJPEG and FFmpeg "
     "find.",
     0},
    {FUZZ_GROK, "grok-ppm-parts", "10.0.5", has_parts_with_ppm,
     "PPM where a tile has several tile-parts: it loses its place. OpenJPEG decodes exactly.", 0},
    {FUZZ_GROK, "grok-roi-bypass", "10.0.5", has_region_with_bypass, "As OpenJPEG, from which it descends.", 0},
    {FUZZ_GROK, "grok-empty-tile-component", "10.0.5", has_empty_tile_component, "As OpenJPEG, from which it descends.",
     0},
    {FUZZ_GROK, "grok-odd-steps", "10.0.5", has_odd_steps, "As OpenJPEG, from which it descends.", 0},
    {FUZZ_GROK, "grok-far-precincts", "10.0.5", has_far_precincts, "As OpenJPEG, from which it descends.", 0},
    {FUZZ_GROK, "grok-signed-grid", "10.0.5", is_beyond_signed, "Coordinates of 2^31 and more.", 0},
    {FUZZ_GROK, "grok-component-parts", "10.0.5", has_component_parts,
     "Tile-parts of one component each, and several layers: other samples than of the same packets without "
     "tile-parts, of lossless files too, which OpenJPEG decodes exactly: picture=Nikon-D300-12bit_2020_g1_dt.png "
     "size=67 components=3*8u tile-parts=C layers=5.",
     0},
    {FUZZ_GROK, "grok-planes", "10.0.5", has_more_planes,
     "Blocks of 31 planes and more, which 18 levels and more of 9/7 or a shift make: it fails, or hands out other "
     "samples without a word. OpenJPEG says that it carries 30. The packets of style=36 levels=23 with roi=U=4 are "
     "those without it, which OpenJPEG and FFmpeg decode as told.",
     0},
    {FUZZ_GROK, "grok-unlike-offsets", "10.0.5", has_unlike_offsets,
     "CRG with unlike offsets of components 0 to 2, and a colour transform: it leaves the inverse transform out and "
     "hands out Y, Cb, Cr. CRG has no effect on decoding (A.9.1). OpenJPEG and FFmpeg decode exactly, and Grok does "
     "where one byte of CRG makes the offsets equal: picture=flower-rgb-contig-24.tif components=3*8u levels=3 "
     "registration=[0,0],[1,0],[0,0].",
     0},
    {FUZZ_GROK, "grok-unlike-precincts", "10.0.5", has_unlike_precincts,
     "Components with unlike precincts: other samples, without a word, in all five progressions, of lossless files "
     "too, which OpenJPEG and FFmpeg decode exactly: components=2*8u levels=5 overrides=C1:precincts=[16,16]. The "
     "same precincts for both components are decoded exactly.",
     0},
    {FUZZ_OPENJPH, "openjph-tile-segments", "0.31.0", has_tile_segments,
     "COD, COC, QCD and QCC of tile-part headers: it says that it does not take them, and goes on without.", 0},
    {FUZZ_OPENJPH, "openjph-packed-headers", "0.31.0", has_packed_headers,
     "PPM and PPT: it says that it does not take them, and goes on without.", 0},
    {FUZZ_OPENJPH, "openjph-poc", "0.31.0", has_changes, "POC: it says that it does not take it, and goes on without.",
     0},
    {FUZZ_OPENJPH, "openjph-derived", "0.31.0", is_derived, "Derived quantization: it says that it does not take it.",
     0},
    {FUZZ_OPENJPH, "openjph-sop-eph-coc", "0.31.0", has_packet_markers_with_coc,
     "SOP and EPH where a component has a COC: it looks for them beside packets of components without one, and takes "
     "them for data beside the others, whose Scoc has no bits for them (A.6.2). OpenJPEG decodes exactly: size=100,80 "
     "components=3*8u mct=off style=64 eph=yes overrides=C1-1:levels=3.",
     0},
    {FUZZ_OPENJPH, "openjph-31-planes", "0.31.0", has_31_planes,
     "9/7 with a band of 31 magnitude bits, though its samples need fewer: other samples, far from the original, "
     "where OpenJPEG comes as near as the encoder told: picture=extreme size=51,34 components=3*8u style=64 "
     "reversible=no levels=18 guard-bits=4.",
     0},
    {FUZZ_OPENJPH, "openjph-exponent-0", "0.31.0", has_exponent_0,
     "5/3 with an exponent of 0, which 1 and 2 bits with many guard bits have: other samples. OpenJPEG and Grok "
     "decode exactly: size=40,30 components=2u style=64 guard-bits=4.",
     0},
    {FUZZ_OPENJPH, "openjph-unequal-rows", "0.31.0", has_unequal_rows,
     "A colour transform beside components of another height: rows cannot be pulled, the call does not come back. "
     "OpenJPEG decodes exactly: size=26,125 components=8u,8u,8u,8u@4x2 style=64 levels=2.",
     0},
    {FUZZ_OPENJPH, "openjph-far-grid", "0.31.0", is_far,
     "Coordinates beyond 2^31, or tiles that end beyond 2^32: it counts no tiles, or dies (offset=3823718449 "
     "tile-offset=1693241627,3823718449 style=72 progression=CPRL).",
     1},
    {FUZZ_GROK, "grok-late-blocks", "10.0.5", has_many_layers, "As OpenJPEG, from which it descends.", 0},
    {FUZZ_GROK, "grok-poc-256", "10.0.5", has_256_in_changes, "As OpenJPEG, from which it descends.", 0},
};

const fuzz_fault *fuzz_faults(size_t *count)
{
    *count = sizeof faults / sizeof faults[0];
    return faults;
}

const fuzz_fault *fuzz_faults_find(fuzz_decoder decoder, const fuzz_facts *f)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (faults[i].decoder == decoder && faults[i].applies(f)) {
            return &faults[i];
        }
    }
    return NULL;
}
