/* SPDX-License-Identifier: BSD-2-Clause */
/* Every rule of the profiles. X(symbol, id, clause, severity, doc); errors decide whether a profile is met. */
#pragma once

#define WVL_CHECK_RULES_PART1_PROFILES(X)                                                                              \
    X(PROFILE_APPLIES, "profile.applies", "profile", ERROR, "The file is of the kind that the profile is about.")      \
    X(P01_EXTENT, "profile.extent", "Table A.45", ERROR, "The reference grid ends below 2^31.")                        \
    X(P01_SHIFT, "profile.shift", "Table A.45", ERROR, "RGN shifts by at most 37.")                                    \
    X(P01_LOWEST, "profile.lowest", "Table A.45", ERROR,                                                               \
      "The lowest resolution of a tile-component is at most 128 x 128.")                                               \
    X(P0_TILES, "profile0.tiles", "Table A.45", ERROR, "There is one tile, or tiles are 128 x 128.")                   \
    X(P0_SUBSAMPLING, "profile0.subsampling", "Table A.45", ERROR, "XRsiz and YRsiz are 1, 2 or 4.")                   \
    X(P0_BLOCKS, "profile0.blocks", "Table A.45", ERROR, "Code blocks are 32 x 32 or 64 x 64.")                        \
    X(P0_STYLE, "profile0.style", "Table A.45", ERROR, "Neither BYPASS nor RESET nor vertical causality is used.")     \
    X(P0_PACKED, "profile0.packed", "Table A.45", ERROR, "Neither PPM nor PPT is used.")                               \
    X(P1_TILES, "profile1.tiles", "Table A.45", ERROR,                                                                 \
      "There is one tile, or tiles are square and 1024 samples at most.")                                              \
    X(P1_BLOCKS, "profile1.blocks", "Table A.45", ERROR, "Code blocks have sides of 64 at most.")

#define WVL_CHECK_RULES_CINEMA(X)                                                                                      \
    X(DC_RSIZ, "cinema.rsiz", "A.5.1", ERROR, "Rsiz is 3 for 2K and 4 for 4K.")                                        \
    X(DC_SIZE, "cinema.size", "A.10", ERROR, "The image is at most 2048 x 1080 for 2K, 4096 x 2160 for 4K.")           \
    X(DC_GRID, "cinema.grid", "A.10", ERROR, "Offsets are 0 and there is one tile, the image.")                        \
    X(DC_COMPONENTS, "cinema.components", "A.10", ERROR,                                                               \
      "Three components of 12 bits, unsigned, without subsampling.")                                                   \
    X(DC_WAVELET, "cinema.wavelet", "A.10", ERROR, "The wavelet is the 9/7 one.")                                      \
    X(DC_TRANSFORM, "cinema.transform", "SMPTE ST 429-4", ERROR, "The component transform is used.")                   \
    X(DC_LAYERS, "cinema.layers", "A.10", ERROR, "There is one layer.")                                                \
    X(DC_ORDER, "cinema.order", "A.10", ERROR, "The progression order is CPRL.")                                       \
    X(DC_SCOD, "cinema.scod", "A.10", ERROR, "Scod is 1: precinct sizes, neither SOP nor EPH.")                        \
    X(DC_LEVELS, "cinema.levels", "A.10", ERROR,                                                                       \
      "The same number of levels everywhere: at most 5 for 2K, 1..6 for 4K.")                                          \
    X(DC_LEVELS_FULL, "cinema.levels-full", "SMPTE ST 429-2", WARNING, "There are 5 levels for 2K and 6 for 4K.")      \
    X(DC_BLOCKS, "cinema.blocks", "A.10", ERROR, "Code blocks are 32 x 32 with style 0.")                              \
    X(DC_PRECINCTS, "cinema.precincts", "A.10", ERROR, "Precincts are 128 x 128 at resolution 0 and 256 x 256 above.") \
    X(DC_GUARD, "cinema.guard", "SMPTE RDD 52", WARNING, "There is one guard bit for 2K, there are two for 4K.")       \
    X(DC_STEPS, "cinema.steps", "SMPTE RDD 52", WARNING, "Quantization is expounded.")                                 \
    X(DC_PARTS, "cinema.parts", "A.10", ERROR,                                                                         \
      "A tile-part a component for 2K; for 4K one for its 2K part, then one for the rest.")                            \
    X(DC_POC, "cinema.poc", "A.10", ERROR, "No POC for 2K; for 4K one in the main header, the 2K part first.")         \
    X(DC_TLM, "cinema.tlm", "A.10", ERROR, "The main header has a TLM.")                                               \
    X(DC_MARKERS, "cinema.markers", "A.10", ERROR, "Neither PPM nor PPT nor RGN is used.")                             \
    X(DC_MARKERS_EXTRA, "cinema.markers-extra", "SMPTE ST 429-4", WARNING, "Neither PLM nor PLT nor CRG is used.")     \
    X(DC_TILE_HEADERS, "cinema.tile-headers", "A.10", ERROR, "COD, COC, QCD and QCC are in the main header only.")     \
    X(DC_BYTES, "cinema.bytes", "DCSS 4.3.3", ERROR, "The codestream has at most 250 Mbit/s over the frame rate.")     \
    X(DC_COMPONENT_BYTES, "cinema.component-bytes", "DCSS 4.3.3", ERROR,                                               \
      "Each component's 2K part has at most 200 Mbit/s over the frame rate.")                                          \
    X(DC_PART_BYTES, "cinema.part-bytes", "DCSS 4.3.3", WARNING,                                                       \
      "A 4K part's highest resolution keeps the limit of a component too.")                                            \
    X(DC_NOTE_1, "cinema.note-1", "SMPTE RDD 52", WARNING,                                                             \
      "No pair FF FF at 254 modulo 256 of the main header and a tile-part.")

