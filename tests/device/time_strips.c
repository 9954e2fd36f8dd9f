/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A picture larger than the memory that a device may take, in strips from page-locked memory: how long uploads and
 * downloads take alone, the device alone, all together, and a whole encode. A smaller picture is compared with the CPU
 * first.
 *
 *   time_strips WIDTH HEIGHT COMPONENTS SETTINGS [ROUNDS]
 *
 * SETTINGS: words KEY=VALUE; device-memory=BYTES bounds the device. Samples have 8 bits and are interleaved. The
 * picture is drawn into page-locked memory. "together" ends when all coded blocks are in memory of the host: what
 * follows (packets, files) is the CPU's. "the device alone" has the pixels in memory of the device; it includes the
 * transform, and the download. One more round of either tells on the device's clock when uploads, kernels and downloads
 * of some job had begun and not ended: a copy that waits for another one counts. Where no upload is under way, the
 * device waits for a slot or for the host.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/devices.h"
#include "backend/registry.h"
#include "base/context.h"
#include "cuda/host/memory/device.h"
#include "strip_clock.h"
#include "tests/decode/picture.h"
#include "wavelane_rows.h"
#include "waves/drive.h"

#define DRAWN 2048u /* samples along a side of the texture that the picture repeats */
#define PAINTERS 16u

typedef struct scene {
    wvl_context *context;
    wvl_device *device;
    wvl_plan *plan;
    wvl_image_format format;
    wvl_component_format components[4];
    uint32_t width, height, count;
    size_t pitch;
    uint8_t *pixels; /* page-locked */
    uint8_t *texture;
    wvl_cuda_address there; /* on the device; 0: not yet */
} scene;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void give_up(const char *what, const char *why)
{
    printf("%s: %s\n", what, why);
    exit(1);
}

static void must(wvl_status status, const char *what, const char *why)
{
    if (status != WVL_OK) {
        give_up(what, why && why[0] ? why : wvl_status_text(status));
    }
}

/* ---- The picture ----------------------------------------------------------------------------- */

typedef struct painter {
    const scene *s;
    uint32_t first, end;
    pthread_t thread;
} painter;

/* Copies of the texture, each brighter or darker than its neighbours by a little, so that no two are alike. */
static void *paint(void *user)
{
    const painter *p = user;
    const scene *s = p->s;
    size_t across = (size_t)DRAWN * s->count;
    for (uint32_t y = p->first; y < p->end; y++) {
        uint8_t *row = s->pixels + y * s->pitch;
        for (size_t x = 0; x < (size_t)s->width * s->count; x += across) {
            size_t bytes = s->width * (size_t)s->count - x < across ? s->width * (size_t)s->count - x : across;
            uint8_t by = (uint8_t)(((x / across) * 5 + (y / DRAWN) * 3) % 16);
            const uint8_t *from = s->texture + (y % DRAWN) * across;
            for (size_t i = 0; i < bytes; i++) {
                row[x + i] = (uint8_t)(from[i] / 2 + by);
            }
        }
    }
    return NULL;
}

static void draw(scene *s)
{
    picture p = picture_draw(PICTURE_NATURAL, DRAWN, DRAWN, s->count, 8, 7);
    painter painters[PAINTERS];
    s->texture = malloc((size_t)DRAWN * DRAWN * s->count);
    for (uint32_t c = 0; c < s->count; c++) {
        for (size_t i = 0; i < (size_t)DRAWN * DRAWN; i++) {
            s->texture[i * s->count + c] = (uint8_t)p.planes[c].samples[i];
        }
    }
    for (uint32_t i = 0; i < PAINTERS; i++) {
        painters[i] = (painter){.s = s,
                                .first = (uint32_t)((uint64_t)s->height * i / PAINTERS),
                                .end = (uint32_t)((uint64_t)s->height * (i + 1) / PAINTERS)};
        if (pthread_create(&painters[i].thread, NULL, paint, &painters[i])) {
            give_up("draw", "no thread");
        }
    }
    for (uint32_t i = 0; i < PAINTERS; i++) {
        (void)pthread_join(painters[i].thread, NULL);
    }
    free(s->texture);
    picture_free(&p);
}

/* ---- Plans and images ------------------------------------------------------------------------ */

