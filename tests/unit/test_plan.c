/* SPDX-License-Identifier: BSD-2-Clause */
/* The plan refuses every violation with its reason, all at once, and keeps its word about memory. */

#include "codec/write/coder.h"
#include "tests/decode/cases.h"
#include "tests/fault/ledger.h"

/* ---- Violations ------------------------------------------------------------------------------ */

#define SMALL                                                                                                          \
    0, 0, 64, 48, 1, { 8, 0, 1, 1 }
#define RGB                                                                                                            \
    0, 0, 64, 48, 3, { 8, 0, 1, 1 }
static const refusal violations[] = {
    {"", "A.5.1", 64, 0, 64, 48, 1, {8, 0, 1, 1}},
    {"", "A.5.1", 0, 49, 64, 48, 1, {8, 0, 1, 1}},
    {"", "components", 0, 0, 64, 48, 0, {8, 0, 1, 1}},
    {"", "16384", 0, 0, 64, 48, 16385, {8, 0, 1, 1}},
    {"", "depth 0", 0, 0, 64, 48, 1, {0, 0, 1, 1}},
    {"", "depth 39", 0, 0, 64, 48, 1, {39, 0, 1, 1}},
    {"", "depth 29", 0, 0, 64, 48, 1, {29, 0, 1, 1}},
    {"", "is_signed is 3", 0, 0, 64, 48, 1, {8, 3, 1, 1}},
    {"", "needs HT blocks", 0, 0, 64, 48, 1, {16, 2, 1, 1}},
    {"style=HT", "16 and 32 are supported", 0, 0, 64, 48, 1, {8, 2, 1, 1}},
    {"style=HT profile=dicom-htj2k-rpcl", "NLT no profile allows", 0, 0, 64, 48, 1, {16, 2, 1, 1}},
    {"", "is_signed is 255", 0, 0, 64, 48, 1, {8, 255, 1, 1}},
    {"reversible=no", "depth 38", 0, 0, 64, 48, 1, {38, 1, 1, 1}},
    {"", "B-2", 1, 0, 64, 48, 1, {8, 0, 64, 1}},
    {"", "B-2", 0, 7, 64, 48, 1, {8, 0, 1, 48}},
    {"tile-offset=0,1", "B-3", SMALL},
    {"tile=10,10 tile-offset=1,0", "B-3", SMALL},
    {"tile=10,10", "B-4", 10, 0, 64, 48, 1, {8, 0, 1, 1}},
    {"tile=10,10", "B-4", 0, 30, 64, 48, 1, {8, 0, 1, 1}},
    {"tile=0,10", "both", SMALL},
    {"tile=10,0", "both", SMALL},
    {"tile=1,1", "65535", 0, 0, 256, 256, 1, {8, 0, 1, 1}},
    {"tile=1,1", "65535", 0, 0, 4294967295u, 4294967295u, 1, {8, 0, 1, 1}},
    {"mct=on", "G.2", SMALL},
    {"reversible=no guard-bits=0", "guard", SMALL},
    {"guard-bits=7", "with 7 guard bits", 0, 0, 64, 48, 1, {1, 0, 1, 1}},
    {"block=4,2048", "block", SMALL},
    {"block=3,64", "4 to 1024", SMALL},
    {"block=96,16", "A.6.1", SMALL},
    {"block=128,64", "4096", SMALL},
    {"precincts=[1,2]", "B.6", SMALL},
    {"precincts=[2,1]", "B.6", SMALL},
    {"precincts=[64,64],[1,1]", "B.6", SMALL},
    {"precincts=[48,64]", "precinct", SMALL},
    {"rates=10,20", "layer", SMALL},
    {"bpp=1,1", "layer", SMALL},
    {"psnr=40,30", "layer", SMALL},
    {"slopes=100,200", "layer", SMALL},
    {"layer-bytes=0,100", "layer", SMALL},
    {"layers=2 rates=30,20,10", "layer", SMALL},
    {"tile-parts=RLC layers=30 levels=8", "255", RGB},
    {"tile-parts=L layers=256", "255", SMALL},
    {"tile-parts=C progression=CPRL", "255", 0, 0, 64, 48, 256, {8, 0, 1, 1}},
    {"mct=on", "RCT", 0, 0, 64, 48, 3, {28, 0, 1, 1}},
    {"reversible=no quantization=derived levels=32", "derived", SMALL},
    {"container=jp2", "colour", 0, 0, 64, 48, 5, {8, 0, 1, 1}},
};

