/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line. Names match whole, with one dash or two, before letters are tried, so that -TLM and -TP are no -T
 * and -t. A letter may carry its argument (-r20) as with opj_compress. Names are not abbreviated: an abbreviation that
 * works today may be ambiguous tomorrow.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "args.h"
#include "settings.h"

#define MOST_LIMIT (UINT64_C(1) << 56) /* of bytes or samples: sums and products stay within 64 bits */

typedef struct parser {
    int argc, index;
    char **argv;
    wvl_cli_args *args;
} parser;

/* What an argument turned out to be: an option of the command, or a key of the library. */
typedef struct match {
    const wvl_cli_option *option;
    const wvl_option *key;
} match;

static match match_name(const char *name, size_t length)
{
    size_t count;
    match m = {NULL, NULL};
    const wvl_cli_option *options = wvl_cli_options(&count);
    for (size_t i = 0; i < count; i++) {
        if (options[i].name && strlen(options[i].name) == length && !memcmp(options[i].name, name, length)) {
            m.option = &options[i];
            return m;
        }
    }
    const wvl_option *keys = wvl_options(&count);
    for (size_t i = 0; i < count; i++) {
        if (strlen(keys[i].key) == length && !memcmp(keys[i].key, name, length)) {
            m.key = &keys[i];
        }
    }
    return m;
}

static const wvl_cli_option *match_letter(char letter)
{
    size_t count;
    const wvl_cli_option *options = wvl_cli_options(&count);
    for (size_t i = 0; letter && i < count; i++) {
        if (options[i].letter == letter) {
            return &options[i];
        }
    }
    return NULL;
}

static int is_known_option(const char *text)
{
    if (text[0] != '-' || !text[1]) {
        return 0;
    }
    const char *name = text + 1 + (text[1] == '-');
    match m = match_name(name, strcspn(name, "="));
    return m.option || m.key || (!name[1] && name == text + 1 && match_letter(name[0]));
}

/* ---- Values ---------------------------------------------------------------------------------- */

static const char *scan_number(const char *p, uint64_t minimum, uint64_t maximum, uint64_t *value)
{
    uint64_t v = 0;
    if (*p < '0' || *p > '9') {
        return NULL;
    }
    for (; *p >= '0' && *p <= '9'; p++) {
        if (v > (UINT64_MAX - 9) / 10) {
            return NULL;
        }
        v = v * 10 + (unsigned)(*p - '0');
    }
    *value = v;
    return v >= minimum && v <= maximum ? p : NULL;
}

int wvl_cli_parse_number(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *value)
{
    const char *end = scan_number(text, minimum, maximum, value);
    return end && !*end;
}

int wvl_cli_refuse_empty(const char *spelling, const char *value)
{
    if (value[0]) {
        return WVL_EXIT_OK;
    }
    return wvl_cli_fail(WVL_EXIT_USAGE, "%s: its value is empty; give one, or leave the option out", spelling);
}

int wvl_cli_refuse_value(const char *spelling, const char *value, const char *expected)
{
    return wvl_cli_fail(WVL_EXIT_USAGE, "%s \"%s\": expected %s", spelling, value, expected);
}

static int take_number(const char *spelling, const char *value, uint32_t maximum, const char *expected, uint32_t *to)
{
    uint64_t v;
    if (!wvl_cli_parse_number(value, 0, maximum, &v)) {
        return wvl_cli_refuse_value(spelling, value, expected);
    }
    *to = (uint32_t)v;
    return WVL_EXIT_OK;
}

static int take_pair(const char *spelling, const char *value, uint64_t minimum, uint64_t maximum, const char *expected,
                     uint32_t to[2])
{
    uint64_t v[2];
    const char *p = scan_number(value, minimum, maximum, &v[0]);
    p = p && *p == ',' ? scan_number(p + 1, minimum, maximum, &v[1]) : NULL;
    if (!p || *p) {
        return wvl_cli_refuse_value(spelling, value, expected);
    }
    to[0] = (uint32_t)v[0];
    to[1] = (uint32_t)v[1];
    return WVL_EXIT_OK;
}

