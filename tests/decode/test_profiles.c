/* SPDX-License-Identifier: BSD-2-Clause */
/* What keeps a picture or an option from a profile is refused and named, all of it; what shows only in the bytes is
 * found before they leave. */

#include "tests/decode/cases.h"
#include "tests/support/api.h"
#include "tests/support/icc.h"

#define RGB12 64, 48, 3, 12
#define RGB8 64, 48, 3, 8

typedef struct row {
    const char *settings, *reason;
    uint32_t width, height, count;
    uint8_t depth, is_signed, dx, dy; /* dx, dy: of components 1 and 2 */
} row;

/* Each settings text differs in one thing from what the preset accepts. */
static const row rows[] = {
    {"preset=dci-2k", "cinema2k: 2049,48", 2049, 48, 3, 12, 0, 0, 0},
    {"preset=dci-2k", "cinema2k: 64,1081", 64, 1081, 3, 12, 0, 0, 0},
    {"preset=dci-4k", "cinema4k: 4097,48", 4097, 48, 3, 12, 0, 0, 0},
    {"preset=dci-4k", "cinema4k: 64,2161", 64, 2161, 3, 12, 0, 0, 0},
    {"preset=dci-2k", "2 components; three", 64, 48, 2, 12, 0, 0, 0},
    {"preset=dci-2k", "4 components", 64, 48, 4, 12, 0, 0, 0},
    {"preset=dci-2k", "component 0: depth 10; 12 bits", 64, 48, 3, 10, 0, 0, 0},
    {"preset=dci-2k", "depth 12 signed", 64, 48, 3, 12, 1, 0, 0},
    {"preset=dci-2k", "component 1: subsampling 2,1", 64, 48, 3, 12, 0, 2, 1},
    {"preset=dci-2k tile=32,48", "tile 32,48", RGB12, 0, 0, 0},
    {"preset=dci-2k levels=4", "levels 4; 5", RGB12, 0, 0, 0},
    {"preset=dci-4k levels=5", "levels 5; 6", RGB12, 0, 0, 0},
    {"preset=dci-2k guard-bits=2", "guard-bits 2; 1", RGB12, 0, 0, 0},
    {"preset=dci-4k guard-bits=1", "guard-bits 1; 2", RGB12, 0, 0, 0},
    {"preset=dci-2k quantization=derived", "expounded", RGB12, 0, 0, 0},
    {"preset=dci-2k sop=yes", "SOP and EPH", RGB12, 0, 0, 0},
    {"preset=dci-2k eph=yes", "SOP and EPH", RGB12, 0, 0, 0},
    {"preset=dci-2k plt=yes", "PLT, PLM and CRG", RGB12, 0, 0, 0},
    {"preset=dci-2k plm=yes", "PLT, PLM and CRG", RGB12, 0, 0, 0},
    {"preset=dci-2k registration=[1,1]", "PLT, PLM and CRG", RGB12, 0, 0, 0},
    {"preset=dci-2k packed-headers=ppm", "packed packet headers", RGB12, 0, 0, 0},
    {"preset=dci-2k mct=off", "mct off", RGB12, 0, 0, 0},
    {"preset=dci-2k reversible=yes", "reversible yes; no", RGB12, 0, 0, 0},
    {"preset=dci-2k progression=RPCL", "progression RPCL; CPRL", RGB12, 0, 0, 0},
    {"preset=dci-2k layers=2", "2 layers; one", RGB12, 0, 0, 0},
    {"preset=dci-2k tile-parts=R", "by component", RGB12, 0, 0, 0},
    {"preset=dci-2k tile-parts=none", "by component", RGB12, 0, 0, 0},
    {"preset=dci-2k tlm=no", "tlm no", RGB12, 0, 0, 0},
    {"preset=dci-2k block=64,64", "block 64,64; 32,32", RGB12, 0, 0, 0},
    {"preset=dci-2k style=SEGSYM", "style 32; 0", RGB12, 0, 0, 0},
    {"preset=dci-2k precincts=[256,256]", "precincts must be", RGB12, 0, 0, 0},
    {"preset=dci-2k progression-changes=0,0,1,6,3,CPRL", "progression changes are not", RGB12, 0, 0, 0},
    {"preset=dci-4k progression-changes=", "2K part first", RGB12, 0, 0, 0},
    {"preset=dci-4k progression-changes=0,0,1,5,3,CPRL/5,0,1,7,3,CPRL", "2K part first", RGB12, 0, 0, 0},
    {"preset=dci-2k frame-rate=23", "frame-rate 23/1", RGB12, 0, 0, 0},
    {"preset=dci-2k frame-rate=23.976", "frame-rate 24000/1001", RGB12, 0, 0, 0},
    {"preset=dci-2k max-bytes=1302084", "at most 1302083", RGB12, 0, 0, 0},
    {"preset=dci-2k max-component-bytes=1041667", "at most 1041666", RGB12, 0, 0, 0},
    {"preset=dci-2k-48 layer-bytes=651042", "at most 651041", RGB12, 0, 0, 0},
    {"preset=dci-2k-120 bpp=36", "at most 260416", 600, 300, 3, 12, 0, 0, 0},
    {"preset=dci-2k-120 rates=2.9", "at most 260416", 600, 300, 3, 12, 0, 0, 0},

    {"preset=imf-2k", "imf-2k: 2049,48", 2049, 48, 3, 12, 0, 0, 0},
    {"preset=imf-4k", "imf-4k: 64,3113", 64, 3113, 1, 12, 0, 0, 0},
    {"preset=imf-8k", "imf-8k: 8193,48", 8193, 48, 1, 12, 0, 0, 0},
    {"preset=imf-2k tile=32,32", "tile 32,32; one tile", RGB12, 0, 0, 0},
    {"preset=imf-2k-r tile=512,512", "squares of 1024", 2048, 1556, 1, 12, 0, 0, 0},
    {"preset=imf-2k", "4 components; at most 3", 64, 48, 4, 12, 0, 0, 0},
    {"preset=imf-2k", "depth 7; 8 to 16", 64, 48, 3, 7, 0, 0, 0},
    {"preset=imf-2k", "depth 17; 8 to 16", 64, 48, 3, 17, 0, 0, 0},
    {"preset=imf-2k", "component 1: subsampling 2,2", 64, 48, 3, 12, 0, 2, 2},
    {"preset=imf-2k", "component 2: subsampling 4,1", 64, 48, 3, 12, 0, 4, 1},
    {"preset=imf-2k levels=0", "levels 0; 1 to 5", RGB12, 0, 0, 0},
    {"preset=imf-2k levels=6", "levels 6; 1 to 5", RGB12, 0, 0, 0},
    {"preset=imf-8k-r", "levels 6; 1 to 5", 3840, 16, 1, 12, 0, 0, 0},
    {"preset=imf-2k reversible=yes", "reversible yes; no", RGB12, 0, 0, 0},
    {"preset=imf-2k-r reversible=no", "reversible no; yes", RGB12, 0, 0, 0},
    {"preset=imf-2k block=64,64", "block 64,64; 32,32", RGB12, 0, 0, 0},
    {"preset=imf-2k style=1", "style 1; 0", RGB12, 0, 0, 0},
    {"preset=imf-2k precincts=[128,128]", "precincts must be", RGB12, 0, 0, 0},
    {"preset=imf-2k layers=2", "2 layers; one", RGB12, 0, 0, 0},
    {"preset=imf-2k progression=LRCP", "progression LRCP; CPRL", RGB12, 0, 0, 0},
    {"preset=imf-2k progression-changes=0,0,1,6,3,CPRL", "progression changes", RGB12, 0, 0, 0},
    {"preset=imf-2k packed-headers=ppt", "packed packet headers", RGB12, 0, 0, 0},
    {"preset=imf-2k plm=yes", "PLM", RGB12, 0, 0, 0},
    {"preset=imf-2k tile-parts=none", "by component", RGB12, 0, 0, 0},
    {"preset=imf-2k tlm=no", "tlm no", RGB12, 0, 0, 0},
    {"preset=imf-2k-m1-s2", "sub-level 2; main level 1 has at most 1", RGB12, 0, 0, 0},
    {"preset=imf-2k-30-m1-s1", "main level 1 allows 2166666", 2048, 1080, 3, 12, 0, 0, 0},
    {"preset=imf-2k-24-m1-s1 max-bytes=1041667", "at most 1041666", RGB12, 0, 0, 0},

    {"preset=broadcast-single tile=32,24", "2 x 2 tiles; one is", RGB12, 0, 0, 0},
    {"preset=broadcast-multi tile=32,48", "2 x 1 tiles", RGB12, 0, 0, 0},
    {"preset=broadcast-single", "5 components", 64, 48, 5, 12, 0, 0, 0},
    {"preset=broadcast-single", "depth 13; 8 to 12", 64, 48, 3, 13, 0, 0, 0},
    {"preset=broadcast-single", "component 1: subsampling 1,2", 64, 48, 3, 12, 0, 1, 2},
    {"preset=broadcast-single levels=6", "levels 6; 1 to 5", RGB12, 0, 0, 0},
    {"preset=broadcast-single sub-level=1", "sub-level 1", RGB12, 0, 0, 0},
    {"preset=broadcast-single block=16,64", "sides of 32, 64 and 128", RGB12, 0, 0, 0},
    {"preset=broadcast-single style=8", "style 8", RGB12, 0, 0, 0},
    {"preset=broadcast-single precincts=[128,128]", "precincts must be", RGB12, 0, 0, 0},
    {"preset=broadcast-single layers=3", "3 layers", RGB12, 0, 0, 0},
    {"preset=broadcast-single progression=RLCP", "progression RLCP", RGB12, 0, 0, 0},
    {"preset=broadcast-single packed-headers=ppm", "packed packet headers", RGB12, 0, 0, 0},
    {"preset=broadcast-single tile-parts=C tlm=no", "tlm no", RGB12, 0, 0, 0},
    {"preset=broadcast-single tile-parts=RC", "by component", RGB12, 0, 0, 0},
    {"preset=broadcast-single reversible=yes", "reversible yes", RGB12, 0, 0, 0},
    {"preset=broadcast-multi-r reversible=no", "reversible no", RGB12, 0, 0, 0},
    {"preset=broadcast-single-60-m1", "main level 1 allows 1083333", 1280, 720, 3, 10, 0, 0, 0},
    {"preset=broadcast-single-25-m1 max-bytes=1000001", "at most 1000000", RGB12, 0, 0, 0},

    {"preset=kb-access", "1 component; 3 are", 64, 48, 1, 8, 0, 0, 0},
    {"preset=kb-access", "component 0: depth 16; 8 bits", 64, 48, 3, 16, 0, 0, 0},
    {"preset=kb-access mct=off", "colour transform", RGB8, 0, 0, 0},
    {"preset=kb-access tile=512,512", "tile 512,512; 1024,1024", RGB8, 0, 0, 0},
    {"preset=kb-access levels=6", "levels 6; 5", RGB8, 0, 0, 0},
    {"preset=kb-access layers=9", "9 layers; 8", RGB8, 0, 0, 0},
    {"preset=kb-access progression=LRCP", "progression LRCP; RPCL", RGB8, 0, 0, 0},
    {"preset=kb-access block=32,32", "block 32,32; 64,64", RGB8, 0, 0, 0},
    {"preset=kb-access style=0", "style 0; 32", RGB8, 0, 0, 0},
    {"preset=kb-access precincts=[256,256],[128,128]", "precincts must be", RGB8, 0, 0, 0},
    {"preset=kb-access sop=no", "sop no", RGB8, 0, 0, 0},
    {"preset=kb-access eph=no", "eph no", RGB8, 0, 0, 0},
    {"preset=kb-access comment=", "comment is required", RGB8, 0, 0, 0},
    {"preset=kb-access reversible=yes", "reversible yes; no", RGB8, 0, 0, 0},
    {"preset=kb-access container=j2k", "a JP2 file", RGB8, 0, 0, 0},
    {"preset=kb-access progression-changes=0,0,8,6,3,RPCL", "progression changes", RGB8, 0, 0, 0},
    {"preset=ndnp", "3 components; 1 is", RGB8, 0, 0, 0},
    {"preset=ndnp style=0", "style 0; 1", 64, 48, 1, 8, 0, 0, 0},
    {"preset=ndnp precincts=[256,256]", "one a resolution", 64, 48, 1, 8, 0, 0, 0},
    {"preset=bodleian plt=no", "plt no", RGB8, 0, 0, 0},
    {"preset=bodleian tile-parts=none", "divided by resolution; use tile-parts=R", RGB8, 0, 0, 0},
    {"preset=bodleian reversible=no", "reversible no", RGB8, 0, 0, 0},
    {"preset=bodleian-lossy reversible=yes", "reversible yes", RGB8, 0, 0, 0},
    {"preset=bl-newspaper tile=32,32", "tile 32,32", RGB8, 0, 0, 0},
    {"preset=bl-newspaper", "depth 12; 8 bits", RGB12, 0, 0, 0},
    {"preset=kb-master", "the XMP packet is missing", RGB8, 0, 0, 0},

    {"preset=ht-archive tile=512,512", "tile 512,512; 1024,1024", RGB8, 0, 0, 0},
    {"preset=ht-archive levels=4", "levels 4; 5", RGB8, 0, 0, 0},
    {"preset=ht-archive progression=LRCP", "progression LRCP; RPCL", RGB8, 0, 0, 0},
    {"preset=ht-archive block=32,32", "block 32,32; 64,64", RGB8, 0, 0, 0},
    {"preset=ht-archive style=HT+VSC", "style 72; 64", RGB8, 0, 0, 0},
    {"preset=ht-archive style=0 container=jp2", "style 0; 64", RGB8, 0, 0, 0},
    {"preset=ht-archive precincts=[256,256]", "precincts must be", RGB8, 0, 0, 0},
    {"preset=ht-archive sop=no", "sop no", RGB8, 0, 0, 0},
    {"preset=ht-archive plt=no", "plt no", RGB8, 0, 0, 0},
    {"preset=ht-archive reversible=no", "reversible no; yes", RGB8, 0, 0, 0},
    {"preset=ht-archive container=j2k", "container j2k; a JPH file", RGB8, 0, 0, 0},
    {"preset=ht-archive progression-changes=0,0,1,6,3,RPCL", "progression changes", RGB8, 0, 0, 0},
    {"preset=ht-archive layers=2", "2 layers; 1", RGB8, 0, 0, 0},

    {"preset=dicom-htj2k-rpcl levels=4", "levels 4 leave 65 samples", 1030, 64, 1, 12, 0, 0, 0},
    {"preset=dicom-htj2k-rpcl levels=4", "levels 4 leave 65 samples", 64, 1030, 1, 12, 0, 0, 0},
    {"preset=dicom-htj2k-rpcl progression=LRCP", "progression LRCP; RPCL", RGB8, 0, 0, 0},
    {"preset=dicom-htj2k-rpcl progression-changes=0,0,1,9,3,RPCL", "progression changes", RGB8, 0, 0, 0},
    {"preset=dicom-htj2k-rpcl tlm=no", "tlm no", RGB8, 0, 0, 0},
    {"preset=dicom-htj2k-rpcl reversible=no", "reversible no; yes", RGB8, 0, 0, 0},
    {"preset=dicom-htj2k-rpcl style=0", "style 0; HT", RGB8, 0, 0, 0},
    {"preset=dicom-htj2k-rpcl container=jph", "container jph; the package", RGB8, 0, 0, 0},
    {"preset=dicom-htj2k-rpcl", "2 components; one or three", 64, 48, 2, 8, 0, 0, 0},
    {"preset=dicom-htj2k-rpcl", "component 1: components must be alike", 64, 48, 3, 8, 0, 2, 1},
    {"preset=dicom-htj2k-rpcl layers=2", "2 layers", RGB8, 0, 0, 0},

    {"preset=imf-ht-rev", "8193,48 samples", 8193, 48, 1, 12, 0, 0, 0},
    {"preset=imf-ht-rev", "48,6225 samples", 48, 6225, 1, 12, 0, 0, 0},
    {"preset=imf-ht-rev tile=32,48", "tile 32,48; one tile", RGB12, 0, 0, 0},
    {"preset=imf-ht-rev", "5 components; at most 4", 64, 48, 5, 12, 0, 0, 0},
    {"preset=imf-ht-rev", "depth 7; 8 to 16", 64, 48, 3, 7, 0, 0, 0},
    {"preset=imf-ht-rev", "depth 12 signed", 64, 48, 3, 12, 1, 0, 0},
    {"preset=imf-ht-rev", "component 1: subsampling 2,2", 64, 48, 3, 12, 0, 2, 2},
    {"preset=imf-ht-rev levels=0", "levels 0; 1 to 5", RGB12, 0, 0, 0},
    {"preset=imf-ht-rev levels=6", "levels 6; 1 to 5", RGB12, 0, 0, 0},
    {"preset=imf-ht-rev levels=7", "levels 7; 1 to 6", 2049, 16, 1, 12, 0, 0, 0},
    {"preset=imf-ht-rev block=16,64", "block 16,64", RGB12, 0, 0, 0},
    {"preset=imf-ht-rev block=32,128", "block 32,128", RGB12, 0, 0, 0},
    {"preset=imf-ht-rev style=HT+VSC", "style 72; HT", RGB12, 0, 0, 0},
    {"preset=imf-ht-rev style=0", "style 0; HT", RGB12, 0, 0, 0},
    {"preset=imf-ht-rev precincts=[128,128]", "precincts must be", RGB12, 0, 0, 0},
    {"preset=imf-ht-rev progression=CPRL", "progression CPRL; RPCL", RGB12, 0, 0, 0},
    {"preset=imf-ht-rev packed-headers=ppm", "packed packet headers", RGB12, 0, 0, 0},
    {"preset=imf-ht-rev tlm=no", "tlm no", RGB12, 0, 0, 0},
    {"preset=imf-ht-rev reversible=no", "reversible no; yes", RGB12, 0, 0, 0},
    {"preset=imf-ht-irv reversible=yes", "reversible yes; no", RGB12, 0, 0, 0},
    {"preset=imf-ht-irv container=jph", "container jph", RGB12, 0, 0, 0},
    {"preset=imf-ht-irv style=HT+BYPASS", "only VSC goes with HT", RGB12, 0, 0, 0},
    {"profile=cinema2k style=HT", "no profile of Part 1", RGB12, 0, 0, 0},
    {"preset=kb-master", "the restricted ICC profile is missing", RGB8, 0, 0, 0},
    {"preset=kb-master", "the capture resolution is missing", RGB8, 0, 0, 0},
};

