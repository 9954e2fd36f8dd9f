/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Visual weights do what they are for: at the same bytes the decoded picture has less error as eyes weigh it, and more
 * as it is. The error is taken apart here, by a wavelet transform of its own, from pictures that OpenJPEG decodes.
 */
#include <math.h>

#include "tests/decode/cases.h"
#include "tests/support/support.h"

/* ---- The eye --------------------------------------------------------------------------------- */

#define LEVELS 5
#define LONGEST 4096
enum { LUMA, CB, CR };

/* 9/7 in lifting steps (F.4.8.2) on n samples from an even place on, in both directions; low-pass samples keep even
 * places. */
static void step(double *v, int n, int first, double factor)
{
    for (int i = first; i < n; i += 2) {
        v[i] += factor * (v[i ? i - 1 : 1] + v[i + 1 < n ? i + 1 : n - 2]);
    }
}

static const double factors[4] = {-1.586134342059924, -0.052980118572961, 0.882911075530934, 0.443506852043971},
                    K = 1.230174104914001;

static void forward(double *v, int n)
{
    for (int s = 0; s < 4 && n > 1; s++) {
        step(v, n, s % 2 == 0, factors[s]);
    }
    for (int i = 0; i < n && n > 1; i++) {
        v[i] *= i % 2 ? K : 1.0 / K;
    }
}

static void inverse(double *v, int n)
{
    for (int i = 0; i < n && n > 1; i++) {
        v[i] *= i % 2 ? 1.0 / K : K;
    }
    for (int s = 4; s-- > 0 && n > 1;) {
        step(v, n, s % 2 == 0, -factors[s]);
    }
}

/* Squared norm of what one coefficient far from all borders becomes, by level from 1 on. */
static void find_norms(double low[LEVELS + 1], double high[LEVELS + 1])
{
    static double coarse[LONGEST], fine[LONGEST];
    for (int level = 1; level <= LEVELS; level++) {
        for (int is_high = 0; is_high < 2; is_high++) {
            int n = LONGEST >> level, at = n / 2;
            memset(coarse, 0, sizeof coarse);
            coarse[at] = 1.0;
            for (int l = level; l; l--, n *= 2) {
                memset(fine, 0, sizeof fine);
                for (int i = 0; i < n; i++) {
                    fine[2 * i + (l == level && is_high)] = coarse[i];
                }
                inverse(fine, 2 * n);
                memcpy(coarse, fine, sizeof coarse);
            }
            double sum = 0.0;
            for (int i = 0; i < n; i++) {
                sum += coarse[i] * coarse[i];
            }
            (is_high ? high : low)[level] = sum;
        }
    }
}

/* Transforms lines of `count` samples; elements from sample to sample, and from line to line. */
static void forward_lines(double *plane, int lines, int count, int along, int across)
{
    static double line[LONGEST];
    for (int l = 0; l < lines; l++) {
        for (int i = 0; i < count; i++) {
            line[i] = plane[l * across + i * along];
        }
        forward(line, count);
        for (int i = 0; i < count; i++) { /* low-pass samples first */
            plane[l * across + (i % 2 ? (count + 1) / 2 + i / 2 : i / 2) * along] = line[i];
        }
    }
}

static double energy_of(const double *plane, int width, int x0, int y0, int x1, int y1)
{
    double sum = 0.0;
    for (int y = y0; y < y1; y++) {
        for (int x = x0; x < x1; x++) {
            sum += plane[y * width + x] * plane[y * width + x];
        }
    }
    return sum;
}

/* Amplitudes of Zeng, Daly and Lei, Table 2: HL or LH, HH. */
static double weight_at(int role, int level, int is_diagonal)
{
    static const double table[3][LEVELS][2] = {
        {{0.2758, 0.0901}, {0.8378, 0.7018}, {1, 1}, {1, 1}, {1, 1}},
        {{0.0863, 0.0263}, {0.2564, 0.1362}, {0.4691, 0.3346}, {0.6523, 0.5444}, {0.7797, 0.7078}},
        {{0.1835, 0.0773}, {0.413, 0.2598}, {0.6464, 0.504}, {0.8254, 0.722}, {0.9424, 0.8769}}};
    double amplitude = level > LEVELS ? 1.0 : table[role][level - 1][is_diagonal];
    return amplitude * amplitude;
}

/* Squared error of a plane before eyes; the plane is destroyed. halved: subsampled by two in both directions. */
static double weigh_plane(double *plane, int width, int height, int role, int halved)
{
    double low[LEVELS + 1], high[LEVELS + 1], sum = 0.0;
    int w = width, h = height;
    find_norms(low, high);
    for (int level = 1; level <= LEVELS; level++) {
        forward_lines(plane, w, h, width, 1);
        forward_lines(plane, h, w, 1, width);
        int wl = (w + 1) / 2, hl = (h + 1) / 2;
        double side = energy_of(plane, width, wl, 0, w, hl) + energy_of(plane, width, 0, hl, wl, h),
               corner = energy_of(plane, width, wl, hl, w, h);
        sum += weight_at(role, level + halved, 0) * side * high[level] * low[level] +
               weight_at(role, level + halved, 1) * corner * high[level] * high[level];
        w = wl;
        h = hl;
    }
    sum += energy_of(plane, width, 0, 0, w, h) * low[LEVELS] * low[LEVELS];
    return halved ? 4.0 * sum : sum;
}

