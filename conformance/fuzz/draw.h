/* SPDX-License-Identifier: BSD-2-Clause */
/* Legal cases by chance: every key of the option table has a generator. */
#pragma once

#include "picture.h"

/* Which block coder a case uses. */
typedef enum fuzz_blocks {
    FUZZ_BLOCKS_ANY,
    FUZZ_BLOCKS_HT,      /* and no preset */
    FUZZ_BLOCKS_PART1,   /* and no preset, and one layer */
    FUZZ_BLOCKS_RATE,    /* the same with a target or a limit of bytes, or a slope, without rdoq */
    FUZZ_BLOCKS_HT_RATE, /* HT blocks with such targets and limits */
    FUZZ_BLOCKS_LAYERS,  /* EBCOT, no preset, several layers, and regions */
    FUZZ_BLOCKS_WAVES    /* EBCOT without rdoq and without a preset, and something that the CPU finishes */
} fuzz_blocks;

/* What is drawn so far, and what later generators need of it. */
typedef struct fuzz_draw {
    fuzz_random random;
    fuzz_case *c;
    fuzz_picture shape; /* without samples */
    const fuzz_folder *folder;
    uint32_t density; /* percent: how many options leave their default */
    uint32_t tiles, levels, layers, targets;
    int reversible, profile; /* profile: 0 and 1, or -1 */
    int can_mct;             /* the first three components are alike */
    int is_ht, only_presets;
    fuzz_blocks blocks;
    int is_converted; /* to X'Y'Z' */
    double raw_bytes, header_bytes;
    uint64_t seed;
} fuzz_draw;

/* The case of a seed: the same on every machine for the same folder. */
void fuzz_draw_case(uint64_t seed, const fuzz_folder *folder, fuzz_case *c);
/* Another one of the seed, with such blocks. */
void fuzz_draw_case_of(uint64_t seed, const fuzz_folder *folder, fuzz_blocks blocks, fuzz_case *c);
/* The same without what the CPU finishes: targets of PSNR, PLM, PPM, PPT, depths above 16. Targets and limits only with
 * FUZZ_BLOCKS_RATE, _HT_RATE and _LAYERS; layers and regions only with the last. With FUZZ_BLOCKS_WAVES a device codes
 * the blocks, and the CPU goes on. blocks: not FUZZ_BLOCKS_ANY. */
void fuzz_draw_packets_case(uint64_t seed, const fuzz_folder *folder, fuzz_blocks blocks, fuzz_case *c);
/* Another one of the seed, of a preset. */
void fuzz_draw_preset_case(uint64_t seed, const fuzz_folder *folder, fuzz_case *c);
/* Another one of the seed: 9/7 at a rate on a drawn picture, whose PSNR is estimated. */
void fuzz_draw_estimate_case(uint64_t seed, fuzz_case *c);
void fuzz_draw_picture(fuzz_draw *d);
void fuzz_draw_overrides(fuzz_draw *d);
void fuzz_draw_regions(fuzz_draw *d);
/* Measures what follows from the shape. */
void fuzz_draw_measure(fuzz_draw *d);
void fuzz_draw_color(fuzz_draw *d);
void fuzz_draw_device(fuzz_draw *d);
void fuzz_draw_reach(fuzz_draw *d);
void fuzz_draw_output_memory(fuzz_draw *d);
void fuzz_draw_device_memory(fuzz_draw *d);
/* 1: a preset was drawn, and a picture that suits it. */
int fuzz_draw_preset(fuzz_draw *d);
/* 1: the case's picture is one of those drawn for its preset. */
int fuzz_draw_suits_preset(const fuzz_case *c);
void fuzz_draw_frame_rate(fuzz_draw *d);
/* 1: a generator is there for the key. */
int fuzz_draw_knows(const char *key);

static inline uint32_t fuzz_draw_between(fuzz_draw *d, uint32_t low, uint32_t high)
{
    return fuzz_random_between(&d->random, low, high);
}
/* EBCOT blocks, and one layer. */
static inline int fuzz_draw_is_part1(const fuzz_draw *d)
{
    return d->blocks == FUZZ_BLOCKS_PART1 || d->blocks == FUZZ_BLOCKS_RATE;
}
static inline int fuzz_draw_has_targets(fuzz_blocks blocks)
{
    return blocks == FUZZ_BLOCKS_RATE || blocks == FUZZ_BLOCKS_HT_RATE || blocks == FUZZ_BLOCKS_LAYERS;
}
static inline int fuzz_draw_is_all_ht(fuzz_blocks blocks)
{
    return blocks == FUZZ_BLOCKS_HT || blocks == FUZZ_BLOCKS_HT_RATE;
}
static inline int fuzz_draw_chance(fuzz_draw *d, uint32_t percent) { return fuzz_random_chance(&d->random, percent); }
/* An option that half of the dense cases use. */
static inline int fuzz_draw_wants(fuzz_draw *d) { return fuzz_draw_chance(d, d->density); }
