/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A picture larger than the memory that a device may take, in strips from page-locked memory: how long uploads and
 * downloads take alone, the device alone, all together, and a whole encode. A smaller picture is compared with the CPU
 * first. Samples have 8 bits and are interleaved. "together" ends when all coded blocks are in memory of the host: what
 * follows (packets, files) is the CPU's. "the device alone" has the pixels in memory of the device; it includes the
 * transform, and the download. One more round of either prints, by the device's clock, when uploads, kernels and
 * downloads of some job had begun and not ended: a copy that waits for another one counts. Where no upload is under
 * way, the device waits for a workspace or for the host.
 */
#include <stdio.h>

#include "backend/registry.h"
#include "device_timer.h"
#include "picture_bench.h"
#include "waves/drive.h"

#define DRAWN 2048u /* samples along a side of the texture that the picture repeats */
#define BAND_ROWS 256u

/* Copies in page-locked memory, one strip after the other. */
typedef struct timer_copies {
    wvl_device *device;
    uint8_t *pixels; /* page-locked */
    size_t pitch, row_bytes;
    uint64_t height, rows; /* of the picture; of a strip */
    uint64_t above, below; /* rows that a strip's upload has beside its own */
    uint64_t down_bytes;   /* of all strips; 0: no downloads */
    int has_uploads;
} timer_copies;

enum { TIMER_UPLOAD, TIMER_KERNELS, TIMER_DOWNLOAD, TIMER_SPAN_KINDS };
#define TIMER_MOST_SPANS 4096u

typedef struct timer_spans {
    double begin[TIMER_SPAN_KINDS][TIMER_MOST_SPANS], end[TIMER_SPAN_KINDS][TIMER_MOST_SPANS];
    uint32_t count[TIMER_SPAN_KINDS];
} timer_spans;

/* Memory and streams of the copies. */
typedef struct copy_memory {
    wvl_cuda_address there;
    void *here;
    wvl_cuda_stream up, down;
    uint64_t up_bytes, down_bytes; /* of a strip */
} copy_memory;

static wvl_cuda_status upload_strip(const timer_copies *c, const copy_memory *m, uint64_t row)
{
    const wvl_cuda_runtime *rt = c->device->runtime;
    uint64_t first = row < c->above ? 0 : row - c->above, end = wvl_min_u64(row + c->rows + c->below, c->height);
    const wvl_cuda_copy copy = {.from_kind = 1,
                                .from_host = c->pixels + first * c->pitch,
                                .from_pitch_bytes = c->pitch,
                                .to_kind = 2,
                                .to_device = m->there,
                                .to_pitch_bytes = c->pitch,
                                .width_bytes = c->row_bytes,
                                .rows = end - first};
    return c->above || c->below ? rt->upload_rows(&copy, m->up)
                                : rt->upload(m->there, c->pixels + first * c->pitch, (end - first) * c->pitch, m->up);
}

static double copy_once(const timer_copies *c, const copy_memory *m)
{
    const wvl_cuda_runtime *rt = c->device->runtime;
    double start = wvl_trace_now();
    for (uint64_t row = 0; row < c->height; row += c->rows) {
        if (c->down_bytes) {
            timer_require(rt->download(m->here, m->there + m->up_bytes, m->down_bytes, m->down));
        }
        if (c->has_uploads) {
            timer_require(upload_strip(c, m, row));
        }
    }
    timer_require(rt->stream_wait(m->up));
    timer_require(rt->stream_wait(m->down));
    return wvl_trace_now() - start;
}

/* Seconds, the least of three times. */
static double timer_copies_measure(const timer_copies *c)
{
    const wvl_cuda_runtime *rt = c->device->runtime;
    double best = 1e9;
    copy_memory m = {.up_bytes = (c->rows + c->above + c->below) * c->pitch,
                     .down_bytes = c->down_bytes / ((c->height + c->rows - 1) / c->rows) + 1};
    (void)wvl_cuda_enter(c->device);
    timer_require(rt->malloc_device(&m.there, m.up_bytes + m.down_bytes));
    timer_require(rt->malloc_pinned(&m.here, m.down_bytes, 1));
    timer_require(rt->fill(m.there, 0, m.up_bytes + m.down_bytes, NULL));
    timer_require(rt->stream_wait(NULL));
    timer_require(rt->stream_create(&m.up, WVL_CUDA_STREAM_NON_BLOCKING));
    timer_require(rt->stream_create(&m.down, WVL_CUDA_STREAM_NON_BLOCKING));
    for (unsigned i = 0; i < 3; i++) {
        double seconds = copy_once(c, &m);
        best = seconds < best ? seconds : best;
    }
    (void)rt->stream_destroy(m.up);
    (void)rt->stream_destroy(m.down);
    (void)rt->free_device(m.there);
    (void)rt->free_pinned(m.here);
    wvl_cuda_leave(c->device);
    return best;
}

