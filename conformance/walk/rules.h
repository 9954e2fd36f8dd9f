/* SPDX-License-Identifier: BSD-2-Clause */
/* Every rule that the walker knows: those of the standard here, the profiles' in a file of their own. X(symbol, id,
 * clause, severity, doc) */
#pragma once

#include "profile_rules.h"

#define WVL_CHECK_PART15 "15444-15 Annex A"
#define WVL_CHECK_NLT "15444-2 A.3.10"

#define WVL_CHECK_RULES_STREAM(X)                                                                                      \
    X(SOC_MISSING, "soc.missing", "A.4.1", ERROR, "The codestream begins with SOC.")                                   \
    X(SIZ_MISSING, "siz.missing", "A.5.1", ERROR, "SIZ follows SOC.")                                                  \
    X(COD_MISSING, "cod.missing", "A.6.1", ERROR, "The main header has a COD.")                                        \
    X(QCD_MISSING, "qcd.missing", "A.6.4", ERROR, "The main header has a QCD.")                                        \
    X(SEGMENT_TRUNCATED, "segment.truncated", "A.1", ERROR, "A marker segment ends within the header that holds it.")  \
    X(MARKER_EXPECTED, "marker.expected", "A.1", ERROR, "Headers consist of marker segments.")                         \
    X(MARKER_UNKNOWN, "marker.unknown", "A.2", ERROR, "Only markers that the standard defines are used.")              \
    X(MARKER_RESERVED, "marker.reserved", "A.2", WARNING, "Markers 0xFF30..0xFF3F, which readers skip, are not used.") \
    X(MARKER_MISPLACED, "marker.misplaced", "A.2", ERROR, "A marker segment is in a header that may hold it.")         \
    X(MARKER_LATE, "marker.late", "A.2", ERROR,                                                                        \
      "COD, COC, QCD, QCC and RGN of a tile are in its first tile-part header.")                                       \
    X(MARKER_DUPLICATE, "marker.duplicate", "A.2", ERROR,                                                              \
      "A header holds one SIZ, COD, QCD, POC, CAP, PRF, CPF and CRG at most.")                                         \
    X(SOT_EXPECTED, "sot.expected", "A.4.2", ERROR, "Headers and tile-parts are followed by SOT or EOC.")              \
    X(SOT_LENGTH, "sot.length", "A.4.2", ERROR, "Lsot is 10.")                                                         \
    X(SOT_TILE, "sot.tile", "A.4.2", ERROR, "Isot is a tile of the grid.")                                             \
    X(SOT_PSOT, "sot.psot", "A.4.2", ERROR,                                                                            \
      "Psot covers the tile-part's header, ends in the codestream, and is 0 in the last one only.")                    \
    X(SOT_PART, "sot.part", "A.4.2", ERROR, "TPsot of a tile counts from 0 without gaps.")                             \
    X(SOT_COUNT, "sot.count", "A.4.2", ERROR, "TNsot is 0 or the number of the tile's tile-parts, the same in each.")  \
    X(SOD_MISSING, "sod.missing", "A.4.3", ERROR, "SOD ends a tile-part header.")                                      \
    X(TILE_MISSING, "tile.missing", "B.3", ERROR, "Every tile that holds a sample has a tile-part.")                   \
    X(EOC_MISSING, "eoc.missing", "A.4.4", ERROR, "EOC ends the codestream.")                                          \
    X(EOC_TRAILING, "eoc.trailing", "A.4.4", ERROR, "Nothing follows EOC.")                                            \
    X(LIMIT_MEMORY, "limit.memory", "-", WARNING, "The walk stayed within its memory limit.")                          \
    X(LIMIT_WORK, "limit.work", "-", WARNING, "The walk stayed within its work limit.")

