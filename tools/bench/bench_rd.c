/* SPDX-License-Identifier: BSD-2-Clause */
/* `rd`: OpenJPEG encodes at a rate; what it wrote is the most that Wavelane may write; OpenJPEG decodes both. */
#include "bench.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>

#define MAX_PICTURES 1024

typedef struct options {
    wvl_bench_list rates;
    int color, markdown; /* color: place in its words */
    double threads, floor;
    const char *json;
    wvl_bench_settings settings;
    const char *pictures[MAX_PICTURES];
    size_t picture_count;
} options;

typedef struct side {
    size_t bytes;
    wvl_bench_quality quality;
} side;
typedef struct row {
    const char *picture;
    double bpp, pixels;
    int color;
    side opj, wavelane;
    double difference;
} row;

typedef struct tally {
    double worst, sum;
    size_t count, over_cap;
} tally;

typedef struct table {
    const options *options;
    struct wvl_context *context; /* of all rows: a device is opened once */
    wvl_bench_json json;
    FILE *text; /* NULL when JSON has standard output */
    tally on, off;
} table;

/* ---- Options ---- */

static const char *const color_words[] = {"on", "off", "both", NULL};
enum { COLOR_ON, COLOR_OFF, COLOR_BOTH };

static int take_picture(const char *text, void *o)
{
    options *to = o;
    if (to->picture_count == MAX_PICTURES) {
        return wvl_bench_fail(-1, "more than %d pictures", MAX_PICTURES);
    }
    to->pictures[to->picture_count++] = text;
    return 0;
}

static const wvl_bench_option option_table[] = {
    WVL_BENCH_RANGE("--bpp", LIST, options, rates, 0.001, 128),
    WVL_BENCH_WORD("--color", options, color, color_words),
    WVL_BENCH_RANGE("--threads", NUMBER, options, threads, 1, 1024),
    WVL_BENCH_OPTION("--set", SETTING, options, settings),
    WVL_BENCH_RANGE("--floor", NUMBER, options, floor, -100, 100),
    WVL_BENCH_OPTION("--markdown", FLAG, options, markdown),
    WVL_BENCH_OPTION("--json", TEXT, options, json),
    WVL_BENCH_CALL(NULL, take_picture),
};

/* Adds the photographs of the test folder; found keeps their names alive. */
static void find_pictures(options *o, glob_t *found)
{
    static const char *const patterns[] = {"kodim*.png", "*clic*.png"};
    const char *folder = getenv("WVL_TEST_PICTURES");
    char pattern[4096];

    for (size_t i = 0; folder && i < sizeof patterns / sizeof *patterns; i++) {
        snprintf(pattern, sizeof pattern, "%s/%s", folder, patterns[i]);
        (void)glob(pattern, i > 0 ? GLOB_APPEND : 0, NULL, found); /* no match: gl_pathc stays */
    }
    for (size_t i = 0; i < found->gl_pathc && o->picture_count < MAX_PICTURES; i++) {
        o->pictures[o->picture_count++] = found->gl_pathv[i];
    }
}

/* ---- One row ---- */

static int run_side(wvl_bench_coder coder, const wvl_bench_picture *picture, const wvl_bench_job *job, side *result,
                    char *error)
{
    wvl_bench_coded coded = {.data = NULL};
    int status = wvl_bench_encode(coder, picture, job, &coded, error);
    if (status == 0) {
        result->bytes = coded.bytes;
        status = wvl_bench_decode_opj(&coded, picture, &result->quality, error);
    }
    wvl_bench_release_coded(&coded);
    return status;
}

static int run_row(const table *t, const wvl_bench_picture *picture, row *r)
{
    const options *o = t->options;
    wvl_bench_job job = {.color_transform = r->color,
                         .bpp = r->bpp,
                         .levels = wvl_bench_picture_levels(picture),
                         .threads = (uint32_t)o->threads,
                         .settings = &o->settings,
                         .context = t->context};
    char error[WVL_BENCH_ERROR_BYTES] = "";
    int status = run_side(WVL_BENCH_OPENJPEG, picture, &job, &r->opj, error);
    if (status == 0) {
        job.cap_bytes = r->opj.bytes;
        status = run_side(WVL_BENCH_WAVELANE, picture, &job, &r->wavelane, error);
    }
    if (status != 0) {
        return wvl_bench_fail(status, "%s, %g bit/pixel: %s", r->picture, r->bpp, error);
    }
    r->difference =
        r->opj.quality.exact && r->wavelane.quality.exact ? 0 : r->wavelane.quality.psnr - r->opj.quality.psnr;
    return 0;
}

