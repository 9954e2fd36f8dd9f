/* SPDX-License-Identifier: BSD-2-Clause */
/* CAP: what of Part 15 a decoder must know (A.5.2, 15444-15 A.3). */
#include "codec/cs/marker.h"
#include "geom/profile.h"

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
static void put_content(wvl_cursor *c, const void *arg)
{
    const wvl_syntax_plan *syntax = arg;
    unsigned irreversible = 0, bits = magnitude_bound(syntax, &irreversible);
    wvl_cursor_put_u32(c, PCAP_PART15);
    wvl_cursor_put_u16(c, bound_code(bits) | (irreversible ? CCAP_IRREVERSIBLE : 0) |
                              (is_heterogeneous(syntax) ? CCAP_HETEROGENEOUS : 0));
}

void wvl_cs_put_capabilities(wvl_cursor *c, const wvl_plan *plan)
{
    if (plan->syntax.rsiz & WVL_RSIZ_CAP) {
        wvl_cs_put_segment(c, WVL_MARKER_CAP, put_content, &plan->syntax);
    }
}
