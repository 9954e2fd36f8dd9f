/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs of whole pictures behind the backend's table: bytes, lengths and errors against those of wvl_encode on the CPU.
 * Runs on the device in software, or on the machine's if that is what is found. WVL_CUDA_SUBSET: few pictures, for
 * checkers that are slow.
 */

#include "cuda/host/pictures/picture.h"
#include "picture_run.h"
#include "tests/support/planned.h"

/* Pictures that devices finish. */
#define RATE " rdoq=no measure-psnr=no"

static const picture_row rows[] = {
    {"style=HT", 131, 117, 3, 8, PICTURE_NATURAL},
    {"style=HT progression=LRCP precincts=[64,32] sop=yes eph=yes", 131, 117, 3, 8, PICTURE_NATURAL},
    {"style=HT progression=RLCP precincts=[64,32] plt=yes block=16,16", 131, 117, 3, 8, PICTURE_NATURAL},
    {"style=HT progression=RPCL precincts=[64,32] tlm=yes tile-parts=R", 131, 117, 3, 8, PICTURE_NATURAL},
    {"style=HT progression=PCRL precincts=[64,32] plt=yes tlm=yes tile=70,80", 131, 117, 3, 8, PICTURE_NATURAL},
    {"style=HT progression=CPRL tile-parts=C tile=50,40", 131, 117, 3, 12, PICTURE_NATURAL},
    {"style=HT container=jph plt=yes tlm=yes", 150, 90, 3, 8, PICTURE_NATURAL},
    {"style=HT reversible=no step=0.004 measure-psnr=no", 200, 90, 3, 8, PICTURE_NATURAL},
    {"style=HT reversible=no qfactor=80 block=32,32 measure-psnr=no tile=64,64", 120, 90, 3, 8, PICTURE_NATURAL},
    {"style=HT reversible=no step=0.1 measure-psnr=no visual=yes block=128,8", 130, 90, 3, 12, PICTURE_NATURAL},
    {"style=HT", 97, 83, 3, 12, PICTURE_NATURAL},
    {"style=HT", 90, 70, 1, 16, PICTURE_NOISE},
    {"style=HT reversible=no measure-psnr=no", 64, 64, 1, 16, PICTURE_NOISE},
    {"style=HT block=4,4 levels=1", 40, 100, 1, 8, PICTURE_SPARSE},
    {"style=HT levels=0 tile=3,2", 7, 5, 1, 8, PICTURE_NOISE},
    {"style=HT", 64, 64, 1, 8, PICTURE_FLAT},
    {"style=HT progression-changes=0,0,1,2,3,RPCL/0,0,1,6,3,CPRL tile-parts=R plt=yes", 100, 90, 3, 8, PICTURE_NATURAL},
    {"style=HT overrides=C1:block=8,8;levels=2/T2:reversible=no/T3:mct=off;progression=RPCL tile=50,50 measure-psnr=no",
     100, 90, 3, 8, PICTURE_NATURAL},
    {"style=HT", 1, 1, 1, 8, PICTURE_NATURAL},
    /* EBCOT */
    {"", 131, 117, 3, 8, PICTURE_NATURAL},
    {"progression=RPCL precincts=[64,32] sop=yes eph=yes plt=yes tlm=yes tile-parts=R block=32,32", 131, 117, 3, 8,
     PICTURE_NATURAL},
    {"style=BYPASS+RESET+TERMALL+VSC+PTERM+SEGSYM progression=PCRL tile=70,80", 131, 117, 3, 8, PICTURE_NATURAL},
    {"style=BYPASS container=jp2 block=16,64", 131, 117, 3, 12, PICTURE_NATURAL},
    {"style=TERMALL block=8,128", 90, 140, 1, 8, PICTURE_NOISE},
    {"reversible=no step=0.004 measure-psnr=no rdoq=no", 200, 90, 3, 8, PICTURE_NATURAL},
    {"reversible=no qfactor=60 block=32,32 measure-psnr=no rdoq=no tile=64,64 style=VSC+SEGSYM", 120, 90, 3, 8,
     PICTURE_NATURAL},
    {"reversible=no step=0.1 measure-psnr=no visual=yes rdoq=no block=128,8", 130, 90, 3, 12, PICTURE_NATURAL},
    {"", 90, 70, 1, 16, PICTURE_NOISE},
    {"reversible=no measure-psnr=no rdoq=no", 64, 64, 1, 16, PICTURE_NOISE},
    {"block=4,4 levels=1 style=RESET", 40, 100, 1, 8, PICTURE_SPARSE},
    {"levels=0 tile=3,2", 7, 5, 1, 8, PICTURE_NOISE},
    {"", 64, 64, 1, 8, PICTURE_FLAT},
    {"overrides=C1:block=8,8;style=BYPASS;levels=2/T2:reversible=no/T3:mct=off;style=TERMALL tile=50,50 "
     "measure-psnr=no rdoq=no",
     100, 90, 3, 8, PICTURE_NATURAL},
    {"", 1, 1, 1, 8, PICTURE_NATURAL},
    /* blocks of one or two rows or columns (B.7) */
    {"precincts=[64,64],[4,64] progression=RPCL", 100, 140, 3, 8, PICTURE_NATURAL},
    {"precincts=[2,32],[32,2]", 90, 70, 1, 8, PICTURE_NOISE},
    {"precincts=[64,2] bpp=3" RATE, 64, 90, 1, 8, PICTURE_NATURAL},
    {"style=HT precincts=[64,2],[2,64],[1,64] levels=2", 70, 66, 1, 8, PICTURE_NATURAL},
    /* EBCOT with a target or a limit */
    {"reversible=no bpp=2" RATE, 70, 50, 3, 8, PICTURE_NATURAL},
    {"rates=6" RATE, 70, 50, 3, 8, PICTURE_NATURAL},
    {"reversible=no slopes=42000" RATE, 70, 50, 3, 8, PICTURE_NATURAL},
    {"max-bytes=2600 block=16,16 plt=yes progression=RPCL precincts=[32,32]" RATE, 70, 50, 1, 12, PICTURE_NATURAL},
    {"reversible=no layer-bytes=2500 style=BYPASS+TERMALL+PTERM+SEGSYM tile=50,60 tlm=yes tile-parts=R" RATE, 100, 90,
     3, 8, PICTURE_NATURAL},
    {"reversible=no bpp=1 style=RESET+VSC+BYPASS block=32,8 visual=yes container=jp2" RATE, 70, 50, 3, 8,
     PICTURE_SPARSE},
    {"max-bytes=900000" RATE, 60, 50, 3, 8, PICTURE_NOISE},
    {"max-bytes=400 levels=2" RATE, 64, 64, 1, 16, PICTURE_FLAT},
    /* EBCOT with limits of components */
    {"max-component-bytes=900 max-bytes=2400 tile-parts=C progression=CPRL plt=yes tlm=yes" RATE, 70, 50, 3, 8,
     PICTURE_NATURAL},
    {"reversible=no max-component-bytes=500 block=16,16 precincts=[32,32]" RATE, 60, 50, 2, 12, PICTURE_NATURAL},
    {"max-component-bytes=300 levels=2 slopes=38000" RATE, 40, 30, 9, 8, PICTURE_NATURAL},
    {"profile=cinema4k progression=CPRL levels=6 guard-bits=2 progression-changes=0,0,1,6,3,CPRL/6,0,1,7,3,CPRL "
     "reversible=no mct=on "
     "block=32,32 tile-parts=C tlm=yes max-component-bytes=2500" RATE,
     96, 64, 3, 12, PICTURE_NOISE},
    /* HT with a target or a limit; the step follows where it is not given */
    {"style=HT reversible=no bpp=2 measure-psnr=no", 70, 50, 3, 8, PICTURE_NATURAL},
    {"style=HT reversible=no layer-bytes=2500 tile=50,60 tlm=yes tile-parts=R plt=yes progression=RPCL measure-psnr=no",
     100, 90, 3, 12, PICTURE_NATURAL},
    {"style=HT reversible=no max-bytes=3000 block=32,32 container=jph overrides=C1:block=8,16;levels=2 measure-psnr=no",
     70, 50, 3, 8, PICTURE_NATURAL},
    {"style=HT reversible=no bpp=9 quantization=derived measure-psnr=no", 64, 64, 1, 16, PICTURE_NOISE},
    {"style=HT reversible=no bpp=3 block=4,128 mct=off measure-psnr=no", 40, 140, 3, 8, PICTURE_SPARSE},
    {"style=HT rates=6 measure-psnr=no", 70, 50, 3, 8, PICTURE_NATURAL},
    {"style=HT+VSC rates=5 ht-passes=2 measure-psnr=no", 70, 50, 1, 12, PICTURE_NATURAL},
    {"style=HT reversible=no bpp=2 ht-passes=1 measure-psnr=no", 70, 50, 3, 8, PICTURE_NATURAL},
    {"style=HT reversible=no slopes=34000 visual=yes measure-psnr=no", 70, 50, 3, 8, PICTURE_NATURAL},
    {"style=HT reversible=no bpp=1 step=0.02 visual=yes sop=yes eph=yes measure-psnr=no", 70, 50, 3, 8,
     PICTURE_NATURAL},
    {"style=HT reversible=no slopes=33000 max-bytes=6000 measure-psnr=no", 70, 50, 3, 8, PICTURE_NATURAL},
    {"style=HT max-component-bytes=900 max-bytes=2400 tile-parts=C progression=CPRL plt=yes tlm=yes measure-psnr=no",
     70, 50, 3, 8, PICTURE_NATURAL},
    {"style=HT reversible=no max-component-bytes=300 levels=2 measure-psnr=no", 40, 30, 9, 8, PICTURE_NATURAL},
    {"style=HT max-bytes=900000 measure-psnr=no", 60, 50, 3, 8, PICTURE_NOISE},
    /* steps of a tile's own, in headers of tile-parts */
    {"style=HT reversible=no bpp=2 tile=40,30 tile-parts=R plt=yes tlm=yes "
     "overrides=T1:guard-bits=4;quantization=derived/T2C1:guard-bits=3/T3:block=8,8 measure-psnr=no",
     70, 60, 3, 8, PICTURE_NATURAL},
    {"style=HT max-bytes=400 levels=2 measure-psnr=no", 64, 64, 1, 16, PICTURE_FLAT},
    {"style=HT reversible=no bpp=1 precincts=[64,2],[2,64] levels=2 measure-psnr=no", 70, 66, 1, 8, PICTURE_NATURAL},
    /* with rdoq: too small for a survey, and coded twice */
    {"reversible=no bpp=2 measure-psnr=no", 70, 50, 3, 8, PICTURE_NATURAL},
    {"rates=6 measure-psnr=no block=16,16", 70, 50, 3, 8, PICTURE_NATURAL},
    {"reversible=no slopes=38000 rdoq=yes measure-psnr=no", 70, 50, 3, 8, PICTURE_NATURAL},
    {"max-bytes=2600 block=16,16 precincts=[32,32] measure-psnr=no", 70, 50, 1, 12, PICTURE_NATURAL},
    {"max-bytes=900000 measure-psnr=no", 60, 50, 3, 8, PICTURE_NOISE},
    {"max-bytes=400 levels=2 measure-psnr=no", 64, 64, 1, 16, PICTURE_FLAT},
    /* whole components in a region of interest */
    {"roi=c=0,U=5", 60, 50, 3, 8, PICTURE_NATURAL},
    {"roi=c=1,U=20 rates=20,3 tile-parts=L measure-psnr=no", 60, 50, 3, 8, PICTURE_NATURAL},
    {"roi=C1-2:U=9/c=1,U=11 reversible=no bpp=1.5 block=16,16 plt=yes measure-psnr=no", 70, 50, 3, 8, PICTURE_NATURAL},
    {"roi=T1C2:U=3/C1:U=4 tile=40,30 max-bytes=2500 style=BYPASS+TERMALL measure-psnr=no", 70, 50, 3, 8,
     PICTURE_NATURAL},
    {"roi=c=0,U=12 reversible=no slopes=50000,42000 progression=CPRL measure-psnr=no", 60, 50, 2, 12, PICTURE_NATURAL},
    {"roi=c=0,U=35 levels=0", 9, 7, 1, 1, PICTURE_NOISE},
    /* rectangles of interest */
    {"roi=rect=20,20,30,30 levels=3", 100, 90, 1, 8, PICTURE_NATURAL},
    {"roi=rect=5,5,31,17/rect=30,10,20,35 mct=off block=16,16 style=BYPASS+TERMALL tile=40,50", 60, 50, 3, 8,
     PICTURE_NATURAL},
    {"roi=C1:rect=0,0,9,9/c=0,U=7 rates=12,4,1 progression=RPCL precincts=[32,32] mct=off measure-psnr=no", 60, 50, 2,
     8, PICTURE_NATURAL},
    {"roi=rect=12,9,25,20 reversible=no bpp=1 block=8,32 visual=yes measure-psnr=no", 60, 50, 1, 8, PICTURE_NATURAL},
    {"roi=rect=12,9,25,20 reversible=no step=0.06 distortion-bits=7 slopes=50000,43000 style=RESET+VSC measure-psnr=no",
     70, 50, 1, 12, PICTURE_NATURAL},
    {"roi=rect=1,2,63,47 reversible=no step=0.004 measure-psnr=no", 70, 50, 1, 8, PICTURE_NATURAL},
    {"roi=rect=40,40,20,8 layers=5 max-bytes=900 plt=yes measure-psnr=no", 64, 64, 1, 8, PICTURE_SPARSE},
    {"roi=rect=40,40,20,8", 64, 64, 1, 8, PICTURE_FLAT},
    /* the last one covers blocks that others only touch */
    {"roi=rect=0,0,8,8/rect=0,0,16,16/rect=0,0,24,24/rect=0,0,64,64 levels=0", 128, 128, 1, 8, PICTURE_NATURAL},
    /* the same with several layers */
    {"reversible=no bpp=0.5,1,2 measure-psnr=no", 70, 50, 3, 8, PICTURE_NATURAL},
    {"layers=5 max-bytes=2600 block=16,16 precincts=[32,32] tile-parts=L measure-psnr=no", 70, 50, 1, 12,
     PICTURE_NATURAL},
    {"reversible=no slopes=42000,38000 rdoq=yes style=BYPASS+TERMALL measure-psnr=no", 70, 50, 3, 8, PICTURE_NATURAL},
    {"layers=3 max-bytes=900000 measure-psnr=no", 60, 50, 3, 8, PICTURE_NOISE},
    {"reversible=no bpp=0.1,0.4 measure-psnr=no", 1024, 520, 1, 8, PICTURE_NATURAL},
    /* EBCOT with several layers */
    {"reversible=no bpp=0.5,1,2" RATE, 70, 50, 3, 8, PICTURE_NATURAL},
    {"rates=20,6,1 sop=yes eph=yes" RATE, 70, 50, 3, 8, PICTURE_NATURAL},
    {"reversible=no slopes=44000,42000,40000 block=16,16 progression=RPCL precincts=[32,32]" RATE, 70, 50, 3, 8,
     PICTURE_NATURAL},
    {"layers=4 plt=yes tlm=yes tile-parts=RL progression=RLCP" RATE, 131, 117, 3, 8, PICTURE_NATURAL},
    {"layers=12 max-bytes=3000 block=16,16 style=BYPASS+TERMALL+PTERM+SEGSYM progression=LRCP tile-parts=L "
     "tile=50,60" RATE,
     100, 90, 1, 12, PICTURE_NATURAL},
    {"reversible=no layers=3 slopes=43000,41000 style=BYPASS+RESET+VSC block=8,32 container=jp2 visual=yes" RATE, 70,
     50, 3, 8, PICTURE_NATURAL},
    {"layer-bytes=200,210,220,260,3000 block=4,4 levels=2 plt=yes" RATE, 40, 30, 1, 8, PICTURE_NATURAL},
    {"layers=20 tile=40,40 precincts=[64,64],[16,16] progression=PCRL" RATE, 60, 50, 3, 8, PICTURE_SPARSE},
    {"layers=3 max-component-bytes=900 max-bytes=2400 tile-parts=C progression=CPRL plt=yes tlm=yes" RATE, 70, 50, 3, 8,
     PICTURE_NATURAL},
    {"reversible=no bpp=0.3,0.9,2 max-component-bytes=500 block=16,16 precincts=[32,32]" RATE, 60, 50, 2, 12,
     PICTURE_NATURAL},
    {"layers=3 max-component-bytes=400 levels=2 slopes=38000" RATE, 40, 30, 9, 8, PICTURE_NATURAL},
    {"layers=5" RATE, 64, 64, 1, 8, PICTURE_FLAT},
    {"layers=64 style=TERMALL" RATE, 60, 50, 1, 16, PICTURE_NOISE},
    {"rates=4,1 progression-changes=0,0,1,2,3,RPCL/0,0,2,6,3,CPRL/2,0,2,6,3,LRCP tile-parts=L plt=yes" RATE, 100, 90, 3,
     8, PICTURE_NATURAL},
};