static wvl_image_format format_of(const row *r, wvl_component_format components[8])
{
    for (uint32_t c = 0; c < r->count; c++) {
        int is_chroma = c == 1 || c == 2;
        components[c] = (wvl_component_format){r->depth, r->is_signed, is_chroma && r->dx ? r->dx : 1,
                                               is_chroma && r->dy ? r->dy : 1};
    }
    return (wvl_image_format){.struct_size = sizeof(wvl_image_format),
                              .x1 = r->width,
                              .y1 = r->height,
                              .component_count = r->count,
                              .components = components};
}

TEST(each_rule_is_refused)
{
    wvl_component_format components[8];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wvl_image_format format = format_of(&rows[i], components);
        case_refused("a profile", &format, rows[i].settings, rows[i].reason);
    }
}

/* The text has a line for everything that is wrong, and for nothing else. */
TEST(all_of_it_is_listed)
{
    static const char *const lines[] = {"2049,1081",
                                        "component 0: depth 10",
                                        "component 1: depth 10",
                                        "component 2: depth 10",
                                        "levels 4",
                                        "guard-bits 3",
                                        "reversible yes",
                                        "progression LRCP",
                                        "tlm no",
                                        "block 16,16",
                                        "style 1",
                                        "frame-rate 7/1"};
    wvl_component_format components[8];
    const row all = {"", "", 2049, 1081, 3, 10, 0, 0, 0};
    wvl_image_format format = format_of(&all, components);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        case_refused("everything", &format,
                     "preset=dci-2k levels=4 guard-bits=3 reversible=yes progression=LRCP tlm=no block=16,16 style=1 "
                     "frame-rate=7",
                     lines[i]);
    }
    unsigned count = 1;
    for (const char *p = wvl_context_error(case_context()); *p; p++) {
        count += *p == '\n';
    }
    ck_assert_uint_eq(count, sizeof lines / sizeof lines[0]);
}

