/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which files a run may replace without --force: those that it made itself. A frame's line in the journal comes after
 * its file, so a run that was killed leaves files without lines. Therefore frames are claimed before: those in whose
 * place no file is.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "sequence_store.h"

#define PLACES_A_CLAIM 64u /* of a stream: how far claims go ahead of its frames */

int wvl_cli_may_replace(wvl_cli_store *s, uint64_t number)
{
    pthread_mutex_lock(&s->lock);
    int is_own = wvl_sequence_is_own(&s->old, number);
    pthread_mutex_unlock(&s->lock);
    return is_own;
}

/* 1: there is nothing in the frame's place. -1: no memory. */
static int is_free(const wvl_cli_store *s, const wvl_cli_source *source, uint64_t number)
{
    struct stat st;
    if (s->is_new_folder) {
        return 1;
    }
    char *input = wvl_cli_name_input(source, number), *output = wvl_cli_name_output(s, input, number);
    int has_names = output && (input || source->kind == WVL_CLI_FROM_STREAM);
    int result = has_names ? lstat(output, &st) && errno == ENOENT : -1;
    free(input);
    free(output);
    return result;
}

static int put_claim(wvl_cli_store *s, const wvl_sequence_claim *claim)
{
    char text[WVL_SEQUENCE_RECORD_CHARS];
    if (!wvl_sequence_add_claim(&s->old, claim)) {
        return wvl_cli_lack_memory(s->output);
    }
    return wvl_cli_write_all(s->journal_fd, text, wvl_sequence_put_claim(&s->sums, text, claim), s->journal_path);
}

/* A line for each run of places from..to - 1 that are free. The lock is held. */
static int claim_free(wvl_cli_store *s, const wvl_cli_source *source, uint64_t from, uint64_t to)
{
    int code = WVL_EXIT_OK, is_open = 0;
    wvl_sequence_claim run = {0, 0, source->range.step};
    for (uint64_t place = from; !code && place < to; place++) {
        uint64_t number = wvl_cli_frame_number(source, place);
        if (number > source->range.last) {
            break;
        }
        int takes = wvl_sequence_is_own(&s->old, number) ? 0 : is_free(s, source, number);
        if (takes < 0) {
            return wvl_cli_lack_memory(s->output);
        }
        if (takes) {
            run.first = is_open ? run.first : number;
            run.last = number;
        } else if (is_open) {
            code = put_claim(s, &run);
        }
        is_open = takes;
    }
    return code || !is_open ? code : put_claim(s, &run);
}

/* All frames, whatever is in their places. */
static int claim_all(wvl_cli_store *s, const wvl_cli_source *source)
{
    int is_known = source->count != WVL_CLI_UNKNOWN_COUNT;
    wvl_sequence_claim all = {wvl_cli_frame_number(source, 0), source->range.last, source->range.step};
    if (is_known && !source->count) {
        return WVL_EXIT_OK;
    }
    all.last = is_known ? wvl_cli_frame_number(source, source->count - 1) : all.last;
    return put_claim(s, &all);
}

int wvl_cli_claim_frames(wvl_cli_store *s, const wvl_cli_source *source)
{
    int code = WVL_EXIT_OK, is_known = source->count != WVL_CLI_UNKNOWN_COUNT;
    pthread_mutex_lock(&s->lock); /* claims are synced before the files, to be known after a power failure */
    if (s->options->args.force) {
        code = claim_all(s, source);
    } else if (is_known) {
        code = claim_free(s, source, 0, source->count);
    }
    s->claimed_places = s->options->args.force || is_known ? UINT64_MAX : 0;
    code = code || !s->claimed_places ? code : wvl_cli_sync_file(s->journal_fd, s->journal_path);
    pthread_mutex_unlock(&s->lock);
    return code;
}

/* ---- What an earlier run has left ------------------------------------------------------------ */

/* The line "parameter NAME..." among whole lines; its length 0: there is none. */
static const char *find_line(const char *text, size_t bytes, const char *name, size_t *length)
{
    const char *end = text + bytes, *next;
    size_t n = strlen(name);
    *length = 0;
    for (const char *line = text; line < end; line = next + 1) {
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next : end;
        if ((size_t)(next - line) >= n && !memcmp(line, name, n)) {
            *length = (size_t)(next - line);
            return line;
        }
    }
    return text;
}

/* Names of files follow from OUT and the format. */
static int has_other_names(const wvl_sequence_journal *before, const char *parameters)
{
    static const char *const names[] = {"parameter out ", "parameter option OutFor "};
    int differs = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t old_length, length;
        const char *old = find_line(before->parameters, before->parameter_bytes, names[i], &old_length),
                   *now = find_line(parameters, strlen(parameters), names[i], &length);
        differs |= length != old_length || memcmp(now, old, length) != 0;
    }
    return differs;
}

int wvl_cli_is_of_run(const wvl_cli_source *source, uint64_t number)
{
    uint64_t first = wvl_cli_frame_number(source, 0), step = source->range.step;
    return number >= first && number <= source->range.last && (number - first) % step == 0 &&
           (number - first) / step < source->count;
}

void wvl_cli_count_left(wvl_cli_store *s, const wvl_cli_source *source, const wvl_sequence_journal *before,
                        const char *parameters)
{
    int is_renamed = has_other_names(before, parameters);
    for (size_t i = 0; i < before->count && wvl_cli_has_files(s); i++) { /* one file is cut */
        s->left_behind += is_renamed || !wvl_cli_is_of_run(source, before->records[i].frame);
    }
}

uint64_t wvl_cli_left_behind(const wvl_cli_store *s) { return s->left_behind; }

int wvl_cli_claim_place(wvl_cli_store *s, const wvl_cli_source *source, uint64_t place)
{
    int code = WVL_EXIT_OK;
    pthread_mutex_lock(&s->lock);
    if (s->journal_fd >= 0 && place >= s->claimed_places) {
        uint64_t from = s->claimed_places, to = place + PLACES_A_CLAIM;
        code = claim_free(s, source, from, to);
        TRY(code, wvl_cli_sync_file(s->journal_fd, s->journal_path));
        s->claimed_places = code ? from : to;
    }
    pthread_mutex_unlock(&s->lock);
    return code;
}