static int take_once(const char *spelling, const char *value, const char **to)
{
    if (*to) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "%s is given twice, with \"%s\" and \"%s\"; give it once", spelling, *to,
                            value);
    }
    *to = value;
    return WVL_EXIT_OK;
}

static int take_steps(wvl_cli_args *args, const char *spelling, const char *value)
{
    size_t count = 1;
    for (const char *p = value; *p; p++) {
        count += *p == ':';
    }
    free(args->component_steps);
    args->component_steps = malloc(count * 2);
    if (!args->component_steps) {
        return wvl_cli_fail(WVL_EXIT_DEVICE, "out of memory");
    }
    const char *p = value;
    for (size_t i = 0; i < count; i++) {
        uint64_t dx, dy;
        p = scan_number(p, 1, 255, &dx);
        p = p && *p == 'x' ? scan_number(p + 1, 1, 255, &dy) : NULL;
        if (!p || (*p && *p != ':')) {
            return wvl_cli_refuse_value(spelling, value, "DXxDY:DXxDY:..., each from 1 to 255");
        }
        args->component_steps[2 * i] = (uint8_t)dx;
        args->component_steps[2 * i + 1] = (uint8_t)dy;
        p += *p == ':';
    }
    args->component_step_count = count;
    return WVL_EXIT_OK;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static int take_uuid(wvl_cli_args *args, const char *spelling, const char *value)
{
    wvl_cli_box *box = &args->boxes[args->box_count++];
    const char *p = value;
    unsigned digits = 0;
    for (; *p && *p != ':'; p++) {
        int digit = hex_digit(*p);
        if (*p == '-') {
            continue;
        }
        if (digit < 0 || digits >= 32) {
            break;
        }
        box->uuid[digits / 2] = (uint8_t)(box->uuid[digits / 2] << 4 | digit);
        digits++;
    }
    if (digits != 32 || *p != ':' || !p[1]) {
        return wvl_cli_refuse_value(spelling, value, "32 hexadecimal digits, a colon, and a file");
    }
    box->is_uuid = 1;
    box->path = p + 1;
    return WVL_EXIT_OK;
}

int wvl_cli_take_word(const char *spelling, const char *value, const char *const *words, int count, int *index)
{
    for (int i = 0; i < count; i++) {
        if (!strcasecmp(value, words[i])) {
            *index = i;
            return WVL_EXIT_OK;
        }
    }
    return wvl_cli_fail(WVL_EXIT_USAGE, "%s \"%s\": expected %s, %s%s%s", spelling, value, words[0], words[1],
                        count > 2 ? ", " : "", count > 2 ? words[2] : "");
}

/* -cinema2K and its kin name a preset; what they take is read when it is applied. */
static int take_profile(wvl_cli_args *args, const wvl_cli_option *option, const char *spelling, const char *value)
{
    args->preset_words = value;
    args->preset_spelling = spelling;
    return take_once(spelling, option->fixed ? option->fixed : value, &args->preset);
}

/* ---- Settings of the library ----------------------------------------------------------------- */

static int is_target(const char *key)
{
    for (size_t i = 0; i < WVL_CLI_TARGETS; i++) {
        if (!strcmp(key, wvl_cli_target_keys[i])) {
            return 1;
        }
    }
    return 0;
}

static int add_setting(wvl_cli_args *args, const char *spelling, const char *key, const char *value, int halved)
{
    for (size_t i = 0; i < args->setting_count; i++) {
        const wvl_cli_setting *other = &args->settings[i];
        if (is_target(key) && is_target(other->key) && strcmp(other->key, key) != 0) {
            return wvl_cli_fail(WVL_EXIT_USAGE, "%s and %s cannot be used together; give one of them", other->spelling,
                                spelling);
        }
    }
    args->settings[args->setting_count++] = (wvl_cli_setting){spelling, key, value, halved};
    return WVL_EXIT_OK;
}

/* -n counts resolutions, the library counts levels. */
static int take_resolutions(wvl_cli_args *args, const char *spelling, const char *value)
{
    uint64_t n;
    if (!wvl_cli_parse_number(value, 1, 33, &n)) {
        return wvl_cli_refuse_value(spelling, value, "a whole number from 1 to 33 (A.6.1)");
    }
    char *text = args->storage + args->storage_used;
    args->storage_used += (size_t)snprintf(text, 4, "%u", (unsigned)n - 1) + 1;
    return add_setting(args, spelling, "levels", text, 0);
}

static int take_mct(wvl_cli_args *args, const char *spelling, const char *value)
{
    if (!strcmp(value, "2")) {
        return wvl_cli_fail(WVL_EXIT_USAGE,
                            "%s 2: a user colour matrix belongs to Part 2 of the standard; use off, on or auto",
                            spelling);
    }
    return add_setting(args, spelling, "mct", !strcmp(value, "0") ? "off" : !strcmp(value, "1") ? "on" : value, 0);
}

/* The last one counts, as with every setting. */
static int take_input_color(wvl_cli_args *args, const char *spelling, const char *value)
{
    args->auto_color = !strcmp(value, "auto");
    return args->auto_color ? WVL_EXIT_OK : add_setting(args, spelling, "input-color", value, 0);
}

/* ---- One option ------------------------------------------------------------------------------ */

static int take_limit(const char *spelling, const char *value, uint64_t *to)
{
    int good = wvl_cli_parse_number(value, 1, MOST_LIMIT, to);
    return good ? WVL_EXIT_OK : wvl_cli_refuse_value(spelling, value, "a whole number from 1 to 2^56");
}

static int take_files(wvl_cli_args *args, const wvl_cli_option *option, const char *spelling, const char *value)
{
    switch (option->action) {
    case WVL_ACTION_INPUT: args->inputs[args->input_count++] = value; return WVL_EXIT_OK;
    case WVL_ACTION_OUTPUT: return take_once(spelling, value, &args->output);
    case WVL_ACTION_IMAGE_DIR: return take_once(spelling, value, &args->image_dir);
    case WVL_ACTION_TRACE: return take_once(spelling, value, &args->trace);
    case WVL_ACTION_OUT_FORMAT: return take_once(spelling, value, &args->out_format);
    case WVL_ACTION_RAW_FORMAT: return take_once(spelling, value, &args->io.raw_format);
    case WVL_ACTION_INPUT_FORMAT: return take_once(spelling, value, &args->io.format);
    case WVL_ACTION_MAX_PIXELS: return take_limit(spelling, value, &args->io.max_samples);
    case WVL_ACTION_MAX_INPUT_BYTES: return take_limit(spelling, value, &args->io.max_input_bytes);
    case WVL_ACTION_XML: args->boxes[args->box_count++].path = value; return WVL_EXIT_OK;
    case WVL_ACTION_UUID: return take_uuid(args, spelling, value);
    default: return wvl_cli_take_reading(args, option, spelling, value);
    }
}

static int take_threads(wvl_cli_args *args, const char *spelling, const char *value)
{
    if (!strcmp(value, "ALL_CPUS")) {
        args->threads = 0;
        return WVL_EXIT_OK;
    }
    return take_number(spelling, value, 1024, "a number from 0 to 1024, or ALL_CPUS", &args->threads);
}

static int take_pictures(wvl_cli_args *args, const char *spelling, const char *value)
{
    int code = take_number(spelling, value, 16, "a whole number from 1 to 16", &args->pictures);
    return code || args->pictures ? code : wvl_cli_refuse_value(spelling, value, "a whole number from 1 to 16");
}

static int take_picture(wvl_cli_args *args, const wvl_cli_option *option, const char *spelling, const char *value)
{
    static const char *const colors[] = {"srgb", "grey", "sycc"};
    static const wvl_color color_values[] = {WVL_COLOR_SRGB, WVL_COLOR_GREY, WVL_COLOR_SYCC};
    int index = 0, code;
    switch (option->action) {
    case WVL_ACTION_RESOLUTIONS: return take_resolutions(args, spelling, value);
    case WVL_ACTION_HALVED_PRECINCTS: return add_setting(args, spelling, "precincts", value, 1);
    case WVL_ACTION_MCT: return take_mct(args, spelling, value);
    case WVL_ACTION_INPUT_COLOR: return take_input_color(args, spelling, value);
    case WVL_ACTION_PRESET: return take_profile(args, option, spelling, value);
    case WVL_ACTION_COMPONENT_STEPS: return take_steps(args, spelling, value);
    case WVL_ACTION_PICTURES: return take_pictures(args, spelling, value);
    case WVL_ACTION_THREADS: return take_threads(args, spelling, value);
    case WVL_ACTION_SUBSAMPLING:
        return take_pair(spelling, value, 1, 255, "DX,DY, each from 1 to 255 (A.5.1)", args->subsampling);
    case WVL_ACTION_IMAGE_OFFSET:
        return take_pair(spelling, value, 0, UINT32_MAX - 1, "X,Y, each from 0 to 4294967294 (A.5.1)", args->offset);
    case WVL_ACTION_TARGET_DEPTH:
        code = take_number(spelling, value, 32, "a whole number from 1 to 32", &args->target_depth);
        return code || args->target_depth ? code : wvl_cli_refuse_value(spelling, value, "a whole number from 1 to 32");
    case WVL_ACTION_COLOR:
        code = wvl_cli_take_word(spelling, value, colors, 3, &index);
        args->color = color_values[index];
        return code;
    default: return take_files(args, option, spelling, value);
    }
}

static void take_flag(wvl_cli_args *args, const wvl_cli_option *option)
{
    switch (option->action) {
    case WVL_ACTION_DEMO: args->demo = 1; break;
    case WVL_ACTION_FORCE: args->force = 1; break;
    case WVL_ACTION_RECURSIVE: args->recursive = 1; break;
    case WVL_ACTION_SKIP_EXISTING: args->skip_existing = 1; break;
    case WVL_ACTION_NO_ICC: args->icc = WVL_CLI_ICC_DROP; break;
    case WVL_ACTION_NO_XMP: args->no_xmp = 1; break;
    case WVL_ACTION_DROP_ALPHA: args->drop_alpha = 1; break;
    case WVL_ACTION_YCC_TO_RGB: args->ycc_to_rgb = 1; break;
    case WVL_ACTION_VERIFY: args->verify = 1; break;
    case WVL_ACTION_PSNR_REPORT: args->psnr_report = 1; break;
    case WVL_ACTION_DRY_RUN: args->dry_run = 1; break;
    case WVL_ACTION_EXPLAIN: args->explain = 1; break;
    case WVL_ACTION_JSON: args->json = 1; break;
    case WVL_ACTION_QUIET: args->quiet = 1; break;
    case WVL_ACTION_VERBOSE: args->verbose++; break;
    case WVL_ACTION_HELP: args->help = 1; break;
    case WVL_ACTION_VERSION: args->version = 1; break;
    default: (void)wvl_cli_take_metadata_option(args, option->action, NULL, NULL); break;
    }
}

static int apply(wvl_cli_args *args, const wvl_cli_option *option, const char *spelling, const char *value)
{
    if (option->action == WVL_ACTION_NEVER) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "%s: %s", spelling, option->doc);
    }
    if (option->action == WVL_ACTION_SETTING) {
        return add_setting(args, spelling, option->key, option->fixed ? option->fixed : value, 0);
    }
    if (!option->argument && option->action == WVL_ACTION_PRESET) {
        return take_profile(args, option, spelling, NULL);
    }
    if (!option->argument) {
        take_flag(args, option);
        return WVL_EXIT_OK;
    }
    return take_picture(args, option, spelling, value);
}

