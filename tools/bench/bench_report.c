/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_encode.h"

static const wvl_bench_entrant *find_entrant(const wvl_bench_report *r, wvl_bench_coder coder, uint32_t threads)
{
    for (size_t i = 0; i < r->entrant_count; i++) {
        if (r->entrants[i].coder == coder && r->entrants[i].job.threads == threads) {
            return &r->entrants[i];
        }
    }
    return NULL;
}

static void write_quality(const wvl_bench_entrant *e, FILE *out)
{
    if (!e->judged) {
        fputs("  not decoded", out);
    } else if (e->quality.exact) {
        fputs("  exact", out);
    } else {
        fprintf(out, "  %.2f dB", e->quality.psnr);
    }
}

static void write_entrant(const wvl_bench_report *r, const wvl_bench_entrant *e, FILE *out)
{
    double samples = 1e-6 * (double)r->picture->sample_count;

    fprintf(out, "%-10s %2u  %10zu  %8.2f %8.2f  %8.2f %8.2f  %8.2f", wvl_bench_coder_name(e->coder), e->job.threads,
            e->bytes, 1e3 * e->wall.least, 1e3 * e->wall.median, 1e3 * e->cpu.least, 1e3 * e->cpu.median,
            samples / e->wall.least);
    write_quality(e, out);
    fputc('\n', out);
}

static void write_against(const wvl_bench_entrant *e, const wvl_bench_entrant *other, FILE *out)
{
    fprintf(out,
            "wavelane / %s, threads %u: speed %.3f (minimum wall), %.3f (median wall), %.3f (minimum cpu), %.3f "
            "(median cpu); bytes %.4f\n",
            wvl_bench_coder_name(other->coder), e->job.threads, other->wall.least / e->wall.least,
            other->wall.median / e->wall.median, other->cpu.least / e->cpu.least, other->cpu.median / e->cpu.median,
            (double)e->bytes / (double)other->bytes);
}

/* How many times faster than the others, and than itself with the first thread count. */
static void write_ratios(const wvl_bench_report *r, const wvl_bench_entrant *e, FILE *out)
{
    const wvl_bench_entrant *first = find_entrant(r, e->coder, r->entrants[0].job.threads);

    for (unsigned coder = WVL_BENCH_WAVELANE + 1; e->coder == WVL_BENCH_WAVELANE && coder < WVL_BENCH_CODERS; coder++) {
        const wvl_bench_entrant *other = find_entrant(r, (wvl_bench_coder)coder, e->job.threads);

        if (other) {
            write_against(e, other, out);
        }
    }
    if (first && first->job.threads != e->job.threads) {
        fprintf(out, "%s, threads %u / %u: speed %.3f (minimum wall), %.3f (median wall)\n",
                wvl_bench_coder_name(e->coder), e->job.threads, first->job.threads, first->wall.least / e->wall.least,
                first->wall.median / e->wall.median);
    }
}

static void write_mode(const wvl_bench_report *r, FILE *out)
{
    const wvl_bench_job *job = &r->entrants[0].job;

    fprintf(out, "\n%s%s", job->ht ? "HT blocks, " : "", job->reversible ? "lossless 5/3" : "lossy 9/7");
    if (job->bpp > 0) {
        fprintf(out, ", %g bit/pixel", job->bpp);
    }
    if (job->step > 0) {
        fprintf(out, ", step %g", job->step);
    }
    fprintf(out, ", %u timed runs\n", r->options->runs);
}

void wvl_bench_write_report(const wvl_bench_report *r, FILE *out)
{
    write_mode(r, out);
    fputs("coder     threads    bytes   wall ms  (median)   cpu ms  (median)  Msample/s  decoded\n", out);
    for (size_t i = 0; i < r->entrant_count; i++) {
        write_entrant(r, &r->entrants[i], out);
    }
    for (size_t i = 0; i < r->entrant_count; i++) {
        write_ratios(r, &r->entrants[i], out);
    }
    if (r->has_memory) {
        fprintf(out, "wavelane memory: peak %llu bytes = %.2f a sample, of them %llu output; the plan announced %llu\n",
                (unsigned long long)r->memory.peak_bytes,
                (double)r->memory.peak_bytes / (double)r->picture->sample_count,
                (unsigned long long)r->memory.output_bytes, (unsigned long long)r->memory.base_bytes);
    }
}