#define WVL_CHECK_RULES_SIZ(X)                                                                                         \
    X(SIZ_LENGTH, "siz.length", "A.5.1", ERROR, "Lsiz is 38 + 3 Csiz.")                                                \
    X(SIZ_RSIZ, "siz.rsiz", "A.5.1", ERROR, "Rsiz names a known profile with reserved bits 0.")                        \
    X(SIZ_EXTENT, "siz.extent", "B.2", ERROR, "The image area is not empty: XOsiz < Xsiz, YOsiz < Ysiz.")              \
    X(SIZ_TILE, "siz.tile", "B.3", ERROR, "The first tile holds part of the image area.")                              \
    X(SIZ_TILE_COUNT, "siz.tile-count", "B.3", ERROR, "There are at most 65535 tiles.")                                \
    X(SIZ_COMPONENTS, "siz.components", "A.5.1", ERROR, "Csiz is 1..16384.")                                           \
    X(SIZ_DEPTH, "siz.depth", "A.5.1", ERROR, "Samples have 1..38 bits.")                                              \
    X(SIZ_SUBSAMPLING, "siz.subsampling", "A.5.1", ERROR, "XRsiz and YRsiz are 1..255.")                               \
    X(CAP_LENGTH, "cap.length", "A.5.2", ERROR, "Lcap is 6 + 2 for each bit of Pcap.")                                 \
    X(CAP_MISSING, "cap.missing", "A.5.2", ERROR, "CAP is there when Rsiz bit 14 says so.")                            \
    X(CAP_UNANNOUNCED, "cap.unannounced", "A.5.2", ERROR, "Rsiz bit 14 says that there is a CAP.")                     \
    X(CAP_PLACE, "cap.place", "A.5.2", WARNING, "CAP follows SIZ.")                                                    \
    X(CAP_PARTS, "cap.parts", "A.5.2", WARNING, "Pcap names no part but 15.")                                          \
    X(CAP_RESERVED, "cap.reserved", WVL_CHECK_PART15, ERROR, "Reserved bits and values of Ccap15 are not used.")       \
    X(CAP_BLOCKS, "cap.blocks", WVL_CHECK_PART15, ERROR, "Code-block styles keep what Ccap15 says of HT blocks.")      \
    X(CAP_RGN, "cap.rgn", WVL_CHECK_PART15, ERROR, "RGN is absent where Ccap15 says so.")                              \
    X(CAP_REVERSIBLE, "cap.reversible", WVL_CHECK_PART15, ERROR,                                                       \
      "HT blocks use the 5/3 wavelet where Ccap15 says so.")                                                           \
    X(CAP_MAGNITUDE, "cap.magnitude", WVL_CHECK_PART15, WARNING,                                                       \
      "B of MAGB covers the magnitude bits that QCD and QCC give HT blocks.")                                          \
    X(CAP_MAGNITUDE_EXCEEDED, "cap.magnitude-exceeded", WVL_CHECK_PART15, ERROR,                                       \
      "B of MAGB covers the magnitudes of every HT block.")                                                            \
    X(CAP_HOMOGENEOUS, "cap.homogeneous", WVL_CHECK_PART15, WARNING,                                                   \
      "Tile headers change no coding where Ccap15 says HOMOGENEOUS.")                                                  \
    X(NLT_LENGTH, "nlt.length", WVL_CHECK_NLT, ERROR, "Lnlt is 6 for type 3.")                                         \
    X(NLT_COMPONENT, "nlt.component", WVL_CHECK_NLT, ERROR, "Cnlt is a component, or 65535 for all.")                  \
    X(NLT_DEPTH, "nlt.depth", WVL_CHECK_NLT, ERROR, "BDnlt of type 3 is the component's Ssiz.")                        \
    X(NLT_TYPE, "nlt.type", WVL_CHECK_NLT, ERROR, "Tnlt is 0..3.")                                                     \
    X(NLT_DUPLICATE, "nlt.duplicate", WVL_CHECK_NLT, ERROR,                                                            \
      "A header holds one NLT for a component, and one for all.")                                                      \
    X(NLT_UNANNOUNCED, "nlt.unannounced", WVL_CHECK_NLT, ERROR, "NLT is there if and only if Rsiz says so.")           \
    X(PRF_LENGTH, "prf.length", "A.5.3", ERROR, "Lprf is even and covers a word.")                                     \
    X(PRF_VALUE, "prf.value", "A.5.3", ERROR, "The last Pprf is not 0.")                                               \
    X(PRF_UNANNOUNCED, "prf.unannounced", "A.5.3", ERROR, "PRF is there if and only if Rsiz is 4095.")                 \
    X(CPF_LENGTH, "cpf.length", WVL_CHECK_PART15, ERROR, "Lcpf is even and covers a word.")                            \
    X(CPF_VALUE, "cpf.value", WVL_CHECK_PART15, ERROR, "The last Pcpf is not 0.")                                      \
    X(CPF_UNANNOUNCED, "cpf.unannounced", WVL_CHECK_PART15, ERROR, "CPF comes with a CAP that names Part 15.")