static int is_left_out(int number) { return getenv("WVL_CUDA_SUBSET") != NULL && number % 7 != 3; }

/* ---- Cases ----------------------------------------------------------------------------------- */

#define ROWS (sizeof rows / sizeof *rows)

TEST_FIXTURE(run_open, run_close);

TEST_EACH(every_row, ROWS)
{
    static const wvl_memory_kind kinds[] = {WVL_MEMORY_DEVICE, WVL_MEMORY_HOST, WVL_MEMORY_PINNED};
    if (!is_left_out(_i)) {
        run_row(&rows[_i], (uint32_t)_i, kinds[_i % 3], 1, 2);
    }
}

/* Predictions of where blocks end: as they are, too shallow for all blocks or for some, too deep, and none. */
static const picture_row foreseen[] = {
    {"reversible=no bpp=2 block=16,16" RATE, 60, 50, 1, 8, PICTURE_NATURAL},
    {"reversible=no slopes=33500 max-bytes=1200 block=16,16 style=BYPASS+TERMALL+RESET" RATE, 50, 40, 1, 12,
     PICTURE_NATURAL},
    {"reversible=no slopes=34000 block=32,32" RATE, 100, 60, 1, 8, PICTURE_NATURAL},
    {"slopes=33000 block=64,16 style=SEGSYM+VSC+PTERM tile=60,60" RATE, 100, 60, 1, 8, PICTURE_NATURAL},
    {"reversible=no slopes=36000 block=128,16 visual=yes style=BYPASS" RATE, 140, 60, 1, 16, PICTURE_NATURAL},
    {"style=HT reversible=no bpp=2 block=16,16 measure-psnr=no", 60, 50, 1, 8, PICTURE_NATURAL},
    {"style=HT reversible=no slopes=34000 block=32,32 measure-psnr=no", 100, 60, 1, 8, PICTURE_NATURAL},
    {"style=HT reversible=no bpp=4 max-component-bytes=600 block=16,16 progression=CPRL tile-parts=C measure-psnr=no",
     50, 40, 3, 8, PICTURE_NATURAL},
};
#define FORESEEN (sizeof foreseen / sizeof *foreseen)

