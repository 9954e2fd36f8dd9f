/* SPDX-License-Identifier: BSD-2-Clause */
/* The generator of random configurations knows every option and draws each of them; the reducer finds what a failure
 * needs. */

#include "conformance/fuzz/draw.h"
#include "conformance/fuzz/faults.h"
#include "conformance/fuzz/illegal.h"
#include "conformance/fuzz/reduce.h"
#include "conformance/fuzz/run.h"
#include "conformance/fuzz/tally.h"
#include "tests/support/owned.h"
#include "tests/support/support.h"

#define SEEDS 4000u

static fuzz_case drawn, again;
static char line[FUZZ_MAX_TEXT], other[FUZZ_MAX_TEXT];

TEST(every_option_is_known)
{
    size_t count;
    const wvl_option *options = wvl_options(&count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(fuzz_draw_knows(options[i].key), "option %s: conformance/fuzz/draw.c has no generator for it",
                      options[i].key);
    }
}

TEST(every_option_is_drawn)
{
    size_t count;
    const wvl_option *options = wvl_options(&count);
    OWNED unsigned *seen = calloc(count, sizeof *seen);
    ck_assert_ptr_nonnull(seen);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        fuzz_draw_case(seed, NULL, &drawn);
        for (size_t i = 0; i < count; i++) {
            const char *value = fuzz_case_get(&drawn, options[i].key);
            seen[i] += value && strcmp(value, options[i].initial) != 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(seen[i] > 0, "option %s never leaves its default", options[i].key);
    }
}

/* A line repeats a case; a seed draws the same one. */
TEST(lines_repeat_cases)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        fuzz_draw_case(seed, NULL, &drawn);
        fuzz_case_print(&drawn, line, sizeof line);
        ck_assert(fuzz_case_parse(&again, line));
        ck_assert_uint_eq(again.count, drawn.count);
        fuzz_case_print(&again, other, sizeof other);
        ck_assert_str_eq(line, other);
        for (uint32_t i = 0; i < drawn.count; i++) {
            ck_assert_str_eq(drawn.pairs[i].value, again.pairs[i].value);
        }
        fuzz_draw_case(seed, NULL, &again);
        fuzz_case_print(&again, other, sizeof other);
        ck_assert_str_eq(line, other);
    }
    ck_assert(!fuzz_case_parse(&again, "levels"));
    ck_assert(!fuzz_case_parse(&again, "=3"));
    ck_assert(!fuzz_case_parse(&again, "comment=%4"));
    ck_assert(!fuzz_case_parse(&again, "comment=%00"));
    ck_assert(fuzz_case_parse(&again, "# what it is about\nlevels=2 style=4\n") && again.count == 2);
}

/* Names are unique, so that a line repeats its rule. */
TEST(rules_have_names)
{
    uint32_t count = fuzz_illegal_count();
    ck_assert_uint_ge(count, 100);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            ck_assert_str_ne(fuzz_illegal_name(i), fuzz_illegal_name(k));
        }
    }
}

/* ---- Reducing -------------------------------------------------------------------------------- */

typedef struct planted {
    unsigned trials;
} planted;

/* TERMALL, three levels and a component of 12 bits: a fault of three options, as real ones are. */
static int shows_planted(void *user, const fuzz_case *c)
{
    planted *p = user;
    p->trials++;
    return (strtoul(fuzz_case_or(c, "style", "0"), NULL, 10) & 4) &&
           strtoul(fuzz_case_or(c, "levels", "5"), NULL, 10) >= 3 &&
           strstr(fuzz_case_or(c, "components", "8u"), "12u") != NULL;
}

TEST(faults_are_reduced)
{
    unsigned found = 0;
    for (uint64_t seed = 1; seed <= 20 * SEEDS && found < 5; seed++) {
        planted p = {0};
        fuzz_draw_case(seed, NULL, &drawn);
        if (!shows_planted(&p, &drawn) || drawn.count < 14) {
            continue;
        }
        found++;
        uint32_t trials = fuzz_reduce_case(&drawn, shows_planted, &p, 5000);
        fuzz_case_print(&drawn, line, sizeof line);
        ck_assert_uint_eq(trials + 1, p.trials);
        ck_assert_msg(drawn.count == 2, "seed %u: %s", (unsigned)seed, line);
        ck_assert_str_eq(fuzz_case_get(&drawn, "style"), "4");
        ck_assert_msg(!strchr(fuzz_case_get(&drawn, "components"), ','), "seed %u: %s", (unsigned)seed, line);
    }
    ck_assert_uint_eq(found, 5);
}

static int shows_long_list(void *user, const fuzz_case *c)
{
    (void)user;
    return strstr(fuzz_case_or(c, "precincts", ""), "[32,64]") &&
           strstr(fuzz_case_or(c, "progression-changes", ""), "RPCL") &&
           strtoul(fuzz_case_or(c, "size", "0"), NULL, 10) >= 37;
}

