/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of wavelane sequence: its own options, and those of encode. */
#include <stdlib.h>

#include "args.h"
#include "sequence.h"

#define MOST_SECONDS 1000000u

/* ---- Values ---------------------------------------------------------------------------------- */

static int take_fps(void *to, const char *spelling, const char *value)
{
    wvl_cli_sequence_options *o = to;
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

static int take_frames(void *to, const char *spelling, const char *value)
{
    wvl_cli_sequence_options *o = to;
    o->has_range = wvl_sequence_parse_range(value, &o->range);
    return o->has_range ? WVL_EXIT_OK
                        : wvl_cli_refuse_value(spelling, value, "FIRST-LAST or FIRST-LASTxSTEP, such as 1-240x2");
}

static int take_shard(void *to, const char *spelling, const char *value)
{
    wvl_cli_sequence_options *o = to;
    return wvl_sequence_parse_shard(value, &o->shard, &o->shard_count)
               ? WVL_EXIT_OK
               : wvl_cli_refuse_value(spelling, value, "I/N with I from 1 to N, such as 3/8");
}

#define CALL(function) WVL_CLI_TAKE(function)
#define MEMBER(kind, member) WVL_CLI_MEMBER(kind, wvl_cli_sequence_options, member)
#define BETWEEN(member, low, high) WVL_CLI_BETWEEN(wvl_cli_sequence_options, member, low, high)
#define BITS(member) BETWEEN(rate.member, 1, WVL_SEQUENCE_MOST_BITS)

const wvl_cli_option wvl_cli_sequence_own[] = {
    {"frames", 0, "FIRST-LAST[xSTEP]", CALL(take_frames),
     "Numbers of the frames; needed where IN is a name with %d or %06d. Frames of a folder, list, file or stream count "
     "from 0.",
     NULL},
    {"shard", 0, "I/N", CALL(take_shard),
     "Divide the frames into N parts, and encode part I, from 1 to N. Needs a file for each frame.", NULL},
    {"on-error", 0, "stop|skip|black", MEMBER(WORD, on_error),
     "A frame that cannot be read or encoded ends the run (stop, the default), is left out (skip), or becomes a black "
     "frame of the same format as the frame beside it (black).",
     NULL},
    {"timeout", 0, "SECONDS", BETWEEN(timeout_given, 0, MOST_SECONDS),
     "Longest wait for a frame from a pipe or device; 0: no limit. Default: 300, and no limit for standard input.",
     NULL},
    {"sizes-only", 0, NULL, MEMBER(FLAG, sizes_only),
     "When a run resumes, compare the sizes of frames with the journal, not their checksums.", NULL},
    {"durable", 0, NULL, MEMBER(FLAG, durable),
     "Sync every frame to the disk when it is written, and note it in the journal at once. Otherwise a crash of the "
     "machine may cost the last 128 frames, which are then encoded again.",
     NULL},
    {"journal", 0, "FILE", MEMBER(TEXT, journal), "Name of the journal; by default beside OUT.", NULL},
    {"report", 0, "FILE", MEMBER(TEXT, report),
     "Write one JSON object on a line for each frame, and one for all; - is standard output.", NULL},
    {"log", 0, NULL, MEMBER(FLAG, log), "Print one line for each frame.", NULL},
    {"progress", 0, "auto|plain|off", MEMBER(WORD, progress),
     "Progress on standard error: on a terminal (auto, the default), a line every 10 seconds (plain), or none (off).",
     NULL},
    {"fps", 0, "N[/D]", CALL(take_fps), "Frame rate for rate control; by default that of YUV4MPEG2, else 24.", NULL},
    {"bits-per-second", 0, "N", BITS(bits_per_second),
     "Largest number of bits a second, on average from the first frame to any later one; never exceeded. Bits that "
     "easy frames do not use are left for later ones.",
     NULL},
    {"bucket-bits", 0, "N", BITS(bucket_bits),
     "Size of a leaky bucket: each frame must fit into its free room. The bits of a frame fill it, and "
     "--bucket-bits-per-second leave it each second.",
     NULL},
    {"bucket-bits-per-second", 0, "N", BITS(bucket_bits_per_second),
     "Bits that leave the bucket each second; by default --bits-per-second.", NULL},
    {"lag", 0, "FRAMES", BETWEEN(rate.lag, 1, WVL_SEQUENCE_MOST_LAG),
     "Delay of rate control: the limit of frame n depends on the bytes of the frames up to n minus this number; by "
     "default 64. At most this many frames are encoded at a time.",
     NULL},
    {"statistics", 0, "JOURNAL", MEMBER(TEXT, statistics),
     "Second pass: JOURNAL is that of a first pass. Frames that took more bytes there are given more bits.", NULL},
    {.name = NULL},
};

/* ---- Words ----------------------------------------------------------------------------------- */

/* Options of encode that change no byte: the journal does not know them. */
#define OTHERS "threads pictures force skip-existing quiet verbose dry-run max-pixels max-input-bytes"

/* Adds "option WORDS" to what the journal gets. */
static int note_option(wvl_cli_sequence_options *o, char **words, int count)
{
    size_t old = o->given ? strlen(o->given) : 0, bytes = old + 32;
    const char *name = words[0] + strspn(words[0], "-");
    if (wvl_cli_is_among(name, OTHERS)) {
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
        int code = wvl_cli_parse_own(wvl_cli_sequence_own, o, argc, argv, i);
        return code >= 0 ? code : parse_encode(o, argc, argv, i);
    }
    if (o->word_count == 2) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "sequence: \"%s\" is unexpected; usage: " WVL_CLI_SEQUENCE_USAGE, word);
    }
    o->words[o->word_count++] = word;
    return WVL_EXIT_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int check_encode_options(const wvl_cli_args *a)
{
    const wvl_cli_condition conditions[] = {
        {a->input_count || a->output || a->image_dir || a->demo || a->component_steps,
         "sequence: -i, -o, -ImgDir, --demo and --component-steps are not options of sequence; "
         "usage: " WVL_CLI_SEQUENCE_USAGE},
        {a->memory_bytes || a->spill_dir,
         "sequence: --memory and --spill-dir are for single pictures; a frame is held in memory as a whole"},
        {a->pages || a->io.page_given, "sequence: --page and --pages are not options of sequence; use --frames"},
        {a->explain || a->json || a->trace || a->psnr_report,
         "sequence: --explain, --json, --psnr-report and --trace are for single pictures; --report FILE writes a line "
         "for each frame"},
        {a->out_format && wvl_cli_container_of_extension(a->out_format) < 0,
         "sequence: -OutFor takes J2K, J2C, JPC, JHC, JP2 or JPH, without a dot"},
        {a->force && a->skip_existing,
         "sequence: --force and --skip-existing cannot be used together; give one of them"},
        {a->quiet && a->verbose, "sequence: --quiet and --verbose cannot be used together; give one of them"},
    };
    return WVL_CLI_CHECK(conditions);
}

