/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles: streams of empty packets that keep them, and what breaks each rule. A row without damage has a stream that
 * breaks the rule. */
#include "tests/unit/check_bench.h"

#define THREE "part=0/0/3::{6x00} part=0/1/3::{6x00} part=0/2/3::{6x00}"
#define TLM3                                                                                                           \
    "FF550013005000000000140000000014"                                                                                 \
    "0000000014"
#define LEVELS5 "L=5 prec=778888888888 "
#define SMALL "x=64 y=32 " LEVELS5 "xcb=3 ycb=3 prog=4 wave=0 main=" TLM3 " " THREE

#define CINEMA "depth=0B,0B,0B mct=1 G=1 rsiz=3 "
#define DC2 CINEMA SMALL
#define DC2_HIGH                                                                                                       \
    CINEMA LEVELS5 "x=8 y=1080 xcb=3 ycb=3 prog=4 wave=0 main=FF5500130050000000001B000000001B000000001B "             \
                   "part=0/0/3::{13x00} part=0/1/3::{13x00} part=0/2/3::{13x00}"
#define DC4                                                                                                            \
    "depth=0B,0B,0B mct=1 G=2 rsiz=4 x=128 y=64 L=6 prec=77888888888888 xcb=3 ycb=3 prog=4 wave=0 "                    \
    "main=FF5500220050000000001400000000140000000014000000000F000000000F000000000FFF5F001000000001060304"              \
    "06000001070304 "                                                                                                  \
    "part=0/0/6::{6x00} part=0/1/6::{6x00} part=0/2/6::{6x00} part=0/3/6::00 part=0/4/6::00 part=0/5/6::00"
/* 5000 bytes in component 0. */
#define DC2_LARGE                                                                                                      \
    CINEMA "x=64 y=32 " LEVELS5 "xcb=3 ycb=3 prog=4 wave=0 main=FF5500130050000000139F00000000140000000014 "           \
           "part=0/0/3::(110010111111111101001110001000){5000x01}{5x00} part=0/1/3::{6x00} part=0/2/3::{6x00}"
#define P2 "profile=cinema2k"
#define P4 "profile=cinema4k"
#define TO_53 "COD @13=01;QCD @5-16;QCD @4="
#define RGN0 "QCD >FF5E0005000005"

#define IMF "depth=09,09,09 rsiz=0411 " SMALL
#define PI "profile=imf-2k"
#define BC "depth=09,09,09 rsiz=0101 " SMALL
#define PB "profile=broadcast-single"

#define KB_CODING "levels=5 tile=1024,1024 block=64,64 mct=on progression=RPCL eph=yes "
#define KB_REST "precincts=[256,256],[256,256],[128,128] style=SEGSYM "
#define KB KB_CODING KB_REST "sop=yes layers=11 comment=KB_MASTER icc res uuid"
#define PK "profile=kb-master"
#define BODLEIAN                                                                                                       \
    "jp2 40x30x1x8 levels=6 tile=512,512 layers=6 progression=RPCL sop=yes eph=yes "                                   \
    "precincts=[256,256],[256,256],[128,128] "
#define NDNP "jp2 40x30x1x8 reversible=no levels=6 tile=1024,1024 style=BYPASS progression=RLCP layers=25"

/* HT: empty packets, B of MAGB in the low bits of CAP: 10 bits without a colour transform ask for 13. */
#define HTX "style=40 prog=2 xcb=5 ycb=3 x=64 y=32 "
#define HT3 "depth=09,09,09 L=5 prec=778888888888 " HTX
#define HT_PARTS                                                                                                       \
    "part=0/0/6::000000 part=0/1/6::000000 part=0/2/6::000000 part=0/3/6::000000 part=0/4/6::000000 "                  \
    "part=0/5/6::000000"
#define HT_TLM                                                                                                         \
    "main=FF550022005000000000110000000011000000001100000000110000000011"                                              \
    "0000000011 "
#define IHR HT3 "ht=0005 " HT_TLM HT_PARTS
#define IHI HT3 "ht=0023 wave=0 " HT_TLM HT_PARTS
#define PIHR "profile=imf-ht-rev"
#define PIHI "profile=imf-ht-irv"
#define DICOM HT3 "ht=0005 " HT_TLM HT_PARTS
#define PDI "profile=dicom-htj2k-rpcl"
#define HTA                                                                                                            \
    "40x30x3x8 levels=5 tile=1024,1024 block=64,64 progression=RPCL eph=yes precincts=[256,256],[256,256],[128,128] "  \
    "style=HT sop=yes plt=yes"
