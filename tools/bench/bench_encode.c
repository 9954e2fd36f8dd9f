/* SPDX-License-Identifier: BSD-2-Clause */
/* `encode`: the coders take turns on one picture, so that whatever slows the machine slows all of them. */
#include "bench_encode.h"

#include <stdlib.h>

#include "base/cpu.h"

/* ---- Options ---- */

typedef struct mode {
    const char *name;
    int reversible, ht;
} mode;
static const mode modes[] = {{"lossless", 1, 0}, {"lossy", 0, 0}, {"ht-lossless", 1, 1}, {"ht-lossy", 0, 1}};
#define MODE_COUNT 4
enum { MODE_BOTH = MODE_COUNT, MODE_HT }; /* words that name two modes */
static const char *const simd_words[] = {"auto", "c", "avx2", "avx512", "neon", NULL};
static const char *const mode_words[] = {"lossless", "lossy", "ht-lossless", "ht-lossy", "both", "ht", NULL};

#define OPTION(name, kind, member) WVL_BENCH_OPTION(name, kind, wvl_bench_encode_options, member)
#define RANGE(name, kind, member, lowest, highest)                                                                     \
    WVL_BENCH_RANGE(name, kind, wvl_bench_encode_options, member, lowest, highest)
static const wvl_bench_option option_table[] = {
    OPTION("--image", TEXT, image),
    RANGE("--size", SIZE, shape.width, 1, 65535),
    RANGE("--components", COUNT, shape.component_count, 1, 16),
    RANGE("--depth", COUNT, shape.depth, 1, 16),
    WVL_BENCH_WORD("--mode", wvl_bench_encode_options, mode, mode_words),
    RANGE("--bpp", NUMBER, bpp, 0.001, 128),
    RANGE("--threads", LIST, threads, 1, 1024),
    RANGE("--runs", COUNT, runs, 1, WVL_BENCH_MAX_RUNS),
    OPTION("--set", SETTING, settings),
    OPTION("--alone", FLAG, alone),
    OPTION("--memory", FLAG, memory),
    OPTION("--json", TEXT, json),
    OPTION("--indices", FLAG, indices),
    RANGE("--step", NUMBER, step, 1e-6, 0.999),
    OPTION("--scaling", FLAG, scaling),
    WVL_BENCH_WORD("--simd", wvl_bench_encode_options, simd, simd_words),
};

/* ---- Measuring ---- */

/* OpenJPEG has no HT blocks to write, OpenJPH no threads. */
static int takes_part(wvl_bench_coder coder, const wvl_bench_encode_options *o, const wvl_bench_job *job)
{
    if (coder == WVL_BENCH_WAVELANE) {
        return 1;
    }
    if (o->alone || !wvl_bench_has_coder(coder) || (coder == WVL_BENCH_OPENJPEG) != !job->ht) {
        return 0;
    }
    return coder != WVL_BENCH_OPENJPH || job->threads == 1;
}

static wvl_bench_job make_job(const wvl_bench_encode_options *o, const wvl_bench_picture *picture, const mode *m)
{
    return (wvl_bench_job){.reversible = m->reversible,
                           .ht = m->ht,
                           .color_transform = wvl_bench_picture_has_color(picture),
                           .bpp = m->reversible || m->ht ? 0 : o->bpp,
                           .step = m->ht && !m->reversible ? o->step : 0,
                           .levels = wvl_bench_picture_levels(picture),
                           .settings = &o->settings};
}

/* Each thread count with all coders that take part; Wavelane's contexts are opened. */
static int open_entrants(wvl_bench_report *r, wvl_bench_job job)
{
    const wvl_bench_list *threads = &r->options->threads;
    r->entrants = calloc(WVL_BENCH_CODERS * threads->count, sizeof *r->entrants);
    if (!r->entrants) {
        return wvl_bench_fail(-1, "no memory");
    }
    for (size_t t = 0; t < threads->count; t++) {
        job.threads = (uint32_t)threads->values[t];
        for (unsigned coder = 0; coder < WVL_BENCH_CODERS; coder++) {
            if (!takes_part((wvl_bench_coder)coder, r->options, &job)) {
                continue;
            }
            wvl_bench_entrant *e = &r->entrants[r->entrant_count++];
            e->coder = (wvl_bench_coder)coder;
            e->job = job;
            if (coder == WVL_BENCH_WAVELANE && !(e->job.context = wvl_bench_open_context(job.threads))) {
                return -1;
            }
        }
    }
    return 0;
}

