/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures in flight through the backend's table: pictures a second, latency and CPU time, with every picture of the
 * ring compared before.
 */

#include "cuda/host/waves/job.h"
#include "device_timer.h"
#include "dwt/inverse.h"
#include "picture_bench.h"
#include "tests/support/planned.h"
#include "timer_launches.h"

#define MOST_WORKSPACES 256
#define MOST_RING 16

typedef struct configuration {
    uint32_t workspaces, memory, ring, writers, graphs, warps, output, direct, streams, copies, full, clock, rounds,
        carve, lanes, thin, pace, deeper, integers, multiprocessors;
} configuration;

typedef struct scene {
    picture_driver driver;
    picture_case base;
    picture_case ring[MOST_RING]; /* the same plan; other pixels and bytes */
    picture_pixels pixels[MOST_RING];
    uint32_t *parts;
    uint64_t *groups;
} scene;

static double count_cpu(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Rows and columns of every plane, moved round. */
static picture shift_picture(const picture *p, uint32_t by)
{
    picture moved = *p;
    moved.planes = malloc(p->count * sizeof *moved.planes);
    for (uint32_t c = 0; c < p->count; c++) {
        const picture_plane *from = &p->planes[c];
        picture_plane *to = &moved.planes[c];
        *to = *from;
        to->samples = malloc((size_t)from->width * from->height * sizeof *to->samples);
        for (uint32_t y = 0; y < from->height; y++) {
            for (uint32_t x = 0; x < from->width; x++) {
                size_t at = (size_t)((y + 31 * by) % from->height) * from->width + (x + 17 * by) % from->width;
                to->samples[(size_t)y * from->width + x] = from->samples[at];
            }
        }
    }
    return moved;
}

#define CONFIGURED(name)                                                                                               \
    {                                                                                                                  \
        #name, offsetof(configuration, name)                                                                           \
    }
static const struct {
    const char *name;
    size_t at;
} names[] = {CONFIGURED(workspaces), CONFIGURED(memory), CONFIGURED(ring),     CONFIGURED(writers),
             CONFIGURED(graphs),     CONFIGURED(warps),  CONFIGURED(output),   CONFIGURED(direct),
             CONFIGURED(streams),    CONFIGURED(copies), CONFIGURED(full),     CONFIGURED(clock),
             CONFIGURED(rounds),     CONFIGURED(carve),  CONFIGURED(lanes),    CONFIGURED(thin),
             CONFIGURED(pace),       CONFIGURED(deeper), CONFIGURED(integers), CONFIGURED(multiprocessors)};

static configuration parse(const char *text)
{
    configuration c = {.workspaces = 8, .memory = 2, .ring = 8, .graphs = 1};
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word; (word = strtok_r(rest, ",", &rest));) {
        char *value = strchr(word, '=');
        unsigned i = 0, count = sizeof names / sizeof *names;
        if (!value) {
            timer_fail("%s: NAME=NUMBER is needed (device_timer --help)", word);
        }
        *value++ = 0;
        while (i < count && strcmp(names[i].name, word) != 0) {
            i++;
        }
        if (i == count) {
            timer_fail("%s: no such name of a configuration (device_timer --help)", word);
        }
        *(uint32_t *)(void *)((char *)&c + names[i].at) = (uint32_t)atoi(value);
    }
    c.workspaces = c.workspaces < 1 || c.workspaces > MOST_WORKSPACES ? 1 : c.workspaces;
    c.ring = c.ring < 1 || c.ring > MOST_RING ? 1 : c.ring;
    c.workspaces = c.clock ? 1 : c.workspaces;
    c.graphs = c.clock || c.multiprocessors ? 0 : c.graphs;
    return c;
}

/* ---- Backends -------------------------------------------------------------------------------- */

/* Thread blocks of the HT coder with fewer warps, so that more of them, or others, share a multiprocessor. */
static void shape(wvl_cuda_ht *ht, uint32_t warps)
{
    for (unsigned i = 0; warps && i < WVL_CUDA_HT_CLASSES; i++) {
        wvl_cuda_ht_shape *s = &ht->cleanup[i];
        s->warps = warps < s->warps ? warps : s->warps;
        uint32_t bytes = s->table_bytes + s->warps * s->warp_bytes + 1024, each = (228u << 10) / bytes;
        s->resident = ht->multiprocessors * (each ? each : 1);
    }
}

