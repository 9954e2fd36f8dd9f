/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane sequence: the run around the frames. */
#include "sequence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "stream.h"

#define MOST_PLACES ((size_t)1 << 60) /* of a stream */
#define PIPE_SECONDS 300u             /* unless --timeout says it; standard input has no limit then */
#define AHEAD 4u                      /* frames that are done and not told, for each at work */
#define AHEAD_IN_TURN 8u              /* of all, where they hold their coded bytes until then */

/* ---- Parameters for the journal -------------------------------------------------------------- */

/* The same bytes may come from different machines: these do not count. */
#define MACHINE_KEYS "device reach output-memory device-memory measure-psnr"

static void put_options(FILE *file, const wvl_params *params)
{
    size_t count;
    const wvl_option *options = wvl_options(&count);
    for (size_t i = 0; i < count; i++) {
        const char *value = wvl_params_get(params, options[i].key);
        if (value && !wvl_cli_is_among(options[i].key, MACHINE_KEYS) && strcmp(value, options[i].initial) != 0) {
            fprintf(file, "parameter %s=", options[i].key);
            for (const char *p = value; *p; p++) {
                fputc(*p == '\n' ? ' ' : *p, file);
            }
            fputc('\n', file);
        }
    }
}

/* In one pass the limit of a frame follows from all frames of the run before it. */
static void put_rate(FILE *file, const wvl_cli_sequence *q, const wvl_sequence_rate_options *r)
{
    const wvl_cli_sequence_options *o = q->options;
    if (wvl_cli_has_rate(o)) {
        fprintf(file,
                "parameter rate %" PRIu64 " bits a second, bucket %" PRIu64 " bits, %" PRIu64
                " bits a second out of it, %" PRIu32 "/%" PRIu32 " frames a second, lag %" PRIu32 "%s\n",
                r->bits_per_second, r->bucket_bits, r->bucket_bits_per_second, r->frames, r->seconds, r->lag,
                o->statistics ? ", two passes" : "");
    }
    if (wvl_cli_has_rate(o) && !o->statistics) {
        fprintf(file, "parameter rate from frame %" PRIu64 ", every %" PRIu64 "\n", q->source.range.first,
                q->source.range.step);
    }
}

/* DIR and DIR/ are the same. */
static int length_of_name(const char *name)
{
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/') {
        length--;
    }
    return (int)length;
}