#define WVL_CHECK_RULES_IMF(X)                                                                                         \
    X(IMF_RSIZ, "imf.rsiz", "A.10", ERROR, "Rsiz names the profile, a main level and a sublevel that go together.")    \
    X(IMF_SIZE, "imf.size", "A.10", ERROR, "The image fits 2048 x 1556, 4096 x 3112 or 8192 x 6224.")                  \
    X(IMF_OFFSETS, "imf.offsets", "A.10", ERROR, "Offsets are 0.")                                                     \
    X(IMF_TILES, "imf.tiles", "A.10", ERROR,                                                                           \
      "One tile, or with the 5/3 wavelet tiles of 1024, 2048 or 4096 by the profile.")                                 \
    X(IMF_COMPONENTS, "imf.components", "A.10", ERROR, "At most three components of 8..16 bits, unsigned.")            \
    X(IMF_SUBSAMPLING, "imf.subsampling", "A.10", ERROR, "Chroma is full or half in width, nothing else.")             \
    X(IMF_WAVELET, "imf.wavelet", "A.10", ERROR, "The wavelet is the profile's.")                                      \
    X(IMF_LEVELS, "imf.levels", "A.10", ERROR, "The number of levels fits the size.")                                  \
    X(IMF_BLOCKS, "imf.blocks", "A.10", ERROR, "Code blocks are 32 x 32 with style 0.")                                \
    X(IMF_PRECINCTS, "imf.precincts", "A.10", ERROR, "Precincts are 128 x 128 at resolution 0 and 256 x 256 above.")   \
    X(IMF_LAYERS, "imf.layers", "A.10", ERROR, "There is one layer.")                                                  \
    X(IMF_ORDER, "imf.order", "A.10", ERROR, "The progression order is CPRL, without POC.")                            \
    X(IMF_MARKERS, "imf.markers", "A.10", ERROR, "Neither RGN nor PPM nor PPT is used.")                               \
    X(IMF_PARTS, "imf.parts", "A.10", ERROR, "A tile-part for each component of a tile.")                              \
    X(IMF_TLM, "imf.tlm", "A.10", ERROR, "The main header has a TLM.")                                                 \
    X(IMF_SAMPLES, "imf.samples", "A.10", ERROR, "Samples a second keep the main level.")                              \
    X(IMF_BYTES, "imf.bytes", "A.10", ERROR, "Bits a second keep the sublevel.")