static wvl_backend *open_backend(scene *s, const configuration *c, double *prepared)
{
    const wvl_backend_options options = {.pool = s->base.context->pool, .device = s->driver.device};
    wvl_backend_memory memory;
    wvl_backend *backend = NULL;
    double start = wvl_trace_now();
    if (wvl_backend_cuda.open(&options, &backend) != WVL_OK) {
        timer_fail("open");
    }
    backend->options = (c->graphs ? 0 : WVL_CUDA_NO_GRAPHS) | (c->direct ? WVL_CUDA_DIRECT : 0);
    backend->writers = c->writers;
    backend->streams = c->streams;
    backend->copies = c->copies;
    backend->pace = c->pace;
    backend->deeper = c->deeper;
    wvl_backend_cuda.measure_picture(s->base.plan, &s->base.assembly, &memory);
    for (uint32_t i = 0; i < c->workspaces; i++) {
        wvl_status status = wvl_backend_cuda.prepare_picture(backend, s->base.plan, &s->base.assembly, &memory);
        if (status != WVL_OK) {
            timer_fail("workspace %u of %u, %.0f MB of device memory each: %s", i, c->workspaces,
                       1e-6 * (double)memory.device_bytes, wvl_status_text(status));
        }
    }
    *prepared = wvl_trace_now() - start;
    return backend;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

typedef struct flight {
    wvl_backend *backend;
    wvl_backend_job *job;
    uint32_t which;
    double begun;
} flight;

/* Device memory of all workspaces, as they are now. */
static uint64_t count_memory(const wvl_backend *b)
{
    uint64_t bytes = 0;
    for (const wvl_workspace *workspace = b->workspaces.first; workspace; workspace = workspace->next) {
        bytes += ((const wvl_backend_job *)workspace)->device_capacity;
    }
    return bytes;
}

static void submit(scene *s, wvl_backend *b, const configuration *c, uint64_t number, flight *f)
{
    f->which = (uint32_t)(number % c->ring);
    f->begun = wvl_trace_now();
    f->backend = b;
    if (wvl_backend_cuda.submit_picture(b, s->base.plan, &s->pixels[f->which].image, 0, &f->job) != WVL_OK) {
        timer_fail("submit");
    }
}

static wvl_status finish(const scene *s, const flight *f, wvl_finished *finished)
{
    wvl_status status = wvl_backend_cuda.wait(f->job, WVL_EVENT_DONE, UINT32_MAX);
    return status ? status : wvl_backend_cuda.take_picture(f->job, finished, s->parts, s->groups);
}

/* In a workspace with more memory, which takes the place of this one. */
static wvl_status finish_again(const scene *s, flight *f, wvl_finished *finished)
{
    wvl_backend_cuda.release(f->job);
    wvl_status status =
        wvl_backend_cuda.submit_picture(f->backend, s->base.plan, &s->pixels[f->which].image, 1, &f->job);
    return status ? status : finish(s, f, finished);
}

static double collect(scene *s, flight *f, int compares)
{
    wvl_finished finished;
    wvl_status status = finish(s, f, &finished);
    status = status == WVL_AGAIN ? finish_again(s, f, &finished) : status;
    double latency = wvl_trace_now() - f->begun;
    if (status != WVL_OK) {
        timer_fail("wait or take: %s", wvl_status_text(status));
    }
    wvl_backend_cuda.release(f->job);
    if (compares) {
        const picture_case *want = &s->ring[f->which];
        uint8_t *bytes = picture_fetch(&s->driver, &finished);
        if (!bytes || finished.bytes != want->expected_bytes || memcmp(bytes, want->expected, want->expected_bytes)) {
            timer_fail("picture %u: %llu bytes, expected %zu: WRONG BYTES", f->which,
                       (unsigned long long)finished.bytes, want->expected_bytes);
        }
        free(bytes);
    }
    wvl_backend_cuda.drop_picture(s->driver.device, &finished);
    return latency;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Does what collect does, with times of launches. */
static double collect_timed(scene *s, const configuration *c, flight *f, int compares)
{
    double latency = collect(s, f, compares);
    if (c->clock) {
        timer_launches_take();
    }
    return latency;
}

static void open_clock(const scene *s, const configuration *c)
{
    timer_launches_shape(c->lanes, c->thin);
    if (c->clock) {
        timer_launches_open(s->driver.device);
    } else if (c->rounds || c->lanes) {
        timer_launches_limit(s->driver.device, c->rounds);
    }
    if (c->carve) {
        timer_launches_carve(s->driver.device, (int)c->carve);
    }
}

static void close_clock(const scene *s, const configuration *c)
{
    if (c->clock) {
        timer_launches_print();
        timer_launches_close(s->driver.device);
    } else if (c->rounds || c->lanes) {
        timer_launches_unlimit(s->driver.device);
    }
    if (c->carve) {
        timer_launches_carve(s->driver.device, -1);
    }
}

static void measure(scene *s, const configuration *c, double seconds, const char *name)
{
    static double latencies[1 << 16];
    flight flights[MOST_WORKSPACES];
    wvl_cuda_ht plain = s->driver.device->ht;
    double prepared, start = 0, cpu = 0;
    uint64_t begun = 0, done = 0, first = 0, kept = 0, warm = 2ull * c->workspaces + 2 * c->ring;
    s->base.plan->device.output = c->output != 0;
    s->base.plan->test.depth_full = c->full != 0;
    shape(&s->driver.device->ht, c->warps);
    int has_fast_doubles = s->driver.device->has_fast_doubles;
    s->driver.device->has_fast_doubles = has_fast_doubles && !c->integers;
    timer_partition_open(s->driver.device, c->multiprocessors);
    wvl_backend *b = open_backend(s, c, &prepared);
    open_clock(s, c);
    for (; begun < c->workspaces; begun++) {
        submit(s, b, c, begun, &flights[begun]);
    }
    for (double end = wvl_trace_now() + seconds + 10; wvl_trace_now() < end; done++) {
        flight *f = &flights[done % c->workspaces];
        double latency = collect_timed(s, c, f, done < warm);
        if (done == warm) {
            start = wvl_trace_now();
            cpu = count_cpu();
            end = start + seconds;
            first = done;
        }
        if (done > warm && kept < sizeof latencies / sizeof *latencies) {
            latencies[kept++] = latency;
        }
        submit(s, b, c, begun++, f);
    }
    double wall = wvl_trace_now() - start, used = count_cpu() - cpu, count = (double)(done - first);
    for (uint32_t i = 0; i < c->workspaces; i++, done++) {
        (void)collect_timed(s, c, &flights[done % c->workspaces], 1);
    }
    close_clock(s, c);
    qsort(latencies, kept, sizeof *latencies, by_size);
    printf("%-48s %8.0f pictures/s, %6.3f ms CPU, latency p50 %.3f p99 %.3f ms; %.2f MB, device memory %.0f MB; "
           "prepared in %.2f s\n",
           name, count / wall, 1e3 * used / count, kept ? 1e3 * latencies[kept / 2] : 0,
           kept ? 1e3 * latencies[kept * 99 / 100] : 0, 1e-6 * (double)s->ring[0].expected_bytes,
           1e-6 * (double)count_memory(b), prepared);
    (void)fflush(stdout);
    wvl_backend_cuda.close(b);
    timer_partition_close(s->driver.device);
    s->driver.device->ht = plain;
    s->driver.device->has_fast_doubles = has_fast_doubles;
}

/* ---- Scenes ---------------------------------------------------------------------------------- */

/* The pixels of a plane whose coefficients are all alike. Tiles are not for this. */
static void set_coefficients(const picture_case *c, uint32_t component, int32_t coefficient, picture_plane *plane)
{
    size_t count = (size_t)plane->width * plane->height;
    int32_t *samples = plane->samples, *spare = malloc(count * sizeof *spare),
            *row = malloc(plane->width * sizeof *row), shift = 1 << (plane->depth - 1);
    wvl_tile_plan *tile = test_build_tiles(c->plan);
    for (size_t i = 0; i < count; i++) {
        samples[i] = coefficient;
    }
    wvl_inverse_53(tile, component, samples, spare, plane->width, row, NULL);
    for (size_t i = 0; i < count; i++) {
        samples[i] += shift;
        if (samples[i] < 0 || samples[i] >> plane->depth) {
            timer_fail("such coefficients do not come from pixels of this depth");
        }
    }
    free(tile);
    free(row);
    free(spare);
}

static picture draw_ones(uint32_t width, uint32_t height, uint32_t depth, unsigned magnitude_plane,
                         const char *settings)
{
    picture p = picture_draw(PICTURE_FLAT, width, height, 3, depth, 1);
    picture_case c;
    if (!picture_case_open(&c, &p, settings) || c.plan->syntax.tile_count != 1) {
        timer_fail("%s", c.problem[0] ? c.problem : "ones: the picture needs one tile");
    }
    for (uint32_t i = 0; i < p.count; i++) {
        set_coefficients(&c, i, -(1 << magnitude_plane), &p.planes[i]);
    }
    picture_case_close(&c);
    return p;
}

static picture load(const char *name, const char *settings)
{
    unsigned width, height, depth, magnitude_plane;
    if (sscanf(name, "ones:%ux%ux%ux%u", &width, &height, &depth, &magnitude_plane) == 4) {
        return draw_ones(width, height, depth, magnitude_plane, settings);
    }
    return timer_load(name);
}

static void open_scene(scene *s, const char *name, const char *settings, uint32_t ring)
{
    picture p = load(name, settings);
    if (!picture_case_open(&s->base, &p, settings)) {
        timer_fail("%s", s->base.problem);
    }
    for (uint32_t i = 0; i < ring; i++) {
        picture moved = shift_picture(&p, i);
        if (!picture_case_open(&s->ring[i], &moved, settings)) {
            timer_fail("%s", s->ring[i].problem);
        }
        fuzz_picture_free(&moved);
    }
    s->parts = malloc((s->base.assembly.part_count + 1u) * sizeof *s->parts);
    s->groups = malloc((size_t)s->base.plan->syntax.component_count * (s->base.plan->syntax.max_levels + 1u) *
                       s->base.plan->syntax.layer_count * sizeof *s->groups);
    fuzz_picture_free(&p);
}

static void open_pixels(scene *s, const configuration *c)
{
    static const wvl_memory_kind kinds[] = {WVL_MEMORY_HOST, WVL_MEMORY_PINNED, WVL_MEMORY_DEVICE};
    for (uint32_t i = 0; i < c->ring; i++) {
        if (!picture_pixels_open(&s->pixels[i], &s->driver, &s->ring[i], kinds[c->memory % 3])) {
            timer_fail("pixels");
        }
    }
}

static void close_scene(scene *s, uint32_t ring)
{
    for (uint32_t i = 0; i < ring; i++) {
        picture_case_close(&s->ring[i]);
    }
    picture_case_close(&s->base);
    free(s->parts);
    free(s->groups);
    picture_driver_close(&s->driver);
}

void timer_run_pictures(const timer *t)
{
    static scene s;
    static char usual[] = "workspaces=8";
    char *only[] = {usual}, **texts = t->configuration_count ? t->configurations : only;
    unsigned count = t->configuration_count ? t->configuration_count : 1;
    uint32_t ring = 1;
    for (unsigned i = 0; i < count; i++) {
        configuration c = parse(texts[i]);
        ring = c.ring > ring ? c.ring : ring;
    }
    if (!picture_driver_open(&s.driver)) {
        timer_fail("no device, or no device code in this build");
    }
    open_scene(&s, t->picture, t->settings, ring);
    printf("%s %s, %.4f bits a pixel\n", t->picture, t->settings,
           8.0 * (double)s.base.expected_bytes / (double)s.base.plan->syntax.image.x1 /
               (double)s.base.plan->syntax.image.y1);
    for (unsigned i = 0; i < count; i++) {
        configuration c = parse(texts[i]);
        open_pixels(&s, &c);
        measure(&s, &c, timer_or(t->seconds, 1), texts[i]);
        for (uint32_t k = 0; k < c.ring; k++) {
            picture_pixels_close(&s.pixels[k], &s.driver);
        }
    }
    close_scene(&s, ring);
}
