/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes with HT blocks and what does not (15444-15). */
#include "geom/profile.h"
#include "geom/settings.h"

static void check_style(unsigned style, wvl_report *r)
{
    if (style & ~(unsigned)(WVL_STYLE_HT | WVL_STYLE_VSC)) {
        wvl_report_add(r, "style %u: HT blocks have one segment for the cleanup pass and one for refinement, without contexts or symbols that BYPASS, "
                          "RESET, TERMALL, PTERM and SEGSYM could change; only VSC goes with HT (15444-15 A.4)", style);
    }
}

static void check_overrides(const wvl_settings *s, wvl_report *r)
{
    for (uint32_t i = 0; i < s->override_count; i++) {
        const wvl_override *o = &s->overrides[i];
        if (!(o->given & WVL_GIVEN_STYLE)) {
            continue;
        }
        if ((o->style ^ s->style) & WVL_STYLE_HT) {
            wvl_report_add(r, "overrides: entry %u has style %u, the others %u; all blocks of a picture are HT blocks or none is", i + 1, o->style, s->style);
        } else if (o->style & WVL_STYLE_HT) {
            check_style(o->style, r);
        }
    }
}

void wvl_plan_check_ht(const wvl_settings *s, wvl_report *r)
{
    check_overrides(s, r);
    if (s->ht_passes > 3 || (s->ht_passes % 3 && !(s->style & WVL_STYLE_HT))) {
        wvl_report_add(r, "ht-passes %u; HT blocks have a cleanup pass and up to two refinement passes, 1 to 3, others have none of them (15444-15 7)", s->ht_passes);
    }
    if (!(s->style & WVL_STYLE_HT)) {
        if (s->jp2 == WVL_CONTAINER_JPH) {
            wvl_report_add(r, "container jph: a JPH file holds a codestream with HT blocks; add the style HT, or write a JP2 file (15444-15 Annex D)");
        }
        return;
    }
    check_style(s->style, r);
    if (s->jp2 == WVL_CONTAINER_JP2) {
        wvl_report_add(r, "container jp2: a JP2 file holds a codestream of Part 1, and readers of it know no HT blocks; use jph (15444-15 Annex D)");
    }
    if (s->region_count) {
        wvl_report_add(r, "roi: regions of interest with HT blocks are not in this version; OpenJPEG 2.5 refuses to decode them");
    }
    if (s->layer_count > 1) {
        wvl_report_add(r, "%u layers: an HT block has all its passes in one layer, since decoders lose their place where a set is divided", s->layer_count);
    }
    if (s->rdoq == WVL_RDOQ_YES) {
        wvl_report_add(r, "rdoq: it quantizes for where EBCOT's passes end; HT blocks end otherwise");
    }
    if (s->profile != WVL_PROFILE_NONE && !wvl_profile_of(s->profile)->ht) {
        wvl_report_add(r, "profile: HT blocks belong to none of the profiles of Part 1 (A.10)");
    }
}
