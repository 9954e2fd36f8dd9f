/* SPDX-License-Identifier: BSD-2-Clause */
/* HT codestreams and JPH files: group H of the torture matrix, every shape of block, and what does not go with HT.
 * Decoded by OpenJPEG, re-parsed, and judged by the walker. */
#include <math.h>

#include "tests/decode/cases.h"
#include "tests/decode/openjph.h"
#include "tests/support/support.h"

/* B that the bands of a component ask for, and the least bound of Ccap15 that holds it. */
static unsigned bits_of(const cs_component *k)
{
    unsigned most = 0;
    for (unsigned i = 0; i < 3 * k->levels + 1; i++) {
        unsigned level = i ? k->levels - (i - 1) / 3 : k->levels, above = k->levels - level;
        unsigned eps = k->quant_style == 0   ? k->step[i] >> 3
                       : k->quant_style == 2 ? k->step[i] >> 11
                                             : (k->step[0] >> 11) - above;
        unsigned bits = k->guard_bits + eps - (k->quant_style ? level : 1);
        most = bits > most ? bits : most;
    }
    return most;
}

static void expect_capabilities(const char *what, const cs_stream *s)
{
    static const unsigned bounds[32] = {8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
                                        24, 25, 26, 27, 31, 35, 39, 43, 47, 51, 55, 59, 63, 67, 71, 74};
    unsigned most = 0, code = 0;
    for (unsigned c = 0; c < s->component_count; c++) {
        unsigned bits = bits_of(&s->components[c]);
        most = bits > most ? bits : most;
    }
    while (bounds[code] < most) {
        code++;
    }
    ck_assert_msg(s->rsiz == 0x4000 && s->pcap == 0x00020000, "%s: Rsiz %04X, Pcap %08X", what, s->rsiz, s->pcap);
    ck_assert_msg((s->ccap15 & 31) == code, "%s: Ccap15 %04X, magnitudes of %u bits", what, s->ccap15, most);
    ck_assert_msg((s->ccap15 & 0xF7C0) == 0 && !(s->ccap15 & 32) == (s->components[0].quant_style == 0),
                  "%s: Ccap15 %04X", what, s->ccap15);
}

static outcome encode(const char *what, const picture *p, const char *settings)
{
    outcome o = case_encode(what, p, settings, NULL);
    expect_capabilities(what, &o.stream);
    case_judge(what, &o, &(wvl_check_options){.struct_size = sizeof(wvl_check_options)});
    return o;
}

/* OpenJPH says that it does not take these structures, or has faults with them: docs/fuzzing.md. */
static int openjph_takes(const char *settings)
{
    static const char *const words[] = {"packed-headers", "progression-changes", "overrides", "derived"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(settings, words[i])) {
            return 0;
        }
    }
    return 1;
}

/* What OpenJPH decodes is `p`, or within `most` of it. */
static void ask_openjph(const char *what, const char *settings, const picture *p, const outcome *o, uint32_t most)
{
    char text[128] = "";
    picture back;
    wvl_span stream = wvl_result_codestream(o->result);
    if (!openjph_takes(settings)) {
        return;
    }
    openjph_answer answer = openjph_decode(o->data + stream.offset, (size_t)stream.bytes, p, &back, text, sizeof text);
    ck_assert_msg(answer != OPENJPH_REFUSED, "%s: \"%s\": %s", what, settings, text);
    if (answer == OPENJPH_DECODED) {
        uint32_t error = picture_greatest_error(p, &back);
        ck_assert_msg(error <= most, "%s: \"%s\": OpenJPH's samples differ by up to %u", what, settings, error);
        fuzz_picture_free(&back);
    }
}

static void lossless(const char *what, const picture *p, const char *settings)
{
    char text[512] = "";
    owned_outcome o = encode(what, p, settings);
    owned_picture back = case_decode(what, &o, NULL);
    ck_assert_msg(fuzz_picture_equal(p, &back, text, sizeof text), "%s: \"%s\": %s", what, settings, text);
    ask_openjph(what, settings, p, &o, 0);
}

/* ---- Group H --------------------------------------------------------------------------------- */

typedef struct row {
    const char *id, *file, *raw;
    uint32_t width, height, count; /* of the drawn picture */
    unsigned depth;
    uint32_t crop_width, crop_height;
    const char *settings;
} row;

#define KODIM3 "kodim03.png", NULL, 768, 512, 3, 8
#define KODIM5 "kodim05.png", NULL, 1000, 512, 3, 8
#define FLOWER(n) "flower_small.g.depth" #n ".pgm", NULL, 510, 532, 1, n

