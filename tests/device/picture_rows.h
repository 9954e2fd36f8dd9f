/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures that test_pictures.c has devices finish. */
#ifndef WVL_TESTS_DEVICE_PICTURE_ROWS_H
#define WVL_TESTS_DEVICE_PICTURE_ROWS_H

#include "tests/decode/picture.h"

typedef struct row {
    const char *settings;
    uint32_t width, height, count, depth;
    picture_kind kind;
} row;

#define RATE " rdoq=no measure-psnr=no"

static const row rows[] = {
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

#endif
