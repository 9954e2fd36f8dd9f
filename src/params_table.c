/* SPDX-License-Identifier: BSD-2-Clause */
#include "params_table.h"

#include "geom/profile.h"

#define AT(member) offsetof(wvl_settings, member)
#define EXACT_INTEGERS (UINT64_C(1) << 53) /* targets in bytes are kept in a double */

#define INPUT "Colour of the samples given"
#define TRANSFORM "Transform"
#define STRUCTURE "Tiles, blocks and packets"
#define QUANTIZATION "Quantization"
#define RATE "Rate and quality"
#define PROFILE "Profiles"
#define OUTPUT "Output"
#define MACHINE "Machine"

/* X(key, public type, range, default, doc, section, field kind, offset, minimum, maximum) */
#define OPTION_TABLE(X)                                                                                                              \
    X("input-color", CHOICE, "none|xyz|rec709|srgb|rec601-525|rec601-625|rec2020|p3-dci|p3-d60|p3-d65|display-p3|custom", "none",    \
      "Convert the first three components, R, G, B of this colour space, to 12-bit X'Y'Z' of digital cinema (SMPTE ST 428-1) and "   \
      "code that; xyz: they are X'Y'Z' already; none: code what is given.", INPUT, WORD, AT(input_color), 0, 11)                     \
    X("input-transfer", CHOICE, "auto|linear|2.2|2.4|2.6|bt1886|srgb", "auto",                                                       \
      "How these samples stand for light: a power, linear or the sRGB curve; bt1886 is 2.4; auto: 2.6 for p3-*, srgb for srgb and "  \
      "display-p3, else 2.4.", INPUT, WORD, AT(input_transfer), 0, 6)                                                                \
    X("input-range", CHOICE, "full|video", "full",                                                                                   \
      "Black and white of these samples: all of their depth, or 16 and 235 of 8 bits and the like.", INPUT, WORD, AT(input_video),   \
      0, 1)                                                                                                                          \
    X("reversible", BOOL, "yes|no", "yes", "Reversible 5/3 wavelet (yes) or irreversible 9/7 (no) (Annex F).", TRANSFORM, BOOL,      \
      AT(reversible), 0, 1)                                                                                                          \
    X("levels", TEXT, "0..32, or auto", "5",                                                                                         \
      "Wavelet decomposition levels, one less than the number of resolutions; auto: the fewest that leave at most 64,64 samples of "  \
      "each component (A.6.1).", TRANSFORM, LEVELS, AT(levels), 0, 32)                                                               \
    X("mct", CHOICE, "off|on|auto", "auto",                                                                                          \
      "Colour transform of the first three components, RCT or ICT; auto uses it where they match (Annex G).", TRANSFORM, WORD,       \
      AT(mct), 0, 2)                                                                                                                 \
    X("tile", PAIR, "width,height", "0,0", "Tile size on the reference grid; 0,0 makes one tile of the picture (B.3).", STRUCTURE,   \
      PAIR32, AT(tile_width), 0, UINT32_MAX)                                                                                         \
    X("tile-offset", PAIR, "x,y", "0,0", "Origin of the first tile, not beyond the image offset (B.3).", STRUCTURE, PAIR32,          \
      AT(tile_x0), 0, UINT32_MAX - 1)                                                                                                \
    X("block", PAIR, "width,height: powers of two, 4..1024, area up to 4096", "64,64", "Nominal code-block size (A.6.1).",           \
      STRUCTURE, PAIR16, AT(block_width), 4, 1024)                                                                                   \
    X("precincts", PAIRS, "[width,height],...: powers of two, 1..32768", "",                                                         \
      "Precinct sizes from the highest resolution down, the last one repeats; empty: those of the profile, or one precinct a resolution (B.6).", STRUCTURE,   \
      PRECINCTS, AT(precinct_count), 1, 32768)                                                                                       \
    X("style", TEXT, "0..127, or BYPASS+RESET+TERMALL+VSC+PTERM+SEGSYM+HT", "0",                                                     \
      "Code-block style: names joined by +, or the sum of 1, 2, 4, 8, 16, 32, 64 in that order (Table A.19). HT, the high-throughput "          \
      "block coder of 15444-15, goes with VSC only.", STRUCTURE, STYLE, AT(style), 0, 127)                                           \
    X("progression", CHOICE, "LRCP|RLCP|RPCL|PCRL|CPRL", "LRCP", "Progression order of the packets (B.12).", STRUCTURE, WORD,        \
      AT(order), 0, 4)                                                                                                               \
    X("overrides", TEXT, "[Tn[-m]][Cn[-m]]:key=value;.../...", "",                                                                     \
      "Settings of single tiles (counted from 1), components (from 0) or both: any of reversible, levels, block, precincts, style, "        \
      "quantization, step and guard-bits, for tiles also progression, mct, sop and eph; a value for both goes before one for the tile, "     \
      "and that before one for the component (A.6).", STRUCTURE, OVERRIDES, 0, 0, 1024)                                                  \
    X("roi", TEXT, "[Tn[-m]][Cn[-m]:]rect=x,y,width,height[;U=N] or c=N,U=N/...", "",                                                 \
      "Regions of interest, whose bit-planes are sent before all others (maxshift): rectangles on the reference grid, or whole components "  \
      "scaled up by N, in all tiles (counted from 1) and components (from 0) or some; rectangles find their shift themselves (Annex H).",     \
      STRUCTURE, REGIONS, 0, 0, 256)                                                                                                     \
    X("progression-changes", TEXT, "[Tn=]RS,CS,LYE,RE,CE,ORDER/...", "",                                                              \
      "Progression order changes: resolutions RS to RE, components CS to CE, layers 0 to LYE (ends not included) in that order, for all "  \
      "tiles or for tile n, counted from 1; each packet is sent once (A.6.6).", STRUCTURE, PROGRESSIONS, 0, 0, 4096)                    \
    X("tile-parts", TEXT, "none, or letters of R, L, C", "none",                                                                     \
      "Start a new tile-part at each resolution (R), layer (L) or component (C) (A.4.2).", STRUCTURE, PARTS, AT(parts), 0, 7)        \
    X("sop", BOOL, "yes|no", "no", "Write an SOP marker segment before each packet (A.8.1).", STRUCTURE, BOOL, AT(sop), 0, 1)        \
    X("eph", BOOL, "yes|no", "no", "Write an EPH marker after each packet header (A.8.2).", STRUCTURE, BOOL, AT(eph), 0, 1)          \
    X("plt", BOOL, "yes|no", "no", "Write the packet lengths into tile-part headers (A.7.3).", STRUCTURE, BOOL, AT(plt), 0, 1)       \
    X("tlm", BOOL, "yes|no", "no", "Write the tile-part lengths into the main header (A.7.1).", STRUCTURE, BOOL, AT(tlm), 0, 1)      \
    X("plm", BOOL, "yes|no", "no", "Write the packet lengths into the main header (A.7.2).", STRUCTURE, BOOL, AT(plm), 0, 1)          \
    X("packed-headers", CHOICE, "none|ppm|ppt", "none",                                                                              \
      "Collect the packet headers in the main header (ppm) or the tile-part headers (ppt) (A.7.4, A.7.5).", STRUCTURE, WORD,          \
      AT(packed_headers), 0, 2)                                                                                                      \
    X("registration", PAIRS, "[x,y],...: 0..65535", "",                                                                              \
      "Place of each component's samples, right and down, in 1/65536 of their distance; one pair serves all; empty: not said (A.9.1).", \
      STRUCTURE, REGISTRATION, 0, 0, 65535)                                                                                          \
    X("profile", CHOICE, WVL_PROFILE_WORDS, "none",                                                                                  \
      "Profile to declare (Rsiz, A.10) and to keep: what does not fit is refused, and but for 0 and 1 the finished bytes are judged.", PROFILE, WORD, \
      AT(profile), 0, WVL_PROFILE_COUNT - 1)                                                                                         \
    X("frame-rate", TEXT, "N, N/D, or a decimal number", "24",                                                                       \
      "Frames a second, for the byte limits of cinema, IMF and broadcast profiles; 23.976 and the like are N*1000/1001.", PROFILE, FRAMES, \
      AT(frames), 1, 1000000)                                                                                                        \
    X("stereo", BOOL, "yes|no", "no", "One eye of a stereoscopic pair: half the bytes of a profile.", PROFILE, BOOL, AT(stereo), 0, 1) \
    X("hfr", BOOL, "yes|no", "no", "High frame rate agreed with the server: 500 instead of 250 Mbit/s in cinema profiles.", PROFILE, BOOL, \
      AT(hfr), 0, 1)                                                                                                                 \
    X("main-level", INTEGER, "0..11", "0", "Main level of IMF and broadcast profiles; 0: not stated (A.10).", PROFILE, UINT8,         \
      AT(main_level), 0, 11)                                                                                                         \
    X("sub-level", INTEGER, "0..9", "0", "Sublevel of IMF profiles, the bit rate; 0: not stated (A.10).", PROFILE, UINT8,             \
      AT(sub_level), 0, 9)                                                                                                           \
    X("quantization", CHOICE, "derived|expounded", "expounded",                                                                      \
      "Signal one step size and derive the others, or signal one a band; 9/7 only (A.6.4).", QUANTIZATION, WORD, AT(quant_style),    \
      WVL_QUANT_DERIVED, WVL_QUANT_EXPOUNDED)                                                                                        \
    X("step", REAL, "0..1", "0",                                                                                                     \
      "Base quantizer step as a part of the full range, less than 1; 0: one least significant bit, half of it for up to 8 bits where bytes are limited and no roi is given, and with HT blocks then up to twice that, as the bytes ask for; 9/7 only (E.1).", QUANTIZATION,   \
      REAL, AT(step), 0, 1)                                                                                                          \
    X("qfactor", INTEGER, "0..100", "0",                                                                                             \
      "Quality factor as of JPEG, from 1 (coarse) to 100: quantizer steps by the sensitivity of eyes; 0: step says; 9/7 only.",      \
      QUANTIZATION, UINT8, AT(qfactor), 0, 100)                                                                                      \
    X("guard-bits", INTEGER, "0..7", "2", "Guard bits G (A.6.4).", QUANTIZATION, UINT8, AT(guard_bits), 0, 7)                        \
    X("distortion-bits", INTEGER, "0..8", "6",                                                                                       \
      "Bits kept below the step for measuring distortion, fewer where the container is full.", QUANTIZATION, UINT8,                  \
      AT(distortion_bits), 0, 8)                                                                                                     \
    X("rates", REALS, "ratio,...", "",                                                                                               \
      "Compression ratio of each layer, falling; 1 or 0 as the last: everything. Replaces any other target.", RATE, TARGETS, 0,      \
      WVL_UNIT_RATIO, 0)                                                                                                             \
    X("bpp", REALS, "bits,...", "",                                                                                                  \
      "Bits per pixel of each layer, rising; 0 as the last: everything. Replaces any other target.", RATE, TARGETS, 0,               \
      WVL_UNIT_BPP, 0)                                                                                                               \
    X("layer-bytes", REALS, "bytes,...", "",                                                                                         \
      "Bytes of the codestream up to each layer, rising; 0 as the last: everything. Replaces any other target.", RATE, TARGETS, 0,   \
      WVL_UNIT_BYTES, EXACT_INTEGERS)                                                                                                \
    X("psnr", REALS, "dB,...", "",                                                                                                   \
      "PSNR of each layer in dB, rising; 0 as the last: everything. Replaces any other target.", RATE, TARGETS, 0, WVL_UNIT_PSNR, 0) \
    X("slopes", REALS, "0..65535,...", "",                                                                                           \
      "Distortion-length slope of each layer as 32768 + 256 log2 of squared sample units per byte, falling; 0 as the last: "         \
      "everything. Replaces any other target.",                                                                                      \
      RATE, TARGETS, 0, WVL_UNIT_SLOPE, 65535)                                                                                       \
    X("layers", INTEGER, "1..65535", "1",                                                                                            \
      "Number of quality layers; those before the first target are spaced logarithmically. Unset: one a target (A.6.1).", RATE,      \
      LAYERS, AT(layer_count), 1, WVL_MAX_LAYERS)                                                                                    \
    X("max-bytes", INTEGER, "0..18446744073709551615", "0",                                                                          \
      "Cap of the whole codestream in bytes, never exceeded; 0: none.", RATE, UINT64, AT(max_bytes), 0, UINT64_MAX)                  \
    X("max-component-bytes", INTEGER, "0..18446744073709551615", "0",                                                                \
      "Cap of any one component in bytes, its tile-part headers included (cinema4k: of any one tile-part), never exceeded; 0: none.", RATE, UINT64, AT(max_component_bytes), 0,        \
      UINT64_MAX)                                                                                                                    \
    X("rdoq", CHOICE, "no|yes|auto", "auto",                                                                                           \
      "Rate-distortion optimised quantization: samples near a border go where error and bits together are less; auto does so where bytes are the target and " \
      "nothing speaks against it (regions, HT, layers by PSNR).", RATE, WORD, AT(rdoq), 0, 2)                                                       \
    X("visual", BOOL, "yes|no", "no",                                                                                                  \
      "Where bytes are limited and in layers, weigh errors by what eyes see from as far as 1700 pixels measure: fine and chroma detail less; " \
      "PSNR falls for it.", RATE, BOOL, AT(visual), 0, 1) \
    X("ht-passes", INTEGER, "1..3", "3",                                                                                               \
      "HT passes of a block at most: the cleanup pass (1), SigProp after it (2), and MagRef (3). Without a rate or quality target blocks have the first alone.", \
      RATE, UINT8, AT(ht_passes), 1, 3)                                                                                                \
    X("measure-psnr", CHOICE, "auto|yes|no", "auto",                                                                                    \
      "Tell the PSNR of each layer as measured on the samples that it decodes to, at the price of an inverse transform a layer, not as estimated; "  \
      "auto: where samples times layers are at most 65536. Magnitudes above 31 bits are always estimated.", RATE, WORD, AT(measure_psnr), 0, 2) \
    X("container", CHOICE, "j2k|jp2|jph", "j2k",                                                                                     \
      "Bare codestream, or a JP2 file (Annex I) or, for HT, a JPH file (15444-15 Annex D) around it.", OUTPUT, WORD, AT(jp2), 0, 2)   \
    X("comment", TEXT, "1..65531 bytes of ISO 8859-15", "",                                                                          \
      "Comment marker segment; may be given several times (A.9.2).", OUTPUT, COMMENT, AT(comment_count), 1, 65531)                  \
    X("device", TEXT, "auto|cpu|cuda|cuda-only|cuda:N|cuda-only:N", "auto",                                                          \
      "Where pixels are transformed; the bytes are the same. auto: a device where it pays; cuda: device 0 or N, and the CPU takes over " \
      "where it can not; cuda-only: fails instead.", MACHINE, DEVICE, AT(device), 0, 255)

#define PUBLIC(key, type, range, initial, doc, section, kind, offset, minimum, maximum) \
    {key, WVL_OPTION_##type, range, initial, doc, section},
#define FIELD(key, type, range, initial, doc, section, kind, offset, minimum, maximum) {WVL_FIELD_##kind, offset, minimum, maximum},

static const wvl_option options[] = {OPTION_TABLE(PUBLIC)};
static const wvl_field fields[] = {OPTION_TABLE(FIELD)};

const wvl_option *wvl_options(size_t *count)
{
    if (count) {
        *count = sizeof options / sizeof options[0];
    }
    return options;
}

const wvl_field *wvl_params_fields(void)
{
    return fields;
}