static const row rows[] = {
    {"H02", KODIM3, 0, 0, "style=HT progression=RPCL container=jph"},
    {"H03", KODIM3, 0, 0, "style=HT progression=RPCL container=jph block=1024,4"},
    {"H04", KODIM3, 0, 0, "style=HT progression=RPCL container=jph block=4,1024"},
    {"H06", KODIM3, 0, 0, "style=HT progression=RPCL container=jph block=128,32"},
    {"H07", FLOWER(1), 0, 0, "style=HT"},
    {"H08", FLOWER(8), 0, 0, "style=HT"},
    {"H10", FLOWER(16), 0, 0, "style=HT"},
    {"H11", "umbra_mount_yasur.tiff", NULL, 512, 512, 1, 8, 0, 0, "style=HT"},
    {"H16", KODIM3, 0, 0, "style=HT+VSC"},
    {"H19", "foreman_420.yuv", "352,288,3,8,u@1x1:2x2:2x2", 352, 288, 1, 8, 0, 0, "style=HT mct=off"},
    {"H20", KODIM5, 65, 33, "style=HT tile=33,33"},
    {"H22", KODIM5, 1000, 1, "style=HT levels=0"},
    {"sop", KODIM3, 200, 150,
     "style=HT tile=100,64 sop=yes eph=yes plt=yes tlm=yes tile-parts=R progression=RLCP precincts=[64,64]"},
    {"ppm", KODIM3, 200, 150, "style=HT tile=100,64 packed-headers=ppm progression=CPRL tile-parts=C"},
    {"coc", KODIM3, 200, 150, "style=HT tile=100,64 overrides=C1:style=HT+VSC;levels=2/T2:block=8,8"},
    {"poc", KODIM3, 200, 150, "style=HT progression-changes=0,0,1,3,3,RPCL/0,0,1,6,3,PCRL guard-bits=3"},
};

TEST_EACH(group_h, sizeof rows / sizeof rows[0])
{
    const row *r = &rows[_i];
    picture p;
    if (!picture_load(r->file, r->raw, &p)) {
        p = picture_draw(PICTURE_NATURAL, r->width, r->height, r->count, r->depth, (uint32_t)_i);
    }
    if (r->crop_width) {
        picture_crop(&p, 0, 0, r->crop_width, r->crop_height);
    }
    lossless(r->id, &p, r->settings);
    fuzz_picture_free(&p);
}

TEST_RANGE(every_block_shape, 2, 11)
{
    static const picture_kind kinds[] = {PICTURE_NATURAL, PICTURE_NOISE, PICTURE_SPARSE};
    for (unsigned ycb = 2; ycb <= 12u - (unsigned)_i && ycb <= 10; ycb++) {
        const char *settings = test_print("style=%u block=%u,%u levels=2", ycb & 1 ? 64 : 72, 1u << _i, 1u << ycb);
        owned_picture p = picture_draw(kinds[ycb % 3], 1100 >> (ycb / 2), 40u << (ycb / 2), 1, 8 + ycb % 5, ycb);
        lossless(settings, &p, settings);
    }
}

/* Of 28 bits a band has 31 planes; OpenJPEG carries 30 of HT blocks. */
TEST_RANGE(every_depth, 1, 28)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 90, 70, 1, (unsigned)_i, (uint32_t)_i),
                  q = picture_draw(PICTURE_EXTREME, 90, 70, 1, (unsigned)_i, 3);
    lossless("natural", &p, "style=HT levels=3");
    lossless("extreme", &q, "style=HT levels=3");
}

/* ---- Lossy ----------------------------------------------------------------------------------- */

/* The same quantizer with the other block coder: a decoder must see the same samples. */
TEST_EACH(same_samples_as_ebcot, 4)
{
    static const char *const settings[] = {"reversible=no", "reversible=no step=0.01",
                                           "reversible=no step=0.05 quantization=derived",
                                           "reversible=no step=0.0005 tile=100,90 mct=off"};
    owned_picture p = picture_draw(PICTURE_NATURAL, 230, 190, 3, 8, 5);
    const char *ht = test_print("%s style=HT container=jph", settings[_i]);
    const char *ebcot = test_print("%s device=cpu", settings[_i]);
    owned_outcome plain = case_encode("EBCOT", &p, ebcot, NULL), other = encode("HT", &p, ht);
    owned_picture a = case_decode("EBCOT", &plain, NULL), b = case_decode("HT", &other, NULL);
    uint32_t error = picture_greatest_error(&a, &b);
    ck_assert_msg(error == 0, "\"%s\": samples differ by up to %u", settings[_i], error);
    ask_openjph("HT", ht, &b, &other, 1);
    double told = wvl_result_layer_psnr(other.result, 0), found = fuzz_picture_psnr(&p, &b);
    ck_assert_msg(found > 60.0 || (told > found - 0.5 && told < found + 0.5), "\"%s\": %.2f dB told, %.2f dB found",
                  settings[_i], told, found);
}

