/* SPDX-License-Identifier: BSD-2-Clause */
/* Sequences: limits of frames against an independent leaky bucket, restarts, journals, names. */

#include "tests/support/support.h"
#include "tools/sequence/journal.h"
#include "tools/sequence/names.h"
#include "tools/sequence/rate.h"

#define FRAMES 10000u

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 20) % below;
}

/* Draws what a frame would take: long stretches of easy and of hard frames, and single peaks. */
static uint64_t draw_wish(uint64_t usual, unsigned frame)
{
    const uint64_t moods[4] = {usual / 10, 4 * usual, 0, usual};
    uint64_t wish = moods[frame / 300 % 4];
    return wish + draw(usual / 2 + 2) + (draw(97) ? 0 : 20 * usual);
}

static const wvl_sequence_rate_options kinds[] = {
    {.bits_per_second = 250000000, .frames = 24, .seconds = 1, .lag = 64},
    {.bits_per_second = 20000000, .bucket_bits = 9000000, .frames = 24000, .seconds = 1001, .lag = 64},
    {.bits_per_second = 4000000, .bucket_bits = 3000001, .frames = 30000, .seconds = 1001, .lag = 1},
    {.bits_per_second = 8000000,
     .bucket_bits = 12000000,
     .bucket_bits_per_second = 10000000,
     .frames = 25,
     .seconds = 1,
     .lag = 7},
    {.bucket_bits = 2000000, .bucket_bits_per_second = 7777777, .frames = 60, .seconds = 1, .lag = 300},
    {.bits_per_second = 9999991, .bucket_bits = 500000, .frame_bytes = 45000, .frames = 50, .seconds = 1, .lag = 64},
};
#define KINDS ((int)(sizeof kinds / sizeof kinds[0]))

/* ---- An independent judge: fractions of a bit, nothing of the rules above ---------------------- */

/* Everything in bits times the frames of the rate, which are whole numbers. */
typedef struct judge {
    int64_t held, spent, shares;
    uint64_t most_held;
} judge;

static void judge_frame(judge *j, const wvl_sequence_rate_options *o, uint64_t bytes)
{
    int64_t bits = (int64_t)(bytes * 8 * o->frames);
    uint64_t out = o->bucket_bits_per_second ? o->bucket_bits_per_second : o->bits_per_second;
    j->held += bits;
    ck_assert(!o->bucket_bits || j->held <= (int64_t)(o->bucket_bits * o->frames));
    j->most_held = (uint64_t)j->held > j->most_held ? (uint64_t)j->held : j->most_held;
    j->held -= (int64_t)(out * o->seconds);
    j->held = j->held > 0 ? j->held : 0;
    j->spent += bits;
    j->shares += (int64_t)(o->bits_per_second * o->seconds);
    ck_assert(!o->bits_per_second || j->spent <= j->shares);
    ck_assert(!o->frame_bytes || bytes <= o->frame_bytes);
}

/* Frames take what they wish as far as they may. limits and bytes: [FRAMES]. */
static void run_frames(const wvl_sequence_rate_options *o, uint64_t *limits, uint64_t *bytes)
{
    judge j = {0, 0, 0, 0};
    wvl_sequence_rate *rate = NULL;
    uint64_t out = o->bits_per_second ? o->bits_per_second : o->bucket_bits_per_second;
    uint64_t usual = out * o->seconds / o->frames / 8;
    ck_assert_int_eq(wvl_sequence_open_rate(o, &rate), WVL_SEQUENCE_RATE_OK);
    for (unsigned n = 0; n < FRAMES; n++) {
        ck_assert_uint_eq(wvl_sequence_limit_count(rate), n + o->lag);
        limits[n] = wvl_sequence_limit_bytes(rate, n);
        ck_assert_uint_ge(limits[n], 1);
        uint64_t wish = draw_wish(usual, n);
        bytes[n] = wish < limits[n] ? wish : limits[n];
        judge_frame(&j, o, bytes[n]);
        ck_assert_int_eq(wvl_sequence_put_bytes(rate, bytes[n]), WVL_SEQUENCE_RATE_OK);
    }
    wvl_sequence_close_rate(rate);
    /* The room is used: hard frames fill the bucket, and the average is not left far behind. */
    ck_assert(!o->bucket_bits || o->frame_bytes || j.most_held >= o->bucket_bits * o->frames / 10 * 7);
    ck_assert(!o->bits_per_second || o->bucket_bits || j.spent >= j.shares / 10 * 9);
}

