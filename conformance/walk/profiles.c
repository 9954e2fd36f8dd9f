/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "profile_table.h"

/* ---- Questions that several profiles ask ----------------------------------------------------- */

int wvl_check_refuse(wvl_walk_facts *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    return 0;
}

int wvl_check_all_offsets_zero(wvl_walk_facts *f)
{
    const wvl_walk *w = f->w;
    return !(w->x0 | w->y0 | w->tile_x0 | w->tile_y0) ||
           wvl_check_refuse(f, "the image begins at %u,%u, the tiles at %u,%u", w->x0, w->y0, w->tile_x0, w->tile_y0);
}

int wvl_check_one_layer(wvl_walk_facts *f)
{
    const wvl_walk_style *s = f->w->all_styles.items;
    for (size_t i = 0; i < f->w->all_styles.count; i++) {
        if (s[i].layers != 1) {
            return wvl_check_refuse(f, "there are %u layers", s[i].layers);
        }
    }
    return 1;
}

int wvl_check_order_is(wvl_walk_facts *f, unsigned order)
{
    static const char *const names[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};
    const wvl_walk_style *s = f->w->all_styles.items;
    for (size_t i = 0; i < f->w->all_styles.count; i++) {
        if (s[i].progression != order) {
            return wvl_check_refuse(f, "the progression order is %s", names[s[i].progression]);
        }
    }
    return 1;
}

int wvl_check_components_are(wvl_walk_facts *f, uint32_t most, unsigned most_bits)
{
    if (f->w->component_count > most) {
        return wvl_check_refuse(f, "%u components", f->w->component_count);
    }
    for (uint32_t c = 0; c < f->w->component_count; c++) {
        const wvl_walk_component *k = &f->w->components[c];
        if (k->depth < 8 || k->depth > most_bits || k->is_signed) {
            return wvl_check_refuse(f, "component %u has %u bits%s", c, k->depth, k->is_signed ? ", signed" : "");
        }
    }
    return 1;
}

int wvl_check_wavelet_is(wvl_walk_facts *f, unsigned transform)
{
    const wvl_walk_coding *k = f->w->all_codings.items;
    for (size_t i = 0; i < f->w->all_codings.count; i++) {
        if (k[i].transform != transform) {
            return wvl_check_refuse(f, "the wavelet is the %s one", k[i].transform ? "5/3" : "9/7");
        }
    }
    return 1;
}

int wvl_check_blocks_32(wvl_walk_facts *f)
{
    const wvl_walk_coding *k = f->w->all_codings.items;
    for (size_t i = 0; i < f->w->all_codings.count; i++) {
        if (k[i].xcb != 5 || k[i].ycb != 5 || k[i].style) {
            return wvl_check_refuse(f, "code blocks are %u x %u with style 0x%02X", 1u << k[i].xcb, 1u << k[i].ycb,
                                    k[i].style);
        }
    }
    return 1;
}

int wvl_check_precincts_7_8(wvl_walk_facts *f)
{
    const wvl_walk_coding *k = f->w->all_codings.items;
    for (size_t i = 0; i < f->w->all_codings.count; i++) {
        for (unsigned r = 0; r <= k[i].levels; r++) {
            if (k[i].precincts[r] != (r ? 0x88 : 0x77)) {
                return wvl_check_refuse(f, "precincts are 2^%u x 2^%u at resolution %u", k[i].precincts[r] & 15,
                                        k[i].precincts[r] >> 4, r);
            }
        }
    }
    return 1;
}

int wvl_check_no_markers(wvl_walk_facts *f, const wvl_walk_marker_id *markers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (f->w->main_count[markers[i]] || f->w->tile_count[markers[i]]) {
            return 0;
        }
    }
    return 1;
}

int wvl_check_no_packed_headers_nor_regions(wvl_walk_facts *f)
{
    static const wvl_walk_marker_id forbidden[] = {WVL_WALK_MARK_PPM, WVL_WALK_MARK_PPT, WVL_WALK_MARK_RGN};
    return wvl_check_no_markers(f, forbidden, 3);
}