#define PHTA "profile=ht-archive"

const check_row check_rows_profiles[] = {
    {"profile.applies", "ht=0002 style=40 part=0/0/1::00", "", NULL, "profile=part1"},
    {"profile.applies", DC2, "", NULL, "profile=jp2"},
    {"profile.extent", "x=0x7FFFFFFF y=8 x0=0x7FFFFFF8 L=0 part=0/0/1::00", "SIZ @6=80000000;SIZ @22=80000000", NULL,
     "profile=profile1"},
    {"profile.extent", "x=0x7FFFFFFF y=8 x0=0x7FFFFFF8 L=0 part=0/0/1::00", "SIZ @6=80000000;SIZ @22=80000000", NULL,
     "profile=profile0"},
    {"profile.shift", "x=8 y=8 part=0/0/1::00", "QCD >FF5E0005000026", NULL, "profile=profile0"},
    {"profile.lowest", "x=128 y=128 part=0/0/1::00", "SIZ @6=00000081;SIZ @22=00000081", NULL, "profile=profile1"},
    {"profile0.tiles", "x=200 y=100 tx=128 ty=128 part=0/0/1::00 part=1/0/1::00", "SIZ @26=00000081", NULL,
     "profile=profile0"},
    {"profile0.subsampling", "x=16 y=16 sub=4x2 part=0/0/1::00", "SIZ @41=03", NULL, "profile=profile0"},
    {"profile0.blocks", "part=0/0/1::00", "COD @10=03", NULL, "profile=profile0"},
    {"profile0.style", "style=34 part=0/0/1::00", "COD @12=35", NULL, "profile=profile0"},
    {"profile0.packed", "part=0/0/1::00", "data -;SOT >FF6100040000", NULL, "profile=profile0"},
    {"profile1.tiles", "x=2000 y=8 tx=1024 ty=1024 L=4 part=0/0/1::0000000000 part=1/0/1::0000000000",
     "SIZ @22=00000401", NULL, "profile=profile1"},
    {"profile1.tiles", "x=200 y=8 tx=100 ty=100 part=0/0/1::00 part=1/0/1::00", "SIZ @26=00000065", NULL,
     "profile=profile1"},
    {"profile1.blocks", "part=0/0/1::00", "COD @10=05;COD @11=03", NULL, "profile=profile1"},

    {"cinema.rsiz", DC2, "SIZ @4=0002", NULL, P2},
    {"cinema.rsiz", DC4, "SIZ @4=0003", NULL, P4},
    {"cinema.size", DC2_HIGH, "SIZ @10=00000439;SIZ @26=00000439", NULL, P2},
    {"cinema.grid", DC2, "SIZ @14=00000001", NULL, P2},
    {"cinema.grid", DC2, "SIZ @22=00000800", NULL, P2},
    {"cinema.components", DC2, "SIZ @40=0A01010A01010A0101", NULL, P2},
    {"cinema.wavelet", DC2, TO_53 "20", "cinema.steps", P2},
    {"cinema.transform", DC2, "COD @8=00", NULL, P2},
    {"cinema.layers", DC2, "COD @6=0002", "packet.missing cinema.parts", P2},
    {"cinema.order", DC2, "COD @5=02", "cinema.parts", P2},
    {"cinema.scod", DC2, "COD @4=03", NULL, P2},
    {"cinema.levels", DC2, "COD >FF53000E010104030300007788888888", "packet.excess cinema.parts", P2},
    {"cinema.levels-full",
     CINEMA "x=64 y=32 L=4 prec=7788888888 xcb=3 ycb=3 prog=4 wave=0 main=FF5500130050000000001300000000130000000013 "
            "part=0/0/3::{5x00} part=0/1/3::{5x00} part=0/2/3::{5x00}",
     "", NULL, P2},
    {"cinema.blocks", DC2, "COD @10=04", NULL, P2},
    {"cinema.blocks", DC2, "COD @12=08", NULL, P2},
    {"cinema.precincts", DC2, "COD @14=66", NULL, P2},
    {"cinema.guard", DC2, "QCD @4=42", NULL, P2},
    {"cinema.guard", DC4, "QCD @4=22", NULL, P4},
    {"cinema.steps", DC2 " qstyle=1", "", NULL, P2},
    {"cinema.parts",
     CINEMA "x=64 y=32 " LEVELS5 "xcb=3 ycb=3 prog=4 wave=0 main=FF55000900500000000020 part=0/0/1::{18x00}", "", NULL,
     P2},
    {"cinema.parts", DC4, "data#0 @5-1;data#1 @6+00;TLM @7=00000013;TLM @12=00000015", NULL, P4},
    {"cinema.poc", DC2, "QCD >FF5F000900000001060304", NULL, P2},
    {"cinema.poc", DC4, "POC -", "cinema.parts", P4},
    {"cinema.tlm", DC2, "TLM -", NULL, P2},
    {"cinema.markers", DC2, RGN0, NULL, P2},
    {"cinema.markers-extra", DC2, "QCD >FF63000E{12x00}", NULL, P2},
    {"cinema.tile-headers", DC2, "SOT#0 >FF53000F00010503030000778888888888;TLM @7=00000025", NULL, P2},
    {"cinema.bytes", DC2_LARGE, "", "cinema.component-bytes", P2 " fps=10000"},
    {"cinema.bytes", DC2_LARGE, "", "cinema.component-bytes", P2 " fps=3100 stereo"},
    {"cinema.component-bytes", DC2_LARGE, "", NULL, P2 " fps=5388"},
    {"cinema.component-bytes", DC2_LARGE, "", NULL, P2 " fps=9970 hfr"},
    {"cinema.part-bytes", DC4, "", "cinema.component-bytes cinema.bytes", P4 " fps=1785715"},
    {"cinema.note-1", DC2, "QCD >FF64012E0001{298xFF}", NULL, P2},

    {"imf.rsiz", IMF, "SIZ @4=0421", NULL, PI},
    {"imf.size",
     "depth=09,09,09 rsiz=0400 " LEVELS5
     "x=8 y=1556 xcb=3 ycb=3 prog=4 wave=0 main=FF5500130050000000001E000000001E000000001E part=0/0/3::{16x00} "
     "part=0/1/3::{16x00} part=0/2/3::{16x00}",
     "SIZ @10=00000615;SIZ @26=00000615", NULL, PI},
    {"imf.offsets", IMF, "SIZ @14=00000001", NULL, PI},
    {"imf.tiles", IMF, "SIZ @22=00000020", "tile.missing imf.parts", PI},
    {"imf.components", IMF, "SIZ @40=060101060101060101", NULL, PI},
    {"imf.subsampling", IMF, "SIZ @45=02", NULL, PI},
    {"imf.wavelet", IMF, TO_53 "40", NULL, PI},
    {"imf.levels",
     "depth=09 rsiz=0400 x=64 y=32 L=6 prec=77888888888888 xcb=3 ycb=3 prog=4 wave=0 main=FF55000900500000000015 "
     "part=0/0/1::{7x00}",
     "", NULL, PI},
    {"imf.blocks", IMF, "COD @10=04", NULL, PI},
    {"imf.precincts", IMF, "COD @14=66", NULL, PI},
    {"imf.layers", IMF, "COD @6=0002", "packet.missing imf.parts", PI},
    {"imf.order", IMF, "COD @5=02", "imf.parts", PI},
    {"imf.order", IMF, "QCD >FF5F000900000001060304", NULL, PI},
    {"imf.markers", IMF, RGN0, NULL, PI},
    {"imf.parts",
     "depth=09,09,09 rsiz=0400 x=64 y=32 " LEVELS5
     "xcb=3 ycb=3 prog=4 wave=0 main=FF55000900500000000020 part=0/0/1::{18x00}",
     "", NULL, PI},
    {"imf.tlm", IMF, "TLM -", NULL, PI},
    {"imf.samples", "depth=09,09,09 rsiz=0401 " SMALL, "", NULL, PI " fps=100000"},
    {"imf.bytes", "depth=09,09,09 rsiz=0410 " SMALL, "", NULL, PI " fps=1000000"},

    {"broadcast.rsiz", BC, "SIZ @4=0201", NULL, PB},
    {"broadcast.offsets", BC, "SIZ @14=00000001", NULL, PB},
    {"broadcast.tiles", BC, "SIZ @22=00000020", "tile.missing broadcast.parts", PB},
    {"broadcast.components", BC, "SIZ @40=0C01010C01010C0101", NULL, PB},
    {"broadcast.subsampling", BC, "SIZ @41=02", NULL, PB},
    {"broadcast.wavelet", BC, TO_53 "40", NULL, PB},
    {"broadcast.levels",
     "depth=09 rsiz=0100 x=64 y=32 L=6 prec=77888888888888 xcb=3 ycb=3 prog=4 wave=0 main=FF55000900500000000015 "
     "part=0/0/1::{7x00}",
     "", NULL, PB},
    {"broadcast.blocks", BC, "COD @10=02", NULL, PB},
    {"broadcast.precincts", BC, "COD @14=66", NULL, PB},
    {"broadcast.layers", BC, "COD @6=0002", "packet.missing broadcast.parts", PB},
    {"broadcast.order", BC, "COD @5=02", "broadcast.parts", PB},
    {"broadcast.markers", BC, RGN0, NULL, PB},
    {"broadcast.parts",
     "depth=09,09,09 rsiz=0100 x=64 y=32 " LEVELS5
     "xcb=3 ycb=3 prog=4 wave=0 main=FF55000900500000000020 part=0/0/1::{18x00}",
     "", NULL, PB},
    {"broadcast.tlm", BC, "TLM -", NULL, PB},
    {"broadcast.samples", BC, "", NULL, PB " fps=90000"},
    {"broadcast.bytes", BC, "", "broadcast.samples", PB " fps=160000"},

    {"keep.components", "jp2 40x30x3x12 " KB, "", NULL, PK},
    {"keep.wavelet", "jp2 40x30x3x8 reversible=no " KB, "", NULL, PK},
    {"keep.transform",
     "jp2 40x30x3x8 " KB_REST
     "levels=5 tile=1024,1024 mct=off progression=RPCL sop=yes eph=yes layers=11 comment=x icc res uuid",
     "", NULL, PK},
    {"keep.tiles", "jp2 40x30x3x8 " KB " tile=512,512", "", NULL, PK},
    {"keep.levels", "jp2 40x30x3x8 " KB " levels=4", "", NULL, PK},
    {"keep.layers", "jp2 40x30x3x8 " KB " layers=10", "", NULL, PK},
    {"keep.order", "jp2 40x30x3x8 " KB " progression=LRCP", "", NULL, PK},
    {"keep.blocks", "jp2 40x30x3x8 " KB " block=32,32", "", NULL, PK},
    {"keep.style", "jp2 40x30x3x8 " KB " style=0", "", NULL, PK},
    {"keep.precincts", "jp2 40x30x3x8 " KB " precincts=[256,256],[128,128]", "", NULL, PK},
    {"keep.resilience", "jp2 40x30x3x8 " KB " sop=no", "", NULL, PK},
    {"keep.resilience", "jp2 40x30x3x8 " KB " eph=no", "", NULL, PK},
    {"keep.comment", "jp2 40x30x3x8 " KB_CODING KB_REST "sop=yes layers=11 icc res uuid", "", NULL, PK},
    {"keep.xmp", "jp2 40x30x3x8 " KB, "uuid -", NULL, PK},
    {"keep.xmp", "jp2 40x30x3x8 " KB, "uuid @61=58", NULL, PK},
    {"keep.icc", "jp2 40x30x3x8 " KB_CODING KB_REST "sop=yes layers=11 comment=x icc-plain res uuid", "", NULL, PK},
    {"keep.capture", "jp2 40x30x3x8 " KB, "resc -", NULL, PK},
    {"keep.plt", BODLEIAN "tile-parts=R", "", NULL, "profile=bodleian"},
    {"keep.parts", BODLEIAN "plt=yes", "", NULL, "profile=bodleian"},
    {"dicom.wavelet", HT3 "ht=0023 wave=0 " HT_TLM HT_PARTS, "", NULL, PDI},
    {"dicom.blocks", DICOM, "CAP @8=8005;COD >FF53000F01010505030001778888888888", NULL, PDI},
    {"dicom.order", DICOM, "COD @5=00", "dicom.parts", PDI},
    {"dicom.order", DICOM, "QCD >FF5F000900000001060302", NULL, PDI},
    {"dicom.base",
     "depth=09 style=40 prog=2 xcb=3 ycb=3 x=65 y=65 L=0 ht=0005 main=FF5500090050000000000F part=0/0/1::00", "", NULL,
     PDI},
    {"dicom.base-both",
     "depth=09 style=40 prog=2 xcb=3 ycb=3 x=65 y=64 L=0 ht=0005 main=FF5500090050000000000F part=0/0/1::00", "", NULL,
     PDI},
    {"dicom.tlm", DICOM, "TLM -", NULL, PDI},
    {"dicom.parts", HT3 "ht=0005 main=FF55000900500000000020 part=0/0/1::{18x00}", "", NULL, PDI},
    {"dicom.components", DICOM, "SIZ @40=080101080101090101", NULL, PDI},
    {"dicom.components", DICOM, "SIZ @40=890101090101090101", NULL, PDI},
    {"dicom.components", DICOM, "SIZ @44=02", NULL, PDI},
    {"dicom.components",
     "depth=09,09 style=40 prog=2 x=64 y=32 L=0 ht=0005 main=FF55000900500000000010 part=0/0/1::0000", "", NULL, PDI},
    {"dicom.bare", "jph 40x30x1x8 style=HT progression=RPCL tlm=yes tile-parts=R levels=1", "", NULL, PDI},

    {"imf-ht.grid", IHR, "SIZ @14=00000001", NULL, PIHR},
    {"imf-ht.grid", IHR, "SIZ @22=00000020", "tile.missing", PIHR},
    {"imf-ht.size",
     "depth=09 style=40 prog=2 xcb=5 ycb=3 x=8 y=6224 L=7 prec=7788888888888888 ht=0006 main=FF55000900500000000044 "
     "part=0/0/1::{54x00}",
     "SIZ @10=00001851;SIZ @26=00001851", NULL, PIHR},
    {"imf-ht.components", IHR, "SIZ @43=0A", NULL, PIHR},
    {"imf-ht.components", IHR, "SIZ @40=890101090101090101", NULL, PIHR},
    {"imf-ht.components",
     HTX "L=5 prec=778888888888 ht=0005 depth=09,09,09,09,09 main=FF5500090050000000002C part=0/0/1::{30x00}", "", NULL,
     PIHR},
    {"imf-ht.components", HTX "L=5 prec=778888888888 ht=0002 depth=06 main=FF55000900500000000014 part=0/0/1::{6x00}",
     "", NULL, PIHR},
    {"imf-ht.subsampling", IHR, "SIZ @45=02", NULL, PIHR},
    {"imf-ht.subsampling", IHR, "SIZ @41=02", NULL, PIHR},
    {"imf-ht.cap", IHR, "CAP @8=1005", NULL, PIHR},
    {"imf-ht.cap", IHR, "CAP @8=2005", NULL, PIHR},
    {"imf-ht.wavelet", IHR, "CAP @8=0025", NULL, PIHR},
    {"imf-ht.wavelet", IHI, "COD @13=01;QCD @5-16;QCD @4=20", NULL, PIHI},
    {"imf-ht.levels",
     HTX "depth=09,09,09 ht=0006 L=6 prec=77888888888888 main=FF55000900500000000023 part=0/0/1::{21x00}", "", NULL,
     PIHR},
    {"imf-ht.layers", IHR, "COD @6=0002", "packet.missing", PIHR},
    {"imf-ht.blocks", IHR, "COD @10=02", NULL, PIHR},
    {"imf-ht.blocks", IHR, "COD @10=0305", NULL, PIHR},
    {"imf-ht.blocks", IHR, "COD @12=48", NULL, PIHR},
    {"imf-ht.precincts", IHR, "COD @14=66", NULL, PIHR},
    {"imf-ht.order", IHR, "COD @5=03", NULL, PIHR},
    {"imf-ht.order", IHR, "QCD >FF5F000900000001060302", NULL, PIHR},
    {"imf-ht.markers", HT3 "ht=0005 main=FF5500090050000000000EFF6000190000000012{18x00} part=0/0/1::", "", NULL, PIHR},
    {"imf-ht.tlm", IHR, "TLM -", NULL, PIHR},
    {"imf-ht.magnitude", IHR, "CAP @8=0004", NULL, PIHR},
    {"imf-ht.magnitude", IHR, "CAP @8=0006", NULL, PIHR},
    {"imf-ht.magnitude", IHI, "CAP @8=0035", NULL, PIHI},
    {"imf-ht.magnitude-high", IHI, "CAP @8=0024", NULL, PIHI},

    {"keep.plt", "jph " HTA " plt=no", "", NULL, PHTA},
    {"keep.levels", "jph " HTA " levels=4", "", NULL, PHTA},
    {"keep.tiles", "jph " HTA " tile=512,512", "", NULL, PHTA},
    {"keep.style", "jph " HTA " style=HT+VSC", "", NULL, PHTA},
    {"keep.order", "jph " HTA " progression=LRCP", "", NULL, PHTA},
    {"keep.wavelet", "jph " HTA " reversible=no", "", NULL, PHTA},
    {"keep.precincts", "jph " HTA " precincts=[256,256]", "", NULL, PHTA},
    {"keep.resilience", "jph " HTA " sop=no", "", NULL, PHTA},
    {"profile.applies", "encode " HTA, "", NULL, PHTA},
    {"keep.region", NDNP, "jp2c @53+FF5E0005000005", NULL, "profile=ndnp"},
};
const size_t check_rows_profiles_count = sizeof check_rows_profiles / sizeof check_rows_profiles[0];
