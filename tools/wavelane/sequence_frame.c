/* SPDX-License-Identifier: BSD-2-Clause */
/* One frame on its way: read, encoded and written beside others, then accounted for in its turn. */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "sequence.h"

#define TRAY_REST 65536u /* what a reader asks for beyond the bytes of samples */
#define NEIGHBOURS 16u   /* frames on either side that a black frame may take its format from */

/* What a frame's ports point to. */
typedef struct frame_at_work {
    wvl_cli_sequence *q;
    wvl_cli_frame *f;
    wvl_cli_args args; /* the run's, with what this frame needs */
    wvl_cli_run run;
} frame_at_work;

/* ---- Reading --------------------------------------------------------------------------------- */

static int read_pipe(const frame_at_work *w, const char *path, wvl_cli_picture *picture)
{
    wvl_cli_bytes *bytes = wvl_cli_take_buffer(&w->q->buffers);
    atomic_store(&w->q->has_waited, 1);
    if (!bytes) {
        return wvl_cli_lack_memory(path);
    }
    int code = wvl_cli_read_in_time(path, w->q->options, &w->args.io, bytes);
    TRY(code, wvl_cli_read_bytes(&w->args, path, bytes->data, bytes->used, picture));
    wvl_cli_return_buffer(&w->q->buffers, bytes);
    return code;
}

/* A frame that is no regular file may never come: it has a time limit. */
static int read_path(const frame_at_work *w, const char *path, wvl_cli_picture *picture)
{
    struct stat st;
    memset(picture, 0, sizeof *picture);
    if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        return read_pipe(w, path, picture);
    }
    return wvl_cli_read_picture(&w->args, &path, 1, picture);
}

static int read_frame(void *user, wvl_cli_job *job, wvl_cli_picture *picture)
{
    frame_at_work *w = user;
    wvl_cli_lend_tray(job, &w->args.io);
    if (!job->is_jp2) {
        w->args.dropped |= WVL_KEEP_GEO; /* files beside the picture have no place in a codestream */
    }
    w->args.io.keep_words = wvl_cli_choose_words(&w->args, job->s->encoders != NULL);
    if (w->f->given) {
        return wvl_cli_read_bytes(&w->args, w->f->name, w->f->given->data, w->f->given->used, picture);
    }
    return read_path(w, w->f->input, picture);
}

/* ---- Black frames ---------------------------------------------------------------------------- */

static void fill_samples(const wvl_io_component *c, uint32_t value)
{
    for (uint32_t y = 0; y < c->height; y++) {
        uint8_t *at = (uint8_t *)c->data + y * c->stride_bytes;
        for (uint32_t x = 0; x < c->width; x++, at += c->sample_stride_bytes) {
            wvl_io_store(at, c->sample_bytes, value);
        }
    }
}

static int read_neighbour(const frame_at_work *w, uint64_t number, wvl_cli_picture *picture)
{
    frame_at_work other = *w;
    char *path = wvl_cli_name_input(&w->q->source, number);
    if (!path) {
        return WVL_EXIT_DEVICE;
    }
    other.args.io.keep_words = WVL_IO_KEEP_NO_WORDS; /* samples become black */
    wvl_cli_choose_frame_page(&w->q->source, number, &other.args);
    int code = read_path(&other, path, picture);
    free(path);
    return code;
}

/* The nearest frame before this one that can be read, else after it: always the same one. */
static int read_any_neighbour(const frame_at_work *w, wvl_cli_picture *picture)
{
    const wvl_sequence_range *r = &w->q->source.range;
    uint64_t number = w->f->record.frame, step = r->step;
    size_t mark = wvl_cli_mark_messages();
    int code = WVL_EXIT_INPUT;
    for (uint64_t n = 1; code && n <= NEIGHBOURS && number >= r->first + n * step; n++) {
        code = read_neighbour(w, number - n * step, picture);
    }
    for (uint64_t n = 1; code && n <= NEIGHBOURS && number + n * step <= r->last; n++) {
        code = read_neighbour(w, number + n * step, picture);
    }
    wvl_cli_forget_messages(mark);
    return code;
}

