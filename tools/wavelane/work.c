/* SPDX-License-Identifier: BSD-2-Clause */
#include "work.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MOST_PICTURES 4u /* at a time that share all threads: reading, coding and writing then overlap */
/* The same of small files, whose pictures take little memory (D-command-01). */
#define MOST_QUICK_PICTURES 16u
#define SMALL_FILE (UINT64_C(16) << 20)
/* The memory of a picture with a thread of its own is at most this multiple of the bytes of its file. */
#define BYTES_A_BYTE 8u
/* Pictures on a device at a time. HT blocks need no more than the library's own choice. EBCOT blocks leave more of a
 * device idle, above all where rate control waits for them; the start of as many takes longer (D-command-20). */
#define FRAMES 16u
#define EBCOT_FRAMES 48u
#define EBCOT_LEAST 1000u /* fewer pictures do not pay for that start */
/* 32 queues of the driver in place of 8 take 0.5 s more to open, and give such pictures 7 % (results.md). */
#define QUEUES_LEAST 10000u
/* With device=auto: fewer bytes of files for each thread are encoded on the CPU, in less time than the driver needs to
 * start (D-command-06). */
#define AUTO_BYTES (UINT64_C(96) << 20)

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* ---- Where ----------------------------------------------------------------------------------- */

/* Says whether a device is worth its start, as far as the files say; and whether there is one. */
static int device_pays(const wvl_cli_run *s, const wvl_cli_load *load)
{
    wvl_device_info info = {.struct_size = sizeof info};
    if (load->bytes / AUTO_BYTES < wvl_context_threads(s->context)) {
        wvl_cli_inform("%llu MiB of files for %u threads: on the CPU; with device=auto, a device takes %llu MiB and "
                       "more for each",
                       (unsigned long long)(load->bytes >> 20), wvl_context_threads(s->context),
                       (unsigned long long)(AUTO_BYTES >> 20));
        return 0;
    }
    return wvl_device_describe(0, &info) == WVL_OK && info.usable;
}

/* Says whether pictures may be given to a device together. */
static int wants_device(const wvl_cli_run *s, const char *device, const wvl_cli_load *load)
{
    if (!device || !strcmp(device, "cpu") || load->count < 2) {
        return 0;
    }
    return strcmp(device, "auto") != 0 || device_pays(s, load);
}

static int is_ht(const wvl_cli_run *s)
{
    const char *style = wvl_params_get(s->params, "style");
    return style && (strstr(style, "HT") || strtoul(style, NULL, 10) & 64);
}

/* ---- While the device opens ------------------------------------------------------------------ */

/* Samples a second that one thread codes, before the first picture says it. */
#define HT_RATE 100e6
#define EBCOT_RATE 12e6

struct wvl_cli_start {
    atomic_ullong samples, microseconds, pictures; /* of those that were encoded */
    double first_rate;
};

static double rate_of(wvl_cli_start *start)
{
    unsigned long long time = atomic_load(&start->microseconds);
    return time ? 1e6 * (double)atomic_load(&start->samples) / (double)time : start->first_rate;
}

/* Where the device has to make all bytes, the CPU makes none. */
static wvl_cli_start *open_start(const wvl_cli_run *s, const wvl_cli_work *w, const char *name)
{
    const char *device = wvl_params_get(s->params, "device"); /* each text lives until the next one */
    int may =
        w->on_device && (s->ahead || wvl_cli_is_plan_only(s->args)) && device && strncmp(device, "cuda-only", 9) != 0;
    const char *reach = wvl_params_get(s->params, "reach");
    may = may && reach && !strcmp(reach, "coefs");
    wvl_cli_start *start = may ? calloc(1, sizeof *start) : NULL;
    if (start) {
        start->first_rate = is_ht(s) ? HT_RATE : EBCOT_RATE;
        wvl_cli_inform("%s: the device opens in about %.0f ms; until then %zu threads encode what they can, each about "
                       "%.0f million samples a second",
                       name, 1e3 * WVL_CLI_OPEN_SECONDS, w->workers, start->first_rate / 1e6);
    }
    return start;
}

int wvl_cli_start_on_cpu(wvl_cli_job *j)
{
    wvl_cli_start *start = j->turns && j->s->single ? j->s->start : NULL;
    double rest = start ? wvl_cli_time_to_open(j->s->ahead) : 0;
    if (rest <= 0 || wvl_cli_sample_count(&j->picture) / rate_of(start) > rest) {
        return 0;
    }
    j->starts = wvl_params_set(j->params, "device", "cpu") == WVL_OK;
    j->context = j->starts ? j->s->single : j->context;
    return j->starts;
}