static void put_entrant(wvl_bench_json *json, const wvl_bench_report *r, const wvl_bench_entrant *e)
{
    wvl_bench_put_open(json, NULL, '{');
    wvl_bench_put_text(json, "coder", wvl_bench_coder_name(e->coder));
    wvl_bench_put_number(json, "threads", e->job.threads);
    wvl_bench_put_number(json, "bytes", (double)e->bytes);
    wvl_bench_put_number(json, "wall_s_min", e->wall.least);
    wvl_bench_put_number(json, "wall_s_median", e->wall.median);
    wvl_bench_put_number(json, "cpu_s_min", e->cpu.least);
    wvl_bench_put_number(json, "cpu_s_median", e->cpu.median);
    wvl_bench_put_number(json, "msamples_per_s", 1e-6 * (double)r->picture->sample_count / e->wall.least);
    if (e->judged) {
        wvl_bench_put_number(json, "exact", e->quality.exact);
        wvl_bench_put_number(json, "psnr_db", e->quality.psnr);
    }
    wvl_bench_put_list(json, "wall_s", e->wall.runs, r->options->runs);
    wvl_bench_put_list(json, "cpu_s", e->cpu.runs, r->options->runs);
    wvl_bench_put_close(json, '}');
}

static void put_ratio(wvl_bench_json *json, const wvl_bench_entrant *e, const wvl_bench_entrant *other)
{
    wvl_bench_put_open(json, NULL, '{');
    wvl_bench_put_number(json, "threads", e->job.threads);
    wvl_bench_put_number(json, "wall_min", other->wall.least / e->wall.least);
    wvl_bench_put_number(json, "wall_median", other->wall.median / e->wall.median);
    wvl_bench_put_number(json, "cpu_min", other->cpu.least / e->cpu.least);
    wvl_bench_put_number(json, "cpu_median", other->cpu.median / e->cpu.median);
    wvl_bench_put_close(json, '}');
}

static void put_ratios(wvl_bench_json *json, const wvl_bench_report *r, wvl_bench_coder coder)
{
    char key[64];

    snprintf(key, sizeof key, "speed_over_%s", wvl_bench_coder_name(coder));
    wvl_bench_put_open(json, key, '[');
    for (size_t i = 0; i < r->entrant_count; i++) {
        const wvl_bench_entrant *e = &r->entrants[i], *other = find_entrant(r, coder, e->job.threads);

        if (e->coder == WVL_BENCH_WAVELANE && other) {
            put_ratio(json, e, other);
        }
    }
    wvl_bench_put_close(json, ']');
}

void wvl_bench_put_report(wvl_bench_json *json, const wvl_bench_report *r)
{
    wvl_bench_put_open(json, NULL, '{');
    wvl_bench_put_text(json, "mode", r->mode);
    wvl_bench_put_number(json, "bpp", r->entrants[0].job.bpp);
    wvl_bench_put_number(json, "step", r->entrants[0].job.step);
    wvl_bench_put_open(json, "coders", '[');
    for (size_t i = 0; i < r->entrant_count; i++) {
        put_entrant(json, r, &r->entrants[i]);
    }
    wvl_bench_put_close(json, ']');
    for (unsigned coder = WVL_BENCH_WAVELANE + 1; coder < WVL_BENCH_CODERS; coder++) {
        if ((coder == WVL_BENCH_OPENJPEG) == !r->entrants[0].job.ht) {
            put_ratios(json, r, (wvl_bench_coder)coder);
        }
    }
    if (r->has_memory) {
        wvl_bench_put_open(json, "memory", '{');
        wvl_bench_put_number(json, "peak_bytes", (double)r->memory.peak_bytes);
        wvl_bench_put_number(json, "output_bytes", (double)r->memory.output_bytes);
        wvl_bench_put_number(json, "plan_base_bytes", (double)r->memory.base_bytes);
        wvl_bench_put_close(json, '}');
    }
    wvl_bench_put_close(json, '}');
}