/* A stream says itself what its frames are. */
static int read_zeros(const frame_at_work *w, wvl_cli_picture *picture)
{
    uint64_t bytes = wvl_cli_stream_frame_bytes(w->q->source.stream);
    wvl_cli_bytes *given = w->f->given;
    if (!wvl_cli_enlarge_buffer(given, (size_t)bytes)) {
        return wvl_cli_lack_memory(w->f->name);
    }
    memset(given->data, 0, (size_t)bytes);
    given->used = (size_t)bytes;
    return wvl_cli_read_bytes(&w->args, w->f->name, given->data, given->used, picture);
}

static int read_black(void *user, wvl_cli_job *job, wvl_cli_picture *picture)
{
    frame_at_work *w = user;
    wvl_cli_lend_tray(job, &w->args.io);
    int code = w->f->given ? read_zeros(w, picture) : read_any_neighbour(w, picture);
    if (code) {
        wvl_cli_error("%s: cannot be replaced by a black frame, because no adjacent frame can be read for its size",
                      w->f->name);
        return code;
    }
    /* Black: 0 of grey and RGB, the middle of chroma, all of an alpha channel. */
    for (uint32_t i = 0; i < picture->io.component_count; i++) {
        const wvl_io_component *c = &picture->io.components[i];
        int is_chroma = picture->io.color == WVL_IO_YCC && (i == 1 || i == 2) && !c->is_signed;
        uint32_t value = is_chroma ? UINT32_C(1) << (c->depth - 1) : 0;
        int is_alpha = picture->io.alpha_component == (int)i && !c->is_signed && c->depth < 32;
        fill_samples(c, is_alpha ? (UINT32_C(1) << c->depth) - 1 : value);
    }
    return WVL_EXIT_OK;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

static int open_bytes(void *user, wvl_sink *sink)
{
    const frame_at_work *w = user;
    *sink = wvl_cli_open_buffer_sink(w->f->bytes);
    return WVL_EXIT_OK;
}

/* They stay until the frame is released, whatever becomes of the job. */
static int take_bytes(void *user, const uint8_t *data, size_t bytes)
{
    const frame_at_work *w = user;
    wvl_cli_frame *f = w->f;
    f->finished = (wvl_cli_bytes){.data = (uint8_t *)(uintptr_t)data, .used = bytes};
    return WVL_EXIT_OK;
}

static int encode_with(frame_at_work *w, wvl_cli_turns *turns,
                       int (*read)(void *user, wvl_cli_job *job, wvl_cli_picture *picture))
{
    wvl_cli_frame *f = w->f;
    const wvl_cli_ports ports = {read, open_bytes, take_bytes, w};
    const char *input = f->input ? f->input : "-";
    f->job = wvl_cli_describe_job(&w->run, &input, 1, f->output);
    f->job.context = wvl_cli_choose_context(&w->run, (size_t)f->place);
    f->job.turn = f->turn;
    f->job.tray = f->tray;
    f->job.borrows_tray = f->tray != NULL;
    f->job.name = f->name;
    f->job.turns = turns;
    f->job.ports = &ports;
    f->job.limit_bytes = f->record.limit_bytes;
    int code = wvl_cli_read_and_plan(&f->job);
    TRY(code, wvl_cli_encode_beside(&f->job));
    if (code == WVL_EXIT_OUTPUT && f->bytes->lacks_memory) {
        code = wvl_cli_fail(WVL_EXIT_DEVICE, "%s: not enough memory for the coded bytes", f->name);
    }
    if (!code) {
        f->record.coded_bytes = wvl_result_codestream(f->job.result).bytes;
    }
    f->job.ports = NULL;
    f->job.inputs = NULL;
    return code;
}

/* Which failures are those of the frame, so that the next one may well succeed. */
static int is_bad_frame(int code) { return code == WVL_EXIT_INPUT || code == WVL_EXIT_USAGE || code == WVL_EXIT_CHECK; }

static int encode_frame(frame_at_work *w, wvl_cli_turns *turns, int code)
{
    wvl_cli_frame *f = w->f;
    f->bytes = wvl_cli_take_buffer(&w->q->buffers);
    if (!f->bytes) {
        return wvl_cli_lack_memory(f->name);
    }
    TRY(code, encode_with(w, turns, read_frame));
    f->state = code ? WVL_CLI_FRAME_FAILED : WVL_CLI_FRAME_ENCODED;
    if (is_bad_frame(code) && w->q->options->on_error == WVL_CLI_BLACK && !f->comes_again) {
        wvl_cli_release_job(&f->job);
        code = encode_with(w, turns, read_black);
        f->state = code ? WVL_CLI_FRAME_FAILED : WVL_CLI_FRAME_BLACK;
    }
    return code;
}

/* ---- Files that are there -------------------------------------------------------------------- */

static int refuse_file(const wvl_cli_frame *f)
{
    return wvl_cli_fail(WVL_EXIT_OUTPUT,
                        "%s: exists, and no journal lists it as a frame of this sequence; --force replaces it, "
                        "--skip-existing keeps it",
                        f->output);
}

/* Finds what speaks against a file in place of the one that is there. */
static int check_replaced(wvl_cli_sequence *q, wvl_cli_frame *f, const struct stat *st)
{
    const wvl_cli_args *args = &q->options->args;
    if (!S_ISREG(st->st_mode)) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "%s: is not a regular file, as a frame must be; choose another name",
                            f->output);
    }
    f->must_agree =
        !args->force && !args->skip_existing && !f->may_replace && !wvl_cli_may_replace(q->store, f->record.frame);
    if (f->must_agree && !f->copy) {
        return refuse_file(f);
    }
    return wvl_cli_spare_inputs(q->options, &q->source, f->output);
}

