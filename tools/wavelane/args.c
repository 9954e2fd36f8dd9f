/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line. Names match whole, with one dash or two, before letters are tried, so that -TLM and -TP are no -T
 * and -t. A letter may carry its argument (-r20) as with opj_compress. Names are not abbreviated: an abbreviation that
 * works today may be ambiguous tomorrow.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

#include "args.h"

/* ---- The name that somebody may have meant --------------------------------------------------- */

#define NAME_CHARS 32u

static unsigned distance(const char *a, const char *b)
{
    unsigned row[NAME_CHARS + 1];
    size_t m = strlen(a), n = strlen(b);
    if (m > NAME_CHARS || n > NAME_CHARS) {
        return 2 * NAME_CHARS;
    }
    for (unsigned j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (unsigned i = 1; i <= m; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= n; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = best < diagonal + 1 ? best : diagonal + 1;
            row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
        }
    }
    return row[n];
}

/* The nearest so far. */
typedef struct nearest {
    const char *wanted, *best;
    unsigned least;
} nearest;

static void try_name(nearest *n, const char *name)
{
    unsigned d = distance(n->wanted, name);
    if (d < n->least) {
        n->least = d;
        n->best = name;
    }
}

static const char *nearest_option(const char *name, const char *command)
{
    size_t count;
    nearest n = {name, "help", UINT32_MAX};
    if (command) {
        /* A command may take options of its own. */
        const wvl_cli_command *commands = wvl_cli_commands(&count);
        for (size_t i = 0; i < count; i++) {
            for (const wvl_cli_option *o = commands[i].options; o && o->doc && !strcmp(commands[i].name, command);
                 o++) {
                try_name(&n, o->name);
            }
        }
    }
    if (command && !strcmp(command, "verify")) {
        return n.best; /* it takes no others */
    }
    const wvl_cli_option *options = wvl_cli_options(&count);
    for (size_t i = 0; i < count; i++) {
        if (options[i].name && options[i].how.effect != WVL_CLI_NEVER) {
            try_name(&n, options[i].name);
        }
    }
    return n.best;
}

typedef struct parser {
    int argc, index;
    char **argv;
    wvl_cli_args *args;
} parser;

static int is_named(const char *known, const char *name, size_t length)
{
    return known && strlen(known) == length && !memcmp(known, name, length);
}

static const wvl_cli_option *match_name(const char *name, size_t length)
{
    size_t count;
    const wvl_cli_option *options = wvl_cli_options(&count);
    for (size_t i = 0; i < count; i++) {
        if (is_named(options[i].name, name, length)) {
            return &options[i];
        }
    }
    return NULL;
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
    return match_name(name, strcspn(name, "=")) || (!name[1] && name == text + 1 && match_letter(name[0]));
}

/* ---- Values ---------------------------------------------------------------------------------- */

const char *wvl_cli_scan_number(const char *p, uint64_t minimum, uint64_t maximum, uint64_t *value)
{
    char *end;
    *value = strtoull(p, &end, 10);
    return *p >= '0' && *p <= '9' && *value >= minimum && *value <= maximum && *value < UINT64_MAX ? end : NULL;
}

int wvl_cli_parse_number(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *value)
{
    const char *end = wvl_cli_scan_number(text, minimum, maximum, value);
    return end && !*end;
}

/* An empty value is no default: a script may have lost a variable. */
static int refuse_empty(const char *spelling, const char *value)
{
    return value[0]
               ? WVL_EXIT_OK
               : wvl_cli_fail(WVL_EXIT_USAGE, "%s: its value is empty; give one, or leave the option out", spelling);
}

