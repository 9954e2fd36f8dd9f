/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile is a list of rules, each with the function that decides whether it holds. */
#pragma once

#include "boxes.h"

typedef struct wvl_walk_profile wvl_walk_profile;

typedef struct wvl_walk_facts {
    const wvl_walk *w;
    const wvl_walk_boxes *b;
    const wvl_walk_profile *profile;
    char text[256]; /* what was found, when a rule does not hold; "" leaves the rule's own sentence */
} wvl_walk_facts;

typedef struct wvl_walk_profile_rule {
    wvl_check_rule_id id;
    int (*holds)(wvl_walk_facts *f);
} wvl_walk_profile_rule;

typedef struct wvl_walk_profile_rules {
    const wvl_walk_profile_rule *items;
    size_t count;
} wvl_walk_profile_rules;

struct wvl_walk_profile {
    const char *name;
    int file, part15, number; /* number: what Rsiz says of it, or which of a family it is */
    const wvl_walk_profile_rules *rules;
    const void *numbers; /* of the family's own type */
};

extern const wvl_walk_profile_rules wvl_check_profile0_rules, wvl_check_profile1_rules, wvl_check_cinema_rules,
    wvl_check_imf_rules, wvl_check_broadcast_rules, wvl_check_keep_rules, wvl_check_dicom_rules, wvl_check_imf_ht_rules;

typedef struct wvl_walk_keep_numbers wvl_walk_keep_numbers;
extern const wvl_walk_keep_numbers wvl_check_kb_master, wvl_check_kb_access, wvl_check_ndnp, wvl_check_bodleian,
    wvl_check_bodleian_lossy, wvl_check_bl_newspaper, wvl_check_ht_archive;

int wvl_check_knows_profile(const char *name);
/* Fills the summary's profiles, and reports what breaks the one that the options name. */
void wvl_check_judge_profiles(wvl_walk *w, const wvl_walk_boxes *b);

/* Sets f->text and returns 0. */
int wvl_check_refuse(wvl_walk_facts *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Questions that several profiles ask. */
int wvl_check_all_offsets_zero(wvl_walk_facts *f);
int wvl_check_one_layer(wvl_walk_facts *f);
int wvl_check_order_is(wvl_walk_facts *f, unsigned order);
int wvl_check_wavelet_is(wvl_walk_facts *f, unsigned transform);
/* At most `most` components, each unsigned, of 8 to most_bits bits. */
int wvl_check_components_are(wvl_walk_facts *f, uint32_t most, unsigned most_bits);
int wvl_check_blocks_32(wvl_walk_facts *f);
int wvl_check_precincts_7_8(wvl_walk_facts *f);
int wvl_check_no_markers(wvl_walk_facts *f, const wvl_walk_marker_id *markers, size_t count);
int wvl_check_no_packed_headers_nor_regions(wvl_walk_facts *f);
int wvl_check_only_order_is(wvl_walk_facts *f, unsigned order);    /* and there is no POC */
int wvl_check_levels_are(wvl_walk_facts *f, unsigned most_levels); /* 1 to most_levels everywhere */
int wvl_check_parts_by_component(wvl_walk_facts *f);               /* each tile: one tile-part a component, in order */
int wvl_check_has_tlm(wvl_walk_facts *f);
int wvl_check_is_one_tile(const wvl_walk *w);
/* bits * seconds / frames, rounded down: what a rate leaves for one frame, in bytes. */
uint64_t wvl_check_frame_bytes(const wvl_walk *w, uint64_t bits_per_second);
/* Msamples a second of main level 1..11 of IMF and broadcast; 0: no limit. */
uint64_t wvl_check_level_samples(unsigned level);
int wvl_check_samples_fit(wvl_walk_facts *f, unsigned level);