TEST_EACH(limits_keep_bucket_and_average, KINDS)
{
    static uint64_t limits[FRAMES], bytes[FRAMES];
    state = 41 + (uint64_t)_i;
    run_frames(&kinds[_i], limits, bytes);
}

/* A run that begins again at any frame, with what is known of the frames before it, sets the same limits. */
TEST_EACH(restarts_change_nothing, KINDS)
{
    static uint64_t limits[FRAMES], bytes[FRAMES];
    const wvl_sequence_rate_options *o = &kinds[_i];
    state = 7 + (uint64_t)_i;
    run_frames(o, limits, bytes);
    for (unsigned again = 0; again < 3; again++) {
        wvl_sequence_rate *rate = NULL;
        uint64_t from = draw(FRAMES);
        ck_assert_int_eq(wvl_sequence_open_rate(o, &rate), WVL_SEQUENCE_RATE_OK);
        for (uint64_t n = 0; n < FRAMES && n < from + 2 * o->lag; n++) {
            /* limits that are known ahead are those that hold when their frame comes */
            uint64_t ahead = wvl_sequence_limit_count(rate) - 1;
            ck_assert(ahead >= FRAMES || wvl_sequence_limit_bytes(rate, ahead) == limits[ahead]);
            ck_assert_uint_eq(wvl_sequence_limit_bytes(rate, n), limits[n]);
            ck_assert_int_eq(wvl_sequence_put_bytes(rate, bytes[n]), WVL_SEQUENCE_RATE_OK);
        }
        wvl_sequence_close_rate(rate);
    }
}

/* Frame n depends on frames up to n - lag, and on no later one. */
TEST(lag_is_kept)
{
    const wvl_sequence_rate_options *o = &kinds[1];
    wvl_sequence_rate *a = NULL, *b = NULL;
    ck_assert_int_eq(wvl_sequence_open_rate(o, &a), WVL_SEQUENCE_RATE_OK);
    ck_assert_int_eq(wvl_sequence_open_rate(o, &b), WVL_SEQUENCE_RATE_OK);
    ck_assert_int_eq(wvl_sequence_put_bytes(a, 1), WVL_SEQUENCE_RATE_OK);
    ck_assert_int_eq(wvl_sequence_put_bytes(b, 50000), WVL_SEQUENCE_RATE_OK);
    for (uint64_t n = 1; n < o->lag; n++) {
        ck_assert_uint_eq(wvl_sequence_limit_bytes(a, n), wvl_sequence_limit_bytes(b, n));
    }
    ck_assert_uint_gt(wvl_sequence_limit_bytes(a, o->lag), wvl_sequence_limit_bytes(b, o->lag));
    ck_assert_int_eq(wvl_sequence_put_bytes(a, wvl_sequence_limit_bytes(a, 1) + 1), WVL_SEQUENCE_RATE_DEFECT);
    wvl_sequence_close_rate(a);
    wvl_sequence_close_rate(b);
}

