/* SPDX-License-Identifier: BSD-2-Clause */
/* From the command line to params. */
#include <stdlib.h>
#include <strings.h>

#include "cli.h"

static int fail(const char *spelling, const wvl_params *params, wvl_status status)
{
    const char *detail = wvl_params_error(params);
    return wvl_cli_fail(wvl_cli_exit_code(status), "%s: %s", spelling, detail[0] ? detail : wvl_status_text(status));
}

/* ---- Comments: the terminal speaks UTF-8, the COM marker segment ISO 8859-15 (A.9.2) --------- */

static unsigned latin9_of(uint32_t point)
{
    static const struct {
        uint16_t point;
        uint8_t byte;
    } moved[8] = {{0x20AC, 0xA4}, {0x160, 0xA6}, {0x161, 0xA8}, {0x17D, 0xB4},
                  {0x17E, 0xB8},  {0x152, 0xBC}, {0x153, 0xBD}, {0x178, 0xBE}};
    for (int i = 0; i < 8; i++) {
        if (moved[i].point == point) {
            return moved[i].byte;
        }
        if (moved[i].byte == point) {
            return 0;
        }
    }
    return point < 256 ? point : 0;
}

/* 1 converted, 0 not UTF-8 (kept as it is), -1 a character that ISO 8859-15 lacks. */
static int convert_comment(const char *text, char *latin)
{
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        unsigned length;
        uint32_t point = wvl_io_utf8_point(p, 4, &length);
        unsigned byte = point ? latin9_of(point) : 0;
        if (!point) {
            return 0;
        }
        if (!byte) {
            return -1;
        }
        *latin++ = (char)byte;
        p += length;
    }
    *latin = '\0';
    return 1;
}

static int set_comment(wvl_params *params, const wvl_cli_setting *setting)
{
    char *latin = malloc(strlen(setting->value) + 1);
    if (!latin) {
        return wvl_cli_fail(WVL_EXIT_DEVICE, "out of memory");
    }
    int converted = convert_comment(setting->value, latin);
    if (converted < 0) {
        wvl_cli_error("%s \"%s\": a comment can hold only characters of ISO 8859-15 (A.9.2); leave the others out",
                      setting->spelling, setting->value);
        free(latin);
        return WVL_EXIT_USAGE;
    }
    wvl_status status = wvl_params_set(params, "comment", converted ? latin : setting->value);
    free(latin);
    return status ? fail(setting->spelling, params, status) : WVL_EXIT_OK;
}

/* ---- -c -------------------------------------------------------------------------------------- */

#define LIST_CHARS (33u * sizeof "[32768,32768],")

/* Writes the list out for all resolutions, the last size halved for each lower one, but not below 1: a side of 1 above
 * the lowest resolution is then refused by the plan. */
static int write_halved(wvl_params *params)
{
    char list[LIST_CHARS];
    size_t used = 0;
    unsigned width = 0, height = 0, count = 0;
    const char *levels = wvl_params_get(params, "levels");
    if (levels && !strcmp(levels, "auto")) {
        return wvl_cli_fail(WVL_EXIT_USAGE,
                            "-c needs the number of resolutions; give -n or --levels with a number, not auto");
    }
    unsigned resolutions = levels ? (unsigned)strtoul(levels, NULL, 10) + 1 : 0;
    const char *given = wvl_params_get(params, "precincts");
    if (!resolutions || !given) {
        return fail("-c", params, WVL_ERROR_MEMORY);
    }
    for (int length; sscanf(given, "[%u,%u]%n", &width, &height, &length) == 2; given += given[0] == ',') {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s[%u,%u]", used ? "," : "", width, height);
        given += length;
        count++;
    }
    for (; count && count < resolutions; count++) {
        width = width > 1 ? width / 2 : 1;
        height = height > 1 ? height / 2 : 1;
        used += (size_t)snprintf(list + used, sizeof list - used, ",[%u,%u]", width, height);
    }
    wvl_status status = count ? wvl_params_set(params, "precincts", list) : WVL_OK;
    return status ? fail("-c", params, status) : WVL_EXIT_OK;
}

/* ---- Presets --------------------------------------------------------------------------------- */

static int set_word(const wvl_cli_args *args, wvl_params *params, const char *key, const char *value)
{
    wvl_status status = wvl_params_set(params, key, value);
    return status ? fail(args->preset_spelling, params, status) : WVL_EXIT_OK;
}

static int refuse_imf(const wvl_cli_args *args)
{
    return wvl_cli_fail(
        WVL_EXIT_USAGE,
        "%s \"%s\": expected 2K, 4K, 8K, 2K_R, 4K_R or 8K_R, optionally with ,mainlevel=N ,sublevel=N ,framerate=FPS",
        args->preset_spelling, args->preset_words);
}