/* ---- When what is under way ------------------------------------------------------------------ */

/* A wvl_trace_fn for a drive of one thread; user: timer_spans. */
static void timer_spans_keep(void *user, const wvl_trace_span *span)
{
    static const char *const names[TIMER_SPAN_KINDS] = {"upload", "kernels", "download"};
    timer_spans *all = user;
    for (unsigned k = 0; k < TIMER_SPAN_KINDS; k++) {
        if (!strcmp(span->name, names[k]) && !strncmp(span->track, "cuda:", 5) && all->count[k] < TIMER_MOST_SPANS) {
            all->begin[k][all->count[k]] = span->begin;
            all->end[k][all->count[k]++] = span->end;
        }
    }
}

static int is_under_way(const timer_spans *all, unsigned kind, double at)
{
    for (uint32_t i = 0; i < all->count[kind]; i++) {
        if (all->begin[kind][i] <= at && at < all->end[kind][i]) {
            return 1;
        }
    }
    return 0;
}

/* Prints how long what was under way at once. */
static void timer_spans_print(const timer_spans *all)
{
    double first = 1e30, last = 0, step = 1e-5;
    unsigned under_way[1u << TIMER_SPAN_KINDS] = {0};
    for (unsigned k = 0; k < TIMER_SPAN_KINDS; k++) {
        for (uint32_t i = 0; i < all->count[k]; i++) {
            first = all->begin[k][i] < first ? all->begin[k][i] : first;
            last = all->end[k][i] > last ? all->end[k][i] : last;
        }
    }
    for (double at = first; at < last; at += step) {
        unsigned which = 0;
        for (unsigned k = 0; k < TIMER_SPAN_KINDS; k++) {
            which |= (unsigned)is_under_way(all, k, at) << k;
        }
        under_way[which]++;
    }
    printf("  on the device's clock, %.1f ms; under way for ms:", 1e3 * (last - first));
    static const char *const names[1u << TIMER_SPAN_KINDS] = {"nothing",          "upload",   "kernels",
                                                              "upload+kernels",   "download", "upload+download",
                                                              "kernels+download", "all three"};
    for (unsigned i = 0; i < 1u << TIMER_SPAN_KINDS; i++) {
        printf(" %s %.1f%s", names[i], 1e3 * step * under_way[i], i + 1 < 1u << TIMER_SPAN_KINDS ? "," : "\n");
    }
}

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

static void must(wvl_status status, const char *what, const char *why)
{
    if (status != WVL_OK) {
        timer_fail("%s: %s", what, why && why[0] ? why : wvl_status_text(status));
    }
}

/* ---- The picture ----------------------------------------------------------------------------- */

/* Copies of the texture, each brighter or darker than its neighbours by a little, so that no two are alike. */
static void paint(void *user, uint32_t band, uint32_t worker)
{
    const scene *s = user;
    size_t across = (size_t)DRAWN * s->count, row_bytes = s->width * (size_t)s->count;
    uint32_t first = band * BAND_ROWS, end = s->height - first < BAND_ROWS ? s->height : first + BAND_ROWS;
    (void)worker;
    for (uint32_t y = first; y < end; y++) {
        uint8_t *row = s->pixels + y * s->pitch;
        for (size_t x = 0; x < row_bytes; x += across) {
            size_t bytes = row_bytes - x < across ? row_bytes - x : across;
            uint8_t by = (uint8_t)(((x / across) * 5 + (y / DRAWN) * 3) % 16);
            const uint8_t *from = s->texture + (y % DRAWN) * across;
            for (size_t i = 0; i < bytes; i++) {
                row[x + i] = (uint8_t)(from[i] / 2 + by);
            }
        }
    }
}

static void draw(scene *s)
{
    picture p = picture_draw(PICTURE_NATURAL, DRAWN, DRAWN, s->count, 8, 7);
    s->texture = malloc((size_t)DRAWN * DRAWN * s->count);
    for (uint32_t c = 0; c < s->count; c++) {
        for (size_t i = 0; i < (size_t)DRAWN * DRAWN; i++) {
            s->texture[i * s->count + c] = (uint8_t)p.planes[c].samples[i];
        }
    }
    wvl_pool_run(s->context->pool, (s->height + BAND_ROWS - 1) / BAND_ROWS, paint, s);
    free(s->texture);
    fuzz_picture_free(&p);
}

