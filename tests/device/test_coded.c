/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks that are coded on the software device (soft.h), and pictures that it finishes, HT and EBCOT, in whole encodes:
 * same bytes as the CPU's. */

#include "cuda/host/backend_cuda.h"
#include "cuda/host/memory/device.h"
#include "soft_bench.h"
#include "way/way.h"

TEST_FIXTURE(open_context, close_context);

/* Pictures that are finished on the device: what crosses the bus is the picture, and nobody waits but once for it. */
TEST_EACH(pictures_there, 2)
{
    const char *settings = _i ? "block=32,32" : "style=HT",
               *strict = _i ? "block=32,32 reach=packets" : "style=HT reach=packets";
    picture_input input = draw_input(PICTURE_NATURAL, 512, 512, 3, 8, 3);
    bytes reference = encode(&input, settings, "cpu");
    expect_same("opens the device", &reference, encode(&input, settings, "cuda-only"), "cuda:0 packets");
    soft->downloaded_bytes = 0;
    soft->coded_parts = 0;
    expect_same("packets", &reference, encode(&input, strict, "cuda-only"), "cuda:0 packets");
    ck_assert_uint_eq(soft->coded_parts, 1);
    ck_assert_msg(soft->downloaded_bytes == reference.count, "%llu bytes came down for %zu",
                  (unsigned long long)soft->downloaded_bytes, reference.count);
}

/* The kernels' own source in whole encodes, as the CPU runs it (slow: small pictures). */
TEST_EACH(pictures_emulated, 4)
{
    static const char *const texts[] = {"style=HT reach=packets",
                                        "style=HT reversible=no qfactor=60 block=32,32 reach=packets"
                                        " measure-psnr=no plt=yes tlm=yes tile=60,50",
                                        "style=TERMALL+SEGSYM block=16,32 reach=packets",
                                        "reversible=no qfactor=60 style=BYPASS+VSC reach=packets measure-psnr=no"
                                        " plt=yes tile=60,50"};
    picture_input input = draw_input(PICTURE_NATURAL, 97, 83, 3, 8, 3);
    bytes reference = encode(&input, texts[_i], "cpu");
    (void)setenv("SOFT_EMULATE", "1", 1);
    expect_same(texts[_i], &reference, encode(&input, texts[_i], "cuda-only"), "cuda:0 packets");
    (void)unsetenv("SOFT_EMULATE");
}

/* Blocks that are coded on the device: the copy engine brings down their bytes and records, and no coefficients; with
 * what the picture before took, nobody waits but once for each wave. */
TEST_EACH(blocks_there, 2)
{
    const char *settings = _i ? "block=32,32" WAVES : "style=HT" WAVES,
               *strict = _i ? "block=32,32 reach=blocks" WAVES : "style=HT reach=blocks" WAVES;
    picture_input input = draw_input(PICTURE_NATURAL, 512, 512, 3, 8, 3);
    bytes reference = encode(&input, settings, "cpu");
    expect_same("opens the device", &reference, encode(&input, settings, "cuda-only"), "cuda:0 blocks");
    soft->delivered_bytes = soft->downloaded_bytes = 0;
    soft->coded_parts = soft->waits = 0;
    expect_same("blocks", &reference, encode(&input, strict, "cuda-only"), "cuda:0 blocks");
    ck_assert_uint_eq(soft->coded_parts, 1);
    ck_assert_msg(soft->waits == 1 + 1, "%u waits for a wave and the end of its stream", soft->waits);
    ck_assert_uint_eq(soft->delivered_bytes, 0);
    uint64_t coded = reference.count + (_i ? 768 * 24 * 25 : 0); /* with passes */
    ck_assert_msg(soft->downloaded_bytes > reference.count &&
                      soft->downloaded_bytes < coded + coded / 32 + 512 * 512 * 3 * 2 / 16,
                  "%llu bytes came down for %zu", (unsigned long long)soft->downloaded_bytes, reference.count);
}