/* Says whether the input was changed after the output was written: its pixels may be others now. */
static int is_newer(const char *input, const char *output)
{
    struct stat in, out;
    if (!input || stat(input, &in) || stat(output, &out)) {
        return 0;
    }
    return in.st_mtim.tv_sec != out.st_mtim.tv_sec ? in.st_mtim.tv_sec > out.st_mtim.tv_sec
                                                   : in.st_mtim.tv_nsec > out.st_mtim.tv_nsec;
}

/* 1: the file stays. *code: what speaks against writing it. */
static int keeps_file(wvl_cli_sequence *q, wvl_cli_frame *f, int *code)
{
    struct stat st;
    const wvl_sequence_record *r =
        f->told ? f->told : wvl_cli_find_record(q->store, f->record.frame, f->record.limit_bytes);
    if (r && wvl_cli_is_complete(q->store, f->place, f->output, r)) {
        f->record = *r;
        f->is_late = is_newer(f->input, f->output);
        return 1;
    }
    if (!wvl_cli_has_files(q->store)) {
        return 0;
    }
    const char *input = f->input ? f->input : "-";
    wvl_cli_args args = q->options->args;
    args.force = 1;
    *code = wvl_cli_check_output(&args, &input, 1, f->output);
    *code = *code ? *code : wvl_cli_claim_place(q->store, &q->source, f->place);
    if (*code || stat(f->output, &st)) {
        return 0;
    }
    if (q->options->args.skip_existing && wvl_cli_is_whole(f->output, &f->record.bytes)) {
        f->is_late = is_newer(f->input, f->output);
        return 1;
    }
    *code = check_replaced(q, f, &st);
    return 0;
}

static const wvl_cli_bytes *coded_bytes(const wvl_cli_frame *f) { return f->finished.data ? &f->finished : f->bytes; }

/* Nobody needs them any more. */
static void drop_bytes(wvl_cli_sequence *q, wvl_cli_frame *f)
{
    wvl_cli_return_buffer(&q->buffers, f->bytes);
    wvl_encoded_picture_release(f->encoded);
    f->bytes = NULL;
    f->encoded = NULL;
    f->finished.data = NULL;
}

/* The process that this one is a copy of may have written the file, and may hang since: the same bytes are no other
 * file. */
static int store_file(const wvl_cli_sequence *q, wvl_cli_frame *f)
{
    if (!f->must_agree) {
        return wvl_cli_store_file(q->store, f->output, coded_bytes(f), f->copy);
    }
    return wvl_cli_agrees_with_file(q->store, f->output, &f->record) ? WVL_EXIT_OK : refuse_file(f);
}

/* ---- Work ------------------------------------------------------------------------------------ */

