/* SPDX-License-Identifier: BSD-2-Clause */
/* SIZ, CAP, PRF, CPF, CRG, COM (A.5, A.9; 15444-15 Annex A), NLT (15444-2 A.3.10). */
#include <string.h>

#include "walk.h"

static int is_known_profile(unsigned rsiz)
{
    unsigned number = rsiz & 0xFFF, kind = number >> 8, sub = number >> 4 & 15, level = number & 15;
    if (rsiz & 0x3000) { /* reserved */
        return 0;
    }
    if (rsiz & 0x8000) { /* Part 2, whose other bits name extensions: NLT alone is known here */
        return number == 0x200;
    }
    if (number == 0xFFF || number <= 7) {
        return 1;
    }
    return level <= 11 && ((kind >= 1 && kind <= 3 && !sub) || (kind >= 4 && kind <= 9 && sub <= 9));
}

static int read_extents(wvl_walk *w, wvl_walk_segment *s)
{
    uint32_t *const fields[8] = {&w->x1,         &w->y1,          &w->x0,      &w->y0,
                                 &w->tile_width, &w->tile_height, &w->tile_x0, &w->tile_y0};
    for (unsigned i = 0; i < 8; i++) {
        *fields[i] = wvl_check_take(s, 4);
    }
    if (w->x0 >= w->x1 || w->y0 >= w->y1) {
        return wvl_check_fail(w, WVL_RULE_SIZ_EXTENT, s->offset, "the image area is [%u, %u) by [%u, %u)", w->x0, w->x1,
                              w->y0, w->y1);
    }
    if (w->tile_x0 > w->x0 || w->tile_y0 > w->y0 || (uint64_t)w->tile_x0 + w->tile_width <= w->x0 ||
        (uint64_t)w->tile_y0 + w->tile_height <= w->y0) {
        return wvl_check_fail(w, WVL_RULE_SIZ_TILE, s->offset,
                              "tiles of %u x %u from %u,%u, but the image begins at %u,%u", w->tile_width,
                              w->tile_height, w->tile_x0, w->tile_y0, w->x0, w->y0);
    }
    w->tiles_wide = ((uint64_t)w->x1 - w->tile_x0 + w->tile_width - 1) / w->tile_width;
    w->tiles_high = ((uint64_t)w->y1 - w->tile_y0 + w->tile_height - 1) / w->tile_height;
    if (w->tiles_wide * w->tiles_high > 65535) {
        return wvl_check_fail(w, WVL_RULE_SIZ_TILE_COUNT, s->offset, "%llu x %llu tiles",
                              (unsigned long long)w->tiles_wide, (unsigned long long)w->tiles_high);
    }
    return 1;
}

static int read_components(wvl_walk *w, wvl_walk_segment *s, uint32_t count)
{
    w->components = wvl_check_allocate(w, count, sizeof *w->components);
    if (!w->components) {
        return 0;
    }
    w->component_count = count;
    for (uint32_t c = 0; c < w->component_count; c++) {
        wvl_walk_component *k = &w->components[c];
        unsigned ssiz = wvl_check_take(s, 1);
        k->is_signed = (uint8_t)(ssiz >> 7);
        k->depth = (uint8_t)((ssiz & 0x7F) + 1);
        k->dx = (uint8_t)wvl_check_take(s, 1);
        k->dy = (uint8_t)wvl_check_take(s, 1);
        if (k->depth > 38) {
            wvl_check_fail(w, WVL_RULE_SIZ_DEPTH, s->offset, "component %u has %u bits", c, k->depth);
        }
        if (!k->dx || !k->dy) {
            return wvl_check_fail(w, WVL_RULE_SIZ_SUBSAMPLING, s->offset, "component %u has a subsampling of %u x %u",
                                  c, k->dx, k->dy);
        }
    }
    return 1;
}