char *wvl_cli_describe_parameters(const wvl_cli_sequence *q, const wvl_sequence_rate_options *rate)
{
    const wvl_cli_sequence_options *o = q->options;
    int major, minor, patch;
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (!file) {
        return NULL;
    }
    wvl_version(&major, &minor, &patch);
    fprintf(file, "parameter version %d.%d.%d\nparameter in %.*s\nparameter out %.*s\n", major, minor, patch,
            length_of_name(o->words[0]), o->words[0], length_of_name(o->words[1]), o->words[1]);
    put_options(file, q->run.params);
    for (const char *line = o->given; line && *line; line = strchr(line, '\n') + 1) {
        fprintf(file, "parameter %.*s\n", (int)strcspn(line, "\n"), line);
    }
    put_rate(file, q, rate);
    int failed = ferror(file);
    if (fclose(file) || failed) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- Rate control ---------------------------------------------------------------------------- */

/* The bytes of the first pass, of all frames; a stream ends with the last of them. */
static int collect_statistics(wvl_cli_sequence *q, const wvl_sequence_journal *j, uint64_t **bytes, uint64_t *count)
{
    const char *name = q->options->statistics;
    uint64_t total = q->source.total;
    if (total == WVL_CLI_UNKNOWN_COUNT) {
        total = j->count;
    }
    uint64_t *all = total < SIZE_MAX / sizeof *all ? calloc(total + 1, sizeof *all) : NULL;
    *bytes = all;
    *count = total;
    if (!all) {
        return wvl_cli_lack_memory(name);
    }
    for (uint64_t n = 0; n < total; n++) {
        uint64_t number = q->source.range.first + n * q->source.range.step;
        const wvl_sequence_record *r = wvl_sequence_find_record(j, number);
        if (!r) {
            return wvl_cli_fail(WVL_EXIT_INPUT,
                                "--statistics %s: frame %" PRIu64
                                " is missing; complete the first pass before the second",
                                name, number);
        }
        all[n] = r->coded_bytes;
    }
    return WVL_EXIT_OK;
}

/* Gives this shard its part of the limits. A stream that goes on behind the first pass is cut. */
static int share_limits(wvl_cli_sequence *q, const wvl_sequence_rate_options *rate, uint64_t *bytes, uint64_t count)
{
    if (wvl_sequence_share_bytes(rate, bytes, count, bytes)) {
        return wvl_cli_fail(WVL_EXIT_USAGE,
                            "--statistics %s: the sequence is too long for rate control; divide it with --frames",
                            q->options->statistics);
    }
    q->source.count = q->source.count == WVL_CLI_UNKNOWN_COUNT ? count : q->source.count;
    memmove(bytes, bytes + q->source.begin, (size_t)q->source.count * sizeof *bytes);
    q->limits = bytes;
    return WVL_EXIT_OK;
}

static int read_statistics(wvl_cli_sequence *q, const wvl_sequence_rate_options *rate)
{
    static wvl_sequence_checksum sums;
    wvl_sequence_journal journal;
    uint8_t *text = NULL;
    uint64_t *all = NULL, count = 0;
    size_t bytes = 0;
    const char *name = q->options->statistics;
    char *path = wvl_cli_find_journal(name);
    int code = wvl_cli_read_whole(path ? path : name, WVL_CLI_BOX_BYTES, WVL_CLI_ANYTHING, &text, &bytes);
    free(path);
    wvl_sequence_init_checksum(&sums);
    if (!code && (wvl_sequence_read_journal(&sums, (char *)text, bytes, &journal) || journal.good_bytes != bytes)) {
        code = wvl_cli_fail(
            WVL_EXIT_INPUT,
            "--statistics %s: is damaged, or not the journal of a sequence; name the journal of the first pass", name);
    } else if (!code) {
        code = collect_statistics(q, &journal, &all, &count);
        TRY(code, share_limits(q, rate, all, count));
        wvl_sequence_release_journal(&journal);
    }
    if (code) {
        free(all);
    }
    free(text);
    return code;
}

/* The frame rate that a stream says counts unless another one is given; max-bytes limits every frame. */
static int settle_rate(wvl_cli_sequence *q, wvl_sequence_rate_options *rate)
{
    *rate = q->options->rate;
    const char *most = wvl_params_get(q->run.params, "max-bytes");
    rate->frame_bytes = most ? strtoull(most, NULL, 10) : 0;
    rate->frame_bytes = rate->frame_bytes < UINT64_C(1) << 56 ? rate->frame_bytes : UINT64_C(1) << 56;
    if (q->source.stream && !q->options->fps_given) {
        (void)wvl_cli_stream_rate(q->source.stream, &rate->frames, &rate->seconds);
    }
    if (!wvl_cli_has_rate(q->options)) {
        return WVL_EXIT_OK;
    }
    wvl_sequence_rate_status status = wvl_sequence_check_rate(rate);
    if (status) {
        return wvl_cli_fail(WVL_EXIT_USAGE,
                            "sequence: the rate does not fit %" PRIu32 "/%" PRIu32 " frames a second; give --fps",
                            rate->frames, rate->seconds);
    }
    if (q->options->statistics) {
        return read_statistics(q, rate);
    }
    if (wvl_sequence_open_rate(rate, &q->rate)) {
        return wvl_cli_fail(WVL_EXIT_DEVICE, "sequence: out of memory");
    }
    return WVL_EXIT_OK;
}

/* ---- Load ----------------------------------------------------------------------------------- */

/* As the first input says. */
static wvl_cli_load estimate_load(const wvl_cli_sequence *q)
{
    const wvl_cli_source *source = &q->source;
    wvl_cli_load load = {.count = source->count, .bytes = WVL_CLI_UNKNOWN_COUNT};
    struct stat st;
    char *first = source->count ? wvl_cli_name_input(source, wvl_cli_frame_number(source, 0)) : NULL;
    if (source->kind == WVL_CLI_FROM_STREAM) {
        load.largest = wvl_cli_stream_frame_bytes(source->stream);
    } else if (first && !stat(first, &st)) {
        load.largest = (uint64_t)st.st_size / (source->kind == WVL_CLI_FROM_PAGES ? source->count : 1);
    }
    free(first);
    if (load.count != WVL_CLI_UNKNOWN_COUNT && load.largest < WVL_CLI_UNKNOWN_COUNT / (load.count + 1)) {
        load.bytes = load.largest * load.count;
    }
    return load;
}

static wvl_cli_work plan_work(const wvl_cli_sequence *q)
{
    wvl_cli_load load = estimate_load(q);
    return wvl_cli_plan_work(&q->run, &load);
}

/* ---- Dry run --------------------------------------------------------------------------------- */

/* Prints what would be done, and the plan of the first frame. */
static int run_dry(wvl_cli_sequence *q)
{
    wvl_cli_frame first = {.record.frame = wvl_cli_frame_number(&q->source, 0)};
    uint64_t complete = 0, count = q->source.count;
    for (uint64_t place = 0; count != WVL_CLI_UNKNOWN_COUNT && wvl_cli_has_files(q->store) && place < count; place++) {
        uint64_t number = wvl_cli_frame_number(&q->source, place);
        char *input = wvl_cli_name_input(&q->source, number), *output = wvl_cli_name_output(q->store, input, number);
        uint64_t limit = q->limits ? q->limits[place] : 0;
        const wvl_sequence_record *r = wvl_cli_find_record(q->store, number, limit);
        complete += output && !q->rate && r && wvl_cli_is_complete(q->store, place, output, r);
        free(input);
        free(output);
    }
    if (count == WVL_CLI_UNKNOWN_COUNT) {
        printf("a stream of frames, %" PRIu64 " bytes each\n", wvl_cli_stream_frame_bytes(q->source.stream));
        return WVL_EXIT_OK;
    }
    printf("%" PRIu64 " frames, %" PRIu64 " of them complete\n", count, complete);
    if (q->source.kind == WVL_CLI_FROM_STREAM || !count) {
        return WVL_EXIT_OK;
    }
    first.input = wvl_cli_name_input(&q->source, first.record.frame);
    first.output = wvl_cli_name_output(q->store, first.input, first.record.frame);
    wvl_cli_args args = q->options->args;
    wvl_cli_choose_frame_page(&q->source, first.record.frame, &args);
    args.force = 1;
    args.out_format = NULL;
    q->run.args = &args;
    const char *input = first.input;
    wvl_cli_work work = plan_work(q);
    wvl_cli_open_work(&q->run, &work, q->source.name);
    int code = input && first.output ? wvl_cli_encode_one(&q->run, &input, 1, first.output) : WVL_EXIT_DEVICE;
    wvl_cli_peak peak = wvl_cli_sum_need(&q->run, &work, wvl_cli_writes_in_turn(q->store) ? AHEAD_IN_TURN : 0);
    wvl_cli_close_work(&q->run);
    if (!code) {
        wvl_cli_print_peak(stdout, &peak);
    }
    q->run.args = &q->options->args;
    free(first.input);
    free(first.output);
    return code;
}

/* ---- Run ------------------------------------------------------------------------------------- */

size_t wvl_cli_count_seats(const wvl_cli_sequence *q) { return plan_work(q).workers; }

/* Frames that are done and not told hold their coded bytes where these are written in turn. */
int wvl_cli_run_seats(wvl_cli_sequence *q, const wvl_cli_pieces *pieces)
{
    wvl_cli_run *s = &q->run;
    wvl_cli_work work = plan_work(q);
    s->plans = wvl_cli_may_share_plans(s->args, s->params) ? &q->plans : NULL;
    wvl_cli_open_work(s, &work, q->source.name);
    wvl_cli_arm_signals(s->cancel);
    int is_ready = wvl_cli_run_turns(pieces, work.workers,
                                     wvl_cli_writes_in_turn(q->store) ? AHEAD_IN_TURN : AHEAD * work.workers);
    wvl_cli_arm_signals(NULL);
    wvl_cli_close_work(s);
    return is_ready;
}

static void run_frames(wvl_cli_sequence *q, void *user)
{
    const wvl_cli_pieces pieces = {.count = q->source.count < MOST_PLACES ? (size_t)q->source.count : MOST_PLACES,
                                   .bytes = sizeof(wvl_cli_frame),
                                   .work = wvl_cli_run_frame,
                                   .tell = wvl_cli_tell_frame,
                                   .user = q};
    (void)user;
    if (!wvl_cli_run_seats(q, &pieces)) {
        q->code = wvl_cli_fail(WVL_EXIT_DEVICE, "sequence: out of memory");
    }
}

/* The first pass says how many frames a stream has. Without a word, later ones would be lost. */
static void check_rest(wvl_cli_sequence *q)
{
    uint64_t place = q->source.count, number = wvl_cli_frame_number(&q->source, place);
    wvl_cli_bytes *bytes = q->limits && q->source.stream && !q->code ? wvl_cli_take_buffer(&q->buffers) : NULL;
    if (bytes && number <= q->source.range.last && q->done == place &&
        wvl_cli_read_frame(q->source.stream, place, number, bytes) == WVL_CLI_ARRIVED) {
        q->code = wvl_cli_fail(WVL_EXIT_INPUT,
                               "%s: the stream has more frames than the first pass had; run the first pass again",
                               q->source.name);
    }
    wvl_cli_return_buffer(&q->buffers, bytes);
}

/* Frames that somebody may take for those of the inputs as they are now. */
static void warn_of_old_frames(const wvl_cli_sequence *q, uint64_t left_behind)
{
    if (q->late) {
        wvl_cli_warn("%" PRIu64 " kept frames are older than their inputs (the first: %s); remove their files, or give "
                     "--force, to encode them again",
                     q->late, q->first_late);
    }
    if (left_behind) {
        wvl_cli_warn("%s: %" PRIu64 " frames of an earlier run do not belong to this one; their files are kept",
                     q->options->words[1], left_behind);
    }
}

static void run_opened(wvl_cli_sequence *q, const wvl_cli_crew *crew)
{
    wvl_cli_keep_warnings();
    uint64_t left_behind = wvl_cli_left_behind(q->store);
    if (q->options->sizes_only && !wvl_cli_is_resumed(q->store)) {
        wvl_cli_warn("--sizes-only has no effect: no frame of an earlier run is compared");
    }
    crew->run(q, crew->user);
    int code = wvl_cli_close_store(q->store);
    q->store = NULL;
    q->code = q->code ? q->code : code;
    check_rest(q);
    /* Whoever wrote into the pipe may have ended behind the header. */
    if (q->source.stream && !q->done && !q->code) {
        q->code = wvl_cli_fail(WVL_EXIT_INPUT, "%s: ends before the first frame of this run", q->source.name);
    }
    /* What other processes have waited for is not known here. */
    int waits = atomic_load(&q->has_waited) || (q->source.stream && wvl_cli_stream_waits(q->source.stream));
    if (q->options->timeout_given != WVL_CLI_NOT_GIVEN && q->encoded && !waits && crew->run == run_frames) {
        wvl_cli_warn("--timeout had no effect; no frame came from a pipe or device");
    }
    wvl_cli_warn_unused(q->options->words[0], q->run.unused);
    warn_of_old_frames(q, left_behind);
    uint64_t bad = q->failed + q->black;
    if (bad) {
        wvl_cli_error("%" PRIu64 " of %" PRIu64 " frames failed; the first: %s", bad, q->done, q->first_failed);
        q->code = q->code ? q->code : WVL_EXIT_SOME_FAILED;
    }
    wvl_cli_tell_repeats();
    wvl_cli_end_report(q);
}

/* Pixels and codestreams do not go from process to process. */
static int check_crew(const wvl_cli_sequence *q, wvl_cli_store_kind kind)
{
    if (q->source.kind == WVL_CLI_FROM_STREAM) {
        return wvl_cli_fail(WVL_EXIT_USAGE,
                            "%s: a stream can be read by one process only; give files as IN, or use wavelane sequence",
                            q->source.name);
    }
    if (kind != WVL_CLI_TO_PATTERN && kind != WVL_CLI_TO_FOLDER) {
        return wvl_cli_fail(
            WVL_EXIT_USAGE,
            "%s: several processes need a file for each frame; give a folder or a name with %%06d as OUT",
            q->options->words[1]);
    }
    return WVL_EXIT_OK;
}

static int open_all(wvl_cli_sequence *q, const wvl_cli_crew *crew)
{
    wvl_sequence_rate_options rate;
    wvl_cli_store_kind kind;
    int code = wvl_cli_classify_output(q->options, &kind);
    TRY(code, wvl_cli_open_run(&q->run));
    TRY(code, wvl_cli_open_source(q->options, &q->source));
    code = code || !crew ? code : check_crew(q, kind);
    TRY(code, settle_rate(q, &rate));
    code = code || q->options->args.dry_run ? code : wvl_cli_open_report(q);
    if (code) {
        return code;
    }
    char *parameters = wvl_cli_describe_parameters(q, &rate);
    const wvl_cli_store_request request = {.options = q->options,
                                           .source = &q->source,
                                           .parameters = parameters,
                                           .rate = q->rate ? &rate : NULL,
                                           .limits = q->limits};
    if (!parameters) {
        return wvl_cli_fail(WVL_EXIT_DEVICE, "sequence: out of memory");
    }
    code = wvl_cli_open_store(&request, &q->store);
    free(parameters);
    return code;
}

void wvl_cli_close_sequence(wvl_cli_sequence *q)
{
    wvl_cli_drop_report(q);
    (void)wvl_cli_close_store(q->store);
    wvl_sequence_close_rate(q->rate);
    free(q->limits);
    wvl_cli_close_source(&q->source);
    wvl_cli_release_buffers(&q->buffers);
    wvl_cli_release_plans(&q->plans);
    wvl_cli_close_run(&q->run);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
}

void wvl_cli_init_sequence(wvl_cli_sequence *q, wvl_cli_sequence_options *options)
{
    wvl_cli_keep_memory();
    *q = (wvl_cli_sequence){.options = options,
                            .run = {.args = &options->args, .out = stdout, .unused = WVL_UNUSED_UNKNOWN}};
    uint32_t usual = strcmp(options->words[0], "-") != 0 ? PIPE_SECONDS : 0;
    options->timeout_s = options->timeout_given != WVL_CLI_NOT_GIVEN ? options->timeout_given : usual;
    pthread_mutex_init(&q->lock, NULL);
    pthread_mutex_init(&q->buffers.lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    wvl_cli_catch_signals();
}

int wvl_cli_conduct_sequence(wvl_cli_sequence_options *options, const wvl_cli_crew *crew)
{
    static const wvl_cli_crew threads = {run_frames, NULL};
    static wvl_cli_sequence q;
    wvl_cli_init_sequence(&q, options);
    int code = open_all(&q, crew);
    if (!code && options->args.dry_run) {
        code = run_dry(&q);
    } else if (!code) {
        run_opened(&q, crew ? crew : &threads);
        code = q.code;
    }
    wvl_cli_close_sequence(&q);
    return code;
}

int wvl_cli_run_sequence(int argc, char **argv)
{
    static wvl_cli_sequence_options options;
    int code = wvl_cli_parse_sequence(argc, argv, &options);
    wvl_cli_set_verbosity(options.args.quiet ? -1 : options.args.verbose);
    TRY(code, wvl_cli_conduct_sequence(&options, NULL));
    wvl_cli_release_sequence_options(&options);
    return code;
}