/* 0: the stream has ended. *code: of a frame that did not come. */
static int fetch_frame(wvl_cli_sequence *q, wvl_cli_frame *f, int *code)
{
    f->record.frame = wvl_cli_frame_number(&q->source, f->place);
    if (q->source.kind != WVL_CLI_FROM_STREAM) {
        f->input = wvl_cli_name_input(&q->source, f->record.frame);
        f->name = f->input ? f->input : q->source.name;
        if (!f->input) {
            *code = wvl_cli_lack_memory(f->name);
        }
        return 1;
    }
    const char *shown = strcmp(q->source.name, "-") != 0 ? q->source.name : "standard input";
    snprintf(f->label, sizeof f->label, "%.60s, frame %" PRIu64, shown, f->record.frame);
    f->name = f->label;
    /* Memory for a frame of a stream, from which the device fetches it. */
    uint64_t bytes = wvl_cli_stream_frame_bytes(q->source.stream);
    f->tray = q->run.trays ? wvl_cli_take_tray(q->run.trays, bytes + TRAY_REST) : NULL;
    if (f->tray) {
        f->in_tray = (wvl_cli_bytes){.data = f->tray->memory, .room = (size_t)f->tray->bytes};
    }
    f->given = f->tray ? &f->in_tray : wvl_cli_take_buffer(&q->buffers);
    wvl_cli_arrival state = f->record.frame > q->source.range.last
                                ? WVL_CLI_ENDED
                                : wvl_cli_read_frame(q->source.stream, f->place, f->record.frame, f->given);
    *code = state == WVL_CLI_ARRIVED ? WVL_EXIT_OK : WVL_EXIT_INPUT;
    if (state == WVL_CLI_NO_ROOM) {
        *code = WVL_EXIT_DEVICE;
    }
    return state != WVL_CLI_ENDED;
}

/* 0: the run has stopped before the limit was known. */
static int await_limit(wvl_cli_sequence *q, wvl_cli_frame *f)
{
    pthread_mutex_lock(&q->lock);
    while (q->rate && !q->stopped && wvl_sequence_limit_count(q->rate) <= f->place) {
        pthread_cond_wait(&q->changed, &q->lock);
    }
    int goes_on = !q->stopped;
    if (q->rate && goes_on) {
        f->record.limit_bytes = wvl_sequence_limit_bytes(q->rate, f->place);
    }
    pthread_mutex_unlock(&q->lock);
    if (q->limits) {
        f->record.limit_bytes = q->limits[f->place];
    }
    return goes_on;
}

static void gather_facts(wvl_cli_frame *f)
{
    const wvl_result *result = f->job.result;
    wvl_cli_facts *facts = &f->facts;
    uint32_t last = wvl_result_layer_count(result) - 1;
    wvl_fill fill;
    facts->are_known = 1;
    facts->psnr = wvl_result_layer_psnr(result, last);
    facts->psnr_is_measured = wvl_result_layer_is_measured(result, last);
    facts->slope = wvl_result_layer_slope(result, last);
    snprintf(facts->device, sizeof facts->device, "%s", wvl_result_backend(result));
    for (uint32_t i = 0; i < wvl_result_fill_count(result) && facts->fill_count < WVL_CLI_FRAME_FILLS; i++) {
        if (!wvl_result_fill(result, i, &fill) && fill.cap) {
            facts->fills[facts->fill_count].bytes = fill.bytes;
            facts->fills[facts->fill_count++].cap = fill.cap;
        }
    }
}

/* What is written in turn keeps its bytes until then. */
static int store_bytes(wvl_cli_sequence *q, wvl_cli_frame *f)
{
    int in_turn = wvl_cli_writes_in_turn(q->store);
    double start = wvl_cli_seconds();
    wvl_cli_give_samples_back(&f->job);
    wvl_cli_describe_bytes(q->store, coded_bytes(f), &f->record);
    f->is_placed = !wvl_cli_has_files(q->store);
    int code = f->is_placed ? wvl_cli_place_frame(q->store, f->place, coded_bytes(f)) : store_file(q, f);
    f->encoded = f->finished.data ? f->job.encoded : NULL;
    f->job.encoded = f->encoded ? NULL : f->job.encoded;
    f->facts.stages.write += wvl_cli_seconds() - start;
    if (!in_turn) {
        drop_bytes(q, f);
    }
    return code;
}

