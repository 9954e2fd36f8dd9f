/* SPDX-License-Identifier: BSD-2-Clause */
#include "by_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job.h"

/* ---- A reader as a row source ---------------------------------------------------------------- */

typedef struct row_job {
    wvl_io_rows *rows;
    wvl_row_component *components;
    wvl_io_row_buffer *targets;
} row_job;

/* The row of the picture behind those that are asked for; UINT32_MAX: they are not the same rows in all buffers. */
static uint32_t end_of_request(const wvl_io_picture *p, const wvl_row_buffer *buffers, uint32_t count)
{
    uint64_t end = p->height;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t most = ((uint64_t)buffers[i].first_row + buffers[i].row_count) * p->components[i].dy;
        end = most < end ? most : end;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (wvl_io_rows_of_component(&p->components[i], (uint32_t)end) != buffers[i].first_row + buffers[i].row_count) {
            return UINT32_MAX;
        }
    }
    return (uint32_t)end;
}

static wvl_status status_of(int result)
{
    if (result == WVL_IO_OK) {
        return WVL_OK;
    }
    return result == WVL_IO_ERROR_MEMORY ? WVL_ERROR_MEMORY : WVL_ERROR_INPUT;
}

static wvl_status read_rows(void *user, const wvl_row_buffer *buffers, uint32_t count, char *error, size_t error_bytes)
{
    row_job *job = user;
    uint32_t next = wvl_io_rows_next(job->rows);
    uint32_t end = end_of_request(wvl_io_rows_picture(job->rows), buffers, count);

    if (end == UINT32_MAX || end < next) {
        snprintf(error, error_bytes, "rows of subsampled components cannot be read in this order; leave --memory out");
        return WVL_ERROR_INPUT;
    }
    for (uint32_t i = 0; i < count; i++) {
        job->targets[i] = (wvl_io_row_buffer){buffers[i].data, buffers[i].pitch_bytes};
    }
    return status_of(wvl_io_rows_read(job->rows, end - next, job->targets, error, error_bytes));
}

static wvl_status rewind_rows(void *user, char *error, size_t error_bytes)
{
    return status_of(wvl_io_rows_restart(((row_job *)user)->rows, error, error_bytes));
}

static void release_row_source(wvl_row_source *source)
{
    row_job *job = source->user;

    if (job) {
        free(job->components);
        free(job->targets);
        free(job);
    }
    source->user = NULL;
}

static int make_row_source(wvl_io_rows *rows, wvl_row_source *source)
{
    uint32_t count = wvl_io_rows_picture(rows)->component_count;
    row_job *job = calloc(1, sizeof *job);

    memset(source, 0, sizeof *source);
    if (!job) {
        return 0;
    }
    *source = (wvl_row_source){.struct_size = sizeof *source, .component_count = count, .read = read_rows, .user = job};
    source->rewind = wvl_io_rows_can_restart(rows) ? rewind_rows : NULL;
    job->rows = rows;
    job->components = calloc(count, sizeof *job->components);
    job->targets = calloc(count, sizeof *job->targets);
    source->components = job->components;
    if (!job->components || !job->targets) {
        release_row_source(source);
        return 0;
    }
    const wvl_io_picture *p = wvl_io_rows_picture(job->rows);
    int is_shared = wvl_io_rows_buffer_count(job->rows) == 1;

    for (uint32_t c = 0; c < p->component_count; c++) {
        const wvl_io_component *k = &p->components[c];
        job->components[c] = (wvl_row_component){
            .buffer = is_shared ? 0 : c,
            .sample_stride = (uint32_t)(k->sample_stride_bytes / k->sample_bytes),
            .first_sample = (uint32_t)(wvl_io_rows_offset(job->rows, c) / k->sample_bytes),
            .container = wvl_cli_container_of_samples(k),
        };
    }
    return 1;
}

