/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenEXR to OpenEXR: the same channels, windows and attributes, with chunks of HTJ2K. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "plugins/openexr/wavelane_exr.h"

typedef struct header {
    wvl_exr_picture picture;
    wvl_exr_channel *channels;     /* owned; names lie in the header of the file */
    wvl_exr_attribute *attributes; /* owned; the same */
} header;

/* ---- The header of the file ------------------------------------------------------------------ */

static uint32_t little_endian(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The text there; moves behind it. NULL: it has no end. */
static const char *take_text(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *begin = *at, *stop = begin < end ? memchr(begin, 0, (size_t)(end - begin)) : NULL;
    *at = stop ? stop + 1 : end;
    return stop ? (const char *)begin : NULL;
}

/* Moves behind the attribute. 0: there is none more. */
static int take_attribute(const uint8_t **at, const uint8_t *end, wvl_exr_attribute *a)
{
    memset(a, 0, sizeof *a);
    a->name = take_text(at, end);
    a->type = a->name && a->name[0] ? take_text(at, end) : NULL;
    if (!a->type || end - *at < 4 || little_endian(*at) > (size_t)(end - *at - 4)) {
        return 0;
    }
    a->bytes = little_endian(*at);
    a->data = *at + 4;
    *at += 4 + a->bytes;
    return 1;
}

static int is_named(const wvl_exr_attribute *a, const char *name) { return !strcmp(a->name, name); }

static void take_window(const wvl_exr_attribute *a, int32_t window[4])
{
    for (size_t i = 0; i < 4 && a->bytes >= 16; i++) {
        window[i] = (int32_t)little_endian((const uint8_t *)a->data + 4 * i);
    }
}

/* 0: there are other channels than the reader has read. */
static int take_channels(const wvl_exr_attribute *a, const wvl_io_picture *io, wvl_exr_channel *channels)
{
    const uint8_t *at = a->data, *end = at + a->bytes;
    uint32_t count = 0;
    for (; at < end && *at && count < io->component_count; count++) {
        const wvl_io_component *c = &io->components[count];
        const char *name = take_text(&at, end);
        if (!name || end - at < 16 || little_endian(at) > WVL_EXR_FLOAT) {
            return 0;
        }
        channels[count] = (wvl_exr_channel){.name = name,
                                            .type = (uint8_t)little_endian(at),
                                            .is_linear = at[4],
                                            .x_sampling = c->dx,
                                            .y_sampling = c->dy,
                                            .data = c->data,
                                            .pitch_bytes = (ptrdiff_t)c->stride_bytes};
        if (c->sample_bytes != (channels[count].type == WVL_EXR_HALF ? 2 : 4)) {
            return 0;
        }
        at += 16;
    }
    return count == io->component_count && at < end && !*at;
}

/* Tells what the new file has of its own: it has scan lines from the top, and chunks of another number. */
static int is_made_anew(const wvl_exr_attribute *a)
{
    static const char *const names[] = {"compression", "lineOrder", "tiles", "type", "chunkCount"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (is_named(a, names[i])) {
            return 1;
        }
    }
    return 0;
}

static int read_header(const wvl_io_picture *io, header *h)
{
    const uint8_t *at = io->exr_header, *end = at + io->exr_header_bytes;
    wvl_exr_attribute a;
    size_t count = 0;
    int has_channels = 0;
    while (take_attribute(&at, end, &a)) {
        count++;
    }
    h->channels = calloc(io->component_count, sizeof *h->channels);
    h->attributes = calloc(count + 1, sizeof *h->attributes);
    if (!h->channels || !h->attributes) {
        return WVL_EXIT_DEVICE;
    }
    for (at = io->exr_header; take_attribute(&at, end, &a);) {
        if (is_named(&a, "channels")) {
            has_channels = take_channels(&a, io, h->channels);
        } else if (is_named(&a, "dataWindow")) {
            take_window(&a, h->picture.data_window);
        } else if (is_named(&a, "displayWindow")) {
            take_window(&a, h->picture.display_window);
        } else if (!is_made_anew(&a)) {
            h->attributes[h->picture.attribute_count++] = a;
        }
    }
    h->picture.struct_size = sizeof h->picture;
    h->picture.channels = h->channels;
    h->picture.channel_count = io->component_count;
    h->picture.attributes = h->attributes;
    return has_channels ? WVL_EXIT_OK : WVL_EXIT_INPUT;
}

/* ---- Reading, coding, the report ------------------------------------------------------------- */

static int check_options(const wvl_cli_args *args)
{
    for (size_t i = 0; i < args->setting_count; i++) {
        if (strcmp(args->settings[i].key, "device") != 0) {
            return wvl_cli_fail(WVL_EXIT_USAGE, "%s: has no effect on an .exr file; leave it out",
                                args->settings[i].spelling);
        }
    }
    int changes = args->preset || args->box_count || args->channels || args->drop_alpha || args->ycc_to_rgb ||
                  args->io.float_transfer || args->orient || args->dropped || args->target_depth || args->icc ||
                  args->no_xmp || args->color || args->auto_color || args->component_steps || args->gml;
    if (args->input_count != 1 || args->pages || args->verify || args->psnr_report || args->memory_bytes ||
        wvl_cli_is_plan_only(args)) {
        return wvl_cli_fail(WVL_EXIT_USAGE,
                            "%s: an .exr file is made of one OpenEXR file, in memory and as a whole; leave --pages, "
                            "--memory, --verify, --dry-run and --explain out",
                            args->output);
    }
    if (changes) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "%s: an .exr file keeps samples and attributes; leave options for them out",
                            args->output);
    }
    return wvl_cli_check_output(args, args->inputs, args->input_count, args->output);
}

