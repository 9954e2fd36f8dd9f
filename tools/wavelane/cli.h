/* SPDX-License-Identifier: BSD-2-Clause */
/* The command: what its files share. */
#pragma once

#include <stdio.h>

#include "tools/imageio/picture_rows.h"
#include "tools/metadata/boxes.h"

/* Makes the call unless one before it failed; of exit codes and of wvl_status. */
#define TRY(code, call) ((code) = (code) ? (code) : (call))

/* Exit codes, as the manual page has them. */
enum {
    WVL_EXIT_OK = 0,
    WVL_EXIT_SOME_FAILED = 1,
    WVL_EXIT_USAGE = 2,
    WVL_EXIT_INPUT = 3,
    WVL_EXIT_OUTPUT = 4,
    WVL_EXIT_DEVICE = 5, /* the machine: memory, threads, GPU */
    WVL_EXIT_CHECK = 6,
    WVL_EXIT_REPORT = 7, /* the pictures are written, a report about them is not */
    WVL_EXIT_INTERRUPTED = 130
};

/* ---- The options of the command -------------------------------------------------------------- */

/* What an option does to the structure that its command fills. */
typedef enum wvl_cli_effect {
    WVL_CLI_SETTING, /* sets `key` of the library to `fixed`, or to the value where fixed is NULL */
    WVL_CLI_PRESET,  /* chooses the preset `fixed`, or the one that the value names */
    WVL_CLI_FLAG,    /* sets an int to `least`, or to 1 if that is 0 */
    WVL_CLI_TEXT,    /* keeps the value; of several the last one */
    WVL_CLI_ONCE,    /* keeps the value, and refuses another one */
    WVL_CLI_WORD,    /* keeps the index of the value among the words of `argument`, plus `least`, an int */
    WVL_CLI_NUMBER,  /* keeps a whole number from `least` to `most`, in 4 or 8 bytes */
    WVL_CLI_CALL,    /* calls take(); NULL: another reader takes the option, as that of encode */
    WVL_CLI_NEVER    /* is refused for good; doc says why */
} wvl_cli_effect;

typedef struct wvl_cli_option {
    const char *name;     /* after - or --; NULL: the letter alone */
    char letter;          /* 0: none */
    const char *argument; /* placeholder, or words with bars between them; NULL: takes none */
    struct {
        wvl_cli_effect effect;
        const char *key, *fixed;
        size_t at, bytes; /* offset and size of the member */
        uint64_t least, most;
        const wvl_option *library; /* whose key it sets, by that name; NULL: an option of the command alone */
        int (*take)(void *to, const char *spelling, const char *value); /* 0, or an exit code after a message */
    } how;
    const char *doc;
    const char *section; /* of the options of encode */
} wvl_cli_option;

#define WVL_CLI_HOW(kind, ...)                                                                                         \
    {                                                                                                                  \
        .effect = WVL_CLI_##kind, __VA_ARGS__                                                                          \
    }
#define WVL_CLI_MEMBER(kind, type, member) WVL_CLI_HOW(kind, .at = offsetof(type, member))
#define WVL_CLI_BETWEEN(type, member, low, high)                                                                       \
    WVL_CLI_HOW(NUMBER, .at = offsetof(type, member), .bytes = sizeof(((type *)NULL)->member), .least = (low),         \
                .most = (high))
#define WVL_CLI_TAKE(function) WVL_CLI_HOW(CALL, .take = function)

/* Those of the command, then those of the library, each of which is an option by its key. */
const wvl_cli_option *wvl_cli_options(size_t *count);
/* An option of yes and no, other words beside them or not: the name alone is yes. */
int wvl_cli_is_switch(const wvl_cli_option *option);
const char *wvl_cli_dashes(const char *name); /* "-" or "--", as the documents write the name */
/* "-o, --output FILE" and the like. */
void wvl_cli_format_option(char *text, size_t bytes, const wvl_cli_option *option);