TEST(lists_and_numbers_become_small)
{
    ck_assert(fuzz_case_parse(
        &drawn, "picture=kodim01.png size=211,190 precincts=[128,8],[32,64],[256,256] sop=yes comment=a%20b "
                "progression-changes=T1=2,0,1,3,1,LRCP/4,0,7,6,3,RPCL/0,0,7,33,256,CPRL"));
    (void)fuzz_reduce_case(&drawn, shows_long_list, NULL, 5000);
    fuzz_case_print(&drawn, line, sizeof line);
    ck_assert_str_eq(line, "size=37 precincts=[32,64] progression-changes=RPCL");
}

/* A decoder's fault explains the cases that its evidence names, and no others. */
static const struct {
    fuzz_decoder decoder;
    const char *fault, *options;
    int is_known;
    const char *complaint;
} fault_rows[] = {
#define CHANGES "layers=2 progression-changes="
    {FUZZ_GROK, "grok-poc", CHANGES "0,0,2,6,3,LRCP", 0, NULL},
    {FUZZ_GROK, "grok-poc", CHANGES "0,0,2,3,3,LRCP/3,0,2,6,3,RPCL", 0, NULL}, /* resolutions apart */
    {FUZZ_GROK, "grok-poc", CHANGES "0,0,2,6,1,LRCP/0,1,2,6,3,RPCL", 0, NULL}, /* components apart */
    /* the third with the first */
    {FUZZ_GROK, "grok-poc", CHANGES "0,0,1,3,3,LRCP/3,0,2,6,3,RPCL/2,0,2,3,1,CPRL", 1, NULL},
    {FUZZ_GROK, "grok-poc", CHANGES "T1=0,0,1,6,3,LRCP/T2=0,0,2,6,3,RPCL", 0, NULL}, /* of different tiles */
    {FUZZ_GROK, "grok-poc", CHANGES "T1=0,0,1,6,3,LRCP/T2=0,0,2,6,3,RPCL/T1=5,2,2,6,3,RPCL", 1, NULL},
    {FUZZ_GROK, "grok-poc", CHANGES "0,0,1,6,3,LRCP/0,0,2,6,3,RLCP", 1, NULL},
    {FUZZ_GROK, "grok-component-parts", "tile-parts=C layers=2", 1, NULL},
    {FUZZ_GROK, "grok-component-parts", "tile-parts=LC bpp=0.5,1", 1, NULL},
    {FUZZ_GROK, "grok-component-parts", "tile-parts=C", 0, NULL},
    {FUZZ_GROK, "grok-component-parts", "tile-parts=LR layers=2", 0, NULL},
    {FUZZ_GROK, "grok-component-parts", "layers=2 bpp=0.5,1", 0, NULL},
    {FUZZ_GROK, "grok-component-parts", "tile-parts=RLC rates=20", 0, NULL},
/* Blocks of 31 planes, of which OpenJPEG says that it does not carry them. */
#define DEEP "reversible=no levels=28"
    {FUZZ_GROK, "grok-planes", DEEP, 0, NULL},
    {FUZZ_GROK, "grok-planes", DEEP, 1, "OpenJPEG: unsupported bpno_plus_one = 35 >= 31"},
    {FUZZ_GROK, "grok-planes", DEEP, 1, "OpenJPEG: number of bitplane, 31, is larger than 30"},
    {FUZZ_GROK, "grok-planes", DEEP, 0, "OpenJPEG: tile part too short"},
    {FUZZ_OPENJPEG, "openjpeg-far-precincts", "levels=16 overrides=T1-1:progression=CPRL", 1, NULL},
    {FUZZ_OPENJPEG, "openjpeg-far-precincts", "levels=16 overrides=T1-1:progression=RPCL", 1, NULL},
    {FUZZ_OPENJPEG, "openjpeg-far-precincts", "levels=15 overrides=T1-1:progression=CPRL", 0, NULL},
    {FUZZ_OPENJPEG, "openjpeg-far-precincts", "levels=16 overrides=T1-1:progression=RLCP", 0, NULL},
};

TEST_EACH(options_and_complaints_explain, sizeof fault_rows / sizeof *fault_rows)
{
    int is_poc = !strcmp(fault_rows[_i].fault, "grok-poc"), is_deep = !strcmp(fault_rows[_i].fault, "grok-planes");
    fuzz_plane plane = {.width = 300, .height = 200, .depth = is_deep ? 12 : 8, .dx = 1, .dy = 1};
    fuzz_plane planes[3] = {plane, plane, plane};
    fuzz_picture p = {.x1 = 300, .y1 = 200, .count = is_poc ? 3 : 1, .planes = planes};
    fuzz_facts facts = {.c = &drawn, .p = &p, .complaint = fault_rows[_i].complaint};
    ck_assert(fuzz_case_parse(&drawn, fault_rows[_i].options));
    const fuzz_fault *fault = fuzz_faults_find(fault_rows[_i].decoder, &facts);
    ck_assert_msg((fault && !strcmp(fault->id, fault_rows[_i].fault)) == fault_rows[_i].is_known, "%s",
                  fault_rows[_i].options);
}