/* From what was fetched to the coded bytes, and to a file of the frame's own. code: of a frame that did not come. */
static void finish_work(wvl_cli_sequence *q, wvl_cli_frame *f, wvl_cli_turns *turns, int code)
{
    f->state = WVL_CLI_FRAME_FAILED;
    f->output = wvl_cli_name_output(q->store, f->input, f->record.frame);
    if (!f->output || code == WVL_EXIT_DEVICE) {
        f->code = WVL_EXIT_DEVICE;
        if (!code) {
            wvl_cli_error("%s: out of memory", f->name);
        }
        return;
    }
    if (keeps_file(q, f, &f->code)) {
        f->state = WVL_CLI_FRAME_KEPT;
        return;
    }
    frame_at_work w = {.q = q, .f = f, .args = q->options->args, .run = q->run};
    w.args.out_format = NULL; /* the names have it already */
    wvl_cli_choose_frame_page(&q->source, f->record.frame, &w.args);
    if (q->source.kind == WVL_CLI_FROM_STREAM) {
        wvl_cli_describe_stream(q->source.stream, &w.args.io);
    }
    w.run.args = &w.args;
    f->code = f->code ? f->code : encode_frame(&w, turns, code);
    f->facts.was_read = f->job.picture.io.components != NULL;
    f->facts.unused = f->job.picture.unused;
    if (!f->code) {
        gather_facts(f);
        f->code = store_bytes(q, f);
        f->state = f->code ? WVL_CLI_FRAME_FAILED : f->state;
    }
    wvl_cli_give_samples_back(&f->job); /* its run ends here, and others may read while a failed frame waits */
    f->job.s = NULL;
    f->job.stages.encode = f->job.seconds;
    wvl_cli_add_stages(&f->facts.stages, &f->job.stages);
}

void wvl_cli_do_frame(wvl_cli_sequence *q, wvl_cli_frame *f, wvl_cli_turns *turns)
{
    int code = WVL_EXIT_OK;
    double started = wvl_cli_seconds();
    (void)fetch_frame(q, f, &code);
    finish_work(q, f, turns, code);
    f->facts.seconds = wvl_cli_seconds() - started;
}

/* ---- In turn --------------------------------------------------------------------------------- */

static int stop(wvl_cli_sequence *q, int code)
{
    q->code = q->code ? q->code : code;
    pthread_mutex_lock(&q->lock);
    q->stopped = 1;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    return 0;
}

/* After a stop frames may be missing, and no limit is asked for any more. */
static void put_bytes(wvl_cli_sequence *q, const wvl_cli_frame *f)
{
    if (q->rate && !q->stopped) {
        pthread_mutex_lock(&q->lock);
        uint64_t bytes = f->state == WVL_CLI_FRAME_FAILED ? 0 : f->record.coded_bytes;
        if (wvl_sequence_put_bytes(q->rate, bytes) && !q->code) {
            q->code = wvl_cli_fail(
                WVL_EXIT_DEVICE, "%s: has more bytes than its limit: a defect of wavelane, please report it", f->name);
        }
        pthread_cond_broadcast(&q->changed);
        pthread_mutex_unlock(&q->lock);
    }
}

static void count_frame(wvl_cli_sequence *q, const wvl_cli_frame *f)
{
    q->done++;
    q->encoded += f->state == WVL_CLI_FRAME_ENCODED;
    q->kept += f->state == WVL_CLI_FRAME_KEPT;
    q->black += f->state == WVL_CLI_FRAME_BLACK;
    q->failed += f->state == WVL_CLI_FRAME_FAILED;
    wvl_cli_count_reason(&q->run.reasons, f->state == WVL_CLI_FRAME_FAILED ? f->code : WVL_EXIT_OK);
    q->run.unused &= f->facts.was_read ? f->facts.unused : WVL_UNUSED_UNKNOWN;
    q->run.unused = f->state == WVL_CLI_FRAME_KEPT ? 0 : q->run.unused; /* nothing is known of what was not read */
    if (f->state == WVL_CLI_FRAME_KEPT && f->is_late && !q->late++) {
        snprintf(q->first_late, sizeof q->first_late, "%.230s", f->name);
    }
    q->bytes += f->state == WVL_CLI_FRAME_FAILED ? 0 : f->record.bytes;
    wvl_cli_add_stages(&q->stages, &f->facts.stages);
    if ((f->state == WVL_CLI_FRAME_FAILED || f->state == WVL_CLI_FRAME_BLACK) && !q->first_failed[0]) {
        snprintf(q->first_failed, sizeof q->first_failed, "%.230s", f->name);
    }
    if (f->state == WVL_CLI_FRAME_BLACK) {
        wvl_cli_warn("%s: replaced by a black frame", f->name);
    }
}