static wvl_plan *make_plan(const scene *s, const char *settings, const char *device)
{
    wvl_params *params;
    wvl_plan *plan;
    char text[512];
    must(wvl_params_create(s->context, &params), "params", NULL);
    must(wvl_params_set(params, "device", device), "device", wvl_params_error(params));
    (void)snprintf(text, sizeof text, "%s", settings);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        if (!value) {
            give_up(word, "KEY=VALUE, please");
        }
        *value++ = 0;
        must(wvl_params_set(params, word, value), word, wvl_params_error(params));
    }
    must(wvl_plan_create(s->context, params, &s->format, NULL, &plan), "plan", wvl_context_error(s->context));
    wvl_params_release(params);
    return plan;
}

static void open_scene(scene *s, wvl_context *context, uint32_t width, uint32_t height, uint32_t count)
{
    char reason[256] = "";
    *s = (scene){.context = context, .width = width, .height = height, .count = count};
    s->pitch = ((size_t)width * count + 255) / 256 * 256;
    for (uint32_t c = 0; c < count; c++) {
        s->components[c] = (wvl_component_format){.depth = 8, .dx = 1, .dy = 1};
    }
    s->format = (wvl_image_format){.struct_size = sizeof s->format,
                                   .x1 = width,
                                   .y1 = height,
                                   .component_count = count,
                                   .components = s->components};
    must(wvl_context_fetch_device(context, wvl_backend_fetch_device(), 0, &s->device, reason, sizeof reason), "device",
         reason);
    (void)wvl_cuda_enter(s->device);
    if (s->device->runtime->malloc_pinned((void **)&s->pixels, s->pitch * height, 1)) {
        give_up("page-locked memory", "there is not enough");
    }
    wvl_cuda_leave(s->device);
    draw(s);
}

static void close_scene(scene *s)
{
    (void)wvl_cuda_enter(s->device);
    (void)s->device->runtime->free_pinned(s->pixels);
    if (s->there) {
        (void)s->device->runtime->free_device(s->there);
    }
    wvl_cuda_leave(s->device);
}

static wvl_image make_image(const scene *s, wvl_plane *planes, wvl_memory_kind kind)
{
    for (uint32_t c = 0; c < s->count; c++) {
        const void *data = kind == WVL_MEMORY_DEVICE ? (const void *)(uintptr_t)s->there : (const void *)s->pixels;
        planes[c] = (wvl_plane){.data = data,
                                .pitch_bytes = (ptrdiff_t)s->pitch,
                                .sample_stride = s->count,
                                .first_sample = c,
                                .container = WVL_SAMPLE_8};
    }
    return (wvl_image){
        .struct_size = sizeof(wvl_image), .planes = planes, .plane_count = s->count, .memory_kind = kind};
}

/* ---- Alone ----------------------------------------------------------------------------------- */

static int put_on_device(scene *s)
{
    const wvl_cuda_runtime *rt = s->device->runtime;
    wvl_cuda_stream stream = NULL;
    (void)wvl_cuda_enter(s->device);
    int is_there = !rt->malloc_device(&s->there, s->pitch * s->height) &&
                   !rt->stream_create(&stream, WVL_CUDA_STREAM_NON_BLOCKING) &&
                   !rt->upload(s->there, s->pixels, s->pitch * s->height, stream) && !rt->stream_wait(stream);
    if (stream) {
        (void)rt->stream_destroy(stream);
    }
    wvl_cuda_leave(s->device);
    return is_there;
}

/* ---- Together -------------------------------------------------------------------------------- */

typedef struct times {
    double all, answers, submits; /* of all jobs; of code(); of submit() */
    uint64_t bytes, blocks;
    uint32_t jobs;
    uint64_t device_bytes; /* taken */
    wvl_job_cut cut;
} times;