int wvl_check_only_order_is(wvl_walk_facts *f, unsigned order)
{
    static const wvl_walk_marker_id poc[] = {WVL_WALK_MARK_POC};
    return wvl_check_order_is(f, order) && (wvl_check_no_markers(f, poc, 1) || wvl_check_refuse(f, "there is a POC"));
}

int wvl_check_levels_are(wvl_walk_facts *f, unsigned most_levels)
{
    const wvl_walk_coding *k = f->w->all_codings.items;
    for (size_t i = 0; i < f->w->all_codings.count; i++) {
        if (!k[i].levels || k[i].levels > most_levels) {
            return wvl_check_refuse(f, "%u levels, at most %u are allowed", k[i].levels, most_levels);
        }
    }
    return 1;
}

int wvl_check_parts_by_component(wvl_walk_facts *f)
{
    const wvl_walk_part *p = f->w->parts.items;
    uint64_t expected = f->w->summary->tile_count * f->w->component_count;
    if (f->w->parts.count != expected) {
        return wvl_check_refuse(f, "there are %zu tile-parts for %llu tiles and %u components", f->w->parts.count,
                                (unsigned long long)f->w->summary->tile_count, f->w->component_count);
    }
    for (size_t i = 0; i < f->w->parts.count; i++) {
        if (!p[i].packets || p[i].c_min != p[i].index || p[i].c_max != p[i].index) {
            return wvl_check_refuse(f, "tile-part %zu does not hold component %u alone", i, p[i].index);
        }
    }
    return 1;
}

int wvl_check_has_tlm(wvl_walk_facts *f) { return f->w->main_count[WVL_WALK_MARK_TLM] != 0; }

int wvl_check_is_one_tile(const wvl_walk *w) { return w->tiles_wide == 1 && w->tiles_high == 1; }

static void frame_rate(const wvl_walk *w, uint64_t *frames, uint64_t *seconds)
{
    int is_given = w->options->frames && w->options->seconds;
    *frames = (is_given ? w->options->frames : 24) * (w->options->stereo ? UINT64_C(2) : 1);
    *seconds = is_given ? w->options->seconds : 1;
}

uint64_t wvl_check_frame_bytes(const wvl_walk *w, uint64_t bits_per_second)
{
    uint64_t frames, seconds;
    frame_rate(w, &frames, &seconds);
    if (bits_per_second > UINT64_MAX / seconds) {
        return UINT64_MAX;
    }
    return bits_per_second * seconds / (8 * frames);
}

uint64_t wvl_check_level_samples(unsigned level)
{
    static const uint16_t msamples[] = {0, 65, 130, 195, 260, 520, 1200, 2400, 4800, 9600, 19200, 38400};
    return level < sizeof msamples / sizeof msamples[0] ? msamples[level] * UINT64_C(1000000) : 0;
}

int wvl_check_samples_fit(wvl_walk_facts *f, unsigned level)
{
    const wvl_walk *w = f->w;
    uint64_t frames, seconds, limit = wvl_check_level_samples(level), samples = 0;
    frame_rate(w, &frames, &seconds);
    for (uint32_t c = 0; c < w->component_count; c++) {
        const wvl_walk_component *k = &w->components[c];
        samples += (((uint64_t)w->x1 + k->dx - 1) / k->dx) * (((uint64_t)w->y1 + k->dy - 1) / k->dy);
    }
    if (!limit || seconds > UINT64_MAX / limit || samples <= limit * seconds / frames) {
        return 1;
    }
    return wvl_check_refuse(f, "%llu samples a frame at %llu/%llu frames a second, level %u has %llu a second",
                            (unsigned long long)samples, (unsigned long long)frames, (unsigned long long)seconds, level,
                            (unsigned long long)limit);
}

