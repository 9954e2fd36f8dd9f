/* SPDX-License-Identifier: BSD-2-Clause */
/* Presets make what they promise: byte limits to the byte, filled as far as there is something to fill them with, legal
 * to the walker. */

#include "tests/decode/cases.h"
#include "tests/support/support.h"

/* ---- Byte limits of digital cinema, as they are published ------------------------------------ */

typedef struct limit {
    const char *words; /* behind dci-2k or dci-4k */
    uint32_t frame, component;
} limit;

static const limit limits[] = {
    {"-24", 1302083, 1041666},     {"-25", 1250000, 1000000},     {"-30", 1041666, 833333},
    {"-48", 651041, 520833},       {"-50", 625000, 500000},       {"-60", 520833, 416666},
    {"-24-3d", 651041, 520833},    {"-25-3d", 625000, 500000},    {"-30-3d", 520833, 416666},
    {"-48-3d", 325520, 260416},    {"-50-3d", 312500, 250000},    {"-60-3d", 260416, 208333},
    {"-24-hfr", 2604166, 2083333}, {"-48-hfr", 1302083, 1041666}, {"-60-hfr", 1041666, 833333},
};
#define LIMITS ((int)(sizeof limits / sizeof limits[0]))

static void walk(const outcome *o, const char *profile, const limit *l)
{
    wvl_check_options options = {.struct_size = sizeof options, .profile = profile};
    if (l) {
        options.frames = (unsigned)strtoul(l->words + 1, NULL, 10);
        options.seconds = 1;
        options.stereo = strstr(l->words, "3d") != NULL;
        options.hfr = strstr(l->words, "hfr") != NULL;
    }
    case_judge(profile, o, &options);
}

/* Psot of every part against the table; the fills that the result tells are those. */
static void check_parts(const char *what, const outcome *o, const limit *l, unsigned parts)
{
    wvl_fill fill;
    ck_assert_uint_eq(o->stream.part_count, parts);
    ck_assert_uint_eq(wvl_result_fill_count(o->result), parts + 1);
    ck_assert_msg(o->bytes <= l->frame, "%s: %zu bytes of %u", what, o->bytes, l->frame);
    for (unsigned i = 0; i < parts; i++) {
        ck_assert_msg(o->stream.parts[i].bytes <= l->component, "%s: part %u has %llu bytes of %u", what, i,
                      (unsigned long long)o->stream.parts[i].bytes, l->component);
        ck_assert_int_eq(wvl_result_fill(o->result, i + 1, &fill), WVL_OK);
        ck_assert_uint_eq(fill.bytes, o->stream.parts[i].bytes);
        ck_assert_uint_eq(fill.cap, l->component);
        ck_assert_uint_eq(fill.component, i % 3);
        ck_assert_uint_eq(fill.part, i / 3);
    }
    ck_assert_int_eq(wvl_result_fill(o->result, 0, &fill), WVL_OK);
    ck_assert(fill.component == UINT32_MAX && fill.bytes == o->bytes && fill.cap == l->frame);
    ck_assert_int_eq(wvl_result_fill(o->result, parts + 1, &fill), WVL_ERROR_ARGUMENT);
}

/* At least 97 % of the target, or every component at 99.5 % of its cap, or nothing left to send. */
static void check_filled(const char *what, const outcome *o, const limit *l, uint64_t target)
{
    wvl_fill fill;
    int components_full = 1;
    for (uint32_t i = 1; i < wvl_result_fill_count(o->result); i++) {
        ck_assert_int_eq(wvl_result_fill(o->result, i, &fill), WVL_OK);
        components_full &= fill.part || (double)fill.bytes >= 0.995 * l->component;
    }
    ck_assert_msg((double)o->bytes >= 0.97 * (double)target || components_full ||
                      wvl_result_layer_slope(o->result, 0) == 0,
                  "%s: %zu bytes of %llu", what, o->bytes, (unsigned long long)target);
}

static void check_frame(const char *what, const picture *p, const char *preset, const limit *l, const char *rest)
{
    const char *settings = test_print("preset=%s%s%s", preset, l->words, rest);
    owned_outcome o = case_encode(what, p, settings, NULL);
    int is_4k = preset[4] == '4', at_cap = strstr(rest, "rates=1") != NULL;
    check_parts(settings, &o, l, is_4k ? 6 : 3);
    wvl_fill fill;
    ck_assert_int_eq(wvl_result_fill(o.result, 0, &fill), WVL_OK);
    ck_assert_uint_eq(
        fill.target, at_cap ? 0 : (uint64_t)l->frame * 230 / 250 + (fill.target == (uint64_t)l->frame * 230 / 250 + 1));
    check_filled(settings, &o, l, at_cap ? l->frame : fill.target);
    walk(&o, is_4k ? "cinema4k" : "cinema2k", l);
}

/* Another limit before has the same bytes, for another frame rate: rate control has nothing new to do. */
static int is_repeated(int i)
{
    int k = 0;
    while (limits[k].frame != limits[i].frame) {
        k++;
    }
    return k < i;
}

/* Noise fills every limit, four megabytes of it the greatest; extremes strain the bound of a pass; a flat picture has
 * nothing to send. */
