/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes one picture, or every picture of a directory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "color.h"
#include "directory.h"
#include "settings.h"
#include "summary.h"
#include "trace.h"
#include "turns.h"

typedef struct batch {
    const wvl_cli_args *args;
    wvl_context *context;
    wvl_params *params;
    wvl_cancel *cancel;
    wvl_cli_report report; /* used with --json */
    FILE *out;             /* where summaries go */
    wvl_cli_directory directory;
    size_t failed;    /* of its pictures; changes in turn */
    int code;         /* the same */
    int report_errno; /* of the first summary that could not be written; 0: all were */
    unsigned unused;  /* WVL_UNUSED_* of every picture so far; the same */
} batch;

/* One picture on its way. */
typedef struct job {
    batch *s;
    const char *const *inputs;
    size_t input_count;
    const char *output; /* NULL: none (dry run) */
    const char *name;   /* for messages */
    int is_jp2;         /* 2: JPH */
    wvl_cli_picture picture;
    wvl_params *params;
    wvl_plan *plan;
    wvl_result *result;
    wvl_cli_check check;
    double seconds;
    wvl_cli_turns *turns; /* other pictures are in work beside it; NULL: none */
} job;

static void enter(const job *j)
{
    if (j->turns) {
        wvl_cli_enter(j->turns);
    }
}

static void leave(const job *j)
{
    if (j->turns) {
        wvl_cli_leave(j->turns);
    }
}

/* ---- Plan ------------------------------------------------------------------------------------ */

/* Every violation on a line of its own. */
static int report_lines(const job *j, const char *text, wvl_status status)
{
    if (!text[0]) {
        wvl_cli_error("%s: %s", j->name, wvl_status_text(status));
    }
    while (*text) {
        size_t line = strcspn(text, "\n");
        wvl_cli_error("%s: %.*s", j->name, (int)line, text);
        text += line + (text[line] == '\n');
    }
    return wvl_cli_exit_code(status);
}

static int is_plan_only(const wvl_cli_args *args) { return args->dry_run || args->explain; }

/* Where no name says the format: that of -OutFor or --container, else a codestream. */
static int take_asked_container(job *j)
{
    const char *format = j->s->args->out_format, *container = wvl_params_get(j->params, "container");
    if (format) {
        char name[16];
        (void)snprintf(name, sizeof name, "file.%s", format);
        j->is_jp2 = wvl_cli_container_of(name);
        return wvl_cli_fix_container(j->s->args, name, j->is_jp2, j->params);
    }
    if (!container) {
        wvl_cli_error("%s: out of memory", j->name);
        return WVL_EXIT_DEVICE;
    }
    j->is_jp2 = 0;
    if (strcmp(container, "j2k") != 0) {
        j->is_jp2 = strcmp(container, "jp2") ? 2 : 1;
    }
    return WVL_EXIT_OK;
}

static int choose_container(job *j)
{
    if (!j->output || !strcmp(j->output, "-")) {
        return take_asked_container(j);
    }
    j->is_jp2 = wvl_cli_container_of(j->output);
    if (j->is_jp2 < 0 && is_plan_only(j->s->args)) {
        return take_asked_container(j);
    }
    if (j->is_jp2 < 0) {
        wvl_cli_error(
            "%s: the extension must be .jp2 (JP2 file), .jph (JPH file) or .j2k, .j2c, .jpc, .jhc (codestream)",
            j->output);
        return WVL_EXIT_USAGE;
    }
    if (j->s->args->out_format && !j->s->args->image_dir) {
        wvl_cli_error("-OutFor needs -ImgDir; the name %s says the format already", j->output);
        return WVL_EXIT_USAGE;
    }
    return wvl_cli_fix_container(j->s->args, j->output, j->is_jp2, j->params);
}

static int make_plan(job *j)
{
    int code = wvl_cli_describe_picture(j->s->args, j->name, j->is_jp2, &j->picture);
    if (!code) {
        code = wvl_cli_fit_transform(j->s->args, j->name, &j->picture, j->params);
    }
    if (!code) {
        code = wvl_cli_fit_color(j->s->args, j->name, &j->picture, j->params);
    }
    if (code) {
        return code;
    }
    wvl_status status =
        wvl_plan_create(j->s->context, j->params, &j->picture.format, j->is_jp2 ? &j->picture.jp2 : NULL, &j->plan);
    return status ? report_lines(j, wvl_context_error(j->s->context), status) : WVL_EXIT_OK;
}

