/* SPDX-License-Identifier: BSD-2-Clause */
#include "table.h"

#define SIZ 0xFF51u
#define COD 0xFF52u
#define COC 0xFF53u
#define QCD 0xFF5Cu
#define QCC 0xFF5Du
#define RGN 0xFF5Eu
#define POC 0xFF5Fu
#define CAP 0xFF50u

/* Pictures. */
#define GREY "picture=natural at=1 size=40,30 components=8u "
#define RGB "picture=natural at=1 size=40,30 components=3*8u "
#define DOT "picture=flat at=1 size=1,1 components="
#define THREE DOT "3*8u "

/* FIELD(segment, name, clause, option, meaning, offset, indices before, bytes, shift, mask) */
#define FIELD(segment, name, clause, option, meaning, offset, wide, bytes, shift, mask) \
    {#segment, name, clause, option, meaning, segment, offset, wide, bytes, shift, mask}

static const compliance_row rows[] = {
    /* ---- SIZ ---- */
    {FIELD(SIZ, "Lsiz", "A.5.1", NULL, "38 + 3 Csiz", 0, 0, 2, 0, 0), {{41, GREY}, {49190, DOT "16384*8u levels=0"}}, NULL, NULL},
    {FIELD(SIZ, "Rsiz", "A.5.1, Table A.10", "profile", "0; 1, 2: profiles 0, 1; 3, 4: cinema; 0x01xx to 0x09xx: broadcast, IMF; 0x4000: HT", 2, 0, 2,
     0, 0),
     {{0, GREY}, {1, GREY "profile=0 levels=0"}, {2, GREY "profile=1 levels=0"}, {0x4000, GREY "style=HT"},
      {3, "picture=natural at=1 size=256,256 components=3*12u preset=dci-2k"},
      {0x0414, "picture=natural at=1 size=256,256 components=3*12u preset=imf-2k-24-m4-s1"}},
     GREY "profile=7", "none|0|1"},
    {FIELD(SIZ, "Xsiz", "A.5.1", NULL, "right edge of the picture", 4, 0, 4, 0, 0),
     {{1, DOT "8u"}, {4294967295u, "picture=natural at=1 size=5,5 offset=4294967290,4294967290 components=8u"}}, NULL, NULL},
    {FIELD(SIZ, "Ysiz", "A.5.1", NULL, "lower edge of the picture", 8, 0, 4, 0, 0),
     {{1, DOT "8u"}, {4294967295u, "picture=natural at=1 size=5,5 offset=4294967290,4294967290 components=8u"}}, NULL, NULL},
    {FIELD(SIZ, "XOsiz", "A.5.1", NULL, "left edge of the picture", 12, 0, 4, 0, 0), {{0, GREY}, {4294967294u, DOT "8u offset=4294967294,0"}},
     NULL, NULL},
    {FIELD(SIZ, "YOsiz", "A.5.1", NULL, "upper edge of the picture", 16, 0, 4, 0, 0), {{0, GREY}, {4294967294u, DOT "8u offset=0,4294967294"}},
     NULL, NULL},
    {FIELD(SIZ, "XTsiz", "A.5.1", "tile", "width of tiles; one tile: Xsiz - XTOsiz", 20, 0, 4, 0, 0),
     {{1, "picture=natural at=1 size=5,5 components=8u tile=1,4 levels=0"}, {4294967295u, GREY "tile=4294967295,4294967295"}},
     GREY "tile=0,8", "A.5.1"},
    {FIELD(SIZ, "YTsiz", "A.5.1", "tile", "height of tiles; one tile: Ysiz - YTOsiz", 24, 0, 4, 0, 0),
     {{1, "picture=natural at=1 size=5,5 components=8u tile=4,1 levels=0"}, {4294967295u, GREY "tile=4294967295,4294967295"}},
     GREY "tile=8,0", "A.5.1"},
    {FIELD(SIZ, "XTOsiz", "A.5.1, B-3", "tile-offset", "left edge of the first tile, up to XOsiz", 28, 0, 4, 0, 0),
     {{0, GREY "tile=16,16"}, {4294967294u, DOT "8u offset=4294967294,0 tile=16,16 tile-offset=4294967294,0"}},
     GREY "tile=16,16 tile-offset=1,0", "B-3"},
    {FIELD(SIZ, "YTOsiz", "A.5.1, B-3", "tile-offset", "upper edge of the first tile, up to YOsiz", 32, 0, 4, 0, 0),
     {{0, GREY "tile=16,16"}, {4294967294u, DOT "8u offset=0,4294967294 tile=16,16 tile-offset=0,4294967294"}},
     GREY "tile=16,16 tile-offset=0,1", "B-3"},
    {FIELD(SIZ, "Csiz", "A.5.1", NULL, "components", 36, 0, 2, 0, 0), {{1, GREY}, {16384, DOT "16384*8u levels=0"}}, NULL, NULL},
    {FIELD(SIZ, "Ssiz: depth - 1", "A.5.1, Table A.11", NULL, "depths of 1 to 28 bits", 38, 0, 1, 0, 0x7F),
     {{0, "picture=natural at=1 size=40,30 components=1u"}, {27, "picture=natural at=1 size=40,30 components=28u"}},
     "picture=natural at=1 size=40,30 components=29u", "up to 28"},
    {FIELD(SIZ, "Ssiz: sign", "A.5.1, Table A.11", NULL, "1: signed", 38, 0, 1, 7, 0), {{0, GREY},
     {1, "picture=natural at=1 size=40,30 components=8s"}}, NULL, NULL},
    {FIELD(SIZ, "XRsiz", "A.5.1", NULL, "distance of samples across", 39, 0, 1, 0, 0),
     {{1, GREY}, {255, "picture=natural at=1 size=2000,30 components=8u@255x1"}}, NULL, NULL},
    {FIELD(SIZ, "YRsiz", "A.5.1", NULL, "distance of samples down", 40, 0, 1, 0, 0),
     {{1, GREY}, {255, "picture=natural at=1 size=30,2000 components=8u@1x255"}}, NULL, NULL},

    /* ---- CAP ---- */
    {FIELD(CAP, "Lcap", "A.5.2", NULL, "Part 15 alone", 0, 0, 2, 0, 0), {{8, GREY "style=HT"}}, NULL, NULL},
    {FIELD(CAP, "Pcap", "A.5.2", NULL, "bit of Part 15", 2, 0, 4, 0, 0), {{0x00020000, GREY "style=HT"}}, NULL, NULL},
    {FIELD(CAP, "Ccap15: sets", "15444-15 A.3", NULL, "HT blocks alone, one set each, no region", 6, 0, 2, 12, 0), {{0, GREY "style=HT"}},
     NULL, NULL},
    {FIELD(CAP, "Ccap15: heterogeneous", "15444-15 A.3", "overrides", "1: tiles of their own, PPT", 6, 0, 2, 11, 1),
     {{0, GREY "style=HT"}, {1, GREY "style=HT tile=20,20 overrides=T2:levels=1"}}, NULL, NULL},
    {FIELD(CAP, "Ccap15: wavelet", "15444-15 A.3", "reversible", "1: 9/7 somewhere", 6, 0, 2, 5, 1), {{0, GREY "style=HT"},
     {1, GREY "style=HT reversible=no"}}, NULL, NULL},
    {FIELD(CAP, "Ccap15: MAGB", "15444-15 A.3", NULL, "bound of magnitudes, from what bands are proved to hold", 6, 0, 2, 0, 31),
     {{0, DOT "1u levels=0 style=HT"}, {20, "picture=natural at=1 size=40,30 components=26u style=HT"}}, NULL, NULL},

    /* ---- COD ---- */
    {FIELD(COD, "Lcod", "A.6.1", NULL, "12, with precincts 13 + levels", 0, 0, 2, 0, 0), {{12, GREY}, {14, GREY "levels=1 precincts=[64,64]"},
     {45, GREY "levels=32 precincts=[64,64]"}}, NULL, NULL},
    {FIELD(COD, "Scod: precincts", "A.6.1, Table A.13", "precincts", "1: sizes are written", 2, 0, 1, 0, 1), {{0, GREY},
     {1, GREY "precincts=[64,64]"}}, NULL, NULL},
    {FIELD(COD, "Scod: SOP", "A.6.1, Table A.13", "sop", "1: SOP before each packet", 2, 0, 1, 1, 1), {{0, GREY}, {1, GREY "sop=yes"}}, NULL, NULL},
    {FIELD(COD, "Scod: EPH", "A.6.1, Table A.13", "eph", "1: EPH behind each packet header", 2, 0, 1, 2, 1), {{0, GREY}, {1, GREY "eph=yes"}},
     NULL, NULL},
    {FIELD(COD, "SGcod: progression", "A.6.1, Table A.16", "progression", "0 LRCP, 1 RLCP, 2 RPCL, 3 PCRL, 4 CPRL", 3, 0, 1, 0, 0),
     {{0, RGB}, {1, RGB "progression=RLCP"}, {2, RGB "progression=RPCL"}, {3, RGB "progression=PCRL"}, {4, RGB "progression=CPRL"}},
     RGB "progression=LRPC", "LRCP|RLCP"},
    {FIELD(COD, "SGcod: layers", "A.6.1", "layers", "", 4, 0, 2, 0, 0), {{1, GREY},
     {65535, "picture=natural at=1 size=8,8 components=8u levels=0 layers=65535"}}, GREY "layers=65536", "1 to 65535"},
    {FIELD(COD, "SGcod: transform", "A.6.1, Table A.17", "mct", "1: RCT or ICT on components 0 to 2", 6, 0, 1, 0, 0), {{0, RGB "mct=off"},
     {1, RGB "mct=on"}}, GREY "mct=on", "G.2"},
    {FIELD(COD, "SPcod: levels", "A.6.1", "levels", "", 7, 0, 1, 0, 0), {{0, GREY "levels=0"}, {32, GREY "levels=32"}}, GREY "levels=33", "0 to 32"},
    {FIELD(COD, "SPcod: xcb - 2", "A.6.1, Table A.18", "block", "blocks of 4 to 1024 across", 8, 0, 1, 0, 0), {{0, GREY "block=4,64"},
     {8, GREY "block=1024,4"}}, GREY "block=2048,4", "4 to 1024"},
    {FIELD(COD, "SPcod: ycb - 2", "A.6.1, Table A.18", "block", "blocks of 4 to 1024 down, at most 4096 samples", 9, 0, 1, 0, 0),
     {{0, GREY "block=64,4"}, {8, GREY "block=4,1024"}}, GREY "block=128,64", "A.6.1"},
    {FIELD(COD, "SPcod: style", "A.6.1, Table A.19", "style", "any of BYPASS, RESET, TERMALL, VSC, PTERM, SEGSYM; HT, with VSC or without", 10, 0, 1,
     0, 0),
     {{0, GREY}, {63, GREY "style=63"}, {64, GREY "style=64"}, {72, GREY "style=72"}}, GREY "style=65", "15444-15"},
    {FIELD(COD, "SPcod: wavelet", "A.6.1, Table A.20", "reversible", "0 9/7, 1 5/3", 11, 0, 1, 0, 0), {{0, GREY "reversible=no"}, {1, GREY}},
     NULL, NULL},
    {FIELD(COD, "SPcod: PPx", "A.6.1, Table A.21", "precincts", "0 in the lowest resolution alone", 12, 0, 1, 0, 15),
     {{0, GREY "levels=1 precincts=[64,64],[1,64]"}, {15, GREY "levels=1 precincts=[64,64],[32768,64]"}}, GREY "levels=1 precincts=[1,64]", "A.6.1"},
    {FIELD(COD, "SPcod: PPy", "A.6.1, Table A.21", "precincts", "0 in the lowest resolution alone", 12, 0, 1, 4, 15),
     {{0, GREY "levels=1 precincts=[64,64],[64,1]"}, {15, GREY "levels=1 precincts=[64,64],[64,32768]"}}, GREY "levels=1 precincts=[64,1]", "A.6.1"},

    /* ---- COC ---- */
    {FIELD(COC, "Lcoc", "A.6.2", NULL, "9 or 10, with precincts and levels more", 0, 0, 2, 0, 0),
     {{9, RGB "overrides=C0:style=4"}, {43, DOT "300*8u overrides=C0:levels=32;precincts=[64,64]"}}, NULL, NULL},
    {FIELD(COC, "Ccoc", "A.6.2", "overrides", "", 2, 0, 0, 0, 0), {{0, RGB "overrides=C0:style=4"}, {255, DOT "256*8u overrides=C255:style=4"},
     {16383, DOT "16384*8u levels=0 overrides=C16383:style=4"}}, RGB "overrides=C3:style=4", "A.6.2"},
    {FIELD(COC, "Scoc", "A.6.2, Table A.23", "precincts", "1: precinct sizes are written", 3, 1, 1, 0, 0), {{0, RGB "overrides=C0:style=4"},
     {1, RGB "overrides=C0:precincts=[64,64]"}}, NULL, NULL},
    {FIELD(COC, "SPcoc: levels", "A.6.2", "levels", "", 4, 1, 1, 0, 0), {{0, RGB "mct=off overrides=C1:levels=0"},
     {32, RGB "mct=off overrides=C1:levels=32"}}, RGB "overrides=C1:levels=33", "0 to 32"},
    {FIELD(COC, "SPcoc: xcb - 2", "A.6.2", "block", "", 5, 1, 1, 0, 0), {{0, RGB "overrides=C1:block=4,64"}, {8, RGB "overrides=C1:block=1024,4"}},
     RGB "overrides=C1:block=2048,4", "4 to 1024"},
    {FIELD(COC, "SPcoc: ycb - 2", "A.6.2", "block", "", 6, 1, 1, 0, 0), {{0, RGB "overrides=C1:block=64,4"}, {8, RGB "overrides=C1:block=4,1024"}},
     RGB "overrides=C1:block=128,64", "A.6.1"},
    {FIELD(COC, "SPcoc: style", "A.6.2", "style", "HT where all blocks are", 7, 1, 1, 0, 0), {{0, RGB "style=4 overrides=C1:style=0"},
     {63, RGB "overrides=C1:style=63"}, {72, RGB "style=64 overrides=C1:style=72"}}, RGB "overrides=C1:style=64", "all blocks"},
    {FIELD(COC, "SPcoc: wavelet", "A.6.2", "reversible", "", 8, 1, 1, 0, 0), {{0, RGB "mct=off overrides=C1:reversible=no"},
     {1, RGB "mct=off reversible=no overrides=C1:reversible=yes"}}, RGB "mct=on overrides=C1:reversible=no", "G.2"},
    {FIELD(COC, "SPcoc: PPx", "A.6.2", "precincts", "", 9, 1, 1, 0, 15), {{0, RGB "levels=1 overrides=C1:precincts=[64,64],[1,64]"},
     {15, RGB "levels=1 overrides=C1:precincts=[64,64],[32768,64]"}}, NULL, NULL},
    {FIELD(COC, "SPcoc: PPy", "A.6.2", "precincts", "", 9, 1, 1, 4, 15), {{0, RGB "levels=1 overrides=C1:precincts=[64,64],[64,1]"},
     {15, RGB "levels=1 overrides=C1:precincts=[64,64],[64,32768]"}}, NULL, NULL},

    /* ---- QCD ---- */
    {FIELD(QCD, "Lqcd", "A.6.4", NULL, "4 + 3 levels; 5 derived; 5 + 6 levels expounded", 0, 0, 2, 0, 0),
     {{4, GREY "levels=0"}, {100, GREY "levels=32"}, {5, GREY "reversible=no quantization=derived"}, {197, GREY "reversible=no levels=32"}},
     NULL, NULL},
    {FIELD(QCD, "Sqcd: style", "A.6.4, Table A.28", "quantization", "0 none, 1 derived, 2 expounded", 2, 0, 1, 0, 31),
     {{0, GREY}, {1, GREY "reversible=no quantization=derived"}, {2, GREY "reversible=no"}}, GREY "quantization=implicit", "derived|expounded"},
    {FIELD(QCD, "Sqcd: guard bits", "A.6.4, Table A.28", "guard-bits", "0 with 5/3 alone", 2, 0, 1, 5, 0), {{0, GREY "guard-bits=0"},
     {1, GREY "reversible=no guard-bits=1"}, {7, GREY "guard-bits=7"}}, GREY "reversible=no guard-bits=0", "E-2"},
    {FIELD(QCD, "SPqcd: exponent, 5/3", "A.6.4, Table A.29", NULL, "", -1, 0, 1, 3, 0),
     {{0, DOT "1u levels=0 guard-bits=3"}, {31, "picture=natural at=1 size=40,30 components=28u guard-bits=1"}},
     DOT "1u levels=0 guard-bits=4", "E.1"},
    {FIELD(QCD, "SPqcd: exponent, 9/7", "A.6.4, Table A.30", "step", "of the finest band", -2, 0, 2, 11, 0),
     {{0, GREY "reversible=no step=0.9999 levels=0"}, {31, GREY "reversible=no guard-bits=1 step=0.0000000009"}}, NULL, NULL},
    {FIELD(QCD, "SPqcd: mantissa", "A.6.4, Table A.30", "step", "", -2, 0, 2, 0, 2047), {{0, GREY "reversible=no levels=0 step=0.0078125"},
     {2047, GREY "reversible=no levels=0 step=0.0156211853"}}, NULL, NULL},

    /* ---- QCC ---- */
    {FIELD(QCC, "Lqcc", "A.6.5", NULL, "5 or 6 + 3 levels; 6 or 7; 6 or 7 + 6 levels", 0, 0, 2, 0, 0), {{5, RGB "mct=off overrides=C1:levels=0"},
     {199, DOT "300*8u overrides=C1:reversible=no;levels=32"}}, NULL, NULL},
    {FIELD(QCC, "Cqcc", "A.6.5", "overrides", "", 2, 0, 0, 0, 0), {{0, RGB "overrides=C0:guard-bits=1"},
     {16383, DOT "16384*8u levels=0 overrides=C16383:guard-bits=1"}}, RGB "overrides=C3:guard-bits=1", "A.6.2"},
    {FIELD(QCC, "Sqcc: style", "A.6.5", "quantization", "", 3, 1, 1, 0, 31),
     {{0, RGB "overrides=C1:guard-bits=1"}, {1, RGB "reversible=no overrides=C1:quantization=derived"},
     {2, RGB "reversible=no quantization=derived overrides=C1:quantization=expounded"}}, NULL, NULL},
    {FIELD(QCC, "Sqcc: guard bits", "A.6.5", "guard-bits", "", 3, 1, 1, 5, 0), {{0, RGB "overrides=C1:guard-bits=0"},
     {7, RGB "overrides=C1:guard-bits=7"}}, RGB "overrides=C1:guard-bits=8", "0 to 7"},
    {FIELD(QCC, "SPqcc: exponent, 5/3", "A.6.5", NULL, "", -1, 0, 1, 3, 0), {{0, DOT "2*1u levels=0 overrides=C1:guard-bits=3"},
     {31, "picture=natural at=1 size=40,30 components=8u,28u guard-bits=1"}}, NULL, NULL},
    {FIELD(QCC, "SPqcc: exponent, 9/7", "A.6.5", "step", "", -2, 0, 2, 11, 0), {{0, RGB "mct=off reversible=no overrides=C1:levels=0;step=0.9999"},
     {31, RGB "mct=off reversible=no overrides=C1:guard-bits=1;step=0.0000000009"}}, NULL, NULL},
    {FIELD(QCC, "SPqcc: mantissa", "A.6.5", "step", "", -2, 0, 2, 0, 2047),
     {{0, RGB "mct=off reversible=no levels=0 step=0.009 overrides=C1:step=0.0078125"},
     {2047, RGB "mct=off reversible=no levels=0 overrides=C1:step=0.0156211853"}}, NULL, NULL},

    /* ---- RGN ---- */
    {FIELD(RGN, "Lrgn", "A.6.3", NULL, "6 from 257 components on", 0, 0, 2, 0, 0), {{5, RGB "roi=c=0,U=5"}, {6, DOT "257*8u roi=c=0,U=5"}},
     NULL, NULL},
    {FIELD(RGN, "Crgn", "A.6.3", "roi", "", 2, 0, 0, 0, 0), {{0, RGB "roi=c=0,U=5"}, {16383, DOT "16384*8u levels=0 roi=c=16383,U=5"}},
     RGB "roi=c=3,U=5", "A.6.2"},
    {FIELD(RGN, "Srgn", "A.6.3, Table A.25", NULL, "maxshift", 3, 1, 1, 0, 0), {{0, RGB "roi=c=0,U=5"}}, NULL, NULL},
    {FIELD(RGN, "SPrgn", "A.6.3, Table A.26", "roi", "with a rectangle at least Mb and Mb + s up to 31, with whole components Mb + s up to 37", 4, 1,
     1, 0, 0),
     {{1, RGB "roi=c=0,U=1"}, {13, RGB "roi=rect=5,5,9,9"}, {35, DOT "1u levels=0 roi=c=0,U=35"}}, DOT "1u levels=0 roi=c=0,U=36", "A.6.3"},

    /* ---- POC ---- */
    {FIELD(POC, "Lpoc", "A.6.6", "progression-changes", "2 + 7 or 9 for each volume", 0, 0, 2, 0, 0), {{9, RGB "progression-changes=0,0,1,33,3,RLCP"},
     {20, DOT "257*8u levels=0 progression-changes=0,0,1,1,9,LRCP/0,0,1,1,257,LRCP"}}, NULL, NULL},
    {FIELD(POC, "RSpoc", "A.6.6", "progression-changes", "", 2, 0, 1, 0, 0),
     {{0, RGB "progression-changes=0,0,1,33,3,RLCP"}, {32, GREY "levels=32 progression-changes=32,0,1,33,1,LRCP/0,0,1,33,1,LRCP"}},
     RGB "progression-changes=33,0,1,33,3,RLCP", "A.6.6"},
    {FIELD(POC, "CSpoc", "A.6.6", "progression-changes", "", 3, 0, 0, 0, 0),
     {{0, RGB "progression-changes=0,0,1,33,3,RLCP"}, {16383, DOT "16384*8u levels=0 progression-changes=0,16383,1,1,16384,LRCP/0,0,1,1,16384,LRCP"}},
     RGB "progression-changes=0,16384,1,6,16384,LRCP", "A.6.6"},
    {FIELD(POC, "LYEpoc", "A.6.6", "progression-changes", "", 4, 1, 2, 0, 0),
     {{1, RGB "progression-changes=0,0,1,33,3,RLCP"},
     {65535, "picture=natural at=1 size=8,8 components=8u levels=0 layers=65535 progression-changes=0,0,65535,1,1,LRCP"}},
     RGB "progression-changes=0,0,0,6,3,LRCP", "A.6.6"},
    {FIELD(POC, "REpoc", "A.6.6", "progression-changes", "at most one more than the levels", 6, 1, 1, 0, 0),
     {{1, GREY "levels=0 progression-changes=0,0,1,33,1,RLCP"}, {33, GREY "levels=32 progression-changes=0,0,1,33,1,LRCP"}},
     GREY "progression-changes=0,0,1,34,1,LRCP", "A.6.6"},
    {FIELD(POC, "CEpoc", "A.6.6", "progression-changes", "at most the components; of 256, 0", 7, 1, 0, 0, 0),
     {{1, GREY "progression-changes=0,0,1,6,1,RLCP"}, {0, DOT "256*8u levels=0 progression-changes=0,0,1,1,256,RLCP"},
     {16384, DOT "16384*8u levels=0 progression-changes=0,0,1,1,16384,LRCP"}}, NULL, NULL},
    {FIELD(POC, "Ppoc", "A.6.6, Table A.16", "progression-changes", "0 LRCP, 1 RLCP, 2 RPCL, 3 PCRL, 4 CPRL", -1, 0, 1, 0, 0),
     {{0, RGB "progression-changes=0,0,1,6,3,LRCP"}, {1, RGB "progression-changes=0,0,1,6,3,RLCP"}, {2, RGB "progression-changes=0,0,1,6,3,RPCL"},
     {3, RGB "progression-changes=0,0,1,6,3,PCRL"},
      {4, RGB "progression-changes=0,0,1,6,3,CPRL"}}, RGB "progression-changes=0,0,1,6,3,LRPC", "LRCP"},
};

const compliance_row *compliance_rows(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