TEST_EACH(two_passes_keep_bucket_and_average, KINDS)
{
    static uint64_t first[FRAMES], limits[FRAMES];
    const wvl_sequence_rate_options *o = &kinds[_i];
    judge j = {0, 0, 0, 0};
    uint64_t out = o->bits_per_second ? o->bits_per_second : o->bucket_bits_per_second;
    uint64_t usual = out * o->seconds / o->frames / 8, free_first = 0, free_limit = 0;
    state = 99 + (uint64_t)_i;
    for (unsigned n = 0; n < FRAMES; n++) {
        first[n] = draw_wish(3 * usual, n) + 1;
    }
    ck_assert_int_eq(wvl_sequence_share_bytes(o, first, FRAMES, limits), WVL_SEQUENCE_RATE_OK);
    j.shares = o->bits_per_second ? (int64_t)(o->bits_per_second * o->seconds * FRAMES) : 0;
    int64_t all = j.shares;
    for (unsigned n = 0; n < FRAMES; n++) {
        j.shares = all; /* the average is that of the whole sequence */
        ck_assert_uint_ge(limits[n], 1);
        judge_frame(&j, o, limits[n]);
    }
    if (!o->bits_per_second) {
        return;
    }
    ck_assert(j.spent <= all && (o->frame_bytes || o->bucket_bits || j.spent >= all / 1000 * 999));
    /* In proportion, where nothing else binds. */
    for (unsigned n = 0; _i == 0 && n < FRAMES; n++) {
        if (first[n] > 1000 && free_first) {
            double ratio = (double)limits[n] / (double)first[n] * (double)free_first / (double)free_limit;
            ck_assert(ratio > 0.99 && ratio < 1.01);
        } else if (first[n] > 1000) {
            free_first = first[n];
            free_limit = limits[n];
        }
    }
}

TEST(rates_are_checked)
{
    wvl_sequence_rate_options o = {.frames = 24, .seconds = 1, .lag = 64};
    ck_assert_int_eq(wvl_sequence_check_rate(&o), WVL_SEQUENCE_RATE_NO_LIMIT);
    o.bucket_bits = 1000000;
    ck_assert_int_eq(wvl_sequence_check_rate(&o), WVL_SEQUENCE_RATE_NO_FLOW);
    o.bits_per_second = 24000000;
    ck_assert_int_eq(wvl_sequence_check_rate(&o), WVL_SEQUENCE_RATE_NO_ROOM);
    o.bucket_bits = 1000008;
    ck_assert_int_eq(wvl_sequence_check_rate(&o), WVL_SEQUENCE_RATE_OK);
    o.bits_per_second = 100;
    ck_assert_int_eq(wvl_sequence_check_rate(&o), WVL_SEQUENCE_RATE_TOO_SMALL);
    o.bits_per_second = WVL_SEQUENCE_MOST_BITS + 1;
    ck_assert_int_eq(wvl_sequence_check_rate(&o), WVL_SEQUENCE_RATE_RANGE);
    o.bits_per_second = 24000000;
    o.lag = 0;
    ck_assert_int_eq(wvl_sequence_check_rate(&o), WVL_SEQUENCE_RATE_RANGE);
}

/* ---- Journal --------------------------------------------------------------------------------- */

TEST(checksum_is_crc64)
{
    static wvl_sequence_checksum sum;
    wvl_sequence_init_checksum(&sum);
    const char *text = "123456789";
    ck_assert_uint_eq(wvl_sequence_sum_bytes(&sum, 0, text, 9), UINT64_C(0x995DC9BBDF1939FA)); /* CRC-64/XZ */
    for (size_t cut = 0; cut <= 9; cut++) {
        uint64_t part = wvl_sequence_sum_bytes(&sum, 0, text, cut);
        ck_assert_uint_eq(wvl_sequence_sum_bytes(&sum, part, text + cut, 9 - cut), UINT64_C(0x995DC9BBDF1939FA));
    }
}

/* A journal of three frames, the second one twice. */
/* Many bytes at a time have the sum of single ones. */
TEST(checksum_of_pieces)
{
    static wvl_sequence_checksum sum;
    static uint8_t data[700];
    wvl_sequence_init_checksum(&sum);
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)(i * i * 31 >> 3);
    }
    for (size_t bytes = 0; bytes + 3 <= sizeof data; bytes++) {
        const uint8_t *at = data + bytes % 3;
        uint64_t one = bytes;
        for (size_t i = 0; i < bytes; i++) {
            one = wvl_sequence_sum_bytes(&sum, one, at + i, 1);
        }
        ck_assert_uint_eq(wvl_sequence_sum_bytes(&sum, bytes, at, bytes), one);
    }
}