static void close_entrants(const wvl_bench_report *r)
{
    for (size_t i = 0; i < r->entrant_count; i++) {
        wvl_context_release(r->entrants[i].job.context);
    }
    free(r->entrants);
}

static int run_once(const wvl_bench_report *r, wvl_bench_entrant *e, wvl_bench_coded *coded)
{
    char error[WVL_BENCH_ERROR_BYTES] = "";
    if (wvl_bench_encode(e->coder, r->picture, &e->job, coded, error) != 0) {
        return wvl_bench_fail(-1, "%s, %s: %s", r->picture->name, wvl_bench_coder_name(e->coder), error);
    }
    return 0;
}

/* The run that warms caches and is not timed also shows what was written. */
static int run_first(const wvl_bench_report *r, wvl_bench_entrant *e)
{
    char error[WVL_BENCH_ERROR_BYTES] = "";
    wvl_bench_coded coded = {.data = NULL};
    int status = run_once(r, e, &coded);
    e->bytes = coded.bytes;
    e->judged = status == 0 && wvl_bench_has_coder(WVL_BENCH_OPENJPEG);
    if (e->judged && wvl_bench_decode_opj(&coded, r->picture, &e->quality, error) != 0) {
        status = wvl_bench_fail(-1, "the codestream of %s is not decoded: %s", wvl_bench_coder_name(e->coder), error);
    }
    wvl_bench_release_coded(&coded);
    return status;
}

/* The order rotates, so that nobody always follows the same predecessor. */
static int run_timed(const wvl_bench_report *r, size_t run)
{
    for (size_t i = 0; i < r->entrant_count; i++) {
        wvl_bench_entrant *e = &r->entrants[(i + run) % r->entrant_count];
        wvl_bench_coded coded = {.data = NULL};
        if (run_once(r, e, &coded) != 0) {
            return -1;
        }
        e->wall.runs[run] = coded.time.wall_seconds;
        e->cpu.runs[run] = coded.time.cpu_seconds;
        wvl_bench_release_coded(&coded);
    }
    return 0;
}

