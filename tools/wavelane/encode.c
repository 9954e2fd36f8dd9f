/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes one picture; and the run of the command around pictures. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "summary.h"
#include "wavelane_frames.h"
#include "work.h"

/* ---- Plan ------------------------------------------------------------------------------------ */

/* Every violation on a line of its own. */
static int report_lines(const wvl_cli_job *j, const char *text, wvl_status status)
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

/* No name says the format: it is that of -OutFor or --container, else a codestream. */
static int take_asked_container(wvl_cli_job *j)
{
    const char *format = j->s->args->out_format, *container = wvl_params_get(j->params, "container");
    if (format) {
        char name[16];
        snprintf(name, sizeof name, "file.%s", format);
        j->is_jp2 = wvl_cli_container_of(name);
        return wvl_cli_fix_container(j->s->args, name, j->is_jp2, j->params);
    }
    if (!container) {
        return wvl_cli_lack_memory(j->name);
    }
    j->is_jp2 = 0;
    if (strcmp(container, "j2k") != 0) {
        j->is_jp2 = strcmp(container, "jp2") ? 2 : 1;
    }
    return WVL_EXIT_OK;
}

static int choose_container(wvl_cli_job *j)
{
    if (!j->output || !strcmp(j->output, "-")) {
        return take_asked_container(j);
    }
    j->is_jp2 = wvl_cli_container_of(j->output);
    if (j->is_jp2 < 0 && wvl_cli_is_plan_only(j->s->args)) {
        return take_asked_container(j);
    }
    if (j->is_jp2 < 0) {
        return wvl_cli_fail(
            WVL_EXIT_USAGE,
            "%s: the extension must be .jp2 (JP2 file), .jph (JPH file), .j2k, .j2c, .jpc, .jhc (codestream) or .exr",
            j->output);
    }
    if (j->s->args->out_format && !j->s->args->image_dir) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "-OutFor needs -ImgDir; the name %s gives the format already", j->output);
    }
    return wvl_cli_fix_container(j->s->args, j->output, j->is_jp2, j->params);
}

/* A plan that gives warnings is this picture's alone: each picture has its own warnings. */
static int create_plan(wvl_cli_job *j, wvl_cli_plans *plans)
{
    size_t warnings = wvl_cli_count_warnings();
    wvl_status status =
        wvl_plan_create(j->context, j->params, &j->picture.format, j->is_jp2 ? &j->picture.jp2 : NULL, &j->plan);
    if (status) {
        return report_lines(j, wvl_context_error(j->context), status);
    }
    if (plans && wvl_cli_count_warnings() == warnings) {
        wvl_cli_enter(j->turns);
        j->borrows_plan = wvl_cli_keep_plan(plans, j->context, &j->picture, j->limit_bytes, j->plan);
        wvl_cli_leave(j->turns);
    }
    return WVL_EXIT_OK;
}

static int make_plan(wvl_cli_job *j)
{
    int code = wvl_cli_describe_picture(j->s->args, j->name, j->is_jp2, &j->picture);
    TRY(code, wvl_cli_fit_transform(j->s->args, j->name, &j->picture, j->params));
    TRY(code, wvl_cli_fit_color(j->s->args, j->name, &j->picture, j->params));
    if (code) {
        return code;
    }
    wvl_cli_plans *plans = wvl_cli_start_on_cpu(j) || j->is_jp2 ? NULL : j->s->plans;
    if (plans) {
        wvl_cli_enter(j->turns);
        j->plan = wvl_cli_find_plan(plans, j->context, &j->picture, j->limit_bytes);
        wvl_cli_leave(j->turns);
    }
    j->borrows_plan = j->plan != NULL;
    code = j->plan ? WVL_EXIT_OK : create_plan(j, plans);
    if (!code) {
        wvl_cli_warn_of_container(j->name, &j->picture, j->params);
    }
    return code;
}

/* ---- Encode ---------------------------------------------------------------------------------- */