/* All blocks of the job that was handed over, a run a band. */
static wvl_status code_job(wvl_drive *d, wvl_block_run *runs, times *t)
{
    const wvl_drive_flight *flight = &d->flight[d->oldest];
    wvl_block_order order = {.runs = runs, .codings = d->plan->syntax.codings};
    wvl_block_batch batch;
    for (uint32_t i = 0; i < flight->count; i++) {
        const wvl_tile_plan *tile = &d->tiles[d->oldest][i];
        for (uint32_t c = 0; c < tile->component_count; c++) {
            uint32_t b = tile->resolutions[tile->components[c].first_resolution].first_band;
            for (uint32_t last = b + 3u * tile->components[c].levels; b <= last; b++) {
                const wvl_tile_band *band = &tile->bands[b];
                uint32_t rows = band->block_rows - band->rows_above - band->rows_below;
                if (rows && band->block_cols) {
                    runs[order.run_count++] = (wvl_block_run){.tile = i,
                                                              .band = b,
                                                              .component = (uint16_t)c,
                                                              .first = band->rows_above * band->block_cols,
                                                              .count = rows * band->block_cols};
                }
            }
        }
    }
    wvl_drive_submit_ahead(d);
    double start = now();
    wvl_status status = wvl_drive_code(d, &order, &batch);
    t->answers += now() - start;
    for (uint64_t i = 0; status == WVL_OK && i < batch.count; i++) {
        t->bytes += batch.records[i].bytes;
    }
    t->blocks += status == WVL_OK ? batch.count : 0;
    return status;
}

static uint64_t free_memory(const scene *s)
{
    size_t available = 0, total;
    (void)wvl_cuda_enter(s->device);
    (void)s->device->runtime->memory_info(&available, &total);
    wvl_cuda_leave(s->device);
    return available;
}

/* The backend's table, with a watch. */
static wvl_backend_vtable watched;
static double submitted;

static wvl_status submit(wvl_backend *b, const wvl_image *image, const wvl_tile_plan *tiles, uint32_t count,
                         wvl_backend_job **job)
{
    double start = now();
    wvl_status status = wvl_backend_fetch_device()->submit(b, image, tiles, count, job);
    submitted += now() - start;
    return status;
}

static void run_jobs(wvl_drive *d, wvl_block_run *runs, times *t)
{
    uint32_t count;
    double start = now();
    submitted = 0;
    must(wvl_drive_start(d), "start", NULL);
    wvl_status status;
    while ((status = wvl_drive_next(d, &count)) == WVL_OK) {
        if (d->reach >= WVL_REACH_BLOCKS) {
            must(code_job(d, runs, t), "code", d->reason);
        }
        wvl_drive_pass(d);
        t->jobs++;
    }
    must(status == WVL_END ? WVL_OK : status, "jobs", d->reason);
    t->all = now() - start;
    t->submits = submitted;
}

/* trace: of the backend; NULL: none. */
static times time_jobs(const scene *s, const wvl_plan *plan, wvl_memory_kind kind, unsigned rounds,
                       const wvl_trace *trace)
{
    wvl_carver carver = {NULL, 0};
    wvl_wave wave;
    wvl_drive d;
    wvl_plane planes[4];
    wvl_look look = {0};
    wvl_image image = make_image(s, planes, kind);
    wvl_wave_carve(plan, &carver, &wave);
    void *memory = calloc(1, carver.used);
    carver = (wvl_carver){memory, 0};
    wvl_wave_carve(plan, &carver, &wave);
    wvl_block_run *runs = malloc(3 * plan->memory.most_resolutions * plan->syntax.tile_cols * sizeof *runs);
    wvl_drive_init(&d, plan, &wave, trace ? trace : &plan->context->trace, &look, 0, 0);
    uint64_t before = free_memory(s);
    must(wvl_drive_open(&d, &image, NULL), "open", d.reason);
    times best = {.all = 1e9, .device_bytes = before - free_memory(s)};
    if (!wvl_backend_has_devices(d.table)) {
        give_up("open", "the CPU took over");
    }
    watched = *d.table;
    watched.submit = submit;
    d.table = &watched;
    for (unsigned i = 0; i < rounds; i++) {
        times t = {.device_bytes = best.device_bytes, .cut = d.cut};
        run_jobs(&d, runs, &t);
        best = t.all < best.all ? t : best;
    }
    if (!trace) {
        printf("  %u jobs of %llu rows each, %u at a time; reach %s\n", best.jobs, (unsigned long long)d.cut.strip_rows,
               d.jobs, d.reach >= WVL_REACH_BLOCKS ? "blocks" : "coefs");
    }
    wvl_drive_fini(&d);
    free(runs);
    free(memory);
    return best;
}

