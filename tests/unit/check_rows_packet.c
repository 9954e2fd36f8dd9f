/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets. An 8 x 8 block without decomposition has Mb = 10; its first header is, bit by bit: not empty, included, zero
 * bit-planes (zeros and a one), passes, Lblock (ones and a zero), lengths. */
#include "tests/unit/check_bench.h"

/* Two zero bit-planes, one pass, four bytes. */
#define BLOCK "(11 001 0 0 100)01020304"
#define ONE "part=0/0/1::" BLOCK
#define TWO "L=1 part=0/0/1::" BLOCK "00"
#define HT "ht=0002 style=40 part=0/0/1::(11 001 0 0 100)F3C02400"

/* The same with SigProp and MagRef of three bytes. Another packet follows. */
#define HT_REFINED "ht=0002 style=40 L=1 part=0/0/1::(11 001 1100 0 100 0011)00004400{3x00}00"

const check_row check_rows_packet[] = {
    {"sop.unexpected", ONE, "data @0+FF9100040000", NULL, NULL},
    {"sop.length", "scod=02 part=0/0/1::FF9100040000" BLOCK, "data @3=05", NULL, NULL},
    {"sop.number", "scod=02 part=0/0/1::FF9100040000" BLOCK, "data @5=01", NULL, NULL},
    {"sop.number", "scod=02 L=1 part=0/0/1::00FF910004000100", "data @6=00", NULL, NULL},
    {"eph.missing", "scod=04 part=0/0/1::(11 001 0 0 100)FF9201020304", "data @2-2", NULL, NULL},
    {"eph.missing", "scod=04 L=1 part=0/0/1::00FF9200FF92", "data @4-2", NULL, NULL},
    {"eph.unexpected", "scod=04 part=0/0/1::(11 001 0 0 100)FF9201020304", "COD @4=00", NULL, NULL},
    {"packet.stuffing", ONE, "data @0=FF80", NULL, NULL},
    {"packet.padding", ONE, "data @1=01", NULL, NULL},
    {"packet.padding", ONE, "data @1=20", NULL, NULL},
    {"packet.header-short", ONE, "data @1-5", NULL, NULL},
    {"packet.planes", ONE, "data @0-6;data @0+(11 00000000001 0 0 100)01020304", NULL, NULL},
    {"packet.passes", ONE, "data @0-6;data @0+(11 0000000001 10 0 0100)01020304", NULL, NULL},
    {"packet.passes", "layers=2 part=0/0/1::(11 0000000001 0 0 100)0102030400", "data @7-1;data @7+(1 1 0 0 010)0102",
     NULL, NULL},
    {"packet.lblock", ONE, "data @0-6;data @0+(11 001 0 1111111111 1111111111 1111111111 0 00000000)", NULL, NULL},
    {"packet.lblock", ONE, "data @0-6;data @0+(11 001 1111 00000 1111111111 1111111111 11111111 0 00000000)", NULL,
     NULL},
    {"packet.body-short", ONE, "data @5-1", NULL, NULL},
    {"packet.missing", TWO, "data @6-1", NULL, NULL},
    {"packet.missing", "x=4096 y=4096 prec=00 part=0/0/1::00", "", NULL, NULL},
    {"packet.missing", "x=40 y=30 L=2 layers=65535 part=0/0/1::000000", "", NULL, NULL},
    {"packet.excess", ONE, "data @6+00", NULL, NULL},
    {"body.marker", ONE, "data @3=FF90", NULL, NULL},
    {"body.marker", ONE, "data @5=FF", NULL, NULL},
    {"body.ends-ff", TWO, "data @5=FF", NULL, NULL},
    {"body.marker", HT, "data @2=FF90", NULL, NULL},
    {"body.marker", HT_REFINED, "data @7=FF90", "ht.stuffing", NULL},
    {"body.ends-ff", HT_REFINED, "data @6=FF", "ht.scup", NULL},
    {"body.ends-ff", HT_REFINED, "data @9=FF", NULL, NULL},
};
const size_t check_rows_packet_count = sizeof check_rows_packet / sizeof check_rows_packet[0];