#define LARGE_BYTES (UINT64_C(512) << 20) /* samples in memory: a larger picture comes by rows (D-command-13) */

/* ---- May it come by rows --------------------------------------------------------------------- */

/* Metadata behind the pixels comes too late for boxes in front of the codestream. */
static int may_lack_metadata(const wvl_cli_job *j)
{
    unsigned early = WVL_KEEP_ICC | WVL_KEEP_RESOLUTION;
    const wvl_io_rows *reader = j->rows.reader;
    return j->is_jp2 && !strcmp(wvl_io_rows_picture(reader)->format, "PNG") && !wvl_io_rows_can_restart(reader) &&
           (wvl_cli_kept_metadata(j->s->args) & ~early);
}

/* Options that need all samples; NULL: there is none. */
static const char *find_option(const wvl_cli_job *j)
{
    const wvl_cli_args *args = j->s->args;
    const wvl_io_picture *io = wvl_io_rows_picture(j->rows.reader);
    if (args->orient && io->orientation > 1) {
        return "--orient auto turns the picture as a whole; use --orient keep";
    }
    if (args->ycc_to_rgb && io->color == WVL_IO_YCC) {
        return "--ycc-to-rgb converts the picture as a whole; leave it out, and YCbCr is encoded";
    }
    if (args->channel_count || (args->drop_alpha && io->alpha_component >= 0)) {
        return "--channels and --drop-alpha work on the picture as a whole; leave them out";
    }
    if (args->target_depth) {
        return "-TargetBitDepth scales the picture as a whole; leave it out";
    }
    if (args->auto_color && io->icc && args->icc != WVL_CLI_ICC_DROP && !io->space_rules) {
        return "--input-color auto applies an ICC profile to the picture as a whole; name the space";
    }
    int differs = 0, is_off = 0;
    for (uint32_t i = 0; i < io->component_count; i++) {
        differs |= io->components[i].dy != io->components[0].dy;
        is_off |= args->offset[1] % (io->components[i].dy * args->subsampling[1]) != 0;
    }
    if (differs && is_off) {
        return "the image offset is no multiple of the vertical subsampling; choose another --image-offset";
    }
    return may_lack_metadata(j) ? "metadata may follow the pixels, and a pipe cannot be rewound; give a file, or leave "
                                  "the metadata out with --strip"
                                : NULL;
}

static uint64_t count_sample_bytes(const wvl_io_picture *io)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < io->component_count; i++) {
        const wvl_io_component *c = &io->components[i];
        bytes += (uint64_t)c->width * c->height * c->sample_bytes;
    }
    return bytes;
}

/* NULL: nothing stands in the way of rows. */
static const char *find_reason(const wvl_cli_job *j)
{
    const char *obstacle = wvl_io_rows_obstacle(j->rows.reader);
    if (!obstacle && j->s->args->verify) {
        return "--verify compares with the whole picture";
    }
    if (!obstacle && wvl_cli_wants_device(j->params)) {
        return "a device takes whole pictures";
    }
    return obstacle ? obstacle : find_option(j);
}

/* Says whether a picture comes by rows though no memory is given. */
static int is_large(const wvl_cli_job *j)
{
    if (count_sample_bytes(wvl_io_rows_picture(j->rows.reader)) <= LARGE_BYTES) {
        return 0;
    }
    const char *reason = find_reason(j);
    if (reason) {
        wvl_cli_inform("%s: the whole picture is held in memory: %s", j->name, reason);
    }
    return !reason;
}