static int read_file(const wvl_cli_args *args, wvl_io_picture *io)
{
    wvl_io_options options = args->io;
    char error[512] = "";
    options.keep_layers = 1;
    options.float_transfer = WVL_IO_FLOAT_KEPT;
    int result = wvl_io_read_picture(args->inputs[0], &options, io, error, sizeof error);
    if (result) {
        return wvl_cli_fail(result == WVL_IO_ERROR_MEMORY ? WVL_EXIT_DEVICE : WVL_EXIT_INPUT, "%s", error);
    }
    if (!io->exr_header) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "%s: is %s; an .exr file is made of an OpenEXR file", args->inputs[0],
                            io->format);
    }
    return WVL_EXIT_OK;
}

static int stop_if_interrupted(void *user, uint64_t done, uint64_t total, wvl_stage stage)
{
    (void)wvl_cli_progress_step(user, done, total, stage);
    return wvl_cli_was_interrupted();
}

static int code(wvl_cli_run *s, const header *h)
{
    const wvl_cli_args *args = s->args;
    char error[4096] = "";
    wvl_exr_writer *writer = NULL;
    wvl_sink sink = {.struct_size = sizeof sink};
    wvl_cli_progress progress;
    wvl_control control = {.struct_size = sizeof control, .progress = stop_if_interrupted, .progress_user = &progress};
    wvl_status status = wvl_exr_writer_create(s->context, wvl_params_get(s->params, "device"), &writer);
    if (status) {
        return wvl_cli_lack_memory(args->inputs[0]);
    }
    int result = wvl_cli_open_sink(args, s->context, args->output, &sink);
    if (!result) {
        wvl_cli_progress_start(&progress, !args->quiet);
        status = wvl_exr_write(writer, &h->picture, &sink, &control, error, sizeof error);
        wvl_cli_progress_end(&progress);
    }
    wvl_exr_writer_release(writer);
    if (status == WVL_CANCELLED) {
        return WVL_EXIT_INTERRUPTED;
    }
    /* What the writer refuses stands in the file that was read. */
    return status ? wvl_cli_fail(status == WVL_ERROR_ARGUMENT ? WVL_EXIT_INPUT : wvl_cli_exit_code(status), "%s: %s",
                                 status == WVL_ERROR_SINK ? args->output : args->inputs[0],
                                 error[0] ? error : wvl_status_text(status))
                  : result;
}

static void report(wvl_cli_run *s, const wvl_io_picture *io, int result, double seconds)
{
    wvl_cli_report *r = &s->report;
    if (s->args->json) {
        wvl_cli_report_open_object(r, NULL);
        wvl_cli_report_text(r, "input", s->args->inputs[0]);
        wvl_cli_report_text(r, "status", result ? "failed" : "ok");
        if (result) {
            wvl_cli_report_number(r, "exit_code", (uint64_t)result);
            wvl_cli_report_text(r, "error", wvl_cli_last_error());
        } else {
            wvl_cli_report_text(r, "output", s->args->output);
            wvl_cli_report_number(r, "width", io->width);
            wvl_cli_report_number(r, "height", io->height);
            wvl_cli_report_number(r, "components", io->component_count);
            wvl_cli_report_real(r, "seconds", seconds);
        }
        wvl_cli_report_warnings(r);
        wvl_cli_report_close(r);
    } else if (!result && !s->args->quiet) {
        fprintf(s->out, "%s -> %s: %" PRIu32 " x %" PRIu32 ", %" PRIu32 " channels, OpenEXR with %s, %.3f s\n",
                s->args->inputs[0], s->args->output, io->width, io->height, io->component_count,
                s->args->exr_compression == 2 ? "HTJ2K32" : "HTJ2K256", seconds);
    }
}

int wvl_cli_write_exr(wvl_cli_run *s)
{
    const wvl_cli_args *args = s->args;
    wvl_io_picture io;
    header h;
    memset(&io, 0, sizeof io);
    memset(&h, 0, sizeof h);
    int result = check_options(args);
    double start = wvl_cli_seconds();
    TRY(result, read_file(args, &io));
    if (!result) {
        result = read_header(&io, &h);
        if (result) {
            result = result == WVL_EXIT_DEVICE
                         ? wvl_cli_lack_memory(args->inputs[0])
                         : wvl_cli_fail(result, "%s: header: the channels are damaged", args->inputs[0]);
        }
    }
    if (!result && io.note[0]) {
        wvl_cli_warn("%s: %s", args->inputs[0], io.note);
    }
    h.picture.compression = args->exr_compression == 2 ? WVL_EXR_HTJ2K32 : WVL_EXR_HTJ2K256;
    TRY(result, code(s, &h));
    report(s, &io, result, wvl_cli_seconds() - start);
    free(h.channels);
    free(h.attributes);
    wvl_io_release_picture(&io);
    return result;
}
