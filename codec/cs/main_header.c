/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/cs/cs.h"
#include "codec/cs/marker.h"
#include "geom/profile.h"

#define WIDE_INDEX_COMPONENTS 257u /* component indices take 16 bits from here on (A.6.6) */

/* ---- CAP: what of Part 15 a decoder must know (A.5.2, 15444-15 A.3) ------------------------------- */

#define PCAP_PART15 0x00020000u /* bit 15 counted from 1 at the top */
#define CCAP_HETEROGENEOUS 0x0800u
#define CCAP_IRREVERSIBLE 0x0020u

/* B of MAGB, from what every band is proved to hold: Mb where it is reversible, Mb + 1 - n for an irreversible band of
 * level n. */
static unsigned magnitude_bound(const wvl_syntax_plan *syntax, unsigned *irreversible)
{
    unsigned most = 0;
    for (uint32_t i = 0; i < syntax->coding_count; i++) {
        const wvl_coding *coding = &syntax->codings[i];
        *irreversible |= !coding->reversible;
        for (unsigned b = 0; b < 3u * coding->levels + 1u; b++) {
            unsigned level = b ? coding->levels - (b - 1) / 3 : coding->levels, planes = coding->band[b].planes;
            unsigned bits = coding->reversible ? planes : planes + 1 > level ? planes + 1 - level : 0;
            most = bits > most ? bits : most;
        }
    }
    /* ST 2067-21 has B of lossless HT from a table: our bound with up to five levels, and one more beyond. */
    return syntax->profile == WVL_PROFILE_IMF_HT_REV && syntax->max_levels > 5 ? most + 1 : most;
}

/* The five bits P of the least bound not below B: 8, 9 .. 27, 31, 35 .. 71, 74. */
static unsigned bound_code(unsigned B) { return B <= 8 ? 0 : B <= 27 ? B - 8 : B <= 71 ? 19 + (B - 24) / 4 : 31; }

/* Headers of tile-parts that say more than SOT and PLT make the codestream heterogeneous. */
static int is_heterogeneous(const wvl_syntax_plan *syntax)
{
    int own = syntax->choice_count != 0 || syntax->packed_headers == WVL_PACKED_PPT;
    for (uint32_t i = 0; i < syntax->progression_count; i++) {
        own |= syntax->progressions[i].tile != WVL_ALL_TILES;
    }
    return own;
}

/* All blocks are HT, one set each, no RGN. */
static void put_capabilities(wvl_cursor *c, const void *arg)
{
    const wvl_syntax_plan *syntax = arg;
    unsigned irreversible = 0, bits = magnitude_bound(syntax, &irreversible);
    wvl_cursor_put_u32(c, PCAP_PART15);
    wvl_cursor_put_u16(c, bound_code(bits) | (irreversible ? CCAP_IRREVERSIBLE : 0) |
                              (is_heterogeneous(syntax) ? CCAP_HETEROGENEOUS : 0));
}

/* ---- SIZ (A.5.1) ----------------------------------------------------------------------------- */

static void put_size(wvl_cursor *c, const void *arg)
{
    const wvl_plan *plan = arg;
    wvl_cursor_put_u16(c, plan->syntax.rsiz);
    wvl_cursor_put_u32(c, plan->syntax.image.x1);
    wvl_cursor_put_u32(c, plan->syntax.image.y1);
    wvl_cursor_put_u32(c, plan->syntax.image.x0);
    wvl_cursor_put_u32(c, plan->syntax.image.y0);
    wvl_cursor_put_u32(c, plan->syntax.tile_width);
    wvl_cursor_put_u32(c, plan->syntax.tile_height);
    wvl_cursor_put_u32(c, plan->syntax.tile_x0);
    wvl_cursor_put_u32(c, plan->syntax.tile_y0);
    wvl_cursor_put_u16(c, plan->syntax.component_count);
    for (uint32_t i = 0; i < plan->syntax.component_count; i++) {
        const wvl_plan_component *component = &plan->syntax.components[i];
        wvl_cursor_put_u8(c, (component->is_signed ? 0x80u : 0u) | (component->depth - 1u));
        wvl_cursor_put_u8(c, component->dx);
        wvl_cursor_put_u8(c, component->dy);
    }
}

