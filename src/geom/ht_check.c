/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes with HT blocks and what does not (15444-15). */
#include "geom/profile.h"
#include "geom/settings.h"

static void check_style(unsigned style, wvl_report *r)
{
    wvl_report_if(r, style & ~(unsigned)(WVL_STYLE_HT | WVL_STYLE_VSC),
                  "style %u: only VSC goes with HT; leave BYPASS, RESET, TERMALL, PTERM and SEGSYM out (15444-15 A.4)",
                  style);
}

void wvl_plan_check_ht(const wvl_settings *s, wvl_report *r)
{
    for (uint32_t i = 0; i < s->override_count; i++) {
        const wvl_override *o = &s->overrides[i];
        if (!(o->given & WVL_GIVEN_STYLE)) {
            continue;
        }
        if ((o->style ^ s->style) & WVL_STYLE_HT) {
            wvl_report_add(
                r, "overrides: entry %u has style %u, the others %u; use HT for all blocks of a picture or for none",
                i + 1, o->style, s->style);
        } else if (o->style & WVL_STYLE_HT) {
            check_style(o->style, r);
        }
    }
    wvl_report_if(r, s->ht_passes > 3 || (s->ht_passes % 3 && !(s->style & WVL_STYLE_HT)),
                  "ht-passes %u needs HT blocks (style HT), and a number from 1 to 3 (15444-15 7)", s->ht_passes);
    if (!(s->style & WVL_STYLE_HT)) {
        wvl_report_if(r, s->jp2 == WVL_CONTAINER_JPH,
                      "container jph: a JPH file holds HT blocks; add style HT, or use jp2 (15444-15 Annex D)");
        return;
    }
    check_style(s->style, r);
    wvl_report_if(
        r, s->jp2 == WVL_CONTAINER_JP2,
        "container jp2: a JP2 file holds a codestream of Part 1, without HT blocks; use jph (15444-15 Annex D)");
    wvl_report_if(r, s->region_count,
                  "roi: regions of interest with HT blocks are not supported; use one of them (OpenJPEG 2.5 "
                  "does not decode them)");
    wvl_report_if(r, s->layer_count > 1,
                  "%u layers: HT blocks go with one layer only, because decoders fail where the passes of a block "
                  "are divided; use layers 1",
                  s->layer_count);
    wvl_report_if(r, s->rdoq == WVL_RDOQ_YES, "rdoq does not go with HT blocks; use rdoq no or auto");
    wvl_report_if(
        r, s->profile != WVL_PROFILE_NONE && !wvl_profile_of(s->profile)->ht,
        "profile: no profile of Part 1 allows HT blocks; leave style HT out, or choose another profile (A.10)");
}
