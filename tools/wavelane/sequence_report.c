/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* fopencookie */
/* What is said of the frames: a line of JSON each, a line of text each, progress, a summary. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "sequence.h"

#define BAR_SECONDS 0.2    /* between two states of the progress on a terminal */
#define PLAIN_SECONDS 10.0 /* between two lines of it elsewhere */

static const char *const state_words[] = {"none", "encoded", "kept", "black", "failed"};

/* ---- Lines ----------------------------------------------------------------------------------- */

static void report_stages(wvl_cli_report *r, const wvl_cli_stages *stages)
{
    wvl_cli_report_real(r, "wait_milliseconds", stages->wait * 1000.0);
    wvl_cli_report_real(r, "read_milliseconds", stages->read * 1000.0);
    wvl_cli_report_real(r, "encode_milliseconds", stages->encode * 1000.0);
    wvl_cli_report_real(r, "write_milliseconds", stages->write * 1000.0);
}

static void report_facts(wvl_cli_report *r, const wvl_cli_facts *facts)
{
    wvl_cli_report_real(r, "psnr", facts->psnr);
    wvl_cli_report_flag(r, "psnr_is_measured", facts->psnr_is_measured);
    wvl_cli_report_number(r, "slope", facts->slope);
    wvl_cli_report_text(r, "device", facts->device);
    wvl_cli_report_real(r, "milliseconds", facts->seconds * 1000.0);
    report_stages(r, &facts->stages);
    wvl_cli_report_open_list(r, "fills");
    for (uint32_t i = 0; i < facts->fill_count; i++) {
        wvl_cli_report_open_line(r, NULL);
        WVL_CLI_REPORT_NUMBERS(r, {"bytes", facts->fills[i].bytes}, {"cap", facts->fills[i].cap});
        wvl_cli_report_close(r);
    }
    wvl_cli_report_close(r);
}

static void write_line(const wvl_cli_sequence *q, const wvl_cli_frame *f)
{
    wvl_cli_report r;
    wvl_cli_report_start(&r, q->report, WVL_REPORT_JSON_LINE);
    wvl_cli_report_number(&r, "frame", f->record.frame);
    wvl_cli_report_text(&r, "input", f->name);
    wvl_cli_report_text(&r, "output", f->output ? f->output : "");
    wvl_cli_report_text(&r, "status", state_words[f->state]);
    if (f->state == WVL_CLI_FRAME_FAILED) {
        wvl_cli_report_number(&r, "exit_code", (uint64_t)f->code);
        wvl_cli_report_text(&r, "error", wvl_cli_last_error());
    } else {
        wvl_cli_report_number(&r, "bytes", f->record.bytes);
    }
    if (f->record.limit_bytes) {
        wvl_cli_report_number(&r, "limit", f->record.limit_bytes);
    }
    if (f->facts.are_known && f->state != WVL_CLI_FRAME_FAILED) {
        report_facts(&r, &f->facts);
    }
    wvl_cli_report_warnings(&r);
    wvl_cli_report_finish(&r);
}

/* ---- Progress -------------------------------------------------------------------------------- */

static double frames_a_second(const wvl_cli_sequence *q, double now)
{
    double seconds = now - q->started;
    return (double)(q->done - q->kept) / (seconds > 1e-9 ? seconds : 1e-9);
}

static double bits_a_frame(const wvl_cli_sequence *q)
{
    uint64_t good = q->encoded + q->black + q->kept;
    return good ? 8.0 * (double)q->bytes / (double)good : 0;
}

static void format_progress(const wvl_cli_sequence *q, double now, char *text, size_t room)
{
    double rate = frames_a_second(q, now);
    int used = snprintf(text, room, "%" PRIu64, q->done);
    if (q->source.count != WVL_CLI_UNKNOWN_COUNT) {
        uint64_t left = rate > 0 ? (uint64_t)((double)(q->source.count - q->done) / rate) : 0;
        used += snprintf(text + used, room - (size_t)used, " of %" PRIu64 " frames, %" PRIu64 ":%02u:%02u left",
                         q->source.count, left / 3600, (unsigned)(left / 60 % 60), (unsigned)(left % 60));
    } else {
        used += snprintf(text + used, room - (size_t)used, " frames");
    }
    snprintf(text + used, room - (size_t)used, ", %.1f frames/s, %.0f bits/frame", rate, bits_a_frame(q));
}