int wvl_cli_refuse_value(const char *spelling, const char *value, const char *expected)
{
    return wvl_cli_fail(WVL_EXIT_USAGE, "%s \"%s\": expected %s", spelling, value, expected);
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

int wvl_cli_take_word(const char *spelling, const char *value, const char *words, int *index)
{
    char expected[96] = "";
    const char *word = words;
    for (int i = 0; *word; i++) {
        size_t length = strcspn(word, "|"), used = strlen(expected);
        if (strlen(value) == length && !strncasecmp(value, word, length)) {
            *index = i;
            return WVL_EXIT_OK;
        }
        snprintf(expected + used, sizeof expected - used, "%s%.*s", used ? ", " : "", (int)length, word);
        word += length + (word[length] == '|');
    }
    return wvl_cli_refuse_value(spelling, value, expected);
}

static int take_number(const wvl_cli_option *option, void *member, const char *spelling, const char *value)
{
    char expected[64];
    uint64_t number;
    if (!wvl_cli_parse_number(value, option->how.least, option->how.most, &number)) {
        snprintf(expected, sizeof expected, "a whole number from %" PRIu64 " to %" PRIu64, option->how.least,
                 option->how.most);
        return wvl_cli_refuse_value(spelling, value, expected);
    }
    uint32_t narrow = (uint32_t)number;
    memcpy(member, option->how.bytes == sizeof narrow ? (void *)&narrow : &number, option->how.bytes);
    return WVL_EXIT_OK;
}

/* -cinema2K and its kin name a preset; what they take is read when it is applied. */
static int take_profile(wvl_cli_args *args, const wvl_cli_option *option, const char *spelling, const char *value)
{
    args->preset_words = value;
    args->preset_spelling = spelling;
    return take_once(spelling, option->how.fixed ? option->how.fixed : value, &args->preset);
}

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
        return wvl_cli_fail(WVL_EXIT_USAGE, "\"%s\" is not a frame rate; write it like 24, 23.976 or 24000/1001", text);
    }
    options->frames = (uint32_t)frames;
    options->seconds = (uint32_t)seconds;
    return WVL_EXIT_OK;
}

/* ---- Settings of the library ----------------------------------------------------------------- */

int wvl_cli_is_among(const char *word, const char *words)
{
    size_t length = strlen(word);
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        if (n == length && !memcmp(at, word, n)) {
            return 1;
        }
        at += n;
    }
    return 0;
}

static int is_target(const char *key)
{
    int i = 0;
    while (i < WVL_CLI_TARGETS && strcmp(key, wvl_cli_target_keys[i]) != 0) {
        i++;
    }
    return i < WVL_CLI_TARGETS;
}

int wvl_cli_add_setting(wvl_cli_args *args, const char *spelling, const char *key, const char *value, int halved)
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

/* ---- One option ------------------------------------------------------------------------------ */

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
            wvl_cli_error("%s: the value is missing, and the option %s follows; give one", spelling, next);
        } else {
            wvl_cli_error("%s: the value is missing at the end of the command; give one", spelling);
        }
        return NULL;
    }
    p->index++;
    return next;
}

static int parse_option(parser *p, const wvl_cli_option *option, void *to, const char *spelling, const char *attached)
{
    const char *value = NULL;
    if (!option->argument && attached) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "%s takes no value; leave out what follows the =", spelling);
    }
    if (option->argument) {
        value = fetch_value(p, spelling, attached, wvl_cli_is_switch(option) ? "yes" : NULL);
        if (!value || refuse_empty(spelling, value)) {
            return WVL_EXIT_USAGE;
        }
    }
    /* value: NULL where it takes none. */
    void *member = (char *)to + option->how.at;
    switch (option->how.effect) {
    case WVL_CLI_SETTING:
        return wvl_cli_add_setting(to, spelling, option->how.key, option->how.fixed ? option->how.fixed : value, 0);
    case WVL_CLI_PRESET: return take_profile(to, option, spelling, value);
    case WVL_CLI_FLAG: *(int *)member = option->how.least ? (int)option->how.least : 1; return WVL_EXIT_OK;
    case WVL_CLI_TEXT: *(const char **)member = value; return WVL_EXIT_OK;
    case WVL_CLI_ONCE: return take_once(spelling, value, member);
    case WVL_CLI_WORD:
        if (wvl_cli_take_word(spelling, value, option->argument, member)) {
            return WVL_EXIT_USAGE;
        }
        *(int *)member += (int)option->how.least;
        return WVL_EXIT_OK;
    case WVL_CLI_NUMBER: return take_number(option, member, spelling, value);
    case WVL_CLI_CALL: return option->how.take(to, spelling, value);
    default: return wvl_cli_fail(WVL_EXIT_USAGE, "%s: %s", spelling, option->doc);
    }
}