static void count_row(table *t, const row *r)
{
    tally *to = r->color ? &t->on : &t->off;

    to->worst = to->count == 0 || r->difference < to->worst ? r->difference : to->worst;
    to->sum += r->difference;
    to->count++;
    to->over_cap += r->wavelane.bytes > r->opj.bytes;
}

/* ---- Writing ---- */

static void write_head(const table *t)
{
    if (!t->text) {
        return;
    }
    if (t->options->markdown) {
        fprintf(
            t->text,
            "OpenJPEG %s; Wavelane %s\n\n"
            "| picture | bit/pixel | colour transform | OpenJPEG bytes | dB | Wavelane bytes | dB | difference dB |\n"
            "|---|---|---|---|---|---|---|---|\n",
            wvl_bench_opj_version(), wvl_build_text());
    } else {
        fprintf(t->text, "wavelane %s\nopenjpeg %s\n%-28s %6s %-6s %10s %8s %10s %8s %9s\n", wvl_build_text(),
                wvl_bench_opj_version(), "picture", "bpp", "colour", "opj bytes", "dB", "wvl bytes", "dB", "diff dB");
    }
}

static void write_row(const table *t, const row *r)
{
    const char *form = t->options->markdown ? "| %s | %g | %s | %zu | %.3f | %zu | %.3f | %+.3f%s |\n"
                                            : "%-28s %6g %-6s %10zu %8.3f %10zu %8.3f %+9.3f%s\n";

    if (!t->text) {
        return;
    }
    fprintf(t->text, form, r->picture, r->bpp, r->color ? "on" : "off", r->opj.bytes, r->opj.quality.psnr,
            r->wavelane.bytes, r->wavelane.quality.psnr, r->difference,
            r->wavelane.bytes > r->opj.bytes ? " OVER THE CAP" : "");
    fflush(t->text);
}

static void put_row(wvl_bench_json *json, const row *r)
{
    wvl_bench_put_open(json, NULL, '{');
    wvl_bench_put_text(json, "picture", r->picture);
    wvl_bench_put_number(json, "bpp", r->bpp);
    wvl_bench_put_number(json, "pixels", r->pixels);
    wvl_bench_put_number(json, "color_transform", r->color);
    wvl_bench_put_number(json, "openjpeg_bytes", (double)r->opj.bytes);
    wvl_bench_put_number(json, "openjpeg_db", r->opj.quality.psnr);
    wvl_bench_put_number(json, "wavelane_bytes", (double)r->wavelane.bytes);
    wvl_bench_put_number(json, "wavelane_db", r->wavelane.quality.psnr);
    wvl_bench_put_number(json, "difference_db", r->difference);
    wvl_bench_put_close(json, '}');
}

static void write_tally(const table *t, const char *name, const tally *sum)
{
    if (t->text && sum->count > 0) {
        fprintf(t->text, "%s%s, %zu rows: worst %+.3f dB, mean %+.3f dB%s\n", t->options->markdown ? "\n" : "", name,
                sum->count, sum->worst, sum->sum / (double)sum->count, sum->over_cap > 0 ? ", OVER THE CAP" : "");
    }
}

static void put_tally(wvl_bench_json *json, const char *name, const tally *sum)
{
    wvl_bench_put_open(json, name, '{');
    wvl_bench_put_number(json, "rows", (double)sum->count);
    wvl_bench_put_number(json, "worst_db", sum->count > 0 ? sum->worst : NAN);
    wvl_bench_put_number(json, "mean_db", sum->sum / (double)sum->count);
    wvl_bench_put_number(json, "over_cap", (double)sum->over_cap);
    wvl_bench_put_close(json, '}');
}