/* What no picture before has told: half of what the pixels take comes down, and then what there is beyond that. */
TEST_EACH(blocks_not_predicted, 2)
{
    const char *settings = _i ? "block=64,64" WAVES : "style=HT" WAVES;
    for (unsigned is_noise = 0; is_noise < 2; is_noise++) {
        picture_input input = draw_input(is_noise ? PICTURE_NOISE : PICTURE_SPARSE, 300, 200, 3, 8, 3);
        close_context();
        open_context();
        bytes reference = encode(&input, settings, "cpu");
        for (unsigned k = 0; k < 2; k++) {
            soft->waits = 0;
            expect_same(settings, &reference, encode(&input, settings, "cuda-only"), "cuda:0 blocks");
            ck_assert_msg(soft->waits == 2u + (is_noise && !k), "%u waits for a wave, its rest, and the stream",
                          soft->waits);
        }
    }
}

static char seen_mq[64]; /* the kernel of the MQ coder that was queued last */
static void see_mq(const char *name)
{
    if (!strncmp(name, "wvl_t1_mq", 9)) {
        snprintf(seen_mq, sizeof seen_mq, "%s", name);
    }
}

/* Jobs of waves are in flight as pictures are: the third one finds two others. */
TEST(waves_in_flight)
{
    picture_input input = draw_input(PICTURE_NATURAL, 64, 64, 1, 8, 3);
    wvl_plan *plan = make_plan(&input.format, "block=32,32" WAVES, "cuda-only");
    wvl_carver carver = {NULL, 0};
    wvl_tile_plan tile;
    wvl_tile_plan_carve(plan, &carver, &tile);
    carver = (wvl_carver){aligned_alloc(256, wvl_align_up(carver.used, 256)), 0};
    void *memory = carver.base;
    wvl_tile_plan_carve(plan, &carver, &tile);
    wvl_tile_plan_build(plan, 0, &tile);
    wvl_device *device;
    wvl_backend *backend;
    wvl_backend_job *jobs[3];
    char reason[256] = "";
    ck_assert_int_eq(wvl_context_fetch_device(context, &wvl_backend_cuda, 0, &device, reason, sizeof reason), WVL_OK);
    const wvl_backend_options options = {&context->host, context->pool, device, NULL, NULL};
    ck_assert_int_eq(wvl_backend_cuda.open(&options, &backend), WVL_OK);
    soft->see_kernel = see_mq;
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(wvl_backend_prepare_tiles(&wvl_backend_cuda, backend, context->pool, plan, &tile, 1), WVL_OK);
    }
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(wvl_backend_cuda.submit(backend, &input.image, &tile, 1, &jobs[i]), WVL_OK);
        ck_assert_str_eq(seen_mq, i < 2 ? "wvl_t1_mq_pairs" : "wvl_t1_mq_floats");
    }
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(wvl_backend_cuda.wait(jobs[i], WVL_EVENT_DONE, UINT32_MAX), WVL_OK);
        wvl_backend_cuda.release(jobs[i]);
    }
    soft->see_kernel = NULL;
    ck_assert_uint_eq(atomic_load(&device->in_flight), 0);
    wvl_backend_cuda.close(backend);
    free(memory);
}

/* Scratch memory that does not hold a picture: blocks are coded in parts. One that does not hold a block: the CPU codes
 * them, unless the option reach wants the device to. */
