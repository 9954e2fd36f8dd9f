/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of wavelane sequence: its own options, and those of encode. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "args.h"
#include "sequence.h"
#include "verify_options.h"

#define MOST_SECONDS 1000000u

typedef enum own_option {
    OWN_FRAMES,
    OWN_SHARD,
    OWN_ON_ERROR,
    OWN_TIMEOUT,
    OWN_SIZES_ONLY,
    OWN_JOURNAL,
    OWN_REPORT,
    OWN_LOG,
    OWN_PROGRESS,
    OWN_FPS,
    OWN_BITS_PER_SECOND,
    OWN_BUCKET_BITS,
    OWN_BUCKET_BITS_PER_SECOND,
    OWN_LAG,
    OWN_STATISTICS,
    OWN_NONE
} own_option;

static const struct {
    const char *name;
    int takes_value;
} own_options[OWN_NONE] = {
    [OWN_FRAMES] = {"frames", 1},
    [OWN_SHARD] = {"shard", 1},
    [OWN_ON_ERROR] = {"on-error", 1},
    [OWN_TIMEOUT] = {"timeout", 1},
    [OWN_SIZES_ONLY] = {"sizes-only", 0},
    [OWN_JOURNAL] = {"journal", 1},
    [OWN_REPORT] = {"report", 1},
    [OWN_LOG] = {"log", 0},
    [OWN_PROGRESS] = {"progress", 1},
    [OWN_FPS] = {"fps", 1},
    [OWN_BITS_PER_SECOND] = {"bits-per-second", 1},
    [OWN_BUCKET_BITS] = {"bucket-bits", 1},
    [OWN_BUCKET_BITS_PER_SECOND] = {"bucket-bits-per-second", 1},
    [OWN_LAG] = {"lag", 1},
    [OWN_STATISTICS] = {"statistics", 1},
};

/* ---- Values ---------------------------------------------------------------------------------- */

static int take_bits(wvl_cli_sequence_options *o, const char *spelling, const char *value, uint64_t *to)
{
    o->rate_given = 1;
    return wvl_cli_parse_number(value, 1, WVL_SEQUENCE_MOST_BITS, to)
               ? WVL_EXIT_OK
               : wvl_cli_refuse_value(spelling, value, "a whole number of bits from 1 to 2^40");
}

static int take_fps(wvl_cli_sequence_options *o, const char *spelling, const char *value)
{
    wvl_check_options rate = {.struct_size = sizeof rate};
    int code = wvl_cli_parse_rate(value, &rate);
    o->fps_given = 1;
    o->rate.frames = rate.frames;
    o->rate.seconds = rate.seconds;
    if (!code && (rate.frames > WVL_SEQUENCE_MOST_RATE || rate.seconds > WVL_SEQUENCE_MOST_RATE)) {
        return wvl_cli_refuse_value(spelling, value, "a frame rate of whole numbers up to 1048576");
    }
    return code;
}

static int take_lag(wvl_cli_sequence_options *o, const char *spelling, const char *value)
{
    uint64_t lag;
    if (!wvl_cli_parse_number(value, 1, WVL_SEQUENCE_MOST_LAG, &lag)) {
        return wvl_cli_refuse_value(spelling, value, "a whole number of frames from 1 to 4096");
    }
    o->rate.lag = (uint32_t)lag;
    o->lag_given = 1;
    return WVL_EXIT_OK;
}

static int take_timeout(wvl_cli_sequence_options *o, const char *spelling, const char *value)
{
    uint64_t seconds;
    if (!wvl_cli_parse_number(value, 0, MOST_SECONDS, &seconds)) {
        return wvl_cli_refuse_value(spelling, value, "a whole number of seconds from 0 to 1000000");
    }
    o->timeout_s = (uint32_t)seconds;
    o->timeout_given = 1;
    return WVL_EXIT_OK;
}