/* ---- Encode ---------------------------------------------------------------------------------- */

static int encode_to(job *j, wvl_sink *sink)
{
    char error[4096] = "";
    wvl_cli_progress progress;
    const wvl_cli_args *args = j->s->args;
    wvl_cli_progress_start(&progress, !args->quiet && !j->turns && !(args->json && j->s->out == stderr));
    wvl_control control = {.struct_size = sizeof control,
                           .progress = wvl_cli_progress_step,
                           .progress_user = &progress,
                           .cancel = j->s->cancel};
    double start = wvl_cli_seconds();
    wvl_status status = wvl_encode(j->plan, &j->picture.image, sink, &control, &j->result, error, sizeof error);
    j->seconds = wvl_cli_seconds() - start;
    wvl_cli_progress_end(&progress);
    if (!status) {
        return WVL_EXIT_OK;
    }
    if (status == WVL_ERROR_PROFILE) {
        return report_lines(j, error, status);
    }
    const char *where = status == WVL_ERROR_SINK && j->output ? j->output : j->name;
    if (strstr(error, where) && strcmp(where, "-") != 0) {
        wvl_cli_error("%s", error);
    } else {
        wvl_cli_error("%s: %s", !strcmp(where, "-") ? "standard output" : where,
                      error[0] ? error : wvl_status_text(status));
    }
    return wvl_cli_exit_code(status);
}

/* The text of a failure is the context's. */
static int open_sink(const job *j, wvl_sink *sink)
{
    enter(j);
    int code = wvl_cli_open_sink(j->s->args, j->s->context, j->output, sink);
    leave(j);
    return code;
}

static int encode_directly(job *j)
{
    wvl_sink sink = {.struct_size = sizeof sink};
    int code = open_sink(j, &sink);
    return code ? code : encode_to(j, &sink);
}

/* Hands finished bytes to a sink that the encoder has not seen. */
static int write_out(job *j, const uint8_t *data, size_t bytes)
{
    wvl_sink sink = {.struct_size = sizeof sink};
    int code = open_sink(j, &sink);
    if (code) {
        return code;
    }
    int failed = sink.write(sink.user, data, bytes) != 0;
    failed |= sink.close(sink.user, !failed) != 0;
    if (failed) {
        wvl_cli_error("%s: cannot be written", !strcmp(j->output, "-") ? "standard output" : j->output);
        return WVL_EXIT_OUTPUT;
    }
    return WVL_EXIT_OK;
}

static int compare_with_original(job *j, const uint8_t *data, size_t bytes)
{
    wvl_cli_picture converted;
    int converts = wvl_cli_converts_color(&j->picture, j->params), lossless = wvl_cli_wants_lossless(j->params);
    if (!converts) {
        return wvl_cli_verify_bytes(&j->picture, j->name, lossless, data, bytes, &j->check);
    }
    enter(j);
    int code = wvl_cli_convert_picture(j->name, j->s->context, j->params, &j->picture, &converted);
    leave(j);
    if (!code) {
        code = wvl_cli_verify_bytes(&converted, j->name, lossless, data, bytes, &j->check);
    }
    wvl_cli_release_picture(&converted);
    return code;
}

/* Into memory, through the decoder, and only then into the file. */
static int encode_verified(job *j)
{
    void *data = NULL;
    size_t bytes = 0;
    wvl_sink sink = {.struct_size = sizeof sink};
    wvl_status status = wvl_sink_open_memory(j->s->context, &sink);
    if (status) {
        wvl_cli_error("%s: %s", j->name, wvl_status_text(status));
        return wvl_cli_exit_code(status);
    }
    int code = encode_to(j, &sink);
    if (code) {
        return code;
    }
    status = wvl_sink_take_memory(&sink, &data, &bytes);
    if (status) {
        wvl_cli_error("%s: %s", j->name, wvl_status_text(status));
        return wvl_cli_exit_code(status);
    }
    code = compare_with_original(j, data, bytes);
    if (!code && wvl_cli_was_interrupted()) {
        code = WVL_EXIT_INTERRUPTED;
    }
    if (!code) {
        code = write_out(j, data, bytes);
    }
    wvl_memory_release(j->s->context, data, bytes);
    return code;
}