/* UNSETTLED: some are too shallow, and more seem so later: all rounds are needed, where enough blocks are limited. */
enum { AS_IS, ALL_SHALLOW, UNSETTLED, SOME_SHALLOW, DEEP, DEEPEST, NONE, PREDICTIONS };

/* Blocks that were limited at first, and those that were coded again: at all, and in the last two rounds. */
typedef struct depth_work {
    uint32_t limited, again, third, last;
} depth_work;

static depth_work sum_work(void)
{
    return run_soft ? (depth_work){run_soft->limited_blocks[0], run_soft->round_blocks[1], run_soft->round_blocks[2],
                                   run_soft->round_blocks[3]}
                    : (depth_work){0, 0, 0, 0};
}

static depth_work run_predicted(picture_case *c, unsigned prediction, const char *name)
{
    static const int32_t biases[PREDICTIONS] = {0, 65535, 300, 300, -500, -65535, 0};
    depth_work before = sum_work();
    if (run_soft) {
        run_soft->unsettles = prediction == UNSETTLED;
    }
    c->plan->test.depth_bias = biases[prediction];
    c->plan->test.depth_full = prediction == NONE;
    run_pictures(c, WVL_MEMORY_DEVICE, 1, 1, name);
    depth_work now = sum_work();
    return (depth_work){now.limited - before.limited, now.again - before.again, now.third - before.third,
                        now.last - before.last};
}

