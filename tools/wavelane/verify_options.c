/* SPDX-License-Identifier: BSD-2-Clause */
/* What wavelane verify takes beside its own options: how the original was read and converted, and the preset that the
 * file was made with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "color.h"
#include "settings.h"
#include "verify_options.h"

/* ---- Frame rates ----------------------------------------------------------------------------- */

/* 23.976, 29.97, 59.94 and the like stand for N * 1000 / 1001; whole numbers may have a point too. 0: neither. */
static int parse_decimal(const char *text, wvl_check_options *options)
{
    char *end;
    double value = strtod(text, &end), whole = nearbyint(value), slow = nearbyint(value * 1.001);
    if (end == text || *end || !(value >= 1.0 && value < 100000.0) || strspn(text, "0123456789.") != strlen(text)) {
        return 0;
    }
    if (value == whole) {
        options->frames = (uint32_t)whole;
        options->seconds = 1;
        return 1;
    }
    options->frames = (uint32_t)slow * 1000;
    options->seconds = 1001;
    return fabs(value - slow / 1.001) < 0.005;
}

int wvl_cli_parse_rate(const char *text, wvl_check_options *options)
{
    char number[32];
    const char *slash = strchr(text, '/');
    uint64_t frames, seconds = 1;
    size_t n = slash ? (size_t)(slash - text) : strlen(text);
    n = n < sizeof number ? n : sizeof number - 1;
    memcpy(number, text, n);
    number[n] = '\0';
    if (strchr(text, '.') && parse_decimal(text, options)) {
        return WVL_EXIT_OK;
    }
    if (!wvl_cli_parse_number(number, 1, UINT32_MAX, &frames) ||
        (slash && !wvl_cli_parse_number(slash + 1, 1, UINT32_MAX, &seconds))) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "\"%s\" is no frame rate; 24, 23.976 or 24000/1001 is one", text);
    }
    options->frames = (uint32_t)frames;
    options->seconds = (uint32_t)seconds;
    return WVL_EXIT_OK;
}

/* ---- Options of the original ----------------------------------------------------------------- */

static int refuse(const char *word)
{
    return wvl_cli_fail(WVL_EXIT_USAGE, "verify: %s says how to encode; the form is: " WVL_CLI_VERIFY_USAGE, word);
}

static int is_about_reading(const wvl_cli_args *a)
{
    int encodes = a->output || a->image_dir || a->out_format || a->trace || a->demo || a->force || a->skip_existing ||
                  a->box_count || a->threads || a->color || a->no_xmp || a->pages || a->dropped || a->gml ||
                  a->memory_bytes || a->spill_dir || a->pictures;
    int reports = a->verify || a->psnr_report || a->dry_run || a->explain || a->json || a->quiet || a->verbose ||
                  a->help || a->version;
    return !encodes && !reports && a->subsampling[0] == 1 && a->subsampling[1] == 1 && !a->offset[0] && !a->offset[1];
}

int wvl_cli_reads_original(const wvl_cli_args *a)
{
    int reads = a->io.raw_format || a->io.format || a->io.page_given || a->io.max_samples || a->io.keep_palette ||
                a->io.keep_ycc || a->io.float_transfer || a->float_range_spelled || a->raw_layout_given;
    int changes =
        a->component_steps || a->target_depth || a->channel_count || a->drop_alpha || a->ycc_to_rgb || a->orient;
    return reads || changes || a->icc || a->auto_color || a->setting_count;
}

int wvl_cli_take_original(int argc, char **argv, int *i, wvl_cli_args *args)
{
    const char *word = argv[*i];
    size_t count = args->setting_count;
    int code = wvl_cli_parse_option(argc, argv, i, args);
    if (!code &&
        (!is_about_reading(args) || (args->setting_count > count && strncmp(args->settings[count].key, "input-", 6)))) {
        code = refuse(word);
    }
    return code;
}

/* ---- Presets --------------------------------------------------------------------------------- */

int wvl_cli_is_walker_profile(const char *name)
{
    size_t count;
    const wvl_check_profile *profiles = wvl_check_profiles(&count);
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(name, profiles[i].name)) {
            return 1;
        }
    }
    return 0;
}

static int take_limits(const wvl_params *params, wvl_check_options *options)
{
    options->stereo |= !strcmp(wvl_params_get(params, "stereo"), "yes");
    options->hfr |= !strcmp(wvl_params_get(params, "hfr"), "yes");
    return options->frames ? WVL_EXIT_OK : wvl_cli_parse_rate(wvl_params_get(params, "frame-rate"), options);
}

int wvl_cli_take_preset(const wvl_cli_args *args, wvl_context *context, wvl_check_options *options,
                        char profile[WVL_CLI_PROFILE_CHARS])
{
    wvl_params *params = NULL;
    wvl_cli_args plain = *args;
    wvl_status status = wvl_params_create(context, &params);
    int code = status ? wvl_cli_exit_code(status) : WVL_EXIT_OK;
    plain.setting_count = 0;
    TRY(code, wvl_cli_apply_settings(&plain, params));
    if (!code) {
        snprintf(profile, WVL_CLI_PROFILE_CHARS, "%s", wvl_params_get(params, "profile"));
        options->profile = wvl_cli_is_walker_profile(profile) ? profile : NULL;
        code = take_limits(params, options);
    }
    wvl_params_release(params);
    return code;
}

/* ---- The original ---------------------------------------------------------------------------- */

static int wants_conversion(const wvl_cli_args *args) { return args->auto_color || args->setting_count; }

/* Reads the original as the encoder read it, and converts it as the encoder did. */
int wvl_cli_read_original(const wvl_cli_args *args, wvl_context *context, wvl_cli_picture *picture)
{
    const char *name = args->inputs[0];
    wvl_cli_picture read;
    wvl_params *params = NULL;
    wvl_cli_args plain = *args;
    plain.preset = NULL;
    plain.coded_depth = wants_conversion(args) ? 0 : args->coded_depth;
    int code = wvl_cli_read_picture(&plain, args->inputs, args->input_count, &read);
    TRY(code, wvl_cli_refuse_unused(name, &read));
    if (code || !wants_conversion(args)) {
        *picture = read;
        return code;
    }
    wvl_status status = wvl_params_create(context, &params);
    code = status ? wvl_cli_exit_code(status) : wvl_cli_apply_settings(&plain, params);
    TRY(code, wvl_cli_refuse_idle(&plain, params));
    TRY(code, wvl_cli_fit_color(&plain, name, &read, params));
    int converts = !code && wvl_cli_converts_color(&read, params);
    if (converts) {
        code = wvl_cli_convert_picture(name, context, params, &read, picture);
    }
    wvl_params_release(params);
    if (converts || code) {
        wvl_cli_release_picture(&read);
    } else {
        *picture = read;
    }
    return code;
}
