/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of libopenjp2 as hosts use it: streams, tiles, threads, messages, options and failures. libopenjp2
 * decodes what the plugin wrote. Runs with sanitizers too, as the plugin is linked into this program. */
#define _DEFAULT_SOURCE
#include "bench.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const opj_real *real;
static opj_real ours;
static int wrong;

#define EXPECT(condition, ...)                                                                                         \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: " #condition ": ", __FILE__, __LINE__);                                                     \
            printf(__VA_ARGS__);                                                                                       \
            printf("\n");                                                                                              \
            wrong++;                                                                                                   \
        }                                                                                                              \
    } while (0)

/* One encode with its picture, memory and messages. */
typedef struct bench {
    bench_picture picture;
    opj_cparameters parameters;
    bench_encode encode;
    bench_memory bytes;
    bench_messages messages;
} bench;

static bench *open_bench(uint32_t width, uint32_t height, uint32_t count, uint32_t depth)
{
    uint32_t seed = width * 31 + depth;
    bench *b = calloc(1, sizeof *b);
    b->picture = (bench_picture){.x1 = width, .y1 = height, .count = count};
    b->picture.color_space = count >= 3 ? OPJ_COLOR_SRGB : OPJ_COLOR_GREY;
    for (uint32_t i = 0; i < count; i++) {
        b->picture.components[i] = (opj_component_request){.dx = 1, .dy = 1, .prec = depth, .bpp = depth};
    }
    bench_fill(&b->picture, &seed, 0);
    real->opj_set_default_encoder_parameters(&b->parameters);
    b->parameters.tcp_mct = count >= 3;
    b->encode = (bench_encode){.format = OPJ_FORMAT_J2K, .parameters = &b->parameters};
    b->bytes.room = (size_t)width * height * count * 4 + 100000;
    b->bytes.data = malloc(b->bytes.room);
    return b;
}

static void set_tiles(bench *b, int width, int height)
{
    b->parameters.tile_size_on = 1;
    b->parameters.cp_tdx = width;
    b->parameters.cp_tdy = height;
}

static int run(bench *b) { return bench_run(&ours, &b->picture, &b->encode, &b->bytes, &b->messages); }

static int is_lossless(const bench *b)
{
    return bench_compare(real, b->encode.format, &b->bytes, &b->picture, NULL) == 1;
}

static void close_bench(bench *b)
{
    bench_release(&b->picture);
    free(b->bytes.data);
    free(b);
}

