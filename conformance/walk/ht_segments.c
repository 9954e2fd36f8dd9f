/* SPDX-License-Identifier: BSD-2-Clause */
/* HT segments of a packet, decoded where they stand. With several layers a block's refinement may come later than its
 * cleanup pass, which is then decoded a second time: nothing of it is kept but its place. */
#include <string.h>

#include "ht.h"
#include "tile.h"

#define SAMPLES_A_UNIT 32u /* of work; 128 units for the largest block, which has two bytes at least */

typedef struct judge {
    wvl_walk_tile_walk *t;
    const wvl_walk_resolution *res;
    const wvl_walk_ht_part *part;
    wvl_walk_ht_block block;
    const wvl_walk_band *map_band; /* the block that the map is of; NULL: of none */
    uint32_t map_block;
} judge;

static void report(const judge *j, wvl_walk_ht_finding f, uint64_t at)
{
    wvl_walk *w = j->t->w;
    at += f.at;
    switch (f.fault) {
    case WVL_WALK_HT_MAGSGN_STUFFING:
        wvl_check_fail_once(w, WVL_RULE_HT_STUFFING, at, "MagSgn has a 1 after 0xFF");
        break;
    case WVL_WALK_HT_SIGPROP_STUFFING:
        wvl_check_fail_once(w, WVL_RULE_HT_STUFFING, at, "SigProp has a 1 after 0xFF");
        break;
    case WVL_WALK_HT_MEL_STUFFING: wvl_check_fail_once(w, WVL_RULE_HT_SKIPPED_BIT, at, "MEL has a 1 after 0xFF"); break;
    case WVL_WALK_HT_VLC_STUFFING: wvl_check_fail_once(w, WVL_RULE_HT_SKIPPED_BIT, at, "VLC begins with 0xF"); break;
    case WVL_WALK_HT_MAGSGN_SHORT:
        wvl_check_fail_once(w, WVL_RULE_HT_MAGSGN_SHORT, at, "%u bits of MagSgn behind its last byte", f.a);
        break;
    case WVL_WALK_HT_VLC_SHORT:
        wvl_check_fail_once(w, WVL_RULE_HT_VLC_SHORT, at, "%u bits of VLC before its first byte", f.a);
        break;
    case WVL_WALK_HT_EXPONENT:
        wvl_check_fail_once(w, WVL_RULE_HT_EXPONENT, at, "U is %u, at most %u fits the zero bit-planes", f.a, f.b);
        break;
    case WVL_WALK_HT_MAGNITUDE:
        wvl_check_fail_once(w, WVL_RULE_HT_MAGNITUDE, at, "a magnitude of %u bits, %u fit the zero bit-planes", f.a,
                            f.b);
        break;
    case WVL_WALK_HT_OUTSIDE:
        wvl_check_fail_once(w, WVL_RULE_HT_OUTSIDE, at, "the quad at %u, %u is significant beyond a block of %u x %u",
                            f.a, f.b, j->block.width, j->block.height);
        break;
    case WVL_WALK_HT_CLEANUP_OVERLAP:
        wvl_check_fail_once(w, WVL_RULE_HT_OVERLAP, at, "MEL and VLC both read %u bytes", f.a);
        break;
    case WVL_WALK_HT_REFINEMENT_OVERLAP:
        wvl_check_fail_once(w, WVL_RULE_HT_OVERLAP, at, "SigProp and MagRef both read %u bytes", f.a);
        break;
    case WVL_WALK_HT_CLEANUP_UNREAD:
        wvl_check_fail_once(w, WVL_RULE_HT_UNREAD, at, "%u bytes of a cleanup segment are not read", f.a);
        break;
    case WVL_WALK_HT_REFINEMENT_UNREAD:
        wvl_check_fail_once(w, WVL_RULE_HT_UNREAD, at, "%u bytes of a refinement segment are not read", f.a);
        break;
    default: break;
    }
}