TEST_EACH(blocks_in_parts, 6)
{
    static const char *const texts[] = {"style=HT tile=100,90" WAVES,
                                        "style=HT reversible=no step=0.004 block=32,32" WAVES,
                                        "style=HT reversible=no tile=300,90 measure-psnr=yes",
                                        "tile=100,90" WAVES,
                                        "reversible=no step=0.004 block=32,32" WAVES,
                                        "reversible=no tile=300,90 style=BYPASS+RESET psnr=30,45"};
    const char *text = texts[_i];
    char strict[128];
    snprintf(strict, sizeof strict, "%s reach=blocks", text);
    picture_input input = draw_input(_i < 3 ? PICTURE_NATURAL : PICTURE_NOISE, 290, 170, 3, 8, 3);
    bytes reference = encode(&input, text, "cpu");
    soft->scratch_cost = 3;
    expect_same("once or twice", &reference, encode(&input, strict, "cuda-only"), "cuda:0 blocks");
    soft->coded_parts = 0;
    soft->scratch_cost = 16;
    expect_same("in parts", &reference, encode(&input, strict, "cuda-only"), "cuda:0 blocks");
    ck_assert_uint_ge(soft->coded_parts, 3);
    soft->scratch_cost = 1u << 16;
    expect_same("by the CPU", &reference, encode(&input, text, "cuda-only"), "cuda:0");
    expect_same("by the CPU", &reference, encode(&input, strict, "cuda"), "cuda:0");
    bytes refused = encode(&input, strict, "cuda-only");
    ck_assert_int_eq(refused.status, WVL_ERROR_MEMORY);
    ck_assert_msg(strstr(refused.error, "reach") != NULL, "%s", refused.error);
    soft->scratch_cost = 0;
}

/* The kernels' own source in whole encodes, as the CPU runs it (slow: small pictures). */
TEST_EACH(blocks_emulated, 8)
{
    static const char *const texts[] = {"style=HT" WAVES,
                                        "style=HT reversible=no qfactor=60 block=32,32" WAVES,
                                        "style=HT tile=50,40 block=128,8" WAVES,
                                        "style=HT block=4,4 levels=2" WAVES,
                                        "roi=rect=20,10,70,60 style=TERMALL+SEGSYM" WAVES,
                                        "reversible=no psnr=32,40 roi=rect=20,10,70,60 style=RESET+PTERM block=128,8",
                                        "block=16,64 tile=60,70" WAVES,
                                        "reversible=no style=BYPASS+VSC qfactor=60 block=32,32" WAVES};
    picture_input input = draw_input(_i & 1 ? PICTURE_SPARSE : PICTURE_NATURAL, 97, 83, 3, _i & 2 ? 12 : 8, 3);
    bytes reference = encode(&input, texts[_i], "cpu");
    (void)setenv("SOFT_EMULATE", "1", 1);
    soft->coded_parts = 0;
    expect_same(texts[_i], &reference, encode(&input, texts[_i], "cuda-only"), "cuda:0 blocks");
    ck_assert_uint_gt(soft->coded_parts, 0);
    (void)unsetenv("SOFT_EMULATE");
}

/* What of Part 1 the CPU finishes: the device codes the blocks. */
TEST_EACH(part1_blocks, 14)
{
    static const char *const texts[] = {
        "packed-headers=ppm tile=100,90 tile-parts=RL",
        "packed-headers=ppt style=BYPASS+TERMALL layers=3",
        "plm=yes style=63 block=16,64",
        "reversible=no psnr=38",
        "reversible=no psnr=30,36,50 style=BYPASS precincts=[64,64]",
        "reversible=no measure-psnr=yes layers=2 style=TERMALL+PTERM",
        "layers=70 block=32,32",
        "reversible=no rates=12,3 rdoq=no plm=yes block=32,32",
        "reversible=no max-component-bytes=9000 rdoq=no packed-headers=ppm",
        "reversible=no slopes=40000 rdoq=no plm=yes",
        "roi=rect=50,40,150,120 packed-headers=ppt",
        "roi=c=1,U=9 reversible=no psnr=36",
        "levels=0 block=4,4 plm=yes",
        "block=1024,4 packed-headers=ppm overrides=C0:reversible=no;block=16,16 mct=off"};
    static const unsigned depths[] = {8, 12, 16, 5};
    char strict[256];
    snprintf(strict, sizeof strict, "%s reach=blocks", texts[_i]);
    for (unsigned i = 0; i < 4; i += strstr(texts[_i], "roi=rect") ? 3 : 1) { /* a region takes twice the planes */
        wvl_component_format parts[6];
        wvl_image_format format = {.struct_size = sizeof format,
                                   .x0 = i & 1 ? 37 : 0,
                                   .x1 = 220,
                                   .y1 = 150,
                                   .component_count = i == 2 ? 6 : 3,
                                   .components = parts};
        for (uint32_t c = 0; c < format.component_count; c++) { /* alike, or mixed depths and sizes */
            parts[c] = (wvl_component_format){.depth = (uint8_t)depths[i == 2 ? c % 4 : i],
                                              .is_signed = i == 2 && c == 1,
                                              .dx = i == 2 && c > 1 ? 2 : 1,
                                              .dy = i == 2 && c > 2 ? 3 : 1};
        }
        picture p = picture_draw_format(i ? PICTURE_NATURAL : PICTURE_NOISE, &format, 3);
        picture_input input = open_input(&p, 0);
        bytes reference = encode(&input, texts[_i], "cpu");
        if (reference.status == WVL_OK) {
            expect_same(texts[_i], &reference, encode(&input, strict, "cuda-only"), "cuda:0 blocks");
        }
        ck_assert_msg(reference.status == WVL_OK || i == 2, "%s: %s", texts[_i], reference.error);
    }
}

