/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures that the device puts together against those of wvl_encode, byte by byte: from coded blocks of both coders,
 * and from blocks that the device codes. Its own device code runs compiled for the CPU (emulate.h), in both orders of
 * threads, and on a device if there is one. Environment: as test_cuda_ht.c.
 */

#include "emulated_suite.h"
#include "packets_case.h"
#include "tests/decode/picture.h"

/* ---- Checks ---------------------------------------------------------------------------------- */

static void check_load(const ht_device *d, packets_case *c, uint32_t pictures, uint64_t room, unsigned flags,
                       const char *name)
{
    packets_load load;
    REQUIRE_THAT(packets_load_open(&load, d, c, pictures, room, flags), "%s: no device memory", name);
    REQUIRE_THAT(!packets_load_run(&load, d), "%s: a launch failed", name);
    const char *wrong = packets_load_check(&load, d, c);
    REQUIRE_THAT(!wrong, "%s (device %d, %s blocks): %s", name, (int)(d - devices),
                 flags & PACKETS_CODES_BLOCKS ? "own" : "given", wrong);
    packets_load_close(&load, d);
}

/* All devices; with HT also from blocks that the device codes. The emulation takes the orders of threads in turn. */
static void check_case(packets_case *c, uint32_t pictures, const char *name)
{
    static int turn;
    for (unsigned i = 0; i < device_count; i++) {
        wvl_emulate_reversed(turn & 1);
        check_load(&devices[i], c, pictures, c->expected_bytes + 9, 0, name);
        if (c->has_list) {
            wvl_emulate_reversed(~turn & 1);
            check_load(&devices[i], c, pictures, c->expected_bytes, PACKETS_CODES_BLOCKS, name);
        }
    }
    turn++;
}

/* A picture with its case; where the settings are refused, c.problem says why. */
typedef struct drawn_case {
    picture picture;
    picture_input input;
    packets_case c;
} drawn_case;

/* The picture becomes the case's. 0: refused. */
static int open_drawn(drawn_case *d, picture p, const char *settings, uint64_t output_bytes_bound)
{
    d->picture = p;
    d->input = picture_open_input(&d->picture, 0);
    return packets_case_open_bound(&d->c, &d->input.format, &d->input.image, settings, output_bytes_bound);
}

static void close_drawn(drawn_case *d)
{
    packets_case_close(&d->c);
    picture_close_input(&d->input);
    fuzz_picture_free(&d->picture);
}

/* 0: the settings are refused. */
static int check_picture(picture p, const char *settings, uint32_t pictures)
{
    drawn_case d;
    int fine = open_drawn(&d, p, settings, 0);
    if (fine) {
        check_case(&d.c, pictures, settings);
    } else if (!getenv("CK_VERBOSITY")) {
        printf("refused: %s: %s\n", settings, d.c.problem);
    }
    close_drawn(&d);
    return fine;
}

static picture draw_natural(void) { return picture_draw(PICTURE_NATURAL, 120, 90, 3, 8, 8); }

/* ---- Cases ----------------------------------------------------------------------------------- */

EMULATED_SUITE(NULL);

/* Every progression, with each marker that follows packets. */
TEST(orders)
{
    static const char *const progressions[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};
    static const char *const markers[] = {"", "sop=yes", "eph=yes plt=yes", "sop=yes eph=yes tlm=yes tile-parts=R",
                                          "plt=yes tlm=yes tile-parts=C tile=70,80"};
    for (unsigned i = 0; i < 5; i++) {
        for (unsigned m = 0; m < 5; m += subset ? 4 : 1 + (i & 1)) {
            char text[256];
            snprintf(text, sizeof text, "style=%s block=16,16 precincts=[64,32] progression=%s %s",
                     (i + m) & 1 ? "0" : "HT", progressions[i], markers[m]);
            REQUIRE_THAT(check_picture(picture_draw(PICTURE_NATURAL, 131, 117, 3, 8, 5), text, 1), "%s", text);
        }
    }
}