/* The argument that belongs to the option just read: attached, or the next one unless that is an option itself; without
 * one it is `alone`, or NULL is said to be missing. */
static const char *fetch_value(parser *p, const char *spelling, const char *attached, const char *alone)
{
    if (attached) {
        return attached;
    }
    const char *next = p->index + 1 < p->argc ? p->argv[p->index + 1] : NULL;
    if ((!next || is_known_option(next)) && alone) {
        return alone;
    }
    if (!next || is_known_option(next)) {
        if (next) {
            wvl_cli_error("%s: a value is missing, the option %s follows; give one", spelling, next);
        } else {
            wvl_cli_error("%s: a value is missing at the end of the command; give one", spelling);
        }
        return NULL;
    }
    p->index++;
    return next;
}

static int parse_name(parser *p, const char *spelling, match m, const char *attached)
{
    int wants_value = m.key || m.option->argument;
    if (!wants_value) {
        if (attached) {
            return wvl_cli_fail(WVL_EXIT_USAGE, "%s takes no value; leave out what follows the =", spelling);
        }
        return apply(p->args, m.option, spelling, NULL);
    }
    const char *value = fetch_value(p, spelling, attached, m.key && wvl_cli_is_switch(m.key) ? "yes" : NULL);
    if (!value || wvl_cli_refuse_empty(spelling, value)) {
        return WVL_EXIT_USAGE;
    }
    return m.key ? add_setting(p->args, spelling, m.key->key, value, 0) : apply(p->args, m.option, spelling, value);
}