/* An exit code. */
static int report_status(const wvl_cli_job *j, wvl_status status, const char *error)
{
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

#define AGAIN (-1) /* beside exit codes: the picture is to be encoded by itself */

/* The limit of a frame is a value of its own. */
static wvl_cli_plan_input describe_input(const wvl_cli_job *j)
{
    return (wvl_cli_plan_input){&j->picture, j->params, j->is_jp2 ? &j->picture.jp2 : NULL, j->limit_bytes != 0};
}

/* The device fetches pixels of a tray by itself. What was converted or turned lies elsewhere. */
static wvl_memory_kind place_of_pixels(const wvl_cli_job *j)
{
    const wvl_image *image = &j->picture.image;
    int lies_there = j->tray != NULL;
    for (uint32_t i = 0; lies_there && i < image->plane_count; i++) {
        lies_there = (uintptr_t)image->planes[i].data - (uintptr_t)j->tray->memory < j->tray->bytes;
    }
    return lies_there && wvl_cli_lock_tray(j->s->trays, j->tray) ? WVL_MEMORY_PINNED : WVL_MEMORY_HOST;
}

static int encode_shared(wvl_cli_job *j)
{
    const wvl_cli_plan_input input = describe_input(j);
    j->picture.image.memory_kind = place_of_pixels(j);
    double start = wvl_cli_seconds();
    wvl_status status = wvl_cli_encode_shared(j->shared, &input, &j->picture.image, &j->encoded);
    j->seconds = wvl_cli_seconds() - start;
    if (status != WVL_OK) {
        return AGAIN;
    }
    status = wvl_encoded_picture_status(j->encoded);
    j->result = wvl_encoded_picture_result(j->encoded);
    if (wvl_cli_note_failure(j->shared, status)) {
        wvl_encoded_picture_release(j->encoded);
        j->encoded = NULL;
        return AGAIN;
    }
    return status ? report_status(j, status, wvl_encoded_picture_error(j->encoded)) : WVL_EXIT_OK;
}

static int encode_to(wvl_cli_job *j, wvl_sink *sink)
{
    double start = wvl_cli_seconds();
    char error[4096] = "";
    wvl_cli_progress progress;
    const wvl_cli_args *args = j->s->args;
    wvl_cli_progress_start(&progress, !args->quiet && !j->turns && !(args->json && j->s->out == stderr));
    wvl_control control = {.struct_size = sizeof control,
                           .progress = wvl_cli_progress_step,
                           .progress_user = &progress,
                           .cancel = j->s->cancel};
    wvl_status status =
        j->rows.reader ? wvl_cli_encode_rows(j, sink, &control, error, sizeof error)
                       : wvl_encode(j->plan, &j->picture.image, sink, &control, &j->own_result, error, sizeof error);
    wvl_cli_progress_end(&progress);
    j->result = j->own_result;
    int code = status ? report_status(j, status, error) : WVL_EXIT_OK;
    j->seconds = wvl_cli_seconds() - start;
    return code;
}

/* The text of a failure is the context's. */
static int open_sink(const wvl_cli_job *j, wvl_sink *sink)
{
    if (j->ports) {
        return j->ports->open(j->ports->user, sink);
    }
    wvl_cli_enter(j->turns);
    int code = wvl_cli_open_sink(j->s->args, j->s->context, j->output, sink);
    wvl_cli_leave(j->turns);
    return code;
}

/* Hands finished bytes to a sink that the encoder has not seen. */
static int write_out(wvl_cli_job *j, const uint8_t *data, size_t bytes)
{
    wvl_sink sink = {.struct_size = sizeof sink};
    int code = open_sink(j, &sink);
    if (code) {
        return code;
    }
    int failed = sink.write(sink.user, data, bytes) != 0;
    failed |= sink.close(sink.user, !failed) != 0;
    if (failed) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: cannot be written",
                            !strcmp(j->output, "-") ? "standard output" : j->output);
    }
    return WVL_EXIT_OK;
}

/* Finished bytes of the device go from its page-locked memory to where they belong. */
static int encode_directly(wvl_cli_job *j)
{
    size_t bytes;
    wvl_sink sink = {.struct_size = sizeof sink};
    int code = j->shared ? encode_shared(j) : open_sink(j, &sink);
    if (code || !j->shared) {
        return code ? code : encode_to(j, &sink);
    }
    const uint8_t *data = wvl_encoded_picture_data(j->encoded, &bytes);
    double start = wvl_cli_seconds();
    code = j->ports ? j->ports->take(j->ports->user, data, bytes) : write_out(j, data, bytes);
    j->stages.write += wvl_cli_seconds() - start;
    return code;
}