/* What the draws below would seldom meet. */
TEST(structures)
{
    static const struct {
        const char *settings;
        uint32_t width, height, count, depth;
        picture_kind kind;
    } rows[] = {
        {"style=HT container=jph plt=yes tlm=yes", 150, 90, 3, 8, PICTURE_NATURAL},
        {"container=jp2 style=TERMALL block=32,32", 90, 70, 3, 12, PICTURE_NATURAL},
        {"style=BYPASS+TERMALL+SEGSYM block=64,4", 90, 70, 1, 16, PICTURE_NOISE},
        {"style=BYPASS reversible=no bpp=2", 120, 90, 3, 8, PICTURE_NATURAL},
        {"style=HT reversible=no qfactor=80 block=16,16", 120, 90, 3, 8, PICTURE_NATURAL},
        {"style=HT sop=yes eph=yes", 64, 64, 1, 8, PICTURE_FLAT},
        {"style=HT block=4,4 levels=1", 40, 300, 1, 8, PICTURE_SPARSE},
        {"block=4,4 levels=0", 300, 9, 1, 8, PICTURE_SPARSE},
        {"style=HT levels=0 tile=1,1", 7, 5, 1, 8, PICTURE_NOISE},
        {"style=HT levels=9 tile=33,21 tile-offset=0,0 plt=yes tlm=yes sop=yes", 70, 50, 3, 10, PICTURE_NATURAL},
        {"progression-changes=0,0,1,2,3,RPCL/0,0,1,6,3,CPRL tile-parts=R plt=yes tlm=yes", 100, 90, 3, 8,
         PICTURE_NATURAL},
        {"style=HT progression-changes=T1=0,0,1,6,1,LRCP/T1=0,0,1,6,3,PCRL tile=60,60", 100, 90, 3, 8, PICTURE_NATURAL},
        {"overrides=C1:block=8,8;levels=2/T2:reversible=no/T3:mct=off;progression=RPCL;sop=yes tile=50,50", 100, 90, 3,
         8, PICTURE_NATURAL},
        {"tile=8,8 tlm=yes levels=1 style=HT", 144, 136, 1, 8, PICTURE_NATURAL}, /* TLM with 16-bit tile indices */
        {"roi=rect=20,20,30,30 levels=3", 100, 90, 1, 8, PICTURE_NATURAL},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        picture p = picture_draw(rows[i].kind, rows[i].width, rows[i].height, rows[i].count, rows[i].depth, i);
        REQUIRE_THAT(check_picture(p, rows[i].settings, 1), "%s", rows[i].settings);
    }
}

/* Packets whose tag nodes lie in memory, and those of more blocks than a turn; blocks that are mostly empty. */
TEST(large_packets)
{
    static const char *const settings[] = {"style=HT block=4,4 levels=1", "block=4,4 levels=1 style=TERMALL eph=yes",
                                           "style=HT block=4,4 levels=2 plt=yes"};
    for (unsigned i = 0; i < (subset ? 1u : 3u); i++) {
        picture p = picture_draw(i == 2 ? PICTURE_SPARSE : PICTURE_NATURAL, i ? 333 : 590, i ? 150 : 500, 1, 8, 3 + i);
        REQUIRE(check_picture(p, settings[i], 1));
    }
}

/* Pictures that may take more than 4 GiB: the header of the codestream's box has 16 bytes where bytes may leave early,
 * also when a device writes it. */
TEST(long_boxes)
{
    static const struct {
        const char *settings;
        unsigned box_bytes;
    } rows[] = {{"style=HT container=jph tile=64,64", 16},
                {"container=jp2 progression=PCRL", 16},
                {"container=jp2", 8},
                {"container=jp2 tile=64,64 bpp=2 rdoq=no reversible=no", 8}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        drawn_case d;
        const char *settings = rows[i].settings;
        REQUIRE_THAT(open_drawn(&d, draw_natural(), settings, UINT64_C(1) << 33), "%s: %s", settings, d.c.problem);
        const uint8_t *box = d.c.expected + d.c.assembly.boxes_bytes;
        REQUIRE_THAT(!memcmp(box + 4, "jp2c", 4) && (box[3] == 1) == (rows[i].box_bytes == 16), "%s", settings);
        REQUIRE_THAT(box[rows[i].box_bytes] == 0xFF && box[rows[i].box_bytes + 1] == 0x4F, "%s", settings);
        check_case(&d.c, 1, settings);
        close_drawn(&d);
    }
}

/* More lengths than one PLT marker segment holds: of empty packets, which are coded fast. */
TEST(many_packets)
{
    uint32_t side = subset ? 90 : 257 * 4;
    picture p = picture_draw(PICTURE_FLAT, side, side, 1, 8, 1);
    for (uint32_t i = 0; i < side * side; i++) {
        p.planes[0].samples[i] = 128 + (i == side * side / 2);
    }
    drawn_case d;
    REQUIRE_THAT(open_drawn(&d, p, "style=HT block=4,4 precincts=[4,4] levels=0 plt=yes", 0), "%s", d.c.problem);
    for (unsigned i = 0; i < device_count; i++) {
        wvl_emulate_reversed(0);
        check_load(&devices[i], &d.c, 1, d.c.expected_bytes, 0, "many packets");
    }
    close_drawn(&d);
}