static int take_frames(wvl_cli_sequence_options *o, const char *spelling, const char *value)
{
    o->has_range = wvl_sequence_parse_range(value, &o->range);
    return o->has_range ? WVL_EXIT_OK
                        : wvl_cli_refuse_value(spelling, value, "FIRST-LAST or FIRST-LASTxSTEP, such as 1-240x2");
}

static int take_shard(wvl_cli_sequence_options *o, const char *spelling, const char *value)
{
    return wvl_sequence_parse_shard(value, &o->shard, &o->shard_count)
               ? WVL_EXIT_OK
               : wvl_cli_refuse_value(spelling, value, "I/N with I from 1 to N, such as 3/8");
}

static int take_rate(wvl_cli_sequence_options *o, own_option option, const char *spelling, const char *value)
{
    switch (option) {
    case OWN_FPS: return take_fps(o, spelling, value);
    case OWN_BITS_PER_SECOND: return take_bits(o, spelling, value, &o->rate.bits_per_second);
    case OWN_BUCKET_BITS: return take_bits(o, spelling, value, &o->rate.bucket_bits);
    case OWN_BUCKET_BITS_PER_SECOND: return take_bits(o, spelling, value, &o->rate.bucket_bits_per_second);
    default: return take_lag(o, spelling, value);
    }
}

static int take_own(wvl_cli_sequence_options *o, own_option option, const char *spelling, const char *value)
{
    static const char *const on_errors[] = {"stop", "skip", "black"};
    static const char *const shows[] = {"auto", "plain", "off"};
    switch (option) {
    case OWN_FRAMES: return take_frames(o, spelling, value);
    case OWN_SHARD: return take_shard(o, spelling, value);
    case OWN_ON_ERROR: return wvl_cli_take_word(spelling, value, on_errors, 3, &o->on_error);
    case OWN_TIMEOUT: return take_timeout(o, spelling, value);
    case OWN_SIZES_ONLY: o->sizes_only = 1; return WVL_EXIT_OK;
    case OWN_JOURNAL: o->journal = value; return WVL_EXIT_OK;
    case OWN_REPORT: o->report = value; return WVL_EXIT_OK;
    case OWN_LOG: o->log = 1; return WVL_EXIT_OK;
    case OWN_PROGRESS: return wvl_cli_take_word(spelling, value, shows, 3, &o->progress);
    case OWN_STATISTICS: o->statistics = value; return WVL_EXIT_OK;
    default: return take_rate(o, option, spelling, value);
    }
}

/* ---- Words ----------------------------------------------------------------------------------- */

static own_option find_own(const char *word, size_t length)
{
    size_t i = 0;
    while (i < OWN_NONE && (strlen(own_options[i].name) != length || memcmp(own_options[i].name, word, length) != 0)) {
        i++;
    }
    return (own_option)i;
}

/* An option of this command: its exit code, or -1: it is none. */
static int parse_own(wvl_cli_sequence_options *o, int argc, char **argv, int *i)
{
    char spelling[64];
    const char *word = argv[*i], *name = word + 1 + (word[1] == '-');
    size_t length = strcspn(name, "=");
    own_option option = find_own(name, length);
    const char *value = name[length] ? name + length + 1 : NULL;
    if (option == OWN_NONE) {
        return -1;
    }
    snprintf(spelling, sizeof spelling, "%.*s", (int)(name + length - word), word);
    if (!own_options[option].takes_value && value) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "%s takes no value; leave out what follows the =", spelling);
    }
    if (own_options[option].takes_value && !value && *i + 1 < argc) {
        value = argv[++*i];
    }
    if (own_options[option].takes_value && !value) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "%s: a value is missing at the end of the command; give one", spelling);
    }
    int code = own_options[option].takes_value ? wvl_cli_refuse_empty(spelling, value) : WVL_EXIT_OK;
    return code ? code : take_own(o, option, spelling, value);
}