static int compare_with_original(wvl_cli_job *j, const uint8_t *data, size_t bytes)
{
    wvl_cli_picture converted;
    int converts = wvl_cli_converts_color(&j->picture, j->params), lossless = wvl_cli_wants_lossless(j->params);
    if (!converts) {
        return wvl_cli_verify_bytes(&j->picture, j->name, lossless, data, bytes, &j->check);
    }
    wvl_cli_enter(j->turns);
    int code = wvl_cli_convert_picture(j->name, j->s->context, j->params, &j->picture, &converted);
    wvl_cli_leave(j->turns);
    TRY(code, wvl_cli_verify_bytes(&converted, j->name, lossless, data, bytes, &j->check));
    wvl_cli_release_picture(&converted);
    return code;
}

/* Through the decoder, and only then into the file. */
static int write_verified(wvl_cli_job *j, const uint8_t *data, size_t bytes)
{
    int code = compare_with_original(j, data, bytes);
    if (!code && wvl_cli_was_interrupted()) {
        code = WVL_EXIT_INTERRUPTED;
    }
    return code ? code : write_out(j, data, bytes);
}

static int encode_verified(wvl_cli_job *j)
{
    void *data = NULL;
    size_t bytes = 0;
    wvl_sink sink = {.struct_size = sizeof sink};
    if (j->shared) {
        int code = encode_shared(j);
        const uint8_t *finished = code ? NULL : wvl_encoded_picture_data(j->encoded, &bytes);
        return code ? code : write_verified(j, finished, bytes);
    }
    wvl_status status = wvl_sink_open_memory(j->s->context, &sink);
    if (status) {
        return wvl_cli_fail(wvl_cli_exit_code(status), "%s: %s", j->name, wvl_status_text(status));
    }
    int code = encode_to(j, &sink);
    if (code) {
        return code;
    }
    status = wvl_sink_take_memory(&sink, &data, &bytes);
    if (status) {
        return wvl_cli_fail(wvl_cli_exit_code(status), "%s: %s", j->name, wvl_status_text(status));
    }
    code = write_verified(j, data, bytes);
    wvl_memory_release(j->s->context, data, bytes);
    return code;
}

/* ---- Report ---------------------------------------------------------------------------------- */

static wvl_cli_summary summarize(const wvl_cli_job *j)
{
    return (wvl_cli_summary){.input = j->name,
                             .output = j->output,
                             .is_jp2 = j->is_jp2,
                             .picture = &j->picture,
                             .plan = j->plan,
                             .rows = j->rows.reader ? &j->rows : NULL,
                             .result = j->result,
                             .check = &j->check,
                             .seconds = j->seconds,
                             .lossless = wvl_cli_wants_lossless(j->params)};
}

static void report_plan(wvl_cli_job *j)
{
    wvl_cli_summary summary = summarize(j);
    wvl_cli_note_need(j->s, j);
    if (j->s->args->json) {
        wvl_cli_plan_json(&j->s->report, &summary, j->s->args->explain);
    } else {
        wvl_cli_plan_text(j->s->out, &summary, j->s->args->explain);
    }
}

/* ---- One picture ----------------------------------------------------------------------------- */

static wvl_status apply_limit(const wvl_cli_job *j)
{
    char text[24];
    const char *given = j->limit_bytes ? wvl_params_get(j->params, "max-bytes") : "1";
    uint64_t most = given ? strtoull(given, NULL, 10) : 0;
    if (!j->limit_bytes || (most && most <= j->limit_bytes)) {
        return WVL_OK;
    }
    snprintf(text, sizeof text, "%" PRIu64, j->limit_bytes);
    return given ? wvl_params_set(j->params, "max-bytes", text) : WVL_ERROR_MEMORY;
}

/* The trace gets its name at the end, in the place of what is there: names of pages are known only now. */
static int check_place(const wvl_cli_job *j)
{
    const wvl_cli_args *args = j->s->args;
    if (args->trace && wvl_cli_is_same_file(args->trace, j->output)) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "--trace %s: is the output too", args->trace);
    }
    return wvl_cli_check_output(args, j->inputs, j->input_count, j->output);
}

