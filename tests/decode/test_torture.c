/* SPDX-License-Identifier: BSD-2-Clause */
/* The torture matrix, groups A to F: each row is one combination that has broken some codec. Rows name a real picture;
 * without it a drawn one of the same shape stands in. Large pictures are cut unless WVL_LONG is set. */
#include "tests/decode/cases.h"
#include "tests/support/owned.h"
#include "tests/support/support.h"

enum { LL, NEAR, STRUCTURE };

typedef struct row {
    const char *id, *file, *raw;
    uint32_t width, height, count; /* of the drawn picture */
    uint8_t depth, is_signed;
    uint8_t check, limit; /* NEAR: greatest error */
    uint32_t crop_width, crop_height, x0, y0;
    const char *settings;
} row;

#define KODIM3 "kodim03.png", NULL, 768, 512, 3, 8, 0
#define KODIM5 "kodim05.png", NULL, 768, 512, 3, 8, 0
#define SPIDER "ic_spider_web_g8.png", NULL, 1024, 1024, 1, 8, 0
#define GATE "GoldenGate_srgb16.tif", NULL, 512, 512, 3, 16, 0
#define UMBRA "umbra_mount_yasur.tiff", NULL, 512, 512, 1, 8, 0
#define M13 "M13_blue_0001.pgm", NULL, 1392, 1040, 1, 16, 0
#define FLOWER(n) "flower_small.g.depth" #n ".pgm", NULL, 510, 532, 1, n, 0
#define FLOWER16 "flower_small.rgb.depth16.ppm", NULL, 510, 532, 3, 16, 0
#define WHOLE 0, 0, 0, 0
#define CUT(w, h) w, h, 0, 0
#define AT(x, y) 0, 0, x, y