/* ---- The profiles ---------------------------------------------------------------------------- */

/* X(name, sentence, file: 0 any, 1 JP2, 2 JPH; Part 15: 1 yes, 0 no, -1 either; number; rules; numbers) */
#define PROFILES(X)                                                                                                    \
    X("part1", "Codestream of Part 1, whatever its Rsiz", 0, 0, 0, NULL, NULL)                                         \
    X("part15", "Codestream of Part 15 (HTJ2K)", 0, 1, 0, NULL, NULL)                                                  \
    X("jp2", "JP2 file (Annex I)", 1, -1, 0, NULL, NULL)                                                               \
    X("jph", "JPH file (15444-15 Annex D)", 2, 1, 0, NULL, NULL)                                                       \
    X("profile0", "Profile 0 (Table A.45)", 0, 0, 0, &wvl_check_profile0_rules, NULL)                                  \
    X("profile1", "Profile 1 (Table A.45)", 0, 0, 0, &wvl_check_profile1_rules, NULL)                                  \
    X("cinema2k", "Digital cinema 2K, with the byte limits of the frame rate", 0, 0, 2, &wvl_check_cinema_rules, NULL) \
    X("cinema4k", "Digital cinema 4K, with the byte limits of the frame rate", 0, 0, 4, &wvl_check_cinema_rules, NULL) \
    X("imf-2k", "IMF 2K, lossy", 0, 0, 4, &wvl_check_imf_rules, NULL)                                                  \
    X("imf-4k", "IMF 4K, lossy", 0, 0, 5, &wvl_check_imf_rules, NULL)                                                  \
    X("imf-8k", "IMF 8K, lossy", 0, 0, 6, &wvl_check_imf_rules, NULL)                                                  \
    X("imf-2k-r", "IMF 2K, reversible", 0, 0, 7, &wvl_check_imf_rules, NULL)                                           \
    X("imf-4k-r", "IMF 4K, reversible", 0, 0, 8, &wvl_check_imf_rules, NULL)                                           \
    X("imf-8k-r", "IMF 8K, reversible", 0, 0, 9, &wvl_check_imf_rules, NULL)                                           \
    X("broadcast-single", "Broadcast contribution, one tile", 0, 0, 1, &wvl_check_broadcast_rules, NULL)               \
    X("broadcast-multi", "Broadcast contribution, several tiles", 0, 0, 2, &wvl_check_broadcast_rules, NULL)           \
    X("broadcast-multi-r", "Broadcast contribution, several tiles, reversible", 0, 0, 3, &wvl_check_broadcast_rules,   \
      NULL)                                                                                                            \
    X("kb-master", "Koninklijke Bibliotheek, lossless master", 1, 0, 0, &wvl_check_keep_rules, &wvl_check_kb_master)   \
    X("kb-access", "Koninklijke Bibliotheek, access copy", 1, 0, 0, &wvl_check_keep_rules, &wvl_check_kb_access)       \
    X("ndnp", "Library of Congress, National Digital Newspaper Program", 1, 0, 0, &wvl_check_keep_rules,               \
      &wvl_check_ndnp)                                                                                                 \
    X("bodleian", "Bodleian Library, lossless", 1, 0, 0, &wvl_check_keep_rules, &wvl_check_bodleian)                   \
    X("bodleian-lossy", "Bodleian Library, lossy", 1, 0, 0, &wvl_check_keep_rules, &wvl_check_bodleian_lossy)          \
    X("bl-newspaper", "British Library, newspapers", 1, 0, 0, &wvl_check_keep_rules, &wvl_check_bl_newspaper)          \
    X("ht-archive", "Preservation master with HT blocks, as the preset of that name writes it", 2, 1, 0,               \
      &wvl_check_keep_rules, &wvl_check_ht_archive)                                                                    \
    X("dicom-htj2k-rpcl", "DICOM, HTJ2K Lossless RPCL (1.2.840.10008.1.2.4.202)", 0, 1, 0, &wvl_check_dicom_rules,     \
      NULL)                                                                                                            \
    X("imf-ht-rev", "IMF with HT blocks, reversible", 0, 1, 1, &wvl_check_imf_ht_rules, NULL)                          \
    X("imf-ht-irv", "IMF with HT blocks, irreversible", 0, 1, 0, &wvl_check_imf_ht_rules, NULL)

