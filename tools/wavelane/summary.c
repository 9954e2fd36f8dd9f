/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of a picture when it is done, or before with --dry-run and --explain. */
#include "summary.h"

#include <inttypes.h>
#include <math.h>

#define NO_SECONDS 1e-9

static double bits_per_pixel(const wvl_cli_summary *s)
{
    return 8.0 * (double)wvl_result_bytes(s->result) / ((double)s->picture->io.width * s->picture->io.height);
}

static double ratio(const wvl_cli_summary *s)
{
    double bits = 0.0;
    for (uint32_t i = 0; i < s->picture->io.component_count; i++) {
        const wvl_io_component *c = &s->picture->io.components[i];
        bits += (double)c->width * c->height * c->depth;
    }
    return bits / (8.0 * (double)wvl_result_bytes(s->result));
}

static double speed(const wvl_cli_summary *s)
{
    return wvl_cli_sample_count(s->picture) / 1e6 / (s->seconds > NO_SECONDS ? s->seconds : NO_SECONDS);
}

static const char *word_of(const wvl_cli_summary *s, uint32_t layer)
{
    return wvl_result_layer_is_measured(s->result, layer) ? "measured" : "estimated";
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_quality(FILE *file, const wvl_cli_summary *s)
{
    const wvl_cli_check *check = s->check;
    if (check->done && check->exact) {
        fprintf(file, "lossless, checked with %s", check->decoder);
        return;
    }
    if (!check->done) {
        uint32_t last = wvl_result_layer_count(s->result) - 1;
        double psnr = wvl_result_layer_psnr(s->result, last);
        if (s->lossless || isinf(psnr)) {
            fputs("lossless", file);
        } else {
            fprintf(file, "PSNR %.2f dB (%s)", psnr, word_of(s, last));
        }
        return;
    }
    fprintf(file, "PSNR %.2f dB", check->psnr);
    for (uint32_t i = 0; check->count > 1 && i < check->count && i < 16; i++) {
        fprintf(file, "%s%.2f", i ? " " : " (", check->component_psnr[i]);
    }
    fprintf(file, "%s%s, checked with %s", check->count > 16 ? " ..." : "", check->count > 1 ? ")" : "",
            check->decoder);
}

static double percent(uint64_t bytes, uint64_t limit) { return 100.0 * (double)bytes / (double)limit; }

/* "component 0: 1041650 bytes, 100.0 % of its cap 1041666", where there is a cap. */
static void print_fills(FILE *file, const wvl_cli_summary *s)
{
    for (uint32_t i = 0; i < wvl_result_fill_count(s->result); i++) {
        wvl_fill f;
        if (wvl_result_fill(s->result, i, &f) || !f.cap) {
            continue;
        }
        if (i) {
            fprintf(file, "  component %" PRIu32 "%s: ", f.component, f.part ? ", highest resolution" : "");
        } else {
            fputs("  codestream: ", file);
        }
        fprintf(file, "%" PRIu64 " bytes", f.bytes);
        if (f.target) {
            fprintf(file, ", %.2f %% of the target %" PRIu64, percent(f.bytes, f.target), f.target);
        }
        fprintf(file, ", %.2f %% of the cap %" PRIu64 "\n", percent(f.bytes, f.cap), f.cap);
    }
}

static const char *const transfer_words[] = {"", "linear", "log", "pq"};

/* How floating point became integers: without it nobody can find the values again. */
static void print_transfer(FILE *file, const wvl_cli_summary *s)
{
    const wvl_io_picture *io = &s->picture->io;
    if (io->float_transfer && io->float_transfer != WVL_IO_FLOAT_KEPT) {
        fprintf(file, "  floating point: --float-transfer %s --float-range %.17g,%.17g\n",
                transfer_words[io->float_transfer], io->float_low, io->float_high);
    }
}

static void report_transfer(wvl_cli_report *r, const wvl_cli_summary *s)
{
    const wvl_io_picture *io = &s->picture->io;
    char number[2][32];
    if (!io->float_transfer || io->float_transfer == WVL_IO_FLOAT_KEPT) {
        return;
    }
    snprintf(number[0], sizeof number[0], "%.17g", io->float_low);
    snprintf(number[1], sizeof number[1], "%.17g", io->float_high);
    wvl_cli_report_open_line(r, "floating_point");
    wvl_cli_report_text(r, "transfer", transfer_words[io->float_transfer]);
    wvl_cli_report_text(r, "low", number[0]); /* as texts: a reader of JSON may keep fewer digits */
    wvl_cli_report_text(r, "high", number[1]);
    wvl_cli_report_close(r);
}

void wvl_cli_summary_text(FILE *file, const wvl_cli_summary *s, int layers)
{
    const char *output = strcmp(s->output, "-") != 0 ? s->output : "standard output";
    fprintf(file, "%s: %" PRIu64 " bytes, ratio %.2f, %.3f bits/pixel, %.3f s, %.1f Msamples/s, ", output,
            wvl_result_bytes(s->result), ratio(s), bits_per_pixel(s), s->seconds, speed(s));
    print_quality(file, s);
    if (strcmp(wvl_result_backend(s->result), "cpu") != 0) {
        fprintf(file, ", device: %s", wvl_result_backend(s->result));
    }
    fputc('\n', file);
    print_transfer(file, s);
    print_fills(file, s);
    if (layers) {
        uint32_t count = wvl_result_layer_count(s->result);
        fprintf(file, "  layer        bytes  bits/pixel  slope  PSNR\n");
        for (uint32_t i = 0; i < count; i++) {
            uint64_t bytes = wvl_result_layer_bytes(s->result, i);
            fprintf(file, "  %5" PRIu32 " %12" PRIu64 " %11.4f %6" PRIu32 "  %.2f dB (%s)\n", i, bytes,
                    8.0 * (double)bytes / ((double)s->picture->io.width * s->picture->io.height),
                    wvl_result_layer_slope(s->result, i), wvl_result_layer_psnr(s->result, i), word_of(s, i));
        }
    }
}

static void write_text(void *user, const char *text, size_t bytes) { (void)fwrite(text, 1, bytes, user); }

void wvl_cli_plan_text(FILE *file, const wvl_cli_summary *s, int explain)
{
    const wvl_image_format *f = &s->picture->format;
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    fprintf(file, "%s: %" PRIu32 " x %" PRIu32 ", %" PRIu32 " component%s, %s\n", s->input, s->picture->io.width,
            s->picture->io.height, f->component_count, f->component_count == 1 ? "" : "s",
            s->is_jp2 == 2 ? "JPH file"
            : s->is_jp2    ? "JP2 file"
                           : "codestream");
    print_transfer(file, s);
    if (!explain && !s->rows && !wvl_plan_measure(s->plan, &memory)) {
        fprintf(file,
                "memory: %" PRIu64 " bytes certain, %" PRIu64 " likely, %" PRIu64 " at worst, and %" PRIu64
                " for the picture; output at most %" PRIu64 " bytes\n",
                memory.certain_bytes, memory.likely_bytes, memory.worst_bytes, memory.picture_bytes,
                memory.output_bytes_bound);
        if (memory.device_bytes) {
            fprintf(file, "device: at most %" PRIu64 " bytes of page-locked memory, and %" PRIu64 " of its own\n",
                    memory.pinned_bytes, memory.device_bytes);
        }
    }
    if (explain) {
        (void)wvl_plan_explain(s->plan, 0, write_text, file);
    }
    if (s->rows) {
        const wvl_cli_rows *r = s->rows;
        unsigned passes = wvl_cli_count_passes(r);
        fprintf(file, "row by row: %" PRIu64 " bytes of memory expected, %" PRIu64 " at most, %s\n",
                wvl_cli_count_held(r, WVL_CLI_LIKELY), wvl_cli_count_held(r, WVL_CLI_MOST),
                passes > 1 ? "at most 2 passes over the picture" : "1 pass over the picture");
        if (r->options.memory_bytes) {
            fprintf(file,
                    "file in %s: %" PRIu64 " bytes expected, %" PRIu64 " at most; the smallest --memory is %" PRIu64
                    "\n",
                    r->options.spill_folder ? r->options.spill_folder : "/tmp", wvl_cli_count_spill(r, WVL_CLI_LIKELY),
                    wvl_cli_count_spill(r, WVL_CLI_MOST), r->memory.least_bytes + r->reader_bytes);
        }
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void report_layers(wvl_cli_report *r, const wvl_cli_summary *s)
{
    uint32_t count = wvl_result_layer_count(s->result);
    wvl_cli_report_open_list(r, "layers");
    for (uint32_t i = 0; i < count; i++) {
        wvl_cli_report_open_line(r, NULL);
        WVL_CLI_REPORT_NUMBERS(r, {"bytes", wvl_result_layer_bytes(s->result, i)},
                               {"slope", wvl_result_layer_slope(s->result, i)});
        wvl_cli_report_real(r, "psnr", wvl_result_layer_psnr(s->result, i));
        wvl_cli_report_flag(r, "psnr_is_measured", wvl_result_layer_is_measured(s->result, i));
        wvl_cli_report_close(r);
    }
    wvl_cli_report_close(r);
}

static void report_fills(wvl_cli_report *r, const wvl_cli_summary *s)
{
    wvl_cli_report_open_list(r, "fills");
    for (uint32_t i = 0; i < wvl_result_fill_count(s->result); i++) {
        wvl_fill f;
        if (wvl_result_fill(s->result, i, &f)) {
            continue;
        }
        wvl_cli_report_open_line(r, NULL);
        if (i) {
            WVL_CLI_REPORT_NUMBERS(r, {"component", f.component}, {"part", f.part});
        }
        WVL_CLI_REPORT_NUMBERS(r, {"bytes", f.bytes}, {"target", f.target}, {"cap", f.cap});
        wvl_cli_report_close(r);
    }
    wvl_cli_report_close(r);
}

void wvl_cli_report_check(wvl_cli_report *r, const wvl_cli_check *check)
{
    wvl_cli_report_text(r, "decoder", check->decoder);
    wvl_cli_report_flag(r, "exact", check->exact);
    wvl_cli_report_real(r, "psnr", check->psnr);
    wvl_cli_report_open_list(r, "component_psnr");
    for (uint32_t i = 0; i < check->count; i++) {
        wvl_cli_report_real(r, NULL, check->component_psnr[i]);
    }
    wvl_cli_report_close(r);
}

static void open_picture(wvl_cli_report *r, const wvl_cli_summary *s, const char *status)
{
    wvl_cli_report_open_object(r, NULL);
    wvl_cli_report_text(r, "input", s->input);
    if (s->output) {
        wvl_cli_report_text(r, "output", s->output);
    }
    wvl_cli_report_text(r, "status", status);
    wvl_cli_report_text(r, "container", s->is_jp2 == 2 ? "jph" : s->is_jp2 ? "jp2" : "j2k");
    WVL_CLI_REPORT_NUMBERS(r, {"width", s->picture->io.width}, {"height", s->picture->io.height});
    wvl_cli_report_open_list(r, "components");
    for (uint32_t i = 0; i < s->picture->format.component_count; i++) {
        const wvl_component_format *c = &s->picture->components[i];
        wvl_cli_report_open_line(r, NULL);
        wvl_cli_report_number(r, "depth", c->depth);
        wvl_cli_report_flag(r, "signed", c->is_signed);
        WVL_CLI_REPORT_NUMBERS(r, {"dx", c->dx}, {"dy", c->dy});
        wvl_cli_report_close(r);
    }
    wvl_cli_report_close(r);
}

void wvl_cli_summary_json(wvl_cli_report *r, const wvl_cli_summary *s)
{
    open_picture(r, s, "ok");
    report_transfer(r, s);
    wvl_cli_report_number(r, "bytes", wvl_result_bytes(s->result));
    wvl_cli_report_real(r, "ratio", ratio(s));
    wvl_cli_report_real(r, "bits_per_pixel", bits_per_pixel(s));
    static const char *const names[] = {"transform", "code", "rate", "write", "check"};
    wvl_cli_report_text(r, "backend", wvl_result_backend(s->result));
    wvl_cli_report_real(r, "seconds", s->seconds);
    wvl_cli_report_real(r, "megasamples_per_second", speed(s));
    wvl_cli_report_open_line(r, "stage_seconds");
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        wvl_cli_report_real(r, names[i], wvl_result_seconds(s->result, (wvl_stage)i));
    }
    wvl_cli_report_close(r);
    wvl_cli_report_flag(r, "lossless", s->lossless);
    wvl_cli_report_number(r, "tile_parts", wvl_result_tile_part_count(s->result));
    report_fills(r, s);
    report_layers(r, s);
    if (s->check->done) {
        wvl_cli_report_open_object(r, "check");
        wvl_cli_report_check(r, s->check);
        wvl_cli_report_close(r);
    }
    wvl_cli_report_warnings(r);
    wvl_cli_report_close(r);
}

void wvl_cli_plan_json(wvl_cli_report *r, const wvl_cli_summary *s, int explain)
{
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    open_picture(r, s, "planned");
    report_transfer(r, s);
    if (!wvl_plan_measure(s->plan, &memory)) {
        WVL_CLI_REPORT_NUMBERS(r, {"base_bytes", memory.base_bytes}, {"coded_bytes_bound", memory.coded_bytes_bound},
                               {"output_bytes_bound", memory.output_bytes_bound},
                               {"certain_bytes", memory.certain_bytes}, {"likely_bytes", memory.likely_bytes},
                               {"worst_bytes", memory.worst_bytes}, {"picture_bytes", memory.picture_bytes},
                               {"pinned_bytes", memory.pinned_bytes}, {"device_bytes", memory.device_bytes});
    }
    if (s->rows) {
        const wvl_cli_rows *rows = s->rows;
        wvl_cli_report_open_line(r, "rows");
        WVL_CLI_REPORT_NUMBERS(r, {"likely_bytes", wvl_cli_count_held(rows, WVL_CLI_LIKELY)},
                               {"most_bytes", wvl_cli_count_held(rows, WVL_CLI_MOST)},
                               {"least_bytes", rows->memory.least_bytes + rows->reader_bytes},
                               {"likely_spill_bytes", wvl_cli_count_spill(rows, WVL_CLI_LIKELY)},
                               {"most_spill_bytes", wvl_cli_count_spill(rows, WVL_CLI_MOST)},
                               {"most_passes", wvl_cli_count_passes(rows)});
        wvl_cli_report_close(r);
    }
    if (explain) {
        wvl_cli_report_raw(r, "plan");
        (void)wvl_plan_explain(s->plan, 1, write_text, r->file);
    }
    wvl_cli_report_warnings(r);
    wvl_cli_report_close(r);
}