static int refuse_rows(const wvl_cli_job *j)
{
    const char *obstacle = wvl_io_rows_obstacle(j->rows.reader), *option = obstacle ? NULL : find_option(j);
    if (obstacle || option) {
        wvl_cli_error(
            "%s: --memory: the picture cannot be read row by row: %s. Without --memory the whole picture is read",
            j->name, obstacle ? obstacle : option);
    }
    if (obstacle) {
        return WVL_EXIT_INPUT;
    }
    return option ? WVL_EXIT_USAGE : WVL_EXIT_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

int wvl_cli_read_by_rows(wvl_cli_job *j)
{
    const wvl_cli_args *args = j->s->args;
    /* Limits of a whole picture hold unless a limit of memory takes their place. */
    char error[512] = "";
    wvl_io_options options = args->io;
    if (!args->memory_bytes && !options.max_samples) {
        options.max_samples = WVL_IO_MAX_SAMPLES;
    }
    if (!args->memory_bytes && !options.max_input_bytes) {
        options.max_input_bytes = WVL_IO_MAX_INPUT_BYTES;
    }
    int result = wvl_io_rows_open(j->inputs[0], &options, &j->rows.reader, error, sizeof error);
    int code = wvl_cli_finish_reading(args, j->inputs[0], result, error, NULL);
    if (!code && args->memory_bytes) {
        code = refuse_rows(j);
    }
    if (code) {
        return code;
    }
    if (args->memory_bytes || is_large(j)) {
        return wvl_cli_describe_rows(args, j->inputs[0], j->rows.reader, &j->picture);
    }
    if (wvl_io_rows_can_reopen(j->rows.reader)) {
        wvl_cli_args own = *args;
        own.io.keep_words = wvl_cli_wants_device(j->params) ? WVL_IO_KEEP_NO_WORDS : wvl_cli_choose_words(args, 0);
        wvl_cli_release_rows(&j->rows);
        return wvl_cli_read_picture(&own, j->inputs, 1, &j->picture);
    }
    code = wvl_cli_take_picture(args, j->inputs[0], j->rows.reader, &j->picture);
    wvl_cli_release_rows(&j->rows);
    return code;
}

void wvl_cli_release_rows(wvl_cli_rows *rows)
{
    release_row_source(&rows->source);
    wvl_io_rows_close(rows->reader);
    rows->reader = NULL;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Why the least is as much as the whole picture. */
static const char *explain_least(const wvl_cli_job *j)
{
    const char *value = wvl_params_get(j->params, "psnr"); /* valid until the next value is asked for */
    int needs_all = value && value[0];
    value = wvl_params_get(j->params, "measure-psnr");
    needs_all |= value && !strcmp(value, "yes");
    return needs_all ? "; PSNR targets and measured PSNR need all coefficients: use --bpp or --rates" : "";
}

static int check_limit(wvl_cli_job *j)
{
    wvl_cli_rows *r = &j->rows;
    uint64_t most = j->s->args->memory_bytes, least = r->memory.least_bytes + r->reader_bytes;
    if (!most) {
        return WVL_EXIT_OK;
    }
    if (most < least) {
        return wvl_cli_fail(
            WVL_EXIT_USAGE,
            "%s: --memory %llu is too small; this picture with these options needs %llu bytes, --memory "
            "%lluM%s",
            j->name, (unsigned long long)most, (unsigned long long)least, (unsigned long long)((least + 1048575) >> 20),
            explain_least(j));
    }
    r->options.memory_bytes = most - r->reader_bytes;
    /* --spill-dir, TMPDIR, the folder of the output, that of the library. */
    const char *given = j->s->args->spill_dir, *set = getenv("TMPDIR"), *output = j->output;
    const char *slash = output ? strrchr(output, '/') : NULL, *folder = given ? given : set;
    size_t length = slash ? (size_t)(slash - output) + 1 : 1;
    if (given && access(given, W_OK | X_OK)) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "--spill-dir %s: %s; name a folder in which files may be made", given,
                            strerror(errno));
    }
    if ((!folder || !*folder) && output && strcmp(output, "-") != 0) {
        snprintf(j->rows.folder, sizeof j->rows.folder, "%.*s", (int)length, slash ? output : ".");
    } else {
        snprintf(j->rows.folder, sizeof j->rows.folder, "%s", folder ? folder : "");
    }
    return WVL_EXIT_OK;
}

