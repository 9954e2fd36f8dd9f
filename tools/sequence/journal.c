/* SPDX-License-Identifier: BSD-2-Clause */
#include "journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "grow.h"

#define TITLE_BYTES (sizeof WVL_SEQUENCE_TITLE - 1)
#define PARAMETER "parameter "

/* ---- Writing --------------------------------------------------------------------------------- */

static size_t put_begin(char *text, uint64_t sum)
{
    return (size_t)snprintf(text, WVL_SEQUENCE_RECORD_CHARS, "begin %016" PRIx64 "\n", sum);
}

char *wvl_sequence_make_head(const wvl_sequence_checksum *checksum, const char *parameters, size_t *bytes)
{
    size_t room = TITLE_BYTES + strlen(parameters) + WVL_SEQUENCE_RECORD_CHARS + 1;
    char *text = malloc(room);
    if (!text) {
        return NULL;
    }
    size_t used = (size_t)snprintf(text, room, WVL_SEQUENCE_TITLE "%s", parameters);
    uint64_t sum = wvl_sequence_sum_bytes(checksum, 0, text, used);
    *bytes = used + put_begin(text + used, sum);
    return text;
}

size_t wvl_sequence_put_record(char *text, const wvl_sequence_record *r)
{
    return (size_t)snprintf(text, WVL_SEQUENCE_RECORD_CHARS,
                            "frame %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", r->frame,
                            r->bytes, r->coded_bytes, r->limit_bytes, r->checksum);
}

size_t wvl_sequence_put_claim(const wvl_sequence_checksum *checksum, char *text, const wvl_sequence_claim *claim)
{
    size_t used = (size_t)snprintf(text, WVL_SEQUENCE_RECORD_CHARS, "claim %" PRIu64 " %" PRIu64 " %" PRIu64 " ",
                                   claim->first, claim->last, claim->step);
    uint64_t sum = wvl_sequence_sum_bytes(checksum, 0, text, used);
    return used + (size_t)snprintf(text + used, WVL_SEQUENCE_RECORD_CHARS - used, "%016" PRIx64 "\n", sum);
}

/* ---- Claims ---------------------------------------------------------------------------------- */

int wvl_sequence_add_claim(wvl_sequence_journal *j, const wvl_sequence_claim *claim)
{
    wvl_sequence_claim *before = j->claim_count ? &j->claims[j->claim_count - 1] : NULL;
    if (before && before->step == claim->step && claim->first > before->last &&
        claim->first - before->last == claim->step) {
        before->last = claim->last;
        return 1;
    }
    wvl_sequence_claim *claims = wvl_sequence_grow(j->claims, j->claim_count, &j->claim_capacity, sizeof *claims);
    if (!claims) {
        return 0;
    }
    j->claims = claims;
    j->claims[j->claim_count++] = *claim;
    return 1;
}

