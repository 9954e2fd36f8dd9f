/* SPDX-License-Identifier: BSD-2-Clause */
/* Leases of frames, on made-up workers and clocks: slow ones, failures, answers that get lost, late ones. */

#include "tests/support/support.h"
#include "tools/sequence/lease.h"

#define MOST_WORKERS 8u
#define MOST_SEATS 4u
#define MOST_FRAMES 200u
#define MOST_JOBS 4096u
#define SLOW 30.0

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 20) % below;
}

/* ---- A farm ---------------------------------------------------------------------------------- */

/* A lease at a worker: in its queue (ends < 0), in work, or answered. */
typedef struct job {
    uint32_t worker;
    uint64_t place;
    double ends;
    int is_last, is_answered, is_lost;
} job;

typedef struct farm {
    uint32_t workers, seats[MOST_WORKERS], busy[MOST_WORKERS];
    double seconds[MOST_WORKERS];                         /* of a frame */
    double dies[MOST_WORKERS];                            /* when it stops answering */
    unsigned failing[MOST_WORKERS], losing[MOST_WORKERS]; /* of 100 answers */
    uint64_t frames, lag;                                 /* lag 0: all frames may be leased */
    double now;
    job jobs[MOST_JOBS];
    size_t job_count;
    unsigned results[MOST_FRAMES], failures[MOST_FRAMES], copies[MOST_FRAMES];
    uint32_t failed_at[MOST_FRAMES];
    double failed_when[MOST_FRAMES];
    uint64_t done, failed;
    wvl_sequence_leases *leases;
} farm;

static farm f;

static void open_farm(void)
{
    const wvl_sequence_lease_options o = {f.frames, f.workers, SLOW};
    f.leases = wvl_sequence_open_leases(&o);
    ck_assert_ptr_nonnull(f.leases);
    for (uint32_t i = 0; i < f.workers; i++) {
        wvl_sequence_add_worker(f.leases, i, f.seats[i]);
    }
}

/* Rate control: the limit of a frame is known when the frames before it, less the lag, have ended. */
static uint64_t allowed(void)
{
    uint64_t first = wvl_sequence_first_open(f.leases);
    return f.lag && first + f.lag < f.frames ? first + f.lag : f.frames;
}

static unsigned unanswered(uint32_t worker)
{
    unsigned count = 0;
    for (size_t i = 0; i < f.job_count; i++) {
        count += f.jobs[i].worker == worker && !f.jobs[i].is_answered;
    }
    return count;
}

static void take_lease(uint32_t worker, const wvl_sequence_lease *lease)
{
    int is_there = 0;
    for (size_t i = 0; i < f.job_count; i++) {
        const job *j = &f.jobs[i];
        int is_same = j->place == lease->place && j->worker == worker;
        is_there |= is_same && !j->is_answered;
    }
    ck_assert(!is_there || f.copies[lease->place] > 3);
    int fails_again = f.failures[lease->place] && f.failed_at[lease->place] == worker;
    ck_assert(!fails_again || f.workers == 1 || lease->copy || f.now - f.failed_when[lease->place] > SLOW);
    ck_assert(lease->place < allowed() && !f.results[lease->place] && f.job_count < MOST_JOBS);
    f.copies[lease->place]++;
    f.jobs[f.job_count++] = (job){.worker = worker, .place = lease->place, .ends = -1, .is_last = lease->is_last};
}

static void give_leases(void)
{
    wvl_sequence_lease leases[3];
    wvl_sequence_allow_places(f.leases, allowed());
    for (uint32_t w = 0; w < f.workers; w++) {
        size_t count;
        while ((count = wvl_sequence_take_leases(f.leases, w, f.now, leases, 3)) != 0) {
            for (size_t i = 0; i < count; i++) {
                take_lease(w, &leases[i]);
            }
        }
    }
}

static void start_work(void)
{
    for (size_t i = 0; i < f.job_count; i++) {
        job *j = &f.jobs[i];
        if (j->ends < 0 && f.busy[j->worker] < f.seats[j->worker]) {
            f.busy[j->worker]++;
            j->ends = f.now + f.seconds[j->worker] * (0.5 + (double)draw(1000) / 1000);
        }
    }
}