static int copy_to_summary(wvl_walk *w)
{
    wvl_check_summary *m = w->summary;
    m->rsiz = w->rsiz;
    m->x0 = w->x0, m->y0 = w->y0, m->x1 = w->x1, m->y1 = w->y1;
    m->tile_x0 = w->tile_x0, m->tile_y0 = w->tile_y0;
    m->tile_width = w->tile_width, m->tile_height = w->tile_height;
    m->tile_count = w->tiles_wide * w->tiles_high;
    m->components = wvl_check_allocate(w, w->component_count, sizeof *m->components);
    if (!m->components) {
        return 0;
    }
    m->component_count = w->component_count;
    for (uint32_t c = 0; c < w->component_count; c++) {
        const wvl_walk_component *k = &w->components[c];
        m->components[c] = (wvl_check_component){k->depth, k->is_signed, k->dx, k->dy, 0, 0};
    }
    return 1;
}

int wvl_check_read_siz(wvl_walk *w, wvl_walk_segment *s)
{
    if (s->length < 41) {
        return wvl_check_fail(w, WVL_RULE_SIZ_LENGTH, s->offset, "Lsiz is %llu", (unsigned long long)s->length);
    }
    w->rsiz = (uint16_t)wvl_check_take(s, 2);
    if (!is_known_profile(w->rsiz)) {
        wvl_check_fail(w, WVL_RULE_SIZ_RSIZ, s->offset, "Rsiz is 0x%04X", w->rsiz);
    }
    if (!read_extents(w, s)) {
        return 0;
    }
    uint32_t count = wvl_check_take(s, 2);
    if (!count || count > 16384) {
        return wvl_check_fail(w, WVL_RULE_SIZ_COMPONENTS, s->offset, "Csiz is %u", count);
    }
    if (s->length != 38 + 3 * (uint64_t)count) {
        return wvl_check_fail(w, WVL_RULE_SIZ_LENGTH, s->offset, "Lsiz is %llu with %u components",
                              (unsigned long long)s->length, count);
    }
    return read_components(w, s, count) && copy_to_summary(w);
}

/* ---- Capabilities and profile numbers -------------------------------------------------------- */

void wvl_check_read_cap(wvl_walk *w, wvl_walk_segment *s)
{
    unsigned words = 0;
    w->has_cap = 1;
    if (s->length < 6) {
        wvl_check_fail(w, WVL_RULE_CAP_LENGTH, s->offset, "Lcap is %llu", (unsigned long long)s->length);
        return;
    }
    if (s->offset != w->first_of[WVL_WALK_MARK_SIZ] + 40 + 3 * (uint64_t)w->component_count) {
        wvl_check_fail(w, WVL_RULE_CAP_PLACE, s->offset, "CAP does not follow SIZ");
    }
    w->pcap = wvl_check_take(s, 4);
    for (uint32_t bits = w->pcap; bits; bits &= bits - 1) {
        words++;
    }
    if (s->length != 6 + 2 * words) {
        wvl_check_fail(w, WVL_RULE_CAP_LENGTH, s->offset, "Lcap is %llu with %u parts named",
                       (unsigned long long)s->length, words);
    }
    if (w->pcap & ~UINT32_C(0x20000)) {
        wvl_check_fail(w, WVL_RULE_CAP_PARTS, s->offset, "Pcap is 0x%08X", (unsigned)w->pcap);
    }
    for (unsigned part = 1; part < 15; part++) { /* the words come by part number */
        if (w->pcap >> (32 - part) & 1) {
            (void)wvl_check_take(s, 2);
        }
    }
    if (w->pcap & 0x20000) {
        w->ccap15 = (uint16_t)wvl_check_take(s, 2);
        w->has_ht = 1;
        if ((w->ccap15 & 0x07C0) || w->ccap15 >> 14 == 1) {
            wvl_check_fail(w, WVL_RULE_CAP_RESERVED, s->offset, "Ccap15 is 0x%04X", w->ccap15);
        }
    }
}