void wvl_cli_note_start(wvl_cli_job *j)
{
    if (j->starts) {
        atomic_fetch_add(&j->s->start->samples, (unsigned long long)wvl_cli_sample_count(&j->picture));
        atomic_fetch_add(&j->s->start->microseconds, (unsigned long long)(1e6 * j->seconds) + 1);
        atomic_fetch_add(&j->s->start->pictures, 1);
    }
}

static void close_start(wvl_cli_run *s)
{
    if (s->start) {
        wvl_cli_inform(
            "%llu pictures were encoded on the CPU while the device opened, %.0f million samples a second in "
            "each thread",
            (unsigned long long)atomic_load(&s->start->pictures), rate_of(s->start) / 1e6);
    }
    free(s->start);
    s->start = NULL;
}

/* ---- How many -------------------------------------------------------------------------------- */

/* As long as there is a picture for every thread, each is encoded by its own: threads that share pictures wait for each
 * other, and wake each other. A last round takes the threads that have nothing left to do where it is no more than
 * three quarters full; else that would not be faster (D-command-01). */
static size_t count_singles(const wvl_cli_run *s, uint64_t count, size_t workers)
{
    uint64_t rest = count == WVL_CLI_UNKNOWN_COUNT ? 0 : count % workers;
    if (workers < 2 || workers < wvl_context_threads(s->context)) {
        return 0;
    }
    return (size_t)(4 * rest > 3 * workers ? count : count - rest);
}

/* Says whether memory is enough for a picture of every thread. */
static int singles_fit(const wvl_cli_load *load, size_t threads)
{
    return load->largest <= wvl_cli_share_of_memory() / BYTES_A_BYTE / threads;
}