static void answer(job *j)
{
    f.busy[j->worker]--;
    j->is_lost = draw(100) < f.losing[j->worker] || j->ends > f.dies[j->worker];
    if (j->is_lost) {
        j->ends = 1e300;
        return;
    }
    j->is_answered = 1;
    int is_good = draw(100) >= f.failing[j->worker];
    wvl_sequence_answer a = wvl_sequence_take_answer(f.leases, j->worker, j->place, is_good, f.now);
    int ends = a == WVL_SEQUENCE_ANSWER_DONE || a == WVL_SEQUENCE_ANSWER_FAILED;
    f.results[j->place] += ends;
    f.done += a == WVL_SEQUENCE_ANSWER_DONE;
    f.failed += a == WVL_SEQUENCE_ANSWER_FAILED;
    f.failures[j->place] += !is_good;
    f.failed_at[j->place] = j->worker;
    f.failed_when[j->place] = f.now;
    int fits = is_good ? ends || a == WVL_SEQUENCE_ANSWER_VOID : a != WVL_SEQUENCE_ANSWER_DONE;
    int is_final = f.failures[j->place] >= WVL_SEQUENCE_LEASE_TRIES && j->is_last;
    ck_assert(fits && f.results[j->place] <= 1 && (a != WVL_SEQUENCE_ANSWER_FAILED || is_final));
}

/* The next thing that happens; nothing: time goes by. */
static void step(void)
{
    job *next = NULL;
    for (size_t i = 0; i < f.job_count; i++) {
        job *j = &f.jobs[i];
        if (!j->is_answered && !j->is_lost && j->ends >= 0 && (!next || j->ends < next->ends)) {
            next = j;
        }
    }
    if (!next || next->ends > f.now + SLOW) {
        f.now += SLOW;
        return;
    }
    f.now = next->ends > f.now ? next->ends : f.now;
    answer(next);
}

static void run_farm(double most_seconds)
{
    open_farm();
    while (wvl_sequence_first_open(f.leases) < f.frames) {
        give_leases();
        start_work();
        step();
        if (f.now > most_seconds) {
            ck_abort_msg("no end after %g s", f.now);
        }
    }
    uint64_t once = 0;
    for (uint64_t p = 0; p < f.frames; p++) {
        once += f.results[p] == 1;
    }
    ck_assert_uint_eq(once, f.frames);
    ck_assert_uint_eq(f.done + f.failed, f.frames);
    wvl_sequence_close_leases(f.leases);
}

static void clear_farm(uint64_t frames, uint32_t workers, uint32_t seats)
{
    memset(&f, 0, sizeof f);
    f.frames = frames;
    f.workers = workers;
    for (uint32_t i = 0; i < workers; i++) {
        f.seats[i] = seats;
        f.seconds[i] = 1;
        f.dies[i] = 1e200;
    }
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* Worker 0 always answers; the others are slow, fail, lose answers, or die. */
static void draw_worker(uint32_t w)
{
    f.seats[w] = 1 + (uint32_t)draw(MOST_SEATS);
    f.seconds[w] = 0.001 * (double)(1 + draw(200));
    f.failing[w] = draw(3) ? 0 : (unsigned)draw(40);
    if (!w) {
        return;
    }
    f.seconds[w] *= draw(4) ? 1 : 500;
    f.losing[w] = draw(4) ? 0 : (unsigned)draw(30);
    f.dies[w] = draw(4) ? 1e200 : (double)draw(60);
}

TEST(test_random_farms)
{
    uint64_t failed = 0, copied = 0;
    for (unsigned run = 0; run < 10000; run++) {
        state = run + 1;
        clear_farm(draw(run % 16 ? 30 : MOST_FRAMES), 1 + (uint32_t)draw(MOST_WORKERS), 1);
        f.lag = draw(2) ? 0 : 1 + draw(20);
        for (uint32_t w = 0; w < f.workers; w++) {
            draw_worker(w);
        }
        run_farm(1e6);
        failed += f.failed;
        for (uint64_t p = 0; p < f.frames; p++) {
            copied += f.copies[p] > f.failures[p] + 1;
        }
    }
    /* All of it came up. */
    ck_assert_uint_gt(failed, 100);
    ck_assert_uint_gt(copied, 100);
}

/* Without failures every frame is leased once, and no worker has more than twice its seats. */
TEST(test_prefetch)
{
    wvl_sequence_lease leases[MOST_FRAMES];
    clear_farm(100, 3, 2);
    open_farm();
    for (uint32_t w = 0; w < 3; w++) {
        ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, w, 0, leases, MOST_FRAMES), 4);
        ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, w, 0, leases, MOST_FRAMES), 0);
    }
    wvl_sequence_close_leases(f.leases);
    run_farm(1000);
    ck_assert_uint_eq(f.job_count, 100);
    ck_assert_uint_eq(f.done, 100);
}