/* The place of a text or marker in the first bytes; 0: not there. */
static size_t find(const bench *b, const char *text, size_t length)
{
    for (size_t i = 1; i + length <= b->bytes.bytes && i < 5000; i++) {
        if (!memcmp(b->bytes.data + i, text, length)) {
            return i;
        }
    }
    return 0;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void test_ways(void)
{
    static const uint32_t depths[] = {1, 8, 12, 16, 24};
    for (int i = 0; i < 5 * 3 * 2; i++) {
        bench *b = open_bench(301, 203, 1 + (uint32_t)i % 4, depths[i % 5]);
        b->encode.by_tiles = i / 5 % 3;
        b->encode.format = i / 15 ? OPJ_FORMAT_JP2 : OPJ_FORMAT_J2K;
        b->encode.takes_no_seek = i % 7 == 3;
        b->picture.color_space = b->picture.count >= 3 ? OPJ_COLOR_SRGB : OPJ_COLOR_GREY;
        if (i % 3) {
            set_tiles(b, 100, 64);
        }
        EXPECT(run(b), "case %d: %s", i, b->messages.error);
        EXPECT(bench_is_ours(&b->bytes) || b->picture.count == 2, "case %d: %s", i, b->messages.info);
        EXPECT(is_lossless(b), "case %d", i);
        EXPECT(!b->encode.takes_no_seek || !b->bytes.seeks, "case %d", i);
        close_bench(b);
    }
}

static void test_failing_stream(void)
{
    for (int by_tiles = 0; by_tiles < 2; by_tiles++) {
        for (size_t at = 1; at < 20000; at = at * 3 + 1) {
            bench *b = open_bench(200, 200, 3, 8);
            set_tiles(b, 64, 64);
            b->encode.by_tiles = by_tiles;
            b->bytes.fails_at = at;
            EXPECT(!run(b), "at %zu", at);
            EXPECT(b->messages.error[0], "at %zu", at);
            EXPECT(b->bytes.bytes <= at, "at %zu", at);
            close_bench(b);
        }
    }
}

static void test_options(void)
{
    static const char *const options[] = {"PLT=YES", "GUARD_BITS=4", NULL};
    static char comment[] = "from the host", created[] = "Created by OpenJPEG version 9";
    bench *b = open_bench(120, 90, 3, 8);
    b->encode.extra = options;
    b->parameters.cp_comment = comment;
    EXPECT(run(b) && is_lossless(b), "%s", b->messages.error);
    EXPECT(find(b, "\xff\x58", 2), "no PLT");
    EXPECT(find(b, comment, strlen(comment)), "no comment of the host");
    size_t qcd = find(b, "\xff\x5c", 2);
    EXPECT(qcd && b->bytes.data[qcd + 4] >> 5 == 4, "guard bits");
    b->parameters.cp_comment = created;
    EXPECT(run(b) && !find(b, created, strlen(created)), "names another encoder");
    close_bench(b);
}

static void test_environment(void)
{
    bench *b = open_bench(120, 90, 3, 8);
    setenv("WAVELANE_OPTIONS", "style=HT; plt=yes, precincts=[128,128],[64,64]", 1);
    b->encode.format = OPJ_FORMAT_JP2;
    EXPECT(run(b) && is_lossless(b), "%s", b->messages.error);
    EXPECT(find(b, "\xff\x50", 2) && find(b, "jph ", 4), "no HT blocks");
    EXPECT(find(b, "\xff\x58", 2), "no PLT");
    setenv("WAVELANE_OPTIONS", "container=jp2", 1);
    b->encode.format = OPJ_FORMAT_J2K;
    EXPECT(run(b) && b->bytes.data[0] == 0xff, "the host wants a codestream");
    setenv("WAVELANE_OPTIONS", "stile=HT", 1);
    EXPECT(!run(b) && strstr(b->messages.error, "stile"), "%s", b->messages.error);
    setenv("WAVELANE_OPTIONS", "profile=imf-2k", 1); /* right by itself, wrong for this picture */
    EXPECT(!run(b) && !b->messages.handed_over && b->messages.error[0], "%s", b->messages.info);
    setenv("WAVELANE_OPTIONS", "style=HT", 1);
    setenv("WAVELANE_DEVICE", "cuda-only:31", 1);
    EXPECT(!run(b) && !b->messages.handed_over && b->messages.error[0], "%s", b->messages.info);
    unsetenv("WAVELANE_DEVICE");
    unsetenv("WAVELANE_OPTIONS");
    setenv("WAVELANE_PRESET", "archive-lossless", 1);
    EXPECT(run(b) && is_lossless(b) && find(b, "\xff\x55", 2), "%s", b->messages.error);
    unsetenv("WAVELANE_PRESET");
    close_bench(b);
}

/* A host that goes on after a failure gets failures, and no crash. */
static void test_calls_after_failures(void)
{
    bench *b = open_bench(200, 200, 1, 8);
    unsigned char data[200 * 200] = {1, 2, 3};
    for (int kind = 0; kind < 2; kind++) {
        opj_image *image = ours.opj_image_tile_create(1, b->picture.components, OPJ_COLOR_GREY);
        opj_codec *codec = ours.opj_create_compress(OPJ_FORMAT_J2K);
        opj_stream *stream = ours.opj_stream_create_file_stream(kind ? "/dev/full" : "/dev/null", 4096, 0);
        image->x1 = image->y1 = 200;
        EXPECT(ours.opj_setup_encoder(codec, &b->parameters, image), "set up");
        setenv("WAVELANE_OPTIONS", kind ? "" : "stile=HT", 1);
        EXPECT(ours.opj_start_compress(codec, image, stream) == kind, "start");
        EXPECT(!ours.opj_write_tile(codec, 0, data, sizeof data, stream), "kind %d: a tile", kind);
        EXPECT(!ours.opj_encode(codec, stream), "kind %d: encode", kind);
        EXPECT(!ours.opj_end_compress(codec, stream), "kind %d: end", kind);
        ours.opj_stream_destroy(stream);
        ours.opj_destroy_codec(codec);
        ours.opj_image_destroy(image);
    }
    unsetenv("WAVELANE_OPTIONS");
    close_bench(b);
}

static void ask_twice_for_everything(opj_cparameters *p)
{
    p->tcp_numlayers = 2;
    p->cp_disto_alloc = 1;
    p->tcp_rates[0] = p->tcp_rates[1] = 0;
}

/* What Wavelane does not do: the reason is said, and libopenjp2 encodes. */
static void test_hand_over(void)
{
    float matrix[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int32_t shift[] = {0, 0, 0};
    bench *b = open_bench(120, 90, 3, 8);
    EXPECT(real->opj_set_MCT(&b->parameters, matrix, shift, 3), "no matrix");
    EXPECT(run(b) && b->messages.handed_over && !bench_is_ours(&b->bytes), "%s", b->messages.info);
    close_bench(b);
    b = open_bench(120, 90, 3, 8);
    ask_twice_for_everything(&b->parameters);
    EXPECT(run(b) && b->messages.handed_over && is_lossless(b), "%s", b->messages.info);
    b->encode.by_tiles = 1;
    set_tiles(b, 64, 64);
    EXPECT(run(b) && b->messages.handed_over && is_lossless(b), "%s", b->messages.info);
    close_bench(b);
    b = open_bench(120, 90, 3, 8);
    b->parameters.roi_compno = 0;
    b->parameters.roi_shift = 6;
    EXPECT(run(b) && bench_is_ours(&b->bytes) && is_lossless(b), "%s", b->messages.info);
    b->parameters.irreversible = b->parameters.cp_disto_alloc = b->parameters.tcp_numlayers = 1;
    b->parameters.tcp_rates[0] = 10;
    EXPECT(run(b) && b->messages.handed_over, "a region with a limit of bytes");
    close_bench(b);
    b = open_bench(120, 90, 3, 8);
    b->parameters.numresolution = 12;
    EXPECT(!run(b) && b->messages.error[0], "more resolutions than libopenjp2 takes");
    close_bench(b);
}

/* A profile of the kind that JP2 takes: its header, and tags of no contents. */
static void make_profile(unsigned char *profile, size_t bytes)
{
    static const char *const tags[] = {"rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"};
    memset(profile, 0, bytes);
    profile[2] = (unsigned char)(bytes >> 8);
    profile[3] = (unsigned char)bytes;
    memcpy(profile + 12, "mntrRGB XYZ ", 12);
    memcpy(profile + 36, "acsp", 4);
    profile[131] = 6;
    for (int i = 0; i < 6; i++) {
        memcpy(profile + 132 + 12 * i, tags[i], 4);
        profile[132 + 12 * i + 7] = 220;
        profile[132 + 12 * i + 11] = 20;
    }
}

/* A profile, and an alpha channel, in a JP2 file. */
static void test_boxes(void)
{
    bench *b = open_bench(64, 48, 4, 8);
    unsigned char profile[300];
    make_profile(profile, sizeof profile);
    b->picture.alpha = 3 + 1;
    b->encode.format = OPJ_FORMAT_JP2;
    EXPECT(run(b) && is_lossless(b), "%s", b->messages.error);
    EXPECT(bench_is_ours(&b->bytes) && find(b, "cdef", 4), "no channel definition: %s", b->messages.info);
    b->picture.icc = profile;
    b->picture.icc_bytes = sizeof profile;
    EXPECT(run(b) && is_lossless(b), "%s", b->messages.error);
    EXPECT(find(b, (const char *)profile, sizeof profile), "no profile: %s", b->messages.info);
    close_bench(b);
}

static void test_tiles_misused(void)
{
    bench *b = open_bench(200, 200, 1, 8);
    unsigned char data[100 * 100] = {0};
    set_tiles(b, 100, 100);
    for (int kind = 0; kind < 4; kind++) {
        opj_image *image = ours.opj_image_tile_create(1, b->picture.components, OPJ_COLOR_GREY);
        opj_codec *codec = ours.opj_create_compress(OPJ_FORMAT_J2K);
        opj_stream *stream = ours.opj_stream_create_file_stream("/dev/null", 4096, 0);
        image->x1 = image->y1 = 200;
        EXPECT(ours.opj_setup_encoder(codec, &b->parameters, image), "set up");
        EXPECT(ours.opj_start_compress(codec, image, stream), "start");
        EXPECT(ours.opj_write_tile(codec, 0, data, sizeof data, stream), "the first tile");
        if (kind < 3) { /* again; one that is not there; too few bytes */
            static const uint32_t tiles[] = {0, 9, 1}, bytes[] = {10000, 10000, 50};
            EXPECT(!ours.opj_write_tile(codec, tiles[kind], data, bytes[kind], stream), "kind %d", kind);
        } else {
            EXPECT(!ours.opj_end_compress(codec, stream), "tiles are missing");
        }
        ours.opj_stream_destroy(stream);
        ours.opj_destroy_codec(codec);
        ours.opj_image_destroy(image);
    }
    close_bench(b);
}

static void *run_thread(void *user)
{
    long number = (long)user, failures = 0;
    for (int i = 0; i < 8; i++) {
        bench *b = open_bench(150 + (uint32_t)number * 7, 120, 3, i % 2 ? 8 : 16);
        b->encode.threads = 1 + (int)(number + i) % 6; /* more kinds than contexts are kept */
        b->encode.by_tiles = i % 3;
        if (i % 3) {
            set_tiles(b, 64, 50);
        }
        if (i == 4) {
            ask_twice_for_everything(&b->parameters);
        }
        int done = run(b), is_equal = done && is_lossless(b);
        if (!is_equal || bench_is_ours(&b->bytes) == b->messages.handed_over) {
            printf("thread %ld, case %d: done %d, lossless %d: %s %s\n", number, i, done, is_equal, b->messages.info,
                   b->messages.error);
            failures++;
        }
        close_bench(b);
    }
    return (void *)failures;
}

static void test_threads(void)
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, run_thread, (void *)i);
    }
    for (int i = 0; i < 4; i++) {
        void *failures;
        pthread_join(threads[i], &failures);
        EXPECT(!failures, "thread %d: %ld", i, (long)failures);
    }
}