#define WVL_CHECK_RULES_CODING(X)                                                                                      \
    X(COD_LENGTH, "cod.length", "A.6.1", ERROR, "Lcod is 12, or 13 and the number of levels with precinct sizes.")     \
    X(COD_SCOD, "cod.scod", "A.6.1", ERROR, "Reserved bits of Scod are 0.")                                            \
    X(COD_PROGRESSION, "cod.progression", "A.6.1", ERROR, "The progression order is 0..4.")                            \
    X(COD_LAYERS, "cod.layers", "A.6.1", ERROR, "There is a layer at least.")                                          \
    X(COD_MCT, "cod.mct", "A.6.1", ERROR, "The multiple component transform is 0 or 1.")                               \
    X(COD_MCT_COMPONENTS, "cod.mct-components", "G.2", ERROR,                                                          \
      "Components 0, 1, 2 agree in depth, subsampling and wavelet under a transform.")                                 \
    X(COC_LENGTH, "coc.length", "A.6.2", ERROR, "Lcoc fits the number of levels.")                                     \
    X(COC_COMPONENT, "coc.component", "A.6.2", ERROR, "Ccoc is a component.")                                          \
    X(COC_DUPLICATE, "coc.duplicate", "A.6.2", ERROR, "A header holds one COC a component at most.")                   \
    X(COC_SCOC, "coc.scoc", "A.6.2", ERROR, "Reserved bits of Scoc are 0.")                                            \
    X(CODING_LEVELS, "coding.levels", "A.6.1", ERROR, "There are 0..32 decomposition levels.")                         \
    X(CODING_BLOCK, "coding.block", "A.6.1", ERROR, "Code blocks have sides of 4..1024 and an area of 4096 at most.")  \
    X(CODING_STYLE, "coding.style", "A.6.1", ERROR, "Reserved bits of the code-block style are 0.")                    \
    X(CODING_HT, "coding.ht", WVL_CHECK_PART15, ERROR, "HT blocks are used only with a CAP that names Part 15.")       \
    X(CODING_HT_STYLE, "coding.ht-style", WVL_CHECK_PART15, ERROR,                                                     \
      "HT blocks alone go with no other style than vertical causality.")                                               \
    X(CODING_TRANSFORM, "coding.transform", "A.6.1", ERROR, "The wavelet is 0 or 1.")                                  \
    X(CODING_PRECINCT, "coding.precinct", "A.6.1", ERROR, "Precincts of side 1 are used at resolution 0 only.")        \
    X(QCD_LENGTH, "qcd.length", "A.6.4", ERROR, "Lqcd is whole steps of the style, 97 at most.")                       \
    X(QCC_LENGTH, "qcc.length", "A.6.5", ERROR, "Lqcc is whole steps of the style, 97 at most.")                       \
    X(QCC_COMPONENT, "qcc.component", "A.6.5", ERROR, "Cqcc is a component.")                                          \
    X(QCC_DUPLICATE, "qcc.duplicate", "A.6.5", ERROR, "A header holds one QCC a component at most.")                   \
    X(QUANT_STYLE, "quant.style", "A.6.4", ERROR, "The quantization style is 0, 1 or 2.")                              \
    X(QUANT_WAVELET, "quant.wavelet", "E.1", ERROR, "The 5/3 wavelet goes with no quantization, the 9/7 with a step.") \
    X(QUANT_STEPS, "quant.steps", "A.6.4", ERROR, "There is a step for every band.")                                   \
    X(QUANT_SURPLUS, "quant.surplus", "A.6.4", WARNING, "There are no more steps than any component has bands.")       \
    X(QUANT_EXPONENT, "quant.exponent", "E.1", ERROR, "Derived exponents are not negative.")                           \
    X(RGN_LENGTH, "rgn.length", "A.6.3", ERROR, "Lrgn is 5, or 6 with 257 components and more.")                       \
    X(RGN_COMPONENT, "rgn.component", "A.6.3", ERROR, "Crgn is a component.")                                          \
    X(RGN_DUPLICATE, "rgn.duplicate", "A.6.3", ERROR, "A header holds one RGN a component at most.")                   \
    X(RGN_STYLE, "rgn.style", "A.6.3", ERROR, "Srgn is 0.")                                                            \
    X(POC_LENGTH, "poc.length", "A.6.6", ERROR, "Lpoc covers whole progressions.")                                     \
    X(POC_RANGE, "poc.range", "A.6.6", ERROR,                                                                          \
      "Resolutions, components and layers of a progression are a range that is not empty.")                            \
    X(POC_PROGRESSION, "poc.progression", "A.6.6", ERROR, "The progression order is 0..4.")                            \
    X(POC_LATE, "poc.late", "A.6.6", ERROR,                                                                            \
      "A tile that changes progression has a POC in its first tile-part header or the main one.")                      \
    X(POC_INCOMPLETE, "poc.incomplete", "A.6.6", ERROR, "The progressions cover every packet.")