int wvl_cli_account_frame(wvl_cli_sequence *q, const wvl_cli_frame *f)
{
    put_bytes(q, f);
    if (q->stopped && f->state == WVL_CLI_FRAME_FAILED) {
        return 0;
    }
    count_frame(q, f);
    wvl_cli_report_frame(q, f);
    int is_interrupted = f->code == WVL_EXIT_INTERRUPTED || wvl_cli_was_interrupted();
    if (is_interrupted || q->code) {
        return stop(q, is_interrupted ? WVL_EXIT_INTERRUPTED : q->code);
    }
    if (f->code && (q->options->on_error == WVL_CLI_STOP || !is_bad_frame(f->code))) {
        return stop(q, f->code);
    }
    return !q->stopped;
}

/* After a stop, frames that were in work and have files are still noted: they are complete. */
static void account(wvl_cli_sequence *q, wvl_cli_frame *f, wvl_cli_turns *turns)
{
    if (q->stopped && !wvl_cli_has_files(q->store)) {
        return;
    }
    /* A new frame goes into the file of all, and into the journal. */
    int is_new = f->state == WVL_CLI_FRAME_ENCODED || f->state == WVL_CLI_FRAME_BLACK;
    if (is_new && !wvl_cli_has_files(q->store)) {
        double start = wvl_cli_seconds();
        f->code = wvl_cli_append_frame(q->store, coded_bytes(f), f->record.bytes);
        f->facts.stages.write += wvl_cli_seconds() - start;
    }
    if (is_new && !f->code) {
        f->code = wvl_cli_note_frame(q->store, &f->record);
    }
    f->state = f->code ? WVL_CLI_FRAME_FAILED : f->state;
    if (!wvl_cli_account_frame(q, f)) {
        wvl_cli_stop_turns(turns);
    }
}

/* Releases what it was made of. Its coded bytes stay. */
static void release_work(wvl_cli_sequence *q, wvl_cli_frame *f)
{
    wvl_cli_release_job(&f->job);
    memset(&f->job, 0, sizeof f->job);
    if (f->tray) {
        wvl_cli_return_tray(q->run.trays, f->tray);
    } else {
        wvl_cli_return_buffer(&q->buffers, f->given);
    }
    f->given = NULL;
    f->tray = NULL;
}

void wvl_cli_release_frame(wvl_cli_sequence *q, wvl_cli_frame *f)
{
    release_work(q, f);
    drop_bytes(q, f);
    free(f->input);
    free(f->output);
}

void wvl_cli_run_frame(void *user, wvl_cli_turns *turns, size_t place, void *piece)
{
    wvl_cli_sequence *q = user;
    wvl_cli_frame *f = piece;
    f->place = place;
    f->turn = place;
    int code = WVL_EXIT_OK;
    double started = wvl_cli_seconds();
    int is_there = fetch_frame(q, f, &code);
    double fetched = wvl_cli_seconds();
    f->facts.stages.read = fetched - started;
    if (is_there && await_limit(q, f)) {
        f->facts.stages.wait = wvl_cli_seconds() - fetched;
        finish_work(q, f, turns, code);
        f->facts.seconds = wvl_cli_seconds() - started;
    }
    if (!f->is_placed) {
        (void)wvl_cli_place_frame(q->store, place, NULL); /* those behind it go on */
    }
    release_work(q, f);
}

void wvl_cli_tell_frame(void *user, wvl_cli_turns *turns, size_t place, void *piece)
{
    wvl_cli_sequence *q = user;
    wvl_cli_frame *f = piece;
    (void)place;
    if (q->stopped && f->state == WVL_CLI_FRAME_FAILED) {
        wvl_cli_forget_messages(0); /* the run has ended with an earlier frame */
    }
    wvl_cli_tell_messages();
    if (f->state != WVL_CLI_FRAME_NONE) {
        account(q, f, turns);
    } else if (!q->stopped) {
        wvl_cli_stop_turns(turns); /* the stream has ended */
    }
    wvl_cli_clear_warnings();
    wvl_cli_release_frame(q, f);
}