static double *difference(const picture *a, const picture *b, uint32_t c)
{
    const picture_plane *p = &a->planes[c], *q = &b->planes[c];
    size_t n = (size_t)p->width * p->height;
    double *plane = malloc(n * sizeof *plane);
    ck_assert_ptr_nonnull(plane);
    ck_assert(p->width == q->width && p->height == q->height);
    for (size_t i = 0; i < n; i++) {
        plane[i] = (double)p->samples[i] - q->samples[i];
    }
    return plane;
}

/* What ICT makes of an error (G.3.1). */
static void turn_colors(double *r, double *g, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double y = 0.299 * r[i] + 0.587 * g[i] + 0.114 * b[i], cb = (b[i] - y) / 1.772, cr = (r[i] - y) / 1.402;
        r[i] = y;
        g[i] = cb;
        b[i] = cr;
    }
}

typedef enum colors {
    AS_RGB,
    AS_LUMA,
    AS_YCC
} colors; /* RGB seen as luminance and chrominance; each for itself; Y, Cb, Cr */

static double weighted_error(const picture *a, const picture *b, colors kind)
{
    static const double norms[3] = {3.0, 1.772 * 1.772 + 0.344136 * 0.344136, 1.402 * 1.402 + 0.714136 * 0.714136};
    double *planes[3], sum = 0.0;
    for (uint32_t c = 0; c < a->count; c++) {
        planes[c] = difference(a, b, c);
    }
    if (kind == AS_RGB) {
        turn_colors(planes[0], planes[1], planes[2], (size_t)a->planes[0].width * a->planes[0].height);
    }
    for (uint32_t c = 0; c < a->count; c++) {
        const picture_plane *p = &a->planes[c];
        double part = weigh_plane(planes[c], (int)p->width, (int)p->height, kind == AS_LUMA ? LUMA : (int)c,
                                  p->dx > a->planes[0].dx);
        sum += kind == AS_RGB ? part * norms[c] : part;
        free(planes[c]);
    }
    return sum;
}

/* ---- At the same bytes ----------------------------------------------------------------------- */

static picture fetch(const char *name, uint32_t count, uint32_t seed)
{
    picture p;
    if (!picture_load(name, NULL, &p)) {
        return picture_draw(PICTURE_NATURAL, 384, 320, count, 8, seed);
    }
    picture_crop(&p, 120, 90, 384, 320);
    return p;
}

static picture draw_ycc(void)
{
    static const wvl_component_format parts[3] = {{8, 0, 1, 1}, {8, 0, 2, 2}, {8, 0, 2, 2}};
    wvl_image_format format = {sizeof format, 0, 0, 352, 288, 3, parts};
    picture p;
    return picture_load("foreman_420.yuv", "352,288,3,8,u@1x1:2x2:2x2", &p)
               ? p
               : picture_draw_format(PICTURE_NATURAL, &format, 40);
}

typedef struct weighed {
    double weighted, psnr, told;
    uint64_t bytes;
} weighed;

static weighed measure(const picture *p, colors kind, const char *settings, const char *more, const wvl_jp2_info *jp2)
{
    const char *all =
        test_print("%s%s%s", settings, more, strstr(settings, "rdoq") ? "" : " rdoq=no"); /* what weights alone do */
    owned_outcome o = case_encode(all, p, all, jp2);
    owned_picture back = case_decode(all, &o, NULL);
    weighed q = {weighted_error(p, &back, kind), fuzz_picture_psnr(p, &back),
                 wvl_result_layer_psnr(o.result, wvl_result_layer_count(o.result) - 1),
                 wvl_result_codestream(o.result).bytes};
    return q;
}

/* Less error before eyes and more in squares, at bytes that differ by less than two hundredths; and the PSNR that is
 * told is the one that is found. */
static void expect_better(const picture *p, colors kind, const char *settings, const wvl_jp2_info *jp2)
{
    weighed plain = measure(p, kind, settings, "", jp2), visual = measure(p, kind, settings, " visual=yes", jp2);
    double gain = 10.0 * log10(plain.weighted / visual.weighted);
    ck_assert_msg(fabs((double)plain.bytes - (double)visual.bytes) < 0.02 * (double)plain.bytes,
                  "\"%s\": %llu bytes, %llu with weights", settings, (unsigned long long)plain.bytes,
                  (unsigned long long)visual.bytes);
    ck_assert_msg(gain > 0.05, "\"%s\": the weighted error is only %.3f dB less", settings, gain);
    ck_assert_msg(visual.psnr < plain.psnr, "\"%s\": %.3f dB, %.3f dB with weights", settings, plain.psnr, visual.psnr);
    double drift = strstr(settings, "reversible=no") ? 0.6 : 1.2; /* estimates of truncated 5/3 are that far off */
    ck_assert_msg(fabs(visual.psnr - visual.told) < drift, "\"%s\": %.3f dB told, %.3f dB found", settings, visual.told,
                  visual.psnr);
    if (getenv("WVL_TEST_VERBOSE")) {
        printf("%s: %.3f dB better, %.3f dB PSNR less, told %.3f found %.3f\n", settings, gain,
               plain.psnr - visual.psnr, visual.told, visual.psnr);
    }
}