/* Bytes do not depend on it. The work does. */
TEST_EACH(predicted, FORESEEN)
{
    picture_case c;
    picture_case_draw(&c, &foreseen[_i], (uint32_t)_i);
    int has_budget = c.plan->rate.layers[0].kind == WVL_RATE_BYTES || c.plan->rate.max_bytes;
    /* Some blocks are coded again as it is, and not all of them at a time. */
    int is_rough = c.plan->test.all_sets;
    run_pace = 1 + WVL_CUDA_PACE_MANY;
    for (unsigned k = AS_IS; k < (has_budget ? UNSETTLED : PREDICTIONS); k++) { /* budgets take long */
        char name[256];
        snprintf(name, sizeof name, "%s, prediction %u", foreseen[_i].settings, k);
        depth_work work = run_predicted(&c, k, name);
        if (!run_soft) {
            continue;
        }
        REQUIRE_THAT(k >= DEEP || work.limited, "%s: no block is limited", name);
        REQUIRE_THAT(k < DEEPEST || !work.limited, "%s: %u blocks are limited", name, work.limited);
        REQUIRE_THAT(k != ALL_SHALLOW ||
                         (work.third && (work.again == work.limited || c.plan->rate.max_component_bytes || is_rough)),
                     "%s: %u and %u of %u again", name, work.again, work.third, work.limited);
        REQUIRE_THAT(k != UNSETTLED || _i == 3 || (work.third && work.last), "%s: %u and %u in the last rounds", name,
                     work.third, work.last);
        REQUIRE_THAT(k != SOME_SHALLOW || (work.again && work.again < work.limited), "%s: %u of %u again", name,
                     work.again, work.limited);
        int may_repeat = k < DEEP && (k != AS_IS || c.plan->rate.max_component_bytes);
        REQUIRE_THAT(may_repeat || work.again <= (is_rough ? work.limited / 4 : 0), "%s: %u of %u again", name,
                     work.again, work.limited);
    }
    run_pace = 0;
    picture_case_close(&c);
}