/* Less and less memory of the device: smaller portions, down to one block, and the same bytes. */
TEST_EACH(part1_portions, 3)
{
    static const char *const texts[] = {"block=16,16 packed-headers=ppm", "reversible=no block=32,32 psnr=36",
                                        "roi=rect=50,40,150,120 block=16,16 packed-headers=ppt"};
    picture_input input = draw_input(PICTURE_NATURAL, 180, 120, 3, 8, 3);
    bytes reference = encode(&input, texts[_i], "cpu");
    uint64_t all = 0;
    uint32_t most = 0, fine = 0;
    for (uint64_t part = 20, has_enough = 1; has_enough && part > 4; part--) {
        close_context(); /* with it goes what memory of the device is kept */
        open_context();
        soft->memory_limit = all * part / 20;
        soft->coded_parts = 0;
        soft->memory_peak = 0;
        bytes b = encode(&input, texts[_i], "cuda-only");
        has_enough = b.status == WVL_OK;
        ck_assert_msg(has_enough || (b.status == WVL_ERROR_MEMORY && part < 14), "%u/20: %s", (unsigned)part, b.error);
        if (has_enough) {
            most = soft->coded_parts > most ? soft->coded_parts : most;
            fine++;
            expect_same("less memory", &reference, b, "cuda:0 blocks");
        }
        all = all ? all : soft->memory_peak;
    }
    ck_assert_msg(fine > 6 && most > 6, "%u of them, %u portions", fine, most);
    soft->memory_limit = 0;
}

/* ---- Pictures in flight ---------------------------------------------------------------------- */

#define IN_FLIGHT 16u

/* Encodes many pictures, with the device failing at its call `fail_at` from now on (0: never). Each ends with its bytes
 * or an error. Returns how many had bytes, and through *errors those that ended as `expected` says. */
static uint32_t encode_many(const picture_input *input, const char *settings, const bytes *reference, uint32_t fail_at,
                            wvl_status expected, uint32_t *errors)
{
    wvl_plan *plan = make_plan(&input->format, settings, "cuda-only");
    wvl_encoder *encoder;
    uint32_t fine = 0, sent = 0;
    *errors = 0;
    wvl_status status = wvl_encoder_create(plan, IN_FLIGHT, &encoder);
    ck_assert_msg(status == WVL_OK || status == expected, "create: %d", status);
    if (status != WVL_OK) {
        return 0;
    }
    soft->fail_at = fail_at ? soft->calls + fail_at : 0;
    while ((status = wvl_encoder_submit(encoder, &input->image, NULL, NULL)) == WVL_OK) {
        sent++;
    }
    ck_assert_msg(status == WVL_AGAIN, "submit: %d", status);
    for (uint32_t n = 0; n < sent; n++) {
        bytes b = receive(encoder);
        ck_assert_msg(b.status != WVL_OK || have_same_bytes(reference, &b), "other bytes");
        ck_assert_msg(b.status == WVL_OK || b.status == expected, "a picture ended with %d", b.status);
        fine += b.status == WVL_OK;
        *errors += b.status != WVL_OK;
    }
    wvl_encoder_release(encoder);
    return fine;
}

