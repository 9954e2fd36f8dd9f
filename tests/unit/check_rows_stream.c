/* SPDX-License-Identifier: BSD-2-Clause */
/* Main header, SIZ, CAP, sequence of tile-parts. */
#include "tests/unit/check_bench.h"

/* One component, two levels, three empty packets. */
#define EMPTY "x=40 y=30 L=2 main=FF6400060001006F part=0/0/1::000000"
/* The same in three tile-parts. */
#define PARTS "x=40 y=30 L=2 part=0/0/3::00 part=0/1/3::00 part=0/2/3::00"
/* Two tiles. */
#define TILES "x=40 y=30 tx=20 ty=30 L=2 part=0/0/1::000000 part=1/0/1::000000"
/* An HT block of one cleanup pass, four bytes. */
#define HT "ht=0002 style=40 part=0/0/1::(1100100100)F3C02400"

const check_row check_rows_stream[] = {
    {"soc.missing", EMPTY, "all @0=FF4E", NULL, "raw"},
    {"soc.missing", EMPTY, "all @0-1", NULL, "raw"},
    {"siz.missing", EMPTY, "SIZ -", NULL, NULL},
    {"siz.missing", EMPTY, "SOC >FF6400060001006F", NULL, NULL},
    {"cod.missing", EMPTY, "COD -", NULL, NULL},
    {"qcd.missing", EMPTY, "QCD -", NULL, NULL},
    {"segment.truncated", EMPTY, "COM @2=FFFF", NULL, NULL},
    {"segment.truncated", EMPTY, "COM @2=0001", NULL, NULL},
    {"segment.truncated", EMPTY, "SOT >FF6400FF0001006F", NULL, NULL},
    {"marker.expected", EMPTY, "COM @0=0064", NULL, NULL},
    {"marker.unknown", EMPTY, "COM @0=FF70", NULL, NULL},
    {"marker.unknown", EMPTY, "SOT >FF700002", NULL, NULL},
    {"marker.reserved", EMPTY, "SOT <FF30", NULL, NULL},
    {"marker.misplaced", EMPTY, "SOT <FF5800040001", NULL, NULL},
    {"marker.misplaced", EMPTY, "SOT >FF55000900500000000011", NULL, NULL},
    {"marker.late", PARTS, "SOT#1 >FF5C00044048", NULL, NULL},
    {"marker.duplicate", EMPTY, "QCD >FF5C00044048", NULL, NULL},
    {"marker.duplicate", EMPTY, "SOT >FF52000C00000001000204040001;SOT >FF52000C00000001000204040001", NULL, NULL},
    {"sot.expected", EMPTY, "EOC <0000!", NULL, NULL},
    {"sot.length", EMPTY, "SOT @2=000B", NULL, NULL},
    {"sot.tile", EMPTY, "EOC <FF90000A00090000000E0001FF93!", NULL, NULL},
    {"sot.psot", EMPTY, "SOT @6=0000000D", NULL, NULL},
    {"sot.psot", EMPTY, "SOT @6=00001000", NULL, NULL},
    {"sot.part", PARTS, "SOT#1 @10=02", NULL, NULL},
    {"sot.count", PARTS, "SOT#1 @11=04", NULL, NULL},
    {"sot.count", PARTS, "SOT#0 @11=04;SOT#1 @11=04;SOT#2 @11=04", NULL, NULL},
    {"sot.count", PARTS, "SOT#0 @11=02;SOT#1 @11=02;SOT#2 @11=02", NULL, NULL},
    {"sod.missing", EMPTY, "SOD @0=FF90", NULL, NULL},
    {"tile.missing", TILES, "SOT#1 -", NULL, NULL},
    {"eoc.missing", EMPTY, "EOC -", NULL, NULL},
    {"eoc.trailing", EMPTY, "EOC >00", NULL, NULL},
    {"limit.memory", "encode 200x200x3x8 levels=3", "", NULL, "memory=3000"},
    {"limit.work", "encode 200x200x3x8 levels=3", "", NULL, "work=20"},

    {"siz.length", EMPTY, "SIZ @2=0028", NULL, NULL},
    {"siz.length", EMPTY, "SIZ @43+00", NULL, NULL},
    {"siz.rsiz", EMPTY, "SIZ @4=1000", NULL, NULL},
    {"siz.rsiz", EMPTY, "SIZ @4=8000", NULL, NULL},
    {"siz.rsiz", EMPTY, "SIZ @4=0008", NULL, NULL},
    {"siz.rsiz", EMPTY, "SIZ @4=010C", NULL, NULL},
    {"siz.extent", EMPTY, "SIZ @14=00000028", NULL, NULL},
    {"siz.extent", EMPTY, "SIZ @10=00000000", NULL, NULL},
    {"siz.tile", EMPTY, "SIZ @30=00000001", NULL, NULL},
    {"siz.tile", EMPTY, "SIZ @22=00000000", NULL, NULL},
    {"siz.tile", EMPTY, "SIZ @18=0000001D;SIZ @26=0000001D", NULL, NULL},
    {"siz.tile-count", EMPTY, "SIZ @6=00010000;SIZ @22=00000001", NULL, NULL},
    {"siz.components", EMPTY, "SIZ @38=0000", NULL, NULL},
    {"siz.components", EMPTY, "SIZ @38=4001", NULL, NULL},
    {"siz.depth", EMPTY, "SIZ @40=26", NULL, NULL},
    {"siz.subsampling", EMPTY, "SIZ @41=00", NULL, NULL},
    {"siz.subsampling", EMPTY, "SIZ @42=00", NULL, NULL},

    {"cap.length", HT, "CAP @10+0000", NULL, NULL},
    {"cap.missing", EMPTY, "SIZ @4=4000", NULL, NULL},
    {"cap.unannounced", HT, "SIZ @4=0000", NULL, NULL},
    {"cap.place", HT, "CAP <FF6400060001006F", NULL, NULL},
    {"cap.parts", HT, "CAP @4=40020000;CAP @8+0000", NULL, NULL},
    {"cap.reserved", HT, "CAP @8=0042", NULL, NULL},
    {"cap.reserved", HT, "CAP @8=4002", NULL, NULL},
    {"cap.blocks", HT, "COD @12=00", NULL, NULL},
    {"cap.blocks", HT, "COD @12=C0", NULL, NULL},
    {"cap.rgn", HT, "COD >FF5E0005000005", NULL, NULL},
    {"cap.rgn", HT, "SOT >FF5E0005000005", "cap.homogeneous", NULL},
    {"cap.reversible", HT, "COD @13=00;QCD @6+00;QCD @4=42", NULL, NULL},
    {"cap.magnitude", HT, "CAP @8=0001", NULL, NULL},
    {"cap.magnitude", HT, "QCD @5=50", NULL, NULL},
    {"cap.magnitude", "ht=0021 style=40 wave=0 L=2 x=40 y=30 part=0/0/1::000000", "CAP @8=0020", NULL, NULL},
    {"cap.homogeneous", HT, "SOT >FF52000C00000001000004044001", NULL, NULL},
    {"prf.length", EMPTY, "SIZ @4=0FFF;SIZ >FF56000300", NULL, NULL},
    {"prf.value", EMPTY, "SIZ @4=0FFF;SIZ >FF56000600010000", NULL, NULL},
    {"prf.unannounced", EMPTY, "SIZ >FF5600040001", NULL, NULL},
    {"prf.unannounced", EMPTY, "SIZ @4=0FFF", NULL, NULL},
    {"cpf.length", HT, "CAP >FF590005000100", NULL, NULL},
    {"cpf.value", HT, "CAP >FF5900040000", NULL, NULL},
    {"cpf.unannounced", EMPTY, "SIZ >FF5900040001", NULL, NULL},
};
const size_t check_rows_stream_count = sizeof check_rows_stream / sizeof check_rows_stream[0];