static void show_progress(wvl_cli_sequence *q)
{
    char text[160];
    double now = wvl_cli_seconds();
    int is_plain = q->options->progress == WVL_CLI_SHOW_PLAIN;
    if (!q->shows || now - q->started < 1.0 || now - q->shown < (is_plain ? PLAIN_SECONDS : BAR_SECONDS)) {
        return;
    }
    format_progress(q, now, text, sizeof text);
    fprintf(stderr, is_plain ? "wavelane: %s\n" : "\r%-78s", text);
    (void)fflush(stderr);
    q->shown = now;
    q->is_shown = !is_plain;
}

/* ---- The file of the report ------------------------------------------------------------------ */

static ssize_t write_to_sink(void *user, const char *data, size_t bytes)
{
    const wvl_sink *sink = user;
    return sink->write(sink->user, data, bytes) ? 0 : (ssize_t)bytes;
}

/* It gets its name when it is complete, as every file that the command writes. */
static int open_report_file(wvl_cli_sequence *q, const char *path)
{
    static const cookie_io_functions_t functions = {.write = write_to_sink};
    wvl_cli_args args = q->options->args;
    args.skip_existing = 0;
    /* A report of an earlier run: the same command makes it anew. */
    args.force |= wvl_cli_begins_with(path, "{\"frame\":") || wvl_cli_begins_with(path, "{\"summary\":");
    int code = wvl_cli_spare_inputs(q->options, &q->source, path);
    if (!code && strcmp(q->options->words[1], "-") != 0 && wvl_cli_is_same_file(path, q->options->words[1])) {
        code = wvl_cli_fail(WVL_EXIT_OUTPUT, "--report %s: is the output too", path);
    }
    TRY(code, wvl_cli_refuse_picture_name("--report", path));
    if (!code && wvl_cli_begins_with(path, WVL_SEQUENCE_TITLE)) { /* of another shard, or of another sequence */
        code = wvl_cli_fail(WVL_EXIT_OUTPUT, "--report %s: is the journal of a sequence; name another file", path);
    }
    TRY(code, wvl_cli_check_output(&args, NULL, 0, path));
    q->report_sink = (wvl_sink){.struct_size = sizeof q->report_sink};
    TRY(code, wvl_cli_open_sink(&args, q->run.context, path, &q->report_sink));
    if (code) {
        return code;
    }
    q->report = fopencookie(&q->report_sink, "w", functions);
    if (!q->report) {
        wvl_cli_error("--report %s: out of memory", path);
        (void)q->report_sink.close(q->report_sink.user, 0);
        return WVL_EXIT_DEVICE;
    }
    return WVL_EXIT_OK;
}

/* complete: with its last line. 0: it is there as a whole. */
static int close_report_file(wvl_cli_sequence *q, int complete)
{
    int failed = 0;
    if (q->report && q->report != stdout) {
        failed = ferror(q->report) != 0;
        failed |= fclose(q->report) != 0;
        failed |= q->report_sink.close(q->report_sink.user, complete && !failed) != 0;
    }
    q->report = NULL;
    return failed;
}

void wvl_cli_drop_report(wvl_cli_sequence *q) { (void)close_report_file(q, 0); }

/* ---- All ------------------------------------------------------------------------------------- */

int wvl_cli_open_report(wvl_cli_sequence *q)
{
    const wvl_cli_sequence_options *o = q->options;
    int is_output = !strcmp(o->words[1], "-");
    FILE *standard = is_output ? stderr : stdout;
    q->log = o->log ? standard : NULL;
    q->started = wvl_cli_seconds();
    int is_plain = o->progress == WVL_CLI_SHOW_PLAIN;
    int is_bar = o->progress == WVL_CLI_SHOW_AUTO && isatty(STDERR_FILENO) && !o->log;
    q->shows = !o->args.quiet && (is_plain || is_bar);
    if (!o->report) {
        return WVL_EXIT_OK;
    }
    if (!strcmp(o->report, "-") && is_output) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "--report -: standard output is OUT; give the name of a file");
    }
    if (!strcmp(o->report, "-")) {
        q->report = stdout;
        return WVL_EXIT_OK;
    }
    return open_report_file(q, o->report);
}