/* ---- What shows only in the bytes ------------------------------------------------------------ */

typedef struct counted {
    unsigned writes, closes;
    int complete;
} counted;

static int count_write(void *user, const void *data, size_t bytes)
{
    (void)data, (void)bytes;
    ((counted *)user)->writes++;
    return 0;
}

static int count_close(void *user, int complete)
{
    ((counted *)user)->closes++;
    ((counted *)user)->complete = complete;
    return 0;
}

/* Noise without loss, which cannot keep a sublevel, and a sink that counts. */
typedef struct broken {
    picture p;
    picture_input input;
    wvl_plan *plan;
    counted n;
    wvl_sink sink;
} broken;

static void open_broken(broken *b)
{
    b->p = picture_draw(PICTURE_NOISE, 128, 128, 3, 12, 1);
    b->input = picture_open_input(&b->p, 0);
    b->n = (counted){0, 0, 0};
    b->sink = (wvl_sink){.struct_size = sizeof b->sink, .write = count_write, .close = count_close, .user = &b->n};
    b->plan = test_open_plan(case_context(), &b->input.format, "preset=imf-2k-r-1000-m1-s1");
}

/* Encodes into the counting sink: refused, nothing written, closed once as incomplete. */
static void encode_broken(broken *b, char *error, size_t room)
{
    wvl_result *result;
    wvl_sink sink = b->sink;
    b->n = (counted){0, 0, 1};
    ck_assert_int_eq(wvl_encode(b->plan, &b->input.image, &sink, NULL, &result, error, room), WVL_ERROR_PROFILE);
    ck_assert_ptr_null(result);
    ck_assert_uint_eq(b->n.writes, 0);
    ck_assert_uint_eq(b->n.closes, 1);
    ck_assert_int_eq(b->n.complete, 0);
}