/* Leases shrink at the end: with frames of 1 s, all workers are busy until the last seconds. */
TEST(test_end)
{
    for (uint64_t frames = 1; frames < MOST_FRAMES; frames++) {
        clear_farm(frames, 4, 2);
        state = frames;
        run_farm(1000);
        double ideal = (double)frames / 8;
        ck_assert_double_lt(f.now, 1.25 * ideal + 3.1);
        for (uint32_t w = 0; w < 4; w++) {
            ck_assert_uint_eq(unanswered(w), 0);
        }
    }
}

/* A worker that stops answering holds up the end by the time limit, and gets nothing more. */
TEST(test_hung_worker)
{
    clear_farm(100, 2, 1);
    f.dies[1] = 5;
    f.seconds[0] = f.seconds[1] = 0.1;
    run_farm(100);
    ck_assert_double_lt(f.now, 3 * SLOW);
    ck_assert_uint_le(unanswered(1), 2);
    ck_assert_uint_eq(f.done, 100);
}

/* A frame is not copied before 20 times the median. */
TEST(test_slow_frames)
{
    clear_farm(40, 2, 1);
    f.seconds[0] = 10;
    f.seconds[1] = 100;
    run_farm(10000);
    ck_assert_uint_eq(f.job_count, 40);
}

TEST(test_failures)
{
    wvl_sequence_lease l;
    clear_farm(1, 2, 1);
    open_farm();
    ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 0, 0, &l, 1), 1);
    ck_assert(!l.is_last);
    ck_assert_int_eq(wvl_sequence_take_answer(f.leases, 0, 0, 0, 1), WVL_SEQUENCE_ANSWER_AGAIN);
    ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 0, 1, &l, 1), 0);
    ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 1, 1, &l, 1), 1);
    ck_assert_int_eq(wvl_sequence_take_answer(f.leases, 1, 0, 0, 2), WVL_SEQUENCE_ANSWER_AGAIN);
    /* The other worker does not ask: after a while this one may try again. */
    ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 1, 2 + SLOW, &l, 1), 0);
    ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 1, 3 + SLOW, &l, 1), 1);
    ck_assert(l.is_last);
    ck_assert_int_eq(wvl_sequence_take_answer(f.leases, 1, 0, 0, 40), WVL_SEQUENCE_ANSWER_FAILED);
    ck_assert_int_eq(wvl_sequence_take_answer(f.leases, 0, 0, 1, 41), WVL_SEQUENCE_ANSWER_VOID);
    ck_assert_uint_eq(wvl_sequence_first_open(f.leases), 1);
    wvl_sequence_close_leases(f.leases);
}

/* A worker hangs with a frame that fails everywhere else: the third failure is final. */
TEST(test_hung_and_failing)
{
    clear_farm(1, 2, 1);
    f.dies[1] = -1;
    f.failing[0] = 100;
    open_farm();
    wvl_sequence_lease l;
    ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 1, 0, &l, 1), 1);
    double now = 0;
    wvl_sequence_answer a = WVL_SEQUENCE_ANSWER_VOID;
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(a, WVL_SEQUENCE_ANSWER_VOID);
        now += 1 + WVL_SEQUENCE_LEASE_MEDIANS * SLOW;
        ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 0, now, &l, 1), 1);
        ck_assert(l.copy && l.is_last == (i == 2));
        a = wvl_sequence_take_answer(f.leases, 0, 0, 0, now + 1);
    }
    ck_assert_int_eq(a, WVL_SEQUENCE_ANSWER_FAILED);
    ck_assert_int_eq(wvl_sequence_take_answer(f.leases, 1, 0, 1, now + 2), WVL_SEQUENCE_ANSWER_VOID);
    wvl_sequence_close_leases(f.leases);
}

/* After a stop nothing is leased, and answers still count. */
TEST(test_stop)
{
    wvl_sequence_lease l;
    clear_farm(5, 1, 1);
    open_farm();
    ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 0, 0, &l, 1), 1);
    wvl_sequence_stop_leases(f.leases);
    ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 0, 0, &l, 1), 0);
    ck_assert_int_eq(wvl_sequence_take_answer(f.leases, 0, 0, 1, 1), WVL_SEQUENCE_ANSWER_DONE);
    ck_assert_int_eq(wvl_sequence_take_answer(f.leases, 0, 0, 1, 1), WVL_SEQUENCE_ANSWER_VOID);
    ck_assert_int_eq(wvl_sequence_take_answer(f.leases, 0, 4, 1, 1), WVL_SEQUENCE_ANSWER_VOID);
    wvl_sequence_close_leases(f.leases);
}