/* Layers by ratio: bytes as asked for. By PSNR: what is asked for, by libopenjp2's own decoder. */
static void test_targets(void)
{
    bench *b = open_bench(512, 512, 3, 8);
    double raw = 512 * 512 * 3, squares = 0;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
        printf("no locale here writes numbers with a comma\n");
    }
    b->parameters.irreversible = 1;
    b->parameters.tcp_numlayers = 1;
    b->parameters.cp_disto_alloc = 1;
    for (float ratio = 5; ratio < 100; ratio *= 2) {
        b->parameters.tcp_rates[0] = ratio;
        b->parameters.max_cs_size = 0;
        b->encode.format = b->encode.format == OPJ_FORMAT_JP2 ? OPJ_FORMAT_J2K : OPJ_FORMAT_JP2;
        EXPECT(run(b) && (double)b->bytes.bytes <= raw / ratio, "1:%g: %zu", ratio, b->bytes.bytes);
    }
    b->encode.format = OPJ_FORMAT_J2K;
    b->parameters.cp_disto_alloc = 0;
    b->parameters.cp_fixed_quality = 1;
    b->parameters.tcp_rates[0] = 0;
    b->parameters.tcp_distoratio[0] = 38;
    EXPECT(run(b), "%s", b->messages.error);
    bench_compare(real, OPJ_FORMAT_J2K, &b->bytes, &b->picture, &squares);
    EXPECT(squares <= 255 * 255 / 6309.57, "mean squared error %g", squares); /* 10^3.8 */
    EXPECT(bench_is_ours(&b->bytes), "%s", b->messages.info);
    (void)setlocale(LC_NUMERIC, "C");
    close_bench(b);
}