void wvl_cli_report_frame(wvl_cli_sequence *q, const wvl_cli_frame *f)
{
    if (q->report) {
        write_line(q, f);
    }
    if (q->log) {
        const char *output = f->output && strcmp(f->output, "-") != 0 ? f->output : "standard output";
        fprintf(q->log, "frame %" PRIu64 ": %s, %s", f->record.frame, state_words[f->state], output);
        if (f->state != WVL_CLI_FRAME_FAILED) {
            fprintf(q->log, ", %" PRIu64 " bytes", f->record.bytes);
        }
        if (f->state == WVL_CLI_FRAME_ENCODED || f->state == WVL_CLI_FRAME_BLACK) {
            fprintf(q->log, ", %.1f ms", f->facts.seconds * 1000.0);
        }
        fputc('\n', q->log);
    }
    show_progress(q);
}

static void write_summary_line(const wvl_cli_sequence *q, double seconds)
{
    wvl_cli_report r;
    wvl_cli_report_start(&r, q->report, WVL_REPORT_JSON_LINE);
    wvl_cli_report_open_object(&r, "summary");
    WVL_CLI_REPORT_NUMBERS(&r, {"frames", q->done}, {"encoded", q->encoded}, {"kept", q->kept}, {"black", q->black},
                           {"failed", q->failed});
    wvl_cli_report_reasons(&r, &q->run.reasons);
    wvl_cli_report_text(&r, "first_failed", q->first_failed);
    wvl_cli_report_number(&r, "bytes", q->bytes);
    wvl_cli_report_real(&r, "seconds", seconds);
    report_stages(&r, &q->stages);
    wvl_cli_report_number(&r, "exit_code", (uint64_t)q->code);
    wvl_cli_report_warnings_of_run(&r);
    wvl_cli_report_close(&r);
    wvl_cli_report_finish(&r);
}

static void print_summary(const wvl_cli_sequence *q, FILE *file, double now)
{
    fprintf(file, "%" PRIu64 " frames: %" PRIu64 " encoded, %" PRIu64 " kept", q->done, q->encoded, q->kept);
    if (q->black) {
        fprintf(file, ", %" PRIu64 " black", q->black);
    }
    if (q->failed) {
        fprintf(file, ", %" PRIu64 " failed", q->failed);
        wvl_cli_print_reasons(file, &q->run.reasons);
    }
    fprintf(file, "; %" PRIu64 " bytes, %.0f bits/frame, %.2f s, %.1f frames/s\n", q->bytes, bits_a_frame(q),
            now - q->started, frames_a_second(q, now));
}

/* Where the time of the frames' threads went. */
static void tell_stages(const wvl_cli_sequence *q)
{
    uint64_t frames = q->encoded + q->black;
    if (frames) {
        double n = (double)frames / 1000.0;
        wvl_cli_inform("a frame's thread, on average: waits %.2f ms, reads %.2f ms, encodes %.2f ms, writes %.2f ms",
                       q->stages.wait / n, q->stages.read / n, q->stages.encode / n, q->stages.write / n);
    }
}

static int is_broken(FILE *file) { return file && (fflush(file) || ferror(file)); }

void wvl_cli_end_report(wvl_cli_sequence *q)
{
    double now = wvl_cli_seconds();
    FILE *standard = !strcmp(q->options->words[1], "-") ? stderr : stdout;
    if (q->is_shown) {
        fprintf(stderr, "\r%78s\r", "");
    }
    if (q->report) {
        write_summary_line(q, now - q->started);
    }
    tell_stages(q);
    if (!q->options->args.quiet && q->report != stdout) {
        print_summary(q, standard, now);
    }
    if (is_broken(standard) && !q->code) {
        q->code = wvl_cli_fail(WVL_EXIT_REPORT, "the report cannot be written (%s); the frames are complete",
                               strerror(errno));
    }
    if (close_report_file(q, 1) && !q->code) {
        q->code = wvl_cli_fail(WVL_EXIT_REPORT, "--report %s: cannot be written; the frames are complete",
                               q->options->report);
    }
}