/* When the last frames go out, none waits behind another one. */
TEST(test_shares_of_the_end)
{
    wvl_sequence_lease leases[8];
    clear_farm(4, 2, 2);
    open_farm();
    ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 0, 0, leases, 8), 2);
    ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 1, 0, leases, 8), 2);
    wvl_sequence_close_leases(f.leases);
}

/* Who owes an answer for too long gets nothing, also when others have done its frames, until it answers. */
TEST(test_silent_worker)
{
    wvl_sequence_lease l[4];
    clear_farm(40, 2, 1);
    open_farm();
    wvl_sequence_allow_places(f.leases, 4);
    ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 1, 0, l, 1), 1);
    const uint64_t held = l[0].place;
    while (wvl_sequence_take_leases(f.leases, 0, 1, l, 1)) {
        ck_assert_int_eq(wvl_sequence_take_answer(f.leases, 0, l[0].place, 1, 1.1), WVL_SEQUENCE_ANSWER_DONE);
    }
    ck_assert_double_eq(wvl_sequence_slow_seconds(f.leases), SLOW);
    ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 0, SLOW + 2, l, 1), 1);
    ck_assert_uint_eq(l[0].place, held);
    ck_assert_uint_eq(l[0].copy, 1);
    ck_assert_int_eq(wvl_sequence_take_answer(f.leases, 0, held, 1, SLOW + 3), WVL_SEQUENCE_ANSWER_DONE);
    wvl_sequence_allow_places(f.leases, 40);
    ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 1, SLOW + 4, l, 1), 0);
    ck_assert_int_eq(wvl_sequence_take_answer(f.leases, 1, held, 1, SLOW + 5), WVL_SEQUENCE_ANSWER_VOID);
    ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 1, SLOW + 6, l, 1), 1);
    wvl_sequence_close_leases(f.leases);
}

/* Any number of workers may hang with the same frame. No two of them have the same number of a copy. */
TEST(test_many_copies)
{
    wvl_sequence_lease l;
    clear_farm(1, 6, 1);
    open_farm();
    for (uint32_t w = 0; w < 6; w++) {
        ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, w, 700.0 * w, &l, 1), 1);
        ck_assert_uint_eq(l.copy, w);
        ck_assert_uint_eq(wvl_sequence_take_leases(f.leases, 5, 700.0 * w + 1, &l, 1), 0);
    }
    /* One that is not waited for may still have the result; its failure says nothing. */
    ck_assert_int_eq(wvl_sequence_take_answer(f.leases, 0, 0, 0, 4300), WVL_SEQUENCE_ANSWER_VOID);
    ck_assert_int_eq(wvl_sequence_take_answer(f.leases, 1, 0, 1, 4300), WVL_SEQUENCE_ANSWER_DONE);
    ck_assert_int_eq(wvl_sequence_take_answer(f.leases, 5, 0, 1, 4300), WVL_SEQUENCE_ANSWER_VOID);
    wvl_sequence_close_leases(f.leases);
}

TEST(test_machines)
{
    static const struct {
        const char *given;
        uint32_t worker, count;
        const char *text;
    } rows[] = {
        {"auto", 0, 0, "auto"},
        {"auto", 3, 0, "auto"},
        {"auto", 0, 2, "auto"},
        {"auto", 1, 2, "cuda:1"},
        {"auto", 2, 2, "auto"},
        {"cuda", 5, 4, "cuda:1"},
        {"cuda-only", 3, 4, "cuda-only:3"},
        {"cuda:1", 2, 4, "cuda:1"},
        {"cpu", 1, 4, "cpu"},
    };
    char text[24];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int is_other = wvl_sequence_choose_device(rows[i].given, rows[i].worker, rows[i].count, text, sizeof text);
        ck_assert_str_eq(text, rows[i].text);
        ck_assert_int_eq(is_other, strcmp(text, rows[i].given) != 0);
    }
    ck_assert_uint_eq(wvl_sequence_share_threads(1, 64, 64), 64);
    ck_assert_uint_eq(wvl_sequence_share_threads(4, 64, 32), 16);
    ck_assert_uint_eq(wvl_sequence_share_threads(2, 64, 1), 1);
    ck_assert_uint_eq(wvl_sequence_share_threads(3, 2, 2), 1);
}

TEST_MAIN("lease")