/* Layers, and limits of components of EBCOT pictures: all passes are coded at once, whatever a prediction would say. */
static const char *const whole_blocks[] = {
    "reversible=no bpp=0.5,1,2 block=16,16" RATE,
    "reversible=no slopes=36000,35000,34000 block=16,16 style=BYPASS+RESET" RATE,
    "layers=5 max-bytes=1100 block=16,16 style=SEGSYM+VSC" RATE,
    "reversible=no bpp=4 max-component-bytes=600 block=16,16 progression=CPRL tile-parts=C" RATE,
    "reversible=no bpp=1,2,4 max-component-bytes=600 block=16,16 progression=CPRL tile-parts=C" RATE,
};
#define WHOLE_BLOCKS ((int)(sizeof whole_blocks / sizeof *whole_blocks))

TEST_EACH(not_predicted, WHOLE_BLOCKS)
{
    picture_case c;
    picture_case_draw(&c, &(picture_row){whole_blocks[_i], 60, 50, 3, 8, PICTURE_NATURAL}, (uint32_t)_i);
    uint32_t first = run_soft ? run_soft->round_blocks[0] : 0;
    depth_work work = run_predicted(&c, ALL_SHALLOW, whole_blocks[_i]);
    REQUIRE_THAT(!run_soft || (run_soft->round_blocks[0] > first && !work.limited && !work.again),
                 "%s: %u blocks are limited, %u coded again", whole_blocks[_i], work.limited, work.again);
    picture_case_close(&c);
}

/* In software, all blocks are coded by the kernels' own source: codec/t1 keeps no lists of symbols. */
static void emulate(void) { (void)setenv("SOFT_EMULATE", "1", 1); }
static void stop_emulating(void) { (void)unsetenv("SOFT_EMULATE"); }

/* Rows by the kernels' own source, where the device is one in software. */
TEST_EACH(own_source, 6)
{
    static const unsigned chosen[] = {3, 7, 9, 20, 21, 24};
    emulate();
    run_row(&rows[chosen[_i]], (uint32_t)_i, WVL_MEMORY_DEVICE, 1, 1);
    stop_emulating();
}

/* Where few pictures are in flight, a first round is so deep that a stop too early does no harm. */
TEST(deep_for_few)
{
    picture_case c;
    picture_case_draw(&c, &foreseen[0], 0);
    for (unsigned pace = 0; pace < WVL_CUDA_PACES; pace++) {
        run_pace = 1 + pace;
        depth_work work = run_predicted(&c, SOME_SHALLOW, "deeper");
        REQUIRE_THAT(!run_soft || !work.again == (pace == WVL_CUDA_PACE_FEW), "pace %u: %u again", pace, work.again);
    }
    run_pace = 0;
    picture_case_close(&c);
}

/* ---- Paces ----------------------------------------------------------------------------------- */

static char seen_mq[64]; /* the kernel of the MQ coder that was queued last */
static void see_mq(const char *name)
{
    if (!strncmp(name, "wvl_t1_mq", 9)) {
        snprintf(seen_mq, sizeof seen_mq, "%s", name);
    }
}