static void check_words(wvl_walk *w, wvl_walk_segment *s, const char *name, wvl_check_rule_id length_rule,
                        wvl_check_rule_id value_rule)
{
    uint32_t last = 0;
    if (s->length < 4 || s->length % 2) {
        wvl_check_fail(w, length_rule, s->offset, "%s has a length of %llu", name, (unsigned long long)s->length);
        return;
    }
    while (s->left) {
        last = wvl_check_take(s, 2);
    }
    if (!last) {
        wvl_check_fail(w, value_rule, s->offset, "the last word of %s is 0", name);
    }
}

void wvl_check_read_prf(wvl_walk *w, wvl_walk_segment *s)
{
    w->has_prf = 1;
    check_words(w, s, "PRF", WVL_RULE_PRF_LENGTH, WVL_RULE_PRF_VALUE);
}

void wvl_check_read_cpf(wvl_walk *w, wvl_walk_segment *s)
{
    check_words(w, s, "CPF", WVL_RULE_CPF_LENGTH, WVL_RULE_CPF_VALUE);
}

/* ---- Non-linearity --------------------------------------------------------------------------- */

/* The types 1 and 2 have tables, which are not read here. */
void wvl_check_read_nlt(wvl_walk *w, wvl_walk_segment *s)
{
    unsigned least = 6, c, depth, type;
    if (s->length < least) {
        wvl_check_fail(w, WVL_RULE_NLT_LENGTH, s->offset, "Lnlt is %llu", (unsigned long long)s->length);
        return;
    }
    c = wvl_check_take(s, 2);
    depth = wvl_check_take(s, 1);
    type = wvl_check_take(s, 1);
    if (type > 3) {
        wvl_check_fail(w, WVL_RULE_NLT_TYPE, s->offset, "Tnlt is %u", type);
        return;
    }
    if ((type == 0 || type == 3) && s->length != least) {
        wvl_check_fail(w, WVL_RULE_NLT_LENGTH, s->offset, "Lnlt is %llu with Tnlt %u", (unsigned long long)s->length,
                       type);
    }
    if (c >= w->component_count && c != 65535) {
        wvl_check_fail(w, WVL_RULE_NLT_COMPONENT, s->offset, "Cnlt is %u of %u components", c, w->component_count);
        return;
    }
    int is_second = c == 65535 ? w->has_nlt : w->components[c].has_nlt;
    if (is_second && !s->part) {
        wvl_check_fail(w, WVL_RULE_NLT_DUPLICATE, s->offset, "a second NLT for Cnlt %u in this header", c);
    }
    w->has_nlt |= c == 65535;
    for (uint32_t i = 0; i < w->component_count; i++) {
        wvl_walk_component *k = &w->components[i];
        unsigned ssiz = (unsigned)k->is_signed << 7 | (k->depth - 1u);
        k->has_nlt |= i == c;
        if ((i == c || c == 65535) && type == 3 && depth != ssiz) {
            wvl_check_fail(w, WVL_RULE_NLT_DEPTH, s->offset, "BDnlt is 0x%02X for component %u, whose Ssiz is 0x%02X",
                           depth, i, ssiz);
            return;
        }
    }
}

/* ---- Informative marker segments ------------------------------------------------------------- */

void wvl_check_read_crg(wvl_walk *w, wvl_walk_segment *s)
{
    if (s->length != 2 + 4 * (uint64_t)w->component_count) {
        wvl_check_fail(w, WVL_RULE_CRG_LENGTH, s->offset, "Lcrg is %llu with %u components",
                       (unsigned long long)s->length, w->component_count);
    }
}

void wvl_check_read_com(wvl_walk *w, wvl_walk_segment *s)
{
    if (s->length < 5) {
        wvl_check_fail(w, WVL_RULE_COM_LENGTH, s->offset, "Lcom is %llu", (unsigned long long)s->length);
        return;
    }
    unsigned registration = wvl_check_take(s, 2);
    if (registration > 1) {
        wvl_check_fail(w, WVL_RULE_COM_REGISTRATION, s->offset, "Rcom is %u", registration);
    }
    w->comment_texts += registration == 1;
}
