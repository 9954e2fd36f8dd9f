/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HT block coder on a device, by itself: microseconds a picture by events, after every block has been compared
 * with codec/ht. time_ht_blocks PICTURE.ppm [RUNS] WVL_CUDA_TWIN_IMAGE names a file of device code to be measured
 * instead of the build's. Cases: the picture's lossless 5/3 coefficients in blocks of 64x64 and 32x32, 1 and 8
 * pictures in a launch, with each limit of shared memory, with refinement; 32-bit blocks of 16-bit noise of the same
 * size; blocks whose MagSgn is nothing but 1s.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend_cpu.h"
#include "base/alloc.h"
#include "base/intmath.h"
#include "cuda/host/launch.h"
#include "geom/settings.h"
#include "tests/twin/ht_blocks.h"

static wvl_cuda_runtime driver;
static ht_device device;
static unsigned runs = 15;

/* ---- Pictures to blocks ---------------------------------------------------------------------- */

typedef struct pixels {
    uint32_t width, height, depth;
    uint8_t *data; /* RGB; 16 bits in the machine's order */
} pixels;

static int read_ppm(const char *name, pixels *p)
{
    FILE *f = fopen(name, "rb");
    uint32_t top = 0;
    int fine = f && fscanf(f, "P6 %u %u %u", &p->width, &p->height, &top) == 3 && top == 255 && fgetc(f) != EOF;
    size_t bytes = (size_t)p->width * p->height * 3;
    p->depth = 8;
    p->data = fine ? malloc(bytes) : NULL;
    fine = p->data && fread(p->data, 1, bytes, f) == bytes;
    if (f) {
        (void)fclose(f);
    }
    return fine;
}

static void draw_noise(const pixels *like, pixels *p)
{
    uint64_t seed = 1;
    size_t count = (size_t)like->width * like->height * 3;
    *p = (pixels){like->width, like->height, 16, malloc(2 * count)};
    for (size_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        ((uint16_t *)p->data)[i] = (uint16_t)(seed >> 40);
    }
}

static void report(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "time_ht_blocks: %s\n", text);
}

static wvl_plan *build_plan(const pixels *p, uint32_t side)
{
    wvl_component_format components[3];
    wvl_image_format format = {
        .struct_size = sizeof format, .x1 = p->width, .y1 = p->height, .component_count = 3, .components = components};
    double layer = 0.0;
    wvl_settings s = {.reversible = 1,
                      .levels = 5,
                      .mct = 2,
                      .block_width = side,
                      .block_height = side,
                      .guard_bits = 2,
                      .quant_style = WVL_QUANT_EXPOUNDED,
                      .distortion_bits = 4,
                      .layer_count = 1,
                      .layer_value_count = 1,
                      .layer_values = &layer};
    wvl_report r = {report, NULL, 0};
    for (uint32_t i = 0; i < 3; i++) {
        components[i] = (wvl_component_format){(uint8_t)p->depth, 0, 1, 1};
    }
    return wvl_plan_check(&s, &format, &r) ? wvl_geom_build_plan(NULL, &s, &format, &r) : NULL;
}

/* The blocks of a band, as a device finds them: rows of slots, the words of their bounds. */
static void add_band(ht_list *list, const wvl_coefs *coefs, const wvl_tile_band *band, uint64_t samples,
                     uint32_t first_bound)
{
    for (uint32_t k = 0; k < band->block_cols * band->block_rows; k++) {
        wvl_rect r = wvl_geom_block_rect(band, k % band->block_cols, k / band->block_cols);
        wvl_cuda_ht_block *b = &list->blocks[list->count++];
        *b = (wvl_cuda_ht_block){.coefs = samples + wvl_coef_slot(band, k),
                                 .bound = first_bound + band->first_block + k,
                                 .stride = band->slot_width,
                                 .width = (uint16_t)wvl_rect_width(r),
                                 .height = (uint16_t)wvl_rect_height(r),
                                 .coef_bytes = band->coef_bytes,
                                 .max_passes = 255,
                                 .set_passes = 3};
        list->bounds[b->bound] = coefs->bounds[band->first_block + k];
        b->planes = (uint8_t)wvl_bit_length(coefs->bounds[band->first_block + k]);
    }
}

static void add_tile(ht_list *list, const wvl_coefs *coefs, const wvl_tile_plan *tile, uint32_t frames)
{
    uint64_t each = (tile->coef_bytes + 255) & ~UINT64_C(255);
    *list = (ht_list){.blocks = calloc((size_t)tile->block_count * frames, sizeof *list->blocks),
                      .samples = malloc(each * frames),
                      .bounds = calloc((size_t)tile->block_count * frames, sizeof *list->bounds),
                      .sample_bytes = each * frames};
    for (uint32_t f = 0; f < frames; f++) {
        memcpy(list->samples + f * each, coefs->samples, tile->coef_bytes);
        for (uint32_t i = 0; i < tile->band_count; i++) {
            add_band(list, coefs, &tile->bands[i], f * each, f * tile->block_count);
        }
    }
}