/* Options of encode that change no byte: the journal does not know them. */
static int changes_bytes(const char *name)
{
    static const char *const others[] = {"threads", "pictures", "force",      "skip-existing",  "quiet",
                                         "verbose", "dry-run",  "max-pixels", "max-input-bytes"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (!strcmp(name, others[i])) {
            return 0;
        }
    }
    return 1;
}

/* Adds "option WORDS" to what the journal gets. */
static int note_option(wvl_cli_sequence_options *o, char **words, int count)
{
    size_t old = o->given ? strlen(o->given) : 0, bytes = old + 32;
    const char *name = words[0] + strspn(words[0], "-");
    if (!changes_bytes(name)) {
        return WVL_EXIT_OK;
    }
    for (int i = 0; i < count; i++) {
        bytes += strlen(words[i]) + 1;
    }
    char *larger = realloc(o->given, bytes);
    if (!larger) {
        return wvl_cli_fail(WVL_EXIT_DEVICE, "out of memory");
    }
    o->given = larger;
    old += (size_t)snprintf(larger + old, bytes - old, "option %s", name);
    for (int i = 1; i < count; i++) {
        old += (size_t)snprintf(larger + old, bytes - old, " %s", words[i]);
    }
    snprintf(larger + old, bytes - old, "\n");
    return WVL_EXIT_OK;
}

/* An option of encode. The parser cuts "--name=value" in two, which then stand behind each other. */
static int parse_encode(wvl_cli_sequence_options *o, int argc, char **argv, int *i)
{
    wvl_cli_args *args = &o->args;
    size_t settings = args->setting_count;
    const char *preset = args->preset;
    char *word = argv[*i], *equals = strchr(word, '='), *pair[2] = {word, equals ? equals + 1 : NULL};
    int first = *i, code = wvl_cli_parse_option(argc, argv, i, args);
    if (code || args->setting_count != settings || args->preset != preset) {
        return code;
    }
    return equals ? note_option(o, pair, 2) : note_option(o, argv + first, *i - first + 1);
}

static int parse_word(wvl_cli_sequence_options *o, int argc, char **argv, int *i)
{
    const char *word = argv[*i];
    if (word[0] == '-' && word[1]) {
        int code = parse_own(o, argc, argv, i);
        return code >= 0 ? code : parse_encode(o, argc, argv, i);
    }
    if (o->word_count == 2) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "sequence: \"%s\" is unexpected; the form is: " WVL_CLI_SEQUENCE_USAGE,
                            word);
    }
    o->words[o->word_count++] = word;
    return WVL_EXIT_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int refuse_option(const char *option, const char *why)
{
    return wvl_cli_fail(WVL_EXIT_USAGE, "sequence: %s %s", option, why);
}

static int check_encode_options(const wvl_cli_args *a)
{
    if (a->input_count || a->output || a->image_dir || a->demo || a->component_steps) {
        return refuse_option("-i, -o, -ImgDir, --demo and --component-steps",
                             "are not options of sequence; the form is: " WVL_CLI_SEQUENCE_USAGE);
    }
    if (a->memory_bytes || a->spill_dir) {
        return refuse_option("--memory and --spill-dir", "are for single pictures; frames are held as a whole");
    }
    if (a->pages || a->io.page_given) {
        return refuse_option("--page and --pages", "are not options of sequence; use --frames");
    }
    if (a->explain || a->json || a->trace || a->psnr_report) {
        return refuse_option("--explain, --json, --psnr-report and --trace",
                             "are for single pictures; --report FILE writes a line for each frame");
    }
    if (a->out_format && wvl_cli_container_of_extension(a->out_format) < 0) {
        return refuse_option("-OutFor", "takes J2K, J2C, JPC, JHC, JP2 or JPH, without a dot");
    }
    if (a->force && a->skip_existing) {
        return refuse_option("--force and --skip-existing", "cannot be used together; give one of them");
    }
    return a->quiet && a->verbose ? refuse_option("--quiet and --verbose", "cannot be used together; give one of them")
                                  : WVL_EXIT_OK;
}