/* One picture after the other comes, until `count` are in flight. */
static void fill_flight(const picture_case *c, const picture_pixels *pixels, unsigned count, const char *name)
{
    wvl_backend *backend = run_open_backend(c, count);
    wvl_backend_job *jobs[20];
    for (unsigned turn = 0; turn < 2; turn++) { /* the second time, graphs are there */
        for (unsigned i = 0; i < count; i++) {
            unsigned pace = wvl_cuda_find_pace(c->plan, i + 1);
            if (pace == WVL_CUDA_PACE_SOME && !run_driver.device->has_fast_doubles) {
                pace = WVL_CUDA_PACE_MANY; /* the same launches, and the same graph */
            }
            const char *wanted = pace == WVL_CUDA_PACE_MANY ? "wvl_t1_mq_floats" : "wvl_t1_mq_pairs";
            wanted = run_driver.device->has_fast_doubles ? wanted : "wvl_t1_mq";
            REQUIRE(wvl_backend_cuda.submit_picture(backend, c->plan, &pixels->image, 0, &jobs[i]) == WVL_OK);
            REQUIRE_THAT(jobs[i]->picture->pace == pace, "%s: pace %u of picture %u", name, jobs[i]->picture->pace, i);
            REQUIRE(!jobs[i]->picture->blocks.t1.spread == (pace != WVL_CUDA_PACE_FEW));
            REQUIRE_THAT(!run_soft || turn || !strcmp(seen_mq, wanted), "%s: %s of picture %u, not %s", name, seen_mq,
                         i, wanted);
        }
        for (unsigned i = 0; i < count; i++) {
            wvl_finished finished = run_finish(c, pixels, backend, jobs[i], name);
            wvl_backend_cuda.drop_picture(run_driver.device, &finished);
        }
    }
    REQUIRE(!atomic_load(&run_driver.device->in_flight));
    wvl_backend_cuda.close(backend);
}

/* How many pictures are in flight says how lists are coded; bytes are the same. */
static const char *const paced[] = {"", ("reversible=no bpp=2 block=16,16" RATE),
                                    "reversible=no bpp=0.6 measure-psnr=no"};
#define PACED ((int)(sizeof paced / sizeof *paced))

TEST_EACH(paces, 2 * PACED)
{
    picture_case c;
    picture_pixels pixels;
    int is_slow = _i / PACED; /* a device whose doubles are */
    if (is_slow && !run_soft) {
        return;
    }
    emulate();
    run_driver.device->has_fast_doubles &= !is_slow;
    picture_case_draw(&c, &(picture_row){paced[_i % PACED], 48, 40, 1, 8, PICTURE_NATURAL}, (uint32_t)_i);
    REQUIRE(picture_pixels_open(&pixels, &run_driver, &c, WVL_MEMORY_DEVICE));
    if (run_soft) {
        run_soft->see_kernel = see_mq;
    }
    fill_flight(&c, &pixels, is_slow ? 3 : 18, paced[_i % PACED]);
    if (run_soft) {
        run_soft->see_kernel = NULL;
    }
    run_driver.device->has_fast_doubles |= is_slow;
    picture_pixels_close(&pixels, &run_driver);
    picture_case_close(&c);
    stop_emulating();
}

/* Pixels of every kind, several in flight, in every order. */
TEST_EACH(in_flight, 7)
{
    static const wvl_memory_kind kinds[] = {WVL_MEMORY_DEVICE, WVL_MEMORY_HOST, WVL_MEMORY_PINNED};
    static const char *const settings[] = {"style=HT tile=100,64 plt=yes", "tile=100,64 plt=yes style=BYPASS",
                                           ("tile=100,64 layers=4 progression=RLCP" RATE)};
    run_row(&(picture_row){settings[_i / 3], 140, 100, 3, 8, PICTURE_NATURAL}, 8, kinds[_i % 3], 4, 3);
}

/* Pictures that are larger than their samples are copied once, and into memory that is there, but for the first ones.
 */
TEST(large_ones)
{
    picture_case c;
    picture_pixels pixels;
    uint64_t most = 0;
    uint32_t allocations = 0;
    picture_case_draw(&c, &(picture_row){"style=HT block=4,4 levels=1", 1024, 400, 1, 16, PICTURE_NOISE}, 5);
    most = c.expected_bytes + c.expected_bytes / 64 + 256;
    wvl_backend *backend = run_open_backend(&c, 2);
    REQUIRE(picture_pixels_open(&pixels, &run_driver, &c, WVL_MEMORY_PINNED));
    for (unsigned i = 0; i < 8; i++) {
        wvl_backend_job *job;
        uint64_t before = run_soft ? run_soft->downloaded_bytes : 0;
        REQUIRE(wvl_backend_cuda.submit_picture(backend, c.plan, &pixels.image, 0, &job) == WVL_OK);
        wvl_finished finished = run_finish(&c, &pixels, backend, job, "large");
        wvl_backend_cuda.drop_picture(run_driver.device, &finished);
        if (run_soft && i >= 4) {
            uint64_t copied = run_soft->downloaded_bytes - before;
            REQUIRE_THAT(copied <= most, "%u: %llu bytes copied", i, (unsigned long long)copied);
            REQUIRE_THAT(i == 4 || run_soft->allocations == allocations, "%u: memory was taken", i);
        }
        allocations = run_soft ? run_soft->allocations : 0;
    }
    wvl_backend_cuda.close(backend);
    picture_pixels_close(&pixels, &run_driver);
    picture_case_close(&c);
}

/* Finished pictures in memory of the device. */
TEST(device_output)
{
    picture_case c;
    picture_case_draw(&c, &(picture_row){"style=HT", 140, 100, 3, 8, PICTURE_NATURAL}, 8);
    c.plan->device.output = 1;
    run_pictures(&c, WVL_MEMORY_DEVICE, 2, 2, "device output");
    picture_case_close(&c);
}