TEST_EACH(hard_pictures_2k, LIMITS)
{
    static const picture_kind kinds[] = {PICTURE_NOISE, PICTURE_EXTREME, PICTURE_FLAT};
    for (unsigned k = is_repeated(_i) && !case_long(); k < (_i ? 2 : 3); k++) {
        owned_picture p = picture_draw(kinds[k], k == 1 ? 1998 : 2048, k == 1 ? 540 : k == 0 ? 429 : 858, 3, 12, 7);
        check_frame("2K", &p, "dci-2k", &limits[_i], "");
        if (k == 0 || _i % 3 == 0) {
            check_frame("2K to the cap", &p, "dci-2k", &limits[_i], " rates=1");
        }
    }
}

TEST_EACH(hard_pictures_4k, case_long() ? LIMITS : 2)
{
    owned_picture p = picture_draw(PICTURE_NOISE, 4096, 1716, 3, 12, 9);
    check_frame("4K", &p, "dci-4k", &limits[_i], "");
}

/* 16-bit files hold 12 bits at the top, or at the bottom with nothing above. */
static void make_12_bits(picture *p)
{
    for (uint32_t c = 0; c < p->count; c++) {
        picture_plane *plane = &p->planes[c];
        size_t samples = (size_t)plane->width * plane->height;
        int32_t most = 0;
        for (size_t i = 0; i < samples; i++) {
            most = plane->samples[i] > most ? plane->samples[i] : most;
        }
        for (size_t i = 0; most > 4095 && i < samples; i++) {
            plane->samples[i] >>= plane->depth - 12;
        }
        plane->depth = 12;
    }
}

TEST_EACH(real_pictures, LIMITS)
{
    static const char *const names[] = {"perf_dci2k_2048x1080_rgb12.tif", "blackmagic_2k_crop_rgb16.tif"};
    for (unsigned n = 0; n < 2 && (case_long() || !is_repeated(_i)); n++) {
        picture p;
        if (!case_long() && n == (unsigned)_i % 2) { /* the limits in turn */
            continue;
        }
        if (!picture_load(names[n], NULL, &p)) {
            continue;
        }
        make_12_bits(&p);
        check_frame(names[n], &p, "dci-2k", &limits[_i], "");
        fuzz_picture_free(&p);
    }
}

/* A lower rate is taken, down to what the headers need. */
TEST(lower_rates)
{
    static const uint32_t bytes[] = {900000, 300000, 20000, 3000};
    owned_picture p = picture_draw(PICTURE_NATURAL, 2048, 858, 3, 12, 3);
    for (unsigned i = 0; i < 4; i++) {
        const char *settings = test_print("preset=dci-2k max-bytes=%u max-component-bytes=%u", bytes[i], bytes[i] / 2);
        owned_outcome o = case_encode("lower", &p, settings, NULL);
        ck_assert_uint_le(o.bytes, bytes[i]);
        for (unsigned c = 0; c < 3; c++) {
            ck_assert_uint_le(o.stream.parts[c].bytes, bytes[i] / 2);
        }
        walk(&o, "cinema2k", NULL);
    }
}

/* Comments of any length: no length may lie where old servers stumble, and what is added for that is one comment more.
 */
TEST(lengths_keep_their_distance)
{
    owned_picture p = picture_draw(PICTURE_FLAT, 16, 16, 3, 12, 3);
    unsigned spaced = 0;
    for (unsigned n = 1; n < 300; n += n % 3 + 1) {
        char comment[301];
        memset(comment, 'c', n);
        comment[n] = 0;
        const char *settings = test_print("preset=dci-%ck comment=%s", n & 1 ? '2' : '4', comment);
        owned_outcome o = case_encode("comments", &p, settings, NULL);
        size_t header = o.stream.main_header_bytes, tlm = 6 + 5 * o.stream.part_count;
        ck_assert(o.data[header - tlm] == 0xFF && o.data[header - tlm + 1] == 0x55);
        for (size_t at = 254; at < header + 12; at += 256) {
            ck_assert_msg(at < header - tlm || at >= header + 10, "comment of %u: a length at %zu, TLM ends at %zu", n,
                          at, header);
        }
        ck_assert(o.stream.comment_count == 1 || o.stream.comment_count == 2);
        spaced += o.stream.comment_count - 1;
        walk(&o, n & 1 ? "cinema2k" : "cinema4k", NULL);
    }
    ck_assert_uint_gt(spaced, 10);
}

/* ---- Any size -------------------------------------------------------------------------------- */

typedef struct shape {
    const char *preset, *profile;
    uint32_t components, most_width, most_height;
    uint8_t depth;
} shape;