/* ---- Report ---------------------------------------------------------------------------------- */

static wvl_cli_summary summarize(const job *j)
{
    return (wvl_cli_summary){.input = j->name,
                             .output = j->output,
                             .is_jp2 = j->is_jp2,
                             .picture = &j->picture,
                             .plan = j->plan,
                             .result = j->result,
                             .check = &j->check,
                             .seconds = j->seconds,
                             .lossless = wvl_cli_wants_lossless(j->params)};
}

static void report_success(job *j)
{
    batch *s = j->s;
    const wvl_cli_args *args = s->args;
    wvl_cli_summary summary = summarize(j);
    if (args->json) {
        wvl_cli_summary_json(&s->report, &summary);
    } else if (!args->quiet) {
        wvl_cli_summary_text(s->out, &summary, args->psnr_report);
    }
}

static void report_plan(job *j)
{
    wvl_cli_summary summary = summarize(j);
    if (j->s->args->json) {
        wvl_cli_plan_json(&j->s->report, &summary, j->s->args->explain);
    } else {
        wvl_cli_plan_text(j->s->out, &summary, j->s->args->explain);
    }
}

static void report_failure(batch *s, const char *input, int code)
{
    wvl_cli_report *r = &s->report;
    if (s->args->json) {
        wvl_cli_report_open_object(r, NULL);
        wvl_cli_report_text(r, "input", input);
        wvl_cli_report_text(r, "status", "failed");
        wvl_cli_report_number(r, "exit_code", (uint64_t)code);
        wvl_cli_report_text(r, "error", wvl_cli_last_error());
        wvl_cli_report_warnings(r);
        wvl_cli_report_close(r);
    }
}

/* ---- One picture ----------------------------------------------------------------------------- */

static int read_and_plan(job *j)
{
    const wvl_cli_args *args = j->s->args;
    enter(j);
    wvl_status status = wvl_params_clone(j->s->params, &j->params);
    leave(j);
    if (status) {
        wvl_cli_error("%s: %s", j->name, wvl_status_text(status));
        return wvl_cli_exit_code(status);
    }
    int code = choose_container(j);
    if (!code && j->output) {
        code = wvl_cli_check_output(args, j->inputs, j->input_count, j->output);
    }
    if (!code) {
        code = wvl_cli_read_picture(args, j->inputs, j->input_count, &j->picture);
    }
    if (!code && !args->image_dir) {
        code = wvl_cli_refuse_unused(j->name, &j->picture);
    }
    if (!code) {
        enter(j);
        code = make_plan(j);
        leave(j);
    }
    return code;
}

static int encode(job *j)
{
    if (j->turns) { /* signals are armed as long as there are pictures */
        return j->s->args->verify ? encode_verified(j) : encode_directly(j);
    }
    wvl_cli_arm_signals(j->s->cancel);
    int code = j->s->args->verify ? encode_verified(j) : encode_directly(j);
    wvl_cli_arm_signals(NULL);
    return code;
}

static void note_lost_report(batch *s)
{
    if ((fflush(s->out) || ferror(s->out)) && !s->report_errno) {
        s->report_errno = errno ? errno : EIO;
    }
}

static void report(job *j, int code)
{
    if (code) {
        report_failure(j->s, j->name, code);
    } else if (is_plan_only(j->s->args)) {
        report_plan(j);
    } else {
        report_success(j);
    }
    note_lost_report(j->s);
    wvl_cli_clear_warnings();
}

static void release_job(job *j)
{
    free(j->check.component_psnr);
    wvl_result_release(j->result);
    wvl_plan_release(j->plan);
    wvl_params_release(j->params);
    wvl_cli_release_picture(&j->picture);
}