/* One ",key=value" of -IMF. */
static int set_imf_word(const wvl_cli_args *args, wvl_params *params, const char *word, size_t length)
{
    static const char *const words[][2] = {
        {"mainlevel=", "main-level"}, {"sublevel=", "sub-level"}, {"framerate=", "frame-rate"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t name = strlen(words[i][0]);
        if (length > name && length - name < 32 && !strncasecmp(word, words[i][0], name)) {
            char value[32];
            snprintf(value, sizeof value, "%.*s", (int)(length - name), word + name);
            return set_word(args, params, words[i][1], value);
        }
    }
    return refuse_imf(args);
}

static int apply_imf(const wvl_cli_args *args, wvl_params *params)
{
    static const char *const names[][2] = {{"2K", "imf-2k"},     {"4K", "imf-4k"},     {"8K", "imf-8k"},
                                           {"2K_R", "imf-2k-r"}, {"4K_R", "imf-4k-r"}, {"8K_R", "imf-8k-r"}};
    const char *p = args->preset_words;
    size_t length = strcspn(p, ","), i = 0;
    while (i < 6 && (strlen(names[i][0]) != length || strncasecmp(p, names[i][0], length) != 0)) {
        i++;
    }
    if (i == 6) {
        return refuse_imf(args);
    }
    wvl_status status = wvl_params_preset(params, names[i][1]);
    int code = status ? fail(args->preset_spelling, params, status) : WVL_EXIT_OK;
    for (p += length; *p == ',' && !code; p += length) {
        length = strcspn(++p, ",");
        code = set_imf_word(args, params, p, length);
    }
    return code;
}

static int apply_preset(const wvl_cli_args *args, wvl_params *params)
{
    int is_named = args->preset_words == args->preset; /* --preset NAME */
    if (!strcmp(args->preset, "imf") && !is_named) {
        return apply_imf(args, params);
    }
    wvl_status status = wvl_params_preset(params, args->preset);
    if (status) {
        return fail(args->preset_spelling, params, status);
    }
    return is_named || !args->preset_words ? WVL_EXIT_OK : set_word(args, params, "frame-rate", args->preset_words);
}

/* ---- All ------------------------------------------------------------------------------------- */

int wvl_cli_apply_settings(const wvl_cli_args *args, wvl_params *params)
{
    int halved = 0;
    int code = args->preset ? apply_preset(args, params) : WVL_EXIT_OK;
    if (code) {
        return code;
    }
    for (size_t i = 0; i < args->setting_count; i++) {
        const wvl_cli_setting *s = &args->settings[i];
        if (!strcmp(s->key, "precincts")) {
            halved = s->halved;
        }
        if (!strcmp(s->key, "comment") && s->value[0]) {
            code = set_comment(params, s);
            if (code) {
                return code;
            }
            continue;
        }
        wvl_status status = wvl_params_set(params, s->key, s->value);
        if (status) {
            return fail(s->spelling, params, status);
        }
    }
    return halved ? write_halved(params) : WVL_EXIT_OK;
}

/* Settings of a key behind the first `from` ones. */
static int is_set_behind(const wvl_cli_args *args, size_t from, const char *key)
{
    size_t i = from;
    while (i < args->setting_count && strcmp(args->settings[i].key, key) != 0) {
        i++;
    }
    return i < args->setting_count;
}

/* Returns what an option needs that was given. A frame rate without a profile has no effect, also if it is the usual
 * one, which asks for nothing by itself. */
static const char *needs_of(const wvl_params *params, const char *key)
{
    wvl_params *other;
    const char *needs = wvl_params_needs(params, key);
    if (!needs && !strcmp(key, "frame-rate") && !wvl_params_clone(params, &other)) {
        needs = wvl_params_set(other, key, "25") == WVL_OK ? wvl_params_needs(other, key) : NULL;
        wvl_params_release(other);
    }
    return needs;
}

int wvl_cli_refuse_idle(const wvl_cli_args *args, const wvl_params *params)
{
    int code = WVL_EXIT_OK;
    for (size_t i = 0; i < args->setting_count; i++) {
        const char *key = args->settings[i].key, *needs = needs_of(params, key);
        int follows_picture = args->auto_color && !strncmp(key, "input-", 6); /* the space is found later */
        if (needs && !follows_picture && !is_set_behind(args, i + 1, key)) {
            code = wvl_cli_fail(WVL_EXIT_USAGE, "%s needs %s", args->settings[i].spelling, needs);
        }
    }
    return code;
}

/* .jph and .jhc say HT by themselves. */
static wvl_status ask_for_ht(wvl_params *params)
{
    char text[96];
    const char *style = wvl_params_get(params, "style");
    if (!style) {
        return WVL_ERROR_MEMORY;
    }
    if (strstr(style, "HT")) {
        return WVL_OK;
    }
    snprintf(text, sizeof text, "%s%sHT", strcmp(style, "0") ? style : "", strcmp(style, "0") ? "+" : "");
    return wvl_params_set(params, "style", text);
}

int wvl_cli_fix_container(const wvl_cli_args *args, const char *output, int is_jp2, wvl_params *params)
{
    static const char *const containers[] = {"j2k", "jp2", "jph"};
    const char *container = containers[is_jp2], *extension = strrchr(output, '.');
    const char *asked = is_set_behind(args, 0, "container") ? wvl_params_get(params, "container") : container;
    if (!asked) {
        return fail(output, params, WVL_ERROR_MEMORY);
    }
    if (strcmp(asked, container) != 0) {
        return wvl_cli_fail(WVL_EXIT_USAGE,
                            "%s: the extension stands for %s, but --container names %s; change one of them", output,
                            container, asked);
    }
    wvl_status status = wvl_params_set(params, "container", container);
    if (!status && (is_jp2 == 2 || (extension && !strcasecmp(extension, ".jhc")))) {
        status = ask_for_ht(params);
    }
    return status ? fail(output, params, status) : WVL_EXIT_OK;
}

/* Samples that are luma and chroma already must not be transformed again, unless somebody insists. */
int wvl_cli_fit_transform(const wvl_cli_args *args, const char *name, const wvl_cli_picture *picture,
                          wvl_params *params)
{
    if (picture->io.color != WVL_IO_YCC || is_set_behind(args, 0, "mct")) {
        return WVL_EXIT_OK;
    }
    wvl_status status = wvl_params_set(params, "mct", "off");
    return status ? fail(name, params, status) : WVL_EXIT_OK;
}

/* Full container, 1.85:1 and 2.39:1 (SMPTE ST 428-1); in 4K each twice as wide and as high. */
void wvl_cli_warn_of_container(const char *name, const wvl_cli_picture *picture, const wvl_params *params)
{
    static const uint32_t sizes[][2] = {{2048, 1080}, {1998, 1080}, {2048, 858}};
    const char *profile = wvl_params_get(params, "profile");
    int is_4k = profile && !strcmp(profile, "cinema4k");
    uint32_t width = picture->format.x1 - picture->format.x0, height = picture->format.y1 - picture->format.y0;
    if (!is_4k && (!profile || strcmp(profile, "cinema2k") != 0)) {
        return;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (width == sizes[i][0] << is_4k && height == sizes[i][1] << is_4k) {
            return;
        }
    }
    wvl_cli_warn_once(
        name, "%u x %u is not a size of digital cinema, and players may refuse it; the sizes are %s (ST 428-1)", width,
        height, is_4k ? "4096 x 2160, 3996 x 2160 and 4096 x 1716" : "2048 x 1080, 1998 x 1080 and 2048 x 858");
}

/* Says whether an override chooses 9/7. */
static int loses_somewhere(const char *overrides)
{
    static const char *const no[] = {"no", "off", "false", "0"};
    const char *p = overrides;
    while ((p = strstr(p, "reversible=")) != NULL) {
        p += strlen("reversible=");
        for (int i = 0; i < 4; i++) {
            if (!strncasecmp(p, no[i], strlen(no[i]))) {
                return 1;
            }
        }
    }
    return 0;
}

const char *const wvl_cli_target_keys[WVL_CLI_TARGETS] = {"rates", "psnr", "bpp", "layer-bytes", "slopes"};

int wvl_cli_wants_lossless(const wvl_params *params)
{
    static const char *const caps[] = {"max-bytes", "max-component-bytes"};
    for (int i = 0; i < 2; i++) {
        const char *cap = wvl_params_get(params, caps[i]); /* NULL when memory is short: nothing is promised then */
        if (!cap || strcmp(cap, "0") != 0) {
            return 0;
        }
    }
    for (int i = 0; i < WVL_CLI_TARGETS; i++) {
        const char *value = wvl_params_get(params, wvl_cli_target_keys[i]), *last = value ? strrchr(value, ',') : NULL;
        if (!value) {
            return 0;
        }
        last = last ? last + 1 : value;
        /* "everything" is 0, and for ratios anything up to 1 */
        if (value[0] && strtod(last, NULL) > (i ? 0.0 : 1.0)) {
            return 0;
        }
    }
    const char *overrides = wvl_params_get(params, "overrides");
    if (!overrides || loses_somewhere(overrides)) {
        return 0;
    }
    const char *reversible = wvl_params_get(params, "reversible");
    return reversible && !strcmp(reversible, "yes");
}

int wvl_cli_wants_device(const wvl_params *params)
{
    wvl_device_info info = {.struct_size = sizeof info};
    const char *device = wvl_params_get(params, "device");
    if (!device || !strcmp(device, "cpu")) {
        return 0;
    }
    return strcmp(device, "auto") != 0 || (wvl_device_describe(0, &info) == WVL_OK && info.usable);
}