/* Several pictures in one launch; outputs that are too small are not written. */
TEST(pictures)
{
    drawn_case d;
    REQUIRE_THAT(open_drawn(&d, draw_natural(), "style=HT tile=64,64 plt=yes tlm=yes", 0), "%s", d.c.problem);
    check_case(&d.c, 3, "pictures");
    for (unsigned i = 0; i < device_count; i++) {
        check_load(&devices[i], &d.c, 2, d.c.expected_bytes - 1, 0, "short output");
        check_load(&devices[i], &d.c, 1, 0, PACKETS_CODES_BLOCKS, "no output");
    }
    close_drawn(&d);
}

/* Blocks with SigProp and MagRef, which no plan of one layer asks for yet. */
TEST(refined)
{
    for (unsigned passes = 1; passes <= 3; passes++) {
        drawn_case d;
        REQUIRE_THAT(open_drawn(&d, draw_natural(), "style=HT block=32,16 sop=yes", 0), "%s", d.c.problem);
        REQUIRE(device_count && packets_case_refine(&d.c, &devices[0], passes, passes));
        check_case(&d.c, 1, "refined");
        close_drawn(&d);
    }
}

/* Plans that the tables cannot hold. */
TEST(refusals)
{
    static const char *const settings[] = {"plm=yes tile=30,30", "packed-headers=ppm", "packed-headers=ppt"};
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        drawn_case d;
        REQUIRE_THAT(!open_drawn(&d, draw_natural(), settings[i], 0) && d.c.expected, "%s", settings[i]);
        REQUIRE_THAT(wvl_assembly_refuses(d.c.plan), "%s", settings[i]);
        close_drawn(&d);
    }
}

/* ---- Drawn plans ----------------------------------------------------------------------------- */

#define PICK(list) list[below(sizeof(list) / sizeof *(list))]

static picture draw_format(void)
{
    wvl_component_format components[4];
    wvl_image_format format = {
        .struct_size = sizeof format, .component_count = between(1, 4), .components = components};
    format.x0 = between(0, 1) * between(0, 40);
    format.y0 = between(0, 1) * between(0, 40);
    format.x1 = format.x0 + between(1, 150);
    format.y1 = format.y0 + between(1, 150);
    uint8_t depth = (uint8_t)between(1, 12);
    for (uint32_t i = 0; i < format.component_count; i++) {
        components[i] = (wvl_component_format){depth, 0, 1, 1};
        if (i && !between(0, 2)) {
            components[i].dx = (uint8_t)between(1, 3);
            components[i].dy = (uint8_t)between(1, 3);
        }
    }
    static const picture_kind kinds[] = {PICTURE_NATURAL, PICTURE_NATURAL, PICTURE_NOISE, PICTURE_FLAT, PICTURE_SPARSE};
    return picture_draw_format(PICK(kinds), &format, draw());
}

static void draw_settings(char *text, size_t bytes)
{
    static const char *const styles[] = {"HT", "HT", "HT+VSC", "0", "TERMALL", "BYPASS", "63"},
                             *const progressions[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"},
                             *const precincts[] = {"", " precincts=[32,32]", " precincts=[64,128],[16,8]",
                                                   " precincts=[8,8]", " precincts=[256,16]"},
                             *const rates[] = {"",
                                               "",
                                               " reversible=no",
                                               " reversible=no bpp=6",
                                               " reversible=no qfactor=60",
                                               " bpp=7"},
                             *const parts[] = {"", "", " tile-parts=R", " tile-parts=C", " tile-parts=RC"},
                             *const markers[] = {"", " sop=yes", " eph=yes", " sop=yes eph=yes"},
                             *const boxes[] = {"", "", " container=jph"};
    unsigned xcb = between(2, 6), ycb = between(2, 6);
    int n = snprintf(text, bytes, "style=%s block=%u,%u levels=%u progression=%s%s%s%s%s%s%s", PICK(styles), 1u << xcb,
                     1u << ycb, between(0, 6), PICK(progressions), PICK(precincts), PICK(rates), PICK(parts),
                     PICK(markers), between(0, 1) ? " plt=yes" : "", between(0, 1) ? " tlm=yes" : "");
    if (strstr(text, "HT")) {
        n += snprintf(text + n, bytes - (size_t)n, "%s", PICK(boxes));
    }
    if (between(0, 1)) {
        snprintf(text + n, bytes - (size_t)n, " tile=%u,%u", between(20, 120), between(20, 120));
    }
}

TEST(drawn)
{
    uint32_t taken = 0, count = subset ? 6 : 20;
    seed_suite(77);
    for (uint32_t i = 0; i < count; i++) {
        char text[512];
        picture p = draw_format();
        draw_settings(text, sizeof text);
        taken += (uint32_t)check_picture(p, text, between(1, 2));
    }
    REQUIRE_THAT(taken * 4 >= count * 3, "%u of %u plans were taken", taken, count);
}

TEST_MAIN("cuda_packets")
