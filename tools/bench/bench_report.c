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