#define WVL_CHECK_RULES_POINTER(X)                                                                                     \
    X(TLM_LENGTH, "tlm.length", "A.7.1", ERROR, "Ltlm covers whole entries.")                                          \
    X(TLM_STLM, "tlm.stlm", "A.7.1", ERROR, "Reserved bits and values of Stlm are not used.")                          \
    X(TLM_INDEX, "tlm.index", "A.7.1", ERROR, "Ztlm counts the TLM marker segments from 0.")                           \
    X(TLM_COUNT, "tlm.count", "A.7.1", ERROR, "TLM lists every tile-part.")                                            \
    X(TLM_TILE, "tlm.tile", "A.7.1", ERROR, "Ttlm is the tile-part's tile.")                                           \
    X(TLM_BYTES, "tlm.bytes", "A.7.1", ERROR, "Ptlm is the tile-part's length.")                                       \
    X(TLM_IMPLICIT, "tlm.implicit", "A.7.1", ERROR,                                                                    \
      "TLM without tile numbers goes with one tile-part a tile, in order.")                                            \
    X(PLM_LENGTH, "plm.length", "A.7.2", ERROR, "PLM holds whole lists of whole lengths.")                             \
    X(PLM_INDEX, "plm.index", "A.7.2", ERROR, "Zplm counts the PLM marker segments from 0.")                           \
    X(PLM_COUNT, "plm.count", "A.7.2", ERROR, "PLM lists every packet.")                                               \
    X(PLM_BYTES, "plm.bytes", "A.7.2", ERROR, "A length of PLM is its packet's.")                                      \
    X(PLT_LENGTH, "plt.length", "A.7.3", ERROR, "PLT holds whole lengths.")                                            \
    X(PLT_INDEX, "plt.index", "A.7.3", ERROR, "Zplt counts the PLT marker segments of a header from 0.")               \
    X(PLT_COUNT, "plt.count", "A.7.3", ERROR, "PLT lists every packet of the tile-part.")                              \
    X(PLT_BYTES, "plt.bytes", "A.7.3", ERROR, "A length of PLT is its packet's.")                                      \
    X(PPM_LENGTH, "ppm.length", "A.7.4", ERROR, "PPM holds Zppm and packet headers.")                                  \
    X(PPM_INDEX, "ppm.index", "A.7.4", ERROR, "Zppm counts the PPM marker segments from 0.")                           \
    X(PPM_PARTS, "ppm.parts", "A.7.4", ERROR, "PPM has packet headers for every tile-part and no more.")               \
    X(PPM_EXCESS, "ppm.excess", "A.7.4", ERROR, "The packet headers of a tile-part are those of its packets.")         \
    X(PPT_LENGTH, "ppt.length", "A.7.5", ERROR, "PPT holds Zppt and packet headers.")                                  \
    X(PPT_INDEX, "ppt.index", "A.7.5", ERROR, "Zppt counts the PPT marker segments of a tile from 0.")                 \
    X(PPT_WITH_PPM, "ppt.with-ppm", "A.7.5", ERROR, "PPT is not used with PPM.")                                       \
    X(PPT_EXCESS, "ppt.excess", "A.7.5", ERROR, "The packet headers of a tile are those of its packets.")              \
    X(PPT_LATE, "ppt.late", "A.7.5", ERROR, "A packet's header is not after its body.")                                \
    X(CRG_LENGTH, "crg.length", "A.9.1", ERROR, "Lcrg is 2 + 4 Csiz.")                                                 \
    X(COM_LENGTH, "com.length", "A.9.2", ERROR, "Lcom is 5 at least.")                                                 \
    X(COM_REGISTRATION, "com.registration", "A.9.2", ERROR, "Rcom is 0 or 1.")