/* ---- Plans and images ------------------------------------------------------------------------ */

static wvl_plan *make_plan(const scene *s, const char *settings, const char *device)
{
    char text[512], problem[512];
    snprintf(text, sizeof text, "device=%s %s", device, settings);
    wvl_plan *plan = picture_make_plan(s->context, &s->format, text, problem, sizeof problem);
    if (!plan) {
        timer_fail("%s", problem);
    }
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
        timer_fail("not enough page-locked memory");
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
static wvl_status code_job(wvl_drive *d, wvl_block_range *runs, times *t)
{
    const wvl_drive_flight *flight = &d->flight[d->oldest];
    wvl_block_order order = {.ranges = runs, .codings = d->plan->syntax.codings};
    wvl_block_batch batch;
    for (uint32_t i = 0; i < flight->count; i++) {
        const wvl_tile_plan *tile = &d->tiles[d->oldest][i];
        for (uint32_t c = 0; c < tile->component_count; c++) {
            uint32_t b = tile->resolutions[tile->components[c].first_resolution].first_band;
            for (uint32_t last = b + 3u * tile->components[c].levels; b <= last; b++) {
                const wvl_tile_band *band = &tile->bands[b];
                uint32_t rows = band->block_rows - band->rows_above - band->rows_below;
                if (rows && band->block_cols) {
                    runs[order.range_count++] = (wvl_block_range){.tile = i,
                                                                  .band = b,
                                                                  .component = (uint16_t)c,
                                                                  .first = band->rows_above * band->block_cols,
                                                                  .count = rows * band->block_cols};
                }
            }
        }
    }
    wvl_drive_submit_ahead(d);
    double start = wvl_trace_now();
    wvl_status status = wvl_drive_code(d, &order, &batch);
    t->answers += wvl_trace_now() - start;
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
    double start = wvl_trace_now();
    wvl_status status = wvl_backend_fetch_device()->submit(b, image, tiles, count, job);
    submitted += wvl_trace_now() - start;
    return status;
}

static void run_jobs(wvl_drive *d, wvl_block_range *runs, times *t)
{
    uint32_t count;
    double start = wvl_trace_now();
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
    t->all = wvl_trace_now() - start;
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
    wvl_block_range *runs = malloc(3 * plan->memory.most_resolutions * plan->syntax.tile_cols * sizeof *runs);
    wvl_drive_init(&d, plan, &wave, trace ? trace : &plan->context->trace, &look, 0, 0);
    uint64_t before = free_memory(s);
    wvl_way way = wvl_choose_way(
        plan, &(wvl_way_source){.image = &image, .failed = 1u << WVL_WAY_SHARES | 1u << WVL_WAY_PICTURE});
    must(wvl_drive_open(&d, &way, &image, NULL), "open", d.reason);
    times best = {.all = 1e9, .device_bytes = before - free_memory(s)};
    if (!wvl_backend_has_devices(d.table)) {
        timer_fail("the CPU took over: %s", d.reason);
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
    double start = wvl_trace_now();
    must(wvl_encode(plan, &image, &sink, NULL, &result, error, sizeof error), "encode", error);
    double seconds = wvl_trace_now() - start;
    printf("whole encode: %.1f ms, %.1f MB, by %s; ", 1e3 * seconds, 1e-6 * (double)written,
           wvl_result_backend(result));
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        printf("%s %.1f ms%s", names[i], 1e3 * wvl_result_seconds(result, (wvl_stage)i), i < 4 ? ", " : "\n");
    }
    wvl_result_release(result);
}

/* ---- Same bytes ------------------------------------------------------------------------------ */

static void *encode(const scene *s, const wvl_plan *plan, size_t *bytes, char *backend)
{
    wvl_sink sink;
    void *data = NULL;
    char error[512] = "";
    wvl_plane planes[4];
    wvl_result *result = NULL;
    wvl_image image = make_image(s, planes, WVL_MEMORY_PINNED);
    must(wvl_sink_open_memory(s->context, &sink), "sink", NULL);
    must(wvl_encode(plan, &image, &sink, NULL, &result, error, sizeof error), "encode", error);
    must(wvl_sink_take_memory(&sink, &data, bytes), "sink", NULL);
    snprintf(backend, 64, "%s", wvl_result_backend(result));
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
    void *want = encode(&s, cpu, &want_bytes, host), *got = encode(&s, device, &bytes, backend);
    if (bytes != want_bytes || memcmp(got, want, bytes) != 0) {
        timer_fail("%u x %u: WRONG BYTES", s.width, s.height);
    }
    printf("%u x %u: the CPU's bytes (%zu) by %s\n", s.width, s.height, bytes, backend);
    wvl_memory_release(context, got, bytes);
    wvl_memory_release(context, want, want_bytes);
    wvl_plan_release(cpu);
    wvl_plan_release(device);
    close_scene(&s);
}

static void print_times(const char *what, const times *t, const scene *s)
{
    double samples = (double)s->width * s->height * s->count;
    printf("%s: %.1f ms, %.2f G samples/s; %.1f MB in %llu blocks, answers %.1f ms, submits %.1f ms; %.3f GB of the "
           "device taken\n",
           what, 1e3 * t->all, 1e-9 * samples / t->all, 1e-6 * (double)t->bytes, (unsigned long long)t->blocks,
           1e3 * t->answers, 1e3 * t->submits, 1e-9 * (double)t->device_bytes);
    (void)fflush(stdout);
}

/* The best of some rounds, and one that is traced. */
static times time_and_print(const char *what, const scene *s, const wvl_plan *plan, wvl_memory_kind kind,
                            unsigned rounds)
{
    static timer_spans all;
    const wvl_trace trace = {timer_spans_keep, &all};
    times t = time_jobs(s, plan, kind, rounds, NULL);
    print_times(what, &t, s);
    memset(&all, 0, sizeof all);
    (void)time_jobs(s, plan, kind, 1, &trace);
    timer_spans_print(&all);
    return t;
}

/* Copies in strips of `rows` rows, without margins. */
static timer_copies make_copies(const scene *s, uint64_t rows)
{
    return (timer_copies){.device = s->device,
                          .pixels = s->pixels,
                          .pitch = s->pitch,
                          .row_bytes = (size_t)s->width * s->count,
                          .height = s->height,
                          .rows = rows,
                          .has_uploads = 1};
}

static void print_copies(const scene *s, const times *t)
{
    timer_copies strips = make_copies(s, t->cut.strip_rows ? t->cut.strip_rows : s->height), both = strips;
    strips.above = t->cut.grid.above;
    strips.below = t->cut.grid.below;
    both.down_bytes = t->bytes;
    timer_copies down = both;
    down.has_uploads = 0;
    printf("upload of the strips alone, with margins: %.1f ms; download of the coded bytes alone: %.1f ms; upload and "
           "download at once: %.1f ms\n",
           1e3 * timer_copies_measure(&strips), 1e3 * timer_copies_measure(&down), 1e3 * timer_copies_measure(&both));
}

static void time_scene(scene *s, const char *settings, unsigned rounds)
{
    wvl_plan *plan = make_plan(s, settings, "cuda-only");
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    must(wvl_plan_measure(plan, &memory), "measure", NULL);
    printf("promised: %.3f GB of the device, %.3f GB page-locked\n", 1e-9 * (double)memory.device_bytes,
           1e-9 * (double)memory.pinned_bytes);
    const timer_copies copies = make_copies(s, 2048);
    double upload = timer_copies_measure(&copies);
    printf("upload alone: %.1f ms, %.1f GB/s\n", 1e3 * upload, 1e-9 * (double)(s->pitch * s->height) / upload);
    times together = time_and_print("together", s, plan, WVL_MEMORY_PINNED, rounds);
    print_copies(s, &together);
    if (put_on_device(s)) {
        times alone = time_and_print("the device alone", s, plan, WVL_MEMORY_DEVICE, rounds);
        double slower = upload > alone.all ? upload : alone.all;
        printf("together runs at %.3f of the slower of upload and device alone\n", slower / together.all);
    }
    time_encode(s, plan);
    wvl_plan_release(plan);
}

void timer_run_strips(const timer *t)
{
    static scene s;
    wvl_context *context;
    unsigned width, height, count;
    wvl_context_options options = {.struct_size = sizeof options};
    if (sscanf(t->picture, "%ux%ux%u", &width, &height, &count) != 3 || !count || count > 4) {
        timer_fail("%s: strips needs WIDTHxHEIGHTxCOMPONENTS, at most 4 components", t->picture);
    }
    if (!wvl_backend_fetch_device()) {
        timer_fail("no device code in this build");
    }
    must(wvl_context_create(&options, &context), "context", NULL);
    compare(context, width < 2048 ? width : 2048, count, t->settings);
    double start = wvl_trace_now();
    open_scene(&s, context, width, height, count);
    printf("%u x %u x %u drawn in %.1f s\n", width, height, count, wvl_trace_now() - start);
    time_scene(&s, t->settings, timer_or(t->runs, 3));
    close_scene(&s);
    wvl_context_release(context);
}