static void close_broken(broken *b)
{
    wvl_plan_release(b->plan);
    picture_close_input(&b->input);
    fuzz_picture_free(&b->p);
}

/* Nothing is lowered behind the picture's back, nothing leaves, and the text says how much it was. */
TEST(broken_bytes_do_not_leave)
{
    broken b;
    char error[1024];
    open_broken(&b);
    encode_broken(&b, error, sizeof error);
    ck_assert_msg(strstr(error, "imf-2k-r") && strstr(error, "allows 25000") && strstr(error, "imf.bytes"), "%s",
                  error);
    close_broken(&b);
}

/* The error text may be cut, or not wanted at all. */
TEST(no_room_for_the_text)
{
    broken b;
    char error[16];
    open_broken(&b);
    for (size_t room = 0; room <= sizeof error; room += 8) {
        memset(error, 'x', sizeof error);
        encode_broken(&b, room ? error : NULL, room);
        ck_assert(!room || memchr(error, 0, room) == error + room - 1);
        ck_assert(room == sizeof error || error[room] == 'x');
    }
    close_broken(&b);
}

/* ---- Masters of the Koninklijke Bibliotheek -------------------------------------------------- */

#define XMP(properties) "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><r " properties "/></x:xmpmeta>"
#define GOOD_XMP XMP("tiff:Make='a' exif:b='1' photoshop:c='2'")

