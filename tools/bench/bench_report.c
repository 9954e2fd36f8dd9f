/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_encode.h"

static const wvl_bench_entrant *find_entrant(const wvl_bench_report *r, int is_opj, uint32_t threads)
{
    for (size_t i = 0; i < r->entrant_count; i++)
        if (r->entrants[i].is_opj == is_opj && r->entrants[i].job.threads == threads)
            return &r->entrants[i];
    return NULL;
}

static void write_quality(const wvl_bench_entrant *e, FILE *out)
{
    if (!e->judged)
        fputs("  not decoded", out);
    else if (e->quality.exact)
        fputs("  exact", out);
    else
        fprintf(out, "  %.2f dB", e->quality.psnr);
}

static void write_entrant(const wvl_bench_report *r, const wvl_bench_entrant *e, FILE *out)
{
    double samples = 1e-6 * (double)r->picture->sample_count;

    fprintf(out, "%-9s %2u  %10zu  %8.2f %8.2f  %8.2f %8.2f  %8.2f", e->is_opj ? "openjpeg" : "wavelane", e->job.threads, e->bytes,
            1e3 * e->wall_least, 1e3 * e->wall_median, 1e3 * e->cpu_least, 1e3 * e->cpu_median, samples / e->wall_least);
    write_quality(e, out);
    fputc('\n', out);
}

static void write_against_opj(const wvl_bench_entrant *e, const wvl_bench_entrant *other, FILE *out)
{
    fprintf(out, "wavelane / openjpeg, threads %u: speed %.3f (minimum wall), %.3f (median wall), %.3f (minimum cpu); bytes %.4f\n", e->job.threads,
            other->wall_least / e->wall_least, other->wall_median / e->wall_median, other->cpu_least / e->cpu_least,
            (double)e->bytes / (double)other->bytes);
}

/* How many times faster than OpenJPEG, and than itself with the first thread count. */
static void write_ratios(const wvl_bench_report *r, const wvl_bench_entrant *e, FILE *out)
{
    const wvl_bench_entrant *other = find_entrant(r, 1, e->job.threads), *first = find_entrant(r, e->is_opj, r->entrants[0].job.threads);

    if (!e->is_opj && other != NULL)
        write_against_opj(e, other, out);
    if (first->job.threads != e->job.threads)
        fprintf(out, "%s, threads %u / %u: speed %.3f (minimum wall), %.3f (median wall)\n", e->is_opj ? "openjpeg" : "wavelane",
                e->job.threads, first->job.threads, first->wall_least / e->wall_least, first->wall_median / e->wall_median);
}

void wvl_bench_write_report(const wvl_bench_report *r, FILE *out)
{
    if (r->entrants[0].job.reversible)
        fprintf(out, "\nlossless 5/3, %u timed runs\n", r->options->runs);
    else
        fprintf(out, "\nlossy 9/7, %g bit/pixel, %u timed runs\n", r->options->bpp, r->options->runs);
    fputs("coder    threads    bytes   wall ms  (median)   cpu ms  (median)  Msample/s  decoded\n", out);
    for (size_t i = 0; i < r->entrant_count; i++)
        write_entrant(r, &r->entrants[i], out);
    for (size_t i = 0; i < r->entrant_count; i++)
        write_ratios(r, &r->entrants[i], out);
    if (r->has_memory)
        fprintf(out, "wavelane memory: peak %llu bytes = %.2f a sample, of them %llu output; the plan announced %llu\n",
                (unsigned long long)r->memory.peak_bytes, (double)r->memory.peak_bytes / (double)r->picture->sample_count,
                (unsigned long long)r->memory.output_bytes, (unsigned long long)r->memory.base_bytes);
}

static void put_runs(wvl_bench_json *json, const char *key, const double *seconds, size_t runs)
{
    wvl_bench_put_open(json, key, '[');
    for (size_t i = 0; i < runs; i++)
        wvl_bench_put_number(json, NULL, seconds[i]);
    wvl_bench_put_close(json, ']');
}

