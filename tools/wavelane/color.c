/* SPDX-License-Identifier: BSD-2-Clause */

#include <stdlib.h>

#include "cli.h"

static int set(const char *name, wvl_params *params, const char *key, const char *value)
{
    wvl_status status = wvl_params_set(params, key, value);
    if (status) {
        wvl_cli_error("%s: %s", name, wvl_params_error(params));
    }
    return status ? wvl_cli_exit_code(status) : WVL_EXIT_OK;
}

static int take_header(const char *name, const wvl_io_picture *io, wvl_params *params)
{
    static const char says_nothing[] = "the picture does not name its colour space",
                      has_no_name[] = "the picture's colour space is not one of those known";
    const char *space = io->space                                                           ? io->space
                        : io->color == WVL_IO_RGB && io->color_declared && !io->space_rules ? "srgb"
                                                                                            : NULL;
    if (!space) {
        return wvl_cli_fail(WVL_EXIT_INPUT, "%s: %s; name it with --input-color rec709, srgb, p3-d65, ..., or xyz",
                            name, io->space_rules ? has_no_name : says_nothing);
    }
    wvl_cli_inform("%s: taken as %s%s%s, according to its header, and converted to X'Y'Z'", name, space,
                   io->transfer ? ", " : "", io->transfer ? io->transfer : "");
    int code = set(name, params, "input-color", space);
    return code || !io->transfer ? code : set(name, params, "input-transfer", io->transfer);
}

int wvl_cli_fit_color(const wvl_cli_args *args, const char *name, wvl_cli_picture *p, wvl_params *params)
{
    if (!args->auto_color) {
        return WVL_EXIT_OK;
    }
    const wvl_io_picture *io = &p->io;
    if (io->palette || io->color == WVL_IO_GREY || io->color == WVL_IO_YCC || io->color == WVL_IO_CMYK) {
        const char *what = io->palette                ? "holds palette indices"
                           : io->color == WVL_IO_GREY ? "is grey"
                           : io->color == WVL_IO_YCC  ? "is YCbCr"
                                                      : "is CMYK";
        return wvl_cli_fail(WVL_EXIT_INPUT, "%s: the picture %s; --input-color converts RGB only", name, what);
    }
    return io->icc && args->icc != WVL_CLI_ICC_DROP && !io->space_rules ? wvl_cli_apply_profile(name, p, params)
                                                                        : take_header(name, io, params);
}

int wvl_cli_converts_color(const wvl_cli_picture *p, const wvl_params *params)
{
    const char *color = wvl_params_get(params, "input-color");
    return strcmp(color, "none") != 0 && (strcmp(color, "xyz") != 0 || p->components[0].depth != 12);
}

/* ---- What is coded --------------------------------------------------------------------------- */

/* Drops what would only give warnings: the options of the encoding that a lossless one has no use for. */
static int drop_idle(const char *name, wvl_params *params)
{
    size_t count;
    const wvl_option *options = wvl_options(&count);
    int code = WVL_EXIT_OK;
    for (size_t i = 0; !code && i < count; i++) {
        code = wvl_params_needs(params, options[i].key) ? set(name, params, options[i].key, options[i].initial)
                                                        : WVL_EXIT_OK;
    }
    return code;
}

/* No transform at all: little of the coder is between the conversion and the samples. "overrides" and "roi" may be
 * unknown. */
static int set_plain(const char *name, wvl_params *params)
{
    static const char *const settings[][2] = {{"overrides", ""},    {"roi", ""},     {"profile", "none"},
                                              {"container", "j2k"}, {"levels", "0"}, {"precincts", ""},
                                              {"mct", "off"}};
    wvl_status status = wvl_params_preset(params, "iiif-lossless");
    int code = status ? set(name, params, "preset", "iiif-lossless") : WVL_EXIT_OK;
    for (size_t i = 0; !code && i < sizeof settings / sizeof settings[0]; i++) {
        code = i < 2 ? (void)wvl_params_set(params, settings[i][0], settings[i][1]),
        WVL_EXIT_OK  : set(name, params, settings[i][0], settings[i][1]);
    }
    return code ? code : drop_idle(name, params);
}

static int encode_plain(const char *name, wvl_context *context, const wvl_plan *plan, const wvl_cli_picture *p,
                        void **data, size_t *bytes)
{
    char error[1024] = "";
    wvl_sink sink = {.struct_size = sizeof sink};
    wvl_status status = wvl_sink_open_memory(context, &sink);
    TRY(status, wvl_encode(plan, &p->image, &sink, NULL, NULL, error, sizeof error));
    TRY(status, wvl_sink_take_memory(&sink, data, bytes));
    if (status) {
        wvl_cli_error("%s: conversion of the original: %s", name, error[0] ? error : wvl_status_text(status));
    }
    return status ? wvl_cli_exit_code(status) : WVL_EXIT_OK;
}

int wvl_cli_convert_picture(const char *name, wvl_context *context, const wvl_params *params,
                            const wvl_cli_picture *picture, wvl_cli_picture *converted)
{
    wvl_params *plain = NULL;
    wvl_plan *plan = NULL;
    void *data = NULL;
    size_t bytes = 0;
    memset(converted, 0, sizeof *converted);
    wvl_status status = wvl_params_clone(params, &plain);
    int code = status ? wvl_cli_exit_code(status) : set_plain(name, plain);
    if (!code) {
        status = wvl_plan_create(context, plain, &picture->format, NULL, &plan);
        code = status ? wvl_cli_exit_code(status) : encode_plain(name, context, plan, picture, &data, &bytes);
    }
    if (status) {
        wvl_cli_error("%s: conversion of the original: %s", name,
                      plain ? wvl_context_error(context) : wvl_status_text(status));
    }
    TRY(code, wvl_cli_decode_bytes(name, data, bytes, converted));
    wvl_memory_release(context, data, bytes);
    wvl_plan_release(plan);
    wvl_params_release(plain);
    return code;
}