typedef struct master {
    const char *what, *xmp, *icc;
    double capture;
    wvl_status status;
    const char *reason;
} master;

static const master masters[] = {
    {"a good one", GOOD_XMP, "Adobe RGB (1998)", 11811, WVL_OK, ""},
    {"the other profile", GOOD_XMP, "eciRGB v2", 11811, WVL_OK, ""},
    {"no XMP", NULL, "eciRGB v2", 11811, WVL_ERROR_PARAMETER, "XMP packet is missing"},
    {"no profile", GOOD_XMP, NULL, 11811, WVL_ERROR_PARAMETER, "ICC profile is missing"},
    {"no resolution", GOOD_XMP, "eciRGB v2", 0, WVL_ERROR_PARAMETER, "capture resolution is missing"},
    {"another profile", GOOD_XMP, "sRGB", 11811, WVL_ERROR_PROFILE, "keep.icc"},
    {"no photoshop", XMP("tiff:Make='a' exif:b='1'"), "eciRGB v2", 11811, WVL_ERROR_PROFILE, "keep.xmp"},
    {"no exif", XMP("tiff:Make='a' photoshop:c='2'"), "eciRGB v2", 11811, WVL_ERROR_PROFILE, "keep.xmp"},
    {"no tiff", XMP("exif:b='1' photoshop:c='2'"), "eciRGB v2", 11811, WVL_ERROR_PROFILE, "keep.xmp"},
};

