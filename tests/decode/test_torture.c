/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of the torture matrix, groups A to F, that conformance/builtin.tsv lacks, and a few for devices: each is one
 * combination that has broken some codec. Rows name a real picture;
 * without it a drawn one of the same shape stands in. Large pictures are cut unless WVL_LONG is set. */
#include "tests/decode/cases.h"
#include "tests/support/support.h"

enum { LL, NEAR };

typedef struct row {
    const char *id, *file;
    uint32_t width, height, count; /* of the drawn picture */
    uint8_t depth, is_signed;
    uint8_t check, limit; /* NEAR: greatest error */
    uint32_t crop_width, crop_height, x0, y0;
    const char *settings;
} row;

#define KODIM3 "kodim03.png", 768, 512, 3, 8, 0
#define KODIM5 "kodim05.png", 768, 512, 3, 8, 0
#define UMBRA "umbra_mount_yasur.tiff", 512, 512, 1, 8, 0
#define M13 "M13_blue_0001.pgm", 1392, 1040, 1, 16, 0
#define FLOWER(n) "flower_small.g.depth" #n ".pgm", 510, 532, 1, n, 0
#define FLOWER16 "flower_small.rgb.depth16.ppm", 510, 532, 3, 16, 0
#define WHOLE 0, 0, 0, 0
#define CUT(w, h) w, h, 0, 0
#define AT(x, y) 0, 0, x, y

static const row rows[] = {
    {"A09", "sintel_16.png", 1024, 436, 3, 8, 0, LL, 0, WHOLE, ""},
    {"A11", "cog_cmap.tif", 1024, 1024, 1, 8, 0, LL, 0, WHOLE, ""},
    {"B07", KODIM5, LL, 0, CUT(7, 7), ""},
    {"B11", KODIM5, LL, 0, CUT(127, 129), ""},
    {"B13", KODIM5, LL, 0, CUT(513, 511), ""},
    {"C02", KODIM3, LL, 0, WHOLE, "tile=33,33"},
    {"C07", KODIM3, LL, 0, WHOLE, "tile=1024,1024"},
    {"C11", KODIM3, LL, 0, AT(17, 12),
     "levels=7 tile=37,37 tile-offset=8,2 precincts=[16,16] block=8,64 progression=PCRL layers=2 sop=yes eph=yes"},
    {"C15", KODIM3, LL, 0, AT(50, 50), ""},
    {"D01", "kodim05.png", 8, 12, 1, 8, 0, LL, 0, 8, 12, 4, 4,
     "levels=1 tile=12,12 tile-offset=4,0 precincts=[2,2],[1,1] progression=RPCL sop=yes eph=yes mct=off"},
    {"D08", "c1p0_11_0.pgx", 128, 1, 1, 8, 0, LL, 0, CUT(128, 1), "levels=0 precincts=[128,2] style=SEGSYM eph=yes"},
    {"D09", KODIM3, LL, 0, WHOLE, "block=4,4"},
    {"D28", KODIM3, LL, 0, WHOLE, "style=63"},
    {"D32", UMBRA, LL, 0, WHOLE, "block=4,4 style=TERMALL+SEGSYM+PTERM sop=yes eph=yes"},
    {"D33", M13, NEAR, 3, WHOLE,
     "reversible=no precincts=[256,256],[256,256],[128,128] style=BYPASS progression=RPCL sop=yes eph=yes "
     "rates=320,160,80,40,20,15,12,10,8,6,4,1"},
    {"E05", KODIM3, LL, 0, WHOLE,
     "tile=200,150 precincts=[64,64] layers=5 sop=yes eph=yes plt=yes tlm=yes progression=CPRL"},
    {"E24", KODIM3, LL, 0, WHOLE, "layers=2 progression-changes=0,0,1,6,3,LRCP/0,0,2,6,3,RPCL"},
    {"E27", KODIM3, LL, 0, WHOLE, "tile=64,64 packed-headers=ppt sop=yes eph=yes"},
    {"E28", KODIM3, LL, 0, CUT(512, 512), "tile=16,16 sop=yes eph=yes"},
    {"F13", FLOWER(16), LL, 0, WHOLE, ""},
    {"F14", FLOWER(1), NEAR, 0, WHOLE, "reversible=no step=0.05"},
    {"F21", "cog_int16.tif", 900, 700, 1, 16, 1, LL, 0, WHOLE, "tile=512,512"},
    {"F23", "c1p0_03_0.pgx", 256, 256, 1, 4, 1, LL, 0, WHOLE,
     "levels=1 tile=128,128 progression=PCRL layers=8 sop=yes roi=rect=0,0,128,128"},
    {"F25", FLOWER16, NEAR, 2, WHOLE, "reversible=no step=0.000003"},
    {"F29", "flower_small.rgba.depth8.pam", 510, 532, 4, 8, 0, LL, 0, WHOLE, "container=jp2"},
};