static job describe_job(batch *s, const char *const *inputs, size_t input_count, const char *output)
{
    job j;
    memset(&j, 0, sizeof j);
    j.s = s;
    j.inputs = inputs;
    j.input_count = input_count;
    j.output = output;
    j.name = !input_count ? "demo" : !strcmp(inputs[0], "-") ? "standard input" : inputs[0];
    return j;
}

static int encode_one(batch *s, const char *const *inputs, size_t input_count, const char *output)
{
    job j = describe_job(s, inputs, input_count, output);
    int code = read_and_plan(&j);
    if (!code && !is_plan_only(s->args)) {
        code = encode(&j);
    }
    report(&j, code);
    release_job(&j);
    return code;
}

/* ---- A directory ----------------------------------------------------------------------------- */

#define MOST_PICTURES 4u /* at a time, unless told: reading, coding and writing then overlap */

static int encode_beside(job *j, uint64_t bytes)
{
    wvl_cli_hold_bytes(j->turns, bytes, wvl_cli_share_of_memory());
    int code = encode(j);
    wvl_cli_drop_bytes(j->turns, bytes);
    return code;
}

/* What one picture alone would have had, it gets: where memory or the device does not suffice for several, it is tried
 * again when no other is in work. */
static int encode_in_turns(job *j)
{
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    uint64_t bytes =
        wvl_plan_measure(j->plan, &memory) == WVL_OK ? memory.base_bytes + memory.output_bytes_bound : UINT64_MAX / 2;
    size_t mark = wvl_cli_mark_messages();
    int code = encode_beside(j, bytes);
    if (code == WVL_EXIT_DEVICE) {
        wvl_cli_forget_messages(mark);
        code = encode_beside(j, UINT64_MAX / 2);
    }
    return code;
}

static void encode_entry(void *user, wvl_cli_turns *turns, size_t index)
{
    batch *s = user;
    const wvl_cli_entry *entry = &s->directory.entries[index];
    const char *input = entry->input;
    job j = describe_job(s, &input, 1, entry->output);
    int code = WVL_EXIT_OUTPUT;
    j.turns = wvl_cli_count_workers(turns) > 1 ? turns : NULL;
    if (entry->clash) {
        wvl_cli_error("%s: its output %s is the output of %s too; rename one of the pictures", input, entry->output,
                      entry->clash);
    } else {
        code = wvl_cli_check_entry(&s->directory, index);
        if (!code) {
            code = read_and_plan(&j);
        }
        if (!code && !is_plan_only(s->args)) {
            code = j.turns ? encode_in_turns(&j) : encode(&j);
        }
    }
    wvl_cli_take_turn(turns, index);
    s->unused &= j.picture.components ? j.picture.unused : ~0u;
    report(&j, code);
    s->failed += code != WVL_EXIT_OK;
    if (code == WVL_EXIT_INTERRUPTED || wvl_cli_was_interrupted()) {
        s->code = WVL_EXIT_INTERRUPTED;
        wvl_cli_stop_turns(turns);
    }
    release_job(&j);
}

/* ---- All ------------------------------------------------------------------------------------- */

static int encode_directory(batch *s)
{
    const wvl_cli_args *args = s->args;
    s->code = wvl_cli_list_directory(args->image_dir, args->out_format, &s->directory);
    wvl_cli_keep_warnings();
    size_t count = s->directory.count, threads = wvl_context_threads(s->context),
           usual = threads < MOST_PICTURES ? threads : MOST_PICTURES;
    size_t workers = args->pictures ? args->pictures : args->trace ? 1 : usual;
    if (!s->code && args->trace) {
        s->code = wvl_cli_check_trace(args->trace, &s->directory);
    }
    if (!s->code) {
        s->unused = count ? ~0u : 0;
        wvl_cli_arm_signals(workers > 1 ? s->cancel : NULL);
        wvl_cli_run_turns(count, workers, encode_entry, s);
        wvl_cli_arm_signals(NULL);
    }
    if (!s->code && count) {
        wvl_cli_warn_unused(args->image_dir, s->unused);
    }
    if (!s->code && !count) {
        wvl_cli_error(
            "%s: no picture in this folder; extensions are tif, png, pnm, pam, pgx, dpx, bmp, tga, raw and yuv",
            args->image_dir);
        s->code = WVL_EXIT_INPUT;
    }
    if (!s->code && s->failed) {
        wvl_cli_error("%zu of %zu pictures failed", s->failed, count);
        s->code = WVL_EXIT_SOME_FAILED;
    }
    wvl_cli_release_directory(&s->directory);
    return s->code;
}