/* What the markers of a codestream say. */
static const struct {
    const char *fault, *options;
    int is_known;
} marker_rows[] = {
    /* a colour transform in some tile, and offsets of components 0 to 2 that are not the same */
    {"grok-unlike-offsets", "components=3*8u registration=[0,0],[1,0],[0,0]", 1},
    {"grok-unlike-offsets", "components=3*8u registration=[0,0],[0,0],[0,1] reversible=no", 1},
    {"grok-unlike-offsets", "components=4*8u registration=[0,0],[0,0],[9,0],[0,0]", 1},
    {"grok-unlike-offsets", "components=4*8u registration=[0,0],[0,0],[0,0],[9,0]", 0},
    {"grok-unlike-offsets", "components=3*8u registration=[7,9]", 0},
    {"grok-unlike-offsets", "components=3*8u registration=[0,0],[1,0],[0,0] mct=off", 0},
    {"grok-unlike-offsets", "components=2*8u registration=[0,0],[1,0]", 0},
    {"grok-unlike-offsets", "components=3*8u", 0},
    {"grok-unlike-offsets", "components=3*8u tile=32,32 mct=off overrides=T1-1:mct=on registration=[0,0],[1,0],[0,0]",
     1},
    {"grok-unlike-offsets", "components=3*8u tile=32,32 mct=off overrides=T1-1:levels=2 registration=[0,0],[1,0],[0,0]",
     0},
    {"grok-unlike-precincts", "components=2*8u overrides=C1:precincts=[16,16]", 1},
    {"grok-unlike-precincts", "components=2*8u precincts=[32,16] overrides=C1:precincts=[16,16]", 1},
    {"grok-unlike-precincts", "components=2*8u precincts=[16,16] overrides=C1:precincts=[16,16];block=8,8", 0},
    {"grok-unlike-precincts", "components=2*8u precincts=[16,16]", 0},
    {"grok-unlike-precincts", "components=2*8u overrides=C1:block=8,8", 0},
    {"grok-unlike-precincts", "components=300*8u overrides=C299:precincts=[16,16]", 1},
    {"grok-unlike-precincts", "components=2*8u tile=32,32 overrides=T1C1:precincts=[16,16]", 1},
    {"grok-unlike-precincts", "components=2*8u tile=32,32 overrides=T1:precincts=[16,16]/T2C1:block=8,8", 0},
};

TEST_EACH(markers_explain, sizeof marker_rows / sizeof *marker_rows)
{
    fuzz_folder none = {0};
    fuzz_picture p;
    fuzz_run run;
    snprintf(line, sizeof line, "size=50,40 %s", marker_rows[_i].options);
    ck_assert(fuzz_case_parse(&drawn, line));
    ck_assert_msg(fuzz_picture_build(&drawn, &none, &p, other, sizeof other), "%s", other);
    fuzz_run_encode(&drawn, &p, 0, &run);
    ck_assert_msg(run.status == WVL_OK, "%s: %s", line, run.error);
    fuzz_facts facts = {.c = &drawn, .p = &p};
    fuzz_facts_read(run.data + run.codestream.offset, (size_t)run.codestream.bytes, &facts);
    const fuzz_fault *fault = fuzz_faults_find(FUZZ_GROK, &facts);
    ck_assert_msg((fault && !strcmp(fault->id, marker_rows[_i].fault)) == marker_rows[_i].is_known, "%s", line);
    fuzz_run_free(&run);
    fuzz_picture_free(&p);
}

/* A budget ends the search. */
TEST(trials_are_limited)
{
    planted p = {0};
    ck_assert(fuzz_case_parse(&drawn, "size=211,190 style=63 levels=6 components=12u,12u sop=yes eph=yes plt=yes"));
    ck_assert_uint_eq(fuzz_reduce_case(&drawn, shows_planted, &p, 3), 3);
    ck_assert_uint_eq(p.trials, 3);
}