/* The coefficients of the CPU's transform, `frames` times. */
static int transform(const pixels *p, uint32_t side, uint32_t frames, ht_list *list)
{
    wvl_plan *plan = build_plan(p, side);
    wvl_tile_plan tile;
    wvl_coefs coefs;
    wvl_carver carver = {NULL, 0};
    wvl_plane planes[3];
    wvl_backend *cpu = NULL;
    wvl_backend_job *job = NULL;
    uint32_t bytes = p->depth > 8 ? 2 : 1;
    for (uint32_t i = 0; i < 3; i++) {
        planes[i] = (wvl_plane){.data = p->data,
                                .sample_stride = 3,
                                .pitch_bytes = (ptrdiff_t)p->width * 3 * bytes,
                                .first_sample = i,
                                .container = bytes == 1 ? WVL_SAMPLE_8 : WVL_SAMPLE_16};
    }
    wvl_image image = {.struct_size = sizeof image, .planes = planes, .plane_count = 3};
    wvl_tile_plan_carve(plan, &carver, &tile);
    uint64_t tile_bytes = carver.used;
    void *memory = wvl_alloc(NULL, tile_bytes);
    carver = (wvl_carver){memory, 0};
    wvl_tile_plan_carve(plan, &carver, &tile);
    wvl_tile_plan_build(plan, 0, &tile);
    wvl_pool *pool = wvl_pool_create(NULL, 8, NULL);
    int fine = wvl_backend_cpu.open(&(wvl_backend_options){.pool = pool}, &cpu) == WVL_OK &&
               wvl_backend_prepare_tiles(&wvl_backend_cpu, cpu, pool, plan, &tile, 1) == WVL_OK &&
               wvl_backend_cpu.submit(cpu, &image, &tile, 1, &job) == WVL_OK &&
               wvl_backend_cpu.wait(job, WVL_EVENT_DONE, UINT32_MAX) == WVL_OK &&
               wvl_backend_cpu.collect(job, &coefs) == WVL_OK;
    if (fine) {
        add_tile(list, &coefs, &tile, frames);
        wvl_backend_cpu.release(job);
    }
    wvl_backend_cpu.close(cpu);
    wvl_pool_destroy(pool);
    wvl_free(NULL, memory, tile_bytes);
    wvl_plan_destroy(NULL, plan);
    return fine;
}

/* MagSgn of nothing but 1s, 15 a sample. */
static void fill_ones(ht_list *list)
{
    for (uint64_t i = 0; i < list->sample_bytes / 2; i++) {
        ((uint16_t *)list->samples)[i] = 0xC000;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        list->bounds[list->blocks[i].bound] = 0x4000;
        list->blocks[i].planes = 15;
    }
}

/* ---- Times ----------------------------------------------------------------------------------- */

#define MOST_PARTS 16
static wvl_cuda_event marks[MOST_PARTS + 1];
static unsigned mark_count;