/* Pictures that are read side by side share memory: small files may hold large pictures. */
static void hold_samples(void *user, uint64_t bytes)
{
    wvl_cli_job *j = user;
    double start = wvl_cli_seconds();
    wvl_cli_hold_samples(j->turns, j->turn, bytes, wvl_cli_share_of_memory());
    j->sample_bytes += bytes;
    j->stages.wait += wvl_cli_seconds() - start;
}

/* Of several inputs the first one's samples. */
static void *lend_samples(void *user, uint64_t bytes)
{
    wvl_cli_job *j = user;
    int is_first = !j->tray || (j->borrows_tray && j->tray->bytes >= bytes);
    j->tray = j->tray ? j->tray : wvl_cli_take_tray(j->s->trays, bytes);
    return is_first && j->tray ? j->tray->memory : NULL;
}

void wvl_cli_lend_tray(wvl_cli_job *j, wvl_io_options *io)
{
    io->before_samples = j->turns ? hold_samples : NULL;
    io->lend_samples = j->s->trays ? lend_samples : NULL;
    io->before_samples_user = j;
}

void wvl_cli_give_samples_back(wvl_cli_job *j)
{
    wvl_io_release_samples(&j->picture.io);
    free(j->picture.converted);
    j->picture.converted = NULL;
    if (j->tray && !j->borrows_tray) {
        wvl_cli_return_tray(j->s->trays, j->tray);
    }
    if (j->turns) {
        wvl_cli_drop_samples(j->turns, j->sample_bytes);
    }
    j->tray = NULL;
    j->sample_bytes = 0;
}

void wvl_cli_give_bytes_back(wvl_cli_job *j)
{
    if (j->encoded) {
        j->own_result = wvl_encoded_picture_take_result(j->encoded);
        wvl_encoded_picture_release(j->encoded);
        j->encoded = NULL;
    }
}

static int is_sequence(const wvl_cli_args *args) { return args->command && !strcmp(args->command, "sequence"); }

/* Pictures of a folder, pages and frames: an option that one of them has no use for may be meant for others. */
static int is_of_many(const wvl_cli_job *j)
{
    const wvl_cli_args *args = j->s->args;
    return args->image_dir || args->page_of_many || is_sequence(args);
}

static int read_job(wvl_cli_job *j)
{
    const wvl_cli_args *args = j->s->args;
    if (j->ports) {
        return j->ports->read(j->ports->user, j, &j->picture);
    }
    if (j->input_count == 1 && !args->image_dir) {
        return wvl_cli_read_by_rows(j);
    }
    wvl_cli_args own = *args;
    own.io.keep_words = j->input_count == 1 ? wvl_cli_choose_words(args, j->s->encoders != NULL) : WVL_IO_KEEP_NO_WORDS;
    wvl_cli_lend_tray(j, &own.io);
    return wvl_cli_read_picture(&own, j->inputs, j->input_count, &j->picture);
}

int wvl_cli_read_and_plan(wvl_cli_job *j)
{
    wvl_cli_enter(j->turns);
    wvl_status status = wvl_params_clone(j->s->params, &j->params);
    wvl_cli_leave(j->turns);
    TRY(status, apply_limit(j));
    if (status) {
        return wvl_cli_fail(wvl_cli_exit_code(status), "%s: %s", j->name, wvl_status_text(status));
    }
    int code = choose_container(j);
    if (!code && j->output && !j->ports) {
        code = check_place(j);
    }
    if (!code) {
        double begin = wvl_cli_seconds();
        code = read_job(j);
        wvl_cli_trace_reading(begin);
        j->stages.read += wvl_cli_seconds() - begin - j->stages.wait;
    }
    if (!code && !is_of_many(j)) {
        code = wvl_cli_refuse_unused(j->name, &j->picture);
    }
    TRY(code, make_plan(j));
    return code ? code : wvl_cli_settle_rows(j);
}