/* Samples beyond the depth end in INPUT, and the workspace goes on. */
TEST(outside)
{
    picture_case c;
    picture_pixels good, bad;
    wvl_backend_job *job;
    picture_case_draw(&c, &(picture_row){"style=HT", 140, 100, 1, 12, PICTURE_NATURAL}, 8);
    wvl_backend *backend = run_open_backend(&c, 1);
    REQUIRE(picture_pixels_open(&good, &run_driver, &c, WVL_MEMORY_DEVICE));
    ((uint16_t *)(void *)c.input.samples)[99 * 140 + 3] = 4096;
    REQUIRE(picture_pixels_open(&bad, &run_driver, &c, WVL_MEMORY_DEVICE));
    for (unsigned i = 0; i < 3; i++) {
        wvl_finished finished;
        uint32_t part;
        uint64_t groups[64];
        REQUIRE(wvl_backend_cuda.submit_picture(backend, c.plan, i == 1 ? &good.image : &bad.image, 0, &job) == WVL_OK);
        wvl_status status = wvl_backend_cuda.wait(job, WVL_EVENT_DONE, UINT32_MAX);
        REQUIRE_THAT(status == (i == 1 ? WVL_OK : WVL_ERROR_INPUT), "wait says %d", status);
        status = wvl_backend_cuda.take_picture(job, &finished, &part, groups);
        REQUIRE_THAT(status == (i == 1 ? WVL_OK : WVL_ERROR_INPUT), "take says %d", status);
        if (i == 1) {
            run_check_bytes(&c, &finished, "between");
            wvl_backend_cuda.drop_picture(run_driver.device, &finished);
        }
        wvl_backend_cuda.release(job);
    }
    wvl_backend_cuda.close(backend);
    picture_pixels_close(&good, &run_driver);
    picture_pixels_close(&bad, &run_driver);
    picture_case_close(&c);
}

/* The same where the front converts colours: pictures, and jobs of waves. */
TEST(outside_before_conversion)
{
    picture_case c;
    picture_pixels pixels;
    wvl_backend_job *job;
    picture_case_draw(&c, &(picture_row){"style=HT input-color=rec709", 140, 100, 3, 12, PICTURE_NATURAL}, 8);
    run_pictures(&c, WVL_MEMORY_DEVICE, 1, 2, "conversion");
    wvl_backend *backend = run_open_backend(&c, 1);
    ((uint16_t *)(void *)c.input.samples)[99 * 140 + 3] = 4096;
    REQUIRE(picture_pixels_open(&pixels, &run_driver, &c, WVL_MEMORY_DEVICE));
    REQUIRE(wvl_backend_cuda.submit_picture(backend, c.plan, &pixels.image, 0, &job) == WVL_OK);
    REQUIRE(wvl_backend_cuda.wait(job, WVL_EVENT_DONE, UINT32_MAX) == WVL_ERROR_INPUT);
    wvl_backend_cuda.release(job);
    wvl_tile_plan *tile = test_build_tiles(c.plan);
    REQUIRE(wvl_backend_prepare_tiles(&wvl_backend_cuda, backend, c.context->pool, c.plan, tile, 1) == WVL_OK);
    REQUIRE(wvl_backend_cuda.submit(backend, &pixels.image, tile, 1, &job) == WVL_OK);
    REQUIRE(wvl_backend_cuda.wait(job, WVL_EVENT_DONE, UINT32_MAX) == WVL_ERROR_INPUT);
    wvl_backend_cuda.release(job);
    wvl_backend_cuda.close(backend);
    free(tile);
    picture_pixels_close(&pixels, &run_driver);
    picture_case_close(&c);
}

/* Blocks that need more memory than most: the picture goes to a larger workspace, which stays. */
static const char *const roomy[] = {"",
                                    "style=TERMALL block=16,16",
                                    ("reversible=no slopes=1" RATE),
                                    "reversible=no slopes=1 measure-psnr=no",
                                    "style=HT slopes=1 measure-psnr=no",
                                    "style=HT reversible=no max-bytes=90000 measure-psnr=no"};
#define ROOMY ((int)(sizeof roomy / sizeof *roomy))

static picture_row roomy_row(int i) { return (picture_row){roomy[i], 60, 50, 1, 8, PICTURE_NOISE}; }

TEST_EACH(larger_workspaces, ROOMY)
{
    const picture_row row = roomy_row(_i);
    emulate();
    run_again = 0;
    run_row(&row, 3, WVL_MEMORY_DEVICE, 3, 1);
    REQUIRE_THAT(run_again == 2, "%s: %u pictures asked for a larger workspace, not 2", roomy[_i], run_again);
    run_row(&row, 3, WVL_MEMORY_PINNED, 3, 4);
    REQUIRE_THAT(run_again > 2 && run_again < 10, "%s: %u pictures of 12 asked again", roomy[_i], run_again - 2);
    stop_emulating();
}