TEST_EACH(masters_need_their_metadata, sizeof masters / sizeof masters[0])
{
    const master *m = &masters[_i];
    test_icc icc;
    wvl_box box = {0x75756964,
                   {0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC},
                   m->xmp,
                   m->xmp ? strlen(m->xmp) : 0};
    wvl_jp2_info jp2 = {.struct_size = sizeof jp2,
                        .capture_x_per_metre = m->capture,
                        .capture_y_per_metre = m->capture,
                        .boxes = &box,
                        .box_count = m->xmp ? 1 : 0};
    if (m->icc) {
        icc = test_make_icc("mntrRGB ", "desc" TEST_ICC_RGB_TAGS, m->icc);
        jp2.icc_bytes = icc.size;
        jp2.icc = icc.bytes;
    }
    owned_picture p = picture_draw(PICTURE_NATURAL, 300, 200, 3, 8, 1);
    owned_outcome o = case_try(&p, "preset=kb-master", &jp2);
    ck_assert_msg(o.status == m->status, "%s: %s: %s", m->what, wvl_status_text(o.status), o.error);
    ck_assert_msg(strstr(o.error, m->reason) != NULL, "%s: %s", m->what, o.error);
    if (o.status == WVL_OK) {
        char text[512];
        owned_picture back = case_decode(m->what, &o, &(decode_options){.keep_indices = 1});
        ck_assert_msg(fuzz_picture_equal(&p, &back, text, sizeof text), "%s: %s", m->what, text);
    }
}

TEST_MAIN("profiles")
