/* SPDX-License-Identifier: BSD-2-Clause */
#include "journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"

#define TITLE_BYTES (sizeof WVL_SEQUENCE_TITLE - 1)
#define PARAMETER "parameter "
#define SUM_DIGITS 16u

/* ---- Writing --------------------------------------------------------------------------------- */

char *wvl_sequence_make_head(const wvl_sequence_checksum *checksum, const char *parameters, size_t *bytes)
{
    size_t room = TITLE_BYTES + strlen(parameters) + 64;
    char *text = malloc(room);
    if (!text) {
        return NULL;
    }
    size_t used = (size_t)snprintf(text, room, WVL_SEQUENCE_TITLE "%s", parameters);
    uint64_t sum = wvl_sequence_sum_bytes(checksum, 0, text, used);
    *bytes = used + (size_t)snprintf(text + used, room - used, "begin %016" PRIx64 "\n", sum);
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

/* A decimal number and the blank behind it. */
static int take_number(cursor *c, uint64_t *value)
{
    uint64_t v = 0;
    const char *first = c->at;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        if (v > (UINT64_MAX - 9) / 10) {
            return 0;
        }
        v = v * 10 + (unsigned)(*c->at - '0');
    }
    *value = v;
    return c->at != first && take_text(c, " ");
}

/* SUM_DIGITS digits and the end of the line. */
static int take_sum(cursor *c, uint64_t *value)
{
    uint64_t v = 0;
    if ((size_t)(c->end - c->at) < SUM_DIGITS + 1) {
        return 0;
    }
    for (unsigned i = 0; i < SUM_DIGITS; i++, c->at++) {
        const char *digits = "0123456789abcdef", *digit = *c->at ? strchr(digits, *c->at) : NULL;
        if (!digit) {
            return 0;
        }
        v = v << 4 | (uint64_t)(digit - digits);
    }
    *value = v;
    return take_text(c, "\n");
}

/* Title, parameters and their checksum. */
static wvl_sequence_journal_status read_head(const wvl_sequence_checksum *checksum, cursor *c, cursor *parameters)
{
    const char *start = c->at;
    uint64_t sum;
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
    uint64_t wanted = wvl_sequence_sum_bytes(checksum, 0, start, (size_t)(c->at - start));
    if (!memchr(c->at, '\n', (size_t)(c->end - c->at))) {
        return WVL_SEQUENCE_JOURNAL_CUT;
    }
    int good = take_text(c, "begin ") && take_sum(c, &sum) && sum == wanted;
    return good ? WVL_SEQUENCE_JOURNAL_OK : WVL_SEQUENCE_JOURNAL_FOREIGN;
}

static int take_record(cursor *c, wvl_sequence_record *r)
{
    return take_text(c, "frame ") && take_number(c, &r->frame) && take_number(c, &r->bytes) &&
           take_number(c, &r->coded_bytes) && take_number(c, &r->limit_bytes) && take_sum(c, &r->checksum);
}

static int take_claim(const wvl_sequence_checksum *checksum, cursor *c, wvl_sequence_claim *claim)
{
    const char *start = c->at;
    uint64_t sum;
    if (!take_text(c, "claim ") || !take_number(c, &claim->first) || !take_number(c, &claim->last) ||
        !take_number(c, &claim->step)) {
        return 0;
    }
    uint64_t wanted = wvl_sequence_sum_bytes(checksum, 0, start, (size_t)(c->at - start));
    return take_sum(c, &sum) && sum == wanted && claim->step && claim->first <= claim->last;
}

static int add_record(wvl_sequence_journal *j, const wvl_sequence_record *record)
{
    wvl_sequence_record *records = wvl_sequence_grow(j->records, j->count, &j->capacity, sizeof *records);
    if (!records) {
        return 0;
    }
    j->records = records;
    j->records[j->count++] = *record;
    return 1;
}

/* ---- Order ----------------------------------------------------------------------------------- */

static int by_frame(const void *a, const void *b)
{
    const wvl_sequence_record *x = a, *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

/* A merge sort keeps the order of the lines of one frame, which qsort need not. Lines are almost in order, so runs that
 * are sorted already are left as they are. spare has as many records. */
static void sort_records(wvl_sequence_record *records, wvl_sequence_record *spare, size_t count)
{
    size_t half = count / 2, a = 0, b = half, used = 0;
    if (count < 2) {
        return;
    }
    sort_records(records, spare, half);
    sort_records(records + half, spare, count - half);
    if (by_frame(&records[half - 1], &records[half]) <= 0) {
        return;
    }
    while (a < half || b < count) {
        int takes_second = a == half || (b < count && by_frame(&records[b], &records[a]) < 0);
        spare[used++] = takes_second ? records[b++] : records[a++];
    }
    memcpy(records, spare, count * sizeof *records);
}

static int put_in_order(wvl_sequence_journal *j)
{
    wvl_sequence_record *spare = malloc((j->count + 1) * sizeof *spare);
    size_t kept = 0;
    if (!spare) {
        return 0;
    }
    sort_records(j->records, spare, j->count);
    free(spare);
    for (size_t i = 0; i < j->count; i++) {
        if (i + 1 == j->count || j->records[i].frame != j->records[i + 1].frame) {
            j->records[kept++] = j->records[i];
        }
    }
    j->count = kept;
    return 1;
}

/* One line, or the head of a journal behind the first: 1; 0: it is none; -1: no memory. */
static int read_line(const wvl_sequence_checksum *checksum, cursor *c, wvl_sequence_journal *journal)
{
    wvl_sequence_record record;
    wvl_sequence_claim claim;
    cursor others;
    switch (*c->at) {
    case 'w': return read_head(checksum, c, &others) == WVL_SEQUENCE_JOURNAL_OK;
    case 'c':
        if (!take_claim(checksum, c, &claim)) {
            return 0;
        }
        return wvl_sequence_add_claim(journal, &claim) ? 1 : -1;
    default:
        if (!take_record(c, &record)) {
            return 0;
        }
        return add_record(journal, &record) ? 1 : -1;
    }
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
    if (status == WVL_SEQUENCE_JOURNAL_OK && !put_in_order(journal)) {
        status = WVL_SEQUENCE_JOURNAL_MEMORY;
    }
    if (status) {
        wvl_sequence_release_journal(journal);
    }
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