/* ---- Hosts that do things late, or twice ------------------------------------------------------ */

static size_t count_bytes(void *data, size_t bytes, void *user)
{
    (void)data;
    *(size_t *)user += bytes;
    return bytes;
}

static opj_bool seek_nowhere(int64_t at, void *user)
{
    (void)at;
    (void)user;
    return 1;
}

static int64_t skip_nothing(int64_t bytes, void *user)
{
    (void)user;
    return bytes;
}

static void set_stream(const opj_real *by, opj_stream *stream, size_t *bytes)
{
    by->opj_stream_set_user_data(stream, bytes, NULL);
    by->opj_stream_set_write_function(stream, count_bytes);
    by->opj_stream_set_seek_function(stream, seek_nowhere);
    by->opj_stream_set_skip_function(stream, skip_nothing);
}

/* NO_END: the host destroys the codec. */
/* libopenjp2 loses memory of a codec that is set up twice. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libopenjp2.so"; }

enum { TWO_PICTURES, ENCODE_TWICE, END_TWICE, NO_ENCODE, LATE_STREAM, NO_END, SET_UP_TWICE, HABITS };

/* What such a host gets: a bit for each call that returned true. Its samples are new for each picture. */
static unsigned play(const opj_real *by, int habit, size_t *bytes)
{
    opj_component_request components[3];
    opj_cparameters parameters;
    unsigned results = 0;
    opj_codec *codec = by->opj_create_compress(OPJ_FORMAT_J2K);
    for (int i = 0; i < 3; i++) {
        components[i] = (opj_component_request){.dx = 1, .dy = 1, .w = 90, .h = 70, .prec = 8, .bpp = 8};
    }
    by->opj_set_default_encoder_parameters(&parameters);
    for (int picture = 0; picture < (habit == TWO_PICTURES ? 2 : 1); picture++) {
        opj_stream *stream = by->opj_stream_create(4096, 0);
        opj_image *image = by->opj_image_create(3, components, OPJ_COLOR_SRGB);
        image->x1 = 90;
        image->y1 = 70;
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 90 * 70; k++) {
                image->comps[i].data[k] = (k * (i + 1) + picture) & 255;
            }
        }
        if (habit != LATE_STREAM) {
            set_stream(by, stream, bytes);
        }
        results = results << 1 | (by->opj_setup_encoder(codec, &parameters, image) != 0);
        if (habit == SET_UP_TWICE) {
            parameters.numresolution = 3;
            results = results << 1 | (by->opj_setup_encoder(codec, &parameters, image) != 0);
        }
        results = results << 1 | (by->opj_start_compress(codec, image, stream) != 0);
        if (habit == LATE_STREAM) {
            set_stream(by, stream, bytes);
        }
        for (int i = 0; i < (habit == ENCODE_TWICE ? 2 : habit != NO_ENCODE); i++) {
            results = results << 1 | (by->opj_encode(codec, stream) != 0);
        }
        for (int i = 0; i < (habit == END_TWICE ? 2 : habit != NO_END); i++) {
            results = results << 1 | (by->opj_end_compress(codec, stream) != 0);
        }
        by->opj_stream_destroy(stream);
        by->opj_image_destroy(image);
    }
    by->opj_destroy_codec(codec);
    return results;
}