#define WVL_CHECK_RULES_PACKET(X)                                                                                      \
    X(SOP_UNEXPECTED, "sop.unexpected", "A.8.1", ERROR, "SOP is there only where Scod allows it.")                     \
    X(SOP_LENGTH, "sop.length", "A.8.1", ERROR, "Lsop is 4.")                                                          \
    X(SOP_NUMBER, "sop.number", "A.8.1", ERROR, "Nsop is the packet's number in its tile modulo 65536.")               \
    X(EPH_MISSING, "eph.missing", "A.8.2", ERROR, "EPH follows every packet header where Scod says so.")               \
    X(EPH_UNEXPECTED, "eph.unexpected", "A.8.2", ERROR, "EPH is there only where Scod says so.")                       \
    X(PACKET_STUFFING, "packet.stuffing", "B.10.1", ERROR, "After a byte 0xFF of a packet header comes a 0 bit.")      \
    X(PACKET_PADDING, "packet.padding", "B.10.1", WARNING, "A packet header is filled up with 0 bits.")                \
    X(PACKET_HEADER_SHORT, "packet.header-short", "B.10", ERROR, "A packet header ends within its tile-part.")         \
    X(PACKET_PLANES, "packet.planes", "B.10.5", ERROR, "A block has fewer zero bit-planes than Mb.")                   \
    X(PACKET_PASSES, "packet.passes", "B.10.6", ERROR, "A block of P bit-planes has at most 3 P - 2 passes.")          \
    X(PACKET_LBLOCK, "packet.lblock", "B.10.7", ERROR, "A length takes at most 32 bits.")                              \
    X(PACKET_BODY_SHORT, "packet.body-short", "B.9", ERROR, "A packet body ends within its tile-part.")                \
    X(PACKET_MISSING, "packet.missing", "B.12", ERROR, "The tile-parts of a tile hold all its packets.")               \
    X(PACKET_EXCESS, "packet.excess", "B.12", ERROR, "The tile-parts of a tile hold nothing after its packets.")       \
    X(BODY_MARKER, "body.marker", "A.1", ERROR, "No pair 0xFF90..0xFFFF occurs in coded data.")                        \
    X(BODY_ENDS_FF, "body.ends-ff", "D.4", WARNING, "No contribution of a block ends in 0xFF.")                        \
    X(HT_CLEANUP_LENGTH, "ht.cleanup-length", "15444-15 Annex B", ERROR, "An HT cleanup segment has 2..65534 bytes.")  \
    X(HT_REFINEMENT_LENGTH, "ht.refinement-length", "15444-15 Annex B", ERROR,                                         \
      "An HT refinement segment has at most 2046 bytes.")                                                              \
    X(HT_SCUP, "ht.scup", "15444-15 7.1", ERROR, "Scup is 2..4079 and not beyond the cleanup segment.")                \
    X(HT_SETS, "ht.sets", WVL_CHECK_PART15, ERROR, "A block has one HT set where Ccap15 says SINGLEHT.")               \
    X(HT_PLACEHOLDER, "ht.placeholder", "15444-15 Annex B", WARNING,                                                   \
      "Passes before a block's first HT set come in whole sets of three.")                                             \
    X(HT_STUFFING, "ht.stuffing", "15444-15 7.1", ERROR, "In MagSgn and SigProp a 0 bit follows a byte 0xFF.")         \
    X(HT_SKIPPED_BIT, "ht.skipped-bit", "15444-15 7.1", WARNING,                                                       \
      "Bits of MEL and VLC that decoders skip after 0xFF are 0.")                                                      \
    X(HT_MAGSGN_SHORT, "ht.magsgn-short", "15444-15 7.1.2", ERROR,                                                     \
      "MagSgn of a block needs no more than its bytes and a byte 0xFF.")                                               \
    X(HT_VLC_SHORT, "ht.vlc-short", "15444-15 7.1.4", ERROR, "VLC of a block needs no more than Scup bytes.")          \
    X(HT_OVERLAP, "ht.overlap", "15444-15 7.1", WARNING,                                                               \
      "MEL and VLC share a byte at most, and so do SigProp and MagRef.")                                               \
    X(HT_UNREAD, "ht.unread", "15444-15 7.1", WARNING,                                                                 \
      "Decoding reads the bytes of an HT segment; one may be left where two streams meet.")                            \
    X(HT_EXPONENT, "ht.exponent", "15444-15 7.3.7", ERROR, "Exponent bounds of quads fit the zero bit-planes.")        \
    X(HT_MAGNITUDE, "ht.magnitude", "15444-15 7.6", ERROR, "Magnitudes fit the zero bit-planes.")                      \
    X(HT_OUTSIDE, "ht.outside", "15444-15 7.2", ERROR,                                                                 \
      "Quads at the edge of a block have no significant sample beyond it.")