static const row rows[] = {
    {"A01", KODIM3, LL, 0, WHOLE, ""},
    {"A02", SPIDER, LL, 0, WHOLE, ""},
    {"A03", GATE, LL, 0, WHOLE, ""},
    {"A09", "sintel_16.png", NULL, 1024, 436, 3, 8, 0, LL, 0, WHOLE, ""},
    {"A10", UMBRA, LL, 0, WHOLE, ""},
    {"A11", "cog_cmap.tif", NULL, 1024, 1024, 1, 8, 0, LL, 0, WHOLE, ""},
    {"B01", KODIM5, LL, 0, CUT(1, 1), ""},
    {"B02", KODIM5, LL, 0, CUT(1, 2), ""},
    {"B03", KODIM5, LL, 0, CUT(2, 1), ""},
    {"B05", "kodim05.png", NULL, 1000, 1, 3, 8, 0, LL, 0, CUT(1000, 1), ""},
    {"B06", KODIM5, LL, 0, CUT(3, 5), ""},
    {"B07", KODIM5, LL, 0, CUT(7, 7), ""},
    {"B09", KODIM5, LL, 0, CUT(64, 64), ""},
    {"B10", KODIM5, LL, 0, CUT(65, 63), ""},
    {"B11", KODIM5, LL, 0, CUT(127, 129), ""},
    {"B13", KODIM5, LL, 0, CUT(513, 511), ""},
    {"B14", KODIM5, NEAR, 1, CUT(1, 1), "reversible=no step=0.0005"},
    {"B15", KODIM5, NEAR, 1, CUT(1, 17), "reversible=no step=0.0005"},
    {"B17", KODIM5, NEAR, 1, CUT(5, 3), "reversible=no step=0.0005"},
    {"B18", KODIM5, LL, 0, CUT(32, 32), "levels=32"},
    {"B19", KODIM5, LL, 0, CUT(1, 1), "levels=32"},
    {"B21", KODIM3, LL, 0, WHOLE, "levels=10"},
    {"C02", KODIM3, LL, 0, WHOLE, "tile=33,33"},
    {"C03", KODIM3, LL, 0, WHOLE, "tile=32,32"},
    {"C04", KODIM3, LL, 0, CUT(16, 16), "tile=1,1"},
    {"C06", KODIM3, LL, 0, WHOLE, "tile=768,1"},
    {"C07", KODIM3, LL, 0, WHOLE, "tile=1024,1024"},
    {"C08", KODIM3, STRUCTURE, 0, WHOLE, "tile=4294967295,4294967295"},
    {"C10", KODIM3, LL, 0, AT(5, 128), "tile=127,126 tile-offset=1,101"},
    {"C11", KODIM3, LL, 0, AT(17, 12),
     "levels=7 tile=37,37 tile-offset=8,2 precincts=[16,16] block=8,64 progression=PCRL layers=2 sop=yes eph=yes"},
    {"C12", KODIM3, LL, 0, AT(1, 1), ""},
    {"C14", KODIM5, LL, 0, 1, 1, 1, 1, ""},
    {"C15", KODIM3, LL, 0, AT(50, 50), ""},
    {"C16", KODIM3, STRUCTURE, 0, 200, 150, 2147483000, 2147483000, ""},
    {"D01", "kodim05.png", NULL, 8, 12, 1, 8, 0, LL, 0, 8, 12, 4, 4,
     "levels=1 tile=12,12 tile-offset=4,0 precincts=[2,2],[1,1] progression=RPCL sop=yes eph=yes mct=off"},
    {"D04", KODIM3, LL, 0, WHOLE, "precincts=[32768,32768]"},
    {"D05", KODIM3, LL, 0, WHOLE, "precincts=[256,256],[256,256],[128,128] progression=RPCL"},
    {"D06", KODIM3, LL, 0, WHOLE, "precincts=[64,64]"},
    {"D08", "c1p0_11_0.pgx", NULL, 128, 1, 1, 8, 0, LL, 0, CUT(128, 1),
     "levels=0 precincts=[128,2] style=SEGSYM eph=yes"},
    {"D09", KODIM3, LL, 0, WHOLE, "block=4,4"},
    {"D10", KODIM3, LL, 0, WHOLE, "block=4,1024"},
    {"D12", KODIM3, LL, 0, WHOLE, "block=8,512"},
    {"D13", KODIM3, LL, 0, WHOLE, "block=512,8"},
    {"D14", KODIM3, LL, 0, WHOLE, "block=16,256"},
    {"D16", KODIM3, LL, 0, WHOLE, "block=128,32"},
    {"D17", KODIM3, LL, 0, WHOLE, "block=64,32"},
    {"D21", KODIM3, LL, 0, WHOLE, "style=BYPASS"},
    {"D22", KODIM3, LL, 0, WHOLE, "style=RESET"},
    {"D24", KODIM3, LL, 0, WHOLE, "style=VSC"},
    {"D25", KODIM3, LL, 0, WHOLE, "style=PTERM"},
    {"D26", KODIM3, LL, 0, WHOLE, "style=SEGSYM"},
    {"D28", KODIM3, LL, 0, WHOLE, "style=63"},
    {"D29", KODIM3, LL, 0, WHOLE, "style=TERMALL+PTERM"},
    {"D30", KODIM3, LL, 0, WHOLE, "style=BYPASS+VSC+SEGSYM"},
    {"D32", UMBRA, LL, 0, WHOLE, "block=4,4 style=TERMALL+SEGSYM+PTERM sop=yes eph=yes"},
    {"D33", M13, NEAR, 3, WHOLE,
     "reversible=no precincts=[256,256],[256,256],[128,128] style=BYPASS progression=RPCL sop=yes eph=yes "
     "rates=320,160,80,40,20,15,12,10,8,6,4,1"},
    {"E01", KODIM3, LL, 0, WHOLE,
     "tile=200,150 precincts=[64,64] layers=5 sop=yes eph=yes plt=yes tlm=yes progression=LRCP"},
    {"E03", KODIM3, LL, 0, WHOLE,
     "tile=200,150 precincts=[64,64] layers=5 sop=yes eph=yes plt=yes tlm=yes progression=RPCL"},
    {"E04", KODIM3, LL, 0, WHOLE,
     "tile=200,150 precincts=[64,64] layers=5 sop=yes eph=yes plt=yes tlm=yes progression=PCRL"},
    {"E05", KODIM3, LL, 0, WHOLE,
     "tile=200,150 precincts=[64,64] layers=5 sop=yes eph=yes plt=yes tlm=yes progression=CPRL"},
    {"E11", KODIM5, LL, 0, CUT(64, 64), "layers=65535"},
    {"E20", KODIM3, LL, 0, WHOLE, "tile=256,256 precincts=[128,128] progression=RPCL tlm=yes tile-parts=R"},
    {"E21", KODIM3, LL, 0, WHOLE, "tile=256,256 precincts=[256,256],[256,256] layers=5 tile-parts=L"},
    {"E23", KODIM3, LL, 0, WHOLE, "layers=2 progression=RLCP progression-changes=0,0,2,3,3,RLCP/3,0,2,6,3,CPRL"},
    {"E24", KODIM3, LL, 0, WHOLE, "layers=2 progression-changes=0,0,1,6,3,LRCP/0,0,2,6,3,RPCL"},
    {"E27", KODIM3, LL, 0, WHOLE, "tile=64,64 packed-headers=ppt sop=yes eph=yes"},
    {"E28", KODIM3, LL, 0, CUT(512, 512), "tile=16,16 sop=yes eph=yes"},
    {"F01", FLOWER(1), LL, 0, WHOLE, ""},
    {"F02", FLOWER(2), LL, 0, WHOLE, ""},
    {"F03", FLOWER(3), LL, 0, WHOLE, ""},
    {"F05", FLOWER(5), LL, 0, WHOLE, ""},
    {"F06", FLOWER(7), LL, 0, WHOLE, ""},
    {"F07", FLOWER(9), LL, 0, WHOLE, ""},
    {"F09", FLOWER(11), LL, 0, WHOLE, ""},
    {"F10", FLOWER(13), LL, 0, WHOLE, ""},
    {"F11", FLOWER(14), LL, 0, WHOLE, ""},
    {"F13", FLOWER(16), LL, 0, WHOLE, ""},
    {"F14", FLOWER(1), NEAR, 0, WHOLE, "reversible=no step=0.05"},
    /* OpenJPEG's 2/K is 3e-5 off, two units of 65535 on a hard edge */
    {"F15", FLOWER(16), NEAR, 2, WHOLE, "reversible=no step=0.000003"},
    {"F21", "cog_int16.tif", NULL, 900, 700, 1, 16, 1, LL, 0, WHOLE, "tile=512,512"},
    {"F23", "c1p0_03_0.pgx", NULL, 256, 256, 1, 4, 1, LL, 0, WHOLE,
     "levels=1 tile=128,128 progression=PCRL layers=8 sop=yes roi=rect=0,0,128,128"},
    {"F25", FLOWER16, NEAR, 2, WHOLE, "reversible=no step=0.000003"},
    {"F26", FLOWER16, LL, 0, WHOLE, "mct=on"},
    {"F27", KODIM3, LL, 0, WHOLE, "mct=off"},
    {"F29", "flower_small.rgba.depth8.pam", NULL, 510, 532, 4, 8, 0, LL, 0, WHOLE, "container=jp2"},
    {"F34", "foreman_420.yuv", "352,288,3,8,u@1x1:2x2:2x2", 0, 0, 0, 0, 0, LL, 0, WHOLE, "mct=off"},
    {"F42", "MR2.pgm", NULL, 1024, 1024, 1, 12, 0, NEAR, 1, WHOLE, "reversible=no guard-bits=1 step=0.00005"},
    {"F43", KODIM3, LL, 0, WHOLE, "guard-bits=0"},
};