#define WVL_CHECK_RULES_BROADCAST(X)                                                                                   \
    X(BC_RSIZ, "broadcast.rsiz", "A.10", ERROR, "Rsiz names the profile and a main level.")                            \
    X(BC_OFFSETS, "broadcast.offsets", "A.10", ERROR, "Offsets are 0.")                                                \
    X(BC_TILES, "broadcast.tiles", "A.10", ERROR, "One tile; in the multi-tile profiles also 2 x 2 or 1 x 4.")         \
    X(BC_COMPONENTS, "broadcast.components", "A.10", ERROR, "At most four components of 8..12 bits, unsigned.")        \
    X(BC_SUBSAMPLING, "broadcast.subsampling", "A.10", ERROR, "Chroma is full, or half in width.")                     \
    X(BC_WAVELET, "broadcast.wavelet", "A.10", ERROR, "The wavelet is the profile's.")                                 \
    X(BC_LEVELS, "broadcast.levels", "A.10", ERROR, "There are 1..5 levels.")                                          \
    X(BC_BLOCKS, "broadcast.blocks", "A.10", ERROR, "Code blocks have sides of 32, 64 or 128 and style 0.")            \
    X(BC_PRECINCTS, "broadcast.precincts", "A.10", ERROR,                                                              \
      "Precincts are 128 x 128 at resolution 0 and 256 x 256 above.")                                                  \
    X(BC_LAYERS, "broadcast.layers", "A.10", ERROR, "There is one layer.")                                             \
    X(BC_ORDER, "broadcast.order", "A.10", ERROR, "The progression order is CPRL, without POC.")                       \
    X(BC_MARKERS, "broadcast.markers", "A.10", ERROR, "Neither RGN nor PPM nor PPT is used.")                          \
    X(BC_PARTS, "broadcast.parts", "A.10", ERROR, "A tile-part for each component of a tile.")                         \
    X(BC_TLM, "broadcast.tlm", "A.10", ERROR, "The main header has a TLM.")                                            \
    X(BC_SAMPLES, "broadcast.samples", "A.10", ERROR, "Samples a second keep the level.")                              \
    X(BC_BYTES, "broadcast.bytes", "A.10", ERROR, "Bits a second keep the level.")

#define WVL_CHECK_RULES_PRESERVATION(X)                                                                                \
    X(KEEP_COMPONENTS, "keep.components", "profile", ERROR, "Components and depth are the profile's.")                 \
    X(KEEP_WAVELET, "keep.wavelet", "profile", ERROR, "The wavelet is the profile's.")                                 \
    X(KEEP_TRANSFORM, "keep.transform", "profile", ERROR, "The component transform is used with three components.")    \
    X(KEEP_TILES, "keep.tiles", "profile", ERROR, "Tiles have the profile's size.")                                    \
    X(KEEP_LEVELS, "keep.levels", "profile", ERROR, "The number of levels is the profile's.")                          \
    X(KEEP_LAYERS, "keep.layers", "profile", ERROR, "The number of layers is the profile's.")                          \
    X(KEEP_ORDER, "keep.order", "profile", ERROR, "The progression order is the profile's.")                           \
    X(KEEP_BLOCKS, "keep.blocks", "profile", ERROR, "Code blocks are 64 x 64.")                                        \
    X(KEEP_STYLE, "keep.style", "profile", ERROR, "The code-block style is the profile's.")                            \
    X(KEEP_PRECINCTS, "keep.precincts", "profile", ERROR, "Precincts are the profile's.")                              \
    X(KEEP_RESILIENCE, "keep.resilience", "profile", ERROR, "SOP and EPH are there where the profile wants them.")     \
    X(KEEP_PLT, "keep.plt", "profile", ERROR, "Tile-parts have PLT.")                                                  \
    X(KEEP_PARTS, "keep.parts", "profile", ERROR, "A tile-part for each resolution.")                                  \
    X(KEEP_COMMENT, "keep.comment", "profile", ERROR, "There is a comment text.")                                      \
    X(KEEP_XMP, "keep.xmp", "profile", ERROR, "There is an XMP box with tiff, exif and photoshop properties.")         \
    X(KEEP_ICC, "keep.icc", "profile", ERROR,                                                                          \
      "The colour is a restricted ICC profile, Adobe RGB (1998) or eciRGB v2.")                                        \
    X(KEEP_CAPTURE, "keep.capture", "profile", ERROR, "There is a capture resolution.")                                \
    X(KEEP_REGION, "keep.region", "profile", ERROR, "RGN is not used.")