static int refuse_option(const parser *p, const char *spelling)
{
    const char *name = spelling + 1 + (spelling[1] == '-'), *command = p->args->command;
    return wvl_cli_fail(WVL_EXIT_USAGE, "unknown option %s; the nearest is --%s (wavelane %s%s--help lists all)",
                        spelling, nearest_option(name, command), command ? command : "", command ? " " : "");
}

/* Letters: one with its argument, or several that take none. */
static int parse_letters(parser *p, const char *spelling)
{
    const char *letters = spelling + 1;
    const wvl_cli_option *first = match_letter(letters[0]);
    if (first && first->argument) {
        return parse_option(p, first, p->args, spelling, letters[1] ? letters + 1 : NULL);
    }
    for (const char *c = letters; *c; c++) {
        const wvl_cli_option *option = match_letter(*c);
        if (!option || option->argument) {
            return refuse_option(p, spelling);
        }
    }
    int code = WVL_EXIT_OK;
    for (const char *c = letters; *c; c++) {
        TRY(code, parse_option(p, match_letter(*c), p->args, spelling, NULL));
    }
    return code;
}

/* Cuts off what stands behind the = at text, if there is one. It is cut off: the spelling in messages ends before it.
 */
static const char *cut_value(char *text)
{
    int has_value = *text == '=';
    *text = '\0'; /* argv is ours */
    return has_value ? text + 1 : NULL;
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
    const wvl_cli_option *option = match_name(text + dashes, length);
    if (!option) {
        return dashes == 1 ? parse_letters(p, text) : refuse_option(p, text);
    }
    return parse_option(p, option, p->args, text, cut_value(text + dashes + length));
}

int wvl_cli_parse_own(const wvl_cli_option *own, void *to, int argc, char **argv, int *index)
{
    parser p = {argc, *index, argv, NULL};
    char *word = argv[*index], *name = word + strspn(word, "-");
    size_t length = strcspn(name, "=");
    int is_letter = name == word + 1 && length == 1;
    while (own->doc && !is_named(own->name, name, length) && !(is_letter && own->letter == name[0])) {
        own++;
    }
    if (name == word || !own->doc || (own->how.effect == WVL_CLI_CALL && !own->how.take)) {
        return -1;
    }
    int code = parse_option(&p, own, to, word, cut_value(name + length));
    *index = p.index;
    return code;
}

/* ---- Whole line ------------------------------------------------------------------------------ */

int wvl_cli_check_conditions(const wvl_cli_condition *conditions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (conditions[i].is_broken) {
            return wvl_cli_fail(WVL_EXIT_USAGE, "%s", conditions[i].message);
        }
    }
    return WVL_EXIT_OK;
}