static picture fetch(const row *r)
{
    picture p;
    if (!picture_load(r->file, NULL, &p)) {
        if (picture_folder()) {
            printf("%s: %s is not there, a drawn picture stands in\n", r->id, r->file);
        }
        p = picture_draw(PICTURE_NATURAL, r->width, r->height, r->count, r->depth, r->id[1] * 7u + r->id[2]);
        for (uint32_t c = 0; c < p.count && r->is_signed; c++) {
            p.planes[c].is_signed = 1;
            for (size_t i = 0; i < (size_t)p.planes[c].width * p.planes[c].height; i++) {
                p.planes[c].samples[i] -= 1 << (r->depth - 1);
            }
        }
    }
    while (p.count > r->count) {
        free(p.planes[--p.count].samples);
    }
    if (r->crop_width) {
        picture_crop(&p, 0, 0, r->crop_width, r->crop_height);
    } else if (!case_long() && (uint64_t)p.x1 * p.y1 > (case_emulated() ? 130000 : 800000)) {
        uint32_t whole = p.count > 1 ? 480 : 720, side = case_emulated() ? 360 : whole, w = p.x1 < side ? p.x1 : side,
                 h = p.y1 < side ? p.y1 : side;
        picture_crop(&p, (p.x1 - w) / 2, (p.y1 - h) / 2, w, h);
    }
    if (r->x0 || r->y0) {
        picture_place(&p, r->x0, r->y0);
    }
    return p;
}

TEST_EACH(row_holds, sizeof rows / sizeof rows[0])
{
    const row *r = &rows[_i];
    owned_picture p = fetch(r);
    if (r->check == LL) {
        case_lossless(r->id, &p, r->settings, NULL);
    } else {
        case_near(r->id, &p, r->settings, r->limit);
    }
}

/* ---- Rows of their own ----------------------------------------------------------------------- */

/* F35, F37, F39 */
TEST(subsampling_and_many_components)
{
    static const wvl_component_format sparse = {8, 0, 255, 255}, halves[3] = {{8, 0, 1, 1}, {8, 0, 2, 2}, {8, 0, 2, 2}};
    wvl_image_format format = {sizeof format, 1, 1, 352, 288, 3, halves};
    owned_picture p = picture_draw_format(PICTURE_NATURAL, &format, 34);
    case_lossless("F35", &p, "mct=off precincts=[32,32] progression=RPCL", NULL);
    fuzz_picture_free(&p);
    format = (wvl_image_format){sizeof format, 0, 0, 255 * 300, 255 * 200, 1, &sparse};
    p = picture_draw_format(PICTURE_NATURAL, &format, 37);
    case_lossless("F37", &p, "", NULL);
    fuzz_picture_free(&p);
    p = picture_draw(PICTURE_NOISE, 1, 1, 257, 8, 39);
    case_lossless(
        "F39", &p,
        "levels=1 block=32,32 style=PTERM progression=RLCP overrides=C5:levels=0;block=16,16/C256:guard-bits=4 "
        "progression-changes=T1=0,0,1,1,257,RLCP/T1=1,0,1,2,257,RLCP roi=c=0,U=12",
        NULL);
}

int main(void)
{
    if (!picture_folder()) {
        printf("WVL_TEST_PICTURES is not set: drawn pictures stand in for the real ones\n");
    }
    return test_run_suite("torture");
}