TEST(colors_at_the_same_bytes)
{
    static const char *const settings[] = {"reversible=no bpp=0.25",
                                           "reversible=no bpp=1",
                                           "reversible=no bpp=2",
                                           "bpp=1",
                                           "reversible=no bpp=0.7 style=HT",
                                           "reversible=no bpp=0.7 rdoq=yes",
                                           "reversible=no bpp=0.7 tile=128,128",
                                           "reversible=no bpp=0.2,0.5,1 style=BYPASS+TERMALL levels=7 block=32,32",
                                           "reversible=no qfactor=90 max-bytes=15000",
                                           "reversible=no max-component-bytes=5000",
                                           "reversible=no bpp=1 roi=rect=40,50,90,60"};
    owned_picture p = fetch("kodim05.png", 3, 41);
    for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        expect_better(&p, AS_RGB, settings[i], NULL);
    }
}

/* Without the colour transform nothing says that a component is chrominance, but that it is subsampled or that its file
 * says so. */
TEST(other_components_at_the_same_bytes)
{
    owned_picture rgb = fetch("kodim05.png", 3, 41), grey = fetch("ic_spider_web_g8.png", 1, 42), ycc = draw_ycc();
    wvl_jp2_info sycc = {.struct_size = sizeof sycc, .color = WVL_COLOR_SYCC};
    expect_better(&rgb, AS_LUMA, "reversible=no bpp=1 mct=off", NULL);
    expect_better(&rgb, AS_YCC, "reversible=no bpp=1 mct=off container=jp2", &sycc);
    expect_better(&grey, AS_LUMA, "reversible=no bpp=0.5", NULL);
    expect_better(&ycc, AS_YCC, "reversible=no bpp=0.5", NULL);
    expect_better(&ycc, AS_YCC, "bpp=1", NULL);
}

/* ---- Everything, and nothing to weigh -------------------------------------------------------- */

static picture decode_layers(const picture *p, const char *settings, unsigned layers)
{
    owned_outcome o = case_encode(settings, p, settings, NULL);
    picture back = case_decode(settings, &o, &(decode_options){.layers = layers});
    return back;
}

/* Weights order the layers of a picture without loss; the last one completes it. */
TEST(lossless_layers)
{
    owned_picture p = fetch("kodim13.png", 3, 43);
    owned_picture all = decode_layers(&p, "bpp=0.5,0 visual=yes", 0),
                  first = decode_layers(&p, "bpp=0.5,0 visual=yes", 1), plain = decode_layers(&p, "bpp=0.5,0", 1);
    char text[200];
    ck_assert_msg(fuzz_picture_equal(&p, &all, text, sizeof text), "%s", text);
    ck_assert(weighted_error(&p, &first, AS_RGB) < 0.95 * weighted_error(&p, &plain, AS_RGB));
}

TEST(nothing_to_weigh)
{
    static const char *const settings[] = {"levels=5", "reversible=no", "reversible=no qfactor=70", "style=HT"};
    owned_picture p = fetch("kodim13.png", 3, 43);
    for (unsigned i = 0; i < 4; i++) {
        const char *weighted = test_print("%s visual=yes", settings[i]);
        owned_outcome a = case_encode(settings[i], &p, settings[i], NULL),
                      b = case_encode(weighted, &p, weighted, NULL);
        ck_assert_msg(a.bytes == b.bytes && !memcmp(a.data, b.data, a.bytes), "\"%s\": other bytes though all are sent",
                      settings[i]);
    }
}

TEST(refusals)
{
    static const wvl_component_format parts[3] = {{12, 0, 1, 1}, {12, 0, 1, 1}, {12, 0, 1, 1}};
    wvl_image_format format = {sizeof format, 0, 0, 2048, 1080, 3, parts};
    case_refused("psnr", &format, "reversible=no psnr=40 visual=yes", "visual does not go with PSNR");
    case_refused("xyz", &format, "reversible=no bpp=1 input-color=xyz visual=yes", "visual does not go with X");
    case_refused("rgb to xyz", &format, "reversible=no bpp=1 input-color=p3-d65 visual=yes",
                 "visual does not go with X");
    case_refused("cinema", &format, "preset=dci-2k visual=yes", "visual does not go with X");
    case_refused("word", &format, "visual=eye", "yes or no");
}

TEST_MAIN("weights")