/* A device that is lost with pictures in flight, at any of its calls: every picture ends, with its bytes or an error.
 */
TEST_EACH(lost_in_flight, 4)
{
    const char *settings = _i < 2 ? "style=HT" : "style=BYPASS+TERMALL";
    picture_input input = draw_input(PICTURE_NATURAL, 97, 83, 1, 8, 3);
    bytes reference = encode(&input, settings, "cpu");
    uint32_t errors, failed = 0;
    soft->fail_status = 719;
    ck_assert_uint_eq(encode_many(&input, settings, &reference, 0, WVL_OK, &errors), IN_FLIGHT);
    for (uint32_t n = 1 + (uint32_t)_i % 2; n < 300; n += 37) {
        uint32_t fine = encode_many(&input, settings, &reference, n, WVL_ERROR_DEVICE, &errors);
        ck_assert_uint_eq(fine + errors, IN_FLIGHT);
        failed += errors;
        fail_call(0, 719);
        close_context();
        open_context();
    }
    ck_assert_uint_gt(failed, 0);
}

/* One wait of the host a picture, for the picture; one more for its pixels where they lie in memory of the host or have
 * an event. Those that began before any had ended have another one, for bytes beyond what was predicted; none where the
 * bytes stay on the device. Streams await kernels alone, to copy the bytes (D-device-26). Pixels take page-locked
 * memory of their own only if the host copies them. */
TEST_EACH(one_wait_each, 12)
{
    static const char *const all[] = {"style=HT", "style=BYPASS block=32,32", "style=HT output-memory=device"};
    static const wvl_memory_kind kinds[] = {WVL_MEMORY_DEVICE, WVL_MEMORY_DEVICE, WVL_MEMORY_HOST, WVL_MEMORY_PINNED};
    const char *settings = all[_i % 3];
    int stays = _i % 3 == 2, has_event = _i / 3 == 1;
    picture_input input = draw_input(PICTURE_NATURAL, 97, 83, 3, 8, 3);
    wvl_plan *plan = make_plan(&input.format, settings, "cuda-only");
    uint32_t frames = 4, count = 40, least = _i < 3 ? count : 2 * count;
    wvl_encoder *encoder = open_encoder(plan, frames);
    input.image.memory_kind = kinds[_i / 3]; /* memory of the software device is that of the host */
    if (has_event) {
        input.image.ready_event = open_event();
    }
    uint32_t waits = soft->waits, stream_waits = soft->stream_waits;
    uint64_t pinned = soft->pinned_used;
    fly(encoder, &(flight){.images = {&input.image}, .kinds = 1, .count = count, .from = "packets"});
    waits = soft->waits - waits;
    ck_assert_msg(waits >= least && waits <= least + (stays ? 0 : frames), "%s: %u waits for %u pictures", settings,
                  waits, count);
    ck_assert_uint_le(soft->stream_waits - stream_waits, (stays ? 0 : count));
    ck_assert(!stays || (soft->pinned_used > pinned) == (kinds[_i / 3] == WVL_MEMORY_HOST));
    if (has_event) {
        close_event(input.image.ready_event);
    }
    wvl_encoder_release(encoder);
}

/* A finished picture goes to the sink in several pieces. */
TEST(large_pictures_in_pieces)
{
    picture_input input = draw_input(PICTURE_NOISE, 1024, 1100, 3, 16, 3);
    bytes reference = encode(&input, "style=HT", "cpu");
    ck_assert_uint_gt(reference.count, 4u << 20);
    expect_same("pieces", &reference, encode(&input, "style=HT reach=packets", "cuda-only"), "cuda:0 packets");
}