/* Options of this command that would have no effect. */
static int check_own_options(const wvl_cli_sequence_options *o)
{
    if (!strcmp(o->words[1], "-") && (o->journal || o->sizes_only)) {
        return refuse_option("--journal and --sizes-only", "need files as OUT; standard output has no journal");
    }
    if (o->args.dry_run && (o->report || o->log)) {
        return refuse_option("--report and --log", "need an encoding; --dry-run makes none");
    }
    if (o->log && o->report && !strcmp(o->report, "-")) {
        return refuse_option("--log and --report -", "would share standard output; give --report the name of a file");
    }
    if (o->args.quiet && o->progress == WVL_CLI_SHOW_PLAIN) {
        return refuse_option("--quiet and --progress plain", "cannot be used together; give one of them");
    }
    if (!o->rate_given && (o->lag_given || o->fps_given)) {
        return refuse_option(o->lag_given ? "--lag" : "--fps", "needs --bits-per-second or --bucket-bits");
    }
    return WVL_EXIT_OK;
}

static int check_rate_options(const wvl_cli_sequence_options *o)
{
    static const char *const reasons[] = {
        [WVL_SEQUENCE_RATE_RANGE] = "a number is outside its range",
        [WVL_SEQUENCE_RATE_NO_FLOW] = "--bucket-bits needs --bits-per-second or --bucket-bits-per-second",
        [WVL_SEQUENCE_RATE_NO_ROOM] = "the bucket must hold more than flows out in the time of one frame; raise "
                                      "--bucket-bits",
        [WVL_SEQUENCE_RATE_NO_LIMIT] = "rate control needs --bits-per-second or --bucket-bits",
        [WVL_SEQUENCE_RATE_TOO_SMALL] = "this is less than one byte a frame; raise the bits a second",
    };
    wvl_sequence_rate_status status = o->rate_given ? wvl_sequence_check_rate(&o->rate) : WVL_SEQUENCE_RATE_OK;
    if (status && status < WVL_SEQUENCE_RATE_MEMORY) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "sequence: %s", reasons[status]);
    }
    if (o->statistics && !o->rate_given) {
        return refuse_option("--statistics", "needs --bits-per-second or --bucket-bits");
    }
    if (o->rate_given && o->shard_count && !o->statistics) {
        return refuse_option("--shard",
                             "with rate control needs --statistics, the journal of a first pass, for a frame's limit "
                             "follows from the frames before it");
    }
    if (o->rate_given && o->args.skip_existing) {
        return refuse_option("--skip-existing",
                             "and rate control cannot be used together; a second start resumes by the journal");
    }
    return WVL_EXIT_OK;
}

int wvl_cli_parse_sequence(int argc, char **argv, wvl_cli_sequence_options *o)
{
    memset(o, 0, sizeof *o);
    o->rate.frames = 24;
    o->rate.seconds = 1;
    o->rate.lag = WVL_SEQUENCE_USUAL_LAG;
    int code = wvl_cli_init_args(argc, &o->args);
    o->args.command = "sequence";
    for (int i = 1; !code && i < argc; i++) {
        code = parse_word(o, argc, argv, &i);
    }
    if (!code && o->word_count < 2) {
        code = wvl_cli_fail(WVL_EXIT_USAGE, "sequence: %s is missing; the form is: " WVL_CLI_SEQUENCE_USAGE,
                            o->word_count ? "OUT" : "IN");
    }
    TRY(code, check_encode_options(&o->args));
    TRY(code, check_own_options(o));
    return code ? code : check_rate_options(o);
}

void wvl_cli_release_sequence_options(wvl_cli_sequence_options *o)
{
    wvl_cli_release_args(&o->args);
    free(o->given);
}
