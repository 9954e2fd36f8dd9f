/* SPDX-License-Identifier: BSD-2-Clause */
/* COD, COC, QCD, QCC, RGN, POC, and the pointer segments. */
#include "tests/unit/check_bench.h"

#define EMPTY "x=40 y=30 L=2 part=0/0/1::000000"
#define EMPTY3 "x=40 y=30 depth=07,07,07 L=2 part=0/0/1::000000000000000000"
#define PARTS "x=40 y=30 L=2 part=0/0/3::00 part=0/1/3::00 part=0/2/3::00"
#define HT "ht=0002 style=40 part=0/0/1::(1100100100)F3C02400"
#define TLM "x=40 y=30 L=2 main=FF55000900500000000011 part=0/0/1::000000"
#define PLT "x=40 y=30 L=2 part=0/0/1:FF58000600010101:000000"
#define PLM "x=40 y=30 L=2 main=FF5700070003010101 part=0/0/1::000000"
#define PPM "x=40 y=30 L=2 main=FF60000A0000000003000000 part=0/0/1::"
#define PPT "x=40 y=30 L=2 part=0/0/1:FF61000600000000:"

const check_row check_rows_coding[] = {
    {"cod.length", EMPTY, "COD @14+00", NULL, NULL},
    {"cod.length", EMPTY, "COD @4=01", NULL, NULL},
    {"cod.length", EMPTY, "COD @8-6", NULL, NULL},
    {"cod.scod", EMPTY, "COD @4=08", NULL, NULL},
    {"cod.progression", EMPTY, "COD @5=05", NULL, NULL},
    {"cod.layers", EMPTY, "COD @6=0000", NULL, NULL},
    {"cod.mct", EMPTY, "COD @8=02", NULL, NULL},
    {"cod.mct-components", EMPTY, "COD @8=01", NULL, NULL},
    {"cod.mct-components", EMPTY3, "COD @8=01;SIZ @43=08", NULL, NULL},
    {"cod.mct-components", "x=40 y=30 depth=07,07,07 sub=1x1:2x1:2x1 L=0 part=0/0/1::000000", "COD @8=01", NULL, NULL},
    {"coc.length", EMPTY3,
     "COD >FF53000A00000204040001"
     "00",
     NULL, NULL},
    {"coc.length", EMPTY3,
     "COD >FF5300080000020404"
     "00",
     NULL, NULL},
    {"coc.component", EMPTY3, "COD >FF53000903000204040001", NULL, NULL},
    {"coc.duplicate", EMPTY3, "COD >FF53000900000204040001;COD >FF53000900000204040001", NULL, NULL},
    {"coc.scoc", EMPTY3, "COD >FF53000900020204040001", NULL, NULL},
    {"coding.levels", EMPTY, "COD @9=21", NULL, NULL},
    {"coding.levels", EMPTY3, "COD >FF53000900002104040001", NULL, NULL},
    {"coding.block", EMPTY, "COD @10=09", NULL, NULL},
    {"coding.block", EMPTY, "COD @10=0505", NULL, NULL},
    {"coding.style", EMPTY, "COD @12=80", NULL, NULL},
    {"coding.ht", HT, "SIZ @4=0000;CAP -", NULL, NULL},
    {"coding.ht-style", HT, "COD @12=41", NULL, NULL},
    {"coding.ht-style", HT, "COD @12=42", NULL, NULL},
    {"coding.ht-style", HT, "COD @12=44", NULL, NULL},
    {"coding.ht-style", HT, "COD @12=50", NULL, NULL},
    {"coding.ht-style", HT, "COD @12=60", NULL, NULL},
    {"coding.transform", EMPTY, "COD @13=02", NULL, NULL},
    {"coding.precinct", "x=40 y=30 L=1 prec=5566 part=0/0/1::0000", "COD @15=06", NULL, NULL},
    {"coding.precinct", "x=40 y=30 L=1 prec=5566 part=0/0/1::0000", "COD @15=60", NULL, NULL},

    {"qcd.length", EMPTY, "QCD @4=42", NULL, NULL},
    {"qcd.length", EMPTY, "QCD @5+{91x48}", NULL, NULL},
    {"qcd.length", "x=40 y=30 L=2 wave=0 qstyle=1 part=0/0/1::000000", "QCD @5+4848", NULL, NULL},
    {"qcd.length", EMPTY, "QCD @5-7", NULL, NULL},
    {"qcc.length", EMPTY3, "COD >FF5D0005004200", NULL, NULL},
    {"qcc.component", EMPTY3, "COD >FF5D000B034048484848484848", NULL, NULL},
    {"qcc.duplicate", EMPTY3, "COD >FF5D000B014048484848484848;COD >FF5D000B014048484848484848", NULL, NULL},
    {"quant.style", EMPTY, "QCD @4=43", NULL, NULL},
    {"quant.wavelet", EMPTY, "COD @13=00", NULL, NULL},
    {"quant.wavelet", "x=40 y=30 L=2 wave=0 part=0/0/1::000000", "COD @13=01", NULL, NULL},
    {"quant.wavelet", EMPTY3, "COD >FF53000900000204040000", NULL, NULL},
    {"quant.steps", EMPTY, "QCD @11-1", NULL, NULL},
    {"quant.steps", EMPTY3,
     "COD >FF5D000A01404848484848"
     "48",
     NULL, NULL},
    {"quant.surplus", EMPTY, "QCD @12+48", NULL, NULL},
    {"quant.exponent", "x=40 y=30 L=2 wave=0 qstyle=1 part=0/0/1::000000", "QCD @5=0000", NULL, NULL},

    {"rgn.length", EMPTY, "COD >FF5E000600000005", NULL, NULL},
    {"rgn.component", EMPTY, "COD >FF5E0005010005", NULL, NULL},
    {"rgn.duplicate", EMPTY, "COD >FF5E0005000005;COD >FF5E0005000006", NULL, NULL},
    {"rgn.style", EMPTY, "COD >FF5E0005000105", NULL, NULL},
    {"poc.length", EMPTY, "COD >FF5F0008000000010301", NULL, NULL},
    {"poc.range", EMPTY,
     "COD >FF5F001001000001010100"
     "00000001030100",
     NULL, NULL},
    {"poc.range", EMPTY,
     "COD >FF5F001000010001030100"
     "00000001030100",
     NULL, NULL},
    {"poc.range", EMPTY,
     "COD >FF5F001000000000030100"
     "00000001030100",
     NULL, NULL},
    {"poc.range", EMPTY,
     "COD >FF5F001000000001220100"
     "00000001030100",
     NULL, NULL},
    {"poc.progression", EMPTY,
     "COD >FF5F001000000001030105"
     "00000001030100",
     NULL, NULL},
    {"poc.late", PARTS, "SOT#1 >FF5F000900000001030100", NULL, NULL},
    {"poc.incomplete", EMPTY, "COD >FF5F000900000001020100", NULL, NULL},
    {"poc.incomplete", EMPTY3, "SOT >FF5F000900000001030200", NULL, NULL},

    {"tlm.length", TLM, "TLM @11+00", NULL, NULL},
    {"tlm.length", TLM, "TLM @6-5", NULL, NULL},
    {"tlm.stlm", TLM, "TLM @5=D0", NULL, NULL},
    {"tlm.stlm", TLM, "TLM @5=70", NULL, NULL},
    {"tlm.index", TLM, "TLM @4=01", NULL, NULL},
    {"tlm.count", TLM, "TLM @11+0000000011", NULL, NULL},
    {"tlm.tile", TLM, "TLM @6=01", NULL, NULL},
    {"tlm.bytes", TLM, "TLM @7=00000012", NULL, NULL},
    {"tlm.implicit", "x=40 y=30 L=2 part=0/0/2::0000 part=0/1/2::00", "QCD >FF55000C0040000000100000000F", NULL, NULL},
    {"plm.length", PLM, "PLM @5=04", NULL, NULL},
    {"plm.length", PLM, "PLM @8=81", NULL, NULL},
    {"plm.length", EMPTY, "QCD >FF57000300", NULL, NULL},
    {"plm.index", PLM, "PLM @4=01", NULL, NULL},
    {"plm.count", PLM, "PLM @5=02;PLM @8-1", NULL, NULL},
    {"plm.count", PLM, "PLM @5=04;PLM @9+01", NULL, NULL},
    {"plm.count", PLM, "PLM @9+0101", NULL, NULL},
    {"plm.bytes", PLM, "PLM @7=02", NULL, NULL},
    {"plt.length", PLT, "PLT @7=81", NULL, NULL},
    {"plt.length", PLT, "PLT @7=80", NULL, NULL},
    {"plt.length", EMPTY, "SOT >FF58000300", NULL, NULL},
    {"plt.index", PLT, "PLT @4=01", NULL, NULL},
    {"plt.count", PLT, "PLT @7-1", NULL, NULL},
    {"plt.count", PLT, "PLT @7+01", NULL, NULL},
    {"plt.bytes", PLT, "PLT @6=02", NULL, NULL},
    {"plt.bytes", PPT,
     "SOT >FF5800050001"
     "01",
     NULL, NULL},
    {"ppm.length", EMPTY, "QCD >FF60000300", NULL, NULL},
    {"ppm.index", PPM, "PPM @4=01", NULL, NULL},
    {"ppm.parts", PPM, "PPM @12+00", NULL, NULL},
    {"ppm.parts", PPM, "PPM @5=00000004", "packet.missing", NULL},
    {"ppm.excess", PPM, "PPM @5=00000004;PPM @12+00", NULL, NULL},
    {"ppm.excess", PPM, "PPM @5=00000002;PPM @11-1;SOD >00", NULL, NULL},
    {"ppt.length", EMPTY, "SOT >FF61000300", NULL, NULL},
    {"ppt.index", PPT, "PPT @4=01", NULL, NULL},
    {"ppt.with-ppm", PPM, "SOT >FF6100040000", NULL, NULL},
    {"ppt.excess", PPT, "PPT @8+00", NULL, NULL},
    {"ppt.late", "L=1 part=0/0/2:FF61000500(1100100100):01020304 part=0/1/2:FF6100040100:", "SOD#0 >05060708", NULL,
     NULL},
    {"crg.length", EMPTY,
     "QCD >FF63000700000000"
     "00",
     NULL, NULL},
    {"com.length", EMPTY, "QCD >FF6400040001", NULL, NULL},
    {"com.registration", EMPTY, "QCD >FF640005000241", NULL, NULL},
};
const size_t check_rows_coding_count = sizeof check_rows_coding / sizeof check_rows_coding[0];