/* ---- NLT (15444-2 A.3.10): a negative sample is the complement of what its bits are, but for the sign --------------
 */

#define NLT_COMPLEMENT 3u
#define NLT_EVERY 65535u

typedef struct nlt_component {
    const wvl_plan_component *component;
    uint32_t number;
} nlt_component;

static void put_nonlinearity(wvl_cursor *c, const void *arg)
{
    const nlt_component *k = arg;
    wvl_cursor_put_u16(c, k->number);
    wvl_cursor_put_u8(c, 0x80u | (k->component->depth - 1u));
    wvl_cursor_put_u8(c, NLT_COMPLEMENT);
}

/* One marker segment for all components, where they are alike, or one for each that holds floating point. */
static void put_nonlinearities(wvl_cursor *c, const wvl_syntax_plan *syntax)
{
    int are_alike = 1;
    for (uint32_t i = 0; i < syntax->component_count; i++) {
        const wvl_plan_component *k = &syntax->components[i];
        are_alike = are_alike && k->is_float && k->depth == syntax->components->depth;
    }
    for (uint32_t i = 0; i < (are_alike ? 1 : syntax->component_count); i++) {
        const nlt_component k = {&syntax->components[i], are_alike ? NLT_EVERY : i};
        if (k.component->is_float) {
            wvl_cs_put_segment(c, WVL_MARKER_NLT, put_nonlinearity, &k);
        }
    }
}

/* ---- POC (A.6.6), CRG (A.9.1) ---------------------------------------------------------------- */

typedef struct progression_run {
    const wvl_plan *plan;
    uint32_t tile;
} progression_run;

/* In eight bits an end of 256 is written as 0; no other value reaches the limit of its field. */
static void put_progressions(wvl_cursor *c, const void *arg)
{
    const progression_run *run = arg;
    int wide = run->plan->syntax.component_count >= WIDE_INDEX_COMPONENTS;
    for (uint32_t i = 0; i < run->plan->syntax.progression_count; i++) {
        const wvl_progression *v = &run->plan->syntax.progressions[i];
        if (v->tile != run->tile) {
            continue;
        }
        wvl_cursor_put_u8(c, v->resolution_first);
        (wide ? wvl_cursor_put_u16 : wvl_cursor_put_u8)(c, v->component_first);
        wvl_cursor_put_u16(c, v->layer_end);
        wvl_cursor_put_u8(c, v->resolution_end);
        (wide ? wvl_cursor_put_u16 : wvl_cursor_put_u8)(c, wide ? v->component_end : v->component_end & 0xFFu);
        wvl_cursor_put_u8(c, v->order);
    }
}

static int has_progressions(const wvl_syntax_plan *syntax, uint32_t tile)
{
    for (uint32_t i = 0; i < syntax->progression_count; i++) {
        if (syntax->progressions[i].tile == tile) {
            return 1;
        }
    }
    return 0;
}

static int any_tile_has_progressions(const wvl_syntax_plan *syntax)
{
    for (uint32_t i = 0; i < syntax->progression_count; i++) {
        if (syntax->progressions[i].tile != WVL_ALL_TILES) {
            return 1;
        }
    }
    return 0;
}

/* A tile's POC replaces that of the main header (A.6.6), but OpenJPEG 2.5 and Grok 10 append it. Where one tile has its
 * own, every tile gets a marker segment and the main header none, which all of them read alike. */
void wvl_cs_put_progressions(wvl_cursor *c, const wvl_plan *plan, uint32_t tile)
{
    progression_run run = {plan, tile};
    wvl_cursor content = {NULL, 0};
    if (any_tile_has_progressions(&plan->syntax)) {
        if (tile == WVL_ALL_TILES) {
            return;
        }
        run.tile = has_progressions(&plan->syntax, tile) ? tile : WVL_ALL_TILES;
    }
    put_progressions(&content, &run);
    if (content.bytes) {
        wvl_cs_put_segment(c, WVL_MARKER_POC, put_progressions, &run);
    }
}