static wvl_cuda_status marked_launch(wvl_cuda_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                     unsigned by, unsigned bz, unsigned shared, wvl_cuda_stream s, void **arguments,
                                     void **extra)
{
    wvl_cuda_status status = driver.launch(f, gx, gy, gz, bx, by, bz, shared, s, arguments, extra);
    return status ? status : driver.event_record(marks[++mark_count], s);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double median(float *values)
{
    qsort(values, runs, sizeof *values, compare_floats);
    return 1e3 * (double)values[runs / 2];
}

/* Microseconds of a launch; parts[]: of its kernels, where marks lie between them. */
static double time_launch(ht_load *load, double *parts)
{
    static float all[64], each[MOST_PARTS][64];
    wvl_cuda_runtime marked = driver;
    marked.launch = parts ? marked_launch : driver.launch;
    load->ht.runtime = &marked;
    for (unsigned r = 0; r < runs + 2; r++) {
        unsigned to = r < 2 ? 0 : r - 2;
        mark_count = 0;
        if (driver.event_record(marks[0], device.stream) || wvl_cuda_ht_launch(&load->ht, &load->job, device.stream) ||
            (!parts && driver.event_record(marks[++mark_count], device.stream)) || driver.stream_wait(device.stream)) {
            printf("a call failed\n");
            exit(1);
        }
        (void)driver.event_elapsed(&all[to], marks[0], marks[mark_count]);
        for (unsigned k = 0; k < mark_count; k++) {
            (void)driver.event_elapsed(&each[k][to], marks[k], marks[k + 1]);
        }
    }
    for (unsigned k = 0; parts && k < mark_count; k++) {
        parts[k] = median(each[k]);
    }
    load->ht.runtime = &driver;
    return median(all);
}

static void time_list(const char *name, const ht_list *list, uint32_t frames, uint32_t limit)
{
    ht_load load;
    uint32_t left, wrong = ht_check(&device, list, frames, limit, 1000, 1000, &left),
                   counters[WVL_CUDA_HT_COUNTERS] = {0};
    if (!ht_load_open(&load, &device, list, frames, limit, 1000, 1000)) {
        printf("%s: no memory\n", name);
        exit(1);
    }
    double parts[MOST_PARTS] = {0}, all = time_launch(&load, NULL);
    (void)time_launch(&load, parts);
    (void)driver.download(counters, load.job.counters, sizeof counters, device.stream);
    (void)driver.stream_wait(device.stream);
    printf("%-28s %u frames, %6u blocks, wrong %u left %u, scratch %.1f MB of %.1f; us a frame: all %.1f; kernels",
           name, frames, list->count, wrong, left, 16e-6 * counters[WVL_CUDA_HT_SCRATCH_UNITS] / frames,
           1e-6 * (double)load.memory.most_scratch / frames, all / frames);
    for (unsigned k = 0; k < mark_count; k++) {
        printf(" %.1f", parts[k] / frames);
    }
    printf("\n");
    (void)fflush(stdout);
    ht_load_close(&load, &device);
}

static void time_picture(const pixels *p, uint32_t side, const char *name)
{
    static const uint32_t limits[] = {48, 64, 99, 163, 227};
    for (uint32_t frames = 1; frames <= 8; frames += 7) {
        ht_list list;
        if (!transform(p, side, frames, &list)) {
            printf("%s: no coefficients\n", name);
            exit(1);
        }
        time_list(name, &list, frames, 0);
        for (unsigned k = 0; k < 5 && side == 64 && frames == 8 && p->depth == 8; k++) {
            char text[64];
            (void)snprintf(text, sizeof text, "%s, %u KiB", name, limits[k]);
            time_list(text, &list, frames, limits[k] << 10);
        }
        for (uint32_t i = 0; i < list.count; i++) {
            list.blocks[i].cleanup_plane = 1;
        }
        if (p->depth == 8) {
            time_list("  plane 1, three passes", &list, frames, 0);
        }
        if (p->depth == 8 && side == 64) {
            for (uint32_t i = 0; i < list.count; i++) {
                list.blocks[i].cleanup_plane = 0;
            }
            fill_ones(&list);
            time_list("  all ones", &list, frames, 0);
        }
        ht_list_clear(&list);
    }
}

/* The build's device code, or a file's. */
static const void *fetch_image(void)
{
    const char *name = getenv("WVL_CUDA_TWIN_IMAGE");
    FILE *f = name ? fopen(name, "rb") : NULL;
    char *image = f ? calloc(1, 64 << 20) : NULL;
    if (!image) {
        return wvl_cuda_fetch_image();
    }
    (void)!fread(image, 1, (64 << 20) - 1, f);
    (void)fclose(f);
    return image;
}

int main(int argc, char **argv)
{
    const void *image = fetch_image();
    wvl_cuda_context context;
    int count = 0, processors = 0;
    char name[128] = "";
    pixels picture, noise;
    if (argc < 2 || !read_ppm(argv[1], &picture)) {
        printf("usage: time_ht_blocks PICTURE.ppm [RUNS]: binary, 8 bits\n");
        return 2;
    }
    runs = argc > 2 ? (unsigned)atoi(argv[2]) : runs;
    runs = runs < 1 || runs > 62 ? 15 : runs;
    device = (ht_device){.runtime = &driver};
    if (!image || !wvl_cuda_fetch_runtime(&driver) || driver.init(0) || driver.device_count(&count) || !count ||
        driver.device_get(&device.ordinal, 0) || driver.context_retain(&context, device.ordinal) ||
        driver.context_push(context) || driver.module_load(&device.module, image) ||
        driver.stream_create(&device.stream, WVL_CUDA_STREAM_NON_BLOCKING)) {
        printf("no device, or no device code in this build\n");
        return 1;
    }
    for (unsigned i = 0; i <= MOST_PARTS; i++) {
        (void)driver.event_create(&marks[i], 0);
    }
    (void)driver.device_name(name, sizeof name, device.ordinal);
    (void)driver.device_attribute(&processors, WVL_CUDA_ATTRIBUTE_MULTIPROCESSORS, device.ordinal);
    printf("%s, %d multiprocessors; median of %u; kernels: of the classes that are there, refine, finish, place, "
           "gather\n",
           name, processors, runs);
    time_picture(&picture, 64, "64x64");
    time_picture(&picture, 32, "32x32");
    draw_noise(&picture, &noise);
    time_picture(&noise, 64, "64x64, noise of 16 bits");
    return 0;
}
