/* SPDX-License-Identifier: BSD-2-Clause */
#include "params/table.h"

#include "geom/profile.h"

#define AT(member) offsetof(wvl_settings, member)
#define EXACT_INTEGERS (UINT64_C(1) << 53) /* targets in bytes are kept in a double */

#define INPUT "Colour of the input"
#define TRANSFORM "Transform"
#define STRUCTURE "Tiles, blocks and packets"
#define QUANTIZATION "Quantization"
#define RATE "Rate and quality"
#define PROFILE "Profiles"
#define OUTPUT "Output"
#define MACHINE "Machine"

/* X(key, public type, range, default, doc, section, field kind, offset, minimum, maximum) */
#define OPTION_TABLE(X)                                                                                                \
    X("input-color", CHOICE,                                                                                           \
      "none|xyz|rec709|srgb|rec601-525|rec601-625|rec2020|p3-dci|p3-d60|p3-d65|display-p3|custom", "none",             \
      "Convert the first three components to the 12-bit X'Y'Z' of digital cinema (SMPTE ST 428-1). The word names "    \
      "their RGB colour space; xyz: they are X'Y'Z' already; none: no conversion.",                                    \
      INPUT, WORD, AT(input_color), 0, 11)                                                                             \
    X("input-transfer", CHOICE, "auto|linear|2.2|2.4|2.6|bt1886|srgb", "auto",                                         \
      "Transfer function of the input: a power, linear, or the sRGB curve. bt1886 is 2.4. auto: 2.6 for p3-*, srgb "   \
      "for srgb and display-p3, else 2.4.",                                                                            \
      INPUT, WORD, AT(input_transfer), 0, 6)                                                                           \
    X("input-range", CHOICE, "full|video", "full",                                                                     \
      "Range of the input: full, or video, with black at 16 and white at 235 for 8 bits and in proportion for "        \
      "other depths.",                                                                                                 \
      INPUT, WORD, AT(input_video), 0, 1)                                                                              \
    X("reversible", BOOL, "yes|no", "yes", "Reversible 5/3 wavelet (yes) or irreversible 9/7 (no) (Annex F).",         \
      TRANSFORM, BOOL, AT(reversible), 0, 1)                                                                           \
    X("levels", TEXT, "0..32, or auto", "5",                                                                           \
      "Wavelet decomposition levels, one less than the number of resolutions. auto: the fewest that leave at "         \
      "most 64,64 samples of each component (A.6.1).",                                                                 \
      TRANSFORM, LEVELS, AT(levels), 0, 32)                                                                            \
    X("mct", CHOICE, "off|on|auto", "auto",                                                                            \
      "Colour transform of the first three components, RCT or ICT. auto: where the three match (Annex G).", TRANSFORM, \
      WORD, AT(mct), 0, 2)                                                                                             \
    X("tile", PAIR, "width,height", "0,0", "Tile size on the reference grid. 0,0: one tile (B.3).", STRUCTURE, PAIR32, \
      AT(tile_width), 0, UINT32_MAX)                                                                                   \
    X("tile-offset", PAIR, "x,y", "0,0", "Origin of the first tile, not beyond the image offset (B.3).", STRUCTURE,    \
      PAIR32, AT(tile_x0), 0, UINT32_MAX - 1)                                                                          \
    X("block", PAIR, "width,height: powers of two, 4..1024, area up to 4096", "64,64",                                 \
      "Nominal code-block size (A.6.1).", STRUCTURE, PAIR16, AT(block_width), 4, 1024)                                 \
    X("precincts", PAIRS, "[width,height],...: powers of two, 1..32768", "",                                           \
      "Precinct sizes from the highest resolution down; the last one repeats. Default: those of the profile, else "    \
      "one precinct in each resolution (B.6).",                                                                        \
      STRUCTURE, PRECINCTS, AT(precinct_count), 1, 32768)                                                              \
    X("style", TEXT, "0..127, or BYPASS+RESET+TERMALL+VSC+PTERM+SEGSYM+HT", "0",                                       \
      "Code-block style: names joined by +, or the sum of 1, 2, 4, 8, 16, 32, 64 in that order (Table A.19). HT "      \
      "is the high-throughput block coder of 15444-15; only VSC goes with it.",                                        \
      STRUCTURE, STYLE, AT(style), 0, 127)                                                                             \
    X("progression", CHOICE, "LRCP|RLCP|RPCL|PCRL|CPRL", "LRCP", "Progression order of the packets (B.12).",           \
      STRUCTURE, WORD, AT(order), 0, 4)                                                                                \
    X("overrides", TEXT, "[Tn[-m]][Cn[-m]]:key=value;.../...", "",                                                     \
      "Settings of some tiles (counted from 1), components (from 0) or both: reversible, levels, block, precincts, "   \
      "style, quantization, step and guard-bits; for tiles also progression, mct, sop and eph. A value for tile "      \
      "and component takes precedence over one for the tile, and that over one for the component (A.6).",              \
      STRUCTURE, OVERRIDES, 0, 0, 1024)                                                                                \
    X("roi", TEXT, "[Tn[-m]][Cn[-m]:]rect=x,y,width,height[;U=N] or c=N,U=N/...", "",                                  \
      "Regions of interest: their bit-planes are sent before all others (maxshift). A region is a rectangle on the "   \
      "reference grid, whose shift is computed, or a whole component, shifted by U=N. It applies to all tiles "        \
      "(counted from 1) and components (from 0), or to some (Annex H).",                                               \
      STRUCTURE, REGIONS, 0, 0, 256)                                                                                   \
    X("progression-changes", TEXT, "[Tn=]RS,CS,LYE,RE,CE,ORDER/...", "",                                               \
      "Progression order changes: resolutions RS to RE, components CS to CE and layers 0 to LYE (ends not "            \
      "included) in this order, for all tiles or for tile n, counted from 1. Each packet is sent once (A.6.6).",       \
      STRUCTURE, PROGRESSIONS, 0, 0, 4096)                                                                             \
    X("tile-parts", TEXT, "none, or letters of R, L, C", "none",                                                       \
      "Start a new tile-part at each resolution (R), layer (L) or component (C) (A.4.2).", STRUCTURE, PARTS,           \
      AT(parts), 0, 7)                                                                                                 \
    X("sop", BOOL, "yes|no", "no", "Write an SOP marker segment before each packet (A.8.1).", STRUCTURE, BOOL,         \
      AT(sop), 0, 1)                                                                                                   \
    X("eph", BOOL, "yes|no", "no", "Write an EPH marker after each packet header (A.8.2).", STRUCTURE, BOOL, AT(eph),  \
      0, 1)                                                                                                            \
    X("plt", BOOL, "yes|no", "no", "Write the packet lengths into tile-part headers (A.7.3).", STRUCTURE, BOOL,        \
      AT(plt), 0, 1)                                                                                                   \
    X("tlm", BOOL, "yes|no", "no", "Write the tile-part lengths into the main header (A.7.1).", STRUCTURE, BOOL,       \
      AT(tlm), 0, 1)                                                                                                   \
    X("plm", BOOL, "yes|no", "no", "Write the packet lengths into the main header (A.7.2).", STRUCTURE, BOOL, AT(plm), \
      0, 1)                                                                                                            \
    X("packed-headers", CHOICE, "none|ppm|ppt", "none",                                                                \
      "Collect the packet headers in the main header (ppm) or the tile-part headers (ppt) (A.7.4, A.7.5). Some "       \
      "decoders refuse a tile-part that then has no bytes; sop=yes avoids that.",                                      \
      STRUCTURE, WORD, AT(packed_headers), 0, 2)                                                                       \
    X("registration", PAIRS, "[x,y],...: 0..65535", "",                                                                \
      "Place of the samples of each component, to the right and down, in 1/65536 of their distance. One pair is "      \
      "for all components. Default: no CRG marker segment (A.9.1).",                                                   \
      STRUCTURE, REGISTRATION, 0, 0, 65535)                                                                            \
    X("profile", CHOICE, WVL_PROFILE_WORDS, "none",                                                                    \
      "Profile to declare (Rsiz, A.10) and to keep: settings that it does not allow are refused. The finished "        \
      "bytes are checked too, except for profiles 0 and 1.",                                                           \
      PROFILE, WORD, AT(profile), 0, WVL_PROFILE_COUNT - 1)                                                            \
    X("frame-rate", TEXT, "N, N/D, or a decimal number", "24",                                                         \
      "Frames a second, for the byte limits of cinema, IMF and broadcast profiles. 23.976 and the like are "           \
      "N*1000/1001.",                                                                                                  \
      PROFILE, FRAMES, AT(frames), 1, 1000000)                                                                         \
    X("stereo", BOOL, "yes|no", "no", "One eye of a stereoscopic pair: half the bytes of a profile.", PROFILE, BOOL,   \
      AT(stereo), 0, 1)                                                                                                \
    X("hfr", BOOL, "yes|no", "no",                                                                                     \
      "High frame rate of digital cinema, where the server takes it: 500 Mbit/s in place of 250.", PROFILE, BOOL,      \
      AT(hfr), 0, 1)                                                                                                   \
    X("main-level", INTEGER, "0..11", "0", "Main level of IMF and broadcast profiles; 0: not stated (A.10).", PROFILE, \
      UINT8, AT(main_level), 0, 11)                                                                                    \
    X("sub-level", INTEGER, "0..9", "0", "Sublevel of IMF profiles, the bit rate; 0: not stated (A.10).", PROFILE,     \
      UINT8, AT(sub_level), 0, 9)                                                                                      \
    X("quantization", CHOICE, "derived|expounded", "expounded",                                                        \
      "Write one step size for each band (expounded), or one from which the others follow (derived); 9/7 only "        \
      "(A.6.4).",                                                                                                      \
      QUANTIZATION, WORD, AT(quant_style), WVL_QUANT_DERIVED, WVL_QUANT_EXPOUNDED)                                     \
    X("step", REAL, "0..1", "0",                                                                                       \
      "Base quantizer step as a part of the full range, less than 1; 9/7 only. 0: one least significant bit; with "    \
      "a limit in bytes, half of that for up to 8 bits without roi, and up to twice as coarse with HT blocks, if "     \
      "the limit needs it (E.1).",                                                                                     \
      QUANTIZATION, REAL, AT(step), 0, 1)                                                                              \
    X("qfactor", INTEGER, "0..100", "0",                                                                               \
      "Quality factor like that of JPEG, 1 (coarse) to 100: quantizer steps weighted by how visible errors are. "      \
      "0: use step; 9/7 only.",                                                                                        \
      QUANTIZATION, UINT8, AT(qfactor), 0, 100)                                                                        \
    X("guard-bits", INTEGER, "0..7", "2", "Guard bits G (A.6.4).", QUANTIZATION, UINT8, AT(guard_bits), 0, 7)          \
    X("distortion-bits", INTEGER, "0..8", "6",                                                                         \
      "Bits kept below the quantizer step to measure distortion; fewer where the container of the samples is "         \
      "full; 9/7 only.",                                                                                               \
      QUANTIZATION, UINT8, AT(distortion_bits), 0, 8)                                                                  \
    X("rates", REALS, "ratio,...", "",                                                                                 \
      "Compression ratio of each layer, falling. 1 or 0 as the last one: everything. Replaces any other target.",      \
      RATE, TARGETS, 0, WVL_UNIT_RATIO, 0)                                                                             \
    X("bpp", REALS, "bits,...", "",                                                                                    \
      "Bits per pixel of each layer, rising. 0 as the last one: everything. Replaces any other target.", RATE,         \
      TARGETS, 0, WVL_UNIT_BPP, 0)                                                                                     \
    X("layer-bytes", REALS, "bytes,...", "",                                                                           \
      "Bytes of the codestream up to each layer, rising. 0 as the last one: everything. Replaces any other "           \
      "target.",                                                                                                       \
      RATE, TARGETS, 0, WVL_UNIT_BYTES, EXACT_INTEGERS)                                                                \
    X("psnr", REALS, "dB,...", "",                                                                                     \
      "Least PSNR of each layer in dB, rising. 0 as the last one: everything. Replaces any other target.", RATE,       \
      TARGETS, 0, WVL_UNIT_PSNR, 0)                                                                                    \
    X("slopes", REALS, "0..65535,...", "",                                                                             \
      "Distortion-length slope of each layer, falling: 32768 + 256 log2 of squared sample units per byte. 0 as "       \
      "the last one: everything. Replaces any other target.",                                                          \
      RATE, TARGETS, 0, WVL_UNIT_SLOPE, 65535)                                                                         \
    X("layers", INTEGER, "1..65535", "1",                                                                              \
      "Number of quality layers. Layers before the first target are spaced logarithmically. Default: one for each "    \
      "target (A.6.1).",                                                                                               \
      RATE, LAYERS, AT(layer_count), 1, WVL_MAX_LAYERS)                                                                \
    X("max-bytes", INTEGER, "0..18446744073709551615", "0",                                                            \
      "Most bytes of the codestream, never exceeded. 0: no limit.", RATE, UINT64, AT(max_bytes), 0, UINT64_MAX)        \
    X("max-component-bytes", INTEGER, "0..18446744073709551615", "0",                                                  \
      "Most bytes of any one component with its tile-part headers (cinema4k: of any one tile-part), never "            \
      "exceeded. 0: no limit.",                                                                                        \
      RATE, UINT64, AT(max_component_bytes), 0, UINT64_MAX)                                                            \
    X("rdoq", CHOICE, "no|yes|auto", "auto",                                                                           \
      "Rate-distortion optimised quantization: a sample near the border of two quantizer cells takes the one with "    \
      "the smaller sum of error and bits. auto: yes if bytes are limited, except with regions of interest, HT "        \
      "blocks and PSNR targets.",                                                                                      \
      RATE, WORD, AT(rdoq), 0, 2)                                                                                      \
    X("visual", BOOL, "yes|no", "no",                                                                                  \
      "With a limit in bytes, and in layers, weigh errors by how visible they are from a distance of 1700 pixels: "    \
      "fine detail and chroma count less. PSNR falls.",                                                                \
      RATE, BOOL, AT(visual), 0, 1)                                                                                    \
    X("ht-passes", INTEGER, "1..3", "3",                                                                               \
      "Most passes of an HT block: cleanup (1), SigProp after it (2), MagRef after that (3). Without a limit "         \
      "blocks have the cleanup pass only.",                                                                            \
      RATE, UINT8, AT(ht_passes), 1, 3)                                                                                \
    X("measure-psnr", CHOICE, "auto|yes|no", "auto",                                                                   \
      "Measure the PSNR of each layer that is reported, by an inverse transform for each layer; otherwise it is "      \
      "estimated. auto: yes for at most 65536 samples times layers if the CPU finishes the picture. With yes the "     \
      "CPU makes the packets, even if a device could. With magnitudes above 31 bits PSNR is always estimated.",        \
      RATE, WORD, AT(measure_psnr), 0, 2)                                                                              \
    X("container", CHOICE, "j2k|jp2|jph", "j2k",                                                                       \
      "Codestream (j2k), JP2 file (jp2, Annex I), or JPH file for HT blocks (jph, 15444-15 Annex D).", OUTPUT, WORD,   \
      AT(jp2), 0, 2)                                                                                                   \
    X("comment", TEXT, "1..65531 bytes of ISO 8859-15", "",                                                            \
      "Comment marker segment; may be given several times (A.9.2).", OUTPUT, COMMENT, AT(comment_count), 1, 65531)     \
    X("device", TEXT, "auto|cpu|cuda|cuda-only|cuda:N,...|cuda:all|cuda-only:...", "auto",                             \
      "Where the picture is encoded; the bytes are the same. auto: on a device if that is faster. cuda, cuda:N: on "   \
      "device 0 or N; the CPU does what the device cannot. cuda-only: as cuda, but an error if the device cannot. "    \
      "cuda:N,N or cuda:all: several devices, which share pictures in flight and the waves of a large picture.",       \
      MACHINE, DEVICE, AT(device), 0, 255)                                                                             \
    X("reach", CHOICE, "coefs|blocks|packets", "coefs",                                                                \
      "The least that a device must do: the transform (coefs), code-blocks too (blocks), or packets too (packets). "   \
      "A device that can do less for a picture is not used for it. A device always does as much as it can.",           \
      MACHINE, WORD, AT(reach), 0, 2)                                                                                  \
    X("output-memory", CHOICE, "host|device", "host",                                                                  \
      "Where finished pictures lie. device: in memory of the device that finishes them; only an encoder object of "    \
      "the C API gives such pictures, and pictures that no device can finish are refused.",                            \
      MACHINE, WORD, AT(output_memory), 0, 1)                                                                          \
    X("device-memory", INTEGER, "0..18446744073709551615", "0",                                                        \
      "Most bytes of its own memory that a device may take for a picture, or for each in flight. Larger pictures "     \
      "go through it in strips, if reach allows. 0: all memory of the device.",                                        \
      MACHINE, UINT64, AT(device_memory), 0, UINT64_MAX)

#define PUBLIC(key, type, range, initial, doc, section, kind, offset, minimum, maximum)                                \
    {key, WVL_OPTION_##type, range, initial, doc, section},
#define FIELD(key, type, range, initial, doc, section, kind, offset, minimum, maximum)                                 \
    {WVL_FIELD_##kind, offset, minimum, maximum},

static const wvl_option options[] = {OPTION_TABLE(PUBLIC)};
static const wvl_field fields[] = {OPTION_TABLE(FIELD)};

const wvl_option *wvl_options(size_t *count)
{
    if (count) {
        *count = sizeof options / sizeof options[0];
    }
    return options;
}

const wvl_field *wvl_params_fields(void) { return fields; }