/* As libopenjp2: a second encode fails and leaves the file as it is. libopenjp2 itself ends the process with the second
 * picture of a codec and the second end, and calls a file without a picture complete. */
static void test_habits(void)
{
    static const unsigned expected[HABITS] = {0xff, 0x1d, 0x1f, 0x6, 0xf, 0x7, 0x1f};
    size_t once = 0;
    EXPECT(play(&ours, NO_END, &once) == expected[NO_END] && once > 1000, "%zu bytes", once);
    for (int habit = 0; habit < HABITS; habit++) {
        size_t bytes = 0;
        unsigned results = play(&ours, habit, &bytes);
        EXPECT(results == expected[habit], "habit %d: %x", habit, results);
        EXPECT(habit == TWO_PICTURES || habit == LATE_STREAM || habit == SET_UP_TWICE ||
                   bytes == (habit == NO_ENCODE ? 0 : once),
               "habit %d: %zu bytes, %zu once", habit, bytes, once);
    }
}

int main(void)
{
    static void (*const tests[])(void) = {
        test_ways,          test_failing_stream, test_options, test_environment,          test_hand_over, test_boxes,
        test_tiles_misused, test_threads,        test_targets, test_calls_after_failures, test_habits};
    real = real_find((const void *)(uintptr_t)main);
    if (!real || !real->fits) {
        printf("no libopenjp2 of known structures\n");
        return 77;
    }
    ours = bench_ours(real);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        tests[i]();
    }
    printf("%zu tests, %d wrong\n", sizeof tests / sizeof tests[0], wrong);
    return wrong != 0;
}