/* Options of this command that would have no effect. */
static int check_own_options(const wvl_cli_sequence_options *o)
{
    const wvl_cli_condition conditions[] = {
        {!strcmp(o->words[1], "-") && (o->journal || o->sizes_only),
         "sequence: --journal and --sizes-only need files as OUT; standard output has no journal"},
        {o->args.dry_run && (o->report || o->log),
         "sequence: --report and --log report encoded frames; --dry-run encodes none"},
        {o->log && o->report && !strcmp(o->report, "-"),
         "sequence: --log and --report - would share standard output; give --report the name of a file"},
        {o->args.quiet && o->progress == WVL_CLI_SHOW_PLAIN,
         "sequence: --quiet and --progress plain cannot be used together; give one of them"},
        {!wvl_cli_has_rate(o) && o->rate.lag, "sequence: --lag needs --bits-per-second or --bucket-bits"},
        {!wvl_cli_has_rate(o) && o->fps_given, "sequence: --fps needs --bits-per-second or --bucket-bits"},
    };
    return WVL_CLI_CHECK(conditions);
}

static int check_rate_options(const wvl_cli_sequence_options *o)
{
    static const char *const reasons[] = {
        [WVL_SEQUENCE_RATE_RANGE] = "a number is outside its range",
        [WVL_SEQUENCE_RATE_NO_FLOW] = "--bucket-bits needs --bits-per-second or --bucket-bits-per-second",
        [WVL_SEQUENCE_RATE_NO_ROOM] =
            "the bucket must hold more than what leaves it during one frame; raise --bucket-bits",
        [WVL_SEQUENCE_RATE_NO_LIMIT] = "rate control needs --bits-per-second or --bucket-bits",
        [WVL_SEQUENCE_RATE_TOO_SMALL] = "the rate is less than one byte a frame; raise the bits a second",
    };
    int has_rate = wvl_cli_has_rate(o);
    wvl_sequence_rate_status status = has_rate ? wvl_sequence_check_rate(&o->rate) : WVL_SEQUENCE_RATE_OK;
    if (status && status < WVL_SEQUENCE_RATE_MEMORY) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "sequence: %s", reasons[status]);
    }
    const wvl_cli_condition conditions[] = {
        {o->statistics && !has_rate, "sequence: --statistics needs --bits-per-second or --bucket-bits"},
        {has_rate && o->shard_count && !o->statistics,
         "sequence: --shard with rate control needs --statistics, the journal of a first pass, because the limit of a "
         "frame depends on the frames before it"},
        {has_rate && o->args.skip_existing, "sequence: --skip-existing and rate control cannot be used together; the "
                                            "same command again resumes from the journal"},
    };
    return WVL_CLI_CHECK(conditions);
}

int wvl_cli_parse_sequence(int argc, char **argv, wvl_cli_sequence_options *o)
{
    memset(o, 0, sizeof *o);
    o->rate.frames = 24;
    o->rate.seconds = 1;
    o->timeout_given = WVL_CLI_NOT_GIVEN;
    int code = wvl_cli_init_args(argc, &o->args);
    o->args.command = "sequence";
    for (int i = 1; !code && i < argc; i++) {
        code = parse_word(o, argc, argv, &i);
    }
    if (!code && o->word_count < 2) {
        code = wvl_cli_fail(WVL_EXIT_USAGE, "sequence: %s is missing; usage: " WVL_CLI_SEQUENCE_USAGE,
                            o->word_count ? "OUT" : "IN");
    }
    TRY(code, check_encode_options(&o->args));
    TRY(code, check_own_options(o));
    o->rate.lag = o->rate.lag ? o->rate.lag : WVL_SEQUENCE_USUAL_LAG;
    return code ? code : check_rate_options(o);
}

void wvl_cli_release_sequence_options(wvl_cli_sequence_options *o)
{
    wvl_cli_release_args(&o->args);
    free(o->given);
}