/* An opened device is no leak. What every encode adds is one, and so is everything on the CPU. */
TEST(devices_stay_open)
{
    ck_assert_uint_eq(fuzz_run_kept(100, 1508, 1508, "cuda:0 packets"), 1408);
    ck_assert_uint_eq(fuzz_run_kept(100, 1508, 2916, "cuda:0 packets"), 0);
    ck_assert_uint_eq(fuzz_run_kept(100, 1508, 1508, "cpu"), 0);
    ck_assert_uint_eq(fuzz_run_kept(100, 100, 100, "cuda:0"), 0);
    ck_assert_uint_eq(fuzz_run_kept(100, 90, 90, "cuda:0"), 0);
}

/* Cases that ask only for what a device finishes: of the right kind of blocks, and all other options are drawn. */
TEST_EACH(packets_cases, 3)
{
    static const char *const left_out[] = {"preset",         "roi", "psnr",         "layers", "reach",
                                           "packed-headers", "plm", "measure-psnr", "device"},
                             *const targets[] = {"rates",  "bpp",       "layer-bytes",
                                                 "slopes", "max-bytes", "max-component-bytes"};
    static const char *const drawn_keys[] = {"style",      "block",     "tile",    "precincts", "progression",
                                             "tile-parts", "sop",       "eph",     "plt",       "tlm",
                                             "overrides",  "step",      "qfactor", "visual",    "progression-changes",
                                             "container",  "reversible"};
    unsigned seen[sizeof drawn_keys / sizeof *drawn_keys] = {0};
    static const fuzz_blocks kinds[] = {FUZZ_BLOCKS_HT, FUZZ_BLOCKS_PART1, FUZZ_BLOCKS_RATE};
    fuzz_blocks blocks = kinds[_i];
    unsigned targeted = 0, capped = 0, optimised = 0;
    for (uint64_t seed = 1; seed <= SEEDS / 4; seed++) {
        unsigned has_target = 0;
        fuzz_draw_packets_case(seed, NULL, blocks, &drawn);
        unsigned long style = strtoul(fuzz_case_or(&drawn, "style", "0"), NULL, 10);
        ck_assert_msg((style >= 64) == (blocks == FUZZ_BLOCKS_HT), "seed %u: style %lu", (unsigned)seed, style);
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
            ck_assert_msg(!fuzz_case_get(&drawn, left_out[i]), "seed %u has %s", (unsigned)seed, left_out[i]);
        }
        for (size_t i = 0; i < sizeof drawn_keys / sizeof *drawn_keys; i++) {
            seen[i] += fuzz_case_get(&drawn, drawn_keys[i]) != NULL;
        }
        for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
            has_target |= fuzz_case_get(&drawn, targets[i]) != NULL;
        }
        targeted += has_target;
        capped += fuzz_case_get(&drawn, "max-component-bytes") != NULL;
        ck_assert(blocks == FUZZ_BLOCKS_RATE || !fuzz_case_get(&drawn, "rdoq"));
        optimised += fuzz_case_get(&drawn, "rdoq") != NULL && fuzz_case_get(&drawn, "max-component-bytes") != NULL;
    }
    ck_assert(blocks == FUZZ_BLOCKS_RATE ? targeted > SEEDS / 8 && capped > SEEDS / 100 : targeted == 0);
    ck_assert(blocks != FUZZ_BLOCKS_RATE || optimised > 0);
    for (size_t i = 0; i < sizeof drawn_keys / sizeof *drawn_keys; i++) {
        ck_assert_msg(seen[i] > 0, "%s is never drawn", drawn_keys[i]);
    }
}

/* 99 of 100 that are on a device must reach packets. */
TEST(packets_are_counted)
{
    static fuzz_tally tally;
    fuzz_verdict v = {.found = fuzz_run_reach("cuda:0 packets")};
    ck_assert_uint_eq(fuzz_run_reach("cpu") | fuzz_run_reach("cuda:0+cpu"), 0);
    ck_assert_uint_eq(fuzz_run_reach("cuda:0"), FUZZ_WAS_ON_DEVICE);
    ck_assert_uint_eq(fuzz_run_reach("cuda:0 blocks"), FUZZ_WAS_ON_DEVICE | FUZZ_WAS_BLOCKS);
    ck_assert_uint_eq(v.found, FUZZ_WAS_ON_DEVICE | FUZZ_WAS_PACKETS);
    ck_assert(!fuzz_tally_lacks(&tally, FUZZ_WAS_PACKETS));
    for (unsigned i = 0; i < 99; i++) {
        fuzz_tally_count(&tally, &v);
    }
    v.found = fuzz_run_reach("cuda:0 blocks");
    fuzz_tally_count(&tally, &v);
    ck_assert(!fuzz_tally_lacks(&tally, FUZZ_WAS_PACKETS));
    fuzz_tally_count(&tally, &v);
    ck_assert(fuzz_tally_lacks(&tally, FUZZ_WAS_PACKETS));
    ck_assert(fuzz_tally_lacks(&tally, FUZZ_WAS_BLOCKS));
}

TEST_MAIN("generator")