/* ---- Targets --------------------------------------------------------------------------------- */

static int
    is_drawn; /* the picture that natural() gave: smoother than real ones, on which refinement passes do better */

static picture natural(unsigned i)
{
    static const char *const names[] = {"kodim03.png", "kodim05.png", "clic_val_0.png"};
    picture p;
    is_drawn = !picture_load(names[i], NULL, &p);
    if (is_drawn) {
        p = picture_draw(PICTURE_NATURAL, 600, 400, 3, 8, i);
    }
    if (!case_long()) {
        picture_crop(&p, 0, 0, 640, 480);
    }
    return p;
}

/* A byte target is kept and used, and from 1 bit a pixel on the picture is little worse than EBCOT makes it; with few
 * levels more, for HT does not compress a lowest band. */
TEST_EACH(byte_targets, 9)
{
    static const double rates[] = {0.25, 0.5, 1.0, 2.0, 4.0};
    static const char *const more[] = {"", " tile=200,150 precincts=[64,64] sop=yes eph=yes plt=yes tlm=yes",
                                       " block=32,128 levels=3 mct=off"};
    owned_picture p = natural((unsigned)_i % 3);
    char settings[256];
    const char *ht = test_print("reversible=no%s style=HT step=0.001953125",
                                more[_i / 3]); /* half a least significant bit, as for byte targets */
    owned_outcome all = encode("HT", &p, ht);  /* all that the quantizer keeps */
    for (unsigned i = 0; i < 5; i++) {
        if (case_emulated() && i != (unsigned)_i % 5) {
            continue;
        }
        ht = test_print("reversible=no bpp=%g%s style=HT", rates[i], more[_i / 3]);
        snprintf(settings, sizeof settings, "reversible=no bpp=%g%s device=cpu", rates[i], more[_i / 3]);
        owned_outcome other = encode("HT", &p, ht), plain = case_encode("EBCOT", &p, settings, NULL);
        double budget = (double)(p.x1 - p.x0) * (p.y1 - p.y0) * rates[i] / 8;
        double ours = case_measure("HT", &other, &p, 0).psnr, best = case_measure("EBCOT", &plain, &p, 0).psnr;
        printf("%s: %zu bytes of %.0f, %.2f dB, EBCOT %.2f dB\n", ht, other.bytes, budget, ours, best);
        int everything = other.bytes == all.bytes;
        ck_assert_msg((double)other.bytes <= budget && (everything || (double)other.bytes > 0.98 * budget),
                      "\"%s\": %zu bytes of %.0f", ht, other.bytes, budget);
        ck_assert_msg(rates[i] < 1.0 || everything || ours > best - (_i / 3 == 2 || is_drawn ? 3.0 : 1.5),
                      "\"%s\": %.2f dB, EBCOT %.2f dB", ht, ours, best);
    }
}

static double fixed_step_psnr(const picture *p, double step, size_t *bytes)
{
    const char *settings = test_print("reversible=no style=HT step=%.9g", step);
    owned_outcome o = encode("fixed step", p, settings);
    *bytes = o.bytes;
    return case_measure("fixed step", &o, p, 0).psnr;
}

/* The step follows a byte target, so that no fixed step is better by more than what a small picture's headers make: not
 * one between two powers of two, where planes of the default step are far off. */
TEST(steps_follow_byte_targets)
{
    owned_picture p = natural(1);
    size_t bytes;
    unsigned steps[6], kinds = 0;
    for (int i = 0; i < 6; i++) {
        double step = ldexp(1.0 + i / 6.0, -6), fixed = fixed_step_psnr(&p, step, &bytes);
        const char *settings = test_print("reversible=no style=HT layer-bytes=%zu", bytes);
        owned_outcome o = encode("target", &p, settings);
        double ours = case_measure("target", &o, &p, 0).psnr;
        steps[i] = o.stream.components[0].step[0];
        kinds += i && steps[i] != steps[i - 1];
        printf("step %.5f: %zu bytes, %.3f dB; target: %zu bytes, %.3f dB\n", step, bytes, fixed, o.bytes, ours);
        ck_assert_uint_le(o.bytes, bytes);
        ck_assert_msg(ours > fixed - (is_drawn ? 0.15 : 0.02), "%.3f dB, a fixed step has %.3f", ours, fixed);
    }
    ck_assert_uint_gt(kinds, 1);
}

