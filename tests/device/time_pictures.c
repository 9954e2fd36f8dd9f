/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures in flight through the backend's table: pictures a second, latency and CPU time, with every picture of the
 * ring compared before.
 *
 *   time_pictures PICTURE SETTINGS SECONDS CONFIGURATION...
 *
 * PICTURE: a file in the folder of test pictures, or FILE@BITS with BITS bits of its samples, or FILE@BITSx2, of which
 * four side by side are one picture. SETTINGS: "key=value ...", or "preset=NAME key=value ...", where NAME has no frame
 * rate (dci-2k frame-rate=24);
 * noise:WIDTHxHEIGHTxDEPTH, or ones:WIDTHxHEIGHTxDEPTHxPLANE: three components whose coefficients are all -2^PLANE, so
 * that the MagSgn bits of HT blocks are all ones (5/3 without colour transform). A configuration is a list of
 * NAME=NUMBER: slots, memory (0 host, 1 pinned, 2 device), ring, writers, graphs (0, 1), warps (of the HT kernel),
 * output (1: device memory), direct (1: kernels write to pinned memory), streams, copies (streams of either kind that
 * slots share), full (1: all passes of EBCOT blocks are coded, none is left out by prediction), clock (1: one picture
 * at a time, without graphs, and the times of its launches), rounds (no more of rate control are launched), carve (per
 * cent of shared memory that all kernels prefer), lanes (of a warp of the MQ coder that have a block), thin (warps in
 * front that have so few; 0: all).
 */
#include <time.h>

#include "cuda/host/waves/job.h"
#include "dwt/inverse.h"
#include "picture_bench.h"
#include "picture_clock.h"
#include "tests/support/planned.h"

#define MOST_SLOTS 256
#define MOST_RING 16

typedef struct configuration {
    uint32_t slots, memory, ring, writers, graphs, warps, output, direct, streams, copies, full, clock, rounds, carve,
        lanes, thin;
} configuration;

typedef struct scene {
    picture_driver driver;
    picture_case base;
    picture_case ring[MOST_RING]; /* the same plan; other pixels and bytes */
    picture_pixels pixels[MOST_RING];
    uint32_t *parts;
    uint64_t *groups;
} scene;