int wvl_cli_encode_job(wvl_cli_job *j)
{
    if (j->turns) { /* signals are armed as long as there are pictures */
        return j->s->args->verify ? encode_verified(j) : encode_directly(j);
    }
    wvl_cli_arm_signals(j->s->cancel);
    int code = j->s->args->verify ? encode_verified(j) : encode_directly(j);
    wvl_cli_arm_signals(NULL);
    return code;
}

int wvl_cli_encode_job_shared(wvl_cli_job *j, int *code)
{
    const wvl_cli_plan_input input = describe_input(j);
    double start = wvl_cli_seconds();
    j->shared = j->s->encoders && !j->starts ? wvl_cli_take_encoder(j->s->encoders, &input) : NULL;
    j->stages.wait += wvl_cli_seconds() - start;
    if (!j->shared) {
        return 0;
    }
    *code = wvl_cli_encode_job(j);
    wvl_cli_return_encoder(j->shared);
    j->shared = NULL;
    return *code != AGAIN;
}

static void note_lost_report(wvl_cli_run *s)
{
    if ((fflush(s->out) || ferror(s->out)) && !s->report_errno) {
        s->report_errno = errno ? errno : EIO;
    }
}

void wvl_cli_report_job(wvl_cli_job *j, int code)
{
    if (code) {
        wvl_cli_report *r = &j->s->report;
        if (j->s->args->json) {
            wvl_cli_report_open_object(r, NULL);
            wvl_cli_report_text(r, "input", j->name);
            wvl_cli_report_text(r, "status", "failed");
            wvl_cli_report_number(r, "exit_code", (uint64_t)code);
            wvl_cli_report_text(r, "error", wvl_cli_last_error());
            wvl_cli_report_warnings(r);
            wvl_cli_report_close(r);
        }
    } else if (wvl_cli_is_plan_only(j->s->args)) {
        report_plan(j);
    } else {
        wvl_cli_run *s = j->s;
        const wvl_cli_args *args = s->args;
        wvl_cli_summary summary = summarize(j);
        if (args->json) {
            wvl_cli_summary_json(&s->report, &summary);
        } else if (!args->quiet) {
            wvl_cli_summary_text(s->out, &summary, args->psnr_report);
        }
    }
    note_lost_report(j->s);
    wvl_cli_clear_warnings();
}

void wvl_cli_release_job(wvl_cli_job *j)
{
    wvl_cli_give_samples_back(j);
    free(j->check.component_psnr);
    wvl_encoded_picture_release(j->encoded);
    wvl_result_release(j->own_result);
    wvl_plan_release(j->borrows_plan ? NULL : j->plan);
    wvl_params_release(j->params);
    wvl_cli_release_rows(&j->rows);
    wvl_cli_release_picture(&j->picture);
}

wvl_cli_job wvl_cli_describe_job(wvl_cli_run *s, const char *const *inputs, size_t input_count, const char *output)
{
    wvl_cli_job j;
    memset(&j, 0, sizeof j);
    j.s = s;
    j.context = s->context;
    j.inputs = inputs;
    j.input_count = input_count;
    j.output = output;
    j.name = !input_count ? "demo" : !strcmp(inputs[0], "-") ? "standard input" : inputs[0];
    return j;
}

int wvl_cli_encode_one(wvl_cli_run *s, const char *const *inputs, size_t input_count, const char *output)
{
    wvl_cli_job j = wvl_cli_describe_job(s, inputs, input_count, output);
    j.context = wvl_cli_choose_context(s, 0);
    int code = wvl_cli_read_and_plan(&j);
    if (!code && !wvl_cli_is_plan_only(s->args)) {
        code = wvl_cli_encode_job(&j);
    }
    wvl_cli_report_job(&j, code);
    wvl_cli_note_unused(&s->unused, &j.picture);
    wvl_cli_release_job(&j);
    return code;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int encode_all(wvl_cli_run *s)
{
    const wvl_cli_args *args = s->args;
    if (args->image_dir) {
        return wvl_cli_encode_folder(s);
    }
    if (args->output && wvl_cli_is_exr(args->output)) {
        return wvl_cli_write_exr(s);
    }
    if (args->pages) {
        return wvl_cli_encode_pages(s);
    }
    return wvl_cli_encode_one(s, args->inputs, args->input_count, args->output);
}

static int check_environment(const wvl_cli_args *args)
{
    if (args->verify && !wvl_cli_can_verify()) {
        return wvl_cli_fail(
            WVL_EXIT_USAGE,
            "--verify: this build has no OpenJPEG to decode with; leave --verify out, or build with OpenJPEG");
    }
    if (args->out_format && wvl_cli_container_of_extension(args->out_format) < 0) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "-OutFor \"%s\": expected J2K, J2C, JPC, JHC, JP2 or JPH, without a dot",
                            args->out_format);
    }
    return WVL_EXIT_OK;
}