TEST_EACH(every_violation_is_named, sizeof violations / sizeof violations[0]) { case_refuse(&violations[_i]); }

static unsigned count_lines(const char *text)
{
    unsigned lines = text[0] != 0;
    for (; *text; text++) {
        lines += *text == '\n' && text[1];
    }
    return lines;
}

TEST(all_violations_at_once)
{
    static const wvl_component_format components[3] = {{8, 0, 1, 1}, {40, 0, 1, 1}, {8, 0, 255, 255}};
    wvl_image_format format = {sizeof format, 5, 5, 64, 48, 3, components};
    wvl_plan *plan = NULL;
    owned_params *params = test_open_params(case_context(), "tile=2,2 precincts=[1,1] rates=5,4 layers=1");
    ck_assert_int_eq(wvl_plan_create(case_context(), params, &format, NULL, &plan), WVL_ERROR_PARAMETER);
    ck_assert_ptr_null(plan);
    const char *error = wvl_context_error(case_context());
    static const char *const expected[] = {"depth 40", "B-2", "B-4", "precinct", "layer"};
    for (unsigned i = 0; i < 5; i++) {
        ck_assert_msg(strstr(error, expected[i]) != NULL, "\"%s\" is missing in: %s", expected[i], error);
    }
    ck_assert_uint_ge(count_lines(error), 5);
}

TEST(arguments_are_checked)
{
    static const wvl_component_format one = {8, 0, 1, 1};
    wvl_image_format format = {sizeof format, 0, 0, 8, 8, 1, &one};
    owned_plan *plan = NULL;
    wvl_context *c = case_context();
    owned_params *params = test_open_params(c, "");
    format.struct_size = 0;
    ck_assert_int_eq(wvl_plan_create(c, params, &format, NULL, &plan), WVL_ERROR_ARGUMENT);
    format.struct_size = sizeof format;
    format.components = NULL;
    ck_assert_int_eq(wvl_plan_create(c, params, &format, NULL, &plan), WVL_ERROR_PARAMETER);
    format.components = &one;
    ck_assert_int_eq(wvl_plan_create(c, params, &format, NULL, &plan), WVL_OK);
    wvl_plan_memory memory = {.struct_size = 4};
    ck_assert_int_eq(wvl_plan_measure(plan, &memory), WVL_ERROR_ARGUMENT);
}