int wvl_cli_check_reading(const wvl_cli_args *args)
{
    struct stat st;
    const char *input = args->input_count ? args->inputs[0] : "-";
    int is_one = !args->image_dir && !args->demo && args->input_count == 1 && strcmp(input, "-") != 0;
    int is_file = is_one && (stat(input, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
    const wvl_cli_condition conditions[] = {
        {args->drop_alpha && args->channel_count,
         "--channels and --drop-alpha cannot be used together; leave the alpha channel out of --channels"},
        {args->exr_compression && !(args->output && wvl_cli_is_exr(args->output)),
         "--exr-compression needs the name of an .exr file behind -o"},
        {args->float_range_spelled && !args->io.float_transfer, "--float-range needs --float-transfer"},
        {args->float_range_spelled && args->io.float_transfer == WVL_IO_FLOAT_KEPT,
         "--float-range goes with --float-transfer linear, log or pq: keep needs no range"},
        {args->io.float_transfer == WVL_IO_FLOAT_LOG && args->io.float_range_given && !(args->io.float_low > 0),
         "--float-range: LO must be above 0 with --float-transfer log"},
        {args->spill_dir && !args->memory_bytes,
         "--spill-dir needs --memory; without a limit nothing is kept in a file"},
        {args->memory_bytes && (args->image_dir || args->input_count != 1),
         "--memory needs a single -i; --demo, -ImgDir and several -i hold whole pictures in memory"},
        {args->memory_bytes && args->verify,
         "--memory and --verify cannot be used together; --verify compares with the whole picture"},
        {args->pages && args->io.page_given, "--page and --pages cannot be used together; give one of them"},
        {args->pages && !is_file, "--pages needs a single -i that is a file; each page is read separately"},
        {args->pages && args->output && !strcmp(args->output, "-"),
         "--pages needs a name after -o; standard output takes one picture"},
    };
    return WVL_CLI_CHECK(conditions);
}

static int check_folder(const wvl_cli_args *args)
{
    const wvl_cli_condition conditions[] = {
        {args->input_count || args->demo, "-ImgDir and -i or --demo cannot be used together; give one of them"},
        {args->output && !strcmp(args->output, "-"),
         "-ImgDir needs a folder after -o; standard output takes one picture"},
        {args->force && args->skip_existing, "--force and --skip-existing cannot be used together; give one of them"},
        {args->component_steps != NULL, "--component-steps needs several -i that make one picture"},
        {!args->out_format, "-ImgDir needs -OutFor J2K, J2C, JPC, JHC, JP2 or JPH"},
    };
    return WVL_CLI_CHECK(conditions);
}

static int check_picture(const wvl_cli_args *args)
{
    int is_plan_only = wvl_cli_is_plan_only(args);
    const wvl_cli_condition conditions[] = {
        {!args->input_count && !args->demo,
         "no picture: use -i FILE -o FILE, or -ImgDir DIR -OutFor JP2, or --demo -o FILE (wavelane --help)"},
        {args->input_count && args->demo, "--demo and -i cannot be used together; give one of them"},
        {args->out_format && !is_plan_only, "-OutFor needs -ImgDir; with -i the name after -o gives the format"},
        {args->pictures != 0, "--pictures needs -ImgDir"},
        {args->recursive, "--recursive needs -ImgDir"},
        {args->skip_existing, "--skip-existing needs -ImgDir"},
        {!args->output && !is_plan_only, "no output: add -o FILE, or --dry-run to encode nothing"},
        {args->component_steps && args->input_count < 2, "--component-steps needs several -i that make one picture"},
    };
    return WVL_CLI_CHECK(conditions);
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
    int is_plan_only = wvl_cli_is_plan_only(args);
    const wvl_cli_condition conditions[] = {
        {args->quiet && args->verbose, "--quiet and --verbose cannot be used together; give one of them"},
        {is_plan_only && args->verify,
         "--verify checks a finished encoding; leave out --dry-run and --explain, which make none"},
        {is_plan_only && args->psnr_report,
         "--psnr-report measures a finished encoding; leave out --dry-run and --explain, which make none"},
        {args->quiet && args->psnr_report, "--psnr-report and --quiet cannot be used together; give one of them"},
        {args->demo && args->io.format, "--input-format needs -i; --demo reads no file, leave --input-format out"},
    };
    int code = WVL_CLI_CHECK(conditions);
    TRY(code, wvl_cli_check_reading(args));
    TRY(code, args->image_dir ? check_folder(args) : check_picture(args));
    return code;
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