static double now(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void give_up(const char *what)
{
    printf("%s\n", what);
    exit(1);
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

static configuration parse(const char *text)
{
    configuration c = {.slots = 8, .memory = 2, .ring = 8, .graphs = 1};
    const struct {
        const char *name;
        uint32_t *value;
    } names[] = {{"slots", &c.slots},     {"memory", &c.memory}, {"ring", &c.ring},     {"writers", &c.writers},
                 {"graphs", &c.graphs},   {"warps", &c.warps},   {"output", &c.output}, {"direct", &c.direct},
                 {"streams", &c.streams}, {"copies", &c.copies}, {"full", &c.full},     {"clock", &c.clock},
                 {"rounds", &c.rounds},   {"carve", &c.carve},   {"lanes", &c.lanes},   {"thin", &c.thin}};
    char copy[256], *rest = copy;
    (void)snprintf(copy, sizeof copy, "%s", text);
    for (char *word; (word = strtok_r(rest, ",", &rest));) {
        char *value = strchr(word, '=');
        int is_known = 0;
        for (unsigned i = 0; value && i < sizeof names / sizeof *names; i++) {
            if (strlen(names[i].name) == (size_t)(value - word) &&
                !strncmp(names[i].name, word, (size_t)(value - word))) {
                *names[i].value = (uint32_t)atoi(value + 1);
                is_known = 1;
            }
        }
        if (!is_known) {
            give_up(text);
        }
    }
    c.slots = c.slots < 1 || c.slots > MOST_SLOTS ? 1 : c.slots;
    c.ring = c.ring < 1 || c.ring > MOST_RING ? 1 : c.ring;
    c.slots = c.clock ? 1 : c.slots;
    c.graphs = c.clock ? 0 : c.graphs;
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
    double start = now(CLOCK_MONOTONIC);
    if (wvl_backend_cuda.open(&options, &backend) != WVL_OK) {
        give_up("open");
    }
    backend->options = (c->graphs ? 0 : WVL_CUDA_NO_GRAPHS) | (c->direct ? WVL_CUDA_DIRECT : 0);
    backend->writers = c->writers;
    backend->streams = c->streams;
    backend->copies = c->copies;
    wvl_backend_cuda.measure_picture(s->base.plan, &s->base.assembly, &memory);
    for (uint32_t i = 0; i < c->slots; i++) {
        wvl_status status = wvl_backend_cuda.prepare_picture(backend, s->base.plan, &s->base.assembly, &memory);
        if (status != WVL_OK) {
            printf("slot %u of %u, %.0f MB of device memory each: %s\n", i, c->slots,
                   1e-6 * (double)memory.device_bytes, wvl_status_text(status));
            give_up("prepare");
        }
    }
    *prepared = now(CLOCK_MONOTONIC) - start;
    return backend;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

typedef struct flight {
    wvl_backend *backend;
    wvl_backend_job *job;
    uint32_t which;
    double begun;
} flight;

/* Device memory of all slots, as they are now. */
static uint64_t count_memory(const wvl_backend *b)
{
    uint64_t bytes = 0;
    for (const wvl_slot *slot = b->slots.first; slot; slot = slot->next) {
        bytes += ((const wvl_backend_job *)slot)->device_capacity;
    }
    return bytes;
}

static void submit(scene *s, wvl_backend *b, const configuration *c, uint64_t number, flight *f)
{
    f->which = (uint32_t)(number % c->ring);
    f->begun = now(CLOCK_MONOTONIC);
    f->backend = b;
    if (wvl_backend_cuda.submit_picture(b, s->base.plan, &s->pixels[f->which].image, 0, &f->job) != WVL_OK) {
        give_up("submit");
    }
}

static wvl_status finish(const scene *s, const flight *f, wvl_finished *finished)
{
    wvl_status status = wvl_backend_cuda.wait(f->job, WVL_EVENT_DONE, UINT32_MAX);
    return status ? status : wvl_backend_cuda.take_picture(f->job, finished, s->parts, s->groups);
}

/* In a slot with more memory, which takes the place of this one. */
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
    double latency = now(CLOCK_MONOTONIC) - f->begun;
    if (status != WVL_OK) {
        printf("status %d\n", status);
        give_up("wait or take");
    }
    wvl_backend_cuda.release(f->job);
    if (compares) {
        const picture_case *want = &s->ring[f->which];
        uint8_t *bytes = picture_fetch(&s->driver, &finished);
        if (!bytes || finished.bytes != want->expected_bytes || memcmp(bytes, want->expected, want->expected_bytes)) {
            printf("picture %u: %llu bytes, expected %zu: ", f->which, (unsigned long long)finished.bytes,
                   want->expected_bytes);
            give_up("WRONG BYTES");
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

/* As collect, with times of launches. */
static double collect_timed(scene *s, const configuration *c, flight *f, int compares)
{
    double latency = collect(s, f, compares);
    if (c->clock) {
        picture_clock_take();
    }
    return latency;
}

static void measure(scene *s, const configuration *c, double seconds, const char *name)
{
    static double latencies[1 << 16];
    flight flights[MOST_SLOTS];
    wvl_cuda_ht plain = s->driver.device->ht;
    double prepared;
    uint64_t begun = 0, done = 0, first = 0, kept = 0;
    s->base.plan->device.output = c->output != 0;
    s->base.plan->test.depth_full = c->full != 0;
    shape(&s->driver.device->ht, c->warps);
    wvl_backend *b = open_backend(s, c, &prepared);
    picture_clock_shape(c->lanes, c->thin);
    if (c->clock) {
        picture_clock_open(s->driver.device);
    } else if (c->rounds || c->lanes) {
        picture_clock_limit(s->driver.device, c->rounds);
    }
    if (c->carve) {
        picture_clock_carve(s->driver.device, (int)c->carve);
    }
    for (; begun < c->slots; begun++) {
        submit(s, b, c, begun, &flights[begun]);
    }
    double start = 0, cpu = 0, end = now(CLOCK_MONOTONIC) + seconds + 10;
    uint64_t warm = 2ull * c->slots + 2 * c->ring;
    for (; now(CLOCK_MONOTONIC) < end; done++) {
        flight *f = &flights[done % c->slots];
        double latency = collect_timed(s, c, f, done < warm);
        if (done == warm) {
            start = now(CLOCK_MONOTONIC);
            cpu = now(CLOCK_PROCESS_CPUTIME_ID);
            end = start + seconds;
            first = done;
        }
        if (done > warm && kept < sizeof latencies / sizeof *latencies) {
            latencies[kept++] = latency;
        }
        submit(s, b, c, begun++, f);
    }
    double wall = now(CLOCK_MONOTONIC) - start, used = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    double count = (double)(done - first);
    for (uint32_t i = 0; i < c->slots; i++, done++) {
        (void)collect_timed(s, c, &flights[done % c->slots], 1);
    }
    if (c->clock) {
        picture_clock_print();
        picture_clock_close(s->driver.device);
    } else if (c->rounds || c->lanes) {
        picture_clock_unlimit(s->driver.device);
    }
    if (c->carve) {
        picture_clock_carve(s->driver.device, -1);
    }
    qsort(latencies, kept, sizeof *latencies, by_size);
    printf("%-48s %8.0f pictures/s, %6.3f ms CPU, latency p50 %.3f p99 %.3f ms; %.2f MB, device memory %.0f MB; "
           "prepared in %.2f s\n",
           name, count / wall, 1e3 * used / count, kept ? 1e3 * latencies[kept / 2] : 0,
           kept ? 1e3 * latencies[kept * 99 / 100] : 0, 1e-6 * (double)s->ring[0].expected_bytes,
           1e-6 * (double)count_memory(b), prepared);
    (void)fflush(stdout);
    wvl_backend_cuda.close(b);
    s->driver.device->ht = plain;
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
            give_up("such coefficients do not come from pixels of this depth");
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
        give_up(c.problem[0] ? c.problem : "one tile, please");
    }
    for (uint32_t i = 0; i < p.count; i++) {
        set_coefficients(&c, i, -(1 << magnitude_plane), &p.planes[i]);
    }
    picture_case_close(&c);
    return p;
}

/* Samples keep their highest `depth` bits. */
static void drop_bits(picture_plane *plane, unsigned depth)
{
    size_t count = (size_t)plane->width * plane->height;
    unsigned less = depth && depth < plane->depth ? plane->depth - depth : 0;
    for (size_t i = 0; i < count; i++) {
        plane->samples[i] >>= less;
    }
    plane->depth -= less;
}

/* Four times the plane, two by two. */
static void repeat_plane(picture_plane *p)
{
    uint32_t width = 2 * p->width, height = 2 * p->height;
    int32_t *samples = malloc((size_t)width * height * sizeof *samples);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            samples[(size_t)y * width + x] = p->samples[(size_t)(y % p->height) * p->width + x % p->width];
        }
    }
    free(p->samples);
    p->samples = samples;
    p->width = width;
    p->height = height;
}

static picture load(const char *name, const char *settings)
{
    picture p;
    unsigned width, height, depth, magnitude_plane;
    if (sscanf(name, "ones:%ux%ux%ux%u", &width, &height, &depth, &magnitude_plane) == 4) {
        return draw_ones(width, height, depth, magnitude_plane, settings);
    }
    if (sscanf(name, "noise:%ux%ux%u", &width, &height, &depth) == 3) {
        return picture_draw(PICTURE_NOISE, width, height, 3, depth, 1);
    }
    char file[256];
    const char *at = strrchr(name, '@');
    (void)snprintf(file, sizeof file, "%.*s", at ? (int)(at - name) : (int)strlen(name), name);
    if (!picture_load(file, NULL, &p)) {
        give_up("no such picture in the folder of WVL_TEST_PICTURES");
    }
    for (uint32_t c = 0; at && c < p.count; c++) {
        drop_bits(&p.planes[c], (unsigned)atoi(at + 1));
        if (strchr(at, 'x')) {
            repeat_plane(&p.planes[c]);
        }
    }
    if (at && strchr(at, 'x')) { /* the origin is 0 */
        p.x1 *= 2;
        p.y1 *= 2;
    }
    return p;
}

static void open_scene(scene *s, const char *name, const char *settings, uint32_t ring)
{
    picture p = load(name, settings);
    if (!picture_case_open(&s->base, &p, settings)) {
        give_up(s->base.problem);
    }
    for (uint32_t i = 0; i < ring; i++) {
        picture moved = shift_picture(&p, i);
        if (!picture_case_open(&s->ring[i], &moved, settings)) {
            give_up(s->ring[i].problem);
        }
        picture_free(&moved);
    }
    s->parts = malloc((s->base.assembly.part_count + 1u) * sizeof *s->parts);
    s->groups = malloc((size_t)s->base.plan->syntax.component_count * (s->base.plan->syntax.max_levels + 1u) *
                       s->base.plan->syntax.layer_count * sizeof *s->groups);
    picture_free(&p);
}

static void open_pixels(scene *s, const configuration *c)
{
    static const wvl_memory_kind kinds[] = {WVL_MEMORY_HOST, WVL_MEMORY_PINNED, WVL_MEMORY_DEVICE};
    for (uint32_t i = 0; i < c->ring; i++) {
        if (!picture_pixels_open(&s->pixels[i], &s->driver, &s->ring[i], kinds[c->memory % 3])) {
            give_up("pixels");
        }
    }
}

/* Where a preset stands in front, its settings, then the others. */
static const char *find_settings(const char *settings)
{
    static char text[2048];
    const wvl_preset *all;
    size_t count;
    const char *name = settings + strlen("preset="), *more = strncmp(settings, "preset=", 7) ? NULL : strchr(name, ' ');
    if (!more) {
        return settings;
    }
    all = wvl_presets(&count);
    for (size_t i = 0; i < count; i++) {
        if (strlen(all[i].name) == (size_t)(more - name) && !strncmp(all[i].name, name, (size_t)(more - name))) {
            (void)snprintf(text, sizeof text, "%s%s", all[i].settings, more);
            return text;
        }
    }
    give_up("no such preset");
    return NULL;
}

int main(int argc, char **argv)
{
    static scene s;
    uint32_t ring = 1;
    if (argc < 5) {
        printf("usage: time_pictures PICTURE SETTINGS SECONDS CONFIGURATION...\n");
        return 2;
    }
    for (int i = 4; i < argc; i++) {
        configuration c = parse(argv[i]);
        ring = c.ring > ring ? c.ring : ring;
    }
    if (!picture_driver_open(&s.driver)) {
        return 1;
    }
    open_scene(&s, argv[1], find_settings(argv[2]), ring);
    printf("%s %s, %.4f bits a pixel\n", argv[1], argv[2],
           8.0 * (double)s.base.expected_bytes / (double)s.base.plan->syntax.image.x1 /
               (double)s.base.plan->syntax.image.y1);
    for (int i = 4; i < argc; i++) {
        configuration c = parse(argv[i]);
        open_pixels(&s, &c);
        measure(&s, &c, atof(argv[3]), argv[i]);
        for (uint32_t k = 0; k < c.ring; k++) {
            picture_pixels_close(&s.pixels[k], &s.driver);
        }
    }
    for (uint32_t i = 0; i < ring; i++) {
        picture_case_close(&s.ring[i]);
    }
    picture_case_close(&s.base);
    free(s.parts);
    free(s.groups);
    picture_driver_close(&s.driver);
    return 0;
}