static void put_entrant(wvl_bench_json *json, const wvl_bench_report *r, const wvl_bench_entrant *e)
{
    wvl_bench_put_open(json, NULL, '{');
    wvl_bench_put_text(json, "coder", e->is_opj ? "openjpeg" : "wavelane");
    wvl_bench_put_number(json, "threads", e->job.threads);
    wvl_bench_put_number(json, "bytes", (double)e->bytes);
    wvl_bench_put_number(json, "wall_s_min", e->wall_least);
    wvl_bench_put_number(json, "wall_s_median", e->wall_median);
    wvl_bench_put_number(json, "cpu_s_min", e->cpu_least);
    wvl_bench_put_number(json, "cpu_s_median", e->cpu_median);
    wvl_bench_put_number(json, "msamples_per_s", 1e-6 * (double)r->picture->sample_count / e->wall_least);
    if (e->judged) {
        wvl_bench_put_number(json, "exact", e->quality.exact);
        wvl_bench_put_number(json, "psnr_db", e->quality.psnr);
    }
    put_runs(json, "wall_s", e->wall, r->options->runs);
    put_runs(json, "cpu_s", e->cpu, r->options->runs);
    wvl_bench_put_close(json, '}');
}

static void put_ratios(wvl_bench_json *json, const wvl_bench_report *r)
{
    wvl_bench_put_open(json, "speed_over_openjpeg", '[');
    for (size_t i = 0; i < r->entrant_count; i++) {
        const wvl_bench_entrant *e = &r->entrants[i], *other = find_entrant(r, 1, e->job.threads);

        if (e->is_opj || other == NULL)
            continue;
        wvl_bench_put_open(json, NULL, '{');
        wvl_bench_put_number(json, "threads", e->job.threads);
        wvl_bench_put_number(json, "wall_min", other->wall_least / e->wall_least);
        wvl_bench_put_number(json, "wall_median", other->wall_median / e->wall_median);
        wvl_bench_put_number(json, "cpu_min", other->cpu_least / e->cpu_least);
        wvl_bench_put_close(json, '}');
    }
    wvl_bench_put_close(json, ']');
}

void wvl_bench_put_report(wvl_bench_json *json, const wvl_bench_report *r)
{
    wvl_bench_put_open(json, NULL, '{');
    wvl_bench_put_text(json, "mode", r->mode);
    wvl_bench_put_number(json, "bpp", r->entrants[0].job.bpp);
    wvl_bench_put_open(json, "coders", '[');
    for (size_t i = 0; i < r->entrant_count; i++)
        put_entrant(json, r, &r->entrants[i]);
    wvl_bench_put_close(json, ']');
    put_ratios(json, r);
    if (r->has_memory) {
        wvl_bench_put_open(json, "memory", '{');
        wvl_bench_put_number(json, "peak_bytes", (double)r->memory.peak_bytes);
        wvl_bench_put_number(json, "output_bytes", (double)r->memory.output_bytes);
        wvl_bench_put_number(json, "plan_base_bytes", (double)r->memory.base_bytes);
        wvl_bench_put_close(json, '}');
    }
    wvl_bench_put_close(json, '}');
}

void wvl_bench_put_head(wvl_bench_json *json, const wvl_bench_encode_options *o, const wvl_bench_picture *picture)
{
    wvl_bench_put_open(json, NULL, '{');
    wvl_bench_put_text(json, "wavelane", wvl_bench_wavelane_version());
    wvl_bench_put_text(json, "openjpeg", wvl_bench_opj_version());
    wvl_bench_put_text(json, "picture", picture->name);
    wvl_bench_put_number(json, "width", picture->io.width);
    wvl_bench_put_number(json, "height", picture->io.height);
    wvl_bench_put_number(json, "components", picture->io.component_count);
    wvl_bench_put_number(json, "depth", picture->io.components[0].depth);
    wvl_bench_put_number(json, "samples", (double)picture->sample_count);
    wvl_bench_put_number(json, "runs", (double)o->runs);
    wvl_bench_put_open(json, "settings", '[');
    for (size_t i = 0; i < o->settings.count; i++)
        wvl_bench_put_text(json, NULL, o->settings.text[i]);
    wvl_bench_put_close(json, ']');
    wvl_bench_put_open(json, "modes", '[');
}

void wvl_bench_put_tail(wvl_bench_json *json)
{
    wvl_bench_put_close(json, ']');
    wvl_bench_put_close(json, '}');
    fputc('\n', json->out);
}