static int refuse_option(const parser *p, const char *spelling)
{
    const char *name = spelling + 1 + (spelling[1] == '-'), *command = p->args->command;
    return wvl_cli_fail(WVL_EXIT_USAGE, "unknown option %s; the nearest is --%s (wavelane %s%s--help lists all)",
                        spelling, wvl_cli_nearest_option(name, command), command ? command : "", command ? " " : "");
}

/* Letters: one with its argument, or several that take none. */
static int parse_letters(parser *p, const char *spelling)
{
    const char *letters = spelling + 1;
    const wvl_cli_option *first = match_letter(letters[0]);
    if (first && first->argument) {
        const char *value = fetch_value(p, spelling, letters[1] ? letters + 1 : NULL, NULL);
        return value && !wvl_cli_refuse_empty(spelling, value) ? apply(p->args, first, spelling, value)
                                                               : WVL_EXIT_USAGE;
    }
    for (const char *c = letters; *c; c++) {
        const wvl_cli_option *option = match_letter(*c);
        if (!option || option->argument) {
            return refuse_option(p, spelling);
        }
    }
    for (const char *c = letters; *c; c++) {
        int code = apply(p->args, match_letter(*c), spelling, NULL);
        if (code) {
            return code;
        }
    }
    return WVL_EXIT_OK;
}