static uint64_t greatest(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* 0: there is nothing to judge the block by, or a limit is reached. */
static int open_block(judge *j)
{
    const wvl_walk_band *band = j->part->band;
    const wvl_walk_block *k = &band->blocks[j->part->block];
    uint64_t col = (band->area.x0 >> band->xcb) + j->part->block % band->cols,
             row = (band->area.y0 >> band->ycb) + j->part->block / band->cols;
    j->block.width =
        (unsigned)(least((col + 1) << band->xcb, band->area.x1) - greatest(col << band->xcb, band->area.x0));
    j->block.height =
        (unsigned)(least((row + 1) << band->ycb, band->area.y1) - greatest(row << band->ycb, band->area.y0));
    j->block.skipped = (unsigned)(band->mb - k->planes) + j->part->set;
    j->block.is_causal = wvl_check_coding_of(j->t->w, j->res->component)->style >> 3 & 1;
    return k->planes > (int)j->part->set &&
           wvl_check_charge(j->t->w, j->block.width * j->block.height / SAMPLES_A_UNIT + 1);
}

static int scup_is_sound(const uint8_t *data, uint64_t bytes)
{
    unsigned scup = bytes < 2 ? 0 : (unsigned)data[bytes - 1] << 4 | (data[bytes - 2] & 15);
    return bytes < 65535 && scup >= 2 && scup <= 4079 && scup <= bytes;
}

/* On the scale of is_told() in scope.c: what samples need, where QCD and QCC only allow it. */
static void compare_bound(const judge *j, unsigned bits, uint64_t at)
{
    wvl_walk *w = j->t->w;
    const wvl_walk_resolution *res = j->res;
    int level = res->r ? res->levels - res->r + 1 : res->levels,
        reversible = wvl_check_coding_of(w, res->component)->transform;
    int needed =
        (int)bits + j->part->band->blocks[j->part->block].planes - 1 - j->part->set + (reversible ? 0 : 1 - level);
    w->summary->ht_block_count++;
    if (!bits || !w->has_ht || wvl_check_shift_of(w, res->component)) {
        return;
    }
    w->summary->ht_bound_told = wvl_check_told_bound(w);
    w->summary->ht_bound_needed = (uint32_t)greatest(w->summary->ht_bound_needed, needed > 0 ? (uint64_t)needed : 0);
    if (needed > (int)wvl_check_told_bound(w)) {
        wvl_check_fail_once(w, WVL_RULE_CAP_MAGNITUDE_EXCEEDED, at,
                            "a sample needs %d bits, but Ccap15 is 0x%04X, %u bits", needed, w->ccap15,
                            wvl_check_told_bound(w));
    }
}

/* Says whether the block's refinement can be judged by it. */
static int is_whole(wvl_walk_ht_fault fault)
{
    return fault == WVL_WALK_HT_SOUND || fault == WVL_WALK_HT_MEL_STUFFING || fault == WVL_WALK_HT_VLC_STUFFING ||
           fault > WVL_WALK_HT_OUTSIDE;
}

static void judge_cleanup(judge *j, uint64_t at, uint32_t bytes, int is_refined)
{
    const uint8_t *data = j->t->w->data + at;
    unsigned bits;
    j->map_band = NULL;
    if (!scup_is_sound(data, bytes) || !open_block(j)) {
        return;
    }
    wvl_walk_ht_finding found = wvl_check_decode_cleanup(&j->block, data, bytes, is_refined, j->t->w->ht, &bits);
    report(j, found, at);
    if (is_whole(found.fault)) {
        compare_bound(j, bits, at);
        j->map_band = is_refined ? j->part->band : NULL;
        j->map_block = j->part->block;
    }
}

/* The cleanup pass came with an earlier packet: its map is made again, without a report. */
static int restore_map(judge *j, const wvl_walk_ht_coded *coded)
{
    unsigned bits;
    if (!coded->cleanup_bytes || !open_block(j)) {
        return 0;
    }
    wvl_walk_ht_finding found = wvl_check_decode_cleanup(&j->block, j->t->w->data + coded->cleanup_at,
                                                         coded->cleanup_bytes, 1, j->t->w->ht, &bits);
    return is_whole(found.fault);
}

/* MagRef may come later than SigProp: both make one segment. */
static const uint8_t *join(judge *j, const wvl_walk_ht_coded *coded, const uint8_t *data, uint32_t *bytes)
{
    uint8_t *joint = j->t->w->ht->refinement;
    if (!coded || !coded->refinement_bytes) {
        return data;
    }
    if (*bytes + coded->refinement_bytes > WVL_WALK_HT_REFINEMENT) {
        wvl_check_fail_once(j->t->w, WVL_RULE_HT_REFINEMENT_LENGTH, (uint64_t)(data - j->t->w->data),
                            "an HT refinement segment of %u bytes in two packets", *bytes + coded->refinement_bytes);
        return NULL;
    }
    memcpy(joint, j->t->w->data + coded->refinement_at, coded->refinement_bytes);
    memcpy(joint + coded->refinement_bytes, data, *bytes);
    *bytes += coded->refinement_bytes;
    return joint;
}

static void judge_refinement(judge *j, uint64_t at, uint32_t bytes, unsigned passes, int is_last)
{
    const wvl_walk_ht_coded *coded = j->part->band->coded ? &j->part->band->coded[j->part->block] : NULL;
    int has_map = j->map_band == j->part->band && j->map_block == j->part->block;
    const uint8_t *data;
    if (bytes > WVL_WALK_HT_REFINEMENT || (!has_map && !(coded && restore_map(j, coded))) ||
        !(data = join(j, coded, j->t->w->data + at, &bytes))) {
        return;
    }
    wvl_walk_ht_finding found =
        wvl_check_decode_refinement(&j->block, data, bytes, passes, passes > 2 || is_last, j->t->w->ht);
    if (data == j->t->w->ht->refinement) { /* a place in one of two pieces */
        size_t first = coded->refinement_bytes;
        at = found.at < first ? coded->refinement_at : at - first;
    }
    report(j, found, at);
}

static void remember(const judge *j, const wvl_walk_contribution *c, uint64_t at)
{
    if (j->part->band->coded) {
        wvl_walk_ht_coded *coded = &j->part->band->coded[j->part->block];
        if (c->kind == 1) {
            *coded = (wvl_walk_ht_coded){.cleanup_at = at,
                                         .cleanup_bytes =
                                             scup_is_sound(j->t->w->data + at, c->bytes) ? (uint16_t)c->bytes : 0};
        } else if (c->bytes <= WVL_WALK_HT_REFINEMENT) {
            coded->refinement_at = at;
            coded->refinement_bytes = (uint16_t)c->bytes;
        }
    }
}

static int is_refined_next(const wvl_walk_tile_walk *t, size_t i, const wvl_walk_ht_part *part)
{
    const wvl_walk_contribution *c = t->contributions.items;
    return i + 1 < t->contributions.count && c[i + 1].kind == 2 && part[1].band == part->band &&
           part[1].block == part->block;
}

void wvl_check_judge_ht(wvl_walk_tile_walk *t, const wvl_walk_resolution *res, uint64_t at, int is_last)
{
    wvl_walk *w = t->w;
    judge j = {.t = t, .res = res, .part = t->ht_parts.items};
    const wvl_walk_contribution *c = t->contributions.items;
    if (!t->ht_parts.count || (!w->ht && !(w->ht = wvl_check_allocate(w, 1, sizeof *w->ht)))) {
        return;
    }
    for (size_t i = 0; i < t->contributions.count && !w->limit_hit; i++) {
        if (c[i].kind == 1) {
            judge_cleanup(&j, at, c[i].bytes, is_refined_next(t, i, j.part));
        } else if (c[i].kind == 2) {
            judge_refinement(&j, at, c[i].bytes, c[i].passes, is_last);
        }
        if (c[i].kind) {
            remember(&j, &c[i], at);
            j.part++;
        }
        at += c[i].bytes;
    }
}