/* ---- Whole encodes --------------------------------------------------------------------------- */

static int count_bytes(void *user, const void *data, size_t bytes)
{
    (void)data;
    *(uint64_t *)user += bytes;
    return 0;
}

static void time_encode(const scene *s, const wvl_plan *plan)
{
    static const char *const names[] = {"transform", "code", "rate", "write", "check"};
    uint64_t written = 0;
    wvl_plane planes[4];
    char error[512] = "";
    wvl_result *result = NULL;
    wvl_image image = make_image(s, planes, WVL_MEMORY_PINNED);
    wvl_sink sink = {.struct_size = sizeof sink, .write = count_bytes, .user = &written};
    double start = now();
    must(wvl_encode(plan, &image, &sink, NULL, &result, error, sizeof error), "encode", error);
    double seconds = now() - start;
    printf("whole encode: %.1f ms, %.1f MB, by %s; ", 1e3 * seconds, 1e-6 * (double)written,
           wvl_result_backend(result));
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        printf("%s %.1f ms%s", names[i], 1e3 * wvl_result_seconds(result, (wvl_stage)i), i < 4 ? ", " : "\n");
    }
    wvl_result_release(result);
}

/* ---- Same bytes ------------------------------------------------------------------------------ */

static wvl_status read_rows(void *user, const wvl_row_buffer *buffers, uint32_t count, char *error, size_t error_bytes)
{
    const scene *s = user;
    (void)count, (void)error, (void)error_bytes;
    for (uint32_t i = 0; i < buffers[0].row_count; i++) {
        memcpy((uint8_t *)buffers[0].data + i * buffers[0].pitch_bytes,
               s->pixels + (buffers[0].first_row + i) * s->pitch, buffers[0].row_bytes);
    }
    return WVL_OK;
}

static void *encode(const scene *s, const wvl_plan *plan, int by_rows, size_t *bytes, char *backend)
{
    wvl_sink sink;
    void *data = NULL;
    char error[512] = "";
    wvl_plane planes[4];
    wvl_result *result = NULL;
    wvl_row_component rows[4];
    wvl_image image = make_image(s, planes, WVL_MEMORY_PINNED);
    for (uint32_t c = 0; c < s->count; c++) {
        rows[c] = (wvl_row_component){.sample_stride = s->count, .first_sample = c, .container = WVL_SAMPLE_8};
    }
    wvl_row_source source = {.struct_size = sizeof source,
                             .components = rows,
                             .component_count = s->count,
                             .read = read_rows,
                             .user = (void *)(uintptr_t)s};
    must(wvl_sink_open_memory(s->context, &sink), "sink", NULL);
    must(by_rows ? wvl_encode_rows(plan, &source, NULL, &sink, NULL, &result, error, sizeof error)
                 : wvl_encode(plan, &image, &sink, NULL, &result, error, sizeof error),
         "encode", error);
    must(wvl_sink_take_memory(&sink, &data, bytes), "sink", NULL);
    (void)snprintf(backend, 64, "%s", wvl_result_backend(result));
    wvl_result_release(result);
    return data;
}

static void compare(wvl_context *context, uint32_t width, uint32_t count, const char *settings)
{
    scene s;
    size_t want_bytes, bytes;
    char host[64], backend[64];
    open_scene(&s, context, width, 7 * 2048 + 77, count);
    wvl_plan *cpu = make_plan(&s, settings, "cpu"), *device = make_plan(&s, settings, "cuda-only");
    device->test.strip_rows = 1;
    void *want = encode(&s, cpu, 0, &want_bytes, host);
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        void *got = encode(&s, device, by_rows, &bytes, backend);
        if (bytes != want_bytes || memcmp(got, want, bytes) != 0) {
            give_up(by_rows ? "rows" : "image", "WRONG BYTES");
        }
        printf("%u x %u from %s: the CPU's bytes (%zu) by %s\n", s.width, s.height, by_rows ? "rows" : "an image",
               bytes, backend);
        wvl_memory_release(context, got, bytes);
    }
    wvl_memory_release(context, want, want_bytes);
    wvl_plan_release(cpu);
    wvl_plan_release(device);
    close_scene(&s);
}