static int parse_one(parser *p)
{
    char *text = p->argv[p->index];
    if (text[0] != '-' || !text[1] || !strcmp(text, "--")) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "\"%s\" is unexpected; write inputs after -i and the output after -o",
                            text);
    }
    int dashes = text[1] == '-' ? 2 : 1;
    size_t length = strcspn(text + dashes, "=");
    match m = match_name(text + dashes, length);
    if (!m.option && !m.key) {
        return dashes == 1 ? parse_letters(p, text) : refuse_option(p, text);
    }
    const char *attached = NULL;
    if (text[dashes + length]) {
        text[dashes + length] = '\0'; /* argv is ours; the spelling in messages ends before the value */
        attached = text + dashes + length + 1;
    }
    return parse_name(p, text, m, attached);
}

/* ---- Whole line ------------------------------------------------------------------------------ */

static int require(int condition, const char *message)
{
    if (!condition) {
        wvl_cli_error("%s", message);
    }
    return condition;
}

static int check_together(const wvl_cli_args *args)
{
    int one_picture = args->input_count > 0 || args->demo, is_plan_only = args->dry_run || args->explain;
    if (!require(!(args->quiet && args->verbose), "--quiet and --verbose cannot be used together; give one of them")) {
        return 0;
    }
    if (!require(!(is_plan_only && args->verify),
                 "--verify checks a finished encoding; leave out --dry-run and --explain, which make none") ||
        !require(!(is_plan_only && args->psnr_report),
                 "--psnr-report measures a finished encoding; leave out --dry-run and --explain, which make none") ||
        !require(!(args->quiet && args->psnr_report),
                 "--psnr-report and --quiet cannot be used together; give one of them") ||
        !require(!(args->demo && args->io.format),
                 "--input-format needs -i; --demo reads no file, leave --input-format out")) {
        return 0;
    }
    if (args->image_dir) {
        return wvl_cli_check_reading(args) &&
               require(!one_picture, "-ImgDir and -i or --demo cannot be used together; give one of them") &&
               require(!args->output || strcmp(args->output, "-") != 0,
                       "-ImgDir needs a folder after -o; standard output takes one picture") &&
               require(!(args->force && args->skip_existing),
                       "--force and --skip-existing cannot be used together; give one of them") &&
               require(!args->component_steps, "--component-steps needs several -i that make one picture") &&
               require(args->out_format != NULL, "-ImgDir needs -OutFor J2K, J2C, JPC, JHC, JP2 or JPH");
    }
    return wvl_cli_check_reading(args) &&
           require(
               one_picture,
               "no picture: use -i FILE -o FILE, or -ImgDir DIR -OutFor JP2, or --demo -o FILE (wavelane --help)") &&
           require(!(args->input_count && args->demo), "--demo and -i cannot be used together; give one of them") &&
           require(!args->out_format || is_plan_only,
                   "-OutFor needs -ImgDir; with -i the name after -o says the format") &&
           require(!args->pictures, "--pictures needs -ImgDir") &&
           require(!args->recursive, "--recursive needs -ImgDir") &&
           require(!args->skip_existing, "--skip-existing needs -ImgDir") &&
           require(args->output || args->dry_run || args->explain,
                   "no output: add -o FILE, or --dry-run to encode nothing") &&
           require(!args->component_steps || args->input_count > 1,
                   "--component-steps needs several -i that make one picture");
}