/* Where pictures were to be written, they are complete by then: only what is said of them is lost. */
static int finish_output(wvl_cli_run *s, int code)
{
    const char *name = s->out == stdout ? "standard output" : "standard error";
    note_lost_report(s);
    if (!s->report_errno || code) {
        return code;
    }
    if (wvl_cli_is_plan_only(s->args)) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: cannot be written (%s)", name, strerror(s->report_errno));
    }
    return wvl_cli_fail(WVL_EXIT_REPORT, "%s: the report cannot be written (%s); the pictures are complete", name,
                        strerror(s->report_errno));
}

int wvl_cli_run_encode(const wvl_cli_args *args)
{
    wvl_cli_run s;
    memset(&s, 0, sizeof s);
    s.args = args;
    s.out = args->output && !strcmp(args->output, "-") && !wvl_cli_is_plan_only(args) ? stderr : stdout;
    int code = check_environment(args);
    if (!code) {
        if (args->image_dir) {
            wvl_cli_keep_memory();
        }
        wvl_cli_catch_signals();
        code = wvl_cli_open_run(&s);
    }
    if (args->json && s.out == stderr) {
        wvl_cli_hold_messages(); /* they come behind the report, which they would cut in two */
    }
    if (!code) {
        s.ahead = wvl_cli_is_plan_only(args) ? NULL : wvl_cli_open_ahead(s.context, wvl_params_get(s.params, "device"));
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
    wvl_cli_close_run(&s);
    return wvl_cli_close_trace(code);
}

/* ---- What a run holds for all of its pictures ------------------------------------------------ */

static wvl_log_level choose_level(const wvl_cli_args *args)
{
    if (args->verbose > 1) {
        return WVL_LOG_DEBUG;
    }
    return args->verbose ? WVL_LOG_INFO : WVL_LOG_WARNING;
}

static wvl_context_options describe_context(const wvl_cli_run *s)
{
    const wvl_cli_args *args = s->args;
    return (wvl_context_options){.struct_size = sizeof(wvl_context_options),
                                 .host = wvl_cli_describe_kept(s->kept),
                                 .log = wvl_cli_log,
                                 .threads = args->threads,
                                 .log_level = choose_level(args)};
}

wvl_context *wvl_cli_open_single(const wvl_cli_run *s)
{
    wvl_context_options options = describe_context(s);
    wvl_context *context;
    options.threads = 1;
    return wvl_context_create(&options, &context) == WVL_OK ? context : NULL;
}

int wvl_cli_open_run(wvl_cli_run *s)
{
    const wvl_cli_args *args = s->args;
    s->kept = args->image_dir || is_sequence(args) ? wvl_cli_open_kept() : NULL;
    wvl_context_options options = describe_context(s);
    int code = args->trace ? wvl_cli_open_trace(args, &options) : WVL_EXIT_OK;
    if (code) {
        return code;
    }
    wvl_status status = wvl_context_create(&options, &s->context);
    TRY(status, wvl_cancel_create(s->context, &s->cancel));
    TRY(status, wvl_params_create(s->context, &s->params));
    if (status) {
        return wvl_cli_fail(wvl_cli_exit_code(status), "%s", wvl_status_text(status));
    }
    code = wvl_cli_apply_settings(args, s->params);
    return code ? code : wvl_cli_refuse_idle(args, s->params);
}

void wvl_cli_close_run(wvl_cli_run *s)
{
    wvl_cli_close_ahead(s->ahead);
    wvl_params_release(s->params);
    wvl_cancel_release(s->cancel);
    wvl_context_release(s->context);
    wvl_cli_close_kept(s->kept);
}