/* An image or sink that does not fit the plan is refused and nothing is read. */
TEST(images_are_checked)
{
    owned_picture p = picture_draw(PICTURE_FLAT, 16, 16, 3, 12, 1);
    owned_input input = picture_open_input(&p, 0);
    owned_outcome o = case_try(&p, "device=cpu", NULL);
    ck_assert_int_eq(o.status, WVL_OK);
    for (unsigned i = 0; i < 10; i++) {
        wvl_image image = input.image;
        wvl_plane planes[3];
        char text[256];
        wvl_sink sink;
        static const wvl_status expected[] = {
            WVL_ERROR_ARGUMENT,    WVL_ERROR_ARGUMENT, WVL_ERROR_UNSUPPORTED, WVL_ERROR_ARGUMENT, WVL_ERROR_UNSUPPORTED,
            WVL_ERROR_UNSUPPORTED, WVL_ERROR_ARGUMENT, WVL_ERROR_ARGUMENT,    WVL_ERROR_ARGUMENT, WVL_OK};
        memcpy(planes, input.planes, sizeof planes);
        image.planes = planes;
        image.plane_count = i == 0 ? 2 : 3;
        planes[1].data = i == 1 ? NULL : planes[1].data;
        planes[2].container = i == 2 ? WVL_SAMPLE_64 : i == 3 ? WVL_SAMPLE_8 : planes[2].container;
        image.memory_kind = i == 4 ? WVL_MEMORY_DEVICE : WVL_MEMORY_HOST;
        image.ready_event = i == 5 ? &sink : NULL;
        planes[0].container = i == 6 ? WVL_SAMPLE_PACKED10 : planes[0].container;
        planes[0].pitch_bytes = i == 7 ? PTRDIFF_MAX / 8 : planes[0].pitch_bytes;
        planes[1].pitch_bytes = i == 8 ? PTRDIFF_MIN : planes[1].pitch_bytes;
        ck_assert_int_eq(wvl_sink_open_memory(o.context, &sink), WVL_OK);
        wvl_status status = wvl_encode(o.plan, &image, &sink, NULL, NULL, text, sizeof text);
        ck_assert_msg(status == expected[i], "image %u: %s: %s", i, wvl_status_text(status), text);
        ck_assert(status == WVL_OK || strlen(text) > 10);
        wvl_sink_discard(&sink);
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static int count_bytes(void *user, const void *data, size_t bytes)
{
    (void)data;
    *(uint64_t *)user += bytes;
    return 0;
}

static const char *const shapes[] = {
    "",
    "reversible=no bpp=0.5,1,2",
    "layers=10 style=TERMALL block=8,8",
    "tile=64,64 plt=yes tlm=yes",
    "precincts=[32,32] progression=PCRL sop=yes eph=yes",
    "levels=0 block=4,4 style=63",
    "max-component-bytes=5000 layers=3",
    "reversible=no psnr=35 tile=100,60",
    "layers=200",
    "container=jp2 tile-parts=R",
    "block=4,1024",
    "precincts=[2,2] tile=50,50",
    "preset=imf-2k-24-m3-s1 levels=2",
    "preset=bodleian",
    "preset=imf-2k-r levels=1",
    "tile=64,64 layers=3 overrides=C1:block=8,8;style=4/T1:levels=2;sop=yes;mct=off/T2-4C2:precincts=[16,16]",
    "tile=64,64 mct=off overrides=T3:levels=8;block=4,4/C0:reversible=no psnr=35",
    "mct=off roi=rect=20,20,50,40 layers=3",
    "tile=64,64 reversible=no step=0.008 psnr=35 roi=rect=20,20,50,40/c=1,U=5"};
#define SHAPES ((int)(sizeof shapes / sizeof shapes[0]))

/* A plan in a context of its own, whose memory a ledger counts. */
typedef struct measured {
    ledger ledger;
    wvl_context *context;
    wvl_plan *plan;
    wvl_plan_memory memory;
    uint64_t output_bytes;
} measured;
static void close_measured(measured *m)
{
    wvl_plan_release(m->plan);
    wvl_context_release(m->context);
    ledger_close(&m->ledger);
}

#define owned_measured OWNED_BY(close_measured) measured

static void open_measured(measured *m, uint32_t threads, const char *settings, const wvl_image_format *format)
{
    memset(m, 0, sizeof *m);
    m->context = ledger_open_context(&m->ledger, threads);
    m->plan = test_open_plan(m->context, format, settings);
    m->memory.struct_size = sizeof m->memory;
    ck_assert_int_eq(wvl_plan_measure(m->plan, &m->memory), WVL_OK);
}

/* The most bytes that one encode holds. */
static uint64_t measure_peak(measured *m, const wvl_image *image)
{
    char text[512];
    uint64_t before = m->ledger.live_bytes;
    wvl_sink sink = {.struct_size = sizeof sink, .write = count_bytes, .user = &m->output_bytes};
    m->ledger.peak_bytes = before;
    ck_assert_msg(wvl_encode(m->plan, image, &sink, NULL, NULL, text, sizeof text) == WVL_OK, "%s", text);
    ck_assert_msg(m->ledger.live_bytes == before, "%llu bytes stay",
                  (unsigned long long)(m->ledger.live_bytes - before));
    return m->ledger.peak_bytes - before;
}

/* What an encode allocates at its peak lies between the base, which every picture of the plan takes, and the base with
 * the coded bound. */
TEST_EACH(memory_promise, SHAPES)
{
    static const picture_kind kinds[] = {PICTURE_NATURAL, PICTURE_NOISE, PICTURE_FLAT, PICTURE_EXTREME};
    for (unsigned k = 0; k < 8; k++) {
        owned_measured m;
        owned_picture p = picture_draw(kinds[k % 4], 160, 120, 3, k & 1 ? 8 : 12, k);
        owned_input input = picture_open_input(&p, 0);
        open_measured(&m, k < 4 ? 1 : 3, shapes[_i], &input.format);
        const wvl_plan_memory memory = m.memory;
        uint64_t peak = measure_peak(&m, &input.image);
        ck_assert_msg(peak <= memory.base_bytes + memory.coded_bytes_bound,
                      "\"%s\": peak %llu, base %llu, coded at most %llu", shapes[_i], (unsigned long long)peak,
                      (unsigned long long)memory.base_bytes, (unsigned long long)memory.coded_bytes_bound);
        ck_assert_msg(peak <= memory.worst_bytes && peak >= memory.certain_bytes,
                      "\"%s\": peak %llu, certain %llu, worst %llu", shapes[_i], (unsigned long long)peak,
                      (unsigned long long)memory.certain_bytes, (unsigned long long)memory.worst_bytes);
        ck_assert_uint_eq(memory.picture_bytes, 160u * 120u * 3u * (k & 1 ? 1u : 2u));
        /* pieces are rounded to 64 bytes; beyond that the base is what a flat picture takes, but for the first chunks
         * of the stores */
        ck_assert_msg(peak + 4096 >= memory.base_bytes, "\"%s\": peak %llu, base %llu", shapes[_i],
                      (unsigned long long)peak, (unsigned long long)memory.base_bytes);
        ck_assert_msg(m.output_bytes <= memory.output_bytes_bound,
                      "\"%s\": %llu bytes of output, at most %llu were promised", shapes[_i],
                      (unsigned long long)m.output_bytes, (unsigned long long)memory.output_bytes_bound);
    }
}

/* The likely figure: of what drawn photographs really take between two thirds and one and a half, and little beside the
 * bound where bytes are the target. */
TEST_EACH(likely_memory_is_near, 8)
{
    static const char *const settings[] = {"",
                                           "reversible=no bpp=1",
                                           "reversible=no bpp=0.25 rdoq=yes",
                                           "reversible=no layers=6",
                                           "reversible=no psnr=38",
                                           "block=32,32 tile=256,256 bpp=2",
                                           "reversible=no style=HT bpp=2",
                                           "style=HT"};
    for (unsigned depth = 8; depth <= 12; depth += 4) {
        owned_measured m;
        owned_picture p = picture_draw(PICTURE_NATURAL, 1200, 900, 3, depth, depth);
        owned_input input = picture_open_input(&p, 0);
        open_measured(&m, 2, settings[_i], &input.format);
        const wvl_plan_memory memory = m.memory;
        double peak = (double)measure_peak(&m, &input.image), ratio = (double)memory.likely_bytes / peak;
        ck_assert_msg(peak >= (double)memory.certain_bytes && peak <= (double)memory.worst_bytes,
                      "\"%s\": peak %.0f, certain %llu, worst %llu, base %llu", settings[_i], peak,
                      (unsigned long long)memory.certain_bytes, (unsigned long long)memory.worst_bytes,
                      (unsigned long long)memory.base_bytes);
        ck_assert_msg(ratio > 0.66 && ratio < 1.5,
                      "\"%s\", %u bits: peak %.0f, likely %llu (%.2f), base %llu, worst %llu", settings[_i], depth,
                      peak, (unsigned long long)memory.likely_bytes, ratio, (unsigned long long)memory.base_bytes,
                      (unsigned long long)memory.worst_bytes);
    }
}

/* With a byte target it follows from the target: 8192 x 8192 x 3 in 16 bits at 2 bits a pixel. */
TEST(likely_memory_follows_the_target)
{
    static const wvl_component_format components[3] = {{16, 0, 1, 1}, {16, 0, 1, 1}, {16, 0, 1, 1}};
    wvl_image_format format = {sizeof format, 0, 0, 8192, 8192, 3, components};
    wvl_plan_memory memory[2] = {{.struct_size = sizeof memory[0]}, {.struct_size = sizeof memory[0]}};
    for (unsigned i = 0; i < 2; i++) {
        owned_plan *plan = test_open_plan(case_context(), &format, i ? "reversible=no bpp=4" : "reversible=no bpp=2");
        ck_assert_int_eq(wvl_plan_measure(plan, &memory[i]), WVL_OK);
        ck_assert_uint_eq(memory[i].picture_bytes, 8192ull * 8192 * 6);
    }
    uint64_t target = 8192ull * 8192 * 2 / 8, added = memory[0].likely_bytes - memory[0].base_bytes;
    ck_assert_msg(added > target && added < 4 * target, "%llu beside the base, the target is %llu",
                  (unsigned long long)added, (unsigned long long)target);
    ck_assert_uint_gt(memory[1].likely_bytes - memory[1].base_bytes, added + target);
    ck_assert_uint_eq(memory[0].output_bytes_bound, target); /* exceeding it is an error */
    ck_assert_uint_eq(memory[1].output_bytes_bound, 2 * target);
    ck_assert_uint_eq(memory[0].worst_bytes, memory[0].base_bytes + memory[0].coded_bytes_bound);
}

static int is_noise(unsigned pattern, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    switch (pattern) {
    case 0: return x >= width / 2;
    case 1: return y >= height / 8;
    case 2: return (x / 64 + y / 64) & 1;
    default: return x % 128 >= 16 || y % 128 >= 16;
    }
}

/* The depth to which blocks are coded is predicted from blocks that are complete. Pictures that fool the prediction,
 * flat where it begins and noise behind, make it code what nothing is sent of: beyond what is likely, never beyond the
 * worst. What leaves the encoder keeps its bound, which is the target. */
TEST_EACH(hostile_pictures_keep_the_bound, 4)
{
    static const char *const settings[] = {"reversible=no bpp=0.2 rdoq=no", "reversible=no bpp=0.2 block=8,8",
                                           "bpp=0.1 levels=0 block=16,16 mct=off", "reversible=no style=HT bpp=0.3"};
    for (unsigned pattern = 0; pattern < 4; pattern++) {
        owned_measured m;
        owned_picture p = picture_draw(PICTURE_NOISE, 512, 512, 3, 8, pattern);
        for (uint32_t i = 0; i < 3 * 512 * 512; i++) {
            uint32_t at = i % (512 * 512);
            int32_t *sample = &p.planes[i / (512 * 512)].samples[at];
            *sample = is_noise(pattern, at % 512, at / 512, 512, 512) ? *sample : 128;
        }
        owned_input input = picture_open_input(&p, 0);
        open_measured(&m, 2, settings[_i], &input.format);
        uint64_t peak = measure_peak(&m, &input.image);
        ck_assert_msg(peak >= m.memory.certain_bytes && peak <= m.memory.worst_bytes,
                      "\"%s\", pattern %u: peak %llu, certain %llu, worst %llu", settings[_i], pattern,
                      (unsigned long long)peak, (unsigned long long)m.memory.certain_bytes,
                      (unsigned long long)m.memory.worst_bytes);
        ck_assert_uint_le(m.output_bytes, m.memory.output_bytes_bound);
    }
}

/* A picture of one wave without anything to code: the transform's memory has gone when block coding takes its own. */
TEST(halves_share_memory)
{
    static const char *const settings[] = {"", "reversible=no", "style=TERMALL block=8,8"};
    for (unsigned i = 0; i < 6; i++) {
        owned_measured m;
        uint32_t threads = i < 3 ? 1 : 2;
        owned_picture p = picture_draw(PICTURE_FLAT, 1024, 1000, 3, 8, 1);
        owned_input input = picture_open_input(&p, 0);
        open_measured(&m, threads, settings[i % 3], &input.format);
        const wvl_memory_plan *plan = &m.plan->memory;
        uint64_t peak = measure_peak(&m, &input.image), chunks = peak > plan->base_bytes ? peak - plan->base_bytes : 0;
        ck_assert(plan->wave_count == 1 && plan->backend.work_bytes > 1000000);
        ck_assert_msg(peak + 64 >= plan->base_bytes && chunks <= 2 * (WVL_STORE_CHUNK + sizeof(wvl_store_page)) + 4096,
                      "\"%s\": %llu, promised %llu", settings[i % 3], (unsigned long long)peak,
                      (unsigned long long)plan->base_bytes);
        ck_assert(i % 3 == 2 || plan->base_bytes < plan->backend.host_bytes + wvl_pool_source_bytes(m.plan, threads));
    }
}

/* One column or one row: no more than twenty bytes a sample, and 2 MiB of tables, whatever works on it. */
TEST(a_line_takes_little)
{
    static const char *const settings[] = {"", "style=HT", "reversible=no", "reversible=no bpp=2", "levels=0"};
    enum { LENGTH = 300000 };
    for (unsigned i = 0; i < 20; i++) {
        int is_row = i & 1;
        uint32_t threads = i & 2 ? 4 : 1;
        owned_picture p = picture_draw(PICTURE_NOISE, is_row ? LENGTH : 1, is_row ? 1 : LENGTH, 1, 8, 11);
        owned_input input = picture_open_input(&p, 0);
        owned_measured m;
        open_measured(&m, threads, settings[i / 4], &input.format);
        uint64_t peak = measure_peak(&m, &input.image);
        ck_assert_msg(m.memory.base_bytes < 20ull * LENGTH + (2u << 20), "%s: %llu bytes", settings[i / 4],
                      (unsigned long long)m.memory.base_bytes);
        ck_assert_uint_le(peak, m.memory.worst_bytes);
        ck_assert_uint_ge(peak, m.memory.certain_bytes);
    }
}

/* The plan of a gigantic picture takes no picture memory, and says what the picture would need. */
TEST(plan_of_a_giant)
{
    static const wvl_component_format components[3] = {{8, 0, 1, 1}, {8, 0, 1, 1}, {8, 0, 1, 1}};
    wvl_image_format format = {sizeof format, 0, 0, 1000000, 1000000, 3, components};
    owned_measured m;
    open_measured(&m, 1, "tile=8192,8192", &format);
    ck_assert_uint_lt(m.ledger.peak_bytes, 70000000);
    ck_assert_uint_gt(m.memory.output_bytes_bound, 3000000000000u);
    ck_assert_uint_gt(m.memory.base_bytes, 8192u * 8192u * 2u);
}

/* ---- Explaining ------------------------------------------------------------------------------ */

typedef struct text {
    char bytes[1 << 16];
    size_t used;
} text;

static void collect(void *user, const char *piece, size_t bytes)
{
    text *t = user;
    ck_assert_uint_lt(t->used + bytes, sizeof t->bytes);
    memcpy(t->bytes + t->used, piece, bytes);
    t->used += bytes;
    t->bytes[t->used] = 0;
}

TEST(plan_explains_itself)
{
    static text words, json;
    owned_picture p = picture_draw(PICTURE_FLAT, 70, 50, 3, 8, 1);
    owned_outcome o = case_try(&p, "reversible=no bpp=1,2 tile=40,40 progression=RPCL", NULL);
    ck_assert_int_eq(o.status, WVL_OK);
    ck_assert_int_eq(wvl_plan_explain(o.plan, 0, collect, &words), WVL_OK);
    ck_assert_int_eq(wvl_plan_explain(o.plan, 1, collect, &json), WVL_OK);
    ck_assert(strstr(words.bytes, "RPCL") && strstr(words.bytes, "70") && words.used > 300);
    ck_assert(json.bytes[0] == '{' && strstr(json.bytes, "RPCL"));
    int depth = 0, quoted = 0;
    for (size_t i = 0; i < json.used; i++) {
        quoted ^= json.bytes[i] == '"';
        depth += quoted
                     ? 0
                     : (json.bytes[i] == '{' || json.bytes[i] == '[') - (json.bytes[i] == '}' || json.bytes[i] == ']');
        ck_assert(depth > 0 || json.bytes[i] == '\n' || i + 2 >= json.used);
    }
    ck_assert(depth == 0 && !quoted);
}

TEST_MAIN("plan")