static int allocate_lists(wvl_cli_args *args, size_t count)
{
    memset(args, 0, sizeof *args);
    args->io.inspect = wvl_cli_inspect_codestream;
    args->subsampling[0] = args->subsampling[1] = 1;
    args->inputs = calloc(count, sizeof *args->inputs);
    args->settings = calloc(count, sizeof *args->settings);
    args->boxes = calloc(count, sizeof *args->boxes);
    args->storage = calloc(count, 4);
    return args->inputs && args->settings && args->boxes && args->storage;
}

int wvl_cli_init_args(int argc, wvl_cli_args *args)
{
    if (!allocate_lists(args, (size_t)(argc > 0 ? argc : 1))) {
        return wvl_cli_fail(WVL_EXIT_DEVICE, "out of memory");
    }
    return WVL_EXIT_OK;
}

int wvl_cli_parse_option(int argc, char **argv, int *index, wvl_cli_args *args)
{
    parser p = {argc, *index, argv, args};
    int code = parse_one(&p);
    *index = p.index;
    return code;
}

int wvl_cli_parse_args(int argc, char **argv, wvl_cli_args *args)
{
    parser p = {argc, 1, argv, args};
    if (wvl_cli_init_args(argc, args)) {
        return WVL_EXIT_DEVICE;
    }
    for (; p.index < argc; p.index++) {
        int code = parse_one(&p);
        if (code) {
            return code;
        }
    }
    if (args->help || args->version) {
        return WVL_EXIT_OK;
    }
    return check_together(args) ? WVL_EXIT_OK : WVL_EXIT_USAGE;
}

void wvl_cli_release_args(wvl_cli_args *args)
{
    free(args->inputs);
    free(args->settings);
    free(args->boxes);
    free(args->storage);
    free(args->component_steps);
    free(args->channels);
    memset(args, 0, sizeof *args);
    args->io.inspect = wvl_cli_inspect_codestream;
}