/* A file that is written beside its name, and so can be patched. */
static int is_plain_file(const char *output)
{
    struct stat info;
    return output && strcmp(output, "-") != 0 && (stat(output, &info) || S_ISREG(info.st_mode));
}

int wvl_cli_settle_rows(wvl_cli_job *j)
{
    wvl_cli_rows *r = &j->rows;
    if (!r->reader) {
        return WVL_EXIT_OK;
    }
    if (!make_row_source(r->reader, &r->source)) {
        return wvl_cli_lack_memory(j->name);
    }
    r->memory = (wvl_rows_memory){.struct_size = sizeof r->memory};
    r->options = (wvl_rows_options){.struct_size = sizeof r->options};
    r->reader_bytes = wvl_io_rows_memory(r->reader);
    wvl_plan_memory whole = {.struct_size = sizeof whole};
    wvl_status status = wvl_rows_measure(j->plan, &r->source, &r->memory);
    TRY(status, wvl_plan_measure(j->plan, &whole));
    /* Takes the memory of an encode whose bytes leave before all rows are read. */
    if (r->memory.leaves_early == 1 || (r->memory.leaves_early && is_plain_file(j->output))) {
        r->memory.base_bytes = r->memory.early_base_bytes;
        r->memory.least_bytes = r->memory.early_least_bytes;
    }
    r->likely_coded = whole.likely_bytes - whole.base_bytes;
    if (status) {
        return wvl_cli_fail(wvl_cli_exit_code(status), "%s: %s", j->name, wvl_status_text(status));
    }
    int code = check_limit(j);
    r->options.spill_folder = r->folder[0] ? r->folder : NULL;
    if (!code) {
        wvl_cli_inform("%s: read and encoded row by row, probably with %llu bytes in memory and %llu in a file",
                       j->name, (unsigned long long)wvl_cli_count_held(r, WVL_CLI_LIKELY),
                       (unsigned long long)wvl_cli_count_spill(r, WVL_CLI_LIKELY));
    }
    return code;
}

static uint64_t add(uint64_t a, uint64_t b) { return a < UINT64_MAX - b ? a + b : UINT64_MAX; }

static uint64_t count_coded(const wvl_cli_rows *r, wvl_cli_amount coded)
{
    return coded == WVL_CLI_LIKELY ? r->likely_coded : r->memory.coded_bytes_bound;
}

uint64_t wvl_cli_count_held(const wvl_cli_rows *r, wvl_cli_amount coded)
{
    uint64_t all = add(add(r->memory.base_bytes, count_coded(r, coded)), r->reader_bytes), most = UINT64_MAX;
    if (r->options.memory_bytes) {
        most = r->options.memory_bytes + r->reader_bytes;
    }
    return all < most ? all : most;
}

uint64_t wvl_cli_count_spill(const wvl_cli_rows *r, wvl_cli_amount coded)
{
    uint64_t room = r->options.memory_bytes - r->memory.least_bytes, bytes = count_coded(r, coded);
    if (!r->options.memory_bytes) {
        return 0;
    }
    return add(r->memory.coefs_bytes, bytes > room ? bytes - room : 0);
}

/* ---- Encoding -------------------------------------------------------------------------------- */

wvl_status wvl_cli_encode_rows(wvl_cli_job *j, wvl_sink *sink, const wvl_control *control, char *error,
                               size_t error_bytes)
{
    wvl_cli_rows *r = &j->rows;
    wvl_status status =
        wvl_encode_rows(j->plan, &r->source, &r->options, sink, control, &j->own_result, error, error_bytes);
    size_t used = strlen(error);
    if (status == WVL_ERROR_MEMORY && strstr(error, "spill_folder") && used < error_bytes) {
        snprintf(error + used, error_bytes - used, " (--spill-dir and --memory)");
    }
    return status;
}