#define WVL_CHECK_RULES_HT_PROFILES(X)                                                                                 \
    X(DICOM_BARE, "dicom.bare", "PS3.5 A.4.4", ERROR, "The codestream is bare, without the boxes of a file.")          \
    X(DICOM_WAVELET, "dicom.wavelet", "PS3.5 10.18", ERROR, "The picture is lossless: the wavelet is the 5/3 one.")    \
    X(DICOM_BLOCKS, "dicom.blocks", "PS3.5 10.18", ERROR, "All blocks are HT blocks.")                                 \
    X(DICOM_ORDER, "dicom.order", "PS3.5 10.18", ERROR, "The progression order is RPCL, without POC.")                 \
    X(DICOM_BASE, "dicom.base", "PS3.5 10.18", ERROR,                                                                  \
      "The width or the height of the lowest resolution is at most 64.")                                               \
    X(DICOM_BASE_BOTH, "dicom.base-both", "PS3.5 10.18", WARNING,                                                      \
      "Width and height of the lowest resolution are at most 64.")                                                     \
    X(DICOM_TLM, "dicom.tlm", "PS3.5 10.18", ERROR, "The main header has a TLM.")                                      \
    X(DICOM_PARTS, "dicom.parts", "PS3.5 10.18", WARNING,                                                              \
      "Tile-parts hold one resolution each, so that TLM shows where resolutions end.")                                 \
    X(DICOM_COMPONENTS, "dicom.components", "PS3.5 8.2", ERROR,                                                        \
      "One component or three, alike and without subsampling.")                                                        \
    X(IMF_HT_GRID, "imf-ht.grid", "ST 2067-21 HT", ERROR, "Offsets are 0 and there is one tile, the image.")           \
    X(IMF_HT_SIZE, "imf-ht.size", "ST 2067-21 Table 5", ERROR, "The image fits 8192 x 6224.")                          \
    X(IMF_HT_COMPONENTS, "imf-ht.components", "ST 2067-21 HT", ERROR,                                                  \
      "At most four components of the same 8..16 bits, unsigned.")                                                     \
    X(IMF_HT_SUBSAMPLING, "imf-ht.subsampling", "ST 2067-21 HT", ERROR,                                                \
      "Components 1 and 2 are full or half in width, nothing else.")                                                   \
    X(IMF_HT_CAP, "imf-ht.cap", "ST 2067-21 HT", ERROR,                                                                \
      "Part 15 is the only capability, with one HT set a block and without RGN.")                                      \
    X(IMF_HT_WAVELET, "imf-ht.wavelet", "ST 2067-21 HT", ERROR,                                                        \
      "The wavelet, and HTREV or HTIRV in CAP, are the profile's.")                                                    \
    X(IMF_HT_LEVELS, "imf-ht.levels", "ST 2067-21 HT", ERROR,                                                          \
      "There are 1..5 levels, 6 above 2048 and 7 above 4096 samples.")                                                 \
    X(IMF_HT_LAYERS, "imf-ht.layers", "ST 2067-21 HT", ERROR, "There is one layer.")                                   \
    X(IMF_HT_BLOCKS, "imf-ht.blocks", "ST 2067-21 HT", ERROR,                                                          \
      "Code blocks are 32, 64 or 128 wide, 32 or 64 high, and HT without VSC.")                                        \
    X(IMF_HT_PRECINCTS, "imf-ht.precincts", "ST 2067-21 HT", ERROR,                                                    \
      "Precincts are 128 x 128 at resolution 0 and 256 x 256 above.")                                                  \
    X(IMF_HT_ORDER, "imf-ht.order", "ST 2067-21 HT", ERROR, "The progression order is RPCL, without POC.")             \
    X(IMF_HT_MARKERS, "imf-ht.markers", "ST 2067-21 HT", ERROR, "PPM is not used.")                                    \
    X(IMF_HT_TLM, "imf-ht.tlm", "ST 2067-21 HT", ERROR, "The main header has a TLM.")                                  \
    X(IMF_HT_MAGNITUDE, "imf-ht.magnitude", "ST 2067-21 HT", ERROR,                                                    \
      "B of MAGB is the one for this depth (REV), or at most 31 (IRV).")                                               \
    X(IMF_HT_MAGNITUDE_HIGH, "imf-ht.magnitude-high", "ST 2067-21 HT", WARNING,                                        \
      "B of MAGB is not above what this depth needs (IRV).")

#define WVL_CHECK_PROFILE_RULES(X)                                                                                     \
    WVL_CHECK_RULES_PART1_PROFILES(X)                                                                                  \
    WVL_CHECK_RULES_CINEMA(X)                                                                                          \
    WVL_CHECK_RULES_IMF(X)                                                                                             \
    WVL_CHECK_RULES_BROADCAST(X)                                                                                       \
    WVL_CHECK_RULES_PRESERVATION(X)                                                                                    \
    WVL_CHECK_RULES_HT_PROFILES(X)