/* ---- The commands ---------------------------------------------------------------------------- */

typedef struct wvl_cli_command {
    const char *name, *usage, *doc;
    const wvl_cli_option *options; /* NULL, or its own ones, which end with one without doc; encode has those of
                                      wvl_cli_options */
    int takes_file;
} wvl_cli_command;

/* Own options of commands. */
extern const wvl_cli_option wvl_cli_sequence_own[], wvl_cli_verify_own[], wvl_cli_info_own[];

const wvl_cli_command *wvl_cli_commands(size_t *count);

/* ---- The parsed command line ----------------------------------------------------------------- */

typedef struct wvl_cli_setting {
    const char *spelling; /* as the person wrote the option */
    const char *key;
    const char *value;
    int halved; /* -c: the last precinct halves for lower resolutions */
} wvl_cli_setting;

typedef struct wvl_cli_box {
    int is_uuid;
    uint8_t uuid[16];
    const char *path;
} wvl_cli_box;

/* Strings point into argv. */
/* What becomes of the picture's ICC profile. FIT leaves out what the file cannot carry, which KEEP refuses. */
typedef enum wvl_cli_icc { WVL_CLI_ICC_KEEP, WVL_CLI_ICC_FIT, WVL_CLI_ICC_DROP } wvl_cli_icc;

typedef struct wvl_cli_args {
    const char *command; /* that takes them, beside options of its own; NULL: encode */
    const char **inputs;
    size_t input_count;
    const char *output, *image_dir, *out_format, *trace;
    int demo, force, recursive, skip_existing;
    int raw_layout_given;
    wvl_io_options io;
    uint8_t *component_steps; /* XRsiz, YRsiz in turn; NULL: found out */
    size_t component_step_count;
    wvl_cli_setting *settings; /* in the order of the command line */
    size_t setting_count;
    const char *preset, *preset_spelling, *preset_words; /* words: what -cinema2K or -IMF was given */
    uint32_t subsampling[2], offset[2];
    uint32_t target_depth; /* 0: as it is */
    uint32_t coded_depth;  /* verify: depth of what the picture is compared with, which a picture of another depth is
                              scaled to; 0: none */
    wvl_color color;       /* AUTO: as the picture says */
    int auto_color;        /* --input-color auto */
    wvl_cli_box *boxes;
    size_t box_count;
    wvl_cli_icc icc;
    int no_xmp;
    const char *pages;  /* "all" or a list; NULL: one page */
    int page_of_many;   /* 1: messages name the page */
    uint32_t *channels; /* owned; NULL: all */
    uint32_t channel_count;
    int drop_alpha, ycc_to_rgb, float_range_spelled;
    unsigned dropped; /* WVL_KEEP_*: metadata that --strip and --keep leave out */
    int orient, gml;
    uint32_t threads;
    uint32_t pictures;     /* at a time; 0: as many as suit */
    uint64_t memory_bytes; /* --memory; 0: none */
    const char *spill_dir;
    int verify, psnr_report, dry_run, explain, json, quiet, verbose;
    int exr_compression; /* 1: htj2k256, 2: htj2k32; 0: not given */
    int help, version;
    char *storage; /* values made here: levels from -n */
    size_t storage_used;
} wvl_cli_args;

/* Nothing is encoded. */
static inline int wvl_cli_is_plan_only(const wvl_cli_args *args) { return args->dry_run || args->explain; }

/* pages.c: whether text is a list of pages. */
int wvl_cli_are_pages(const char *text);
/* "N", or "N.M" for SubIFD M of page N, into what the readers are asked for; 0: it is neither. */
int wvl_cli_parse_page(const char *text, wvl_io_options *io);
/* Pages of a file that are neither reduced pictures nor masks. 0, or an exit code after a message, also where there is
 * none; the caller frees the list. */