static const wvl_walk_profile profiles[] = {
#define PROFILE(name, doc, file, ht, number, rules, numbers) {name, file, ht, number, rules, numbers},
    PROFILES(PROFILE)
#undef PROFILE
};

static const wvl_check_profile names[] = {
#define NAME(name, doc, file, ht, number, rules, numbers) {name, doc, 0, 0, 0},
    PROFILES(NAME)
#undef NAME
};

#define PROFILE_COUNT (sizeof profiles / sizeof profiles[0])
_Static_assert(PROFILE_COUNT <= WVL_CHECK_PROFILE_ROOM, "the summary has room for all profiles");

const wvl_check_profile *wvl_check_profiles(size_t *count)
{
    if (count) {
        *count = PROFILE_COUNT;
    }
    return names;
}

int wvl_check_knows_profile(const char *name)
{
    for (size_t i = 0; i < PROFILE_COUNT; i++) {
        if (!strcmp(names[i].name, name)) {
            return 1;
        }
    }
    return 0;
}

static int applies(const wvl_walk_profile *p, const wvl_walk *w)
{
    wvl_check_format format = w->summary->format;
    int is_read = w->main_header_end && w->main.has_cod && w->main.has_qcd;
    return is_read && (p->part15 < 0 || p->part15 == w->has_ht) && (p->file != 1 || format == WVL_CHECK_JP2) &&
           (p->file != 2 || format == WVL_CHECK_JPH);
}

static void report(wvl_walk *w, const wvl_walk_profile *p, wvl_check_rule_id id, const char *found)
{
    char text[400];
    const wvl_check_rule *rule = wvl_check_rule_of(id);
    snprintf(text, sizeof text, found[0] ? "%s Found: %s." : "%s", rule->doc, found);
    wvl_check_report_profile(w, rule, p->name, text);
}

static void judge_profile(wvl_walk *w, const wvl_walk_boxes *b, const wvl_walk_profile *p, int is_chosen, int is_clean,
                          wvl_check_profile *result)
{
    wvl_walk_facts f = {w, b, p, ""};
    result->applies = applies(p, w);
    for (size_t i = 0; result->applies && p->rules && i < p->rules->count; i++) {
        const wvl_walk_profile_rule *rule = &p->rules->items[i];
        f.text[0] = '\0';
        if (rule->holds(&f)) {
            continue;
        }
        result->violations += wvl_check_rule_of(rule->id)->severity == WVL_CHECK_ERROR;
        if (is_chosen) {
            report(w, p, rule->id, f.text);
        }
    }
    result->met = result->applies && is_clean && !result->violations;
    if (is_chosen && !result->applies) {
        result->violations = 1;
        report(w, p, WVL_RULE_PROFILE_APPLIES,
               p->file == 1   ? "not a JP2 file of Part 1"
               : p->file == 2 ? "not a JPH file"
               : p->part15    ? "no codestream of Part 15"
                              : "no codestream of Part 1");
    }
}

void wvl_check_judge_profiles(wvl_walk *w, const wvl_walk_boxes *b)
{
    wvl_check_summary *m = w->summary;
    int is_clean = !m->errors && m->complete && !w->limit_hit;
    m->profile_count = PROFILE_COUNT;
    for (size_t i = 0; i < PROFILE_COUNT; i++) {
        int is_chosen = w->options->profile && !strcmp(w->options->profile, profiles[i].name);
        m->profiles[i] = names[i];
        judge_profile(w, b, &profiles[i], is_chosen, is_clean, &m->profiles[i]);
    }
}