/* The least that a device must do: else it is not used, or not usable. */
TEST(reach_is_asked_for)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {{"reversible=no rates=9 rdoq=yes reach=blocks" WAVES, "survey of slopes"},
                 {"layers=65 reach=packets", "more than 64 layers"},
                 {"style=HT reach=packets" WAVES, "packed packet headers"},
                 {"style=HT reversible=no psnr=40 reach=blocks", "HT blocks with a target"}};
    picture_input input = draw_input(PICTURE_NATURAL, 160, 120, 3, 8, 1);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes reference = encode(&input, cases[i].text, "cpu"), refused = encode(&input, cases[i].text, "cuda-only");
        ck_assert_msg(refused.status == WVL_ERROR_UNSUPPORTED && strstr(refused.error, cases[i].reason) &&
                          strstr(refused.error, "reach"),
                      "%s: %d %s", cases[i].text, refused.status, refused.error);
        log_text[0] = 0;
        expect_same(cases[i].text, &reference, encode(&input, cases[i].text, "cuda"), "cpu");
        ck_assert_msg(strstr(log_text, cases[i].reason) != NULL, "%s", log_text);
    }
}

/* ---- What is refused, and why ---------------------------------------------------------------- */

static wvl_component_format three[] = {{8, 0, 1, 1}, {8, 0, 1, 1}, {8, 0, 1, 1}};

/* How far the device goes for pictures of such a plan; the reason has to name `why`. */
static wvl_reach ask_reach(uint32_t width, uint32_t height, const char *settings, const char *why)
{
    const wvl_image_format format = {
        .struct_size = sizeof format, .x1 = width, .y1 = height, .component_count = 3, .components = three};
    wvl_plan *plan = make_plan(&format, settings, "cuda-only");
    const char *said = NULL;
    wvl_reach reach = wvl_way_reach(&wvl_backend_cuda, plan, NULL, &said);
    ck_assert_msg(said && strstr(said, why), "%s: %s", settings, said ? said : "no reason");
    return reach;
}

TEST(reasons)
{
    static const struct {
        const char *settings, *why;
        wvl_reach reach;
    } rows[] = {
        {"style=HT progression=RPCL tlm=yes profile=imf-ht-rev output-memory=device",
         "a profile is checked in memory of the host", WVL_REACH_BLOCKS},
        {"style=HT tile=1,1", "more than 65536 tile-components", WVL_REACH_BLOCKS},
        {"style=HT plm=yes", "PLM marker segments", WVL_REACH_BLOCKS},
        {"style=HT packed-headers=ppm", "packed packet headers", WVL_REACH_BLOCKS},
        {"style=HT reversible=no measure-psnr=yes",
         "measure-psnr=yes measures on the CPU, from the coefficients; with auto or no the device estimates",
         WVL_REACH_BLOCKS},
        {"style=HT reversible=no max-bytes=50000 plm=yes", "HT blocks with a target", WVL_REACH_COEFS},
        {"style=HT reversible=no psnr=40", "HT blocks with a target", WVL_REACH_COEFS},
        {"reversible=no psnr=40", "target of PSNR", WVL_REACH_BLOCKS},
        {"layers=65", "more than 64 layers", WVL_REACH_BLOCKS},
        {"style=VSC plm=yes", "PLM marker segments", WVL_REACH_BLOCKS},
        {"reversible=no rates=10 rdoq=yes plm=yes", "survey of slopes", WVL_REACH_COEFS},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(ask_reach(300, 100, rows[i].settings, rows[i].why), rows[i].reach);
    }
    for (unsigned c = 0; c < 3; c++) {
        three[c].depth = 17;
    }
    ck_assert_int_eq(ask_reach(300, 100, "style=HT", "more than 16 bits"), WVL_REACH_NONE);
}

static void check_error(const char *what, wvl_status status, wvl_status wanted, const char *said, const char *reason)
{
    ck_assert_msg(status == wanted && strstr(said, reason), "%s: status %d: \"%s\" does not say \"%s\"", what, status,
                  said, reason);
}

/* One picture through an encoder object, to a sink or not. */
static void check_flight(const picture_input *input, const char *settings, const char *device, int has_sink,
                         const char *reason)
{
    wvl_encoder *encoder = open_encoder(make_plan(&input->format, settings, device), 2);
    wvl_sink sink;
    ck_assert(!has_sink || wvl_sink_open_memory(context, &sink) == WVL_OK);
    ck_assert_int_eq(wvl_encoder_submit(encoder, &input->image, has_sink ? &sink : NULL, NULL), WVL_OK);
    bytes b = receive(encoder);
    check_error(settings, b.status, WVL_ERROR_UNSUPPORTED, b.error, reason);
    wvl_encoder_release(encoder);
}