#define WVL_CHECK_RULES_BOX(X)                                                                                         \
    X(FILE_UNKNOWN, "file.unknown", "I.5.1", ERROR, "A file begins with a signature box or with SOC.")                 \
    X(BOX_TRUNCATED, "box.truncated", "I.4", ERROR, "A box ends within what holds it.")                                \
    X(BOX_LENGTH, "box.length", "I.4", ERROR,                                                                          \
      "LBox is 0 in the last box, 1 with an XLBox of 16 and more, or 8 and more.")                                     \
    X(BOX_PLACE, "box.place", "I.2.2", ERROR, "A box is where it belongs.")                                            \
    X(BOX_DUPLICATE, "box.duplicate", "I.2.2", ERROR, "A box that may be there once is there once.")                   \
    X(FTYP_MISSING, "ftyp.missing", "I.5.2", ERROR, "The file type box follows the signature box.")                    \
    X(FTYP_LENGTH, "ftyp.length", "I.5.2", ERROR, "The file type box holds a brand, a version and a list.")            \
    X(FTYP_BRAND, "ftyp.brand", "I.5.2", ERROR, "The brand is \"jp2 \" or \"jph \".")                                  \
    X(FTYP_VERSION, "ftyp.version", "I.5.2", ERROR, "MinV is 0.")                                                      \
    X(FTYP_LIST, "ftyp.list", "I.5.2", ERROR, "The compatibility list holds the brand.")                               \
    X(JP2H_MISSING, "jp2h.missing", "I.5.3", ERROR, "A JP2 header box comes before the codestream.")                   \
    X(IHDR_MISSING, "ihdr.missing", "I.5.3.1", ERROR, "The image header box is the first of the JP2 header box.")      \
    X(IHDR_LENGTH, "ihdr.length", "I.5.3.1", ERROR, "The image header box has 14 bytes of content.")                   \
    X(IHDR_SIZE, "ihdr.size", "I.5.3.1", ERROR, "HEIGHT and WIDTH are those of SIZ.")                                  \
    X(IHDR_COMPONENTS, "ihdr.components", "I.5.3.1", ERROR, "NC is Csiz.")                                             \
    X(IHDR_DEPTH, "ihdr.depth", "I.5.3.1", ERROR, "BPC is the depth of all components, or 255 if they differ.")        \
    X(IHDR_COMPRESSION, "ihdr.compression", "I.5.3.1", ERROR, "C is 7.")                                               \
    X(IHDR_UNKNOWN, "ihdr.unknown", "I.5.3.1", ERROR, "UnkC is 0 or 1.")                                               \
    X(IHDR_IPR, "ihdr.ipr", "I.5.3.1", ERROR, "IPR says whether there is an intellectual property box.")               \
    X(BPCC_MISSING, "bpcc.missing", "I.5.3.2", ERROR, "A bits per component box is there when BPC is 255.")            \
    X(BPCC_UNNEEDED, "bpcc.unneeded", "I.5.3.2", ERROR, "A bits per component box is there only when BPC is 255.")     \
    X(BPCC_LENGTH, "bpcc.length", "I.5.3.2", ERROR, "A bits per component box has a byte a component.")                \
    X(BPCC_DEPTH, "bpcc.depth", "I.5.3.2", ERROR, "BPC of a component is Ssiz.")                                       \
    X(COLR_MISSING, "colr.missing", "I.5.3.3", ERROR,                                                                  \
      "A JP2 header box has a colour specification box; in JPH one with UnkC 0 has.")                                  \
    X(COLR_LENGTH, "colr.length", "I.5.3.3", ERROR, "A colour specification box fits its method.")                     \
    X(COLR_METHOD, "colr.method", "I.5.3.3", ERROR, "METH is 1 or 2 in JP2, 1, 2, 3 or 5 in JPH.")                     \
    X(COLR_PRECEDENCE, "colr.precedence", "I.5.3.3", ERROR, "PREC is 0.")                                              \
    X(COLR_APPROXIMATION, "colr.approximation", "I.5.3.3", ERROR, "APPROX is 0.")                                      \
    X(COLR_ENUMERATED, "colr.enumerated", "I.5.3.3", ERROR, "EnumCS is 16, 17 or 18.")                                 \
    X(COLR_CHANNELS, "colr.channels", "I.5.3.3", ERROR, "There are as many colour channels as the colour space has.")  \
    X(COLR_TOGETHER, "colr.together", "I.5.3.3", WARNING, "Colour specification boxes are together.")                  \
    X(ICC_HEADER, "icc.header", "I.5.3.3", ERROR, "The ICC profile has a header, its own length and a tag table.")     \
    X(ICC_RESTRICTED, "icc.restricted", "I.5.3.3", ERROR,                                                              \
      "The ICC profile is a monochrome or three-component matrix input or display profile.")                           \
    X(PCLR_LENGTH, "pclr.length", "I.5.3.4", ERROR, "A palette box holds its entries.")                                \
    X(PCLR_RANGE, "pclr.range", "I.5.3.4", ERROR, "NE is 1..1024, NPC 1..255, and a column has 1..38 bits.")           \
    X(PCLR_CMAP, "pclr.cmap", "I.5.3.5", ERROR, "Palette and component mapping boxes come together.")                  \
    X(CMAP_LENGTH, "cmap.length", "I.5.3.5", ERROR, "A component mapping box has four bytes a channel.")               \
    X(CMAP_RANGE, "cmap.range", "I.5.3.5", ERROR, "CMP, MTYP and PCOL name components and columns.")                   \
    X(CDEF_LENGTH, "cdef.length", "I.5.3.6", ERROR, "A channel definition box has six bytes a channel.")               \
    X(CDEF_CHANNEL, "cdef.channel", "I.5.3.6", ERROR, "Cn is a channel, each once.")                                   \
    X(CDEF_TYPE, "cdef.type", "I.5.3.6", ERROR, "Typ is 0, 1, 2 or 65535.")                                            \
    X(CDEF_COLORLESS, "cdef.colorless", "15444-15 Annex D", ERROR,                                                     \
      "Without a colour specification box no channel has Typ 0.")                                                      \
    X(CDEF_ASSOCIATION, "cdef.association", "I.5.3.6", ERROR, "Asoc is a colour, each with one channel of a type.")    \
    X(RES_CONTENT, "res.content", "I.5.3.7", ERROR,                                                                    \
      "A resolution box holds a capture or display resolution box or both.")                                           \
    X(RES_LENGTH, "res.length", "I.5.3.7", ERROR, "Capture and display resolution boxes have 10 bytes of content.")    \
    X(RES_ZERO, "res.zero", "I.5.3.7", ERROR, "Numerators and denominators of a resolution are not 0.")                \
    X(JP2C_MISSING, "jp2c.missing", "I.5.4", ERROR, "There is a codestream box.")                                      \
    X(JPH_CAPABILITY, "jph.capability", "15444-15 Annex D", ERROR, "The codestream of a JPH file names Part 15.")      \
    X(JP2_CAPABILITY, "jp2.capability", "I.2.1", WARNING, "The codestream of a JP2 file names no other part.")         \
    X(UUID_LENGTH, "uuid.length", "I.7.2", ERROR, "A UUID box holds its 16 bytes.")                                    \
    X(XML_TEXT, "xml.text", "I.7.1", ERROR, "An XML box holds well-formed XML as far as tags and characters go.")      \
    X(UINF_CONTENT, "uinf.content", "I.7.3", ERROR, "A UUID info box holds a list and a URL box of their lengths.")

#define WVL_CHECK_RULES(X)                                                                                             \
    WVL_CHECK_RULES_STREAM(X)                                                                                          \
    WVL_CHECK_RULES_SIZ(X)                                                                                             \
    WVL_CHECK_RULES_CODING(X)                                                                                          \
    WVL_CHECK_RULES_POINTER(X)                                                                                         \
    WVL_CHECK_RULES_PACKET(X)                                                                                          \
    WVL_CHECK_RULES_BOX(X)

typedef enum wvl_check_rule_id {
#define WVL_CHECK_ENUM(symbol, id, clause, severity, doc) WVL_RULE_##symbol,
    WVL_CHECK_RULES(WVL_CHECK_ENUM) WVL_RULE_STANDARD_COUNT,
    WVL_RULE_BEFORE_PROFILES = WVL_RULE_STANDARD_COUNT - 1,
    WVL_CHECK_PROFILE_RULES(WVL_CHECK_ENUM) WVL_RULE_COUNT
} wvl_check_rule_id;
#undef WVL_CHECK_ENUM