wvl_cli_work wvl_cli_plan_work(const wvl_cli_run *s, const wvl_cli_load *load)
{
    const wvl_cli_args *args = s->args;
    size_t most = is_ht(s) ? FRAMES : EBCOT_FRAMES;
    const char *device = wvl_params_get(s->params, "device");
    size_t threads = wvl_context_threads(s->context), given = args->pictures ? args->pictures : args->trace != NULL;
    wvl_cli_work w = {.on_device = wants_device(s, device, load)};
    w.pictures = load->count < SIZE_MAX ? (size_t)load->count : SIZE_MAX;
    if (w.on_device) {
        uint64_t fitting = wvl_cli_share_of_memory() / (load->largest ? load->largest : 1);
        w.frames = w.pictures < EBCOT_LEAST ? FRAMES : most;
        /* A thread reads a picture, waits for the device, and writes: those that wait come beside the processors. */
        size_t waiting = w.frames * 3 / 4 * wvl_cli_count_devices(device);
        w.workers = given ? given : least(threads + waiting, fitting > 2 ? (size_t)fitting : 2);
        w.frames = least(w.frames, w.pictures);
        return w;
    }
    int on_cpu = device && (!strcmp(device, "cpu") || !strcmp(device, "auto"));
    w.workers = given ? given : threads;
    if (on_cpu && (given || singles_fit(load, threads))) {
        w.single_count = count_singles(s, load->count, w.workers);
    }
    if (!given && !w.single_count) {
        w.workers = least(threads, load->largest <= SMALL_FILE ? MOST_QUICK_PICTURES : MOST_PICTURES);
    }
    return w;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Of a thread beside its picture: its stack, settings, metadata, and rest of large pages. */
#define THREAD_BYTES (UINT64_C(4) << 20)
/* A thread that has encoded keeps up to this for its next picture (kept.c). */
#define KEPT_BYTES (UINT64_C(64) << 20)

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

void wvl_cli_note_need(wvl_cli_run *s, const wvl_cli_job *j)
{
    wvl_cli_need *n = &s->need;
    wvl_plan_memory m = {.struct_size = sizeof m}, device = {.struct_size = sizeof device};
    const wvl_cli_plan_input input = {&j->picture, j->params, j->is_jp2 ? &j->picture.jp2 : NULL, j->limit_bytes != 0};
    if (j->rows.reader || wvl_plan_measure(j->plan, &m) != WVL_OK) {
        return;
    }
    n->sample_bytes = most(n->sample_bytes, wvl_cli_round_tray(m.picture_bytes));
    n->likely_bytes = most(n->likely_bytes, m.likely_bytes);
    n->worst_bytes = most(n->worst_bytes, m.worst_bytes);
    n->held_bytes = most(n->held_bytes, m.base_bytes + m.output_bytes_bound);
    n->output_bytes = most(n->output_bytes, m.output_bytes_bound);
    uint32_t frames = s->encoders ? wvl_cli_measure_encoder(s->encoders, &input, &device) : 0;
    if (frames) {
        n->frames = most(n->frames, frames);
        n->frame_bytes = most(n->frame_bytes, device.pinned_bytes);
        n->table_bytes = most(n->table_bytes, device.base_bytes);
    }
    n->count++;
}

/* Pictures at a time beyond half of the machine's memory wait for each other (wvl_cli_hold_samples). */
static uint64_t count_fitting(const wvl_cli_need *n, const wvl_cli_work *w)
{
    uint64_t fitting = wvl_cli_share_of_memory() / (n->sample_bytes + n->held_bytes + 1) + 1;
    return fitting < w->workers ? fitting : w->workers;
}

wvl_cli_peak wvl_cli_sum_need(const wvl_cli_run *s, const wvl_cli_work *w, uint64_t kept)
{
    const wvl_cli_need *n = &s->need;
    wvl_cli_peak p = {.pictures = w->workers < w->pictures ? w->workers : w->pictures};
    uint64_t trays = p.pictures * n->sample_bytes, limit = wvl_cli_limit_locked();
    uint64_t threads = (p.pictures + wvl_context_threads(s->context)) * THREAD_BYTES;
    if (n->frames) {
        uint64_t outputs = p.pictures + kept > n->frames ? p.pictures + kept - n->frames : 0;
        uint64_t own = n->frames * n->frame_bytes + outputs * n->output_bytes;
        p.locked_bytes = (trays < limit ? trays : limit) + own;
        uint64_t starting = s->start ? p.pictures : 0; /* encoded on the CPU while the device opens */
        p.likely_bytes = trays + own + threads + n->table_bytes + starting * n->likely_bytes;
        p.worst_bytes = p.likely_bytes + starting * (n->worst_bytes - n->likely_bytes);
        return p;
    }
    uint64_t fitting = least(count_fitting(n, w), p.pictures), rest = p.pictures - fitting;
    p.likely_bytes = trays + fitting * n->likely_bytes + rest * least(n->likely_bytes, KEPT_BYTES) + threads;
    p.worst_bytes = trays + fitting * n->worst_bytes + rest * least(n->worst_bytes, KEPT_BYTES) + threads +
                    2 * (p.pictures + kept) * n->output_bytes; /* buffers grow by half of themselves or more */
    return p;
}

void wvl_cli_print_peak(FILE *file, const wvl_cli_peak *p)
{
    fprintf(file, "%" PRIu64 " at a time: %" PRIu64 " bytes of memory likely, %" PRIu64 " at worst", p->pictures,
            p->likely_bytes, p->worst_bytes);
    if (p->locked_bytes) {
        fprintf(file, "; at most %" PRIu64 " of them page-locked", p->locked_bytes);
    }
    fputc('\n', file);
}

/* ---- What they share ------------------------------------------------------------------------- */

void wvl_cli_open_work(wvl_cli_run *s, const wvl_cli_work *w, const char *name)
{
    const char *device = wvl_params_get(s->params, "device"),
               *opened = device && strcmp(device, "auto") ? device : "cuda";
    s->trays = wvl_cli_is_plan_only(s->args) ? NULL : wvl_cli_open_trays(s->context, w->on_device ? opened : NULL);
    s->encoders =
        w->on_device && w->workers > 1 ? wvl_cli_open_encoders(s->context, device, (uint32_t)w->frames) : NULL;
    if (w->frames == EBCOT_FRAMES && w->pictures >= QUEUES_LEAST) {
        (void)setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0); /* the driver reads it once, when a device opens */
    }
    if (w->on_device && !s->ahead && !wvl_cli_is_plan_only(s->args)) {
        s->ahead = wvl_cli_open_ahead(s->context, opened);
    }
    s->single_count = w->single_count;
    s->start = open_start(s, w, name);
    s->single = w->single_count || s->start ? wvl_cli_open_single(s) : NULL;
    if (s->single && w->single_count) {
        wvl_cli_inform("%s: %u threads; each of the first %zu pictures has one of its own", name,
                       wvl_context_threads(s->context), s->single_count);
    } else if (s->encoders) {
        wvl_cli_inform("%s: %zu pictures at a time are read, encoded on the device or written", name, w->workers);
    }
}

void wvl_cli_close_work(wvl_cli_run *s)
{
    uint64_t bytes, locked;
    close_start(s);
    wvl_cli_close_encoders(s->encoders);
    if (s->trays) {
        wvl_cli_measure_trays(s->trays, &bytes, &locked);
        wvl_cli_inform("memory for pixels: %llu MiB, %llu of them page-locked", (unsigned long long)(bytes >> 20),
                       (unsigned long long)(locked >> 20));
    }
    wvl_cli_close_trays(s->trays);
    wvl_context_release(s->single);
    s->encoders = NULL;
    s->trays = NULL;
    s->single = NULL;
}