/* Bytes that are to stay in memory of a device, where they cannot. */
TEST(output_memory_is_refused)
{
    static const struct {
        const char *settings, *device, *reason;
    } rows[] = {
        {"style=HT", "cuda-only", "only an encoder object without a sink"},
        {"style=HT", "cpu", "device is auto, and single pictures are for the CPU then"},
        {"style=HT", "cuda:9", "no device finishes this picture: "},
        {"style=HT plm=yes", "cuda-only", "no device finishes this picture: PLM marker segments"},
        {"style=HT progression=RPCL tlm=yes profile=imf-ht-rev", "cuda-only",
         "no device finishes this picture: a profile is checked in memory of the host"},
        {"layers=65", "cuda", "no device finishes this picture: pictures of more than 64 layers"},
    };
    picture_input input = draw_input(PICTURE_NATURAL, 160, 120, 3, 8, 1);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char settings[256];
        snprintf(settings, sizeof settings, "%s output-memory=device", rows[i].settings);
        bytes refused = encode(&input, settings, rows[i].device);
        check_error(settings, refused.status, WVL_ERROR_UNSUPPORTED, refused.error, rows[i].reason);
    }
    check_flight(&input, "style=HT output-memory=device", "cuda-only", 1, "only an encoder object without a sink");
    check_flight(&input, "style=HT plm=yes output-memory=device", "cuda", 0, "PLM marker segments");
    check_flight(&input, "style=HT output-memory=device", "cuda:9", 0, "no device could be opened");
}

/* Encoder objects that cannot be: the context says why. */
TEST(encoders_are_refused)
{
    static const struct {
        const char *settings, *device, *reason;
        wvl_status status;
    } rows[] = {
        {"style=HT plm=yes output-memory=device", "cuda-only",
         "the option output-memory is device, and no device finishes such pictures: PLM marker segments",
         WVL_ERROR_UNSUPPORTED},
        {"style=HT progression=RPCL tlm=yes profile=imf-ht-rev output-memory=device", "cuda-only",
         "a profile is checked in memory", WVL_ERROR_UNSUPPORTED},
        {"style=HT plm=yes reach=packets", "cuda-only",
         "the option reach is packets, and no device finishes such pictures: PLM marker segments",
         WVL_ERROR_UNSUPPORTED},
        {"reversible=no rates=9 plm=yes reach=blocks", "cuda-only",
         "the device does less than the option reach asks for: blocks with rdoq", WVL_ERROR_UNSUPPORTED},
    };
    picture_input input = draw_input(PICTURE_NATURAL, 160, 120, 3, 8, 1);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        wvl_plan *plan = make_plan(&input.format, rows[i].settings, rows[i].device);
        wvl_encoder *encoder;
        wvl_status status = wvl_encoder_create(plan, 2, &encoder);
        check_error(rows[i].settings, status, rows[i].status, wvl_context_error(context), rows[i].reason);
        plan = make_plan(&input.format, "style=HT", "cpu");
        ck_assert_int_eq(wvl_encoder_create(plan, 1, &encoder), WVL_OK);
        ck_assert_str_eq(wvl_context_error(context), "");
        wvl_encoder_release(encoder);
    }
}

/* Pixels where they cannot be read. */
TEST(pixels_are_refused)
{
    picture_input input = draw_input(PICTURE_NATURAL, 160, 120, 3, 8, 1);
    input.image.memory_kind = WVL_MEMORY_DEVICE;
    input.image.device = 3;
    bytes refused = encode(&input, "style=HT", "cuda-only:0");
    check_error("other device", refused.status, WVL_ERROR_ARGUMENT, refused.error, "the pixels lie on device 3");
    input.image.device = 0;
    refused = encode(&input, "style=HT", "cpu");
    check_error("cpu", refused.status, WVL_ERROR_UNSUPPORTED, refused.error, "the CPU cannot read them");
}

TEST_MAIN("device_coded")