static const shape shapes[] = {
    {"dci-2k-24", "cinema2k", 3, 700, 500, 12},
    {"dci-2k-60-3d", "cinema2k", 3, 700, 500, 12},
    {"dci-4k-24", "cinema4k", 3, 700, 500, 12},
    {"imf-2k-24-m3-s1", "imf-2k", 3, 700, 500, 10},
    {"imf-4k", "imf-4k", 1, 700, 500, 16},
    {"imf-8k", "imf-8k", 3, 700, 500, 8},
    {"imf-2k-r", "imf-2k-r", 3, 700, 500, 12},
    {"imf-4k-r levels=4", "imf-4k-r", 2, 700, 500, 16},
    {"imf-8k-r levels=3", "imf-8k-r", 3, 700, 500, 9},
    {"imf-2k-r tile=1024,1024", "imf-2k-r", 1, 2048, 1556, 8},
    {"broadcast-single-25-m2", "broadcast-single", 4, 700, 500, 10},
    {"broadcast-multi-25-m2", "broadcast-multi", 3, 700, 500, 12},
    {"broadcast-multi-r", "broadcast-multi-r", 3, 700, 500, 8},
    {"kb-access", "kb-access", 3, 1300, 1200, 8},
    {"ndnp", "ndnp", 1, 1300, 1200, 8},
    {"bodleian", "bodleian", 3, 900, 700, 16},
    {"bodleian", "bodleian", 1, 900, 700, 1},
    {"bodleian-lossy", "bodleian-lossy", 3, 900, 700, 8},
    {"bl-newspaper", "bl-newspaper", 3, 900, 700, 8},
    {"bl-newspaper", "bl-newspaper", 1, 900, 700, 8},
    {"archive-lossless", "jp2", 3, 700, 500, 8},
    {"iiif-lossless", "jp2", 3, 700, 500, 8},
    {"iiif-lossy", "jp2", 1, 700, 500, 16},
    {"wellcome", "jp2", 3, 900, 700, 8},
    {"ht-archive", "ht-archive", 3, 1300, 1200, 16},
    {"dicom-htj2k-rpcl", "dicom-htj2k-rpcl", 1, 2200, 700, 16},
    {"dicom-htj2k-rpcl", "dicom-htj2k-rpcl", 3, 700, 500, 8},
    {"imf-ht-rev", "imf-ht-rev", 4, 700, 500, 8},
    {"imf-ht-irv step=0.01", "imf-ht-irv", 3, 700, 500, 10},
    {"imf-ht-irv qfactor=90", "imf-ht-irv", 3, 700, 500, 12},
    {"imf-ht-irv bpp=2", "imf-ht-irv", 3, 700, 500, 8},
    {"imf-ht-irv rates=12", "imf-ht-irv", 3, 700, 500, 16},
    {"imf-ht-irv psnr=42", "imf-ht-irv", 1, 700, 500, 10},
    {"imf-ht-irv max-bytes=20000", "imf-ht-irv", 3, 700, 500, 12},
};

/* The least side leaves targets of bytes room for the headers. */
TEST_EACH(random_sizes, sizeof shapes / sizeof shapes[0])
{
    const shape *s = &shapes[_i];
    int has_target = strstr(s->preset, "bpp=") || strstr(s->preset, "rates=") || !strcmp(s->profile, "ndnp") ||
                     !strcmp(s->profile, "kb-access") || !strcmp(s->profile, "jp2") ||
                     !strcmp(s->profile, "bodleian-lossy");
    uint32_t state = 77u + (uint32_t)_i, least = has_target ? 200 : 1;
    for (unsigned n = 0; n < (case_long() ? 12 : 8); n++) { /* two large ones, or six */
        uint32_t width = picture_between(&state, least, n < 6 ? least + 60 : s->most_width),
                 height = picture_between(&state, least, n & 1 ? least + 60 : s->most_height);
        owned_picture p = picture_draw(n % 3 ? PICTURE_NATURAL
                                       : n   ? PICTURE_NOISE
                                             : PICTURE_FLAT,
                                       width, height, s->components, s->depth, n);
        const char *settings = test_print("preset=%s%s", s->preset, strcmp(s->profile, "jp2") ? "" : " container=jp2");
        const char *what = test_print("%s, %u x %u", settings, width, height);
        owned_outcome o = case_encode(what, &p, settings, NULL);
        walk(&o, s->profile, NULL);
        owned_picture back = case_decode(what, &o, &(decode_options){.keep_indices = 1});
    }
}

/* ST 2067-21 asks for one more bit of B where there are more than five levels. */
TEST(imf_ht_with_six_levels)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 2100, 40, 3, 12, 5);
    owned_outcome o = case_encode("six levels", &p, "preset=imf-ht-rev levels=6", NULL);
    walk(&o, "imf-ht-rev", NULL);
}

/* Every preset in the list is one of the above, or refuses what it cannot do without. */
TEST(no_preset_is_left_out)
{
    size_t count;
    const wvl_preset *presets = wvl_presets(&count);
    for (size_t i = 0; i < count; i++) {
        int found = !strcmp(presets[i].name, "kb-master"); /* its suite is that of the profiles */
        for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
            size_t n = strlen(presets[i].name);
            found |= !strncmp(shapes[k].preset, presets[i].name, n) &&
                     (!shapes[k].preset[n] || shapes[k].preset[n] == '-' || shapes[k].preset[n] == ' ');
        }
        ck_assert_msg(found, "%s is not tried", presets[i].name);
    }
}

TEST_MAIN("presets")