static int encode_all(batch *s)
{
    const wvl_cli_args *args = s->args;
    if (args->image_dir) {
        return encode_directory(s);
    }
    return encode_one(s, args->inputs, args->input_count, args->output);
}

static int open_batch(batch *s)
{
    const wvl_cli_args *args = s->args;
    wvl_context_options options = {.struct_size = sizeof options,
                                   .log = wvl_cli_log,
                                   .threads = args->threads,
                                   .log_level = args->verbose > 1 ? WVL_LOG_DEBUG
                                                : args->verbose   ? WVL_LOG_INFO
                                                                  : WVL_LOG_WARNING};
    int code = args->trace ? wvl_cli_open_trace(args, &options) : WVL_EXIT_OK;
    if (code) {
        return code;
    }
    wvl_status status = wvl_context_create(&options, &s->context);
    if (!status) {
        status = wvl_cancel_create(s->context, &s->cancel);
    }
    if (!status) {
        status = wvl_params_create(s->context, &s->params);
    }
    if (status) {
        wvl_cli_error("%s", wvl_status_text(status));
        return wvl_cli_exit_code(status);
    }
    code = wvl_cli_apply_settings(args, s->params);
    return code ? code : wvl_cli_refuse_idle(args, s->params);
}

static int check_environment(const wvl_cli_args *args)
{
    if (args->verify && !wvl_cli_can_verify()) {
        wvl_cli_error(
            "--verify: this build has no OpenJPEG to decode with; leave --verify out, or build with OpenJPEG");
        return WVL_EXIT_USAGE;
    }
    if (args->out_format && wvl_cli_container_of_extension(args->out_format) < 0) {
        wvl_cli_error("-OutFor \"%s\": expected J2K, J2C, JPC, JHC, JP2 or JPH, without a point", args->out_format);
        return WVL_EXIT_USAGE;
    }
    return WVL_EXIT_OK;
}

/* Where pictures were to be written, they are complete by then: only what is said of them is lost. */
static int finish_output(batch *s, int code)
{
    const char *name = s->out == stdout ? "standard output" : "standard error";
    note_lost_report(s);
    if (!s->report_errno || code) {
        return code;
    }
    if (s->args->dry_run || s->args->explain) {
        wvl_cli_error("%s: cannot be written (%s)", name, strerror(s->report_errno));
        return WVL_EXIT_OUTPUT;
    }
    wvl_cli_error("%s: the report cannot be written (%s); the pictures are complete", name, strerror(s->report_errno));
    return WVL_EXIT_REPORT;
}

int wvl_cli_run_encode(const wvl_cli_args *args)
{
    batch s;
    memset(&s, 0, sizeof s);
    s.args = args;
    s.out = args->output && !strcmp(args->output, "-") && !is_plan_only(args) ? stderr : stdout;
    int code = check_environment(args);
    if (!code) {
        wvl_cli_catch_signals();
        code = open_batch(&s);
    }
    if (args->json && s.out == stderr) {
        wvl_cli_hold_messages(); /* they come behind the report, which they would cut in two */
    }
    if (!code) {
        if (args->json) {
            wvl_cli_report_start(&s.report, s.out, 1);
            wvl_cli_report_text(&s.report, "program", "wavelane");
            wvl_cli_report_open_list(&s.report, "pictures");
        }
        code = encode_all(&s);
        if (args->json) {
            wvl_cli_report_close(&s.report);
            wvl_cli_report_warnings_of_run(&s.report);
            wvl_cli_report_number(&s.report, "exit_code", (uint64_t)code);
            wvl_cli_report_finish(&s.report);
        }
        wvl_cli_tell_messages();
        wvl_cli_tell_repeats();
        code = finish_output(&s, code);
    }
    wvl_params_release(s.params);
    wvl_cancel_release(s.cancel);
    wvl_context_release(s.context);
    return wvl_cli_close_trace(code);
}