/* ---- The command ---- */

static int run_picture(table *t, const wvl_bench_picture *picture)
{
    const options *o = t->options;
    int has_color = wvl_bench_picture_has_color(picture);

    for (int color = 1; color >= 0; color--) {
        if (color ? o->color == COLOR_OFF || !has_color : o->color == COLOR_ON && has_color) {
            continue;
        }
        for (size_t i = 0; i < o->rates.count; i++) {
            row r = {.picture = picture->name,
                     .bpp = o->rates.values[i],
                     .pixels = (double)picture->io.width * picture->io.height,
                     .color = color};
            if (run_row(t, picture, &r) != 0) {
                return -1;
            }
            count_row(t, &r);
            write_row(t, &r);
            put_row(&t->json, &r);
        }
    }
    return 0;
}

static int run_pictures(table *t)
{
    for (size_t i = 0; i < t->options->picture_count; i++) {
        wvl_bench_picture picture;
        if (wvl_bench_open_picture(t->options->pictures[i], 0, NULL, &picture) != 0) {
            return WVL_BENCH_EXIT_INPUT;
        }
        int status = run_picture(t, &picture);
        wvl_bench_release_picture(&picture);
        if (status != 0) {
            return WVL_BENCH_EXIT_FAILED;
        }
    }
    return WVL_BENCH_EXIT_OK;
}

static int below_floor(const tally *sum, double limit)
{
    return sum->count > 0 && (sum->worst < limit || sum->over_cap > 0);
}

static int run_table(table *t)
{
    const options *o = t->options;
    t->text = t->json.out == stdout ? NULL : stdout;
    write_head(t);
    wvl_bench_put_open(&t->json, NULL, '{');
    wvl_bench_put_text(&t->json, "wavelane", wvl_build_text());
    wvl_bench_put_text(&t->json, "openjpeg", wvl_bench_opj_version());
    wvl_bench_put_settings(&t->json, &o->settings);
    wvl_bench_put_open(&t->json, "rows", '[');
    int status = run_pictures(t);
    write_tally(t, "colour transform on", &t->on);
    write_tally(t, "colour transform off", &t->off);
    wvl_bench_put_close(&t->json, ']');
    put_tally(&t->json, "color_transform_on", &t->on);
    put_tally(&t->json, "color_transform_off", &t->off);
    wvl_bench_put_close(&t->json, '}');
    if (wvl_bench_json_close(&t->json, status == WVL_BENCH_EXIT_OK) != 0) {
        return WVL_BENCH_EXIT_OUTPUT;
    }
    if (status == WVL_BENCH_EXIT_OK && (below_floor(&t->on, o->floor) || below_floor(&t->off, o->floor))) {
        status = WVL_BENCH_EXIT_CHECK;
    }
    return status;
}

int wvl_bench_run_rd(wvl_bench_args *args)
{
    static options o = {.rates = {{0.25, 0.5, 1, 2, 4}, 5}, .color = COLOR_BOTH, .threads = 1, .floor = -0.05};
    glob_t found = {.gl_pathc = 0};
    table t = {.options = &o};
    int status = WVL_BENCH_EXIT_USAGE;
    if (wvl_bench_args_parse(args, option_table, sizeof option_table / sizeof *option_table, &o) != 0) {
        return status;
    }
    if (!wvl_bench_has_coder(WVL_BENCH_OPENJPEG)) {
        return wvl_bench_fail(status, "rd: built without OpenJPEG, which encodes and decodes here");
    }
    if (o.picture_count == 0) {
        find_pictures(&o, &found);
    }
    if (o.picture_count == 0) {
        (void)wvl_bench_fail(status, "rd: no picture named, and none found through WVL_TEST_PICTURES");
    } else if (!(t.context = wvl_bench_open_context((uint32_t)o.threads))) {
        status = WVL_BENCH_EXIT_FAILED;
    } else {
        status = wvl_bench_json_open(&t.json, o.json) == 0 ? run_table(&t) : WVL_BENCH_EXIT_OUTPUT;
        wvl_context_release(t.context);
    }
    globfree(&found);
    return status;
}