/* No larger one fits into the device: the first workspace is large enough, and does one after the other. */
TEST_EACH(no_larger_workspaces, ROOMY)
{
    const picture_row row = roomy_row(_i);
    picture_case c;
    picture_pixels pixels;
    wvl_backend_job *jobs[3], *large;
    wvl_finished finished;
    uint64_t groups[64];
    emulate();
    if (run_soft) {
        picture_case_draw(&c, &row, 3);
        wvl_backend *backend = run_open_backend(&c, 3);
        REQUIRE(picture_pixels_open(&pixels, &run_driver, &c, WVL_MEMORY_DEVICE));
        run_soft->memory_limit = run_soft->memory_used;
        for (unsigned round = 0; round < 2; round++) {
            for (unsigned i = 0; i < 3; i++) {
                REQUIRE(wvl_backend_cuda.submit_picture(backend, c.plan, &pixels.image, 0, &jobs[i]) == WVL_OK);
            }
            for (unsigned i = 0; i < 2; i++) { /* the first workspace is taken last */
                REQUIRE(wvl_backend_cuda.wait(jobs[i], WVL_EVENT_DONE, UINT32_MAX) == WVL_OK);
                REQUIRE(wvl_backend_cuda.take_picture(jobs[i], &finished, NULL, groups) == WVL_AGAIN);
                wvl_backend_cuda.release(jobs[i]);
                REQUIRE(wvl_backend_cuda.submit_picture(backend, c.plan, &pixels.image, 1, &large) == WVL_AGAIN);
            }
            finished = run_finish(&c, &pixels, backend, jobs[2], roomy[_i]);
            wvl_backend_cuda.drop_picture(run_driver.device, &finished);
            for (unsigned i = 0; i < 2; i++) {
                REQUIRE(wvl_backend_cuda.submit_picture(backend, c.plan, &pixels.image, 1, &large) == WVL_OK);
                finished = run_finish(&c, &pixels, backend, large, roomy[_i]);
                wvl_backend_cuda.drop_picture(run_driver.device, &finished);
            }
        }
        wvl_backend_cuda.close(backend);
        run_soft->memory_limit = 0;
        picture_pixels_close(&pixels, &run_driver);
        picture_case_close(&c);
    }
    stop_emulating();
}

/* Pictures of many thread blocks, each a test case of its own: checkers look at them side by side. */
static const struct {
    const char *name;
    picture_row row;
} wholes[] = {
    {"whole_ht", {"style=HT", 512, 512, 3, 8, PICTURE_NATURAL}},
    {"whole_ht_tiles",
     {"style=HT reversible=no qfactor=70 measure-psnr=no tile=300,512", 512, 512, 3, 8, PICTURE_NATURAL}},
    {"whole_part1", {"", 512, 512, 3, 8, PICTURE_NATURAL}},
    {"whole_part1_tiles",
     {"reversible=no step=0.004 measure-psnr=no tile=200,150 style=BYPASS", 512, 512, 3, 8, PICTURE_NATURAL}},
    {"whole_part1_styles",
     {"block=32,32 progression=RPCL plt=yes tlm=yes tile-parts=R style=63", 512, 512, 1, 12, PICTURE_NATURAL}},
    {"whole_part1_noise", {"style=TERMALL block=128,32", 256, 200, 1, 16, PICTURE_NOISE}},
    /* The device in software takes long for rate control. */
    {"whole_part1_rate",
     {"reversible=no bpp=2 rdoq=no measure-psnr=no block=32,32 tile=80,96", 128, 96, 1, 8, PICTURE_NATURAL}},
    {"whole_ht_rate", {"style=HT reversible=no bpp=2 measure-psnr=no", 256, 200, 3, 8, PICTURE_NATURAL}},
    /* With a survey of slopes, and blocks that are coded again. */
    {"whole_part1_survey", {"reversible=no bpp=0.4 measure-psnr=no", 1024, 520, 1, 8, PICTURE_NATURAL}},
};
#define WHOLES (sizeof wholes / sizeof *wholes)

START_TEST(whole) { run_row(&wholes[_i].row, (uint32_t)_i, WVL_MEMORY_DEVICE, 2, 1); }

__attribute__((constructor)) static void add_wholes(void)
{
    for (int i = 0; i < (int)WHOLES; i++) {
        test_register(whole, wholes[i].name, i, i + 1);
    }
}

/* ---- Work ------------------------------------------------------------------------------------ */

/* Launches of a picture, and of HT blocks those without any set: counted by the device in software. Each row has the
 * most launches that it may take, and whether some blocks are to be left out. */
static const struct {
    const char *settings;
    uint32_t launches, hides;
} works[] = {{"style=HT reversible=no bpp=0.5 measure-psnr=no", 72, 0},
             {"style=HT reversible=no bpp=0.5 step=0.01 measure-psnr=no", 36, 1},
             {"reversible=no bpp=0.4 measure-psnr=no levels=3", 130, 0}};

TEST_EACH(work, sizeof works / sizeof *works)
{
    picture_case c;
    uint32_t launches = run_soft ? run_soft->launches : 0, hidden = run_soft ? run_soft->hidden_blocks : 0;
    picture_case_draw(&c, &(picture_row){works[_i].settings, 1024, 520, 1, 8, PICTURE_NATURAL}, 5);
    run_pictures(&c, WVL_MEMORY_DEVICE, 1, 1, works[_i].settings);
    if (run_soft) {
        launches = run_soft->launches - launches;
        hidden = run_soft->hidden_blocks - hidden;
        REQUIRE_THAT(launches <= works[_i].launches, "%s: %u launches", works[_i].settings, launches);
        REQUIRE_THAT(!works[_i].hides || hidden, "%s: all blocks have sets", works[_i].settings);
    }
    picture_case_close(&c);
}

TEST_MAIN("pictures")
