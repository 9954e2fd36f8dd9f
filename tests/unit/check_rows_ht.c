/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams of HT blocks. A block of 8 x 8 has Mb = 10 and, where two zero bit-planes are said, a cleanup pass at plane
 * 7: magnitudes of three bits. All segments were put together from single codewords, and decode. */
#include "tests/unit/check_bench.h"

#define HT "ht=0002 style=40 "
#define PART " part=0/0/1::"

/* One sample, at column 3 and row 2: 1, 4 and 7. The second and third have a byte of MagSgn. */
#define ONE HT PART "(11 001 0 0 100)F3C02400"
#define FOUR HT PART "(11 001 0 0 110)FEF3C0107500"
#define SEVEN HT PART "(11 001 0 0 110)FCF3C0207500"
/* No sample is significant: MEL is eight ones. */
#define ZERO HT PART "(11 001 0 0 011)FF0300"
/* Samples 5, 6, 5, 7 of one quad, three zero bit-planes: two bytes of MagSgn, and then without them. */
#define FULL HT PART "(11 0001 0 10 1000)40E5F38000467600"
/* 16 x 16, a sample at 2, 4: MEL has more than 0xFF. */
#define WIDE "x=16 y=16 " HT PART "(11 001 0 0 101)FF0FC00500"
/* VLC begins with three ones and the bit that is stuffed. */
#define STUFFED HT PART "(11 001 0 0 110)F8FE20227500"
/* Mb = 37, and a magnitude of as many bits: U-VLC has its extension. */
#define DEEP                                                                                                           \
    "ht=0016 style=40 G=7 eps=31" PART                                                                                 \
    "(11 0000000000 0000000000 0000000000 000000 1 0 10 1111)04000000C0FF7FFF7FF3C003E2B600"
/* A sample beside the edge of 7 x 8, 8 x 7. */
#define NARROW "x=7 " ONE
#define LOW "y=7 " ONE
/* SigProp and MagRef of the one sample. */
#define REFINED(bits, bytes) HT PART "(11 001 1100 0 100 " bits ")F3C02400" bytes
#define LATER HT "layers=2 " PART "(11 001 0 0 100)F3C02400(1 1 10 0 0011)"
#define LATEST HT "layers=3 " PART "(11 001 0 0 100)F3C02400(1 1 0 0 010)"

const check_row check_rows_ht[] = {
    {"ht.cleanup-length", ONE, "data @0-6;data @0+(11 001 0 0 001)05", NULL, NULL},
    {"ht.refinement-length", ONE, "data @0-6;data @0+(11 001 1100 111111110 00000000100 011111111111)F3C02400{2047x00}",
     NULL, NULL},
    {"ht.refinement-length",
     HT "layers=3 " PART "(11 001 0 0 100)F3C02400(1 1 0 1111111 0 0000000001)00(1 1 0 0 0000000001)00",
     "data @10-3;data @10+(1 1 0 10 11111111110){2046x00}", NULL, NULL},
    {"ht.scup", ONE, "data @4=01", NULL, NULL},
    {"ht.scup", ONE, "data @4=0101", NULL, NULL},
    {"ht.scup", ONE, "data @4=0500", NULL, NULL},
    {"ht.scup", ONE, "data @4=0000", NULL, NULL},
    {"ht.sets", "ht=0002 style=40 layers=2 part=0/0/1::(11 001 0 0 100)F3C0240000",
     "data @6-1;data @6+(1 1 1100 0 0010 010)0000F200", NULL, NULL},
    {"ht.magnitude", /* in a second set */
     "ht=2002 style=40 layers=2 part=0/0/1::(11 001 0 0 011)FF0300(1 1 1100 0 0001 110)00FEF3C0207500",
     "data @0=(11 01 0 0 011)", NULL, NULL},
    {"ht.placeholder", HT "layers=2 " PART "(11 001 1100 0 000)(1 1 0 0 100)F3C02400",
     "data @0-7;data @0+(11 001 0 0 000)00", NULL, NULL},
    {"ht.magnitude", FOUR, "data @0=(11 01 0 0 110)", NULL, NULL},
    {"ht.exponent", SEVEN, "data @0=(11 01 0 0 110)", NULL, NULL},
    {"ht.magnitude", DEEP, "data @0=(11 0000000000 0000000000 0000000000 00000 1 0 10 1111)", NULL, NULL},
    {"ht.exponent", DEEP, "data @0=(11 0000000000 0000000000 0000000000 0000 1 0 10 1111)", NULL, NULL},
    {"ht.magsgn-short", FULL, "data @2-2;data @0=(11 0001 0 0 110)", NULL, NULL},
    {"ht.vlc-short", ZERO, "data @2=00", NULL, NULL},
    {"ht.overlap", HT PART "(11 01 0 0 100)FCE02400", "data @3=B7", NULL, NULL},
    {"ht.overlap", HT PART "(11 001 1100 110 10000 001010)0000E00002326D32642BC8C9F2936D00{10x00}",
     "data @21-8;data @0=(11 001 1100 110 10000 000010)", NULL, NULL},
    {"ht.unread", ZERO, "data @0-5;data @0+(11 001 0 0 100)80FF0300", NULL, NULL},
    {"ht.unread", HT PART "(11 001 0 0 100)FF000400", "data @0-6;data @0+(11 001 0 0 101)FF00000500", NULL, NULL},
    {"ht.unread", REFINED("0011", "000000"), "data @0-10;data @0+(11 001 1100 0 100 0100)F3C0240000000000", NULL, NULL},
    {"ht.unread", HT PART "(11 001 10 0 100 010)F3C024000000", "data @0-8;data @0+(11 001 10 0 100 011)F3C02400000000",
     NULL, NULL},
    {"ht.stuffing", HT PART "(11 0001 0 0 111)3DFCF3C033B500", "data @2=FF8F", NULL, NULL},
    {"ht.stuffing", REFINED("0011", "FF21BD"), "data @8=81", NULL, NULL},
    {"ht.stuffing", LATER "FF21BD", "data @9=81", NULL, NULL},
    {"ht.stuffing", LATEST "FF21(1 1 0 0 001)BD", "data @8=81", NULL, NULL},
    {"ht.skipped-bit", WIDE, "data @3=8F", NULL, NULL},
    {"ht.skipped-bit", STUFFED, "data @6=F5", NULL, NULL},
    {"ht.outside", NARROW, "data @2=F9C02400", NULL, NULL},
    {"ht.outside", LOW, "data @2=FE206400", NULL, NULL},
    {"cap.magnitude-exceeded", "ht=0000 style=40" PART "(11 001 0 0 100)F3C02400", "data @0=(11 01 0 0 100)",
     "cap.magnitude", NULL},
    {"cap.magnitude-exceeded", "ht=0021 style=40 wave=0" PART "(11 001 0 0 100)F3C02400", "data @0=(11 01 0 0 100)",
     "cap.magnitude", NULL},
};
const size_t check_rows_ht_count = sizeof check_rows_ht / sizeof check_rows_ht[0];