static void put_registration(wvl_cursor *c, const void *arg)
{
    const wvl_plan *plan = arg;
    for (uint32_t i = 0; i < 2 * plan->syntax.component_count; i++) {
        wvl_cursor_put_u16(c, plan->syntax.registration[i]);
    }
}

/* ---- COM (A.9.2) ----------------------------------------------------------------------------- */

/* Length of a well-formed UTF-8 sequence of two to four bytes at p, or 0. */
static unsigned utf8_sequence(const uint8_t *p, uint64_t left)
{
    unsigned n = p[0] >= 0xC2 && p[0] <= 0xDF ? 2 : (p[0] & 0xF0) == 0xE0 ? 3 : p[0] >= 0xF0 && p[0] <= 0xF4 ? 4 : 0;
    for (unsigned i = 1; i < n; i++) {
        if (i >= left || (p[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return n;
}

static int is_utf8_beyond_ascii(const wvl_blob *text)
{
    int beyond = 0;
    for (uint64_t i = 0; i < text->bytes;) {
        unsigned n = text->data[i] < 0x80 ? 1 : utf8_sequence(text->data + i, text->bytes - i);
        if (!n) {
            return 0;
        }
        beyond |= n > 1;
        i += n;
    }
    return beyond;
}

/* Rcom 1 promises ISO 8859-15. UTF-8 beyond ASCII would show as other letters there, so it goes as binary (0). */
static int is_latin_text(const wvl_blob *text)
{
    for (uint64_t i = 0; i < text->bytes; i++) {
        unsigned v = text->data[i];
        int is_layout = v == '\t' || v == '\n' || v == '\r';
        if ((v < 0x20 && !is_layout) || (v >= 0x7F && v < 0xA0)) {
            return 0;
        }
    }
    return !is_utf8_beyond_ascii(text);
}

static void put_comment(wvl_cursor *c, const void *arg)
{
    const wvl_blob *text = arg;
    wvl_cursor_put_u16(c, is_latin_text(text) ? 1 : 0);
    wvl_cursor_put_bytes(c, text->data, text->bytes);
}

/* ---- The header ------------------------------------------------------------------------------ */

static void put_before_part_lengths(wvl_cursor *c, const wvl_plan *plan)
{
    wvl_cursor_put_u16(c, WVL_MARKER_SOC);
    wvl_cs_put_segment(c, WVL_MARKER_SIZ, put_size, plan);
    if (plan->syntax.rsiz & WVL_RSIZ_CAP) {
        wvl_cs_put_segment(c, WVL_MARKER_CAP, put_capabilities, &plan->syntax);
    }
    wvl_cs_put_main_codings(c, plan);
    put_nonlinearities(c, &plan->syntax);
    wvl_cs_put_progressions(c, plan, WVL_ALL_TILES);
    if (plan->syntax.registration) {
        wvl_cs_put_segment(c, WVL_MARKER_CRG, put_registration, plan);
    }
    for (uint32_t i = 0; i < plan->syntax.comment_count; i++) {
        wvl_cs_put_segment(c, WVL_MARKER_COM, put_comment, &plan->syntax.comments[i]);
    }
}

uint64_t wvl_cs_measure_main_header(const wvl_plan *plan, uint64_t part_count)
{
    wvl_cursor c = {NULL, 0};
    put_before_part_lengths(&c, plan);
    return c.bytes + wvl_cs_measure_part_lengths(plan, part_count);
}

uint8_t *wvl_cs_put_main_header(const wvl_plan *plan, const wvl_cs_part *parts, uint64_t part_count, uint8_t *p)
{
    wvl_cursor c = {p, 0};
    put_before_part_lengths(&c, plan);
    return wvl_cs_put_part_lengths(plan, parts, part_count, c.at);
}