int wvl_sequence_is_own(const wvl_sequence_journal *j, uint64_t frame)
{
    for (size_t i = 0; i < j->claim_count; i++) {
        const wvl_sequence_claim *c = &j->claims[i];
        if (frame >= c->first && frame <= c->last && (frame - c->first) % c->step == 0) {
            return 1;
        }
    }
    return wvl_sequence_find_record(j, frame) != NULL;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* A piece of text that is taken from its beginning. */
typedef struct cursor {
    const char *at, *end;
} cursor;

static int take_text(cursor *c, const char *text)
{
    size_t length = strlen(text);
    int is_there = (size_t)(c->end - c->at) >= length && !memcmp(c->at, text, length);
    c->at += is_there ? length : 0;
    return is_there;
}

/* The next line with its end, as a string of its own; one that is longer than any of ours is cut. 0: there is none. */
static int peek_line(const cursor *c, char line[WVL_SEQUENCE_RECORD_CHARS])
{
    const char *end = memchr(c->at, '\n', (size_t)(c->end - c->at));
    size_t length = end ? (size_t)(end - c->at) + 1 : 0;
    snprintf(line, WVL_SEQUENCE_RECORD_CHARS, "%.*s", (int)(length < WVL_SEQUENCE_RECORD_CHARS ? length : 0), c->at);
    return line[0] != '\0';
}

/* Title, parameters and their checksum. */
static wvl_sequence_journal_status read_head(const wvl_sequence_checksum *checksum, cursor *c, cursor *parameters)
{
    char line[WVL_SEQUENCE_RECORD_CHARS], wanted[sizeof line];
    const char *start = c->at;
    size_t held = (size_t)(c->end - c->at);
    if (memcmp(c->at, WVL_SEQUENCE_TITLE, held < TITLE_BYTES ? held : TITLE_BYTES) != 0) {
        return WVL_SEQUENCE_JOURNAL_FOREIGN;
    }
    if (!take_text(c, WVL_SEQUENCE_TITLE)) {
        return WVL_SEQUENCE_JOURNAL_CUT;
    }
    parameters->at = c->at;
    while (take_text(c, PARAMETER)) {
        const char *line_end = memchr(c->at, '\n', (size_t)(c->end - c->at));
        c->at = line_end ? line_end + 1 : c->end;
    }
    parameters->end = c->at;
    if (!memchr(c->at, '\n', (size_t)(c->end - c->at))) {
        return WVL_SEQUENCE_JOURNAL_CUT;
    }
    put_begin(wanted, wvl_sequence_sum_bytes(checksum, 0, start, (size_t)(c->at - start)));
    int is_begin = peek_line(c, line) && !strcmp(line, wanted) && take_text(c, line);
    return is_begin ? WVL_SEQUENCE_JOURNAL_OK : WVL_SEQUENCE_JOURNAL_FOREIGN;
}

/* A line is a record or a claim if writing what was read gives the same line. */
static int take_record(cursor *c, const char *line, wvl_sequence_record *r)
{
    char again[WVL_SEQUENCE_RECORD_CHARS];
    *r = (wvl_sequence_record){0};
    (void)sscanf(line, "frame %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNx64, &r->frame, &r->bytes,
                 &r->coded_bytes, &r->limit_bytes, &r->checksum);
    (void)wvl_sequence_put_record(again, r);
    return !strcmp(line, again) && take_text(c, line);
}

static int take_claim(const wvl_sequence_checksum *checksum, cursor *c, const char *line, wvl_sequence_claim *claim)
{
    char again[WVL_SEQUENCE_RECORD_CHARS];
    *claim = (wvl_sequence_claim){0};
    (void)sscanf(line, "claim %" SCNu64 " %" SCNu64 " %" SCNu64, &claim->first, &claim->last, &claim->step);
    (void)wvl_sequence_put_claim(checksum, again, claim);
    return !strcmp(line, again) && claim->step && claim->first <= claim->last && take_text(c, line);
}

static int add_record(wvl_sequence_journal *j, const wvl_sequence_record *record)
{
    wvl_sequence_record *records = wvl_sequence_grow(j->records, j->count, &j->capacity, sizeof *records);
    if (!records) {
        return 0;
    }
    j->records = records;
    j->records[j->count] = *record;
    j->records[j->count].line = j->count;
    j->count++;
    return 1;
}

/* ---- Order ----------------------------------------------------------------------------------- */

static int by_frame(const void *a, const void *b)
{
    const wvl_sequence_record *x = a, *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static int by_frame_and_line(const void *a, const void *b)
{
    const wvl_sequence_record *x = a, *y = b;
    int order = by_frame(a, b);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Of each frame the last line stays. */
static void put_in_order(wvl_sequence_journal *j)
{
    size_t kept = 0;
    if (j->count) {
        qsort(j->records, j->count, sizeof *j->records, by_frame_and_line);
    }
    for (size_t i = 0; i < j->count; i++) {
        kept += kept && j->records[kept - 1].frame == j->records[i].frame ? 0 : 1;
        j->records[kept - 1] = j->records[i];
    }
    j->count = kept;
}

/* One line, or the head of a journal behind the first: 1; 0: it is none; -1: no memory. */
static int read_line(const wvl_sequence_checksum *checksum, cursor *c, wvl_sequence_journal *journal)
{
    wvl_sequence_record record;
    wvl_sequence_claim claim;
    cursor others;
    char line[WVL_SEQUENCE_RECORD_CHARS];
    if (*c->at == 'w') {
        return read_head(checksum, c, &others) == WVL_SEQUENCE_JOURNAL_OK;
    }
    if (!peek_line(c, line)) {
        return 0;
    }
    if (take_claim(checksum, c, line, &claim)) {
        return wvl_sequence_add_claim(journal, &claim) ? 1 : -1;
    }
    if (!take_record(c, line, &record)) {
        return 0;
    }
    return add_record(journal, &record) ? 1 : -1;
}

wvl_sequence_journal_status wvl_sequence_read_journal(const wvl_sequence_checksum *checksum, const char *text,
                                                      size_t bytes, wvl_sequence_journal *journal)
{
    cursor c = {text, text + bytes}, parameters = {text, text};
    memset(journal, 0, sizeof *journal);
    wvl_sequence_journal_status status = read_head(checksum, &c, &parameters);
    journal->parameters = parameters.at;
    journal->parameter_bytes = (size_t)(parameters.end - parameters.at);
    journal->good_bytes = (size_t)(c.at - text);
    for (int read = 1; status == WVL_SEQUENCE_JOURNAL_OK && read > 0 && c.at < c.end;) {
        read = read_line(checksum, &c, journal);
        status = read < 0 ? WVL_SEQUENCE_JOURNAL_MEMORY : status;
        journal->good_bytes = read > 0 ? (size_t)(c.at - text) : journal->good_bytes;
    }
    if (status) {
        wvl_sequence_release_journal(journal);
    }
    put_in_order(journal);
    return status;
}

const wvl_sequence_record *wvl_sequence_find_record(const wvl_sequence_journal *journal, uint64_t frame)
{
    const wvl_sequence_record key = {.frame = frame};
    return journal->count ? bsearch(&key, journal->records, journal->count, sizeof *journal->records, by_frame) : NULL;
}

void wvl_sequence_release_journal(wvl_sequence_journal *journal)
{
    free(journal->records);
    free(journal->claims);
    memset(journal, 0, sizeof *journal);
}