int wvl_cli_list_full_pages(const char *name, const wvl_io_options *io, wvl_io_page **pages, size_t *count);

/* argv[0] is not looked at. 0, or an exit code after a message. */
int wvl_cli_parse_args(int argc, char **argv, wvl_cli_args *args);
/* Room for the options of argc arguments; then one option and its value, from argv[*index] on, which ends at the last
 * argument taken. */
int wvl_cli_init_args(int argc, wvl_cli_args *args);
int wvl_cli_parse_option(int argc, char **argv, int *index, wvl_cli_args *args);
void wvl_cli_release_args(wvl_cli_args *args);
/* Whole text as a number of [minimum, maximum]: 1, else 0. */
int wvl_cli_parse_number(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *value);

/* Says whether a word is one of those of a list with blanks between them. */
int wvl_cli_is_among(const char *word, const char *words);
/* Does what sprintf does, into memory that the caller frees. NULL: no memory. */
char *wvl_cli_compose(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns what stands between a folder and a name in it: "/", or nothing where the folder ends so. */
const char *wvl_cli_slash_behind(const char *folder);
/* Words in lines of at most 100 columns, indented. */
void wvl_cli_print_wrapped(FILE *file, const char *text);
void wvl_cli_print_help(FILE *file);
/* Prints the help of one command: encode, info, verify, options or devices; "": all. */
void wvl_cli_print_help_of(FILE *file, const char *command);
int wvl_cli_is_command(const char *name);
void wvl_cli_print_options(FILE *file, int json);
void wvl_cli_print_version(FILE *file);
/* Standard output is complete: code, or where that is 0 and a write failed, another one after a message. */
int wvl_cli_flush_output(int code);

/* ---- Messages: standard error, one line each, "wavelane: " first ----------------------------- */

typedef struct wvl_cli_text {
    char *text;     /* owned */
    size_t repeats; /* how often it came again */
} wvl_cli_text;

typedef struct wvl_cli_texts {
    wvl_cli_text *texts;
    size_t count, capacity;
} wvl_cli_texts;

/* What a thread has said. Each thread has its own; those of a piece of work go with it from thread to thread
 * (turns.h). All zero: nothing was said, and messages are not held. */
typedef struct wvl_cli_messages {
    char *text; /* lines that wait until they are printed */
    size_t bytes, capacity;
    int holds, leaves_warnings;
    wvl_cli_texts noted; /* warnings of the picture at work, for its report */
    char last_error[1024];
} wvl_cli_messages;

/* This thread's own and those given change places. */
void wvl_cli_swap_messages(wvl_cli_messages *messages);
/* They are forgotten, and all zero again. */
void wvl_cli_clear_messages(wvl_cli_messages *messages);
/* An error, and code. */
int wvl_cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define wvl_cli_error(...) ((void)wvl_cli_fail(WVL_EXIT_OK, __VA_ARGS__))
/* An error: WVL_EXIT_DEVICE. */
int wvl_cli_lack_memory(const char *name);
void wvl_cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same text comes once a run, with the name of the first picture that has it ("": none), and a count of the others
 * at the end. */
void wvl_cli_warn_once(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
void wvl_cli_inform(const char *format, ...) __attribute__((format(printf, 1, 2))); /* only when verbose */
/* -1: errors only, 0: warnings too, 1 and more: everything. */
void wvl_cli_set_verbosity(int verbosity);
const char *wvl_cli_last_error(void);
/* From here on this thread's messages wait until they are printed, or forgotten from a mark on. */
void wvl_cli_hold_messages(void);
/* The same, and warnings are not among them: another process will print them (wvl_cli_copy_warnings). */
void wvl_cli_hold_errors(void);
void wvl_cli_tell_messages(void);
size_t wvl_cli_mark_messages(void);
void wvl_cli_forget_messages(size_t mark);
/* How often each text of wvl_cli_warn_once came again. */
void wvl_cli_tell_repeats(void);
/* This thread's warnings since the last call of either are forgotten. */
void wvl_cli_clear_warnings(void);
/* How many there were since then; a text that came again counts again. */
size_t wvl_cli_count_warnings(void);
/* The same of another process: those of this thread, a line each, as far as there is room; and back. */
void wvl_cli_copy_warnings(char *text, size_t room);
/* name: as for wvl_cli_warn_once. text changes. */
void wvl_cli_warn_again(const char *name, char *text);
/* Warnings so far belong to no picture: they wait for the report of the run. */
void wvl_cli_keep_warnings(void);
void wvl_cli_log(void *user, wvl_log_level level, const char *text);
int wvl_cli_exit_code(wvl_status status);

/* ---- Report: the same calls write indented text or JSON -------------------------------------- */

enum { WVL_REPORT_TEXT = 0, WVL_REPORT_JSON = 1, WVL_REPORT_JSON_LINE = 2 }; /* LINE: an object without line ends */

typedef struct wvl_cli_report {
    FILE *file;
    int json; /* WVL_REPORT_* */
    unsigned depth;
    uint8_t count[16]; /* 0: no member yet */
    uint8_t is_list[16];
    uint8_t is_line[16]; /* text: members go on one line */
} wvl_cli_report;

void wvl_cli_report_start(wvl_cli_report *r, FILE *file, int json);
void wvl_cli_report_finish(wvl_cli_report *r);
/* name NULL inside a list. An object is a heading with members below it; a line keeps its members beside it. */
void wvl_cli_report_open_object(wvl_cli_report *r, const char *name);
void wvl_cli_report_open_line(wvl_cli_report *r, const char *name);
void wvl_cli_report_open_list(wvl_cli_report *r, const char *name);
void wvl_cli_report_close(wvl_cli_report *r);
void wvl_cli_report_text(wvl_cli_report *r, const char *name, const char *value);
void wvl_cli_report_bytes(wvl_cli_report *r, const char *name, const uint8_t *bytes,
                          size_t count); /* Latin, cut and escaped */
void wvl_cli_report_number(wvl_cli_report *r, const char *name, uint64_t value);
/* {"name", value}, ... */
#define WVL_CLI_REPORT_NUMBERS(r, ...) wvl_cli_report_numbers(r, (const wvl_cli_number[]){__VA_ARGS__, {NULL, 0}})
typedef struct wvl_cli_number {
    const char *name;
    uint64_t value;
} wvl_cli_number;
void wvl_cli_report_numbers(wvl_cli_report *r, const wvl_cli_number *numbers);
void wvl_cli_report_real(wvl_cli_report *r, const char *name, double value);
void wvl_cli_report_flag(wvl_cli_report *r, const char *name, int value);
/* A list of this thread's warnings, which are then forgotten. */
void wvl_cli_report_warnings(wvl_cli_report *r);
/* The same for the run: those that wvl_cli_keep_warnings kept, then those since the last picture. */
void wvl_cli_report_warnings_of_run(wvl_cli_report *r);
/* JSON only: writes the name of a member whose value the caller writes. */
void wvl_cli_report_raw(wvl_cli_report *r, const char *name);

/* ---- Why pictures failed --------------------------------------------------------------------- */

/* Counts by the exit code of each picture that failed. */
typedef struct wvl_cli_reasons {
    uint64_t counts[WVL_EXIT_REPORT + 2];
} wvl_cli_reasons;

void wvl_cli_count_reason(wvl_cli_reasons *reasons, int code);
/* " (2: the input is refused; 1: ...)"; nothing where none failed. */
void wvl_cli_print_reasons(FILE *file, const wvl_cli_reasons *reasons);
/* An object "reasons" with a number for each that there was. */
void wvl_cli_report_reasons(wvl_cli_report *r, const wvl_cli_reasons *reasons);

/* ---- One picture ----------------------------------------------------------------------------- */

/* What the library is given: everything points into the structure or into io. */
typedef struct wvl_cli_picture {
    wvl_io_picture io;
    unsigned unused; /* WVL_UNUSED_*: options of reading that were given and that no file used */
    wvl_component_format *components;
    wvl_plane *planes;
    wvl_image_format format;
    wvl_image image;
    wvl_jp2_info jp2;
    uint16_t *channel_types;
    uint16_t *converted; /* owned: X'Y'Z' codes in place of the picture's samples */
    wvl_metadata_boxes metadata;
    wvl_box *boxes;     /* those of the metadata, then those of --xml and --uuid */
    uint8_t **box_data; /* owned contents of boxes read from files, or NULL where borrowed */
    size_t box_count;
} wvl_cli_picture;

/* Options of reading that some formats have no use for. */
enum {
    WVL_UNUSED_PAGE = 1,
    WVL_UNUSED_RAW = 2,
    WVL_UNUSED_LAYOUT = 4,
    WVL_UNUSED_PALETTE = 8,
    WVL_UNUSED_JPEG_YCC = 16,
    WVL_UNUSED_DROP_ALPHA = 32,
    WVL_UNUSED_YCC_TO_RGB = 64,
    WVL_UNUSED_FLOAT = 128
};
#define WVL_UNUSED_UNKNOWN (~0u) /* no picture was read */
/* Refuses them: 0, or an exit code after a message. */
int wvl_cli_refuse_unused(const char *name, const wvl_cli_picture *picture);
/* Warns of them; name is that of a folder none of whose pictures used them. */
void wvl_cli_warn_unused(const char *name, unsigned unused);
/* *unused: of the pictures so far; WVL_UNUSED_UNKNOWN before the first one. A picture that was not read says nothing.
 */
void wvl_cli_note_unused(unsigned *unused, const wvl_cli_picture *picture);
/* Which samples of a file the reader may leave as they are, for a picture that is encoded on a device or on the CPU. */
wvl_io_keep_words wvl_cli_choose_words(const wvl_cli_args *args, int on_device);
/* Reads the inputs (several are components of one picture) or makes the demonstration picture. 0 or an exit code after
 * a message. */
int wvl_cli_read_picture(const wvl_cli_args *args, const char *const *inputs, size_t count, wvl_cli_picture *picture);
/* The same of bytes in memory; name stands for the file. */
int wvl_cli_read_bytes(const wvl_cli_args *args, const char *name, const uint8_t *data, size_t bytes,
                       wvl_cli_picture *picture);
/* The same of a reader that is open. It gives all samples; or its description alone, and its rows come later. */
int wvl_cli_take_picture(const wvl_cli_args *args, const char *name, wvl_io_rows *rows, wvl_cli_picture *picture);
int wvl_cli_describe_rows(const wvl_cli_args *args, const char *name, wvl_io_rows *rows, wvl_cli_picture *picture);
/* result and error: of a reader. Reports a failure; else takes what stands beside the file (io NULL: nothing). */
int wvl_cli_finish_reading(const wvl_cli_args *args, const char *name, int result, const char *error,
                           wvl_io_picture *io);
void wvl_cli_release_picture(wvl_cli_picture *picture);
/* What --strip leaves out. */
#define WVL_CLI_STRIPPED ((unsigned)(WVL_KEEP_ALL & ~(WVL_KEEP_ICC | WVL_KEEP_RESOLUTION)))
/* Returns what of the picture's metadata goes along: WVL_KEEP_*. */
unsigned wvl_cli_kept_metadata(const wvl_cli_args *args);
static inline int wvl_cli_drops_profile(const wvl_cli_args *args)
{
    return args->icc == WVL_CLI_ICC_DROP || (args->dropped & WVL_KEEP_ICC);
}
/* Warns of what neither the reader nor the boxes have a place for. */
void wvl_cli_name_lost(const wvl_cli_args *args, const char *name, const wvl_cli_picture *picture);
/* Takes what stands beside the file, and turns the samples where --orient asks for it. 0, or an
 * exit code after a message. */
int wvl_cli_settle_metadata(const wvl_cli_args *args, const char *name, wvl_io_picture *io);
/* Says in jp2 what the file cannot say otherwise; refuses what JP2 cannot express. name is for messages. */
int wvl_cli_describe_picture(const wvl_cli_args *args, const char *name, int is_jp2, wvl_cli_picture *picture);
/* channels.c: the options that change the channels of what was read: --ycc-to-rgb, --drop-alpha, --channels. */
int wvl_cli_change_channels(const wvl_cli_args *args, const char *name, wvl_io_picture *io);
int wvl_cli_scale_depth(const char *name, wvl_io_picture *io, unsigned depth);
int wvl_cli_make_demo(wvl_io_picture *io);
/* Says whether --device asks for a device, or "auto" may find one. */
int wvl_cli_wants_device(const wvl_params *params);
/* WVL_SAMPLE_8, 16 or 32. */
uint8_t wvl_cli_container_of_samples(const wvl_io_component *component);
double wvl_cli_sample_count(const wvl_cli_picture *picture);

/* ---- Output ---------------------------------------------------------------------------------- */

/* 1: JP2, 0: codestream, -1: neither, by the name's extension. */
int wvl_cli_container_of(const char *name);
int wvl_cli_container_of_extension(const char *extension);
int wvl_cli_is_exr(const char *name);
/* Refuses an output that is an input (a picture or the content of a box), a terminal, or there already without
 * --force. */
int wvl_cli_check_output(const wvl_cli_args *args, const char *const *inputs, size_t input_count, const char *output);
/* Says whether two outputs are one file, there already or not. "-" is standard output. */
int wvl_cli_is_same_file(const char *a, const char *b);
/* A report, trace or journal never takes the place of a picture, of this run or of another one: none ends as pictures
 * do. what: the option. 0, or an exit code after a message. */
int wvl_cli_refuse_picture_name(const char *what, const char *path);
/* Says whether it ends as a codestream does (that of a JP2 or JPH file is its last box). *bytes: of the file. */
int wvl_cli_is_whole(const char *path, uint64_t *bytes);
int wvl_cli_open_sink(const wvl_cli_args *args, wvl_context *context, const char *output, wvl_sink *sink);

/* ---- Interruption and progress --------------------------------------------------------------- */

/* From here on SIGINT, SIGTERM, SIGHUP and SIGQUIT raise the token while one is armed, and end the process a little
 * later whatever it does; while none is armed they end it at once. Called before any other thread exists: the others
 * inherit the mask. A second call does nothing. */
void wvl_cli_catch_signals(void);
void wvl_cli_arm_signals(wvl_cancel *cancel); /* NULL disarms */
int wvl_cli_was_interrupted(void);
/* Removes files that this process has open for writing under a temporary name, for an end without order. */
void wvl_cli_remove_temporaries(void);

typedef struct wvl_cli_progress {
    int enabled, shown;
    double started, last;
} wvl_cli_progress;

double wvl_cli_seconds(void); /* monotonic */
void wvl_cli_progress_start(wvl_cli_progress *progress, int enabled);
int wvl_cli_progress_step(void *progress, uint64_t done, uint64_t total, wvl_stage stage);
void wvl_cli_progress_end(wvl_cli_progress *progress);

/* ---- Verification ---------------------------------------------------------------------------- */

typedef struct wvl_cli_check {
    int done, exact;
    double psnr; /* over the mean square error of all samples */
    uint32_t count;
    double *component_psnr;
    char decoder[64];
} wvl_cli_check;

int wvl_cli_can_verify(void);
void wvl_cli_report_check(wvl_cli_report *r, const wvl_cli_check *check);
/* Decodes bytes and compares with the picture. 0, or an exit code after a message. The caller frees
 * check->component_psnr. */
int wvl_cli_verify_bytes(const wvl_cli_picture *picture, const char *name, int lossless, const uint8_t *bytes,
                         size_t count, wvl_cli_check *check);
/* First in main(): foreign decoders then run in child processes (D-guard-01). */
void wvl_cli_enter_guard(char **argv);
/* wvl_io_options.inspect: refuses HT blocks that OpenJPEG may not get. */
int wvl_cli_inspect_codestream(const uint8_t *codestream, size_t bytes, char *reason, size_t reason_bytes);
/* Decodes a codestream into picture->io, which the caller releases. name is for messages. */
int wvl_cli_decode_bytes(const char *name, const uint8_t *bytes, size_t count, wvl_cli_picture *picture);

/* ---- Commands -------------------------------------------------------------------------------- */

int wvl_cli_run_encode(const wvl_cli_args *args);
int wvl_cli_run_info(int argc, char **argv);
int wvl_cli_run_verify(int argc, char **argv);
int wvl_cli_run_program(int argc, char **argv);
int wvl_cli_run_sequence(int argc, char **argv);

/* ---- Settings of the library ----------------------------------------------------------------- */

/* Preset first, then the options in their order. */
int wvl_cli_apply_settings(const wvl_cli_args *args, wvl_params *params);
/* Refuses options of the command line that have no effect beside the others, each with what it needs. */
int wvl_cli_refuse_idle(const wvl_cli_args *args, const wvl_params *params);
/* Sets what follows from the output's name, and from the picture. */
int wvl_cli_fix_container(const wvl_cli_args *args, const char *output, int is_jp2, wvl_params *params);
int wvl_cli_fit_transform(const wvl_cli_args *args, const char *name, const wvl_cli_picture *picture,
                          wvl_params *params);
/* Warns of a picture of a cinema profile that has none of the sizes of digital cinema. */
void wvl_cli_warn_of_container(const char *name, const wvl_cli_picture *picture, const wvl_params *params);
/* Options that set what layers aim at, ratios first. An option for a new rate target is added here. */
#define WVL_CLI_TARGETS 5
extern const char *const wvl_cli_target_keys[WVL_CLI_TARGETS];
/* 1: these settings promise every sample back. */
int wvl_cli_wants_lossless(const wvl_params *params);

/* ---- --trace --------------------------------------------------------------------------------- */

/* Checks and opens the file as an output, and makes the context report its spans. 0 or an exit code after a message. */
int wvl_cli_open_trace(const wvl_cli_args *args, wvl_context_options *options);
/* A picture was read, since `begin` (wvl_cli_seconds). */
void wvl_cli_trace_reading(double begin);
/* After the context is gone. The file appears only now, and not where the command failed. Returns code, or why the file
 * is not complete. */
int wvl_cli_close_trace(int code);

/* ---- The conversion to X'Y'Z' ---------------------------------------------------------------- */

/* --input-color auto: sets what the picture's profile or header says, and refuses where they say nothing. Without auto:
 * nothing. */
int wvl_cli_fit_color(const wvl_cli_args *args, const char *name, wvl_cli_picture *picture, wvl_params *params);
/* Says whether the samples that are coded are not those of the picture. */
int wvl_cli_converts_color(const wvl_cli_picture *picture, const wvl_params *params);
/* The samples that these params code, to compare with: the library converts them, codes them without loss, and OpenJPEG
 * decodes. The caller releases *converted. */
int wvl_cli_convert_picture(const char *name, wvl_context *context, const wvl_params *params,
                            const wvl_cli_picture *picture, wvl_cli_picture *converted);
/* Takes the picture's ICC profile: a matrix profile becomes tables of params, any other RGB profile converts the
 * picture. */
int wvl_cli_apply_profile(const char *name, wvl_cli_picture *picture, wvl_params *params);