static void tell(const char *what, const times *t, const scene *s)
{
    double samples = (double)s->width * s->height * s->count;
    printf("%s: %.1f ms, %.2f G samples/s; %.1f MB in %llu blocks, answers %.1f ms, submits %.1f ms; %.3f GB of the "
           "device taken\n",
           what, 1e3 * t->all, 1e-9 * samples / t->all, 1e-6 * (double)t->bytes, (unsigned long long)t->blocks,
           1e3 * t->answers, 1e3 * t->submits, 1e-9 * (double)t->device_bytes);
    (void)fflush(stdout);
}

/* The best of some rounds, and one that is traced. */
static times time_and_tell(const char *what, const scene *s, const wvl_plan *plan, wvl_memory_kind kind,
                           unsigned rounds)
{
    static strip_spans all;
    const wvl_trace trace = {strip_clock_keep, &all};
    times t = time_jobs(s, plan, kind, rounds, NULL);
    tell(what, &t, s);
    memset(&all, 0, sizeof all);
    (void)time_jobs(s, plan, kind, 1, &trace);
    strip_clock_tell(&all);
    return t;
}

static strip_clock make_clock(const scene *s)
{
    return (strip_clock){s->device, s->pixels, s->pitch, (size_t)s->width * s->count, s->height};
}

static void tell_copies(const scene *s, const times *t)
{
    const strip_clock clock = make_clock(s);
    double strips = 1e9, down = 1e9, both = 1e9;
    for (unsigned i = 0; i < 3; i++) {
        double one = strip_clock_time_strip_uploads(&clock, &t->cut),
               two = strip_clock_time_download(&clock, t->bytes, t->jobs, 0),
               three = strip_clock_time_download(&clock, t->bytes, t->jobs, 1);
        strips = one < strips ? one : strips;
        down = two < down ? two : down;
        both = three < both ? three : both;
    }
    printf("upload of the strips alone, with margins: %.1f ms; download of the coded bytes alone: %.1f ms; upload and "
           "download at once: %.1f ms\n",
           1e3 * strips, 1e3 * down, 1e3 * both);
}

int main(int argc, char **argv)
{
    static scene s;
    wvl_context *context;
    if (argc < 5) {
        printf("usage: time_strips WIDTH HEIGHT COMPONENTS SETTINGS [ROUNDS]\n");
        return 2;
    }
    uint32_t width = (uint32_t)atoi(argv[1]), height = (uint32_t)atoi(argv[2]), count = (uint32_t)atoi(argv[3]);
    unsigned rounds = argc > 5 ? (unsigned)atoi(argv[5]) : 3;
    wvl_context_options options = {.struct_size = sizeof options};
    must(wvl_context_create(&options, &context), "context", NULL);
    compare(context, width < 2048 ? width : 2048, count, argv[4]);
    double start = now();
    open_scene(&s, context, width, height, count);
    printf("%u x %u x %u drawn in %.1f s\n", width, height, count, now() - start);
    wvl_plan *plan = make_plan(&s, argv[4], "cuda-only");
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    must(wvl_plan_measure(plan, &memory), "measure", NULL);
    printf("promised: %.3f GB of the device, %.3f GB page-locked\n", 1e-9 * (double)memory.device_bytes,
           1e-9 * (double)memory.pinned_bytes);
    const strip_clock clock = make_clock(&s);
    double upload = 1e9;
    for (unsigned i = 0; i < rounds; i++) {
        double seconds = strip_clock_time_upload(&clock, s.pitch * 2048);
        upload = seconds < upload ? seconds : upload;
    }
    printf("upload alone: %.1f ms, %.1f GB/s\n", 1e3 * upload, 1e-9 * (double)(s.pitch * height) / upload);
    times together = time_and_tell("together", &s, plan, WVL_MEMORY_PINNED, rounds);
    tell_copies(&s, &together);
    if (put_on_device(&s)) {
        times alone = time_and_tell("the device alone", &s, plan, WVL_MEMORY_DEVICE, rounds);
        double slower = upload > alone.all ? upload : alone.all;
        printf("together runs at %.3f of the slower of upload and device alone\n", slower / together.all);
    }
    time_encode(&s, plan);
    wvl_plan_release(plan);
    close_scene(&s);
    wvl_context_release(context);
    return 0;
}