static int measure(wvl_bench_report *r)
{
    size_t runs = r->options->runs;
    for (size_t i = 0; i < r->entrant_count; i++) {
        if (run_first(r, &r->entrants[i]) != 0) {
            return -1;
        }
    }
    for (size_t run = 0; run < runs; run++) {
        if (run_timed(r, run) != 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < r->entrant_count; i++) {
        wvl_bench_entrant *e = &r->entrants[i];
        wvl_bench_summarise(e->wall.runs, runs, &e->wall.least, &e->wall.median);
        wvl_bench_summarise(e->cpu.runs, runs, &e->cpu.least, &e->cpu.median);
    }
    r->has_memory = r->options->memory;
    return r->has_memory ? wvl_bench_measure_wavelane(r->picture, &r->entrants[0].job, &r->memory) : 0;
}

/* ---- The command ---- */

static int run_scaling(const wvl_bench_encode_options *o, const wvl_bench_picture *picture, const mode *m,
                       wvl_bench_json *json)
{
    wvl_bench_job job = make_job(o, picture, m);
    wvl_bench_scaling scaling;
    if (json->out != stdout) {
        printf("\n%s, one picture on n threads against n pictures on one thread each, %u turns\n", m->name, o->runs);
    }
    wvl_bench_put_open(json, NULL, '{');
    wvl_bench_put_text(json, "mode", m->name);
    wvl_bench_put_open(json, "scaling", '[');
    for (size_t t = 0; t < o->threads.count; t++) {
        if (wvl_bench_measure_scaling(picture, &job, (uint32_t)o->threads.values[t], o->runs, &scaling) != 0) {
            return wvl_bench_fail(-1, "--scaling could not be measured");
        }
        if (json->out != stdout) {
            wvl_bench_write_scaling(&scaling, stdout);
        }
        wvl_bench_put_scaling(json, &scaling);
    }
    wvl_bench_put_close(json, ']');
    wvl_bench_put_close(json, '}');
    return 0;
}

static int run_mode(const wvl_bench_encode_options *o, const wvl_bench_picture *picture, const mode *m,
                    wvl_bench_json *json)
{
    wvl_bench_report report = {.options = o, .picture = picture, .mode = m->name};
    int status = open_entrants(&report, make_job(o, picture, m)) == 0 ? measure(&report) : -1;
    if (status == 0 && json->out != stdout) {
        wvl_bench_write_report(&report, stdout);
    }
    if (status == 0) {
        wvl_bench_put_report(json, &report);
    }
    close_entrants(&report);
    return status;
}

static int run_picture(const wvl_bench_encode_options *o, const wvl_bench_picture *picture, wvl_bench_json *json)
{
    wvl_bench_put_open(json, NULL, '{');
    for (unsigned coder = 0; coder < WVL_BENCH_CODERS; coder++) {
        const char *name = wvl_bench_coder_name(coder), *version = wvl_bench_coder_version(coder);
        if (json->out != stdout) {
            printf("%s %s\n", name, wvl_bench_has_coder(coder) ? version : "not built in");
        }
        wvl_bench_put_text(json, name, version);
    }
    if (json->out != stdout) {
        wvl_bench_write_picture(picture, stdout);
    }
    wvl_bench_put_picture(json, picture);
    wvl_bench_put_number(json, "samples", (double)picture->sample_count);
    wvl_bench_put_number(json, "runs", (double)o->runs);
    wvl_bench_put_settings(json, &o->settings);
    wvl_bench_put_open(json, "modes", '[');
    for (int i = 0; i < MODE_COUNT; i++) {
        int is_named = o->mode == i || o->mode == (modes[i].ht ? MODE_HT : MODE_BOTH);
        if (is_named && (o->scaling ? run_scaling : run_mode)(o, picture, &modes[i], json) != 0) {
            return WVL_BENCH_EXIT_FAILED;
        }
    }
    wvl_bench_put_close(json, ']');
    wvl_bench_put_close(json, '}');
    return WVL_BENCH_EXIT_OK;
}

int wvl_bench_run_encode(wvl_bench_args *args)
{
    wvl_bench_encode_options o = {
        .mode = MODE_BOTH, .shape = {1920, 1080, 3, 8}, .bpp = 1, .step = 1.0 / 128, .threads = {{1}, 1}, .runs = 7};
    wvl_bench_json json;
    wvl_bench_picture picture;
    if (wvl_bench_args_parse(args, option_table, sizeof option_table / sizeof *option_table, &o) != 0) {
        return WVL_BENCH_EXIT_USAGE;
    }
    if (o.simd && wvl_cpu_limit_level((wvl_cpu_level)(o.simd - 1)) != 0) {
        return wvl_bench_fail(WVL_BENCH_EXIT_USAGE, "--simd %s: this machine does not have it", simd_words[o.simd]);
    }
    if (wvl_bench_open_picture(o.image, o.indices, &o.shape, &picture) != 0) {
        return WVL_BENCH_EXIT_INPUT;
    }
    int status = WVL_BENCH_EXIT_OUTPUT;
    if (wvl_bench_json_open(&json, o.json) == 0) {
        status = run_picture(&o, &picture, &json);
        status = wvl_bench_json_close(&json, status == WVL_BENCH_EXIT_OK) != 0 ? WVL_BENCH_EXIT_OUTPUT : status;
    }
    wvl_bench_release_picture(&picture);
    return status;
}
