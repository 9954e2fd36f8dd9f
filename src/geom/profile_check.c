/* SPDX-License-Identifier: BSD-2-Clause */
/* What keeps a picture or settings from a profile, before anything is encoded. Stricter than the walker where checkers
 * in the field are. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "geom/profile.h"

typedef struct profile_job {
    const wvl_settings *s;
    const wvl_image_format *f;
    const wvl_profile_row *row;
    wvl_report *report;
    const char *clause; /* of rules that several families have */
} profile_job;

/* A rule: reported where it is broken. */
static void refuse_if(const profile_job *j, _Bool is_broken, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void refuse_if(const profile_job *j, _Bool is_broken, const char *format, ...)
{
    char text[256];
    va_list args;
    if (!is_broken) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    wvl_report_add(j->report, "profile %s: %s", j->row->name, text);
}

static const char *word(int yes) { return yes ? "yes" : "no"; }
static unsigned step_of(uint8_t d) { return d ? d : 1; }
static const char *const containers[] = {"j2k", "jp2", "jph"};
static const char *const orders[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};

/* ---- What moving-picture profiles have in common (A.10) -------------------------------------- */

static void check_frame_rate(const profile_job *j)
{
    static const uint8_t rates[] = {24, 25, 30, 48, 50, 60, 96, 100, 120};
    if (j->row->family != WVL_FAMILY_CINEMA) {
        return;
    }
    for (size_t i = 0; i < sizeof rates; i++) {
        if (j->s->seconds == 1 && j->s->frames == rates[i]) {
            return;
        }
    }
    refuse_if(j, 1, "frame-rate %u/%u; 24, 25, 30, 48, 50, 60, 96, 100 and 120 are allowed (DCSS 2.1.1, ST 428-11)",
              j->s->frames, j->s->seconds);
}

static void check_offsets(const profile_job *j)
{
    refuse_if(j, j->f->x0 | j->f->y0 | j->s->tile_x0 | j->s->tile_y0,
              "image offset %u,%u, tile offset %u,%u; both must be 0,0 (%s)", j->f->x0, j->f->y0, j->s->tile_x0,
              j->s->tile_y0, j->clause);
}

static void check_packets(const profile_job *j)
{
    const wvl_settings *s = j->s;
    int is_4k = j->row->family == WVL_FAMILY_CINEMA && j->row->size;
    refuse_if(j, s->order != WVL_ORDER_CPRL, "progression %s; CPRL is required (A.10)",
              orders[s->order <= WVL_ORDER_CPRL ? s->order : 0]);
    refuse_if(j, s->layer_count != 1, "%u layers; one is required (A.10)", s->layer_count);
    refuse_if(j, s->parts != WVL_PARTS_COMPONENT, "tile-parts must be divided by component; use tile-parts=C (A.10)");
    refuse_if(j, !s->tlm, "tlm no; the main header must have TLM; use tlm=yes (A.10)");
    refuse_if(j, s->packed_headers != WVL_PACKED_NONE,
              "packed packet headers are not allowed; use packed-headers=none (A.10)");
    refuse_if(j, s->region_count, "regions of interest are not allowed (A.10)");
    refuse_if(j, s->plm && j->row->family != WVL_FAMILY_CINEMA, "PLM is not allowed; use plm=no");
    refuse_if(j, s->progression_count && !is_4k, "progression changes are not allowed (A.10)");
}

static void check_precincts(const profile_job *j)
{
    const wvl_settings *s = j->s;
    for (unsigned r = 0; s->levels <= WVL_MAX_LEVELS && r <= s->levels; r++) {
        if (wvl_plan_precinct(s, r) != (r ? 0x88 : 0x77)) {
            refuse_if(j, 1,
                      "precincts must be 128,128 at resolution 0 and 256,256 above; without the option they are (%s)",
                      j->clause);
            return;
        }
    }
}

static void check_blocks(const profile_job *j)
{
    const wvl_settings *s = j->s;
    int is_broadcast = j->row->family == WVL_FAMILY_BROADCAST;
    refuse_if(j,
              is_broadcast
                  ? s->block_width < 32 || s->block_width > 128 || s->block_height < 32 || s->block_height > 128
                  : s->block_width != 32 || s->block_height != 32,
              "block %u,%u; %s (A.10)", s->block_width, s->block_height,
              is_broadcast ? "sides of 32, 64 and 128 are allowed" : "32,32 is required");
    refuse_if(j, s->style, "style %u; 0 is required (A.10)", s->style);
    check_precincts(j);
}

static void check_wavelet(const profile_job *j)
{
    refuse_if(j, j->s->reversible != j->row->reversible, "reversible %s; %s is required", word(j->s->reversible),
              word(j->row->reversible));
}

static double raw_bytes(const wvl_settings *s, const wvl_image_format *f)
{
    double bits = 0.0;
    for (uint32_t c = 0; c < f->component_count; c++) {
        unsigned dx = step_of(f->components[c].dx), dy = step_of(f->components[c].dy);
        bits += (double)(wvl_ceil_div(f->x1, dx) - wvl_ceil_div(f->x0, dx)) *
                (double)(wvl_ceil_div(f->y1, dy) - wvl_ceil_div(f->y0, dy)) * wvl_plan_coded_depth(s, f, c);
    }
    return bits / 8.0;
}

/* Bytes of a target, as the plan will resolve it; 0: not in bytes, or everything. */
static double bytes_of_target(const profile_job *j, double value)
{
    switch (j->s->rate_unit) {
    case WVL_UNIT_RATIO: return value > 1.0 ? raw_bytes(j->s, j->f) / value : 0.0;
    case WVL_UNIT_BPP: return ((double)j->f->x1 - j->f->x0) * ((double)j->f->y1 - j->f->y0) * value / 8.0;
    case WVL_UNIT_BYTES: return value;
    default: return 0.0;
    }
}

/* A rate may be lowered, never raised. */
static void check_rate(const profile_job *j)
{
    const wvl_settings *s = j->s;
    wvl_profile_limits limits = wvl_profile_limits_of(s);
    unsigned long long frame = limits.frame_bytes, component = limits.component_bytes;
    refuse_if(j, frame && s->max_bytes > frame, "max-bytes %llu; a frame has at most %llu",
              (unsigned long long)s->max_bytes, frame);
    refuse_if(j, component && s->max_component_bytes > component,
              "max-component-bytes %llu; a component has at most %llu", (unsigned long long)s->max_component_bytes,
              component);
    for (uint32_t i = 0; frame && i < s->layer_value_count; i++) {
        double bytes = bytes_of_target(j, s->layer_values[i]);
        refuse_if(j, bytes >= (double)frame + 1.0,
                  "the rate of layer %u asks for %.0f bytes; a frame has at most %llu (a rate of 1 takes what is "
                  "allowed)",
                  i, bytes, frame);
    }
}

static void check_samples(const profile_job *j)
{
    const wvl_settings *s = j->s;
    uint64_t samples = 0, limit = wvl_profile_level_samples(s->main_level) * s->seconds /
                                  ((uint64_t)s->frames * (s->stereo ? 2 : 1));
    for (uint32_t c = 0; c < j->f->component_count; c++) {
        samples += wvl_ceil_div(j->f->x1, step_of(j->f->components[c].dx)) *
                   wvl_ceil_div(j->f->y1, step_of(j->f->components[c].dy));
    }
    refuse_if(j, s->main_level && samples > limit,
              "%llu samples a frame; main level %u allows %llu at %u/%u frames a second (A.10)",
              (unsigned long long)samples, s->main_level, (unsigned long long)limit, s->frames, s->seconds);
}

/* Depth between least and most, unsigned. */
static void check_depths(const profile_job *j, unsigned most_components, unsigned least, unsigned most)
{
    refuse_if(j, j->f->component_count > most_components, "%u components; at most %u are allowed (%s)",
              j->f->component_count, most_components, j->clause);
    for (uint32_t c = 0; c < j->f->component_count && c < most_components; c++) {
        const wvl_component_format *k = &j->f->components[c];
        unsigned depth = wvl_plan_coded_depth(j->s, j->f, c);
        if (depth < least || depth > most || k->is_signed) {
            char allowed[16];
            snprintf(allowed, sizeof allowed, least < most ? "%u to %u" : "%u", least, most);
            refuse_if(j, 1, "component %u: depth %u%s; %s bits unsigned are required%s (%s)", c, depth,
                      k->is_signed ? " signed" : "", allowed,
                      j->row->family == WVL_FAMILY_CINEMA ? "; use -TargetBitDepth 12, or --input-color" : "",
                      j->clause);
        }
    }
}

/* Components 1 and 2 alike, at full width or half; half height only where tall is set. */
static void check_chroma(const profile_job *j, int tall)
{
    for (uint32_t c = 0; c < j->f->component_count && c < 4; c++) {
        const wvl_component_format *k = &j->f->components[c], *first = &j->f->components[1];
        unsigned dx = step_of(k->dx), dy = step_of(k->dy);
        int is_chroma = c == 1 || c == 2;
        refuse_if(j,
                  (!is_chroma && (dx != 1 || dy != 1)) || dx > 2 || dy > (tall ? dx : 1) ||
                      (c == 2 && (dx != step_of(first->dx) || dy != step_of(first->dy))),
                  "component %u: subsampling %u,%u; %s (%s)", c, dx, dy,
                  is_chroma ? "chroma has full or half width, both alike" : "1,1 is required", j->clause);
    }
}

/* ---- Families -------------------------------------------------------------------------------- */

static void check_cinema(const profile_job *j)
{
    const wvl_image_format *f = j->f;
    uint32_t width = 2048u << j->row->size, height = 1080u << j->row->size;
    refuse_if(j, f->x1 - f->x0 > width || f->y1 - f->y0 > height, "%u,%u samples; at most %u,%u are allowed (A.10)",
              f->x1 - f->x0, f->y1 - f->y0, width, height);
    refuse_if(j, j->s->tile_width && (j->s->tile_width != f->x1 || j->s->tile_height != f->y1),
              "tile %u,%u; one tile of the picture's size is required (A.10)", j->s->tile_width, j->s->tile_height);
    refuse_if(j, f->component_count < 3, "%u component%s; three are required (A.10)", f->component_count,
              f->component_count == 1 ? "" : "s");
    check_depths(j, 3, 12, 12);
    for (uint32_t c = 0; c < f->component_count && c < 3; c++) {
        refuse_if(j, step_of(f->components[c].dx) != 1 || step_of(f->components[c].dy) != 1,
                  "component %u: subsampling %u,%u; 1,1 is required (A.10)", c, step_of(f->components[c].dx),
                  step_of(f->components[c].dy));
    }
    const wvl_settings *s = j->s;
    unsigned levels = 5u + j->row->size, guard = 1u + j->row->size;
    refuse_if(j, s->levels != levels, "levels %u; %u is required (ST 429-2)", s->levels, levels);
    refuse_if(j, s->guard_bits != guard, "guard-bits %u; %u is required (RDD 52)", s->guard_bits, guard);
    refuse_if(j, s->quant_style != WVL_QUANT_EXPOUNDED, "quantization derived; expounded is required (RDD 52)");
    refuse_if(j, s->sop || s->eph, "SOP and EPH are not allowed; use sop=no and eph=no (RDD 52)");
    refuse_if(j, s->plt || s->plm || s->registration_count,
              "PLT, PLM and CRG are not allowed; use plt=no, plm=no and no registration (RDD 52)");
    refuse_if(j, s->mct == 0, "mct off; the colour transform is required; use mct=auto (ST 429-4)");
    if (j->row->size) {
        int holds = s->progression_count == 2;
        for (uint32_t i = 0; i < 2 && holds; i++) {
            const wvl_progression *v = &s->progressions[i];
            holds = v->tile == WVL_ALL_TILES && v->resolution_first == (i ? s->levels : 0) &&
                    v->resolution_end == s->levels + i && !v->component_first && v->component_end == 3 &&
                    v->layer_end == 1 && v->order == WVL_ORDER_CPRL;
        }
        refuse_if(j, !holds, "progression-changes must be 0,0,1,%u,3,CPRL/%u,0,1,%u,3,CPRL: the 2K part first (A.10)",
                  s->levels, s->levels, s->levels + 1u);
    }
}

static void check_imf_tiles(const profile_job *j)
{
    const wvl_settings *s = j->s;
    uint32_t width = s->tile_width ? s->tile_width : j->f->x1, height = s->tile_width ? s->tile_height : j->f->y1;
    unsigned most = 5u + j->row->size, by_tile = 4;
    int holds = width >= j->f->x1 && height >= j->f->y1;
    for (unsigned i = 0; j->row->reversible && i <= j->row->size; i++) {
        holds |= width == 1024u << i && height == width;
    }
    refuse_if(j, !holds, "tile %u,%u; one tile%s (A.10)", width, height,
              j->row->reversible ? ", or squares of 1024, for 4K of 2048, for 8K of 4096" : " is required");
    for (uint32_t least = 2048; j->row->reversible && by_tile < 7 && width >= least; least *= 2) {
        by_tile++;
    }
    most = j->row->reversible && by_tile < most ? by_tile : most;
    refuse_if(j, !s->levels || s->levels > most, "levels %u; 1 to %u are allowed (A.10)", s->levels, most);
}

static void check_imf(const profile_job *j)
{
    static const uint8_t most_sublevel[12] = {9, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    const wvl_settings *s = j->s;
    uint32_t width = 2048u << j->row->size, height = 1556u << j->row->size;
    refuse_if(j, j->f->x1 > width || j->f->y1 > height, "%u,%u samples; at most %u,%u are allowed (A.10)", j->f->x1,
              j->f->y1, width, height);
    refuse_if(j, s->main_level > 11 || s->sub_level > most_sublevel[s->main_level],
              "sub-level %u; main level %u has at most %u (A.10)", s->sub_level, s->main_level,
              s->main_level > 11 ? 0 : most_sublevel[s->main_level]);
    check_imf_tiles(j);
    check_depths(j, 3, 8, 16);
    check_chroma(j, 0);
}

static void check_broadcast(const profile_job *j)
{
    const wvl_settings *s = j->s;
    uint64_t wide = s->tile_width ? wvl_ceil_div(j->f->x1, s->tile_width) : 1,
             high = s->tile_height ? wvl_ceil_div(j->f->y1, s->tile_height) : 1;
    int is_four = j->row->number > 1 && ((wide == 2 && high == 2) || (wide == 1 && high == 4));
    refuse_if(j, (wide != 1 || high != 1) && !is_four, "%llu x %llu tiles; one%s (A.10)", (unsigned long long)wide,
              (unsigned long long)high, j->row->number > 1 ? ", 2 x 2 or 1 x 4 are allowed" : " is required");
    refuse_if(j, s->sub_level, "sub-level %u; there are none in broadcast profiles (A.10)", s->sub_level);
    refuse_if(j, !s->levels || s->levels > 5, "levels %u; 1 to 5 are allowed (A.10)", s->levels);
    check_depths(j, 4, 8, 12);
    check_chroma(j, 1);
}

/* ---- Preservation ---------------------------------------------------------------------------- */

static void check_keep_picture(const profile_job *j, const wvl_profile_keep *k)
{
    refuse_if(j, k->components > 0 && j->f->component_count != (uint32_t)k->components,
              "%u component%s; %d %s required", j->f->component_count, j->f->component_count == 1 ? "" : "s",
              k->components, k->components == 1 ? "is" : "are");
    for (uint32_t c = 0; k->depth > 0 && c < j->f->component_count; c++) {
        const wvl_component_format *cf = &j->f->components[c];
        unsigned depth = wvl_plan_coded_depth(j->s, j->f, c);
        if (depth != (unsigned)k->depth || cf->is_signed) {
            refuse_if(j, 1, "component %u: depth %u%s; %d bits unsigned are required", c, depth,
                      cf->is_signed ? " signed" : "", k->depth);
            return;
        }
    }
    refuse_if(j, j->f->component_count == 3 && wvl_plan_choose_mct(j->s, j->f) == WVL_MCT_NONE,
              "the colour transform is required; use mct=auto, and three components of one depth and subsampling");
}

static int small_precinct(unsigned from_top) { return from_top < 2 ? 0x88 : 0x77; }

static void check_keep_coding(const profile_job *j, const wvl_profile_keep *k)
{
    const wvl_settings *s = j->s;
    refuse_if(j,
              k->tile ? s->tile_width != k->tile || s->tile_height != k->tile
                      : s->tile_width && (s->tile_width < j->f->x1 || s->tile_height < j->f->y1),
              "tile %u,%u; %u,%u is required", s->tile_width, s->tile_height, k->tile, k->tile);
    refuse_if(j, s->levels != k->levels, "levels %u; %d is required", s->levels, k->levels);
    refuse_if(j, s->layer_count != (uint32_t)k->layers, "%u layers; %d are required", s->layer_count, k->layers);
    refuse_if(j, s->order != k->order, "progression %s; %s is required",
              orders[s->order <= WVL_ORDER_CPRL ? s->order : 0], orders[k->order]);
    refuse_if(j, s->block_width != 64 || s->block_height != 64, "block %u,%u; 64,64 is required", s->block_width,
              s->block_height);
    refuse_if(j, s->style != k->style, "style %u; %d is required", s->style, k->style);
    for (unsigned r = 0; s->levels <= WVL_MAX_LEVELS && r <= s->levels; r++) {
        if (wvl_plan_precinct(s, r) != (k->small_precincts ? (unsigned)small_precinct(s->levels - r) : 0xFFu)) {
            refuse_if(j, 1, "precincts must be %s",
                      k->small_precincts ? "[256,256],[256,256],[128,128]" : "one a resolution");
            break;
        }
    }
}

static void check_keep(const profile_job *j)
{
    const wvl_profile_keep *k = wvl_profile_keep_of(j->s->profile);
    check_keep_picture(j, k);
    check_keep_coding(j, k);
    const wvl_settings *s = j->s;
    refuse_if(j, k->sop_eph && (!s->sop || !s->eph), "sop %s, eph %s; both are required; use sop=yes and eph=yes",
              word(s->sop), word(s->eph));
    refuse_if(j, k->plt && !s->plt, "plt no; packet lengths are required; use plt=yes");
    refuse_if(j, k->parts_by_resolution && !(s->parts & WVL_PARTS_RESOLUTION),
              "tile-parts must be divided by resolution; use tile-parts=R");
    refuse_if(j, s->region_count, "regions of interest are not allowed");
    refuse_if(j, s->progression_count, "progression changes are not allowed");
    refuse_if(j, s->plm || s->packed_headers != WVL_PACKED_NONE,
              "PLM and packed packet headers are not allowed; use plm=no and packed-headers=none");
    refuse_if(j, k->comment && !s->comment_count, "a comment is required; use comment=TEXT");
    check_wavelet(j);
    refuse_if(j, j->s->jp2 != k->container, "container %s; a %s file is required",
              containers[j->s->jp2 <= WVL_CONTAINER_JPH ? j->s->jp2 : 0],
              k->container == WVL_CONTAINER_JPH ? "JPH" : "JP2");
}

/* ---- HT blocks ------------------------------------------------------------------------------- */

static void check_imf_ht(const profile_job *j)
{
    refuse_if(j, j->f->x1 > 8192 || j->f->y1 > 6224, "%u,%u samples; at most 8192,6224 are allowed (%s)", j->f->x1,
              j->f->y1, j->clause);
    check_offsets(j);
    const wvl_settings *s = j->s;
    uint32_t side = wvl_max_u32(j->f->x1, j->f->y1);
    unsigned most = side <= 2048 ? 5 : side <= 4096 ? 6 : 7;
    refuse_if(j, s->tile_width && (s->tile_width < j->f->x1 || s->tile_height < j->f->y1),
              "tile %u,%u; one tile is required (%s)", s->tile_width, s->tile_height, j->clause);
    refuse_if(j, !s->levels || s->levels > most, "levels %u; 1 to %u are allowed (%s)", s->levels, most, j->clause);
    refuse_if(j, s->block_width < 32 || s->block_width > 128 || s->block_height < 32 || s->block_height > 64,
              "block %u,%u; a width of 32, 64 or 128 and a height of 32 or 64 are allowed (%s)", s->block_width,
              s->block_height, j->clause);
    refuse_if(j, s->packed_headers != WVL_PACKED_NONE,
              "packed packet headers are not allowed; use packed-headers=none (%s)", j->clause);
    check_precincts(j);
    check_depths(j, 4, 8, 16);
    check_chroma(j, 0);
    for (uint32_t c = 1; c < j->f->component_count && c < 4; c++) {
        refuse_if(j, wvl_plan_coded_depth(j->s, j->f, c) != wvl_plan_coded_depth(j->s, j->f, 0),
                  "component %u: all components must have the same depth (%s)", c, j->clause);
    }
}

static void check_ht(const profile_job *j)
{
    /* Checks what DICOM and IMF have in common. */
    const wvl_settings *s = j->s;
    refuse_if(j, s->style != WVL_STYLE_HT, "style %u; HT and nothing else is required (%s)", s->style, j->clause);
    refuse_if(j, s->order != WVL_ORDER_RPCL, "progression %s; RPCL is required (%s)",
              orders[s->order <= WVL_ORDER_CPRL ? s->order : 0], j->clause);
    refuse_if(j, s->progression_count, "progression changes are not allowed (%s)", j->clause);
    refuse_if(j, !s->tlm, "tlm no; the main header must have TLM; use tlm=yes (%s)", j->clause);
    refuse_if(j, s->jp2, "container %s; the package takes a codestream without boxes, use container=j2k",
              containers[s->jp2 <= WVL_CONTAINER_JPH ? s->jp2 : 0]);
    check_wavelet(j);
    if (j->row->family == WVL_FAMILY_DICOM) {
        /* PS3.5 asks for a base resolution of which "width or height" are at most 64; both are, so that no reader can
         * disagree.
         */
        const wvl_image_format *f = j->f;
        uint64_t side = j->s->levels <= WVL_MAX_LEVELS ? wvl_settings_lowest_side(f, j->s->levels) : 0;
        refuse_if(
            j, side > WVL_THUMBNAIL_SIDE,
            "levels %u leave %llu samples; a lowest resolution of at most %u,%u is required, use levels=auto (%s)",
            j->s->levels, (unsigned long long)side, WVL_THUMBNAIL_SIDE, WVL_THUMBNAIL_SIDE, j->clause);
        refuse_if(j, f->component_count != 1 && f->component_count != 3,
                  "%u components; one or three are allowed (PS3.3 C.7.6.3.1.1)", f->component_count);
        for (uint32_t c = 0; c < f->component_count && c < 3; c++) {
            const wvl_component_format *k = &f->components[c];
            refuse_if(j,
                      step_of(k->dx) != 1 || step_of(k->dy) != 1 || k->depth != f->components->depth ||
                          k->is_signed != f->components->is_signed,
                      "component %u: components must be alike, without subsampling (PS3.5 8.2)", c);
        }
    } else {
        check_imf_ht(j);
    }
}

void wvl_profile_check(const wvl_settings *s, const wvl_image_format *f, wvl_report *report)
{
    profile_job j = {s, f, wvl_profile_of(s->profile), report, "A.10"};
    if (j.row->family == WVL_FAMILY_NONE || !f->component_count || !f->components || f->x1 <= f->x0 || f->y1 <= f->y0) {
        return;
    }
    if (j.row->family == WVL_FAMILY_KEEP) {
        check_keep(&j);
        return;
    }
    if (j.row->ht) {
        j.clause = j.row->family == WVL_FAMILY_DICOM ? "PS3.5 10.18" : "ST 2067-21 HT";
        check_ht(&j);
        return;
    }
    check_offsets(&j);
    check_frame_rate(&j);
    switch (j.row->family) {
    case WVL_FAMILY_CINEMA: check_cinema(&j); break;
    case WVL_FAMILY_IMF: check_imf(&j); break;
    default: check_broadcast(&j); break;
    }
    check_wavelet(&j);
    check_packets(&j);
    check_blocks(&j);
    check_samples(&j);
    check_rate(&j);
}

/* ---- What a file must say -------------------------------------------------------------------- */

static int has_xmp(const wvl_jp2_info *jp2)
{
    static const uint8_t id[16] = {0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8,
                                   0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC};
    for (uint32_t i = 0; i < jp2->box_count; i++) {
        if (jp2->boxes[i].type == 0x75756964 && !memcmp(jp2->boxes[i].uuid, id, sizeof id)) {
            return 1;
        }
    }
    return 0;
}

void wvl_profile_check_file(const wvl_settings *s, const wvl_jp2_info *jp2, wvl_report *report)
{
    profile_job j = {s, NULL, wvl_profile_of(s->profile), report, ""};
    const wvl_profile_keep *k = wvl_profile_keep_of(s->profile);
    if (!k || !k->metadata) {
        return;
    }
    refuse_if(&j, !jp2 || !jp2->boxes || !has_xmp(jp2), "the XMP packet is missing");
    refuse_if(&j, !jp2 || !jp2->icc, "the restricted ICC profile is missing: Adobe RGB (1998) or eciRGB v2");
    refuse_if(&j, !jp2 || !(jp2->capture_x_per_metre > 0.0) || !(jp2->capture_y_per_metre > 0.0),
              "the capture resolution is missing");
}