static size_t make_journal(const wvl_sequence_checksum *sum, char *text, size_t *head_bytes)
{
    static const wvl_sequence_record records[] = {
        {7, 100, 90, 0, 1, 0}, {5, 1, 1, 3, 2, 0}, {9, 3, 3, 3, UINT64_MAX, 0}, {5, 22, 21, 23, 0xABC, 0}};
    size_t used;
    char *head = wvl_sequence_make_head(sum, "parameter a=b\nparameter c\n", &used);
    memcpy(text, head, used);
    free(head);
    *head_bytes = used;
    for (size_t i = 0; i < 4; i++) {
        used += wvl_sequence_put_record(text + used, &records[i]);
    }
    return used;
}

/* However a journal is cut, what is read are whole lines of it. */
TEST(journals_are_read_as_far_as_they_go)
{
    static wvl_sequence_checksum sum;
    static const size_t counts[] = {0, 1, 2, 3, 3};
    char text[1024];
    size_t head;
    wvl_sequence_init_checksum(&sum);
    size_t bytes = make_journal(&sum, text, &head), lines = 0;
    for (size_t cut = 0; cut <= bytes; cut++) {
        wvl_sequence_journal j;
        lines += cut > head && text[cut - 1] == '\n';
        wvl_sequence_journal_status status = wvl_sequence_read_journal(&sum, text, cut, &j);
        ck_assert_int_eq(status, cut < head ? WVL_SEQUENCE_JOURNAL_CUT : WVL_SEQUENCE_JOURNAL_OK);
        if (cut < head) {
            continue;
        }
        ck_assert_uint_eq(j.count, counts[lines]);
        ck_assert(j.good_bytes <= cut && (j.good_bytes == cut) == (text[cut - 1] == '\n'));
        ck_assert_uint_eq(j.parameter_bytes, strlen("parameter a=b\nparameter c\n"));
        const wvl_sequence_record *r = wvl_sequence_find_record(&j, 5);
        ck_assert((lines >= 2) == (r != NULL));
        ck_assert(!r || (lines == 4 ? r->bytes == 22 && r->limit_bytes == 23 && r->checksum == 0xABC : r->bytes == 1));
        ck_assert(!wvl_sequence_find_record(&j, 6));
        wvl_sequence_release_journal(&j);
    }
}

TEST(damaged_heads_are_refused)
{
    static wvl_sequence_checksum sum;
    char text[2048];
    size_t head;
    wvl_sequence_journal j;
    wvl_sequence_init_checksum(&sum);
    size_t bytes = make_journal(&sum, text, &head);
    for (size_t i = 0; i < head; i++) {
        text[i] ^= 1;
        ck_assert_int_ne(wvl_sequence_read_journal(&sum, text, bytes, &j), WVL_SEQUENCE_JOURNAL_OK);
        text[i] ^= 1;
    }
    memcpy(text + bytes, text, bytes); /* one behind the other */
    ck_assert_int_eq(wvl_sequence_read_journal(&sum, text, 2 * bytes, &j), WVL_SEQUENCE_JOURNAL_OK);
    ck_assert_uint_eq(j.good_bytes, 2 * bytes);
    ck_assert_uint_eq(j.count, 3);
    wvl_sequence_release_journal(&j);
}

/* Every second frame of a range, a range that goes on, and one that does not. A line that is damaged or cut claims
 * nothing. */