/* 4:2:0 of any size and place. */
static picture draw_420(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1)
{
    static const wvl_component_format components[3] = {{8, 0, 1, 1}, {8, 0, 2, 2}, {8, 0, 2, 2}};
    wvl_image_format format = {sizeof format, x0, y0, x1, y1, 3, components};
    return picture_draw_format(PICTURE_NATURAL, &format, 34);
}

static picture fetch(const row *r)
{
    picture p;
    if (!picture_load(r->file, r->raw, &p)) {
        if (picture_folder()) {
            printf("%s: %s is not there, a drawn picture stands in\n", r->id, r->file);
        }
        p = r->raw ? draw_420(0, 0, 352, 288)
                   : picture_draw(PICTURE_NATURAL, r->width, r->height, r->count, r->depth, r->id[1] * 7u + r->id[2]);
        for (uint32_t c = 0; c < p.count && r->is_signed; c++) {
            p.planes[c].is_signed = 1;
            for (size_t i = 0; i < (size_t)p.planes[c].width * p.planes[c].height; i++) {
                p.planes[c].samples[i] -= 1 << (r->depth - 1);
            }
        }
    }
    while (r->count && p.count > r->count) {
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
    switch (r->check) {
    case LL: case_lossless(r->id, &p, r->settings, NULL); break;
    case NEAR: case_near(r->id, &p, r->settings, r->limit); break;
    default: case_structure(r->id, &p, r->settings);
    }
}

/* ---- Rows of their own ----------------------------------------------------------------------- */

/* E09: every layer decodes, quality rises, the last is exact. */
TEST(twenty_layers)
{
    owned_picture p = {0};
    if (!picture_load("kodim03.png", NULL, &p)) {
        p = picture_draw(PICTURE_NATURAL, 768, 512, 3, 8, 3);
    }
    case_layers("E09", &p, "layers=20", 20);
}

/* F35, F37, F39 */
TEST(subsampling_and_many_components)
{
    static const wvl_component_format sparse = {8, 0, 255, 255};
    wvl_image_format format = {sizeof format, 0, 0, 255 * 300, 255 * 200, 1, &sparse};
    owned_picture p = draw_420(1, 1, 352, 288);
    case_lossless("F35", &p, "mct=off precincts=[32,32] progression=RPCL", NULL);
    fuzz_picture_free(&p);
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