/* Fewer passes of a set: the target is kept and used all the same, and PSNR falls little. */
TEST(sets_of_fewer_passes)
{
    owned_picture p = natural(1);
    double psnr[4];
    for (unsigned passes = 1; passes <= 3; passes++) {
        const char *settings = test_print("reversible=no bpp=1.3 style=HT step=0.002 ht-passes=%u", passes);
        owned_outcome o = encode("passes", &p, settings);
        quality q = case_measure("passes", &o, &p, 0);
        double budget = (double)(p.x1 - p.x0) * (p.y1 - p.y0) * 1.3 / 8;
        psnr[passes] = q.psnr;
        unsigned long long blocks = o.packets.inclusions, sent = o.packets.passes;
        printf("%u passes: %zu bytes of %.0f, %.2f dB, %llu passes of %llu blocks\n", passes, o.bytes, budget,
               psnr[passes], sent, blocks);
        ck_assert_msg(passes == 1 ? sent == blocks : sent > blocks && sent <= passes * blocks,
                      "%llu passes of %llu blocks", sent, blocks);
        ck_assert_msg((double)o.bytes <= budget && (double)o.bytes > 0.98 * budget, "%zu bytes of %.0f", o.bytes,
                      budget);
        ck_assert_msg(q.told > q.found - (is_drawn ? 1.0 : 0.5) && q.told < q.found + 0.5,
                      "%.2f dB told, %.2f dB found", q.told, q.found);
    }
    ck_assert_msg(psnr[1] > psnr[3] - 0.6 && psnr[2] > psnr[3] - 0.6, "%.2f, %.2f, %.2f dB", psnr[1], psnr[2], psnr[3]);
}

TEST(other_targets)
{
    owned_picture p = natural(0);
    owned_outcome o = encode("psnr", &p, "reversible=no style=HT psnr=38 container=jph");
    double found = case_measure("psnr", &o, &p, 0).found;
    ck_assert_msg(found > 37.95 && found < 38.3, "%.2f dB", found);
    case_free(&o);
    o = encode("caps", &p, "style=HT+VSC max-bytes=60000 max-component-bytes=25000 tile-parts=C progression=CPRL");
    ck_assert_uint_le(o.bytes, 60000);
    ck_assert_uint_gt(o.bytes, 58800);
    for (uint32_t c = 0; c < 3; c++) {
        ck_assert_uint_le(o.stream.parts[c].bytes, 25000);
    }
    case_free(&o);
    o = encode("slope", &p, "reversible=no style=HT slopes=34000");
    ck_assert_uint_lt(o.bytes, 200000);
}

/* Quality factors, of HT and of EBCOT. */
TEST_EACH(quality_factors, 2)
{
    static const unsigned factors[] = {1, 10, 30, 50, 64, 66, 75, 85, 90, 96, 98, 100};
    owned_picture p = natural(1);
    size_t bytes = 0;
    double before = 0.0;
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        const char *settings = test_print("reversible=no qfactor=%u%s", factors[i], _i ? " style=HT" : "");
        owned_outcome o = case_encode(settings, &p, settings, NULL);
        double psnr = case_measure(settings, &o, &p, 0).psnr;
        ck_assert_msg(o.bytes > bytes && psnr > before, "\"%s\": %zu bytes after %zu, %.2f dB after %.2f dB", settings,
                      o.bytes, bytes, psnr, before);
        bytes = o.bytes;
        before = psnr;
    }
    ck_assert(before > 50.0);
    owned_input input = picture_open_input(&p, 0);
    case_refused("both", &input.format, "reversible=no qfactor=50 step=0.01", "give one");
    case_refused("derived", &input.format, "reversible=no qfactor=50 quantization=derived", "derived");
}

/* Everything that is coded is a codestream without loss. */
TEST(cap_beyond_everything)
{
    owned_picture p = natural(1);
    lossless("cap", &p, "style=HT max-bytes=10000000");
}

/* ---- What does not go together --------------------------------------------------------------- */

#define RGB                                                                                                            \
    0, 0, 16, 16, 3, { 8, 0, 1, 1 }
static const refusal refusals[] = {
    {"style=HT+BYPASS", "only VSC", RGB},
    {"style=HT+SEGSYM", "only VSC", RGB},
    {"style=127", "only VSC", RGB},
    {"style=HT overrides=C1:style=SEGSYM", "all blocks of a picture", RGB},
    {"style=HT overrides=C1:style=HT+RESET", "only VSC", RGB},
    {"style=HT container=jp2", "use jph", RGB},
    {"container=jph", "add style HT", RGB},
    {"style=HT layers=2", "one layer", RGB},
    {"style=HT profile=1", "no profile of Part 1", RGB},
};

TEST_EACH(refused, sizeof refusals / sizeof refusals[0]) { case_refuse(&refusals[_i]); }

TEST_MAIN("ht")