TEST(claims_are_ranges)
{
    static wvl_sequence_checksum sum;
    static const wvl_sequence_claim claims[] = {{10, 18, 2}, {20, 30, 2}, {40, 44, 1}};
    char text[2048];
    size_t head, used;
    wvl_sequence_journal j;
    wvl_sequence_init_checksum(&sum);
    size_t bytes = used = make_journal(&sum, text, &head);
    for (size_t i = 0; i < 3; i++) {
        used += wvl_sequence_put_claim(&sum, text + used, &claims[i]);
    }
    ck_assert_int_eq(wvl_sequence_read_journal(&sum, text, used, &j), WVL_SEQUENCE_JOURNAL_OK);
    ck_assert(j.good_bytes == used && j.count == 3 && j.claim_count == 2);
    for (uint64_t frame = 0; frame < 60; frame++) {
        int is_own = frame == 5 || frame == 7 || frame == 9 || (frame >= 10 && frame <= 30 && frame % 2 == 0) ||
                     (frame >= 40 && frame <= 44);
        ck_assert_int_eq(wvl_sequence_is_own(&j, frame), is_own);
    }
    wvl_sequence_release_journal(&j);
    for (size_t i = bytes; i < used; i++) {
        text[i] ^= 1;
        ck_assert_int_eq(wvl_sequence_read_journal(&sum, text, used, &j), WVL_SEQUENCE_JOURNAL_OK);
        ck_assert_uint_le(j.good_bytes, i);
        wvl_sequence_release_journal(&j);
        text[i] ^= 1;
        ck_assert_int_eq(wvl_sequence_read_journal(&sum, text, i, &j), WVL_SEQUENCE_JOURNAL_OK);
        ck_assert(j.good_bytes <= i && (j.good_bytes == i) == (text[i - 1] == '\n'));
        wvl_sequence_release_journal(&j);
    }
}

/* ---- Names ----------------------------------------------------------------------------------- */

TEST(names_have_one_number)
{
    static const struct {
        const char *pattern, *name; /* NULL: no pattern */
    } rows[] = {{"f%d.j2c", "f42.j2c"},
                {"a/%06d.tif", "a/000042.tif"},
                {"%01d", "42"},
                {"f%6d.j2c", NULL},
                {"f%00d.j2c", NULL},
                {"f.j2c", NULL},
                {"f%d%d", NULL},
                {"f%", NULL},
                {"100%/f%03d.j2c", NULL},
                {"f%03x", NULL},
                {"f%0", NULL},
                {"%02d.%", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *name = wvl_sequence_name_frame(rows[i].pattern, 42);
        ck_assert(rows[i].name ? name && !strcmp(name, rows[i].name) : !name);
        free(name);
    }
}

TEST(ranges_are_read)
{
    static const struct {
        const char *text;
        uint64_t first, last, step, count; /* count 0: no range */
    } rows[] = {{"7", 7, 7, 1, 1},
                {"0-99", 0, 99, 1, 100},
                {"10-20x3", 10, 20, 3, 4},
                {"5x2", 5, 5, 2, 1},
                {"9-8", 0, 0, 0, 0},
                {"", 0, 0, 0, 0},
                {"-3", 0, 0, 0, 0},
                {"1-", 0, 0, 0, 0},
                {"1-2x0", 0, 0, 0, 0},
                {"1-2x", 0, 0, 0, 0},
                {"1-2 ", 0, 0, 0, 0},
                {"1-2,4", 0, 0, 0, 0},
                {"1-9999999999999", 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wvl_sequence_range r;
        ck_assert_int_eq(wvl_sequence_parse_range(rows[i].text, &r), rows[i].count != 0);
        ck_assert(!rows[i].count || (r.first == rows[i].first && r.last == rows[i].last && r.step == rows[i].step));
        ck_assert(!rows[i].count || wvl_sequence_range_count(&r) == rows[i].count);
    }
}

TEST(shards_cover_all_frames_once)
{
    uint32_t index, count;
    ck_assert(wvl_sequence_parse_shard("3/8", &index, &count) && index == 3 && count == 8);
    ck_assert(!wvl_sequence_parse_shard("0/8", &index, &count) && !wvl_sequence_parse_shard("9/8", &index, &count));
    ck_assert(!wvl_sequence_parse_shard("3", &index, &count) && !wvl_sequence_parse_shard("3/8x", &index, &count));
    for (uint64_t frames = 0; frames < 40; frames++) {
        for (count = 1; count < 12; count++) {
            uint64_t next = 0, begin, end;
            for (index = 1; index <= count; index++) {
                wvl_sequence_cut_shard(frames, index, count, &begin, &end);
                ck_assert(begin == next && end >= begin && end - begin <= frames / count + 1);
                next = end;
            }
            ck_assert_uint_eq(next, frames);
        }
    }
}

TEST_MAIN("sequence")
